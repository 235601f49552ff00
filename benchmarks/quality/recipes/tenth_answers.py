"""Answers of tool servers and interfaces, a notebook and a page, by tools of every day that nobody tunes on; the odd is planted."""

import contextlib
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from shop import CannotMake, Shop

from recipes.fourth_git import Repository
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.ninth_pages import Shelf
from recipes.seventh_browser import Headings
from recipes.tenth_tools import SERVICES, TOOLS, each, made, recipes, stripped, venv_path

SERVER, ANSWER, NOTEBOOK, PAGE = "tool server", "answer of an interface", "notebook", "documentation"


def tool_answer(
    shop: Shop, command: list[str], room: str, *calls: tuple[str, dict[str, object]], env: dict[str, str] | None = None
) -> str:
    """What a tool server answers to the last of these calls, as the caller gets it."""
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "pier", "version": "1"}}
    asked: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
    ]
    asked += [
        {"id": 2 + n, "method": "tools/call", "params": {"name": tool, "arguments": given}}
        for n, (tool, given) in enumerate(calls)
    ]
    server = subprocess.Popen(
        command, cwd=room, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=shop.environment() | (env or {}), encoding="utf-8",
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    late = threading.Timer(90, server.kill)
    late.start()
    try:
        for one in asked:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **one}) + "\n")
            server.stdin.flush()
            if "id" in one:
                for line in server.stdout:
                    answer = json.loads(line)
                    if answer.get("id") == one["id"]:
                        break
                else:
                    raise CannotMake(f"{command[0]} gave no answer")
    finally:
        late.cancel()
        server.kill()
        server.wait()
    return "\n".join(one["text"] for one in answer["result"]["content"])


def mcp_git(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server of git answers for a history; the facts are git's own list: subjects, authors that are rare, the ends."""
    git = Repository(shop, name, "click==8.1.7")
    for n in range(140):
        who = ("Ines Pier", "Bo Quay")[n % 2] if n % 45 != 17 else f"Guest {n}"
        kind = "Revert the tides of" if n % 29 == 6 else ("Paint", "Moor", "Fuel")[n % 3]
        git(
            "commit",
            "-q",
            "--allow-empty",
            "--author",
            f"{who} <a@example.org>",
            "--date",
            f"2026-03-{n % 28 + 1:02d}T10:00:00Z",
            "-m",
            f"{kind} ferry {n} at pier {n % 12}",
        )
    text = stripped(
        tool_answer(
            shop,
            [SERVICES.python_tool(shop, "mcp-server-git"), "-r", git.tree],
            git.tree,
            ("git_log", {"repo_path": git.tree, "max_count": 141}),
        ),
        git.tree,
    )
    rows = [line.split("\t") for line in git("log", "--format=%H\t%an\t%s").splitlines()]
    facts = each(
        "message", [subject for _, _, subject in rows if subject.startswith("Revert")] + [rows[0][2], rows[-1][2]]
    )
    facts += [*each("name", [who for _, who, _ in rows]), *each("message", [rows[0][0], rows[-1][0]])]
    facts += each("message", [subject for _, who, subject in rows if who.startswith("Guest")])
    yield made(name, SERVER, "mcp-server-git git_log", text, facts)


def mcp_memory(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server answers that remembers; the facts are planted: kinds, names, the odd observations, the keys."""
    room = shop.room(name)
    kinds = ("person", "service", "decision", "incident")
    entities = [
        {
            "name": f"{kinds[n % 4]}-{n}",
            "entityType": kinds[n % 4] if n != 41 else "superstition",
            "observations": [
                f"seen at pier {n % 12}",
                f"rope {n} must never be cut" if n % 23 == 9 else f"asked {n} times",
            ],
        }
        for n in range(110)
    ]
    relations = [
        {
            "from": f"{kinds[n % 4]}-{n}",
            "to": f"{kinds[(n + 5) % 4]}-{n + 5}",
            "relationType": "blames" if n % 37 == 8 else "depends on",
        }
        for n in range(100)
    ]
    script = os.path.join(TOOLS.npm_room(shop), "node_modules", ".bin", "mcp-server-memory")
    calls: list[tuple[str, dict[str, object]]] = [
        ("create_entities", {"entities": entities}),
        ("create_relations", {"relations": relations}),
        ("read_graph", {}),
    ]
    text = tool_answer(shop, [script], room, *calls, env={"MEMORY_FILE_PATH": os.path.join(room, "memory.jsonl")})
    facts = each("key", ("entities", "relations", "name", "entityType", "observations", "from", "to", "relationType"))
    facts += each("message", [f'"{one}"' for one in (*kinds, "superstition", "blames", "depends on", "service-41")])
    facts += each(
        "message",
        [f"rope {n} must never be cut" for n in range(110) if n % 23 == 9]
        + [f'"{kinds[n % 4]}-{n}"' for n in range(110) if n % 23 == 9 or (n % 37 == 8 and n < 100)],
    )
    yield made(name, SERVER, "mcp-server-memory read_graph", text, facts, "json")


@contextlib.contextmanager
def shelf(folder: str) -> Iterator[str]:
    """A directory on loopback for as long as it is needed."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Shelf, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def headings(html: str) -> list[Fact]:
    """The headings of a page."""
    reader = Headings()
    reader.feed(html)
    return each("message", (re.sub(r"\s+", " ", one).strip()[:60] for one in reader.headings))


def manual(shop: Shop, page: str) -> str:
    """A page of SQLite's manual."""
    return os.path.join(shop.debian_package("sqlite3-doc"), "usr", "share", "doc", "sqlite3", page)


def mcp_fetch(name: str, shop: Shop) -> Iterator[Item]:
    """What a tool server makes of a page on loopback; the facts are its headings, and every pragma that it has an anchor for."""
    room, page = shop.room(name), manual(shop, "pragma.html")
    shutil.copy(page, os.path.join(room, "page.html"))
    with shelf(room) as address:
        text = tool_answer(
            shop,
            [SERVICES.python_tool(shop, "mcp-server-fetch"), "--ignore-robots-txt", "--allow-private-ips"],
            room,
            ("fetch", {"url": f"{address}/page.html", "max_length": 120_000}),
        )
    anchors = re.findall(r'name="pragma_(\w+)"', read(page))
    pragmas = [Fact("name", (one, one.replace("_", "\\_"))) for one in anchors]
    text = text.replace(address, "http://sqlite.example")
    yield made(name, SERVER, "mcp-server-fetch fetch", text, [*headings(read(page)), *pragmas])


def elinks_run(name: str, shop: Shop) -> Iterator[Item]:
    """A page by `elinks -dump`; the facts are its headings."""
    shop.install("elinks")
    page = manual(shop, "lang_select.html")
    text = shop.run(["elinks", "-dump", "-no-references", "-no-numbering", page], shop.room(name)).text
    yield made(name, PAGE, "elinks -dump lang_select.html", text, headings(read(page)), least=0.6)


NOTE = """import collections, random
random.seed({n})
trips = [(k, "pier %d" % (k % 12), random.randrange(400)) for k in range(40)]
print("deck {n}: %d aboard" % sum(row[2] for row in trips))
"""


def notebook_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jupyter nbconvert --execute` of a notebook of which cells fail; the facts are planted: headings, what is printed, what is raised."""
    room = shop.room(name)
    cells: list[dict[str, object]] = []
    facts: list[Fact] = []
    for n in range(26):
        source = NOTE.format(n=n) + "".join(
            f'print("trip {n}.{k}: tide", {k * n % 17}, "at pier", {k % 12})\n' for k in range(6)
        )
        if n % 6 == 4:
            source += f'def moor(rope):\n    return {{"bow": 1}}[rope]\nmoor("rope {n}")\n'
            facts += each("message", [f"KeyError: 'rope {n}'", f'moor("rope {n}")'])
        elif n % 9 == 7:
            source += f'import warnings\nwarnings.warn("tide table {n} is old")\n{n} / (12 - 12)\n'
            facts += each("message", [f"tide table {n} is old", "ZeroDivisionError: division by zero"])
        cells.append(
            {
                "cell_type": "markdown",
                "metadata": {},
                "id": f"m{n}",
                "source": f"## Deck {n}: who sailed\n\nWe count the trips of deck {n}.\n",
            }
        )
        cells.append(
            {
                "cell_type": "code",
                "metadata": {},
                "id": f"c{n}",
                "execution_count": None,
                "outputs": [],
                "source": source,
            }
        )
        facts += each("message", [f"## Deck {n}: who sailed"])
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    write(
        os.path.join(room, "decks.ipynb"),
        json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}),
    )
    command = [
        TOOLS.python(shop),
        "-m",
        "nbconvert",
        "--to",
        "markdown",
        "--execute",
        "--allow-errors",
        "--stdout",
        "--log-level=ERROR",
        "decks.ipynb",
    ]
    env = venv_path(TOOLS, shop) | {
        "JUPYTER_PATH": os.path.join(os.path.dirname(os.path.dirname(TOOLS.python(shop))), "share", "jupyter"),
        "HOME": room,
    }
    text = re.sub(
        r"/tmp/\S+?/(\d+\.py)", r"/tmp/ipykernel/\1", stripped(shop.run(command, room, env=env, apart=True).text, room)
    )
    facts += each("message", re.findall(r"deck \d+: \d+ aboard", text))
    yield made(name, NOTEBOOK, "jupyter nbconvert --to markdown --execute --stdout decks.ipynb", text, facts)


def jc_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jc -p git log --stat` in JSON; the facts are git's own list: keys, who is rare, files, the ends."""
    git = Repository(shop, name, "click==8.1.7")
    sources = git.sources("src/**/*.py")
    for n in range(60):
        git.edit(sources[n % len(sources)], r"\Z", f"# sailed {n}\n" * (n % 4 + 1 + (200 if n == 33 else 0)))
        git("add", "-A")
        who = f"Guest {n}" if n % 25 == 9 else ("Ines Pier", "Bo Quay")[n % 2]
        git(
            "commit",
            "-q",
            "--author",
            f"{who} <{who.split(maxsplit=1)[0].lower()}@example.org>",
            "-m",
            f"Sail {n} times past {os.path.basename(sources[n % len(sources)])}",
        )
    text = shop.run([TOOLS.python_tool(shop, "jc"), "-p", "git", "log", "--stat"], git.tree).text
    rows = json.loads(text)
    facts = [
        *each("key", dict.fromkeys(key for row in rows for key in row)),
        *each("message", {row["author"] for row in rows}),
    ]
    facts += each(
        "message", [path for row in rows for path in row.get("stats", {}).get("files", []) if path.startswith("src/")]
    )
    facts += each(
        "message",
        [row["message"] for row in rows if row["author"].startswith("Guest")]
        + [rows[0]["message"], rows[-1]["message"], rows[0]["commit"], rows[-1]["commit"], '"insertions": 202'],
    )
    yield made(name, ANSWER, "jc -p git log --stat", text, facts, "json")


def yq_run(name: str, shop: Shop) -> Iterator[Item]:
    """`yq -y` of what a cluster runs; the facts are planted: every name, and what is unlike the others."""
    shop.need("yq", package="yq")
    room = shop.room(name)
    rows, facts = [], []
    for n in range(46):
        box: dict[str, object] = {
            "name": "app",
            "image": f"registry.example/ferry-{n}:{'latest' if n % 13 == 6 else '1.' + str(n)}",
            "resources": {"limits": {"memory": f"{64 * (n % 5 + 1)}Mi"}} if n % 9 != 4 else {},
        }
        box |= {"securityContext": {"privileged": True}} if n % 19 == 11 else {}
        rows.append(
            {
                "kind": "CronJob" if n == 30 else "Deployment",
                "metadata": {"name": f"ferry-{n}", "namespace": ("north", "south")[n % 2]},
                "spec": {"replicas": 0 if n % 21 == 8 else n % 3 + 1, "template": {"spec": {"containers": [box]}}},
            }
        )
        facts += [
            Fact("name", (f"ferry-{n}",)),
            *each("message", [f"registry.example/ferry-{n}:latest"] * (n % 13 == 6)),
        ]
    write(os.path.join(room, "all.json"), json.dumps({"apiVersion": "v1", "kind": "List", "items": rows}))
    text = shop.run(["yq", "-y", ".items", "all.json"], room).text
    facts += each(
        "message",
        (
            "privileged: true",
            "replicas: 0",
            "kind: CronJob",
            "kind: Deployment",
            "namespace: north",
            "namespace: south",
            "resources: {}",
            "memory: 64Mi",
            "memory: 320Mi",
        ),
    )
    yield made(name, ANSWER, "yq -y .items all.json", text, facts)


RECIPES = recipes(
    ("mcp-git-log", mcp_git),
    ("mcp-memory-graph", mcp_memory),
    ("mcp-fetch-pragma", mcp_fetch),
    ("elinks-select", elinks_run),
    ("jupyter-decks", notebook_run),
    ("jc-git-log", jc_run),
    ("yq-ferries", yq_run),
)
