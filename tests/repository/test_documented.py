"""Documentation: every public name and every setting says what it is."""

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import overspill
from asking import command
from overspill.settings.table import SETTINGS, TOOL_ONLY

MODULES = ["overspill", "overspill.compat", "overspill.cut", "overspill.errors", "overspill.store"]


def public(module: str) -> Iterator[tuple[str, object]]:
    """The public names of a module, and the public methods of its classes."""
    home = import_module(module)
    names = getattr(home, "__all__", [name for name in vars(home) if not name.startswith("_")])
    for name in names:
        thing = getattr(home, name)
        if not callable(thing) or not str(getattr(thing, "__module__", "")).startswith("overspill"):
            continue
        yield f"{module}.{name}", thing
        for method, function in vars(thing).items() if inspect.isclass(thing) else ():
            if inspect.isfunction(function) and not method.startswith("_"):
                yield f"{module}.{name}.{method}", function


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_a_docstring_of_its_own(module: str) -> None:
    """NFR-019, X-61: made by hand, not by the interpreter."""
    silent = [
        name
        for name, thing in public(module)
        if not thing.__doc__ or str(thing.__doc__).startswith(name.split(".")[-1] + "(")
    ]
    mute = {"MemoryStore", "Store"}  # the protocol says it once for all stores
    assert [name for name in silent if not mute & set(name.split("."))] == []


@pytest.mark.parametrize("module", MODULES)
def test_every_public_function_is_typed(module: str) -> None:
    """NFR-019, X-61: each argument and each result."""
    for name, thing in public(module):
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for argument in list(signature.parameters.values()):
                assert argument.name in {"self", "cls"} or argument.annotation is not inspect.Parameter.empty, name


def test_the_public_names_are_there() -> None:
    """NFR-019: and an unknown one is not."""
    assert all(getattr(overspill, name) is not None for name in overspill.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = overspill.no_such_name


def test_every_setting_says_what_it_does() -> None:
    """NFR-018: in a sentence that stands next to its default."""
    for row in (*SETTINGS, *TOOL_ONLY):
        assert row.doc.endswith("."), row.path
        assert len(row.doc.split()) >= 3, row.path


def test_every_command_explains_itself_with_an_example(tmp_path: Path) -> None:
    """NFR-018, NFR-019."""
    for words in ([], ["fit"], ["tokens"], ["config"], ["config", "show"], ["demo"]):
        done = command(*words, "--help", cwd=tmp_path)
        assert done.returncode == 0
        assert b"Examples:\n  " in done.stdout


def test_the_page_of_the_python_interface_has_every_parameter() -> None:
    """NFR-019: it is made by reading the source; here the names are asked of what runs."""
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    shown = dict(re.findall(r"^```py\n(?:await )?([\w.]+)\((.*?)^```", page, re.MULTILINE | re.DOTALL))
    asked = 0
    for module in ("overspill", "overspill.compat", "overspill.handoff", "overspill.history"):
        for name in set(import_module(module).__all__) - {"__version__"}:
            for path, function in functions_of(name, getattr(import_module(module), name)):
                for parameter in set(inspect.signature(function).parameters) - {"self", "cls"}:
                    assert re.search(rf"(?<![\w.]){parameter}[:,=)]", shown[path]), f"{path}: {parameter}"
                    asked += 1
    assert asked > 100


def functions_of(name: str, thing: object) -> Iterator[tuple[str, Callable[..., object]]]:
    if inspect.isfunction(thing):
        yield name, thing
    for key, method in vars(thing).items() if inspect.isclass(thing) else ():
        if inspect.isfunction(method) and not key.startswith("_"):
            yield f"{name}.{key}", method
