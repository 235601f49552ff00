"""What `smart` shows of JSON and NDJSON: the ends, and the records that are not like the others."""

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from documents import ID, assert_kept, limit_for, options, shares, view, view_of_bytes
from overspill.api import Overspill
from overspill.core.spans import Options
from overspill.documents.failures import _plain_scan, failure_of, mention_of, word_scanner
from overspill.store.memory import MemoryStore

OMITTED = re.compile(r"\.\.\. ([\d,]+) (\w+) omitted")


def records(number: int) -> list[dict[str, object]]:
    """Records as a service would list them, all of them well."""
    return [
        {
            "id": index,
            "name": f"user {index}",
            "state": ("active", "idle", "away")[index % 3],
            "latency": 3.5 + index * 7919 % 100 / 25,
            "errors": 0,
            "error": None,
            "ok": True,
        }
        for index in range(number)
    ]


ODD: dict[str, dict[str, object]] = {
    "tells of an error": {"error": "disk full"},
    "counts errors": {"errors": 3},
    "has a rare value": {"state": "suspended"},
    "has an extreme number": {"latency": 9e5},
    "has a member more": {"migrated_from": "v1"},
    "has another type": {"id": "seven"},
    "is not well": {"ok": False},
    "speaks of a failure": {"name": "connection refused by the database"},
}

FORMS = {
    "json": lambda rows: json.dumps({"page": 1, "users": rows, "total": len(rows)}),
    "pretty": lambda rows: json.dumps(rows, indent=2),
    "ndjson": lambda rows: "\n".join(map(json.dumps, rows)),
}


def smart(text: str, limit: int, settings: Options = Options()) -> str:  # noqa: B008  # a frozen value
    kind = "ndjson" if "\n{" in text and text[0] == "{" else "json"
    found = view(text, kind, limit, settings, side="smart")
    assert_kept(text, found, limit)
    return found.text


def rows_in(text: str) -> list[object]:
    shown = json.loads(text) if "\n{" not in text or text[0] == "[" else [*map(json.loads, text.splitlines())]
    return shown["users"] if isinstance(shown, dict) else shown


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ODD)
@pytest.mark.parametrize(("number", "odd"), [(300, 150), (3_000, 290), (3_000, 2_950)])
def test_the_one_record_that_is_not_like_the_others_is_shown(form: str, way: str, number: int, odd: int) -> None:
    rows = records(number)
    rows[odd].update(ODD[way])
    shown = rows_in(smart(FORMS[form](rows), 4_000))
    assert rows[odd] in shown
    assert rows[0] in shown
    assert rows[-1] in shown


@pytest.mark.parametrize("form", FORMS)
def test_a_record_that_lacks_a_member_is_shown(form: str) -> None:
    rows = records(2_000)
    del rows[700]["name"]
    assert rows[700] in rows_in(smart(FORMS[form](rows), 4_000))


@pytest.mark.parametrize("form", FORMS)
@given(odd=st.sets(st.integers(0, 299), max_size=12), limit=st.integers(900, 9_000))
def test_what_is_shown_and_what_the_markers_count_add_up(form: str, odd: set[int], limit: int) -> None:
    rows = records(300)
    for index in odd:
        rows[index]["error"] = f"number {index}"
    text = smart(FORMS[form](rows), limit)
    omitted = sum(int(number.replace(",", "")) for number, noun in OMITTED.findall(text) if noun != "keys")
    shown = [row for row in rows_in(text) if isinstance(row, dict)]
    assert len(shown) + omitted == 300


def test_the_call_fetches_the_largest_gap() -> None:
    rows = records(3_000)
    rows[2_500]["error"] = "boom"
    text = FORMS["json"](rows)
    found = view(text, "json", 3_000, side="smart")
    start, end = map(int, re.findall(r"_byte=(\d+)", found.fetch))
    gaps = [gap for gap in found.cut.gaps if gap.number > 1]
    largest = max(gaps, key=lambda gap: gap.chars)
    assert largest.start <= start < end <= largest.end
    assert json.loads(f"[{text[start:end]}]")[0] in rows


def test_good_news_is_not_taken_for_bad() -> None:
    rows = records(2_000)
    for index, row in enumerate(rows):
        row["message"] = f"job {index} done: 0 errors, no failures"
    text = smart(FORMS["ndjson"](rows), 3_000)
    assert len(OMITTED.findall(text)) == 1  # nothing between the ends stands out


@pytest.mark.parametrize(
    ("record", "bad"),
    [
        ({"error": None}, False),
        ({"errors": 0}, False),
        ({"errors": []}, False),
        ({"error": ""}, False),
        ({"error": {"code": None, "message": ""}}, False),
        ({"status": 200}, False),
        ({"ok": True}, False),
        ({"level": "info", "msg": "retry after error"}, False),
        ({"exit_code": 0}, False),
        ({"error": "x"}, True),
        ({"errors": [1]}, True),
        ({"status": 503}, True),
        ({"status_code": 404}, True),
        ({"level": "ERROR"}, True),
        ({"level": 50, "msg": "x"}, True),
        ({"conclusion": "failure"}, True),
        ({"outcome": "failed"}, True),
        ({"success": False}, True),
        ({"exitCode": 137}, True),
        ({"result": {"state": {"reason": "CrashLoopBackOff"}}}, True),
    ],
)
def test_whether_a_record_tells_of_a_failure_is_judged_by_what_it_says(record: dict[str, object], bad: bool) -> None:
    assert bool(failure_of(record)) is bad


def test_words_are_judged_in_their_sentence() -> None:
    assert mention_of({"a": ["fine", {"b": "Unhandled exception in worker 7"}]})
    assert not mention_of({"a": "finished without errors", "b": "errors: 0", "c": "terror"})


@pytest.mark.parametrize("form", FORMS)
def test_what_is_looked_for_comes_first(form: str) -> None:
    rows = records(3_000)
    rows[1_234]["name"] = 'Grace "Amazing" Hopper'
    for index in range(100, 2_900, 7):
        rows[index]["error"] = f"boom {index}"
    text = smart(FORMS[form](rows), 2_000, Options(focus='grace "amazing'))
    assert rows[1_234] in rows_in(text)


def test_distinct_failures_come_before_repeats() -> None:
    rows = records(4_000)
    for index in range(500, 900):
        rows[index]["error"] = "timeout after 30 s"
    rows[3_000]["error"] = "segmentation fault"
    shown = rows_in(smart(FORMS["json"](rows), 2_500))
    assert rows[3_000] in shown
    assert rows[500] in shown


def test_scalars_beside_a_big_array_are_always_shown() -> None:
    rows = records(5_000)
    rows[77]["error"] = "boom"
    shown = json.loads(smart(FORMS["json"](rows), 1_200))
    assert shown["page"] == 1
    assert shown["total"] == 5_000


def test_arrays_further_down_are_looked_at_too() -> None:
    rows = records(3_000)
    rows[1_500]["error"] = "boom"
    text = json.dumps({"report": {"runs": [{"name": "first", "tests": rows}, {"name": "second", "tests": []}]}})
    assert '"boom"' in smart(text, 3_000)


def test_values_of_members_that_have_few_are_counted_rare_first() -> None:
    rows = records(3_000)
    for index, row in enumerate(rows):
        row["code"] = f"E{index % 7}"
    rows[2_000]["code"] = "W605"
    shown = json.loads(smart(FORMS["json"](rows), 4_000))["users"]
    assert "[code: W605, E5 427, E4 428, E6 428, E0 429, E1 429, E2 429, E3 429]" in shown
    assert rows[2_000] in shown


def test_records_of_which_every_one_is_different_are_no_burden() -> None:
    rows = [{f"k{index}": index, "v": [index] * (index % 5)} for index in range(4_000)]
    assert len(smart(json.dumps(rows), 3_000)) <= 3_000


json_rows = st.lists(
    st.dictionaries(
        st.sampled_from(["id", "status", "error", 'a"b', "ok", "level", "é"]),
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.text(max_size=30),
            st.just([1] * 30),
            st.just({"a": {"b": None}}),
            st.just([{"c": 1}]),
        ),
        max_size=5,
    ),
    min_size=1,
    max_size=8,
)


@given(
    rows=json_rows,
    more=json_rows,
    times=st.integers(5, 60),
    share=shares,
    settings=options,
    indent=st.sampled_from([None, 1]),
)
def test_every_view_of_any_records_is_json_within_its_budget(
    rows: list[dict[str, object]],
    more: list[dict[str, object]],
    times: int,
    share: float,
    settings: Options,
    indent: int | None,
) -> None:
    text = json.dumps(rows * times + more * 3 + rows * times, indent=indent)
    limit = limit_for(text, share, least=120)
    found = view(text, "json", limit, settings, side="smart")
    assert_kept(text, found, limit)
    json.loads(found.text)


@given(rows=json_rows, times=st.integers(5, 60), share=shares)
def test_every_line_of_every_view_of_any_records_is_json(
    rows: list[dict[str, object]], times: int, share: float
) -> None:
    text = "\n".join(map(json.dumps, rows * times))
    limit = limit_for(text, share, least=120)
    found = view(text, "ndjson", limit, side="smart")
    assert_kept(text, found, limit)
    for line in found.text.splitlines():
        json.loads(line)


@pytest.mark.parametrize("form", FORMS)
def test_a_text_and_its_bytes_give_the_same_view_every_time(form: str) -> None:
    rows = records(9_000)
    rows[4_000]["error"] = "größer als 5 €"
    text = FORMS[form](rows)
    kind = "ndjson" if form == "ndjson" else "json"
    seen = {view(text, kind, 3_000, side="smart").text for _ in range(2)}
    found = view_of_bytes(text.encode(), kind, 3_000, side="smart")
    assert found is not None
    assert seen == {found.text}


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_and_its_text_give_the_same_view(form: str) -> None:
    """Promise 9."""
    rows = records(16_000)
    rows[9_000]["error"] = "boom"
    text = FORMS[form](rows)

    def fitted(size: int | None) -> str:
        spill = Overspill({}, MemoryStore(), preset="agent")
        if size is None:
            whole = spill.fit(text, strategy="smart")
        else:
            chunks = (text[at : at + size] for at in range(0, len(text), size))
            whole = spill.fit_stream(chunks, strategy="smart")
        assert whole.artifact_id is not None
        return re.sub(r"art_[a-z0-9]{6,}", ID, whole.text.replace(whole.artifact_id, ID))

    assert '"boom"' in fitted(None)
    assert fitted(None) == fitted(65_536) == fitted(999_983)


@given(st.binary(max_size=200), st.lists(st.sampled_from(["error", "fail", "timed out", "É"]), min_size=1))
def test_without_a_native_scan_the_same_places_are_found(content: bytes, words: list[str]) -> None:
    content = content + b"xERRORy faiLtimed out " + "é".encode()
    plain = _plain_scan(tuple(sorted({word.lower().encode() for word in words})))
    ascii_only = [word for word in words if word.isascii()]
    assert set(word_scanner(ascii_only)(content, 1_000)) <= set(plain(content, 1_000)) or not ascii_only


def test_a_real_report_of_installed_packages_stays_json_and_shows_its_ends() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "inspect", "--local"], capture_output=True, text=True, check=True
    ).stdout
    shown = json.loads(smart(listed, 8_000))
    whole = json.loads(listed)
    assert shown["pip_version"] == whole["pip_version"]
    assert shown["environment"]["python_version"] == whole["environment"]["python_version"]


def deep_records(number: int) -> list[dict[str, object]]:
    """Records with much inside, of which every ninth failed, the first among them."""
    inside = {"steps": [1, 2, 3] * 5, "words": "some words of it " * 5, "more": {"x": [1] * 9}}
    return [
        {
            "id": place,
            "status": "ok" if place % 9 else "failed",
            "error": None if place % 9 else f"disk {place} is full",
            "meta": {"a": place, "inside": inside},
        }
        for place in range(number)
    ]


@pytest.mark.parametrize("where", ["root", "member"])
def test_of_large_records_some_are_shown_in_short_and_all_are_added_up(where: str) -> None:
    made = deep_records(900)
    text = json.dumps({"total": 900, "items": made} if where == "member" else made)
    seen = Overspill(store=MemoryStore()).fit(text, strategy="smart", budget=2_000).text
    assert len(seen) <= 2_000
    shown = json.loads(seen)
    rows = shown["items"] if where == "member" else shown
    said = [row for row in rows if isinstance(row, str)]
    assert any(isinstance(row, dict) and row["status"] == "failed" for row in rows)
    told = next(words for words in said if words.startswith("[error where status=failed: "))
    assert told.count(" is full") >= 7
    assert "[status: failed 100, ok 800]" in said
    assert "[meta.a: 0 .. 899]" in said
    assert any(words.startswith("[900 rows; all: meta.inside.words=") for words in said) is False  # that is too long
    assert any("meta.inside.steps" in words for words in said)


def test_rows_of_objects_are_told_by_name_with_their_versions() -> None:
    """19: what is in two columns of one row stands together; a version names nothing."""
    names = [f"part-{'abc'[at % 3]}{at}" for at in range(90)]
    parts = [{"type": "x", "version": f"{at}.{at * 7 % 10}.0", "name": name} for at, name in enumerate(names)]
    text = json.dumps({"parts": parts})
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=3_000).text
    assert "[name with version: part-a0 0.0.0, part-b1 1.7.0, " in shown
    assert false_statements(text, shown, "json") == []


def test_of_many_packages_each_stands_with_its_version_and_nothing_twice() -> None:
    """19: names with versions are told where names alone would tell of hardly more; `ant@1.2` says nothing new."""
    words = ["ant", "bee", "cat", "dog", "elk"]
    rows = [
        {"name": f"{one}-{two}-{at}", "_id": f"{one}-{two}-{at}@1.{at}.0", "version": f"1.{at}.0"}
        for at, (one, two) in enumerate((words[at % 5], words[at // 5 % 5]) for at in range(600))
    ]
    text = json.dumps(rows)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=8_000).text
    told = next(words for words in json.loads(shown) if isinstance(words, str) and words.startswith("[name with "))
    assert told.startswith("[name with version: ant-ant-0 1.0.0, bee-ant-1 1.1.0, ")
    assert told.count(", ") > 100
    assert false_statements(text, shown, "json") == []


def test_rows_are_called_by_what_is_called_a_name_and_not_by_a_sign() -> None:
    """19: a name inside an object of the row comes before a shorter code or a flag; objects that are alike once."""
    places = [f"{one}{two}land" for one in ("Ara", "Bel", "Cor", "Dun", "Est") for two in ("ba", "go", "li", "mo")]
    texts = {language: {"long": "", "short": ""} for language in ("aa", "bb", "cc", "dd", "ee", "ff", "gg")}
    rows = [
        {
            "names": 2,
            "name": {"common": place, "official": f"The Land of {place} and its many islands in the sea {at}"},
            "flag": chr(0x1F300 + at),
            "texts": {one: {"long": f"{one}{place} {at}", "short": f"{place}{one}"} for one in texts},
            "area": at * 7_919 % 1_009,
        }
        for at, place in enumerate(places)
    ]
    text = json.dumps(rows, ensure_ascii=False)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=3_000).text
    said = [words for words in json.loads(shown) if isinstance(words, str)]
    assert any(words.startswith("[name.common: ") and "Estmoland" in words for words in said)
    assert any(words.startswith("[name.common with area: ") for words in said)
    assert not any(words.startswith("[flag with ") for words in said)
    assert sum(words.startswith("[texts.") for words in said) < len(texts)  # all but the first where there is room
    assert false_statements(text, shown, "json") == []


def test_a_short_list_leaves_a_long_one_the_most_of_the_room() -> None:
    """19: five rules with long texts beside a thousand types: the types are told."""
    types = [{"kind": "OBJECT", "name": f"Type{chr(65 + at % 26)}{at}Of{at * 7}"} for at in range(1_000)]
    rules = [{"name": f"rule{at}", "about": f"{at} says that " + "so it goes on " * 40} for at in range(5)]
    text = json.dumps({"types": types, "rules": rules}, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=6_000).text
    told = next(words for words in json.loads(shown)["types"] if isinstance(words, str) and "[name: " in words)
    assert len(told) > 1_400
    assert false_statements(text, shown, "json") == []


LISTS: dict[str, object] = {
    "alone": [[{"url": f"http://x/{n}/{m}", "kind": "ab"[n % 3 > 0]} for m in range(3)] for n in range(200)],
    "beside objects": {
        f"key{n}": {"version": f"1.{n}", "url": f"u{n}"} if n % 7 else [{"url": f"http://x/{n}"}] for n in range(200)
    },
}


@pytest.mark.parametrize("where", LISTS)
def test_what_is_said_of_lists_in_rows_without_a_name_is_told_from_the_rows(where: str) -> None:
    text = json.dumps(LISTS[where], indent=1)
    found = smart(text, 3_000)
    assert "[[].url: http://x/" in found
    assert false_statements(text, found, "json") == []
    assert false_statements(text, re.sub(r"\[\[\]: (\d+) items", r"[[]: 1\1 items", found), "json")


def test_a_bill_of_materials_names_its_parts_and_says_nothing_of_them_twice() -> None:
    """19: a reference that holds the name, and rows that join two of the same things, take little of the room."""
    scopes = ["", "", "@ants/", "@bees/"]
    names = [
        f"{scopes[at % 4]}{one}{two}"
        for at, (one, two) in enumerate((a, b) for a in "ABCDEFGHIJKLMNOP" for b in "mnopqrst")
    ]
    parts = [
        {"name": name, "version": f"{at}.{at * 7 % 10}.0", "refs": [{"kind": "purl", "at": f"pkg:npm/{name}@{at}.0"}]}
        for at, name in enumerate(names)
    ]
    joins = [
        {"from": f"ref-{name}", "to": f"ref-{names[at * 5 % 128]}", "how": "NEEDS"} for at, name in enumerate(names)
    ]
    text = json.dumps({"parts": parts, "joins": joins}, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=4_000).text
    told = next(words for words in json.loads(shown)["parts"] if isinstance(words, str) and "[name with " in words)
    assert "@ants/{Ao 2.4.0, As 6.2.0, " in told
    assert told.endswith("Pr 125.5.0]") or all(name.rpartition("/")[2] in told for name in names)
    assert sum(len(words) for words in json.loads(shown)["joins"] if isinstance(words, str)) < 1_500
    assert not any("at: pkg" in words and len(words) > 400 for words in json.loads(shown)["parts"])
    assert false_statements(text, shown, "json") == []
    assert false_statements(text, shown.replace("@ants/{Ao 2.4.0", "@ants/{Ao 2.5.0"), "json")
