"""Made-up values in the shape of secrets, for tests and demonstrations.

A sample says the shape, `<A36>` for 36 letters and digits, and the value is drawn from it, the same
one every time. So no file of ours contains anything that reads as a key.
"""

import random
import re
import string

_CLASSES = {
    "A": string.ascii_letters + string.digits,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
    "E": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "K": "qpzry9x8gf2tvdw0s3jn54khce6mua7l".upper(),
}
_SLOT = re.compile(r"<([A-Z])(\d+)>|<UUID>")


def made_up_value(shape: str, seed: int = 0) -> str:
    """The shape with every slot filled: `<A36>` letters and digits, `<H32>` hex, `<UUID>`, ...

    >>> made_up_value("id-<H8>") == made_up_value("id-<H8>")
    True
    >>> len(made_up_value("id-<H8>"))
    11
    """
    draw = random.Random(f"{seed}:{shape}")  # noqa: S311  a seed makes the sample the same every time

    def fill(slot: re.Match[str]) -> str:
        if slot.group(1) is None:
            digits = "".join(draw.choices(_CLASSES["H"], k=32))
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:]))
        letters = _CLASSES[slot.group(1)]
        count = int(slot.group(2))
        # Every longer value holds a digit, a capital and a small letter, where its class has them.
        kinds = [c for c in (string.digits, string.ascii_uppercase, string.ascii_lowercase) if set(c) & set(letters)]
        forced = [draw.choice(sorted(set(kind) & set(letters))) for kind in kinds] if count >= len(kinds) else []
        body = forced + draw.choices(letters, k=count - len(forced))
        draw.shuffle(body)
        return "".join(body)

    return _SLOT.sub(fill, shape)
