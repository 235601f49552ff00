"""Whatever a Python tool returned, as text: strings as they are, everything else as one line of JSON.

>>> serialise_object({"when": None, "share": float("nan"), 3: {"a", "b"}})
('{"when":null,"share":"NaN","3":["a","b"]}', 'application/json')
>>> loop = ["again"]; loop.append(loop); serialise_object(loop)
('["again","[Circular]"]', 'application/json')
>>> serialise_object(KeyError("port"))
("KeyError: 'port'", 'text/plain')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet

from overspill._lite import compile_pattern
from overspill.clean import clean

TEXT, JSON = "text/plain", "application/json"
CIRCULAR, TOO_DEEP = "[Circular]", "[Too deep]"
DEEPEST = 200

# Modules whose values are best said as they print.
_SPELLED = ("decimal", "uuid", "pathlib", "fractions", "ipaddress")

# An address differs from run to run, and says nothing.
_ADDRESS = compile_pattern(r" at 0x[0-9a-fA-F]+")


def serialise_object(value: object) -> tuple[str, str]:
    """`value` as text, and the content type of that text."""
    if isinstance(value, str):
        return str(value), TEXT
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes_text(bytes(value)), TEXT
    if isinstance(value, BaseException):
        return _exception_text(value), TEXT
    plain = value
    try:
        return _json_text(plain), JSON
    except (TypeError, ValueError, RecursionError):
        plain = _json_value(value, ())
    if isinstance(plain, str):
        return plain, TEXT
    return _json_text(plain), JSON


def serialise_line(value: object) -> str:
    """`value` as one line of JSON, one of many."""
    text, content_type = serialise_object(value)
    return (text if content_type == JSON else _json_text(text)) + "\n"


def _json_text(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _json_value(value: object, above: tuple[int, ...]) -> object:
    """`value` in the types JSON has; `above` are the containers it lies in."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return _json_number(value)
    if id(value) in above or len(above) >= DEEPEST:
        return CIRCULAR if id(value) in above else TOO_DEEP
    try:
        return _container_value(value, (*above, id(value)))
    except RecursionError:
        return TOO_DEEP


def _container_value(value: object, above: tuple[int, ...]) -> object:
    if isinstance(value, Mapping):
        return _json_object(value.items(), above)
    if isinstance(value, AbstractSet):
        return [
            _json_value(item, above) for item in sorted(value, key=lambda item: (type(item).__name__, _repr_text(item)))
        ]
    if isinstance(value, Sequence | ValuesView) and not isinstance(value, bytes | bytearray | memoryview):
        return [_json_value(item, above) for item in value]
    fields = _fields(value)
    return _single_value(value, above) if fields is None else _json_object(fields, above)


def _json_number(value: float) -> float | str:
    if isinstance(value, int):
        return int(value)
    if value != value:  # noqa: PLR0124 - only NaN differs from itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def _json_object(items: Iterable[tuple[object, object]], above: tuple[int, ...]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in items:
        name = _json_key(key)
        while name in result:  # 1 and "1" are two keys, and both are kept
            name += "'"
        result[name] = _json_value(value, above)
    return result


def _json_key(key: object) -> str:
    if isinstance(key, str):
        return str(key)
    plain = _json_value(key, ()) if not isinstance(key, tuple | frozenset) else repr(key)
    return plain if isinstance(plain, str) else _json_text(plain)


def _fields(value: object) -> list[tuple[str, object]] | None:
    """The fields of a dataclass, a model of pydantic or the like, of attrs or msgspec; None if it has none."""
    if isinstance(value, type):
        return None
    for name in ("model_dump", "_asdict"):
        dump = getattr(value, name, None)
        if callable(dump):
            dumped = _result_or_none(dump)
            return list(dumped.items()) if isinstance(dumped, Mapping) else None
    for name in ("__dataclass_fields__", "__struct_fields__"):
        names = getattr(value, name, None)
        if names is not None:
            return [(field, getattr(value, field, None)) for field in names]
    attributes = getattr(value, "__attrs_attrs__", None)
    return None if attributes is None else [(field.name, getattr(value, field.name, None)) for field in attributes]


def _single_value(value: object, above: tuple[int, ...]) -> object:
    """One value that is neither a container nor a record."""
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes_text(bytes(value))
    if isinstance(value, BaseException):
        return _exception_text(value)
    if type(value).__module__ in _SPELLED:
        return str(value)
    if not isinstance(value, type):
        for name in ("isoformat", "__fspath__", "tolist"):  # dates, paths, arrays
            method = getattr(value, name, None)
            if callable(method):
                return _json_value(_result_or_none(method), above)
        if hasattr(type(value), "__members__"):  # an Enum
            return _json_value(getattr(value, "value", None), above)
    return _repr_text(value)


def _exception_text(error: BaseException) -> str:
    message = _result_or_none(lambda: str(error))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _repr_text(value: object) -> str:
    text = _result_or_none(lambda: repr(value))
    return _ADDRESS.sub("", text) if isinstance(text, str) else f"<{type(value).__name__}>"


def _result_or_none(function: Callable[[], object]) -> object:
    """What a method of a stranger returns, or nothing if it fails: its failure is not ours."""
    try:
        return function()
    except Exception:  # noqa: BLE001 - whatever it is
        return None


def _bytes_text(data: bytes) -> str:
    return clean(data, "plain")[0]
