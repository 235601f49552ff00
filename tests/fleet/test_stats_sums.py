"""Figures of many machines add up without telemetry: sums under a fixed list of keys, written where the user says."""

import json
from pathlib import Path

from doors_kit import Shell, mapping, ok, records
from overspill.cli.worth import SUMS
from report_kit import data_in

LOG = "".join(f"line {number} of a build that says a lot\n" for number in range(4_000))


def busy(tmp_path: Path, name: str, results: int) -> Shell:
    shell = Shell(tmp_path, name)
    for number in range(results):
        ok(shell.spill("fit", "--tool", "a_secret_tool", stdin=f"{number}\n{LOG}"))
    return shell


def test_sums_of_several_roots_are_the_sum_of_their_figures(tmp_path: Path) -> None:
    sums = []
    for name, results in (("one", 1), ("two", 3)):
        shell = busy(tmp_path, name, results)
        ok(shell.spill("stats", "--all", "--export", str(tmp_path / f"{name}.json")))
        ok(shell.spill("stats", "--all", "--export", f"file://{tmp_path}/sums"))
        sums.append(json.loads((tmp_path / f"{name}.json").read_text()))
    files = [word for name in ("one", "two") for word in ("--merge", str(tmp_path / f"{name}.json"))]
    merged = mapping(ok(shell.spill("stats", "--json", *files)).envelope["stats"])
    assert merged == {"roots": 2, **{key: sums[0][key] + sums[1][key] for key in SUMS}}
    assert merged["calls"] == merged["cut"] == 4
    both = ok(shell.spill("stats", "--merge", f"file://{tmp_path}/sums", *files)).out
    assert both.startswith("2 roots: 4 results, 4 cut")  # an export that comes twice counts once


def test_the_page_shows_a_fleet_whose_figures_are_those_of_stats(tmp_path: Path) -> None:
    for name, results in (("one", 1), ("two", 2)):
        shell = busy(tmp_path, name, results)
        ok(shell.spill("stats", "--all", "--export", f"file://{tmp_path}/sums"))
    merged = mapping(ok(shell.spill("stats", "--json", "--merge", f"file://{tmp_path}/sums")).envelope["stats"])
    ok(shell.spill("report", "--fleet", f"file://{tmp_path}/sums", "-o", str(tmp_path / "page.html")))
    data = mapping(data_in((tmp_path / "page.html").read_text()))
    fleet = mapping(data["fleet"])
    assert fleet["total"] == {key: merged[key] for key in SUMS}
    roots = records(fleet["roots"])
    assert [root["calls"] for root in roots] == [2, 1]  # what said most comes first
    assert all(set(root) == {"source", "at", *SUMS} for root in roots)
    ok(shell.spill("report", "-o", str(tmp_path / "plain.html")))
    assert "fleet" not in mapping(data_in((tmp_path / "plain.html").read_text()))
    missing = shell.spill("report", "--fleet", str(tmp_path / "none.json"), "-o", str(tmp_path / "none.html"))
    assert (missing.status, (tmp_path / "none.html").exists()) == (3, False)


def test_an_export_holds_numbers_and_no_names(tmp_path: Path) -> None:
    shell = busy(tmp_path, "a_secret_root", 1)
    said = ok(shell.spill("stats", "--all", "--export", "-")).out
    assert "secret" not in said
    fields = json.loads(said)
    assert set(fields) == {"overspill_sums", "source", "at", *SUMS}
    assert all(isinstance(fields[key], int) for key in SUMS)


def test_what_is_no_export_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('{"calls": 1}')
    said = Shell(tmp_path).spill("stats", "--merge", str(tmp_path / "odd.json"))
    assert said.status == 2
    assert "odd.json" in said.err
