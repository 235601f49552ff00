"""The configuration of the specification's manual, row by row."""

import sys
from pathlib import Path

import pytest

from overspill.cli.config import PROFILES, initial_file
from overspill.errors import ConfigError
from overspill.settings import Settings, from_mapping, load
from overspill.settings.table import BY_PATH, SETTINGS, TOOLS, tool_name

ROOT = Path(__file__).parents[2]

# The manual's complete configuration, values and nesting as printed there.
MANUAL = """\
tools:
  truncation:
    inline_limit: 8000
    artifact_threshold: 50000
    max_artifact_size: 10485760
    default_strategy: head_tail
    head_ratio: 0.6
    line_truncation:
      tail_lines: 200
      head_lines: 300
      max_line_length: 500
    element_truncation:
      first_elements: 5
      last_elements: 5
      max_depth: 3
      preserve_json: true
    smart_truncation:
      enabled: false
      preserve_functions: true
      prioritize_errors: true
    artifacts:
      storage_path: .acode/artifacts
      cleanup_on_exit: true
      compress_large: false
      enable_partial_retrieval: true
    metadata:
      include_original_size: true
      include_token_estimate: true
      include_strategy: true
      include_retrieval_instructions: true
    overrides:
      execute_command:
        strategy: tail
        inline_limit: 5000
        line_truncation:
          tail_lines: 150
      read_file:
        strategy: head_tail
        inline_limit: 12000
        head_ratio: 0.65
      list_directory:
        strategy: element
        inline_limit: 10000
        element_truncation:
          first_elements: 10
          last_elements: 5
      search_files:
        strategy: element
        inline_limit: 15000
        element_truncation:
          first_elements: 8
          last_elements: 3
      git_diff:
        strategy: smart
        inline_limit: 20000
        smart_truncation:
          preserve_functions: true
      http_request:
        strategy: element
        inline_limit: 10000
        element_truncation:
          preserve_json: true
          max_depth: 2
"""

DEFAULTS: dict[str, dict[str, object]] = {
    "CFG-01": {"inline_limit": 8000},
    "CFG-02": {"artifact_threshold": 50_000},
    "CFG-03": {"max_artifact_size": 10_485_760},
    "CFG-04": {"default_strategy": "head_tail"},
    "CFG-05": {"head_ratio": 0.6},
    "CFG-06": {
        "line_truncation.tail_lines": 200,
        "line_truncation.head_lines": 300,
        "line_truncation.max_line_length": 500,
    },
    "CFG-07": {
        "element_truncation.first_elements": 5,
        "element_truncation.last_elements": 5,
        "element_truncation.max_depth": 3,
        "element_truncation.preserve_json": True,
    },
    "CFG-08": {
        "smart_truncation.enabled": False,
        "smart_truncation.preserve_functions": True,
        "smart_truncation.prioritize_errors": True,
    },
    "CFG-09": {
        "artifacts.storage_path": ".acode/artifacts",
        "artifacts.cleanup_on_exit": True,
        "artifacts.compress_large": False,
        "artifacts.enable_partial_retrieval": True,
    },
    "CFG-10": {
        "metadata.include_original_size": True,
        "metadata.include_token_estimate": True,
        "metadata.include_strategy": True,
        "metadata.include_retrieval_instructions": True,
    },
}


def _project(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / ".agent" / "config.yml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return load(str(tmp_path), environ={})


@pytest.mark.parametrize("number", DEFAULTS)
def test_the_manuals_defaults_hold_without_any_file(number: str) -> None:
    """CFG-01, CFG-02, CFG-03, CFG-04, CFG-05, CFG-06, CFG-07, CFG-08, CFG-09, CFG-10."""
    policy = load(None, environ={}).for_tool("")
    assert {key: policy[key] for key in DEFAULTS[number]} == DEFAULTS[number]


def test_the_default_limits() -> None:
    """FR-007, FR-008, FR-009, AC-007, AC-008, AC-009: 8000 and 50000 characters, 10 MB."""
    found = load(None, environ={})
    sizes = ("inline_limit", "artifact_threshold", "max_artifact_size")
    assert [found.values[TOOLS + name] for name in sizes] == [8000, 50_000, 10 * 1024 * 1024]


def test_the_manuals_file_loads_and_changes_no_global_default(tmp_path: Path) -> None:
    """P-24, CFG-01 to CFG-10: `.agent/config.yml` is all that is needed."""
    found = _project(tmp_path, MANUAL)
    assert found.values == load(None, environ={}).values
    assert found.warnings == ()


def test_the_manuals_overrides_are_merged_over_the_global_settings(tmp_path: Path) -> None:
    """CFG-11: what an override does not say stays as it is for all."""
    found = _project(tmp_path, MANUAL)
    expected = {
        "execute_command": ("tail", 5000, 150, 0.6, 5, 5, 3),
        "read_file": ("head_tail", 12_000, 200, 0.65, 5, 5, 3),
        "list_directory": ("element", 10_000, 200, 0.6, 10, 5, 3),
        "search_files": ("element", 15_000, 200, 0.6, 8, 3, 3),
        "git_diff": ("smart", 20_000, 200, 0.6, 5, 5, 3),
        "http_request": ("element", 10_000, 200, 0.6, 5, 5, 2),
    }
    element = "element_truncation."
    keys = (
        "strategy",
        "inline_limit",
        "line_truncation.tail_lines",
        "head_ratio",
        element + "first_elements",
        element + "last_elements",
        element + "max_depth",
    )
    assert {tool: tuple(found.for_tool(tool)[key] for key in keys) for tool in expected} == expected


def test_a_key_may_be_written_with_dots(tmp_path: Path) -> None:
    """CFG-12: the spelling of the manual's troubleshooting."""
    found = _project(tmp_path, "tools.truncation.overrides.execute_command.inline_limit: 10000")
    assert found.for_tool("execute_command").integer("inline_limit") == 10_000


@pytest.mark.parametrize("name", ["head_tail", "tail", "head", "element", "smart", "none", "line"])
def test_every_strategy_of_the_manual_can_be_chosen(name: str) -> None:
    """CFG-04, X-09, X-20."""
    assert from_mapping({"tools.truncation.default_strategy": name}).for_tool("any").text("strategy") == name


def test_limits_are_configurable_for_one_tool_and_for_all(tmp_path: Path) -> None:
    """FR-010, FR-011, AC-010, AC-011, P-04."""
    found = _project(tmp_path, "tools.truncation: {inline_limit: 700, overrides: {read_file: {inline_limit: 900}}}")
    assert found.for_tool("read_file").integer("inline_limit") == 900
    assert found.for_tool("git_diff").integer("inline_limit") == 700


LIMITS = [
    "inline_limit",
    "artifact_threshold",
    "max_artifact_size",
    "line_truncation.tail_lines",
    "line_truncation.head_lines",
    "line_truncation.max_line_length",
    "element_truncation.first_elements",
    "element_truncation.last_elements",
    "element_truncation.max_depth",
]


@pytest.mark.parametrize("key", LIMITS)
@pytest.mark.parametrize("value", [0, -1, True, False, 8000.0, 1.5, float("nan"), None, "many", [], {}])
def test_a_limit_is_a_positive_whole_number(key: str, value: object) -> None:
    """FR-012, AC-012, X-07: 0, negatives, flags and fractions are refused, and the key is named."""
    for path in (TOOLS + key, f"{TOOLS}overrides.read_file.{key}"):
        with pytest.raises(ConfigError) as caught:
            from_mapping({path: value})
        assert path in str(caught.value)


@pytest.mark.parametrize("ratio", [0, 1, 0.0, 1.0, -0.1, 1.1, True, "0.6", float("nan"), float("inf")])
def test_the_ratio_lies_between_0_and_1(ratio: object) -> None:
    """CFG-05."""
    with pytest.raises(ConfigError, match=r"tools\.truncation\.head_ratio"):
        from_mapping({TOOLS + "head_ratio": ratio})


def test_characters_are_counts_and_artifacts_are_bytes() -> None:
    """X-04, X-06: a size takes units, a count of characters does not."""
    found = from_mapping({TOOLS + "max_artifact_size": "200MB"})
    assert found.integer("tools.truncation.max_artifact_size") == 200 << 20
    with pytest.raises(ConfigError, match="whole number"):
        from_mapping({TOOLS + "inline_limit": "8KB"})


def test_truncation_can_be_switched_off_with_the_manuals_recipe() -> None:
    """X-08, FAQ-2: the threshold follows the inline limit, with a warning, and `none` is for every tool."""
    found = from_mapping({TOOLS + "inline_limit": 1_000_000, TOOLS + "default_strategy": "none"})
    policy = found.for_tool("execute_command")
    assert policy.integer("artifact_threshold") == found.integer("tools.truncation.artifact_threshold") == 1_000_000
    assert policy.text("strategy") == "none"
    assert len(found.warnings) == 1
    assert "artifact_threshold" in found.warnings[0]


def test_a_tools_threshold_follows_its_own_inline_limit() -> None:
    """X-08, for one tool."""
    found = from_mapping({TOOLS + "overrides.read_file.inline_limit": 60_000})
    assert found.for_tool("read_file").integer("artifact_threshold") == 60_000
    assert found.for_tool("git_diff").integer("artifact_threshold") == 50_000
    assert len(found.warnings) == 1
    assert "overrides.read_file.artifact_threshold" in found.warnings[0]


def test_the_tools_have_their_strategies() -> None:
    """FR-071, FR-072, FR-073, FR-074, FR-075, X-18: also where only a default strategy is set."""
    expected = {
        "read_file": "head_tail",
        "execute_command": "tail",
        "list_directory": "element",
        "search_files": "element",
        "git_diff": "head_tail",
    }
    for found in (from_mapping({}), from_mapping({TOOLS + "default_strategy": "head"})):
        assert {tool: found.for_tool(tool).text("strategy") for tool in expected} == expected
    assert found.for_tool("http_request").text("strategy") == "head"


@pytest.mark.parametrize(
    ("names", "tool"),
    [
        (("run_command", "bash", "shell", "Bash", "EXECUTE_COMMAND"), "execute_command"),
        (("read", "Read"), "read_file"),
        (("grep", "search", "Grep"), "search_files"),
        (("ls", "glob", "LS", "Glob"), "list_directory"),
        (("fetch", "webfetch", "WebFetch"), "http_request"),
    ],
)
def test_a_tool_has_one_name_and_one_policy(names: tuple[str, ...], tool: str) -> None:
    """X-62."""
    for name in names:
        assert tool_name(name) == tool
        found = from_mapping({f"{TOOLS}overrides.{name}.inline_limit": 77})
        assert all(found.for_tool(other).integer("inline_limit") == 77 for other in (*names, tool))


def test_strategy_aliases_can_be_left_out_of_the_metadata() -> None:
    """X-56: the other two names are written unless somebody says no."""
    assert from_mapping({}).for_tool("x").flag("metadata.aliases") is True
    assert from_mapping({TOOLS + "metadata.aliases": False}).for_tool("x").flag("metadata.aliases") is False


def test_the_quotas_have_numbers() -> None:
    """X-43, as the design has it: 4 GiB a session, 16 GiB a machine, 6,000 artifacts a minute."""
    found = from_mapping({})
    names = ("session_quota", "machine_quota", "rate_limit")
    assert [found.values[f"{TOOLS}artifacts.{name}"] for name in names] == [4 << 30, 16 << 30, 6000]


def test_the_default_page_sizes() -> None:
    """DOL-01."""
    found = from_mapping({})
    pages = {name: found.values[f"output.{name}"] for name in ("list", "session", "find", "log", "archive", "default")}
    assert pages == {"list": 50, "session": 10, "find": 10, "log": 20, "archive": 25, "default": 50}


PRACTICES = [
    ("BP-01", "logs", {"default_strategy": "tail"}),
    ("BP-02", "code", {"default_strategy": "head_tail"}),
    ("BP-03", "data", {"default_strategy": "element"}),
    ("BP-04", "mixed", {"smart_truncation.enabled": True}),
    ("BP-06", "data", {"artifacts.enable_partial_retrieval": True}),
    ("BP-07", "small-window", {"artifact_threshold": 20_000}),
    ("BP-07", "large-window", {"artifact_threshold": 100_000}),
    ("BP-08", "review", {"inline_limit": 16_000}),
    ("BP-08", "simple", {"inline_limit": 4000}),
    ("BP-09", "large-artifacts", {"artifacts.compress_large": True}),
    ("BP-10", "large-artifacts", {"artifacts.cleanup_on_exit": True}),
    ("BP-11", "sensitive", {"artifacts.cleanup_on_exit": True, "metadata.detail": "minimal"}),
    ("BP-12", "shared", {"max_artifact_size": 10_485_760, "artifacts.session_quota": 1 << 30}),
]


@pytest.mark.parametrize(("number", "profile", "expected"), PRACTICES)
def test_each_best_practice_is_a_profile(
    tmp_path: Path, number: str, profile: str, expected: dict[str, object]
) -> None:
    """BP-01, BP-02, BP-03, BP-04, BP-06, BP-07, BP-08, BP-09, BP-10, BP-11, BP-12."""
    found = _project(tmp_path, initial_file(profile))
    said = {key: found.values[TOOLS + key] for key in expected}
    assert said == expected, number
    assert all(str(tmp_path) in found.origins[TOOLS + key] for key in expected), "said by the file, not by luck"


def test_the_profile_for_logs_cuts_commands_at_the_front(tmp_path: Path) -> None:
    """BP-01, BP-02, BP-03: the strategies of the tools the practices name."""
    assert _project(tmp_path, initial_file("logs")).for_tool("bash").text("strategy") == "tail"
    assert _project(tmp_path, initial_file("code")).for_tool("read").text("strategy") == "head_tail"
    assert _project(tmp_path, initial_file("data")).for_tool("fetch").text("strategy") == "element"
    assert _project(tmp_path, initial_file("sensitive")).for_tool("bash").flag("store") is False


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profiles_file_loads_without_warnings_and_points_to_the_monitor(tmp_path: Path, profile: str) -> None:
    """BP-05: how often artifacts are made is in `spill stats`, which every file names."""
    text = initial_file(profile)
    assert _project(tmp_path, text).warnings == ()
    assert "`spill stats`" in text


def test_every_comment_of_the_initial_file_is_a_default_that_loads(tmp_path: Path) -> None:
    """NFR-018: the file people begin with documents every setting."""
    lines = initial_file().splitlines()
    settings = [
        line.replace("# ", "", 1) if line.rstrip().endswith(":") or _is_setting(line) else line for line in lines
    ]
    found = _project(tmp_path, "\n".join(settings))
    assert found.values == load(None, environ={}).values
    assert sum(origin != "default" for origin in found.origins.values()) >= len(SETTINGS) - 1
    assert found.warnings == ()


def _is_setting(line: str) -> bool:
    name, colon, value = line.strip().removeprefix("#").strip().partition(": ")
    return bool(colon) and name.replace("_", "").isalpha() and name.islower() and not value.endswith(".")


def test_the_reference_page_names_every_setting_and_is_up_to_date() -> None:
    """NFR-018: made from the table, so it can't drift."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from settings_page import settings_page
    finally:
        sys.path.remove(str(ROOT / "tools"))
    page = settings_page()
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == page
    for path, row in BY_PATH.items():
        assert f"| `{path.rpartition('.')[2]}` |" in page
        assert row.doc in page
