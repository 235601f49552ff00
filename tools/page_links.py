"""Links and anchors of our pages, as GitHub and the site read them."""

import posixpath
import re
from collections.abc import Callable, Iterator

# Blocks of code, and code in a sentence: what looks like a link there is none.
CODE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}).*?^(?P=indent)(?P=fence)[`~]*$"
    r"|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(?<=\]\()[^()\s]+(?=\))|(?<=\bsrc=\")[^\"]+|(?<=\bhref=\")[^\"]+")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def local_links(text: str) -> Iterator[str]:
    """What a page links to in the repository; addresses of elsewhere are left out.

    >>> list(local_links("[a](b.md#c), `[no](link)`, [`d`](e.py), [f](https://example.org)"))
    ['b.md#c', 'e.py']
    """
    for prose, _ in _parts(text):
        yield from (target for target in LINK.findall(prose) if not ELSEWHERE.match(target))


def anchors(text: str) -> set[str]:
    r"""The names under which the headings of a page are linked to.

    Of headings that say the same, only the first has a name that GitHub and the site agree on.

    >>> sorted(anchors("# One `two`\n\n## `a.b`, c - d\n\n## One two\n"))
    ['ab-c---d', 'one-two']
    """
    headings = HEADING.findall(CODE.sub(lambda found: found[0] if found["ticks"] else "", text))
    return {_anchor(heading) for heading in headings}


def _anchor(heading: str) -> str:
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def resolved(page: str, target: str) -> tuple[str, str]:
    """The file a link of `page` leads to, from the top of the repository, and the anchor in it.

    >>> resolved("docs/frameworks/crewai.md", "../history.md#what-stays"), resolved("docs/mcp.md", "#the-proxy")
    (('docs/history.md', 'what-stays'), ('docs/mcp.md', 'the-proxy'))
    """
    path, _, anchor = target.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page, anchor


def with_links(text: str, change: Callable[[str], str]) -> str:
    """A page whose links lead where `change` says; code, and addresses of elsewhere, stay as they are.

    >>> with_links("[a](b.md), `[no](link)`, [c](https://example.org)", str.upper)
    '[a](B.MD), `[no](link)`, [c](https://example.org)'
    """

    def changed(prose: str) -> str:
        return LINK.sub(lambda found: found[0] if ELSEWHERE.match(found[0]) else change(found[0]), prose)

    return "".join(changed(prose) + code for prose, code in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The prose between pieces of code, each with the code behind it."""
    done = 0
    for code in CODE.finditer(text):
        yield text[done : code.start()], code[0]
        done = code.end()
    yield text[done:], ""
