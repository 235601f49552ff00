"""What `smart` tells of columns of long texts by how they begin: messages of commits and chats, cells of notebooks."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill

WORDS = "lid box shelf rope tide pier deck mast sail hull keel bow stern knot".split()  # noqa: SIM905  # reads best


def view(document: object, budget: int) -> str:
    """What a model sees of it, which is true."""
    text = json.dumps(document, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=budget).text
    assert false_statements(text, shown, "json") == []
    return shown


def title(at: int) -> str:
    """Another one for each, in words alone."""
    return " ".join(f"{WORDS[(at * step + step) % len(WORDS)]}" for step in (1, 3, 5, 7)) + f" {'x' * (at % 23)}"


def commit(at: int) -> dict[str, Any]:
    """As forges answer."""
    sha = f"{at * 2_654_435_761 % 2**32:08x}" * 5
    who = {"name": "Ann Other", "email": "ann@forge.example", "date": f"2026-11-{at % 28 + 1:02}T10:00:00Z"}
    return {
        "sha": sha,
        "node_id": f"C_kwDOA{sha[:20]}",
        "commit": {
            "author": who,
            "committer": who,
            "message": f"{title(at)}\n\nIt was asked for again and again, by many who sail.\n\nReviewed-by: Bob",
            "tree": {"sha": sha[::-1], "url": f"https://forge.example/trees/{sha[::-1]}"},
        },
        "url": f"https://forge.example/commits/{sha}",
        "parents": [{"sha": sha[3:] + sha[:3]}],
    }


def test_commits_are_told_by_the_first_lines_of_their_messages() -> None:
    """A page of commits was told by sixty hashes, three times over, and by three of their titles."""
    shown = view([commit(at) for at in range(60)], 8_000)
    told = next(words for words in json.loads(shown) if isinstance(words, str) and "first lines" in words)
    assert told.startswith("[commit.message, first lines: ")
    assert sum(f'"{title(at).strip()}"' in told for at in range(60)) >= 50


def test_messages_of_a_chat_are_told_by_how_they_begin() -> None:
    """Texts of more than 120 characters were not told at all."""
    rows = [
        {"user": f"u{at % 3}", "ts": f"17{at:08}.000", "text": f"{title(at)} and so on, " + "for ever and ever " * 9}
        for at in range(80)
    ]
    shown = view(rows, 5_000)
    assert "[text, first lines: " in shown
    assert sum(title(at).strip() in shown for at in range(80)) >= 25


def cells(number: int) -> list[dict[str, Any]]:
    """Of a notebook: headings, functions, and what they print; two of them fail."""
    found: list[dict[str, Any]] = []
    for at in range(number):
        failed = {
            "output_type": "error",
            "ename": "ValueError",
            "evalue": f"no {title(at)}",
            "traceback": ["\x1b[31mx"],
        }
        printed = {
            "output_type": "stream",
            "name": "stdout",
            "text": [f"epoch {n} loss 0.{n * at}\n" for n in range(9)],
        }
        found.append({"cell_type": "markdown", "source": [f"## {title(at)}\n", "\n", "We look at it here.\n"]})
        source = [f"def {WORDS[at % 14]}_{at}(df):\n", "    df = df.dropna()\n", "    return df"]
        outputs = [printed, *([failed] if at % 9 == 4 else [])]
        found.append({"cell_type": "code", "execution_count": at, "source": source, "outputs": outputs})
    return found


def test_cells_of_a_notebook_are_told_by_their_first_lines() -> None:
    """Their lines were told one by one, those that any cell has first."""
    shown = view({"cells": cells(24), "nbformat": 4}, 8_000)
    told = next(words for words in json.loads(shown)["cells"] if isinstance(words, str) and "[source, " in words)
    assert sum(f'"## {title(at).strip()}"' in told for at in range(24)) >= 20
    assert sum(f"def {WORDS[at % 14]}_{at}(df):" in told for at in range(24)) >= 20
    assert '"[outputs.text, first lines: \\"epoch 0 loss 0.0\\" 24]"' in shown


def test_first_lines_that_differ_in_numbers_alone_are_told_once() -> None:
    rows = [{"text": f"run {at} took {at * 7 % 60} seconds\n" + "and so on\n" * 9} for at in range(60)]
    rows[31]["text"] = "nothing was run\nand that is all\n"
    shown = view({"runs": rows}, 3_000)
    assert '[text, first lines alike: \\"nothing was run\\", \\"run 0 took 0 seconds\\" 59]' in shown


@pytest.mark.parametrize("wrong", [("lid_0", "lid_1"), ("first lines: ", 'first lines: "none such", ')])
def test_a_false_first_line_is_found(wrong: tuple[str, str]) -> None:
    text = json.dumps({"cells": cells(24), "nbformat": 4}, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=8_000).text
    assert wrong[0] in shown
    assert false_statements(text, shown.replace(*wrong, 1), "json")


LINES = ["a b", "  c d", "", "lid 7 is up", "x" * 130, "\u2028", "\x1b[1mz", '"q" r']
lines = st.lists(st.sampled_from(LINES), max_size=4)
in_lines = lines.map(lambda some: [f"{line}\n" for line in some])
texts: st.SearchStrategy[Any] = lines.map("\n".join) | in_lines | st.just(["a b"]) | st.just([])


@given(rows=st.lists(st.tuples(texts, st.none() | texts), min_size=8, max_size=40), budget=st.integers(300, 3_000))
def test_whatever_texts_rows_have_what_is_told_of_them_is_true(rows: list[Any], budget: int) -> None:
    view([{"n": at, "said": said, "more": more} for at, (said, more) in enumerate(rows * 3)], budget)


def test_what_rows_add_up_to_has_the_room_of_rows_that_have_none() -> None:
    """A quarter of the room was left, because no row fitted beside what was said of all."""
    rows = [commit(at) | {"files": [f"{WORDS[at % 14]}/{n}.py" for n in range(40)]} for at in range(60)]
    shown = view(rows, 2_000)
    assert len(shown) > 1_700
    assert sum(f'\\"{title(at).strip()}\\"' in shown for at in range(60)) >= 12
