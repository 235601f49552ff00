"""Gemini CLI: `.gemini/settings.json` of a project or of the user. It may hold comments."""

from overspill.doors.agents.agent import SECONDS, Agent, Around, Target, groups, server

TOOLS = (
    "read_file|read_many_files|grep_search|search_file_content|glob|list_directory|"
    "web_fetch|google_web_search|read_mcp_resource|mcp_.*"
)
HOOKS = {
    "BeforeTool": ("^run_shell_command$", "what shell commands print is fitted, also when they fail"),
    "AfterTool": (f"^({TOOLS})$", "long results of other tools are fitted before the model sees them"),
}


def targets(around: Around) -> tuple[Target, ...]:
    folder = around.at_home(".gemini") if around.is_global else around.in_project(".gemini")
    milliseconds = SECONDS * 1000
    entries = (
        *groups(around, "gemini", HOOKS, name="overspill", timeout=milliseconds),
        server(("mcpServers",), around),
    )
    return (Target(f"{folder}/settings.json", entries),)


def notes(around: Around) -> tuple[str, ...]:
    if around.is_global:
        return ()
    return ("Gemini CLI reads a project's settings in folders that you trust, and warns once about new hooks.",)


AGENT = Agent("gemini", "Gemini CLI", targets, notes)
