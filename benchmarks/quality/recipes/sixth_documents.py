"""Code, documents, histories and differences that nobody tunes on; parsers and the tools' own reports tell the facts."""

import glob
import json
import os
import re
import zipfile
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import changed_facts, said_in
from shop import CannotMake, Shop

from recipes.fifth_suites import last_words
from recipes.fourth_git import Repository
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.sixth_tools import npm_room, npm_tool, python_tools, tool_of
from recipes.third_linters import report_file

CODE, DOCUMENT, HELP, HISTORY, DIFFERENCE = "source code", "document", "help", "history", "difference"


def tags_of(shop: Shop, path: str, cwd: str, *flags: str) -> list[str]:
    """The names that ctags finds in a file."""
    shop.install("ctags", "universal-ctags")
    rows = shop.run(["ctags", *flags, "--output-format=json", "-f", "-", path], cwd, apart=True).text.splitlines()
    names = [json.loads(row)["name"] for row in rows if json.loads(row).get("_type") == "tag"]
    return [one for one in dict.fromkeys(names) if not one.startswith("__anon")]


def code_run(name: str, package: str, pattern: str, kinds: str, shop: Shop) -> Iterator[Item]:
    """A source file of a language that nobody tunes on; the facts are the names that ctags finds in it."""
    shop.room(name)
    found = sorted(glob.glob(os.path.join(shop.debian_package(package), pattern)))
    if not found:
        raise CannotMake(f"no {pattern} in {package}")
    facts = [Fact("name", (one,)) for one in tags_of(shop, found[0], shop.root, f"--kinds-{kinds}")]
    text = read(found[0])
    yield Item(name, CODE, "text", f"cat {os.path.basename(found[0])}", text, said_in(facts, text))


def clojure_run(name: str, shop: Shop) -> Iterator[Item]:
    """A library's source out of its archive; the facts are the names that ctags finds in it."""
    room = shop.room(name)
    archive = glob.glob(os.path.join(shop.debian_package("libclojure-java"), "usr/share/java/clojure-1.*.*.jar"))[0]
    with zipfile.ZipFile(archive) as packed:
        packed.extract("clojure/core.clj", room)
    facts = [Fact("name", (one,)) for one in tags_of(shop, "clojure/core.clj", room, "--kinds-Clojure=f")]
    text = read(os.path.join(room, "clojure", "core.clj"))
    yield Item(name, CODE, "text", "cat core.clj", text, said_in(facts, text))


DECLARED = (
    r"^\s*(?:[\w@]+(?:\([^)]*\))?\s+)*?(?:func|fun|class|struct|enum|protocol|interface|extension|object)\s+(\w+)"
)


def mobile_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """A source file of an application for telephones; the facts are what it declares, by a fixed pattern."""
    tree = shop.npm_source("expo-camera@57.0.6", shop.room(name))
    text = read(os.path.join(tree, path))
    facts = [Fact("name", (one,)) for one in dict.fromkeys(re.findall(DECLARED, text, re.MULTILINE))]
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def gitk_run(name: str, shop: Shop) -> Iterator[Item]:
    """A program in Tcl; the facts are its procedures, which stand at the beginning of a line (ctags loses most of them)."""
    shop.room(name)
    text = read(os.path.join(shop.debian_package("gitk"), "usr", "bin", "gitk"))
    facts = [Fact("name", (one,)) for one in dict.fromkeys(re.findall(r"^proc (\w+)", text, re.MULTILINE))]
    yield Item(name, CODE, "text", "cat gitk", text, said_in(facts, text))


def scss_run(name: str, source: str, path: str, shop: Shop) -> Iterator[Item]:
    """A sheet of variables; the facts are those that ctags finds."""
    tree = shop.npm_source(source, shop.room(name))
    facts = [Fact("name", (one,)) for one in tags_of(shop, path, tree)]
    text = read(os.path.join(tree, path))
    yield Item(name, CODE, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def page_run(name: str, package: str, page: str, shop: Shop) -> Iterator[Item]:
    """A page of a manual as mandoc sets it; the facts are its headings, and what it tells of in bold at a margin."""
    shop.install("mandoc")
    where = shop.debian_package(package)
    room = shop.room(name)
    packed = os.path.join(where, "usr", "share", "man", "man1", page)
    source = shop.run(["zcat", "-f", packed], room, apart=True).text
    write(os.path.join(room, "page.1"), source)
    text = shop.run(["sh", "-c", "mandoc -T ascii page.1 | col -bx"], room, apart=True).text
    headings = [re.sub(r'\\[&-]|"|\\f.', "", one).strip() for one in re.findall(r"^\.S[HS] (.+)", source, re.MULTILINE)]
    facts = [Fact("heading", (one,)) for one in dict.fromkeys(headings) if one]
    options = re.findall(r"^ {5,8}(-{1,2}\w[\w-]*)(?=\s|$)", text, re.MULTILINE)
    facts += [Fact("path", (one,)) for one in options]
    yield Item(name, DOCUMENT, "text", f"mandoc {page}", text, said_in(facts, text))


def rendered_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A page of HTML as html2text sets it; the facts are its headings and terms."""
    shop.install("html2text")
    where = shop.debian_package(package)
    room = shop.room(name)
    source = read(os.path.join(where, path))
    write(os.path.join(room, "page.html"), source)
    text = shop.run(["html2text", "-nobs", "-utf8", "-width", "120", "page.html"], room, apart=True).text
    bare = [re.sub(r"<[^>]+>", "", one[1]) for one in re.findall(r"<(h[1-4]|dt)[^>]*>(.*?)</\1>", source, re.DOTALL)]
    facts = [Fact("heading", (" ".join(one.split()),)) for one in dict.fromkeys(bare) if one.strip() and "&" not in one]
    yield Item(name, DOCUMENT, "text", f"html2text {os.path.basename(path)}", text, said_in(facts, text))


def texinfo_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """A manual's source in Texinfo; the facts are its chapters, sections and nodes."""
    tree = shop.debian_source(package, shop.room(name))
    text = read(os.path.join(tree, path))
    found = re.findall(r"^@(?:node|chapter|section|subsection|appendix|unnumbered)\s+([^,\n@]+)", text, re.MULTILINE)
    facts = [Fact("heading", (one.strip(),)) for one in dict.fromkeys(found)]
    facts += [
        Fact("message", (f"@deffn {one}".rstrip(),))
        for one in dict.fromkeys(re.findall(r"^@deffnx? (.+)", text, re.MULTILINE))
    ]
    yield Item(name, DOCUMENT, "text", f"cat {os.path.basename(path)}", text, said_in(facts, text))


def memo(sections: int) -> str:
    """A memo in the Internet's form, long enough to have a table of contents."""
    body = ""
    for number in range(sections):
        parts = "".join(
            f"<section><name>Door {part} of shelf {number}</name><t>A keeper of shelf {number} MUST open door {part} before {number * part + 7} parcels are weighed. "
            f"Those that weigh more than {number * 31 + part} grams are answered with code {4000 + number * 10 + part}. "
            + "Nothing else is asked of it here. " * 9
            + "</t></section>"
            for part in range(4)
        )
        body += f"<section><name>Shelf {number} and its keepers</name><t>Of all shelves this one is kept last. </t>{parts}</section>"
    front = '<front><title>The Protocol of Shelves</title><author fullname="Ada Keeper" surname="Keeper" initials="A."><organization>Shelves</organization></author><date year="2026" month="March" day="3"/><abstract><t>How shelves are kept.</t></abstract></front>'
    return f'<?xml version="1.0"?>\n<rfc version="3" category="info" ipr="none" docName="draft-shelves-00" submissionType="independent">{front}<middle>{body}</middle><back/></rfc>\n'


def memo_run(name: str, shop: Shop) -> Iterator[Item]:
    """A memo as xml2rfc sets it, with pages; the facts are its sections and the codes that it defines."""
    tool = tool_of(shop, "xml2rfc")
    room = shop.room(name)
    write(os.path.join(room, "memo.xml"), memo(22))
    shop.run([tool, "--text", "--legacy-list-symbols", "--no-network", "-o", "memo.txt", "memo.xml"], room)
    if not os.path.exists(os.path.join(room, "memo.txt")):
        shop.run([tool, "--text", "-o", "memo.txt", "memo.xml"], room).check()
    text = read(os.path.join(room, "memo.txt"))
    facts = [Fact("heading", (f"{number + 1}.  Shelf {number} and its keepers",)) for number in range(22)]
    facts += [
        Fact("heading", (f"{number + 1}.{part + 1}.  Door {part} of shelf {number}",))
        for number in range(22)
        for part in range(4)
    ]
    facts += [
        Fact("message", (one,))
        for one in ("The Protocol of Shelves", "draft-shelves-00", "Table of Contents", "A. Keeper")
    ]
    yield Item(name, DOCUMENT, "text", "xml2rfc --text memo.xml", text, said_in(facts, text))


OPTIONS = "import json, yt_dlp; p = yt_dlp.parse_options([]).parser; print(json.dumps([[g.title, [o._long_opts[0] for o in g.option_list if o._long_opts and o.help != 'SUPPRESSHELP']] for g in p.option_groups]))"


def help_run(name: str, shop: Shop) -> Iterator[Item]:
    """The help of a program with hundreds of options; the facts are these, by its own parser, and their groups."""
    python = python_tools(shop)
    room = shop.room(name)
    text = shop.run([python, "-m", "yt_dlp", "--help"], room, env={"HOME": room}, apart=True).text
    facts = []
    for title, options in json.loads(shop.run([python, "-c", OPTIONS], room, env={"HOME": room}, apart=True).text):
        facts += [Fact("heading", (f"{title}:",)), *(Fact("path", (one,)) for one in options)]
    yield Item(name, HELP, "text", "yt-dlp --help", text, said_in(facts, text))


def ansible_help(name: str, shop: Shop) -> Iterator[Item]:
    """`ansible-doc` of several modules; the facts are those of its JSON: modules, options, what is required."""
    tool = tool_of(shop, "ansible-doc")
    room = shop.room(name)
    modules = ["copy", "file", "get_url", "user", "apt", "uri"]
    env = {"HOME": room}
    text = shop.run([tool, *modules], room, env=env, apart=True).text
    report = json.loads(shop.run([tool, "-j", *modules], room, env=env, apart=True).text)
    facts = []
    for module, row in report.items():
        facts += [Fact("message", (module.removeprefix("ansible.builtin."),))]
        for option, about in row["doc"]["options"].items():
            facts += [
                Fact(
                    "message",
                    (
                        (f"= {option}" if about.get("required") else f"- {option}"),
                        f"{'=' if about.get('required') else '-'} {option}  ",
                    ),
                )
            ]
    facts += last_words(text, r"^(?:OPTIONS|EXAMPLES|RETURN VALUES|NOTES|SEE ALSO|ATTRIBUTES|AUTHOR)\b.*")
    yield Item(name, HELP, "text", f"ansible-doc {' '.join(modules)}", text, said_in(facts, text))


def merged(shop: Shop, name: str, source: str) -> tuple[Repository, list[str]]:
    """A repository whose last commit merges two lines of work that touch the same files."""
    git = Repository(shop, name, source)
    paths = git.sources()[:300]
    git("checkout", "-q", "-b", "doors")
    for number, path in enumerate(paths):
        if number % 2 == 0:
            git.edit(path, r"\Z", f"\n\ndef open_door_{number}():\n    return {number}\n")
    git.commit("Open every door")
    git("checkout", "-q", "main")
    for number, path in enumerate(paths):
        if number % 3 == 0:
            git.edit(path, r"\Z", f"\n\ndef weigh_shelf_{number}(x):\n    return x * {number}\n")
    git.commit("Weigh every shelf")
    git("merge", "doors")
    for number, path in enumerate(paths):
        if number % 6 == 0:
            where = os.path.join(git.tree, path)
            write(
                where,
                re.sub(r"^(?:<{7}|={7}|>{7}).*\n", "", read(where), flags=re.MULTILINE) + f"MERGED_{number} = True\n",
            )
    git("add", "-A")
    git("commit", "-q", "-m", "Bring the doors home")
    return git, paths


def combined_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git diff-tree --cc` of a merge; the facts are the files that both sides changed, and what the merge added."""
    git, _ = merged(shop, name, source)
    text = git("diff-tree", "-p", "--cc", "HEAD")
    facts = [
        Fact("path", (path,))
        for path in git("diff-tree", "-r", "--cc", "--name-only", "--no-commit-id", "HEAD").split()
    ]
    facts += [
        Fact("message", (f"++{line}",))
        for line in dict.fromkeys(re.findall(r"^\+\+(MERGED_\d+ = True)", text, re.MULTILINE))
    ]
    facts += [
        Fact("name", (one,))
        for one in dict.fromkeys(re.findall(r"^[ +]{2}def ((?:open_door|weigh_shelf)_\d+)", text, re.MULTILINE))
    ]
    yield Item(name, HISTORY, "text", "git diff-tree --cc HEAD", text, said_in(facts, text))


def export_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git fast-export` of a small history; the facts are its commits, paths and references."""
    git, paths = merged(shop, name, source)
    for number in range(12):
        git.edit(paths[number], r"\Z", f"SHELF_{number} = {number}\n")
        git.commit(f"Keep shelf {number} in order")
        git("tag", f"v1.{number}")
    text = git("fast-export", "--all", "--signed-tags=strip", "^main~14")
    subjects = git("log", "--format=%s", "main~14..main").splitlines()
    facts = [Fact("message", (one,)) for one in dict.fromkeys(subjects)]
    facts += [
        Fact("path", (one,))
        for one in dict.fromkeys(git("log", "--name-only", "-m", "--format=", "main~14..main").split())
    ]
    facts += [Fact("message", (f"refs/tags/v1.{number}",)) for number in range(12)]
    yield Item(name, HISTORY, "text", "git fast-export --all", text, said_in(facts, text))


def references_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`git for-each-ref` of a busy repository; the facts are the groups, and the references unlike the others."""
    git = Repository(shop, name, source)
    odd = {33: "Stop area 33 at once", 170: "Undo label 170"}
    for number in range(240):
        said = odd.get(number, f"Keep shelf {number}")
        who = ["-c", "user.name=Bo Carrier"] if number % 80 == 41 else []
        git(*who, "commit", "-q", "--allow-empty", "-m", said)
        kind = ("heads/area", "tags/v", "remotes/origin/shelf", "notes/label", "pull")[
            number % 5 if number != 99 else 4
        ]
        git(
            "update-ref",
            f"refs/{kind}/{number}"
            if "/" in kind and "tags" not in kind
            else f"refs/{kind}{number}/head"
            if kind == "pull"
            else f"refs/{kind}{number}",
            "HEAD",
        )
    text = git("for-each-ref", "--format=%(objectname) %(objecttype)\t%(refname)\t%(authorname)\t%(subject)")
    facts = [
        Fact("path", (one,))
        for one in ("refs/heads", "refs/tags", "refs/remotes/origin/shelf", "refs/notes/label", "refs/heads/area")
    ]
    facts += [Fact("message", (one,)) for one in (*odd.values(), "Bo Carrier")]
    facts += [Fact("odd", (), (f"Keep shelf {number}", "Bo Carrier")) for number in range(41, 240, 80)]
    facts += [Fact("path", (one,)) for one in re.findall(r"refs/\S+", text)]
    yield Item(name, HISTORY, "text", "git for-each-ref", text, said_in(facts, text))


def interdiff_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """`combinediff` of two patches; the facts are those of git's own account of both together."""
    shop.install("combinediff", "patchutils")
    git = Repository(shop, name, source)
    paths = git.sources()
    for turn, step in ((0, 3), (1, 5)):
        for number, path in enumerate(paths):
            if number % step == 0:
                git.edit(path, r"\n\n", f"\n# turn {turn} of shelf {number}\n\n", 1)
                git.edit(path, r"\Z", f"TURN_{turn} = {number}\n")
        git.commit(f"Turn {turn}")
        write(os.path.join(git.tree, "..", f"{turn}.patch"), git("show", "--format="))
    text = shop.run(["combinediff", "-p1", "../0.patch", "../1.patch"], git.tree, apart=True).text
    if not text:
        raise CannotMake("combinediff said nothing")
    numstat, status, diff = (git("diff", *how, "HEAD~2", "HEAD") for how in (["--numstat"], ["--name-status"], []))
    facts = [fact for fact in changed_facts(numstat, status, diff) if fact.kind == "path"]
    facts += [
        Fact("change", (f"+TURN_{turn} = {number}",))
        for turn, step in ((0, 3), (1, 5))
        for number in range(0, len(paths), step)
    ]
    yield Item(name, DIFFERENCE, "text", "combinediff 0.patch 1.patch", text, said_in(facts, text))


def json_diff_run(name: str, shop: Shop) -> Iterator[Item]:
    """What json-diff prints of two releases of a register; the facts are the entries that came and went."""
    room = shop.room(name)
    old, new = (
        os.path.join(shop.npm_source(f"mime-db@{version}", shop.room(f"{name}-{version}")), "db.json")
        for version in ("1.30.0", "1.54.0")
    )
    text = report_file(shop, [npm_tool(shop, "json-diff"), old, new], npm_room(shop), room)
    before, after = (json.loads(read(path)) for path in (old, new))
    facts = [Fact("path", (one,)) for one in sorted(before.keys() ^ after.keys())]
    facts += [Fact("path", (one,)) for one in before.keys() & after.keys() if before[one] != after[one]]
    yield Item(name, DIFFERENCE, "text", "json-diff old.json new.json", text, said_in(sorted(facts), text))


RECIPES = {
    "cat-el-company": partial(
        code_run, "cat-el-company", "elpa-company", "usr/share/emacs/site-lisp/elpa-src/*/company.el", "EmacsLisp=fvm"
    ),
    "cat-erl-lists": partial(
        code_run, "cat-erl-lists", "erlang-src", "usr/lib/erlang/lib/stdlib-*/src/lists.erl", "Erlang=fr"
    ),
    "cat-vim-fugitive": partial(
        code_run, "cat-vim-fugitive", "vim-fugitive", "usr/share/vim-fugitive/autoload/fugitive.vim", "Vim=fc"
    ),
    "cat-scm-boot": partial(
        code_run, "cat-scm-boot", "guile-3.0-libs", "usr/share/guile/3.0/ice-9/boot-9.scm", "Scheme=f"
    ),
    "cat-clj-core": partial(clojure_run, "cat-clj-core"),
    "cat-kt-camera": partial(
        mobile_run, "cat-kt-camera", "android/src/main/java/expo/modules/camera/ExpoCameraView.kt"
    ),
    "cat-swift-camera": partial(mobile_run, "cat-swift-camera", "ios/CameraViewModule.swift"),
    "cat-tcl-gitk": partial(gitk_run, "cat-tcl-gitk"),
    "cat-scss-bootstrap": partial(scss_run, "cat-scss-bootstrap", "bootstrap@5.3.3", "scss/_variables.scss"),
    "mandoc-mpv": partial(page_run, "mandoc-mpv", "mpv", "mpv.1.gz"),
    "html2text-git": partial(rendered_run, "html2text-git", "git-doc", "usr/share/doc/git-doc/git-rebase.html"),
    "texi-sed": partial(texinfo_run, "texi-sed", "sed", "doc/sed.texi"),
    "xml2rfc-memo": partial(memo_run, "xml2rfc-memo"),
    "yt-dlp-help": partial(help_run, "yt-dlp-help"),
    "ansible-doc-modules": partial(ansible_help, "ansible-doc-modules"),
    "git-diff-tree": partial(combined_run, "git-diff-tree", "sphinx==7.4.0"),
    "git-fast-export": partial(export_run, "git-fast-export", "flask==3.0.0"),
    "git-for-each-ref": partial(references_run, "git-for-each-ref", "flask==3.0.0"),
    "combinediff-werkzeug": partial(interdiff_run, "combinediff-werkzeug", "werkzeug==3.0.0"),
    "json-diff-mime": partial(json_diff_run, "json-diff-mime"),
}
