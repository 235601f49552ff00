"""What a name promises about its value: nothing, a key, a token or a password.

The last word decides, as people read it: `db_password` is a password, `password_file` is a file,
`next_page_token` is a page. Names are judged once and remembered.

Below stands what names a value instead of being one: stand-ins, references, templates. `values` asks these patterns.
"""

from __future__ import annotations

from itertools import pairwise

from overspill._lite import NamedTuple, compile_pattern, lru_cache

NOTHING, VENDOR_KEY, TOKEN, PASSWORD = 0, 1, 2, 3
REMEMBERED = 512  # answers about values: the same few come again and again, in logs as in hostile text


class Promise(NamedTuple):
    """How surely the value of a name is secret, and what to call it."""

    level: int
    type: str


_NONE = Promise(NOTHING, "")
_WORDS = compile_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_PASSWORDS = frozenset(
    "password passwd passphrase passcode pwd psw pswd passwort contrasena senha motdepasse pass pw passwords"
    " psk mdp sandi haslo kennwort wachtwoord heslo salasana losenord passord kodeord lozinka geslo jelszo parool"
    " contrasenya authtok passw pasword paswd passwrd pswrd passowrd passwordd".split()
)
_TOKENS = frozenset(
    "token tokens secret secrets credential credentials creds bearer jwt authtoken authkey apitoken accesstoken"
    " refreshtoken idtoken sessiontoken bottoken usertoken clientsecret appsecret authorization pepper salt pat"
    " geheimnis".split()
)
_KEYS = frozenset("apikey apikeys accesskey secretkey privatekey appkey masterkey signingkey encryptionkey".split())
# Words that make a plain `key` secret by themselves.
_KEY_MAKERS = frozenset(
    "api access secret private auth enc encryption encrypt signing sign signature master account storage service"
    " shared consumer client deploy admin root session subscription function webhook integration ingest server"
    " crypt cipher aes hmac rsa jwt cookie license licence app application authentication decrypt decryption activation"
    " security write read publish routing user wireguard preshared priv unseal spend des certificate".split()
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
    " recv symbol search filter answer bundle build version lock keyboard piano major minor turn low high locales"
    " stored session_storage translation_key content env environment variable var sentinel digest checksum"
    " fingerprint socket commit git sha md5 sha1 sha256 sha512 integrity".split()
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
    "base value val plain plaintext clear cleartext string str b64 base64 raw b hex old new prod production staging"
    " stage dev development test live primary secondary current default admin root main env previous data text"
    " stdout result content contents literal confirm confirmation again repeat repeated retype".split()
)
# Words that end like a key and are none.
_NO_KEYS = frozenset("monkey donkey turkey hockey jockey whiskey lackey hickey mickey rickey malarkey mackey".split())
# Before a key of a network: people make it up.
_NETWORKS = frozenset("wlan wifi wpa wep wireless".split())
_TYPES = {
    "secret": "SECRET", "secrets": "SECRET", "clientsecret": "SECRET", "appsecret": "SECRET",
    "credential": "CREDENTIAL", "credentials": "CREDENTIAL", "creds": "CREDENTIAL",
}  # fmt: skip
_SHORT_NAMES = frozenset(("pat", "salt", "pepper"))
# Words that end like a password and are none.
_NO_PASSWORDS = frozenset(
    "bypass compass trespass surpass encompass overpass underpass multipass highpass lowpass bandpass allpass"
    " renderpass subpass prepass onepass repass impass firstpass lastpass keepass singlepass minipass getpass lpwd"
    " oldpwd buypass nopasswd nopassword".split()
)
_SUFFIXES = (
    "password", "passwd", "passphrase", "storepass", "keypass", "dbpass", "userpass", "sshpass", "passwords", "pwd",
    "rootpw", "bindpw", "userpw", "adminpw", "dbpw",
)  # fmt: skip
_TOKEN_SUFFIXES = ("secret", "apikey", "token")

# Two words that say together what neither says alone: the key of a network, what a program logs in with, what is stored
# in the place of a password. OAuth is a way of logging in.
_OF_TWO_WORDS = {
    ("key", "material"): Promise(PASSWORD, "PASSWORD"), ("de", "passe"): Promise(PASSWORD, "PASSWORD"),
    ("activation", "code"): Promise(TOKEN, "CODE"), ("pass", "phrase"): Promise(PASSWORD, "PASSWORD"),
    ("pass", "word"): Promise(PASSWORD, "PASSWORD"),
    ("secret", "id"): Promise(TOKEN, "SECRET"), ("api", "hash"): Promise(TOKEN, "API_KEY"), ("o", "auth"): _NONE,
    ("to", "pass"): _NONE,
    **{(word, "hash"): Promise(TOKEN, "PASSWORD") for word in ("password", "passwd", "pass", "pwd")},
}  # fmt: skip

_ANY_DIGIT = dict.fromkeys(range(0x30, 0x3A), "0")
_judged: dict[str, Promise] = {}
_MOST_NAMES = 4096


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
            if len(_judged) >= _MOST_NAMES:
                _judged.clear()
            known = _judged[alike] = _judged_promise(alike)
    return known


def _judged_promise(name: str) -> Promise:
    words = [word.lower() for word in _WORDS.findall(name)]
    if words[-2:] == ["token", "data"]:  # of a grammar
        return _NONE
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdigit()):
        words.pop()
    if not words:
        return _NONE
    last, before = words[-1], words[:-1]
    return _OF_TWO_WORDS.get((before[-1] if before else "", last)) or _promise_of_last(last, before)


def _promise_of_last(last: str, before: list[str]) -> Promise:
    if last in _PASSWORDS or (last.endswith((*_SUFFIXES, "pass")) and last not in _NO_PASSWORDS):
        return Promise(TOKEN if last in {"pass", "pw"} and not before else PASSWORD, "PASSWORD")
    if last == "key" or (last == "keys" and before and before[-1] in _KEY_MAKERS):
        return _key_promise(before)
    if last in {"auth", "license", "licence"}:
        return Promise(VENDOR_KEY, "TOKEN") if last == "auth" or before else _NONE
    if last in _KEYS or last.endswith("apikey") or (last[-3:] == "key" and last[:-3] in _KEY_MAKERS):
        return Promise(TOKEN, "PRIVATE_KEY" if last == "privatekey" else "API_KEY")
    if last[-3:] == "key" and last not in _NO_KEYS:  # `nwkskey`
        return _key_promise([*before, last[:-3]])
    return _token_promise(last, before)


def _token_promise(last: str, before: list[str]) -> Promise:
    if last.endswith(("sessid", "sessionid")):  # as cookies are called, and no setting
        return Promise(VENDOR_KEY, "COOKIE")
    salted = last.startswith(("pass", "secret", "auth", "session", "cookie")) and last.endswith(("salt", "pepper"))
    if last not in _TOKENS and not last.endswith(_TOKEN_SUFFIXES) and not salted:
        return _NONE
    if last in _SHORT_NAMES and not before:  # by itself it is a name, or what one cooks with
        return _NONE
    plain = any(word in _PLAIN_TOKENS or word == "public" for word in before) or last.startswith(
        ("csrf", "xsrf", "next", "page")
    )
    return _NONE if plain and "secret" not in last and last != "salt" else Promise(TOKEN, _TYPES.get(last, "TOKEN"))


def _key_promise(before: list[str]) -> Promise:
    if not before or "public" in before or "publishable" in before or before[-1].endswith("rsasig"):
        return _NONE
    if before[-1] in _NETWORKS or before[-1] == "preshared" or before[-2:] == ["pre", "shared"]:  # people make it up
        return Promise(PASSWORD, "PASSWORD")
    if before[-1] in _KEY_MAKERS:
        return Promise(TOKEN, "PRIVATE_KEY" if before[-1] == "private" else "API_KEY")
    return _NONE if before[-1] in _PLAIN_KEYS else Promise(VENDOR_KEY, "API_KEY")


# What names a thing, and no secret of it; what speaks of secrets, whatever it says.
_ID_NAME = compile_pattern(
    r"(?i)(?:^|[ _.-]|(?<=[a-z])(?=[A-Z]))(?:u?id|uuid|guid|hash|digest|(?:check)?sum|sha[0-9]*|md5|e?tag|trace|span"
    r"|commit|rev(?:ision)?|version|build|user(?:name)?|addr(?:ess)?|host(?:name)?|node|pod|file(?:name)?|path|cursor"
    r"|agent|project|identifier|nonce|fingerprint|serial|jti|kid|ref|name|email|url|uri|sub|class|type|color|colour|icon|src|href|data|mac|integrity|i?v|bh|recipient"
    r"|id-[0-9])\Z|[0-9]\.[a-z.]{2,8}\Z|\.[cm]?js\Z|(?:^|[ ])(?:h1|[xyn]|x5[ct])\Z"
)
_DONE = compile_pattern(r"(?i)(?<=[a-z])[ ](?:loaded|set|found|generated|created|received|used)\Z")
_SECRET_ID = compile_pattern(r"(?i)secret[ _-]?id\Z")
SPEAKS = compile_pattern(r"(?i)token|key|pass|secret|pwd")
_WORD_ALONE = compile_pattern(r"(?i)(?:[a-z]+[ ])?(?:key|seed)\Z|[a-z]*privkey\Z")


@lru_cache(REMEMBERED)
def may_be_secret(name: str) -> bool:
    """Whether a value of that name may be a secret: one that speaks of secrets says so itself, an id is none.

    >>> [may_be_secret(name) for name in ("args", "next_page_token", "request_id", "Secret ID", "cred")]
    [True, False, False, True, True]
    """
    if _SECRET_ID.search(name):
        return True
    if SPEAKS.search(name):
        told = _DONE.sub("", name).rpartition(" ")
        said = promise(told[2]) if told[2] != "value" else promise(told[0])
        return (
            said.level > NOTHING or promise(name).level > NOTHING or _WORD_ALONE.match(_DONE.sub("", name)) is not None
        )
    return _ID_NAME.search(name) is None


ALPHABETS, SHORTEST_ALPHABETS = 3, 20  # of small letters, capitals and digits; characters
# How much likelier a name takes a step from one character to the next than what was drawn, in bits: measured once, over
# the 68,000 names of several words in 60 MB of sources, headers and manuals. First by the kinds of both, small, capital
# and digit, then by the letters: a row for each, and in it a digit for each that follows, of three quarters of a bit.
_KINDS = {
    "^l": 0.6, "^u": -0.2, "^d": -5.6,
    "ll": 1.0, "lu": -1.5, "ld": -5.3,
    "ul": 1.1, "uu": -2.0, "ud": -4.1,
    "dl": -1.6, "du": -0.4, "dd": 1.8,
}  # fmt: skip
_BEGINNING = "76866665724675671787555402"
_WITHIN = (
    "06770270502878060879533350 91219020770921800651800060 80418008507612930738600040 82169230901610620653511040 "
    "72773540100768244988053640 81108710900602900854600050 60009046700627500775600020 90009000800340800647500030 "
    "54775560000769840588050305 70109100523001810090726000 57239340800406450083500000 84269020900800810067640050 "
    "96329000800561880060400010 70788680604325640089550010 45670440415779670956755210 90149003600700860948610030 "
    "00000100300400000201905000 80559240804354810677540060 60709306804422670089601050 80509107903230840866500160 "
    "66548440600878270889000000 92409100900000600000000000 90048005903328920873000000 40708000707280080059030260 "
    "35505230200788590188003013 70009000401400900020500053 "
)
_CAPITALS = (
    "65645251904464292785324732 68758644724773663586345244 74767754715566781694452302 67657646726638762786256332 "
    "86955626433757473765373674 74654852823942482584423422 67857446724655874486764224 85555634734544463379324233 "
    "55797543635675572786343211 42444424745423533296349434 46949533623553452474355333 84568634626864762479373021 "
    "65976633721965351575434423 64776563533545772898553334 93674735643369763576325211 64756464929563755875553112 "
    "74645686564867566844566464 64756673822964464977352022 74877436513853852598451411 67675544526881681468423234 "
    "43773522932655243967673221 65756744636685272888545333 94557445548683445488445544 77855765622474473878434663 "
    "86765633535865573955335336 74578475576666765665657655 "
)
LETTERS, ROW, BITS, NO_BITS = "abcdefghijklmnopqrstuvwxyz", 27, 0.75, 6
ENOUGH_LETTERS = 64
ONE_CASE_ANYWAY, ONE_CASE_EACH = 6.0, -0.78  # letters of one case are drawn from fewer, and are seldom drawn
# The numbers that names have, and what is called by a few letters where secrets are spoken of: for each character so
# many bits more.
_NUMBERS = compile_pattern(r"[0-9]++")
_USUAL_NUMBERS = frozenset("2 12 16 32 64 86 128 160 192 224 256 384 509 512 521 4096 8859 25519".split()).union(
    f"{century}0{year:02}" for century in (1, 2) for year in range(100)
)
_USUAL_WORDS = compile_pattern(
    r"rfc[0-9]{3,4}|pbkdf|pkcs|hmac|sha|md5|aes|gcmk?w?|rsa|dsa|jw[tkse]|tls|ssl|ssh|ldap|imap|smtp|http|utf|ipv|mb4|pwd"
    r"|url|sql|xml|jdbc"
)  # in small letters: to fold the case of each takes several times as long
USUAL_BITS = 2.0


class _StepBits(dict[tuple[str, str], float]):
    """What was measured, by steps. It is put together as steps come up."""

    def __missing__(self, step: tuple[str, str]) -> float:
        first, second = map(_kind, step)
        bits = _KINDS.get(first + second, 0.0)  # a sign says nothing
        if second in "lu":
            row, column = (LETTERS.find(letter.lower()) for letter in step)
            within = _CAPITALS if first == second == "u" else _WITHIN
            begins = first in "^d" or first + second == "lu"
            bits += BITS * (int(_BEGINNING[column] if begins else within[ROW * row + column]) - NO_BITS)
        self[step] = bits
        return bits


def _kind(character: str) -> str:
    if not character.isascii():
        return "^"
    return "d" if character.isdigit() else "l" if character.islower() else "u" if character.isupper() else "^"


_step_bits = _StepBits()


@lru_cache(REMEMBERED)
def name_bits(value: str) -> float:
    """How much likelier letters and digits are a name than drawn, in bits: the first ones tell it.

    >>> [name_bits(text) > 0 for text in ("HtmlPhpLexer", "PK11SlotInfo", "HmacSHA1Key", "Xk29dkLq", "wQzTbvKd")]
    [True, True, True, False, False]
    """
    value = value[:ENOUGH_LETTERS]
    usual = _USUAL_WORDS.findall(value.lower())
    if not value.isalpha():
        usual += filter(_USUAL_NUMBERS.__contains__, _NUMBERS.findall(value))
    anyway = USUAL_BITS * len("".join(usual))
    if value.islower() or value.isupper():
        value, anyway = value.lower(), anyway + ONE_CASE_ANYWAY + ONE_CASE_EACH * len(value)
    return anyway + sum(map(_step_bits.__getitem__, pairwise(f"^{value}")))


_SIGNS_OF_ASCII = bytes(code for code in range(128) if not chr(code).isalnum())


def letters_and_digits(value: str) -> str:
    """The letters and digits of ASCII in a value.

    >>> letters_and_digits("x7-Kq_é2")
    'x7Kq2'
    """
    if value.isascii() and value.isalnum():
        return value
    return value.encode("ascii", "ignore").translate(None, _SIGNS_OF_ASCII).decode()


# Which letters follow which in words: 256 of 676 pairs, and 95 of 100 pairs in any text. Drawn letters have 38.
_PAIRS = (
    "abcdfgiklmnprstuvy baeilorsu cacehiklorstu dadeilorsu eabcdefgilmnpqrstvwxy faefilortu gaeghilnorsu haeiort"
    " iabcdefglmnoprstvxz je keis ladeilostuy mabeimopsu nacdefgiknostuv oabcdfgiklmnoprstuvw paehiloprstu qu"
    " racdefgiklmnoprstuvy sacehiklmopstuy tacehilorstuy uabcegilmnprst vaeio waehinor xceipt yips ze"
)
FOLLOWS = {row[0]: frozenset(row[1:]) for row in _PAIRS.split()}
_ONE_CASE = compile_pattern(r"[a-z]{6,}|[A-Z]{6,}")
LIKELY_WORD = 0.8  # of the pairs in six letters so many are common, if they may be a word


def is_alphabet(value: str) -> bool:
    """Whether letters stand in the order of the alphabet, as the flags of a program do, or in that of several.

    >>> [is_alphabet(text) for text in ("aAbCcdef", "abcdfghkmnABCDFGH2345678", "x7KqPz2LwRt9")]
    [True, True, False]
    """
    small = value.lower()
    falls = sum(map(str.__gt__, small, small[1:]))
    return falls == 0 or (falls < ALPHABETS and len(value) >= SHORTEST_ALPHABETS)


FEWEST_SIGNS, LONG_DRAWN = 4, 27


def fewest_signs(value: str) -> int:
    """How many different signs a value of that length has at least, if it was drawn."""
    return max(FEWEST_SIGNS, min(len(value), LONG_DRAWN) // 3)


def word_share(value: str) -> float:
    """How much of a value may be words: six letters of one case and more, as in RADIUS, archive, CONNECTION.

    >>> [word_share(text) for text in ("FreeRADIUS", "libkf5archive5", "x7KqPz2LwRt9")]
    [0.6, 0.5, 0.0]
    """
    letters = 0
    for run in _ONE_CASE.findall(value):
        common = sum(second in FOLLOWS[first] for first, second in pairwise(run.lower()))
        letters += len(run) if common >= LIKELY_WORD * (len(run) - 1) else 0
    return letters / len(value)


# What code calls a constant, or a thing that has to do with secrets.
_CONSTANT = compile_pattern(r"_*[A-Z]+[0-9]{0,2}(?:_[A-Z]+v?[0-9]{0,2}){2,}(?:_[0-9])?$")
_ENDS_IN_NUMBER = compile_pattern(r"(?<!_)[0-9]$|[0-9]{3}$")
_SPEAKS = compile_pattern(
    r"(?:(?<=[a-z0-9])|^|_)(?:Pass(?:word|phrase|wd)|Pwd|Token|Secret|Credential|Key|Bearer)s?(?![a-z])"
    r"|(?:^|_)(?i:pass(?:word|phrase|wd)|token|secret|credential|key|bearer)s?(?![A-Za-z])"
)


def is_variable(value: str) -> bool:
    """Whether a value is what a variable with a secret is called: `DB_PASSWORD`, which code looks up."""
    return value.isupper() and "_" in value and value.isidentifier() and promise(value).level >= TOKEN


@lru_cache(REMEMBERED)
def is_symbol(value: str) -> bool:
    """Whether a word without quotes is what code calls something: a constant, or words of which one speaks of secrets.

    >>> [is_symbol(text) for text in ("SIGN_IN_V2_SUBMIT", "calculateSha2Token", "x7KqPz2LwRt9", "MyPassword1")]
    [True, True, False, False]
    """
    if _CONSTANT.match(value):
        return True
    if _ENDS_IN_NUMBER.search(value) or (value.isalpha() and value[1:].islower()):
        return False
    return value.isidentifier() and _SPEAKS.search(value) is not None and name_bits(value.replace("_", "")) > 0


# Stand-ins people write where a secret goes, templates that will be filled in, and our own marks. Nothing but names and
# joints may stand beside them: a secret can begin like one.
REFERENCE = compile_pattern(
    r"""(?x)
    (?: (?: [\w.:/@ -]{0,80}? [.:/@ _-] )?
        (?: \$\{\w*\{[^\n]*+ | \$?[$%]\{[^{}\n]*+\}?+ | [$]\([^\n]*+ | [#{]\{[^\n]*+ | <%[^\n]*+ | \$[0-9](?![\w$])
          | \$\$?[A-Za-z_]\w*+ (?: (?:[.\[({]|->) [\w.\[\](){}"'$:>-]*+ )?+ | \[%[^%\n]*+%\]
          | %[sdvr]\b(?!%(?:\W|$)) | %[A-Za-z_]\w*+% | %\([^\n]*+ | %[sdvr@]\b | @@?[\w-]++@{1,2} )
    )++ (?: [.:/@ _,-] [\w.:/@ ,-]*+ )? ["'`\])};]*+$
    """
)
# What stands between brackets in the place of a value, and what a mark or a negation comes before: words, no secret.
MARKED = compile_pattern(
    r"""(?x)
    (?:<|&lt;|&\#x3[cC];)[\w\s.:,/@'"|&;\#-]*+>?["']?$ | [\[({!]{1,3}(?:[^\W\d]|[ :,.'"|/-])*+[\])}]{0,3}$
    | \[REDACTED | \{[\w.-]*+(?:![rsa])?\}?$ | \{[A-Za-z_][\w.]*+\[(?:["']|$) | !(?:Ref|Sub|GetAtt|vault|secret)\b
    | \^\$\w+$ | &(?:\#x?[0-9A-Fa-f]{1,6}|[a-z]{2,8});  # what is meant is read beneath it
    | \#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$ | @{1,2}[a-z_]++$ | @(?:[A-Z0-9]+_)*(?:PASS(?:WORD)?|TOKEN|SECRET|KEY)$
    | \.[a-z_]{2,20}\( | \([a-z-]+\)[a-z-]*$ | \([\w, ]*\)=> | \[\w+\]:: | ["']?`(?:[a-z]|\$[A-Z_a-z({])
    | \\[&@%$][A-Za-z_]\w*+$
    | <[A-Za-z]{1,8}>[^<>]*+</ | \\\$[({] | \$[a-z]+(?:_[a-z0-9]+|[0-9](?=[a-z]{3})[a-z]+)*+\$$
    | -[A-Za-z]\$[A-Za-z_{] | \\(?:033|x1[bB]|e)\[
    | &[A-Z]?[a-z]++(?:[-:][A-Z]?[a-z0-9]++)++$ | \(?\{\w*\}(?:[^\s{}]{0,12}\{\w*\})++\)?$ | ={1,2}\{\{[^{}\n]*+\}\}$
    | [*\u2022\u00b7xX.\u2026_\-?#]{3,}+$ | \*{2,}+[\w.]{0,4}$ | \(?\\f[A-Z0-9(] | \[\[?$ | \($ | \{(?:'[\w\#.-]*)?$
    | \#?\[[^\]\n]*+\](?:[+*?(\[]|\{[0-9,]+\}) | \{@[a-z] | \+[A-Za-z_$][\w$]*+[(.] | @[A-Z][A-Za-z]{2,30}\.[A-Z]\w+\(
    | --?[A-Za-z](?:[a-z-]{3,30}(?:[ =][\w./$(){}-]{0,40})?$|[a-z]{0,9}[\[<]|[A-Z_]{3,40}=) | \\\*\(Aq\\\*\(Aq$
    | %[A-Z][A-Z0-9_]*-[0-9]-[A-Z0-9_]+:?$ | [+!-][A-Za-z][A-Za-z0-9.-]*+:[+!-][A-Za-z]|\^[A-Za-z_]\w*+\^?$|\.[*+][?/)]
    | \[\w{0,4}\](?:\[\w*\])*+\*?[A-Za-z_][\w.]*+(?:[{(]|$) | \[[0-9]{1,4}(?:,[ ]?[0-9]{1,4})*+\]?$ | -D[A-Za-z]\w*+=
    | [\[(](?:[A-Z]{1,6}-?[0-9]{1,6}|[0-9]{1,4}(?:[/.-][0-9]{1,4}){0,2}(?:-[a-z]{2,8})?)[\])]?$ | [+!][A-Z]{3,8}$
    | /{1,2}[\w.*:/-]+\[(?:@|text\(|contains\(|[0-9]+\]/) | (\\x[0-9A-Fa-f]{2})\1*+$ | (?:\\x[0-9A-Fa-f]{2}){1,7}$
    | \((?:[&|!]\(|[A-Za-z][\w;.-]*+[~<>:]?=[^()\n]*+\)?$) | (?:%[-_^]?[a-z]{0,2}[A-Za-z][A-Z_:/,. -]*){3,}$
    | [\w*]{4,}+/[0-9]{8}/[a-z0-9-]+/[a-z0-9]+/aws4_request\b | \$0x[0-9A-Fa-f]+$ | __\w+__$
    | \{\$[\w.:]+\}$ | \{(?:0[xX])?[0-9A-Fa-f]+[uUlL]{0,3}\}?;?$ | @[a-z]{2,12}\{[\w -]*\}?$ | --\([a-z]
    | \$[A-Z][A-Z0-9_]*\$$ | \\[0-7]{3}$ | \*/[\w.*/-]+$ | \*\.[A-Za-z0-9*]{1,12}$
    | :[a-z]{2,12}: | \((?:'[^'\n]*',){2} | \*[a-z]+(?:\*[a-z]+){2,}\*?$
    | \#[0-9]{3,8}(?:[.,;)]+(?:[A-Za-z]*\#)?[0-9]*)*+$ | %[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+[.,;)]*$ | [@%][A-Z_]{3,12}[;)]*$
    | (?:%[-+\#0]?[0-9]{0,3}(?:\.[0-9*]{0,2})?(?:ll?|hh?|z)?[diouxXeEfgGcspnr][/:., -]?)+$ | [)\]}]{2,}$ | \([0-9]+\.\.
    | \.[A-Z]\w+::
    | \?(?:string|number|bool(?:ean)?|int|float)$
    | [\^~<>=]{1,2}[ ]?[0-9]+\.[0-9]+\.[0-9x*][\w.+-]*+(?:[ ]?(?:\|\||,|-)?[ ]?[\^~<>=]{0,2}[0-9][\w.+-]*+)*+$
    """
)
# An expression that tells letters, and an alphabet.
ALPHABET = compile_pattern(
    r"\(\?[:=!<Pimsx]|\[\^?(?:a-z|A-Z|0-9|a-f|A-F)|(?i:abcdefghijklmno)|\)\{[0-9,]+\}|\][+*]|\\\(.*\\\||\(\.[*+]"
)
WORDED = compile_pattern(
    r"""(?ix)
    (?:[a-z]+:)?[x]{3,}+(?:_[a-z_]+_x{3,}[0-9]?)?$ | [a-z]{2}_[0-9]{3}$ | (?:on/off|yes/no|true/false)$
    | (?:utf|iso|latin|cp)-?[0-9][\w-]*$ | user(?:name)?[/:]pass(?:word)?$
    | (?-i:[a-z_]+/[0-9])$ | (?:application|audio|image|text|video|font|multipart)/[\w.+-]+$
    | HK(?:EY_[A-Z_]+|LM|CU|CR)\\
    | (?-i:[a-z][a-z0-9.-]*@v[0-9][\w.-]*)$
    | (?:[a-z]{1,10}[=,][0-9]{1,5},?){2,}$
    | (?-i:[a-z]+_[a-z_]+\(['"][\w.-]*['"]\))$ | (?-i:[a-z]+=[A-Z]+(?:_[A-Z]+)+)$ | projects/[\w-]+/secrets/
    | (?-i:[a-z]{1,8}-[0-9a-f]{8}(?:[0-9a-f]{9})?)$
    | [0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}%\w+$ | env[:(.\[] | vault[:(] | op:// | secretref: | arn: | urn:[a-z]
    | file: | data: | enc\[ | [a-z]+'[a-z]+$
    | sha(?:1|256|384|512)[-:=] | md5[-:=] | [a-z_][\w-]*+:[x*!]{0,2}:[0-9]+:[0-9]+:
    | (?:process|os|self|this|config|settings|secrets|args|env|var|local|module|vars|params|input|req|request)\??[.\[]
    | (?:ctx|context|options|props|state)\??[.\[] | [0-9]{1,5}/[smhd]/[a-z]
    | (?:todo|tbd|none|null|nil|true|false|undefined|empty|string!?|bytes|optional|required)$
    | v?[0-9]+\.[0-9]+\.[0-9x*]+(?:[-+.][\w.+-]*+)?+$ | [\w./-]+\.html?(?:\#[\w.:-]*)?$
    | (?-i:Ag[A-D][A-Za-z0-9+/]{29})  # sealed, so that it may be shown
    | [\w*]{4,}+/[0-9]{8}/[a-z0-9-]+/[a-z0-9]+/aws4_request\b
    | [0-9]+(?:\.[0-9]+){4,}(?:\\x00)?$ | (?-i:[a-z]+(?:[:/;?\#@&=]+[a-z]+){4,})$
    | (?:bug|issue|trac|ticket|gh|pr)s?\#[0-9]{1,8}(?:[.,;)]+(?:[a-z]*\#)?[0-9]*)*+$
    | [a-z-]+/[a-z/-]*passw(?:or)?d$ | [0-9]{1,5}\.[a-z_]{3,20}$ | [a-z_]{2,20}=[0-9_.]{1,16}$
    | [0-9]{1,6}:[0-9]{1,6}:[^:]*+:/ | (?:hidden|masked|secret|password|passwd|token)(?:[.,;:"']|&\#?\w{2,4};)*$
    | (?:required|nullable|sometimes|string|bail)\| | [a-z][a-z0-9-]{0,40}-[0-9]+(?:\.[0-9]+){1,4}(?:-|$)
    """
)
# The release of a package, with its name before it or without: `1:4.13+dfsg1-1`, `six-2.0.1rc3`, `jar:5.1.0.Final`.
# Small letters may stand beside a number, capitals behind a joint: what was drawn does not keep to that.
RELEASE = compile_pattern(
    r"""(?x) (?![^\n]*[A-Za-z0-9]{20}) [(\[@]? (?:[a-z][a-z0-9]{0,30}[-_:=@/]){0,6}+
    v?(?:[0-9]{1,2}:)? [0-9]{1,8}(?:\.[0-9]{1,8})++
    (?: [-+.~_:=]{0,2}+(?:[a-z]{1,16}+|[0-9]{1,14}+)
      | [-+.~_](?:[A-Z]{1,10}|[A-Z][a-z]{2,12})[0-9]{0,4}+(?![A-Za-z]) )*+ [)\],;:]*+$"""
)
# A plain search that fails fast stands before the one that decides: a part of each branch that begins with a letter
# seldom seen in a value, so that few places are looked at.
STAND_IN_HINT = compile_pattern(
    r"REDACTED|our|OUR|hange|HANGE|place|PLACE|nsert|NSERT|my[-_]|My[-_]|MY[-_]|mple|MPLE|ummy|UMMY|ke|oobar"
    r"|xxxxxx|XXXXXX|\*\*\*\*|\.\.\.|…|\\[-f&s]"
)
STAND_IN_INSIDE = compile_pattern(
    r"""(?ix)
    REDACTED | your[-_ ]?(?:base64|\w) | (?:change|replace)[-_]?(?:me|this|it) | placeholder | insert[-_]
    | my[-_](?:secret|password|token|api|key)
    | (?:^|[-_.])(?:example|sample|dummy|fake|foobar)(?:$|[-_.]) | EXAMPLE[A-Z0-9]{0,8}$
    | \\- | \\f[A-Z\[] | \\&(?:$|[.,;)\s]) | \\s[-+]?[0-9] | x{6} | \*{4} | \.\.\. | …
    """
)
# What is left of a value beside a stand-in, and is a secret all the same: a run that no word, number or name is.
REST = compile_pattern(r"(?=[A-Za-z0-9+/]*[0-9])(?=[A-Za-z0-9+/]*[A-Za-z])[A-Za-z0-9+/]{10,}")
# A stand-in that somebody made a password of: `changeme2024`, `yourK9fz3Qm`. One digit alone only counts them.
GLUED = compile_pattern(r"(?i)(?:your(?![-_]?base64)|(?:change|replace)[-_]?(?:me|this|it))[a-z]*[0-9][a-z]*[a-z0-9]")
HANDBOOK = compile_pattern(r"EXAMPLE[A-Z0-9]{0,8}$")  # a key of one ends so
REFERRING = compile_pattern(r"[$#%@{<]")  # without one of these signs nothing is a reference
BRACKETS = compile_pattern(r"[\[(]|[hH][iI][jJ]")
SIGNS = compile_pattern(r"[$#%@{<\[(]|[hH][iI][jJ]")  # either
