"""A small version of `make secrets`: few values of every form, drawn anew each time."""

import secrets
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "torture"))

import secret_rates

FEW, SOME, MANY = 8, 25, 400
MOST_FORMS = 60  # with so few values a leak in a form is chance; in many forms it is not


def test_random_secrets_are_hidden_in_every_form() -> None:
    """At most 1 of 100 values in all, and no form of which more than an eighth gets through.

    A fifth of few values may be chance: of such forms more are drawn.
    """
    seed = secrets.randbits(32)
    rates = list(secret_rates.measure([], seed=seed, count=FEW))
    values, leaks = sum(rate.values for rate in rates), sum(len(rate.leaked) for rate in rates)
    assert len(rates) > MOST_FORMS
    assert leaks * 100 <= values, (seed, leaks, values)
    doubtful = [rate.form.name for rate in rates if len(rate.leaked) * 5 > rate.values]
    again = secret_rates.measure(doubtful, seed=seed + 1, count=MANY) if doubtful else ()
    assert [rate.form.name for rate in again if len(rate.leaked) * 8 > rate.values] == [], seed


def test_no_more_than_one_look_alike_in_two_hundred_is_changed() -> None:
    seed = secrets.randbits(32)
    looked_at, changed = secret_rates.look_alikes(seed, SOME)
    assert looked_at > 1_000
    assert len(changed) <= secret_rates.MOST_CHANGED * looked_at, (seed, changed)


def test_what_is_measured_can_fail() -> None:
    value = "h7Xk2pQ9dd81"
    assert secret_rates.leaked(value, f"x {value} y")
    assert secret_rates.leaked(value, value[:8])
    assert not secret_rates.leaked(value, "[REDACTED: PASSWORD]")
