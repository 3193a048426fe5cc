"""What lowers a claim that the model believes: a rule for each way in which items do not carry it (R9, R34 to R37)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.contracts import Claim, ClaimType, FactClass
from domain.gatekeeper.not_found import says_not_found
from domain.quotation.normalise import is_disguised, normalise
from domain.values.entities import Name, names_in
from domain.values.measurements import Measurements, unsupported_values
from domain.verdict.conclusions import is_unstated_cause, unstated_conclusion
from domain.verdict.grounds import Grounds
from domain.verdict.senses import turned

CLAIM_NOT_PASSED = "claim.not_passed"
VALUE_UNSUPPORTED = "claim.value_unsupported"
ENTITY_INVENTED = "claim.entity_invented"
ENTITY_UNSUPPORTED = "claim.entity_unsupported"
SUBJECT_UNSUPPORTED = "claim.subject_unsupported"
SENSE_TURNED = "claim.sense_turned"
CONCLUSION_UNSTATED = "claim.conclusion_unstated"
CAUSE_UNSTATED = "claim.cause_unstated"
ABSENCE_UNPROVEN = "claim.absence_unproven"
DOCUMENTATION_LIVE = "claim.documentation_live"
DISGUISED = "claim.disguised"
STALE = "evidence.stale"

_NOW = re.compile(r"本次|此次|这次|当前|目前|现在|此刻|正在|\bfiring\b|\bcurrently\b|\bright now\b", re.IGNORECASE)
_HAPPENED = re.compile(r"已(?!知)|处于|仍在|持续|\b(?:is|are|has been|have been)\b", re.IGNORECASE)
_KINDS_OF_THINGS = frozenset(
    (
        *("mysql", "mariadb", "postgresql", "mongodb", "clickhouse", "elasticsearch", "openresty", "zookeeper", "k8s"),
        *("rabbitmq", "rocketmq", "activemq", "oom", "oomkilled", "oomkiller", "outofmemory", "outofmemoryerror"),
        *("crashloop", "crashloopbackoff"),
    )
)
"""Products and troubles that an item shows without their name: they tell what sort of thing it is, not which one."""
_SAID_BY_DOCUMENTS = re.compile(
    r"知识库|文档|手册|预案|规范|指南|条目|案例|建议|应当?|需要?|可以?|如果|若|表示|意味|是指|时[，,]"
    r"|runbook|knowledge|document|playbook|guide|recommend|should|when|if\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Lowering:
    """A fact is at best `to`, by `rule`."""

    rule: str
    to: FactClass
    message: str


ClaimRule: TypeAlias = Callable[[Claim, Grounds], Lowering | None]


def _unproven(claim: Claim, grounds: Grounds) -> Lowering | None:
    """A claim's support comes from its passed bindings, not from the refs the model wrote."""
    if grounds.passes(claim):
        return None
    return Lowering(CLAIM_NOT_PASSED, FactClass.NO_EVIDENCE, "the gatekeeper did not let this claim pass")


def _disguise(claim: Claim, _: Grounds) -> Lowering | None:
    if not is_disguised(claim.claim_text):
        return None
    return Lowering(DISGUISED, FactClass.NO_EVIDENCE, "characters are struck through or set in another order")


def _values(claim: Claim, grounds: Grounds) -> Lowering | None:
    return value_lowering(claim.claim_text, grounds.items_of(claim), grounds)


def _names(claim: Claim, grounds: Grounds) -> Lowering | None:
    searched = claim.claim_type is ClaimType.NEGATIVE_OBSERVATION
    return name_lowering(unknown_names(claim.claim_text, grounds, searched=searched))


def _subject(claim: Claim, grounds: Grounds) -> Lowering | None:
    """An item about one service proves nothing of another."""
    missing = grounds.subjects_missing(claim)
    if not missing or claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
        return None
    return Lowering(SUBJECT_UNSUPPORTED, FactClass.NO_EVIDENCE, f"no cited item is about {', '.join(missing)}")


def _sense(claim: Claim, grounds: Grounds) -> Lowering | None:
    if claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
        return None
    word = turned(claim.claim_text, grounds.proving_texts(claim))
    return Lowering(SENSE_TURNED, FactClass.NO_EVIDENCE, f"the items state the opposite of {word}") if word else None


def _conclusion(claim: Claim, grounds: Grounds) -> Lowering | None:
    if claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
        return None
    word = unstated_conclusion(claim.claim_text, grounds.proving_texts(claim))
    return Lowering(CONCLUSION_UNSTATED, FactClass.NO_EVIDENCE, f"no item states {word}") if word else None


def _cause(claim: Claim, grounds: Grounds) -> Lowering | None:
    """That one thing brought about another is an inference unless an item says so."""
    if not is_unstated_cause(claim.claim_text, grounds.proving_texts(claim)):
        return None
    return Lowering(CAUSE_UNSTATED, FactClass.INDIRECT, "no item states what caused it")


def _absence(claim: Claim, grounds: Grounds) -> Lowering | None:
    """An item that is there does not prove that something else was not found (R20)."""
    if claim.claim_type is ClaimType.NEGATIVE_OBSERVATION:
        return None
    items = grounds.proving_texts(claim)
    if not says_not_found(_own_words(claim.claim_text, items)) or any(map(says_not_found, items)):
        return None
    return Lowering(ABSENCE_UNPROVEN, FactClass.NO_EVIDENCE, "an absence is proven by a summary, not by an item")


_QUOTED = re.compile('“([^”]*)”|"([^"]*)"|「([^」]*)」')


def _own_words(claim_text: str, items: Sequence[str]) -> str:
    """A claim without what it quotes of an item, word for word: "no live upstreams" is said by the log."""
    held = [normalise(item) for item in items]

    def left(quoted: re.Match[str]) -> str:
        said = normalise(next(filter(None, quoted.groups()), ""))
        return " " if any(said in item for item in held) else quoted[0]

    return _QUOTED.sub(left, claim_text)


def _live_documentation(claim: Claim, grounds: Grounds) -> Lowering | None:
    """What a document says in general is not what is happening now (R21, R26)."""
    if claim.claim_type is not ClaimType.DOCUMENTATION:
        return None
    said = _NOW.search(claim.claim_text)
    if not said and not _SAID_BY_DOCUMENTS.search(claim.claim_text):
        said = _HAPPENED.search(claim.claim_text)
    if not said or any(said[0].casefold() in text.casefold() for text in grounds.proving_texts(claim)):
        return None
    return Lowering(DOCUMENTATION_LIVE, FactClass.NO_EVIDENCE, f"no document says what is so at present: {said[0]}")


def _staleness(claim: Claim, grounds: Grounds) -> Lowering | None:
    if not grounds.is_stale(claim):
        return None
    return Lowering(STALE, FactClass.INDIRECT, "every passed item is older than the asked window")


CLAIM_RULES: tuple[ClaimRule, ...] = (
    *(_unproven, _disguise, _values, _names, _subject, _sense),
    *(_conclusion, _cause, _absence, _live_documentation, _staleness),
)


# ---------------------------------------------------------------- rules that hold for any text (R37, R38)


def value_lowering(text: str, items: Measurements, grounds: Grounds) -> Lowering | None:
    missing = unsupported_values(text, items, grounds.question_values, grounds.windows)
    if not missing:
        return None
    return Lowering(VALUE_UNSUPPORTED, FactClass.NO_EVIDENCE, f"not in the items: {', '.join(missing)}")


def name_lowering(unknown: Sequence[Name]) -> Lowering | None:
    if codes := [name.text for name in unknown if name.is_code]:
        return Lowering(ENTITY_INVENTED, FactClass.CONTRADICTED, f"in no tool output: {', '.join(codes)}")
    if unknown:
        names = ", ".join(name.text for name in unknown)
        return Lowering(ENTITY_UNSUPPORTED, FactClass.NO_EVIDENCE, f"found nowhere: {names}")
    return None


def unknown_names(text: str, grounds: Grounds, *, searched: bool) -> list[Name]:
    recorded = grounds.recorded
    if recorded is None:
        return []
    return [
        name
        for name in names_in(text)
        if name.text.casefold() not in _KINDS_OF_THINGS
        and not recorded.asks_for(name.text)
        and not recorded.holds(name.text, searched=searched)
    ]
