"""Statements and gaps inside documents: JSON, JSON lines and XML. The view is walked beside the text it was made of."""

import json
import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from claims import check_statement
from column_claims import Scope, check_columns, check_elements
from recount import Recount
from statements import read_statements
from telling import is_comment

OMITTED = re.compile(
    r"\[\.\.\. (?P<short>[\d,]+) (?P<things>[^;\]]+)(?:;.*)?\]$"
    r"|(?:\.\.\. )?(?P<number>[\d,]+) (?P<noun>.+?) omitted(?:;.*| \.\.\.)?$|(?P<keys>[\d,]+) keys?(?:;.*)?$",
    re.DOTALL,
)
INSIDE = re.compile(r"(?:\.\.\. \[[\d,]+ chars omitted[^\]]*\] \.\.\.|\[\.\.\. [\d,]+ ch(?:ars?)?(?:;[^\]]*)?\])")
LINES_INSIDE = re.compile(r"(?m)^(?:\.\.\. \[(\d+) lines? omitted(?:;.*)?\] \.\.\.|\[\.\.\. (\d+) lines?(?:;.*)?\])$")
FETCH = re.compile(r"(?:spill |get_artifact|art_|\[art_|not kept)")
PLACE = re.compile(r"(?:^|[\s,])\.\d+")  # of a cell in a row that is a list
BARE = "..."


def _missing(said: str) -> tuple[int, str] | None:
    """How many of what a mark stands for."""
    found = OMITTED.match(said)
    if not found:
        return None
    return int((found["short"] or found["number"] or found["keys"]).replace(",", "")), found["things"] or found[
        "noun"
    ] or "keys"


def false_in_json(counted: Recount, view: str) -> list[str] | None:
    """What is false in a view of a JSON text; None if it is no JSON."""
    try:
        shown, whole = json.loads(view), json.loads(counted.text)
    except (ValueError, RecursionError):
        return false_in_lines(counted, view)
    return [*_value(counted, whole, shown, "$"), *_false_cuts(counted.text, view)]


def _value(counted: Recount, whole: object, shown: object, at: str) -> Iterator[str]:
    if isinstance(whole, list) and isinstance(shown, list):
        yield from _items(counted, whole, shown, at)
    elif isinstance(whole, dict) and isinstance(shown, dict):
        yield from _pairs(counted, whole, shown, at)
    elif isinstance(whole, str) and isinstance(shown, str):
        yield from _string(counted, whole, shown, at)
    elif isinstance(shown, str) and _missing(shown):
        yield from _count(shown, whole, at)
    elif isinstance(whole, dict | list) and (own := _own_strings(shown)):
        for said in own:
            if _missing(said):
                yield from _count(said, whole, at)
            else:
                yield from _own_words(counted, said, at, _scope_of(whole))
    elif whole != shown:
        yield f"{at}: {str(shown)[:80]!r} is not what stands there"


def _string(counted: Recount, whole: str, shown: str, at: str) -> Iterator[str]:
    if whole != shown and (inner := _both_documents(whole, shown)):
        yield from _value(Recount(whole), *inner, at)
    elif whole != shown and _is_cut_text(whole, shown):
        yield from (f"{at}: {why}" for why in _false_in_text(whole, shown))
    elif whole != shown and not _is_cut(whole, shown):
        yield from _own_words(counted, shown, at)


def _own_strings(shown: object) -> list[str]:
    """Marks and statements in the place of a value; nothing if it is something else."""
    found = shown if isinstance(shown, list) else [shown]
    return [str(one) for one in found] if all(isinstance(one, str) for one in found) else []


def _scope_of(whole: object) -> Scope:
    """What a statement inside a list or an object speaks of."""
    if isinstance(whole, dict):
        return Scope(list(whole.values()), tuple(map(str, whole)))
    return Scope(whole if isinstance(whole, list) else [whole])


def _by_place(scope: Scope, words: str) -> Scope:
    """The rows with their cells by place, where a statement names places: `.2: a 3, b 9`."""
    if not PLACE.search(words):
        return scope
    cells = [{f".{at}": one for at, one in enumerate(row)} if isinstance(row, list) else row for row in scope.rows]
    return scope._replace(rows=cells)


def _own_words(counted: Recount, said: str, at: str, scope: Scope | None = None) -> Iterator[str]:
    """A string that the text does not have: a mark, the call that fetches more, or statements."""
    if _missing(said) or FETCH.match(said) or said == BARE:
        return
    if said.startswith(f"{BARE} ") and said.endswith(f" {BARE}"):
        yield from _older_note(counted, said, at)
        return
    if not said.strip().startswith("["):
        yield f"{at}: {said[:80]!r} is not what stands there"
        return
    # In the place of a value they stand in one string, and behind them the call that fetches it.
    parted = re.sub(r"\](?:; (?:spill |get_artifact)[^\n]*)?$", "]", said.strip()).replace("]; [", "]\n[")
    read = list(read_statements(parted.split("\n")))
    if not read:
        yield f"{at}: {said[:80]!r} cannot be read"
    for one in read:
        why = check_columns(_by_place(scope, one.words), one.words) if scope is not None else None
        if why is None:
            why = check_statement(counted, one.words)
        if why:
            yield f"{at}: [{one.words[:160]}]: {why}"


def _older_note(counted: Recount, said: str, at: str) -> Iterator[str]:
    """`... when: "call", "setup" ...`: the values of a member, or the shape of the elements."""
    for value in re.findall(r'(?<=[ ,:])"((?:[^"\\]|\\.)*)"', said):
        if value not in counted.text:
            yield f"{at}: the text has no {value!r}"


def _count(said: str, whole: object, at: str) -> Iterator[str]:
    number, _ = _missing(said) or (0, "")
    spelt = len(json.dumps(whole))
    if isinstance(whole, list | dict | str) and number not in {len(whole), spelt, spelt - 2, len(str(whole))}:
        yield f"{at}: {said[:80]!r}: there are {len(whole)}"


def _is_own(said: object, whole: list[object]) -> bool:
    if not isinstance(said, str) or said in whole:
        return False
    return bool(said.startswith((BARE, "[")) or FETCH.match(said))


OF_ONE: dict[str, type] = {"key": dict, "char": str}  # what an element is that a mark counts what is in


def _items(counted: Recount, whole: list[object], shown: list[object], at: str) -> Iterator[str]:
    """Elements in order, and marks whose counts are what is missing between them."""
    place, unknown, maybe = 0, False, 0
    for number, one in enumerate(shown):
        if _is_own(one, whole):
            said = str(one)
            found = _missing(said)
            if found and place < len(whole) and isinstance(whole[place], OF_ONE.get(found[1].rstrip("s"), ())):
                yield from _count(said, whole[place], f"{at}[{place}]")  # one object or text, left empty
                place += 1
            elif found:
                place += found[0]
            elif said == BARE:
                unknown = True
            else:
                lies = list(_own_words(counted, said, f"{at}[{number}]", _scope_of(whole)))
                # What is true of all rows is true of a single one, in whose place it may stand.
                of_keys = re.match(r"\[\d+ keys: ", said) is not None
                stands = (of_keys or bool(lies)) and _stands_for(counted, whole[place : place + 1], said)
                instead = bool(lies) and stands
                place += instead
                maybe += stands and not instead
                yield from () if instead else lies
            continue
        if unknown:
            place = next((later for later in range(place, len(whole)) if _alike(whole[later], one)), len(whole))
            unknown = False
        if place >= len(whole):
            yield f"{at}[{number}]: more is shown or said to be missing than there is ({len(whole)})"
            return
        if not _alike(whole[place], one):
            yield f"{at}[{number}]: this is not element {place}"
            return
        yield from _value(counted, whole[place], one, f"{at}[{place}]")
        place += 1
    if not place <= len(whole) <= place + maybe and not unknown:
        yield f"{at}: {place} elements are shown or said to be missing, there are {len(whole)}"


def _stands_for(counted: Recount, element: list[object], said: str) -> bool:
    """Whether statements stand in the place of the next element, and are true of it."""
    return any(isinstance(one, dict | list) for one in element) and not any(
        _own_words(counted, said, "", _scope_of(element[0]))
    )


def _alike(whole: object, shown: object) -> bool:
    """Whether one can be the view of the other, looking no deeper than needed to tell neighbours apart."""
    if isinstance(whole, dict) and isinstance(shown, dict):
        same = [key for key in shown if key in whole]
        return all(_alike(whole[key], shown[key]) for key in same) and (
            bool(same) or not whole or not shown or BARE in shown
        )
    if isinstance(whole, list) and isinstance(shown, list):
        return True
    if isinstance(shown, str) and isinstance(whole, str):
        cut = _is_cut(whole, shown) or _is_cut_text(whole, shown) or _both_documents(whole, shown) is not None
        return whole == shown or cut or shown.startswith((BARE, "["))
    if isinstance(shown, str) and isinstance(whole, dict | list):
        return shown.startswith((BARE, "["))
    return whole == shown


def _is_cut(whole: str, shown: str) -> bool:
    """Whether a string was shortened; by how much is measured where the text spells it."""
    pieces = INSIDE.split(shown)
    at = 0
    for piece in pieces:
        at = whole.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(pieces) > 1 and whole.startswith(pieces[0]) and whole.endswith(pieces[-1])


def _is_cut_text(whole: str, shown: str) -> bool:
    """Whether a string is a text of which lines are left out: of those that are shown, one stands in it."""
    lines = {*whole.split("\n")}
    return LINES_INSIDE.search(shown) is not None and any(line in lines for line in shown.split("\n"))


def _both_documents(whole: str, shown: str) -> tuple[object, object] | None:
    """What two strings say that are JSON themselves."""
    if whole[:1] not in ("{", "[") or shown[:1] != whole[:1]:
        return None
    try:
        return json.loads(whole), json.loads(shown)
    except (ValueError, RecursionError):
        return None


def _false_in_text(whole: str, shown: str) -> list[str]:
    """What is false of a text in a string, which is a view of that text."""
    from truth import false_statements  # which asks for this module itself

    return false_statements(whole, LINES_INSIDE.sub(lambda found: f"[... {found[1] or found[2]} lines]", shown))


def _pairs(counted: Recount, whole: dict[str, object], shown: dict[str, object], at: str) -> Iterator[str]:
    missing = 0
    unknown = False
    for key, one in shown.items():
        if key in whole:
            yield from _value(counted, whole[key], one, f"{at}.{key}")
            continue
        if not key.startswith(BARE) or not _own_strings(one):
            yield f"{at}: there is no key {key!r}"
            continue
        for said in _own_strings(one):
            found = _missing(said)
            if found:
                missing += found[0]
            elif said == BARE:
                unknown = True
            else:
                yield from _own_words(counted, said, f"{at}.{key}", _scope_of(whole))
    left = sum(key not in shown for key in whole)
    if missing != left and not unknown:
        yield f"{at}: {left} keys are missing, {missing} said"


def false_in_lines(counted: Recount, view: str) -> list[str] | None:
    """What is false in a view of JSON lines, or of values that stand below each other; None if it is none."""
    try:
        whole, shown = _values_below(counted.text), _values_below(view)
    except (ValueError, RecursionError):
        return None
    return [*_items(counted, whole, shown, "$"), *_false_cuts(counted.text, view)]


BLANKS = re.compile(r"\s*")


def past_blanks(text: str, at: int) -> int:
    """Where the next word begins."""
    found = BLANKS.match(text, at)
    return found.end() if found else at


def _values_below(text: str) -> list[object]:
    """The values in a text with nothing but blanks between them."""
    decoder, found, at = json.JSONDecoder(), list[object](), past_blanks(text, 0)
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at = past_blanks(text, at)
    return found


def false_in_xml(counted: Recount, view: str) -> list[str] | None:
    """What is false in a view of an XML text; None if it is no XML."""
    try:
        shown = ET.fromstring(view, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
        whole = ET.fromstring(counted.text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    except (ET.ParseError, ValueError):
        return None
    return [*_element(counted, whole, shown, str(whole.tag)), *_false_cuts(counted.text, view)]


CUT = re.compile(
    r"(?P<before>[^\n\"<>]{0,24})"
    r"(?:\.\.\. \[(?P<inside>[\d,]+) chars omitted[^\]]*\] \.\.\.|<!-- \.\.\. (?P<text>[\d,]+) chars omitted.*? -->"
    r"|<!-- \[\.\.\. (?P<few>[\d,]+) chars?\] -->|\[\.\.\. (?P<short>[\d,]+) ch(?:ars?)?(?:;[^\]]*)?\])"
    r"(?P<after>[^\n\"<>]{0,24})"
)


def _false_cuts(text: str, view: str) -> Iterator[str]:
    """Marks inside strings: so many characters further on, as the text spells them, goes on what stands behind one."""
    for found in CUT.finditer(view):
        chars = int((found["inside"] or found["text"] or found["few"] or found["short"]).replace(",", ""))
        after = re.split(r"\.\.\. \[|<!--|\[\.\.\. ", found["after"])[0]
        before = re.split(r"\] \.\.\.|ch(?:ars?)?\]", found["before"])[-1]
        if not _stands_apart(text, before, chars, after):
            yield f"{found[0][:120]!r}: another number of characters is missing here"


def _stands_apart(text: str, before: str, chars: int, after: str) -> bool:
    at = text.find(before)
    while at >= 0:
        if text.startswith(after, at + len(before) + chars):
            return True
        at = text.find(before, at + 1)
    return False


def _element(counted: Recount, whole: "ET.Element", shown: "ET.Element", at: str) -> Iterator[str]:
    if whole.tag != shown.tag:
        yield f"{at}: {shown.tag} is not what stands there"
        return
    for name, value in shown.attrib.items():
        known = whole.attrib.get(name)
        if known is None or (known != value and not _is_cut(known, value)):
            yield f"{at}: {name}={value[:60]!r} is not what stands there"
    yield from _children(counted, [child for child in whole if not is_comment(child)], shown, at)


def _children(counted: Recount, whole: list["ET.Element"], shown: "ET.Element", at: str) -> Iterator[str]:
    """Elements in order, and comments whose counts are what is missing between them."""
    place = 0
    for child in shown:
        if is_comment(child):
            missing, lies = _comment(counted, child.text or "")
            place += missing
            yield from (f"{at}: {one}" for one in lies)
        elif place >= len(whole):
            yield f"{at}: more is shown or said to be missing than there is ({len(whole)})"
            return
        elif whole[place].tag != child.tag:
            yield f"{at}: {child.tag} is not child {place}"
            return
        else:
            yield from _element(counted, whole[place], child, f"{at}/{child.tag}[{place}]")
            place += 1
    if place != len(whole):
        yield f"{at}: {place} children are shown or said to be missing, there are {len(whole)}"


def _comment(counted: Recount, said: str) -> tuple[int, list[str]]:
    """How many elements a comment stands for, and what is false in it."""
    found = _missing(said.strip())
    if found:
        return (0 if found[1] in {"char", "chars", "ch", "characters", "bytes"} else found[0]), []
    if not said.strip().startswith("["):
        return 0, []
    lies = []
    for one in read_statements(said.strip().split("\n")):
        # Two dashes may not stand in a comment.
        why = _false_of_elements(counted, one.words) and _false_of_elements(counted, one.words.replace("- -", "--"))
        lies += [f"[{one.words[:160]}]: {why}"] if why else []
    return 0, lies


def _false_of_elements(counted: Recount, words: str) -> str:
    why = check_elements(counted.root, words) if counted.root is not None else None
    return check_statement(counted, words) if why is None else why
