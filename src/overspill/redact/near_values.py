"""What stands near a word for secrets: values that were drawn, with signs in them or without, and what says that a
value is none.

Signs stand among letters of both cases and digits, as generators mix them: `x7!Kq-P2z_Lw`.

Signs end words, and joints as in `-`, `_` and `.` stand in names, too. So a value is looked at with all its signs, from
the blank or quote before it to the one behind it. That it stands near a word for secrets is for those to say that ask.
"""

from __future__ import annotations

from _bisect import bisect_left
from itertools import accumulate

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.redact import made_up, names, values
from overspill.redact.hits import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match

ASKS_IN_CODE, _ASKS_WHO_IN_CODE = "UGFzc3dvcmQ6", "VXNlcm5hbWU6"  # as a server asks for a password and a user
SHORTEST, SHORTEST_HEX, LONGEST_NAME, ECHO_BACK = values.SHORTEST_TOKEN, 32, 48, 200  # characters
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
SHORTEST_ROW, LONGEST_ROW = 57, 80


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
            value not in {ASKS_IN_CODE, _ASKS_WHO_IN_CODE}
            and _is_drawn(value)
            and made_up.SPEAKING.search(value) is None
        )
        _judged[value] = names.name_bits(value) if drawn else None
    return _judged[value]


def is_plainly_drawn(text: str, start: int, end: int) -> bool:
    """Whether a value was drawn, and does not look like a name where it stands."""
    bits = drawn_bits(text[start:end])
    if bits is None or _ROW_BEHIND.match(text, end) or _is_behind_row(text, start):
        return False
    if bits > MOST_OF_WORDY and (is_one_of_many(text, start, end) or _is_echoed(text, start, end)):
        return False
    line = text[max(0, start - LONGEST_NAME) : start].rpartition("\n")[2]
    if bits > MOST_OF_NOUNS and (made_up.is_noun(text, start, end) or _is_only_argument(text, start, end)):
        return False
    if bits > MOST_OF_ARGUMENTS and _is_argument(text, start, end):
        return False
    return bits < MOST_IN_PROSE or values.mixes_all(text[start:end]) or _SET_APART.search(line) is not None


def _is_behind_row(text: str, start: int) -> bool:
    """Whether a row of base64 ends before a place. Hardly any place has so much before it without a blank."""
    if start < SHORTEST_ROW or text.find(" ", start - SHORTEST_ROW, start - 2) >= 0:
        return False
    return _ROW_BEFORE.search(text, max(0, start - LONGEST_ROW), start) is not None


def _is_only_argument(text: str, start: int, end: int) -> bool:
    """Whether a variable is all that a function is given: `Equal(krb5Mesh)`."""
    return text.startswith(")", end) and text[start - 1 : start] == "(" and text[start - 2 : start - 1].isalnum()


def _is_argument(text: str, start: int, end: int) -> bool:
    """Whether nothing but variables stand beside it in a call that ends a statement: `toGroup(input, ctxPOPRF);`."""
    return _ARGUMENTS.match(text, end) is not None and _IN_CALL.search(text, max(0, start - BESIDE), start) is not None


def is_one_of_many(text: str, start: int, end: int) -> bool:
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
    around = f"{text[max(0, start - ECHO_BACK) : start]}\n{behind}".replace(value, "").lower()
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
    if SYMBOL.match(value) or values.is_uuid(value):
        return False
    parts = [part for part in _PARTS.split(value) if len(part) < SHORTEST or not _HEX.match(part)]
    return (
        values.mixes_all(value)
        and max(map(len, parts), default=0) >= SHORTEST_PART
        and names.name_bits("".join(parts)) < values.CODE_BITS
        and not values.stand_in(value)
    )


# Signs among letters and digits.
LONGEST = 200  # characters of a value

# What has signs that no word has between letters and digits, or joints as in names, and blanks or quotes around it; and
# what has letters of both cases and signs, or a digit and joints.
_SIGNED = compile_pattern(
    r"""(?:(?<!\S)|(?<=[\s(=:,\[{>]["'`])|(?<=[a-z]>)|(?<=\\[nrt]))"""
    r"""([A-Za-z0-9!#$%^&*?~+][A-Za-z0-9!#$%^&*?~@+=_.,;:|-]{8,40}[A-Za-z0-9!#$%^&*?~+=_-])"""
    r"""(?=["'`]?[,;.)\]}]?(?:\s|\Z)|["'`][.,;:)\]}]|</|\\[nrt])"""
)
_HAS_SIGNS = compile_pattern(
    r"(?=[^A-Z]*+[A-Z])(?=[^a-z]*+[a-z])(?:[^!#$%^&*?~@+=]*+[!#$%^&*?~@+=]|(?=[^0-9]*+[0-9])[^_.-]*+[_.-])"
)
_LONG = compile_pattern(r"\S{10,}+")
_SETTING = compile_pattern(r"""([A-Za-z_]{3}\w*+)[=:](?=[^\s"'`<>]*+\Z)""")  # nothing else in it
_EXPRESSION = compile_pattern(r"[0-9]{6,}|&#[0-9x]|[A-Za-z_]{3}\w*[=:]|[=:][A-Za-z_]\w{3,}$|@[\w-]+\.")
_OPERATOR = compile_pattern(r"[=+&!|]{2}")
# Words and numbers of two digits joined as symbols are.
SYMBOL = compile_pattern(r"[A-Za-z]+[0-9]{0,2}(?:_{1,2}[A-Za-z]+[0-9]{0,2}){2,}\Z")
_MODEL = compile_pattern(
    r"[A-Z][A-Za-z0-9]{0,5}(?:-[A-Za-z0-9]{1,6}){3,}|\w{3}-\w{2}-\w{3}"
)  # of a device, or of a screen
_LETTERS = compile_pattern(r"[A-Za-z]{5,}")
MOST_OF_SIGNED, MOST_OF_UNMIXED = -8.0, -12.0  # bits; of what has no digit, or an operator of code


def signed_values(text: str, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where letters of both cases, digits and signs were mixed, and no expression, address or setting was written."""
    for written in _LONG.finditer(text, first, min(len(text), stop + LONGEST)):
        start, end = written.span()
        if start >= stop:
            return
        setting = _SETTING.match(text, start, end)  # most that have a sign are settings, whose name tells them
        if (setting is None or not names.promise(setting[1]).level) and _HAS_SIGNS.match(text, start, end):
            yield from (span for span in _signed_in(text, start, end) if span[0] < stop)


def _signed_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for word in _SIGNED.finditer(text, start, end):
        value = word[1]
        # What is known of a name, and soon told, comes first: most that have a sign are settings.
        if (
            value.isalnum()
            or SYMBOL.match(value)
            or _MODEL.fullmatch(value)
            or values.is_uuid(value)
            or any(map(_is_word, _LETTERS.findall(value)))
        ):
            continue
        said = _EXPRESSION.search(value)
        if said is not None and (names.promise(said[0].rstrip("=:")).level or not values.looks_drawn(said[0])):
            continue
        if values.is_code(value):
            continue
        is_mixed = values.mixes_all(value) and _OPERATOR.search(value) is None
        most = MOST_OF_SIGNED if is_mixed else MOST_OF_UNMIXED
        if names.name_bits("".join(filter(str.isalnum, value))) < most and not values.stand_in(value):
            yield word.span(1)


_REMEMBERED = 4096
LIKE_A_NAME = 7.0  # bits
_words: dict[str, bool] = {}


def _is_word(letters: str) -> bool:
    """Whether letters are spelled like a name. Of settings, they come again and again."""
    known = _words.get(letters)
    if known is None:
        if len(_words) >= _REMEMBERED:
            _words.clear()
        known = _words[letters] = names.name_bits(letters) >= LIKE_A_NAME
    return known


# What else a value may be than a secret, by what stands around it: an id, a digest, a name, a public key, code.
LONG_ROW_ID = 40  # characters of a digest that begins a row
_NAMED = compile_pattern(
    r"""(?P<name>(?:[A-Za-z]{1,20}[ ])?[A-Za-z][\w.-]{0,40}+)"""
    r"""\\{0,3}+["'`\])]{0,3}+[ \t]{0,4}+(?:=>|[:=]{1,2}+)[ \t]{0,4}+\\{0,3}+["'`(\[{<]{0,3}+\Z"""
)
_FLAG = compile_pattern(r"(?:(?<!\S)--?([A-Za-z][\w-]{1,40})[ \t]{1,4}[\"']?|<([A-Za-z][\w.:-]{1,40})>)\Z")
_SIGNS = frozenset(":=>")
_OPENED = frozenset(("plaintext", "cleartext"))
_CALLED_SO = compile_pattern(
    r"(?:^|[^a-z])(?:user|username|account|host|id|ref|commit|job|order|build|request|class|type|version|from|closes|fixes|var|let|val"
    r"|import|def|[*/#]{1,2} @[a-z]{3,12}|(?:function|property)(?: in)?|struct|name|ssh-[a-z0-9]{2,10}"
    r"|connect[a-z]{0,3} to|sha[0-9]{1,3})[ \t#:]{1,2}[\"'`]?\Z"
)
# What is open to all: words that say so anywhere, and those that need an edge. One pattern of all takes far longer.
_OPEN_WORDS = (
    "public", "fingerprint", "integrity", "checksum", "digest", "certificate", "pubkey", "signature", "base64,",
    "cipher", "ssh-rsa", "ssh-ed25519", "ssh-dss", "ecdsa-", "dnskey", "etag", "cache", "-----begin", "dkim",
    "site-verification", "sec-websocket",
)  # fmt: skip
_EDGED = compile_pattern(r"sha-?[0-9]|client[ _-]?id|\b(?:certs?|md5|salt|iv)\b")
_IN_EDGED = ("sha", "client", "cert", "md5", "salt", "iv")
# What a file is called by its content, what names a thing of a cloud, how a line of base64 stands below another.
_PUBLIC = compile_pattern(
    r"Qm[1-9A-HJ-NP-Za-km-z]{44}\Z|baf[a-z2-7]{50,}\Z|H4sIA|AAAA[BCE][23][NV][zj]|MI[GI][\w+/]{5,6}ANBgkqhkiG9w0BAQEF|MFkwEwYHKoZIzj0|MCowBQYDK2V"
)
_RESOURCE = compile_pattern(
    r"(?:\|1\|[A-Za-z0-9+/]*=\||=\?[\w-]+\?[bB]\?|(?<![^\s\"'`])(?:arn:|urn:|projects/)[^\s\"'`]*)\Z"
)
_RECORD = compile_pattern(r"[ \t](?:RRSIG|NSEC3?|NSEC3PARAM|C?DNSKEY|C?DS|TLSA|SSHFP|OPENPGPKEY)[ \t]")
RECORD_BACK = 300
_KIND = compile_pattern(r"(?:[0-9]{1,3}:)?[A-Za-z_]{4,40}:?[0-9]{1,9}\Z")
_RESOURCES = ("|1|", "=?", "arn:", "urn:", "projects/")
_BLOCK = compile_pattern(
    r"""(?:[ \t]*["'`]?[\w+/-]{40,76}={0,2}["'` +\\.,en]{0,4}|[\w+/]{77,100}|-----BEGIN [A-Z0-9 ]+-----)\r?\n\Z"""
)
_COLUMN_BESIDE, _SAYS_BESIDE = compile_pattern(r"[ ]{2,}[A-Za-z]"), compile_pattern(r"[ \t]{1,4}[a-z]{2,12}=")
LINE_BEFORE, LONGEST_CALL, LONGEST_MARK, SHORTEST_LINE = 200, 18, 40, 56  # characters
# The id of an object, with its kind before it; what stands behind a variable among texts, or behind a type.
_OBJECT, _OF_CODE = compile_pattern(r"[a-z]{2,8}_[A-Za-z0-9]+\Z"), compile_pattern(r"[,)]|:\s")
_NAMES, _PACKING = compile_pattern(r"""[ \t]{1,8}(?:["']|(?i:on|off|yes|no|true|false)\b)"""), frozenset(",;!)}]^#$")


def _is_id_of_row(text: str, start: int, end: int) -> bool:
    """Whether small letters and digits begin a row with a column beside them: `docker secret ls`, or a digest does."""
    if text[start - 1 : start] not in {"", "\n"}:
        return False
    form = _COLUMN_BESIDE if text[start:end].islower() else _SAYS_BESIDE if end - start > LONG_ROW_ID else None
    return form is not None and form.match(text, end) is not None


def _is_of_log(text: str, line: str, end: int) -> bool:
    """Whether a value says what a message or a change is about, between two colons, or who could not log in."""
    if line.endswith(": "):
        return text.startswith(": ", end)
    return line.endswith(" for ") and text.startswith(" from ", end)


def _is_of_code(text: str, line: str, end: int) -> bool:
    """Whether a variable stands among texts in quotes, or what a function returns behind its arrow."""
    if _OF_CODE.match(text, end) is None:
        return False
    return line.endswith(("', ", '", ')) or (line.endswith("-> ") and text[end] == ":")


def _is_id_in_code(value: str) -> bool:
    """Whether base64 says a kind and a number, as an address of an object does.

    >>> _is_id_in_code("YXJyYXljb25uZWN0aW9uOjE="), _is_id_in_code("YWRtaW46aHVudGVyMg==")
    (True, False)
    """
    if len(value) % 4 or not values.is_base64(value):
        return False
    from binascii import a2b_base64  # few values are as long

    said = a2b_base64(value)
    return said.isascii() and _KIND.match(said.decode()) is not None


def _is_of_zone(text: str, start: int) -> bool:
    """Whether a record of a zone begins a few lines before a value: signatures, digests and keys that all may have."""
    return _RECORD.search(text, max(0, start - RECORD_BACK), start) is not None


def _is_resource(line: str) -> bool:
    return any(map(line.__contains__, _RESOURCES)) and _RESOURCE.search(line) is not None


def _is_packed(text: str, start: int, end: int) -> bool:
    """Whether signs stand on both sides of a value, and no blank near it: code that nobody is to read, or its map."""
    before, after = text[start - 1 : start], text[end : end + 1]
    line = text[max(0, start - BESIDE) : start].rpartition("\n")[2] + text[start : end + BESIDE].partition("\n")[0]
    if " " not in line and "\t" not in line and values.is_of_many_signs(line):
        return True
    if before not in _PACKING or not (after in _PACKING or (after == '"' and before in ",;")):
        return False
    around = text[max(0, start - BESIDE) : start] + text[end : end + BESIDE].partition("\n")[0]
    return len(around) > BESIDE and not any(blank in around for blank in " \t\n")


def _is_in_block(text: str, start: int, end: int) -> bool:
    """Whether a line of base64 stands below another one, or below the line that says what begins: it is no key of ours.

    Private keys are told by their first line, all of them.
    """
    if end - start < SHORTEST_LINE and not text.startswith("\n-----END ", end):
        return False
    line = text.rfind("\n", max(0, start - LINE_BEFORE), start) + 1
    above = text.rfind("\n", max(0, line - LINE_BEFORE), max(0, line - 1)) + 1
    return line > 0 and not text[line:start].strip(" \t\"'`") and _BLOCK.match(text[above:line]) is not None


class OpenWords:
    """What says in a part of a text that what stands behind it is open to all.

    It is looked for once for all values that stand there.

    >>> text = "the public x, the certs y"
    >>> said = OpenWords(text, 0, 25)
    >>> said.stand_in(text, 0, 11), said.stand_in(text, 5, 18), said.stand_in(text, 5, 24)
    (True, False, True)
    """

    def __init__(self, text: str, first: int, stop: int) -> None:
        self._text, self._first, self._stop = text, first, stop
        self._begins: list[int] | None = None  # nothing is looked for before it is asked
        self._ends: list[int] = []  # the first of what begins there or later
        self._is_one_to_one = True

    def stand_in(self, text: str, begin: int, end: int) -> bool:
        """Whether any stands between two places."""
        begins = self._find() if self._begins is None else self._begins
        if not self._is_one_to_one:  # in small letters it is longer: no place is where it was
            return bool(_open_spans(text[begin:end].lower()))
        index = bisect_left(begins, begin)
        return index < len(begins) and self._ends[index] <= end

    def _find(self) -> list[int]:
        small = self._text[self._first : self._stop].lower()
        self._is_one_to_one = len(small) == self._stop - self._first
        spans = _open_spans(small)
        self._begins = [self._first + begin for begin, _ in spans]
        self._ends = [*accumulate((self._first + end for _, end in reversed(spans)), min)][::-1]
        return self._begins


def _open_spans(small: str) -> list[tuple[int, int]]:
    """Where words that say so stand in a text in small letters."""
    spans = [(at, at + len(word)) for word in _OPEN_WORDS if word in small for at in _places(word, small)]
    edged = (_EDGED.match(small, at) for word in _IN_EDGED if word in small for at in _places(word, small))
    return sorted(spans + [match.span() for match in edged if match])


def _places(word: str, text: str) -> Iterator[int]:
    """Where a word stands in a text."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def is_something_else(text: str, start: int, end: int, open_words: OpenWords) -> bool:
    """Whether what stands before a value says that it is an id, a digest, a name or a public key.

    Behind a mark it is not known what was said.
    """
    line = text[max(0, start - LINE_BEFORE - LONGEST_MARK) : start].rpartition("\n")[2]
    if MARK in line:
        return True
    line = line[-LINE_BEFORE:]
    named = _name_before(line) if line.rstrip(" \t\"'`([{<\\")[-1:] in _SIGNS else None
    if named is not None:
        name = named["name"]
        escaped = line[named.start() - 1 : named.start()] == "\\" and name[0] in "nrt"  # what ends a line in quotes
        is_id = _OBJECT.match(text, start, end) is not None and names.SPEAKS.search(name) is None
        if name.lower() in _OPENED or is_id or not names.may_be_secret(name[escaped:]):
            return name.lower() not in _OPENED  # whatever else its line says
    flag = _FLAG.search(line, max(0, len(line) - LONGEST_NAME))
    if (
        (flag is not None and not names.may_be_secret(flag[flag.lastindex or 1]))
        or _CALLED_SO.search(line[-LONGEST_CALL:].lower())
        or _PUBLIC.match(text, start, end)
    ):
        return True
    if (
        _is_id_in_code(text[start:end])
        or _is_id_of_row(text, start, end)
        or _is_in_block(text, start, end)
        or _is_resource(line)
        or _is_of_zone(text, start)
    ):
        return True
    names_setting = not line.strip(" \t#\\&") and _NAMES.match(text, end) is not None  # its value stands behind it
    if names_setting or _is_of_log(text, line, end) or _is_packed(text, start, end) or _is_of_code(text, line, end):
        return True
    return end - start >= values.SHORTEST_KEY and open_words.stand_in(text, start - len(line), start)


def _name_before(line: str) -> Match[str] | None:
    """The name that a value belongs to, before the sign at the end of a line: of two words at most."""
    end = len(line.rstrip(" \t\"'`([{<\\").rstrip(":=>").rstrip(" \t\"'`])}\\"))
    word = line.rfind(" ", 0, end)
    first = line.rfind(" ", 0, max(0, word)) + 1
    return _NAMED.search(line, max(first, len(line) - LONGEST_NAME))
