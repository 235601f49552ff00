"""How the house is built, read from the source: floors, arrows, and what names mean more than one thing.

    python tools/house.py [--package src/overspill] [--short] [--json]

Nothing is imported, so any version of the tree can be read and two of them be put beside each other. Tests hold facts
with the functions here: `upward_edges`, `cycles`, `class_names_twice`, `participles`, `the_same_docstrings`.
"""

import ast
import functools
import io
import json
import re
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "src" / "overspill"

# Packages and modules of the root, from the ground up: each may import those before it and none after it.
ORDER: tuple[str, ...] = (
    "version", "_lite", "errors",
    "kinds", "core", "files", "clean", "redact", "cut", "documents", "lists",
    "settings", "journal", "database", "store", "fleet", "ledger", "workspace",
    "retrieve", "fit", "handoff",
    "api", "decorator", "compat", "testing", "report",
    "mcp", "replay", "history", "frameworks", "agents", "cli",
    "__init__", "__main__",
)  # fmt: skip

LONG, SHORT = 500, 40  # lines of a file

# When an import happens: with the module, inside a function, for the type checker only.
TOP, LAZY, TYPE = "top", "lazy", "type"

# ruff: noqa: SIM905  # lists of words read best as words
# Participles that no ending gives away. Words that are verbs as well (cut, read, set, put, run, split) are left out.
IRREGULAR = frozenset(
    "begun born bought bound broken brought built caught chosen dealt done drawn driven eaten fallen fed felt"
    " forgotten found frozen given gone got grown heard held hidden hung kept known laid led lent lost made meant met"
    " paid proven rebuilt redone retold rewritten risen said seen sent shown slept sold sought spelt spent spoken"
    " stolen stood struck sung sunk swept taken taught thought thrown told torn undone understood unstruck won worn"
    " woven written".split()
)
OTHER_WORDS = frozenset(
    "anything beginning bed being bleed breed bring building ceiling during embed evening everything exceed feed"
    " heading hundred indeed king landing listing mapping meaning morning need nothing ping proceed red ring seed"
    " setting shed shred sibling sing something speed spelling spring sting string succeed swing thing warning weed"
    " wing".split()
)
# Participles that every Python programmer reads at once: a new value like the old one, or a state.
IDIOMS = frozenset("cached closed joined limited redacted reversed sorted".split())

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Module(NamedTuple):
    """A file of the package; names are relative to it, and the package's own is `__init__`."""

    name: str
    is_package: bool
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")

    @property
    def place(self) -> str:
        """The package it stands in; of a module at the root, its own name."""
        if self.is_package or "." not in self.name:
            return self.name
        return self.name.rpartition(".")[0]


class Edge(NamedTuple):
    """One module imports another."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}"


class Function(NamedTuple):
    """A function of a module or a method of a class; what is defined inside functions is left out."""

    module: str
    owner: str  # the class, or nothing
    name: str
    node: FunctionNode

    @property
    def place(self) -> str:
        return f"{self.module}:{self.node.lineno} {self.owner + '.' if self.owner else ''}{self.name}"

    @property
    def words(self) -> list[str]:
        return [word for word in self.name.split("_") if word]

    @property
    def is_property(self) -> bool:
        return any("property" in ast.unparse(decorator) for decorator in self.node.decorator_list)


def read_modules(package: Path) -> dict[str, Module]:
    """Every module by its name."""
    return dict(_read_modules(package.resolve()))


@functools.cache
def _read_modules(package: Path) -> dict[str, Module]:
    return {module.name: module for module in (_read(path, package) for path in sorted(package.rglob("*.py")))}


def _read(path: Path, package: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(package).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    name = ".".join(parts[:-1] if is_package else parts) or "__init__"
    return Module(name, is_package, text, ast.parse(text))


def edges(package: Path) -> dict[Edge, set[str]]:
    """Every import of a module of ours by another, with the times at which it happens."""
    return dict(_edges(package.resolve()))


@functools.cache
def _edges(package: Path) -> dict[Edge, set[str]]:
    modules = read_modules(package)
    # A stub is there for the type checker alone: nothing can be loaded from it.
    stubs = {".".join(path.relative_to(package).with_suffix("").parts) for path in package.rglob("*.pyi")}
    found: dict[Edge, set[str]] = defaultdict(set)
    for module in modules.values():
        for node, when in _imports(module.tree, TOP):
            for target in _targets(node, module, package.name, modules):
                if target != module.name and target not in stubs:
                    found[Edge(module.name, target)].add(when)
    return found


def _imports(node: ast.AST, when: str) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for child in _statements(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, when
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from _imports(ast.Module(child.body, []), TYPE)
            yield from _imports(ast.Module(child.orelse, []), when)
        else:
            yield from _imports(child, LAZY if when == TOP and isinstance(child, FUNCTIONS) else when)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        yield from getattr(node, part, ())


def _targets(
    node: ast.Import | ast.ImportFrom, module: Module, root: str, modules: Mapping[str, Module]
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names if alias.name.split(".")[0] == root]
        yield from (name.partition(".")[2] or "__init__" for name in names)
        return
    origin = node.module or ""
    if node.level:
        here = [root, *([] if module.name == "__init__" else module.name.split("."))]
        above = here[: len(here) - node.level + module.is_package]
        origin = ".".join([*above, *([origin] if origin else [])])
    if origin.split(".")[0] != root:
        return
    origin = origin.partition(".")[2]
    for alias in node.names:
        name = f"{origin}.{alias.name}" if origin else alias.name
        yield name if name in modules else origin or "__init__"


def graph_of(found: Mapping[Edge, Collection[str]], times: Collection[str]) -> dict[str, set[str]]:
    """What each module imports at any of these times."""
    graph: dict[str, set[str]] = defaultdict(set)
    for edge, when in found.items():
        if set(when) & set(times):
            graph[edge.source].add(edge.target)
    return graph


def between_places(graph: Mapping[str, Iterable[str]], place_of: Callable[[str], str]) -> dict[str, set[str]]:
    """A graph of modules as one of the places they stand in."""
    places: dict[str, set[str]] = defaultdict(set)
    for source, targets in graph.items():
        places[place_of(source)] |= {place_of(target) for target in targets} - {place_of(source)}
    return places


def knots(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Those that can reach each other, together: each list holds at least one cycle."""
    reach = {name: _reached(graph, name) for name in graph}
    found = {tuple(sorted(other for other in reach[name] if name in reach.get(other, ()))) for name in reach}
    return sorted(list(knot) for knot in found if len(knot) > 1)


def _reached(graph: Mapping[str, Iterable[str]], start: str) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        new = set(graph.get(ahead.pop(), ())) - seen
        seen |= new
        ahead.extend(new)
    return seen


def floor_of(name: str) -> str:
    """The first word of a module's name: a package or a module of the root."""
    return name.split(".", maxsplit=1)[0]


def upward_edges(package: Path, order: Sequence[str] = ORDER) -> list[str]:
    """Imports of something that comes later in the order, whenever they happen."""
    return _upward(edges(package), order)


def _upward(found: Iterable[Edge], order: Sequence[str]) -> list[str]:
    height = {name: number for number, name in enumerate(order)}
    placed = [edge for edge in sorted(found) if floor_of(edge.source) in height and floor_of(edge.target) in height]
    return [str(edge) for edge in placed if height[floor_of(edge.source)] < height[floor_of(edge.target)]]


def names_without_place(package: Path, order: Sequence[str] = ORDER) -> list[str]:
    """Packages and modules of the root that the order does not name."""
    return sorted({floor_of(name) for name in read_modules(package)} - set(order))


def cycles(package: Path) -> dict[str, list[list[str]]]:
    """Modules and packages that reach each other by imports; all lists are empty in a house without knots."""
    modules, found = read_modules(package), edges(package)
    whole = graph_of(found, [TOP, LAZY, TYPE])
    return {
        "modules, at import": knots(graph_of(found, [TOP])),
        "modules, with lazy imports": knots(graph_of(found, [TOP, LAZY])),
        "modules, with types": knots(whole),
        "packages of the root": knots(between_places(whole, floor_of)),
        "all packages": knots(between_places(whole, lambda name: modules[name].place)),
    }


def readers(package: Path) -> dict[str, set[str]]:
    """By module, those that import it."""
    found: dict[str, set[str]] = {name: set() for name in read_modules(package)}
    for edge in edges(package):
        found[edge.target].add(edge.source)
    return found


def named_upwards(package: Path, order: Sequence[str] = ORDER) -> list[str]:
    """Modules that something below them names in a string, to import them when they are needed."""
    modules = read_modules(package)
    pattern = re.compile(rf"{re.escape(package.resolve().name)}\.([\w.]+)(?::\w+)?")
    found = {
        Edge(module.name, match[1])
        for module in modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (match := pattern.fullmatch(node.value))
    }
    return _upward((edge for edge in found if edge.target in modules), order)


def functions(package: Path) -> list[Function]:
    """Functions of modules and methods of classes, dunders left out."""
    return [function for module in read_modules(package).values() for function in _functions(module)]


def _functions(module: Module) -> Iterator[Function]:
    for owner, node in _definitions(module.tree, ""):
        if isinstance(node, FUNCTIONS) and not re.fullmatch(r"__\w+__", node.name):
            yield Function(module.name, owner, node.name, node)


def _definitions(tree: ast.Module | ast.ClassDef, owner: str) -> Iterator[tuple[str, FunctionNode | ast.ClassDef]]:
    for node in tree.body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield owner, node
        if isinstance(node, ast.ClassDef) and not owner:
            yield from _definitions(node, node.name)


def places(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """By name, the modules that define it."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, module in names:
        found[name].add(module)
    return {name: sorted(modules) for name, modules in sorted(found.items())}


def class_places(package: Path) -> dict[str, list[str]]:
    """By name of a class of a module, the modules that define one."""
    return places(
        (node.name, module.name)
        for module in read_modules(package).values()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef)
    )


def class_names_twice(package: Path) -> dict[str, list[str]]:
    """Names of classes that stand for different things in different modules."""
    return {name: modules for name, modules in class_places(package).items() if len(modules) > 1}


def function_places(package: Path) -> dict[str, list[str]]:
    """By name of a function of a module, the modules that define one."""
    return places((function.name, function.module) for function in functions(package) if not function.owner)


def is_past(word: str) -> bool:
    """A past participle: it does not say whether something is computed, printed or read."""
    return word in IRREGULAR or (word.endswith("ed") and word not in OTHER_WORDS)


def is_present(word: str) -> bool:
    """An -ing form that is no noun of its own."""
    return word.endswith("ing") and word not in OTHER_WORDS


def is_participle(name: str) -> bool:
    """Whether a name is nothing but a participle."""
    return "_" not in name and (is_past(name) or is_present(name))


def participles(package: Path, idioms: Collection[str] = IDIOMS) -> list[str]:
    """Public functions and methods that are called by one bare participle, with their places.

    A property is left out: it is read as an attribute, and `stream.closed` says what it is.
    """
    return [
        function.place
        for function in functions(package)
        if not function.name.startswith("_") and not function.owner.startswith("_") and not function.is_property
        if is_participle(function.name) and function.name not in idioms
    ]


class Docstring(NamedTuple):
    """What is said of a module, a class or a function."""

    place: str
    text: str
    of_function: bool


def docstrings(package: Path) -> list[Docstring]:
    """All of them."""
    return [found for module in read_modules(package).values() for found in _docstrings(module.tree, module.name)]


def _docstrings(node: ast.AST, module: str) -> Iterator[Docstring]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module)) and (text := ast.get_docstring(node)):
        place = f"{module}:1" if isinstance(node, ast.Module) else f"{module}:{node.lineno} {node.name}"
        yield Docstring(place, text, isinstance(node, FUNCTIONS))
    for child in _statements(node):
        yield from _docstrings(child, module)


def the_same_docstrings(package: Path) -> list[str]:
    """Places of docstrings that need the one above to mean anything."""
    return [docstring.place for docstring in docstrings(package) if docstring.text.startswith("The same")]


def is_none_wordings(package: Path) -> int:
    """How often docstrings and comments say "none" for "not one"; the value None and quoted words are left out."""
    texts = [docstring.text for docstring in docstrings(package)]
    texts += [comment for module in read_modules(package).values() for comment in _comments(module)]
    return sum(len(re.findall(r"(?<![`'\"\w])none(?![`'\"\w])", text)) for text in texts)


def _comments(module: Module) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def measures(package: Path) -> dict[str, object]:
    """The house in numbers."""
    return {**floors(package), **arrows(package), **vocabulary(package)}


def floors(package: Path) -> dict[str, object]:
    modules = read_modules(package).values()
    root = [module for module in modules if module.name == "__init__" or not (module.is_package or "." in module.name)]
    by_package = Counter(module.place for module in modules if module not in root)
    return {
        "modules at the root": len(root),
        "modules in all": len(modules),
        "packages of the root": sum("." not in name for name in by_package),
        "packages in all": len(by_package),
        "lines": sum(module.lines for module in modules),
        f"files over {LONG} lines": [f"{module.name} {module.lines}" for module in modules if module.lines > LONG],
        f"modules under {SHORT} lines": sum(module.lines < SHORT for module in modules),
        "modules by package": dict(sorted(by_package.items())),
    }


def arrows(package: Path) -> dict[str, object]:
    found = edges(package)
    alone = [name for name, those in readers(package).items() if len(those) == 1]
    return {
        "imports between modules": len(found),
        "of these only lazy": sum(LAZY in when and TOP not in when for when in found.values()),
        "of these only for types": sum(when == {TYPE} for when in found.values()),
        "modules with one reader": len(alone),
        "without a place in the order": names_without_place(package),
        "upward imports": upward_edges(package),
        "named upwards in strings": named_upwards(package),
        **{f"cycles: {what}": [" <-> ".join(knot) for knot in found] for what, found in cycles(package).items()},
    }


def vocabulary(package: Path) -> dict[str, object]:
    every = functions(package)
    single = [function.words[0] for function in every if len(function.words) == 1]
    named = function_places(package)
    defined = [function for function in every if not function.owner]
    classes, twice = class_places(package), class_names_twice(package)
    said = [docstring for docstring in docstrings(package) if docstring.of_function]
    return {
        "functions and methods": len(every),
        "one-word names": share(len(single), len(every)),
        "bare past participles": share(sum(map(is_past, single)), len(every)),
        "bare -ing forms": share(sum(map(is_present, single)), len(every)),
        "words a name": round(sum(len(function.words) for function in every) / max(len(every), 1), 2),
        "public bare participles, idioms and properties apart": participles(package),
        "class names": len(classes),
        "class names in several modules": [f"{name}: {', '.join(modules)}" for name, modules in twice.items()],
        "function names of modules": len(named),
        "function names in several modules": sum(len(modules) > 1 for modules in named.values()),
        "definitions whose name exists elsewhere": share(
            sum(len(named[function.name]) > 1 for function in defined), len(defined)
        ),
        "docstrings of functions": len(said),
        'of these beginning with "The same"': sum(docstring.text.startswith("The same") for docstring in said),
        'docstrings beginning with "The same"': the_same_docstrings(package),
        'the word "none" in docstrings of functions, None too': sum(
            len(re.findall(r"\bnone\b", docstring.text, re.IGNORECASE)) for docstring in said
        ),
        '"none" for "not one", in docstrings and comments': is_none_wordings(package),
    }


def share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.1%} ({part:,} of {whole:,})"


def print_table(found: Mapping[str, object], *, lists: bool) -> None:
    for what, value in found.items():
        if isinstance(value, list):
            print(f"{what:<62} {len(value):>8,}")
            for entry in value if lists else ():
                print(f"    {entry}")
        elif isinstance(value, dict):
            print(f"{what:<62} {', '.join(f'{name} {count}' for name, count in value.items())}")
        else:
            print(f"{what:<62} {value if isinstance(value, str) else format(value, ','):>8}")


def main(arguments: list[str]) -> int:
    package = Path(arguments[arguments.index("--package") + 1]) if "--package" in arguments else PACKAGE
    found = measures(package)
    if "--json" in arguments:
        print(json.dumps(found, indent=2))
    else:
        print_table(found, lists="--short" not in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
