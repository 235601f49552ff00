"""Coverage tables: of C by gcovr and lcov, of JavaScript by nyc."""

import glob
import json
import os
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import CannotMake, Shop

COVERAGE = "coverage"
WORST = 15

SCRIPT = (
    'local t = {} for i = 1, 300 do t[i] = string.format("%d", i) end table.sort(t) print(table.concat(t, ","):len())\n'
)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _measured_lua(shop: Shop, name: str, source: str) -> str:
    """The directory of a Lua that was built to count its lines, and has run a script."""
    tree = os.path.join(shop.debian_source(source, shop.room(name)), "src")
    with open(os.path.join(tree, "script.lua"), "w", encoding="utf-8") as out:
        out.write(SCRIPT)
    with open(os.path.join(tree, f"{source}-deb-multiarch.h"), "w", encoding="utf-8") as out:
        out.write('#define DEB_HOST_MULTIARCH "here"\n')
    files = [one for one in sorted(glob.glob("*.c", root_dir=tree)) if one not in {"luac.c", "onelua.c", "ltests.c"}]
    for one in files:
        shop.run(["gcc", "--coverage", "-O0", "-c", one], tree)
    shop.run(["gcc", "--coverage", "-o", "lua", *(f"{one[:-2]}.o" for one in files), "-lm"], tree)
    if shop.run(["./lua", "script.lua"], tree).status:
        raise CannotMake("that Lua does not run")
    return tree


def gcovr_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What gcovr prints; the facts are those of its JSON summary: the least covered with their shares, the rest by name."""
    python = shop.python("gcovr", "gcovr==7.2")
    tree = _measured_lua(shop, name, source)
    text = shop.run([python, "-m", "gcovr"], tree).text
    listed = json.loads(shop.run([python, "-m", "gcovr", "--json-summary"], tree, apart=True).text)
    worst = sorted(listed["files"], key=lambda one: one["line_percent"])[:WORST]
    facts = [Fact("odd", (), (one["filename"], f"{int(one['line_percent'])}%")) for one in worst]
    facts += [Fact("path", (one["filename"],)) for one in listed["files"]]
    facts += [Fact("odd", (), ("TOTAL", f"{int(listed['line_percent'])}%"))]
    yield Item(name, COVERAGE, "text", "gcovr", text, said_in(facts, text))


def lcov_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What lcov collects; the facts are the files, the functions never called, and the lines that ran most."""
    shop.install("lcov")
    tree = _measured_lua(shop, name, source)
    shop.run(["lcov", "-q", "-c", "-d", ".", "-o", "all.info"], tree)
    text = _read(os.path.join(tree, "all.info")).replace(f"{tree}/", "")
    rows = [line.partition(":") for line in text.splitlines()]
    facts = [Fact("path", (value,)) for key, _, value in rows if key == "SF"]
    facts += [
        Fact("name", (value.split(",")[1],)) for key, _, value in rows if key == "FNDA" and value.startswith("0,")
    ]
    ran = sorted((int(value.split(",")[1]), value) for key, _, value in rows if key == "DA")
    facts += [Fact("name", (value,)) for _, value in ran[-5:]]
    yield Item(name, COVERAGE, "text", "lcov -c", text, said_in(facts, text))


USED = "for (const one of ['chunk', 'merge', 'template', 'sortBy', 'debounce', 'cloneDeep', 'isEqual']) require('./' + one);\n"
USED += "require('./chunk')([1, 2, 3], 2); require('./merge')({ a: { b: 1 } }, { a: { c: 2 } }); require('./sortBy')([3, 1]);\n"


def nyc_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What nyc prints of a library of which a part is used; the facts are those of its JSON summary."""
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "nyc@17.1.0")
    with open(os.path.join(tree, "use-it.js"), "w", encoding="utf-8") as out:
        out.write(USED)
    nyc = os.path.join(room, "node_modules", ".bin", "nyc")
    reporters = ["--reporter=text", "--reporter=json-summary"]
    command = [nyc, "--cwd", tree, *reporters, "--exclude", "lodash*.js", "--exclude", "core*.js", "node", "use-it.js"]
    text = shop.run([*command[:3], "--all", "--include", "_*.js", "--include", "[a-m]*.js", *command[3:]], tree).text
    files = json.loads(_read(os.path.join(tree, "coverage", "coverage-summary.json")))
    total = files.pop("total")
    rows = {os.path.relpath(path, tree): one for path, one in files.items()}
    partly = [path for path, one in rows.items() if 0 < one["lines"]["pct"] < 100]
    facts = [Fact("odd", (), (path, str(rows[path]["statements"]["pct"]))) for path in partly]
    facts += [Fact("path", (path,)) for path, one in rows.items() if one["lines"]["pct"] == 100]
    facts += [Fact("odd", (), ("All files", str(total["statements"]["pct"]), str(total["branches"]["pct"])))]
    yield Item(name, COVERAGE, "text", "nyc node use-it.js", text, said_in((*facts, *directory_facts("", rows)), text))


RECIPES = {
    "gcovr-lua": partial(gcovr_run, "gcovr-lua", "lua5.4"),
    "lcov-lua": partial(lcov_run, "lcov-lua", "lua5.4"),
    "nyc-lodash": partial(nyc_run, "nyc-lodash", "lodash@4.17.21"),
}
