r"""What people make up as a password, and what machines make up for them to type: words with a number, several words,
groups of letters.

    Maple4711    River_2026!    one-red-fox    velvet.lantern.maple.tundra    glyp tise ywbi iumu

Nothing here was drawn from all letters, so names look like it. Whether a value stands where only a password can is for
those to say that ask.
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import TYPE_CHECKING, compile_pattern, lru_cache
from overspill.redact import names, values
from overspill.redact.hits import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Match, Pattern

# A word, or several; and what a word beside `password` says when it is not the password: its type, its state, its name.
_BARE_WORD = compile_pattern(r"(?=[a-z_-]{6})[a-z]{2,40}(?:[-_][a-z]{2,20}){0,6}$")
# Several words, joined in one way; and what only the names of things are made of.
_PHRASE = compile_pattern(r"[a-z]{3,12}([-_.])[a-z]{3,12}(?:\1[a-z]{3,12}){2,9}$")
_OF_NAMES = (
    "form", "auth", "title", "error", "message", "view", "page", "model", "service", "module", "common", "help", "hint",
    "screen", "dialog", "button", "org", "com", "net", "www", "src", "lib", "app", "test", "get", "key", "secret",
    "class", "method", "function", "server", "client", "system", "http", "html", "data", "file", "host", "util", "core",
)  # fmt: skip
ABOUT = (
    "pass", "pwd", "senha", "contras", "wacht", "heslo", "lozinka", "parola", "salasana", "adgang", "mdp",
    "string", "object", "number", "boolean", "integer", "char", "varchar", "bytes", "text", "requir", "need", "option",
    "missing", "invalid", "wrong", "incorrect", "default", "unset", "unknown", "undefined", "hidden", "mask", "redact",
    "cipher", "plain", "encrypt", "crypt", "hash", "input", "field", "value", "entry", "label", "forgot",
    "reset", "change", "enter", "confirm", "prompt", "user", "login", "email", "name", "token", "config",
    "setting", "environ", "variable", "disabled", "enabled", "ignore", "never", "always", "example", "sample",
    "placeholder", "keyring", "keychain", "external", "manual", "random", "generat", "auto", "inherit",
    "custom", "column", "schema", "nullable", "foobar", "ssword",
)  # fmt: skip


@lru_cache(names.REMEMBERED)
def bare_word(value: str, *, any_case: bool = False) -> bool:
    """Whether a word could be a password, where nothing but one can stand: small letters, and no word about passwords.

    >>> [bare_word(text) for text in ("correcthorse", "required", "getPassword", "your-password", "one-red-fox")]
    [True, False, False, False, True]
    """
    small = value.lower() if any_case and value[1:] in {value[1:].lower(), value[1:].upper()} else value
    if is_phrase(small):
        return not values.stand_in(value)
    if _BARE_WORD.match(small) is None or "pass" in small or "pwd" in small or values.stand_in(value):
        return False
    is_named_so = names.promise(small).level >= names.PASSWORD
    return not (is_named_so or any(word.startswith(ABOUT) for word in small.replace("_", "-").split("-")))


@lru_cache(names.REMEMBERED)
def is_phrase(value: str) -> bool:
    """Whether four small words and more, joined by a sign, are a password under the name of one: a name says of what.

    >>> [is_phrase(text) for text in ("velvet.lantern.maple.tundra", "auth.form.reset.title", "one.two.three")]
    [True, False, False]
    """
    form = _PHRASE.match(value)
    return form is not None and not any(word.startswith((*ABOUT, *_OF_NAMES)) for word in value.split(form[1]))


def is_apart(text: str, start: int, end: int) -> bool:
    """Whether words without quotes are no name in code: dashes join them, or a line ends with them behind a colon."""
    if "-" in text[start:end]:
        return True
    return text[max(0, start - 8) : start].rstrip().endswith(":") and text[end : end + 1] in {"", "\n", "\r"}


# What makes a sentence of words.
_SENTENCES = frozenset(
    "the a an of to in on at by or and is are was be for with from your my our this that it as if not no must can"
    " please should will you we they when enter type set use used using one more least new old de la le el les"
    " une un der die das ein und do da em por para su tu mot seu sua".split()
)
FEWEST_WORDS = 3
# Words with a number, as people make them up; the names of codes, releases and places have one, too.
_SPOKEN = compile_pattern(
    r"""(?x) (?! (?i:base|utf|sha|md|aes|rsa|des|argon|pbkdf|oauth|http|ipv|win|iso|latin|[a-z]?crypt|rfc|tls|ssl|cve
          |ecdsa|ed|secp|pkcs|ieee|xep|u?int|q?u?int|n?varchar|float|double|python|java|node|php|ubuntu|debian|release|version|chapter|section|step|page|line|port|test|us|eu|ap
          |[a-z]{1,2}(?=[-_.]?[0-9][A-Za-z0-9]*$)) [-_.]?[0-9] )
    (?=[^\s]{7,64}$) (?=[^0-9]*+[0-9])
    (?: [A-Za-z]+[0-9][A-Za-z0-9]* | (?:[A-Za-z]{3,16}[-_.]){1,3}[0-9]{2,4} | [A-Z][a-z]{2,15}[@\#$&][0-9]{1,4}
      | [A-Z0-9](?=[a-z0-9]{0,15}[0-9])(?=[a-z0-9]{0,15}[a-z])[a-z0-9]{3,15}[!@\#$&][0-9]{2,4}
      | [A-Z][a-z]{2,15}[-_.][0-9](?=[!\#$%&*@?]) ) [!\#$%&*@?+_.-]{0,3}$"""
)


_CODE_NAME = compile_pattern(r"(?i)(?:^|-)(?:s?sha|aes|cbc|gcm|ctr|rsa|utf|tls|ssl|hmac|scram|eip|rfc|cve)(?=[0-9-]|$)")


@lru_cache(names.REMEMBERED)
def is_spoken(value: str) -> bool:
    """Whether a word with digits in it is a password where somebody says what theirs is, and not the name of a code.

    >>> [is_spoken(text) for text in ("hunter2horse", "winter2026", "sha256", "base64encoded", "required")]
    [True, True, False, False, False]
    """
    return _SPOKEN.match(value) is not None and not (_CODE_NAME.search(value) or values.stand_in(value))


# A number as it ends a made-up password, the sign behind it, and, backwards, the words before it.
_NUMBER = compile_pattern(r"[0-9]++([!#$%&*@?]{0,3}|[_-])(?![A-Za-z0-9_(/=:<]|[.@-][A-Za-z]|\.[0-9])")
_WORDS_BACK = compile_pattern(
    r"(?:[@#$&_]?(?:[a-z]{2,15}[A-Z]){1,3}|[a-z]{3,15}|-[a-z]{3,15}(?:-[a-z]{3,15}){1,2}|(?P<leet>[a-z0-9]{3,20}[A-Z]))"
    r"(?![\w./\\@+~%$#&?-])"
)
OF_WHOM = compile_pattern(r"(?i)(?:^|[^a-z])(?:for|of|by|from|on|at|user|in)[ (]{1,2}$")
NUMBER_DIGITS, NUMBER_REACH = range(2, 5), 48
_BEFORE_NUMBER, _SIGNS = frozenset("-@#$&_"), ("!", "?", "#", "$", "%", "*")  # a lone digit has one behind it


def made_up_words(text: str, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where words with a number behind them begin between two places, and end if people make passwords of their like.

    >>> list(made_up_words("a Maple4711, b-22 sha256", 0, 24))
    [(2, 11), (18, 18)]
    """
    for number in _NUMBER.finditer(text, first, min(len(text), stop + NUMBER_REACH)):
        at = number.start()
        if not (text[at - 1] in _BEFORE_NUMBER or text[at - 3 : at].isalnum()):
            continue
        if number.start(1) - at not in NUMBER_DIGITS and not (number.start(1) - at == 1 and number[1][:1] in _SIGNS):
            continue
        words = _WORDS_BACK.match(text[max(0, at - NUMBER_REACH) : at][::-1])
        begin = at - words.end() if words else stop
        if words is None or not first <= begin < stop:
            continue
        word = text[begin : number.end()]
        told = (words["leet"] is None or number[1] == "!") and is_spoken(word) and not values.is_hex(word)
        yield begin, number.end() if told and not OF_WHOM.search(text[max(0, begin - 8) : begin]) else begin


# What made-up words stand between, if they are a value; such as name no host, and such as may name a user.
_BEHIND_VALUE = compile_pattern(r"""["'`][,;) \t]|["'`]?[;,)\]]{0,2}[ \t]*+\r?\Z|\t|[ ]{2,}""")
_BEFORE_VALUE = compile_pattern(r"""["'`=:\t ]\Z""")
_NO_HOST = compile_pattern(
    r"(?:[A-Z][a-z]+){2}[0-9]+|[A-Z][a-z0-9]+(?:[@#$&_][0-9]+)?[!#$%&*@?]{1,3}\Z|[A-Z][a-z]+[@#$&][0-9]"
)
_MAY_NAME = compile_pattern(r"[a-z]+[0-9]+\Z")
# A value that itself speaks of secrets is what one is called: YubiKeys, smbk5pwd, get0_authorityId.
SPEAKING = compile_pattern(
    r"(?i)pass|pwd|auth|(?-i:Key|(?<![a-z])key|keys)|token|secret|cred|log[io]n|crypt|cert|(?-i:PSK|CMPW)"
    r"|wlan|wi-?fi|s?ftp|ldap|smtp|imap|odbc|jdbc"
)
LINES_ABOVE, NEAR_BEFORE, NEAR_BEHIND = 2, 200, 60
_OF_CALL = compile_pattern(r"[A-Za-z_]\(\Z")


def is_made_up(text: str, start: int, end: int, word_for_secrets: Pattern[str]) -> bool:
    """Whether words that end in a number are a password: a word for one stands on their line, or a line or two above
    them, if they end theirs or stand in quotes; or one for who logs in does, if they are no name of a host or a user.
    """
    *above, before = text[max(0, start - NEAR_BEFORE) : start].split("\n")
    behind = text[end : end + NEAR_BEHIND].partition("\n")[0]
    if MARK in before or MARK in behind or SPEAKING.search(text[start:end]):
        return False
    if (_OF_CALL.search(before) and behind[:1] == ",") or behind.startswith("](") or is_noun(text, start, end):
        return False  # a variable, the name of a link, or of a thing
    words = [word for said in (before, behind) for word in word_for_secrets.finditer(said)]
    if any(map(_asks_for_password, words)):
        return True
    is_announced = not before.strip() and "\n".join(above).rstrip()[-1:] == ":"  # alone on its line, below a colon
    if _BEHIND_VALUE.match(behind) is None or not (is_announced or _BEFORE_VALUE.search(before)):
        return False
    if words:
        return _NO_HOST.match(text, start, end) is not None
    said = "\n".join(above[-LINES_ABOVE:])
    is_name = _MAY_NAME.match(text, start, end) is not None and behind.strip() != ""
    return not is_name and MARK not in said and any(map(_asks_for_password, word_for_secrets.finditer(said)))


# What only a noun follows, and how the sentence goes on behind it.
_DETERMINED = compile_pattern(
    r"(?:(?:^|[^A-Za-z])(?:[Aa]n?|[Tt]he|th(?:at|is|ese)|each|any|no|its|on|of|by)|[.!?)])[ ]\Z"
)
_GOES_ON = compile_pattern(r"[ ][A-Z]?[a-z]{2,20}(?![\w=:/])")


def is_noun(text: str, start: int, end: int) -> bool:
    """Whether a value stands in the middle of a sentence where only the name of a thing does.

    >>> is_noun("gets an S4U2proxy ticket", 8, 17), is_noun("the password is S4U2proxy now", 16, 25)
    (True, False)
    """
    return _GOES_ON.match(text, end) is not None and _DETERMINED.search(text[max(0, start - 8) : start]) is not None


def _asks_for_password(word: Match[str]) -> bool:
    """Whether a word is one for passwords and nothing else: tests pass, and so do arguments."""
    if len(word[0]) > len("pass"):
        return word.lastgroup == "far"
    said = word[0].lower()
    return said in {"psk", "pw"} or (said == "pass" and is_whose(word.string, word.start()))


# A pass that somebody or something has is a password, and so is one below the name of a user.
_WHOSE = compile_pattern(
    r"(?i)(?:^|[^\w-])(?:my|your|our|his|her|their|db|admin|root|user|login|wi-?fi|vpn|s?ftp|ssh|smtp|mail)[ _-]\Z"
    r"|(?:user(?:name)?|login|account)[ ]?[:=][^\n]{1,60}\n[ \t>-]{0,16}\Z"
)


def is_whose(text: str, at: int) -> bool:
    r"""Whether it stands before a place whose pass it is.

    >>> is_whose("FTP pass", 4), is_whose("user: jo\npass", 9), is_whose("tests pass", 6)
    (True, True, False)
    """
    return _WHOSE.search(text, max(0, at - NEAR_BEFORE), at) is not None


@lru_cache(names.REMEMBERED)
def passphrase(value: str) -> bool:
    """Whether words with blanks between them are a secret: three or more, and not a sentence or a label.

    >>> [passphrase(text) for text in ("correct horse battery staple", "Enter your password", "New password")]
    [True, False, False]
    """
    words = value.split(" ")
    if len(words) < FEWEST_WORDS or not all(word.isalnum() and word.isascii() and len(word) > 1 for word in words):
        return False
    if any(word.lower() in _SENTENCES or word.lower().startswith(ABOUT) for word in words):
        return False
    said = [word for word in words if not word.isdigit()]
    return all(map(str.islower, said)) or all(word[0].isupper() for word in said)


FEWEST_GROUPS = 6  # of digits alone


def is_grouped(value: str) -> bool:
    """Whether groups of letters and digits, as long as each other, are a key that is to be typed.

    >>> [is_grouped(text) for text in ("3t25 xwg2 scpc inuz q3eg", "this were 2010 upon when", "1234 5678 9012 3456")]
    [True, False, False]
    """
    parts = value.replace("-", " ").split(" ")
    joined = "".join(parts)
    if (
        len(set(map(len, parts))) > 1
        or len(set(joined)) < values.DISTINCT
        or (values.is_hex(joined) and not joined.isdigit())
    ):
        return False  # a fingerprint is hexadecimal
    return len(parts) >= FEWEST_GROUPS if joined.isdigit() else names.name_bits(joined) < 0


# Groups of four small letters, as mail providers and others give a password to be typed, from the first sign on.
_LETTERS = compile_pattern(r"([ -])(?<=[a-z]{4}.)(?<![\w.-].{5})[a-z]{4}\1[a-z]{4}\1[a-z]{4}(?![\w-]|[ ][a-z]{4}\b)")
MOST_OF_LETTERS = 4.0  # bits


def grouped_letters(text: str, first: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where groups of letters begin between two places that no words are.

    >>> list(grouped_letters("pass: glyp tise ywbi iumu, this word here ends", 0, 40))
    [(6, 25)]
    """
    for groups in _LETTERS.finditer(text, first + 4, min(len(text), stop + NUMBER_REACH)):
        start, end = groups.start() - 4, groups.end()
        words = text[start:end].split(groups[1])
        letters = "".join(words)
        is_said_twice = len(set(words)) < len(words)  # as words are
        if start < stop and not is_said_twice and names.name_bits(letters) < MOST_OF_LETTERS:
            yield start, end


_REPEATED = compile_pattern(r"(.)\1\1\1\1\1\1\1")
_BYTE = compile_pattern(r"(?:0x)?([0-9A-Fa-f]{2})")


@lru_cache(names.REMEMBERED)
def dummy(value: str) -> bool:
    """Whether a text in the format of a key is plainly made up: few different characters, or a sequence."""
    distinct = len(set(value))
    if distinct < values.DISTINCT or "123456789" in value or "abcdefgh" in value.lower():
        return True
    # Eight of a kind leave so many fewer kinds.
    return (len(value) - distinct >= values.DISTINCT and _REPEATED.search(value) is not None) or values.stand_in(value)


def is_drawn_bytes(value: str) -> bool:
    """Whether bytes, each written by itself, are no row of a table: most are different, and hardly two follow."""
    written = value.replace(",", " ").split() if value[1:4].isdigit() or "," in value[:4] else _BYTE.findall(value)
    steps = {int(second, 16) - int(first, 16) for first, second in pairwise(written)}
    return len(set(written)) * 4 > len(written) * 3 and len(steps) * 2 > len(written)
