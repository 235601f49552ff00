r"""Values that stand near a word for secrets, in whatever form: on its line, or on the lines below.

    Task accounts.reset_password[8f14] received: ('jo', '...')        my ($user, $password) = qw(jo ...);
    sqlite> select password from users where name = 'jo';             It's ..., the root password, I mean.
    ...

No form tells these values, and so nothing is hidden but what was plainly drawn: letters of both cases and digits in an
order that no word, name or number has, and that are no digest and no id. Near a word for passwords eight such
characters are enough, near one for tokens twenty.

A mark has another length than what it hides. So no word reaches past a mark: all that is near a word in a redacted text
was as near before, and nothing more is found in it.
"""

from __future__ import annotations

from _bisect import bisect_left
from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import names, values
from overspill.redact.hits import (
    MARK,
    NEAR,
    PLAIN,
    RULE_BITS,
    WHOLE,
    Hit,
    SecretMatch,
    work_allowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

BACK = 200  # characters before a word in which its value may begin, on its line
CANDIDATE_COST = 3  # words cost as much as one value
SHARE = 1  # sixteenths of what all reading may cost, for each kind
CELL_BITS = 11
SOON = 200  # a word as near to one that reaches far, on its line or the next, begins in what that one reaches
LONGEST_NAME = 48
LONGEST = 200  # characters of a value

_SHORT = (
    r"(?<![A-Za-z])[Pp]ass(?![A-Za-z]|[ \t]*+(?:\#|\r?\n|\Z))|(?<=[a-z])Pass(?![a-z])|(?<=[A-Z_])PASS(?![A-Za-z])"
    r"|(?<![A-Za-z])[Pp][Ww](?![A-Za-z])|(?<=[A-Z_])PW(?![A-Za-z])|(?<=[a-z])P[wW](?![a-z])"
    r"|(?<![A-Za-z])(?:AUTH(?![A-Za-z_ ])|(?i:creds?)(?![A-Za-z]))"
)
# What a word at a hit is: one for passwords, whose value may stand some lines below, or one for who logs in.
# The last of the first is how a server asks for a password in base64.
_PASSWORD_WORD = compile_pattern(
    rf"""(?x) (?P<far> (?i:passw(?:or|d)|pass(?:phrase|code)|pwd|credential|secret|identified[ ]by
      |basic[_-]?auth|(?:plain|clear)[_-]?text|\{{plain\}}|senha|contrase(?:ña|na)|wachtwoord|kennwort|mot[ ]de[ ]passe
      |hasło|lösenord|salasana|adgangskode|heslo|jelszó|parola|(?<=ş)ifre|(?<=п)ароль|密码|密碼|口令|パスワード|비밀번호)
      |UGFzc3dvcmQ6|{_SHORT} )
    | (?P<close> (?i:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|(?<![a-z0-9])psk|(?:create|add)[ _-]?user
      |user[ _-]?(?:create|add))(?![a-z])
      |(?i:auth(?:[^o]|ori|\b)|connect|(?<![a-z])(?:s?ftp|ldap|smtp|imap|ssh|wi-?fi|wlan|ssid|pdo|jdbc|odbc|mysql)
      |postgres|sshpass|vault) )"""
)
_TOKEN_WORD = compile_pattern(
    r"""(?xi) (?P<far> token|api[ _-]?key|access[ _-]?key|bearer|ticket )
    | (?P<close> (?:key|auth|session)(?![a-z]) )"""
)
# Past words and numbers, which are no secrets, to what has letters and digits in it, or letters of both cases.
_NEXT = compile_pattern(r"(?:(?:[A-Z]?[a-z]++|[A-Z]++|[0-9]++)?+[^A-Za-z0-9]++)*+(?:([A-Za-z0-9]++)|\Z)")
# What may not stand right before a value: it would be a part of it, or of a path. An escape may. Usual names tell their
# values by themselves.
_LEFT = compile_pattern(
    r"(?:(?<![A-Za-z0-9_./\\@+~%$#-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
    r"(?<!password=)(?<!passwd=)(?<!secret=)(?<!token=)(?<!PASSWORD=)(?<!SECRET=)(?<!TOKEN=)(?<!password: )"
    r"(?<!password\":\")(?<!password\": \")(?<!token\":\")(?<!token\": \")(?<!secret\":\")(?<!secret\": \")"
)
_RIGHT = compile_pattern(
    r"""(?![A-Za-z0-9_/(~+$]|[ \t]{0,4}=(?!=)|\\(?![nrt"'])|[.-][A-Za-z0-9]|@(?:[\w-]+\.|https?:)|\.\."""
    r"""|["'][ ]\|[ ]["'])"""
)
_JOINTS = frozenset("+/_-")
_CODED = compile_pattern(r"[+/_-]*+([A-Za-z0-9][A-Za-z0-9+/_-]{19,199}+={0,2})")
_CODE = compile_pattern(r"[A-Za-z0-9+/_-]{0,200}+")
SHORTEST, SHORTEST_CODE = values.SHORTEST_TOKEN, 20
LONGEST_MARK = 40
_MARK_BEFORE = compile_pattern(r"REDACTED(?:: |_)[A-Z0-9_]*\Z")
# What says before a value that it is something else: the name of an id, or one word.
_NAMED = compile_pattern(
    r"""(?P<name>(?:[A-Za-z]{1,20}[ ])?[A-Za-z][\w.-]{0,40}+)"""
    r"""["'`\])]{0,3}+[ \t]{0,4}+(?:=>|[:=]{1,2}+)[ \t]{0,4}+["'`(\[{<]{0,3}+\Z"""
)
_ID = compile_pattern(
    r"(?i)(?:^|[_.-]|(?<=[a-z])(?=[A-Z]))(?:u?id|uuid|guid|hash|digest|(?:check)?sum|sha[0-9]*|md5|e?tag|trace|span|commit"
    r"|rev(?:ision)?|version|build|user(?:name)?|host(?:name)?|node|pod|file(?:name)?|path|cursor|nonce|fingerprint"
    r"|serial|jti|kid|ref|name|email|url|uri|sub|class|type|color|colour|icon|src|href|data|mac|integrity|etag|i?v)\Z"
)
_SECRET_ID = compile_pattern(r"(?i)secret[ _-]?id\Z")
_SPEAKS = compile_pattern(r"(?i)token|key|pass|secret|pwd")
_WORD_ALONE = compile_pattern(r"(?i)(?:[a-z]+[ ])?key\Z")
_CALLED = compile_pattern(
    r"(?i)(?:^|[^A-Za-z])(?:user|username|account|host|id|ref|commit|job|order|build|request|class|type|version|from"
    r"|import|def|function|struct|ssh-[a-z0-9]{2,10}|sha[0-9]{1,3})[ \t#:]{1,2}[\"'`]?\Z"
)
_OPEN_DATA = compile_pattern(
    r"(?i)public|fingerprint|sha-?[0-9]|integrity|checksum|digest|certificate|\bcerts?\b|pubkey|signature|base64,|\bmd5\b"
    r"|client[ _-]?id|ssh-(?:rsa|ed25519|dss)|ecdsa-|cipher|\bsalt\b|\biv\b"
)
_HEX = compile_pattern(
    r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z|0x[0-9A-Fa-f]+[uUlL]{0,3}\Z|[uU][0-9a-fA-F]{4}(?:[0-9a-fA-F]{4})?\Z"
)
_PARTS = compile_pattern(r"[+/_=-]+")
_JUDGED_BEFORE = 4096

# How much likelier a name takes a step from one character to the next than what was drawn, in bits: measured once, over
# the 68,000 names of several words in 60 MB of sources, headers and manuals. First by the kinds of both, small, capital
# and digit, then by the letters: a row for each, and in it a digit for each that follows, of three quarters of a bit.
_KINDS = {
    "^l": 0.6, "^u": -0.2, "^d": -5.6,
    "ll": 1.0, "lu": -1.5, "ld": -5.3,
    "ul": 1.1, "uu": -2.0, "ud": -4.1,
    "dl": -1.6, "du": -0.4, "dd": 1.8,
}  # fmt: skip
_BEGINNING = "76866665724675671787555402"
_WITHIN = (
    "06770270502878060879533350 91219020770921800651800060 80418008507612930738600040 82169230901610620653511040 "
    "72773540100768244988053640 81108710900602900854600050 60009046700627500775600020 90009000800340800647500030 "
    "54775560000769840588050305 70109100523001810090726000 57239340800406450083500000 84269020900800810067640050 "
    "96329000800561880060400010 70788680604325640089550010 45670440415779670956755210 90149003600700860948610030 "
    "00000100300400000201905000 80559240804354810677540060 60709306804422670089601050 80509107903230840866500160 "
    "66548440600878270889000000 92409100900000600000000000 90048005903328920873000000 40708000707280080059030260 "
    "35505230200788590188003013 70009000401400900020500053 "
)
_CAPITALS = (
    "65645251904464292785324732 68758644724773663586345244 74767754715566781694452302 67657646726638762786256332 "
    "86955626433757473765373674 74654852823942482584423422 67857446724655874486764224 85555634734544463379324233 "
    "55797543635675572786343211 42444424745423533296349434 46949533623553452474355333 84568634626864762479373021 "
    "65976633721965351575434423 64776563533545772898553334 93674735643369763576325211 64756464929563755875553112 "
    "74645686564867566844566464 64756673822964464977352022 74877436513853852598451411 67675544526881681468423234 "
    "43773522932655243967673221 65756744636685272888545333 94557445548683445488445544 77855765622474473878434663 "
    "86765633535865573955335336 74578475576666765665657655 "
)
LETTERS, ROW, BITS, NO_BITS = "abcdefghijklmnopqrstuvwxyz", 27, 0.75, 6
ONE_CASE_ANYWAY, ONE_CASE_EACH = 6.0, -0.78  # letters of one case are drawn from fewer, and are seldom drawn
MOST_OF_DRAWN, MOST_OF_CODE = -1.5, -12.0  # bits
# The numbers that names have, and what is called by a few letters where secrets are spoken of: for each character so
# many bits more.
_USUAL = compile_pattern(
    r"(?<![0-9])(?:2|1[26]|32|64|86|128|160|192|224|256|384|509|512|521|[12]0[0-9]{2}|4096|8859|25519)(?![0-9])"
    r"|(?i:pbkdf|pkcs|hmac|sha|md5|aes|gcmk?w?|rsa|dsa|jw[tkse]|tls|ssl|ssh|ldap|imap|smtp|http|utf|ipv|mb4|pwd|url|sql|xml)"
)
USUAL_BITS = 2.0


class _StepBits(dict[tuple[str, str], float]):
    """What was measured, by steps. It is put together as steps come up."""

    def __missing__(self, step: tuple[str, str]) -> float:
        first, second = map(_kind, step)
        bits = _KINDS[first + second]
        if second != "d":
            row, column = (LETTERS.find(letter.lower()) for letter in step)
            within = _CAPITALS if first == second == "u" else _WITHIN
            begins = first in "^d" or first + second == "lu"
            bits += BITS * (int(_BEGINNING[column] if begins else within[ROW * row + column]) - NO_BITS)
        self[step] = bits
        return bits


def _kind(character: str) -> str:
    return "d" if character.isdigit() else "l" if character.islower() else "u" if character.isupper() else "^"


_step_bits = _StepBits()


def name_bits(value: str) -> float:
    """How much likelier letters and digits are a name than drawn, in bits.

    >>> [name_bits(text) > 0 for text in ("HtmlPhpLexer", "PK11SlotInfo", "HmacSHA1Key", "Xk29dkLq", "wQzTbvKd")]
    [True, True, True, False, False]
    """
    anyway = USUAL_BITS * sum(map(len, _USUAL.findall(value)))
    if value.islower() or value.isupper():
        value, anyway = value.lower(), anyway + ONE_CASE_ANYWAY + ONE_CASE_EACH * len(value)
    return anyway + sum(map(_step_bits.__getitem__, pairwise(f"^{value}")))


class Reach(NamedTuple):
    """How far from a word its value may begin: lines below its own, and characters."""

    lines: int
    chars: int


_REACH = ({"far": Reach(3, 600), "close": Reach(0, 160)}, {"far": Reach(2, 400), "close": Reach(0, 120)})


class Surroundings:
    """What stands near the words of one kind, for passwords or for tokens, in a text that comes in pieces.

    It may cost a part of what all reading may, from a purse of its own: what it finds is told by nothing else, and a
    text that is full of words is not hidden because they were not all looked at. Whether more may be spent is asked at
    the first word of every cell of the whole text, and paid is where words and values stand: so pieces do not matter.
    """

    def __init__(self, kind: int) -> None:
        self._kind = kind
        self._reach = _REACH[kind]
        self._match = (_TOKEN_WORD if kind else _PASSWORD_WORD).match
        self._area = (0, 0)  # what is to be looked at, in the whole text
        self._rest: tuple[int, int] | None = None  # the last place and the lines left, if more of an area is to come
        self._cell, self._is_open = -1, True
        self._cost = 0  # before this stretch
        self._paid: list[int] = []  # where in this stretch a unit was paid
        self._found: list[SecretMatch] = []
        self._marked = False  # whether a mark stands in a stretch, or near it

    def stop(self, place: int) -> None:
        """Forget what is near a place where reading ends, and all that was seen of the stretch behind it."""
        self._cost += sum(at <= place for at in self._paid)
        self._paid.clear()
        self._area, self._rest, self._cell = (0, 0), None, -1

    def look(self, text: str, base: int, hits: list[Hit], stretch: tuple[int, int]) -> list[SecretMatch]:
        """What is found near the words at the hits of a stretch, and near earlier ones."""
        start, end = stretch
        self._cost += len(self._paid)
        self._paid.clear()
        self._found = []
        self._marked = text.find(MARK, max(0, start - BACK), end + self._reach["far"].chars + LONGEST) >= 0
        if self._rest is not None:
            limit, lines = self._rest
            self._rest = None
            stop = self._end_of_area(text, base, start, Reach(lines, limit - base - start), end)
            self._add(text, base, start, stop)
        if hits:
            self._look_at_words(text, base, hits, end)
        self._judge(text, base, base + end)
        return self._found

    def _look_at_words(self, text: str, base: int, hits: list[Hit], end: int) -> None:
        index, far = 0, self._reach["far"]
        last = -SOON  # a word that reaches further than what is to be looked at so far
        match, marked, pay, count = self._match, self._marked, self._paid.append, text.count
        while index < len(hits):
            at = hits[index] >> RULE_BITS
            index += 1
            place = base + at
            if at >= end:
                break
            if place >> CELL_BITS != self._cell:
                self._extend(text, base, last, end)
                last = -SOON
                self._enter(text, base, at)
            if not self._is_open:
                index = bisect_left(hits, (((self._cell + 1) << CELL_BITS) - base) << RULE_BITS, index)
                continue
            pay(place)
            word = match(text, at)
            if word is None or (marked and _is_mark(text, at)):
                continue
            is_far = word.lastgroup == "far"
            if at < last + SOON and count("\n", last, at) <= 1:  # it begins in what the last one reaches
                last = at if is_far else last
                continue
            self._extend(text, base, last, end)
            first = text.rfind("\n", at - BACK if at > BACK else 0, at) + 1 or (at - BACK if at > BACK else 0)
            if marked and text.find(MARK, first, at) >= 0:
                first = at
            if is_far and not marked:
                self._add(text, base, first, at)
                last = at
            else:
                reach = far if is_far else self._reach["close"]
                self._add(text, base, first, self._end_of_area(text, base, at, reach, end))
                last = -SOON
        self._extend(text, base, last, end)

    def _extend(self, text: str, base: int, last: int, end: int) -> None:
        """Take what the last of several words reaches, if there is one."""
        if last >= 0:
            stop = self._end_of_area(text, base, last, self._reach["far"], end)
            self._area = self._area[0], max(self._area[1], base + stop)

    def _enter(self, text: str, base: int, at: int) -> None:
        """Come to the first word of a cell: whether its words are looked at depends on what was paid before it."""
        self._judge(text, base, base + at)
        self._cell = (base + at) >> CELL_BITS
        self._is_open = (self._cost + len(self._paid)) * WHOLE <= work_allowed(base + at) * SHARE

    def _end_of_area(self, text: str, base: int, at: int, reach: Reach, end: int) -> int:
        """As far as a word reaches; the rest of it is noted, if the stretch ends before."""
        lines, limit = reach.lines, at + reach.chars
        mark = text.find(MARK, at, limit + LONGEST) if self._marked else -1
        if mark >= 0:  # what has no blank between it and a mark may have been a part of what is hidden
            limit = min(limit, max(at, *(text.rfind(blank, at, mark) for blank in " \t\n")))
        stop = min(limit, end)
        newline = text.find("\n", at, stop)
        while newline >= 0:
            if lines == 0:
                return newline
            lines -= text[newline - 1 : newline] != "\n"
            newline = text.find("\n", newline + 1, stop)
        if limit > end:
            self._rest = base + limit, lines
        return stop

    def _add(self, text: str, base: int, first: int, stop: int) -> None:
        """Take what is to be looked at together with what was before, or look at that, if there is a gap between."""
        begin, until = self._area
        if base + first > until + 1:  # more than the end of a line
            self._judge(text, base, until)
            self._area = base + first, base + stop
        elif base + stop > until:
            self._area = begin, base + stop

    def _judge(self, text: str, base: int, upto: int) -> None:
        """Look at the values that begin in the area, up to a place."""
        first, stop = self._area
        upto = min(stop, upto)
        if first >= upto:
            return
        kind, last = self._kind, upto
        for begin, until in _candidates(text, first - base, upto - base, SHORTEST_CODE if kind else SHORTEST):
            self._paid += [base + begin] * CANDIDATE_COST
            last = max(last, base + until)
            if is_drawn(text[begin:until]) and not _is_something_else(text, begin, until):
                self._found.append((begin, until, NEAR + kind, ("PASSWORD", "TOKEN")[kind], PLAIN))
        self._area = last, max(last, stop)


def _candidates(text: str, first: int, stop: int, shortest: int) -> Iterator[tuple[int, int]]:
    """Where texts begin and end that are no words, begin before a place, and have nothing beside them."""
    last = 0
    for word in _NEXT.finditer(text, first, min(len(text), stop + LONGEST + 1)):
        begin, until = word.span(1)
        if begin >= stop or begin < 0:
            return
        if begin < last:
            continue
        is_joined = text[begin - 1 : begin] in _JOINTS
        if not is_joined and _LEFT.match(text, begin) is None:
            last = until + _code_length(text[until : until + LONGEST])
            continue
        if is_joined or text[until : until + 1] in _JOINTS:
            code = _CODED.match(text, begin - _code_length(text[max(0, begin - LONGEST, last) : begin][::-1]))
            if code is None:
                continue
            begin, until = code.span(1)
            last = until
        if shortest <= until - begin <= LONGEST and _LEFT.match(text, begin) and _RIGHT.match(text, until):
            yield begin, until


def _code_length(text: str) -> int:
    """How many characters a text begins with that may be a part of base64."""
    code = _CODE.match(text)
    return code.end() if code else 0


def _is_mark(text: str, at: int) -> bool:
    """Whether a word is the type of a mark of ours."""
    return text[at].isupper() and _MARK_BEFORE.search(text, max(0, at - LONGEST_MARK), at) is not None


_judged: dict[str, bool] = {}


def is_drawn(value: str) -> bool:
    """Whether a value was drawn, and is no name, word, number or digest.

    >>> [is_drawn(text) for text in ("Xk29dkLq", "wQzTbvKd", "HtmlPhpLexer", "9f86d081884c7d65", "msTSLSProperty01")]
    [True, True, False, False, False]
    """
    known = _judged.get(value)
    if known is None:
        if len(_judged) >= _JUDGED_BEFORE:
            _judged.clear()
        known = _judged[value] = _is_drawn(value)
    return known


def _is_drawn(value: str) -> bool:
    if _HEX.match(value) or len(set(value)) < values.FEWEST_SIGNS:
        return False
    if value.isalnum():
        return name_bits(value) < MOST_OF_DRAWN and not values.stand_in(value)
    parts = _PARTS.split(value)
    return (
        values.mixes_all(value)
        and max(map(len, parts)) >= SHORTEST
        and name_bits("".join(parts)) < MOST_OF_CODE
        and not values.stand_in(value)
    )


def _may_name(name: str) -> bool:
    """Whether a value of that name may be a secret: one that speaks of secrets says so itself, an id is none.

    >>> [_may_name(name) for name in ("args", "next_page_token", "request_id", "Secret ID", "cred")]
    [True, False, False, True, True]
    """
    if _SECRET_ID.search(name):
        return True
    if _SPEAKS.search(name):
        return names.promise(name.rpartition(" ")[2]).level > names.NOTHING or _WORD_ALONE.match(name) is not None
    return _ID.search(name) is None


def _is_something_else(text: str, start: int, end: int) -> bool:
    """Whether what stands before a value says that it is an id, a digest, a name or a public key.

    Behind a mark it is not known what was said.
    """
    line = text[max(0, start - BACK - LONGEST_MARK) : start].rpartition("\n")[2]
    if MARK in line:
        return True
    line = line[-BACK:]
    named = _NAMED.search(line, max(0, len(line) - LONGEST_NAME))
    if named is not None:
        name = named["name"]
        escaped = line[named.start() - 1 : named.start()] == "\\" and name[0] in "nrt"  # what ends a line in quotes
        if not _may_name(name[escaped:]):
            return True
    if _CALLED.search(line, max(0, len(line) - LONGEST_NAME)):
        return True
    return end - start >= values.SHORTEST_KEY and _OPEN_DATA.search(line) is not None
