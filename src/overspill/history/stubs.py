"""The lines that stand for results which went: each names the call that brings its result back.

What a line names was kept before the line is written. A view of ours names its artifact already, an answer from the
store is fetched by the call it answered, and anything else is kept now, cleaned and redacted like all that is kept. A
result that cannot be kept stays.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from overspill._lite import in_json
from overspill.core.markers import Wording, one_line
from overspill.core.size import measure
from overspill.decorator import shared_overspill
from overspill.errors import OverspillError
from overspill.fit.flow import ingest, keep_whole, safe_call
from overspill.fit.prepare import ToolCall
from overspill.fit.view import text_key
from overspill.history.decision import (
    GET,
    STUB_CHARS,
    Clearing,
    Conversation,
    ConversationEntry,
    PastResult,
    decide_clearing,
    is_fetching,
)
from overspill.store import full_id, ids_of
from overspill.store.records import content_digest
from overspill.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from overspill.api import Overspill
    from overspill.core.report import Artifact
    from overspill.core.size import Size

MOST_LINES = 4_096  # that are known again: the whole conversation comes by at every turn
MOST_IDS = 8  # that are looked up for one view
SHORT_ID = 8  # characters of an id after `art_`: forty random bits, whatever else is kept later
LONG_PART = 20  # characters that the random part of an id has, where fewer of them will do
LEAST_WORDS = 12  # characters that are left to say what a result was

_LINE = re.compile(re.escape(Wording.CLEARED.partition("{")[0]) + r"(\d{1,9}): [^\n]*\]")
_ID = re.compile(r"art_[a-zA-Z0-9]+(?:_[a-zA-Z0-9]+)?")


class Recall(NamedTuple):
    """How a result is brought back."""

    call: str
    artifact_id: str
    size: Size


_RECALLS: WeakKeyDictionary[Overspill, OrderedDict[str, Recall]] = WeakKeyDictionary()
_RECALLING = Lock()


def cleared_lines(
    entries: Iterable[ConversationEntry], spill: Overspill | None = None, rules: Clearing | None = None
) -> dict[Hashable, str]:
    """The lines for the results of a conversation that go, by their places. All that they name can be fetched."""
    stubs = Stubs(spill or shared_overspill())
    conversation = Conversation(entries, stubs.count, stubs.written_at)
    went = decide_clearing(conversation, rules or Clearing())
    lines: dict[Hashable, str] = {}
    for one in conversation.results:
        if one.number in went and not one.cleared_at:
            line = stubs.line(one, went[one.number])
            if line is not None:
                lines[one.given.place] = line
    return lines


class Stubs:
    """Writes the lines, in the workspace in which the results were fitted or will be kept."""

    def __init__(self, spill: Overspill) -> None:
        self._spill = spill
        self._workspace = spill.workspace
        self._by_digest: dict[str, Artifact] | None = None

    @property
    def count(self) -> Callable[[str], int]:
        """What counts tokens, by the settings."""
        return self._workspace.policy().inline.counter or estimate_tokens

    def written_at(self, text: str) -> int:
        """Before which request this line was written, if it is one of ours; else 0. Others cannot write one."""
        line = _LINE.fullmatch(text) if len(text) <= STUB_CHARS else None
        if line is None:
            return 0
        with suppress(OverspillError, OSError):
            if self._workspace.store.remembered(_digest(text)) is not None:
                return int(line[1])
        return 0

    def line(self, result: PastResult, request: int) -> str | None:
        """The line for a result, or None if nothing would bring it back."""
        try:
            recall = self._recall(result)
            return None if recall is None else self._written(result, recall, request)
        except Exception:  # noqa: BLE001  # of any store: the request goes out all the same, with the result in it
            return None

    def _written(self, result: PastResult, recall: Recall, request: int) -> str | None:
        lines = max(1, recall.size.lines)
        facts = lines, "s" * (lines > 1), recall.size.chars, recall.call
        room = STUB_CHARS - len(Wording.CLEARED.format(request, "", *facts))
        if room < LEAST_WORDS:
            return None
        line = Wording.CLEARED.format(request, self._what(result, recall, room), *facts)
        self._workspace.store.remember(_digest(line), request)
        return line

    def _what(self, result: PastResult, recall: Recall, room: int) -> str:
        """The tool, and as much of its call as there is room for."""
        call = result.call
        said = call.tool or "a result"
        if call.tool and recall.call.partition("(")[0] != call.tool:
            given = _given(call.arguments)
            said = call_text(call.tool, call.arguments if given is None else given)
        said = one_line(self._workspace.redacted_text(said))
        return said if len(said) <= room else f"{said[: room - 3]}..."

    def _recall(self, result: PastResult) -> Recall | None:
        key = _digest(f"{result.call.tool}\0{result.call.arguments}\0{result.given.text}")
        with _RECALLING:
            known = _RECALLS.setdefault(self._spill, OrderedDict())
            found = known.pop(key, None)
        if found is None or not self._is_there(found.artifact_id):
            found = self._fetched_again(result) or self._named_in_view(result) or self._kept(result)
        if found is not None:
            with _RECALLING:
                known[key] = found
                while len(known) > MOST_LINES:
                    known.popitem(last=False)
        return found

    def _is_there(self, artifact_id: str) -> bool:
        try:
            self._workspace.store.info(artifact_id)
        except OverspillError:
            return False
        return True

    def _found(self, said: str) -> Artifact | None:
        """The artifact that an id or a short form of one stands for."""
        store = self._workspace.store
        try:
            return store.info(full_id(said, lambda: ids_of(store)))
        except OverspillError:
            return None

    def _fetched_again(self, result: PastResult) -> Recall | None:
        """An answer of `get_artifact` comes again by the same call."""
        given = _given(result.call.arguments)
        if not is_fetching(result.call.tool, (GET,)) or given is None or result.given.is_error:
            return None
        artifact = self._found(str(given.get("id", "")))
        call = call_text(GET, {name: value for name, value in given.items() if value is not None})
        if artifact is None or len(call) > STUB_CHARS // 2 or self._workspace.redacted_text(call) != call:
            return None
        return Recall(call, artifact.id, measure(result.given.text))

    def _named_in_view(self, result: PastResult) -> Recall | None:
        """A view of ours names the artifact it is of, and the call for it: if it is in doubt which, none."""
        text = result.given.text
        if self._workspace.store.remembered(_digest(text)) is None:
            return None
        plain = text.replace('\\"', '"')
        ids = list(dict.fromkeys(_ID.findall(plain)))[:MOST_IDS]
        named = [one for one in ids if self._workspace.call_format(one).removesuffix(")") in plain]
        artifact = self._found(named[0]) if len(named) == 1 else None
        if artifact is None or artifact.is_binary:
            return None
        return Recall(self._workspace.call_format(named[0]), artifact.id, artifact.size)

    def _kept(self, result: PastResult) -> Recall | None:
        """Any other result is kept now, or was before."""
        workspace, given = self._workspace, result.given
        call = safe_call(workspace, ToolCall(result.call.tool, given.is_error, given.call_id))
        policy = workspace.policy(result.call.tool)._replace(on_oversize="error")
        if not policy.store or len(given.text) >= policy.max_artifact_size:
            return None
        prepared = ingest(workspace, given.text, policy, call)
        digest = content_digest(prepared.text.encode("utf-8", "surrogatepass"))
        artifact = self._same_text(digest)
        if artifact is None:
            artifact = keep_whole(workspace, prepared, policy, call)
            workspace.tell_created(artifact)
            workspace.store.remember(text_key(digest), 1)
            if self._by_digest is not None:
                self._by_digest[digest] = artifact  # a later result may say the same
        said = short_form(artifact.id) if workspace.has_short_ids else artifact.id
        return Recall(workspace.call_format(said), artifact.id, artifact.size)

    def _same_text(self, digest: str) -> Artifact | None:
        """The first artifact with this text; all are listed once, and only if there is one."""
        if self._workspace.store.remembered(text_key(digest)) is None:
            return None
        if self._by_digest is None:
            listed = sorted(self._workspace.store.list(), reverse=True)
            self._by_digest = {one.sha256: one for one in listed if not one.partial and not one.is_binary}
        return self._by_digest.get(digest)


def call_text(tool: str, arguments: Mapping[str, object] | str) -> str:
    """A call as it is written down for a model.

    >>> call_text("bash", {"command": "make", "quiet": True}), call_text("run", "ls -l")
    ('bash(command="make", quiet=true)', 'run(ls -l)')
    """
    if isinstance(arguments, str):
        return f"{tool}({arguments})"
    return f"{tool}({', '.join(f'{name}={in_json(value)}' for name, value in arguments.items())})"


def short_form(artifact_id: str) -> str:
    """An id in short, in a form that does not depend on what else is kept.

    >>> short_form("art_1699234567890_abcdefghijklmnopqrstuvwxyz"), short_form("art_17_abcdefgh")
    ('art_abcdefgh', 'art_17_abcdefgh')
    """
    random = artifact_id.rpartition("_")[2]
    return f"art_{random[:SHORT_ID]}" if len(random) >= LONG_PART else artifact_id


def _given(arguments: str) -> dict[str, object] | None:
    """The arguments of a call by name, where they are JSON."""
    try:
        given = json.loads(arguments)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
