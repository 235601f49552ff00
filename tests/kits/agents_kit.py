"""What the tests of `spill init` share: a home and a project, and all that stands in them."""

import os
from pathlib import Path

from doors_kit import Said, Shell, mapping, records

AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode", "kilo", "pi", "cline", "qwen", "cursor", "vscode")
SCOPES = ("project", "global")

# Every file that an agent's settings are in, below the project or the home.
FILES = {
    ("claude-code", "project"): (".claude/settings.json", ".mcp.json"),
    ("claude-code", "global"): (".claude/settings.json", ".claude.json"),
    ("codex", "project"): (".codex/hooks.json", ".codex/config.toml"),
    ("codex", "global"): (".codex/hooks.json", ".codex/config.toml"),
    ("gemini", "project"): (".gemini/settings.json",),
    ("gemini", "global"): (".gemini/settings.json",),
    ("copilot", "project"): (".github/hooks/overspill.json", ".github/mcp.json"),
    ("copilot", "global"): (".copilot/hooks/overspill.json", ".copilot/mcp-config.json"),
    ("opencode", "project"): (".opencode/plugins/overspill.js", "opencode.json"),
    ("opencode", "global"): (".config/opencode/plugins/overspill.js", ".config/opencode/opencode.json"),
    ("kilo", "project"): (".kilo/plugins/overspill.js", "kilo.json"),
    ("kilo", "global"): (".config/kilo/plugins/overspill.js", ".config/kilo/kilo.json"),
    ("pi", "project"): (".pi/extensions/overspill.js",),
    ("pi", "global"): (".pi/agent/extensions/overspill.js",),
    ("cline", "project"): (".cline/plugins/overspill.js",),
    ("cline", "global"): (".cline/plugins/overspill.js",),
    ("qwen", "project"): (".qwen/settings.json",),
    ("qwen", "global"): (".qwen/settings.json",),
    ("cursor", "project"): (".cursor/hooks.json", ".cursor/mcp.json"),
    ("cursor", "global"): (".cursor/hooks.json", ".cursor/mcp.json"),
    ("vscode", "project"): (".github/hooks/overspill-vscode.json", ".vscode/mcp.json"),
    ("vscode", "global"): (".copilot/hooks/overspill-vscode.json", ".config/Code/User/mcp.json"),
}

THEIRS = {
    "json": '{\n    // what I like\n    "theme": "dark", /* not light */\n    "hooks": {\n'
    '        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],\n    },\n'
    '    "mcpServers": {"git": {"command": "git-server"}}\n}\n',
    "toml": '# what I like\nmodel = "x" # the fast one\n\n[mcp_servers.git]\ncommand = "git-server"\n# the end\n',
}


def base(shell: Shell, scope: str) -> Path:
    """Where an agent's files lie."""
    return shell.root if scope == "project" else shell.home


def files_of(shell: Shell, agent: str, scope: str) -> list[Path]:
    return [base(shell, scope) / name for name in FILES[agent, scope]]


def init(shell: Shell, agent: str, scope: str = "project", *words: str) -> Said:
    return shell.spill("init", agent, *(["--global"] if scope == "global" else []), *words)


def tree(shell: Shell) -> dict[str, tuple[int, bytes | str | None]]:
    """Every path of the home and the project, its mode and what it holds; but for what is remembered of them."""
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for path in sorted(shell.home.rglob("*")):
        name = str(path.relative_to(shell.home))
        if name.startswith(".local"):
            continue
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (path.lstat().st_mode, held)
    return found


def put_theirs(path: Path) -> None:
    """Settings of somebody, with comments."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(THEIRS[path.suffix[1:]])


def agents(said: Said) -> list[dict[str, object]]:
    """What an envelope says of the agents."""
    assert said.status == 0, said.err
    return records(said.envelope["agents"])


def changes(said: Said) -> dict[str, object]:
    """What became of every file, by name."""
    files = [one for agent in agents(said) for one in records(agent["files"])]
    return {os.path.basename(str(one["path"])): mapping(one)["change"] for one in files}
