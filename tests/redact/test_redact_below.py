"""Secrets on the lines below their name: block scalars of YAML, and secrets of a cluster."""

import json
from base64 import b64encode
from functools import cache
from itertools import pairwise

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from overspill.core import count_lines
from overspill.redact import Redactor, scan_database
from overspill.redact.multiline import HELD
from overspill.redact.rules import made_up_value


@cache
def redactor(engine: str = "hyperscan") -> Redactor:
    return Redactor(database=scan_database()) if engine == "hyperscan" else Redactor(use=engine)


def coded(value: str) -> str:
    return b64encode(value.encode()).decode()


WORDS = ["tiger", "opensesame", made_up_value("<A24>"), made_up_value("<W40>", 2)]
SECRET = {
    "apiVersion": "v1",
    "data": {"user": coded(WORDS[0]), "tls.crt": coded(WORDS[3] * 9), "empty": ""},
    "kind": "Secret",
    "metadata": {"name": "db", "labels": {"app": "web-1"}},
    "type": "Opaque",
}
CONFIG = {**SECRET, "kind": "ConfigMap"}
TEXTS = {
    "yaml": yaml.safe_dump(SECRET),
    "kind first": yaml.safe_dump({"kind": "Secret", "metadata": {}, "data": SECRET["data"]}, sort_keys=False),
    "strings": yaml.safe_dump({"kind": "Secret", "metadata": {}, "stringData": {"a": WORDS[1], "b": WORDS[0]}}),
    "list": yaml.safe_dump({"apiVersion": "v1", "items": [SECRET, SECRET], "kind": "List"}),
    "json": json.dumps(SECRET),
    "pretty json": json.dumps({"items": [SECRET]}, indent=4),
    "json, kind first": json.dumps({"kind": "Secret", "metadata": {"x": {}}, "stringData": {"a": WORDS[1]}}),
    "json in json": json.dumps({"last-applied": json.dumps(SECRET), "pretty": json.dumps(SECRET, indent=1)}),
    "lines end in two": yaml.safe_dump(SECRET).replace("\n", "\r\n"),
    "a scalar": "kind: Secret\nstringData:\n  conf: |\n    one {2}\n\n    two {1}\n  b: >-\n    {1}\n".format(*WORDS),
    "cut off": f"apiVersion: v1\ndata:\n  a: {coded(WORDS[1])}\n",
    "cut off in a line": f"apiVersion: v1\ndata:\n  a: {coded(WORDS[1])}\n  b: {coded(WORDS[2])[:-3]}",
    "a key": "kind: Secret\nstringData:\n  k: |\n    x\n    -----BEGIN PRIVATE KEY-----\n    "
    + made_up_value("<B64>\n    <B64>\n    -----END PRIVATE KEY-----\n"),
}  # fmt: skip
LOOK_ALIKES = {
    "settings in a row": "DHE-PSK-AES256  TLSv1.2 Kx=DHEPSK   Au=PSK   Enc=AESGCM(256)   Mac=AEAD\n",
    "config": yaml.safe_dump(CONFIG),
    "config, kind first": yaml.safe_dump({"kind": "ConfigMap", "data": CONFIG["data"]}, sort_keys=False),
    "config in json": json.dumps(CONFIG, indent=2),
    "two documents": "kind: Secret\n---\ndata:\n  a: bm9uZQ==\nkind: ConfigMap\n",
    "another kind": yaml.safe_dump({**SECRET, "kind": "SealedSecret"}),
    "a template": "kind: Secret\ndata:\n  a: {{ .Values.a | b64enc }}\n  b: ${B}\n  c: <base64>\n",
    "a reference": "kind: Secret\nname: db\noptional: true\n",
    "an answer": '{"data": {"id": "abcd", "name": "user"}, "meta": {"kind": "Secret"}}',
    "prose": "The kind: Secret\nis told by data:\n  that stands below.\n",
    "a mail": "reset_password: |\n  Hello {{name}},\n  your password was reset.\n",
    "a script": "run: |\n  " + made_up_value("<A24>\n"),
    "an object": "token:\n  type: string\n  example: none\n",
    "a list": "secrets:\n  - db-credentials-1\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("engine", ["hyperscan", "re2", "re"])
def test_every_value_of_a_secret_of_a_cluster_is_hidden(name: str, engine: str) -> None:
    text = TEXTS[name]
    result = redactor(engine).redact(text)
    for word in WORDS:
        assert word not in result.text
        assert coded(word) not in result.text
    assert result.counts["kubernetes-secret"] > 0
    assert count_lines(result.text) == count_lines(text)
    assert redactor(engine).redact(result.text).text == result.text


@pytest.mark.parametrize("name", [name for name in TEXTS if "json" not in name])
def test_a_manifest_in_yaml_still_parses_and_keeps_its_names(name: str) -> None:
    before, after = yaml.safe_load(TEXTS[name]), yaml.safe_load(redactor().redact(TEXTS[name]).text)
    assert list(before) == list(after)
    assert {*before.get("data", {})} == {*after.get("data", {})}
    assert before.get("metadata") == after.get("metadata")


@pytest.mark.parametrize("name", [name for name in TEXTS if "json" in name])
def test_a_manifest_in_json_still_parses(name: str) -> None:
    after = json.loads(redactor().redact(TEXTS[name]).text)
    if name == "json in json":
        assert json.loads(after["last-applied"])["data"]["user"] == "[REDACTED: SECRET]"
        assert json.loads(after["pretty"])["data"]["user"] == "[REDACTED: SECRET]"


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_only_looks_like_one_stays(name: str) -> None:
    assert redactor().redact(LOOK_ALIKES[name]).text == LOOK_ALIKES[name]


@pytest.mark.parametrize("sign", ["|", ">", "|-", ">+", "|2", "| # mine"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_block_scalar_under_a_secret_name_is_hidden_line_by_line(sign: str, end: str) -> None:
    value = made_up_value("<A30>")
    text = end.join(["db:", f"  password: {sign}", f"    {value}", "", f"    {value[::-1]}", "  port: 5432", ""])
    result = redactor().redact(text).text
    assert result == end.join(["db:", f"  password: {sign}", "    [REDACTED: PASSWORD]", "", "", "  port: 5432", ""])
    assert yaml.safe_load(result)["db"]["port"] == 5432
    assert "REDACTED: PASSWORD" in yaml.safe_load(result)["db"]["password"]


@pytest.mark.parametrize(
    "text",
    ["api_token:\n  {}\n", '"client_secret":\n  "{}",\n', "- auth-token: >\n    {}\n", "password:\r\n  '{}'\r\n"],
)
def test_a_value_on_the_line_below_its_name_is_hidden(text: str) -> None:
    value = made_up_value("<A24>")
    result = redactor().redact(text.format(value)).text
    assert value not in result
    assert count_lines(result) == count_lines(text)


pieces = st.sampled_from([*TEXTS.values(), *LOOK_ALIKES.values(), f"password: |\n  {WORDS[2]}\n  {WORDS[3]}\n"])
between = st.sampled_from(
    ["", "\n", "---\n", "  ", "- ", "x\n", "\r\n", "data:\n", "kind: Secret\n", '"data": {', "}", ", "]
)
texts = st.lists(st.tuples(pieces, between).map("".join), min_size=1, max_size=4).map("".join)


@given(text=texts, cuts=st.lists(st.integers(0, 5000), max_size=8), drop=st.integers(0, 300))
def test_pieces_engines_and_a_second_time_make_no_difference(text: str, cuts: list[int], drop: int) -> None:
    text = text[drop:]
    whole = redactor().redact(text)
    assert redactor("re").redact(text) == whole
    assert count_lines(whole.text) == count_lines(text)
    assert redactor().redact(whole.text).text == whole.text
    stream = redactor().stream()
    bounds = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    assert "".join(stream.feed(text[a:b]) for a, b in pairwise(bounds)) + stream.flush() == whole.text
    stream = redactor().stream()
    assert "".join(map(stream.feed, text)) + stream.flush() == whole.text


def test_no_more_is_held_than_a_secret_of_a_cluster_may_be() -> None:
    line = f"  a: {coded(WORDS[3])}\n"
    stream = redactor().stream()
    assert stream.feed("apiVersion: v1\ndata:\n" + line * 100) == ""
    out = stream.feed(line * (HELD // len(line) + 100))
    assert out.count("[REDACTED: SECRET]") > HELD // len(line) - 100
    assert coded(WORDS[3]) not in out[: HELD // 4]
