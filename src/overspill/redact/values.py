"""What a value looks like: a secret, or a stand-in, a word, a number, a path, a piece of code."""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import compile_pattern, lru_cache
from overspill.redact import names
from overspill.redact.names import FOLLOWS, PASSWORD, REMEMBERED, TOKEN, fewest_signs, is_symbol, is_variable, name_bits

_DOLLAR = compile_pattern(r"\$(?=\w*[0-9])(?=\w*[a-z])(?=\w*[A-Z])\w{9,}$")
_PROCESSOR = r"(?:amd|arm|aarch|riscv|mips|ppc)64(?:el|le)?$|i[3-6]86$|s390x$"
_NUMBER = compile_pattern(
    r"[-+]?\.?[0-9][0-9_.,:/ %+-]*(?:(?<=[0-9]-[0-9]{2})T[0-9:.]+)?[a-zA-Z%]{0,3}$|-?0[xX][0-9A-Fa-f]{1,16}[uUlL]{0,3}$"
    rf"|[0-9]+<<|{_PROCESSOR}"
)
_COUNTED = compile_pattern(
    rf"[0-9]+\[[0-9.]+\]$|r[0-9]{{4,8}}$|(?i:ieee)[0-9]{{3,5}}[A-Za-z]{{0,2}}$|\(?(?:[A-Z]{{1,6}}-|#)[0-9]+(?:-[0-9]+)?$|[A-Z_]+\|[0-9]{{1,2}}$|\[[0-9a-f]{{7,40}}\]$|[0-9A-Fa-f]{{0,4}}(?::[0-9A-Fa-f]{{0,4}}){{2,7}}$|[YyMmDdHhSsWw]+$|{_NUMBER.pattern}"
)
_PATH = compile_pattern(r"(?:[A-Za-z]:)?(?:\.{0,2}[/\\]|~[/\\])|[\w.-]+/[\w./-]+$|[A-Za-z][A-Za-z0-9+.-]{1,12}://")
# Two signs that no file has in its name, and no expression between slashes.
_NO_PATH = compile_pattern(
    r"/(?![\^\[(]|[^\n]*/[a-z]{0,3}$|[^\n]*\\[A-Za-z])(?:[^!^;\[\]{}<>|&$%\n]*+[!^;\[\]{}<>|&$%]){2}"
)
_PLACE = compile_pattern(r"(?:[A-Za-z]:|~|\.{1,2})?(?:[/\\][\w.@+ -]*+)+$|[\w.-]+(?:/[\w.-]+)*/[\w.-]+\.[a-z]{2,5}$")
_WORDS = compile_pattern(r"[A-Za-z]++(?:[-_. ][A-Za-z]++)*+[-_.]?$")
_BORING = compile_pattern(r"(?:[A-Za-z_.=:|-]|%20)*+$")
_NUMBERED = compile_pattern(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?[0-9]{1,2}$|(?:[a-z]+[-_.:])+[a-z]*[0-9]{0,4}[a-z]{0,3}$"
)
# An expression: names, members, calls and subscripts, whose end may be cut off at a blank, and sums of them.
_CODE = compile_pattern(
    r"""(?x) [*&!@]{0,2}+ [A-Za-z_$][\w$]*+
    (?: (?:->|::) [\w$*]*+ | \??\. [A-Za-z_$*][\w$*]*+ | \.(?:$|\([\w.*\[\]]*+\)?) | :[A-Za-z_]\w*+(?=\()
      | \(/[^\n]*+ | \( (?: [\w\s.,*&:=+<>|@\[\](){}$/-] | "[^"\n]*+"?+ | '[^'\n]*+'?+ )*+
      | \[["'\w$.:*-]*+\]?+ | \{[\w.,:"' ]*+\}?+ | (?<=[a-z])<(?:\{$|[A-Za-z][\w.,|<>]*+(?<=>))
      | \s*[+|]{1,2}\s*(?:["'`(][^\n]*+|[A-Za-z_$][\w$]*+|$) )++
    [;,)\]]*+$ """
)
_IDENTIFIER = compile_pattern(
    r"[*&!@$_]*(?:[A-Za-z]+[0-9]{0,5}|[0-9]{1,3})(?:_+(?:[A-Za-z]+[0-9]{0,5}|[0-9]{1,3}))*_*(?:\$[0-9]{1,2})?(?![\w$])"
)
_FIRST, _SIGNS_OF_CODE = compile_pattern(r"_{0,2}([A-Za-z]\w*)"), compile_pattern(r"[+/_=.-]+")
_ADDRESS, _BASE64 = compile_pattern(r"[&*]{1,2}[A-Za-z_]\w*$"), compile_pattern(r"[A-Za-z0-9+/]{12,}={0,2}$")
_EXPRESSION = compile_pattern(
    r"\\[sdwSDW](?:[.*+?|(){\[#/]|$)|&\[\w+\]?$|[a-z]\w*\?\.\[|[bfru]{1,2}[\x22'][^\n]*[\x22']\)?\.[a-z]"
    r"|qr[/{(|]|_{1,2}\([\x22']|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\("
    r"|[a-z_]{3,20}(?:!\(|\(:[a-z_]+[?!]\)$)|&?(?:\[\w*\]|map\[[\w.]+\])*+[*A-Za-z_][\w.]*+\{$|0x[0-9A-Fa-f]{1,2}$"
    r"|(?:[A-Za-z_$]{1,2}|![01]|null)(?:[,;)}]+=?[A-Za-z_$]{1,12})+[.(]|return![01][;}]|[A-Za-z_$]{1,3}\?[A-Za-z_$]{1,3}\.\w+:"
    r"|[A-Za-z]+_\w+,[0-9]{1,4}[uU]?[lL]{1,2}$|[0-9]{1,2}\*[A-Za-z-]+$|[A-Za-z]\w*\[[bfru]{0,2}[\x22'][^\n]*[\x22']\]"
    r"|(?:[A-Za-z_]\w*\.)+[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+[,;)]*$"
    r"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+[;,)}]+(?:var|let|const|return|if|else|for|function|this|new|null)\b"
    r"|[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\([a-z]"
)  # a pattern, one byte of several, or code that nobody is to read
_MEMBER = compile_pattern(r"\w+(?:\.\w+)*\.([A-Za-z_]\w{4,40})\([\w., '\"]*+\)?$")
_ENTRY = compile_pattern(r"[a-z_]\w*(?:\.[a-z_]\w*)+:[A-Za-z_]\w*$")  # of a package, as others load it
_CLASS = compile_pattern(r"_?[a-z]\w*(?:\.\w+)*\.[A-Z][a-z]+[A-Z]\w*[,;)]*$")  # and the modules it is in
CODE_BITS, NAME_BITS = -12.0, 6.0  # so much likelier are letters and digits to be a name: if drawn, and if one
_JOINED, _DOTTED = compile_pattern(r"[\w+|$-]{12,}$"), compile_pattern(r"[\w.+-]{12,}$")
_COMPILED = compile_pattern(r"[A-Za-z_]\w*(?:\$\w+){2,}")  # a name as compilers write it
_UUID = compile_pattern(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")
_DIGEST = compile_pattern(r"(?:0x)?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9A-F]{40}|[0-9A-F]{64})$")
_HEX = compile_pattern(r"[0-9a-f]+$|[0-9A-F]+$")
_FINGERPRINT = compile_pattern(r"(?:[0-9A-Fa-f]{2}:){15,31}[0-9A-Fa-f]{2}$|[0-9a-fA-F]{16}$")  # or the id of a key
_VERSION = compile_pattern(
    r"[\^~>=<v]{0,2}[0-9]+(?:\.[0-9x*]+)+(?:[-+][\w.]+|\.?(?:a|b|rc|alpha|beta|dev|post)[0-9]{1,3})?$"
)
_SLUG = compile_pattern(
    r"(?:[a-z]+|[0-9]{1,4}|[a-z]+[0-9]{1,4}|[A-Z]+|[A-Z][a-z]+)(?:[-_./:](?:[a-z]+|[0-9]{1,4}|[a-z]+[0-9]{1,4}|[A-Z]+|[A-Z][a-z]+))+$"
)
_FILE = compile_pattern(r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+\.[a-z]{2,4}$")
_MOTLEY = compile_pattern(r"[A-Za-z0-9_-]*+[!?#$%^&*@=+~][A-Za-z0-9_!?#$%^&*@=+~.-]*+$")
_RISE, _ODD = compile_pattern(r"[a-z](?=[A-Z])"), compile_pattern(r"[^\w\s./:'`\"-]")
_DIGIT, _SIMPLE = compile_pattern(r"[0-9]"), compile_pattern(r"[\w.-]+$")
_ESCAPE, _PIECES = compile_pattern(r"\\u([0-9A-Fa-f]{4})"), compile_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Of the pairs in a word so many are common, at most in what was drawn: in both cases, in one, and between digits.
MIXED_LIKELY, ONE_CASE_LIKELY, UNLIKELY = 0.75, 0.6, 0.8
_OPENED = compile_pattern(r"[(\[{]")
_RUNS, _OPENS = compile_pattern(r"[0-9]+|[A-Za-z]+"), compile_pattern(r"[A-Za-z_\])][(\[{]")
MANY_RUNS, SHORTEST_CHAOS, SHORTEST_DRAWN, SHORTEST_OF_ONE_CASE = 4, 6, 8, 12

# Letters, then a digit, then a letter again: no name, number or path, and nothing code would say.
_STRONG = compile_pattern(r"[A-Za-z]+[0-9]+[A-Za-z][A-Za-z0-9]{4,}$")

# Letters and digits only, a digit after a letter that no number or time has: no word, number, path or code.
_MIXED = compile_pattern(
    rf"(?!0[xX][0-9A-Fa-f]{{1,16}}$|{_PROCESSOR})"
    r"(?=[A-Za-z0-9]{4,512}+$)[A-Za-z0-9]*?[A-SU-Ya-z][A-Za-z]*+[0-9]"
)

# For tokens, in the same way: a letter again after the digit.
_TURNS = compile_pattern(r"(?!0[xX]\w{1,16}$)(?=[A-Za-z0-9]{8,512}+$)[0-9]*+[A-SU-Ya-z][A-Za-z]*+[0-9]++[A-Za-z]")

SHORTEST_PASSWORD, SHORTEST_TOKEN, SHORTEST_KEY = 4, 8, 16
DISTINCT, LONG_ENOUGH, LONGEST_ODD = 7, 64, 128  # signs of a value; as many of its letters tell how it was made


@lru_cache(REMEMBERED)
def stand_in(value: str) -> bool:
    """Whether the value only marks the place of a secret.

    >>> [stand_in(text) for text in ("<your-key>", "${TOKEN}", "********", "[REDACTED: PASSWORD]", "h7Xk2pQ9")]
    [True, True, True, True, False]
    """
    if value[:1].isalnum():
        is_mixed = value.isascii() and value.isalnum() and not value.isalpha()  # and so is neither
        if not is_mixed and (names.WORDED.match(value) or names.RELEASE.match(value)):
            return True
    elif (names.MARKED.match(value) and not _is_framed(value)) or names.RELEASE.match(value):
        return True
    if (
        names.SIGNS.search(value)
        and not (_DOLLAR.match(value) and looks_drawn(value[1:]))
        and (
            (names.REFERRING.search(value) and names.REFERENCE.match(value))
            or (names.BRACKETS.search(value) and names.ALPHABET.search(value))
        )
    ):
        return True
    return stand_in_inside(value) or is_variable(value.rpartition(":")[2])


def _is_framed(value: str) -> bool:
    """Whether letters that were drawn stand in one pair of brackets, as some programs say a value."""
    inner = value[1:-1]
    if value[:1] not in {"[", "(", "{"} or inner[:1] in {"[", "("} or "{" in inner or _NUMBER.match(inner):
        return False
    return random_letters(inner) or (mixes_all(inner) and is_drawn_code(inner))


def stand_in_inside(value: str) -> bool:
    """Whether something inside the value says that it is no secret, and nothing beside it is one.

    >>> [stand_in_inside(text) for text in ("your-key-here", "wJalrXUtnFEMIK7MDENGEXAMPLEKEY", "fake-h7Xk2pQ9dd81")]
    [True, True, False]
    >>> [stand_in_inside(text) for text in ("changeme", "changeme1", "changeme2024", "yourK9fz3Qm")]
    [True, True, False, False]
    """
    found = names.STAND_IN_INSIDE.search(value) if names.STAND_IN_HINT.search(value) else None
    if found is None or names.GLUED.search(value):
        return False
    rest = value[: found.start()] + " " + value[found.end() :]
    return names.HANDBOOK.search(value) is not None or names.REST.search(rest) is None


@lru_cache(REMEMBERED)
def secretive(value: str, level: int, *, quoted: bool) -> bool:
    """Whether a value beside a name of this promise is worth hiding, wherever it stands.

    >>> secretive("Winter-2176y", PASSWORD, quoted=True), secretive("get_password()", PASSWORD, quoted=False)
    (True, False)
    """
    value = without_escapes(value)
    if _TURNS.match(value) if level == TOKEN else level > TOKEN and _MIXED.match(value):
        return not stand_in_inside(value) and (quoted or not is_symbol(value))
    if level < TOKEN and is_coded_pair(value):
        return True
    if (not quoted and is_symbol(value)) or (
        _BORING.match(value) and not (random_case(value) or random_letters(value))
    ):
        return False
    if (quoted and value.split(None, 1) != [value]) or stand_in(value):  # a blank, or nothing
        return False
    if level >= PASSWORD:
        return _STRONG.match(value) is not None or _is_password(value, quoted=quoted)
    return _is_token_value(value, quoted=quoted) if level >= TOKEN else _is_vendor_key(value, quoted=quoted)


def without_escapes(value: str) -> str:
    r"""A value without the escapes of JSON: a word of another language is a word.

    >>> without_escapes(r"Contrase\u00f1a")
    'Contraseña'
    """
    return _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), value) if "\\u" in value else value


def is_coded_pair(value: str) -> bool:
    """Whether base64 says a name and a password with a colon between them.

    >>> is_coded_pair("YXBwOmh1bnRlcjI="), is_coded_pair("aHVudGVyMmh1bnRlcjI=")
    (True, False)
    """
    if _BASE64.match(value) is None or len(value.rstrip("=")) % 4 == 1:
        return False
    from binascii import a2b_base64  # few texts have such values

    said = a2b_base64(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4))
    name, _, rest = said.partition(b":")
    return bool(name) and len(rest) > SHORTEST_PASSWORD and said.isascii() and said.decode().isprintable()


def fills_setting(value: str, level: int) -> bool:
    """Whether a value that fills the line of a setting is a secret: all but stand-ins, expressions, numbers and words.

    >>> [fills_setting(text, PASSWORD) for text in ("a(b.c;d!8}k", "get(x)", "12", "String", "${DB_PASSWORD}")]
    [True, False, False, False, False]
    """
    value = value if _OPENED.search(value) else value.rstrip(",;):]}")  # a statement goes on, or a call ends
    if len(value) < (SHORTEST_PASSWORD if level >= PASSWORD else SHORTEST_TOKEN) or stand_in(value):
        return False
    if is_code(value) or is_symbol(value):
        return False
    if _WORDS.match(value) or _NUMBER.match(value) or _NUMBERED.match(value) or _PLACE.match(value):
        return False
    if level >= PASSWORD:
        return _SIMPLE.match(value) is None or looks_generated(value)
    return _DIGIT.search(value) is not None and not (_SLUG.match(value) or _VERSION.match(value) or _is_path(value))


def _is_password(value: str, *, quoted: bool) -> bool:
    if _WORDS.match(value) or (
        not value.isascii() and all(sign > "z" or sign.isalpha() or sign in "/-" for sign in value.rstrip(":"))
    ):
        # A word of another language is one, and so is the member of something.
        return value.isascii() and random_letters(value) and (quoted or not is_code(value))
    if _BASE64.match(value) and looks_drawn(value):
        return True
    if len(value) < SHORTEST_PASSWORD or "://" in value or (not quoted and is_code(value)):
        return False
    if _NUMBER.match(value):
        return len(value) >= SHORTEST_TOKEN - 2 and value.isdigit() and (quoted or not value.endswith("000"))
    if value.startswith(("/", "./", "../", "~/")) and _is_path(value):
        return value.count("/") <= 1 and _DIGIT.search(value) is not None
    return _DIGIT.search(value) is not None or not _SIMPLE.match(value) or random_letters(value)


def _is_path(value: str) -> bool:
    """Whether a value reads as a path. Base64 may begin with a slash, and have more of them: no folder is called so.

    >>> _is_path("/usr/lib/python3/dist-packages"), _is_path("/losKwnWAY1AtOuuVpp4eL6qh7/gWnOCNZhDOzC7I8o=")
    (True, False)
    """
    if _PATH.match(value) is None or _NO_PATH.match(value):
        return False
    return not (_BASE64.match(value) and mixes_all(value) and is_drawn_code(value))


def is_drawn_code(value: str) -> bool:
    """Whether letters and digits between the signs of base64 were drawn."""
    return name_bits(_SIGNS_OF_CODE.sub("", value[:LONG_ENOUGH])) < CODE_BITS


def is_hex(value: str) -> bool:
    """Whether there is nothing but hexadecimal digits."""
    return _HEX.match(value) is not None


def is_base64(value: str) -> bool:
    """Whether a value is written in base64: letters, digits, two signs, and what fills the end."""
    return _BASE64.match(value) is not None


def is_uuid(value: str) -> bool:
    """Whether a value is written as a UUID."""
    return _UUID.match(value) is not None


def is_key_in_hex(value: str) -> bool:
    """Whether 32 hexadecimal digits or more are all of a value, or a UUID is."""
    return (len(value) >= 2 * SHORTEST_KEY and is_hex(value)) or _UUID.match(value) is not None


@lru_cache(REMEMBERED)
def is_code(value: str) -> bool:
    """Whether a value reads as an expression: a call, a member, a sum. Base64 has a `+` as well, and says nothing."""
    value = value.lstrip("([{")
    if _EXPRESSION.match(value) or (_ADDRESS.match(value) and name_bits(names.letters_and_digits(value)) > 0):
        return True
    if _ENTRY.match(value):
        return name_bits("".join(_PIECES.findall(value))) > 0
    if _CODE.match(value) is None:
        return _OPENS.search(value) is not None and name_bits(names.letters_and_digits(value)) > 2 * NAME_BITS
    if _CLASS.match(value) and name_bits(names.letters_and_digits(value)) > 0:
        return True
    drawn = (_BASE64.match(value) or _JOINED.match(value)) and looks_drawn(value)
    if drawn or (_DOTTED.match(value) and is_drawn_code(value) and not is_symbol(value.rpartition(".")[2])):
        return False
    first = _FIRST.match(value)
    called = first is not None and (
        is_symbol(first[1]) or (value[first.end() :][:1] == "(" and name_bits(first[1]) > 0)
    )
    member = _MEMBER.match(value)  # `cl100k_tokenizer.encode(text)`
    called = called or (member is not None and name_bits(member[1].replace("_", "")) > 0)
    return called or is_symbol(value.rstrip(",;()").rpartition(".")[2]) or _IDENTIFIER.match(value) is not None


def looks_drawn(value: str) -> bool:
    """Whether letters of both cases, and digits, come in an order that no name has, whatever stands between them."""
    if _is_chaotic(value, _PIECES.findall(value)) or random_looking(value) or random_letters(value):
        return True
    most = 0 if motley(value) else CODE_BITS if len(value) >= SHORTEST_KEY and _has_both_cases(value) else None
    return most is not None and name_bits(names.letters_and_digits(value)) < most


@lru_cache(REMEMBERED)
def says_nothing(value: str) -> bool:
    """Whether nobody would say a value in a sentence or name a thing so: where a password is told, and words are, too.

    >>> [says_nothing(text) for text in ("1uu4nakb", "vjkcnyQ4", "AxERARCp", "oauth2client", "manually", "required")]
    [True, True, True, False, False, False]
    """
    value = without_escapes(value)
    if len(value) < SHORTEST_TOKEN or " " in value or len(set(value)) < fewest_signs(value):
        return False
    if stand_in(value) or _COUNTED.match(value):
        return False
    if value.isalnum():
        is_numbered = _NUMBERED.match(value) is not None and name_bits(value) > NAME_BITS  # `bionic64`
        return value.isascii() and not is_numbered and (looks_drawn(value) or _is_unlikely(value))
    return looks_drawn(value) and not (_SLUG.match(value) or _is_path(value) or is_code(value))


def _is_unlikely(value: str) -> bool:
    """Whether digits stand in several places of a value, or its letters in an order that words seldom have."""
    pieces = _PIECES.findall(value)
    letters = sum(map(len, pieces))
    if letters == len(value) and (not _has_both_cases(value) or len(pieces) * 4 <= letters):
        return False  # a word, or a few
    if len(_RUNS.findall(value)) >= MANY_RUNS:
        return True
    pairs = [pair for piece in pieces for pair in pairwise(piece.lower())]
    common = sum(second in FOLLOWS[first] for first, second in pairs)
    return common < UNLIKELY * len(pairs) or not pairs


def _is_chaotic(value: str, pieces: list[str]) -> bool:
    """Whether letters of both cases come in pieces too short to be words."""
    return len(pieces) * 3 > sum(map(len, pieces)) and _has_both_cases(value)


def chaotic(value: str) -> bool:
    """Whether letters of both cases come in pieces too short to be words, or spelled as no word is.

    >>> [chaotic(text) for text in ("x7KqPz2LwRt9vBn4", "givenUser1WhenLogin2")]
    [True, False]
    """
    return _is_chaotic(value, _PIECES.findall(value)) or random_letters(value)


def mixes_all(value: str) -> bool:
    """Whether digits and letters of both cases stand in a value."""
    return _DIGIT.search(value) is not None and _has_both_cases(value)


def _has_both_cases(value: str) -> bool:
    return value != value.lower() and value != value.upper()


def _is_token_value(value: str, *, quoted: bool) -> bool:
    if len(value) < SHORTEST_TOKEN or not opaque(value):
        return False
    if name_bits(names.letters_and_digits(value)) > NAME_BITS and not is_key_in_hex(value):
        return False
    if not quoted and (is_code(value) or _COMPILED.match(value.lstrip("("))):
        return False
    return "://" not in value and not (_is_slug(value) or _FILE.match(value) or (value[0] == "/" and _is_path(value)))


def _is_slug(value: str) -> bool:
    """Whether words and numbers stand between joints, and no word is as long as a key whose letters were drawn."""
    return _SLUG.match(value) is not None and not any(map(random_letters, _PIECES.findall(value)))


def _is_vendor_key(value: str, *, quoted: bool) -> bool:
    if len(value) < SHORTEST_KEY or not _is_token_value(value, quoted=quoted):
        return False
    if _UUID.match(value) or _DIGEST.match(value) or _FINGERPRINT.match(value) or _is_path(value):
        return False
    drawn = random_looking(value) or _HEX.match(value) is not None or (random_case(value) and is_drawn_code(value))
    return drawn and len(set(value)) > DISTINCT


def opaque(value: str) -> bool:
    """Whether a value reads as neither word, number, path, version nor name.

    >>> [opaque(text) for text in ("f81d4fae7dec11d0", "my-service-name", "1.24.3", "hello")]
    [True, False, False, False]
    """
    if _WORDS.match(value) or _NUMBER.match(value) or _VERSION.match(value) or _NUMBERED.match(value):
        return random_case(value) or random_letters(value)
    return looks_generated(value)


def is_of_many_signs(value: str) -> bool:
    """Whether more kinds of signs stand among letters than addresses, settings and documents have: bytes in base 85."""
    return len(set(_ODD.findall(value))) >= DISTINCT + 1


def looks_generated(value: str) -> bool:
    """Whether a long text looks drawn rather than named: it has a digit, or no word has its letters."""
    odd = len(value) < LONGEST_ODD and len(set(_ODD.findall(value))) >= MANY_RUNS
    if _DIGIT.search(value) or random_case(value) or motley(value) or odd:
        return True
    letters = value.replace("-", "").replace("_", "")
    return random_letters(letters, likely=MIXED_LIKELY if len(letters) >= SHORTEST_KEY else ONE_CASE_LIKELY)


def motley(value: str) -> bool:
    """Whether letters of both cases and signs that no name, word or path has are mixed, as a generator mixes them.

    >>> [motley(text) for text in ("gZ!txYL!E!zrWz", "Xjxi_LuRIQjf@K", "Hello World!", "ACCEPT_ALL", "getToken()")]
    [True, True, False, False, False]
    """
    if len(value) < SHORTEST_TOKEN + 2 or not _has_both_cases(value) or _MOTLEY.match(value) is None:
        return False
    pieces = _PIECES.findall(value)
    return len(pieces) * 4 >= sum(map(len, pieces))


def random_case(value: str) -> bool:
    """Whether capitals and small letters alternate as no name does: long, and changing often."""
    return len(value) >= SHORTEST_KEY + 4 and len(_RISE.findall(value)) * 7 >= len(value)


@lru_cache(REMEMBERED)
def random_letters(value: str, *, likely: float = ONE_CASE_LIKELY) -> bool:
    """Whether letters, and no more than a joint or two beside them, were drawn: no word or name is spelled like that.

    >>> [random_letters(text) for text in ("IxfHdtZBwsgi", "getPassword", "QtZuVhnW", "correcthorse", "DatabaseConfig")]
    [True, False, True, False, False]
    """
    pieces = _PIECES.findall(value)
    count = sum(map(len, pieces))
    if count < SHORTEST_CHAOS or len(value) - count > max(count // 6, 1):
        return False
    if len(pieces) * 3 > count or count < SHORTEST_DRAWN:
        return _is_chaotic(value, pieces)
    pairs = [pair for piece in pieces for pair in pairwise(piece.lower())]
    common = sum(second in FOLLOWS[first] for first, second in pairs)
    if _has_both_cases(value) and not value[1:].islower():
        return common < MIXED_LIKELY * len(pairs)
    return count >= SHORTEST_OF_ONE_CASE and common < likely * len(pairs)


def random_looking(value: str) -> bool:
    """Whether digits and letters of both cases are mixed through the whole value."""
    digits = len(_DIGIT.findall(value))
    return digits > 1 and (_has_both_cases(value) or digits * 6 >= len(value)) and not _SLUG.match(value)
