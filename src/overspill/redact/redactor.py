"""A redactor: the rules that are switched on, and the engine that finds where to look."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.errors import ConfigError
from overspill.redact.hits import (
    BLOCK_RULES,
    DIGEST,
    LAYOUT,
    MANIFEST,
    NEAR,
    RULE_BITS,
    RULE_COUNT,
    RULE_MASK,
    SCALAR,
    Hit,
    Probe,
    Reader,
    Scan,
    SecretMatch,
)
from overspill.redact.stream import RedactStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from overspill.redact.hits import Database, Finder
    from overspill.redact.placeholders import ScreenCover, Trace
    from overspill.redact.rules import Rule
    from overspill.redact.user_rules import AllowList, SearchRule

KNOWN, UNEXAMINED = -1, -2

_REASONS = {
    "token": "has the format of a key",
    "block": "is a private key",
    "below": "stands below a name that reads as a secret, or in a secret of a cluster",
    "assignment": "is the value of a name that reads as a secret",
    "pair": "is the value of a name that reads as a secret",
    "url": "is the password of an address",
    "opaque-url": "is a token in an address",
    "cookies": "is a cookie that opens a session",
    "credential": "is a credential in a header",
    "near": "was drawn at random, and stands near a word for secrets",
}


class Redacted(NamedTuple):
    """A text without its secrets. `incomplete`: something could not be examined and was hidden whole."""

    text: str
    counts: dict[str, int]
    incomplete: bool


class RedactionReason(NamedTuple):
    """One redaction, explained: never the value."""

    rule: str
    type: str
    line: int
    column: int
    reason: str


class Redactor:
    """Hides secrets in text.

    `rules` are rows of an organisation added to the table (`name`, `type`, `pattern`), `off` names rules
    that are switched off, `known` maps names to values that are secret, `allow` lists exceptions by
    digest or pattern. `broken` are rows that cannot be used: every line in which they could have found something is
    hidden. `database` is the compiled table for hyperscan; without one google-re2 or the
    standard library looks, more slowly, and finds the same.

    >>> Redactor(known={"DEPLOY": "hunter2hunter2"}).redact("pw hunter2hunter2").text
    'pw [REDACTED: DEPLOY]'
    """

    def __init__(
        self,
        rules: Sequence[Mapping[str, object]] = (),
        known: Mapping[str, str] | None = None,
        allow: Iterable[str] = (),
        generic: str = "off",
        patterns: str = "default",
        database: Database | None = None,
        *,
        off: Iterable[str] = (),
        broken: Sequence[Mapping[str, object]] = (),
        use: str | None = None,
    ) -> None:
        self._off: frozenset[int] = frozenset()
        self._searched: tuple[SearchRule, ...] = ()
        self._known: tuple[KnownSecret, ...] = ()
        self._allowed: AllowList | None = None
        self.lenient = False
        if rules or allow or off or generic != "off" or patterns != "default":
            self._adapt(rules, allow, generic, patterns, off)
        if broken:
            from overspill.redact.user_rules import withheld_rules  # only where a rule is broken

            self._searched += withheld_rules(broken)
        if known:
            self._known = known_values(known)
        self.readers: list[Reader | None] = [None] * RULE_COUNT
        self.probes: list[Probe | None] = [None] * RULE_COUNT
        self.leads = [0] * RULE_COUNT
        self.blocks = (BLOCK_RULES | {SCALAR, MANIFEST, LAYOUT, *range(NEAR, RULE_COUNT)}) - self._off
        self.engine, self._scan = _engine(database, use)

    def _adapt(
        self,
        rules: Sequence[Mapping[str, object]],
        allow: Iterable[str],
        generic: str,
        patterns: str,
        off: Iterable[str],
    ) -> None:
        from overspill.redact import user_rules  # only for settings that are not the default

        self._off = user_rules.disabled_rules(_rule_table(), off)
        self._searched = user_rules.own_rules(rules, (rule.name for rule in _rule_table()))
        self._searched += user_rules.generic_rules(generic, patterns)
        self._allowed = user_rules.allow_list(allow)
        self.lenient = bool(self._allowed.digests or self._allowed.patterns)

    def redact(self, text: str) -> Redacted:
        """The text without its secrets, and how many were hidden by each rule."""
        stream = RedactStream(self)
        result = stream.whole(text)
        return Redacted(result, stream.counts, stream.incomplete)

    def stream(self) -> RedactStream:
        """Redaction of a text that comes in pieces."""
        return RedactStream(self)

    def screen_cover(self) -> ScreenCover:
        """What keeps secrets whole while a screen is drawn, which happens before a text is redacted."""
        from overspill.redact.placeholders import ScreenCover  # most texts draw nothing

        return ScreenCover(self)

    def why(self, text: str) -> list[RedactionReason]:
        """Each redaction with its rule, place (lines and columns from 1) and reason; never the value."""
        traces: list[Trace] = []
        RedactStream(self, traces).whole(text)
        result, line, begin, at = [], 1, 0, 0
        for trace in traces:
            line += text.count("\n", at, trace.start)
            begin = text.rfind("\n", 0, trace.start) + 1
            at = trace.start
            result.append(
                RedactionReason(
                    self.name(trace.rule), trace.type, line, trace.start - begin + 1, self.reason(trace.rule)
                )
            )
        return result

    def name(self, rule: int) -> str:
        """What a rule is called in counts."""
        if rule == KNOWN:
            return "known"
        if rule == UNEXAMINED:
            return "unexamined"
        return _rule_table()[rule].name if rule < RULE_COUNT else self._searched[rule - RULE_COUNT].name

    def reader(self, rule: int) -> Reader:
        """The reader of a rule, made when the rule is first hit."""
        found = self.readers[rule]
        if found is None:
            from overspill.redact import readers  # a clean text does not need its patterns

            row = _rule_table()[rule]
            found = self.readers[rule] = readers.reader(row, self)
            self.probes[rule] = readers.probe(row)
            self.leads[rule] = row.back if self.probes[rule] else 0
        return found

    def hits(self, text: str, start: int, end: int) -> list[Hit]:
        """Where to look between `start` and `end`, in order."""
        piece = text[start:end]
        data = piece.encode("utf-8", "surrogatepass")
        found = self._scan(data)
        if not found:
            return found
        found.sort()  # it is almost in order
        hits = list(dict.fromkeys(found))
        if self._off:
            hits = [hit for hit in hits if hit & RULE_MASK not in self._off]
        if len(data) != len(piece):
            return _hits_in_characters(data, hits, start)
        if start:
            before = start << RULE_BITS
            return [hit + before for hit in hits]
        return hits

    def literals(self, text: str, start: int, end: int) -> Iterable[SecretMatch]:
        """Known values, and rules without a literal to look for, that begin between `start` and `end`."""
        for literal, kind in self._known:
            at = text.find(literal, start, end + len(literal) - 1)
            while at >= 0:
                yield at, at + len(literal), KNOWN, kind, 0
                at = text.find(literal, at + len(literal), end + len(literal) - 1)
        for number, searched in enumerate(self._searched, RULE_COUNT):
            for first, last in searched.find(text, start, end):
                yield first, last, number, searched.type, 0

    def allows(self, value: str) -> bool:
        """Whether a value is listed as no secret."""
        return self._allowed is not None and self._allowed.holds(value)

    def reason(self, rule: int) -> str:
        """Why a rule hides what it finds, in a few words."""
        if rule == KNOWN:
            return "is a value that is known to be secret"
        if rule == UNEXAMINED:
            return "stands in a line that would have cost too much to examine"
        if rule >= RULE_COUNT:
            return "matches a rule that was added"
        return _REASONS.get(_rule_table()[rule].how, "stands where a secret stands")


def secret_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables whose name says that they are secret, to be handed to a redactor as `known`.

    >>> secret_variables({"GITHUB_TOKEN": "x", "HOME": "/root"})
    {'GITHUB_TOKEN': 'x'}
    """
    from overspill.redact.names import promise  # only where an environment is read

    return {name: value for name, value in environ.items() if promise(name).level and not _is_place(name, value)}


def _is_place(name: str, value: str) -> bool:
    """Whether a variable is one in which a shell says where it is: that may be a directory with a line end in it."""
    return name in {"PWD", "OLDPWD"} and value.startswith("/")


_scans: dict[str, Scan] = {}


def _engine(database: Database | None, use: str | None) -> tuple[str, Scan]:
    if database is not None:
        if database.digest != DIGEST:
            raise ConfigError("the scan database was built for other rules; remove it from the cache, it is built anew")
        return "hyperscan", database.scan
    name = use or ("re2" if _has_re2() else "re")
    if name not in _scans:
        from overspill.redact.scanner import by_literals  # not needed beside hyperscan

        _scans[name] = by_literals(_rule_table(), _compile_re2 if name == "re2" else _compile_re, linear=name == "re2")
    return name, _scans[name]


def _rule_table() -> tuple[Rule, ...]:
    from overspill.redact.rules.credentials import RULES  # a clean text needs no table

    return RULES


def _compile_re(pattern: bytes) -> Finder:
    import re  # not needed beside hyperscan

    return re.compile(pattern)


def _has_re2() -> bool:
    try:
        import re2  # noqa: F401  a native library, not needed beside hyperscan
    except ImportError:
        return False
    return True


def _compile_re2(pattern: bytes) -> Finder:
    import re2  # as above

    options = re2.Options()
    options.max_mem = 64 << 20
    options.encoding = re2.Options.Encoding.LATIN1
    compiled: Finder = re2.compile(pattern, options)
    return compiled


# A character of UTF-8 is one byte and as many of these as follow it.
_FOLLOWING = bytes(range(0x80, 0xC0))
_BEGINS = bytes(byte not in _FOLLOWING for byte in range(256))
_DENSE = 12  # bytes for each hit: where there are fewer, to count all of them once is faster


def _hits_in_characters(data: bytes, hits: list[Hit], start: int) -> list[Hit]:
    """Hits at byte offsets as hits at characters; one inside a character counts as after it."""
    if len(hits) * _DENSE > len(data):
        from itertools import accumulate  # hardly any text is as dense

        places = list(accumulate(data.translate(_BEGINS), initial=start))
        return [places[hit >> RULE_BITS] << RULE_BITS | hit & RULE_MASK for hit in hits]
    result = []
    at, chars = 0, start
    for hit in hits:
        offset = hit >> RULE_BITS
        if offset > at:
            chars += len(data[at:offset].translate(None, _FOLLOWING))
            at = offset
        result.append(chars << RULE_BITS | hit & RULE_MASK)
    return result


def redacted_bytes(redactor: Redactor | None) -> Callable[[bytes | None], bytes]:
    """Takes bytes of any kind in chunks, None at the end, and gives them back without their secrets."""
    if redactor is None:
        return lambda chunk: chunk or b""
    from codecs import getincrementaldecoder

    stream = redactor.stream()
    decoder = getincrementaldecoder("utf-8")("surrogateescape")

    def passed(chunk: bytes | None) -> bytes:
        text = stream.feed(decoder.decode(chunk or b"", final=chunk is None))
        if chunk is None:
            text += stream.flush()
        return str(text).encode("utf-8", "surrogateescape")

    return passed


# Values that are known to be secret need no rule: what the host registers, and what its environment calls a secret, is
# looked for literally, and also in base64, percent-encoded and as JSON would escape it, the longest first.
SHORTEST_KNOWN = 8
LONGEST_KNOWN = 16_384
SHORTEST_SPELLING = 10
_COMMON = (
    r"[A-Za-z]+$|[a-z]+(?:[-_ .][a-z]+)*+$|[-+0-9.,:eExX_ ]+$|(?:[A-Za-z]:)?[~.]{0,2}[/\\]"
    r"|[A-Za-z][\w+.-]{1,15}:(?!//[^/]*:[^/]*@)|(?i:true|false|yes|no|on|off|none|null)$"
)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_JSON = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


class KnownSecret(NamedTuple):
    """One spelling of a known value, and what to call it."""

    literal: str
    type: str


def known_values(registered: Mapping[str, str]) -> tuple[KnownSecret, ...]:
    """Every spelling worth looking for, the longest first. Short values, words, paths and numbers are left out."""
    found: dict[str, str] = {}
    for name, value in registered.items():
        kind = _secret_type(name)
        lines = value.split("\n") if "\n" in value else [value]
        for line in lines:
            stripped = line.strip()
            if is_distinctive(stripped):
                for spelling in _spellings(stripped):
                    found.setdefault(spelling, kind)
        if len(lines) > 1 and len(value) <= LONGEST_KNOWN:
            found.setdefault(_json_spelling(value.strip()), kind)
    return tuple(
        KnownSecret(literal, kind) for literal, kind in sorted(found.items(), key=lambda pair: (-len(pair[0]), pair))
    )


def is_distinctive(value: str) -> bool:
    """Whether a value is worth looking for: long enough, and no word, path, number or boolean.

    >>> [is_distinctive(text) for text in ("hunter2hunter2", "production", "/usr/local/bin", "20261115", "short1")]
    [True, False, False, False, False]
    """
    return SHORTEST_KNOWN <= len(value) <= LONGEST_KNOWN and compile_pattern(_COMMON).match(value) is None


def _secret_type(name: str) -> str:
    kind = compile_pattern(r"[^A-Z0-9]+").sub("_", name.upper()).strip("_")[:48]
    return kind or "KNOWN_SECRET"


def _spellings(value: str) -> list[str]:
    from binascii import b2a_base64  # only where values are known

    data = value.encode("utf-8", "surrogatepass")
    spellings = [value, _json_spelling(value), _percent(data, plus=False), _percent(data, plus=True)]
    for shift in range(3):
        coded = b2a_base64(b"\0" * shift + data, newline=False).rstrip(b"=").decode()
        core = coded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
        if shift == 0:
            core = coded
        if len(core) >= SHORTEST_SPELLING:
            spellings += [core, core.replace("+", "-").replace("/", "_")]
    return [spelling for spelling in spellings if len(spelling) <= LONGEST_KNOWN]


def _json_spelling(value: str) -> str:
    return "".join(_JSON.get(c, c) for c in value)


def _percent(data: bytes, *, plus: bool) -> str:
    space = "+" if plus else "%20"
    return "".join(chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data).replace("%20", space)
