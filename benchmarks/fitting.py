"""A fit in a process that stays; `startup.py` measures it as a command."""

from functools import partial

from measuring import best, log_of, row

from overspill import MemoryStore, Overspill


def main() -> None:
    for name, size, bar in (
        ("1 KB", 1_000, "< 1 ms, goal 0.1"),
        ("100 KB", 100_000, "< 10 ms, goal 1"),
        ("10 MB", 10_000_000, "< 100 ms, goal 60"),
    ):
        text = log_of(size)
        work = Overspill({}, MemoryStore())

        def fit(work: Overspill = work, text: str = text) -> None:
            work.fit(text, strategy="tail")
            work.store.clear()

        seconds = best(fit)
        one_pass = best(partial(text.count, "\n"))
        row(
            f"warm fit of {name}, in newline counts of the same text",
            f"{seconds / one_pass:.1f}x",
            f"{seconds * 1000:.2f} ms ({bar})",
        )


if __name__ == "__main__":
    main()
