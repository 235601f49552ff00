"""What the recipes of the tenth part share: the environments their tools run in, and how an output becomes an item."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, Failure, failure_facts, in_json, said_in
from shop import CannotMake, Shop, Toolbox

from recipes.fifth_suites import plain
from recipes.held_suites import write
from recipes.ninth_tools import each, pairs
from recipes.seventh_linters import found_facts

__all__ = ["diagnosed", "each", "failed", "made", "matches", "pairs", "recipes", "stripped"]

PACKAGES = (
    "basedpyright==1.40.2", "coverage==7.17.3", "diff-cover==11.0.1", "docutils==0.22.4",
    "ipykernel==7.4.0", "jc==1.26.1", "mypy==2.4.1", "nbconvert==7.17.2",
    "pycobertura==4.1.0", "setuptools==80.9.0", "sqlacodegen==4.0.4", "sqlalchemy==2.1.8",
    "types-docutils==0.21.0.20250604",
)  # fmt: skip

NPM = (
    "@commitlint/cli@20.5.3", "@commitlint/config-conventional@20.5.3", "@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/server-memory@2026.8.31",
    "aws-cdk-lib@2.276.0", "aws-cdk@2.1148.1", "constructs@10.8.1", "mocha@12.0.3", "next@16.4.6", "pino-pretty@13.2.0", "pino@10.4.0", "pm2@7.0.4",
    "react-dom@19.3.1", "react@19.3.1", "typescript@5.9.3", "vue-tsc@3.3.14", "vue@3.5.45", "winston@3.19.0", "xo@2.0.2",
)  # fmt: skip

TOOLS = Toolbox("tenth", PACKAGES, NPM)
SERVICES = Toolbox(
    "tenth-services",
    (
        "ansible-core==2.19.14",
        "boto3==1.44.3",
        "mcp-server-fetch==2026.10.24",
        "mcp-server-git==2026.10.19",
        "moto[s3,server]==5.2.5",
        "s3cmd==2.4.0",
        "setuptools==80.9.0",
    ),
)
"""What does not go together with the others."""

Run = Callable[[str, Shop], Iterator[Item]]

SOUND = 0.8
"""So much of what a report holds has to be in the output, or the two do not belong together."""


def made(
    name: str, family: str, command: str, text: str, facts: Iterable[Fact], form: str = "text", least: float = SOUND
) -> Item:
    """The item; facts that the output does not say are dropped, and there must not be many of them."""
    every = tuple(dict.fromkeys(facts))
    if form == "json":
        every = in_json(every)
    said = said_in(every, text)
    if len(said) < least * len(every):
        lost = [fact for fact in every if fact not in set(said)]
        raise CannotMake(f"{len(lost)} of {len(every)} facts are not in {name}: {lost[:4]} {text[:200]!r}")
    return Item(name, family, form, command, text, said)


def matches(text: str, *patterns: str) -> list[Fact]:
    """A fact a distinct match: what sums up, or what only the text itself says."""
    return each("message", (one[:90] for pattern in patterns for one in re.findall(pattern, text, re.MULTILINE)))


def stripped(text: str, *rooms: str) -> str:
    """The text without colours, and without where it was made."""
    text = plain(text)
    for room in rooms:
        text = text.replace(f"{room}/", "").replace(room, ".")
    return text


Finding = tuple[str, object, object, str, str]
"""Path, line, column, code, message."""


def diagnosed(rows: Iterable[Finding], text: str, spelt: str = "{}:{}:{}") -> list[Fact]:
    """The facts of findings, each message with a place where the output has both on a line; `spelt` is how it writes one."""
    found = [Diagnostic(path, spelt.format(path, *at), code, said.split("\n")[0]) for path, *at, code, said in rows]
    return [*found_facts(found, text)]


def failed(rows: Iterable[tuple[str, str, str]], *more: Fact) -> tuple[Fact, ...]:
    """The facts of failed tests: name, message, place."""
    return failure_facts([Failure(*row) for row in rows], *more)


def recipes(*runs: tuple[str, Run]) -> dict[str, Callable[[Shop], Iterator[Item]]]:
    """The table of a module: every runner is told the name of its output."""
    return {name: partial(run, name) for name, run in runs}


def venv_path(toolbox: Toolbox, shop: Shop) -> dict[str, str]:
    """The environment in which the commands of a toolbox are found."""
    folder = os.path.dirname(toolbox.python(shop))
    return {"PATH": f"{folder}{os.pathsep}{shop.environment()['PATH']}"}


def write_tsconfig(room: str, **options: object) -> None:
    """Settings of TypeScript for a project with its sources in `src`."""
    usual = {"strict": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": []}
    settings = {"compilerOptions": {**usual, **options}, "include": ["src"]}
    write(os.path.join(room, "tsconfig.json"), json.dumps(settings))
