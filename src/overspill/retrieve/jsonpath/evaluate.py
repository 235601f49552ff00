"""The values that a JSONPath selects, one after the other, in the order of the RFC.

Queries that go straight through a document cost what the document costs. All others have a budget of values
to look at, so that no query runs for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeGuard

from overspill._lite import NamedTuple
from overspill.errors import UsageError
from overspill.retrieve.jsonpath.documents import Big, JsonNode, QueryDocument
from overspill.retrieve.patterns import tester

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from jsonpath import JSONPath
    from jsonpath.filter import BaseExpression
    from jsonpath.segments import JSONPathSegment
    from jsonpath.selectors import IndexSelector, JSONPathSelector, NameSelector

MAX_DOCUMENT_BYTES = 32 << 20  # of a document in which everything may be looked at
MOST_NODES = 250_000  # looked at, and one more for every so many bytes
BYTES_A_NODE = 32
A_QUERY = 4  # a query within a filter costs as much as so many values
BYTES_WALKED = 48  # of a large container cost as much as a value
MOST_COMPARED = 1 << 20
NOTHING: Final = object()


class Skipped(NamedTuple):
    """So many values, which nobody looked at."""

    number: int


class Evaluation:
    """One query on one document."""

    def __init__(self, document: QueryDocument, path: JSONPath) -> None:
        from jsonpath.segments import JSONPathRecursiveDescentSegment

        self.document = document
        self.full = False  # whoever asks has seen enough, and only counts
        self._path = path
        self._descent = JSONPathRecursiveDescentSegment
        size = len(document.buffer)
        self._left = MOST_NODES + size // BYTES_A_NODE
        self._tests: dict[int, Callable[[JsonNode], bool]] = {}
        if size > MAX_DOCUMENT_BYTES and any(
            isinstance(segment, JSONPathRecursiveDescentSegment) for segment in path.segments
        ):
            raise UsageError(
                f"`..` looks at every value, and this document has {size:,} bytes "
                f"(the most is {MAX_DOCUMENT_BYTES:,}); "
                "name the way, as in $.a.b[?@.c==1], or search for a text"
            )

    def check_budget(self) -> None:
        """Refuse a query that looks at too many values before anything that it selects is written."""
        segments = self._path.segments
        if any(isinstance(segment, self._descent) or len(segment.selectors) > 1 for segment in segments):
            left, self.full = self._left, True
            for _ in self.nodes():
                pass
            self._left, self.full = left, False

    def nodes(self) -> Iterator[JsonNode | Skipped]:
        """What the query selects; once `full`, values at its end are mostly only counted."""
        segments = self._path.segments
        root: JsonNode | None = self.document.root
        plain = _leading_steps(segments)
        for segment in segments[:plain]:  # a way without a choice is gone step by step, however long it is
            root = None if root is None else next(self._select(root, segment.selectors[0]), None)
        nodes: Iterable[JsonNode] = [] if root is None else [root]
        if plain == len(segments):
            yield from nodes
            return
        for segment in segments[plain:-1]:
            nodes = self._selected_nodes(nodes, segment)
        last = segments[-1]
        if isinstance(last, self._descent) or len(last.selectors) != 1:
            yield from self._selected_nodes(nodes, last)
            return
        for node in nodes:
            yield from self._last(node, last.selectors[0])

    def _last(self, node: JsonNode, selector: JSONPathSelector) -> Iterator[JsonNode | Skipped]:
        """What one selector takes of a node, when nothing comes after it."""
        from jsonpath.selectors import SliceSelector, WildcardSelector

        if isinstance(selector, WildcardSelector):
            total = node.length()
        elif isinstance(selector, SliceSelector) and node.is_array and selector.slice.step != 0:
            total = len(range(*selector.slice.indices(node.length())))
        else:
            yield from self._select(node, selector)
            return
        seen = 0
        for child in self._select(node, selector):
            if self.full:
                break
            seen += 1
            yield child
        if total > seen:
            yield Skipped(total - seen)

    def _selected_nodes(
        self, nodes: Iterable[JsonNode], segment: JSONPathSegment, *, charged: bool = False
    ) -> Iterator[JsonNode]:
        if isinstance(segment, self._descent):
            nodes = self._descendants(nodes)
        charged = charged or isinstance(segment, self._descent) or len(segment.selectors) > 1
        for node in nodes:
            for selector in segment.selectors:
                yield from self._select(node, selector, charged=charged)

    def _descendants(self, nodes: Iterable[JsonNode]) -> Iterator[JsonNode]:
        """Every container and all below it, those above first; without recursion, as documents may be deep."""
        for top in nodes:
            yield top
            stack = [self._containers(top)]
            while stack:
                node = next(stack[-1], None)
                if node is None:
                    stack.pop()
                    continue
                self._spend(1)
                yield node
                stack.append(self._containers(node))

    def _containers(self, node: JsonNode) -> Iterator[JsonNode]:
        """The arrays and objects in a container: nothing else has anything below it."""
        value = node.value
        if isinstance(value, Big):
            self._spend(value.span.chars // BYTES_WALKED)
            for _, child in node.children():
                if isinstance(child.value, dict | list | Big):
                    yield child
        elif isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | list):
                    yield node.child(name, inner)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                if isinstance(inner, dict | list):
                    yield node.child(index, inner)

    def _select(self, node: JsonNode, selector: JSONPathSelector, *, charged: bool = False) -> Iterator[JsonNode]:
        if not charged:
            return self._chosen_nodes(node, selector)
        return self._charged_nodes(node, selector)

    def _charged_nodes(self, node: JsonNode, selector: JSONPathSelector) -> Iterator[JsonNode]:
        from jsonpath.selectors import Filter

        value = node.value
        if isinstance(value, Big):
            self._spend(value.span.chars // BYTES_WALKED)
        elif isinstance(selector, Filter) and isinstance(value, dict | list):
            self._spend(len(value))
        for child in self._chosen_nodes(node, selector):
            self._spend(1)
            yield child

    def _chosen_nodes(self, node: JsonNode, selector: JSONPathSelector) -> Iterator[JsonNode]:
        from jsonpath import selectors as kinds

        match selector:
            case kinds.NameSelector():
                found = node.member(selector.name)
                return iter(() if found is None else (found,))
            case kinds.IndexSelector():
                found = node.element(selector.index)
                return iter(() if found is None else (found,))
            case kinds.SliceSelector():
                return self._sliced_nodes(node, selector.slice)
            case kinds.WildcardSelector():
                return (child for _, child in node.children())
            case kinds.Filter():
                test = self._test(selector)
                return (child for _, child in node.children() if test(child))
            case _:
                raise UsageError(f"{selector} is no selector of RFC 9535")

    def _sliced_nodes(self, node: JsonNode, asked: slice) -> Iterator[JsonNode]:
        if not node.is_array or asked.step == 0:
            return
        wanted = range(*asked.indices(node.length()))
        if not wanted:
            return
        first, last = min(wanted[0], wanted[-1]), max(wanted[0], wanted[-1])
        if wanted.step > 0:
            for index, child in node.children(first):
                if index in wanted:
                    yield child
                if index == last:
                    return
            return
        self._spend(last - first)
        backwards = [child for index, child in self._until(node.children(first), last) if index in wanted]
        yield from reversed(backwards)

    def _until(self, children: Iterator[tuple[str | int, JsonNode]], last: int) -> Iterator[tuple[str | int, JsonNode]]:
        for index, child in children:
            yield index, child
            if index == last:
                return

    def _spend(self, nodes: int) -> None:
        self._left -= nodes
        if self._left < 0:
            raise UsageError(
                "the query looks at too many values of this document; name the way instead of `..`, "
                "ask less of each value, or search for a text"
            )

    # -- filters --

    def _test(self, selector: JSONPathSelector) -> Callable[[JsonNode], bool]:
        test = self._tests.get(id(selector))
        if test is None:
            from jsonpath.selectors import Filter

            assert isinstance(selector, Filter)  # noqa: S101  # for the type checker: the caller has looked
            test = self._tests[id(selector)] = self._logical(selector.expression.expression)
        return test

    def _logical(self, expression: BaseExpression) -> Callable[[JsonNode], bool]:
        """An expression that is true or not of a node."""
        from jsonpath import filter as kinds

        match expression:
            case kinds.PrefixExpression():
                inner = self._logical(expression.right)
                return lambda node: not inner(node)
            case kinds.InfixExpression() if expression.logical:
                left, right = self._logical(expression.left), self._logical(expression.right)
                if expression.operator == "&&":
                    return lambda node: left(node) and right(node)
                return lambda node: left(node) or right(node)
            case kinds.InfixExpression():
                return self._comparison(expression.operator, expression.left, expression.right)
            case kinds.FilterQuery():
                nodes = self._query(expression)
                return lambda node: any(True for _ in nodes(node))
            case kinds.FunctionExtension():
                value = self._value(expression)
                return lambda node: value(node) is True
            case _:
                raise UsageError(f"{expression} is no test of RFC 9535")

    def _comparison(self, operator: str, one: BaseExpression, two: BaseExpression) -> Callable[[JsonNode], bool]:
        left, right = self._value(one), self._value(two)
        equal, less = self._equal, _json_less
        match operator:
            case "==":
                return lambda node: equal(left(node), right(node))
            case "!=":
                return lambda node: not equal(left(node), right(node))
            case "<":
                return lambda node: less(left(node), right(node))
            case ">":
                return lambda node: less(right(node), left(node))
            case "<=":
                return lambda node: less(a := left(node), b := right(node)) or equal(a, b)
            case _:
                return lambda node: less(b := right(node), a := left(node)) or equal(a, b)

    def _value(self, expression: BaseExpression) -> Callable[[JsonNode], object]:
        """What an expression is worth at a node; NOTHING if it has no value."""
        from jsonpath import filter as kinds

        match expression:
            case kinds.Nil():
                return lambda _node: None
            case kinds.FilterExpressionLiteral():
                literal = expression.value
                return lambda _node: literal
            case kinds.FilterQuery():
                keys = _keys(expression.path)
                if keys is not None and not isinstance(expression, kinds.RootFilterQuery):
                    return lambda node: _value_below(node, keys)
                nodes = self._query(expression)
                return lambda node: next((found.value for found in nodes(node)), NOTHING)
            case kinds.FunctionExtension():
                return self._function(expression.name, list(expression.args))
            case _:
                raise UsageError(f"{expression} is no value of RFC 9535")

    def _query(self, expression: BaseExpression) -> Callable[[JsonNode], Iterable[JsonNode]]:
        """The nodes that a query within a filter selects."""
        from jsonpath.filter import FilterQuery, RootFilterQuery

        assert isinstance(expression, FilterQuery)  # noqa: S101  # for the type checker: the caller has looked
        segments = expression.path.segments

        def run(node: JsonNode) -> Iterator[JsonNode]:
            self._spend(A_QUERY)
            nodes: Iterable[JsonNode] = [node]
            for segment in segments:
                nodes = self._selected_nodes(nodes, segment, charged=True)
            yield from nodes

        if not isinstance(expression, RootFilterQuery):
            return run
        kept: list[JsonNode] = []
        done: list[bool] = []

        def from_root(_node: JsonNode) -> Iterable[JsonNode]:
            if not done:
                kept.extend(run(self.document.root))
                done.append(True)
            return kept

        return from_root

    def _function(self, name: str, arguments: list[BaseExpression]) -> Callable[[JsonNode], object]:
        match name:
            case "length":
                measured = self._value(arguments[0])
                return lambda node: self._length(measured(node))
            case "count":
                counted = self._query(arguments[0])
                return lambda node: sum(1 for _ in counted(node))
            case "value":
                single = self._query(arguments[0])
                return lambda node: _only_value(single(node))
            case _:
                return self._pattern(arguments, whole=name == "match")

    def _pattern(self, arguments: list[BaseExpression], *, whole: bool) -> Callable[[JsonNode], object]:
        from jsonpath.filter import StringLiteral

        text = self._value(arguments[0])
        if isinstance(arguments[1], StringLiteral):
            fixed = tester(arguments[1].value, whole=whole)

            def test(node: JsonNode) -> bool:
                value = text(node)
                return isinstance(value, str) and fixed(value)

            return test
        pattern = self._value(arguments[1])

        def test_given(node: JsonNode) -> bool:
            value, given = text(node), pattern(node)
            try:
                return isinstance(value, str) and isinstance(given, str) and tester(given, whole=whole)(value)
            except UsageError:
                return False  # a pattern out of the document is nobody's mistake here

        return test_given

    def _length(self, value: object) -> object:
        if isinstance(value, Big):
            return self.document.number(value.span)
        return len(value) if isinstance(value, str | list | dict) else NOTHING

    def _equal(self, one: object, two: object) -> bool:
        if isinstance(one, Big | list | dict) and isinstance(two, Big | list | dict):
            return _json_equal(self._whole(one), self._whole(two))
        if isinstance(one, bool) or isinstance(two, bool):
            return one is two
        return one == two

    def _whole(self, value: object) -> object:
        """A container to compare; comparing is looking at all of it."""
        if not isinstance(value, Big):
            return value
        if value.span.chars > MOST_COMPARED:
            raise UsageError(f"the query compares a value of {value.span.chars:,} bytes; compare something within it")
        self._spend(value.span.chars // BYTES_A_NODE)
        return self.document.decoded_value(value.span)


def _json_equal(one: object, two: object) -> bool:
    """Whether two values are equal as JSON has it: `true` is not 1, however deep."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(_json_equal, one, two))
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(_json_equal(value, two[key]) for key, value in one.items())
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    return one == two


def _json_less(one: object, two: object) -> bool:
    if isinstance(one, str) and isinstance(two, str):
        return one < two
    if isinstance(one, bool) or isinstance(two, bool):
        return False
    return isinstance(one, int | float) and isinstance(two, int | float) and one < two


def _is_step(selector: JSONPathSelector) -> TypeGuard[NameSelector | IndexSelector]:
    from jsonpath.selectors import IndexSelector, NameSelector

    return isinstance(selector, NameSelector | IndexSelector)


def _leading_steps(segments: Sequence[JSONPathSegment]) -> int:
    """How many segments at the start of a query select one value at the most."""
    from jsonpath.segments import JSONPathRecursiveDescentSegment

    for number, segment in enumerate(segments):
        choice = isinstance(segment, JSONPathRecursiveDescentSegment) or len(segment.selectors) != 1
        if choice or not _is_step(segment.selectors[0]):
            return number
    return len(segments)


def _keys(path: JSONPath) -> tuple[str | int, ...] | None:
    """The way that a query names, if it names one and no choice."""
    from jsonpath.selectors import NameSelector

    if _leading_steps(path.segments) < len(path.segments):
        return None
    steps = [segment.selectors[0] for segment in path.segments]
    return tuple(step.name if isinstance(step, NameSelector) else step.index for step in steps if _is_step(step))


def _value_below(node: JsonNode, keys: tuple[str | int, ...]) -> object:
    """The value that keys lead to, without a node for every step where all is decoded."""
    value = node.value
    for number, key in enumerate(keys):
        if isinstance(value, Big):
            found = _node_below(node, keys[number:]) if not number else None
            return NOTHING if found is None else found.value
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key, NOTHING)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return NOTHING
    return value


def _node_below(node: JsonNode, keys: tuple[str | int, ...]) -> JsonNode | None:
    at: JsonNode | None = node
    for key in keys:
        if at is not None:
            at = at.member(key) if isinstance(key, str) else at.element(key)
    return at


def _only_value(nodes: Iterable[JsonNode]) -> object:
    found = list(nodes)
    return found[0].value if len(found) == 1 else NOTHING
