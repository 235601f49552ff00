"""What the tests of `smart` share: the view of a text of a kind."""

import re

from documents import ID
from overspill.budget import Budget
from overspill.cut import strategy
from overspill.measure import measure
from overspill.reference import Shelf
from overspill.render import Subject, View, view
from overspill.report import Artifact
from overspill.spans import Options

MARKER = re.compile(r"\.\.\. \[(\d+) lines / (\d+) chars omitted\] \.\.\.")


def seen(text: str, limit: int, *, kind: str = "", name: str = "", focus: str = "") -> View:
    """The view of a text that is longer than `limit`."""
    size = measure(text)
    settings = Options(kind=kind, name=name, focus=focus)
    return view(Subject(text, size, strategy("smart"), settings, Shelf(Artifact(ID, size))), Budget(chars=limit))
