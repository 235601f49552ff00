r"""Tables as lists of records: CSV and TSV, each row an object by the names in the first one.

>>> chunks = [b'id,name\n1,"Jo, ', b'the first"\n2,Al\n']
>>> form = table_form(iter(chunks), "people.csv")
>>> [form.line(row) for block in form.blocks(iter(chunks)) for row in block.records]
[b'{"id":"1","name":"Jo, the first"}', b'{"id":"2","name":"Al"}']
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.documents.json_elements import BLOCK_BYTES, RecordBlock
from overspill.documents.json_text import JsonText
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DELIMITERS = "\t,;|"
ENDINGS = {".csv": ",;|\t", ".tsv": "\t", ".tab": "\t"}
SAMPLE_BYTES = 1 << 16
SAMPLE_ROWS = 20
LAST_ROW = "\x1e"  # a row that no table has: if it is read as one, the rows before it are whole

Row = list[str]


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
