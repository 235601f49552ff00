# The paths of all settings, by the type of their values. Made from the code by `make docs`; do not edit.
# Type checkers read it. There is no such module when a program runs.

from typing import Literal, TypeAlias

TextPath: TypeAlias = Literal[
    "preset",
    "redaction.generic",
    "redaction.patterns",
    "tokens.counter",
    "context.drop",
    "fleet.project",
    "tools.truncation.on_oversize",
    "tools.truncation.default_strategy",
    "tools.truncation.clean_up",
    "tools.truncation.marks",
    "tools.truncation.reuse",
    "tools.truncation.smart_truncation.fill",
    "tools.truncation.artifacts.storage_path",
    "tools.truncation.artifacts.durability",
    "tools.truncation.metadata.detail",
]

MaybeTextPath: TypeAlias = Literal[
    "model",
    "fleet.database",
    "output.schema",
    "tools.truncation.budget",
    "tools.truncation.artifacts.store",
    "tools.truncation.artifacts.encrypt",
]

FlagPath: TypeAlias = Literal[
    "redaction.enabled",
    "redaction.env",
    "agents.stop_marks",
    "journal.enabled",
    "tools.truncation.element_truncation.preserve_json",
    "tools.truncation.smart_truncation.enabled",
    "tools.truncation.smart_truncation.preserve_functions",
    "tools.truncation.smart_truncation.prioritize_errors",
    "tools.truncation.keep_binary",
    "tools.truncation.artifacts.store_truncated",
    "tools.truncation.artifacts.cleanup_on_exit",
    "tools.truncation.artifacts.compress_large",
    "tools.truncation.artifacts.enable_partial_retrieval",
    "tools.truncation.metadata.include_original_size",
    "tools.truncation.metadata.include_token_estimate",
    "tools.truncation.metadata.include_strategy",
    "tools.truncation.metadata.include_retrieval_instructions",
    "tools.truncation.metadata.aliases",
]

NamesPath: TypeAlias = Literal[
    "redaction.allow",
    "redaction.off",
    "context.fields",
    "trust",
]

RulesPath: TypeAlias = Literal["redaction.rules"]

ManifestsPath: TypeAlias = Literal["context.manifests"]

MaybeIntegerPath: TypeAlias = Literal[
    "context.keep_runs",
    "journal.thresholds.latency_ms",
    "journal.thresholds.artifact_size",
    "journal.thresholds.artifacts_per_minute",
    "journal.thresholds.redactions",
    "fleet.quota",
    "tools.truncation.artifacts.preview_chars",
    "tools.truncation.artifacts.disk_floor",
]

IntegerPath: TypeAlias = Literal[
    "sessions.keep_ended",
    "journal.max_size",
    "journal.keep",
    "fleet.patience",
    "output.list",
    "output.session",
    "output.find",
    "output.log",
    "output.archive",
    "output.artifacts",
    "output.default",
    "tools.truncation.inline_limit",
    "tools.truncation.artifact_threshold",
    "tools.truncation.max_artifact_size",
    "tools.truncation.structured_max",
    "tools.truncation.line_truncation.tail_lines",
    "tools.truncation.line_truncation.head_lines",
    "tools.truncation.line_truncation.max_line_length",
    "tools.truncation.element_truncation.first_elements",
    "tools.truncation.element_truncation.last_elements",
    "tools.truncation.element_truncation.max_depth",
    "tools.truncation.max_input_size",
    "tools.truncation.artifacts.retrieval_limit",
    "tools.truncation.artifacts.retrieval_ceiling",
    "tools.truncation.artifacts.session_quota",
    "tools.truncation.artifacts.machine_quota",
    "tools.truncation.artifacts.rate_limit",
    "tools.truncation.artifacts.ttl",
]

MaybeNumberPath: TypeAlias = Literal[
    "journal.thresholds.truncation_rate",
    "journal.thresholds.storage_share",
]

PricesPath: TypeAlias = Literal["stats.prices"]

NumberPath: TypeAlias = Literal["tools.truncation.head_ratio"]

ToolIntegerPath: TypeAlias = Literal[
    "inline_limit",
    "artifact_threshold",
    "max_artifact_size",
    "structured_max",
    "line_truncation.tail_lines",
    "line_truncation.head_lines",
    "line_truncation.max_line_length",
    "element_truncation.first_elements",
    "element_truncation.last_elements",
    "element_truncation.max_depth",
    "max_input_size",
    "artifacts.retrieval_limit",
    "artifacts.retrieval_ceiling",
    "artifacts.session_quota",
    "artifacts.machine_quota",
    "artifacts.rate_limit",
    "artifacts.ttl",
]

ToolMaybeTextPath: TypeAlias = Literal[
    "budget",
    "artifacts.store",
    "artifacts.encrypt",
]

ToolTextPath: TypeAlias = Literal[
    "on_oversize",
    "default_strategy",
    "clean_up",
    "marks",
    "reuse",
    "smart_truncation.fill",
    "artifacts.storage_path",
    "artifacts.durability",
    "metadata.detail",
    "strategy",
]

ToolNumberPath: TypeAlias = Literal["head_ratio"]

ToolFlagPath: TypeAlias = Literal[
    "element_truncation.preserve_json",
    "smart_truncation.enabled",
    "smart_truncation.preserve_functions",
    "smart_truncation.prioritize_errors",
    "keep_binary",
    "artifacts.store_truncated",
    "artifacts.cleanup_on_exit",
    "artifacts.compress_large",
    "artifacts.enable_partial_retrieval",
    "metadata.include_original_size",
    "metadata.include_token_estimate",
    "metadata.include_strategy",
    "metadata.include_retrieval_instructions",
    "metadata.aliases",
    "store",
    "automatic",
]

ToolMaybeIntegerPath: TypeAlias = Literal[
    "artifacts.preview_chars",
    "artifacts.disk_floor",
]

SettingPath: TypeAlias = (
    TextPath
    | MaybeTextPath
    | FlagPath
    | NamesPath
    | RulesPath
    | ManifestsPath
    | MaybeIntegerPath
    | IntegerPath
    | MaybeNumberPath
    | PricesPath
    | NumberPath
)
