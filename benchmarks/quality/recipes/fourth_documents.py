"""Pages of documentation that nobody tunes on; the facts are their headings, and the names that a module documents."""

import glob
import gzip
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.fourth_linters import python_tools
from recipes.held_linters import read
from recipes.third_documents import page_headings

DOCUMENT = "documentation"

NAMES = """import importlib, inspect, json, sys
module = importlib.import_module(sys.argv[1])
found = [n for n in module.__all__]
for name in module.__all__:
    one = getattr(module, name)
    if inspect.isclass(one):
        found += [n for n, m in vars(one).items() if inspect.isfunction(m) and not n.startswith("_")]
print(json.dumps(found))
"""


def pydoc_run(name: str, module: str, shop: Shop) -> Iterator[Item]:
    """`python -m pydoc` of a module; the facts are the names that it exports, and the methods of its classes."""
    python = python_tools(shop)
    text = shop.run([python, "-m", "pydoc", module], shop.root).text
    names = json.loads(shop.run([python, "-c", NAMES, module], shop.root, apart=True).text)
    facts = [Fact("name", (one,)) for one in names]
    facts += [Fact("heading", (one,)) for one in re.findall(r"^([A-Z]{4,}[A-Z ]*)$", text, re.MULTILINE)]
    yield Item(name, DOCUMENT, "text", f"pydoc {module}", text, said_in(facts, text))


def perldoc_run(name: str, page: str, shop: Shop) -> Iterator[Item]:
    """`perldoc -T`; the facts are the headings of the page's source."""
    shop.install("perldoc", "perl-doc")
    text = shop.run(["perldoc", "-T", "-o", "text", page], shop.root, apart=True).text
    source = read(shop.run(["perldoc", "-l", page], shop.root, apart=True).text.strip())
    found = [
        re.sub(r"[BCFILSX]<+\s*(.*?)\s*>+", r"\1", one)
        for one in re.findall(r"^=head[12] +(.*)$", source, re.MULTILINE)
    ]
    yield Item(
        name, DOCUMENT, "text", f"perldoc {page}", text, said_in([Fact("heading", (one,)) for one in found], text)
    )


def info_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`info --subnodes`; the facts are the titles of the nodes in the file."""
    shop.install("info")
    found = glob.glob(os.path.join(shop.debian_package(package), pattern))
    if not found:
        raise CannotMake(f"no {pattern}")
    text = shop.run(["info", "--subnodes", "-o", "-", "-f", found[0]], shop.root, apart=True).text
    with gzip.open(found[0], "rt", encoding="utf-8", errors="replace") as file:
        titles = re.findall(r"^(\d[\d.]* .+)\n[*=\-.]{4,}$", file.read(), re.MULTILINE)
    facts = [Fact("heading", (one,)) for one in titles]
    yield Item(name, DOCUMENT, "text", f"info {package}", text, said_in(facts, text))


def page_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """A page as it was fetched; the facts are its headings."""
    path = max(glob.glob(os.path.join(shop.debian_package(package), pattern)), key=os.path.getsize)
    text = read(path)
    facts = [Fact("heading", (one,)) for one in page_headings(path)]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


RECIPES = {
    "pydoc-argparse": partial(pydoc_run, "pydoc-argparse", "argparse"),
    "pydoc-subprocess": partial(pydoc_run, "pydoc-subprocess", "subprocess"),
    "perldoc-perlref": partial(perldoc_run, "perldoc-perlref", "perlref"),
    "info-sed": partial(info_run, "info-sed", "sed", "usr/share/info/sed.info.gz"),
    "html-sqlite": partial(page_run, "html-sqlite", "sqlite3-doc", "usr/share/doc/sqlite3*/fileformat2.html"),
}
