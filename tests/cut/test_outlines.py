"""YAML by its keys: read as a parser of all of YAML reads it, or not at all; told so that it can be counted again."""

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from truth import false_statements

from overspill import MemoryStore, Overspill
from overspill.cut.digest.outlines import NotPlainYaml, OutlineCollector, OutlineDigest, parse_yaml, share_of

PODS = yaml.safe_dump(
    {
        "apiVersion": "v1",
        "items": [
            {
                "kind": "Pod",
                "metadata": {"name": f"web-{at}", "labels": {"app": "web", "tier": "db" if at == 7 else "front"}},
                "spec": {"containers": [{"image": f"web:1.{at % 3}", "ports": [80, 443]}], "replicas": at * 3},
                "status": {"phase": "Failed" if at == 9 else "Running", "note": "it's: a 'quoted' #text"},
            }
            for at in range(40)
        ],
        "kind": "List",
    }
)
SERVICES = yaml.safe_dump(
    {"version": "3", "services": {f"svc_{at}": {"image": f"img:{at}", "restart": "always"} for at in range(20)}}
)


def as_text(value: object) -> object:
    """A tree with every scalar as a text; texts of many lines, which are not read, as an empty object."""
    if isinstance(value, dict):
        return {str(key): as_text(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_text(one) for one in value]
    return str(value)


@pytest.mark.parametrize("text", [PODS, SERVICES, f"---\n{SERVICES}---\n{SERVICES}"])
@pytest.mark.parametrize("room", [600, 2_000, 5_000])
def test_what_is_said_of_keys_is_true(text: str, room: int) -> None:
    """19: nested documents, every key path named once with counts."""
    view = Overspill(store=MemoryStore(), preset="agent").fit(text, strategy="smart", budget=room).text
    assert false_statements(text, view) == []


def test_lists_and_like_members_are_told_by_the_way_to_them() -> None:
    collector = OutlineCollector()
    collector.add(PODS.split("\n"))
    digest = collector.digest()
    assert digest is not None
    said = digest.statements(4_000)
    assert "[3 keys: apiVersion, items, kind]" in said
    assert "[items.status.phase: Failed, Running 39]" in said
    assert any(
        words.startswith("[items: 40 items; all: items.kind=Pod, items.metadata.labels.app=web") for words in said
    )
    collector = OutlineCollector()
    collector.add(SERVICES.split("\n"))
    digest = collector.digest()
    assert digest is not None
    assert "[services.*: 20 objects; all: services.*.restart=always]" in digest.statements(4_000)


scalars = st.one_of(
    st.sampled_from(
        ["a", "b c", "it's", "x: y", "- z", "#no", "a #b", "", "007", "1e3", "true", "~", "*p", "&q", "{}"]
    ),
    st.integers(-9_999, 9_999),
    st.booleans(),
    st.text("ab :#-'\"[]{},&*!|>%@`?\\\n", max_size=9),
)
names = st.sampled_from(["name", "a b", "/p/{id}", "x-y", "1", "on", "'q'", "k:v", "#k", "- i"])
keys = names | st.text("ab-:'# ", max_size=5)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=25,
)


@given(trees, st.sampled_from([None, False]), st.booleans(), st.integers(20, 90))
@example([{":#": []}], None, False, 20)
def test_yaml_is_read_as_a_parser_reads_it_or_not_at_all(
    tree: object, flow: bool | None, wide: bool, width: int
) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, width=9_999 if wide else width, sort_keys=False)
    try:
        found = parse_yaml(text.split("\n"))
    except NotPlainYaml:
        return
    known = yaml.load(text, yaml.BaseLoader)
    assert as_text(found) == without_blocks(as_text(known), found)


def without_blocks(known: object, found: object) -> object:
    """What is known, with `{}` where a text of many lines was left aside."""
    if found == {} and isinstance(known, str) and "\n" in known:
        return {}
    if isinstance(known, dict) and isinstance(found, dict):
        return {key: without_blocks(one, found.get(key)) for key, one in known.items()}
    if isinstance(known, list) and isinstance(found, list) and len(known) == len(found):
        return [without_blocks(one, two) for one, two in zip(known, found, strict=True)]
    return known


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: !tag x\n",
        "? a\n: b\n",
        "a:\n\tb: 1\n",
        "a: 1\na: 2\n",
        "a: {b: {c: 1}}\n",
        "a: [1,\n  2]\n",
        'a: "b\n',
        "a: b: c\n  d: e\nnot a key\n",
    ],
)
def test_what_is_not_plain_is_not_read(text: str) -> None:
    with pytest.raises(NotPlainYaml):
        parse_yaml(text.split("\n"))


def test_prose_and_logs_and_flat_settings_are_no_outline() -> None:
    assert share_of(["It was: late.", "  And dark.", "Nobody came."] * 9) < 0.8
    assert share_of([f"10:{at}: INFO done" for at in range(60)]) < 0.8
    assert share_of([f"key_{at}: {at}" for at in range(60)]) == 0.0


def test_rows_of_yaml_are_named_in_which_something_is_another_one_however_deep_it_stands() -> None:
    rows = [
        f"- metadata:\n    name: web-{at}\n  status:\n    phase: {'Pending' if at == 17 else 'Running'}\n"
        for at in range(60)
    ]
    text = "kind: List\nitems:\n" + "".join(rows)
    said = OutlineDigest(parse_yaml(text.split("\n"))).statements(900)
    assert "[items.metadata.name with items.status.phase: web-17 Pending, +59]" in said
    assert false_statements(text, "\n".join([*said, text])) == []
    false = "[items.metadata.name with items.status.phase: web-18 Pending, +59]"
    assert false_statements(text, f"{false}\n{text}") != []
