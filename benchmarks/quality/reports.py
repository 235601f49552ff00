"""Facts out of what tools report for machines: JUnit XML, JSON reporters, `git diff --numstat`, syntax trees."""

import ast
import json
import os
import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from items import Fact
from telling import Told

COUNTED = 10
"""Of so many files of a diff, those that changed most, the counts are asked."""

LINE = 90
"""So much of a message has to be there: a view may clamp a line."""


def first_line(message: str) -> str:
    """The line of a message that says most: the first that is more than an exception's name.

    >>> first_line("AssertionError\\nassert 1 == 2"), first_line("boom")
    ('assert 1 == 2', 'boom')
    """
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    telling = [
        line for line in lines if len(line) > 12 and not re.fullmatch(r"[\w.]+(Error|Exception|Failure)?:?", line)
    ]
    return (telling or lines or [""])[0][:LINE].strip()


class Failure(NamedTuple):
    """A test that failed: its name, what it said, and where."""

    name: str
    message: str
    place: str = ""


def failure_facts(failures: Iterable[Failure], *more: Fact) -> tuple[Fact, ...]:
    """Every name, every distinct message and place, and whatever else is given."""
    every = list(failures)
    facts = [Fact("name", (one.name,)) for one in every if one.name]
    facts += [Fact("message", (one.message,)) for one in every if one.message]
    facts += [Fact("location", (one.place,)) for one in every if one.place]
    return (*dict.fromkeys(facts), *more)


PLACE = re.compile(r"^(\S+\.\w+:\d+)(?=: \w*(?:Error|Exception|Failed|Exit|Warning)|$|: in )", re.MULTILINE)


def junit_failures(xml: str) -> list[Failure]:
    """The failed and broken cases of a JUnit report."""
    found = []
    for case in ET.fromstring(xml).iter("testcase"):
        for bad in (*case.findall("failure"), *case.findall("error")):
            text = bad.text or ""
            places = re.findall(
                r"^(\S+\.\w+:\d+)(?=: \w*(?:Error|Exception|Failed|Exit|Warning)|$|: in )", text, re.MULTILINE
            )
            message = first_line(bad.get("message") or text)
            found.append(Failure(case.get("name") or "", message, places[-1] if places else ""))
            break
    return found


def in_xml(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The same facts, spelt as they stand in an XML document as well."""
    return tuple(
        fact._replace(
            spellings=tuple(
                dict.fromkeys(
                    spelt
                    for one in fact.spellings
                    for spelt in (
                        one,
                        escape(one),
                        escape(one, {'"': "&quot;"}),
                        escape(one, {'"': "&quot;", "'": "&#39;"}),
                    )
                )
            )
        )
        for fact in facts
    )


def in_json(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The same facts, spelt as they stand inside a JSON string as well."""
    return tuple(
        fact._replace(
            spellings=tuple(
                dict.fromkeys(
                    spelt
                    for one in fact.spellings
                    for spelt in (one, json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1])
                )
            )
        )
        for fact in facts
    )


class Diagnostic(NamedTuple):
    """What a checker or compiler says of a place. `place` is spelt as in its text output."""

    path: str
    place: str
    code: str
    message: str


FEW = 25
"""Up to so many diagnostics each place is a fact; above, one place of every distinct message is."""


def diagnostic_facts(found: list[Diagnostic], *more: Fact) -> tuple[Fact, ...]:
    """Every code, every file, every directory, every distinct message with one of its places; if few, every place."""
    places: dict[str, dict[str, None]] = {}
    for one in found:
        places.setdefault(first_line(one.message), {})[one.place] = None
    facts = [Fact("record", tuple(at), (said,)) for said, at in places.items() if said]
    facts += [Fact("code", (one.code,)) for one in found if one.code and " " not in one.code]
    facts += [Fact("path", (one.path,)) for one in found]
    facts += [Fact("path", (os.path.dirname(one.path),)) for one in found if os.path.dirname(one.path)]
    if len(found) <= FEW:
        facts += [Fact("location", (one.place,)) for one in found]
    return (*dict.fromkeys(facts), *more)


def spread_facts(found: list[Diagnostic], *more: Fact) -> tuple[Fact, ...]:
    """The facts of diagnostics that name their place on another line: the message and one of its places apart."""
    facts: list[Fact] = []
    for fact in diagnostic_facts(found, *more):
        facts += (
            [Fact("message", fact.together), fact._replace(kind="location", together=())] if fact.together else [fact]
        )
    return tuple(facts)


def said_in(facts: Iterable[Fact], text: str) -> tuple[Fact, ...]:
    """Only what the output itself says: a report may hold more than the text shows."""
    told = Told(text)
    return tuple(fact for fact in dict.fromkeys(facts) if fact.kind == "size" or fact.told_by(told))


def outline_facts(source: str) -> tuple[Fact, ...]:
    """The names of a Python module's classes and functions, and of the methods of its classes."""
    names: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        if isinstance(node, ast.ClassDef):
            names += [
                one.name
                for one in node.body
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_")
            ]
    return tuple(Fact("name", (name,)) for name in dict.fromkeys(names))


def heading_facts(markdown: str) -> tuple[Fact, ...]:
    """The headings of a markdown text, fenced code left aside."""
    bare = re.sub(r"^(```|~~~).*?^\1", "", markdown, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,3} +(.+?)[ #]*$", bare, re.MULTILINE)
    return tuple(dict.fromkeys(Fact("heading", (one.strip(),)) for one in headings))


def changed_facts(numstat: str, status: str, diff: str) -> tuple[Fact, ...]:
    """Every changed path, old names of renamed ones, a changed line of each of the five largest changes.

    And of some files how large the change is: counts on the line that names it, or the whole change.
    """
    rows = [row.split("\t") for row in numstat.splitlines() if row.count("\t") == 2]
    facts = [Fact("path", (_target(path),)) for _, _, path in rows]
    for line in status.splitlines():
        how, *paths = line.split("\t")
        if how.startswith("R"):
            facts.append(Fact("path", (paths[0],)))
    parts = {part.split("\n", 1)[0]: part for part in diff.split("\ndiff --git ")}
    large = sorted((row for row in rows if row[0].isdigit()), key=lambda row: -int(row[0]) - int(row[1]))
    for _, _, path in [row for row in large if not _generated(row[2])][:5]:
        body = next((part for head, part in parts.items() if head.endswith(f" b/{_target(path)}")), "")
        lines = [line for line in body.splitlines() if re.match(r"[+-](?![+-]{2} )", line) and len(line.strip()) > 24]
        if lines:
            facts.append(Fact("change", tuple(dict.fromkeys(lines))))
    for added, removed, path in large[:COUNTED]:
        body = next((part for head, part in parts.items() if head.endswith(f" b/{_target(path)}")), "")
        counts = tuple(count for count in (added, removed) if count != "0")
        facts.append(Fact("size", (body,), (_target(path), *counts)))
    return tuple(facts)


def _target(path: str) -> str:
    """The new name in numstat's spelling of a rename: `src/{a => b}/x` or `a => b`."""
    path = re.sub(r"\{(.*?) => (.*?)\}", r"\2", path).replace("//", "/")
    return path.split(" => ")[-1]


def _generated(path: str) -> bool:
    return bool(re.search(r"(lock|\.min\.|PKG-INFO|SOURCES\.txt|\.svg|\.po|\.json|\.snap)$|egg-info|/dist/", path))


def directory_facts(root: str, paths: Iterable[str]) -> tuple[Fact, ...]:
    """The directories that hold these paths (given from `root`), those above them too."""
    known: set[str] = set()
    for path in paths:
        while path := os.path.dirname(path):
            known.add(path)
    return tuple(Fact("path", (f"{root}{one}",)) for one in sorted(known))
