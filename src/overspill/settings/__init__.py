"""Files, environment and flags -> the settings in force, and where each of them was said.

Flags win over `OVERSPILL_*` variables, these over the project's `.agent/config.yml`, that over the
user's file, that over the preset. Everything is checked before anything is used. The journal, the store and all
that comes after them may import this package; it stands on `files`.

>>> settings = from_mapping({"tools.truncation": {"inline_limit": 4000, "overrides": {"bash": {"store": False}}}})
>>> settings.integer("tools.truncation.inline_limit"), settings.origins["tools.truncation.inline_limit"]
(4000, 'config')
>>> policy = settings.for_tool("Bash")
>>> policy.text("strategy"), policy.flag("store"), policy.integer("inline_limit")
('tail', False, 4000)
"""

from __future__ import annotations

from _collections_abc import Callable, Iterable, Mapping

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import ConfigError
from overspill.settings.checks import Wrong
from overspill.settings.table import (
    BY_PATH,
    OVERRIDES,
    PER_TOOL,
    PRESETS,
    STRATEGIES,
    TOOL_PATHS,
    TOOL_STRATEGIES,
    TOOLS,
    Setting,
    defaults,
    tool_name,
)

if TYPE_CHECKING:
    from typing import TypeVar

    # Made from the table: the paths there are, so that a misspelt one, or one of another type, is a type error.
    from overspill.settings.paths import (
        FlagPath,
        IntegerPath,
        MaybeIntegerPath,
        NamesPath,
        SettingPath,
        TextPath,
        ToolFlagPath,
        ToolIntegerPath,
        ToolMaybeIntegerPath,
        ToolNumberPath,
        ToolTextPath,
    )

    Kind = TypeVar("Kind")

ENVIRONMENT_PREFIX = "OVERSPILL_"
NOT_SETTINGS = ("ROOT", "SESSION", "TENANT", "CONFIG", "DEBUG", "MCP_TOKEN", "RUN_ID")
EVERY_TOOL = "*"  # what a flag says is for this call, whatever the files say about the tool
DEFAULT_STRATEGY = TOOLS + "default_strategy"
INLINE, THRESHOLD = "inline_limit", "artifact_threshold"

Strategies = Callable[[], Iterable[str]]


class Values(dict[str, object]):
    """Values by their path."""

    def of_type(self, kind: type[Kind], path: str) -> Kind:
        value = self[path]
        if isinstance(value, kind):
            return value
        raise TypeError(f"{path} is not of type {kind.__name__}")


class ToolValues(Values):
    """What holds for one tool, and one way to ask for each type."""

    def integer(self, path: ToolIntegerPath) -> int:
        return self.of_type(int, path)

    def maybe_integer(self, path: ToolMaybeIntegerPath) -> int | None:
        return None if self[path] is None else self.of_type(int, path)

    def number(self, path: ToolNumberPath) -> float:
        return self.of_type(float, path)

    def text(self, path: ToolTextPath) -> str:
        return self.of_type(str, path)

    def flag(self, path: ToolFlagPath) -> bool:
        return self.of_type(bool, path)


class Settings(NamedTuple):
    """The settings in force. `tools` holds what was said for single tools, by their paths there."""

    values: Values
    tools: Mapping[str, Mapping[str, object]]
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()  # what was wrong and is left out, where going on is better than stopping

    def get(self, path: SettingPath) -> object:
        """The value of one setting."""
        return self.values[path]

    def integer(self, path: IntegerPath) -> int:
        return self.values.of_type(int, path)

    def maybe_integer(self, path: MaybeIntegerPath) -> int | None:
        return None if self.values[path] is None else self.values.of_type(int, path)

    def text(self, path: TextPath) -> str:
        return self.values.of_type(str, path)

    def flag(self, path: FlagPath) -> bool:
        return self.values.of_type(bool, path)

    def names(self, path: NamesPath) -> tuple[str, ...]:
        return self.values.of_type(tuple, path)

    def for_tool(self, tool: str) -> ToolValues:
        """What holds for one tool: paths as below `tools.truncation`, and three more.

        `strategy` is the tool's; `automatic` is true where nobody chose it and content may decide;
        `store` says whether the tool's results may be kept.
        """
        name = tool_name(tool)
        found = ToolValues({short: self.values[path] for short, path in TOOL_PATHS})
        found["store"] = True
        found["strategy"] = None
        found.update(self.tools.get(name, {}))
        found.update(self.tools.get(EVERY_TOOL, {}))
        said = self.origins.get(DEFAULT_STRATEGY, "default") != "default"
        found["automatic"] = found["strategy"] is None and not said and found.flag("smart_truncation.enabled")
        if found["strategy"] is None:
            default = found.text("default_strategy")
            # `none` switches cutting off, for the tools that have a strategy of their own too.
            found["strategy"] = default if said and default == "none" else TOOL_STRATEGIES.get(name, default)
        found[THRESHOLD] = max(found.integer("artifact_threshold"), found.integer("inline_limit"))
        return found


class SourcedSetting(NamedTuple):
    """One setting as somebody said it."""

    tool: str
    key: str
    value: object
    origin: str

    @property
    def path(self) -> str:
        return f"{OVERRIDES}.{self.tool}.{self.key}" if self.tool else self.key


def load(
    root: str | None,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    preset: str = "spec",
    config_file: str | None = None,
    strategies: Strategies | None = None,
    forgiving: bool = False,
) -> Settings:
    """The settings for work below `root`. A wrong setting anywhere raises `ConfigError`, and nothing is used.

    With `forgiving` it is told in `mistakes` instead, and its last good value, or the default, is used: for those
    whose input would be lost. `config_file` stands in for the project's file and counts as the user's own.
    `strategies` names the registered ones, and is called only if a name is not one of ours.
    """
    from overspill.settings import files  # here, so that from_mapping touches no file

    warnings: list[str] = []
    mistakes: list[str] | None = [] if forgiving else None
    named = config_file or environ.get(ENVIRONMENT_PREFIX + "CONFIG")
    user_path = _noted(mistakes, lambda: files.user_file(environ))
    project_path = named or (_noted(mistakes, lambda: files.project_file(root)) if root else None)
    user: list[SourcedSetting] = []
    project: list[SourcedSetting] = []
    if user_path or project_path:
        cache = files.cache_place(environ, root)
        user = _from_file(user_path, cache, mistakes, follow=True)
        # A file that somebody names and that is not there is a mistake of the command line.
        missing = config_file is not None and not files.is_there(config_file)
        project = _from_file(project_path, cache, None if missing else mistakes, follow=named is not None)
    environment = _from_environment(environ, warnings, mistakes)
    given = _from_flags(flags) if flags else []
    preset = _preset(preset, user, project, environment, given)
    if project and not named and root:
        project = _allowed_settings(project, preset, user, root, environ, warnings)
    elif project:
        project = [said for said in project if not _is_users(said, warnings)]
    settings = _merged_settings(preset, [*user, *project, *environment, *given], warnings)
    _check_strategies(settings, strategies, mistakes)
    return settings._replace(mistakes=tuple(mistakes or ()))


def _noted(mistakes: list[str] | None, work: Callable[[], Kind]) -> Kind | None:
    """What the work gives; where mistakes are noted, None if there is one in it."""
    try:
        return work()
    except ConfigError as error:
        if mistakes is None:
            raise
        mistakes.append(f"{error}; it is left out")
        return None


def from_mapping(mapping: Mapping[str, object], preset: str = "spec", strategies: Strategies | None = None) -> Settings:
    """The settings a Python mapping says, nested or with dots. No file and no variable is looked at."""
    from overspill.settings.yaml_file import Unreadable, collect
    from overspill.settings.yaml_file import tree_of as tree_of

    try:
        collected = collect(tree_of(mapping), lambda _: "config")
    except Unreadable as error:
        raise ConfigError(f"config: {error.problem}") from None
    if collected.problems:
        raise ConfigError(collected.problems[0])
    said = [SourcedSetting(entry.tool, entry.key, entry.value, "config") for entry in collected.entries]
    settings = _merged_settings(_preset(preset, said), said, [])
    _check_strategies(settings, strategies)
    return settings


def _preset(preset: str, *layers: list[SourcedSetting]) -> str:
    for layer in layers:
        for said in layer:
            if said.key == "preset":
                preset = str(said.value)
    if preset not in PRESETS:
        raise ConfigError(f"preset: expected one of {', '.join(PRESETS)}, got {preset[:40]!r}")
    return preset


def _from_file(
    path: str | None, cache: str | None, mistakes: list[str] | None, *, follow: bool
) -> list[SourcedSetting]:
    if path is None:
        return []
    from overspill.settings.files import read_settings, read_what_is_good

    try:
        entries = read_settings(path, cache, follow=follow)
    except ConfigError:
        if mistakes is None:
            raise
        entries = read_what_is_good(path, cache, mistakes, follow=follow)
    return [SourcedSetting(tool, key, value, f"{path}:{line}") for tool, key, value, line in entries]


def _from_environment(
    environ: Mapping[str, str], warnings: list[str], mistakes: list[str] | None
) -> list[SourcedSetting]:
    found: list[SourcedSetting] = []
    for name, text in environ.items():
        # An empty variable is the usual way to say nothing.
        if not name.startswith(ENVIRONMENT_PREFIX) or not text or name[len(ENVIRONMENT_PREFIX) :] in NOT_SETTINGS:
            continue
        said = _noted(
            mistakes,
            lambda: _variable_setting(name, text, warnings),  # noqa: B023  # called at once
        )
        if said is not None and not _is_users(said, warnings):
            found.append(said)
    return found


def _variable_setting(name: str, text: str, warnings: list[str]) -> SourcedSetting | None:
    address = _setting_address(name[len(ENVIRONMENT_PREFIX) :].lower())
    if address is None:
        _unknown_variable(name, warnings)
        return None
    tool, key, row = address
    return SourcedSetting(tool, key, _checked_value(row, text, f"environment {name}", key), f"environment {name}")


def _setting_address(name: str) -> tuple[str, str, Setting] | None:
    """Tool, key and row of a variable's lower-case name without its prefix.

    >>> _setting_address("tools__truncation__overrides__mcp__git__log__store")[:2]
    ('mcp__git__log', 'store')
    """
    path = name.replace("__", ".")
    if path in BY_PATH:
        return "", path, BY_PATH[path]
    if not path.startswith(OVERRIDES + "."):
        return None
    parts = path[len(OVERRIDES) + 1 :].split(".")
    for at in range(1, len(parts)):
        key = ".".join(parts[at:])
        if key in PER_TOOL:
            return tool_name("__".join(parts[:at])), key, PER_TOOL[key]
    return None


def _unknown_variable(name: str, warnings: list[str]) -> None:
    from overspill.settings.yaml_file import unknown_key

    sentence = f"environment {name[:200]}: {unknown_key(name[len(ENVIRONMENT_PREFIX) :].lower().replace('__', '.'))}"
    # With two underscores it can only be meant as a setting; without, it may be another program's.
    if "__" in name:
        raise ConfigError(sentence)
    warnings.append(sentence)


def _from_flags(flags: Mapping[str, object]) -> list[SourcedSetting]:
    found: list[SourcedSetting] = []
    for path, value in flags.items():
        if value is None:
            continue
        address = _setting_address(path)
        if address is None:
            from overspill.settings.yaml_file import unknown_key

            raise ConfigError(f"flag: {unknown_key(path)}")
        tool, key, row = address
        found.append(SourcedSetting(tool, key, _checked_value(row, value, "flag", path), "flag"))
        short = "strategy" if path == DEFAULT_STRATEGY else path.removeprefix(TOOLS)
        if not tool and path.startswith(TOOLS) and short in PER_TOOL:
            found.append(SourcedSetting(EVERY_TOOL, short, found[-1].value, "flag"))
    return found


def _checked_value(row: Setting, value: object, origin: str, path: str) -> object:
    try:
        return row.check.read(row.check.from_text(value) if isinstance(value, str) else value)
    except Wrong as wrong:
        got = "" if wrong.hidden else f", got {str(value)[:40]!r}"
        raise ConfigError(f"{origin}: {path}{wrong.at}: expected {wrong.expected}{got}") from None


def _is_users(said: SourcedSetting, warnings: list[str]) -> bool:
    """Whether this can be said in the user's own file only; then it is left out here, with a warning."""
    if not _is_users_alone(said):
        return False
    if said.value:
        warnings.append(f"{said.origin}: {said.key} is ignored: only the user's own file can say it")
    return True


def _is_users_alone(said: SourcedSetting) -> bool:
    return not said.tool and BY_PATH[said.key].project == "user"


def _allowed_settings(
    project: list[SourcedSetting],
    preset: str,
    user: list[SourcedSetting],
    root: str,
    environ: Mapping[str, str],
    warnings: list[str],
) -> list[SourcedSetting]:
    """What a project's file may say; the rest goes into the warnings, with the way to allow it."""
    from overspill.settings.files import is_trusted, objection, user_place

    before = _merged_settings(preset, user, [])
    if is_trusted(root, before.values["trust"], environ):
        return [said for said in project if not _is_users(said, warnings)]
    kept: list[SourcedSetting] = []
    for said in project:
        reason = objection(said.tool, said.key, said.value, root, before.values, before.tools)
        if reason is None:
            kept.append(said)
        else:
            way = f"; to allow it, list {root} under `trust` in {user_place(environ) or 'the user file'}"
            warnings.append(f"{said.origin}: {said.path} is ignored: {reason}{'' if _is_users_alone(said) else way}")
    return kept


def _merged_settings(preset: str, layers: Iterable[SourcedSetting], warnings: list[str]) -> Settings:
    """Defaults, and over them what was said, the last word last."""
    values = Values(defaults(preset))
    origins = dict.fromkeys(values, "default")
    if preset != "spec":
        plain = defaults("spec")
        origins.update(
            (path, f"preset {preset}") for path in values if path != "preset" and values[path] != plain[path]
        )
    tools: dict[str, dict[str, object]] = {}
    for said in layers:
        if said.tool:
            tools.setdefault(said.tool, {})[said.key] = said.value
        else:
            before = values[said.key]
            values[said.key] = _extended_list(before, said.value) if BY_PATH[said.key].joined else said.value
            if isinstance(before, dict) and isinstance(said.value, dict):
                values[said.key] = {**before, **said.value}
        origins[said.path] = said.origin
    values["preset"] = preset
    settings = Settings(values, tools, origins, ())
    _raise_thresholds(settings, warnings)
    return settings._replace(warnings=tuple(warnings))


def _extended_list(before: object, more: object) -> object:
    if not isinstance(before, tuple) or not isinstance(more, tuple):
        return more
    return before + tuple(item for item in more if item not in before)


def _raise_thresholds(settings: Settings, warnings: list[str]) -> None:
    """What fits inline is never shown by reference, so a lower threshold has no meaning."""
    inline = settings.integer("tools.truncation.inline_limit")
    threshold = settings.integer("tools.truncation.artifact_threshold")
    if threshold < inline:
        warnings.append(f"{TOOLS}{THRESHOLD} ({threshold}) is below {INLINE} ({inline}), so {inline} is used")
        settings.values[TOOLS + THRESHOLD] = threshold = inline
    general = {INLINE: inline, THRESHOLD: threshold}
    for tool, own in settings.tools.items():
        if tool == EVERY_TOOL or not {INLINE, THRESHOLD} & own.keys():
            continue
        merged = ToolValues({**general, **own})
        inline, threshold = merged.integer("inline_limit"), merged.integer("artifact_threshold")
        if threshold < inline:
            place = f"{OVERRIDES}.{tool}.{THRESHOLD}"
            warnings.append(f"{place} ({threshold}) is below {INLINE} ({inline}), so {inline} is used")


def _check_strategies(settings: Settings, strategies: Strategies | None, mistakes: list[str] | None = None) -> None:
    places: list[tuple[str, str, dict[str, object]]] = [(DEFAULT_STRATEGY, DEFAULT_STRATEGY, settings.values)]
    for tool, own in settings.tools.items():
        if tool != EVERY_TOOL and "strategy" in own and isinstance(own, dict):
            places.append((f"{OVERRIDES}.{tool}.strategy", "strategy", own))
    for path, key, values in places:
        name = values[key]
        if name in STRATEGIES:
            continue
        known = tuple(dict.fromkeys((*STRATEGIES, *(strategies() if strategies else ()))))
        if name not in known:
            from overspill.settings.yaml_file import unknown_strategy

            sentence = f"{settings.origins[path]}: {path}: {unknown_strategy(str(name), known)}"
            if mistakes is None:
                raise ConfigError(sentence)
            mistakes.append(f"{sentence}; the default is in force")
            values[key] = BY_PATH[path].default if path in BY_PATH else None
