"""Infrastructure that nobody tunes on: settings, agents, journals, certificates, clusters; the facts are planted."""

import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, in_json, said_in, spread_facts
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.held_suites import write
from recipes.sixth_tools import python_tools, tool_of

INFRASTRUCTURE, JOURNAL, KEYS, CLUSTER = "infrastructure", "journal", "keys", "cluster"

CHANGED = {"forks": "37", "timeout": "91", "gathering": "explicit", "host_key_checking": "False", "poll_interval": "23",
           "remote_user": "keeper", "roles_path": "/srv/shelf-roles", "retry_files_enabled": "True", "nocows": "True",
           "log_path": "/srv/shelf.log", "hash_behaviour": "merge", "error_on_undefined_vars": "False"}  # fmt: skip


def settings_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ansible-config dump` with a dozen settings changed; the facts are these, and every name of its JSON."""
    tool = tool_of(shop, "ansible-config")
    room = shop.room(name)
    write(
        os.path.join(room, "ansible.cfg"),
        "[defaults]\n" + "".join(f"{key} = {value}\n" for key, value in CHANGED.items()),
    )
    env = {"HOME": room, "ANSIBLE_CONFIG": f"{room}/ansible.cfg"}
    text = shop.run([tool, "dump", "--type", "all"], room, env=env, apart=True).text.replace(room, "/room")
    rows = json.loads(shop.run([tool, "dump", "--format", "json"], room, env=env, apart=True).text)
    facts = [Fact("name", (row["name"],)) for row in rows if "name" in row]
    facts += [
        Fact("odd", (), (row["name"], "/room/ansible.cfg")) for row in rows if "ansible.cfg" in str(row.get("origin"))
    ]
    facts += [Fact("message", (one,)) for one in CHANGED.values() if len(one) > 5]
    yield Item(name, INFRASTRUCTURE, "text", "ansible-config dump", text, said_in(facts, text))


def settings_tree(name: str, shop: Shop) -> Iterator[Item]:
    """`augtool print` of a system's settings; the facts are what was put there, above all the odd ones."""
    shop.install("augtool", "augeas-tools")
    room = shop.room(name)
    hosts, mounts, users, facts = "127.0.0.1 localhost\n", "", "", []
    for number in range(70):
        hosts += f"10.0.{number % 5}.{number} shelf-{number}.example.org shelf-{number}\n"
        users += f"keeper{number}:x:{1000 + number}:{100 if number != 31 else 0}:Keeper {number}:/home/keeper{number}:{'/bin/bash' if number % 20 != 9 else '/usr/sbin/nologin'}\n"
        facts += [Fact("message", (f'"shelf-{number}.example.org"',)), Fact("name", (f"keeper{number}",))]
        facts += [Fact("odd", (), (f"/files/etc/passwd/keeper{number}/shell", "nologin"))] if number % 20 == 9 else []
    for number in range(18):
        kind = ("ext4", "xfs", "nfs")[number % 3]
        mounts += (
            f"/dev/disk/{number} /srv/area-{number} {kind} defaults{',noexec' if number == 11 else ''} 0 {number % 2}\n"
        )
        facts += [Fact("message", (f'"/srv/area-{number}"',))]
    facts += [Fact("message", ('opt[2] = "noexec"',)), Fact("message", ('/files/etc/passwd/keeper31/gid = "0"',))]
    knobs = {f"net.ipv4.conf.shelf{number}.rp_filter": str(number % 2) for number in range(24)} | {
        "vm.swappiness": "97"
    }
    facts += [Fact("message", (f"{key} ",)) for key in knobs] + [Fact("odd", (), ("vm.swappiness", "97"))]
    write(f"{room}/etc/hosts", hosts)
    write(f"{room}/etc/fstab", mounts)
    write(f"{room}/etc/passwd", users)
    write(f"{room}/etc/sysctl.conf", "".join(f"{key} = {value}\n" for key, value in knobs.items()))
    write(f"{room}/etc/ssh/sshd_config", "Port 2222\nPermitRootLogin yes\nMatch User keeper3\n  X11Forwarding yes\n")
    write(f"{room}/etc/crontab", "".join(f"{n % 60} {n % 24} * * * keeper{n} weigh --shelf {n}\n" for n in range(30)))
    facts += [Fact("message", (f'"weigh --shelf {number}"',)) for number in range(30)]
    facts += [Fact("message", (one,)) for one in ('Port = "2222"', 'PermitRootLogin = "yes"', 'X11Forwarding = "yes"')]
    facts += [
        Fact("path", (f"/files/etc/{one}",))
        for one in ("hosts", "fstab", "passwd", "sysctl.conf", "ssh/sshd_config", "crontab")
    ]
    text = shop.run(["augtool", "-r", room, "print", "/files"], room).text
    yield Item(name, INFRASTRUCTURE, "text", "augtool print /files", text, said_in(facts, text))


POLICY = """bundle agent shelf_{n}
{{
  files:
    "{room}/shelf-{n}/label.txt"
      create => "true", edit_line => write_{n};
    "{room}/shelf-{n}/lost-{n}.txt" copy_from => from_{n};
  commands:
    "/bin/{command}" contain => quiet_{n};
  reports:
    "shelf {n} was looked at";
}}
bundle edit_line write_{n}
{{
  insert_lines: "shelf {n} weighs {weight}";
}}
body copy_from from_{n}
{{
  source => "/srv/no-such-{n}";
}}
body contain quiet_{n}
{{
  useshell => "useshell";
}}
"""


def agent_run(name: str, shop: Shop) -> Iterator[Item]:
    """What cf-agent says of promises of which some cannot be kept; the facts are the planted ones."""
    shop.install("cf-agent", "cfengine3")
    room = shop.room(name)
    bundles = "".join(f'"shelf_{number}", ' for number in range(34)).rstrip(", ")
    policy, facts = f"body common control\n{{\n  bundlesequence => {{ {bundles} }};\n}}\n", []
    for number in range(34):
        os.makedirs(os.path.join(room, f"shelf-{number}"))
        command = f"false {number}" if number % 8 == 3 else f"echo parcel {number} packed"
        policy += POLICY.format(n=number, room=room, command=command, weight=number * 7)
        facts += [Fact("message", (f"shelf {number} was looked at",)), Fact("path", (f"/srv/no-such-{number}",))]
        facts += (
            [Fact("odd", (), (f"/bin/false {number}", "1"))]
            if number % 8 == 3
            else [Fact("message", (f"parcel {number} packed",))]
        )
    write(os.path.join(room, "all.cf"), policy)
    os.chmod(os.path.join(room, "all.cf"), 0o600)
    text = shop.run(["cf-agent", "-K", "-I", "-f", f"{room}/all.cf"], room).text.replace(f"{room}/", "/room/")
    yield Item(name, INFRASTRUCTURE, "text", "cf-agent -KI", text, said_in(facts, text))


UNITS = ("shelfd", "weighd", "doord", "labeld", "cron", "sshd")
SAID = (
    "opened door {n}",
    "weighed parcel {n}: {w} g",
    "accepted keeper-{k} from 10.0.0.{k}",
    "label {n} printed in {w} ms",
)


def journal(shop: Shop, name: str, count: int) -> tuple[str, list[Fact]]:
    """A journal of so many entries, of which a few are unlike the others; the facts are these and the units."""
    shop.install("systemd-cat", "systemd")
    remote = "/lib/systemd/systemd-journal-remote"
    if not os.path.exists(remote):
        shop.apt("systemd-journal-remote")
    room = shop.room(name)
    entries, facts = [], [Fact("name", (unit,)) for unit in UNITS]
    odd = {
        count // 9: (3, f"scales of shelf {count // 9} do not answer"),
        count // 5: (2, f"door {count // 5} is jammed, giving up"),
        count // 3: (4, f"label {count // 3} is smudged"),
        count // 2: (3, f"I/O error on shelf-disk-{count // 2}"),
        count - 40: (0, f"area {count - 40} is on fire"),
    }
    for number in range(count):
        level, said = odd.get(number, (6, SAID[number % 4].format(n=number, w=number * 37 % 911, k=number % 23)))
        unit = UNITS[number * 7 % 6 if number not in odd else 0]
        at = 1_790_000_000_000_000 + number * 1_700_003
        entries.append(
            f"__REALTIME_TIMESTAMP={at}\n__MONOTONIC_TIMESTAMP={number * 1_700_003}\n_BOOT_ID={'ab' * 16}\nMESSAGE={said}\n"
            f"PRIORITY={level}\n_HOSTNAME=shelf\nSYSLOG_IDENTIFIER={unit}\n_PID={300 + number * 7 % 6}\n_SYSTEMD_UNIT={unit}.service\n"
            + (f"SHELF_CODE=E{number}\n" if number in odd else "")
        )
        facts += [Fact("message", (said,))] if number in odd else []
    write(os.path.join(room, "all.export"), "\n".join(entries) + "\n")
    shop.run(["sh", "-c", f"{remote} -o {room}/all.journal --compress=no - < all.export"], room).check()
    return room, facts


def journal_run(name: str, form: str, count: int, shop: Shop) -> Iterator[Item]:
    """`journalctl` of a journal of its own, in one of its forms; the facts are the entries unlike the others."""
    room, facts = journal(shop, name, count)
    text = shop.run(["journalctl", "--file", "all.journal", "--no-pager", "--utc", "-o", form], room, apart=True).text
    if form == "verbose":
        facts += [
            Fact("message", (f"SHELF_CODE=E{number}",))
            for number in (count // 9, count // 5, count // 3, count // 2, count - 40)
        ]
        facts += [Fact("message", (f"PRIORITY={level}",)) for level in (0, 2, 3, 4, 6)]
        facts += [
            Fact("message", (f"{key}=",))
            for key in ("_BOOT_ID", "_PID", "_HOSTNAME", "_SYSTEMD_UNIT", "SYSLOG_IDENTIFIER")
        ]
    if form == "json":
        keys = {key for line in text.splitlines() for key in json.loads(line)}
        facts += [Fact("key", (key,)) for key in sorted(keys)]
        facts += [
            Fact("odd", (), (f"E{number}", level))
            for number, level in (
                (count // 9, "3"),
                (count // 5, "2"),
                (count // 3, "4"),
                (count // 2, "3"),
                (count - 40, "0"),
            )
        ]
    facts += last_words(text.splitlines()[0], ".*") if form.startswith("short") else []
    facts += last_words(text.splitlines()[-1], ".*") if form.startswith("short") else []
    kind = "ndjson" if form == "json" else "text"
    yield Item(name, JOURNAL, kind, f"journalctl -o {form}", text, said_in(facts, text))


TEMPLATE = """organization = "Shelves {area}"
cn = "shelf-{n}.example.org"
dns_name = "door-{n}.example.org"
serial = {serial}
activation_date = "2024-01-01 00:00:00"
expiration_date = "{end}"
{more}
"""


def certificates_run(name: str, shop: Shop) -> Iterator[Item]:
    """`certtool -i` of a chain of certificates; the facts are who they are of, and those unlike the others."""
    shop.install("certtool", "gnutls-bin")
    room = shop.room(name)
    every, facts = "", []
    for number in range(12):
        kind = {3: ["--key-type=rsa", "--bits=1024"], 8: ["--key-type=ed25519"]}.get(
            number, ["--key-type=ecdsa", "--curve=secp256r1"]
        )
        shop.run(["certtool", "-p", *kind, "--no-text", "--outfile=key.pem"], room).check()
        more = {
            5: "ca\npath_len = 2\ncert_signing_key",
            10: 'ip_address = "10.9.8.7"\nemail = "keeper@example.org"',
        }.get(number, "tls_www_server\nsigning_key")
        end = "2024-02-01 00:00:00" if number == 6 else "2039-01-01 00:00:00"
        write(
            os.path.join(room, "all.tmpl"),
            TEMPLATE.format(n=number, area=number % 3, serial=7000 + number, end=end, more=more),
        )
        sign = ["--generate-self-signed", "--load-privkey=key.pem", "--template=all.tmpl", "--outfile=one.pem"]
        shop.run(["certtool", "--no-text", *(["--hash=SHA512"] if number == 9 else []), *sign], room).check()
        with open(os.path.join(room, "one.pem"), encoding="utf-8") as file:
            every += file.read()
        facts += [
            Fact("message", (f"CN=shelf-{number}.example.org,O=Shelves {number % 3}",)),
            Fact("message", (f"DNSname: door-{number}.example.org",)),
        ]
        facts += [Fact("message", (f"Serial Number (hex): {7000 + number:04x}",))]
    write(os.path.join(room, "all.pem"), every)
    text = shop.run(["certtool", "-i", "--infile=all.pem"], room).text
    facts += [Fact("message", (one,)) for one in ("EdDSA (Ed25519)", "Low (1024 bits)", "Modulus (bits 1024)", "Algorithm: EC/ECDSA", "Not After: Thu Feb 01 00:00:00 UTC 2024",
              "SHA512", "IPAddress: 10.9.8.7", "RFC822Name: keeper@example.org", "Path Length Constraint: 2", "Certificate Authority (CA): TRUE")]  # fmt: skip
    yield Item(name, KEYS, "text", "certtool -i", text, said_in(facts, text))


LOCATION = """server {{
  listen 80;
  server_name shelf-{n}.example.org;
  {alias}
  location /door/ {{
    {trouble}
  }}
}}
"""
TROUBLE = ("return 302 https://$host$uri;", "proxy_pass http://$arg_shelf;", "add_header X-Shelf {n};\nadd_header X-Door $uri;",
           "if ($http_referer !~ 'example.org') {{ return 403; }}\nproxy_set_header Host $http_host;", "return 200 fine;")  # fmt: skip


def gixy_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gixy prints of settings of nginx; the facts are those of its JSON."""
    tool = tool_of(shop, "gixy")
    room = shop.room(name)
    for number in range(48):
        alias = f"location /files{number} {{ alias /srv/files{number}/; }}" if number % 4 == 1 else ""
        trouble = TROUBLE[number % 5].format(n=number)
        write(
            os.path.join(room, "conf.d", f"shelf-{number}.conf"),
            LOCATION.format(n=number, alias=alias, trouble=trouble),
        )
    write(os.path.join(room, "nginx.conf"), f"events {{}}\nhttp {{\n  include {room}/conf.d/*.conf;\n}}\n")
    text = shop.run([tool, "nginx.conf"], room, apart=True).text.replace(f"{room}/", "")
    rows = json.loads(shop.run([tool, "-f", "json", "nginx.conf"], room, apart=True).text)
    facts = []
    for row in rows:
        facts += [
            Fact("code", (row["plugin"],)),
            Fact("message", (row["summary"][:90],)),
            Fact("message", ((row.get("reason") or row["summary"]).split("\n")[0][:90],)),
        ]
        facts += [Fact("path", (row["path"].replace(f"{room}/", ""),))] + [
            Fact("message", (line.strip(),))
            for line in row["config"].splitlines()
            if "shelf" in line or "files" in line
        ]
    yield Item(name, INFRASTRUCTURE, "text", "gixy nginx.conf", text, said_in(facts, text))


POD = {"apiVersion": "v1", "kind": "Pod"}


def pods(count: int) -> tuple[list[dict[str, object]], list[Fact]]:
    """Pods as a cluster describes them, of which a few do not run; the facts are these, and their owners."""
    found: list[dict[str, object]] = []
    facts: list[Fact] = []
    trouble = {7: ("CrashLoopBackOff", "back-off 5m0s restarting failed container=scales"), 23: ("ImagePullBackOff", 'Back-off pulling image "shelf/door:9.9"'),
               31: ("OOMKilled", "container scales used more than 64Mi"), 44: ("CreateContainerConfigError", 'secret "shelf-44-keys" not found')}  # fmt: skip
    for number in range(count):
        name = f"{('weigher', 'packer', 'labeler')[number % 3]}-{number}-{number * 7919 % 99991:05x}"
        image = f"registry.example.org/shelf/{('scales', 'boxes', 'labels')[number % 3]}:{'1.4.2' if number != 15 else '1.3.9-rc1'}"
        bad = trouble.get(number)
        state = (
            {"waiting": {"reason": bad[0], "message": bad[1]}}
            if bad
            else {"running": {"startedAt": f"2026-01-02T03:{number % 60:02}:00Z"}}
        )
        conditions = [
            {
                "type": one,
                "status": "False" if bad and one != "Initialized" else "True",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            }
            for one in ("Initialized", "Ready", "PodScheduled")
        ]
        metadata = {"name": name, "namespace": f"area-{number % 4}", "uid": f"{number:08x}-0000-4000-8000-{number * 31:012x}", "labels": {"app": name.split("-", maxsplit=1)[0], "area": str(number % 4)},
                    "creationTimestamp": "2026-01-02T03:04:05Z", "resourceVersion": str(41000 + number)}  # fmt: skip
        container = {"name": image.rsplit("/", maxsplit=1)[-1].split(":", maxsplit=1)[0], "image": image, "imagePullPolicy": "IfNotPresent", "ports": [{"containerPort": 8000 + number % 3, "protocol": "TCP"}],
                     "resources": {"limits": {"cpu": "500m", "memory": "128Mi" if number != 31 else "64Mi"}, "requests": {"cpu": "50m", "memory": "64Mi"}}}  # fmt: skip
        status = {"phase": "Pending" if bad else "Running", "hostIP": f"10.1.0.{number % 5}", "podIP": f"10.2.{number % 5}.{number}", "qosClass": "Burstable", "conditions": conditions,
                  "containerStatuses": [{"name": container["name"], "image": image, "ready": not bad, "restartCount": 37 if number == 7 else 0, "state": state}]}  # fmt: skip
        spec = {
            "nodeName": f"node-{number % 5}",
            "restartPolicy": "Always",
            "serviceAccountName": "keeper" if number != 52 else "root-keeper",
            "containers": [container],
        }
        found.append(POD | {"metadata": metadata, "spec": spec, "status": status})
        facts += [Fact("name", (name,))]
        facts += [Fact("message", (bad[0],)), Fact("message", (bad[1][:40],))] if bad else []
    facts += [Fact("message", (one,)) for one in ("1.3.9-rc1", "root-keeper")]
    facts += [Fact("message", ("restartCount: 37", '"restartCount": 37'))]
    facts += [
        Fact("name", (one,))
        for one in (*(f"node-{n}" for n in range(5)), *(f"area-{n}" for n in range(4)), "scales", "boxes", "labels")
    ]
    return found, facts


def pods_run(name: str, count: int, shop: Shop) -> Iterator[Item]:
    """A list of pods as `kubectl get -o yaml` prints it, without a cluster; the facts are those that do not run, and names."""
    python = python_tools(shop)
    room = shop.room(name)
    rows, facts = pods(count)
    write(
        os.path.join(room, "all.json"),
        json.dumps({"apiVersion": "v1", "items": rows, "kind": "List", "metadata": {"resourceVersion": ""}}),
    )
    script = "import json, yaml; print(yaml.safe_dump(json.load(open('all.json')), sort_keys=True, width=200), end='')"
    text = shop.run([python, "-c", script], room, apart=True).text
    yield Item(name, CLUSTER, "text", "kubectl get pods -o yaml", text, said_in(facts, text))


def nodes_run(name: str, count: int, shop: Shop) -> Iterator[Item]:
    """The same pods as JSON, as `kubectl get -o json` prints them; the facts are in the objects."""
    shop.room(name)
    rows, facts = pods(count)
    facts += [
        Fact("key", (key,))
        for key in ("containerStatuses", "qosClass", "imagePullPolicy", "resourceVersion", "restartPolicy", "hostIP")
    ]
    text = json.dumps({"apiVersion": "v1", "items": rows, "kind": "List"}, indent=4) + "\n"
    yield Item(name, CLUSTER, "json", "kubectl get pods -o json", text, said_in(in_json(facts), text))


MANIFEST = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: shelf-{n}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: shelf-{n}}}}}
  template:
    metadata: {{labels: {{app: shelf-{n}}}}}
    spec:
      containers:
        - name: scales
          image: shelf:{n}
          ports: [{{containerPort: {port}}}]
          {more}
"""


def validate_run(name: str, shop: Shop) -> Iterator[Item]:
    """What kubernetes-validate prints of manifests; the facts are the planted mistakes."""
    tool = tool_of(shop, "kubernetes-validate")
    room = shop.room(name)
    found, paths = [], []
    for number in range(150):
        bad = {
            4: ("replicas", f"'{number} boxes' is not of type"),
            9: ("port", f"'door-{number}' is not of type"),
            2: ("more", f"'lid{number}' was unexpected"),
        }.get(number % 11, ("", ""))
        values = {
            "replicas": f"{number} boxes" if bad[0] == "replicas" else str(number),
            "port": f"door-{number}" if bad[0] == "port" else "80",
            "more": f"lid{number}: open" if bad[0] == "more" else "tty: true",
        }
        path = f"area-{number % 4}/shelf-{number}.yaml"
        write(os.path.join(room, path), MANIFEST.format(n=number, **values))
        paths.append(path)
        found += [Diagnostic(path, path, "", bad[1])] if bad[0] else []
    text = shop.run([tool, "--strict", *paths], room).text
    facts = (*spread_facts(found), *(Fact("path", (path,)) for path in paths))
    yield Item(name, INFRASTRUCTURE, "text", "kubernetes-validate --strict", text, said_in(facts, text))


STACK = """import sys
from troposphere import Template, Ref, GetAtt, Tags, ec2, sqs, s3, iam, Output
t = Template(Description="All shelves")
for n in range(40):
    group = t.add_resource(ec2.SecurityGroup(f"Door{n}", GroupDescription=f"Door of shelf {n}", SecurityGroupIngress=[
        ec2.SecurityGroupRule(IpProtocol="tcp", FromPort=22 if n == 17 else 443, ToPort=22 if n == 17 else 443, CidrIp="0.0.0.0/0" if n == 17 else "10.0.0.0/8")]))
    t.add_resource(ec2.Instance(f"Shelf{n}", ImageId="ami-0abc", InstanceType="m5.24xlarge" if n == 29 else "t3.micro", SecurityGroupIds=[Ref(group)], Tags=Tags(Area=str(n % 4), Name=f"shelf-{n}")))
    t.add_resource(sqs.Queue(f"Parcels{n}", VisibilityTimeout=43200 if n == 8 else 30, QueueName=f"parcels-{n}"))
    if n % 5 == 0:
        t.add_resource(s3.Bucket(f"Labels{n}", AccessControl="PublicRead" if n == 35 else "Private", BucketName=f"labels-{n}"))
        t.add_output(Output(f"LabelsOf{n}", Value=GetAtt(f"Labels{n}", "Arn")))
print(t.to_json() if sys.argv[1] == "json" else t.to_yaml())
"""


def stack_run(name: str, form: str, shop: Shop) -> Iterator[Item]:
    """A description of a cloud's resources that troposphere writes; the facts are its resources and the odd values."""
    python = python_tools(shop)
    room = shop.room(name)
    write(os.path.join(room, "stack.py"), STACK)
    text = shop.run([python, "stack.py", form], room, apart=True).text
    rows = json.loads(shop.run([python, "stack.py", "json"], room, apart=True).text)
    names = [*rows["Resources"], *rows["Outputs"]]
    facts = [Fact("key" if form == "json" else "name", (one,)) for one in names]
    facts += [Fact("message", (row["Type"],)) for row in rows["Resources"].values()]
    facts += [
        Fact("message", (one,))
        for one in (
            "0.0.0.0/0",
            "10.0.0.0/8",
            "m5.24xlarge",
            "t3.micro",
            "43200",
            "PublicRead",
            "Private",
            "All shelves",
        )
    ]
    facts += [Fact("name", (f"{kind}-{number}",)) for kind in ("shelf", "parcels") for number in range(40)]
    yield Item(
        name, INFRASTRUCTURE, "json" if form == "json" else "text", f"troposphere {form}", text, said_in(facts, text)
    )


RECIPES = {
    "ansible-config-dump": partial(settings_run, "ansible-config-dump"),
    "augtool-print": partial(settings_tree, "augtool-print"),
    "cf-agent-shelves": partial(agent_run, "cf-agent-shelves"),
    "journalctl-iso": partial(journal_run, "journalctl-iso", "short-iso", 30_000),
    "journalctl-verbose": partial(journal_run, "journalctl-verbose", "verbose", 900),
    "journalctl-json": partial(journal_run, "journalctl-json", "json", 1_500),
    "certtool-chain": partial(certificates_run, "certtool-chain"),
    "gixy-shelves": partial(gixy_run, "gixy-shelves"),
    "kubectl-yaml": partial(pods_run, "kubectl-yaml", 160),
    "kubectl-json": partial(nodes_run, "kubectl-json", 60),
    "kubernetes-validate": partial(validate_run, "kubernetes-validate"),
    "troposphere-json": partial(stack_run, "troposphere-json", "json"),
    "troposphere-yaml": partial(stack_run, "troposphere-yaml", "yaml"),
}
