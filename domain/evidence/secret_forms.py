"""What secrets look like (R22): a form a row, in the order in which they are looked for. Data.

Expressions are RE2's. RE2 has no lookaround; instead a match is masked only where its group `secret` took part (or,
without such a group, as a whole). An alternative in front of that group says what looks like a secret and is none, e.g.
eleven digits behind `bytes=`.
"""

from __future__ import annotations

from domain.evidence.token_prefixes import token_expression

_NAME = r"[A-Za-z0-9_.-]*"
PASSWORD_KEY = (
    rf"{_NAME}(?i:password|passwd|passphrase|passcode)|{_NAME}[_.-](?i:pwd)"
    r"|(?i:(?:db|user|smtp|mysql|root|ftp|ldap|redis)pass|pwd|requirepass|masterauth)|密码|密碼|口令|验证码|授权码"
)
SECRET_KEY = (
    rf"{_NAME}(?i:secret|credentials?)"
    rf"|{_NAME}(?i:api|access|private|secret|account|shared|master|encrypt(?:ion)?|decrypt(?:ion)?|signing|sign|auth|license"
    r"|subscription|security|session|client|app|hmac|jwt|aes|rsa|ssh|functions|webhook)[_-]?(?i:key)"
    r"(?i:[_-]?(?:base64|b64|pem|data|value))?"
    rf"|{_NAME}(?i:token)|{_NAME}(?i:sas)[_-]?(?i:url)|密钥|密鑰|秘钥|令牌"
)
_SESSION_COOKIE = (
    r"(?i:jsessionid|phpsessid|asp\.net_sessionid|aspsessionid[a-z]*|connect\.sid|laravel_session|_gitlab_session|csrftoken"
    r"|xsrf-token)"
)
COOKIE_KEY = rf"(?i:(?:set-)?cookie2?)|{_SESSION_COOKIE}"
AUTHORIZATION_KEY = r"(?i:(?:proxy-|x-)?authorization)"
NO_SECRET_KEY = (
    r"(?i:[a-z0-9_.-]*(?:next|prev|previous|page|continuation|continue|start|resume|sync|cursor|marker|max|min|total|input"
    r"|output|prompt|completion|cached|cancellation|num|count|per|first|last|stop|eos|bos|pad|unk|each)"
    r"[_.-]?(?:page)?[_.-]?token|unexpected\s+token|(?:illegal|invalid|bad|syntax)\s+token)"
)
"""Marks of places in lists, and words of parsers and models: `nextPageToken`, `unexpected token: }`."""
_WORKING_FOLDER = (
    r"(?:OLD)?PWD=/(?:(?:home|root|var|tmp|usr|opt|srv|etc|app|data|mnt|run|workspace|build)(?:/[^\s;,\"']*)?)?"
    r"(?:[\s;,\"']|\z)"
)
"""As sudo and shells write it: no password."""
_HIDDEN_BEFORE = (
    r"\[*\\*\"?\[masked:|\*{3,}|\[?(?:REDACTED|FILTERED|HIDDEN|redacted|filtered|hidden)\b"
    r"|<(?i:redacted|hidden|masked|removed|empty|none|null|unset)>|\$\{[A-Za-z_][A-Za-z0-9_.:-]*\}|\{\{|%s\b"
)
_AN_END = r"(?:\z|[\s\"',;.&)}\]\\])"
SAYS_WHAT_BECAME_OF_IT = (
    rf"(?:{_HIDDEN_BEFORE}|(?i:expired|invalid|missing|incorrect|wrong|rejected|revoked|unknown|required|null|none|nil|true"
    rf"|false|empty|not|is|has|was|for|from|user|the|authentication|mismatch|failed|failure|error|undefined|enabled"
    rf"|disabled){_AN_END}|错误|过期|已|失效|无效|空|不|否)"
)
STATES = (
    rf"(?:{_HIDDEN_BEFORE}|(?i:expired|invalid|missing|incorrect|wrong|rejected|revoked|unknown|required|null|none|nil|true"
    rf"|false|empty|mismatch|failed|failure|error|undefined|enabled|disabled|is\s+\w+|not\s+\w+)(?:\z|[\s\"',;.&)}}\]\\])"
    r"|错误|过期|已|失效|无效|空|不|否)"
)
"""What stands in quotes is a value: a phrase may begin with "the" or "for"."""
_MEASURE = (
    r"(?i:[a-z_.]*(?:bytes?|size|value|values|used|usage|limit|total|free|avail\w*|max|min|avg|sum|count|memory|heap|offset"
    r"|lag|duration|current|threshold|capacity|depth|rate|time|timestamp|ts|seq|sequence|version|position)[\"']?"
    r"\s*[=:]\s*[\"']?[0-9]+)"
)
_UNIT = r"(?:bytes?|[KMGT]i?B|B|ns|us|µs|ms|s|rows|字节|毫秒|微秒|纳秒|秒|条|次|行)"
_IS = r"(?:[=:：＝]|=>|[是为])"
_QUOTE = r"\\*[\"']"
_WORD = r"(?:[^\s\"',;，；。&\\]|\\+[^\"'\s\\])"
"""A character of a value that stands without quotes; a backslash in front of a quote is none."""
_BARE = rf"(?P<secret>{_WORD}+)"
_FLAGS = r"(?i:password|passwd|passphrase|pass|pwd|token|secret|(?:api|secret|access|private|auth)-?key|credentials?)"
_CLIENTS = (
    r"(?:mysql(?:dump|admin|import|show|check|sh)?|mariadb(?:-dump|-admin)?|mongo(?:sh|dump|restore|export|import)?|lftp"
    r"|impala-shell|beeline|cqlsh)"
)


def _assigned(kind: str, key: str, harmless: str = "") -> tuple[tuple[str, str], ...]:
    """What is assigned to a key of that name: in quotes, in escaped quotes, in brackets, or bare."""
    first = f"{harmless}|" if harmless else ""
    start = rf"{first}(?:{key})(?:{_QUOTE})?\s*{_IS}\s*"
    return (
        (kind, rf"{first}(?:{key})s?(?:{_QUOTE})?\s*{_IS}\s*\[\s*(?P<secret>[^\[\]\r\n]*?)\s*\]"),
        (kind, rf"{start}\"(?:{STATES}|(?P<secret>(?:[^\"\\\r\n]|\\[^\r\n])+))"),
        (kind, rf"{start}'(?:{STATES}|(?P<secret>(?:[^'\\\r\n]|\\[^\r\n])+))"),
        (kind, rf"{start}\\+[\"'](?:{STATES}|(?P<secret>(?:[^\"'\\\r\n]|\\+[^\"'\\\r\n])+))"),
        (kind, rf"{start}(?:{SAYS_WHAT_BECAME_OF_IT}|[|>][+-]?[0-9]?[+-]?(?:\s|\z)|{_BARE})"),
    )


FORMS: tuple[tuple[str, str], ...] = (
    (
        "private_key",
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)",
    ),
    (
        "private_key",  # without its frame: PKCS #8 and SEC 1 in Base64, and OpenSSH's own form
        r"\b(?:MII[A-Za-z0-9+/]{2,6}I(?:BADANBgkqhkiG9w0BAQ|BAAK[BC])|MHcCAQEEI|MIGHAgEAMBMG|MC4CAQAwBQYDK2Vw"
        r"|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]{20,}=*",
    ),
    ("api_key", r"\bsk-(?:[A-Za-z0-9]{2,10}-){0,2}[A-Za-z0-9_]{12,}[A-Za-z0-9_-]*"),
    ("api_key", token_expression()),
    ("api_key", r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    ("api_key", r"(?:^|[^A-Za-z0-9_~.])(?P<secret>[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})"),  # Entra ID
    ("api_key", r"\b(?P<secret>[0-9]{8,10}:A[A-Za-z0-9_-]{34})(?:[^A-Za-z0-9_-]|\z)"),  # Telegram
    ("token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"),
    ("token", r"\b(?:ZXlKaGJHY2lPaU|ZXlKMGVYQWlPaU|ZXlKcmFXUWlPaU)[A-Za-z0-9+/_-]{20,}=*"),  # a JWT in Base64
    (
        "token",
        r"(?i)\bdigest\s+(?P<secret>[a-z]+=(?:\\*\"[^\"\r\n]*\"|[^\s,\"]+)(?:,\s*[a-z]+=(?:\\*\"[^\"\r\n]*\"|[^\s,\"]+))*)",
    ),
    (
        "token",
        r"(?i)\b(?:bearer\s+(?P<secret>[a-z0-9._~+/-]{16,}=*|[a-z0-9._~+/-]{3,}[0-9][a-z0-9._~+/-]{3,}=*))",
    ),
    (
        "token",
        rf"{AUTHORIZATION_KEY}(?:{_QUOTE})?\s*[=:：＝]\s*(?:{_QUOTE})?(?:(?i:basic|token|apikey|key|negotiate|ntlm|hawk"
        r"|ssws|splunk|bearer)\s+(?:\[masked:|(?P<secret>[^\s\"',;\\]{4,})))",
    ),
    (
        "token",
        rf"{AUTHORIZATION_KEY}(?:{_QUOTE})?\s*[=:：＝]\s*(?:{_QUOTE})?(?P<secret>[A-Za-z0-9._~+/-]{{16,}}=*)",
    ),
    ("token", r"(?i)\bbasic\s+(?P<secret>[a-z0-9+/]{8,}={1,2})"),
    (
        "signature",
        r"(?i)\b(?:x-amz-|x-goog-|x-oss-|x-cos-|q-)?signature[\"']?\s*=\s*[\"']?(?P<secret>[a-z0-9%+/_-]{16,}=*)",
    ),
    ("signature", r"(?i)[?&;](?:sig|sign|hmac|x-amz-security-token)=(?P<secret>[a-z0-9%+/_.-]{10,}=*)"),
    ("signature", r"(?i)\bsig=(?P<secret>[a-z0-9%+/_-]{20,}=*)"),
    (
        "webhook",
        r"(?i)\b(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks"
        r"|[a-z0-9-]+\.webhook\.office\.com/webhookb2|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook"
        r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch"
        r"|sctapi\.ftqq\.com|api\.day\.app)/?(?P<secret>[a-z0-9@:/_.-]{16,})",
    ),
    ("password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>]*:(?:\[masked:|(?P<secret>[^\s/\"'<>]+)@)"),
    (
        "password",
        r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@\"'<>]*:(?:\[masked:|(?P<secret>[^\s@\"'<>]{1,200})@[\w.-]+[:/])",
    ),
    ("token", r"\b[A-Za-z][A-Za-z0-9+.-]*://(?P<secret>[A-Za-z0-9_-]{20,})@"),
    ("password", r"(?i)\bjdbc:oracle:[a-z]+:[^\s/@:\"']+/(?P<secret>[^\s@\"']+)@"),
    ("password", r"(?i)\bsqlplus\s+(?:-\w+\s+)*[^\s/@\"']+/(?P<secret>[^\s@\"']+)"),
    ("password", rf"(?:^|\s)--?[a-z-]*{_FLAGS}\s+(?:--?[a-z]|\"(?P<secret>[^\"\r\n]+)\")"),
    ("password", rf"(?:^|\s)--?[a-z-]*{_FLAGS}\s+(?:--?[a-z]|'(?P<secret>[^'\r\n]+)')"),
    ("password", rf"(?:^|\s)--[a-z-]*{_FLAGS}\s+(?:-|{SAYS_WHAT_BECAME_OF_IT}|{_BARE})"),
    ("password", rf"\b{_CLIENTS}\s[^\r\n|;]*?\s-p(?:\[masked:|(?P<secret>[^\s\"'|;\\]+))"),
    ("password", r"\b(?:sshpass\s+-p|redis-cli\s[^\r\n|;]*?-a)\s*(?:\[masked:|[\"']?(?P<secret>[^\s\"'|;]+))"),
    (
        "password",
        r"\b(?:curl|wget|http|https)\s[^\r\n|;]*?(?:-u|--user|--proxy-user|-U|-a)[\s=]*[\"']?[^\s:\"'/]+:"
        r"(?:\[masked:|(?P<secret>[^\s\"'/][^\s\"']*))",
    ),
    ("password", r"(?i)\b(?:identified\s+by|(?:with\s+)?(?:encrypted\s+)?password)\s+(?:'(?P<secret>[^'\r\n]+)')"),
    ("password", rf"(?i)\b(?:login|user)\s+\S+\s+password\s+(?:{SAYS_WHAT_BECAME_OF_IT}|(?P<secret>[^\s\"']+))"),
    ("password", r"\b(?:requirepass|masterauth)\s+(?P<secret>[^\s\"'=:\\]+)"),
    (
        "secret",
        r"(?i)\b(?:api[ _-]?key|token|password|passphrase|credential|secret)s?\s+(?:provided|given|supplied|received)"
        r"\s*[:=]\s*(?:\\*[\"'`])?(?:\[masked:|(?P<secret>[^\s\"'`;,\\]+))",
    ),
    ("password", r"\$(?:2[abxy]|apr1|[156y]|argon2(?:id?|d)|scrypt|pbkdf2-sha(?:256|512))\$[A-Za-z0-9./$=,+-]{16,}"),
    (
        "password",
        r"(?i)<(?:[a-z0-9_.:-]*(?:password|passwd|secret|token|api-?key|access-?key))>\s*(?P<secret>[^<>\r\n]+?)\s*</",
    ),
    (
        "password",
        r"(?i)(?:key|name)=\\*[\"'][a-z0-9_.:-]*(?:password|passwd|secret|token|api_?key|access_?key)\\*[\"']\s+value=\\*[\"']"
        r"(?P<secret>[^\"'\\\r\n]+)",
    ),
    (
        "cookie",
        r"(?i)\b(?:set-)?cookie2?(?:\\*[\"'])?\s*[=:：＝]\s*(?:\\*[\"'])?(?:\[masked:|(?P<secret>[^\s;\"',=]+=[^\s;\"',]*"
        r"(?:;\s*[^\s;\"',=]+(?:=[^;\"'\r\n,]*)?)*))",
    ),
    (
        "cookie",
        rf"{_SESSION_COOKIE}(?:{_QUOTE})?\s*[=:]\s*(?:{_QUOTE})?(?:\[masked:|(?P<secret>[^\s\"',;&\\]{{6,}}))",
    ),
    *_assigned("password", PASSWORD_KEY, _WORKING_FOLDER),
    *_assigned("secret", SECRET_KEY, rf"{NO_SECRET_KEY}(?:[\"'\\]|\s)*{_IS}"),
    (
        "password",
        rf"(?i)\b(?:{_NAME}[_.-])?pass(?:{_QUOTE})?\s*[=＝]\s*(?:{_QUOTE})?(?:\[masked:"
        rf"|[0-9]{{1,5}}(?:[^A-Za-z0-9]|\z)|[0-9]+(?:\.[0-9]+)?%|(?:true|false|yes|no|ok|all|none|null|skip|fail)(?:[^A-Za-z0-9]|\z)|{_BARE})",
    ),
    ("password", rf"(?i)\b(?:{_NAME}[_.-])?pass(?:{_QUOTE})?\s*[:：]\s*{_QUOTE}(?P<secret>[^\s\"'\\]+)"),
    ("password", rf"(?i)\b(?:{_NAME}[_.-])?pass[:：]\s*(?P<secret>[a-z!@#$%^&*_-]+[0-9][^\s\"',;]*)"),
    (
        "email",
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.(?:service|socket|timer|slice|scope|target|mount)(?:[^A-Za-z0-9.-]|\z)"
        r"|(?P<secret>[A-Za-z0-9_%+-][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,})",
    ),
    (
        "id_number",
        r"\b[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}[0-9Xx]\b",
    ),
    (
        "phone",
        rf"{_MEASURE}|[0-9]+\.[0-9]+|\b[0-9]{{11}}\s?{_UNIT}"
        r"|\b(?P<secret>(?:86[- ]?)?1[3-9][0-9](?:[0-9]{8}|-[0-9]{4}-[0-9]{4}|\x20[0-9]{4}\x20[0-9]{4}))\b",
    ),
)
"""Keys and tokens of providers, headers, signatures, addresses with a secret in them, command lines, assignments; then
the sets that a setting can leave out (`OPTIONAL`). Each runs over the text that the one before it left."""

OPTIONAL = ("email", "id_number", "phone")
"""They name people and give no access: an installation may want them seen (R22)."""

BLOCK_SCALAR = (
    rf"(?m)(?:^|=)([ \t-]*)[\"']?(?:{PASSWORD_KEY}|{SECRET_KEY})[\"']?[ \t]*:[ \t]*[|>][+-]?[0-9]?[+-]?[ \t]*\r?\n"
)
"""A key of YAML whose value stands in the lines below it."""
