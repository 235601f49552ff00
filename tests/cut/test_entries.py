"""Tables, YAML and INI are cut between their entries, by every strategy, whole or in chunks."""

from collections.abc import Callable
from itertools import product

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from truth import false_statements

from drawn import IS_TORTURE
from entry_texts import (
    assert_part_of_ini,
    assert_part_of_table,
    assert_part_of_yaml,
    ini_texts,
    rows_of,
    tables,
    yaml_streams,
)
from overspill import MemoryStore, Overspill
from overspill.clean import clean
from overspill.core.report import Fitted
from overspill.core.spans import omitted_spans
from overspill.store import ids_of

STRATEGIES = ["head", "tail", "head_tail", "line", "element", "smart"]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)
KINDS: dict[str, tuple[st.SearchStrategy[str], Callable[[str, str], None]]] = {
    "csv": (tables(), assert_part_of_table),
    "yaml": (yaml_streams(), assert_part_of_yaml),
    "ini": (ini_texts(), assert_part_of_ini),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def fit(text: str, kind: str, strategy: str, limit: int, preset: str = "spec") -> Fitted:
    settings = {"tools.truncation.artifact_threshold": 1_000_000}
    return Overspill(settings, MemoryStore(), preset=preset).fit(text, kind=kind, strategy=strategy, budget=limit)


def csv_text(rows: int, *, quoted: bool = False) -> str:
    note = '"first line\nsecond, line"' if quoted else "plain"
    return "id,name,status,note\n" + "".join(f"{n},user{n},{'ok' if n % 9 else 'bad'},{note}\n" for n in range(rows))


@every_kind
@every_strategy
@given(data=st.data(), limit=st.integers(150, 3_000), preset=st.sampled_from(["spec", "agent"]))
def test_what_is_shown_is_whole_entries_in_their_places(
    kind: str, strategy: str, data: st.DataObject, limit: int, preset: str
) -> None:
    """Promises 2, 3, 4: budget, conservation, validity."""
    texts, assert_part = KINDS[kind]
    text = data.draw(texts)
    assume(len(text) > limit)
    fitted = fit(text, kind, strategy, limit, preset)
    report = fitted.report
    assert len(fitted.text) <= limit + (240 if strategy in {"head", "tail", "line", "element"} else 0)
    assert len(fitted.text) <= len(text)
    total = report.total.chars
    gaps = list(omitted_spans(report.kept, total))
    assert sum(end - start for start, end in (*report.kept, *gaps)) == total
    assert report.shown.chars + report.omitted_chars == total
    if not report.fallback:
        assert_part(fitted.text, clean(text.encode(), "terminal" if preset == "agent" else "plain")[0])
    else:
        assert report.fallback.startswith(f"not cut as {kind}: ")


@pytest.mark.parametrize("limit", range(480, 531))
def test_statements_of_several_lines_are_comments_within_the_budget(limit: int) -> None:
    """Promise 3: what stands before each of their lines counts, too."""
    goes_on = "".join(f"c {at} = x\n  goes on\n  and on\n" for at in (3, 4, 5))
    text = "".join(f"[section {at}]\n\na 1 = 1\nb2 : two words\n{goes_on}" for at in range(8))
    assert len(fit(text, "ini", "smart", limit, "agent").text) <= limit


@every_kind
@every_strategy
@given(data=st.data(), limit=st.integers(150, 3_000), size=st.integers(1, 700))
def test_chunks_make_no_difference_and_views_are_the_same_again(
    kind: str, strategy: str, data: st.DataObject, limit: int, size: int
) -> None:
    """Promises 6 and 9."""
    text = data.draw(KINDS[kind][0])
    assume(len(text) > limit)

    def stable(fitted: Fitted) -> str:
        return fitted.text.replace(fitted.artifact_id or "-", "ID")

    settings = {"tools.truncation.artifact_threshold": 1_000_000}
    chunks = (text[at : at + size] for at in range(0, len(text), size))
    streamed = Overspill(settings, MemoryStore()).fit(chunks, kind=kind, strategy=strategy, budget=limit)
    assert stable(streamed) == stable(fit(text, kind, strategy, limit)) == stable(fit(text, kind, strategy, limit))


BIG = {
    "csv": csv_text(56_000, quoted=True),
    "yaml": "items:\n" + "".join(f"- id: {n}\n  name: item {n}\n  tags:\n    - a\n    - b{n}\n" for n in range(45_000)),
    "ini": "".join(f"[part {n}]\nname = n{n}\nlong = one\n  two\n  three\n" for n in range(52_000)),
}


# Every kind and every strategy; each with each in `make torture`.
BIG_CUTS = [("csv", "head_tail"), ("csv", "tail"), ("yaml", "smart"), ("yaml", "tail"), ("ini", "head_tail")]


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("kind", "strategy"), list(product(BIG, ["head_tail", "tail", "smart"])) if IS_TORTURE else BIG_CUTS
)
def test_a_stream_too_large_to_hold_is_cut_as_the_text_is(kind: str, strategy: str) -> None:
    """Promise 9, beyond what is held of a stream."""
    text = BIG[kind]
    assert len(text) > 2_400_000
    settings = {"tools.truncation.artifact_threshold": 1 << 29, "tools.truncation.max_artifact_size": 1 << 30}
    chunks = (text[at : at + 100_003] for at in range(0, len(text), 100_003))
    streamed, whole = (
        Overspill(settings, MemoryStore()).fit(output, kind=kind, strategy=strategy, budget=4_000)
        for output in (chunks, text)
    )
    assert whole.report.fallback == ""
    assert streamed.report.kept == whole.report.kept
    if kind == "yaml":
        assert_part_of_yaml(whole.text, text[:40_000] + text[-40_000:])
    elif kind == "ini":
        assert_part_of_ini(whole.text, text)
    else:
        assert_part_of_table(whole.text, text)


@every_strategy
def test_the_header_of_a_table_is_kept_and_rows_with_line_ends_stay_whole(strategy: str) -> None:
    for name, text in (("a.csv", csv_text(900, quoted=True)), ("a.tsv", csv_text(900).replace(",", "\t"))):
        spill = Overspill({"tools.truncation.artifact_threshold": 100_000}, MemoryStore())
        fitted = spill.fit(text, source=name, tool="read_file", strategy=strategy, budget=1_500)
        assert fitted.report.fallback == ""
        assert_part_of_table(fitted.text, text)
        assert len(rows_of(fitted.text)) > 5
        assert spill.store.read(next(iter(ids_of(spill.store)))).decode() == text


def test_smart_still_says_what_the_rows_add_up_to() -> None:
    """The statements of the digest stay; the rows below them are whole, with the header."""
    text = csv_text(5_000)
    fitted = fit(text, "csv", "smart", 2_000, "agent")
    assert "5000 rows" in fitted.text or "5,000 rows" in fitted.text
    assert_part_of_table(fitted.text, text)


def test_what_is_no_table_says_so() -> None:
    torn = 'id,note\n1,"never closed\n' + "2,x\n" * 900
    assert fit(torn, "csv", "head_tail", 500).report.fallback == "not cut as csv: its quotes do not balance"
    prose = "name,age\n" + "It was the best of times, it was the worst of times, it was the age\n" * 90
    assert "fields where the header has 2" in fit(prose, "csv", "head_tail", 500).report.fallback
    wide = "a,b\n" + ("x" * 4_000 + ",y\n") * 5
    assert "row" in fit(wide, "csv", "tail", 500).report.fallback


def test_an_entry_of_yaml_is_shown_below_what_it_stands_below() -> None:
    text = "a:\n  one: 1\nb:\n  list:\n" + "".join(
        f"    - n: {n}\n      v: |\n        x: {n}\n\n        y\n" for n in range(300)
    )
    shown = fit(text, "yaml", "tail", 600).text
    assert shown.index("b:\n") < shown.index("  list:\n") < shown.index("- n: 299")
    assert_part_of_yaml(shown, text)


@pytest.mark.parametrize("pods", [300, 3_000])
@pytest.mark.parametrize("limit", [500, 2_000, 8_000])
def test_a_long_list_of_like_things_stays_yaml_in_every_room(pods: int, limit: int) -> None:
    """Lines that tell something new stand in very many entries here, of which only few fit whole."""
    text = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"- kind: Pod\n  metadata:\n    name: pod-{n}\n    labels:\n      app: web-{n % 13}\n  spec:\n"
        f"    containers:\n    - image: registry/app:{n % 29}\n      name: c{n}\n"
        f"  status:\n    phase: {'Failed' if n % 97 == 3 else 'Running'}\n"
        for n in range(pods)
    )
    fitted = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=limit, content_type="application/yaml")
    assert fitted.report.fallback == ""
    assert yaml.safe_load(fitted.text)["kind"] == "List"
    assert len(fitted.text) <= limit


def test_a_name_that_yaml_refers_to_is_shown_before_or_not_referred_to() -> None:
    text = (
        "x: &base\n  a: 1\n" + "".join(f"k{n}: &a{n}\n  v: {n}\n" for n in range(300)) + "end:\n  <<: *a150\n  z: 1\n"
    )
    assert_part_of_yaml(fit(text, "yaml", "head_tail", 500).text, text)


@pytest.mark.parametrize("strategy", ["smart", "tail", "line"])
def test_a_document_behind_its_dashes_is_shown_whole_or_not_at_all(strategy: str) -> None:
    """A mark between the lines of a quoted text would be a part of it."""
    text = "a: 1\n" + "".join(f"--- {{n: {number}, b: 'x\n\n    y: z\n\n    '}}\n" for number in range(60))
    for limit in range(150, 900, 50):
        view = fit(text, "yaml", strategy, limit, "agent")
        if not view.report.fallback:
            assert_part_of_yaml(view.text, text)


def test_marks_in_yaml_and_ini_are_comments() -> None:
    for kind, text in (
        ("yaml", "a: 1\nb:\n" + "  - x\n" * 900),
        ("ini", "[a]\n" + "".join(f"k{n} = 1\n" for n in range(900))),
    ):
        for preset in ("spec", "agent"):
            for limit in (300, 2_000):
                for line in fit(text, kind, "head_tail", limit, preset).text.splitlines():
                    assert line.startswith("# ") or line in text.splitlines() or not line


def test_a_line_of_the_source_that_could_be_ours_is_left_out_and_nothing_is_altered() -> None:
    forged = "# ... [5 lines / 9 chars omitted] ..."
    text = "".join(f"k{n}: {n}\n{forged}\n" for n in range(300))
    shown = fit(text, "yaml", "head", 900).text
    assert "| #" not in shown
    assert forged not in shown


@pytest.mark.parametrize("strategy", ["tail", "smart"])
def test_what_a_view_of_entries_says_is_true(strategy: str) -> None:
    """Every statement is recounted from the text, every gap measured, also where they are comments."""
    for kind, whole in (("csv", csv_text(900)), ("yaml", BIG["yaml"]), ("ini", BIG["ini"])):
        text = whole[:20_000].rpartition("\n")[0] + "\n"
        for preset in ("spec", "agent"):
            assert false_statements(text, fit(text, kind, strategy, 1_500, preset).text) == []


@pytest.mark.parametrize("strategy", ["head", "tail", "head_tail", "line", "smart"])
def test_a_key_whose_entries_are_not_shown_is_not_shown_as_empty(strategy: str) -> None:
    """Promise 4, house 20: whoever reads the view as YAML would take it for a key without a value."""
    text = "kind: List\nitems:\n" + "".join(
        f"- kind: Pod\n  metadata:\n    name: pod-{at}\n  spec:\n    run: |\n      echo {at}\n" for at in range(40)
    )
    for limit in range(400, 1_000, 83):
        fitted = fit(text, "yaml", strategy, limit, "agent")
        if not fitted.report.fallback:
            assert_part_of_yaml(fitted.text, text)
            items = yaml.safe_load(fitted.text).get("items") or []
            assert all(value is not None for item in items for value in item.values())


def test_room_that_no_whole_entry_took_shows_more_entries_of_yaml() -> None:
    """STR-06: keys that matter but have no whole entry in the room leave it to entries from both ends."""
    hosts = "".join(
        f"    host{at}.example.org:\n      ip: 10.0.0.{at}\n      disk: 500\n      power: a\n      site: north\n"
        for at in range(150)
    )
    view = fit(f"all:\n  hosts:\n{hosts}", "yaml", "smart", 6_000, "agent").text
    assert len(view) > 4_000
    assert_part_of_yaml(view, f"all:\n  hosts:\n{hosts}")
