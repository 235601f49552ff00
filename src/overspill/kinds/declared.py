"""What a content type or a file name says about the kind of a text."""

from overspill._lite import NamedTuple


class Kind(NamedTuple):
    """What a text is, as far as cutting it goes.

    `name` is one of json, ndjson, xml, diff, log, test_report, code, listing, matches, prose, one_line,
    base64, binary, text. `language` is said of code, and of one long line when it is known.
    """

    name: str
    language: str = ""
    mime: str = "text/plain"


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
    (JSON, "json geojson webmanifest ipynb map har sarif"),
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
    "application/json": JSON,
    "text/json": JSON,
    **dict.fromkeys(
        ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"), NDJSON
    ),
    "application/xml": XML,
    "text/xml": XML,
    "image/svg+xml": SVG,
    "text/x-diff": DIFF,
    "text/x-patch": DIFF,
    "text/csv": CSV,
    "text/tab-separated-values": TSV,
    "text/markdown": MARKDOWN,
    "text/x-log": LOG,
    "text/html": code_kind("html"),
    "application/xhtml+xml": code_kind("html"),
    "application/javascript": code_kind("javascript"),
    "text/yaml": code_kind("yaml"),
    "application/x-yaml": code_kind("yaml"),
    "application/octet-stream": BINARY,
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
