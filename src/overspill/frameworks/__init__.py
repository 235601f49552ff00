"""Overspill inside agent frameworks: one small module each, loaded when it is imported and not before.

Every module here is an extra: `pip install 'overspill[langchain]'` brings what `overspill.frameworks.langchain`
needs, and without it the import says so. For a framework that has no module of its own there are two names that
need nothing: `overspill.limited`, which lets a function return the view of its result, and
`overspill.artifact_tools`, which gives the model the functions that fetch the rest.

What all of them do to a result is in `results.py`. The tools of a model stand here, as plain functions: what every
framework can make a tool of. Each has typed parameters and a docstring that describes them, for frameworks that read
signatures, and the JSON schema itself in its attribute `parameters`, for those that want one. The answer is text: the
content, then a note that says which part it is and how to go on.

Programs import the adapters; of the package itself only `overspill` comes in here, for `artifact_tools`.
"""

import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from overspill.decorator import shared_overspill
from overspill.errors import MissingExtra
from overspill.fit.functions import ARTIFACT_TOOL, remember_answer
from overspill.retrieve.access import access_for
from overspill.retrieve.tools import TOOLS, Answer, Tool

if TYPE_CHECKING:
    from overspill.api import Overspill

KINDS = {"string": str, "integer": int, "boolean": bool}
BY_NAME = {tool.name: tool for tool in TOOLS}


@contextmanager
def require_extra(extra: str) -> Iterator[None]:
    """Imports in here belong to an extra: if they fail, one sentence says what to install.

    >>> with require_extra("adk"):
    ...     import a_framework_that_is_not_there
    Traceback (most recent call last):
    overspill.errors.MissingExtra: overspill.frameworks.adk needs an optional package: pip install 'overspill[adk]'
    """
    module = f"overspill.frameworks.{extra.replace('-', '_')}"
    try:
        yield
    except ModuleNotFoundError:
        raise MissingExtra(module, extra) from None
    except ImportError as error:
        # It is there, and older or newer than what we know.
        missing = MissingExtra(module, extra)
        what = str(error).partition(" (")[0]  # a path may follow
        missing.msg = f"{module} needs another release of its framework ({what}): {missing.fix}"
        missing.args = (missing.msg,)
        raise missing from None


def artifact_tools(spill: "Overspill | None" = None) -> list[Callable[..., str]]:
    r"""The functions get_artifact, search_artifacts and list_artifacts, for the model that sees views of `spill`.

    Without `spill` they read what functions decorated with `limited` have kept. Failures are answers too.

    >>> from overspill import MemoryStore, Overspill
    >>> spill = Overspill(store=MemoryStore())
    >>> get, search, names = artifact_tools(spill)
    >>> view = spill.fit("hay\n" * 9_000 + "a needle\n")
    >>> search("needle", id=view.artifact_id).splitlines()[0]
    '9001:a needle'
    >>> get("art_1699234567890_a1b2c3")
    'Artifact not found: art_1699234567890_a1b2c3; list_artifacts() names those that can be read'
    """

    def get_artifact(
        id: str,  # noqa: A002  # what the views call it
        start_line: int | None = None,
        end_line: int | None = None,
        start_byte: int | None = None,
        end_byte: int | None = None,
        query: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> str:
        return answer("get_artifact", locals())

    def search_artifacts(
        pattern: str,
        id: str | None = None,  # noqa: A002
        regex: bool | None = None,  # noqa: FBT001  # models name their arguments
        ignore_case: bool | None = None,  # noqa: FBT001
        context: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> str:
        return answer("search_artifacts", locals())

    def list_artifacts(limit: int | None = None, offset: int | None = None) -> str:
        return answer("list_artifacts", locals())

    def answer(name: str, given: Mapping[str, object]) -> str:
        return answer_to(spill, name, {key: given[key] for key in properties(BY_NAME[name])})

    return [with_description(function) for function in (get_artifact, search_artifacts, list_artifacts)]


def async_artifact_tools(spill: "Overspill | None" = None) -> list[Callable[..., Awaitable[str]]]:
    """`artifact_tools` as coroutines: the work is done beside the event loop."""
    return [with_description(_as_coroutine(function)) for function in artifact_tools(spill)]


def _as_coroutine(function: Callable[..., str]) -> Callable[..., Awaitable[str]]:
    @functools.wraps(function)
    async def later(*given: object, **named: object) -> str:
        import asyncio

        return await asyncio.to_thread(function, *given, **named)

    return later


def answer_to(spill: "Overspill | None", name: str, arguments: Mapping[str, object], ceiling: int | None = None) -> str:
    """What the tool `name` says to a model that gave it these arguments, whatever they are.

    Arguments that are None are taken as left out: some frameworks, and some models, fill in every one. `ceiling` is
    for frameworks in which no result may be longer than that.
    """
    asked = {key: value for key, value in arguments.items() if value is not None}
    where = spill or shared_overspill()
    access = access_for(where.workspace, "model")
    if ceiling is not None:
        access = access._replace(limit=min(access.limit, ceiling), ceiling=min(access.ceiling or ceiling, ceiling))
    return remember_answer(where, answer_text(BY_NAME[name].call(access, asked)))


def tool_functions(
    spill: "Overspill | None", name: str, ceiling: int | None = None
) -> tuple[Callable[..., str], Callable[..., Awaitable[str]]]:
    """A tool as a function and as a coroutine that take any arguments, for frameworks that are given a schema.

    What a model got wrong is answered in words, where a signature would raise an exception.
    """

    def now(**arguments: object) -> str:
        return answer_to(spill, name, arguments, ceiling)

    return now, _as_coroutine(now)


def answer_text(answer: Answer) -> str:
    r"""An answer in one text: the content, and below it the note.

    >>> answer_text(Answer("hello", "This is the end.")), answer_text(Answer("", "No match."))
    ('hello\n[This is the end.]', '[No match.]')
    """
    if not answer.note:
        return answer.content
    gap = "" if not answer.content or answer.content.endswith("\n") else "\n"
    return f"{answer.content}{gap}[{answer.note}]"


def with_description(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with what the table of tools says of it."""
    tool = BY_NAME[function.__name__]
    rows = [f"    {name}: {words['description']}" for name, words in properties(tool).items()]
    function.__doc__ = "\n".join([tool.description, "", "Args:", *rows])
    function.__qualname__ = tool.name
    function.__dict__.update({"description": tool.description, "parameters": tool.parameters, ARTIFACT_TOOL: True})
    return function


def properties(tool: Tool) -> Mapping[str, Mapping[str, str]]:
    """The parameters of a tool, and what is said of each."""
    known = tool.parameters["properties"]
    assert isinstance(known, dict)  # noqa: S101  # `retrieve/tools.py` writes them
    return known


def model_of(tool: Tool) -> Any:
    """The parameters of a tool as a class of pydantic's, for frameworks that want one: they bring pydantic."""
    from pydantic import Field, create_model

    required = cast("Sequence[str]", tool.parameters["required"])
    fields: dict[str, Any] = {
        name: (KINDS[words["type"]], Field(description=words["description"]))
        if name in required
        else (KINDS[words["type"]] | None, Field(default=None, description=words["description"]))
        for name, words in properties(tool).items()
    }
    return create_model(tool.name, **fields)
