"""Files whose form alone says which word is the secret."""

from overspill.redact.rule import Rule

FILES: tuple[Rule, ...] = (
    Rule("netrc", "PASSWORD", r"password[ \t]{1,8}(?P<v>[^\s\"'\\]{3,256})",
         ("password ", "password\t"), "machine git.example.com login jane password <A14>", "log in with your login and password now",
         how="netrc", scan=r"password[ \t][^\s]"),
    Rule("pgpass", "PASSWORD",
         r"(?:[\w.-]{1,128}|\*):(?:543[0-9]|6432|\*):[^:\s]{1,64}:[^:\s]{1,64}:(?P<v>[^\s:\\]{3,256})(?=\r?(?:\n|\Z))",
         (":5432:", ":5433:", ":6432:", ":*:"), "db.internal:5432:app:alice:<A14>", "db.internal:5432", how="line"),
    Rule("htpasswd", "PASSWORD", r"(?<![^\s:=\"'])(?P<v>\$(?:apr1|2[abxy]|argon2(?:id|i|d)|5|6|y|scrypt|pbkdf2[\w-]{0,16})\$[^\s:\"'<>,;\\]{20,256})",
         ("$apr1$", "$2a$", "$2b$", "$2x$", "$2y$", "$argon2", "$5$", "$6$", "$y$", "$scrypt$", "$pbkdf2"),
         "root:$6$<A16>$<A86>:19000:0", "cost $5$ each", how="token"),
    Rule("wireguard-key", "PRIVATE_KEY", r"(?i:(?:private|preshared)-?key)[ \t]{0,8}[=:][ \t]{0,8}(?P<v>[A-Za-z0-9+/]{43}=)(?![\w=])",
         ("privatekey", "presharedkey", "private-key", "preshared-key"), "PrivateKey = <B43>=", "PublicKey = <B43>=", how="token"),
    Rule("value-below", "SECRET", r"",
         (": |", ": >", *(f"{word}{close}:{end}" for word in ("password", "passwd", "passphrase", "secret", "token", "key")
                          for close in ("", '"') for end in ("\n", "\r\n"))),
         "settings:\n  password: |-\n    <A24>\n", "settings:\n  reset_password: |\n    Hello, and welcome back.\n", how="below"),
    Rule("kubernetes-secret", "SECRET", r"",
         ("kind: secret", 'kind: "secret', "kind: 'secret", 'kind":"secret', 'kind": "secret', 'kind\\":\\"secret', 'kind\\": \\"secret',
          "data:\n", "data:\r\n", 'data":{', 'data": {', 'data\\":{', 'data\\": {'),
         '{"apiVersion":"v1","data":{"user":"<B24>"},"kind":"Secret"}',
         '{"apiVersion":"v1","data":{"user":"<B24>"},"kind":"ConfigMap"}', how="below"),
)
