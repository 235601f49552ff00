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
from overspill.redact import made_up, near_values, values
from overspill.redact.hits import MARK, NEAR, PLAIN, RULE_BITS, WHOLE, Hit, SecretMatch, work_allowed
from overspill.redact.near_values import ASKS_IN_CODE, SHORTEST, SHORTEST_HEX, is_one_of_many, is_plainly_drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BACK = 200  # characters before a word in which its value may begin, on its line
# What it costs to look at a part of a value, at a value, to judge one that was drawn, and one that is made up of words.
PART_COST, CANDIDATE_COST, DRAWN_COST, MADE_UP_COST = 1, 2, 6, 6
CHARS_PER_COST = (80, 160, 160)  # characters that are looked through, for the cost of one
SHARE = 1  # sixteenths of what all reading may cost, for each kind
CELL_BITS = 11
SOON = 200  # a word as near to one that reaches far, on its line or the next, begins in what that one reaches
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
_LINE_ENDS = compile_pattern(r"\n++")
LONGEST_CODE = 216  # 24 words of eight letters
LONG_CODE = 30  # a path has no folder that was drawn: what begins with a slash and is as long may be base64
SHORTEST_CODE, LONGEST_MARK = 20, 40
_MARK_BEFORE = compile_pattern(r"REDACTED(?:: |_)[A-Z0-9_]*\Z")
_ANNOUNCED = compile_pattern(
    r"(?i)(?:^|\n)(?![^\n]*(?:commit|hash|digest|sum|sha|md5|fingerprint|\bid\b))[^\n]*(?:token|key|secret|password|seed)[^\n]*(?::|<==)\Z"
    r"|(?:^|\n)[^\n]{0,40}?[$#%>][ ](?:cat|pass|op|vault|echo)\b[^\n]*(?:token|key|secret|password|seed)[^\n]*\Z"
    r"|(?:^|\n)(?:In[ ]\[[0-9]{1,5}\]:|>{2,3}|irb[^>\n]{0,24}>)[ ][^\n]*(?i:token|key|secret|password)[^\n]*\Z"
    r"|(?:^|\n)[\w./~-]*(?:\.key|secret|token|password|passwd)[\w.-]{0,12}\Z"
)
_LEADS = compile_pattern(r"""[ \t]*+(?:(?:Out\[[0-9]{1,5}\]:|=>|<)?[ ]?["']?)?""")
# A server asks for a password in base64, and gets it in base64 on the next line.
_ASKED_IN_CODE = compile_pattern(r"""UGFzc3dvcmQ6(?:\\[rn]){0,2}["']?\r?\n[^\n]{0,16}?(?<![A-Za-z0-9+/])\Z""")


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


JudgedValues = dict[tuple[int, int], tuple[bool, bool]]
"""Of values, by where they begin and end: whether they were drawn, and whether they are secrets."""


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
        self._unpaid = 0  # from where on it is not paid that the area is looked through
        self._rest: tuple[int, int] | None = None  # the last place and the lines left, if more of an area is to come
        self._cell, self._is_open = -1, True
        self._cost = 0  # before this stretch
        self._paid: list[int] = []  # where in this stretch a unit was paid
        self._found: list[SecretMatch] = []
        self._judged: JudgedValues = {}
        self._base = 0
        self._open_words: near_values.OpenWords | None = None  # of the area
        self._marked = False  # whether a mark stands in a stretch, or near it

    @property
    def cost(self) -> int:
        """What looking around has cost so far."""
        return self._cost + len(self._paid)

    def stop(self, place: int) -> None:
        """Forget what is near a place where reading ends, and all that was seen of the stretch behind it."""
        self._cost += sum(at <= place for at in self._paid)
        self._paid.clear()
        self._area, self._rest, self._cell = (0, 0), None, -1

    def look(
        self, text: str, base: int, hits: list[Hit], stretch: tuple[int, int], judged: JudgedValues
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
        self._is_open = self.cost * WHOLE <= work_allowed(base + at) * SHARE

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
            ends = _LINE_ENDS.match(text, newline, stop) if lines else None  # no empty line is one
            newline = text.find("\n", ends.end() if ends else newline + 1, stop)
        if limit > end:
            self._rest = base + limit, lines
        return stop

    def _add(self, text: str, base: int, first: int, stop: int) -> None:
        """Take what is to be looked at together with what was before, or look at that, if there is a gap between."""
        begin, until = self._area
        if base + first > until + 1:  # more than the end of a line
            self._judge(text, base, until)
            self._area = base + first, base + stop
            self._unpaid = base + first
        elif base + stop > until:
            self._area = begin, base + stop

    def _judge(self, text: str, base: int, upto: int) -> None:
        """Look at the values that begin in the area, up to a place."""
        first, stop = self._area
        upto = min(stop, upto)
        self._pay_for_area(upto)
        if first >= upto:
            return
        kind, last = self._kind, upto
        self._base, self._open_words, pay = base, None, self._pay
        if kind == _CODES:
            codes = [
                code.span(1) for code in _LISTED.finditer(text, max(0, first - base - 1), upto - base + LONGEST_CODE)
            ]
            self._found += [(*span, NEAR + kind, _TYPES[kind], PLAIN) for span in codes if span[0] < upto - base]
            pay(upto, CANDIDATE_COST * len(codes))
            self._area = upto, stop
            return
        for begin, until in _candidates(text, first - base, upto - base, SHORTEST_CODE if kind else SHORTEST):
            pay(base + begin, CANDIDATE_COST if until > begin else PART_COST)
            if until > begin:
                last = max(last, base + until)
                if self._is_value(text, begin, until):
                    self._found.append((begin, until, NEAR + kind, _TYPES[kind], PLAIN))
        if kind == _PASSWORDS:
            self._judge_made_up(text, first - base, upto - base)
        self._area = last, max(last, stop)

    def _judge_made_up(self, text: str, first: int, upto: int) -> None:
        """Look at what people make up, and at what is mixed with signs."""
        base, pay = self._base, self._pay
        for begin, until in made_up.made_up_words(text, first, upto):
            pay(min(base + begin, base + upto), MADE_UP_COST if until > begin else PART_COST)
            if (
                until > begin
                and made_up.is_made_up(text, begin, until, _PASSWORD_WORD)
                and not is_one_of_many(text, begin, until)
                and not self._is_something_else(text, begin, until)
            ):
                self._found.append((begin, until, NEAR + _PASSWORDS, _TYPES[_PASSWORDS], PLAIN))
        for begin, until in near_values.signed_values(text, first, upto):
            pay(min(base + begin, base + upto), CANDIDATE_COST + DRAWN_COST)
            if not self._is_something_else(text, begin, until):
                self._found.append((begin, until, NEAR + _PASSWORDS, _TYPES[_PASSWORDS], PLAIN))
        for begin, until in made_up.grouped_letters(text, first, upto):
            pay(min(base + begin, base + upto), CANDIDATE_COST)
            self._found.append((begin, until, NEAR + _PASSWORDS, _TYPES[_PASSWORDS], PLAIN))

    def _pay(self, place: int, cost: int) -> None:
        self._paid += [place] * cost

    def _pay_for_area(self, upto: int) -> None:
        """Pay for what is looked through, at places that do not depend on where the area is cut."""
        each = CHARS_PER_COST[self._kind]
        self._paid += range(-(-self._unpaid // each) * each, upto, each)
        self._unpaid = max(self._unpaid, upto)

    def _is_value(self, text: str, begin: int, until: int) -> bool:
        """Whether what may be a value is one, near words of any kind."""
        found = self._judged.get((begin, until))
        if found is None:
            is_drawn = is_plainly_drawn(text, begin, until) or _is_given_below(text, begin, until)
            found = is_drawn, is_drawn and not self._is_something_else(text, begin, until)
            self._judged[begin, until] = found
        is_drawn, is_value = found
        if is_drawn:  # by each kind that looks at it, whoever comes first
            self._pay(self._base + begin, DRAWN_COST)
        return is_value

    def _is_something_else(self, text: str, begin: int, until: int) -> bool:
        """Whether what stands before a value says so: what says it in the area is looked for once."""
        if self._open_words is None:
            first, stop = self._area
            first, stop = first - self._base - LONGEST - near_values.LINE_BEFORE - 1, stop - self._base
            self._open_words = near_values.OpenWords(text, max(0, first), stop)
        return near_values.is_something_else(text, begin, until, self._open_words)


def _candidates(text: str, first: int, stop: int, shortest: int) -> Iterator[tuple[int, int]]:
    """Where texts begin and end that are no words, begin before a place, and have nothing beside them.

    What was looked at and is a part of something else ends where it begins.
    """
    last = 0
    nothing = (0, 0)  # where something began that could have been base64 and is none, and where it ends
    is_asked = _is_asked_in_code if text.find(ASKS_IN_CODE, max(0, first - 2 * BACK), stop) >= 0 else _is_not_asked
    for word in _NEXT.finditer(text, first, min(len(text), stop + LONGEST + 1)):
        begin, until = word.span(1)
        if begin >= stop or begin < 0:
            return
        before = text[begin - 1 : begin]
        if before == "\\" and text[begin] in "nrt":  # behind the end of a line in quotes
            begin, before = begin + 1, text[begin]
        is_joined = before in _JOINTS
        is_part = is_joined or text[until : until + 1] in _JOINTS
        if begin < last or not (is_part or until - begin >= shortest):
            continue
        found = begin, begin
        if not is_joined and _LEFT.match(text, begin) is None:
            last = _code_end(text, until)
        elif not is_part:
            found = begin, _padded_end(text, begin, until, is_asked)
        elif begin >= nothing[1] or last > nothing[0] or begin - nothing[0] > LONGEST:
            start = begin - _code_length_before(text, max(0, begin - LONGEST, last), begin)
            found = _code_at(text, start, is_asked) or found
            nothing, last = ((start, _code_end(text, until)), last) if found[0] == found[1] else (nothing, found[1])
        yield found if _is_apart(text, *found, shortest) else (begin, begin)


def _padded_end(text: str, begin: int, until: int, is_asked: Callable[[str, int], bool]) -> int:
    """Where a word ends that may be base64, with what fills it up."""
    padded = _PAD.match(text, until) if until - begin >= SHORTEST_CODE or is_asked(text, begin) else None
    return padded.end() if padded else until


def _is_apart(text: str, begin: int, until: int, shortest: int) -> bool:
    """Whether nothing stands beside what may be a value that would be a part of it."""
    if not shortest <= until - begin <= LONGEST:
        return False
    return _LEFT.match(text, begin) is not None and _RIGHT.match(text, until) is not None


def _code_at(text: str, start: int, is_asked: Callable[[str, int], bool]) -> tuple[int, int] | None:
    """What may be base64: long, or shorter where a server has asked for it."""
    code = _CODED.match(text, start)
    if code is None and is_asked(text, start):
        code = _CODED_ANSWER.match(text, start)
    if code is None:
        return None
    return code.span(0 if code.end() - code.start() >= LONG_CODE and code.start(1) - code.start() == 1 else 1)


def _is_not_asked(_text: str, _at: int) -> bool:
    return False


def _is_asked_in_code(text: str, at: int) -> bool:
    """Whether a server has asked for a password in base64, right before a place."""
    first = max(0, at - BACK)
    return text.find(ASKS_IN_CODE, first, at) >= 0 and _ASKED_IN_CODE.search(text, first, at) is not None


def _code_end(text: str, at: int) -> int:
    """Where that ends which may be a part of base64 and begins at a place."""
    code = _CODE.match(text, at, at + LONGEST)
    return code.end() if code else at


def _code_length_before(text: str, first: int, at: int) -> int:
    """How many characters before a place may be a part of base64."""
    code = _CODE.match(text[first:at][::-1])
    return code.end() if code else 0


def _is_mark(text: str, at: int) -> bool:
    """Whether a word is the type of a mark of ours."""
    return text[at].isupper() and _MARK_BEFORE.search(text, max(0, at - LONGEST_MARK), at) is not None


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
