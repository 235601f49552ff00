"""The window of an agent's model: which model it is, how full its window is, and what it is told once that was emptied.

Claude Code writes the usage of every answer, Codex also how many tokens the window holds. Others tell neither their
hooks nor a file. Only the end of a transcript is read, and only numbers and the name of the model are taken from it.

After a compaction what the model saw of results is gone, and so are their ids: it is told which are kept, and how to
fetch them.
"""

from __future__ import annotations

import os
import stat

from overspill._lite import TYPE_CHECKING, of_json, suppress
from overspill.core.budget import ModelWindow, window_of
from overspill.core.markers import one_line
from overspill.errors import OverspillError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from overspill.core.report import Artifact
    from overspill.workspace import Workspace


Json = dict[str, object]
TAIL_BYTES = 1 << 17  # of a transcript
MOST_DAYS = 3  # of directories in which a session of Codex is looked for, the newest first
USED_BY_CLAUDE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")

MOST_CHARS = 400
MOST_FETCHES = 2_000  # events of the journal that are looked at, the newest first
MOST_USED = 2  # that are named before the newest
LABEL_CHARS = 40
UNSAFE = str.maketrans({"`": "'", "<": "(", ">": ")", "[": "(", "]": ")"})


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


def kept_results(workspace: Workspace) -> str:
    """The results of a session that are kept, in at most 400 characters; empty where there are none.

    Those that were fetched most come first, then the newest.
    """
    from overspill.store import VIEW, ShortIds, ids_of

    artifacts = [one for one in workspace.store.list() if one.content_type != VIEW and not one.is_binary]
    if not artifacts:
        return ""
    short = ShortIds(ids_of(workspace.store, near=True)) if workspace.has_short_ids else str
    many = f"{len(artifacts)} long results" if len(artifacts) > 1 else "1 long result"
    text = f"Overspill keeps {many} of this session. get_artifact(id=...) fetches one, search_artifacts(pattern=...)"
    text += " looks in all." if len(artifacts) > 1 else " looks in it."
    for artifact, fetches in _by_use(artifacts, _fetches(workspace)):
        told = f"{short(artifact.id)} {_about_artifact(workspace, artifact)}"
        told = f"\n- {told}, fetched {fetches}x" if fetches else f"\n- {told}"
        if len(text) + len(told) > MOST_CHARS:
            break
        text += told
    return text


def _by_use(artifacts: list[Artifact], fetches: Counter[str]) -> Iterator[tuple[Artifact, int]]:
    newest = sorted(artifacts, key=lambda one: one.created, reverse=True)
    used = sorted((one for one in newest if fetches[one.id]), key=lambda one: -fetches[one.id])[:MOST_USED]
    for artifact in [*used, *(one for one in newest if one not in used)]:
        yield artifact, fetches[artifact.id]


def _fetches(workspace: Workspace) -> Counter[str]:
    """How often each artifact was fetched, by whatever session: servers have their own."""
    from collections import Counter
    from itertools import islice

    from overspill.journal.statistics import History

    with suppress(OverspillError, OSError, TypeError):  # the last: a store that is no files has no journal beside it
        events = islice(History(workspace.logs.path, events=("retrieve",)), MOST_FETCHES)
        return Counter(str(event.get("artifact_id")) for event in events if event.get("success") is True)
    return Counter()


def _about_artifact(workspace: Workspace, artifact: Artifact) -> str:
    """What an artifact is, in the words of its call: on one line, in quotes, and unlike anything of ours.

    It was the command of a tool, or the name of a file: nobody is to read it as an instruction.
    """
    words = one_line(workspace.redacted_text(artifact.source or artifact.source_tool)).translate(UNSAFE)
    label = words if len(words) <= LABEL_CHARS else f"{words[: LABEL_CHARS - 3]}..."
    lines = max(1, artifact.size.lines)
    return f"`{label or 'a result'}`, {lines} line{'s' * (lines > 1)}"
