"""Steps on the way to a prepared text: its size as it came, its secrets out, all of it at hand while it is cut."""

from collections.abc import Iterator
from contextlib import contextmanager

from overspill._lite import TYPE_CHECKING
from overspill.core.policy import Policy
from overspill.core.size import Size, measure, tokens_of
from overspill.fit.drawing import DOCUMENTS
from overspill.fit.prepared import Prepared

if TYPE_CHECKING:
    from overspill.redact import Redactor


def as_it_came(raw: str | bytes, binary: str, policy: Policy) -> Size:
    """The size of an output before anything was done to it."""
    counter = policy.inline.counter
    if isinstance(raw, str):
        return measure(raw, counter)
    if binary:
        return Size(len(raw), 0, len(raw), tokens_of(len(raw)))
    from overspill.clean.decode import Decoder, encoding_of

    encoding = encoding_of(raw)
    return measure(Decoder(encoding.name).feed(raw[encoding.mark :], final=True), counter)


def redacted(prepared: Prepared, redactor: "Redactor", policy: Policy) -> Prepared:
    """The text without its secrets, which is the only one that is shown, stored or counted."""
    safe = redactor.redact(prepared.text)
    if safe.text is prepared.text:
        return prepared
    size = measure(safe.text, policy.inline.counter)
    return prepared._replace(text=safe.text, size=size, redacted=safe.counts, incomplete=safe.incomplete)


@contextmanager
def closing_buffer(prepared: Prepared, kind: str) -> Iterator[memoryview | None]:
    """All of a document that is not held, readable in place as long as it is being cut."""
    if prepared.writer is None or kind not in DOCUMENTS:
        yield None
        return
    mapped = prepared.writer.view()
    with memoryview(mapped) as buffer:
        yield buffer
    if not isinstance(mapped, bytes):
        mapped.close()
