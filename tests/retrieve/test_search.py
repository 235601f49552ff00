"""Search finds what is there, all of it, wherever the pieces of a text happen to end."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.core.markers import Search, shell_call, tool_call
from overspill.errors import UsageError
from overspill.retrieve import patterns as scanning
from overspill.retrieve.access import SearchResult, search
from overspill.retrieve.patterns import MatchTally, Scan, compile_pattern
from overspill.store.memory import MemoryStore
from store_kit import put

texts = st.text("aabé€😀 \n\r", max_size=120)
needles = st.text("abé€\n ", min_size=1, max_size=4)
EXPRESSIONS = ["a+", "a|ab", "^a", "a$", "^$", "b.", "[^a]", "é?", r"\ba", "(a|aa)+$", "a.*b|a", r"\s", "^.*$", "x*"]


def pieces_of(text: bytes, sizes: list[int]) -> list[bytes]:
    pieces: list[bytes] = []
    at = 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


def lines_of(content: bytes) -> list[tuple[int, int]]:
    """Where every line begins and ends, without its end."""
    spans, at = [], 0
    for line in content.splitlines(keepends=True):
        spans.append((at, at + len(line.rstrip(b"\r\n"))))
        at += len(line)
    return spans


def place(content: bytes, at: int) -> tuple[int, int]:
    """Line and column of a place, the slow way."""
    number, start = 1, 0
    for end in re.finditer(rb"\r\n|\n|\r", content):
        if end.end() <= at:
            number, start = number + 1, end.end()
    return number, len(content[start:at].decode(errors="replace")) + 1


def naive(content: bytes, expression: str) -> list[tuple[int, int]]:
    """Matches within each line, by the standard library."""
    compiled = re.compile(expression, re.ASCII)
    found = []
    for start, end in lines_of(content):
        line = content[start:end].decode()
        found += [
            (start + len(line[: one.start()].encode()), start + len(line[: one.end()].encode()))
            for one in compiled.finditer(line)
        ]
    return found


@given(texts, needles, st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(0, 5), st.booleans())
def test_a_literal_is_found_wherever_pieces_end(
    text: str, needle: str, sizes: list[int], offset: int, fold: bool
) -> None:
    content = text.encode()
    folded = content.lower() if fold else content
    wanted = [one.span() for one in re.finditer(re.escape(needle.encode()), folded)]
    if fold:
        needle = "".join(letter.upper() if letter.isascii() else letter for letter in needle)
    tally = MatchTally(3, offset)
    pattern = compile_pattern(needle, ignore_case=fold and needle.isascii())
    if fold and not needle.isascii():
        return
    hits = list(Scan(pieces_of(content, sizes), pattern).hits(tally))
    assert [(hit.start, hit.end) for hit in hits] == wanted[offset : offset + 3]
    assert tally.total == len(wanted)
    assert [(hit.line, hit.column) for hit in hits] == [place(content, hit.start) for hit in hits]


@given(texts, st.sampled_from(EXPRESSIONS), st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 5))
def test_an_expression_is_found_wherever_pieces_end(text: str, words: str, sizes: list[int], offset: int) -> None:
    content = text.encode()
    wanted = naive(content, words)
    tally = MatchTally(5, offset)
    hits = list(Scan(pieces_of(content, sizes), compile_pattern(words, regex=True)).hits(tally))
    assert [(hit.start, hit.end) for hit in hits] == wanted[offset : offset + 5]
    assert tally.total == len(wanted)
    assert [(hit.line, hit.column) for hit in hits] == [place(content, hit.start) for hit in hits]


@given(
    st.text("ab é\n", max_size=30),
    st.lists(st.integers(0, 400), min_size=1, max_size=6),
    st.sampled_from(["ab", "a b", "a$", "^a", r"b\b", "é+"]),
    st.integers(30, 300),
)
def test_long_lines_are_looked_at_in_windows(text: str, repeats: list[int], words: str, size: int) -> None:
    """With small windows, so that every border is met; matches are shorter than what windows share."""
    content = "\n".join((text or "ab") * times for times in repeats).encode()
    wanted = naive(content, words)
    if any(end - start > 40 for start, end in wanted):
        return
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("BLOCK", 100), ("WINDOW", 128), ("OVERLAP", 48), ("LONGEST", 256)):
            patch.setattr(scanning, name, value)
        tally = MatchTally(None)
        hits = list(Scan(pieces_of(content, [size]), compile_pattern(words, regex=True)).hits(tally))
    assert [(hit.start, hit.end) for hit in hits] == wanted


def found(
    text: str,
    pattern: str,
    *,
    regex: bool = False,
    ignore_case: bool = False,
    context: int = 0,
    limit: int | None = None,
    offset: int = 0,
) -> SearchResult:
    store = MemoryStore()
    asked = Search(pattern, put(store, text).id, regex, ignore_case, context)
    return search(store, asked, limit=limit, offset=offset, spelling=tool_call)


def test_five_thousand_matches_are_five_thousand() -> None:
    for regex, ignore_case in ((False, False), (True, False), (False, True)):
        text = "nothing\nthe needle and a needle\n" * 2_500
        answer = found(text, "needle", regex=regex, ignore_case=ignore_case)
        assert answer.pagination.total == 5_000
        assert len(answer.matches) == 10
        assert answer.next.endswith(", offset=10)")


def test_windows_that_overlap_are_merged() -> None:
    text = "".join(f"line {number}{' x' if number in {3, 5, 12} else ''}\n" for number in range(1, 15))
    assert found(text, " x", context=2).text == (
        "1-line 1\n2-line 2\n3:line 3 x\n4-line 4\n5:line 5 x\n6-line 6\n7-line 7\n--\n"
        "10-line 10\n11-line 11\n12:line 12 x\n13-line 13\n14-line 14\n"
    )


def test_two_matches_in_a_line_are_two_and_the_line_is_shown_once() -> None:
    answer = found("a needle, a needle\nnone\n", "needle")
    assert answer.pagination.total == 2
    assert answer.text == "1:a needle, a needle\n"
    assert [(one.line, one.column, one.start_byte) for one in answer.matches] == [(1, 3, 2), (1, 13, 12)]


def test_a_match_in_a_long_line_is_shown_with_what_stands_around_it() -> None:
    line = "é" * 25_000 + "needle" + "z" * 25_000
    answer = found(f"first\n{line}\n", "needle")
    match = answer.matches[0]
    assert (match.line, match.column) == (2, 25_001)
    assert line.encode()[match.start_byte - 6 : match.end_byte - 6] == b"needle"
    assert "éééneedlezzz" in match.text
    assert len(answer.text) < 500
    assert f"bytes {match.start_byte}-{match.end_byte}" in answer.text


def test_context_of_very_long_lines_is_clipped_too() -> None:
    answer = found("a" * 2_000_000 + "\nneedle\n" + "b" * 2_000_000 + "\nend\n", "needle", context=3)
    assert len(answer.text) < 1_000
    assert answer.matches[0].after[1] == "end"


@given(st.text("ab\n", max_size=300), st.integers(0, 3), st.integers(1, 4))
def test_pages_show_every_match_once(text: str, context: int, limit: int) -> None:
    whole = found(text, "ab", limit=0, context=context)
    seen: list[object] = []
    while True:
        page = found(text, "ab", limit=limit, offset=len(seen), context=context)
        seen += [one[1:] for one in page.matches]
        if not page.next:
            break
    assert seen == [one[1:] for one in whole.matches]
    assert len(seen) == whole.pagination.total == text.count("ab")


@given(st.text("ab\n", max_size=200), st.integers(0, 3))
def test_context_is_what_stands_there(text: str, context: int) -> None:
    lines = text.splitlines()
    for match in found(text, "ab", limit=0, context=context).matches:
        assert list(match.before) == lines[max(0, match.line - 1 - context) : match.line - 1]
        assert match.text == lines[match.line - 1]
        assert list(match.after) == lines[match.line : match.line + context]


def test_all_artifacts_are_searched_and_named() -> None:
    store = MemoryStore()
    first, second = put(store, "a needle\n").id, put(store, "two\nneedles\n").id
    answer = search(store, Search("needle"), spelling=shell_call)
    assert answer.text == f"{second}:2:needles\n{first}:1:a needle\n"
    assert answer.artifacts == 2
    assert search(store, Search("needle"), limit=1, spelling=shell_call).next == (
        "spill artifacts search --offset 1 --limit 1 -- 'needle'"
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Search(""), "empty"),
        (Search("x" * 5_000), "4,096"),
        (Search("(", regex=True), "missing"),
        (Search("(?=x)", regex=True), "look-around"),
        (Search(r"(a)\1", regex=True), "back-references"),
        (Search(r"\pL{200}", regex=True), "repeat less"),
        (Search("x{2000}", regex=True), "repetition"),
        (Search("x", context=51), "50"),
        (Search("\ud800"), "surrogate"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_said_to_be_one(asked: Search, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        search(MemoryStore(), asked, spelling=tool_call)


def test_the_total_is_true_up_to_where_counting_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "MOST_COUNTED", 1_000)
    for pattern, regex in (("needle", False), ("ne+dle", True)):
        exact = found("needle\n" * 1_000, pattern, regex=regex)
        assert (exact.pagination.total, exact.at_least) == (1_000, False)
    more = found("needle\n" * 1_001, "ne+dle", regex=True)
    assert (more.pagination.total, more.at_least) == (1_000, True)
    # Literals are counted by one call, however many there are.
    assert found("needle\n" * 5_000, "needle").pagination.total == 5_000
    # What lies behind is still found when it is asked for.
    page = found("needle\n" * 5_000, "ne+dle", regex=True, offset=4_990)
    assert [match.line for match in page.matches] == list(range(4_991, 5_001))
