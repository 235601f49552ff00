"""What `smart` shows of source text: imports, whole functions, and an outline of all the others."""

import argparse
import ast
import decimal
import json.decoder
import re
import subprocess
import tarfile
import textwrap
import typing
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.cut.smart import outline as outlines
from overspill.cut.smart.languages import grammar_of
from overspill.cut.smart.outline import Outline, exact_outline, outline, source_lines
from overspill.kinds import sniff
from smart_views import MARKER, seen

MODULES = [argparse, json.decoder, textwrap, typing]
OMITTED = re.compile(r"^\[omitted: (?:.*\n)*?.*\]$", re.MULTILINE)


def source_of(module: ModuleType) -> str:
    assert module.__file__
    return Path(module.__file__).read_text("utf-8")


def functions(text: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods as Python's own parser sees them, but for those inside others."""
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(child)
            else:
                visit(child)

    visit(ast.parse(text))
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.parametrize("way", [outline, exact_outline], ids=["lines", "tree"])
def test_functions_begin_and_end_where_the_language_says(module: ModuleType, way: typing.Any) -> None:  # noqa: ANN401  # one of two functions
    text = source_of(module)
    found: Outline = way(text, "python")
    ends = {one.line: text.count("\n", 0, one.end) for one in found.definitions}
    lines = text.splitlines()
    for function in functions(text):
        after = lines[function.end_lineno or 0 : ends[function.lineno]]
        assert ends[function.lineno] >= (function.end_lineno or 0), function.name
        assert all(line.strip().startswith("#") or not line.strip() for line in after), function.name


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
@pytest.mark.parametrize("limit", [2_000, 8_000])
def test_no_function_is_shown_by_half(module: ModuleType, limit: int) -> None:
    """But for the last line of the file, which every view ends with."""
    text = source_of(module)
    view = seen(text, limit, kind="code")
    assert len(view.text) <= limit
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for function in functions(text):
        start, end = starts[function.body[0].lineno - 1], starts[function.end_lineno or 0]
        shown = sum(max(0, min(end, to) - max(start, at)) for at, to in view.kept)
        last = len(text) - text.rstrip().rfind("\n") - 1 if end >= len(text.rstrip()) else 0
        assert shown in (0, last, end - start), function.name


@pytest.mark.parametrize("limit", [600, 2_000, 8_000])
@pytest.mark.parametrize("kind", ["code", "prose", "matches", "log", "listing"])
def test_the_last_line_is_always_there(kind: str, limit: int) -> None:
    texts = {
        "code": source_of(argparse) + "\n# the very end",
        "prose": "".join(f"# Part {n}\n\n{'Some words of it. ' * 30}\n\n" for n in range(40)) + "the very end\n",
        "matches": "".join(f"src/a{n}.py:{n}: text of {n}\n" for n in range(999)) + "src/z.py:9: the very end",
        "log": "".join(f"INFO {n} done\n" for n in range(2_000)) + "the very end",
        "listing": "".join(f"./src/dir{n % 9}/file{n}.c\n" for n in range(2_000)) + "./the very end",
    }
    assert "the very end" in seen(texts[kind], limit, kind=kind).text


def test_a_function_is_named_for_its_name_however_it_is_declared() -> None:
    source = """struct A {
  T& operator[](const K& k, int b) { return x; }
  operator bool() const { return true; }
};
int& first(int a, int b) { return g; }
void (*second(int a, void (*f)(int)))(int) { return 0; }
"""
    found = exact_outline(source, "cpp")
    assert found is not None
    assert [one.name for one in found.definitions] == ["A", "operator[]", "operator bool", "first", "second"]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_function_is_shown_or_named(module: ModuleType) -> None:
    text = source_of(module)
    view = seen(text, 12_000, kind="code").text
    for function in functions(text):
        assert function.name in view


@pytest.mark.parametrize("module", [argparse, subprocess, tarfile], ids=lambda module: module.__name__)
def test_the_names_of_what_is_omitted_leave_room_for_code(module: ModuleType) -> None:
    """AC-099, X-16: whole signatures take a third of the room at the most, bare names half; then `+N more`."""
    for limit in (4_000, 8_000):
        view = seen(source_of(module), limit, kind="code").text
        names = OMITTED.search(view)
        assert names is not None
        assert len(names[0]) <= limit // 2
        if " def " in names[0]:
            assert len(names[0]) <= 0.36 * limit
        assert sum(len(line) for line in view.splitlines() if line in source_of(module).splitlines()) > 0.4 * limit


def test_imports_are_shown() -> None:
    view = seen(source_of(argparse), 4_000, kind="code").text
    assert "import re as _re" in view
    assert "import sys as _sys" in view


def test_a_long_block_of_imports_gives_way_and_names_say_where_they_stand() -> None:
    """What the file says of itself and functions say more than forty imports; a name alone cannot be fetched."""
    imports = "".join(f"from package.part_{number} import something_{number}\n" for number in range(40))
    functions = "".join(
        f"\ndef work_{number}(value: int) -> int:\n    return value + {number}\n" for number in range(60)
    )
    text = f'"""Adds up numbers."""\n\n{imports}{functions}'
    view = seen(text, 2_000, kind="code").text
    assert '"""Adds up numbers."""' in view
    assert "part_20" not in view
    placed = re.findall(r"L(\d+) (?:def )?(work_\d+)", view)
    assert placed
    lines = text.splitlines()
    assert all(f"def {name}(" in lines[int(number) - 1] for number, name in placed)


def test_what_is_looked_for_is_shown_whole() -> None:
    text = source_of(decimal) + source_of(json.decoder)
    view = seen(source_of(json.decoder), 3_000, kind="code", focus="raw_decode").text
    assert "    def raw_decode(self, s, idx=0):\n" in view
    assert "        return obj, end\n" in view
    assert text


@pytest.mark.parametrize("prefix", ["{:6}\t", "{}: ", "{:>5}→"])
def test_numbered_lines_are_read_all_the_same(prefix: str) -> None:
    text = source_of(json.decoder)
    numbered = "".join(prefix.format(n) + line for n, line in enumerate(text.splitlines(keepends=True), 1))
    assert sniff(numbered).name == "code"
    plain = [(one.name, one.line) for one in outline(text, "python").definitions]
    assert [(one.name, one.line) for one in outline(numbered, "python").definitions] == plain
    view = seen(numbered, 5_000).text
    assert "omitted: " in view
    assert "def _decode_uXXXX(s, pos):" in view


SOURCES = {
    "javascript": """import fs from "fs";
export class Shop {
  constructor(rows) {
    this.rows = rows;
  }
  async total(tax) {
    return this.rows.length * tax;
  }
}
export function open(path) {
  return fs.readFileSync(path);
}
const close = (shop) => {
  shop.closed = true;
};
""",
    "go": """package shop

import "fmt"

type Shop struct {
	rows []int
}

func (s *Shop) Total(tax int) int {
	return len(s.rows) * tax
}

func open(path string) error {
	return fmt.Errorf(path)
}
""",
    "rust": """use std::fs;

pub struct Shop {
    rows: Vec<u8>,
}

impl Shop {
    pub fn total(&self, tax: usize) -> usize {
        self.rows.len() * tax
    }
}

fn open(path: &str) -> Vec<u8> {
    fs::read(path).unwrap()
}
""",
    "java": """package shop;

import java.util.List;

public class Shop {
    private List<Integer> rows;

    public Shop(List<Integer> rows) {
        this.rows = rows;
    }

    @Override
    public int total(int tax) {
        return rows.size() * tax;
    }
}
""",
    "c": """#include <stdio.h>

struct shop {
    int rows;
};

static int
total(struct shop *shop, int tax)
{
    return shop->rows * tax;
}

int open_shop(const char *path) {
    puts(path);
    return 0;
}
""",
    "cpp": """#include <vector>

namespace shop {
class Shop {
 public:
  int total(int tax) const {
    return rows.size() * tax;
  }
  std::vector<int> rows;
};
}  // namespace shop

int open_shop(const char* path) {
  return path != nullptr;
}
""",
    "csharp": """using System;

namespace Shops
{
    public class Shop
    {
        public int Total(int tax)
        {
            return tax;
        }
    }
}
""",
    "ruby": """require "json"

module Shops
  class Shop
    def total(tax)
      @rows.size * tax
    end

    def self.open(path)
      JSON.parse(path)
    end
  end
end
""",
    "php": """<?php
namespace Shops;

use Rows\\Row;

final class Shop
{
    public function total(int $tax): int
    {
        return count($this->rows) * $tax;
    }
}

function open_shop($path) {
    return $path;
}
""",
}
EXPECTED = {
    "javascript": {"Shop", "constructor", "total", "open", "close"},
    "go": {"Shop", "Total", "open"},
    "rust": {"Shop", "total", "open"},
    "java": {"Shop", "total"},
    "c": {"shop", "total", "open_shop"},
    "cpp": {"shop", "Shop", "total", "open_shop"},
    "csharp": {"Shops", "Shop", "Total"},
    "ruby": {"Shops", "Shop", "total", "self.open"},
    "php": {"Shop", "total", "open_shop"},
}


@pytest.mark.parametrize("language", SOURCES)
def test_both_ways_find_the_definitions_of_every_language(language: str) -> None:
    text = SOURCES[language]
    by_lines, exact = outline(text, language), exact_outline(text, language)
    assert exact is not None, "the extra `code` is part of the test environment"
    assert by_lines.imports
    assert {one.name for one in by_lines.definitions} == EXPECTED[language]
    assert {one.name for one in exact.definitions} >= {name.removeprefix("self.") for name in EXPECTED[language]}
    ends = {one.line: one.end for one in exact.definitions if not one.container}
    for one in by_lines.definitions:
        if one.line in ends:
            assert text[: one.end].rstrip() == text[: ends[one.line]].rstrip(), one.name


@pytest.mark.parametrize("language", SOURCES)
def test_views_of_every_language_hold_the_promises(language: str) -> None:
    text = "".join(SOURCES[language].replace("total", f"total{n}").replace("Total", f"Total{n}") for n in range(60))
    for limit in (400, 2_000, 8_000):
        view = seen(text, limit, kind="code", name=f"a.{language}")
        assert 0 < len(view.text) <= limit
        counts = MARKER.findall(view.text)
        assert sum(int(chars) for _, chars in counts) == len(text) - view.shown.chars


snippets = st.sampled_from(
    ["def f(a,\n", "    b):\n", "    return 1\n", "class A:\n", "  x\n", "}\n", "{\n", '"""\n', "`\n", "import x\n",
     "\n", "\t\tif y:\n", "func g() {\n", "    12\tdef h():\n",
     "é = '\U0001f600'\r\n", "public int k(int a) {\n", "end\n",
     "@d\n", "#c\n"]
)  # fmt: skip


@given(
    st.lists(snippets, min_size=1, max_size=120).map("".join),
    st.sampled_from(["python", "javascript", "c", "ruby", "", "go"]),
    st.integers(64, 900),
)
def test_any_text_can_be_outlined_and_shown(text: str, language: str, limit: int) -> None:
    found = outline(text, language)
    assert "".join(text[line.start : line.end] for line in source_lines(text, grammar_of(language))) == text
    for one in found.definitions:
        assert 0 <= one.start == one.head.start < one.head.end <= one.end <= len(text)
    exact = exact_outline(text, language)
    for one in exact.definitions if exact else ():
        assert 0 <= one.start == one.head.start < one.head.end <= one.end <= len(text)
    if len(text) > limit:
        view = seen(text, limit, kind="code", name=f"a.{language}")
        assert 0 < len(view.text) <= limit
        assert view.text == seen(text, limit, kind="code", name=f"a.{language}").text


def test_a_long_text_of_another_language_is_not_parsed_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser takes seconds for what it cannot read: pieces of it tell that it is something else."""
    parsed: list[int] = []
    parser = outlines._parser("javascript")
    assert parser is not None
    parse = parser.parse

    class Counting:
        def parse(self, source: bytes) -> object:
            parsed.append(len(source))
            return parse(source)

    monkeypatch.setattr(outlines, "_parser", lambda _language: Counting())
    row = 'let Prefix = "ve" in def int_{0} : Builtin<"__builtin_{0}">, Intrinsic<[Type<v256>], [Type<i64>], [Read]>;\n'
    exact_outline("".join(map(row.format, range(2_000))), "javascript")
    assert 0 < sum(parsed) < 50_000
    functions = "".join(f"function f{number}(a) {{\n  return a + {number};\n}}\n" for number in range(4_000))
    found = exact_outline("}}\n" + functions, "javascript")
    assert found is not None
    assert len(found.definitions) == 4_000


@pytest.mark.parametrize(
    ("head", "function"),
    [
        ("#include <x.h>\n@implementation Shelf\n", "- (void)put_{0}:(int)count\n{{\n  self.sum = {0};\n}}\n\n"),
        ("package Shelf;\nmy $x = Shelf::new();\n", "sub put_{0} {{\n    my ($self) = @_;\n    return {0};\n}}\n\n"),
        ("#!/bin/bash\nset -e\n", 'put_{0}()\n{{\n    local count=$1\n    echo "${{count}} {0}"\n}}\n\n'),
        ("defmodule Shelf do\n", "  def put_{0}(count) do\n    count + {0}\n  end\n\n"),
        ("library(shelf)\n", "put_{0} <- function(count) {{\n  count + {0}\n}}\n\n"),
    ],
    ids=["Objective-C", "Perl", "shell, brace below", "Elixir", "R"],
)  # fmt: skip
def test_functions_of_languages_that_look_like_others_are_named(head: str, function: str) -> None:
    view = seen(head + "".join(function.format(number) for number in range(80)), 2_000, kind="code").text
    named = set(re.findall(r"put_\d+", view))
    assert len(named) >= 60
