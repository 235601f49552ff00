"""`spill artifacts put`: keep a text that nobody has to look at now."""

import os
from collections.abc import Iterator
from itertools import chain

from overspill.clean import Cleaner
from overspill.cli.arguments import Call
from overspill.cli.artifacts import record
from overspill.cli.opening import opened
from overspill.cli.output import answer, chunks_of, note
from overspill.core.markers import one_line
from overspill.core.policy import Policy
from overspill.core.report import Artifact
from overspill.core.size import Tally
from overspill.errors import QuotaExceeded
from overspill.fit.drawing import MEDIA_TYPES
from overspill.fit.intake import Redacting
from overspill.fit.source import pieces
from overspill.journal import size_violation
from overspill.kinds import sniff
from overspill.store import Label, Store
from overspill.workspace.policy import policy_of
from overspill.workspace.redactor import redactor_of

MEGABYTE = 1 << 20


def run(call: Call) -> int:
    """Keep a file or standard input, cleaned and redacted like everything that is kept, and print its id."""
    chunks = chunks_of(call.arguments)
    settings, store = opened(call)
    tool, name = call.text("--tool") or "", call.arguments[0] if call.arguments else "-"
    redactor = redactor_of(settings, os.environ)
    redacting = redactor.stream() if redactor else None
    # A source is often a command line, and command lines hold secrets, too; so may every other word.
    source = call.text("--source") or ("" if name == "-" else name)
    first, second = next(chunks, b""), next(chunks, b"")
    content_type = call.text("--type") or type_of(first, name, whole=not second)
    said = (tool, content_type, source)
    label = Label(*map(one_line, (redactor.redact(word).text for word in said) if redactor else said))
    policy = policy_of(settings, tool)
    try:
        artifact = kept(store, label, chain((first, second), chunks), policy, redacting)
    except TooLarge as error:
        store.told("violation", size_violation(label.tool, error.size, policy.max_artifact_size))
        raise
    if redacting is not None and redacting.incomplete:
        note("spill: a part could not be examined for secrets and is hidden whole")
    return answer(call, "artifact", record(artifact), f"{artifact.id}\n")


def kept(
    store: Store, label: Label, chunks: Iterator[bytes], policy: Policy, redacting: Redacting | None = None
) -> Artifact:
    """The artifact of a text that comes in chunks, in flat memory; none at all if anything goes wrong."""
    cleaner, tally = Cleaner(policy.clean), Tally()

    def texts() -> Iterator[str]:
        for chunk in chunks:
            yield from pieces(cleaner.feed(chunk))
        yield from pieces(cleaner.flush())

    def safe() -> Iterator[str]:
        if redacting is None:
            yield from texts()
            return
        yield from map(redacting.feed, texts())
        yield redacting.flush()

    with store.open(label) as writer:
        for text in safe():
            content = text.encode()
            tally.add(text, len(content))
            if tally.bytes >= policy.max_artifact_size:
                raise TooLarge(
                    tally.bytes,
                    f"the text exceeds the maximum artifact size ({policy.max_artifact_size / MEGABYTE:.1f} MB); "
                    "nothing was kept; raise tools.truncation.max_artifact_size",
                )
            writer.write(content)
        return writer.commit(tally.size())


class TooLarge(QuotaExceeded):
    """A text that is larger than an artifact may be, as far as it was read."""

    def __init__(self, size: int, message: str) -> None:
        super().__init__(message)
        self.size = size


def type_of(beginning: bytes, name: str, *, whole: bool) -> str:
    """The media type of a text, by its name and its first chunk."""
    text = beginning.decode(errors="replace")
    return MEDIA_TYPES.get(sniff(text, name=name, total=len(text) + (not whole)).name, "text/plain")
