"""What the site shows that does not lie in docs/: pages at the top of the repository, and files that pages link to.

mkdocs.yml names this file as its hook. A link leads to the same thing in the repository and on the site: a page stays a
page, and any other file becomes a page that shows it.
"""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from page_links import local_links, resolved, with_links

HERE = Path(__file__).parent.parent
DOCS = "docs/"
START = "docs/index.md"
TOP = tuple(sorted(path.name for path in HERE.glob("*.md") if path.name != "README.md"))
LANGUAGES = {".py": "python", ".sh": "sh", ".yml": "yaml", ".json": "json", ".sql": "sql"}


def place_on_site(path: str) -> str:
    """Where a file of the repository stands among the sources of the site.

    >>> place_on_site("docs/mcp.md"), place_on_site("SECURITY.md"), place_on_site("README.md")
    ('mcp.md', 'SECURITY.md', 'index.md')
    >>> place_on_site("examples/stores/sqlite_store.py")
    'examples/stores/sqlite_store.py.md'
    """
    if path == "README.md":  # what leads a visitor of the repository in is the first page here
        path = START
    if path.startswith(DOCS) or path.endswith(".md"):
        return path.removeprefix(DOCS)
    return f"{path}.md"


def path_in_repository(place: str) -> str:
    """The file that is shown at a place of the site.

    >>> path_in_repository("mcp.md"), path_in_repository("examples/stores/sqlite_store.py.md")
    ('docs/mcp.md', 'examples/stores/sqlite_store.py')
    """
    if (HERE / DOCS / place).exists():
        return DOCS + place
    return place if (HERE / place).exists() else place.removesuffix(".md")


def page_on_site(path: str, text: str) -> str:
    """A page of the repository with its links as the site needs them."""
    place = posixpath.dirname(place_on_site(path))

    def lead(target: str) -> str:
        leads, anchor = resolved(path, target)
        there = posixpath.relpath(place_on_site(leads), place) if leads != path else ""
        return there + (f"#{anchor}" if anchor else "")

    return with_links(text, lead)


def linked_files(pages: dict[str, str]) -> dict[str, str]:
    """The files outside of docs/ that these pages, and pages among those files, lead to, as pages of the site."""
    found: dict[str, str] = {}
    waiting = list(pages.items())
    while waiting:
        path, text = waiting.pop()
        for leads in _outside(path, text):
            if leads not in found and leads not in pages:
                content = (HERE / leads).read_text()
                is_page = leads.endswith(".md")
                found[leads] = content if is_page else _shown_file(leads, content)
                waiting += [(leads, content)] if is_page else []
    return found


def _outside(path: str, text: str) -> Iterator[str]:
    for target in local_links(text):
        leads, _ = resolved(path, target)
        if not leads.startswith(DOCS) and leads != "README.md":
            yield leads


def _shown_file(path: str, content: str) -> str:
    language = LANGUAGES.get(Path(path).suffix, "")
    return f"# {Path(path).name}\n\n`{path}` in the repository.\n\n``````{language}\n{content}``````\n"


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 - as MkDocs hands them in
    """Add to the files of the site what lies elsewhere in the repository."""
    from mkdocs.structure.files import File

    pages = {str(path.relative_to(HERE)): path.read_text() for path in (HERE / DOCS).glob("**/*.md")}
    top = {name: (HERE / name).read_text() for name in TOP}
    for path, text in {**top, **linked_files(pages | top)}.items():
        files.append(File.generated(config, place_on_site(path), content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401
    """Let links lead to where things stand on the site."""
    return page_on_site(path_in_repository(page.file.src_uri), markdown)
