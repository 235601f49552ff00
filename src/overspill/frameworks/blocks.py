"""Texts inside the blocks of which a tool result of Anthropic's API can be made."""

from collections.abc import Callable, Mapping
from typing import Any


def with_texts(block: Any, text: Callable[[str], Any]) -> Any:
    """A block with other texts in the places of its own: in search results and documents, too.

    >>> with_texts({"type": "search_result", "content": [{"type": "text", "text": "long"}]}, str.upper)
    {'type': 'search_result', 'content': [{'type': 'text', 'text': 'LONG'}]}
    """
    if not isinstance(block, Mapping):
        return block
    kind, source = block.get("type"), block.get("source")
    if kind == "text" and isinstance(block.get("text"), str):
        return {**block, "text": text(block["text"])}
    if kind in {"search_result", "content"} and isinstance(block.get("content"), list):
        return {**block, "content": [with_texts(one, text) for one in block["content"]]}
    if kind == "document" and isinstance(source, Mapping):
        if source.get("type") == "text" and isinstance(source.get("data"), str):
            return {**block, "source": {**source, "data": text(source["data"])}}
        return {**block, "source": with_texts(source, text)}
    return block
