r"""A list of any length, a page at a time: of a file, of what was kept, or of bytes that are held.

The first page reads all of it and notes, for every 64 kB, which record begins there and what these bytes add up to.
This index lies in the user's cache, so a later page reads no more than what is on it, and sees whether that was
changed meanwhile. An order or a choice of records is kept beside it. All of it may be deleted at any time.

CSV and TSV are lists of records, too, each row an object by the names in the first one.

>>> chunks = [b'id,name\n1,"Jo, ', b'the first"\n2,Al\n']
>>> form = table_form(iter(chunks), "people.csv")
>>> [form.line(row) for block in form.blocks(iter(chunks)) for row in block.records]
[b'{"id":"1","name":"Jo, the first"}', b'{"id":"2","name":"Al"}']
"""

from __future__ import annotations

import json
import os
import stat
from array import array
from bisect import bisect_right
from zlib import crc32

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256, suppress
from overspill.documents.json_elements import BLOCK_BYTES, JsonForm, RecordBlock, json_form, list_path
from overspill.documents.json_text import JsonText
from overspill.errors import InputError, ListChanged, UsageError
from overspill.files import cache_directory, read_cached, write_cached
from overspill.lists import Condition, Order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from mmap import mmap
    from typing import Any, Literal, TypeAlias

    from overspill.store import OpenArtifact

    ListForm: TypeAlias = "JsonForm | TableForm"
    Numbers = array[int] | memoryview[int]


DELIMITERS = "\t,;|"
ENDINGS = {".csv": ",;|\t", ".tsv": "\t", ".tab": "\t"}
SAMPLE_BYTES = 1 << 16
SAMPLE_ROWS = 20
LAST_ROW = "\x1e"  # a row that no table has: if it is read as one, the rows before it are whole

Row = list[str]

CHUNK_BYTES = 1 << 20
WORTH_AN_INDEX = 1 << 19  # bytes of a list below which it is read again at once
MOST_CACHED_BYTES = 1 << 28  # of all lists together
MOST_CACHED_FILES = 64
HELD_BLOCKS = 64
FORMAT = 1


class TableForm(NamedTuple):
    """A table: what stands between its cells, what its columns are called, and where its first row begins."""

    delimiter: str
    names: tuple[str, ...]
    start: int
    kind: str = "rows"

    def blocks(self, chunks: Iterator[bytes]) -> Iterator[RecordBlock]:
        """All rows after the first."""
        text = JsonText(chunks)
        text.fill(self.start)
        text.at = self.start
        while True:
            text.hold, wanted = text.at, BLOCK_BYTES
            while True:
                text.fill(wanted)
                whole = len(text.held) - text.at < wanted
                end = len(text.held) if whole else text.held.rfind(b"\n", text.at, text.at + wanted) + 1
                rows = self._whole_rows(text.held[text.at : end]) if end or whole else None
                if rows is not None:
                    break
                if whole:
                    raise UsageError(f"this table is broken: a quote after byte {text.place:,} is not closed")
                wanted *= 2
            piece, start = text.held[text.at : end], text.place
            text.at, text.hold = end, None
            if rows:
                yield RecordBlock(start, piece, rows)
            if whole:
                return

    def records(self, piece: bytes) -> Sequence[Row]:
        """The rows of a block once more."""
        return self._whole_rows(piece) or []

    def line(self, record: Row) -> bytes:
        """A row as one line of compact JSON."""
        import json

        return json.dumps(self.value(record), ensure_ascii=False, separators=(",", ":")).encode()

    def value(self, record: Row) -> dict[str, str]:
        """A row as an object; cells beyond the names are called by their place."""
        beyond = (f"column_{place + 1}" for place in range(len(self.names), len(record)))
        return dict(zip((*self.names, *beyond), record, strict=False))

    def _whole_rows(self, piece: bytes) -> list[Row] | None:
        """The rows of a text, or None if its last one is not all here."""
        end = "" if piece.endswith((b"\n", b"\r")) else "\n"
        rows = read_rows(f"{decoded_text(piece)}{end}{LAST_ROW}", self.delimiter)
        if rows and rows[-1] == [LAST_ROW]:
            return [row for row in rows[:-1] if any(cell.strip() for cell in row)]
        return None


def table_form(chunks: Iterator[bytes], name: str = "") -> TableForm | None:
    """The form of a table, by the name of its file or by its first rows; None if it is none."""
    text = JsonText(chunks)
    text.skip_mark()
    text.fill(SAMPLE_BYTES)
    ending = next((one for one in ENDINGS if name.lower().endswith(one)), "")
    sample = text.held[text.at : text.at + SAMPLE_BYTES]
    whole = len(text.held) - text.at < SAMPLE_BYTES
    for delimiter in ENDINGS.get(ending, DELIMITERS):
        head = _first_row(sample, delimiter)
        if head is None or not (ending or _is_table(sample, delimiter, whole=whole)):
            continue
        if len(head[0]) > 1 or (ending and delimiter == ENDINGS[ending][-1]):
            return TableForm(delimiter, _column_names(head[0]), text.at + head[1])
    head = _first_row(sample, ",") if ending else None
    return None if head is None else TableForm(",", _column_names(head[0]), text.at + head[1])


def read_rows(text: str, delimiter: str) -> list[Row]:
    """The rows of a text, cells as they are."""
    import csv
    import io
    import sys

    csv.field_size_limit(sys.maxsize)  # a cell of any length is one; memory is bounded by whoever cut the text
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"this table is broken: {error}") from None


def decoded_text(piece: bytes) -> str:
    """A piece of a table as text."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        raise UsageError("this table is not UTF-8; convert it: iconv -f latin1 -t utf-8 FILE | spill page") from None


def _first_row(sample: bytes, delimiter: str) -> tuple[Row, int] | None:
    """The first row, and where it ends."""
    end = 0
    while (end := sample.find(b"\n", end) + 1) or (end := len(sample)):
        rows = read_rows(f"{sample[:end].decode(errors='replace').rstrip()}\n{LAST_ROW}", delimiter)
        if rows[-1:] == [[LAST_ROW]]:
            found = [row for row in rows[:-1] if row]
            if found:
                return found[0], end
        if end == len(sample):
            return None
    return None


def _is_table(sample: bytes, delimiter: str, *, whole: bool) -> bool:
    """Whether rows look like a table: names in the first, and in the others as many cells."""
    rows = [row for row in read_rows(sample.decode(errors="replace"), delimiter) if row]
    rows = rows if whole else rows[:-1]
    if len(rows) < 2 or len(rows[0]) < 2:  # noqa: PLR2004  # names and a row, of two cells
        return False
    names = rows[0]
    named = len(set(names)) == len(names) and all(name and name == name.strip() for name in names)
    return named and all(len(row) == len(names) for row in rows[1:SAMPLE_ROWS])


def _column_names(head: Row) -> tuple[str, ...]:
    """The names of columns, each once.

    >>> _column_names(["id", "", "id"])
    ('id', 'column_2', 'id_3')
    """
    names: list[str] = []
    for place, name in enumerate((one.strip() for one in head), 1):
        unused = name or f"column_{place}"
        names.append(unused if unused not in names else f"{unused}_{place}")
    return tuple(names)


class ListSource(NamedTuple):
    """Bytes that hold a list. What has an identity can be known again; `stamp` changes with its content."""

    size: int
    read: Callable[[int, int], bytes]
    identity: str = ""
    stamp: str = ""

    def chunks(self) -> Iterator[bytes]:
        """All of it in pieces."""
        for at in range(0, self.size, CHUNK_BYTES):
            yield self.read(at, min(self.size, at + CHUNK_BYTES))


def file_source(file: int, size: int | None = None) -> ListSource:
    """An open file, or its first `size` bytes: what others append to it is left out."""
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise InputError("a list is read from a file or a pipe, and this is neither")
    if size is not None and size > found.st_size:
        raise ListChanged
    identity = f"file {found.st_dev} {found.st_ino}"
    return ListSource(
        found.st_size if size is None else size,
        lambda start, end: os.pread(file, end - start, start),
        identity,
        f"{found.st_mtime_ns} {found.st_ctime_ns}",
    )


def artifact_source(opened: OpenArtifact) -> ListSource:
    """An artifact, which never changes."""
    return ListSource(opened.artifact.size.bytes, opened.read, f"artifact {opened.artifact.id}", "kept")


def bytes_source(content: bytes | mmap, identity: str = "") -> ListSource:
    """Bytes that are held, or lie in a mapped file of ours."""
    return ListSource(len(content), lambda start, end: bytes(content[start:end]), identity, "kept")


def list_form(source: ListSource, key: str = "", name: str = "") -> ListForm:
    """How a list lies in its source: told by its first byte, by the name of its file, or by its first rows."""
    if not key:
        first = source.read(0, min(source.size, 4096)).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        if first not in {b"[", b"{"} and (table := table_form(source.chunks(), name)) is not None:
            return table
    return json_form(source.chunks(), key)


class ListIndex:
    """Where the records of a list are: for every block its first record, its place, and a checksum of its bytes."""

    def __init__(self, form: ListForm) -> None:
        self.form = form
        self.firsts, self.starts, self.lengths, self.checksums = (array("Q") for _ in range(4))
        self.total = 0

    @property
    def columns(self) -> tuple[array[int], ...]:
        """What is known of the blocks."""
        return self.firsts, self.starts, self.lengths, self.checksums

    @property
    def fingerprint(self) -> str:
        """Equal for lists that are equal."""
        return f"{crc32(b''.join(column.tobytes() for column in self.columns)):08x}"

    @classmethod
    def build(cls, source: ListSource, form: ListForm) -> ListIndex:
        """The index of a list, all of which is read and found to be one."""
        index = cls(form)
        for block in form.blocks(source.chunks()):
            index.firsts.append(index.total)
            index.starts.append(block.start)
            index.lengths.append(len(block.piece))
            index.checksums.append(crc32(block.piece))
            index.total += len(block.records)
        return index

    def block_of(self, number: int) -> int:
        """The block in which a record lies."""
        return bisect_right(self.firsts, number) - 1

    def records(self, source: ListSource, block: int) -> Sequence[Any]:
        """The records of a block, if they are those that were there."""
        start, length = self.starts[block], self.lengths[block]
        piece = source.read(start, start + length)
        if crc32(piece) != self.checksums[block]:
            raise ListChanged
        return self.form.records(piece)


class RecordList:
    """The records of a list, chosen and ordered: a `Query` for `lists.page`."""

    def __init__(self, source: ListSource, index: ListIndex, order: Numbers | None = None) -> None:
        self.source, self.index, self.order = source, index, order
        self._held: dict[int, Sequence[Any]] = {}

    @property
    def as_of(self) -> str:
        """The list as it is now, in a word that a later page can be asked for."""
        return f"{self.source.size}.{self.index.fingerprint}"

    def count(self) -> int:
        """How many there are."""
        return self.index.total if self.order is None else len(self.order)

    def rows(self, limit: int | None, offset: int) -> Iterator[bytes]:
        """Some of them, each as a line of JSON."""
        end = self.count() if limit is None else min(self.count(), offset + limit)
        for place in range(offset, end):
            number = place if self.order is None else self.order[place]
            block = self.index.block_of(number)
            records = self._held.get(block)
            if records is None:
                if len(self._held) >= HELD_BLOCKS:
                    self._held.clear()
                records = self._held[block] = self.index.records(self.source, block)
            yield self.index.form.line(records[number - self.index.firsts[block]])

    def values(self) -> Iterator[object]:
        """All records of the list as values, in the order in which they lie there."""
        for block in range(len(self.index.firsts)):
            for record in self.index.records(self.source, block):
                yield self.index.form.value(record)


class ListRequest(NamedTuple):
    """Which list of a source, and which of its records in which order."""

    key: str = ""
    name: str = ""  # of the file
    where: tuple[str, ...] = ()
    sort: str = ""
    as_of: str = ""

    @property
    def size(self) -> int | None:
        """How long the source was when its first page was read."""
        if not self.as_of:
            return None
        size, dot, fingerprint = self.as_of.partition(".")
        if not (dot and size.isascii() and size.isdigit() and len(size) <= MOST_DIGITS and fingerprint):
            raise UsageError(f"--as-of takes what `next` says, not {self.as_of[:100]!r}")
        return int(size)

    def check(self) -> None:
        """Complain of what is malformed, before anything is read."""
        _ = self.size, list_path(self.key), [Condition.parse(words) for words in self.where]
        if self.sort:
            Order.parse(self.sort)


MOST_DIGITS = 18


def open_list(source: ListSource, request: ListRequest, environ: Mapping[str, str]) -> RecordList:
    """The records that are asked for. What was found out about the list before is used, and kept for later."""
    cache = ListCache(environ, source, request)
    index = cache.load_index()
    if index is None:
        try:
            index = ListIndex.build(source, list_form(source, request.key, request.name))
        except UsageError:
            if not request.as_of:
                raise
            raise ListChanged from None  # it was one when its first page was read
        cache.save_index(index)
    found = RecordList(source, index)
    if request.as_of and found.as_of != request.as_of:
        raise ListChanged
    if not (request.where or request.sort):
        return found
    order = cache.load_order(index)
    if order is None:
        order = chosen_records(found, request)
        cache.save_order(index, order)
    return RecordList(source, index, order)


def chosen_records(records: RecordList, request: ListRequest) -> Numbers:
    """The numbers of the records that meet all conditions, in the order that is asked for."""
    conditions = [Condition.parse(words) for words in request.where]
    code = _number_code(records.index)
    numbers = array(code)

    def chosen() -> Iterator[object]:
        for number, value in enumerate(records.values()):
            if all(condition.holds(value) for condition in conditions):
                numbers.append(number)
                yield value

    if not request.sort:
        for _ in chosen():
            pass
        return numbers
    places = Order.parse(request.sort).places(chosen())
    return array(code, (numbers[place] for place in places))


def _number_code(index: ListIndex) -> Literal["I", "Q"]:
    """How the numbers of its records are written: in four bytes, as long as they fit."""
    return "I" if index.total < 1 << 32 else "Q"


class ListCache:
    """What is known of lists, in the user's own cache; nothing depends on it."""

    def __init__(self, environ: Mapping[str, str], source: ListSource, request: ListRequest) -> None:
        place = cache_directory(environ)
        cached = bool(place and source.identity and source.size >= WORTH_AN_INDEX)
        self.place = os.path.join(place, "lists") if place and cached else ""
        self.source, self.request = source, request

    def load_index(self) -> ListIndex | None:
        """The index of this list as it is, or as it was at the first page."""
        found = self._load(self._index_name())
        if found is None:
            return None
        head, content = found
        with suppress(ValueError, KeyError, TypeError, IndexError):  # it is not ours, or was damaged
            index = ListIndex(_form_of(head["form"]))
            width = len(content) // len(index.columns)
            for place, column in enumerate(index.columns):
                column.frombytes(content[place * width : (place + 1) * width])
            index.total = int(head["total"])
            if self.request.as_of:
                known = f"{self.source.size}.{index.fingerprint}" == self.request.as_of
            else:
                known = head["stamp"] == self.source.stamp
            return index if known else None
        return None

    def save_index(self, index: ListIndex) -> None:
        """Keep an index for later pages."""
        head = {"form": [index.form.kind, *index.form], "total": index.total, "stamp": self.source.stamp}
        self._save(self._index_name(), head, b"".join(column.tobytes() for column in index.columns))

    def load_order(self, index: ListIndex) -> Numbers | None:
        """The records that were chosen for an earlier page."""
        found = self._load(self._order_name(index))
        if found is None:
            return None
        head, content = found
        with suppress(ValueError, TypeError):  # read where it lies: it may be long
            order = content.cast(_number_code(index))
            return order if head.get("total") == len(order) else None
        return None

    def save_order(self, index: ListIndex, order: Numbers) -> None:
        """Keep a choice for later pages."""
        self._save(self._order_name(index), {"total": len(order)}, order.tobytes())

    def _index_name(self) -> str:
        ending = os.path.splitext(self.request.name)[1].lower()  # it may tell what the list is
        return self._name(self.source.identity, str(self.source.size), self.request.key, ending)

    def _order_name(self, index: ListIndex) -> str:
        return self._name(self._index_name(), index.fingerprint, self.request.sort, *self.request.where)

    def _name(self, *words: str) -> str:
        return sha256(json.dumps([FORMAT, *words]).encode()).hexdigest()[:32]

    def _load(self, name: str) -> tuple[dict[str, Any], memoryview] | None:
        content = read_cached(self.place, name, MOST_CACHED_BYTES) if self.place else None
        if content is None:
            return None
        with suppress(ValueError):
            end = content.index(b"\n") + 1
            return json.loads(content[:end]), memoryview(content)[end:]
        return None

    def _save(self, name: str, head: dict[str, object], content: bytes) -> None:
        if self.place and write_cached(self.place, name, json.dumps(head).encode() + b"\n" + content):
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        with suppress(OSError):
            known = [(file.stat().st_mtime, file.stat().st_size, file.path) for file in os.scandir(self.place)]
            room = MOST_CACHED_BYTES
            for number, (_, size, path) in enumerate(sorted(known, reverse=True)):
                room -= size
                if number and (room < 0 or number >= MOST_CACHED_FILES):
                    os.unlink(path)


def _form_of(said: list[Any]) -> ListForm:
    kind, *fields = said
    if kind == "rows":
        delimiter, names, start, _ = fields
        return TableForm(delimiter, tuple(names), start)
    return JsonForm(kind, tuple(fields[1]))
