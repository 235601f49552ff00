"""A tool's result within its budget: its texts, and its structured half, which stays valid."""

import json

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core.budget import Budget
from overspill.mcp.eras import Json
from overspill.mcp.structured import NOTE, may_carry_note, may_change, only_text, shortened, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from overspill.api import Overspill
    from overspill.core.report import Fitted

MISSING = object()


class Asked(NamedTuple):
    """What is known of a call whose result comes back."""

    tool: str = ""
    budget: int | None = None
    focus: str | None = None
    schema: object = None  # of its structured result, if it announced one
    wrapping: int = 0  # characters that a text is wrapped in, on top of the budget


def limited_result(spill: "Overspill", result: Json, asked: Asked) -> Json | None:
    """The result as it may be shown; None if that is how it is."""
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    places = [block for block in map(_text_place, blocks) if block is not None]
    texts = [str(place["text"]) for place in places]
    is_error = result.get("isError") is True
    structured = result.get("structuredContent", MISSING)
    wrapped = only_text(structured)
    if wrapped in texts:
        asked = _with_spare_room(spill, asked, size_of(structured) - size_of(wrapped))
    views = fitted_texts(spill, texts, asked, is_error=is_error)
    changed = [view for view, text in zip(views, texts, strict=True) if view.text != text]
    half = (
        None
        if structured is MISSING
        else StructuredHalf(spill, structured, asked, dict(zip(texts, views, strict=True)))
    )
    if not changed and (half is None or not half.changed):
        return None
    shown = iter(views)
    new = [_with_text(block, next(shown).text) if _text_place(block) is not None else block for block in blocks]
    new += [_block(view.notice) for view in views if view.notice]
    limited = {**result, "content": new}
    if half is not None:
        half.put(limited)
    return limited


def _with_spare_room(spill: "Overspill", asked: Asked, spare: int) -> Asked:
    """Leave room for the wrapping: the same view is shown bare and wrapped."""
    most = asked.budget or spill.policy(asked.tool).inline.chars
    return asked if most is None else asked._replace(budget=max(1, most - spare), wrapping=spare)


def fitted_texts(spill: "Overspill", texts: list[str], asked: Asked, *, is_error: bool) -> "list[Fitted]":
    """The views of a result's texts: they share what the tool may say."""
    if len(texts) == 1:
        return [spill.fit(texts[0], tool=asked.tool, is_error=is_error, budget=asked.budget, focus=asked.focus)]
    budget = Budget(chars=asked.budget) if asked.budget else spill.policy(asked.tool).inline
    return spill.fit_many(texts, budget, tools=[asked.tool] * len(texts), focus=asked.focus) if texts else []


class StructuredHalf:
    """The structured half of a result, without secrets, and no longer than the tool may speak."""

    def __init__(self, spill: "Overspill", value: object, asked: Asked, views: "Mapping[str, Fitted]") -> None:
        self._asked = asked
        self.value = value
        self.changed = False
        self.fits = True
        view = views.get(only_text(value) or "")
        if view is not None and may_change(value, asked.schema):
            self.value = dict.fromkeys(value if isinstance(value, dict) else (), view.text)
            self.changed = self.value != value
            return
        text = json.dumps(value, ensure_ascii=False)
        safe = spill.redacted(text)
        if safe != text:
            self.value, self.changed = json.loads(safe), True
        room = asked.budget + asked.wrapping if asked.budget else spill.policy(asked.tool).inline.ceiling
        if room is not None and len(safe) > room and size_of(self.value) > room:
            self.changed = True
            self._shorten(_whole(spill, text, safe, asked, views), room)

    def _shorten(self, where: str, room: int) -> None:
        with_note = may_carry_note(self.value, self._asked.schema)
        if with_note:
            room -= size_of({NOTE: where})
        smaller = shortened(self.value, self._asked.schema, max(0, room))
        self.fits = smaller is not None
        if isinstance(smaller, dict) and with_note:
            smaller[NOTE] = where
        self.value = smaller

    def put(self, result: Json) -> None:
        """Put it in its place. What cannot be shown validly is not shown, and a tool that promised it has failed."""
        if self.fits:
            result["structuredContent"] = self.value
            return
        result.pop("structuredContent", None)
        if self._asked.schema is not None:
            result["isError"] = True


def _whole(spill: "Overspill", text: str, safe: str, asked: Asked, views: "Mapping[str, Fitted]") -> str:
    """Keep the whole, unless one of the texts is the same and is kept already; and say where it is."""
    value = json.loads(text)
    for said, view in views.items():
        if view.artifact_id and _same(said, value):
            return _where(spill, view)
    return _where(spill, spill.fit(safe, tool=asked.tool, budget=min(1_000, asked.budget or 1_000), kind="json"))


def _same(said: str, value: object) -> bool:
    if not said.lstrip().startswith(("{", "[", '"')):
        return False
    try:
        return bool(json.loads(said) == value)
    except (ValueError, RecursionError):
        return False


def _where(spill: "Overspill", view: "Fitted") -> str:
    kept = f"; all of it: {spill.call_for(view.artifact_id)}" if view.artifact_id else "; it could not be kept"
    return f"shortened from {view.report.original.chars} chars{kept}"


def _text_place(block: object) -> Json | None:
    """Where the text of a block is; None for blocks that are none."""
    if not isinstance(block, dict):
        return None
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return block
    inside = block.get("resource") if block.get("type") == "resource" else None
    return inside if isinstance(inside, dict) and isinstance(inside.get("text"), str) else None


def _with_text(block: Json, text: str) -> Json:
    inside = block.get("resource")
    if block.get("type") == "resource" and isinstance(inside, dict):
        return {**block, "resource": {**inside, "text": text}}
    return {**block, "text": text}


def _block(text: str) -> Json:
    return {"type": "text", "text": text}
