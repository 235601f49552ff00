"""The manifests of examples/fleet say only what there is: variables, commands and settings of ours."""

import os
import re
import shlex
from pathlib import Path

import yaml

from overspill.cli.commands import commands
from overspill.settings import load

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
OURS = {"OVERSPILL_TENANT", "OVERSPILL_SESSION", "OVERSPILL_FLEET__DATABASE", "OVERSPILL_FLEET__QUOTA"}
SECRETS = ("SECRET_ACCESS_KEY", "KEY_ID", "PASSWORD", "DSN")


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


def manifest(name: str) -> list[object]:
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


def found(value: object, key: str) -> list[object]:
    """What stands under a key, wherever that is."""
    if isinstance(value, dict):
        own = [value[key]] if key in value else []
        return own + [one for below in value.values() for one in found(below, key)]
    return [one for below in value for one in found(below, key)] if isinstance(value, list) else []


def test_manifests_name_settings_and_commands_that_exist(tmp_path: Path) -> None:
    known = {command.words: command for command in commands()}
    for name in ("kubernetes.yml", "compose.yml"):
        said = manifest(name)
        environ = {key: value for key, value in variables(said).items() if key.startswith("OVERSPILL_")}
        assert set(environ) >= {"OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE", *OURS}
        settings = load(str(tmp_path), environ={"HOME": str(tmp_path), **environ}, flags={}, preset="agent")
        assert settings.get("tools.truncation.artifacts.store") == "s3://agents/kept"
        assert settings.get("fleet.database") == "env:FLEET_DSN"
        assert settings.warnings == ()
        ours = [line for line in lines(said) if line[0] == "spill"]
        for line in ours:
            options = {option.name for option in known[tuple(line[1:3])].options}
            assert {word for word in line if word.startswith("--")} <= options, shlex.join(line)
        assert ["fleet", "init", "--role", "acme_pods", "--tenant", "acme"] in [line[1:] for line in ours]


def test_pods_get_the_address_of_the_database_from_a_secret_and_not_the_owners() -> None:
    """The tables are their owner's; whoever runs agents is bound by policies."""
    for document in manifest("kubernetes.yml"):
        for container in [one for key in ("containers", "initContainers") for one in found(document, key)]:
            assert isinstance(container, list)
            (secret,) = {str(reference["name"]) for reference in found(container, "secretKeyRef")}  # type: ignore[index]
            makes_tables = any(line[1:3] == ["fleet", "init"] for line in lines(container))
            assert secret == ("overspill-owner" if makes_tables else "overspill-database")
    services = manifest("compose.yml")[0]["services"]  # type: ignore[index]
    for name, service in services.items():
        if "FLEET_DSN" in (dsn := variables(service)):
            assert dsn["FLEET_DSN"].startswith(
                "postgresql://owner:" if name.startswith("tables") else f"postgresql://{name.split('-')[1]}_pods:"
            )


def test_the_roles_of_the_compose_file_are_made_by_its_script() -> None:
    script = (EXAMPLES / "roles.sql").read_text()
    for line in lines(manifest("compose.yml")):
        if "--role" in line:
            assert f"create role {line[line.index('--role') + 1]} login" in script


def test_no_manifest_holds_a_secret() -> None:
    for path in EXAMPLES.glob("*.yml"):
        for name, value in variables(list(yaml.safe_load_all(path.read_text()))).items():
            if name.endswith(SECRETS):
                plain = value.partition("://")[2].partition("@")[0].partition(":")[2] or value
                assert plain == "" or plain.startswith("${"), (os.fspath(path), name)
