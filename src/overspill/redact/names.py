"""What a name promises about its value: nothing, a key, a token or a password.

The last word decides, as people read it: `db_password` is a password, `password_file` is a file,
`next_page_token` is a page. Names are judged once and remembered.
"""

from __future__ import annotations

from overspill._lite import NamedTuple, compile_pattern

NOTHING, VENDOR_KEY, TOKEN, PASSWORD = 0, 1, 2, 3


class Promise(NamedTuple):
    """How surely the value of a name is secret, and what to call it."""

    level: int
    type: str


_NONE = Promise(NOTHING, "")
_WORDS = compile_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_PASSWORDS = frozenset(
    "password passwd passphrase passcode pwd psw pswd passwort contrasena senha motdepasse pass pw passwords"
    " psk".split()
)
_TOKENS = frozenset(
    "token tokens secret secrets credential credentials creds bearer jwt authtoken authkey apitoken accesstoken"
    " refreshtoken idtoken sessiontoken bottoken usertoken clientsecret appsecret authorization pepper salt pat".split()
)
_KEYS = frozenset("apikey apikeys accesskey secretkey privatekey appkey masterkey signingkey encryptionkey".split())
# Words that make a plain `key` secret by themselves.
_KEY_MAKERS = frozenset(
    "api access secret private auth encryption encrypt signing sign signature master account storage service"
    " shared consumer client deploy admin root session subscription function webhook integration ingest server"
    " crypt cipher aes hmac rsa jwt cookie license licence app application authentication decrypt decryption"
    " security write read publish routing user wireguard preshared".split()
)
# Keys that are ids, places or columns.
_PLAIN_KEYS = frozenset(
    "primary foreign public cache sort partition row hash object s3 idempotency map dict translation registry"
    " host dedup dedupe group order index unique lookup event node issue project message natural surrogate"
    " composite candidate alternate config setting settings option storage_class data field json yaml xml"
    " header query param form i18n locale lang language label state context trait class method property prop"
    " attribute attr arrow function_name sitekey site press hot short shortcut up down left right enter escape"
    " shift ctrl control alt meta home end tab delete insert page backspace metric tag dimension column col"
    " table shard bucket blob file path route url uri image artifact package module parent child root_cause"
    " type enum name value id record entity item list array tuple set first last next prev previous current"
    " old new any no each per the a an this that my is has by on of for in to and or with gpg pgp ssh pub"
    " symbol search filter answer bundle build version lock keyboard piano major minor turn low high locales"
    " stored session_storage translation_key content env environment variable var sentinel digest checksum"
    " fingerprint commit git sha md5 sha1 sha256 sha512 integrity".split()
)
# First words that make a token a place in a list, a piece of text or a mark in a model's vocabulary.
_PLAIN_TOKENS = frozenset(
    "next page pagination paging continuation continue cursor csrf xsrf cache change request resume sync eos bos"
    " pad unk sep cls mask special stop start end begin max min num number total prompt completion input output"
    " cancel cancellation nonce idempotency lexer parser syntax reserved invalid unexpected missing expected"
    " generated design placeholder template word sub first last previous current all client_request count"
    " estimated used remaining limit cached reasoning text image audio per n new_token added extra additional"
    " comma colon string name identifier operator keyword punctuation whitespace eof newline peek lookahead"
    " lock forgery validation verification antiforgery context query statement delimiter separator position".split()
)
_QUALIFIERS = frozenset(
    "base value val plain plaintext clear cleartext string str b64 base64 raw hex old new prod production staging"
    " stage dev development test live primary secondary current default admin root main env previous data text"
    " stdout result content contents literal".split()
)
_TYPES = {
    "secret": "SECRET", "secrets": "SECRET", "clientsecret": "SECRET", "appsecret": "SECRET",
    "credential": "CREDENTIAL", "credentials": "CREDENTIAL", "creds": "CREDENTIAL",
}  # fmt: skip
_SHORT_NAMES = frozenset(("pat", "salt", "pepper"))
# Words that end like a password and are none.
_NO_PASSWORDS = frozenset(
    "bypass compass trespass surpass encompass overpass underpass multipass highpass lowpass bandpass allpass"
    " renderpass subpass prepass onepass repass impass firstpass lastpass keepass singlepass minipass getpass".split()
)
_SUFFIXES = ("password", "passwd", "passphrase", "storepass", "keypass", "dbpass", "userpass", "sshpass", "passwords")
_TOKEN_SUFFIXES = ("secret", "apikey", "token")

_ANY_DIGIT = dict.fromkeys(range(0x30, 0x3A), "0")
_judged: dict[str, Promise] = {}
_REMEMBERED = 4096


def promise(name: str) -> Promise:
    """What `name` promises.

    >>> promise("DB_PASSWORD"), promise("nextPageToken").level, promise("password_file").level
    (Promise(level=3, type='PASSWORD'), 0, 0)
    >>> promise("acme_key"), promise("primary_key").level
    (Promise(level=1, type='API_KEY'), 0)
    """
    known = _judged.get(name)
    if known is None:
        alike = name.translate(_ANY_DIGIT)  # which digit it is says nothing: `APP7_KEY`, `APP8_KEY`
        known = _judged.get(alike)
        if known is None:
            if len(_judged) >= _REMEMBERED:
                _judged.clear()
            known = _judged[alike] = _judged_promise(alike)
    return known


def _judged_promise(name: str) -> Promise:
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdigit()):
        words.pop()
    if not words:
        return _NONE
    last, before = words[-1], words[:-1]
    if last in _PASSWORDS or last.endswith(_SUFFIXES) or (last.endswith("pass") and last not in _NO_PASSWORDS):
        return Promise(TOKEN if last in {"pass", "pw"} and not before else PASSWORD, "PASSWORD")
    if last == "key":
        return _key_promise(before)
    if last in _KEYS or last.endswith("apikey"):
        return Promise(TOKEN, "PRIVATE_KEY" if last == "privatekey" else "API_KEY")
    return Promise(VENDOR_KEY, "TOKEN") if last == "auth" else _token_promise(last, before)


def _token_promise(last: str, before: list[str]) -> Promise:
    if last not in _TOKENS and not last.endswith(_TOKEN_SUFFIXES):
        return _NONE
    if last in _SHORT_NAMES and not before:  # by itself it is a name, or what one cooks with
        return _NONE
    plain = any(word in _PLAIN_TOKENS or word == "public" for word in before) or last.startswith(
        ("csrf", "xsrf", "next", "page")
    )
    return _NONE if plain and "secret" not in last else Promise(TOKEN, _TYPES.get(last, "TOKEN"))


def _key_promise(before: list[str]) -> Promise:
    if not before or "public" in before or "publishable" in before:
        return _NONE
    if before[-1] in _KEY_MAKERS:
        return Promise(TOKEN, "PRIVATE_KEY" if before[-1] == "private" else "API_KEY")
    return _NONE if before[-1] in _PLAIN_KEYS else Promise(VENDOR_KEY, "API_KEY")
