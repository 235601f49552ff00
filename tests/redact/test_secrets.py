"""The numbered requirements on secrets, through the whole flow and the command."""

import json
from pathlib import Path

import pytest

from asking import mapping_of, numbered, spill, stored
from children import fed
from overspill import MemoryStore, Overspill
from overspill.redact.rules import made_up_value

KEY = made_up_value("ghp_<A36>")
JWT = made_up_value("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W24>.<W43>")
PASSWORD = made_up_value("<A20>")
SECRETS = [KEY, JWT, PASSWORD]
LONG = numbered(600) + f"key {KEY}\n{JWT}\npostgres://app:{PASSWORD}@db/app\n" + numbered(600)


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "line", "element", "smart"])
def test_secrets_are_gone_whatever_is_cut_and_kept(strategy: str) -> None:
    """AC-101, AC-108, P-16, THR-1, SAN-6: from the view and from the artifact."""
    asked = spill(default_strategy=strategy, inline_limit=600, line_truncation__tail_lines=5)
    text = f"{KEY}\n{LONG}{JWT} {KEY}"
    fitted = asked.fit(text)
    for secret in SECRETS:
        assert secret not in fitted.text + stored(asked, fitted)
    assert stored(asked, fitted).count("[REDACTED: API_KEY]") == 3


def test_a_cut_never_lies_inside_a_secret_or_its_placeholder() -> None:
    """AC-101, SAN-6: what is cut is the redacted text."""
    text = f"password={PASSWORD} " * 40
    for limit in range(100, 300):
        view = spill(inline_limit=limit).fit(text).text
        assert PASSWORD[:8] not in view
        assert PASSWORD[-8:] not in view


def test_detections_are_counted_in_report_journal_and_metadata() -> None:
    """AC-112, AUD-3, NFR-012, AUD-8: tool, rules and counts; never the secret."""
    lines: list[dict[str, object]] = []
    asked = Overspill(store=MemoryStore(), journal=lambda event, facts: lines.append({"event": event, **facts}))
    fitted = asked.fit(LONG, tool=f"deploy --token {KEY}")
    found = {"github-pat": 1, "jwt": 1, "url-password": 1}
    assert sum(fitted.report.redacted.values()) == len(found) == 3
    assert lines[0]["redactions"] == fitted.metadata["redactions"] == fitted.report.redacted
    assert str(lines[0]["tool_name"]).startswith("deploy --token [REDACTED: ")
    assert not any(secret in json.dumps(lines) for secret in SECRETS)


def test_nothing_is_logged_of_the_text(tmp_path: Path) -> None:
    """NFR-012, AUD-8."""
    done = fed("fit", "--explain", chunks=[LONG.encode()], home=tmp_path)
    journal = (tmp_path / ".acode" / "logs" / "journal.jsonl").read_text()
    assert done.status == 0
    assert "somebody wrote" not in journal + done.err.decode()
    assert any(mapping_of(json.loads(line)).get("redactions") for line in journal.splitlines())


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("commit 9fceb02d0ae598e95dc970b74767f19372d61af8", None),
        ("X" * 500, None),
        (f"password: {PASSWORD} # mine", "password: [REDACTED: PASSWORD] # mine"),
        ("postgres://localhost:5432/app", None),
        (f"postgres://app:{PASSWORD}@db/app", "postgres://app:REDACTED_PASSWORD@db/app"),
        (f"token {JWT}", "token [REDACTED: JWT_TOKEN]"),
    ],
)
def test_what_is_a_secret_is_the_same_through_every_door(text: str, shown: str | None, tmp_path: Path) -> None:
    """X-49, X-50, X-51, X-52, SAN-1, SAN-2, SAN-3, SAN-4, SAN-5."""
    expected = text if shown is None else shown
    assert spill().fit(text).text == expected
    assert fed("fit", chunks=[text.encode()], home=tmp_path).out.decode() == expected


def test_what_is_stored_is_the_text_unless_it_holds_secrets() -> None:
    """X-53: then the redacted text is the only form there is."""
    asked = spill(inline_limit=500)
    clean = numbered(200)
    assert stored(asked, asked.fit(clean)) == clean
    assert stored(asked, asked.fit(f"{clean}{KEY}")) == f"{clean}[REDACTED: API_KEY]"


def test_a_nul_is_a_picture_of_itself_in_what_is_shown_and_stored() -> None:
    """X-54."""
    asked = spill(inline_limit=500)
    fitted = asked.fit("a\0b\n" + numbered(200))
    assert fitted.text.startswith("a\u2400b\n")
    assert stored(asked, fitted).startswith("a\u2400b\n")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_tool_of_which_nothing_is_stored(streamed: bool, tmp_path: Path) -> None:
    """X-55, THR-1: the view says so, the report says so, and no file is made."""
    config = {"tools.truncation.overrides": {"vault_read": {"store": False}}}
    asked = Overspill(config, None, "spec", str(tmp_path))
    text = numbered(90_000 if streamed else 900)
    fitted = asked.fit(iter([text]) if streamed else text, tool="vault_read")
    assert fitted.report.was_truncated
    assert fitted.artifact_id is None
    assert fitted.metadata["not_kept"] == "not kept"
    assert "[not kept]" in fitted.text
    assert not list(tmp_path.rglob("art_*"))
    assert asked.fit(numbered(900), tool="bash").artifact_id is not None


def test_errors_and_envelopes_are_redacted_too(tmp_path: Path) -> None:
    """X-100."""
    for words in (["fit", f"no-such-{KEY}"], ["fit", "--strategy", KEY], [KEY], ["fit", f"--{KEY}"]):
        done = fed("--json", *words, chunks=[b"text"], home=tmp_path)
        message = str(mapping_of(mapping_of(json.loads(done.out))["error"])["message"])
        assert "[REDACTED: API_KEY]" in message
        assert KEY.encode() not in done.out + done.err


PROJECT = f"""\
redaction:
  enabled: false
  off: [github-pat, jwt, assignment]
  allow: ['{KEY}', 'ghp_.*']
  env: false
"""


def test_a_project_cannot_switch_redaction_off(tmp_path: Path) -> None:
    """SAN-6, THR-1: it is said, and not followed."""
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.yml").write_text(PROJECT)
    done = fed("fit", chunks=[f"got {KEY} and {PASSWORD}".encode()], home=tmp_path, environ={"DB_PASSWORD": PASSWORD})
    assert done.out == b"got [REDACTED: API_KEY] and [REDACTED: DB_PASSWORD]"
    assert b"redaction.enabled" in done.err
    assert KEY.encode() not in done.err


def test_the_user_can(tmp_path: Path) -> None:
    """X-55: in a file of the user's own, for the project listed there."""
    own = tmp_path / "xdg_config_home" / "overspill"
    own.mkdir(parents=True)
    (own / "config.yml").write_text(f"trust: ['{tmp_path}']\n")
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.yml").write_text("redaction: {enabled: false}\n")
    text = f"got {KEY}".encode()
    assert fed("fit", chunks=[text], home=tmp_path).out == text


@pytest.mark.parametrize("preset", ["spec", "agent"])
def test_redaction_is_on_by_default(preset: str, tmp_path: Path) -> None:
    """SAN-6."""
    assert fed("fit", "--preset", preset, chunks=[KEY.encode()], home=tmp_path).out == b"[REDACTED: API_KEY]"
