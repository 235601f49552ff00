"""What the settings allow and ask for: the policy of a tool, budgets, the redactor, and a page of a list.

A tool may say how its own results are shown (`ToolRules`): by the decorator of its function, or under `x-overspill` in
its schema or metadata. That stands above the defaults and below whatever the user says.

The redactor has rules, exceptions, and the secrets of the environment. What a caller hands in is checked here.
"""

from __future__ import annotations

import os

from overspill import cut
from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import CHARS_PER_TOKEN, counter
from overspill.core.budget import AS_OF, Budget, ModelWindow, Policy, share_tokens, window_of
from overspill.core.markers import MarkForms
from overspill.core.report import Detail
from overspill.core.spans import Options
from overspill.errors import ConfigError, UsageError
from overspill.redact import database, secrets_of
from overspill.settings import DEFAULT_STRATEGY, EVERY_TOOL, Settings, ToolValues, Values, from_mapping, load
from overspill.settings.table import tool_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from overspill.lists import Page, Query
    from overspill.redact import Redactor
    from overspill.settings.paths import IntegerPath


RULES_KEY = "x-overspill"  # where a tool's schema or metadata says how its results are shown
_PLACES = ("_meta", "inputSchema", "outputSchema")
_INLINE_LIMIT = "inline_limit"

SIZES: tuple[IntegerPath, ...] = (
    "output.list",
    "output.session",
    "output.find",
    "output.log",
    "output.archive",
    "output.artifacts",
    "output.default",
)


class ToolRules(NamedTuple):
    """What a tool says of its own results. Left out, the settings decide."""

    strategy: str = ""
    limit: Budget | int | None = None
    focus: str = ""


def rules_said(tool: Mapping[str, object]) -> Mapping[str, object] | None:
    """What a tool, a schema or metadata says for us, as it stands there; None if that is nothing."""
    places = [tool, *(tool.get(place) for place in _PLACES)]
    for place in places:
        said = place.get(RULES_KEY) if isinstance(place, dict) else None
        if isinstance(said, dict):
            return said
    return None


def rules_in(tool: Mapping[str, object]) -> ToolRules | None:
    """The rules in a tool, a schema or metadata. What cannot be one is passed over: it comes from strangers.

    >>> rules_in({"inputSchema": {"x-overspill": {"strategy": "tail", "limit": 4000, "colour": "red"}}})
    ToolRules(strategy='tail', limit=4000, focus='')
    """
    said = rules_said(tool)
    if said is None:
        return None
    strategy, limit, focus = said.get("strategy"), said.get("limit"), said.get("focus")
    return ToolRules(
        strategy if isinstance(strategy, str) and strategy in cut.names() else "",
        limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None,
        focus if isinstance(focus, str) else "",
    )


def granted_rules(settings: Settings, tool: str, rules: ToolRules) -> ToolRules:
    """What is left of a tool's rules where the user has said nothing else, of this tool or of all of them."""
    own = {**settings.tools.get(tool_name(tool), {}), **settings.tools.get(EVERY_TOOL, {})}
    if _INLINE_LIMIT in own or _is_said(settings, f"tools.truncation.{_INLINE_LIMIT}"):
        rules = rules._replace(limit=None)
    if own.get("strategy") is not None or _is_said(settings, DEFAULT_STRATEGY):
        rules = rules._replace(strategy="")
    return rules


def _is_said(settings: Settings, path: str) -> bool:
    """Whether somebody chose the value of a setting, and not only a preset."""
    origin = settings.origins.get(path, "default")
    return origin != "default" and not origin.startswith("preset ")


def with_rules(policy: Policy, settings: Settings, tool: str, rules: ToolRules) -> Policy:
    """A policy with what a tool asks for: never more room than what a model may fetch at once."""
    rules = granted_rules(settings, tool, rules)
    if isinstance(rules.limit, int):
        most = max(settings.integer("tools.truncation.artifacts.retrieval_limit"), policy.inline.chars or 0)
        policy = policy._replace(inline=policy.inline._replace(chars=min(rules.limit, most)))
    if rules.strategy:
        policy = policy._replace(strategy=rules.strategy)
    options = policy.options._replace(focus=rules.focus or policy.options.focus)
    return policy._replace(options=options)


def budget_of_tool(settings: Settings, of_tool: ToolValues, window: ModelWindow | None) -> Budget:
    """What a tool may show: so many characters, or a share of a window that is known; never more than fits into it."""
    budget = Budget(chars=of_tool.integer("inline_limit"), counter=counter(settings.text("tokens.counter")))
    if window is None:
        return budget
    share = of_tool["budget"]
    if share is None:
        tokens = Budget.for_window(window.tokens, used=window.tokens - window.left).tokens or 0
        chars = min(budget.chars or 0, tokens * CHARS_PER_TOKEN)
        return budget._replace(chars=chars)
    tokens = share_tokens(float(str(share).removesuffix("%")) / 100, window)
    most = settings.integer("tools.truncation.artifacts.retrieval_ceiling")
    return budget._replace(
        chars=min(tokens * CHARS_PER_TOKEN, most), tokens=tokens if budget.counter is not None else None
    )


def follows_window(settings: Settings) -> bool:
    """Whether the limit of any tool is a share of a window."""
    said = [settings.get("tools.truncation.budget"), *(values.get("budget") for values in settings.tools.values())]
    return any(share is not None for share in said)


def named_window(settings: Settings) -> ModelWindow | None:
    """The window of the model that the settings name, if it is known."""
    model = settings.get("model")
    if not isinstance(model, str):
        return None
    tokens = window_of(model)
    return None if tokens is None else ModelWindow(tokens, model=model)


def window_words(settings: Settings, window: ModelWindow | None, limit: int | None) -> str:
    """What a limit follows, for people; empty where it follows nothing but a number."""
    model, follows = settings.get("model"), follows_window(settings)
    if window is None and isinstance(model, str):
        return f"the window of {model!r:.100} is not in the table of {AS_OF}: `inline_limit` holds"
    if window is None:
        return "no model is named (`model`, OVERSPILL_MODEL): `inline_limit` holds" if follows else ""
    full = f", {window.tokens - window.left:,} of it used" if window.used else ""
    share = f"{settings.get('tools.truncation.budget')} of " if settings.get("tools.truncation.budget") else ""
    named = window.model or "the agent's model"
    return f"limit {limit} chars: {share}the window of {named}, {window.tokens:,} tokens{full} (table of {AS_OF})"


def policy_of(settings: Settings, tool: str, window: ModelWindow | None = None) -> Policy:
    """The policy of `tool`, whose name may be any agent's name for it."""
    of_tool = settings.for_tool(tool)
    return Policy(
        inline=budget_of_tool(settings, of_tool, window),
        artifact_threshold=of_tool.integer("artifact_threshold"),
        max_artifact_size=of_tool.integer("max_artifact_size"),
        strategy="smart" if of_tool.flag("automatic") else of_tool.text("strategy"),
        options=options_of(of_tool),
        on_oversize=of_tool.text("on_oversize"),
        structured_max=of_tool.integer("structured_max"),
        store=of_tool.flag("store") and of_tool.flag("artifacts.store_truncated"),
        reuse=of_tool.text("reuse"),
        keep_binary=of_tool.flag("keep_binary"),
        max_input_size=of_tool.integer("max_input_size"),
        preview_chars=of_tool.maybe_integer("artifacts.preview_chars"),
        clean="terminal" if of_tool.text("clean_up") == "terminal" else "plain",
        marks=MarkForms(short=of_tool.text("marks") == "short"),
        detail=Detail(
            original_size=of_tool.flag("metadata.include_original_size"),
            token_estimate=of_tool.flag("metadata.include_token_estimate"),
            strategy=of_tool.flag("metadata.include_strategy"),
            retrieval_instructions=of_tool.flag("metadata.include_retrieval_instructions"),
            aliases=of_tool.flag("metadata.aliases"),
            minimal=of_tool.text("metadata.detail") == "minimal",
        ),
    )


def options_of(of_tool: ToolValues) -> Options:
    """What a strategy may look at."""
    return Options(
        head_ratio=of_tool.number("head_ratio"),
        head_lines=of_tool.integer("line_truncation.head_lines"),
        tail_lines=of_tool.integer("line_truncation.tail_lines"),
        max_line_length=of_tool.integer("line_truncation.max_line_length"),
        first_elements=of_tool.integer("element_truncation.first_elements"),
        last_elements=of_tool.integer("element_truncation.last_elements"),
        max_depth=of_tool.integer("element_truncation.max_depth"),
        preserve_json=of_tool.flag("element_truncation.preserve_json"),
        preserve_functions=of_tool.flag("smart_truncation.preserve_functions"),
        prioritize_errors=of_tool.flag("smart_truncation.prioritize_errors"),
        fill=of_tool.text("smart_truncation.fill"),
    )


def settings_of(config: Settings | Mapping[str, object] | str | None, root: str, preset: str) -> Settings:
    """Settings from whatever a program has: nothing, a file's name, a mapping, or settings."""
    if isinstance(config, Settings):
        return config
    if config is None or isinstance(config, str):
        return load(root, environ=os.environ, preset=preset, config_file=config, strategies=cut.names)
    return from_mapping(config, preset, cut.names)


def budget_of(budget: Budget | int) -> Budget:
    """A number of characters as a budget; a room that is no number from 0 on is the caller's mistake."""
    room = budget if isinstance(budget, Budget) else Budget(chars=budget)
    for limit in (room.chars, room.tokens):
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise UsageError(f"a budget is a whole number from 0 on, not {limit!r:.100}")
    return room


def counted_as(budget: Budget, usual: Budget) -> Budget:
    """The budget, with tokens counted as usual unless it says how."""
    return budget if budget.counter else budget._replace(counter=usual.counter)


def redactor_of(
    settings: Settings, environ: Mapping[str, str], tell_mistake: Callable[[str], None] | None = None
) -> Redactor | None:
    """What hides secrets, or None where the user has switched it off.

    Where mistakes can be told, what cannot be used is told, and all else holds. An exception is left out. A rule names
    a secret, so until it is mended every line is hidden in which one of its literals stands, or all if it has none.
    """
    if not settings.flag("redaction.enabled"):
        return None
    try:
        return redactor_with(settings, environ)
    except ConfigError:
        if tell_mistake is None:
            raise
    values = Values(settings.values)
    broken: list[Any] = []
    for path in ("redaction.rules", "redaction.allow", "redaction.off"):
        good: list[object] = []
        said = settings.values[path]
        for one in said if isinstance(said, tuple) else ():
            tried = Values({**values, path: (*good, one)})
            try:
                redactor_with(settings._replace(values=_only(tried, path)), environ)
                good.append(one)
            except ConfigError as error:
                withheld = withheld_words(one) if path == "redaction.rules" else ""
                broken += [one] if withheld else []
                tell_mistake(f"{settings.origins[path]}: {error}; {withheld or 'it is left out'}")
        values[path] = tuple(good)
    return redactor_with(settings._replace(values=values), environ, broken)


def withheld_words(row: object) -> str:
    """What is hidden in the place of a rule that cannot be used; nothing if it does not say what to look for."""
    from overspill.redact.user_rules import literals_of  # only where a rule is broken

    pattern = row.get("pattern") if isinstance(row, dict) else None
    literals = literals_of(pattern) if isinstance(pattern, str) else ()
    return f"until it is mended, every line with {' or '.join(map(repr, literals))} is hidden" if literals else ""


def _only(values: Values, path: str) -> Values:
    """The values with nothing said for redaction but in one place."""
    lists = ("redaction.rules", "redaction.allow", "redaction.off")
    return Values({**values, **{other: () for other in lists if other != path}})


def redactor_with(settings: Settings, environ: Mapping[str, str], broken: Sequence[Any] = ()) -> Redactor:
    """What hides secrets by these settings, whether or not they switch it on."""
    from overspill.redact import Redactor

    rules: Any = settings.get("redaction.rules")  # their shape was checked when they were read
    return Redactor(
        rules=rules,
        known=secrets_of(environ) if settings.flag("redaction.env") else {},
        allow=settings.names("redaction.allow"),
        generic=settings.text("redaction.generic"),
        patterns="spec" if settings.text("redaction.patterns") == "spec" else "default",
        database=database(),
        off=settings.names("redaction.off"),
        broken=broken,
    )


def default_limit(settings: Settings, command: str) -> int:
    """Records on a page of a command, as the settings have it."""
    from overspill.lists import get_default_limit

    return get_default_limit(command, {path.removeprefix("output."): settings.integer(path) for path in SIZES})


def page_of(
    settings: Settings,
    items: Iterable[object] | Query,
    command: str,
    limit: int | None,
    offset: int,
    tokens: int | None,
    compact: str | None,
) -> Page:
    """A page by the settings, its records made compact if that is asked for."""
    from collections.abc import Mapping

    from overspill.lists import page, projection

    made = projection(compact) if compact is not None else None

    def shown(item: object) -> object:
        return made(item) if made is not None and isinstance(item, Mapping) else item

    most = default_limit(settings, command) if limit is None else limit
    if tokens is None:
        found = page(items, most, offset)
    else:
        count = counter(settings.text("tokens.counter"))
        found = page(items, most, offset, tokens=tokens, counter=count, encode=lambda item: _written(shown(item)))
    return found if made is None else found._replace(items=[shown(item) for item in found.items])


def _written(item: object) -> str:
    import json

    try:
        return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError):
        raise UsageError(f"a page by tokens needs records that are JSON, not {type(item).__name__}") from None
