"""Lists of any form and length: every record once, whatever they come in and whoever writes meanwhile."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from children import fed
from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked, error_of, followed
from overspill.core.field_path import FieldPath
from overspill.documents import json_elements, tables
from overspill.errors import ListChanged, UsageError
from overspill.lists.compact import compact_record
from overspill.retrieve.records import ListRequest, bytes_source, file_source, open_list
from spill_process import SPILL

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NAMES = st.text('abc.[]"\\ é\n', max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.fixed_dictionaries({"id": st.integers(), "text": st.text(max_size=12)}, optional={"more": VALUES})


@given(
    values=st.lists(RECORDS | VALUES, min_size=2, max_size=80) | st.lists(RECORDS, min_size=90, max_size=200),
    size=st.integers(1, 400),
    indent=st.sampled_from([None, 1]),
    form=st.sampled_from(["array", "inside", "members", "lines", "place"]),
)
@pytest.mark.parametrize("short", [24, 400, 1 << 16])
def test_chunks_and_blocks_make_no_difference(
    values: list[object], size: int, indent: int | None, form: str, short: int
) -> None:
    named = {f"k{number}": value for number, value in enumerate(values)}
    document = {
        "array": lambda: json.dumps(values, indent=indent),
        "inside": lambda: json.dumps({"skipped": values, "a": {"b": values, "c": 1}, "last": 1}, indent=indent),
        "members": lambda: json.dumps({"m": named}, indent=indent),
        "lines": lambda: "".join(json.dumps(value) + "\r\n" for value in values),
        "place": lambda: json.dumps({"a": [1, {"b": values}, 2]}, indent=indent),
    }[form]()
    key = {"inside": "a.b", "members": ".m", "place": "$.a[1].b[]"}.get(form, "")
    text = document.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_elements, "BLOCK_BYTES", short)
        found_form = json_elements.json_form(iter([text]), key)
        chunks = (text[at : at + size] for at in range(0, len(text), size))
        blocks = list(found_form.blocks(chunks))
        again = [record for block in blocks for record in found_form.records(block.piece)]
    lines = [found_form.line(record) for block in blocks for record in block.records]
    assert [found_form.line(record) for record in again] == lines
    assert all(text[block.start : block.start + len(block.piece)] == block.piece for block in blocks)
    wanted = [{"key": name, "value": value} for name, value in named.items()] if form == "members" else values
    assert [json.loads(line) for line in lines] == wanted


@given(
    rows=st.lists(st.lists(st.text("ab,;\"' \n\té", max_size=6), min_size=3, max_size=3), min_size=1, max_size=60),
    delimiter=st.sampled_from(",;\t"),
    size=st.integers(1, 300),
    short=st.sampled_from([16, 1 << 16]),
)
def test_rows_of_a_table_come_as_they_were_written(
    rows: list[list[str]], delimiter: str, size: int, short: int
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(["one", "two", "three"])
    writer.writerows(rows)
    text = file.getvalue().encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "BLOCK_BYTES", short)
        form = tables.table_form(iter([text]), "x.tsv" if delimiter == "\t" else "x.csv")
        assert form is not None
        blocks = list(form.blocks(text[at : at + size] for at in range(0, len(text), size)))
    wanted = [dict(zip(("one", "two", "three"), row, strict=True)) for row in rows if any(map(str.strip, row))]
    assert [form.value(row) for block in blocks for row in block.records] == wanted
    assert [form.value(row) for block in blocks for row in form.records(block.piece)] == wanted


def numbers(value: object) -> list[int]:
    assert isinstance(value, list)
    return value


def test_a_piped_list_that_does_not_fit_goes_on_in_any_later_shell(tmp_path: Path) -> None:
    """DOL-08, DOL-22: `next` names what was kept, so nothing has to be piped in again."""
    shell = Shell(tmp_path)
    first = checked(ok(shell.spill("page", "--limit", "2", "--json", stdin="".join(f"{n}\n" for n in range(1, 10)))))
    found, line = [*numbers(first["items"])], str(first["next"])
    assert "art_" in line
    while line:
        later = checked(ok(shell.line(line, stdin="")))
        found += numbers(later["items"])
        line = str(later.get("next", ""))
    assert found == list(range(1, 10))
    assert mapping(first["pagination"]) == {"total": 9, "limit": 2, "offset": 0, "hasMore": True}


def test_a_piped_list_that_fits_leaves_nothing_behind(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for words in (("--limit", "9"), ("--limit", "0")):
        assert "next" not in checked(ok(shell.spill("page", "--json", *words, stdin="1\n2\n3\n")))
    assert checked(ok(shell.spill("artifacts", "list", "--json")))["artifacts"] == []


def test_what_is_kept_of_a_piped_list_has_no_secrets(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    text = "".join(json.dumps({"id": number, "token": TOKEN}) + "\n" for number in range(60))
    first = ok(shell.spill("page", "--limit", "5", "--json", stdin=text))
    assert TOKEN not in first.out
    kept = next(word for word in str(first.envelope["next"]).split() if word.startswith("art_"))
    assert TOKEN not in ok(shell.spill("artifacts", "show", kept, "--limit", "0")).out
    events = records(checked(ok(shell.spill("log", "--json")))["entries"])
    assert "retrieve" not in {event["event"] for event in events[1:]}
    ok(shell.line(str(first.envelope["next"])))
    fetched = records(checked(ok(shell.spill("log", "--json")))["entries"])
    assert "records 5-10" in {event.get("retrieval_range") for event in fetched}


def test_a_secret_is_told_by_all_of_its_record_also_where_little_of_it_is_shown(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"one": "aHVudGVyMg==", "two": "c2VzYW1l"}}
    (shell.root / "secrets.json").write_text(json.dumps([secret]))
    for name in ("secrets.json", "-"):
        said = ok(shell.spill("page", name, "--compact", "data.one", stdin=json.dumps([secret])))
        assert "one" in said.out
        assert "aHVudGVyMg" not in said.out


def test_a_list_too_large_to_be_kept_is_shown_and_that_is_said(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / ".agent").mkdir()
    (shell.root / ".agent" / "config.yml").write_text("tools: {truncation: {max_artifact_size: 2KB}}\n")
    said = checked(ok(shell.spill("page", "--limit", "2", "--json", stdin='{"a": "xxxxxxxxxxxxxxxx"}\n' * 900)))
    assert mapping(said["pagination"])["total"] == 900
    assert "next" not in said
    (warning,) = records(said["warnings"])
    assert warning["code"] == "W_NOT_KEPT"
    assert "--offset 2" in str(warning["message"])


def test_values_of_a_query_go_on_in_any_later_shell(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    kept = shell.put(json.dumps({"users": [{"id": number} for number in range(7)]}))
    found: list[object] = []
    line = f"spill artifacts show {kept} --query '$.users[*].id' --limit 3 --json"
    while line:
        said = checked(ok(Shell(tmp_path).line(line)))
        found += json.loads(str(said["content"]))
        line = str(said.get("next", ""))
    assert found == list(range(7))
    values = checked(ok(shell.spill("page", kept, "--key", "users", "--json", "--limit", "3")))
    assert [record["id"] for record in records(values["users"])] == [0, 1, 2]


@pytest.mark.parametrize(
    ("record", "fields", "kept"),
    [
        ({"metadata": {"labels": {"app": "web"}}}, "metadata.labels.app", {"metadata": {"labels": {"app": "web"}}}),
        ({"a": {"b": {"c": {"d": 1, "e": 2}}}}, "a.b.c.d", {"a": {"b": {"c": {"d": 1}}}}),
        ({"a": [{"b": 1, "c": 2}, {"c": 3}]}, "a[*].b", {"a": [{"b": 1}, {}]}),
        ({"a": [{"b": 1, "c": 2}]}, "a[*].b,a[*].c", {"a": [{"b": 1, "c": 2}]}),
        ({"a": [{"b": 1}, {"b": 2}]}, "a[1].b", {"a": [{"b": 2}]}),
        ({"a": {"x": 1}}, "a.b,c.d", {}),
        ({"a": {"b": None}}, "a.b", {"a": {"b": None}}),
        ({"a.b": 1, "a": {"b": 2}}, "a.b", {"a.b": 1}),
        ({"a": 7}, "a.b.c", {}),
        ({"a": [[{"b": 1}]]}, "a[*][*].b", {"a": [[{"b": 1}]]}),
        ({"x y": {"b.c": 1}}, 'x y["b.c"]', {"x y": {"b.c": 1}}),
    ],
)
def test_fields_of_any_depth_are_kept_and_what_is_missing_is_absent(
    record: dict[str, object], fields: str, kept: dict[str, object]
) -> None:
    """DOL-10..12: existing data is never shown as null."""
    assert compact_record(record, fields.split(",")) == kept


@given(VALUES.filter(lambda value: isinstance(value, dict)), st.data())
def test_a_compact_record_holds_nothing_that_was_not_there(record: dict[str, object], data: st.DataObject) -> None:
    paths = list(_paths_in(record))
    if not paths:
        return
    steps = data.draw(st.sampled_from(paths))
    words = "".join(f"[{json.dumps(step)}]" if isinstance(step, str) else f"[{step}]" for step in steps)
    if any(isinstance(step, str) and '"' in step for step in steps) or "\\" in words:
        return
    path = FieldPath.parse(words)
    assert path.steps == tuple(steps)
    (value,) = path.values(record)
    kept = compact_record(record, [words])
    if value is not None:
        assert _at(kept, [0 if isinstance(step, int) else step for step in steps]) == value


def _paths_in(value: object, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in inner:
        yield (*before, step)
        yield from _paths_in(member, (*before, step))


def _at(value: object, steps: list[str | int]) -> object:
    for step in steps:
        value = value[step]  # type: ignore[index]  # a path of the record
    return value


def page_of(text: str, **asked: object) -> list[object]:
    """All records that are asked for."""
    request = ListRequest(**asked)  # type: ignore[arg-type]  # by name
    request.check()
    return [json.loads(line) for line in open_list(bytes_source(text.encode()), request, {}).rows(None, 0)]


@pytest.mark.parametrize(
    ("text", "key", "found"),
    [
        ('{"a": {"v": 1}, "b": {"v": 2}}', "", [{"key": "a", "value": {"v": 1}}, {"key": "b", "value": {"v": 2}}]),
        ('{"dependencies": {"x": {"version": "1"}}}', "dependencies", [{"key": "x", "value": {"version": "1"}}]),
        ('{"a": {"l": [{"x": 1}]}, "b": {"l": [{"x": 2}]}}', "", [
            {"key": "a", "value": {"l": [{"x": 1}]}}, {"key": "b", "value": {"l": [{"x": 2}]}}]),
        ("id,name\n1,Jo\n2,Al\n", "", [{"id": "1", "name": "Jo"}, {"id": "2", "name": "Al"}]),
        ("id\tname\n1\t\n", "", [{"id": "1", "name": ""}]),
        ('"id";"name"\n"1";"a;b"\n', "", [{"id": "1", "name": "a;b"}]),
        ('{"items": [{"id": 1}]}', ".items", [{"id": 1}]),
        ('{"items": [{"id": 1}]}', "$.items[*]", [{"id": 1}]),
        ('{"items": [{"id": 1}]}', ".items[]", [{"id": 1}]),
        ('{"items": [[1], [2, 3]]}', "items[1]", [2, 3]),
        ("[[1], [2, 3]]", "[1]", [2, 3]),
        ("\ufeff[1, 2]", "", [1, 2]),
        ('{"a": 1}\n\n  \n{"a": 2}', "", [{"a": 1}, {"a": 2}]),
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', "", [{"a": 1}, {"a": 2}]),
        ("", "", []),
        ("[]", "", []),
    ],
)  # fmt: skip
def test_maps_and_tables_are_lists_too(text: str, key: str, found: list[object]) -> None:
    assert page_of(text, key=key) == found


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('{"data": {"users": [{"id": 1}]}, "meta": {"page": 1}}', "", "--key data.users"),
        ('{"items": [{"id": 1}]}', "things", "there is: items"),
        ('{"items": [{"id": 1}]}', "items[3]", "there is: 0"),
        ('{"items": 7}', "items", "neither an array nor an object"),
        ('{"items": [1]}', "items[*].x", "name one, by its place: items[0].x"),
        ('{"items": [1]}', "items[", "not a path"),
        ('a,b\n1,"2\n', "", "not closed"),
        ("just, some text\nthat is, no table\n", "", "not JSON or NDJSON"),
    ],
)  # fmt: skip
def test_what_is_no_list_is_told_with_the_next_step(text: str, key: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        page_of(text, key=key, name="x.csv" if text.startswith("a,b") else "")


def test_one_lone_surrogate_does_not_refuse_a_whole_list() -> None:
    lines = ['{"id": 1}', r'{"id": 2, "t": "a\ud800b"}', r'{"id": 3, "t": "\udc00\udc00"}', '{"id": 4}']
    for text in ("\n".join(lines), f"[{','.join(lines)}]", json.dumps({"m": [json.loads(line) for line in lines]})):
        found = page_of(text, key="m" if text.startswith('{"m"') else "")
        assert found == [json.loads(line) for line in lines]
    with pytest.raises(UsageError):
        page_of(r'["\ud80"]')


PEOPLE = [
    {"n": 10, "name": "Ada", "tags": ["x", "y"], "o": {"p": "2024-01-02"}},
    {"n": 9, "name": "bob", "tags": [], "o": {"p": "2023-05-01"}, "on": True},
    {"n": 2.5, "name": "Cy", "gone": None},
    {"name": "dora", "n": "11"},
]


@pytest.mark.parametrize(
    ("where", "sort", "names"),
    [
        (("n>9",), "", ["Ada", "dora"]),
        (("n<10",), "", ["bob", "Cy"]),
        (("n=10",), "", ["Ada"]),
        (("n=10.0",), "", ["Ada"]),
        (("n!=10",), "", ["bob", "Cy", "dora"]),
        (("name~B",), "", ["bob"]),
        (("tags=x",), "", ["Ada"]),
        (("tags[*]=y", "n>1"), "", ["Ada"]),
        (("o.p>2023-12",), "", ["Ada"]),
        (("on=true",), "", ["bob"]),
        (("gone=null",), "", ["Cy"]),
        (("o.p!=2024-01-02",), "", ["bob", "Cy", "dora"]),
        ((), "n", ["Cy", "bob", "Ada", "dora"]),
        ((), "-n", ["dora", "Ada", "bob", "Cy"]),
        ((), "name", ["Ada", "Cy", "bob", "dora"]),
        ((), "o.p", ["bob", "Ada", "Cy", "dora"]),
        ((), "-o.p", ["Ada", "bob", "Cy", "dora"]),
        (("n<11",), "-n", ["Ada", "bob", "Cy"]),
    ],
)
def test_records_are_chosen_and_ordered_by_their_fields(where: tuple[str, ...], sort: str, names: list[str]) -> None:
    for text in (json.dumps(PEOPLE), "\n".join(map(json.dumps, PEOPLE))):
        assert [mapping(record)["name"] for record in page_of(text, where=where, sort=sort)] == names


def test_columns_of_a_table_are_compared_as_numbers() -> None:
    text = "id,n\na,9\nb,10\nc,\n"
    assert [mapping(one)["id"] for one in page_of(text, sort="-n")] == ["b", "a", "c"]
    assert [mapping(one)["id"] for one in page_of(text, where=("n>9",))] == ["b"]


@pytest.mark.parametrize(
    "words",
    [
        ("--where", "n"),
        ("--where", "=3"),
        ("--where", "n<=3"),
        ("--where", "n==3"),
        ("--sort", "-"),
        ("--sort", "a..b["),
        ("--limit", "-1"),
        ("--offset", "1.5"),
        ("--offset", "x"),
        ("--tokens", "0"),
        ("--as-of", "yesterday"),
        ("--as-of", "12.", "--offset", "1"),
        ("--key", "a[b"),
        ("--compact", "a,,b"),
        ("--limit", "99999999999999999999999"),
    ],
)
def test_odd_values_are_malformed(words: tuple[str, ...], tmp_path: Path) -> None:
    """X-79."""
    shell = Shell(tmp_path)
    (shell.root / "list.json").write_text("[1, 2]")
    assert error_of(shell.spill("page", "list.json", "--json", *words))["exitCode"] == 2


def big_list(path: Path, count: int) -> Path:
    with path.open("w") as file:
        file.writelines(f'{{"id": {number}, "name": "user {number}", "tags": ["a", "b"]}}\n' for number in range(count))
    return path


WRITING = """
import os, sys, time
with open(sys.argv[1], "a") as file:
    print("writing", flush=True)
    number = 0
    while True:
        file.write('{"id": "later %d"}\\n' % number)
        file.flush()
        number += 1
        time.sleep(0.001)
"""


def test_following_next_meets_every_record_once_while_others_write(tmp_path: Path) -> None:
    """DOL-08, DOL-22: all pages are of the list as it was when its first page was read."""
    shell = Shell(tmp_path)
    path = big_list(shell.root / "events.ndjson", 20_000)
    child = subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        seen: list[object] = []
        pages = followed(shell, "spill page events.ndjson --json --limit 2500", "items")
        for some in islice(pages, 40):
            seen += [record["id"] for record in some]
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()
    assert seen[:20_000] == list(range(20_000))
    assert len(set(seen)) == len(seen)
    assert len(seen) < path.read_text().count("\n")


@pytest.mark.parametrize("words", ["", "--sort -id", "--where id>7"])
def test_a_list_that_was_changed_is_not_gone_on_with_as_if_it_were_the_same(words: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for count in (100, 20_000):
        path = big_list(shell.root / "list.ndjson", count)
        first = ok(
            shell.line(f"spill page list.ndjson --json --limit 5 {words.replace('id>7', chr(39) + 'id>7' + chr(39))}")
        )
        line = str(first.envelope["next"])
        text = path.read_text()
        path.write_text(text.replace("user", "uber"))
        error = error_of(shell.line(line))
        assert (error["code"], error["exitCode"]) == ("E_LIST_CHANGED", 3)
        path.write_text(text[: len(text) // 2])
        assert error_of(shell.line(line))["code"] == "E_LIST_CHANGED"


def test_an_index_is_used_and_nothing_depends_on_it(tmp_path: Path) -> None:
    path = big_list(tmp_path / "list.ndjson", 20_000)
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    (tmp_path / "cache").mkdir()
    with path.open("rb") as file:
        source = file_source(file.fileno())
        counted: list[int] = []

        def read(start: int, end: int) -> bytes:
            counted.append(end - start)
            return source.read(start, end)

        watched = source._replace(read=read)
        first = open_list(watched, ListRequest(sort="-id", where=("id>5",)), cache)
        assert sum(counted) > source.size
        counted.clear()
        again = open_list(watched, ListRequest(sort="-id", where=("id>5",)), cache)
        assert list(again.rows(3, 9_000)) == list(first.rows(3, 9_000))
        assert sum(counted) < 1 << 19
        place = tmp_path / "cache" / "overspill" / "lists"
        assert {oct(name.stat().st_mode & 0o777) for name in place.iterdir()} == {"0o600"}
        assert oct(place.stat().st_mode & 0o777) == "0o700"
        for damage in (b"damage", b"{}\nodd", b'{"form": ["array"], "total": 1, "stamp": ""}\n'):
            for name in place.iterdir():
                name.write_bytes(damage)
            assert open_list(source, ListRequest(), cache).count() == 20_000
            assert open_list(source, ListRequest(where=("id>5",)), cache).count() == 19_994
        for name in place.iterdir():
            name.unlink()
        assert open_list(source, ListRequest(as_of=first.as_of), cache).as_of == first.as_of
        with pytest.raises(ListChanged):
            open_list(source, ListRequest(as_of=f"{source.size}.00000000"), cache)


def test_what_is_known_of_a_piped_list_is_known_of_what_was_kept(tmp_path: Path) -> None:
    shell = Shell(tmp_path, XDG_CACHE_HOME=str(tmp_path / "cache"))
    text = big_list(tmp_path / "list.ndjson", 20_000).read_text()
    for words in ((), ("--sort", "-id")):
        first = ok(shell.spill("page", "--limit", "5", "--json", *words, stdin=text))
        place = tmp_path / "cache" / "overspill" / "lists"
        known = {name: name.stat().st_mtime_ns for name in place.iterdir()}
        ok(shell.line(str(first.envelope["next"])))
        assert {name: name.stat().st_mtime_ns for name in place.iterdir()} == known


def test_a_list_that_changes_within_a_tick_of_the_clock_is_read_anew(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = big_list(shell.root / "list.ndjson", 20_000)
    before = path.stat()
    ok(shell.spill("page", "list.ndjson", "--limit", "2"))
    text = path.read_text().replace("user 0", "uber 0")
    with path.open("r+") as file:
        file.write(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    said = checked(ok(shell.spill("page", "list.ndjson", "--limit", "1", "--json")))
    assert records(said["items"])[0]["name"] == "uber 0"


def test_a_pipe_with_a_name_is_a_pipe(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(SPILL)} page <(seq 9) --limit 4 --json"],
        cwd=shell.root,
        env=shell.environ,
        capture_output=True,
        check=True,
    )
    line = str(json.loads(done.stdout)["next"])
    assert "art_" in line
    assert checked(ok(shell.line(line)))["items"] == [5, 6, 7, 8]


def test_a_file_in_another_encoding_is_decoded_first(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / "wide.csv").write_bytes("id,name\n1,Zoë\n2,Łukasz\n".encode("utf-16"))
    said = checked(ok(shell.spill("page", "wide.csv", "--limit", "1", "--json")))
    assert records(said["items"]) == [{"id": "1", "name": "Zoë"}]
    assert records(checked(ok(shell.line(str(said["next"]))))["items"]) == [{"id": "2", "name": "Łukasz"}]


@pytest.mark.parametrize(
    ("text", "place"),
    [(b'[{"a": 1}, {"a": ]]', 17), (b'{"a": 1}\n{"a": \xff}', 15), (b"[1, 2", 5), (b'["\xe4"]', 2)],
)
def test_a_fault_of_json_is_told_by_its_place_in_the_file(text: bytes, place: int) -> None:
    with pytest.raises(UsageError, match=rf"at byte {place}:"):
        list(json_elements.elements(iter([text])))


def test_a_long_piped_list_is_kept_in_flat_memory(tmp_path: Path) -> None:
    record = json.dumps({"id": 1, "text": "x" * 200}).encode() + b"\n"

    def chunks(count: int) -> Iterator[bytes]:
        for _ in range(count):
            yield record * 1_000

    small = fed("page", "--limit", "2", "--json", chunks=chunks(10), home=tmp_path)
    large = fed("page", "--limit", "2", "--json", chunks=chunks(150), home=tmp_path)
    assert json.loads(large.out)["pagination"]["total"] == 150_000
    assert "art_" in json.loads(large.out)["next"]
    assert large.megabytes < small.megabytes + 40
