"""How much may be shown, in characters, tokens or both, and what to do with a text of a given size.

`None` is no limit and `0` is no room. The overloaded zeros of the specifications are translated where
they come in (settings, command line, MCP), so that nothing in here has to remember what a zero meant to whom.

Deciding does nothing; doing decides nothing.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, Enum, NamedTuple
from overspill.core import CHARS_PER_TOKEN, Size, TokenCounter
from overspill.core.markers import MarkForms
from overspill.core.report import Detail
from overspill.core.spans import Options

if TYPE_CHECKING:
    from typing import Self

    from overspill.core.windows import ModelWindow

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
        from overspill.core.windows import window_of  # a table that most budgets do not need

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

    >>> from overspill.core.windows import ModelWindow
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


if TYPE_CHECKING:
    from typing import Literal

    Level = Literal["plain", "terminal"]


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
