"""`spill tokens`: how large a text is, by every counter there is."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.clean import clean
from overspill.cli.output import note, print_answer, read_input
from overspill.core.size import measure
from overspill.errors import MissingExtra
from overspill.tokens import by_kind, o200k

if TYPE_CHECKING:
    from overspill.cli.arguments import CommandCall


def run(call: CommandCall) -> int:
    """Count a file or standard input."""
    data = read_input(call.arguments)
    text, cleaned = clean(data, "plain")
    if cleaned.binary:
        note(f"spill: these are bytes that are no text ({cleaned.binary}): each counts as a character")
        text = data.decode("latin-1")
    size = measure(text)._replace(bytes=len(data))
    sizes: dict[str, int | str] = {
        "chars": size.chars,
        "lines": size.lines,
        "bytes": size.bytes,
        "chars4": size.tokens,
        "by-kind": by_kind(text),
    }
    try:
        sizes["o200k"] = o200k()(text)
    except MissingExtra as missing:
        sizes["o200k"] = str(missing)
    return print_answer(call, "tokens", sizes, "".join(f"{name:<8} {count}\n" for name, count in sizes.items()))
