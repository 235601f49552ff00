"""Logs, traces, errors and alarms."""

from overspill.redact.rule import Rule, tokens

WATCHERS: tuple[Rule, ...] = tokens("API_KEY", (
    ("newrelic-license-key", "ffffnral", r"[a-f0-9]{32}FFFFNRAL", "<H32>FFFFNRAL", "FFFFNRAL"),
), back=32) + tokens("API_KEY", (
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
