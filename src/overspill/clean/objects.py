"""Whatever a Python tool returned, as text: strings as they are, everything else as one line of JSON.

>>> serialise({"when": None, "share": float("nan"), 3: {"a", "b"}})
('{"when":null,"share":"NaN","3":["a","b"]}', 'application/json')
>>> loop = ["again"]; loop.append(loop); serialise(loop)
('["again","[Circular]"]', 'application/json')
>>> serialise(KeyError("port"))
("KeyError: 'port'", 'text/plain')
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet

from overspill.clean import clean

TEXT, JSON = "text/plain", "application/json"
CIRCULAR, TOO_DEEP = "[Circular]", "[Too deep]"
DEEPEST = 200

# Modules whose values are best said as they print.
_SPELLED = ("decimal", "uuid", "pathlib", "fractions", "ipaddress")

# An address differs from run to run, and says nothing.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def serialise(value: object) -> tuple[str, str]:
    """`value` as text, and the content type of that text."""
    if isinstance(value, str):
        return str(value), TEXT
    if isinstance(value, bytes | bytearray | memoryview):
        return _read(bytes(value)), TEXT
    if isinstance(value, BaseException):
        return _said(value), TEXT
    plain = value
    try:
        return _dumped(plain), JSON
    except (TypeError, ValueError, RecursionError):
        plain = _plain(value, ())
    if isinstance(plain, str):
        return plain, TEXT
    return _dumped(plain), JSON


def _dumped(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: object, above: tuple[int, ...]) -> object:
    """`value` in the types JSON has; `above` are the containers it lies in."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _number(value)
    if id(value) in above or len(above) >= DEEPEST:
        return CIRCULAR if id(value) in above else TOO_DEEP
    try:
        return _inside(value, (*above, id(value)))
    except RecursionError:
        return TOO_DEEP


def _inside(value: object, above: tuple[int, ...]) -> object:
    if isinstance(value, Mapping):
        return _object(value.items(), above)
    if isinstance(value, AbstractSet):
        return [_plain(item, above) for item in sorted(value, key=lambda item: (type(item).__name__, _shown(item)))]
    if isinstance(value, Sequence | ValuesView) and not isinstance(value, bytes | bytearray | memoryview):
        return [_plain(item, above) for item in value]
    fields = _fields(value)
    return _single(value, above) if fields is None else _object(fields, above)


def _number(value: float) -> float | str:
    if isinstance(value, int):
        return int(value)
    if value != value:  # noqa: PLR0124 - only NaN differs from itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def _object(items: Iterable[tuple[object, object]], above: tuple[int, ...]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in items:
        name = _key(key)
        while name in result:  # 1 and "1" are two keys, and both are kept
            name += "'"
        result[name] = _plain(value, above)
    return result


def _key(key: object) -> str:
    if isinstance(key, str):
        return str(key)
    plain = _plain(key, ()) if not isinstance(key, tuple | frozenset) else repr(key)
    return plain if isinstance(plain, str) else _dumped(plain)


def _fields(value: object) -> list[tuple[str, object]] | None:
    """The fields of a dataclass, a model of pydantic or the like, of attrs or msgspec; None if it has none."""
    if isinstance(value, type):
        return None
    for name in ("model_dump", "_asdict"):
        dump = getattr(value, name, None)
        if callable(dump):
            dumped = _tried(dump)
            return list(dumped.items()) if isinstance(dumped, Mapping) else None
    for name in ("__dataclass_fields__", "__struct_fields__"):
        names = getattr(value, name, None)
        if names is not None:
            return [(field, getattr(value, field, None)) for field in names]
    attributes = getattr(value, "__attrs_attrs__", None)
    return None if attributes is None else [(field.name, getattr(value, field.name, None)) for field in attributes]


def _single(value: object, above: tuple[int, ...]) -> object:
    """One value that is neither a container nor a record."""
    if isinstance(value, bytes | bytearray | memoryview):
        return _read(bytes(value))
    if isinstance(value, BaseException):
        return _said(value)
    if type(value).__module__ in _SPELLED:
        return str(value)
    if not isinstance(value, type):
        for name in ("isoformat", "__fspath__", "tolist"):  # dates, paths, arrays
            method = getattr(value, name, None)
            if callable(method):
                return _plain(_tried(method), above)
        if hasattr(type(value), "__members__"):  # an Enum
            return _plain(getattr(value, "value", None), above)
    return _shown(value)


def _said(error: BaseException) -> str:
    message = _tried(lambda: str(error))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _shown(value: object) -> str:
    text = _tried(lambda: repr(value))
    return _ADDRESS.sub("", text) if isinstance(text, str) else f"<{type(value).__name__}>"


def _tried(function: Callable[[], object]) -> object:
    """What a method of a stranger returns, or nothing if it fails: its failure is not ours."""
    try:
        return function()
    except Exception:  # noqa: BLE001 - whatever it is
        return None


def _read(data: bytes) -> str:
    return clean(data, "plain")[0]
