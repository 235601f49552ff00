"""Selection: what a manifest asks for, out of what the hand-offs hold, without secrets and within the caps.

A text is cut to a number of tokens at the end of a sentence if one fits, else of a word, else of a grapheme.

>>> truncate_to_token_budget("First sentence. Second sentence, which is longer.", 8)
'First sentence. ...'
>>> truncate_to_token_budget("One two three four five six", 5)
'One two three...'
>>> truncate_to_token_budget("x" * 80, 2)
'xxxxx...'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from overspill._lite import NamedTuple, in_json
from overspill.clean.decode import without_surrogates
from overspill.core import CHARS_PER_TOKEN, TokenCounter, tokens_of
from overspill.core.spans import floor
from overspill.handoff.formats import PHASE_NAMES, Handoff, Manifest, labels

Hide = Callable[[str], str]

BETWEEN = "\n\x1e\n"  # values that are looked through for secrets together
DOTS = "..."
MOST_CANDIDATES = 100
WINDOW = 256  # how far back an end of a word is looked for where words are written without spaces

# A full stop ends a sentence when a blank or a line end follows, so that in "plan.md" does not. Where words are
# written without spaces, it does so by itself.
STOPS = tuple(mark + blank for mark in ".!?" for blank in (" ", "\r\n", "\n", "\r"))
WIDE_STOPS = tuple("\u3002\uff01\uff1f\uff61")
CLOSING = "\u300d\u300f\uff09\u3011\u201d\u2019"
SHUT = "".join(WIDE_STOPS) + CLOSING
OPENING = "\u300c\u300e\uff08\u3010\u201c\u2018"
UNSPACED = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Tai_Le}"
    r"\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff5b-\uff65]"
)

HEADER = "--- RPI Context (structured handoffs from prior phases) ---"
DEGRADED = "\u26a0\ufe0f CONTEXT DEGRADATION: "
NOTE = "[context cut"
# A cap is a number of characters, so the end of a sentence or word may cost a little of it, not much.
CAP_KEEP = 0.8


class BudgetResult(NamedTuple):
    """What a budget did to a text, in tokens."""

    original_tokens: int
    budget_tokens: int
    truncated_tokens: int
    was_truncated: bool


def apply_context_budget(
    context: str, max_tokens: int | Manifest, *, min_keep: float = 0.0, counter: TokenCounter | None = None
) -> tuple[str, BudgetResult]:
    """The text within `max_tokens`, or within those of a manifest, and what that did to it; 0 or less is no limit.

    >>> apply_context_budget("One two three four five six", 5)[1]
    BudgetResult(original_tokens=7, budget_tokens=5, truncated_tokens=4, was_truncated=True)
    """
    budget = max_tokens.max_tokens if isinstance(max_tokens, Manifest) else max_tokens
    text = truncate_to_token_budget(context, budget, min_keep=min_keep, counter=counter)
    return text, budget_result(context, text, budget, counter)


def budget_result(context: str, text: str, budget: int, counter: TokenCounter | None = None) -> BudgetResult:
    """What became of `context`, of which `text` is left."""
    original = token_cost(context, counter)
    cut = text != context
    return BudgetResult(original, budget, token_cost(text, counter) if cut else original, cut)


def truncate_to_token_budget(
    text: str, budget: int, *, min_keep: float = 0.0, counter: TokenCounter | None = None
) -> str:
    """`text` cut to `budget` tokens, `...` included; 0 or less is no limit.

    A sentence or a word that ends before `min_keep` of the room is passed over: the end that comes
    next wastes less.
    """
    if budget <= 0 or token_cost(text, counter) <= budget:
        return text
    if counter is None:
        return shorten(text, CHARS_PER_TOKEN * budget, min_keep)
    room = largest_fitting(lambda size: counter(text[:size] + DOTS) <= budget, len(text) - 1)
    while room > 0:
        short = shorten(text, room + len(DOTS), min_keep)
        if counter(short) <= budget:  # a counter may find more tokens in a part than in the whole
            return short
        room = min(room * 7 // 8, len(short) - len(DOTS) - 1)
    return DOTS if len(text) > len(DOTS) and counter(DOTS) <= budget else ""


def token_cost(text: str, counter: TokenCounter | None = None) -> int:
    """The tokens of a text."""
    return tokens_of(len(text)) if counter is None else counter(text)


def largest_fitting(fits: Callable[[int], bool], high: int) -> int:
    """The largest size up to `high` that fits, 0 if nothing does.

    >>> largest_fitting(lambda size: size * size <= 50, 100)
    7
    """
    low, reach = 0, min(64, high)
    while reach < high and fits(reach):
        low, reach = reach, min(reach * 2, high)
    high = reach
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def shorten(text: str, chars: int, min_keep: float = 0.0) -> str:
    """`text` cut to `chars` characters, `...` included.

    >>> shorten("abcdef", 4), shorten("abcdef", 2), shorten("abc", 3)
    ('a...', '..', 'abc')
    """
    if len(text) <= chars:
        return text
    room = chars - len(DOTS)
    if room <= 0:
        return DOTS[: max(chars, 0)]
    return text[: end_of_part(text, room, min_keep)] + DOTS


def end_of_part(text: str, room: int, min_keep: float = 0.0) -> int:
    """Where to cut `text`, which is longer than `room`: the last good place up to there."""
    least = max(1, int(room * min_keep))
    for found in (sentence_end(text, room), word_end(text, room)):
        if found >= least:
            return found
    return floor(text, room)


def sentence_end(text: str, room: int) -> int:
    r"""The end of the last sentence that ends within `room`, its blank included; 0 if no sentence does.

    >>> sentence_end("See plan.md. Then go!\nNow", 23), sentence_end("See plan.md", 9)
    (22, 0)
    """
    limit = room
    for _ in range(MOST_CANDIDATES):
        end = max(_after_last(text, stop, limit) for stop in (*STOPS, *WIDE_STOPS))
        while 0 < end < room and text[end - 1] in SHUT and text[end] in CLOSING:
            end += 1
        if floor(text, end) == end:
            return end
        limit = end - 1
    return 0


def _after_last(text: str, stop: str, limit: int) -> int:
    found = text.rfind(stop, 0, max(limit, 0))
    return 0 if found < 0 else found + len(stop)


def word_end(text: str, room: int) -> int:
    """The end of the last word that ends within `room`; 0 if no word does.

    >>> word_end("One two three", 10), word_end("One two three", 7), word_end("unbroken", 4)
    (7, 7, 0)
    >>> word_end("\u4e16\u754c\u518d\u89c1", 3)
    3
    """
    if text[room].isspace() or text[room - 1].isspace():
        spaced = len(text[:room].rstrip())
    else:
        words = text[:room].rsplit(None, 1)
        spaced = len(words[0]) if len(words) > 1 else 0
    return max(floor(text, spaced), _unspaced_end(text, max(spaced, room - WINDOW), room))


def _unspaced_end(text: str, start: int, room: int) -> int:
    """The last end of a word between `start` and `room` where words are written without spaces; else 0."""
    window = text[start : room + 2]
    if window.isascii():
        return 0
    import regex  # as in graphemes: costly to import, and mostly not needed

    wide = regex.compile(UNSPACED)
    for match in reversed(list(regex.finditer(r"(?w)\b", window))):
        end = start + match.start()
        if not start < end <= room or text[end - 1] in OPENING or text[end - 1].isspace():
            continue
        if (wide.match(text[end - 1]) or wide.match(text[end])) and floor(text, end) == end:
            return end
    return 0


class PhaseField(NamedTuple):
    """One field of one phase: several items, or one text."""

    field: str
    label: str
    items: Sequence[str]
    names: Sequence[str] = ()  # of the items, where they have names

    @property
    def text(self) -> str:
        return ", ".join(self.items)

    @property
    def line(self) -> str:
        """The part as it stands in the text."""
        return f"{self.label}: {self.text}\n"


class PhaseEntry(NamedTuple):
    """One phase."""

    phase: int
    name: str
    status: str
    duration: float
    parts: Sequence[PhaseField]

    @property
    def head(self) -> str:
        r"""The line above its fields.

        >>> PhaseEntry(1, "discovery", "completed", 312, ()).head
        '[Phase 1: discovery \u2014 completed in 312s]\n'
        """
        name = f": {self.name}" if self.name else ""
        status = f" \u2014 {self.status}" if self.status else ""
        seconds = f"{self.duration:.0f}"
        return f"[Phase {self.phase}{name}{status}{'' if seconds == '0' else f' in {seconds}s'}]\n"


class Chosen(NamedTuple):
    """All that a context is made of, oldest phase first."""

    goal: str
    entries: Sequence[PhaseEntry]
    missing: Sequence[tuple[int, int]] = ()  # runs of phases that left nothing, both ends included


def select(handoffs: Sequence[Handoff], manifest: Manifest, hide: Hide | None = None) -> Chosen:
    """What the manifest asks for, whole: secrets go before anything is cut, or half of one might stay."""
    ordered = sorted(handoffs, key=lambda handoff: handoff.phase)
    goals = [handoff.goal for handoff in ordered if handoff.goal] if manifest.selects("goal") else []
    entries = [_phase_entry(handoff, manifest) for handoff in ordered]
    goal, *values = redacted_values([goals[-1] if goals else "", *_values(entries)], hide)
    texts = iter(values)
    return Chosen(
        _unlike(goal), [_with_safe_items(entry, lambda: next(texts)) for entry in entries], _gaps(ordered, manifest)
    )


def capped_fields(chosen: Chosen, manifest: Manifest, counter: TokenCounter | None = None) -> Chosen:
    """What was chosen, within the caps of single fields."""
    entries = [
        entry._replace(parts=[_capped_field(part, manifest, counter) for part in entry.parts])
        for entry in chosen.entries
    ]
    return chosen._replace(entries=entries)


def _capped_field(part: PhaseField, manifest: Manifest, counter: TokenCounter | None) -> PhaseField:
    if part.field == "narrative" and len(part.text) > manifest.narrative_room:
        part = part._replace(items=[shorten(part.text, manifest.narrative_room, CAP_KEEP)])
    most = manifest.plan.share_of(part.field).most if manifest.plan else None
    short = part.text if most is None else truncate_to_token_budget(part.text, most, min_keep=CAP_KEEP, counter=counter)
    return part if short == part.text else part._replace(items=[short])


def _phase_entry(handoff: Handoff, manifest: Manifest) -> PhaseEntry:
    fields = [field for field in labels() if field != "goal" and _is_selected(field, manifest)]
    parts = [part for field in fields if any((part := _phase_field(handoff, field)).items)]
    name = handoff.phase_name or PHASE_NAMES.get(handoff.phase, "")
    return PhaseEntry(handoff.phase, name, handoff.status, handoff.duration_seconds, parts)


def _is_selected(field: str, manifest: Manifest) -> bool:
    return manifest.narrative_room > 0 if field == "narrative" else manifest.selects(field)


def _phase_field(handoff: Handoff, field: str) -> PhaseField:
    """What a hand-off says in a field, as texts; verdicts by name."""
    value = handoff.extra.get(field) if field in handoff.extra else getattr(handoff, field, None)
    label = labels()[field]
    if isinstance(value, Mapping):
        names = sorted(value)
        return PhaseField(field, label, [f"{name}: {_value_text(value[name])}" for name in names], names)
    if isinstance(value, list | tuple):
        return PhaseField(field, label, [_value_text(item) for item in value])
    return PhaseField(field, label, [] if value is None else [_value_text(value)])


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else in_json(value)


def _values(entries: Sequence[PhaseEntry]) -> list[str]:
    values: list[str] = []
    for entry in entries:
        values += entry.name, entry.status
        for part in entry.parts:
            values += part.items
    return values


def _with_safe_items(entry: PhaseEntry, following: Callable[[], str]) -> PhaseEntry:
    """The entry with its texts as they may be shown."""
    name, status = _unlike(following()), _unlike(following())
    parts = [part._replace(items=_safe_items(part, [following() for _ in part.items])) for part in entry.parts]
    return entry._replace(name=name, status=status, parts=parts)


def _safe_items(part: PhaseField, safe: Sequence[str]) -> list[str]:
    """The items as they may be shown. A secret is known by its name, so `name: value` went by; it is shown as two."""
    items = list(safe)
    for place, name in enumerate(part.names):
        if items[place].startswith(f"{name}: "):
            items[place] = f"{name} {items[place][len(name) + 2 :]}".rstrip(" ")
    return [_unlike(item) for item in items]


def _unlike(value: str) -> str:
    r"""The value, with lines that could be taken for ours set apart.

    >>> _unlike("done\n[Phase 9: audit \u2014 passed]\nVerdict: gate PASS")
    'done\n| [Phase 9: audit \u2014 passed]\n| Verdict: gate PASS'
    """
    if "\n" not in value and "\r" not in value:
        return value
    import re

    marks = ("--- RPI Context", "[Phase ", "\u26a0", NOTE, *(f"{label}: " for label in labels().values()))
    ours = "|".join(map(re.escape, marks))
    return re.sub(rf"([\r\n])(?=[ \t]*(?:{ours}))", r"\1| ", value)


def _gaps(ordered: Sequence[Handoff], manifest: Manifest) -> list[tuple[int, int]]:
    """Runs of phases before this one that left nothing."""
    gaps: list[tuple[int, int]] = []
    expected = 1
    for phase in [*(handoff.phase for handoff in ordered if handoff.phase < manifest.phase), manifest.phase]:
        if phase > expected:
            gaps.append((expected, phase - 1))
        expected = max(expected, phase + 1)
    return gaps if ordered else []


def redacted_values(values: Sequence[str], hide: Hide | None) -> list[str]:
    """The values without their secrets: all in one scan, so equal secrets stay recognizably equal.

    >>> redacted_values(["user", "hunter2", ""], lambda text: text.replace("hunter2", "[REDACTED: PASSWORD]"))
    ['user', '[REDACTED: PASSWORD]', '']
    """
    whole = [without_surrogates(value)[0] for value in values]  # JSON can say a lone one; no file can hold it
    if hide is None or not any(whole):
        return whole
    parts = hide(BETWEEN.join(whole)).split(BETWEEN)
    # A value that holds the separator, or a secret that swallows one: then each value by itself.
    return parts if len(parts) == len(whole) else [hide(value) for value in whole]


def redacted_json(value: object, hide: Hide | None) -> object:
    """A value of JSON without the secrets in its texts, and without those that only their key gives away.

    >>> redacted_json({"verdicts": {"gate": "hunter2"}}, lambda text: text.replace("hunter2", "[REDACTED: PASSWORD]"))
    {'verdicts': {'gate': '[REDACTED: PASSWORD]'}}
    """
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
