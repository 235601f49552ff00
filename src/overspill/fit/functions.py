"""Python functions whose results fit: what a tool returns, or raises, reaches the model within its budget."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypedDict
from weakref import WeakKeyDictionary

from overspill._lite import contextmanager, suppress
from overspill.cut import known_name
from overspill.errors import OverspillError, ToolError
from overspill.workspace.policy import ToolRules, granted_rules

if TYPE_CHECKING:
    from overspill.core.budget import Budget
    from overspill.core.report import Fitted
    from overspill.workspace import Workspace


class AskedFit(TypedDict):
    """What a function asks for its result."""

    budget: Budget | int | None
    strategy: str | None
    focus: str | None


class Fitter(Protocol):
    """What fits results, as an `Overspill` does."""

    workspace: Workspace

    def fit(
        self,
        output: object,
        *,
        tool: str = "",
        is_error: bool = False,
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
    ) -> Fitted: ...
    async def afit(
        self,
        output: object,
        *,
        tool: str = "",
        budget: Budget | int | None = None,
        strategy: str | None = None,
        focus: str | None = None,
    ) -> Fitted: ...


# The attribute of functions that answer a model from the store: what they say is bounded, and never cut again.
ARTIFACT_TOOL = "overspill_artifact_tool"

# How many of the last answers are known again when they come by.
MOST_ANSWERS = 256

# How many errors that led to one another are looked at, and what the name of an error may add to its words.
MOST_CAUSES = 100
SPELLING_CHARS = 200


class Limiter:
    """What `limited` does to one function."""

    def __init__(self, find: Callable[[], Fitter], tool: str, rules: ToolRules) -> None:
        self._find = find
        self.tool = tool
        self._rules = rules

    @property
    def spill(self) -> Fitter:
        """What fits the results; looked for when the first one comes, in the project it comes from."""
        return self._find()

    @property
    def budget(self) -> Budget | int | None:
        """What the function may say, if that is not for the user's settings to decide."""
        return self._asked()["budget"]

    def _asked(self) -> AskedFit:
        """What the function asks for, as far as the user's settings leave it to the function."""
        rules = granted_rules(self.spill.workspace.settings, self.tool, self._rules)
        return {"budget": rules.limit, "strategy": rules.strategy or None, "focus": rules.focus or None}

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with a view in place of its result: a coroutine stays one."""

        async def later(*arguments: object, **named: object) -> str:
            with self.bounded_errors():
                return await self.fit_output(function(*arguments, **named))

        def now(*arguments: object, **named: object) -> Any:  # noqa: ANN401  # a text, or what can be awaited for one
            with self.bounded_errors():
                output = function(*arguments, **named)
                if inspect.isawaitable(output):  # a callable that is no coroutine function, and returns one
                    return self._awaited(output)
                watched, raised = watch_errors(output)
                return text_or_error(self.spill.fit(watched, tool=self.tool, **self._asked()), raised)

        is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        return _returning_text(functools.wraps(function)(later if is_async else now), function)

    async def fit_output(self, output: object) -> str:
        if inspect.isawaitable(output):
            output = await output
        watched, raised = watch_errors(output)
        return text_or_error(await self.spill.afit(watched, tool=self.tool, **self._asked()), raised)

    async def _awaited(self, output: object) -> str:
        with self.bounded_errors():
            return await self.fit_output(output)

    @contextmanager
    def bounded_errors(self) -> Iterator[None]:
        """What is raised in here says no more than it may: else something is raised that does."""
        try:
            yield
        except OverspillError:
            raise
        except Exception as error:
            told = bounded_error(error, self.spill, self.tool, self.budget)
            if told is error:
                raise
            raise told from None


def bounded_error(error: Exception, spill: Fitter, tool: str = "", budget: Budget | int | None = None) -> Exception:
    """The error itself if all it could say may be shown, else a `ToolError` that says as much of it as may be.

    Frameworks show an error by its text, by its `repr` or with what caused it; so all of them are looked at.
    """
    if isinstance(error, ToolError):
        return error
    words = _error_text(str, error) or type(error).__name__
    view = spill.fit(words, tool=tool, is_error=True, budget=budget).text
    if view != words:
        return ToolError(type(error).__name__, view)
    most = spill.workspace.policy(tool, budget).inline
    for text in _other_texts(error):
        # The same words between quotes, with escapes, are no more than the words.
        bounded = len(text) <= 2 * len(words) + SPELLING_CHARS or most.holds(text)
        if not bounded or spill.workspace.redacted_text(text) != text:
            return ToolError(type(error).__name__, view)
    return error


def _other_texts(error: BaseException) -> Iterator[str]:
    """What else of an error may be printed: its values, its notes, and what led to it."""
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in seen and len(seen) < MOST_CAUSES:
        seen.append(following)
        yield _error_text(repr, following)
        if following is not error:
            yield _error_text(str, following)
        yield from (str(note) for note in getattr(following, "__notes__", ()))
        hidden = following.__suppress_context__
        following = following.__cause__ or (None if hidden else following.__context__)


def _error_text(spell: Callable[[object], str], error: BaseException) -> str:
    """What an error says of itself; errors of strangers may fail at that, too."""
    try:
        return spell(error)
    except Exception:  # noqa: BLE001  # whatever it is
        return type(error).__name__


def watch_errors(output: object) -> tuple[object, list[Exception]]:
    """The output, and where it will be noted what reading it raised: it was the tool that failed, not we."""
    raised: list[Exception] = []
    if isinstance(output, AsyncIterable):
        return _anoting_errors(output, raised), raised
    return (_noting_errors(output, raised) if isinstance(output, Iterator) else output), raised


def text_or_error(fitted: Fitted, raised: list[Exception]) -> str:
    """The view; of a tool that failed, an error with the view of what it said before, or else its own."""
    if not raised:
        return fitted.text
    if fitted.report.total.chars:
        raise ToolError(type(raised[0]).__name__, fitted.text)
    raise raised[0]


def _noting_errors(chunks: Iterator[Any], raised: list[Exception]) -> Iterator[Any]:
    try:
        yield from chunks
    except Exception as error:
        raised.append(error)
        raise


async def _anoting_errors(chunks: AsyncIterable[Any], raised: list[Exception]) -> AsyncIterator[Any]:
    try:
        async for chunk in chunks:
            yield chunk
    except Exception as error:
        raised.append(error)
        raise


def _returning_text(wrapper: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The wrapper, and everybody who reads its signature is told that it returns text, whatever the function did."""
    annotations = _annotations(function)
    if annotations.get("return") is not None:
        wrapper.__annotations__ = {**annotations, "return": str}
        with suppress(TypeError, ValueError):  # some functions have no signature to read
            wrapper.__dict__["__signature__"] = _signature(function).replace(return_annotation=str)
    return wrapper


if sys.version_info >= (3, 14):  # annotations are computed late there, and may name what only a type checker imports

    def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
        from annotationlib import Format, get_annotations

        with suppress(TypeError):  # it is called, but no function
            return get_annotations(function, format=Format.FORWARDREF)
        return {}

    def _signature(function: Callable[..., Any]) -> inspect.Signature:
        from annotationlib import Format

        return inspect.signature(function, annotation_format=Format.FORWARDREF)

else:

    def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
        return getattr(function, "__annotations__", {})

    _signature = inspect.signature


def limit_function(
    function: Callable[..., Any], find: Callable[[], Fitter], tool: str, rules: ToolRules
) -> Callable[..., Any]:
    """The function with a view in place of its result; one that answers from the store is left as it is."""
    if getattr(function, ARTIFACT_TOOL, False):
        return function
    if rules.strategy:
        known_name(rules.strategy)
    return Limiter(find, tool or getattr(function, "__name__", ""), rules).wrap(function)


_ANSWERS: WeakKeyDictionary[Fitter, deque[str]] = WeakKeyDictionary()
_ANSWERING = Lock()


def remember_answer(spill: Fitter, text: str) -> str:
    """The text, which is recognized when it comes back: a model asked for it, and it was fetched from the store."""
    from overspill.fit.prepare import text_digest

    with _ANSWERING:
        _ANSWERS.setdefault(spill, deque(maxlen=MOST_ANSWERS)).append(text_digest(text))
    return text


def is_remembered_answer(spill: Fitter, text: str) -> bool:
    """Whether a text is one of the last answers that a model fetched."""
    from overspill.fit.prepare import text_digest

    with _ANSWERING:
        return text_digest(text) in _ANSWERS.get(spill, ())
