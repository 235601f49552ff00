r"""Values that no sign joins to their name: further on in the sentence, before the name, or on the line below it.

    strcpy(cfg.password, "..."), MOVE "..." TO WS-PASSWORD, the password for root is now ...
    expect "*assword:"          $ op read op://prod/db/password
    send "...\r"                ...

A sign says that a value is meant; here only a name does, and of all that may stand near a name nothing is hidden but
what nobody would say (`values.says_nothing`), or what is typed where a password is asked for.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.redact import made_up, names, values
from overspill.redact.hits import JUDGED, MARK, PLAIN, FoundValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from re import Match

NAME_REACH, NAME_SIGNS = 64, "_.$-"
LINE_BACK = 300  # no line of a setting has more before the hit
REACH = 160  # characters from a name on in which its value may begin and end: what is remembered of an assignment

# The first text in quotes behind a name, and none but a format before it.
_LITERAL = compile_pattern(
    r"""(?x) [A-Za-z0-9_.$-]{0,64}+ ["'`\])}>*:?]{0,6}+
    (?: [^"'`\n;{}]{0,60}+ ["']%[sdv]["'] )? (?P<between> [^"'`\n;]{0,60}+ )
    \\{0,3} ["'`] (?:\\["'])? (?P<value> [^\s"'`\\]{8,128}+ ) (?: \\[rn] )? \\{0,3} ["'`]"""
)
# A text that is given to another name is not the password's: `token  sha256 = "..."`.
_GIVEN = compile_pattern(r"[ \t]*+[\w.-]{1,60}+(?:[ \t]+[\w.-]{1,60}+)*+[ \t]*+[:=]")
_TYPED = compile_pattern(r"[\s:=,]{0,8}+(?:\([\w= ]{1,20}\)[ ]?){0,3}|[^\n]{0,48}[ ](?:is|was|to|now)[ ]?[:=]?[ ]?")
_PUT = compile_pattern(
    r"[ \t]*+(?:(?:put|value|to|is|with|as|lautet|est):|(?i:string|str|text|char|varchar)\b[^:=]{0,12}[:=])"
)
# What a sentence says between the name and the value, and the value.
_SENTENCE = compile_pattern(
    r"""(?x) [A-Za-z0-9_.$-]{0,64}+ ["'`*)\]]{0,3}+
    (?: [ ] [\w@.'/()&+-]{1,40}+ ){0,8}?
    (?: [ ]?(?:[:=\u2192]|->)
      | [ ](?:is|was|to|as|be|with|now|are|from|lautet|ist|est|es|è|é|este|jest|är|:|=|-)(?=[ ]) )
    [ ]{1,4} (?! [A-Za-z]?[a-z]{0,40}+ [.,;:!?)]{0,3}+ (?:\s|\Z) | (?<=-[ ])(?:[A-Z][a-z]+){2,4}[ ][a-z]{2} )  # goes on
    (?P<value> (?:[^\s"'`<>\\]|>(?=[A-Za-z0-9])){8,128}+ )"""
)
# Behind the name of a variable, a path or the first name of a line: a word, a flag or two, and the value.
_COLUMNS = compile_pattern(
    r"""[A-Za-z0-9_.$-]{0,64}+(?:[ \t]{1,4}[A-Za-z<-][A-Za-z0-9_.<-]{0,40}+){1,3}[ \t]{1,4}"""
    r"""(?P<value>[^\s"'`<>\\]{8,128}+)(?=\s|\Z)"""
)
_BEGINS_LINE, _VARIABLE = compile_pattern(r"[ \t]{0,24}$"), compile_pattern(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
_CHANGED_TO = compile_pattern(
    r"(?i)(?:set|chang\w*|rotat\w*|updat\w*|switch\w*|default\w*|equal|back|pass\w*|pw\w?|secret|token|key) to \Z"
)
DEEPEST = 24  # blanks before a setting
SPOKEN = frozenset(("SECRET", "CREDENTIAL"))  # what people make up like passwords
_SIGNS_AT_END = frozenset("!#$%&*@")  # of a password that somebody made up
_CALLED, _ENDS, _CODE_PARTS = compile_pattern(r"[A-Za-z0-9_]{0,64}+\([ ]?"), ".,:;!?)", compile_pattern(r"[+/_=-]+")
ALIKE = 3  # letters with which two names of a list begin
SHORTEST_PATH, LONG_USER, ACCOUNT, LIKELY_TYPE, SURE_TYPE, MOST_OF_NOUNS = 2, 20, 12, -3.0, 6.0, -6.0
# What says that a name is none: a member of a class, or of a type that is described (`#Type:property`); and of a type.
_HASHED = compile_pattern(r"(?i:sha[0-9-]{1,5}|md5)[ ]?\(\Z")  # `SHA1(server.key)= ...`
_MEMBER = compile_pattern(r"[A-Za-z]\w{0,63}::[A-Za-z]{1,40}+\d?(?!\w)|(?:(?<=#)|(?<== ))[\w.]{1,60}\.\w+:[A-Z]\w*\s")
_QUALIFIED = compile_pattern(r"""(?:^|\n)[ \t"'-]{0,24}(?:[a-z][a-z0-9_]{0,40}::){1,6}$""")  # as Puppet names settings
_TYPE = compile_pattern(r"[A-Z]+[a-z]+[A-Z][A-Za-z]+\Z")
_CONSTANT = compile_pattern(r"(?:^|[ \t;{(])(?:const|static|final|int|long|enum|readonly)[ \t]")
_SAYS = compile_pattern(r"ass|oken|ecret|redential|[Kk]ey|earer")  # in all that speaks of secrets: it fails fast
_DECLARES = compile_pattern(r"(?:^|[\s(;])(?:var|let|const|type|val)[ ]\Z")
_SETTING = compile_pattern(r"[A-Za-z][A-Za-z0-9-]{1,23}=(?!=|$)")
_BEHIND_TYPE = compile_pattern(r"[ ]?(?:\||\}[;,)]|[,;)<](?![\w!@#$%^&*+=~-]))")
_FLOW = compile_pattern(r"[ \t-]{0,40}(?:[\w-]{1,40}:[ ])?\{[\w-]{1,40}:[ ]")  # of YAML, where values are more likely
_CAST = compile_pattern(
    r"\((?:[A-Za-z_]\w*[ ]){0,2}[A-Za-z_]\w*[ ]?\*{1,2}\)[&*]?[A-Za-z_]|\([A-Z]\w*\)[ ]?[A-Za-z_]\w*\("
)


def is_type(text: str, start: int, end: int) -> bool:
    """Whether a word between a colon and a sign of code is the type of what is named, or another name; or a cast is,
    or a variable that something is added to.

    >>> is_type("password: Uint8Array | string", 10, 20), is_type("password: x7KqPz2LwRt9, user: x", 10, 22)
    (True, False)
    >>> is_type("password: map2paths, user: x", 10, 19)
    False
    """
    value = text[start:end]
    if text.startswith(" + ", end) and value.isidentifier():
        return True
    if text[max(0, start - 5) : start].rstrip()[-1:] != ":" or not value.isalnum() or value[-1].isdigit():
        return _CAST.match(text, start) is not None
    if not value[0].isupper() and not value.isalpha():  # only what begins with a capital has a digit inside
        return False
    line = text[max(0, start - REACH) : start].rpartition("\n")[2]
    least = SURE_TYPE if _FLOW.match(line) else LIKELY_TYPE
    return _BEHIND_TYPE.match(text, end) is not None and names.name_bits(value) > least


def is_member_value(text: str, start: int, end: int, close: str) -> bool:
    """Whether a word without quotes is a variable, because the name before it stands in quotes and more follows."""
    value = text[start:end]
    if close[-1:] not in {'"', "'"} or text[end : end + 1] not in {",", "}"} or not value.isidentifier():
        return False
    return names.name_bits(value.replace("_", "")) > MOST_OF_NOUNS


def is_no_name(text: str, begin: int) -> bool:
    """Whether what looks like a name is the type of a placeholder of ours, a type in code, or a user in an address."""
    if _MEMBER.match(text, begin) or (text[begin - 1] == "(" and _HASHED.search(text, max(0, begin - 12), begin)):
        return True
    if text[max(0, begin - 10) : begin].endswith(("REDACTED: ", "::", "://", ":param ")):
        return _QUALIFIED.search(text, max(0, begin - NAME_REACH), begin) is None
    # The name of a secret in an address of a cloud: `:123456789012:secret:name`.
    account = text[max(0, begin - 1 - ACCOUNT) : begin - 1]
    return text[begin - 1] == ":" and len(account) == ACCOUNT and account.isdigit()


def are_alike(name: str, value: str) -> bool:
    """Whether the next text of a list is one more name in it: it begins as the one before, or both are constants."""
    return name[:ALIKE].lower() == value[:ALIKE].lower() or (name.isupper() and value.isupper())


def is_name(clear: Match[str], level: int) -> bool:
    """Whether a clear value is its name again, or what code calls a thing of that name, or without quotes its type."""
    value, unquoted = clear[3], not clear[2]
    if clear[1].endswith(value):
        return True
    if _SAYS.search(value) and (unquoted or level == names.TOKEN) and names.is_symbol(value):
        return True
    return unquoted and clear.string.startswith(" ", clear.end(3)) and is_type(clear.string, *clear.span(3))


def is_code_behind(name: str, value: str, *, quoted: bool) -> bool:
    """Whether behind a name and a blank stands what is passed on, the next of several settings, or code.

    >>> [is_code_behind("pass", value, quoted=False) for value in ("--enable-x32", "key=value", "x7KqPz2L")]
    [True, True, False]
    """
    if name.lower() == "pass" and (value.startswith("-") or _SETTING.match(value)):
        return True
    if quoted or _SETTING.match(value):
        return not quoted
    if value[:1] == "*":
        return values.is_code(value[1:])
    return value[:1] == "(" and value[1:].isidentifier() and names.name_bits(value[1:]) > 0


def is_declared(text: str, begin: int) -> bool:
    """Whether a name is declared there: without a sign between them, its type stands behind it."""
    return _DECLARES.search(text, max(0, begin - ACCOUNT), begin) is not None


def is_count(text: str, start: int, end: int) -> bool:
    """Whether a statement gives a number to a constant: what opens a door is a text there."""
    line = text[max(0, start - REACH) : start].rpartition("\n")[2]
    return text.startswith(";", end) and text[start:end].isdigit() and _CONSTANT.search(line) is not None


def is_of_template(text: str, begin: int, joined: Match[str]) -> bool:
    """Whether a name stands in a template, a shell's expansion or a selector: what follows it is no value."""
    if text[begin - 2 : begin] == "${" and text.startswith("?", joined.end()):
        return True  # what a shell says where the variable is not set
    before, sign = text[begin - 1 : begin], joined.group("sep")
    if sign == "::" and text[joined.end() - 1] == ":" and text[begin].isupper():
        return True  # a member of a class
    ends_quote = before in {'"', "'"} and text.startswith(before, joined.end()) and not joined["close"]  # `"PWD="`
    if ends_quote or (sign == "->" and (before == "/" or joined["close"][-1:] == ")")):
        return True  # or what is asked of a file, where a link leads, or what a function returns
    if joined.group("close")[-1:] == "]" and text[begin - 2 : begin - 1] == "=":
        return True  # `input[type="password"]:focus`
    if sign != " |":
        return False
    before, word = text[max(0, begin - NAME_REACH) : begin], REST_OF_NAME.match(text, joined.end())
    piped = "{{" in before or text[begin] == "$" or (joined.group("close") != "" and "|" not in before)  # to a program
    is_type = word is not None and _TYPE.match(word[0]) is not None and names.name_bits(word[0]) > 0  # of a union
    return piped or is_type or text.startswith("-", joined.end())


def value_further_on(text: str, name: tuple[int, int], at: int, stop: int, promise: names.Promise) -> FoundValue | None:
    """What a sentence or a call says of a password some words behind its name, where nothing else can be meant.

    The type in a mark is no name, and behind a mark nothing more is said.
    """
    begin = name[0]
    if text.startswith(MARK, begin) or text.startswith(f"{MARK}: ", begin - len(MARK) - 2):
        return None
    stop = min(stop, at + REACH)
    mark = text.find(MARK, at, stop)
    return _further_on(text, name, at, mark if mark >= 0 else stop, promise)


def _further_on(text: str, name: tuple[int, int], at: int, stop: int, promise: names.Promise) -> FoundValue | None:
    literal = _LITERAL.match(text, at, stop)
    if literal is not None and not (_GIVEN.match(literal["between"]) and not _PUT.match(literal["between"])):
        spoken = _TYPED.fullmatch(literal["between"]) and made_up.is_spoken(literal["value"])
        if spoken or is_told(literal["value"]):
            return (*literal.span("value"), promise.type, PLAIN)
        called = _CALLED.match(text, at, stop)
        return next(_drawn_arguments(text, called.end(), stop, 1), None) if called else None
    told = _SENTENCE.match(text, at, stop)
    if told is None and _heads_line(text, *name):
        told = _COLUMNS.match(text, at, stop)
        before = text[max(0, told.start("value") - 8) : told.start("value")] if told else ""
        told = None if made_up.OF_WHOM.search(before) else told
    if told is None:
        called = _CALLED.match(text, at, stop)
        return next(_drawn_arguments(text, called.end(), stop, 1), None) if called else None
    start = told.start("value")
    value = told["value"].rstrip(_ENDS)
    before = text[max(0, start - REACH) : start]
    if value.isalpha() and before.endswith(" to ") and _CHANGED_TO.search(before) is None:
        return None  # where it is sent
    value += "!" * (value[-1:].isdigit() and told["value"].startswith("!", len(value)))  # `R4v3n82!`
    return (start, start + len(value), promise.type, PLAIN) if is_told(value) or made_up.is_spoken(value) else None


def _heads_line(text: str, begin: int, end: int) -> bool:
    """Whether a name is a variable, the end of a path, or the first word of its line."""
    if _VARIABLE.match(text[begin:end]) or text[begin - 1 : begin] == "/":
        return True
    return _BEGINS_LINE.match(text[max(0, begin - 24) : begin].rpartition("\n")[2]) is not None


def is_told(value: str) -> bool:
    """Whether a value that a sentence tells is a password, and not another name of one."""
    is_name = value.isalpha() or value.lower().endswith(("password", "secret", "token", "pwd"))
    return values.says_nothing(value) and not (is_name and names.promise(value).level)


def is_told_behind(value: str, name: str, promise: names.Promise) -> bool:
    """Whether a value behind a name and a blank is one that nobody would say."""
    if (
        name.lower() == "pass"
        and value.replace("-", "").isalpha()
        and ("-" in value or value[1:].islower() or names.name_bits(value) > 0)
    ):  # a verb
        return False
    if promise.type == "PASSWORD" and values.says_nothing(value):
        return True
    if not values.secretive(value, names.TOKEN, quoted=False):
        return False
    drawn = values.mixes_all(value) or values.random_letters(value) or values.motley(value)
    return drawn or (name.isupper() and values.random_looking(value))


def is_told_in_gap(
    text: str, named: tuple[int, str], promise: names.Promise, gap: tuple[int, int], span: tuple[int, int, bool]
) -> bool:
    """Whether a value that is long enough behind a gap is one that no sentence would say."""
    (begin, name), (start, end, quoted) = named, span
    value, joint = text[start : min(end, start + JUDGED)], text[slice(*gap)]
    in_columns = joint != " " or not (name.islower() or name.istitle() or name.isupper())
    if not quoted and in_columns and values.is_key_in_hex(value):  # or behind a name such as `adminKey`
        return True
    if text[start - 1] not in "\"'" and names.is_symbol(value):  # `lpPassword to lpZipPassword`
        return False
    if value.isalpha() and names.promise(value).level > 0:
        return False
    said = quoted or joint.strip() in {"is", "was", "to", "as", ":", "="} or "-" in value
    said = said or text[end : end + 1] in {"", "\n", "\r"}  # as a line of settings ends
    spoken = promise.type == "PASSWORD" or (quoted and text[begin - 1 : begin] == ":" and promise.type in SPOKEN)
    said = (said or value[-1:] in _SIGNS_AT_END) and (name.lower(), joint.strip()) != ("pass", "to")
    if spoken and said and (made_up.is_spoken(value) or ("-" in value and made_up.is_phrase(value))):
        return True
    return is_told_behind(value, name, promise)


def is_setting(text: str, begin: int, sign: tuple[int, int], end: int, *, closed: str, quoted: bool) -> bool:
    """Whether a value stands where only settings stand: in JSON, as a variable, or as all of a line."""
    name, joint = text[begin : sign[0]], text[sign[0] : sign[1]]
    if closed:
        return quoted and text[begin - 1 : begin] == closed and joint.strip() == ":"
    if text[end : end + 1] not in {"", "\n", "\r"}:
        return False
    if name.isupper():
        return joint in {"=", ": ", " = "}
    indent = text[max(0, begin - DEEPEST) : begin].rpartition("\n")[2]
    if indent.strip(" "):
        return False
    return joint == ": " if indent else joint in {"=", ": "} or (("." in name or quoted) and joint == " = ")


def is_said(value: str) -> bool:
    """What is said to be the password: drawn, or made up of words and numbers."""
    value = value.rstrip(".,")
    return values.says_nothing(value) or made_up.is_spoken(value) or ("-" in value and made_up.is_phrase(value))


def is_joined(value: str) -> bool:
    """What was drawn, or is made up of two words and a number: behind a flag other words stand as well."""
    return values.says_nothing(value) or (value.count("-") > 1 and made_up.is_spoken(value))


def is_of_url(value: str) -> bool:
    """Alone before the host of an address, where users stand as well."""
    return values.secretive(value, names.TOKEN, quoted=True) if len(value) >= LONG_USER else values.says_nothing(value)


def is_coded(value: str) -> bool:
    """What was drawn from the letters of base64, and is no path."""
    drawn = "".join(part for part in _CODE_PARTS.split(value) if not values.is_hex(part))
    folders = value.split("/")
    is_path = value[0] == "/" and len(folders) > SHORTEST_PATH and not any(map(values.mixes_all, folders))
    mixed = values.mixes_all(drawn) or (len(drawn) > LONG_USER and values.random_case(drawn))  # or it has no digit
    return not is_path and mixed and values.is_drawn_code(drawn) and not values.stand_in(value)


def is_device_key(value: str) -> bool:
    """What a router or a switch calls a key: drawn, made up of words and numbers, or in hexadecimal digits."""
    return values.says_nothing(value) or made_up.is_spoken(value) or (values.is_hex(value) and not value.isalpha())


def is_argument(value: str) -> bool:
    """What a program is given to log in with: digits of a key, or letters that were drawn."""
    return values.is_key_in_hex(value) or (is_coded(value) and not made_up.dummy(value))


# A call that opens a connection, and one text among its arguments.
_CALL = compile_pattern(
    r"""(?i:connect\w{0,16}|simple_bind\w{0,4}|smtp[.:]{1,2}start|mysqli\w{0,12}|pdo(?:->__construct)?|credentials?\w{0,8}|database|getconnection|login|sign_?in|auth\w{0,16}|jwt\.[a-z]{4,8})\("""
)
_ARGUMENT = compile_pattern(
    r"""[ \t]{0,4}(?:\$?[\w.>-]{1,60}+|\{[^{}\n]{0,200}+\}|["'`]([^"'`\n\\]{0,256}+)["'`])[ \t]{0,4}([,)])"""
)
_MOST_ARGUMENTS, LONGEST = 6, 130


def argument_values(text: str, at: int, stop: int) -> Iterable[FoundValue]:
    """`connect(address, "user", "password")`: of the texts after the first, those that nobody would name."""
    call = _CALL.match(text, at, stop)
    return list(_looked_at(text, call.end(), stop, 1)) if call else ()


def _looked_at(text: str, place: int, stop: int, first: int) -> Iterator[FoundValue]:
    """The texts among the arguments of a call, from the one with that number on; those that are no secret, too."""
    for number in range(_MOST_ARGUMENTS):
        argument = _ARGUMENT.match(text, place, stop)
        if argument is None:
            return
        value = argument[1] or ""
        if number >= first and len(value) >= values.SHORTEST_TOKEN:
            secret = values.secretive(value, names.TOKEN, quoted=True) or values.says_nothing(value)
            secret = (secret or made_up.is_spoken(value)) and " " not in value  # a sentence
            yield (*argument.span(1), "PASSWORD" if secret else "", PLAIN)
        if argument[2] == ")":
            return
        place = argument.end()


def _drawn_arguments(text: str, place: int, stop: int, first: int) -> Iterator[FoundValue]:
    return (found for found in _looked_at(text, place, stop, first) if found[2])


# A quote that closes, and what says for whom its text is: `"x" TO WS-PASSWORD`, `"x" as the password`, `'x' # pw`.
_OWNER = compile_pattern(
    r"""(?ix) ["'] (?: [ ](?:delimited\ by\ size\ )?(?:to|into|as|in|for)[ ](?:(?:the|my|your|a|his|her|its)[ ])?
      | [ ]where[ ][\w.]{1,40}[ ]?=[ ]?["'] | [,;)\]]{0,2}[ \t]{1,2}(?:\#|//|--|%)[ ]?(?:[a-z]{1,12}[ ]){0,2}? )
    (?P<name>api[ ]key|[A-Za-z0-9_.$*-]{2,64}+)(?![ ]?[=:(\[]|[ ][A-Za-z])"""
)


def value_before(text: str, at: int, stop: int) -> Iterable[FoundValue]:
    """The text in quotes that ends at a place, if a name of a password behind it says what it is."""
    owner = _OWNER.match(text, at, min(stop, at + LONGEST))
    promise = names.promise(owner["name"].rstrip(".*") if owner else "")
    if promise.level < names.TOKEN:
        return ()
    line = text[max(0, at - LONGEST) : at]
    start = line.rfind(text[at]) + 1
    value = line[start:].rstrip("\\")  # of a text in JSON, whose quotes have one before them
    at -= len(line) - start - len(value)
    if not start or "\n" in value:
        return ()
    least = 0 if promise.level >= names.PASSWORD else values.SHORTEST_KEY
    secret = " " not in value and len(value) >= least and is_told(value)
    return ((at - len(value), at, promise.type if secret else "", PLAIN),)


# What may stand between a name and the end of its line, and what types the answer beside it.
_WAITS = r"""[*?:"' ]{1,8}+[ \t]{0,8}+[{,;][ \t]{0,8}+(?=\w)"""
_WAITED = compile_pattern(_WAITS)
# What an answer below looks like at a glance, or the beginning of one that has not all come.
_GLANCE = (
    r"""(?:[ \t]{0,80}+\r?\n|[$VK][ ]?[0-9]{1,5}\r?\n|-{3,8}\r?\n){0,2}+"""
    r"""(?:[^"'`\n]{0,160}+(?:\Z|["'][^"'`\n\\]{0,256}+(?:\\[rn]){0,2}+(?:\\?\Z|["'][^"'`\n]{0,40}+(?=\n|\Z)))"""
    r"""|[ \t]{0,24}+(?:=>[ ]|:[ ])?(?=[^\s]{0,40}?[0-9A-Z])[^\s"'`<>]{8,256}+[ \t]*+\r?(?=\n)"""
    r"""|[ \t]{0,24}+(?:=>?[ ]?|:[ ]?)?[^\s"'`<>]{0,256}+[ \t]*+\r?\Z)"""
)
# How the line of a question ends, and from inside a name on: all of that, the end of the line told once.
_ENDED = r"""[^\w\n]{0,16}+(?=\n)|(?:[ ][\w@.'/()`,&+-]{1,40}+){1,10}(?::|[ ]?\?{1,3})[ \t]{0,4}\r?(?=\n)"""
_ASKED = compile_pattern(_ENDED)
_QUESTION = compile_pattern(
    rf"""[\w.$-]{{1,64}}+(?:(?>{_ENDED}|[^\n]{{0,63}}+(?=\n))\n{_GLANCE}|{_WAITS}"""
    r"""|(?:[ ][\w@.'/()`,&+-]{1,40}+){0,10}[ ]?\?{1,3}[ \t]{0,4}\r?\n"""
    r"""(?:[^\n]{0,40}?[ ][^\s"'`<>]{8,256}+[ \t]{0,8}+\r?(?=\n|\Z)|[^\n]{0,400}+\Z))"""
)
REST_OF_NAME = compile_pattern(r"[\w.$-]{0,64}+")
_COMMAND = compile_pattern(r"[^\n]{0,40}?[$#%>][ ]")
_MAKES = compile_pattern(
    r"(?:pwgen|mkpasswd|openssl[ ]rand|dev/urandom)(?![\w/])"
)  # what prints a secret, and nothing else
_WIDGET = compile_pattern(r"(?i)[._-]?(?:field|input|box|element|entry|edit|el|file|txt|key)$")
# What an answer looks like at a glance, after a blank line or two, or one that says how long it is.
_ANSWER = compile_pattern(
    r"""(?:[ \t]*+\r?\n|[$VK][ ]?[0-9]{1,5}\r?\n|-{3,8}\r?\n){0,2}+"""
    r"""(?:(?P<lead>[^"'`\n]{0,160}+)["'](?P<typed>[^"'`\n\\]{4,256}+)(?:\\[rn]){0,2}["'](?![ ]?:|\][ ]?=)"""
    r"""[^"'`\n]{0,40}+["']?(?=\n|\Z)"""
    r"""|[ \t]{0,24}+(?:=>[ ]|:[ ])?(?=[^\s]{0,40}?[0-9A-Z])(?P<lone>[^\s"'`<>]{8,256}+)[ \t]*+\r?(?=\n|\Z))"""
)
# Who says it, and when, before what is said to a question of somebody else.
_REPLY = compile_pattern(
    r"""[ \t]{0,24}+(?:[\[(]?[0-9][0-9:. /-]{2,20}(?:[AP]M)?[\])]?[ ]{1,2}-?[ ]?)?[<@(\[]?"""
    r"""[\w.-]{1,24}[>)\]]?:?[ ]{1,2}(?:(?i:it'?s|sure,?|here:?|try|use|yes,?|still)[ ]{1,2}){0,2}"""
    r"""(?P<lone>[^\s"'`<>]{8,256}+)[ \t]{0,8}+\r?(?=\n|\Z)"""
)
# What types, sends or prints a text; what gives a text to another name, unless that is only where a value stands.
_TYPES = compile_pattern(
    r"(?i)(?:send|type|fill|key|input|write|enter|put|set_?value|text|string\([0-9]{1,6}\)|answer|say)"
    r"\w{0,12}[ \t(-]{1,5}$"
)
_OTHER = compile_pattern(r"""([\w$.\[\]-]{1,64})[ \t]{0,8}(?::|=>|[:+]?=)[ \t]{0,8}(?:0x[0-9a-f]{1,16}[ ])?$""")
_SAME = compile_pattern(
    r"(?i)(?:^|\W)(?:\w{1,20}_)?(?:\$[0-9]{1,4}|default|value|input|got|given|actual|example|text|string|content|data|result|res|out(?:\[[0-9]{1,5}\])?)$"
)
# A line with an id of its own, or a setting that is told by its own name.
_ID = compile_pattern(r"(?i)[a-z-]{0,20}(?:u?id|uuid|guid|etag|rev|sequence|stamp)[:=]|#?[a-z_]{2,40}=(?=[^=\s])")
ANSWER_LINES = 3  # the line of an answer is one of so many


def is_asked(text: str, at: int) -> bool:
    """Whether the line of a name asks for the password that it names, fetches it, or waits for it.

    One pattern says whether anything below could be the answer: next to nothing below a name could.
    """
    if _QUESTION.match(text, at) is None:
        return False
    name = REST_OF_NAME.match(text, at)
    begin, end = name_start(text, at), name.end() if name else at
    line = text.rfind("\n", max(0, at - LINE_BACK), at) + 1
    if not line and at >= LINE_BACK:
        return False
    if not (_ASKED.match(text, end) or _WAITED.match(text, end) or _COMMAND.match(text, line, begin)):
        return False
    if _MAKES.match(text, at):
        return _COMMAND.match(text, line, begin) is not None
    said = _WIDGET.sub("", text[begin:end].strip("."))
    return names.promise(f"p{said}" if said.startswith("assw") else said).level >= names.PASSWORD


def name_start(text: str, at: int) -> int:
    """Where the name begins that a place lies in."""
    first = max(0, at - NAME_REACH)
    # A pattern that is looked for from behind takes ten times as long.
    while at > first and (text[at - 1].isalnum() or text[at - 1] in NAME_SIGNS):
        at -= 1
    return at


def answer_beside(text: str, at: int, end: int) -> FoundValue | None:
    """What is sent, said behind the name of the password that is waited for, on the same line."""
    waited = _WAITED.match(text, at, end)
    return answer_at(text, waited.end(), end) if waited else None


def answer_at(text: str, at: int, end: int) -> FoundValue | None:
    """What the lines from a place on say to the question above them, if that is a password."""
    said = _ANSWER.match(text, at, end)
    if said is None and text[max(0, at - 8) : at].rstrip().endswith("?"):
        said = _REPLY.match(text, at, end)
    if said is None:
        return None
    kind = said.lastgroup or ""
    value = said[kind][:JUDGED]
    if kind == "lone" and value[:-1].isidentifier() and value[-1] == "," == text[max(0, at - 2) : at].rstrip()[-1:]:
        return None  # an argument below another one
    other = _ID.match(value)
    named = value[-1] == ":" if other is None else not values.looks_drawn(other[0])
    secret = (is_told(value) or made_up.is_spoken(value)) and not named and " " not in value
    if kind == "typed":
        given = _OTHER.search(said["lead"])
        if given is not None and _SAME.search(given[1]) is None:
            return None
        types = not secret and " " not in value and _TYPES.search(said["lead"]) is not None
        secret = secret or (types and values.secretive(value, names.PASSWORD, quoted=True))
    return (*said.span(kind), "PASSWORD", PLAIN) if secret else None
