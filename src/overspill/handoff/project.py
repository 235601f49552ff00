"""The world around hand-offs: where they and the log of budgets are kept, and the context of a phase made with it.

They lie in the folder of a root, or in the database of a fleet, which has them by the rules of the files: see
`files.py`. A hand-off is a row of its run and phase. At most one row of a phase is `newest`: the one that would lie in
the place of the newest run, that is of the run that began last, or of a phase that names no run. Of what names no run
there is one row a phase: what was written over is not kept beside it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence

from overspill._lite import TYPE_CHECKING, NamedTuple, Protocol, contextmanager, suppress
from overspill.core import counter
from overspill.errors import (
    ConfigError,
    DatabaseUnreachable,
    InputError,
    OverspillError,
    RuleError,
    StoreError,
    reason_of,
)
from overspill.fit import cleaned_whole, ingest, keep_whole
from overspill.fit.prepare import ToolCall
from overspill.handoff import (
    Context,
    ContextNote,
    Manifest,
    Plan,
    assemble,
    files,
    folder,
    register_field,
    resolve_manifest,
)
from overspill.handoff.files import (
    MOST_RECENT_RUNS,
    MOST_SWEPT,
    RUNS,
    FoundHandoffs,
    StoredHandoff,
    WrittenHandoff,
    chosen_handoffs,
    file_name,
    folder_name,
    parsed_handoff,
    safe_content,
)
from overspill.handoff.folder import budget_line, parse_json
from overspill.handoff.formats import Handoff, as_handoff, joined_handoff, manifest_of
from overspill.handoff.select import each_text
from overspill.redact import redact_text
from overspill.store.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from overspill.core.report import Artifact
    from overspill.database import FleetDatabase, PostgresConnection
    from overspill.handoff.select import BudgetResult, Hide
    from overspill.settings import Settings
    from overspill.store import Store
    from overspill.workspace import Workspace


COLUMNS = "run, phase, newest, content, modified"
MOST_LOGGED = 50_000  # entries of the log of budgets; the oldest go first
# Of one tenant and project one process writes hand-offs at a time.
_LOCK = """select pg_advisory_xact_lock(
    hashtextextended('overspill hand-offs ' || overspill.tenant() || ' ' || overspill.project(), 0))"""
_SWEPT = f"""delete from runs where run in (
    select run from runs as one where used < ? and not exists (
        select from handoffs where handoffs.run = one.run and (newest or modified >= ?))
    order by run limit {MOST_SWEPT}) returning run"""


_IN_FOLDERS = "select 1 from handoffs where run <> '' or not newest limit 1"  # of a run, where there are files

Handoffs = Sequence[Handoff | Mapping[str, object]]

RECENT_ARTIFACTS = 100
CALL = ToolCall("context", source="hand-offs of earlier phases", content_type="text/plain")


class HandoffPlace(Protocol):
    """What is asked of a place: `handoff/files.py` says what each of these does."""

    def write(
        self,
        handoff: Handoff,
        hide: Hide = ...,
        *,
        add: bool = ...,
        complete: Callable[[Handoff], Handoff] | None = ...,
        keep_runs: float | None = ...,
    ) -> WrittenHandoff:
        """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it."""

    def read_all(self, *, before: int | None = ..., run_id: str | None = ..., all_runs: bool = ...) -> FoundHandoffs:
        """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest."""

    def read(self, phase: int, run_id: str | None = ...) -> StoredHandoff | None:
        """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""

    def mark_used(self, run_id: str) -> None:
        """Note that a run is at work: somebody is handed what it left."""

    def log_budget(self, run_id: str, phase: int, result: BudgetResult) -> None:
        """Note what a budget did."""

    def budget_entries(self) -> Iterator[dict[str, object]]:
        """What budgets did, oldest first."""


class HandoffFolder:
    """Hand-offs in the folder of a root; `limits` are those of the log's files."""

    def __init__(self, root: str, limits: dict[str, int] | None = None) -> None:
        self._root, self._limits = root, limits or {}

    def write(
        self,
        handoff: Handoff,
        hide: Hide = redact_text,
        *,
        add: bool = False,
        complete: Callable[[Handoff], Handoff] | None = None,
        keep_runs: float | None = None,
    ) -> WrittenHandoff:
        """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it."""
        return files.write_handoff(self._root, handoff, hide, add=add, complete=complete, keep_runs=keep_runs)

    def read_all(
        self, *, before: int | None = None, run_id: str | None = None, all_runs: bool = False
    ) -> FoundHandoffs:
        """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest."""
        return files.read_handoffs(self._root, before=before, run_id=run_id, all_runs=all_runs)

    def read(self, phase: int, run_id: str | None = None) -> StoredHandoff | None:
        """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""
        return files.read_handoff(self._root, phase, run_id)

    def mark_used(self, run_id: str) -> None:
        """Note that a run is at work: somebody is handed what it left."""
        files.mark_used(self._root, run_id)

    def log_budget(self, run_id: str, phase: int, result: BudgetResult) -> None:
        """Note what a budget did."""
        folder.log_budget(self._root, run_id, phase, result, **self._limits)

    def budget_entries(self) -> Iterator[dict[str, object]]:
        """What budgets did, oldest first."""
        return folder.budget_entries(self._root)


def handoffs_of(workspace: Workspace) -> HandoffPlace:
    """Where a workspace keeps them."""
    database = workspace.database
    if database is None:
        settings = workspace.settings
        limits = {"max_size": settings.integer("journal.max_size"), "keep": settings.integer("journal.keep")}
        return HandoffFolder(workspace.root, limits)
    return HandoffTables(database)


class HandoffTables:
    """Hand-offs of a tenant and a project."""

    def __init__(self, database: FleetDatabase) -> None:
        self._database = database

    @contextmanager
    def _opened(self) -> Iterator[PostgresConnection]:
        db = self._database.connect()
        try:
            with db.errors():
                yield db
        finally:
            db.close()

    def write(
        self,
        handoff: Handoff,
        hide: Hide = redact_text,
        *,
        add: bool = False,
        complete: Callable[[Handoff], Handoff] | None = None,
        keep_runs: float | None = None,
    ) -> WrittenHandoff:
        """Keep a hand-off without secrets, in the place of the one before, or with `add` together with it."""
        with self._opened() as db, db.transaction(_LOCK):
            before = _read_one(db, handoff.run_id, handoff.phase)
            whole = joined_handoff(before.handoff, handoff) if add and before else handoff
            safe, content = safe_content(whole if complete is None else complete(whole), hide)
            now = time.time()
            begun = "insert into runs (run, started_ns, used) values (?, ?, ?) on conflict do nothing"
            db.execute(begun, (safe.run_id, time.time_ns(), now))
            db.execute("update runs set used = ? where run = ?", (now, safe.run_id))
            newest = not (safe.run_id and _is_later_run_there(db, safe))
            _put(db, safe, content.decode(), now, newest=newest)
            swept = [] if keep_runs is None else _swept_runs(db, now - keep_runs)
            name = file_name(safe.phase) if newest else _run_name(safe.run_id, safe.phase)
            stored = StoredHandoff(name, safe, len(content), 0.0)
            return WrittenHandoff(self._address(name), stored, before, swept)

    def _address(self, name: str) -> str:
        database = self._database
        return f"env:{database.variable}/{database.tenant}/{database.project}/{name}"

    def read_all(
        self, *, before: int | None = None, run_id: str | None = None, all_runs: bool = False
    ) -> FoundHandoffs:
        """The hand-offs of the phases before one, oldest first, of one run: the one named, else the latest."""
        with self._opened() as db:
            wanted = _wanted_runs(db, run_id)
            rows = db.execute(
                f"select {COLUMNS} from handoffs where phase < ? and (newest or ? or run = any(?::text[])) "
                "order by run, phase",
                (1 << 62 if before is None else before, all_runs, wanted),
            ).fetchall()
            if not rows and db.execute(_IN_FOLDERS).fetchone() is None:
                return FoundHandoffs()
        found: list[StoredHandoff] = []
        problems: list[str] = []
        for row in rows:
            beside = not all_runs and row[0] not in wanted  # found in the place of the newest alone
            try:
                found.append(_stored(row, file_name(row[1]) if beside else ""))
            except RuleError as error:  # another program's row, or a newer version's
                problems.append(str(error))
        return chosen_handoffs(found, problems, run_id, all_runs=all_runs)

    def read(self, phase: int, run_id: str | None = None) -> StoredHandoff | None:
        """The hand-off of one phase: of the run that is named, else of the newest; None if it is not there."""
        with self._opened() as db:
            return _read_one(db, run_id, phase)

    def mark_used(self, run_id: str) -> None:
        """Note that a run is at work: somebody is handed what it left."""
        with suppress(DatabaseUnreachable), self._opened() as db:
            db.execute("update runs set used = ? where run = ?", (time.time(), run_id))

    def log_budget(self, run_id: str, phase: int, result: BudgetResult) -> None:
        """Note what a budget did."""
        line = budget_line(run_id, phase, result, time.time()).decode("utf-8", "replace")
        with self._opened() as db, db.transaction():
            row = db.execute("insert into budget_log (entry) values (?) returning number", (line,)).fetchone()
            if row[0] % 1000 == 0:
                older = f"select number from budget_log order by number desc offset {MOST_LOGGED}"
                db.execute(f"delete from budget_log where number in ({older})")

    def budget_entries(self) -> Iterator[dict[str, object]]:
        """What budgets did, oldest first."""
        with self._opened() as db:
            lines = db.execute("select entry from budget_log order by number").fetchall()
        for (line,) in lines:
            entry = json.loads(line)
            yield entry if isinstance(entry, dict) else {}


def _run_name(run: str, phase: int) -> str:
    return os.path.join(RUNS, folder_name(run), file_name(phase))


def _stored(row: tuple[str, int, bool, str, float], name: str = "") -> StoredHandoff:
    """A row as a hand-off, named as its file would be."""
    run, phase, newest, content, modified = row
    name = name or (file_name(phase) if newest and not run else _run_name(run, phase))
    return StoredHandoff(name, parsed_handoff(content.encode(), name, phase), len(content.encode()), modified)


def _read_one(db: PostgresConnection, run_id: str | None, phase: int) -> StoredHandoff | None:
    if run_id:
        row = db.execute(f"select {COLUMNS} from handoffs where run = ? and phase = ?", (run_id, phase)).fetchone()
    else:
        of_none = "" if run_id is None else "and run = ''"
        sql = f"select {COLUMNS} from handoffs where newest and phase = ? {of_none}"
        row = db.execute(sql, (phase,)).fetchone()
    return None if row is None else _stored(row, name="" if run_id else file_name(phase))


def _wanted_runs(db: PostgresConnection, run_id: str | None) -> list[str]:
    """The run that is named; where it left nothing, and where none is named, the latest of all."""
    if run_id and db.execute("select 1 from handoffs where run = ? limit 1", (run_id,)).fetchone():
        return [run_id]
    sql = f"select run from handoffs group by run order by max(modified) desc limit {MOST_RECENT_RUNS}"
    return [run for (run,) in db.execute(sql)]


def _is_later_run_there(db: PostgresConnection, handoff: Handoff) -> bool:
    """Whether a run that began later has its hand-offs in the place of the newest, and this phase is not ours there."""
    runs = dict(db.execute("select phase, run from handoffs where newest").fetchall())
    if runs.get(handoff.phase) == handoff.run_id:
        return False
    others = {*runs.values()}
    if runs.get(handoff.phase) == "":  # in the place of another's
        others |= {
            run for (run,) in db.execute("select run from handoffs where phase = ?", (handoff.phase,)).fetchall()
        }
    own = "select started_ns, run from runs where run = ?"
    sql = f"select 1 from runs where run = any(?::text[]) and (started_ns, run) > ({own})"
    return db.execute(sql, (sorted(others - {"", handoff.run_id}), handoff.run_id)).fetchone() is not None


def _put(db: PostgresConnection, handoff: Handoff, content: str, now: float, *, newest: bool) -> None:
    key = (handoff.run_id, handoff.phase)
    if newest:
        db.execute("update handoffs set newest = false where newest and phase = ? and run <> ?", key[::-1])
    db.execute("delete from handoffs where run = ? and phase = ?", key)
    db.execute(f"insert into handoffs ({COLUMNS}) values (?, ?, ?, ?, ?)", (*key, newest, content, now))


def _swept_runs(db: PostgresConnection, before: float) -> list[str]:
    """Remove runs that are over, some at a time; their folders' names."""
    return sorted(folder_name(run) for (run,) in db.execute(_SWEPT, (before, before)).fetchall())


class ContextRequest(NamedTuple):
    """Whose context is wanted, and what differs from the settings."""

    phase: int
    run_id: str | None = None
    manifest: Manifest | Mapping[str, object] | str | None = None  # or the name of a file that holds one
    max_tokens: int | None = None
    drop: str | None = None
    all_runs: bool = False


def handoff_context(handoffs: Handoffs | None, asked: ContextRequest, around: Workspace) -> Context:
    """The context of a phase, of the hand-offs given or of those in the files, logged."""
    manifest = manifest_for(asked, around.settings)
    problems: Sequence[str] = ()
    ignored: Sequence[StoredHandoff] = ()
    if handoffs is None:
        found = handoffs_of(around).read_all(before=asked.phase, run_id=asked.run_id, all_runs=asked.all_runs)
        handoffs, problems, ignored = [one.handoff for one in found.handoffs], found.problems, found.ignored
    hide = around.redacted_text
    made = assemble(
        [cleaned_handoff(handoff, around) for handoff in handoffs],
        manifest,
        hide=hide,
        keep=lambda text: keep_context(text, around),
        counter=counter(around.settings.text("tokens.counter")),
    )
    run_id = asked.run_id or made.run_id
    trouble = log_context(handoffs_of(around), hide(run_id), made) if made.text else ""
    return made._replace(
        run_id=run_id,
        problems=[hide(problem) for problem in problems],
        ignored=[(one.name, hide(one.handoff.run_id)) for one in ignored],
        trouble=trouble,
        unshown=[(phase, hide(name)) for phase, name in made.unshown],
    )


def cleaned_handoff(said: Handoff | Mapping[str, object], around: Workspace) -> Handoff:
    """A hand-off as a tool's output would be shown: by the settings, without what hides or redraws text.

    Each text by itself: what moves a terminal's cursor must not reach the text of another field. Secrets are taken out
    later, of all texts in one scan; here they are kept whole, for what a redraw leaves of one looks like none.
    """
    handoff = as_handoff(said)
    policy = around.policy()
    changed = each_text(handoff._asdict(), lambda text: cleaned_whole(around, text, policy).text)
    return Handoff(**changed) if isinstance(changed, dict) else handoff


def manifest_for(asked: ContextRequest, settings: Settings) -> Manifest:
    """The manifest of a phase: what is asked for over the settings, and those over the default."""
    for name in settings.names("context.fields"):
        register_field(name)
    default = _settings_manifest(asked.phase, settings)
    said = asked.manifest
    if isinstance(said, str):
        said = manifest_of(_manifest_file(said), said, default)
    elif isinstance(said, Mapping):
        said = manifest_of(said, "manifest", default)
    manifest = (default if said is None else said)._replace(phase=asked.phase)
    drop = asked.drop or (settings.text("context.drop") if manifest.plan is None else "")
    if drop and (drop != "tail" or manifest.plan is not None):
        manifest = manifest._replace(plan=(manifest.plan or Plan())._replace(drop=drop))
    return manifest if asked.max_tokens is None else manifest._replace(max_tokens=asked.max_tokens)


def _settings_manifest(phase: int, settings: Settings) -> Manifest:
    said = settings.get("context.manifests")
    overrides = said if isinstance(said, dict) else {}
    try:
        return resolve_manifest(phase, overrides)
    except RuleError as error:
        raise ConfigError(f"context.manifests: {error}") from None


def _manifest_file(name: str) -> object:
    try:
        with open(name, "rb") as file:
            return parse_json(file.read(), name)
    except OSError as error:
        raise InputError(f"cannot read {name!r}: {(error.strerror or '').lower()}") from None


def keep_context(text: str, around: Workspace) -> ContextNote:
    """Where the whole text is from now on, in the words of whoever will fetch it."""
    policy = around.policy(CALL.tool)
    try:
        prepared = ingest(around, text, policy, CALL)
        artifact = _recent_artifact(prepared.text, around.store) or keep_whole(around, prepared, policy, CALL)
    except (StoreError, OSError) as error:
        return ContextNote(f"the rest was not kept: {reason_of(error)}", "context cut; the rest was not kept")
    return ContextNote(f"whole text: {around.call_format(artifact.id)}", artifact.id, artifact.id)


def _recent_artifact(text: str, store: Store) -> Artifact | None:
    """The artifact of the same text, if one was kept lately: asked for twice, a context is the same text twice."""
    content = text.encode()
    root = content_digest(content)
    for artifact in store.page(RECENT_ARTIFACTS).artifacts:
        if artifact.sha256 == root and artifact.source_tool == CALL.tool and store.read(artifact.id) == content:
            return artifact
    return None


def log_context(place: HandoffPlace, run_id: str, made: Context) -> str:
    """Log what the budget did, if there is one; why that failed, if it did: the context is handed over all the same."""
    place.mark_used(run_id)
    if made.budget.budget_tokens <= 0:
        return ""
    try:
        place.log_budget(run_id, made.phase, made.budget)
    except (OSError, OverspillError) as error:
        return f"the budget could not be logged: {reason_of(error)}"
    return ""


def build_handoff_context(handoffs: Handoffs, manifest: Manifest | Mapping[str, object] | None = None) -> str:
    """The context that a manifest asks for, within its tokens, without secrets, and logged below the root."""
    from overspill import cut
    from overspill.settings import from_mapping
    from overspill.workspace import Workspace
    from overspill.workspace.opening import find_root, working_directory

    around = Workspace(find_root(None, os.environ, working_directory()), from_mapping({}, "spec", cut.names))
    made = assemble([cleaned_handoff(said, around) for said in handoffs], manifest, hide=around.redacted_text)
    if made.text:
        log_context(HandoffFolder(around.root), around.redacted_text(made.run_id), made)
    return made.text
