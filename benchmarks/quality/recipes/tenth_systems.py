"""What a system, a shell and a running program say when they are asked, by tools of every day that nobody tunes on; the odd is planted."""

import os
import re
import subprocess
import time
from collections.abc import Iterator

from items import Fact, Item
from shop import CannotMake, Shop

from recipes.fourth_git import Repository
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped

SYSTEM, SESSION, HELP, TRACE = "system", "session of a shell", "help", "stack trace"

PROCESSES = """import os, subprocess, sys, time
for n in range(70):
    name = ("gate-keeper", "tide-reader", "ticket-press")[n % 3] + "-%d" % n
    code = "import time\\nwhile True: pass" if n == 41 else "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)" if n % 29 == 11 else "import time; x = bytearray(%d); time.sleep(60)" % (90_000_000 if n == 23 else 1000)
    subprocess.Popen(["nice", "-n", str(n % 20), "bash", "-c", 'exec -a "$0" python3 -S -c "$1"', name, code])
subprocess.Popen(["true"])
time.sleep(4)
os.execvp("top", ["top", "-b", "-n", "2", "-d", "1", "-w", "150", "-c"])
"""


def top_run(name: str, shop: Shop) -> Iterator[Item]:
    """`top -b -c` in a namespace of its own; the facts are planted: who works, who is stopped, who is large, every name, the sums."""
    shop.need("top", "unshare")
    room = shop.room(name)
    write(os.path.join(room, "start.py"), PROCESSES)
    text = shop.run(
        ["timeout", "60", "unshare", "--fork", "--pid", "--mount-proc", "--kill-child", "python3", "start.py"], room
    ).text
    names = [("gate-keeper", "tide-reader", "ticket-press")[n % 3] + f"-{n}" for n in range(70)]
    facts = [
        *each("name", names),
        *pairs(("T", names[n]) for n in range(70) if n % 29 == 11),
        *pairs([("R", names[41])]),
    ]
    facts += matches(text, r"^(?:Tasks|MiB Mem|MiB Swap)[: ].*", r"^top - .*", r"\d+ zombie|\d+ stopped")
    yield made(name, SYSTEM, "top -b -n 2 -c", text, facts)


def env_run(name: str, shop: Shop) -> Iterator[Item]:
    """`env` of a service; the facts are planted: every name, and the values that are odd."""
    parts = ("BOOKING", "TIDES", "MAILER", "GATE", "CHARTS", "CREW", "FUEL", "LIGHTS")
    values = {
        "SERVICE_URL": "http://{p}.ferries.svc.cluster.local:80{n:02d}/api/v{v}",
        "TIMEOUT_MS": "{t}",
        "CACHE_DIR": "/var/cache/ferries/{p}/{n}",
        "FEATURE_FLAGS": "night_sailing,quick_moor_{n},paper_tickets",
        "LOG_LEVEL": "{level}",
        "REPLICAS": "{v}",
    }
    given, facts = {}, []
    for n in range(240):
        part, (what, form) = parts[n % 8], list(values.items())[n % 6]
        key = f"{part}_{n // 8}_{what}"
        given[key] = form.format(
            p=part.lower(), n=n, v=n % 4 + 1, t=0 if n % 60 == 1 else 1000 + n, level="TRACE" if n % 84 == 4 else "INFO"
        )
        odd = given[key] in {"0", "TRACE"}
        facts.append(Fact("message", (f"{key}={given[key]}",)) if odd else Fact("name", (key,)))
    given |= {
        "PATH": "/usr/bin:/bin",
        "HTTP_PROXY": "http://quay.example:3128",
        "LANG": "de_CH.UTF-8",
        "TZ": "Pacific/Chatham",
    }
    text = shop.run(["env", "-i", *(f"{key}={value}" for key, value in given.items()), "env"], shop.room(name)).text
    facts += each(
        "message",
        ("HTTP_PROXY=http://quay.example:3128", "LANG=de_CH.UTF-8", "TZ=Pacific/Chatham", "PATH=/usr/bin:/bin"),
    )
    yield made(name, SYSTEM, "env", text, facts)


def ld_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ld --help`; the facts are its long options, and where it sums up."""
    shop.need("ld", package="binutils")
    text = shop.run(["ld", "--help"], shop.room(name)).text
    facts = [
        *each("message", re.findall(r"(?:^  |, )(--[a-z][\w-]+)", text, re.MULTILINE)),
        *matches(text, r"^ld: supported \w+: .{,40}", r"^Usage: .*", r"^Report bugs to .*"),
    ]
    yield made(name, HELP, "ld --help", text, facts)


STEPS = (
    "git -C tree log --oneline | head -60", "git -C tree status --short", "git -C tree show --stat HEAD~5 HEAD~9", "ls -l tree/src/click", "grep -rn 'def pier_' tree/src | head -60", "python3 -m compileall -q tree/src; echo status $?",
    "wc -l tree/src/click/*.py", "python3 check.py", "git -C tree diff --stat HEAD~3", "df -h . | tail -1 | wc -l", "cat tree/pyproject.toml | head -90",
)  # fmt: skip
CHECK = """import sys
for n in range(150):
    print("check %03d %s on the night of the flood" % (n, "FAILED: rope %d is frayed" % n if n % 19 == 7 else "ok"))
raise SystemExit("8 of 150 ropes are frayed")
"""


def script_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session that `script` recorded, several commands one after another; the facts are the commands, and what was planted in what they print."""
    git = Repository(shop, name, "click==8.1.7")
    room = os.path.dirname(git.tree)
    os.rename(git.tree, os.path.join(room, "tree"))
    git.tree = os.path.join(room, "tree")
    sources = git.sources("src/**/*.py")
    for n in range(36):
        git.edit(sources[n % len(sources)], r"\Z", f"\n\ndef pier_{n}() -> int:\n    return {n}\n")
        git.commit(
            f"Add pier {n} to {os.path.basename(sources[n % len(sources)])}" if n % 15 != 8 else f"Revert pier {n - 1}"
        )
    git.edit(sources[2], r"\Z", "\ndef broken(:\n")
    write(os.path.join(git.tree, "lost.txt"), "x")
    write(os.path.join(room, "check.py"), CHECK)
    lines = "\n".join(f"printf '%s\\n' \"$ {step}\"; {step}" for step in STEPS)
    write(os.path.join(room, "session.sh"), lines + "\n")
    shop.run(["script", "-q", "-c", "sh session.sh", "typescript"], room)
    text = stripped(read(os.path.join(room, "typescript")).replace("\r\n", "\n"), room)
    facts = each(
        "message",
        [f"$ {step[:60]}" for step in STEPS]
        + [f"check {n:03d} FAILED: rope {n} is frayed" for n in range(150) if n % 19 == 7],
    )
    facts += each(
        "message",
        [
            "8 of 150 ropes are frayed",
            "SyntaxError: invalid syntax",
            "?? lost.txt",
            f" M {sources[2]}",
            "Revert pier 22",
            "status 1",
        ],
    )
    facts += [
        *matches(text, r"^ \d+ files? changed.*", r"^ +\d+ total$", r'^.*File "\S+", line \d+'),
        *each("path", sources),
    ]
    yield made(name, SESSION, "script -q -c 'sh session.sh'", text, facts)


THREADS = """#include <pthread.h>
#include <unistd.h>
#include <stdio.h>
static pthread_mutex_t berth[12]; static volatile int ready;
{functions}
static void *(*roles[])(void *) = {{ {roles} }};
int main(void) {{
  for (int n = 0; n < 12; n++) pthread_mutex_init(&berth[n], 0), pthread_mutex_lock(&berth[n]);
  for (int n = 0; n < {count}; n++) {{ pthread_t t; pthread_create(&t, 0, roles[n], 0); }}
  pause();
}}
"""
ROLE = """__attribute__((noinline)) static int rope_{n}(int k) {{ {wait}; return k; }}
__attribute__((noinline)) static int deck_{n}(int k) {{ return k > 0 ? deck_{n}(k - 1) + 1 : rope_{n}(k) + 1; }}
static void *ferry_{n}(void *x) {{ return (void *)(long)deck_{n}({depth}); }}
"""


def stack_run(name: str, shop: Shop) -> Iterator[Item]:
    """`eu-stack` of a program that hangs; the facts are planted: every thread's function, what they wait for, the odd ones."""
    shop.install("eu-stack", "elfutils")
    room, count = shop.room(name), 44
    waits = [
        "usleep(90000000)"
        if n % 11 == 6
        else "for (;;) ready++"
        if n == 27
        else f"pthread_mutex_lock(&berth[{n % 12}])"
        for n in range(count)
    ]
    functions = "".join(ROLE.format(n=n, wait=wait, depth=n % 4) for n, wait in enumerate(waits))
    write(
        os.path.join(room, "ferry.c"),
        THREADS.format(functions=functions, roles=", ".join(f"ferry_{n}" for n in range(count)), count=count),
    )
    shop.run(["gcc", "-g", "-O0", "-pthread", "ferry.c", "-o", "ferry"], room).check()
    program = subprocess.Popen([os.path.join(room, "ferry")], cwd=room)
    try:
        time.sleep(1)
        text = shop.run(["eu-stack", "-s", "-p", str(program.pid)], room).text
    finally:
        program.kill()
        program.wait()
    if "ferry_3" not in text:
        raise CannotMake(text[:200])
    text = text.replace(f"PID {program.pid}", "PID 4711").replace(f"{room}/", "")
    facts = [
        *each("name", (f"ferry_{n}" for n in range(count))),
        *each("name", (f"rope_{n}" for n in range(count) if n % 11 == 6 or n == 27)),
    ]
    facts += each("message", ("pause", "usleep", "pthread_mutex_lock", "main"))
    yield made(name, TRACE, "eu-stack -s -p 4711", text, facts)


RECIPES = recipes(
    ("top-piers", top_run),
    ("env-ferries", env_run),
    ("ld-help", ld_run),
    ("script-click", script_run),
    ("eu-stack-ferry", stack_run),
)
