"""Databases, tables and content."""

from overspill.redact.rule import Rule, tokens

DATA: tuple[Rule, ...] = (
    *tokens("API_KEY", (
        ("planetscale-secret", "pscale_", r"pscale_(?:tkn|pw|oauth|app)_[A-Za-z0-9_-]{32,64}", "pscale_tkn_<W43>", "pscale_tkn_<W9>"),
        ("neon-key", "napi_", r"napi_[a-z0-9]{40,80}", "napi_<L64>", "napi_<L9>"),
        ("neon-role-password", "npg_", r"npg_[A-Za-z0-9]{12,24}", "npg_<A14>", "npg_<A4>"),
        ("mongodb-atlas-secret", "mdb_sa_sk_", r"mdb_sa_sk_[A-Za-z0-9_-]{30,}", "mdb_sa_sk_<W40>", "mdb_sa_sk_x"),
        ("supabase-token", "sbp_", r"sbp_(?:v0_)?[a-f0-9]{40}", "sbp_<H40>", "sbp_<H9>"),
        ("supabase-secret-key", "sb_secret_", r"sb_secret_[A-Za-z0-9_-]{22,40}", "sb_secret_<W31>", "sb_secret_<W5>"),
        ("airtable-pat", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", "pat<A14>.<H64>", "pat<A14>"),
        ("notion-token", "ntn_ secret_", r"(?:ntn_|secret_)[A-Za-z0-9]{43,50}", "ntn_<A46>", "ntn_<A9>"),
        ("contentful-pat", "cfpat-", r"CFPAT-[A-Za-z0-9_-]{43}", "CFPAT-<W43>", "CFPAT-<W9>"),
        ("sanity-token", "sk", r"sk[A-Za-z0-9]{80,180}", "sk<A150>", "sk<A9>"),
        ("xata-key", "xau_", r"xau_[A-Za-z0-9]{32,50}", "xau_<A43>", "xau_<A9>"),
        ("aiven-password", "avns_", r"AVNS_[A-Za-z0-9_-]{16,20}", "AVNS_<A19>", "AVNS_<A5>"),
        ("tinybird-token", "p.eyj", r"p\.eyJ[A-Za-z0-9_-]{60,}\.[A-Za-z0-9_-]{20,}", "p.eyJ<W100>.<W43>", "p.eyJ<W9>"),
        ("clickhouse-key", "4b1d", r"4b1d[A-Za-z0-9]{38}", "4b1d<A38>", "4b1d<A9>"),
        ("confluent-key", "cflt", r"cflt[A-Za-z0-9+/]{56,64}", "cflt<B60>", "cflt<B9>"),
        ("fauna-key", "fnae fnaf", r"fnA[EF][A-Za-z0-9_-]{36,}", "fnAE<W38>", "fnAE<W9>"),
        ("nylas-key", "nyk_v", r"nyk_v[0-9]_[A-Za-z0-9]{40,70}", "nyk_v0_<A64>", "nyk_v0_<A9>"),
        ("context7-key", "ctx7sk-", r"ctx7sk-[A-Za-z0-9_-]{32,}", "ctx7sk-<UUID>", "ctx7sk-x"),
        ("dbt-token", "dbtc_ dbtu_", r"dbt[cu]_[A-Za-z0-9_=-]{30,}", "dbtc_<W40>", "dbtc_<W5>"),
        ("prisma-data-key", "prisma:// prisma+postgres://", r"prisma(?:\+postgres)?://[^\s\"'?]{4,100}\?api_key=(?P<v>[A-Za-z0-9_.-]{30,})",
         "prisma://accelerate.example.net/?api_key=<W80>", "prisma://accelerate.example.net/"),
        ("metabase-key", "mb_", r"mb_[A-Za-z0-9+/]{43}=", "mb_<B43>=", "mb_<B9>"),
    )),
)
