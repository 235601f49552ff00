"""A tool can say how its own results are shown: below what the user says, and above the defaults."""

from typing import Any

import pytest

from overspill import MemoryStore, Overspill, limited
from overspill.frameworks.results import Results
from overspill.mcp.proxy import Choice, Proxy
from overspill.workspace.policy import RULES_KEY, ToolRules, rules_in
from proxy_link import Link

TEXT = "\n".join(f"line {number}" for number in range(9_000))


def spill(**settings: Any) -> Overspill:  # noqa: ANN401  # any setting
    mapping = {f"tools.truncation.{path.replace('__', '.')}": value for path, value in settings.items()}
    return Overspill(mapping, MemoryStore(), preset="agent")


def test_a_function_says_its_strategy_its_budget_and_what_is_looked_for() -> None:
    """P-22, acceptance 20."""
    here = spill()

    @limited(strategy="tail", budget=900, spill=here)
    def build() -> str:
        return TEXT

    @here.limited(strategy="head", budget=700)
    def begin() -> str:
        return TEXT

    @limited(focus="line 4711", budget=900, spill=here)
    def find() -> str:
        return TEXT

    assert build().endswith("line 8999")
    assert "line 0\n" not in build()
    assert len(build()) <= 900 + 240
    assert "\nline 0\n" in begin()
    assert "line 8999" not in begin()
    assert "line 4711" in find()


def test_what_the_user_says_stands_above_what_a_function_says() -> None:
    """P-22: below the user's settings, for all tools or for this one."""
    for settings in (
        {"inline_limit": 500, "default_strategy": "head"},
        {"overrides__build": {"inline_limit": 500, "strategy": "head"}},
    ):
        here = spill(**settings)

        @limited(strategy="tail", budget=2_000, spill=here)
        def build() -> str:
            return TEXT

        assert len(build()) <= 500 + 240
        assert "line 0\n" in build()
        assert "line 8999" not in build()


def test_an_unknown_strategy_is_told_when_the_function_is_made() -> None:
    with pytest.raises(Exception, match="bogus"):
        limited(strategy="bogus", spill=spill())(lambda: TEXT)


def test_rules_are_read_from_a_schema_and_from_metadata() -> None:
    rules = {"strategy": "tail", "limit": 900}
    assert rules_in({RULES_KEY: rules}) == ToolRules("tail", 900)
    assert rules_in({"_meta": {RULES_KEY: rules}, "inputSchema": {}}) == ToolRules("tail", 900)
    assert rules_in({"inputSchema": {"type": "object", RULES_KEY: rules}}) == ToolRules("tail", 900)
    assert rules_in({"name": "x"}) is None
    assert rules_in({RULES_KEY: {"limit": True, "strategy": 3, "focus": "x"}}) == ToolRules(focus="x")
    assert rules_in({RULES_KEY: {"strategy": "bogus", "limit": -4}}) == ToolRules()
    assert rules_in({RULES_KEY: "tail"}) is None


def test_what_a_tool_asks_for_is_bounded_by_what_may_be_fetched_at_once() -> None:
    """A server that floods the context by asking for more room does not get it."""
    here = spill()
    here.workspace.note_tool("flood", ToolRules("none", 10**9))
    most = here.workspace.settings.integer("tools.truncation.artifacts.retrieval_limit")
    fitted = here.fit("x y " * 100_000, tool="flood")
    assert len(fitted.text) <= most


def test_a_tool_that_was_noted_is_fitted_by_its_rules_in_every_way_in() -> None:
    here = spill()
    here.workspace.note_tool("build", ToolRules("tail", 900))
    for view in (
        here.fit(TEXT, tool="build"),
        here.fit_many([TEXT, "x"], 50_000, tools=["build", "other"])[0],
        Results(here).fit(TEXT, "build"),
    ):
        assert view.report.strategy_used == "tail"
        assert len(view.text) <= 900 + 240
    assert here.fit(TEXT, tool="build", strategy="head").report.strategy_used == "head"
    assert len(here.fit(TEXT, tool="build", budget=300).text) <= 300 + 240
    here.workspace.note_tool("build", None)
    assert here.fit(TEXT, tool="build").report.strategy_used == "smart"


class Described:
    """A tool as frameworks hold one: its schema is a mapping, a class that makes one, or its metadata."""

    def __init__(self, name: str, **attributes: object) -> None:
        self.name = name
        self.__dict__.update(attributes)


class Arguments:
    @classmethod
    def model_json_schema(cls) -> dict[str, object]:
        return {"type": "object", RULES_KEY: {"strategy": "tail", "limit": 900}}


@pytest.mark.parametrize(
    "attributes",
    [
        {"metadata": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"meta": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"params_json_schema": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"parameters": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"input_schema": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"args_schema": Arguments},
        {"args_schema": {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"tool_def": Described("build", parameters_json_schema={RULES_KEY: {"strategy": "tail", "limit": 900}})},
        {"metadata": Described("build", fn_schema=Arguments)},
    ],
)
def test_frameworks_read_what_their_tools_say(attributes: dict[str, object]) -> None:
    results = Results(spill())
    results.note_tool("build", Described("build", **attributes))
    assert results.fit(TEXT, "build").report.strategy_used == "tail"


def test_a_tool_that_cannot_be_read_is_a_tool_without_rules() -> None:
    class Broken:
        @property
        def metadata(self) -> object:
            raise RuntimeError

    results = Results(spill())
    results.note_tool("build", Broken())
    results.note_tool("other", None)
    assert results.fit(TEXT, "build").report.strategy_used == "smart"


@pytest.mark.parametrize("place", ["_meta", "inputSchema", "outputSchema"])
def test_the_proxy_honours_what_a_server_says_of_its_tools(place: str) -> None:
    """P-22: keys in an MCP tool's `_meta` and in its schemas."""
    link = Link()
    link.proxy = Proxy(spill(), link.to_server.append, link.to_client.append, link.said.append, Choice())
    link.ask("tools/list")
    tools = [
        {"name": "build", "inputSchema": {"type": "object"}, place: {RULES_KEY: {"strategy": "tail", "limit": 900}}},
        {"name": "odd", "inputSchema": {"type": "object"}, "_meta": {RULES_KEY: {"strategy": "bogus"}}},
    ]
    assert link.answer({"tools": tools})["tools"][0] == tools[0]
    link.ask("tools/call", {"name": "build", "arguments": {}}, 2)
    shown = link.answer({"content": [{"type": "text", "text": TEXT}]}, 2)["content"][0]["text"]
    assert len(shown) <= 900 + 240
    assert shown.endswith("line 8999")
    assert "line 0\n" not in shown
    assert any("bogus" in words for words in link.said)


def test_the_user_stands_above_a_server_too() -> None:
    link = Link()
    here = spill(overrides__build={"strategy": "head", "inline_limit": 400})
    link.proxy = Proxy(here, link.to_server.append, link.to_client.append, link.said.append, Choice())
    link.ask("tools/list")
    link.answer({"tools": [{"name": "build", "_meta": {RULES_KEY: {"strategy": "tail", "limit": 5_000}}}]})
    link.ask("tools/call", {"name": "build", "arguments": {}}, 2)
    shown = link.answer({"content": [{"type": "text", "text": TEXT}]}, 2)["content"][0]["text"]
    assert len(shown) <= 400 + 240
    assert "line 0\n" in shown
