"""Logs of servers that are started here, on loopback, and asked things they cannot do."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

SHOP_APP = """
import logging, sqlite3
from flask import Flask, request
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("orders")
app = Flask("orders")

def rows():
    base = sqlite3.connect(":memory:")
    base.execute("create table orders (id integer primary key, total integer check (total < 900))")
    return base

@app.get("/orders/<int:number>")
def order(number):
    log.info("order %d asked for, 0 errors so far", number)
    if number % 97 == 96:
        rows().execute("insert into orders values (?, ?)", (number, number))
        rows().execute("select * from missing_table_%d" % number)
    if number % 131 == 130:
        try:
            int("total-%d" % number)
        except ValueError as bad:
            raise RuntimeError("order %d has no total" % number) from bad
    if number % 50 == 49:
        log.warning("order %d is slow, error=None", number)
    return {"id": number}
"""


class Served(NamedTuple):
    """A server, started by `command` (`{port}` filled in), and how many requests it gets."""

    name: str
    command: str
    packages: tuple[str, ...]
    requests: int


SERVERS = (
    Served("log-flask-werkzeug", "-m flask --app orders run --port {port}", ("flask==3.0.3",), 1200),
    Served("log-gunicorn", "-m gunicorn -b 127.0.0.1:{port} --access-logfile - --log-level debug orders:app",
           ("flask==3.0.3", "gunicorn==22.0.0"), 900),
    Served("log-uvicorn", "-m uvicorn --interface wsgi --port {port} orders:app",
           ("flask==3.0.3", "uvicorn==0.30.6", "a2wsgi"), 700),
)  # fmt: skip


def served(one: Served, shop: Shop) -> Iterator[Item]:
    """What a server logs; the facts are the requests that the client saw fail, and what broke them."""
    python = shop.python("servers", "flask==3.0.3", "gunicorn==22.0.0", "uvicorn==0.30.6", "a2wsgi")
    room = shop.room(one.name)
    with open(os.path.join(room, "orders.py"), "w", encoding="utf-8") as out:
        out.write(SHOP_APP)
    port = _free_port()
    failed: list[int] = []
    with open(os.path.join(room, "log"), "wb") as log:
        command = [python, *one.command.format(port=port).split()]
        server = subprocess.Popen(
            command,
            cwd=room,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            env=shop.environment(),
            start_new_session=True,
        )
        try:
            _await(port)
            failed = [number for number in range(one.requests) if _status(port, number) >= 500]
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(20)
    with open(os.path.join(room, "log"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    facts = [Fact("path", (f"/orders/{number}",)) for number in failed]
    facts += [
        Fact("message", (said,))
        for said in sorted(set(re.findall(r"^\S*(?:Error|Exception): .*$", text, re.MULTILINE)))
    ]
    yield Item(one.name, "log", "text", one.command.split()[1], text, said_in(facts, text))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise CannotMake("the server did not come up")


def _status(port: int, number: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/orders/{number}", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


RECIPES = {one.name: partial(served, one) for one in SERVERS}
