"""Compilers: of Solidity, JavaScript, Fortran, Haskell, and of books."""

import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop, change

COMPILER, BOOK = "compiler", "document builder"


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def solidity_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What solcjs says of contracts that lost their licence or what they import; the facts are its own list in JSON."""
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "solc@0.8.26")
    paths = sorted(glob.glob("**/*.sol", root_dir=tree, recursive=True))
    sources = {}
    for number, path in enumerate(paths):
        text = _read(os.path.join(tree, path))
        text = re.sub(r"// SPDX.*\n", "", text) if number % 3 == 0 else text
        text = re.sub(r"^import .*\n", "", text, flags=re.MULTILINE) if number % 2 else text
        sources[path] = {"content": text}
    asked = {"language": "Solidity", "sources": sources, "settings": {"outputSelection": {"*": {"*": ["abi"]}}}}
    with open(os.path.join(room, "ask.js"), "w", encoding="utf-8") as out:
        out.write(f"process.stdout.write(require('solc').compile(JSON.stringify({json.dumps(asked)})))")
    rows = json.loads(shop.run(["node", "ask.js"], room, apart=True).text)["errors"]
    text = "".join(row["formattedMessage"] for row in rows)
    found = []
    for row in rows:
        at = re.search(r"--> (\S+?):?\n", row["formattedMessage"])
        if at:
            found.append(Diagnostic(row["sourceLocation"]["file"], at[1], "", row["message"]))
    yield Item(name, COMPILER, "text", "solcjs", text, said_in(spread_facts(found), text))


def closure_run(name: str, package: str, folder: str, shop: Shop) -> Iterator[Item]:
    """What the closure compiler says of a JavaScript package; the facts are its own list in JSON."""
    shop.need("java")
    room = shop.room(name)
    tree = shop.npm_source(package, room)
    shop.npm(room, "google-closure-compiler-java@20240317.0.0")
    jar = os.path.join(room, "node_modules", "google-closure-compiler-java", "compiler.jar")
    command = ["java", "-jar", jar, "--checks_only", "--warning_level", "VERBOSE", "--jscomp_warning=*"]
    command += ["--js", f"{folder}/**.js"]
    text = shop.run(command, tree).text
    listed = shop.run([*command, "--error_format", "JSON"], tree).text
    found = []
    for row in json.loads(listed[listed.index("[") :]):
        if row.get("source"):
            place = f"{row['source']}:{row['line']}:{row['column']}"
            found.append(Diagnostic(row["source"], place, row["key"], row["description"]))
    yield Item(name, COMPILER, "text", "closure-compiler", text, said_in(diagnostic_facts(found), text))


def fortran_run(name: str, package: str, files: str, shop: Shop) -> Iterator[Item]:
    """What gfortran says of a library with some routines broken; the facts are the same findings, a line each."""
    shop.install("gfortran")
    tree = shop.debian_source(package, shop.room(name))
    paths = sorted(glob.glob(files, root_dir=tree))
    for number, path in enumerate(paths):
        if number % 60 == 17:
            change(
                os.path.join(tree, path),
                "      RETURN\n",
                "      CALL XERBLA( 7, INFO\n      INFO = UNKNWN%PART\n      RETURN\n",
            )
    command = ["gfortran", "-fsyntax-only", "-Wall", "-Wextra"]
    text = shop.run([*command, *paths], tree).text
    # Its JSON also holds errors that the parser took back, so the form of one line each is asked for.
    listed = shop.run([*command, "-fno-diagnostics-show-caret", *paths], tree).text
    found = [
        Diagnostic(row[0], f"{row[0]}:{row[1]}", row[3], row[2].removesuffix(" at (1)"))
        for row in re.findall(r"^(\S+?):(\d+:\d+): \w+: (.*?)(?: \[(-W\S+)\])?$", listed, re.MULTILINE)
    ]
    yield Item(name, COMPILER, "text", "gfortran -Wall", text, said_in(spread_facts(found), text))


def haskell_run(name: str, package: str, flags: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """What ghc says of a package; the facts are its own list in JSON."""
    shop.install("ghc")
    tree = shop.debian_source(package, shop.room(name))
    command = ["ghc", "-fno-code", "-Wall", "-Wmissing-local-signatures", *flags]
    text = shop.run(command, tree).text
    found = []
    for line in shop.run([*command, "-ddump-json"], tree).text.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("span") and (row.get("reason") is not None or row.get("severity") == "SevError"):
            at, path = row["span"], row["span"]["file"].removeprefix("./")
            flag = re.sub(r"(?<!^)([A-Z])", r"-\1", (row["reason"] or "").removeprefix("Opt_Warn")).lower()
            place = f"{path}:{at['startLine']}:{at['startCol']}"
            found.append(Diagnostic(path, place, f"-W{flag}" if flag else "", row["doc"]))
    yield Item(name, COMPILER, "text", "ghc -Wall", text, said_in(spread_facts(found), text))


def sphinx_run(name: str, package: str, shop: Shop) -> Iterator[Item]:
    """What sphinx-build says while it builds a book; the facts are the warnings that it writes to a file of their own."""
    python = shop.python("sphinx", "sphinx==8.0.2", package)
    tree = shop.sdist(package, shop.room(name))
    with open(os.path.join(tree, "docs", "conf.py"), "w", encoding="utf-8") as out:
        out.write("extensions = ['sphinx.ext.autodoc']\nroot_doc = 'index'\n")
    text = shop.run([python, "-m", "sphinx", "-n", "-w", "warned.txt", "docs", "out"], tree).text.replace(
        f"{tree}/", ""
    )
    found, other = [], []
    for line in _read(os.path.join(tree, "warned.txt")).replace(f"{tree}/", "").splitlines():
        if row := re.match(r"(\S+?):(\d+): (?:WARNING|ERROR): (.+?)(?: \[([\w.]+)\])?$", line):
            found.append(Diagnostic(row[1], f"{row[1]}:{row[2]}", row[4] or "", row[3]))
        elif ": WARNING: " in line:
            other.append(Fact("message", (line.split(": WARNING: ")[1][:90].strip(),)))
    yield Item(name, BOOK, "text", "sphinx-build", text, said_in(diagnostic_facts(found, *other), text))


CHAPTER = r"""\chapter{Part %d}\label{part%d}
%s
See \ref{part%d} and \cite{work%d}. \begin{equation}x_{%d}=y\label{eq%d}\end{equation}
"""
PLANTED = {
    7: r"\undefinedmacro{} stands here.",
    19: r"\ref{nowhere} \ref{also-nowhere}",
    23: r"\hbox{" + "Overfullwithoutanybreak" * 9 + "}",
    31: r"\begin{equation}z\label{eq4}\end{equation}",
    38: r"\includegraphics{missing-picture}",
    44: r"$a_b_c$",
    52: r"\hbox to 1cm{\hfill far too wide for this \hfill}",
    58: r"\fontfamily{nosuch}\selectfont Text in no font.\normalfont",
}  # fmt: skip


def latex_run(name: str, shop: Shop) -> Iterator[Item]:
    """The log of pdflatex on a book with planted faults; the facts are these, and the references that lead nowhere."""
    shop.install("pdflatex", "texlive-latex-base")
    room = shop.room(name)
    head = "\\documentclass{book}\\usepackage{graphicx}\\usepackage[T1]{fontenc}\\begin{document}\\tableofcontents\n"
    with open(os.path.join(room, "book.tex"), "w", encoding="utf-8") as out:
        out.write(head)
        for number in range(64):
            with open(os.path.join(room, f"part{number}.tex"), "w", encoding="utf-8") as part:
                body = PLANTED.get(number, "Words of this part. " * 60)
                part.write(CHAPTER % (number, number, body, number + 1, number, number, number))
            out.write(f"\\include{{part{number}}}\n")
        out.write("\\end{document}\n")
    for _ in range(2):
        shop.run(["pdflatex", "-interaction=nonstopmode", "-file-line-error", "book.tex"], room)
    text = _read(os.path.join(room, "book.log"))
    facts = [
        Fact("odd", (), ("part7.tex", "Undefined control sequence")), Fact("message", ("\\undefinedmacro",)),
        Fact("odd", (), ("nowhere", "undefined")), Fact("odd", (), ("also-nowhere", "undefined")),
        Fact("odd", (), ("eq4", "multiply defined")), Fact("odd", (), ("missing-picture", "not found")),
        Fact("odd", (), ("part44.tex", "Double subscript")), Fact("odd", (), ("Overfull", "too wide")),
        Fact("message", ("T1/nosuch/m/n",)), Fact("odd", (), ("part64", "undefined")),
    ]  # fmt: skip
    facts += [Fact("name", (f"work{number}",)) for number in range(64)]
    facts += [Fact("path", (f"part{number}.tex",)) for number in range(64)]
    yield Item(name, BOOK, "text", "pdflatex book.tex", text, said_in(facts, text))


RECIPES = {
    "solc-openzeppelin": partial(solidity_run, "solc-openzeppelin", "@openzeppelin/contracts@5.0.2"),
    "closure-underscore": partial(closure_run, "closure-underscore", "underscore@1.13.6", "modules"),
    "gfortran-lapack": partial(fortran_run, "gfortran-lapack", "lapack", "TESTING/LIN/d*.f"),
    "ghc-hscolour": partial(haskell_run, "ghc-hscolour", "hscolour", ("HsColour.hs",)),
    "sphinx-click": partial(sphinx_run, "sphinx-click", "click==8.1.7"),
    "pdflatex-book": partial(latex_run, "pdflatex-book"),
}
