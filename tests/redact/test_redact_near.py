"""What was drawn at random and stands near a word for secrets is one, in whatever form it is said."""

import random
import string
from functools import cache
from itertools import pairwise

import pytest

from overspill.redact import Redactor, redact_text, scan_database
from overspill.redact.near_values import drawn_bits
from overspill.redact.rules import made_up_value

PASSWORD, TOKEN = made_up_value("<A12>"), made_up_value("<A32>")


@cache
def redactor() -> Redactor:
    return Redactor(database=scan_database())


@pytest.mark.parametrize(
    "text",
    [
        "Task accounts.reset_password[8f14e45f] received: ('jo', '{p}')\n",
        "my ($user, $password) = qw(jo {p});\n",
        "sqlite> select password from users where name = 'jo';\n{p}\n",
        "{p} is what he typed as a passphrase\n",
        "The password is below.\n\n\n    {p}\n",
        "A senha do banco \u00e9 {p}\n",
        "S: 334 UGFzc3dvcmQ6\nC: {p}\n",
        "*2\r\n$4\r\nAUTH\r\n$12\r\n{p}\r\n",
        "here is the token that I used, ({t})\n",
        "Secret ID    = {t}\n",
        "$ bin/rails secret\n{t}\n",
    ],
)
def test_what_was_drawn_is_hidden_near_a_word_for_secrets(text: str) -> None:
    """Promise 5, in forms that no rule was written for."""
    said = text.replace("{p}", PASSWORD).replace("{t}", TOKEN)
    shown = redact_text(said)
    assert PASSWORD not in shown
    assert TOKEN not in shown
    assert shown.count("\n") == said.count("\n")


@pytest.mark.parametrize(
    "word",
    [
        "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631",
        "\u05e1\u05d9\u05e1\u05de\u05d4",
        "\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19",
        "\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",
        "M\u1eadt kh\u1ea9u",
        "\u043a\u043e\u0434 \u0434\u043e\u0441\u0442\u0443\u043f\u0430",
        "\u6697\u8a3c\u756a\u53f7",
        "cl\u00e9 d'acc\u00e8s",
        "Zugangscode",
        "kata sandi",
        "Slapta\u017eodis",
    ],
)
def test_what_was_drawn_is_hidden_near_words_of_many_languages(word: str) -> None:
    for text in (f"{word}: {PASSWORD}\n", f"jo, {word} {PASSWORD} ok\n"):
        assert [PASSWORD in Redactor(use=engine).redact(text).text for engine in ("re", "re2")] == [False, False]
        assert PASSWORD not in redactor().redact(text).text


NAMES = (
    "pasword", "passwrd", "Passw.", "pass.word", "P/W", "Kennw.", "pass phrase", "pin code", "WPA2", "WPA key",
    "tacacs key", "recovery key", "snmp community", "community string",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_was_drawn_is_hidden_near_other_names_of_passwords(name: str) -> None:
    for text in (f"{name}: {PASSWORD}\n", f'x {name} = "{PASSWORD}"\n', f"the {name} is {PASSWORD}\n"):
        assert [PASSWORD in Redactor(use=engine).redact(text).text for engine in ("re", "re2")] == [False, False]
        assert PASSWORD not in redactor().redact(text).text
    assert redactor().redact(f"the {name} of parseHttpHeader and x86Instr\n").counts == {}


def test_a_line_of_passwords_ends_before_the_tag_that_closes_it() -> None:
    line = "node3:5432:app:repl:{}</programlisting>\n"
    assert redact_text(line.format(PASSWORD)) == line.format("[REDACTED: PASSWORD]")


@pytest.mark.parametrize("text", ['"password\\t{v}"\n', '"user\\tpassword\\njo\\t{v}\\n"\n'])
@pytest.mark.parametrize("value", ["nK29dkLq", "tXk-29.dkLq7", "rq8zTbvKd2"])
def test_an_escape_before_a_value_is_no_part_of_it(text: str, value: str) -> None:
    assert value not in redact_text(text.replace("{v}", value))


@pytest.mark.parametrize("text", ["Your activation code {t} is new\n", "JSESSIONID={t}\n", "x; sessionid={t}; y\n"])
def test_tokens_are_hidden_behind_codes_and_names_of_cookies(text: str) -> None:
    assert TOKEN not in redact_text(text.format(t=TOKEN))
    assert redact_text(text.format(t="see-below")) == text.format(t="see-below")


@pytest.mark.parametrize(
    "text",
    [
        "The password was set. request_id={p} took 3ms\n",
        "The password was reset. It was user {p}\n",
        "The password was reset in commit {h}\n",
        'next_page_token: "{t}"\n',
        "see docs/password/{p}.md\n",
        "the password\nHtmlPhpLexer x86Instr utf8mb4 sha512crypt MySQLDialect\n",
        "SECStatus PK11_CheckUserPassword(PK11SlotInfo *slot, const char *pw);\n",
        "auth: pbkdf2Key, IMAP4rev1, msSFU30Name, JWTInput and GDBusProxy have no password\n",
        "type Secret = 'A128KW' | 'A128GCMKW' | 'A256GCM'\n",
        "the password\n#define SN_id_on_SmtpUTF8Mailbox\n",
        "BEGIN:VEVENT\nSUMMARY:Change the password\nUID:{p}@example\n",
        "secret\n1\n2\n3\n4\n{p}\n",
        "ssh-ed25519 {t} key of jo\n",
        "These tokens\nare as short as {p}\n",
    ],
)
def test_ids_digests_names_and_what_is_far_away_stay(text: str) -> None:
    said = text.replace("{p}", PASSWORD).replace("{t}", TOKEN).replace("{h}", made_up_value("<H40>"))
    assert redact_text(said) == said


@pytest.mark.parametrize("said", ["Your API key is: {h}\n", "The access key was: {h}\n", "your new key is {h}\n"])
def test_hex_is_hidden_right_behind_a_key_of_two_words_in_a_sentence(said: str) -> None:
    key = made_up_value("<H40>")
    assert key not in redact_text(said.format(h=key))


LINES = (
    "the password is {p}\n", "secret:\n", "{p}\n", "\n", "token {t}\n", "x = {p};\n", "login as jo {p}\n",
    "plain words\n", "api_key\n\n{t}\n", '"args": ["{p}", "{t}"],\n', "pw\n", "{p}-{t}=\n", "PASSWORD={p}\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_pieces_and_engines_make_no_difference_near_words(seed: int) -> None:
    """Promise 9, and the three engines find the same."""
    draw = random.Random(seed)
    text = "".join(
        draw.choice(LINES).format(p=made_up_value("<A12>", n % 30), t=made_up_value("<A32>", n % 30))
        for n in range(300)
    )
    whole = redactor().redact(text)
    assert Redactor(use="re2").redact(text) == whole
    assert Redactor(use="re").redact(text) == whole
    cuts = [0, *sorted(draw.sample(range(len(text)), 40)), len(text)]
    stream = redactor().stream()
    assert "".join(stream.feed(text[a:b]) for a, b in pairwise(cuts)) + stream.flush() == whole.text
    assert redactor().redact(whole.text).text == whole.text


def test_of_ten_letters_and_digits_next_to_none_are_taken_for_a_name() -> None:
    """Of 10 characters at most 2.5 in 100 are, of 12 at most 2, of 16 one."""
    draw = random.Random(7)
    for length, most in ((10, 0.025), (12, 0.02), (16, 0.01)):
        drawn = ["".join(draw.choices(string.ascii_letters + string.digits, k=length)) for _ in range(3_000)]
        assert sum(drawn_bits(value) is None for value in drawn) <= most * len(drawn)


SIGNED = (
    "The admin password is {v} now.\n",
    ">>> os.environ[\"DB_PASS\"]\n'{v}'\n",
    "<p>Your password:<br><b>{v}</b></p>\n",
    "known: ['jo', '{v}'], and no other password\n",
)


@pytest.mark.parametrize("text", SIGNED)
@pytest.mark.parametrize(
    ("signs", "most"), [("_-.", 0.12), ("!^*_+-.~", 0.05), ("", 0.02)], ids=["joints", "signs", "none"]
)
def test_what_was_drawn_is_hidden_whatever_signs_are_in_it(text: str, signs: str, most: float) -> None:
    """Near a word for passwords, of 16 characters; joints alone and letters alone are in names as well."""
    draw = random.Random(len(text))
    letters = string.ascii_letters + string.digits
    values = [letters[draw.randrange(52)] + "".join(draw.choices(letters + signs, k=14)) + "x" for _ in range(200)]
    shown = [value for value in values if value in redactor().redact(text.replace("{v}", value)).text]
    assert len(shown) <= most * len(values)


PIECES = (
    "the password ", "login ", "secret: ", "my token is ", "api_key=", "pw ", "auth ", "{p} ", "{p} ", "{t} ",
    "{p}.{t} ", "'{p}', ", "{p}-{t} ", "PASSWORD={p} ", "postgres://app:{p}@db/app ", "password: hunter2x, ",
    "public ", "user ", "plain words and more of them ", "{h} ", 'token="{t}" ', "x" * 70 + " ", "-- " * 40, "\n",
    "; id={p} ", "-p{p} ",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_a_redacted_text_stays_as_it_is_on_long_lines(seed: int) -> None:
    """Promise 6: marks have another length than values, and bring nothing nearer to a word."""
    draw = random.Random(seed)
    text = "".join(
        draw.choice(PIECES).format(
            p=made_up_value("<A12>", n % 40),
            t=made_up_value("<A32>", n % 40),
            h=made_up_value("<H40>", n),
        )
        for n in range(120)
    )
    shown = redactor().redact(text).text
    assert "REDACTED" in shown
    assert redactor().redact(shown).text == shown


def test_a_text_full_of_words_is_still_read_to_its_end() -> None:
    text = "Nobody was told the password, or any secret.\n" * 5_000
    assert redactor().redact(text).text == text


def test_an_escaped_secret_is_judged_by_what_it_says() -> None:
    assert "Xk2pQ9dd81" not in redact_text('{"password": "\\u0068\\u0037Xk2pQ9dd81"}\n')


def test_what_was_hidden_behind_the_options_of_a_command_stays_as_it_is() -> None:
    once = redact_text(f"$ htpasswd -nb jo {PASSWORD}\n")
    assert PASSWORD not in once
    assert redact_text(once) == once


def test_letters_of_a_drawing_have_numbers_behind_them_and_a_password_of_such_letters_is_hidden() -> None:
    assert "2S1alQ1hhHhz" not in Redactor().redact("samba-tool user create jo 2S1alQ1hhHhz --given-name=Jo\n").text
    drawing = "login`path`,{d:`M0 3v2h2V3H0zm3 0v2h2V3H3zm3`} password\n"
    assert Redactor().redact(drawing).text == drawing


def test_what_is_looked_through_behind_a_word_is_paid_for_and_so_is_what_turns_out_to_be_a_part() -> None:
    """Hostile texts had a word now and then, and nothing of what was looked through behind it was charged."""
    words = 30
    empty_lines, parts = redactor().stream(), redactor().stream()
    empty_lines.whole(("password" + "\n" * 500) * words)
    assert empty_lines.spent_near[0] >= words * 5
    parts.whole(("password" + " ab1-cd2" * 30 + "\n") * words)
    assert parts.spent_near[0] >= words * 50


@pytest.mark.parametrize("size", [1, 700, 5_000, 40_000])
def test_what_looking_around_costs_does_not_depend_on_the_pieces(size: int) -> None:
    text = "".join(
        f"{made_up_value('the password <A9>-<L3> or <A14>', n)} {'x' * (n % 90)}\n{'' if n % 7 else 'token!'}"
        for n in range(700)
    )
    whole, stream = redactor().stream(), redactor().stream()
    expected = whole.whole(text)
    shown = "".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size)) + stream.flush()
    assert (shown, stream.spent_near) == (expected, whole.spent_near)
