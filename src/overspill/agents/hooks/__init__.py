"""Hooks of coding agents: `spill hook AGENT` reads the agent's event and answers in its format.

A file an agent, or two that are alike, says what it sends and what it honours. What they share stands here: an
`Overspill` for the agent's project and session, opened when it is first needed, and the texts in a tool's result,
whatever its shape. Those that may be long are fitted, all others redacted: a result as one JSON text, so that a name
counts for the value beside it. `shell.py` puts `overspill.sh` before a command, and is what that starts;
`writes.py` looks for marks of ours in what is about to be written. Only `cli` comes in here.
"""

from __future__ import annotations

import os
import stat
import sys
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json, load_module, of_json, suppress
from overspill.errors import ConfigError, OverspillError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import BinaryIO

    from overspill.api import Overspill
    from overspill.core.report import Fitted
    from overspill.workspace import Workspace


# What looks at a text is loaded where one is looked at: of an event before a command there is none.

Json = dict[str, object]

# The module of each agent.
HOMES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "copilot": "copilot",
    "opencode": "plugins",
    "kilo": "plugins",
    "pi": "plugins",
    "cline": "plugins",
    "qwen": "gemini",
    "cursor": "editors",
    "vscode": "editors",
}
MAX_NAME_CHARS = 100
TRIGGERS = ("auto", "manual")  # of a compaction
SAVED_SECONDS = 3600  # what an agent has just been told was not saved longer ago

OWN_TOOLS = ("get_artifact", "search_artifacts", "list_artifacts")
NOT_ALONE = frozenset(";&|<>$`()#\n\r")  # what a shell takes for more than the words of one command

# Bytes in disguise: a picture is no place for secrets, and a changed one is no picture.
OPAQUE = ("data", "blob", "base64")
MEDIA_TYPES = ("mimeType", "mime_type", "mediaType", "media_type", "type")
PICTURES = ("image", "audio", "video", "font/")
MEDIA = ("image/", "audio/", "video/", "font/", "application/")
VALUE_CHARS = 256  # a text on one line that is no longer may be a value: then what stands around it is its name
STAND_IN = "(text {} of this result)"
PICTURE_BYTES = 100  # what is smaller may be a key; to look at it does a picture no harm


class AgentHooks(NamedTuple):
    """What answers an agent's events: in which project and session, with what, and what is said when that fails."""

    hook_of: Callable[[Json], Hook]
    answer: Callable[[Json, Hook], Json]
    failure_answer: Callable[[Json, str], Json]


def agent_hooks(agent: str) -> AgentHooks:
    """What answers an agent's events. What its module imports is most of what a hook costs."""
    hooks: AgentHooks = load_module(f"{__name__}.{HOMES[agent]}").HOOKS[agent]
    return hooks


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
        from overspill.fit import fit_file
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
        from overspill.core import measure
        from overspill.store import VIEW, Label

        try:
            size = measure(view)
            return self.spill.store.put(view, size, Label(tool, VIEW, "what was shown")).id
        except (OverspillError, OSError):
            return None

    def note_hidden(self, before: str, after: str) -> None:
        """Remember what types of secrets were hidden in a text that is not fitted."""
        from overspill.fit.view import hidden_types, note_hidden

        note_hidden(self.spill.store, hidden_types(after) - hidden_types(before))

    def note_compaction(self, trigger: str = "") -> None:
        """A line in the journal: from here on the model has a summary instead of what it saw before."""
        facts = {"trigger": trigger} if trigger in TRIGGERS else {}
        with suppress(OverspillError, OSError):
            self.spill.workspace.tell("compact", {**facts, **self.spill.workspace.origin})

    def kept_results(self) -> str:
        """What a model is told when what it saw of its results is gone; empty where nothing is kept."""
        from overspill.agents.hooks.windows import kept_results

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


class KnownTools(NamedTuple):
    """The tools of an agent that are known by their exact names."""

    own: tuple[str, ...]  # with what the names of our server's tools begin
    shell: tuple[str, ...]
    reading: tuple[str, ...] = ()

    def fetches(self, tool: str, command: str = "") -> bool:
        """Whether a call fetches what was kept: that is fitted already, and never cut again.

        >>> tools = KnownTools(("mcp__overspill__",), ("Bash",))
        >>> tools.fetches("mcp__overspill__get_artifact"), tools.fetches("mcp__other__get_artifact")
        (True, False)
        >>> tools.fetches("Bash", "spill artifacts list"), tools.fetches("mcp__other__run", "spill artifacts list")
        (True, False)
        """
        if tool in self.shell:
            return is_own_command(command)
        return any(tool == f"{begin}{name}" for begin in self.own for name in OWN_TOOLS)


def is_own_command(command: str) -> bool:
    """Whether a line is one `spill artifacts` command and nothing else.

    >>> is_own_command("spill artifacts show art_1 --lines 1-900"), is_own_command("spill artifacts list; env")
    (True, False)
    """
    words = command.strip().removeprefix("acode ").removeprefix("spill ")
    return words.startswith("artifacts ") and words != command.strip() and not NOT_ALONE & set(words)


def fitted_result(hook: Hook, result: object, keys: Collection[str], tool: str, source: str = "") -> object:
    """The result with views in place of the texts under `keys`, and no secrets anywhere."""
    return mapped_result(
        hook, result, keys, lambda texts: [view.text for view in hook.fit_together(texts, tool, source)]
    )


def redacted_result(hook: Hook, result: object, keys: Collection[str] = ()) -> object:
    """The result without secrets; of the texts under `keys` only those that a name stands beside are looked at."""
    return mapped_result(hook, result, keys, lambda texts: texts)


def mapped_result(
    hook: Hook, result: object, keys: Collection[str], views_of: Callable[[list[str]], Sequence[str]]
) -> object:
    """A result of the same shape: its texts under `keys` as `views_of` shows them, everything else without secrets."""
    redacted = hook.spill.workspace.redacted_text
    safe, aside = result, Aside(keys)
    if isinstance(result, dict | list):
        plain = _json_text(map_texts(result, aside.put))
        shown = redacted(plain)
        safe = of_json(shown)  # if that is no JSON, nothing is shown
        if shown != plain:
            hook.note_hidden(plain, shown)

    def is_text(text: str, key: str) -> bool:
        return key in keys and not aside.is_opaque(text)

    texts: list[str] = []

    def collect(text: str, key: str, beside: Json) -> str:
        del beside
        if is_text(text, key):
            texts.append(aside.take(text))
        return text

    map_texts(safe, collect)
    views = iter(views_of(texts) if texts else ())

    def replace(text: str, key: str, beside: Json) -> str:
        del beside
        if is_text(text, key):
            return next(views)
        if aside.is_opaque(text):
            return aside.take(text)
        return redacted_blob(aside.take(text), redacted) if key in OPAQUE else redacted(text)

    return map_texts(safe, replace)


class Aside:
    """Texts that stand for themselves, and bytes in disguise: a short text holds their place in the JSON."""

    def __init__(self, keys: Collection[str]) -> None:
        self._keys = keys
        self._texts: dict[str, str] = {}
        self._opaque: set[str] = set()

    def put(self, text: str, key: str, beside: Json) -> str:
        """What holds the place of a text; itself if its name may matter."""
        opaque = is_opaque(text, key, beside)
        blob = key in OPAQUE and _blob_text(_blob_bytes(text) or b"")  # what it holds is looked at by itself
        if not (opaque or blob) and (key not in self._keys or (len(text) <= VALUE_CHARS and "\n" not in text)):
            return text
        place = STAND_IN.format(len(self._texts))
        self._texts[place] = text
        if opaque:
            self._opaque.add(place)
        return place

    def take(self, place: str) -> str:
        """The text whose place this is; any other text itself."""
        return self._texts.get(place, place)

    def is_opaque(self, place: str) -> bool:
        return place in self._opaque


def is_opaque(text: str, key: str, beside: Json) -> bool:
    """Whether a text is bytes in disguise: it decodes to no text, and the kind of bytes stands beside it.

    >>> is_opaque("iVBORw0KGgoA" * 12, "data", {"mimeType": "image/png"}), is_opaque("iVBORw0KGgoA" * 12, "data", {})
    (True, False)
    """
    if key not in OPAQUE or not any(str(beside.get(name, "")).startswith(MEDIA) for name in MEDIA_TYPES):
        return False
    content = _blob_bytes(text)
    return content is not None and len(content) >= PICTURE_BYTES and _blob_text(content) is None


def redacted_blob(blob: str, redacted: Callable[[str], str]) -> str:
    """A text in base64 without its secrets, in base64 again; anything else without its own.

    >>> redacted_blob("cGFzc3dvcmQ9MTIz", lambda text: text.replace("123", "***"))
    'cGFzc3dvcmQ9Kioq'
    >>> redacted_blob("no blob", str.upper)
    'NO BLOB'
    """
    content = _blob_bytes(blob)
    text = _blob_text(content) if content else None
    safe = redacted(text) if text else text
    if safe is None or safe == text:
        return redacted(blob)
    from binascii import b2a_base64

    return b2a_base64(safe.encode("utf-8", "replace"), newline=False).decode()


def text_in_bytes(block: Json) -> str:
    r"""The text that a block holds in base64, as Gemini and resources write it; empty for a picture, and for no text.

    >>> text_in_bytes({"inlineData": {"mimeType": "text/plain", "data": "YWxsIGlzIHdlbGw="}})
    'all is well'
    """
    inside = block.get("inlineData", block)
    if not isinstance(inside, dict) or any(str(inside.get(name, "")).startswith(PICTURES) for name in MEDIA_TYPES):
        return ""
    blob = next((inside[name] for name in OPAQUE if isinstance(inside.get(name), str)), "")
    return _blob_text(_blob_bytes(blob) or b"") or ""


def _blob_bytes(blob: str) -> bytes | None:
    """What a text in base64, of either alphabet and with or without lines, stands for; None if it is none."""
    from binascii import a2b_base64

    letters = blob.replace("\r", "").replace("\n", "").replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return a2b_base64(letters + "=" * (-len(letters) % 4), strict_mode=True)
    except ValueError:
        return None


def _blob_text(content: bytes) -> str | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def map_texts(
    value: object, change: Callable[[str, str, Json], str], key: str = "", beside: Json | None = None
) -> object:
    """A value of the same shape with every text changed; `change` is told under which key it stands, beside what.

    >>> map_texts({"content": [{"text": "a"}, 1]}, lambda text, key, beside: f"{text} in {key} of {len(beside)}")
    {'content': [{'text': 'a in text of 1'}, 1]}
    """
    if isinstance(value, str):
        return change(value, key, beside or {})
    if isinstance(value, list):
        return [map_texts(member, change, key, beside) for member in value]
    if isinstance(value, dict):
        return {name: map_texts(member, change, name, value) for name, member in value.items()}
    return value


def text_at(value: Json, *path: str) -> str:
    """The text at a path; empty where there is none."""
    here: object = value
    for name in path:
        here = here.get(name) if isinstance(here, dict) else None
    return here if isinstance(here, str) else ""


def one_text(result: object) -> str:
    r"""A result as the one text that stands for it where an agent can show no more than that.

    >>> one_text({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "..."}]})
    'a\n[image]'
    >>> one_text({"content": [{"type": "text", "text": "a"}], "structuredContent": {"a": 1}})
    '{"a": 1}'
    """
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(map(one_text, result))
    if not isinstance(result, dict):
        return "" if result is None else _result_json(result)
    if "structuredContent" in result:
        return _result_json(result["structuredContent"])
    for name in ("text", "content", "resource"):
        if name in result:
            return one_text(result[name])
    kind = "inlineData" if "inlineData" in result else result.get("type")  # the first: a picture, as Gemini writes it
    return text_in_bytes(result) or (f"[{kind}]" if isinstance(kind, str) else _result_json(result))


def _json_text(value: object) -> str:
    """JSON in which every letter is itself: rules for secrets do not read escapes."""
    text = in_json(value)
    return _result_json(value) if "\\u" in text else text


def _result_json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
