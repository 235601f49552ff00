"""Whatever a tool returned, as text, bytes or chunks of them."""

import time
from collections.abc import AsyncIterable, Iterable, Iterator

from overspill._lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from typing import Self

CHUNK_CHARS = 1 << 20

Chunk = str | bytes


class Output(NamedTuple):
    """What came: all of it at once, or chunks to be taken one by one."""

    whole: Chunk | None
    chunks: Iterator[Chunk]
    content_type: str = "text/plain"


def output_of(value: object) -> Output:
    """Text, bytes, an open file or an iterator as they are; any other object as JSON."""
    if isinstance(value, str | bytes):
        return Output(value, iter(()))
    if isinstance(value, bytearray | memoryview):
        return Output(bytes(value), iter(()))
    reader = getattr(value, "read1", None) or getattr(value, "read", None)
    if callable(reader):
        return Output(None, iter(lambda: reader(CHUNK_CHARS), reader(0)))
    if isinstance(value, Iterator):
        return Output(None, value)
    from overspill.clean.objects import serialise_object  # most outputs are text

    text, content_type = serialise_object(value)
    return Output(text, iter(()), content_type)


class Chunks:
    """Chunks of an async iterable, for a thread beside its event loop: the loop makes them, the thread takes them."""

    def __init__(self, source: AsyncIterable[Chunk], loop: "AbstractEventLoop") -> None:
        self._source = aiter(source)
        self._loop = loop

    def __iter__(self) -> "Self":
        return self

    def __next__(self) -> Chunk:
        from asyncio import run_coroutine_threadsafe

        chunk = run_coroutine_threadsafe(self._next(), self._loop).result()
        if chunk is None:
            raise StopIteration
        return chunk

    async def _next(self) -> Chunk | None:
        return await anext(self._source, None)


def text_pieces(text: str) -> Iterable[str]:
    """A large piece of text in smaller ones, so that what is made of it is never as large as it."""
    return (
        (text[at : at + CHUNK_CHARS] for at in range(0, len(text), CHUNK_CHARS)) if len(text) > CHUNK_CHARS else (text,)
    )


def timed_chunks(chunks: Iterator[Chunk], waited: list[float]) -> Iterator[Chunk]:
    """The same chunks; to `waited` the seconds are added that they took to come."""
    while True:
        asked = time.perf_counter()
        chunk = next(chunks, None)
        waited[0] += time.perf_counter() - asked
        if chunk is None:
            return
        yield chunk
