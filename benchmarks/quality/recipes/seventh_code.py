"""Source files of further languages that nobody tunes on; the facts are the names that are declared in them."""

import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fourth_code import CODE, Fetch, code_run, from_debian, from_npm, from_source, source_file
from recipes.held_linters import read
from recipes.seventh_tools import python_tools

DECLARED = {
    "sol": r"^ *(?:abstract +)?(?:contract|library|interface|function|modifier|event|error|struct|enum) +(\w+)",
    "zig": r"^ *(?:pub +)?(?:inline +|export +|extern +)*(?:fn +(\w+)|const +(\w+) *= *(?:struct|enum|union|error))",
    "nim": r"^(?:proc|func|template|macro|iterator|method|converter) +(\w+)|^  (\w+)\*? *(?:\{\..*\.\})? *= *(?:object|enum|ref object)",
    "vue": r"^ {6}(\w+)(?:\(.*\) \{|: \{|: function)|^ {4}(?:name: '(\w+)'|(\w+)\(.*\) \{)",
    "adb": r"^ *(?:procedure|function|package body) +\"?([\w.]+)",
    "ex": r"^ *(?:defp?|defmacrop?|defmodule|defstruct|defguard) +([\w.?!]+)",
}
"""How a language declares a name; there is no reader of it here."""


def matched_run(name: str, fetch: Fetch, pattern: str, shop: Shop) -> Iterator[Item]:
    """A source file; the facts are its declarations, by a fixed pattern."""
    path = source_file(shop, name, fetch, pattern)
    text = read(path)
    found = re.findall(DECLARED[path.rsplit(".", 1)[-1]], text, re.MULTILINE)
    names = ["".join(one) if isinstance(one, tuple) else one for one in found]
    facts = [Fact("name", (one,)) for one in names if one]
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def from_tools(shop: Shop, _: str) -> str:
    """The packages that the tools are installed with."""
    lib = os.path.join(os.path.dirname(os.path.dirname(python_tools(shop))), "lib")
    return os.path.join(lib, os.listdir(lib)[0], "site-packages")


BY_CTAGS = {
    "ocaml-format": (from_debian("ocaml"), "usr/lib/ocaml/format.ml"),
}

BY_PATTERN = {
    "ada-vectors": (from_debian("gnat-12"), "usr/lib/gcc/*/12/adainclude/a-cobove.adb"),
    "sol-governor": (from_npm("@openzeppelin/contracts@4.9.6"), "governance/Governor.sol"),
    "nim-strutils": (from_debian("nim"), "usr/lib/nim/**/strutils.nim"),
    "vue-table": (from_npm("element-ui@2.15.14"), "packages/**/table.vue"),
    "ex-enum": (from_source("elixir-lang"), "lib/elixir/lib/enum.ex"),
    "zig-parse": (from_tools, "ziglang/lib/std/zig/Parse.zig"),
}

RECIPES = {
    **{f"cat-{name}": partial(code_run, f"cat-{name}", *where) for name, where in BY_CTAGS.items()},
    **{f"cat-{name}": partial(matched_run, f"cat-{name}", *where) for name, where in BY_PATTERN.items()},
}
