"""What a perfect choice could hold: whole lines of the output, taken greedily by facts for a character.

It knows the facts, pays for no marks, and a line that needs its heading pays for the heading once. No cutter that shows
whole lines tells much more; one that adds up can.
"""

import hashlib
import heapq
import json
import os
from collections.abc import Iterable
from functools import cache

from items import Item
from telling import Told, document_lines

BROKEN_AT = 600
"""A line longer than this is taken in pieces: a perfect choice would clamp it."""


def ceilings(item: Item, limits: Iterable[int], folder: str = "") -> dict[int, int]:
    """How many facts a perfect choice tells at each limit; kept beside the item, since it takes a while."""
    wanted = list(limits)
    known = _known(item, folder)
    if any(str(limit) not in known for limit in wanted):
        candidates = _candidates(item)
        known |= {str(limit): choose_lines(*candidates, limit) for limit in wanted if str(limit) not in known}
        _keep(item, folder, known)
    return {limit: known[str(limit)] for limit in wanted}


Candidates = dict[tuple[int, ...], set[int]]


def _candidates(item: Item) -> tuple[Candidates, list[int]]:
    """Sets of lines with the facts they tell, and what each line costs."""
    document = document_lines(item.text) if item.form in {"json", "ndjson", "xml"} else None
    own = [*item.text.split("\n"), *(line.words for line in document or ())]
    lines = [piece for line in own for piece in _pieces(line)]
    told = Told("\n".join(lines), derive=document is None)
    found: Candidates = {}
    for number, fact in enumerate(item.facts):
        for line in fact.tellers(told):
            if line.sources:
                found.setdefault(line.sources, set()).add(number)
    return found, [len(line) + 1 for line in lines]


def _pieces(line: str) -> Iterable[str]:
    while len(line) > BROKEN_AT:
        end = line.rfind(" ", BROKEN_AT // 2, BROKEN_AT) + 1 or BROKEN_AT
        yield line[:end]
        line = line[end:]
    yield line


def choose_lines(candidates: Candidates, costs: list[int], limit: int) -> int:
    """The number of facts told by the lines that a greedy choice takes within `limit` characters.

    >>> choose_lines({(0,): {0, 1}, (1,): {2}, (0, 2): {3}}, [10, 5, 30], 20)
    3
    """
    told: set[int] = set()
    taken: set[int] = set()
    room = limit
    heap = [(-len(facts) / sum(costs[at] for at in lines), lines) for lines, facts in candidates.items()]
    heapq.heapify(heap)
    while heap and room > 0:
        value, lines = heapq.heappop(heap)
        gain = len(candidates[lines] - told)
        cost = sum(costs[at] for at in lines if at not in taken)
        if not gain or cost > room:
            continue
        now = -gain / max(cost, 1)
        if now > value and heap and now > heap[0][0]:
            heapq.heappush(heap, (now, lines))
            continue
        told |= candidates[lines]
        taken.update(lines)
        room -= cost
    return len(told)


@cache
def _rules() -> str:
    """What decides which lines tell a fact: this file and those beside it."""
    here = os.path.dirname(os.path.abspath(__file__))
    sources = []
    for name in ("ceiling.py", "items.py", "statements.py", "telling.py"):
        with open(os.path.join(here, name), encoding="utf-8") as file:
            sources.append(file.read())
    return "".join(sources)


def _digest(item: Item) -> str:
    about = repr((_rules(), len(item.text), item.facts))
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()


def _known(item: Item, folder: str) -> dict[str, int]:
    path = os.path.join(folder, item.name, "ceiling.json")
    if not folder or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    return dict(kept["told"]) if kept["of"] == _digest(item) else {}


def _keep(item: Item, folder: str, known: dict[str, int]) -> None:
    if folder and os.path.isdir(os.path.join(folder, item.name)):
        path = os.path.join(folder, item.name, "ceiling.json")
        # Renamed when it is whole: several runs may share a corpus.
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as out:
            json.dump({"of": _digest(item), "told": known}, out)
        os.replace(f"{path}.{os.getpid()}", path)
