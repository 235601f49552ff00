"""Further subcommands of git, as people meet them every day; git's plumbing or what was planted tells the facts."""

import os
from collections.abc import Iterator

from items import Fact, Item
from reports import changed_facts, directory_facts
from shop import Shop

from recipes.diffs import history
from recipes.fourth_git import Repository
from recipes.tenth_tools import each, made, matches, pairs, recipes

GIT, DIFFERENCE = "git", "difference"


def fetch_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git fetch --prune --tags` after a month; the facts are planted: what is new, forced, gone or refused."""
    git = Repository(shop, name, "werkzeug==3.0.4")
    here = os.path.join(os.path.dirname(git.tree), "here")
    branches = [f"{('feature', 'bugfix', 'user/ines')[n % 3]}/FER-{1000 + n * 7}-timetable" for n in range(150)]
    for branch in branches[:80]:
        git("branch", branch)
    for n in range(12):
        git("tag", f"v2.{n}.0")
    shop.run(["git", "clone", "-q", f"file://{git.tree}", here], shop.root).check()
    git.edit(git.sources()[0], r"\Z", "# a month later\n")
    git.commit("Sail on")
    moved, forced, gone = branches[0:80:4], branches[1:80:9], branches[2:80:13]
    for branch in [*moved, *branches[80:]]:
        git("branch", "-f", branch, "main")
    apart = git("commit-tree", "-m", "Begin anew", "main^{tree}").strip()
    for branch in forced:
        git("branch", "-f", branch, apart)
    for branch in gone:
        git("branch", "-D", branch)
    for n in range(12, 30):
        git("tag", f"v2.{n}.0", "main")
    for n in (3, 8):
        git("tag", "-f", f"v2.{n}.0", "main")
    text = shop.run(["git", "fetch", "--prune", "--tags"], here).text.replace(git.tree, "/srv/ferries")
    facts = pairs(("[deleted]", f"origin/{one}") for one in gone)
    facts += pairs((one, "forced update") for one in forced if one not in gone and one not in moved)
    facts += pairs(("[new branch]", one) for one in branches[80:])
    facts += pairs(("[new tag]", f"v2.{n}.0") for n in range(12, 30))
    facts += pairs(("[rejected]", f"v2.{n}.0", "would clobber existing tag") for n in (3, 8))
    facts += each("name", (f"origin/{one}" for one in ["main", *moved] if one not in gone))
    yield made(name, GIT, "git fetch --prune --tags", text, facts)


def pull_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git pull` over a release; the facts are those of `--numstat` and `--name-status`."""
    origin = history(shop, name, ("werkzeug==2.2.0", "werkzeug==3.0.4"))
    here = os.path.join(os.path.dirname(origin), "here")
    shop.run(["git", "clone", "-q", f"file://{origin}", here], shop.root).check()
    shop.run(["git", "reset", "-q", "--hard", "HEAD~1"], here)
    between = ["HEAD", "origin/HEAD", "--", "."]
    rows = [row.split("\t") for row in shop.run(["git", "diff", "--numstat", *between], here).text.splitlines()]
    kinds = [row.split("\t") for row in shop.run(["git", "diff", "--name-status", *between], here).text.splitlines()]
    text = shop.run(["git", "pull", "--ff-only"], here, env={"COLUMNS": "170"}).text.replace(origin, "/srv/werkzeug")
    large = sorted((row for row in rows if row[0].isdigit()), key=lambda row: -int(row[0]) - int(row[1]))[:10]
    facts = [Fact("path", (paths[-1],)) for kind, *paths in kinds if kind[0] in "AD"]
    facts += pairs((path, int(plus) + int(minus)) for plus, minus, path in large if " => " not in path)
    plain = [path for _, _, path in rows if " => " not in path]
    facts += [Fact("path", (path,)) for path in plain]
    facts += matches(text, r"^ \d+ files changed.*", r"^Updating .*", r"^Fast-forward")
    yield made(name, GIT, "git pull --ff-only", text, facts)


def stash_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git stash show -p` of work in twenty files; the facts are git's counts."""
    git = Repository(shop, name, "click==8.1.7")
    for n, path in enumerate(git.sources("src/**/*.py") + git.sources("examples/**/*.py")):
        git.edit(path, r"\n\n\ndef (\w+)\(", rf"\n\n\ndef \1_at_pier_{n}(", count=1 + n % 5)
        git.edit(path, r"(?m)^import (\w+)$", rf"import \1  # moved to pier {n}", count=2)
    git("stash", "push", "-q", "-m", "piers")
    numstat = git("stash", "show", "--numstat", "stash@{0}")
    text = git("stash", "show", "-p", "stash@{0}")
    yield made(name, DIFFERENCE, "git stash show -p", text, changed_facts(numstat, "", text), "diff")


def index_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git ls-files -s` in the middle of a merge; the facts are odd modes, conflicts, and the directories."""
    git = Repository(shop, name, "werkzeug==3.0.4")
    for n, path in enumerate(git.sources("tests/**/*.py")[:6]):
        os.symlink(os.path.basename(path), os.path.join(git.tree, os.path.dirname(path), f"link_{n}.py"))
    os.chmod(os.path.join(git.tree, "docs", "conf.py"), 0o755)
    git.commit("Link")
    clashing = git.sources("src/**/*.py")[3:40:7]
    for side in ("theirs", "main"):
        git(*(("checkout", "-q", "-b", side) if side == "theirs" else ("checkout", "-q", side)))
        for path in clashing:
            git.edit(path, r"\A", f"# the ferry of {side}\n")
        git.commit(f"Sail with {side}")
    git("merge", "theirs")
    text = git("ls-files", "-s")
    rows = [(mode, name_, stage, path) for line in text.splitlines() for head, path in [line.split("\t")] for mode, name_, stage in [head.split()]]  # fmt: skip
    facts = pairs((mode, path) for mode, _, _, path in rows if mode != "100644")
    facts += [Fact("odd", (), (stage, path)) for _, _, stage, path in rows if stage != "0"]
    facts += directory_facts("", (path for *_, path in rows))
    yield made(name, GIT, "git ls-files -s", text, facts)


RECIPES = recipes(
    ("git-fetch-ferries", fetch_run),
    ("git-pull-werkzeug", pull_run),
    ("git-stash-click", stash_run),
    ("git-ls-files-werkzeug", index_run),
)
