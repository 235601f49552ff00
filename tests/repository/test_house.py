"""What `tools/house.py` says of a tree can be relied on: it is asked about one that fits on a screen."""

from pathlib import Path

import house
import pytest

SOURCES = {
    "__init__.py": "",
    "ground.py": '''
        """The ground."""
        LATER = "tiny.roof:entry"
        class Page: ...
        def told(): ...
        def read(): ...
    ''',
    "walls/__init__.py": '''
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from tiny.roof import Tile
        def lay():
            """The same with bricks. There is none."""
            from .bricks import brick
    ''',
    "walls/bricks.py": """
        from tiny import ground
        from tiny.walls import lay
        class Page:
            def _kept(self): ...
            def given(self): ...
            @property
            def closed_in(self): ...
            @property
            def broken(self): ...
        def redacted(): ...
        def string(): ...
        def read(): ...
    """,
    "roof.py": """
        import tiny.walls.bricks
        HOME = "tiny.roof"
        class Tile: ...
    """,
}
ORDER = ("ground", "walls", "roof", "__init__")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = tmp_path_factory.mktemp("source") / "tiny"
    for name, text in SOURCES.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.removeprefix(" " * 8) for line in text.splitlines()).strip() + "\n")
    return package


def test_imports_are_found_whenever_they_happen(tiny: Path) -> None:
    assert {str(edge): sorted(when) for edge, when in house.edges(tiny).items()} == {
        "walls -> roof": ["type"],
        "walls -> walls.bricks": ["lazy"],
        "walls.bricks -> ground": ["top"],
        "walls.bricks -> walls": ["top"],
        "roof -> walls.bricks": ["top"],
    }


def test_an_import_of_something_that_comes_later_points_upward(tiny: Path) -> None:
    assert house.upward_edges(tiny, ORDER) == ["walls -> roof"]
    assert house.upward_edges(tiny, ("roof", "walls", "ground")) == ["roof -> walls.bricks", "walls.bricks -> ground"]


def test_what_has_no_place_in_the_order_is_named(tiny: Path) -> None:
    assert house.names_without_place(tiny, ORDER) == []
    assert house.names_without_place(tiny, ("walls", "__init__")) == ["ground", "roof"]


def test_a_module_that_is_named_in_a_string_is_found_out(tiny: Path) -> None:
    assert house.named_upwards(tiny, ORDER) == ["ground -> roof"]


def test_cycles_are_told_apart_by_when_they_close(tiny: Path) -> None:
    assert house.cycles(tiny) == {
        "modules, at import": [],
        "modules, with lazy imports": [["walls", "walls.bricks"]],
        "modules, with types": [["roof", "walls", "walls.bricks"]],
        "packages of the root": [["roof", "walls"]],
        "all packages": [["roof", "walls"]],
    }


def test_a_class_name_in_two_modules_is_found_with_its_places(tiny: Path) -> None:
    assert house.class_names_twice(tiny) == {"Page": ["ground", "walls.bricks"]}


def test_bare_participles_are_public_functions_and_neither_idioms_nor_properties(tiny: Path) -> None:
    assert [place.split()[-1] for place in house.participles(tiny)] == ["told", "Page.given"]
    assert [place.split()[-1] for place in house.participles(tiny, idioms=())] == ["told", "Page.given", "redacted"]


def test_a_docstring_that_leans_on_another_is_found(tiny: Path) -> None:
    assert house.the_same_docstrings(tiny) == ["walls:4 lay"]
    assert house.is_none_wordings(tiny) == 1


def test_the_table_counts_what_is_there(tiny: Path) -> None:
    found = house.measures(tiny)
    assert (found["modules at the root"], found["modules in all"], found["packages in all"]) == (3, 5, 1)
    assert found["one-word names"] == "90.0% (9 of 10)"
    assert found["bare past participles"] == "50.0% (5 of 10)"
    assert found["definitions whose name exists elsewhere"] == "33.3% (2 of 6)"


def test_this_house_can_be_read() -> None:
    """Every import leads to a module that is there."""
    modules = house.read_modules(house.PACKAGE)
    assert {edge.target for edge in house.edges(house.PACKAGE)} <= set(modules)
    assert len(modules) > 100
