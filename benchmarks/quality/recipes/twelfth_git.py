"""Further subcommands of git, and differences by tools that nobody tunes on; git's plumbing or what was planted tells the facts."""

import glob
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.fourth_git import Repository
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes, stripped
from recipes.twelfth_tools import TOOLS

GIT, DIFFERENCE = "git", "difference"


def am_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git am` of a series of patches until one does not apply; the facts are planted: what was warned of, what was reverted, the ends, the conflict."""
    git = Repository(shop, name, "werkzeug==3.0.4")
    sources = git.sources()
    git("checkout", "-q", "-b", "topic")
    subjects = []
    for n in range(190):
        subjects.append(
            f"{'Revert' if n % 43 == 12 else 'Moor'} ferry {n} {'at night' if n % 37 == 8 else 'by day'} at pier {n % 12} before the tide turns"
        )
        git.edit(sources[n % 40 + 1], r"\Z", f"# ferry {n}{'   ' if n % 31 == 6 else ''}\n")
        if n == 171:
            git.edit(sources[0], r"\A", "# moored by the topic\n")
        git.commit(subjects[-1])
    git("format-patch", "-q", "-o", "../patches", "main")
    git("checkout", "-q", "main")
    git.edit(sources[0], r"\A", "# moored by the main branch\n")
    git.commit("Moor the first ferry")
    text = git("am", "-3", *sorted(glob.glob(os.path.join(git.tree, "..", "patches", "*.patch"))))
    odd = [subjects[n] for n in range(172) if n % 43 == 12 or n % 37 == 8 or n in {0, 170, 171}]
    facts = [*each("message", (f"Applying: {one}" for one in odd)), *each("path", [sources[0]])]
    facts += matches(
        text,
        r"^CONFLICT .*",
        r"^error: .*",
        r"^hint: .*",
        r"^Patch failed .*",
        r"^warning: .*",
        r"^\S+:\d+: trailing whitespace",
    )
    yield made(name, GIT, "git am -3 patches/*.patch", text, facts, least=0.9)


def submodule_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git submodule status` of a tree of many; the facts are planted: every path, what is not there, what stands at another commit."""
    git = Repository(shop, name, "click==8.1.7")
    first = git("rev-parse", "HEAD").strip()
    git("tag", "v8.1.7")
    git("commit", "-q", "--allow-empty", "-m", "Go on")
    second = git("rev-parse", "HEAD").strip()
    origin = f"{git.tree}.git"
    git("clone", "-q", "--bare", ".", origin)
    facts: list[Fact] = []
    listed = []
    paths = [f"{('vendor', 'libs/native', 'plugins')[n % 3]}/ferry-of-pier-{n}" for n in range(140)]
    for n, path in enumerate(paths):
        listed.append(f'[submodule "{path}"]\n\tpath = {path}\n\turl = {origin}\n')
        git("update-index", "--add", "--cacheinfo", f"160000,{first},{path}")
        if n % 17 == 5:
            facts += each("name", [f"-{first} {path}"])
            continue
        git("clone", "-q", "--shared", "-n", origin, path)
        shop.run(
            ["git", "update-ref", "--no-deref", "HEAD", second if n % 23 == 9 else first], os.path.join(git.tree, path)
        ).check()
        facts += each("name", [f"+{second} {path}"] * (n % 23 == 9))
    write(os.path.join(git.tree, ".gitmodules"), "".join(listed))
    git("submodule", "init")
    text = git("submodule", "status")
    yield made(name, GIT, "git submodule status", text, [*facts, *each("path", paths), *directory_facts("", paths)])


def remote_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git ls-remote` of a busy repository; the facts are planted: every branch and tag, where the head points, what stands elsewhere, the ends of what was proposed."""
    git = Repository(shop, name, "click==8.1.7")
    base = git("rev-parse", "HEAD").strip()
    git("commit", "-q", "--allow-empty", "-m", "Go on")
    ahead = git("rev-parse", "HEAD").strip()
    branches = [f"refs/heads/{('fix', 'feature', 'keeper')[n % 3]}/ferry-{n}" for n in range(36)]
    tags = [f"refs/tags/v{n // 9}.{n % 9}.0" for n in range(40)]
    proposed = [f"refs/pull/{n * 7 + 3}/{('head', 'merge')[n % 2]}" for n in range(120)]
    facts = each("name", [*branches, *tags, proposed[0], proposed[-1], "refs/heads/main"])
    for n, one in enumerate([*branches, *tags, *proposed]):
        git("update-ref", one, ahead if n % 29 == 11 else base)
        facts += pairs([(ahead, one)] * (n % 29 == 11))
    for n in range(5):
        git("tag", "-a", "-m", f"Tide {n}", f"tide-{n}", base)
        facts += each("message", [f"refs/tags/tide-{n}^{{}}"])
    text = git("ls-remote", ".")
    yield made(name, GIT, "git ls-remote origin", text, [*facts, *pairs([(ahead, "HEAD")])])


def commit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `git commit` prints after a great clearing; the facts are git's raw difference: every path that came, went, moved or became a program, and the sums."""
    git = Repository(shop, name, "werkzeug==3.0.4")
    paths: list[str] = []
    for n, path in enumerate(git.sources("**/*.*")):
        where = os.path.join(git.tree, path)
        if n % 3 == 0:
            os.rename(where, re.sub(r"(\.\w+)$", r"_moved\1", where))
            paths += [path, re.sub(r"(\.\w+)$", r"_moved\1", path)]
        elif n % 7 == 1:
            os.remove(where)
            paths.append(path)
        elif n % 19 == 4:
            os.chmod(where, 0o755)
            paths.append(path)
        if n % 3 == 1:
            paths.append(f"decks/pier_{n % 6}/ferry_{n}.md")
            write(os.path.join(git.tree, paths[-1]), f"# Ferry {n}\n\nMoors at pier {n % 6}, with rope {n * 3}.\n")
    git("add", "-A")
    text = git("commit", "-m", "Clear the decks of what was left there in autumn")
    moved = re.findall(r"^ rename (.*)\{(.*) => (.*)\}(.*) \(\d+%\)$", text, re.MULTILINE)
    short = {f"{head}{old}{tail}": f"{head}{{{old} => {new}}}{tail}" for head, old, new, tail in moved}
    facts = [
        Fact("path", tuple(dict.fromkeys((one, short.get(one, one)))))
        for one in paths
        if not one.rsplit(".", 1)[0].endswith("_moved")
    ]
    facts += [*matches(text, r"^\[.*", r"^ \d+ files changed.*", r"^ mode change.*"), *directory_facts("", paths)]
    yield made(name, GIT, "git commit -m 'Clear the decks of what was left there in autumn'", text, facts)


def ferries(count: int) -> Iterator[list[object]]:
    """Rows as a harbour writes them down."""
    for n in range(count):
        yield [n, f"Ferry {n}", ("open", "done", "late")[n % 3], f"pier-{n % 12}", n * 13 % 700, f"Keeper {n % 9}"]


def changed_ferries(room: str, count: int) -> list[Fact]:
    """Two tables, and what differs between them: values, rows that came, rows that went."""
    head = "id,name,state,pier,load,keeper\n"
    old, new, facts = [head], [head], list[Fact]()
    for n, row in enumerate(ferries(count)):
        old.append(",".join(map(str, row)) + "\n")
        if n % 41 == 17:
            facts += each("name", [f"Ferry {n}"])
            continue
        if n % 7 == 3:
            row[4] = f"{n * 13 % 700 + 5000}"
            facts += each("name", [row[4]])
        if n % 53 == 20:
            row[2] = f"sunk-{n}"
            facts += each("name", [row[2]])
        new.append(",".join(map(str, row)) + "\n")
    for n in range(count, count + 6):
        new.append(f"{n},New ferry {n},open,pier-1,7,Keeper 3\n")
        facts += each("name", [f"New ferry {n}"])
    write(os.path.join(room, "old.csv"), "".join(old))
    write(os.path.join(room, "new.csv"), "".join(new))
    return facts


def csv_diff_run(name: str, shop: Shop) -> Iterator[Item]:
    """What csv-diff tells of two tables; the facts are planted: every value that changed, every row that came or went, the sums."""
    room = shop.room(name)
    facts = changed_ferries(room, 1300)
    text = shop.run([TOOLS.python_tool(shop, "csv-diff"), "old.csv", "new.csv", "--key=id"], room).text
    facts += matches(text, r"^\d+ rows? .*")
    yield made(name, DIFFERENCE, "csv-diff old.csv new.csv --key=id", text, facts)


def beside_run(name: str, shop: Shop) -> Iterator[Item]:
    """Two tables side by side by icdiff; the facts are planted: every value that changed, every row that came or went."""
    room = shop.room(name)
    facts = changed_ferries(room, 400)
    shop.install("icdiff")
    text = stripped(shop.run(["icdiff", "--cols=150", "--line-numbers", "old.csv", "new.csv"], room).text)
    yield made(name, DIFFERENCE, "icdiff --cols=150 --line-numbers old.csv new.csv", text, facts)


def words_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `wdiff -3` tells of two versions of a page; the facts are planted: every word that came, went or changed."""
    shop.install("wdiff")
    room, old, new, facts = shop.room(name), list[str](), list[str](), list[Fact]()
    for n in range(260):
        line = f"On day {n} the ferry of pier {n % 7} left with {n * 3} crates of rope and came back before the tide had turned.\n"
        old.append(line)
        if n % 4 == 2:
            line = line.replace("rope", f"lamps-{n}")
            facts += each("name", [f"lamps-{n}"])
        if n % 19 == 4:
            line = line.replace("came back", f"was lost at buoy {n}")
            facts += each("name", [f"was lost at buoy {n}"])
        if n % 31 == 8:
            line += f"Nobody has seen keeper {n} since.\n"
            facts += each("message", [f"keeper {n} since"])
        new.append(line)
    write(os.path.join(room, "old.txt"), "".join(old))
    write(os.path.join(room, "new.txt"), "".join(new))
    text = shop.run(["wdiff", "-s", "old.txt", "new.txt"], room).text
    yield made(
        name, DIFFERENCE, "wdiff -s old.txt new.txt", text, [*facts, *matches(text, r"^(?:old|new)\.txt: \d+ words")]
    )


RECIPES = recipes(
    ("git-am-ferries", am_run),
    ("git-submodule-ferries", submodule_run),
    ("git-ls-remote-ferries", remote_run),
    ("git-commit-werkzeug", commit_run),
    ("csv-diff-ferries", csv_diff_run),
    ("icdiff-ferries", beside_run),
    ("wdiff-days", words_run),
)
