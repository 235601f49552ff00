"""Texts that have broken somebody's truncation: generators for every property test."""

from hypothesis import strategies as st

MARKS = [
    "... [12 lines / 345 chars omitted] ...",
    "[Artifact: art_1699234567890_abc] text/plain, 9 lines (1.0 KB)",
    '[original 9 chars (~3 tokens); omitted part: get_artifact(id="art_1_a")]',
    "[art_1699234567890_abc]",
    "...",
    "x ... [1 lines / 2 chars omitted] ... y",
]
CLUSTERS = [
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f1e9\U0001f1ea",
    "e\u0301\u0323",
    "\u1112\u1161\u11ab",
    "\U0001f44d\U0001f3fd",
    "\u0628\u064e",
    "\u202b\u05e9\u05dc\u05d5\u05dd\u202c",
]
words = st.one_of(
    st.sampled_from(["", "a", "ERROR", "value=42", "x" * 300, "word " * 30, *CLUSTERS, *MARKS]),
    st.text(max_size=12),
    st.text("\u4e16\u754c\u518d\u89c1", min_size=1, max_size=20),
)
line_ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "", "\n\n"])
lines = st.builds(str.__add__, words, line_ends)
repeated = st.builds(str.__mul__, lines, st.integers(0, 60))
texts = st.lists(st.one_of(lines, repeated), max_size=12).map("".join).map(lambda text: text.replace("\0", "0"))
long_texts = st.builds(lambda text, times: text * times, texts.filter(bool), st.integers(1, 40))
budgets = st.one_of(st.integers(1, 63), st.integers(64, 400), st.integers(400, 20_000))
