"""Source in languages that nobody listed: what is defined is told by what definitions of the text have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill.cut.digest.headings import listed_names, read_document
from overspill.cut.smart.learned import DefinitionDigest, learned_outline
from smart_views import seen

NAMES = [f"{first}_{last}" for first in ("brass", "clay", "dusk", "elm") for last in ("on", "at", "by", "to", "up")]
TRUE = '[20 names after "gadget": clay_{on, +4}, +15]'
FORMS = {
    "a word": ("gadget {} takes x {{\n    turn x\n    turn again\n}}\n\n", 'after "gadget"'),
    "two words": ("local gadget {}(x)\n    turn x\n    stop\nend\n\n", 'after "local gadget"'),
    "a bracket": ("(defthing {} (x)\n  (turn x)\n  (stop))\n\n", 'after "(defthing"'),
    "inside a bracket": ("(defthing ({} x)\n  (turn x)\n  (stop))\n\n", 'after "(defthing ("'),
    "joined": ("routine({} a b)\n    turn(a)\n    stop(b)\nendroutine()\n\n", 'after "routine("'),
    "a clause": ("{}(X, Y) :-\n    turn(X),\n    stop(Y).\n\n", 'before "() :-"'),
    "an arrow": ("{} <- function(x) {{\n    turn(x)\n    stop(x)\n}}\n\n", 'before "<- function"'),
    "a result": ("function y = {}(x)\n    y = turn(x);\n    stop(y);\nend\n\n", 'after "function"'),
    "a dash": ("-kind({} takes x,\n    turn x,\n    stop x).\n\n", 'after "-kind("'),
    "a remark": ("(* it turns\n   and stops *)\ngadget {} x =\n    turn x;\n    stop x\n\n", 'after "gadget"'),
    "a guard": ("{0}(X) ->\n    turn(X);\n{0}(X, Y) when X > 1,\n        Y > 2 ->\n    stop(Y).\n\n", 'before "() ->"'),
    "brackets at the margin": ("define([{}],\n[turn x\nstop x\n])# done\n\n", 'after "define(["'),
    "brackets that end a line": ("# it turns\ndefine([{}],\n[turn([x])\nstop([x])])\n\n", 'after "define(["'),
    "begin": ("gadget {};\nbegin\n    turn;\n    stop;\nend;\n\n", 'after "gadget"'),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_definition_of_an_unknown_language_is_told(form: str) -> None:
    """STR-06: which definitions there are is asked before what each does."""
    pattern, label = FORMS[form]
    text = "".join(pattern.format(name) for name in NAMES)
    fitted = seen(text, 1_200)
    assert f"[{len(NAMES)} names {label}: " in fitted.text
    assert all(last in fitted.text for last in NAMES)
    assert not [*false_statements(text, fitted.text, "text")]


def test_rules_of_a_grammar_are_told_by_names_alone() -> None:
    text = "".join(f"{name}\n    : term rest\n    | other\n    ;\n\n" for name in NAMES)
    found = learned_outline(text)
    assert found is not None
    said = "\n".join(DefinitionDigest(found.heads).statements(900))
    assert said.startswith("[20 names alone in lines: L1 brass_on, L6 brass_at, ")
    assert not [*false_statements(text, f"{said}\n{text}", "text")]


def test_what_is_called_inside_brackets_at_the_margin_is_no_definition() -> None:
    text = "".join(f"define([{name}],\n[turn([x{at}])\nask([y{at}])\n])\n\n" for at, name in enumerate(NAMES))
    found = learned_outline(text)
    assert found is not None
    assert [(head.sign, len(head.names)) for head in found.heads] == [("define([", 20)]


@pytest.mark.parametrize("remark", ["#[==[\n{}\n]==]", "/*\n{}\n*/", "=pod\n\n{}\n\n=cut", 'doc """\n{}\n"""'])
def test_a_long_manual_in_a_remark_does_not_hide_what_is_defined_below_it(remark: str) -> None:
    """STR-06: which definitions there are is asked before what each does."""
    says = ("It says what is done with {}.", "Take {} first,\n  then turn it.", "Of {} nothing\n\n  is known.")
    words = [f"{one}-{other}" for one in NAMES for other in NAMES]
    parts = (f"{one.title()}\n\n  {says[at % 3].format(one)}\n" for at, one in enumerate(words))
    manual = "\n".join(parts)
    routines = "".join(f"routine({name} a b)\n    turn(a)\n    stop(b)\nendroutine()\n\n" for name in NAMES)
    text = f"{remark.format(manual)}\n\n{routines}"
    fitted = seen(text, 2_000)
    assert '[20 names after "routine(": ' in fitted.text
    assert not [*false_statements(text, fitted.text, "text")]


def test_clauses_that_follow_each_other_are_of_one_definition() -> None:
    clause = "  op {0}(x) when x > {1} do\n    turn(x)\n    stop(x)\n  end\n\n"
    text = "plant P do\n" + "".join(clause.format(name, at) for name in NAMES for at in range(5)) + "end\n"
    found = learned_outline(text)
    assert found is not None
    assert [(head.sign, len(head.names)) for head in found.heads] == [("op", 20)]


def test_clauses_of_one_function_are_no_kind_of_definition() -> None:
    text = "".join(f"push({name}, X) ->\n    turn(X),\n    stop(X);\n" for name in NAMES[:5])
    text += "".join(f"{name}(X) ->\n    turn(X),\n    stop(X).\n\n" for name in NAMES)
    found = learned_outline(text)
    assert found is not None
    assert [(head.sign, len(head.names)) for head in found.heads] == [("() ->", 21)]


def test_lines_are_said_where_there_is_room_and_names_are_factored_where_there_is_not() -> None:
    text = "".join(FORMS["a word"][0].format(name) for name in NAMES)
    found = learned_outline(text)
    assert found is not None
    digest = DefinitionDigest(found.heads)
    assert "L6 brass_at" in "\n".join(digest.statements(600))
    assert "brass_{on, at, by, to, up}" in "\n".join(digest.statements(200))


def test_what_is_defined_further_right_is_told_and_what_is_done_there_is_not() -> None:
    method = "    op {}(x)\n        when x {{\n            turn x\n        }}\n    end\n\n"
    text = "".join(f"trait T{at}\n{''.join(method.format(f'{name}{at}') for name in NAMES[:4])}" for at in range(8))
    found = learned_outline(text)
    assert found is not None
    assert [(head.sign, len(head.names)) for head in found.heads] == [("trait", 8), ("op", 32)]


def test_the_end_of_a_definition_does_not_tell_it_again() -> None:
    text = "".join(f"routine {name}\n  call x\n  call y\nend routine {name}\n\n" for name in NAMES)
    found = learned_outline(text)
    assert found is not None
    assert [head.sign for head in found.heads] == ["routine"]


def test_what_is_brought_in_is_told_behind_what_is_defined() -> None:
    text = "".join(f"needs lib.{name}\n" for name in NAMES) + "\n"
    text += "".join(FORMS["a word"][0].format(f"{name}_x") for name in NAMES)
    said = seen(text, 2_000).text
    assert said.index('names after "gadget"') < said.index('[20 names after "needs": lib.{brass_{')


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"2024-01-01 12:00:{at % 60:02} INFO worker {at} done\n" for at in range(300)),
        "".join(f"[part{at}]\nkey{at} = {at}\nother = x\n\n" for at in range(90)),
        "".join(f"commit {at:040x}\nAuthor: A\n\n    Change {at} of it\n\n" for at in range(90)),
        "".join(
            f"The part {at} says what it does, and how\nto use it in a place that is far away.\n\n" for at in range(90)
        ),
        "".join(f"name{at}:\n  size: {at}\n  kind: pod\n" for at in range(90)),
        "".join(f"FAILED case_{at}\n    wanted 1\n    got {at}\n\n" for at in range(60)),
    ],
    ids=["log", "settings", "history", "prose", "records", "failures"],
)
def test_what_is_no_source_is_not_taken_for_it(text: str) -> None:
    assert learned_outline(text, plain=True) is None
    assert "names after" not in seen(text, 2_000).text


def test_a_reason_names_the_evidence() -> None:
    text = "".join(FORMS["a word"][0].format(name) for name in NAMES)
    whys = [one.why for one in seen(text, 1_500).cut.whys]
    assert 'brass_on whole, one of 20 names after "gadget"' in whys


@pytest.mark.parametrize(
    "said",
    [
        '[21 names after "gadget": brass_on, +20]',
        '[20 names after "gadget": brass_in, +19]',
        '[20 names after "gadget": L2 brass_on]',
        '[20 names after "widget": brass_on, +19]',
        '[20 names after "gadget": clay_{on, +3}, +16]',
    ],
)
def test_a_false_statement_of_definitions_is_found_out(said: str) -> None:
    text = "".join(FORMS["a word"][0].format(name) for name in NAMES)
    assert [*false_statements(text, f"{said}\n{text}", "text")]
    assert not [*false_statements(text, f"{TRUE}\n{text}", "text")]


@given(st.lists(st.sampled_from(["gadget {}", "    turn {}", "", "# {}", "}} end", "op {} = (", "set({}"])))
def test_what_is_said_of_any_lines_is_true(forms: list[str]) -> None:
    text = "".join(f"{form.format(f'n{at // 2}')}\n" for at, form in enumerate(forms))
    found = learned_outline(text)
    said = DefinitionDigest(found.heads).statements(400) if found else ()
    assert not [*false_statements(text, "\n".join([*said, text]), "text")]


# ---- headings by their marks ----

TITLES = [f"{first} of {last}" for first in ("Rows", "Pages", "Signs") for last in ("brass", "clay", "dusk", "elm")]
SENTENCES = "It is said here what becomes of them, and why\nnobody needs to look for it in another place.\n"
MARKS = {
    "sign and word": "@section {}\n",
    "sign, once or more": "\n== {}\n",
    "at both ends": "***** {} *****\n",
    "in braces": "\\section{{{}}}\n",
    "closed below": "\\part{{{}%\n  \\label{{x}}%\n}}\n",
    "in quotes": '.SH "{}"\n',
    "word of a manual": "\n=head2 {}\n\n",
}


@pytest.mark.parametrize("mark", MARKS)
def test_headings_of_any_markup_are_told_by_their_marks(mark: str) -> None:
    """STR-06: what a document is about is told by all of its headings."""
    text = "".join(MARKS[mark].format(title) + SENTENCES * 3 for title in TITLES)
    fitted = seen(text, 1_400)
    assert f"[{len(TITLES)} headings: {', '.join(TITLES)}]" in fitted.text
    assert not [*false_statements(text, fitted.text, "text")]


def test_titles_come_before_entries_of_an_index() -> None:
    index = "".join(f"@cindex entry {{}} of {at}\nIt says what it is about in some more words.\n" for at in range(6))
    text = "".join(f"\n@node {title}\n{SENTENCES}{index.format(*[title] * 6)}" for title in TITLES)
    fitted = seen(text, 1_400)
    assert all(title in fitted.text for title in TITLES)
    assert not [*false_statements(text, fitted.text, "text")]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"- point {at} of it is that it goes on and on\n" for at in range(90)),
        "".join(f".globl f{at}\n.type f{at}\nmov a, b\nmov c, d\nret\n" for at in range(90)),
        "".join(f"> {SENTENCES}\n" for _ in range(40)),
    ],
    ids=["bullets", "assembly", "quotes"],
)
def test_marks_of_other_things_are_no_headings(text: str) -> None:
    assert " headings: " not in seen(text, 1_400).text


def test_a_bullet_with_a_name_and_what_explains_it_is_a_term() -> None:
    part = "- {}  Who has it, and who may look at it and\n         change it in any way.\n        type: str\n\n"
    lines = "".join(part.format(name) for name in NAMES).split("\n")
    assert read_document(lines).terms == [f"- {name}" for name in NAMES]


def test_two_options_on_two_lines_are_two_terms() -> None:
    lines = ["OPTIONS", "  -q", "  --quiet", "      say", "      nothing", "  -v", "  --verbose", "      say all"]
    assert read_document(lines).terms == ["-q", "--quiet", "-v", "--verbose"]


def test_no_name_is_left_out_where_all_fit() -> None:
    said = [(1, title) for title in TITLES]
    whole = listed_names("12 headings", said, 1_000)
    assert listed_names("12 headings", said, len(whole) + 1) == whole


def test_a_variable_is_named_with_its_sign() -> None:
    text = "".join(f"${name.replace('_', '-')}-{at}: {at}px !default;\n" for at in range(6) for name in NAMES)
    fitted = seen(text, 1_400)
    assert "[120 names: $brass-{" in fitted.text
    assert not [*false_statements(text, fitted.text, "text")]


def test_blocks_that_say_the_same_but_for_numbers_are_a_report_and_define_nothing() -> None:
    """STR-06: where a solver or a monitor writes blocks for numbered things, the odd ones are what is asked for."""
    blocks = [
        f"Berth 'quay{at}'\n  status  {'Gate stuck' if at == 31 else 'OK'}\n  mode    active\n  depth   {at} m\n\n"
        for at in range(60)
    ]
    view = seen("".join(blocks), 1_200).text
    assert "names after" not in view
    assert "Gate stuck" in view


def test_a_report_whose_blocks_tell_of_failures_is_no_source_whatever_stands_below_them() -> None:
    frames = "".join(
        f'  File "shelf_{at}.py", line {at}\n    turn(x)\n  File "shelf_{at}.py", line 9\n    stop(x)\n'
        for at in (1, 2)
    )
    text = "".join(f"Failure in {name}\n{frames}\nwhen {name} turned\n" for name in NAMES)
    assert learned_outline(text, plain=True) is None
