"""The reference of the Python interface, made of signatures, docstrings and the comments beside fields.

The source is read, not imported: adapters of frameworks need their framework, which is not there.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent.parent
SOURCE = HERE / "src"
GUIDES = HERE / "docs" / "frameworks"

WIDTH = 96  # a signature longer than this gets a line for each parameter

INTRODUCTION = """\
# Python

Made from the code by `make docs`; do not edit. Signatures are as they stand in the source, and the examples are run by
the tests. Names that are not on this page, or that begin with an underscore, may change in any release
([what a version promises](upgrading.md)).
"""

# What a section says before its names.
SECTIONS = {
    "overspill": "What programs import.",
    "overspill.handoff": "Hand-offs between phases as values: [the guide](handoffs.md).",
    "overspill.history": "Old results go from a conversation: [the guide](history.md).",
    "overspill.compat": "Another spelling of the same things, by the names of the specification this was written from.",
}

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """A name, and the source that says what it is."""

    node: Definition
    lines: list[str]
    module: str


def python_page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for module, words in SECTIONS.items():
        parts += [f"## {module}\n\n{words}\n", *_section(module, _exported(module))]
    parts += [
        "## overspill.errors\n\n" + _picture("overspill.errors"),
        *_section("overspill.errors", ["OverspillError"]),
    ]
    parts += ["## overspill.testing\n\n" + _suite("overspill.testing")]
    for guide in sorted(GUIDES.glob("*.md")):
        module = f"overspill.frameworks.{guide.stem.replace('-', '_')}"
        if _file(module).exists():
            words = f"[The guide](frameworks/{guide.name}). `pip install 'overspill[{guide.stem}]'`\n"
            parts += [f"## {module}\n\n{words}", *_section(module, _told(module, guide.read_text()))]
    return "\n".join(parts)


def _section(module: str, names: list[str]) -> Iterator[str]:
    for name in names:
        found = _find(module, name)
        if found is None:
            raise LookupError(f"{module}.{name} is neither a class nor a function")
        yield f"### {module.removeprefix('overspill.')}.{name}\n\n{_described(found, name)}"


def _exported(module: str) -> list[str]:
    """Its `__all__`, without what says the version."""
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = [name for name in ast.literal_eval(node.value) if name != "__version__"]
            return sorted(
                names, key=lambda name: (name != "Overspill", name.lower())
            )  # what one begins with comes first
    raise LookupError(f"{module} has no __all__")


def _told(module: str, guide: str) -> list[str]:
    """The names of a framework's adapter that its guide speaks of."""
    words = set(re.findall(r"\w+", guide))
    body = _tree(module).body
    if any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in body):
        return [name for name in _exported(module) if name in words]
    return [node.name for node in body if isinstance(node, Definition) and node.name in words]


def _file(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text())


def _find(module: str, name: str) -> Found | None:
    """Where a name is defined, also when it is only passed on by `module`."""
    for node in ast.walk(tree := _tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("overspill"):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _find(node.module, alias.name)
    defined = [node for node in tree.body if isinstance(node, Definition) and node.name == name]
    return Found(defined[-1], _file(module).read_text().splitlines(), module) if defined else None


def _described(found: Found, name: str) -> str:
    if isinstance(found.node, ast.ClassDef):
        return "\n".join(_class(found, name))
    return f"{_fence(_signature(found.node, name))}\n{_prose(found.node)}"


def _class(found: Found, name: str) -> Iterator[str]:
    node = found.node
    assert isinstance(node, ast.ClassDef)
    start = next((one for one in _methods(found) if one.name == "__init__"), None)
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and not _is_private(one)]
    bases = [ast.unparse(base) for base in node.bases]
    if start is not None:
        yield _fence(_signature(start, name, result=False))
    elif "NamedTuple" not in bases:
        yield _fence(f"class {name}" + (f"({', '.join(bases)})" if bases else ""))
    yield _prose(node)
    if fields:
        yield from ("| field | type | default | what it is |", "|---|---|---|---|")
        yield from (_field(one, found.lines) for one in fields)
        yield ""
    values = [one for one in node.body if isinstance(one, ast.Assign) and {"Enum", "StrEnum"} & set(bases)]
    if values:
        yield from (f"- `{ast.unparse(one)}`{_beside(one, found.lines, ': ')}" for one in values)
        yield ""
    for method in _methods(found):
        if not method.name.startswith("_"):
            yield _method(method, name)


def _methods(found: Found) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Its own methods, and those of bases that have no name for others."""
    node = found.node
    assert isinstance(node, ast.ClassDef)
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id.startswith("_") and (above := _find(found.module, base.id)):
            methods += [one for one in _methods(above) if one.name not in {own.name for own in methods}]
    return methods


def _method(method: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str:
    marks = {ast.unparse(mark) for mark in method.decorator_list}
    if "property" in marks or "cached_property" in marks:
        result = ast.unparse(method.returns) if method.returns else ""
        return f"{_fence(f'{name}.{method.name}: {result}'.removesuffix(': '))}\n{_prose(method)}"
    return f"{_fence(_signature(method, f'{name}.{method.name}'))}\n{_prose(method)}"


def _signature(node: Definition, name: str, *, result: bool = True) -> str:
    assert not isinstance(node, ast.ClassDef)
    parameters = _parameters(node.args)
    after = f" -> {_annotation(node.returns)}" if result and node.returns else ""
    before = f"{'await ' if isinstance(node, ast.AsyncFunctionDef) else ''}{name}"
    line = f"{before}({', '.join(parameters)}){after}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{before}(", *(f"    {parameter}," for parameter in parameters), f"){after}"])


def _parameters(given: ast.arguments) -> list[str]:
    ordered = [*given.posonlyargs, *given.args]
    blank: list[ast.expr | None] = [None] * (len(ordered) - len(given.defaults))
    found = [_parameter(one, default) for one, default in zip(ordered, [*blank, *given.defaults], strict=True)]
    if given.posonlyargs:
        found.insert(len(given.posonlyargs), "/")
    if given.vararg:
        found.append("*" + _parameter(given.vararg, None))
    elif given.kwonlyargs:
        found.append("*")
    found += [_parameter(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        found.append("**" + _parameter(given.kwarg, None))
    return [one for one in found if one not in {"self", "cls"}]


def _parameter(one: ast.arg, default: ast.expr | None) -> str:
    typed = f"{one.arg}: {_annotation(one.annotation)}" if one.annotation else one.arg
    if default is None:
        return typed
    return f"{typed} = {ast.unparse(default)}" if one.annotation else f"{typed}={ast.unparse(default)}"


def _annotation(node: ast.expr) -> str:
    """As it reads: one that is written as text is no other."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _is_private(field: ast.AnnAssign) -> bool:
    return ast.unparse(field.target).startswith("_")


def _field(field: ast.AnnAssign, lines: list[str]) -> str:
    default = f"`{ast.unparse(field.value)}`" if field.value else ""
    kind = ast.unparse(field.annotation).replace("|", "\\|")
    return f"| `{ast.unparse(field.target)}` | `{kind}` | {default} |{_beside(field, lines, ' ')} |"


def _beside(node: ast.stmt, lines: list[str], before: str) -> str:
    """The comment that stands beside a field."""
    comments = [
        re.search(r"\s# (?!noqa)(.*?)(?:\s+# noqa.*)?$", line) for line in lines[node.lineno - 1 : node.end_lineno]
    ]
    said = " ".join(found[1] for found in comments if found)
    return before + said.replace("|", "\\|") if said else ""


def _prose(node: Definition) -> str:
    return _markdown(ast.get_docstring(node) or "")


def _markdown(docstring: str) -> str:
    """A docstring as a page: its examples become blocks."""
    parts = []
    for paragraph in re.split(r"\n{2,}(?! )", re.sub(r" *# noqa.*", "", docstring)):
        before, _, example = paragraph.partition(">>> ")
        if before.strip():
            parts.append(f"{before.rstrip()}\n")
        if example:
            parts.append(f"```pycon\n>>> {example}\n```\n")
    return "\n".join(parts)


def _picture(module: str) -> str:
    """The docstring of a module whose first half is drawn."""
    drawn, _, rest = inspect.cleandoc(ast.get_docstring(_tree(module)) or "").rpartition("\n\n")
    first, _, drawn = drawn.partition("\n\n")
    return f"{first}\n\n```text\n{drawn}\n```\n\n{rest}\n"


def _suite(module: str) -> str:
    names = _exported(module)
    listed = [f"- {name.removeprefix('test_').replace('_', ' ')}" for name in names if name.startswith("test_")]
    return (
        _markdown(ast.get_docstring(_tree(module)) or "") + "\nIt holds a store to this:\n\n" + "\n".join(listed) + "\n"
    )


def _fence(code: str) -> str:
    return f"```py\n{code}\n```\n"
