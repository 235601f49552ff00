"""Builds, infrastructure and vaults."""

from overspill.redact.rule import Rule, tokens

BUILDERS: tuple[Rule, ...] = (
    *tokens("API_KEY", (
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
    *tokens("API_KEY", (
        ("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}", "<A14>.atlasv1.<W67>", "x.atlasv1.<W9>"),
    ), back=14),
)
