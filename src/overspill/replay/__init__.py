"""What would have been shown in sessions that are over: proof before switching on.

Transcripts are read step by step: what the model said, and what tools said to it. Claude Code writes
`~/.claude/projects/PROJECT/SESSION.jsonl`, Codex `~/.codex/sessions/YEAR/MONTH/DAY/rollout-*.jsonl`, a line of JSON for
each thing that happened; lines of other kinds, of other versions and broken ones are passed over. Each result is fitted
as it would be now, in memory, and put beside what the agent showed; names and numbers tell what a model took from a
result into its next steps. Nothing is changed anywhere, and memory does not grow with the length of a transcript. Only
`cli` comes in here.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from typing import TypeVar
from zlib import crc32

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, suppress
from overspill.core import tokens_of
from overspill.fit import fit_file
from overspill.fit.prepare import ToolCall
from overspill.journal.calls import COMMANDS, READING
from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS
from overspill.settings.table import tool_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.api import Overspill
    from overspill.core.report import Fitted
    from overspill.journal.calls import CallRow

MAX_LINE_BYTES = 1 << 26
MAX_SAVED_BYTES = 1 << 26  # of a file in which an agent saved what a tool said
MAX_PENDING = 1_000  # calls whose results have not come yet
CODEX_FRAME = compile_pattern(r"\A(?:[^\n]*\n){0,5}?Output:\n")
CLAUDE_FRAME = compile_pattern(r"\A(?:Error: )?Exit code \d+\n?")
CLAUDE_NUMBERS = compile_pattern(r"(?m)^ *\d+(?:\t|→)")
EXIT_STATUS = compile_pattern(r"(?m)^Process exited with code ([0-9]+)$")
NO_OUTPUT = "(Bash completed with no output)"

Json = Mapping[str, object]
Value = TypeVar("Value")


class Spoken(NamedTuple):
    """Something that the model said: a text, or a call with all its arguments."""

    text: str


class Asked(NamedTuple):
    """Something that the user said."""

    text: str


class ToolOutput(NamedTuple):
    """What a tool said."""

    agent: str
    tool: str
    command: str
    said: str  # all of it, as far as it is known
    host: str  # as the agent showed it to the model
    failed: bool = False
    is_whole: bool = True  # whether `said` is all that the tool said


TranscriptStep = Spoken | Asked | ToolOutput


class Transcript(Iterator[TranscriptStep]):
    """The steps of one file, in order. Lines that cannot be read are counted in `unread`."""

    def __init__(self, path: str) -> None:
        self.unread = 0
        self._path = path
        self._calls: OrderedDict[str, tuple[str, str]] = OrderedDict()  # by id: the tool, and its command
        self._outputs: OrderedDict[str, tuple[str, bool]] = OrderedDict()  # by id: all of it, and whether it failed
        self._found = self._read()

    def __next__(self) -> TranscriptStep:
        return next(self._found)

    def _read(self) -> Iterator[TranscriptStep]:
        from msgspec import DecodeError
        from msgspec.json import Decoder

        decode = Decoder(dict[str, object]).decode
        for line in bounded_lines(self._path):
            if line is None:
                self.unread += 1
                continue
            try:
                event = decode(line)
            except (DecodeError, UnicodeDecodeError, RecursionError):
                self.unread += bool(line.strip())
                continue
            payload = event.get("payload")
            if isinstance(payload, dict):
                yield from self._codex_steps(str(event.get("type")), payload)
            else:
                yield from self._claude_steps(event)

    # -- Claude Code ---------------------------------------------------------------------------------------------------

    def _claude_steps(self, event: Json) -> Iterator[TranscriptStep]:
        message = event.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        is_model = event.get("type") == "assistant"
        if isinstance(content, str):
            yield Spoken(content) if is_model else Asked(content)
        results = sum(block.get("type") == "tool_result" for block in blocks)
        for block in blocks:
            match block.get("type"):
                case "tool_use":
                    asked = block.get("input")
                    _remember(self._calls, str(block.get("id")), (str(block.get("name")), _command_in(asked)))
                    yield Spoken(texts_in(asked))
                case "tool_result":
                    # What the tool itself answered stands beside the message, which may hold several results.
                    whole = event.get("toolUseResult") if results == 1 else None
                    yield self._claude_output(block, whole)
                case "text" | "thinking":
                    text = str(block.get("text") or block.get("thinking") or "")
                    yield Spoken(text) if is_model else Asked(text)

    def _claude_output(self, block: Json, whole: object) -> ToolOutput:
        tool, command = self._calls.pop(str(block.get("tool_use_id")), ("", ""))
        host = CLAUDE_FRAME.sub("", texts_in(block.get("content")))
        host = "" if host == NO_OUTPUT else host
        if tool == "Read":
            host = CLAUDE_NUMBERS.sub("", host)
        said, is_whole = host, True
        if isinstance(whole, dict) and isinstance(whole.get("persistedOutputPath"), str):
            saved = self._saved_text(str(whole["persistedOutputPath"]))
            is_whole = saved is not None
            said = saved if saved is not None else str(whole.get("stdout", ""))
        elif isinstance(whole, dict) and isinstance(whole.get("stdout"), str):
            said = "\n".join(filter(None, (str(whole["stdout"]), str(whole.get("stderr") or ""))))
        elif isinstance(whole, list) or (isinstance(whole, str) and not block.get("is_error")):
            said = texts_in(whole)
        longer = said if len(said) > len(host) else host
        return ToolOutput("claude-code", tool, command, longer, host, block.get("is_error") is True, is_whole)

    def _saved_text(self, path: str) -> str | None:
        """What Claude Code saved of a long result: beside the transcript, wherever that has been moved since."""
        beside = os.path.join(self._path.removesuffix(".jsonl"), "tool-results", os.path.basename(path))
        with suppress(OSError, ValueError):
            file = os.open(beside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(file, "rb") as saved:
                found = os.fstat(file)
                if stat.S_ISREG(found.st_mode) and found.st_size <= MAX_SAVED_BYTES:
                    return saved.read(MAX_SAVED_BYTES).decode("utf-8", "replace")
        return None

    # -- Codex ---------------------------------------------------------------------------------------------------------

    def _codex_steps(self, kind: str, payload: Json) -> Iterator[TranscriptStep]:
        if kind == "event_msg":
            self._note_codex_output(payload)
            return
        if kind != "response_item":
            return
        match payload.get("type"):
            case "function_call" | "custom_tool_call" | "local_shell_call":
                asked = _decoded(payload.get("arguments", payload.get("input", payload.get("action"))))
                call = (str(payload.get("name", "local_shell")), _command_in(asked))
                _remember(self._calls, str(payload.get("call_id")), call)
                yield Spoken(texts_in(asked))
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                yield self._codex_output(payload)
            case "message":
                text = texts_in(payload.get("content"))
                yield Spoken(text) if payload.get("role") == "assistant" else Asked(text)
            case "reasoning":
                yield Spoken(texts_in(payload.get("summary")))

    def _note_codex_output(self, payload: Json) -> None:
        """What a command said in all stands in an event before the result."""
        item = payload.get("item")
        source: Json = item if isinstance(item, dict) else payload
        identity, text = source.get("id", source.get("call_id")), source.get("aggregated_output")
        if isinstance(identity, str) and isinstance(text, str):
            status = source.get("exit_code")
            _remember(self._outputs, identity, (text, isinstance(status, int) and status != 0))

    def _codex_output(self, payload: Json) -> ToolOutput:
        identity = str(payload.get("call_id"))
        tool, command = self._calls.pop(identity, ("", ""))
        said, failed = self._outputs.pop(identity, ("", False))
        shown = texts_in(payload.get("output"))
        status = EXIT_STATUS.search(shown[:500])
        host = CODEX_FRAME.sub("", shown)
        failed = failed or (status is not None and status[1] != "0")
        return ToolOutput("codex", tool, command, said if len(said) > len(host) else host, host, failed)


def bounded_lines(path: str) -> Iterator[bytes | None]:
    """The lines of a file; None in the place of one that is too long to be held."""
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE_BYTES):
            if line.endswith(b"\n") or len(line) < MAX_LINE_BYTES:
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield None


def texts_in(value: object) -> str:
    r"""All texts in a value, wherever they stand in it; pictures are none.

    >>> texts_in([{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "iVBO"}}, {"n": 1, "b": ["c"]}])
    'a\nc'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(texts_in, value)))
    if isinstance(value, dict):
        if value.get("type") in {"image", "input_image", "document"}:
            return ""
        return "\n".join(filter(None, (texts_in(member) for name, member in value.items() if name != "type")))
    return ""


def _decoded(asked: object) -> object:
    """What a call asks for; some write it as JSON in a text."""
    if isinstance(asked, str):
        from msgspec import DecodeError
        from msgspec.json import decode

        with suppress(DecodeError, UnicodeError, RecursionError):
            return decode(asked)
    return asked


def _command_in(asked: object) -> str:
    """The command of a call, if it runs one."""
    if not isinstance(asked, dict):
        return ""
    command = asked.get("command", asked.get("cmd"))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return command if isinstance(command, str) else ""


def _remember(known: OrderedDict[str, Value], name: str, value: Value) -> None:
    known[name] = value
    if len(known) > MAX_PENDING:
        known.popitem(last=False)


NEXT_STEPS = 10  # things that the model says after a result, in which a name is taken to come from it
MAX_TOOLS = 1_000
MAX_LOST = 20  # examples of what was used and would not have been shown
OTHERS = "(others)"
NO_TOOL = "(no tool)"
OUR_VIEW = compile_pattern(r"rest: get_artifact\(id=\"art_|\[Artifact: art_")
OUR_TOOLS = ("get_artifact", "search_artifacts", "list_artifacts")


class ReplaySums:
    """What results came to, in tokens."""

    def __init__(self) -> None:
        self.results = self.cut = self.partial = 0
        self.said = self.host = self.view = 0
        self.used = self.kept = 0  # names and numbers of cut results that were used next, and are in the views

    @property
    def lost(self) -> int:
        """Names and numbers that were used next, and would have had to be fetched."""
        return self.used - self.kept

    @property
    def net(self) -> int:
        """Tokens that would have been spared, against what the agent showed; negative if more would have been shown."""
        return self.host - self.view


class LostName(NamedTuple):
    """A name or number that was used, and would not have been shown."""

    tool: str
    name: str


class CutResult:
    """A result that would have been cut, while it is watched what the model takes from it."""

    def __init__(self, sums: list[ReplaySums], tool: str, fresh: set[str], view: set[str]) -> None:
        self._sums = sums
        self._tool = tool
        self._fresh = fresh
        self._view = view
        self.steps_left = NEXT_STEPS

    def take(self, words: set[str], text: str) -> list[LostName]:
        """Count what of it is used now, each name once; those that the view does not have."""
        used = words & self._fresh
        used -= foreign_names(text, self._fresh) if used else used
        self._fresh -= used
        self.steps_left -= 1
        for sums in self._sums:
            sums.used += len(used)
            sums.kept += len(used & self._view)
        return [LostName(self._tool, name) for name in sorted(used - self._view)]


class SessionReplay:
    """What all transcripts that were read came to."""

    def __init__(self, spill: Overspill, ours: int = 0) -> None:
        self._spill = spill
        self._ours = ours
        self.tools: dict[str, ReplaySums] = {}
        self.total = ReplaySums()
        self.sessions = self.steps = self.unread = self.fitted_before = self.ours = 0
        self.agents: set[str] = set()
        self.lost: list[LostName] = []

    def read(self, path: str) -> None:
        """Read one transcript."""
        transcript = Transcript(path)
        before = self.total.results
        self._follow(transcript)
        self.unread += transcript.unread
        if self.total.results > before:
            self.sessions += 1
            self.ours += self._ours

    def add_row(self, row: CallRow) -> None:
        """Add a call of a journal: its text is not known, so what was shown is what was shown then.

        A result that was cut and fetched from later is one whose view did not suffice.
        """
        if row.event not in FIT_EVENTS or row.host is None:
            self.unread += row.event in FIT_EVENTS
            return
        self.agents.add(row.agent)
        for each in (self._tool(row.tool), self.total):
            each.results += 1
            each.cut += row.event in CUT_EVENTS
            each.said += row.said
            each.host += row.host
            each.view += row.shown + row.fetched
            each.used += row.fetches > 0

    def _follow(self, steps: Iterable[TranscriptStep]) -> None:
        memory, watched = WordMemory(), deque[CutResult](maxlen=100)
        for step in steps:
            self.steps += 1
            if isinstance(step, ToolOutput):
                self._add_output(step, memory, watched)
                continue
            words = names_and_numbers(step.text)
            if isinstance(step, Spoken) and words:
                for cut in watched:
                    for lost in cut.take(words, step.text):
                        if len(self.lost) < MAX_LOST:
                            self.lost.append(lost)
                while watched and not watched[0].steps_left:
                    watched.popleft()
            memory.add(words)

    def _add_output(self, output: ToolOutput, memory: WordMemory, watched: deque[CutResult]) -> None:
        if any(output.tool.endswith(name) for name in OUR_TOOLS) or OUR_VIEW.search(output.host):
            self.fitted_before += 1
            return
        self.agents.add(output.agent)
        fitted = self._fitted(output)
        view, is_cut = fitted.text, fitted.report.decision != "pass"
        name = COMMANDS if output.command else tool_name(output.tool) or NO_TOOL
        sums = [self._tool(name), self.total]
        for each in sums:
            each.results += 1
            each.cut += is_cut
            each.partial += not output.is_whole
            each.said += tokens_of(len(output.said))
            each.host += tokens_of(len(output.host))
            each.view += tokens_of(len(view))
        seen = names_and_numbers(output.host)
        if is_cut:
            fresh = {word for word in seen if word not in memory}
            watched.append(CutResult(sums, name, fresh, names_and_numbers(view)))
        memory.add(seen)

    def _fitted(self, output: ToolOutput) -> Fitted:
        """The result as it would be shown now: of files, as hooks do, the beginning."""
        name = COMMANDS if output.command else output.tool
        try:
            if tool_name(name) in READING:
                return fit_file(self._spill.workspace, output.said, ToolCall(name))
            return self._spill.fit(output.said, tool=name, is_error=output.failed, source=output.command or None)
        finally:
            self._spill.store.clear()

    def _tool(self, name: str) -> ReplaySums:
        return self.tools.setdefault(
            name if name in self.tools or len(self.tools) < MAX_TOOLS else OTHERS, ReplaySums()
        )


# A path, a dotted or hyphened name, an identifier, a number: whatever is longer than chance.
_WORD = compile_pattern(r"[A-Za-z0-9_][A-Za-z0-9_./:@+-]{1,198}[A-Za-z0-9_]|[A-Za-z0-9_]{2}")
_HAS_DIGIT = compile_pattern(r"[0-9]")
_IS_NAME = compile_pattern(r"[a-z][A-Z]|[_/.@:-]|^[A-Z][a-z]+[A-Z]")
SHORTEST_NAME, SHORTEST_NUMBER = 4, 2
PARTS = compile_pattern(r"[:/]+")

BITS = 1 << 24  # of the memory of words: two megabytes, one wrong answer of a hundred after a million words
SEEDS = (0, 0x9E3779B9, 0x7F4A7C15)


def names_and_numbers(text: str) -> set[str]:
    """What a text names, and its numbers: no plain words, which anybody may use without having read them there.

    >>> sorted(names_and_numbers("ERROR in src/cart.py:41: total was 1999, see test_rounding and the CartView below."))
    ['1999', '41', 'CartView', 'cart.py', 'src/cart.py', 'src/cart.py:41', 'test_rounding']
    """
    found: set[str] = set()
    for word in _WORD.findall(text):
        if is_telling(word):
            found.add(word)
            # `src/cart.py:41` is also named by its parts.
            if ":" in word or "/" in word:
                found.update(part for part in PARTS.split(word) if is_telling(part))
                found.update(part for part in word.split(":") if is_telling(part))
    return found


def foreign_names(text: str, known: set[str]) -> set[str]:
    """Names of files that a text says in paths alone, and in others than those by which they are known.

    >>> known = names_and_numbers("FAILED src/cart/index.ts:41")
    >>> foreign_names("cat lib/shop/index.ts", known), foreign_names("cat /home/me/src/cart/index.ts", known)
    ({'index.ts'}, set())
    >>> foreign_names("where is index.ts?", known)
    set()
    """
    said = set(_WORD.findall(text))
    found, meant = set[str](), set[str]()
    for path in (word.partition(":")[0] for word in said if "/" in word):
        name = path.rpartition("/")[2]
        if name in known and name not in said:
            paths = [word for word in known if word.endswith(f"/{name}")]
            if paths and not any(f"/{path}".endswith(f"/{one}") or f"/{one}".endswith(f"/{path}") for one in paths):
                found.add(name)
            else:
                meant.add(name)
    return found - meant


def is_telling(word: str) -> bool:
    """Whether a word is a name or a number, and not one of a language.

    >>> [is_telling(word) for word in ("word", "Word", "a_word", "aWord", "7", "42", "v1.2", "and/or")]
    [False, False, True, True, False, True, True, True]
    """
    if _HAS_DIGIT.search(word):
        return len(word) >= SHORTEST_NUMBER
    return len(word) >= SHORTEST_NAME and _IS_NAME.search(word) is not None


class WordMemory:
    """Which words have been seen, in memory that does not grow. It may take a new word for an old one, not the reverse.

    >>> memory = WordMemory()
    >>> memory.add(["src/cart.py"])
    >>> "src/cart.py" in memory, "src/other.py" in memory
    (True, False)
    """

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def __contains__(self, word: str) -> bool:
        coded = word.encode("utf-8", "replace")
        return all(self._bits[place >> 3] & (1 << (place & 7)) for place in _places(coded))

    def add(self, words: Iterable[str]) -> None:
        """Remember words."""
        for word in words:
            for place in _places(word.encode("utf-8", "replace")):
                self._bits[place >> 3] |= 1 << (place & 7)


def _places(coded: bytes) -> list[int]:
    return [crc32(coded, seed) % BITS for seed in SEEDS]
