r"""Names with values: `KEY=value`, `"key": "value"`, `key: value`, `--key value`, `<key>value</key>` and their kin.

A hit is any place inside a name. The name is read to both sides, judged, and only then the value.
"""

from __future__ import annotations

from itertools import islice

from overspill._lite import TYPE_CHECKING, compile_pattern
from overspill.redact import made_up, names, neighbours, values
from overspill.redact.hits import (
    ASSIGNMENT,
    CLEAR,
    JUDGED,
    PLAIN,
    QUOTE,
    RULE_BITS,
    RULE_MASK,
    SIMPLE,
    TOLD,
    FoundValue,
    Hit,
    SecretMatch,
)
from overspill.redact.neighbours import DEEPEST, SPOKEN

if TYPE_CHECKING:
    import re

NAME_REACH = 64  # characters of a name
_JOINTS = frozenset("_.$-")  # in a name, between its words
_NAME_LEFT = compile_pattern(r"[A-Za-z0-9_.$-]{0,64}")
# After the name: a closing quote (escaped or not), a bracket, then what joins name and value.
_JOIN = compile_pattern(
    r"""(?x) [A-Za-z0-9_.$-]{0,64}+
    (?P<close> \\{0,6}["'`]?[\])]? ) (?: \*{1,2}(?=[ ]?[:=]) )?
    (?: [ \t]{0,16}
        (?P<sep> :[ \t]{0,4}(?:constant[ ])?[&*]{0,2}(?:'[a-z]{1,12}[ ])?[A-Za-z_][\w.\[\]|<>?&*]{0,40}
                   (?:[ \t]{1,2}:?=(?![=>~])|=(?=["'`]))
               | :[ \t]{0,4}\[[^"'`\n=;(){}]{1,40}+=(?=[ \t]{0,4}["'`])
               | (?i:as)[ ][A-Za-z]{3,20}[ ]=
               | (?:[ \t]{1,4}[\w:.-]{1,40}=(?:"[^"<>\n]{0,80}+"|'[^'<>\n]{0,80}+')){1,6}[ \t]{0,4}> | [ ][|│](?=[ ])
               | (?<=[ \t])REG_[A-Z_]{2,12}(?=[ \t]) | ;s:[0-9]{1,6}:(?=")
               | \((?=["'`]) | => | := | (?:[?+]|\|\||//|::)=(?![=>~]) | \u2192 | :\*{1,2}(?=[ ])
               | ::?(?![:/]) | ={1,3}(?![~>]) | !?=== | -> | > | , )
        [ \t]{0,16}
      | (?P<gap>[ \t]{1,24}) (?: (?:(?:is|was):?|as|to|=|:)[ \t]{1,4} )? )
    (?P<prefix> [bBrRuUfFLN@$]{0,2} (?=\\{0,6}["'`]) )?
    """
)
# Where a value stands that no sign joins to its name: in the next element, in braces behind a macro of TeX, or typed
# into the field of that name.
_PLACED = compile_pattern(
    r"""(?x) [A-Za-z0-9_.$-]{0,64}+ (?P<end>)
    (?: [ \t]{0,2}[:=]?[ \t]{0,4} (?:</[\w:.-]{1,40}>[ \t]{0,8}){1,4} [:=]{0,2}[ \t]{0,8}
        (?:<[A-Za-z][\w:.-]{0,40}(?:[ \t][^<>\n]{0,200}+)?>[ \t]{0,8}){1,4} ["']?
        (?P<element>[^<>\s"'][^<>\n"']{2,4096}+) ["']?[ \t]{0,8}</
      | (?:[:=][ ]?</[a-z]{1,8}>|</[a-z]{1,8}>[ ]?[:=])[ ]{1,4}(?P<beside>[^<>\s"']{6,128}+)(?=[ ]?(?:<|\r?\n|\Z))
      | \}?\{(?P<braces>[^{}\s\\][^{}\n\\]{3,256}+)\}
      | ["'`\])]{1,5}
        \.(?:send_?[Kk]eys|fill|type(?:Text)?|press_?[Ss]equentially|(?:set|enter|insert|input)_?[A-Z]?[a-z]{0,12})
        \((?P<typed>["'`][^"'`\n\\]{4,256}+(?=["'`])) )"""
)
RESULT = "PASS"  # how test runners say that a test has passed; what follows is its name
_RESULT = compile_pattern(r"PASS[ \t]*(?::|(?<=[ \t])(?!=))")
_ESCAPED = compile_pattern(r"""\\{1,6}["'`]""")
_DOUBLE = compile_pattern(r'"((?:[^"\\\n]|\\[^\n]){0,4096}+)"?')
_SINGLE = compile_pattern(r"'((?:[^'\\\n]|'\\''|''(?=\w)|\\[^\n]){0,4096}+)'?")  # as shells and SQL write a quote
_TICKED = compile_pattern(r"`([^`\n]{0,4096}+)`?")
# All of a list of texts, from the first to the last: they are hidden as one, and the list stays a list.
_TEXT = r"""(?:[^"\\\n]|\\[^\n]){0,1024}+"""
_LISTED = compile_pattern(
    rf"""\[[ \t]{{0,8}}+"({_TEXT}(?:"[ \t]{{0,8}}+,[ \t]{{0,8}}+"{_TEXT}){{0,64}}+)"[ \t]{{0,8}}+\]"""
)
# A string of Lua, and one of Perl.
_BRACKETED, _PERL = compile_pattern(r"\[\[([^\]\n]{1,4096}+)\]\]"), compile_pattern(r"q[qw]?\{([^{}\n]{1,4096}+)\}")
_BARE = compile_pattern(
    r"""(?x) (?: [^\s"'`<>\\,;&)\]}|]++
      | \\(?![nrt"'`/\\u])
      | ,(?=[^\s"'`{\[\\]) (?![\w.-]{1,40}[ ]?[=:])
      | ;(?=[^\s"'`\\]) (?![\w\x20.-]{1,40}=)
      | &(?=[^\s"'`&\\]) (?!(?:amp|quot|apos|lt|gt|\#39|\#x27);|[\w.\[\]-]{1,60}=)
      | [)\]}|](?=[A-Za-z0-9_!@\#$%^*+=~-])
      | > (?=[^\s]) | '(?=[A-Za-z0-9]) )++ """
)
_SETS = compile_pattern(r"(?:^|[\s;&(])(?:ENV|ARG|setenv|SetEnv|#define|set(?:[ ]-[A-Za-z-]{1,10}){1,2})[ \t]{1,4}$")
# What may stand before a setting on its line, and a value that fills the rest of it.
_BEFORE_SETTING = compile_pattern(
    r"[ \t]*(?:(?:export|setx?|declare -x|ENV|ARG|env|local|readonly)[ ]|(?:[A-Z][a-z]{1,9}[ ]){1,3}|[+-][ ]?)?[A-Z_]*$"
)
_LINE_WORD = compile_pattern(r"""[^\s"'`#][^\s]*+(?=[ \t]*(?:[ \t]\#[^\n]{0,200})?(?:\r?\n|\Z))""")
# A variable of a shell or of its file, and a property: all up to the end of the line is its value.
_VARIABLE = compile_pattern(
    r"""(?:(?P<name>[A-Z][A-Z0-9_]{0,63}+)=(?P<value>[^\s"'`][^\s]*+)"""
    r"""|(?P<property>[a-z][\w-]{0,40}+(?:\.[\w-]{1,40}+){1,6}+)=(?P<said>[^\s"'`][^\s]*+)(?<!;))"""
    r"""(?=[ \t]*+(?:\r?\n|\Z))"""
)
_QUOTES = frozenset("\"'")
_LISTED_NAME = compile_pattern(r"""(["'])([A-Z][A-Z0-9_]{1,63}+)=([^\s"'`\\][^"'`\\\n]{3,512}+)\1""")
_QUERY = compile_pattern(r"""[^\s"'`<>\\&#;,)\]}|]+""")
_ELEMENT = compile_pattern(
    r"(?:<(?i:value|string|text)>)?(?:<!\[CDATA\[([^<>\]\n]{1,4096}+)\]\]>|([^<>\n]{1,4096}+))</"
)
_SCHEME = compile_pattern(r"(?:[Bb]earer|[Bb]asic|[Tt]oken|Bot)[ ](?=[^\s])|django-insecure-")
_SCHEMES = "BbTtd"  # how they begin
_WRAPPER = compile_pattern(
    r"""[A-Z]\w{0,40}+(?:(?:::|\.)\w{1,40}+){0,2}\((?=["'`])|<<(?=["'])|string\([0-9]{1,6}\)[ ](?=")"""
    r"""|[a-z]\w{1,20}+[ ](?=")|\[\]byte\((?=["'`])"""
)
_MARKS_OF_YAML = compile_pattern(r"(?:[&!][\w!.:/-]{1,40}[ ]){1,2}(?=\S)")
_GOES_ON = compile_pattern(r"""[ ](?:["'](?=[^\s"'])|[A-Z]\w{0,30}[ ]:=)""")  # a word is no value: `= pack "x"`
_TRIPLED = compile_pattern(r"""(\"{3}|'{2,3}|`{3})([^\s"'`][^"'`\n]{0,4096}+)\1""")  # of Python, of TOML, of Nix
_QUOTED = {'"': _DOUBLE, "'": _SINGLE, "`": _TICKED, "[": _BRACKETED, "q": _PERL}
_OF_WHOM = compile_pattern(r"(?i)(?:\w+\.)*(?:get|set|delete|remove|find|lookup|fetch|encrypt)_?password")
_MORE = compile_pattern(r"""["'`][ \t]{0,4},""")  # another argument

# The two plain forms, by far the most common: a quoted value without escapes, a bare one up to a blank.
_PLAIN_FORM = compile_pattern(
    r"""[A-Za-z0-9_.$-]{0,64}+(["']?)[ \t]{0,4}+[:=](?!\*{1,2}[ ])[ \t]{0,4}+(?!"{3}|'{3}|''[^\s'",;)\]}])"""
    r"""(?:(["'])([^"'\\\n]{0,256}+)\2(?!\\''|'\w)|([A-Za-z0-9_+/@%^*~-]{1,256}+)(?=[\s]|\Z)(?![ \t]{1,3}[=+]))"""
)

# The same where nothing needs to be weighed: letters and digits in turns, under a name that promises a token or more.
_CLEAR = (
    r"""([A-Za-z0-9_.$-]{1,64}+)["']?+[ \t]{0,4}+[:=][ \t]{0,4}+"""
    r"""(["']?)(?!0[xX][0-9A-Fa-f]{1,16}(?![A-Za-z0-9]))(?=[0-9]*+[A-SU-Ya-z][A-Za-z]*+[0-9]++[A-Za-z])([A-Za-z0-9]{8,256}+)\2"""
    r"""(?:(?<=["'])|(?=[\s]|\Z)(?![ \t]{1,3}[=|+]))"""
)
_CLEAR_FORM = compile_pattern(_CLEAR)
# The same from where its name begins.
_CLEAR_NAME = compile_pattern(r"(?:(?<![A-Za-z0-9_.$ :/#-])|(?<=[\s,;{(\[][ ]))" + _CLEAR)
_FAR, _HINT = 1024, 16  # characters in which stand-ins are looked for at once, and more than a hint of one has
# What no secret can do without, for a name that is no password's: a digit early on, or length.
_STRICT = (
    r"(?!\x1b)(?:[^\s0-9]{0,19}+[0-9]|[^\s]{20}|\\{0,6}+[\"'`]?+"
    r"(?:[A-Za-z]{1,18}?(?:[a-z][A-Z]|[A-Z]{2}[a-z])|[A-Za-z_-]{0,16}+[!#$%^*~@=+][A-Za-z!#$%^*~@=+]{3}))"
)
# From inside a name: a value that could be one. It only has to fail fast; `read_assignment` decides. Classes name
# both cases, because to fold the case of each character takes several times as long.
HOPEFUL = compile_pattern(
    r"""(?x) (?=[A-Za-z0-9_.$-]{0,64}+(?![A-Za-z0-9_.$-]))  # a name has an end
      (?!PASS[ \t]*+(?::|(?<=[ \t])(?!=)))
      (?: (?!(?i:pass(?:ed|es|ing|able|ages?|engers?|ion|ive))(?![A-Za-z0-9_]))  # every line of a test report says it
          (?=[A-Za-z0-9_.$-]{0,64}?(?:[Pp](?i:ass|w|sw|sk)|[Ss](?i:enha)|[Cc](?i:ontrasen)|[Kk](?i:ennw)|[Ww](?i:achtw)|[Hh](?i:aslo|eslo)|[JjGgLl](?i:elszo|eslo|ozinka)))
          [A-Za-z0-9_.$-]{0,64}+ \\{0,6}+ ["'`]?+ [\])}]?+ ["'`*]{0,2}+
          (?: [ \t]{0,16}+ [:=>,!;?+|\u2192\u2502-] [:=>|]{0,3}+ [ \t]{0,16}+ | [ \t]{1,16}+
            | \((?=[A-Za-z_:.]{0,24}+[(,]?[ ]?["'`]) ) [^\s]
      | [A-Za-z0-9_.$-]{0,64}+ (?: [:=]?[ \t]{0,4}+</[A-Za-z] | \}?+\{ | ["'`\])]{1,5}+\.[A-Za-z_]{3,24}+\( )
      | [A-Za-z0-9_.$-]{0,64}+ (?!::(?:[Tt]est|[a-z]{1,24}_[a-z]))  # `tokens.py::test_x` is a test
        \\{0,6}+ ["'`]?+ [\])]?+ \*{0,2}+
        (?: [ \t]{0,16}+ [:=>,!?+|\u2192\u2502-] [:=>|]{0,3}+ \*{0,2}+ [ \t]{0,16}+
            (?: (?i:bearer|basic|token|bot)[ ]
              | [&*]{0,2}+ (?:'[A-Za-z]{1,12}[ ])? [A-Za-z_][\w.\[\]|<>?&*]{0,40}+ [ \t]{0,2}+ = [ \t]{0,16}+ )?
          | [ \t]{1,24}+ (?: (?:(?i:is|was):?|(?i:as|to)|=|:)[ \t]{1,4}+ )? | \((?=["'`]) )
        """
    + _STRICT
    + ")"
)


def read_assignment(text: str, at: int, stop: int) -> FoundValue | None:
    """The value of the name around `at`, if it has one before `stop`."""
    begin = _name_start(text, at) if at else at
    found = _read_value(text, at, begin, stop)
    if found is None or not found[2]:
        told = _further_on(text, at, begin, stop)
        if found is None or (told and (told[0] > found[0] or text[told[0] - 1] in "\"'`")):
            found = told or found
    return None if found is not None and _is_structure(text, begin, found[0]) else found


def _further_on(text: str, at: int, begin: int, stop: int) -> FoundValue | None:
    """What is told of a password some words further on, where no sign behind its name says so."""
    named = _NAME_LEFT.match(text, at, stop)
    end = named.end() if named else at
    promise = names.promise(text[begin:end].rstrip("."))
    if promise.level < names.PASSWORD or (begin and text[begin - 1] in " :/" and neighbours.is_no_name(text, begin)):
        return None
    return neighbours.value_further_on(text, (begin, end), at, stop, promise)


def _is_structure(text: str, begin: int, start: int) -> bool:
    """Whether a list or an object of JSON begins there, which is read by itself."""
    return text.startswith(("[", "{"), start) and '"' in text[begin:start] and text[start - 1] not in "\"'"


def _read_value(text: str, at: int, begin: int, stop: int) -> FoundValue | None:
    before = text[begin - 1 : begin]
    if text.startswith(RESULT, begin) and _RESULT.match(text, begin, stop):
        return None
    if before and before in " :/(#" and neighbours.is_no_name(text, begin):
        return None
    clear = _CLEAR_FORM.match(text, begin, stop)
    if clear is not None:
        promise = names.promise(clear[1])
        if promise.level >= names.TOKEN:
            start, end = clear.span(3)
            stands_in = values.stand_in_inside(clear[3]) or neighbours.is_name(clear, promise.level)
            return start, end, "" if stands_in else promise.type, CLEAR
    plain = _PLAIN_FORM.match(text, at, stop)
    if plain is not None and _GOES_ON.match(text, plain.end(), stop) and plain.start(4) >= 0:
        plain = None
    if plain is not None and _after_scheme(text, (first := max(plain.start(3), plain.start(4))), stop) == first:
        promise = names.promise(text[begin : plain.start(1)])
        return _plain_value(text, begin, plain, promise) if promise.level else None
    placed = _PLACED.match(text, at, stop)
    if placed is not None:
        return _placed_value(text, begin, placed)
    return _variable_value(text, begin, stop) or _read_joined(text, at, begin, stop)


def _placed_value(text: str, begin: int, placed: re.Match[str]) -> FoundValue | None:
    start, end = placed.span(placed.lastgroup or 0)
    promise = names.promise(text[begin : placed.start("end")])
    if not promise.level or (placed.lastgroup == "braces" and text[begin - 1 : begin] != "\\"):  # no macro
        return None
    start, end, kind, _ = _judged_value(text, start + (placed.lastgroup == "typed"), end, promise, quoted=True)
    return start, end, kind, PLAIN if kind else SIMPLE


def _variable_value(text: str, begin: int, stop: int) -> FoundValue | None:
    listed = _LISTED_NAME.match(text, begin - 1, stop) if text[begin - 1 : begin] in _QUOTES else None
    if listed is not None:
        return _judged_value(text, *listed.span(3), names.promise(listed[2]), quoted=True)
    variable = _VARIABLE.match(text, begin, stop)
    if variable is None or not _stands_as_setting(text, begin):
        return None
    promise = names.promise(variable["name"] or variable["property"])
    value = variable.lastgroup or "value"
    if promise.level < names.TOKEN or not values.fills_setting(variable[value], promise.level):
        return None
    return (*variable.span(value), promise.type, SIMPLE)


def _read_joined(text: str, at: int, begin: int, stop: int) -> FoundValue | None:
    joined = _JOIN.match(text, at, stop)
    if joined is None:
        return None
    promise = names.promise(text[begin : joined.start("close")].rstrip("."))
    return _joined_value(text, begin, joined, promise, stop) if promise.level else None


def read_run(text: str, hits: list[Hit], most: int, limit: Hit) -> tuple[list[SecretMatch], int]:
    """What `read_assignment` says of the last hits, from behind, and of how many of them.

    One that has to be read by itself ends the run. A value that several hits tell of is said once.
    """
    found: list[SecretMatch] = []
    match, hint, put = _CLEAR_NAME.match, names.STAND_IN_HINT.search, found.append
    known, level, kind = "", names.NOTHING, ""
    told, hinted, count = -1, -1, 0
    for hit in islice(reversed(hits), most):
        if hit & RULE_MASK != ASSIGNMENT or hit >= limit:
            break
        form = match(text, hit >> RULE_BITS) or match(text, _name_start(text, hit >> RULE_BITS))
        if form is None:
            break
        name = form[1]
        if name != known:
            level, kind = names.promise(name)
            if level < names.TOKEN or name == RESULT:
                break
            known = name
        count += 1
        start, end = form.span(3)
        if start == told:
            continue
        told = start
        if hinted < start:  # where the next stand-in could be: looked for once for many values
            next_hint = hint(text, start, start + _FAR)
            hinted = next_hint.start() if next_hint else start + _FAR - _HINT
        stands_in = (hinted < end and values.stand_in_inside(form[3])) or neighbours.is_name(form, level)
        put((start, end, ASSIGNMENT, "" if stands_in else kind, CLEAR))
    return found, count


def _name_start(text: str, at: int) -> int:
    """Where the name begins that `at` lies in."""
    before = text[at - 1 : at]
    if not before.isalnum() and before not in _JOINTS:
        return at
    left = _NAME_LEFT.match(text[max(0, at - NAME_REACH) : at][::-1])
    return at - (left.end() if left else 0)


def _plain_value(text: str, begin: int, form: re.Match[str], promise: names.Promise) -> FoundValue:
    quoted = form.start(3) >= 0
    start, end = form.span(3 if quoted else 4)
    value = values.without_escapes(text[start:end])
    if not quoted and (
        value.lower() == text[begin : form.end(1)].rpartition(".")[2].lower()
        or names.is_symbol(value)
        or neighbours.is_type(text, start, end)
    ):
        return start, end, "", SIMPLE
    secret = values.secretive(value, promise.level, quoted=quoted)
    if not secret and values.stand_in(value):
        return start, end, "", SIMPLE
    if not secret and promise.level >= names.PASSWORD and made_up.bare_word(value, any_case=text[begin].isupper()):
        secret = not text.startswith(value.partition("-")[0] + "-", begin) and neighbours.is_setting(
            text, begin, (form.end(1), start - quoted), form.end(), closed=form.group(1), quoted=quoted
        )
    name, is_set = text[begin : form.end(1)], text[form.end(1)] == "="
    told = promise.type in {"PASSWORD", *SPOKEN} or (promise.type == "TOKEN" and is_set and name.isupper())  # a shell
    given = quoted or promise.type != "PASSWORD" or name != "pass" or is_set or made_up.is_whose(text, begin)
    if not secret and told:
        secret = values.says_nothing(value) or (given and made_up.is_spoken(value))
        secret = secret or (made_up.is_phrase(value) and (quoted or made_up.is_apart(text, start, end)))
    secret = secret or (quoted and promise.level >= names.PASSWORD and made_up.passphrase(value))
    if form.group(1) and not quoted and value.isdigit():
        return start, end, promise.type * secret, QUOTE
    return start, end, promise.type * secret, SIMPLE if value.isalnum() or value.isidentifier() else PLAIN


def _stands_as_setting(text: str, begin: int) -> bool:
    """Whether a name begins its line, as in a file of settings."""
    return _BEFORE_SETTING.match(text[max(0, begin - DEEPEST) : begin].rpartition("\n")[2]) is not None


def _joined_value(text: str, begin: int, joined: re.Match[str], promise: names.Promise, stop: int) -> FoundValue | None:
    name = text[begin : joined.start("close")]
    before = text[begin - 1] if begin else ""
    if neighbours.is_of_template(text, begin, joined):
        return None
    if joined.group("gap") is not None and text[joined.start("gap") : joined.end()].rstrip()[-1:] != ":":
        return _after_gap(text, (begin, name), promise, (joined.start("gap"), joined.end()), stop)
    if (joined.group("sep") or ":")[-1] in ">," and joined.group("sep") not in {"=>", "->"}:
        return _markup_value(text, before, joined, promise, stop)
    if joined.group("sep") in {"=", ":"} and not joined.group("close") and _stands_as_setting(text, begin):
        line = _LINE_WORD.match(text, joined.end(), stop)
        if line is not None and promise.level >= names.TOKEN:
            word = line[0].partition("</")[0].rstrip(",;\\")  # a statement that goes on in the next line
            first, last = line.start(), line.start() + len(word)
            if values.fills_setting(word, promise.level) and not neighbours.is_type(text, first, last):
                return first, last, promise.type, PLAIN
    found = _value_at(text, joined.end(), stop, promise, before=before, close=joined.group("close"))
    if found and found[2] and joined.group("sep") == "(" and _OF_WHOM.match(name) and _MORE.match(text, found[1], stop):
        # The first of several arguments is whose password it is.
        return found if values.says_nothing(text[found[0] : found[1]]) else (*found[:2], "", PLAIN)
    return found


def read_value(text: str, at: int, stop: int, promise: names.Promise) -> FoundValue | None:
    """The secret value of the word around `at`, whose promise is known from elsewhere."""
    joined = _JOIN.match(text, at, stop)
    if joined is None or (joined.group("gap") is not None and text[max(0, at - 9) : at].rpartition(" ")[2][:2] != "--"):
        return None
    if joined.group("sep") == ">":
        return _markup_value(text, "<", joined, promise, stop)
    return _value_at(text, joined.end(), stop, promise, before="", close=joined.group("close"))


def _value_at(text: str, at: int, stop: int, promise: names.Promise, *, before: str, close: str) -> FoundValue | None:
    mark = _MARKS_OF_YAML.match(text, at, stop) if text[at : at + 1] in "&!" else None
    at = mark.end() if mark else at
    opening = text[at : at + 1]
    wrapper = _WRAPPER.match(text, at, stop) if opening.isalpha() or opening in "<[" else None
    quoted = _quoted_span(text, wrapper.end() if wrapper else at, stop)
    if quoted is not None:
        start, end = quoted
        start = _after_scheme(text, start, end)
        return _judged_value(text, start, end, promise, quoted=True)
    bare = (_QUERY if before in "?&" and before else _BARE).match(text, at, stop)
    if bare is None:
        return None
    start = _after_scheme(text, at, stop)
    if start != at:
        bare = _BARE.match(text, start, stop)
        if bare is None:
            return None
    end = bare.end()
    while end > start and text[end - 1] in ".,:;!?)\\":
        end -= 1
    form = QUOTE + close.count("\\") if close.strip("\\)]") and text[start:end].isdigit() else PLAIN
    other = neighbours.is_type(text, start, end) or neighbours.is_member_value(text, start, end, close)
    if other or (form == PLAIN and neighbours.is_count(text, start, end)):
        return start, end, "", form
    return _judged_value(text, start, end, promise, quoted=False, form=form)


def _judged_value(
    text: str, start: int, end: int, promise: names.Promise, *, quoted: bool, form: int = PLAIN
) -> FoundValue:
    """The value, without a type if it is no secret: looking at it is work all the same."""
    value = values.without_escapes(text[start : min(end, start + JUDGED)])
    secret = values.secretive(value, promise.level, quoted=quoted)
    spoken = promise.type == "PASSWORD" or (quoted and promise.type in SPOKEN)
    if not secret and spoken and " " not in value and (quoted or not names.is_symbol(value)):
        secret = values.says_nothing(value) or made_up.is_spoken(value) or made_up.is_phrase(value)
    if form == PLAIN and secret and value.isalnum() and not value.isalpha():
        form = TOLD
    return start, end, promise.type if secret else "", form


def _quoted_span(text: str, at: int, stop: int) -> tuple[int, int] | None:
    mark = text[at : at + 1]
    if mark == "\\":
        opened = _ESCAPED.match(text, at, stop)
        if opened is None:
            return None
        close = text.find(opened.group(), opened.end(), min(stop, opened.end() + 4096))
        while close > 0 and text[close - 1] == "\\":  # a quote of the string inside the string
            close = text.find(opened.group(), close + len(opened.group()), min(stop, opened.end() + 4096))
        line = text.find("\n", opened.end(), close if close >= 0 else stop)
        return (opened.end(), close) if close >= 0 and line < 0 else None
    listed = _LISTED.match(text, at, stop) if mark == "[" else None
    if listed is not None:
        return listed.span(1)
    tripled = _TRIPLED.match(text, at, stop) if mark and text[at + 1 : at + 2] == mark else None
    if tripled is not None:
        return tripled.span(2)
    reader = _QUOTED.get(mark)
    found = reader.match(text, at, stop) if reader else None
    return found.span(1) if found else None


def _after_scheme(text: str, start: int, end: int) -> int:
    """Past `Bearer ` and its kin: the scheme is worth reading, the rest is the secret."""
    scheme = _SCHEME.match(text, start, end) if text[start : start + 1] in _SCHEMES else None
    return scheme.end() if scheme else start


def _listed_value(
    text: str, before: str, joined: re.Match[str], promise: names.Promise, stop: int
) -> FoundValue | None:
    """`("password", "value")`: an argument or an item, told by both quotes."""
    if not joined.group("close").strip("\\])") and before != "{":
        return None
    quoted = _quoted_span(text, joined.end(), stop)
    if quoted is None:
        return None
    value = text[quoted[0] : min(quoted[1], quoted[0] + JUDGED)]
    if " " in value or not (values.secretive(value, names.TOKEN, quoted=True) or values.says_nothing(value)):
        return (*quoted, "", SIMPLE)
    begin = max(text.rfind(quote, max(0, joined.start() - NAME_REACH), joined.start()) for quote in "\"'`") + 1
    alike = neighbours.are_alike(text[begin : joined.start("close")], value)
    alike = alike or (value.isalnum() and names.name_bits(value) > values.NAME_BITS / 2) or names.is_symbol(value)
    return (*quoted, promise.type if not alike or values.is_drawn_code(value) else "", PLAIN)  # or names


def _markup_value(
    text: str, before: str, joined: re.Match[str], promise: names.Promise, stop: int
) -> FoundValue | None:
    """`<password>value</password>`, `<entry key="password">value</entry>`."""
    if joined.group("sep") == ",":
        return _listed_value(text, before, joined, promise, stop)
    if before not in {"<", '"', "'", ":"} or not before:
        return None
    element = _ELEMENT.match(text, joined.end(), stop)
    if element is None or text.endswith(element[element.lastindex or 0], 0, joined.start("close")):  # what is named so
        return None
    start, end = element.span(element.lastindex or 0)
    if promise.level >= names.PASSWORD and before in "<:" and made_up.bare_word(text[start:end]):
        return start, end, promise.type, PLAIN
    return _judged_value(text, start, end, promise, quoted=True)


def _after_gap(
    text: str, named: tuple[int, str], promise: names.Promise, gap: tuple[int, int], stop: int
) -> FoundValue | None:
    """`--password value`, `acme TOKEN value`, `the password is value`: only what no sentence would say."""
    (begin, name), at = named, gap[1]
    is_value = name[-1:] == "." or (text[begin - 1 : begin] == "=" and name == "pass")  # or a sentence ends there
    if is_value or neighbours.is_declared(text, begin) or (span := _gap_value(text, at, stop)) is None:
        return None
    start, end, quoted = span
    value = text[start : min(end, start + JUDGED)]
    if name.startswith("-") or (_SETS.search(text, max(0, begin - DEEPEST), begin) and not values.is_code(value)):
        return _judged_value(text, start, end, promise, quoted=True)
    of_file = not quoted and text[begin - 1 : begin] == "/" and values.is_hex(value)  # its digest
    if of_file or neighbours.is_code_behind(name, value, quoted=quoted):
        return None
    if promise.level < names.TOKEN or len(value) < values.SHORTEST_TOKEN:
        return start, end, "", SIMPLE
    told = neighbours.is_told_in_gap(text, named, promise, gap, span)
    return start, end, promise.type if told else "", PLAIN


def _gap_value(text: str, at: int, stop: int) -> tuple[int, int, bool] | None:
    """Where the value behind a gap begins and ends, and whether it stands in quotes."""
    quoted = _quoted_span(text, at, stop)
    if quoted is not None:
        return *quoted, True
    bare = _BARE.match(text, at, stop)
    if bare is None:
        return None
    start, end = bare.span()
    while end > start and text[end - 1] in ".,:;!?)" and not (text[end - 1] == "!" and text[end - 2].isdigit()):
        end -= 1
    framed = text[start] in "[({" and text[end : end + 1] in {"]", ")", "}"}  # `with password [...]`
    return start + framed, end, False
