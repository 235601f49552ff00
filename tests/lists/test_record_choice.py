"""Which records of a list are meant, in which order, and what is known of a list that was read before."""

import json
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked, error_of, followed
from overspill.errors import ListChanged, UsageError
from overspill.retrieve.records import ListRequest, bytes_source, file_source, open_list


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
