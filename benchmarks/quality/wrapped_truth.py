"""Documents with lines around them: the document in a view is judged as one, the lines around it as another text."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from documents_truth import false_in_json, false_in_lines, false_in_xml, past_blanks
from recount import Recount

PLACE = re.compile(r"(?m)(?:^[ \t]*|[:=] ?)(?=[{\[])")
FARTHEST = 9_000
STANDS_FOR_IT = "(the document)"


class Inside(NamedTuple):
    """The document in a text, what it is, and what stands around it."""

    words: str
    form: str
    before: str
    behind: str

    def around(self, lines: int) -> str:
        """The text with a word in its place, and so many lines."""
        return self.before + STANDS_FOR_IT + "\n" * lines + self.behind


def _documents_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Where documents lie in a text, and what they are."""
    decoder = json.JSONDecoder()
    for found in PLACE.finditer(text, 0, FARTHEST):
        start = found.end()
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield start, end, "json"
            yield start, _end_of_records(text, start), "ndjson"
    start, end = text.find("<"), text.rfind(">") + 1
    if 0 <= start < end:
        yield start, end, "xml"


def _end_of_records(text: str, start: int) -> int:
    """The end of the last value in a row, with nothing but blanks between them."""
    decoder, end = json.JSONDecoder(), start
    while True:
        try:
            _, end = decoder.raw_decode(text, past_blanks(text, end))
        except (ValueError, RecursionError):
            return end


def _inside(text: str, form: str = "") -> Inside | None:
    """The first document that takes half of a text; of a view, the first of this form."""
    for start, end, found in _documents_in(text):
        if (found == form) if form else (2 * (end - start) >= len(text)):
            return Inside(text[start:end], found, text[:start], text[end:])
    return None


def false_in_wrapped(text: str, view: str) -> tuple[list[str], str, str] | None:
    """What is false of the document in a view, the text around it and the view around it; None if there is none."""
    whole = _inside(text)
    shown = _inside(view, whole.form) if whole is not None else None
    if whole is None or shown is None or whole.words == text.strip():
        return None
    checkers = {"json": false_in_json, "ndjson": false_in_lines, "xml": false_in_xml}
    found = checkers[whole.form](Recount(whole.words), shown.words)
    # A statement may name lines by their number; where none does, blank lines only take time.
    lines = whole.words.count("\n") if "[lines " in shown.before + shown.behind else 0
    return None if found is None else (found, whole.around(lines), shown.around(lines))
