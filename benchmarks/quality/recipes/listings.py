"""Searches and listings over the trees of real packages."""

import json
import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop


class Search(NamedTuple):
    """A pattern looked for in a package's tree."""

    name: str
    package: str
    tool: str
    pattern: str


SEARCHES = (
    Search("rg-networkx-raise", "networkx==3.3", "rg", "raise nx.NetworkXError"),
    Search("rg-werkzeug-todo", "werkzeug==3.0.3", "rg", "def .*self"),
    Search("grep-jinja2-deprecated", "jinja2==3.1.4", "grep", "environment"),
    Search("rg-heading-zod", "zod@4.1.5", "rg-heading", "issue"),
)


def _tree(shop: Shop, name: str, package: str) -> str:
    room = shop.room(name)
    return shop.npm_source(package, room) if "@" in package else shop.sdist(package, room)


def search_run(one: Search, shop: Shop) -> Iterator[Item]:
    """What rg or grep prints; the facts, from rg's JSON, are every file with a match and every directory."""
    shop.need("rg", package="ripgrep")
    tree = _tree(shop, one.name, one.package)
    commands = {
        "rg": ["rg", "-n", "--sort", "path", one.pattern, "."],
        "rg-heading": ["rg", "-n", "--sort", "path", "--heading", one.pattern, "."],
        "grep": ["grep", "-rnI", one.pattern, "."],
    }
    text = shop.run(commands[one.tool], tree).text
    listed = shop.run(["rg", "--json", "--sort", "path", one.pattern, "."], tree, apart=True).text
    matches = [json.loads(line)["data"] for line in listed.splitlines() if '"type":"match"' in line[:40]]
    files = dict.fromkeys(match["path"]["text"].removeprefix("./") for match in matches)
    facts = (*(Fact("path", (path,)) for path in files), *directory_facts("", files))
    yield Item(one.name, "listing and matches", "text", " ".join(commands[one.tool]), text, said_in(facts, text))


LISTINGS = (
    Search("ls-networkx", "networkx==3.3", "ls -laR", ""),
    Search("find-zod", "zod@4.1.5", "find . -type f", ""),
    Search("tree-rxjs", "rxjs@7.8.1", "tree", ""),
)


def listing_run(one: Search, shop: Shop) -> Iterator[Item]:
    """What a lister prints; the facts are every directory that holds files, and the files at the top."""
    shop.need("tree", package="tree")
    tree = _tree(shop, one.name, one.package)
    text = shop.run(one.tool.split(), tree).text
    paths = [
        os.path.relpath(os.path.join(folder, name), tree)
        for folder, _, names in os.walk(tree)
        for name in sorted(names)
    ]
    facts = list(directory_facts("", paths))
    facts += [Fact("path", (path,)) for path in paths if "/" not in path]
    yield Item(one.name, "listing and matches", "text", one.tool, text, said_in(facts, text))


RECIPES = {one.name: partial(search_run, one) for one in SEARCHES} | {
    one.name: partial(listing_run, one) for one in LISTINGS
}
