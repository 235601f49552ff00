"""The view of a prepared text: as a document where it is one, by the tool's strategy where it is not."""

from overspill import cut
from overspill._lite import NamedTuple
from overspill.core.policy import Policy
from overspill.core.reference_block import Reference
from overspill.cut.render import Subject, View, text_view
from overspill.fit.intake import kept_chars
from overspill.fit.prepare import DOCUMENTS, Prepared, ToolCall

# Every document begins with one of these, and most texts do not: they need not be looked at any closer.
OPENERS = frozenset('{["<')
OPENING_CHARS = 4_096


class RenderedView(NamedTuple):
    """A view, the strategy that made it, and why it was another one than asked for."""

    view: View
    used: str
    fallback: str = ""
    document: bool = False


def document_kind(prepared: Prepared, call: ToolCall) -> str:
    """What kind of document a text seems to be; nothing when it is none, or when somebody said what it is."""
    if call.kind:
        return call.kind
    if prepared.text[:OPENING_CHARS].lstrip()[:1] not in OPENERS:
        return ""
    from overspill.kinds import sniff

    # Of a text too large to hold both ends are there, and they are all that is looked at.
    found = sniff(prepared.text, content_type=call.content_type, name=call.file_name)
    return found.name if found.name in DOCUMENTS else ""


def render_view(
    prepared: Prepared, policy: Policy, shelf: Reference, kind: str, buffer: "memoryview | None" = None
) -> RenderedView:
    """The view of a text within its budget. `buffer` holds all of it where `prepared.text` does not."""
    used = cut.strategy_in_use(policy.strategy)
    subject = Subject(
        prepared.text,
        prepared.size,
        cut.strategy_of_text(used),
        policy.options,
        shelf,
        on_top=policy.on_top,
        holes=prepared.holes,
        keep=kept_chars(policy),
    )
    fallback = ""
    if kind in DOCUMENTS and not shelf.lead and policy.strategy != "none":
        document = _document_view(subject, policy, kind, buffer)
        if document is not None:
            return RenderedView(document, "element", document=True)
        fallback = f"not cut as {kind}: not valid, too large, or no room" if policy.options.preserve_json else ""
    try:
        return RenderedView(text_view(subject, policy.inline), used, fallback)
    except Exception as error:  # noqa: BLE001  # a strategy may be anybody's code
        fallback = f"{used} failed ({type(error).__name__}); cut by ends instead"
        return RenderedView(
            text_view(subject._replace(strategy=cut.strategy("head_tail")), policy.inline), "head_tail", fallback
        )


def _document_view(subject: Subject, policy: Policy, kind: str, buffer: "memoryview | None") -> View | None:
    from overspill.documents.element import cut_document, document_from_bytes, side_for

    side = side_for(policy.strategy, kind, policy.options)
    if side is None or subject.size.bytes > policy.structured_max:
        return None
    if not subject.holes:
        return cut_document(subject, kind, policy.inline, side)
    if buffer is None:
        return None
    return document_from_bytes(buffer, subject.size, kind, policy.options, subject.reference, policy.inline, side)
