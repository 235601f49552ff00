"""What `smart` costs on documents, diffs, source and prose: against reading them line by line, in one run."""

import json
import os
from functools import partial
from typing import TYPE_CHECKING

from json_cut import users
from measuring import best, row

from overspill.core import measure
from overspill.core.budget import Budget
from overspill.core.markers import Reference
from overspill.core.report import Artifact
from overspill.core.spans import Options
from overspill.cut import strategy
from overspill.cut.render import Subject, text_view
from overspill.documents import cut_document

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 8_000


def main() -> None:
    for name, text, kind in samples():
        size = measure(text)
        subject = Subject(text, size, strategy("smart"), Options(kind=kind), Reference(Artifact("art_1_x", size)))
        work: Callable[[], object]
        plain: Callable[[], object]
        if kind in {"json", "ndjson", "xml"}:
            work = partial(cut_document, subject, kind, Budget(chars=LIMIT), "smart")
            plain = partial(cut_document, subject, kind, Budget(chars=LIMIT), "both")
            words = "over the cut by ends"
        else:
            work = partial(text_view, subject, Budget(chars=LIMIT))
            plain = text.splitlines
            words = "over splitlines()"
        seconds = best(work)
        ratio = seconds / best(plain)
        row(f"smart, {name}, {words}", f"{ratio:.1f}x", f"{seconds * 1000:.0f} ms for {len(text) / 1e6:.1f} MB")


def samples() -> list[tuple[str, str, str]]:
    rows = json.loads(users(20_000))["users"]
    rows[9_000]["error"] = "boom"
    cases = "".join(f'<testcase classname="a.b" name="t{n}" time="0.1"/>' for n in range(40_000))
    library = os.path.dirname(os.__file__)
    source = "".join(_read(os.path.join(library, name)) for name in ("argparse.py", "typing.py", "_pydecimal.py"))
    context = "".join(f" a line of the context {n}\n" for n in range(6))
    hunk = f"@@ -1,13 +1,13 @@\n{context}-what was\n+what is now\n{context}" * 8
    diff = "".join(
        f"diff --git a/src/m{n}.py b/src/m{n}.py\nindex 1..2 100644\n--- a/src/m{n}.py\n+++ b/src/m{n}.py\n{hunk}"
        for n in range(900)
    )
    prose = "".join(f"## Part {n}\n\n" + "Words and more of them. " * 40 + "\n\n" for n in range(1_000))
    return [
        ("10 MB of JSON", json.dumps(rows), "json"),
        ("10 MB of NDJSON", "\n".join(map(json.dumps, rows)), "ndjson"),
        ("2 MB of JUnit", f"<testsuite>{cases}</testsuite>", "xml"),
        ("3 MB of diff", diff, "diff"),
        ("0.5 MB of Python", source, "code"),
        ("1 MB of Markdown", prose, "prose"),
    ]


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    main()
