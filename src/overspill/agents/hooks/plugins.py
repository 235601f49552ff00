"""Agents that load a plugin of ours: what it tells of a tool and its result, and what it does with the answer.

opening   a session begins, and its agent has little patience: what has to be made once for all hooks is made now.
before    a tool is about to write; if the answer says `stop`, it does not, and the model is told why.
after     `result` is {title, output, metadata} of the agent's own tools, {content, structuredContent, isError} of
          others. What the answer holds takes the place of what the result holds. Of a long result `output` is a part,
          and all of it is in a file.
compacting a session's context is about to be summarised; what the answer says as `context` is told to whoever does it.
compacted a session's context was compacted; what the answer says as `context` is told to the model, where it can be.
"""

from __future__ import annotations

import os
import sys

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.agents.hooks import AgentHooks, Hook, Json, KnownTools, fitted_result, mapped_result, open_saved, text_at

if TYPE_CHECKING:
    import re
    from collections.abc import Callable


SUMMARY = "Let the summary end with this, as it is:\n"
TEXTS = ("output", "text", "content")
FILES = ("filePath", "path", "file_path")  # what arguments call the file that is read

# What a command says comes with a last line that tells how it ended, where that was not well, and before it, where the
# output was long, one that names the file that all of it is in: so pi has it.
SAVED_NAME = compile_pattern(r"pi-bash-[0-9a-f]+\.log")
FRAME = compile_pattern(
    r"(?:\n\n\[Showing [^\n\]]*Full output: (?P<path>/[^\n\]]+)\])?"
    r"(?P<ending>\n\nCommand (?:exited with code \d+|aborted|timed out after [^\n]+))?\Z"
)


def data_folder(*names: str) -> str:
    """A path below the folder in which programs keep what they write for a user."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(data, *names)


class SavedOutput(NamedTuple):
    """Where an agent's shell tool saves what is long, and how it says so."""

    folder: Callable[[], str]
    is_named: Callable[[str], bool] = bool  # of the rest of the path
    # Of what it puts behind an output: `path` names the file, and what `ending` holds stays behind the view.
    frame: re.Pattern[str] | None = None


class PluginHooks(NamedTuple):
    """The answers to the events of one agent's plugin."""

    agent: str
    tools: KnownTools
    saved: SavedOutput | None = None
    texts: tuple[str, ...] = TEXTS  # under which keys a result holds what may be long
    most_chars: int = sys.maxsize  # of one text, which the agent itself would cut

    def hook_of(self, event: Json) -> Hook:
        return Hook(text_at(event, "directory"), text_at(event, "sessionID"), self.agent)

    def answer(self, event: Json, hook: Hook) -> Json:
        """What takes the place of a result, stops a tool, or is told after a compaction; empty where all is well."""
        match text_at(event, "event"):
            case "opening":
                hook.spill.workspace.redacted_text("a word")
                return {}
            case "compacting":
                kept = hook.kept_results()
                return {"context": f"{SUMMARY}{kept}"} if kept else {}
            case "compacted":
                hook.note_compaction(text_at(event, "trigger"))
                kept = hook.kept_results() if event.get("tells") is True else ""
                return {"context": kept} if kept else {}
            case "before":
                from overspill.agents.hooks.writes import stop_reason

                reason = stop_reason(hook, event.get("args"))
                return {"stop": reason} if reason else {}
        return self._result_answer(event, hook)

    def _result_answer(self, event: Json, hook: Hook) -> Json:
        tool, result = text_at(event, "tool"), event.get("result")
        if not isinstance(result, dict) or self.tools.fetches(tool, text_at(event, "args", "command")):
            return {}
        about = result.get("metadata")
        status = about.get("exit") if isinstance(about, dict) else None
        hook.note_call(
            command=text_at(event, "args", "command") if tool in self.tools.shell else "",
            call_id=text_at(event, "callID"),
            failed=(isinstance(status, int) and status != 0) or result.get("isError") is True,
        )
        shown = self._views(hook, event, tool, result)
        return {name: value for name, value in shown.items() if value != result.get(name)}

    def _views(self, hook: Hook, event: Json, tool: str, result: Json) -> Json:
        output = result.get("output")
        file = next(filter(None, (text_at(event, "args", name) for name in FILES)), "")

        def beginnings(texts: list[str]) -> list[str]:
            return [hook.fit_beginning(text, tool, source=file, at_most=self.most_chars).text for text in texts]

        if not isinstance(output, str):
            held = {"content": result.get("content")}
            is_file = tool in self.tools.reading
            source = text_at(event, "args", "command")
            shown = (
                mapped_result(hook, held, self.texts, beginnings)
                if is_file
                else fitted_result(hook, held, self.texts, tool, source)
            )
            return shown if isinstance(shown, dict) else {}
        if tool in self.tools.reading:
            return {"output": beginnings([output])[0]}
        source = text_at(event, "args", "command")
        if tool not in self.tools.shell or self.saved is None:
            return {"output": hook.fit(output, tool, source=source).text}
        frame = self.saved.frame.search(output) if self.saved.frame else None
        ending, path = (frame["ending"] or "", frame["path"] or "") if frame else ("", "")
        path = text_at(result, "metadata", "outputPath") or path
        saved = open_saved(path, self.saved.folder(), self.saved.is_named) if path else None
        if saved is None:
            return {"output": hook.fit(output.removesuffix(ending), tool, source=source).text + ending}
        with saved:
            return {"output": hook.fit(saved, tool, source=source).text + ending}

    def failure_answer(self, event: Json, sentence: str) -> Json:
        """The answer when a result cannot be looked at: it is not let through. Before a run there is none."""
        if text_at(event, "event") in {"opening", "before", "compacting", "compacted"}:
            return {}
        result = event.get("result")
        output, content = {"output": sentence}, {"content": [{"type": "text", "text": sentence}]}
        if not isinstance(result, dict):
            return {**output, **content}
        return {**output} if "output" in result else {**content}


OPENCODE = PluginHooks(
    "opencode",
    KnownTools(("overspill_",), ("bash",), ("read",)),
    SavedOutput(lambda: data_folder("opencode", "tool-output")),
)

# Kilo is made of opencode: it saves what is long in a folder of its own name.
KILO = OPENCODE._replace(agent="kilo", saved=SavedOutput(lambda: data_folder("kilo", "tool-output")))


def _saving_folder() -> str:
    return os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # where the agent writes


PI = PluginHooks(
    "pi",
    KnownTools(("overspill_",), ("bash", "powershell"), ("read",)),
    SavedOutput(_saving_folder, lambda rest: SAVED_NAME.fullmatch(rest) is not None, FRAME),
)

# A result is a list of entries, each with the text that one command or file gave. Of every text Cline shows 8,000
# characters, both ends of it, so no view may be longer.
CLINE = PluginHooks(
    "cline",
    KnownTools(("overspill_",), ("run_commands",), ("read_files", "read_file")),
    texts=("result", "text", "content"),
    most_chars=7_900,
)

HOOKS = {
    hooks.agent: AgentHooks(hooks.hook_of, hooks.answer, hooks.failure_answer) for hooks in (OPENCODE, KILO, PI, CLINE)
}
