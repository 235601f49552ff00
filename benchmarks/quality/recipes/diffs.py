"""Differences between two releases of real packages."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import changed_facts, said_in
from shop import Shop


class Releases(NamedTuple):
    """Two releases of one package, from PyPI or (with `@`) from npm."""

    name: str
    old: str
    new: str


DIFFS = (
    Releases("diff-click", "click==8.1.3", "click==8.1.7"),
    Releases("diff-jinja2", "jinja2==3.1.2", "jinja2==3.1.4"),
    Releases("diff-packaging", "packaging==23.0", "packaging==24.0"),
    Releases("diff-express", "express@4.18.2", "express@4.19.2"),
    Releases("diff-zod", "zod@4.1.3", "zod@4.1.5"),
)


def commit(shop: Shop, tree: str, message: str) -> None:
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    shop.run(["git", "add", "-A", "-f"], tree)
    date = {"GIT_AUTHOR_DATE": "2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2024-01-01T00:00:00Z"}
    shop.run(["git", *who, "commit", "-q", "-m", message], tree, env=date)


def history(shop: Shop, name: str, specs: tuple[str, ...]) -> str:
    """A repository with one commit a release."""
    shop.need("git")
    room = shop.room(name)
    repository = os.path.join(room, "repository")
    os.makedirs(repository)
    shop.run(["git", "init", "-q"], repository)
    for number, spec in enumerate(specs):
        place = os.path.join(room, f"release-{number}")
        os.makedirs(place)
        tree = shop.npm_source(spec, place) if "@" in spec else shop.sdist(spec, place)
        for entry in os.listdir(repository):
            if entry != ".git":
                path = os.path.join(repository, entry)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        shutil.copytree(tree, repository, dirs_exist_ok=True)
        commit(shop, repository, f"Release {spec}")
    return repository


def diff_run(one: Releases, shop: Shop) -> Iterator[Item]:
    """`git diff` of two releases; the facts come from `--numstat` and `--name-status`."""
    repository = history(shop, one.name, (one.old, one.new))
    between = ["HEAD~1", "HEAD"]
    text = shop.run(["git", "diff", "-M", *between], repository).text
    numstat = shop.run(["git", "diff", "-M", "--numstat", *between], repository).text
    status = shop.run(["git", "diff", "-M", "--name-status", *between], repository).text
    facts = said_in(changed_facts(numstat, status, text), text)
    yield Item(one.name, "diff", "diff", f"git diff ({one.old} to {one.new})", text, facts)


def log_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git log -p --stat` over three releases; the facts are the subjects, the hashes and the changed paths."""
    releases = ("click==8.1.0", "click==8.1.3", "click==8.1.7")
    repository = history(shop, name, releases)
    text = shop.run(["git", "log", "-p", "HEAD~2..HEAD"], repository).text
    paths = shop.run(["git", "log", "--format=", "--name-only", "HEAD~2..HEAD"], repository).text.split()
    subjects = shop.run(["git", "log", "--format=%H%n%s", "HEAD~2..HEAD"], repository).text.splitlines()
    facts = [Fact("name", (one,)) for one in subjects] + [Fact("path", (path,)) for path in dict.fromkeys(paths)]
    yield Item(name, "diff", "text", "git log -p", text, said_in(facts, text))


RECIPES = {"gitlog-click": partial(log_run, "gitlog-click")} | {one.name: partial(diff_run, one) for one in DIFFS}
