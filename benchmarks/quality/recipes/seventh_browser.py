"""What a browser and tool servers answer an agent: snapshots of pages, requests, consoles, trees of files, lists of tools."""

import contextlib
import functools
import http.server
import json
import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser

from items import Fact, Item
from reports import directory_facts, in_json, said_in
from shop import Shop

from recipes.held_documents import keys_of
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.seventh_tools import npm_room
from recipes.third_linters import report_file

PAGE, SERVER, CONSOLE = "page of a browser", "answer of a tool server", "console of a browser"

CLIENT = """import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const [command, ...args] = JSON.parse(process.argv[2]);
const client = new Client({ name: 'shelf', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
for (const [tool, given, shown] of JSON.parse(process.argv[3])) {
  if (tool === 'tools/list') { console.log(JSON.stringify(await client.listTools(), null, 2)); continue; }
  if (tool === 'wait') { await new Promise((done) => setTimeout(done, given)); continue; }
  const answer = await client.callTool({ name: tool, arguments: given });
  if (shown) console.log(answer.content.map((one) => one.text ?? `[${one.type}]`).join('\\n'));
}
await client.close();
"""

Call = tuple[str, object, bool]


def answers(shop: Shop, name: str, server: list[str], calls: list[Call]) -> str:
    """What a tool server answers to these calls, one after another."""
    room = npm_room(shop)
    script = write(os.path.join(room, "client.mjs"), CLIENT)
    command = ["node", script, json.dumps(["node", os.path.join(room, "node_modules", server[0]), *server[1:]])]
    return report_file(shop, [*command, json.dumps(calls)], shop.room(name), shop.room(f"{name}-report"))


def browser(shop: Shop, name: str, calls: list[Call]) -> str:
    """What playwright's tool server answers, with the distribution's browser."""
    shop.install("chromium")
    flags = ["--executable-path", "/usr/bin/chromium", "--headless", "--no-sandbox", "--isolated"]
    return answers(shop, name, ["@playwright/mcp/cli.js", *flags], calls)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a directory; what begins with `broken` fails."""

    def do_GET(self) -> None:
        if "/broken" in self.path:
            self.send_error(500 if "7" in self.path else 503)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library gives it
        pass


@contextlib.contextmanager
def served(folder: str) -> Iterator[str]:
    """A directory on loopback for as long as it is needed."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Headings(HTMLParser):
    """The headings of a page, and the texts of its links."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.links: list[str] = []
        self._into: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as the library calls it
        if re.fullmatch(r"h[1-4]", tag) or tag == "a":
            self._into.append([])

    def handle_data(self, data: str) -> None:
        for one in self._into:
            one.append(data)

    def handle_endtag(self, tag: str) -> None:
        if (re.fullmatch(r"h[1-4]", tag) or tag == "a") and self._into:
            said = " ".join("".join(self._into.pop()).split())
            (self.links if tag == "a" else self.headings).append(said)


def document_page(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A snapshot of a page of documentation; the facts are its headings, read from its source."""
    where = os.path.join(shop.debian_package(package), os.path.dirname(path))
    with served(where) as address:
        text = browser(shop, name, [
            ("browser_navigate", {"url": f"{address}/{os.path.basename(path)}"}, False), ("browser_snapshot", {}, True),
        ])  # fmt: skip
    page = Headings()
    page.feed(read(os.path.join(where, os.path.basename(path))))
    facts = [Fact("message", (f'heading "{one}"', one)) for one in page.headings if one]
    facts += [Fact("message", (f'link "{one}"', one)) for one in page.links if len(one) > 12]
    yield Item(
        name,
        PAGE,
        "text",
        "playwright-mcp browser_snapshot",
        text.replace(address, "http://127.0.0.1"),
        said_in(facts, text),
    )


AREA = """<section aria-label="Area {n}"><h2>Area {n}: {title}</h2>
<form><label>Label of area {n} <input name="label{n}" value="{value}" {bad}></label>
<label><input type="checkbox" {checked}> Keep area {n} locked</label>
<label>Keeper <select><option>Ada</option><option {chosen}>Bo</option></select></label>
<button {off}>Save area {n}</button> <a href="/area/{n}/history">History of area {n}</a></form>{alert}
<table><caption>Parcels of area {n}</caption><tr><th>Parcel</th><th>State</th><th>Grams</th></tr>{rows}</table></section>
"""


def shop_page(count: int) -> tuple[str, list[Fact]]:
    """A page of a warehouse with forms, tables and alerts; the facts are those, and the odd rows."""
    facts, parts = [], []
    for number in range(count):
        rows = []
        for row in range(7):
            key = number * 7 + row
            state = "lost" if key % 61 == 20 else "returned" if key % 83 == 40 else ("packed", "sent")[key % 2]
            grams = 90_000 + key if key % 97 == 50 else key * 37 % 911
            rows.append(f"<tr><td>P-{4000 + key}</td><td>{state}</td><td>{grams}</td></tr>")
            facts += [Fact("odd", (), (f"P-{4000 + key}", state))] if state in {"lost", "returned"} else []
            facts += [Fact("count", (str(grams),))] if grams >= 90_000 else []
        alert = f'<p role="alert">Door {number} of area {number} is jammed</p>' if number % 9 == 4 else ""
        facts += [Fact("message", (f"Door {number} of area {number} is jammed",))] if alert else []
        bad = 'aria-invalid="true"' if number % 13 == 6 else ""
        title = f"{('tools', 'toys', 'books')[number % 3]} at level {number % 5}"
        facts += [Fact("message", (f"Area {number}: {title}",))]
        facts += [Fact("odd", (), (f"Save area {number}", "disabled"))] if number % 11 == 3 else []
        parts.append(AREA.format(
            n=number, title=title, value=f"shelf {number * 3}", bad=bad, checked="checked" if number % 4 == 1 else "",
            chosen="selected" if number % 5 == 2 else "", off="disabled" if number % 11 == 3 else "", alert=alert,
            rows="".join(rows),
        ))  # fmt: skip
    head = '<nav><ul><li><a href="/">Home</a></li><li><a href="/keepers">Keepers</a></li></ul></nav><h1>Warehouse</h1>'
    return f"<!doctype html><title>Warehouse</title><body>{head}<main>{''.join(parts)}</main></body>", facts


def form_page(name: str, shop: Shop) -> Iterator[Item]:
    """A snapshot of a page with forms; the facts are planted: sections, alerts, what is disabled, the odd rows."""
    room = shop.room(f"{name}-page")
    content, facts = shop_page(24)
    write(os.path.join(room, "index.html"), content)
    with served(room) as address:
        text = browser(
            shop, name, [("browser_navigate", {"url": f"{address}/"}, False), ("browser_snapshot", {}, True)]
        )
    facts += [Fact("message", (one,)) for one in ('heading "Warehouse"', "navigation", "Keepers")]
    yield Item(name, PAGE, "text", "playwright-mcp browser_snapshot", text, said_in(facts, text))


def dom_page(name: str, shop: Shop) -> Iterator[Item]:
    """`chromium --dump-dom` of a page that a script fills in; the facts are the same as those of its snapshot."""
    shop.install("chromium")
    room = shop.room(name)
    content, facts = shop_page(60)
    body = content[content.index("<body>") + 6 : content.index("</body>")]
    script = f"document.body.innerHTML = {json.dumps(body)};".replace("</", "<\\/")
    write(
        os.path.join(room, "index.html"),
        f"<!doctype html><title>Warehouse</title><body><script>{script}</script></body>",
    )
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"file://{room}/index.html"]
    text = shop.run(command, room, apart=True).text
    text = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    facts = [
        Fact("name", (fact.together[0],)) if fact.kind == "odd" and "disabled" in fact.together else fact
        for fact in facts
    ]
    yield Item(name, PAGE, "text", "chromium --dump-dom index.html", text, said_in(facts, text))


LOADING = """<!doctype html><title>Doors</title><body><script>
(async () => {
  for (let n = 0; n < 400; n++) {
    const path = n % 37 === 11 ? `/broken/door-${n}.json` : n % 29 === 8 ? `/lost/door-${n}.json` : `/doors/door-${n % 40}.json?turn=${n}`;
    const answer = await fetch(path).catch(() => null);
    if (!answer.ok) console.error(`door ${n} does not answer: ${answer.status}`);
    else if (n % 23 === 5) console.warn(`door ${n} is slow, keeper ${n % 7} looks after it`);
    else console.log(`door ${n} opened`);
  }
  try { null.open() } catch (error) { console.error('TypeError at the last door', String(error)); }
  document.title = 'done';
})();
</script></body>
"""


def loading_page(name: str, kind: str, shop: Shop) -> Iterator[Item]:
    """The console or the requests of a page that asks for what fails; the facts are the failures and warnings."""
    room = shop.room(f"{name}-page")
    write(os.path.join(room, "index.html"), LOADING)
    for number in range(40):
        write(os.path.join(room, "doors", f"door-{number}.json"), "{}")
    tool, given = {
        "console": ("browser_console_messages", {"level": "debug"}),
        "requests": ("browser_network_requests", {"static": True}),
    }[kind]
    with served(room) as address:
        text = browser(shop, name, [
            ("browser_navigate", {"url": f"{address}/"}, False), ("wait", 9000, False), (tool, given, True),
        ]).replace(address, "http://127.0.0.1:8080")  # fmt: skip
    facts = []
    for number in range(400):
        bad = "broken" if number % 37 == 11 else "lost" if number % 29 == 8 else ""
        facts += [Fact("message", (f"/{bad}/door-{number}.json",))] if bad else []
        facts += [Fact("message", (f"door {number} does not answer",))] if bad else []
        facts += [Fact("message", (f"door {number} is slow",))] if not bad and number % 23 == 5 else []
    facts += [Fact("message", (one,)) for one in ("TypeError at the last door", "404", "503", "500")]
    yield Item(name, CONSOLE, "text", f"playwright-mcp {tool}", text, said_in(facts, text))


def tools_run(name: str, shop: Shop) -> Iterator[Item]:
    """The tools of playwright's server; the facts are their names and what each takes."""
    text = answers(
        shop, name, ["@playwright/mcp/cli.js", "--caps=vision,pdf,testing,tracing"], [("tools/list", {}, True)]
    )
    tools = json.loads(text)["tools"]
    facts = [Fact("name", (one["name"],)) for one in tools] + [Fact("key", (key,)) for key in keys_of(tools)]
    facts += [
        Fact("message", (one["annotations"]["title"],)) for one in tools if one.get("annotations", {}).get("title")
    ]
    yield Item(name, SERVER, "json", "playwright-mcp tools/list", text, said_in(in_json(facts), text))


def tree_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """A tree of files as a tool server tells it; the facts are the directories and the kinds."""
    tree = shop.sdist(source, shop.room(f"{name}-tree"))
    server = ["@modelcontextprotocol/server-filesystem/dist/index.js", tree]
    text = answers(shop, name, server, [("directory_tree", {"path": tree}, True)])
    paths = [os.path.relpath(os.path.join(folder, one), tree) for folder, _, names in os.walk(tree) for one in names]
    names = dict.fromkeys(part for path in paths for part in os.path.dirname(path).split("/") if part)
    facts = [Fact("name", (one,)) for one in names]
    facts += [Fact("name", (path,)) for path in paths if "/" not in path]
    facts += [Fact("key", (key,)) for key in ("name", "type", "children")]
    yield Item(name, SERVER, "json", "mcp-server-filesystem directory_tree", text, said_in(in_json(facts), text))


def found_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """Files that a tool server finds; the facts are their directories, and the files of those that hold one only."""
    tree = shop.sdist(source, shop.room(f"{name}-tree"))
    server = ["@modelcontextprotocol/server-filesystem/dist/index.js", tree]
    text = answers(shop, name, server, [("search_files", {"path": tree, "pattern": pattern}, True)])
    text = text.replace(f"{tree}/", "/srv/")
    paths = [line for line in text.splitlines() if line.startswith("/srv/")]
    facts = list(directory_facts("/", (path[1:] for path in paths)))
    folders = [os.path.dirname(path) for path in paths]
    facts += [Fact("path", (path,)) for path in paths if folders.count(os.path.dirname(path)) == 1]
    yield Item(name, SERVER, "text", "mcp-server-filesystem search_files", text, said_in(facts, text))


RECIPES = {
    "browser-docs": partial(document_page, "browser-docs", "sqlite3-doc", "usr/share/doc/sqlite3/cli.html"),
    "browser-forms": partial(form_page, "browser-forms"),
    "browser-dom": partial(dom_page, "browser-dom"),
    "browser-console": partial(loading_page, "browser-console", "console"),
    "browser-requests": partial(loading_page, "browser-requests", "requests"),
    "mcp-tools": partial(tools_run, "mcp-tools"),
    "mcp-tree": partial(tree_run, "mcp-tree", "werkzeug==3.0.4"),
    "mcp-found": partial(found_run, "mcp-found", "twisted==24.7.0", "**/*.py"),
}
