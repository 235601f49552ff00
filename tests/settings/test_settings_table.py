"""The table of settings: complete, consistent, and readable both ways."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill import settings
from overspill.lists import DEFAULTS
from overspill.settings import checks, from_mapping
from overspill.settings.checks import Wrong
from overspill.settings.table import (
    ALIASES,
    BY_PATH,
    PER_TOOL,
    SETTINGS,
    TOOL_PATHS,
    Setting,
    defaults,
    sections,
    tool_name,
)
from overspill.workspace.policy import SIZES

every_setting = pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.path)


@every_setting
def test_every_default_passes_its_own_check(row: Setting) -> None:
    assert row.check.read(row.default) == row.default
    if row.agent is not ...:
        assert row.check.read(row.agent) == row.agent != row.default


def test_no_path_is_said_twice_and_none_is_also_a_section() -> None:
    assert len(BY_PATH) == len(SETTINGS)
    assert not sections(tuple(BY_PATH)) & BY_PATH.keys()


def test_every_setting_says_what_it_does_in_one_line() -> None:
    for row in (*SETTINGS, *PER_TOOL.values()):
        assert row.doc.endswith(".")
        assert "\n" not in row.doc
        assert 15 < len(row.doc) < 120


def test_the_presets_differ_where_the_table_says() -> None:
    spec, agent = defaults("spec"), defaults("agent")
    differing = {path for path in spec if spec[path] != agent[path]}
    assert differing == {
        "preset",
        "tools.truncation.max_artifact_size",
        "tools.truncation.clean_up",
        "tools.truncation.marks",
        "tools.truncation.smart_truncation.enabled",
    }


def test_a_tools_view_has_every_truncation_setting() -> None:
    policy = from_mapping({}).for_tool("anything")
    assert {short for short, _ in TOOL_PATHS} | {"strategy", "store", "automatic"} == set(policy)


def paths_by_type() -> dict[str, list[str]]:
    """The paths in the stub that type checkers read; `test_docs` holds that it is made from the table."""
    stub = ast.parse((Path(settings.__file__).parent / "paths.pyi").read_text())
    return {
        ast.unparse(line.target): [str(path.value) for path in ast.walk(line) if isinstance(path, ast.Constant)]
        for line in stub.body
        if isinstance(line, ast.AnnAssign)
    }


TYPES = {"integer": "Integer", "maybe_integer": "MaybeInteger", "text": "Text", "flag": "Flag"}


@pytest.mark.parametrize("preset", ["spec", "agent"])
def test_what_type_checkers_let_through_is_there_and_of_its_type(preset: str) -> None:
    found, paths = from_mapping({}, preset), paths_by_type()
    for getter, name in (TYPES | {"names": "Names"}).items():
        for path in paths[f"{name}Path"]:
            getattr(found, getter)(path)
    for getter, name in (TYPES | {"number": "Number"}).items():
        for path in paths[f"Tool{name}Path"]:
            getattr(found.for_tool("any"), getter)(path)


def test_type_checkers_know_every_path_once() -> None:
    paths = paths_by_type()
    of_tool = [path for name in paths if name.startswith("Tool") for path in paths[name]]
    of_all = [path for name in paths if not name.startswith("Tool") for path in paths[name]]
    assert sorted(of_all) == sorted(BY_PATH)
    assert sorted(of_tool) == sorted(from_mapping({}).for_tool("any"))


def test_every_page_size_is_a_setting() -> None:
    assert set(SIZES) == {f"output.{name}" for name in DEFAULTS}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10485760", 10485760),
        ("10MB", 10485760),
        ("10 mb", 10485760),
        ("10MiB", 10485760),
        ("1k", 1024),
        ("1KB", 1024),
        ("1.5GiB", 1610612736),
        ("1B", 1),
        ("2T", 2 << 40),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert checks.SIZE.read(text) == size


NO_TEXTS = ["", "MB", "-1MB", "1.MB", ".5MB", "1e3", "1,5MB", "10 XB", "1MBB", "0", "0.0001B", "\u0661MB"]
TOO_LARGE = ["9" * 400, "9" * 19 + "TB", "1" * 5000 + "." + "1" * 5000]
NOT_EVEN_TEXTS: list[object] = [None, 0, -1, True, 1.5, [], {}]


@pytest.mark.parametrize("value", [*NO_TEXTS, *TOO_LARGE, *NOT_EVEN_TEXTS])
def test_what_is_no_size_is_refused(value: object) -> None:
    with pytest.raises(Wrong):
        checks.SIZE.read(value)


@pytest.mark.parametrize(
    ("text", "seconds"), [("24h", 86400), ("30m", 1800), ("1h30m", 5400), ("90", 90), ("1w", 604800)]
)
def test_times_are_read_as_people_write_them(text: str, seconds: int) -> None:
    assert checks.DURATION.read(text) == seconds


@pytest.mark.parametrize("value", ["", "h", 0, -1, "24 hours", "1.5h", "-1h", True, None, "9" * 5000 + "h", "24x"])
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(Wrong):
        checks.DURATION.read(value)


@given(st.integers(1, 2**62))
def test_a_size_in_digits_is_that_number(number: int) -> None:
    assert checks.SIZE.read(str(number)) == checks.SIZE.read(number) == number


@given(st.integers(1, 10**6), st.sampled_from("kmgt"), st.sampled_from(["", "b", "ib", "B", "iB"]))
def test_units_are_powers_of_1024(number: int, unit: str, ending: str) -> None:
    assert checks.SIZE.read(f"{number}{unit}{ending}") == number * 1024 ** ("kmgt".index(unit) + 1)


@given(st.text())
def test_any_text_is_a_size_a_time_or_refused(text: str) -> None:
    for check in (checks.SIZE, checks.DURATION, checks.COUNT):
        try:
            value = check.read(check.from_text(text))
        except Wrong:
            continue
        assert isinstance(value, int)
        assert value >= 1


@given(st.text())
def test_a_tools_name_is_settled_in_one_step(name: str) -> None:
    assert tool_name(tool_name(name)) == tool_name(name)


def test_aliases_lead_to_names_that_are_no_aliases() -> None:
    assert not set(ALIASES.values()) & ALIASES.keys()
