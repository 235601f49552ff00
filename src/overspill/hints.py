"""What annotations need of `typing`, without loading it: that costs a process more than scanning a log for secrets.

The type checker sees the names of `typing`; at run time nobody asks for more than that they exist.
"""

TYPE_CHECKING = False  # type checkers know this name, and take the branch that does not run

if TYPE_CHECKING:
    from typing import Protocol
else:

    class Protocol:
        """The base of classes that say what others must be able to do."""


__all__ = ["TYPE_CHECKING", "Protocol"]
