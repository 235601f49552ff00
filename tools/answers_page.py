"""The reference of what commands answer: exit statuses, envelopes, and the codes of errors."""

import json
from collections.abc import Iterator, Mapping

from overspill import errors
from overspill.cli.help import STATUSES
from overspill.cli.output import schema

INTRODUCTION = """\
# Answers and exit statuses

Made from the code by `make docs`; do not edit.

What a command has to say goes to standard output, everything else to standard error. With `--json` standard output
holds exactly one JSON object, the envelope, whether the command went well or not. [Lists](lists.md#envelopes) has
examples.
"""

RUN = """
`spill run` ends with the status of its command; 124 is out of time (`--timeout`), 125 a failure of ours, 126 and 127 a
command that cannot be run or found, 128 and a number a signal. `spill hook` always ends with 0: an agent must not
stumble over us."""

ENVELOPES = {
    "output": """\
An answer. The value stands under a key of its own (`tasks`, `artifact`, `result` and so on); `pagination` and `next`
are there where there is more than one page.""",
    "error": "A failure. `fix`, where it is there, is a command line that can be run as it is.",
    "pagination": "Which records a page holds.",
}


def answers_page() -> str:
    """The whole page."""
    lines = [INTRODUCTION, "## Exit statuses", "", "| status | meaning |", "|---|---|"]
    lines += [f"| {status} | {meaning} |" for status, meaning in STATUSES]
    lines += [
        RUN,
        "",
        "## Codes of errors",
        "",
        "`error.code` says what happened, and stays the same when words change.",
    ]
    lines += ["| code | status | what happened |", "|---|---|---|", *_codes()]
    for name, words in ENVELOPES.items():
        lines += ["", f"## The schema `{name}`", "", words, "", *_fields(schema(name))]
        lines += ["", f"<details markdown><summary>{name}.schema.json, whole</summary>", "", "```json"]
        lines += [json.dumps(schema(name), indent=2), "```", "", "</details>"]
    lines += ["", "In Python, `overspill.cli.output.schema(name)` is the same schema, whole in itself."]
    return "\n".join(lines) + "\n"


def _codes() -> Iterator[str]:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.OverspillError)
    ]
    first = {kind.code: kind for kind in reversed(kinds)}  # of several with one code, the most general
    for code, kind in sorted(first.items()):
        status = "128 + signal" if code == "E_INTERRUPTED" else str(kind.exit_code)
        said = (kind.__doc__ or "").splitlines()[0]
        yield f"| `{code}` | {status} | {said} |"


def _fields(described: Mapping[str, object], path: str = "") -> Iterator[str]:
    if not path:
        yield from ("| field | type | what it is |", "|---|---|---|")
    properties, required = described["properties"], described["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    for name, said in properties.items():
        kind = said.get("type") or (f"always `{json.dumps(said['const'])}`" if "const" in said else "object")
        words = [said.get("description", ""), "" if name in required else "Not always there."]
        yield f"| `{path}{name}` | {kind} | {' '.join(word for word in words if word)} |"
        if "properties" in said and "required" in said:
            yield from _fields(said, f"{path}{name}.")
