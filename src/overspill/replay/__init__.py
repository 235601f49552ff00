"""What would have been shown in sessions that are over: proof before switching on.

`transcripts` reads what agents wrote down. Here each result is fitted as it would be now, in memory, and put beside
what the agent showed; names and numbers tell what a model took from a result into its next steps. Nothing is changed
anywhere, and memory does not grow with the length of a transcript. Only `cli` comes in here.
"""

from __future__ import annotations

from collections import deque
from zlib import crc32

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.core import tokens_of
from overspill.fit import fit_file
from overspill.fit.prepare import ToolCall
from overspill.journal.calls import COMMANDS, READING
from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS
from overspill.replay.transcripts import Spoken, ToolOutput, Transcript
from overspill.settings.table import tool_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from overspill.api import Overspill
    from overspill.core.report import Fitted
    from overspill.journal.calls import CallRow
    from overspill.replay.transcripts import TranscriptStep

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
