"""Tokens that their first characters give away (R22): a provider a row, with what follows. Data.

Which providers mark their tokens, and how long those are, was looked up in the default rules of gitleaks 8 (MIT); the
expressions are our own. A row is (prefix, characters that follow, at least so many of them). A row whose length a hash,
a name or a version could have as well (forty hexadecimal digits, …) is left out: evidence must not be lost.
"""

from __future__ import annotations

ALNUM, UPPER, HEX, WORD = "A-Za-z0-9", "A-Z0-9", "a-fA-F0-9", "A-Za-z0-9_-"
BASE64, DOTTED = "A-Za-z0-9+/", "A-Za-z0-9_.=-"

TOKEN_PREFIXES: tuple[tuple[str, str, int], ...] = (
    ("ops_eyJ", BASE64, 40),  # 1Password
    ("p8e-", ALNUM, 32),  # Adobe
    ("AGE-SECRET-KEY-1", UPPER, 50),
    ("pat[A-Za-z0-9]{14}\\.", HEX, 64),  # Airtable
    ("LTAI", ALNUM, 12),  # Alibaba Cloud
    ("sk-ant-", WORD, 16),  # Anthropic
    ("AKCp", ALNUM, 69),  # Artifactory
    ("cmVmd", ALNUM, 59),
    ("ATATT3", DOTTED, 100),  # Atlassian
    ("ATCTT3", DOTTED, 100),
    ("(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.", DOTTED, 30),  # Authress
    ("(?:A3T[A-Z0-9]|A[KBS]IA|ACCA)", UPPER, 16),  # AWS
    ("ABSK", BASE64, 100),
    ("bedrock-api-key-", BASE64, 20),
    ("AIza", WORD, 30),  # Google
    ("ya29\\.", DOTTED, 20),
    ("GOCSPX-", WORD, 20),
    ("AKID", ALNUM, 13),  # Tencent Cloud
    ("4b1d", ALNUM, 38),  # ClickHouse Cloud
    ("CLOJARS_", ALNUM, 60),
    ("v1\\.0-[a-f0-9]{24}-", HEX, 100),  # Cloudflare origin CA
    ("dapi", HEX, 32),  # Databricks
    ("dnkey-", WORD, 40),  # Defined Networking
    ("do[opr]_v1_", HEX, 64),  # DigitalOcean
    ("dp\\.(?:pt|st|ct|sa|scim|audit)\\.", DOTTED, 40),  # Doppler
    ("duffel_(?:test|live)_", DOTTED, 40),
    ("dt0[cs][0-9]{2}\\.[A-Z0-9]{24}\\.", ALNUM, 60),  # Dynatrace
    ("EZ[AT]K", ALNUM, 54),  # EasyPost
    ("EAA[MC]", ALNUM, 100),  # Facebook pages
    ("FLW(?:SECK|PUBK)(?:_TEST|_LIVE)?-", WORD, 12),  # Flutterwave
    ("fo1_", WORD, 43),  # Fly.io
    ("fm1[ar]_", BASE64, 100),
    ("fm2_", BASE64, 100),
    ("fio-u-", DOTTED, 60),  # Frame.io
    ("gh[pousr]_", ALNUM, 20),  # GitHub
    ("github_pat_", WORD, 20),
    ("gl(?:pat|dt|ft|rt|soat|ptt|cbt|ffct|imt|agent|oas|wt)-", DOTTED, 16),  # GitLab
    ("GR1348941", WORD, 20),
    ("gl(?:c|sa)_", "A-Za-z0-9+/_", 32),  # Grafana
    ("[ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.", ALNUM, 20),  # Harness
    ("[A-Za-z0-9]{14}\\.atlasv1\\.", DOTTED, 60),  # HCP Terraform
    ("hv[sbr]\\.", WORD, 20),  # Vault
    ("s\\.", ALNUM, 24),
    ("HRKU-AA", WORD, 40),  # Heroku
    ("hf_", ALNUM, 20),  # Hugging Face
    ("api_org_", ALNUM, 34),
    ("ico-", ALNUM, 32),  # Infracost
    ("s-s4t2(?:ud|af)-", HEX, 64),  # Intra 42
    ("lin_(?:api|oauth)_", ALNUM, 32),  # Linear
    ("(?:api|sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-", HEX, 12),  # LaunchDarkly
    ("key-", HEX, 32),  # Mailgun
    ("pubkey-", HEX, 32),
    ("pk\\.eyJ[A-Za-z0-9_-]{20,}\\.", WORD, 20),  # Mapbox
    ("sk\\.eyJ[A-Za-z0-9_-]{20,}\\.", WORD, 20),
    ("[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "", 0),  # MaxMind
    ("NRAK-", UPPER, 27),  # New Relic
    ("NRII-", WORD, 32),
    ("NRJS-", HEX, 19),
    ("ntn_", ALNUM, 40),  # Notion
    ("secret_", ALNUM, 43),
    ("npm_", ALNUM, 30),
    ("oy2", "a-z0-9", 43),  # NuGet
    ("API-", UPPER, 26),  # Octopus Deploy
    ("sk-(?:proj|svcacct|admin|None|or-v1)-", WORD, 12),  # OpenAI, OpenRouter
    ("sha256~", WORD, 43),  # OpenShift
    ("pplx-", ALNUM, 40),  # Perplexity
    ("access-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9-]{15}-", HEX, 12),  # Plaid
    ("pscale_(?:tkn|oauth|pw)_", DOTTED, 32),  # PlanetScale
    ("PMAK-", "a-f0-9-", 50),  # Postman
    ("ph[cx]_", ALNUM, 40),  # PostHog
    ("pnu_", ALNUM, 36),  # Prefect
    ("pul-", HEX, 40),  # Pulumi
    ("pypi-AgE", WORD, 40),
    ("rdme_", "a-z0-9", 70),  # ReadMe
    ("re_[A-Za-z0-9]{8}_", ALNUM, 20),  # Resend
    ("r8_", ALNUM, 37),  # Replicate
    ("gsk_", ALNUM, 40),  # Groq
    ("xai-", ALNUM, 60),
    ("rubygems_", HEX, 48),
    ("tk-us-", WORD, 48),  # Scalingo
    ("SG\\.", DOTTED, 40),  # SendGrid
    ("xkeysib-", "A-Za-z0-9-", 64),  # Brevo
    ("sntrys_eyJ", "A-Za-z0-9+/=_", 40),  # Sentry
    ("sntryu_", HEX, 64),
    ("sm_[aps]at_", ALNUM, 16),  # SettleMint
    ("shippo_(?:live|test)_", HEX, 40),
    ("shp(?:at|ca|pa|ss)_", HEX, 32),  # Shopify
    ("xox[abeoprs][-.]", "A-Za-z0-9.-", 10),  # Slack
    ("xapp-[0-9]-", "A-Za-z0-9-", 10),
    ("sgp_", "a-zA-Z0-9_", 40),  # Sourcegraph
    ("sq0(?:atp|csp|idp)-", WORD, 22),  # Square
    ("EAAA", WORD, 40),
    ("[spr]k_(?:live|test|prod)_", ALNUM, 10),  # Stripe
    ("whsec_", BASE64, 20),
    ("(?:live|test)_(?:pub_)?", HEX, 35),  # Lob
    ("sb_(?:secret|publishable)_", WORD, 20),  # Supabase
    ("sbp_", HEX, 40),
    ("tskey-[a-z]+-", WORD, 12),  # Tailscale
    ("SK", HEX, 32),  # Twilio
    ("tfp_", DOTTED, 40),  # Typeform
    ("(?:AQVN|t1\\.[A-Z0-9a-z_-]+=*\\.)", WORD, 35),  # Yandex
    ("YC[a-zA-Z0-9_]", WORD, 37),
    ("y0_", WORD, 40),
    ("dckr_(?:pat|oat)_", WORD, 20),  # Docker Hub
    ("cio", ALNUM, 32),  # crates.io
    ("assay_", WORD, 32),  # our own
)


def token_expression() -> str:
    """One RE2 expression for a token of any provider, with a border on both sides."""
    rows = (f"{prefix}[{follows}]{{{least},}}=*" if least else prefix for prefix, follows, least in TOKEN_PREFIXES)
    return rf"\b(?:{'|'.join(rows)})"
