"""`spill init`: real files, put in and taken out."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agents_kit import AGENTS, SCOPES, THEIRS, agents, base, changes, files_of, init, put_theirs, tree
from doors_kit import Shell, ok, records
from overspill.redact import extension
from overspill.redact.rules import made_up_value
from spill_process import SPILL

every_agent = pytest.mark.parametrize("agent", AGENTS)
every_place = pytest.mark.parametrize("scope", SCOPES)


@every_agent
@every_place
def test_what_is_put_in_is_found_and_goes_without_a_trace(agent: str, scope: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    before = tree(shell)
    said = ok(init(shell, agent, scope))
    assert all(path.is_file() for path in files_of(shell, agent, scope))
    assert all(str(path) in said.out for path in files_of(shell, agent, scope))
    flag = " --global" if scope == "global" else ""
    assert f"spill init {agent}{flag} --uninstall" in said.out
    assert "spill mcp proxy -- " in said.out
    found = agents(shell.spill("init", agent, "--show", "--json"))
    assert {one["scope"]: one["status"] for one in found} == {
        place: "installed" if place == scope else "not installed" for place in SCOPES
    }
    ok(init(shell, agent, scope, "--uninstall"))
    assert tree(shell) == before


def test_what_an_agent_starts_finds_the_rules_compiled(tmp_path: Path) -> None:
    """Compiling takes seconds, and agents ask their model before a server that is so late has told its tools."""
    shell = Shell(tmp_path)
    cache = tmp_path / "cache"
    shell.environ["XDG_CACHE_HOME"] = str(cache)
    ok(shell.installed("init", "claude-code", "--uninstall"))
    assert not list(cache.rglob("*.hsdb"))
    ok(shell.installed("init", "claude-code"))
    assert len(list(cache.rglob("*.hsdb"))) == (extension() is not None)


@every_agent
@every_place
def test_twice_is_once(agent: str, scope: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent, scope))
    once = tree(shell)
    assert "nothing was changed" in ok(init(shell, agent, scope)).out
    assert tree(shell) == once


@every_agent
@every_place
def test_settings_of_others_come_back_byte_for_byte(agent: str, scope: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    theirs = [path for path in files_of(shell, agent, scope) if path.suffix != ".js"]
    for path in theirs:
        put_theirs(path)
        path.chmod(0o640)
    before = tree(shell)
    ok(init(shell, agent, scope))
    for path in theirs:
        text = path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        assert all(line.rstrip(",}") in text for line in THEIRS[path.suffix[1:]].splitlines())
    ok(init(shell, agent, scope, "--uninstall"))
    assert tree(shell) == before


@every_agent
@every_place
def test_where_somebody_wrote_since_only_ours_goes(agent: str, scope: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for path in files_of(shell, agent, scope):
        if path.suffix != ".js":
            put_theirs(path)
    ok(init(shell, agent, scope))
    for path in files_of(shell, agent, scope):
        text = path.read_text()
        path.write_text(text.replace("dark", "light").replace('"x"', '"y"'))
    ok(init(shell, agent, scope, "--uninstall"))
    for path in files_of(shell, agent, scope):
        if path.suffix != ".js":
            expected = THEIRS[path.suffix[1:]].replace("dark", "light").replace('"x"', '"y"')
            assert path.read_text() == expected
    found = agents(shell.spill("init", agent, "--show", "--json"))
    assert {one["status"] for one in found} == {"not installed"}


@every_agent
def test_a_clone_without_a_backup_loses_only_ours(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    subprocess.run(["rm", "-rf", tmp_path / ".local"], check=True)
    ok(init(shell, agent, "project", "--uninstall"))
    assert [path for path in files_of(shell, agent, "project") if path.exists()] == []


@every_agent
@every_place
def test_a_dry_run_shows_and_writes_nothing(agent: str, scope: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    said = ok(init(shell, agent, scope, "--dry-run"))
    assert list(tmp_path.rglob("*")) == [shell.root]
    for path in files_of(shell, agent, scope):
        assert f"--- /dev/null\n+++ {path}\n" in said.out
    ok(init(shell, agent, scope))
    there = tree(shell)
    assert "nothing would change" in ok(init(shell, agent, scope, "--dry-run")).out
    out = ok(init(shell, agent, scope, "--dry-run", "--uninstall")).out
    assert out.count("+++ /dev/null") == len(files_of(shell, agent, scope))
    assert tree(shell) == there


def test_a_diff_shows_no_secret(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    secret = made_up_value("ghp_<A36>")
    (shell.root / ".mcp.json").write_text(json.dumps({"mcpServers": {"x": {"env": {"TOKEN": secret}}}}, indent=1))
    for words in (["--dry-run"], ["--dry-run", "--json"]):
        said = ok(init(shell, "claude-code", "project", *words))
        assert "overspill" in said.out
        assert secret not in said.out


@every_agent
def test_an_older_path_is_replaced_and_not_doubled(agent: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    now = tree(shell)
    elsewhere = "/opt/old tools/spill"
    for path in files_of(shell, agent, "project"):
        text = path.read_text()
        old = text.replace('"spill hook', f"\"'{elsewhere}' hook").replace('"spill stats', f"\"'{elsewhere}' stats")
        path.write_text(old.replace('"spill"', f'"{elsewhere}"'))
    assert tree(shell) != now
    assert {one["status"] for one in agents(shell.spill("init", agent, "--show", "--json"))} == {
        "incomplete",
        "not installed",
    }
    assert "brought up to date" in ok(init(shell, agent)).out
    assert tree(shell) == now


def test_where_spill_is_not_on_the_path_its_place_is_written(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    place = tmp_path / "my tools"
    place.mkdir()
    (place / "spill").symlink_to(SPILL)
    shell.environ["PATH"] = "/usr/bin:/bin"
    done = subprocess.run([place / "spill", "init", "codex"], cwd=shell.root, env=shell.environ, check=False)
    assert done.returncode == 0
    hooks = json.loads((shell.root / ".codex" / "hooks.json").read_text())
    assert hooks["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == f"'{place}/spill' hook codex"
    assert f'command = "{place}/spill"' in (shell.root / ".codex" / "config.toml").read_text()


def test_an_environment_that_is_active_now_is_not_so_everywhere(tmp_path: Path) -> None:
    """The agent may be started where nobody activated it; a project's files are for other machines, too."""
    shell = Shell(tmp_path, VIRTUAL_ENV=str(Path(SPILL).parent.parent))
    ok(shell.spill("init", "gemini"))
    ok(shell.spill("init", "gemini", "--global"))
    assert '"spill hook gemini"' in (shell.root / ".gemini" / "settings.json").read_text()
    assert f'"{SPILL} hook gemini"' in (shell.home / ".gemini" / "settings.json").read_text()


def test_as_a_module_it_is_called_as_a_module(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.environ["PATH"] = "/usr/bin:/bin"
    words = [sys.executable, "-m", "overspill", "init", "gemini"]
    subprocess.run(words, cwd=shell.root, env=shell.environ, check=True, capture_output=True)
    text = (shell.root / ".gemini" / "settings.json").read_text()
    assert f"{sys.executable} -P -m overspill hook gemini" in text


def test_agents_say_where_they_keep_their_settings(tmp_path: Path) -> None:
    places = {
        "claude-code": ("CLAUDE_CONFIG_DIR", ["settings.json", ".claude.json"]),
        "codex": ("CODEX_HOME", ["hooks.json", "config.toml"]),
        "gemini": ("GEMINI_CLI_HOME", [".gemini/settings.json"]),
        "copilot": ("COPILOT_HOME", ["hooks/overspill.json", "mcp-config.json"]),
        "opencode": ("XDG_CONFIG_HOME", ["opencode/plugins/overspill.js", "opencode/opencode.json"]),
        "kilo": ("XDG_CONFIG_HOME", ["kilo/plugins/overspill.js", "kilo/kilo.json"]),
        "pi": ("PI_CODING_AGENT_DIR", ["extensions/overspill.js"]),
        "cline": ("CLINE_DIR", ["plugins/overspill.js"]),
        "qwen": ("QWEN_HOME", ["settings.json"]),
        "vscode": ("XDG_CONFIG_HOME", ["Code/User/mcp.json"]),
    }
    for agent, (variable, names) in places.items():
        shell = Shell(tmp_path, agent, **{variable: str(tmp_path / f"{agent}-home")})
        ok(init(shell, agent, "global"))
        assert all((tmp_path / f"{agent}-home" / name).is_file() for name in names)


@pytest.mark.parametrize("name", ["opencode.jsonc", "opencode.json"])
def test_opencode_is_set_up_in_the_file_it_has(name: str, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    path = shell.root / name
    path.write_text('{\n  // mine\n  "model": "a/b",\n}\n')
    ok(init(shell, "opencode"))
    assert path.read_text().startswith('{\n  // mine\n  "model": "a/b",\n  "mcp": {\n    "overspill": {')
    assert sorted(one.name for one in shell.root.glob("opencode.*")) == [name]


def test_an_agent_that_is_set_up_twice_is_said(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert "once is enough" not in ok(init(shell, "gemini", "global")).out
    assert "once is enough: spill init gemini --global --uninstall" in ok(init(shell, "gemini")).out


def test_a_broken_file_is_not_quoted(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    secret = made_up_value("ghp_<A36>")
    for text in (f'{{"hooks": "{secret}"}}', f'{{"a": {secret}}}'):
        (shell.root / ".gemini").mkdir(exist_ok=True)
        (shell.root / ".gemini" / "settings.json").write_text(text)
        said = [init(shell, "gemini"), shell.spill("init", "--show"), shell.spill("doctor")]
        assert not any(secret[4:16] in one.out + one.err for one in said)


def test_an_unknown_agent_is_told_the_known_ones(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for words in (["zed"], [], ["--uninstall"]):
        said = shell.spill("init", *words)
        assert (said.status, said.out) == (2, "")
        assert ", ".join(AGENTS) in said.err


def test_all_agents_are_shown_where_none_is_named(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, "gemini"))
    out = ok(shell.spill("init", "--show")).out
    assert "gemini (project): installed\n" in out
    assert out.count(": not installed\n") == 2 * len(AGENTS) - 1
    assert "install: spill init codex --global" in out
    assert len(agents(shell.spill("init", "--show", "--json"))) == 2 * len(AGENTS)
    assert len(agents(shell.spill("init", "--show", "--global", "--json"))) == len(AGENTS)


def test_envelopes_say_what_became_of_every_file(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    put_theirs(shell.root / ".mcp.json")
    assert changes(init(shell, "claude-code", "project", "--dry-run", "--json")) == {
        "settings.json": "created",
        ".mcp.json": "changed",
    }
    (one,) = agents(init(shell, "claude-code", "project", "--json"))
    assert one["undo"] == "spill init claude-code --uninstall"
    assert one["changed"] is True
    assert [entry["at"] for entry in records(records(one["files"])[1]["entries"])] == ["mcpServers.overspill"]
    assert set(changes(init(shell, "claude-code", "project", "--json")).values()) == {"unchanged"}
    assert changes(init(shell, "claude-code", "project", "--uninstall", "--json")) == {
        "settings.json": "removed",
        ".mcp.json": "restored",
    }


def test_backups_are_their_owners_alone_and_go_with_what_they_were_for(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    put_theirs(shell.root / ".mcp.json")
    ok(init(shell, "claude-code"))
    folder = tmp_path / ".local" / "state" / "overspill" / "agents"
    assert len(list(folder.glob("*.json"))) == 2
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    ok(init(shell, "claude-code", "project", "--uninstall"))
    assert list(folder.glob("*.json")) == []


def test_many_at_once_leave_one_of_each(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for path in files_of(shell, "codex", "global"):
        put_theirs(path)
    before = tree(shell)
    words = [SPILL, "init", "codex", "--global"]
    running = [
        subprocess.Popen([*words, *more], cwd=shell.root, env=shell.environ, stdout=subprocess.DEVNULL)
        for more in ([], [], ["--uninstall"], [], ["--uninstall"], [])
    ]
    assert [one.wait(timeout=60) for one in running] == [0] * 6
    ok(init(shell, "codex", "global"))
    once = tree(shell)
    assert "nothing was changed" in ok(init(shell, "codex", "global")).out
    assert tree(shell) == once
    ok(init(shell, "codex", "global", "--uninstall"))
    assert tree(shell) == before


def test_the_way_back_works_from_where_it_is_said(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (tmp_path / "my project").mkdir()
    before = tree(shell)
    said = ok(shell.line("spill init gemini --root '../my project'"))
    undo = next(line for line in said.out.splitlines() if line.startswith("Undo: ")).removeprefix("Undo: ")
    assert undo == f"spill init gemini --root '{tmp_path}/my project' --uninstall"
    ok(shell.line(undo))
    assert tree(shell) == before


def test_a_project_in_a_directory_below_is_set_up_at_its_root(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.root / ".git").mkdir()
    (shell.root / "src").mkdir()
    ok(shell.line("cd src && spill init gemini"))
    assert (base(shell, "project") / ".gemini" / "settings.json").is_file()


@pytest.mark.parametrize(
    ("agent", "file", "tools"),
    [
        ("codex", ".codex/hooks.json", ("Bash", "mcp__a__b", "read_mcp_resource", "list_mcp_resource_templates")),
        (
            "claude-code",
            ".claude/settings.json",
            ("Bash", "Read", "mcp__a__b", "ReadMcpResourceTool", "ListMcpResourcesTool"),
        ),
    ],
)
def test_hooks_are_asked_about_everything_that_a_server_says(
    agent: str, file: str, tools: tuple[str, ...], tmp_path: Path
) -> None:
    """Its resources come by tools of the agent's own."""
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    (group,) = json.loads((shell.root / file).read_text())["hooks"]["PostToolUse"]
    assert all(re.fullmatch(group["matcher"], tool) for tool in tools)
    assert not re.fullmatch(group["matcher"], "apply_patch")


# What was written before there were hooks for files that are written: events, and what each matched.
BEFORE_WRITES: dict[str, dict[str, str | None]] = {
    "claude-code": {
        "SessionStart": None,
        "PostToolUse": "Bash|Read|Grep|Glob|WebFetch|WebSearch|Task|Agent|BashOutput|TaskOutput"
        "|(Read|List)McpResource.*|mcp__.*",
        "SessionEnd": None,
    },
    "codex": {
        "PreToolUse": "^Bash$",
        "PostToolUse": "^(Bash|mcp__.*|(read|list)_mcp_resource.*)$",
        "SessionStart": "^compact$",
    },
    "gemini": {"AfterTool": ".*"},
}
WRITE_EVENTS = {"claude-code": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool", "copilot": "preToolUse"}
WRITE_EVENTS |= {"cursor": "preToolUse"}


@pytest.mark.parametrize("agent", BEFORE_WRITES)
def test_hooks_of_an_older_version_are_brought_up_to_date(tmp_path: Path, agent: str) -> None:
    """Issue 24: an entry equal to an older one of ours is still ours."""
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    path = files_of(shell, agent, "project")[0]
    now = path.read_text()
    hooks = json.loads(now)["hooks"]
    older = {}
    for event, matcher in BEFORE_WRITES[agent].items():
        (handler,) = hooks[event][0]["hooks"]
        older[event] = [{**({"matcher": matcher} if matcher else {}), "hooks": [handler]}]
    path.write_text(json.dumps({**json.loads(now), "hooks": older}))
    ok(init(shell, agent))
    found = json.loads(path.read_text())["hooks"]
    assert found == hooks
    assert len(found[WRITE_EVENTS[agent]]) == 1
    assert "nothing was changed" in ok(init(shell, agent)).out


@pytest.mark.parametrize("agent", WRITE_EVENTS)
def test_tools_that_write_are_asked_about_and_no_others_for_it(tmp_path: Path, agent: str) -> None:
    shell = Shell(tmp_path)
    ok(init(shell, agent))
    hooks = json.loads(files_of(shell, agent, "project")[0].read_text())["hooks"]
    (entry,) = hooks[WRITE_EVENTS[agent]]
    asked = {"claude-code": "Write", "codex": "apply_patch", "gemini": "write_file", "copilot": "create"}
    asked |= {"cursor": "Write"}
    assert re.search(entry["matcher"], asked[agent])
    assert not re.search(entry["matcher"], "mcp__talk__report")
    assert (agent == "codex") == bool(re.search(entry["matcher"], "Bash"))  # which it is asked about anyway
