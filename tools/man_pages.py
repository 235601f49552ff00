"""Manual pages, one for `spill` and one for each command, made of the table that reads the command line.

python tools/man_pages.py DIRECTORY     # share/man/man1 of an installation
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from overspill.cli.arguments import GENERAL, Command, Option, usage
from overspill.cli.commands import commands
from overspill.cli.help import ABOUT, GROUPS, STATUSES, TOPICS
from overspill.version import __version__


def pages() -> dict[str, str]:
    """The pages, by the names of their files."""
    named = {f"spill-{'-'.join(command.words)}.1": "\n".join(command_page(command)) + "\n" for command in commands()}
    return {"spill.1": "\n".join(main_page()) + "\n", **named}


def main_page() -> Iterator[str]:
    yield from heading("spill", "keeps what tools say inside an agent's context budget")
    yield from (".SH SYNOPSIS", ".B spill", "[COMMAND] [OPTION...]", ".SH DESCRIPTION", plain(ABOUT))
    for title, words in GROUPS:
        yield f".SS {quoted(title)}"
        for command in commands():
            if command.words[0] in words:
                yield from (".TP", f".BR spill-{plain('-'.join(command.words))} (1)", plain(command.summary))
    yield from (".SH OPTIONS", *options(GENERAL), ".SH EXIT STATUS")
    for status, meaning in STATUSES:
        yield from (".TP", f".B {status}", plain(meaning))
    for name, (title, text) in TOPICS.items():
        yield from (f".SH {quoted(name.upper())}", plain(title), ".PP", ".nf", plain(text), ".fi")


def command_page(command: Command) -> Iterator[str]:
    yield from heading(f"spill-{'-'.join(command.words)}", command.summary)
    yield from (".SH SYNOPSIS", plain(usage(command)))
    if command.detail:
        yield from (".SH DESCRIPTION", plain(command.detail))
    yield from (".SH OPTIONS", *options((*command.options, *GENERAL)), ".SH EXAMPLES", ".nf")
    yield from (*map(plain, command.examples), ".fi", ".SH SEE ALSO", ".BR spill (1)")


def heading(name: str, summary: str) -> Iterator[str]:
    yield from (f'.TH {quoted(name.upper())} 1 "" {quoted(f"Overspill {__version__}")}', ".SH NAME")
    yield plain(f"{name} - {summary}")


def options(chosen: Sequence[Option]) -> Iterator[str]:
    for option in chosen:
        yield from (".TP", f".B {plain(f'{option.name} {option.value}'.strip())}", plain(option.help))


def plain(text: str) -> str:
    r"""Text in which nothing is taken for an instruction.

    >>> print(plain("a-b\n.c\\d"))
    a\-b
    \&.c\ed
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))


def quoted(text: str) -> str:
    return '"' + plain(text).replace('"', "'") + '"'


def main(place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (place / name).write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
