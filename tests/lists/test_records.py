"""Lists of any form and length: every record comes as it was written, page by page, whatever they come in."""

import csv
import io
import json
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from children import fed
from doors_kit import Shell, mapping, ok, records
from ledger_kit import checked
from overspill.documents import json_elements
from overspill.documents.json_elements import FieldPath
from overspill.errors import UsageError
from overspill.lists import compact_record
from overspill.retrieve import records as record_lists
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
        patch.setattr(record_lists, "BLOCK_BYTES", short)
        form = record_lists.table_form(iter([text]), "x.tsv" if delimiter == "\t" else "x.csv")
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


def test_a_list_that_ends_too_early_and_a_table_that_is_not_even_say_what_they_are(shell: Shell) -> None:
    """DOL-20: an error names the next step."""
    assert "expected , or ], the text ends" in shell.spill("page", stdin="[1,2,3").err
    assert "name that ends in .csv" in shell.spill("page", stdin='a,b\n1,"x\ny"\n2\n3,4,5\n').err


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
