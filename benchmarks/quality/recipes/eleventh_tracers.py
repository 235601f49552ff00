"""Tracers and profilers that nobody tunes on, of programs of our own; their reports for machines or what was planted tells the facts."""

import os
import re
import subprocess
import time
from collections.abc import Iterator

from items import Item
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped, venv_path

TRACER, PROFILER = "tracer", "profiler"

FERRY = """
def moor(n):
    rope = n * 3
    if n % 7 == 4:
        raise ValueError("rope %d is frayed" % n)
    return rope

def light(n):
    return "lamp %d" % n

def sail(n):
    try:
        length = moor(n)
    except ValueError:
        length = drift(n)
    return light(length)

def drift(n):
    return -n

for n in range({count}):
    sail(n)
"""


def hunter_run(name: str, shop: Shop) -> Iterator[Item]:
    """What hunter traces of a program; the facts are planted: every exception, what was called after it, each function, the ends."""
    room = shop.room(name)
    write(os.path.join(room, "ferry.py"), FERRY.format(count=16))
    env = venv_path(TOOLS, shop) | {"PYTHONHUNTER": "module='__main__'", "PYTHONPATH": room}
    text = stripped(shop.run(["python", "ferry.py"], room, env=env).text, room)
    text = re.sub(
        r"0x[0-9a-f]{8,}", "0x7f00c0ffee10", re.sub(r"^\[\.\.\.\]\S*/(?=ferry\.py)", "", text, flags=re.MULTILINE)
    )
    odd = [n for n in range(16) if n % 7 == 4]
    facts = each(
        "message",
        [f"rope {n} is frayed" for n in odd]
        + [f"=> drift(n={n})" for n in odd]
        + [f"<= drift: -{n}" for n in odd]
        + [f"<= light: 'lamp -{n}'" for n in odd],
    )
    facts += each(
        "message",
        (
            "=> moor(n=0)",
            "=> sail(n=0)",
            "=> sail(n=15)",
            "<= light: 'lamp 0'",
            "<= light: 'lamp 45'",
            "! moor:",
            "def drift(n):",
            "def light(n):",
            "def moor(n):",
            "def sail(n):",
            "<= <module>",
        ),
    )
    yield made(name, TRACER, "hunter-trace ferry.py", text, facts, least=0.6)


WORK = """import time
{functions}
def main():
    total = 0
    for k in range(40):
{calls}
    return total
main()
"""


def pprofile_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pprofile says of a program, line by line; the facts are read from its form for machines: the lines that took longest, how often each was met."""
    room = shop.room(name)
    functions = "".join(
        f"def step_{n}(x):\n    total = x\n    for k in range({200 if n % 9 == 4 else 5 + n}):\n        total += k * {n}\n    return total\n\n"
        for n in range(24)
    )
    calls = "".join(f"        total += step_{n}(k)\n" for n in range(24))
    write(os.path.join(room, "steps.py"), WORK.format(functions=functions, calls=calls))
    text = stripped(
        shop.run(
            [TOOLS.python_tool(shop, "pprofile"), "--include", "steps.py", "--exclude", ".*", "steps.py"],
            room,
            seconds=200,
        ).text,
        room,
    )
    rows = re.findall(r"^ *(\d+)\| +(\d+)\| +([\d.e-]+)\| +\S+\| +([\d.]+)%\|(.*)$", text, re.MULTILINE)
    slow = sorted(rows, key=lambda row: -float(row[3]))[:10]
    facts = [
        *pairs((row[0], row[1], row[4].strip()[:30]) for row in slow),
        *each("name", (f"step_{n}" for n in range(24))),
    ]
    facts += matches(text, r"^(?:Command line|File|Total duration): .*?(?=:|$)", r"^Line #\| +Hits\| +Time")
    yield made(name, PROFILER, "pprofile steps.py", text, facts, least=0.7)


HARBOUR = """import java.util.*;
public class Harbour {{
  {classes}
  static List<Object> all = new ArrayList<>();
  public static void main(String[] a) throws Exception {{
    {fill}
    System.out.println("ready"); Thread.sleep(60000);
  }}
}}
"""


def jcmd_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jcmd` asked for the classes of a heap; the facts are planted: each class of the program with how many there are, and the sums."""
    shop.need("jcmd", "javac")
    room = shop.room(name)
    classes = "".join(f"static class Ferry{n} {{ long[] ropes = new long[{n + 2}]; }} " for n in range(40))
    fill = "".join(
        f"for (int k = 0; k < {(n + 1) * 37 if n != 29 else 50_000}; k++) all.add(new Ferry{n}());\n" for n in range(40)
    )
    write(os.path.join(room, "Harbour.java"), HARBOUR.format(classes=classes, fill=fill))
    shop.run(["javac", "Harbour.java"], room).check()
    program = subprocess.Popen(
        ["java", "-Xmx300m", "Harbour"], cwd=room, stdout=subprocess.PIPE, env=shop.environment()
    )
    try:
        assert program.stdout is not None
        program.stdout.readline()
        time.sleep(1)
        text = shop.run(["jcmd", str(program.pid), "GC.class_histogram"], room).text.replace(f"{program.pid}:", "4711:")
    finally:
        program.kill()
        program.wait()
    facts = pairs((f"Harbour$Ferry{n}", (n + 1) * 37 if n != 29 else 50_000) for n in range(40))
    facts += [
        *matches(text, r"^Total +\d+ +\d+"),
        *pairs(re.findall(r"^ +\d+: +(\d+) +(\d+) +(\S+)", text, re.MULTILINE)[:3]),
    ]
    yield made(name, PROFILER, "jcmd 4711 GC.class_histogram", text, facts)


RECIPES = recipes(
    ("hunter-ferry", hunter_run),
    ("pprofile-steps", pprofile_run),
    ("jcmd-harbour", jcmd_run),
)
