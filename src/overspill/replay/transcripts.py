"""Transcripts of coding agents, read step by step: what the model said, and what tools said to it.

Claude Code writes `~/.claude/projects/PROJECT/SESSION.jsonl`, Codex `~/.codex/sessions/YEAR/MONTH/DAY/rollout-*.jsonl`,
a line of JSON for each thing that happened.
Lines of other kinds, of other versions and broken ones are passed over. Nothing is ever written.
"""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import TypeVar

from overspill._lite import NamedTuple, compile_pattern, suppress

MAX_LINE_BYTES = 1 << 26
MAX_SAVED_BYTES = 1 << 26  # of a file in which an agent saved what a tool said
MAX_PENDING = 1_000  # calls whose results have not come yet
CODEX_FRAME = compile_pattern(r"\A(?:[^\n]*\n){0,5}?Output:\n")
CLAUDE_FRAME = compile_pattern(r"\A(?:Error: )?Exit code \d+\n?")
CLAUDE_NUMBERS = compile_pattern(r"(?m)^ *\d+(?:\t|→)")
EXIT_STATUS = compile_pattern(r"(?m)^Process exited with code ([0-9]+)$")
NO_OUTPUT = "(Bash completed with no output)"

Json = Mapping[str, object]
Value = TypeVar("Value")


class Spoken(NamedTuple):
    """Something that the model said: a text, or a call with all its arguments."""

    text: str


class Asked(NamedTuple):
    """Something that the user said."""

    text: str


class ToolOutput(NamedTuple):
    """What a tool said."""

    agent: str
    tool: str
    command: str
    said: str  # all of it, as far as it is known
    host: str  # as the agent showed it to the model
    failed: bool = False
    is_whole: bool = True  # whether `said` is all that the tool said


TranscriptStep = Spoken | Asked | ToolOutput


class Transcript(Iterator[TranscriptStep]):
    """The steps of one file, in order. Lines that cannot be read are counted in `unread`."""

    def __init__(self, path: str) -> None:
        self.unread = 0
        self._path = path
        self._calls: OrderedDict[str, tuple[str, str]] = OrderedDict()  # by id: the tool, and its command
        self._outputs: OrderedDict[str, tuple[str, bool]] = OrderedDict()  # by id: all of it, and whether it failed
        self._found = self._read()

    def __next__(self) -> TranscriptStep:
        return next(self._found)

    def _read(self) -> Iterator[TranscriptStep]:
        from msgspec import DecodeError
        from msgspec.json import Decoder

        decode = Decoder(dict[str, object]).decode
        for line in bounded_lines(self._path):
            if line is None:
                self.unread += 1
                continue
            try:
                event = decode(line)
            except (DecodeError, UnicodeDecodeError, RecursionError):
                self.unread += bool(line.strip())
                continue
            payload = event.get("payload")
            if isinstance(payload, dict):
                yield from self._codex_steps(str(event.get("type")), payload)
            else:
                yield from self._claude_steps(event)

    # -- Claude Code ---------------------------------------------------------------------------------------------------

    def _claude_steps(self, event: Json) -> Iterator[TranscriptStep]:
        message = event.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        is_model = event.get("type") == "assistant"
        if isinstance(content, str):
            yield Spoken(content) if is_model else Asked(content)
        results = sum(block.get("type") == "tool_result" for block in blocks)
        for block in blocks:
            match block.get("type"):
                case "tool_use":
                    asked = block.get("input")
                    _remember(self._calls, str(block.get("id")), (str(block.get("name")), _command_in(asked)))
                    yield Spoken(texts_in(asked))
                case "tool_result":
                    # What the tool itself answered stands beside the message, which may hold several results.
                    whole = event.get("toolUseResult") if results == 1 else None
                    yield self._claude_output(block, whole)
                case "text" | "thinking":
                    text = str(block.get("text") or block.get("thinking") or "")
                    yield Spoken(text) if is_model else Asked(text)

    def _claude_output(self, block: Json, whole: object) -> ToolOutput:
        tool, command = self._calls.pop(str(block.get("tool_use_id")), ("", ""))
        host = CLAUDE_FRAME.sub("", texts_in(block.get("content")))
        host = "" if host == NO_OUTPUT else host
        if tool == "Read":
            host = CLAUDE_NUMBERS.sub("", host)
        said, is_whole = host, True
        if isinstance(whole, dict) and isinstance(whole.get("persistedOutputPath"), str):
            saved = self._saved_text(str(whole["persistedOutputPath"]))
            is_whole = saved is not None
            said = saved if saved is not None else str(whole.get("stdout", ""))
        elif isinstance(whole, dict) and isinstance(whole.get("stdout"), str):
            said = "\n".join(filter(None, (str(whole["stdout"]), str(whole.get("stderr") or ""))))
        elif isinstance(whole, list) or (isinstance(whole, str) and not block.get("is_error")):
            said = texts_in(whole)
        longer = said if len(said) > len(host) else host
        return ToolOutput("claude-code", tool, command, longer, host, block.get("is_error") is True, is_whole)

    def _saved_text(self, path: str) -> str | None:
        """What Claude Code saved of a long result: beside the transcript, wherever that has been moved since."""
        beside = os.path.join(self._path.removesuffix(".jsonl"), "tool-results", os.path.basename(path))
        with suppress(OSError, ValueError):
            file = os.open(beside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(file, "rb") as saved:
                found = os.fstat(file)
                if stat.S_ISREG(found.st_mode) and found.st_size <= MAX_SAVED_BYTES:
                    return saved.read(MAX_SAVED_BYTES).decode("utf-8", "replace")
        return None

    # -- Codex ---------------------------------------------------------------------------------------------------------

    def _codex_steps(self, kind: str, payload: Json) -> Iterator[TranscriptStep]:
        if kind == "event_msg":
            self._note_codex_output(payload)
            return
        if kind != "response_item":
            return
        match payload.get("type"):
            case "function_call" | "custom_tool_call" | "local_shell_call":
                asked = _decoded(payload.get("arguments", payload.get("input", payload.get("action"))))
                call = (str(payload.get("name", "local_shell")), _command_in(asked))
                _remember(self._calls, str(payload.get("call_id")), call)
                yield Spoken(texts_in(asked))
            case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
                yield self._codex_output(payload)
            case "message":
                text = texts_in(payload.get("content"))
                yield Spoken(text) if payload.get("role") == "assistant" else Asked(text)
            case "reasoning":
                yield Spoken(texts_in(payload.get("summary")))

    def _note_codex_output(self, payload: Json) -> None:
        """What a command said in all stands in an event before the result."""
        item = payload.get("item")
        source: Json = item if isinstance(item, dict) else payload
        identity, text = source.get("id", source.get("call_id")), source.get("aggregated_output")
        if isinstance(identity, str) and isinstance(text, str):
            status = source.get("exit_code")
            _remember(self._outputs, identity, (text, isinstance(status, int) and status != 0))

    def _codex_output(self, payload: Json) -> ToolOutput:
        identity = str(payload.get("call_id"))
        tool, command = self._calls.pop(identity, ("", ""))
        said, failed = self._outputs.pop(identity, ("", False))
        shown = texts_in(payload.get("output"))
        status = EXIT_STATUS.search(shown[:500])
        host = CODEX_FRAME.sub("", shown)
        failed = failed or (status is not None and status[1] != "0")
        return ToolOutput("codex", tool, command, said if len(said) > len(host) else host, host, failed)


def bounded_lines(path: str) -> Iterator[bytes | None]:
    """The lines of a file; None in the place of one that is too long to be held."""
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE_BYTES):
            if line.endswith(b"\n") or len(line) < MAX_LINE_BYTES:
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield None


def texts_in(value: object) -> str:
    r"""All texts in a value, wherever they stand in it; pictures are none.

    >>> texts_in([{"type": "text", "text": "a"}, {"type": "image", "source": {"data": "iVBO"}}, {"n": 1, "b": ["c"]}])
    'a\nc'
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(texts_in, value)))
    if isinstance(value, dict):
        if value.get("type") in {"image", "input_image", "document"}:
            return ""
        return "\n".join(filter(None, (texts_in(member) for name, member in value.items() if name != "type")))
    return ""


def _decoded(asked: object) -> object:
    """What a call asks for; some write it as JSON in a text."""
    if isinstance(asked, str):
        from msgspec import DecodeError
        from msgspec.json import decode

        with suppress(DecodeError, UnicodeError, RecursionError):
            return decode(asked)
    return asked


def _command_in(asked: object) -> str:
    """The command of a call, if it runs one."""
    if not isinstance(asked, dict):
        return ""
    command = asked.get("command", asked.get("cmd"))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return command if isinstance(command, str) else ""


def _remember(known: OrderedDict[str, Value], name: str, value: Value) -> None:
    known[name] = value
    if len(known) > MAX_PENDING:
        known.popitem(last=False)


def transcript_files(path: str) -> Iterator[str]:
    """A file, or all transcripts below a directory, in order; links are not followed."""
    if not os.path.isdir(path):
        yield path
        return
    for place, folders, names in os.walk(path):
        folders[:] = sorted(folder for folder in folders if folder != "tool-results")
        yield from (os.path.join(place, name) for name in sorted(names) if name.endswith(".jsonl"))


def usual_places(environ: Mapping[str, str]) -> list[str]:
    """Where the agents of this user keep their transcripts, as far as there are any."""
    home = environ.get("HOME") or os.path.expanduser("~")
    claude = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    codex = environ.get("CODEX_HOME") or os.path.join(home, ".codex")
    return list(filter(os.path.isdir, (os.path.join(claude, "projects"), os.path.join(codex, "sessions"))))
