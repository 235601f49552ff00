"""States of machines and checks of what describes them, by tools that nobody tunes on; their JSON tells the facts."""

import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_suites import write

SALT = (
    "salt==3007.1", "setuptools==65.5.0", "tornado==6.4.1", "msgpack==1.2.4", "pyyaml==6.0.3", "jinja2==3.1.6", "looseversion==1.3.0", "packaging==26.3", "distro==1.9.0", "psutil==7.2.2", "pyzmq==27.3.0", "requests==2.34.2", "pycryptodomex==3.24.2", "jmespath==1.1.0", "cryptography==50.0.2",
)  # fmt: skip
"""What Salt needs; its wheel does not say so."""

INFRASTRUCTURE, MANIFESTS = "infrastructure", "manifest check"


def states(room: str) -> str:
    """What a machine has to hold: files of a room, some of which cannot be made."""
    lines = []
    for number in range(44):
        target = f"{room}/etc/gauge{number}.conf" if number % 11 != 6 else f"{room}/blocked/gauge{number}.conf"
        lines += [
            f"gauge{number}_settings:",
            "  file.managed:",
            f"    - name: {target}",
            f"    - contents: 'depth = {number}'",
            f"    - mode: '{640 + number % 3}'",
        ]
        if number % 9 == 4:
            lines += [
                f"gauge{number}_started:",
                "  cmd.run:",
                f"    - name: 'echo gauge {number} is frozen >&2; exit {number % 5 + 1}'",
            ]
        if number % 11 == 6:
            lines += [
                f"gauge{number}_after:",
                "  test.succeed_with_changes:",
                "    - require:",
                f"      - file: gauge{number}_settings",
            ]
        if number % 13 == 8:
            lines += [
                f"gauge{number}_source:",
                "  file.managed:",
                f"    - name: {room}/etc/src{number}",
                f"    - source: salt://lost/{number}.conf",
            ]
    return "\n".join(lines) + "\n"


def salt_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `salt-call state.apply` prints; the facts, of its JSON in a room alike, are every state that failed or changed."""
    python = shop.python("eighth-salt", *SALT)
    tool = os.path.join(os.path.dirname(python), "salt-call")
    room = shop.room(name)
    texts = []
    for form in ("highstate", "json"):
        shop.run(["rm", "-rf", f"{room}/etc"], room)
        os.makedirs(os.path.join(room, "etc"))
        write(os.path.join(room, "blocked"), "a file, not a directory\n")
        write(os.path.join(room, "states", "quay.sls"), states(room))
        config = {
            "file_client": "local",
            "root_dir": room,
            "file_roots": {"base": [f"{room}/states"]},
            "log_file": f"{room}/log",
            "cachedir": f"{room}/cache",
            "pki_dir": f"{room}/pki",
            "sock_dir": f"{room}/sock",
            "id": "quay",
            "enable_fqdns_grains": False,
            "extension_modules": f"{room}/ext",
            "conf_file": f"{room}/conf/minion",
        }
        write(os.path.join(room, "conf", "minion"), json.dumps(config))
        command = [
            tool,
            "--local",
            "-c",
            f"{room}/conf",
            "--log-level=quiet",
            "--no-color",
            f"--out={form}",
            "state.apply",
            "quay",
        ]
        texts.append(
            plain(shop.run(command, room, env={"HOME": room}, apart=True, seconds=400).text).replace(room, "/srv/quay")
        )
    text, report = texts
    rows = json.loads(report)["local"]
    facts = []
    for key, row in rows.items():
        kind, who, *_ = key.split("_|-")
        if row["result"] is not True:
            facts += [Fact("message", (f"ID: {who}",)), Fact("message", (row["comment"].split("\n")[0][:90].strip(),))]
        facts.append(Fact("message", (f"Function: {kind}.",)))
    facts += [Fact("message", (f"gauge {n} is frozen",)) for n in range(44) if n % 9 == 4]
    facts += last_words(text, r"^Succeeded: .*$|^Failed: .*$|^Total states run: .*$")
    yield Item(name, INFRASTRUCTURE, "text", "salt-call --local state.apply quay", text, said_in(facts, text))


def manifest(number: int) -> str:
    """A workload of a cluster; every few are careless."""
    root = "privileged: true" if number % 5 == 2 else "runAsNonRoot: true"
    tag = "latest" if number % 3 == 1 else f"1.{number}"
    network = "  hostNetwork: true\n" if number % 7 == 4 else ""
    limits = (
        ""
        if number % 4 == 3
        else "    resources: {limits: {cpu: 100m, memory: 64Mi}, requests: {cpu: 50m, memory: 32Mi}}\n"
    )
    return f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: gauge-{number}\n  namespace: {'default' if number % 6 == 5 else 'quay'}\nspec:\n{network}  automountServiceAccountToken: false\n  containers:\n  - name: tided\n    image: quay.example/tided:{tag}\n    imagePullPolicy: Always\n{limits}    securityContext: {{{root}, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {{drop: [ALL]}}, seccompProfile: {{type: RuntimeDefault}}}}\n"


def checkov_run(name: str, shop: Shop) -> Iterator[Item]:
    """What checkov says of manifests; the facts are those of its JSON: every failed check with the workload it is about."""
    python = shop.python("eighth-checkov", "checkov==3.3.30")
    tool = os.path.join(os.path.dirname(python), "checkov")
    room = shop.room(name)
    for number in range(16):
        write(os.path.join(room, "manifests", f"gauge{number}.yaml"), manifest(number))
    command = [tool, "-d", "manifests", "--framework", "kubernetes", "--quiet", "--compact", "--skip-download"]
    env = {"HOME": room, "BC_SKIP_MAPPING": "TRUE", "CHECKOV_RUN_SCA_PACKAGE_SCAN_V2": "false"}
    text = plain(shop.run(command, room, env=env, apart=True, seconds=400).text)
    about = json.loads(shop.run([*command, "-o", "json"], room, env=env, apart=True, seconds=400).text)
    facts = []
    for row in about["results"]["failed_checks"]:
        facts += [
            Fact("name", (row["check_id"],)),
            Fact("message", (row["check_name"][:90],)),
            Fact("message", (row["resource"],)),
            Fact("message", (row["file_path"].lstrip("/"),)),
        ]
    facts += last_words(text, r"^Passed checks: .*$")
    yield Item(name, MANIFESTS, "text", "checkov -d manifests --quiet --compact", text, said_in(facts, text))


RECIPES = {
    "salt-quay": partial(salt_run, "salt-quay"),
    "checkov-gauges": partial(checkov_run, "checkov-gauges"),
}
