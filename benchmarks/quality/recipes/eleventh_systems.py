"""What hosts and their settings say, by tools that nobody tunes on; what is odd is planted, or told by their reports for machines."""

import glob
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes

INFRASTRUCTURE, SYSTEM, LISTING, HELP = "infrastructure", "system", "listing", "help"


def units_run(name: str, shop: Shop) -> Iterator[Item]:
    """`systemctl list-unit-files` of a tree that no host runs; the facts are planted: units that are masked, broken, linked or against their preset, the sum."""
    shop.need("systemctl")
    room = shop.room(name)
    odd: list[tuple[str, str]] = []
    for n in range(300):
        kind = ("service", "timer", "socket", "mount", "path")[n % 5]
        unit, folder = f"{('ferry', 'tide', 'gull')[n % 3]}-{n}.{kind}", os.path.join(room, "etc", "systemd", "system")
        where = os.path.join(room, "usr", "lib", "systemd", "system", unit)
        section = {
            "service": "Service]\nExecStart=/bin/true",
            "timer": "Timer]\nOnCalendar=daily",
            "socket": "Socket]\nListenStream=/run/x",
            "mount": "Mount]\nWhat=/dev/x\nWhere=/x",
            "path": "Path]\nPathExists=/x",
        }[kind]
        write(
            where,
            f"[Unit]\nDescription={unit}\n[{section}\n"
            + ("" if n % 4 == 1 else "[Install]\nWantedBy=multi-user.target\n"),
        )
        os.makedirs(os.path.join(folder, "multi-user.target.wants"), exist_ok=True)
        if n % 23 == 7:
            os.symlink("/dev/null", os.path.join(folder, unit))
            odd.append((unit, "masked"))
        elif n % 4 != 1 and n % 6 == 2:
            os.symlink(f"/usr/lib/systemd/system/{unit}", os.path.join(folder, "multi-user.target.wants", unit))
            odd.append((unit, "enabled"))
        elif n % 37 == 20:
            os.symlink(f"/usr/lib/systemd/system/{unit}", os.path.join(folder, f"alias-{n}.{kind}"))
            odd.append((f"alias-{n}.{kind}", "alias"))
    write(
        os.path.join(room, "usr", "lib", "systemd", "system-preset", "90-ferries.preset"), "enable ferry-*\ndisable *\n"
    )
    text = shop.run(["systemctl", "--root", room, "list-unit-files", "--no-pager"], room).text
    facts = [
        *pairs(odd),
        *matches(text, r"^\d+ unit files listed\."),
        *each("name", ("STATE", "static", "disabled", "enabled", "masked")),
    ]
    yield made(name, SYSTEM, "systemctl --root=/srv/image list-unit-files", text, facts)


def nginx_parse_run(name: str, shop: Shop) -> Iterator[Item]:
    """`crossplane parse` of a web server's settings, in JSON; the facts are planted: every server, what is an error, the odd directives."""
    room, facts = shop.room(name), list[Fact]()
    sites = []
    for n in range(26):
        extra = (
            f"    proxy_passs http://gull{n};\n"
            if n % 9 == 4
            else f"    return 410 'gone {n}';\n"
            if n % 11 == 6
            else ""
        )
        write(
            os.path.join(room, "sites", f"pier{n}.conf"),
            f"server {{\n  listen {8000 + n};\n  server_name pier{n}.example;\n  location /tide/{n} {{\n    proxy_pass http://127.0.0.1:{9000 + n};\n{extra}  }}\n}}\n",
        )
        sites.append(f"pier{n}.example")
        facts += each(
            "message",
            [f'unknown directive \\"proxy_passs\\" in {room}/sites/pier{n}.conf'.replace(f"{room}/", "")] * (n % 9 == 4)
            + [f"gone {n}"] * (n % 11 == 6),
        )
    write(
        os.path.join(room, "nginx.conf"),
        "events {}\nhttp {\n  gzip on;\n  include sites/*.conf;\n  include lost/tide.conf;\n}\n",
    )
    text = shop.run(
        [TOOLS.python_tool(shop, "crossplane"), "parse", "--strict", "-i", "1", os.path.join(room, "nginx.conf")],
        room,
        apart=True,
    ).text.replace(f"{room}/", "")
    facts = [
        *(fact._replace(spellings=tuple(one.replace('\\"', '"') for one in fact.spellings)) for fact in facts),
        *each("message", sites),
        *each("key", ("status", "errors", "config", "directive", "line", "args", "file", "parsed", "block")),
    ]
    yield made(
        name,
        INFRASTRUCTURE,
        "crossplane parse --strict nginx.conf",
        text,
        [*facts, *each("message", ("No such file or directory", '"failed"'))],
        "json",
        least=0.7,
    )


BUSY = """import os, subprocess, time
for n in range(60):
    name = ("gate-keeper", "tide-reader", "ticket-press")[n % 3] + "-%d" % n
    code = "while True: pass" if n in (17, 41) else "import time; x = bytearray(%d); time.sleep(60)" % (120_000_000 if n == 23 else 1000)
    subprocess.Popen(["bash", "-c", 'exec -a "$0" python3 -S -c "$1"', name, code])
time.sleep(5)
os.execvp("pidstat", ["pidstat", "-u", "-r", "-p", "ALL", "-l", "1", "1"])
"""


def pidstat_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pidstat -u -r -l` in a namespace of its own; the facts are planted: who works, who is large, every name, the columns."""
    shop.install("pidstat", "sysstat")
    room = shop.room(name)
    write(os.path.join(room, "start.py"), BUSY)
    text = shop.run(
        ["timeout", "60", "unshare", "--fork", "--pid", "--mount-proc", "--kill-child", "python3", "start.py"], room
    ).text
    names = [("gate-keeper", "tide-reader", "ticket-press")[n % 3] + f"-{n}" for n in range(60)]
    large = re.findall(r"(1[12]\d{4}) +\S+  tide-reader-23", text)
    facts = [
        *each("name", names),
        *pairs((one, "while True") for one in (names[17], names[41])),
        *each("name", ("%CPU", "minflt/s", "VSZ", "RSS", "%MEM", "%wait")),
    ]
    yield made(
        name, SYSTEM, "pidstat -u -r -p ALL -l 1 1", text, [*facts, *pairs((one, names[23]) for one in large[:1])]
    )


SHARED = """import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
for n in range(60): c.msgget(0x5000 + n, 0o1640 if n % 9 else 0o1666)
for n in range(40): c.semget(0x6000 + n, n % 5 + 1, 0o1600)
for n in range(50):
    i = c.shmget(0x7000 + n, (n + 1) * 4096 if n != 31 else 90_000_000, 0o1640 if n % 11 else 0o1666)
    if n % 13 == 4: c.shmat(i, None, 0)
    if n % 17 == 8: c.shmat(i, None, 0), c.shmctl(i, 0, None)
class Message(ctypes.Structure): _fields_ = [("kind", ctypes.c_long), ("text", ctypes.c_char * 500)]
for n in range(0, 60, 7): c.msgsnd(c.msgget(0x5000 + n, 0), ctypes.byref(Message(1, b"x")), n * 3 + 10, 0)
os.system("ipcs -a; ipcs -l; ipcs -u")
"""


def ipcs_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ipcs` in a namespace of its own; the facts are planted: queues with messages, open or large segments, what is attached or to be destroyed, the limits."""
    shop.need("ipcs", "unshare")
    room = shop.room(name)
    write(os.path.join(room, "share.py"), SHARED)
    text = shop.run(["unshare", "--ipc", "python3", "share.py"], room).text
    facts = pairs((f"0x{0x5000 + n:08x}", str(n * 3 + 10), "1") for n in range(0, 60, 7))
    facts += pairs((f"0x{0x5000 + n:08x}", "666") for n in range(60) if n % 9 == 0)
    facts += pairs((f"0x{0x7000 + n:08x}", "666") for n in range(50) if n % 11 == 0 and n % 17 != 8)
    facts += pairs([("0x0000701f", "90000000")])
    facts += [
        *matches(text, r"^-+ (.*?) -+$"),
        *matches(
            text, r"^(?:max|default max|used|allocated|segments|pages|messages|headers|used headers)\b.*", r"dest\b"
        ),
    ]
    yield made(name, SYSTEM, "ipcs -a", text, facts, least=0.7)


def dmesg_run(name: str, shop: Shop) -> Iterator[Item]:
    """`dmesg -F` of what a kernel said on a bad night, written in its form; the facts are planted: every error with its device, what was killed, what went up and down."""
    shop.need("dmesg")
    room, lines, facts = shop.room(name), list[str](), list[Fact]()
    for n in range(190):
        said = (
            f"usb 1-{n % 4}: new high-speed USB device number {n} using xhci_hcd",
            f"EXT4-fs (sda{n % 7}): re-mounted. Opts: errors=remount-ro",
            f"IPv6: ADDRCONF(NETDEV_CHANGE): veth{n}: link becomes ready",
            f'audit: type=1400 audit(1795082400.{n:03d}:{n}): apparmor="STATUS" operation="profile_load" name="pier-{n}"',
        )[n % 4]
        bad = {
            3: (3, f"blk_update_request: I/O error, dev sd{'abc'[n % 3]}, sector {n * 8191} op 0x0:(READ)"),
            8: (4, f"ata{n % 6 + 1}.00: failed command: READ FPDMA QUEUED"),
            14: (
                2,
                f"EXT4-fs error (device sda{n % 7}): ext4_find_entry:1463: inode #{n * 77}: comm ferryd: reading directory lblock 0",
            ),
            17: (
                6,
                f"Out of memory: Killed process {3000 + n} (tide-reader-{n}) total-vm:{n * 9000}kB, anon-rss:{n * 4000}kB",
            ),
            19: (1, f"BUG: soft lockup - CPU#{n % 2} stuck for {n}s! [ferryd:{n * 11}]"),
        }.get(n % 21)
        level, said = bad or (6, said)
        facts += each("message", [said[:70]] if bad else [])
        lines.append(f"<{level}>[{n * 3.251431:12.6f}] {said}")
    write(os.path.join(room, "kernel.log"), "\n".join(lines) + "\n")
    text = shop.run(["dmesg", "-F", "kernel.log", "-x", "--color=never"], room).text
    facts += each(
        "message",
        (
            "usb 1-0: new high-speed USB device",
            "link becomes ready",
            "re-mounted. Opts: errors=remount-ro",
            'operation="profile_load"',
            *(f"kern  :{one}" for one in ("err", "warn", "crit", "alert", "info")),
        ),
    )
    yield made(name, SYSTEM, "dmesg -x -F kernel.log", text, facts)


def exa_run(name: str, shop: Shop) -> Iterator[Item]:
    """`exa --long --tree --git` of a tree in work; the facts are planted or told by git: what is new, changed or ignored, links, odd modes, large files, directories."""
    shop.install("exa")
    tree = shop.sdist("werkzeug==3.0.4", shop.room(name))
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    shop.run(["git", "init", "-q"], tree).check()
    write(os.path.join(tree, ".gitignore"), "*.o\n")
    shop.run([*who, "add", "-A", "-f"], tree)
    shop.run([*who, "commit", "-q", "-m", "x"], tree).check()
    paths = sorted(glob.glob("**/*.*", root_dir=tree, recursive=True))
    facts: list[Fact] = []
    for n, path in enumerate(one for one in paths if os.path.isfile(os.path.join(tree, one))):
        base, where = os.path.basename(path), os.path.join(tree, path)
        if n % 17 == 4:
            with open(where, "a", encoding="utf-8") as out:
                out.write("# changed\n")
        if n % 19 == 7:
            os.chmod(where, 0o777)
        if n % 23 == 9:
            os.symlink(base, f"{where}.link")
            facts += pairs([(f"{base}.link", f"-> {base}")])
        if n % 29 == 11:
            write(f"{where}.o", "x" * (n * 5000))
            facts += each("name", [f"{base}.o"])
    text = shop.run(
        [
            "exa",
            "--long",
            "--tree",
            "--git",
            "--color=never",
            "--time-style=iso",
            "--no-user",
            "-a",
            "--ignore-glob=.git",
        ],
        tree,
    ).text
    text = re.sub(r"\d\d-\d\d \d\d:\d\d", "11-19 10:00", text)
    facts += each("message", (os.path.basename(one) for one in {os.path.dirname(path) for path in paths} if one))
    facts += pairs(
        (found[0], found[1])
        for found in re.findall(r"^\.rwxrwxrwx.* (-M|--|-N|-I) .*?(?:├──|└──) (\S+)$", text, re.MULTILINE)
    )
    facts += pairs(
        (state, one) for state, one in re.findall(r"^\S+ .* (-M|-N) .*?(?:├──|└──) (\S+)", text, re.MULTILINE)
    )
    yield made(name, LISTING, "exa --long --tree --git", text, facts, least=0.7)


def sums_run(name: str, shop: Shop) -> Iterator[Item]:
    """`md5sum -c` of a tree that was tampered with; the facts are planted: every file that is not what it was or is lost, the sums."""
    tree = shop.sdist("werkzeug==3.0.4", shop.room(name))
    paths = sorted(
        os.path.relpath(os.path.join(folder, one), tree) for folder, _, files in os.walk(tree) for one in files
    )
    shop.run(["sh", "-c", "find . -type f ! -name SUMS | sort | xargs -d '\\n' md5sum > SUMS"], tree).check()
    facts: list[Fact] = []
    for n, path in enumerate(paths):
        if n % 27 == 8:
            with open(os.path.join(tree, path), "a", encoding="utf-8") as out:
                out.write("x")
            facts += pairs([(f"./{path}", "FAILED")])
        elif n % 61 == 30:
            os.remove(os.path.join(tree, path))
            facts += pairs([(path, "No such file or directory")])
    with open(os.path.join(tree, "SUMS"), "a", encoding="utf-8") as out:
        out.write("this is no sum\n" * 3)
    text = shop.run(["md5sum", "-c", "SUMS"], tree).text
    yield made(name, LISTING, "md5sum -c SUMS", text, [*facts, *matches(text, r"^md5sum: WARNING: .*")])


def ncdu_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `ncdu -o -` exports of a tree, in JSON; the facts are counted: the largest files, every directory, hard links, what is no file, the keys."""
    shop.install("ncdu")
    tree = shop.sdist("celery==5.4.0", shop.room(name))
    for one in ("docs", "t/unit"):
        os.rename(os.path.join(tree, one), os.path.join(os.path.dirname(tree), one.replace("/", "-")))
    for n in range(6):
        write(os.path.join(tree, "celery", f"tide-{n}.log"), "x" * (90_000 * (n + 1)))
    os.link(os.path.join(tree, "celery", "tide-2.log"), os.path.join(tree, "celery", "again.log"))
    os.symlink("tide-1.log", os.path.join(tree, "celery", "newest.log"))
    os.mkfifo(os.path.join(tree, "celery", "wire"))
    text = shop.run(["ncdu", "-0", "-o", "-", "."], tree, apart=True).text.replace(tree, "/srv/celery")
    text = re.sub(r'"timestamp":\d+', '"timestamp":1795082400', text)
    sizes = {
        path: os.path.getsize(os.path.join(tree, path))
        for folder, _, files in os.walk(tree)
        for path in (os.path.relpath(os.path.join(folder, one), tree) for one in files)
        if not os.path.islink(os.path.join(tree, path)) and path != "celery/wire"
    }
    largest = sorted(sizes.items(), key=lambda one: -one[1])[:15]
    facts = [
        *each("message", (f'"{os.path.basename(path)}"' for path, _ in largest)),
        *each("message", (f'"{os.path.basename(one.spellings[0])}"' for one in directory_facts("", sizes))),
    ]
    facts += [
        *each("key", ("progname", "progver", "timestamp", "name", "asize", "dsize", "ino", "hlnkc", "notreg")),
        *each("message", ('"again.log"', '"newest.log"', '"wire"')),
    ]
    yield made(name, LISTING, "ncdu -0 -o - .", text, facts, "json", least=0.7)


def keys_run(name: str, shop: Shop) -> Iterator[Item]:
    """`tmux list-keys`; the facts are planted bindings, every table and every command that a key runs."""
    shop.install("tmux")
    room = shop.room(name)
    write(
        os.path.join(room, "tmux.conf"),
        "".join(f'bind -T pier {chr(97 + n)} run-shell "moor {n}"\n' for n in range(12))
        + "unbind -T prefix z\nbind -n F9 kill-server\n",
    )
    wire = os.path.join("/var/tmp", f"quality-{name}")
    try:
        shop.run(["tmux", "-S", wire, "-f", "tmux.conf", "new-session", "-d", "sleep", "60"], room).check()
        text = shop.run(["tmux", "-S", wire, "list-keys"], room).text
    finally:
        shop.run(["tmux", "-S", wire, "kill-server"], room)
    facts = each("message", [f"moor {n}" for n in range(12)] + ["F9", "kill-server"])
    rows = re.findall(r"^bind-key +(?:-r +)?-T (\S+) +(\S+) +([a-z-]+)", text, re.MULTILINE)
    yield made(
        name,
        HELP,
        "tmux list-keys",
        text,
        [
            *facts,
            *each("message", (f"-T {table}" for table, _, _ in rows)),
            *each("name", (command for _, _, command in rows)),
        ],
    )


RECIPES = recipes(
    ("systemctl-ferries", units_run),
    ("crossplane-piers", nginx_parse_run),
    ("pidstat-piers", pidstat_run),
    ("ipcs-piers", ipcs_run),
    ("dmesg-night", dmesg_run),
    ("exa-werkzeug", exa_run),
    ("md5sum-werkzeug", sums_run),
    ("ncdu-celery", ncdu_run),
    ("tmux-keys", keys_run),
)
