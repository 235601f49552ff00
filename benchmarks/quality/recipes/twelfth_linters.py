"""A formatter, linters, scanners and checkers of packages that nobody tunes on; their reports for machines or planted faults tell the facts."""

import json
import os
import re
from collections.abc import Iterator

from items import Fact, Item
from reports import directory_facts
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write
from recipes.tenth_tools import diagnosed, each, made, matches, pairs, recipes, stripped
from recipes.third_linters import changed_by, report_file
from recipes.twelfth_tools import TOOLS, found_by

LINTER, FORMATTER, SCANNER, CHECKER = "linter", "formatter", "security scanner", "package checker"


def yapf_run(name: str, shop: Shop) -> Iterator[Item]:
    """`yapf --diff` of a package; the facts are what git counts after yapf has changed the files."""
    tree = shop.sdist("click==8.1.7", shop.room(name))
    command = [TOOLS.python_tool(shop, "yapf"), "--style", "facebook", "-r"]
    folder = "src/click"
    text = stripped(shop.run([*command, "--diff", folder], tree).text, tree)
    facts = [one for one in changed_by(shop, tree, [*command, "-i", folder]) if one.kind != "size"]  # it counts nothing
    yield made(name, FORMATTER, f"yapf --style facebook --diff -r {folder}", text, facts, "diff")


def fixit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `fixit lint` says of a package; the facts are its lines by a fixed pattern: each rule, file, message with a place, the sums."""
    tree = shop.sdist("django==5.0.9", shop.room(name))
    write(
        os.path.join(tree, "fixit.toml"),
        "[tool.fixit]\nroot = true\nenable = ['fixit.rules', 'fixit.rules.extra']\ndisable = ['fixit.rules.use_types_from_typing']\n",
    )
    command = ["lint", "django/contrib/admin", "django/forms", "django/http"]
    text = stripped(shop.run([TOOLS.python_tool(shop, "fixit"), *command], tree, seconds=500).text, tree)
    template = r"^(?P<path>\S+?)@(?P<line>\d+):(?P<column>\d+) (?P<code>\w+): (?P<said>.*)$"
    facts = found_by(text, template, "{}@{}:{}")
    yield made(name, LINTER, f"fixit {' '.join(command)}", text, [*facts, *matches(text, r"^.*\d+ files? checked.*")])


def complexity_run(name: str, shop: Shop) -> Iterator[Item]:
    """What complexipy says of a package; the facts are those of its JSON: every file, every function that is too complex with its number, the sums."""
    tree = shop.sdist("werkzeug==3.0.4", shop.room(name))
    command = [TOOLS.python_tool(shop, "complexipy"), "src/werkzeug"]
    text = stripped(shop.run([*command, "--color", "no"], tree, env={"COLUMNS": "160"}).text, tree)
    shop.run([*command, "--output-format", "json"], tree)
    report = json.loads(read(os.path.join(tree, "complexipy-results.json")))
    rows = [(one["function_name"].rsplit("::", 1)[-1], one["complexity"]) for one in report if one["complexity"] > 15]
    facts = [*pairs(rows), *each("path", (one["path"] for one in report)), *matches(text, r"^.*[Tt]otal.*")]
    yield made(name, LINTER, "complexipy src/werkzeug", text, facts, least=0.5)


def deps_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `fawltydeps --detailed` says of a project; the facts are planted: all that is imported and not declared, with a place, and all that is declared and not used."""
    room, facts = shop.room(name), list[Fact]()
    wanted = []
    for n in range(450):
        lines = ["import json", f"import gull_lib_{n // 3}" if n % 3 == 1 else "import os"]
        if n % 4 == 2:
            lines.append(f"from rope_kit_{n} import knots")
            facts += [*each("name", [f"rope_kit_{n}"]), *each("location", [f"deck{n % 5}/ferry_{n}.py:3"])]
        write(os.path.join(room, f"deck{n % 5}", f"ferry_{n}.py"), "\n".join(lines) + "\n")
    for n in range(150):
        wanted.append(f"gull-lib-{n}")
        if n % 2:
            wanted.append(f"lamp-oil-{n}>=1.{n}")
            facts += each("name", [f"lamp-oil-{n}"])
    write(os.path.join(room, "requirements.txt"), "\n".join(wanted[: len(wanted) // 2]) + "\n")
    write(
        os.path.join(room, "pyproject.toml"),
        f"[project]\nname = 'ferries'\nversion = '1.0'\ndependencies = {wanted[len(wanted) // 2 :]!r}\n",
    )
    text = stripped(shop.run([TOOLS.python_tool(shop, "fawltydeps"), "--detailed"], room).text, room)
    facts += matches(text, r"^These .*", r"^For .*", r"^Use .*")
    yield made(name, CHECKER, "fawltydeps --detailed", text, facts)


COFFEE = """class Pier{n}
  constructor: (@rope) ->
    @lamps = {n};
  moor: (ferry) =>
    return ferry.rope is {n} or ferry.rope == {n}
{tail}
"""
COFFEE_TAILS = (
    '  light: -> throw "no oil at pier {n}"',
    "  feed: (gull) -> gull.eat 'fish'   ",
    "\tcoil: -> {n}",
    "  wait: (tide) -> unless tide then {n} else 0 # the keeper of pier {n} waits until the tide has turned and the lamps are lit",
    "  rest: -> debugger",
    "  pass: -> [1..{n}]",
)


def coffeelint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What coffeelint says of scripts; the facts are those of its JSON: every rule, file, message with a place, the sums."""
    room = shop.room(name)
    for n in range(84):
        write(
            os.path.join(room, "src", f"deck{n % 4}", f"pier{n}.coffee"),
            COFFEE.format(n=n, tail=COFFEE_TAILS[n * 7 % 6].format(n=n)),
        )
    write(
        os.path.join(room, "coffeelint.json"),
        json.dumps(
            {
                "no_debugger": {"level": "warn"},
                "no_unnecessary_fat_arrows": {"level": "warn"},
                "max_line_length": {"value": 90, "level": "error"},
            }
        ),
    )
    command = [TOOLS.npm_tool(shop, "coffeelint"), "-f", "coffeelint.json", "src"]
    text = stripped(report_file(shop, [*command, "--color=never"], room, room), room)
    report = json.loads(report_file(shop, [*command, "--reporter", "raw"], room, room))
    found = [one | {"path": path} for path, every in report.items() for one in every]
    facts = [*each("path", (one["path"] for one in found)), *each("message", (one["message"] for one in found))]
    facts += pairs((f"#{one['lineNumber']}", one["context"]) for one in found if one.get("context"))
    facts += [*matches(text, r"^.*\d+ errors? and \d+ warnings?.*"), *directory_facts("", report)]
    yield made(name, LINTER, "coffeelint -f coffeelint.json src", text, facts, least=0.7)


LEAKS = (
    "const key{n} = 'AKIA{upper}';",
    "token: ghp_{long}",
    "url = 'https://keeper:{short}@pier-{n}.example/rope'",
    "SLACK=xoxb-{digits}-{digits}-{short}",
    "npm_config = '//registry.npmjs.org/:_authToken=npm_{long}'",
)


def letters(n: int, length: int, alphabet: str) -> str:
    """A word that looks as if it had been drawn by lot."""
    found, state = "", n * 7919 + 17
    while len(found) < length:
        state = (state * 1103515245 + 12345) % 2**31
        found += alphabet[(state >> 8) % len(alphabet)]
    return found


def secretlint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What secretlint says of a tree with secrets that nobody has; the facts are those of its JSON: every rule, file and place, the sums."""
    room = os.path.join(TOOLS.npm_room(shop), name)
    lower = "abcdefghijkmnpqrstuvwxyz23456789"
    for n in range(300):
        words = {
            "n": n,
            "upper": letters(n, 16, lower.upper()),
            "long": letters(n, 36, lower),
            "short": letters(n, 24, lower),
            "digits": letters(n, 12, "123456789"),
        }
        lines = [f"# ferry {n}", *[f"rope {k} = {k * n}" for k in range(n % 9)]]
        lines += [LEAKS[n % 5].format(**words)] * (n % 3 == 1)
        write(
            os.path.join(room, f"deck{n % 6}", f"ferry{n}.{('js', 'yml', 'py', 'env')[n % 4]}"), "\n".join(lines) + "\n"
        )
    write(
        os.path.join(room, ".secretlintrc.json"),
        json.dumps({"rules": [{"id": "@secretlint/secretlint-rule-preset-recommend"}]}),
    )
    command = [TOOLS.npm_tool(shop, "secretlint"), "--maskSecrets", "--no-color", "deck*/*"]
    text = stripped(report_file(shop, command, room, shop.room(name)), room)
    report = json.loads(report_file(shop, [*command, "--format", "json"], room, shop.room(name)))
    rows = [
        (
            os.path.relpath(one["filePath"], room),
            at["loc"]["start"]["line"],
            at["loc"]["start"]["column"],
            at.get("ruleId", ""),
            at["message"],
        )
        for one in report
        for at in one["messages"]
    ]
    yield made(
        name,
        SCANNER,
        "secretlint --maskSecrets 'deck*/*'",
        text,
        [*diagnosed(rows, text), *matches(text, r"^✖ .*")],
        least=0.5,
    )


def names_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ls-lint says of names of files; the facts are planted: every name that breaks a rule, each rule."""
    room, facts = shop.room(name), list[Fact]()
    folders = ("src/decks", "src/harbourGates", "web/pages", "tests/unit")
    for n in range(620):
        stem, end = (
            (f"ferry-of-pier-{n}", f"ferryOfPier{n}", f"FerryOfPier{n}", f"ferry_of_pier_{n}")[
                n % 4 if n % 3 == 0 else 0
            ],
            ("js", "ts", "css")[n % 3],
        )
        path = f"{folders[n * 5 % 4]}/{stem}.{end}"
        write(os.path.join(room, path), "\n")
        facts += each("path", [path] * (stem != f"ferry-of-pier-{n}"))
    write(
        os.path.join(room, ".ls-lint.yml"),
        "ls:\n  .js: kebab-case\n  .ts: kebab-case | PascalCase\n  .css: kebab-case\n  .dir: kebab-case\n",
    )
    text = stripped(shop.run([TOOLS.npm_tool(shop, "ls-lint")], room).text, room)
    text = re.sub(r"^\d{4}/\d\d/\d\d [\d:]+ ", "", text, flags=re.MULTILINE)
    facts += [*each("path", folders), *matches(text, r"failed for .*")]
    yield made(name, LINTER, "ls-lint", text, facts, least=0.6)


def syncpack_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `syncpack lint` says of many packages in one tree; the facts are planted: every dependency with more than one version, and every version that is not the rule."""
    room, facts = shop.room(name), list[Fact]()
    write(
        os.path.join(room, "package.json"),
        json.dumps({"name": "harbour", "version": "1.0.0", "private": True, "workspaces": ["decks/*"]}),
    )
    for n in range(240):
        wanted = {f"rope-kit-{k}": f"^{k}.2.0" for k in range(n % 5, 60, 5)}
        if n % 4 == 1:
            wanted[f"rope-kit-{n % 60}"] = f"^{n % 60}.0.{n}"
            facts += [*each("name", [f"rope-kit-{n % 60}"]), *each("name", [f"^{n % 60}.0.{n}"])]
        if n % 7 == 3:
            wanted[f"@harbour/deck-{n - 1}"] = "0.0.9"
            facts += each("name", [f"@harbour/deck-{n - 1}"])
        write(
            os.path.join(room, "decks", f"deck-{n}", "package.json"),
            json.dumps({"name": f"@harbour/deck-{n}", "version": "1.0.0", "dependencies": wanted}, indent=2),
        )
    text = stripped(shop.run([TOOLS.npm_tool(shop, "syncpack"), "lint"], room).text, room)
    yield made(name, CHECKER, "syncpack lint", text, [*facts, *matches(text, r"^ *\S+ +\d+ .*issues?.*")])


RECIPES = recipes(
    ("yapf-click", yapf_run),
    ("fixit-django", fixit_run),
    ("complexipy-werkzeug", complexity_run),
    ("fawltydeps-ferries", deps_run),
    ("coffeelint-piers", coffeelint_run),
    ("secretlint-decks", secretlint_run),
    ("ls-lint-ferries", names_run),
    ("syncpack-harbour", syncpack_run),
)
