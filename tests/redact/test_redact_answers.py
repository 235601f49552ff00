"""What a command answers, what stands behind a flag or in a column, codes in groups, words in a row: it is hidden."""

import random
import string

import pytest

from overspill.redact.redactor import Redactor

LETTERS = string.ascii_letters + string.digits
MADE_UP = ("tiger-lamp-42", "MapleRiver12", "Cobalt693!", "walnut8292", "orange15")


def drawn(draw: random.Random, count: int, signs: str = LETTERS) -> str:
    return "".join(draw.choices(signs, k=count))


COMMANDS = (
    "$ pass show work/db\n{}\nuser: ops\n",
    "$ bw get password acme\n{}\n",
    "jo@box:~$ cat ~/.vault_pass.txt\n{}\n",
    "$ security find-generic-password -a jo -w\n{}\n",
    "[root@db ~]# acme secrets get db --plain\n{}\n",
    "$ acme auth:token\n >   Warning: token will expire today\n{}\n",
)


@pytest.mark.parametrize("form", COMMANDS)
def test_what_a_command_fetches_is_hidden_on_the_line_below_it(form: str) -> None:
    draw = random.Random(form)
    values = [drawn(draw, 20, LETTERS + "!#.~") for _ in range(50)]
    for value in (*values, *MADE_UP, drawn(draw, 64, "0123456789abcdef"), drawn(draw, 400, LETTERS + "+/")):
        assert value not in Redactor().redact(form.format(value)).text


@pytest.mark.parametrize(
    "text",
    [
        "$ cat docs/passwords.md\nPasswords\n=========\n\nHow to set one\n",
        "$ git show --stat tokens\ncommit\n",
        "$ ls secrets\ndb-main\nweb2.example.com\n",
        "$ echo $PASSWORD\n\n$ ls\nREADME.md\n",
    ],
)
def test_what_other_commands_say_stays(text: str) -> None:
    assert Redactor().redact(text).text == text


@pytest.mark.parametrize(
    "form",
    [
        '"Cmd": [\n    "redis-server",\n    "--requirepass",\n    "{}"\n]\n',
        'api_keys = [\n  "{}",\n]\n',
        'State: {{"form": {{"passwordConfirm": "{}"}}}}\n',
        "Property(C): ADMINPWD = {}\n",
        "│ (index) │ user  │ password │\n├─────────┼───────┼──────────┤\n│ 0       │ 'bob' │ '{}' │\n",
        "SMTP_PASS:\n----\n{}\n",
        "PRIVMSG NickServ :IDENTIFY backup {}\n",
        "curl 'https://a.example.com' -b 'theme=dark; connect.sid=s%3A{}'\n",
    ],
)
def test_what_a_place_of_secrets_holds_is_hidden(form: str) -> None:
    draw = random.Random(form)
    for _ in range(100):
        value = "x7" + drawn(draw, 18) + "Q4"
        assert value not in Redactor().redact(form.format(value)).text


def test_a_key_in_base64_is_hidden_with_the_signs_that_fill_it_up() -> None:
    draw = random.Random(44)
    for _ in range(200):
        value = "a1Z" + drawn(draw, 40) + "="
        assert value not in Redactor().redact(f"Unseal Key 1: {value}\n").text
        assert value not in Redactor().redact(f"influx config create -n x -t {value} -o org\n").text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("│ token │ 038b2be3-4914-4f2f-aa64-44fcc3254ea5 │\n", "038b2be3"),
        ("secret_id             038b2be3-4914-4f2f-aa64-44fcc3254ea5\n", "038b2be3"),
        ("Enter this key: 3t25 xwg2 scpc inuz q3eg ke3h oybb xgr5\n", "xwg2 scpc"),
        ("slmgr /ipk 3CX2J-DC8YM-QGDJ8-V64BP-CPKY7\n", "DC8YM"),
        ("Card PIN: 5106\n", "5106"),
        ("bindpw=walnut8292\n", "walnut"),
        ("WIFI:T:WPA;S:home;P:walnut8292;;\n", "walnut"),
        ("| API key | 568f3051cff07e71f5e5ffd82e920b37 |\n", "568f3051"),
        ("GET https://api.example.com/weather?q=x&appid=568f3051cff07e71f5e5ffd82e920b37\n", "568f3051"),
        ("SMTP_PASS:\n----\nmango-crystal-73\n", "crystal"),
        ("/bin/sh -c #(nop)  ENV NPM_TOKEN=harbor8171          0B\n", "harbor8171"),
        ('(:user "ops" :secret "OrchidMorning32")\n', "Orchid"),
        ("#0 db.php(12): PDO->__construct('mysql:host=loca...', 'root2', 'Mustard84!')\n", "Mustard"),
        ('> Authorization: Digest username="jo", nonce="1", response="b0d53d4d8e9fe5d7558dc1170f05fa77"\n', "b0d53d4d"),
        ("ops:1001:aad3b435b51404eeaad3b435b51404ee:568f3051cff07e71f5e5ffd82e920b37:::\n", "568f3051"),
        ('{"username":"jo","credential":"blossom-galaxy-31"}\n', "galaxy"),
        ("secret = helmet-chicken-89\n", "chicken"),
        (
            "Your recovery phrase:\n\narrest allow wisdom ankle acid year vivid winter write address angle about\n",
            "wisdom",
        ),
    ],
)
def test_codes_keys_and_phrases_are_hidden_whole(text: str, value: str) -> None:
    assert value not in Redactor().redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "Key fingerprint = CF8F 18F2 8445 7597 3F79  D4E1 91A6 868B D3F7 A907\n",
        "Error code: this were 2010 upon when\n",
        "curl --hostpubsha256 NDVkMTQxMGQ1ODdmMjQ3MjczYjAyOTY5MmRkMjVmNDQ= sftp://example.com\n",
        "node --sentinel-fuse NODE_JS_FUSE_fce680ab2cc467b6e072b8b5df1996b2\n",
        "|1|JfKTdBh7rNbXkVAQCRp4OQoPfmI=|USECr3SWf1JUPsms5AqfD5QfxkM= ssh-rsa AAAA password\n",
        "https://jane.doe@git.example.com/x.git\n",
        "  withCredentials: defaultToConfig2,\n",
        'MountVolume.SetUp failed for volume "token" : secret "app-tokens-71" not found\n',
    ],
)
def test_fingerprints_names_and_what_is_public_stay(text: str) -> None:
    assert Redactor().redact(text).text == text


def test_an_instruction_of_a_processor_is_no_password() -> None:
    text = "   1c0f1:\t66 66 2e 0f 1f 84 00 \tdata16 cs nopw 0x0(%rax,%rax,1)\n"
    assert Redactor().redact(text).text == text
