"""Version control and listings that nobody tunes on; the facts are what was put there, or what the tools say for machines."""

import hashlib
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.fifth_suites import last_words
from recipes.fourth_git import Repository
from recipes.held_suites import write

HISTORY, LISTING, SEARCH = "history", "listing", "search"


def bazaar_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`brz log -v` of forty revisions; the facts are what was done."""
    shop.install("brz")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    env = {"BRZ_EMAIL": "Ada Keeper <ada@example.org>", "BRZ_HOME": room, "PATH": "/usr/bin:/bin"}
    shop.run(["brz", "init", "-q", "."], tree, env=env).check()
    shop.run(["brz", "add", "-q", "."], tree, env=env).check()
    shop.run(["brz", "commit", "-q", "-m", "Import the release"], tree, env=env).check()
    paths = sorted(
        os.path.relpath(os.path.join(folder, file), tree)
        for folder, _, files in os.walk(tree)
        for file in files
        if file.endswith((".py", ".rst", ".txt", ".md")) and ".bzr" not in folder and " " not in file
    )
    facts: list[Fact] = []
    for number in range(38):
        touched = paths[number * 3 : number * 3 + 1 + number % 3]
        for path in touched:
            with open(os.path.join(tree, path), "a", encoding="utf-8") as out:
                out.write(f"# shelf {number}\n")
        if number % 9 == 4:
            shop.run(["brz", "rm", "-q", paths[-number]], tree, env=env)
            facts.append(Fact("path", (paths[-number],)))
        said = f"Weigh shelf {number} {('twice', 'again', 'later')[number % 3]}"
        who = "Bo Carrier <bo@example.org>" if number in {7, 19} else env["BRZ_EMAIL"]
        shop.run(["brz", "commit", "-q", "-m", said, "--author", who], tree, env=env).check()
        facts += [Fact("message", (said,)), *(Fact("path", (path,)) for path in touched)]
    facts += [Fact("message", ("Bo Carrier",)), Fact("message", ("Import the release",))]
    text = shop.run(["brz", "log", "-v", "-r2.."], tree, env=env).text
    yield Item(name, HISTORY, "text", "brz log -v", text, said_in(facts, text))


def reflog_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git reflog` of a busy day; the facts are what was done: commits, branches, resets, rebases."""
    git = Repository(shop, name, source)
    facts = []
    paths = git.sources()
    for number in range(190):
        git.edit(paths[number % len(paths)], r"\Z", f"# {number}\n")
        git.commit(f"Keep shelf {number} of area {number % 7}")
        if number % 17 == 9:
            git("checkout", "-q", "-b", f"area/{number}")
            facts += [Fact("message", (f"to area/{number}",))]
        if number % 23 == 11:
            git("reset", "-q", "--hard", "HEAD~2")
            facts += [Fact("message", ("reset: moving to HEAD~2",))]
        if number % 37 == 20:
            git("commit", "-q", "--amend", "-m", f"Keep shelf {number} for good")
            facts += [Fact("message", (f"commit (amend): Keep shelf {number} for good",))]
    git("cherry-pick", "HEAD~1", "-X", "theirs", "--allow-empty")
    git("cherry-pick", "--abort")
    git("checkout", "-q", "main")
    git("merge", "-q", "-m", "Bring the areas home", "area/94")
    text = git("reflog")
    rows = git("log", "-g", "--format=%gd%x09%gs").splitlines()
    subjects = [row.split("\t")[1] for row in rows]
    kinds = Counter(one.split(":")[0] for one in subjects)
    facts += [Fact("message", (one,)) for one in subjects if kinds[one.split(":")[0]] <= 12]
    facts += [Fact("message", (kind,)) for kind in kinds]
    facts += [Fact("message", (row.replace("\t", ": "),)) for row in (rows[0], rows[-1])]
    yield Item(name, HISTORY, "text", "git reflog", text, said_in(facts, text))


def patch_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`patch --dry-run` of a change that fits partly; the facts are the files whose hunks fail, lie elsewhere or are lost."""
    git = Repository(shop, name, source)
    paths = git.sources()
    for number, path in enumerate(paths):
        if number % 2 == 0:
            git.edit(path, r"\n\n", f"\n# first {number}\n\n", 1)
            git.edit(path, r"\Z", "# last\n")
    write(os.path.join(git.tree, "..", "all.patch"), git("diff"))
    git("checkout", "-q", ".")
    moved, broken, gone = [], [], []
    for number, path in enumerate(paths):
        if number % 10 == 4:
            git.edit(path, r"\A", "# moved down\n" * 4)
            moved.append(path)
        elif number % 16 == 6:
            git.edit(path, r"\n\n", "\n# somebody else was here\n# and here\n# and there\n\n", 3)
            git.edit(path, r"\A(?:.*\n){3}", "# x\n# y\n# z\n")
            broken.append(path)
        elif number % 38 == 8:
            os.remove(os.path.join(git.tree, path))
            gone.append(path)
    text = shop.run(["patch", "-p1", "--dry-run", "--batch", "-i", "../all.patch"], git.tree).text
    blocks = re.split(r"^(?=checking file )", text, flags=re.MULTILINE)
    facts = [Fact("path", (path,)) for path in (*broken, *gone, *moved)]
    for block in blocks:
        facts += [
            Fact("message", (line.strip(),))
            for line in re.findall(r"^\d+ out of \d+ hunks? (?:FAILED|ignored).*", block, re.MULTILINE)
        ]
    facts += [
        Fact("message", (one,))
        for one in ("can't find file to patch", "Hunk #1 FAILED", "Hunk #1 succeeded at", "Skipping patch")
    ]
    yield Item(name, HISTORY, "text", "patch -p1 --dry-run", text, said_in(facts, text))


def shelves_tree(room: str, count: int, *, seed: int = 7) -> list[str]:
    """Files of made up content below `room`."""
    chance = random.Random(seed)
    paths = []
    for number in range(count):
        path = f"area-{number % 7}/rack-{number % 4}/parcel-{number}.{('json', 'txt', 'bin')[number % 3]}"
        write(os.path.join(room, path), "".join(chance.choices("abcdefgh\n", k=200 + number)))
        paths.append(path)
    return paths


def sums_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sha256sum -c` of a list; the facts are the files that were changed or lost, the folders, and its warnings."""
    shop.need("sha256sum")
    room = shop.room(name)
    paths = shelves_tree(room, 2600)
    rows = ""
    facts = [*directory_facts("", paths)]
    for number, path in enumerate(paths):
        where = os.path.join(room, path)
        with open(where, "rb") as file:
            rows += f"{hashlib.sha256(file.read()).hexdigest()}  {path}\n"
        if number % 187 == 13:
            write(where, "changed\n")
            facts += [Fact("odd", (), (path, "FAILED"))]
        if number in {88, 1301}:
            os.remove(where)
            facts += [
                Fact("odd", (), (path, "FAILED open or read")),
                Fact("odd", (), (path, "No such file or directory")),
            ]
    write(os.path.join(room, "SHA256SUMS"), rows + "not a line of sums\n")
    text = shop.run(["sha256sum", "-c", "SHA256SUMS"], room).text
    facts += last_words(text, r"^sha256sum: WARNING.*")
    yield Item(name, LISTING, "text", "sha256sum -c SHA256SUMS", text, said_in(facts, text))


def rclone_run(name: str, shop: Shop) -> Iterator[Item]:
    """`rclone check -v` of two folders; the facts are the files that differ or miss on either side."""
    shop.install("rclone")
    room = shop.room(name)
    here = shelves_tree(os.path.join(room, "here"), 1500)
    shelves_tree(os.path.join(room, "there"), 1500)
    facts = []
    for number, path in enumerate(here):
        there = os.path.join(room, "there", path)
        if number % 141 == 11:
            write(there, "changed\n")
            facts += [Fact("odd", (), (path, "sizes differ"))]
        elif number % 267 == 20:
            os.remove(there)
            facts += [Fact("odd", (), (path, "not in"))]
    for number in range(4):
        write(os.path.join(room, "there", f"area-{number}/spare-{number}.txt"), "spare\n")
        facts += [Fact("path", (f"area-{number}/spare-{number}.txt",))]
    env = {"RCLONE_CONFIG": os.path.join(room, "rclone.conf")}
    command = ["rclone", "check", "--checkers", "1", "-vv", "here", "there"]
    text = shop.run(command, room, env=env).text.replace(f"{room}/", "")
    facts += [Fact("message", (line,)) for line in re.findall(r"(?<=: )\d+ [a-z ]+$", text, re.MULTILINE)]
    yield Item(name, LISTING, "text", "rclone check -vv here there", text, said_in(facts, text))


def silver_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What ag prints of a pattern, files as headings; the facts are the files that match and the places in the fullest ones."""
    shop.install("ag", "silversearcher-ag")
    tree = shop.sdist(source, shop.room(name))
    command = ["ag", "--nocolor", "--heading", "--break", "--numbers", "--workers", "1", pattern]
    text = shop.run(
        ["script", "-qec", " ".join(command[:-1]) + f" '{pattern}' buildbot/steps", "/dev/null"], tree
    ).text.replace("\r\n", "\n")
    counts: dict[str, list[str]] = {}
    for row in shop.run(
        ["ag", "--nocolor", "--noheading", "--nobreak", "--numbers", pattern, "buildbot/steps"], tree
    ).text.splitlines():
        if found := re.match(r"(?:\./)?([^:]+):(\d+):", row):
            counts.setdefault(found[1], []).append(found[2])
    facts = [Fact("path", (path,)) for path in counts] + [*directory_facts("", counts)]
    yield Item(name, SEARCH, "text", f"ag {pattern} buildbot/steps", text, said_in(facts, text))


RECIPES = {
    "brz-log": partial(bazaar_run, "brz-log", "werkzeug==3.0.3"),
    "git-reflog": partial(reflog_run, "git-reflog", "click==8.1.7"),
    "patch-dry-run": partial(patch_run, "patch-dry-run", "pygments==2.18.0"),
    "sha256sum-shelves": partial(sums_run, "sha256sum-shelves"),
    "rclone-check": partial(rclone_run, "rclone-check"),
    "ag-buildbot": partial(silver_run, "ag-buildbot", "buildbot==4.0.3", "raise|import"),
}
