"""Outputs of everyday life for the gallery: commands of this machine where they are harmless, made up where not."""

# ruff: noqa: E501  # an exhibit is a line
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent.parent


class Exhibit(NamedTuple):
    """One output: what it is, how it is made, and what to see in its view."""

    title: str
    make: Callable[[], str]
    seen: str
    name: str = ""


def command(*words: str) -> Callable[[], str]:
    """What a command prints, in the root of this project."""

    def run() -> str:
        done = subprocess.run(words, capture_output=True, check=False, cwd=HERE, timeout=120)
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    return run


def journal() -> str:
    """Services that say the same all day, a flapping link, and one that was killed."""
    draw = random.Random(11)
    lines = []
    for number in range(4_000):
        stamp = f"Nov 06 {10 + number // 1800:02}:{number // 30 % 60:02}:{number * 2 % 60:02} web-3"
        said = draw.choice(
            (
                f"systemd[1]: Started Session {number} of User deploy.",
                f"sshd[{draw.randrange(900, 40_000)}]: Accepted publickey for deploy from 10.0.3.{draw.randrange(250)}",
                f"nginx[812]: upstream timing {draw.randrange(3, 60)} ms for backend-{draw.randrange(4)}",
                f"CRON[{draw.randrange(900, 40_000)}]: (root) CMD (run-parts --report /etc/cron.hourly)",
            )
        )
        lines.append(f"{stamp} {said}")
    lines[1_234] = "Nov 06 10:41:08 web-3 kernel: Out of memory: Killed process 2211 (java) total-vm:8123456kB"
    lines[2_345] = "Nov 06 11:18:10 web-3 kernel: eth0: link becomes ready"
    lines[2_346] = "Nov 06 11:18:12 web-3 systemd-timesyncd[301]: Initial synchronization to time server 10.0.0.1:123"
    return "\n".join(lines) + "\n"


def access_log() -> str:
    """Requests of a day, three of which failed, and one that took very long."""
    draw = random.Random(12)
    lines = []
    for number in range(20_000):
        path = draw.choice(("/", "/cart", "/static/app.js", f"/item/{draw.randrange(400)}"))
        status = draw.choices((200, 304, 404), (90, 7, 3))[0]
        if number in {7_000, 7_001, 15_000}:
            path, status = "/checkout", 502
        size = 88_123_456 if number == 9_000 else draw.randrange(200, 9_000)  # noqa: PLR2004
        clock = f"{number // 3600 + 8:02}:{number // 60 % 60:02}:{number % 60:02}"
        lines.append(
            f"10.1.{draw.randrange(4)}.{draw.randrange(250)} - - [06/Nov/2024:{clock} +0000] "
            f'"GET {path} HTTP/1.1" {status} {size} "-" "Mozilla/5.0"'
        )
    return "\n".join(lines) + "\n"


def plan() -> str:
    """A plan of Terraform: forty resources alike, one that would be destroyed."""
    blocks = ["Terraform will perform the following actions:\n"]
    blocks += [
        f'  # aws_instance.worker[{number}] will be updated in-place\n  ~ resource "aws_instance" "worker" {{\n'
        f'        id            = "i-0{number:015x}"\n      ~ instance_type = "t3.medium" -> "t3.large"\n'
        "        # (31 unchanged attributes hidden)\n    }\n"
        for number in range(40)
    ]
    blocks.insert(
        23,
        '  # aws_db_instance.orders must be replaced\n-/+ resource "aws_db_instance" "orders" {\n'
        '      ~ engine_version = "14.9" -> "15.4" # forces replacement\n    }\n',
    )
    return "\n".join(blocks) + "\nPlan: 1 to add, 40 to change, 1 to destroy.\n"


def notebook() -> str:
    """A notebook with a plot in it, and a cell that failed."""
    draw = random.Random(13)
    image = "".join(draw.choice("ABCDEFGHIJKLMNOPqrstuvwxyz0123456789+/") for _ in range(60_000))
    cells: list[dict[str, object]] = []
    for number in range(30):
        outputs: list[dict[str, object]] = []
        if number == 7:  # noqa: PLR2004
            outputs = [{"output_type": "display_data", "data": {"image/png": image}}]
        if number == 21:  # noqa: PLR2004
            outputs = [
                {"output_type": "error", "ename": "KeyError", "evalue": "'price_eur'", "traceback": ["KeyError"]}
            ]
        source = [f"frame_{number} = load('part-{number}.csv')\n", f"frame_{number}.describe()"]
        cells.append({"cell_type": "code", "execution_count": number, "source": source, "outputs": outputs})
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {"kernelspec": {"name": "python3"}}}, indent=1)


def forge() -> str:
    """The newest commits of this project, as a forge answers."""
    log = command("git", "log", "-60", "--format=%H%x00%an%x00%ae%x00%aI%x00%T%x00%P%x00%B%x01")()
    rows = []
    for entry in log.split("\x01\n"):
        if entry.count("\0") == 6:  # noqa: PLR2004  # else it is the end
            sha, name, mail, date, tree, parent, message = entry.split("\0")
            who = {"name": name, "email": mail, "date": date}
            commit = {"author": who, "committer": who, "message": message.strip(), "tree": {"sha": tree}}
            address = f"https://forge.example/commits/{sha}"
            rows.append({"sha": sha, "commit": commit, "url": address, "parents": [{"sha": parent}]})
    return json.dumps(rows, indent=2)


def folders() -> str:
    """The source of this project, as a server of files answers."""

    def inside(folder: Path) -> list[dict[str, object]]:
        found = sorted(one for one in folder.iterdir() if one.name != "__pycache__")
        return [
            {"name": one.name, "type": "directory", "children": inside(one)}
            if one.is_dir()
            else {"name": one.name, "type": "file"}
            for one in found
        ]

    return json.dumps(inside(HERE / "src"), indent=2)


def table() -> str:
    """A hundred thousand rows, two of which are odd."""
    draw = random.Random(14)
    lines = ["id,region,status,amount,currency"]
    for number in range(100_000):
        row = (number, draw.choice(("eu", "us", "ap")), "paid", f"{draw.randrange(100, 20_000) / 100:.2f}", "EUR")
        if number == 61_234:  # noqa: PLR2004
            row = (number, "eu", "chargeback", "17.20", "EUR")
        if number == 80_001:  # noqa: PLR2004
            row = (number, "us", "paid", "9999999.00", "EUR")
        lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"


def minified() -> str:
    """One line of JavaScript."""
    parts = (f"function f{n}(a,b){{return a.k{n}?b(a.k{n}):void 0}}" for n in range(2_000))
    return "!function(){" + "".join(parts) + "}();"


def openapi() -> str:
    """The description of an interface of eighty paths."""
    nouns = ("users", "orders", "items", "invoices", "carts", "payments", "refunds", "tokens")
    paths: dict[str, object] = {}
    for noun in nouns:
        for tail in ("", "/{id}", "/{id}/history", "/{id}/notes", "/search"):
            get = {
                "operationId": f"get_{noun}",
                "responses": {"200": {"description": "OK"}, "404": {"description": "No"}},
            }
            paths[f"/v1/{noun}{tail}"] = {
                "get": get,
                "post": {"operationId": f"post_{noun}", "deprecated": tail == "/search"},
            }
    schemas = {noun.title(): {"type": "object", "properties": {"id": {"type": "string"}}} for noun in nouns}
    return json.dumps({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}, indent=2)


def archive() -> str:
    """What a browser loaded: 300 requests, of which one failed and one was slow."""
    draw = random.Random(15)
    entries = []
    for number in range(300):
        status, time = (503, 30_012) if number == 170 else (200, draw.randrange(3, 90))  # noqa: PLR2004
        url = f"https://shop.example/assets/{number % 40}/chunk-{number}.js"
        entries.append(
            {"startedDateTime": f"2024-11-06T10:00:{number % 60:02}Z", "time": time,
             "request": {"method": "GET", "url": url}, "response": {"status": status, "bodySize": draw.randrange(90_000)}}
        )  # fmt: skip
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)


def heap() -> str:
    """A heap, by class."""
    draw = random.Random(16)
    lines = [" num     #instances         #bytes  class name", "-" * 60]
    for number in range(1, 900):
        name = f"com.shop.{draw.choice(('cart', 'user', 'http', 'db'))}.Type{number}"
        lines.append(f"{number:4}: {draw.randrange(10, 90_000):14} {40_000_000 // number:14}  {name}")
    lines[5] = "   4:        9812345      912345678  [B (com.shop.session.SessionCache)"
    return "\n".join(lines) + "\n"


def latex() -> str:
    """LaTeX's log: boxes, and a reference that is not there."""
    lines = ["This is pdfTeX, Version 3.141592653 (preloaded format=pdflatex)"]
    for number in range(700):
        lines.append(
            f"Overfull \\hbox ({number % 17}.{number % 9}pt too wide) in paragraph at lines {number}--{number + 3}"
        )
        lines.append(f"[{number}] (./chapters/part{number}.tex")
    lines[801] = "LaTeX Warning: Reference `fig:pump' on page 92 undefined on input line 1204."
    lines[1_203] = "! Undefined control sequence."
    lines.insert(1_204, "l.88 \\inclduegraphics")
    return "\n".join([*lines, "Output written on main.pdf (312 pages, 4811210 bytes)."]) + "\n"


def packages() -> str:
    """A list of packages, as pip prints it."""
    draw = random.Random(17)
    names = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))
    rows = [f"{name:26} {draw.randrange(9)}.{draw.randrange(20)}.{draw.randrange(9)}" for name in names]
    return "\n".join([f"{'Package':26} Version", "-" * 26 + " " + "-" * 9, *rows]) + "\n"


def processes() -> str:
    """Processes of a machine, one of which takes all of a core."""
    draw = random.Random(18)
    lines = ["USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND"]
    for number in range(400):
        name = draw.choice(("nginx: worker process", "postgres: app orders idle", "sshd: deploy@pts", "sleep 60"))
        busy, memory = (99.8, 61.2) if number == 222 else (0.0, 0.1)  # noqa: PLR2004
        user = "www" if "nginx" in name else "app"
        command = "python train.py --epochs 90" if number == 222 else name  # noqa: PLR2004
        lines.append(
            f"{user:8} {1000 + number:7} {busy:4} {memory:4} {draw.randrange(9_000, 99_000):6} {draw.randrange(900, 9_000):5}"
            f" ?        S    10:0{number % 10}   0:0{number % 7} {command}"
        )
    return "\n".join(lines) + "\n"


def cluster() -> str:
    """Pods of a cluster as YAML, one of which does not start."""
    return "".join(_pods())


def _pods() -> Iterator[str]:
    yield "apiVersion: v1\nkind: List\nitems:\n"
    for number in range(120):
        phase, reason = ("Pending", "ImagePullBackOff") if number == 77 else ("Running", "Started")  # noqa: PLR2004
        yield (
            f"- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web-{number:03}\n    namespace: shop\n"
            f"    labels:\n      app: web\n  spec:\n    nodeName: node-{number % 6}\n    containers:\n"
            f"    - image: registry.example/web:1.4.{number % 3}\n      name: web\n"
            f"  status:\n    phase: {phase}\n    reason: {reason}\n    restartCount: {number % 2}\n"
        )


EXHIBITS = (
    Exhibit("find /usr/share", command("find", "/usr/share"), "Where the files are, down to single ones where few are."),
    Exhibit("ls -laR /etc", command("ls", "-laR", "/etc"), "The directories and what is odd in them, not the columns."),
    Exhibit("dpkg -l", command("dpkg", "-l"), "How many packages in which state, and which."),
    Exhibit("pip list", packages, "Names and versions."),
    Exhibit("ps aux", processes, "Constant columns once, the busiest processes."),
    Exhibit("git log --stat", command("git", "log", "--stat", "-60"), "Subjects of commits, and the files they touched."),
    Exhibit("git diff of many commits", command("git", "diff", "HEAD~25", "--", "src"), "Every changed path, then hunks."),
    Exhibit("grep -rn", command("grep", "-rn", "def ", "src/overspill/cut"), "Matches by file."),
    Exhibit("a journal", journal, "Four sentences said 4,000 times, and the three that were said once."),
    Exhibit("strace ls", command("strace", "-f", "ls", "/usr"), "Which calls, how often; those that failed."),
    Exhibit("an access log", access_log, "20,000 requests in a line; the failed ones and the huge one."),
    Exhibit("terraform plan", plan, "Forty changes alike, and the database that would be replaced."),
    Exhibit("a notebook", notebook, "The cell that failed; the picture is named, not shown.", "a.ipynb"),
    Exhibit("commits from a forge", forge, "Their titles, not their hashes.", "a.json"),
    Exhibit("a tree of directories from a tool server", folders, "What is in what.", "a.json"),
    Exhibit("a CSV of 100,000 rows", table, "Columns of few values counted, the chargeback and the huge amount.", "a.csv"),
    Exhibit("minified JavaScript", minified, "Both ends of one line.", "a.min.js"),
    Exhibit("an OpenAPI document", openapi, "Every path, and the shape of one.", "a.json"),
    Exhibit("a HAR file", archive, "The request that failed among three hundred.", "a.har"),
    Exhibit("a heap by class", heap, "The class that holds the memory."),
    Exhibit("LaTeX's log", latex, "The undefined control sequence among 700 overfull boxes."),
    Exhibit("kubectl get -o yaml", cluster, "The pod that does not start."),
)  # fmt: skip
