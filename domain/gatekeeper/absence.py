"""When a summary ref proves that something was not found (R20).

A summary ref (`$.alerts`, `$.logs`, …) says of a complete answer what was asked and what came:
`source=alert-hub query={} window=06:00/06:30 total=2: KafkaConsumerLagHigh(fees-settle), NodeDiskPressure(nd-41)`.
Its source, query and window echo the request; only what stands behind `total=N` was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.contracts import Claim, ClaimType
from domain.quotation import lexicon
from domain.quotation.normalise import normalise
from domain.quotation.tokens import Reading, is_number

SUMMARY_PATHS = frozenset({"$.alerts", "$.logs", "$.evidence_blocks", "$.items"})

_SOURCE = re.compile(r"\bsource=(\S*)")
_AFTER_WINDOW = re.compile(r".*\bwindow=\S*\s+total=(?P<total>\d+)(?:\s*:\s*(?P<names>.*))?", re.DOTALL)
_ANYWHERE = re.compile(r"(?:.*\s)?total=(?P<total>\d+)(?:\s*:\s*(?P<names>.*))?", re.DOTALL)
_QUOTED_TOTAL = re.compile(r"\btotal\s*=\s*(\d+)(?!\w)")
_NOT_FOUND = re.compile(
    r"[未没](?:有|能|能够|再|曾)?(?:检索|查询|查|搜索|发现|找|见|出现|命中|检出|匹配|返回|捕获|观察|观测|看|触发|产生)"
    r"|没有|查无|[并尚暂均]无|无(?:任何|相关|匹配|命中|告警|日志|记录|异常|结果|错误|报错|数据)|(?<![\d.])0\s*[条个次项]|零[条个次项]"
    r"|\bno\b|\bnone\b|\bnothing\b|\bzero\b|\b(?:not|n't)\b[\w\s]{0,20}\b(?:find|found|seen?|present|observed?|returned?"
    r"|detected?|matched|match)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:并非|不是|不能说)(?=[未没])")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_LIST_COMMA = re.compile(r"[,、](?![^(]{0,200}\))")
_OR = re.compile(r"\s*(?:[、,/与和及或]|以及|\bor\b|\band\b)?\s*", re.IGNORECASE)
_GENERIC = re.compile(
    "告警|日志|记录|窗口|时段|时间|范围|期间|任何|任意|所有|全部|相关|检索|查询|搜索|结果|系统|数据|返回|发现|当前|目前|匹配|命中"
    "|[内中里里到条个项未没有无对应本次该上下]"
)
_GENERIC_WORD = re.compile(
    "(?:alert|log|record|entry|entrie|result|match|matche|service|minute)s?|matching|found|find|any|all|query|window|return"
    "|returned|not?|none|nothing|zero|total|firing|during|within|last|past"
)


def is_summary_path(raw_path: str | None) -> bool:
    return raw_path in SUMMARY_PATHS


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary ref says: where it looked, how many items came and their names."""

    source: str
    total: int | None
    names: str

    @classmethod
    def of(cls, text: str) -> Summary:
        """Read a summary ref's text. An echoed query that itself holds `total=` does not count."""
        text = normalise(text)
        source = _SOURCE.search(text)
        found = _AFTER_WINDOW.match(text) or _ANYWHERE.match(text)
        total = int(found["total"]) if found else None
        return cls(source[1] if source else "", total, (found["names"] or "") if found else "")


def fault_of_citation(excerpt: str, summary: Summary) -> str | None:
    """Why an excerpt does not cite the summary's total; None if it does. The only rule for actions (R20)."""
    cited = {int(total) for total in _QUOTED_TOTAL.findall(normalise(excerpt))}
    return None if summary.total in cited else "the excerpt does not contain the total of the summary"


def fault_of_absence(claim: Claim, excerpt: str, summary: Summary, tool_name: str, items: Iterable[str]) -> str | None:
    """Why a summary ref does not prove the claim; None if it does.

    `items` are the texts that the calls of the same tool returned: an item that holds the claim's names voids it.
    """
    if claim.claim_type is not ClaimType.NEGATIVE_OBSERVATION:
        return f"a summary proves only a negative_observation, not {claim.claim_type}"
    fault = fault_of_citation(excerpt, summary)
    if fault:
        return fault
    if not _says_not_found(claim.claim_text):
        return "the claim does not say that something was not found"
    found = _found_after_all(claim.claim_text, summary, tool_name, items)
    return f"what the claim calls not found is there: {found[:120]}" if found else None


def _says_not_found(text: str) -> bool:
    return bool(_NOT_FOUND.search(text)) and not _DENIED.search(text)


def _found_after_all(claim_text: str, summary: Summary, tool_name: str, items: Iterable[str]) -> str | None:
    """What of the list or the items is what the claim denies; None if nothing is."""
    listed = [name.strip() for name in _LIST_COMMA.split(summary.names) if name.strip()]
    groups = _name_groups(claim_text, {summary.source.casefold(), tool_name.casefold()})
    if groups:
        return next((text for text in (*listed, *items) if _holds_all(text, groups)), None)
    text = normalise(claim_text)
    for entry in listed:
        name = entry.partition("(")[0].strip()
        if len(name) > 1 and name in text:
            return entry
    return f"total={summary.total}" if summary.total and _denies_everything(text) else None


def _name_groups(text: str, echoed: set[str]) -> list[list[str]]:
    """The claim's names; names joined by 与, 或, `、`, or, … are alternatives of one group, as are the words of a
    foreign phrase. An item must hold one of each group to be what the claim is about."""
    reading = Reading.of(normalise(text))
    with_plain_words = bool(_CHINESE.search(text)) or not any(map(_is_name, reading.words))
    groups: list[list[str]] = []
    last = -2
    for index, word in enumerate(reading.words):
        if word.casefold() in echoed or not (_is_name(word) or (with_plain_words and _is_foreign_word(word))):
            continue
        if groups and _are_alternatives(reading, last, index):
            groups[-1].append(word.casefold())
        else:
            groups.append([word.casefold()])
        last = index
    return groups


def _are_alternatives(reading: Reading, last: int, index: int) -> bool:
    between = "".join(
        g + w for g, w in zip(reading.gaps[last + 1 : index], reading.words[last + 1 : index], strict=True)
    )
    between += reading.gaps[index]
    if not between.strip():
        return not (_is_name(reading.words[last]) or _is_name(reading.words[index]))
    return bool(_OR.fullmatch(between))


def _is_name(word: str) -> bool:
    """A name in the sense of R24: a capital inside, a digit, or joined; no measured value, date or time."""
    if not any(c.isalpha() and c.isascii() for c in word):
        return word.count(".") == 3
    if is_number(word):
        return False
    return any(c.isupper() for c in word[1:]) or any(c.isdigit() or c in "-_./:" for c in word)


def _is_foreign_word(word: str) -> bool:
    """A plain Latin word that says something: redis, but not the or alerts."""
    folded = word.casefold()
    is_generic = folded in lexicon.FUNCTION_WORDS or _GENERIC_WORD.fullmatch(folded)
    return word.isascii() and word.isalpha() and len(word) > 2 and not is_generic


def _holds_all(text: str, groups: Sequence[Sequence[str]]) -> bool:
    reading = Reading.of(normalise(text))
    return all(any(_holds(reading, name) for name in group) for group in groups)


def _holds(reading: Reading, name: str) -> bool:
    """A joined name as a whole token; a simple one also as a part of a compound (HikariPool of HikariPool-1)."""
    return name in reading.vocabulary or (name.isalnum() and any(name in word for word in reading.vocabulary))


def _denies_everything(text: str) -> bool:
    """Whether a claim without names denies everything (没有任何告警) and not a certain thing (没有证书告警)."""
    content = (c for c in _GENERIC.sub("", text) if c not in lexicon.FUNCTION_CHARACTERS)
    return not _CHINESE.search("".join(content))
