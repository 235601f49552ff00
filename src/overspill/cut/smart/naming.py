"""Notes that name what is not shown, on lines that stay short however many names there are."""

from collections.abc import Iterable

from overspill.cut.headings import NOTE_WIDTH, names_note
from overspill.cut.smart.units import Name, Note

# Characters of a note for each of which breaking it into lines costs at most one.
A_LINE = 60


def note_lines(note: Note, names: Iterable[Name], room: int) -> tuple[str, ...]:
    """`[omitted: a, b, +5 more]` with as many names as fit in `room` with the line end; a wide one goes on below."""
    texts = [name.text for name in names]
    if note.width <= NOTE_WIDTH:
        return names_note(texts, room, note.label)
    said = tuple(map(broken, names_note(texts, 1 << 62, note.label)))
    if not said or len(said[0]) < room:
        return said
    return tuple(map(broken, names_note(texts, room - room // A_LINE - 1, note.label)))


def broken(line: str) -> str:
    r"""The same on lines of at most 120 characters, where its names allow it.

    >>> broken("[omitted: " + "x" * 60 + ", " + "y" * 60 + "]").split("\n")[1]
    ' yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy]'
    """
    if len(line) <= NOTE_WIDTH:
        return line
    lines, start = list[str](), 0
    while len(line) - start > NOTE_WIDTH - bool(lines):
        end = line.rfind(", ", start, start + NOTE_WIDTH - bool(lines))
        if end < 0:
            end = line.find(", ", start + 1)
        if end < 0:
            break
        lines.append(line[start : end + 1])
        start = end + 2
    return "\n ".join([*lines, line[start:]])


def full_width(note: Note) -> int:
    """What a note costs if all names are in it, line end included."""
    if note.width <= NOTE_WIDTH:
        return len(note.label) + len("[: ]\n") + sum(len(name.text) + 2 for name in note.names)
    return sum(len(line) + 1 for line in note_lines(note, note.names, 1 << 62))
