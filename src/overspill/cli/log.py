"""`spill log`: the journal, newest first."""

from __future__ import annotations

from hashlib import blake2b

from overspill._lite import TYPE_CHECKING
from overspill.cli.opening import open_workspace
from overspill.cli.output.envelope import dumps
from overspill.cli.output.lists import Listing, PageAnchor, anchor_by, answer_page
from overspill.cli.output.tables import visible
from overspill.errors import UsageError
from overspill.journal.reader import Event, History
from overspill.ledger.fields import clipped_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall
    from overspill.workspace import Workspace

ASIDE = ("pid", "version")  # seldom of use to whoever looks for what happened
FIRST = ("ts", "event", "session_id")
WIDTH = 110


def run(call: CommandCall) -> int:
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
