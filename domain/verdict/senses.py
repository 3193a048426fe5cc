"""Which way a text turns: firing or resolved, up or down, more or less (R34, R36); the lists are data.

A claim must not state the opposite of what its items state. Only words that exclude each other are paired; where the
items state both or neither, nothing is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from domain.quotation.normalise import normalise
from domain.values.latitude import LESS, MORE
from domain.values.numbers import values_in
from domain.values.value import Role, Value

_NEVER = "(?!)"
_CLAUSE = r"[^，,。；;\n]{0,20}"
_ALERT = r"(?:告警|报警|(?-i:[A-Z][a-z]+[A-Z]\w+))"
_UP_METRIC = r"(?<![A-Za-z_])up(?:\{[^{}]*\})?[ =:]{1,4}"
_OPPOSITES: dict[str, tuple[str, str]] = {
    "alert": (
        r"firing|触发|告警中",
        r"resolved|recovered|cleared|inactive|gone away|no longer (?:firing|active)"
        r"|恢复(?!时间|建议|步骤|方案)|解除|消除"
        r"|已关闭|自愈|(?:回到|降至|回归)正常|back to normal|零告警"
        r"|告警(?:数量?|条数)?(?:为零|为 ?0(?![.\d]))|一切(?:如常|正常)"
        rf"|{_ALERT}{_CLAUSE}已(?:经|被)?(?:自动)?(?:结束|修复|解决|消失)|{_ALERT}(?:均|都|也|并|已)?不存在"
        rf"|(?:不存在|并无|不再有?|再无){_CLAUSE}(?:触发|{_ALERT})",
    ),
    "running": (
        r"online|running|在线|运行(?:中|正常)|(?<!set )(?<!back )(?<!start )up(?!\s*to\b|[{ =:]|\s*指标)"
        rf"|(?<=is )up|已 ?up|{_UP_METRIC}1(?![\d.])",
        rf"{_UP_METRIC}0(?![\d.])|down|offline|crashed|stopped|terminated|离线|下线|宕机|崩溃|已停止",
    ),
    "outcome": (r"succeeded|success|successful|successfully|成功", r"failed|fails|failure|unsuccessful|失败"),
    "completion": (r"succeeded|成功(?!率)", r"timed out"),
    "trend": (
        r"rising|rose|increased|increasing|climbing|上升|升高|上涨|增加|增长|增多|攀升",
        r"falling|fell|decreased|decreasing|dropped|dropping|下降|降低|回落|减少|下滑",
    ),
    "health": (r"healthy|健康(?!检查|状态|度|探针)|正常|通过|良好", r"unhealthy|异常|不良"),
    "access": (r"available|reachable|可用|可达", r"unavailable|unreachable"),
    "link": (r"connected|已连接|连接成功", r"disconnected|断开|断连"),
    "permission": (r"allowed|granted|permitted|accepted|允许|放行", r"denied|refused|rejected|forbidden|拒绝|禁止"),
    "switch": (r"enabled|启用|开启", r"disabled|禁用|停用"),
    "room": (
        r"耗尽|打满|占满|已满|exhausted|saturated|(?<!\d)(\d{1,12})/\1(?!\d)|(?:idle|free|available)=0",
        r"空闲(?!超时)|富余|有余|idle|spare",
    ),
    "stock": (r"充足|足够|sufficient|enough", r"不足|短缺|低于安全|insufficient|shortage"),
    "height": (r"(?:高于|超出|above)(?!.{0,5}\d)", r"(?:低于|below)(?!.{0,5}\d)"),
    "check": (r"通过|passed|成功", r"失败|failed"),
    "done": (
        r"applied|in sync|synced|synchronized|elected|reloaded|executed|committed"
        r"|已(?:经|被)?(?:执行|应用|生效|同步|当选|成为 ?leader|重新加载|加载|提交)",
        r"(?:reload|load|sync|migration|update|restart|job|task|step) (?:was |is )?skipped"
        r"|election lost|lost (?:the )?election",
    ),
    "finding": (r"found|detected|发现|检测到|检出", _NEVER),
}
_LEVELS = {
    "debug": r"DEBUG|(?i:level=debug)",
    "info": r"INFO|(?i:(?:level|severity)=info)|信息级",
    "warning": r"WARN(?:ING)?|(?i:(?:level|severity)=warn(?:ing)?)|warning|警告级",
    "error": r"ERROR|(?i:(?:level|severity)=err(?:or)?)|错误级",
    "critical": r"FATAL|CRITICAL|critical|(?i:(?:level|severity)=fatal)|严重级|致命级",
    "minor": (
        r"(?:级别|等级|程度)[仅为是属于:较 ]{0,4}(?:一般|普通|提示|低)|INFO|WARN(?:ING)?|warning|信息级"
        r"|警告级|P[2-4](?!\d)|(?i:(?:level|severity|priority)=(?:info|warn(?:ing)?|minor|low|notice|medium))"
    ),
    **{f"P{rank}": rf"P{rank}(?!\d)" for rank in range(5)},
}
_ALERT_STATES = {state: rf"(?i:{state})" for state in ("firing", "pending", "resolved", "inactive")}
_NEGATED = re.compile(
    r"(?:[未没无](?!论|线|来)|不(?!断|仅|但|过|同|久|少|管)|并非|不是|\b(?:not|no|never|without|cannot)\b|n't\b|(?<![\d.])0/\d+)"
    r"[\u4e00-\u9fff ]{0,5}(?:[A-Za-z]+ ){0,2}\Z",
    re.IGNORECASE,
)


def _whole(words: str) -> str:
    """No part of a longer Latin word, and no key: idle=0 states nothing."""
    return rf"(?:(?<![A-Za-z])|(?![A-Za-z]))(?:{words})(?:(?<![A-Za-z])|(?![A-Za-z]))(?!\s?=)"


_STATES = [
    (pair, side, re.compile(_whole(words), re.IGNORECASE))
    for pair, sides in _OPPOSITES.items()
    for side, words in enumerate(sides)
]
_KINDS = [
    {kind: re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])") for kind, words in kinds.items()}
    for kinds in (_LEVELS, _ALERT_STATES)
]
_COMPARED = re.compile(
    rf"(?:(?<![A-Za-z])|(?![A-Za-z]))(?:(?P<more>{MORE})|{LESS})[\u4e00-\u9fff ]{{0,4}}\Z", re.IGNORECASE
)
_AFTER = re.compile(r"(?<![A-Za-z])after \Z", re.IGNORECASE)  # a lock not released after 45s is held for longer
_BEHIND = re.compile(r"\s?(?:(?P<more>[及或]?以上)|[及或]?以[下内])")


@dataclass(frozen=True, slots=True)
class _Bound:
    """What a text says of a value: it lies above `number`, or below it, or right at it as well."""

    above: bool
    strict: bool
    number: Fraction
    dimension: str

    def admits(self, number: Fraction) -> bool:
        if number == self.number:
            return not self.strict
        return (number > self.number) is self.above


def turned(claim: str, items: Sequence[str]) -> str | None:
    """What the claim says while its items say the opposite and none of them says it; None where nothing is turned."""
    text, held = normalise(claim), [normalise(item) for item in items]
    return _turned_state(text, held) or _turned_kind(text, held) or _turned_bound(text, held)


# ---------------------------------------------------------------- states


def _turned_state(claim: str, items: Sequence[str]) -> str | None:
    stated = {(pair, side) for item in items for pair, side, _ in _states(item)}
    for pair, side, words in _states(claim):
        if (pair, side) not in stated and (pair, 1 - side) in stated:
            return words
    return None


def _states(text: str) -> Iterator[tuple[str, int, str]]:
    """Each state a text tells of; a negation before a word turns it to the other side."""
    for pair, side, words in _STATES:
        for found in words.finditer(text):
            negation = negation_before(text, found.start())
            yield pair, 1 - side if negation else side, negation + found[0]


def negation_before(text: str, index: int) -> str:
    """The negation in the same clause that turns the word at `index`, "" where there is none."""
    found = _NEGATED.search(text, max(0, index - 24), index)
    return found[0] if found else ""


# ---------------------------------------------------------------- levels and alert states: one of several


def _turned_kind(claim: str, items: Sequence[str]) -> str | None:
    for kinds in _KINDS:
        stated = {kind for item in items for kind, _ in _kinds(item, kinds)}
        if other := next((word for kind, word in _kinds(claim, kinds) if stated and kind not in stated), None):
            return other
    return None


def _kinds(text: str, kinds: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[str, str]]:
    for kind, words in kinds.items():
        for found in words.finditer(text):
            if not negation_before(text, found.start()):
                yield kind, found[0]


# ---------------------------------------------------------------- comparisons


def _turned_bound(claim: str, items: Sequence[str]) -> str | None:
    """A comparison that no plain value of the items meets and no item states, or whose opposite an item states."""
    bounds, plain = set[_Bound](), list[Value]()
    for item in items:
        for value, bound in _compared(item):
            bounds |= {bound} if bound else set()
            plain += [] if bound else [value]
            if _AFTER.search(item, max(0, value.start - 6), value.start):
                bounds.add(_Bound(True, True, value.number, value.dimension))
    for value, bound in _compared(claim):
        if bound is None or any(_says(held, bound) for held in bounds):
            continue
        opposed = any(held.number == bound.number and held.dimension == bound.dimension for held in bounds)
        measured = [held.number for held in plain if held.dimension == bound.dimension]
        if (opposed or measured) and not any(map(bound.admits, measured)):
            return claim[max(0, value.start - 6) : value.end]
    return None


def _says(held: _Bound, bound: _Bound) -> bool:
    return (held.above, held.number, held.dimension) == (bound.above, bound.number, bound.dimension)


def _compared(text: str) -> Iterator[tuple[Value, _Bound | None]]:
    """The values of a text, each with what it is the bound of, None where it is a plain value."""
    for value in values_in(text):
        if value.role is not Role.WINDOW:
            yield value, _bound(value, text)


def _bound(value: Value, text: str) -> _Bound | None:
    before = _COMPARED.search(text, max(0, value.start - 24), value.start)
    if before:
        above, inclusive = before["more"] is not None, before[0].lstrip().startswith((">=", "<="))
        if negation_before(text, before.start()):
            above, inclusive = not above, True
        return _Bound(above, not inclusive, value.number, value.dimension)
    if behind := _BEHIND.match(text, value.end):
        return _Bound(behind["more"] is not None, False, value.number, value.dimension)
    return None
