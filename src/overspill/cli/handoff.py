"""`spill handoff write | list | show`."""

from __future__ import annotations

import os
import time
from json import dumps

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import CommandCall, positive_number
from overspill.cli.opening import open_workspace
from overspill.cli.output import note, print_answer, read_input, repeat_command, write_text
from overspill.cli.output.tables import count_of, table_text, visible
from overspill.core.size import human_bytes
from overspill.errors import HandoffNotFound, RuleError, UsageError
from overspill.handoff.checks import redacted_json
from overspill.handoff.files import (
    MAX_HANDOFF_BYTES,
    StoredHandoff,
    parse_json,
    read_handoff,
    read_handoffs,
    write_handoff,
)
from overspill.handoff.project import cleaned_handoff
from overspill.handoff.record import PHASE_NAMES, Handoff, handoff_of
from overspill.handoff.trim import shorten
from overspill.lists.pages import Pagination

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEAD = ("Phase", "Name", "Status", "Run", "Completed", "Size", "File")
RUN_ID = "OVERSPILL_RUN_ID"
STDIN = "standard input"

# Options, and the fields they fill.
FIELDS = {
    "--phase": "phase",
    "--phase-name": "phase_name",
    "--status": "status",
    "--goal": "goal",
    "--epic-id": "epic_id",
    "--artifact": "artifacts_produced",
    "--decision": "decisions_made",
    "--risk": "open_risks",
    "--narrative": "narrative",
    "--duration-seconds": "duration_seconds",
    "--completed-at": "completed_at",
    "--run-id": "run_id",
}


def write(call: CommandCall) -> int:
    """Leave a hand-off: of the options, or of one JSON object on standard input."""
    workspace = open_workspace(call)
    handoff = with_defaults(handoff_of(read_arguments(call), "hand-off" if has_flags(call) else STDIN))
    path = write_handoff(workspace.root, cleaned_handoff(handoff, workspace), workspace.redacted_text)
    stored = read_handoff(workspace.root, handoff.phase)
    if stored is None:
        raise HandoffNotFound(handoff.phase)
    return print_answer(call, "handoff", handoff_record(stored), f"{path}\n")


def has_flags(call: CommandCall) -> bool:
    """Whether the hand-off is told by options."""
    return any(name in call.options for name in (*FIELDS, "--verdict"))


def read_arguments(call: CommandCall) -> object:
    """The hand-off as it was said."""
    if not has_flags(call) or set(call.options) & {*FIELDS, "--verdict"} == {"--run-id"}:
        said = parse_json(_read_stdin(), STDIN)
        return {**said, "run_id": call.text("--run-id")} if isinstance(said, dict) and call.text("--run-id") else said
    said = {field: call.options[name] for name, field in FIELDS.items() if name in call.options}
    if said.get("narrative") == "-":
        said["narrative"] = _read_stdin().decode("utf-8", "replace")
    said["verdicts"] = dict(_verdict_pair(word) for word in call.texts("--verdict") or ())
    return said


def _read_stdin() -> bytes:
    content = read_input(())
    if len(content) > MAX_HANDOFF_BYTES:
        raise RuleError(f"{STDIN}: {len(content):,} bytes is larger than a hand-off may be")
    return content


def _verdict_pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise UsageError(f"--verdict takes a name and a verdict, like gate=PASS, not {word[:100]!r}")
    return name, value


def with_defaults(handoff: Handoff) -> Handoff:
    """The hand-off with what everybody can know: its phase's name, its run, and when it was left."""
    return handoff._replace(
        phase_name=handoff.phase_name or PHASE_NAMES.get(handoff.phase, ""),
        status=handoff.status or "completed",
        run_id=handoff.run_id or os.environ.get(RUN_ID, ""),
        completed_at=handoff.completed_at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def list_(call: CommandCall) -> int:
    """The hand-offs of every run, by phase, and what could not be used."""
    workspace = open_workspace(call)
    hide = workspace.redacted_text
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = workspace.settings.integer("output.default") if limit is None else limit
    found = read_handoffs(workspace.root, all_runs=True)
    page = found.handoffs[offset : offset + limit if limit else None]
    pages = Pagination(len(found.handoffs), limit, offset) if limit else None
    next_ = f"spill handoff list --limit {limit} --offset {offset + limit}" if pages and pages.has_more else ""
    records = [handoff_record(one) for one in page]
    safe = redacted_json(records, hide)
    rows = [_handoff_row(one) for one in (safe if isinstance(safe, list) else [])]
    text = (
        table_text("Hand-offs", HEAD, rows) if rows else ""
    ) + f"Total: {count_of(len(found.handoffs), 'hand-off')}\n"
    return answer_with_problems(
        call,
        "handoffs",
        safe,
        text,
        [hide(problem) for problem in found.problems],
        pagination=pages,
        following=repeat_command(call, next_) if next_ else "",
    )


def _handoff_row(one: Mapping[str, object]) -> list[str]:
    size = one["bytes"]
    words = [str(one[name]) for name in ("phase", "phase_name", "status", "run_id", "completed_at")]
    return [visible(word) for word in (*words, human_bytes(size if isinstance(size, int) else 0), str(one["file"]))]


def show(call: CommandCall) -> int:
    """One hand-off as its file has it; a long one comes in pages."""
    workspace = open_workspace(call)
    try:
        phase = positive_number(call.argument(0, "PHASE"))
    except ValueError as error:
        raise UsageError(f"PHASE is {error}, not {call.arguments[0][:100]!r}") from None
    stored = read_handoff(workspace.root, phase)
    if stored is None:
        raise HandoffNotFound(phase)
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = workspace.settings.integer("tools.truncation.artifacts.retrieval_limit") if limit is None else limit
    said = redacted_json(stored.handoff.as_mapping(), workspace.redacted_text)
    if call.flag("--json"):
        return _answer_json(call, said, limit)
    text = dumps(said, ensure_ascii=False, indent=2) + "\n"
    write_text(text[offset : offset + limit if limit else None])
    if limit and offset + limit < len(text):
        line = f"spill handoff show {phase} --limit {limit} --offset {offset + limit}"
        note(f"next: {repeat_command(call, line)}")
    return 0


def _answer_json(call: CommandCall, said: object, limit: int) -> int:
    """The hand-off for programs, with long texts cut until all of it is within the limit."""
    size, room = len(dumps(said, ensure_ascii=False)), limit
    if not limit or size <= limit:
        return answer_with_problems(call, "handoff", said, "", ())
    short = said
    while room > 1 and len(dumps(short, ensure_ascii=False)) > limit:
        room //= 2
        short = _shortened_texts(said, room)
    notice = f"long texts were cut: the hand-off has {size:,} characters; --limit 0 shows all"
    return answer_with_problems(call, "handoff", short, "", (), cut=notice)


def _shortened_texts(value: object, room: int) -> object:
    if isinstance(value, str):
        return shorten(value, max(room, 16))
    if isinstance(value, list):
        return [_shortened_texts(member, room) for member in value[:room]]
    return {key: _shortened_texts(member, room) for key, member in value.items()} if isinstance(value, dict) else value


def answer_with_problems(
    call: CommandCall,
    key: str,
    value: object,
    text: str,
    problems: Sequence[str],
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    cut: str = "",
) -> int:
    """What could be found out, and after it what could not be used: that makes the status 6."""
    warnings = [{"code": RuleError.code, "message": problem} for problem in problems]
    warnings += [{"code": "W_TRUNCATED", "message": cut}] if cut else []
    if call.flag("--json"):
        from overspill.cli.output.envelope import success_envelope

        name = call.command.name if call.command else ""
        write_text(
            success_envelope(name, key, value, pagination=pagination, following=following, warnings=warnings) + "\n"
        )
    else:
        write_text(text)
        if following:
            note(f"next: {following}")
    for problem in problems:
        note(f"spill: not used: {visible(problem)}")
    return RuleError.exit_code if problems else 0


def handoff_record(stored: StoredHandoff) -> dict[str, object]:
    """A hand-off in a list: what it is, not what it says."""
    handoff = stored.handoff
    return {
        "phase": handoff.phase,
        "phase_name": handoff.phase_name,
        "status": handoff.status,
        "run_id": handoff.run_id,
        "completed_at": handoff.completed_at,
        "bytes": stored.bytes,
        "file": stored.name,
    }
