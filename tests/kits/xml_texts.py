"""XML as tools write it: elements of any shape, a report of many tests, and whether a text is well-formed."""

from xml.parsers.expat import ExpatError, ParserCreate

from hypothesis import strategies as st

from documents import repeated

names = st.sampled_from(["item", "entry", "x:y", "box", "suite-", "a--b", "größe", "s"])
plain = st.one_of(
    st.text(st.sampled_from("ab &<>é\u0301👨‍👩‍👧‍👦 \n]\"'"), max_size=30),
    st.sampled_from(["&", "x", "é", "👨‍👩‍👧‍👦", "]", "a\u0301"]).map(lambda text: text * 300),
)
escaped = plain.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
texts = st.one_of(
    escaped,
    escaped,
    plain.map(lambda text: f"<![CDATA[{text.replace(']]>', '')}]]>"),
    plain.map(lambda text: f"<!--{text.replace('-', '')}-->"),
    plain.map(lambda text: f"<?p {text.replace('?', '')}?>"),
    st.just("&#x0041;" * 200),
)
attributes = st.sampled_from(["", "", ' a="1"', " b='/>'", '\n c=">"  ', ' d="<"'.replace("<", "&lt;")])


@st.composite
def _element(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    name, attribute = draw(names), draw(attributes)
    content = "".join(draw(repeated(st.lists(inner, max_size=4))))
    if not content and draw(st.booleans()):
        return f"<{name}{attribute}/>"
    return f"<{name}{attribute}>{content}</{name}{draw(st.sampled_from(['', ' ']))}>"


elements = st.recursive(_element(texts), lambda inner: _element(st.one_of(texts, inner, inner)), max_leaves=12)


def is_well_formed(text: str) -> bool:
    try:
        ParserCreate("utf-8").Parse(text.encode(), True)
    except ExpatError:
        return False
    return True


def report(cases: int, output: str = "") -> str:
    rows = "\n".join(
        f'    <testcase name="test_{index}" time="0.01"><system-out><![CDATA[{output}]]></system-out></testcase>'
        for index in range(cases)
    )
    suite = f'  <testsuite name="s" tests="{cases}">\n{rows}\n  </testsuite>'
    return f'<?xml version="1.0"?>\n<testsuites>\n{suite}\n</testsuites>\n'
