"""What agents show by themselves of a long result: measured without us, each with its source and its date.

Whoever wants to know what we are worth has to know this first. What stands in no row is not known, and is not guessed.
"""

from __future__ import annotations

from overspill._lite import NamedTuple

MEASURED = "make e2e E2E='--scenario figures'"
SHELL, FAILED_SHELL, SERVER, FILE = "shell", "failed shell", "server", "file"

# Frameworks hand a model all that a tool says, whatever its length.
FRAMEWORKS = frozenset(
    ("anthropic", "crewai", "google-adk", "langchain", "llama-index", "openai-agents", "pydantic-ai")
)


PATH_CHARS = 110  # of the path that some name to the file with all of it: about what it is in a user's home


class HostCap(NamedTuple):
    """What one agent does with one kind of result.

    Characters are those of the result and of what the agent says of having cut it, without the path that it may name;
    what it puts around every result, long or short, is in no column.
    """

    agent: str
    version: str
    date: str
    kind: str
    whole: int | None  # characters up to which all of it is shown; None: it is the agent that tells us what is shown
    cut: int | None  # characters that are shown of what is longer; None: that depends on more than the length
    remark: str
    has_path: bool = False
    lines: int | None = None  # lines up to which all of it is shown; what is shown of more is not known
    source: str = MEASURED


CLAUDE_CODE = ("claude-code", "2.1.197", "2026-11-17")
CODEX = ("codex", "0.166.0", "2026-11-17")
GEMINI = ("gemini", "0.61.0", "2026-11-17")
COPILOT = ("copilot", "1.0.102", "2026-11-17")
OPENCODE = ("opencode", "1.18.33", "2026-11-17")
KILO = ("kilo", "7.7.7", "2026-11-17")
TOLD = "what the hook is told is what is shown"

HOST_CAPS: tuple[HostCap, ...] = (
    HostCap(*CLAUDE_CODE, SHELL, 30_000, 2_066, "the first 2 KB, and a path", True),
    HostCap(*CLAUDE_CODE, FAILED_SHELL, 10_000, 10_028, "both ends"),
    HostCap(*CLAUDE_CODE, SERVER, 50_000, 2_115, "the first 2 KB, and a path", True),
    HostCap(*CLAUDE_CODE, FILE, None, None, TOLD),
    HostCap(*CODEX, SHELL, 10_000, 10_105, "both ends"),
    HostCap(*CODEX, FAILED_SHELL, 10_000, 10_105, "both ends"),
    HostCap(*CODEX, SERVER, 12_000, 11_984, "both ends"),
    HostCap(*GEMINI, SHELL, 39_950, 40_127, "8,000 and 32,000 at the ends, and a path", True),
    HostCap(*GEMINI, FAILED_SHELL, 39_950, 40_127, "8,000 and 32,000 at the ends, and a path", True),
    HostCap(*GEMINI, SERVER, 39_950, 40_127, "8,000 and 32,000 at the ends, and a path", True),
    HostCap(*GEMINI, FILE, None, None, TOLD),
    HostCap(*COPILOT, SHELL, 20_480, 764, "the first 500, and a path", True),
    HostCap(*COPILOT, FAILED_SHELL, 20_480, 764, "the first 500, and a path", True),
    HostCap(*COPILOT, SERVER, 20_480, 764, "the first 500, and a path", True),
    HostCap(*COPILOT, FILE, None, None, TOLD),
    HostCap(*OPENCODE, SHELL, 51_200, 51_245, "the last 50 KB, and a path", True, 2_000),
    HostCap(*OPENCODE, FAILED_SHELL, 51_200, 51_245, "the last 50 KB, and a path", True, 2_000),
    HostCap(*OPENCODE, SERVER, 51_200, None, "as many whole lines as 50 KB hold, which may be none", True, 2_000),
    HostCap(*OPENCODE, FILE, None, None, TOLD),
    HostCap(*KILO, SHELL, 51_200, 51_227, "the last 50 KB, and a path", True, 2_000),
    HostCap(*KILO, FAILED_SHELL, 51_200, 51_227, "the last 50 KB, and a path", True, 2_000),
    HostCap(*KILO, SERVER, 51_200, None, "as many whole lines as 50 KB hold, which may be none", True, 2_000),
    HostCap(*KILO, FILE, None, None, TOLD),
)
_CAPS = {(cap.agent, cap.kind): cap for cap in HOST_CAPS}


def host_chars(agent: str, kind: str, said: int, lines: int | None = None) -> int | None:
    """Characters that an agent would have shown of a result of `said` characters; None where that is not known.

    >>> host_chars("claude-code", "shell", 8_500), host_chars("claude-code", "shell", 468_000)
    (8500, 2176)
    >>> host_chars("langchain", "server", 468_000), host_chars("somebody", "shell", 10)
    (468000, None)
    >>> host_chars("opencode", "shell", 40_000, lines=900), host_chars("opencode", "shell", 40_000, lines=9_000)
    (40000, None)
    """
    if agent in FRAMEWORKS:
        return said
    cap = _CAPS.get((agent, kind))
    if cap is None:
        return None
    if cap.whole is None:
        return said
    if said <= cap.whole:
        # No line is shorter than its end: what has fewer characters has fewer lines, too.
        is_whole = cap.lines is None or (said if lines is None else lines) <= cap.lines
        return said if is_whole else None
    return None if cap.cut is None else cap.cut + PATH_CHARS * cap.has_path
