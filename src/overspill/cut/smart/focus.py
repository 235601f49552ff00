r"""Where a text says what is looked for.

>>> places_of("one\nTwo two\n", "two")
[4, 8]
"""

MOST_PLACES = 2_000


def places_of(text: str, focus: str) -> list[int]:
    """The places where what is looked for stands, whatever its case, as far as there are not too many."""
    wanted = focus.strip().lower()
    if not wanted:
        return []
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is longer: places would be wrong
        lower, wanted = text, focus.strip()
    places: list[int] = []
    at = lower.find(wanted)
    while at >= 0 and len(places) < MOST_PLACES:
        places.append(at)
        at = lower.find(wanted, at + len(wanted))
    return places
