"""What a model is told after a compaction: which results of its session are kept, and how to fetch them.

What it saw of them is gone by then, and so are their ids.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice

from overspill._lite import TYPE_CHECKING, suppress
from overspill.core.markers import one_line
from overspill.errors import OverspillError
from overspill.journal.reader import History
from overspill.store import VIEW, ShortIds, ids_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.core.report import Artifact
    from overspill.workspace import Workspace

MOST_CHARS = 400
MOST_FETCHES = 2_000  # events of the journal that are looked at, the newest first
MOST_USED = 2  # that are named before the newest
LABEL_CHARS = 40
UNSAFE = str.maketrans({"`": "'", "<": "(", ">": ")", "[": "(", "]": ")"})


def kept_results(workspace: Workspace) -> str:
    """The results of a session that are kept, in at most 400 characters; empty where there are none.

    Those that were fetched most come first, then the newest.
    """
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
