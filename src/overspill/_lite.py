"""What every process pays for, made cheap: named tuples, enumerations, `with` blocks, patterns, JSON, SHA-256.

A process starts for every tool call. `typing`, `enum`, `contextlib`, `re`, `json` and OpenSSL each cost it more than
scanning a log for secrets, so what is needed of them stands here. For the type checker every name is the standard one.
For the same reason modules on a hook's way take `Mapping` and its like from `_collections_abc`, which is loaded anyway.
"""

from __future__ import annotations

# ruff: noqa: ANN001, ANN002, ANN003, ANN202, ANN204, ANN206  # the type checker sees the standard ones instead
import sys

TYPE_CHECKING = False  # type checkers know this name, and take the branch that does not run

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Protocol
else:

    class Protocol:
        """The base of classes that say what others must be able to do."""


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    FunctionType = type(lambda: None)

    try:
        from _collections import _tuplegetter
    except ImportError:  # not every Python has it
        from operator import itemgetter

        def _tuplegetter(number, doc):
            return property(itemgetter(number), doc=doc)

    _new = tuple.__new__

    # Constructors by number of fields: compiling one takes longer than all the rest of a class.
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
        lambda _cls, a, b, c, d, e, f, g, h, i: _new(_cls, (a, b, c, d, e, f, g, h, i)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j: _new(_cls, (a, b, c, d, e, f, g, h, i, j)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k)),
        lambda _cls, a, b, c, d, e, f, g, h, i, j, k, m: _new(_cls, (a, b, c, d, e, f, g, h, i, j, k, m)),
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
        from types import CellType

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


if TYPE_CHECKING:
    from enum import Enum
else:

    class _Listing(type):
        """Makes a class of a list of values: each of its texts becomes a member, and the only one of that value."""

        def __new__(mcs, name, bases, namespace):
            values = {key: value for key, value in namespace.items() if isinstance(value, str) and key[0] != "_"}
            made = super().__new__(mcs, name, bases, {k: v for k, v in namespace.items() if k not in values})
            made._by_value = {}
            for key, value in values.items():
                member = object.__new__(made)
                member.name, member.value = key, value
                made._by_value[value] = member
                setattr(made, key, member)
            return made

        def __call__(cls, value):
            if value not in cls._by_value:
                raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
            return cls._by_value[value]

        def __iter__(cls):
            return iter(cls._by_value.values())

    class Enum(metaclass=_Listing):
        """What every such class can do. Members are told apart by identity."""

        def __repr__(self):
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"

        def __str__(self):
            return f"{type(self).__name__}.{self.name}"

        def __copy__(self):
            return self

        def __deepcopy__(self, _others):
            return self

        def __reduce__(self):
            return type(self), (self.value,)


if TYPE_CHECKING:
    from collections import deque
    from contextlib import contextmanager, suppress
    from functools import cached_property, lru_cache
else:
    from _collections import deque
    from _functools import _lru_cache_wrapper

    class suppress:  # noqa: N801  # a word of the language, nearly
        """A block that ends without a word at one of these errors."""

        __slots__ = ("_errors",)

        def __init__(self, *errors):
            self._errors = errors

        def __enter__(self):
            return None

        def __exit__(self, kind, error, trace):
            return kind is not None and issubclass(kind, self._errors)

    def _named_like(wrapper, function):
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(wrapper, name, getattr(function, name))
        wrapper.__wrapped__ = function
        return wrapper

    class _Managed:
        """A block inside a generator: what stands before its `yield` comes first, what stands after it last."""

        __slots__ = ("_begin", "_steps")

        def __init__(self, begin):
            self._begin = begin

        def __enter__(self):
            self._steps = self._begin()
            return next(self._steps)

        def __exit__(self, kind, error, trace):
            if kind is None:
                next(self._steps, None)
                return False
            try:
                self._steps.throw(error)
            except StopIteration as ended:
                return ended is not error
            except BaseException as raised:
                if raised is not error and not (isinstance(error, StopIteration) and raised.__cause__ is error):
                    raise
                error.__traceback__ = trace
                return False
            raise RuntimeError("a generator for a `with` block yielded twice")

        def __call__(self, function):
            def inside(*arguments, **named):
                with _Managed(self._begin):
                    return function(*arguments, **named)

            return _named_like(inside, function)

    def contextmanager(function):
        def managed(*arguments, **named):
            return _Managed(lambda: function(*arguments, **named))

        return _named_like(managed, function)

    class _CacheInfo(NamedTuple):
        hits: int
        misses: int
        maxsize: int | None
        currsize: int

    def lru_cache(maxsize):
        return lambda function: _named_like(_lru_cache_wrapper(function, maxsize, False, _CacheInfo), function)

    class cached_property:  # noqa: N801  # as `property` is
        """A property that is computed once."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, _owner, name):
            self._name = name

        def __get__(self, owner, _kind=None):
            if owner is None:
                return self
            value = owner.__dict__[self._name] = self._function(owner)
            return value


def load_module(name: str) -> ModuleType:
    """A module by its full name. `importlib`, which could do it too, is a module more for every start.

    >>> load_module("overspill.version").__name__
    'overspill.version'
    """
    __import__(name)
    return sys.modules[name]


if TYPE_CHECKING:
    from re import Pattern
    from typing import AnyStr

    PatternKey = tuple[bool, str | bytes]  # whether it is a pattern of bytes, and its text
    # What the engine of `re` is given: flags, code, and of the groups their number, their names, and names by number.
    CompiledPattern = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
    CompiledPatterns = dict[PatternKey, CompiledPattern]

    class KnownPatterns(Protocol):
        """Where a compiled pattern can be asked for: `CompiledPatterns` are such a place."""

        def get(self, key: PatternKey, /) -> CompiledPattern | None: ...


class _Patterns:
    """Patterns that stand in our source; what users write has no end and does not come here."""

    def __init__(self) -> None:
        self.ready: dict[PatternKey, Pattern[str] | Pattern[bytes]] = {}
        self.load: Callable[[], KnownPatterns] = dict  # from an earlier process, asked once
        self.loaded: KnownPatterns | None = None
        self.fresh: list[PatternKey] = []  # what this process had to compile


_patterns = _Patterns()


def compile_pattern(source: AnyStr) -> Pattern[AnyStr]:
    """The regular expression of that text, in which its flags stand, too.

    Compiling what a view looks for takes longer than looking. So a program keeps what `re` compiled for the next one,
    by the pattern's text, and then `re` is not even loaded.

    >>> compile_pattern("(?i)error").findall("Error, error")
    ['Error', 'error']
    """
    key = isinstance(source, bytes), source
    if (pattern := _patterns.ready.get(key)) is None:
        pattern = _patterns.ready[key] = _make_pattern(key)
    return pattern  # type: ignore[return-value]  # a pattern of bytes for bytes, by the key


def _make_pattern(key: PatternKey) -> Pattern[str] | Pattern[bytes]:
    if _patterns.loaded is None:
        _patterns.loaded = _patterns.load()
    if (compiled := _patterns.loaded.get(key)) is not None:
        return _built_pattern(key, compiled)
    import re

    _patterns.fresh.append(key)
    return re.compile(key[1])


def _built_pattern(key: PatternKey, compiled: CompiledPattern) -> Pattern[str] | Pattern[bytes]:
    """What `re` would compile, without compiling it."""
    import _sre  # type: ignore[import-not-found]  # no stub

    flags, code, *groups = compiled
    return _sre.compile(key[1], flags, memoryview(code).cast("I").tolist(), *groups)  # type: ignore[no-any-return]


def load_patterns_by(load: Callable[[], KnownPatterns]) -> None:
    """Where patterns that an earlier process compiled come from; asked when the first one is needed."""
    _patterns.load, _patterns.loaded = load, None


def fresh_patterns() -> CompiledPatterns:
    """What this process had to compile, for the next one."""
    return {key: _compiled_pattern(key) for key in _patterns.fresh} if sys.implementation.name == "cpython" else {}


def _compiled_pattern(key: PatternKey) -> CompiledPattern:
    """What `re` compiles a pattern to. It keeps that to itself, so a test looks at it on every Python."""
    import array
    import re._compiler  # type: ignore[import-not-found]
    import re._parser  # type: ignore[import-not-found]

    pattern = _patterns.ready[key]
    names: list[str | None] = [None] * (pattern.groups + 1)
    for name, number in pattern.groupindex.items():
        names[number] = name
    code = array.array("I", re._compiler._code(re._parser.parse(key[1]), 0)).tobytes()  # noqa: SLF001
    return pattern.flags, code, pattern.groups, dict(pattern.groupindex), tuple(names)


SPACE, SMALL = " \t\n\r", 262_144  # between values of JSON; bytes that OpenSSL is not loaded for


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

    return json.loads(text)


class _Plain:
    """How values are read: as Python's own, and nothing else."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None  # the last since Python 3.15
    parse_float = parse_constant = float
    parse_int = int


def _quoted() -> Callable[[str], str]:
    from _json import encode_basestring_ascii

    return encode_basestring_ascii


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


__all__ = [
    "TYPE_CHECKING",
    "Enum",
    "Hash",
    "NamedTuple",
    "Protocol",
    "cached_property",
    "compile_pattern",
    "contextmanager",
    "deque",
    "fresh_patterns",
    "in_json",
    "load_module",
    "load_patterns_by",
    "lru_cache",
    "of_json",
    "sha256",
    "suppress",
]
