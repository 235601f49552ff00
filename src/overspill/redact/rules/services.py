"""Everything else one subscribes to."""

from overspill.redact.rule import Rule, tokens

SERVICES: tuple[Rule, ...] = (
    *tokens("API_KEY", (
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
    *tokens("API_KEY", (
        ("maxmind-key", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "<A6>_<A29>_mmk", "x_mmk"),
    ), back=36),
    *tokens("API_KEY", (
        ("rapidapi-key", "msh", r"[a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{5}jsn[a-f0-9]{12}", "<H10>msh<H15>p1<H5>jsn<H12>", "msh<H9>"),
    ), back=10),
)
