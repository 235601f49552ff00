"""`spill config show | check | init | path`: settings as text for people, as records for programs, to begin with."""

from __future__ import annotations

import os
from functools import partial

from overspill import cut
from overspill import settings as config
from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.cli.opening import open_workspace, root_of
from overspill.cli.output import note, print_answer
from overspill.errors import ConfigError, InputError, OverspillError, UsageError
from overspill.settings import files as config_file
from overspill.settings.table import BY_PATH, GIB, MIB, OVERRIDES, SETTINGS, TOOL_STRATEGIES, TOOLS
from overspill.workspace.policy import policy_of, redactor_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from overspill.cli.arguments import CommandCall


__all__ = [
    "SettingsCheck",
    "check_settings",
    "initial_file",
    "project_place",
    "setting_records",
    "settings_places",
    "settings_yaml",
    "write_initial",
]

ARTIFACTS = TOOLS + "artifacts."


class SettingsCheck(NamedTuple):
    """What is wrong with the settings, what is odd, and which files were looked at."""

    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def text(self) -> str:
        """One line each; without problems it says so."""
        lines = [*self.problems, *(f"warning: {warning}" for warning in self.warnings)]
        if not self.problems:
            lines.append(f"settings are valid ({', '.join(self.files) or 'no file, all defaults'})")
        return "\n".join(lines) + "\n"


def settings_yaml(settings: config.Settings, *, origin: bool = False) -> str:
    """Every setting in force, as YAML that loads to the same settings; with `origin` who said it."""
    lines = [_setting_line(path, settings.values[path], settings.origins[path], origin=origin) for path in BY_PATH]
    tools = {tool: own for tool, own in settings.tools.items() if tool != config.EVERY_TOOL}
    if tools:
        lines.append(f"{OVERRIDES}:")
    for tool, own in sorted(tools.items()):
        lines.append(f"  {yaml_text(tool)}:")
        for key, value in own.items():
            lines.append(
                "    " + _setting_line(key, value, settings.origins[f"{OVERRIDES}.{tool}.{key}"], origin=origin)
            )
    return "\n".join(lines) + "\n"


def _setting_line(path: str, value: object, said: str, *, origin: bool) -> str:
    line = f"{path}: {yaml_text(value)}"
    return f"{line:<56} # {said}" if origin else line


def setting_records(settings: config.Settings) -> list[dict[str, object]]:
    """Path, value and origin of every setting, for programs."""
    found: list[dict[str, object]] = [
        {"path": path, "value": settings.values[path], "origin": settings.origins[path]} for path in BY_PATH
    ]
    for tool, own in sorted(settings.tools.items()):
        for key, value in own.items():
            path = f"{OVERRIDES}.{tool}.{key}"
            if tool != config.EVERY_TOOL:
                found.append({"path": path, "value": value, "origin": settings.origins[path]})
    return found


def check_settings(
    root: str | None,
    *,
    environ: Mapping[str, str],
    config_file_named: str | None = None,
    strategies: config.Strategies | None = None,
) -> SettingsCheck:
    """Every problem of every file, not only the first; then what loading them together and redacting by them says."""
    named = config_file_named or environ.get(config.ENVIRONMENT_PREFIX + "CONFIG")
    try:
        user = config_file.user_file(environ)
        project = named or (config_file.project_file(root) if root else None)
    except ConfigError as error:
        return SettingsCheck((str(error),), (), ())
    problems = config_file.file_problems(user, follow=True) if user else ()
    problems += config_file.file_problems(project, follow=named is not None) if project else ()
    files = tuple(path for path in (project, user) if path)
    if problems:
        return SettingsCheck(problems, (), files)
    try:
        settings = config.load(root, environ=environ, config_file=config_file_named, strategies=strategies)
    except ConfigError as error:
        return SettingsCheck((str(error),), (), files)
    return SettingsCheck(tuple(later_mistakes(settings, environ)), settings.warnings, files)


def later_mistakes(settings: config.Settings, environ: Mapping[str, str]) -> Iterator[str]:
    """What would fail where a setting is used: rules, patterns, counters, fields and manifests."""
    from overspill.handoff.project import ContextRequest, manifest_for

    manifests = settings.get("context.manifests")
    uses: list[Callable[[], object]] = [
        lambda: redactor_with(settings, environ),
        *(partial(policy_of, settings, tool) for tool in ("", *settings.tools)),
        lambda: manifest_for(ContextRequest(0), settings),
        *(
            partial(manifest_for, ContextRequest(phase), settings)
            for phase in (manifests if isinstance(manifests, dict) else ())
        ),
    ]
    said: list[str] = []
    for use in uses:
        try:
            use()
        except OverspillError as error:
            said += [] if str(error) in said else [str(error)]
    yield from said


def project_place(root: str) -> str:
    """Where the project's settings file is, or belongs."""
    return config_file.project_file(root) or os.path.join(root, ".agent", "config.yml")


def settings_places(root: str, environ: Mapping[str, str]) -> str:
    """The files that are looked at, strongest first, and whether they are there."""
    found = [project_place(root), config_file.user_file(environ) or config_file.user_place(environ)]
    return "".join(f"{path}{'' if os.path.lexists(path) else ' (not there)'}\n" for path in found if path)


def write_initial(root: str, text: str, *, force: bool = False) -> str:
    """Write the project's settings file and give its path. An existing one stays unless `force` is given."""
    path = project_place(root)
    if os.path.lexists(path) and not force:
        raise InputError(f"{path} is already there; --force replaces it")
    folder = os.path.dirname(path)
    if os.path.islink(folder) or os.path.islink(path):
        raise InputError(f"{path} leads through a link, which is not followed")
    temporary = f"{path}.{os.urandom(6).hex()}.tmp"
    try:
        os.makedirs(folder, exist_ok=True)
        try:
            _write_new(temporary, text.encode())
            # A link never replaces a file that has appeared in the meantime; a rename would.
            (os.replace if force else os.link)(temporary, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            with suppress(OSError):  # where nothing came of it, an empty directory would mark a project
                os.rmdir(folder)
    except FileExistsError:
        raise InputError(f"{path} is already there; --force replaces it") from None
    except OSError as error:
        raise InputError(f"cannot write {path!r}: {(error.strerror or 'failed').lower()}") from None
    return path


def _write_new(path: str, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(handle)


def show(call: CommandCall) -> int:
    """The settings in force."""
    settings = open_workspace(call, forgiving=False).settings
    return print_answer(
        call, "settings", setting_records(settings), settings_yaml(settings, origin=call.flag("--origin"))
    )


def check(call: CommandCall) -> int:
    """What is wrong with the settings, all of it."""
    found = check_settings(
        root_of(call), environ=os.environ, config_file_named=call.text("--config"), strategies=cut.names
    )
    if found.problems:
        for problem in found.problems[:-1]:
            note(f"spill: {problem}")
        raise ConfigError(found.problems[-1])
    return print_answer(call, "settings", {"files": found.files, "warnings": found.warnings}, found.text)


def init(call: CommandCall) -> int:
    """Write a settings file to begin with."""
    path = write_initial(root_of(call), initial_file(call.text("--profile") or "default"), force=call.flag("--force"))
    return print_answer(call, "settings", {"path": path}, f"{path}\n")


def path(call: CommandCall) -> int:
    """Which files are read."""
    text = settings_places(root_of(call), os.environ)
    return print_answer(call, "settings", {"files": text.splitlines()}, text)


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
