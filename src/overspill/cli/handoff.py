"""`spill handoff write | list | show`, and `spill context`: what earlier phases left, within the tokens of the next."""

from __future__ import annotations

import os
import time
from json import dumps

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import CommandCall, positive_number
from overspill.cli.opening import open_overspill, open_workspace
from overspill.cli.output import note, print_answer, read_input, repeat_command, success_envelope, write_text
from overspill.cli.tables import count_of, plain_table, table_text, visible
from overspill.core import human_bytes
from overspill.errors import HandoffNotFound, RuleError, StoreError, UsageError, reason_of, shell_line
from overspill.handoff import Context, PhaseStats, context_stats, known_fields
from overspill.handoff.fitting import missing_warnings
from overspill.handoff.folder import MAX_HANDOFF_BYTES, parse_json
from overspill.handoff.formats import DROPS, LISTS, PHASE_NAMES, Handoff, handoff_fields, handoff_of
from overspill.handoff.project import cleaned_handoff, handoffs_of
from overspill.handoff.select import redacted_json, shorten
from overspill.lists import Pagination

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from overspill.cli.tables import WarningRecord
    from overspill.handoff.files import StoredHandoff, WrittenHandoff
    from overspill.workspace import Workspace


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
SOURCES = ("--verdict", "--from", "--artifacts", "--summary")

MOST_OTHERS = 5
MOST_FIELDS = 10
STATS_HEAD = ("Phase", "Times", "Cut", "Under half", "Median", "95 %", "Largest", "Budget", "Suggested", "Verdict")


def write(call: CommandCall) -> int:
    """Leave a hand-off: of the options, of what a phase left in files, or of one JSON object on standard input."""
    workspace = open_workspace(call)
    said = handoff_of(read_arguments(call, workspace.root), "hand-off" if has_flags(call) else STDIN)
    said = cleaned_handoff(said._replace(run_id=said.run_id or os.environ.get(RUN_ID, "")), workspace)
    check_time(call, said.completed_at)
    add = call.flag("--add")
    kept_for = workspace.settings.get("context.keep_runs")
    written = handoffs_of(workspace).write(
        said,
        workspace.redacted_text,
        add=add,
        complete=with_defaults,
        keep_runs=float(kept_for) if isinstance(kept_for, int) else None,
    )
    workspace.tell("handoff", _written_facts(written, add=add))
    warnings = [] if add or written.before is None else [_replaced_warning(written.before, workspace)]
    if written.swept:
        workspace.tell("handoff", {"action": "sweep", "runs": list(written.swept)})
        warnings.append(_swept_warning(written.swept))
    record = handoff_record(written.stored)
    return answer_with_warnings(call, "handoff", record, f"{written.path}\n", warnings)


def _written_facts(written: WrittenHandoff, *, add: bool) -> dict[str, object]:
    """What the journal is told: which hand-off, and whether something was there before. Nothing of what it says."""
    handoff = written.stored.handoff
    action = "write" if written.before is None else "add" if add else "replace"
    facts: dict[str, object] = {"action": action, "phase": handoff.phase, "run_id": handoff.run_id}
    return facts | {"status": handoff.status, "size": written.stored.bytes, "source": written.stored.name}


def _replaced_warning(before: StoredHandoff, workspace: Workspace) -> WarningRecord:
    """That something was written over, and where it is now."""
    from overspill.fit import ingest, keep_whole
    from overspill.fit.prepare import ToolCall

    about = ToolCall("handoff", source=before.name, content_type="application/json")
    policy = workspace.policy(about.tool)
    try:
        text = dumps(before.handoff.as_mapping(), ensure_ascii=False, indent=2) + "\n"
        kept = keep_whole(workspace, ingest(workspace, text, policy, about), policy, about)
        where = f"it was kept: {workspace.call_format(kept.id)}"
    except (StoreError, OSError) as error:
        where = f"it was not kept: {reason_of(error)}"
    of_run = f" of run {visible(before.handoff.run_id)!r}" if before.handoff.run_id else ""
    words = f"replaced what phase {before.handoff.phase}{of_run} had left; {where}; --add adds to it instead"
    return {"code": "W_REPLACED", "message": words}


def _swept_warning(runs: Sequence[str]) -> WarningRecord:
    """That runs are gone because nobody used them for long."""
    names = ", ".join(runs[:5]) + (f" and {len(runs) - 5} more" if len(runs) > 5 else "")  # noqa: PLR2004  # a line
    words = f"removed {count_of(len(runs), 'run')} that nobody used for longer than context.keep_runs: {names}"
    return {"code": "W_RUNS_REMOVED", "message": words}


def check_time(call: CommandCall, moment: str) -> None:
    """Complain of a moment that nobody could read."""
    from datetime import datetime

    try:
        known = not moment or datetime.fromisoformat(moment).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        words = f"completed_at: expected a time like 2026-03-01T12:00:00Z, got {moment[:100]!r}"
        raise UsageError(words) if "--completed-at" in call.options else RuleError(f"{STDIN}: {words}")


def has_flags(call: CommandCall) -> bool:
    """Whether the hand-off is told by options."""
    return any(name in call.options for name in (*FIELDS, *SOURCES))


def read_arguments(call: CommandCall, root: str) -> object:
    """The hand-off as it was said."""
    if not set(call.options) & {*FIELDS, *SOURCES} - {"--run-id"}:
        said = parse_json(_read_stdin(), STDIN)
        return {**said, "run_id": call.text("--run-id")} if isinstance(said, dict) and call.text("--run-id") else said
    result = call.text("--from")
    found = {} if result is None else handoff_fields(parse_json(_read_file(result), result), result)
    said = {field: call.options[name] for name, field in FIELDS.items() if name in call.options}
    if said.get("narrative") == "-":
        said["narrative"] = _read_stdin().decode("utf-8", "replace")
    if (summary := call.text("--summary")) is not None:
        said["narrative"] = _read_file(summary).decode("utf-8", "replace").strip()
    if verdicts := call.texts("--verdict"):
        said["verdicts"] = {**_mapping(found.get("verdicts")), **dict(map(_verdict_pair, verdicts))}
    for pattern in call.texts("--artifacts") or ():
        said.setdefault("artifacts_produced", [])
        said["artifacts_produced"] = [*_texts(said["artifacts_produced"]), *files_like(pattern, root)]
    for name in LISTS:
        if name in said:
            said[name] = list(dict.fromkeys([*_texts(found.get(name)), *_texts(said[name])]))
    return {**found, **said}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return value if isinstance(value, list) else []


def files_like(pattern: str, root: str) -> list[str]:
    """The files below the root that a pattern names, `**` for any folder, in their order."""
    import glob

    if os.path.isabs(pattern) or ".." in pattern.split("/"):
        raise UsageError(f"--artifacts takes a pattern below the root, such as 'build/**', not {pattern[:100]!r}")
    found = glob.glob(pattern, root_dir=root, recursive=True, include_hidden=False)
    files = sorted(name for name in found if os.path.isfile(os.path.join(root, name)))
    if not files:
        raise UsageError(f"no file below {root} is like {pattern[:100]!r}; put the pattern in quotes")
    return files


def _read_file(name: str) -> bytes:
    content = read_input((name,))
    if len(content) > MAX_HANDOFF_BYTES:
        raise RuleError(f"{name}: {len(content):,} bytes is larger than a hand-off may be")
    return content


def _read_stdin() -> bytes:
    return _read_file("-")


def _verdict_pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise UsageError(f"--verdict takes a name and a verdict, like gate=PASS, not {word[:100]!r}")
    return name, value


def with_defaults(handoff: Handoff) -> Handoff:
    """The hand-off with what everybody can know: its phase's name, and when it was left."""
    return handoff._replace(
        phase_name=handoff.phase_name or PHASE_NAMES.get(handoff.phase, ""),
        status=handoff.status or "completed",
        completed_at=handoff.completed_at or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def list_(call: CommandCall) -> int:
    """The hand-offs of every run, by phase, and what could not be used."""
    workspace = open_workspace(call)
    hide = workspace.redacted_text
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = workspace.settings.integer("output.default") if limit is None else limit
    run_id = call.text("--run-id")
    found = handoffs_of(workspace).read_all(run_id=run_id, all_runs=run_id is None)
    page = found.handoffs[offset : offset + limit if limit else None]
    pages = Pagination(len(found.handoffs), limit, offset) if limit else None
    of_run = "" if run_id is None else f" {shell_line('--run-id', run_id)}"
    next_ = f"spill handoff list{of_run} --limit {limit} --offset {offset + limit}" if pages and pages.has_more else ""
    records = [handoff_record(one) for one in page]
    safe = redacted_json(records, hide)
    rows = [_handoff_row(one) for one in (safe if isinstance(safe, list) else [])]
    text = (
        table_text("Hand-offs", HEAD, rows) if rows else ""
    ) + f"Total: {count_of(len(found.handoffs), 'hand-off')}\n"
    return answer_with_warnings(
        call,
        "handoffs",
        safe,
        text,
        problem_warnings([hide(problem) for problem in found.problems]),
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
    run_id = call.text("--run-id")
    stored = handoffs_of(workspace).read(phase, run_id)
    if stored is None:
        raise HandoffNotFound(phase, run_id)
    limit, offset = call.number("--limit"), call.number("--offset") or 0
    limit = workspace.settings.integer("tools.truncation.artifacts.retrieval_limit") if limit is None else limit
    said = redacted_json(stored.handoff.as_mapping(), workspace.redacted_text)
    if call.flag("--json"):
        return _answer_json(call, said, limit)
    text = dumps(said, ensure_ascii=False, indent=2) + "\n"
    write_text(text[offset : offset + limit if limit else None])
    if limit and offset + limit < len(text):
        of_run = "" if run_id is None else f" {shell_line('--run-id', run_id)}"
        line = f"spill handoff show {phase}{of_run} --limit {limit} --offset {offset + limit}"
        note(f"next: {repeat_command(call, line)}")
    return 0


def _answer_json(call: CommandCall, said: object, limit: int) -> int:
    """The hand-off for programs, with long texts cut until all of it is within the limit."""
    size, room = len(dumps(said, ensure_ascii=False)), limit
    if not limit or size <= limit:
        return answer_with_warnings(call, "handoff", said, "", ())
    short = said
    while room > 1 and len(dumps(short, ensure_ascii=False)) > limit:
        room //= 2
        short = _shortened_texts(said, room)
    notice = f"long texts were cut: the hand-off has {size:,} characters; --limit 0 shows all"
    return answer_with_warnings(call, "handoff", short, "", [{"code": "W_TRUNCATED", "message": notice}])


def _shortened_texts(value: object, room: int) -> object:
    if isinstance(value, str):
        return shorten(value, max(room, 16))
    if isinstance(value, list):
        return [_shortened_texts(member, room) for member in value[:room]]
    return {key: _shortened_texts(member, room) for key, member in value.items()} if isinstance(value, dict) else value


def answer_with_warnings(
    call: CommandCall,
    key: str,
    value: object,
    text: str,
    warnings: Sequence[WarningRecord],
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
) -> int:
    """What could be found out, and what there is to say of it: on standard error, and for programs in the envelope.

    What could not be used makes the status 6.
    """
    if call.flag("--json"):
        name = call.command.name if call.command else ""
        write_text(
            success_envelope(name, key, value, pagination=pagination, following=following, warnings=warnings) + "\n"
        )
    else:
        write_text(text)
        if following:
            note(f"next: {following}")
    for warning in warnings:
        note(f"spill: {visible(warning['message'])}")
    return RuleError.exit_code if any(warning["code"] == RuleError.code for warning in warnings) else 0


def problem_warnings(problems: Sequence[str]) -> list[WarningRecord]:
    """Files that could not be used, each with the reason."""
    return [{"code": RuleError.code, "message": f"not used: {problem}"} for problem in problems]


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


def context(call: CommandCall) -> int:
    """The context of a phase on standard output; what could not be used, and who got what, on standard error."""
    phase, drop = call.number("--phase"), call.text("--drop")
    if phase is None:
        raise UsageError("--phase is missing: the phase that is about to begin, as in `spill context --phase 2`")
    if drop is not None and drop not in DROPS:
        raise UsageError(f"--drop takes one of {', '.join(DROPS)}, not {drop[:100]!r}")
    made = open_overspill(call, forgiving=False).assemble(
        phase=phase,
        run_id=call.text("--run-id") or os.environ.get(RUN_ID) or None,
        manifest=call.text("--manifest"),
        max_tokens=call.number("--max-tokens"),
        drop=drop,
        all_runs=call.flag("--all-runs"),
    )
    value: dict[str, object] = {"text": made.text, "phase": made.phase, "budget": made.budget._asdict()}
    if call.flag("--explain"):
        value["explain"] = [row._asdict() for row in made.rows]
    if made.artifact_id:
        value["artifact_id"] = made.artifact_id
    status = answer_with_warnings(call, "context", value, made.text, context_warnings(made))
    if call.flag("--explain"):
        note(budget_table(made))
    return status


def context_warnings(made: Context) -> list[WarningRecord]:
    """All that there is to say of a context."""
    other = [f"{name} is of run {run_id!r} and was left out; --all-runs takes it in" for name, run_id in made.ignored]
    if len(other) > MOST_OTHERS:
        other[MOST_OTHERS:] = [f"{len(other) - MOST_OTHERS:,} more are of other runs; --all-runs takes them in"]
    budget = made.budget
    cut = f"the context was cut from {budget.original_tokens:,} to {budget.truncated_tokens:,} tokens; {made.where}"
    said = {
        "W_OTHER_RUN": other,
        "W_DEGRADED": [piece.text.strip() for piece in missing_warnings(made.missing)] if made.text else [],
        "W_UNSHOWN": [unshown_words(made)] if made.unshown else [],
        "W_CONTEXT_CUT": [cut] if budget.was_truncated else [],
        "W_NOT_LOGGED": [made.trouble] if made.trouble else [],
    }
    found = [{"code": code, "message": message} for code, messages in said.items() for message in messages]
    return [*problem_warnings(made.problems), *found]


def unshown_words(made: Context) -> str:
    """Which fields of others were not handed over, and how they are."""
    known = known_fields()
    fields = dict.fromkeys(name for _, name in made.unshown)
    listed = ", ".join(f"{name} (phase {_phases_with(name, made)})" for name in list(fields)[:MOST_FIELDS])
    more = f", +{len(fields) - MOST_FIELDS} more" if len(fields) > MOST_FIELDS else ""
    strange = [name for name in fields if name not in known]
    first = f"; context.fields makes {', '.join(strange[:MOST_FIELDS])} known" if strange else ""
    return f"not shown: {listed}{more}{first}; handoff_fields of the manifest asks for a field"


def _phases_with(name: str, made: Context) -> str:
    return ", ".join(str(phase) for phase, field in made.unshown if field == name)


def budget_table(made: Context) -> str:
    """Who wanted how many tokens, who got how many, and in which form."""
    rows = [
        (f"phase {row.phase}" if row.phase else "all", row.field, f"{row.wanted:,}", f"{row.got:,}", row.form)
        for row in made.rows
    ]
    budget = made.budget
    most = f"{budget.budget_tokens:,}" if budget.budget_tokens > 0 else "no limit"
    total = f"{budget.original_tokens:,} tokens -> {budget.truncated_tokens:,} (budget: {most})"
    return plain_table(("Of", "Field", "Wanted", "Got", "Form"), rows) + total


def stats(call: CommandCall) -> int:
    """How often the budget of each phase cut something, how often it was hardly used, and what would fit."""
    from overspill.handoff.project import handoffs_of

    broken = 0
    entries = []
    for entry in handoffs_of(open_workspace(call)).budget_entries():
        broken += not entry
        entries.append(entry)
    found = context_stats(entries)
    if broken:
        note(f"spill: {count_of(broken, 'line')} of the log could not be read")
    value = {"context": [phase._asdict() for phase in found]}
    text = (
        plain_table(STATS_HEAD, [_phase_row(phase) for phase in found])
        if found
        else "No budget has been applied here yet.\n"
    )
    return print_answer(call, "stats", value, text)


def _phase_row(phase: PhaseStats) -> tuple[str, ...]:
    counts = (phase.median_tokens, phase.p95_tokens, phase.largest_tokens, phase.budget_tokens)
    return (
        str(phase.phase),
        f"{phase.applications:,}",
        f"{phase.truncation_rate:.0%}",
        f"{phase.under_use_rate:.0%}",
        *(f"{count:,}" for count in counts),
        f"{phase.suggested_max_tokens:,}",
        phase.verdict,
    )
