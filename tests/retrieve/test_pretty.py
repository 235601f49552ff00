"""JSON drawn on many lines for reading: the lines are those of any pretty printer, and pages add up to them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overspill.core.markers import shell_call
from overspill.errors import UsageError
from overspill.retrieve import jsonpath as drawing
from overspill.retrieve.jsonpath import pretty
from overspill.store.memory import MemoryStore
from store_kit import put

values = st.recursive(
    st.none() | st.integers(-9, 9) | st.text('a"é\n', max_size=3),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text('ab"é', max_size=2), inner, max_size=4),
    max_leaves=25,
)


@given(values, st.sampled_from([1, 20, 4096]), st.integers(1, 12), st.integers(0, 12), st.integers(0, 30))
def test_lines_and_pages_are_those_of_the_drawn_text(
    value: object, whole: int, first: int, more: int, limit: int
) -> None:
    store = MemoryStore()
    kept = put(store, json.dumps(value, ensure_ascii=False)).id
    drawn = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    wanted = "".join(drawn.splitlines(keepends=True)[first - 1 : first + more])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "WHOLE", whole)
        assert pretty(store, kept, None, 0, 0, shell_call).text == drawn
        pages = ""
        while True:
            page = pretty(store, kept, (first, first + more), limit, len(pages), shell_call)
            pages += page.text
            if not page.next:
                break
            span = f"--lines {first}-{first + more}"
            assert page.next == f"spill artifacts show {kept} --pretty {span} --offset {len(pages)}"
    assert pages == wanted


def test_records_are_drawn_one_after_the_other() -> None:
    store = MemoryStore()
    kept = put(store, '{"a":1}\n{"b":[]}\n').id
    assert pretty(store, kept, None, 0, 0, shell_call).text == '{\n  "a": 1\n}\n{\n  "b": []\n}\n'


def test_what_is_not_json_is_said_to_be_none() -> None:
    store = MemoryStore()
    with pytest.raises(UsageError, match="nothing to draw"):
        pretty(store, put(store, "plain text\n").id, None, 0, 0, shell_call)
