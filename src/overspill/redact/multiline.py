r"""Values on the lines below their name: block scalars of YAML, markup, columns of tables, answers to a prompt.

Each reader says what it found and how far it looked, or None if the text that decides is not here
yet. It trusts complete lines only, and no more than `HELD` characters, so pieces make no difference.
"""

from __future__ import annotations

from overspill._lite import NamedTuple, compile_pattern
from overspill.redact import made_up, names, neighbours, values
from overspill.redact.hits import ANSWER_COST, LINES, MAX_LOOKBEHIND, PLAIN, READING_COST, FoundValue
from overspill.redact.neighbours import LINE_BACK

HELD = 1 << 20  # as large as a secret of a cluster may be

# A name that ends its line, and how its block is written, if it is one.
_SCALAR = (
    r"""[\w.$-]{0,64}+["']?[ \t]{0,4}:[ \t]{0,8}"""
    r"""(?:([|>])[-+0-9]{0,2}[ \t]{0,8}(?:\#[^\r\n]{0,200})?)?\r?\n(?=[ ]|-(?!--)|\Z)"""  # what belongs to it is deeper
)
_HEAD = compile_pattern(_SCALAR)
# From inside a name in markup on, to its value below: of an element, of a key in a plist, of a field in a form.
_MARKUP_HEAD = (
    r"""[\w.$-]{0,64}+(?:(?:[ \t][^<>\n]{0,200}+)?>[ \t]{0,8}+\r?\n|</key>|(?:</[\w:.-]{1,40}>[ \t]{0,8}+){1,4}\r?\n"""
    r"""|"[^\n]{0,120}+\n(?:[A-Za-z-]{1,40}:[^\n]{0,200}+\n){0,3}+\r?\n)"""
)
_MARKUP = compile_pattern(
    _MARKUP_HEAD + r"""\s{0,80}+(?:<[A-Za-z][^<>\n/]{0,80}+>[ \t]{0,8}+){0,3}+"""
    r"""(?:(?<=pass>\n)[^\s<>]{1,64}\r?\n|(?<=pass>\r\n)[^\s<>]{1,64}\r?\n)?(?P<value>[^\s<>-][^<>\r\n]{0,4096}+)"""
    r"""[ \t]{0,8}+(?:\r?\n[ \t]{0,80}+)?(?:</|--(?![a-z][a-z-]{1,20}[ ,=]))"""
)
_MARKUP_LINES = 7  # a value in markup is told by as many lines
# From a hit on: a cell of a table, and what parts it from the next one; a word that is all of its line is no cell.
_COLUMN = (
    r"""(?!(?<=\n)[\w.$ -]{1,64}+\r?\n)[|│┆,;\t]?+[ ]{0,40}+["'`*]{0,2}+[A-Za-z_][\w.$ -]{1,64}+["'`*]{0,2}+"""
    r"""(?=[|│┆,;\t\r\n]|\Z)"""
)
_CALL_END = compile_pattern(r"[A-Za-z_.]+\)$")
_PROSE = compile_pattern(r"[\s()]")  # between commas, where sentences and calls have words as well
_COLUMN_NAME = compile_pattern(r"[A-Za-z_#(][\w .()/#$-]{0,40}$")
# A line of such names and nothing else, parted by a sign.
_HEAD_LINE = compile_pattern(r"""[\w .()/#$"'`*-]*+[|│┆,;\t][\w .()/#$"'`*|│┆,;\t-]{0,2000}+(?=\r?\n|\Z)""")
_RULED = compile_pattern(r"[\s|:+=─-╿-]*[─═━=-][\s|:+=─-╿-]*$")
MOST_BLANKS = 2  # in the name of a column: more make a sentence
MOST_ROWS, LONGEST_HEAD = 20_000, 2_000
CHARS_PER_CELL = 4  # characters of a head that is taken apart, for the cost of one
MARKUP_BACK = 112  # no element or attribute opens further before a place in its name
# An argument in quotes that ends its line, and the next one below it.
_FLAG = r"""[\w-]{0,64}+["'],[ \t]{0,4}\r?\n(?=[ \t]{0,80}+(?:["']|\Z))"""
_ARGUMENT = compile_pattern(_FLAG + r"""[ \t]{0,80}+(["'])(?P<value>[^"'\\\n]{1,1024}+)\1""")
# Names and values of a database in turn, numbered: `1) "requirepass"`, and below it `2) "..."`.
_REPLY = r"""[\w.-]{0,64}+"\r?\n[ \t]{0,8}(?:[0-9]{1,4}\)[ ]"|\Z)"""
_NUMBERED = compile_pattern(
    r"""[\w.-]{0,64}+"\r?\n[ \t]{0,8}[0-9]{1,4}\)[ ]"(?P<value>(?:[^"\\\n]|\\[^\n]){1,1024}+)\""""
)
# All of these, to fail fast.
HOPEFUL = compile_pattern(
    rf"(?P<flag>{_FLAG})|(?P<reply>{_REPLY})|(?P<scalar>{_SCALAR})|(?P<markup>{_MARKUP_HEAD})|(?P<column>{_COLUMN})"
    r"|(?P<copy>\)[ ](?i:from[ ]stdin);)"
)
_NUMBER, NAME_BACK = compile_pattern(r"""(?:^|\n|[ \t])[0-9]{1,4}\)[ ]"\Z"""), 80
_PARTING, _ASKING = frozenset("|│;\t"), frozenset("aAdDmMoOpP")
_CATALOGUE = compile_pattern(r"#?~?[ ]?msg(?:id|str|ctxt)")  # what follows is a translation
_BESIDE = compile_pattern(r"[\w.$-]{0,64}+</(?!key>)")
_MARKUP_BEGIN = compile_pattern(r"(?P<name>[\w.$-]{0,64}+)(?:[ \t>\"]|</)")
_MARKUP_NAME = compile_pattern(
    r"""(?:<(?:[\w.-]{1,40}:)?|<[\w:.-]{1,40}>(?:[\w.-]{1,20}[ ]){0,2}|name=")([\w.$-]{1,64})$"""
)
_EDGES, _LISTS = " \"'`*│", frozenset(("list", "users", "value", "data", "text", "content"))
NAME_OF = compile_pattern(r"""[\w.$-]{1,64}+["']?[ \t]{0,4}:[ \t]{0,4}["']?""")  # from a hit to the value
_NAME = compile_pattern(r"""([\w.$-]{1,64})["']?[ \t]{0,4}$""")
_BEFORE_NAME = compile_pattern(r"""[ \t"'{,\[+?-]*+[\w.$-]*+""")
_BYTE = compile_pattern(r"-[ ]{1,4}([0-9]{1,3}|0x[0-9A-Fa-f]{1,2})[ \t]{0,4}$")  # an item of a list
FEWEST_BYTES, _LONGEST_BYTES = 8, 512  # of a key; characters
_ALONE = compile_pattern(r"""(?:-[ ]+)?(?![\w.-]{1,64}+:[ \t]*+$)(["']?)([^\s"']{4,4096}+)\1,?[ \t]*+$""")


class Below(NamedTuple):
    """What stands below a name, how far was looked, and what that has cost beside the characters."""

    found: list[FoundValue]
    upto: int
    cost: int = READING_COST


class Window(NamedTuple):
    """The part of a text that may be looked at. `whole`: nothing more will come, or may be looked at."""

    text: str
    end: int
    whole: bool

    def line(self, start: int) -> tuple[int, int] | None:
        """Where the line that starts there ends, without and with its end; None if it is not all here."""
        newline = self.text.find("\n", start, self.end)
        if newline < 0:
            return (self.end, self.end) if self.whole else None
        return newline - (newline > start and self.text[newline - 1] == "\r"), newline + 1

    def up_to(self, end: int) -> Window:
        """This window, ending at `end` where that is earlier."""
        return self if end > self.end or (end == self.end and self.whole) else Window(self.text, end, whole=True)


def window(text: str, at: int, *, final: bool) -> Window:
    """What may be looked at from `at` on."""
    end = min(len(text), at + HELD)
    return Window(text, end, whole=final or end == at + HELD)


def line_start(text: str, at: int) -> int:
    """Where the line of `at` begins, or -1 if that is too far away to matter."""
    start = text.rfind("\n", max(0, at - LINE_BACK), at) + 1
    return start if start or at < LINE_BACK else -1


def hope(text: str, at: int, _stop: int) -> object:
    """None where nothing stands below the name around `at`, as far as its own line and the one above tell.

    False is the same, and says that both lines had to be looked at.

    Hostile text has such names by the ten thousand: nothing is cut out or made before this is known.
    """
    form = HOPEFUL.match(text, at)
    if form is not None:
        kind = form.lastgroup
        if kind == "reply":
            return kind if _NUMBER.search(text, max(0, at - NAME_BACK), neighbours.name_start(text, at)) else None
        if kind == "flag":
            begin = neighbours.name_start(text, at)
            return kind if text.startswith("-", begin) and text[begin - 1 : begin] in {'"', "'"} else None
        may_be = _may_head_table if kind == "column" else _opens_markup if kind == "markup" else _begins_setting
        if kind == "copy" or may_be(text, at):
            return kind
        if text[form.end() : form.end() + 1] in _PARTING and kind == "column":
            return False  # a cell among others: nobody is asked for anything there
    # Nobody is asked for a secret, a token or a key: with these letters the words begin for what one types.
    asks = text[at] in _ASKING and neighbours.is_asked(text, at)
    return "question" if asks and _CATALOGUE.match(text, line_start(text, at)) is None else None


def below(text: str, at: int, kind: object, *, final: bool) -> Below | None:
    """What stands below the name around `at`, if it is a secret: there may be one of the kind that `hope` said."""
    if kind == "question":
        return _answered(text, at, final=final)
    if kind in {"flag", "reply"}:
        return _next_argument(text, at, final=final)
    if kind == "copy":
        return _copied(text, at, final=final)
    if kind == "column":
        return _in_table(text, at, final=final)
    return _in_markup(text, at, final=final) if kind == "markup" else scalar(text, at, final=final)


def _answered(text: str, at: int, *, final: bool) -> Below | None:
    """The password that is said on the line below, with what nobody reads between them."""
    view = window(text, at, final=final)
    line = view.line(at)
    if line is None:
        return None
    name = neighbours.REST_OF_NAME.match(text, at)
    found = neighbours.answer_beside(text, name.end(), line[0]) if name else None
    if found is None:
        end, lines = line[1], 0
        while lines < neighbours.ANSWER_LINES and end < view.end and end - line[1] < LINE_BACK:
            following = view.line(end)
            if following is None:
                return None
            end, lines = following[1], lines + 1
        if end >= view.end and not view.whole and lines < neighbours.ANSWER_LINES and end - line[1] < LINE_BACK:
            return None
        found = neighbours.answer_at(text, line[1], min(end, line[1] + 2 * LINE_BACK))
    return Below([found], found[1], ANSWER_COST) if found else Below([], line[1], ANSWER_COST)


def _next_argument(text: str, at: int, *, final: bool) -> Below | None:
    """The argument on the line below the flag that names it."""
    view = window(text, at, final=final)
    line = view.line(at)
    if line is None or view.line(line[1]) is None:
        return None
    promise = names.promise(text[neighbours.name_start(text, at) : line[0]].rstrip("\"', \t"))
    item = _ARGUMENT.match(text, at, view.end) or _NUMBERED.match(text, at, view.end)
    if item is None or not _is_secret(item["value"], promise.level, placed=promise.level >= names.PASSWORD):
        return Below([], at)
    return Below([(*item.span("value"), promise.type, PLAIN)] if promise.level else [], item.end())


def _copied(text: str, at: int, *, final: bool) -> Below | None:
    """The rows below `COPY users (id, password) FROM stdin;`, as a database dumps them."""
    start = line_start(text, at)
    opening = text.rfind("(", max(start, 0), at)
    view = window(text, at, final=final)
    line = view.line(at)
    if line is None:
        return None
    cells = [cell.strip(_EDGES) for cell in text[opening + 1 : at].split(",")] if 0 <= start <= opening else [""]
    columns = _secret_columns(cells, framed=False)
    if not columns:
        return Below([], at, 2 * READING_COST)
    return _in_rows(view, line[1], TableHead("\t", len(cells), columns), 4 * READING_COST)


def _opens_markup(text: str, at: int) -> bool:
    """Whether something before a name on its line may open an element or an attribute."""
    before = at - MARKUP_BACK if at > MARKUP_BACK else 0
    quote = text.rfind('"', before, at)
    if quote >= 0 and text.startswith("name=", quote - 5):
        return True
    opening = text.rfind("<", before, at)
    return opening >= 0 and text[opening + 1] != "/" and text.find("\n", opening, at) < 0


def _begins_setting(text: str, at: int) -> bool:
    """Whether a name that promises a secret begins its line: only what opens an item or a quote stands before it.

    Honest YAML has blocks by the thousand under names like `run`.
    """
    start = line_start(text, at)
    if start < 0 or _BEFORE_NAME.fullmatch(text, start, at) is None:
        return False
    return _block_promise(text, start, text.find(":", at)).level > names.NOTHING


def _block_promise(text: str, start: int, colon: int) -> names.Promise:
    """What the name before a colon promises, or, where it only says that there is a list, the name above it."""
    promise = _promise_before(text, start, colon)
    if promise.level or start < 1 or text[start:colon].strip() not in _LISTS:
        return promise
    above = text.rfind("\n", max(0, start - LINE_BACK), start - 1) + 1
    return _promise_before(text, above, text.find(":", above, start))


def _in_markup(text: str, at: int, *, final: bool) -> Below | None:
    """The value of an element, of a key in a plist or of a field in a form."""
    nothing = Below([], at, 2 * READING_COST)
    head = _MARKUP_BEGIN.match(text, at)
    named = _MARKUP_NAME.search(text[max(0, at - MARKUP_BACK) : head.end("name")]) if head else None
    promise = names.promise(named[1] if named else "")
    if promise.level < names.TOKEN:
        return nothing
    view = window(text, at, final=final)
    if not view.whole and text.count("\n", at, view.end) < _MARKUP_LINES:
        return None
    markup = _MARKUP.match(text, at, view.end)
    value = markup["value"].rstrip() if markup else ""
    # Beside the name of an element of its own stands any text; in a plist only the value.
    alone = _BESIDE.match(text, at) is None
    if markup is None or not _is_secret(value, promise.level, placed=alone):
        return nothing
    begin = markup.start("value")
    return Below([(begin, begin + len(value), promise.type, PLAIN)], markup.end())


class TableHead(NamedTuple):
    """The first line of a table: what parts its cells, how many there are, and those of secrets."""

    sign: str
    width: int
    columns: dict[int, names.Promise]


def _may_head_table(text: str, at: int) -> bool:
    """Whether the line of `at` is parted by a sign, and the one above by fewer; true if the line is not all here."""
    start = text.rfind("\n", at - LINE_BACK if at > LINE_BACK else 0, at) + 1
    if not start and at >= LINE_BACK:
        return False
    head = _HEAD_LINE.match(text, start)
    if head is None:
        return text.find("\n", at) < 0
    return not _is_row(text, at, start, head[0])


def _sign_of(line: str) -> str:
    """What parts the cells of a line, if it has any."""
    for sign in "|┆│\t;,":  # a generator takes three times as long, and hostile text has lines by the ten thousand
        if sign in line:
            return sign
    return ""


def _in_table(text: str, at: int, *, final: bool) -> Below | None:
    """The values of a column, in a table of Markdown, of a database's program, of commas or of tabs."""
    start = line_start(text, at)
    view = window(text, max(start, 0), final=final)
    line = view.line(start) if start >= 0 else (0, 0)
    if line is None:
        return None
    head = _table_head(text, at, start, line[0])
    cost = 4 * READING_COST + min(line[0] - start, LONGEST_HEAD) // CHARS_PER_CELL
    if not head.columns:
        return Below([], at, cost)
    framed = text.startswith("||", start) or text.endswith("|===\n", max(0, start - 8), start)
    # What is drawn has a rule below its head; anything else is a sentence, or a line of a shell.
    if head.sign in "|│┆" and not framed and not _is_narrow(view, start, line, head):
        ruler = view.line(line[1])
        if ruler is None or not _RULED.match(text, line[1], ruler[0]):
            return None if ruler is None else Below([], at, cost)
    return _in_rows(view, line[1], head, cost)


def _is_narrow(view: Window, start: int, line: tuple[int, int], head: TableHead) -> bool:
    """Whether strokes part names without a blank, or frame both lines, and as many cells stand below: a table."""
    below = view.line(line[1])
    said = (view.text[start : line[0]].strip(), view.text[line[1] : below[0]].strip() if below else "")
    above = view.text[max(0, start - LINE_BACK) : max(0, start - 1)].rpartition("\n")[2]  # another row: this is none
    framed = above.lstrip()[:1] != "|" and all(row[:1] == row[-1:] == "|" for row in said)
    return (framed or " " not in said[0]) and said[1].count("|") == head.width - 1


def _table_head(text: str, at: int, start: int, end: int) -> TableHead:
    """The line as the head of a table; it has no columns if it is none."""
    sign = _sign_of(text[start : min(end, start + LONGEST_HEAD)])
    if not sign or end - start > LONGEST_HEAD or _is_row(text, at, start, text[start:end]):
        return TableHead(sign, 0, {})
    cells = _cells(text, start, end, "||" if text.startswith("||", start) else sign)
    return TableHead(sign, len(cells), _secret_columns([text[slice(*cell)] for cell in cells], framed=sign in "|│┆"))


def _in_rows(view: Window, start: int, head: TableHead, cost: int) -> Below | None:
    """The secrets of all rows from `start` on."""
    found: list[FoundValue] = []
    text, sign = view.text, head.sign
    judged: dict[tuple[str, int], bool] = {}  # columns say the same again and again
    for _ in range(MOST_ROWS):
        line = view.line(start)
        if line is None:
            return None
        row = _row(text, start, line[0], sign)
        if len(row) == head.width:
            cost += 1
            cells: list[tuple[int, int]] = []
            for number, promise in head.columns.items():
                value = row[number].strip(_EDGES)
                secret = judged.get((value, promise.level))
                if secret is None:
                    placed = sign != "," or _PROSE.search(value) is None
                    in_call = sign == "," and _CALL_END.match(value) is not None
                    secret = not in_call and _is_secret(value, promise.level, placed=placed)
                    judged[value, promise.level] = secret
                    cost += READING_COST // 4
                if secret and not cells:
                    cells = _cells(text, start, line[0], sign)
                    cost += head.width // 2
                if secret:
                    found.append((*cells[number], promise.type, PLAIN))
        elif not _RULED.match(text, start, line[0]):
            break
        if start >= view.end:
            break
        start = line[1]
    return Below(found, min(start, view.end), cost)


def _row(text: str, start: int, end: int, sign: str) -> list[str]:
    """The cells of a line. A quoted one may hold the sign; without quotes they are parted at a stroke."""
    line = text[start:end]
    if sign == "," and '"' in line:
        return [text[slice(*cell)] for cell in _cells(text, start, end, sign)]
    return line.split(sign)


def _is_row(text: str, at: int, start: int, line: str) -> bool:
    """Whether a line is no head, because the line above it, as far as a stream still has it, has cells as well."""
    if not start:
        return False
    sign = _sign_of(line)
    lowest = at - MAX_LOOKBEHIND if at > MAX_LOOKBEHIND else 0
    begin = text.rfind("\n", lowest, start - 1) + 1 or lowest
    return text.count(sign, begin, start - 1) >= line.count(sign)


def _secret_columns(cells: list[str], *, framed: bool) -> dict[int, names.Promise]:
    """The columns that promise secrets, if all that is said is names, as in the head of a table."""
    named = [_COLUMN_NAME.match(cell) is not None and cell.count("(") == cell.count(")") for cell in cells]
    if framed:  # what stands outside of the frame
        named[0], named[-1] = named[0] or not cells[0], named[-1] or not cells[-1]
    told = not framed and any(cell.strip().count(" ") > MOST_BLANKS for cell in cells)  # a sentence, between commas
    if len(cells) == 1 or not all(named) or told:
        return {}
    promised = {number: names.promise(cell) for number, cell in enumerate(cells)}
    return {number: promise for number, promise in promised.items() if promise.level >= names.TOKEN}


def _cells(text: str, start: int, end: int, sign: str) -> list[tuple[int, int]]:
    """Where the cells of a line begin and end, without the blanks and the quotes around them."""
    cells: list[tuple[int, int]] = []
    while start <= end:
        quoted = sign == "," and text[start : start + 1] == '"'
        close = text.find('"', start + 1, end) if quoted else start
        stop = text.find(sign, max(start, close), end)
        stop = end if stop < 0 else stop
        cells.append(_without_edges(text, start, stop))
        start = stop + len(sign)
    return cells


def _without_edges(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    return start, end


def _is_secret(value: str, level: int, *, placed: bool) -> bool:
    """Whether what stands alone is a secret; `placed`: in a place where nothing but the value can stand."""
    if len(value) < values.SHORTEST_PASSWORD:
        return False
    if values.secretive(value, level, quoted=True):
        return True
    if not placed or level < names.PASSWORD or names.is_symbol(value):
        return False
    return made_up.bare_word(value) or values.fills_setting(value, level)


def scalar(text: str, at: int, *, final: bool) -> Below | None:
    """The value of the name around `at`, if it stands on the lines below and is a secret."""
    nothing = Below([], at, 2 * READING_COST)
    head = _HEAD.match(text, at)
    start = line_start(text, at)
    promise = _block_promise(text, start, text.find(":", at))
    if head is None or not promise.level:
        return nothing
    view = window(text, at, final=final)
    line = view.line(head.end())
    if line is None:
        return None
    depth = _indent(text, start, at)
    inner = _indent(text, head.end(), line[0])
    first = head.end() + inner
    listed = text.startswith("- ", first) and not head[1]
    if listed and inner > depth - 1 and _BYTE.match(text, first, line[0]):
        return _listed_bytes(view, head.end(), inner, promise)
    alone = _ALONE.match(text, first, line[0]) if inner > depth - listed else None
    if alone is None or not _is_secret(alone.group(2), promise.level, placed=bool(head[1])):
        return nothing
    if not head[1]:
        found: list[FoundValue] = [(*alone.span(2), promise.type, PLAIN)]
        return _next_items(view, line[1], inner, promise, found) if listed else Below(found, line[1])
    last = deeper(view, line[1], inner - 1, line[0])
    return Below([(first, last, promise.type, LINES)], last) if last is not None else None


def _listed_bytes(view: Window, start: int, depth: int, promise: names.Promise) -> Below | None:
    """The bytes of a key, each an item of a list of its own: they are hidden as one, and the list stays a list."""
    first, end, written = start + depth + 2, start, ""
    while end < view.end and len(written) < _LONGEST_BYTES:
        line = view.line(end)
        if line is None:
            return None
        item = _BYTE.match(view.text, end + depth, line[0])
        if item is None or view.text[end : end + depth].strip():
            break
        written, last, end = f"{written}, {item[1]}", line[0], line[1]
    if end >= view.end and not view.whole:
        return None
    secret = written.count(",") >= FEWEST_BYTES and made_up.is_drawn_bytes(written[2:])
    return Below([(first, last, promise.type, LINES)] if secret else [], end)


def _next_items(view: Window, start: int, depth: int, promise: names.Promise, found: list[FoundValue]) -> Below | None:
    """The other items of a list, as deep as the first."""
    while start < view.end:
        line = view.line(start)
        if line is None:
            return None
        item = _ALONE.match(view.text, start + depth, line[0])
        if item is None or not view.text.startswith(" " * depth + "- ", start):
            break
        if _is_secret(item[2], promise.level, placed=False):
            found.append((*item.span(2), promise.type, PLAIN))
        start = line[1]
    return Below(found, start) if start < view.end or view.whole else None


def _promise_before(text: str, start: int, colon: int) -> names.Promise:
    """What the name before a colon promises, on a line that starts at `start` and with that name: no code does."""
    named = _NAME.search(text[max(start, colon - 72) : colon]) if 0 <= start <= colon else None
    if named is None or text[start : max(start, colon - 72) + named.start()].strip(" \t\"'-{,[+?"):
        return names.promise("")
    return names.promise(named.group(1))


def _indent(text: str, start: int, end: int) -> int:
    return end - start - len(text[start:end].lstrip(" "))


def deeper(view: Window, start: int, depth: int, end: int) -> int | None:
    """Where the last of the lines ends that are deeper than `depth`, from `start` on; `end` if there is none."""
    while start < view.end:
        line = view.line(start)
        if line is None:
            return None
        if not view.text[start : line[0]].isspace() and start < line[0]:
            if _indent(view.text, start, line[0]) <= depth:
                return end
            end = line[0]
        start = line[1]
    return end if view.whole else None
