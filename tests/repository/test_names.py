"""A name means one thing, and says what it gives or does."""

import house

# Adapters are called alike on purpose: each is what its framework calls such a thing.
PUBLIC_TWICE = {"ArtifactTool", "OverspillMiddleware"}

# Names that are somebody else's contract: methods of the public `Store`, a documented adapter, a command word.
PUBLIC_PARTICIPLES = {"remembered", "fitted", "done"}


def test_a_class_name_is_defined_once() -> None:
    assert set(house.class_names_twice(house.PACKAGE)) == PUBLIC_TWICE


def test_no_public_function_is_a_bare_participle() -> None:
    found = house.participles(house.PACKAGE)
    assert [place for place in found if place.rpartition(" ")[2].rpartition(".")[2] not in PUBLIC_PARTICIPLES] == []


def test_every_docstring_stands_on_its_own() -> None:
    assert house.the_same_docstrings(house.PACKAGE) == []
