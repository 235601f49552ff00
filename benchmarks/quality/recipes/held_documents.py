"""Documents that nobody tunes on: HAR, a lock file, a schema, geography."""

import json
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write

DOCUMENT = "document"


CLIENT = """import sys, urllib.request as r, urllib.error
o = r.build_opener(r.ProxyHandler({"http": "http://127.0.0.1:" + sys.argv[1]}))
for n in range(90):
  u = "http://127.0.0.1:" + sys.argv[2] + ("/lost-%d" % n if n % 31 == 11 else "/page-%d.html?n=%d" % (n % 30, n))
  q = r.Request(u, method="DELETE" if n == 70 else "GET")
  try: o.open(q, timeout=10).read()
  except urllib.error.HTTPError: pass
"""


def har_run(name: str, shop: Shop) -> Iterator[Item]:
    """A HAR that mitmdump writes of requests to a server of Python's; the facts are its entries that are odd."""
    python = shop.python("mitmproxy", "mitmproxy==10.4.2")
    room = shop.room(name)
    os.makedirs(os.path.join(room, "files"))
    for number in range(30):
        write(
            os.path.join(room, "files", f"page-{number}.html"),
            f"<p>page {number}</p>" * (900 if number == 19 else number),
        )
    origin, port = free_port(), free_port()
    env = shop.environment()
    proxy = [
        os.path.join(os.path.dirname(python), "mitmdump"),
        "-q",
        "--listen-host",
        "127.0.0.1",
        "-p",
        str(port),
        "--set",
        f"hardump={room}/all.har",
        "--set",
        f"confdir={room}",
    ]
    server = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "-d", "files", str(origin)]
    with (
        running(server, room, lambda: listens(origin), env),
        running(proxy, room, lambda: listens(port), env),
    ):
        shop.run([sys.executable, "-c", CLIENT, str(port), str(origin)], room)
    text = read(os.path.join(room, "all.har"))
    log = json.loads(text)["log"]
    entries = log["entries"]
    facts = [Fact("key", (key,)) for key in keys_of(log)]
    for one in entries:
        if one["response"]["status"] != 200:
            facts += [
                Fact("message", (one["request"]["url"],)),
                Fact("odd", (), (one["request"]["url"], str(one["response"]["status"]))),
            ]
    facts += [Fact("message", (f"/page-{number}.html",)) for number in range(30)] + [Fact("message", ('"DELETE"',))]
    yield Item(name, DOCUMENT, "json", "cat all.har", text, said_in(facts, text))


def keys_of(value: object) -> dict[str, None]:
    """Every key of a document, at any depth."""
    found: dict[str, None] = {}
    if isinstance(value, dict):
        for key, inner in value.items():
            found[str(key)] = None
            found |= keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            found |= keys_of(inner)
    return found


def lock_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A lock file in TOML; the facts, by Python's reader, are every package with its version and the odd sources."""
    tree = shop.debian_source(package, shop.room(name))
    text = read(os.path.join(tree, path))
    rows = tomllib.loads(text)["package"]
    titles = Counter(row["name"] for row in rows)
    facts = [Fact("name", (row["name"],)) for row in rows]
    facts += [Fact("odd", (), (row["name"], row["version"])) for row in rows if titles[row["name"]] > 1]
    facts += [Fact("name", (key,)) for key in keys_of(rows)]
    yield Item(name, DOCUMENT, "text", "cat Cargo.lock", text, said_in(facts, text))


def schema_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A GraphQL schema; the facts are the types, queries and deprecated fields that graphql's own parser finds."""
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "graphql@16.9.0")
    text = read(os.path.join(tree, path))
    code = "const g = require('graphql'), fs = require('fs'); const d = g.parse(fs.readFileSync(process.argv[2] || process.argv[1], 'utf8')); console.log(JSON.stringify(d.definitions.map(x => [x.kind, x.name && x.name.value, (x.fields || []).filter(f => (f.directives || []).some(y => y.name.value === 'deprecated')).map(f => f.name.value)])))"
    rows = json.loads(shop.run(["node", "-e", code, os.path.join(tree, path)], room, apart=True).text)
    facts = [Fact("name", (title,)) for _, title, _ in rows if title] + [
        Fact("odd", (), (field, "@deprecated")) for _, _, old in rows for field in old
    ]
    yield Item(name, DOCUMENT, "text", "cat schema.graphql", text, said_in(facts, text))


def places_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """Geography as TopoJSON; the facts are its keys, kinds and the names of its places."""
    text = read(os.path.join(shop.npm_source(package, shop.room(name)), path))
    value = json.loads(text)
    facts = [Fact("key", (key,)) for key in keys_of(value)]
    for part in value["objects"].values():
        for one in part["geometries"]:
            facts.append(Fact("message", (f'"{one["type"]}"',)))
            facts += [Fact("message", (json.dumps(said),)) for said in one.get("properties", {}).values()]
    yield Item(name, DOCUMENT, "json", "cat states.topojson", text, said_in(facts, text))


RECIPES = {
    "har-pages": partial(har_run, "har-pages"),
    "lock-bat": partial(lock_run, "lock-bat", "rust-bat", "Cargo.lock"),
    "graphql-github": partial(schema_run, "graphql-github", "@octokit/graphql-schema@15.25.0", "schema.graphql"),
    "topojson-states": partial(places_run, "topojson-states", "us-atlas@3.0.1", "states-10m.json"),
}  # fmt: skip
