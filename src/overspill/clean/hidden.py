r"""Characters that hide or reorder text, made visible.

Bidirectional overrides and isolates make a line read otherwise than it runs; tag characters carry
text nobody sees. Both are spelled out, and so is an 8-bit introducer of a terminal sequence that
introduces none, lest it finds something to introduce. The tags inside the flags of England, Scotland and Wales are
part of an emoji, and stay.

>>> shown("safe\u202e evil")
('safe<U+202E> evil', 1)
"""

import re

TAGS_END = "\U000e007f"
BLACK_FLAG = "\U0001f3f4"


def _flag(region: str) -> str:
    return BLACK_FLAG + "".join(chr(0xE0000 + ord(letter)) for letter in region) + TAGS_END


_FLAGS = tuple(_flag(region) for region in ("gbeng", "gbsct", "gbwls"))
_LONGEST_FLAG = len(_FLAGS[0])

_HIDDEN = "\x90\x98\x9b\x9d-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f"
_FLAG_OR_HIDDEN = re.compile(f"{'|'.join(_FLAGS)}|([{_HIDDEN}])")

# The same characters as they stand in UTF-8: on bytes without ASCII this is far the quickest search.
HIDDEN_BYTES = re.compile(rb"\xc2[\x90\x98\x9b\x9d-\x9f]|\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])|\xf3\xa0[\x80\x81]")


def shown(text: str) -> tuple[str, int]:
    """`text` with every hidden character spelled out, and how many there were."""
    found = 0

    def spelled(match: re.Match[str]) -> str:
        nonlocal found
        if match[1] is None:
            return match[0]
        found += 1
        return f"<U+{ord(match[1]):04X}>"

    return _FLAG_OR_HIDDEN.sub(spelled, text), found


def settled(text: str) -> int:
    """Up to where `text` can be told; a flag that may still become one of the three begins there."""
    at = text.rfind(BLACK_FLAG, max(0, len(text) - _LONGEST_FLAG + 1))
    return at if at >= 0 and any(flag.startswith(text[at:]) for flag in _FLAGS) else len(text)
