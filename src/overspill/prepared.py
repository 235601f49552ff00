"""A tool result on its way: what is known of its call, and its text once it may be shown."""

from collections.abc import Mapping

from overspill.held import Held
from overspill.measure import Size
from overspill.records import NamedTuple
from overspill.report import Artifact
from overspill.spans import Hole
from overspill.store import Writer


class Call(NamedTuple):
    """What is known of the call that produced an output."""

    tool: str = ""
    is_error: bool = False
    call_id: str = ""
    source: str = ""
    content_type: str = ""
    kind: str = ""


class Prepared(NamedTuple):
    """An output as text: cleaned, redacted, measured."""

    text: str
    size: Size
    original: Size
    content_type: str
    cleaned: Mapping[str, int] = {}
    redacted: Mapping[str, int] = {}
    incomplete: bool = False  # something could not be examined for secrets and was hidden whole
    holes: tuple[Hole, ...] = ()  # where `text` is parts of one too large to be held
    writer: Writer | None = None  # where all of it is, when it is not held
    trouble: str = ""  # why it could not be written there

    @property
    def held(self) -> Held:
        return Held(self.text, self.holes)


class Kept(NamedTuple):
    """What is kept of an output, and what came before it."""

    artifact: Artifact | None
    trouble: str = ""  # why nothing is
    same: Artifact | None = None  # the same text
    last: Artifact | None = None  # what the same call said the last time, which was something else
