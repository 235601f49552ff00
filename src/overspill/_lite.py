"""What every process pays for, made cheap: named tuples, protocols, JSON and SHA-256 without their packages.

A process starts for every tool call. `typing`, `json` and OpenSSL each cost it more than scanning a log for
secrets, so what is needed of them stands here. For the type checker every name is the standard one.
"""


# ruff: noqa: ANN001, ANN003, ANN202, ANN204, ANN206  # the type checker sees the `NamedTuple` of `typing`

import sys
from collections.abc import Callable
from types import ModuleType

TYPE_CHECKING = False  # type checkers know this name, and take the branch that does not run

if TYPE_CHECKING:
    from typing import Protocol
else:

    class Protocol:
        """The base of classes that say what others must be able to do."""


# ruff: noqa: ANN001, ANN002, ANN003, ANN202, ANN204, ANN206  # the type checker sees the one of `typing` instead


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from types import CellType, FunctionType

    try:
        from _collections import _tuplegetter
    except ImportError:  # not every Python has it
        from operator import itemgetter

        def _tuplegetter(number, doc):
            return property(itemgetter(number), doc=doc)

    _new = tuple.__new__

    # Constructors by number of fields.
    _MAKERS = (
        lambda _cls: _new(_cls, ()),
        lambda _cls, a: _new(_cls, (a,)),
        lambda _cls, a, b: _new(_cls, (a, b)),
        lambda _cls, a, b, c: _new(_cls, (a, b, c)),
        lambda _cls, a, b, c, d: _new(_cls, (a, b, c, d)),
        lambda _cls, a, b, c, d, e: _new(_cls, (a, b, c, d, e)),
        lambda _cls, a, b, c, d, e, f: _new(_cls, (a, b, c, d, e, f)),
        lambda _cls, a, b, c, d, e, f, g: _new(_cls, (a, b, c, d, e, f, g)),
        lambda _cls, a, b, c, d, e, f, g, h: _new(_cls, (a, b, c, d, e, f, g, h)),
    )

    def _maker(name, fields, defaults):
        if len(fields) < len(_MAKERS):
            code = _MAKERS[len(fields)].__code__.replace(co_varnames=("_cls", *fields), co_qualname=f"{name}.__new__")
            return FunctionType(code, {"_new": _new}, "__new__", defaults)
        names = ", ".join(fields)
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names}))", {"_new": _new})  # noqa: S307  # names of fields
        made.__defaults__ = defaults
        return made

    class _Anything:
        """What every name in an annotation stands for while only the fields are asked for."""

        __slots__ = ()

        def __getattr__(self, _name):
            return self

        def __iter__(self):
            return iter(())

        def _itself(self, *_others, **_named):
            return self

        __call__ = __getitem__ = __or__ = __ror__ = _itself

    _ANYTHING = _Anything()
    # What a compiled `__annotate__` is called with to compute all annotations, whatever their names stand for: the
    # VALUE_WITH_FAKE_GLOBALS of `annotationlib`, which takes longer to import than all of our classes to define.
    _WHATEVER_NAMES_ARE = 2
    _RAN = "__conditional_annotations__"  # the only variable of such a function that must be real: which branches ran
    _IN_CELLS = {"__classdict__": {}}  # looked at first, and a default may have the same name as a type

    def _lazily_annotated(annotate):
        """The annotated names of a class, in order; from Python 3.14 on a class brings a function that tells them.

        The function is called with stand-ins for all that annotations name, since some of it is imported for the
        type checker only. Names themselves are constants in it.
        """
        code = annotate.__code__
        cells = zip(code.co_freevars, annotate.__closure__ or (), strict=True)
        closure = tuple(cell if name == _RAN else CellType(_IN_CELLS.get(name, _ANYTHING)) for name, cell in cells)
        return FunctionType(code, dict.fromkeys(code.co_names, _ANYTHING), closure=closure)(_WHATEVER_NAMES_ARE)

    def _annotated(namespace):
        """The annotated names in the body of a class, in order."""
        if "__annotations__" in namespace:
            return namespace["__annotations__"]
        annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
        return _lazily_annotated(annotate) if annotate else ()

    class _Defining(type):
        """Makes a class of a list of fields."""

        def __new__(mcs, name, bases, namespace):
            if not bases or bases == (tuple,):
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(_annotated(namespace))
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one with a default")
            for number, field in enumerate(fields):
                namespace[field] = _tuplegetter(number, None)
            namespace |= {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            namespace["__new__"] = _maker(name, fields, tuple(defaults.values()) or None)
            return super().__new__(mcs, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_Defining):
        """What every such class can do."""

        __slots__ = ()
        _fields = ()

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = _new(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({shown})"

        def __getnewargs__(self):
            return tuple(self)


def load_module(name: str) -> ModuleType:
    """A module by its full name. `importlib`, which could do it too, is a module more for every start.

    >>> load_module("overspill.version").__name__
    'overspill.version'
    """
    __import__(name)
    return sys.modules[name]


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
    """The value of a JSON text; `ValueError` if it is not JSON.

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


def _quoted() -> Callable[[str], str]:
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring_ascii
    return encode_basestring_ascii


SMALL = 262_144


class Hash(Protocol):
    """A hash that is still open."""

    def update(self, content: bytes | memoryview, /) -> None: ...
    def digest(self) -> bytes: ...
    def hexdigest(self) -> str: ...


def sha256(content: bytes | memoryview = b"", *, expected: int = 0) -> Hash:
    """The hash of `content`, to which as many bytes as `expected` are going to be added.

    >>> sha256(b"abc").hexdigest()[:16], sha256(b"abc", expected=1 << 20).hexdigest()[:16]
    ('ba7816bf8f01cfea', 'ba7816bf8f01cfea')
    """
    if len(content) + expected <= SMALL and "_hashlib" not in sys.modules:
        try:
            if sys.version_info >= (3, 12):
                from _sha2 import sha256 as built_in
            else:
                from _sha256 import sha256 as built_in
        except ImportError:  # a Python can be built without
            pass
        else:
            small: Hash = built_in(content)
            return small
    from hashlib import sha256 as library

    return library(content)


__all__ = ["TYPE_CHECKING", "Hash", "NamedTuple", "Protocol", "in_json", "load_module", "of_json", "sha256"]
