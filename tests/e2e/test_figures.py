"""What the comparison of figures takes for the agents' own words."""

from pathlib import Path

import pytest

from e2e.figures import FRAMES, FigureRow, native_chars, received_chars, without_frame
from e2e.wiring import AGENTS, Json
from overspill import Overspill
from overspill.journal.calls import PATH_CHARS, CallChars, CallRow, call_rows
from overspill.mcp import Toolbox
from overspill.mcp.server import INSTRUCTIONS


@pytest.mark.parametrize(
    ("agent", "text", "inner"),
    [
        ("claude-code", "Exit code 3\nout", "out"),
        ("claude-code", "(Bash completed with no output)", ""),
        ("claude-code", "     1\tone\n     2\ttwo", "one\ntwo"),
        ("codex", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nout\n", "out\n"),
        ("codex", "Wall time: 0.1 seconds\nOutput:\nOutput:\n", "Output:\n"),
        ("gemini", "<untrusted_context>\nOutput: a\n</untrusted_context>", "Output: a"),
        ("copilot", "out\n<shellId: 5 completed with exit code 0>", "out"),
        ("opencode", "out\n", "out\n"),
        ("cline", '[{"query":"make","result":"a\\nb","success":true}]', "a\nb"),
        ("cline", '{"content":[{"type":"text","text":"a \\"b\\""}],"isError":false}', 'a "b"'),
    ],
)
def test_a_frame_is_what_stands_around_every_result(agent: str, text: str, inner: str) -> None:
    assert without_frame(agent, text) == inner


def test_every_agent_of_the_rig_has_its_frame() -> None:
    assert set(FRAMES) == set(AGENTS)


def test_a_path_is_as_long_as_the_table_takes_it_to_be() -> None:
    text = "Full output saved to: /home/me/.claude/projects/-p/tool-results/b1.txt\n"
    assert native_chars("opencode", text) == len("Full output saved to: \n") + PATH_CHARS


def figure(said: int, host: int | None, shown: int, *, model: int, native: int, trimmed: int = 0) -> FigureRow:
    row = CallRow("", "", "bash", chars=CallChars(said, host, shown))
    return FigureRow("a command", row, model, native, trimmed)


def test_a_character_more_or_less_is_wrong() -> None:
    assert figure(9, 9, 8, model=8, native=9).is_shown_right
    assert not figure(9, 9, 8, model=9, native=9).is_shown_right
    assert not figure(9, 9, 8, model=7, native=9).is_shown_right
    assert figure(9, 9, 8, model=7, native=9, trimmed=1).is_shown_right


def test_a_host_that_is_not_known_is_not_wrong_and_a_guess_is() -> None:
    assert figure(90_000, None, 8, model=8, native=2_000).is_host_right
    assert not figure(90_000, 90_000, 8, model=8, native=2_000).is_host_right
    assert figure(90_000, 2_020, 8, model=8, native=2_000).is_host_right
    assert not figure(90_000, 2_200, 8, model=8, native=2_000).is_host_right


@pytest.mark.parametrize(
    ("key", "wrapped"), [("input_schema", False), ("parameters", True), ("parametersJsonSchema", False)]
)
def test_what_is_ours_in_a_request_is_what_the_journal_is_told(tmp_path: Path, key: str, wrapped: bool) -> None:
    """The descriptions of two servers, and instructions, whatever the agent puts around them; nobody else's tools."""
    spill = Overspill({}, root=str(tmp_path), preset="agent", session="s")
    described = Toolbox(spill).descriptions()
    Toolbox(spill).tell_cost(described, INSTRUCTIONS)
    (told,) = (row.chars.ours for row in call_rows(str(tmp_path / ".acode" / "logs")))

    def entry(server: str, tool: Json) -> Json:
        schema = {**tool["inputSchema"], "properties": {**tool["inputSchema"]["properties"], "wait_for_previous": {}}}
        plain = {"name": f"mcp__{server}__{tool['name']}", "description": tool["description"], key: schema}
        return {"type": "function", "function": plain} if wrapped else plain

    other: Json = {"name": "plain", "description": "says much", "inputSchema": {"type": "object", "properties": {}}}
    tools = [entry(server, tool) for server in ("a", "b") for tool in (*described, other)]
    body = {"system": f"Servers say: {INSTRUCTIONS}", "tools": tools}
    assert received_chars(body) == 2 * told - len(INSTRUCTIONS)


@pytest.mark.parametrize("client", ["copilot-cli", "cline", "pi"])
def test_some_show_no_model_what_a_server_says_of_itself(tmp_path: Path, client: str) -> None:
    told = []
    for name in (client, "codex-mcp-client"):
        (tmp_path / name).mkdir()
        toolbox = Toolbox(Overspill({}, root=str(tmp_path / name), preset="agent", session="s"))
        toolbox.note_client({"clientInfo": {"name": name}})
        toolbox.tell_cost(toolbox.descriptions(), INSTRUCTIONS)
        told += [row.chars.ours for row in call_rows(str(tmp_path / name / ".acode" / "logs"))]
    assert told[1] - told[0] == len(INSTRUCTIONS)


def test_one_shows_a_model_what_a_server_says_of_itself_and_no_description(tmp_path: Path) -> None:
    toolbox = Toolbox(Overspill({}, root=str(tmp_path), preset="agent", session="s"))
    toolbox.note_client({"clientInfo": {"name": "qwen-cli-mcp-client-overspill"}})
    toolbox.tell_cost(toolbox.descriptions(), INSTRUCTIONS)
    assert [row.chars.ours for row in call_rows(str(tmp_path / ".acode" / "logs"))] == [len(INSTRUCTIONS)]
