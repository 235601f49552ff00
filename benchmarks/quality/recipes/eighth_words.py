"""Checkers of words and of translations that nobody tunes on; their libraries or planted mistakes tell the facts."""

import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.eighth_tools import npm_room, npm_tool
from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_linters import report_file

WORDS, TRANSLATION = "words", "translation check"

MISSPELT = (
    ("which", "wich"), ("should", "shoud"), ("because", "becuase"), ("different", "diferent"), ("available", "avalable"),
    ("function", "funtcion"), ("returns", "retruns"), ("following", "folowing"), ("example", "exmaple"), ("directory", "directroy"),
    ("character", "charachter"), ("separate", "seperate"), ("necessary", "neccessary"), ("information", "infromation"), ("environment", "enviroment"),
)  # fmt: skip


def hunspell_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """What `hunspell -a` says of a manual with words misspelt; the facts are these words, and what it takes for wrong most."""
    shop.install("hunspell", "hunspell", "hunspell-en-us")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    words = re.sub(r"[`*_=~^|+:\\<>#\"]", " ", read(os.path.join(tree, path)))[:60_000]
    planted = []
    for right, wrong in MISSPELT:
        pieces = re.split(rf"\b{right}\b", words)
        if len(pieces) > 2:
            words = right.join(pieces[: len(pieces) // 2]) + wrong + right.join(pieces[len(pieces) // 2 :])
            planted.append(wrong)
    write(os.path.join(room, "manual.txt"), words)
    text = shop.run(["sh", "-c", "hunspell -a -d en_US < manual.txt"], room).text
    known = shop.run(["sh", "-c", "hunspell -l -d en_US < manual.txt"], room).text.split()
    facts = [Fact("name", (one,)) for one in planted]
    facts += [Fact("name", (one,)) for one in dict.fromkeys(known) if len(one) > 4]
    yield Item(name, WORDS, "text", "hunspell -a -d en_US", text, said_in(facts, text))


def alex_run(name: str, source: str, pattern: str, shop: Shop) -> Iterator[Item]:
    """What alex says of documents; the facts are the messages that its library lists, by the words they are about."""
    tool, room = npm_tool(shop, "alex"), npm_room(shop)
    tree = shop.npm_source(source, shop.room(name))
    paths = sorted(os.path.relpath(one, tree) for one in glob.glob(os.path.join(tree, pattern), recursive=True))
    text = plain(shop.run([tool, *paths], tree, env={"HOME": tree, "NO_UPDATE_NOTIFIER": "1"}).text)
    script = (
        f"import {{ markdown }} from '{room}/node_modules/alex/index.js'; import fs from 'node:fs';"
        "for (const path of process.argv.slice(2)) for (const one of markdown(fs.readFileSync(path, 'utf8')).messages)"
        "  console.log(JSON.stringify([path, one.line, one.column, one.ruleId, one.reason]));"
    )
    write(os.path.join(tree, "ask.mjs"), script)
    rows = [json.loads(line) for line in report_file(shop, ["node", "ask.mjs", *paths], tree, tree).splitlines()]
    facts = []
    for path, _, _, rule, reason in rows:
        facts += [Fact("path", (path,)), Fact("name", (rule,)), Fact("message", (reason.replace("`", "`")[:90],))]
    facts += last_words(text, r"^. \d+ warnings?$")
    yield Item(name, WORDS, "text", f"alex {pattern}", text, said_in(facts, text))


def good_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """What write-good says of a document; the facts are the reasons that its library lists, each once."""
    tool, room = npm_tool(shop, "write-good"), npm_room(shop)
    tree = shop.npm_source(source, shop.room(name))
    text = report_file(shop, [tool, path], tree, tree)
    script = f"const w = require('{room}/node_modules/write-good'); console.log(JSON.stringify(w(require('fs').readFileSync('{path}', 'utf8'))));"
    rows = json.loads(report_file(shop, ["node", "-e", script], tree, tree))
    facts = [Fact("message", (row["reason"],)) for row in rows]
    yield Item(name, WORDS, "text", f"write-good {path}", text, said_in(facts, text))


def catalogues(shop: Shop, name: str, every: int) -> tuple[str, list[str], list[Fact]]:
    """Translations of a framework, some broken; their directory, their paths, and what was broken."""
    tree = shop.sdist("django==5.0.6", shop.room(name))
    paths = sorted(
        os.path.relpath(one, tree)
        for one in glob.glob(os.path.join(tree, "django/conf/locale/*/LC_MESSAGES/django.po"))
    )
    facts = []
    for number, path in enumerate(paths):
        where = os.path.join(tree, path)
        content = read(where)
        if number % every == 1:
            head, _, rest = content.partition("\n\n")
            pieces = rest.split("%(")
            broken = (
                "%(".join(pieces[:4]) + "%{" + "%(".join(pieces[4:])
                if number % 2 and len(pieces) > 9
                else rest.replace('msgstr "', "msgstr ", 1)
            )
            write(where, f"{head}\n\n{broken}")
            facts.append(Fact("path", (path,)))
    return tree, paths, facts


def msgfmt_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `msgfmt --check` says of translations; the facts are the files that were broken, the messages, and its counts."""
    shop.install("msgfmt", "gettext")
    tree, paths, facts = catalogues(shop, name, 4)
    script = "for f in " + " ".join(paths) + "; do msgfmt --check --statistics -v -o out.mo $f; done"
    text = shop.run(["sh", "-c", script], tree).text
    rows = re.findall(r"^(\S+\.po):(\d+): (.*)$", text, re.MULTILINE)
    said: dict[str, list[str]] = {}
    for path, line, words in rows:
        said.setdefault(words[:90].strip(), []).append(f"{path}:{line}")
    facts += [Fact("record", tuple(places), (words,)) for words, places in said.items()]
    facts += [Fact("path", (path,)) for path, _, _ in rows]
    facts += last_words(text, r"^.*: \d+ translated messages, .*\d{3} untranslated messages\.$")
    yield Item(name, TRANSLATION, "text", "msgfmt --check --statistics", text, said_in(facts, text))


def inspector_run(name: str, shop: Shop) -> Iterator[Item]:
    """What i18nspector says of translations, a finding a line; the facts are every tag, and every file with an error."""
    shop.install("i18nspector")
    tree, paths, facts = catalogues(shop, name, 5)
    text = shop.run(["i18nspector", *paths], tree, env={"HOME": tree, "XDG_CACHE_HOME": tree}).text
    rows = re.findall(r"^([EWIP]): (\S+): ([a-z0-9-]+)(.*)$", text, re.MULTILINE)
    seen: dict[str, int] = {}
    for _, _, tag, _ in rows:
        seen[tag] = seen.get(tag, 0) + 1
    facts = [Fact("name", (tag,)) for tag in seen]
    facts += [Fact("path", (path,)) for kind, path, _, _ in rows if kind == "E"]
    facts += [Fact("odd", (), (path, tag)) for _, path, tag, _ in rows if seen[tag] <= 3]
    facts += [Fact("message", (f"{kind}: ",)) for kind in dict.fromkeys(row[0] for row in rows)]
    yield Item(name, TRANSLATION, "text", "i18nspector django.po", text, said_in(facts, text))


RECIPES = {
    "hunspell-docutils": partial(hunspell_run, "hunspell-docutils", "docutils==0.21.2", "docs/ref/rst/directives.txt"),
    "alex-npm": partial(alex_run, "alex-npm", "npm@10.8.0", "docs/content/**/*.md"),
    "write-good-highlight": partial(good_run, "write-good-highlight", "highlight.js@11.10.0", "CHANGES.md"),
    "msgfmt-django": partial(msgfmt_run, "msgfmt-django"),
    "i18nspector-django": partial(inspector_run, "i18nspector-django"),
}
