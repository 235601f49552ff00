"""JSONPath finds the same values however large a document is, and never runs for ever."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import jsonpath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.core.markers import shell_call, tool_call
from overspill.documents import json_bounds
from overspill.errors import UsageError
from overspill.retrieve import FetchedPage
from overspill.retrieve.jsonpath import documents, query
from overspill.store.memory import MemoryStore
from store_kit import put

keys = st.sampled_from(["a", "b", "id", "name", "é", 'q"'])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 2.5, "a", "b", "ab", "", "x y"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)
steps = st.sampled_from(
    [
        ".a", ".b", ".id", "['name']", '["é"]', "['q\"']", "[0]", "[-1]", "[2]", "[*]", ".*", "[1:]", "[::2]", "[:-1]",
        "[::-1]", "[-2:]", "[5:1:-2]", "[0,'a',*]", "[0,0]", "..a", "..*", "..[0]", "[?@.a]", "[?@.a==1]", "[?!@.b]",
        "[?@.id>0 && @.name]", "[?@=='a' || @==null]", "[?@.a==$.a]", "[?@==@.a]", "[?length(@)>1]",
        "[?count(@.*)==2]", "[?match(@,'a.*')]", "[?search(@.name,'b')]", "[?value(@..a)==1]", "[?@.a!=@.b]",
        "[?@.a<=@.b]", "[?@[0]>=1]", "[?@[?@>1]]", "[?@==true]", "[?@<'b']", "[?$.b[0]]", "[?@.a.b]", "[?@==1.0]",
        "[?count($..a)>1]", "[?(@.a || @.b) && !(@.id)]", "[?@.*]", "[?length(@.name)==2]",
    ]
)  # fmt: skip
paths = st.lists(steps, max_size=3).map(lambda parts: "$" + "".join(parts))
THEIRS = jsonpath.JSONPathEnvironment(strict=True)


@contextmanager
def everything_is_large() -> Iterator[None]:
    """Every container is walked where it lies, in chunks of a few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "SMALL", 1)
        sizes = json_bounds.Sizes(small=8, chunk=32, least=8)
        original = json_bounds.Bounds.__init__

        def small(self: json_bounds.Bounds, buffer: memoryview, **options: object) -> None:
            original(self, buffer, **(options | {"sizes": sizes}))  # type: ignore[arg-type]  # the same options

        patch.setattr(json_bounds.Bounds, "__init__", small)
        yield


def asked(text: str, path: str, *, limit: int | None = None, offset: int = 0, room: int | None = None) -> FetchedPage:
    store = MemoryStore()
    return query(store, put(store, text).id, path, limit=limit, offset=offset, room=room, spelling=tool_call)


@given(values, paths, st.booleans())
def test_it_selects_what_the_reference_selects(value: object, path: str, spaced: bool) -> None:
    text = json.dumps(value, indent=1 if spaced else None, ensure_ascii=spaced)
    wanted = json.dumps(THEIRS.findall(path, cast("list[object]", value)))
    for large in (False, True):
        if large:
            with everything_is_large():
                found = asked(text, path)
        else:
            found = asked(text, path)
        assert json.dumps(json.loads(found.text)) == wanted, (large, path)
        assert found.pagination
        assert found.pagination.total == len(json.loads(wanted))


@given(st.lists(values, max_size=30), paths, st.integers(1, 4), st.booleans())
def test_pages_count_values_and_add_up(value: object, path: str, limit: int, large: bool) -> None:
    text = json.dumps(value)
    whole = json.loads(asked(text, path).text)
    seen: list[object] = []
    while True:
        if large:
            with everything_is_large():
                page = asked(text, path, limit=limit, offset=len(seen))
        else:
            page = asked(text, path, limit=limit, offset=len(seen))
        seen += json.loads(page.text)
        assert page.pagination
        assert page.pagination.total == len(whole)
        assert bool(page.next) == (len(seen) < len(whole))
        if not page.next:
            break
        assert page.next.endswith(f"limit={limit}, offset={len(seen)})")
    assert json.dumps(seen) == json.dumps(whole)


def test_numbers_and_strings_are_told_as_they_were_written() -> None:
    text = '[ 1.50, 1e999 , 123456789012345678901234567890, "\\u00e9\\/", {"b" : 1.0,\n "a": [ ] } ]'
    assert asked(text, "$[*]").text == '[1.50,1e999,123456789012345678901234567890,"\\u00e9\\/",{"b":1.0,"a":[]}]'
    assert asked(text, "$[4].b").text == "[1.0]"


def test_the_last_of_two_members_of_a_name_is_the_one() -> None:
    text = '{"a": 1, "a": 2}'
    assert asked(text, "$.a").text == "[2]"
    with everything_is_large():
        assert asked(text, "$.a").text == "[2]"


def test_ndjson_is_the_array_of_its_records() -> None:
    text = '{"level":"info","n":1}\n\n{"level":"error","n":2}\r\n{"level":"error","n":3}'
    assert asked(text, "$[?@.level=='error'].n").text == "[2,3]"
    assert asked(text, "$[-1].n").text == "[3]"
    assert asked(text, "$[0:2].n").text == "[1,2]"
    page = asked(text, "$[*]", limit=1)
    assert page.pagination
    assert page.pagination.total == 3


def test_a_line_of_ndjson_that_is_none_is_named() -> None:
    with pytest.raises(UsageError, match="line 3"):
        asked('{"a":1}\n{"a":2}\nnot json\n', "$[*].a")


def test_a_page_holds_what_there_is_room_for() -> None:
    text = json.dumps([{"n": number, "text": "x" * 90} for number in range(1_000)])
    seen: list[object] = []
    store = MemoryStore()
    kept = put(store, text).id
    while True:
        page = query(store, kept, "$[*]", limit=None, offset=len(seen), room=5_000, spelling=shell_call)
        assert len(page.text) <= 5_000
        seen += json.loads(page.text)
        if not page.next:
            break
        assert page.next == f"spill artifacts show {kept} --query '$[*]' --offset {len(seen)}"
    assert seen == json.loads(text)


def test_a_value_that_fits_on_no_page_is_named_by_the_call_that_fetches_it() -> None:
    text = json.dumps({"a": 1, "list": list(range(5_000)), "c": "é" * 4_000}, ensure_ascii=False)
    store = MemoryStore()
    kept = put(store, text).id
    seen: list[object] = []
    while True:
        page = query(store, kept, "$.*", limit=None, offset=len(seen), room=1_000, spelling=tool_call)
        assert len(page.text) <= 1_000
        seen += json.loads(page.text)
        if not page.next:
            break
    assert seen[0] == 1
    for words, value in zip(seen[1:], list(json.loads(text).values())[1:], strict=True):
        call = re.search(rf'get_artifact\(id="{kept}", start_byte=(\d+), end_byte=(\d+)\)', str(words))
        assert call
        assert json.loads(store.read(kept, int(call[1]), int(call[2]))) == value


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        ("{}", "", "RFC 9535"),
        ("{}", "a.b", "RFC 9535"),
        ("{}", "$.a[", "RFC 9535"),
        ("{}", "$[?@.a =~ /x/]", "RFC 9535"),
        ("{}", "$." + "a" * 5_000, "4,096"),
        ("{}", "$[" + "?(" * 900 + "@.a" + ")" * 900 + "]", "RFC 9535"),
        ('["a"]', "$[?match(@, '(?=x)')]", "not a pattern"),
        ('["a"]', "$[?match(@, 'x{2000}')]", "not a pattern"),
        ("not json", "$", "not JSON"),
        ("[" * 1_000 + "]" * 1_000, "$", "not JSON"),
        ("", "$", "not JSON"),
        ('{"a": NaN}', "$", "not JSON"),
    ],
)
def test_what_cannot_be_asked_is_said_with_the_next_step(text: str, path: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        asked(text, path)


def test_nine_hundred_levels_can_be_asked() -> None:
    text = "[" * 900 + "7" + "]" * 900
    assert asked(text, "$" + "[0]" * 900).text == "[7]"


def test_looking_at_everything_has_a_budget() -> None:
    text = json.dumps([[[[number] * 10] * 10] * 10 for number in range(100)])
    with pytest.raises(UsageError, match="too many values"):
        asked(text, "$..*..*..*", limit=10)


def test_a_query_that_is_refused_writes_nothing_before() -> None:
    deep = "[" * 80 + "1" + "]" * 80  # every value is looked for in all of those above it
    started = time.process_time()
    with pytest.raises(UsageError, match="too many values"):
        asked(deep, "$..*..*..*..*", limit=None)
    assert time.process_time() - started < 8  # half a minute, where what was found before is written


def test_what_is_selected_again_and_again_is_written_as_it_stands() -> None:
    text = '{"a": {"b": [1, {"c": 2}], "b": [ 3, {"c": 4} ]}, "d": [[5]]}'
    found = json.loads(asked(text, "$..*..*", limit=None).text)
    assert found == THEIRS.findall("$..*..*", json.loads(text))
    assert {"c": 4} in found
    assert {"c": 2} not in found


def test_everything_of_a_large_document_cannot_be_asked_at_once() -> None:
    text = "[" + ",".join(['"' + "x" * 1_000_000 + '"'] * 40) + "]"
    with pytest.raises(UsageError, match="name the way"):
        asked(text, "$..a")
    assert asked(text, "$[?@.a]").text == "[]"
