"""Writes the reference pages in docs/ from the code, or with --check says which are out of date."""

import sys
from pathlib import Path

from command_page import command_page
from settings_page import settings_page

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {"cli.md": command_page, "settings.md": settings_page}


def main(arguments: list[str]) -> int:
    stale = []
    for name, page in PAGES.items():
        path = DOCS / name
        if "--check" not in arguments:
            path.write_text(page())
        elif not path.exists() or path.read_text() != page():
            stale.append(name)
    for name in stale:
        print(f"docs/{name} does not match the code: run `make docs` and commit it")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
