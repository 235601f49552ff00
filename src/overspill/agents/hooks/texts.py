"""The texts in a tool's result, whatever its shape: those that may be long are fitted, all others redacted.

A result is redacted as one JSON text, so that a name counts for the value beside it.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, in_json, of_json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from overspill.agents.hooks.opening import Hook, Json

OWN_TOOLS = ("get_artifact", "search_artifacts", "list_artifacts")
NOT_ALONE = frozenset(";&|<>$`()#\n\r")  # what a shell takes for more than the words of one command

# Bytes in disguise: a picture is no place for secrets, and a changed one is no picture.
OPAQUE = ("data", "blob", "base64")
MEDIA_TYPES = ("mimeType", "mime_type", "mediaType", "media_type", "type")
PICTURES = ("image", "audio", "video", "font/")
MEDIA = ("image/", "audio/", "video/", "font/", "application/")
VALUE_CHARS = 256  # a text on one line that is no longer may be a value: then what stands around it is its name
STAND_IN = "(text {} of this result)"
PICTURE_BYTES = 100  # what is smaller may be a key; to look at it does a picture no harm


class KnownTools(NamedTuple):
    """The tools of an agent that are known by their exact names."""

    own: tuple[str, ...]  # with what the names of our server's tools begin
    shell: tuple[str, ...]
    reading: tuple[str, ...] = ()

    def fetches(self, tool: str, command: str = "") -> bool:
        """Whether a call fetches what was kept: that is fitted already, and never cut again.

        >>> tools = KnownTools(("mcp__overspill__",), ("Bash",))
        >>> tools.fetches("mcp__overspill__get_artifact"), tools.fetches("mcp__other__get_artifact")
        (True, False)
        >>> tools.fetches("Bash", "spill artifacts list"), tools.fetches("mcp__other__run", "spill artifacts list")
        (True, False)
        """
        if tool in self.shell:
            return is_own_command(command)
        return any(tool == f"{begin}{name}" for begin in self.own for name in OWN_TOOLS)


def is_own_command(command: str) -> bool:
    """Whether a line is one `spill artifacts` command and nothing else.

    >>> is_own_command("spill artifacts show art_1 --lines 1-900"), is_own_command("spill artifacts list; env")
    (True, False)
    """
    words = command.strip().removeprefix("acode ").removeprefix("spill ")
    return words.startswith("artifacts ") and words != command.strip() and not NOT_ALONE & set(words)


def fitted_result(hook: Hook, result: object, keys: Collection[str], tool: str, source: str = "") -> object:
    """The result with views in place of the texts under `keys`, and no secrets anywhere."""
    return mapped_result(
        hook, result, keys, lambda texts: [view.text for view in hook.fit_together(texts, tool, source)]
    )


def redacted_result(hook: Hook, result: object, keys: Collection[str] = ()) -> object:
    """The result without secrets; of the texts under `keys` only those that a name stands beside are looked at."""
    return mapped_result(hook, result, keys, lambda texts: texts)


def mapped_result(
    hook: Hook, result: object, keys: Collection[str], views_of: Callable[[list[str]], Sequence[str]]
) -> object:
    """A result of the same shape: its texts under `keys` as `views_of` shows them, everything else without secrets."""
    redacted = hook.spill.workspace.redacted_text
    safe, aside = result, Aside(keys)
    if isinstance(result, dict | list):
        plain = _json_text(map_texts(result, aside.put))
        shown = redacted(plain)
        safe = of_json(shown)  # if that is no JSON, nothing is shown
        if shown != plain:
            hook.note_hidden(plain, shown)

    def is_text(text: str, key: str) -> bool:
        return key in keys and not aside.is_opaque(text)

    texts: list[str] = []

    def collect(text: str, key: str, beside: Json) -> str:
        del beside
        if is_text(text, key):
            texts.append(aside.take(text))
        return text

    map_texts(safe, collect)
    views = iter(views_of(texts) if texts else ())

    def replace(text: str, key: str, beside: Json) -> str:
        del beside
        if is_text(text, key):
            return next(views)
        if aside.is_opaque(text):
            return aside.take(text)
        return redacted_blob(aside.take(text), redacted) if key in OPAQUE else redacted(text)

    return map_texts(safe, replace)


class Aside:
    """Texts that stand for themselves, and bytes in disguise: a short text holds their place in the JSON."""

    def __init__(self, keys: Collection[str]) -> None:
        self._keys = keys
        self._texts: dict[str, str] = {}
        self._opaque: set[str] = set()

    def put(self, text: str, key: str, beside: Json) -> str:
        """What holds the place of a text; itself if its name may matter."""
        opaque = is_opaque(text, key, beside)
        blob = key in OPAQUE and _blob_text(_blob_bytes(text) or b"")  # what it holds is looked at by itself
        if not (opaque or blob) and (key not in self._keys or (len(text) <= VALUE_CHARS and "\n" not in text)):
            return text
        place = STAND_IN.format(len(self._texts))
        self._texts[place] = text
        if opaque:
            self._opaque.add(place)
        return place

    def take(self, place: str) -> str:
        """The text whose place this is; any other text itself."""
        return self._texts.get(place, place)

    def is_opaque(self, place: str) -> bool:
        return place in self._opaque


def is_opaque(text: str, key: str, beside: Json) -> bool:
    """Whether a text is bytes in disguise: it decodes to no text, and the kind of bytes stands beside it.

    >>> is_opaque("iVBORw0KGgoA" * 12, "data", {"mimeType": "image/png"}), is_opaque("iVBORw0KGgoA" * 12, "data", {})
    (True, False)
    """
    if key not in OPAQUE or not any(str(beside.get(name, "")).startswith(MEDIA) for name in MEDIA_TYPES):
        return False
    content = _blob_bytes(text)
    return content is not None and len(content) >= PICTURE_BYTES and _blob_text(content) is None


def redacted_blob(blob: str, redacted: Callable[[str], str]) -> str:
    """A text in base64 without its secrets, in base64 again; anything else without its own.

    >>> redacted_blob("cGFzc3dvcmQ9MTIz", lambda text: text.replace("123", "***"))
    'cGFzc3dvcmQ9Kioq'
    >>> redacted_blob("no blob", str.upper)
    'NO BLOB'
    """
    content = _blob_bytes(blob)
    text = _blob_text(content) if content else None
    safe = redacted(text) if text else text
    if safe is None or safe == text:
        return redacted(blob)
    from binascii import b2a_base64

    return b2a_base64(safe.encode("utf-8", "replace"), newline=False).decode()


def text_in_bytes(block: Json) -> str:
    r"""The text that a block holds in base64, as Gemini and resources write it; empty for a picture, and for no text.

    >>> text_in_bytes({"inlineData": {"mimeType": "text/plain", "data": "YWxsIGlzIHdlbGw="}})
    'all is well'
    """
    inside = block.get("inlineData", block)
    if not isinstance(inside, dict) or any(str(inside.get(name, "")).startswith(PICTURES) for name in MEDIA_TYPES):
        return ""
    blob = next((inside[name] for name in OPAQUE if isinstance(inside.get(name), str)), "")
    return _blob_text(_blob_bytes(blob) or b"") or ""


def _blob_bytes(blob: str) -> bytes | None:
    """What a text in base64, of either alphabet and with or without lines, stands for; None if it is none."""
    from binascii import a2b_base64

    letters = blob.replace("\r", "").replace("\n", "").replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return a2b_base64(letters + "=" * (-len(letters) % 4), strict_mode=True)
    except ValueError:
        return None


def _blob_text(content: bytes) -> str | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def map_texts(
    value: object, change: Callable[[str, str, Json], str], key: str = "", beside: Json | None = None
) -> object:
    """A value of the same shape with every text changed; `change` is told under which key it stands, beside what.

    >>> map_texts({"content": [{"text": "a"}, 1]}, lambda text, key, beside: f"{text} in {key} of {len(beside)}")
    {'content': [{'text': 'a in text of 1'}, 1]}
    """
    if isinstance(value, str):
        return change(value, key, beside or {})
    if isinstance(value, list):
        return [map_texts(member, change, key, beside) for member in value]
    if isinstance(value, dict):
        return {name: map_texts(member, change, name, value) for name, member in value.items()}
    return value


def text_at(value: Json, *path: str) -> str:
    """The text at a path; empty where there is none."""
    here: object = value
    for name in path:
        here = here.get(name) if isinstance(here, dict) else None
    return here if isinstance(here, str) else ""


def one_text(result: object) -> str:
    r"""A result as the one text that stands for it where an agent can show no more than that.

    >>> one_text({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "..."}]})
    'a\n[image]'
    >>> one_text({"content": [{"type": "text", "text": "a"}], "structuredContent": {"a": 1}})
    '{"a": 1}'
    """
    if isinstance(result, str):
        return result
    if isinstance(result, list):
        return "\n".join(map(one_text, result))
    if not isinstance(result, dict):
        return "" if result is None else _result_json(result)
    if "structuredContent" in result:
        return _result_json(result["structuredContent"])
    for name in ("text", "content", "resource"):
        if name in result:
            return one_text(result[name])
    kind = "inlineData" if "inlineData" in result else result.get("type")  # the first: a picture, as Gemini writes it
    return text_in_bytes(result) or (f"[{kind}]" if isinstance(kind, str) else _result_json(result))


def _json_text(value: object) -> str:
    """JSON in which every letter is itself: rules for secrets do not read escapes."""
    text = in_json(value)
    return _result_json(value) if "\\u" in text else text


def _result_json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
