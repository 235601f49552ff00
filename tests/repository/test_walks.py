"""What `tools/walks.py` counts is what happened: a walk whose steps can be counted by hand, and a real one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import walks

HALL = """
from strange.kitchen import cook, Fire

def dine():
    prepare()
    cook(lambda: prepare())
    cook(prepare)
    import strange.cellar

def prepare(): ...
"""
KITCHEN = """
from collections import namedtuple

Fire = namedtuple("Fire", "heat")

def cook(then):
    stir()
    then()

def stir():
    return Fire(3)
"""


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "strange").mkdir()
    for name, text in {"__init__": "", "hall": HALL, "kitchen": KITCHEN, "cellar": "(lambda: 1)()"}.items():
        (tmp_path / "strange" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in [name for name in sys.modules if name.startswith("strange")]:
        del sys.modules[name]


@pytest.mark.usefixtures("strange")
def test_a_walk_is_counted_call_by_call() -> None:
    from importlib import import_module

    hall = import_module("strange.hall")
    figures = walks.trace(walks.Tracer("strange"), hall.dine, before=["__init__", "hall", "kitchen"])
    # dine prepare | cook stir | lambda prepare | cook stir | prepare
    assert figures == walks.Walk(
        loaded=1,
        entered=2,
        root_entered=2,
        functions=5,
        calls=9,
        cross_module=4,
        switches=4,
        revisited=2,
        reentrant=2,
        way=["hall", "kitchen"],
    )


@pytest.fixture(scope="module")
def walked() -> dict[str, walks.Walk]:
    return walks.walk_all(["show", "hook"], walks.PACKAGE)


def test_a_real_errand_is_walked_to_its_end(walked: dict[str, walks.Walk]) -> None:
    """In processes of its own, by public names: wherever modules are moved to, it finds its way."""
    found = walked["show"]
    assert 10 < found.entered <= found.loaded
    assert found.calls > found.switches > found.entered


def test_what_a_process_that_is_forked_off_does_is_counted_too(walked: dict[str, walks.Walk]) -> None:
    """The hook looks at an event in one: of the whole way only a few calls are its parent's."""
    found = walked["hook"]
    assert {"cli.hook", "agents.hooks.claude_code", "fit", "cut.render", "store.files"} <= set(found.way)
    assert found.entered <= found.loaded


def test_an_errand_that_fails_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(walks.ERRANDS, "show", walks.ERRANDS["show"]._replace(says=b"what no log says"))
    with pytest.raises(RuntimeError, match="said b'2026-"):
        walks.walk_all(["show"], walks.PACKAGE)
