"""What no word tells: expressions, over the search form, for a status of HTTP and an exit code that stand as such."""

from __future__ import annotations

_COUNTED = (
    r"(?!\s?(?:ms|s|bytes?|b|kb|mb|rows?|records?|items?|results?|entries|messages?|events?|times)(?![a-z])"
    r"|\s?[条个次行秒毫字])"
)
_KEYS = r"(?<![a-z])(?:(?:http|response)?[._\s-]?status(?:[_\s-]?code)?|(?:http|response)[_\s-]?code|http|code)"
_KEYS_ZH = "(?:状态码|响应码|返回码|错误码)"
_METHODS = "(?:get|post|put|delete|patch|head|options)"
_REASONS = (
    r"\s(?:error|internal|bad|service|gateway|too\smany|unauthorized|forbidden|not\sfound)(?![a-z])|\s?(?:错误|响应)"
)
_STATUS = "|".join(
    (
        r"http/[\d.]{1,3}[\"']?\s{1,2}NNN(?!\d)",  # access logs
        rf"(?:{_KEYS}[\"']?|{_KEYS_ZH})\s{{0,2}}[:=为是]?\s{{0,2}}[\"'(\[]?NNN(?![\d.]){_COUNTED}",
        rf"(?<![a-z])(?:returned|returns|responded|answered|got|error)(?:\swith)?\sNNN(?![\d.]){_COUNTED}",
        rf"(?<![a-z]){_METHODS}\s/\S{{0,512}}\sNNN(?![\d.]){_COUNTED}",
        r"\d/-?\d{1,9}/[-+]?\d{1,9}\sNNN\s\d",  # HAProxy: timers before it, bytes behind
        r"\|\s{0,2}NNN\s{0,2}\|",  # Gin
        rf"(?<![\w.])NNN(?:{_REASONS})",
    )
)
_EXIT = (
    r"(?:(?<![a-z])exit(?:ed|s)?[\s_-]?(?:with)?[\s_-]?(?:code|status)?|退出码|退出状态)[\"']?\s{0,2}"
    r"[:=(为]?\s{0,2}[\"']?NNN(?!\d)"
)


def status_shape(numbers: str) -> str:
    r"""The expression for a status; `numbers` is one too, such as `5\d\d`."""
    return _STATUS.replace("NNN", f"(?:{numbers})")


def exit_shape(number: int) -> str:
    """The expression for a process that ended with this code."""
    return _EXIT.replace("NNN", str(number))
