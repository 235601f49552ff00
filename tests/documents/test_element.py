"""Documents are cut by their elements: the rows of the ledger on JSON and XML."""

import json
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from documents import ID, is_cut_as_text, subject, view
from overspill.compat import ElementStrategy, TruncationOptions
from overspill.core.budget import Budget
from overspill.core.markers import Reference
from overspill.core.spans import Options
from overspill.cut import strategy_in_use
from overspill.documents import cut_document, side_for


def alone(text: str, limit: int, first: int, last: int) -> tuple[str, int | None]:
    """What a strategy gives by itself, without a word about where the rest is."""
    asked = subject(text, Options(first_elements=first, last_elements=last))._replace(reference=Reference(silent=True))
    found = cut_document(asked, "json", Budget(chars=limit))
    assert found is not None
    return found.text, found.cut.elements


def users(number: int) -> str:
    records = [{"user_id": f"usr_{index:05}", "name": f"User {index}"} for index in range(1, number + 1)]
    return json.dumps({"users": records, "total_count": number, "page_size": number})


def test_20_objects_stay_an_array() -> None:
    """TST-07, FR-035, AC-035."""
    text = json.dumps([{"id": index, "name": f"Item {index}"} for index in range(1, 21)], separators=(",", ":"))
    shown, _ = alone(text, 200, 2, 2)
    assert shown.startswith("[")
    assert shown.endswith("]")
    assert isinstance(json.loads(shown), list)
    assert len(shown) <= 200


def test_100_numbers_lose_exactly_96() -> None:
    """TST-08, FR-038, AC-038, X-27."""
    shown, elements = alone(json.dumps([*range(1, 101)], separators=(",", ":")), 150, 2, 2)
    assert "96 items omitted" in shown
    assert elements == 96
    assert json.loads(shown) == [1, 2, "... 96 items omitted ...", 99, 100]


def test_json_and_xml_are_cut_by_element() -> None:
    """FR-022, AC-022, X-31."""
    assert "... 990 users omitted ..." in json.loads(view(users(1000), "json", 4000).text)["users"]
    text = "<rows>" + "".join(f"<row n='{index}'/>" for index in range(1000)) + "</rows>"
    shown = view(text, "xml", 4000).text
    assert [row.get("n") for row in ET.fromstring(shown)] == [str(index) for index in [*range(5), *range(995, 1000)]]
    assert "<!-- ... 990 rows omitted ... -->" in shown


def test_the_first_and_the_last_elements_are_kept() -> None:
    """FR-036, AC-036, CFG-07."""
    text = json.dumps([*range(1000)])
    shown = json.loads(view(text, "json", 400).text)
    assert shown[:5] == [0, 1, 2, 3, 4]
    assert shown[-5:] == [995, 996, 997, 998, 999]
    shown = json.loads(view(text, "json", 400, Options(first_elements=8, last_elements=3)).text)
    assert [each for each in shown if isinstance(each, int)] == [*range(8), 997, 998, 999]


def test_fewer_elements_are_kept_where_they_do_not_fit_and_the_count_stays_exact() -> None:
    """X-27."""
    text = json.dumps([{"id": index, "code": "x" * 90} for index in range(500)])
    for limit in (200, 400, 800, 1600):
        shown = json.loads(view(text, "json", limit).text)
        kept = sum(isinstance(each, dict) for each in shown)
        assert kept <= 10
        assert f"... {500 - kept:,} items omitted ..." in shown


def test_an_object_keeps_its_first_keys_in_their_order() -> None:
    """FR-037, AC-037, X-26."""
    text = json.dumps({f"key_{index}": index for index in range(5000)})
    shown = json.loads(view(text, "json", 1000).text)
    note = shown.pop("...")
    assert list(shown) == [f"key_{index}" for index in range(len(shown))]
    assert note.startswith(f"{5000 - len(shown):,} keys omitted; ")


def test_long_arrays_shrink_before_long_strings_and_these_before_depth_and_keys() -> None:
    """X-26: below `max_depth` nothing is shown at all."""
    deep = {"a": {"b": {"c": {f"key {index}": index for index in range(40)}}}}
    value = {"rows": [*range(1000)], "text": "t" * 900, "deep": deep, "last": 1}
    text = json.dumps(value)
    rows = [0, 1, 2, 3, 4, "... 990 rows omitted ...", 995, 996, 997, 998, 999]

    def shown(limit: int) -> dict[str, object]:
        found: dict[str, object] = json.loads(view(text, "json", limit, Options(max_depth=9)).text)
        found["rows"] = [each for each in found["rows"] if ID not in str(each)]  # type: ignore[attr-defined]  # a list
        return found

    only_rows = shown(2000)
    assert only_rows == {**value, "rows": rows}
    strings_too = shown(1200)
    assert strings_too == {**value, "rows": rows, "text": strings_too["text"]}
    assert "chars omitted" in str(strings_too["text"])
    depth_too = shown(450)
    assert "keys omitted" in str(depth_too["deep"])
    assert list(depth_too) == ["rows", "text", "deep", "last"]
    keys_too = shown(200)
    assert next(iter(keys_too)) == "rows"
    assert "keys omitted" in str(keys_too["..."])


def test_values_below_the_depth_limit_become_a_count() -> None:
    """FR-039, AC-039, AC-090."""

    def tree(depth: int) -> object:
        return {f"key {index}": tree(depth - 1) for index in range(3)} if depth else 1

    def depth(value: object) -> int:
        return 1 + max(map(depth, value.values())) if isinstance(value, dict) else 0

    text = json.dumps(tree(7))
    for most in (1, 2, 3):
        shown = view(text, "json", 2000, Options(max_depth=most)).text
        assert depth(json.loads(shown)) == most
        assert '"... 3 keys omitted' in shown
    inside = json.dumps({"a": {"b": {"names": [*range(200)]}, "c": ["x" * 40] * 3}, "z": "z" * 700})
    assert json.loads(view(inside, "json", 300, Options(max_depth=2)).text)["a"]["c"] == "... 3 c omitted ..."


def test_typical_json_takes_less_than_15_ms() -> None:
    """AC-077, FAQ-8: parsing adds a few milliseconds."""
    text = json.dumps(
        [{"id": index, "name": f"User {index}", "tags": ["a", "b"], "at": {"x": 1}} for index in range(700)]
    )
    assert 45_000 < len(text) <= 51_200
    asked = subject(text)
    cut_document(asked, "json", Budget(chars=8000))
    taken = []
    for _ in range(5):
        started = time.process_time()
        assert cut_document(asked, "json", Budget(chars=8000)) is not None
        taken.append(time.process_time() - started)
    assert min(taken) < 0.015


def test_malformed_json_is_cut_as_text() -> None:
    """AC-089, ASM-08, X-25."""
    for text in (users(100)[:-1], users(100) + ",", users(100).replace(":", ";", 1), "[NaN" + ", 1" * 500 + "]"):
        assert is_cut_as_text(text, "json")
    assert strategy_in_use("element") == "line"


def test_a_single_element_is_shortened_inside_and_never_dropped() -> None:
    """AC-092, X-29."""
    text = json.dumps([{"id": 7, "body": "word " * 5000, "rows": [*range(5000)]}])
    [shown] = json.loads(view(text, "json", 1000).text)
    assert shown["id"] == 7
    assert shown["body"].startswith("word word ")
    assert shown["rows"][:3] == [0, 1, 2]


def test_empty_arrays_and_objects_stay() -> None:
    """AC-093, AC-094."""
    value: dict[str, object] = {"none": [], "nothing": {}, "within": [[], {}], "many": [*range(1000)]}
    for limit in (300, 500):
        shown = json.loads(view(json.dumps(value), "json", limit).text)
        assert (shown["none"], shown["nothing"], shown["within"]) == ([], {}, [[], {}])


def test_deep_text_never_ends_in_a_recursion_error() -> None:
    """X-28: a text cannot be circular, but it can be deep."""
    for levels in (901, 5_000, 100_000):
        assert is_cut_as_text("[" * levels + "]" * levels, "json")
        assert is_cut_as_text('{"a":' * levels + "1" + "}" * levels, "json")
        assert is_cut_as_text("<a>" * levels + "</a>" * levels, "xml")
    json.loads(view("[" * 900 + "]" * 900, "json", 200).text)


def test_text_is_cut_as_text_when_json_need_not_be_preserved() -> None:
    """X-30, FAQ-8."""
    assert side_for("element", "json", Options(preserve_json=False)) is None


def test_the_noun_is_the_key_and_thousands_are_separated() -> None:
    """X-11, X-15."""
    assert "... 2,490 items omitted ..." in json.loads(view(json.dumps([*range(2500)]), "json", 400).text)
    shown = json.loads(view(json.dumps({"results": [{"line": n} for n in range(2500)]}), "json", 900).text)
    assert "... 2,490 results omitted ..." in shown["results"]


def test_search_results_show_five_first_three_last_and_the_scale() -> None:
    """STR-04."""
    matches = [{"file": f"src/{index}.ts", "line": index, "match": "validateToken(token)"} for index in range(253)]
    text = json.dumps({"results": matches, "total_matches": 253, "files_searched": 1247}, indent=2)
    shown = json.loads(view(text, "json", 4000, Options(first_elements=5, last_elements=3)).text)
    assert shown["results"][:5] == matches[:5]
    assert shown["results"][5] == "... 245 results omitted ..."
    assert shown["results"][-3:] == matches[-3:]
    assert (shown["total_matches"], shown["files_searched"]) == (253, 1247)


def test_50_000_records_in_a_json_array_lose_49_990() -> None:
    """P-20."""
    text = json.dumps([{"id": index, "v": "x" * 20} for index in range(50_000)])
    shown = json.loads(view(text, "json", 8000).text)
    assert [record["id"] for record in shown if isinstance(record, dict)] == [*range(5), *range(49_995, 50_000)]
    assert "... 49,990 items omitted ..." in shown


BIG = """
import json, mmap, sys
from overspill.core.budget import Budget
from overspill.documents import document_from_bytes
from overspill.core import Size
from overspill.core.markers import Reference
from overspill.core.report import Artifact
from overspill.core.spans import Options
import msgspec
def peak():
    # Unlike ru_maxrss, this does not begin with what the parent had.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = peak()
with open(sys.argv[1], "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
    size = Size(len(mapped), 0, len(mapped), len(mapped) // 4)
    shelf = Reference(Artifact("art_1_x", size))
    view = document_from_bytes(mapped, size, sys.argv[2], Options(), shelf, Budget(chars=8000))
grown = peak() - before
print(json.dumps([view and view.text, grown * 1024]))
"""


def in_a_process(path: Path, kind: str) -> tuple[str, int]:
    """The view of a file, and by how many bytes the process that made it grew at the most."""
    done = subprocess.run([sys.executable, "-c", BIG, str(path), kind], capture_output=True, check=True)
    text, grown = json.loads(done.stdout)
    return text, grown


def test_25_mb_of_users_keep_their_ends_and_the_other_keys(tmp_path: Path) -> None:
    """P-31."""
    record = '{"user_id": "usr_%05d", ' + ", ".join(f'"field_{n}": "value of it"' for n in range(18)) + "}"
    path = tmp_path / "users.json"
    path.write_text('{"users": [' + ", ".join(record % n for n in range(50_000)) + '], "total_count": 50000}')
    assert path.stat().st_size > 24_000_000
    text, grown = in_a_process(path, "json")
    shown = json.loads(text)
    ends = [each["user_id"] for each in shown["users"] if isinstance(each, dict)]
    assert ends == [f"usr_{n:05}" for n in [*range(5), *range(49_995, 50_000)]]
    assert "... 49,990 users omitted ..." in shown["users"]
    assert shown["total_count"] == 50_000
    assert 0.5 * path.stat().st_size < grown < 1.5 * path.stat().st_size


@pytest.mark.slow
def test_150_mb_in_one_nested_line_take_half_as_much_again(tmp_path: Path) -> None:
    """P-31: memory is that of the mapped file, and little more."""
    path = tmp_path / "nested.json"
    records = ({"id": n, "name": f"n {n}", "pos": {"x": n, "tags": ["a", "b"]}} for n in range(20_000))
    piece = ",".join(json.dumps(record, separators=(",", ":")) for record in records)
    with path.open("w") as file:
        file.write('{"meta":{"v":1},"data":{"page":1,"items":[' + piece)
        while file.tell() < 150_000_000:
            file.write("," + piece)
        file.write(']},"done":true}')
    text, grown = in_a_process(path, "json")
    shown = json.loads(text)
    assert (shown["meta"], shown["data"]["page"], shown["done"]) == ({"v": 1}, 1, True)
    assert shown["data"]["items"][0] == "... 3 keys omitted ..."  # FR-039: they lie below `max_depth`
    assert 0.5 * path.stat().st_size < grown < 1.5 * path.stat().st_size


def test_10_mb_of_test_report_stay_well_formed(tmp_path: Path) -> None:
    """FR-022: XML by its elements, at any size."""
    case = '<testcase name="test_{0}" time="0.01"><system-out><![CDATA[{1}]]></system-out></testcase>\n'
    rows = "".join(case.format(n, "a line & more\n" * 30) for n in range(21_000))
    path = tmp_path / "junit.xml"
    path.write_text(f'<?xml version="1.0"?>\n<testsuites><testsuite name="s">{rows}</testsuite></testsuites>')
    assert path.stat().st_size > 10_000_000
    text, grown = in_a_process(path, "xml")
    names = [case.get("name") for case in ET.fromstring(text).iter("testcase")]
    assert names == [f"test_{n}" for n in [*range(5), *range(20_995, 21_000)]]
    assert 0.5 * path.stat().st_size < grown < 1.5 * path.stat().st_size


def test_5_mb_of_a_drawing_take_half_as_much_again(tmp_path: Path) -> None:
    """20: SVG as tools write it, with a DOCTYPE and one element inside another."""
    piece = '<g id="g{0}"><path class="c{1}" d="M{0} 4l1 2c3 4 5 6 7 8z"/><circle r="{1}" cx="{0}"/></g>\n'
    head = '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd">\n'
    path = tmp_path / "drawing.svg"
    path.write_text(f"{head}<svg>{''.join(piece.format(n, n % 50) for n in range(54_000))}</svg>")
    assert path.stat().st_size > 5_000_000
    text, grown = in_a_process(path, "xml")
    assert [one.get("id") for one in ET.fromstring(text)] == [f"g{n}" for n in [*range(5), *range(53_995, 54_000)]]
    assert 0.5 * path.stat().st_size < grown < 1.5 * path.stat().st_size


def test_nothing_below_the_depth_limit_is_shown_however_short_it_is() -> None:
    """FR-039, AC-090: a count in its place may be longer, and is one key, not one keys."""
    text = json.dumps([{"a": {"b": {"c": {"d": index}}}} for index in range(2000)])
    for limit in (300, 600, 2000):
        shown = json.loads(view(text, "json", limit, Options(max_depth=2)).text)
        assert {json.dumps(each) for each in shown if isinstance(each, dict)} == {'{"a": "... 1 key omitted ..."}'}


def test_counted_elements_stay_if_they_alone_fit() -> None:
    """Promise 3: `Element(50, first 2, last 2)` on eight short items; the mark stands on top, and no view is longer."""
    for items in ([f"item{at}" for at in range(1, 9)], [{"id": at} for at in range(1, 9)]):
        text = json.dumps(items, separators=(",", ":"))
        options = TruncationOptions(inline_limit=50, first_elements=2, last_elements=2)
        shown = ElementStrategy(options).truncate(text).content
        assert json.loads(shown) == [*items[:2], "... 4 items omitted ...", *items[-2:]]
        assert len(shown) <= len(text)
    long = json.dumps([f"an item that is rather long {at}" for at in range(8)])
    shown = (
        ElementStrategy(TruncationOptions(inline_limit=50, first_elements=2, last_elements=2)).truncate(long).content
    )
    assert len(shown) <= 50
    few = json.dumps([*range(1, 9)])  # with a mark it would be longer than it is
    assert len(ElementStrategy(TruncationOptions(inline_limit=20)).truncate(few).content) <= 20
