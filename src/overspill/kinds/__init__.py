r"""What kind of content a text is: from what was declared, from its name, and from how it looks.

>>> sniff('{"users": []}').name
'json'
>>> sniff("x = 1\n", name="setup.py")
Kind(name='code', language='python', mime='text/x-python')

Only the first and the last 64 KB are looked at, and of these some lines at either end. A document
is told by its first and last characters; whether it really parses is for the one who cuts it to find out.
"""

import re

from overspill.kinds import lines as look
from overspill.kinds.declared import (
    BASE64,
    BINARY,
    CSV,
    DIFF,
    JSON,
    LISTING,
    LOG,
    MARKDOWN,
    MATCHES,
    NDJSON,
    ONE_LINE,
    PROSE,
    TEST_REPORT,
    TEXT,
    TSV,
    XML,
    Kind,
    by_name,
    by_type,
    code,
)
from overspill.kinds.languages import language_of

__all__ = ["Kind", "sniff"]

SAMPLE = 65_536
_LINES_HEAD, _LINES_TAIL = 80, 40
_WIDEST = 240
_LONG_LINE = 1_000

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_JSON_START = re.compile(rf'\{{\s*(?:"|\}})|\[\s*(?:["{{\[\]]|(?:{_NUMBER}|true|false|null)\s*(?:,|\]))')
_XML_START = re.compile(r"(?:<\?xml\b[^>]{0,500}\?>\s*|<!--.{0,2000}?-->\s*)*(<!DOCTYPE\s+(\w+)|<([A-Za-z_][\w.:-]*)[\s/>])", re.DOTALL)
_HTML = frozenset("html head body div p span ul ol table section article main nav header footer form script style template".split())
_BINARY = re.compile(r"\[binary ([\w.+/-]+), [\d,]+ bytes?[^\]\n]*\]\n")


class _Sample:
    """The parts of a text that are looked at."""

    def __init__(self, text: str, total: int) -> None:
        self.whole = total <= len(text)  # otherwise the end is still to come
        self.head = text[:SAMPLE]
        self.tail = text[-SAMPLE:] if len(text) > SAMPLE else self.head
        first = self.head.split("\n", _LINES_HEAD)
        if len(first) > _LINES_HEAD or len(text) > SAMPLE or not self.whole:
            first = first[:_LINES_HEAD] if len(first) > _LINES_HEAD else first[:-1] or first
        last = self.tail.rsplit("\n", _LINES_TAIL)[1:] if self.tail is not self.head or len(first) >= _LINES_HEAD else []
        self.top = [line[:_WIDEST].rstrip() for line in first]
        self.bottom = [line[:_WIDEST].rstrip() for line in last]
        self.lines = [line for line in self.top if line]
        self.count = self.head.rstrip("\n").count("\n") + 1

    @property
    def start(self) -> str:
        return self.head.lstrip("\ufeff \t\r\n")

    @property
    def end(self) -> str:
        return self.tail.rstrip()

    def share(self, pattern: re.Pattern[str]) -> float:
        """How many of the lines at the top look like this."""
        return sum(1 for line in self.lines if pattern.match(line)) / max(1, len(self.lines))


def sniff(text: str, *, content_type: str = "", name: str = "", total: int | None = None) -> Kind:
    """What kind of content `text` is.

    When `text` is only the beginning, `total` says how many characters the whole has.
    """
    sample = _Sample(text, len(text) if total is None else total)
    for said in (by_type(content_type), by_name(name)):
        if said is not None and _agrees(sample, said):
            return _long(sample, said)
    return _seen(sample)


def _agrees(sample: _Sample, said: Kind) -> bool:
    """Whether the content could be what was declared: servers send errors as pages, and call them JSON."""
    match said.name:
        case "json":
            return _is_json(sample) and not _is_ndjson(sample)
        case "ndjson":
            return _is_ndjson(sample)
        case "xml":
            return _xml(sample) is not None
        case "diff":
            return _is_diff(sample)
        case "binary":
            return bool(_BINARY.match(sample.head))
        case "log" | "code" | "listing" | "prose":
            return not (_is_ndjson(sample) or _BINARY.match(sample.head))
        case _:
            return False


def _long(sample: _Sample, kind: Kind) -> Kind:
    """The same, but a minified file is one long line first of all."""
    if kind.name == "code" and len(sample.head) / sample.count >= _LONG_LINE:
        return ONE_LINE._replace(language=kind.language, mime=kind.mime)
    return kind


def _seen(sample: _Sample) -> Kind:
    """What the content alone says."""
    if not sample.lines:
        return TEXT
    document = _document(sample)
    if document is not None:
        return document
    if _is_diff(sample):
        return DIFF
    if any(look.TEST_REPORT.match(line) for line in (*sample.top, *sample.bottom)):
        return TEST_REPORT
    if _is_base64(sample):
        return BASE64
    if len(sample.head) / sample.count >= _LONG_LINE:
        return LOG if len(sample.lines) > 1 and sample.share(look.EVENT) > 0.5 else ONE_LINE
    return _by_lines(sample)


def _document(sample: _Sample) -> Kind | None:
    described = _BINARY.match(sample.head)
    if described:
        return BINARY._replace(mime=described[1])
    if _is_ndjson(sample):
        return NDJSON
    if _is_json(sample):
        return JSON
    return _xml(sample)


def _is_json(sample: _Sample) -> bool:
    start = sample.start[:1_000]
    if not _JSON_START.match(start):
        return False
    return not sample.whole or sample.end.endswith("}" if start[0] == "{" else "]")


def _is_ndjson(sample: _Sample) -> bool:
    """Two lines or more, each an object or an array."""
    if sample.start[:1] not in ("{", "["):
        return False
    records = [line for line in _full_lines(sample) if line]
    return len(records) > 1 and all(map(_is_record, records))


def _full_lines(sample: _Sample) -> list[str]:
    head = sample.head.split("\n", _LINES_HEAD)
    cut = len(head) > _LINES_HEAD or len(sample.head) == SAMPLE or not sample.whole
    whole = head[:-1] if cut else head
    if cut and sample.whole:
        whole += sample.tail.rsplit("\n", _LINES_TAIL)[1:]
    return [line.strip() for line in whole]


def _is_record(line: str) -> bool:
    return line[-1] == ("}" if line[0] == "{" else "]") and bool(_JSON_START.match(line[:1_000]))


def _xml(sample: _Sample) -> Kind | None:
    match = _XML_START.match(sample.start[:4_000])
    if not match:
        return None
    root = (match[2] or match[3]).lower()
    if root in _HTML:
        return _long(sample, code("html"))
    if sample.whole and match[3] and not re.search(rf"(?:</{re.escape(match[3])}\s*>|/>|-->)\Z", sample.end[-300:]):
        return None
    return XML._replace(mime="image/svg+xml") if root == "svg" else XML


def _is_diff(sample: _Sample) -> bool:
    headers = sum(1 for line in sample.top if look.DIFF_HEADER.match(line))
    if headers < 2 or not any(look.DIFF_HUNK.match(line) or line.startswith("diff --git ") for line in sample.top):
        return False
    return sample.share(look.DIFF_LINE) > 0.8


def _is_base64(sample: _Sample) -> bool:
    if look.DATA_URI.match(sample.start[:200]):
        return True
    lines = [line for line in sample.lines if line]
    text = "".join(lines)
    if len(text) < 64 or any(len(line) != len(lines[0][:_WIDEST]) for line in lines[1:-1]):
        return False
    varied = not (text.isupper() or text.islower() or text.isalpha() or text.isdigit())
    return varied and all(look.BASE64.match(line) for line in lines[:-1] or lines)


def _by_lines(sample: _Sample) -> Kind:
    """Told by what most lines look like."""
    diagnostics = sample.share(look.DIAGNOSTIC)
    if diagnostics < 0.3 and _is_matches(sample):
        return MATCHES
    language, telling = language_of(sample.top)
    if telling > 0.5 and language not in ("yaml", "python"):
        return code(language)
    events = sample.share(look.EVENT) + diagnostics
    if events > 0.5:
        return LOG
    table = _table(sample)
    if table is not None:
        return table
    if telling > 0.35:
        return code(language)
    if sample.share(look.ENTRY) > 0.6:
        return LISTING if _has_words(sample) else TEXT
    if events > 0.25:
        return LOG
    prose = _prose(sample)
    if prose is not None:
        return prose
    return code(language) if language or _is_code(sample) else TEXT


def _is_matches(sample: _Sample) -> bool:
    if sample.share(look.MATCH) > 0.6:
        return True
    numbered = sum(1 for line in sample.lines if look.NUMBERED.match(line))
    paths = sum(1 for line in sample.lines if look.PATH.match(line) and not look.NUMBERED.match(line))
    return paths > 0 and numbered + paths > 0.9 * len(sample.lines) and numbered > paths


def _table(sample: _Sample) -> Kind | None:
    lines = sample.lines
    if len(lines) < 2:
        return None
    for mark, kind in (("\t", TSV), (",", CSV), (";", CSV)):
        counts = [line.count(mark) for line in lines]
        if len(lines) > 2 and counts[0] >= (1 if mark == "\t" else 2) and counts.count(counts[0]) >= 0.9 * len(lines):
            return None if lines[0][-1] in ";{,(" else kind
    names = re.split(r"\s{2,}|\t", lines[0].strip())
    capitals = [word for word in lines[0].split() if word.isupper()]
    if max(len(names), len(capitals)) < 3 and not (len(names) > 1 and re.match(r"[- ]+$", lines[1])):
        return None
    columns = max(2, (min(len(names), len(lines[0].split())) + 1) // 2)
    rows = sum(1 for line in lines[1:] if len(line.split()) >= columns and line[-1] not in ";{.")
    manual = look.MANUAL.match(lines[0])
    return LISTING if not manual and rows >= 0.9 * (len(lines) - 1) else None


def _prose(sample: _Sample) -> Kind | None:
    lines = sample.lines
    headings = sum(1 for line in lines if look.HEADING.match(line))
    wordy = sum(1 for line in lines if _is_wordy(line))
    if headings and lines[0].startswith("# ") and wordy:
        return MARKDOWN
    if look.MANUAL.match(lines[0]) or look.USAGE.match(lines[0]):
        return PROSE
    if wordy > 0.4 * len(lines) and (wordy > 2 or len(lines) < 4):
        return MARKDOWN if headings > 1 else PROSE
    return None


def _is_wordy(line: str) -> bool:
    words = line.split()
    return len(words) > 4 and sum(1 for word in words if word.strip("`*_.,;:!?()\"'").replace("-", "").isalpha()) > 0.7 * len(words)


def _has_words(sample: _Sample) -> bool:
    return any(any(map(str.isalpha, line)) for line in sample.lines)


def _is_code(sample: _Sample) -> bool:
    return sum(1 for line in sample.lines if line[-1] in "{};") > 0.4 * len(sample.lines)
