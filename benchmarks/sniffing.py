"""How long it takes to tell a kind, in passes: one is `str.count` of line ends over the same 128 KB."""

from functools import partial
from pathlib import Path

from cleaning import best

from overspill.clean import clean
from overspill.kinds import sniff

SAMPLES = Path(__file__).parent.parent / "tests" / "samples" / "kinds"
SIZE = 131_072


def main() -> None:
    figures = []
    for path in sorted(SAMPLES.iterdir()):
        text, _ = clean(path.read_bytes(), "terminal")
        text *= SIZE // len(text) + 1
        one_pass = best(partial(text.count, "\n"))
        figures.append((best(partial(sniff, text)), one_pass, path.name))
    figures.sort(reverse=True)
    for place, (took, one_pass, name) in (("slowest", figures[0]), ("median", figures[len(figures) // 2])):
        print(f"sniff, {place:8} {took * 1e3:5.2f} ms  {took / one_pass:6.1f} passes  {name}")


if __name__ == "__main__":
    main()
