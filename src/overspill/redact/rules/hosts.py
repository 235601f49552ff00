"""Where code lives, and where packages come from."""

from overspill.redact.rule import Rule, tokens

HOSTS: tuple[Rule, ...] = tokens("API_KEY", (
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
