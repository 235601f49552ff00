"""A tool result on its way: what is known of its call, and its text once it may be shown."""

from collections.abc import Mapping

from overspill._lite import NamedTuple
from overspill.core.markers import one_line
from overspill.core.partial_text import Held
from overspill.core.report import Artifact
from overspill.core.size import Size
from overspill.core.spans import Hole
from overspill.settings.table import tool_name
from overspill.store import Label, Writer

COMMANDS = "execute_command"


class Call(NamedTuple):
    """What is known of the call that produced an output."""

    tool: str = ""
    is_error: bool = False
    call_id: str = ""
    source: str = ""
    content_type: str = ""
    kind: str = ""

    @property
    def file_name(self) -> str:
        """The file it is from, if it is: a command line often ends in the name of a file, and is none.

        >>> Call("read_file", source="a.py").file_name, Call("bash", source="python a.py").file_name
        ('a.py', '')
        """
        return "" if tool_name(self.tool) == COMMANDS or " " in self.source else self.source

    def label(self, content_type: str) -> Label:
        """What stands on the artifact of its output."""
        return Label(*map(one_line, (self.tool, content_type, self.source, self.call_id)))


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
