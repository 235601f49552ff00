"""What people make up, and what machines give them to type; arguments without a name; what is stored for a password."""

import random
import string
import uuid
from collections.abc import Callable

import pytest

from overspill.redact import scan_database
from overspill.redact.redactor import Redactor

REDACTOR = Redactor(database=scan_database())
VALUES, MOST_SHOWN = 60, 2
NAMES = ("Falcon", "Guitar", "Monkey", "Berlin", "Winter", "Tiger", "Copper", "Rocket")
WORDS = ("velvet", "lantern", "maple", "tundra", "otter", "jigsaw", "ribbon", "copper", "island", "candle", "walrus")
Draw = Callable[[random.Random], str]


def drawn(letters: str, length: int) -> Draw:
    return lambda draw: "".join(draw.choices(letters, k=length))


def made_up(draw: random.Random) -> str:
    """`Falcon@1987!`, `Berlin_79`, `Tiger7?`."""
    name, joint, sign = draw.choice(NAMES), draw.choice(("", "@", "_")), draw.choice(("", "!", "?", "#", "!!"))
    number = str(draw.randrange(10, 2_030))
    return f"{name}{joint}{number}{sign}"


def phrase(joint: str) -> Draw:
    return lambda draw: joint.join(draw.sample(WORDS, draw.randrange(4, 7)))


def groups(joint: str) -> Draw:
    return lambda draw: joint.join("".join(draw.choices(string.ascii_lowercase, k=4)) for _ in range(4))


def mostly_digits(draw: random.Random) -> str:
    return f"{draw.randrange(10**7, 10**8)}-6319-4b09-9697-{draw.randrange(10**11, 10**12)}"


def octets(form: str, joint: str, count: int) -> Draw:
    return lambda draw: joint.join(form.format(draw.randrange(256)) for _ in range(count))


HEX = "0123456789abcdef"
TABLE = "id | login | password | port\n===+=======+==========+=====\n4  | jo    | {} | 5432\n"
ALNUM = string.ascii_letters + string.digits
UUID: Draw = lambda draw: str(uuid.UUID(int=draw.getrandbits(128), version=4))  # noqa: E731
PLACES: dict[str, tuple[str, Draw]] = {
    "a chat": ("jo> the pw?\nann> {}\n", made_up),
    "a pass of something": ("ann: the db pass is not that one any more, it's {}\n", made_up),
    "a flag beside a user": ("dbtool -u carla -p {} db.example.com 9042\n", made_up),
    "a line of settings": ("listener 1883\nbridge_password {}\n", made_up),
    "words before a name": ("set vpn ipsec pre-shared-secret {}\n", made_up),
    "quotes near an account": ('addUser monitor SHA "{}" password AES\n', made_up),
    "a mailbox": ("jo@example.com:{{PLAIN}}{}:5000:5000::/srv/mail::\n", made_up),
    "a word of SQL": ("ALTER USER hr IDENTIFIED BY {} ACCOUNT UNLOCK;\n", made_up),
    "words with dots in a variable": ("BACKUP_PASSWORD={}\n", phrase(".")),
    "words with dots in a flag": ("vaultlike --passphrase '{}' -c x.tar\n", phrase(".")),
    "words with lines under them": ('{{"password": "{}"}}\n', phrase("_")),
    "groups of letters": ("AuthPass={}\n", groups(" ")),
    "groups of letters in quotes": ("auth: {{ user: 'jo@example.com', pass: '{}' }}\n", groups(" ")),
    "groups of letters with dashes": ("notary submit App.zip --password {} --wait\n", groups("-")),
    "hexadecimal digits to log in": ("$ acme login {}\n", drawn(HEX, 40)),
    "a UUID to log in": ("acme auth {}\n", UUID),
    "letters to attach": ("$ sudo acme attach {}\n", drawn(ALNUM, 28)),
    "a user and a key": ("acme alias set play http://10.0.0.7:9000 admin {}\n", drawn(ALNUM, 12)),
    "a UUID behind a flag": ("$ ./coverage -t {} -f coverage.xml\n", UUID),
    "a secret id": ("Accessor ID  = x\nSecret ID    = {}\n", UUID),
    "a key of a device": ("radius server R1\n address ipv4 10.0.0.3\n key 7 {}\n", drawn("0123456789ABCDEF", 18)),
    "a shared key": ('jo : EAP "{}"\n', drawn(ALNUM + "!?_+^", 16)),
    "a list of users": ('"jo" "{}"\n', drawn(ALNUM + "!?_+^", 16)),
    "a code of a token": ("acme sts get --token-code {}\n", drawn(string.digits, 6)),
    "a code to recover": ("Recovery codes, keep them:\n\n\t{}\n", drawn(HEX, 64)),
    "a cookie of a flag": ("curl -b 'sessionid={}; theme=dark' https://example.com/\n", drawn(HEX, 32)),
    "a UUID of mostly digits": ("ACME_SECRET_KEY={}\n", mostly_digits),
    "a stored hash": ("(1, 'jo', 'pbkdf2_sha256$600000$Xk29dkLqPz${}=')\n", drawn(ALNUM + "+/", 43)),
    "a hash with costs": ("x '$argon2id$v=19$m=65536,t=3,p=4$moPCQn28zNcwVPPmM5SS6g${}'\n", drawn(ALNUM + "+/", 43)),
    "a hash in a directory": ("userPassword: {{SSHA}}{}\n", drawn(ALNUM + "+/", 32)),
    "a table with a rule of signs": (TABLE, drawn(ALNUM + "?^+~", 18)),
    "a column in French": ("identifiant,mot_de_passe\ncarla,{}\n", drawn(ALNUM, 12)),
    "braces of a driver": ("DRIVER={{X}};UID=jo;PWD={{{}}};\n", drawn(ALNUM + "_", 17)),
    "a password after a slash": ("xfreerdp /v:10.0.0.9 /u:jo /p:'{}' /cert:ignore\n", drawn(ALNUM, 10)),
    "a file of authenticators": ("$ cat ~/.acme_authenticator\n{}\n", drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32)),
    "a code to activate": ("ACME_ACTIVATION_CODE={}\n", drawn(ALNUM, 24)),
    "a licence": ("define( 'ACME_PRO_LICENSE', '{}' );\n", drawn(ALNUM + "+/", 64)),
    "a file of passwords": ("acme_passwd -b /etc/acme/passwd jo {}\n", made_up),
    "words for a key": ("ssh-keygen -t ed25519 -N '{}' -f id_x\n", phrase("_")),
    "a user and a password of a digest": ("[x] addauth digest jo:{}\n", made_up),
    "a code before its word": ("{} is your Acme verification code\n", drawn(string.digits, 6)),
    "a code to use": ("Use {} to verify your account.\n", drawn(string.digits, 6)),
    "a door": ("The door code is {}, see you\n", drawn(string.digits, 4)),
    "a part of a key": ('{{"kty":"RSA","e":"AQAB","d":"{}"}}\n', drawn(ALNUM + "-_", 342)),
    "a key of an account": ("key1  FULL  {}==\n", drawn(ALNUM + "+/", 86)),
    "a primary key of a cloud": ('  "primaryKey": "{}=",\n', drawn(ALNUM + "+/", 43)),
    "a key of a cipher": ("openssl enc -aes-256-cbc -K {} -iv 00 -in x\n", drawn(HEX, 64)),
    "bytes in code": ("const uint8_t AppKey[16] = {{ {} }};\n", octets("0x{:02X}", ", ", 16)),
    "bytes with colons": ("NETWORK_KEY = {}\n", octets("{:02x}", ":", 16)),
    "a store of keys": ("STORE=/u3+7QAAAAIAAAABAAAAAQAG{}==\n", drawn(ALNUM + "+/", 800)),
    "a table between strokes": ("id|name|secret_key\n1|jo|{}\n", drawn(HEX, 40)),
    "a value wider than its heading": ("      user     password   role\n0  jo  {}  admin\n", drawn(HEX, 32)),
    "a phrase of a name in two words": ("fingerprint=aa:bb\npass_phrase={}\n", made_up),
    "a code that was asked for": ("Enter this code to sign in: {}\n", drawn(string.digits, 6)),
    "a code on a line of its own": ("Your login code for Acme:\n\n{}\n\n", drawn(string.digits, 6)),
    "a code with a dash behind it": ("{} - your login code for Acme\n", drawn(string.digits, 6)),
    "a key to pair": ("Passkey: {}\n", drawn(string.digits, 6)),
    "a seed of words": ("Seed: {}\n", lambda draw: " ".join(draw.choices(WORDS, k=12))),
    "a list of keys": ("Private Keys\n============\n(0) 0x{}\n", drawn(HEX, 64)),
    "numbers of a key": ("network_key: [{}]\n", octets("{}", ", ", 16)),
    "a key below its cipher": ("'crypt' => [\n    'key' => '{}'\n],\n", drawn(HEX, 32)),
    "the first of two keys": ('{{\n  "key1": "{}",\n  "key2": "x"\n}}\n', drawn(HEX, 32)),
    "signs on the line below": ("Password of the user jo was reset.\nNew value: {}\n", drawn(ALNUM + "?~+^!", 24)),
}  # fmt: skip


@pytest.mark.parametrize(("place", "value"), PLACES.values(), ids=PLACES)
def test_what_is_typed_or_given_is_hidden(place: str, value: Draw) -> None:
    draw = random.Random(place)
    shown = []
    for _ in range(VALUES):
        secret = value(draw)
        text = place.format(secret)
        if secret in REDACTOR.redact(text).text:
            shown.append(text)
    assert len(shown) <= MOST_SHOWN, shown[:3]


TEXTS = (
    "                             http://[user[:pass]]@host:port/path\n",
    "PW\t+0720+13429\tPacific/Palau\n",
    "transports are identified by 'fakenfs+', and others by \"squash\"\n",
    "    password = acme.forms.password:PasswordWidget\n",
    "Pass `-Dpamconfdir=no` to meson to avoid installing this file and\n",
    'there is usually no reason not to pass "--sample 100" at all\n',
    "          failConnection(this.socket, 'RSV1, RSV2, RSV3 must be clear')\n",
    '__all__ = ["OAuth", "DjangoOAuth1App", "DjangoOAuth2App", "token_update"]\n',
    "#define IOC_SET_PW             _IOW('p', 224, struct new_pw)\n",
    "  #  pass to modnames2paths:\n",
    "    [   'crc-16-buypass',   'Crc16Buypass',     0x18005,        NON_REVERSE],\n",
    '\t\t\tCOMPREPLY=( $(compgen -W "YYYYMMDDhhmmss" -- $cur) ) # password\n',
    'password: "@Microsoft.KeyVault(SecretUri=https://kv.vault.example.net/secrets/db)"\n',
    "kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq\n",
    'default._domainkey IN TXT "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQte31SgV5JelGpXLGApPyx8mlqv"\n',
    "NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY=pk_test_ZE6CDsaKArynWP4ygL8eiAtZ\n",
    "2025 is your year to learn all of the codes\n",
    "use 123456 to count the items of the list\n",
    '  "icon": {"d":"M0 3v2h2V3H0zm3"}, "value": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="\n',
    "Key fingerprint = 00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff\n",
    "public_key = {0x04, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB}\n",
    "keymap = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09}\n",
    "id|name|secret_key\n",
    "Your error code: 482913\n",
    "Enter the zip code 482913 to see your area code 030482\n",
    "sizes of keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]\n",
    "cp -u -p source_2024 target_2025\n",
    '  "password.label": "auth.form.reset.title",\n',
    "they said this word will show that with this pass over here\n",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_looks_typed_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_a_file_of_certificates_is_examined_in_full() -> None:
    """Rows of base64 below each other say nothing that begins in one of them: reading them cost all there was."""
    draw = random.Random(18)
    name = "VW5pemV0byBUZWNobm9sb2dpZXMgUy5BLjEnMCUGA1UECxMeQ2VydHVtIENlcnRp\n"

    def block() -> str:
        rows = ("".join(draw.choices(ALNUM + "+/", k=64)) + "\n" for _ in range(18))
        return "-----BEGIN CERTIFICATE-----\n" + name.join(rows) + "-----END CERTIFICATE-----\n"

    text = "".join(block() for _ in range(120))
    result = REDACTOR.redact(text)
    assert (result.text == text, result.incomplete) == (True, False)
