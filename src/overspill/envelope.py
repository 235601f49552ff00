"""What leaves as JSON: one envelope an answer, success or error."""

import json
import time
from collections.abc import Mapping, Sequence

from overspill.errors import OverspillError
from overspill.version import __version__

SCHEMAS = "https://cleo-dev.com/schemas/v1/"


def success(
    command: str,
    key: str,
    value: object,
    *,
    pagination: Mapping[str, object] | None = None,
    following: str = "",
    warnings: Sequence[Mapping[str, str]] = (),
) -> str:
    """An answer. `pagination` and the call for the next page are there only when there is a next page to speak of."""
    envelope = {"$schema": SCHEMAS + "output.schema.json", "_meta": _meta(command), "success": True}
    if pagination is not None:
        envelope["pagination"] = pagination
    envelope[key] = value
    if following:
        envelope["next"] = following
    if warnings:
        envelope["warnings"] = list(warnings)
    return dumps(envelope)


def failure(command: str, error: OverspillError) -> str:
    """What went wrong, for programs."""
    said = {"code": error.code, "message": str(error), "exitCode": error.exit_code, "recoverable": error.exit_code != 1}
    return dumps({"$schema": SCHEMAS + "error.schema.json", "_meta": _meta(command), "success": False, "error": said})


def dumps(value: object) -> str:
    """Compact JSON. A lone surrogate cannot be encoded, so it is written as its escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _meta(command: str) -> dict[str, str]:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"format": "json", "command": command, "timestamp": stamp, "version": __version__}
