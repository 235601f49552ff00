"""Histories with statistics: the titles of the commits, and the files that all of them changed."""

from random import Random

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill

VERBS = ["Mend", "Paint", "Moor", "Lift", "Turn", "Fill", "Haul", "Weigh"]
WORDS = ["it", "was", "done", "by", "hand", "because", "nobody", "else", "had", "time", "for", "this"]
THINGS = ["the lid", "a rope", "the crane", "every buoy", "the quay", "two anchors", "the old ferry", "its lamp"]


def history(count: int, body: int = 3) -> str:
    draw = Random(5)
    commits = []
    for at in range(count):
        title = f"{draw.choice(VERBS)} {draw.choice(THINGS)} of pier {at}"
        said = "".join(f"    {' '.join(draw.choices(WORDS, k=9))}\n" for _ in range(body))
        files = sorted(
            {f"src/{draw.choice('abc')}/{draw.choice(['rope', 'lid', 'crane', 'lamp'])}.py" for _ in range(2)}
        )
        stats = "".join(f" {path} | {draw.randint(1, 9)} +-\n" for path in files)
        one = f" {len(files)} files changed, {draw.randint(1, 9)} insertions(+), {draw.randint(1, 9)} deletions(-)\n"
        commits.append(
            f"commit {draw.getrandbits(160):040x}\nAuthor: Ann {at % 7} <ann@quay.example>\n"
            f"Date:   Thu Nov 19 10:{at % 60:02}:00 2026 +0000\n\n    {title}\n\n{said}\n{stats}{one}"
        )
    return "\n".join(commits)


def told(text: str, limit: int) -> str:
    return Overspill(store=MemoryStore(), preset="agent").fit(text, tool="run", strategy="smart", budget=limit).text


@pytest.mark.parametrize("limit", [2_000, 8_000])
def test_of_commits_with_statistics_titles_and_changed_files_are_told(limit: int) -> None:
    text = history(70)
    view = told(text, limit)
    assert '[70 "commit", each with its title:' in view
    assert "files changed: src/" in view
    assert "x ~2 files changed" not in view
    assert sum(f" of pier {at}" in view for at in range(70)) >= (15 if limit == 2_000 else 70)
    assert [*false_statements(text, view)] == []


def test_titles_have_the_room_that_short_statements_would_take_where_both_do_not_fit() -> None:
    """What was said together was longer than the view, so that half of it showed both ends of the text."""
    text = history(90, body=0).replace(" | ", " is ")
    view = told(text, 2_000)
    assert sum(f" of pier {at}" in view.partition("[ +")[0] for at in range(90)) >= 25
    assert [*false_statements(text, view)] == []
