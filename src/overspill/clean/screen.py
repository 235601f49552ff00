r"""What a terminal shows in the end: overwritten and erased text is gone, the rest stays in order.

>>> screen = Screen()
>>> screen.feed("building\n 10%\r 50%\r100%\ndone?\x1b[2K\rdone") + screen.flush()
'building\n100%\ndone'
>>> screen.redraws
3

A cursor reaches the last `ROWS` rows, and a row that grows to `COLUMNS` is final with all above it. So
memory is bounded, and what comes out does not depend on how the stream was cut into chunks.

Nothing is lost by clearing the screen: what stood there stays above, as in a scrollback, and the
cleared screen begins below it. What is written to a place on a screen that was never cleared goes
below everything else, for nobody knows where that place is.

A row is made of columns rather than characters: a wide character takes two, a combining one none. ASCII takes
one each and is never split up.

>>> overlay("downloading 99%", 0, "done")
('doneloading 99%', 4)
>>> overlay("下载", 1, "x")
(' x载', 2)
"""

from __future__ import annotations

from overspill._lite import compile_pattern, lru_cache
from overspill.clean.decode import is_append_only

# What the screen acts on: cursor, erase, save and restore, the alternate screen.
ACTIVE = r"\[(?:[0-9;]{0,32}+[@A-HJKPX`adefsu]|\?(?:1049|1047|47)[hl])|[78cDEM]"


def width(row: str) -> int:
    """How many columns `row` takes.

    >>> width("abc"), width("下载"), width("e\u0301")
    (3, 4, 1)
    """
    return len(row) if row.isascii() else len(cells(row))


def overlay(row: str, column: int, text: str) -> tuple[str, int | None]:
    """`row` with `text` written over it from `column` on, and where that ends: None at the row's own end."""
    if row.isascii() and text.isascii():
        end = column + len(text)
        return row[:column].ljust(column) + text + row[end:], end if end < len(row) else None
    columns = cells(row)
    columns += " " * (column - len(columns))
    for character in text:
        column = _write_cell(columns, column, character)
    return "".join(columns), column if column < len(columns) else None


def split(row: str, column: int) -> tuple[str, str]:
    """What stands before `column` and from there on; half of a wide character is a blank.

    >>> split("下载", 1)
    (' ', ' 载')
    """
    if row.isascii():
        return row[:column], row[column:]
    columns = cells(row)
    left, right = columns[:column], columns[column:]
    if right and not right[0]:
        left[-1] = right[0] = " "
    return "".join(left), "".join(right)


def cells(row: str) -> list[str]:
    """One string a column; the second column of a wide character is empty."""
    widths = {character: _columns_of(character) for character in set(row)}
    if all(taken == 1 for taken in widths.values()):
        return list(row)
    columns: list[str] = []
    for character in row:
        taken = widths[character]
        if taken or not columns:
            columns.append(character)
            if taken == 2:  # noqa: PLR2004  # columns of a wide character
                columns.append("")
        else:
            columns[-1 if columns[-1] or len(columns) == 1 else -2] += character
    return columns


def _write_cell(columns: list[str], at: int, character: str) -> int:
    """Write one character over what stands at `at`; the column after it."""
    taken = _columns_of(character)
    if taken == 0 and at > 0:
        base = at - 1 if columns[at - 1] or at == 1 else at - 2
        columns[base] += character
        return at
    end = at + max(taken, 1)
    if at < len(columns) and not columns[at]:
        columns[at - 1] = " "
    if end < len(columns) and not columns[end]:
        columns[end] = " "
    columns[at:end] = [character, ""][: end - at]
    return end


@lru_cache(maxsize=1024)
def _columns_of(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata

    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


ROWS = 128
COLUMNS = 4_096  # characters; what runs on beyond is a new row without a line end
_FARTHEST = 1_024  # columns a cursor can be sent to

_TOKENS = compile_pattern(rf"\r{{0,2}}\n|(?:\r+[^\r\n\b\x1b]+)+|[\r\b]|\x1b(?:{ACTIVE})|[^\r\n\b\x1b]+")
_STRUCK = compile_pattern("[ -~]\b(?=[ -~])")
_SEQUENCES = compile_pattern(rf"\x1b(?:{ACTIVE})")


class Screen:
    """A stream with redraws in, what is left of it out.

    A row is text without its line end. While the cursor stands at the end of the last row, which is
    nearly always, the rows are kept as one string and ordinary text only passes by.
    """

    def __init__(self, rows: int = ROWS, columns: int = COLUMNS) -> None:
        self.redraws = 0
        self.sequences = 0
        self._height = rows
        self._length = columns
        self._plain: str | None = ""
        self._returns = 0  # carriage returns at the end of the last chunk: half a line end, perhaps
        self._rows = [""]
        self._ends = [""]
        self._row = 0
        self._column: int | None = None  # None: at the end of the row, wherever that is
        self._top = 0  # the first row a cursor can reach
        self._gone = 0  # rows that went out before those we hold
        self._home: int | None = None  # the first row of a cleared screen, counted from the very first one
        self._saved: tuple[int, int] | None = None
        self._moved = False  # the cursor went back and has written nothing since
        self._out: list[str] = []

    def feed(self, text: str) -> str:
        """What no cursor can reach any more."""
        if self._returns:
            text = "\r" * self._returns + text
            self._returns = 0
        if text.endswith("\r"):
            ready = text.rstrip("\r")
            self._returns = min(len(text) - len(ready), 2)
            text = ready
        if not text:
            return ""
        if self._plain is not None and is_append_only(text):
            return self._passed(self._plain + text)
        return self._drawn(text)

    def passes(self, text: str) -> bool:
        """Whether nothing was drawn so far, and `text` draws nothing either."""
        return self._plain is not None and is_append_only("\r" * self._returns + text.rstrip("\r"))

    def take_back(self) -> str:
        """What a cursor can still reach, as it came, to be fed once more. Nothing was drawn so far."""
        text, self._plain = (self._plain or "") + "\r" * self._returns, ""
        self._returns = 0
        return text

    def flush(self) -> str:
        """What is left on the screen."""
        if self._plain is None:
            self._plain = "".join(map("".join, zip(self._rows, self._ends, strict=True)))
        text, self._plain = self._plain, ""
        self._returns = 0
        return text

    def _passed(self, text: str) -> str:
        self._moved = False
        ready = _out_of_reach(text, self._height, self._length)
        self._plain = text[ready:]
        self._gone += text.count("\n", 0, ready)
        return text[:ready]

    def _drawn(self, text: str) -> str:
        if self._plain is not None:
            self._rows, self._ends = _rows_of(self._plain)
            self._plain = None
            self._row, self._column, self._top = len(self._rows) - 1, None, 0
        if "\b" in text and "\x1b" not in text:
            text = self._without_overstrikes(text)
        for match in _TOKENS.finditer(text):
            self._draw(match[0])
        self._release(self._top)
        if self._column is None and self._row == len(self._rows) - 1:
            self._plain = "".join(map("".join, zip(self._rows, self._ends, strict=True)))
        text = "".join(self._out)
        self._out.clear()
        return text

    def _without_overstrikes(self, text: str) -> str:
        """`text` without the letters of a manual page that are struck over at once, to be bold or underlined."""
        if max(map(len, text.split("\n"))) + len(self._rows[self._row]) >= self._length:
            return text
        text, struck = _STRUCK.subn("", text)
        self.redraws += struck
        return text

    def _draw(self, token: str) -> None:
        match token[0]:
            case "\x1b":
                self.sequences += 1
                self._obey(token[1:])
            case "\b":
                self._go(self._row, self._at() - 1)
            case "\r" | "\n" if token[-1] == "\n":
                self._next_row(token)
            case "\r" if len(token) > 1:
                self._write_again(token)
            case "\r":
                self._go(self._row, 0)
            case _:
                self._write(token)

    # -- writing

    def _write(self, text: str) -> None:
        row = self._rows[self._row]
        if self._column is None:
            self._moved = False
            self._append(row + text)
        elif len(row) + self._column + len(text) < self._length:
            self._write_over(text)
        else:
            # Near the longest row, one by one: the row must be final at the same character however the text came.
            for at, character in enumerate(text):
                self._write_over(character)
                if len(self._rows[self._row]) >= self._length:
                    self._append(self._rows[self._row])
                    self._column = None
                if self._column is None:
                    self._write(text[at + 1 :])
                    return

    def _write_again(self, token: str) -> None:
        """Write several texts, each from the start of the row. Ten thousand of them are one progress bar."""
        row = self._rows[self._row]
        texts = [text for text in token.split("\r") if text]
        if row.isascii() and token.isascii() and len(row) < self._length and len(max(texts, key=len)) < self._length:
            self.redraws += len(texts) - (not row)
            shown = texts[-1]
            for text in (*reversed(texts[:-1]), row):
                shown += text[len(shown) :]
            self._rows[self._row] = shown
            self._column = None if len(texts[-1]) == len(shown) else len(texts[-1])
            self._moved = False
            return
        for text in texts:
            self._go(self._row, 0)
            self._write(text)

    def _append(self, row: str) -> None:
        if len(row) >= self._length:
            final = len(row) // self._length * self._length
            self._release(self._row)
            self._top = 0
            self._out.append(row[:final])
            row = row[final:]
        self._rows[self._row] = row

    def _write_over(self, text: str) -> None:
        row, column = self._rows[self._row], self._at()
        if self._moved and column < width(row):
            self.redraws += 1
        self._moved = False
        self._rows[self._row], self._column = overlay(row, column, text)

    def _erase(self, row: int, text: str) -> None:
        """Put `text` in the place of a row of which something was erased."""
        if self._rows[row] != text:
            self.redraws += 1
            self._moved = False
        self._rows[row] = text

    # -- moving

    def _at(self) -> int:
        return width(self._rows[self._row]) if self._column is None else self._column

    def _go(self, row: int, column: int) -> None:
        self._row = max(self._top, min(row, len(self._rows) - 1))
        self._stand(max(0, column))
        self._moved = True

    def _stand(self, column: int) -> None:
        self._column = None if column == width(self._rows[self._row]) else column

    def _next_row(self, end: str) -> None:
        if self._row == len(self._rows) - 1:
            self._ends[self._row] = end
            self._rows.append("")
            self._ends.append("")
            self._row += 1
            self._column = None
            self._moved = False
            self._top = max(self._top, len(self._rows) - self._height)
        else:
            self._go(self._row + 1, 0)

    def _below(self) -> None:
        """A fresh row below everything else."""
        self._row = len(self._rows) - 1
        if self._rows[self._row]:
            self._next_row("\n")
        self._column = None

    def _release(self, rows: int) -> None:
        if rows > 0:
            self._out += map("".join, zip(self._rows[:rows], self._ends[:rows], strict=True))
            del self._rows[:rows], self._ends[:rows]
            self._row -= rows
            self._top -= rows
            self._gone += rows

    # -- sequences

    def _obey(self, sequence: str) -> None:
        if sequence[0] != "[":
            self._obey_short(sequence)
        elif sequence[1] == "?":
            self._below()
            self._home = self._gone + self._row if sequence[-1] == "h" else None
        else:
            numbers = [int(number or 0) for number in sequence[1:-1].split(";")]
            self._obey_control(sequence[-1], numbers[0], numbers[1] if len(numbers) > 1 else 0)

    def _obey_short(self, letter: str) -> None:
        match letter:
            case "7":
                self._save()
            case "8":
                self._restore()
            case "c":
                self._clear()
            case "E":
                self._next_row("\n")
            case "M":
                self._go(self._row - 1, self._at())
            case "D":
                column = self._at()
                self._next_row("\n")
                self._stand(column)

    def _obey_control(self, letter: str, first: int, second: int) -> None:
        steps = min(max(first, 1), _FARTHEST)
        match letter:
            case "H" | "f":
                self._go_to(steps, min(max(second, 1), _FARTHEST) - 1)
            case "d":
                self._go_to(steps, self._at())
            case "J":
                self._erase_screen(first)
            case "K":
                self._erase_row(first)
            case "P" | "X" | "@":
                self._shift(letter, steps)
            case "s":
                self._save()
            case "u":
                self._restore()
            case _:
                self._step(letter, steps)

    def _step(self, letter: str, steps: int) -> None:
        row, column = self._row, self._at()
        match letter:
            case "A" | "F":
                row -= steps
            case "B" | "E" | "e":
                row += steps
            case "C" | "a":
                column = max(column, min(column + steps, _FARTHEST))
            case "D":
                column -= steps
            case "G" | "`":
                column = steps - 1
        self._go(row, 0 if letter in "EF" else column)

    def _go_to(self, line: int, column: int) -> None:
        """A place on the screen, lines counted from 1."""
        home = None if self._home is None else self._home - self._gone
        if home is None or home < self._top or line > self._height:
            self._home = self._saved = None
            self._below()
            return
        while len(self._rows) <= home + line - 1:
            self._row = len(self._rows) - 1
            self._next_row("\n")
        self._go(home + line - 1, column)

    def _save(self) -> None:
        self._saved = (self._gone + self._row, self._at())

    def _restore(self) -> None:
        if self._saved is None:
            return
        row, column = self._saved[0] - self._gone, self._saved[1]
        if row < self._top:
            self._below()
        else:
            self._go(row, column)

    def _clear(self) -> None:
        self._below()
        self._home = self._gone + self._row

    def _erase_screen(self, part: int) -> None:
        if part == 0:
            self._erase_row(0)
            self.redraws += any(self._rows[self._row + 1 :])
            del self._rows[self._row + 1 :], self._ends[self._row + 1 :]
            self._ends[self._row] = ""
        elif part == 1:
            for row in range(self._top, self._row):
                self._erase(row, "")
            self._erase_row(1)
        elif part == 2:  # noqa: PLR2004 - the standard's number for the whole screen
            self._clear()

    def _erase_row(self, part: int) -> None:
        row, column = self._rows[self._row], self._at()
        if part == 0:
            self._erase(self._row, split(row, column)[0])
        elif part == 1:
            rest = split(row, column + 1)[1]
            self._erase(self._row, " " * (column + 1) + rest if rest else "")
        else:
            self._erase(self._row, "")
        self._stand(column)

    def _shift(self, letter: str, steps: int) -> None:
        """Delete (P), blank (X) or insert (@) columns at the cursor."""
        column = self._at()
        left, right = split(self._rows[self._row], column)
        if not right or len(left) + len(right) + steps >= self._length:
            return
        if letter == "@":
            right = " " * steps + right
        else:
            rest = split(right, steps)[1]
            right = rest if letter == "P" or not rest else " " * steps + rest
        self._erase(self._row, left + right)
        self._stand(column)


def without_sequences(text: str) -> tuple[str, int]:
    """`text` with nothing for a screen to act on, and how many sequences that were."""
    return _SEQUENCES.subn("", text)


def _out_of_reach(text: str, height: int, length: int) -> int:
    """Up to where `text` is final: all but the last `height` rows, and what fills a row."""
    end = len(text)
    start = end
    for _ in range(height):
        start = text.rfind("\n", 0, end) + 1
        if end - start >= length:
            filled = len(_without_returns(text[start:end])) // length * length
            if filled:
                return start + filled
        if start == 0:
            break
        end = start - 1
    return start


def _rows_of(text: str) -> tuple[list[str], list[str]]:
    whole = text.split("\n")
    rows = [_without_returns(row) for row in whole[:-1]]
    ends = [row[len(bare) :] + "\n" for row, bare in zip(whole, rows, strict=False)]
    return [*rows, whole[-1]], [*ends, ""]


def _without_returns(row: str) -> str:
    """`row` without the carriage returns that are part of its line end, two at most."""
    return row.removesuffix("\r").removesuffix("\r")
