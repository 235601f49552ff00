"""From a hit to what must be hidden: one reader for each way of telling a secret.

A reader looks at most `MAX_LOOKAHEAD` characters ahead and `MAX_LOOKBEHIND` behind, and never past the end of a line,
so its answer depends on the text around the hit and on nothing else. That is what makes chunking
irrelevant.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, compile_pattern, lru_cache
from overspill.redact import assignments, made_up, names, neighbours, values
from overspill.redact.hits import JUDGED, PLAIN, URL, FoundValue, Probe, Reader

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator

    from overspill.redact.hits import Scanner
    from overspill.redact.rules import Rule


_NOTHING: tuple[FoundValue, ...] = ()

# What an assignment of ordinary length depends on: this much before the hit and after it.
_SEEN_BACK, _SEEN_AHEAD, _SEEN_LATER = 76, 180, 64
_REMEMBERED, _PATIENCE = 2048, 128

_PAIR = compile_pattern(
    r"""\w{2,8}\\{0,4}["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}["'`]?([\w./-]{2,80})\\{0,4}["'`]?"""
    r"""(?:[\s,;]{1,60}\\{0,4}["'`]?\w{2,12}\\{0,4}["'`]?[:=][ ]?\\{0,4}["'`]?[\w.-]{1,24}\\{0,4}["'`]?)?"""
    r"""[\s,;]{1,60}-?[ ]?\\{0,4}["'`]?(?:[a-z]{1,12}:)?$"""
)
_FLAG_PAIR = compile_pattern(
    r"""--(?:name|key|id|secret-id|variable|parameter)[ =]["']?([\w./-]{2,120})["']?[ ]"""
    r"""(?:--?\w[\w-]{0,30}[ =][\w./-]{1,60}[ ]){0,2}--(?:secret-)?$"""
)
_CALLED = compile_pattern(r"""\(\s{0,20}["']-{0,2}([\w.-]{2,80})["'],[^()\n]{0,100}$""")  # `option("token", value: `
_STEM = compile_pattern(r"[A-Z][A-Za-z]{2,24}$")
_MOST_NAMES = 6  # words that may say a name and are looked at
_LONGEST_PAIR_WORD = 24  # characters of one, with the signs behind it
_SESSION_NAME = compile_pattern(r"(?i)sess(?:ion)?[_.-]?id$|(?:^|[_.-])sid$|^session$")
# A value that is more than a word, or long.
_PAIR_HOPEFUL = compile_pattern(
    r"""--[a-z-]{5,16}[ ][^\s-]|[^\w-]?+\w{3,16}+\\{0,6}+["'`]?+[\])]?+[ \t]{0,16}+[:=>,!-][:=>]{0,3}+[ \t]{0,16}+"""
    r"""[\w.\[\]|<>?]{0,40}[ \t]{0,2}=?[ \t]{0,16}"""
    r"""\\{0,6}["'`]?(?=[^\s]{4})(?:[A-Za-z_.=:-]{0,19}+[^\sA-Za-z_.=:"'`,;<>()\[\]{}-]|[^\s]{20}"""
    r"""|[A-Za-z]{1,18}?(?:[a-z][A-Z]|[A-Z]{2}[a-z])|[A-Za-z_.-]{1,40}+=[A-Za-z_.-]{0,40}+;[ ]"""
    r"""|[A-Za-z]{2,12}+[ ][A-Za-z]{2,12}+[ ][A-Za-z])"""
)
_IN_PAIR_WORDS = ("ame", "ey", "id", "path", "field", "header", "property", "variable")  # looked for at once
# A word that says a name, and, read backwards, how a pair ends: what it says is all that stands before `value`.
_PAIR_WORD = compile_pattern(
    r"""(?:[nN]ame|[kK]ey|field|header|property|variable|path|id)(?=\w{0,6}+\\{0,4}["'`]?[ \t]{0,4}[:=])"""
)
_PAIR_END = compile_pattern(
    r"""(?::[a-z]{1,12})?["'`]?\\{0,4}[ ]?-?[\s,;]{1,60}["'`]?\\{0,4}[\w./-]{1,80}["'`]?\\{0,4}[ \t]{0,4}[:=]"""
)
# Backwards from `value`: `{`, a sign, the name. Other members may stand between brace and `value`.
_NESTED = compile_pattern(
    r"""["'`\\]{0,5}(?P<members>(?:\s{0,40}+,[^,{}\n]{1,60}+){0,4}+)\s{0,60}+(?:\{|(?:\[|\((?:yarra)?)(?=[ ]>=))"""
    r"""[ \t]{0,4}(?:>=|[:=]{0,2})[ \t]{0,4}\\{0,4}["'`]?\\{0,4}(?P<name>[\w.-]{2,80})"""
)
_LOGIN = compile_pattern(  # read backwards: a line begins so, or another pair does
    r"\s{1,8}\S{1,100}\s{1,8}(?:nigol|enihcam|tnuocca)(?=[^\w\n]{0,24}(?:\n|\Z)|\s{1,8}(?:\S{1,128}\s{1,8}(?:enihcam|nigol|tnuocca)|tluafed))"
)
# Backwards from `@tcp(`: a password, and the name of a user before it.
_DSN = compile_pattern(r"""([^\s"'`<>\\/]{1,128}?):[\w.-]{1,64}+(?![/:])""")
_SHORT_WORD = compile_pattern(r"([a-z0-9]{1,11}[a-z])(?:_[a-z0-9]{1,10}){0,2}(?![A-Za-z0-9_/.\\=+-])")  # read backwards
URL_REACH = 400  # no password of an address ends further from where its scheme does
_COOKIE = compile_pattern(r"""(?:^|(?<=[;\s"']))([A-Za-z0-9_.%~!*-]{1,80})=([^\s;,"'\\]{6,4096})""")
_COOKIE_END = compile_pattern(r"""[^\n"'\\]{0,8192}""")
_SESSION = compile_pattern(
    r"(?i)sess|sid\b|_sid|token|auth|jwt|remember|login|secret|credential|csrf|xsrf|identity|ticket|access|refresh"
)
_COOKIE_HEADERS = frozenset(("cookie", "set-cookie"))
_SAID = compile_pattern(r"""\w{2,12}\\{0,4}["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}["'`]?""")  # from `value` to what it is
_COOKIE_ATTRIBUTES = frozenset("expires max-age domain path samesite secure httponly priority version".split())


def reader(rule: Rule, scanner: Scanner) -> Reader:
    """The function that turns a hit of `rule` into finds; patterns are compiled here, when first needed."""
    if rule.how == "assignment":
        return _Memory().read
    if rule.how in _READERS:
        return _READERS[rule.how]
    if rule.how in {"block", "below", "near"}:
        return _nothing_here
    if rule.how == "encoded":
        from overspill.redact.transports import encoded_reader  # few texts have such runs

        return encoded_reader(scanner)
    if rule.how == "cookies":
        return _cookies(compile_pattern(rule.pattern))
    return _pattern(rule)


def probe(rule: Rule) -> Probe | None:
    """What fails at once where the rule finds nothing, if its pattern begins at one place before the hit."""
    simple = _PROBES.get(rule.how)
    if simple is not None:
        return simple
    if rule.how == "prefixed":
        return _prefixed(compile_pattern(rule.pattern))
    if rule.how in {"block", "below"}:
        from overspill.redact import k8s_secrets, key_blocks, layouts, multiline  # few texts have them

        by_name: dict[str, Probe] = {"value-below": multiline.hope, "kubernetes-secret": k8s_secrets.HOPEFUL.match}
        by_name["value-laid-out"] = layouts.hope_of_layout
        return by_name.get(rule.name, key_blocks.HOPEFUL_BLOCK.match)
    one_place = rule.pattern and rule.least < 0 and not rule.how.endswith("line")
    return compile_pattern(rule.pattern).match if one_place else None


def _nothing_here(_text: str, _at: int, _stop: int) -> Iterable[FoundValue]:
    """What is said over several lines is read by the stream."""
    return _NOTHING


def _pattern(rule: Rule) -> Reader:
    pattern = compile_pattern(rule.pattern)
    group = "v" if "v" in pattern.groupindex else 0
    judge = _JUDGES[rule.how]
    form = URL if rule.how in {"url", "opaque-url"} else PLAIN
    kind = rule.type

    def read(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        match = pattern.match(text, at, stop)
        if match is None:
            return _NOTHING
        start, end = match.span(group)
        return ((start, end, kind if judge(text[start : min(end, start + JUDGED)]) else "", form),)

    if rule.how.endswith("line"):
        return _from_line_start(read)
    if rule.how == "netrc":
        return _netrc(read)
    if rule.before:
        return _after_words(rule.before, read)
    return _before_gate(rule.back, rule.least, read) if rule.back else read


def _after_words(words: tuple[str, ...], read: Reader) -> Reader:
    """Only where one of the words stands before, on the same line."""

    def read_after(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        line = text[max(0, at - 200) : at]
        line = line[line.rfind("\n") + 1 :]
        return read(text, at, stop) if any(word in line for word in words) else _NOTHING

    return read_after


def _before_gate(back: int, least: int, read: Reader) -> Reader:
    """For patterns that begin a known way before their gate."""

    def read_before(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        for offset in range(back, least - 1 if least >= 0 else back - 1, -1):
            found = read(text, at - offset, stop) if at >= offset else _NOTHING
            if found:
                return found
        return _NOTHING

    return read_before


def _from_line_start(read: Reader) -> Reader:
    def read_line(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        start = text.rfind("\n", max(0, at - 130), at) + 1
        return read(text, start, stop) if start or at < 130 else _NOTHING  # noqa: PLR2004

    return read_line


def _netrc(read: Reader) -> Reader:
    """Only after `login name` or `machine name`, on the same line or the one before."""

    def read_netrc(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        return read(text, at, stop) if _LOGIN.match(text[max(0, at - 160) : at][::-1]) else _NOTHING

    return read_netrc


def _hope_of_host(text: str, at: int, _stop: int) -> object:
    """None where no `@` follows as near as a password of an address ends."""
    return True if text.find("@", at, at + URL_REACH) >= 0 else None


def _prefixed(pattern: re.Pattern[str]) -> Probe:
    """Fails but after a short word that nothing stands before and no rule knows: `acme_`."""
    from overspill.redact.rules.credentials import RULES  # where there was a hit it is loaded

    known = frozenset(gate.removesuffix("_") for rule in RULES for gate in rule.gates if gate.endswith("_"))

    def match_prefixed(text: str, at: int, stop: int) -> object:
        prefix = _SHORT_WORD.match(text[max(0, at - 35) : at + 1][::-1])
        return pattern.match(text, at, stop) if prefix and prefix[1][::-1] not in known else None

    return match_prefixed


class _Memory:
    """What assignments came to: logs say the same thing again and again, and so does hostile text.

    Where nothing comes twice it stops looking for a while.
    """

    def __init__(self) -> None:
        self.seen: dict[str, tuple[int, FoundValue | None]] = {}
        self.patience = _PATIENCE

    def read(self, text: str, at: int, stop: int) -> Iterable[FoundValue]:
        if self.patience <= 0:
            self.patience = self.patience - 1 if self.patience > -_REMEMBERED else _PATIENCE
            found = assignments.read_assignment(text, at, stop)
            return _NOTHING if found is None else (found,)
        around = text[at - _SEEN_BACK : at + _SEEN_AHEAD] if at >= _SEEN_BACK else ""
        known = self.seen.get(around)
        if known is None:
            self.patience -= 1
            known = at, assignments.read_assignment(text, at, stop)
            self._keep(around, known)
        else:
            self.patience = _PATIENCE
        there, found = known
        if found is None:
            return _NOTHING
        start, end, kind, form = found
        return ((start - there + at, end - there + at, kind, form),)

    def _keep(self, around: str, known: tuple[int, FoundValue | None]) -> None:
        """Keep what depends on nothing further away."""
        at, found = known
        if len(around) == _SEEN_BACK + _SEEN_AHEAD and (found is None or found[1] + _SEEN_LATER < at + _SEEN_AHEAD):
            if len(self.seen) >= _REMEMBERED:
                self.seen.clear()
            self.seen[around] = known


def _pair_values(text: str, at: int, stop: int) -> Iterable[FoundValue]:
    """`{"name": "DB_PASSWORD", "value": "..."}`, on one line or two, and `"password": {"value": "..."}`."""
    at = text.find("value", at, at + 12) if text.startswith("--", at) else at
    at += not text[at].isalpha()  # the sign before a word that stands by itself
    name = _pair_name(text[max(0, at - 200) : at]) or _parent_name(text[max(0, at - 300) : at])
    if name and _IS_KEY.match(text, at):
        if len(name) > LONG_ID and values.is_hex(name):  # another key
            return _NOTHING
        name += "_key"
    if name.lower() in _COOKIE_HEADERS:
        said = _SAID.match(text, at, stop)
        return list(_cookie_values(text, said.end(), stop)) if said else _NOTHING
    if text.startswith("result", at):  # what a tool keeps of a password that it has drawn
        name = "password" if "random_password" in text[max(0, at - 300) : at] else ""
    promise = names.promise(name)
    if promise.level == names.NOTHING and _SESSION_NAME.search(name):
        promise = names.Promise(names.VENDOR_KEY, "COOKIE")
    if promise.level == names.NOTHING:
        return _NOTHING
    found = assignments.read_value(text, at, stop, promise)
    if found is not None and not found[2] and "jwt" in name.lower() and _signs_tokens(text[found[0] : found[1]]):
        found = (*found[:2], "API_KEY", found[3])
    return (found,) if found is not None else _NOTHING


def _signs_tokens(value: str) -> bool:
    """Whether words are what tokens are signed with, under the name of such a key: as long as they have to be."""
    return value.count(" ") >= FEWEST_BLANKS and len(value) >= values.SHORTEST_KEY and not values.stand_in(value)


def _pair_name(before: str) -> str:
    """The name that a `value` just after `before` belongs to, or nothing."""
    nested = _NESTED.match(before[::-1]) if "{" in before or "=>" in before else None
    if nested and (not nested["members"] or names.promise(nested["name"][::-1]).level):
        return nested["name"][::-1]
    flags = _FLAG_PAIR.search(before) if "--" in before else None
    if flags:
        return flags[1]
    # `ParameterKey=..,ParameterValue=`: both names begin alike
    stem = _STEM.search(before) if before[-1:].isalpha() else None
    if stem and stem[0] and before.find(stem[0]) < stem.start():
        before = before[: stem.start()]
    called = _CALLED.search(before) if "(" in before else None
    if called:
        return called[1]
    end = _PAIR_END.match(before[::-1]) if any(map(before.__contains__, _IN_PAIR_WORDS)) else None
    if end is None:
        return ""
    sign = len(before) - end.end()  # most often the word that says a name stands right before it
    return _named_pair(before, max(0, sign - _LONGEST_PAIR_WORD)) or _named_pair(before, 0)


def _named_pair(before: str, first: int) -> str:
    """What the last word from a place on says that says a name."""
    places = [word.start() for word in _PAIR_WORD.finditer(before, first)]
    named = next(filter(None, (_PAIR.match(before, at) for at in reversed(places[-_MOST_NAMES:]))), None)
    return named[1] if named else ""


FEWEST_BLANKS, LONG_ID = 2, 24  # of a phrase; digits of an id
_IS_KEY = compile_pattern(r"(?i)key(?![A-Za-z0-9_])")
# Read backwards, where it fails at once.
_PARENT = compile_pattern(r"""\r?[ \t]{0,4}[-+]?[{\[|>]?[ \t]{0,4}(?:>=|[:={]{1,2})[ \t]{0,4}["'`]?([\w.-]{2,80})""")


def _parent_name(before: str) -> str:
    """The name that opens the block in which a line begins, if that is near: `password:` above `  default: ...`."""
    line = before.rpartition("\n")[2]
    if line.strip(" \"'"):
        return ""
    *lines, _ = before.split("\n")
    depth = len(line)
    for above in reversed(lines):
        indent = len(above) - len(above.lstrip(" "))
        if indent < depth and above.strip():
            opened = _PARENT.match(above[::-1])
            return opened[1][::-1] if opened else ""
    return ""


# `user:password@host` without a scheme: what follows the colon, and, backwards, what stands before it.
_USERINFO = compile_pattern(r""":([^\s:@/"'`<>\\]{8,64})(?<!})@(?=[A-Za-z0-9-]{1,64}[.:/\s]|[A-Za-z0-9-]{1,64}\Z)""")
_USER = compile_pattern(r"[\w.+-]{1,64}+(?:(?=:revresp:)|(?![\w:@$]))(?!//)")
_USER_NAME = compile_pattern(r"[\w.+-]{0,64}+")


def _hope_of_userinfo(text: str, at: int, _stop: int) -> object:
    """None behind `://user`: passwords of addresses have a rule of their own, and come by the thousand."""
    slashes = text.rfind("//", at - 66 if at > 66 else 0, at)  # noqa: PLR2004  as far as `_USER` reaches
    return None if slashes >= 0 and _USER_NAME.fullmatch(text, slashes + 2, at) else True


_NO_USERS = ("UID", "-ID", '"id', " id", "mailto", "news", "sip", "sips", "xmpp", "acct", "mid", "cid")
_DATE = compile_pattern(r"^[0-9]{2}-[0-9]{2}-[0-9]{4}")  # backwards


def _userinfo_password(text: str, at: int, stop: int) -> Iterable[FoundValue]:
    found = _USERINFO.match(text, at, stop)
    user = _USER.match(text[max(0, at - 66) : at][::-1]) if found else None
    if found is None or user is None or text.endswith(_NO_USERS, 0, at) or _DATE.search(user[0]):
        return _NOTHING  # the id of an event or a message is no user, and no date is
    return ((*found.span(1), "PASSWORD" if _is_drawn(found[1]) else "", PLAIN),)


def _dsn_password(text: str, at: int, stop: int) -> Iterable[FoundValue]:  # noqa: ARG001  as every reader
    """`user:password@tcp(host:3306)/name`, as some drivers want it."""
    before = _DSN.match(text[max(0, at - 200) : at][::-1])
    if before is None or not _is_url(before[1][::-1]):
        return _NOTHING
    return ((at - before.end(1), at, "PASSWORD", PLAIN),)


# `INSERT INTO users (id, password) VALUES (`, and one value with the sign that ends it.
_INSERT = compile_pattern(
    r"""(?i:insert[ \t]{1,4}(?:ignore[ \t]{1,4}|or[ \t]\w{2,10}[ \t]{1,4})?into)[ \t]{1,4}[^\s(]{1,128}+[ \t]{0,4}"""
    r"""\(([^()\n]{2,2000}+)\)[ \t]{0,4}(?i:values?)[ \t]{0,4}\("""
)
_SQL_VALUE = compile_pattern(
    r"""[ \t]{0,8}(?:[EN]?'((?:[^'\\\n]|''|\\[^\n]){0,4096}+)'|[^,()'\n]{0,256}+)[ \t]{0,8}([,)])"""
)
_NEXT_ROW = compile_pattern(r"[ \t]{0,4},[ \t]{0,4}\(")


def _inserted_values(text: str, at: int, stop: int) -> Iterable[FoundValue]:
    """What is inserted into columns of secrets, row by row."""
    head = _INSERT.match(text, at, stop)
    if head is None:
        return _NOTHING
    columns = [names.promise(name.strip(' \t`"[]')) for name in head[1].split(",")]
    found: list[FoundValue] = []
    if any(promise.level >= names.TOKEN for promise in columns):
        place = head.end()
        while place:
            place = _read_row(text, (place, stop), columns, found)
    return found


def _read_row(text: str, bounds: tuple[int, int], columns: list[names.Promise], found: list[FoundValue]) -> int:
    """Note the secrets of one row; get where the next one begins, or zero."""
    at, stop = bounds
    for number, promise in enumerate(columns):
        value = _SQL_VALUE.match(text, at, stop)
        if value is None or (value[2] == ")") != (number == len(columns) - 1):
            return 0
        at = value.end()
        if promise.level >= names.TOKEN and value[1]:
            secret = values.secretive(value[1][:JUDGED], promise.level, quoted=True)
            found.append((*value.span(1), promise.type if secret else "", PLAIN))
    following = _NEXT_ROW.match(text, at, stop)
    return following.end() if following else 0


def _cookies(pattern: re.Pattern[str]) -> Reader:
    def read(text: str, at: int, stop: int) -> Iterable[FoundValue]:
        header = pattern.match(text, at, stop)
        return list(_cookie_values(text, header.end(), stop)) if header else _NOTHING

    return read


def _cookie_values(text: str, at: int, stop: int) -> Iterator[FoundValue]:
    """The cookies of a header whose value begins at a place."""
    end = _COOKIE_END.match(text, at, stop)
    last = end.end() if end else at
    yield at, last, "", PLAIN
    for cookie in _COOKIE.finditer(text, at, last):
        name, value = cookie.groups()
        if name.lower() in _COOKIE_ATTRIBUTES or values.stand_in(value):
            continue
        if len(value) >= values.SHORTEST_TOKEN and (
            (_SESSION.search(name) and values.opaque(value)) or values.random_looking(value)
        ):
            yield (*cookie.span(2), "COOKIE", PLAIN)


def _is_token(value: str) -> bool:
    return not made_up.dummy(value) and values.looks_generated(value)


def _is_anything(value: str) -> bool:
    """Where nothing but a password can stand, and a word could be one."""
    return values.secretive(value, names.PASSWORD, quoted=True) or made_up.bare_word(value, any_case=True)


def _is_password(value: str) -> bool:
    """Where a password stands, or a word that is none."""
    return values.secretive(value, names.PASSWORD, quoted=True) or made_up.is_phrase(value)


def _is_opaque(value: str) -> bool:
    return values.secretive(value, names.TOKEN, quoted=True)


def _is_random(value: str) -> bool:
    if values.stand_in(value):
        return False
    return values.random_looking(value) or values.random_case(value) or values.is_coded_pair(value)


def _is_drawn(value: str) -> bool:
    """What nobody would name: where a secret is likely, and other words stand as well."""
    return values.says_nothing(value)


def _is_chaotic(value: str) -> bool:
    """What has digits, and letters of both cases in pieces too short for words."""
    return not made_up.dummy(value) and values.random_looking(value) and values.chaotic(value)


def _opens_page(value: str) -> bool:
    """What opens a page by itself: no name of one, and no digest."""
    return values.is_drawn_code(value) and not values.is_hex(value)


def _is_certain(value: str) -> bool:
    """Where the format leaves no doubt."""
    return not value.startswith("[REDACTED")


def _is_credential(value: str) -> bool:
    """After `Authorization:`, where nothing but a credential or a sentence stands."""
    return _is_opaque(value.rstrip(".,:")) or _is_random(value)


_PLAIN_PASSWORDS = frozenset("password pass passwd pwd pw secret token key port x xxx user redacted_password".split())


def _is_url(value: str) -> bool:
    named = value.isupper() and "_" in value and value.replace("_", "").isalpha()  # a place that is to be filled
    plain = (
        value.strip("[]").lower() in _PLAIN_PASSWORDS or not value.strip("*.?") or names.is_symbol(value.strip("[]"))
    )
    return not (named or plain or value.startswith("$") or values.stand_in(value))


_UNREMEMBERED: dict[str, Callable[[str], bool]] = {
    "token": _is_token, "any": _is_anything, "opaque": _is_opaque, "password": _is_password, "random": _is_random,
    "credential": _is_credential, "drawn": _is_drawn, "certain": _is_certain, "url": _is_url,
    "drawn-line": _is_drawn, "key-line": neighbours.is_device_key, "argument": neighbours.is_argument,
    "line": _is_anything, "netrc": _is_anything, "prefixed": _is_chaotic, "link": _opens_page,
    "told": neighbours.is_said, "joined": neighbours.is_joined, "phrase": made_up.passphrase,
    "grouped": made_up.is_grouped, "opaque-url": neighbours.is_of_url, "coded": neighbours.is_coded,
    "bytes": made_up.is_drawn_bytes,
}  # fmt: skip
# Asked of one value again and again.
_JUDGES = {how: lru_cache(names.REMEMBERED)(judge) for how, judge in _UNREMEMBERED.items()}

_READERS: dict[str, Reader] = {
    "pair": _pair_values,
    "dsn": _dsn_password,
    "insert": _inserted_values,
    "arguments": neighbours.argument_values,
    "before": neighbours.value_before,
    "userinfo": _userinfo_password,
}

_PROBES: dict[str, Probe] = {
    "assignment": assignments.HOPEFUL.match,
    "pair": _PAIR_HOPEFUL.match,
    "userinfo": _hope_of_userinfo,
    "url": _hope_of_host,
}
