"""What no word tells: expressions, over the search form, for a status of HTTP, an exit code, a wait for a lock and a
login that auditd saw fail."""

from __future__ import annotations

_UNITS = "ms|msecs?|s|secs?|seconds?|bytes?|b|kb|mb|gb|ki?b|mi?b"
_NOT_PLURALS = "status|this|was|is|as|has|its|less|plus|across|always|perhaps|thus|yes"
_COUNTED = (
    rf"(?!\s?(?:{_UNITS})(?![a-z=:])|\s?[%条个次行秒毫字]|/\d|\s(?:out\s)?of\s\d"
    rf"|\s(?:(?:new|more|pending|raw|old|bad|failed|open)\s)?(?!(?:{_NOT_PLURALS})(?![a-z]))[a-z][a-z_-]{{1,31}}s(?![a-z=:_-])"
    r"|\sentries(?![a-z=:]))"
)
_ENDS = r"(?![a-z_]|\d|\.\d)"
_SIDES = "(?:(?:http|response|resp|upstream|downstream|origin|target|elb|backend|final|client|server)[._\\s-]?)"
_KEYS = (
    rf"(?<![a-z])(?<!win32)(?<!win32-)(?<!win32_)(?:{_SIDES}{{0,2}}[._\s-]?status(?:[._\s-]?code)?"
    rf"|{_SIDES}{{1,2}}(?:code|rc)|http|code)"
)
_KEYS_ZH = "(?:状态码|响应码|返回码|错误码)"
_METHODS = "(?:get|post|put|delete|patch|head|options)"
_REASON_WORDS = (
    r"error|internal[\s_]server|server[\s_]error|client[\s_]error|bad[\s_](?:gateway|request)|internal|bad|service"
    r"|gateway|too[\s_]many|unauthorized|forbidden|not[\s_](?:found|implemented|modified|acceptable)"
    r"|insufficient[\s_]storage|service[\s_]unavailable|gateway[\s_]time-?out|conflict|unprocessable"
    r"|payload[\s_]too[\s_]large|method[\s_]not[\s_]allowed|loop[\s_]detected|request[\s_]timeout|precondition[\s_]failed"
    r"|unsupported[\s_]media"
)
_REASONS = rf"\s(?:{_REASON_WORDS})(?![a-z])|\s?(?:错误|响应)"
_VERBS = r"return(?:ed|s|ing)?|respon(?:d|ds|ded|se)|answer(?:ed|s)?|replied|replies|got|gave|gives"
_TIMER = r"(?:-1|\d{1,6}\.\d{1,9})"
_STATUS = "|".join(
    (
        r"http/[\d.]{1,3}[\"']?\s{1,2}NNN(?!\d)",  # access logs
        rf"(?:{_KEYS}[\"']?|{_KEYS_ZH})\s{{0,2}}(?:(?:[:=为是>]|of\s|was\s|is\s)\s{{0,2}})?[\"'(\[]?NNN{_ENDS}{_COUNTED}",
        rf"(?<![a-z])(?:{_VERBS}|failed\swith|error:?)(?:\s(?:with|an?|http|code)){{0,2}}\sNNN{_ENDS}{_COUNTED}",
        r"(?<![a-z])received\s(?:an?\s)?NNN[,.;:)\]]?(?:$|\s(?:from|for|on|after|response|status|error)(?![a-z]))",
        rf"(?<![a-z]){_METHODS}\s(?:https?:/)?/\S{{0,512}}(?:\s?(?:[-=]>|→))?\s[\[(]?NNN{_ENDS}{_COUNTED}",
        rf"(?<![a-z])completed\sNNN(?:\sin\s[\d.]|\s(?:{_REASON_WORDS})(?![a-z])|\s?$|\s\()",  # Rails
        r"(?:-?\d{1,9}/){4}\+?\d{1,9}\sNNN\s[+\d]",  # HAProxy: timers before it, bytes behind
        rf"{_TIMER}\s{_TIMER}\s{_TIMER}\sNNN\s(?:\d{{3}}|-)\s\d",  # load balancers of AWS: timers, the target's behind
        r"(?<![a-z])(?:tcp|udp|none)(?:_[a-z]{2,16}){0,4}/NNN(?!\d)",  # Squid
        rf"(?<![a-z]){_METHODS}\s/\S*\s\S+\s\d{{1,5}}\s\S+\s[\da-f.:]{{3,45}}\s\S+(?:\s\S+)?"
        r"\sNNN\s\d{1,3}\s\d{1,10}(?:\s\d{1,10}){0,3}(?!\S)",  # IIS: its sub-status and times behind
        r"\|\s{0,2}NNN\s{0,2}\|",  # Gin
        rf"(?<![\w.])NNN(?:{_REASONS})",
    )
)
_EXIT = (
    r"(?:(?<![a-z])exit(?:ed|s)?[\s_-]?(?:with)?[\s_-]?(?:code|status)?|退出码|退出状态)[\"']?\s{0,2}"
    r"[:=(为]?\s{0,2}[\"']?NNN(?!\d)"
)

LOCK_WAIT = r"(?<![a-z])waiting\sfor\s(?:[^\s,;]{1,64}\s){0,3}?[a-z-]{0,32}(?<![bc])lock(?![a-z])"
"""As databases write it: still waiting for ShareLock on transaction 7, waiting for table metadata lock."""
_LOGIN = "(?:user_login|user_auth|user_err)"
FAILED_LOGIN = (
    rf"type={_LOGIN}\s[^\n]{{0,900}}(?<![a-z])res=(?:failed|0)(?!\w)"
    rf"|(?<![a-z])res=(?:failed|0)(?!\w)[^\n]{{0,900}}type={_LOGIN}(?!\w)|(?<!\w)anom_login_failures(?!\w)"
)
"""As auditd writes it, in either order: the type stands behind where its fields are told."""


def status_shape(numbers: str) -> str:
    r"""The expression for a status; `numbers` is one too, such as `5\d\d`."""
    return _STATUS.replace("NNN", f"(?:{numbers})")


def exit_shape(number: int) -> str:
    """The expression for a process that ended with this code."""
    return _EXIT.replace("NNN", str(number))
