"""Searches and indexes of names that nobody tunes on; they answer again for machines, or Python's own search does."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

SEARCH, INDEX, LISTING = "search", "index of names", "listing"


def files_below(tree: str, suffixes: tuple[str, ...]) -> list[str]:
    """The files of these endings, from the directory on."""
    return sorted(
        os.path.relpath(os.path.join(folder, one), tree)
        for folder, _, names in os.walk(tree)
        for one in names
        if one.endswith(suffixes) and ".pc" not in folder.split(os.sep)
    )


def ctags_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """`ctags -x` of a library in C; the facts, from its JSON, are the files, the functions, structures and types."""
    shop.install("ctags", "universal-ctags")
    tree = shop.debian_source(package, shop.room(name))
    paths = [one for one in files_below(tree, (".c", ".h")) if "/" not in one]
    text = shop.run(["ctags", "-x", "--c-kinds=+p", *paths], tree, apart=True).text
    rows = shop.run(["ctags", "--output-format=json", "--fields=+K", "-f", "-", *paths], tree, apart=True).text
    found = [json.loads(line) for line in rows.splitlines()]
    facts = [Fact("path", (row["path"],)) for row in found]
    facts += [Fact("name", (row["kind"],)) for row in found]
    facts += [
        Fact("odd", (), (row["name"], row["path"])) for row in found if row["kind"] in {"function", "struct", "union", "enum"}
    ]  # fmt: skip
    yield Item(name, INDEX, "text", "ctags -x", text, said_in(facts, text))


def global_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`global -xr`: references of names; the facts, by grep's form of it, are the files, the names, how often each is met."""
    shop.install("global")
    tree = shop.debian_source(package, shop.room(name))
    shop.run(["gtags"], tree)
    text = shop.run(["global", "-xr", pattern], tree, apart=True).text
    rows = shop.run(["global", "-r", "--result=grep", pattern], tree, apart=True).text.splitlines()
    found = [row.split(":", 2) for row in rows]
    paths = dict.fromkeys(row[0] for row in found)
    names = Counter(line.split()[0] for line in text.splitlines())
    facts = [Fact("path", (path,)) for path in paths] + [Fact("name", (one,)) for one in names]
    facts += [
        Fact("odd", (), (line.split()[0], line.split()[2], line.split()[1]))
        for line in text.splitlines()
        if names[line.split()[0]] == 1
    ]
    yield Item(name, SEARCH, "text", f"global -xr {pattern}", text, said_in(facts, text))


def cscope_run(name: str, package: str, function: str, shop: Shop) -> Iterator[Item]:
    """`cscope -L3`: who calls a function; the facts are every file and every caller with its file."""
    shop.install("cscope")
    tree = shop.debian_source(package, shop.room(name))
    write(os.path.join(tree, "cscope.files"), "\n".join(files_below(tree, (".c", ".h"))) + "\n")
    shop.run(["cscope", "-b", "-k"], tree)
    text = "".join(shop.run(["cscope", "-d", "-L", "-3", one], tree, apart=True).text for one in function.split(","))
    rows = [line.split(" ", 3) for line in text.splitlines()]
    facts = [Fact("path", (row[0],)) for row in rows] + [Fact("odd", (), (row[1], row[0])) for row in rows]
    yield Item(name, SEARCH, "text", f"cscope -d -L3 {function}", text, said_in(facts, text))


def pcre_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`pcre2grep -rn`; the facts, by Python's search, are every file with a match and every match that is met once."""
    shop.install("pcre2grep", "pcre2-utils")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run(["pcre2grep", "-rn", "--include=\\.py$", pattern, "."], tree, apart=True).text
    found: dict[str, list[str]] = {}
    for path in files_below(tree, (".py",)):
        for number, line in enumerate(read(os.path.join(tree, path)).split("\n"), 1):
            for match in re.findall(pattern, line)[:1]:
                found.setdefault(match, []).append(f"./{path}:{number}")
    paths = {place.rsplit(":", 1)[0] for places in found.values() for place in places}
    facts = [Fact("path", (path.removeprefix("./"),)) for path in sorted(paths)]
    facts += [Fact("record", tuple(places), (match,)) for match, places in found.items()]
    facts += list(directory_facts("", (path.removeprefix("./") for path in paths)))
    yield Item(name, SEARCH, "text", f"pcre2grep -rn {pattern} .", text, said_in(facts, text))


def fd_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`fdfind -l`; the facts are the directories, the largest files, and files whose ending is rare."""
    shop.install("fdfind", "fd-find")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run(["fdfind", "-t", "f", "-l", "."], tree, apart=True).text
    paths = [os.path.relpath(os.path.join(folder, one), tree) for folder, _, names in os.walk(tree) for one in names]
    endings = Counter(os.path.splitext(path)[1] for path in paths)
    large = sorted(paths, key=lambda path: -os.path.getsize(os.path.join(tree, path)))[:12]
    facts = list(directory_facts("", paths))
    facts += [
        Fact("path", (path,)) for path in (*large, *(one for one in paths if endings[os.path.splitext(one)[1]] <= 3))
    ]
    yield Item(name, LISTING, "text", "fdfind -t f -l .", text, said_in(facts, text))


RECIPES = {
    "ctags-zlib": partial(ctags_run, "ctags-zlib", "zlib"),
    "global-json-c": partial(global_run, "global-json-c", "json-c", "json_object_.*"),
    "cscope-libevent": partial(
        cscope_run, "cscope-libevent", "libevent", "evbuffer_free,event_base_free,event_warn,evhttp_free"
    ),
    "pcre2grep-sphinx": partial(pcre_run, "pcre2grep-sphinx", "sphinx==7.4.0", r"raise (\w+)\("),
    "fdfind-twisted": partial(fd_run, "fdfind-twisted", "twisted==24.7.0"),
}
