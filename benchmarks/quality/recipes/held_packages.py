"""Package managers that nobody tunes on: apt-get, pipdeptree, pnpm, uv."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

PACKAGES = "package manager"


def apt_plan(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What apt-get would do for a large package; the facts are the steps of its simulation."""
    shop.need("apt-get")
    room = shop.room(name)
    text = shop.run(["apt-get", "install", "-V", "--assume-no", package], room).text
    steps = shop.run(["apt-get", "install", "-s", "-q", package], room).text
    facts = []
    for step, one, old, new in re.findall(r"^(Inst|Remv) (\S+) (?:\[(\S+)\] )?(?:\((\S+))?", steps, re.MULTILINE):
        facts += [Fact("odd", (), (one, old, new))] if old and new else [Fact("name", (one,))]
        facts += [Fact("odd", (), (one, old))] if step == "Remv" else []
    sums = re.findall(
        r"^\d+ upgraded, \d+ newly installed.*$|^Need to get .*$|^After this operation.*$", text, re.MULTILINE
    )
    facts += [Fact("message", (line,)) for line in sums]
    yield Item(name, PACKAGES, "text", "apt-get install -V", text, said_in(facts, text))


ENVIRONMENT = ("pipdeptree==2.23.4", "jupyterlab==4.2.5", "sphinx==8.0.2")


def pipdeptree_run(name: str, shop: Shop) -> Iterator[Item]:
    """The tree of an environment in which two packages have the wrong version; the facts are its own list in JSON."""
    wrong = ("jinja2==2.11.3", "mistune==0.8.4")
    python = shop.python("pipdeptree", *ENVIRONMENT)
    shop.run([python, "-m", "pip", "install", "-q", "--no-deps", *wrong], shop.root)
    text = shop.run([python, "-m", "pipdeptree"], shop.room(name)).text
    rows = json.loads(shop.run([python, "-m", "pipdeptree", "--json"], shop.root, apart=True).text)
    needed = {one["key"] for row in rows for one in row["dependencies"]}
    facts = [Fact("name", (f"{row['package']['package_name']}=={row['package']['installed_version']}",))
             for row in rows if row["package"]["key"] not in needed]  # fmt: skip
    for row in rows:
        facts.append(Fact("name", (row["package"]["package_name"],)))
        facts += [
            Fact("odd", (), (one["package_name"], one["required_version"], one["installed_version"]))
            for one in row["dependencies"]
            if f"{one['key']}=={one['installed_version']}" in wrong and one["required_version"] != "Any"
        ]
    yield Item(name, PACKAGES, "text", "pipdeptree", text, said_in(facts, text))


OLD = {
    "express": "4.17.1", "lodash": "4.17.15", "react": "16.8.0", "webpack": "4.46.0", "typescript": "3.9.7", "eslint": "7.0.0",
    "axios": "0.19.0", "moment": "2.24.0", "chalk": "2.4.2", "commander": "4.1.1", "debug": "4.1.1", "glob": "7.1.6",
    "mocha": "7.1.0", "chai": "4.2.0", "jest": "25.1.0", "request": "2.88.2", "uuid": "3.4.0", "yargs": "15.3.1",
    "semver": "6.3.0", "rimraf": "2.7.1", "mkdirp": "0.5.5", "async": "2.6.3", "bluebird": "3.7.2", "underscore": "1.9.2",
    "vue": "2.6.11", "rxjs": "6.5.4", "prettier": "1.19.1", "rollup": "1.32.0", "postcss": "7.0.27", "sass": "1.26.0",
    "redux": "4.0.5", "ws": "7.2.3", "socket.io": "2.3.0", "koa": "2.11.0", "fastify": "2.12.0", "knex": "0.20.10",
    "mongoose": "5.9.2", "sequelize": "5.21.5", "pg": "7.18.2", "redis": "2.8.0", "dotenv": "8.2.0", "joi": "14.3.1",
    "ajv": "6.12.0", "immer": "5.3.6", "ramda": "0.26.1", "date-fns": "1.30.1", "nodemon": "2.0.2", "husky": "4.2.3",
    "tslint": "6.0.0", "babel-eslint": "10.1.0", "left-pad": "1.3.0", "mime": "2.4.4", "qs": "6.9.1", "tape": "4.13.0",
}  # fmt: skip


def pnpm_outdated(name: str, shop: Shop) -> Iterator[Item]:
    """What pnpm calls outdated in a project of years ago; the facts are its own list in JSON."""
    room = shop.room(name)
    shop.npm(room, "pnpm@9.12.0")
    os.makedirs(os.path.join(room, "project"))
    with open(os.path.join(room, "project", "package.json"), "w", encoding="utf-8") as out:
        json.dump({"name": "project", "private": True, "dependencies": OLD}, out)
    pnpm = os.path.join(room, "node_modules", ".bin", "pnpm")
    env = {"COLUMNS": "120", "npm_config_store_dir": os.path.join(room, "store")}
    project = os.path.join(room, "project")
    shop.run([pnpm, "install", "--lockfile-only", "--ignore-scripts"], project, env=env, seconds=500)
    text = shop.run([pnpm, "outdated"], project, env=env).text
    rows = json.loads(shop.run([pnpm, "outdated", "--format", "json"], project, env=env, apart=True).text)
    facts = []
    for one, row in rows.items():
        facts.append(Fact("odd", (), (one, row["latest"])))
        facts += [Fact("odd", (), (one, "Deprecated"))] if row["isDeprecated"] else []
    yield Item(name, PACKAGES, "text", "pnpm outdated", text, said_in(facts, text))


def uv_run(name: str, wanted: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """uv, telling all it does, asked for packages that go together or not; the facts are what it took or its last words."""
    python = shop.python("uv", "uv==0.4.18")
    uv = os.path.join(os.path.dirname(python), "uv")
    command = [uv, "pip", "install", "-v", "--dry-run", "--no-cache", "--python", python, *wanted]
    text = re.sub(r"\x1b\[[0-9;]*m", "", shop.run(command, shop.room(name)).text)
    facts = [Fact("name", (one,)) for one in re.findall(r"^ [+-] (\S+==\S+)$", text, re.MULTILINE)]
    found = re.search(r"^  \S No solution found.*", text, re.MULTILINE | re.DOTALL)
    end = found[0] if found else ""
    facts += [Fact("message", (re.sub(r"^\W+", "", line),)) for line in end.splitlines() if line.startswith("  ")]
    facts += [Fact("message", (one,)) for one in re.findall(r"^(?:Would |Resolved )\w.* packages?", text, re.MULTILINE)]
    yield Item(name, PACKAGES, "text", "uv pip install -v", text, said_in(facts, text))


RECIPES = {
    "apt-get-gnome": partial(apt_plan, "apt-get-gnome", "gnome-core"),
    "pipdeptree-jupyter": partial(pipdeptree_run, "pipdeptree-jupyter"),
    "pnpm-outdated": partial(pnpm_outdated, "pnpm-outdated"),
    "uv-notebook": partial(uv_run, "uv-notebook", ("notebook==7.2.2", "pandas==2.2.2")),
    "uv-conflict": partial(uv_run, "uv-conflict", ("apache-airflow==2.9.3", "flask>=3")),
}
