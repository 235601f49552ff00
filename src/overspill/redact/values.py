"""What a value looks like: a secret, or a stand-in, a word, a number, a path, a piece of code."""

from __future__ import annotations

from overspill._lite import compile_pattern
from overspill.redact.names import PASSWORD, TOKEN

# Stand-ins people write where a secret goes, templates that will be filled in, and our own marks.
_MARKED = compile_pattern(
    r"""(?x)
    \$\{ | \$\( | \$[A-Za-z_] | \#\{ | <[^<>]*+>?$ | \[ | \( | \{ | %[A-Za-z_]\w*+% | %\( | %[sdvr@]\b | @@ | !
    | [*•·xX.…_\-?#]{3,}+$ | \*{2} | \\f[A-Z0-9(]
    """
)
_WORDED = compile_pattern(
    r"""(?ix)
    [x]{3,}+$ | env[:(.\[] | vault[:(] | op:// | secretref: | arn: | file: | data: | enc\[ | [a-z]+'[a-z]+$
    | sha(?:1|256|384|512)[-:=] | md5[-:]
    | (?:process|os|self|this|config|settings|secrets|args|env|var|local|module|vars|params|input|req|request)\??[.\[]
    | (?:ctx|context|options|props|state)\??[.\[]
    | (?:todo|tbd|none|null|nil|true|false|undefined|empty|string|bytes|optional|required)$
    | (?:hidden|masked|secret|password|passwd|token)$
    """
)
_PUNCTUATED = compile_pattern(r"[^A-Za-z0-9]|^[A-Za-z]++$")
# A plain search that fails fast stands before the one that decides: a part of each branch that begins with a letter
# seldom seen in a value, so that few places are looked at.
STAND_IN_HINT = compile_pattern(
    r"REDACTED|our|OUR|hange|HANGE|place|PLACE|nsert|NSERT|my[-_]|My[-_]|MY[-_]|mple|MPLE|ummy|UMMY|ke|oobar"
    r"|xxxxxx|XXXXXX|\*\*\*\*|\.\.\.|…|6789|[fF]gh|\\-|\\f"
)
_STAND_IN_INSIDE = compile_pattern(
    r"""(?ix)
    REDACTED | your[-_ ]?\w | (?:change|replace)[-_]?(?:me|this|it) | placeholder | insert[-_]
    | my[-_](?:secret|password|token|api|key)
    | (?:^|[-_.])(?:example|sample|dummy|fake|foobar)(?:$|[-_.]) | EXAMPLE[A-Z0-9]{0,8}$
    | \\- | \\f[A-Z] | x{6} | \*{4} | \.\.\. | …
    | 0123456789 | 123456789 | abcdefgh
    """
)
_NUMBER = compile_pattern(r"[-+]?[0-9][0-9_.,:/ TZ%-]*[a-zA-Z%]{0,3}$")
_PATH = compile_pattern(r"(?:[A-Za-z]:)?(?:\.{0,2}[/\\]|~[/\\])|[\w.-]+/[\w./-]+$|[A-Za-z][A-Za-z0-9+.-]{1,12}://")
_WORDS = compile_pattern(r"[A-Za-z]++(?:[-_. ][A-Za-z]++)*+[-_.]?$")
_BORING = compile_pattern(r"[A-Za-z_.=:-]*+$")
_NUMBERED = compile_pattern(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?[0-9]{1,2}$|(?:[a-z]+[-_.:])+[a-z]*[0-9]{0,4}[a-z]{0,3}$"
)
_CODE = compile_pattern(r"(?s)[A-Za-z_$@&*!][\w$]*(?:(?:\?\.|->|::|\.|\[|\()|\s*[+|]).*")
# A name as compilers write it.
_COMPILED = compile_pattern(r"[A-Za-z_]\w*(?:\$\w+){2,}")
_UUID = compile_pattern(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")
_DIGEST = compile_pattern(r"(?:0x)?(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9A-F]{40}|[0-9A-F]{64})$")
_HEX = compile_pattern(r"[0-9a-f]+$|[0-9A-F]+$")
_VERSION = compile_pattern(r"[\^~>=<v]{0,2}[0-9]+(?:\.[0-9x*]+)+(?:[-+][\w.]+)?$")
_SLUG = compile_pattern(
    r"(?:[a-z]+|[0-9]{1,4}|[a-z]+[0-9]{1,4}|[A-Z]+|[A-Z][a-z]+)(?:[-_./:](?:[a-z]+|[0-9]{1,4}|[a-z]+[0-9]{1,4}|[A-Z]+|[A-Z][a-z]+))+$"
)
_REPEATED = compile_pattern(r"(.)\1\1\1\1\1\1\1")
_RISE = compile_pattern(r"[a-z](?=[A-Z])")
_DIGIT = compile_pattern(r"[0-9]")
_SPACE = compile_pattern(r"\s")
_SIMPLE = compile_pattern(r"[\w.-]+$")

# Letters, then a digit, then a letter again: no name, number or path, and nothing code would say.
_STRONG = compile_pattern(r"[A-Za-z]+[0-9]+[A-Za-z][A-Za-z0-9]{4,}$")

# Letters and digits only, a digit after a letter that no number or time has: no word, number, path or code.
_MIXED = compile_pattern(r"(?=[A-Za-z0-9]{4,512}+$)[A-Za-z0-9]*?[A-SU-Ya-z][A-Za-z]*+[0-9]")

# For tokens, in the same way: a letter again after the digit.
_TURNS = compile_pattern(r"(?=[A-Za-z0-9]{8,512}+$)[0-9]*+[A-SU-Ya-z][A-Za-z]*+[0-9]++[A-Za-z]")

# A word, or several; and what a word beside `password` says when it is not the password: its type, its state, its name.
_BARE_WORD = compile_pattern(r"[a-z]{6,40}(?:[-_][a-z]{2,20}){0,6}$")
_ABOUT = (
    "pass", "pwd", "senha", "contras", "wacht", "heslo", "lozinka", "parola", "salasana", "adgang", "mdp",
    "string", "object", "number", "boolean", "integer", "char", "bytes", "text", "requir", "option", "missing",
    "invalid", "wrong", "incorrect", "default", "unset", "unknown", "undefined", "hidden", "mask", "redact",
    "cipher", "plain", "encrypt", "crypt", "hash", "input", "field", "value", "entry", "label", "forgot",
    "reset", "change", "enter", "confirm", "prompt", "user", "login", "email", "name", "token", "config",
    "setting", "environ", "variable", "disabled", "enabled", "ignore", "never", "always", "example", "sample",
    "placeholder", "keyring", "keychain", "external", "manual", "random", "generat", "auto", "inherit",
    "custom", "column", "schema", "nullable",
)  # fmt: skip

SHORTEST_PASSWORD = 4
SHORTEST_TOKEN = 8
SHORTEST_KEY = 16
DISTINCT = 7


def stand_in(value: str) -> bool:
    """Whether the value only marks the place of a secret.

    >>> [stand_in(text) for text in ("<your-key>", "${TOKEN}", "********", "[REDACTED: PASSWORD]", "h7Xk2pQ9")]
    [True, True, True, True, False]
    """
    if value[:1].isalnum():
        if _PUNCTUATED.search(value) and _WORDED.match(value):
            return True
    elif _MARKED.match(value):
        return True
    return stand_in_inside(value)


def stand_in_inside(value: str) -> bool:
    """Whether something inside the value says that it is no secret."""
    return STAND_IN_HINT.search(value) is not None and _STAND_IN_INSIDE.search(value) is not None


def dummy(value: str) -> bool:
    """Whether a text in the format of a key is plainly made up: few different characters, or a sequence."""
    return len(set(value)) < DISTINCT or stand_in(value) or _REPEATED.search(value) is not None


def secretive(value: str, level: int, *, quoted: bool) -> bool:
    """Whether a value beside a name of this promise is worth hiding.

    >>> secretive("Winter-2176y", PASSWORD, quoted=True), secretive("get_password()", PASSWORD, quoted=False)
    (True, False)
    """
    if _TURNS.match(value) if level == TOKEN else level > TOKEN and _MIXED.match(value):
        return not stand_in_inside(value)
    if _BORING.match(value) and not random_case(value):
        return False
    if (quoted and _SPACE.search(value)) or stand_in(value):
        return False
    if level >= PASSWORD:
        return _STRONG.match(value) is not None or _is_password(value, quoted=quoted)
    return _is_token_value(value, quoted=quoted) if level >= TOKEN else _is_vendor_key(value, quoted=quoted)


def bare_word(value: str) -> bool:
    """Whether a word could be a password, where nothing but one can stand: small letters, and no word about passwords.

    >>> [bare_word(text) for text in ("correcthorse", "required", "getPassword", "your-password")]
    [True, False, False, False]
    """
    if _BARE_WORD.match(value) is None or "pass" in value or "pwd" in value or stand_in(value):
        return False
    return not any(word.startswith(_ABOUT) for word in value.replace("_", "-").split("-"))


def _is_password(value: str, *, quoted: bool) -> bool:
    if len(value) < SHORTEST_PASSWORD or _WORDS.match(value):
        return False
    if not quoted and (_CODE.match(value) and not _code_like_secret(value)):
        return False
    if _NUMBER.match(value):
        return len(value) >= SHORTEST_TOKEN - 2 and value.isdigit()
    if value.startswith(("/", "./", "../", "~/")) and _PATH.match(value):
        return value.count("/") <= 1 and _DIGIT.search(value) is not None
    return _DIGIT.search(value) is not None or not _SIMPLE.match(value)


def _code_like_secret(value: str) -> bool:
    head = compile_pattern(r"[^\w$]").split(value, maxsplit=1)[0]
    return _DIGIT.search(head) is not None and not _NUMBERED.match(head)


def _is_token_value(value: str, *, quoted: bool) -> bool:
    if len(value) < SHORTEST_TOKEN or not opaque(value):
        return False
    if not quoted and ((_CODE.match(value) and not _code_like_secret(value)) or _COMPILED.match(value)):
        return False
    return not (_PATH.match(value) and "//" in value) and not _SLUG.match(value)


def _is_vendor_key(value: str, *, quoted: bool) -> bool:
    if len(value) < SHORTEST_KEY or not _is_token_value(value, quoted=quoted):
        return False
    if _UUID.match(value) or _DIGEST.match(value) or _PATH.match(value):
        return False
    return len(set(value)) > DISTINCT and (random_looking(value) or _HEX.match(value) is not None)


def opaque(value: str) -> bool:
    """Whether a value reads as neither word, number, path, version nor name.

    >>> [opaque(text) for text in ("f81d4fae7dec11d0", "my-service-name", "1.24.3", "hello")]
    [True, False, False, False]
    """
    if _WORDS.match(value) or _NUMBER.match(value) or _VERSION.match(value) or _NUMBERED.match(value):
        return random_case(value)
    return _DIGIT.search(value) is not None or random_case(value)


def looks_generated(value: str) -> bool:
    """Whether a long text looks drawn rather than named: it has a digit, or its case jumps about."""
    return _DIGIT.search(value) is not None or random_case(value)


def random_case(value: str) -> bool:
    """Whether capitals and small letters alternate as no name does: long, and changing often."""
    if len(value) < SHORTEST_KEY + 4:
        return False
    return len(_RISE.findall(value)) * 7 >= len(value)


def random_looking(value: str) -> bool:
    """Whether digits and letters of both cases are mixed through the whole value."""
    digits = len(_DIGIT.findall(value))
    lower = any(c.islower() for c in value)
    upper = any(c.isupper() for c in value)
    return digits > 1 and ((lower and upper) or digits * 6 >= len(value)) and not _SLUG.match(value)
