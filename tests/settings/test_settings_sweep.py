"""Every setting of the table changes something that can be seen: a row without an experiment, or whose experiment
comes out the same with another value, fails."""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from doors_kit import Shell
from overspill import MemoryStore, Overspill
from overspill.errors import OverspillError
from overspill.retrieve.access import access_for, fetch
from overspill.settings.table import OVERRIDES, SETTINGS, TOOL_ONLY, TOOLS
from overspill.store import housekeeping

Settings = Mapping[str, object]
Look = Callable[[Settings, Path], object]

LINES = "".join(f"line {number} says {number * 7919 % 1000}\n" for number in range(3_000))
ROWS = json.dumps([{"id": number, "deep": {"a": {"b": {"c": {"d": number}}}}} for number in range(400)])
LOG = "".join(
    f"2026-01-01 00:00:{number % 60:02} {'ERROR broken' if number == 700 else 'INFO fine'} step {number}\n"
    for number in range(1_500)
)
CODE = "".join(
    f"def function_{number}(value):\n    first = value + {number}\n    return first * 2\n\n\n" for number in range(300)
)
SECRET = "password=Tr0ub4dor&3-x9\n"
IDS = re.compile(r"art_[0-9a-z_]+|[0-9-]{10} [0-9:]{8} UTC")


class Experiment(NamedTuple):
    """Another value than the default, what is looked at, and what else has to be set for it to matter."""

    value: object
    look: Look
    beside: Settings = {}  # noqa: RUF012  # of a named tuple


def fitted(output: object, *, times: int = 1, **options: object) -> Look:
    """The last of some views of an output, and what is known of it."""

    def look(settings: Settings, _: Path) -> object:
        spill = Overspill(dict(settings), MemoryStore())
        for _again in range(times):
            made = spill.fit(output, **options)  # type: ignore[arg-type]  # each takes what it takes
        known = {name: IDS.sub("", str(value)) for name, value in made.metadata.items()}
        return IDS.sub("ID", made.text), known

    return look


def streamed(settings: Settings, place: Path) -> object:
    return fitted(iter([LINES[:9_000], LINES]))(settings, place)


def told(event: str, *outputs: object, wait: float = 0) -> Look:
    """How often an event is told while outputs are fitted."""

    def look(settings: Settings, place: Path) -> object:
        heard: list[tuple[str, object]] = []
        spill = Overspill(dict(settings), root=str(place), session="s", on_event=lambda *one: heard.append(one))
        for output in outputs:
            spill.fit(output)
            time.sleep(wait)
        return [facts["threshold"] if event == "threshold" else name for name, facts in heard if name == event]  # type: ignore[index]

    return look


def below(*outputs: object) -> Look:
    """The files below a root after outputs were fitted there."""

    def look(settings: Settings, place: Path) -> object:
        with suppress(OverspillError):
            spill = Overspill(dict(settings), root=str(place), session="s")
            for output in outputs:
                spill.fit(output)
            spill.store.close()
        paths = (path.relative_to(place) for path in place.rglob("*"))
        return sorted(re.sub(r"(art|ses)_[0-9a-z_]+", "ID", str(path)) for path in paths)

    return look


def kept(count: int) -> Look:
    """How many of so many texts are there in the end, and how many views say that theirs is not."""

    def look(settings: Settings, place: Path) -> object:
        spill = Overspill(dict(settings), root=str(place), session="s")
        views = [spill.fit(LINES + str(number)) for number in range(count)]
        return len(spill.store.list()), sum(bool(view.report.not_kept) for view in views)

    return look


def opened_store(settings: Settings, place: Path) -> object:
    """Which store is opened, for which bucket; nothing is written for that."""
    try:
        store = Overspill(dict(settings), root=str(place), session="s").store
    except OverspillError as error:
        return str(error)
    far = getattr(store, "far", None)
    return type(store).__name__, far and (far.bucket.address, far.bucket.patience, far.seal.name)


def opened_database(settings: Settings, place: Path) -> object:
    """Which database tasks are kept in, and whose there; or what is said of one that nobody named."""
    try:
        database = Overspill(dict(settings), root=str(place)).workspace.database
    except OverspillError as error:
        return str(error)
    return None if database is None else (database.variable, database.project)


def got(**options: object) -> Look:
    """A page of an artifact, or that there is none."""

    def look(settings: Settings, _: Path) -> object:
        spill = Overspill(dict(settings), MemoryStore())
        artifact_id = spill.fit(LINES).artifact_id or ""
        try:
            return spill.get(artifact_id, **options).text  # type: ignore[arg-type]  # each takes what it takes
        except OverspillError as error:
            return str(error)

    return look


def got_by_model(settings: Settings, _: Path) -> object:
    spill = Overspill(dict(settings), MemoryStore())
    artifact_id = spill.fit(LINES).artifact_id or ""
    return fetch(access_for(spill.workspace, "model"), artifact_id, None, 0).text


def page(command: str) -> Look:
    return lambda settings, _: len(
        Overspill(dict(settings), MemoryStore()).page(list(range(90)), command=command).items
    )


def context(settings: Settings, place: Path) -> object:
    handoffs = [
        {
            "phase": phase,
            "goal": f"goal {phase}",
            "narrative": "words " * 300,
            "sweep_field": ["own"],
            "decisions_made": ["d"],
        }
        for phase in (1, 2)
    ]
    with Overspill(dict(settings), root=str(place)) as spill:
        try:
            return spill.assemble(handoffs, phase=3, max_tokens=200).text
        except OverspillError as error:
            return str(error)


def runs_left(settings: Settings, place: Path) -> object:
    """The runs that are there after another hand-off was written, forty days later."""
    shell = Shell(place)
    shell.environ |= {f"OVERSPILL_{path.upper().replace('.', '__')}": str(value) for path, value in settings.items()}
    for run in ("old", "new"):
        shell.spill("handoff", "write", "--phase", "1", "--run-id", run)
    runs = shell.root / ".agents/rpi/runs"
    then = time.time() - 40 * 86_400
    for path in [*(runs / "old").iterdir(), runs / "old"]:
        os.utime(path, (then, then))
    shell.spill("handoff", "write", "--phase", "2", "--run-id", "new")
    return sorted(os.listdir(runs))


def synced(settings: Settings, place: Path) -> object:
    """How many files were on the disk before the view was there."""
    calls: list[int] = []
    usual = os.fsync
    os.fsync = calls.append  # type: ignore[assignment]  # of the system, for a moment
    try:
        Overspill(dict(settings), root=str(place), session="s").fit(LINES)
        return bool(calls) and len(calls) > 0 and calls[0] >= 0 and len(calls)
    finally:
        os.fsync = usual


def ended(settings: Settings, place: Path) -> object:
    with Overspill(dict(settings), root=str(place)) as spill:
        spill.fit(LINES)
    return len(list(place.rglob("m/art_*.json")))


def swept(*, end: bool) -> Look:
    """How many artifacts of another session go when it has been left, or ended, for a moment."""

    def look(settings: Settings, place: Path) -> object:
        other = Overspill(dict(settings), root=str(place), session="left")
        other.fit(LINES)
        if end:
            housekeeping.end_session(other.workspace.files, "left")
        time.sleep(1.2)
        return housekeeping.sweep_sessions(Overspill(dict(settings), root=str(place)).workspace.files).artifacts

    return look


def written(settings: Settings, place: Path) -> object:
    """What an agent is told that was hidden a secret, and writes what it saw instead of it."""
    shell = Shell(place)
    shell.environ |= {f"OVERSPILL_{path.upper().replace('.', '__')}": str(value) for path, value in settings.items()}
    event = {"session_id": "s", "cwd": str(shell.root)}
    said = {**event, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": SECRET}}
    shell.spill("hook", "claude-code", stdin=json.dumps(said), root=False)
    write = {"file_path": "a", "content": "password=[REDACTED: PASSWORD]"}
    asked = {**event, "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": write}
    return shell.spill("hook", "claude-code", stdin=json.dumps(asked), root=False).out


def schema(settings: Settings, place: Path) -> object:
    shell = Shell(place)
    shell.environ |= {f"OVERSPILL_{path.upper().replace('.', '__')}": str(value) for path, value in settings.items()}
    return shell.spill("fit", "--json", stdin="x").envelope["$schema"]


def trusted(settings: Settings, place: Path) -> object:
    """What a project may switch off, where the user's file lists it."""
    shell = Shell(place)
    for folder, text in (
        (place / ".config" / "overspill", settings),
        (shell.root / ".agent", {"redaction": {"enabled": False}}),
    ):
        folder.mkdir(parents=True)
        (folder / "config.yml").write_text(json.dumps(text))
    return shell.spill("fit", stdin=SECRET).out


def priced(settings: Settings, place: Path) -> object:
    """Whether there is money in the figures, with what the user's file says."""
    shell = Shell(place)
    (place / ".config" / "overspill").mkdir(parents=True)
    (place / ".config" / "overspill" / "config.yml").write_text(json.dumps(settings))
    shell.spill("fit", stdin=LINES)
    return "Money" in shell.spill("stats").out


def redacted(text: str = SECRET) -> Look:
    return fitted(text)


THRESHOLD = "journal.thresholds."
SMALL_CUT = {TOOLS + "inline_limit": 400}
SMART = {TOOLS + "smart_truncation.enabled": True, TOOLS + "inline_limit": 2_000}
STORE = TOOLS + "artifacts."
ONE_LINE = "x" * 3_000 + "\n"

EXPERIMENTS: dict[str, Experiment] = {
    "preset": Experiment("agent", fitted("\x1b[31mred\x1b[0m\n")),
    "redaction.enabled": Experiment(False, redacted()),
    "redaction.generic": Experiment("all", redacted("x mF9q2LrXz8VbT1kWc7YhN4sPd6GjU3eAq5Zt0RxB9v\n")),
    "redaction.patterns": Experiment("spec", redacted("build_of_the_release_candidate_number_forty_two\n")),
    "redaction.allow": Experiment(["Tr0ub4dor.*"], redacted()),
    "redaction.rules": Experiment(
        [{"name": "ticket", "type": "TICKET", "pattern": "TCK-[0-9]{4}"}], redacted("TCK-1234\n")
    ),
    "redaction.off": Experiment(["github-pat"], redacted("ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6" + "\n")),
    "redaction.env": Experiment(False, redacted("the value is sw33p-the-t4ble-value\n")),
    "tokens.counter": Experiment("by-kind", fitted(ROWS)),
    "context.manifests": Experiment({3: {"handoff_fields": ["goal"], "narrative_cap": 10}}, context),
    "context.drop": Experiment("oldest_first", context),
    "context.keep_runs": Experiment(90 * 86_400, runs_left),
    "context.fields": Experiment(
        ["sweep_field"], context, {"context.manifests": {3: {"handoff_fields": ["sweep_field"]}}}
    ),
    "sessions.keep_ended": Experiment(1, swept(end=True)),
    "model": Experiment("gpt-4", fitted(LINES)),
    "agents.stop_marks": Experiment(False, written),
    "journal.enabled": Experiment(False, below(LINES)),
    "journal.max_size": Experiment(500, below(*[LINES] * 6)),
    "fleet.database": Experiment("env:NOBODY_SET_THIS", opened_database),
    "fleet.project": Experiment("shop", opened_database, {"fleet.database": "env:SWEEP_SECRET_TOKEN"}),
    "journal.keep": Experiment(1, below(*[LINES] * 8), {"journal.max_size": 400}),
    THRESHOLD + "latency_ms": Experiment(1, told("threshold", LINES * 20)),
    THRESHOLD + "truncation_rate": Experiment(0.1, told("threshold", *[LINES] * 50)),
    THRESHOLD + "storage_share": Experiment(0.000001, told("threshold", LINES)),
    THRESHOLD + "artifact_size": Experiment(1, told("threshold", LINES)),
    THRESHOLD + "artifacts_per_minute": Experiment(1, told("threshold", LINES, LINES + "2")),
    THRESHOLD + "redactions": Experiment(1, told("threshold", SECRET + "password=Another1-Tr0ub4dor\n")),
    **{
        f"output.{name}": Experiment(7, page(name))
        for name in ("list", "session", "find", "log", "archive", "artifacts")
    },
    "stats.prices": Experiment({"fresh": 3}, priced),
    "output.default": Experiment(7, page("other")),
    "output.schema": Experiment("https://example.org/schema", schema),
    "trust": Experiment(["~/root"], trusted),
    TOOLS + "inline_limit": Experiment(300, fitted(LINES)),
    TOOLS + "budget": Experiment("1%", fitted(LINES), {"model": "gpt-4"}),
    TOOLS + "artifact_threshold": Experiment(9_000, fitted(LINES[:20_000])),
    TOOLS + "max_artifact_size": Experiment("10KB", fitted(LINES)),
    TOOLS + "on_oversize": Experiment("drop_excerpt", fitted(LINES), {TOOLS + "max_artifact_size": "10KB"}),
    TOOLS + "structured_max": Experiment("1KB", fitted(ROWS)),
    TOOLS + "default_strategy": Experiment("tail", fitted(LINES)),
    TOOLS + "head_ratio": Experiment(0.2, fitted(LINES)),
    TOOLS + "clean_up": Experiment("terminal", fitted("\x1b[31mred\x1b[0m\n")),
    TOOLS + "marks": Experiment("short", fitted(LINES)),
    TOOLS + "reuse": Experiment("identical", fitted(LINES, times=2, tool="bash", source="make")),
    TOOLS + "max_input_size": Experiment("5KB", streamed),
    TOOLS + "keep_binary": Experiment(True, fitted(b"\x7fELF" + bytes(range(256)) * 40)),
    TOOLS + "line_truncation.tail_lines": Experiment(3, fitted(LINES, strategy="tail")),
    TOOLS + "line_truncation.head_lines": Experiment(3, fitted(LINES, strategy="head")),
    TOOLS + "line_truncation.max_line_length": Experiment(90, fitted(ONE_LINE * 90, strategy="line")),
    TOOLS + "element_truncation.first_elements": Experiment(1, fitted(ROWS, strategy="element")),
    TOOLS + "element_truncation.last_elements": Experiment(1, fitted(ROWS, strategy="element")),
    TOOLS + "element_truncation.max_depth": Experiment(1, fitted(ROWS, strategy="element")),
    TOOLS + "element_truncation.preserve_json": Experiment(False, fitted(ROWS)),
    TOOLS + "smart_truncation.enabled": Experiment(True, fitted(LOG)),
    TOOLS + "smart_truncation.preserve_functions": Experiment(False, fitted(CODE, source="a.py"), SMART),
    TOOLS + "smart_truncation.prioritize_errors": Experiment(False, fitted(LOG), SMART),
    TOOLS + "smart_truncation.fill": Experiment("always", fitted(LOG), SMART),
    STORE + "store_truncated": Experiment(False, fitted(LINES)),
    STORE + "preview_chars": Experiment(50, fitted(LINES)),
    STORE + "storage_path": Experiment(".acode/elsewhere", below(LINES)),
    STORE + "cleanup_on_exit": Experiment(False, ended),
    STORE + "compress_large": Experiment(True, below(LINES * 20)),
    STORE + "enable_partial_retrieval": Experiment(False, got(lines=(1, 2))),
    STORE + "retrieval_limit": Experiment(100, got()),
    STORE + "retrieval_ceiling": Experiment(100, got_by_model),
    STORE + "durability": Experiment("strict", synced),
    STORE + "store": Experiment("file:///a/bucket", opened_store),
    STORE + "encrypt": Experiment("env:NO_SUCH_KEY", opened_store, {STORE + "store": "file:///a/bucket"}),
    "fleet.quota": Experiment("1GB", opened_store, {STORE + "store": "file:///a/bucket"}),
    "fleet.patience": Experiment(3, opened_store, {STORE + "store": "file:///a/bucket"}),
    STORE + "session_quota": Experiment("150KB", kept(4)),
    STORE + "machine_quota": Experiment("150KB", kept(4)),
    STORE + "rate_limit": Experiment(2, kept(4)),
    STORE + "disk_floor": Experiment("900TB", kept(2)),
    STORE + "ttl": Experiment(1, swept(end=False)),
    TOOLS + "metadata.include_original_size": Experiment(False, fitted(LINES)),
    TOOLS + "metadata.include_token_estimate": Experiment(False, fitted(LINES)),
    TOOLS + "metadata.include_strategy": Experiment(False, fitted(LINES)),
    TOOLS + "metadata.include_retrieval_instructions": Experiment(False, fitted(LINES)),
    TOOLS + "metadata.detail": Experiment("minimal", fitted(LINES, source="plans.txt")),
    TOOLS + "metadata.aliases": Experiment(False, fitted(LINES)),
    f"{OVERRIDES}.bash.strategy": Experiment("head", fitted(LINES, tool="bash")),
    f"{OVERRIDES}.bash.store": Experiment(False, fitted(LINES, tool="bash")),
}


def table() -> Iterator[str]:
    yield from (row.path for row in SETTINGS)
    yield from (f"{OVERRIDES}.bash.{row.path}" for row in TOOL_ONLY)


@pytest.fixture(autouse=True)
def a_secret_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SWEEP_SECRET_TOKEN", "sw33p-the-t4ble-value")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_there_is_an_experiment_for_every_setting() -> None:
    """CFG: a setting that nobody has tried is not a setting."""
    assert set(EXPERIMENTS) == set(table())


@pytest.mark.parametrize("path", list(table()))
def test_a_setting_changes_something_that_can_be_seen(path: str, tmp_path: Path) -> None:
    """CFG-01..12: with another value something else is shown, kept, told or refused."""
    value, look, beside = EXPERIMENTS[path]
    places = [tmp_path / name for name in ("before", "after")]
    for place in places:
        place.mkdir()
    before, after = look(beside, places[0]), look({**beside, path: value}, places[1])
    assert before != after
