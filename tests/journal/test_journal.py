"""What is logged: every result, every artifact made, fetched, evicted or removed, every violation; never a secret."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from doors_kit import Shell, ok
from overspill import MemoryStore, Overspill
from overspill.compat import FileSystemArtifactStore, GetArtifactTool, TruncationConfiguration, TruncationProcessor
from overspill.errors import OverspillError
from overspill.journal import RATE_WINDOW, silent_journal, watched_journal
from overspill.journal.statistics import History
from overspill.redact.rules import made_up_value
from overspill.workspace.opening import THRESHOLDS

LONG = "a line of some length, as logs have them\n" * 1_000
SECRET = made_up_value("ghp_<A36>")

Event = dict[str, object]


def logs(root: Path) -> str:
    return str(root / ".acode" / "logs")


def events(root: Path, *names: str) -> list[Event]:
    """The events of a root, oldest first."""
    return list(History(logs(root), newest_first=False, events=names))


def spill_in(root: Path, **settings: object) -> Overspill:
    return Overspill({path.replace("__", "."): value for path, value in settings.items()}, root=str(root), session="a")


class Heard(list[tuple[str, Mapping[str, object]]]):
    """A callback that remembers."""

    def __call__(self, event: str, facts: Mapping[str, object]) -> None:
        self.append((event, facts))

    def of(self, name: str) -> list[Mapping[str, object]]:
        return [facts for event, facts in self if event == name]


def test_every_truncation_is_logged(tmp_path: Path) -> None:
    """NFR-013, AC-109, P-25, FAQ-10, TRB-1: tool, sizes, strategy, artifact and latency, in a structured line."""
    fitted = spill_in(tmp_path).fit(LONG, tool="read_file", call_id="call_7")
    (event,) = events(tmp_path, "truncate")
    assert event["tool_name"] == "read_file"
    assert event["original_size"] == len(LONG)
    assert event["truncated_size"] == len(fitted.text)
    assert event["original_tokens"] == fitted.metadata["original_tokens"]
    assert event["truncated_tokens"] == fitted.metadata["truncated_tokens"]
    assert event["strategy"] == fitted.metadata["truncation_strategy"] == "head_tail"
    assert (event["artifact_created"], event["artifact_id"]) == (True, fitted.artifact_id)
    assert float(str(event["latency_ms"])) > 0


def test_what_passes_is_logged_too(tmp_path: Path) -> None:
    """NFR-015, NFR-016: a rate needs both numbers."""
    spill_in(tmp_path).fit("short", tool="bash")
    (event,) = events(tmp_path)
    assert (event["event"], event["tool_name"], event["original_size"]) == ("pass", "bash", 5)
    assert event["artifact_created"] is False


def test_every_creation_is_logged(tmp_path: Path) -> None:
    """NFR-014, AC-110, AUD-1: id, size, source, time and session."""
    spill = spill_in(tmp_path)
    before = time.time()
    fitted = spill.fit(LONG, tool="read_file", source="src/app.py")
    (event,) = events(tmp_path, "create")
    assert event["artifact_id"] == fitted.artifact_id
    assert event["size"] == len(LONG.encode())
    assert (event["source_tool"], event["source"]) == ("read_file", "src/app.py")
    assert str(event["session_id"]).startswith("ses_")
    assert str(event["ts"]) >= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(before))
    assert event["ts"] == str(event["ts"])[:23] + "Z"


def test_every_operation_leads_to_its_call_and_its_session(tmp_path: Path) -> None:
    """AUD-6."""
    spill = spill_in(tmp_path)
    fitted = spill.fit(LONG, tool="bash", call_id="toolu_01")
    spill.get(str(fitted.artifact_id), lines=(1, 2))
    spill.store.delete(str(fitted.artifact_id))
    found = events(tmp_path)
    assert [event["event"] for event in found] == ["create", "truncate", "retrieve", "delete"]
    assert {event["artifact_id"] for event in found} == {fitted.artifact_id}
    assert {event["call_id"] for event in found[:2]} == {"toolu_01"}
    assert len({event["session_id"] for event in found}) == 1
    assert {event["pid"] for event in found} == {os.getpid()}
    assert all(event["version"] for event in found)


def test_every_retrieval_is_logged(tmp_path: Path) -> None:
    """AC-111, AUD-2: id, range, requester, and whether it worked."""
    store = FileSystemArtifactStore(tmp_path)
    kept = store.create(LONG, "read_file")
    tool = GetArtifactTool(store)
    assert not tool.execute({"id": kept.id, "start_line": 2, "end_line": 3}).is_error
    assert not tool.execute({"id": kept.id, "start_byte": 0, "end_byte": 10}).is_error
    assert tool.execute({"id": "art_1699234567890_none"}).is_error
    first, second, third = events(tmp_path, "retrieve")
    assert (first["artifact_id"], first["retrieval_range"]) == (kept.id, "lines 2-3")
    assert (first["requester"], first["success"], first["size"]) == ("model", True, 2 * 41)
    assert second["retrieval_range"] == "bytes 0-10"
    assert (third["artifact_id"], third["success"]) == ("art_1699234567890_none", False)
    assert third["error"] == "E_ARTIFACT_NOT_FOUND"


def test_a_page_says_where_it_lies(tmp_path: Path) -> None:
    """AUD-2."""
    shell = Shell(tmp_path)
    artifact_id = shell.put(LONG * 2)
    ok(shell.spill("artifacts", "show", artifact_id, "--limit", "100", "--offset", "50"))
    (event,) = events(shell.root, "retrieve")
    assert (event["requester"], event["offset"], event["total"]) == ("user", 50, len(LONG * 2))
    assert event["has_more"] is True
    assert 0 < int(str(event["size"])) <= 100


def test_what_goes_down_a_pipe_is_logged_as_fetched_and_exported(tmp_path: Path) -> None:
    """AUD-2: what is exported to a file is not read by anybody yet; what goes to standard output is."""
    shell = Shell(tmp_path)
    artifact_id = shell.put("größer\n" * 2)
    ok(shell.spill("artifacts", "export", artifact_id, str(tmp_path / "file.txt")))
    assert events(shell.root, "retrieve") == []
    assert ok(shell.spill("artifacts", "export", artifact_id, "-")).out == "größer\n" * 2
    (fetched,) = events(shell.root, "retrieve")
    assert (fetched["artifact_id"], fetched["retrieval_range"], fetched["requester"]) == (artifact_id, "all", "user")
    assert (fetched["success"], fetched["size"]) == (True, 14)
    assert [(event["artifact_id"], event["size"]) for event in events(shell.root, "export")] == [(artifact_id, 18)] * 2
    assert shell.spill("artifacts", "export", "art_1699234567890_none", "-").status != 0
    assert events(shell.root, "retrieve")[-1]["error"] == "E_ARTIFACT_NOT_FOUND"
    assert len(events(shell.root, "export")) == 2


@pytest.mark.parametrize("part", [(), ("--lines", "2-2")], ids=["all", "lines"])
def test_all_of_it_is_logged_as_pages_are(part: tuple[str, ...], tmp_path: Path) -> None:
    """AUD-2: sizes are characters, however it was fetched; so is what was not there."""
    shell = Shell(tmp_path)
    artifact_id = shell.put("größer\n" * 2 + "é" * 1_000)
    for more in ((), ("--limit", "0"), ("--limit", "0", "--json")):
        ok(shell.spill("artifacts", "show", artifact_id, *part, *more))
    logged = [(event["size"], event["tokens"], event["success"]) for event in events(shell.root, "retrieve")]
    assert logged == [((7, 2, True) if part else (1_014, 254, True))] * 3
    assert shell.spill("artifacts", "show", "art_1699234567890_none", *part, "--limit", "0").status != 0
    assert events(shell.root, "retrieve")[-1]["error"] == "E_ARTIFACT_NOT_FOUND"


def test_parts_that_are_switched_off_are_not_to_be_had_without_a_limit_either(tmp_path: Path) -> None:
    shell = Shell(tmp_path, OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__ENABLE_PARTIAL_RETRIEVAL="false")
    artifact_id = shell.put(LONG)
    for limit in ("10", "0"):
        said = shell.spill("artifacts", "show", artifact_id, "--lines", "1-2", "--limit", limit)
        assert "switched off" in said.err, limit
    assert ok(shell.spill("artifacts", "show", artifact_id, "--limit", "0")).out == LONG


@pytest.mark.parametrize("attempt", ["../../etc/passwd", "art_1_" + "x" * 500, "art_1\n_{}", f"../{SECRET}"])
def test_a_path_that_is_refused_is_logged(attempt: str, tmp_path: Path) -> None:
    """AUD-4: the attempted id, cut and escaped, the reason, and the session."""
    store = FileSystemArtifactStore(tmp_path)
    assert GetArtifactTool(store).execute({"id": attempt}).status == 400
    (event,) = events(tmp_path, "violation")
    assert (event["kind"], event["reason"]) == ("path", "malformed id")
    assert event["session_id"]
    assert len(str(event["artifact_id"])) <= 100
    assert SECRET not in (tmp_path / ".acode" / "logs" / "journal.jsonl").read_text()
    assert SECRET in attempt or event["artifact_id"] == attempt[:100]


def test_a_link_in_the_place_of_an_artifact_is_logged(tmp_path: Path) -> None:
    """AUD-4."""
    store = FileSystemArtifactStore(tmp_path)
    kept = store.create(LONG, "read_file")
    (path,) = (tmp_path / ".acode" / "artifacts").glob(f"ses_*/{kept.id}")
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(OverspillError):
        store.get_content(kept.id)
    (event,) = events(tmp_path, "violation")
    assert (event["artifact_id"], event["reason"]) == (kept.id, "a link, or open to others")


def test_a_result_that_is_too_large_is_logged(tmp_path: Path) -> None:
    """AUD-5: tool, attempted size, configured maximum."""
    spill_in(tmp_path, tools__truncation__max_artifact_size=20_000).fit(LONG, tool="bash")
    (event,) = events(tmp_path, "violation")
    assert (event["kind"], event["tool_name"]) == ("size", "bash")
    assert (event["attempted_size"], event["configured_max_size"]) == (len(LONG), 20_000)
    assert [event["event"] for event in events(tmp_path)] == ["refuse", "violation"]
    shell = Shell(tmp_path, OVERSPILL_TOOLS__TRUNCATION__MAX_ARTIFACT_SIZE="20000")
    assert shell.spill("artifacts", "put", "--tool", "cat", stdin=LONG).status == 21
    (event,) = events(shell.root, "violation")
    assert (event["tool_name"], event["configured_max_size"]) == ("cat", 20_000)


def test_what_had_to_make_room_is_logged(tmp_path: Path) -> None:
    """AUD-6: nothing goes without a line."""
    spill = spill_in(tmp_path, tools__truncation__artifacts__session_quota=100_000)
    ids = [spill.fit(LONG, tool="bash").artifact_id for _ in range(4)]
    gone = events(tmp_path, "evict")
    assert [event["artifact_id"] for event in gone] == ids[: len(gone)]
    assert gone
    assert gone[0]["reason"] == "to keep within session_quota"
    spill.store.clear()
    (event,) = events(tmp_path, "delete")
    assert (event["artifacts"], event["reason"]) == (4 - len(gone), "clean")


def test_sessions_begin_and_end_in_the_log(tmp_path: Path) -> None:
    """AUD-6."""
    shell = Shell(tmp_path)
    ok(shell.spill("session", "start", "refactoring"))
    shell.put(LONG)
    ok(shell.spill("session", "end"))
    assert [(event["event"], event.get("action"), event.get("reason")) for event in events(shell.root)] == [
        ("session", "start", None),
        ("create", None, None),
        ("session", "end", None),
        ("delete", None, "session end"),
    ]
    assert events(shell.root, "session")[0]["name"] == "refactoring"


def test_the_log_is_closed_by_size(tmp_path: Path) -> None:
    """AUD-7."""
    spill = spill_in(tmp_path, journal__max_size=4_000, journal__keep=2)
    for _ in range(60):
        spill.fit("short", tool="bash")
    files = sorted(path.name for path in (tmp_path / ".acode" / "logs").iterdir())
    assert sum(name != "journal.jsonl" for name in files) == 2
    assert all((tmp_path / ".acode" / "logs" / name).stat().st_size < 5_000 for name in files)


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    """NFR-013: what is logged is less than what is done."""
    (tmp_path / ".acode").mkdir()
    (tmp_path / ".acode" / "logs").write_text("in the way")
    spill = spill_in(tmp_path)
    fitted = spill.fit(LONG)
    assert spill.get(str(fitted.artifact_id), lines=(1, 1)).text == LONG[:41]


def test_a_callback_that_raises_stops_nothing(tmp_path: Path) -> None:
    """P-27."""

    def broken(event: str, facts: Mapping[str, object]) -> None:
        raise RuntimeError(event)

    for spill in (
        Overspill(store=MemoryStore(), journal=broken),
        Overspill(store=MemoryStore(), on_event=broken),
        Overspill(root=str(tmp_path), on_event=broken),
    ):
        fitted = spill.fit(LONG)
        assert spill.get(str(fitted.artifact_id), lines=(1, 1)).text == LONG[:41]
    assert len(events(tmp_path)) == 3


def test_the_settings_and_the_caller_can_switch_it_off(tmp_path: Path) -> None:
    """NFR-013."""
    spill_in(tmp_path, journal__enabled=False).fit(LONG)
    Overspill(root=str(tmp_path), journal=silent_journal).fit(LONG)
    assert not (tmp_path / ".acode" / "logs").exists()


def test_programs_without_files_write_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """X-63."""
    monkeypatch.setenv("OVERSPILL_ROOT", str(tmp_path))
    spill = Overspill(store=MemoryStore())
    spill.get(str(spill.fit(LONG).artifact_id))
    TruncationProcessor(TruncationConfiguration()).process(LONG, "bash")
    assert list(tmp_path.iterdir()) == []


def test_the_processor_logs_where_its_store_keeps(tmp_path: Path) -> None:
    """NFR-013, NFR-014."""
    TruncationProcessor(TruncationConfiguration(), FileSystemArtifactStore(tmp_path)).process(LONG, "bash")
    assert [event["event"] for event in events(tmp_path)] == ["create", "truncate"]


def test_a_callback_hears_everything_whoever_keeps_it(tmp_path: Path) -> None:
    """P-27, X-63: the metrics are apart from the flow, and injectable."""
    own, files = Heard(), Heard()
    for heard, spill in (
        (own, Overspill(store=MemoryStore(), on_event=own)),
        (files, Overspill(root=str(tmp_path), on_event=files)),
    ):
        fitted = spill.fit(LONG, tool="bash")
        spill.get(str(fitted.artifact_id))
        assert sorted(event for event, _ in heard) == ["create", "retrieve", "truncate"]
        assert heard.of("create")[0]["artifact_id"] == fitted.artifact_id
    assert len(events(tmp_path)) == 3


def test_thresholds_tell_of_what_is_unusual(tmp_path: Path) -> None:
    """P-27: latency, storage near its limit, too many artifacts."""
    heard = Heard()
    settings = {
        "journal.thresholds.storage_share": 0.5,
        "journal.thresholds.artifacts_per_minute": 2,
        "journal.thresholds.artifact_size": "50KB",
        "journal.thresholds.redactions": 1,
        "tools.truncation.artifacts.session_quota": 200_000,
    }
    spill = Overspill(settings, root=str(tmp_path), on_event=heard)
    for _ in range(4):
        spill.fit(LONG, tool="bash")
    crossed = {str(facts["threshold"]): facts for facts in heard.of("threshold")}
    assert sorted(crossed) == ["artifacts_per_minute", "storage_share"]
    assert crossed["artifacts_per_minute"]["value"] == 3
    assert len(heard.of("threshold")) == 2
    spill.fit(LONG * 2, tool="deploy")
    spill.fit(f"a {SECRET} and a {made_up_value('sk-proj-<A60>')}", tool="deploy")
    assert [(facts["threshold"], facts["tool_name"]) for facts in heard.of("threshold")[2:]] == [
        ("artifact_size", "deploy"),
        ("redactions", "deploy"),
    ]
    assert len(events(tmp_path, "threshold")) == 4


def test_a_threshold_is_told_once_each_time_it_is_crossed() -> None:
    """P-27."""
    heard = Heard()
    clock = [0.0]
    limits: dict[str, object] = {"latency_ms": 100, "truncation_rate": 0.5, "artifacts_per_minute": 2}
    tell = watched_journal(heard, limits, 4 << 30, lambda: clock[0])
    for latency in (50, 150, 160, 90, 170):
        tell("pass", {"tool_name": "bash", "latency_ms": latency})
    assert [facts["value"] for facts in heard.of("threshold")] == [150, 170]
    for _ in range(RATE_WINDOW):
        tell("truncate", {"tool_name": "bash", "latency_ms": 1})
    assert [facts["threshold"] for facts in heard.of("threshold")[2:]] == ["truncation_rate"]
    for seconds in (0, 1, 2, 3, 200, 201, 202):
        clock[0] = seconds
        tell("create", {"source_tool": "bash", "size": 1})
    assert [facts["threshold"] for facts in heard.of("threshold")[3:]] == ["artifacts_per_minute"] * 2


def test_a_threshold_is_one_line_whoever_opened_the_store(tmp_path: Path) -> None:
    """P-27: the command line opens the store itself and hands it over; so may a program."""
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent/config.yml").write_text("journal.thresholds: {redactions: 1, artifact_size: 1KB}\n")
    ok(shell.spill("fit", stdin=f"{SECRET} {made_up_value('sk-proj-<A60>')}\n{LONG}"))
    crossed = [event["threshold"] for event in events(shell.root, "threshold")]
    assert sorted(map(str, crossed)) == ["artifact_size", "redactions"]


@pytest.mark.parametrize("own", [True, False])
def test_everybody_who_listens_hears_of_a_threshold_once(tmp_path: Path, *, own: bool) -> None:
    """P-27: the store's journal, a journal that was handed in, and a callback."""
    settings = {"journal.thresholds.redactions": 1, "journal.thresholds.artifact_size": "1KB"}
    store = Overspill(settings, root=str(tmp_path)).store
    journal, heard = Heard(), Heard()
    spill = Overspill(settings, store, root=str(tmp_path), journal=None if own else journal, on_event=heard)
    spill.fit(f"{SECRET} {made_up_value('sk-proj-<A60>')}\n{LONG}")
    both = ["artifact_size", "redactions"]
    assert sorted(str(facts["threshold"]) for facts in heard.of("threshold")) == both
    assert sorted(str(facts["threshold"]) for facts in journal.of("threshold")) == ([] if own else both)
    # What the store makes, its own journal tells; what is fitted is told to the one that was handed in.
    assert sorted(str(event["threshold"]) for event in events(tmp_path, "threshold")) == (both if own else both[:1])


def test_every_threshold_is_a_setting() -> None:
    """P-27."""
    settings = Overspill({}, store=MemoryStore()).settings
    assert {path for path in settings.values if ".thresholds." in path} == set(THRESHOLDS)


def test_no_line_is_broken_by_what_a_tool_is_called(tmp_path: Path) -> None:
    """AUD-8: a line is a line, whatever is in it."""
    name = 'x"\n{"event":"forged"}\u2028\x1b[2J'
    spill_in(tmp_path).fit("short", tool=name)
    content = (tmp_path / ".acode" / "logs" / "journal.jsonl").read_bytes()
    assert content.count(b"\n") == 1
    assert content.isascii()
    assert json.loads(content)["tool_name"] == name


def test_the_time_a_tool_takes_is_not_ours(tmp_path: Path) -> None:
    """P-25: latency is of fitting."""

    def slowly() -> Iterator[str]:
        for _ in range(3):
            time.sleep(0.2)
            yield LONG

    started = time.perf_counter()
    spill_in(tmp_path).fit_stream(slowly())
    took = (time.perf_counter() - started) * 1000
    (event,) = events(tmp_path, "truncate")
    assert float(str(event["latency_ms"])) < took - 550


def test_a_store_in_memory_tells_of_violations_too() -> None:
    """AUD-4, X-63."""
    heard = Heard()
    with pytest.raises(OverspillError):
        Overspill(store=MemoryStore(), journal=heard).get("../../etc/passwd")
    assert heard.of("violation")[0]["artifact_id"] == "../../etc/passwd"
    assert heard.of("retrieve")[0]["success"] is False


def test_settings_that_no_store_can_follow_do_not_stop_what_fits(tmp_path: Path) -> None:
    """NFR-013."""
    spill = spill_in(tmp_path, tools__truncation__artifacts__storage_path="../elsewhere")
    assert spill.fit("short").text == "short"
