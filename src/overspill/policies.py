"""Settings become what one tool is allowed."""

from collections.abc import Mapping
from typing import cast

from overspill.budget import Budget
from overspill.config import Settings
from overspill.decide import Policy
from overspill.report import Detail
from overspill.spans import Options
from overspill.tokens import counter


def policy_of(settings: Settings, tool: str) -> Policy:
    """The policy of `tool`, whose name may be any agent's name for it."""
    of_tool = settings.for_tool(tool)
    return Policy(
        inline=Budget(chars=_int(of_tool, "inline_limit"), counter=counter(settings.text("tokens.counter"))),
        artifact_threshold=_int(of_tool, "artifact_threshold"),
        max_artifact_size=_int(of_tool, "max_artifact_size"),
        strategy=str(of_tool["strategy"]),
        options=options_of(of_tool),
        on_oversize=str(of_tool["on_oversize"]),
        store=bool(of_tool["store"]) and bool(of_tool["artifacts.store_truncated"]),
        preview_chars=cast("int | None", of_tool["artifacts.preview_chars"]),
        clean="terminal" if settings.text("preset") == "agent" else "plain",
        detail=Detail(
            original_size=bool(of_tool["metadata.include_original_size"]),
            token_estimate=bool(of_tool["metadata.include_token_estimate"]),
            strategy=bool(of_tool["metadata.include_strategy"]),
            retrieval_instructions=bool(of_tool["metadata.include_retrieval_instructions"]),
            aliases=bool(of_tool["metadata.aliases"]),
        ),
    )


def options_of(of_tool: Mapping[str, object]) -> Options:
    """What a strategy may look at."""
    return Options(
        head_ratio=cast("float", of_tool["head_ratio"]),
        head_lines=_int(of_tool, "line_truncation.head_lines"),
        tail_lines=_int(of_tool, "line_truncation.tail_lines"),
        max_line_length=_int(of_tool, "line_truncation.max_line_length"),
        first_elements=_int(of_tool, "element_truncation.first_elements"),
        last_elements=_int(of_tool, "element_truncation.last_elements"),
        max_depth=_int(of_tool, "element_truncation.max_depth"),
        preserve_json=bool(of_tool["element_truncation.preserve_json"]),
    )


def _int(of_tool: Mapping[str, object], path: str) -> int:
    return cast("int", of_tool[path])
