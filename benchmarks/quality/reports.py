"""Facts out of what tools report for machines: JUnit XML, JSON reporters, `git diff --numstat`, syntax trees."""

import ast
import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from items import Fact, spread

NAMES, MESSAGES, PLACES = 60, 15, 15
"""At most so many names, distinct messages and places are asked of one output; evenly chosen over the whole."""

COUNTED = 10
"""Of so many files of a diff the counts are asked."""

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
    """Every name, every distinct message and place (up to the limits above), and whatever else is given."""
    every = list(failures)
    facts = [Fact("name", (name,)) for name in spread((one.name for one in every), NAMES)]
    facts += [Fact("message", (said,)) for said in spread((one.message for one in every if one.message), MESSAGES)]
    facts += [Fact("location", (place,)) for place in spread((one.place for one in every if one.place), PLACES)]
    return (*facts, *more)


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
"""Up to so many diagnostics each is a fact; above, every kind and every file is."""


def diagnostic_facts(found: list[Diagnostic], *more: Fact) -> tuple[Fact, ...]:
    """Few: each place and each distinct message. Many: each code with one of its places or messages, each file."""
    if len(found) <= FEW:
        facts = [Fact("location", (place,)) for place in spread((one.place for one in found), FEW)]
        facts += [Fact("message", (first_line(said),)) for said in spread((one.message for one in found), FEW)]
        return (*facts, *more)
    kinds = Counter(one.code for one in found)
    rare_first = sorted(kinds, key=lambda code: (kinds[code], code))[:FEW]
    facts = [
        Fact("code", tuple(spread((f"{one.place}" for one in found if one.code == code), 4000))) for code in rare_first
    ]
    files = Counter(one.path for one in found)
    facts += [Fact("path", (path,)) for path, _ in files.most_common(FEW)]
    return (*facts, *more)


def said_in(facts: Iterable[Fact], text: str) -> tuple[Fact, ...]:
    """Only what the output itself says: a report may hold more than the text shows."""
    return tuple(fact for fact in facts if fact.together or fact.told_by(text))


def outline_facts(source: str, most: int = NAMES) -> tuple[Fact, ...]:
    """The names of a Python module's classes and functions, and of the methods of its classes."""
    names: list[str] = []
    methods: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        if isinstance(node, ast.ClassDef):
            methods += [
                one.name
                for one in node.body
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and not one.name.startswith("_")
            ]
    room = max(0, most - len(set(names)))
    chosen = spread(names, most) + (spread(methods, room) if room > 1 else [])
    return tuple(Fact("name", (name,)) for name in dict.fromkeys(chosen))


def heading_facts(markdown: str, most: int = 40) -> tuple[Fact, ...]:
    """The headings of a markdown text, fenced code left aside."""
    bare = re.sub(r"^(```|~~~).*?^\1", "", markdown, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,3} +(.+?)[ #]*$", bare, re.MULTILINE)
    return tuple(Fact("heading", (one.strip(),)) for one in spread(headings, most))


def changed_facts(numstat: str, status: str, diff: str) -> tuple[Fact, ...]:
    """Every changed path, old names of renamed ones, a changed line of each of the five largest changes.

    And of some files how large the change is: counts on the line that names it, or the whole change.
    """
    rows = [row.split("\t") for row in numstat.splitlines() if row.count("\t") == 2]
    facts = [Fact("path", (path,)) for path in spread((_target(path) for _, _, path in rows), 2 * NAMES)]
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
    for added, removed, path in spread((tuple(row) for row in rows if row[0].isdigit()), COUNTED):
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


def directory_facts(root: str, paths: Iterable[str], most: int = 40) -> tuple[Fact, ...]:
    """The directories, up to two levels deep, that hold these paths (given from `root`)."""
    shallow = sorted({"/".join(os.path.dirname(path).split("/")[:2]) for path in paths} - {""})
    return tuple(Fact("path", (f"{root}{one}",)) for one in spread(shallow, most))
