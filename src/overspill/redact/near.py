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

from collections import deque
from itertools import pairwise

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern
from overspill.redact import names, values
from overspill.redact.hits import (
    MARK,
    NEAR,
    PLAIN,
    RESERVE,
    RULE_BITS,
    RULE_MASK,
    WHOLE,
    Hit,
    SecretMatch,
    place_allowing,
    work_allowed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

BACK = 200  # characters before a word in which its value may begin, on its line
WORD_COST, CLOSE_WORD_COST, CANDIDATE_COST = 3, 1, 4
SHARE = 1  # sixteenths of what all reading may cost
APART = 64  # a word as near to one before it, on its line, has nearly the same surroundings
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
_CODED_LEFT = compile_pattern(r"[A-Za-z0-9+/_-]{0,200}+")
SHORTEST_CODE = 20
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
_HEX = compile_pattern(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)\Z")
_STRAIGHT = compile_pattern(
    r"[0-9]{0,6}[A-Z]?[a-z]+(?:[A-Z][a-z]+)*[0-9]{0,4}\Z"
)  # a name of words, and a number behind it
_LONG_WORD = compile_pattern(r"[A-Z]?[a-z]{5,}|[A-Z]{6,}(?![a-z])")
_PARTS = compile_pattern(r"[+/_=-]+")
_ABBREVIATED = compile_pattern(
    r"(?:[Pp]tr|[Rr]fc[0-9]{2,5}|[Cc]tx|[Xx]ml|XML|[Ss]ql|SQL|[Hh]ttps?|HTTPS?|[Hh]tml|HTML|[Uu]rl|URL|[Pp]wd|[Mm]sg|[Ss]tr|[Cc]md|[Bb]tn"
    r"|[Ss]rc|[Dd]st|[Ff]mt|[Mm]gr|[Ss]vc|[Cc]fg|[Dd]b|DB|[Ii]d|ID|[Kk]ey|[Ss]et|[Gg]et|[Nn]um|JSON|[Jj]son|CSS|[Cc]ss"
    r"|UTF|[Uu]tf|ASCII|[Ii]pv|API|SHA|RSA|AES|PKCS|[Ww]in(?:32|64)|x86|x64|[Mm]ysql|MySQL|OAuth|LDAP|SSH|TLS|SSL|VPN)"
)
# Of the steps from one character to the next so many are such as no name takes: the fewest of what was drawn.
LEAST_STEPS, LEAST_STEPS_OF_LETTERS, LEAST_STEPS_OF_NAMES, LEAST_STEPS_OF_CODE = 0.18, 0.25, 0.4, 0.36
_JUDGED_BEFORE = 4096

# How a name is put together: words, abbreviations and numbers. In bits, what it takes to say each: that there is one,
# and then a letter of an abbreviation, one that stands after another as a rule or does not, and a digit.
_NAME_PARTS = compile_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
PART_BITS, LETTER_BITS, LIKELY_BITS, UNLIKELY_BITS, DIGIT_BITS, USUAL_BITS = 5.0, 4.7, 3.0, 7.0, 3.0, 3.0
MIXED_BITS, ONE_CASE_BITS = 5.95, 5.17  # of a character that was drawn
NAMES_TAKE = 0.93  # of the bits that it takes to draw as many characters
_USUAL = (
    "ptr ctx xml sql http https html url pwd msg str cmd btn src dst fmt mgr svc cfg db id key set get num json "
    "css utf ascii ip ipv api sha rsa aes pkcs win mysql oauth ldap ssh tls ssl vpn pk err base proxy sec ecdsa "
    "ecdh xf jwt jws jwk mcp gost pbkdf pbes hmac mac md crc dns tcp udp imap smtp ftp pdf gnu io is no sym max "
    "min len bytes byte int uint float bool char func proc obj var val tmp buf arg args attr dbus cpu gpu gl gtk "
    "qt tk tcl usb pci hw fs vm os ui cbc gcm ecb ctr kw kdf secp sect brainpool curve ed scram gss krb ntlm oid "
    "pem der crl ocsp csr cert ca asn dh ec iv hash sum enc dec init sync async ms rfc iso rev ver 10 11 12 16 20 "
    "24 32 48 64 86 96 128 160 192 224 256 384 509 512 521 1024 2048 4096 25519 1305 100 1000 "
)
_USUAL_PARTS = frozenset(_USUAL.split())


class Reach(NamedTuple):
    """How far from a word its value may begin: lines below its own, and characters."""

    lines: int
    chars: int


_REACH = ({"far": Reach(3, 600), "close": Reach(0, 160)}, {"far": Reach(2, 400), "close": Reach(0, 120)})


class Surroundings:
    """What stands near the words of a text that comes in pieces.

    It may cost a part of what all reading may, from a purse of its own: what it finds is told by nothing else, and a
    text that is full of words is not hidden because they were not all looked at.
    """

    def __init__(self) -> None:
        self._word = [-APART, -APART]  # the last word of each kind whose surroundings reach far
        self._upto = [0, 0]  # as far as was looked, in the whole text, for passwords and for tokens
        self._open: list[tuple[int, int] | None] = [None, None]  # the last place and the lines left, if more is to come
        self._cost = 0
        self._pauses = [(0, 0)]  # where it was said, in a stretch, up to where no word is looked at
        self._paid: list[tuple[int, int]] = []  # what was paid in a stretch, and where
        self._judged: tuple[deque[int], deque[int]] = deque(), deque()  # where values were judged and are to be paid

    def stop(self, place: int) -> None:
        """Forget what is near a place where reading ends, and all that was seen of the stretch behind it."""
        self._pay(place)
        for judged in self._judged:
            judged.clear()
        self._cost -= sum(cost for at, cost in self._paid if at > place)
        self._paid.clear()
        self._open = [None, None]
        self._upto = [min(upto, place) for upto in self._upto]
        self._word = [word if word <= place else -APART for word in self._word]
        self._pauses = [(0, 0)] + [pause for pause in self._pauses if pause[0] <= place]

    def _is_spent(self, place: int) -> bool:
        """Whether no more may be looked at from a place on. It is paid where values stand, so pieces do not matter."""
        self._pay(place)
        if self._cost * WHOLE <= work_allowed(place) * SHARE:
            return False
        self._pauses.append((place, place_allowing(self._cost * WHOLE // SHARE + RESERVE)))
        return True

    def _pay(self, place: int) -> None:
        """Pay for the values that were judged up to a place."""
        for judged in self._judged:
            while judged and judged[0] <= place:
                self._charge(judged.popleft(), CANDIDATE_COST)

    def _charge(self, place: int, cost: int) -> None:
        self._cost += cost
        self._paid.append((place, cost))

    def look(self, text: str, base: int, hits: list[Hit], stretch: tuple[int, int]) -> list[SecretMatch]:
        """What is found near the words at the hits of a stretch, and near earlier ones."""
        found: list[SecretMatch] = []
        start, end = stretch
        self._paid.clear()
        del self._pauses[:-1]
        for kind in (0, 1):
            left = self._open[kind]
            if left is not None:
                self._open[kind] = None
                found += self._around(text, base, kind, (start, start, left[0] - base, left[1], end))
        for hit in hits:
            at, kind = hit >> RULE_BITS, (hit & RULE_MASK) - NEAR
            if at >= end:
                break
            if base + at < self._pauses[-1][1]:
                continue
            before = self._word[kind] - base
            if self._is_spent(base + at):
                continue
            is_apart = at >= before + APART or text.find("\n", before, at) >= 0
            self._charge(base + at, WORD_COST if is_apart else CLOSE_WORD_COST)
            word = (_TOKEN_WORD if kind else _PASSWORD_WORD).match(text, at)
            if word is not None and not _is_mark(text, at):
                if word.lastgroup == "far":
                    self._word[kind] = base + at
                reach = _REACH[kind][word.lastgroup or "far"]
                first = max(text.rfind("\n", max(0, at - BACK), at) + 1, at - BACK, 0)
                if text.find(MARK, first, at) >= 0:
                    first = at
                found += self._around(text, base, kind, (first, at, at + reach.chars, reach.lines, end))
        return found

    def _around(self, text: str, base: int, kind: int, bounds: tuple[int, int, int, int, int]) -> list[SecretMatch]:
        """What stands from the first place on, up to the limit, and so many lines below the one of `at`."""
        first, at, limit, lines, end = bounds
        mark = text.find(MARK, at, limit + LONGEST)
        if mark >= 0:  # what has no blank between it and a mark may have been a part of what is hidden
            limit = min(limit, max(at, *(text.rfind(blank, at, mark) for blank in " \t\n")))
        stop = min(limit, end)
        newline = text.find("\n", at, stop)
        while newline >= 0:
            if lines == 0:
                stop = limit = newline
                break
            lines -= text[newline - 1 : newline] != "\n"
            newline = text.find("\n", newline + 1, stop)
        if limit > end:
            self._open[kind] = base + limit, lines
        first = max(first, self._upto[kind] - base)
        found: list[SecretMatch] = []
        if first < stop:
            self._upto[kind] = base + stop
            for begin, until in _candidates(text, first, stop, SHORTEST_CODE if kind else values.SHORTEST_TOKEN):
                self._judged[kind].append(base + begin)
                if is_drawn(text[begin:until]) and not _is_something_else(text, begin, until):
                    found.append((begin, until, NEAR + kind, ("PASSWORD", "TOKEN")[kind], PLAIN))
        return found


def _candidates(text: str, first: int, stop: int, shortest: int) -> Iterator[tuple[int, int]]:
    """Where texts begin and end that are no words, begin before a place, and have nothing beside them."""
    last = 0
    for word in _NEXT.finditer(text, first, min(len(text), stop + LONGEST + 1)):
        begin, until = word.span(1)
        if begin >= stop or begin < 0:
            return
        if begin < last:
            continue
        if text[until : until + 1] in _JOINTS or text[begin - 1 : begin] in _JOINTS:
            before = _CODED_LEFT.match(text[max(0, begin - LONGEST, last) : begin][::-1])
            code = _CODED.match(text, begin - (before.end() if before else 0))
            if code is None:
                continue
            begin, until = code.span(1)
            last = until
        if shortest <= until - begin <= LONGEST and _LEFT.match(text, begin) and _RIGHT.match(text, until):
            yield begin, until


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
    if _HEX.match(value):
        return False
    if not value.isalnum():
        letters = _PARTS.sub("", value)
        return (
            values.mixes_all(value)
            and _strange_steps(letters) >= LEAST_STEPS_OF_CODE
            and not values.stand_in(value)
            and max(map(len, _PARTS.split(value))) >= values.SHORTEST_TOKEN
            and not _is_name(letters)
        )
    if not values.says_nothing(value):
        return False
    plain = _ABBREVIATED.sub("Ee", value)
    if any(all(values.may_follow(*pair) for pair in pairwise(word)) for word in _LONG_WORD.findall(plain)):
        return False
    least = LEAST_STEPS_OF_NAMES if _STRAIGHT.match(plain) else LEAST_STEPS
    least = least if any(map(str.isdigit, plain)) else max(least, LEAST_STEPS_OF_LETTERS)
    return _strange_steps(plain) >= least and not _is_name(value)


def _is_name(value: str) -> bool:
    """Whether it takes less to say a value as a name, part by part, than to draw its letters and digits.

    >>> [_is_name(text) for text in ("PK11SlotInfo", "pbkdf2Key", "IMAP4rev1", "msSFU30Name", "Xk29dkLq", "x7KqPz2LwR")]
    [True, True, True, True, False, False]
    """
    one_case = value in {value.lower(), value.upper()}
    drawn = len(value) * (ONE_CASE_BITS if one_case else MIXED_BITS)
    return sum(map(_part_bits, _NAME_PARTS.findall(value))) < NAMES_TAKE * drawn


def _part_bits(part: str) -> float:
    if part.isdigit():
        return PART_BITS + (USUAL_BITS if part in _USUAL_PARTS else 1 + DIGIT_BITS * len(part))
    steps = (LIKELY_BITS if values.may_follow(*pair) else UNLIKELY_BITS for pair in pairwise(part))
    said = min(LETTER_BITS + sum(steps), LETTER_BITS * len(part))
    return PART_BITS + (min(said, USUAL_BITS) if part.lower() in _USUAL_PARTS else said)


def _strange_steps(value: str) -> float:
    """How many of the steps from one character to the next no name takes; one into another kind counts half."""
    steps = 0.0
    for first, second in pairwise(value):
        if first.isdigit():
            steps += not second.isdigit()
        elif second.isdigit() or (first.islower() and second.isupper()):
            steps += 0.5
        else:
            steps += not values.may_follow(first, second)
    return steps / max(1, len(value) - 1)


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
