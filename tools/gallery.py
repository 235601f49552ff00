"""Write docs/gallery.md: views of everyday outputs, as a model would read them.

    python tools/gallery.py [--limit 2000] [TITLE ...]

With titles only these are printed. Outputs differ from machine to machine, so the page is made by hand and read.
"""

import sys
from pathlib import Path

from gallery_outputs import EXHIBITS, Exhibit

from overspill import MemoryStore, Overspill

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
LIMIT = 2_000
INTRODUCTION = f"""\
# What a model would read

Views of everyday outputs in {LIMIT:,} characters, by the preset `agent`. Made by `python tools/gallery.py`.
"""


def view_of(exhibit: Exhibit, limit: int) -> tuple[str, int]:
    """The view of an output, and how long the output was."""
    text = exhibit.make()
    spill = Overspill(store=MemoryStore(), preset="agent")
    return spill.fit(text, tool="bash", source=exhibit.name or exhibit.title, budget=limit).text, len(text)


def section(exhibit: Exhibit) -> str:
    """One exhibit on the page."""
    view, length = view_of(exhibit, LIMIT)
    return (
        f"## {exhibit.title}\n\n{length:,} characters become {len(view):,}. {exhibit.seen}\n\n````text\n{view}\n````\n"
    )


def main(arguments: list[str]) -> int:
    if arguments:
        limit = int(arguments[arguments.index("--limit") + 1]) if "--limit" in arguments else LIMIT
        for exhibit in EXHIBITS:
            if any(title in exhibit.title for title in arguments):
                print(f"=== {exhibit.title}\n{view_of(exhibit, limit)[0]}")
        return 0
    PAGE.write_text("\n".join([INTRODUCTION, *map(section, EXHIBITS)]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
