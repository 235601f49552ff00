"""Whether everything starts on this Python with its standard library alone: `python3.N -I -S tools/python_start.py`.

Every module is imported, and a text goes through `spill fit` and back. A module may fail for want of the framework
that it is an adapter of, and for nothing else. Ends with status 0 and says in one line what it saw.
"""

import importlib
import io
import os
import pkgutil
import re
import runpy
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
LIMIT = 1_000
SECRET = "ghp_" + "x7Gq2Zt9Lm4K" * 3
TEXT = f"token: {SECRET}\n" + "".join(f"[INFO] line {number}\n" for number in range(5_000))


def main() -> int:
    sys.path.insert(0, str(SOURCE))
    imported, without = import_all()
    fit_a_text()
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"CPython {version} on {sys.platform}: {imported} modules, {without} of others' frameworks, and a text")
    return 0


def import_all() -> tuple[int, int]:
    """How many modules were imported, and how many want a framework that is not there."""
    import overspill
    from overspill.errors import MissingExtra

    imported = without = 0
    for module in pkgutil.walk_packages(overspill.__path__, "overspill."):
        if module.name.endswith(".__main__"):
            continue
        try:
            importlib.import_module(module.name)
            imported += 1
        except MissingExtra:
            without += 1
    return imported, without


def fit_a_text() -> None:
    """What does not fit is kept and comes back whole; a secret does not."""
    with tempfile.TemporaryDirectory() as place, chdir(place):
        os.environ |= {"OVERSPILL_ROOT": place, "XDG_CACHE_HOME": place, "XDG_CONFIG_HOME": place}
        Path("log").write_text(TEXT, encoding="utf-8")
        view = spill("fit", "--limit", str(LIMIT), "log")
        expect(len(view) <= LIMIT, f"the view has {len(view)} characters")
        expect("line 4999\n" in view and "token: " in view, f"the view is {view!r}")
        artifact = re.search(r"art_\w+", view)
        whole = spill("artifacts", "show", artifact[0] if artifact else "", "--limit", "0")
        expect(whole.splitlines()[1:] == TEXT.splitlines()[1:], "what was kept is not what came")
        expect(SECRET not in view + whole, "a secret was shown")


def spill(*words: str) -> str:
    """What a command says."""
    said, complaint = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    sys.argv = ["spill", *words]
    with redirect_stdout(said), redirect_stderr(complaint):
        try:
            runpy.run_module("overspill", run_name="__main__")
        except SystemExit as end:
            expect(not end.code, f"spill {' '.join(words)} ended with {end.code}: {complaint.getvalue()}")
    said.flush()
    said.seek(0)
    return said.read()


def expect(true: bool, otherwise: str) -> None:  # noqa: FBT001  # as `assert` reads, which can be switched off
    if not true:
        raise RuntimeError(otherwise)


if __name__ == "__main__":
    sys.exit(main())
