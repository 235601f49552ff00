"""What the tests of `smart` share: the view of a text of a kind."""

import re

from documents import ID
from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.markers import Reference
from overspill.core.report import Artifact
from overspill.core.spans import Options
from overspill.cut import strategy
from overspill.cut.render import Subject, View, text_view

MARKER = re.compile(r"\.\.\. \[(\d+) lines / (\d+) chars omitted\] \.\.\.")


def seen(text: str, limit: int, *, kind: str = "", name: str = "", focus: str = "") -> View:
    """The view of a text that is longer than `limit`."""
    size = measure(text)
    settings = Options(kind=kind, name=name, focus=focus)
    return text_view(
        Subject(text, size, strategy("smart"), settings, Reference(Artifact(ID, size))), Budget(chars=limit)
    )
