"""Source text: its imports, an outline of all definitions as a note, and whole functions by weight.

Of one long line (minified code, a source map, base64) windows around what matters, and both ends.
"""

from __future__ import annotations

from collections import Counter

from overspill._lite import TYPE_CHECKING, compile_pattern, load_module
from overspill.core.markers import one_line
from overspill.core.spans import Options, Span, ceil, floor
from overspill.cut.smart.general import found_in as found_in_lines
from overspill.cut.smart.languages import WITHOUT_DEFINITIONS
from overspill.cut.smart.outline import Definition, Outline, exact_outline, outline
from overspill.cut.smart.shapes import LOUD, classify_line, small_letters
from overspill.cut.smart.units import (
    CONTEXT,
    DETAIL,
    EDGE,
    PLAIN,
    RARE,
    SUMMARY,
    Findings,
    Name,
    Note,
    Unit,
    spelled_name,
)
from overspill.kinds import sniff

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FEWEST = 2  # definitions; a text with fewer is shown by what its lines say
LIKE_OTHERS = ("c", "cpp")  # Objective-C, Perl and Rust have lines of these
MARKED = ("html", "css", "yaml", "toml", "ini")  # their blocks are no definitions
NAMESAKES = 3  # definitions of one name, on average
SPARSE = 30  # lines a definition, where the language is what it seems to be;
MORE = 1.5  # times as many are found otherwise, where it is not
LONGEST_WORDS = 160
OUTLINE_SHARE = 0.35  # of the room, for whole signatures: they stand beside the code, not in its place
OTHERS_SHARE = 0.1  # of the room, for definitions that are like no others
LONGEST_PLACED = 1_000  # characters of names with their lines
LONGEST_TOP = 600  # characters of what stands before everything else
LONGEST_IMPORTS = 600  # a longer block of them gives way to functions, which say more
LONGEST_REST = 1_500
STEPS = (800, 2_000, 5_000)  # characters of a function
MOST_USES = 8

_WORD = compile_pattern(r"[A-Za-z_]\w{2,}")
_BLANK_LINES = compile_pattern(r"\n[ \t\r]*\n")


def found_in(text: str, options: Options) -> Findings:
    """What matters in a source text."""
    language = code_language(text, options)
    if language == "html":
        pages = load_module("overspill.cut.smart.prose")
        page: Findings | None = pages.page_findings(text)
        if page is not None:
            return page
    if not options.preserve_functions:
        return found_in_lines(text, options)
    found = Outline([], []) if language in WITHOUT_DEFINITIONS else best_outline(text, language)
    known, names = len(found.definitions), len({one.name for one in found.definitions})
    known = names if names * NAMESAKES < known else known  # what is called the same all over is no name
    if known * SPARSE < text.count("\n") and language not in MARKED:
        learned = learned_findings(text, MORE * known)
        if learned is not None:
            return learned
    if len(found.definitions) < FEWEST:
        return found_in_lines(text, options)
    return Findings([*_units_of(text, found)], (_outline_note(found.definitions),), exact=True)


def learned_findings(text: str, least: float = 0, *, plain: bool = False) -> Findings | None:
    """What matters in source of a language that is told by the text alone, with more than so many definitions."""
    from overspill.cut.smart.learned import DefinitionDigest, label_of, learned_outline

    learned = learned_outline(text, plain=plain)
    if learned is None or len(learned.outline.definitions) <= (least if not (plain and learned.closed) else 0):
        return None
    told = {name for head in learned.heads if head.defines for name in head.names}
    others = [one for one in learned.outline.definitions if one.name not in told]
    notes = (Note("omitted", _terse_names(others), width=1 << 20, share=OTHERS_SHARE),) if others else ()
    signs = {
        number + 1: f", one of {len(head.names)} {label_of(head)}" for head in learned.heads for number in head.lines
    }
    units = [*_units_of(text, learned.outline, signs)]
    return Findings(units, notes, exact=True, digests=(DefinitionDigest(learned.heads),))


def _units_of(text: str, found: Outline, signs: Mapping[int, str] = {}) -> Iterator[Unit]:
    """What matters in a source text; `signs` say by its line what a definition is told by."""
    for span in found.imports:
        yield Unit(*span, SUMMARY if span.chars <= LONGEST_IMPORTS else CONTEXT, "imports")
    for line, unit in _function_units(text, found.definitions):
        yield unit._replace(why=unit.why + signs[line]) if line in signs else unit
    yield from _rest_units(text, found)


def code_language(text: str, options: Options) -> str:
    """The language, as far as it can be told."""
    return sniff(text, content_type=options.content_type, name=options.name).language


def best_outline(text: str, language: str) -> Outline:
    """The definitions: exactly where the extra for that is installed, by the lines where it is not.

    What looks like C and has hardly any may be of another language: it is read by the words that languages share.
    """
    found = exact_outline(text, language) or outline(text, language)
    if language not in LIKE_OTHERS or len(found.definitions) * SPARSE >= text.count("\n"):
        return found
    shared = outline(text, "")
    return shared if len(shared.definitions) > MORE * len(found.definitions) else found


def _outline_note(definitions: list[Definition]) -> Note:
    """Every signature that is not shown, with the line it stands in; or the names, as `_terse_names` has them."""
    names = tuple(Name(f"L{one.line} {_short_signature(one.words)}", *one.head) for one in definitions)
    return Note("omitted", names, width=1 << 20, share=OUTLINE_SHARE, terse=_terse_names(definitions))


def _terse_names(definitions: list[Definition]) -> tuple[Name, ...]:
    """Names with the lines by which they can be fetched; of many, only the outer ones with lines, and first."""
    named = [(one, Name(spelled_name(one_line(one.name)[:LONGEST_WORDS]), *one.head)) for one in definitions]
    if (placed := _placed_names(named)) is not None:
        return placed
    # Every class has an `__init__`: that name says as much once.
    inner = {name.text: name for one, name in named if one.level}
    outer = [(one, name) for one, name in named if not one.level]
    return (*(_placed_names(outer) or (name for _, name in outer)), *inner.values())


def _placed_names(named: list[tuple[Definition, Name]]) -> tuple[Name, ...] | None:
    """Each with its line, unless that is too long."""
    placed = tuple(name._replace(text=f"L{one.line} {name.text}") for one, name in named)
    return placed if sum(len(name.text) for name in placed) <= LONGEST_PLACED else None


def _short_signature(words: str) -> str:
    words = one_line(words)
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 3] + "..."


def _function_units(text: str, definitions: list[Definition]) -> Iterator[tuple[int, Unit]]:
    """Whole functions, and classes that are short, by their lines; with a method goes the signature of its class."""
    uses = Counter(_WORD.findall(text))
    around: list[Definition] = []
    for one in definitions:
        while around and around[-1].end < one.end:
            around.pop()
        needs = tuple(outer.head for outer in around if outer.container)
        group = around[-1].name if around else ""
        score = _function_score(one, uses)
        if not one.container or one.end - one.start <= STEPS[0]:
            yield one.line, Unit(one.start, one.end, score, f"{one.name} whole", group, needs)
        else:
            yield one.line, Unit(*one.head, DETAIL + 10, f"{one.name}", "", needs)
        around.append(one)


def _function_score(one: Definition, uses: Counter[str]) -> float:
    """Functions that are used more say more; of shorter ones more can be shown."""
    steps = sum(one.end - one.start > step for step in STEPS)
    used = min(MOST_USES, uses[one.name] - 1)
    nested = 100 if one.level > 1 and not one.container else 0
    return DETAIL - 20 * steps + 2 * used - nested


def _rest_units(text: str, found: Outline) -> Iterator[Unit]:
    """What stands outside of all functions: first what the file says of itself, then constants and the like."""
    taken = sorted(
        [
            *found.imports,
            *(one.head if one.container else Span(one.start, one.end) for one in found.definitions),
        ]
    )
    at = 0
    for start, end in [*taken, Span(len(text), len(text))]:
        for block in _text_blocks(text, at, start):
            top = block.start == 0
            score = SUMMARY if top and block.chars <= LONGEST_TOP else CONTEXT if block.chars <= LONGEST_REST else RARE
            if block.start > 0 and _is_comment(text, block):
                score = PLAIN
            yield Unit(*block, score, "what the file says of itself" if top else "outside of functions")
        at = max(at, end)


def _text_blocks(text: str, start: int, end: int) -> Iterator[Span]:
    """Blocks of lines with nothing between them, that say something."""
    at = start
    while at < end:
        found = _BLANK_LINES.search(text, at, end)
        stop = end if found is None else found.end()
        if text[at:stop].strip(" \t\r\n{}();"):
            yield Span(at, stop)
        at = stop


def _is_comment(text: str, block: Span) -> bool:
    return text[block.start : block.end].lstrip().startswith(("#", "//", "/*", "*"))


# ---- one long line ----

WINDOW_WIDTH = 120
MOST_PLACES = 200  # places of one word
LONG_ENDS = 1_000
STRONG = ("name", "summary", "status", "fatal", "exception", "error", "assertion")


def found_in_one_line(text: str, options: Options) -> Findings:
    """Both ends, and what stands around telling words."""
    units = [
        Unit(0, floor(text, min(LONG_ENDS, len(text))), EDGE + 2, "the start of a long line"),
        Unit(ceil(text, max(0, len(text) - LONG_ENDS)), len(text), EDGE + 3, "the end of a long line"),
    ]
    if options.prioritize_errors:
        units += _telling_windows(text)
    return Findings(units)


def _telling_windows(text: str) -> list[Unit]:
    small = small_letters(text)
    units: list[Unit] = []
    for word in LOUD:
        at = small.find(word)
        for _ in range(MOST_PLACES):
            if at < 0:
                break
            start, end = max(0, at - WINDOW_WIDTH), min(len(text), at + 2 * WINDOW_WIDTH)
            what = classify_line(text[max(0, at - WINDOW_WIDTH // 4) : end].replace("\n", " "))
            if what is not None:
                score = RARE + 50 if what.level in STRONG else RARE
                units.append(Unit(floor(text, start), ceil(text, end), score, what.why, word))
            at = small.find(word, end)
    return units
