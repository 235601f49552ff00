"""The two formats of hand-offs: what a phase leaves to those that follow, and what context a phase is handed.

>>> handoff_of({"phase": 1, "goal": "add auth", "team": "core"}, "phase-1-handoff.json").extra
{'team': 'core'}

A manifest says which fields a phase is handed, how much narrative and how many tokens. Of a context that is too long
the end is cut off, unless a plan says how it is made to fit.

>>> resolve_manifest(2).max_tokens, resolve_manifest(2, {2: {"max_tokens": 4000}}).max_tokens
(2500, 4000)
>>> resolve_manifest(7)
Manifest(phase=7, handoff_fields=[], narrative_cap=0, max_tokens=0, plan=None)
>>> plan_of({"drop": "oldest_first", "fields": {"narrative": {"most": 200}}}, "manifest", None, ("narrative",)).drop
'oldest_first'

Every complaint of what has another shape names the place, what was expected, and what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from overspill._lite import NamedTuple
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


DROPS = ("tail", "oldest_first", "proportional")
FORMS = ("full", "short", "line")
MIN_KEEP = 0.5
PLAN_KEYS = ("drop", "min_keep", "fields", "keep_together")
SHARE_KEYS = ("reserve", "share", "most", "forms")

# In the order of the text. The label is what stands before the value there.
LABELS = {
    "goal": "Goal",
    "verdicts": "Verdict",
    "epic_id": "Epic",
    "artifacts_produced": "Artifacts",
    "decisions_made": "Decisions",
    "open_risks": "Risks",
    "narrative": "Narrative",
}
KEYS = ("phase", "handoff_fields", "narrative_cap", "max_tokens")
DEFAULT_NARRATIVE_CAP = 1_000

# Fields of others. Those that are here are what agents' pipelines write beyond the specification.
_registered: dict[str, str] = {
    "applied_findings": "Applied findings",
    "planning_rules": "Planning rules",
    "known_risks": "Known risks",
}


class Share(NamedTuple):
    """What one field of one phase may take, in tokens, when there is not enough for all."""

    reserve: int = 0  # comes first
    share: int = 1  # its weight when the rest is shared out
    most: int | None = None  # never more than this, whatever there is
    forms: Sequence[str] = FORMS  # what it may fall back to; before it is left out

    def as_mapping(self) -> dict[str, object]:
        """The share as JSON has it: only what differs."""
        said = self._asdict()
        return {key: said[key] for key in SHARE_KEYS if said[key] != Share._field_defaults[key]}


class Plan(NamedTuple):
    """What goes first, and what each field may take."""

    drop: str = "tail"
    min_keep: float = MIN_KEEP
    fields: Mapping[str, Share] = {}
    keep_together: Sequence[Sequence[str]] = ()

    def share_of(self, field: str) -> Share:
        """What a field may take."""
        return self.fields.get(field, Share())

    def as_mapping(self) -> dict[str, object]:
        """The plan as JSON has it."""
        fields = {name: share.as_mapping() for name, share in self.fields.items()}
        said = {"drop": self.drop, "min_keep": self.min_keep, "fields": fields}
        return {**said, "keep_together": [list(group) for group in self.keep_together]}


def plan_of(said: Mapping[str, object], where: str, before: Plan | None, known: Sequence[str]) -> Plan | None:
    """The plan that a manifest says, or None where it says nothing of it; what it leaves out is as before."""
    if not any(said.get(key) is not None for key in PLAN_KEYS):
        return before
    plan = Plan() if before is None else before
    if said.get("drop") is not None:
        drop = said["drop"]
        if drop not in DROPS:
            raise RuleError(f"{where}: drop: expected one of {', '.join(DROPS)}, got {drop!r:.40}")
        plan = plan._replace(drop=str(drop))
    if said.get("min_keep") is not None:
        plan = plan._replace(min_keep=_ratio_from(said["min_keep"], f"{where}: min_keep"))
    if said.get("fields") is not None:
        fields = mapping_of(said["fields"], f"{where}: fields")
        check_known(fields, known, f"{where}: fields", "field")
        plan = plan._replace(
            fields={name: _share_from(value, f"{where}: fields.{name}") for name, value in fields.items()}
        )
    if said.get("keep_together") is not None:
        plan = plan._replace(keep_together=_groups_from(said["keep_together"], f"{where}: keep_together", known))
    return plan


def _ratio_from(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RuleError(f"{where}: expected a number from 0 to 1, got {value!r:.40}")
    return float(value)


def _share_from(said: object, where: str) -> Share:
    mapping = mapping_of(said, where)
    check_known(mapping, SHARE_KEYS, where, "key")
    share = Share()
    for key in ("reserve", "share", "most"):
        if mapping.get(key) is not None:
            given = whole_number(mapping[key], f"{where}.{key}", least=key != "reserve")
            share = share._replace(**{key: given})  # type: ignore[arg-type]  # the three that are numbers
    if mapping.get("forms") is not None:
        forms = text_list(mapping["forms"], f"{where}.forms")
        check_known(forms, FORMS, f"{where}.forms", "form")
        share = share._replace(forms=forms)
    return share


def _groups_from(said: object, where: str, known: Sequence[str]) -> list[list[str]]:
    if not isinstance(said, list | tuple):
        raise RuleError(f"{where}: expected a list of lists of fields")
    groups = [text_list(group, where) for group in said]
    for group in groups:
        check_known(group, known, where, "field")
    return groups


class Manifest(NamedTuple):
    """What one phase is handed. Zeros mean what specification 002 says they mean; see `narrative_room`."""

    phase: int = 0
    handoff_fields: Sequence[str] = ()
    narrative_cap: int = 0
    max_tokens: int = 0
    plan: Plan | None = None  # how to fit what is too long, where the end is not simply cut off

    def selects(self, field: str) -> bool:
        """Whether a field is handed on; no fields are all fields, and the cap alone decides on the narrative."""
        return field == "narrative" or not self.handoff_fields or field in self.handoff_fields

    @property
    def narrative_room(self) -> int:
        """How many characters of narrative are handed on; 0 for nothing of it.

        >>> [Manifest(0, fields, cap).narrative_room for fields in (["goal"], []) for cap in (0, 300)]
        [0, 300, 1000, 300]
        """
        if self.narrative_cap > 0:
            return self.narrative_cap
        return 0 if self.handoff_fields else DEFAULT_NARRATIVE_CAP

    def as_mapping(self) -> dict[str, object]:
        """The manifest as JSON has it; what goes beyond the specification is there only if it was said."""
        said = {"phase": self.phase, "handoff_fields": list(self.handoff_fields or ())}
        said |= {"narrative_cap": self.narrative_cap, "max_tokens": self.max_tokens}
        return said if self.plan is None else {**said, **self.plan.as_mapping()}


_DEFAULTS: dict[int, tuple[tuple[str, ...], int, int]] = {
    1: ((), 0, 0),
    2: (("goal", "epic_id", "verdicts", "decisions_made", "open_risks"), 500, 2500),
    3: (("goal", "epic_id", "verdicts", "artifacts_produced"), 1000, 2500),
}


def default_manifests() -> dict[int, Manifest]:
    """The manifests of discovery, implementation and validation."""
    return {phase: Manifest(phase, list(fields), cap, tokens) for phase, (fields, cap, tokens) in _DEFAULTS.items()}


def resolve_manifest(phase: int, overrides: Mapping[int, Manifest | Mapping[str, object]] | None = None) -> Manifest:
    """The manifest of a phase: the default one, with what `overrides` says of it; of an unknown phase everything."""
    default = default_manifests().get(phase, Manifest(phase, []))
    said = (overrides or {}).get(phase)
    if said is None:
        return default
    return said if isinstance(said, Manifest) else manifest_of(said, f"manifest of phase {phase}", default)


def manifest_of(said: object, where: str, default: Manifest | None = None) -> Manifest:
    """A manifest as JSON or settings say it; what they leave out is as in `default`.

    A name that is no field is an error: left alone, a slip of the pen would lose a field in silence.
    """
    mapping = mapping_of(said, where)
    if is_no_limit(mapping.get("max_tokens")):
        mapping = {**mapping, "max_tokens": 0}
    before = Manifest() if default is None else default
    check_known(mapping, (*KEYS, *PLAN_KEYS), where, "key")
    numbers = {
        key: whole_number(mapping[key], f"{where}: {key}")
        for key in ("phase", "narrative_cap", "max_tokens")
        if mapping.get(key) is not None
    }
    fields = list(before.handoff_fields)
    if "handoff_fields" in mapping:
        fields = text_list(mapping["handoff_fields"], f"{where}: handoff_fields")
    check_known(fields, known_fields(), f"{where}: handoff_fields", "field")
    changed = before._replace(handoff_fields=fields)._replace(**numbers)  # type: ignore[arg-type]  # the three numbers
    if default is not None and default.phase and changed.phase != default.phase:
        raise RuleError(f"{where}: phase: this is a manifest of phase {changed.phase}, not of phase {default.phase}")
    return changed._replace(plan=plan_of(mapping, where, before.plan, known_fields()))


def register_field(name: str, label: str = "") -> None:
    """Make a field of your own known: manifests may name it, and it stands in the text before the narrative.

    >>> register_field("lessons", "Lessons learned")
    >>> manifest_of({"handoff_fields": ["lessons"]}, "manifest").handoff_fields
    ['lessons']
    """
    if not name.isidentifier():
        raise RuleError(f"a field is named like a variable, not {name[:100]!r}")
    if name not in LABELS and (label or name not in _registered):
        _registered[name] = label or name.replace("_", " ").capitalize()


def known_fields() -> tuple[str, ...]:
    """Every field that a manifest may name."""
    return (*LABELS, *_registered)


def labels() -> dict[str, str]:
    """Fields and their labels, in the order of the text."""
    narrative = {"narrative": LABELS["narrative"]}
    return {**{name: label for name, label in LABELS.items() if name != "narrative"}, **_registered, **narrative}
