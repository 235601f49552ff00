"""Every command answers with one envelope that its schema agrees with, in good days and bad ones."""

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest

from doors_kit import Said, Shell, mapping, ok
from ledger_kit import VALIDATORS, checked, error_of
from overspill.cli.commands import commands
from overspill.cli.output import envelope_pieces, error_envelope, schema, success_envelope
from overspill.errors import OverspillError, UsageError

LINES = "".join(f"line {number}\n" for number in range(3_000))
NOBODYS = "art_1699234567890_" + "a" * 26

# For each command: words that succeed, and words that do not, with the status. {art}, {task} and {file} are there.
GOOD: dict[str, list[list[str]]] = {
    "fit": [["{file}"], ["{file}", "--limit", "200"], ["{file}", "--tokens", "100", "--strategy", "tail"]],
    "run": [["--", "echo", "hello"], ["--limit", "200", "--", "seq", "3000"]],
    "redact": [["{file}"], ["{file}", "--report"]],
    "tokens": [["{file}"]],
    "artifacts list": [[], ["--limit", "1"], ["--limit", "0"], ["--offset", "99"], ["--tokens", "50"]],
    "artifacts info": [["{art}"]],
    "artifacts show": [["{art}"], ["{art}", "--lines", "2-3"], ["{art}", "--limit", "10"], ["{art}", "--limit", "0"]],
    "artifacts search": [["line 7"], ["line", "--limit", "3"], ["line", "{art}", "--limit", "0"], ["zzz"]],
    "artifacts put": [["{file}"]],
    "artifacts export": [["{art}", "{new}"]],
    "artifacts keep": [["{art}"]],
    "artifacts rm": [["{other}"]],
    "artifacts clean": [[]],
    "artifacts sweep": [[]],
    "session start": [["work"], ["work", "--scope", "epic:T1", "--focus", "{task}", "--note", "begun"]],
    "session end": [[]],
    "session list": [[], ["--limit", "1"], ["--limit", "0"]],
    "session show": [[], ["a"]],
    "session update": [["--focus", "{task}"], ["a", "--note", "x"]],
    "config show": [[], ["--origin"]],
    "config check": [[]],
    "config init": [["--force"]],
    "config path": [[]],
    "list": [[], ["--limit", "1"], ["--limit", "0"], ["--status", "pending", "--label", "auth"], ["--tokens", "20"]],
    "ready": [[], ["--limit", "1"], ["--label", "auth"]],
    "next": [[], ["--claim", "--as", "ann", "--for", "30m"]],
    "tree": [["{task}"], ["{task}", "--up"], ["{task}", "--limit", "1"]],
    "claim": [["{task}"], ["{task}", "--for", "1d"], ["{task}", "--as", "bob", "--force"]],
    "release": [["{task}"], ["{task}", "{closed}"]],
    "duplicate": [["{closed}", "--of", "{task}"]],
    "tasks export": [["{new}"], ["{new}", "--force"]],
    "tasks import": [["{lines}"]],
    "tasks sync": [["{new}"], ["{new}"], ["{lines}"]],
    "delete": [["{task}", "{closed}"]],
    "find": [["log"], ["lgo in"], ["zzz"], ["log", "--limit", "1"], ["x", "--archived"], ["line", "--in", "artifacts"]],
    "show": [["{task}"], ["{task}", "{closed}"], ["{task}", "--limit", "60"], ["{art}"], ["{session}"], ["a"]],
    "add": [["Log out", "--depends", "{task}", "--label", "auth"]],
    "update": [
        ["{task}", "--status", "active", "--notes", "begun"],
        ["{task}", "--clear", "label"],
        ["{task}", "{closed}", "--add-label", "x", "--remove-label", "auth"],
    ],
    "done": [["{task}"], ["{task}", "{closed}", "--reason", "merged"]],
    "archive": [[], ["{closed}"], ["{closed}", "--undo"]],
    "log": [
        ["{task}"],
        ["{task}", "--limit", "1"],
        [],
        ["--limit", "2"],
        ["--limit", "0"],
        ["--event", "task"],
        ["--full"],
    ],
    "page": [
        ["{json}"],
        ["{json}", "--limit", "2"],
        ["{json}", "--limit", "0"],
        ["{json}", "--compact", "id"],
        ["{json}", "--where", "id>3", "--sort", "-id", "--limit", "2"],
        ["{csv}", "--limit", "1"],
        ["{listed}", "--limit", "2"],
    ],
    "handoff write": [
        ["--phase", "1", "--goal", "log in"],
        ["--phase", "1", "--goal", "log in", "--add"],
        ["--phase", "2", "--run-id", "r", "--from", "{result}", "--artifacts", "*.txt", "--summary", "{file}"],
    ],
    "handoff list": [[], ["--limit", "1"], ["--run-id", "nobody"]],
    "handoff show": [["1"]],
    "context": [["--phase", "2"], ["--phase", "2", "--explain"], ["--phase", "9", "--max-tokens", "20"]],
    "init": [["--show"], ["codex", "--dry-run"], ["codex"], ["codex", "--uninstall"]],
    "doctor": [[]],
    "stats": [[], ["--context"], ["--by", "agent", "--prices", "3,3.75,0.3"], ["--all-projects"]],
    "replay": [["{file}"], ["{json}", "--names"]],
    "report": [["-o", "{new}"], ["--output", "{new}", "--with-texts"]],
    "purge": [[], ["--yes"]],
    "self-test": [[]],
    "help": [[], ["status"], ["artifacts", "show"]],
}
BAD: dict[str, list[tuple[list[str], int]]] = {
    "help": [(["nothing"], 2)],
    "self-test": [(["extra"], 2)],
    "fit": [(["{missing}"], 3), (["{file}", "--limit", "0"], 2), (["{file}", "--strategy", "nope"], 2)],
    "run": [([], 125)],
    "redact": [(["{missing}"], 3)],
    "tokens": [(["{missing}"], 3)],
    "artifacts list": [(["--limit", "-1"], 2), (["--as-of", "x"], 2), (["--as-of", "x@0", "--offset", "5"], 2)],
    "artifacts info": [([NOBODYS], 4), (["../etc"], 2), ([], 2)],
    "artifacts show": [([NOBODYS], 4), (["{art}", "--lines", "9-1"], 2), (["{art}", "--lines", "x"], 2)],
    "artifacts search": [([], 2), (["(", "--regex"], 2), (["x", "--as-of", "y"], 2), (["x", NOBODYS], 4)],
    "artifacts put": [(["{missing}"], 3)],
    "artifacts export": [(["{art}", "-"], 2), (["{art}", "{file}"], 3)],
    "artifacts keep": [([NOBODYS], 4)],
    "artifacts rm": [([NOBODYS], 4)],
    "artifacts clean": [(["extra"], 2)],
    "artifacts sweep": [(["--limit"], 2)],
    "session start": [(["two\nlines"], 2), (["x", "--focus", "T999"], 4)],
    "session end": [(["nobody"], 4)],
    "session list": [(["--limit", "abc"], 2), (["--as-of", "x@0", "--offset", "1"], 2)],
    "session show": [(["nobody"], 4)],
    "session update": [([], 2), (["--focus", "T999"], 4), (["--note", "\x1b[2J"], 6)],
    "config show": [(["--config", "{missing}"], 8)],
    "config check": [(["--config", "{file}"], 8)],
    "config init": [(["--profile", "nope"], 2)],
    "config path": [(["extra"], 2)],
    "ready": [(["--limit", "-1"], 2), (["--as-of", "x"], 2)],
    "next": [(["--label", "nothing"], 4), (["--for", "long"], 2), (["extra"], 2)],
    "tree": [([], 2), (["T999"], 4), (["x"], 2)],
    "claim": [([], 2), (["T999"], 4), (["{closed}"], 6), (["{task}", "{closed}"], 6), (["{task}", "--for", "x"], 2)],
    "release": [([], 2), (["T999"], 4), (["x"], 2)],
    "duplicate": [(["{task}"], 2), (["{task}", "--of", "T999"], 4), (["T999", "--of", "{task}"], 4)],
    "delete": [([], 2), (["{task}", "T999"], 4), (["x"], 2)],
    "tasks export": [([], 2), (["{file}"], 3)],
    "tasks import": [([], 2), (["{missing}"], 3), (["{file}"], 6), (["{json}"], 6)],
    "tasks sync": [([], 2), (["{missing}/x"], 3), (["{file}"], 6)],
    "list": [
        (["--limit", "-1"], 2),
        (["--as-of", "x"], 2),
        (["--sort", "x"], 2),
        (["--status", "lost"], 2),
        (["--parent", "T999"], 4),
        (["--parent", "x"], 2),
    ],
    "find": [([], 2), (["!!!"], 2), (["x", "--in", "space"], 2)],
    "show": [([], 2), (["T999"], 4), (["x"], 2), ([NOBODYS], 4), (["ses_" + "a" * 26], 4)],
    "add": [([], 2), (["  "], 6), (["x", "--depends", "T999"], 4), (["x", "--priority", "p"], 2)],
    "update": [(["{task}"], 2), (["T999", "--title", "x"], 4), (["{task}", "--depends", "{task}"], 6)],
    "done": [(["T999"], 4), (["{task}", "T999"], 4), (["nope"], 2)],
    "archive": [(["{task}"], 6), (["T999"], 4), (["--undo"], 2), (["--as-of", "x"], 2)],
    "log": [(["T999"], 4), (["x"], 2), (["--limit", "x"], 2), (["--as-of", "abc@0", "--offset", "1"], 2)],
    "page": [
        (["{missing}"], 3),
        (["{file}"], 2),
        (["{json}", "--key", "a"], 2),
        (["{json}", "--compact", ","], 2),
        ([NOBODYS], 4),
        (["{json}", "--where", "id"], 2),
        (["{json}", "--as-of", "9.0", "--offset", "1"], 3),
    ],
    "handoff write": [
        (["--phase", "1", "--from", "{missing}"], 3),
        (["--from", "{json}"], 6),
        (["--phase", "1", "--artifacts", "../*"], 2),
        (["--phase", "x"], 2),
    ],
    "handoff list": [(["extra"], 2)],
    "handoff show": [(["9"], 4), (["1", "--run-id", "nobody"], 4), (["x"], 2)],
    "context": [(["--phase", "2", "--manifest", "{json}"], 6), (["--phase", "x"], 2)],
    "init": [(["nobody"], 2), (["codex", "extra"], 2)],
    "doctor": [(["extra"], 2)],
    "stats": [(["extra"], 2), (["--by", "moon"], 2), (["--prices", "dear"], 2)],
    "replay": [(["{missing}"], 3), ([], 3), (["--nope"], 2)],
    "report": [(["nobody", "-o", "{new}"], 4), (["-o", "{missing}/x"], 3), (["--nope"], 2)],
    "purge": [(["extra"], 2)],
    **{f"fleet {word}": [(["extra"], 2), ([], 8)] for word in ("init", "migrate", "check", "status", "push", "rules")},
}
# They need a bucket or a database: what they answer then is tried in tests/fleet and tests/database.
ELSEWHERE = {name for name in BAD if name.startswith("fleet ")}
# No answer in an envelope: a script for a shell, a show for people, and those who speak a protocol. With the status of
# a line that cannot be read: what stands between an agent and its tools has one of its own.
SILENT = {"demo": 2, "completion": 2, "ui": 2, "mcp serve": 2, "mcp proxy": 125, "hook": 0}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A root in which work has begun, for all to copy, and what is there."""
    shell = Shell(tmp_path_factory.mktemp("begun"))
    (shell.root / "file.txt").write_text(LINES)
    line = {"uid": "t-1", "id": "T9", "createdAt": "2026-01-01T00:00:00Z", "title": "from elsewhere"}
    (shell.root / "lines.ndjson").write_text(json.dumps(line))
    (shell.root / "list.json").write_text(json.dumps([{"id": number} for number in range(9)]))
    there = {
        "task": ok(shell.spill("add", "Log in", "--label", "auth")).out.strip(),
        "closed": ok(shell.spill("add", "Closed", "--status", "done")).out.strip(),
    }
    ok(shell.spill("handoff", "write", "--phase", "1", "--goal", "log in"))
    (shell.root / "table.csv").write_text("id,name\n1,Jo\n2,Al\n")
    (shell.root / "phase-2-result.json").write_text('{"status": "completed"}')
    kept = {"art": shell.put(LINES), "other": shell.put("other\n"), "listed": shell.put("[1, 2, 3, 4, 5]")}
    return shell.root, {**there, **kept}


def filled(shell: Shell, begun: tuple[Path, dict[str, str]]) -> dict[str, str]:
    shutil.copytree(begun[0], shell.root, dirs_exist_ok=True)
    shell.put("mine\n", "--session", "a")  # the first of a session: now the root is known to its user as well
    session = str(mapping(ok(shell.spill("session", "show", "a", "--json")).envelope["session"])["id"])
    places = {"file": "file.txt", "json": "list.json", "missing": "missing", "new": "new", "csv": "table.csv"}
    places |= {"result": "phase-2-result.json", "lines": "lines.ndjson"}
    return {**begun[1], **{name: str(shell.root / place) for name, place in places.items()}, "session": session}


def run(shell: Shell, name: str, words: list[str], there: dict[str, str], *, installed: bool = False) -> Said:
    given = [word.format(**there) if "{" in word else word for word in words]
    general = ["--root", str(shell.root), "--json"]
    spill = shell.installed if installed else shell.spill
    return spill(*name.split(), *general, *given, root=False)


def test_every_command_is_tried_in_good_and_bad_ways() -> None:
    names = {command.name for command in commands()} - set(SILENT)
    assert names - set(GOOD) - ELSEWHERE == set()
    assert names - set(BAD) == set()


@pytest.mark.parametrize("name", list(GOOD))
def test_every_answer_follows_its_schema(name: str, begun: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    there = filled(shell, begun)
    for turn, words in enumerate(GOOD[name]):
        said = run(shell, name, words, there, installed=turn == 0)  # every command starts as it was installed once
        assert said.status == 0, (words, said)
        envelope = checked(said)
        assert envelope["success"] is True
        assert mapping(envelope["_meta"])["command"] == name
        if "next" in envelope:
            assert mapping(envelope["pagination"])["hasMore"] is True
            checked(ok(shell.line(str(envelope["next"]))))


class Unharmed(NamedTuple):
    """A root in which nothing succeeds, so that one is enough for all: what is there, and what it lists."""

    shell: Shell
    there: dict[str, str]
    listed: list[str]


def listed(shell: Shell) -> list[str]:
    """The tasks and the sessions of a root."""
    sessions = shell.spill("session", "list", "--limit", "0", "--json").out.splitlines()
    return [shell.spill("list", "--limit", "0").out, *sessions[1:]]


@pytest.fixture(scope="module")
def unharmed(begun: tuple[Path, dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Unharmed:
    shell = Shell(tmp_path_factory.mktemp("unharmed"))
    return Unharmed(shell, filled(shell, begun), listed(shell))


@pytest.mark.parametrize("name", list(BAD))
def test_every_error_follows_its_schema_and_changes_nothing(name: str, unharmed: Unharmed) -> None:
    shell, there, before = unharmed
    for words, status in BAD[name]:
        said = run(shell, name, words, there)
        error = error_of(said)
        assert (said.status, error["exitCode"]) == (status, status), (words, said)
        assert mapping(said.envelope["_meta"])["command"] == name
        assert "\x1b" not in said.out
    people = shell.spill(*name.split(), *[word.format(**there) for word in words])
    assert (people.out, people.status) == ("", status)
    assert people.err.startswith("spill: ")
    assert "\x1b" not in people.err
    assert listed(shell) == before


@pytest.mark.parametrize("name", sorted(command.name for command in commands()))
def test_an_option_that_no_command_has_is_an_envelope_for_every_command(name: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    status = 125 if name == "run" else SILENT.get(name, 2)
    for words in (["--json", "--nope"], ["--nope", "--json"]):
        said = shell.spill(*name.split(), *words)
        envelope = mapping(json.loads(said.out))
        VALIDATORS["error"].validate(envelope)
        assert (envelope["success"], said.status) == (False, status)
        assert mapping(envelope["_meta"])["command"] == name


@pytest.mark.parametrize("name", ["output", "error", "pagination"])
def test_a_schema_needs_no_other_file_and_is_one(name: str) -> None:
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    text = json.dumps(found)
    refs = re.findall(r'"\$ref": "([^"]*)"', text)
    assert all(ref.startswith("#/$defs/") and ref.removeprefix("#/$defs/") in mapping(found["$defs"]) for ref in refs)
    page = mapping(schema("output")["$defs"])["pagination"]
    assert page == {name: part for name, part in schema("pagination").items() if name not in {"$schema", "$id"}}
    assert mapping(schema("output")["$defs"])["meta"] == mapping(schema("error")["$defs"])["meta"]


def test_an_answer_with_a_page_is_validated_without_a_registry_and_a_wrong_one_is_refused() -> None:
    pages = {"total": 9, "limit": 2, "offset": 0, "hasMore": True}
    envelope = json.loads(success_envelope("list", "tasks", [], following="spill list --offset 2", pagination=pages))
    jsonschema.validate(envelope, schema("output"))
    envelope["pagination"]["page"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(envelope, schema("output"))


@pytest.mark.parametrize("words", [[], ["nope"], ["artifacts"], ["artifacts", "nope"], ["--nope"], ["list", "--nope"]])
def test_a_line_that_cannot_be_read_is_an_envelope_too(words: list[str], tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    if words:
        error = error_of(shell.spill(*words, "--json"))
        assert (error["code"], error["exitCode"]) == ("E_INPUT_INVALID", 2)
        assert ok(shell.line(str(error["fix"]))).out
    assert checked(ok(shell.spill("--version", "--json")))["version"]


def test_a_list_is_written_piece_by_piece_and_is_the_same_envelope() -> None:
    tasks = [{"id": "T1", "title": "a\u2028b\udc80", "status": "done"}, {"id": "T2", "title": "b", "status": "done"}]
    text = success_envelope("list", "tasks", tasks, following="spill list --offset 2", pagination={"total": 9})
    lines = [json.dumps(task) for task in tasks]
    streamed = "".join(
        envelope_pieces("list", "tasks", lines, following="spill list --offset 2", pagination={"total": 9})
    )
    assert json.loads(text) | {"_meta": 0} == json.loads(streamed) | {"_meta": 0}
    assert len(text.splitlines()) >= 4
    assert json.loads(success_envelope("list", "tasks", []))["tasks"] == []


def test_an_error_carries_only_what_there_is_to_say() -> None:
    bare = json.loads(error_envelope("list", OverspillError("broken")))["error"]
    assert bare == {"code": "E_INTERNAL", "message": "broken", "exitCode": 1, "recoverable": False}
    helped = UsageError("no").with_help("spill list", alternatives=[{"action": "ask", "command": "spill --help"}])
    assert json.loads(error_envelope("list", helped))["error"]["fix"] == "spill list"


def test_a_secret_in_a_way_out_is_not_shown(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said = Shell(tmp_path).spill("find", token, "--limit", "x", "--json")
    assert token not in said.out
    error_of(said)
