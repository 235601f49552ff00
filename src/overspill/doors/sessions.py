"""`spill session start | end | list | show`."""

from overspill.doors.arguments import Call
from overspill.doors.artifacts import moment_of, stamp_of
from overspill.doors.opening import opened
from overspill.doors.streams import again, answer
from overspill.doors.tables import counted, table, visible
from overspill.errors import UsageError
from overspill.marks import human_bytes
from overspill.store import housekeeping
from overspill.store.sessions import NAME_WIDTH, State

HEAD = ("Name", "ID", "Artifacts", "Size", "Last used", "State")
OWN = "(the root's own)"
WORDS = {
    "held": "in use by a running process",
    "anchored": "its process is running",
    "used": "alive",
    "ended": "ended, kept for a while",
    "idle": "over, to be swept",
}


def start(call: Call) -> int:
    """Begin a session that stands in for the root's own."""
    _, store = opened(call)
    name = call.arguments[0] if call.arguments else call.text("--session") or ""
    if len(name) > NAME_WIDTH or visible(name) != name:
        raise UsageError(f"a session's name is one printable line of at most {NAME_WIDTH:,} characters")
    session = housekeeping.start_session(store, name)
    return answer(call, "session", record(session), f"Started session {visible(session.name)} ({session.id})\n")


def end(call: Call) -> int:
    """End a session, and say whether what it kept is gone."""
    settings, store = opened(call)
    name = call.arguments[0] if call.arguments else store.session.name
    cleared = housekeeping.end_session(store, call.arguments[0] if call.arguments else "")
    stays = bool(name) and any(state.name == name for state in housekeeping.list_sessions(store))
    hours = settings.integer("tools.truncation.artifacts.ttl") / 3600
    gone = f"removed {counted(cleared.artifacts, 'artifact')} ({human_bytes(cleared.bytes)} freed)"
    text = f"Ended session {visible(name) or OWN}: {f'what it kept stays for {hours:g} hours' if stays else gone}\n"
    return answer(call, "session", {"name": name, "removed": cleared._asdict(), "stays": stays}, text)


def list_(call: Call) -> int:
    """The sessions that can be seen from here, the one last used first."""
    settings, store = opened(call)
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = settings.integer("output.session") if limit is None else limit
    found = housekeeping.list_sessions(store)
    page = found[offset : offset + limit if limit else None]
    more = bool(limit) and offset + limit < len(found)
    rows = [
        (
            visible(session.name) or OWN,
            session.id,
            f"{session.artifacts:,}",
            human_bytes(session.bytes),
            moment_of(session.used),
            WORDS[session.why],
        )
        for session in page
    ]
    total = f"Total: {counted(len(found), 'session')}\n"
    return answer(
        call,
        "sessions",
        [record(session) for session in page],
        (table("Sessions", HEAD, rows) if rows else "") + total,
        pagination={"total": len(found), "limit": limit, "offset": offset, "hasMore": more} if limit else None,
        following=again(call, f"spill session list --limit {limit} --offset {offset + limit}") if more else "",
    )


def show(call: Call) -> int:
    """One session, by name or id, or the one in use."""
    _, store = opened(call)
    session = housekeeping.show_session(store, call.arguments[0] if call.arguments else "")
    lines = [
        f"Session: {visible(session.name) or OWN}",
        f"ID: {session.id}",
        f"State: {WORDS[session.why]}",
        f"Artifacts: {session.artifacts:,} ({human_bytes(session.bytes)})",
        f"Created: {moment_of(session.created)}",
        f"Last used: {moment_of(session.used)}",
    ]
    return answer(call, "session", record(session), "".join(f"{line}\n" for line in lines))


def record(session: State) -> dict[str, object]:
    """A session for programs."""
    return {
        "id": session.id,
        "name": session.name,
        "artifacts": session.artifacts,
        "bytes": session.bytes,
        "created": stamp_of(session.created),
        "used": stamp_of(session.used),
        "alive": session.alive,
        "state": session.why,
        "ended": stamp_of(session.ended) if session.ended else None,
    }
