"""Which elements of XML tell of a failure, by their names and attributes, and which hold what is looked for."""

from bisect import bisect_left

from overspill.documents.failures import TELLING, TROUBLES, failure_of, plain_name
from overspill.documents.gate import gate

MOST_PLACES = 10_000

TAGS = TROUBLES | {"rerunfailure", "rerunerror", "flakyfailure", "flakyerror", "errorinfo", "testfailure", "problem"}
# These are there whether or not there is anything in them.
LISTS = frozenset(("errors", "failures", "exceptions", "failedtests", "failuremessages"))


class XmlWatch:
    """Looks at elements as they are parsed."""

    def __init__(self, buffer: memoryview, focus: str = "") -> None:
        self._places: list[int] = []
        if focus.strip():
            spelled = focus.replace("&", "&amp;").replace("<", "&lt;")
            self._places = sorted(gate({focus, spelled})(buffer, MOST_PLACES))
        self._tags: dict[str, bool] = {}
        self._names: dict[str, bool] = {}

    def tells(self, tag: str, attributes: dict[str, str]) -> bool:
        """Whether an element is about something that went wrong."""
        known = self._tags.get(tag)
        if known is None:
            plain = plain_name(tag.rpartition(":")[2])
            known = self._tags[tag] = plain in TAGS and plain not in LISTS
        return known or any(self._tells(name, value) for name, value in attributes.items())

    def in_focus(self, start: int, end: int) -> bool:
        """Whether what is looked for stands there."""
        at = bisect_left(self._places, start + 1)
        return at < len(self._places) and self._places[at] <= end

    def _tells(self, name: str, value: str) -> bool:
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = plain_name(name) in TELLING
        return known and bool(failure_of({name: value}))
