"""Documents of further forms that nobody tunes on; the facts are their headings."""

import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fourth_code import Fetch, from_debian, source_file
from recipes.held_linters import read

DOCUMENT = "document"

HEADINGS = {"pod": r"^=(?:head[1-3] +(.+?)|item +([a-z_]{2,})(?: [A-Z].*)?) *$"}
"""What a heading is in a form: one of these groups."""


def headed_run(name: str, fetch: Fetch, pattern: str, shop: Shop) -> Iterator[Item]:
    """A document; the facts are its headings."""
    path = source_file(shop, name, fetch, pattern)
    text = read(path)
    found = re.findall(HEADINGS[path.rsplit(".", 1)[-1]], text, re.MULTILINE)
    facts = [Fact("heading", ("".join(one),)) for one in found if len("".join(one)) > 2]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


FILES = {"pod-functions": (from_debian("perl-doc"), "usr/share/perl/*/pod/perlfunc.pod")}

RECIPES = {f"cat-{name}": partial(headed_run, f"cat-{name}", *where) for name, where in FILES.items()}
