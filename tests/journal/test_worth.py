"""What many calls add up to, against what the hosts would have shown by themselves."""

import pytest

from overspill.cli.worth import KEYS, Prices, Worth, WorthTable
from overspill.journal.calls import OUR_TOOLS, CallChars, CallRow

AT = "2026-11-17T08:00:00.000Z"


def row(said: int, host: int | None, shown: int, *, session: str = "ses_a", event: str = "truncate") -> CallRow:
    return CallRow(AT, session, "bash", "gemini", "/srv", event, said, host, shown, chars=CallChars(said * 4))


def test_the_net_is_what_the_host_would_have_shown_less_all_that_came() -> None:
    """P-26: shown, fetched later, and the descriptions of our own tools."""
    table = WorthTable()
    table.add(row(5_000, 5_000, 2_000)._replace(fetched=300, fetches=2))
    table.add(CallRow(AT, "ses_a", OUR_TOOLS, "gemini", event="describe", ours=900))
    total = table.total
    assert (total.said, total.host, total.shown, total.fetched, total.ours) == (5_000, 5_000, 2_000, 300, 900)
    assert (total.net, total.calls, total.cut) == (5_000 - 2_000 - 300 - 900, 1, 1)
    assert {name: worth.net for name, worth in table.groups.items()} == {"bash": 2_700, OUR_TOOLS: -900}


def test_a_net_can_be_negative() -> None:
    worth = Worth()
    worth.add(row(117_000, 560, 2_000))
    assert worth.net == -1_440


def test_calls_whose_host_is_not_known_are_in_no_net() -> None:
    worth = Worth()
    worth.add(row(5_000, None, 100))
    assert (worth.host, worth.net, worth.unknown, worth.said) == (None, None, 1, 5_000)
    worth.add(row(5_000, 5_000, 2_000))
    assert (worth.host, worth.net, worth.unknown, worth.said) == (5_000, 3_000, 1, 10_000)


def test_a_command_that_was_run_again_is_booked_as_fetched() -> None:
    """The columns add up: host - shown - fetched - ours is the net."""
    worth = Worth()
    worth.add(row(5_000, 5_000, 2_000))
    worth.add(row(5_000, 5_000, 2_000)._replace(marks=("rerun",)))
    assert (worth.host, worth.shown, worth.fetched, worth.net, worth.reruns) == (5_000, 2_000, 2_000, 1_000, 1)
    assert worth.host is not None
    assert worth.net == worth.host - worth.shown - worth.fetched - worth.ours


@pytest.mark.parametrize("by", KEYS)
def test_every_way_to_group_adds_up_to_the_total(by: str) -> None:
    table = WorthTable(by).add_all([row(10, 8, 5), row(7, 7, 7, session="ses_b", event="pass")])
    assert sum(worth.said for worth in table.groups.values()) == table.total.said == 17
    assert sum(worth.net or 0 for worth in table.groups.values()) == table.total.net == 3


def test_what_is_spared_early_is_spared_again_with_each_later_call() -> None:
    """Three calls that spare 1,000 tokens each: written three times, read again 2 + 1 + 0 times."""
    table = WorthTable().add_all([row(2_000, 2_000, 1_000) for _ in range(3)])
    assert table.total.price(Prices(3.0, 3.75, 0.3), table.calls) == pytest.approx((3_000 * 3.75 + 3_000 * 0.3) / 1e6)
    assert table.total.price(Prices(3.0), table.calls) == pytest.approx((3_000 * 3 + 3_000 * 3) / 1e6)


def test_calls_of_other_sessions_read_nothing_again() -> None:
    table = WorthTable().add_all([row(2_000, 2_000, 1_000, session=f"ses_{number}") for number in range(3)])
    assert table.total.price(Prices(3.0, 3.75, 0.3), table.calls) == pytest.approx(3_000 * 3.75 / 1e6)


def test_what_is_not_known_has_no_price() -> None:
    table = WorthTable().add_all([row(2_000, None, 1_000)])
    assert table.total.price(Prices(3.0), table.calls) is None


def test_a_rerun_costs_what_it_showed_and_says_nothing_of_a_host_that_is_not_known() -> None:
    worth = Worth()
    worth.add(row(5_000, None, 2_000))
    worth.add(row(5_000, None, 2_000)._replace(marks=("rerun",)))
    assert (worth.host, worth.fetched, worth.net) == (None, 2_000, -2_000)
