"""What `smart` tells of answers that tool servers give: issues, rows of databases, structured logs, maps of dates."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from drawn import number_of
from overspill import MemoryStore, Overspill


@given(budget=st.integers(600, 4_000), width=st.integers(20, 36))
def test_dates_and_versions_are_shown_whole_or_not_at_all(budget: int, width: int) -> None:
    """`"0.14.0": "2[... 30 chars]0"` stood in views: a mark as long as what it stands for, and no date."""
    times = {f"1.{at}.0": f"2026-11-{at % 28 + 1:02}T10:11:12.{at:012}"[:width] for at in range(200)}
    document = {"name": "lids", "time": times, "notes": "a lid is a lid " * 40}
    fitted = Overspill(store=MemoryStore(), preset="agent").fit(json.dumps(document, indent=1), budget=budget)
    shown = json.loads(fitted.text)["time"]
    known = shown.items() if isinstance(shown, dict) else ()
    assert all(times[name] == value for name, value in known if not name.startswith("..."))


ISSUES = [
    {
        "id": 7_000_000 + 31 * at,
        "number": 900 - at,
        "title": f"The lid of box {at} {('falls off', 'is too heavy', 'squeaks at night')[at % 3]}",
        "user": {"login": ("ann", "bob", "cat")[at % 3], "url": f"https://forge.example/users/{at % 3}"},
        "state": "open" if at % 9 else "closed",
        "comments": at * 7 % 40,
        "body": f"It is box {at}. " + "Nobody knows why. " * 30,
        "reactions": {"url": f"https://forge.example/issues/{900 - at}/reactions", "total": at % 5},
    }
    for at in range(60)
]


@pytest.mark.parametrize("indent", [None, 1])
def test_issues_are_told_by_their_titles_and_what_each_is_fetched_by(indent: int | None) -> None:
    """They were told by an address somewhere in them: forty times the same host, and two titles of sixty."""
    text = json.dumps(ISSUES, indent=indent)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=6_000).text
    told = next(
        words for words in json.loads(shown) if isinstance(words, str) and words.startswith("[title with number")
    )
    assert sum(f'"{issue["title"]}" {issue["number"]}' in told for issue in ISSUES) >= 45
    assert shown.count("reactions") < 12
    assert false_statements(text, shown, "json") == []


@pytest.mark.parametrize("around", [False, True])
def test_rows_of_a_database_that_are_lists_are_told_by_the_places_of_their_cells(around: bool) -> None:
    """Of 800 rows it was told that there are 800, and nothing else."""
    plans = ("free", "pro", "team")
    rows = [[at, f"ann{at}@forge.example", plans[at * 7 % 3], at * 13 % 97, None] for at in range(800)]
    rows[333][2] = "banned"
    text = json.dumps({"columns": ["id", "mail", "plan", "cost", "note"], "rows": rows} if around else rows)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=2_500).text
    for words in ("[800 rows; all: .4=null]", "[.2: banned, ", "[.0: 0 .. 799]", '"banned"'):
        assert words in shown
    assert false_statements(text, shown, "json") == []
    assert false_statements(text, shown.replace("[.0: 0 .. 799]", "[.0: 0 .. 798]"), "json")


MESSAGES = (
    "request {} done in {} ms",
    "cache miss for key user:{}, shelf {}",
    "failed to shut lid {} of box {}",
    'no box "{}" on shelf {}',
    "lid squeaks",
    "r\u00e9served {} for {}",
)


@given(
    picks=st.lists(st.tuples(st.sampled_from(MESSAGES), st.integers(0, 9_999), st.integers(0, 99)), min_size=60),
    lines=st.booleans(),
    budget=st.integers(700, 4_000),
)
def test_what_many_messages_are_like_is_counted_as_it_stands_there(
    picks: list[tuple[str, int, int]], lines: bool, budget: int
) -> None:
    rows = [json.dumps({"level": 30, "msg": form.format(one, two)}) for form, one, two in picks * 3]
    text = "\n".join(rows) if lines else f"[{', '.join(rows)}]"
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=budget).text
    assert false_statements(text, shown, "ndjson" if lines else "json") == []


@pytest.mark.drawn
@pytest.mark.parametrize("number", [400, number_of(2_000, 6_000)])
def test_every_kind_of_message_of_a_structured_log_is_told_with_how_often_it_was_said(number: int) -> None:
    """Of thousands that differ in numbers nothing was told, and the same failure was shown again and again."""
    kinds = ("request GET /lids/{} done", "cache miss for key lid:{}", "job {} took long", "failed to shut lid {}")
    levels = (30, 20, 40, 50)
    at = [0 if n % 3 else 1 if n % 6 else 2 if n % 24 else 3 for n in range(number)]
    rows = [{"level": levels[k], "id": f"r-{n:x}", "msg": kinds[k].format(n * 7919)} for n, k in enumerate(at)]
    text = "\n".join(map(json.dumps, rows))
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=3_000).text
    told = next(words for words in map(json.loads, shown.split("\n")) if isinstance(words, str) and "alike" in words)
    for k in range(len(kinds)):
        assert re.search(kinds[k].format(r"\d+") + f'" {at.count(k)}[,\\]]', told)
    assert shown.count('"failed to shut') <= 5
    assert false_statements(text, shown, "ndjson") == []
    assert false_statements(text, shown.replace(f'" {at.count(0)}]', f'" {at.count(0) + 1}]'), "ndjson")


def test_nothing_is_told_of_values_beside_lists_of_others_that_is_true_of_a_part_of_them() -> None:
    """Templates of a cloud join texts: `["", ["arn:", {"Ref": "a"}, ":policy"]]` was told in two halves."""
    join = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":iam::aws:policy/Lids"]]}
    roles = {f"Role{at}": {"Type": "AWS::IAM::Role", "Properties": {"Arns": [join], "at": at}} for at in range(40)}
    text = json.dumps({"Resources": roles}, indent=1)
    for budget in (800, 2_000, 6_000):
        shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=budget).text
        assert false_statements(text, shown, "json") == []


def _told(rows: object, budget: int = 2_000) -> str:
    text = json.dumps(rows, indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=budget).text
    assert false_statements(text, shown, "json") == []
    return shown


def test_rows_in_trouble_are_called_what_tells_them_apart() -> None:
    """They were called by what all rows say: `workflow where conclusion=failure: CI`."""
    jobs = [
        {"id": at, "workflow": "CI", "conclusion": "failure" if at == 6 else "success", "name": f"test on box {at}"}
        for at in range(90)
    ]
    shown = _told(jobs)
    assert '[name where conclusion=failure: \\"test on box 6\\"]' in shown
    assert "workflow where" not in shown


def test_rows_are_named_by_their_titles_and_not_by_their_cursors() -> None:
    """Cursors differ in digits alone, but they are the first column: titles further inside were told last."""
    pulls = [
        {
            "cursor": f"Y3Vyc29yOnYyOpHO{at:04}",
            "node": {"number": 900 - at, "title": f"Mend lid {chr(97 + at % 26)}{at}"},
        }
        for at in range(60)
    ]
    pulls[7]["node"]["state"] = "CLOSED"  # type: ignore[index]
    shown = _told({"data": {"pulls": {"edges": pulls}}}, 2_500)
    assert "[node.title with node.number: " in shown
    assert shown.count("cursor") < 12


NAMES = ("harbour", "ferry", "lantern", "rope", "anchor", "tide", "gull", "keel", "mast", "oar", "sail")


def _source_line(at: int) -> str:
    one, two, three, four = (NAMES[number % 11] for number in (at, at * 3, at // 3, at * at))
    return f'     {one} = {two}.{three}("{three} {four}", {NAMES[at // 7 % 11]})\n'


def test_messages_are_told_before_the_source_that_they_speak_of() -> None:
    """Long pieces of source took the room, and of four messages two were told."""
    texts = ("Use of assert", "Weak digest for security", "Possible injection through a string", "Use of exec")
    found = [
        {
            "code": "".join(map(_source_line, range(at, at + 3))),
            "issue_text": f"{texts[at // 5 % 4]} detected. It will be removed when this is compiled to optimised code.",
            "file": f"{NAMES[at % 11]}.py",
            "rule": f"B{at // 5 % 4}",
            "line": at * 31 % 977,
            "cwe": {"id": at // 5 % 4, "link": f"https://cwe.example/{at // 5 % 4}.html"},
            "more": f"https://docs.example/rules/{at // 5 % 4}.html",
        }
        for at in range(60)
    ]
    shown = _told({"results": found}, 2_500)
    assert all(words in shown for words in texts)


def test_what_went_wrong_deep_in_a_row_is_shown_before_what_is_beside_it() -> None:
    """Of the cell that failed its source was shown, and of what it printed `[... 1 results]`."""
    lines = [f"step_{at} = lid.look(at={at}, box='tide', words='{at * 7919}')" for at in range(8)]
    trace = [f"line {at} of where it happened, with a few words" for at in range(12)]
    failed = {"kind": "error", "at": {"trace": trace, "called": "LidError", "value": "box 'tide' is open"}}
    fine = {"kind": "text", "text": "fine"}
    cells = [
        {"id": at, "kind": "code", "input": lines[: 8 if at == 17 else 2], "results": [failed if at == 17 else fine]}
        for at in range(30)
    ]
    assert "box 'tide' is open" in _told({"cells": cells}, 1_500)


def test_kinds_of_things_are_told_before_the_columns_in_which_they_stand() -> None:
    """The columns of the source were told, and of nineteen rules four."""
    found = [
        {
            "column": at * 5 % 11,
            "end": {"column": at * 7 % 12, "row": at * 31 % 97},
            "rule": f"LID{at * at % 37 * 7:03}",
            "text": f"The lid of box {at} is {('loose', 'open', 'lost')[at % 3]}, which nobody sees in house {at * 3}",
        }
        for at in range(54)
    ]
    shown = _told(found, 1_300)
    assert sum(rule in shown for rule in {str(one["rule"]) for one in found}) >= 8


def test_members_without_a_name_are_no_columns_and_are_not_passed_over_in_a_count() -> None:
    """What lay below `""` was told without that step of the way, and the names were counted without it."""
    files = {
        f"lid{at}.py": {
            "functions": {"": {"summary": {"lines": at, "kind": f"k{at % 3}"}}}
            | ({f"Lid.open{at}": {"summary": {"lines": 7, "kind": "k1"}}} if at % 2 else {}),
            "classes": {"": {"first": at}},
        }
        for at in range(30)
    }
    for budget in (700, 1_500, 3_000):
        _told({"files": files}, budget)


TOPICS = ("Tides", "Ropes", "Lamps", "Gulls", "Crews", "Bells", "Masts", "Nets", "Keels", "Buoys", "Docks", "Fog")


def notebook(cells: int) -> dict[str, object]:
    """Cells of a notebook, texts as lists of their lines; each third shows a picture."""
    found = list[dict[str, object]]()
    for at in range(cells):
        said = [
            f"## {TOPICS[at % 12]} of the harbour\n",
            "\n",
            *(f"It is {n * at} cm high there, {n}.\n" for n in range(12)),
        ]
        found.append({"cell_type": "markdown", "metadata": {}, "source": [*said, "And so on."]})
        picture = {"image/png": "".join(f"iVBOR{at * n * 7919 % 9973}wKg" for n in range(99)) + "=="}
        outputs = [{"output_type": "display_data", "data": picture, "metadata": {}}] if at % 3 == 0 else []
        lines = [f"tide{at} = draw({at})\n", f"tide{at}.show()"]
        found.append({"cell_type": "code", "execution_count": at, "outputs": outputs, "source": lines, "metadata": {}})
    return {"cells": found, "metadata": {}, "nbformat": 4}


def test_cells_of_a_notebook_are_told_by_their_headings_and_shown_without_pictures() -> None:
    """What begins with `##` was taken for no words, and halves of pictures took the room of cells."""
    text = json.dumps(notebook(12), indent=1)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=8_000).text
    json.loads(shown)
    assert all(f"## {topic} of the harbour" in shown for topic in TOPICS)
    pictures = re.findall(r'"image/png": "([^"]*)"', shown)
    assert pictures
    assert all(len(one) < 60 for one in pictures)
    assert false_statements(text, shown, "json") == []


SAID = "".join(
    " ".join(f"{TOPICS[at * step % 11][: step % 5 + 1]}{at * step}" for step in range(2 + at % 5, 11)) + "\n"
    for at in range(200)
)
GRAPH = {"entities": [{"name": f"pier-{at}", "note": f"it has {at * 7} ropes"} for at in range(150)]}


@pytest.mark.parametrize(
    ("said", "again", "shown_once"),
    [
        (SAID, {"content": SAID}, "structuredContent"),
        (json.dumps(GRAPH, indent=2), GRAPH, "content"),
        (json.dumps(GRAPH), {"result": GRAPH}, "content"),
    ],
)
def test_what_an_answer_says_twice_is_shown_once(said: str, again: dict[str, object], shown_once: str) -> None:
    """FR-034: servers give a text for those who read, and the same for those who parse; each took half of the room."""
    text = json.dumps({"content": [{"type": "text", "text": said}], "structuredContent": again})
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=6_000).text
    assert len(json.dumps(json.loads(shown)[shown_once])) < 250
    assert len(shown) > 2_500
    assert false_statements(text, shown, "json") == []


def test_members_that_have_the_keys_of_others_say_something_else_than_these() -> None:
    """`[4 keys: summary, id, given, answers]` stood in a view once for each path."""
    paths = {
        f"/piers/{{pier}}/{word}": {
            how: {
                "summary": f"{how} the {word}",
                "id": f"{word}/{how}",
                "given": [f"{n}" * 60 for n in range(9)],
                "answers": {"x": "b" * 200},
            }
            for how in ("get", "put", "post", "head", "patch", "delete")[at % 5 :][:2]
        }
        for at, word in enumerate(("ropes", "lamps", "tides", "gulls", "crews", "bells", "masts", "nets", "keels"))
    }
    text = json.dumps({"openapi": "3.0", "paths": paths}, indent=2)
    shown = Overspill(store=MemoryStore(), preset="agent").fit(text, budget=2_600).text
    json.loads(shown)
    assert shown.count("keys: summary, id") <= 1
    assert len({*re.findall(r"(?:get|put|post|head|patch|delete) the \w+", shown)}) > 13
    assert false_statements(text, shown, "json") == []


@pytest.mark.parametrize("budget", [3_000, 3_500, 5_000])
def test_what_is_told_of_rows_is_told_shorter_where_quotes_take_its_room(budget: int) -> None:
    """A view of 3,500 characters had 259: a statement that was too long by its quotes was left out."""
    shown = Overspill(store=MemoryStore(), preset="agent").fit(json.dumps(GRAPH), budget=budget).text
    assert "name with note: pier-0" in shown
    assert len(shown) > 0.7 * budget
