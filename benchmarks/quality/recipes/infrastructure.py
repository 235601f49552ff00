"""Infrastructure tools: ansible-playbook, terraform, puppet."""

import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

INFRASTRUCTURE = "infrastructure tool"
HOSTS = 24

PLAYBOOK = """- hosts: all
  gather_facts: false
  tasks:
    - name: Make the directory of the service
      file: {path: "{{ root }}/{{ inventory_hostname }}/service", state: directory}
    - name: Write the settings
      copy: {dest: "{{ root }}/{{ inventory_hostname }}/service/settings.ini", content: "[main]\\nhost={{ inventory_hostname }}\\nlimit={{ limit }}\\n"}
    - name: Ask for the quota
      command: "test {{ limit }} -lt 900"
      changed_when: false
    - name: Read the key
      slurp: {src: "{{ root }}/{{ key_of | default('shared') }}.key"}
    - name: Start the service
      shell: "echo started on {{ inventory_hostname }} && exit {{ status | default(0) }}"
    - name: Wait for the answer
      assert: {that: "answer | default('ok') == 'ok'", fail_msg: "{{ inventory_hostname }} answered {{ answer | default('ok') }}"}
"""
ODD_HOSTS = {5: "limit=950", 11: "key_of=lost", 14: "ansible_connection=ssh ansible_port=9 ansible_host=127.0.0.1",
             17: "status=7", 20: "answer=maintenance"}  # fmt: skip
FAILED_AT = {5: "Ask for the quota", 11: "Read the key", 17: "Start the service", 20: "Wait for the answer"}


def ansible_run(name: str, flags: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """What ansible-playbook prints of two dozen hosts, five of which are planted to fail; the facts are these."""
    python = shop.python("ansible", "ansible-core==2.17.4")
    room = shop.room(name)
    rows = [f"node{number:02} limit=100 {ODD_HOSTS.get(number, '')}" for number in range(HOSTS)]
    for path, text in (("hosts.ini", "\n".join(rows) + "\n"), ("site.yml", PLAYBOOK), ("shared.key", "k\n")):
        with open(os.path.join(room, path), "w", encoding="utf-8") as out:
            out.write(text)
    command = [os.path.join(os.path.dirname(python), "ansible-playbook"), "-i", "hosts.ini", "-c", "local", "site.yml"]
    env = {"HOME": room, "ANSIBLE_NOCOWS": "1", "ANSIBLE_HOST_KEY_CHECKING": "0"}
    text = shop.run(
        [*command, "-e", f"root={room} ansible_python_interpreter={python}", *flags], room, env=env
    ).text.replace(f"{room}/", "")
    facts = [Fact("odd", (), (f"[node{number:02}]", "FAILED!")) for number in FAILED_AT]
    facts += [Fact("odd", (), ("[node14]", "UNREACHABLE!")), Fact("odd", (), ("node14", "unreachable=1"))]
    facts += [Fact("odd", (), (f"node{number:02}", "failed=1")) for number in FAILED_AT]
    facts += [
        Fact("message", (f"TASK [{line.split(': ', 1)[1]}]",)) for line in PLAYBOOK.splitlines() if "- name: " in line
    ]
    facts += [
        Fact("message", ("lost.key",)),
        Fact("message", ("node20 answered maintenance",)),
        Fact("message", ("refused",)),
    ]
    facts += [Fact("message", ("test 950 -lt 900", '"test", "950"')), Fact("message", ("started on node17",))]
    facts += [Fact("name", (f"node{number:02}",)) for number in range(HOSTS)]
    yield Item(name, INFRASTRUCTURE, "text", "ansible-playbook site.yml", text, said_in(facts, text))


KEPT = 'resource "terraform_data" "{0}_{1}" {{\n  input = {{ size = {2}, zone = "zone-{3}", image = "{4}" }}\n{5}}}\n'
KINDS = ("web", "queue", "cache", "job", "gate")


def _resources(*, later: bool) -> str:
    text = ""
    for number in range(70):
        if later and number in (12, 47):
            continue
        kind = KINDS[number % len(KINDS)]
        image = "img-2" if later and kind == "web" else "img-1"
        size = 99 if later and number == 33 else 4
        renewed = f'  triggers_replace = ["{"b" if later else "a"}"]\n' if number in (21, 58) else ""
        text += KEPT.format(kind, number, size, number % 3, image, renewed)
    return text + (KEPT.format("audit", "extra", 1, 0, "img-9", "") if later else "")


def terraform_run(name: str, command: str, shop: Shop) -> Iterator[Item]:
    """What terraform plans, or does, after some of seventy resources changed; the facts are those of the plan in JSON."""
    shop.need("terraform")
    room = shop.room(name)
    for step, later in ((("apply", "-auto-approve"), False), (("plan", "-out=plan"), True)):
        with open(os.path.join(room, "main.tf"), "w", encoding="utf-8") as out:
            out.write(_resources(later=later))
        shop.run(["terraform", "init", "-no-color"], room)
        text = shop.run(["terraform", *step, "-no-color"], room).text
    changes = json.loads(shop.run(["terraform", "show", "-json", "plan"], room, apart=True).text)["resource_changes"]
    if command == "apply":
        text = shop.run(["terraform", "apply", "-no-color", "-auto-approve"], room).text
    facts = []
    words = {"create": "created", "update": "updated", "delete": "destroyed"}
    for one in changes:
        actions = one["change"]["actions"]
        if actions != ["no-op"]:
            said = "replaced" if len(actions) > 1 else words[actions[0]]
            facts += [Fact("name", (one["address"],)), Fact("odd", (), (one["address"], said))]
    facts += [Fact("message", (line,)) for line in ('"img-1" -> "img-2"', "4 -> 99", '"a" -> "b"')]
    facts += [Fact("message", (line,)) for line in text.splitlines() if line.startswith(("Plan: ", "Apply complete!"))]
    yield Item(name, INFRASTRUCTURE, "text", f"terraform {command}", text, said_in(facts, text))


def puppet_run(name: str, shop: Shop) -> Iterator[Item]:
    """What puppet would change: a hundred files of which some are there, one below a file and one without an owner."""
    shop.install("puppet", "puppet-agent")
    room = shop.room(name)
    lines, missing = [], []
    for number in range(100):
        path = os.path.join(room, f"part{number:02}.conf")
        if number % 4:
            missing.append(number)
        else:
            with open(path, "w", encoding="utf-8") as out:
                out.write(f"value = {number if number % 8 else 'old'}\n")
        owner = ", owner => 'nobody-at-all'" if number == 52 else ""
        lines.append(f"file {{ '{path}': ensure => file, content => \"value = {number}\\n\"{owner} }}")
    lines.append(f"exec {{ '/bin/false --planted': require => File['{room}/part07.conf'] }}")
    lines.append("notify { 'after': require => Exec['/bin/false --planted'] }")
    with open(os.path.join(room, "site.pp"), "w", encoding="utf-8") as out:
        out.write("\n".join(lines))
    flags = ["--show_diff", "--color", "false", "--vardir", f"{room}/var", "--confdir", f"{room}/etc"]
    text = shop.run(["puppet", "apply", *flags, "site.pp"], room).text.replace(f"{room}/", "")
    facts = [Fact("path", (f"part{number:02}.conf",)) for number in (*missing, *range(0, 100, 8))]
    facts += [Fact("odd", (), ("Error", "nobody-at-all")), Fact("odd", (), ("/bin/false --planted", "returned 1")),
              Fact("odd", (), ("Notify[after]", "Skipping"))]  # fmt: skip
    yield Item(name, INFRASTRUCTURE, "text", "puppet apply", text, said_in(facts, text))


RECIPES = {
    "ansible-site": partial(ansible_run, "ansible-site", ("-vv",)),
    "terraform-plan": partial(terraform_run, "terraform-plan", "plan"),
    "terraform-apply": partial(terraform_run, "terraform-apply", "apply"),
    "puppet-apply": partial(puppet_run, "puppet-apply"),
}
