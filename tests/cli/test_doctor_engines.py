"""`spill doctor`: what works here and what does not."""

import json
from pathlib import Path

import pytest

from children import fed
from overspill.cli.doctor import CHECKS, engine_version, try_redactor
from overspill.redact import Redactor, database


def test_the_engine_its_version_its_speed_and_its_cache_are_said(tmp_path: Path) -> None:
    done = fed("doctor", "--json", chunks=[], home=tmp_path)
    found = json.loads(done.out)["doctor"]
    check = found["checks"][0]
    assert (done.status, found["ok"], check["name"], check["ok"]) == (0, True, "redaction", True)
    assert check["engine"] in {"hyperscan", "re2", "python"}
    assert check["engine_version"][0].isdigit()
    assert check["megabytes_per_second"] > 0
    assert check["database_cached"] is (check["engine"] == "hyperscan")


def test_people_get_a_line_a_check(tmp_path: Path) -> None:
    done = fed("doctor", chunks=[], home=tmp_path)
    lines = done.out.decode().splitlines()
    assert lines[0].startswith("ok     redaction: ")
    assert [line.split()[0] for line in lines] == ["ok"] * len(lines)
    assert (len({line.split()[1] for line in lines}), done.err) == (len(CHECKS), b"")


@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_a_cache_that_others_could_write_is_wrong(flag: list[str], tmp_path: Path) -> None:
    place = tmp_path / "xdg_cache_home" / "overspill"
    place.mkdir(parents=True)
    place.chmod(0o777)
    done = fed("doctor", *flag, chunks=[], home=tmp_path)
    assert done.status == 1
    assert b"not cached" in done.out


@pytest.mark.parametrize("engine", ["hyperscan", "re2", "re"])
def test_every_engine_passes_the_self_test(engine: str) -> None:
    redactor = Redactor(database=database()) if engine == "hyperscan" else Redactor(use=engine)
    assert redactor.engine == engine
    speed, finds = try_redactor(redactor)
    assert finds
    assert speed > 0
    assert engine_version("python" if engine == "re" else engine)


def test_a_redactor_that_hides_nothing_fails_the_self_test() -> None:
    assert not try_redactor(Redactor(off=["github-pat", "assignment"], database=database()))[1]
