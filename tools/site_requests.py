"""Whether a browser that opens the built site would ask another machine for something: `make site` runs it.

    python tools/site_requests.py DIRECTORY

Links that people follow may lead anywhere; scripts, styles, pictures, fonts and frames may not. Each that does is
named, and the exit status is 1.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

LOADED = {"src", "data", "poster", "background", "action", "ping"}
# Of `<link>`, these say something of the page and fetch nothing.
QUIET = {"canonical", "alternate", "next", "prev", "author", "license", "help", "search"}
ELSEWHERE = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s;]+)", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Loader(HTMLParser):
    """What a page has fetched, without anybody's doing."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._is_style = tag == "style"
        self.addresses += styled(values.get("style", ""))
        loaded = [values[name] for name in LOADED & set(values)]
        loaded += re.split(r"[\s,]+", values.get("srcset", ""))  # several, each with its width
        if tag == "link" and not QUIET & set(values.get("rel", "").lower().split()):
            loaded.append(values.get("href", ""))
        if tag in {"image", "use", "base"}:
            loaded += [values.get("href", ""), values.get("xlink:href", "")]
        self.addresses += [address for address in loaded if ELSEWHERE.match(address)]

    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.addresses += styled(data)


def styled(text: str) -> list[str]:
    """Addresses of other machines that a style names."""
    return IN_STYLE.findall(COMMENT.sub("", text))


def requests_of(place: Path) -> list[tuple[str, str]]:
    """Each page or style below `place` that would fetch something from another machine, and what."""
    found: list[tuple[str, str]] = []
    for path in sorted(place.rglob("*")):
        if path.suffix in {".html", ".svg"}:
            loader = Loader()
            loader.feed(path.read_text())
            found += [(str(path.relative_to(place)), address) for address in loader.addresses]
        elif path.suffix == ".css":
            found += [(str(path.relative_to(place)), address) for address in styled(path.read_text())]
    return found


def main(arguments: list[str]) -> int:
    place = Path(arguments[0])
    found = requests_of(place)
    for page, address in found:
        print(f"{page} would fetch {address}")
    pages = len(list(place.rglob("*.html")))
    if not found and pages:
        print(f"{pages} pages in {place}, and none asks another machine for anything: open {place}/index.html")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
