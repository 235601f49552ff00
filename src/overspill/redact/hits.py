"""What a hit is, how far a reader looks around it, and what must be known of the table before the first one.

A clean text has no hits, and then the table is not even loaded.
"""

from collections.abc import Callable, Iterable

# A reader looks at most this far ahead of a hit and behind it.
REACH = 65_536
BACK = 320

# A hit is one number: its place, shifted, and below it the rule's.
SHIFT = 10
RULE = (1 << SHIFT) - 1

# How the place of a value is filled: plainly, as part of an address, or in quotes it did not have,
# each with as many backslashes before it as the form is greater than `QUOTE`. A clear value is a plain one that was
# told at a glance: no budget needs to count it.
CLEAR, PLAIN, URL, QUOTE = -1, 0, 1, 2

# The type of what was hidden without being read.
UNEXAMINED = "UNEXAMINED"

# The table in short. A test says what to write here when the table changes.
COUNT = 299
BLOCKS = frozenset({0, 1})
ASSIGNMENT = 298
DIGEST = 0x5011861F746CF921

Hit = int
"""Where, in bytes from the start of what was scanned, shifted by `SHIFT`, and the number of the rule: one number sorts
and compares faster than two.
"""
Scan = Callable[[bytes], list[Hit]]

Found = tuple[int, int, str, int]
"""A value: start, end, type (empty if it was looked at and is no secret), and how its place is filled."""

Reader = Callable[[str, int, int], Iterable[Found]]
"""From a text, a hit and an end to what must be hidden."""

Probe = Callable[[str, int, int], object]
"""The same to None where a reader would surely find nothing; it costs no call of ours."""

Spot = tuple[int, int, int, str, int]
"""A find: start, end, number of the rule, type, form."""
