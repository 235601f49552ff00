"""Package managers: apt-get, pipdeptree, uv."""

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
    "uv-notebook": partial(uv_run, "uv-notebook", ("notebook==7.2.2", "pandas==2.2.2")),
    "uv-conflict": partial(uv_run, "uv-conflict", ("apache-airflow==2.9.3", "flask>=3")),
}
