"""The way to a value inside a record: names, places in lists, and every element of one.

>>> FieldPath.parse("spec.containers[*].image").steps
('spec', 'containers', -1, 'image')
>>> list(FieldPath.parse("a[*].b").values({"a": [{"b": 1}, {}, {"b": 2}]}))
[1, 2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from overspill._lite import NamedTuple, compile_pattern
from overspill.errors import UsageError

EVERY = -1  # every element of a list

Step = str | int

# A name, a place in a list, every element of it (jq leaves out the star), or a name in quotes.
_STEP = compile_pattern(r"""\.?([^.\[\]"']+)|\[([0-9]{1,9}|\*?)\]|\.?\[?(?:"([^"]*)"|'([^']*)')\]?""")


class FieldPath(NamedTuple):
    """A path as it was said, and its steps; `EVERY` among them is every element of a list."""

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, words: str) -> FieldPath:
        """The path that is meant by `a.b`, `a[0].b`, `a[*].b`, `a["b.c"]`; a `.` or `$` before it is taken off.

        >>> FieldPath.parse(".items[0]").steps, FieldPath.parse('$.a["b.c"]').steps, FieldPath.parse(".").steps
        (('items', 0), ('a', 'b.c'), ())
        """
        rest = words.strip()
        rest = rest[1:] if rest[:1] == "$" and rest[1:2] in {"", ".", "["} else rest
        rest = "" if rest == "." else rest
        at, steps = 0, list[Step]()
        while at < len(rest):
            found = _STEP.match(rest, at)
            if found is None:
                raise UsageError(f'not a path: {words[:100]!r}; write a.b, a[0].b, a[*].b or a["b.c"]')
            name, place, quoted, single = found.groups()
            if place is not None:
                steps.append(int(place) if place.isdigit() else EVERY)
            else:
                steps.append(next(word for word in (name, quoted, single) if word is not None))
            at = found.end()
        return cls(words.strip(), tuple(steps))

    def values(self, record: object) -> Iterator[object]:
        """What stands there: one value, several where every element is meant, none where something is missing."""
        if isinstance(record, Mapping) and self.text in record:
            return iter([record[self.text]])
        return _values(record, self.steps)


def _values(value: object, steps: tuple[Step, ...]) -> Iterator[object]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if isinstance(value, Mapping) and step in value:
            yield from _values(value[step], rest)
    elif isinstance(value, list | tuple):
        for one in value if step == EVERY else value[step : step + 1]:
            yield from _values(one, rest)
