"""Events of coding agents in the shapes they were recorded in, with results of the tests' own.

Those of Cursor and VS Code were recorded by nobody: they have the shapes that the documentation shows.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, cast

from doors_kit import Shell, ok

SAMPLES = Path(__file__).parents[1] / "samples" / "hooks"
Json = dict[str, object]


def recorded(name: str) -> Json:
    """An event as an agent sent it."""
    return cast("Json", json.loads((SAMPLES / f"{name}.json").read_text()))


def at(value: object, *path: str | int) -> object:
    """What stands at a path; None where nothing does."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def put(value: object, new: object, *path: str | int) -> None:
    """Put something else in that place."""
    *way, last = path
    here = at(value, *way)
    if isinstance(here, dict):
        here[str(last)] = new
    else:
        assert isinstance(here, list)
        assert isinstance(last, int)
        here[last] = new


def put_place(event: Json, place: Path) -> None:
    """Let an event come from the project `place`."""
    for name in ("cwd", "directory"):
        if name in event:
            event[name] = str(place)
    if "workspace_roots" in event:
        event["workspace_roots"] = [str(place)]


class Way(NamedTuple):
    """One way in which a result reaches a hook, and a view the model."""

    agent: str
    sample: str
    text: tuple[str | int, ...]  # where the text stands in the event
    seen: tuple[str | int, ...]  # where the view stands in the answer
    session: str = "session_id"
    file: Callable[[Json, str], None] | None = None  # tells the event of a file that holds all of it
    ending: str = ""
    saved: str = ""  # where the agent saves that file, below the home of its user
    as_text: str = ""  # the member that the agent sends as JSON in a text

    def event(self, text: str, place: Path) -> Json:
        """The event of a result in the project `place`, which lies in the home of its user."""
        event = recorded(f"{self.agent}/{self.sample}")
        put_place(event, place)
        if self.file is None:
            put(event, text + self.ending, *self.text)
        else:
            whole = place.parent / self.saved
            whole.parent.mkdir(parents=True, exist_ok=True)
            whole.write_text(text)
            self.file(event, str(whole))
        if self.as_text:
            event[self.as_text] = json.dumps(event[self.as_text])
        return event


def _persisted(event: Json, path: str) -> None:
    put(event, path, "tool_response", "persistedOutputPath")
    put(event, Path(path).read_text()[:30_000], "tool_response", "stdout")


def _saved(event: Json, path: str) -> None:
    said = f"Output too large to read at once (340.7 KB). Saved to: {path}\nConsider using tools.\n\nPreview:\n1\n2"
    put(event, said + EXIT, "toolResult", "textResultForLlm")


def _output_path(event: Json, path: str) -> None:
    put(event, path, "result", "metadata", "outputPath")
    put(event, f"...the end of it\n\nFull output saved to: {path}", "result", "output")


def _qwen_saved(event: Json, path: str) -> None:
    head = f"Tool output was too large and has been truncated.\nThe full output has been saved to: {path}\nTo read it"
    put(event, f"{head}\nTruncated part of the output:\n1\n2", "tool_response", "llmContent")


def _pi_saved(event: Json, path: str) -> None:
    put(
        event,
        f"the end of it\n\n[Showing lines 9-9 of 9 (50.0KB limit). Full output: {path}]{PI_EXIT}",
        "result",
        "output",
    )


PI_EXIT = "\n\nCommand exited with code 3"
EXIT = "\n<shellId: 3 completed with exit code 3>"
OUTPUT = ("hookSpecificOutput", "updatedToolOutput")
CLAUDE_SAVES = ".claude/projects/-home-me-project/7837a3b5-062c-4e4d-bb7d-cd5e485024e7/tool-results/b1nol5azh.txt"
COPILOT_SAVES = "tmp/1794800448645-copilot-tool-output-1635-39b99174-d381-4882-90c7-151bd60e81a9.txt"  # in TMPDIR
OPENCODE_SAVES = ".local/share/opencode/tool-output/tool_b2e37485d001"
KILO_SAVES = OPENCODE_SAVES.replace("opencode", "kilo")
PI_SAVES = "tmp/pi-bash-b1a6ebb2e2eca2b9.log"  # in TMPDIR
QWEN_SAVES = ".qwen/tmp/709fcdd4864d80a2/run_shell_command_e5e72ae7609b.output"
ENTRY = ("result", "content", 0, "result")
ANSWER = ("modifiedResult", "textResultForLlm")

WAYS = {
    "claude bash": Way("claude-code", "bash", ("tool_response", "stdout"), (*OUTPUT, "stdout")),
    "claude stderr": Way("claude-code", "bash", ("tool_response", "stderr"), (*OUTPUT, "stderr")),
    "claude file": Way("claude-code", "bash-long", (), (*OUTPUT, "stdout"), file=_persisted, saved=CLAUDE_SAVES),
    "claude grep": Way("claude-code", "grep", ("tool_response", "content"), (*OUTPUT, "content")),
    "claude mcp": Way("claude-code", "mcp", ("tool_response", 0, "text"), (*OUTPUT, 0, "text")),
    "claude structured": Way("claude-code", "mcp-structured", ("tool_response",), OUTPUT),
    "codex bash": Way("codex", "bash", ("tool_response",), ("reason",)),
    "codex mcp": Way("codex", "mcp", ("tool_response", "content", 0, "text"), ("reason",)),
    "copilot bash": Way("copilot", "bash", ("toolResult", "textResultForLlm"), ANSWER, "sessionId", ending=EXIT),
    "copilot file": Way("copilot", "bash-long", (), ANSWER, "sessionId", _saved, EXIT, COPILOT_SAVES),
    "copilot mcp": Way("copilot", "mcp-long", ("toolResult", "textResultForLlm"), ANSWER, "sessionId"),
    "opencode bash": Way("opencode", "bash", ("result", "output"), ("output",), "sessionID"),
    "opencode file": Way("opencode", "bash", (), ("output",), "sessionID", _output_path, saved=OPENCODE_SAVES),
    "opencode mcp": Way("opencode", "mcp", ("result", "content", 0, "text"), ("content", 0, "text"), "sessionID"),
    "kilo bash": Way("kilo", "bash", ("result", "output"), ("output",), "sessionID"),
    "kilo file": Way("kilo", "bash", (), ("output",), "sessionID", _output_path, saved=KILO_SAVES),
    "kilo mcp": Way("kilo", "mcp", ("result", "content", 0, "text"), ("content", 0, "text"), "sessionID"),
    "pi bash": Way("pi", "bash", ("result", "output"), ("output",), "sessionID", ending=PI_EXIT),
    "pi file": Way("pi", "bash-long", (), ("output",), "sessionID", _pi_saved, PI_EXIT, PI_SAVES),
    "cline bash": Way("cline", "bash", ENTRY, ENTRY[1:], "sessionID"),
    "cline failed": Way("cline", "bash-failed", ENTRY, ENTRY[1:], "sessionID"),
    "cline mcp": Way(
        "cline", "mcp", ("result", "content", "content", 0, "text"), ("content", "content", 0, "text"), "sessionID"
    ),
    "cline error": Way("cline", "error", ("result", "output"), ("output",), "sessionID"),
    "qwen shell": Way("qwen", "shell", ("tool_response", "llmContent"), ("stopReason",)),
    "qwen file": Way("qwen", "shell", (), ("stopReason",), file=_qwen_saved, saved=QWEN_SAVES),
    "qwen mcp": Way("qwen", "mcp", ("tool_response", "llmContent", 0, "text"), ("stopReason",)),
    "cursor mcp": Way(
        "cursor",
        "mcp",
        ("tool_output", "content", 0, "text"),
        ("updated_mcp_tool_output", "content", 0, "text"),
        "conversation_id",
        as_text="tool_output",
    ),
    "gemini shell": Way("gemini", "shell", ("tool_response", "llmContent"), ("view",)),
    "gemini mcp": Way("gemini", "mcp", ("tool_response", "llmContent", 0, "text"), ("view",)),
}

FITTING = tuple(dict.fromkeys(way.agent for way in WAYS.values()))  # agents that let a hook replace a result


def told(shell: Shell, agent: str, event: object) -> str:
    """What the agent is told, and what it can fetch because of that, as one text."""
    said = shell.hooked(agent, json.dumps(event))
    artifact = at(json.loads(said), "hookSpecificOutput", "tailToolCallRequest", "args", "id")
    return said + (ok(shell.spill("artifacts", "export", str(artifact), "-")).out if artifact else "")


class WriteForm(NamedTuple):
    """One way in which an agent is about to write a file, and where its answer says that it must not."""

    agent: str
    sample: str
    path: tuple[str | int, ...]
    new: tuple[str | int, ...]
    denied: tuple[str | int, ...]
    old: tuple[str | int, ...] = ()
    written: Callable[[str, str], str] = lambda _, text: text  # the text as it stands in the event
    tool: str = ""

    def event(self, place: Path, path: Path, text: str, before: str = "") -> Json:
        """The event of a text on its way into the file at `path`, in the place of another one."""
        event = recorded(f"{self.agent}/{self.sample}")
        put_place(event, place)
        if self.tool:
            event["tool_name"] = self.tool
        if self.path:
            put(event, str(path), *self.path)
        put(event, self.written(str(path), text), *self.new)
        if self.old:
            put(event, before, *self.old)
        return event


def _added(path: str, text: str) -> str:
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"


def _updated(path: str, text: str) -> str:
    lines = "".join(f"+{line}\n" for line in text.split("\n"))
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n def main():\n-    pass\n{lines}*** End Patch"


REASON = ("hookSpecificOutput", "permissionDecisionReason")
WRITES = {
    "claude Write": WriteForm(
        "claude-code", "write-before", ("tool_input", "file_path"), ("tool_input", "content"), REASON
    ),
    "claude Edit": WriteForm(
        "claude-code",
        "edit-before",
        ("tool_input", "file_path"),
        ("tool_input", "new_string"),
        REASON,
        ("tool_input", "old_string"),
    ),
    "codex patch": WriteForm("codex", "patch-before", (), ("tool_input", "command"), REASON, written=_added),
    "codex update": WriteForm("codex", "patch-before", (), ("tool_input", "command"), REASON, written=_updated),
    "codex shell": WriteForm(
        "codex",
        "patch-before",
        (),
        ("tool_input", "command"),
        REASON,
        written=lambda path, text: f"apply_patch <<'EOF'\n{_added(path, text)}\nEOF\n",
        tool="Bash",
    ),
    "gemini write_file": WriteForm(
        "gemini", "write-before", ("tool_input", "file_path"), ("tool_input", "content"), ("reason",)
    ),
    "gemini replace": WriteForm(
        "gemini",
        "replace-before",
        ("tool_input", "file_path"),
        ("tool_input", "new_string"),
        ("reason",),
        ("tool_input", "old_string"),
    ),
    "copilot create": WriteForm(
        "copilot", "create-before", ("toolArgs", "path"), ("toolArgs", "file_text"), ("permissionDecisionReason",)
    ),
    "copilot edit": WriteForm(
        "copilot",
        "edit-before",
        ("toolArgs", "path"),
        ("toolArgs", "new_str"),
        ("permissionDecisionReason",),
        ("toolArgs", "old_str"),
    ),
    "kilo write": WriteForm("kilo", "write-before", ("args", "filePath"), ("args", "content"), ("stop",)),
    "kilo edit": WriteForm(
        "kilo", "edit-before", ("args", "filePath"), ("args", "newString"), ("stop",), ("args", "oldString")
    ),
    "pi write": WriteForm("pi", "write-before", ("args", "path"), ("args", "content"), ("stop",)),
    "pi edit": WriteForm(
        "pi",
        "edit-before",
        ("args", "path"),
        ("args", "edits", 0, "newText"),
        ("stop",),
        ("args", "edits", 0, "oldText"),
    ),
    "cline write": WriteForm("cline", "write-before", ("args", "path"), ("args", "new_text"), ("stop",)),
    "cline edit": WriteForm(
        "cline", "edit-before", ("args", "path"), ("args", "new_text"), ("stop",), ("args", "old_text")
    ),
    "qwen write_file": WriteForm(
        "qwen", "write-before", ("tool_input", "file_path"), ("tool_input", "content"), REASON
    ),
    "qwen edit": WriteForm(
        "qwen",
        "edit-before",
        ("tool_input", "file_path"),
        ("tool_input", "new_string"),
        REASON,
        ("tool_input", "old_string"),
    ),
    "cursor Write": WriteForm(
        "cursor", "write-before", ("tool_input", "file_path"), ("tool_input", "content"), ("agent_message",)
    ),
    "cursor edit": WriteForm(
        "cursor",
        "edit-before",
        ("tool_input", "file_path"),
        ("tool_input", "new_string"),
        ("agent_message",),
        ("tool_input", "old_string"),
    ),
    "vscode create_file": WriteForm(
        "vscode", "create-before", ("tool_input", "filePath"), ("tool_input", "content"), REASON
    ),
    "vscode replace": WriteForm(
        "vscode",
        "replace-before",
        ("tool_input", "filePath"),
        ("tool_input", "newString"),
        REASON,
        ("tool_input", "oldString"),
    ),
    "opencode write": WriteForm("opencode", "write-before", ("args", "filePath"), ("args", "content"), ("stop",)),
    "opencode edit": WriteForm(
        "opencode", "edit-before", ("args", "filePath"), ("args", "newString"), ("stop",), ("args", "oldString")
    ),
}
