"""Names that end alike: what they do not share is told, and their end once."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statements import read_tree
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.values import names_by_end

ENDS = ("-py3-none-any.whl", "-cp312-cp312-manylinux_2_28_x86_64.whl", "-py2.py3-none-any.whl")


def wheels(count: int) -> list[str]:
    draw = Random(3)
    names = ["".join(draw.choices("abcdefghijklmnoprstuw", k=draw.randint(4, 11))) for _ in range(count)]
    return [
        f"{name}-{at % 9}.{at % 7}.{at % 5}{'.tar.gz' if at % 40 == 3 else ENDS[draw.choice((0, 0, 0, 1, 2))]}"
        for at, name in enumerate(names)
    ]


def told(text: str, limit: int) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def test_the_end_that_files_share_is_written_once() -> None:
    names = wheels(240)
    text = "\n".join(sorted(names)) + "\n"
    view = told(text, 6_000)
    assert view.count("-none-any.whl") < 9
    bare = [re.sub(r"-(?:cp|py)\d.*", "", name) for name in names]
    assert sum(name in view for name in bare) > 230
    assert [*false_statements(text, view)] == []
    wrong = re.sub(r"\+(\d+)\}", lambda one: f"+{int(one[1]) + 1}}}", told(text, 2_000), count=1)
    assert [*false_statements(text, wrong)] != []


def test_so_are_ends_of_what_lines_that_are_alike_say() -> None:
    text = "".join(f"Fetched ./store/{name} in {at % 7} ms\n" for at, name in enumerate(wheels(240)))
    for limit in (1_500, 4_000, 8_000):
        view = told(text, limit)
        assert "-py3-none-any.whl" in view
        assert [*false_statements(text, view)] == []
    assert sum(re.sub(r"-(?:cp|py)\d.*", "", name) in view for name in wheels(240)) > 230


NAMES = st.sets(st.text("abcdef-_.", min_size=1, max_size=6).filter(str.isalnum), min_size=12, max_size=40)


@given(
    NAMES,
    st.lists(st.sampled_from(["-one-two.tgz", "-two.tgz", ".long.end", "/deep/name.txt", ""]), min_size=1),
    st.integers(20, 900),
)
def test_every_name_is_told_once_or_counted(names: set[str], ends: list[str], room: int) -> None:
    every = [f"{name}{ends[at % len(ends)]}" for at, name in enumerate(sorted(names))]
    found = names_by_end(dict.fromkeys(every, 1), len(every))
    if found is None:
        return
    words = found.within(room)
    assert len(words) <= room or words == f"+{len(every)}"
    tree = read_tree(words)
    assert sum(one.total for one in tree) == len(every)
    named = [one.name for top in tree for one in top.walk() if one.inside is None and not one.more]
    assert len(set(named)) == len(named)
    assert {*named} <= {*every}
    for one in tree:
        if one.inside:
            assert one.total == sum(name.startswith(one.name) and name.endswith(one.tail) for name in every)


@pytest.mark.parametrize(
    "names", [["a.py", "b.py"], [f"n{at}.c" for at in range(30)], [f"{at}-{at}" for at in range(30)]]
)
def test_names_that_end_in_little_are_listed_as_they_are(names: list[str]) -> None:
    assert names_by_end(dict.fromkeys(names, 1), len(names)) is None
