"""Grave conclusions and causes: what a claim may say only where an item says it too (R34; the lists are data)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.quotation.normalise import normalise
from domain.verdict.criticality import is_confirmed_sounding
from domain.verdict.senses import negation_before

_CONCLUSIONS = (
    r"泄漏|泄露|\bleak(?:s|ed|ing|age)?\b",
    r"宕机|崩溃|瘫痪|挂掉|挂了|\b(?:crash(?:es|ed|ing)?|outage|down|dead)\b",
    r"内存溢出|\bOOM(?:Killed)?\b|OutOfMemory|out of memory",
    r"死锁|\bdeadlock(?:s|ed)?\b",
    r"雪崩|\bavalanche\b",
    r"攻击|入侵|被黑|\b(?:attack(?:s|ed)?|intrusion|breach(?:ed)?|compromised)\b",
    r"丢失|\b(?:lost|loss|losing)\b",
    r"损坏|\bcorrupt(?:s|ed|ion)?\b",
    r"重启|\brestart(?:s|ed|ing)?\b",
    r"回滚|\brolled? ?back\b|\brollback\b",
    r"驱逐|\bevicted\b",
    r"正常(?!水平|范围|值)|健康(?!检查|状态|度)|良好|稳定|(?:无|没有)(?:任何)?(?:异常|问题|故障)"
    r"|\b(?:healthy|normal|fine|ok|no (?:problem|issue|error)s?)\b",
    r"已修复|已解决|\b(?:fixed|repaired|solved)\b",
)
_CAUSES = (
    r"根因|根本原因|原因(?:是|为|在于|：|:)|导致|由于|源于|引起|引发|造成|所致|归因"
    r"|root cause|\b(?:caused|because|due to|leads? to|led to|result(?:s|ed)? (?:in|from)|triggered by)\b"
)
_EACH = [re.compile(words, re.IGNORECASE) for words in _CONCLUSIONS]
_CAUSE = re.compile(_CAUSES, re.IGNORECASE)


def unstated_conclusion(claim: str, items: Sequence[str]) -> str | None:
    """The first grave conclusion that the claim draws and no item states; a guess or a denial draws none."""
    if not is_confirmed_sounding(claim):
        return None
    text, held = normalise(claim), [normalise(item) for item in items]
    for words in _EACH:
        drawn = next((found[0] for found in words.finditer(text) if not negation_before(text, found.start())), None)
        if drawn and not any(words.search(item) for item in held):
            return drawn
    return None


def is_unstated_cause(claim: str, items: Sequence[str]) -> bool:
    """Whether the claim names a cause while no item speaks of one."""
    text = normalise(claim)
    said = any(not negation_before(text, found.start()) for found in _CAUSE.finditer(text))
    return said and not any(_CAUSE.search(normalise(item)) for item in items)
