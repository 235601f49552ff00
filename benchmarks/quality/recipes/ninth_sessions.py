"""Sessions of several commands, of interpreters and debuggers, told by tools that nobody tunes on; what goes wrong was planted."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write
from recipes.ninth_games import played
from recipes.ninth_tools import each

LOGIN, SPAM, SIEVE, POST, TRANSFER = "login server", "spam filter", "mail filter", "mail transport", "file transfer"
BROKER, INDEX, AGENT, REPL, LANGUAGE, DEBUG = "message broker", "search index", "agent session", "interpreter session", "language server", "debugger"  # fmt: skip


SHELL = r"""git init -q -b main . && git config user.email oda@mill.example && git config user.name Oda
mkdir -p src tests docs && for n in $(seq 1 80); do printf 'def bake_%s(x):\n    return x + %s\n' $n $n > src/oven_$n.py; printf 'from src.oven_%s import bake_%s\n\ndef test_%s():\n    assert bake_%s(1) == %s\n' $n $n $n $n $((n % 9 == 4 ? 0 : n + 1)) > tests/test_$n.py; done
git add -A && git commit -q -m 'Bake' && git log --oneline --stat
sed -i 's/return x/retrun x/' src/oven_7.py; sed -i 's/import bake_11/import bake_12/' tests/test_11.py
python3 -m compileall -q src; echo "exit $?"
ls -la src tests docs
for t in tests/test_*.py; do PYTHONPATH=. python3 -c "import runpy,sys; m=runpy.run_path('$t'); [f() for k,f in m.items() if k.startswith('test_')]; print('ok', '$t')" 2>&1 | tail -n 3; done
cat missing.toml
grep -rn 'retrun' src; wc -l src/*.py | tail -n 1
curl -sS http://127.0.0.1:9/health
git status --short; git diff --stat
df -h /nowhere
make deploy
"""


def shell_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session of several commands as an agent runs it; the facts are planted: every test that fails, every command, every complaint."""
    shop.install("zsh")
    room = shop.room(name)
    orders = SHELL.strip().splitlines()
    script = "\n".join(
        f"print -r -- '$ '{json.dumps(order).replace('$', chr(92) + '$').replace('`', chr(92) + '`')}\n{order}"
        for order in orders
    )
    write(os.path.join(room, "session.zsh"), script + "\n")
    os.makedirs(os.path.join(room, "work"))
    text = shop.run(["zsh", "-f", "../session.zsh"], os.path.join(room, "work")).text.replace(room, "/srv")
    facts = each("message", ["$ " + order[:60] for order in orders])
    facts += each(
        "message",
        [f"in test_{n}" for n in range(1, 81) if n % 9 == 4]
        + ["AssertionError", "retrun x", "src/oven_7.py", "cannot import name 'bake_12'", "tests/test_11.py"],
    )
    facts += each(
        "message",
        re.findall(
            r"^(?:cat: .*|curl: .*|df: .*|make: .*|exit \d+|.*invalid syntax.*|ImportError: .*)$", text, re.MULTILINE
        ),
    )
    facts += each("path", [f"src/oven_{n}.py" for n in (7, 12, 11)])
    yield Item(name, AGENT, "text", "zsh -f session.zsh", text, said_in(facts, text))


def jshell_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session of jshell; the facts are planted: every thing that is declared, every value, and every complaint."""
    shop.need("jshell")
    room = shop.room(name)
    orders, facts = [], []
    for n in range(96):
        kind = n % 6
        orders.append(
            {
                0: f"int sacks{n} = {n} * 7",
                1: f"String bake{n}(String x) {{ return x + {n}; }}",
                2: f'bake{n - 1}("loaf")',
                3: f"var list{n} = java.util.List.of({n}, {n + 1})",
                4: f"record Loaf{n}(int weight, String kind) {{}}",
                5: f'new Loaf{n - 1}({n}, "rye")',
            }[kind]
        )
        facts += each("name", [{0: f"sacks{n}", 1: f"bake{n}", 3: f"list{n}", 4: f"Loaf{n}"}.get(kind, "")])
    orders[14:14] = [
        'int bad = "text"',
        "lost.call()",
        "10 / 0",
        "java.util.List.of(1).get(5)",
        "class Half {",
        "}",
        'throw new IllegalStateException("oven cold")',
    ]
    orders += ["/vars", "/methods", "/types", "/list -all", "/exit"]
    text = played(shop, ["jshell", "--feedback", "verbose"], room, "\n".join(orders) + "\n")
    facts += each(
        "message",
        re.findall(
            r"^\|  (?:Error:|Exception .*|.*incompatible types.*|  symbol: .*|created .*|modified .*)$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each(
        "message",
        [
            "/ by zero",
            "oven cold",
            "cannot find symbol",
            "incompatible types: java.lang.String cannot be converted to int",
        ],
    )
    yield Item(name, REPL, "text", "jshell --feedback verbose", text, said_in(facts, text))


PROGRAM = """public class Mill {
    static int depth = 0;
    static int grind(int n, String kind) { depth++; if (n == 0) { int[] sacks = new int[3]; return sacks[kind.length()]; } return grind(n - 1, kind + n); }
    static class Oven extends Thread { final int heat; Oven(int heat) { super("oven-" + heat); this.heat = heat; setDaemon(true); } public void run() { try { Thread.sleep(60000); } catch (InterruptedException e) { } } }
    public static void main(String[] a) throws Exception { for (int n = 0; n < 25; n++) new Oven(180 + n).start(); Thread.sleep(500); System.out.println("grinding"); grind(30, "rye"); }
}
"""


def jdb_run(name: str, shop: Shop) -> Iterator[Item]:
    """A session of jdb on a program that fails; the facts are planted: every thread, every frame's line, what is thrown, what it knows."""
    shop.need("jdb", "javac")
    room = shop.room(name)
    write(os.path.join(room, "Mill.java"), PROGRAM)
    shop.run(["javac", "-g", "Mill.java"], room).check()
    script = "import subprocess, time\np = subprocess.Popen(['jdb', 'Mill'], stdin=-1, stdout=-1, stderr=-2, text=True)\nfor order in ['catch java.lang.ArrayIndexOutOfBoundsException', 'stop in Mill.grind', 'run', 'where', 'clear Mill.grind', 'cont', 'where all', 'threads', 'locals', 'print Mill.depth', 'dump kind', 'up', 'locals', 'classes', 'methods Mill', 'fields Mill$Oven', 'print lost', 'quit']:\n    time.sleep(1.2 if order not in {'run', 'cont', 'stop in Mill.grind'} else 2.5)\n    p.stdin.write(order + '\\n'); p.stdin.flush()\np.stdin.close()\nprint(p.stdout.read())\n"
    text = shop.run(["python3", "-c", script], room, seconds=100).text
    facts = each("message", [f"oven-{180 + n}" for n in range(25)])
    facts += each(
        "message",
        [
            *re.findall(r"Mill\.\w+ \(Mill\.java:\d+\)", text),
            "java.lang.ArrayIndexOutOfBoundsException",
            "Breakpoint hit",
            "Mill.depth = 31",
            "Exception occurred",
            "grinding",
            "Name unknown: lost",
        ],
    )
    facts += each("message", re.findall(r"^(?:n = \d+|kind = \".*?\"|sacks = .*|heat|Group \S+:)", text, re.MULTILINE))
    yield Item(name, DEBUG, "text", "jdb Mill", text, said_in(facts, text))


def gopls_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gopls lists of a program's symbols; the facts are planted: every type, function and field, and what it complains of."""
    shop.install("gopls")
    room = shop.room(name)
    write(os.path.join(room, "go.mod"), "module mill.example/mill\n\ngo 1.19\n")
    body = 'package mill\n\nimport "fmt"\n\n' + "".join(
        f"// Oven{n} bakes.\ntype Oven{n} struct {{\n\tHeat{n} int\n\tKind{n} string\n}}\n\nfunc (o *Oven{n}) Bake{n}(loaves int) string {{\n\treturn fmt.Sprint(o.Heat{n}{' + lost' if n % 11 == 5 else ''}, loaves)\n}}\n\nconst limit{n} = {n}\n\n"
        for n in range(66)
    )
    write(os.path.join(room, "mill.go"), body)
    env = {"HOME": room, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": f"{room}/cache", "GOTOOLCHAIN": "local"}
    text = "".join(
        f"$ gopls {' '.join(words)}\n" + shop.run(["gopls", *words], room, env=env, seconds=100).text
        for words in (
            ["symbols", "mill.go"],
            ["check", "mill.go"],
            ["references", "-d", "mill.go:7:6"],
            ["folding_ranges", "mill.go"],
        )
    )
    text = text.replace(room, "/srv")
    facts = each(
        "name",
        [f"Oven{n}" for n in range(66)]
        + [f"Bake{n}" for n in range(66)]
        + [f"limit{n}" for n in range(66)]
        + [f"Heat{n}" for n in range(66)],
    )
    facts += each(
        "message",
        [*re.findall(r"^.*(?:undeclared|undefined).*$", text, re.MULTILINE), "Struct", "Method", "Constant", "Field"],
    )
    yield Item(name, LANGUAGE, "text", "gopls symbols mill.go", text, said_in(facts, text))


RECIPES = {
    "zsh-session": partial(shell_run, "zsh-session"),
    "jshell-session": partial(jshell_run, "jshell-session"),
    "jdb-mill": partial(jdb_run, "jdb-mill"),
    "gopls-mill": partial(gopls_run, "gopls-mill"),
}
