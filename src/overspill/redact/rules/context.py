"""Secrets that are told by what stands beside them: a name, a header, a flag, an address."""

from overspill.redact.rule import Rule

# `pass` begins a name unless it begins passed, passing, passage: every line of a test report says one of them.
_NAME = (
    r"(?:(?:passw|passphrase|passcode|[_\-.]pass|[_\-.]pw|pwd|pswd|secret|token|[A-Za-z0-9_\-.]key|auth"
    r"|credential|creds|bearer|jwt|contrasena|senha)[A-Za-z0-9_.\-]{0,40}"
    r"|\bpass(?:[b-df-hj-z0-9_.\-][A-Za-z0-9_.\-]{0,40})?)"
)

CONTEXT: tuple[Rule, ...] = (
    Rule("url-password", "PASSWORD",
         r"://[^\s/?#\"'`<>@:\\]{0,128}+:(?P<v>[^\s/\"'`<>\\]{1,256})@(?=[\w\[%$*{-])", ("://",),
         "postgres://app:<A16>@db.internal:5432/app", "postgres://app@db.internal:5432/app",
         how="url", scan=r"://[^\s/?#\"'`<>@:\\]{0,128}:[^\s/\"'`<>@\\]{1,256}@"),
    Rule("url-token", "TOKEN", r"://(?P<v>[A-Za-z0-9_.~+-]{20,256})@(?=[\w\[-])", ("://",),
         "https://<A40>@git.example.com/x.git", "https://jane@git.example.com/x.git",
         how="opaque-url", scan=r"://[A-Za-z0-9_.~+\-]{20,256}@"),
    Rule("authorization-header", "TOKEN",
         r"(?<![A-Za-z])(?i:authorization)\\{0,4}[\"']?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}\\{0,4}[\"'`]?(?:[bf][\"'])?"
         r"(?:(?:(?i:bearer|token|bot|apikey|api-key|key|negotiate|ntlm|splunk|basic|oauth|sso-key|genieKey|discogs|mac)[ \t]{1,4}))?(?:token=)?\\{0,4}[\"']?"
         r"(?P<v>[A-Za-z0-9_.~+/=:%$!*-]{6,})", ("authorization",),
         "Authorization: Bearer <A32>", "Authorization: Bearer token is required", how="credential",
         scan=r"authorization\\{0,4}[\"']?\]?[ \t]{0,4}(?:[:=,]|=>)[ \t]{0,4}[^\s]"),
    Rule("basic-credentials", "PASSWORD", r"(?i:basic)[ \t]{1,2}(?P<v>[A-Za-z0-9+/]{12,}={0,2})(?![\w=])", ("basic ", "basic\t"),
         "Proxy-Authorization: Basic <A24>", "Basic authentication is required", how="random"),
    Rule("bearer-token", "TOKEN", r"(?i:bearer)(?:[ \t]{1,2}|%20)(?P<v>[A-Za-z0-9_.~+/=-]{16,})", ("bearer ", "bearer\t", "bearer%20"),
         "got bearer <A32>", "bearer authentication-mechanism-name", how="opaque"),
    Rule("signed-authorization", "SIGNATURE", r"(?i:signature)=[\"']?(?P<v>[A-Za-z0-9+/%_-]{27,}={0,2})", ("signature=",),
         "https://b.example.com/f?X-Amz-Signature=<H64>", "signature=none", how="token"),
    Rule("signed-url", "SIGNATURE", r"[?&;](?i:sig|hmac)=(?P<v>[A-Za-z0-9+/%_~-]{20,}={0,2})", ("?sig=", "&sig=", ";sig=", "?hmac=", "&hmac=", ";hmac="),
         "https://a.blob.core.windows.net/c/x?sv=1&sig=<A43>%3D", "https://a.example.com/?sig=1", how="token"),
    Rule("cookie", "COOKIE", r"(?i:set-cookie|cookie)2?\\{0,4}[\"']?\]?[ \t]{0,2}[:=,][ \t]{0,2}\\{0,4}[\"']?(?=[A-Za-z0-9_.%~!*-]{1,80}=)", ("cookie",),
         "Cookie: theme=dark; session=<A32>", "Cookie: theme=dark", how="cookies",
         scan=r"cookie2?[\\\"'\]]{0,6}[ \t]{0,2}[:=,]"),
    Rule("curl-user", "PASSWORD",
         r"(?: -u|--user|--proxy-user| -a|--auth)(?:[ \t]{1,4}|=)\\?[\"']?[^\s:\"'$]{1,64}:(?P<v>[^\s\"'\\]{3,128})",
         (" -u", "--user", "--proxy-user", " -a ", " -a\t", " -a=", "--auth"),
         "curl -s -u alice:<A14> https://api.example.com", "docker run -u 1000:1000 image", how="any",
         before=("curl", "http", "wget", "xh "), scan=r"(?: -u|--user|--proxy-user| -a|--auth)[ \t=]{1,4}\\?[\"']?[^\s:\"'$]{1,64}:"),
    Rule("tool-password", "PASSWORD", r" -p(?P<v>[^\s\"'\\-][^\s\"'\\]{3,128})", (" -p",),
         "mysql -h db -u app -p<A16>", "mysql -h db -u app -p", how="any", before=("mysql", "mariadb"), scan=r" -p[^\s\"'\\-]{4}"),
    Rule("tool-password-flag", "PASSWORD", r" -[paPwW][ \t]{1,4}[\"']?(?P<v>[^\s\"'\\=-][^\s\"'\\]{3,128})", (" -p ", " -a ", " -w ", " -p\t", " -a\t", " -w\t"),
         "sshpass -p <A14> ssh host", "unzip -p archive.zip", how="opaque",
         before=("sshpass", "redis-cli", "docker", "podman", "helm", "nerdctl", "buildah", "skopeo", "mongo", "sqlcmd", "ldap", "az login", "oc login", "bcp")),
    Rule("smb-user", "PASSWORD", r"(?: -U|--user|username=)[= \t]{0,2}[\"']?[\w.\\/-]{1,64}%(?P<v>[^\s\"'\\%]{4,128})",
         (" -u", "--user", "username="), "smbclient //h/s -U alice%<A12>", "username=50%off", how="random",
         scan=r"(?: -U|--user|username=)[= \t]{0,2}[\"']?[\w.\\/-]{1,64}%"),
    Rule("openssl-pass", "PASSWORD", r"(?:-pass(?:in|out)?|--passphrase)[ \t=]{1,4}[\"']?pass:(?P<v>[^\s\"'\\]{4,128})",
         ("-pass ", "-pass=", "-pass\t", "-passin", "-passout", "--passphrase"), "openssl rsa -passin pass:<A12>", "openssl rsa -passin env:X", how="any"),
    Rule("sql-password", "PASSWORD",
         r"(?i:identified[ \t]{1,4}(?:with[ \t]{1,4}[\w\"'`]{3,40}[ \t]{1,4})?(?:by|as)|\bpassword(?:[ \t]{0,4}=)?|set password for[^\n=]{1,80}=)[ \t]{1,4}(?i:password[ \t]{0,2}\([ \t]{0,2})?\\?'(?P<v>[^'\n\\]{4,256})\\?'",
         ("identified", "password", "set password for"), "CREATE USER app IDENTIFIED BY '<A12>'", "ALTER TABLE t ADD password text", how="any",
         scan=r"identified[ \t]|set password for |password(?:[ \t]{0,4}=)?[ \t]{1,4}(?:password[ \t]{0,2}\([ \t]{0,2})?\\?'[^'\n\\]{4}"),
    Rule("redis-config", "PASSWORD", r"(?:requirepass|masterauth|sentinel auth-pass \S{1,60})[ \t]{1,4}[\"']?(?P<v>[^\s\"'\\]{4,256})",
         ("requirepass", "masterauth", "sentinel auth-pass"), "requirepass <A16>", "# requirepass foobared", how="any"),
    Rule("snmp-community", "PASSWORD", r"(?:snmp-server community|rocommunity6?|rwcommunity6?|enable secret \d|username \S{1,40} (?:privilege \d{1,2} )?(?:secret|password) \d)[ \t]{1,4}(?P<v>[^\s\"'\\]{6,128})",
         ("snmp-server community", "rocommunity", "rwcommunity", "enable secret", "username "), "snmp-server community <A12> RO", "the community edition", how="opaque"),
    Rule("spaced-key", "API_KEY",
         r"(?i:(?:api|access|secret|auth|encryption|license|account)[ ]key)[\"'`)]{0,2}(?:[ \t]{0,3}[:=]|[ \t]{1,2}is)?[ \t]{0,4}[\"'`]?(?P<v>[A-Za-z0-9_.~+/=-]{16,})",
         ("api key", "access key", "secret key", "auth key", "encryption key", "license key", "account key"),
         "your API key: <A32>", "API key authentication-mechanism", how="opaque"),
    Rule("basic-auth-pair", "PASSWORD", r"auth=\([\"'][^\"'\n\\]{1,64}[\"'],[ ]?[\"'](?P<v>[^\"'\n\\]{4,128})[\"']", ("auth=(",),
         "requests.get(url, auth=('alice', '<A14>'))", "requests.get(url, auth=(user, password))", how="any"),
    Rule("name-value-pair", "SECRET", r"", ("value", "content"), '{"name": "DB_PASSWORD", "value": "<A16>"}', '{"name": "DB_HOST", "value": "<A16>"}', how="pair",
         scan=r"(?:value|content)[\\\"'`]{0,4}[ \t]{0,4}[:=>][ \t]{0,4}[^\s]"),
    Rule("assignment", "SECRET", r"", ("passw", "passphrase", "passcode", "pass", "pw", "secret", "token", "key", "auth", "credential", "creds", "bearer", "jwt", "contrasena", "senha"),
         'db_password = "<A14>"', "password = get_password()", how="assignment",
         scan=_NAME + r"[\\\"'`\])]{0,8}(?:[ \t]{0,8}[:=>,!-][ \t]{0,8}[^\s]|[ \t]{1,8}[^\s])"),
)
