"""Our own words in a view: markers, the hint, the call that fetches more, and how a look-alike is told apart.

A text that is far too long is led by the reference block: what it is, how large, how to get the rest.
Everything here is ASCII, so that a mark costs the same in every encoding.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, compile_pattern, in_json
from overspill.errors import words_within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from overspill.core import Artifact, Size

SHORT_MARKER, QUOTE = "...", "| "


class Wording:
    """Every sentence of ours that a view can say. Whoever says a new one writes it here: look-alikes follow from it."""

    MARKER = "... [{} lines / {} chars omitted] ..."
    FOLD = "... [same {} {} more times / {} chars omitted] ..."
    SHORT_LINES = "[... {} line{}]"
    SHORT_CHARS = "[... {} char{}]"
    SHORTER_LINES = "[... {} ln]"
    SHORTER_CHARS = "[... {} ch]"
    SAME = "[same x{}]"
    SAME_LINES = "[same {} ln x{}]"
    TIMES = "[{} ln x{}]"
    HINT = "[original {} chars (~{} tokens); omitted part: {}]"
    ARTIFACT = "[Artifact: {}] {} ({})"
    OPTIONS = "Retrieval options:"
    WHOLE = "- Full content: {}"
    HEADER = "[{} lines, {} chars; rest: {}]"
    HEADER_OF_ENDS = "[{} lines, {} chars; both ends: {}]"
    HEADER_OF_UNKEPT = "[{} lines, {} chars; {}]"
    HEADER_OF_LINE = "[1 line, {} chars; {}]"
    IN_SHORT = "[identical to {}; {} lines, {} chars; rest: {}]"
    KEPT_HERE = "[kept here; {} lines, {} chars; rest: {}]"
    NAMED = "[art_{}]"
    NOT_KEPT = "[not kept{}]"
    IDENTICAL = "[identical to {}] {}, kept {}"
    DIFF = "[diff against {}, kept {}; all of this output: {}]"
    SHORT_DIFF = "[diff against {}; all of this output: {}]"
    FILES = "[{} omitted showing {} / {} diff]"
    HUNKS = "[{} omitted / {} diff]"
    RUNNING = "[still running, {:,} lines so far; {}, what fits is shown at the end]"
    UNKEPT = "Output could not be kept: {}"
    ENDED = "Output ended early: {}"
    UNKEPT_BINARY = "[not kept: bytes that are no text; {}]"
    KEPT_BINARY = "[kept as it came, not searched for secrets: {}]"
    UNSHOWN = "Output could not be shown: {} in overspill{} `spill doctor` may say more."
    SHELL = "overspill: the output of this command could not be shown; see `spill doctor`"
    TOO_LARGE = "Output size ({}) exceeds maximum artifact size ({})"
    ALIKE = "[{:d}x {}]"
    OMITTED = "[omitted: {}]"
    COMMITS, CHANGES = "[commits not shown: {}]", "[changes not shown: {}]"
    NAMES_CHANGED = "[names in changes not shown: {}]"
    EMBEDDED = "[embedded: {}]"
    REPEATED = "[lines that say so: {}]"
    ENTRIES = "[{} entries{}: {}]"
    PATHS = "[{} paths: {}]"
    FAILED_TESTS = "[{} failed tests: {}]"
    RECORDS = "[{} records{}: {}]"
    BY_RULE = "[by rule{}: {}]"
    BY_FILE = "[by file{}: {}]"
    MATCHES = "[{} matches in {} files: {}]"
    MATCHED = "[{} matches: {}]"
    CHANGED = "[{} changed: {}]"
    ROWS = "[{} rows; all: {}]"
    WHERE = "[{} where {}: {}]"
    OTHER_COLUMNS = "[other columns: {}]"
    CLEARED = "[cleared at turn {}: {}, {} line{}, {} chars; back: {}]"


SENTENCES: tuple[str, ...] = tuple(text for name, text in vars(Wording).items() if name.isupper())

# Characters that are read as others of ours. Those of the full-width and the mathematical alphabets fold by themselves.
_TWINS = str.maketrans(
    "\u3010\u3014\u3016\u3018\u301a\u2045\u27e6\u2772\u298b\u298d\u298f\u23a1\u2983\ufe5d\u2e22\u2308\u230a"
    "\u2219\u22c5\u00b7\u22ef\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0458\u0501\u04bb\u04cf\u0578\u057d"
    "\u0261\u03bf\u03b1\u03bd\u03b9\u03c1\u0131\u1d0f\u0442\u043a\u043c\u043d",
    "[[[[[[[[[[[[[[[[[...\u2026aeopcyxisjdhlnugoavipiotkmh",
)
_LEADING = r"[^\w\[.]*"
_BLANKS_OF_MARKER = "... ["
# Whatever is read as an opening bracket or as three dots.
_BRACKETS = (
    r"[\[\u3010\u3014\u3016\u3018\u301a\u2045\u27e6\u2772\u298b\u298d\u298f\u23a1\u2983\ufe5d\u2e22\u2308\u230a\uff3b\ufe47"
    r"\ufe17\u2026\u2025\u22ef]|[.\uff0e\u2024\u2219\u22c5\u00b7][^\w]{0,8}[.\uff0e\u2024\u2219\u22c5\u00b7]"
)


def _squeezed(text: str) -> str:
    """Words as they are compared: small, without blanks, accents and what nobody sees, look-alike letters as ours."""
    text = text.lower()
    if not text.isascii():
        import unicodedata  # most lines are ASCII

        text = unicodedata.normalize("NFKD", text.translate(_TWINS)).lower().translate(_TWINS)
        text = "".join(letter for letter in text if unicodedata.category(letter)[0] not in "MCZ")
    elif not text.isprintable():
        text = "".join(letter for letter in text if letter.isprintable())
    return "".join(text.split())


def _openings(sentence: str) -> Iterator[str]:
    """Patterns of how a sentence begins, and in brackets each of its later clauses."""
    clauses = sentence.split("; ")
    for clause in (clauses[0], *(f"[{clause}" for clause in clauses[1:] if sentence[0] == "[" and clause[0] != "{")):
        said, blank, rest = clause.partition("{")
        pattern = _escaped(said)
        if blank and not any(map(str.isalpha, said)):
            # It begins with what others say: what comes after that is ours again.
            filler = r"\d{1,15}" if rest.startswith(":d}") else r"[^\]]{1,40}?"
            pattern += filler + _escaped(rest.partition("}")[2].partition("{")[0].rstrip("]"))
        yield pattern


def _escaped(words: str) -> str:
    return "".join(letter if letter.isalnum() else f"\\{letter}" for letter in _squeezed(words).lstrip("-"))


def look_alike_pattern() -> str:
    """What a line of the source, squeezed, matches if it could be taken for a sentence of ours."""
    openings = [opening for sentence in SENTENCES for opening in _openings(sentence)]
    inline = "|".join(sorted(opening for opening in openings if opening.startswith((r"\.", r"\[\."))))
    return f"{_LEADING}(?:{'|'.join(sorted(openings))})|.*?(?:{inline})"


# How such a line can begin after what does not matter: others are not looked at any closer.
_FIRST = frozenset("[." + "".join(_squeezed(sentence).lstrip("-")[0] for sentence in SENTENCES))
_FIRST |= {letter.upper() for letter in _FIRST}
_NOISE = "".join(chr(code) for code in range(128) if not chr(code).isalnum() and chr(code) not in "[._")


def is_look_alike(line: str) -> bool:
    r"""Whether a line of the source could be taken for a sentence of ours.

    >>> [is_look_alike(line) for line in ("> [Original 7 chars", "x \uff3b 5 lines", "...[5 lines / 9 chars", "plain")]
    [True, False, True, False]
    """
    if line.startswith(QUOTE):
        return False
    letter = line.lstrip(_NOISE)[:1]
    if line.isascii():
        if letter not in _FIRST and SHORT_MARKER not in line:
            return False
    elif letter not in _FIRST and compile_pattern(_BRACKETS).search(line) is None and not _begins_alike(line):
        return False
    if _BLANKS_OF_MARKER in line:
        return True
    return compile_pattern(_look_alike()).match(_squeezed(line)) is not None


def _begins_alike(line: str) -> bool:
    """Whether a line that is not ASCII begins with a letter that is read as one of ours."""
    begun = compile_pattern(_LEADING).match(line)
    letter = line[begun.end() : begun.end() + 1] if begun else ""
    alike = _alike.get(letter)
    if alike is None:
        alike = _alike[letter] = _squeezed(letter)[:1] in _FIRST
    return alike


_alike: dict[str, bool] = {}  # letters and whether they are read as one that a sentence of ours begins with


def look_alike_places(text: str, *, short: bool) -> list[int]:
    """Where lines begin that could be taken for sentences of ours or, if asked, for the short marker.

    A line ends wherever one can be seen to end: also at a vertical tab, at U+0085, U+2028 and U+2029.
    """
    found: list[int] = []
    known: dict[str, bool] = {}  # a text of very many lines says the same ones again
    at = 0
    for line in text.splitlines(keepends=True):
        alike = known.get(line)
        if alike is None:
            alike = known[line] = is_look_alike(line) or (short and _is_short_marker(line))
        if alike:
            found.append(at)
        at += len(line)
    return found


def _is_short_marker(line: str) -> bool:
    return len(line) >= SHORTEST_LOOK_ALIKE and line.strip()[:1] != "[" and _squeezed(line) == SHORT_MARKER


_made_look_alike: list[str] = []


def _look_alike() -> str:
    """The pattern, put together once a process."""
    if not _made_look_alike:
        _made_look_alike.append(look_alike_pattern())
    return _made_look_alike[0]


# No look-alike line is shorter than this, so quoting can at most grow a text by a half.
SHORTEST_LOOK_ALIKE = 3


class Part(NamedTuple):
    """A part of an artifact: whole lines (from 1, both ends included), bytes (from 0, half-open), or a JSONPath."""

    unit: str
    start: int = 0
    end: int = 0
    query: str = ""


class Search(NamedTuple):
    """Text to look for in an artifact, or in all that may be read."""

    pattern: str
    artifact_id: str = ""
    regex: bool = False
    ignore_case: bool = False
    context: int = 0


class CallFormat(Protocol):
    """Writes the call that fetches a part of an artifact or goes on with a search, as its reader types it."""

    def __call__(
        self, artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None
    ) -> str: ...


def tool_call(artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None) -> str:
    """For models that have the artifact tools.

    >>> tool_call("art_1_x", Part("lines", 41, 902))
    'get_artifact(id="art_1_x", start_line=41, end_line=902)'
    >>> tool_call("", Search("took=", regex=True), 10)
    'search_artifacts(pattern="took=", regex=true, offset=10)'
    """
    name, words = "get_artifact", [f'id="{artifact_id}"'] if artifact_id else []
    if isinstance(part, Search):
        name, words = "search_artifacts", [f"pattern={in_json(part.pattern)}", *words]
        words += ["regex=true"] if part.regex else []
        words += ["ignore_case=true"] if part.ignore_case else []
        words += [f"context={part.context}"] if part.context else []
    elif part is not None and part.unit == "query":
        words.append(f"query={in_json(part.query)}")
    elif part is not None:
        word = "line" if part.unit == "lines" else "byte"
        words += f"start_{word}={part.start}", f"end_{word}={part.end}"
    words += [f"limit={limit}"] if limit is not None else []
    words += [f"offset={offset}"] if offset else []
    return f"{name}({', '.join(words)})"


def shell_call(artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None) -> str:
    """For readers that have a shell.

    >>> shell_call("art_1_x", Part("bytes", 0, 10240))
    'spill artifacts show art_1_x --bytes 0-10240'
    >>> shell_call("", Search("a b", context=2), 10)
    "spill artifacts search -C 2 --offset 10 -- 'a b'"
    """
    words = ["spill artifacts show", artifact_id]
    last: list[str] = []
    if isinstance(part, Search):
        words, last = ["spill artifacts search"], ["--", _shell_quoted(part.pattern), *filter(None, [artifact_id])]
        words += ["--regex"] if part.regex else []
        words += ["--ignore-case"] if part.ignore_case else []
        words += [f"-C {part.context}"] if part.context else []
    elif part is not None and part.unit == "query":
        words.append(f"--query {_shell_quoted(part.query)}")
    elif part is not None and part.unit == "pretty":
        words.append(f"--pretty --lines {part.start}-{part.end}" if part.start else "--pretty")
    elif part is not None:
        words.append(f"--{part.unit} {part.start}-{part.end}")
    words += [f"--offset {offset}"] if offset else []
    words += [f"--limit {limit}"] if limit is not None else []
    return " ".join(words + last)


def _shell_quoted(word: str) -> str:
    """A word as a shell takes it, in quotes whether it needs them or not."""
    return "'" + word.replace("'", "'\"'\"'") + "'"


def shell_call_from(options: Mapping[str, str]) -> CallFormat:
    """`shell_call` with options that have to be said wherever it is typed.

    >>> shell_call_from({"--root": "/srv/my app"})("art_1_x", Part("lines", 1, 9))
    "spill artifacts show art_1_x --lines 1-9 --root '/srv/my app'"
    """
    said = "".join(f" {name} {word if _is_plain(word) else _shell_quoted(word)}" for name, word in options.items())

    def spelled(artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None) -> str:
        line = shell_call(artifact_id, part, offset, limit)
        if not isinstance(part, Search):
            return line + said
        head, mark, tail = line.partition(" -- ")
        return head + said + mark + tail

    return spelled if said else shell_call


def whole_only(spelling: CallFormat) -> CallFormat:
    """Calls for whole artifacts, where parts of them may not be asked for.

    >>> whole_only(tool_call)("art_1_x", Part("lines", 1, 9))
    'get_artifact(id="art_1_x")'
    """

    def spelled(artifact_id: str, part: Part | Search | None = None, offset: int = 0, limit: int | None = None) -> str:
        return spelling(artifact_id, part if isinstance(part, Search) else None, offset, limit)

    return spelled


def _is_plain(word: str) -> bool:
    return word.isascii() and all(letter.isalnum() or letter in "/._-" for letter in word)


def one_line(words: str) -> str:
    r"""What others call a thing, as it may stand among our words: on one line, and unlike a mark.

    >>> one_line("make\n[Artifact: x]\t... [2 lines")
    'make [Artifact: x] ...[2 lines'
    """
    shown = words if words.isprintable() else "".join(letter if letter.isprintable() else " " for letter in words)
    return " ".join(shown.split()).replace("... [", "...[")


def marker(lines: int, chars: int) -> str:
    """What stands where something was left out.

    >>> marker(862, 61204)
    '... [862 lines / 61204 chars omitted] ...'
    """
    return Wording.MARKER.format(lines, chars)


def diff_marker(lines: int, chars: int) -> str:
    r"""The marker in a diff: a line after a hunk that begins with a backslash is skipped by what applies the diff.

    >>> diff_marker(12, 420)
    '\\ ... [12 lines / 420 chars omitted] ...'
    """
    return f"{_SKIPPED}{marker(lines, chars)}"


_SKIPPED = "\\ "


def fold_marker(number: int, noun: str, chars: int) -> str:
    """What stands where a line, or a few, said the same again.

    >>> fold_marker(1481, "line", 60721)
    '... [same line 1481 more times / 60721 chars omitted] ...'
    """
    return Wording.FOLD.format(noun, number, chars)


SHORT_WIDTH = 16  # characters of a mark in few words at the most
HEADER_WIDTH = 110  # characters of the line on top at the most; only a call that is longer by itself makes it longer


class MarkForms(NamedTuple):
    r"""How gaps are marked: in the specification's words or, `short`, in at most 16 characters.

    >>> short = MarkForms(short=True)
    >>> short.gap(131, 9_000), short.gap(0, 412), short.gap(1_234_567, 60_000_000)
    ('[... 131 lines]', '[... 412 chars]', '[... 1234567 ln]')
    >>> short.fold(59, "line", 4_000), short.fold(59, "3 lines", 4_000)
    ('[same x59]', '[same 3 ln x59]')
    """

    short: bool = False
    below: bool = False  # the line on top stands below the gap: where lines are counted after us, from the first
    comment: str = ""  # before every line of ours, where it would be taken for an entry of the text

    def gap(self, lines: int, chars: int) -> str:
        """The mark of what was left out. In few words it counts lines, and characters where `lines` is none."""
        return self.comment + (_short_gap(lines, chars, SHORT_WIDTH) if self.short else marker(lines, chars))

    def diff(self, lines: int, chars: int) -> str:
        """The mark in a diff."""
        if not self.short:
            return diff_marker(lines, chars)
        return _SKIPPED + _short_gap(lines, chars, SHORT_WIDTH - len(_SKIPPED))

    def fold(self, number: int, noun: str, chars: int) -> str:
        """The mark of a line, or a few, that said the same again."""
        if not self.short:
            return fold_marker(number, noun, chars)
        lines = noun.partition(" ")[0]
        if lines == "line":
            return Wording.SAME.format(number)
        return _first_within(
            SHORT_WIDTH, [words.format(lines, number) for words in (Wording.SAME_LINES, Wording.TIMES)]
        )

    def most(self, chars: int, *, diff: bool = False) -> int:
        """No mark of a gap of so many characters is longer, whatever lines are in it."""
        if self.comment:
            return len(self.comment) + self._replace(comment="").most(chars, diff=diff)
        digits = len(str(chars))
        if self.short:
            # Up to four digits the words are whole, so a gap with more lines may have a shorter mark.
            width = len(self.diff(0, 0) if diff else self.gap(0, 0)) + digits - 1
            return max(min(width, SHORT_WIDTH), len(self.diff(0, chars) if diff else self.gap(0, chars)))
        return len(diff_marker(0, 0) if diff else marker(0, 0)) + 2 * (digits - 1)

    def widest(self, size: Size) -> int:
        """No mark in a text of this size is wider."""
        if self.short:
            return max(len(self.comment) + SHORT_WIDTH, self.most(size.chars))
        return len(self.comment) + len(marker(size.lines, size.chars))


def _short_gap(lines: int, chars: int, width: int) -> str:
    number = lines or chars
    whole = (Wording.SHORT_LINES if lines else Wording.SHORT_CHARS).format(number, "s" * (number != 1))
    if len(whole) <= width:
        return whole
    form = (Wording.SHORTER_LINES if lines else Wording.SHORTER_CHARS).format(number)
    return _first_within(width, [form, form.replace("... ", "..."), form.replace(" ", "")])


def _first_within(width: int, forms: list[str]) -> str:
    """The first form that is short enough, or the last."""
    return next((form for form in forms if len(form) <= width), forms[-1])


def hint(size: Size, where: str) -> str:
    """The line that says how much there was and where the rest is."""
    return Wording.HINT.format(size.chars, size.tokens, where)


class Reference(NamedTuple):
    """Where the whole text is, and how the reader of the view asks for it."""

    artifact: Artifact | None = None
    reason: str = "not kept"  # said in the place of the call when there is no artifact
    spelling: CallFormat = tool_call
    block: bool = False  # led by the reference block
    preview: int | None = None  # characters of the text to show below the block at most
    silent: bool = False  # no word about where the rest is: the caller will say it
    lead: str = ""  # a sentence that comes before everything else: why something went wrong
    created: str = ""  # the time of its making, as text: rooms have no clock
    marks: MarkForms = MarkForms()
    short_id: str = ""  # what a reader is told for the id, where that is not all of it
    query: str = "$.*"  # asks for a part of a document, as an example
    opening: str = ""  # what the line on top begins with, where there is one

    @property
    def name(self) -> str:
        """What the artifact is called in the view; nothing where there is none."""
        return self.short_id or ("" if self.artifact is None else self.artifact.id)

    def call(self, part: Part | None = None) -> str:
        """The call that fetches the artifact or a part of it, as the reader of the view makes it."""
        return self.spelling(self.name, part)


def header(size: Size, reference: Reference, part: Part | None = None, more: int = 0) -> str:
    """The line on top of a view in few words: how much there is in all, and the call for what is missing.

    `part` is the largest gap, and `more` is how many there are beside it.

    >>> from overspill.core import Artifact, Size
    >>> size = Size(61_204, 902, 61_204, 15_301)
    >>> header(size, Reference(Artifact("art_1_x", size)), Part("lines", 41, 802), 2)
    '[902 lines, 61204 chars; rest: get_artifact(id="art_1_x", start_line=41, end_line=802), +2]'
    """
    if reference.artifact is None:
        room = HEADER_WIDTH - len(_header_text(size, reference, Wording.HEADER_OF_UNKEPT, ""))
        reason = "not kept" if reference.reason in reference.lead else words_within(reference.reason, max(0, room))
        return _header_text(size, reference, Wording.HEADER_OF_UNKEPT, reason)
    if reference.artifact.partial:
        # Ranges of the whole text would point to other places in what was kept of it.
        return _header_text(size, reference, Wording.HEADER_OF_ENDS, reference.call())
    calls = [reference.call(part)] if part is not None else []
    calls = [*[f"{call}, +{more}" for call in calls if more], *calls, reference.call()]
    forms = [_header_text(size, reference, Wording.HEADER, call) for call in calls]
    return _first_within(HEADER_WIDTH, forms) if len(forms[-1]) <= HEADER_WIDTH else forms[-2:][0]


def _header_text(size: Size, reference: Reference, words: str, where: str) -> str:
    said = words.format(max(1, size.lines), size.chars, where).replace("lines", "lines"[: 4 + (size.lines > 1)], 1)
    return f"{said[0]}{reference.opening}{said[1:]}"


def widest_header(size: Size, reference: Reference) -> str:
    """A line as long as the one on top can get."""
    whole = header(size, reference)
    parts = Part("lines", size.lines + 1, size.lines + 1), Part("bytes", size.bytes, size.bytes)
    ranged = max(len(reference.call(part)) for part in parts) - len(reference.call()) if reference.name else 0
    width = len(whole) + ranged
    return whole.ljust(width if len(whole) > HEADER_WIDTH else min(HEADER_WIDTH, width))
