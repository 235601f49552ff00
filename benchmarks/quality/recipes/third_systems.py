"""What a system says of itself, by tools that nobody tunes on; each in a namespace of its own in which odd things were put."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write

SYSTEM = "system"


def apart(shop: Shop, room: str, flags: str, *script: str) -> str:
    """What a script prints in namespaces of its own."""
    write(os.path.join(room, "plan.sh"), "\n".join(("set -e", *script, "")))
    done = shop.run(["unshare", *flags.split(), "sh", "plan.sh"], room)
    done.check()
    return done.text


def sysctl_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sysctl -a` in a network of forty interfaces; the facts are the settings that were changed and every group."""
    room = shop.room(name)
    changed = {
        "net.ipv4.conf.port7.rp_filter": "2",
        "net.ipv4.conf.port21.accept_local": "1",
        "net.ipv4.conf.port33.log_martians": "1",
        "net.ipv4.ip_forward": "1",
        "net.ipv4.tcp_keepalive_time": "911",
        "net.ipv6.conf.port12.accept_ra": "0",
        "net.ipv6.conf.port30.mtu": "1400",
        "net.ipv4.neigh.port18.gc_stale_time": "77",
    }
    plan = [f"ip link add port{number} type bridge" for number in range(40)]
    plan += [f"sysctl -q -w {key}={value}" for key, value in changed.items()]
    text = apart(shop, room, "-n", *plan, "sysctl -a --pattern '^net' 2>/dev/null")
    keys = [line.split(" = ")[0] for line in text.splitlines() if " = " in line]
    facts = [Fact("message", (f"{key} = {value}",)) for key, value in changed.items()]
    facts += [Fact("name", (key,)) for key in keys if not re.search(r"\.(?:port\d+|lo|all|default)\.", key)]
    facts += [Fact("name", (f"port{number}",)) for number in range(40)]
    facts += [Fact("name", (key.rpartition(".")[2],)) for key in keys if ".port5." in key]
    yield Item(name, SYSTEM, "text", "sysctl -a", text, said_in(facts, text))


def mounts_run(name: str, shop: Shop) -> Iterator[Item]:
    """`findmnt` of 130 mounts of which some are odd; the facts are its own JSON."""
    room = shop.room(name)
    plan = ["mount --make-rprivate /"]
    for number in range(130):
        options = {17: "ro", 58: "noexec,nosuid", 99: "size=1k"}.get(number, "size=16m,mode=755")
        where = f"{room}/rack{number % 9}/shelf{number}"
        plan.append(f"mkdir -p {where} && mount -t tmpfs -o {options} parcel{number} {where}")
    plan += [f"mkdir -p {room}/bound && mount --bind /etc {room}/bound"]
    text = apart(shop, room, "-m", *plan, "findmnt -o TARGET,SOURCE,FSTYPE,OPTIONS")
    tree = json.loads(apart(shop, room, "-m", *plan, "findmnt -J -o TARGET,SOURCE,FSTYPE,OPTIONS"))
    rows: list[dict[str, str]] = []

    def walk(nodes: list[dict[str, object]]) -> None:
        for node in nodes:
            rows.append({key: str(value) for key, value in node.items() if key != "children"})
            below = node.get("children")
            walk(below if isinstance(below, list) else [])

    walk(tree["filesystems"])
    seen = [row["options"] for row in rows]
    facts = [Fact("path", (row["target"],)) for row in rows] + [Fact("name", (row["fstype"],)) for row in rows]
    facts += [Fact("message", (row["options"],)) for row in rows if seen.count(row["options"]) <= 2]
    facts += [
        Fact("odd", (), (f"parcel{number}", word)) for number, word in ((17, "ro"), (58, "noexec"), (99, "size=4k"))
    ]
    yield Item(name, SYSTEM, "text", "findmnt", text, said_in(facts, text))


def activity_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sar -A` of a few seconds; the facts are sadf's JSON of the same file: columns, interfaces, the peaks of the load."""
    shop.install("sar", "sysstat")
    room = shop.room(name)
    shop.run(["/usr/lib/sysstat/sadc", "-S", "XALL", "1", "8", "sa"], room)
    text = shop.run(["sar", "-A", "-f", "sa"], room).text
    host = json.loads(shop.run(["sadf", "-j", "sa", "--", "-A"], room, apart=True).text)["sysstat"]["hosts"][0]
    facts = [Fact("message", (line.strip(),)) for line in text.splitlines()[:1]]
    columns = re.findall(
        r"(?<=\s)[%a-zA-Z/_-]*[a-zA-Z]+(?:/s|-\d+)?(?=\s|$)",
        "\n".join(line for line in text.splitlines() if re.match(r"\d\d:\d\d:\d\d +[A-Za-z%]", line)),
    )
    facts += [Fact("message", (one,)) for one in dict.fromkeys(columns)]
    for sample in host["statistics"]:
        facts += [Fact("name", (one["iface"],)) for one in sample.get("network", {}).get("net-dev", ())]
        facts += [Fact("name", (one["disk-device"],)) for one in sample.get("disk", ())]
    loads = [
        (sample["queue"]["ldavg-1"], sample["timestamp"]["time"]) for sample in host["statistics"] if "queue" in sample
    ]
    facts += [Fact("odd", (), (at, f"{load:.2f}")) for load, at in [max(loads), min(loads)] if loads]
    facts += [Fact("message", (line.strip(),)) for line in re.findall(r"^Average: +all .*$", text, re.MULTILINE)]
    yield Item(name, SYSTEM, "text", "sar -A", text, said_in(facts, text))


HOLDER = """import mmap, os, sys, time
sys.path.insert(0, sys.argv[1])
import ssl, sqlite3, decimal, ctypes, xml.parsers.expat, lzma, bz2, readline, curses, multiprocessing, asyncio
kept = []
for number in range(60):
    path = f"parcel-{number}.bin"
    size = 9_000_000 if number == 41 else 65536
    with open(path, "wb") as out: out.truncate(size)
    file = open(path, "r+b")
    one = mmap.mmap(file.fileno(), size)
    if number in (41, 13): one.write(b"x" * size)
    kept.append((file, one))
os.unlink("parcel-27.bin")
print("up", flush=True)
time.sleep(60)
"""


def memory_map(name: str, shop: Shop) -> Iterator[Item]:
    """`pmap -X` of a program that maps files; the facts are read from smaps: every file, the largest, the deleted one."""
    shop.install("pmap", "procps")
    room = shop.room(name)
    write(os.path.join(room, "holder.py"), HOLDER)
    child = subprocess.Popen([sys.executable, "holder.py", room], cwd=room, stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        text = shop.run(["pmap", "-X", str(child.pid)], room).text
        with open(f"/proc/{child.pid}/smaps", encoding="utf-8") as file:
            maps = file.read()
    finally:
        child.kill()
        child.wait(20)
    facts = []
    resident: dict[tuple[str, str], int] = {}
    for start, path, size in re.findall(
        r"^([0-9a-f]+)-\S+ .*?(?: +(\S[^\n]*))?\n(?:.*\n)*?Rss: +(\d+) kB", maps, re.MULTILINE
    ):
        base = os.path.basename(path.removesuffix(" (deleted)"))
        facts += (
            [Fact("name", (base,))] if base and not base.startswith("[") else [Fact("message", (path,))] if path else []
        )
        resident[start, base] = int(size)
    for start, base in sorted(resident, key=lambda key: -resident[key])[:8]:
        facts.append(Fact("odd", (), (start.lstrip("0"), str(resident[start, base]))))
    facts += [Fact("message", ("parcel-27.bin (deleted)",))] + [
        Fact("message", (line.strip()[:90].strip(),)) for line in text.splitlines()[-1:]
    ]
    facts += [Fact("name", (one,)) for one in text.splitlines()[1].split()]
    yield Item(name, SYSTEM, "text", "pmap -X", text, said_in(facts, text))


PROCESSES = """import os, subprocess, sys, time
for number in range(140):
    title = f"packer-{number}" if number % 2 else f"weigher-{number}"
    subprocess.Popen(["bash", "-c", f"exec -a {title} sleep 50"])
os.fork() or os._exit(3)
subprocess.Popen(["nice", "-n", "15", "bash", "-c", "exec -a polite sleep 50"])
stopped = subprocess.Popen(["bash", "-c", "exec -a frozen sleep 50"])
hungry = subprocess.Popen([sys.executable, "-c", "x = bytearray(150_000_000); import time; time.sleep(50)", "hungry"])
subprocess.Popen(["runuser", "-u", "daemon", "--", "bash", "-c", "exec -a stranger sleep 50"])
time.sleep(4)
os.kill(stopped.pid, 19)
time.sleep(0.5)
os.execvp("ps", ["ps", *sys.argv[1:]])
"""


def processes_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ps aux` in a namespace of processes; the facts are those that were put there: frozen, hungry, dead, a stranger's."""
    room = shop.room(name)
    write(os.path.join(room, "crowd.py"), PROCESSES)
    text = apart(shop, room, "-pf --mount-proc", f"exec {sys.executable} crowd.py auxww")
    facts = [Fact("name", (f"{'packer' if number % 2 else 'weigher'}-{number}",)) for number in range(140)]
    facts += [
        Fact("message", (one,)) for one in ("<defunct>", "polite 50", "frozen 50", "stranger 50", "hungry", "ps auxww")
    ]
    facts += [
        Fact("name", (one,))
        for one in ("USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "COMMAND", "daemon")
    ]
    for line in text.splitlines():
        if re.search(r"polite|frozen|stranger|hungry|<defunct>", line) and " -c " not in line:
            words = line.split()
            facts.append(Fact("odd", (), (words[1], words[7])))
    yield Item(name, SYSTEM, "text", "ps auxww", text, said_in(facts, text))


def rotation_run(name: str, shop: Shop) -> Iterator[Item]:
    """`logrotate -d` of sixty logs with mistakes in the settings; the facts are these and what would be rotated."""
    shop.install("logrotate")
    room = shop.room(name)
    facts, settings = [], ""
    for number in range(60):
        path = os.path.join(room, "logs", f"shelf-{number}.log")
        write(path, "x\n" * (60_000 if number % 11 == 4 else 10))
        wrong = {9: "rotate many", 31: "sizes 10k", 47: "compresscmd"}.get(number, "")
        settings += f"{path} {{\n  size 100k\n  rotate 4\n  missingok\n  {wrong}\n}}\n"
        if number == 52:
            settings += f"{room}/logs/gone.log {{\n  size 1\n}}\n"
    conf = write(os.path.join(room, "rotate.conf"), settings)
    os.chmod(conf, 0o644)
    text = shop.run(["logrotate", "-d", "-s", os.path.join(room, "state"), "rotate.conf"], room).text.replace(
        f"{room}/", ""
    )
    facts += [Fact("path", (f"logs/shelf-{number}.log",)) for number in range(60)]
    facts += [Fact("message", (line.strip(),)) for line in text.splitlines() if line.startswith(("error:", "warning:"))]
    facts += [Fact("message", (f"rotating log logs/shelf-{number}.log",)) for number in range(4, 60, 11)]
    facts += [Fact("message", (one,)) for one in ("log needs rotating", "log does not need rotating", "logs/gone.log")]
    yield Item(name, SYSTEM, "text", "logrotate -d rotate.conf", text, said_in(facts, text))


RECIPES = {
    "sysctl-ports": partial(sysctl_run, "sysctl-ports"),
    "findmnt-racks": partial(mounts_run, "findmnt-racks"),
    "sar-all": partial(activity_run, "sar-all"),
    "pmap-holder": partial(memory_map, "pmap-holder"),
    "ps-crowd": partial(processes_run, "ps-crowd"),
    "logrotate-shelves": partial(rotation_run, "logrotate-shelves"),
}
