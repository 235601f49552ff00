"""What an adapter says when its framework is not there."""

from collections.abc import Iterator
from contextlib import contextmanager

from overspill.errors import MissingExtra


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Imports in here belong to an extra: if they fail, one sentence says what to install.

    >>> with needed("adk"):
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
