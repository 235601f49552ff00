"""JSON stays JSON where a text has more secrets than may be read."""

import json
import random
import re
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import number_of
from overspill import Overspill
from overspill.redact import Redactor, hits, scan_database

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
TOKEN = re.compile("ghp_[A-Za-z0-9]{30}")


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


@cache
def tokens(count: int) -> list[str]:
    draw = random.Random(5)
    return ["ghp_" + "".join(draw.choices(LETTERS, k=36)) for _ in range(count)]


MANY = 17_000  # more of them than may be examined in one text,
FEW = number_of(2_500, MANY)  # and where as much less may be examined as `little_work` says
PART = MANY // FEW * 2 if FEW < MANY else 1


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less may be examined in any text, so that texts that are not read to their end need not be large."""
    monkeypatch.setattr(hits, "COST_ANYWAY", hits.COST_ANYWAY // PART)
    monkeypatch.setattr(hits, "RESERVE", hits.RESERVE // PART)


def rows(count: int) -> list[dict[str, object]]:
    values = tokens(count)
    return [{"id": n, "token": value, "note": 'a "quoted" \\ \u00e9\n'} for n, value in enumerate(values)]


def deep_values() -> object:
    return {"a": [[{"b": {"c": [{"token": value}, value[::-1]]}} for value in tokens(FEW)]], "n": [1.5, None]}


# Documents of which no more than a part may be read.
DENSE: dict[str, Callable[[], str]] = {
    "on one line": lambda: json.dumps(rows(FEW)),
    "compact": lambda: json.dumps(rows(FEW), separators=(",", ":"), ensure_ascii=False),
    "indented": lambda: json.dumps({"rows": rows(FEW) * 2}, indent=2),
    "one list": lambda: json.dumps(tokens(FEW)),
    "one object": lambda: json.dumps({f"k{n}": value for n, value in enumerate(tokens(2 * FEW))}),
    "one string": lambda: json.dumps({"log": "\n".join(f'token "{value}"' for value in tokens(FEW)), "ok": True}),
    "deep": lambda: json.dumps(deep_values()),
}


@cache
def dense_document(name: str) -> str:
    return DENSE[name]()


@pytest.mark.drawn
@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize("name", DENSE)
def test_a_document_that_is_not_read_to_its_end_parses_and_shows_no_secret(name: str) -> None:
    """Promise 4, promise 5: where examination ends inside JSON only contents are hidden, syntax stays."""
    text = dense_document(name)
    redacted = redactor().redact(text)
    assert redacted.incomplete
    assert TOKEN.search(redacted.text) is None
    parsed = json.loads(redacted.text)
    assert shape(parsed) == shape(json.loads(text))


def shape(value: object) -> object:
    """How a document is built: sizes of its lists, names of its members, and kinds of the rest."""
    if isinstance(value, list):
        return [len(value), *map(shape, value[:3]), *map(shape, value[-3:])]
    return {name: shape(inner) for name, inner in value.items()} if isinstance(value, dict) else None


@pytest.mark.drawn
@pytest.mark.usefixtures("little_work")
def test_lines_of_json_that_are_not_read_to_their_end_parse_one_by_one() -> None:
    """Promise 4: NDJSON line by line."""
    lines = [json.dumps({"n": n, "auth": {"token": value}}) for n, value in enumerate(tokens(FEW))]
    redacted = redactor().redact("\n".join(lines) + "\n")
    assert redacted.incomplete
    shown = redacted.text.splitlines()
    assert len(shown) == len(lines)
    assert all(list(json.loads(line)) == ["n", "auth"] for line in shown)
    assert TOKEN.search(redacted.text) is None


@cache
def redacted(text: str) -> str:
    return redactor().redact(text).text


@pytest.mark.drawn
@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize("size", [1, 7, 4_093, 70_001])
@pytest.mark.parametrize("name", ["compact", "one string"])
def test_pieces_make_no_difference_where_syntax_stays(name: str, size: int) -> None:
    """Promise 9: chunking makes no difference, where reading ends inside a document as well."""
    text = dense_document(name)[-number_of(20_000, 40_000) if size < 1_000 else 0 :]
    whole = redacted(text)
    stream = redactor().stream()
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) + stream.flush() == whole


def test_what_only_begins_like_json_shows_nothing_that_was_not_read() -> None:
    """Promise 5: outside of strings nothing but syntax is shown where nothing was read."""
    values = tokens(MANY)
    text = "[2026-01-01] start\n" + "".join(f'-{value} {value} it\'s "{value}" {{{value}}}\n' for value in values)
    redacted = redactor().redact(text)
    assert redacted.incomplete
    assert TOKEN.search(redacted.text) is None
    assert redacted.text.count("\n") == text.count("\n")


def test_the_view_and_the_artifact_of_a_dense_document_parse() -> None:
    """Promise 4: in every form of the view."""
    text = json.dumps(rows(MANY))
    with Overspill(preset="agent") as spill:
        fitted = spill.fit(text)
        assert fitted.report.artifact is not None
        stored = spill.store.read(fitted.report.artifact.id)
    assert len(json.loads(stored)) == len(json.loads(text))
    json.loads(fitted.text)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
)


@given(document=documents, at=st.integers(0, 400), size=st.integers(1, 60))
@settings(max_examples=max(50, settings().max_examples))
def test_what_is_left_of_any_document_parses(document: object, at: int, size: int) -> None:
    """Promise 4: whatever stands where reading ends."""
    from overspill.redact.placeholders import JsonPlace, UnreadJson

    text = json.dumps([document, document], ensure_ascii=at % 2 == 0)
    at = min(at, len(text))
    place = JsonPlace()
    place.go_on(text[:at])
    out = [text[:at]]
    unread = UnreadJson(len(text) + 1, place, "[REDACTED: UNEXAMINED]", out)
    start = 0
    rest = text[at:]
    for end in [*range(size, len(rest), size), len(rest)]:
        start = unread.take(rest[:end], 0, start, out, final=end == len(rest))
    json.loads("".join(out))
