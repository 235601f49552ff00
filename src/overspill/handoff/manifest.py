"""What context a phase is handed: which fields, how much narrative, how many tokens.

>>> resolve_manifest(2).max_tokens, resolve_manifest(2, {2: {"max_tokens": 4000}}).max_tokens
(2500, 4000)
>>> resolve_manifest(7)
Manifest(phase=7, handoff_fields=[], narrative_cap=0, max_tokens=0, plan=None)

Of a context that is too long the end is cut off, unless a plan says how it is made to fit.

>>> plan_of({"drop": "oldest_first", "fields": {"narrative": {"most": 200}}}, "manifest", None, ("narrative",)).drop
'oldest_first'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import RuleError
from overspill.handoff.record import check_known, is_no_limit, mapping_of, text_list, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
