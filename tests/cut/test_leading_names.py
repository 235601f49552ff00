"""Names that lines begin with are told as one list, whatever stands behind them; every count in it is counted again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth import false_statements

from overspill.cut.digest.leading_names import NameList, names_led_by
from smart_views import seen

WORDS = ("brass", "clay", "dusk", "elm", "fern", "gate")
NAMES = [
    f"{first}{sign}{last}{sign}{end}" for sign in "._" for first in WORDS for last in WORDS for end in ("on", "at")
]
FORMS = {
    "arrow": "{} => 8M => 8M\n", "option": "      --{}=#\n          It is what somebody sets.\n", "equal": "{} = 17\n",
    "metric": '{}{{device="eth0"}} 3.5e+07\n', "quoted": '{} "17";\n', "colon": "  {}: some value\n",
    "column": "{}      (No default value)\n", "whence": "{}(default) = 17\n",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_name_of_a_list_of_settings_is_told(form: str) -> None:
    """STR-06: which settings, options or metrics there are is asked before what each is set to."""
    names = [name.replace(".", "-") if form == "option" else name for name in NAMES]
    parts = [
        FORMS[form].format(name) + ("\nAnd of another sort:\n" if at % 9 == 0 else "") for at, name in enumerate(names)
    ]
    text = "Usage of all that there is\n" + "".join(parts)
    fitted = seen(text, 2_500)
    assert f"[{len(NAMES)} {'fields' if form == 'equal' else 'names'}: " in fitted.text
    assert not [*false_statements(text, fitted.text, "text")]


def test_words_that_lines_of_a_log_begin_with_are_no_names() -> None:
    lines = [f"{('kernel', 'sshd', 'cron')[at % 3]}: message {at} of the day" for at in range(400)]
    assert names_led_by(lines) is None
    assert names_led_by([f"10.0.{at // 9}.{at % 9} = up" for at in range(400)]) is None


@given(st.lists(st.from_regex(r"[a-d]{2,4}([._-][a-d]{2,5}){0,3}", fullmatch=True), unique=True), st.integers(20, 900))
def test_a_list_of_names_adds_up_in_any_room(names: list[str], room: int) -> None:
    lines = NameList(names).lines(room)
    assert sum(len(line) + 1 for line in lines) <= room
    text = "".join(f"{name} = 1\n" for name in names)
    assert not [*false_statements(text, "".join(f"{line}\n" for line in lines) + text, "text")]


def test_blocks_are_named_that_are_set_apart_by_what_is_indented_below_them() -> None:
    """What a package manager says of each package: its names, once, before what is the same in all."""
    names = [f"lib{one}{two}" for one in ("brass", "clay", "dusk", "elm", "fern") for two in ("", "-dev", "core", "x")]
    text = "".join(
        f"{name}:\n  Installed: 1.{at}.2-3\n  Candidate: 1.{at}.2-3\n  Versions:\n *** 1.{at}.2-3 500\n    100 /var\n"
        for at, name in enumerate(names)
    )
    fitted = seen(text, 1_200)
    told = next(line for line in fitted.text.split("\n") if line.startswith("[20 blocks: "))
    assert all(f" {name}:" in told for name in names)
    assert not [*false_statements(text, fitted.text, "text")]
