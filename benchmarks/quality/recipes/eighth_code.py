"""Source code in languages that nobody tunes on: what its files declare, by patterns of their own."""

import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_linters import read

CODE = "source code"

DECLARED = {
    "cmake": r"(?im)^ *(?:function|macro) *\( *(\w+)",
    "d": r"^(?:[a-z@]+ )*(?:class|struct|enum|template|interface|union|alias) (\w+)",
    "m4": r"^(?:m4_defun|AC_DEFUN|AU_DEFUN|AC_DEFUN_ONCE|m4_define|m4_defun_once)\(\[(\w+)\]",
    "rkt": r"^\(define(?:-\w+)* \(?\(?([^\s()]+)",
}
"""The names that a file of each language declares."""


def source_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A file of a package of the distribution; the facts are the names it declares."""
    text = read(os.path.join(shop.debian_package(package), path))
    names = re.findall(DECLARED[path.rsplit(".", 1)[-1]], text, re.MULTILINE)
    facts = [Fact("name", (one,)) for one in dict.fromkeys(names) if len(one) > 2]
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


RECIPES = {
    "cat-cmake-external": partial(
        source_run, "cat-cmake-external", "cmake-data", "usr/share/cmake-3.25/Modules/ExternalProject.cmake"
    ),
    "cat-m4-libtool": partial(source_run, "cat-m4-libtool", "libtool", "usr/share/aclocal/libtool.m4"),
    "cat-rkt-list": partial(source_run, "cat-rkt-list", "racket-common", "usr/share/racket/collects/racket/list.rkt"),
    "cat-d-traits": partial(
        source_run, "cat-d-traits", "libphobos2-ldc-shared-dev", "usr/lib/ldc/x86_64-linux-gnu/include/d/std/traits.d"
    ),
}
