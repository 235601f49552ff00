"""Whatever a view of `smart` says of its own is true of the text that was kept: recounted by other code."""

import json
from pathlib import Path

import pytest
from truth import false_statements

from overspill import MemoryStore, Overspill

SAMPLES = Path(__file__).parents[1] / "samples" / "kinds"
FORMS = {"json": "json", "ndjson": "ndjson", "xml": "xml", "diff": "diff"}


def view_of(text: str, limit: int, preset: str) -> tuple[str, str]:
    """The view of a text, and the text that was kept of it (the view itself, if all of it fits)."""
    spill = Overspill(store=MemoryStore(), preset=preset)
    fitted = spill.fit(text, tool="run", strategy="smart", budget=limit)
    return fitted.text, spill.get(fitted.artifact_id).text if fitted.artifact_id else fitted.text


def lint_report() -> str:
    rules = ("E501 Line too long (91 > 79)", "F401 `os` imported but unused", "F841 Local variable is never used")
    return "".join(
        f"src/{'abc'[at % 3]}/part_{at % 17}.py:{at}:{at % 9 + 1}: {rules[at % 7 % 3]}\n" for at in range(1, 260)
    )


def listing() -> str:
    return "".join(f"./src/{['core', 'cut', 'store'][at % 3]}/{at % 29}/file_{at}.py\n" for at in range(400))


def log() -> str:
    lines = [f"2024-11-06 10:{at // 60:02}:{at % 60:02} INFO GET /users/{at} took {at % 13} ms\n" for at in range(500)]
    lines[321] = "2024-11-06 10:05:21 ERROR database is gone\n"
    return "".join(lines)


def records() -> str:
    return json.dumps(
        [{"id": at, "zone": "eu", "status": "failed" if at == 77 else "ok", "size": at * 3} for at in range(300)]
    )


def lines_of_json() -> str:
    return "".join(json.dumps({"at": at, "level": "error" if at == 99 else "info"}) + "\n" for at in range(300))


def elements() -> str:
    return "<all>" + "".join(f'<one kind="{"ab"[at % 2]}" at="{at}">{at * 7}</one>' for at in range(300)) + "</all>"


def matches() -> str:
    return "".join(f"lib/{'xyz'[at % 3]}/m{at % 11}.js:{at}:  const value_{at} = need(\n" for at in range(1, 300))


def failures() -> str:
    names = [f"tests/test_{'ab'[at % 2]}.py::test_case_{at}" for at in range(200)]
    rows = [f"{name} {'FAILED' if at % 9 == 4 else 'PASSED'}\n" for at, name in enumerate(names)]
    failed = names[4::9]
    return "".join(rows) + "".join(f"FAILED {name} - assert 1 == 2\n" for name in failed) + f"{len(failed)} failed\n"


def repeated() -> str:
    return (
        "begin\n" + "waiting for the lock\n" * 400 + "got it\n" + "".join(f"step {at}\n" for at in range(300)) + "end\n"
    )


def manual_page() -> str:
    says = (
        "       It keeps what is too long to be shown at once in a file\n       of its own and says where that is.\n\n"
    )
    options = "".join(f"       -{'abc'[at % 3]}, --name-{at}\n       {says}" for at in range(50))
    return f"NAME\n{says}OPTIONS\n{options}" + "".join(f"   Part, the {at // 2}th\n{says}" for at in range(50))


GENERATED = {
    "lint": (lint_report, "text"), "listing": (listing, "text"), "log": (log, "text"), "records": (records, "json"),
    "lines": (lines_of_json, "ndjson"), "elements": (elements, "xml"), "matches": (matches, "text"),
    "failures": (failures, "text"), "repeated": (repeated, "text"), "manual page": (manual_page, "text"),
}  # fmt: skip


@pytest.mark.parametrize("preset", ["spec", "agent"])
@pytest.mark.parametrize("limit", [700, 2_000, 8_000])
@pytest.mark.parametrize("name", GENERATED)
def test_what_a_view_says_of_a_made_up_output_is_true(name: str, limit: int, preset: str) -> None:
    make, form = GENERATED[name]
    view, kept = view_of(make(), limit, preset)
    assert false_statements(kept, view, form) == []


TEXTS = [path for path in sorted(SAMPLES.iterdir()) if not path.name.startswith("binary")]
"""Of bytes a rendering is shown."""


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_what_a_view_says_of_a_sample_is_true(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    for limit in (400, 1_000):
        view, kept = view_of(text, limit, "agent")
        assert false_statements(kept, view, FORMS.get(path.name.split("-")[0], "text")) == [], limit
