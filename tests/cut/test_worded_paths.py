"""Lines that say before a path what became of it: a tree for every word, the rarest first."""

import random

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.changes import share_of_worded

WORDS = {
    "git status": [" M", "A ", "??", "D ", "MM"],
    "rsync": [">f+++++++++", ">f.st......", "cd+++++++++"],
    "unzip": ["  extracting:", "   inflating:", "    creating:"],
    "make": ["  CC     ", "  LD     ", "  AR     "],
}


def view_of(text: str, limit: int = 2_000) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


def listing(words: list[str], number: int = 300, seed: int = 5) -> str:
    drawn = random.Random(seed)
    weights = [40, *[6] * (len(words) - 2), 1]
    return "".join(
        f"{drawn.choices(words, weights)[0]} src/hall{at % 7}/area{at % 23}/shelf_{at}.py\n" for at in range(number)
    )


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_each_word_is_told_with_its_paths_and_the_rarest_in_full(words: list[str]) -> None:
    text = listing(words)
    view = view_of(text)
    for word in words:
        assert f'after "{word.strip()}": src/' in view
    rare = [line.split()[1] for line in text.split("\n") if line.startswith(words[-1])]
    told = view[view.index(f'after "{words[-1].strip()}"') :].split("]")[0]
    assert sum(path.rpartition("/")[2] in told for path in rare) >= len(rare) // 2
    assert false_statements(text, view) == []


@pytest.mark.parametrize("seed", range(8))
def test_what_is_said_of_paths_behind_words_is_true(seed: int) -> None:
    drawn = random.Random(seed)
    words = drawn.choice([*WORDS.values()])
    text = (
        listing(words, 60 + 50 * seed, seed) + "M src\nmany more words\nM a b/c\nA src/hall0\n\n3 src/x.py\nall well\n"
    )
    for limit in (500, 1_500, 6_000):
        assert false_statements(text, view_of(text, limit)) == []


@pytest.mark.parametrize(
    "line",
    [
        "{n} src/a{n}.py",
        "w{n} src/a{n}.py",
        "import shelf.a{n}",
        "M the src/a{n}.py",
        "key: value",
        "GET",
        "src/a{n}.py M",
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert share_of_worded([line.format(n=at) for at in range(200)]) == 0
