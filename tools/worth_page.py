"""docs/worth.md with the table of what hosts show by themselves, as the code has it."""

import re
from pathlib import Path

from overspill.journal.calls import HOST_CAPS, PATH_CHARS, HostCap

PAGE = Path(__file__).parent.parent / "docs" / "worth.md"
TABLE = re.compile(r"(<!-- hosts -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = (
    "| agent | kind of result | whole | shown of what is longer | which is | version | measured |\n"
    "|---|---|--:|--:|---|---|---|\n"
)


def worth_page() -> str:
    """The page, its table made anew."""
    return TABLE.sub(lambda found: f"{found[1]}{HEAD}{''.join(map(table_row, HOST_CAPS))}{found[2]}", PAGE.read_text())


def table_row(cap: HostCap) -> str:
    """One row, as people read it."""
    whole = "all" if cap.whole is None else f"{cap.whole:,}" + (f", {cap.lines:,} lines" if cap.lines else "")
    cut = "" if cap.whole is None else "n/a" if cap.cut is None else f"{cap.cut + PATH_CHARS * cap.has_path:,}"
    return f"| {cap.agent} | {cap.kind} | {whole} | {cut} | {cap.remark} | {cap.version} | {cap.date} |\n"
