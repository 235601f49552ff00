"""What secrets are drawn from, where a rate is counted over many of them."""

import random
from collections.abc import Callable

HEX = "0123456789abcdef"
WORDS = "cobalt tomato jungle autumn hammer cherry hollow tiger fiddle forest oyster bamboo falcon pillow velvet island"
MANY = 60

Draw = Callable[[random.Random], str]


def of(letters: str, length: int) -> Draw:
    """So many of these letters."""
    return lambda draw: "".join(draw.choices(letters, k=length))
