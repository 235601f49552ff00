"""What agents show by themselves of a long result: measured without us, each with its source and its date.

Whoever wants to know what we are worth has to know this first. What stands in no row is not known, and is not guessed.
"""

from __future__ import annotations

from overspill._lite import NamedTuple

MEASURED = "make e2e E2E='--scenario host'"
SHELL, FAILED_SHELL, SERVER, FILE = "shell", "failed shell", "server", "file"

# Frameworks hand a model all that a tool says, whatever its length.
FRAMEWORKS = frozenset(
    ("anthropic", "crewai", "google-adk", "langchain", "llama-index", "openai-agents", "pydantic-ai", "fastmcp")
)


class HostCap(NamedTuple):
    """What one agent does with one kind of result.

    Characters are those of the result and of what the agent says of having cut it; what it puts around every result,
    long or short, is in no column.
    """

    agent: str
    kind: str
    whole: int | None  # characters up to which all of it is shown; None: no end was found
    cut: int | None  # characters that are shown of what is longer; None: it depends on more than the length
    version: str
    date: str
    remark: str = ""
    source: str = MEASURED


HOST_CAPS: tuple[HostCap, ...] = (
    HostCap("claude-code", SHELL, 30_000, 2_250, "2.1.197", "2026-11-17", "the first 2 KB, and a path"),
    HostCap("claude-code", FAILED_SHELL, 10_000, 10_028, "2.1.197", "2026-11-17", "both ends"),
    HostCap("claude-code", FILE, None, None, "2.1.197", "2026-11-17", "the hook is told what is shown"),
    HostCap("codex", SHELL, 10_000, 10_105, "0.166.0", "2026-11-17", "both ends, of a model it does not know"),
    HostCap("codex", FAILED_SHELL, 10_000, 10_105, "0.166.0", "2026-11-17", "both ends, of a model it does not know"),
    HostCap("gemini", SHELL, 40_000, 40_210, "0.61.0", "2026-11-17", "8,000 and 32,000 at the ends, and a path"),
    HostCap("gemini", FAILED_SHELL, 40_000, 40_210, "0.61.0", "2026-11-17", "8,000 and 32,000 at the ends, and a path"),
    HostCap("gemini", SERVER, 40_000, 40_210, "0.61.0", "2026-11-17", "8,000 and 32,000 at the ends, and a path"),
    HostCap("gemini", FILE, None, None, "0.61.0", "2026-11-17", "the hook is told what is shown"),
    HostCap("copilot", SHELL, 20_000, 895, "1.0.102", "2026-11-17", "the first 500, and a path"),
    HostCap("copilot", FAILED_SHELL, 20_000, 895, "1.0.102", "2026-11-17", "the first 500, and a path"),
    HostCap("copilot", FILE, None, None, "1.0.102", "2026-11-17", "the hook is told what is shown"),
    HostCap("opencode", SHELL, 51_200, 51_360, "1.18.33", "2026-11-17", "the last 50 KB, and a path"),
    HostCap("opencode", FAILED_SHELL, 51_200, 51_360, "1.18.33", "2026-11-17", "the last 50 KB, and a path"),
    HostCap("opencode", FILE, None, None, "1.18.33", "2026-11-17", "the hook is told what is shown"),
)
_CAPS = {(cap.agent, cap.kind): cap for cap in HOST_CAPS}


def host_chars(agent: str, kind: str, said: int) -> int | None:
    """Characters that an agent would have shown of a result of `said` characters; None where that is not known.

    >>> host_chars("claude-code", "shell", 8_500), host_chars("claude-code", "shell", 468_000)
    (8500, 2250)
    >>> host_chars("langchain", "server", 468_000), host_chars("somebody", "shell", 10)
    (468000, None)
    """
    if agent in FRAMEWORKS:
        return said
    cap = _CAPS.get((agent, kind))
    if cap is None:
        return None
    return said if cap.whole is None or said <= cap.whole else cap.cut
