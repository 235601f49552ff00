"""`spill init` in a project that is broken, hostile or somebody else's: nothing is lost, followed or approved."""

import json
import os
import socket
import subprocess
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest

from agents_kit import AGENTS, FILES, agents, changes, files_of, init, put_theirs, tree
from doors_kit import Shell, ok
from drawn import IS_TORTURE
from overspill.agents.install import Around, Backups, plan
from overspill.agents.install.plan import ChangedMeanwhile, write_changes
from overspill.agents.install.tables import agent_called
from overspill.retrieve.tools import TOOLS

every_agent = pytest.mark.parametrize("agent", AGENTS)


BROKEN = [
    (".mcp.json", '{\n  "mcpServers": {,}\n}', "line 2, column 18"),
    (".mcp.json", '{"mcpServers": []}', "line 1, column 16"),
    (".mcp.json", "[]", "line 1, column 1"),
    (".mcp.json", '\ufeff{"mcpServers": null}', "line 1, column 17"),
    (".claude/settings.json", '{"hooks":\n [1, 2]}', "hooks must be an object (line 2, column 2)"),
    (
        ".claude/settings.json",
        '{"hooks": {"PostToolUse": {}}}',
        "PostToolUse must be a list (line 1, column 27)",
    ),
    (".codex/config.toml", "model =\n", "line 1, column 8"),
    (".codex/config.toml", 'mcp_servers = "x"\n', "no table (line 1, column 1)"),
]


@pytest.mark.parametrize(("name", "text", "said"), BROKEN)
def test_a_file_that_is_not_understood_stops_all(name: str, text: str, said: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    before = tree(shell)
    agent = "codex" if name.startswith(".codex") else "claude-code"
    for words in ([], ["--dry-run"]):
        wrong = init(shell, agent, "project", *words)
        assert (wrong.status, wrong.out) == (8, "")
        assert said in wrong.err
        assert str(path) in wrong.err
        assert "mend the file" in wrong.err
    assert tree(shell) == before
    error = init(shell, agent, "project", "--json").envelope["error"]
    assert isinstance(error, dict)
    assert error["code"] == "E_CONFIG_INVALID"
    shown = ok(shell.spill("init", agent, "--show"))
    assert "broken" in shown.out


def test_a_file_in_another_encoding_is_left_alone(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / ".mcp.json").write_bytes('{\n "ä": 1}'.encode("latin-1"))
    said = init(shell, "claude-code")
    assert (said.status, "not UTF-8 (line 2, column 3)" in said.err) == (8, True)


def test_a_file_that_is_written_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    around = Around(str(tmp_path), {"HOME": str(tmp_path)}, False, ("spill",))
    backups = Backups({"HOME": str(tmp_path)})
    settings, servers = (tmp_path / name for name in FILES["claude-code", "project"])
    put_theirs(servers)
    changes = plan.planned_changes(agent_called("claude-code"), around, backups, plan.install_change)
    servers.write_text('{"mine": "and newer"}')
    with pytest.raises(ChangedMeanwhile):
        write_changes(changes, backups, private=False)
    backups.close()
    assert servers.read_text() == '{"mine": "and newer"}'
    assert not settings.parent.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".local", ".mcp.json"]


def test_one_broken_file_of_one_agent_stops_the_others(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / "opencode.json").write_text("{")
    before = tree(shell)
    assert shell.spill("init", "claude-code", "opencode").status == 8
    assert tree(shell) == before


@every_agent
def test_a_link_stays_a_link(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    for number, path in enumerate(files_of(shell, agent, "global")):
        if path.suffix != ".js":
            target = dotfiles / f"{number}{path.suffix}"
            put_theirs(target)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(os.path.relpath(target, path.parent))
    before = tree(shell)
    said = ok(init(shell, agent, "global"))
    linked = [path for path in files_of(shell, agent, "global") if path.suffix != ".js"]
    assert ("a link to" in said.out) == bool(linked)
    for path in files_of(shell, agent, "global"):
        assert path.suffix == ".js" or path.is_symlink()
        assert "overspill" in path.read_text() or "spill hook" in path.read_text()
    ok(init(shell, agent, "global", "--uninstall"))
    assert tree(shell) == before


def outside(shell: Shell, name: str) -> Path:
    """Something of the user's that lies outside the project."""
    path = shell.home / "mine" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def link_to_a_file(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    outside(shell, "settings").write_text('{"canary": 1}' if path.suffix != ".toml" else "canary = 1\n")
    path.symlink_to(outside(shell, "settings"))


def link_to_nothing(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(outside(shell, "not there"))


def link_inside(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    (shell.root / "other").write_text("{}" if path.suffix != ".toml" else "")
    path.symlink_to(shell.root / "other")


def link_to_itself(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(path.name)


def linked_directory(shell: Shell, path: Path) -> None:
    outside(shell, "folder").mkdir()
    (shell.root / path.relative_to(shell.root).parts[0]).symlink_to(outside(shell, "folder"))


def linked_directory_to_nothing(shell: Shell, path: Path) -> None:
    (shell.root / path.relative_to(shell.root).parts[0]).symlink_to(outside(shell, "not there"))


def pipe(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def pipe_as_a_directory(shell: Shell, path: Path) -> None:
    os.mkfifo(shell.root / path.relative_to(shell.root).parts[0])


def socket_file(shell: Shell, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as one, chdir(path.parent):
        one.bind(path.name)


def much(shell: Shell, path: Path) -> None:
    del shell
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(1 << 26)


PLANTED = [
    link_to_a_file,
    link_to_nothing,
    link_inside,
    link_to_itself,
    linked_directory,
    linked_directory_to_nothing,
    pipe,
    pipe_as_a_directory,
    socket_file,
    much,
]
PLACES = [
    *(
        (plant, agent, name)
        for plant in PLANTED
        for agent, name in [("claude-code", ".mcp.json"), ("codex", ".codex/hooks.json")]
    ),
    *((link_to_a_file, agent, name) for agent in AGENTS for name in FILES[agent, "project"]),
    (linked_directory, "copilot", ".github/mcp.json"),
    (linked_directory_to_nothing, "opencode", ".opencode/plugins/overspill.js"),
    (pipe, "codex", ".codex/config.toml"),
    (pipe, "opencode", ".opencode/plugins/overspill.js"),
]


@pytest.mark.parametrize(("plant", "agent", "name"), PLACES)
def test_no_link_of_a_project_is_followed_and_no_pipe_is_opened(
    plant: Callable[[Shell, Path], None], agent: str, name: str, tmp_path: Path
) -> None:
    """Neither read nor written, in any command; and nothing else of the agent is written then."""
    shell = Shell(tmp_path)
    plant(shell, shell.root / name)
    before = tree(shell)
    for words in ([agent], [agent, "--dry-run"], [agent, "--uninstall"]):
        said = shell.spill("init", *words)
        assert (said.status, said.out) == (3, "")
        assert "nothing was changed" in said.err
    shown = ok(shell.spill("init", agent, "--show"))
    assert f"{agent} (project): broken" in shown.out
    shell.spill("doctor")
    assert tree(shell) == before


def test_a_pipe_in_the_users_settings_is_not_waited_for(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (tmp_path / ".gemini").mkdir()
    os.mkfifo(tmp_path / ".gemini" / "settings.json")
    assert init(shell, "gemini", "global").status == 3
    ok(shell.spill("init", "--show"))
    shell.spill("doctor")


def test_a_directory_that_became_a_link_is_not_tidied_through_it(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "copilot"))
    (shell.root / ".github").rename(tmp_path / "mine")
    (shell.root / ".github").symlink_to(tmp_path / "mine")
    before = tree(shell)
    assert init(shell, "copilot", "project", "--uninstall").status == 3
    assert tree(shell) == before


def test_a_project_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (tmp_path / "by").symlink_to(shell.root)
    ok(shell.line(f"spill init copilot --root {tmp_path}/by"))
    assert (shell.root / ".github" / "mcp.json").is_file()
    ok(shell.line(f"spill init copilot --root {tmp_path}/by --uninstall"))
    assert list(shell.root.iterdir()) == []


@every_agent
def test_a_read_only_file_is_left_alone_and_so_is_everything_else(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = files_of(shell, agent, "project")[-1]
    if path.suffix == ".js":  # it is all ours, in an older form
        path.parent.mkdir(parents=True)
        path.write_text(f"// Overspill for {agent_called(agent).title}: as it was once\n")
    else:
        put_theirs(path)
    path.chmod(0o444)
    before = tree(shell)
    said = init(shell, agent)
    assert (said.status, said.out) == (3, "")
    assert f"{path} is read-only; nothing was changed" in said.err
    assert tree(shell) == before


def test_something_in_the_way_of_the_second_file_undoes_the_first(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / ".opencode").write_text("a file where a directory should be")
    before = tree(shell)
    said = shell.spill("init", "gemini", "opencode")
    assert said.status == 3
    assert tree(shell) == before


def test_a_file_that_cannot_be_written_whole_leaves_nothing_behind(tmp_path: Path) -> None:
    """NFR-007: `nothing was changed` holds for the pieces of a full disk, too."""
    shell = Shell(tmp_path)
    before = tree(shell)
    said = shell.line("ulimit -f 1; spill init claude-code")
    assert said.status == 3
    assert "nothing was changed" in said.err
    assert tree(shell) == before


def test_what_is_no_plain_file_is_refused(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / ".mcp.json").mkdir()
    said = init(shell, "claude-code")
    assert said.status == 3
    assert not (shell.root / ".claude").exists()


def test_a_status_line_of_somebody_is_kept(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / ".claude" / "settings.json"
    path.parent.mkdir()
    own = {"type": "command", "command": "date"}
    path.write_text(json.dumps({"statusLine": own}))
    said = ok(init(shell, "claude-code"))
    assert "! statusLine: left alone, what stands there is not ours" in said.out
    assert json.loads(path.read_text())["statusLine"] == own


def test_a_server_of_that_name_that_is_not_ours_is_kept(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / ".mcp.json"
    own = {"mcpServers": {"overspill": {"command": "something-else"}}}
    path.write_text(json.dumps(own))
    said = ok(init(shell, "claude-code"))
    assert "! mcpServers.overspill" in said.out
    assert json.loads(path.read_text()) == own
    ok(init(shell, "claude-code", "project", "--uninstall"))
    assert json.loads(path.read_text()) == own


# Where our server and our first hook stand in the settings of an agent, and keys that decide what really runs.
STRANGE = [("env", {"PYTHONPATH": ".tools"}), ("environment", {"A": "b"}), ("cwd", "evil"), ("shell", "evil"), ("x", 1)]
SERVERS = {
    "claude-code": (".mcp.json", "mcpServers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "copilot": (".github/mcp.json", "mcpServers"),
    "opencode": ("opencode.json", "mcp"),
    "kilo": ("kilo.json", "mcp"),
    "qwen": (".qwen/settings.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
}


@pytest.mark.parametrize(("key", "value"), STRANGE)
@pytest.mark.parametrize("agent", SERVERS)
def test_a_server_with_a_key_more_than_ours_is_theirs_and_never_approved(
    agent: str, key: str, value: object, tmp_path: Path
) -> None:
    shell = Shell(tmp_path)
    name, member = SERVERS[agent]
    ok(init(shell, agent))
    path = shell.root / name
    settings = json.loads(path.read_text())
    settings[member]["overspill"][key] = value
    subprocess.run(["rm", "-rf", *shell.root.glob(".[a-z]*")], check=True)
    path.parent.mkdir(exist_ok=True)
    planted = {member: {"overspill": settings[member]["overspill"]}}
    path.write_text(json.dumps(planted))
    said = ok(init(shell, agent))
    assert f"! {member}.overspill: left alone, what stands there is not ours" in said.out
    assert f"WARNING: {path}: {member}.overspill is not equal to ours" in said.err
    assert json.loads(path.read_text()) == planted  # no trust, no hook that asks this server, nothing
    written = "".join(one.read_text() for one in shell.root.rglob("*") if one.is_file() and one != path)
    assert "enabledMcpjsonServers" not in written
    assert "mcp__overspill" not in written
    found = agents(init(shell, agent, "project", "--json"))[0]
    assert isinstance(found["warnings"], list)
    assert len(found["warnings"]) == 1
    ok(init(shell, agent, "project", "--uninstall"))
    assert json.loads(path.read_text()) == planted


@pytest.mark.parametrize(
    "form", ["{0}env = {{ A = 'b' }}\n", '{0}cwd = "evil"\n', "{0}\n[mcp_servers.overspill.env]\n"]
)
def test_a_table_with_a_key_more_than_ours_is_theirs(form: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "codex"))
    path = shell.root / ".codex" / "config.toml"
    planted = form.format(path.read_text())
    path.write_text(planted)
    assert "! mcp_servers.overspill" in ok(init(shell, "codex")).out
    assert path.read_text() == planted


def test_what_trusted_our_server_goes_when_the_server_became_somebody_elses(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "claude-code"))
    path = shell.root / ".mcp.json"
    servers = json.loads(path.read_text())
    servers["mcpServers"]["overspill"]["env"] = {"PYTHONPATH": ".tools"}
    path.write_text(json.dumps(servers))
    said = ok(init(shell, "claude-code"))
    assert "! enabledMcpjsonServers: not written, because the server that it would trust is not ours" in said.out
    settings = json.loads((shell.root / ".claude" / "settings.json").read_text())
    assert settings["enabledMcpjsonServers"] == []
    assert settings["permissions"]["allow"] == []
    assert list(settings["hooks"]) == ["SessionStart", "PreToolUse", "PostToolUse", "SessionEnd"]


@pytest.mark.drawn
@pytest.mark.parametrize("where", ["handler", "group"])
@pytest.mark.parametrize(("key", "value"), STRANGE)
@pytest.mark.parametrize(
    ("agent", "name", "event"),
    [
        ("claude-code", ".claude/settings.json", "PostToolUse"),
        ("codex", ".codex/hooks.json", "PreToolUse"),
        ("gemini", ".gemini/settings.json", "AfterTool"),
        ("copilot", ".github/hooks/overspill.json", "postToolUse"),
        ("cursor", ".cursor/hooks.json", "postToolUse"),
        ("vscode", ".github/hooks/overspill-vscode.json", "PreToolUse"),
    ],
)
def test_a_hook_with_a_key_more_than_ours_is_theirs(
    agent: str, name: str, event: str, key: str, value: object, where: str, tmp_path: Path
) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    path = shell.root / name
    settings = json.loads(path.read_text())
    group = settings["hooks"][event][0]
    (group if where == "group" or "hooks" not in group else group["hooks"][0])[key] = value
    path.write_text(json.dumps(settings))
    said = ok(init(shell, agent))
    assert f"! hooks.{event}: left alone, what stands there is not ours" in said.out
    assert "WARNING" in said.err
    assert json.loads(path.read_text()) == settings
    # It looks at every agent, at every key, and at both places.
    if IS_TORTURE or agent == "claude-code" or (where, key) == ("handler", "env"):
        assert "not equal to ours" in shell.spill("doctor").out


def test_of_two_keys_of_a_name_no_reader_is_asked_which_counts(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "claude-code"))
    path = shell.root / ".mcp.json"
    planted = path.read_text().replace('"command":', '"command": "evil", "command":')
    path.write_text(planted)
    assert "! mcpServers.overspill" in ok(init(shell, "claude-code")).out
    assert path.read_text() == planted


def test_only_our_tools_are_allowed_and_by_name(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"permissions": {"allow": ["Bash(ls)", "mcp__overspill"]}}')  # as it once was
    ok(init(shell, "claude-code"))
    allowed = ["Bash(ls)", *(f"mcp__overspill__{tool.name}" for tool in TOOLS)]
    assert json.loads(path.read_text())["permissions"]["allow"] == allowed
    path.write_text(path.read_text() + "\n")
    ok(init(shell, "claude-code", "project", "--uninstall"))
    assert json.loads(path.read_text()) == {"permissions": {"allow": ["Bash(ls)"]}}


def test_a_plugin_of_somebody_else_is_kept_and_ours_is_put_aside_when_it_was_edited(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / ".opencode" / "plugins" / "overspill.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = async () => ({})\n")
    assert "left alone" in ok(init(shell, "opencode")).out
    assert "Mine" in path.read_text()
    path.unlink()
    ok(init(shell, "opencode"))
    edited = path.read_text() + "// my own line\n"
    path.write_text(edited)
    assert changes(init(shell, "opencode", "project", "--uninstall", "--json"))["overspill.js"] == "put aside"
    assert not path.exists()
    assert Path(f"{path}.edited").read_text() == edited
