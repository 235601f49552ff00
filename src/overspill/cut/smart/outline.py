r"""Where the definitions of a source text begin and end, told by how its lines begin and how far they are indented.

>>> found = outline("class A:\n    def b(self):\n        pass\n\nx = 1\n", "python")
>>> [(one.name, one.line) for one in found.definitions]
[('A', 1), ('b', 2)]

A definition ends before the first line that is indented no more than its own, with a closing line of its own
included. That holds for text that a formatter wrote, in any language; exact ends come from tree-sitter, where the extra
`overspill[code]` is installed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from importlib import import_module
from itertools import accumulate, repeat

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, lru_cache
from overspill.core.spans import Span
from overspill.cut.smart.languages import Grammar, grammar_of
from overspill.kinds.lines import numbering_pattern, without_numbering

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node, Parser

LONGEST_HEAD = 16  # lines of a signature
MOST_ATTACHED = 40  # lines before it that belong to it
LONGEST_LINE = 400  # characters of a line that are looked at
TAB = 8
LONGEST_BLOCK, MOST_UNCLOSED = 1_000, 100  # lines in brackets, and brackets that nobody closes

_OPENER = compile_pattern(r"[A-Za-z_][\w-]*[!*]?\s?[\[({]")
_CLOSERS = compile_pattern(r"[\])}]+")
# Remarks of many lines, and texts in quotes, in which no line is code, whatever it looks like.
_LONG_REMARK = compile_pattern(
    r"(?sm)^[ \t]*+(?:#\[(=*)\[.*?\]\1\]|--\[(=*)\[.*?\]\2\]|/\*.*?\*/|\{-.*?-\}|\(\*.*?\*\)|=[a-z]\w+$.*?^=cut$"
    r"|[^\n\"]*+\"{3}$.*?^[ \t]*\"{3})"
)


class Definition(NamedTuple):
    """A function, a method, a class: where it begins with all that belongs to it, its signature, and its end."""

    start: int
    end: int
    head: Span  # its signature, with decorators
    name: str
    words: str  # the signature in one line
    line: int
    level: int  # how many others it lies in
    container: bool  # holds other definitions, such as a class


class Outline(NamedTuple):
    """The definitions of a text in order, and the lines that bring in others."""

    definitions: list[Definition]
    imports: list[Span]


class Line(NamedTuple):
    """A line: where it is, what it says without blanks around it, and how far it is indented; -1 where that is void."""

    start: int
    end: int
    words: str
    indent: int


def source_lines(text: str, grammar: Grammar) -> list[Line]:
    """The lines of a text; of numbered ones, what stands after the numbers."""
    wholes = text.split("\n")
    if not wholes[-1]:
        wholes.pop()  # behind the last line end
    ends = [*accumulate(len(whole) + 1 for whole in wholes)]
    starts, ends[-1:] = [0, *ends][: len(wholes)], [len(text)] * bool(wholes)
    numbers = numbering_pattern(text) if text[:16].lstrip()[:1].isdigit() else None
    if numbers is not None:
        found = map(numbers.match, repeat(text), starts, ends)
        wholes = [
            whole if one is None else text[one.end() : one.start() + len(whole)]
            for whole, one in zip(wholes, found, strict=True)
        ]
    if max(map(len, wholes), default=0) > LONGEST_LINE:
        wholes = [whole[:LONGEST_LINE] for whole in wholes]
    bare = [*map(str.lstrip, wholes)]
    indents = [len(whole) - len(words) if words else -1 for whole, words in zip(wholes, bare, strict=True)]
    if "\t" in text:
        for at, (whole, indent) in enumerate(zip(wholes, indents, strict=True)):
            if indent > 0 and "\t" in (blank := whole[:indent]):
                indents[at] = len(blank.expandtabs(TAB))
    void = _quoted_places(text, grammar.quotes) if grammar.quotes is not None else []
    if void:
        indents = [-1 if _holds(void, at) else indent for at, indent in zip(starts, indents, strict=True)]
    return [*map(tuple.__new__, repeat(Line), zip(starts, ends, map(str.rstrip, bare), indents, strict=True))]


def _quoted_places(text: str, quotes: re.Pattern[str]) -> list[tuple[int, int]]:
    """Texts of many lines."""
    return [match.span() for match in quotes.finditer(text) if "\n" in match[0]]


def _holds(spans: list[tuple[int, int]], at: int) -> bool:
    number = bisect_right(spans, (at, 1 << 62)) - 1
    return number >= 0 and spans[number][0] < at < spans[number][1]


def outline(text: str, language: str, known: list[Line] | None = None) -> Outline:
    """The definitions in a text, by its lines, which may be `known`."""
    grammar = grammar_of(language)
    lines = source_lines(text, grammar) if known is None else known

    def defined_at(number: int) -> str | None:
        found = grammar.define.match(lines[number].words)
        return None if found is None else next((group for group in found.groups() if group), found[0]).strip()

    return outline_by(text, lines, grammar, defined_at)


def outline_by(text: str, lines: list[Line], grammar: Grammar, name_at: Callable[[int], str | None]) -> Outline:
    """The definitions in a text: those that `name_at` has a name for, by the number of a line."""
    definitions: list[Definition] = []
    imports: list[Span] = []
    open_ends: list[int] = []  # the lines after the definitions that the current line lies in
    number = 0
    while number < len(lines):
        line = lines[number]
        while open_ends and open_ends[-1] <= number:
            open_ends.pop()
        if line.indent < 0:
            number += 1
            continue
        name = name_at(number) if grammar.nests or not open_ends else None
        first, after, stop = (number, number, number) if name is None else _extent(lines, number, grammar)
        is_one = not grammar.body or "#" in line.words[:1] or grammar.body in text[line.start : lines[stop - 1].end]
        if name is not None and is_one:
            container = grammar.container is not None and grammar.container.match(line.words) is not None
            head = Span(lines[first].start, lines[after - 1].end)
            words = " ".join(one.words for one in lines[number:after]).rstrip("{: ")
            definitions.append(
                Definition(head.start, lines[stop - 1].end, head, name, words, number + 1, len(open_ends), container)
            )
            open_ends.append(stop)
            number = after
        elif grammar.bring is not None and not open_ends and grammar.bring.match(line.words):
            after = _past_brackets(lines, number)
            imports.append(Span(line.start, lines[after - 1].end))
            number = after
        else:
            number += 1
    return Outline(definitions, _joined_imports(imports))


def _extent(lines: list[Line], number: int, grammar: Grammar) -> tuple[int, int, int]:
    """The first line that belongs to a definition, the line after its signature, and the line after its end."""
    indent = lines[number].indent
    first = first_attached(lines, number, grammar)
    after = _past_brackets(lines, number)
    stop = after
    last = after  # after the last line that was not void
    while stop < len(lines):
        line = lines[stop]
        if 0 <= line.indent <= indent:
            if grammar.closing.match(line.words) and line.indent == indent:
                following = line.words[1:].strip()
                last = stop + 1
                if not following.endswith(("{", "(")):
                    break
            elif grammar.going_on is None or not grammar.going_on.match(line.words):
                break
        if line.indent >= 0 or line.words:
            last = stop + 1
        stop += 1
    return first, after, max(after, last)


def first_attached(lines: list[Line], number: int, grammar: Grammar) -> int:
    """The first of the lines directly above a definition that belong to it, such as comments."""
    first = number
    while first > 0 and number - first < MOST_ATTACHED:
        before = lines[first - 1]
        if before.indent != lines[number].indent or not grammar.attached.match(before.words):
            break
        first -= 1
    return first


def _past_brackets(lines: list[Line], number: int) -> int:
    """The line after the one in which all round brackets opened here are closed again."""
    depth = 0
    for after in range(number, min(len(lines), number + LONGEST_HEAD)):
        words = lines[after].words
        depth += words.count("(") - words.count(")")
        if depth <= 0:
            return after + 1
    return number + 1


def _joined_imports(spans: list[Span]) -> list[Span]:
    """The spans of imports, with those that touch made one."""
    result: list[Span] = []
    for span in spans:
        if result and result[-1].end >= span.start:
            result[-1] = Span(result[-1].start, span.end)
        else:
            result.append(span)
    return result


def lines_within(text: str, grammar: Grammar) -> tuple[list[Line], set[int]]:
    r"""The lines of a text, and the numbers of those that lie in a remark or in brackets, though they are not indented.

    >>> lines_within("def([a],\n[turn\nstop\n])\n", grammar_of(""))[1]
    {1, 2}
    """
    lines = source_lines(text, grammar)
    inside = _in_brackets(lines)
    remarks = [found.span() for found in _LONG_REMARK.finditer(text)]
    for start, end in remarks:
        first = bisect_right(lines, start, key=lambda line: line.start)
        inside.update(range(first, bisect_left(lines, end, key=lambda line: line.start)))
    return lines, inside


def _in_brackets(lines: Sequence[Line]) -> set[int]:
    """Lines that lie in brackets, though they are not indented: a word stands before the bracket that opened."""
    inside: set[int] = set()
    at, unclosed = 0, 0
    while at < len(lines) and unclosed < MOST_UNCLOSED:
        words, indent = lines[at].words, lines[at].indent
        begun = _OPENER.match(words) if indent >= 0 else None
        bracket = left_open(words) if begun else ""
        end = _closing_line(lines, at, begun[0], bracket) if begun and bracket else at
        inside.update(number for number in range(at + 1, end) if 0 <= lines[number].indent <= indent)
        unclosed += bool(bracket) and end == at
        at = max(end, at + 1)
    return inside


def _closing_line(lines: Sequence[Line], opened: int, again: str, bracket: str) -> int:
    """The line after those in brackets that a line opened: one as far left that begins by closing them.

    Or behind the one that closes the last of them, if something stands apart there. The line itself where none does,
    or others begin as it did before that.
    """
    indent, depth = lines[opened].indent, _balance(lines[opened].words)
    for number in range(opened + 1, min(len(lines), opened + LONGEST_BLOCK)):
        words, here = lines[number].words, lines[number].indent
        if here < 0:
            continue
        if here < indent or (here == indent and words.startswith(again)):
            break
        closing = _CLOSERS.match(words) if here == indent else None
        if closing and bracket in closing[0]:
            return number
        depth += _balance(words)
        if depth <= 0 and (number + 1 == len(lines) or lines[number + 1].indent < 0):
            return number + 1
    return opened


def _balance(words: str) -> int:
    return sum(map(words.count, "([{")) - sum(map(words.count, ")]}"))


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def left_open(words: str) -> str:
    """What closes the first bracket that a line leaves open; nothing where it leaves none.

    >>> left_open("def([a], [b"), left_open("call(a)[0]")
    (')', '')
    """
    waiting: list[str] = []
    for sign in words:
        if sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
    return waiting[0] if waiting else ""


# ---- by tree-sitter -------------------------------------------------------------------------------------------------

MOST = 4_000_000  # characters; beyond them lines are good enough
LONG, PIECE = 100_000, 8_000  # characters of a text that is looked at in pieces first, and of a piece
GLANCED, GLANCE = 4_000, 1_200  # the same of one that is only glanced at

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
    lines = source_lines(text, grammar_of(language))
    if not lines:
        return None
    if _is_strange(plain, parser):
        return outline(text, language, lines)
    root = parser.parse(plain.encode("utf-8", "replace")).root_node
    definitions = [_definition(node, level, name, lines, language) for node, level, name in _definition_nodes(root)]
    by_lines = outline(text, language, lines)
    if root.has_error and len(definitions) < len(by_lines.definitions):
        return by_lines  # it is another language, or a part of a file
    return by_lines._replace(definitions=definitions)


def _is_strange(text: str, parser: Parser) -> bool:
    """Whether a long text is in another language by what a parser makes of pieces of it: errors, and no definition.

    A parser takes seconds for what it cannot read, the square of its length, and then tells nothing. So small pieces
    come first; of these some are nothing but one error.
    """
    if len(text) >= GLANCED and all(root.type == "ERROR" for root in _roots_without_names(text, parser, GLANCE)):
        return True
    return len(text) >= LONG and all(root.has_error for root in _roots_without_names(text, parser, PIECE))


def _roots_without_names(text: str, parser: Parser, size: int) -> Iterator[Node]:
    """What a parser makes of three pieces; where one defines something, of an empty text, which is no error."""
    for start in (0, len(text) // 3, 2 * len(text) // 3):
        at = text.find("\n", start) + 1
        root = parser.parse(text[at : at + size].encode("utf-8", "replace")).root_node
        yield root if next(_definition_nodes(root), None) is None else parser.parse(b"").root_node


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
            waiting += [(child, level) for child in reversed(node.named_children) if child.named_child_count]


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
