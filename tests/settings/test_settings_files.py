"""Files, environment and flags become settings, or one sentence that says what is wrong where."""

import os
from pathlib import Path
from typing import Final

import pytest

from config_desk import INLINE, QUOTA, Desk, desk_in, put_file
from doors_kit import Shell, mapping
from overspill.cli.config import check_settings, initial_file, setting_records, settings_places, write_initial
from overspill.errors import ConfigError, InputError
from overspill.settings import from_mapping, load
from overspill.settings.table import OVERRIDES, SETTINGS
from overspill.workspace.opening import find_root
from overspill.workspace.policy import redactor_with


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path)


def test_without_files_everything_is_a_default(desk: Desk) -> None:
    found = desk.load()
    assert found.values == {row.path: row.default for row in SETTINGS}
    assert set(found.origins.values()) == {"default"}
    assert found.warnings == ()
    assert found.tools == {}


def test_each_layer_wins_over_the_one_below(desk: Desk) -> None:
    assert (desk.load().integer(INLINE), desk.load().origins[INLINE]) == (8000, "default")
    user = desk.user("tools.truncation.inline_limit: 1001")
    assert (desk.load().integer(INLINE), desk.load().origins[INLINE]) == (1001, f"{user}:1")
    project = desk.project("# ours\ntools:\n  truncation:\n    inline_limit: 1002\n")
    assert (desk.load().integer(INLINE), desk.load().origins[INLINE]) == (1002, f"{project}:4")
    name = "OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT"
    found = desk.load(**{name: "1003"})
    assert (found.integer(INLINE), found.origins[INLINE]) == (1003, f"environment {name}")
    found = load(str(desk.root), environ={**desk.environ, name: "1003"}, flags={INLINE: 1004})
    assert (found.integer(INLINE), found.origins[INLINE]) == (1004, "flag")


def test_the_preset_is_chosen_by_the_strongest_voice_and_any_setting_wins_over_it(desk: Desk) -> None:
    size: Final = "tools.truncation.max_artifact_size"
    assert load(None, environ={}, preset="agent").origins[size] == "preset agent"
    desk.project("preset: agent")
    assert desk.load().integer(size) == 1 << 30
    assert desk.load(OVERSPILL_PRESET="spec").integer(size) == 10485760
    assert load(str(desk.root), environ=desk.environ, flags={"preset": "spec"}).get("preset") == "spec"
    desk.project("preset: agent\ntools.truncation.max_artifact_size: 5MB")
    assert desk.load().integer(size) == 5 << 20


def test_a_preset_nobody_knows_is_an_error() -> None:
    with pytest.raises(ConfigError, match="expected one of spec, agent"):
        load(None, environ={}, preset="agnet")


def test_a_flag_is_for_this_call_whatever_the_files_say_about_the_tool(desk: Desk) -> None:
    desk.project("tools.truncation.overrides.bash: {inline_limit: 5000, strategy: head}")
    flags = {INLINE: "300", "tools.truncation.default_strategy": "line"}
    policy = load(str(desk.root), environ=desk.environ, flags=flags).for_tool("bash")
    assert (policy.integer("inline_limit"), policy.text("strategy"), policy.flag("automatic")) == (300, "line", False)
    assert desk.load().for_tool("bash").integer("inline_limit") == 5000


def test_a_flag_that_was_not_given_says_nothing() -> None:
    assert load(None, environ={}, flags={INLINE: None}).origins[INLINE] == "default"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            "tools:\n  truncation:\n    inline_limt: 5\n",
            3,
            ["tools.truncation.inline_limt", "'tools.truncation.inline_limit'"],
        ),
        ("inline_limit: 5", 1, ["'tools.truncation.inline_limit'"]),
        ("\ntools:\n  truncation:\n    inline_limit: many\n", 4, [INLINE, "whole number", "'many'"]),
        ("journal:\n\tkeep: 5\n", 2, ["spaces"]),
        ("journal: {keep: 5\n", 2, []),
        ("- preset\n", 1, ["name: value"]),
        ("spec\n", 1, ["name: value"]),
        ("journal: 5", 1, ["journal", "settings below it"]),
        ("journal: &x {keep: 5}\noutput: *x\n", 1, ["anchors"]),
        ("output: *x\n", 1, ["anchors"]),
        ("preset: !!python/object:os.system spec", 1, ["tags"]),
        ("preset: spec\npreset: agent\n", 2, ["twice", "line 1"]),
        ("journal.keep: 5\njournal:\n  keep: 6\n", 3, ["journal.keep", "twice", ":1"]),
        ("tools.truncation.overrides:\n  bash: {store: true}\n  Shell: {store: false}\n", 3, ["twice"]),
        ("? [preset]\n: spec\n", 1, ["key"]),
        ("preset: spec\n---\npreset: agent\n", 3, ["second document"]),
        ("preset: sepc", 1, ["spec, agent", "did you mean 'spec'"]),
        ("preset:", 1, ["spec, agent", "None"]),
        ("tools.truncation.overrides.bash.inline_limits: 3", 1, ["execute_command.inline_limits", "'inline_limit'"]),
        ("tools.truncation.overrides.bash.default_strategy: head", 1, ["'strategy'"]),
        ("tools.truncation.overrides.bash.artifacts.ttl: 1h", 1, ["one for all tools"]),
        ("tools.truncation.overrides: {bash: {line_trunc: {tail_lines: 5}}}", 1, ["'line_truncation'"]),
        ("tools.truncation.overrides: {bash: 5}", 1, ["settings below it"]),
        ("tools.truncation.overrides: {'*': {store: true}}", 1, ["name of a tool"]),
        ("tools.truncation.default_strategy: head-tail", 1, ["did you mean 'head_tail'"]),
        ("tools.truncation.overrides.bash.strategy: tial", 1, ["did you mean 'tail'"]),
        (
            "redaction.rules:\n- {name: a, type: KEY, pattern: x}\n- {name: b, type: KEY}\n",
            1,
            ["redaction.rules[1]", "pattern"],
        ),
        ("redaction.rules: [{name: a, type: key, pattern: x}]", 1, ["redaction.rules[0].type", "API_KEY"]),
        ("context.manifests: {two: {}}", 1, ["number of a phase"]),
        ("context.manifests: {2: {max_tokens: many}}", 1, ["context.manifests.2.max_tokens"]),
        ("stats.prices: 3", 1, ["stats.prices", "fresh"]),
        ("stats.prices: {cache_read: 0.3}", 1, ["stats.prices", "fresh"]),
        ("stats.prices: {fresh: 3, cached: 1}", 1, ["stats.prices", "cache_write"]),
        ("stats:\n  prices:\n    fresh: -1", 2, ["stats.prices.fresh", "from 0 on"]),
        ("stats.prices: {fresh: .nan}", 1, ["stats.prices.fresh"]),
        ("trust: [projects]", 1, ["trust[0]", "absolute"]),
        ("tools.truncation.artifacts.ttl: 1:30", 1, ["24h", "'1:30'"]),
        ("tools.truncation.inline_limit: 010", 1, ["'010'"]),
        ("a: \x01", 1, ["control character"]),
        ("x: " + "[" * 100_000, 1, ["levels deep"]),
        ("x: " + "{a: " * 100_000, 1, ["levels deep"]),
    ],
)
def test_a_mistake_is_named_with_file_line_key_and_the_way_out(
    desk: Desk, text: str, line: int, words: list[str]
) -> None:
    path = desk.project(text)
    with pytest.raises(ConfigError) as caught:
        desk.load()
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert all(word in message for word in words), message
    assert "\n" not in message
    assert len(message) < 700
    assert caught.value.exit_code == 8


def test_check_lists_every_mistake_and_load_says_how_many(desk: Desk) -> None:
    path = desk.project(
        "presett: spec\njournal: {keep: 0, kep: 1}\ntools.truncation.overrides: {bash: {a: 1}, ls: {b: 2}}\n"
    )
    with pytest.raises(ConfigError, match=r"and 4 more: `spill config check`"):
        desk.load()
    found = check_settings(str(desk.root), environ=desk.environ)
    assert [problem.split(": ")[0] for problem in found.problems] == [f"{path}:{line}" for line in (1, 2, 2, 3, 3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("redaction.rules: [{name: a, type: KEY, pattern: x, literal: y}]", "nothing else"),
        ("redaction.rules: [{name: A b, type: KEY, pattern: x}]", "small letters"),
        ("redaction.rules: [{name: a, type: _, pattern: x}]", "capitals"),
        ("redaction.rules: [{name: a, type: A, pattern: x}, {name: a, type: A, pattern: y}]", "already"),
        ("redaction.rules: [{name: a, type: KEY, pattern: '(x'}]", "no pattern"),
        ("redaction.rules: [{name: a, type: KEY, pattern: 'x*'}]", "hide everything"),
        ("redaction.off: [no-such-rule]", "no rule called"),
        ("redaction.allow: ['.*']", "matches anything"),
    ],
)
def test_what_redaction_refuses_the_check_refuses(text: str, words: str, desk: Desk) -> None:
    desk.user(text)
    with pytest.raises(ConfigError, match=words):
        redactor_with(desk.load(), desk.environ)
    (problem,) = check_settings(str(desk.root), environ=desk.environ).problems
    assert words in problem


def test_a_file_that_is_no_settings_file_is_refused_by_name(desk: Desk) -> None:
    path = Path(desk.project("preset: spec"))

    def refused(words: str) -> None:
        with pytest.raises(ConfigError, match=words) as caught:
            desk.load()
        assert str(path) in str(caught.value)
        assert str(path) in check_settings(str(desk.root), environ=desk.environ).problems[0]

    path.write_bytes(b"preset: \xff\n")
    refused("not UTF-8")
    path.write_bytes(b"# " + b"x" * 1_000_001)
    refused("larger than")
    path.unlink()
    os.mkfifo(path)
    refused("not a regular file")
    path.unlink()
    path.mkdir()
    refused("not a regular file")


def test_a_projects_file_may_not_be_a_link_and_the_users_may(desk: Desk) -> None:
    elsewhere = desk.home / "dotfiles.yml"
    elsewhere.write_text("tools.truncation.inline_limit: 77", encoding="utf-8")
    user = Path(desk.user(""))
    user.unlink()
    user.symlink_to(elsewhere)
    assert desk.load().integer(INLINE) == 77
    (desk.root / ".agent").mkdir()
    (desk.root / ".agent" / "config.yml").symlink_to(elsewhere)
    with pytest.raises(ConfigError, match="a link"):
        desk.load()
    (desk.root / ".agent" / "config.yml").unlink()
    (desk.root / ".agent").rmdir()
    (desk.root / ".agent").symlink_to(user.parent)
    with pytest.raises(ConfigError, match="a link"):
        desk.load()


def test_two_spellings_of_the_file_are_one_too_many(desk: Desk) -> None:
    desk.project("preset: spec")
    put_file(desk.root / ".agent" / "config.yaml", "preset: agent")
    with pytest.raises(ConfigError, match="keep one"):
        desk.load()
    (desk.root / ".agent" / "config.yml").unlink()
    assert desk.load().get("preset") == "agent"


def test_an_empty_file_and_sections_of_comments_say_nothing(desk: Desk) -> None:
    for text in (
        "",
        "# nothing\n",
        "---\n",
        "tools:\n  truncation:\n    # inline_limit: 1\njournal:\n",
        "\ufeffjournal:\n",
    ):
        desk.project(text)
        assert set(desk.load().origins.values()) == {"default"}


def test_a_named_file_stands_in_for_the_projects_and_is_the_users_own(desk: Desk, tmp_path: Path) -> None:
    desk.project("tools.truncation.inline_limit: 5")
    named = put_file(tmp_path / "mine.yml", "redaction.enabled: false\ntrust: [/srv]")
    found = load(str(desk.root), environ=desk.environ, config_file=named)
    assert (found.flag("redaction.enabled"), found.integer(INLINE)) == (False, 8000)
    assert found.names("trust") == ()
    assert "only the user's own file" in found.warnings[0]
    assert desk.load(OVERSPILL_CONFIG=named).flag("redaction.enabled") is False
    with pytest.raises(ConfigError, match="No such file"):
        load(None, environ={}, config_file=str(tmp_path / "gone.yml"))


def test_the_environment_says_everything_a_file_can(desk: Desk) -> None:
    found = desk.load(
        OVERSPILL_REDACTION__ALLOW="a, b",
        OVERSPILL_REDACTION__ENABLED="off",
        OVERSPILL_REDACTION__GENERIC="off",
        OVERSPILL_TOKENS__COUNTER="by-kind",
        OVERSPILL_TOOLS__TRUNCATION__HEAD_RATIO="0.7",
        OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__PREVIEW_CHARS="null",
        OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__SESSION_QUOTA="9GiB",
        OVERSPILL_TOOLS__TRUNCATION__OVERRIDES__BASH__LINE_TRUNCATION__TAIL_LINES="7",
        OVERSPILL_TOOLS__TRUNCATION__OVERRIDES__MCP__GIT__LOG__STORE="no",
        OVERSPILL_CONTEXT__MANIFESTS='{"2": {"max_tokens": 7}}',
        OVERSPILL_JOURNAL__KEEP="",
        OVERSPILL_ROOT="/",
    )
    assert found.names("redaction.allow") == ("a", "b")
    assert (found.flag("redaction.enabled"), found.text("redaction.generic")) == (False, "off")
    assert (found.text("tokens.counter"), found.for_tool("any").number("head_ratio")) == ("by-kind", 0.7)
    assert found.maybe_integer("tools.truncation.artifacts.preview_chars") is None
    assert found.integer(QUOTA) == 9 << 30
    assert found.tools == {"execute_command": {"line_truncation.tail_lines": 7}, "mcp__git__log": {"store": False}}
    assert found.get("context.manifests") == {2: {"max_tokens": 7}}
    assert (found.integer("journal.keep"), found.warnings) == (5, ())


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT", "0", "whole number from 1 on"),
        ("OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT", "8k", "whole number from 1 on"),
        ("OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMITS", "8", "did you mean 'tools.truncation.inline_limit'"),
        ("OVERSPILL_TOOLS__TRUNCATION__HEAD_RATIO", "1", "between 0 and 1"),
        ("OVERSPILL_REDACTION__ENABLED", "maybe", "true or false"),
        ("OVERSPILL_CONTEXT__MANIFESTS", "{", "manifests"),
        ("OVERSPILL_PRESET", "specs", "one of spec, agent"),
    ],
)
def test_a_wrong_variable_is_an_error_that_names_it(name: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        load(None, environ={name: value})
    assert f"environment {name}" in str(caught.value)


def test_a_variable_that_may_be_somebody_elses_is_only_mentioned() -> None:
    (warning,) = load(None, environ={"OVERSPILL_PRESETS": "spec", "OVERSPILL": "off"}).warnings
    assert "did you mean 'preset'" in warning


def test_registered_strategies_are_asked_for_only_when_needed() -> None:
    def names() -> list[str]:
        asked.append(1)
        return ["mine"]

    asked: list[int] = []
    assert from_mapping({"tools.truncation.default_strategy": "tail"}, strategies=names).warnings == ()
    assert asked == []
    assert (
        from_mapping({"tools.truncation.overrides.x.strategy": "mine"}, strategies=names).for_tool("x").text("strategy")
        == "mine"
    )
    with pytest.raises(ConfigError, match="did you mean 'mine'"):
        from_mapping({"tools.truncation.default_strategy": "mien"}, strategies=names)


def test_content_decides_in_the_agent_preset_until_somebody_chooses() -> None:
    assert from_mapping({}, "agent").for_tool("bash").flag("automatic") is True
    assert from_mapping({}, "spec").for_tool("bash").flag("automatic") is False
    for said in ({"tools.truncation.default_strategy": "head"}, {"tools.truncation.overrides.bash.strategy": "head"}):
        assert from_mapping(said, "agent").for_tool("bash").flag("automatic") is False


def test_nested_and_dotted_spellings_mix() -> None:
    ways = (
        {"tools": {"truncation": {"overrides": {"bash": {"line_truncation": {"tail_lines": 9}}}}}},
        {"tools.truncation.overrides.bash.line_truncation.tail_lines": 9},
        {"tools.truncation": {"overrides.bash": {"line_truncation.tail_lines": 9}}},
        {"tools": {"truncation.overrides": {"bash.line_truncation": {"tail_lines": 9}}}},
    )
    assert all(from_mapping(way).tools == {"execute_command": {"line_truncation.tail_lines": 9}} for way in ways)
    assert from_mapping({"tools.truncation.overrides": {"a.b": {"store": False}}}).tools == {"a.b": {"store": False}}


def test_settings_of_two_calls_share_nothing() -> None:
    load(None, environ={}).values[INLINE] = 1
    assert load(None, environ={}).integer(INLINE) == 8000


# `make check` fails when one of the ignored type errors below is none.
def test_asking_for_the_wrong_type_is_the_callers_mistake_and_a_type_error() -> None:
    found = from_mapping({})
    for ask in (found.integer, found.flag, found.names, found.maybe_integer):
        with pytest.raises(TypeError):
            ask("preset")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        found.text(INLINE)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        found.for_tool("any").number("inline_limit")  # type: ignore[arg-type]


def test_asking_for_a_path_that_there_is_not_is_a_type_error_too() -> None:
    found = from_mapping({})
    with pytest.raises(KeyError):
        found.get("tools.truncation.inline_limt")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        found.integer("tools.truncation.inline_limt")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        found.integer("inline_limit")  # type: ignore[arg-type]  # only a tool's values have it under this name
    with pytest.raises(KeyError):
        found.for_tool("any").integer(INLINE)  # type: ignore[arg-type]


def test_the_root_is_the_nearest_project_upwards(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b" / "c"
    below.mkdir(parents=True)
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")
    assert find_root(None, {}, str(below)) == str(tmp_path / "a")
    (tmp_path / "a" / "b" / ".agent").write_text("a file is no project", encoding="utf-8")
    assert find_root(None, {}, str(below)) == str(tmp_path / "a")
    (tmp_path / "a" / "b" / ".acode").mkdir()
    assert find_root(None, {}, str(below)) == str(tmp_path / "a" / "b")
    assert find_root(None, {"OVERSPILL_ROOT": str(tmp_path)}, str(below)) == str(tmp_path)
    assert find_root("..", {"OVERSPILL_ROOT": str(tmp_path)}, str(below)) == str(tmp_path / "a" / "b")


def test_a_link_marks_a_project_if_it_leads_somewhere(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / ".acode").mkdir()
    (tmp_path / "a" / ".git").symlink_to("nowhere")
    assert find_root(None, {}, str(below)) == str(tmp_path)
    (tmp_path / "a" / "nowhere").mkdir()
    assert find_root(None, {}, str(below)) == str(tmp_path / "a")


def test_a_directory_that_everybody_may_write_to_is_nobodys_project(tmp_path: Path) -> None:
    below = tmp_path / "shared" / "mine"
    below.mkdir(parents=True)
    (tmp_path / "shared" / ".agent").mkdir()
    assert find_root(None, {}, str(below)) == str(tmp_path / "shared")
    (tmp_path / "shared").chmod(0o1777)
    assert find_root(None, {}, str(below)) != str(tmp_path / "shared")


def test_a_root_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a directory"):
        find_root("nowhere", {}, str(tmp_path))


def test_init_writes_once_and_replaces_only_with_force(desk: Desk) -> None:
    path = write_initial(str(desk.root), initial_file("review"))
    assert path == str(desk.root / ".agent" / "config.yml")
    with pytest.raises(InputError, match="--force"):
        write_initial(str(desk.root), initial_file("simple"))
    assert desk.load().integer(INLINE) == 16_000
    write_initial(str(desk.root), initial_file("simple"), force=True)
    assert desk.load().integer(INLINE) == 4000
    assert os.listdir(desk.root / ".agent") == ["config.yml"]


def test_settings_that_cannot_be_written_leave_nothing_behind(shell: Shell) -> None:
    """NFR-007: neither a piece of a file nor a directory that would mark a project."""
    said = shell.line("ulimit -f 1; spill config init --json")
    assert said.status == 3
    assert "cannot write" in str(mapping(said.envelope["error"])["message"])
    assert not (shell.root / ".agent").exists()


def test_init_follows_no_link(desk: Desk) -> None:
    (desk.root / ".agent").symlink_to(desk.home)
    with pytest.raises(InputError, match="link"):
        write_initial(str(desk.root), initial_file())
    assert os.listdir(desk.home) == []


def test_path_and_check_say_which_files_count(desk: Desk) -> None:
    assert settings_places(str(desk.root), desk.environ).count("(not there)") == 2
    assert "no file, all defaults" in check_settings(str(desk.root), environ=desk.environ).text
    file = desk.project("redaction.enabled: false")
    assert settings_places(str(desk.root), desk.environ).startswith(f"{file}\n")
    found = check_settings(str(desk.root), environ=desk.environ)
    assert (found.problems, found.files, len(found.warnings)) == ((), (file,), 1)
    assert check_settings(str(desk.root), environ={**desk.environ, "OVERSPILL_PRESET": "x"}).problems


def test_records_name_every_setting_and_who_said_it(desk: Desk) -> None:
    file = desk.project("tools.truncation.overrides.bash.store: false")
    found = setting_records(desk.load())
    assert found[-1] == {"path": f"{OVERRIDES}.execute_command.store", "value": False, "origin": f"{file}:1"}
    assert len(found) == len(SETTINGS) + 1
