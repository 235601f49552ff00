"""`spill session start | end | list | show | update`, and `spill log`: the journal of what happened, newest first."""

from __future__ import annotations

from hashlib import blake2b

from overspill._lite import TYPE_CHECKING
from overspill.cli.artifacts import moment_of, stamp_of
from overspill.cli.opening import open_workspace
from overspill.cli.output import dumps, print_answer
from overspill.cli.tables import Listing, PageAnchor, anchor_by, answer_page, count_of, visible
from overspill.core import human_bytes
from overspill.errors import UsageError
from overspill.journal.statistics import Event, History
from overspill.lists import compact_session
from overspill.store import housekeeping
from overspill.store.sessions import NAME_WIDTH, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.ledger import Ledger
    from overspill.workspace import Workspace


Record = dict[str, object]

WIDEST_NAME = 60  # characters in a table
HEAD = ("Name", "ID", "Artifacts", "Size", "Last used", "State")
OWN = "(the root's own)"
WORDS = {
    "held": "in use by a running process",
    "anchored": "its process is running",
    "used": "alive",
    "ended": "ended, kept for a while",
    "idle": "over, to be swept",
}

ASIDE = ("pid", "version")  # seldom of use to whoever looks for what happened
FIRST = ("ts", "event", "session_id")
WIDTH = 110


def start(call: CommandCall) -> int:
    """Begin a session that stands in for the root's own."""
    workspace = open_workspace(call)
    store = workspace.files
    name = call.arguments[0] if call.arguments else call.text("--session") or ""
    if len(name) > NAME_WIDTH or visible(name) != name:
        raise UsageError(f"a session's name is one printable line of at most {NAME_WIDTH:,} characters")
    if not _has_words(call):
        session, about = housekeeping.start_session(store, name), None
    else:
        with workspace.ledger(write=True) as ledger:
            if focus := call.text("--focus"):
                ledger.show(focus)
            session = housekeeping.start_session(store, name)
            _change_session(call, ledger, session)
            about = ledger.sessions([session.id])[session.id]
    text = f"Started session {visible(session.name)} ({session.id})\n"
    return print_answer(call, "session", session_record(session, about), text)


def end(call: CommandCall) -> int:
    """End a session, and say whether what it kept is gone."""
    workspace = open_workspace(call, forgiving=False)
    settings, store = workspace.settings, workspace.files
    named = call.arguments[0] if call.arguments else ""
    name = workspace.redacted_text(named) or store.session.name
    keep = not settings.flag("tools.truncation.artifacts.cleanup_on_exit")
    stays = housekeeping.keeps_artifacts(store, named, keep=keep)
    cleared = housekeeping.end_session(store, named, keep=keep)
    kept_for = time_in_words(settings.integer("sessions.keep_ended"))
    gone = f"removed {count_of(cleared.artifacts, 'artifact')} ({human_bytes(cleared.bytes)} freed)"
    text = f"Ended session {visible(name) or OWN}: {f'what it kept stays for {kept_for}' if stays else gone}\n"
    value: Record = {"name": name, "removed": cleared._asdict(), "stays": stays}
    for state in housekeeping.list_sessions(store) if name else ():
        if state.name == name and state.why == "ended":
            value |= session_record(state, _ledger_words(workspace, [state.id]).get(state.id))
    return print_answer(call, "session", value, text)


def _clipped(name: str) -> str:
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME - 3]}..."


def time_in_words(seconds: int) -> str:
    """A span of time in the largest unit that says it exactly.

    >>> time_in_words(86_400), time_in_words(90 * 60), time_in_words(1)
    ('24 hours', '90 minutes', '1 second')
    """
    length, noun = next(((s, n) for s, n in ((3600, "hour"), (60, "minute")) if seconds % s == 0), (1, "second"))
    return count_of(seconds // length, noun)


def list_(call: CommandCall) -> int:
    """The sessions that can be seen from here, the newest first."""
    workspace = open_workspace(call)
    settings, store = workspace.settings, workspace.files
    found = sorted(housekeeping.list_sessions(store), key=_session_age, reverse=True)
    anchor, base = PageAnchor.of(call), 0
    if anchor is not None:
        found, base = [session for session in found if _session_age(session) < _age_in(anchor.key)], anchor.place + 1
    about = _ledger_words(workspace, [session.id for session in found])
    listing = Listing(
        "sessions",
        "session",
        "Sessions",
        HEAD,
        _session_row,
        encode=lambda session: dumps(compact_session(session_record(session, about.get(session.id, {})))),
    )
    return answer_page(call, settings, found, listing, as_of=anchor_by(_session_key), base=base)


def show(call: CommandCall) -> int:
    """One session, by name or id, or the one in use."""
    workspace = open_workspace(call)
    store = workspace.files
    session = housekeeping.show_session(store, call.arguments[0] if call.arguments else "")
    about = _ledger_words(workspace, [session.id]).get(session.id, {})
    stats = session_stats(workspace.logs.path, session.id)
    value = session_record(session, about) | {"stats": stats}
    lines = [
        f"Session: {visible(session.name) or OWN}",
        f"ID: {session.id}",
        f"State: {WORDS[session.why]}",
        f"Artifacts: {session.artifacts:,} ({human_bytes(session.bytes)})",
        f"Created: {moment_of(session.created)}",
        f"Last used: {moment_of(session.used)}",
        *([f"Ended: {moment_of(session.ended)}"] if session.why == "ended" else []),
        *_about_lines(about),
    ]
    return print_answer(call, "session", value, "".join(f"{line}\n" for line in lines))


def update(call: CommandCall) -> int:
    """Say what the session in use, or another one, is about."""
    here = open_workspace(call)
    session = housekeeping.show_session(here.files, call.arguments[0] if call.arguments else "")
    if not _has_words(call):
        raise UsageError("nothing to change: give --scope, --focus or --note")
    with here.ledger(write=True) as ledger:
        _change_session(call, ledger, session)
        about = ledger.sessions([session.id])[session.id]
    return print_answer(call, "session", session_record(session, about), f"{session.id}\n")


def session_record(session: State, about: Record | None = None) -> Record:
    """A session for programs: what its file says, and what the ledger adds."""
    status = "ended" if session.why == "ended" else "active" if session.alive else "idle"
    fields: Record = {
        "id": session.id,
        "name": session.name,
        "status": status,
        "startedAt": stamp_of(session.created),
        "endedAt": stamp_of(session.ended) if session.ended else None,
        "usedAt": stamp_of(session.used),
        "state": session.why,
        "artifacts": session.artifacts,
        "bytes": session.bytes,
    }
    return fields | (about or {})


def session_stats(directory: str, session_id: str) -> Record:
    """What the journal says of a session: events by their names, and tokens before and after."""
    events: dict[str, int] = {}
    before = after = 0
    for event in History(directory, session=session_id):
        name = str(event["event"])
        events[name] = events.get(name, 0) + 1
        before += _token_count(event.get("original_tokens"))
        after += _token_count(event.get("truncated_tokens"))
    return {"events": events, "originalTokens": before, "shownTokens": after}


def _session_row(session: State) -> tuple[str, ...]:
    return (
        _clipped(visible(session.name)) or OWN,
        session.id,
        f"{session.artifacts:,}",
        human_bytes(session.bytes),
        moment_of(session.used),
        WORDS[session.why],
    )


def _ledger_words(workspace: Workspace, ids: list[str]) -> dict[str, Record]:
    """What the ledger says of sessions, if there is one."""
    if not workspace.has_ledger:
        return {}
    with workspace.ledger() as ledger:
        return ledger.sessions(ids)


def _has_words(call: CommandCall) -> bool:
    return any(name in call.options for name in ("--scope", "--focus", "--note"))


def _change_session(call: CommandCall, ledger: Ledger, session: State) -> None:
    ledger.change_session(
        session.id,
        session.name,
        scope=call.text("--scope"),
        focus=call.text("--focus"),
        notes=call.texts("--note") or (),
    )


def _about_lines(about: Record) -> list[str]:
    focus, notes = about.get("focus"), about.get("notes")
    lines = [f"Scope: {visible(str(about['scope']))}"] if about.get("scope") else []
    if isinstance(focus, dict) and focus.get("currentTask"):
        lines.append(f"Focus: {focus['currentTask']}")
    return lines + [f"Note: {visible(note)}" for note in (notes if isinstance(notes, list) else [])]


def _session_age(session: State) -> tuple[float, str]:
    return session.created, session.id


def _session_key(session: State) -> str:
    return f"{session.created!r}-{session.id}"


def _age_in(key: str) -> tuple[float, str]:
    created, _, session_id = key.partition("-")
    try:
        return float(created), session_id
    except ValueError:
        raise UsageError(f"--as-of takes what `next` says, not {key[:100]!r}").with_help("spill session list") from None


def _token_count(value: object) -> int:
    return value if isinstance(value, int) else 0


def log(call: CommandCall) -> int:
    """Print a page of events. Those that came since the page before are left out."""
    workspace = open_workspace(call)
    if call.arguments:
        with workspace.ledger() as ledger:
            return _answer_events(call, workspace, ledger.history(call.arguments[0]), CHANGES)
    wanted = tuple(call.texts("--event") or ())
    return _answer_events(call, workspace, History(workspace.logs.path, events=wanted), LISTING)


def _answer_events(call: CommandCall, workspace: Workspace, events: Iterator[Event], listing: Listing) -> int:
    anchor, base = PageAnchor.of(call), 0
    if anchor is not None:
        events, base = _events_after(events, anchor), anchor.place + 1
    listing = listing._replace(encode=dumps) if call.flag("--full") else listing
    return answer_page(call, workspace.settings, events, listing, as_of=anchor_by(_event_key), base=base)


def brief_event(event: Event) -> Event:
    """An event without what is empty or aside.

    >>> brief_event({"ts": "2026-01-01T00:00:00.000Z", "event": "task", "source": "", "task_id": "T1", "pid": 7})
    {'ts': '2026-01-01T00:00:00.000Z', 'event': 'task', 'task_id': 'T1'}
    """
    return {name: value for name, value in event.items() if name not in ASIDE and value not in ("", None, {}, [])}


def _event_row(event: Event) -> tuple[str, ...]:
    facts = " ".join(f"{name}={value}" for name, value in brief_event(event).items() if name not in FIRST)
    shown = visible(facts)
    return (
        visible(str(event["ts"])),
        visible(str(event["event"])),
        shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 1]}…",
    )


def _event_key(event: Event) -> str:
    return blake2b(dumps(event).encode(), digest_size=8).hexdigest()


def _events_after(events: Iterator[Event], anchor: PageAnchor) -> Iterator[Event]:
    """What comes after the event that was seen last; it is never nearer than where it was seen."""
    for place, event in enumerate(events):
        if place >= anchor.place and _event_key(event) == anchor.key:
            return events
    raise UsageError("the journal no longer has the entry after which to go on; begin again").with_help("spill log")


def _short_change(change: Event) -> Event:
    """A change whose values are no longer than a line; `--full` has them whole."""
    from overspill.ledger.fields import clipped_texts

    return {name: clipped_texts(value, 2 * WIDTH) for name, value in change.items()}


def _change_row(change: Event) -> tuple[str, ...]:
    shown = [visible(str(change.get(name, ""))) for name in ("ts", "field", "from", "to", "by")]
    return tuple(word if len(word) <= WIDTH // 2 else f"{word[: WIDTH // 2 - 1]}…" for word in shown)


CHANGES = Listing(
    "entries",
    "change",
    "Changes",
    ("When", "Field", "From", "To", "Who"),
    _change_row,
    encode=lambda change: dumps(_short_change(change)),
)
LISTING = Listing(
    "entries",
    "entry",
    "Log",
    ("When", "Event", "What"),
    _event_row,
    encode=lambda event: dumps(brief_event(event)),
    summary=lambda total: "1 entry" if total == 1 else f"{total:,} entries",
)
