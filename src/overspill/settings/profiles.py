"""Settings to begin with: the specification's best practices as profiles for `spill config init`."""

from __future__ import annotations

from overspill._lite import NamedTuple
from overspill.errors import UsageError
from overspill.settings.table import BY_PATH, GIB, MIB, OVERRIDES, SETTINGS, TOOL_STRATEGIES, TOOLS

ARTIFACTS = TOOLS + "artifacts."


class Profile(NamedTuple):
    """For whom it is, and what it sets; `tools` is said for single tools."""

    doc: str
    values: dict[str, object]
    tools: dict[str, dict[str, object]]


PROFILES = {
    "default": Profile("Nothing set: every line shows the default.", {}, {}),
    "small-window": Profile(
        "For models with a window of 4,000 to 8,000 tokens.",
        {TOOLS + "inline_limit": 4000, TOOLS + "artifact_threshold": 20_000},
        {},
    ),
    "large-window": Profile(
        "For models with a window of 128,000 tokens and more.",
        {TOOLS + "inline_limit": 16_000, TOOLS + "artifact_threshold": 100_000},
        {},
    ),
    "review": Profile("For code review: more of each file in view.", {TOOLS + "inline_limit": 16_000}, {}),
    "simple": Profile("For simple work on files: short views.", {TOOLS + "inline_limit": 4000}, {}),
    "logs": Profile(
        "For commands and logs: the end is where the errors and the outcome are.",
        {TOOLS + "default_strategy": "tail"},
        {"execute_command": {"strategy": "tail"}},
    ),
    "code": Profile(
        "For source code and configuration: both ends, imports and main.",
        {TOOLS + "default_strategy": "head_tail"},
        {"read_file": {"strategy": "head_tail"}, "git_diff": {"strategy": "head_tail"}},
    ),
    "data": Profile(
        "For JSON, interfaces and search results: whole elements, valid documents.",
        {TOOLS + "default_strategy": "element", ARTIFACTS + "enable_partial_retrieval": True},
        {"http_request": {"strategy": "element"}, "search_files": {"strategy": "element"}},
    ),
    "mixed": Profile(
        "For mixed content, or when unsure: content decides, at some more work.",
        {TOOLS + "smart_truncation.enabled": True},
        {},
    ),
    "large-artifacts": Profile(
        "For artifacts of many megabytes: compressed, fetched in parts, gone with the session.",
        {
            ARTIFACTS + "compress_large": True,
            ARTIFACTS + "enable_partial_retrieval": True,
            ARTIFACTS + "cleanup_on_exit": True,
        },
        {},
    ),
    "sensitive": Profile(
        "For work near secrets: stricter redaction, nothing of commands is kept, little metadata.",
        {
            "redaction.generic": "near_keyword",
            TOOLS + "metadata.detail": "minimal",
            ARTIFACTS + "cleanup_on_exit": True,
        },
        {"execute_command": {"store": False}},
    ),
    "shared": Profile(
        "For machines several people use: small artifacts and quotas, cleaned up at the end.",
        {
            TOOLS + "max_artifact_size": 10 * MIB,
            ARTIFACTS + "cleanup_on_exit": True,
            ARTIFACTS + "session_quota": GIB,
            ARTIFACTS + "machine_quota": 4 * GIB,
            ARTIFACTS + "rate_limit": 600,
        },
        {},
    ),
}

HEAD = """\
# Settings of Overspill: {doc}
# Lines that begin with a hash show the default. `spill config show --origin` says what is in force and why,
# `spill config check` what is wrong. `spill stats` shows how often results are cut and artifacts are made.
"""


def initial_file(profile: str = "default") -> str:
    """A settings file to begin with: what the profile sets, and every other setting as a comment."""
    if profile not in PROFILES:
        from difflib import get_close_matches

        near = get_close_matches(profile, PROFILES, 1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"no profile {profile[:40]!r}{guess} Profiles: {', '.join(PROFILES)}")
    chosen = PROFILES[profile]
    lines: list[str] = []
    sections: list[str] = []
    for row in SETTINGS:
        if row.project == "user":  # has no effect in the file of a project
            continue
        *above, name = row.path.split(".")
        _enter(sections, above, lines)
        indent = "  " * len(above)
        said = row.path in chosen.values
        value = yaml_text(chosen.values[row.path] if said else row.default)
        lines += [f"{indent}# {row.doc}", f"{indent}{'' if said else '# '}{name}: {value}"]
    return HEAD.format(doc=chosen.doc) + "\n".join([*lines, *_overrides(chosen)]) + "\n"


def _enter(sections: list[str], above: list[str], lines: list[str]) -> None:
    """Write the headings that lead from one section to the next."""
    if sections == above:
        return
    shared = 0
    while shared < min(len(sections), len(above)) and sections[shared] == above[shared]:
        shared += 1
    if not shared:
        lines.append("")
    lines.extend(f"{'  ' * level}{above[level]}:" for level in range(shared, len(above)))
    sections[:] = above


def _overrides(profile: Profile) -> list[str]:
    depth = OVERRIDES.count(".")
    indent = "  " * depth
    lines = [f"{indent}# Any of these for one tool alone, and `strategy` and `store`.", f"{indent}overrides:"]
    for tool, strategy in {**TOOL_STRATEGIES, "http_request": BY_PATH[TOOLS + "default_strategy"].default}.items():
        own = profile.tools.get(tool)
        mark = "" if own else "# "
        lines.append(f"{indent}  {mark}{tool}:")
        lines.extend(
            f"{indent}  {mark}  {key}: {yaml_text(value)}" for key, value in (own or {"strategy": strategy}).items()
        )
    return lines


def yaml_text(value: object) -> str:
    """A value as YAML that reads back as the same value.

    >>> [yaml_text(value) for value in (True, None, 0.6, "tail", "off", ("a b",))]
    ['true', 'null', '0.6', 'tail', '"off"', '["a b"]']
    """
    import json

    bare = isinstance(value, str) and value.isascii() and value.replace("_", "a").replace("-", "a").isalnum()
    if (
        bare
        and str(value)[0].isalpha()
        and str(value).lower() not in {"on", "off", "yes", "no", "true", "false", "null"}
    ):
        return str(value)
    return json.dumps(value, ensure_ascii=False)
