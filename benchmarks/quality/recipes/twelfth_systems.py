"""What hosts, listings and benchmarks say, by tools that nobody tunes on; what is odd is planted."""

import json
import os
import subprocess
import time
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped
from recipes.twelfth_tools import TOOLS

SYSTEM, LISTING, BENCHMARK = "system", "listing", "benchmark"


def sockets_run(name: str, shop: Shop) -> Iterator[Item]:
    """`netstat -an` of a network of its own, in which much is open; the facts are planted: every state, what is odd of ports, queues and paths."""
    shop.install("netstat", "net-tools")
    room = shop.room(name)
    script = """import os, socket, subprocess, sys
held, room = [], sys.argv[1]
for n in range(52):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 7000 + n)); s.listen(5); held.append(s)
    if n % 3 == 0:
        c = socket.create_connection(("127.0.0.1", 7000 + n)); held.append(c); a = s.accept()[0]; held.append(a)
        if n % 9 == 6: c.sendall(b"rope" * (n * 10))
        if n % 12 == 0: a.close()
for n in range(8):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 6100 + n)); held.append(s)
for n in range(40):
    s = socket.socket(socket.AF_UNIX); s.bind(f"@pier-{n}".replace("@", chr(0))); s.listen(1); held.append(s)
sys.stdout.flush(); subprocess.run(["netstat", "-an"])
"""
    write(os.path.join(room, "open.py"), script)
    text = shop.run(
        ["unshare", "-rn", "sh", "-c", f"ip link set lo up 2>/dev/null || ifconfig lo up; python3 open.py {room}"], room
    ).text
    facts = [
        *each("name", (f"127.0.0.1:{7000 + n}" for n in range(52))),
        *each("name", (f"127.0.0.1:{6100 + n}" for n in range(8))),
        *each("name", (f"@pier-{n}" for n in range(40))),
    ]
    facts += [
        *each("name", ("LISTEN", "ESTABLISHED", "CLOSE_WAIT", "FIN_WAIT2", "LISTENING")),
        *pairs((n * 40, f"127.0.0.1:{7000 + n}") for n in range(52) if n % 9 == 6),
    ]
    yield made(
        name, SYSTEM, "netstat -an", text, [*facts, *matches(text, r"^Active .*", r"^Proto .*?(?= *$)")], least=0.9
    )


def processes_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pstree -apl` of many processes; the facts are planted: every keeper, what is odd among them, what sleeps longest."""
    shop.install("pstree", "psmisc")
    room, facts = shop.room(name), list[Fact]()
    write(
        os.path.join(room, "keeper.sh"),
        '#!/bin/sh\nn=$1\nfor k in 1 2 3 4; do sh ./lamp.sh --pier $n --lamp $k --oil "$((n * k))" & done\n[ $((n % 29)) -ne 7 ] || tail -f /dev/null "gull-$n.log" 2>/dev/null &\nwait\n',
    )
    write(os.path.join(room, "lamp.sh"), "#!/bin/sh\nexec sleep $((300 + $2 * 10 + $4))\n")
    write(
        os.path.join(room, "harbour.sh"),
        "#!/bin/sh\nfor n in $(seq 1 90); do sh ./keeper.sh $n & done\nsleep 999 &\nwait\n",
    )
    harbour = subprocess.Popen(
        ["sh", "./harbour.sh"],
        cwd=room,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        time.sleep(8)
        text = shop.run(["pstree", "-apl", str(harbour.pid)], room).text
    finally:
        os.killpg(harbour.pid, 15)
        harbour.wait()
    facts += [
        *each("name", (f"./keeper.sh {n}" for n in range(1, 91))),
        *each("name", (f"gull-{n}.log" for n in range(1, 91) if n % 29 == 7)),
        *each("message", ("sh,", "./harbour.sh", "sleep", " 999")),
    ]
    yield made(name, SYSTEM, "pstree -apl", text, facts, least=0.9)


def lsd_run(name: str, shop: Shop) -> Iterator[Item]:
    """`lsd -lR` of a tree; the facts are planted: every directory, what is a link, may be run, is large or is empty."""
    shop.install("lsd")
    room, facts, paths = shop.room(name), list[Fact](), list[str]()
    for n in range(220):
        path = f"{('decks', 'decks/lower', 'hull', 'hull/keel/fore', 'rigging')[n % 5]}/{('rope', 'lamp', 'chart')[n % 3]}-{n}.txt"
        paths.append(path)
        write(
            os.path.join(room, "ship", path),
            "" if n % 37 == 10 else "x" * (700_000 + n * 1000 if n % 43 == 20 else 200 + n * 3),
        )
        os.utime(os.path.join(room, "ship", path), (1763000000 + n * 86400, 1763000000 + n * 86400))
        if n % 29 == 7:
            os.chmod(os.path.join(room, "ship", path), 0o755)
        if n % 31 == 12:
            os.symlink("../nowhere", os.path.join(room, "ship", os.path.dirname(path), f"old-{n}"))
            facts += each("message", [f"old-{n} ⇒ ../nowhere"])
        facts += each("name", [os.path.basename(path)] * (n % 37 == 10 or n % 43 == 20 or n % 29 == 7))
    text = shop.run(
        ["lsd", "-lR", "--date", "+%F", "--color", "never", "--icon", "never", "ship"], room, env={"TZ": "UTC"}
    ).text
    yield made(name, LISTING, "lsd -lR --date +%F ship", text, [*facts, *directory_facts("ship/", paths)], least=0.9)


def stat_run(name: str, shop: Shop) -> Iterator[Item]:
    """`stat` of many files in its long form; the facts are planted: every file, and of what is odd its size, mode or target."""
    room, names, facts = shop.room(name), list[str](), list[Fact]()
    for n in range(52):
        names.append(f"rope-{n}.log")
        path = os.path.join(room, names[-1])
        if n % 17 == 5:
            os.symlink(f"coil-{n}", path)
            facts += pairs([(f"rope-{n}.log", f"coil-{n}")])
        else:
            write(path, "x" * (50_000 + n if n % 13 == 8 else 100))
            facts += each("name", [50_000 + n] * (n % 13 == 8))
            os.utime(path, (1763000000, 1763000000 + n))
        if n % 19 == 11:
            os.chmod(path, 0o4755)
            facts += each("message", ["(4755/-rwsr-xr-x)"])
    text = shop.run(["stat", *names], room, env={"TZ": "UTC"}).text
    yield made(
        name,
        LISTING,
        "stat rope-*.log",
        text,
        [
            *each("name", names),
            *facts,
            *each("message", ("regular file", "symbolic link", "(0644/-rw-r--r--)", "(0777/lrwxrwxrwx)")),
        ],
    )


def times_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `pyperf compare_to` tells of two files of benchmarks; the facts are those of its files: every benchmark, which grew slower or faster and how much."""
    room, facts = shop.room(name), list[Fact]()
    for word in ("before", "after"):
        benchmarks = []
        for n in range(210):
            base = (n % 9 + 1) * 0.0011
            factor = 1.0 if word == "before" else 2.5 if n % 17 == 6 else 0.4 if n % 23 == 9 else 1.0 + (n % 5) * 0.0001
            runs = [
                {
                    "metadata": {"date": "2026-11-19 10:00:00.000000", "duration": 1.0},
                    "values": [base * factor * (1 + k * 0.0002) for k in range(4)],
                }
                for _ in range(2)
            ]
            benchmarks.append({"metadata": {"name": f"moor_ferry_{n}", "unit": "second", "loops": 1}, "runs": runs})
        write(
            os.path.join(room, f"{word}.json"), json.dumps({"version": "1.0", "benchmarks": benchmarks, "metadata": {}})
        )
    text = shop.run(
        [TOOLS.python(shop), "-m", "pyperf", "compare_to", "--table", "before.json", "after.json"], room
    ).text
    facts += each("name", (f"moor_ferry_{n}" for n in range(210)))
    facts += pairs((f"moor_ferry_{n}", "2.50x slower") for n in range(210) if n % 17 == 6)
    facts += pairs((f"moor_ferry_{n}", "2.50x faster") for n in range(210) if n % 23 == 9 and n % 17 != 6)
    yield made(
        name,
        BENCHMARK,
        "pyperf compare_to --table before.json after.json",
        text,
        [*facts, *matches(text, r"Geometric mean.*?\S+ slower|Geometric mean.*?\S+ faster", r"^Benchmark hidden .*?:")],
        least=0.4,
    )


def commands_run(name: str, shop: Shop) -> Iterator[Item]:
    """What hyperfine prints of many commands; the facts are planted: every command, which fails or is slow, and the comparison at the end."""
    shop.install("hyperfine")
    room, facts = shop.room(name), list[Fact]()
    commands = []
    for n in range(42):
        commands.append(
            f"sh -c 'sleep 0.{12 if n % 9 == 4 else 0}{n % 5 + 1} # ferry {n}'"
            if n % 11 != 7
            else f"sh -c 'exit {n} # ferry {n}'"
        )
        facts += each("message", [commands[-1]])
    text = stripped(shop.run(["hyperfine", "-N", "--style", "basic", "-i", "-r", "3", *commands], room).text, room)
    yield made(
        name, BENCHMARK, "hyperfine -N -i -r 3 ...", text, [*facts, *matches(text, r"^ +(?:Warning: .*)", r"^Summary")]
    )


RECIPES = recipes(
    ("netstat-piers", sockets_run),
    ("pstree-keepers", processes_run),
    ("lsd-ship", lsd_run),
    ("stat-ropes", stat_run),
    ("pyperf-ferries", times_run),
    ("hyperfine-ferries", commands_run),
)
