"""Exact outlines by tree-sitter, where the extra `overspill[code]` is installed."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from overspill._lite import TYPE_CHECKING
from overspill.core.spans import Span
from overspill.cut.smart.languages import grammar_of
from overspill.cut.smart.outline import Definition, Line, Outline, first_attached, outline, source_lines
from overspill.kinds import numbering_pattern, without_numbering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

MOST = 4_000_000  # characters; beyond them lines are good enough
LONG, PIECE = 100_000, 8_000  # characters of a text that is looked at in pieces first, and of a piece

# The package of a grammar, and the function in it.
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_typescript", "language_tsx"),  # which is said of both
    "typescript": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}

FUNCTIONS = frozenset(
    "function_definition function_declaration generator_function_declaration method_definition method_declaration"
    " function_item constructor_declaration compact_constructor_declaration destructor_declaration method"
    " singleton_method macro_definition preproc_function_def local_function_statement operator_declaration"
    " type_declaration struct_item enum_item union_item type_item type_alias_declaration".split()
)
CONTAINERS = frozenset(
    "class_definition class_declaration abstract_class_declaration interface_declaration enum_declaration"
    " record_declaration annotation_type_declaration trait_item impl_item mod_item class module struct_declaration"
    " trait_declaration class_specifier struct_specifier namespace_definition namespace_declaration internal_module"
    " enum_specifier union_specifier record_struct_declaration".split()
)
BODILY = frozenset(("class_specifier", "struct_specifier", "enum_specifier", "union_specifier", "namespace_definition"))
ASSIGNMENTS = frozenset(
    "lexical_declaration variable_declaration public_field_definition pair assignment_expression".split()
)
_ASSIGNED = frozenset("arrow_function function_expression function class generator_function".split())


def exact_outline(text: str, language: str) -> Outline | None:
    """The definitions as a parser of the language sees them, or None where there is no such parser."""
    parser = _parser(language) if len(text) <= MOST else None
    if parser is None:
        return None
    numbers = numbering_pattern(text) if text[:16].lstrip()[:1].isdigit() else None
    plain = text if numbers is None else without_numbering(text, numbers)
    grammar = grammar_of(language)
    lines = source_lines(text, grammar)
    if not lines:
        return None
    if _is_strange(plain, parser):
        return outline(text, language)
    root = parser.parse(plain.encode("utf-8", "replace")).root_node
    definitions = [_definition(node, level, name, lines, language) for node, level, name in _definition_nodes(root)]
    by_lines = outline(text, language)
    if root.has_error and len(definitions) < len(by_lines.definitions):
        return by_lines  # it is another language, or a part of a file
    return by_lines._replace(definitions=definitions)


def _is_strange(text: str, parser: Parser) -> bool:
    """Whether a long text is in another language by what a parser makes of pieces of it: errors, and no definition.

    A parser takes seconds for what it cannot read, and then tells nothing.
    """
    if len(text) < LONG:
        return False
    for start in (0, len(text) // 3, 2 * len(text) // 3):
        at = text.find("\n", start) + 1
        root = parser.parse(text[at : at + PIECE].encode("utf-8", "replace")).root_node
        if not root.has_error or next(_definition_nodes(root), None) is not None:
            return False
    return True


def _definition_nodes(root: Node) -> Iterator[tuple[Node, int, str]]:
    """The definitions from the first on, how many others each lies in, and its name. What is in a function is not."""
    waiting = [(root, 0)]
    while waiting:
        node, level = waiting.pop()
        kind = node.type
        defines = kind in FUNCTIONS or kind in CONTAINERS
        name = _node_name(node) if defines or kind in ASSIGNMENTS else ""
        if name and defines:
            body = node.child_by_field_name("body")
            if body is None and kind in BODILY:
                continue  # a mention of a type, or all of a file
            yield node, level, name
            level += 1
        elif kind in ASSIGNMENTS:
            if name:
                yield node, level, name
            continue
        if kind not in FUNCTIONS:
            waiting += [(child, level) for child in reversed(node.named_children)]


def _node_name(node: Node) -> str:
    """The name of a definition; of an assignment only if it is of a function."""
    if node.type in {"lexical_declaration", "variable_declaration"}:
        node = next((child for child in node.named_children if child.type == "variable_declarator"), node)
        value = node.child_by_field_name("value")
        if value is None or value.type not in _ASSIGNED:
            return ""
    elif node.type in ASSIGNMENTS:
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if value is None or value.type not in _ASSIGNED:
            return ""
    elif node.type == "type_declaration":
        node = next(iter(node.named_children), node)
    named = next(
        (
            child
            for field in ("name", "key", "left", "declarator", "type")
            if (child := node.child_by_field_name(field))
        ),
        None,
    )
    while named is not None and (inner := _declared(named)) is not None:
        named = inner
    if named is None or named.text is None:
        return ""
    words = named.text.decode("utf-8", "replace")
    return (words.partition("(")[0].rstrip() if named.type == "operator_cast" else words)[:120]


def _declared(node: Node) -> Node | None:
    """What a declaration of C or C++ declares; behind `&` and in parentheses it has no field of its own."""
    if node.type == "operator_cast":
        return None
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"reference_declarator", "parenthesized_declarator"}:
        inner = next(iter(node.named_children), None)
    return inner


def _definition(node: Node, level: int, name: str, lines: list[Line], language: str) -> Definition:
    outer = node.parent
    whole = outer if outer is not None and outer.type in {"decorated_definition", "export_statement"} else node
    if outer is not None and outer.type == "template_declaration":
        whole = outer
    last_line = len(lines) - 1
    first, number = min(whole.start_point[0], last_line), min(node.start_point[0], last_line)
    end = min(whole.end_point[0] - (whole.end_point[1] == 0), last_line)
    body = node.child_by_field_name("body")
    head = end
    if body is not None:
        opens = body.text is not None and body.text[:1] in {b"{", b":"}
        head = max(number, min(body.start_point[0] - (0 if opens else 1), end))
    first = first_attached(lines, first, grammar_of(language))
    signature = Span(lines[first].start, lines[head].end)
    words = " ".join(line.words for line in lines[number : min(head, number + 15) + 1]).rstrip("{: ")
    container = node.type in CONTAINERS
    return Definition(signature.start, lines[max(end, head)].end, signature, name, words, number + 1, level, container)


@lru_cache(maxsize=16)
def _parser(language: str) -> Parser | None:
    if language not in _GRAMMARS:
        return None
    package, function = _GRAMMARS[language]
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(package), function)()))
    except (ImportError, AttributeError, ValueError):  # not installed, or of another time
        return None
