"""The calls of a journal, a row each: what the tool said, what the host would have shown, what we showed.

One result may have been looked at more than once: by the shell that ran the command, by a proxy, and by the agent's
hook, which sees what these made of it. That is one row. What is fetched later comes later, so the journal is read
twice: first for what was fetched, then call by call. Memory does not grow with its length.

What agents show by themselves of a long result was measured without us, and stands here with its source and its date:
whoever wants to know what we are worth has to know this first. What stands in no row is not known, and is not guessed.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping

from overspill._lite import NamedTuple
from overspill.core import VIEW, tokens_of
from overspill.journal.statistics import CUT_EVENTS, FIT_EVENTS, NO_TOOL, SOON, History, event_integer, event_seconds
from overspill.settings.table import tool_name

MEASURED = "make e2e E2E='--scenario figures'"
SHELL, FAILED_SHELL, SERVER, FILE = "shell", "failed shell", "server", "file"

# Frameworks hand a model all that a tool says, whatever its length.
FRAMEWORKS = frozenset(
    ("anthropic", "crewai", "google-adk", "langchain", "llama-index", "openai-agents", "pydantic-ai")
)


PATH_CHARS = 110  # of the path that some name to the file with all of it: about what it is in a user's home

OUR_TOOLS = "(our tools)"
KEPT_EARLIER = "(kept earlier)"
COMPACTION = "(compaction)"
FAILED, SECRETS, RERUN, COMPACTED = "failed", "secrets", "rerun", "compacted"
COMMANDS = "execute_command"
READING = frozenset(("read_file", "read_many_files", "view"))
TOGETHER = 60.0  # seconds within which a shell or a proxy and a hook speak of the same result
MAX_WAITING = 1_000  # rows that wait for more to come
MAX_FETCHED = 100_000  # artifacts whose fetches are remembered
MAX_COMMANDS = 20_000  # commands that are remembered, in case they are run again

Event = Mapping[str, object]


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


class CallChars(NamedTuple):
    """The columns in characters."""

    said: int = 0
    host: int | None = 0
    shown: int = 0
    fetched: int = 0
    ours: int = 0


class CallRow(NamedTuple):
    """One call of a tool. Sizes are in tokens, and in characters in `chars`."""

    at: str
    session: str
    tool: str
    agent: str = ""  # empty where nobody said which
    project: str = ""
    event: str = "pass"
    said: int = 0
    host: int | None = 0  # None where it is not known what the host would have shown
    shown: int = 0
    fetched: int = 0
    ours: int = 0
    chars: CallChars = CallChars()
    artifacts: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    call_id: str = ""
    fetches: int = 0

    @property
    def is_rerun(self) -> bool:
        """Whether the command had been run shortly before, and what it said then was cut: that is held against us."""
        return RERUN in self.marks

    @property
    def net(self) -> int | None:
        """Tokens that the model was spared; None where the host is not known. What was run again spared nothing."""
        spent = self.shown + self.fetched + self.ours
        if self.is_rerun:
            return -spent
        return None if self.host is None else self.host - spent


class FetchedParts(NamedTuple):
    """What was fetched of one artifact."""

    at: str
    session: str
    agent: str
    tokens: int = 0
    chars: int = 0
    times: int = 0


def call_rows(
    directory: str, *, project: str = "", session: str = "", since: str = "", until: str = ""
) -> Iterator[CallRow]:
    """The calls in a journal's directory, oldest first, each with all that is known of it now."""
    fetched = fetched_parts(directory, since)
    seen = CommandMemory()
    for call in joined_calls(History(directory, newest_first=False, since=since, until=until)):
        row = call.row(project, fetched)
        if call.command:
            row = seen.marked_row(row, call)
        if not session or row.session == session:
            yield row
    for artifact, parts in fetched.items():
        if (not session or parts.session == session) and (not until or parts.at <= until):
            yield _stray_fetch(artifact, parts, project)


def fetched_parts(directory: str, since: str = "") -> dict[str, FetchedParts]:
    """What was fetched, by artifact. A view that could be handed over in no other way was not fetched: it was shown."""
    found: dict[str, FetchedParts] = {}
    views: set[str] = set()
    for event in History(directory, newest_first=False, since=since, events=("create", "retrieve")):
        artifact = str(event.get("artifact_id"))
        if event["event"] == "create":
            if event.get("content_type") == VIEW:
                views.add(artifact)
        elif event.get("success") is True and artifact not in views and (artifact in found or len(found) < MAX_FETCHED):
            before = found.get(artifact) or FetchedParts(
                str(event["ts"]), str(event.get("session_id", "")), _text(event, "agent")
            )
            found[artifact] = before._replace(
                tokens=before.tokens + event_integer(event, "tokens"),
                chars=before.chars + event_integer(event, "size"),
                times=before.times + 1,
            )
    return found


def _stray_fetch(artifact: str, parts: FetchedParts, project: str) -> CallRow:
    """What was fetched of a result that is older than the journal, or is none: it costs all the same."""
    chars = CallChars(fetched=parts.chars)
    row = CallRow(parts.at, parts.session, KEPT_EARLIER, parts.agent, project, "retrieve", fetched=parts.tokens)
    return row._replace(chars=chars, artifacts=(artifact,), fetches=parts.times)


class LoggedCall:
    """The events of one result, added up."""

    def __init__(self, event: Event) -> None:
        self.first = self.last = event
        self.at = event_seconds(event)
        self.session = str(event.get("session_id", ""))
        self.tool = tool_name(str(event.get("tool_name") or "")) or NO_TOOL
        self.event = str(event["event"])
        self.door, self.agent, self.command = (_text(event, name) for name in ("door", "agent", "command"))
        self.call_id, self.model = _text(event, "call_id"), _text(event, "model")
        self.said = self.said_tokens = self.shown = self.shown_tokens = 0
        self.lines: int | None = 0
        self.artifacts: list[str] = []
        self.failed = self.secret = False
        self.is_from_server = self.door == "proxy" or self.tool.startswith(("mcp__", "mcp_"))
        self.pid: object = event.get("pid")
        self.add_part(event)

    def add_part(self, event: Event) -> None:
        """One more text of the same result."""
        self.said += event_integer(event, "original_size")
        self.said_tokens += event_integer(event, "original_tokens")
        lines = event.get("original_lines")  # older journals do not have it
        self.lines = self.lines + lines if isinstance(lines, int) and self.lines is not None else None
        self.shown += event_integer(event, "truncated_size")
        self.shown_tokens += event_integer(event, "truncated_tokens")
        self._add_marks(event)

    def join(self, later: LoggedCall) -> None:
        """What a hook made of what this call showed: what reaches the model is the hook's."""
        self.shown, self.shown_tokens = later.shown, later.shown_tokens
        self.session, self.pid, self.door = later.session, later.pid, later.door
        self.first = {**self.first, "tool_name": later.first.get("tool_name")}
        self.tool = later.tool if self.tool == NO_TOOL else self.tool
        self.agent, self.call_id, self.model = later.agent or self.agent, later.call_id, later.model
        self.failed |= later.failed
        self.secret |= later.secret
        self.event = self.event if self.event != "pass" else later.event
        self.artifacts += later.artifacts

    def _add_marks(self, event: Event) -> None:
        artifact = event.get("artifact_id")
        if isinstance(artifact, str):
            self.artifacts.append(artifact)
        self.failed |= event.get("failed") is True
        self.secret |= bool(event.get("redactions"))
        if event["event"] != "pass":
            self.event = str(event["event"])

    @property
    def same_process(self) -> tuple[object, ...]:
        """What events of one process for one result share. Numbers of processes come again, in containers at once."""
        return self.pid, self.session, self.call_id, self.command, self.first.get("tool_name")

    @property
    def kind(self) -> str:
        """Which of the host's limits it would have met."""
        if self.command or self.tool == COMMANDS:
            return FAILED_SHELL if self.failed else SHELL
        return FILE if self.tool in READING else SERVER if self.is_from_server else ""

    def row(self, project: str, fetched: dict[str, FetchedParts]) -> CallRow:
        """All of it, and what was fetched of it, which is counted for no other row."""
        parts = [fetched.pop(artifact) for artifact in self.artifacts if artifact in fetched]
        host = host_chars(self.agent, self.kind, self.said, self.lines)
        chars = CallChars(self.said, host, self.shown, sum(part.chars for part in parts))
        marks = [mark for mark, is_set in ((FAILED, self.failed), (SECRETS, self.secret)) if is_set]
        return CallRow(
            str(self.first["ts"]),
            self.session,
            self.tool,
            self.agent,
            project,
            self.event,
            self.said_tokens,
            self._host_tokens(host),
            self.shown_tokens,
            sum(part.tokens for part in parts),
            0,
            chars,
            tuple(self.artifacts),
            tuple(marks),
            self.call_id,
            sum(part.times for part in parts),
        )

    def _host_tokens(self, chars: int | None) -> int | None:
        """In the measure in which the result itself was counted."""
        if chars is None or chars == self.said:
            return None if chars is None else self.said_tokens
        return round(chars * self.said_tokens / self.said) if self.said else tokens_of(chars)


def joined_calls(events: Iterable[Event]) -> Iterator[LoggedCall]:
    """The results of a journal, each once, in the order in which they were first looked at."""
    waiting = WaitingCalls()
    for event in events:
        name = event["event"]
        if name == "describe":
            waiting.put(DescribedTools(event))
        elif name == "compact":
            waiting.put(CompactedContext(event))
        elif name in FIT_EVENTS and event.get("tool_name") != "hook":
            waiting.take(LoggedCall(event), event)
        else:
            continue
        yield from waiting.ready_calls()
    yield from waiting.ready_calls(everything=True)


def first_looks(events: Iterable[Event]) -> Iterator[Event]:
    """The events of a journal without those by which a result was looked at once more."""
    waiting = WaitingCalls()
    for event in events:
        is_look = event["event"] in FIT_EVENTS and "door" in event
        if not is_look or waiting.take(LoggedCall(event), event):
            yield event
        for _ in waiting.ready_calls():
            pass


class WaitingCalls:
    """Results that may be looked at once more, found by what a later look knows of them."""

    def __init__(self) -> None:
        self._calls: OrderedDict[int, LoggedCall] = OrderedDict()
        self._hooks: dict[tuple[object, ...], int] = {}
        self._shells: dict[tuple[str, str], deque[int]] = {}
        self._proxies: OrderedDict[int, LoggedCall] = OrderedDict()
        self._number = 0
        self._now = 0.0

    def put(self, call: LoggedCall) -> None:
        """Let a new result wait."""
        self._number += 1
        self._now = call.at
        self._calls[self._number] = call
        if call.door == "hook":
            self._hooks[call.same_process] = self._number
        elif call.door == "shell":
            self._shells.setdefault((call.session, call.command), deque()).append(self._number)
        elif call.door == "proxy":
            self._proxies[self._number] = call

    def take(self, call: LoggedCall, event: Event) -> bool:
        """Add a result to those that wait, or to the one that it is another look at; whether it is a new one."""
        if call.door == "hook":
            known = self._hooks.get(call.same_process)
            if known is not None:
                self._calls[known].add_part(event)  # a hook is a process of its own: all it tells is of one result
                return False
            before = self._seen_before(call)
            if before is not None:
                self._calls[before].join(call)
                self._hooks[call.same_process] = before
                return False
        self.put(call)
        return True

    def _seen_before(self, hooked: LoggedCall) -> int | None:
        """The oldest result that a shell or a proxy looked at and a hook looks at now."""
        shells = self._shells.get((hooked.session, hooked.command)) if hooked.command else None
        if shells:
            return shells.popleft()
        for number, call in self._proxies.items():
            if hooked.tool.endswith(call.tool) and call.agent in {"", hooked.agent}:
                del self._proxies[number]
                return number
        return None

    def ready_calls(self, *, everything: bool = False) -> Iterator[LoggedCall]:
        """Those of which nothing more is expected; they wait no longer."""
        while self._calls:
            number, call = next(iter(self._calls.items()))
            if not everything and len(self._calls) <= MAX_WAITING and self._now - call.at <= TOGETHER:
                return
            del self._calls[number]
            self._hooks.pop(call.same_process, None)
            self._proxies.pop(number, None)
            shells = self._shells.get((call.session, call.command))
            if shells and shells[0] == number:
                shells.popleft()
            if shells is not None and not shells:
                del self._shells[call.session, call.command]
            yield call


class DescribedTools(LoggedCall):
    """What the descriptions of our tools take of a session's context."""

    def row(self, project: str, fetched: dict[str, FetchedParts]) -> CallRow:
        """A row without a result."""
        del fetched
        tokens, chars = event_integer(self.first, "tokens"), event_integer(self.first, "chars")
        row = CallRow(str(self.first["ts"]), self.session, OUR_TOOLS, self.agent, project, "describe", ours=tokens)
        return row._replace(chars=CallChars(ours=chars))


class CompactedContext(LoggedCall):
    """That a session's context was compacted: a mark between the results before it and those after."""

    def row(self, project: str, fetched: dict[str, FetchedParts]) -> CallRow:
        """A row without a result, and without a cost that is known."""
        del fetched
        row = CallRow(str(self.first["ts"]), self.session, COMPACTION, self.agent, project, "compact")
        return row._replace(marks=(COMPACTED,))


class CommandMemory:
    """Which commands were run of late, and whether what they said was cut."""

    def __init__(self) -> None:
        self._cut_at: OrderedDict[tuple[str, str], float] = OrderedDict()

    def marked_row(self, row: CallRow, call: LoggedCall) -> CallRow:
        """The row, marked if the same command was run shortly before and what it said then was cut."""
        key = (call.session, call.command)
        before = self._cut_at.pop(key, None)
        if row.event in CUT_EVENTS:
            self._cut_at[key] = call.at
            if len(self._cut_at) > MAX_COMMANDS:
                self._cut_at.popitem(last=False)
        is_soon = before is not None and 0 <= call.at - before <= SOON
        return row._replace(marks=(*row.marks, RERUN)) if is_soon else row


def _text(event: Event, name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""
