"""What a phase leaves to those that follow.

>>> handoff_of({"phase": 1, "goal": "add auth", "team": "core"}, "phase-1-handoff.json").extra
{'team': 'core'}
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import RuleError
from overspill.handoff.checks import AMOUNT, PAIRS, POSITIVE, TEXT, TEXTS, WHOLE, ValueKind, checked_value, mapping_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA_VERSION = 1
PHASE_NAMES = {1: "discovery", 2: "implementation", 3: "validation"}

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


LISTS = ("artifacts_produced", "decisions_made", "open_risks")


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
