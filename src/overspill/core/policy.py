"""What to do with a text of a given size. Deciding does nothing; doing decides nothing."""

from enum import Enum

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.budget import Budget
from overspill.core.report import Detail
from overspill.core.size import Size
from overspill.core.spans import Options

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

    inline: Budget = Budget(chars=8_000)
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
    clean: "Level" = "plain"
    detail: Detail = Detail()


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
