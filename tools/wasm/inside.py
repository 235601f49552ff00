"""What is tried inside of WebAssembly: that everything starts, and tests that need no process and no native package.

Grapheme clusters are JavaScript's (see `clusters`), and the scan for secrets is the one of the standard library.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from typing import Any

from pytest import CallInfo, Function, Item, TestReport, hookimpl  # noqa: PT013  # there is no test in here

# Packages in C or C++ of which no build for this system exists, and what this system says to what it cannot do.
NATIVE = {"hyperscan", "re2", "rs_bpe", "tree_sitter", "zstandard"}
REFUSALS = {
    "emscripten does not support processes": "processes",
    "can't start new thread": "threads",
    "needs google-re2": "re2",
    "patterns need google-re2": "re2",
}
LEVELS = "[" * 10_000
EXAMPLES = 10  # of each property: a tenth of the speed, and one Python of several


class Here:
    """What is different about tests here: fewer examples, and some ask for what does not exist."""

    def __init__(self) -> None:
        self.impossible: Counter[str] = Counter()

    def pytest_sessionstart(self) -> None:
        from hypothesis import settings

        settings.register_profile("few", max_examples=EXAMPLES)
        settings.load_profile("few")

    def pytest_collection_modifyitems(self, items: list[Item]) -> None:
        possible = [item for item in items if not bottomless(item)]
        self.impossible["more stack"] = len(items) - len(possible)
        items[:] = possible

    @hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: CallInfo[None]) -> Generator[None, TestReport, TestReport]:
        report = yield
        what = missing(call.excinfo.value) if call.excinfo else ""
        if what:
            self.impossible[what] += 1
            report.outcome, report.longrepr = "skipped", ("", 0, what)
        return report

    def pytest_terminal_summary(self) -> None:
        for what, count in sorted((+self.impossible).items()):
            print(f"impossible here: {count} tests that need {what}")


def bottomless(item: Item) -> bool:
    """Whether a test is about a document of so many levels that msgspec ends the interpreter here.

    It asks Python how much of the stack is left, and in WebAssembly Python cannot tell.
    """
    given = item.callspec.params.values() if isinstance(item, Function) and hasattr(item, "callspec") else ()
    return any(isinstance(value, str) and LEVELS in value for value in given)


def missing(error: BaseException) -> str:
    """What a test asked for that this system does not have; nothing where it failed for a reason of its own."""
    if isinstance(error, BaseExceptionGroup):
        found = {missing(one) for one in error.exceptions}
        return found.pop() if len(found) == 1 else ""
    if isinstance(error, ModuleNotFoundError) and error.name in NATIVE:
        return error.name
    return next((what for says, what in REFUSALS.items() if says in str(error)), "")


def complete_the_system() -> None:
    """What a POSIX system has and this one has not: users, links, and a clock that goes on in sleep."""
    lacking: Any = os
    lacking.geteuid = lambda: os.stat("/").st_uid
    lacking.link = copy
    vars(time).pop("CLOCK_BOOTTIME")


def copy(
    name: str,
    target: str,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    """A second file instead of a second name. Like a link it replaces nothing."""
    look = os.O_RDONLY | (0 if follow_symlinks else os.O_NOFOLLOW)
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with (
        open(os.open(name, look, dir_fd=src_dir_fd), "rb") as source,
        open(os.open(target, new, 0o600, dir_fd=dst_dir_fd), "wb") as made,
    ):
        made.write(source.read())


def main(words: Sequence[str]) -> int:
    """Whether everything starts; then the tests that are named, as pytest takes them."""
    complete_the_system()
    import python_start

    python_start.main()
    if not words:
        return 0
    import clusters
    import pytest

    sys.modules["regex"] = clusters
    os.chdir("/repository")
    # Hypothesis counts who refers to its own generator, and takes it for lost: Python 3.14 counts otherwise.
    quiet = "ignore:It looks like `register_random` was passed an object"
    return int(pytest.main(["-p", "no:cacheprovider", "-W", quiet, *words], plugins=[Here()]))
