"""Whether a claim says that something was not found, and nothing besides (R20); the lists are data."""

from __future__ import annotations

import re

from domain.gatekeeper.asked import is_name
from domain.language.concepts import THINGS
from domain.quotation import lexicon
from domain.quotation.normalise import normalise
from domain.quotation.tokens import Reading, is_number

_RECORDS_ZH = "告警|日志|记录|条目|结果|数据(?!库|源)|报错|匹配|命中|指标|样本|内容|信息|文档|案例|证据"
_RECORDS = (
    "(?:log|alert|record|result|match|event|line|error|sample|item|warning|message|trace|hit)s?|entr(?:y|ies)|matches"
    "|evidence|data"
)
_NOT_FOUND = re.compile(
    r"[未没](?:有|能|能够|再|曾)?(?:检索|查询|查|搜索|发现|找|见|出现|命中|检出|匹配|返回|捕获|观察|观测|看|触发|产生)"
    rf"|查无|(?:没有|无(?![法论线]))[^，。；,;]{{0,60}}?(?:{_RECORDS_ZH})|(?<![\d.])0\s*[条个次项]|零[条个次项]"
    rf"|\bnothing\b|\b(?:no|none|zero)\b[^,;，。；!?\n]{{0,160}}?\b(?:{_RECORDS}|found|seen|returned|matched)\b"
    r"|\b(?:not|n't)\b[\w\s]{0,20}\b(?:find|found|seen?|present|observed?|returned?|detected?|matched|match)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:并非|不是|不能说)(?=[未没])")
_RESERVATION = re.compile(r"[这但]?并?不(?:能|可|足以)?(?:代表|说明|证明|等于|意味着?)[^，。；,;]*")
_CLAUSE_END = re.compile(
    r"[，,。；;！!？?\n:()（）\[\]]|(?<=\D)\.(?:\s|\Z)|但是?|然而|不过|而且|并且|[而且并](?=[未没无])|因此|所以|故(?!障)"
    r"|说明|表明|意味着?|可见|证明|显示|导致|由于|因为|虽然|尽管"
    r"|\b(?:but|however|so|therefore|because|since|while|although|though|which|meaning|indicat\w+|caus\w+)\b|\band\b(?=\s+(?:no|none|nothing)\b)",
    re.IGNORECASE,
)
_HAPPENED = re.compile(r"已(?:经)?(?![查检搜知有排核])|(?:未|没有?)(?:使用|调用|通过|按照)")
_CONCEPTS = "|".join(re.escape(name) for thing in THINGS for name in thing.zh or ())
_FRAME = re.compile(
    rf"{_CONCEPTS}|告警|日志|记录|窗口|时段|时间|范围|期间|任何|任意|所有|全部|相关|检索|查询|搜索|查看|排查|核对|检查|核实|结果|系统"
    "|数据|返回|当前|目前|匹配|命中|服务|针对|关于|对于|根据|按照|通过|使用|调用|截至|截止|最近|过去|工具|关键词|条件|级别|来源|指标|监控"
    "|知识库|文档|条目|总计|一共|共计|为空|分钟|小时|前后|以来|如下|总数|结论|确认|名称|应用"
    "|[内中里到条个项未没有无对本次该上下已经过共近前后起止至秒时分日月年点号按用为零空仅即]"
)
_FRAME_WORD = re.compile(
    "(?:alert|log|record|result|match|service|minute|hour|second|day|metric|tool|window|hit)s?|entr(?:y|ies)|matche[sd]"
    "|matching|found|find|any|all|quer(?:y|ied)|search(?:ed|ing)?|return(?:ed)?|not?|none|nothing|zero|total|during"
    "|within|last|past|between|until|before|after|time|range|count|utc|the|for|of|in|at|from|to|and|or|with|by"
)


def says_not_found(text: str) -> bool:
    return bool(_NOT_FOUND.search(text)) and not _DENIED.search(text)


def stated_besides(text: str) -> str | None:
    """The first part of a claim of absence that states something else: where and when was looked is no statement."""
    for clause in _CLAUSE_END.split(_RESERVATION.sub("", normalise(text))):
        if _HAPPENED.search(clause) or not (says_not_found(clause) or _is_frame(clause)):
            return clause.strip()
    return None


def _is_frame(clause: str) -> bool:
    """Whether nothing is left of a clause but names, times and words about searching."""
    rest = _FRAME.sub("", clause)
    return all(
        not any(map(str.isalpha, word))
        or is_number(word)
        or is_name(word)
        or word in lexicon.FUNCTION_CHARACTERS
        or _FRAME_WORD.fullmatch(word.casefold()) is not None
        for word in Reading.of(rest).words
    )
