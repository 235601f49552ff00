"""`smart`: the view a reader of this kind of text would choose.

kind -> scorer: units with scores -> choice within the room. `units.py` says how to add a scorer.
"""

from overspill.cut.smart.choice import choose
from overspill.cut.smart.units import Found, scorer_of
from overspill.kinds import sniff
from overspill.spans import Cut, Options, Room

__all__ = ["smart"]


def smart(text: str, room: Room, options: Options) -> Cut:
    """Keep what matters most, wherever it stands."""
    return choose(text, found_in(text, options), room, options)


def found_in(text: str, options: Options) -> Found:
    """What matters in a text, by what kind of text it is."""
    kind = options.kind or sniff(text, content_type=options.content_type, name=options.name).name
    return scorer_of(kind)(text, options)
