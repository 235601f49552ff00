r"""What kind of content a text is: from what was declared, from its name, and from how it looks.

>>> sniff('{"users": []}').name
'json'
>>> sniff("x = 1\n", name="setup.py")
Kind(name='code', language='python', mime='text/x-python')

Only the first and the last 64 KB are looked at, and of these some lines at either end. A document is
told by its first and last characters; whether it parses is for the one who cuts it to find out.
"""

from overspill.kinds import looks
from overspill.kinds.declared import Kind, by_name, by_type
from overspill.kinds.numbered import pattern_of, without
from overspill.kinds.sample import Sample

__all__ = ["Kind", "sniff"]

NUMBERED = 16
LOOKED_AT = 65_536  # characters of a text whose lines are numbered


def sniff(text: str, *, content_type: str = "", name: str = "", total: int | None = None) -> Kind:
    """What kind of content `text` is.

    When `text` is only the beginning, `total` says how many characters the whole has.
    """
    numbers = pattern_of(text) if text[:NUMBERED].lstrip()[:1].isdigit() else None
    if numbers is not None:
        inside = sniff(
            without(text[:LOOKED_AT], numbers), content_type=content_type, name=name, total=total or len(text)
        )
        if inside.name in {"code", "prose"}:
            return inside
    sample = Sample(text, len(text) if total is None else total)
    for said in (by_type(content_type), by_name(name)):
        if said is not None and _agrees(sample, said):
            return looks.minified(sample, said)
    return looks.seen(sample)


def _agrees(sample: Sample, said: Kind) -> bool:
    """Whether the content could be what was declared: servers send errors as pages, and call them JSON."""
    match said.name:
        case "json":
            return looks.json(sample) is not None and looks.ndjson(sample) is None
        case "ndjson":
            return looks.ndjson(sample) is not None
        case "xml":
            return looks.xml(sample) is not None
        case "diff":
            return looks.diff(sample) is not None
        case "binary":
            return looks.binary(sample) is not None
        case _:
            return looks.ndjson(sample) is None and looks.binary(sample) is None
