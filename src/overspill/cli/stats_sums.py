"""`spill stats --export | --merge`: the figures of many machines, added up, without telemetry.

An export is a few sums under keys of a fixed list: no name of a tool, a session, a project or a person, and no content.
It goes where the user says, and nowhere by itself. Whose it is stands in it as a digest, so that the later of two
exports of one root counts, and none twice.
"""

from __future__ import annotations

import json
import os
import socket
import time

from overspill._lite import TYPE_CHECKING, NamedTuple, sha256
from overspill.cli.output import note, print_answer, write_text
from overspill.cli.output.tables import count_of, visible
from overspill.errors import InputError, UsageError
from overspill.fleet import SCHEMES
from overspill.journal.worth import SUMS, Worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from overspill.cli.arguments import CommandCall

FORMAT = 1
MAX_BYTES = 1 << 16
PATIENCE = 20.0
SOURCE_CHARS = 16


class Export(NamedTuple):
    """The sums of one root, when they were written, and whose they are."""

    source: str
    at: float
    sums: dict[str, int]


def export(call: CommandCall, place: str, root: str, worth: Worth) -> int:
    """Write the sums of a root to a file, to standard output, or into a bucket, in the place of earlier ones."""
    mine = f"{socket.gethostname()}\0{os.path.realpath(root)}"
    source = sha256(mine.encode("utf-8", "surrogateescape")).hexdigest()[:SOURCE_CHARS]
    content = json.dumps({"overspill_sums": FORMAT, "source": source, "at": time.time(), **worth.sums()}) + "\n"
    if place == "-":
        write_text(content)
        return 0
    if is_bucket(place):
        from overspill.fleet.bucket import Bucket

        place = place.rstrip("/")
        Bucket(place, PATIENCE).replace(f"{source}.json", content.encode())
        place = f"{place}/{source}.json"
    else:
        try:
            with open(place, "w", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise InputError(f"cannot write {place!r}: {error.strerror}") from None
    return print_answer(call, "exported", {"place": place, **worth.sums()}, f"Wrote {visible(place)}\n")


def merge(call: CommandCall) -> int:
    """Add up the sums of many roots."""
    newest = newest_exports(call.texts("--merge") or [])
    total = total_of(newest)
    columns = (("said", total.said), ("host", total.host), ("shown", total.shown), ("fetched", total.fetched))
    figures = ", ".join(f"{name} {'n/a' if count is None else f'{count:,}'}" for name, count in columns)
    net = "n/a" if total.net is None else f"{total.net:,}"
    text = (
        f"{count_of(len(newest), 'root')}: {count_of(total.calls, 'result')}, {total.cut:,} cut, "
        f"{total.reruns:,} run again, {total.fetches:,} fetches\n"
        f"Tokens: {figures}; net {net}"
        f"{f' (host unknown for {total.unknown:,} of the results)' if total.unknown else ''}\n"
    )
    return print_answer(call, "stats", {"roots": len(newest), **total.sums()}, text)


def newest_exports(places: list[str]) -> list[Export]:
    """The exports in some places, of each root the newest."""
    newest: dict[str, Export] = {}
    for one in (found for place in places for found in read_exports(place)):
        if one.source not in newest or newest[one.source].at < one.at:
            newest[one.source] = one
    return list(newest.values())


def total_of(exports: list[Export]) -> Worth:
    """What some exports add up to."""
    total = Worth()
    for one in exports:
        total.add_sums(one.sums)
    return total


def fleet_record(places: list[str]) -> dict[str, object]:
    """A fleet, as the page of `spill report` shows it: its roots, those that said most first, and their sum."""
    exports = sorted(newest_exports(places), key=lambda one: (-one.sums["said"], one.source))
    roots = [{"source": one.source, "at": round(one.at * 1000), **one.sums} for one in exports]
    return {"roots": roots, "total": total_of(exports).sums()}


def is_bucket(place: str) -> bool:
    """Whether a place is the address of a bucket."""
    return place.partition("://")[0] in SCHEMES and "://" in place


def read_exports(place: str) -> Iterator[Export]:
    """The exports in a file, or in all objects of a bucket; what is none is named, and left out."""
    if not is_bucket(place):
        try:
            with open(place, "rb") as file:
                yield parse_export(file.read(MAX_BYTES), place)
        except OSError as error:
            raise InputError(f"cannot read {place!r}: {error.strerror}") from None
        return
    from overspill.fleet.bucket import Bucket

    bucket = Bucket(place, PATIENCE)
    for entry in bucket.entries(""):
        found = bucket.fetch(entry.key, 0, MAX_BYTES)
        try:
            yield parse_export(b"" if found is None else found.content, entry.name)
        except UsageError as error:
            note(f"spill: {error}; left out")


def parse_export(content: bytes, name: str) -> Export:
    """An export as it was written."""
    try:
        fields = json.loads(content)
        sums = {key: int(fields[key]) for key in SUMS}
        found = Export(str(fields["source"])[:SOURCE_CHARS], float(fields["at"]), sums)
        known = fields["overspill_sums"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        known = False
    if not known:
        raise UsageError(f"{name[:200]!r} holds no sums of `spill stats --export`")
    return found
