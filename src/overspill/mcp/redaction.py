"""A message as its client may see it: without secrets, and still a message.

All of a message is looked at as one JSON text, so that a name beside a value counts, and each string that JSON writes
in another way by itself, as its lines are. What the client sends back to the server (an address, the name of a tool,
a cursor) stands apart: where it holds a secret the client gets a stand-in, and the server what it stands for.
"""

from __future__ import annotations

import binascii
import json
import re
from threading import Lock

from overspill._lite import TYPE_CHECKING
from overspill.redact.hits import UNEXAMINED

if TYPE_CHECKING:
    from collections.abc import Container

    from overspill.mcp import Json
    from overspill.redact import Redactor

Path = tuple[str | int, ...]
Placed = tuple[Path, object]
"""Where something stands in a message, and what."""

HIDDEN = f"[REDACTED: {UNEXAMINED}]"
MARK = re.compile(r"\[REDACTED: ([A-Za-z0-9_-]+)\]")
# A string that JSON writes with backslashes.
ESCAPED = re.compile(r'[\x00-\x1f"\\]')
SHORTEST = 8  # no name and secret together are shorter
MOST_PIECES = 100_000  # pieces of a message that are looked at one by one; what is left then is hidden

# What the protocol is made of, and what a client repeats when it asks for more.
OUTSIDE = ("jsonrpc", "id", "method")
BODIES = ("params", "result", "error")
HANDLES = {
    "uri",
    "uriTemplate",
    "nextCursor",
    "requestState",
    "taskId",
    "elicitationId",
    "progressToken",
    "requestId",
    "protocolVersion",
}
NAMED = {"tools", "prompts"}  # lists of what is called by its name
# Where handles stand. What a tool or a log says as data is not looked at for them.
INSIDE = NAMED | {
    *BODIES,
    "_meta",
    "content",
    "contents",
    "messages",
    "resource",
    "resources",
    "resourceTemplates",
    "task",
    "tasks",
}
# What a client sends back, and where in its parameters.
SENT_BACK = ("uri", "name", "cursor", "requestState", "taskId", "elicitationId", "progressToken")
SENT_BACK_IN = ("ref", "_meta")

BLOBS = {"data", "blob"}
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
BLOB_HEAD = 1_024  # characters that tell whether a blob holds a text
SHORT_BLOB = 4_096  # a blob no longer than this is not one if it reads as a secret

FITTED_HALF = "structuredContent"

LONGEST_STAND_IN = 65_536
ALIAS_CHARS = 4_194_304  # characters of handles that are remembered; the oldest are forgotten
MOST_CLEAN, LONGEST_CLEAN = 2_048, 1_024


_json_text = json.JSONEncoder(ensure_ascii=False).encode


def redacted_value(redactor: Redactor | None, value: object, text: str | None = None) -> object:
    """A JSON value, which may be at hand as a text, without its secrets; the same object if it has none."""
    if redactor is None:
        return value
    text = _json_text(value) if text is None else text
    if "\\" in text:
        plain = _lines_redacted(redactor, value)
        if plain is not value:
            value, text = plain, _json_text(plain)
    redacted = redactor.redact(text)
    if redacted.text == text and not redacted.incomplete:
        return value
    if not redacted.incomplete:
        try:
            return json.loads(redacted.text)
        except ValueError:  # what was hidden began in one string and ended in another
            pass
    return PieceRedaction(redactor).value(value)


def _lines_redacted(redactor: Redactor, value: object) -> object:
    """A value whose strings are redacted one by one, as far as JSON would write them in another way."""
    if isinstance(value, str):
        return redactor.redact(value).text if len(value) >= SHORTEST and ESCAPED.search(value) else value
    if isinstance(value, list):
        items = []
        for item in value:
            items.append(_lines_redacted(redactor, item))  # noqa: PERF401  # a comprehension takes two levels of ours
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        made: dict[object, object] = {}
        changed = False
        for key, item in value.items():
            safe_key, safe = _lines_redacted(redactor, key), _lines_redacted(redactor, item)
            changed = changed or safe is not item or safe_key is not key
            made[safe_key] = safe
        return made if changed else value
    return value


class PieceRedaction:
    """Looks at a value piece by piece, with the names kept: a piece that cannot be looked at is hidden whole.

    Redaction that gives up hides the rest of a line, and a JSON text is one line.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._left = MOST_PIECES

    def value(self, value: object, key: str = "") -> object:
        """A value under a name."""
        if isinstance(value, dict):
            return self._map(value)
        if isinstance(value, list):
            return self._array(value, key)
        redacted = self._piece({key: value})
        return _hidden_leaf(value) if redacted is None else next(iter(redacted.values()))

    def _map(self, value: Json) -> Json:
        """A map: what stands in it side by side is one piece, so that a name in one place tells of the other."""
        leaves = {key: item for key, item in value.items() if not isinstance(item, dict | list)}
        together = self._piece(leaves) if leaves else {}
        done = iter(together.items()) if together is not None else None
        made: Json = {}
        for key, item in value.items():
            if isinstance(item, dict | list):
                made[self._key(key)] = self.value(item, key)
            elif done is not None:
                safe_key, safe = next(done)
                made[safe_key] = safe
            else:
                made[self._key(key)] = self.value(item, key) if len(leaves) > 1 else _hidden_leaf(item)
        return made

    def _array(self, value: list[object], key: str) -> list[object]:
        if not any(isinstance(item, dict | list) for item in value):
            together = self._piece({key: value})
            items = None if together is None else next(iter(together.values()))
            if isinstance(items, list) and len(items) == len(value):
                return items
        made = []
        for item in value:
            made.append(self.value(item, key))  # noqa: PERF401  # a comprehension takes two levels of ours
        return made

    def _key(self, key: str) -> str:
        redacted = self._piece({key: None})
        return HIDDEN if redacted is None else next(iter(redacted))

    def _piece(self, piece: Json) -> Json | None:
        """A map of few things without its secrets; None if that cannot be told."""
        self._left -= 1
        if self._left < 0:
            return None
        redacted = self._redactor.redact(_json_text(piece))
        if redacted.incomplete:
            return None
        try:
            made = json.loads(redacted.text)
        except ValueError:
            return None
        return made if isinstance(made, dict) and len(made) == len(piece) else None


def _hidden_leaf(value: object) -> object:
    return value if value is None or isinstance(value, bool) else HIDDEN


class Aliases:
    """What a client was told instead of a handle that holds a secret, for as long as the connection lasts.

    >>> aliases = Aliases()
    >>> [aliases.stand_in(f"x://?key={number}", "x://?key=[REDACTED: TOKEN]") for number in (1, 2, 1)]
    ['x://?key=REDACTED_TOKEN', 'x://?key=REDACTED_TOKEN-2', 'x://?key=REDACTED_TOKEN']
    >>> aliases.real("x://?key=REDACTED_TOKEN-2")
    'x://?key=2'
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._reals: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._chars = 0

    def stand_in(self, real: str, redacted: str) -> str:
        """What stands for a handle, always; in characters that addresses and names are made of."""
        redacted = MARK.sub(r"REDACTED_\1", redacted)
        if len(real) > LONGEST_STAND_IN or len(redacted) > LONGEST_STAND_IN:
            return redacted
        with self._lock:
            if real in self._told:
                return self._told[real]
            told, number = redacted, 1
            while told in self._reals:
                number += 1
                told = f"{redacted}-{number}"
            self._told[real], self._reals[told] = told, real
            self._chars += len(real) + len(told)
            while self._chars > ALIAS_CHARS:
                oldest = next(iter(self._reals))
                forgotten = self._reals.pop(oldest)
                del self._told[forgotten]
                self._chars -= len(oldest) + len(forgotten)
            return told

    def real(self, told: object) -> object:
        """What a handle of the client's stands for: mostly itself."""
        return self._reals.get(told, told) if isinstance(told, str) else told

    def __bool__(self) -> bool:
        return bool(self._reals)


class MessageScreen:
    """What every message passes on its way to the client, and what the client sends back on its way to the server."""

    def __init__(self, redactor: Redactor | None) -> None:
        self._redactor = redactor
        self._aliases = Aliases()
        self._clean: set[str] = set()

    def redacted_message(
        self, message: object, own: Container[str] = (), *, is_fitted: bool = False
    ) -> tuple[object, bool]:
        """A message without its secrets, and whether that is another one.

        `own` are handles the client made itself. Of a result that is fitted the texts and the structured half have
        been redacted already. The message is the caller's no more. An exception if what is left is no message.
        """
        if self._redactor is None:
            return message, False
        apart = _verbatim(message)
        told = [(path, self._told_value(path, value, own)) for path, value in apart]
        if is_fitted:
            fitted = _fitted_parts(message)
            apart += fitted
            told += fitted
        for path, _ in apart:
            _put(message, path, "")
        try:
            shown = self._shown_text(message, told)
        except BaseException:
            for path, value in apart:
                _put(message, path, value)
            raise
        return shown, shown is not message or told != apart

    def real_message(self, message: Json) -> Json:
        """A message of the client's with what its handles stand for; the same object if they are themselves."""
        aliases = self._aliases
        if not aliases:
            return message
        if "method" not in message:
            return _with_reals(aliases, message, ("id",))
        parameters = message.get("params")
        if not isinstance(parameters, dict):
            return message
        real = _with_reals(aliases, parameters, SENT_BACK)
        for key in SENT_BACK_IN:
            inner = parameters.get(key)
            if isinstance(inner, dict) and (found := _with_reals(aliases, inner, SENT_BACK)) is not inner:
                real = {**real, key: found}
        answers = parameters.get("inputResponses")
        if isinstance(answers, dict) and any(aliases.real(key) != key for key in answers):
            real = {**real, "inputResponses": {aliases.real(key): answer for key, answer in answers.items()}}
        return message if real is parameters else {**message, "params": real}

    def _shown_text(self, message: object, told: list[Placed]) -> object:
        """A message whose texts are redacted, with what stood apart in its place."""
        assert self._redactor is not None  # noqa: S101  # asked before
        text = _json_text(message)
        if text in self._clean:
            shown = message
        else:
            shown = redacted_value(self._redactor, message, text)
            if shown is message:
                self._note_clean(text)
        try:
            self._fill(message, shown, told)
        except (ValueError, LookupError, TypeError):  # what was hidden is more than one string
            shown = PieceRedaction(self._redactor).value(_lines_redacted(self._redactor, message))
            self._fill(message, shown, told)
        return shown

    def _fill(self, message: object, shown: object, told: list[Placed]) -> None:
        """Put what stood apart back into its place."""
        if shown is not message:
            _check_outline(message, shown)
            self._note_keys(message, shown)
        for path, value in told:
            _put(shown, path, value)

    def _told_value(self, path: Path, value: object, own: Container[str]) -> object:
        """What the client gets in the place of a handle or a blob."""
        assert self._redactor is not None  # noqa: S101  # asked before
        if not isinstance(value, str):
            # A number is a number; what else stands there is none of the protocol.
            return value if value is None or isinstance(value, int | float) else redacted_value(self._redactor, value)
        if path[-1] in BLOBS:
            return _blob_redacted(self._redactor, value)
        if value in self._clean or value in own:
            return value
        redacted = self._redactor.redact(value)
        if redacted.text == value and not redacted.incomplete:
            self._note_clean(value)
            return value
        return self._aliases.stand_in(value, HIDDEN if redacted.incomplete else redacted.text)

    def _note_clean(self, words: str) -> None:
        """Remember words that hold no secret, if they are short: methods, names and outlines come again and again."""
        if len(self._clean) < MOST_CLEAN and len(words) <= LONGEST_CLEAN:
            self._clean.add(words)

    def _note_keys(self, message: object, shown: object) -> None:
        """Remember what the keys of requests inside a result stand for: answers to them come under the same."""
        before, after = _input_requests(message), _input_requests(shown)
        if len(before) != len(after):
            return
        for real, key in zip(list(before), list(after), strict=True):
            if real != key:
                told = self._aliases.stand_in(real, key)
                after[told] = after.pop(key)


def _verbatim(message: object) -> list[Placed]:
    """What is not part of the text that is looked at: the outline, handles, and blobs."""
    found: list[Placed] = []
    for at, part in enumerate(message) if isinstance(message, list) else ((-1, message),):
        if isinstance(part, dict):
            path: Path = () if at < 0 else (at,)
            found += [((*path, key), part[key]) for key in OUTSIDE if key in part]
            _add_handles(found, part, path, "")
    return found


def _fitted_parts(message: object) -> list[Placed]:
    """What of a tool's result has been looked at."""
    result = message["result"]  # type: ignore[index]  # a response that was fitted
    found: list[Placed] = [
        (("result", "content", at, "text"), block["text"])
        for at, block in enumerate(result["content"])
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    return [*found, (("result", FITTED_HALF), result[FITTED_HALF])] if FITTED_HALF in result else found


def _add_handles(found: list[Placed], node: Json | list[object], path: Path, under: str) -> None:
    """Add the handles and blobs in a part of a message, and where they stand."""
    if isinstance(node, list):
        for at, item in enumerate(node):
            if isinstance(item, dict | list):
                _add_handles(found, item, (*path, at), under)
        return
    for key, value in node.items():
        if isinstance(value, str):
            is_handle = key in HANDLES or (key == "name" and under in NAMED)
            if is_handle or (key in BLOBS and isinstance(node.get("mimeType"), str) and _is_blob(value)):
                found.append(((*path, key), value))
        elif key in INSIDE and isinstance(value, dict | list):
            _add_handles(found, value, (*path, key), key)


def _is_blob(text: str) -> bool:
    padded = len(text) % 4 == 0 and text.isascii() and len(text) - len(text.rstrip("=")) <= 2  # noqa: PLR2004
    return padded and not text.rstrip("=").encode().translate(None, BASE64)


def _blob_text(blob: str) -> str | None:
    """The text that a blob holds, if it holds one."""
    try:
        data = binascii.a2b_base64(blob.replace("-", "+").replace("_", "/"))
        return data.decode()
    except UnicodeDecodeError as error:
        # A character may be cut in two at the end.
        return data[: error.start].decode() if len(blob) == BLOB_HEAD and len(data) - error.start < 4 else None  # noqa: PLR2004
    except binascii.Error:
        return None


def _blob_redacted(redactor: Redactor, blob: str) -> str:
    """A blob as it is, unless what it holds is a text with secrets, or it is one itself."""
    # What it holds comes first: a text stays a text, without its secrets.
    text = _blob_text(blob) if _blob_text(blob[:BLOB_HEAD]) is not None else None
    redacted = None if text is None else redactor.redact(text).text
    if redacted is not None and redacted != text:
        return binascii.b2a_base64(redacted.encode(), newline=False).decode()
    return redactor.redact(blob).text if len(blob) <= SHORT_BLOB else blob


def _put(message: object, path: Path, value: object) -> None:
    place: object = message
    for step in path[:-1]:
        place = place[step]  # type: ignore[index]  # a path of ours
    place[path[-1]] = value  # type: ignore[index]  # likewise


def _check_outline(message: object, shown: object) -> None:
    """ValueError if redaction took away what makes a message of it."""
    for before, after in zip(_parts(message), _parts(shown), strict=True):
        if isinstance(before, dict):
            kept = isinstance(after, dict) and all(key in after for key in OUTSIDE if key in before)
            if not kept or any(type(after.get(key)) is not type(before.get(key)) for key in BODIES):  # type: ignore[attr-defined]
                raise ValueError("a message is no message any more")


def _parts(message: object) -> list[object]:
    return message if isinstance(message, list) else [message]


def _input_requests(message: object) -> Json:
    result = message.get("result") if isinstance(message, dict) else None
    requests = result.get("inputRequests") if isinstance(result, dict) else None
    return requests if isinstance(requests, dict) else {}


def _with_reals(aliases: Aliases, values: Json, keys: tuple[str, ...]) -> Json:
    reals = {key: aliases.real(values[key]) for key in keys if key in values}
    return values if all(reals[key] is values[key] for key in reals) else {**values, **reals}
