"""Addresses whose path or query is the secret."""

from overspill.redact.rule import Rule


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
