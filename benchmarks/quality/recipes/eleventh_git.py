"""Further subcommands of git and tools that read its history; git's plumbing or what was planted tells the facts."""

import os
import re
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.eleventh_tools import TOOLS
from recipes.fourth_git import Repository
from recipes.held_suites import write
from recipes.tenth_tools import each, made, matches, pairs, recipes

GIT, CHANGES, LINTER = "git", "changelog", "linter"


def clean_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git clean -ndx` of a tree in which much was built; the facts are planted: all that would go, and what is skipped."""
    git = Repository(shop, name, "werkzeug==3.0.4")
    write(os.path.join(git.tree, ".gitignore"), "*.pyc\n__pycache__/\n*.tmp\n/out/\n")
    git.commit("Ignore what is built")
    lost: list[str] = []
    for n, path in enumerate(git.sources()):
        folder, stem = os.path.dirname(path), os.path.basename(path).removesuffix(".py")
        if n % 3 == 0:
            write(os.path.join(git.tree, path.replace(".py", ".tmp")), "x")
            lost.append(path.replace(".py", ".tmp"))
        if n % 4 == 1:
            write(os.path.join(git.tree, folder, f"{stem}.rej"), "x")
            lost.append(f"{folder}/{stem}.rej")
        if n % 5 == 2:
            write(os.path.join(git.tree, folder, f"cache_of_{stem}", "a.pyc"), "x")
            lost.append(f"{folder}/cache_of_{stem}/")
    for n in range(150):
        write(os.path.join(git.tree, f"ferry_{n}_of_pier_{n % 7}.orig"), "x")
        lost.append(f"ferry_{n}_of_pier_{n % 7}.orig")
    nested = [f"vendor/{one}" for one in ("rope", "lamp", "chart")]
    for one in nested:
        write(os.path.join(git.tree, one, "x.txt"), "x")
        shop.run(["git", "init", "-q"], os.path.join(git.tree, one)).check()
    text = git("clean", "-ndx")
    facts = [*each("path", lost), *each("message", (f"Would skip repository {one}" for one in nested))]
    yield made(name, GIT, "git clean -ndx", text, [*facts, *directory_facts("", (one.rstrip("/") for one in lost))])


IGNORES = {
    ".gitignore": ("*.log", "/out/", "*.o", "node_modules/", "!keep.log", "secret-*.env"),
    "deck/.gitignore": ("chart-*.png", "/berth/", "*.bak"),
    "pier/.gitignore": ("*", "!*.md", "!.gitignore"),
}


def ignore_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git check-ignore -v -n` of many paths; the facts are planted: every rule with a path that it meets, and the paths that no rule meets."""
    git = Repository(shop, name, "click==8.1.7")
    for path, rules in IGNORES.items():
        write(os.path.join(git.tree, path), "\n".join(rules) + "\n")
    kinds = ("tide-{n}.log", "out/hull-{n}.bin", "deck/hull-{n}.o", "web/node_modules/rope-{n}/index.js", "deck/chart-{n}.png", "deck/berth/slot-{n}.txt", "pier/list-{n}.csv", "deck/list-{n}.bak")  # fmt: skip
    paths = [kinds[n % 8].format(n=n) for n in range(260)]
    odd = [f"crew/roster-{n}.csv" for n in range(9)] + ["secret-north.env", "keep.log", "pier/README.md"]
    for n, path in enumerate(odd):
        paths.insert(n * 17 + 5, path)
    write(os.path.join(git.tree, "..", "paths.txt"), "\n".join(paths) + "\n")
    text = shop.run(["sh", "-c", "git check-ignore -v -n --no-index --stdin < ../paths.txt"], git.tree).text
    met: dict[str, list[str]] = {}
    for line in text.splitlines():
        rule, path = line.split("\t")
        met.setdefault(rule, []).append(path)
    facts = [Fact("record", tuple(paths), (rule,)) for rule, paths in met.items() if rule != "::"]
    yield made(name, GIT, "git check-ignore -v -n --stdin", text, [*facts, *each("path", odd)])


def cherry_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git cherry -v` of a branch of which some was taken over already; the facts are planted: what was, and the ends."""
    git = Repository(shop, name, "click==8.1.7")
    git("checkout", "-q", "-b", "topic")
    for n in range(150):
        write(os.path.join(git.tree, "ropes", f"rope_{n}.txt"), "hemp\n" * (n + 3))
        git.commit(f"{('Splice', 'Coil', 'Tar')[n % 3]} rope {n} for berth {n * 7 % 31}")
    commits = [line.split("\t") for line in git("log", "--reverse", "--format=%H\t%s", "main..topic").splitlines()]
    taken = commits[6::19]
    git("checkout", "-q", "main")
    for sha, _ in taken:
        git("cherry-pick", "--no-commit", sha)
        git("commit", "-q", "-m", f"Take {sha[:7]} over")
    text = git("cherry", "-v", "main", "topic")
    done = re.findall(r"^(- [0-9a-f]{40}) (.*)$", text, re.MULTILINE)
    facts = [*pairs(done), *each("message", (subject for _, subject in (commits[0], commits[-1])))]
    yield made(name, GIT, "git cherry -v main topic", text, facts)


def pick_run(name: str, shop: Shop) -> Iterator[Item]:
    """`git cherry-pick` of a branch that stops at a conflict; the facts are planted: every subject, new files, what clashes, what git asks for."""
    git = Repository(shop, name, "click==8.1.7")
    sources, new = git.sources("src/**/*.py"), []
    git("checkout", "-q", "-b", "topic")
    for n in range(90):
        git.edit(sources[0 if n == 88 else n % (len(sources) - 1) + 1], r"\Z", f"# lamp {n}\n")
        if n % 11 == 4:
            new.append(f"docs/lamp_{n}.rst")
            write(os.path.join(git.tree, new[-1]), "lamp\n" * n)
        if n == 88:
            git.edit(sources[0], r"\A", "# lit by the topic\n")
        git.commit(f"{'Revert' if n % 41 == 9 else 'Light'} lamp {n} at pier {n % 12}")
    git("checkout", "-q", "main")
    git.edit(sources[0], r"\A", "# lit by the main branch\n")
    git.commit("Light the first lamp")
    text = git("cherry-pick", "main~1..topic")
    subjects = [f"{'Revert' if n % 41 == 9 else 'Light'} lamp {n} at pier {n % 12}" for n in range(89)]
    facts = [*each("message", subjects), *each("path", new)]
    facts += matches(text, r"^CONFLICT .*", r"^error: .*", r"^hint: .*", r"^Auto-merging .*")
    yield made(name, GIT, "git cherry-pick main~1..topic", text, facts)


KINDS = ("feat", "fix", "docs", "perf", "refactor", "test", "chore", "ci")
SCOPES = ("berth", "chart", "crew", "deck", "engine", "fuel", "gate")


def cliff_run(name: str, shop: Shop) -> Iterator[Item]:
    """The changelog that git-cliff writes; the facts are planted: every version, group and scope, what breaks, the first and last entry."""
    git = Repository(shop, name, "click==8.1.7")
    facts: list[Fact] = []
    for n in range(230):
        kind, scope, breaks = KINDS[n * 5 % 8], SCOPES[n % 7], n % 31 == 12 and KINDS[n * 5 % 8] in {"feat", "fix"}
        subject = f"let ferry {n} wait for tide {n * 13 % 61}"
        words = ["-m", f"{kind}({scope}){'!' if breaks else ''}: {subject}"]
        words += ["-m", f"BREAKING CHANGE: ferries before {n} no longer fit"] if breaks else []
        git("commit", "-q", "--allow-empty", "--date", f"2026-0{n // 30 + 1}-11T09:00:00Z", *words)
        facts += each("message", [f"[**breaking**] Let ferry {n} wait for tide {n * 13 % 61}"] * breaks)
        if n % 29 == 20:
            git("tag", f"v{n // 29 + 1}.{n % 4}.0")
            facts += each("message", [f"[{n // 29 + 1}.{n % 4}.0]"])
    text = shop.run([TOOLS.python_tool(shop, "git-cliff"), "--offline"], git.tree, apart=True).text
    groups = dict.fromkeys(re.findall(r"^### (.*)$", text, re.MULTILINE))
    facts += [*each("message", groups), *each("message", (f"*({one})*" for one in SCOPES))]
    yield made(name, CHANGES, "git-cliff", text, facts)


SUBJECTS = (
    "Coil rope {n} and put it where every keeper of every pier in every harbour will find it",
    "coil rope {n}.",
    "WIP coil rope {n}",
    "Coil rope {n} ",
    "Coil\trope {n}",
    "Coil rope {n}",
)


def gitlint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gitlint says of a branch; the facts are its own lines: every rule with what it says, and every commit of which it speaks."""
    git = Repository(shop, name, "click==8.1.7")
    for n in range(80):
        body = ("", "too short", "rope " * 30, f"Because rope {n} was left in the rain, it has to be dried first.")[
            n % 4
        ]
        git(
            "commit",
            "-q",
            "--allow-empty",
            "--cleanup=verbatim",
            "-m",
            SUBJECTS[n % 6].format(n=n),
            *(["-m", body] if body else []),
        )
    text = shop.run([TOOLS.python_tool(shop, "gitlint"), "--commits", "HEAD~80..HEAD"], git.tree).text
    rows = re.findall(r"^\d+: (\w+) ([^:]*?)(?:: \"(.*)\")?$", text, re.MULTILINE)
    facts = [*each("message", re.findall(r"^Commit ([0-9a-f]{10})", text, re.MULTILINE))]
    facts += [*each("code", (row[0] for row in rows)), *each("message", (row[1] for row in rows))]
    facts += each("message", (row[2].strip()[:60] for row in rows if row[2] and row[0][0] == "T" and len(row[2]) > 12))
    yield made(name, LINTER, "gitlint --commits HEAD~80..HEAD", text, facts)


RECIPES = recipes(
    ("git-clean-werkzeug", clean_run),
    ("git-check-ignore-click", ignore_run),
    ("git-cherry-click", cherry_run),
    ("git-cherry-pick-click", pick_run),
    ("git-cliff-ferries", cliff_run),
    ("gitlint-ropes", gitlint_run),
)
