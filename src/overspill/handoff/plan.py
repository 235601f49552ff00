"""How a context that is too long is made to fit, where its end is not simply cut off.

>>> plan_of({"drop": "oldest_first", "fields": {"narrative": {"most": 200}}}, "manifest", None, ("narrative",)).drop
'oldest_first'
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple
from overspill.errors import RuleError
from overspill.handoff.checks import check_known, mapping_of, text_list, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DROPS = ("tail", "oldest_first", "proportional")
FORMS = ("full", "short", "line")
MIN_KEEP = 0.5
PLAN_KEYS = ("drop", "min_keep", "fields", "keep_together")
SHARE_KEYS = ("reserve", "share", "most", "forms")


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
