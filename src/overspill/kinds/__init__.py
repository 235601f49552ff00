r"""What kind of content a text is: from what was declared, from its name, and from how it looks.

>>> sniff('{"users": []}').name
'json'
>>> sniff("x = 1\n", name="setup.py")
Kind(name='code', language='python', mime='text/x-python')

Only the first and the last 64 KB are looked at, and of these some lines at either end. A document is
told by its first and last characters; whether it parses is for the one who cuts it to find out. For the content there
is one function a kind. They are tried in order, and the first that says something counts.

Pure: imports `_lite` alone. `core`, `cut` and all that take texts in come here.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.kinds import lines
from overspill.kinds.lines import SAMPLE, Sample, numbering_pattern, without_numbering

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(NamedTuple):
    """What a text is, as far as cutting it goes.

    `name` is one of json, ndjson, xml, diff, log, test_report, code, listing, matches, prose, one_line,
    base64, binary, text. `language` is said of code, and of one long line when it is known.
    """

    name: str
    language: str = ""
    mime: str = "text/plain"

    @property
    def entries(self) -> str:
        """What its entries are called, where it is cut between them: csv, tsv, yaml or ini.

        >>> TSV.entries, code_kind("yaml").entries, code_kind("go").entries
        ('tsv', 'yaml', '')
        """
        return _TABLES.get(self.mime, self.language if self.language in {"yaml", "ini"} else "")


_TABLES = {"text/csv": "csv", "text/tab-separated-values": "tsv"}


JSON = Kind("json", mime="application/json")
NDJSON = Kind("ndjson", mime="application/x-ndjson")
XML = Kind("xml", mime="application/xml")
SVG = Kind("xml", mime="image/svg+xml")
DIFF = Kind("diff", mime="text/x-diff")
LOG = Kind("log")
TEST_REPORT = Kind("test_report")
LISTING = Kind("listing")
CSV = Kind("listing", mime="text/csv")
TSV = Kind("listing", mime="text/tab-separated-values")
MATCHES = Kind("matches")
PROSE = Kind("prose")
MARKDOWN = Kind("prose", mime="text/markdown")
ONE_LINE = Kind("one_line")
BASE64 = Kind("base64")
BINARY = Kind("binary", mime="application/octet-stream")
TEXT = Kind("text")

_MIMES = {
    "javascript": "text/javascript",
    "html": "text/html",
    "css": "text/css",
    "yaml": "application/yaml",
    "toml": "application/toml",
    "sql": "application/sql",
    "shell": "application/x-sh",
}


def kind_names() -> list[str]:
    """The names of all kinds there are.

    >>> {"json", "log", "code", "text"} <= set(kind_names())
    True
    """
    kinds = [*globals().values(), *_NAMES.values()]
    return sorted({kind.name for kind in kinds if isinstance(kind, Kind)})


def code_kind(language: str) -> Kind:
    """Source text in a language; `""` when that is all we know.

    >>> code_kind("go")
    Kind(name='code', language='go', mime='text/x-go')
    """
    return Kind("code", language, _MIMES.get(language, f"text/x-{language}" if language else "text/plain"))


_LANGUAGES = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts tsx mts cts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx ipp",
    "csharp": "cs",
    "ruby": "rb rake gemspec",
    "php": "php",
    "shell": "sh bash zsh ksh fish",
    "sql": "sql",
    "html": "html htm xhtml vue svelte",
    "css": "css scss sass less",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala",
    "lua": "lua",
    "perl": "pl pm",
    "r": "r",
    "powershell": "ps1 psm1",
    "makefile": "mk makefile",
    "dockerfile": "dockerfile",
    "cmake": "cmake",
    "terraform": "tf",
    "protobuf": "proto",
}

_DOCUMENTS = (
    (JSON, "json jsonc json5 code-workspace geojson webmanifest ipynb map har sarif"),
    (NDJSON, "ndjson jsonl"),
    (XML, "xml xsd xsl xslt rss atom plist csproj pom wsdl"),
    (SVG, "svg"),
    (DIFF, "diff patch"),
    (LOG, "log"),
    (CSV, "csv"),
    (TSV, "tsv"),
    (MARKDOWN, "md markdown"),
    (PROSE, "rst"),
    (BINARY, "png jpg jpeg gif webp ico pdf zip gz tgz bz2 xz zst 7z rar jar class so o a dll exe dylib wasm pyc"),
    (BINARY, "db sqlite sqlite3 mp3 mp4 mov ogg flac wav woff woff2 ttf otf bin dat parquet npy"),
)

_NAMES: dict[str, Kind] = {
    **{ending: code_kind(language) for language, endings in _LANGUAGES.items() for ending in endings.split()},
    **{ending: kind for kind, endings in _DOCUMENTS for ending in endings.split()},
}

_TYPES: dict[str, Kind] = {
    **{kind.mime: kind for kind in (JSON, NDJSON, XML, SVG, DIFF, CSV, TSV, MARKDOWN, BINARY)},
    "text/json": JSON,
    "application/json5": JSON,
    "application/jsonc": JSON,
    **dict.fromkeys(("application/ndjson", "application/jsonl", "application/x-jsonlines"), NDJSON),
    "text/xml": XML,
    "text/x-patch": DIFF,
    "text/x-log": LOG,
    "text/html": code_kind("html"),
    "application/xhtml+xml": code_kind("html"),
    "application/javascript": code_kind("javascript"),
    "text/yaml": code_kind("yaml"),
    "application/x-yaml": code_kind("yaml"),
    "application/pdf": BINARY,
    "application/zip": BINARY,
    "application/gzip": BINARY,
    **{code_kind(language).mime: code_kind(language) for language in _LANGUAGES},
    "text/x-c++": code_kind("cpp"),
    "text/x-sh": code_kind("shell"),
    "text/x-shellscript": code_kind("shell"),
}


def by_type(content_type: str) -> Kind | None:
    """What a declared content type says; None when it says nothing, as `text/plain` does.

    >>> by_type("application/problem+json; charset=utf-8").name
    'json'
    """
    mime = content_type.partition(";")[0].strip().lower()
    if mime.endswith("+json"):
        return JSON._replace(mime=mime)
    known = _TYPES.get(mime)
    if known is not None:
        return known
    if mime.endswith("+xml"):
        return XML._replace(mime=mime)
    return BINARY._replace(mime=mime) if mime.startswith(("image/", "audio/", "video/", "font/")) else None


def by_name(name: str) -> Kind | None:
    """What a file name says by its ending, or by itself.

    >>> by_name("src/main.rs").language, by_name("Makefile").language, by_name("notes.txt")
    ('rust', 'makefile', None)
    """
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return _NAMES.get(last.rpartition(".")[2])


NUMBERED = 16
SNIFFED_CHARS = 65_536  # characters of a text whose lines are numbered


def sniff(text: str, *, content_type: str = "", name: str = "", total: int | None = None) -> Kind:
    """What kind of content `text` is.

    When `text` is only the beginning, `total` says how many characters the whole has.
    """
    asked = (text[:SAMPLE], text[-SAMPLE:], len(text), content_type, name, total)
    for before, kind in _last:
        if before == asked:
            return kind
    kind = _kind_of(text, content_type, name, total)
    _last[:] = [(asked, kind)]
    return kind


# Several ask of one text, one after the other, and this is all of it that is looked at.
_last: list[tuple[tuple[object, ...], Kind]] = []


def _kind_of(text: str, content_type: str, name: str, total: int | None) -> Kind:
    numbers = numbering_pattern(text) if text[:NUMBERED].lstrip()[:1].isdigit() else None
    if numbers is not None:
        inside = sniff(
            without_numbering(text[:SNIFFED_CHARS], numbers),
            content_type=content_type,
            name=name,
            total=total or len(text),
        )
        if inside.name in {"code", "prose"}:
            return inside
    sample = Sample(text, len(text) if total is None else total)
    for said in (by_type(content_type), by_name(name)):
        if said is not None and _agrees(sample, said):
            return minified_kind(sample, said)
    return by_content(sample)


def _agrees(sample: Sample, said: Kind) -> bool:
    """Whether the content could be what was declared: servers send errors as pages, and call them JSON."""
    match said.name:
        case "json":
            ways = begun_json, commented_json, lone_string
            return ndjson(sample) is None and any(look(sample) is not None for look in ways)
        case "ndjson":
            return ndjson(sample) is not None
        case "xml":
            return xml(sample) is not None
        case "diff":
            return diff(sample) is not None
        case "binary":
            return binary(sample) is not None
        case _:  # a text that declares what it is knows better than its name
            declared = sample.start.startswith("<?xml")
            return not declared and ndjson(sample) is None and binary(sample) is None


# Shares of the lines.
_ALL, _MOST, _HALF, _SOME, _FEW, _HARDLY_ANY = 0.9, 0.6, 0.5, 0.25, 0.1, 0.03

_A_PAIR, _A_TABLE = 2, 3
_SHORTEST_BASE64 = 64
_FAR = 1_000  # characters of a record that are looked at

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_JSON_START = rf'\{{\s*(?:"|\}})|\[\s*(?:["{{\[\]]|(?:{_NUMBER}|true|false|null)\s*(?:,|\]))'
_LITERAL_START = r"\{\s*'|\[\s*['(]"  # as Python prints
_COMMENTS = r"(?s)(?:\s*(?://[^\n]*+\n|/\*.*?\*/))++\s*"
_FENCE = r"(?m)^(?:`{3,}|~{3,})[\w{}.-]*[ \t]*$"
_SECTION = r"\[[\w .:/\"*-]+\]$"
_SETTING = rf"{_SECTION}|[#;]|[ \t]*[\w.-][^=:\[]*[=:]|[ \t]+\S"
_ENTRY = r'\s*["{\[\]}]'
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
    found = compile_pattern(_BINARY).match(sample.head)
    return BINARY._replace(mime=found[1]) if found else None


def ndjson(sample: Sample) -> Kind | None:
    """Two lines or more, each an object or an array."""
    if sample.start[:1] not in ("{", "["):
        return None
    records = [record for line in (*sample.first, *sample.last) if (record := line.strip())]
    return NDJSON if len(records) >= _A_PAIR and all(map(_is_record, records)) else None


def json(sample: Sample) -> Kind | None:
    if not any(compile_pattern(start).match(sample.start) for start in (_JSON_START, _LITERAL_START)):
        return None
    return JSON if not sample.whole or sample.end.endswith("}" if sample.start[0] == "{" else "]") else None


def begun_json(sample: Sample) -> Kind | None:
    """What begins as JSON does, and may have been cut off: JSON where somebody said so."""
    return JSON if compile_pattern(_JSON_START).match(sample.start) else None


def commented_json(sample: Sample) -> Kind | None:
    """JSON as people write it: a comment before its first bracket, or before the first entry."""
    start = compile_pattern(_COMMENTS).sub("", sample.start, count=1) if sample.start.startswith("/") else sample.start
    inside = compile_pattern(_COMMENTS).match(start, 1) if start[:1] in ("{", "[") else None
    if inside is not None:
        return JSON if compile_pattern(_ENTRY).match(start, inside.end()) else None
    return JSON if start is not sample.start and compile_pattern(_JSON_START).match(start) else None


def lone_string(sample: Sample) -> Kind | None:
    """One string in quotes, which is JSON where somebody said so."""
    ended = not sample.whole or (sample.end.endswith('"') and len(sample.end) > 1)
    return JSON if sample.start.startswith('"') and ended else None


def xml(sample: Sample) -> Kind | None:
    found = compile_pattern(_XML_START).match(sample.start)
    if not found:
        return None
    root = found[1] or found[2]
    if root.lower() in _HTML:
        return minified_kind(sample, code_kind("html"))
    end = compile_pattern(_XML_END).search(sample.end)
    if found[2] and sample.whole and (end is None or end[1] not in (root, None)):
        return None
    return SVG if root == "svg" else XML


def diff(sample: Sample) -> Kind | None:
    is_hunk = compile_pattern(lines.DIFF_HUNK).match
    hunk = any(is_hunk(line) or line.startswith("diff --git ") for line in sample.top)
    if hunk and sample.count(lines.DIFF_HEADER) >= _A_PAIR:
        return DIFF if sample.share(lines.DIFF_LINE) > _MOST else None
    is_normal = compile_pattern(lines.NORMAL_HUNK).match
    if not any(map(is_normal, sample.top)):
        return None
    return DIFF if sample.count(lines.NORMAL_HUNK) >= _A_PAIR and sample.share(lines.NORMAL_LINE) > _MOST else None


def test_report(sample: Sample) -> Kind | None:
    ends = (*sample.top, *(line[:_FAR].rstrip() for line in sample.last))
    return TEST_REPORT if any(map(compile_pattern(lines.TEST_REPORT).match, ends)) else None


def base64(sample: Sample) -> Kind | None:
    if compile_pattern(lines.DATA_URI).match(sample.start):
        return BASE64
    full = sample.lines[:-1] or sample.lines
    text = "".join(sample.lines)
    varied = not (text.isupper() or text.islower() or text.isalpha() or text.isdigit())
    even = all(len(line) == len(full[0]) for line in full)
    long = varied and even and len(text) >= _SHORTEST_BASE64
    return BASE64 if long and all(compile_pattern(lines.BASE64).match(line) for line in full) else None


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
    is_path, is_numbered = compile_pattern(lines.PATH).match, compile_pattern(lines.NUMBERED).match
    paths = sum(1 for line in sample.lines if is_path(line) and not is_numbered(line)) if numbered else 0
    grouped = numbered > paths > 0 and numbered + paths > _ALL * len(sample.lines)
    return MATCHES if grouped else None


def markdown(sample: Sample) -> Kind | None:
    titled = compile_pattern(lines.HEADING).match(sample.lines[0]) is not None
    marked = sample.count(lines.MARKDOWN) + titled >= _A_PAIR
    fenced = marked and sample.count(_FENCE) >= 2 * _A_PAIR  # code stands in it: a notebook that was printed
    return MARKDOWN if fenced or (marked and sample.sentences > _FEW and sample.language[1] < _HALF) else None


def mostly_code(sample: Sample) -> Kind | None:
    # YAML and Python are told by lines that events have too.
    language, telling = sample.language
    told = telling > _HALF and language not in ("yaml", "python") and not quotes_code(sample)
    return code_kind(language) if told else None


def quotes_code(sample: Sample) -> bool:
    """Whether code is quoted by messages about it: no source has several lines with places and levels."""
    return sample.diagnostics > _HARDLY_ANY


def mostly_events(sample: Sample) -> Kind | None:
    return LOG if sample.events > _HALF else None


def separated_values(sample: Sample) -> Kind | None:
    """Rows with the same number of tabs, commas or semicolons."""
    if len(sample.lines) < _A_TABLE or sample.lines[0][-1] in ";{,(":
        return None
    for mark, fewest, kind in (("\t", 1, TSV), (",", 2, CSV), (";", 2, CSV)):
        counts = [line.count(mark) for line in sample.lines]
        names = {name.strip() for name in sample.lines[0].split(mark)}
        # No two columns are called the same: what says one thing several times is a sentence.
        alike = counts.count(counts[0]) >= _ALL * len(counts)
        if fewest <= counts[0] < len(names) and alike and _ends_so(sample, lambda line: line.count(mark) == counts[0]):  # noqa: B023
            return kind
    return None


def settings(sample: Sample) -> Kind | None:
    """A section in brackets, and below it lines that set something, or remarks."""
    named = next((line for line in sample.lines if line[0] not in "#;"), "")
    if not compile_pattern(_SECTION).match(named):
        return None
    alike = sample.count(_SETTING) > _ALL * len(sample.lines)
    return code_kind("ini") if alike and _ends_so(sample, compile_pattern(_SETTING).match) else None


def _ends_so(sample: Sample, looks: Callable[[str], object]) -> bool:
    """Whether half of the last lines look like this: what one command printed, another may have gone on from."""
    last = [line for line in sample.last if line.strip()]
    return 2 * sum(1 for line in last if looks(line[:_FAR])) >= len(last)


def aligned_table(sample: Sample) -> Kind | None:
    """A row of names, and below it rows of values."""
    header, *rows = sample.lines
    words = header.split()
    names = compile_pattern(_COLUMNS).split(header.strip())
    titled = max(len(names), sum(map(str.isupper, words))) >= _A_TABLE
    ruled = len(names) >= _A_PAIR and bool(rows) and compile_pattern(_RULE).match(rows[0]) is not None
    if not rows or compile_pattern(lines.MANUAL).match(header) or not (titled or ruled):
        return None
    fewest = max(2, (min(len(names), len(words)) + 1) // 2)
    full = sum(1 for row in rows if len(row.split()) >= fewest and row[-1] not in ";{.")
    return LISTING if full >= _ALL * len(rows) else None


def source(sample: Sample) -> Kind | None:
    language, telling = sample.language
    return code_kind(language) if language and telling > sample.entries / 2 and not quotes_code(sample) else None


def listing(sample: Sample) -> Kind | None:
    if sample.entries <= _MOST:
        return None
    return LISTING if any(any(map(str.isalpha, line)) for line in sample.lines) else None


def some_events(sample: Sample) -> Kind | None:
    return LOG if sample.events > _SOME else None


def prose(sample: Sample) -> Kind | None:
    if compile_pattern(lines.MANUAL).match(sample.lines[0]) or compile_pattern(lines.USAGE).match(sample.lines[0]):
        return PROSE
    return PROSE if sample.sentences > _HALF - _FEW else None


def some_code(sample: Sample) -> Kind | None:
    if quotes_code(sample):
        return None
    ends = sum(1 for line in sample.lines if line[-1] in "{};")
    return code_kind(sample.language[0]) if sample.language[0] or ends > _HALF * len(sample.lines) else None


def minified_kind(sample: Sample, kind: Kind) -> Kind:
    """`kind`, but a minified file is one long line first of all."""
    if kind.name == "code" and sample.long_lines:
        return ONE_LINE._replace(language=kind.language, mime=kind.mime)
    return kind


def _is_record(line: str) -> bool:
    return line[-1] == ("}" if line[0] == "{" else "]") and compile_pattern(_JSON_START).match(line[:_FAR]) is not None


_LOOKS: tuple[Callable[[Sample], Kind | None], ...] = (
    binary, ndjson, json, commented_json, xml, diff, test_report, base64, single_line, matches, markdown, mostly_code,
    settings, mostly_events, separated_values, aligned_table, source, listing, some_events, prose, some_code,
)  # fmt: skip
