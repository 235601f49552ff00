"""Writes what is made from the code, or with --check says which of it is out of date.

That is the reference pages, a stub, and packages for the agents' own ways to install something.
"""

import sys
from pathlib import Path

from answers_page import answers_page
from command_page import command_page
from comparison_page import comparison_page
from concept_drawing import dark_drawing, light_drawing
from model_tools_page import model_tools_page
from python_page import python_page
from settings_page import settings_page
from settings_paths import settings_paths
from shelves import SHELVES
from worth_page import worth_page

HERE = Path(__file__).parent.parent
PAGES = {
    "docs/answers.md": answers_page,
    "docs/api.md": python_page,
    "docs/assets/concepts-dark.svg": dark_drawing,
    "docs/assets/concepts-light.svg": light_drawing,
    "docs/cli.md": command_page,
    "docs/comparison.md": comparison_page,
    "docs/settings.md": settings_page,
    "docs/tools.md": model_tools_page,
    "docs/worth.md": worth_page,
    "src/overspill/settings/paths.pyi": settings_paths,
    **SHELVES,
}


def main(arguments: list[str]) -> int:
    stale = []
    for name, page in PAGES.items():
        path = HERE / name
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page())
        elif not path.exists() or path.read_text() != page():
            stale.append(name)
    for name in stale:
        print(f"{name} does not match the code: run `make docs` and commit it")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
