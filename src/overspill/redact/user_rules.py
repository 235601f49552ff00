"""What a user adds to the table: own rules, exceptions, the generic rule and the specification's own patterns.

Own patterns run on google-re2, which is linear whatever is written; without it they are literals. However many there
are, a line is searched once: all of them are joined into one, and each is asked about the lines that it finds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from overspill._lite import NamedTuple, compile_pattern
from overspill.errors import ConfigError
from overspill.redact import values

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from overspill.redact.rules import Rule

MATCH_REACH = 4096
_NAME = compile_pattern(r"[a-z0-9][a-z0-9-]{0,63}$")
_TYPE = compile_pattern(r"[A-Z][A-Z0-9_]{0,47}$")
_SHA256 = compile_pattern(r"(?:sha256:)?([0-9a-f]{64})$")
_META = compile_pattern(r"[\\.^$*+?{}\[\]|()]")
_OF_WHOLE_TEXTS = compile_pattern(r"\\[Az]|\(\?[a-zA-Z]*-")  # what means something else in a line than in several

GENERIC = ("off", "near_keyword", "all")
PATTERNS = ("default", "spec")


class SearchRule(NamedTuple):
    """A rule that is searched for everywhere, as it has no literal to look for first."""

    name: str
    type: str
    find: Callable[[str, int, int], Iterator[tuple[int, int]]]


class AllowList(NamedTuple):
    """Values that are no secrets, by digest or by pattern."""

    digests: frozenset[str]
    patterns: tuple[Any, ...]

    def holds(self, value: str) -> bool:
        """Whether this value is listed."""
        if self.digests:
            from hashlib import sha256  # only where exceptions are listed by digest

            if sha256(value.encode("utf-8", "surrogatepass")).hexdigest() in self.digests:
                return True
        return any(pattern.fullmatch(value) for pattern in self.patterns)


def allow_list(entries: Iterable[str]) -> AllowList:
    """The exceptions of `redaction.allow`: `sha256:<64 hex digits>`, or a pattern the whole value matches."""
    digests, patterns = set(), []
    for entry in entries:
        if not isinstance(entry, str) or not entry.strip():
            raise ConfigError(f"redaction.allow: {entry!r} is neither a sha256 digest nor a pattern")
        digest = _SHA256.match(entry)
        if digest:
            digests.add(digest.group(1))
        else:
            pattern = _compiled_rule(entry, "redaction.allow")
            if pattern.fullmatch("") or pattern.fullmatch("x7Gq2-Zt9_Lm4"):
                raise ConfigError(f"redaction.allow: {entry!r} matches anything; name the value more closely")
            patterns.append(pattern)
    return AllowList(frozenset(digests), tuple(patterns))


def own_rules(rows: Sequence[Mapping[str, object]], taken: Iterable[str]) -> tuple[SearchRule, ...]:
    """Rules of an organisation: `name`, `type` and `pattern` each, checked."""
    names = set(taken)
    checked: list[tuple[str, str, Any]] = []
    for row in rows:
        name, kind, pattern = (row.get(key) for key in ("name", "type", "pattern"))
        unknown = sorted(set(row) - {"name", "type", "pattern"})
        if unknown:
            raise ConfigError(f"redaction.rules: unknown key {unknown[0]!r}; a rule has name, type and pattern")
        if not isinstance(name, str) or not _NAME.match(name):
            raise ConfigError(f"redaction.rules: name {name!r} must be small letters, digits and dashes")
        if name in names:
            raise ConfigError(f"redaction.rules: there is already a rule called {name!r}")
        if kind is not None and (not isinstance(kind, str) or not _TYPE.match(kind)):
            raise ConfigError(f"redaction.rules: type {kind!r} of {name!r} must be capitals, digits and underscores")
        if not isinstance(pattern, str) or not pattern:
            raise ConfigError(f"redaction.rules: rule {name!r} has no pattern")
        names.add(name)
        compiled = _compiled_rule(pattern, f"redaction.rules: rule {name!r}")
        if compiled.search(""):
            raise ConfigError(
                f"redaction.rules: the pattern of {name!r} matches nothing at all; it would hide everything"
            )
        checked.append((name, kind or "SECRET", compiled))
    lines = LinesToSearch([compiled.pattern for _, _, compiled in checked if not isinstance(compiled, _Literal)])
    return tuple(SearchRule(name, kind, _finder(compiled, lines)) for name, kind, compiled in checked)


def withheld_rules(rows: Iterable[Mapping[str, object]]) -> tuple[SearchRule, ...]:
    """Rules that cannot be used, as rules that hide every line with a literal of theirs.

    One without a literal could have meant anything: hiding all there is would lose the text for a slip of the pen.
    """
    found = []
    for row in rows:
        name, kind, pattern = (row.get(key) for key in ("name", "type", "pattern"))
        literals = literals_of(pattern) if isinstance(pattern, str) else ()
        if literals:
            named = name if isinstance(name, str) and _NAME.match(name) else "withheld"
            typed = kind if isinstance(kind, str) and _TYPE.match(kind) else "SECRET"
            found.append(SearchRule(named, typed, _lines_with(literals)))
    return tuple(found)


# What is no literal: classes, closed or not, escapes of classes, counts, groups' heads; and a letter that need not be.
_NO_LITERAL = compile_pattern(
    r"\[(?:\\.|[^\]])*(?:\]|$)|\\[A-Za-z0-9]|.?\{0[^}]*\}?|\{[^}]*\}?|\(\?[^:)]*[:)]?|.[*?]\??|[.^$+()]"
)
SHORTEST_LITERAL = 3


def literals_of(pattern: str) -> tuple[str, ...]:
    r"""Literals, in small letters, of which one stands in whatever a pattern was meant to find; none if that is unsure.

    >>> literals_of("EMP-[0-9{6}"), literals_of(r"(badge|pass-\d+"), literals_of("(alpha|[0-9]+"), literals_of("[a-z")
    (('emp-',), ('badge', 'pass-'), (), ())
    """
    longest = []
    for branch in pattern.split("|"):
        pieces = _NO_LITERAL.sub("\0", branch).replace("\\", "").lower().split("\0")
        literal = max(pieces, key=len)
        if len(literal) < SHORTEST_LITERAL:
            return ()
        longest.append(literal)
    return tuple(longest)


def _lines_with(literals: tuple[str, ...]) -> Callable[[str, int, int], Iterator[tuple[int, int]]]:
    """Every line that has one of the literals in it."""

    def find(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        reach = end if end == len(text) else min(len(text), end + MATCH_REACH)
        for first, last in _lines_between(text, start, end, reach):
            line = text[first:last].lower()
            if any(literal in line for literal in literals):
                yield first, last

    return find


def generic_rules(generic: str, patterns: str) -> tuple[SearchRule, ...]:
    """The rules that are switched on by `redaction.generic` and `redaction.patterns`."""
    if generic not in GENERIC:
        raise ConfigError(f"redaction.generic: {generic!r} is none of {', '.join(GENERIC)}")
    if patterns not in PATTERNS:
        raise ConfigError(f"redaction.patterns: {patterns!r} is none of {', '.join(PATTERNS)}")
    found: tuple[SearchRule, ...] = ()
    if patterns == "spec":
        found += (
            SearchRule("spec-jwt", "JWT_TOKEN", _everywhere(_SPEC_JWT)),
            SearchRule("spec-password-line", "PASSWORD", _everywhere(_SPEC_PASSWORD)),
            SearchRule("spec-api-key", "API_KEY", _everywhere(_SPEC_KEY)),
        )
    if generic != "off":
        found += (
            SearchRule(
                "generic",
                "SECRET",
                _everywhere(_GENERIC, _is_near_keyword if generic == "near_keyword" else _is_random_value),
            ),
        )
    return found


def disabled_rules(rules: Sequence[Rule], off: Iterable[str]) -> frozenset[int]:
    """The numbers of the rules that are switched off by name."""
    numbers = {rule.name: number for number, rule in enumerate(rules)}
    unknown = [name for name in off if name not in numbers]
    if unknown:
        raise ConfigError(f"redaction.off: there is no rule called {unknown[0]!r}; `spill redact --report` names them")
    return frozenset(numbers[name] for name in off)


# The specification's patterns as written, made linear: a run is taken whole, and the password of a
# line is what follows the sign, not the line.
_SPEC_KEY = compile_pattern(r"(?<![A-Za-z0-9_-])(?P<v>[A-Za-z0-9_-]{40,65536})")
_SPEC_JWT = compile_pattern(
    r"(?<![A-Za-z0-9_-])(?P<v>eyJ[A-Za-z0-9_-]{1,16384}+\.eyJ[A-Za-z0-9_-]{1,16384}+\.[A-Za-z0-9_-]{1,16384}+)"
)
_SPEC_PASSWORD = compile_pattern(
    r"""(?i)(?:password|passwd|secret)[^\s=:]{0,64}+["' \t]{0,4}[=:][ \t]{0,8}["']?(?P<v>[^\s"'][^\n"']{0,4096}+)"""
)
_GENERIC = compile_pattern(r"(?<![A-Za-z0-9+/_=.@%-])(?P<v>[A-Za-z0-9+/_-]{20,200}+={0,2})(?![A-Za-z0-9+/_=.@-])")
_KEYWORD = compile_pattern(r"(?i)passw|passphrase|secret|token|\bkey\b|[_-]key|auth|credential|bearer|accepted")
_DIGEST_BEFORE = compile_pattern(
    r"(?i)(?:sha\d*|md5|digest|integrity|checksum|hash|etag|commit|resolved|nonce|h1|fingerprint|base64,)[^\s]{0,12}[-:=\s\"']{0,4}$"
)
_HEX = compile_pattern(r"[0-9a-fA-F-]+$")


def _is_random_value(text: str, start: int, end: int, shortest: int = 40) -> bool:
    value = text[start:end]
    if len(value) < shortest or _HEX.match(value) or values.stand_in(value) or value.count("/") > len(value) // 12 + 1:
        return False
    if _DIGEST_BEFORE.search(text[max(0, start - 40) : start]):
        return False
    kinds = any(c.islower() for c in value), any(c.isupper() for c in value), any(c.isdigit() for c in value)
    return all(kinds) and len(set(value)) >= len(value) * 0.4 and values.random_looking(value) and _is_well_mixed(value)


def _is_well_mixed(value: str) -> bool:
    """Whether the value changes between kinds of characters as often as chance would."""
    kinds = [0 if c.islower() else 1 if c.isupper() else 2 for c in value]
    return sum(a != b for a, b in pairwise(kinds)) * 3 >= len(value)


def _is_near_keyword(text: str, start: int, end: int) -> bool:
    line = text.rfind("\n", max(0, start - 80), start) + 1
    return _KEYWORD.search(text, max(line, start - 80), start) is not None and _is_random_value(
        text, start, end, shortest=14 + 6
    )


def _everywhere(
    pattern: re.Pattern[str], judge: Callable[[str, int, int], bool] | None = None
) -> Callable[[str, int, int], Iterator[tuple[int, int]]]:
    def find(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        for match in pattern.finditer(text, start, min(len(text), end + MATCH_REACH)):
            if match.start() >= end:
                return
            span = match.span("v")
            if judge is None or judge(text, *span):
                yield span

    return find


class LinesToSearch:
    """The lines of a text in which any of many patterns can find something, for all of them at once.

    Own patterns see one line at a time, so that where a text is cut into pieces makes no difference.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._one_line = _joined_patterns(patterns)
        speaks_of_lines = not any(_OF_WHOLE_TEXTS.search(pattern) for pattern in patterns)
        self._any_line = _joined_patterns([f"(?m:{pattern})" for pattern in patterns]) if speaks_of_lines else None
        self._last: tuple[str, int, int, list[tuple[int, int]]] = ("", 0, 0, [])

    def between(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Where such lines begin and end; a last one that goes on after `end` is looked at for some way."""
        known, first, last, lines = self._last  # every rule asks about the same piece
        if known is text and (first, last) == (start, end):
            return lines
        reach = end if end == len(text) else min(len(text), end + MATCH_REACH)
        piece = text[start:reach]
        lines = []
        if self._any_line is None or any(pattern.search(piece) for pattern in self._any_line):
            lines = [line for line in _lines_between(text, start, end, reach) if self._is_found(text[slice(*line)])]
        self._last = text, start, end, lines
        return lines

    def _is_found(self, line: str) -> bool:
        return any(pattern.search(line) for pattern in self._one_line)


def _lines_between(text: str, start: int, end: int, reach: int) -> Iterator[tuple[int, int]]:
    at = start
    while at < end:
        newline = text.find("\n", at, end)
        yield at, newline if newline >= 0 else reach
        at = newline + 1 if newline >= 0 else end


def _joined_patterns(patterns: Sequence[str]) -> list[Any]:
    """As few patterns as there can be that find something wherever any of these does."""
    if not patterns:
        return []
    try:
        return [_compile_re2("|".join(f"(?:{pattern})" for pattern in patterns))]
    except ValueError:  # too large together, or two groups have one name
        half = len(patterns) // 2
        return (
            [_compile_re2(patterns[0])]
            if not half
            else [*_joined_patterns(patterns[:half]), *_joined_patterns(patterns[half:])]
        )


def _finder(pattern: Any, lines: LinesToSearch) -> Callable[[str, int, int], Iterator[tuple[int, int]]]:
    return pattern.find_between if isinstance(pattern, _Literal) else _by_line(pattern, lines)


def _by_line(pattern: Any, lines: LinesToSearch) -> Callable[[str, int, int], Iterator[tuple[int, int]]]:
    group = 1 if pattern.groups else 0

    def find(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        for at, stop in lines.between(text, start, end):
            for match in pattern.finditer(text[at:stop]):
                begin, finish = match.span(group)
                if begin + at < end and finish > begin:
                    yield begin + at, finish + at

    return find


class _Literal:
    """A pattern without google-re2: the text itself."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_between(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where it begins between `start` and `end`."""
        stop = min(len(text), end + len(self._text) - 1)
        at = text.find(self._text, start, stop)
        while at >= 0:
            yield at, at + len(self._text)
            at = text.find(self._text, at + len(self._text), stop)

    def search(self, text: str) -> bool:
        return self._text in text

    def fullmatch(self, text: str) -> bool:
        return self._text == text


def _compiled_rule(pattern: str, where: str) -> Any:
    if not _META.search(pattern):
        return _Literal(pattern)
    try:
        return _compile_re2(pattern)
    except ImportError:
        raise ConfigError(
            f"{where}: patterns need google-re2 (pip install 'overspill[re2]'); without it only literals work"
        ) from None
    except ValueError as error:
        raise ConfigError(f"{where}: {pattern!r} is no pattern of google-re2 ({error})") from None


def _compile_re2(pattern: str) -> Any:
    """The pattern, compiled; `ValueError` says what is wrong with it."""
    import re2  # a native library, loaded only for own patterns

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        raise ValueError(message.decode() if isinstance(message, bytes) else str(message)) from None
