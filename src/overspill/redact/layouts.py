r"""Values that the layout of lines tells: under a heading, in brackets that open at a line's end, bound to a column,
or below the command that fetches them.

    Name     Role     Password        password=(        UPDATE users SET password=? WHERE id=?        $ pass show db
    doadmin  primary  ...                 "..."         ('...', 17)                                   ...
                                      )

Nothing is read before it is clear that a line is a heading, that a text begins below the bracket, or that a place is
kept for a secret in a statement.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import made_up, names, neighbours, values
from overspill.redact.hits import JUDGED, MARK, MAX_LOOKBEHIND, PLAIN, READING_COST, FoundValue
from overspill.redact.multiline import Below, Window, line_start, window

if TYPE_CHECKING:
    from re import Match

_HEADING = r"[A-Za-z_#][\w./#()-]{0,40}+(?:[ ][\w./#()-]{1,40}+){0,3}+"
_HEADINGS = compile_pattern(
    rf"[ ]{{0,16}}+(?:{_HEADING}[ ]{{2,60}}+){{1,24}}+(?:{_HEADING})?[ \t]{{0,60}}+\r?(?=\n|\Z)"
)
_CELL = compile_pattern(r"\S+(?:[ ]\S+)*")
_WORD = compile_pattern(r"\S+")
_STATE = compile_pattern(r"(?i)(?:true|false|yes|no|on|off|none|null|nil|(?:en|dis)abled)\Z")
_RULER = compile_pattern(r"[ \t=+|-]{3,}$")
_ITEM = compile_pattern(
    r"""[ \t]{0,80}+[bruf]{0,2}(["'])(?P<value>(?:[^"'\\\n]|\\[^\n]){1,1024}+)\1(?P<more>[ \t]{0,4},)?"""
    r"""[)\]; \t,]{0,8}\r?$"""
)
# A place that is kept for a value in a statement: beside its column, or in a list of them.
_PLACE = r"(?:\?|%s|\$[0-9]{1,3}|@p?[0-9]{1,3}|:[0-9]{1,3})"
# From inside a name on: a bracket that opens at the end of the line, or such a place.
_JOINED = compile_pattern(
    r"""[\w.$-]{1,64}+(?P<end>)(?:["'\]]{0,2}[ \t]{0,4}(?::=|[:=]>?)[ \t]{0,4}(?P<call>[A-Za-z_][\w.:]{0,60}+)?"""
    r"""[(\[](?P<opened>)[ \t]{0,4}\r?\n(?=[ \t]{0,80}+[bruf]{0,2}(?:["']|\Z))"""
    rf"""|["'`\]]?[ ]?=[ ]?(?P<place>{_PLACE})(?!\w))"""
)
_INSERTED = compile_pattern(rf"(?i:values)[ ]?\((?=[ ]?{_PLACE})")
_PLACES = compile_pattern(r"\?|%s")
_PARAMETERS = compile_pattern(
    r"""[(\[](?=[ ]{0,4}(?:[bu]?["']|[0-9]|None\b|null\b|True\b|False\b))"""
    r"""|(?i:parameters|params|binds|args):[ ](?![(\[])"""
)
_PARAMETER = compile_pattern(
    r"""[ ]{0,4}+(?:[bu]?(["'])(?P<value>(?:[^"'\\\n]|\\[^\n]){0,512}+)\1"""
    r"""|(?P<bare>[^,()\[\]'"\s]{1,128}+)(?:\([A-Z]\w{2,20}\))?)[ ]{0,4}+(?P<end>[,)\]]|\r?(?=\n|\Z))"""
)
# A line on which a program is asked for a secret.
_FETCHED = compile_pattern(
    r"""(?x) (?:\$|[~\]/][ ]?\#)[ ]
    (?=[^\n]{0,160}?(?<![\w.-])(?:get|show|read|cat|print|printenv|echo|lookup|fetch|view
      |reveal|find|jq|yq|generate|gen|genkey|genpsk|keygen|create|reset|new|output|auth|decrypt|login)(?=[ :\n-]))
    (?=[^\n]{0,160}?(?i:pass|pwd|token|secret|credential|(?:api|access|private|auth)[_-]?key|\.key\b
      |gen-?(?:key|psk)|key-?(?:gen|file|ring)|cookie\b|(?<=[ /.])(?:auth|login|creds?)\b|psk\b|authenticator|[ot]otp))
    [^\n]{3,400}+\n"""
)
_FILE = compile_pattern(r"/|\.[a-z]{1,5}$")
_PROMPTS, LONGEST_PROMPT = frozenset("$~]/"), 60
_LISTS = frozenset("([{")  # a list begins, of names and what belongs to them
_OPENS = frozenset(":,{[(")  # what goes on is a text of many lines
FETCHED_LINES, SHORTEST_FETCHED = 3, 6
MOST_BESIDE, SHORTEST_LAST = 4, 32  # words on a line that ends in a key, and its length
MOST_ROWS, MOST_ITEMS = 2_000, 200
LONGEST_LIST = 280  # characters of the names of columns: as far back as a stream remembers
BOUND_LINES, BOUND_REACH = 2, 800  # lines below a statement, and characters, in which its values may stand


class SecretColumn(NamedTuple):
    """Where the heading of secrets begins and ends on its line, and what it promises."""

    start: int
    end: int
    promise: names.Promise


def hope_of_layout(text: str, at: int, _stop: int) -> object:
    """What may stand below the name around `at`, as far as its own line and the beginning of the next one tell."""
    first = text[at]
    if first in _PROMPTS:
        start = line_start(text, at)
        return _FETCHED.match(text, at) if start >= 0 and at - start <= LONGEST_PROMPT else None
    form = _INSERTED.match(text, at) if first in "vV" else _JOINED.match(text, at) if first != " " else None
    if form is not None:
        return form
    start = line_start(text, at)
    head = _HEADINGS.match(text, start) if start >= 0 else None
    return None if head is None or _goes_on_above(text, at, head) else head


def _goes_on_above(text: str, at: int, head: Match[str]) -> bool:
    """Whether the line above has cells where all of these begin, or opens a list: they stand among names."""
    start = head.start()
    lowest = at - MAX_LOOKBEHIND if at > MAX_LOOKBEHIND else 0
    begin = text.rfind("\n", lowest, max(lowest, start - 1)) + 1
    above = text[begin or lowest : max(start - 1, 0)]
    cells = [cell.start() for cell in _CELL.finditer(head[0])]
    if len(cells) == 1 or not (begin or not lowest) or _RULER.match(above):
        return False
    if above.rstrip()[-1:] in _LISTS:
        return True
    return all(above[cell : cell + 1].strip() and not above[max(0, cell - 1) : cell].strip() for cell in cells)


def value_below(text: str, at: int, form: Match[str], *, final: bool) -> Below | None:
    """The secrets below the name around `at`, where its line has the form that `hope_of_layout` saw."""
    view = window(text, at, final=final)
    if form.re is _HEADINGS:
        return _under_headings(view, at, form)
    if form.re is _FETCHED:
        return _answer_of_command(view, form)
    return _in_brackets(view, at, form) if form.lastgroup == "opened" else _among_parameters(view, at, form)


def _answer_of_command(view: Window, form: Match[str]) -> Below | None:
    """The first word that stands alone on the lines below a command, if it is a secret: what else it says is prose."""
    text, start = view.text, form.end()
    for _ in range(FETCHED_LINES):
        line = view.line(start)
        if line is None:
            return None
        word = text[start : line[0]].strip()
        if word and " " not in word and "\t" not in word:
            begin = text.find(word, start)
            if len(word) >= SHORTEST_FETCHED and _is_fetched(word[:JUDGED]):
                return Below([(begin, begin + len(word), "SECRET", PLAIN)], line[1])
        elif len(word.split(" ")) <= MOST_BESIDE and _is_last_of_line(word):
            begin = start + text[start : line[0]].rstrip().rfind(" ") + 1
            return Below([(begin, start + len(text[start : line[0]].rstrip()), "SECRET", PLAIN)], line[1])
        if start >= view.end or "$ " in word or "# " in word or MARK in word:  # the next command, or the answer
            break
        start = line[1]
    return Below([], form.end())


def _is_last_of_line(said: str) -> bool:
    """Whether a line of a file ends in a key, with its kind and its name before it."""
    last = said.rpartition(" ")[2][:JUDGED]
    return len(last) >= SHORTEST_LAST and neighbours.is_coded(last)


def _is_fetched(word: str) -> bool:
    """Whether all that a command says is a secret: drawn, made up of words and numbers, or digits of a key."""
    if word[-1] in _OPENS and not (values.mixes_all(word) and values.is_drawn_code(word)):
        return False
    if neighbours.is_said(word) or values.is_key_in_hex(word) or made_up.is_phrase(word):
        return True
    if word == word.lower() or _FILE.search(word) or values.stand_in(word):
        return False
    return values.looks_drawn(word)  # whatever its signs would mean in code


def _in_brackets(view: Window, at: int, opened: Match[str]) -> Below | None:
    """The texts that stand alone on the lines after an opening bracket; one, where it is not a list."""
    text = view.text
    promise = names.promise(text[neighbours.name_start(text, at) : opened.end("end")])
    found: list[FoundValue] = []
    start = opened.end()
    if promise.level < names.TOKEN:
        return Below(found, at)
    called = (opened["call"] or "").rpartition(".")[2][:1].islower()
    for _ in range(MOST_ITEMS):
        line = view.line(start)
        if line is None:
            return None
        item = _ITEM.match(text, start, line[0])
        if item is None:
            break
        value = item["value"]
        # What is handed to a function may be anything.
        secret = not called and values.secretive(value, promise.level, quoted=True)
        if secret or (" " not in value and values.says_nothing(value)):
            found.append((*item.span("value"), promise.type, PLAIN))
        start = line[1]
        if not item["more"]:
            break
    return Below(found, start, READING_COST * (1 + len(found)))


def _among_parameters(view: Window, at: int, form: Match[str]) -> Below | None:
    """The values of places that a statement keeps for secrets: the first list behind it, there or on the next lines."""
    text, end = view.text, form.end()
    for _ in range(1 + BOUND_LINES):
        line = view.line(end)
        if line is None:
            return None
        end = line[1]
    end = min(end, form.end() + BOUND_REACH)
    columns = _bound_columns(text, at, form) if form.re is _JOINED else _inserted_columns(text, at)
    listed = _PARAMETERS.search(text, form.end(), end) if columns else None
    found: list[FoundValue] = []
    place = listed.end() if listed else end
    for number in range(max(columns, default=-1) + 1):
        value = _PARAMETER.match(text, place, end)
        if value is None:
            break
        promise = columns.get(number)
        kind = "value" if value["value"] is not None else "bare"
        if promise and values.secretive(value[kind], promise.level, quoted=True):
            found.append((*value.span(kind), promise.type, PLAIN))
        if value["end"] != ",":
            break
        place = value.end()
    return Below(found, place if found else at, READING_COST)


def _bound_columns(text: str, at: int, form: Match[str]) -> dict[int, names.Promise]:
    """The number of the value that is bound to the column around `at`, if that is one of secrets."""
    promise = names.promise(text[neighbours.name_start(text, at) : form.end("end")])
    digits = form["place"].lstrip("$@p:")
    start = line_start(text, at)
    if promise.level < names.TOKEN or start < 0:
        return {}
    if digits.isdigit():
        return {max(int(digits) - (form["place"][:2] != "@p"), 0): promise}
    return {len(_PLACES.findall(text, start, form.start("place"))): promise}


def _inserted_columns(text: str, at: int) -> dict[int, names.Promise]:
    """The columns of secrets in the list before `VALUES`."""
    close = text.rfind(")", max(0, at - LONGEST_LIST), at)
    opening = text.rfind("(", max(0, at - LONGEST_LIST), max(close, 0))
    if opening < 0 or text[close + 1 : at].strip():
        return {}
    promised = enumerate(names.promise(name.strip(' \t`"[]')) for name in text[opening + 1 : close].split(","))
    return {number: promise for number, promise in promised if promise.level >= names.TOKEN}


def _under_headings(view: Window, at: int, head: Match[str]) -> Below | None:
    """What stands in the columns of secrets, at one edge with their heading, down to an empty line."""
    cells = list(_CELL.finditer(head[0]))
    columns = [SecretColumn(*cell.span(), names.promise(cell[0])) for cell in cells]
    columns = [column for column in columns if column.promise.level >= names.TOKEN]
    if (
        len(cells) == 1
        or _goes_on_list(view.text, at, head.start(), cells)
        or any(values.says_nothing(cell[0]) or _STATE.match(cell[0]) for cell in cells)
    ):
        columns = []  # a line with a value is no heading
    found: list[FoundValue] = []
    text, cost = view.text, 2 * READING_COST
    start = min(head.end() + 1, view.end)
    for _ in range(MOST_ROWS if columns else 0):
        line = view.line(start)
        if line is None:
            return None
        row = text[start : line[0]]
        if not row.strip():
            break
        cost += 1
        for column in columns if not _RULER.match(row) else ():
            cell = _cell_at(row, column)
            cost += READING_COST // 4
            if cell and _is_secret(row[slice(*cell)], column.promise.level):
                found.append((start + cell[0], start + cell[1], column.promise.type, PLAIN))
        start = line[1]
    return Below(found, min(start, view.end), cost)


def _goes_on_list(text: str, at: int, start: int, cells: list[Match[str]]) -> bool:
    """Whether the words of a line stand right below those of another, as in a list of names in columns.

    It looks no further than a stream remembers.
    """
    lowest = max(0, at - MAX_LOOKBEHIND)
    begin = text.rfind("\n", lowest, max(start - 1, lowest)) + 1
    if start < 1 or (lowest and not begin):
        return False
    above = text[begin : start - 1]
    starts = [cell.start() for cell in cells]
    return all(above[at : at + 1].strip() and not above[:at][-1:].strip() for at in starts)


def _is_secret(value: str, level: int) -> bool:
    """Whether a cell is a secret, and not the name of one, as in a list of names and values."""
    return values.secretive(value, level, quoted=True) and not names.promise(value).level


def _cell_at(row: str, column: SecretColumn) -> tuple[int, int] | None:
    """Where the word begins and ends that begins or ends where the heading does."""
    start, end = column.start, column.end
    if row[start : start + 1].strip() and (not start or row[start - 1] == " "):
        word = _WORD.match(row, start)
        return word.span() if word else None
    if row[end - 1 : end].strip() and not row[end : end + 1].strip():
        return row.rfind(" ", 0, end) + 1, end
    words = [word.span() for word in _WORD.finditer(row) if word.start() < end and word.end() > start]
    return words[0] if len(words) == 1 and words[0][1] - words[0][0] > end - start else None  # wider than its heading
