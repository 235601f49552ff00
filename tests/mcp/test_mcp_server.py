"""What our server answers to requests that are wrong, and to pages that are past the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from overspill import Overspill
from overspill.mcp import handoff_tools
from overspill.mcp.server import Server, task_tools

Json = dict[str, Any]


@pytest.fixture
def server(tmp_path: Path) -> Server:
    spill = Overspill(preset="agent", root=str(tmp_path))
    return Server(spill, [*task_tools(spill), *handoff_tools(spill)])


def answer(server: Server, frame: bytes) -> Json:
    said = server.answer_frame(frame)
    assert said is not None
    found: Json = json.loads(said)
    return found


def call(server: Server, tool: str, **arguments: object) -> Json:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    result: Json = answer(server, json.dumps(asked).encode())["result"]
    return result


def texts(result: Json) -> list[str]:
    return [block["text"] for block in result["content"]]


def test_a_request_whose_method_is_none_is_answered_by_its_id(server: Server) -> None:
    """JSON-RPC 2.0, section 5: whoever waits for an answer is told, and an empty batch is an invalid request."""
    said = answer(server, b'{"jsonrpc":"2.0","id":8,"method":5}')
    assert (said["id"], said["error"]["code"]) == (8, -32600)
    said = answer(server, b"[]")
    assert (said["id"], said["error"]["code"]) == (None, -32600)
    assert server.answer_frame(b'{"jsonrpc":"2.0","id":8,"result":{}}') is None


def test_a_call_of_no_tool_is_told_where_the_names_are(server: Server) -> None:
    for params in ({}, {"name": ""}, {"name": "nosuch"}):
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        error = answer(server, json.dumps(asked).encode())["error"]
        assert error["code"] == -32602
        assert error["message"] in {
            "name is missing: the tool to call; tools/list names them",
            "no such tool here: nosuch; tools/list names them",
        }


def test_what_fails_names_a_tool_and_no_command(server: Server) -> None:
    """DESIGN, forms of a view: calls are spelled for the door they leave by."""
    refused = [
        call(server, "show_task", id="T9"),
        call(server, "claim_task", id="T9"),
        call(server, "claim_task"),
        call(server, "update_task", id="T9", status="done"),
        call(server, "get_artifact", id="art_1699234567890_" + "a" * 26),
    ]
    for result in refused:
        assert result["isError"] is True
        (text,) = texts(result)
        assert "spill" not in text
        assert "list_" in text


def test_a_page_past_the_end_says_what_there_is(server: Server) -> None:
    assert texts(call(server, "list_artifacts", offset=100)) == ["Nothing there: 0 artifacts in all."]
    kept = server.spill.fit("a needle\n" * 9_000).artifact_id
    assert texts(call(server, "list_artifacts", offset=100)) == ["Nothing there: 1 artifact in all."]
    (text,) = texts(call(server, "search_artifacts", pattern="needle", id=kept, offset=10_000))
    assert text == f"Nothing there: 9,000 matches in {kept}."


def test_nothing_handed_over_is_said(server: Server) -> None:
    """A model that gets no block at all cannot tell it from a failure."""
    assert texts(call(server, "get_phase_context", phase=2)) == ["No phase before 2 left anything."]


def test_a_page_of_tasks_takes_no_negative_limit(server: Server) -> None:
    """Zero is as much as one page holds, as everywhere."""
    for title in ("a", "b"):
        call(server, "add_task", title=title)
    assert len(texts(call(server, "list_tasks", limit=0))[0].splitlines()) == 2
    refused = call(server, "list_tasks", limit=-1)
    assert refused["isError"] is True
    assert "not -1" in texts(refused)[0]


def test_nobody_takes_a_task_for_longer_than_times_are_written(server: Server) -> None:
    call(server, "add_task", title="a")
    assert "36,500 days" in texts(call(server, "claim_task", id="T1", minutes=10**18))[0]
