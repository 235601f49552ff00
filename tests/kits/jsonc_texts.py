"""JSON as people write it: any value, with comments, spaces, line ends and trailing commas wherever they may stand."""

import json
from collections.abc import Callable

from hypothesis import strategies as st

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
keys = st.one_of(st.sampled_from(["hooks", "mcpServers", "statusLine", "a", "b", "//", "/*", "}", ","]), words)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-999, 999), words)
values = st.recursive(
    scalars,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(keys, below, max_size=3)),
    max_leaves=8,
)

handlers = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["mine", "spill fit", "x"])})
groups = st.fixed_dictionaries({"hooks": st.lists(handlers, max_size=2)}, optional={"matcher": words})
hooks = st.dictionaries(
    st.sampled_from(["PreToolUse", "PostToolUse", "BeforeTool", "Stop"]), st.lists(groups, max_size=2)
)
servers = st.dictionaries(st.sampled_from(["git", "time", "x"]), st.dictionaries(keys, scalars, max_size=2), max_size=2)
KNOWN = {"hooks", "mcpServers", "mcp", "statusLine", "enabledMcpjsonServers"}
# What an agent reads where ours goes has its shape; everything else is anybody's.
settings_files = st.builds(
    lambda rest, known: {**{key: value for key, value in rest.items() if key not in KNOWN}, **known},
    st.dictionaries(keys, values, max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            "hooks": hooks,
            "mcpServers": servers,
            "mcp": servers,
            "statusLine": st.just({"type": "command", "command": "date"}),
            "enabledMcpjsonServers": st.lists(words, max_size=2),
        },
    ),
)

notes = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=5)


@st.composite
def blanks(draw: st.DrawFn, newline: str) -> str:
    """Space and comments, or nothing."""
    kinds = ["", "", " ", "  ", "\t", newline, newline + "  ", "line", "block"]
    parts = draw(st.lists(st.sampled_from(kinds), max_size=2))
    note = draw(notes).replace("*/", "")
    comments = {"line": f"//{note}{newline}", "block": f"/*{note} */"}
    return "".join(comments.get(part, part) for part in parts)


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[object]) -> tuple[str, object]:
    """A text, and the value it means."""
    value = draw(values)
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    tidy = draw(st.sampled_from([None, "  ", "    ", "\t"]))

    def space() -> str:
        return draw(blanks(newline))

    if tidy is not None and draw(st.booleans()):
        text = json.dumps(value, indent=tidy, ensure_ascii=False).replace("\n", newline)
        return text + draw(st.sampled_from(["", newline])), value
    return f"{space()}{_text(value, space, lambda: draw(st.booleans()))}{space()}", value


def _text(value: object, space: Callable[[], str], comma: Callable[[], bool]) -> str:
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        parts = [f"{json.dumps(k)}{space()}:{space()}{_text(one, space, comma)}" for k, one in value.items()]
    else:
        parts = [_text(one, space, comma) for one in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inside = ",".join(f"{space()}{part}{space()}" for part in parts)
    last = f",{space()}" if parts and comma() else ""
    return f"{opening}{inside or space()}{last}{closing}"
