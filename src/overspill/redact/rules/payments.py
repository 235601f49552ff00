"""Money and parcels."""

from overspill.redact.rule import Rule, tokens

PAYMENTS: tuple[Rule, ...] = tokens("API_KEY", (
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
