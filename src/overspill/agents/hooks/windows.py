"""Which model an agent speaks to, and how full its window is: the last lines of what the agent writes down say it.

Claude Code writes the usage of every answer, Codex also how many tokens the window holds. Others tell neither their
hooks nor a file. Only the end of a transcript is read, and only numbers and the name of the model are taken from it.
"""

from __future__ import annotations

import os
import stat

from overspill._lite import TYPE_CHECKING, of_json
from overspill.core.windows import ModelWindow, window_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, object]
TAIL_BYTES = 1 << 17  # of a transcript
MOST_DAYS = 3  # of directories in which a session of Codex is looked for, the newest first
USED_BY_CLAUDE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def host_window(agent: str, session: str, transcript: str = "", model: str = "") -> ModelWindow | None:
    """The window of an agent's model, as far as it can be told; None where it cannot."""
    used, tokens = 0, 0
    for line in newest_lines(transcript or find_transcript(agent, session)):
        found = _claude_usage(line) if agent == "claude-code" else _codex_usage(line) if agent == "codex" else None
        if found is not None:
            used, tokens = found.used, found.tokens
            model = found.model or model
            break
    tokens = tokens or window_of(model) or 0
    return ModelWindow(tokens, used, model) if tokens else None


def _claude_usage(line: Json) -> ModelWindow | None:
    message = line.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if line.get("isSidechain") is True or not isinstance(message, dict) or not isinstance(usage, dict):
        return None
    return ModelWindow(0, sum(_number(usage.get(name)) for name in USED_BY_CLAUDE), str(message.get("model") or ""))


def _codex_usage(line: Json) -> ModelWindow | None:
    payload = line.get("payload")
    info = payload.get("info") if isinstance(payload, dict) and payload.get("type") == "token_count" else None
    last = info.get("last_token_usage") if isinstance(info, dict) else None
    if not isinstance(info, dict) or not isinstance(last, dict):
        return None
    return ModelWindow(_number(info.get("model_context_window")), _number(last.get("total_tokens")))


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else 0


def newest_lines(path: str) -> Iterator[Json]:
    """The last lines of a transcript that are JSON objects, the newest first."""
    for line in reversed(_tail_of(path).split(b"\n")):
        if b'"usage"' in line or b'"token_count"' in line:
            try:
                value = of_json(line.decode())
            except (ValueError, RecursionError):
                continue  # the first one may be cut
            if isinstance(value, dict):
                yield value


def _tail_of(path: str) -> bytes:
    """The end of a plain file of this user; nothing of anything else."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return b""
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return b""
        return os.pread(file, TAIL_BYTES, max(0, found.st_size - TAIL_BYTES))
    finally:
        os.close(file)


def find_transcript(agent: str, session: str) -> str:
    """Where an agent writes a session down, for a shell of it, which is not told. Empty if that is unknown."""
    if not session or os.sep in session:
        return ""
    home = os.path.expanduser("~")
    if agent == "claude-code":
        projects = os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "projects")
        paths = (os.path.join(projects, name, f"{session}.jsonl") for name in _names_in(projects))
        return next(filter(os.path.exists, paths), "")
    if agent == "codex":
        days = [os.path.join(os.environ.get("CODEX_HOME") or os.path.join(home, ".codex"), "sessions")]
        for _ in range(3):  # years, months and days
            days = [os.path.join(day, name) for day in days for name in sorted(_names_in(day))[-MOST_DAYS:]]
        named = (os.path.join(day, name) for day in reversed(days) for name in _names_in(day))
        return next((path for path in named if path.endswith(f"-{session}.jsonl")), "")
    return ""


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
