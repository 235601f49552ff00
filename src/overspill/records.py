"""Named tuples that cost a tenth to define: a process starts for every tool call, and defines some sixty of them.

For the type checker `NamedTuple` is the one of `typing`; so it is for whoever uses the values. The
standard one compiles a constructor for every class. Here the constructor of a class is a copy of a
function that was compiled with this module, with the names of the fields put in.
"""

from overspill.hints import TYPE_CHECKING

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


__all__ = ["NamedTuple"]
