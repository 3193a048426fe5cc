"""Words about time that name no period for sure: 前阵子, 上次发布之后, the first week of May, last summer (R70)."""

from __future__ import annotations

from domain.language import time_words as words
from domain.language.time_words import Cue, listed
from domain.question.when.pieces import ENDS, WHOLE, Kind, just, plain, whole

_EVENT = plain(listed(*words.EVENTS))
_HOLIDAY, _ENGLISH_HOLIDAY = plain(words.HOLIDAYS[0].split()), plain(listed("", words.HOLIDAYS[1]))
_SEASON, _ENGLISH_SEASON = plain(words.SEASONS[0].split()), plain(listed("", words.SEASONS[1]))
_MONTH = plain(name for names in words.MONTHS for name in names.split())
_STRETCH = "(?:day|week|month|quarter|year)"
_THE = "(?:(?:the|our|this|that|last|latest|previous) ){1,2}(?:[a-z]{1,12} )?"
_BESIDE = "(?:之后|以后|以来|之前|以前|期间|前后|后|前|时(?![间候]))"

_HAPPENING = (
    rf"(?:上次|上一次|最近一次|那次|这次|前次)的?[^，。；？！,;?!\0]{{0,6}}?{_EVENT}{_BESIDE}"
    rf"|(?:自从?|从){_EVENT}(?:之后|以后|以来|后|起|开始)|{_EVENT}(?:期间|时段|窗口期|以来|前后)"
    rf"|{WHOLE}(?:since|during) {_THE}{_EVENT}{ENDS}|{WHOLE}since {_EVENT}{ENDS}"
    rf"|{WHOLE}(?:after|before|around) {_THE}{_EVENT}{ENDS}(?= ?(?:$|[?.,!;]))"
)
_SEASONAL = (
    rf"{_HOLIDAY}(?:节|期间|假期|当天|那天|以来|前后|之后|晚上)|{_SEASON}|第?[一二三四1-4]季度"
    rf"|{WHOLE}(?:on|over|during|since|at) {_ENGLISH_HOLIDAY}{ENDS}"
    rf"|{WHOLE}(?:last|this|in|over|during|since) (?:the )?(?:{_ENGLISH_SEASON}|q[1-4]){ENDS}"
)
_PORTION = (
    r"第[一二三四五\d](?:周|个星期|个月)|(?<=点)多(?![少久])"
    rf"|{WHOLE}(?:first|second|third|last|1st|2nd|3rd) (?:few )?(?:week|half|days?|hours?|minutes?|part) of{ENDS}"
    rf"|{WHOLE}(?:the )?end of (?:last|this|the|next) {_STRETCH}{ENDS}"
    rf"|(?<![a-z0-9_])(?:mid|early|late)[- ]{_MONTH}{ENDS}"
)

LOOSE = (
    Kind(rf"{_HAPPENING}|{_SEASONAL}|{_PORTION}|{whole(listed(*words.CUES[Cue.VAGUE]))}", just(Cue.VAGUE)),
    Kind(rf"{_EVENT}(?:完成|完|成功)?(?:之后|以后|后)(?![端台续缀者果置])", just(Cue.HAPPENED)),
    Kind(rf"{_EVENT}(?:之前|以前|前)(?![端台置缀后])", just(Cue.TO_HAPPEN)),
)
