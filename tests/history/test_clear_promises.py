"""What holds for every conversation, in the form of every API, whatever the rules."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from conversations import FORMS, Messages, Round, results_in, rounds_of_all_kinds, texts_in_order, without_results
from overspill import MemoryStore, Overspill
from overspill.core import estimate_tokens
from overspill.history import CachePrices, Keep, clear

LINE = re.compile(r"\[cleared at turn (\d+): .*; back: get_artifact\(id=\"(art_\w+)\"\)\]")
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
Form = Callable[[Sequence[Round]], Messages]

all_rules = st.fixed_dictionaries(
    {
        "keep": st.builds(Keep, st.integers(1, 4), st.integers(1, 6), st.integers(1, 9)),
        "at_least": st.sampled_from([0, 200, 1_000, 3_000]),
        "prices": st.sampled_from([CachePrices(), CachePrices(1.0, 0.5), CachePrices(1.0, 1.0), CachePrices(2.0, 0.1)]),
        "turns_ahead": st.sampled_from([1, 5, 20, 20, 50]),
    }
)
a_case = given(rounds=rounds_of_all_kinds, rules=all_rules)
some = settings(max_examples=max(12, settings().max_examples))


def spill_of() -> Overspill:
    return Overspill(store=MemoryStore(), preset="agent")


def sent_prompts(form: Form, rounds: Sequence[Round], spill: Overspill, rules: dict[str, Any]) -> list[Messages]:
    """What is sent, request by request."""
    return [clear(form(rounds[:count]), spill=spill, **rules) for count in range(len(rounds) + 1)]


def tokens(messages: Messages) -> int:
    return sum(estimate_tokens(text) for _, text in texts_in_order(messages))


def request_cost(prompt: Messages, last: Messages, prices: CachePrices) -> float:
    """What a request costs after another: what both begin with is read from the cache, the rest is written to it."""
    cost, is_cached = 0.0, True
    before = [*texts_in_order(last)]
    for at, (is_result, text) in enumerate(texts_in_order(prompt)):
        is_cached = is_cached and at < len(before) and before[at] == (is_result, text)
        cost += estimate_tokens(text) * (prices.read if is_cached else prices.write)
    return cost


def test_most_of_these_histories_lose_something() -> None:
    """Promises about what goes are kept by a conversation from which nothing does, and say little of it."""
    lost: list[bool] = []

    @settings(max_examples=60, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    @a_case
    def collect(rounds: list[Round], rules: dict[str, Any]) -> None:
        messages = FORMS[len(lost) % len(FORMS)](rounds)
        lost.append(clear(messages, spill=spill_of(), **rules) != messages)

    collect()
    assert len(lost) >= 40
    assert sum(lost) > 0.6 * len(lost), f"{sum(lost)} of {len(lost)}"


@every_form
@some
@a_case
def test_nothing_but_results_changes_and_each_is_itself_or_one_line(
    form: Form, rounds: list[Round], rules: dict[str, Any]
) -> None:
    """Pairs of call and result stay pairs; what was handed in stays as it was."""
    messages = form(rounds)
    as_it_was = repr(messages)
    sent = clear(messages, spill=spill_of(), **rules)
    assert repr(messages) == as_it_was
    assert without_results(sent) == without_results(messages)
    for before, after in zip(results_in(messages), results_in(sent), strict=True):
        assert after == before or (LINE.fullmatch(after) and len(after) < len(before))


@every_form
@some
@a_case
def test_every_line_names_what_brings_its_result_back(form: Form, rounds: list[Round], rules: dict[str, Any]) -> None:
    spill = spill_of()
    messages = form(rounds)
    sent = clear(messages, spill=spill, **rules)
    for before, after in zip(results_in(messages), results_in(sent), strict=True):
        if line := LINE.fullmatch(after):
            assert spill.get(line[2], limit=0).text == spill.workspace.redacted_text(before) == before


@every_form
@some
@a_case
def test_the_answer_is_the_same_however_often_and_of_whatever_is_asked(
    form: Form, rounds: list[Round], rules: dict[str, Any]
) -> None:
    """Whoever hands in what came out, and what was said since, gets what they would have got from the start."""
    spill = spill_of()
    messages = form(rounds)
    from_the_start = clear(messages, spill=spill, **rules)
    assert clear(messages, spill=spill, **rules) == from_the_start
    assert clear(from_the_start, spill=spill, **rules) == from_the_start
    going_on: Messages = []
    for count in range(len(rounds) + 1):
        going_on = clear([*going_on, *form(rounds[:count])[len(going_on) :]], spill=spill, **rules)
    assert going_on == from_the_start
    other = Overspill(store=spill.store, preset="agent")  # another process that has the same store
    assert clear(messages, spill=other, **rules) == from_the_start


@every_form
@some
@a_case
def test_what_was_sent_is_sent_again_until_enough_goes_at_once_and_pays(
    form: Form, rounds: list[Round], rules: dict[str, Any]
) -> None:
    """The cost is computed here once more, request by request, as a provider would: never costlier, by no rule."""
    prompts = sent_prompts(form, rounds, spill_of(), rules)
    for number, (last, prompt) in enumerate(pairwise(prompts), start=1):
        unchanged = [*last, *form(rounds[:number])[len(last) :]]
        if prompt == unchanged:
            continue
        assert tokens(unchanged) - tokens(prompt) >= rules["at_least"]
        costs = [
            request_cost(sent, last, rules["prices"])
            + (rules["turns_ahead"] - 1) * request_cost(sent, sent, rules["prices"])
            for sent in (prompt, unchanged)
        ]
        assert costs[0] < costs[1]


@every_form
@some
@a_case
def test_the_last_turns_stay_and_errors_stay_longer(form: Form, rounds: list[Round], rules: dict[str, Any]) -> None:
    sent = clear(form(rounds), spill=spill_of(), **rules)
    after = iter(results_in(sent))
    for age, one in zip(range(len(rounds), 0, -1), rounds, strict=True):
        for told in one.told:
            result = next(after)
            stays = rules["keep"].turns
            stays = max(stays, rules["keep"].errors) if told.is_error else stays
            stays = max(stays, rules["keep"].fetched) if told.tool == "search_artifacts" else stays
            assert told.text in result or age > stays


@some
@a_case
def test_the_form_makes_no_difference(rounds: list[Round], rules: dict[str, Any]) -> None:
    rounds = [one._replace(told=tuple(told._replace(is_error=False) for told in one.told)) for one in rounds]
    rounds = [one._replace(said=one.said or "well", user="") for one in rounds if one.told]
    rules = {**rules, "prices": CachePrices(1.0, 1.0)}  # what stands around results differs by some tokens
    went = [
        [LINE.fullmatch(text) is not None for text in results_in(clear(form(rounds), spill=spill_of(), **rules))]
        for form in FORMS
    ]
    assert went[0] == went[1] == went[2]
