"""Subcommands of git that nobody tunes on: what they print of repositories made here; git's porcelain tells the facts."""

import glob
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

GIT = "git"
WHO = ["git", "-c", "user.name=Ada Keeper", "-c", "user.email=ada@example.org", "-c", "advice.detachedHead=false"]


class Repository:
    """A package's sources as a repository with one commit."""

    def __init__(self, shop: Shop, name: str, source: str) -> None:
        self.shop = shop
        self.tree = shop.sdist(source, shop.room(name))
        self("init", "-q", "-b", "main")
        self("add", "-A", "-f")
        self("commit", "-q", "-m", "Import the release")

    def __call__(self, *arguments: str) -> str:
        return self.shop.run([*WHO, *arguments], self.tree).text

    def sources(self, pattern: str = "**/*.py") -> list[str]:
        found = glob.glob(os.path.join(self.tree, pattern), recursive=True)
        return sorted(os.path.relpath(one, self.tree) for one in found if os.path.getsize(one) > 400)

    def edit(self, path: str, old: str, new: str, count: int = 1) -> None:
        where = os.path.join(self.tree, path)
        write(where, re.sub(old, new, read(where), count=count))

    def commit(self, subject: str) -> None:
        self("add", "-A")
        self("commit", "-q", "-m", subject)


def status_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git status` of a tree in full swing; the facts are those of its porcelain."""
    git = Repository(shop, name, source)
    for number, path in enumerate(git.sources()):
        where = os.path.join(git.tree, path)
        if number % 47 == 5:
            git("rm", "-q", path)
        elif number % 53 == 7:
            git("mv", path, path.replace(".py", "_moved.py"))
        elif number % 61 == 11:
            os.remove(where)
        elif number % 2 == 0:
            git.edit(path, r"\Z", "# changed\n")
            if number % 6 == 0:
                git("add", path)
        if number % 17 == 3:
            write(f"{where}.orig", "left behind\n")
    text = git("status")
    facts = [Fact("message", (one,)) for one in ("Changes to be committed:", "Changes not staged", "Untracked files:")]
    paths = []
    for line in git("status", "--porcelain").splitlines():
        state, path = line[:2], line[3:]
        paths += path.split(" -> ")
        said = {"R": "renamed:", "D": "deleted:"}.get(state.strip()[0])
        facts += [Fact("odd", (), (paths[-1], said))] if said else []
    facts += [Fact("path", (path,)) for path in paths]
    yield Item(name, GIT, "text", "git status", text, said_in((*facts, *directory_facts("", paths)), text))


def merge_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git merge` with conflicts of four kinds; the facts are the unmerged entries of the index."""
    git = Repository(shop, name, source)
    paths = git.sources()
    for branch, word in (("theirs", "lower"), ("main", "upper")):
        git("checkout", "-q", *(["-b", branch] if branch == "theirs" else [branch]))
        for number, path in enumerate(paths):
            ours = branch == "main"
            if number % 41 == (3 if ours else 9):
                os.remove(os.path.join(git.tree, path))
            elif number % 41 in {3, 9} or number % 2 == 0:
                git.edit(path, r"\A", f"# kept in {word if number % 4 else 'the same'} case\n")
            elif number % 3 == 0:
                git.edit(path, r"\A" if ours else r"\Z", f"# {word}\n")
        write(os.path.join(git.tree, "SHELVES.md"), f"# Shelves in {word} case\n")
        git.commit(f"Write it in {word} case")
    text = git("merge", "theirs")
    kinds = {"123": "CONFLICT (content)", "12": "modify/delete", "13": "modify/delete", "23": "CONFLICT (add/add)"}
    stages: dict[str, str] = {}
    for line in git("ls-files", "-u").splitlines():
        about, path = line.split("\t")
        stages[path] = stages.get(path, "") + about.split()[2]
    facts = [Fact("message", (one,)) for one in (*kinds.values(), "Automatic merge failed; fix conflicts")]
    facts += [Fact("path", (path,)) for path in stages]
    facts += [Fact("odd", (), (path, kinds[at].strip(")"))) for path, at in stages.items() if at != "123"]
    yield Item(name, GIT, "text", "git merge theirs", text, said_in((*facts, *directory_facts("", stages)), text))


def series_of(git: Repository, branch: str, skip: int, words: tuple[str, ...]) -> None:
    """A branch of small commits; what is skipped and what is worded otherwise is what a second version changes."""
    git("checkout", "-q", "-b", branch, "main")
    for number, path in enumerate(git.sources()[:70]):
        if number % 13 != skip:
            changed = words[1] if number % 3 == 2 else words[0]
            git.edit(path, r"\n\n", f"\n# shelf {number} is kept\n# {changed}\n\n", 2)
            git.commit(f"Keep shelf {number} of {os.path.basename(path)}")


def range_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git range-diff` of two versions of a series; the facts are the commits that differ."""
    git = Repository(shop, name, source)
    series_of(git, "first", 4, ("in order", "in order"))
    series_of(git, "second", 8, ("in order", "in no order at all"))
    text = git("range-diff", "main", "first", "second")
    facts = []
    for line in git("range-diff", "--no-patch", "main", "first", "second").splitlines():
        if found := re.match(r"\s*[\d-]+:\s+\S+ ([=!<>])\s+[\d-]+:\s+\S+ (.*)", line):
            facts.append(Fact("odd", (), (found[2], found[1])) if found[1] in "<>" else Fact("message", (found[2],)))
            facts += [Fact("odd", (line.strip(),))] if found[1] == "!" else []
    yield Item(name, GIT, "text", "git range-diff main first second", text, said_in(facts, text))


def branches_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git branch -avv` of a clone; the facts are what `git for-each-ref` says: every branch, its upstream's state."""
    git = Repository(shop, name, source)
    where = os.path.join(os.path.dirname(git.tree), "clone")
    git("commit", "-q", "--allow-empty", "-m", "Name the shelves")
    subjects = ("fix", "feature", "chore", "release")
    names = [f"{subjects[number % 4]}/{1000 + number * 7}-shelf-{number}" for number in range(90)]
    for number, one in enumerate(names):
        git("branch", one, "main~1" if number % 3 else "main")
    shop.run([*WHO, "clone", "-q", git.tree, where], git.tree)
    git.tree, origin = where, git.tree
    for number, one in enumerate(names[::2]):
        git("branch", "-q", "--track", one, f"origin/{one}")
        if number % 8 == 3:
            git("branch", "-f", one, "main")
            shop.run([*WHO, "branch", "-D", one], origin)
    git("checkout", "-q", "-b", "wip/scales")
    git("commit", "-q", "--allow-empty", "-m", "Weigh parcels twice")
    git("fetch", "-q", "--prune")
    text = git("branch", "-avv")
    facts = [Fact("message", ("Weigh parcels twice",)), Fact("message", ("* wip/scales",))]
    rows = git("for-each-ref", "--format=%(refname:short)%09%(upstream:track)", "refs/heads", "refs/remotes")
    for row in rows.splitlines():
        branch, state = row.split("\t")
        facts.append(Fact("path", (branch,)))
        facts += [Fact("odd", (), (branch, state.strip("[]")))] if state else []
    yield Item(name, GIT, "text", "git branch -avv", text, said_in(facts, text))


def grep_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """`git grep -n -p`; the facts are the files that `git grep -c` counts, the ten with most with their last match."""
    git = Repository(shop, name, source)
    text = git("grep", "-n", "-p", pattern)
    counts = dict(line.rsplit(":", 1) for line in git("grep", "-c", pattern).splitlines())
    facts = [Fact("path", (path,)) for path in counts]
    for path in sorted(counts, key=lambda path: -int(counts[path]))[:10]:
        places = re.findall(rf"^({re.escape(path)}:\d+):", text, re.MULTILINE)
        facts += [Fact("location", (places[-1],))] if places else []
    facts += directory_facts("", counts)
    yield Item(name, GIT, "text", f"git grep -n -p {pattern}", text, said_in(facts, text))


def patches_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git format-patch --stdout` of a series; the facts are its commits, their paths, and a line of each."""
    git = Repository(shop, name, source)
    series_of(git, "first", 4, ("in order", "in no order at all"))
    text = git("format-patch", "--stdout", "main")
    facts = [Fact("message", (one,)) for one in git("log", "--format=%s", "main..").splitlines()]
    paths = git("diff", "--name-only", "main").splitlines()
    facts += [Fact("path", (path,)) for path in paths]
    facts += [Fact("change", (f"+# shelf {number} is kept",)) for number in range(70)]
    yield Item(name, GIT, "text", "git format-patch main", text, said_in(facts, text))


def apply_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git apply --reject` of a patch that fits partly; the facts are the files that are left with rejected hunks."""
    git = Repository(shop, name, source)
    paths = git.sources()
    for number, path in enumerate(paths):
        if number % 2 == 0:
            git.edit(path, r"\A", "# first\n")
            git.edit(path, r"\Z", "# last\n")
    write(os.path.join(git.tree, "..", "all.patch"), git("diff"))
    git("checkout", "-q", ".")
    for number, path in enumerate(paths):
        if number % 12 == 2:
            git.edit(path, r"\A", "# somebody else was first\n")
        if number % 30 == 8:
            os.remove(os.path.join(git.tree, path))
    text = git("apply", "--reject", "--verbose", os.path.join("..", "all.patch"))
    bad = [one.removesuffix(".rej") for one in git("ls-files", "-o").split() if one.endswith(".rej")]
    lost = [path for number, path in enumerate(paths) if number % 30 == 8]
    facts = [Fact("odd", (), (f"patch failed: {path}",)) for path in bad]
    facts += [Fact("odd", (), (path, "No such file or directory")) for path in lost if path not in bad]
    facts += [Fact("path", (path,)) for path in (*bad, *lost)] + [Fact("message", ("Rejected hunk #1",))]
    yield Item(name, GIT, "text", "git apply --reject all.patch", text, said_in(facts, text))


RECIPES = {
    "git-status": partial(status_run, "git-status", "docutils==0.21.2"),
    "git-merge": partial(merge_run, "git-merge", "pygments==2.18.0"),
    "git-range-diff": partial(range_run, "git-range-diff", "werkzeug==3.0.3"),
    "git-branch": partial(branches_run, "git-branch", "click==8.1.7"),
    "git-grep": partial(grep_run, "git-grep", "twisted==24.7.0", "raise ValueError"),
    "git-format-patch": partial(patches_run, "git-format-patch", "jinja2==3.1.4"),
    "git-apply": partial(apply_run, "git-apply", "pygments==2.18.0"),
}
