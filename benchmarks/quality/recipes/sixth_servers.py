"""Logs of servers that nobody tunes on, each on loopback and asked for what it cannot do."""

import os
import sys
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens, status_of
from recipes.held_suites import write

SERVER = "server log"

PROXY = """Port {port}
Listen 127.0.0.1
Timeout 20
LogLevel Info
LogFile "{room}/proxy.log"
MaxClients 20
Filter "{room}/refused"
FilterDefaultDeny No
"""


def proxy_log(name: str, shop: Shop) -> Iterator[Item]:
    """What tinyproxy logs; the facts are the requests that it refused, and those to hosts that are not there."""
    shop.install("tinyproxy")
    room = shop.room(name)
    port, behind, gone = free_port(), free_port(), free_port()
    write(os.path.join(room, "refused"), "jammed\n")
    write(os.path.join(room, "proxy.conf"), PROXY.format(port=port, room=room))
    write(os.path.join(room, "files", "shelf.txt"), "shelf\n")
    files = [sys.executable, "-m", "http.server", str(behind), "--bind", "127.0.0.1", "--directory", f"{room}/files"]
    env = shop.environment()
    facts = []
    with (
        running(files, room, lambda: listens(behind), env),
        running(["tinyproxy", "-d", "-c", f"{room}/proxy.conf"], room, lambda: listens(port), env),
    ):
        for number in range(170):
            url = f"http://127.0.0.1:{behind}/shelf.txt?n={number}"
            if number % 41 == 13:
                url = f"http://jammed-{number}.example.org/door"
                facts += [Fact("message", (f"jammed-{number}.example.org",))]
            if number % 53 == 20:
                url = f"http://127.0.0.1:{gone}/lost-{number}"
                facts += [Fact("message", (f"lost-{number}",))]
            status_of(url, proxy=f"http://127.0.0.1:{port}")
        time.sleep(0.3)
    text = read(os.path.join(room, "proxy.log"))
    said = ("Proxying refused on filtered", "Could not establish a connection", "Initializing tinyproxy")
    facts += [Fact("message", (one,)) for one in said]
    yield Item(name, SERVER, "text", "tinyproxy -d", text, said_in(facts, text))


RECIPES = {
    "tinyproxy-shelves": partial(proxy_log, "tinyproxy-shelves"),
}
