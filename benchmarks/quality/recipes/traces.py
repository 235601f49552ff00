"""What happened, line by line: system calls, requests to a server, the steps of package managers."""

import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.logs import _await, _free_port

TRACED = """
import json, os, socket, decimal, email.message
for path in ("/etc/planted-by-nobody.conf", "/nowhere/no-such-directory/settings.ini"):
    try:
        open(path)
    except OSError:
        pass
probe = socket.socket()
try:
    probe.connect(("127.0.0.1", 9))
except OSError:
    pass
os.mkdir("made")
try:
    os.rmdir("made/below")
except OSError:
    pass
child = os.fork()
if child == 0:
    os._exit(7)
os.waitpid(child, 0)
open("written.txt", "w").write("x" * 70000)
os.kill(os.getpid(), 15)
"""


def strace_run(name: str, shop: Shop) -> Iterator[Item]:
    """The system calls of a program that meets a few things it did not expect; the facts are what it met."""
    shop.need("strace", package="strace")
    room = shop.room(name)
    with open(os.path.join(room, "program.py"), "w", encoding="utf-8") as out:
        out.write(TRACED)
    shop.run(["strace", "-f", "-o", "trace.txt", "python3", "-S", "program.py"], room)
    with open(os.path.join(room, "trace.txt"), encoding="utf-8") as file:
        text = file.read()
    if "written.txt" not in text:
        raise CannotMake("nothing may be traced here")
    met = [
        ("/etc/planted-by-nobody.conf", "ENOENT"), ("/nowhere/no-such-directory/settings.ini", "ENOENT"),
        ("127.0.0.1", "ECONNREFUSED"), ("made/below", "ENOENT"), ("mkdir", "made"), ("exited with 7",),
        ("killed by SIGTERM",), ("written.txt", "O_WRONLY"), ("SIGCHLD", "CLD_EXITED"),
    ]  # fmt: skip
    facts = [Fact("odd", (), parts) for parts in met]
    calls = Counter(re.findall(r"^\d+ +(\w+)\(", text, re.MULTILINE))
    facts += [Fact("name", (call,)) for call in calls]
    yield Item(name, "log", "text", "strace -f", text, said_in(facts, text))


SERVER = """
const express = require("express"), morgan = require("morgan");
const app = express();
app.use(morgan("combined"));
app.get("/items/:id", (request, answer) => {
  const id = Number(request.params.id);
  if (id % 173 === 172) return answer.status(502).send("upstream gone");
  if (id % 211 === 210) return answer.status(403).send("not yours");
  if (id === 333) return answer.send("x".repeat(91_733));
  answer.json({ id, name: "item " + id });
});
app.use((error, request, answer, next) => answer.status(500).send("broken"));
app.listen(Number(process.argv[2]), "127.0.0.1");
"""


def access_log(name: str, shop: Shop) -> Iterator[Item]:
    """The access log of an express server; the facts are what the client saw: refusals, and an answer of odd size."""
    room = shop.room(name)
    shop.npm(room, "express@4.19.2", "morgan@1.10.0")
    with open(os.path.join(room, "server.js"), "w", encoding="utf-8") as out:
        out.write(SERVER)
    port = _free_port()
    answers: dict[str, tuple[int, int]] = {}
    with open(os.path.join(room, "log"), "wb") as log:
        server = subprocess.Popen(
            ["node", "server.js", str(port)], cwd=room, stdout=log, stderr=log, env=shop.environment(),
            start_new_session=True,
        )  # fmt: skip
        try:
            _await(port)
            paths = [f"/items/{number}" for number in range(1_100)]
            paths[400] = "/.env"
            paths[800] = "/items/4?debug=%00"
            paths[900] = "/wp-login.php"
            for path in paths:
                answers[path] = _asked(port, path)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)
    with open(os.path.join(room, "log"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    facts = [Fact("odd", (), (path, str(status))) for path, (status, _) in answers.items() if status != 200]
    facts += [Fact("odd", (), (path, str(size))) for path, (_, size) in answers.items() if size > 9_000]
    facts += [Fact("count", (str(status),)) for status in {status for status, _ in answers.values()}]
    yield Item(name, "log", "text", "node server.js", text, said_in(facts, text))


def _asked(port: int, path: str) -> tuple[int, int]:
    import http.client

    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    wire.request("GET", path, headers={"User-Agent": "probe/1.0"})
    answer = wire.getresponse()
    return answer.status, len(answer.read())


def pip_conflict(name: str, shop: Shop) -> Iterator[Item]:
    """pip, telling all it does, asked for packages that cannot go together; the facts are its last words."""
    python = shop.python("pip")
    wanted = ["flask==3.0.3", "werkzeug<2.0", "jinja2==3.1.4", "requests==2.32.3"]
    flags = ["install", "-vv", "--dry-run", "--no-cache-dir", "--disable-pip-version-check"]
    text = shop.run([python, "-m", "pip", *flags, *wanted], shop.room(name)).text
    end = text[text.rfind("ERROR: Cannot install") :] if "ERROR: Cannot install" in text else ""
    facts = [Fact("message", (line.strip()[:90],)) for line in end.splitlines() if len(line.strip()) > 12]
    facts += [Fact("name", (one,)) for one in sorted(set(re.findall(r"^Collecting (\S+)", text, re.MULTILINE)))]
    yield Item(name, "build", "text", "pip install -vv", text, said_in(facts, text))


RECIPES = {
    "strace-python": partial(strace_run, "strace-python"),
    "access-morgan": partial(access_log, "access-morgan"),
    "pip-conflict": partial(pip_conflict, "pip-conflict"),
}
