"""Conclusions and causes: what a claim may say only where an item shows it (R34; the lists are data)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.quotation.normalise import normalise
from domain.verdict.criticality import is_confirmed_sounding
from domain.verdict.senses import negation_before

_GONE = (
    "down|dead|offline|crash|panic|abort|fatal|exit|kill|stop|terminat|segfault|core dump|sigterm|oom|not ?ready"
    "|unreachable|outage|宕|离线|下线|停|段错误"
)
_CONCLUSIONS: tuple[tuple[str, str], ...] = (
    (r"泄漏|泄露|\bleak(?:s|ed|ing|age)?\b", "leak|泄"),
    (
        r"宕机|崩溃|瘫痪|停止(?:服务|运行)|\b(?:crash(?:es|ed|ing)?|outage)\b",
        rf"{_GONE}|(?<![a-z_])up(?:\{{[^{{}}]*\}})?[ =:]{{1,3}}0(?![\d.])",
    ),
    (
        r"内存溢出|\bOOM(?:Killed)?\b|OutOfMemory|out of memory",
        "oom|out.?of.?memory|cannot allocate memory|heap space|(?<!\\d)137(?!\\d)|内存[溢不]",
    ),
    (r"死锁|\bdeadlock(?:s|ed)?\b", "dead.?lock"),
    (r"脑裂|\bsplit[- ]brain\b", "split.?brain"),
    (r"雪崩|\bavalanche\b", "avalanche|cascad"),
    (
        r"攻击|入侵|被黑|\b(?:attack(?:s|ed)?|intrusion|breach(?:ed)?|compromised)\b",
        "attack|intru|breach|compromis|hack|malicious|exploit|ddos|brute|flood|injection|攻击|入侵|恶意|爆破|注入",
    ),
    (
        r"丢失|\b(?:data loss|lost data|(?:data|messages?) (?:was|were) lost)\b",
        "lost|loss|losing|missing|drop|discard|丢",
    ),
    (r"损坏|\bcorrupt(?:s|ed|ion)?\b", "corrupt|damage|broken|checksum|crc|bad (?:block|sector)|损|坏"),
    (r"回滚|\brolled back\b", "roll(?:ed|ing)?.?back|revert|undo"),
    (r"误报|虚警|\bfalse (?:alarm|positive)s?\b", "false.?(?:alarm|positive)|误报|虚警"),
    (r"静默|屏蔽|\b(?:silenced|suppressed)\b", "silenc|suppress|mute|inhibit|静默|屏蔽|抑制"),
    (r"测试告警|演练", "test|drill|测试|演练"),
    (r"密码错误|凭[证据]错误|\bwrong password\b", "password|passwd|credential|auth|login|密码|凭[证据]|认证|401"),
    (
        r"耗尽|打满|占满|\b(?:exhausted|saturated)\b",
        r"exhaust|saturat|\b(\d+)/\1\b|not available|unavailable|\bfull\b|reserved|too many"
        r"|\bno (?:space|free|idle|live|more)\b|\bidle=0\b"
        r"|waiting|pending|limit|\bmax|quota|reject|timed? ?out|overflow|100(?:\.0+)?%|满|尽|不足|上限",
    ),
    (r"退款|\brefund(?:s|ed)?\b", "refund|退"),
    (
        r"一切(?:正常|如常)|系统运行(?:良好|正常)|[全部均都]{1,2}(?:健康)?(?:检查|校验|验证|测试)[全部均都]{0,2}通过"
        r"|通过了?(?:全部|所有)(?:检查|校验|验证|测试)",
        r"succe|\bpassed\b|healthy|running|\bok\b|成功|通过|正常",
    ),
)
"""Strong diagnoses (the first pattern) that whatever proves them names (the second pattern, or the same words), also
inside a longer name: restarts_total, TargetDown. What is weaker, an item may show in any words: the model judges it."""
_CAUSES = (
    r"根因|根本原因|(?<!退出)(?<!终止)原因(?:是|为|在于|：|:)|导致|由于|源于|引起|引发|造成|所致|归因|推断|[，,](?:这|由此|进而)?(?:说明|表明|意味着|证明)"
    r"|\bcause\b|root cause|\b(?:caused|because|due to|leads? to|led to|result(?:s|ed)? (?:in|from)|triggered by)\b"
)
_EACH = [
    (re.compile(said, re.IGNORECASE), re.compile(rf"{shown}|{said}" if shown else said, re.IGNORECASE))
    for said, shown in _CONCLUSIONS
]
_CAUSE = re.compile(_CAUSES, re.IGNORECASE)


def unstated_conclusion(claim: str, items: Sequence[str]) -> str | None:
    """The first conclusion that the claim draws and no item shows; a guess or a denial draws none."""
    if not is_confirmed_sounding(claim):
        return None
    text, held = normalise(claim), [normalise(item) for item in items]
    for said, shown in _EACH:
        drawn = next((found[0] for found in said.finditer(text) if not negation_before(text, found.start())), None)
        if drawn and not any(shown.search(item) for item in held):
            return drawn
    return None


def is_unstated_cause(claim: str, items: Sequence[str]) -> bool:
    """Whether the claim names a cause while no item speaks of one."""
    return states_a_cause(claim) and not any(_CAUSE.search(normalise(item)) for item in items)


def states_a_cause(claim: str) -> bool:
    text = normalise(claim)
    return any(not negation_before(text, found.start()) for found in _CAUSE.finditer(text))
