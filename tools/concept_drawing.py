"""The drawing of docs/concepts.md: one picture in two colours, for light pages and dark ones."""

from typing import NamedTuple

WIDTH, HEIGHT = 520, 500
TITLE = "A tool answers; Overspill keeps the whole text and shows the model a view, and a way to the rest"
FONT = 'font-family="system-ui, -apple-system, Segoe UI, Noto Sans, DejaVu Sans, sans-serif"'
TURN = 'orient="auto"'


class Colours(NamedTuple):
    ink: str
    faint: str
    line: str
    box: str
    ours: str
    ours_ink: str


LIGHT = Colours("#0f172a", "#475569", "#64748b", "#f1f5f9", "#0f766e", "#f0fdfa")
DARK = Colours("#e2e8f0", "#a8b3c4", "#94a3b8", "#2b3242", "#115e59", "#ccfbf1")

# Left, top, width, height, title, what it is.
BOXES = (
    (130, 10, 260, 66, "A tool answers", "a log, a page of JSON, a diff"),
    (0, 260, 250, 84, "The view", "what fits, and beside it", "what was left out, counted"),
    (270, 260, 250, 84, "The store", "the whole text,", "without its secrets"),
    (0, 424, 250, 66, "The model", "reads the view, may ask on"),
)
STEPS = "clean  →  hide secrets  →  measure  →  choose"
ARROWS = (
    "M260 76V106",
    "M125 196V254",
    "M395 196V254",
    "M125 344V418",
    "M250 446H350V350",
    "M440 344V472H256",
)
WORDS = (
    (137, 230, "start", "within the budget"),
    (407, 230, "start", "kept first"),
    (300, 438, "middle", "get_artifact"),
    (348, 464, "middle", "the part it asked for"),
)


def light_drawing() -> str:
    return _drawing(LIGHT)


def dark_drawing() -> str:
    return _drawing(DARK)


def _drawing(colours: Colours) -> str:
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" {FONT}>'
    tip = f'<path d="M0 0L8 4L0 8z" fill="{colours.line}"/>'
    marker = (
        f'<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" {TURN}>{tip}</marker>'
    )
    stroke = f'fill="none" stroke="{colours.line}" stroke-width="2" marker-end="url(#tip)"'
    parts = [start, f"<title>{TITLE}</title>", f"<defs>{marker}</defs>"]
    parts += [f'<path d="{path}" {stroke}/>' for path in ARROWS]
    for left, top, width, height, title, *lines in BOXES:
        parts.append(_box(left, top, width, height, colours.box, colours.line))
        parts.append(_text(left + width / 2, top + 28, colours.ink, title, 'font-size="17" font-weight="600"'))
        parts += [
            _text(left + width / 2, top + 51 + 20 * number, colours.faint, line, 'font-size="15"')
            for number, line in enumerate(lines)
        ]
    parts.append(_box(20, 112, 480, 84, colours.ours, colours.ours))
    parts.append(_text(260, 145, colours.ours_ink, "Overspill", 'font-size="18" font-weight="700"'))
    parts.append(_text(260, 174, colours.ours_ink, STEPS, 'font-size="16" xml:space="preserve"'))
    parts += [_text(x, y, colours.faint, words, 'font-size="14"', anchor) for x, y, anchor, words in WORDS]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(left: float, top: float, width: float, height: float, fill: str, line: str) -> str:
    return (
        f'<rect x="{left + 1}" y="{top}" width="{width - 2}" height="{height}" rx="8" fill="{fill}" stroke="{line}" '
        'stroke-width="1.5"/>'
    )


def _text(x: float, y: float, fill: str, words: str, style: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}" {style}>{words}</text>'
