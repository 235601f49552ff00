r"""Secrets in disguise: read in the text as it is meant, and found in the text as it came.

A token may have terminal codes or characters inside it that nobody sees, or be written in the escapes of JSON, HTML
or an address. Lines with such codes are decoded into a shadow, the shadow is read by the rules that read every text,
and what is found there is hidden where it came from. Most texts have no codes: `find_codes` says so at the price of
a few searches for one character each.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, chain, islice
from operator import add, itemgetter, le

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import assignments
from overspill.redact.hits import (
    ASSIGNMENT,
    BENEATH,
    CLEAR_COST,
    CODES_COST,
    CROWD,
    DECODING,
    MAX_LOOKAHEAD,
    NEAR,
    PATTERN_COST,
    PLAIN,
    PROBE_COST,
    RULE_BITS,
    RULE_MASK,
    SHARES,
    UNEXAMINED,
    WHOLE,
    SecretMatch,
    nothing_cost,
    value_cost,
    work_allowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match

    from overspill.redact.hits import FoundValue, Reader, Scanner, WorkBudget

# By the character they begin with: a search for one character costs next to nothing.
_COLOUR = r"\[[0-9;]{0,16}[mK]"
_CODES = {
    "\x1b": r"\x1b(?:\[[0-?]{0,64}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])",
    "\\": r"\\\\{0,7}(?:u(?:00[2-7][0-9A-Fa-f]|001[bB]" + _COLOUR + r"|00[aA][0dD]|200[b-fB-F]|2060|[fF][eE](?:0[0-9a-f"
    r"A-F]|[fF]{2}))|u\{0{0,4}[2-7][0-9A-Fa-f]\}|x[2-7][0-9A-Fa-f]|(?:x1[bB]|033|e)" + _COLOUR + r"|/)",
    "&": r"&(?:amp;){0,3}(?:#0{0,5}(?:3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-6])(?![0-9]);?|#[xX]0{0,5}[2-7][0-9A-Fa-f]"
    r"(?![0-9A-Fa-f]);?|#(?:160|8203|8204|8205|8288|173);|#[xX](?:[aA]0|[aA][dD]|200[bBcCdD]|2060);|(?:quot|apos|amp|lt"
    r"|gt|nbsp|equals|colon|sol|num|excl|dollar|percnt|lpar|rpar|ast|plus|comma|period|semi|quest|commat|lsqb|lbrack"
    r"|rsqb|rbrack|Hat|lowbar|UnderBar|grave|lcub|lbrace|rcub|rbrace|vert|verbar|bsol|shy|ZeroWidthSpace|zwj|zwnj);)",
    "%": r"%(?:25){0,3}[2-7][0-9A-Fa-f]",
    "<": r"<U\+(?:00AD|034F|061C|115F|1160|180[B-F]|200[B-F]|202[A-E]|206[0-9A-F]|FE0[0-9A-F]|FEFF|E0[01][0-9A-F]{2})>",
}
_EMPTY = "\x1b<"  # what begins so stands for nothing
_ENTITIES = {
    "quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "equals": "=", "colon": ":", "sol": "/",
    "num": "#", "excl": "!", "dollar": "$", "percnt": "%", "lpar": "(", "rpar": ")", "ast": "*", "plus": "+",
    "comma": ",", "period": ".", "semi": ";", "quest": "?", "commat": "@", "lsqb": "[", "lbrack": "[", "rsqb": "]",
    "rbrack": "]", "Hat": "^", "lowbar": "_", "UnderBar": "_", "grave": "`", "lcub": "{", "lbrace": "{", "rcub": "}",
    "rbrace": "}", "vert": "|", "verbar": "|", "bsol": "\\",
}  # fmt: skip

# Nobody sees them; then blanks of any width, and full-width letters. In UTF-8, by their first byte, for a quick search.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_BLANK = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_WIDE = "\uff01-\uff5e"
_BEYOND = f"[{_UNSEEN}]{{1,4096}}|[{_BLANK}{_WIDE}]"
_BY_FIRST_BYTE = {
    b"\xc2": rb"\xc2[\xa0\xad]",
    b"\xcd": rb"\xcd\x8f",
    b"\xd8": rb"\xd8\x9c",
    b"\xe1": rb"\xe1(?:\x85[\x9f\xa0]|\x9a\x80|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])",
    b"\xe2": rb"\xe2(?:\x80[\x80-\x8f\xaa-\xaf]|\x81[\x9f-\xaf])",
    b"\xe3": rb"\xe3(?:\x80\x80|\x85\xa4)",
    b"\xef": rb"\xef(?:\xb8[\x80-\x8f]|\xbb\xbf|\xbc[\x90-\xbf]|\xbd[\x80-\x9e]|\xbe\xa0)",
    b"\xf3": rb"\xf3\xa0[\x80-\xbf]",
}

RUN_PER_COST = 32  # characters of a run, for the cost of one
CODES_AT_ONCE = 64  # codes that are charged together

Code = tuple[int, int, str]
"""Where something stands that means something else: start, end, and what it means."""


class ScanOutcome(NamedTuple):
    """What was found, what that has cost, and where the line begins that would have cost too much, or -1.

    `charges` are places in the text and what was paid there: it counts against what may be read after them.
    """

    matches: list[SecretMatch]
    cost: int
    charges: list[tuple[int, int]]
    stopped: int = -1


def find_codes(text: str, start: int, end: int) -> list[Code]:
    r"""Codes in a stretch, in order, with what they mean; those that nobody sees mean nothing.

    >>> find_codes(r"a%3Db\u003d&quot;\x1b[1m", 0, 99)
    [(1, 4, '='), (5, 11, '='), (11, 17, '"'), (17, 24, '')]
    """
    found: list[Code] = []
    said = _meanings.get
    for first, pattern in _CODES.items():
        if text.find(first, start, end) < 0:
            continue
        codes = compile_pattern(pattern).finditer(text, start, end)
        if first in _EMPTY:
            found += [(*code.span(), "") for code in codes]
        else:
            found += [(*code.span(), said(code[0]) or _meaning(code[0])) for code in codes]
    if not text.isascii() and _has_beyond(text[start:end]):
        found += [(*code.span(), said(code[0]) or _folded(code[0])) for code in _beyond(text, start, end)]
    found.sort()
    return found


def _beyond(text: str, start: int, end: int) -> Iterator[Match[str]]:
    """Letters beyond ASCII that stand for something else. A line without any is passed over at once."""
    finder = compile_pattern(_BEYOND)
    for line in text[start:end].split("\n"):
        if not line.isascii():
            yield from finder.finditer(text, start, start + len(line))
        start += len(line) + 1


_meanings: dict[str, str] = {}  # of codes that came before: a text full of them has few different ones
_MOST_MEANINGS = 4096


def _remembered(code: str, meaning: str) -> str:
    if len(_meanings) < _MOST_MEANINGS:
        _meanings[code] = meaning
    return meaning


def charge_codes(codes: list[Code], seen: int, so_far: tuple[int, int]) -> tuple[list[tuple[int, int]], int]:
    """What decoding costs, by places, after so many codes; and the place of the first that is too many, or -1.

    `so_far`: how many characters came before the text, and what decoding has cost.
    """
    base, cost = so_far
    charges: list[tuple[int, int]] = []
    for number in range(-seen % CODES_AT_ONCE, len(codes), CODES_AT_ONCE):
        place = codes[number][0]
        cost += CODES_COST
        if cost > work_allowed(base + place) * SHARES[DECODING] // WHOLE:
            return charges, place
        charges.append((place, CODES_COST))
    return charges, -1


def _has_beyond(piece: str) -> bool:
    if piece.isascii():
        return False
    data = piece.encode("utf-8", "surrogatepass")
    return any(
        first in data and compile_pattern(pattern).search(data) is not None for first, pattern in _BY_FIRST_BYTE.items()
    )


def _folded(letters: str) -> str:
    r"""What a letter beyond ASCII stands for: a blank, its narrow form, or nothing.

    >>> _folded("\uff1a"), _folded("\u00a0"), _folded("\u200b")
    (':', ' ', '')
    """
    if letters.isspace():
        return " "
    return _remembered(letters, chr(ord(letters) - 0xFEE0)) if "\uff01" <= letters <= "\uff5e" else ""


def _meaning(code: str) -> str:
    """What a code of ASCII stands for."""
    match code[0]:
        case "%":
            return _remembered(code, chr(int(code[-2:], 16)))
        case "\\":
            return _remembered(code, _escaped_letter(code.lstrip("\\")))
        case "&":
            return _remembered(code, _entity(code.replace("&amp;", "&").replace("amp;#", "#").strip("&;")))
    return ""


def _entity(name: str) -> str:
    if name.startswith("#"):
        number = name[1:].lower()
        return _letter(int(number.lstrip("x"), 16 if number[0] == "x" else 10))
    return _ENTITIES.get(name.rpartition(";")[2], "")


def _escaped_letter(code: str) -> str:
    if code == "/":
        return code
    return "" if code[-1] in "mK" else _letter(int(code[1:].strip("{}"), 16))


def _letter(number: int) -> str:
    letter = chr(number)
    return letter if letter.isascii() else " " * letter.isspace()


def find_drawn(scanner: Scanner, text: str) -> list[SecretMatch]:
    """What is found in lines that a screen will draw, as they are and decoded, with the name that tells it.

    Each line is read by itself: what is found in one must not depend on how many of them came at once.
    """
    places = [hit >> RULE_BITS for hit in scanner.hits(text, 0, len(text)) if hit & RULE_MASK < NEAR]
    places += (match[0] for match in scanner.literals(text, 0, len(text)))
    places += (code[0] for code in find_codes(text, 0, len(text)))
    found: list[SecretMatch] = []
    line_end = 0
    for place in sorted(places):
        if place >= line_end:
            start = text.rfind("\n", 0, place) + 1
            line_end = text.find("\n", place) + 1 or len(text)
            drawn = _drawn_in(scanner, text[start:line_end])
            found += ((first + start, last + start, rule, kind, form) for first, last, rule, kind, form in drawn)
    return found


def _drawn_in(scanner: Scanner, line: str) -> list[SecretMatch]:
    whole = 0, len(line)
    found: list[SecretMatch] = []
    codes = find_codes(line, *whole)
    for read in ([], codes) if codes else ([],):
        looked = scan_decoded(scanner, line, whole, read, (0, 0))
        found += looked.matches
        if looked.stopped >= 0:
            rest = compile_pattern(_SHOWN).finditer(line, looked.stopped)
            found += [(*run.span(), 0, UNEXAMINED, 0) for run in rest]
    return sorted((_name_start(line, start, rule), end, rule, kind, form) for start, end, rule, kind, form in found)


_SHOWN = r"[^\x00-\x1f]+"


def _name_start(text: str, start: int, rule: int) -> int:
    """Where the name before a value begins, which might be written over without it."""
    name = None if is_token(rule) else compile_pattern(_NAME).search(text, max(0, start - 132), start)
    return name.start() if name else start


def scan_beneath(
    scanner: Scanner, text: str, stretch: tuple[int, int], so_far: tuple[int, int], spent: WorkBudget
) -> tuple[ScanOutcome, int]:
    """What is found in a stretch once its codes are decoded, and how many were seen by now.

    `so_far`: how many characters came before the text, and how many codes were seen in them.
    """
    base, seen = so_far
    codes = find_codes(text, *stretch)
    charges, full = charge_codes(codes, seen, (base, spent.ahead[DECODING])) if codes else ([], -1)
    spent.owe(DECODING, [(place + base, paid) for place, paid in charges])
    seen += len(codes)
    if full >= 0:
        stretch = stretch[0], max(stretch[0], text.rfind("\n", stretch[0], full) + 1)
        codes = [code for code in codes if code[0] < stretch[1]]
    if not codes:
        return ScanOutcome([], 0, [], full), seen
    # Of its own, because it is read a stretch at a time: what it costs must not depend on the pieces.
    looked = scan_decoded(scanner, text, stretch, codes, (base, spent.ahead[BENEATH]))
    return looked if looked.stopped >= 0 else looked._replace(stopped=full), seen


def scan_decoded(
    scanner: Scanner, text: str, stretch: tuple[int, int], codes: list[Code], so_far: tuple[int, int]
) -> ScanOutcome:
    """What is found in the lines of a stretch once their codes are decoded. Private keys over many lines are not.

    `so_far`: how many characters came before the text, and what reading them has cost.
    """
    shadow = Shadow(text, stretch, codes)
    # What is near a word is looked for in the text itself; between others, words would end every run of them.
    hits = [hit for hit in scanner.hits(shadow.text, 0, len(shadow.text)) if hit & RULE_MASK < NEAR]
    matches = shadow.matches_of([*scanner.literals(shadow.text, 0, len(shadow.text))])
    if not hits:
        return ScanOutcome(matches, 0, [])
    hits.reverse()
    outcome = Reading(scanner, shadow).read(hits, so_far)
    return outcome._replace(matches=matches + outcome.matches)


class Shadow:
    """The lines of a stretch in which codes stand, decoded; and where each character of it came from."""

    def __init__(self, text: str, stretch: tuple[int, int], codes: list[Code]) -> None:
        self._start = stretch[0]
        # Where there is no code the shadow is the text.
        skipped, end = _skipped_lines(text, stretch, [code[0] for code in codes]) if codes else ([], stretch[1])
        codes = _apart(sorted(codes + skipped) if skipped else codes)
        self._from: list[int] = [*map(_START, codes)]
        self._upto: list[int] = [*map(_END, codes)]
        meanings: list[str] = [*map(_MEANING, codes)]
        plain = [text[a:b] for a, b in zip([self._start, *self._upto], [*self._from, end], strict=True)]
        self.text = "".join(chain.from_iterable(zip(plain, [*meanings, ""], strict=True)))
        self._length = [*map(len, meanings)]  # of what each code means
        steps = map(add, map(len, plain), [0, *self._length])
        self._at = [*accumulate(islice(steps, len(codes)))]  # where that stands in the shadow

    def matches_of(self, found: list[SecretMatch]) -> list[SecretMatch]:
        """Finds in the shadow as finds in the text."""
        return [
            (self.start_of(first), self.end_of(last), rule, kind, form)
            for first, last, rule, kind, form in found
            if kind
        ]

    def start_of(self, place: int) -> int:
        """Where what stands at a place of the shadow begins in the text."""
        index = bisect_right(self._at, place) - 1
        if index < 0:
            return self._start + place
        beyond = place - self._at[index] - self._length[index]
        return self._from[index] if beyond < 0 else self._upto[index] + beyond

    def end_of(self, place: int) -> int:
        """Where what stands before a place of the shadow ends in the text."""
        index = bisect_right(self._at, place - 1) - 1
        if index < 0:
            return self._start + place
        beyond = place - 1 - self._at[index] - self._length[index]
        return self._upto[index] if beyond < 0 else self._upto[index] + beyond + 1


def _skipped_lines(text: str, stretch: tuple[int, int], places: list[int]) -> tuple[list[Code], int]:
    """Lines without codes, as codes that mean nothing; and where the last line with one ends."""
    line_end, end = stretch
    skipped: list[Code] = []
    for first in places:
        if first < line_end:
            continue
        line = text.rfind("\n", line_end, first) + 1
        if line > line_end:
            skipped.append((line_end, line, ""))
        line_end = text.find("\n", first, end) + 1 or end
    return skipped, line_end


_START, _END, _MEANING = itemgetter(0), itemgetter(1), itemgetter(2)


def _apart(codes: list[Code]) -> list[Code]:
    """Codes without those that begin inside another one."""
    if all(map(le, map(_END, codes), map(_START, codes[1:]))):
        return codes
    kept = codes[:1]
    for code in codes:
        if code[0] >= kept[-1][1]:
            kept.append(code)
    return kept


class Reading:
    """The reading of one shadow."""

    def __init__(self, scanner: Scanner, shadow: Shadow) -> None:
        self._scanner = scanner
        self._shadow = shadow
        self._bare = shadow.text
        self._matches: list[SecretMatch] = []
        self._charges: list[tuple[int, int]] = []
        self._told: dict[int, int] = {}  # where the last value looked at by each rule began

    def read(self, hits: list[int], so_far: tuple[int, int]) -> ScanOutcome:
        """Read all hits, the last of the list first, until a line would cost too much: it ends what is read."""
        base, begun = so_far
        bare, cost, pause = self._bare, begun, 0
        line_end, limit, place, paid = -1, 0, 0, 0
        while hits:
            at, rule = hits[-1] >> RULE_BITS, hits[-1] & RULE_MASK
            if at > line_end:  # what a line has cost is owed where it begins
                self._charge(place, paid)
                line_end = bare.find("\n", at)
                line_end = line_end if line_end >= 0 else len(bare)
                place, paid = self._shadow.start_of(bare.rfind("\n", 0, at) + 1), 0
                limit = work_allowed(base + place) * SHARES[BENEATH] // WHOLE
            room = limit - cost
            if rule in self._scanner.blocks:
                hits.pop()
            elif room < 1:
                self._add(at, len(bare), rule, UNEXAMINED, 0)
                return ScanOutcome(self._matches, cost - paid - begun, self._charges, place)
            elif rule == ASSIGNMENT and len(hits) > CROWD and not pause:
                most = 1 + (room - 1) // CLEAR_COST
                found, count = assignments.read_run(bare, hits, most, len(bare) << RULE_BITS)
                new = found[1:] if found and self._told.get(ASSIGNMENT) == found[0][0] else found
                cost += CLEAR_COST * len(new)
                for value in new:
                    self._charge(self._shadow.start_of(value[0]), CLEAR_COST)
                self._matches += self._shadow.matches_of(new)
                del hits[len(hits) - count :]
                if found:
                    self._told[ASSIGNMENT] = found[-1][0]
                else:
                    pause = CROWD
            else:
                pause = max(0, pause - 1)
                spent = self._one(hits.pop())
                cost, paid = cost + spent, paid + spent
        self._charge(place, paid)
        return ScanOutcome(self._matches, cost - begun, self._charges)

    def _charge(self, place: int, paid: int) -> None:
        if paid:
            self._charges.append((place, paid))

    def _one(self, hit: int) -> int:
        """Read one hit; get what it cost."""
        at, rule, scanner = hit >> RULE_BITS, hit & RULE_MASK, self._scanner
        reader = scanner.readers[rule] or scanner.reader(rule)
        probe, lead = scanner.probes[rule], scanner.leads[rule]
        if probe is not None and (at < lead or probe(self._bare, at - lead, at + MAX_LOOKAHEAD) is None):
            return PROBE_COST
        found = reader(self._bare, at, at + MAX_LOOKAHEAD)
        cost = 0 if found else nothing_cost(rule)
        for value in found:
            first, last, kind, form = value
            if self._told.get(rule) == first:
                continue
            self._told[rule] = first
            # A long run may be told again by each hit in it.
            cost += value_cost(value, rule) + (last - first) // RUN_PER_COST
            if kind and last > first:
                self._add(first, last, rule, kind, form)
        return cost

    def _add(self, first: int, last: int, rule: int, kind: str, form: int) -> None:
        self._matches.append((self._shadow.start_of(first), self._shadow.end_of(last), rule, kind, form))


_NAME = r"(?:[^\x00-\x20]{1,64}[ \t]{1,4}+)?[^\x00-\x20]{0,64}[ \t]{0,4}\Z"


def is_token(rule: int) -> bool:
    from overspill.redact.rules.credentials import RULES  # where there was a hit it is loaded

    return not 0 <= rule < len(RULES) or RULES[rule].how == "token"


_ENCODED = compile_pattern(r"[A-Za-z0-9+/_-]")
_ENCODED_RUN = compile_pattern(
    r"(?P<hex>(?:[2-7][0-9A-Fa-f]|0[9aAdD]){12}(?:[0-7][0-9A-Fa-f])*+(?![A-Za-z0-9+/=_-]))|[A-Za-z0-9+/_-]{20,}+={0,2}"
)
LONGEST_DECODED = 4096
DECODING_COST = 10  # readings of another kind take as long


def encoded_reader(scanner: Scanner) -> Reader:
    """All of a text in base64 or hex, if something in it is a secret once it is decoded."""

    def read(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        run = _ENCODED.search(text, at, min(stop, at + 2))
        start = run.start() if run else at
        run = _ENCODED_RUN.match(text, start, stop)
        if run is None or (start and _ENCODED.match(text, start - 1)):
            return ()
        decoded = _decoded(run[0][:LONGEST_DECODED], in_hex=run.lastgroup == "hex")
        if decoded is None:
            return ()
        kind, readings = "", 1
        if scanner.hits(decoded, 0, len(decoded)) or any(scanner.literals(decoded, 0, len(decoded))):
            looked = scan_decoded(scanner, text, run.span(), [(*run.span(), decoded)], (0, 0))
            kind = next((found[3] for found in looked.matches if found[3]), "")
            readings = DECODING_COST + looked.cost // PATTERN_COST
        # To decode costs as much as so many readings: each is one of nothing.
        return ((*run.span(), kind, PLAIN), *((start + n, start + n, "", PLAIN) for n in range(1, readings + 1)))

    return read


def _decoded(run: str, *, in_hex: bool) -> str | None:
    """What base64 or hex says, if that can be read.

    >>> _decoded("aHVudGVyMg==", in_hex=False), _decoded("68756e746572", in_hex=True), _decoded("gICA", in_hex=False)
    ('hunter2', 'hunter', None)
    """
    from binascii import a2b_base64, unhexlify  # few texts have such runs

    if in_hex:
        data = unhexlify(run[: len(run) & ~1])
    else:
        body = run.rstrip("=").replace("-", "+").replace("_", "/")
        body = body[:-1] if len(body) % 4 == 1 else body
        data = a2b_base64(body + "=" * (-len(body) % 4))
    if not data.isascii():
        return None
    said = data.decode()
    return said if said.replace("\n", " ").replace("\r", " ").replace("\t", " ").isprintable() else None
