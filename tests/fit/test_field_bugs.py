"""Bugs that shipped in other agents, none of which may live here."""

import asyncio
import time

import pytest
import regex

from overspill import Artifact, Budget, Fitted, MemoryStore, Overspill, Size
from overspill.core import count_lines
from overspill.store import Label

STRATEGIES = ["head", "tail", "head_tail", "line"]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES)

LOG = "".join(f"2024-11-06 14:22:{number % 60:02} INFO request {number} served in 12 ms\n" for number in range(1_000))


def spill(store: MemoryStore | None = None, **settings: object) -> Overspill:
    mapping = {f"tools.truncation.{name}": value for name, value in settings.items()}
    return Overspill(mapping, MemoryStore() if store is None else store)


def same(fitted: Fitted) -> str:
    """A view without what is its own: id and time."""
    view = fitted.text.replace(fitted.artifact_id or "-", "ID")
    return "\n".join(line for line in view.split("\n") if not line.startswith("Created: "))


@every_strategy
@pytest.mark.parametrize("limit", [100, 1_000, 8_000])
def test_one_line_of_60_kb_gives_a_useful_view_within_its_budget(strategy: str, limit: int) -> None:
    """Elsewhere: nothing at all, or the whole line."""
    line = "".join(f"{number:06}," for number in range(9_000))
    fitted = spill().fit(line, strategy=strategy, budget=limit)
    assert len(fitted.text) <= limit
    assert fitted.report.shown.chars > limit / 10


@pytest.mark.slow
@every_strategy
def test_60_mb_on_one_line_are_no_exception(strategy: str) -> None:
    line = "0123456789abcdef" * (60 * 65_536)
    asked = spill(max_artifact_size="1GB")
    started = time.process_time()
    fitted = asked.fit(line, strategy=strategy)
    assert time.process_time() - started < 20
    assert 0 < fitted.report.shown.chars <= len(fitted.text) <= 8_000
    assert asked.store.info(str(fitted.artifact_id)).size.bytes == len(line)


@every_strategy
@pytest.mark.parametrize("limit", [1, 40, 100, 1_000, 9_000])
def test_ten_thousand_marks_on_one_letter_are_cut_somewhere(strategy: str, limit: int) -> None:
    text = "before " + "e" + "\u0301" * 10_000 + " after"
    fitted = spill().fit(text, strategy=strategy, budget=limit)
    assert 0 < len(fitted.text) <= limit
    assert fitted.report.shown.chars + fitted.report.omitted_chars == len(text)


@pytest.mark.parametrize("used", [199_000, 199_999, 200_000, 250_000])
def test_a_full_window_still_gets_a_floor_and_never_the_flood(used: int) -> None:
    """Elsewhere: no room left meant no limit at all."""
    fitted = spill().fit(LOG, budget=Budget.for_window(200_000, used=used))
    assert 0 < len(fitted.text) <= 2_000
    assert fitted.artifact_id is not None


class Failing(MemoryStore):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        raise self.error


@every_strategy
@pytest.mark.parametrize("error", [OSError(28, "full"), PermissionError(13, "no"), RuntimeError("odd"), MemoryError()])
def test_what_cannot_be_kept_is_still_bounded(strategy: str, error: Exception) -> None:
    """Elsewhere: the full text, because there was nowhere to put it."""
    fitted = spill(Failing(error)).fit(LOG, strategy=strategy)
    assert fitted.is_error
    assert 0 < len(fitted.text) <= 8_000
    assert "art_" not in fitted.text


@every_strategy
@pytest.mark.parametrize("limit", [200, 1_000, 8_000])
def test_what_is_shown_and_what_is_not_add_up(strategy: str, limit: int) -> None:
    report = spill().fit(LOG, strategy=strategy, budget=limit).report
    kept = sum(end - start for start, end in report.kept)
    lines = sum(count_lines(LOG, start, end) for start, end in report.kept)
    assert kept + report.omitted_chars == len(LOG)
    assert lines + report.omitted_lines == 1_000


@every_strategy
@pytest.mark.parametrize("text", [LOG, LOG * 2, "x" * 30_000])
def test_a_view_of_a_view_is_the_view(strategy: str, text: str) -> None:
    """Elsewhere: truncated once by the tool and once more by the harness."""
    asked = spill(inline_limit=4_000)
    once = asked.fit(text, strategy=strategy)
    twice = asked.fit(once.text, strategy=strategy)
    assert twice.text == once.text
    assert len(asked.store.list()) == 1


@every_strategy
def test_the_same_input_gives_the_same_bytes(strategy: str) -> None:
    """Elsewhere: a prompt cache that never hit."""
    views = {same(spill().fit(LOG * 3, strategy=strategy, tool="bash")) for _ in range(3)}
    assert len(views) == 1


@pytest.mark.parametrize("calls", [None, 4, 3])
@pytest.mark.parametrize("budget", [Budget(chars=20_000), Budget(tokens=5_000), Budget(chars=300)])
def test_parallel_results_share_one_budget(calls: int | None, budget: Budget) -> None:
    """Elsewhere: a cap a call, and no cap on the turn. Also when more results come than were announced."""

    async def turn() -> list[Fitted]:
        async with spill().turn(budget, calls=calls) as now:
            work = asyncio.gather(*(now.fit(LOG, tool=tool) for tool in ("bash", "read_file", "grep", "other")))
            return await asyncio.wait_for(work, 30)

    results = asyncio.run(turn())
    total = sum(len(fitted.text) for fitted in results)
    assert len(results) == 4
    assert total <= (budget.chars or 4 * (budget.tokens or 0))
    assert total > (budget.chars or 4 * (budget.tokens or 0)) // 3


def test_small_results_leave_their_share_to_large_ones() -> None:
    small, large = spill().fit_many(["ok\n", LOG], 6_000, tools=["bash", "read_file"])
    assert small.text == "ok\n"
    assert 5_000 < len(large.text) <= 5_997


def test_a_result_nobody_can_read_leaves_the_others_their_turn() -> None:
    def broken() -> object:
        yield "half"
        raise ValueError

    async def turn() -> tuple[Fitted, Fitted]:
        async with spill().turn(3_000, calls=2) as now:
            return await asyncio.wait_for(asyncio.gather(now.fit(broken()), now.fit(LOG)), 30)

    bad, good = asyncio.run(turn())
    assert (bad.is_error, good.is_error) == (True, False)
    assert len(bad.text) + len(good.text) <= 3_000


def test_a_call_id_of_any_length_is_only_a_label() -> None:
    """Elsewhere: it was the name of a file, and too long for one."""
    asked = spill()
    fitted = asked.fit(LOG, call_id="call_" + "x" * 1_500)
    assert asked.get(str(fitted.artifact_id), limit=0).text == LOG
    assert len(fitted.text) <= 8_000


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
ON_THE_CUT = {
    "family": FAMILY,
    "flag": "\U0001f1e9\U0001f1ea",
    "hebrew": "\u202b\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd\u202c",
    "crlf": "\r\n",
    "surrogate": "\U0001f600",
}


@every_strategy
@pytest.mark.parametrize("cluster", ON_THE_CUT.values(), ids=ON_THE_CUT.keys())
def test_a_cut_that_falls_on_a_cluster_moves_aside(strategy: str, cluster: str) -> None:
    """Elsewhere: a crash, or half a character."""
    for shift in range(len(cluster) + 1):
        text = "x" * shift + cluster * (4_000 // len(cluster))
        borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}
        fitted = spill().fit(text, strategy=strategy, budget=900)
        assert {edge for span in fitted.report.kept for edge in span} <= borders
        assert 0 < len(fitted.text) <= 900
        fitted.text.encode()


def test_a_budget_of_zero_tokens_is_no_room_and_not_no_limit() -> None:
    for budget in (Budget(tokens=0), Budget(chars=0), Budget(chars=10, tokens=0)):
        assert spill().fit(LOG, budget=budget).text == ""


def test_chinese_is_not_counted_as_if_it_were_english() -> None:
    """Elsewhere: 16,000 characters passed for 4,000 tokens; the exact counter is there to be chosen."""
    text = "处理请求时发生错误请检查日志文件" * 1_000
    fitted = Overspill({"tokens.counter": "o200k"}).fit(text, budget=Budget(tokens=4_000))
    assert fitted.artifact_id is not None
    assert 2_000 < fitted.metadata["truncated_tokens"] <= 4_000  # type: ignore[operator]  # a number


@pytest.mark.slow
@every_strategy
@pytest.mark.parametrize(
    "text",
    [
        "\U0001f1e9\U0001f1ea" * 200_000,
        "... [" * 80_000,
        "\n\n## a\n" + "\n\n#" * 130_000,
        "\r" * 400_000,
        "\u0301" * 400_000,
    ],
    ids=["flags", "look-alikes", "headings", "returns", "marks"],
)
@pytest.mark.parametrize("limit", [8_000, 100_000])
def test_no_text_takes_a_time_that_grows_with_its_square(strategy: str, text: str, limit: int) -> None:
    started = time.process_time()
    assert spill().fit(text, strategy=strategy, budget=limit).text
    assert time.process_time() - started < 4
