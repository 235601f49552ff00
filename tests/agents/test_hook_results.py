"""`spill hook` and results of other shapes than a text: no secret passes, and a picture stays one."""

import base64
import json
import random
from collections.abc import Callable
from typing import cast

import pytest

from doors_kit import Shell, ok
from e2e.canaries import written_forms
from hook_events import EXIT, WAYS, Json, at, put, recorded, told
from overspill.redact.rules import made_up_value

PASSWORD = "Zk8fQ2mX1pLr"

PLACES: dict[str, object] = {
    "beside its name": {"password": PASSWORD, "user": "me"},
    "a number": {"password": 8473625190, "user": "me"},
    "deep inside": {"rows": [{"user": "me", "db": {"password": PASSWORD}}]},
    "as a pair": {"settings": [{"name": "DB_PASSWORD", "value": PASSWORD}]},
    "data": {"data": f"password={PASSWORD}", "mimeType": "image/png"},
    "blob": {"blob": f"password={PASSWORD}"},
    "list": {"data": [f"password={PASSWORD}", "x"], "mimeType": "image/png"},
    "signature": {"signature": f"password={PASSWORD}", "base64": f"api_key={PASSWORD}"},
    "another language": {"größe": 1, "password": PASSWORD},
}


@pytest.mark.parametrize("way", ["claude mcp", "codex mcp", "gemini mcp"])
@pytest.mark.parametrize("place", PLACES)
def test_a_name_beside_a_value_counts_wherever_it_stands(shell: Shell, way: str, place: str) -> None:
    event = WAYS[way].event("ok", shell.root)
    if way == "gemini mcp":
        put(event, [{"text": "ok"}, PLACES[place]], "tool_response", "llmContent")
    elif way == "codex mcp":
        put(event, {"content": [{"type": "text", "text": "ok"}], "more": PLACES[place]}, "tool_response")
    else:
        put(event, PLACES[place], "tool_response")
    said = told(shell, WAYS[way].agent, event)
    assert said != "{}\n"
    assert PASSWORD not in said
    assert "8473625190" not in said


@pytest.mark.parametrize("place", PLACES)
def test_copilot_keeps_no_secret_in_its_log_of_the_session(shell: Shell, place: str) -> None:
    event = WAYS["copilot bash"].event("ok", shell.root)
    put(event, f"DB_PASSWORD={PASSWORD}", "toolResult", "sessionLog")
    put(event, PLACES[place], "toolResult", "more")
    said = json.loads(told(shell, "copilot", event))
    assert PASSWORD not in json.dumps(said)
    assert at(said, "modifiedResult", "textResultForLlm") == f"ok{EXIT}"
    assert at(said, "modifiedResult", "resultType") == "success"


def test_a_result_of_copilot_that_is_no_text_is_looked_at(shell: Shell) -> None:
    event = WAYS["copilot bash"].event("ok", shell.root)
    put(event, {"password": PASSWORD}, "toolResult", "textResultForLlm")
    said = told(shell, "copilot", event)
    assert "REDACTED" in said
    assert PASSWORD not in said


def picture() -> str:
    return base64.b64encode(b"\x89PNG\r\n\x1a\n\0" + random.Random(7).randbytes(30_000)).decode()


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "data": picture(), "mimeType": "image/png"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture()}},
        {"type": "resource", "resource": {"uri": "file:///a.bin", "mimeType": "application/pdf", "blob": picture()}},
    ],
)
def test_a_picture_stays_what_it_is_beside_a_secret(shell: Shell, block: Json) -> None:
    event = WAYS["claude mcp"].event("ok", shell.root)
    put(event, [block, {"type": "text", "text": f"password={PASSWORD}"}], "tool_response")
    said = json.loads(told(shell, "claude-code", event))
    shown = cast("list[Json]", at(said, "hookSpecificOutput", "updatedToolOutput"))
    assert shown[0] == block
    assert PASSWORD not in json.dumps(shown)


def test_a_picture_that_gemini_shows_is_left_alone(shell: Shell) -> None:
    event = WAYS["gemini mcp"].event("ok", shell.root)
    put(
        event,
        [{"inlineData": {"mimeType": "image/png", "data": picture()}}, {"text": "ok"}],
        "tool_response",
        "llmContent",
    )
    assert told(shell, "gemini", event) == "{}\n"
    put(event, {"inlineData": {"mimeType": "image/png", "data": f"password={PASSWORD}"}}, "tool_response", "llmContent")
    said = told(shell, "gemini", event)
    assert said != "{}\n"
    assert PASSWORD not in said


def test_a_text_under_a_media_type_is_no_picture(shell: Shell) -> None:
    """Also not where it decodes: a key of a cloud does."""
    key = "".join(random.Random(9).choices("ABCDEFGHabcdefgh0123456789+/", k=40))
    event = WAYS["claude mcp"].event("ok", shell.root)
    put(event, [{"type": "image", "mimeType": "image/png", "data": f"aws_secret_access_key={key}"}], "tool_response")
    assert key not in told(shell, "claude-code", event)


def blob_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


BLOBS: dict[str, Callable[[str], str]] = {
    "one line": blob_of,
    "lines": lambda text: base64.encodebytes(text.encode()).decode(),
    "for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
}


@pytest.mark.parametrize("way", ["claude mcp", "codex mcp", "gemini mcp", "opencode mcp"])
@pytest.mark.parametrize("form", BLOBS)
def test_a_secret_in_a_text_that_is_sent_as_bytes_is_hidden(shell: Shell, way: str, form: str) -> None:
    """An embedded resource may be a text in base64, and models read that."""
    text = f"ÿ the settings? >>>\nDB_PASSWORD={PASSWORD}\n" + "all else is well\n" * 9
    blob = BLOBS[form](text)
    resource = {"uri": "file:///settings", "mimeType": "application/octet-stream", "blob": blob}
    event = WAYS[way].event("ok", shell.root)
    content: Json = {"content": [{"type": "resource", "resource": resource}]}
    if way == "gemini mcp":
        inline: Json = {"inlineData": {"mimeType": "text/plain", "data": blob}}
        put(event, [{"text": "ok"}, inline], "tool_response", "llmContent")
    elif way == "opencode mcp":
        put(event, content, "result")
    else:
        put(event, content, "tool_response")
    said = told(shell, WAYS[way].agent, event)
    assert said != "{}\n"
    forms = [form.decode() for form in written_forms(PASSWORD)]
    assert any(form in blob for form in forms)
    assert not any(form in said for form in forms)
    # Where an agent shows no more than a text, it is that text; elsewhere bytes stay bytes.
    assert ("all else is well" in said) == (way in {"codex mcp", "gemini mcp"})


def test_a_text_in_bytes_without_a_secret_stays_as_it_is(shell: Shell) -> None:
    event = WAYS["claude mcp"].event("ok", shell.root)
    put(
        event, [{"type": "resource", "resource": {"uri": "a:b", "blob": blob_of("all is well\n" * 9)}}], "tool_response"
    )
    assert told(shell, "claude-code", event) == "{}\n"


@pytest.mark.parametrize("kind", ["shell_execute_error", "execution_denied"])
def test_what_a_failed_call_of_qwen_said_is_shown_without_its_secret(shell: Shell, kind: str) -> None:
    """Issue 24: only the hook of the whole batch may change it. What a hook has stopped is left to that hook."""
    secret = made_up_value("ghp_<A36>")
    event = recorded("qwen/shell-failed") | {"cwd": str(shell.root)}
    where = ("tool_calls", 0, "tool_response")
    put(event, f"the token is {secret}", *where, "response_parts", 0, "functionResponse", "response", "error")
    put(event, kind, *where, "error_type")
    said = json.loads(ok(shell.spill("hook", "qwen", stdin=json.dumps(event), root=False)).out)
    if kind == "execution_denied":
        assert said == {}
        return
    assert said["decision"] == "block"
    assert secret not in said["reason"]
    assert said["reason"].startswith("the token is [REDACTED: ")
    put(event, "success", "tool_calls", 0, "status")
    assert json.loads(ok(shell.spill("hook", "qwen", stdin=json.dumps(event), root=False)).out) == {}
