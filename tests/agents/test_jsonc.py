"""The editor of settings files: whatever it changes, everything else stays as it was."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jsonc_texts import scalars, settings_files, values, words, written
from overspill.agents import AGENTS
from overspill.agents.install import Around, Target, entries, jsonc
from overspill.agents.install.entries import MISSING, THERE, SettingsEntry
from overspill.agents.install.jsonc import BrokenJson, comments, parse_jsonc
from overspill.agents.install.tables import agent_called

AROUND = Around("/project", {"HOME": "/home/user"}, False, ("spill",))
OLD = AROUND._replace(program=("/opt/old tools/spill",))


def json_targets(name: str = "", around: Around = AROUND) -> list[Target]:
    """The files of one agent, or of all of them."""
    agents = [agent_called(one) for one in ([name] if name else AGENTS)]
    return [target for agent in agents for target in agent.targets(around) if target.kind == "json"]


def put_all(text: str, target: Target) -> str:
    for entry in target.entries:
        text = entries.put_in(text, entry)
    return text


def take_all(text: str, target: Target, before: str | None) -> str:
    for entry in reversed(target.entries):
        text = entries.take_out(text, entry, before)
    return text


@given(made=written(values))
def test_a_text_is_read_as_what_it_means(made: tuple[str, object]) -> None:
    text, value = made
    assert jsonc.same_json(parse_jsonc(text).value, value)


@given(made=written(values))
def test_every_part_is_where_it_is_said_to_be(made: tuple[str, object]) -> None:
    text, _ = made
    waiting = [parse_jsonc(text)]
    while waiting:
        node = waiting.pop()
        assert jsonc.same_json(parse_jsonc(text[node.start : node.end]).value, node.value)
        assert all(part.comma < 0 or text[part.comma] == "," for part in node.parts)
        waiting += [part.node for part in node.parts]


@example(made=('{"enabledMcpjsonServers":[// \n]}', {"enabledMcpjsonServers": []}))
@given(made=written(settings_files))
def test_what_is_put_in_and_taken_out_leaves_the_value_and_every_comment(made: tuple[str, object]) -> None:
    text, value = made
    for target in json_targets():
        installed = put_all(text, target)
        assert list(comments(installed)) == list(comments(text))
        assert [entries.state(installed, entry) for entry in target.entries if entry.keys != ("statusLine",)] == [
            THERE for entry in target.entries if entry.keys != ("statusLine",)
        ]
        out = take_all(installed, target, text)
        assert jsonc.same_json(parse_jsonc(out).value, value)
        assert list(comments(out)) == list(comments(text))


@given(made=written(settings_files))
def test_a_second_time_changes_nothing(made: tuple[str, object]) -> None:
    for target in json_targets():
        installed = put_all(made[0], target)
        assert put_all(installed, target) == installed


@given(made=written(settings_files))
def test_an_older_entry_is_replaced_and_not_doubled(made: tuple[str, object]) -> None:
    text, value = made
    for old, new in zip(json_targets("", OLD), json_targets(), strict=True):
        upgraded = put_all(put_all(text, old), new)
        assert jsonc.same_json(parse_jsonc(upgraded).value, parse_jsonc(put_all(text, new)).value)
        assert "/opt/old tools" not in upgraded
        assert jsonc.same_json(parse_jsonc(take_all(upgraded, new, text)).value, value)


@given(made=written(settings_files))
def test_strict_json_stays_strict(made: tuple[str, object]) -> None:
    strict = json.dumps(made[1], indent=2)
    for target in json_targets():
        installed = put_all(strict, target)
        assert jsonc.same_json(json.loads(installed), parse_jsonc(installed).value)
        assert jsonc.same_json(json.loads(take_all(installed, target, strict)), made[1])


@given(value=settings_files, indent=st.sampled_from([1, 2, 4, "\t"]), newline=st.sampled_from(["\n", "\r\n"]))
def test_a_tidy_file_stays_tidy(value: object, indent: int | str, newline: str) -> None:
    """Written by a program, changed by us, it looks as if the program had written it, lists of words aside."""
    tidy = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)
    for target in json_targets():
        installed = put_all(tidy, target)
        if "\n" not in tidy:
            continue
        assert installed.count("\n") == installed.count(newline)
        steps = {len(line) - len(line.lstrip(" \t")) for line in installed.splitlines()}
        unit = indent if isinstance(indent, int) else 1
        assert all(step % unit == 0 for step in steps)
        assert not any(line != line.rstrip() for line in installed.splitlines())


@given(made=written(st.dictionaries(words, scalars, min_size=1)), data=st.data())
def test_a_removed_member_takes_nothing_with_it(made: tuple[str, object], data: st.DataObject) -> None:
    text, value = made
    assert isinstance(value, dict)
    key = data.draw(st.sampled_from(sorted(value)))
    top = parse_jsonc(text)
    part = top.get(key)
    assert part is not None
    out = jsonc.remove_part(text, top, part)
    assert jsonc.same_json(parse_jsonc(out).value, {name: one for name, one in value.items() if name != key})
    assert list(comments(out)) == [*comments(text[: part.start]), *comments(text[part.node.end :])]


@given(made=written(st.dictionaries(words, scalars)), key=words, value=values)
def test_what_is_put_last_stands_last(made: tuple[str, object], key: str, value: object) -> None:
    text, before = made
    assert isinstance(before, dict)
    out = jsonc.put_value(text, (key,), value)
    assert jsonc.same_json(parse_jsonc(out).value, {**before, key: value})
    assert list(parse_jsonc(out).value) == list({**before, key: value})  # type: ignore[call-overload]  # it is an object
    assert list(comments(out)) == list(comments(text))


def hook(command: str) -> dict[str, str]:
    return {"type": "command", "command": command}


def test_a_neighbour_in_our_group_of_hooks_stays() -> None:
    (target, *_) = json_targets("codex")
    text = put_all("{}", target)
    shared = jsonc.lookup(text, ("hooks", "PreToolUse"))
    assert shared is not None
    handlers = shared.parts[0].node.get("hooks")
    assert handlers is not None
    both = jsonc.replace_value(text, handlers.node, [hook("mine"), hook("spill hook codex")])
    out = parse_jsonc(take_all(both, target, None)).value
    assert out == {"hooks": {"PreToolUse": [{"matcher": "^(Bash|apply_patch)$", "hooks": [hook("mine")]}]}}


def test_the_order_of_other_peoples_hooks_is_kept() -> None:
    groups = [{"matcher": "A", "hooks": [hook("one")]}, {"hooks": [hook("two")]}]
    (target, *_) = json_targets("codex")
    before = json.dumps({"hooks": {"Stop": [], "PreToolUse": groups}})
    installed = parse_jsonc(put_all(before, target)).value
    assert isinstance(installed, dict)
    assert installed["hooks"]["PreToolUse"][:2] == groups
    assert list(installed["hooks"]) == ["Stop", "PreToolUse", "PostToolUse", "SessionStart"]


def test_comments_indents_and_trailing_commas_look_as_before() -> None:
    text = '{\n    // which model\n    "model": "x", // the fast one\n    "hooks": {\n    },\n}\n'
    entry = SettingsEntry(
        ("hooks", "Stop"), hook("spill hook codex"), "", lambda value: value == hook("spill hook codex"), "element"
    )
    assert entries.state(text, entry) == MISSING
    installed = entries.put_in(text, entry)
    assert installed == (
        '{\n    // which model\n    "model": "x", // the fast one\n    "hooks": {\n        "Stop": [\n            {\n'
        '                "type": "command",\n                "command": "spill hook codex"\n            }\n        ]\n'
        "    },\n}\n"
    )
    assert entries.take_out(installed, entry, text) == text.replace("{\n    },", "{},")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the text ends too early (line 1, column 1)"),
        ('{"a": 1,\n  b: 2}', "a key in quotes belongs here (line 2, column 3)"),
        ('{"a" 1}', "a colon belongs here (line 1, column 6)"),
        ('{"a": [1 2]}', "a comma or ] belongs here (line 1, column 10)"),
        ('{"a": yes}', "this is no value (line 1, column 7)"),
        ("{} /* open", "a comment is not closed (line 1, column 4)"),
        ("{}\n{}", "something stands after the end (line 2, column 1)"),
        ("[" * 400, "nested deeper than 200 levels (line 1, column 202)"),
        ('{"a": "new\nline"}', "no value begins with '\"' (line 1, column 7)"),
    ],
)
def test_a_broken_text_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(BrokenJson) as caught:
        parse_jsonc(text)
    assert str(caught.value) == said


def test_an_older_hook_is_replaced_in_its_place() -> None:
    old, new = json_targets("codex", OLD)[0], json_targets("codex")[0]
    mine = {"hooks": [hook("mine")]}
    text = jsonc.append_value(put_all("{}", old), ("hooks", "PreToolUse"), mine)
    upgraded = parse_jsonc(put_all(text, new)).value
    assert isinstance(upgraded, dict)
    assert [group["hooks"][0]["command"] for group in upgraded["hooks"]["PreToolUse"]] == ["spill hook codex", "mine"]


def test_a_comment_inside_a_container_that_only_ours_needed_keeps_it() -> None:
    (target, *_) = json_targets("codex")
    text = put_all("{}\n", target).replace('"PreToolUse": [', '"PreToolUse": [ // why')
    out = take_all(text, target, None)
    assert out == '{\n  "hooks": {\n    "PreToolUse": [ // why\n    ]\n  }\n}\n'
