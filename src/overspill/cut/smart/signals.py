r"""Where in a text something may be said that matters: lines with telling words, found by native searches alone.

Searching a word is a pass at memory speed, so a few dozen of them cost less than one pass of a pattern. Phrases that
only look telling ("0 errors", "error=None") are blotted out before, at their own length, so that places stay places.

>>> hit_lines("all is well\nerror: x\n")
[SignalLine(start=12, end=20, at=12)]
"""

from overspill._lite import NamedTuple

# A line is looked at when it holds one of these, in small letters.
WORDS = (
    "error", "fail", "fatal", "panic", "exception", "traceback", "warn", "critical", "severe", "assert", "not ok ",
    "undefined", "cannot", "could not", "unable to", "denied", "refused", "abort", "killed", "timed out", "timeout",
    "segmentation", "out of memory", "exit", "err!", "no such file", "not found", "expect", "invalid", "conflict",
    "crash", "unhandled",
)  # fmt: skip
# The few that are looked for in the middle of a text too large to be looked at closely,
LOUD = (
    "error", "fail", "fatal", "panic", "exception", "traceback", "critical", "severe", "abort", "killed", "denied",
)  # fmt: skip
# and at the ends of such a text.
LOUDER = (*LOUD, "warn", "assert", "not ok ", "exit", "refused", "timed out", "crash")
LARGE = 1 << 20
SIGNS = ("\u2715", "\u2717", "\u2716", "\u00d7", "\u25cf", "\u274c", "\u2718")  # crosses and dots of test runners
MOST_HITS = 4_000  # lines with one word, in one piece of text: a word on every line tells nothing

# What looks telling and is not, as far as it is said again and again: blotted out where a word is on many lines. The
# single case is told by `shapes.HARMLESS`.
MANY = 30  # in the first
SAMPLE = 65_536  # characters
LOOK_ALIKES = {
    "error": (
        "error=none", "error=null", "error=nil", "error=0", "error=false", 'error=""', "error: none", "error: null",
        "error: nil", 'error":null', 'error": null', "'error': none", 'error":""', "err=nil", "error=<nil>", "errors=0",
        "errors: 0", 'errors":0', 'errors": 0', 'errors":[]', "errors: []", 'errors": []', " 0 error", "(0 error",
        "no error", "without error", "error_count=0", "stderr",
    ),
    "fail": (
        "failures=0", "failures: 0", "failed=0", "failed: 0", " 0 fail", "(0 fail", "no fail", "failed=false",
        'failed":false', 'failed": false', 'failed":0', "without fail",
    ),
    "exception": ("exception=none", "exception=null", "exception: none", "no exception", " 0 exception"),
    "warn": ("warnings=0", "warnings: 0", " 0 warn", "no warn"),
}  # fmt: skip


class SignalLine(NamedTuple):
    """A line that holds a telling word, and where the first one stands."""

    start: int
    end: int  # without its line end
    at: int


def hit_lines(text: str, words: tuple[str, ...] = WORDS, signs: tuple[str, ...] = SIGNS) -> list[SignalLine]:
    """Every line that may matter, in order."""
    small = without_look_alikes(small_letters(text), words)
    hits: dict[int, SignalLine] = {}
    for word in words:
        _add_hits(small, word, hits)
    if not text.isascii():
        for sign in signs:
            _add_hits(small, sign, hits)
    return sorted(hits.values())


def words_for(text: str) -> tuple[str, ...]:
    """What to look for in a text of this size."""
    return LOUDER if len(text) > LARGE else WORDS


def small_letters(text: str) -> str:
    """The text in small letters, of the same length: a few letters are longer when they are small."""
    small = text.lower()
    return small if len(small) == len(text) else text.translate(_SMALL)


def without_look_alikes(small: str, words: tuple[str, ...] = WORDS) -> str:
    """The text with the look-alikes of words that are everywhere made unreadable, of the same length."""
    sample = small[:SAMPLE]
    for word, phrases in LOOK_ALIKES.items():
        if word in words and sample.count(word) > MANY:
            for phrase in phrases:
                if phrase in sample:
                    small = small.replace(phrase, "_" * len(phrase))
    return small


def _add_hits(small: str, word: str, hits: dict[int, SignalLine]) -> None:
    at = small.find(word)
    for _ in range(MOST_HITS):
        if at < 0:
            return
        start = small.rfind("\n", 0, at) + 1
        end = small.find("\n", at)
        end = len(small) if end < 0 else end
        known = hits.get(start)
        if known is None or at < known.at:
            hits[start] = SignalLine(start, end, at)
        at = small.find(word, end)


_SMALL = {ord("A") + number: ord("a") + number for number in range(26)}
