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

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import made_up, names, near_values, values
from overspill.redact.hits import MARK, NEAR, PLAIN, RULE_BITS, WHOLE, Hit, SecretMatch, work_allowed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

BACK = 200  # characters before a word in which its value may begin, on its line
CANDIDATE_COST, MADE_UP_COST = 3, 8  # words cost as much as one value, and as one that is made up of words
SHARE = 1  # sixteenths of what all reading may cost, for each kind
CELL_BITS = 11
SOON = 200  # a word as near to one that reaches far, on its line or the next, begins in what that one reaches
LONGEST_NAME = 48
LONGEST = 200  # characters of a value

_SHORT = (
    r"(?<![A-Za-z])[Pp]ass(?![A-Za-z]|[ \t]*+(?:\#|\r?\n|\Z))|(?<=[a-z])Pass(?![a-z])|(?<=[A-Z_])PASS(?![A-Za-z])"
    r"|(?<![A-Za-z])[Pp][Ww](?![A-Za-z])|(?:(?<=_)|(?<=DB)|(?<=ROOT)|(?<=USER)|(?<=ADMIN)|(?<=BIND))PW(?![A-Za-z])|(?<=[a-z])P[wW](?![a-z])"
    r"|(?<![A-Za-z])(?:AUTH(?![A-Za-z_ ])|(?i:creds?)(?![A-Za-z]))"
)
# What a word at a hit is: one for passwords, whose value may stand some lines below, or one for who logs in.
# The last of the first is how a server asks for a password in base64.
_PASSWORD_WORD = compile_pattern(
    rf"""(?x) (?P<far> (?i:pass?[.-]?w(?:or|r?d|\.)|pswr?d|(?<![a-z])p/w(?![a-z])|pass[ -]?(?:phrase|code)|pwd
      |credential|secret
      |identified[ ]by|basic[_-]?auth|(?:plain|clear)[_-]?text|\{{plain\}}|senha|contrase(?:ña|na)|wachtwoord
      |kennw(?:ort|\.)|mot[ ]de[ ]passe|hasło|haslo|lösenord|salasana|adgangskode|heslo|parola|pre-?shared
      |kodeord|passord|jelsz|lozink|lykilor|wagwoord|(?<=ş)ifre|(?<=п)арол|密码|密碼|口令|パスワード|비밀번호|비번|🔑
      |كلمة[ ](?:المرور|السر)|رمز[ ]عبور|گذرواژه|סיסמ|รหัสผ่าน|ật[ ]khẩu|ωδικ|पासवर्ड|암호|パスコード|暗証番号|kata[ ]sandi
      |slaptažod|parole|pasahitza)
      |UGFzc3dvcmQ6|{_SHORT} )
    | (?P<close> (?i:log(?:ged|ging)?[ -]?(?:in|on)|sign(?:ed)?[ -]?in|(?<![a-z0-9])psk|(?:create|add)[ _-]?user
      |user[ _-]?(?:create|add))(?![a-z])
      |(?:(?<![A-Za-z])|(?=A))(?i:auth(?:[^o]|ori[sz]|\b))|(?i:(?<![a-z])(?:connect|s?ftp|ldap|smtp|imap|ssh|wi-?fi|wlan|ssid|pdo|jdbc|odbc|mysql)
      |postgres|sshpass|vault|(?<![a-z])wpa[23](?![a-z])
      |(?:wpa|wi-?fi|wlan|network|backup|recovery|unlock|radius|tacacs|totp)[ _-]key
      |(?:pin|unlock|access)[ _-]code
      |snmp[ ]community|community[ ]string|r[ow]community|zugangs|d[ei][ ]ac(?:cesso|ceso|esso)|'accès|доступа) )"""
)
_TOKEN_WORD = compile_pattern(
    r"""(?xi) (?P<far> token
      |(?:activation|invit(?:e|ation)|join|device|access|pairing|unlock|registration)[ _-]code
      |api[ _-]?key|access[ _-]?key|bearer|ticket|totp|seed|mnemonic|privkey
      |(?:(?<=primary[ ])|(?<=secondary[ ])|(?<=account[ ])|(?<=license[ ])|(?<=master[ ]))key(?=[ \t]{0,4}\r?\n)
      |(?<![a-z0-9])(?:kty|nsec)(?![a-z]) )
    | (?P<close> (?:key|[a-z]auth|session)(?![a-z]) )"""  # where nothing stands before it, `auth` is one for passwords
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
    r"""(?![A-Za-z0-9_/(~+$]|::|[ \t]{0,4}:?=(?!=)|\\(?![nrt"'])|[.-][A-Za-z0-9]|@(?:[\w-]+\.|https?:|\[)|\.\."""
    r"""|["'][ ]\|[ ]["']|:[a-z]+-[a-z]|[ ]\*{1,2}[A-Za-z_]\w*[,;)=\[])"""
)
_JOINTS = frozenset("+/_-")
_CODED = compile_pattern(r"[+/_-]*+([A-Za-z0-9][A-Za-z0-9+/_-]{19,199}+={0,2})")
_CODED_ANSWER = compile_pattern(r"([A-Za-z0-9+/]{8,200}+={0,2})")
_CODE = compile_pattern(r"[A-Za-z0-9+/_-]{0,200}+")
_PAD = compile_pattern(r"""={1,2}(?=[\s"'`,;)\]}<]|\Z)""")  # how base64 may end
LONGEST_CODE = 216  # 24 words of eight letters
LONG_CODE = 30  # a path has no folder that was drawn: what begins with a slash and is as long may be base64
SHORTEST, SHORTEST_CODE = values.SHORTEST_TOKEN, 20
LONGEST_MARK, SHORTEST_HEX = 40, 32
_MARK_BEFORE = compile_pattern(r"REDACTED(?:: |_)[A-Z0-9_]*\Z")
_ANNOUNCED = compile_pattern(
    r"(?i)(?:^|\n)(?![^\n]*(?:commit|hash|digest|sum|sha|md5|fingerprint|\bid\b))[^\n]*(?:token|key|secret|password|seed)[^\n]*(?::|<==)\Z"
    r"|(?:^|\n)[^\n]{0,40}?[$#%>][ ](?:cat|pass|op|vault|echo)\b[^\n]*(?:token|key|secret|password|seed)[^\n]*\Z"
    r"|(?:^|\n)(?:In[ ]\[[0-9]{1,5}\]:|>{2,3}|irb[^>\n]{0,24}>)[ ][^\n]*(?i:token|key|secret|password)[^\n]*\Z"
    r"|(?:^|\n)[\w./~-]*(?:\.key|secret|token|password|passwd)[\w.-]{0,12}\Z"
)
_ASKS_IN_CODE, _ASKS_WHO_IN_CODE = "UGFzc3dvcmQ6", "VXNlcm5hbWU6"
_LEADS = compile_pattern(r"""[ \t]*+(?:(?:Out\[[0-9]{1,5}\]:|=>|<)?[ ]?["']?)?""")
# A server asks for a password in base64, and gets it in base64 on the next line.
_ASKED_IN_CODE = compile_pattern(r"""UGFzc3dvcmQ6(?:\\[rn]){0,2}["']?\r?\n[^\n]{0,16}?(?<![A-Za-z0-9+/])\Z""")
_HEX = compile_pattern(
    r"(?:0x|[A-Za-z]{1,2}(?=[0-9a-f]{32}\Z)|r?[gG](?=[0-9a-f]{7,12}\Z))?(?:[0-9a-f]+|[0-9A-F]+)\Z|0x[0-9A-Fa-fxX]+(?:[uUlL]{0,3}|[ui][0-9]{1,3})\Z|[uU][0-9a-fA-F]{4}(?:[0-9a-fA-F]{4})?\Z"
)
_PARTS = compile_pattern(r"[+/_=-]+")
# A time, letters of a drawing, a word and its number, a library.
_IN_ORDER = compile_pattern(
    r"[YyMmDdHhSsWw]+Z?\Z|P(?:[0-9]+[YMWD])*+(?:T(?:[0-9]+[HMS])*+)?\Z|v[0-9]+(?:alpha|beta)[0-9]+\Z|[A-Z]{2,4}[0-9]{4,6}\Z|[0-9]+x[0-9]+(?:px)?\Z|(?:[0-9]+[dhms])+\Z|[0-9]*(?:[MmLlHhVvCcSsQqTtAa][0-9]+|[Zz])+\Z|[a-z]+[0-9]{1,4}\Z"
    r"|lib[A-Z][A-Za-z]+\Z"
)
# So much of a name is words at least, and of what is hardly one.
MOST_OF_WORDY, MOST_WORDS, MANY_WORDS = -24.0, 0.2, 0.5
# The words beside a value, as far as they are looked at, and how many letters two of a kind share.
_BESIDE = compile_pattern(r"""[A-Za-z0-9_]{4,}+(?!["']?[ ]?[:=])""")
_ECHO = compile_pattern(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
BESIDE, ALIKE = 60, 4
_JUDGED_BEFORE = 4096
MOST_OF_DRAWN, MOST_OF_FOUND = -1.5, 4.0  # bits
MOST_OF_NOUNS, MOST_OF_ARGUMENTS = -9.0, -12.0
_IN_CALL = compile_pattern(r"[A-Za-z0-9_]\((?:[A-Za-z_]\w*, )*\Z")
_ARGUMENTS = compile_pattern(r"(?:, [A-Za-z_]\w*)*\)[;,]")
MOST_IN_PROSE = -3.0  # of one case: among words there are more names nobody knows (libpam0g) than secrets
# What sets a value apart from the words around it: a quote, a name, or the beginning of a line.
_SET_APART = compile_pattern(
    r"""["'`=>]\Z|[:=>|][ \t]{1,4}\Z|(?:[ ](?:is|was|be)|['\u2019]s)[ ]\Z|^[ \t]*\Z|\\[nrt]\Z"""
)
SHORTEST_PART = 7  # of one part of base64 at least
# Rows of base64 that blanks join, or ends of lines in quotes, as an image stands in a line.
_ROW_BEFORE = compile_pattern(r"[A-Za-z0-9+/]{56,76}(?:[ ]|\\n)\Z")
_ROW_BEHIND = compile_pattern(r"(?:[ ]|\\n)[A-Za-z0-9+/]{56}")
LONGEST_ROW = 80


class Reach(NamedTuple):
    """How far from a word its value may begin: lines below its own, and characters."""

    lines: int
    chars: int


_PASSWORDS, _TOKENS, _CODES = range(3)
_REACH = (
    {"far": Reach(3, 600), "close": Reach(0, 160)},
    {"far": Reach(2, 400), "close": Reach(0, 120)},
    {"far": Reach(12, 400), "close": Reach(0, 0)},
)
_TYPES = ("PASSWORD", "TOKEN", "CODE")
# The words for codes that are written down, and a code that is all of a line, or of a string in a list.
_CODE_WORD = compile_pattern(
    r"(?i)(?P<far>(?:recovery|backup|scratch|emergency)[ _-]codes?"
    r"|(?:recovery|backup|seed|secret|mnemonic)[ _-](?:phrase|words)|private[ ]keys(?=[ :]*\r?\n)"
    r"|(?:verification|login|security|one-time|sign-in|confirmation|authentication)[ _-]codes?)"
)
_LISTED = compile_pattern(
    r"""(?:\n[ \t]{0,8}(?:[*•-]|[0-9]{1,2}[.)])?[ \t]{0,4}|(?<=[\[,: ])["'](?![0-9a-f]{40}))"""
    r"""([0-9]{6,8}|[0-9]{4}[ -][0-9]{4}|[a-z0-9]{4,5}-[a-z0-9]{4,5}|[0-9a-f]{10,64}|\([0-9]{1,3}\) 0x[0-9a-f]{64}"""
    r"""|[a-z]{3,8}(?:[ ][a-z]{3,8}){11}(?:(?:[ ][a-z]{3,8}){3}){0,4})"""
    r"""(?=["']|[ \t]{0,4}\r?(?:\n|\Z))"""
)


class Surroundings:
    """What stands near the words of one kind, for passwords or for tokens, in a text that comes in pieces.

    It may cost a part of what all reading may, from a purse of its own: what it finds is told by nothing else, and a
    text that is full of words is not hidden because they were not all looked at. Whether more may be spent is asked at
    the first word of every cell of the whole text, and paid is where words and values stand: so pieces do not matter.
    """

    def __init__(self, kind: int) -> None:
        self._kind = kind
        self._reach = _REACH[kind]
        self._match = (_PASSWORD_WORD, _TOKEN_WORD, _CODE_WORD)[kind].match
        self._area = (0, 0)  # what is to be looked at, in the whole text
        self._rest: tuple[int, int] | None = None  # the last place and the lines left, if more of an area is to come
        self._cell, self._is_open = -1, True
        self._cost = 0  # before this stretch
        self._paid: list[int] = []  # where in this stretch a unit was paid
        self._found: list[SecretMatch] = []
        self._judged: dict[tuple[int, int], bool] = {}
        self._marked = False  # whether a mark stands in a stretch, or near it

    def stop(self, place: int) -> None:
        """Forget what is near a place where reading ends, and all that was seen of the stretch behind it."""
        self._cost += sum(at <= place for at in self._paid)
        self._paid.clear()
        self._area, self._rest, self._cell = (0, 0), None, -1

    def look(
        self, text: str, base: int, hits: list[Hit], stretch: tuple[int, int], judged: dict[tuple[int, int], bool]
    ) -> list[SecretMatch]:
        """What is found near the words at the hits of a stretch, and near earlier ones.

        What is said of a value there is kept in `judged`, for words of another kind.
        """
        start, end = stretch
        self._judged = judged
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
        if kind == _CODES:
            codes = [
                code.span(1) for code in _LISTED.finditer(text, max(0, first - base - 1), upto - base + LONGEST_CODE)
            ]
            self._found += [(*span, NEAR + kind, _TYPES[kind], PLAIN) for span in codes if span[0] < upto - base]
            self._paid += [upto] * (CANDIDATE_COST * len(codes))
            self._area = upto, stop
            return
        for begin, until in _candidates(text, first - base, upto - base, SHORTEST_CODE if kind else SHORTEST):
            self._paid += [base + begin] * CANDIDATE_COST
            last = max(last, base + until)
            if self._is_value(text, begin, until):
                self._found.append((begin, until, NEAR + kind, _TYPES[kind], PLAIN))
        for begin, until in made_up.made_up_words(text, first - base, upto - base) if kind == _PASSWORDS else ():
            self._paid += [min(base + begin, upto)] * (MADE_UP_COST if until > begin else 1)
            if (
                until > begin
                and made_up.is_made_up(text, begin, until, _PASSWORD_WORD)
                and not _is_one_of_many(text, begin, until)
                and not near_values.is_something_else(text, begin, until)
            ):
                self._found.append((begin, until, NEAR + kind, _TYPES[kind], PLAIN))
        for span in near_values.signed_values(text, first - base, upto - base) if kind == _PASSWORDS else ():
            self._paid += [min(base + span[0], upto)] * CANDIDATE_COST
            if not near_values.is_something_else(text, *span):
                self._found.append((*span, NEAR + kind, _TYPES[kind], PLAIN))
        for span in made_up.grouped_letters(text, first - base, upto - base) if kind == _PASSWORDS else ():
            self._paid += [min(base + span[0], upto)] * CANDIDATE_COST
            self._found.append((*span, NEAR + kind, _TYPES[kind], PLAIN))
        self._area = last, max(last, stop)

    def _is_value(self, text: str, begin: int, until: int) -> bool:
        """Whether what may be a value is one, near words of any kind."""
        if (begin, until) not in self._judged:
            drawn = _is_plainly_drawn(text, begin, until) or _is_given_below(text, begin, until)
            self._judged[begin, until] = drawn and not near_values.is_something_else(text, begin, until)
        return self._judged[begin, until]


def _candidates(text: str, first: int, stop: int, shortest: int) -> Iterator[tuple[int, int]]:
    """Where texts begin and end that are no words, begin before a place, and have nothing beside them."""
    last = 0
    for word in _NEXT.finditer(text, first, min(len(text), stop + LONGEST + 1)):
        begin, until = word.span(1)
        if begin >= stop or begin < 0:
            return
        begin += text[begin - 1 : begin] == "\\" and text[begin] in "nrt"  # behind the end of a line in quotes
        if begin < last:
            continue
        is_joined = text[begin - 1 : begin] in _JOINTS
        if not is_joined and until - begin < shortest and text[until : until + 1] not in _JOINTS:
            continue
        if not is_joined and _LEFT.match(text, begin) is None:
            last = until + _code_length(text[until : until + LONGEST])
            continue
        if is_joined or text[until : until + 1] in _JOINTS:
            code = _code_at(text, begin - _code_length(text[max(0, begin - LONGEST, last) : begin][::-1]))
            if code is None:
                continue
            begin, until = code.span(
                0 if code.end() - code.start() >= LONG_CODE and code.start(1) - code.start() == 1 else 1
            )
            last = until
        elif until - begin >= SHORTEST_CODE or _is_asked_in_code(text, begin):
            padded = _PAD.match(text, until)
            until = padded.end() if padded else until
        if shortest <= until - begin <= LONGEST and _LEFT.match(text, begin) and _RIGHT.match(text, until):
            yield begin, until


def _code_at(text: str, start: int) -> Match[str] | None:
    """What may be base64: long, or shorter where a server has asked for it."""
    code = _CODED.match(text, start)
    if code is None and _is_asked_in_code(text, start):
        code = _CODED_ANSWER.match(text, start)
    return code


def _is_asked_in_code(text: str, at: int) -> bool:
    """Whether a server has asked for a password in base64, right before a place."""
    first = max(0, at - BACK)
    return text.find(_ASKS_IN_CODE, first, at) >= 0 and _ASKED_IN_CODE.search(text, first, at) is not None


def _code_length(text: str) -> int:
    """How many characters a text begins with that may be a part of base64."""
    code = _CODE.match(text)
    return code.end() if code else 0


def _is_mark(text: str, at: int) -> bool:
    """Whether a word is the type of a mark of ours."""
    return text[at].isupper() and _MARK_BEFORE.search(text, max(0, at - LONGEST_MARK), at) is not None


_judged: dict[str, float | None] = {}


def drawn_bits(value: str) -> float | None:
    """How little a value that was drawn is like a name; None for a name, a word, a number or a digest.

    >>> [drawn_bits(text) is None for text in ("Xk29dkLq", "wQzTbvKd", "HtmlPhpLexer", "9f86d081884c7d65")]
    [False, False, True, True]
    """
    if value not in _judged:
        if len(_judged) >= _JUDGED_BEFORE:
            _judged.clear()
        drawn = (
            value not in {_ASKS_IN_CODE, _ASKS_WHO_IN_CODE}
            and _is_drawn(value)
            and made_up.SPEAKING.search(value) is None
        )
        _judged[value] = names.name_bits(value) if drawn else None
    return _judged[value]


def _is_plainly_drawn(text: str, start: int, end: int) -> bool:
    """Whether a value was drawn, and does not look like a name where it stands."""
    bits = drawn_bits(text[start:end])
    if bits is None or _ROW_BEHIND.match(text, end) or _ROW_BEFORE.search(text, max(0, start - LONGEST_ROW), start):
        return False
    if bits > MOST_OF_WORDY and (_is_one_of_many(text, start, end) or _is_echoed(text, start, end)):
        return False
    line = text[max(0, start - LONGEST_NAME) : start].rpartition("\n")[2]
    if bits > MOST_OF_NOUNS and (made_up.is_noun(text, start, end) or _is_only_argument(text, start, end)):
        return False
    if bits > MOST_OF_ARGUMENTS and _is_argument(text, start, end):
        return False
    return bits < MOST_IN_PROSE or values.mixes_all(text[start:end]) or _SET_APART.search(line) is not None


def _is_only_argument(text: str, start: int, end: int) -> bool:
    """Whether a variable is all that a function is given: `Equal(krb5Mesh)`."""
    return text.startswith(")", end) and text[start - 1 : start] == "(" and text[start - 2 : start - 1].isalnum()


def _is_argument(text: str, start: int, end: int) -> bool:
    """Whether nothing but variables stand beside it in a call that ends a statement: `toGroup(input, ctxPOPRF);`."""
    return _ARGUMENTS.match(text, end) is not None and _IN_CALL.search(text, max(0, start - BESIDE), start) is not None


def _is_one_of_many(text: str, start: int, end: int) -> bool:
    """Whether the word before a value or the one behind it begins as it does: packages, symbols, columns of a kind."""
    first = text[start : start + ALIKE].lower()
    after = text[end : end + BESIDE].partition("\n")[0]  # what is on the next line may not be here yet
    words = _BESIDE.findall(f"{text[max(0, start - BESIDE) : start]} {after}")
    return any(word[:ALIKE].lower() == first for word in words if word != text[start:end])


def _is_echoed(text: str, start: int, end: int) -> bool:
    """Whether a word in a value is said beside it as well: `SnmpV3Flags contains flags`."""
    value = text[start:end]
    words = _ECHO.findall(value)
    if not words:
        return False
    behind = text[end : end + BESIDE].partition("\n")[0]
    around = f"{text[max(0, start - BACK) : start]}\n{behind}".replace(value, "").lower()
    return any(word.lower() in around for word in words)


def is_unmistakable(value: str) -> bool:
    """Whether a value that was found is one wherever it stands: letters and digits in no order, or a long key in hex.

    >>> [is_unmistakable(text) for text in ("x7KqPz2LwRt9", "MapleRiver12", "9f86d081884c7d659a2feaa0c55ad015")]
    [True, False, True]
    """
    if values.is_hex(value):
        return len(value) >= SHORTEST_HEX and len(set(value)) > values.DISTINCT
    most = MOST_OF_FOUND if values.mixes_all(value) else MOST_OF_DRAWN
    bits = names.name_bits("".join(filter(str.isalnum, value)))
    return bits < most and value.isascii() and not value.isdigit() and not values.stand_in(value)


def _is_drawn(value: str) -> bool:
    if (
        _HEX.match(value)
        or len(set(value)) < names.fewest_signs(value)
        or _IN_ORDER.match(value)
        or names.is_alphabet(value)
    ):
        return False
    if value.isalnum():
        bits = names.name_bits(value)
        is_name = bits >= MOST_OF_DRAWN or names.word_share(value) >= (
            MOST_WORDS if bits > MOST_OF_WORDY else MANY_WORDS
        )
        return not (is_name or values.stand_in(value))
    if near_values.SYMBOL.match(value) or values.is_uuid(value):
        return False
    parts = [part for part in _PARTS.split(value) if len(part) < SHORTEST or not _HEX.match(part)]
    return (
        values.mixes_all(value)
        and max(map(len, parts), default=0) >= SHORTEST_PART
        and names.name_bits("".join(parts)) < values.CODE_BITS
        and not values.stand_in(value)
    )


def _is_given_below(text: str, start: int, end: int) -> bool:
    """Whether digits of a key are all of a line and the line above says so, or that one asks for a password in code."""
    line = text.rfind("\n", max(0, start - BACK), start) + 1
    if _is_asked_in_code(text, start):
        return True
    if end - start < SHORTEST_HEX or text[end : end + 1] not in {"", "\n", "\r", "'", '"'}:
        return False
    if not _LEADS.fullmatch(text, line, start) or not values.is_hex(text[start:end]):
        return False
    return _ANNOUNCED.search(text[max(0, start - BACK) : line].rstrip(" \n")) is not None
