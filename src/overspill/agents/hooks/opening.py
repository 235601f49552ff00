"""What a hook works with: an `Overspill` for the agent's project and session, opened when it is first needed."""

from __future__ import annotations

import os
import stat
import sys
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, suppress
from overspill.errors import ConfigError, OverspillError

# What looks at a text is loaded where one is looked at: of an event before a command there is none.
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import BinaryIO

    from overspill.api import Overspill
    from overspill.core.report import Fitted
    from overspill.workspace import Workspace

Json = dict[str, object]
MAX_NAME_CHARS = 100
TRIGGERS = ("auto", "manual")  # of a compaction
SAVED_SECONDS = 3600  # what an agent has just been told was not saved longer ago


class HostFacts(NamedTuple):
    """What an event says of its host: where the session is written down, and which model it speaks to."""

    transcript: str = ""
    model: str = ""


HOST_FACTS = HostFacts()


class Hook:
    """One call of a hook. Whatever goes wrong in it, there is a bounded view and the agent goes on."""

    def __init__(
        self, directory: str | None, session: str, agent: str = "", door: str = "hook", host: HostFacts = HOST_FACTS
    ) -> None:
        self.session = session
        self.agent = agent
        self._host = host
        self._origin = {"agent": agent, "door": door} if agent else {"door": door}
        self._spill: Overspill | None = None
        if directory:
            with suppress(OSError, ValueError):  # gone, or no path: where this process was started has to do
                os.chdir(directory)

    @property
    def spill(self) -> Overspill:
        """With the settings in force; with the defaults where they cannot be read, and the journal is told."""
        if self._spill is None:
            from overspill.api import Overspill
            from overspill.workspace import AGENT_PRESET, Workspace

            try:
                self._spill = Overspill.at(Workspace.find(session=self.session or None, notify=_notify, forgiving=True))
                for mistake in self._spill.workspace.settings.mistakes:
                    self.tell(ConfigError(mistake))
            except OverspillError as error:
                self._spill = Overspill({}, preset=AGENT_PRESET, session=self.session or None)
                self.tell(error)
            self._spill.workspace.origin.update(self._origin)
            self._spill.workspace.notes_marks = True
            self._note_window(self._spill.workspace)
        return self._spill

    def _note_window(self, workspace: Workspace) -> None:
        """Learn how full the model's window is, where a limit follows it."""
        from overspill.workspace.policy import follows_window

        if follows_window(workspace.settings):
            from overspill.agents.hooks.windows import host_window

            if window := host_window(self.agent, self.session, *self._host):
                workspace.note_window(window)

    def note_call(self, *, command: str = "", call_id: str = "", model: str = "", failed: bool = False) -> None:
        """Learn what the journal is to know of the call whose result this is."""
        from overspill.journal import command_digest

        origin = self.spill.workspace.origin
        facts = {
            "command": command_digest(self.spill.workspace.redacted_text(command)) if command else "",
            "call_id": self.spill.workspace.redacted_text(call_id[:MAX_NAME_CHARS]) if call_id else "",
            "model": self.spill.workspace.redacted_text(model[:MAX_NAME_CHARS]) if model else "",
            "failed": failed,
        }
        origin.update({name: value for name, value in facts.items() if value})

    def fit(self, output: object, tool: str, *, is_error: bool = False, source: str = "") -> Fitted:
        """The view of one output."""
        try:
            return self.spill.fit(output, tool=tool, is_error=is_error, source=source or None)
        except (OverspillError, OSError) as error:
            return _failure_view(error)

    def fit_beginning(self, text: str, tool: str, *, source: str = "", at_most: int = sys.maxsize) -> Fitted:
        """The view of a part of a file that was asked for: as much as of an artifact, and its end is what goes."""
        from overspill.fit.flow import fit_file
        from overspill.fit.prepare import ToolCall

        try:
            return fit_file(self.spill.workspace, text, ToolCall(tool, source=source), at_most)
        except (OverspillError, OSError) as error:
            return _failure_view(error)

    def fit_together(self, texts: Sequence[str], tool: str, source: str = "") -> list[Fitted]:
        """The views of several texts of one result, which share what the tool may say."""
        if sum(map(bool, texts)) <= 1:
            return [self.fit(text, tool, source=source) for text in texts]
        try:
            return self.spill.fit_many(texts, self.spill.workspace.policy(tool).inline, tools=[tool] * len(texts))
        except (OverspillError, OSError) as error:
            return [_failure_view(error) for _ in texts]

    def keep_view(self, view: str, tool: str) -> str | None:
        """The id under which a view can be fetched as it is, where it can be handed over in no other way."""
        from overspill.core.size import measure
        from overspill.store import VIEW, Label

        try:
            size = measure(view)
            return self.spill.store.put(view, size, Label(tool, VIEW, "what was shown")).id
        except (OverspillError, OSError):
            return None

    def note_hidden(self, before: str, after: str) -> None:
        """Remember what types of secrets were hidden in a text that is not fitted."""
        from overspill.fit.drawn import hidden_types, note_hidden

        note_hidden(self.spill.store, hidden_types(after) - hidden_types(before))

    def note_compaction(self, trigger: str = "") -> None:
        """A line in the journal: from here on the model has a summary instead of what it saw before."""
        facts = {"trigger": trigger} if trigger in TRIGGERS else {}
        with suppress(OverspillError, OSError):
            self.spill.workspace.tell("compact", {**facts, **self.spill.workspace.origin})

    def kept_results(self) -> str:
        """What a model is told when what it saw of its results is gone; empty where nothing is kept."""
        from overspill.agents.hooks.recall import kept_results

        with suppress(OverspillError, OSError):
            return kept_results(self.spill.workspace)
        return ""

    def compaction_answer(self) -> Json:
        """The answer after a compaction, as Claude Code spells it, and Codex after it."""
        self.note_compaction()
        kept = self.kept_results()
        return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": kept}} if kept else {}

    def tell(self, error: Exception) -> None:
        """A line in the journal: what went wrong, and where it matters to nobody else."""
        with suppress(OverspillError, OSError):
            words = self.spill.workspace.redacted_text(str(error))
            self.spill.workspace.tell("fail", {"tool_name": "hook", "not_kept": words[:500]})

    def end(self) -> None:
        """The agent's session is over: what it kept stays for a while."""
        from overspill.store import housekeeping
        from overspill.store.files import FileStore

        with suppress(OverspillError, OSError):
            if self.session and isinstance(self.spill.store, FileStore):
                housekeeping.end_session(self.spill.store, self.session)


def open_saved(path: str, folder: str, is_named: Callable[[str], bool]) -> BinaryIO | None:
    """A file in which an agent saved what its shell tool said; None if it can be anything else.

    The path may stand in a text that a stranger wrote. So it has to lead, without a link, to a plain file of this user
    with one name, written lately, below the folder in which the agent saves; `is_named` is asked about the rest of it.
    """
    try:
        folder, (place, name) = os.path.realpath(folder), os.path.split(path)
        place = os.path.realpath(place)
        rest = os.path.join(place, name)[len(folder) :].removeprefix(os.sep)
        if not os.path.isabs(path) or os.path.commonpath((folder, place)) != folder or not is_named(rest):
            return None
        directory = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
        finally:
            os.close(directory)
    except (OSError, ValueError):
        return None
    found = os.fstat(file)
    is_plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_uid == os.geteuid()
    if not is_plain or abs(time.time() - found.st_mtime) > SAVED_SECONDS:
        os.close(file)
        return None
    return os.fdopen(file, "rb")


def _failure_view(error: Exception) -> Fitted:
    from overspill.fit.prepare import failure_view

    return failure_view(error)


def _notify(words: str) -> None:
    """On standard error, which agents show to nobody or to their user."""
    sys.stderr.write(f"spill: {words}\n")
