"""Builds, infrastructure and vaults.

Chat, mail and telephony.

Clouds and hosting.

Databases, tables and content.

Where code lives, and where packages come from.

Model vendors and the tools around them.

Money and parcels.

Everything else one subscribes to.

Logs, traces, errors and alarms.

Addresses whose path or query is the secret.
"""

from overspill.redact.rule import EDGE, Rule, token_rules

BUILDERS: tuple[Rule, ...] = (
    *token_rules("API_KEY", (
        ("circleci-token", "ccipat_ ccipra_ ccipr_", r"CCIP(?:AT|RA|R)_[A-Za-z0-9]{16,30}_[a-f0-9]{40,64}", "CCIPAT_<A22>_<H40>", "CCIPAT_<A9>"),
        ("circleci-project-token", "cciprj_", r"CCIPRJ_[A-Za-z0-9]{16,30}_[a-f0-9]{40,64}", "CCIPRJ_<A22>_<H40>", "CCIPRJ_<A9>"),
        ("buildkite-token", "bkua_ bkaj_ bkct_ bkpt_ bkpi_", r"bk(?:ua|aj|ct|pt|pi)_[A-Za-z0-9_]{36,}", "bkua_<H40>", "bkua_<H9>"),
        ("snyk-token", "snyk_", r"snyk_(?:uat|sat|user|svc)[A-Za-z0-9_.]{20,}", "snyk_uat.<H8>.<W60>".replace("<W60>", "<A60>"), "snyk_uat"),
        ("sonar-token", "sqp_ sqa_ squ_", r"sq[apu]_[a-f0-9]{40}", "sqp_<H40>", "sqp_<H9>"),
        ("octopus-key", "api-", r"API-[A-Z0-9]{25,36}", "API-<U30>", "API-<U9>"),
        ("teamcity-token", "eyj0exaioiaivenwmij9", r"eyJ0eXAiOiAiVENWMiJ9\.[A-Za-z0-9_-]{36}\.[A-Za-z0-9_-]{48}", "eyJ0eXAiOiAiVENWMiJ9.<W36>.<W48>", "eyJ0eXAiOiAiVENWMiJ9"),
        ("harness-token", "pat. sat.", r"[ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}", "pat.<W22>.<H24>.<A20>", "pat.x"),
        ("pulumi-token", "pul-", r"pul-[a-f0-9]{40}", "pul-<H40>", "pul-<H9>"),
        ("vault-token", "hvs. hvb. hvr.", r"hv[brs]\.[A-Za-z0-9_-]{24,}", "hvs.<W90>", "hvs.<W9>"),
        ("vault-legacy-token", "s.", r"(?<![A-Za-z0-9_.])s\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9_.(])", "s.<A24>", "s.<A9>"),
        ("vault-recovery-token", "b.aaaaa", r"b\.AAAAA[A-Za-z0-9_-]{120,}", "b.AAAAA<W140>", "b.AAAAA"),
        ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.",
         r"dp\.(?:pt|ct|sa|scim|audit|said|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}", "dp.pt.<A43>", "dp.pt.<A9>"),
        ("infisical-token", "st.", r"st\.[a-f0-9-]{24,36}\.[a-f0-9]{32,64}\.[a-f0-9]{32}", "st.<H24>.<H32>.<H32>", "st.<H9>"),
        ("onepassword-service-token", "ops_eyj", r"ops_eyJ[A-Za-z0-9+/_-]{80,}={0,2}", "ops_eyJ<B300>", "ops_eyJ<B9>"),
        ("onepassword-secret-key", "a3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
         "A3-<U6>-<U11>-<U5>-<U5>-<U5>", "A3-<U6>"),
        ("bitwarden-token", "0.", r"0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==",
         "0.<UUID>.<A30>:<B22>==", "0.<UUID>"),
        ("prefect-key", "pnu_ pnb_", r"pn[bu]_[A-Za-z0-9]{36}", "pnu_<A36>", "pnu_<A9>"),
        ("databricks-token", "dapi dose dkea", r"(?:dapi|dose|dkea)[a-f0-9]{32}(?:-[0-9])?", "dapi<H32>", "dapi<H9>"),
        ("infracost-key", "ico-", r"ico-[A-Za-z0-9]{32}", "ico-<A32>", "ico-<A9>"),
        ("appveyor-token", "v2.", r"v2\.[a-z0-9]{20}", "v2.<L20>", "v2.<L9>"),
        ("dagster-token", "agent:", r"agent:[a-z0-9-]{3,40}:[a-f0-9]{32}", "agent:acme-prod:<H32>", "agent:acme-prod"),
        ("depot-token", "depot_", r"depot_(?:org|project)_[a-f0-9]{60,}", "depot_org_<H64>", "depot_org_x"),
    )),
    *token_rules("API_KEY", (
        ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}", "<A14>.atlasv1.<W67>", "x.atlasv1.<W9>"),
    ), back=14),
)


CHATS: tuple[Rule, ...] = (
    *token_rules("API_KEY", (
        ("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd-", r"xox[abcdoprs]-[A-Za-z0-9%/+-]{10,}",
         "xoxb-<D12>-<D12>-<A24>", "xoxb-<D4>"),
        ("slack-config-token", "xoxe.xox xoxe-", r"xoxe(?:\.xox[bp])?-[0-9]-[A-Za-z0-9]{100,}", "xoxe.xoxp-1-<A146>", "xoxe-1-<A9>"),
        ("slack-app-token", "xapp-", r"xapp-[0-9]-[A-Z0-9]{6,}-[0-9]{8,}-[a-z0-9]{40,}", "xapp-1-A<U10>-<D13>-<H64>", "xapp-1-A"),
        ("discord-token", "discord login( bot",
         r"(?:(?i:discord)|login\(|Bot )[^\n]{0,60}?(?P<v>(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
         "Authorization: Bot MT<A22>.<W6>.<W38>", "discord.ext.commands"),
        ("discord-mfa-token", "mfa.", r"mfa\.[A-Za-z0-9_-]{84}", "mfa.<W84>", "mfa.<W9>"),
        ("mailgun-key", "key-", r"key-[a-f0-9]{32}", "key-<H32>", "key-<H9>"),
        ("sendgrid-key", "sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}", "SG.<W22>.<W43>", "SG.<W22>"),
        ("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}", "xkeysib-<H64>-<A16>", "xkeysib-<H9>"),
        ("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}", "re_<A8>_<A24>", "re_<A8>"),
        ("twilio-api-key", "sk", r"SK[0-9a-f]{32}", "SK<H32>", "SK<H9>"),
        ("mandrill-key", "md-", r"md-[A-Za-z0-9_-]{22}", "md-<W22>", "md-<W5>"),
        ("hubspot-key", "pat-na pat-eu pat-ap",
         r"pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "pat-na1-<UUID>", "pat-na1-x"),
        ("intercom-token", "dg9rog", r"dG9rOg[A-Za-z0-9+/=_-]{40,}", "dG9rOj<B60>".replace("Oj", "Og"), "dG9rOg<B9>"),
        ("klaviyo-key", "pk_", r"pk_[a-f0-9]{34}", "pk_<H34>", "pk_<H9>"),
        ("facebook-token", "eaa", r"(?<![+/_=-])EAA[A-Za-z0-9]{80,}(?![+/=])", "EAACEdEose0cBA<A150>", "EAA<A9>"),
        ("instagram-token", "igqv igaa", r"IG(?:QV|AA)[A-Za-z0-9_-]{80,}", "IGQVJ<W150>", "IGQV<W9>"),
        ("courier-key", "pk_prod_ dk_prod_", r"[dp]k_prod_[A-Z0-9]{20,}", "pk_prod_<U28>", "pk_prod_<U5>"),
    )),
    *token_rules("API_KEY", (
        ("telegram-bot-token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}", "<D10>:AA<W33>", "12345:AA<W9>"),
        ("telegram-bot-token-in-url", "%3aaa", r"[0-9]{8,10}%3AAA[A-Za-z0-9_-]{32,35}", "<D10>%3AAA<W33>", "12345%3AAA<W9>"),
    ), back=10, least=8),
    *token_rules("API_KEY", (
        ("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])", "<H32>-us19", "<H9>-us19"),
    ), back=32),
)


CLOUDS: tuple[Rule, ...] = (
    *token_rules("API_KEY", (
        ("aws-access-key-id", "akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", "AKIA<E16>", "AKIA<E9>"),
        ("aws-bedrock-key", "absk", r"ABSK[A-Za-z0-9+/%]{100,}={0,2}", "ABSK<B128>", "ABSK<B30>"),
        ("aws-bedrock-short-key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=]{60,}",
         "bedrock-api-key-<B90>", "bedrock-api-key-name"),
        ("aws-session-token", "iqojb3jpz2lu fwogzxivyxdz fqogzxivyxdz",
         r"(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/%]{80,}={0,2}", "IQoJb3JpZ2lu<B200>==", "IQoJb3JpZ2lu<B9>"),
        ("aws-mws-token", "amzn.mws.", r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
         "amzn.mws.<UUID>", "amzn.mws.docs"),
        ("amazon-oauth-secret", "amzn1.oa2-cs.v1.", r"amzn1\.oa2-cs\.v1\.[a-f0-9]{64}", "amzn1.oa2-cs.v1.<H64>",
         "amzn1.oa2-cs.v1.x"),
        ("gcp-api-key", "aiza", r"AIza[A-Za-z0-9_-]{35}", "AIza<W35>", "AIza<W20>"),
        ("google-oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,}", "ya29.<W80>", "ya29.short"),
        ("google-refresh-token", "1//0", r"1//0[A-Za-z0-9_-]{40,}", "1//0<W60>", "1//0<W8>"),
        ("google-client-secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_-]{28}", "GOCSPX-<W28>", "GOCSPX-<W10>"),
        ("firebase-server-key", "aaaa", r"AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140}", "AAAA<W7>:<W140>", "AAAA<W7>:<W20>"),
        ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}", "dop_v1_<H64>", "dop_v1_<H12>"),
        ("digitalocean-spaces-key", "do00", r"DO00[A-Z0-9]{16}", "DO00<U16>", "DO00<U4>"),
        ("alibaba-access-key", "ltai", r"LTAI[A-Za-z0-9]{12,24}", "LTAI<A20>", "LTAI<A5>"),
        ("tencent-secret-id", "akid", r"AKID[A-Za-z0-9]{32}", "AKID<A32>", "AKID<A10>"),
        ("volcengine-access-key", "aklt", r"AKLT[A-Za-z0-9_-]{32,64}", "AKLT<A43>", "AKLT<A6>"),
        ("yandex-api-key", "aqvn", r"AQVN[A-Za-z0-9_-]{35,38}", "AQVN<W36>", "AQVN<W9>"),
        ("yandex-iam-token", "t1.", r"t1\.[A-Za-z0-9_-]{30,}+={0,2}\.[A-Za-z0-9_-]{86}", "t1.<W180>.<W86>", "t1.<W20>.x"),
        ("yandex-aws-secret", "ycajc ycmdm yccke ycpve yco", r"YC(?:O|AJC|MDM|CKE|PVE)[A-Za-z0-9_-]{35,37}", "YCO<W37>", "YCO<W7>"),
        ("scaleway-access-key", "scw", r"SCW[A-Z0-9]{17}", "SCW<U17>", "SCW<U5>"),
        ("heroku-token", "hrku-", r"HRKU-[A-Za-z0-9_-]{36,60}", "HRKU-AA<W58>", "HRKU-<W9>"),
        ("fly-token", "fo1_", r"fo1_[A-Za-z0-9_-]{43}", "fo1_<W43>", "fo1_<W9>"),
        ("fly-macaroon", "fm1a_ fm1r_ fm2_", r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{60,}={0,3}", "fm2_<B120>", "fm2_<B9>"),
        ("render-token", "rnd_", r"rnd_[A-Za-z0-9]{28,40}", "rnd_<A32>", "rnd_<A6>"),
        ("vercel-token", "vcp_ vca_ vcc_ vci_ vcr_ vck_", r"vc[acikpr]_[A-Za-z0-9]{24,60}", "vcp_<A40>", "vcp_<A6>"),
        ("vercel-blob-token", "vercel_blob_rw_", r"vercel_blob_rw_[A-Za-z0-9_]{30,}", "vercel_blob_rw_<A40>",
         "vercel_blob_rw_x"),
        ("netlify-token", "nfp_ nfc_ nfo_ nfu_ nff_", r"nf[cfopu]_[A-Za-z0-9_]{36,40}", "nfp_<A36>", "nfp_<A9>"),
        ("cloudflare-origin-ca", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", "v1.0-<H24>-<H146>", "v1.0-<H24>"),
        ("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9]{40,60}", "cfut_<A48>", "cfut_<A8>"),
        ("cloudflare-tunnel", "eyjhijoi", r"eyJhIjoi[A-Za-z0-9+/_-]{120,}={0,2}", "eyJhIjoi<B160>", "eyJhIjoi<B9>"),
        ("openshift-token", "sha256~", r"sha256~[A-Za-z0-9_-]{43}", "sha256~<W43>", "sha256~<W9>"),
        ("deno-token", "ddp_ ddo_ ddw_", r"dd[opw]_[A-Za-z0-9]{36}", "ddp_<A36>", "ddp_<A8>"),
        ("runpod-key", "rpa_", r"rpa_[A-Z0-9]{36,60}", "rpa_<U46>", "rpa_<U6>"),
        ("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9]{10,24}(?:CNTRL)?-[A-Za-z0-9]{16,}",
         "tskey-auth-<A17>-<A32>", "tskey-auth-k"),
        ("ngrok-token", "ngrok", r"ngrok[^\n]{0,30}?(?P<v>2[A-Za-z0-9]{26}_[A-Za-z0-9]{20,24})",
         "ngrok authtoken 2<A26>_<A20>", "ngrok http 80"),
        ("defined-networking-key", "dnkey-", r"dnkey-[a-z0-9_]{26}-[a-z0-9_]{52}", "dnkey-<L26>-<L52>", "dnkey-<L9>"),
    )),
    *token_rules("API_KEY", (
        ("azure-client-secret", "q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "<A3>7Q~<W32>", "<A3>7Q~<W9>"),
    ), back=4),
    *token_rules("API_KEY", (
        ("azure-cache-key", "azca", r"[A-Za-z0-9+/]{33}AzCa[A-Z][A-Za-z0-9+/]{5}=?", "<A33>AzCaA<A5>=", "AzCaA<A5>="),
        ("azure-bus-key", "+asb +aeh", r"[A-Za-z0-9+/]{33}\+A(?:Sb|Eh)[A-Za-z0-9+/]{5,8}=?", "<A33>+ASb<A7>=", "+ASb<A7>="),
        ("azure-iot-key", "aiot", r"[A-Za-z0-9+/]{33}AIoT[A-Za-z0-9+/]{5,8}=?", "<A33>AIoT<A6>=", "AIoT<A6>="),
    ), back=33),
    *token_rules("API_KEY", (
        ("azure-search-key", "azse", r"[A-Za-z0-9]{42}AzSe[A-Z][A-Za-z0-9]{5}", "<A42>AzSeA<A5>", "AzSeA<A5>"),
        ("azure-registry-key", "+acr", r"[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}", "<A42>+ACRA<A5>", "+ACRA<A5>"),
    ), back=42),
    *token_rules("API_KEY", (
        ("azure-function-key", "azfu", r"[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[A-Za-z0-9]={0,2}", "<W44>AzFu<W5>Q==", "AzFu<W5>Q=="),
    ), back=44),
    *token_rules("API_KEY", (
        ("azure-ai-key", "jqqj99", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{24,28}", "<A52>JQQJ99<A26>", "JQQJ99<A26>"),
    ), back=52),
    *token_rules("API_KEY", (
        ("azure-storage-key", "+asts", r"[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{5,8}={0,2}", "<A76>+AStS<A4>==", "+AStS<A4>=="),
        ("azure-cosmos-key", "acdb", r"[A-Za-z0-9+/]{76}ACDb[A-Za-z0-9+/]{5,8}={0,2}", "<A76>ACDb<A6>==", "ACDb<A6>=="),
        ("azure-devops-pat", "azdo", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", "<A76>AZDO<A4>", "AZDO<A4>"),
    ), back=76),
    *token_rules("API_KEY", (
        ("azure-account-key", "accountkey=", r"(?i:AccountKey)=(?P<v>[A-Za-z0-9+/]{86}==)", "AccountKey=<B86>==", "AccountKey=UseDevelopment"),
        ("azure-shared-key", "sharedaccesskey=", r"(?i:SharedAccessKey)=(?P<v>[A-Za-z0-9+/]{42,44}={0,2})",
         "SharedAccessKey=<B43>=", "SharedAccessKeyName=Root"),
    )),
)


DATA: tuple[Rule, ...] = (
    *token_rules("API_KEY", (
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


HOSTS: tuple[Rule, ...] = token_rules("API_KEY", (
    ("github-pat", "ghp_", r"ghp_[A-Za-z0-9]{36,}", "ghp_<A36>", "ghp_<A9>"),
    ("github-oauth", "gho_", r"gho_[A-Za-z0-9]{36,}", "gho_<A36>", "gho_<A9>"),
    ("github-app", "ghu_ ghs_", r"gh[us]_[A-Za-z0-9]{36,}(?:[A-Za-z0-9_.-]{10,})?", "ghs_<A36>", "ghs_<A9>"),
    ("github-refresh", "ghr_", r"ghr_[A-Za-z0-9]{36,}", "ghr_<A76>", "ghr_<A9>"),
    ("github-fine-grained-pat", "github_pat_", r"github_pat_[A-Za-z0-9_]{36,}", "github_pat_<A22>_<A59>", "github_pat_<A9>"),
    ("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glimt- gloas- glsoat- glwt-",
     r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|oas|soat|wt)-(?:t[0-9]_)?[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
     "glpat-<W20>", "glpat-<W9>"),
    ("gitlab-runner-token", "glrtr- gr1348941", r"(?:glrtr-|GR1348941)[A-Za-z0-9_-]{20,}", "GR1348941<W20>", "GR1348941<W5>"),
    ("gitlab-agent-token", "glagent- glffct-", r"gl(?:agent|ffct)-[A-Za-z0-9_-]{20,}", "glagent-<W50>", "glagent-<W5>"),
    ("bitbucket-app-password", "atbb", r"ATBB[A-Za-z0-9]{24,40}", "ATBB<A32>", "ATBB<A9>"),
    ("atlassian-token", "atatt3 atctt3 atstt3", r"AT[ACS]TT3[A-Za-z0-9_=-]{60,}", "ATATT3xFfGF0<W180>", "ATATT3<W9>"),
    ("sourcegraph-token", "sgp_ sgd_", r"sg[dp]_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40,64}", "sgp_<H16>_<H40>", "sgp_<H9>"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}", "npm_<A36>", "npm_config_registry_name_that_is_long_x"),
    ("pypi-token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{50,}", "pypi-AgEIcHlwaS5vcmc<W120>", "pypi-AgE<W9>"),
    ("rubygems-key", "rubygems_", r"rubygems_[a-f0-9]{48}", "rubygems_<H48>", "rubygems_<H9>"),
    ("crates-token", "cio", r"cio[A-Za-z0-9]{32}", "cio<A32>", "cio<A9>"),
    ("nuget-key", "oy2", r"oy2[a-z0-9]{43}", "oy2<L43>", "oy2<L9>"),
    ("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[A-Za-z0-9_-]{27,}", "dckr_pat_<W27>", "dckr_pat_<W9>"),
    ("artifactory-key", "akcp", r"AKCp[A-Za-z0-9]{65,75}", "AKCp<A69>", "AKCp<A9>"),
    ("artifactory-reference-token", "cmvmdgtu", r"cmVmdGtu[A-Za-z0-9]{56}", "cmVmdGtu<A56>", "cmVmdGtu<A9>"),
    ("clojars-token", "clojars_", r"CLOJARS_[a-z0-9]{60}", "CLOJARS_<L60>", "CLOJARS_<L9>"),
    ("packagist-token", "packagist_", r"packagist_[ou][ru]t_[a-f0-9]{68}", "packagist_ort_<H68>", "packagist_ort_<H9>"),
    ("jsr-token", "jsrp_ jsrd_", r"jsr[dp]_[A-Za-z0-9]{30,}", "jsrp_<A40>", "jsrp_<A5>"),
))


MODELS: tuple[Rule, ...] = (*token_rules("API_KEY", (
    ("anthropic-key", "sk-ant-", r"sk-ant-[a-z0-9]{3,12}-[A-Za-z0-9_-]{32,}", "sk-ant-api03-<W93>AA", "sk-ant-api03-<W5>"),
    ("openai-project-key", "sk-proj- sk-svcacct- sk-admin- sk-none-", r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{32,}", "sk-proj-<W120>", "sk-proj-<W5>"),
    ("openrouter-key", "sk-or-", r"sk-or-(?:v[0-9]-)?[a-f0-9]{40,64}", "sk-or-v1-<H64>", "sk-or-v1-<H9>"),
    ("langfuse-key", "sk-lf-", r"sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "sk-lf-<UUID>", "sk-lf-x"),
    ("helicone-key", "sk-helicone-", r"sk-helicone-[a-z0-9-]{20,}", "sk-helicone-<L7>-<L7>-<L7>-<L7>", "sk-helicone-x"),
    ("sk-key", "sk-", r"sk-[A-Za-z0-9]{20,}(?:T3BlbkFJ[A-Za-z0-9]{20,})?", "sk-<A48>", "sk-<A9>"),
    ("xai-key", "xai-", r"xai-[A-Za-z0-9_-]{70,90}", "xai-<A80>", "xai-<A9>"),
    ("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,60}", "gsk_<A52>", "gsk_<A9>"),
    ("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,40}", "hf_<A34>", "hf_<A9>"),
    ("huggingface-org-token", "api_org_", r"api_org_[A-Za-z0-9]{30,40}", "api_org_<A34>", "api_org_<A9>"),
    ("replicate-token", "r8_", r"r8_[A-Za-z0-9]{37,40}", "r8_<A37>", "r8_<A9>"),
    ("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,56}", "pplx-<A48>", "pplx-<A9>"),
    ("together-key", "tgp_v1_", r"tgp_v1_[A-Za-z0-9_-]{40,}", "tgp_v1_<W43>", "tgp_v1_<W9>"),
    ("fireworks-key", "fw_", r"fw_[A-Za-z0-9]{20,24}", "fw_<A22>", "fw_<A5>"),
    ("langsmith-key", "lsv2_", r"lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}", "lsv2_pt_<H32>_<H10>", "lsv2_pt_<H9>"),
    ("cerebras-key", "csk-", r"csk-[a-z0-9]{40,60}", "csk-<L48>", "csk-<L9>"),
    ("nvidia-key", "nvapi-", r"nvapi-[A-Za-z0-9_-]{60,70}", "nvapi-<W64>", "nvapi-<W9>"),
    ("elevenlabs-key", "sk_", r"sk_[a-f0-9]{48}", "sk_<H48>", "sk_<H9>"),
    ("anyscale-key", "esecret_", r"esecret_[A-Za-z0-9]{20,40}", "esecret_<A26>", "esecret_<A5>"),
    ("voyage-key", "pa-", r"pa-[A-Za-z0-9_-]{43}", "pa-<A43>", "pa-<A9>"),
    ("jina-key", "jina_", r"jina_[a-f0-9]{32}[A-Za-z0-9_-]{20,40}", "jina_<H32><A28>", "jina_<H9>"),
    ("tavily-key", "tvly-", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,40}", "tvly-dev-<A32>", "tvly-<A9>"),
    ("firecrawl-key", "fc-", r"fc-[a-f0-9]{32}", "fc-<H32>", "fc-<H9>"),
    ("pinecone-key", "pcsk_", r"pcsk_[A-Za-z0-9_]{50,80}", "pcsk_<A5>_<A63>", "pcsk_<A9>"),
    ("wandb-key", "wandb_v1_", r"wandb_v1_[A-Za-z0-9_-]{60,}", "wandb_v1_<A77>", "wandb_v1_<A9>"),
    ("e2b-key", "e2b_", r"e2b_[a-f0-9]{40}", "e2b_<H40>", "e2b_<H9>"),
    ("browserbase-key", "bb_live_", r"bb_live_[A-Za-z0-9_-]{24,}", "bb_live_<W28>", "bb_live_<W5>"),
    ("cursor-key", "crsr_ key_", r"(?:crsr|key)_[a-f0-9]{64}", "crsr_<H64>", "crsr_<H9>"),
    ("modal-token", "ak- as-", r"a[ks]-[A-Za-z0-9]{22}", "ak-<A22>", "ak-<A5>"),
    ("mem0-key", "m0-", r"m0-[A-Za-z0-9]{40}", "m0-<A40>", "m0-<A9>"),
    ("braintrust-key", "bt-st-", r"bt-st-[A-Za-z0-9]{40,}", "bt-st-<A48>", "bt-st-<A9>"),
    ("apify-token", "apify_api_", r"apify_api_[A-Za-z0-9]{30,40}", "apify_api_<A36>", "apify_api_<A9>"),
    ("scrapfly-key", "scp-live- scp-test-", r"scp-(?:live|test)-[a-f0-9]{32}", "scp-live-<H32>", "scp-live-<H9>"),
)),
    Rule("sk-named-key", "API_KEY", EDGE + r"sk-[a-z]{2,12}-(?:v[0-9]-|api-)?[A-Za-z0-9_]{24,}", ("sk-",), "sk-acme-<A40>", "sk-acme-x",
         scan=r"sk-[a-z]{2,12}-(?:v[0-9]-|api-)?[A-Za-z0-9_]{12}"),
)


PAYMENTS: tuple[Rule, ...] = token_rules("API_KEY", (
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", r"[rs]k_(?:live|test|prod)_[A-Za-z0-9_]{16,}", "sk_live_<A24>", "sk_live_<A5>"),
    ("webhook-signing-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}", "whsec_<A32>", "whsec_<A5>"),
    ("stripe-org-key", "sk_org_", r"sk_org_(?:live_|test_)?[A-Za-z0-9]{20,}", "sk_org_live_<A60>", "sk_org_<A5>"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}", "sq0atp-<W22>", "sq0idp-<W22>"),
    ("square-access-token", "eaaa", r"EAAA[A-Za-z0-9_-]{56,64}", "EAAA<W60>", "EAAA<W9>"),
    ("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
     "access_token$production$<L16>$<H32>", "access_token$production$x"),
    ("adyen-key", "aqe", r"AQE[a-z][A-Za-z0-9+/]{40,}[A-Za-z0-9+/=-]{20,}", "AQEyhmfx<B60>-<B40>=", "AQEy<B9>"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ shpit_", r"shp(?:at|ca|pa|ss|tka|ua|it)_[a-fA-F0-9]{32}", "shpat_<H32>", "shpat_<H9>"),
    ("razorpay-key", "rzp_live_ rzp_test_", r"rzp_(?:live|test)_[A-Za-z0-9]{14}", "rzp_live_<A14>", "rzp_live_<A5>"),
    ("plaid-token", "access-sandbox- access-development- access-production-",
     r"access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
     "access-production-<UUID>", "access-production-x"),
    ("flutterwave-key", "flwseck", r"FLWSECK(?:_TEST)?-[a-z0-9]{12,36}(?:-X)?", "FLWSECK-<L32>-X", "FLWSECK-<L5>"),
    ("paddle-key", "pdl_", r"pdl_(?:live|sdbx|ntfset)_(?:apikey_)?[A-Za-z0-9_+/]{26,}", "pdl_live_apikey_<A50>", "pdl_live_<A5>"),
    ("easypost-key", "ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}", "EZAK<A54>", "EZAK<A9>"),
    ("shippo-token", "shippo_live_ shippo_test_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}", "shippo_live_<H40>", "shippo_live_<H9>"),
    ("lob-key", "live_ test_", r"(?:live|test)_(?:pub_)?[a-f0-9]{35}", "live_<H35>", "live_<H9>"),
    ("gocardless-key", "live_", r"live_[A-Za-z0-9_-]{40}", "live_<A40>", "live_<A9>"),
    ("mollie-key", "live_", r"live_[A-Za-z0-9]{30}", "live_<A30>", "live_<A8>"),
    ("duffel-token", "duffel_live_ duffel_test_", r"duffel_(?:live|test)_[A-Za-z0-9_-]{43}", "duffel_live_<W43>", "duffel_live_<W9>"),
    ("checkout-com-key", "sk_sbox_", r"sk_sbox_[a-z0-9]{26,30}[*$#=]?", "sk_sbox_<L26>7y", "sk_sbox_<L5>"),
    ("mercadopago-token", "app_usr-", r"APP_USR-[0-9]{10,20}-[0-9]{6}-[a-f0-9]{32}-[0-9]{5,12}", "APP_USR-<D16>-<D6>-<H32>-<D9>", "APP_USR-<D5>"),
))


SERVICES: tuple[Rule, ...] = (
    *token_rules("API_KEY", (
        ("postman-key", "pmak-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-<H24>-<H34>", "PMAK-<H9>"),
        ("postman-collection-key", "pmat-", r"PMAT-[A-Z0-9]{26}", "PMAT-<U26>", "PMAT-<U9>"),
        ("figma-token", "figd_ figdr_ figo_ figor_ figu_ figur_", r"fig(?:d|dr|o|or|u|ur)_[A-Za-z0-9_-]{36,}", "figd_<W40>", "figd_<W9>"),
        ("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}", "lin_api_<A40>", "lin_api_<A9>"),
        ("clickup-token", "pk_", r"pk_[0-9]{5,10}_[A-Z0-9]{32}", "pk_<D8>_<U32>", "pk_<D8>"),
        ("dropbox-token", "sl.", r"sl\.(?:u\.)?[A-Za-z0-9_-]{100,}", "sl.<W140>", "sl.<W9>"),
        ("mapbox-secret-token", "sk.eyj", r"sk\.eyJ[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}", "sk.eyJ1Ijoi<W60>.<W22>", "pk.eyJ1Ijoi<W60>.<W22>"),
        ("typeform-token", "tfp_", r"tfp_[A-Za-z0-9_.=-]{40,}", "tfp_<W59>", "tfp_<W9>"),
        ("adobe-secret", "p8e-", r"p8e-[A-Za-z0-9_-]{32}", "p8e-<A32>", "p8e-<A9>"),
        ("adafruit-key", "aio_", r"aio_[A-Za-z0-9]{28}", "aio_<A28>", "aio_<A9>"),
        ("beamer-key", "b_", r"b_[A-Za-z0-9_-]{44}", "b_<A44>", "b_<A9>"),
        ("frameio-token", "fio-u-", r"fio-u-[A-Za-z0-9_-]{64}", "fio-u-<W64>", "fio-u-<W9>"),
        ("readme-key", "rdme_", r"rdme_[a-z0-9]{70}", "rdme_<L70>", "rdme_<L9>"),
        ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", r"sm_[aps]at_[A-Za-z0-9]{16}", "sm_pat_<A16>", "sm_pat_<A5>"),
        ("intra42-secret", "s-s4t2ud- s-s4t2af-", r"s-s4t2(?:ud|af)-[a-f0-9]{64}", "s-s4t2ud-<H64>", "s-s4t2ud-<H9>"),
        ("ionic-token", "ion_", r"ion_[A-Za-z0-9]{42}", "ion_<A42>", "ion_<A9>"),
        ("salesforce-token", "00d", r"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{80,120}", "00D<A12>!<A96>", "00D<A12>"),
        ("salesforce-oauth-secret", "3mvg9", r"3MVG9[A-Za-z0-9_.]{70,100}", "3MVG9<A80>", "3MVG9<A9>"),
        ("asana-token", "2/1 1/1", r"[12]/1[0-9]{13,17}(?:/[0-9]{14,18})?:[a-f0-9]{32}", "2/1<D15>/1<D15>:<H32>", "2/<D4>"),
        ("github-copilot-session", "tid=", r"tid=[a-f0-9]{32};[^\s\"'\\]{40,}", "tid=<H32>;exp=17;sku=x;8kp=1:<H64>", "tid=5"),
        ("clerk-api-key", "ak_live_ ak_test_", r"ak_(?:live|test)_[A-Za-z0-9_-]{20,}", "ak_live_<A30>", "ak_live_<A5>"),
        ("retool-token", "retool_", r"retool_[A-Za-z0-9_-]{24,}", "retool_<W30>", "retool_<W5>"),
        ("zuplo-key", "zpka_", r"zpka_[A-Za-z0-9_]{22,}", "zpka_<A32>", "zpka_<A5>"),
        ("authress-key", "authress_ sc_ ext_ scauth_", r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.(?:acc[_-][a-z0-9-]{10,32}\.)?[A-Za-z0-9+/_=-]{30,120}",
         "authress_<L12>.<L5>.acc_<L12>.<B40>", "authress_docs"),
        ("ghost-admin-key", "ghost", r"(?i:ghost)[^\n]{0,30}?(?P<v>[0-9a-f]{24}:[0-9a-f]{64})", "GHOST_ADMIN_API_KEY=<H24>:<H64>", "ghost: 1"),
        ("wakatime-key", "waka_", r"waka_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "waka_<UUID>", "waka_x"),
        ("flagsmith-key", "ser.", r"ser\.[A-Za-z0-9]{20,30}", "ser.<A22>", "ser.<A5>"),
        ("ably-key", "ably", r"(?i:ably)[^\n]{0,30}?(?P<v>[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{40,44})", "ABLY_API_KEY=<A6>.<A6>:<W43>", "ably: on"),
    )),
    *token_rules("API_KEY", (
        ("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "<A6>_<A29>_mmk", "x_mmk"),
    ), back=36),
    *token_rules("API_KEY", (
        ("rapidapi-key", "msh", r"[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12}", "<H10>msh<H15>p1<H5>jsn<H12>", "msh<H9>"),
    ), back=10),
)


WATCHERS: tuple[Rule, ...] = token_rules("API_KEY", (
    ("newrelic-license-key", "ffffnral", r"[a-f0-9]{32}FFFFNRAL", "<H32>FFFFNRAL", "FFFFNRAL"),
), back=32) + token_rules("API_KEY", (
    ("newrelic-key", "nrak- nraa- nrii- nriq- nrra- nrbr- nrsp-", r"NR(?:AK|AA|II|IQ|RA|BR|SP)-[A-Za-z0-9_-]{27,32}", "NRAK-<U27>", "NRAK-<U9>"),
    ("sentry-org-token", "sntrys_", r"sntrys_[A-Za-z0-9+/=_-]{60,}", "sntrys_eyJ<B120>_<B43>", "sntrys_x"),
    ("sentry-user-token", "sntryu_", r"sntryu_[a-f0-9]{64}", "sntryu_<H64>", "sntryu_<H9>"),
    ("grafana-cloud-token", "glc_", r"glc_[A-Za-z0-9+/]{32,}={0,2}", "glc_eyJ<B120>", "glc_<B9>"),
    ("grafana-service-token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}", "glsa_<A32>_<H8>", "glsa_<A9>"),
    ("grafana-api-key", "eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{60,}={0,2}", "eyJrIjoi<B80>", "eyJrIjoi<B9>"),
    ("honeycomb-key", "hcaik_ hcamk_ hcalk_ hcbik_ hcbmk_ hcblk_ hcxik_ hcxmk_ hcxlk_", r"hc[abx][ilm]k_[a-z0-9]{50,70}", "hcaik_<L58>", "hcaik_<L9>"),
    ("dynatrace-token", "dt0c dt0s", r"dt0[cs][0-9]{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}", "dt0c01.<U24>.<U64>", "dt0c01.<U24>"),
    ("elastic-key", "essu_", r"essu_[A-Za-z0-9+/=_-]{40,}", "essu_<B80>", "essu_<B9>"),
    ("posthog-key", "phx_ phs_", r"ph[sx]_[A-Za-z0-9]{40,50}", "phx_<A43>", "phx_<A9>"),
    ("launchdarkly-key", "sdk- api-", r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "sdk-<UUID>", "sdk-x"),
    ("axiom-token", "xaat- xapt-", r"xa[ap]t-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "xaat-<UUID>", "xaat-x"),
    ("checkly-key", "cu_", r"cu_[a-f0-9]{32}", "cu_<H32>", "cu_<H9>"),
    ("statsig-key", "secret-", r"secret-[A-Za-z0-9]{40,50}", "secret-<A44>", "secret-<A9>"),
    ("datadog-app-key", "ddapp_ ddpat_", r"dd(?:app|pat)_[A-Za-z0-9_]{34,}", "ddapp_<A34>", "ddapp_<A9>"),
    ("pagerduty-key", "pdus+ pdeu+", r"(?:pdus|pdeu)\+[A-Za-z0-9_+-]{18,24}", "pdus+<A20>", "pdus+<A5>"),
    ("logfire-token", "pylf_", r"pylf_v[0-9]_[a-z]{2,12}_[A-Za-z0-9]{40,}", "pylf_v1_us_<A43>", "pylf_v1_us"),
    ("splunk-hec-token", "splunk", r"(?i:splunk)[ :=\"']{1,4}(?P<v>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})",
     "Authorization: Splunk <UUID>", "splunk: enabled"),
    ("langwatch-key", "sk-lw-", r"sk-lw-[A-Za-z0-9]{40,}", "sk-lw-<A48>", "sk-lw-<A9>"),
    ("trigger-dev-key", "tr_dev_ tr_prod_ tr_stg_ tr_pat_", r"tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{20,}", "tr_prod_<A24>", "tr_prod_<A5>"),
    ("inngest-key", "signkey-", r"signkey-[a-z]{2,8}-[a-f0-9]{32,64}", "signkey-prod-<H64>", "signkey-prod"),
))


def _hook(name: str, gate: str, pattern: str, yes: str, no: str) -> Rule:
    return Rule(name, "WEBHOOK", pattern, tuple(gate.split(" ")), yes, no)


WEBHOOKS: tuple[Rule, ...] = (
    _hook("slack-webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9/_+-]{20,})",
          "https://hooks.slack.com/services/T<U10>/B<U10>/<A24>", "https://hooks.slack.com/services/"),
    _hook("slack-gov-webhook", "hooks.slack-gov.com/", r"hooks\.slack-gov\.com/services/(?P<v>[A-Za-z0-9/_+-]{20,})",
          "https://hooks.slack-gov.com/services/T<U10>/B<U10>/<A24>", "https://hooks.slack-gov.com/"),
    _hook("discord-webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{15,21}/(?P<v>[A-Za-z0-9_-]{40,})",
          "https://discord.com/api/webhooks/<D18>/<W68>", "https://example.com/api/webhooks/12"),
    _hook("teams-webhook", ".webhook.office.com/", r"\.webhook\.office\.com/webhookb2/(?P<v>[A-Za-z0-9@/_-]{60,})",
          "https://acme.webhook.office.com/webhookb2/<UUID>@<UUID>/IncomingWebhook/<H32>/<UUID>", "https://acme.webhook.office.com/"),
    _hook("google-chat-webhook", "chat.googleapis.com/", r"chat\.googleapis\.com/v1/spaces/[\w-]{4,40}/messages\?(?P<v>[^\s\"'<>\\]{20,})",
          "https://chat.googleapis.com/v1/spaces/AAA<A8>/messages?key=<A39>&token=<W43>", "https://chat.googleapis.com/v1/spaces"),
    _hook("zapier-webhook", "hooks.zapier.com/", r"hooks\.zapier\.com/hooks/(?:catch|standard)/(?P<v>[A-Za-z0-9/_-]{8,})",
          "https://hooks.zapier.com/hooks/catch/<D7>/<L7>/", "https://hooks.zapier.com/hooks"),
    _hook("make-webhook", "://hook.", r"://hook\.[a-z0-9]{2,8}\.make\.com/(?P<v>[A-Za-z0-9]{20,})", "https://hook.eu1.make.com/<L32>", "https://www.make.com/en"),
    _hook("ifttt-webhook", "maker.ifttt.com/", r"maker\.ifttt\.com/(?:trigger/[\w-]{1,80}/(?:json/)?with/key|use)/(?P<v>[A-Za-z0-9_-]{20,})",
          "https://maker.ifttt.com/trigger/alarm/with/key/<W43>", "https://maker.ifttt.com/trigger/alarm"),
    _hook("pipedream-webhook", ".m.pipedream.net", r"(?P<v>[a-z0-9]{12,20})\.m\.pipedream\.net", "https://eo<L14>.m.pipedream.net", "https://x.m.pipedream.net")._replace(back=20, least=12),
    _hook("feishu-webhook", "/open-apis/bot/", r"/open-apis/bot/(?:v2/)?hook/(?P<v>[A-Za-z0-9-]{20,})", "https://open.feishu.cn/open-apis/bot/v2/hook/<UUID>", "https://open.feishu.cn/open-apis/bot/v2"),
    _hook("dingtalk-webhook", "oapi.dingtalk.com/", r"oapi\.dingtalk\.com/robot/send\?access_token=(?P<v>[a-f0-9]{40,})",
          "https://oapi.dingtalk.com/robot/send?access_token=<H64>", "https://oapi.dingtalk.com/robot"),
    _hook("wecom-webhook", "qyapi.weixin.qq.com/", r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(?P<v>[A-Za-z0-9-]{20,})",
          "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<UUID>", "https://qyapi.weixin.qq.com/cgi-bin"),
    _hook("pagerduty-webhook", "events.pagerduty.com/integration/", r"events\.pagerduty\.com/integration/(?P<v>[a-z0-9]{32})",
          "https://events.pagerduty.com/integration/<H32>/enqueue", "https://events.pagerduty.com/v2/enqueue"),
    _hook("opsgenie-webhook", "api.opsgenie.com/", r"api\.opsgenie\.com/v1/json/[\w-]{2,40}\?apiKey=(?P<v>[0-9a-f-]{36})",
          "https://api.opsgenie.com/v1/json/datadog?apiKey=<UUID>", "https://api.opsgenie.com/v2/alerts"),
    _hook("telegram-url-token", "api.telegram.org/", r"api\.telegram\.org/(?:file/)?bot(?P<v>[0-9]{6,12}:[A-Za-z0-9_-]{30,40})",
          "https://api.telegram.org/bot<D10>:AA<W33>/getMe", "https://api.telegram.org/bots"),
    _hook("netlify-build-hook", "api.netlify.com/build_hooks/", r"api\.netlify\.com/build_hooks/(?P<v>[a-f0-9]{24})", "https://api.netlify.com/build_hooks/<H24>", "https://api.netlify.com/build_hooks/"),
    _hook("vercel-deploy-hook", "/v1/integrations/deploy/", r"/v1/integrations/deploy/prj_[A-Za-z0-9]{10,40}/(?P<v>[A-Za-z0-9]{8,20})",
          "https://api.vercel.com/v1/integrations/deploy/prj_<A28>/<A10>", "https://api.vercel.com/v1/integrations/deploy/"),
    _hook("render-deploy-hook", "api.render.com/deploy/", r"api\.render\.com/deploy/srv-[a-z0-9]{16,24}\?key=(?P<v>[A-Za-z0-9_-]{8,20})",
          "https://api.render.com/deploy/srv-<L20>?key=<W11>", "https://api.render.com/deploy/"),
    _hook("healthchecks-ping", "hc-ping.com/", r"hc-ping\.com/(?P<v>[0-9a-f-]{36}|[A-Za-z0-9_-]{22})", "https://hc-ping.com/<UUID>", "https://hc-ping.com/docs"),
    _hook("power-automate-webhook", ".logic.azure.com", r"\.logic\.azure\.com(?::443)?/[^\s\"'<>\\]{20,300}?[?&]sig=(?P<v>[A-Za-z0-9_%-]{20,})",
          "https://prod-01.westeurope.logic.azure.com:443/workflows/<H32>/triggers/manual/paths/invoke?api-version=2016-10-01&sig=<W43>", "https://prod-01.westeurope.logic.azure.com/"),
    _hook("sentry-dsn", "://", r"://(?P<v>[0-9a-f]{32})@[a-z0-9.]{1,40}sentry\.io/[0-9]{1,20}", "https://<H32>@o1.ingest.sentry.io/12", "https://acme.sentry.io/issues/1")._replace(scan=r"://[0-9a-f]{32}@"),
    _hook("jenkins-build-token", "/build?token= /buildwithparameters?token=", r"/build(?:WithParameters)?\?token=(?P<v>[^\s\"'&<>\\]{6,100})", "https://ci.example.com/job/x/build?token=<A20>", "https://ci.example.com/job/x/build?delay=0"),
    _hook("ecr-docker-login", "aws:", r"AWS:(?P<v>eyJwYXlsb2Fk[A-Za-z0-9+/=]{60,})", "AWS:eyJwYXlsb2Fk<B200>", "AWS:Lambda"),
    _hook("home-assistant-webhook", "/api/webhook/", r"/api/webhook/(?P<v>[A-Za-z0-9_-]{24,})", "https://home.example.org/api/webhook/<A40>", "/api/webhook/list"),
    _hook("n8n-webhook", "/webhook/", r"/webhook/(?P<v>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", "https://n8n.example.org/webhook/<UUID>", "/webhook/health"),
    _hook("uptime-push", "/api/push/", r"/api/push/(?P<v>[A-Za-z0-9]{10,32})\?", "https://up.example.org/api/push/<A10>?status=up", "/api/push/list"),
)
