"""Subcommands of git that nobody tunes on; git's plumbing tells the facts, or what was planted does."""

import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.fourth_git import Repository
from recipes.held_suites import write

GIT = "git"

HOOK = """#!/bin/sh
n=0
while read old new ref; do
  n=$((n + 1))
  echo "checking $ref"
  [ $((n % 9)) -eq 4 ] && echo "warning: $ref has no label, door $((n * 3)) stays open"
done
case "$(git config shelf.strict)" in yes) echo "error: strict shelf"; exit 1;; esac
exit 0
"""

UPDATE = """#!/bin/sh
case "$1" in *locked*) echo "shelf of $1 is locked by the keeper"; exit 1;; esac
exit 0
"""


def push_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git push --all` to a repository that refuses some; the facts are those of its report for machines."""
    git = Repository(shop, name, source)
    bare = os.path.join(os.path.dirname(git.tree), "shelves.git")
    shop.run(["git", "init", "-q", "--bare", bare], shop.root)
    for hook, content in (("pre-receive", HOOK), ("update", UPDATE)):
        os.chmod(write(os.path.join(bare, "hooks", hook), content), 0o755)
    git("remote", "add", "origin", f"file://{bare}")
    for number in range(90):
        git("branch", f"{('topic', 'fix', 'release')[number % 3]}/area-{number % 7}/door-{number}")
    git("push", "-q", "--all")
    git.edit(git.sources()[0], r"\Z", "# moved on\n")
    git.commit("Move on")
    for number in range(0, 90, 2):
        git("branch", "-f", f"{('topic', 'fix', 'release')[number % 3]}/area-{number % 7}/door-{number}", "main")
    for number in range(3, 90, 11):
        branch = f"{('topic', 'fix', 'release')[number % 3]}/area-{number % 7}/door-{number}"
        git("checkout", "-q", "--orphan", "apart")
        git("commit", "-q", "-m", f"Start door {number} anew")
        git("branch", "-f", branch, "HEAD")
        git("checkout", "-q", "main")
        git("branch", "-q", "-D", "apart")
    for number in range(60):
        git("branch", f"new/level-{number % 5}/{'locked' if number % 13 == 6 else 'box'}-{number}")
    rows = git("push", "--porcelain", "--dry-run", "--all")
    text = git("push", "--all").replace(bare, "/srv/shelves.git")
    facts = []
    for line in rows.splitlines():
        if line.count("\t") == 2 and not line.startswith("="):
            sign, refs, _ = line.split("\t")
            branch = refs.split(":")[1].removeprefix("refs/heads/")
            locked = "locked" in branch or sign == "!"
            facts += [Fact("odd", (), (branch, "rejected")) if locked else Fact("name", (branch,))]
    facts += [
        Fact("message", (f"shelf of refs/heads/new/level-{n % 5}/locked-{n} is locked",)) for n in range(6, 60, 13)
    ]
    facts += last_words(text, r"^remote: warning: .*?(?= *$)|^error: .*|^hint: Updates .*")
    yield Item(name, GIT, "text", "git push --all", text, said_in(facts, text))


CHECK = """import sys, glob
bad = 0
for path in sorted(glob.glob("**/*.py", recursive=True))[:60]:
    text = open(path, encoding="utf-8", errors="replace").read()
    print(f"{path}: {len(text.splitlines())} lines ok" if "# jammed" not in text else f"{path}: door is jammed")
    bad += "# jammed" in text
sys.exit(bool(bad))
"""


def bisect_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git bisect run` over 600 commits; the facts are every commit that was tried, the culprit, and what it says."""
    git = Repository(shop, name, source)
    paths = git.sources()
    write(os.path.join(os.path.dirname(git.tree), "check.py"), CHECK)
    for number in range(600):
        git.edit(paths[number % len(paths)], r"\Z", f"# {'jammed' if number == 437 else 'turn'} {number}\n")
        if number == 437:
            git.edit(paths[20], r"\Z", "# jammed\n")
        git("commit", "-q", "-a", "-m", f"Turn key {number} of area {number % 9}")
    git("bisect", "start", "HEAD", "HEAD~599")
    text = git("bisect", "run", "python3", "../check.py")
    log = git("bisect", "log")
    facts = [Fact("message", (one,)) for one in re.findall(r"^# (?:good|bad): \[\w+\] (.*)$", log, re.MULTILINE)]
    first = git("rev-parse", "refs/bisect/bad").strip()
    facts += [Fact("message", (f"{first} is the first bad commit",)), Fact("message", ("Turn key 437 of area 5",))]
    facts += [Fact("odd", (), (path, "jammed")) for path in dict.fromkeys((paths[20], paths[437 % len(paths)]))]
    facts += last_words(text, r"^Bisecting: .*")
    yield Item(name, GIT, "text", "git bisect run", text, said_in(facts, text))


def pack_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git verify-pack -v`; the facts are its kinds, its largest objects, the longest chains and the sums at its end."""
    git = Repository(shop, name, source)
    for number in range(40):
        for path in git.sources()[number::37]:
            git.edit(path, r"\Z", f"# turn {number}\n")
        git("commit", "-q", "-a", "-m", f"Turn {number}")
    git("repack", "-adq")
    folder = os.path.join(git.tree, ".git", "objects", "pack")
    pack = next(one for one in sorted(os.listdir(folder)) if one.endswith(".idx"))
    text = git("verify-pack", "-v", f".git/objects/pack/{pack}")
    rows = [line.split() for line in text.splitlines() if re.match(r"[0-9a-f]{40} \w", line)]
    large = sorted(rows, key=lambda row: -int(row[2]))[:15]
    facts = [Fact("odd", (), (row[0], row[2])) for row in large]
    facts += [Fact("odd", (), (row[0], row[1])) for row in rows if row[1] == "commit"]
    facts += [Fact("name", (one,)) for one in dict.fromkeys(row[1] for row in rows)]
    deep = max(int(row[5]) for row in rows if len(row) > 5)
    facts += [Fact("odd", (), (row[0], row[5])) for row in rows if len(row) > 5 and int(row[5]) == deep]
    facts += last_words(text, r"^chain length = .*|^non delta: .*")
    yield Item(name, GIT, "text", "git verify-pack -v", text, said_in(facts, text))


def tag_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git tag -n9`; the facts are the tags and the first line of each, and the lines of those that were withdrawn."""
    git = Repository(shop, name, source)
    facts = []
    for number in range(160):
        version = f"v{number // 40}.{number // 8 % 5}.{number % 8}" + ("-rc.1" if number % 17 == 9 else "")
        title = f"Release {version[1:]} of the shelves"
        lines = [f"Door {number} opens to the {('left', 'right')[number % 2]}", f"Weighed by keeper {number % 7}"]
        if number % 31 == 12:
            title, lines = f"Release {version[1:]}, withdrawn", [f"Box {number} falls down when door {number} is open"]
            facts += [Fact("message", (lines[0],))]
        git("tag", "-a", version, "-m", "\n\n".join((title, "\n".join(lines))))
        facts += [Fact("odd", (), (version, title)), Fact("name", (version,))]
    text = git("tag", "-n9", "--sort=creatordate")
    yield Item(name, GIT, "text", "git tag -n9", text, said_in(facts, text))


def fsck_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git fsck` of a repository that lost objects; the facts are its kinds, and every object that is lost or broken."""
    git = Repository(shop, name, source)
    for number in range(120):
        git.edit(git.sources()[number], r"\Z", f"# side {number}\n")
        git("commit", "-q", "-a", "-m", f"Side {number}")
        git("reset", "-q", "--hard", "HEAD~1")
    git("reflog", "expire", "--expire=now", "--all")
    rows = [line.split() for line in git("ls-tree", "-r", "HEAD").splitlines()]
    lost, broken = [row[2] for row in rows[11::97]], [row[2] for row in rows[30::150]]
    for one in lost:
        os.remove(os.path.join(git.tree, ".git", "objects", one[:2], one[2:])) if one not in broken else None
    for one in set(broken) - set(lost):
        where = os.path.join(git.tree, ".git", "objects", one[:2], one[2:])
        os.chmod(where, 0o644)
        write(where, "no object any more")
    text = git("fsck", "--full", "--no-progress")
    facts = [Fact("message", (f"missing blob {one}",)) for one in lost]
    facts += [Fact("message", (f"{one}: object corrupt or missing",)) for one in broken]
    facts += [Fact("name", (one,)) for one in re.findall(r"^dangling \w+ ([0-9a-f]{40})$", text, re.MULTILINE)]
    facts += [Fact("message", (one,)) for one in ("dangling commit", "dangling blob", "missing blob", "error:")]
    yield Item(name, GIT, "text", "git fsck --full", text, said_in(facts, text))


def rebase_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git rebase` that stops at conflicts; the facts are the unmerged entries of the index, and the commit."""
    git = Repository(shop, name, source)
    paths = [path for path in git.sources() if os.path.getsize(os.path.join(git.tree, path)) > 900][:180]
    git("checkout", "-q", "-b", "theirs")
    for number, path in enumerate(paths):
        if number % 29 == 11:
            git("rm", "-q", path)
        elif number % 31 == 7:
            git("mv", path, path.replace(".py", "_theirs.py"))
        else:
            git.edit(path, r"\A", f"# theirs {number}\n")
    git.commit("Open every door the other way")
    git("checkout", "-q", "main")
    for number, path in enumerate(paths):
        if number % 31 == 7:
            git("mv", path, path.replace(".py", "_ours.py"))
        else:
            git.edit(path, r"\Z" if number % 5 == 2 else r"\A", f"# ours {number}\n")
    git.commit("Label every door")
    git("checkout", "-q", "theirs")
    text = git("rebase", "main")
    rows = [line.split("\t") for line in git("ls-files", "-u").splitlines()]
    stuck = list(dict.fromkeys(path for _, path in rows))
    facts = [Fact("odd", (), (path, "CONFLICT")) for path in stuck]
    facts += [Fact("path", (path,)) for path in stuck] + list(directory_facts("", stuck))
    facts += last_words(text, r"^error: could not apply .*|^CONFLICT \(modify/delete\): \S+|^Could not apply .*")
    yield Item(name, GIT, "text", "git rebase main", text, said_in(facts, text))


RECIPES = {
    "git-push-branches": partial(push_run, "git-push-branches", "click==8.1.7"),
    "git-bisect-run": partial(bisect_run, "git-bisect-run", "click==8.1.7"),
    "git-verify-pack": partial(pack_run, "git-verify-pack", "werkzeug==3.0.4"),
    "git-tag-notes": partial(tag_run, "git-tag-notes", "click==8.1.7"),
    "git-fsck-lost": partial(fsck_run, "git-fsck-lost", "sphinx==7.4.0"),
    "git-rebase-main": partial(rebase_run, "git-rebase-main", "sphinx==7.4.0"),
}
