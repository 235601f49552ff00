"""Whatever stands in a file, a mapping or the environment, settings come of it or one clear error."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config_desk import INLINE, Desk, desk_in
from overspill.cli.config import settings_yaml, yaml_text
from overspill.errors import ConfigError
from overspill.settings import files as config_file
from overspill.settings import from_mapping, load
from overspill.settings.table import BY_PATH, OVERRIDES, PER_TOOL, SETTINGS, Setting


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path)


keys = st.sampled_from(
    [part for row in SETTINGS for part in (row.path, *row.path.split("."))] + [OVERRIDES, "overrides", "bash", "x"]
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3) | st.just("off"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | st.text() | st.integers(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(keys | st.text(), anything, max_size=5))
def test_any_mapping_loads_or_is_a_config_error(mapping: dict[str, object]) -> None:
    try:
        found = from_mapping(mapping)
    except ConfigError:
        return
    for path, row in BY_PATH.items():
        assert row.check.read(found.values[path]) == found.values[path] or path == "tools.truncation.artifact_threshold"


def test_a_mapping_that_contains_itself_is_a_config_error() -> None:
    endless: dict[str, object] = {}
    endless["tools"] = endless
    with pytest.raises(ConfigError, match="levels deep"):
        from_mapping(endless)
    items: list[object] = []
    items.append(items)
    with pytest.raises(ConfigError, match=r"redaction.allow\[0\]"):
        from_mapping({"redaction.allow": items})


yaml_like = st.text(alphabet=st.sampled_from(list("abo:-[]{}&*!|>'\"#%@`,?~ \n\t01.\u00e9\u2028\x00")), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=yaml_like | st.builds(lambda tail: "journal:\n  keep: " + tail, yaml_like))
def test_any_file_loads_or_is_a_config_error(desk: Desk, text: str) -> None:
    path = desk.project(text)
    message = ""
    try:
        desk.load()
    except ConfigError as error:
        message = str(error)
    assert not message or message.startswith(path)
    assert "\n" not in message


def _values_of(row: Setting) -> st.SearchStrategy[object]:
    if row.check.choices:
        return st.sampled_from(row.check.choices)
    words = st.text("abcdefgh0123./-", min_size=1, max_size=9).map(lambda word: "k" + word)
    by_expected: dict[str, st.SearchStrategy[object]] = {
        "true or false": st.booleans(),
        "a number between 0 and 1, such as 0.6": st.floats(0.01, 0.99),
        "a list of texts": st.lists(words, max_size=4, unique=True).map(tuple),
        "a text": words,
        "a share of the window such as 4%, at most 15%": st.integers(1, 150).map(lambda tenths: f"{tenths / 10:g}%"),
        "env: and the name of an environment variable, such as env:FLEET_DSN": st.just("env:FLEET_DSN"),
        "the name of a strategy": st.sampled_from(["head", "tail", "none"]),
        "a list of rules, each with name, type and pattern": st.just(
            ({"name": "a", "type": "A_1", "pattern": "x{1,2}"},)
        ),
        "manifests by the number of their phase": st.just({2: {"handoff_fields": ("goal",), "max_tokens": 0}}),
    }
    return by_expected.get(row.check.expected.removesuffix(", or null"), st.integers(1, 2**40))


settable = st.sampled_from([row for row in SETTINGS if row.project != "user" and row.path != "preset"])


@given(st.data())
def test_what_an_environment_variable_says_comes_back(data: st.DataObject) -> None:
    row = data.draw(settable)
    value = data.draw(_values_of(row))
    text = yaml_text(value).strip('"')
    if isinstance(value, tuple) and row.check.expected == "a list of texts":
        text = ",".join(value)
    found = load(None, environ={"OVERSPILL_" + row.path.upper().replace(".", "__"): text})
    if row.path not in {INLINE, "tools.truncation.artifact_threshold"}:  # one may raise the other
        assert found.values[row.path] == value


@given(st.data())
def test_what_is_shown_loads_to_the_same_settings(data: st.DataObject) -> None:
    rows = data.draw(st.lists(settable, max_size=6, unique_by=lambda row: row.path))
    mapping = {row.path: data.draw(_values_of(row)) for row in rows}
    for key in data.draw(
        st.lists(st.sampled_from(["inline_limit", "head_ratio", "strategy", "reuse"]), max_size=2, unique=True)
    ):
        mapping[f"{OVERRIDES}.{data.draw(st.sampled_from(['bash', 'x-y', 'off']))}.{key}"] = data.draw(
            _values_of(PER_TOOL[key])
        )
    found = from_mapping(mapping)
    for origin in (False, True):
        collected = config_file._collected_settings("shown", settings_yaml(found, origin=origin))
        assert collected.problems == ()
        again = from_mapping({entry.path: entry.value for entry in collected.entries})
        assert (again.values, again.tools) == (found.values, found.tools)
