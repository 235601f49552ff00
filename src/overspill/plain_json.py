"""JSON without the package: a line in a log, a record of a file, the event of an agent.

Importing it costs more than all that hot commands do with it. Its fast half, written in C, is used directly
where there is one.
"""

from overspill.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SPACE = " \t\n\r"


def in_json(value: object) -> str:
    """One value as JSON.

    >>> in_json({"name": "build", "lines": [1, 2.5], "kept": True, "source": None})
    '{"name":"build","lines":[1,2.5],"kept":true,"source":null}'
    """
    if isinstance(value, str):
        simple = value.isascii() and value.isprintable() and '"' not in value and "\\" not in value
        return f'"{value}"' if simple else _quoted()(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{','.join(map(in_json, value))}]"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return "{" + ",".join(f"{in_json(key)}:{in_json(member)}" for key, member in value.items()) + "}"
    if isinstance(value, int | float) and value - value == 0:
        return (int if isinstance(value, int) else float).__repr__(value)
    import json

    return json.dumps(value, separators=(",", ":"))


def of_json(text: str) -> object:
    """The value of a JSON text; `ValueError` if it is none.

    >>> of_json(' {"lines": [1, 2.5], "kept": true} ')
    {'lines': [1, 2.5], 'kept': True}
    """
    start = len(text) - len(text.lstrip(SPACE))
    try:
        from _json import make_scanner

        value, end = make_scanner(_Plain)(text, start)  # type: ignore[arg-type]  # it asks for no more than this has
    except (AttributeError, ImportError, StopIteration, SystemError):  # what is wrong is said by the package
        return _read(text)
    return _read(text) if text[end:].strip(SPACE) else value


def _read(text: str) -> object:
    import json

    value: object = json.loads(text)
    return value


class _Plain:
    """How values are read: as Python's own, and nothing else."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None  # the last since Python 3.15
    parse_float = parse_constant = float
    parse_int = int


def _quoted() -> "Callable[[str], str]":
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii
