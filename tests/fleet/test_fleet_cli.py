"""A fleet from the shell: machines are roots of their own, and share a bucket that is a directory."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok
from overspill.fleet import CLOUDS

STORE = "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE"
LOG = "".join(f"line {number} of a build that says a lot\n" for number in range(4_000))


def machine(tmp_path: Path, name: str, *, tenant: str = "acme", session: str = "work", **more: str) -> Shell:
    bucket = {STORE: f"file://{tmp_path / 'bucket'}", "OVERSPILL_TENANT": tenant}
    return Shell(tmp_path, name, **{**bucket, **({"OVERSPILL_SESSION": session} if session else {}), **more})


def test_a_view_made_on_one_machine_is_read_on_another(tmp_path: Path) -> None:
    view = ok(machine(tmp_path, "one").spill("fit", "--json", stdin=LOG)).envelope
    artifact_id = str(mapping(view["result"])["artifact_id"])
    other = machine(tmp_path, "two")
    assert ok(other.spill("artifacts", "show", artifact_id, "--lines", "3000-3001")).out == "".join(
        LOG.splitlines(keepends=True)[2999:3001]
    )
    assert artifact_id in ok(other.spill("artifacts", "list", "--json")).out
    assert "line 77 of" in ok(other.spill("artifacts", "search", "line 77 of")).out
    assert f"Bucket: file://{tmp_path}/bucket/v1/acme/" in ok(other.spill("artifacts", "info", artifact_id)).out
    assert other.spill("artifacts", "rm", artifact_id).status == 0
    assert machine(tmp_path, "three").spill("artifacts", "show", artifact_id).status == 4


def test_another_tenant_sees_nothing_of_it(tmp_path: Path) -> None:
    artifact_id = machine(tmp_path, "one").put(LOG)
    unknown = "art_1699234567890_abcdefghijklmnopqrstuvwxyz"
    for session in ("work", ""):
        other = machine(tmp_path, f"two{session}", tenant="other", session=session)
        for words in (["show"], ["info"], ["rm"], ["keep"]):
            theirs, none = (other.spill("artifacts", *words, name) for name in (artifact_id, unknown))
            assert theirs.status == none.status == 4
            assert theirs.err.replace(artifact_id, "ID") == none.err.replace(unknown, "ID")
        assert artifact_id not in ok(other.spill("artifacts", "list", "--json")).out
        assert ok(other.spill("artifacts", "search", "build", "--json")).envelope["matches"] == []


def test_check_tries_the_bucket_and_leaves_nothing_behind(tmp_path: Path) -> None:
    said = ok(machine(tmp_path, "one").spill("fleet", "check"))
    assert said.out.count("\nok ") == 8
    assert "failed" not in said.out
    assert [path for path in (tmp_path / "bucket").rglob("*") if path.is_file()] == []


def test_check_says_what_fails(tmp_path: Path) -> None:
    address = {STORE: "s3://nobody/here", "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true"}
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "r", "OVERSPILL_FLEET__PATIENCE": "2"}
    lost = machine(tmp_path, "one", **address, **keys)
    said = lost.spill("fleet", "check")
    assert said.status == 3
    assert "failed  an object can be created: writing: nobody listens there; next: start the server, or" in said.out
    fitted = ok(lost.spill("fit", stdin=LOG))
    assert fitted.out.startswith("[kept here; 4000 lines")
    assert "kept here, not in the bucket yet" in fitted.err
    artifact = ok(lost.spill("artifacts", "list", "--json")).envelope["artifacts"]
    assert isinstance(artifact, list)
    assert len(artifact) == 1
    assert "Traceback" not in said.err + fitted.err
    assert mapping(ok(lost.spill("fit", "--json", stdin=LOG)).envelope["result"])["metadata"]


def test_status_says_what_is_owed_and_push_sends_it(tmp_path: Path) -> None:
    lost = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "a"}
    lost |= {"AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "r", "OVERSPILL_FLEET__PATIENCE": "2"}
    artifact_id = machine(tmp_path, "one", **{**lost, STORE: "s3://nobody/here"}).put(LOG)
    unreachable = ok(machine(tmp_path, "one", **{**lost, STORE: "s3://nobody/here"}).spill("fleet", "status")).out
    assert "There: not known, listing: nobody listens there\nOwed: 1 artifact" in unreachable
    again = machine(tmp_path, "one")
    assert mapping(ok(again.spill("fleet", "status", "--json")).envelope["fleet"])["owed"] == 1
    assert "Sent 1 artifact\n" in ok(again.spill("fleet", "push")).out
    status = mapping(ok(again.spill("fleet", "status", "--json")).envelope["fleet"])
    assert (status["owed"], status["artifacts"], status["sessions"]) == (0, 1, 1)
    assert ok(machine(tmp_path, "two").spill("artifacts", "show", artifact_id, "--lines", "1-1")).out.startswith(
        "line 0"
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_rules_are_those_of_the_tenant_and_wait_for_the_longest_session(tmp_path: Path, cloud: str) -> None:
    shell = machine(tmp_path, "one", **{STORE: "s3://agents/kept"})
    said = ok(shell.spill("fleet", "rules", "--for", cloud, "--longest", "7d", "--json"))
    rules = mapping(said.envelope["rules"])
    text = json.dumps(rules)
    assert "kept/v1/" in json.dumps(rules["lifecycle"])
    assert "kept/v1/acme/" in json.dumps(rules["policy"])
    assert ": 9" in text
    assert ok(shell.spill("fleet", "rules", "--for", cloud)).out.count("#") >= 4


def test_a_fleet_command_without_a_bucket_says_how_to_name_one(tmp_path: Path) -> None:
    said = Shell(tmp_path).spill("fleet", "status")
    assert said.status == 8
    assert STORE in said.err


def test_without_the_extra_a_bucket_names_it_and_results_are_kept_here(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['obstore'] = None\n"
        "from overspill.cli.main import main\n"
        "raise SystemExit(main([*sys.argv[1:]]))"
    )
    shell = machine(tmp_path, "one")

    def spill(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-c", code, *words, "--root", str(shell.root)]
        return subprocess.run(line, capture_output=True, text=True, check=False, env=shell.environ, input=LOG)

    missing, shown = spill("fleet", "status"), spill("fit")
    assert missing.returncode == 5
    assert "overspill[fleet]" in missing.stderr
    assert shown.returncode == 0
    assert shown.stdout.startswith("[4000 lines")
    assert "overspill[fleet]" in shown.stderr
    assert "artifacts are kept here only" in shown.stderr


def test_a_sweep_and_an_end_reach_the_bucket(tmp_path: Path) -> None:
    shell = machine(tmp_path, "one")
    shell.put(LOG)
    assert ok(shell.spill("artifacts", "sweep")).out.startswith("Removed 0")
    assert ok(shell.spill("artifacts", "clean")).out.startswith("Removed 1 artifact")
    assert [path.name for path in (tmp_path / "bucket").rglob("art_*")] == []


def test_a_program_that_closes_nothing_sends_what_it_has_kept(tmp_path: Path) -> None:
    """Also a long result, whose parts are sent when no more threads can be started."""
    shell = machine(tmp_path, "one")
    code = (
        "import overspill\n"
        "spill = overspill.Overspill({'tools': {'truncation': {'max_artifact_size': '1GiB', 'artifacts': "
        f"{{'store': 'file://{tmp_path}/bucket'}}}}}}}})\n"
        "for text in ('a line\\n' * 9_000, 'a long line\\n' * 1_500_000):\n"
        "    print(spill.fit(text).artifact_id)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=shell.environ, cwd=shell.root
    )
    assert done.stderr == ""
    other = machine(tmp_path, "two")
    for artifact_id in done.stdout.split():
        assert ok(other.spill("artifacts", "show", artifact_id, "--lines", "9000-9000")).out.endswith(" line\n")


def test_a_session_ends_here_also_where_the_bucket_does_not_answer(tmp_path: Path) -> None:
    lost = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "a"}
    lost |= {"AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "r", "OVERSPILL_FLEET__PATIENCE": "2"}
    shell = machine(tmp_path, "one", **{**lost, STORE: "s3://nobody/here"})
    shell.put(LOG)
    assert shell.spill("session", "end", "work").status == 0
    code = "import overspill\nwith overspill.Overspill() as spill:\n    print(spill.fit('x\\n' * 9_000).artifact_id)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=shell.environ, cwd=shell.root
    )
    assert done.returncode == 0, done.stderr
