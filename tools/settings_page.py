"""The reference page of all settings, made from the table in `overspill.settings.table`."""

from overspill.cli.config import PROFILES, yaml_text
from overspill.settings.table import ALIASES, BY_PATH, OVERRIDES, SETTINGS, TOOL_ONLY, TOOL_STRATEGIES, TOOLS, Setting

PAGE = "docs/settings.md"

INTRODUCTION = """\
# Settings

Made from the code by `make docs`; do not edit.

Flags win over environment variables, these over the project's `.agent/config.yml`, that over the user's
`~/.config/overspill/config.yml` (or below `$XDG_CONFIG_HOME`), that over the preset. `spill config show --origin` says
what is in force and who said it, `spill config check` lists every mistake, `spill config init --profile NAME` writes a
file to begin with.

- Levels are nested, or written with dots: `tools.truncation.inline_limit: 4000`.
- An environment variable is `OVERSPILL_`, the path in capitals, two underscores between levels:
  `OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT=4000`. Lists are separated by commas, structures are JSON.
- Sizes are bytes, or `200KB`, `200MB`, `1GiB`; as in the specification a KB is 1024 bytes, with or without the `i`.
  Times are seconds, or `30m`, `24h`, `7d`.
- Limits are whole numbers from 1 on. With a mistake in a file, commands go on with the last good value of the setting,
  or its default, and say so: nothing that is piped in is lost, and what was kept stays within reach. Exit status 8 is
  for `config`, which lists every mistake, for `redact` and `context`, and for what removes something (`artifacts rm`,
  `clean`, `sweep`, `session end`, `purge`): what should stay might be said by the setting that cannot be read.
- A threshold below `inline_limit` is raised to it, with a warning.

A project's file is not the user's. Until the user's own file lists the project's root under `trust`, what the last
column rules out is ignored, with a warning.
"""

PROJECT = {
    "free": "yes",
    "lower": "not raise",
    "raise": "not weaken",
    "inside": "below the root",
    "gib": "up to 1 GiB",
    "few": "up to 50",
    "page": "up to 200,000",
    "never": "no",
    "user": "no, user's file only",
}


def settings_page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for title, rows in _sections().items():
        parts.append(f"## {title}\n\n{_table(rows)}")
    parts += [_tools(), _profiles()]
    return "\n".join(parts)


def _sections() -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = {}
    for row in SETTINGS:
        above = row.path.rpartition(".")[0]
        found.setdefault(f"`{above}`" if above else "Top level", []).append(row)
    return found


def _table(rows: list[Setting]) -> str:
    lines = [
        "| setting | takes | default | agent preset | what it does | a project may set it |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        agent = "" if row.agent is ... else f"`{_value(row, row.agent)}`"
        cells = (
            f"`{row.path.rpartition('.')[2]}`",
            row.check.expected,
            f"`{_value(row, row.default)}`",
            agent,
            row.doc,
            PROJECT[row.project],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _value(row: Setting, value: object) -> str:
    """Large sizes and times as people write them."""
    if isinstance(value, int) and "size such as" in row.check.expected:
        for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB")):
            if value % unit == 0:
                return f"{value // unit}{name}"
    if isinstance(value, int) and "time such as" in row.check.expected and value % 3600 == 0:
        return f"{value // 3600}h"
    return yaml_text(value)


def _tools() -> str:
    shared = sum(row.path.startswith(TOOLS) and row.shared for row in BY_PATH.values())
    lines = [
        f"## `{OVERRIDES}.<tool>`",
        "",
        f"Every setting below `tools.truncation` can be said for one tool, but for {shared} that are one for all",
        "tools (`default_strategy` and the store's: where, how much and how long). Two more exist only here:",
        "",
    ]
    lines += [f"- `{row.path}` ({row.check.expected}): {row.doc}" for row in TOOL_ONLY]
    lines += ["", "| tool | strategy until somebody says otherwise | also called |", "|---|---|---|"]
    for tool in (*TOOL_STRATEGIES, "http_request"):
        names = ", ".join(f"`{alias}`" for alias, name in ALIASES.items() if name == tool)
        lines.append(f"| `{tool}` | `{TOOL_STRATEGIES.get(tool, 'default_strategy')}` | {names} |")
    return "\n".join(lines) + "\n"


def _profiles() -> str:
    lines = ["## Profiles", "", "| `spill config init --profile` | what it is for |", "|---|---|"]
    lines += [f"| `{name}` | {profile.doc} |" for name, profile in PROFILES.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(settings_page(), end="")
