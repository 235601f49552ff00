"""What `smart` says of the rows of a document: constants once, values rare first, ends of numbers, keys of maps."""

import json
from collections import Counter
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import assert_kept, view


def smart(value: object, limit: int, indent: int | None = None) -> Any:  # noqa: ANN401  # whatever it shows
    text = json.dumps(value, indent=indent)
    found = view(text, "json", limit, side="smart")
    assert_kept(text, found, limit)
    return json.loads(found.text)


def pods(number: int) -> list[dict[str, object]]:
    """Pods as a cluster lists them."""
    return [
        {
            "kind": "Pod",
            "metadata": {"name": f"web-{index:04}", "namespace": ("shop", "search", "mail")[index % 3]},
            "spec": {"node": f"node-{index % 5}", "ports": [{"port": 80, "protocol": "TCP"}]},
            "status": {"phase": "Pending" if index == 77 else "Running", "restarts": 931 if index == 41 else index % 4},
        }
        for index in range(number)
    ]


def strings_in(value: object) -> list[str]:
    if isinstance(value, dict):
        return [words for one in value.values() for words in strings_in(one)]
    if isinstance(value, list):
        return [words for one in value for words in strings_in(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("indent", [None, 2])
def test_rows_are_added_up_where_they_stand(indent: int | None) -> None:
    shown = smart({"apiVersion": "v1", "items": pods(300)}, 5_000, indent)
    said = shown["items"]
    assert "[300 rows; all: kind=Pod]" in said
    assert "[metadata.namespace: shop 100, search 100, mail 100]" in said
    assert "[status.phase: Pending, Running 299]" in said
    assert "[status.restarts: 931, 1 74, 0 75, 2 75, 3 75]" in said
    assert pods(300)[77] in said
    assert pods(300)[41] in said
    assert pods(300)[0] in said
    assert pods(300)[-1] in said


def test_columns_inside_lists_are_added_up_over_all_rows() -> None:
    rows = [
        {"file": f"src/{name}.js", "messages": [{"rule": rule, "line": 3} for rule in rules], "errors": len(rules)}
        for name, rules in (
            [(f"a{n}", ["semi", "semi", "quotes"]) for n in range(90)] + [("odd", ["no-eval"])] + [("z", [])] * 9
        )
    ]
    said = strings_in(smart(rows, 2_000))
    assert "[messages.rule: no-eval, quotes 90, semi 180]" in said
    assert "[messages: 271 items; all: messages.line=3]" in said


def test_members_of_an_object_that_are_alike_are_rows() -> None:
    packages = {
        f"node_modules/{chr(97 + n % 26)}{n}": {
            "version": f"1.{n}.0",
            "dev": True,
            "license": "ISC" if n == 7 else "MIT",
        }
        for n in range(400)
    }
    shown = smart({"name": "shop", "lockfileVersion": 3, "packages": packages}, 3_000)
    assert shown["name"] == "shop"
    said = strings_in(shown["packages"])
    assert "[400 keys; all: dev=true]" in said
    assert "[license: ISC, MIT 399]" in said
    assert shown["packages"]["node_modules/h7"] == packages["node_modules/h7"]
    assert any(words.startswith("[400 keys: node_modules/{") for words in said)


def test_what_is_cut_names_its_keys() -> None:
    deep = {f"section_{n}": {f"key_{n}_{m}": "x" * 90 for m in range(5)} for n in range(6)}
    said = " ".join(strings_in(smart({"title": "t", "config": deep}, 900)))
    assert "[5 keys: key_3_{0..4}]" in said


def test_objects_that_are_used_as_maps_are_told_by_their_names_and_values() -> None:
    """Each of the rows has other names there: as columns they would be too many to tell of any."""
    rows = [
        {"name": f"pack-{n}", "needs": {f"lib{n * k % 173}": f"^{k}" for k in range(1, 9)}, "licence": "MIT"}
        for n in range(1, 200)
    ]
    rows[70]["licence"] = "ISC"
    names = {name for row in rows for name in row["needs"]}
    said = strings_in(smart(rows, 4_000))
    assert any(words.startswith(f"[needs: {len(names)} keys: ") for words in said)
    assert "[needs.*: ^{1..7} 198 each, ^8 199]" in said
    assert "[name with licence: pack-71 ISC, +198]" in said


def test_rows_with_more_names_than_are_looked_at_are_told_all_the_same() -> None:
    rows = [{"id": f"row{n}", "zone": "eu" if n else "us"} | {f"own{n}x{k}": k for k in range(3)} for n in range(90)]
    said = strings_in(smart(rows, 3_000))
    assert "[zone: us, eu 89]" in said
    assert "[id with zone: row0 us, +89]" in said
    assert any(words.startswith("[272 keys: ") for words in said)


def test_members_that_share_few_of_their_few_names_are_rows() -> None:
    kinds = {
        f"{group}/x{n}": {"source": "iana"}
        | ({"charset": "UTF-8"} if n == 7 else {})
        | ({"zip": True} if n % 3 else {})
        for group in ("text", "image")
        for n in range(900)
    }
    said = strings_in(smart(kinds, 3_000))
    assert "[1800 keys: text/x{0..899}, image/x{0..899}]" in said
    assert "[key with charset: text/x7 UTF-8, image/x7 UTF-8, +1798]" in said
    assert "[source: iana 1800]" in said or any("all: source=iana" in words for words in said)


def test_what_is_an_object_here_and_a_list_there_is_not_counted_as_either() -> None:
    rows = [{"id": f"p{n}", "fund": {"type": "a"} if n % 2 else [{"type": "a"}, {"type": "b"}]} for n in range(60)]
    said = strings_in(smart(rows, 1_500))
    assert not any(words.startswith("[fund") for words in said)


def test_keys_of_varied_objects_are_named_however_deep_they_lie() -> None:
    """Nine events, each with an example of its own making: there is no column that says what is in them."""
    events = [
        {
            "name": f"event{n}",
            "examples": [
                {
                    "action": "made",
                    f"thing{n}": {f"own_{n}_{k}": {"node": k, 'link "x": y': "a" * 40} for k in range(20)},
                }
                for _ in range(3)
            ],
        }
        for n in range(9)
    ]
    names = {"name", "examples", "action", "node", 'link "x": y'} | {f"thing{n}" for n in range(9)}
    names |= {f"own_{n}_{k}" for n in range(9) for k in range(20)}
    said = strings_in(smart(events, 4_000))
    listed = next(words for words in said if words.startswith(f"[{len(names)} keys at any depth: "))
    assert "node" in listed
    assert "examples" in listed
    assert not any("at any depth" in words for words in strings_in(smart(pods(300), 4_000)))


def test_thousands_of_names_are_named_as_far_as_there_is_room() -> None:
    rows = [
        {"code": f"{chr(65 + n % 26)}{chr(65 + n // 26 % 26)}-{n * 7919 % 9973}", "type": "Parish"}
        for n in range(5_000)
    ]
    said = strings_in(smart(rows, 6_000))
    listed = next(words for words in said if words.startswith("[code: "))
    assert len(listed.split(", ")) > 150


def test_names_that_begin_alike_are_told_in_groups() -> None:
    rows = [{"name": f"{('weigher', 'packer')[n % 2]}-{n}-{n * 7919 % 9973:04x}", "pad": "p" * 40} for n in range(80)]
    said = strings_in(smart(rows, 3_000))
    listed = next(words for words in said if words.startswith("[name: "))
    assert listed.count("packer-") == listed.count("weigher-") == 1
    assert "+" not in listed


def test_a_wide_object_names_all_of_its_keys() -> None:
    names = [f"option_{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(131)]
    wide = {name: n if n % 3 else {"value": "y" * 50, "n": n} for n, name in enumerate(names)}
    said = " ".join(strings_in(smart(wide, 3_400)))
    begin = "[131 keys: option_{"
    assert begin in said
    named = said.partition(begin)[2].partition("}")[0].split(", ")
    assert {f"option_{name}" for name in named} == {*names}


@given(
    states=st.lists(st.sampled_from(["ok", "failed", "a b", "x,y", "é"]), min_size=12, max_size=60),
    sizes=st.lists(st.integers(-1000, 1000), min_size=60, max_size=60),
)
def test_every_number_that_is_said_can_be_counted_again(states: list[str], sizes: list[int]) -> None:
    rows = [{"state": state, "size": size, "pad": "p" * 60} for state, size in zip(states, sizes, strict=False)]
    said = strings_in(smart(rows, 700 + 4 * len(rows)))
    counts = Counter(states)
    head = [words for words in said if words.startswith(f"[{len(rows)} rows")]
    if not head:
        return  # all of them are shown
    if len(counts) > 1:
        told = next(words for words in said if words.startswith("[state: "))
        listed = told[len("[state: ") : -1]
        for state, count in counts.items():
            spelled = json.dumps(state, ensure_ascii=False) if " " in state or "," in state else state
            entry = spelled if count == 1 else f"{spelled} {count}"
            assert entry in listed
    numbers = sizes[: len(rows)]
    for words in said:
        if words.startswith("[size: ") and " .. " in words:
            middle = median(numbers)
            shown = str(int(middle)) if middle == int(middle) else str(middle)
            assert words in {
                f"[size: {min(numbers)} .. {max(numbers)}, median {shown}]",
                f"[size: {min(numbers)} .. {max(numbers)}]",
            }


@pytest.mark.parametrize("lines", [True, False])
def test_the_rows_that_went_wrong_are_named(lines: bool) -> None:
    bad = {17, 333, 801}
    rows = [
        {"at": f"2026-01-01T00:00:{n:04}", "Test": f"shop/test_{n}", "Action": "fail" if n in bad else "pass"}
        for n in range(900)
    ]
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps({"events": rows})
    found = view(text, "ndjson" if lines else "json", 2_000, side="smart").text
    assert "[Test where Action=fail: shop/test_17, shop/test_333, shop/test_801]" in found
    assert "[Action: fail 3, pass 897]" in found


def test_many_rows_read_as_types_say_what_rows_read_one_by_one_say() -> None:
    """New values and members come late, when the types of the first rows are made already."""
    rows: list[dict[str, object]] = [
        {
            "id": n,
            "zone": "eu",
            "state": ("up", "down")[n % 2],
            "tags": ["a", "b"],
            "owner": {"name": f"n{n % 5}", "x": n},
        }
        for n in range(20_000)
    ]
    rows[9_000]["zone"] = "us"
    rows[12_000]["state"] = "lost"
    rows[15_000]["extra"] = 1.5
    rows[17_000]["tags"] = ["c"]
    del rows[18_000]["owner"]
    said = strings_in(smart(rows, 6_000))
    assert "[20000 rows]" in said
    assert "[zone: us, eu 19999]" in said
    assert "[state: lost, down 10000, up 9999]" in said or "[state: lost, up 9999, down 10000]" in said
    assert "[tags: c, a 19999, b 19999]" in said
    assert "[owner.name: n0 3999, n1 4000, n2 4000, n3 4000, n4 4000]" in said
    assert "[owner.x: 0 .. 19999]" in said
    assert "[id: 0 .. 19999]" in said


def test_a_text_in_quotes_of_its_own_is_told_from_one_that_was_put_in_quotes() -> None:
    rows = [{"id": at, "said": '"yes, it is"' if at % 3 else "no"} for at in range(60)]
    assert '[said: no 20, "\\"yes, it is\\"" 40]' in strings_in(smart(rows, 900))


def test_the_elements_of_a_list_without_names_are_called_values() -> None:
    versions = [f"v{at}.{at % 7}.x" for at in range(200)]
    said = strings_in(smart(versions, 900))
    assert any(words.startswith("[values: v{0..196..7}.0.x, ") for words in said)
    rows = [{"id": at, "tags": [f"t{at}x"]} for at in range(60)]
    assert not any(".: " in words for words in strings_in(smart(rows, 1_200)))


def test_what_is_null_is_told_from_a_text_and_texts_need_no_quotes_for_it() -> None:
    labelled = [{"parcel": at, "label": None if at == 70 else f"L{at}"} for at in range(120)]
    assert "[label: null, L{0..69, 71..119}]" in strings_in(smart(labelled, 1_200))
    spelled = [{"parcel": at, "label": "null" if at == 70 else None if at == 71 else f"L{at}"} for at in range(120)]
    assert any('"null"' in words for words in strings_in(smart(spelled, 1_200)))


def test_lists_that_are_nested_differently_are_not_told_as_one() -> None:
    """Numbers in lists, and in lists of lists, have the same name: a range of some of them is not true of it."""
    shapes = [
        {"id": at, "arcs": [[at, at + 1]] if at % 2 else [[[at - 500, at], [at + 700]]], "kind": "x"}
        for at in range(80)
    ]
    said = strings_in(smart(shapes, 1_500))
    assert not [words for words in said if words.startswith("[arcs: ")]
    assert any("arcs" in words for words in said if words.startswith("[other columns: "))
