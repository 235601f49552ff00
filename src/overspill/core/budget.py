"""How much may be shown, in characters, tokens or both; the windows of models; what to do with a text of a given size.

`None` is no limit and `0` is no room. The overloaded zeros of the specifications are translated where
they come in (settings, command line, MCP), so that nothing in here has to remember what a zero meant to whom.

Deciding does nothing; doing decides nothing.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, Enum, NamedTuple, compile_pattern
from overspill.core import CHARS_PER_TOKEN, Size, TokenCounter
from overspill.core.markers import MarkForms
from overspill.core.report import Detail
from overspill.core.spans import Options

if TYPE_CHECKING:
    from typing import Literal, Self

    Level = Literal["plain", "terminal"]

RESULT_SHARE = 0.15
TURN_SHARE = 0.30
FLOOR_TOKENS = 256
DEFAULT_CHARS = 8_000  # of a result


class Budget(NamedTuple):
    """Room for at most `chars` characters and at most `tokens` tokens.

    >>> Budget(chars=8000).fits(Size(chars=8001, lines=1, bytes=8001, tokens=2001))
    False
    >>> Budget(tokens=100).ceiling
    400
    """

    chars: int | None = None
    tokens: int | None = None
    counter: TokenCounter | None = None

    @classmethod
    def for_window(cls, tokens: int, *, turn: bool = False, used: int = 0) -> Self:
        """The share of a model's window that one result, or one turn of parallel results, may take.

        A full window still leaves a floor: a short view is worth more than a flood or nothing.

        >>> Budget.for_window(200_000).tokens, Budget.for_window(200_000, turn=True).tokens
        (30000, 60000)
        """
        share = max(1, int(tokens * (TURN_SHARE if turn else RESULT_SHARE)))
        left = max(tokens - used, 0) // 2
        return cls(tokens=max(min(share, left), min(share, FLOOR_TOKENS)))

    @classmethod
    def for_model(cls, model: str, *, turn: bool = False, used: int = 0) -> Self:
        """The share of the window of a model by its name; as much as is shown without one where it is not known.

        >>> Budget.for_model("claude-opus-4-8").tokens, Budget.for_model("nobodys-model").chars
        (30000, 8000)
        """
        tokens = window_of(model)
        return cls(chars=DEFAULT_CHARS) if tokens is None else cls.for_window(tokens, turn=turn, used=used)

    @property
    def ceiling(self) -> int | None:
        """No view of more characters than this can fit, whatever the counter says of it."""
        if self.tokens is None or self.counter is not None:
            return self.chars
        room = self.tokens * CHARS_PER_TOKEN
        return room if self.chars is None else min(self.chars, room)

    def fits(self, size: Size) -> bool:
        """Whether a text of `size` may be shown whole; `size.tokens` must come from this budget's counter."""
        fits_chars = self.chars is None or size.chars <= self.chars
        return fits_chars and (self.tokens is None or size.tokens <= self.tokens)

    def holds(self, text: str) -> bool:
        """Whether `text` may be shown whole.

        >>> Budget(tokens=1).holds("abcd"), Budget(tokens=1).holds("abcde")
        (True, False)
        """
        ceiling = self.ceiling
        if ceiling is not None and len(text) > ceiling:
            return False
        return self.tokens is None or self.counter is None or self.counter(text) <= self.tokens


def share_tokens(share: float, window: ModelWindow) -> int:
    """The tokens that a share of a window stands for: as the window fills, a share of what is left of it.

    >>> share_tokens(0.04, ModelWindow(200_000)), share_tokens(0.04, ModelWindow(200_000, used=150_000))
    (8000, 2000)
    """
    return max(int(window.left * share), min(int(window.tokens * share), FLOOR_TOKENS), 1)


def shares(wanted: list[int], room: int) -> list[int]:
    """`room` shared out max-min fairly: nobody gets more than wanted, the rest is split evenly.

    >>> shares([100, 900, 800], 1000)
    [100, 450, 450]
    """
    granted = [0] * len(wanted)
    waiting = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    for place, index in enumerate(waiting):
        granted[index] = min(wanted[index], room // (len(waiting) - place))
        room -= granted[index]
    return granted


class Decision(Enum):
    """The four ways a text can go."""

    PASS = "pass"  # noqa: S105  # fits: show it unchanged
    TRIM = "trim"  # too long: keep the whole, show what fits
    SPILL = "spill"  # far too long: the same, led by a reference
    REFUSE = "refuse"  # too big to keep: say so, show what fits


class Policy(NamedTuple):
    """What one tool is allowed, and how its results are cut."""

    inline: Budget = Budget(chars=DEFAULT_CHARS)
    artifact_threshold: int = 50_000  # characters
    max_artifact_size: int = 10_485_760  # bytes
    strategy: str = "head_tail"
    options: Options = Options()
    on_oversize: str = "error"
    structured_max: int = 536_870_912  # bytes beyond which a document is cut as text
    store: bool = True
    reuse: str = "off"  # what is said of an output that came before
    preview_chars: int | None = None  # a shorter view below the reference block
    on_top: bool = (
        True  # `none`, and the marks of lines kept by count, may go beyond the budget; in a turn they may not
    )
    clean: Level = "plain"
    marks: MarkForms = MarkForms()
    detail: Detail = Detail()
    keep_binary: bool = False  # bytes that are no text are kept, too, as they came
    max_input_size: int = 4 << 30  # bytes after which nothing more is read


def decide(size: Size, policy: Policy) -> Decision:
    """How a text of `size` is shown.

    >>> decide(Size(8_000, 1, 8_000, 2_000), Policy()), decide(Size(8_001, 1, 8_001, 2_001), Policy())
    (<Decision.PASS: 'pass'>, <Decision.TRIM: 'trim'>)
    """
    if policy.inline.fits(size):
        return Decision.PASS
    large = size.chars >= max(policy.artifact_threshold, (policy.inline.chars or 0) + 1)
    if policy.strategy == "none" and policy.on_top and not large:
        return Decision.PASS
    if size.bytes >= policy.max_artifact_size:
        return Decision.REFUSE
    return Decision.SPILL if large else Decision.TRIM


# How many tokens the windows of models hold, as their makers and those who serve them publish it. Where a model is
# served with several windows, the smaller one that its maker's own tools use is here: who has more says so, by
# `model: name[1m]` or a limit of his own. A name that is not here is not guessed.
AS_OF = "2026-11-17"  # the numbers of windows
MILLION = 1_000_000

# By how the name of a model begins; the longest that fits counts. Names of families without a number are not here.
WINDOWS = {
    "claude-3": 200_000,
    "claude-3-5": 200_000,
    "claude-3-7": 200_000,
    "claude-fable-5": MILLION,
    "claude-haiku-4": 200_000,
    "claude-haiku-4-5": 200_000,
    "claude-mythos-5": MILLION,
    "claude-opus-4": 200_000,
    "claude-opus-4-1": 200_000,
    "claude-opus-4-5": 200_000,
    "claude-opus-4-6": 200_000,
    "claude-opus-4-7": 200_000,
    "claude-opus-4-8": 200_000,
    "claude-opus-5": MILLION,
    "claude-opus-5-5": MILLION,
    "claude-sonnet-4": 200_000,
    "claude-sonnet-4-5": 200_000,
    "claude-sonnet-4-6": 200_000,
    "claude-sonnet-5": MILLION,
    "codestral": 256_000,
    "deepseek-chat": 128_000,
    "deepseek-reasoner": 128_000,
    "deepseek-r1": 128_000,
    "deepseek-v3": 128_000,
    "deepseek-v3.1": 128_000,
    "deepseek-v3.2": 128_000,
    "deepseek-v4-flash": MILLION,
    "deepseek-v4-pro": MILLION,
    "devstral-2512": 256_000,
    "gemini-2.0-flash": 1_048_576,
    "gemini-2.5-flash": 1_048_576,
    "gemini-2.5-pro": 1_048_576,
    "gemini-3-flash": 1_048_576,
    "gemini-3-pro": 1_048_576,
    "gemini-3.1-flash-lite": 1_048_576,
    "gemini-3.1-pro": 1_048_576,
    "gemini-3.5-flash": 1_048_576,
    "gemini-3.6-flash": 1_048_576,
    "gemini-3.7-flash": 1_048_576,
    "gemini-3.8-flash": 1_048_576,
    "glm-4.5": 131_072,
    "glm-4.6": 200_000,
    "glm-4.7": 200_000,
    "glm-5": 200_000,
    "glm-5.1": 200_000,
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 272_000,
    "gpt-5.1": 272_000,
    "gpt-5.2": 272_000,
    "gpt-5.3-codex": 272_000,
    "gpt-5.3-codex-spark": 128_000,
    "gpt-5.4": 272_000,
    "gpt-5.5": 272_000,
    "gpt-5.6": 272_000,
    "gpt-6-astra": 272_000,
    "gpt-6-luna": 272_000,
    "gpt-6-sol": 272_000,
    "gpt-6.1-sol": 272_000,
    "gpt-6.1-terra": 500_000,
    "gpt-oss": 131_072,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "grok-4.5": 500_000,
    "grok-4.6": 500_000,
    "grok-4.7": 500_000,
    "grok-code-fast-1": 256_000,
    "kimi-k2": 262_144,
    "kimi-k2.5": 262_144,
    "kimi-k2.6": 262_144,
    "kimi-k2.7-code": 262_144,
    "llama-3-70b": 8_192,
    "llama-3.1": 128_000,
    "llama-3.3": 128_000,
    "minimax-m2": 196_608,
    "minimax-m2.1": 204_800,
    "minimax-m2.5": 196_608,
    "minimax-m2.7": 196_608,
    "mistral-large-2512": 256_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "qwen3-coder": 262_144,
    "qwen3-coder-plus": MILLION,
    "qwen3-max": 262_144,
}
_LONG = "[1m]"  # how Claude Code names a model with a window of a million
_REST = r"(?:-(?:[a-z]|\d{4,}).*|[:@\[].*)?"  # of a name: which one of its family, its date, who serves it
USED_STEP = 20  # parts of a window in which it is told how full it is: not every token changes what is shown


class ModelWindow(NamedTuple):
    """The window of a model, and how much of it is used, in tokens."""

    tokens: int
    used: int = 0
    model: str = ""

    @property
    def left(self) -> int:
        """What is left of it, to a twentieth of the window.

        >>> ModelWindow(200_000, 109_999).left, ModelWindow(200_000, 110_000).left, ModelWindow(200_000, 300_000).left
        (100000, 90000, 0)
        """
        step = max(1, self.tokens // USED_STEP)
        return max(0, self.tokens - self.used // step * step)


def window_of(model: str) -> int | None:
    """How many tokens the window of a model holds; None where that is not known.

    >>> window_of("claude-opus-4-8"), window_of("claude-opus-4-8[1m]"), window_of("x/claude-sonnet-4-5@20250929")
    (200000, 1000000, 200000)
    >>> window_of("gpt-4o-mini"), window_of("gpt-4.9"), window_of("claude-opus-4-9"), window_of("")
    (128000, None, None, None)
    """
    name = model.strip().lower().rpartition("/")[2]
    if name.endswith(_LONG):
        return MILLION if window_of(name.removesuffix(_LONG)) else None
    rest = compile_pattern(_REST)
    begins = [begin for begin in WINDOWS if name.startswith(begin) and rest.fullmatch(name, len(begin))]
    return WINDOWS[max(begins, key=len)] if begins else None
