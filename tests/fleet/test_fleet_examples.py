"""The manifests of examples/fleet say only what there is: variables, commands and settings of ours."""

import os
import re
import shlex
from pathlib import Path

import yaml

from overspill.cli.commands import commands
from overspill.settings import load

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
OURS = {"OVERSPILL_TENANT", "OVERSPILL_SESSION"}


def variables(value: object) -> dict[str, str]:
    """Every variable of the environment that a manifest sets."""
    found: dict[str, str] = {}
    if isinstance(value, dict):
        found |= {str(name): str(said) for name, said in value.items() if re.fullmatch(r"[A-Z][A-Z_]+", str(name))}
        if isinstance(value.get("name"), str) and ("value" in value or "valueFrom" in value):
            found[value["name"]] = str(value.get("value", ""))
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found |= variables(below)
    return found


def lines(value: object) -> list[list[str]]:
    """Every command of ours that a manifest runs."""
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), list) else []
        return own + [line for below in value.values() for line in lines(below)]
    return [line for below in value for line in lines(below)] if isinstance(value, list) else []


def test_manifests_name_settings_and_commands_that_exist(tmp_path: Path) -> None:
    words = {command.words for command in commands()}
    for name in ("kubernetes.yml", "compose.yml"):
        said = list(yaml.safe_load_all((EXAMPLES / name).read_text()))
        environ = {key: value for key, value in variables(said).items() if key.startswith("OVERSPILL_")}
        assert set(environ) >= {"OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE", *OURS}
        settings = load(str(tmp_path), environ={"HOME": str(tmp_path), **environ}, flags={}, preset="agent")
        assert settings.get("tools.truncation.artifacts.store") == "s3://agents/kept"
        assert settings.warnings == ()
        for line in lines(said):
            assert tuple(line[1:3]) in words, shlex.join(line)


def test_no_manifest_holds_a_secret() -> None:
    for path in EXAMPLES.glob("*.yml"):
        for name, value in variables(list(yaml.safe_load_all(path.read_text()))).items():
            assert not name.endswith(("SECRET_ACCESS_KEY", "KEY_ID")) or value.startswith("${"), os.fspath(path)
