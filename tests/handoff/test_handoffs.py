"""Specification 002: what a phase is handed, in which form, and what a budget does to it."""

import inspect
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overspill import Overspill
from overspill.compat import (
    apply_context_budget,
    build_handoff_context,
    estimate_tokens,
    resolve_manifest,
    truncate_to_token_budget,
)
from overspill.core.spans import cluster
from overspill.errors import RuleError
from overspill.handoff import Handoff, Manifest, assemble, default_manifests, known_fields, manifest_of, register_field
from overspill.handoff.select import CLOSING, WIDE_STOPS
from texts import texts as strange_texts

GOLDEN = """--- RPI Context (structured handoffs from prior phases) ---
Goal: add auth

[Phase 1: discovery — completed in 312s]
Verdict: crank PASS, pre_mortem WARN
Epic: ag-123
Artifacts: plan.md, auth.go
Decisions: use JWT, rotate keys
Risks: migration downtime
Narrative: Discovery done.

"""
FULL = Handoff(
    run_id="abc123",
    phase=1,
    phase_name="discovery",
    status="completed",
    goal="add auth",
    epic_id="ag-123",
    verdicts={"pre_mortem": "WARN", "crank": "PASS"},
    artifacts_produced=["plan.md", "auth.go"],
    decisions_made=["use JWT", "rotate keys"],
    open_risks=["migration downtime"],
    narrative="Discovery done.",
    duration_seconds=312,
    completed_at="2026-03-02T12:00:00Z",
)
HEADER = "--- RPI Context (structured handoffs from prior phases) ---\n"
EVERYTHING = Manifest(phase=2)
STOPS = (". ", ".\n", "! ", "!\n", "? ", "?\n")

prose = st.lists(
    st.one_of(
        st.sampled_from(
            ["One two. ", "three", " four ", "plan.md", "Stop! ", "Why?\n", "\n\n", "世界再见", "。", "x" * 90]
        ),
        st.text(max_size=20),
    ),
    max_size=60,
).map("".join)
any_text = st.one_of(prose, strange_texts, st.text())
budgets = st.one_of(st.integers(0, 40), st.integers(0, 10_000))


def narrative_of(manifest: Manifest, narrative: str) -> str | None:
    """The narrative as it stands in the context, or None if it does not."""
    text = build_handoff_context([FULL._replace(narrative=narrative)], manifest)
    found = text.partition("\nNarrative: ")[2]
    return found.removesuffix("\n\n") if found else None


def test_what_no_text_can_hold_is_repaired_as_in_what_tools_say() -> None:
    assert narrative_of(EVERYTHING, "one\0two\ud800") == "one\u2400two\ufffd"


def test_the_text_is_the_template_byte_for_byte() -> None:
    """CAC-17: the existing format, as it was when the contract was written."""
    assert build_handoff_context([FULL], EVERYTHING) == GOLDEN
    assert build_handoff_context([FULL], EVERYTHING).encode() == GOLDEN.encode()
    assert build_handoff_context([FULL.as_mapping()], EVERYTHING) == GOLDEN


def test_a_manifest_has_four_names_in_json() -> None:
    """CAC-01."""
    said = {"phase": 2, "handoff_fields": ["goal", "epic_id"], "narrative_cap": 500, "max_tokens": 2500}
    manifest = manifest_of(json.loads(json.dumps(said)), "manifest.json")
    assert manifest == Manifest(2, ["goal", "epic_id"], 500, 2500)
    assert manifest.as_mapping() == said
    assert list(manifest.as_mapping()) == ["phase", "handoff_fields", "narrative_cap", "max_tokens"]


def test_the_fields_are_the_keys_of_a_hand_off() -> None:
    """CAC-02."""
    named = {"goal", "epic_id", "verdicts", "artifacts_produced", "decisions_made", "open_risks", "narrative"}
    assert named <= set(Handoff._fields)
    assert named <= set(known_fields())
    lines = {
        "goal": "Goal: add auth",
        "epic_id": "Epic: ag-123",
        "verdicts": "Verdict: crank PASS, pre_mortem WARN",
        "artifacts_produced": "Artifacts: plan.md, auth.go",
        "decisions_made": "Decisions: use JWT, rotate keys",
        "open_risks": "Risks: migration downtime",
    }
    for field, line in lines.items():
        text = build_handoff_context([FULL], Manifest(2, [field]))
        assert line in text
        assert not any(other in text for name, other in lines.items() if name != field)


def test_the_goal_is_the_latest_that_is_not_empty() -> None:
    """CAC-03."""
    first, second = FULL._replace(goal="old"), FULL._replace(phase=2, goal="new")
    third = FULL._replace(phase=3, goal="")
    for order in ([first, second, third], [third, second, first]):
        text = build_handoff_context(order, Manifest(4))
        assert text.startswith(HEADER + "Goal: new\n\n[Phase 1: ")
        assert text.count("Goal: ") == 1


def test_empty_fields_are_left_out() -> None:
    """CAC-04: without a goal there is no blank line for it either, and without a duration no seconds."""
    nothing = Handoff(phase=1, phase_name="discovery", status="completed")
    empty = Handoff(1, "", 1, "discovery", "completed", "", "", {}, [], [], [], "", 0, "")
    for handoff in (nothing, empty):
        assert build_handoff_context([handoff], EVERYTHING) == HEADER + "[Phase 1: discovery — completed]\n\n"
    assert "Epic" not in build_handoff_context([FULL._replace(epic_id="")], resolve_manifest(2))


@pytest.mark.parametrize(
    ("fields", "cap", "room"),
    [(["goal"], 0, None), (["goal"], 300, 300), ([], 0, 1000), (None, 0, 1000), ([], 300, 300), (None, 300, 300)],
)
@pytest.mark.parametrize("size", [1, 299, 300, 301, 999, 1000, 1001, 1_000_000])
def test_the_four_rows_of_the_narrative(fields: list[str] | None, cap: int, room: int | None, size: int) -> None:
    """CAC-05: fields and no cap leave it out; no fields and no cap are a thousand characters; a cap is a cap."""
    narrative = ("word " * (size // 5 + 1))[:size].strip() or "w"
    shown = narrative_of(Manifest(2, fields or [], cap), narrative)
    if room is None:
        assert shown is None
    elif len(narrative) <= room:
        assert shown == narrative
    else:
        assert shown is not None
        assert room * 0.8 <= len(shown) <= room
        assert shown.endswith("...")


def test_the_three_default_manifests() -> None:
    """CAC-06."""
    assert [manifest.as_mapping() for manifest in default_manifests().values()] == [
        {"phase": 1, "handoff_fields": [], "narrative_cap": 0, "max_tokens": 0},
        {
            "phase": 2,
            "handoff_fields": ["goal", "epic_id", "verdicts", "decisions_made", "open_risks"],
            "narrative_cap": 500,
            "max_tokens": 2500,
        },
        {
            "phase": 3,
            "handoff_fields": ["goal", "epic_id", "verdicts", "artifacts_produced"],
            "narrative_cap": 1000,
            "max_tokens": 2500,
        },
    ]


def test_the_default_manifests_on_a_hand_off_with_every_field() -> None:
    """CAC-06."""
    second, third = (build_handoff_context([FULL], resolve_manifest(phase)) for phase in (2, 3))
    assert second == GOLDEN.replace("Artifacts: plan.md, auth.go\n", "")
    for line in ("Decisions: use JWT, rotate keys\n", "Risks: migration downtime\n"):
        assert line not in third
    assert "Artifacts: plan.md, auth.go\nNarrative: Discovery done.\n" in third


@given(any_text)
def test_tokens_are_characters_over_four(text: str) -> None:
    """CAC-07: rounded up, so that a budget of tokens is a budget of characters."""
    assert estimate_tokens(text) == -(-len(text) // 4)
    assert estimate_tokens("") == 0


def test_the_estimate_can_be_swapped() -> None:
    """CAC-07: another counter, the same interface."""
    text, result = apply_context_budget("one two three four five", 3, counter=lambda words: len(words.split()))
    assert (text, result.original_tokens, result.truncated_tokens) == ("one two three...", 5, 3)
    exact = Overspill({"tokens.counter": "o200k"}).assemble([FULL], phase=2, max_tokens=30)
    assert exact.budget.was_truncated
    assert exact.budget.truncated_tokens <= 30


def test_a_cut_is_at_a_sentence_else_at_a_word() -> None:
    """CAC-08."""
    text = "First sentence. Second one, much longer than that"
    assert truncate_to_token_budget(text, 10) == "First sentence. ..."
    assert truncate_to_token_budget("One two three four five six seven", 6) == "One two three four..."
    assert truncate_to_token_budget("Done.\nThen more words than fit in there", 4) == "Done.\n..."


@given(any_text, budgets)
@example("a. b" * 9_000, 10_000)
@example("", 0)
def test_a_cut_is_where_a_reader_would_pause(text: str, budget: int) -> None:
    """CAC-08: at the end of a sentence if one fits, else of a word; never inside what is seen as one character."""
    cut = truncate_to_token_budget(text, budget)
    if cut == text:
        return
    kept = cut.removesuffix("...")
    assert text.startswith(kept)
    room = 4 * budget - 3
    assert len(kept) <= room
    start, end = cluster(text, len(kept))
    assert start == end or end - start > 64
    if any(stop in text[:room] for stop in STOPS):
        assert kept.endswith((*STOPS, ".\r", "!\r", "?\r", *WIDE_STOPS, *CLOSING))
    elif kept.strip() and " " in text[:room].strip() and text.isascii():
        assert text[len(kept)].isspace() or len(kept) == room


@given(any_text, st.integers(-3, 0))
def test_no_budget_is_no_limit(text: str, budget: int) -> None:
    """CAC-09, X-80."""
    assert truncate_to_token_budget(text, budget) == text
    cut, result = apply_context_budget(text, budget)
    assert (cut, result.was_truncated) == (text, False)


@given(any_text, budgets)
def test_a_budget_gives_a_text_and_what_it_did(text: str, budget: int) -> None:
    """CAC-10."""
    cut, result = apply_context_budget(text, budget)
    assert cut == truncate_to_token_budget(text, budget)
    assert result.original_tokens == estimate_tokens(text)
    assert result.budget_tokens == budget


def test_the_result_has_four_names_in_json() -> None:
    """CAC-11."""
    _, result = apply_context_budget("x" * 100, 10)
    assert result._asdict() == {
        "original_tokens": 25,
        "budget_tokens": 10,
        "truncated_tokens": 10,
        "was_truncated": True,
    }


@given(any_text, budgets)
def test_what_was_cut_is_within_the_budget(text: str, budget: int) -> None:
    """CAC-12."""
    cut, result = apply_context_budget(text, budget)
    if result.was_truncated:
        assert result.truncated_tokens == estimate_tokens(cut) <= result.budget_tokens


@given(any_text, budgets)
def test_what_was_not_cut_has_its_tokens(text: str, budget: int) -> None:
    """CAC-13, X-85: the estimate of what comes out, cut or not."""
    cut, result = apply_context_budget(text, budget)
    assert result.truncated_tokens == estimate_tokens(cut)
    if not result.was_truncated:
        assert result.truncated_tokens == result.original_tokens


@given(any_text, budgets, st.integers(0, 2_000))
def test_a_cut_is_never_longer(text: str, budget: int, cap: int) -> None:
    """CAC-14."""
    assert len(truncate_to_token_budget(text, budget)) <= len(text)
    shown = assemble([Handoff(phase=1, narrative=text)], Manifest(2, [], cap or 1000)).text
    assert len(shown) <= len(assemble([Handoff(phase=1, narrative=text)], Manifest(2, [], max(1, len(text) * 3))).text)


@given(any_text, budgets)
def test_truncated_means_changed(text: str, budget: int) -> None:
    """CAC-15."""
    cut, result = apply_context_budget(text, budget)
    assert result.was_truncated == (cut != text)


def test_fields_are_selected_and_capped_before_the_text_is_cut() -> None:
    """CAC-16: select, handoff, truncate: what is not selected takes nothing of the budget."""
    wordy = FULL._replace(narrative="n" * 5_000, decisions_made=["d" * 5_000])
    made = assemble([wordy], Manifest(2, ["goal", "epic_id"], 100, 2500))
    assert not made.budget.was_truncated
    assert made.budget.original_tokens < 80
    cut = assemble([wordy], Manifest(2, [], 100, 50))
    assert cut.budget.was_truncated
    assert cut.budget.truncated_tokens <= 50
    assert cut.text.endswith("...")


def test_a_manifest_is_resolved_by_phase_and_can_be_overridden(tmp_path: Path) -> None:
    """CAC-18: defaults, settings over them, a file over those; an unknown phase gets everything."""
    assert resolve_manifest(7) == Manifest(7, [], 0, 0)
    assert build_handoff_context([FULL], resolve_manifest(2, {2: {"handoff_fields": []}})) == GOLDEN
    settings = {"context.manifests": {2: {"max_tokens": 20}, 9: {"handoff_fields": ["goal"], "max_tokens": 10}}}
    spill = Overspill(settings, root=str(tmp_path))
    assert spill.assemble([FULL], phase=2).budget.budget_tokens == 20
    assert "Epic" not in spill.assemble([FULL], phase=9).text
    file = tmp_path / "manifest.json"
    file.write_text('{"max_tokens": 33}')
    made = spill.assemble([FULL], phase=2, manifest=str(file))
    assert made.budget.budget_tokens == 33
    assert "Artifacts" not in made.text


def test_two_and_a_half_thousand_tokens_are_a_tenth_of_a_small_window() -> None:
    """CAC-22."""
    assert all(manifest.max_tokens < 32_000 * 0.1 for manifest in default_manifests().values())


@pytest.mark.parametrize("phase", [1, 2, 3, 9])
def test_no_hand_offs_make_no_context(phase: int) -> None:
    """CAC-23."""
    assert build_handoff_context([], resolve_manifest(phase)) == ""


@given(any_text, st.integers(1, 10_000))
def test_the_dots_are_counted(text: str, budget: int) -> None:
    """X-81: the text takes four characters a token but three, and then the dots."""
    cut = truncate_to_token_budget(text, budget)
    if cut != text:
        assert cut.endswith("...")
        assert len(cut) - 3 <= 4 * budget - 3


def test_an_unbroken_word_is_cut_at_a_grapheme() -> None:
    """X-81."""
    assert truncate_to_token_budget("x" * 80, 10) == "x" * 37 + "..."
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert truncate_to_token_budget(family * 20, 10) == family * 7 + "..."
    assert truncate_to_token_budget(family * 20, 1) == "..."


def test_the_end_of_a_sentence_splits_nothing_either() -> None:
    """X-84: no line end, and no blank with an accent on it."""
    assert truncate_to_token_budget("abcdefg.\r\nmore words than fit", 3) == "abcdefg...."
    assert truncate_to_token_budget("abcdefg.\r\nmore words than fit", 4) == "abcdefg.\r\n..."
    assert truncate_to_token_budget("One. Two. \u0308and more words than fit", 4) == "One. ..."


def test_words_without_spaces_have_ends_too() -> None:
    """CAC-08: Chinese is cut between words, and katakana not inside one."""
    assert truncate_to_token_budget("世界再见" * 40, 10) == ("世界再见" * 40)[:37] + "..."
    assert truncate_to_token_budget("see: " + "世界再见" * 40, 10) == ("see: " + "世界再见" * 40)[:37] + "..."
    assert truncate_to_token_budget("日本のコンピューター" * 40, 4) == "日本のコンピューター日本の..."
    assert truncate_to_token_budget("完成了。" + "然后" * 40, 5) == "完成了。..."


def test_the_end_of_a_sentence_stays_before_the_dots() -> None:
    """X-82."""
    assert truncate_to_token_budget("First sentence. Second sentence is long.", 6) == "First sentence. ..."


def test_an_early_end_of_a_sentence_is_taken_unless_asked_otherwise() -> None:
    """X-83: literal by default; `min_keep` passes over an end that would waste too much, and plans use it."""
    text = "Hi. " + "word " * 100
    assert truncate_to_token_budget(text, 20) == "Hi. ..."
    assert len(truncate_to_token_budget(text, 20, min_keep=0.5)) > 70
    handoff = Handoff(phase=1, narrative=text)
    literal = assemble([handoff], Manifest(2, [], 4000, 60)).text
    planned = assemble(
        [handoff], manifest_of({"narrative_cap": 4000, "max_tokens": 60, "drop": "oldest_first"}, "m")
    ).text
    assert literal.endswith("Narrative: Hi. ...")
    assert planned.count("word") > 10


@pytest.mark.parametrize("stop", STOPS)
def test_what_ends_a_sentence(stop: str) -> None:
    """X-84: a full stop, exclamation or question mark before a blank or a line end, and none in a file's name."""
    text = f"See plan.md now{stop}Then open a.b.c and read on"
    assert truncate_to_token_budget(text, 9) == f"See plan.md now{stop}..."
    assert truncate_to_token_budget("Open plan.md and read it all", 5) == "Open plan.md and..."


def test_a_manifest_is_a_budget() -> None:
    """X-86: the second argument is a number or a manifest."""
    text = "word " * 100
    assert apply_context_budget(text, Manifest(max_tokens=9)) == apply_context_budget(text, 9)


def test_the_cap_alone_decides_on_the_narrative() -> None:
    """X-87: naming the field is allowed, and changes nothing."""
    for cap in (0, 50):
        named, unnamed = Manifest(2, ["goal", "narrative"], cap), Manifest(2, ["goal"], cap)
        assert build_handoff_context([FULL], named) == build_handoff_context([FULL], unnamed)


def test_the_first_phase_gets_nothing_unless_something_is_passed() -> None:
    """X-88."""
    assert build_handoff_context([], resolve_manifest(1)) == ""
    assert build_handoff_context([FULL], resolve_manifest(1)) == GOLDEN


@given(st.text(min_size=1).filter(lambda text: text.strip()), st.integers(1, 60))
def test_a_cap_includes_the_dots(narrative: str, cap: int) -> None:
    """X-89."""
    text = assemble([Handoff(phase=1, narrative=narrative.replace("\n", " ") * 3)], Manifest(2, [], cap)).text
    shown = text.partition("\nNarrative: ")[2].removesuffix("\n\n")
    assert 0 < len(shown) <= cap


def test_a_field_nobody_knows_is_an_error_that_names_those_that_are() -> None:
    """X-94: a slip of the pen would lose a field in silence; fields of one's own can be made known."""
    with pytest.raises(RuleError, match=r"m\.json: handoff_fields: no field 'gaol', did you mean 'goal'\?.*open_risks"):
        manifest_of({"handoff_fields": ["gaol"]}, "m.json")
    with pytest.raises(RuleError, match="no key 'max_token'"):
        manifest_of({"max_token": 5}, "m.json")
    register_field("planning_rules", "Rules")
    manifest = manifest_of({"handoff_fields": ["planning_rules", "goal"], "narrative_cap": 50}, "m.json")
    text = build_handoff_context([{**FULL.as_mapping(), "planning_rules": ["small steps"]}], manifest)
    assert text.endswith("\nRules: small steps\nNarrative: Discovery done.\n\n")


def test_the_order_is_the_templates_whatever_the_manifest_says() -> None:
    """X-95."""
    backwards = ["open_risks", "decisions_made", "artifacts_produced", "epic_id", "verdicts", "goal"]
    assert build_handoff_context([FULL], Manifest(2, backwards, 500)) == GOLDEN


def test_phases_come_in_their_order() -> None:
    """X-95."""
    handoffs = [FULL._replace(phase=phase) for phase in (3, 1, 2)]
    text = build_handoff_context(handoffs, Manifest(4))
    assert [text.index(f"[Phase {phase}: ") for phase in (1, 2, 3)] == sorted(
        text.index(f"[Phase {n}: ") for n in (1, 2, 3)
    )


def test_the_end_is_cut_off_by_default_and_the_oldest_goes_first_on_request() -> None:
    """X-96."""
    handoffs = [FULL._replace(phase=phase, narrative=f"Story {phase}. " * 60) for phase in range(1, 9)]
    plain = assemble(handoffs, Manifest(9, [], 0, 300))
    assert "[Phase 1: " in plain.text
    assert "[Phase 8: " not in plain.text
    planned = assemble(handoffs, manifest_of({"phase": 9, "max_tokens": 300, "drop": "oldest_first"}, "m"))
    assert "[Phase 8: " in planned.text
    assert "[Phase 1: " not in planned.text
    assert planned.budget.truncated_tokens <= 300


def test_a_missing_phase_is_said_at_the_end() -> None:
    """CAC-17: the degradation line of the template."""
    text = build_handoff_context([FULL._replace(phase=2)], Manifest(4))
    assert text.endswith(
        "\n\n⚠️ CONTEXT DEGRADATION: Phase 1 handoff was missing — context may be incomplete\n\n"
        "⚠️ CONTEXT DEGRADATION: Phase 3 handoff was missing — context may be incomplete\n\n"
    )
    assert "DEGRADATION" not in build_handoff_context([FULL], Manifest(2))
    many = build_handoff_context([FULL._replace(phase=50)], Manifest(10**9))
    assert "Phases 1-49 handoffs were missing" in many
    assert len(many) < 1_000


def test_a_hundred_phases_of_a_megabyte_are_within_the_budget() -> None:
    """CAC-12."""
    handoffs = [FULL._replace(phase=phase, narrative="It went well. " * 75_000) for phase in range(1, 4)]
    handoffs += [FULL._replace(phase=phase) for phase in range(4, 101)]
    made = assemble(handoffs, Manifest(101, [], 1_000_000, 2_500))
    assert made.budget.truncated_tokens <= 2_500
    assert made.budget.original_tokens > 700_000


def test_the_specifications_functions_say_what_they_are() -> None:
    """CAC-10."""
    for function in (apply_context_budget, build_handoff_context, resolve_manifest, truncate_to_token_budget):
        assert inspect.getdoc(function)
