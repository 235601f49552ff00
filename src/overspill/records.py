"""Named tuples that cost a tenth to define: a process starts for every tool call, and defines some sixty of them.

For the type checker `NamedTuple` is the one of `typing`; so it is for whoever uses the values. The
standard one compiles a constructor for every class. Here the constructor of a class is a copy of a
function that was compiled with this module, with the names of the fields put in.
"""

from overspill.hints import TYPE_CHECKING

# ruff: noqa: ANN001, ANN003, ANN202, ANN204, ANN206  # the type checker sees the one of `typing` instead


if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from _collections import _tuplegetter
    from types import FunctionType

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

    class _Defining(type):
        """Makes a class of a list of fields."""

        def __new__(mcs, name, bases, namespace):
            if not bases or bases == (tuple,):
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(namespace.get("__annotations__", ()))
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
