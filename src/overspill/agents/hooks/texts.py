"""The texts in a tool's result, whatever its shape: those that may be long are fitted, all others redacted."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from overspill.agents.hooks.opening import Hook, Json

# Bytes in disguise: a picture is no place for secrets, and a changed one is no picture.
OPAQUE = ("data", "blob", "base64", "signature")
OWN_TOOLS = ("get_artifact", "search_artifacts", "list_artifacts")


def is_own(tool: str, command: str = "") -> bool:
    """Whether a call fetches what was kept: that is fitted already, and never cut again.

    >>> is_own("mcp__overspill__get_artifact"), is_own("overspill_get_artifact"), is_own("get_artifacts")
    (True, True, False)
    >>> is_own("Bash", "spill artifacts show art_1 --lines 1-900"), is_own("Bash", "spill artifacts list; env")
    (True, False)
    """
    words = command.strip().removeprefix("acode ").removeprefix("spill ")
    alone = words.startswith("artifacts ") and words != command.strip() and not set(words) & set(";&|<>$`()\n")
    return alone or tool.endswith(OWN_TOOLS)


def fitted_result(hook: Hook, result: object, keys: Collection[str], tool: str) -> object:
    """The result with views in place of the texts under `keys`, and no secrets anywhere."""
    texts: list[str] = []

    def collect(text: str, key: str) -> str:
        if key in keys:
            texts.append(text)
        return text

    map_texts(result, collect)
    views = iter(hook.fit_together(texts, tool) if texts else ())

    def replace(text: str, key: str) -> str:
        return next(views).text if key in keys else hook.spill.workspace.redacted_text(text)

    return map_texts(result, replace)


def map_texts(value: object, change: Callable[[str, str], str], key: str = "") -> object:
    """A value of the same shape with every text changed; `change` is told under which key it stands.

    >>> map_texts({"content": [{"text": "a"}, 1], "data": "b"}, lambda text, key: f"{text} in {key}")
    {'content': [{'text': 'a in text'}, 1], 'data': 'b'}
    """
    if isinstance(value, str):
        return value if key in OPAQUE else change(value, key)
    if isinstance(value, list):
        return [map_texts(member, change, key) for member in value]
    if isinstance(value, dict):
        return {name: map_texts(member, change, name) for name, member in value.items()}
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
    return f"[{result['type']}]" if isinstance(result.get("type"), str) else _result_json(result)


def _result_json(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
