"""From a hit to what must be hidden: one reader for each way of telling a secret.

A reader looks at most `REACH` characters ahead and `BACK` behind, and never past the end of a line,
so its answer depends on the text around the hit and on nothing else. That is what makes chunking
irrelevant.
"""

import re
from collections.abc import Callable, Iterator

from overspill.redact import assignments, names, values
from overspill.redact.assignments import PLAIN, URL, Found
from overspill.redact.rule import Rule

REACH = 65_536
BACK = 320

Reader = Callable[[str, int, int], Iterator[Found]]

_PAIR = re.compile(
    r"""(?:name|key|id|field|header|param|property|Name|Key|variable)\\{0,4}["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,4}["'`]?"""
    r"""([\w.-]{2,80})\\{0,4}["'`]?[\s,;]{1,60}(?:-?[ ]?\\{0,4}["'`]?)$"""
)
_NESTED = re.compile(
    r"""\\{0,4}["'`]?([\w.-]{2,80})\\{0,4}["'`]?[ \t]{0,4}[:=]{0,2}[ \t]{0,4}\{\s{0,60}(?:[\w"'\\:, -]{0,80}\n?\s{0,40})?\\{0,4}["'`]?$"""
)
_COOKIE = re.compile(r"""(?:^|(?<=[;\s]))([A-Za-z0-9_.%~!*-]{1,80})=([^\s;,"'\\]{6,4096})""")
_COOKIE_END = re.compile(r"""[^\n"'\\]{0,8192}""")
_SESSION = re.compile(r"(?i)sess|sid\b|_sid|token|auth|jwt|remember|login|secret|credential|csrf|xsrf|identity|ticket|access|refresh")
_COOKIE_ATTRIBUTES = frozenset("expires max-age domain path samesite secure httponly priority version".split())


def reader(rule: Rule) -> Reader:
    """The function that turns a hit of `rule` into finds; patterns are compiled here, when first needed."""
    if rule.how == "assignment":
        return _assignment
    if rule.how == "pair":
        return _pair
    if rule.how == "cookies":
        return _cookies(re.compile(rule.pattern))
    return _pattern(rule)


def _pattern(rule: Rule) -> Reader:
    pattern = re.compile(rule.pattern)
    group = "v" if "v" in pattern.groupindex else 0
    judge = _JUDGES[rule.how]
    form = URL if rule.how in {"url", "opaque-url"} else PLAIN
    back, kind = rule.back, rule.type

    def read(text: str, at: int, stop: int) -> Iterator[Found]:
        match = pattern.search(text, max(0, at - back), stop) if back else pattern.match(text, at, stop)
        while match is not None and match.start() <= at:
            if match.end() > at:
                start, end = match.span(group)
                if judge(text[start:end]):
                    yield Found(start, end, kind, form)
                return
            match = pattern.search(text, match.start() + 1, stop)

    return read


def _assignment(text: str, at: int, stop: int) -> Iterator[Found]:
    found = assignments.read(text, at, stop)
    if found is not None:
        yield found


def _pair(text: str, at: int, stop: int) -> Iterator[Found]:
    """`{"name": "DB_PASSWORD", "value": "..."}`, on one line or two, and `"password": {"value": "..."}`."""
    before = text[max(0, at - 200) : at]
    named = _PAIR.search(before) or _NESTED.search(before)
    if named is None:
        return
    promise = names.promise(named.group(1))
    if promise.level == names.NOTHING:
        return
    found = assignments.read_value(text, at, stop, promise)
    if found is not None:
        yield found


def _cookies(pattern: re.Pattern[str]) -> Reader:
    def read(text: str, at: int, stop: int) -> Iterator[Found]:
        header = pattern.match(text, at, stop)
        if header is None:
            return
        end = _COOKIE_END.match(text, header.end(), stop)
        for cookie in _COOKIE.finditer(text, header.end(), end.end() if end else header.end()):
            name, value = cookie.groups()
            if name.lower() in _COOKIE_ATTRIBUTES or values.stand_in(value):
                continue
            if len(value) >= values.SHORTEST_TOKEN and (
                (_SESSION.search(name) and values.opaque(value)) or values.random_looking(value)
            ):
                yield Found(*cookie.span(2), "COOKIE")

    return read


def _token(value: str) -> bool:
    return not values.dummy(value)


def _any(value: str) -> bool:
    return values.secretive(value, names.PASSWORD, quoted=True)


def _opaque(value: str) -> bool:
    return values.secretive(value, names.TOKEN, quoted=True)


def _random(value: str) -> bool:
    return not values.stand_in(value) and (values.random_looking(value) or values.random_case(value))


def _credential(value: str) -> bool:
    """After `Authorization:`, where nothing but a credential or a sentence stands."""
    return _opaque(value.rstrip(".,:")) or _random(value)


def _url(value: str) -> bool:
    plain = {"password", "pass", "passwd", "pwd", "pw", "secret", "token", "port", "x", "xxx", "user", "REDACTED_PASSWORD"}
    return value.lower() not in plain and value not in plain and not values.stand_in(value) and not value.startswith("$")


_JUDGES: dict[str, Callable[[str], bool]] = {
    "token": _token, "any": _any, "opaque": _opaque, "random": _random, "credential": _credential,
    "url": _url, "opaque-url": _opaque,
}  # fmt: skip
