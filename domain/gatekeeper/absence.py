"""When a summary ref proves that something was not found (R20).

A summary ref (`$.alerts`, `$.logs`, …) says of a complete answer what was asked and what came:
`source=alert-hub query={} window=06:00/06:30 total=2: KafkaConsumerLagHigh(fees-settle), NodeDiskPressure(nd-41)`.
Its source, query and window echo the request; only what stands behind `total=N` was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from domain.contracts import Claim, ClaimType
from domain.gatekeeper.asked import concepts_in, is_name, left_out, stands_in
from domain.gatekeeper.not_found import says_not_found, stated_besides
from domain.gatekeeper.services import services_in
from domain.question.period import least_lengths
from domain.quotation import lexicon
from domain.quotation.normalise import normalise
from domain.quotation.tokens import Reading
from domain.values.times import EPOCH, spans, times_in

SUMMARY_PATHS = frozenset({"$.alerts", "$.logs", "$.evidence_blocks", "$.items"})

_SOURCE = re.compile(r"\bsource=(\S*)")
_QUERY = re.compile(r"\bquery=(?P<query>.*?)(?:\s+window=\S*)?(?:\s+scanned=\d+)?\s+total=\Z", re.DOTALL)
_AFTER_WINDOW = re.compile(
    r".*\bwindow=\S*(?:\s+scanned=\d+)?\s+total=(?P<total>\d+)(?:\s*:\s*(?P<names>.*))?", re.DOTALL
)
_ANYWHERE = re.compile(r"(?:.*\s)?total=(?P<total>\d+)(?:\s*:\s*(?P<names>.*))?", re.DOTALL)
_WINDOW = re.compile(r".*\bwindow=(\S*)", re.DOTALL)
_QUOTED_TOTAL = re.compile(r"\btotal\s*=\s*(\d+)(?!\w)")
_SOUGHT = re.compile(
    r"(?<=[^\s,.;:!?，。；：！？])\s*\"([^\"]{2,200})\""
)  # not behind a pause, as a statement would be
_CHINESE = re.compile("[\u4e00-\u9fff]")
_OTHERS = re.compile(
    r"除|以外|之外|其他|其它|其余|别的|\b(?:other|except|besides|apart from|excluding)\b", re.IGNORECASE
)
_LATIN_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./:-]*[A-Za-z0-9]")
_PLACE_BEHIND = re.compile(r"\s*(?:[中里内]|平台|系统|监控|返回|查询|检索|搜索)")
_PLACE_BEFORE = re.compile(r"(?:通过|根据|依据|按照?|在|从|使用|用|由|\b(?:in|via|by|from|at|through|using|on)\b)\s*\Z")
_LIST_COMMA = re.compile(r"[,、](?![^(]{0,200}\))")
_OR = re.compile(r"\s*(?:[、,/与和及或]|以及|\bor\b|\band\b)?\s*", re.IGNORECASE)
_GENERIC = re.compile(
    "告警|日志|记录|窗口|时段|时间|范围|期间|任何|任意|所有|全部|相关|检索|查询|搜索|结果|系统|数据|返回|发现|当前|目前|匹配|命中"
    "|[内中里里到条个项未没有无对应本次该上下]"
)
_GENERIC_WORD = re.compile(
    "(?:alert|log|record|entry|entrie|result|match|matche|service|minute|hour|second|day)s?|matching|found|find|any|all"
    "|query|quer(?:y|ied)|search(?:ed|ing)?|window|return|returned|not?|none|nothing|zero|total|firing|during|within|last"
    "|past|between|until|since|before|after"
)


def is_summary_path(raw_path: str | None) -> bool:
    return raw_path in SUMMARY_PATHS


@dataclass(frozen=True, slots=True)
class Summary:
    """What a summary ref says: where it looked, how many items came and their names."""

    source: str
    total: int | None
    names: str
    query: str = ""
    searched: timedelta | None = None  # how long the window is
    until: datetime = field(default=EPOCH, compare=False)  # when it ends

    @classmethod
    def of(cls, text: str) -> Summary:
        """Read a summary ref's text. An echoed query that itself holds `total=` does not count."""
        text = normalise(text)
        source = _SOURCE.search(text)
        found = _AFTER_WINDOW.match(text) or _ANYWHERE.match(text)
        total = int(found["total"]) if found else None
        asked = _QUERY.search(text, 0, found.start("total")) if found else None
        names = (found["names"] or "") if found else ""
        window = _WINDOW.search(text)
        lengths = spans(window[1]) if window else ()
        ends = [end for mention in times_in(window[1] if window else "") if (end := mention.moment(EPOCH))]
        return cls(
            source[1] if source else "",
            total,
            names,
            asked["query"] if asked else "",
            max(lengths, default=None),
            ends[-1] if ends else EPOCH,
        )


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
    statement = _without_sought(claim.claim_text, summary.query)
    if not says_not_found(statement):
        return "the claim does not say that something was not found"
    if rider := stated_besides(statement):
        return f"the claim states more than that something was not found: {rider[:120]}"
    if condition := left_out(claim.claim_text, summary.query):
        return f"the search asked for less than the claim denies, only for {condition[:120]}"
    if period := _not_searched(claim.claim_text, summary):
        return f"the searched window is shorter than {period}"
    found = _found_after_all(claim.claim_text, summary, tool_name, list(items))
    return f"what the claim calls not found is there: {found[:120]}" if found else None


def _without_sought(claim_text: str, query: str) -> str:
    """The claim without the phrases that were searched for: their stops end no clause, their words state nothing."""
    return _SOUGHT.sub(lambda phrase: "" if phrase[1] in query else phrase[0], normalise(claim_text))


def _not_searched(claim_text: str, summary: Summary) -> str | None:
    """A period that the claim speaks of and the search did not cover."""
    if summary.searched is None:
        return None
    said = least_lengths(normalise(claim_text), summary.until)
    return next((period for period, length in said if summary.searched < length), None)


def _found_after_all(claim_text: str, summary: Summary, tool_name: str, items: Sequence[str]) -> str | None:
    """What was found and is, or may be, what the claim denies; None if nothing is."""
    listed = [name.strip() for name in _LIST_COMMA.split(summary.names) if name.strip()]
    text, there = normalise(claim_text), [*listed, *items]
    asked = frozenset(word.casefold() for word in Reading.of(summary.query).words)
    groups = _name_groups(text, {summary.source.casefold(), tool_name.casefold()}, asked)
    groups += [[service] for service in services_in(text, ()) if service not in text]  # 支付服务
    if concepts := concepts_in(text):
        groups.append(concepts)
    if groups and (held := next((item for item in there if _holds_all(item, groups)), None)):
        return held
    if not groups and there and _denies_everything(text):
        return there[0]
    return (
        summary.names or f"total={summary.total}" if summary.total and not _names_what_is_absent(text, there) else None
    )


def _names_what_is_absent(text: str, there: Sequence[str]) -> bool:
    """Whether the claim is about a name that nothing found holds: only then others that were found do not matter."""
    if _OTHERS.search(text):
        return False
    named = (found for found in _LATIN_RUN.finditer(text) if is_name(found[0]) and not _is_place(text, found))
    return any(not any(stands_in(found[0], item) for item in there) for found in named)


def _is_place(text: str, name: re.Match[str]) -> bool:
    """Whether a name only says where was looked."""
    return bool(_PLACE_BEHIND.match(text, name.end()) or _PLACE_BEFORE.search(text, 0, name.start()))


def _name_groups(text: str, echoed: set[str], asked: Set[str]) -> list[list[str]]:
    """The claim's names, and of an English claim the words that the search `asked` for; names joined by 与, 或, `、`,
    or, … are alternatives of one group, as are the words of a foreign phrase. An item must hold one of each group to be
    what the claim is about."""
    reading = Reading.of(text)
    with_plain_words = bool(_CHINESE.search(text)) or not any(map(is_name, reading.words))
    groups: list[list[str]] = []
    last = -2
    for index, word in enumerate(reading.words):
        if word.casefold() in echoed or not (is_name(word) or _is_telling(word, asked, any_word=with_plain_words)):
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
        return not (is_name(reading.words[last]) or is_name(reading.words[index]))
    return bool(_OR.fullmatch(between))


def _is_telling(word: str, asked: Set[str], *, any_word: bool) -> bool:
    return (any_word or word.casefold() in asked) and _is_foreign_word(word)


def _is_foreign_word(word: str) -> bool:
    """A plain Latin word that says something: redis, but not the or alerts."""
    folded = word.casefold()
    is_generic = folded in lexicon.FUNCTION_WORDS or _GENERIC_WORD.fullmatch(folded)
    return word.isascii() and word.isalpha() and len(word) > 2 and not is_generic


def _holds_all(text: str, groups: Sequence[Sequence[str]]) -> bool:
    plain = normalise(text)
    return all(any(stands_in(name, plain) for name in group) for group in groups)


def _denies_everything(text: str) -> bool:
    """Whether a claim without names denies everything (没有任何告警) and not a certain thing (没有证书告警)."""
    content = (c for c in _GENERIC.sub("", text) if c not in lexicon.FUNCTION_CHARACTERS)
    return not _CHINESE.search("".join(content))
