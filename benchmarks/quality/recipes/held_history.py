"""Histories that nobody tunes on: who wrote how much, a merge, and other systems than git."""

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import Shop

HISTORY = "history"
RELEASES = ("click==7.0", "click==7.1.2", "click==8.0.1", "click==8.1.3", "click==8.1.7")
WHO = ("Ada Byron", "Grace Murray", "Edsger W.", "Barbara L.", "Alan M.")


def _trees(shop: Shop, room: str) -> list[str]:
    trees = []
    for number, spec in enumerate(RELEASES):
        place = os.path.join(room, f"release-{number}")
        os.makedirs(place)
        trees.append(shop.sdist(spec, place))
    return trees


def _parts(tree: str, *, fine: bool) -> list[str]:
    """The entries of a tree, or the entries of its directories."""
    parts = []
    for part in sorted(os.listdir(tree)):
        inside = (
            sorted(os.listdir(os.path.join(tree, part))) if fine and os.path.isdir(os.path.join(tree, part)) else []
        )
        parts += [os.path.join(part, one) for one in inside] or [part]
    return parts


def release_steps(shop: Shop, room: str, repository: str, *, fine: bool = False) -> Iterator[tuple[str, str, str]]:
    """The releases, a part at a time: an author, a date and a subject for what now lies in the repository."""
    number = 0
    for spec, tree in zip(RELEASES, _trees(shop, room), strict=True):
        for part in _parts(tree, fine=fine):
            old, new = os.path.join(repository, part), os.path.join(tree, part)
            if os.path.isdir(old):
                shutil.rmtree(old)
            if os.path.isdir(new):
                shutil.copytree(new, old)
            else:
                os.makedirs(os.path.dirname(old), exist_ok=True)
                shutil.copy(new, old)
            day = f"20{18 + number // 90:02}-{number % 12 + 1:02}-{number % 27 + 1:02}T10:{number % 60:02}:00Z"
            yield WHO[(number * 7) % 5 if number % 13 else 4], day, f"Bring {part} to {spec}"
            number += 1


def git_repository(shop: Shop, room: str) -> str:
    repository = os.path.join(room, "repository")
    os.makedirs(repository)
    shop.run(["git", "init", "-q", "-b", "trunk"], repository)
    for author, day, subject in release_steps(shop, room, repository, fine=True):
        shop.run(["git", "add", "-A", "-f"], repository)
        who = ["-c", f"user.name={author}", "-c", f"user.email={author.split()[0].lower()}@example.org"]
        shop.run(
            ["git", *who, "commit", "-q", "-m", subject],
            repository,
            env={"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day},
        )
    return repository


def shortlog_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git shortlog`; the facts are the authors with their counts and the subjects, from `git log`."""
    repository = git_repository(shop, shop.room(name))
    text = shop.run(["git", "shortlog", "-w200", "--format=%h %ad %s (%ae)", "HEAD"], repository).text
    rows = [
        line.split("\t") for line in shop.run(["git", "log", "--format=%an%x09%s%x09%h"], repository).text.splitlines()
    ]
    facts = [Fact("message", (f"{one} ({count})",)) for one, count in Counter(row[0] for row in rows).items()]
    facts += [Fact("message", (row[1],)) for row in rows]
    yield Item(name, HISTORY, "text", "git shortlog HEAD", text, said_in(facts, text))


def merge_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git show` of a merge of two releases with conflicts resolved; the facts are its paths and both sides' lines."""
    room = shop.room(name)
    repository = os.path.join(room, "repository")
    os.makedirs(repository)
    trees = _trees(shop, room)
    who = ["git", "-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    shop.run(["git", "init", "-q", "-b", "trunk"], repository)
    for tree, branch, subject in (
        (trees[1], "", "Begin"),
        (trees[2], "left", "Go left"),
        (trees[3], "right", "Go right"),
    ):
        if branch:
            shop.run(["git", "checkout", "-q", "-b", branch, "trunk"], repository)
        shutil.copytree(tree, repository, dirs_exist_ok=True)
        shop.run(["git", "add", "-A", "-f"], repository)
        shop.run([*who, "commit", "-q", "-m", subject], repository)
    shop.run([*who, "merge", "-q", "--no-edit", "-s", "ours", "left"], repository)
    # Some files of the merge are neither side's.
    paths = shop.run(["git", "diff", "--name-only", "left", "right"], repository).text.split()
    for path in [
        one for one in paths if one.endswith((".py", ".rst")) and os.path.exists(os.path.join(repository, one))
    ]:
        with open(os.path.join(repository, path), encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        lines[len(lines) // 2 : len(lines) // 2 + 2] = [f"# settled by hand in {os.path.basename(path)}\n"]
        with open(os.path.join(repository, path), "w", encoding="utf-8") as out:
            out.writelines(lines)
    shop.run(["git", "add", "-A", "-f"], repository)
    shop.run([*who, "commit", "-q", "--amend", "--no-edit"], repository)
    text = shop.run(["git", "show", "HEAD"], repository).text
    changed = re.findall(r"^diff --cc (\S+)$", text, re.MULTILINE)
    parents = shop.run(["git", "log", "-1", "--format=%h %p"], repository).text.split()
    facts = [Fact("path", (path,)) for path in changed] + [Fact("message", (f"Merge: {parents[1]} {parents[2]}",))]
    facts += [Fact("message", (f"++# settled by hand in {os.path.basename(path)}",)) for path in changed]
    yield Item(name, HISTORY, "text", "git show HEAD", text, said_in(facts, text))


def hg_run(name: str, shop: Shop) -> Iterator[Item]:
    """`hg log --stat`; the facts are the subjects, authors and changed files of its JSON."""
    shop.install("hg", "mercurial")
    hg = "hg"
    room = shop.room(name)
    repository = os.path.join(room, "repository")
    os.makedirs(repository)
    shop.run([hg, "init"], repository)
    for author, day, subject in release_steps(shop, room, repository):
        shop.run([hg, "addremove", "-q"], repository)
        shop.run(
            [hg, "commit", "-u", author, "-d", day.replace("T", " ").replace("Z", " +0000"), "-m", subject], repository
        )
    text = shop.run([hg, "log", "--stat"], repository).text
    rows = json.loads(shop.run([hg, "log", "-T", "json(rev,node,user,desc,files)"], repository, apart=True).text)
    facts = [Fact("message", (row["desc"],)) for row in rows] + [
        Fact("message", (f"{row['rev']}:{row['node'][:12]}",)) for row in rows
    ]
    facts += [Fact("name", (row["user"],)) for row in rows] + [
        Fact("path", (path,)) for row in rows for path in row["files"]
    ]
    yield Item(name, HISTORY, "text", "hg log --stat", text, said_in(facts, text))


def svn_run(name: str, shop: Shop) -> Iterator[Item]:
    """`svn log -v`; the facts are those of its XML: revisions, messages, changed paths."""
    shop.install("svn", "subversion")
    room = shop.room(name)
    repository = os.path.join(room, "repository")
    shop.run(["svnadmin", "create", "store"], room)
    shop.run(["svn", "checkout", "-q", f"file://{room}/store", repository], room)
    for author, _, subject in release_steps(shop, room, repository):
        shop.run(["svn", "add", "-q", "--force", "--no-ignore", "."], repository)
        gone = re.findall(r"^!\s+(.*)$", shop.run(["svn", "status"], repository).text, re.MULTILINE)
        if gone:
            shop.run(["svn", "rm", "-q", "--force", *gone], repository)
        shop.run(["svn", "commit", "-q", "--username", author.split()[0].lower(), "-m", subject], repository)
    shop.run(["svn", "update", "-q"], repository)
    text = shop.run(["svn", "log", "-v"], repository).text
    facts = []
    for entry in ET.fromstring(shop.run(["svn", "log", "-v", "--xml"], repository, apart=True).text).iter("logentry"):
        facts += [Fact("odd", (), (f"r{entry.get('revision')}", entry.findtext("author") or ""))]
        facts += [Fact("message", (entry.findtext("msg") or "",))]
        facts += [Fact("path", (path.text or "",)) for path in entry.iter("path")]
    yield Item(name, HISTORY, "text", "svn log -v", text, said_in(facts, text))


RECIPES = {
    "shortlog-click": partial(shortlog_run, "shortlog-click"),
    "show-merge": partial(merge_run, "show-merge"),
    "hg-click": partial(hg_run, "hg-click"),
    "svn-click": partial(svn_run, "svn-click"),
}
