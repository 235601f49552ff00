"""Documents: an executed notebook, a bill of materials, SARIF, OpenAPI in YAML, a drawing, a manual, a POM, a catalogue."""

import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import in_json, in_xml, said_in
from shop import CannotMake, Shop

from recipes.packages import ENVIRONMENT

DOCUMENT = "markup"


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


CELLS = (
    "# Sales of a year", "import random, json, sys\nrandom.seed(4)\nrows = [{'id': n, 'total': random.random()} for n in range(400)]",
    "## Reading the rows", "def read_rows(limit):\n    return rows[:limit]\nfor row in read_rows(120):\n    print(row)",
    "## Totals by month", "def month_total(month):\n    return sum(row['total'] for row in rows if row['id'] % 12 == month)\n[month_total(m) for m in range(12)]",
    "## What goes wrong", "month_total('May') + rows[999]['total']",
    "### A file that is not there", "open('no-such-sales.csv')",
    "## Warnings", "import warnings\nfor n in range(40):\n    warnings.warn(f'row {n} is old', UserWarning)",
    "## Checks", "class Checker:\n    def run(self):\n        assert len(rows) == 401, 'one row is missing'\nChecker().run()",
    "## The end", "print('done', file=sys.stderr)",
)  # fmt: skip


def notebook(name: str, shop: Shop) -> Iterator[Item]:
    """A notebook after it was run; the facts are its headings, what it defines, and what went wrong in it."""
    python = shop.python("notebook", "nbclient==0.10.0", "ipykernel==6.29.5", "nbformat==5.10.4")
    room = shop.room(name)
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "metadata": {}, "source": one} if one.startswith("#") else
             {"cell_type": "code", "metadata": {}, "source": one, "outputs": [], "execution_count": None} for one in CELLS]  # fmt: skip
    with open(os.path.join(room, "sales.ipynb"), "w", encoding="utf-8") as out:
        json.dump({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, out)
    shop.run([python, "-m", "nbclient.cli", "--allow-errors", "sales.ipynb"], room)
    execute = os.path.join(os.path.dirname(python), "jupyter-execute")
    shop.run([execute, "--allow-errors", "--inplace", "sales.ipynb"], room)
    text = _read(os.path.join(room, "sales.ipynb"))
    facts = [Fact("message", (one.lstrip("# "),)) for one in CELLS if one.startswith("#")]
    facts += [Fact("name", (one,)) for one in ("read_rows", "month_total", "Checker")]
    for cell in json.loads(text)["cells"]:
        for said in cell.get("outputs", ()):
            if said["output_type"] == "error":
                facts += [Fact("name", (said["ename"],)), Fact("message", (said["evalue"],))]
    facts += [
        Fact("key", (one,)) for one in ("cell_type", "source", "outputs", "output_type", "ename", "evalue", "traceback")
    ]
    yield Item(name, DOCUMENT, "json", "cat sales.ipynb", text, said_in(in_json(facts), text))


def bill_of_materials(name: str, shop: Shop) -> Iterator[Item]:
    """What cyclonedx-py lists of an environment; the facts are every component with its version, licences, rare kinds."""
    python = shop.python("cyclonedx", "cyclonedx-bom==5.0.0")
    whose = shop.python("pipdeptree", *ENVIRONMENT)
    command = [os.path.join(os.path.dirname(python), "cyclonedx-py"), "environment", whose, "--of", "JSON"]
    text = shop.run(command, shop.room(name), apart=True).text
    listed = json.loads(text)
    facts = [Fact("odd", (), (one["name"], one["version"])) for one in listed["components"]]
    for one in listed["components"]:
        for known in one.get("licenses", ()):
            said = known.get("license", known)
            facts += [Fact("message", (said[key],)) for key in ("id", "expression") if key in said]
    facts += [Fact("key", (key,)) for one in listed["components"] for key in one] + [
        Fact("key", (key,)) for key in listed
    ]
    yield Item(name, DOCUMENT, "json", "cyclonedx-py environment", text, said_in(in_json(facts), text))


def sarif(name: str, source: str, target: str, shop: Shop) -> Iterator[Item]:
    """bandit's findings in SARIF; the facts are rules, files, distinct messages, and the places of what is an error."""
    python = shop.python("bandit-sarif", "bandit[sarif]==1.7.10")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([python, "-m", "bandit", "-q", "-r", target, "-f", "sarif"], tree, apart=True).text
    facts = []
    for row in json.loads(text)["runs"][0]["results"]:
        at = row["locations"][0]["physicalLocation"]
        facts += [
            Fact("code", (row["ruleId"],)),
            Fact("message", (row["message"]["text"],)),
            Fact("path", (at["artifactLocation"]["uri"],)),
        ]
        if row.get("level") == "error":
            facts.append(Fact("count", (str(at["region"]["startLine"]),)))
    yield Item(name, DOCUMENT, "json", f"bandit -f sarif {target}", text, said_in(in_json(facts), text))


def openapi(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A description of an interface in YAML; the facts, by a parser of YAML, are its paths, methods, ids and schemas."""
    python = shop.python("yaml", "pyyaml==6.0.2")
    tree = shop.npm_source(package, shop.room(name))
    text = _read(os.path.join(tree, path))
    load = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1])), default=str))"
    about = json.loads(shop.run([python, "-c", load, path], tree, apart=True).text)
    facts = [Fact("message", (str(about["info"]["title"]),))]
    facts += [Fact("message", (f"{key}:",)) for key in about]
    for one, methods in about["paths"].items():
        facts.append(Fact("path", (one,)))
        facts += [
            Fact("name", (row["operationId"],))
            for row in methods.values()
            if isinstance(row, dict) and "operationId" in row
        ]
    facts += [Fact("name", (one,)) for one in about.get("components", {}).get("schemas", about.get("definitions", {}))]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def drawing(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A drawing as SVG; the facts are its elements, ids and classes."""
    tree = shop.npm_source(package, shop.room(name))
    text = _read(os.path.join(tree, path))
    root = ET.fromstring(text)
    facts = [Fact("key", (one.tag.rpartition("}")[2],)) for one in root.iter()]
    facts += [
        Fact("name", (one.get("id") or one.get("glyph-name") or "",))
        for one in root.iter()
        if one.get("id") or one.get("glyph-name")
    ]
    yield Item(name, DOCUMENT, "xml", f"cat {os.path.basename(path)}", text, said_in(in_xml(facts), text))


def manual(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """A manual in reStructuredText; the facts are its titles, by the parser of docutils."""
    python = shop.python("docutils", "docutils==0.21.2")
    tree = shop.sdist(source, shop.room(name))
    text = _read(os.path.join(tree, path))
    find = "import sys, json, docutils.core, docutils.nodes as n; d = docutils.core.publish_doctree(open(sys.argv[1]).read(), settings_overrides={'report_level': 5, 'halt_level': 5}); print(json.dumps([t.astext() for t in d.findall(n.title)]))"
    titles = json.loads(shop.run([python, "-c", find, path], tree, apart=True).text)
    facts = [Fact("heading", (title,)) for title in titles if len(title) > 2]
    facts += [
        Fact("name", (f".. {one}::",)) for one in dict.fromkeys(re.findall(r"^\.\. ([\w:-]+)::", text, re.MULTILINE))
    ]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def pom_run(name: str, package: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """A project's description for Maven; the facts, by an XML reader, are its modules, dependencies, plugins and profiles."""
    paths = glob.glob(os.path.join(shop.debian_package(package), pattern), recursive=True)
    if not paths:
        raise CannotMake(f"no {pattern} in {package}")
    text = _read(max(paths, key=os.path.getsize))
    root = ET.fromstring(text)
    space = root.tag.rpartition("}")[0] + "}"
    facts = [
        Fact("name", (one.text.strip(),))
        for tag in ("artifactId", "id", "module", "packaging", "scope")
        for one in root.iter(space + tag)
        if one.text
    ]
    facts += [
        Fact("message", (f"<{tag}",)) for tag in dict.fromkeys(one.tag.removeprefix(space) for one in root.iter())
    ]
    properties = root.find(f"{space}properties")
    facts += [
        Fact("odd", (), (one.tag.removeprefix(space), one.text))
        for one in (properties if properties is not None else ())
        if one.text
    ]
    yield Item(name, DOCUMENT, "xml", "cat all.pom", text, said_in(facts, text))


def catalogue_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """A catalogue of messages; the facts are what babel reads: fuzzy, obsolete and empty ones, every file that uses it."""
    python = shop.python("babel", "babel==2.16.0")
    tree = shop.sdist(source, shop.room(name))
    text = _read(os.path.join(tree, path))
    code = "import sys, json; from babel.messages.pofile import read_po; c = read_po(open(sys.argv[1], 'rb')); print(json.dumps([[m.id if isinstance(m.id, str) else m.id[0], m.fuzzy, not m.string or not any(m.string), [l for l, _ in m.locations]] for m in c if m.id]))"
    rows = json.loads(shop.run([python, "-c", code, os.path.join(tree, path)], tree, apart=True).text)
    facts = [Fact("path", (one,)) for row in rows for one in row[3]]
    facts += [Fact("path", (os.path.dirname(one),)) for row in rows for one in row[3] if os.path.dirname(one)]
    for said, fuzzy, empty, _ in rows:
        if fuzzy or empty:
            facts.append(Fact("message", (json.dumps(said.splitlines()[0][:60], ensure_ascii=False).strip('"'),)))
    facts += [
        Fact("message", (line.strip('"').split("\\n")[0],))
        for line in re.findall(r'^"[A-Z][\w-]+: .*"$', text, re.MULTILINE)
    ]
    yield Item(name, DOCUMENT, "text", "cat django.po", text, said_in(facts, text))


RECIPES = {
    "ipynb-sales": partial(notebook, "ipynb-sales"),
    "cyclonedx-jupyter": partial(bill_of_materials, "cyclonedx-jupyter"),
    "sarif-paramiko": partial(sarif, "sarif-paramiko", "paramiko==3.4.0", "paramiko"),
    "openapi-star-trek": partial(
        openapi, "openapi-star-trek", "@readme/oas-examples@5.12.0", "3.0/yaml/star-trek.yaml"
    ),
    "svg-font-awesome": partial(drawing, "svg-font-awesome", "font-awesome@4.7.0", "fonts/fontawesome-webfont.svg"),
    "rst-click": partial(manual, "rst-click", "click==8.1.7", "CHANGES.rst"),
    "pom-parent": partial(pom_run, "pom-parent", "libcommons-parent-java", "usr/share/maven-repo/**/*.pom"),
    "po-django": partial(
        catalogue_run, "po-django", "django==5.0.6", "django/contrib/admin/locale/lv/LC_MESSAGES/django.po"
    ),
}
