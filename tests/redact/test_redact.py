"""What redaction promises, whatever the text, the engine and the pieces it comes in."""

import json
import threading
import tracemalloc
from base64 import b64encode
from functools import cache
from hashlib import sha256
from itertools import pairwise
from urllib.parse import quote, urlsplit

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from overspill.core import count_lines
from overspill.errors import ConfigError
from overspill.redact import RULES, Redactor, redact_text, scan_database, secret_variables, secrets_of
from overspill.redact import names as judged
from overspill.redact.redactor import known_values
from overspill.redact.rules import made_up_value


@cache
def redactor(engine: str = "hyperscan") -> Redactor:
    return Redactor(database=scan_database()) if engine == "hyperscan" else Redactor(use=engine)


every_engine = pytest.mark.parametrize("engine", ["hyperscan", "re2", "re"])

KEY = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"
SECRETS = [made_up_value(rule.yes, seed) for rule in RULES for seed in (1, 2)] + [
    KEY.format("\n".join(made_up_value(f"<B64>{n}")[:64] for n in range(6))),
    KEY.format("\r\n".join(made_up_value(f"<B64>{n}")[:64] for n in range(3))).replace("-----\n", "-----\r\n"),
    "  -----BEGIN OPENSSH PRIVATE KEY-----\n  "
    + made_up_value("<B70>")
    + "\n  "
    + made_up_value("<B70>")
    + "\nnext line\n",
    "-----BEGIN PRIVATE KEY-----\n\n",
    'AWS_SECRET_ACCESS_KEY="' + made_up_value("<A40>") + '"',
    "[REDACTED: PASSWORD]",
    "password=[REDACTED: API_KEY-2] = 12ab34cd56ef",
    "user:REDACTED_PASSWORD@host",
]
# Between two secrets stands something that is no letter: glued together they would be a third thing.
between = st.sampled_from(
    [
        "\n",
        "\r\n",
        "\r",
        " ",
        ",",
        '"',
        "'",
        "\\n",
        "é ",
        "\U0001d518 ",
        "=",
        ": ",
        " password=",
        "\ntoken: ",
        " https://",
        "@",
        " -----BEGIN ",
    ]
)
noise = st.text(alphabet="ab1 =:\"'\\\n\r{}[],;&?#/.-_@%é\x1b", max_size=12)
pieces = st.lists(st.tuples(st.one_of(st.sampled_from(SECRETS), noise), between).map("".join), max_size=9)
texts = pieces.map("".join)


def cut(text: str, places: list[int]) -> list[str]:
    bounds = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[a:b] for a, b in pairwise(bounds)]


@given(text=texts, places=st.lists(st.integers(0, 10_000), max_size=12))
def test_chunking_makes_no_difference(text: str, places: list[int]) -> None:
    whole = redactor().redact(text)
    stream = redactor().stream()
    given_out = "".join(stream.feed(piece) for piece in cut(text, places)) + stream.flush()
    assert given_out == whole.text
    assert stream.counts == whole.counts


@given(text=texts)
def test_single_characters_make_no_difference(text: str) -> None:
    stream = redactor().stream()
    assert "".join(map(stream.feed, text)) + stream.flush() == redactor().redact(text).text


@given(text=texts)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redactor().redact(text).text
    assert redactor().redact(once).text == once


@given(text=texts)
def test_the_engines_agree(text: str) -> None:
    assert redactor("hyperscan").redact(text) == redactor("re2").redact(text) == redactor("re").redact(text)


@given(text=texts)
@example(
    text="-----BEGIN RSA PRIVATE KEY-----\r\n"
    + "zc2Kq/sc3AaNvMBpwiEauh/lZXqYR78S\r\n" * 3
    + "-----END RSA PRIVATE KEY-----\n"
)
def test_no_line_is_lost(text: str) -> None:
    assert count_lines(redactor().redact(text).text) == count_lines(text)


names = st.sampled_from(["password", "api_key", "client-secret", "note", "url", "headers", "pin", "token"])
members = st.one_of(st.sampled_from(SECRETS), noise, st.integers(0, 10**12), st.none(), st.booleans())
documents = st.recursive(
    members,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)


@given(document=documents, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_json_still_parses_and_keeps_its_names(document: object, indent: int | None, *, ascii_only: bool) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    assert shape(json.loads(redactor().redact(text).text)) == shape(document)


@given(document=documents)
@example(document={"password": [100]})
def test_json_within_json_still_parses(document: object) -> None:
    text = json.dumps({"body": json.dumps(document)})
    assert shape(json.loads(json.loads(redactor().redact(text).text)["body"])) == shape(document)


def shape(value: object) -> object:
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    return [shape(member) for member in value] if isinstance(value, list) else None


@pytest.mark.parametrize("value", ["<A16>", '"<A16>"', "'<A16>'", "<A16> # a comment"])
def test_yaml_still_parses(value: str) -> None:
    text = f"db:\n  user: app\n  password: {made_up_value(value)}\n  port: 5432\n"
    parsed = yaml.safe_load(redactor().redact(text).text)
    assert "REDACTED" in str(parsed["db"]["password"])
    assert parsed["db"]["port"] == 5432


@pytest.mark.parametrize(
    "address",
    [
        "postgres://app:<A16>@db.internal:5432/app?sslmode=require",
        "https://ghp_<A36>@github.com/acme/x.git",
        "https://ghp_<A36>:x-oauth-basic@github.com/acme/x.git",
        "https://x-access-token:ghs_<A36>@github.com/acme/x.git",
        "redis://:<A20>@cache:6379/0",
        "https://api.example.com/v1?page=2&access_token=<A24>&limit=5",
        "https://hooks.slack.com/services/T<U10>/B<U10>/<A24>",
    ],
)
def test_an_address_still_parses_and_leads_to_the_same_place(address: str) -> None:
    before = made_up_value(address)
    after = redactor().redact(before).text
    assert after != before
    assert urlsplit(after).hostname == urlsplit(before).hostname
    assert urlsplit(after).port == urlsplit(before).port


def test_the_second_secret_of_a_type_gets_a_number_and_equal_ones_share_it() -> None:
    one, two = made_up_value("ghp_<A36>", 1), made_up_value("ghp_<A36>", 2)
    assert redactor().redact(f"{one} {two} {one} {two}").text == (
        "[REDACTED: API_KEY] [REDACTED: API_KEY-2] [REDACTED: API_KEY] [REDACTED: API_KEY-2]"
    )


def test_numbers_end_at_999_and_later_secrets_share_the_last() -> None:
    text = "".join(made_up_value("ghp_<A36>\n", seed) for seed in range(1_010))
    lines = redactor().redact(text).text.splitlines()
    assert lines[998] == lines[1_005] == "[REDACTED: API_KEY-999]"


def test_a_private_key_leaves_its_placeholder_on_the_first_line_and_empty_lines_after() -> None:
    key = KEY.format("\n".join(made_up_value(f"<B64>{n}")[:64] for n in range(3)))
    assert redactor().redact(f"a\n{key}\nb\n").text == "a\n[REDACTED: PRIVATE_KEY]\n\n\n\n\nb\n"


def test_a_private_key_that_is_cut_off_ends_where_its_lines_end() -> None:
    text = "-----BEGIN PRIVATE KEY-----\n" + made_up_value("<B64>\n<B64>\n<B20>\n") + "connection refused\n"
    assert redactor().redact(text).text == "[REDACTED: PRIVATE_KEY]\n\n\n\nconnection refused\n"


@pytest.mark.parametrize("prefix", ["+", "    ", "> ", "web_1  | ", "# "])
def test_a_private_key_is_found_behind_a_prefix_on_every_line(prefix: str) -> None:
    lines = KEY.format("\n".join(made_up_value(f"<B64>{n}")[:64] for n in range(3))).split("\n")
    text = "".join(f"{prefix}{line}\n" for line in lines)
    assert redactor().redact(text).text == f"{prefix}[REDACTED: PRIVATE_KEY]\n\n\n\n\n"


def test_a_line_that_only_names_a_private_key_stays() -> None:
    text = 'if "-----BEGIN PRIVATE KEY-----" in text:\n    raise ValueError\n'
    assert redactor().redact(text).text is text


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "password: ${DB_PASSWORD}",
        "api_key=<your-key>",
        "token = os.environ['TOKEN']",
        "Password: ********",
        'password = "changeme"',
        "def login(user, password=None): ...",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        '"integrity": "sha512-' + made_up_value("<B86>") + '=="',
        "id: 3f4f079c-ec7f-4e1c-8fee-5f91fb878563",
        "next_page_token: " + made_up_value("<A40>"),
        "X" * 100_000,
        "secretName: db-credentials-v2",
        "tokenizer = AutoTokenizer.from_pretrained('acme/base-v2')",
        "primary_key: user_id_2024",
        "The key takeaway: measure twice.",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redactor().redact(text).text is text


@pytest.mark.parametrize(
    "text",
    [
        'db_password = "<A14>"',
        "export DB_PASSWORD=<A14>",
        '{\\"password\\": \\"<A14>\\"}',
        "const apiKey: string = '<A32>';",
        "+  client_secret: <A40>",
        "acme_key = <H32>",
        "acme TOKEN <A32>",
        "--password <A12>",
        "Server=db;Uid=app;Pwd=<A14>;",
        "<password><A14></password>",
        '<add key="Password" value="<A14>"/>',
        "- name: DB_PASSWORD\n  value: <A14>",
        '"db_password": {\n  "value": "<A16>"',
        "machine x login y\npassword <A14>",
        "Authorization: Basic <A24>",
        "Cookie: a=b; sessionid=<A32>",
        'auths: {"r.io": {"auth": "<A32>"}}',
        "client-key-data: <A64>",
        "setPassword('<A14>', 'x')".replace("('", "', '"),
        "//registry.example.com/:_authToken=<UUID>",
        "SECRET_KEY_BASE=<H128>",
    ],
)
@every_engine
def test_a_value_beside_its_name_is_hidden_and_the_name_stays(text: str, engine: str) -> None:
    for seed in range(4):
        filled = made_up_value(text, seed)
        redacted = redactor(engine).redact(filled)
        assert "REDACTED" in redacted.text, filled
        assert sum(redacted.counts.values()) == 1


def test_a_known_value_is_found_in_every_spelling() -> None:
    value = 'tr0ub4dor&3 "horse"'
    eyes = Redactor(known={"VAULT_PASS": value}, use="re")
    for spelling in (
        value,
        quote(value),
        json.dumps(value),
        b64encode(value.encode()).decode(),
        b64encode(f"me:{value}".encode()).decode(),
    ):
        assert "[REDACTED: VAULT_PASS]" in eyes.redact(f"x={spelling}\n").text, spelling


@pytest.mark.parametrize("value", ["short1", "production", "/usr/local/bin", "1234567890", "true", "False"])
def test_words_paths_numbers_and_booleans_are_no_known_values(value: str) -> None:
    text = f"x {value} y"
    assert Redactor(known={"A_SECRET": value}, use="re").redact(text).text is text


def test_the_longer_of_two_known_values_is_hidden_whole() -> None:
    eyes = Redactor(known={"A": "hunter2hunter2", "B": "hunter2hunter2-and-more-9"}, use="re")
    assert eyes.redact("x hunter2hunter2-and-more-9 y").text == "x [REDACTED: B] y"


def test_only_variables_with_secret_names_are_taken_from_the_environment() -> None:
    assert set(secret_variables({"PATH": "/bin", "API_KEY": "x", "NPM_TOKEN": "y", "TOKEN_URL": "z"})) == {
        "API_KEY",
        "NPM_TOKEN",
    }


def test_a_directory_with_a_line_end_in_its_name_is_no_password() -> None:
    environ = {"PWD": "/srv/two\nlines of words", "OLDPWD": "/srv/other\nlines of words", "DB_PWD": "/x8Kq2\nZr41LmQ9v"}
    assert set(secrets_of(environ)) == set(secret_variables(environ)) == {"DB_PWD"}


def test_an_allowed_value_stays_by_digest_and_by_pattern() -> None:
    token = made_up_value("ghp_<A36>")
    digest = sha256(token.encode()).hexdigest()
    assert Redactor(allow=[f"sha256:{digest}"]).redact(token).text == token
    assert Redactor(allow=["ghp_[A-Za-z0-9]{36}"]).redact(token).text == token


def test_an_own_rule_hides_its_group_and_is_counted_by_name() -> None:
    eyes = Redactor(rules=[{"name": "badge", "type": "BADGE", "pattern": r"badge-(\d{6})"}])
    result = eyes.redact("badge-123456 and badge-12")
    assert result.text == "badge-[REDACTED: BADGE] and badge-12"
    assert result.counts == {"badge": 1}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rules": [{"name": "Bad Name", "type": "X", "pattern": "abc"}]}, "small letters"),
        ({"rules": [{"name": "a", "type": "x]", "pattern": "abc"}]}, "capitals"),
        ({"rules": [{"name": "a", "type": "X", "pattern": "a("}]}, "no pattern of google-re2"),
        ({"rules": [{"name": "a", "type": "X", "pattern": "a*"}]}, "hide everything"),
        ({"rules": [{"name": "a", "type": "X"}]}, "has no pattern"),
        ({"rules": [{"name": "a", "type": "X", "pattern": "abc", "entropy": 3}]}, "unknown key 'entropy'"),
        ({"rules": [{"name": "jwt", "type": "X", "pattern": "abc"}]}, "already a rule"),
        ({"off": ["no-such-rule"]}, "no rule called 'no-such-rule'"),
        ({"allow": [".*"]}, "matches anything"),
        ({"generic": "sometimes"}, "none of off, near_keyword, all"),
        ({"patterns": "mine"}, "none of default, spec"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_reason(options: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Redactor(**options)  # type: ignore[arg-type]  # wrong on purpose


def test_a_rule_can_be_switched_off() -> None:
    text = made_up_value("x ghp_<A36>")
    assert Redactor(off=["github-pat"]).redact(text).text == text


@pytest.mark.parametrize("generic", ["off", "near_keyword", "all"])
def test_the_generic_rule_never_hides_hashes_ids_paths_or_names(generic: str) -> None:
    text = "\n".join([
        made_up_value("<H40> <H64> <UUID>"), "sha256:" + made_up_value("<H64>"),
        "/usr/lib/python3/some/Long/Path1/With2/Parts3",
        "com.example.SomeVeryLongIdentifierForAClass$Inner", "-" * 80, "integrity sha512-" + made_up_value("<B86>"),
    ])  # fmt: skip
    assert Redactor(generic=generic, use="re").redact(text).text == text


def test_the_generic_rule_hides_an_opaque_token_where_it_is_switched_on() -> None:
    token = made_up_value("<A43>")
    assert Redactor(generic="all").redact(f'send("{token}")').text == 'send("[REDACTED: SECRET]")'
    assert Redactor(generic="near_keyword").redact(f'send("{token}")').text == f'send("{token}")'
    assert token not in Redactor(generic="near_keyword").redact(f"your new key is {token}").text


def test_why_names_rule_place_and_reason_but_never_the_value() -> None:
    secret = made_up_value("<A16>")
    (why,) = redactor().why(f"one\ntwo password={secret}\n")
    assert (why.rule, why.type, why.line, why.column) == ("assignment", "PASSWORD", 2, 14)
    assert secret not in str(why)


def test_a_token_without_end_is_hidden_in_flat_memory_and_what_follows_is_read() -> None:
    stream = redactor().stream()
    out = [stream.feed("x eyJ" + made_up_value("<A60>"))]
    tracemalloc.start()
    out.extend(stream.feed(made_up_value("<A60>") * 300) for _ in range(300))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    out.append(stream.feed(" password=" + made_up_value("<A16>") + "\n"))
    assert "".join(out) + stream.flush() == "x [REDACTED: JWT_TOKEN] password=[REDACTED: PASSWORD]\n"
    assert peak < 3_000_000


def test_a_long_line_gives_the_same_in_any_pieces() -> None:
    unit = "a,b;" * 5_000 + f" token={made_up_value('<A30>')} " + made_up_value("sk-ant-api03-<W93>AA") + " x=1 "
    text = unit * 20
    whole = redactor().redact(text).text
    for size in (1_000, 65_537, 200_001):
        stream = redactor().stream()
        assert "".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size)) + stream.flush() == whole
    assert whole.count("REDACTED") == 40


def test_a_line_that_costs_too_much_is_hidden_and_said() -> None:
    text = "see " + "password=" * 100_000 + "\nnext\n"
    result = redactor().redact(text)
    assert result.incomplete
    assert "[REDACTED: UNEXAMINED]" in result.text
    assert result.text.endswith("\nnext\n")
    assert result.counts["unexamined"] == 1


def test_threads_share_one_redactor() -> None:
    text = made_up_value("token=<A32>\n") * 2_000
    expected = redactor().redact(text).text
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(redactor().redact(text).text)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_redact_text_is_the_short_way() -> None:
    assert redact_text("password=h7Xk2pQ9 x") == "password=[REDACTED: PASSWORD] x"


NAME_PARTS = sorted(
    {"key", "auth", "api", "primary", "value", "old", "2", "public", "page", "PassWord", "acme"}
    | judged._PASSWORDS | judged._TOKENS | judged._KEYS | {*judged._SUFFIXES, *judged._TOKEN_SUFFIXES}
)  # fmt: skip


@given(st.lists(st.sampled_from(NAME_PARTS), min_size=1, max_size=4), st.sampled_from(["_", "", "-", "."]))
@example(["psk"], "_")
@example(["acme", "pat"], "_")
@example(["acme", "pepper"], ".")
def test_no_variable_that_promises_a_secret_is_passed_over(parts: list[str], joint: str) -> None:
    environ = {joint.join(parts): "hunter2hunter2", joint.join(parts).upper(): "hunter3hunter3"}
    assert secrets_of(environ) == secret_variables(environ)


@given(st.sampled_from(["DB_PASSWORD", "PWD"]), st.text("/~.ab1\n ", max_size=24))
def test_no_value_worth_looking_for_is_passed_over(name: str, value: str) -> None:
    assert known_values(secrets_of({name: value})) == known_values(secret_variables({name: value}))


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mpassword\x1b[0m=\x1b[32m{}\x1b[0m\n",
        "\x1b[1mtoken\x1b[0m: {}\x1b[0m\n",
        "Authorization: Bearer \x1b[38;5;208m{}\x1b[K\n",
        "\x1b]0;title\x07export DB_PASSWORD=\x1b[4m{}\x1b[24m\n",
    ],
)
def test_a_secret_with_terminal_codes_around_and_inside_it_is_found(text: str) -> None:
    value = made_up_value("<A24>")
    coded = f"{value[:9]}\x1b[7m{value[9:]}"
    for spelling in (value, coded):
        result = redactor().redact(f"before\n{text.format(spelling)}after").text
        assert value[:9] not in result
        assert value[9:] not in result
        assert result.startswith("before\n")
        assert result.endswith("after")


@given(text=texts, places=st.lists(st.integers(0, 10_000), min_size=1, max_size=8))
def test_terminal_codes_change_nothing_about_chunking(text: str, places: list[int]) -> None:
    coded = "\x1b[1m".join(cut(text, places))
    stream = redactor().stream()
    assert "".join(map(stream.feed, cut(coded, places[::-1]))) + stream.flush() == redactor().redact(coded).text
