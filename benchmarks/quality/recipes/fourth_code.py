"""Source files of languages that nobody tunes on; the facts are the names that ctags finds declared in them."""

import glob
import json
import os
import tomllib
from collections.abc import Callable, Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.held_documents import keys_of
from recipes.held_linters import read

CODE = "source code"
KINDS = frozenset(
    """class method function func interface trait module subroutine procedure table view enum enumerator struct
    singletonMethod implementation implementationBlock namespace package object typedef macro id trigger domain
    annotation property protocol""".split()
)
"""Kinds of ctags that somebody looks for in a file; fields, parameters and variables are not."""

Fetch = Callable[[Shop, str], str]


def from_debian(package: str) -> Fetch:
    """The files of a package of the distribution."""
    return lambda shop, _: shop.debian_package(package)


def from_npm(package: str) -> Fetch:
    """The files of a package of npm's."""
    return lambda shop, room: shop.npm_source(package, room)


def from_pypi(package: str) -> Fetch:
    """The sources of a package of Python's."""
    return lambda shop, room: shop.sdist(package, room)


def from_source(package: str) -> Fetch:
    """The sources of a package of the distribution."""
    return lambda shop, room: shop.debian_source(package, room)


def source_file(shop: Shop, name: str, fetch: Fetch, pattern: str) -> str:
    """The largest file that the pattern names."""
    found = glob.glob(os.path.join(fetch(shop, shop.room(name)), pattern), recursive=True)
    if not found:
        raise CannotMake(f"no {pattern}")
    return max(found, key=os.path.getsize)


def code_run(name: str, fetch: Fetch, pattern: str, shop: Shop) -> Iterator[Item]:
    """A source file; the facts are its declarations."""
    shop.install("ctags", "universal-ctags")
    path = source_file(shop, name, fetch, pattern)
    command = ["ctags", "--output-format=json", "--fields=+K", "--langmap=Sh:+(bash_completion)", "-f", "-", path]
    found = [json.loads(line) for line in shop.run(command, shop.root, apart=True).text.splitlines()]
    names = [row["name"] for row in found if row.get("_type") == "tag" and row.get("kind") in KINDS]
    text = read(path)
    facts = [Fact("name", (one,)) for one in names if not one.startswith("__anon")]
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def toml_run(name: str, fetch: Fetch, pattern: str, shop: Shop) -> Iterator[Item]:
    """A project's settings; the facts are its tables, its keys and what is set in the project's own table."""
    path = source_file(shop, name, fetch, pattern)
    text = read(path)
    value = tomllib.loads(text)
    facts = [Fact("name", (key,)) for key in keys_of(value)]
    facts += [Fact("message", (str(one),)) for one in value["project"].values() if isinstance(one, str)]
    yield Item(name, "settings", "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


FILES = {
    "java-react": (from_npm("react-native@0.76.1"), "ReactAndroid/src/main/java/**/UIImplementation.java"),
    "ruby-sinatra": (from_debian("ruby-sinatra"), "usr/share/**/sinatra/base.rb"),
    "php-console": (from_debian("php-symfony-console"), "usr/share/php/**/Console/Application.php"),
    "lua-prosody": (from_debian("prosody"), "usr/lib/prosody/**/*.lua"),
    "perl-agent": (from_debian("libwww-perl"), "usr/share/perl5/LWP/UserAgent.pm"),
    "sql-views": (from_debian("postgresql-15"), "usr/share/postgresql/15/system_views.sql"),
    "css-grid": (from_npm("bootstrap@4.6.2"), "dist/css/bootstrap-grid.css"),
    "objc-react": (from_npm("react-native@0.76.1"), "React/**/RCTUIManager.m"),
    "shell-completion": (from_debian("bash-completion"), "usr/share/bash-completion/bash_completion"),
    "rust-bat": (from_source("rust-bat"), "**/printer.rs"),
}

RECIPES = {
    **{f"cat-{name}": partial(code_run, f"cat-{name}", *where) for name, where in FILES.items()},
    "cat-toml-twisted": partial(toml_run, "cat-toml-twisted", from_pypi("twisted==24.7.0"), "pyproject.toml"),
}
