"""A table of ours in TOML: comments, order and everything else stay."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.agents.install import Around
from overspill.agents.install.entries import (
    MISSING,
    OLDER,
    THEIRS,
    THERE,
    BadShape,
    put_in_toml,
    take_out_of_toml,
    toml_state,
)
from overspill.agents.install.tables import codex_targets

AROUND = Around("/project", {"HOME": "/home/user"}, False, ("spill",))
(ENTRY,) = codex_targets(AROUND)[1].entries
(OLD,) = codex_targets(AROUND._replace(program=("/opt/old/spill",)))[1].entries
SERVER = {"command": "spill", "args": ["mcp", "serve"]}

lines = st.sampled_from(
    [
        "# a comment",
        "",
        'model = "x"  # fast',
        "n = 3",
        '"odd key" = [1,\n  2, # two\n]',
        "deep.er = true",
        's = """\n[x]\n"""',
    ]
)
tables = st.sampled_from(
    ["[mcp_servers.git]", "[mcp_servers]", "[projects.'/a b']", "[[list]]", "[a.b.c]", "[mcp_servers.time.env]"]
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """TOML files as people write them."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    parts = draw(st.lists(lines, unique=True, max_size=4))
    for table in draw(st.lists(tables, unique=True, max_size=3)):
        parts += [table, *draw(st.lists(lines, unique=True, max_size=3))]
    text = newline.join("\n".join(parts).split("\n"))
    return text + (newline if draw(st.booleans()) else "")


def notes(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith("#")]


@given(text=documents())
def test_what_is_put_in_and_taken_out_leaves_everything_else(text: str) -> None:
    before = tomllib.loads(text)
    assert toml_state(text, ENTRY) == MISSING
    installed = put_in_toml(text, ENTRY)
    assert tomllib.loads(installed) == {**before, "mcp_servers": {**before.get("mcp_servers", {}), "overspill": SERVER}}
    assert installed.startswith(text.rstrip("\r\n"))
    assert put_in_toml(installed, ENTRY) == installed
    out = take_out_of_toml(installed, ENTRY, text)
    after = tomllib.loads(out)
    assert after in (before, {**before, "mcp_servers": {}})
    assert out.rstrip("\r\n") == text.rstrip("\r\n")


@given(text=documents(), tail=documents())
def test_what_somebody_wrote_below_ours_stays(text: str, tail: str) -> None:
    """In TOML a comment above the next table belongs to ours; to people it does not."""
    installed = put_in_toml(text, ENTRY) + "\n# mine\n[mine]\n" + "\n".join(notes(tail)) + "\n"
    out = take_out_of_toml(installed, ENTRY, None)
    assert tomllib.loads(out)["mine"] == {}
    assert notes(out) == [*notes(text), "# mine", *notes(tail)]
    assert toml_state(out, ENTRY) == MISSING


def test_an_older_one_is_replaced_in_its_place() -> None:
    text = put_in_toml("a = 1\n", OLD) + "# patience\n\n[b]\nc = 1\n"
    assert toml_state(text, ENTRY) == OLDER
    assert put_in_toml(text, ENTRY) == text.replace("/opt/old/spill", "spill")


def test_tables_keep_their_order_across_a_list_of_tables() -> None:
    """A tree of tomlkit puts `mcp_servers.*` together and the list behind them."""
    text = "[mcp_servers.git]\n# git\n[[list]]\n# list\n"
    installed = put_in_toml(text, OLD)
    assert put_in_toml(installed, ENTRY) == installed.replace("/opt/old/spill", "spill")
    assert take_out_of_toml(installed, ENTRY, None) == text


def test_what_looks_like_a_header_in_a_list_or_a_text_is_none() -> None:
    text = 'a = [\n[1],\n[2]\n]\ns = """\n[b]\n"""\n'
    ours = put_in_toml("", ENTRY) + 'tools.note = """\n[c]\n"""\n'
    assert take_out_of_toml(text + "\n" + ours + "# mine\n", ENTRY, None) == text + "# mine\n"


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { git = { command = "g" } } # mine\n',
        'mcp_servers.git = { command = "g" }\n# mine\n',
        '# mine\n[mcp_servers]\ngit = { command = "g" }\n',
    ],
)
def test_other_spellings_work_too(text: str) -> None:
    installed = put_in_toml(text, ENTRY)
    assert tomllib.loads(installed)["mcp_servers"] == {"git": {"command": "g"}, "overspill": SERVER}
    assert "# mine" in installed
    out = take_out_of_toml(installed, ENTRY, text)
    assert tomllib.loads(out) == tomllib.loads(text)
    assert "# mine" in out


def test_what_codex_added_below_our_table_goes_with_it() -> None:
    text = (
        put_in_toml("", ENTRY)
        + '\n[mcp_servers.overspill.tools.get_artifact]\napproval_mode = "approve"\n\n[x]\ny = 1\n'
    )
    assert toml_state(text, ENTRY) == THERE
    assert tomllib.loads(take_out_of_toml(text, ENTRY, "")) == {"x": {"y": 1}}


@pytest.mark.parametrize("more", ["startup_timeout_sec = 20", "env = {A = 'b'}", "[mcp_servers.overspill.env]"])
def test_a_key_more_than_ours_makes_a_table_somebody_elses(more: str) -> None:
    text = f"{put_in_toml('', OLD)}{more}\n"
    assert toml_state(text, ENTRY) == THEIRS
    assert put_in_toml(text, ENTRY) == text
    assert take_out_of_toml(text, ENTRY, None) == text


@pytest.mark.parametrize("text", ["mcp_servers = 1\n", "mcp_servers.overspill = 1\n"])
def test_another_shape_is_refused(text: str) -> None:
    with pytest.raises(BadShape):
        put_in_toml(text, ENTRY)
