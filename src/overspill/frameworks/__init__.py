"""Overspill inside agent frameworks: one small module each, loaded when it is imported and not before.

Every module here is an extra: `pip install 'overspill[langchain]'` brings what `overspill.frameworks.langchain`
needs, and without it the import says so. For a framework that has no module of its own there are two names that
need nothing: `overspill.limited`, which lets a function return the view of its result, and
`overspill.artifact_tools`, which gives the model the functions that fetch the rest.

What all of them do is in `results.py` (what is done to a result), `content.py` (where the texts in it are) and
`fetching.py` (the model's tools). Programs import the adapters; of the package itself only `overspill` comes in here,
for `artifact_tools`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from overspill.errors import MissingExtra


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Imports in here belong to an extra: if they fail, one sentence says what to install.

    >>> with require_extra("adk"):
    ...     import a_framework_that_is_not_there
    Traceback (most recent call last):
    overspill.errors.MissingExtra: overspill.frameworks.adk needs an optional package: pip install 'overspill[adk]'
    """
    module = f"overspill.frameworks.{extra.replace('-', '_')}"
    try:
        yield
    except ModuleNotFoundError:
        raise MissingExtra(module, extra) from None
    except ImportError as error:
        # It is there, and older or newer than what we know.
        missing = MissingExtra(module, extra)
        what = str(error).partition(" (")[0]  # a path may follow
        missing.msg = f"{module} needs another release of its framework ({what}): {missing.fix}"
        missing.args = (missing.msg,)
        raise missing from None
