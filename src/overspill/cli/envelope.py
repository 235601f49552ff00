"""What leaves as JSON: one envelope an answer, success or error; records stand one on a line.

The JSON Schemas of both lie in `schemas/`, and `schema()` reads them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from overspill._lite import TYPE_CHECKING
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.errors import OverspillError

SCHEMAS = "https://cleo-dev.com/schemas/v1/"
OUTPUT, ERROR = "output.schema.json", "error.schema.json"

_addresses = [SCHEMAS]  # the one in use: a setting may name another


def use_address(address: str) -> None:
    """Let envelopes name another schema: this address, or if it ends with a slash, the files below it."""
    _addresses[:] = [address]


def success_envelope(
    command: str,
    key: str,
    value: object,
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    warnings: Sequence[Mapping[str, str]] = (),
) -> str:
    """An answer. `pagination` and the call for the next page are there only when there is a next page to speak of."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        lines = map(dumps, value)
        return "".join(
            envelope_pieces(command, key, lines, pagination=pagination, following=following, warnings=warnings)
        )
    return f"{_opening(command, key, pagination)}{dumps(value)}{_closing(following, warnings)}"


def envelope_pieces(
    command: str,
    key: str,
    records: Iterable[str],
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    warnings: Iterable[Mapping[str, str]] = (),
) -> Iterator[str]:
    """A list as an answer, piece by piece: so many records need no more memory than one.

    `records` are written already, each on a line. What there is to warn of is asked for after the last of them.
    """
    yield _opening(command, key, pagination) + "["
    ending = ""
    for number, record in enumerate(records):
        yield f",\n{record}" if number else f"\n{record}"
        ending = "\n"
    yield f"{ending}]{_closing(following, list(warnings))}"


def error_envelope(command: str, error: OverspillError) -> str:
    """What went wrong, for programs: always code, message and exit status, and the way out where there is one."""
    said: dict[str, object] = {
        "code": error.code,
        "message": str(error),
        "exitCode": error.exit_code,
        "recoverable": error.exit_code != 1,
    }
    more = {
        "suggestion": error.suggestion,
        "fix": error.fix,
        "alternatives": list(error.alternatives),
        "context": dict(error.context),
    }
    said |= {name: value for name, value in more.items() if value}
    return dumps({"$schema": _schema_address(ERROR), "_meta": _meta(command), "success": False, "error": said})


def schema(name: str) -> dict[str, object]:
    """The JSON Schema called `output`, `error` or `pagination`.

    >>> schema("pagination")["required"]
    ['total', 'limit', 'offset', 'hasMore']
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas", f"{name}.schema.json")
    with open(path, encoding="utf-8") as file:
        found: dict[str, object] = json.load(file)
    return found


def dumps(value: object) -> str:
    """Compact JSON. A lone surrogate cannot be encoded, so it is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _opening(command: str, key: str, pagination: Mapping[str, object] | None) -> str:
    head: dict[str, object] = {"$schema": _schema_address(OUTPUT), "_meta": _meta(command), "success": True}
    if pagination is not None:
        head["pagination"] = pagination
    return f"{dumps(head)[:-1]},{dumps(key)}:"


def _closing(following: str, warnings: Sequence[Mapping[str, str]]) -> str:
    tail: dict[str, object] = {"next": following} if following else {}
    if warnings:
        tail["warnings"] = list(warnings)
    return f",{dumps(tail)[1:]}" if tail else "}"


def _schema_address(name: str) -> str:
    return _addresses[0] + name if _addresses[0].endswith("/") else _addresses[0]


def _meta(command: str) -> dict[str, str]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"format": "json", "command": command, "timestamp": stamp, "version": __version__}
