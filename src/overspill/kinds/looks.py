"""What the content alone says: one look a kind, tried in order."""

import re
from collections.abc import Callable

from overspill.kinds import lines
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
    SVG,
    TEST_REPORT,
    TEXT,
    TSV,
    XML,
    Kind,
    code_kind,
)
from overspill.kinds.lines import Sample

# Shares of the lines.
_ALL, _MOST, _HALF, _SOME, _FEW = 0.9, 0.6, 0.5, 0.25, 0.1

_A_PAIR, _A_TABLE = 2, 3
_SHORTEST_BASE64 = 64
_FAR = 1_000  # characters of a record that are looked at

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_JSON_START = rf'\{{\s*(?:"|\}})|\[\s*(?:["{{\[\]]|(?:{_NUMBER}|true|false|null)\s*(?:,|\]))'
_XML_START = (
    r"(?s)"
    r"(?:<\?xml\b[^>]{0,500}\?>\s*|<!--.{0,2000}?-->\s*)*(?:<!DOCTYPE\s+(\w+)|<([A-Za-z_][\w.:-]*)[\s/>])"
)
_XML_END = r"(?:</([\w.:-]+)\s*|/|--)>\Z"
_HTML = {"html", "head", "body", "div", "p", "span", "ul", "ol", "table", "section", "article", "main", "nav", "form"}
_BINARY = r"\[binary ([\w.+/-]+), [\d,]+ bytes?[^\]\n]*\]\n"
_RULE = r"[- ]+$"
_COLUMNS = r"\s{2,}|\t"


def by_content(sample: Sample) -> Kind:
    """What the content alone says."""
    if not sample.lines:
        return TEXT
    return next((kind for look in _LOOKS if (kind := look(sample)) is not None), TEXT)


def binary(sample: Sample) -> Kind | None:
    """The description that the clean-up puts in the place of binary content."""
    found = re.match(_BINARY, sample.head)
    return BINARY._replace(mime=found[1]) if found else None


def ndjson(sample: Sample) -> Kind | None:
    """Two lines or more, each an object or an array."""
    if sample.start[:1] not in ("{", "["):
        return None
    records = [record for line in (*sample.first, *sample.last) if (record := line.strip())]
    return NDJSON if len(records) >= _A_PAIR and all(map(_is_record, records)) else None


def json(sample: Sample) -> Kind | None:
    if not re.match(_JSON_START, sample.start):
        return None
    return JSON if not sample.whole or sample.end.endswith("}" if sample.start[0] == "{" else "]") else None


def xml(sample: Sample) -> Kind | None:
    found = re.match(_XML_START, sample.start)
    if not found:
        return None
    root = found[1] or found[2]
    if root.lower() in _HTML:
        return minified_kind(sample, code_kind("html"))
    end = re.search(_XML_END, sample.end)
    if found[2] and sample.whole and (end is None or end[1] not in (root, None)):
        return None
    return SVG if root == "svg" else XML


def diff(sample: Sample) -> Kind | None:
    hunk = any(re.match(lines.DIFF_HUNK, line) or line.startswith("diff --git ") for line in sample.top)
    if not hunk or sample.count(lines.DIFF_HEADER) < _A_PAIR:
        return None
    return DIFF if sample.share(lines.DIFF_LINE) > _MOST else None


def test_report(sample: Sample) -> Kind | None:
    ends = (*sample.top, *(line[:_FAR].rstrip() for line in sample.last))
    return TEST_REPORT if any(re.match(lines.TEST_REPORT, line) for line in ends) else None


def base64(sample: Sample) -> Kind | None:
    if re.match(lines.DATA_URI, sample.start):
        return BASE64
    full = sample.lines[:-1] or sample.lines
    text = "".join(sample.lines)
    varied = not (text.isupper() or text.islower() or text.isalpha() or text.isdigit())
    even = all(len(line) == len(full[0]) for line in full)
    long = varied and even and len(text) >= _SHORTEST_BASE64
    return BASE64 if long and all(re.match(lines.BASE64, line) for line in full) else None


def single_line(sample: Sample) -> Kind | None:
    if not sample.long_lines:
        return None
    return LOG if len(sample.lines) > 1 and sample.events > _HALF else ONE_LINE


def matches(sample: Sample) -> Kind | None:
    if sample.diagnostics > _SOME:
        return None
    if sample.share(lines.MATCH) > _MOST:
        return MATCHES
    numbered = sample.count(lines.NUMBERED)
    paths = sum(1 for line in sample.lines if re.match(lines.PATH, line) and not re.match(lines.NUMBERED, line))
    grouped = numbered > paths > 0 and numbered + paths > _ALL * len(sample.lines)
    return MATCHES if grouped else None


def markdown(sample: Sample) -> Kind | None:
    titled = re.match(lines.HEADING, sample.lines[0]) is not None
    marked = sample.count(lines.MARKDOWN) + titled >= _A_PAIR
    return MARKDOWN if marked and sample.sentences > _FEW and sample.language[1] < _HALF else None


def mostly_code(sample: Sample) -> Kind | None:
    # YAML and Python are told by lines that events have too.
    language, telling = sample.language
    return code_kind(language) if telling > _HALF and language not in ("yaml", "python") else None


def mostly_events(sample: Sample) -> Kind | None:
    return LOG if sample.events > _HALF else None


def separated_values(sample: Sample) -> Kind | None:
    """Rows with the same number of tabs, commas or semicolons."""
    if len(sample.lines) < _A_TABLE or sample.lines[0][-1] in ";{,(":
        return None
    for mark, fewest, kind in (("\t", 1, TSV), (",", 2, CSV), (";", 2, CSV)):
        counts = [line.count(mark) for line in sample.lines]
        if counts[0] >= fewest and counts.count(counts[0]) >= _ALL * len(counts):
            return kind
    return None


def aligned_table(sample: Sample) -> Kind | None:
    """A row of names, and below it rows of values."""
    header, *rows = sample.lines
    words = header.split()
    names = re.split(_COLUMNS, header.strip())
    titled = max(len(names), sum(map(str.isupper, words))) >= _A_TABLE
    ruled = len(names) >= _A_PAIR and bool(rows) and re.match(_RULE, rows[0]) is not None
    if not rows or re.match(lines.MANUAL, header) or not (titled or ruled):
        return None
    fewest = max(2, (min(len(names), len(words)) + 1) // 2)
    full = sum(1 for row in rows if len(row.split()) >= fewest and row[-1] not in ";{.")
    return LISTING if full >= _ALL * len(rows) else None


def source(sample: Sample) -> Kind | None:
    language, telling = sample.language
    return code_kind(language) if language and telling > sample.entries / 2 else None


def listing(sample: Sample) -> Kind | None:
    if sample.entries <= _MOST:
        return None
    return LISTING if any(any(map(str.isalpha, line)) for line in sample.lines) else None


def some_events(sample: Sample) -> Kind | None:
    return LOG if sample.events > _SOME else None


def prose(sample: Sample) -> Kind | None:
    if re.match(lines.MANUAL, sample.lines[0]) or re.match(lines.USAGE, sample.lines[0]):
        return PROSE
    return PROSE if sample.sentences > _HALF - _FEW else None


def some_code(sample: Sample) -> Kind | None:
    ends = sum(1 for line in sample.lines if line[-1] in "{};")
    return code_kind(sample.language[0]) if sample.language[0] or ends > _HALF * len(sample.lines) else None


def minified_kind(sample: Sample, kind: Kind) -> Kind:
    """`kind`, but a minified file is one long line first of all."""
    if kind.name == "code" and sample.long_lines:
        return ONE_LINE._replace(language=kind.language, mime=kind.mime)
    return kind


def _is_record(line: str) -> bool:
    return line[-1] == ("}" if line[0] == "{" else "]") and re.match(_JSON_START, line[:_FAR]) is not None


_LOOKS: tuple[Callable[[Sample], Kind | None], ...] = (
    binary, ndjson, json, xml, diff, test_report, base64, single_line, matches, markdown, mostly_code, mostly_events,
    separated_values, aligned_table, source, listing, some_events, prose, some_code,
)  # fmt: skip
