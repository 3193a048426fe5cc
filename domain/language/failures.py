"""Whether a text tells of a failure, in either language: such an entry is never left out for want of a level (R68).

One automaton seeks the words: most lines hold none. Only where one stands is it looked at closely, with what stands
around it: "0 errors", `error=null` and 无异常 tell of none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import re2

from domain.language.form import search_form

FAILURES: tuple[tuple[str, str], ...] = (  # a concept a row: Chinese, English as expressions in lower case
    ("错误 报错 出错", r"errors? errored err errno error(?:code|msg|message|info|details?|type|reason) erroneous"),
    ("失败 未成功 不成功", r"fail(?:s|ed|ing|ure|ures|2ban)? unsuccessful"),
    ("异常 故障", r"exceptions? traceback stack[ _-]?trace call[ ]trace unhandled uncaught"),
    ("超时", r"time-?outs? timed[ _-]?out deadline[ _-]?exceeded"),
    ("拒绝", r"refused denied deny rejected reject not[ ](?:allowed|authorized) not[ ]in[ ]sudoers"),
    ("崩溃 宕机 挂掉", r"crash(?:es|ed|ing)? crashloopbackoff panic(?:s|ked)? oops bug: core[ ]?dump(?:ed)?"),
    ("非正常", r"abnormal(?:ly)?"),
    ("段错误", r"segfault segmentation[ ](?:fault|violation) general[ ]protection sigsegv sigabrt sigbus"),
    ("致命 严重 紧急", r"fatal critical emergency"),
    ("被杀 杀死 强制终止", r"killed oom-?killer sigkill"),
    ("内存溢出 内存不足", r"oom out[ ]?of[ ]?memory cannot[ ]allocate"),
    ("死锁", r"deadlock(?:s|ed)?"),
    ("无法 不能 未能", r"unable can[ ]?not can['’]t could[ ]not couldn['’]t did[ ]not[ ]receive"),
    (
        "不可用 不可达 无响应 未响应",
        r"unavailable unreachable not[ ](?:available|responding|healthy) no[ ]response unhealthy",
    ),
    ("中止 中断 终止", r"abort(?:s|ed|ing)? interrupted"),
    ("损坏", r"corrupt(?:ed|ion)? checksum[ ]mismatch bad[ ]sector remounting[ ]filesystem[ ]read-only"),
    ("耗尽 已满 不足", r"exhaust(?:ed|ion) no[ ]space[ ]left disk[ ]full too[ ]many[ ]open[ ]files"),
    ("溢出", r"overflow(?:ed|s)? overrun"),
    ("断开 重置 丢失", r"broken[ ]pipe reset[ ]by[ ]peer connection[ ](?:reset|lost) link[ ](?:is[ ])?down"),
    ("退信", "bounced"),
    ("意外", r"unexpected(?:ly)? unrecogni[sz]ed"),
    ("无效 非法 不合法 未授权", r"invalid illegal malformed unauthorized forbidden not[ ]permitted"),
    ("过期", r"expired"),
    ("卡死 阻塞", r"hung stuck soft[ ]lockup blocked[ ]for[ ]more[ ]than"),
    ("降级 熔断 限流", r"degraded circuit[ ]breaker[ ]open throttled rate[ ]limited"),
    ("不存在 找不到", r"not[ ]found no[ ]such[ ](?:file|host|device|process|table) user[ ]unknown unknown[ ]user"),
    ("违反 冲突", r"violation violates assertion"),
)  # fmt: skip

_STATUS = r"(?:http/[\d.]{1,3}[\"']?\s{1,2}|\bstatus(?:_?code)?[\"']?\s{0,2}[=:]\s{0,2}[\"']?)5\d\d\b"
_EXIT = (
    r"(?:exit(?:ed)?(?:[ _-]?(?:code|status)| with(?: code| status)?)|\bcode=exited, status)[\"']?"
    r"[ =:]{1,3}[1-9]\d{0,2}\b"
)

_NOT_BEFORE = re.compile(
    r"(?:(?:^|[^a-z])(?:no|without|zero|free of|free from|never|non)[ -]+(?:(?:any|new|more|further|other|known|fatal"
    r"|critical|serious|severe|recent|unhandled|unexpected|disk|read|write|network|connection|validation|syntax|i/o"
    r"|such)[ -]+){0,2}"
    r"|(?:n['’]t|(?:^|[^a-z])not)[ ]|oops="
    r"|(?:^|[,;:(\[|/]|(?:^|[^a-z])(?:with|found|has|had|and|got|saw|passed|ok|total|reported|succeeded|success))\s*"
    r"[\"']?0[ ](?:[a-z]{2,12}[ ]){0,1}"
    r"|(?:无|没有|没|未见|未|未发现|未出现|未发生|未检测到|未检索到|未找到|零|(?<!\d)0\s?[个条次例起]|不会|不再|避免|防止)"
    r"(?:任何|其他|其它|明显|相关|新的?|连接|请求|读写)?\s?)$"
)
_COUNT_BEFORE = re.compile(r"(?<![\w.-])0[ ](?:[a-z]{2,12}[ ]){0,1}$")
_NOTHING = r"(?:0+(?:\.0+)?%?|null|nil|<nil>|none|false|no|n/a|ok|success|undefined|\"\"|''|\[\]|\{\})"
_NOT_AFTER = re.compile(
    rf"(?:[-_ ]?(?:counts?|rates?|total|num|number|ratio|percent(?:age)?|codes?|msg|messages?|info)){{0,2}}[\"']?"
    rf"\s{{0,2}}[:=]\s{{0,2}}[\"']?{_NOTHING}[\"']?(?=[,;}}\])|]|$|\s+(?:$|[\w.-]+[\"']?\s?[:=]|[^\w\s]))"
    r"|[-_ ](?:handl(?:er|ers|ing)|pages?|log|logs|level|report(?:er|ing)|budget|correction|threshold|tolerance|policy"
    r"|recovery|count(?:er)?s? 0\b)(?![a-z])"
    r"|=(?:remount-ro|continue|panic)\b"
    r"|\.(?:logs?|html?|js|css|png|go|py|java|rs|cc?|cpp|php|rb|ts|md|ya?ml|json|conf)\b"
    r"|(?:次数|数量?|率|总数|条数|码)?(?:\s?[:=为是]\s?(?:0+(?![\d.x])|(?:无|零|没有|正常)(?=[\s,。;)]|$))|\s?0\s?[个条次例起])"
    r"|处理|捕获|检测|页面|日志文件|码表|时间|设置|配置|阈值|参数"
)
_PLURAL_NONE = re.compile(r"[\"']?(?:\s{0,2}[:=]\s{0,2}|[ \t]{1,3})[\"']?0(?![\w.])")
_SETTING_BEFORE = re.compile(r"(?<![a-z])(?:negotiated|default|configured|maximum|max|min)[ ]$")
_SETTING = re.compile(
    r"(?:[-_ ]?(?:ms|millis|seconds|secs?|value|limit))?[\"']?"
    r"(?:\s?[=:]\s?[\"']?\d|[ ](?:of|is|set|configured|value)\b)"
    r"(?!.{0,32}(?:exceed|expire|elaps|reach))"
)
_BOOT_SETTING = re.compile(r"(?:_on_oops|_timeout)?\s?=\s?(?:-?\d|panic)|_on_oops")
_IN_PATH = re.compile(r"(?:(?:^|[\s\"'=(\[,])/|://)[^\s\"'?]{0,200}$")


def holds_failure(text: str) -> bool:
    """Whether a word of failure stands in the text and is not denied there. Linear in the text.

    Settings (`timeout=30`), file names (error.log) and counts of none (failed=0) are no failures; HTTP statuses 5xx and
    exit codes other than 0 are.
    """
    form = search_form(text)
    written = form.encode("utf-8", "replace")
    first = _expression().search(written)
    if first is None:
        return False
    if len(written) != len(form):
        return any(_tells(form, *found.span()) for found in _expression().finditer(form))
    return _tells(form, *first.span()) or any(
        _tells(form, *found.span()) for found in _expression().finditer(written, first.end())
    )


def _tells(text: str, start: int, end: int) -> bool:
    word = text[start:end]
    if word.startswith(("http/", "status", "exit", "code=")):
        return True
    if word.isascii() and not _is_whole(text, start, end):
        return False
    before, after = text[max(0, start - 200) : start], text[end : end + 64]
    if _NOT_BEFORE.search(before[-40:]) or _NOT_AFTER.match(after) or _IN_PATH.search(before):
        return False
    if word.endswith("s") and (_PLURAL_NONE.match(after) or _COUNT_BEFORE.search(before[-24:])):
        return False
    if word.startswith(("timeout", "time-out")):
        return not (_SETTING.match(after) or _SETTING_BEFORE.search(before[-16:]))
    return not (word in {"panic", "oops"} and _BOOT_SETTING.match(after))


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter goes on behind the word, nor stands before it but in a name: NullPointerException."""
    if text[start:end] == "fail2ban" or (text[end : end + 1].isalpha() and text[end : end + 1].isascii()):
        return False
    goes_on = start > 0 and text[start - 1].isalpha() and text[start - 1].isascii()
    return not goes_on or text.startswith(_IN_NAMES, start)


_IN_NAMES = ("error", "exception", "timeout", "failure", "failed")


@cache
def _expression() -> Any:
    """The longest word wins."""
    chinese = "|".join(word for row, _ in FAILURES for word in row.split())
    english = "|".join(word for _, row in FAILURES for word in row.replace("[ ]", "\0").split()).replace("\0", "[ ]")
    options = re2.Options()
    options.longest_match = True
    return re2.compile(f"{_STATUS}|{_EXIT}|{english}|{chinese}", options)
