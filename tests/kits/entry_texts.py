"""Tables, YAML and INI: texts made of entries, and whether a view of one is a part of the same entries."""

import configparser
import csv
import io
import json
import re
from collections.abc import Callable, Iterable

import yaml
from hypothesis import strategies as st

# libyaml where it is there: what a test reads is ten times as fast, and no more lenient.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

cells = st.one_of(
    st.integers(-999, 9_999).map(str),
    st.sampled_from(["", "ok", "two words", "a,b", 'say "hi"', "line\nline", "é👨‍👩‍👧", "x" * 120, "hi\U000e0100dden"]),
    st.text(st.characters(exclude_categories=["C"]), max_size=6),
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """CSV or TSV, quoted as its writer does."""
    width = draw(st.integers(2, 5))
    kinds = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=3, max_size=9))
    rows = [[f"col{at}" for at in range(width)], *kinds * draw(st.sampled_from([1, 9, 30]))]
    out = io.StringIO()
    mark = draw(st.sampled_from(",\t;"))
    csv.writer(out, delimiter=mark, lineterminator=draw(st.sampled_from(["\n", "\r\n"]))).writerows(rows)
    return out.getvalue()


scalars = st.one_of(
    st.integers(-99, 99), st.booleans(), st.none(),
    st.sampled_from(["", "x: y", "# no remark", "- no item", "a\nb: c\n"]),
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30),
)  # fmt: skip
keys = st.text("abcdefgh", min_size=1, max_size=4)
values = st.recursive(
    scalars,
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(keys, below, max_size=4)),
    max_leaves=14,
)
maps = st.dictionaries(keys, values, min_size=2, max_size=6)


@st.composite
def yaml_streams(draw: st.DrawFn) -> str:
    """One document or several, as YAML is written by a program."""
    documents = draw(st.lists(st.one_of(maps, st.lists(maps, min_size=2, max_size=4)), min_size=1, max_size=3))
    documents = documents * draw(st.sampled_from([1, 3, 12]))
    style = draw(st.sampled_from([None, False]))
    indent = draw(st.sampled_from([2, 4]))
    text = str(
        yaml.dump_all(documents, None, DUMPER, default_flow_style=style and False, indent=indent, sort_keys=False)
    )
    return f"# written by a program\n{text}" if draw(st.booleans()) else text


@st.composite
def ini_texts(draw: st.DrawFn) -> str:
    lines = draw(st.lists(st.sampled_from(["a = 1", "b: two words", "c = x\n  goes on\n  and on", "# remark", ""]),
                          min_size=2, max_size=8))  # fmt: skip
    sections = draw(st.integers(1, 40))
    out = []
    for number in range(sections):
        out.append(f"[section {number}]")
        out += [line.replace("=", f"{at} =", 1).replace(":", f"{at} :", 1) for at, line in enumerate(lines)]
    return "\n".join(out) + "\n"


def rows_of(text: str, mark: str | None = None) -> list[list[str]]:
    mark = mark or max("\t;,", key=text.split("\n", 1)[0].count)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))


def is_part(part: object, whole: object) -> bool:
    """Whether a value is another one with entries left out, in the same order."""
    if part is None or part == whole:
        return True
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return is_subsequence(part, whole, is_part)
    return False


def is_subsequence(part: Iterable[object], whole: Iterable[object], same: Callable[[object, object], bool]) -> bool:
    left = iter(whole)
    return all(any(same(one, other) for other in left) for one in part)


def assert_part_of_table(view: str, text: str) -> None:
    mark = max("\t;,", key=text.split("\n", 1)[0].count)
    whole = rows_of(text, mark)
    lines = [line for line in view.splitlines(keepends=True) if not line.startswith(("[", "... ["))]
    shown = rows_of("".join(lines), mark)
    assert shown[0] == whole[0]
    assert is_subsequence(shown, whole, lambda one, other: one == other), json.dumps(shown)[:500]


def assert_part_of_yaml(view: str, text: str) -> None:
    shown, whole = list(yaml.safe_load_all(view)), list(yaml.load_all(text, LOADER))
    assert is_subsequence(shown, whole, is_part), (shown, whole)


def assert_part_of_ini(view: str, text: str) -> None:
    shown, whole = configparser.RawConfigParser(strict=False), configparser.RawConfigParser(strict=False)
    shown.read_string(view)
    sections = re.split(r"(?m)^(?=\[)", text)  # of a long text only what is shown is read: configparser is slow
    whole.read_string("".join(part for part in sections if shown.has_section(part[1:].partition("]")[0])))
    for section in shown.sections():
        assert dict(shown[section]).items() <= dict(whole[section]).items()
