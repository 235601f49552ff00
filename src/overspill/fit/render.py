"""How a text is rendered: a document by its elements, a table or settings by their entries, any other by a strategy."""

from __future__ import annotations

from overspill import cut
from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.core import human_bytes
from overspill.core.spans import Room
from overspill.cut.render import Subject, View, text_view
from overspill.errors import StrategyError
from overspill.fit.intake import kept_chars
from overspill.fit.prepare import DOCUMENTS, ENTRIES, Prepared, ToolCall

if TYPE_CHECKING:
    from overspill.core.budget import Policy
    from overspill.core.markers import Reference

# Every document begins with one of these, and most texts do not: they need not be looked at any closer.
OPENERS = frozenset('{["<')
COMMENTS = frozenset(("//", "/*"))  # before JSON that people write
OPENING_CHARS = 4_096
WRAPPING_CHARS = 8_192  # in which lines before a document are looked for, and behind it
INDENTED, LINE_ENDS = 200, ("\n", "\r", ";", " ", ",")
# What begins a document, what follows that, and what ends it.
WRAPPED = (
    ("{", "\"'", "}"),
    ("[", "{[\"'(", "]"),
    ("\n<", "?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", ">"),
)
ENTRY_NAMES = (".csv", ".tsv", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties")
ENTRY_TYPES = ("text/csv", "text/tab-", "text/yaml", "application/yaml", "application/x-yaml", "text/x-ini")
SEPARATORS = (",", "\t", ";")
SCORED_AS = {"csv": "listing", "tsv": "listing", "yaml": "code", "ini": "code"}  # by those who look for what matters


class RenderedView(NamedTuple):
    """A view, the strategy that made it, and why it was another one than asked for."""

    view: View
    used: str
    fallback: str = ""
    document: bool = False


def document_kind(prepared: Prepared, call: ToolCall) -> str:
    """What kind of document, or of entries, a text seems to be; nothing when it is neither."""
    if call.kind:
        return call.kind
    wrapped = "wrapped" if may_be_wrapped(prepared.text) else ""
    begins = prepared.text[:OPENING_CHARS].lstrip()
    if begins[:1] not in OPENERS and begins[:2] not in COMMENTS and not _may_have_entries(begins, call):
        return wrapped
    from overspill.kinds import sniff

    # Of a text too large to hold both ends are there, and they are all that is looked at.
    found = sniff(prepared.text, content_type=call.content_type, name=call.file_name)
    return found.name if found.name in DOCUMENTS else found.entries or wrapped


def may_be_wrapped(text: str) -> bool:
    r"""Whether a document may lie between lines of something else: a quick look, so that other texts need not wait.

    >>> may_be_wrapped('Result:\n{"id": 1}\n'), may_be_wrapped("[12:00] up\n[12:01] down\n")
    (True, False)
    """
    begins, ends = text[:WRAPPING_CHARS], f"{text[-WRAPPING_CHARS:]}\n"
    return any(
        _begins_inside(begins, opening, inside) and any(closing + end in ends for end in LINE_ENDS)
        for opening, inside, closing in WRAPPED
    )


def _begins_inside(text: str, opening: str, inside: str) -> bool:
    """Whether something that may begin a document stands in a text."""
    at = text.find(opening)
    while at >= 0:
        if text[at + len(opening) : at + INDENTED].lstrip()[:1] in tuple(inside):
            return True
        at = text.find(opening, at + 1)
    return False


def _may_have_entries(begins: str, call: ToolCall) -> bool:
    """A quick look, so that other texts need not wait for the code that knows kinds."""
    if call.file_name.endswith(ENTRY_NAMES) or call.content_type.startswith(ENTRY_TYPES):
        return True
    first, second = (*begins.split("\n", 2), "")[:2]
    if begins.startswith(("---", "%YAML", "- ", "#", ";")) or (":" in first and " " not in first.partition(":")[0]):
        return True
    return any(0 < first.count(mark) == second.count(mark) for mark in SEPARATORS)


def render_view(
    prepared: Prepared, policy: Policy, reference: Reference, kind: str, buffer: memoryview | None = None
) -> RenderedView:
    """The view of a text within its budget. `buffer` holds all of it where `prepared.text` does not."""
    used = cut.strategy_in_use(policy.strategy)
    subject = Subject(
        prepared.text,
        prepared.size,
        cut.strategy_of_text(used),
        policy.options,
        reference,
        on_top=policy.on_top,
        holes=prepared.holes,
        keep=kept_chars(policy),
        survey=prepared.survey,
    )
    fallback = ""
    if kind == "wrapped" and used == "smart" and _has_parts(subject, policy):
        kind = ""
    if kind in DOCUMENTS and not reference.lead and policy.strategy != "none":
        why: list[str] = []
        document = _document_view(subject, policy, kind, buffer, why)
        if document is not None:
            return RenderedView(document, "element", document=True)
        fallback = f"not cut as {kind}: {why[0]}" if why and kind != "wrapped" else ""  # which was a guess of ours
    if kind in ENTRIES and not reference.lead and policy.strategy != "none":
        try:
            return RenderedView(_entries_view(subject, policy, kind, buffer), used)
        except StrategyError as error:
            fallback = f"not cut as {kind}: {error}"
    try:
        return RenderedView(text_view(subject, policy.inline), used, fallback)
    except Exception as error:  # noqa: BLE001  # a strategy may be anybody's code
        fallback = f"{used} failed ({type(error).__name__}); cut by ends instead"
        return RenderedView(
            text_view(subject._replace(strategy=cut.strategy("head_tail")), policy.inline), "head_tail", fallback
        )


def _has_parts(subject: Subject, policy: Policy) -> bool:
    """Whether what stands around a document is more than a few lines: then all of it is read by its parts."""
    from overspill.cut.smart import parted_text

    room = Room(0, 0, 0, holes=subject.holes, keep=subject.keep)
    # What will be shown of the text is asked, so that its parts are looked for once.
    parts = getattr(subject.strategy, "parts_of", parted_text)(subject.text, room, policy.options)
    return parts is not None and (policy.inline.ceiling or subject.size.chars) >= parts.least


def _entries_view(subject: Subject, policy: Policy, kind: str, buffer: memoryview | None) -> View:
    """The view of a text that is cut between its entries, or `StrategyError`, which says why there is none."""
    from overspill.cut.entries import GRAMMARS, entry_cut

    strategy = entry_cut(subject.strategy, kind, subject.text, subject.holes, buffer)
    comment = GRAMMARS[kind].comment if kind in GRAMMARS else ""
    marks = subject.reference.marks._replace(comment=comment)
    options = subject.options._replace(kind=SCORED_AS[kind] if subject.options.kind else "")
    subject = subject._replace(strategy=strategy, options=options, reference=subject.reference._replace(marks=marks))
    return text_view(subject, policy.inline)


def _document_view(
    subject: Subject, policy: Policy, kind: str, buffer: memoryview | None, why: list[str]
) -> View | None:
    """The view of a document, or None; then `why` says the reason, unless it is what somebody asked for."""
    from overspill.documents import cut_document, document_from_bytes, side_for

    side = side_for(policy.strategy, kind, policy.options)
    if side is None:
        return None
    if subject.size.bytes > policy.structured_max:
        why.append(f"{human_bytes(subject.size.bytes)}, and structured_max is {human_bytes(policy.structured_max)}")
        return None
    if not subject.holes:
        return cut_document(subject, kind, policy.inline, side, why)
    if buffer is None:
        why.append("too large to hold, and not kept")
        return None
    return document_from_bytes(buffer, subject.size, kind, policy.options, subject.reference, policy.inline, side, why)
