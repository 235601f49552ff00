"""Secrets that are told by what stands beside them, a name, a header, a flag or an address (`CONTEXT`), and files whose
form alone says which word is the secret (`FILES`).
"""

from __future__ import annotations

from overspill.redact.rules import Rule
from overspill.redact.rules.vendors import FORMATS

# Where databases listen: their own ports, and those next to them that people take for a second one.
_DATABASE_PORTS = (
    *map(str, range(5430, 5440)), "1433", "1521", "3306", "3307", "5000", "5001", "5480", "5500", "6000", "6432", "6543",
    "7000", "7001", "8432", "9432", "15432", "25432", "35432", "54320", "54321", "54322", "55432", "65432",
)

_HEADED = "password|passwd|passphrase|secret|token|pwd|api_key|apikey|api key"

FILES: tuple[Rule, ...] = (
    Rule("key-pair-in-bytes", "PRIVATE_KEY", r"(?<![\w(\[,])\[[ ]?(?P<v>[0-9]{1,3}(?:,[ ]?[0-9]{1,3}){63})[ ]?\]", (), "[" + ", ".join(str(pow(6, n, 251)) for n in range(64)) + "]",
         "[1, 2, 3, 4, 5, 6, 7, 8, 9]", how="bytes", scan=r"\[ ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3},"),
    Rule("cookie-file", "COOKIE", r"[\w.#-]{1,128}\t(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[^\t\n]{1,128}\t(?P<v>[^\s]{8,4096})",
         ("\ttrue\t", "\tfalse\t"), "example.com\tTRUE\t/\tTRUE\t1999999999\tsid\t<A32>", "a\tTRUE\tb\tFALSE", how="line"),
    Rule("netrc", "PASSWORD", r"password[ \t]{1,8}(?P<v>[^\s\"'\\]{3,256})(?=[ \t]{0,8}(?:[\r\n\"'\\#]|\Z|login\b|account\b|machine\b|macdef\b))",
         ("password ", "password\t"), "machine git.example.com login jane password <A14>", "log in with your login and password now",
         how="netrc", scan=r"password[ \t][^\s]"),
    Rule("pgpass", "PASSWORD",
         r"(?:[\w.-]{1,128}|\*):(?:" + "|".join(_DATABASE_PORTS) + r"|\*):[^:\s]{1,64}:[^:\s]{1,64}:(?P<v>[^\s:\\<]{3,256})(?=\r?(?:\n|\Z)|</)",
         (*(f":{port}:" for port in _DATABASE_PORTS), ":*:"), "db.internal:5432:app:alice:<A14>", "db.internal:5432", how="line"),
    Rule("htpasswd", "PASSWORD", r"(?<![^\s:=\"'])(?P<v>\$(?:apr1|2[abxy]|argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?[a-z0-9=,]{5,60}|5|6|8|9|y|scrypt|pbkdf2[\w-]{0,16})\$[^\s:\"'<>,;\\]{20,256})",
         ("$apr1$", "$2a$", "$2b$", "$2x$", "$2y$", "$argon2", "$5$", "$6$", "$8$", "$9$", "$y$", "$scrypt$", "$pbkdf2"),
         "root:$6$<A16>$<A86>:19000:0", "cost $5$ each", how="certain"),
    Rule("stored-hash", "PASSWORD",
         r"(?P<v>(?:pbkdf2_sha(?:1|256|512)\$[0-9]{3,8}|pbkdf2:sha(?:1|256|512):[0-9]{3,8}|scrypt:[0-9:]{5,16})\$[A-Za-z0-9./+_-]{6,64}\$[A-Za-z0-9+/=]{20,128}|\{(?i:S?SHA(?:224|256|384|512)?|S?MD5|PBKDF2[\w-]{0,12}|ARGON2)\}[A-Za-z0-9+/$.]{20,256}={0,2})",
         ("pbkdf2_sha", "pbkdf2:sha", "scrypt:", "{ssha", "{sha", "{smd5}", "{md5}", "{pbkdf2", "{argon2}"),
         "pbkdf2_sha256$600000$<A12>$<B43>=", "pbkdf2_sha256(x)", how="certain"),
    Rule("plain-password", "PASSWORD", r"(?<!\$)\{(?i:plain|clear|cleartext)\}(?P<v>[^\s:\"'<>\\]{4,128})", ("{plain}", "{clear}", "{cleartext}"),
         "jo@example.com:{PLAIN}<A14>:5000:5000::/srv/mail::", "{plain} text", how="any"),
    Rule("vpn-secret", "PASSWORD", r":[ \t](?:PSK|EAP|XAUTH|NTLM|PIN)[ \t]{1,8}(?P<q>[\"'])(?P<v>[^\"'\n]{4,256})(?P=q)",
         tuple(f":{blank}{kind}" for blank in " \t" for kind in ("psk", "eap", "xauth", "ntlm", "pin")), 'alice : EAP "<A14>"', ": PSK %any", how="any",
         scan=r":[ \t](?:psk|eap|xauth|ntlm|pin)[ \t]{1,8}[\"']"),
    Rule("user-list", "PASSWORD", r"\"[\w.@-]{1,64}\"[ \t]{1,4}\"(?P<v>[^\"\s\\]{6,256})\"(?=[ \t]{0,8}\r?(?:\n|\Z))",
         ('" ', '"\t'), '"alice" "x7<A12>9Q"', 'puts "one" "two"', how="drawn-line", scan=r"\"[ \t]{1,4}\"[^\"\s\\]{6}"),
    Rule("wireguard-key", "PRIVATE_KEY", r"(?i:(?:private|preshared)-?key)[ \t]{0,8}[=:][ \t]{0,8}(?P<v>[A-Za-z0-9+/]{43}=)(?![\w=])",
         ("privatekey", "presharedkey", "private-key", "preshared-key"), "PrivateKey = <B43>=", "PublicKey = <B43>=", how="token"),
    Rule("wireguard-dump", "PRIVATE_KEY", r"(?<![A-Za-z0-9+/])(?P<v>[A-Za-z0-9+/]{43}=)\t[A-Za-z0-9+/]{43}=\t[0-9]{1,5}\t", ("=\t",), "<B43>=\t<B43>=\t51820\toff", "<B43>=\t(none)\t192.0.2.1:51820",
         back=43, how="certain"),
    Rule("value-below", "SECRET", r"",
         (": |", ": >", *(f"{word}{close}" for word in ("password", "passwords", "passwd", "passphrase", "secret", "secrets", "token", "tokens", "key")
                          for close in ('",', ":\n", ":\r\n", '":\n', '":\r\n', ">\n", ">\r\n", "</", '"\r\n', '"\n', " type=", ",", "\t", " |", "|", "\n", "\r\n")),
          *(f"{word}{close}" for word in ("assword", "passwd", "assphrase", "passcode", "pwd", *(f"assword{joint}{place}" for joint in ("", "_", "-") for place in ("field", "input", "box")))
            for close in ('")', "')", '"]', "']", '" {', "' {", '";', "';", ":'", ':"', ': "', ": '", ': ")', "*", "?", "}", " for ", " to ", " of ", " is ", " again", " <==", " (")),
          "pwgen", "mkpasswd", "openssl rand", "dev/urandom", "pass>\n", "pass>\r\n", 'pass",\n', 'pass",\r\n', 'pwd",\n', 'pwd",\r\n', "pass:\n", "pass:\r\n", "pwd:\n", "pwd:\r\n", ") from stdin;\n", ") from stdin;\r\n",
          *(f"{edge}{word}" for edge in (",", ',"', ";", ';"', "\t", "| ", "|", "│ ", "┆ ") for word in ("password", "passwort", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "apikey", "kennwort", "mot_de_passe", "senha", "contrasena", "wachtwoord", "haslo", "heslo")), 'pass"\n', 'pass"\r\n'),
         "settings:\n  password: |-\n    <A24>\n", "settings:\n  reset_password: |\n    Hello, and welcome back.\n", how="below"),
    Rule("kubernetes-secret", "SECRET", r"",
         ("kind: secret", 'kind: "secret', "kind: 'secret", 'kind":"secret', 'kind": "secret', 'kind\\":\\"secret', 'kind\\": \\"secret',
          "data:\n", "data:\r\n", 'data":{', 'data": {', 'data\\":{', 'data\\": {'),
         '{"apiVersion":"v1","data":{"user":"<B24>"},"kind":"Secret"}',
         '{"apiVersion":"v1","data":{"user":"<B24>"},"kind":"ConfigMap"}', how="below"),
    Rule("value-laid-out", "SECRET", r"", ("password", "passwd", "passphrase", "secret", "token", "pwd", "api_key", "apikey", "api key", "values (", "values(", "$ ", "~# ", "]# ", "/# ", "/ # "),
         "password = (\n    '<A14>'\n)\n", "token = get(\n    'DEPLOY_TOKEN2'\n)\n", how="below",
         scan="\n".join((
             *(way for word in _HEADED.split("|") for way in (rf"  {word}\n", rf"  {word}\r\n", rf"{word}  [ A-Za-z]")),
             rf"(?:{_HEADED})[A-Za-z0-9_]{{0,20}}[\"'\]]{{0,2}}[ \t]{{0,4}}(?::=|[:=]>?)[ \t]{{0,4}}[A-Za-z0-9_.:]{{0,60}}[(\[][ \t]{{0,4}}\r?\n",
             rf"(?:{_HEADED})[A-Za-z0-9_]{{0,20}}[\"'`\]]? ?= ?(?:\?|%s|\$[0-9]|@p?[0-9]|:[0-9])", r"values ?\( ?(?:\?|%s|\$[0-9]|@p?[0-9]|:[0-9])",
             r"\$ [a-z/.~][a-z]", r"[~\]/]# [a-z/.~][a-z]", r"/ # [a-z/.~][a-z]",
         ))),
)

# `pass` begins a name unless it begins passed, passing, passage: every line of a test report says one of them.
_USUAL = "password|passwd|secret|token"
_NAMES_ABROAD = (
    "haslo", "kennwort", "wachtwoord", "heslo", "salasana", "losenord", "passord", "kodeord",
    "lozinka", "geslo", "jelszo", "parool", "contrasenya", "authtok",
)
_NAME = (
    rf"(?:(?:passw(?:[a-ce-np-z0-9_.\-]|o[a-qs-z0-9_.\-]|or[a-ce-z0-9_.\-])|(?:{_USUAL})[A-Za-z0-9_.\-]|passphrase|passcode"
    r"|[_\-.]pass[a-vx-z0-9_.\-]|[_\-.]pw|(?:root|bind|user|admin|db)pw\b|pwd|pswd|[A-Za-z0-9_\-.]key|auth"
    r"|credential|creds|bearer|jwt|[A-Za-z0-9][_\-]licen[sc]e|activation[_\-]?code|sess(?:ion)?id|contrasena|senha|geheimnis|material|haslo|kennwort|wachtwoord|heslo|salasana|losenord|passord|kodeord|lozinka|geslo|jelszo|parool|contrasenya|authtok)[A-Za-z0-9_.\-]{0,40}|[A-Za-z_\-.]pass\b|passw(?:or?)?\b"
    r"|[_\-.](?:pat|salt|pepper|psk)\b|\b(?:psk|pw)\b"
    r"|\bpass(?:[b-df-hj-vx-z0-9_.\-][A-Za-z0-9_.\-]{0,40})?)"
)
# What closes a name, what joins it to its value, and what else may stand behind it.
_CLOSE, _VALUE = r"[\\\"'`\])}*$]", r"[ \t]{0,16}[^\s]"
_BEHIND = (
    r"[ \t]{1,24}[^\s]|\((?:[A-Za-z_:.]{1,24}[(,] ?)?[\"'`]|</[a-z]|\}?\{[^\s{}]"
    r"|\.(?:send_?keys|fill|type|press|set|enter|insert|input)[a-z_]{0,16}\([\"'`]"
)
_SIGN = r"(?:[:=>,!]|->|;s:|[?+]=|\|\|=|→|│)"
_JOINED = rf"(?:[ \t]{{0,16}}{_SIGN}{_VALUE}|{_BEHIND})"
# A usual name with its value right behind it has a width: it is told apart from all else, at half the cost.
_DIRECT = tuple(rf"{name}{sign}[^\s]" for name in _USUAL.split("|") for sign in ("[:=]", ": ", '":', '": '))
_INDIRECT = (
    rf"(?:{_USUAL})(?:\"?(?:[>,!]|->|;s:|[?+]=|\|\|=){_VALUE}|\"?:(?:[ \t]{{2,16}}|\t)[^\s]|=[ \t]{{1,16}}[^\s]|\"={_VALUE}"
    rf"|\"?[ \t]{{1,16}}{_SIGN}{_VALUE}|\"?(?:{_BEHIND})|(?:[\\'`\])}}*$]|\"{_CLOSE}){_CLOSE}{{0,7}}{_JOINED})"
)

# How words in base64 and in hex begin, told by their bits: what can be printed leaves its mark on each character.
_CODED = (
    r"(?-i:(?:^|[^A-Za-z0-9+/_\-])(?:"
    r"(?:[CDI-Za-f][AC-HQS-Xgi-nwyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/_\-]){5}|(?:[2-7][0-9A-Fa-f]|0[9aAdD]){12}))"
)

# Words near which what was drawn is a secret.
_KINDS_OF_DOORS = ("wpa", "wifi", "wlan", "network", "backup", "recovery", "unlock", "radius", "tacacs", "totp")
_PASSWORD_WORDS = (
    *(f"{kind}{joint}key" for kind in _KINDS_OF_DOORS for joint in " _-"), *(f"{kind}{joint}code" for kind in ("pin", "unlock", "access") for joint in " _-"),
    "snmp community", "community string", "rocommunity", "rwcommunity", "pasw", "pass-word", "pass.word", "p/w", "kennw.", "pswd", "pswrd", "wpa2", "wpa3", "pass phrase", "pass-phrase",
    "passw", "passphrase", "passcode", "pass", "pwd", "pw", "credential", "secret", "senha", "contrase", "wachtwoord", "kennwort",
    "mot de passe", "hasło", "haslo", "pre-shared", "preshared", "lösenord", "salasana", "adgangskode", "heslo", "jelsz", "kodeord", "passord", "lozink", "lykilor", "wagwoord", "parola", "ароль", "арол", "密码", "密碼", "口令", "パスワード",
    "비밀번호", "비번", "🔑", "كلمة المرور", "كلمة السر", "رمز عبور", "گذرواژه", "סיסמ", "รหัสผ่าน", "ật khẩu", "ωδικ", "पासवर्ड", "암호", "パスコード", "暗証番号", "kata sandi",
    "slaptažod", "parole", "pasahitza", "zugangs", "de acceso", "de acesso", "'accès", "di accesso", "доступа", "identified by", "basic_auth", "basicauth", "basic-auth", "psk", "auth", "cred", "ugfzc3dvcmq6", "{plain}", "ifre", "connect", "ftp",
    "sftp", "ldap", "smtp", "imap", "ssh", "wifi", "wi-fi", "wlan", "ssid", "pdo", "jdbc", "odbc", "mysql", "postgres", "sshpass", "vault",
    *(f"{kind}{joint}text" for kind in ("plain", "clear") for joint in ("", "_", "-")),
    *(f"{first}{joint}{last}" for first, last in (("create", "user"), ("add", "user"), ("user", "create"), ("user", "add")) for joint in ("", " ", "_", "-")),
    *(f"{act}{joint}{way}" for act in ("log", "logged", "logging", "sign", "signed") for joint in ("", " ", "-") for way in ("in", "on") if (act, way) not in {("sign", "on"), ("signed", "on")}),
)
_KINDS_OF_CODES = ("activation", "invite", "invitation", "join", "device", "access", "pairing", "unlock", "registration")
# Those that begin many other words, and one with signs of its own.
_WHOLE = {word: rf"{word}\b" for word in ("pass", "pw", "key", "session")} | {"p/w": r"\bp/w\b", "pass.word": r"pass\.word", "kennw.": r"kennw\."} | {"cred": r"creds?\b", "{plain}": r"\{plain\}", "auth": "auth\\b\nauth[a-np-z0-9_]\nauthori[sz]"}
_TOKEN_WORDS = (
    *(f"{kind}{joint}code" for kind in _KINDS_OF_CODES for joint in " _-"), "token", *(f"{first}{joint}key" for first in ("api", "access") for joint in ("", " ", "_", "-")), "bearer", "ticket", "key", "auth", "session", "totp", "seed", "mnemonic", "privkey", "kty", "nsec")

# Before the word `key`: what makes a key secret, and what does so where a name of a setting would not say it.
_KINDS_APART = "|".join(rf"(?<=(?i:{kind})[ ])" for kind in ("api", "access", "secret", "master", "private", "signing", "encryption")) + "|(?<=(?i:enc))|(?<=(?i:priv))"
_KINDS_OF_KEYS = "|".join(rf"(?<=(?i:{kind}){joint})" for kind in ("api", "access", "secret", "master", "private", "signing", "encryption") for joint in ("", "[_-]"))
_ACCOUNT_KINDS = "|".join(rf"(?<=(?i:{kind}){joint})" for kind in ("primary", "secondary", "account", "master", "readonly") for joint in ("", "[_-]", "[ ]"))
# What may stand between a word for a key and its digits: nothing that says that they are something else.
_WORD_BETWEEN = (
    r"(?:[ ](?!(?i:commit|sha|md5|hash|id|digest|sum|checksum|fingerprint|of|in|at|from|revision|rev|version|request|session|user|client|trace|build|image|job|event|order|device|cache)\b)[\w'()@.-]{1,12})"
)
_TOLD_BY = r"(?:[ \t]{0,12}[:=][ \t]{1,3}|(?<=[sS]eed)=)"
_LISTED_CODES = (
    *(f"{kind}{joint}code" for kind in ("verification", "login", "security", "one-time", "sign-in", "confirmation", "authentication") for joint in " _-"), "private keys",
    *(f"{kind}{joint}code" for kind in ("recovery", "backup", "scratch", "emergency") for joint in " _-"),
    *(f"{kind}{joint}{what}" for kind in ("recovery", "backup", "seed", "secret", "mnemonic") for joint in " _-" for what in ("phrase", "words")),
)
_WORDS_ABROAD = ("mdp", "mot de passe", "contrasenya", "contraseña", "contrasena", "senha", "parola", "hasło", "heslo", "wachtwoord", "kennwort", "passwort", "lösenord", "clave", "clé", "chiave", "chave", "klucz", "schlüssel",
                 "salasana", "jelsz", "kodeord", "adgangskode", "passord", "lozink", "parool", "lykilor", "wagwoord", "ifre", "ароль", "арол")
_CODE_KINDS = "|".join(
    rf"(?<=(?i:{kind}){joint})"
    for kind in ("verification", "security", "recovery", "backup", "scratch", "one[ -]time", "2fa", "mfa", "auth", "authentication", "login", "access", "confirmation", "sms", "unlock", "reset", "pairing", "door", "gate", "alarm", "entry", "lock", "safe", "voicemail", "setup")
    for joint in ("[ _-]", "[ _-](?i:pass)")
) + "|(?<=(?i:pass))|(?<=(?i:pass)[ -])"

CONTEXT: tuple[Rule, ...] = (
    Rule("encoded-secret", "SECRET", r"", (), "echo $X | base64\nQVBQX1BBU1NX" "T1JEPXg3S3EyOVptUHc0MQ==\n",
         "dGhlIHF1aWNr" "IGJyb3duIGZveCBqdW1wcyBvdmVy", how="encoded", scan=_CODED),
    Rule("network-dsn", "PASSWORD", r"", ("@tcp(", "@tcp4(", "@tcp6(", "@unix(", "@udp("), "app:<A14>@tcp(db:3306)/shop?parseTime=true",
         "app@tcp(db:3306)/shop", how="dsn"),
    Rule("qualified-password", "PASSWORD",
         r"(?i:password|passwd|passphrase|passwort|pwd)(?:@[\w.-]{1,40}+|[ ]?\((?!(?:bool|str|string|int|bytes|object|optional|number)\b)[\w .@-]{1,40}+\))[ \t]{0,8}+(?:=|:[ \t])[ \t]{0,8}+[\"'`]?+(?!%[sdrv@](?!\w))(?P<v>[^\s\"'`<>]{4,256}+)",
         ("password@", "passwd@", "passphrase@", "passwort@", "pwd@", "password (", "passwd (", "passphrase (", "passwort (", "pwd (", "password(", "passwd(", "passphrase(", "passwort(", "pwd("),
         "password@prod = <A14>", "password(user) = get", how="any"),
    Rule("url-password", "PASSWORD",
         r"://[^\s/?#\"'`<>@:\\]{0,128}+:(?P<v>[^\s/\"'`<>\\]{1,256}|(?![0-9]{1,5}[/?#])[^\s\"'`<>\\@]{4,128}(?=@[\w.-]{1,253}(?::[0-9]{1,5})?(?:[/?]|\Z|[\s\"'`])))@(?=[\w\[%$*{-])", ("://",),
         "postgres://app:<A16>@db.internal:5432/app", "postgres://app@db.internal:5432/app",
         how="url", scan=r"://[^\s/?#\"'`<>@:\\]{0,128}:(?:/[!#-&(-.0-9;=?A-\[\]^_a-~]|[!#-&(-.0-9;=?A-\[\]^_a-~])"),
    Rule("url-token", "TOKEN", r"://(?P<v>[A-Za-z0-9_.~+-]{8,256})@(?=[\w\[-])", ("://",),
         "https://<A40>@git.example.com/x.git", "https://jane@git.example.com/x.git",
         how="opaque-url", scan=r"://[A-Za-z0-9_.~+\-]{8,256}@"),
    Rule("authorization-header", "TOKEN",
         r"(?<![A-Za-z])(?i:authorization)\\{0,4}[\"']?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}\\{0,4}[\"'`]?(?:[bf][\"'])?"
         r"(?:(?:(?i:bearer|token|bot|apikey|api-key|key|negotiate|ntlm|splunk|basic|oauth|sso-key|genieKey|discogs|mac)[ \t]{1,4}))?(?:token=)?\\{0,4}[\"']?"
         r"(?P<v>(?!AWS4-HMAC)[A-Za-z0-9_.~+/=:%$!*-]{6,}+)(?!\()", ("authorization",),
         "Authorization: Bearer <A32>", "Authorization: Bearer token is required", how="credential",
         scan=r"authorization\\{0,4}[\"']?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}[^\s]"),
    Rule("basic-credentials", "PASSWORD", r"(?<![A-Za-z0-9])(?i:basic)[ \t]{1,2}(?P<v>[A-Za-z0-9+/]{12,}={0,2})(?![\w=])", ("basic ", "basic\t"),
         "Proxy-Authorization: Basic <A24>", "Basic authentication is required", how="random"),
    Rule("bearer-token", "TOKEN", r"(?i:bearer)(?:[ \t]{1,2}|%20|\.authorization\.k8s\.io\.)(?P<v>[A-Za-z0-9_.~+/=-]{16,})", ("bearer ", "bearer\t", "bearer%20", "bearer.authorization.k8s.io."),
         "got bearer <A32>", "bearer authentication-mechanism-name", how="opaque"),
    Rule("signed-authorization", "SIGNATURE", r"(?i:signature)=[\"']?(?P<v>[A-Za-z0-9+/%_-]{27,}={0,2})", ("signature=",),
         "https://b.example.com/f?X-Amz-Signature=<H64>", "signature=none", how="token"),
    Rule("digest-response", "SIGNATURE", r"response=\\?[\"']?(?P<v>[0-9a-f]{32,64})(?![0-9A-Za-z])", ("response=",),
         'Authorization: Digest username="jo", nonce="1", response="<H32>"', 'g-recaptcha-response="<A8>"', how="token", before=("igest ",)),
    Rule("account-hashes", "PASSWORD", r":[0-9]{3,10}:(?P<v>[0-9a-fA-F]{32}:[0-9a-fA-F]{32}):::", (), "jo:1001:<H32>:<H32>:::", "a:1001:::", how="certain",
         scan=r":[0-9]{3,10}:[0-9a-f]{32}:[0-9a-f]{32}:::"),
    Rule("signed-url", "SIGNATURE", r"[?&;](?i:sig|hmac)=(?P<v>[A-Za-z0-9+/%_~-]{20,}={0,2})", ("?sig=", "&sig=", ";sig=", "?hmac=", "&hmac=", ";hmac="),
         "https://a.blob.core.windows.net/c/x?sv=1&sig=<A43>%3D", "https://a.example.com/?sig=1", how="token"),
    Rule("cookie", "COOKIE", r"(?:(?i:set-cookie|cookie)2?\\{0,4}[\"']?\]?[ \t]{0,2}[:=,][ \t]{0,2}\\{0,4}[\"']?|[ ]-b[ ][\"']|(?i:cookie)[ ])(?=[A-Za-z0-9_.%~!*-]{1,80}=)", ("cookie", " -b '", ' -b "'),
         "Cookie: theme=dark; session=<A32>", "Cookie: theme=dark", how="cookies",
         scan=r"cookie2?[\\\"'\]]{0,6}[ \t]{0,2}[:=,]" "\n" r"cookie [a-z0-9_]{1,40}=" "\n" r" -b [\"']"),
    Rule("curl-user", "PASSWORD",
         r"(?: -u|--user|--proxy-user| -a|--auth)(?:[ \t]{1,4}|=)\\?[\"']?[^\s:\"'$]{1,64}:(?P<v>[^\s\"'\\]{3,128})",
         (" -u", "--user", "--proxy-user", " -a ", " -a\t", " -a=", "--auth"),
         "curl -s -u alice:<A14> https://api.example.com", "docker run -u 1000:1000 image", how="any",
         before=("curl", "http", "wget", "xh "), scan=r"(?: -u|--user|--proxy-user| -a|--auth)[ \t=]{1,4}\\?[\"']?[^\s:\"'$]{1,64}:"),
    Rule("prompted-password", "PASSWORD", r"(?i:pass(?:word|phrase|code))[ ]for[ ](?:'[^'\n]{1,80}'|[^\n:\[]{1,60}):[ ]{1,4}(?P<v>[^\s\"'\\]{4,128})(?=[ \t]{0,8}(?:[\r\n]|\Z))",
         ("password for ", "passphrase for ", "passcode for "), "Enter password for root: <A14>", "Password for 'https://git.example.com': ", how="any"),
    Rule("told-password", "PASSWORD",
         r"(?i:pass(?:word|phrase|code|wd)?|pw|token|secret|key)[ ](?:for|of|to|on)[ ][^\n:=`\"'<>()\[]{1,60}?(?:[:=]|[ ](?:is|was):?|[ ]=)[ ]{0,3}[\"'`]?(?P<v>[^\s\"'`\\<>]{8,256})(?=[\s\"'`.,;]|\Z)",
         tuple(f"{name} {word} " for name in ("password", "passphrase", "passcode", "passwd", "pass", "pw", "token", "secret", "key") for word in ("for", "of", "to", "on")),
         "the root pw for the box is `x7<A14>Q`", "the token for this request is required", how="drawn",
         scan=r"(?:pass|password|passphrase|passcode|passwd|pw|token|secret|key) (?:for|of|to|on) [^\s]"),
    Rule("leader-password", "PASSWORD", r"(?i:password|passwd|passphrase|secret|token|key)\.\.\.\.[.]{0,56}+[ ]{0,2}[\"']?(?P<v>[^\s\"'.<>*][^\s\"'<>]{3,256})",
         tuple(f"{name}...." for name in ("password", "passwd", "passphrase", "secret", "token", "key")), "HikariConfig - password.........................<A14>",
         "password.........................<masked>", how="any"),
    Rule("pipeline-variable", "SECRET", r"variable=[\w.]{0,60}?(?i:password|passwd|secret|token|key|pwd|passphrase)(?:;[^\]\n]{0,80})?\](?P<v>[^\s\"'$]{4,512})",
         ("variable=",), "##vso[task.setvariable variable=dbPassword;issecret=true]<A14>", "##vso[task.setvariable variable=build]<A14>", how="any"),
    Rule("password-input", "PASSWORD", r"type=[\"']password[\"'][^<>\n]{0,200}?[ ]value=[\"'](?P<v>[^\"'<>\n]{4,256})", ('type="password', "type='password"),
         '<input type="password" name="p" value="<A14>">', '<input type="password" name="p" value="">', how="any"),
    Rule("net-user", "PASSWORD", r"net user[ ][^\s/]{1,64}[ ](?P<v>[^\s/\"'*][^\s\"']{3,128})", ("net user ",),
         "net user joe <A14> /add", "net user joe /delete", how="any"),
    Rule("slash-password", "PASSWORD", r" /(?:(?:p|pass|password):|p[ ](?!/))[\"']?(?P<v>[^\s\"'\\]{4,128})", (" /p:", " /p ", " /pass:", " /password:"),
         "xfreerdp /v:host /u:joe /p:<A14>", "msbuild /p:Configuration=Release", how="any", before=("freerdp", "rdesktop", "cmdkey", "mstsc", "net use", "vncviewer", "signtool")),
    Rule("user-slash-password", "PASSWORD", r"(?:(?i:sqlplus|sqlldr|sqlcl|exp|imp|expdp|impdp|rman|conn|connect)[ ](?:-[A-Za-z]{1,8}[ ]){0,3}|thin:|(?i:userid)=[\"']?)[\w$#.-]{1,64}/(?P<v>[^\s\"'\\@/]{4,128})@(?=[\w/(])",
         ("sqlplus ", "sqlldr ", "sqlcl ", "thin:", "exp ", "imp ", "expdp ", "impdp ", "rman ", "conn ", "connect ", "userid="), "sqlplus app/<A14>@db", "sqlplus /nolog", how="any"),
    Rule("tool-password", "PASSWORD", r"[ \"']-h?p(?P<v>[^\s\"'\\-][^\s\"'\\]{3,128})", (" -p", " -hp", '"-p', "'-p", '"-hp', "'-hp"),
         "mysql -h db -u app -p<A16>", "mysql -h db -u app -p", how="any", before=("mysql", "mariadb", "7z ", "rar "), scan=r"[ \"']-h?p[^\s\"'\\-][^\s\"'\\]{3}"),
    Rule("tool-password-flag", "PASSWORD", r" -[paPwWN](?:[ \t]{0,4}[\"'](?=[^\s\"']{1,128}[\"'])|[ \t]{1,4}(?![=-]))(?P<v>[^\s\"'\\]{4,129})", (" -p ", " -a ", " -w ", " -n ", " -n\t", " -p\t", " -a\t", " -w\t", " -p'", ' -p"', " -a'", ' -a"', " -w'", ' -w"', " -n'", ' -n"'),
         "sshpass -p <A14> ssh host", "unzip -p archive.zip", how="any",
         before=("sshpass", "redis-cli", "docker login", "podman login", "helm registry", "nerdctl login", "buildah login", "skopeo login", "mongo", "sqlcmd",
                 "ssh-keygen", "ldap", "az login", "oc login", "bcp", "mysql", "mariadb")),
    Rule("archive-password", "PASSWORD", r" -P[ \t]{1,4}[\"']?(?P<v>[^\s\"'\\=-][^\s\"'\\]{3,128})", (" -p ", " -p\t"),
         "zip -P <A14> out.zip in", "unzip -p archive.zip", how="any", before=("zip",)),
    Rule("tool-key-flag", "PASSWORD", r" -(?:k|K)[ \t]{1,4}[\"']?(?P<v>[^\s\"'\\=-][^\s\"'\\]{3,128})", (" -k ", " -k\t"),
         "openssl enc -aes-256-cbc -k <A14> -in x", "curl -k https://x.example.com", how="any", before=("openssl enc", "openssl aes", "openssl des")),
    Rule("document-password", "PASSWORD", r"--encrypt[ ][\"']?(?P<v>[^\s\"'\\-][^\s\"'\\]{3,128})[\"']?[ ][^\s]{1,128}[ ](?:40|128|256)(?![\w.])", ("--encrypt ",),
         "qpdf --encrypt <A14> owner 256 -- in.pdf out.pdf", "tar --encrypt in out", how="any"),
    Rule("secure-string", "PASSWORD", r"(?:(?i:ConvertTo-SecureString)|encrypt_string)[ \t]{1,4}(?:(?:(?i:-String)|--[a-z-]{2,24}[ =][\w.@/-]{1,60})[ \t]{1,4}){0,3}[\"'](?P<v>[^\"'\n\\$][^\"'\n\\]{3,256})[\"']",
         ("convertto-securestring", "encrypt_string"), 'ConvertTo-SecureString "<A14>" -AsPlainText -Force', "ConvertTo-SecureString $env:PASSWORD -AsPlainText", how="any"),
    Rule("added-mask", "SECRET", r"::add-mask::(?P<v>[^\s\"'\\]{4,512})", ("::add-mask::",),
         "::add-mask::<A20>", "::add-mask::$TOKEN", how="any"),
    Rule("htpasswd-command", "PASSWORD",
         r"passwd[ \t]{1,4}-[A-Za-z]{0,4}b[A-Za-z]{0,4}[ \t]{1,4}[^\s]{1,200}[ \t]{1,4}(?!\[REDACTED)[^\s]{1,64}[ \t]{1,4}[\"']?(?P<v>[^\s\"'\\]{4,128})",
         ("passwd -", "passwd  -", "passwd\t-"), "htpasswd -cb users joe <A14>", "htpasswd -c users joe", how="any"),
    Rule("literal-of-secret", "SECRET", r"--from-literal[= ][\"']?[\w.-]{1,253}=[\"']?(?P<v>[^\s\"'\\]{4,512})", ("--from-literal",),
         "kubectl create secret generic db --from-literal=user=<A12>", "kubectl create configmap db --from-literal=user=<A12>", how="any", before=("secret ",)),
    Rule("piped-password", "PASSWORD",
         r"(?:echo|printf)[ ](?:-n[ ]|[\"']?%s(?:\\{1,2}n)?[\"']?[ ])?[\"']?(?:[\w.-]{1,32}:)?(?P<v>[^\s\"'$\\|:]{4,256})[\"']?[ \t]{0,2}\|[ \t]{0,2}+(?!git )[^\n|]{0,80}(?:-stdin|passwd|sudo [^|]{0,20}-S|cryptsetup|--passphrase-fd|kinit|p4 login|secrets? (?:create|set|put|versions))",
         ("echo ", "printf "), "echo <A14> | docker login -u joe --password-stdin", "echo $TOKEN | docker login --password-stdin", how="any",
         scan=r"printf [\"']?%s[\"'\\ ][^|]" "\n" r"(?:echo|printf) (?:-n )?[\"']?[^\s\"'$\\|]{4,256}[\"']?[ \t]{0,2}\|[^\n|]{0,80}(?:-stdin|passwd|sudo [^|]{0,20}-S|cryptsetup|--passphrase-fd|kinit|p4 login|secrets? (?:create|set|put|versions))"),
    Rule("changed-value", "PASSWORD",
         r"[ \t]{0,40}[~+-]?[ \t]{0,4}[\w.-]{0,40}?(?i:password|passwd|secret|token|api_key)[ \t]{0,40}=[ ]\"[^\"\n]{0,512}\"[ ]->[ ]\"(?P<v>[^\"\n\\]{4,512})\"",
         ('" -> "',), '  ~ password = "<A6>" -> "<A14>"', '  ~ name = "one" -> "two"', how="line"),
    Rule("smb-user", "PASSWORD", r"(?: -U|--user|username=)[= \t]{0,2}[\"']?[\w.\\/-]{1,64}%(?P<v>[^\s\"'\\%]{4,128})",
         (" -u", "--user", "username="), "smbclient //h/s -U alice%<A12>", "username=50%off", how="any",
         scan=r"(?: -U|--user|username=)[= \t]{0,2}[\"']?[\w.\\/-]{1,64}%"),
    Rule("openssl-pass", "PASSWORD", r"(?:-pass(?:in|out)?|--passphrase)[ \t=]{1,4}[\"']?pass:(?P<v>[^\s\"'\\]{4,128})",
         ("-pass ", "-pass=", "-pass\t", "-passin", "-passout", "--passphrase"), "openssl rsa -passin pass:<A12>", "openssl rsa -passin env:X", how="any"),
    Rule("sql-password", "PASSWORD",
         r"(?:IDENTIFIED[ \t]{1,4}(?:(?i:with)[ \t]{1,4}[\w\"'`]{3,40}[ \t]{1,4})?(?i:by|as)|(?i:\bpassword(?:[ \t]{0,4}=)?|set password for[^\n=]{1,80}=))[ \t]{1,4}(?i:password[ \t]{0,2}\([ \t]{0,2})?\\?[\"'](?P<v>[^\"'\n\\]{4,256})\\?[\"']",
         ("identified", "password", "set password for"), "CREATE USER app IDENTIFIED BY '<A12>'", "ALTER TABLE t ADD password text", how="any",
         scan=r"identified[ \t]|set password for |password(?:[ \t]{0,4}=)?[ \t]{1,4}(?:password[ \t]{0,2}\([ \t]{0,2})?\\?[\"'][^\"'\n\\]{4}"),
    Rule("sql-word", "PASSWORD", r"(?i:identified[ \t]{1,4}by)[ \t]{1,4}[\"']?(?P<v>[^\s\"'`;,()]{6,128})", ("identified",),
         "CREATE USER app IDENTIFIED BY x7<A12>9", "users are identified by their name", how="told", scan=r"identified[ \t]{1,4}by[ \t]"),
    Rule("redis-config", "PASSWORD", r"(?:requirepass|masterauth|sentinel auth-pass \S{1,60})[ \t]{1,4}[\"']?(?P<v>[^\s\"'\\]{4,256})",
         ("requirepass", "masterauth", "sentinel auth-pass"), "requirepass <A16>", "# requirepass foobared", how="any"),
    Rule("snmp-community", "PASSWORD",
         r"(?:snmp-server community|com2sec6?[ \t]{1,4}\S{1,40}[ \t]{1,4}\S{1,60}|rocommunity6?|rwcommunity6?|enable (?:secret|password)(?: \d)?|username \S{1,40} (?:privilege \d{1,2} )?(?:secret|password) \d"
         r"|(?:tacacs|radius)-server(?: host \S{1,60})? key(?: \d)?|isakmp key(?: \d)?|pre-shared-key(?: address \S{1,60})? key(?: \d)?|message-digest-key \d{1,3} md5(?: \d)?|key-string(?: \d)?|set (?:passwd|psksecret|snmp community)(?: ENC)?|local-user \S{1,40} password (?:cipher|simple|plain|irreversible-cipher)|user-name \S{1,40} plaintext)[ \t]{1,4}\"?(?P<v>[^\s\"'\\]{6,128})",
         ("snmp-server community", "com2sec", "rocommunity", "rwcommunity", "enable secret", "enable password", "username ", "tacacs-server", "radius-server", "isakmp key", "pre-shared-key ", "message-digest-key ", "key-string", "set passwd", "set psksecret", "set snmp community", "local-user ", "user-name "),
         "snmp-server community <A12> RO", "the community edition", how="password"),
    Rule("key-line", "PASSWORD", r"[ \t]{1,16}key(?:[ ][0-9])?[ \t]{1,4}(?P<v>[^\s\"'\\=:(){}<>;,]{8,128})(?=[ \t]{0,8}\r?(?:\n|\Z))", (" key ", "\tkey "),
         "tacacs server T1\n address ipv4 10.0.0.1\n key 7 x7<A14>9Q\n", "the key feature", how="key-line", scan=r"[ \t]key(?: [0-9])?[ \t]{1,4}[^\s\"'\\=:(){}<>;,]{8}"),
    Rule("flag-beside-user", "PASSWORD", r" -[pPwW][ \t]{1,4}[\"']?(?P<v>[^\s\"'\\=-][^\s\"'\\]{5,127})", (" -p ", " -w ", " -p\t", " -w\t"),
         "cqlsh -u cassandra -p x7<A10>9 db.example.com", "cp -u -p source target", how="told",
         before=(" -u ", " -U ", " --user", " -u=", "unlock", "/u:")),
    Rule("flag-before-user", "PASSWORD", r" -[pP] (?P<v>[^\s\"'\\=/-][^\s\"'\\]{7,127}) -[uU] ", (), "run -p x7<A10>9Q -u jo", "run -p 8080:80000 -u jo", how="drawn", scan=r" -[pP] [^\s]{8,128} -[uU] "),
    Rule("here-string", "PASSWORD", r"<<<[ ]?\$?[\"']?(?P<v>[^\s\"'\\$`<>]{6,128})", ("<<<",), 'cryptsetup luksOpen /dev/sda2 x <<< "<A12>"', "cryptsetup luksOpen /dev/sda2 x <<< $PASS", how="told",
         before=("cryptsetup", "passwd", "sudo ", "kinit", "login", "su ", "gpg", "-stdin", "pass insert", "openssl")),
    Rule("checked-login", "PASSWORD", r"\[\+\][ ](?:[\w.-]{1,40}\\{1,2})?[\w.@-]{1,40}:(?P<v>[^\s\"'`<>]{6,128})(?=[ \t]{0,4}(?:\(|\r?(?:\n|\Z)))", ("[+] ",), "[+] ACME\\jo:x7<A10> (Pwn3d!)", "[+] found:nothing (yet)", how="told"),
    Rule("key-of-file", "PASSWORD", r"(?:(?i:pragma[ ](?:key|hexkey|rekey))[ ]?=[ ]?|(?i:attach)[^\n;]{4,160}(?i:[ ]as)[ ][\w\"']{1,40}[ ](?i:key)[ ])[\"'](?P<v>[^\"'\n]{4,256})[\"']", ("pragma key", "pragma hexkey", "pragma rekey", "attach "), "PRAGMA key = '<A12>';", "PRAGMA key = '';", how="any"),
    Rule("spoken-key", "CODE", r"(?i:(?:hotspot|guest|ospf|bgp|eigrp|vpn|tunnel|unseal|deploy|door|room|router|modem)[ _-]key(?:[ ][0-9])?|(?:activation|invit(?:e|ation)|join|registration|unlock|alarm|access|entry)[ _-]code)(?:[ ]?[:=]|[ ]is|)[ ]{1,3}[\"'`]?(?P<v>[^\s\"'`<>]{8,64})", (), "unseal key 1: x7<A12>Q", "access code: unauthorized", how="drawn",
         scan=r"(?i:(?:hotspot|guest|ospf|bgp|eigrp|vpn|tunnel|unseal|deploy|door|room|router|modem)[ _\-]key|(?:activation|invite|invitation|join|registration|unlock|alarm|access|entry)[ _\-]code)[^\n]{0,6} [^\s]{8}"),
    Rule("line-of-account", "PASSWORD", r"[a-z_][\w-]{0,31}:(?P<v>[^\s:*!][^\s:]{5,127}):[0-9]{1,7}:[0-9]{1,7}:[^:\n]{0,80}:/", (), "jo:x7<A10>:1001:1001::/home/jo:/bin/sh", "jo:x:1001:1001::/home/jo:/bin/sh", how="key-line", scan=r":[0-9]{1,7}:[0-9]{1,7}:[^:\n]{0,80}:/"),
    Rule("lettered-login", "PASSWORD", r"(?<![A-Za-z])(?:[uU]:[ ]|(?i:user?|usr)[:=][ ]?)[^\s,;|]{1,64}[ \t,;|/]{1,6}(?:[pP]:[ ]|(?i:pwd?)[:=][ ]?)(?P<v>[^\s\"'`<>,;|]{6,128})", (), "U: jo  P: x7<A10>", "u:1 p:none here", how="told",
         scan=r"(?:[uU]: |(?i:user?|usr)[:=] ?)[^\s,;|]{1,64}[ \t,;|/]{1,6}(?:[pP]: |(?i:pwd?)[:=] ?)[^\s]{6}"),
    Rule("snmp-flag", "PASSWORD", r" -[cAX][ \t]{1,4}[\"']?(?P<v>[^\s\"'\\=-][^\s\"'\\]{3,128})", (" -c ", " -a ", " -x ", " -c\t", " -a\t", " -x\t"),
         "snmpwalk -v2c -c <A12> 10.0.0.1", "snmpwalk -v2c -c $COMMUNITY", how="any", before=("snmp",)),
    Rule("drawn-flag", "PASSWORD", r" (?:-(?:p|P|pw|rp|hp|N|w|W)|/rp)[ \t]{1,4}(?:[\"'](?=[^\"'\s]{8,64}[\"']))?(?![A-Z][A-Z0-9_]*=)(?P<v>[A-Za-z0-9!@#$%^*_+=-]{8,64})(?=[\s\"']|\Z)",
         tuple(f" {flag}{blank}" for flag in ("-p", "-pw", "-rp", "-hp", "/rp", "-n", "-w") for blank in " \t"), "ipmitool -U admin -P x<A14>9Qz power", "mkdir -p build-output/x86_64", how="joined"),
    Rule("coded-flag", "TOKEN", r"[ ]-{1,2}(?![\w-]{0,20}?(?:pub|sha[0-9]|hash|digest|sum|finger|thumb|id|etag|content|data|reply|next|start|cursor)[\w-]{0,8}[ =])[A-Za-z][\w-]{0,20}[ =][\"']?(?P<v>[A-Za-z0-9+/_-]{20,128}={0,2})(?=[\s\"']|\Z)", (),
         "influx config create -n x -t <B64> -o org", "tar -x -f release-2026-11-17-x86_64-linux", how="coded",
         scan=r" -[A-Za-z\-][A-Za-z0-9\-]{0,20}[ =][\"']?[A-Za-z0-9+/_\-]{20}"),
    Rule("login-argument", "TOKEN",
         r"[ ](?:login|auth|attach|activate|register|authenticate|enroll|install|authtoken|add-authtoken|-[tk])[ ](?P<v>[0-9a-f]{32,128}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z0-9+/_-]{20,512}={0,2})(?=[ \t]{0,8}(?:\r?\n|\Z|[ ]-))",
         (*(f" {verb} " for verb in ("login", "auth", "attach", "activate", "register", "authenticate", "enroll", "install", "authtoken", "add-authtoken")), " -t ", " -k "),
         "$ acme login <H40>", "pip install acme-tools", how="argument",
         scan=r" (?:login|auth|attach|activate|register|authenticate|enroll|install|authtoken|add-authtoken|-[tk]) [A-Za-z0-9+/_\-]{20}"),
    Rule("pushed-key", "API_KEY", r"[ ](?:push|publish|upload|setapikey)[ ](?:[^\s]{1,200}[ ]{1,2})?(?P<v>[A-Za-z0-9_-]{32,128})(?=[ \t]{0,8}(?:\r?\n|\Z|[ ]-))", (" push ", " publish ", " upload ", " setapikey "),
         "nuget push acme.1.0.nupkg <A46> -Source https://example.com", "git push origin feature-of-the-very-long-branch-name", how="coded"),
    Rule("user-and-key", "PASSWORD",
         r"[ ](?:alias set|host add|remote add|login|register|connect)[ ](?:[^\s\"'`<>:]{1,64}[ ])?[\"']?[a-z]{2,8}://[^\s\"'`<>]{3,200}[\"']?[ ]{1,4}[\w.@-]{1,64}[ ]{1,4}[\"']?(?P<v>[^\s\"'\\<>]{8,128})",
         (" alias set ", " host add ", " remote add ", " login ", " register ", " connect "),
         "mc alias set local http://10.0.0.1:9000 admin x7<A12>9", "mc alias set local http://10.0.0.1:9000 admin", how="told"),
    Rule("product-key", "CODE", r"(?<![A-Za-z0-9-])(?P<v>[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4})(?![A-Za-z0-9-])", (), "slmgr /ipk 3CX2J-DC8YM-QGDJ8-V64BP-CPKY7",
         "00000-00000-00000-00000-00000", how="grouped", scan=r"(?-i:[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})"),
    Rule("protocol-password", "PASSWORD",
         r"(?<![A-Za-z0-9_-])(?:PASS|(?:IDENTIFY|(?<=[sS]erv[ ])identify)(?:[ ][\w.-]{1,32})?|AUTH(?:[ ][\w.-]{1,32})?|LOGIN[ ](?!ON[ ])\"?[^\s\"]{1,64}\"?)\"?[ ]\"?(?!XOAUTH|OAUTHBEARER|SCRAM-|\(RFC)(?P<v>[^\s/.\"'\\:]{6,256}|[^\s\"'\\]{6,256}(?=\\r))(?=[\s\"'\\]|\Z)",
         ("pass ", 'pass" ', "auth ", 'auth" ', "login ", "identify ", 'identify" '), "a1 LOGIN joe <A9>7xQ4k", "PASS src/login.test.tsx", how="told",
         scan=r"(?-i:(?:PASS|AUTH|LOGIN|IDENTIFY|identify)\"? \"?[^\s]{2})"),
    Rule("login-pair", "PASSWORD", r"(?:login|auth|(?<![\w.-])user)=[\w.@-]{1,64}:(?P<v>[^\s\"'\\]{4,128})", ("login=", "user=", "auth="),
         "cache_peer x parent 3128 0 login=joe:<A14>", "login=joe", how="told"),
    Rule("user-pair", "PASSWORD", r"(?i:user|userpwd|userinfo|auth|credentials?)[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}[\"'](?!arn:|urn:)[\w.@+-]{1,64}:(?P<v>[^\s\"'\\:][^\s\"'\\]{7,127})[\"']", (),
         'proxy-user = "jo:<A14>"', 'user: "jo:developers"', how="told", scan=r"(?:user|userpwd|userinfo|auth|credentials?)[\"']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}[\"'][A-Za-z0-9_.@+\-]{1,64}:[^\s\"'\\]{8}"),
    Rule("mail-password", "PASSWORD", r"\[?[\w.-]{1,128}\]?(?::[0-9]{1,5})?[ \t]{1,8}[\w.+-]{1,64}(?:@[\w.-]{1,128})?:(?P<v>[^\s:]{4,128})(?=\s|\Z)",
         ("]:587", "]:465", "]:25", "]:submission"), "[smtp.example.com]:587 joe@example.com:<A14>", "[smtp.example.com]:587 is up", how="line"),
    Rule("account-command", "PASSWORD", r"(?:rabbitmqctl[ ](?:add_user|change_password|authenticate_user)[ ][^\s]{1,64}|poetry config http-basic\.\S{1,64} \S{1,64}|mgmt-user \S{1,64} \S{1,32}|create account (?:admin|user) \S{1,64}|radtest[ ][^\s]{1,64}|rootpw(?:[ ]--plaintext)?|user set password[ ][0-9]{1,3}|createUser[ ][\w.-]{1,32}[ ](?:MD5|SHA(?:-[0-9]{3})?))[ ]{1,4}[\"']?(?P<v>[^\s\"'\\-][^\s\"'\\]{3,128})",
         ("rabbitmqctl ", "poetry config http-basic.", "mgmt-user ", "create account ", "radtest ", "rootpw ", "user set password ", "createuser "), "rabbitmqctl add_user app <A14>", "rabbitmqctl list_users", how="any"),
    Rule("password-of-account", "PASSWORD", r"(?i:password)[ ][\w.@-]{1,40}[ ]{0,2}=[ ](?P<v>[^\s\"'`<>]{8,256})", ("password ",),
         "PASSWORD elastic = x7<A14>Q", "password hash = rounds", how="drawn", scan=r"password [\w.@\-]{1,40} {0,2}= [^\s]{8}"),
    Rule("recovery-password", "PASSWORD", r"(?<![\w-])[0-9]{6}(?:-[0-9]{6}){7}(?![\w-])", (), "-".join(["<D6>"] * 8), "<D6>-<D6>-<D6>", how="token", scan=r"[0-9]{6}-[0-9]{6}-[0-9]{6}-[0-9]{6}-[0-9]{6}-[0-9]{6}-[0-9]{6}-[0-9]{6}"),
    Rule("wifi-code", "PASSWORD", r"WIFI:(?:[THSR]:[^;\n]{0,64};){0,4}P:\"?(?P<v>[^;\"\n]{4,64})\"?;", ("wifi:",),
         "WIFI:T:WPA;S:home;P:<A14>;;", "WIFI:T:nopass;S:home;;", how="password"),
    Rule("query-key", "API_KEY", r"[?&](?i:app_?id|app_?key|subscription-key)=(?P<v>[0-9a-f]{32,64})(?![\w-])", ("?app", "&app", "?subscription-key", "&subscription-key"),
         "https://api.example.com/weather?q=x&appid=<H32>", "https://api.example.com/?appid=12345", how="token"),
    Rule("wifi-key", "PASSWORD", r"(?i:key content)[ \t]{0,20}:[ \t]{1,4}(?P<v>[^\s]{8,63})", ("key content",),
         "    Key Content            : <A12>", "Key content is", how="any"),
    Rule("foreign-password", "PASSWORD",
         r"(?<!\w:)(?:[Cc]ontraseña|[Mm]ot de passe|[Ww]achtwoord|[Kk]ennwort|[Ll]ösenord|[Hh]asło|[Ss]alasana|[Aa]dgangskode|[Hh]eslo|[Jj]elszó|[Pp]arola(?: d'ordine)?|[Kk]ata [Ss]andi|[Pp]alavra-passe|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|סיסמה|كلمة المرور|كلمة السر|رمز عبور|[Mm]ật khẩu|पासवर्ड|รหัสผ่าน|[Κκ]ωδικός)"
         r"[\"'`]?[ \t]{0,4}(?:[:=]|\uff1a|は|是|为|為|는|은)[ \t]{0,4}[\"'`「『“]?(?P<v>(?!%|[^\W\d_A-Z]{2,24}[ ][^\W\d_A-Z]{1,24}[ ])[^\s\"'`<>,;「」『』“”。]{4,256})",
         ("contraseña", "mot de passe", "wachtwoord", "kennwort", "lösenord", "hasło", "salasana", "adgangskode", "heslo", "jelszó", "parola", "kata sandi", "palavra-passe", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "סיסמה", "كلمة المرور", "كلمة السر", "رمز عبور", "mật khẩu", "पासवर्ड", "รหัสผ่าน", "κωδικός"),
         "Contraseña: <A14>", "contraseña: ********", how="any",
         scan=r"(?:contraseña|mot de passe|wachtwoord|kennwort|lösenord|hasło|salasana|adgangskode|heslo|jelszó|parola(?: d'ordine)?|kata sandi|palavra-passe|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|סיסמה|كلمة المرور|كلمة السر|رمز عبور|mật khẩu|पासवर्ड|รหัสผ่าน|κωδικός)[\"'`]?[ \t]{0,4}(?:[:=]|" "\uff1a" r"|は|是|为|為|는|은)[ \t]{0,4}[^\s]"),
    Rule("foreign-password-name", "PASSWORD", r"(?:[Пп]ароль|[Şş]ifre)[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?(?P<v>(?!%|[^\W\d_A-Z]{2,24}[ ][^\W\d_A-Z]{1,24}[ ])[^\s\"'`<>,;]{4,256})",
         ("ароль", "ifre"), "Пароль: <A14>", "пароль: ********", how="any", back=1),
    Rule("seed-phrase", "SEED_PHRASE",
         r"(?i:mnemonic|(?:seed|recovery|backup)[ _-]?(?:phrase|words)|seed)[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?(?P<v>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})(?![a-z])",
         ("mnemonic", "seed", *(f"{first}{joint}{last}" for first in ("recovery", "backup") for joint in ("", " ", "_", "-") for last in ("phrase", "words"))),
         "mnemonic: anger amazing ability alert access acquire advice arch arctic admit absent animal", "mnemonic: twelve words", how="certain",
         scan=r"(?:mnemonic|(?:seed|recovery|backup)[ _\-]?(?:phrase|words)|seed)[\"'`]?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?[a-z]{3}"),
    Rule("ethereum-accounts", "PRIVATE_KEY", r"(?i:accounts|private[_-]?keys)[\"' ]{0,3}[:=][ ]?\[[ ]?[\"'](?P<v>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
         ("accounts", "private_keys", "privatekeys", "private-keys"), 'accounts: ["0x<H64>"]', "accounts: [0x1]", how="token",
         scan=r"(?:accounts|private[_\-]?keys)[\"' ]{0,3}[:=] ?\[ ?[\"']0x"),
    Rule("aws-secret-beside-id", "API_KEY",
         r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])[^\n]{0,80}?(?<![A-Za-z0-9/+])(?P<v>(?![0-9a-f]{40})[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
         ("akia", "asia"), "mc alias set prod https://s3.example.com AKIA<E16> <B40>", "AKIA<E16> <H40>", how="random", scan=r"(?-i:A[KS]IA[A-Z0-9]{16})"),
    Rule("webhook-url", "API_KEY",
         r"(?i:webhook|hooks\.)[^\s\"'<>]{0,160}?/(?P<v>(?![0-9]++(?:-[A-Za-z]++)++(?![\w-]))(?=[A-Za-z_-]{0,19}[0-9])[A-Za-z0-9_-]{20,}+(?:[/@][A-Za-z0-9_@-]{8,}+){0,6})", ("webhook", "hooks."),
         "https://x.example.com/webhooks/in/<A32>", "https://docs.example.com/webhooks/configuring-webhooks", how="random",
         scan=r"(?:webhook|hooks\.)[^\s\"'<>]{0,80}/[A-Za-z0-9_\-]{20}"),
    Rule("inserted-secret", "PASSWORD", r"", ("insert ", "insert\t"), "INSERT INTO users (id, password) VALUES (1, '<A14>');", "INSERT INTO users (id, name) VALUES (1, '<A14>');",
         how="insert", scan=r"insert[ \t]{1,4}(?:ignore[ \t]{1,4}|or[ \t]\w{2,10}[ \t]{1,4})?into[ \t]"),
    Rule("call-argument", "PASSWORD", r"", ("connect", "simple_bind", "smtp.start(", "smtp::start(", "mysqli", "pdo(", "pdo->__construct(", "credential", "database(", "login(", "signin(", "sign_in(", "auth", "jwt."),
         "new mysqli('localhost', 'app', '<A14>', 'shop');", "connect('localhost', 'app', password)", how="arguments",
         scan=r"(?:connect[a-z]{0,8}|simple_bind[a-z_]{0,4}|smtp(?:\.|::)start|mysqli(?:_connect)?|pdo(?:->__construct)?|credentials?[a-z]{0,8}|database|login|sign_?in|auth[a-z]{0,10}|jwt\.[a-z]{4,8})\([\"'`$a-z{]"),
    Rule("unknown-vendor-token", "API_KEY",
         r"(?<!pk)_(?:live|test|prod|secret|api|key|token|pat|sk)_(?!1a[0-9a-f]{32}(?![A-Za-z0-9]))(?P<v>[A-Za-z0-9]{20,128})(?![A-Za-z0-9_])",
         ("_live_", "_test_", "_prod_", "_secret_", "_api_", "_key_", "_token_", "_pat_", "_sk_"), "acme_live_<A32>", "acme_live_<L9>", how="random"),
    Rule("prefixed-token", "API_KEY",
         r"[a-z0-9]_(?P<v>(?=[A-Za-z]{0,20}[0-9])[A-Za-z0-9]{32,128})(?![A-Za-z0-9_-])", (), "acme_<A40>",
         "test_givenUser1WhenLogin2ThenReturnsOkAndKeepsTheSession", how="prefixed", scan=r"(?-i:[a-z0-9]_[A-Za-z0-9]{32})"),
    Rule("spaced-key", "API_KEY",
         r"(?i:(?:api|access|secret|auth|encryption|license|account|session|master|signing|shared|new|local|network|node|device|join|pairing|unseal)[ ]key)[\"'`)]{0,2}(?:[ ](?:\[[^\]\n]{0,40}\]|\([^)\n]{0,40}\)))?(?:[ \t]{0,3}[:=]|[ \t]{1,2}(?:is|was)[:=]?|[ \t]{1,24}[|│]|:?(?:</\w{1,12}>[ ]?){1,3}(?:<\w[^<>\n]{0,80}>[ ]?){1,3})?[ \t]{0,4}[\"'`]?(?:[0-9]{1,2}:)?(?P<v>(?![0-9A-F]{40}(?![A-Za-z0-9]))[A-Za-z0-9_.~+/=-]{16,})",
         ("api key", "access key", "secret key", "auth key", "encryption key", "license key", "account key", "session key", "master key", "signing key", "shared key", "new key", "local key", "network key", "node key", "device key", "join key", "pairing key", "unseal key"),
         "your API key: <A32>", "API key authentication-mechanism", how="opaque"),
    Rule("basic-auth-pair", "PASSWORD", r"auth=\([\"'][^\"'\n\\]{1,64}[\"'],[ ]?[\"'](?P<v>[^\"'\n\\]{4,128})[\"']", ("auth=(",),
         "requests.get(url, auth=('alice', '<A14>'))", "requests.get(url, auth=(user, password))", how="any"),
    Rule("value-before-name", "PASSWORD", r"",
         (*(f"{quote} {word} " for quote in "\"'" for word in ("to", "into", "as", "for", "where", "delimited by size into")),
          *(f"{end}{blank}{sign}" for end in "\"',;)]" for blank in (" ", "  ", "\t") for sign in ("#", "//", "--", "%"))),
         'MOVE "<A14>" TO WS-PASSWORD.', 'MOVE "no" TO WS-PASSWORD-OK.', how="before",
         scan=r"[\"'] (?:delimited by size )?(?:to|into|as|for) (?:(?:the|my|your|a|his|her|its) )?[A-Za-z0-9_.$*\-]{0,40}(?:pass|pwd)"
         r"|[\"'] where [A-Za-z0-9_.]{1,40} ?= ?[\"'][A-Za-z0-9_.$*\-]{0,40}(?:pass|pwd|secret|token)|[\"'][,;)\]]{0,2}[ \t]{1,2}(?:#|//|--|%) ?(?:[A-Za-z]{1,12} ){0,2}(?:pass|pwd|pw |secret|token|api[ _]?key)"),
    Rule("host-login", "PASSWORD", r"\.[A-Za-z]{2,12}(?::[0-9]{1,5})?/?[ \t]{1,8}(?!h[0-9]:)[\w.+-]{1,64}(?:@[\w.-]{1,128})?:(?!0x)(?P<v>[^\s:@/\"'`<>\\]{8,128})(?=\s|\Z)", (),
         "bundle config gems.example.com alice:<A14>", "relay.example.com mail.example.com:submission", how="drawn",
         scan=r"\.[A-Za-z]{2,12}(?::[0-9]{1,5})?/?[ \t]{1,8}[A-Za-z0-9_.+@\-]{1,64}:[^\s:@/\"'`<>\\]{8}"),
    Rule("bare-userinfo", "PASSWORD", r"", (), "psexec.py CORP/alice:<A14>@10.0.0.1", "git:clone-url@example.com", how="userinfo",
         scan=r":[^\s:@/\"'`<>\\]{8,64}@[A-Za-z0-9]"),
    Rule("login-flag", "PASSWORD", r" (?:-[uU]|(?:--)?auth|addauth[ ]digest|--(?:user(?:name)?|login|creds?|credentials?))(?:[ \t]{1,4}|=)[\"']?[\w.@\\/+-]{1,64}[:,](?P<v>[^\s\"'\\,:]{8,128})",
         (" -u ", " -u\t", " -u=", " --user", " --login", " --cred", " --auth", " auth ", " auth\t", " auth=", " addauth "), "lftp -u alice,<A14> sftp://files.example.com", "chown -u 1000:1000000000 x", how="told",
         scan=r" (?:-u|(?:--)?auth|addauth digest|--(?:user(?:name)?|login|creds?|credentials?))[ \t=]{1,4}[\"']?[A-Za-z0-9_.@\\/+\-]{1,64}[:,][^\s\"'\\,:]{8}"),
    Rule("told-pair", "PASSWORD",
         r"(?i:(?:creds?|credentials?|logins?|account|identifiants?|zugang(?:sdaten)?|(?:anmelde|login)daten|credenciales|credenciais|credenziali|inloggegevens|user(?:name)?[ ]?[/&+][ ]?pass(?:word)?)(?:[ ]for[ ][A-Za-z]{1,8})?(?:[ ](?:are|is)|[ ]?[:=])[ ]{1,3}|log(?:ged)?[ -]?in[ ](?:with|as|using)[ ])"
         r"[`\"']?[\w.@+-]{0,63}[\w@+-][`\"']?(?:[ ]?[/:,|][ ]?|[ ](?:and|with)?[ ]?)[`\"']?(?P<v>[^\s\"'`<>,]{8,128})",
         ("cred", "login", "log in ", "logged in ", "log-in ", "account", "identifiant", "zugang", "anmeldedaten", "inloggegevens", *(f"{user}{joint}" for user in ("user", "username") for joint in ("/", "&", "+", " /", " &", " +"))),
         "creds: alice / <A14>", "login: see wiki/logins", how="told",
         scan=r"(?:(?:creds?|credentials?|logins?|account|identifiants?|zugang(?:sdaten)?|(?:anmelde|login)daten|credenciales|credenciais|credenziali|inloggegevens|user(?:name)? ?[/&+] ?pass(?:word)?)(?: for [a-z]{1,8})?(?: (?:are|is)| ?[:=]) {1,3}|log(?:ged)?[ -]?in (?:with|as|using) )"
         r"[`\"']?[A-Za-z0-9_.@+\-]{1,64}[`\"']?(?: ?[/:,|] ?| (?:and|with)? ?)[`\"']?[^\s\"'`<>,]{8}"),
    Rule("told-code", "CODE",
         rf"(?:(?<![A-Za-z0-9])(?i:otp|pin|puk|passkey)|(?:{_CODE_KINDS})(?i:codes?)|(?<=(?i:token)[ _-])(?i:codes?))"
         r"(?:(?:[ ](?:for|to|of|number)(?:[ ][\w@.'-]{1,24}){1,3}?)?(?:[ \t]{0,2}(?:[:=]|->)|[ ](?:is|was|are):?)[ \t]{1,3}|(?<=[a-zA-Z])[:=]|(?<=code)[ ]|[\"'\]]{1,3}[ ]?[:=][ ]?\[?[\"'])[`(]?"
         r"(?P<v>[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9]{3}-[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}-[0-9]{4}|(?=[a-z-]{0,8}[0-9])[a-z0-9]{4,5}-[a-z0-9]{4,5})(?![\w:%@/-]|[.,][0-9])",
         ("otp", "pin", "puk", "code", "passkey"), "Your verification code is <D6>.", "exit code: <D4>", how="certain",
         scan=r"(?:otp|pin|puk|code|passkey)[^\n]{0,40}(?:[^0-9\n][0-9]{3}|[^a-z0-9\n][a-z0-9]{4,5}-)"),
    Rule("code-before-word", "CODE", r"[^\w.:#/$-]?(?<![\w.:#/$-])(?P<v>(?:[A-Z]{1,2}-)?[0-9]{4,8}|[0-9]{3}[ -][0-9]{3})[ ](?i:(?:is|-)[ ](?:your|the|my)|as[ ](?:your|the))[ ](?:[\w'-]{1,16}[ ]){0,5}?(?i:code|pin|otp|passcode|password)(?![\w])", (), "482913 is your Acme verification code",
         "2025 is your year to learn the codes", how="certain", scan=r"(?:^|[^A-Za-z0-9_.:#/$\-])(?:[A-Z]{1,2}-)?[0-9]{3}[0-9 \-]{1,5} (?:(?:is|-) (?:your|the|my)|as (?:your|the)) "),
    Rule("asked-code", "CODE", r"(?<!(?i:error)[ ])(?<!(?i:exit)[ ])(?<!(?i:status)[ ])(?<!(?i:zip)[ ])(?<!(?i:country)[ ])(?<!(?i:postal)[ ])(?<!(?i:area)[ ])(?<!(?i:return)[ ])(?<!(?i:source)[ ])(?i:code)(?:[ ][A-Za-z'-]{1,12}){0,5}?(?:[ ]is)?:?[ ]{1,3}(?P<v>[0-9]{6,8}|[0-9]{3}[ -][0-9]{3})(?![\w:%@/-]|[.,][0-9])",
         ("code",), "Your Acme code: <D6>", "error code: <D6>", how="certain", before=("Your ", "your ", "Enter ", "enter ", "Use ", "use "), scan=r"code[^\n0-9]{1,64}[0-9]{3}"),
    Rule("use-code", "CODE", r"(?i:\b(?:use|enter|type))[ ](?:(?i:the|this|your)[ ])?(?:(?i:code|pin|otp)[ ])?(?P<v>(?:[A-Z]{1,2}-)?[0-9]{6,8}|[0-9]{3}[ -][0-9]{3})[ ](?i:to|as|for)[ ](?:[\w'-]{1,16}[ ]){0,3}?(?i:sign|log|verif|confirm|reset|authenti|complete|activate|your|the code)", ("use ", "enter ", "type "),
         "Use <D6> to verify your account", "use 123456 to count items", how="certain", scan=r"(?:use|enter|type) [^\n]{0,20}[0-9]{3} (?:to|as|for) "),
    Rule("key-member", "PRIVATE_KEY", r"\"(?:[dk]|(?:p|q|dp|dq|qi)(?=\"[ ]?:[ ]?\"[A-Za-z0-9_-]{80}))\"[ ]?:[ ]?\"(?P<v>[A-Za-z0-9_-]{43,1400})\"", ('"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'),
         '"d": "<W86>"', '"d": "M0 3v2h2"', how="coded", scan=r"\"(?:d|k|p|q|dp|dq|qi)\" ?: ?\"[A-Za-z0-9_\-]{43}"),
    Rule("cloud-key", "API_KEY",
         rf"(?:(?:{_ACCOUNT_KINDS})(?i:key)[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}[\"']?(?=[A-Za-z0-9+/]{{43}}=)|(?i:key[12])\"[ ]?:[ ]?\"(?=[0-9a-f]{{32}}\")|(?i:key[12]|full|value|key)[\"']?(?:[ \t]{{0,4}}[:=])?[ \t]{{0,24}}(?:(?i:full|read)[ \t]{{1,24}})?[\"']?(?=[A-Za-z0-9+/]{{86}}==))"
         r"(?P<v>[0-9a-f]{32}(?=\")|[A-Za-z0-9+/]{43,86}={1,2})(?![A-Za-z0-9+/=])",
         ("key", "full", "value"), "key1  FULL  <B86>==", '"value": "<B43>="', how="argument", scan=r"key[12]\": ?\"[0-9a-f]{32}" "\n" r"(?:key[12]?|full|value)[\"']?(?:[ \t]{0,4}[:=])?[ \t]{0,24}[\"']?[A-Za-z0-9+/]{43}" "\n"
         r"key[12][ \t]{1,24}(?:full|read)[ \t]{1,24}[A-Za-z0-9+/]{43}"),
    Rule("crypto-key", "API_KEY", r"(?i:key|psk|[ ]-K)[\"'\])]{0,3}[ \t]{0,8}[:=]?[ \t]{0,4}[\"'(]{0,2}(?:0x)?(?P<v>(?![0-9a-fA-F]{40}(?![0-9a-fA-F]))[0-9a-fA-F]{32,128})(?![\w-])",
         ("key", "psk", " -k"), "aes-256 key: <H64>", "aes key id: <H64>", how="token",
         before=("aes", "AES", "hmac", "HMAC", "ipher", "ncrypt", "ecrypt", "rypto", "igbee", "lora", "Lora", "LoRa", "openssl", "wpa", "WPA", "ssid", "SSID", "hacha"),
         scan=r"(?:key|psk| -k)[\"'\])]{0,3}[ \t]{0,8}[:=]?[ \t]{0,4}[\"'(]{0,2}(?:0x)?[0-9a-f]{32}"),
    Rule("key-bytes", "API_KEY", r"(?<!public)(?<!public[ _-])(?<!pub)(?<!pub[_-])(?i:key|secret|psk|seed|password)(?!_?(?i:id))[\w\"'\]\[]{0,16}[ \t]{0,4}(?:[:=]|(?=\{))[ \t]{0,4}[\[{(]?[ ]{0,2}(?P<v>(?:0x[0-9A-Fa-f]{2}[, ]{1,2}){7,63}0x[0-9A-Fa-f]{2}|[0-9A-Fa-f]{2}(?:[: -][0-9A-Fa-f]{2}){15,63}|[0-9]{1,3}(?:,[ ]?[0-9]{1,3}){15,63})(?![0-9A-Fa-f:,])",
         ("key", "secret", "psk", "seed", "password"), "aes_key[16] = {" + "0x<H2>, " * 15 + "0x<H2>};", "key: 00:11:22:33:44:55", how="bytes",
         scan=r"(?:key|secret|psk|seed|password)[A-Za-z0-9_\"'\[\]]{0,16}[ \t]{0,4}[:={][ \t]{0,4}[\[{(]? {0,2}(?:0x[0-9a-f]{2}[, ]{1,2}0x[0-9a-f]{2}[, ]{1,2}0x|[0-9a-f]{2}[: \-][0-9a-f]{2}[: \-][0-9a-f]{2}[: \-][0-9a-f]{2}[: \-]|[0-9]{1,3}, ?[0-9]{1,3}, ?[0-9]{1,3},)"),
    Rule("told-key", "TOKEN",
         rf"(?:(?:(?<!next[_-])(?<!lock[_-])(?<!request[_-])(?<!sequence[_-])(?<!action[_-])(?<!starting[_-])(?<!page[_-])(?i:token|secret(?:[ _-]?key)?)|(?:{_KINDS_OF_KEYS})(?i:key))(?:[\"'\])]{{0,3}}{_WORD_BETWEEN}{{1,4}}{_TOLD_BY}|[ ])"
         rf"|(?:(?<!/)(?i:seed|secret[ ]id)|(?:{_KINDS_APART})(?i:key))(?:[\"'\])]{{0,3}}{_WORD_BETWEEN}{{0,4}}{_TOLD_BY}|[ ]))[\"'`(]{{0,2}}(?:0x)?"
         r"(?![0-9]{32,128}(?![0-9a-fA-F]))(?P<v>[0-9a-f]{32,128}|(?![0-9A-F]{40}(?![0-9A-F]))[0-9A-F]{32,128}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![\w.-])",
         ("token", "secret", "seed", "key"),
         "here is the API token you asked for: <H40>", "the token of commit <H40>", how="token",
         scan=r"(?:token|secret|key|seed)[\"'\])]{0,3} (?:[^\n]{0,60}[^0-9a-f\n])?[0-9a-f]{8}" "\n"
         r"(?:seed|key|secret id)[\"'\])]{0,3}[ \t]{0,12}[:=][ \t]{1,3}[\"'`(]{0,2}(?:0x)?[0-9a-f]{8}" "\n" r"seed=(?:0x)?[0-9a-f]{8}"),
    Rule("grouped-key", "CODE", r"(?i:key|seed|secret|code|phrase|serial)[^\n:=]{0,40}[:=][ \t]{0,3}[\"'`]?(?P<v>(?=[a-zA-Z -]{0,100}[0-9])[A-Za-z0-9]{4,8}(?:[ ][A-Za-z0-9]{4,8}){3,15}|(?=[A-Z-]{0,40}[0-9])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,15})(?![\w-])",
         ("key", "seed", "secret", "code", "phrase", "serial"), "Enter this key: 3t25 xwg2 scpc inu7 q3eg ke3h oybb xgr5", "Error code: this version 2010 does nothing here", how="grouped",
         scan=r"(?:key|seed|secret|code|phrase|serial)[^\n:=]{0,40}[:=][ \t]{0,3}[\"'`]?[A-Za-z0-9]{4,8}[ \-][A-Za-z0-9]{4,8}[ \-][A-Za-z0-9]{4,8}[ \-][A-Za-z0-9]{4}"),
    Rule("told-phrase", "PASSWORD",
         r"(?i:passphrase|(?:seed|recovery|backup|secret|mnemonic)[ _]phrase|mnemonic|seed words)(?:[ ][\w'-]{1,24}){0,6}?[\"']?(?:[ ]?[:=]|[ ]is)[ ]{0,3}[\"'`]?"
         r"(?P<v>[a-z]{3,10}(?:[ ][a-z]{3,10}){3,23})(?=[\"'`.]{0,2}[ \t]{0,4}\r?(?:\n|\Z|[,}]))",
         ("passphrase", *(f"{kind}{joint}phrase" for kind in ("seed", "recovery", "backup", "secret", "mnemonic") for joint in " _"), "mnemonic", "seed words"),
         "passphrase: velvet lantern maple tundra", "passphrase: leave empty for none", how="phrase"),
    Rule("told-abroad", "PASSWORD",
         r"(?i:mdp|mot de passe|contrasenya|contraseña|contrasena|senha|parola|hasło|heslo|wachtwoord|kennwort|passwort|lösenord|clave|clé|chiave|chave|klucz|schlüssel|salasana|jelsz|kodeord|adgangskode|passord|lozink|parool|lykilor|wagwoord|(?<=ş)ifre|(?<=п)арол)[^\W\d_]{0,5}(?![A-Za-z])(?:[ ][^\s:=]{1,24}){0,6}?"
         r"(?:[ ]?[:=]|[ ](?:es|est|c'est|è|é|este|to|jest|ist|lautet|is|är|er|je|on|[-\u2013\u2014]))[ ]{1,3}[\"'`]?(?P<v>[^\s\"'`<>]{7,127}[^\s\"'`<>.,;])",
         _WORDS_ABROAD,
         "La nueva contraseña del servidor es <A14>", "La contraseña del servidor es obligatoria", how="told", scan="\n".join(_WORDS_ABROAD)),
    Rule("link-token", "TOKEN",
         r"(?i:reset|verif|confirm|activat|magic|invit|login|sign-?in|passw|token|recover|unlock|private)[\w-]{0,20}(?:/|[?&][a-z_]{1,12}=|(?<=private)-)(?P<v>[A-Za-z0-9_-]{20,256})(?![\w.-])",
         ("reset", "verif", "confirm", "activat", "magic", "invit", "login", "signin", "sign-in", "passw", "token", "recover", "unlock", "private"),
         "https://app.example.com/users/reset_password/<A32>", "https://example.com/docs/reset/how-to-reset-your-own-password", how="link",
         before=("://",), scan=r"(?:reset|verif|confirm|activat|magic|invit|login|sign-?in|passw|token|recover|unlock|private)[A-Za-z0-9_\-]{0,20}(?:/|[?&][a-z_]{1,12}=)[A-Za-z0-9_\-]{20}|private-[A-Za-z0-9_\-]{20}"),
    Rule("network-key", "PASSWORD", r"(?:(?<!<option)[ .\"']|(?<!option)_)(?i:key)[\"'\]]{0,2}[ \t]{0,4}[:= ][ \t]{0,4}[\"'](?P<v>[^\"'\n]{8,63})[\"']", ("key",),
         "option key '<A12>'", "option key 'value'", how="any", scan=r"[ .\"'_]key[\"'\]]{0,2}[ \t]{0,4}[:= ][ \t]{0,4}[\"'][^\"'\n]{8}",
         before=("option", "ssid", "SSID", "wireless", "wifi", "WiFi", "wlan")),
    Rule("modem-password", "PASSWORD", r"(?i:AT\+[A-Z0-9_]{0,10}(?:JAP|SAP|AUTH|USERCFG|LOGIN)[A-Z_]{0,6})=(?:[0-9]{1,5},){0,3}\"[^\"\n]{0,64}\",(?:[0-9]{1,5},){0,3}\"(?P<v>[^\"\n]{4,64})\"", ("at+",),
         'AT+CWJAP="home","<A12>"', 'AT+CWJAP="home",""', how="any", scan=r"at\+[a-z0-9_]{0,10}(?:jap|sap|auth|usercfg|login)[a-z_]{0,6}=[0-9,]{0,12}\""),
    Rule("session-secret", "SECRET", r"[A-Z]_(?:RANDOM|SECRET(?:_[0-9]{1,3})?)[ ][0-9a-fA-F]{64}[ ](?P<v>[0-9a-fA-F]{64,128})(?![0-9A-Za-z])", (),
         "CLIENT_RANDOM <H64> <H96>", "CLIENT_RANDOM <H64>", how="certain", scan=r"(?-i:[A-Z]_(?:RANDOM|SECRET|SECRET_[0-9]{1,3}) [0-9a-fA-F]{64} [0-9a-fA-F]{64})"),
    Rule("part-of-key", "PRIVATE_KEY", r"(?i:PrivateExponent|Prime[12]|Exponent[12]|Coefficient|Private_value\(x\)):[ \t]{1,4}(?P<v>[A-Za-z0-9+/]{24,1400}={0,2})(?![\w+/=])",
         ("privateexponent:", "prime1:", "prime2:", "exponent1:", "exponent2:", "coefficient:", "private_value(x):"), "PrivateExponent: <B86>==", "Prime1: 65537", how="certain"),
    Rule("part-of-key-in-xml", "PRIVATE_KEY", r"<(?:D|P|Q|DP|DQ|InverseQ)>(?P<v>[A-Za-z0-9+/]{24,1400}={0,2})</", (), "<Exponent>AQAB</Exponent><D><B86>==</D>", "<Q>a question</Q>", how="coded",
         scan=r"(?-i:<(?:D|P|Q|DP|DQ|InverseQ)>[A-Za-z0-9+/]{24})"),
    Rule("otp-seed", "SECRET", r"(?i:[ht]?otp)(?:[ _-]?(?i:seed|secret|key))?[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<v>[A-Z2-7]{16,64})(?![\w])", ("otp",), '"totp":"<E32>"', "totp: REQUIREDBYPOLICY", how="drawn",
         scan=r"otp[ _\-]?(?:seed|secret|key)?[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[a-z2-7]{16}"),
    Rule("login-hash", "PASSWORD", r"(?<![A-Za-z])(?i:ntlm|nt[ _-]?hash|lm[ _-]?hash|cts-hmac-sha[0-9-]{1,8}|arcfour-hmac|rc4_hmac(?:_nt)?)[\"')]{0,2}[ \t]{0,12}[:=]?[ \t]{0,4}[\"'(]?(?:0x)?(?P<v>[0-9a-fA-F]{32,64})(?![\w-])",
         ("ntlm", "nthash", "nt hash", "nt_hash", "nt-hash", "lmhash", "lm hash", "lm_hash", "lm-hash", "cts-hmac-sha", "arcfour-hmac", "rc4_hmac"), "Hash NTLM: <H32>", "NTLM: yes", how="token",
         scan=r"(?:ntlm|nt[ _\-]?hash|lm[ _\-]?hash|cts-hmac-sha[0-9\-]{1,8}|arcfour-hmac|rc4_hmac(?:_nt)?)[\"')]{0,2}[ \t]{0,12}[:=]?[ \t]{0,4}[\"'(]?(?:0x)?[0-9a-f]{32}"),
    Rule("cipher-key", "API_KEY", r"(?i:fernet|secretbox|aesgcm|chacha20poly1305|aes\.new|hmac\.new|createhmac\([\"'][\w-]{2,12}[\"'],[ ]?|secretkeyspec)(?:\([ ]?)?b?[\"'](?P<v>[^\"'\n\s]{8,128})[\"']",
         ("fernet(", "secretbox(", "aesgcm(", "chacha20poly1305(", "aes.new(", "hmac.new(", "createhmac(", "secretkeyspec("), 'Fernet(b"<W43>=")', "Fernet(b'key-of-the-service')", how="drawn"),
    Rule("derived-key", "API_KEY", r"key[ ]?=[ ]?(?P<v>(?:[0-9A-F]{32}|[0-9A-F]{48}|[0-9A-Fa-f]{64})(?=[ \t]{0,4}\r?(?:\n|\Z))|[0-9A-Fa-f]{32,64}(?=[,;]?[ ]{1,2}iv[ ]?=))", ("key=", "key ="), "key=<X64>", "key=<H40>", how="line", scan=r"key ?= ?[0-9a-f]{32}"),
    Rule("bind-password", "PASSWORD", r"(?i:bind as)[ ][^\s/]{2,200}/(?P<v>[^\s/]{4,128})[ ]to[ ]", ("bind as ",), "rlm_ldap: bind as cn=admin,dc=x/<A14> to db:389", "bind as anonymous to db", how="any"),
    Rule("signed-licence", "CODE", r"(?<![A-Za-z0-9])(?P<v>[0-9A-Z]{10}-[A-Za-z0-9+/]{80,4000}={0,2}(?:-[A-Za-z0-9+/]{40,4000}={0,2}){1,3})", (), "ABCDE12345-<B96>-<B96>", "ABCDE12345-<B96>",
         how="certain", scan=r"(?-i:[0-9A-Z]{10}-[A-Za-z0-9+/]{80})"),
    Rule("printed-login", "PASSWORD", r"(?:printf|echo[ ]-n?e)[ ][\"'](?:[\w.@+-]{1,64}\\n)?(?P<v>[^\s\"'\\]{6,128})(?:\\n[^\"'\n]{0,200})?[\"'][ ]?\|[^\n|]{0,120}(?i:login|connect|vpn|passwd|auth|ssh|sudo|[ ]su\b|ftp|kinit|join|register|user)", ("printf ", "echo -e", "echo -ne"),
         "printf 'jo\\n<A12>\\ny' | vpn -s connect h", "printf 'one\\ntwo\\n' | sort", how="told", scan=r"(?:printf|echo -n?e) [\"'][^\"'\n]{1,60}\\n"),
    Rule("short-key", "API_KEY", r"(?:(?<![A-Za-z0-9])(?i:sk|[dkm]ek|wif)|_(?i:pk)(?=[\"' ]{0,3}[:=][\"' ]{0,3}0x))[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:0x)?(?P<v>[0-9a-fA-F]{64}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==|5[HJK][1-9A-HJ-NP-Za-km-z]{49})(?![\w+/=])",
         tuple(f"{name}{sign}" for name in ("sk", "dek", "kek", "mek", "wif", "_pk") for sign in ("=", " =", ":", '":')), "sk = <H64>", "disk = sda", how="token", scan=r"(?:sk|[dkm]ek|wif|_pk)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:0x)?[0-9a-z+/]{43}"),
    Rule("any-key", "API_KEY", r"(?<=[A-Za-z])(?<!(?i:public))(?<!(?i:cache))(?<!(?i:primary))(?<!(?i:foreign))(?<!(?i:object))(?<!(?i:host))(?<!(?i:sort))(?<!(?i:from))(?<!(?i:hash))(?<!(?i:peer))(?<!(?i:ssh))(?<!(?i:gpg))(?<!(?i:pgp))(?<!(?i:row))(?<!(?i:the))(?<!(?i:view))[ ](?i:key)[ ]?[:=][ ]{1,3}(?:0x)?(?P<v>[0-9a-f]{64}|[0-9A-F]{64}|[A-Za-z0-9+/]{43}=)(?![\w+/=])",
         (" key: ", " key : ", " key = ", " key= "), "spend key: <H64>", "cache key: <H64>", how="token", scan=r" key ?[:=] {1,3}(?:0x)?[0-9a-z+/]{43}"),
    Rule("decoded-key", "API_KEY", r"(?<!public[_-])(?<!public)(?<!pub)(?i:key|secret|seed|psk)(?!\w{0,10}(?i:id|hash|digest|sum|mac)\b)[\w\])]{0,12}[ \t]{0,4}(?::?=|:)[ \t]{0,4}[\w.]{0,40}?(?i:fromhex|unhexlify|hex2bin|hextobytes|hex_to_bytes|b64decode|decodestring|base64_decode|buffer\.from|atob)\([ ]?b?[\"'](?!0[23][0-9a-fA-F]{64}[\"'])(?P<v>[0-9a-fA-F]{32,128}|[A-Za-z0-9+/_-]{22,172}={0,2})[\"']",
         ("key", "secret", "seed", "psk"), 'self.key = bytes.fromhex("<H32>")', 'key = bytes.fromhex("00")', how="argument", scan=r"(?:key|secret|seed|psk)[A-Za-z0-9_\])]{0,12}[ \t]{0,4}:?[=:][ \t]{0,4}[A-Za-z0-9_.]{1,40}\( ?b?[\"'][A-Za-z0-9+/_\-]{22}"),
    Rule("gossip-key", "API_KEY", r"(?i:encrypt)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?P<v>[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{43}=)(?![\w+/=])", ("encrypt",), 'encrypt = "<B43>="', "encrypt: true", how="coded", scan=r"encrypt[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[A-Za-z0-9+/]{22}"),
    Rule("zone-key", "API_KEY", r"(?i:hmac-(?:md5|sha[0-9]{1,3})):[\w.-]{1,64}:(?P<v>[A-Za-z0-9+/]{16,128}={0,2})(?![\w+/=])", ("hmac-md5:", "hmac-sha"), "dig -y hmac-sha256:k:<B43>= axfr x", "hmac-sha256:k:v", how="coded"),
    Rule("node-identity", "PRIVATE_KEY", r":[0-9a-f]{128}:(?P<v>[0-9a-f]{128})(?![0-9a-z])", (), "<H10>:0:<H128>:<H128>", "<H10>:0:<H128>", how="certain", scan=r":[0-9a-f]{128}:[0-9a-f]{128}"),
    Rule("key-before-word", "PRIVATE_KEY", r"0x(?P<v>[0-9a-fA-F]{64})[ \t]{1,4}(?:#|//|--|\()[^\n]{0,40}?(?i:private|priv|secret)[ _-]?key", (), "0x<H64> # deployer private key", "0x<H64> # transaction", how="certain", scan=r"0x[0-9a-f]{64}[ \t]{1,4}(?:#|//|--|\()"),
    Rule("pap-secret", "PASSWORD", r"\"?[\w.@-]{1,64}\"?[ \t]{1,16}\*[ \t]{1,16}\"?(?P<v>[^\s\"*]{6,128})\"?[ \t]{1,16}\*(?=[ \t]{0,8}\r?(?:\n|\Z))", (" * ", "\t*\t", " *\t", "\t* "), "jo * x7<A12>Q *", "a * b *", how="drawn-line",
         scan=r"[A-Za-z0-9\"][ \t]{1,16}\*[ \t]{1,16}\"?[^\s\"*]{6}"),
    Rule("account-pair", "PASSWORD", r"(?<![\w/.@:-])(?i:admin(?:istrator)?|root|guest|postgres|oracle|ubuntu|demo)(?:[ ]/[ ]|[/:])(?P<v>[^\s\"'`<>/:@,;)]{8,64})(?=[\s\"'`,;)]|\.?(?:\s|\Z))",
         tuple(f"{name}{sign}" for name in ("admin", "administrator", "root", "guest", "postgres", "oracle", "ubuntu", "demo") for sign in ("/", ":", " / ")), "admin / x7<A12>Q should work", "root:wheel owns it", how="drawn"),
    Rule("traced-value", "PASSWORD", r"\+ (?:\[\[?[ ](?:![ ])?(?:-[nz][ ])?|(?:echo|printf)[ ](?:-[a-z]{1,3}[ ])?[\"']?[\w.-]{1,32}:)[\"']?(?!(?:[0-9a-f]{7,128}+|[0-9A-F]{7,128}+)[\"'\s]|[0-9a-f]{8}-|[0-9]{8}[T_])(?P<v>[^\s\"'`<>/:@,;()]{8,128})(?=[\"']?(?:[ ](?:\]|[=!])|[ \t]*\r?(?:\n|\Z)))",
         ("+ [ ", "+ [[ ", "+ echo ", "+ printf "), "+ [[ -n x7<A12>Q ]]", "+ [[ -n <H40> ]]", how="drawn"),
    Rule("cookie-in-list", "COOKIE", r"(?i:cookies?)[\"']?[ ]?[:=][ ]?[\[{(]{1,2}[\"'](?i:[\w.-]{0,24}(?:sess|sid|auth|token)[\w.-]{0,24})[\"'][ ]?[:=,][ ]?[\"'](?P<v>[^\"'\s]{16,512})", ("cookie",), "cookies: {'sessionid': '<A32>'}", "cookies: {'theme': '<A32>'}",
         how="opaque", scan=r"cookies?[\"']? ?[:=] ?[\[{(]{1,2}[\"'][a-z0-9_.\-]{0,24}(?:sess|sid|auth|token)"),
    Rule("token-of-host", "TOKEN", r"(?:\.[a-z]{2,12}/t/|[\"'](?:[\w-]{1,63}\.){1,4}[a-z]{2,12}[\"'][ ]?:[ ]?[\"'](?=[\w-]{16,128}[\"'])|[\"'](?!(?i:sha-?[0-9]|md5|h1|urn|npm|id|key|[\w-]{0,9}coin:|ethereum:|\w{0,3}monero:))[\w.@-]{2,32}:(?=[\w-]{16,128}[\"']))(?P<v>[A-Za-z0-9_-]{16,128})(?=[\"'/])", (), '"git.example.com": "<A40>"', '"example.com": "index-page"', how="coded",
         scan=r"(?:\.[a-z]{2,12}/t/|[\"'][A-Za-z0-9_.\-]{3,80}\.[a-z]{2,12}[\"'] ?: ?[\"']|[\"'][A-Za-z0-9_.@\-]{2,32}:)[A-Za-z0-9_\-]{16}"),
    Rule("acl-password", "PASSWORD", r"on >(?P<v>[^\s\"'\\]{4,256})", ("on >",), "ACL SETUSER alice on ><A14> ~* +@all", "the user clicks on >Next", how="password",
         before=("user ", "USER ", "setuser ", "SETUSER ")),
    Rule("net-use", "PASSWORD", r"(?i:net use)(?:[ ](?:[A-Za-z]:|\*))?[ ]\\{1,4}[^\s]{1,200}[ ](?:(?i:/user:)[^\s]{1,64}[ ])?(?P<v>[^\s/\"'*][^\s\"']{3,128})", ("net use ",),
         r"net use Z: \\srv\share /user:CORP\alice <A14>", r"net use Z: \\srv\share /persistent:no", how="any"),
    Rule("name-value-pair", "SECRET", r"", ("value", "content", *(f"result{sign}" for sign in ('"', "'", "`", "\\", "=", " =", "  ")), "default", "example", "key"), '{"name": "DB_PASSWORD", "value": "<A16>"}', '{"name": "DB_HOST", "value": "<A16>"}', how="pair",
         scan=r"(?:value|content|default|example)[\\\"'`]{0,4}[ \t]{0,4}[:=>][ \t]{0,4}[^\s]|result(?:[\\\"'`]{1,4}[ \t]{0,4}[:=>]| {0,4}=)[ \t]{0,4}[^\s]|--(?:secret-)?value [^\s]"
         r"|[^A-Za-z0-9_.\-]key[\\\"'`]{0,4}[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}(?:[\\\"'`]{0,4}[A-Za-z0-9+/_\-]{16}|[\\\"'`]{1,4}[a-z]{2,12} [a-z]{2,12} [a-z])"),
    Rule("assignment", "SECRET", r"", ("passw", "passphrase", "passcode", "pass", "pw", "secret", "token", "key", "auth", "credential", "creds", "bearer", "jwt", "_license", "-license", "_licence", "-licence", "activation", "sessid", "sessionid", "contrasena", "senha", "geheimnis", "material", *_NAMES_ABROAD,
                                       "_pat", "-pat", ".pat", "salt", "pepper", "psk"),
         'db_password = "<A14>"', "password = get_password()", how="assignment",
         scan="\n".join((*_DIRECT, _INDIRECT, f"{_NAME}{_CLOSE}{{0,8}}{_JOINED}"))),
    Rule("near-password", "PASSWORD", r"", _PASSWORD_WORDS, "Task reset_password[8f14] received: ('jo', 'x7<A14>Q4k')", "Task reset_password[8f14] received: ('jo', '<H12>')",
         how="near", scan="\n".join(_WHOLE.get(word, word) for word in _PASSWORD_WORDS)),
    Rule("near-token", "TOKEN", r"", _TOKEN_WORDS, "here is the token that I used: (x7<A24>Q4k)", "the token of commit <H40>",
         how="near", scan="\n".join((_WHOLE | {"auth": "[a-z]auth\\b\n[a-z]auth[0-9_]"}).get(word, word) for word in _TOKEN_WORDS)),
    Rule("near-code", "CODE", r"", _LISTED_CODES, "Your recovery codes:\n  1. <L4>1-<L4>\n", "Error codes:\n  1. <D8>\n", how="near",
         scan="\n".join(_LISTED_CODES)),
)

RULES: tuple[Rule, ...] = FORMATS + FILES + CONTEXT
"""All rules of the default set, in the order of importance where two rules meet; those after `FORMATS` need a name, a flag or a header beside the value."""
