"""Values in which signs stand among letters of both cases and digits, as generators mix them: `x7!Kq-P2z_Lw`.

Signs end words, and joints as in `-`, `_` and `.` stand in names, too. So a value is looked at with all its signs, from
the blank or quote before it to the one behind it. That it stands near a word for secrets is for those to say that ask.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.redact import names, values

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 200  # characters of a value

# What has signs that no word has between letters and digits, or joints as in names, and blanks or quotes around it; and
# what has letters of both cases and signs, or a digit and joints.
_SIGNED = compile_pattern(
    r"""(?:(?<!\S)|(?<=[\s(=:,\[{>]["'`])|(?<=[a-z]>)|(?<=\\[nrt]))"""
    r"""([A-Za-z0-9!#$%^&*?~+][A-Za-z0-9!#$%^&*?~@+=_.,;:|-]{8,40}[A-Za-z0-9!#$%^&*?~+=_-])"""
    r"""(?=["'`]?[,;.)\]}]?(?:\s|\Z)|["'`][.,;:)\]}]|</|\\[nrt])"""
)
_HAS_SIGNS = compile_pattern(
    r"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?:[^!#$%^&*?~@+=]*+[!#$%^&*?~@+=]|(?=[^0-9]*+[0-9])[^_.-]*+[_.-])"
)
_LONG = compile_pattern(r"\S{10,}+")
_SETTING = compile_pattern(r"""([A-Za-z_]{3}\w*+)[=:](?=[^\s"'`<>]*+\Z)""")  # nothing else in it
_EXPRESSION = compile_pattern(r"[0-9]{6,}|&#[0-9x]|[A-Za-z_]{3}\w*[=:]|[=:][A-Za-z_]\w{3,}$|@[\w-]+\.")
_OPERATOR = compile_pattern(r"[=+&!|]{2}")
# Words and numbers of two digits joined as symbols are.
SYMBOL = compile_pattern(r"[A-Za-z]+[0-9]{0,2}(?:_{1,2}[A-Za-z]+[0-9]{0,2}){2,}\Z")
_LETTERS = compile_pattern(r"[A-Za-z]{5,}")
MOST_OF_SIGNED, MOST_OF_UNMIXED = -8.0, -12.0  # bits; of what has no digit, or an operator of code


def signed_values(text: str, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where letters of both cases, digits and signs were mixed, and no expression, address or setting was written."""
    for written in _LONG.finditer(text, first, min(len(text), stop + LONGEST)):
        start, end = written.span()
        if start >= stop:
            return
        setting = _SETTING.match(text, start, end)  # most that have a sign are settings, whose name tells them
        if (setting is None or not names.promise(setting[1]).level) and _HAS_SIGNS.match(text, start, end):
            yield from (span for span in _signed_in(text, start, end) if span[0] < stop)


def _signed_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for word in _SIGNED.finditer(text, start, end):
        value = word[1]
        # What is known of a name, and soon told, comes first: most that have a sign are settings.
        if value.isalnum() or SYMBOL.match(value) or any(map(_is_word, _LETTERS.findall(value))):
            continue
        said = _EXPRESSION.search(value)
        if said is not None and (names.promise(said[0].rstrip("=:")).level or not values.looks_drawn(said[0])):
            continue
        if values.is_code(value):
            continue
        is_mixed = values.mixes_all(value) and _OPERATOR.search(value) is None
        most = MOST_OF_SIGNED if is_mixed else MOST_OF_UNMIXED
        if names.name_bits("".join(filter(str.isalnum, value))) < most and not values.stand_in(value):
            yield word.span(1)


_REMEMBERED = 4096
LIKE_A_NAME = 7.0  # bits
_words: dict[str, bool] = {}


def _is_word(letters: str) -> bool:
    """Whether letters are spelled like a name. Of settings, they come again and again."""
    known = _words.get(letters)
    if known is None:
        if len(_words) >= _REMEMBERED:
            _words.clear()
        known = _words[letters] = names.name_bits(letters) >= LIKE_A_NAME
    return known
