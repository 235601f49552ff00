"""Chat, mail and telephony."""

from overspill.redact.rule import Rule, tokens

CHATS: tuple[Rule, ...] = (
    *tokens("API_KEY", (
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
    *tokens("API_KEY", (
        ("telegram-bot-token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,35}", "<D10>:AA<W33>", "12345:AA<W9>"),
        ("telegram-bot-token-in-url", "%3aaa", r"[0-9]{8,10}%3AAA[A-Za-z0-9_-]{32,35}", "<D10>%3AAA<W33>", "12345%3AAA<W9>"),
    ), back=10, least=8),
    *tokens("API_KEY", (
        ("mailchimp-key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])", "<H32>-us19", "<H9>-us19"),
    ), back=32),
)
