"""Chunking makes no difference: a stream gives the view and the report that its text would give in one piece."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import overspill.core.spans
import overspill.fit.render
import overspill.kinds.lines
from documents import json_texts
from overspill import Fitted, MemoryStore, Overspill
from overspill.redact.rules import made_up_value
from texts import texts
from xml_texts import elements as xml_texts

SMALL_REACH = 200
SECRET = made_up_value("ghp_<A36>")
STRATEGIES = ["head", "tail", "head_tail", "line", "element", "smart", "none"]
PASSING = re.compile(r"art_\w+|Created: [^\n]*")

secrets = st.sampled_from(
    [f"\npassword: {SECRET}\n", f" {SECRET} ", f'{{"api_key": "{SECRET}"}}', f"Cookie: sid={SECRET}\n"]
)
long = st.integers(1, 60)
prose = st.builds(lambda before, secret, after, times: (before + secret + after) * times, texts, secrets, texts, long)
records = st.builds(
    lambda items, times: "[" + ",".join(items * times) + "]", st.lists(json_texts, min_size=1, max_size=4), long
)
lines = st.builds(
    lambda items, times: "".join(f'{{"n":{item}}}\n' for item in items * times).replace("\r", " "),
    st.lists(json_texts.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=4),
    long,
)
elements = st.builds(
    lambda items, times: "<all>" + "".join(items * times) + "</all>", st.lists(xml_texts, min_size=1, max_size=4), long
)
settings = st.fixed_dictionaries(
    {
        "strategy": st.sampled_from(STRATEGIES),
        "preset": st.sampled_from(["spec", "agent"]),
        "limit": st.one_of(st.integers(1, 63), st.integers(64, 500)),
        "threshold": st.sampled_from([1, 2_000, 50_000]),
        "oversize": st.sampled_from(["error", "head_tail", "drop_excerpt"]),
        "most": st.sampled_from([1_500, 1 << 20]),
        "store": st.booleans(),
    }
)
cuts = st.lists(st.integers(0, 100_000), max_size=12)


@pytest.fixture(autouse=True, scope="module")
def _small_reach() -> Iterator[None]:
    """Ends so short that a text of a few pages overflows them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overspill.core.spans, "LEAST_REACH", SMALL_REACH)
        patch.setattr(overspill.core.spans, "REACHES", 2)
        patch.setattr(overspill.kinds.lines, "SAMPLE", SMALL_REACH)
        patch.setattr(overspill.fit.render, "OPENING_CHARS", SMALL_REACH)
        yield


def pieces(whole: str | bytes, at: list[int]) -> Iterator[str | bytes]:
    for start, end in pairwise(sorted({0, len(whole), *(place % (len(whole) + 1) for place in at)})):
        yield whole[start:end]


def spill_of(how: dict[str, object]) -> Overspill:
    mapping = {
        "default_strategy": how["strategy"],
        "inline_limit": how["limit"],
        "artifact_threshold": how["threshold"],
        "max_artifact_size": how["most"],
        "on_oversize": how["oversize"],
        "artifacts.store_truncated": how["store"],
    }
    settings = {f"tools.truncation.{name}": value for name, value in mapping.items()}
    return Overspill(settings, MemoryStore(), str(how["preset"]))


def seen(fitted: Fitted) -> list[object]:
    """Everything about a view but the name and the hour of what is kept."""
    report = fitted.report
    artifact = report.artifact
    return [
        PASSING.sub("", fitted.text),
        PASSING.sub("", fitted.notice),
        fitted.is_error,
        report._replace(artifact=None, reference="", fetch=""),
        artifact and artifact._replace(id="", created=0.0),
    ]


def assert_the_same(whole: str | bytes, at: list[int], how: dict[str, object]) -> None:
    assume(len(whole) < 60_000)
    spill = spill_of(how)
    at_once, streamed = spill.fit(whole), spill_of(how).fit_stream(pieces(whole, at))
    assert at_once.report.decision != "failed"
    assert seen(streamed) == seen(at_once)
    assert SECRET not in streamed.text


@given(text=prose, at=cuts, how=settings)
def test_a_text_is_the_same_in_any_chunks(text: str, at: list[int], how: dict[str, object]) -> None:
    assert_the_same(text, at, how)


@given(text=records, at=cuts, how=settings)
def test_json_is_the_same_in_any_chunks(text: str, at: list[int], how: dict[str, object]) -> None:
    assert_the_same(text, at, how)


@given(text=lines, at=cuts, how=settings)
def test_ndjson_is_the_same_in_any_chunks(text: str, at: list[int], how: dict[str, object]) -> None:
    assert_the_same(text, at, how)


@given(text=elements, at=cuts, how=settings)
def test_xml_is_the_same_in_any_chunks(text: str, at: list[int], how: dict[str, object]) -> None:
    assert_the_same(text, at, how)


@given(data=st.builds(bytes.__mul__, st.binary(max_size=200), long), at=cuts, how=settings)
def test_bytes_are_the_same_in_any_chunks(data: bytes, at: list[int], how: dict[str, object]) -> None:
    assert_the_same(data, at, how)


@given(text=prose, at=cuts, how=settings)
def test_an_async_stream_is_the_same(text: str, at: list[int], how: dict[str, object]) -> None:
    assume(len(text) < 60_000)

    async def chunks() -> AsyncIterator[str | bytes]:
        for piece in pieces(text.encode(), at):
            yield piece

    streamed = asyncio.run(spill_of(how).afit(chunks()))
    assert seen(streamed) == seen(spill_of(how).fit(text.encode()))


@pytest.mark.parametrize("border", range(len(SECRET) + 1))
def test_a_secret_across_two_chunks_is_seen_whole(border: int) -> None:
    spill = Overspill({"tools.truncation.inline_limit": 100}, MemoryStore())
    filler = "a line of a log\n" * 200
    fitted = spill.fit_stream([filler + "key " + SECRET[:border], SECRET[border:] + "\n" + filler])
    kept = spill.get(str(fitted.artifact_id), limit=0).text
    assert kept == filler + "key [REDACTED: API_KEY]\n" + filler
    assert fitted.report.redacted == {"github-pat": 1}
