"""What a phase leaves to those that follow; and how data is checked for its shape and freed of secrets.

>>> handoff_of({"phase": 1, "goal": "add auth", "team": "core"}, "phase-1-handoff.json").extra
{'team': 'core'}

Every complaint names the place, what was expected, and what is there. Many values go through one scan for secrets, so
equal secrets stay recognizably equal.

>>> hide = lambda text: text.replace("hunter2", "[REDACTED: PASSWORD]")
>>> redacted_values(["user", "hunter2", ""], hide)
['user', '[REDACTED: PASSWORD]', '']
>>> redacted_json({"verdicts": {"gate": "hunter2"}, "phase": 1}, hide)
{'verdicts': {'gate': '[REDACTED: PASSWORD]'}, 'phase': 1}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from overspill._lite import NamedTuple
from overspill.clean.decode import without_surrogates
from overspill.errors import RuleError

MAX_QUOTED_CHARS = 40
MAX_NUMBER = 2**63 - 1

SCHEMA_VERSION = 1
PHASE_NAMES = {1: "discovery", 2: "implementation", 3: "validation"}
LISTS = ("artifacts_produced", "decisions_made", "open_risks")


class ValueKind(NamedTuple):
    """One kind of value: its name in complaints, and whether a value is one."""

    expected: str
    holds: Callable[[object], bool]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER


def _is_positive(value: object) -> bool:
    return _is_whole(value) and value != 0


def _is_amount(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value <= MAX_NUMBER  # type: ignore[operator]  # a number, as the line above says


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_text(part) for pair in value.items() for part in pair)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


TEXT = ValueKind("a text", _is_text)
WHOLE = ValueKind("a whole number from 0 on", _is_whole)
POSITIVE = ValueKind("a whole number from 1 on", _is_positive)
AMOUNT = ValueKind("a number from 0 on", _is_amount)
TEXTS = ValueKind("a list of texts", _is_list)
PAIRS = ValueKind("a mapping of texts to texts", _is_mapping)


def checked_value(kind: ValueKind, value: object, where: str) -> object:
    """The value, if it is of that kind."""
    if not kind.holds(value):
        raise RuleError(f"{where}: expected {kind.expected}, got {_strange_part(kind, value) or value_in_words(value)}")
    return value


def _strange_part(kind: ValueKind, value: object) -> str:
    """What stands in a list or a mapping where a text belongs; nothing, if it is neither."""
    if kind is PAIRS and isinstance(value, Mapping):
        name, found = next((name, one) for name, one in value.items() if not (_is_text(name) and _is_text(one)))
        return f"{value_in_words(found)} under {str(name)[:MAX_QUOTED_CHARS]!r}"
    if kind is TEXTS and isinstance(value, list | tuple):
        return f"a list with {value_in_words(next(one for one in value if not _is_text(one)))}"
    return ""


def whole_number(value: object, where: str, least: int = 0) -> int:
    """The value, if it is a whole number from `least` on."""
    found = checked_value(POSITIVE if least else WHOLE, value, where)
    return found if isinstance(found, int) else 0


def is_no_limit(value: object) -> bool:
    """Whether a number of tokens is none: 0 and everything below it.

    >>> is_no_limit(-1), is_no_limit(0), is_no_limit(7), is_no_limit("x")
    (True, True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and value <= 0


def mapping_of(value: object, where: str) -> Mapping[str, object]:
    """The value, if it is a JSON object."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise RuleError(f"{where}: expected a JSON object, got {value_in_words(value)}")
    return value


def text_list(value: object, where: str) -> list[str]:
    """A list of texts; null is an empty one."""
    found = [] if value is None else checked_value(TEXTS, value, where)
    return list(found) if isinstance(found, list | tuple) else []


def check_known(names: Iterable[str], known: Sequence[str], where: str, noun: str) -> None:
    """Complain of the first name that is not known, and say which are."""
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            meant = f", did you mean {close[0]!r}?" if close else ";"
            raise RuleError(f"{where}: no {noun} {name[:MAX_QUOTED_CHARS]!r}{meant} there are: {', '.join(known)}")


def value_in_words(value: object) -> str:
    """What a value is, in words that do not quote much of it.

    >>> value_in_words([1, 2]), value_in_words("abc"), value_in_words(None), value_in_words({"a": 1})
    ('a list of 2', "the text 'abc'", 'null', 'an object')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {value!r:.{MAX_QUOTED_CHARS}}"
    if isinstance(value, str):
        return f"the text {value[:MAX_QUOTED_CHARS]!r}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"


Hide = Callable[[str], str]

BETWEEN = "\n\x1e\n"


def redacted_values(values: Sequence[str], hide: Hide | None) -> list[str]:
    """The values without their secrets."""
    whole = [without_surrogates(value)[0] for value in values]  # JSON can say a lone one; no file can hold it
    if hide is None or not any(whole):
        return whole
    parts = hide(BETWEEN.join(whole)).split(BETWEEN)
    # A value that holds the separator, or a secret that swallows one: then each value by itself.
    return parts if len(parts) == len(whole) else [hide(value) for value in whole]


def redacted_json(value: object, hide: Hide | None) -> object:
    """A value of JSON without the secrets in its texts, and without those that only their key gives away."""
    from json import dumps, loads

    safe = _with_new_texts(value, iter(redacted_values(list(_texts_in(value)), hide)))
    if hide is None:
        return safe
    try:
        return loads(hide(dumps(safe, ensure_ascii=False, indent=2)))
    except ValueError:
        return safe


def each_text(value: object, change: Hide) -> object:
    """A value of JSON with every text in it changed by itself, keys too."""
    return _with_new_texts(value, iter([change(text) for text in _texts_in(value)]))


def _texts_in(value: object) -> Iterator[str]:
    """Every text in a value of JSON, keys too, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _texts_in(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts_in(member)


def _with_new_texts(value: object, texts: Iterator[str]) -> object:
    """A value of JSON with its texts, keys too, replaced by `texts` in order."""
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        return {next(texts): _with_new_texts(member, texts) for member in value.values()}
    if isinstance(value, list | tuple):
        return [_with_new_texts(member, texts) for member in value]
    return value


KINDS: dict[str, ValueKind] = {
    "schema_version": WHOLE,
    "run_id": TEXT,
    "phase": POSITIVE,
    "phase_name": TEXT,
    "status": TEXT,
    "goal": TEXT,
    "epic_id": TEXT,
    "verdicts": PAIRS,
    "artifacts_produced": TEXTS,
    "decisions_made": TEXTS,
    "open_risks": TEXTS,
    "narrative": TEXT,
    "duration_seconds": AMOUNT,
    "completed_at": TEXT,
}


class Handoff(NamedTuple):
    """What one phase of one run says it did. Fields of others are kept in `extra`."""

    schema_version: int = SCHEMA_VERSION
    run_id: str = ""
    phase: int = 0
    phase_name: str = ""
    status: str = ""
    goal: str = ""
    epic_id: str = ""
    verdicts: Mapping[str, str] = {}
    artifacts_produced: Sequence[str] = ()
    decisions_made: Sequence[str] = ()
    open_risks: Sequence[str] = ()
    narrative: str = ""
    duration_seconds: float = 0
    completed_at: str = ""
    extra: Mapping[str, object] = {}

    def as_mapping(self) -> dict[str, object]:
        """The hand-off as its file has it; what goes beyond our fields comes last."""
        said = {name: value for name, value in self._asdict().items() if name != "extra"}
        said["verdicts"] = dict(self.verdicts)
        said |= {name: list(said[name]) for name in LISTS}
        return {**said, **{name: value for name, value in self.extra.items() if name not in said}}


def handoff_of(said: object, where: str) -> Handoff:
    """A hand-off as JSON says it. Null is the same as nothing; a value of another type is an error that names it."""
    mapping = mapping_of(said, where)
    known = {name: mapping[name] for name in KINDS if mapping.get(name) is not None}
    for name, value in known.items():
        checked_value(KINDS[name], value, f"{where}: {name}")
    if not known.get("schema_version"):
        known.pop("schema_version", None)  # 0 is what Go writes where nothing was said
    version = known.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise RuleError(f"{where}: schema_version: {version} is not one this program reads (it reads {SCHEMA_VERSION})")
    if "phase" not in known:
        raise RuleError(f"{where}: phase: expected a whole number from 1 on, got nothing")
    extra = {name: value for name, value in mapping.items() if name not in KINDS}
    return Handoff(**known, extra=extra)  # type: ignore[arg-type]  # checked above, field by field


# What programs call these fields in what a phase leaves as its result.
RESULT_NAMES = {
    "artifacts": "artifacts_produced",
    "decisions": "decisions_made",
    "risks": "open_risks",
    "summary": "narrative",
}


def handoff_fields(result: object, where: str) -> dict[str, object]:
    """A hand-off's fields of what a phase left as its result: by their own names, or by those that are common.

    >>> handoff_fields({"artifacts": {"plan": "plan.md"}, "summary": "Done."}, "phase-2-result.json")
    {'phase': 2, 'artifacts_produced': ['plan.md'], 'narrative': 'Done.'}
    """
    import re

    found: dict[str, object] = {}
    named = re.search(r"phase-([1-9][0-9]{0,17})-", where.rpartition("/")[2])
    if named:
        found["phase"] = int(named[1])
    for name, value in mapping_of(result, where).items():
        field = RESULT_NAMES.get(name, name)
        given = [value[key] for key in value] if field in LISTS and isinstance(value, dict) else value
        fits = field == name or KINDS[field].holds(given)
        found[field if fits else name] = given if fits else value
    return found


def joined_handoff(before: Handoff, more: Handoff) -> Handoff:
    r"""A hand-off with what is said later: lists and narratives go on, verdicts and all else are as said last.

    >>> one = Handoff(phase=1, goal="add auth", decisions_made=["use JWT"], narrative="Looked.")
    >>> both = joined_handoff(one, Handoff(phase=1, decisions_made=["use JWT", "no cookies"], narrative="Wrote."))
    >>> both.goal, both.decisions_made, both.narrative
    ('add auth', ['use JWT', 'no cookies'], 'Looked.\n\nWrote.')
    """
    said = {name: value for name, value in more._asdict().items() if value}
    for name in LISTS:
        said[name] = list(dict.fromkeys([*getattr(before, name), *getattr(more, name)]))
    said["verdicts"] = {**before.verdicts, **more.verdicts}
    said["extra"] = {**before.extra, **more.extra}
    said["narrative"] = "\n\n".join(filter(None, [before.narrative, more.narrative]))
    said["completed_at"] = more.completed_at
    return before._replace(**said)


def as_handoff(said: Handoff | Mapping[str, object]) -> Handoff:
    """A hand-off as programs give it, checked like one from a file."""
    if not isinstance(said, Handoff):
        return handoff_of(said, "hand-off")
    known = {name: value for name, value in said._asdict().items() if value is not None}
    for name in KINDS.keys() & known.keys():
        kind = WHOLE if name == "phase" else KINDS[name]
        checked_value(kind, known[name], f"hand-off of phase {said.phase}: {name}")
    return said if len(known) == len(said) else Handoff(**known)
