"""The paths of all settings as types, made from the table in `overspill.settings.table`."""

from collections.abc import Iterable
from typing import get_type_hints

from overspill.settings import checks
from overspill.settings.checks import FLAG, Check
from overspill.settings.table import BY_PATH, SETTINGS, TOOL_ONLY, TOOL_PATHS

INTRODUCTION = """\
# The paths of all settings, by the type of their values. Made from the code by `make docs`; do not edit.
# Type checkers read it. There is no such module when a program runs.

from typing import Literal, TypeAlias
"""

NAMES: dict[object, str] = {
    int: "Integer",
    float: "Number",
    bool: "Flag",
    str: "Text",
    tuple[str, ...]: "Names",
    tuple[dict[str, str], ...]: "Rules",
    dict[int, dict[str, object]]: "Manifests",
    dict[str, float]: "Prices",
}
OR_NULL = ", or null"
BY_EXPECTED = {check.expected: check for check in vars(checks).values() if isinstance(check, Check)}


def settings_paths() -> str:
    """The whole stub."""
    of_all = _by_type("", [(row.path, row.check) for row in SETTINGS])
    # A tool's values say one thing that no file can say: whether its strategy is chosen by content.
    only = [*((row.path, row.check) for row in TOOL_ONLY), ("automatic", FLAG)]
    of_tool = _by_type("Tool", [*((short, BY_PATH[path].check) for short, path in TOOL_PATHS), *only])
    types = [_literal(name, paths) for name, paths in (of_all | of_tool).items()]
    every = "\n".join(f"    | {name}" for name in of_all).replace("| ", "", 1)
    return "\n".join([INTRODUCTION, *types, f"SettingPath: TypeAlias = (\n{every}\n)\n"])


def _by_type(prefix: str, checks_of: Iterable[tuple[str, Check]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, check in checks_of:
        found.setdefault(f"{prefix}{_type_name(check)}Path", []).append(path)
    return found


def _type_name(check: Check) -> str:
    """What a check gives, by what its function says it returns.

    >>> _type_name(checks.SIZE), _type_name(checks.FREE_SPACE), _type_name(checks.one_of("on", "off"))
    ('Integer', 'MaybeInteger', 'Text')
    """
    if check.expected.endswith(OR_NULL):
        return f"Maybe{_type_name(BY_EXPECTED[check.expected.removesuffix(OR_NULL)])}"
    return NAMES[get_type_hints(check.read)["return"]]


def _literal(name: str, paths: list[str]) -> str:
    if len(paths) == 1:
        return f'{name}: TypeAlias = Literal["{paths[0]}"]\n'
    return "\n".join([f"{name}: TypeAlias = Literal[", *(f'    "{path}",' for path in paths), "]", ""])
