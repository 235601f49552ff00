r"""Lines that hold no telling word and matter in the company of others: looked for only where their company is seen.

The first word of a row is cheap to look for; its pattern runs over the text only where the word is there.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from overspill._lite import NamedTuple
from overspill.cut.smart.shapes import Said
from overspill.cut.smart.signals import Hit


class Company(NamedTuple):
    """Where one of `seen` is in a text, lines of this shape say `level`."""

    seen: tuple[str, ...]
    pattern: str
    level: str
    why: str


COMPANY = (
    Company(("\nE  ",), r"(?m)^E {2,}\S.*$", "assertion", "assertion"),
    Company(("\nE  ",), r"(?m)^[^\s:]+:\d+: (?:in )?\w+$", "assertion", "where"),
    Company(("\n____",), r"(?m)^_{4,} \S.* _{4,}$", "named", "failed test, in detail"),
    Company((" failing\n", "Failures:\n", "failing tests:"), r"(?m)^ +\d+\) \S.*$", "name", "failed test"),
    Company((" failure:\n", " failures:\n", " error:\n", " errors:\n"), r"(?m)^\d+\) \S.*$", "name", "failed test"),
    Company(("  1) Failure:", "  1) Error:"), r"(?m)^ +\d+\) (?:Failure|Error):\n.*$", "name", "failed test"),
    Company(("\nnot ok ",), r"(?m)^ +(?:at|location|operator|actual|found|wanted): .*$", "assertion", "where"),
    Company(("\nfailures:\n",), r"(?m)^    \w+(?:::\w+)+$", "named", "failed test, said again"),
    Company(("test result: FAILED",), r"(?m)^ *(?:left|right): .*$", "assertion", "assertion"),
    Company((".go:",), r"(?m)^(?:vet: )?[\w./@-]+\.go:\d+:\d+: .*$", "error", "error"),
    Company((" error", "Found "), r"(?m)^[\w./@-]+\.\w+:\d+:\d+: [A-Z]{1,6}\d{2,5} .*$", "error", "error"),
    Company(
        ("\n --> ", "\n  --> "),
        r"(?m)^(?:[A-Z]{1,6}\d{2,5}|[a-z]+(?:-[a-z]+)+:?) (?:\[\*\] )?\S.*\n +-->", "error", "error",
    ),
    Company(("Received: ", "+ Received"), r"(?m)^ *(?:Expected|Received)\b.*: .*$", "assertion", "assertion"),
    Company(("AssertionError", "\u276f "), r"(?m)^ +\u276f \S+:\d+:\d+$", "assertion", "where"),
    Company(("Failure/Error:",), r"(?m)^ +(?:expected|got)\b.*$|^ +# \./\S+:\d+.*$", "assertion", "assertion"),
    Company(("Failed asserting",), r"(?m)^/\S+:\d+$", "assertion", "where"),
    Company(
        (": Failure\n",),
        r"(?m)^(?:Expected|  Actual|  Which is|Value of|To be equal to).*$", "assertion", "assertion",
    ),
)  # fmt: skip
MOST = 5_000


def go_details(text: str) -> Iterator[tuple[Hit, Said]]:
    """What Go's failed tests said: with `-v` the passing ones speak as well, under headings of their own."""
    if "--- FAIL: " not in text:
        return
    failed = set(re.findall(r"(?m)^ *--- FAIL: (\S+)", text))
    running = [(match.start(), match[1]) for match in re.finditer(r"(?m)^=== (?:RUN|CONT|NAME) +(\S+)$", text)]
    starts = [start for start, _ in running]
    for match in re.finditer(r"(?m)^ +[\w.-]+\.go:\d+: .*$", text):
        below = bisect_right(starts, match.start())
        if not below or running[below - 1][1] in failed or text.find("\n--- ", starts[below - 1], match.start()) >= 0:
            yield Hit(match.start(), match.end(), match.start()), Said("assertion", "what a failed test said")


def companions(text: str) -> list[tuple[Hit, Said]]:
    """Lines that matter because of what else is in the text."""
    failing = any(word in text for word in ("fail", "Fail", "FAIL"))
    found = list(islice(go_details(text), MOST)) if failing else []
    for row in COMPANY:
        if any(word in text for word in row.seen if failing or "fail" not in word.lower()):
            for number, match in enumerate(re.finditer(row.pattern, text)):
                if number >= MOST:
                    break
                found.append((Hit(match.start(), match.end(), match.start()), Said(row.level, row.why)))
    return found
