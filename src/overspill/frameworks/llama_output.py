"""What LlamaIndex makes of a result, with texts that fit."""

from collections.abc import Callable
from typing import Any

from overspill.frameworks.needs import needed
from overspill.frameworks.results import Batch, Results

with needed("llama-index"):
    from llama_index.core.base.llms.types import TextBlock
    from llama_index.core.tools import ToolOutput


def fitted(
    output: ToolOutput,
    results: Results,
    tool: str,
    batch: Batch | None = None,
    *,
    direct: bool = False,
    keep_raw: bool = False,
) -> ToolOutput:
    """An output whose texts fit; a `direct` one is for people."""
    texts = [text for block in output.blocks for text in _texts(block)]
    if direct:
        shown = [results.whole(text) for text in texts]
    elif len(texts) == 1:
        shown = [results.written(texts[0], output.raw_output, tool, batch=batch).text]
    else:
        shown = [view.text for view in results.texts(texts, tool, is_error=output.is_error, batch=batch)]
    if shown == texts:
        return output
    views = iter(shown)
    blocks = [_with_texts(block, lambda _: next(views)) for block in output.blocks]
    raw = output.raw_output if keep_raw else "\n".join(shown)
    return output.model_copy(update={"blocks": blocks, "raw_output": raw})


def _texts(block: Any) -> list[str]:
    if isinstance(block, TextBlock):
        return [block.text]
    inside = getattr(block, "content", None)
    return [text for one in inside for text in _texts(one)] if isinstance(inside, list) else []


def _with_texts(block: Any, text: Callable[[str], str]) -> Any:
    """A block with other texts in the places of its own; what can be cited has blocks inside."""
    if isinstance(block, TextBlock):
        said = text(block.text)
        return block if said == block.text else block.model_copy(update={"text": said})
    inside = getattr(block, "content", None)
    if isinstance(inside, list):
        return block.model_copy(update={"content": [_with_texts(one, text) for one in inside]})
    return block
