"""Private keys, signed tokens and other formats that belong to no vendor."""

from overspill.redact.rule import Rule, tokens

KEYS: tuple[Rule, ...] = (
    Rule(
        "private-key", "PRIVATE_KEY",
        r"-----BEGIN[ A-Z0-9]{0,40} PRIVATE KEY(?: BLOCK)?-----", ("-----begin", "---- begin"),
        "-----BEGIN RSA PRIVATE KEY-----\\n<B64>\\n<B40>\\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\\n<B64>\\n-----END PUBLIC KEY-----",
        how="block", scan=r"----[- ]BEGIN[ A-Z0-9]{0,40} PRIVATE KEY",
    ),
    Rule(
        "putty-private-key", "PRIVATE_KEY",
        r"Private-Lines: [0-9]{1,4}", ("private-lines:",),
        "Private-Lines: 2\n<B64>\n<B40>\n", "Private-Lines: none", how="block",
    ),
    *tokens("JWT_TOKEN", (
        ("jwt", "eyj eyi eyk",
         (r"(?:ey[JKI][A-Za-z0-9_-]{10,}+(?:\.|%2E)ey[JKI][A-Za-z0-9_-]{10,}+(?:\.|%2E)[A-Za-z0-9_-]{2,}"
         # A run that fills the whole reach may end in anything: hidden, unless it is plainly data.
         r"|(?<!base64,)eyJ[A-Za-z0-9_-]{60000,}+(?:\.[A-Za-z0-9_-]*+){0,2})"),
         "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<W24>.<W43>", "eyJhbGciOiJIUzI1NiJ9.<W24>"),
        ("jwe", "eyj", r"eyJ[A-Za-z0-9_-]{20,}+\.(?:[A-Za-z0-9_-]*+\.){3}[A-Za-z0-9_-]{10,}",
         "eyJhbGciOiJkaXIi<W30>..<W16>.<W40>.<W22>", "eyJhbGciOiJkaXIi<W30>..<W16>"),
    )),
    *tokens("PRIVATE_KEY", (
        ("age-secret-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
         "AGE-SECRET-KEY-1<K58>", "AGE-SECRET-KEY-1<K20>"),
        ("age-plugin-key", "age-plugin-", r"AGE-PLUGIN-[A-Z0-9]{2,20}-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{40,}",
         "AGE-PLUGIN-YUBIKEY-1<K60>", "AGE-PLUGIN-YUBIKEY-1<K8>"),
        ("ethereum-private-key", "private_key private-key privatekey",
         r"(?i:private[_-]?key)[\"' ]{0,3}[:=][\"' ]{0,3}(?P<v>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
         "private_key=0x<H64>", "tx_hash=0x<H64>"),
    )),
)
