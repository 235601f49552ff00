"""Messages that cannot be examined, read or handled: every request is answered, and without a secret."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.mcp import encode_message
from overspill.mcp.redaction import HIDDEN, redacted_value
from overspill.mcp.results import CallInfo, limited_result
from proxy_link import ADDRESS, ENDLESS, SECRET, SPILL, UNIT, Json, Link

GIVING_UP: list[Callable[[str], Json]] = [
    lambda words: {"content": [], "structuredContent": {"log": words, "count": 3, "name": "fine"}},
    lambda words: {"content": [{"type": "text", "text": "fine"}], "structuredContent": {"rows": [{"log": words}, "a"]}},
    lambda words: {"content": words, "name": "fine"},
    lambda words: {"contents": [{"uri": "a://b", "text": words}], "name": "fine"},
    lambda words: {"_meta": {"a": words}, "name": "fine"},
    lambda words: {"messages": [{"role": "user", "content": {"type": "text", "text": words}}], "name": "fine"},
]


@pytest.mark.parametrize("made", GIVING_UP)
def test_a_result_that_cannot_be_examined_is_answered_and_so_is_the_next_one(made: Callable[[str], Json]) -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    shown = json.dumps(link.answer(made(ENDLESS + SECRET)))
    assert SECRET not in shown
    assert "fine" in shown
    link.ask("tools/call", {"name": "t"}, 2)
    assert link.answer({"content": [{"type": "text", "text": "next"}]}, 2)["content"][0]["text"] == "next"


def test_giving_up_hides_whole_strings_and_keeps_the_others() -> None:
    value = {"log": ENDLESS, "n": 1, "rows": ["a", {"password": "Zk8fQ2mT9xLp", "ok": True}], SECRET: [ENDLESS, "b"]}
    shown = redacted_value(SPILL.workspace.redactor, value)
    assert isinstance(shown, dict)
    assert (shown["log"], shown["n"]) == (HIDDEN, 1)
    assert shown["rows"][0] == "a"
    assert shown["rows"][1]["ok"] is True
    assert "Zk8fQ2mT9xLp" not in json.dumps(shown)
    assert SECRET not in json.dumps(shown)
    assert list(shown.values())[3] == [HIDDEN, "b"]


def test_a_structured_half_that_cannot_be_examined_is_no_exception_for_frameworks_either() -> None:
    limited = limited_result(SPILL, {"content": [], "structuredContent": {"log": ENDLESS + SECRET}}, CallInfo("t"))
    assert limited is not None
    assert SECRET not in json.dumps(limited)


@pytest.mark.parametrize(
    "frame",
    [
        b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"jsonrpc":"2.0","id":1,"result":{"content":' + b"[" * 700 + b"]" * 700 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"result":' + b"9" * 5_000 + b"}",
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xff\xfe"}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"b}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":NaN,"b":1e999}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}',
        b'[{"jsonrpc":"2.0","id":1,"result":{}}]',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{}}',
    ],
    ids=[
        "deep",
        "half deep",
        "long number",
        "no UTF-8",
        "cut",
        "no number",
        "half a character",
        "batch",
        "byte order mark",
    ],
)
def test_a_frame_that_is_hard_to_read_is_an_answer_all_the_same(frame: bytes) -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    link.proxy.from_server(frame)
    assert len(link.to_client) == 1
    answer = json.loads(link.to_client[0])
    assert (answer[0] if isinstance(answer, list) else answer)["id"] == 1
    link.proxy.server_is_gone("is gone")
    assert len(link.to_client) == 1


# It is looked at piece by piece, and has more levels than that has.
DEEP = b"[" * 800 + encode_message(ENDLESS + SECRET) + b"]" * 800


def test_who_waits_for_what_cannot_be_handled_is_told_whoever_it_is() -> None:
    link = Link()
    link.ask("tools/call", {"name": "t"})
    link.proxy.from_server(b'{"jsonrpc":"2.0","id":1,"result":' + DEEP + b"}")
    assert "cannot be handled" in json.loads(link.to_client[-1])["error"]["message"]
    link.proxy.from_server(b'{"jsonrpc":"2.0","id":8,"method":"roots/list","params":' + DEEP + b"}")
    told = json.loads(link.to_server[-1])
    assert (told["id"], told["error"]["code"]) == (8, -32603)
    link.proxy.from_server(b'{"jsonrpc":"2.0","method":"notifications/message","params":' + DEEP + b"}")
    assert len(link.to_client) == 1
    assert len(link.said) == 3
    assert SECRET not in "".join(link.said)


def test_a_message_of_which_too_little_is_left_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("overspill.mcp.redaction.MOST_PIECES", 1)
    link = Link()
    link.ask("x")
    message = link.hear({"jsonrpc": "2.0", "id": 1, "result": {"a": {"b": ENDLESS}}})
    assert message["id"] == 1
    assert "error" in message


def test_a_batch_of_the_client_s_is_looked_at_message_by_message() -> None:
    link = Link()
    link.ask("resources/list")
    uri = link.answer({"resources": [{"uri": ADDRESS, "name": "n"}]})["resources"][0]["uri"]
    parts = [{"jsonrpc": "2.0", "id": n, "method": "resources/read", "params": {"uri": uri}} for n in (1, 2)]
    link.proxy.from_client(encode_message(parts))
    assert [json.loads(frame)["params"]["uri"] for frame in link.to_server[-2:]] == [ADDRESS] * 2
    link.proxy.server_is_gone("is gone")
    assert [json.loads(frame)["id"] for frame in link.to_client[-2:]] == [1, 2]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([SECRET, f"a\n{SECRET}", ADDRESS, "password", "x" * 50, "[REDACTED: A]", 'a"b\\']),
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["uri", "name", "content", "tools", "data", "mimeType", "_meta", "password", "text", SECRET]
            )
            | st.text(max_size=5),
            inside,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(
    st.lists(st.tuples(st.sampled_from(["tools/call", "tools/list", "resources/read", "x"]), json_values), max_size=6)
)
def test_every_request_gets_exactly_one_answer_without_the_secret(calls: list[tuple[str, object]]) -> None:
    link = Link()
    for number, (method, result) in enumerate(calls):
        identity = number if number % 2 else f"call-{number}"
        link.ask(method, {"name": "t"}, identity)
        body = {"error": result} if number % 3 == 2 else {"result": result}
        link.proxy.from_server(encode_message({"method": "notifications/message", "params": result}))
        link.proxy.from_server(encode_message({"jsonrpc": "2.0", "id": identity, **body}))
    heard = [json.loads(frame) for frame in link.to_client]
    answers = [message["id"] for message in heard if "method" not in message]
    assert answers == [number if number % 2 else f"call-{number}" for number in range(len(calls))]
    assert SECRET not in json.dumps(heard)


@given(json_values)
def test_a_value_without_secrets_stays_the_same_object_and_one_with_some_stays_json(value: object) -> None:
    redactor = SPILL.workspace.redactor
    shown = redacted_value(redactor, value)
    if shown is not value:
        assert SECRET not in json.dumps(shown)
        json.loads(encode_message(shown))
    assert redacted_value(redactor, shown) == shown or shown != shown  # noqa: PLR0124  # NaN


SERVER = """
import json, sys
def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n"); sys.stdout.flush()
secret = sys.argv[1]
for line in sys.stdin:
    message = json.loads(line)
    name = message.get("params", {}).get("name")
    if "id" not in message:
        continue
    if name == "endless":
        half = {"log": sys.argv[2] * 80_000 + secret}
        say({"id": message["id"], "result": {"content": [], "structuredContent": half}})
    elif name == "error":
        say({"method": "notifications/message", "params": {"level": "info", "data": "key " + secret}})
        say({"id": message["id"], "error": {"code": 1, "message": "no such key: " + secret}})
    elif message["method"] == "resources/list":
        say({"id": message["id"], "result": {"resources": [{"uri": "x://h?key=" + secret, "name": "n"}]}})
    elif message["method"] == "resources/read":
        right = message["params"]["uri"] == "x://h?key=" + secret
        say({"id": message["id"], "result": {"contents": [{"uri": message["params"]["uri"], "text": str(right)}]}})
    else:
        say({"id": message["id"], "result": {"content": [{"type": "text", "text": "fine"}]}})
"""


def test_a_server_s_process_can_neither_show_a_secret_nor_end_the_proxy(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    command = [sys.executable, "-m", "overspill", "mcp", "proxy", "--root", str(tmp_path), "--"]
    proxy = subprocess.Popen(
        [*command, sys.executable, str(script), SECRET, UNIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    said = []

    def ask(identity: int, method: str, params: Json) -> Json:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}) + "\n")
        proxy.stdin.flush()
        while True:
            said.append(proxy.stdout.readline())
            message: Json = json.loads(said[-1])
            if "method" not in message:
                assert message["id"] == identity
                return message

    assert HIDDEN in json.dumps(ask(1, "tools/call", {"name": "endless"}))
    assert ask(2, "tools/call", {"name": "fine"})["result"]["content"][0]["text"] == "fine"
    assert ask(3, "tools/call", {"name": "error"})["error"]["code"] == 1
    uri = ask(4, "resources/list", {})["result"]["resources"][0]["uri"]
    assert ask(5, "resources/read", {"uri": uri})["result"]["contents"][0] == {"uri": uri, "text": "True"}
    errors = proxy.communicate(timeout=60)[1]
    assert "Traceback" not in errors
    assert SECRET not in "".join(said) + errors


LOGGING_SERVER = """
import json, sys
secret = sys.argv[1]
def log(words):
    sys.stderr.write(words); sys.stderr.flush()
log("ready\\n")
log("started with API_KEY=" + secret + "\\n")
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "flood":
        log(("all is well " * 9_000 + "token " + secret + "\\n") * 9)
    if message["method"] == "key":
        log("-----BEGIN PRIVATE KEY-----\\n" + "\\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"] * 9))
        log("\\n-----END PRIVATE KEY-----\\n")
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}) + "\\n"); sys.stdout.flush()
log("half a line with " + secret)
"""


def test_the_log_of_a_server_is_passed_on_as_it_is_written_and_without_secrets(tmp_path: Path) -> None:
    """Clients show the standard error of a server that does not start, and keep it."""
    script = tmp_path / "server.py"
    script.write_text(LOGGING_SERVER)
    command = [sys.executable, "-m", "overspill", "mcp", "proxy", "--root", str(tmp_path), "--"]
    pipe = subprocess.PIPE
    proxy = subprocess.Popen(
        [*command, sys.executable, str(script), SECRET], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )
    assert proxy.stdin
    assert proxy.stdout
    assert proxy.stderr
    assert proxy.stderr.readline() == "ready\n"  # while it runs
    for method in ("key", "flood", "after"):
        proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": method, "method": method}) + "\n")
    proxy.stdin.flush()
    errors = proxy.communicate(timeout=60)[1]
    assert errors.count("all is well") == 9 * 9_000
    assert "started with API_KEY=[REDACTED: API_KEY]\n" in errors
    assert SECRET not in errors
    assert "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj" not in errors
    assert "half a line with " in errors
    assert proxy.returncode == 0


def test_a_server_goes_on_when_nobody_reads_its_log(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    script.write_text(LOGGING_SERVER)
    line = f"exec {sys.executable} -m overspill mcp proxy --root {tmp_path} -- {sys.executable} {script} {SECRET} 2>&-"
    asked = "".join(json.dumps({"jsonrpc": "2.0", "id": number, "method": "flood"}) + "\n" for number in range(3))
    done = subprocess.run(["sh", "-c", line], input=asked, capture_output=True, text=True, timeout=60, check=True)
    assert [json.loads(answer)["id"] for answer in done.stdout.splitlines()] == [0, 1, 2]
