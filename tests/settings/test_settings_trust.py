"""What a project may choose, and what only its user may."""

from pathlib import Path

import pytest

from config_desk import QUOTA, Desk, desk_in
from overspill import Overspill
from overspill.settings.table import BY_PATH


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_in(tmp_path)


def many_rules(count: int, begin: str = "emp") -> str:
    rules = [f"{{name: {begin}-{number}, type: BADGE, pattern: '{begin}{number}[a-z]+'}}" for number in range(count)]
    return f"redaction.rules: [{', '.join(rules)}]"


FORBIDDEN = [
    (many_rules(51), "redaction.rules"),
    ("redaction.enabled: false", "redaction.enabled"),
    ("redaction.allow: [AKIA.*]", "redaction.allow"),
    ("redaction.off: [jwt]", "redaction.off"),
    ("redaction.env: false", "redaction.env"),
    ("journal.enabled: false", "journal.enabled"),
    ("tools.truncation.artifacts.session_quota: 5GiB", QUOTA),
    ("tools.truncation.artifacts.machine_quota: 17GiB", "tools.truncation.artifacts.machine_quota"),
    ("tools.truncation.artifacts.rate_limit: 6001", "tools.truncation.artifacts.rate_limit"),
    ("tools.truncation.artifacts.retrieval_ceiling: 200001", "tools.truncation.artifacts.retrieval_ceiling"),
    ("tools.truncation.artifacts.disk_floor: 1", "tools.truncation.artifacts.disk_floor"),
    ("tools.truncation.artifacts.store: s3://somebody-elses", "tools.truncation.artifacts.store"),
    ("tools.truncation.artifacts.encrypt: env:THEIR_KEY", "tools.truncation.artifacts.encrypt"),
    ("tools.truncation.artifacts.storage_path: ../out", "tools.truncation.artifacts.storage_path"),
    ("tools.truncation.artifacts.storage_path: /tmp/out", "tools.truncation.artifacts.storage_path"),
    ("tools.truncation.artifacts.storage_path: ~/out", "tools.truncation.artifacts.storage_path"),
    ("tools.truncation.max_artifact_size: 1073741825", "tools.truncation.max_artifact_size"),
    ("tools.truncation.structured_max: 513MB", "tools.truncation.structured_max"),
]


@pytest.mark.parametrize(("text", "path"), FORBIDDEN)
def test_a_project_is_not_followed_where_it_weakens_the_users_safety(desk: Desk, text: str, path: str) -> None:
    file = desk.project(text)
    found = desk.load()
    assert found.values[path] == BY_PATH[path].default
    assert found.origins[path] == "default"
    (warning,) = found.warnings
    assert warning.startswith(f"{file}:1: {path} is ignored: ")
    assert str(desk.root) in warning
    assert "`trust`" in warning
    desk.user(f"trust: [{desk.root}]")
    trusted = desk.load()
    assert trusted.values[path] != BY_PATH[path].default
    assert trusted.warnings == ()


@pytest.mark.parametrize(
    "text", ["tools.truncation.inline_limit: {}", "tools.truncation.overrides.execute_command.inline_limit: {}"]
)
def test_a_project_does_not_flood_the_model_and_its_user_may(desk: Desk, text: str) -> None:
    """A planted file: all of three megabytes would be shown."""
    output = "".join(f"line {number}\n" for number in range(250_000))
    desk.project(text.format(999_999_999) + "\ntools.truncation.default_strategy: none")
    found = desk.load()
    assert "a project may not show more than 200,000 characters of a result" in " ".join(found.warnings)
    assert len(Overspill(found, root=str(desk.root)).fit(output, tool="execute_command").text) <= 8_000
    desk.project(text.format(200_000))
    allowed = Overspill(desk.load(), root=str(desk.root))
    assert allowed.fit(output[:200_000], tool="execute_command").text == output[:200_000]
    assert len(allowed.fit(output, tool="execute_command").text) <= 200_000
    desk.user(f"trust: [{desk.root}]")
    desk.project(text.format(999_999_999))
    assert Overspill(desk.load(), root=str(desk.root)).fit(output, tool="execute_command").text == output


def test_a_project_may_add_fifty_rules_and_its_user_more(desk: Desk) -> None:
    desk.project(many_rules(50))
    desk.user(many_rules(60, "own"))
    found = desk.load()
    assert found.warnings == ()
    rules = found.values["redaction.rules"]
    assert isinstance(rules, tuple)
    assert len(rules) == 110


def test_a_project_may_not_trust_itself(desk: Desk) -> None:
    desk.project(f"trust: [{desk.root}]\nredaction.enabled: false")
    found = desk.load(OVERSPILL_TRUST=str(desk.root))
    assert found.flag("redaction.enabled") is True
    assert len(found.warnings) == 3


def test_prices_are_the_users_own(desk: Desk) -> None:
    """What money a project costs is no project's to say, also where it is trusted, and no variable's."""
    desk.user("stats.prices: {fresh: 3, cache_read: 0.3}")
    file = desk.project("stats:\n  prices: {fresh: 1}")
    found = desk.load(OVERSPILL_STATS__PRICES='{"fresh": 2}')
    assert found.get("stats.prices") == {"fresh": 3.0, "cache_read": 0.3}
    assert sorted(found.warnings) == [
        f"{file}:2: stats.prices is ignored: only the user's own file can say it",
        "environment OVERSPILL_STATS__PRICES: stats.prices is ignored: only the user's own file can say it",
    ]
    desk.user(f"trust: [{desk.root}]")
    assert desk.load().get("stats.prices") == {}


def test_trust_follows_links_and_the_home_sign(desk: Desk) -> None:
    desk.project("redaction.enabled: false")
    (desk.home / "work").symlink_to(desk.root)
    desk.user("trust: [~/work]")
    assert desk.load().flag("redaction.enabled") is False
    desk.user("trust: [~/]")
    assert desk.load().flag("redaction.enabled") is True


def test_a_project_may_tighten_and_the_users_value_is_the_bar(desk: Desk) -> None:
    desk.user("tools.truncation.artifacts.session_quota: 2GiB\nredaction.generic: near_keyword")
    desk.project("tools.truncation.artifacts.session_quota: 1GiB\nredaction.generic: all")
    found = desk.load()
    assert (found.integer(QUOTA), found.text("redaction.generic"), found.warnings) == (1 << 30, "all", ())
    desk.project("tools.truncation.artifacts.session_quota: 3GiB\nredaction.generic: off")
    found = desk.load()
    assert (found.integer(QUOTA), found.text("redaction.generic")) == (2 << 30, "near_keyword")
    assert len(found.warnings) == 2


def test_a_projects_override_of_a_tool_is_held_to_the_same_bar(desk: Desk) -> None:
    desk.project("tools.truncation.overrides.bash: {max_artifact_size: 2GiB, structured_max: 1GiB, inline_limit: 70}")
    found = desk.load()
    assert found.tools == {"execute_command": {"inline_limit": 70}}
    assert len(found.warnings) == 2


def test_rules_of_the_project_are_added_to_the_users(desk: Desk) -> None:
    desk.user("redaction.rules: [{name: a, type: A, pattern: a}]")
    desk.project("redaction.rules: [{name: b, type: B, pattern: b}]")
    rules = desk.load().get("redaction.rules")
    assert isinstance(rules, tuple)
    assert [rule["name"] for rule in rules] == ["a", "b"]


def test_manifests_of_two_files_are_joined_by_phase(desk: Desk) -> None:
    desk.user("context.manifests: {2: {max_tokens: 100}, 3: {max_tokens: 5}}")
    desk.project("context:\n  manifests:\n    2: {handoff_fields: [goal], narrative_cap: 0}\n")
    expected = {2: {"handoff_fields": ("goal",), "narrative_cap": 0}, 3: {"max_tokens": 5}}
    assert desk.load().get("context.manifests") == expected
