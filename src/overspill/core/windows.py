"""How many tokens the windows of models hold, as their makers and those who serve them publish it.

The numbers are of `AS_OF`. Where a model is served with several windows, the smaller one that its maker's own tools use
is here: who has more says so, by `model: name[1m]` or a limit of his own. A name that is not here is not guessed.
"""

from __future__ import annotations

from overspill._lite import NamedTuple, compile_pattern

AS_OF = "2026-11-17"
MILLION = 1_000_000

# By how the name of a model begins; the longest that fits counts. Names of families without a number are not here.
WINDOWS = {
    "claude-3": 200_000,
    "claude-3-5": 200_000,
    "claude-3-7": 200_000,
    "claude-fable-5": MILLION,
    "claude-haiku-4": 200_000,
    "claude-haiku-4-5": 200_000,
    "claude-mythos-5": MILLION,
    "claude-opus-4": 200_000,
    "claude-opus-4-1": 200_000,
    "claude-opus-4-5": 200_000,
    "claude-opus-4-6": 200_000,
    "claude-opus-4-7": 200_000,
    "claude-opus-4-8": 200_000,
    "claude-opus-5": MILLION,
    "claude-opus-5-5": MILLION,
    "claude-sonnet-4": 200_000,
    "claude-sonnet-4-5": 200_000,
    "claude-sonnet-4-6": 200_000,
    "claude-sonnet-5": MILLION,
    "codestral": 256_000,
    "deepseek-chat": 128_000,
    "deepseek-reasoner": 128_000,
    "deepseek-r1": 128_000,
    "deepseek-v3": 128_000,
    "deepseek-v3.1": 128_000,
    "deepseek-v3.2": 128_000,
    "deepseek-v4-flash": MILLION,
    "deepseek-v4-pro": MILLION,
    "devstral-2512": 256_000,
    "gemini-2.0-flash": 1_048_576,
    "gemini-2.5-flash": 1_048_576,
    "gemini-2.5-pro": 1_048_576,
    "gemini-3-flash": 1_048_576,
    "gemini-3-pro": 1_048_576,
    "gemini-3.1-flash-lite": 1_048_576,
    "gemini-3.1-pro": 1_048_576,
    "gemini-3.5-flash": 1_048_576,
    "gemini-3.6-flash": 1_048_576,
    "gemini-3.7-flash": 1_048_576,
    "gemini-3.8-flash": 1_048_576,
    "glm-4.5": 131_072,
    "glm-4.6": 200_000,
    "glm-4.7": 200_000,
    "glm-5": 200_000,
    "glm-5.1": 200_000,
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 272_000,
    "gpt-5.1": 272_000,
    "gpt-5.2": 272_000,
    "gpt-5.3-codex": 272_000,
    "gpt-5.3-codex-spark": 128_000,
    "gpt-5.4": 272_000,
    "gpt-5.5": 272_000,
    "gpt-5.6": 272_000,
    "gpt-6-astra": 272_000,
    "gpt-6-luna": 272_000,
    "gpt-6-sol": 272_000,
    "gpt-6.1-sol": 272_000,
    "gpt-6.1-terra": 500_000,
    "gpt-oss": 131_072,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "grok-4.5": 500_000,
    "grok-4.6": 500_000,
    "grok-4.7": 500_000,
    "grok-code-fast-1": 256_000,
    "kimi-k2": 262_144,
    "kimi-k2.5": 262_144,
    "kimi-k2.6": 262_144,
    "kimi-k2.7-code": 262_144,
    "llama-3-70b": 8_192,
    "llama-3.1": 128_000,
    "llama-3.3": 128_000,
    "minimax-m2": 196_608,
    "minimax-m2.1": 204_800,
    "minimax-m2.5": 196_608,
    "minimax-m2.7": 196_608,
    "mistral-large-2512": 256_000,
    "o3": 200_000,
    "o4-mini": 200_000,
    "qwen3-coder": 262_144,
    "qwen3-coder-plus": MILLION,
    "qwen3-max": 262_144,
}
_LONG = "[1m]"  # how Claude Code names a model with a window of a million
_REST = r"(?:-(?:[a-z]|\d{4,}).*|[:@\[].*)?"  # of a name: which one of its family, its date, who serves it
USED_STEP = 20  # parts of a window in which it is told how full it is: not every token changes what is shown


class ModelWindow(NamedTuple):
    """The window of a model, and how much of it is used, in tokens."""

    tokens: int
    used: int = 0
    model: str = ""

    @property
    def left(self) -> int:
        """What is left of it, to a twentieth of the window.

        >>> ModelWindow(200_000, 109_999).left, ModelWindow(200_000, 110_000).left, ModelWindow(200_000, 300_000).left
        (100000, 90000, 0)
        """
        step = max(1, self.tokens // USED_STEP)
        return max(0, self.tokens - self.used // step * step)


def window_of(model: str) -> int | None:
    """How many tokens the window of a model holds; None where that is not known.

    >>> window_of("claude-opus-4-8"), window_of("claude-opus-4-8[1m]"), window_of("x/claude-sonnet-4-5@20250929")
    (200000, 1000000, 200000)
    >>> window_of("gpt-4o-mini"), window_of("gpt-4.9"), window_of("claude-opus-4-9"), window_of("")
    (128000, None, None, None)
    """
    name = model.strip().lower().rpartition("/")[2]
    if name.endswith(_LONG):
        return MILLION if window_of(name.removesuffix(_LONG)) else None
    rest = compile_pattern(_REST)
    begins = [begin for begin in WINDOWS if name.startswith(begin) and rest.fullmatch(name, len(begin))]
    return WINDOWS[max(begins, key=len)] if begins else None
