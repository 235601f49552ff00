"""Rules for what files hold: private keys and signed tokens (`KEYS`), and files whose form alone says which word is the
secret (`FILES`).
"""

from __future__ import annotations

from overspill.redact.rule import Rule, token_rules

KEYS: tuple[Rule, ...] = (
    Rule(
        "private-key", "PRIVATE_KEY",
        r"-----BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----", ("-----begin", "---- begin", "borg_key "),
        "-----BEGIN RSA PRIVATE KEY-----\\n<B64>\\n<B40>\\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\\n<B64>\\n-----END PUBLIC KEY-----",
        how="block", scan=r"----[- ]BEGIN (?:[ A-Z0-9]{0,40}(?:PRIVATE|SECRET) KEY|[ A-Z0-9]{0,40}SEED|OpenVPN Static key)" "\n" r"BORG_KEY [0-9a-f]{64}",
    ),
    Rule(
        "putty-private-key", "PRIVATE_KEY",
        r"Private-Lines: [0-9]{1,4}", ("private-lines:", *(f"{part}:{end}" for part in ("privateexponent", "prime1", "prime2", "exponent1", "exponent2", "coefficient", "priv") for end in ("\n", "\r\n"))),
        "Private-Lines: 2\n<B64>\n<B40>\n", "Private-Lines: none", how="block",
    ),
    Rule(
        "encoded-private-key", "PRIVATE_KEY",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{20}", ("ls0tls1crudjti",),
        "LS0tLS1C" "RUdJTiBSU0EgUFJJVkFURSBLRVkt<B64>", "LS0tLS1C" "RUdJTiBDRVJUSUZJQ0FURS0tLS0t<B64>", how="block",
    ),
    Rule(
        "private-key-without-head", "PRIVATE_KEY",
        r"", (),
        "MIIEowIBAAKCAQEA<B48>\n<B64>\n<B64>\n", "MIIBIjANBgkqhkiG9w0B<B44>\n", how="block",
        scan=(r"(?-i:MII[A-Z][A-Za-z0-9+/]{2}IBA(?:AKC|DAN)|MH[cQ]CAQEE|MI[GH][A-Za-z0-9+/]{1,2}AgEAM|MC[4-9]CAQAw"
              r"|MII[A-Z][A-Za-z0-9+/]{2}BOBgkqhkiG9w0BBQ|MII[A-Z][A-Za-z0-9+/]{2}IBAzCC|/u3\+7QAAAA[EI]|zs7OzgAAAA[EI]|RWRTY0Iy|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{24}"),
    ),
    *token_rules("JWT_TOKEN", (
        ("jwt", "eyj eyi eyk",
         (r"(?:ey[JKI][A-Za-z0-9_-]{10,}+(?:\.|%2E)ey[JKI][A-Za-z0-9_-]{10,}+(?:\.|%2E)[A-Za-z0-9_-]{2,}"
         # A run that fills the whole reach may end in anything: hidden, unless it is plainly data.
         r"|(?<!base64,)eyJ[A-Za-z0-9_-]{60000,}+(?:\.[A-Za-z0-9_-]*+){0,2})"),
         "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W24>.<W43>", "eyJhbGciOiJIUzI1NiJ9.<W24>"),
        ("jwe", "eyj", r"eyJ[A-Za-z0-9_-]{20,}+\.(?:[A-Za-z0-9_-]*+\.){3}[A-Za-z0-9_-]{10,}",
         "eyJhbGciOiJkaXIi<W30>..<W16>.<W40>.<W22>", "eyJhbGciOiJkaXIi<W30>..<W16>"),
    )),
    *token_rules("PRIVATE_KEY", (
        ("age-secret-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
         "AGE-SECRET-KEY-1<K58>", "AGE-SECRET-KEY-1<K20>"),
        ("age-plugin-key", "age-plugin-", r"AGE-PLUGIN-[A-Z0-9]{2,20}-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{40,}",
         "AGE-PLUGIN-YUBIKEY-1<K60>", "AGE-PLUGIN-YUBIKEY-1<K8>"),
        ("ethereum-private-key", "private_key private-key privatekey priv_key priv-key privkey",
         r"(?i:private[_-]?key|priv[_-]?key)[\"' ]{0,3}[:=][\"' ]{0,3}(?P<v>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
         "private_key=0x<H64>", "tx_hash=0x<H64>"),
    )),
)


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
         r"(?:[\w.-]{1,128}|\*):(?:" + "|".join(_DATABASE_PORTS) + r"|\*):[^:\s]{1,64}:[^:\s]{1,64}:(?P<v>[^\s:\\]{3,256})(?=\r?(?:\n|\Z))",
         (*(f":{port}:" for port in _DATABASE_PORTS), ":*:"), "db.internal:5432:app:alice:<A14>", "db.internal:5432", how="line"),
    Rule("htpasswd", "PASSWORD", r"(?<![^\s:=\"'])(?P<v>\$(?:apr1|2[abxy]|argon2(?:id|i|d)\$(?:v=[0-9]{1,3}\$)?[a-z0-9=,]{5,60}|5|6|8|9|y|scrypt|pbkdf2[\w-]{0,16})\$[^\s:\"'<>,;\\]{20,256})",
         ("$apr1$", "$2a$", "$2b$", "$2x$", "$2y$", "$argon2", "$5$", "$6$", "$8$", "$9$", "$y$", "$scrypt$", "$pbkdf2"),
         "root:$6$<A16>$<A86>:19000:0", "cost $5$ each", how="certain"),
    Rule("stored-hash", "PASSWORD",
         r"(?P<v>(?:pbkdf2_sha(?:1|256|512)\$[0-9]{3,8}|pbkdf2:sha(?:1|256|512):[0-9]{3,8}|scrypt:[0-9:]{5,16})\$[A-Za-z0-9./+_-]{6,64}\$[A-Za-z0-9+/=]{20,128}|\{(?i:S?SHA(?:224|256|384|512)?|S?MD5|PBKDF2[\w-]{0,12}|ARGON2)\}[A-Za-z0-9+/$.]{20,256}={0,2})",
         ("pbkdf2_sha", "pbkdf2:sha", "scrypt:", "{ssha", "{sha", "{smd5}", "{md5}", "{pbkdf2", "{argon2}"),
         "pbkdf2_sha256$600000$<A12>$<B43>=", "pbkdf2_sha256(x)", how="certain"),
    Rule("plain-password", "PASSWORD", r"\{(?i:plain|clear|cleartext)\}(?P<v>[^\s:\"'<>\\]{4,128})", ("{plain}", "{clear}", "{cleartext}"),
         "jo@example.com:{PLAIN}<A14>:5000:5000::/srv/mail::", "{plain} text", how="any"),
    Rule("vpn-secret", "PASSWORD", r":[ \t](?:PSK|EAP|XAUTH|NTLM|PIN)[ \t]{1,8}(?P<q>[\"'])(?P<v>[^\"'\n]{4,256})(?P=q)",
         tuple(f":{blank}{kind}" for blank in " \t" for kind in ("psk", "eap", "xauth", "ntlm", "pin")), 'alice : EAP "<A14>"', ": PSK %any", how="any",
         scan=r":[ \t](?:psk|eap|xauth|ntlm|pin)[ \t]{1,8}[\"']"),
    Rule("user-list", "PASSWORD", r"\"[\w.@-]{1,64}\"[ \t]{1,4}\"(?P<v>[^\"\s\\]{6,256})\"(?=[ \t]{0,8}\r?(?:\n|\Z))",
         ('" ', '"\t'), '"alice" "x7<A12>9Q"', 'puts "one" "two"', how="drawn-line", scan=r"\"[ \t]{1,4}\"[^\"\s\\]{6}"),
    Rule("wireguard-key", "PRIVATE_KEY", r"(?i:(?:private|preshared)-?key)[ \t]{0,8}[=:][ \t]{0,8}(?P<v>[A-Za-z0-9+/]{43}=)(?![\w=])",
         ("privatekey", "presharedkey", "private-key", "preshared-key"), "PrivateKey = <B43>=", "PublicKey = <B43>=", how="token"),
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
