"""Conclusions and causes: what a claim may say only where an item shows it (R34; the lists are data)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.quotation.normalise import normalise
from domain.verdict.criticality import is_confirmed_sounding
from domain.verdict.senses import negation_before

_FAILED = (
    r"\berror\b|错误|timed? ?out|timeout|not available|unavailable|unreachable|exception|refused|denied|reject|abort"
    r"|失败|超时|不可用"
)
_SUCCEEDED = r"succe|成功|完成|通过|\bok\b|healthy|\b200\b"
_CONCLUSIONS: tuple[tuple[str, str], ...] = (
    (r"泄漏|泄露|\bleak(?:s|ed|ing|age)?\b", ""),
    (r"宕机|崩溃|瘫痪|挂掉|挂了|停止(?:服务|运行)|\b(?:crash(?:es|ed|ing)?|outage|down|dead|stopped)\b", ""),
    (r"内存溢出|\bOOM(?:Killed)?\b|OutOfMemory|out of memory", ""),
    (r"死锁|\bdeadlock(?:s|ed)?\b", ""),
    (r"雪崩|\bavalanche\b", ""),
    (r"攻击|入侵|被黑|\b(?:attack(?:s|ed)?|intrusion|breach(?:ed)?|compromised)\b", ""),
    (r"丢失|\b(?:lost|loss|losing)\b", ""),
    (r"损坏|\bcorrupt(?:s|ed|ion)?\b", ""),
    (r"重启|\brestart(?:s|ed|ing)?\b", ""),
    (r"回滚|\broll(?:ed)? ?back\b", ""),
    (r"[扩缩]容|\bscal(?:ed|ing) (?:up|out|down|in)\b", ""),
    (r"(?:上线|发布|部署|升级)|\b(?:deploy(?:s|ed|ment)?|releas(?:es|ed)|upgrad(?:es|ed))\b", ""),
    (r"驱逐|\bevicted\b", ""),
    (r"误报|虚警|\bfalse (?:alarm|positive)s?\b", ""),
    (r"清零|归零", ""),
    (r"从未|首次|唯一|(?:所有|全部|每个)(?:请求|用户|实例|服务|节点|接口)", ""),
    (r"\b(?:never|always|every|all (?:requests|users|instances|services))\b", ""),
    (r"正常(?!水平|范围|值)|健康(?!检查|状态|度)|良好|稳定|(?:无|没有)(?:任何)?(?:异常|问题|故障)", _SUCCEEDED),
    (r"\b(?:healthy|normal|fine|ok|no (?:problem|issue|error)s?)\b", _SUCCEEDED),
    (
        r"(?:检查|校验|验证|测试)[全部均都]{0,2}通过|通过了?[全部所有]{0,2}(?:健康)?(?:检查|校验|验证|测试)",
        r"通过|\bpassed\b|\bok\b|healthy",
    ),
    (
        r"无法|不能|受到?影响|影响[了到]|受阻|流失|投诉|损失|\b(?:cannot|unable|impact(?:s|ed)?|affect(?:s|ed)?)\b",
        rf"{_FAILED}|unable|cannot|影响|affect|impact",
    ),
    (r"修复(?!建议|步骤|方案)|已解决|\b(?:fixed|repaired|solved)\b", ""),
    (r"可接受|安全范围|充裕|大量(?:剩余|空闲)|[较很极偏][低少小]|远低于|优于|\b(?:negligible|acceptable)\b", ""),
    (r"迅速|很快|较快|流畅|\b(?:fast|quick(?:ly)?)\b", ""),
    (r"(?<!没有)(?<!无)空闲|\b(?:idle|spare)\b(?!=)", r"空闲|\bidle\b(?!=0)|\bspare\b"),
    (r"静默|屏蔽|\b(?:silenced|suppressed|gone away|no longer)\b", ""),
    (r"测试告警|演练", ""),
    (r"慢查询|慢 ?SQL|\bslow (?:quer(?:y|ies)|sql)\b", ""),
    (r"密码|凭[证据]错误|\b(?:password|credential)s?\b", ""),
    (r"送达|\bdelivered\b", ""),
    (r"缺货|售罄|补足|\bout of stock\b", ""),
    (r"退款|\brefund(?:s|ed)?\b", ""),
    (r"队列为空|\bempty\b", "清空|=0"),
    (r"超时|\b(?:timed out|timeouts?)\b", r"超时|timed? ?out|timeout"),
    (r"恢复(?!时间|建议|步骤|方案)|解除|消失|消除|\b(?:resolved|recovered|cleared)\b", _SUCCEEDED),
    (r"失败|\b(?:failed|failure|fails)\b", _FAILED),
    (r"成功|\b(?:succeeded|successful|success)\b", _SUCCEEDED),
    (r"不可用|不可达|\b(?:unavailable|unreachable)\b", _FAILED + r"|\bdown\b"),
    (r"拒绝|\b(?:refused|denied|rejected|forbidden)\b", r"refus|den(?:y|ied)|reject|forbid|\b40[13]\b"),
    (r"断开|断连|\bdisconnected\b", r"disconnect|\bclosed\b|\breset\b"),
    (r"禁用|停用|\bdisabled\b", ""),
    (r"启用|开启|\benabled\b", ""),
    (r"下降|降低|降至|回落|下滑|\b(?:fell|falling|dropped|dropping|decreas(?:ed|ing))\b", ""),
    (r"耗尽|打满|占满|\b(?:exhausted|saturated)\b", r"\b(\d+)/\1\b|not available|\bfull\b|\bidle=0\b|waiting=[1-9]|满"),
    (r"(?<![A-Za-z])CPU(?![A-Za-z])|处理器", "CPU"),
    (r"内存|堆(?!积|栈|叠)|(?<![A-Za-z])(?:memory|heap)(?![A-Za-z])", r"memory|heap|JVM|GC|OOM|内存|堆"),
    (r"磁盘|硬盘|\bdisk\b", "disk|inode|volume|磁盘|硬盘"),
    (r"网络|带宽|丢包|\bnetwork\b", "network|packet|bandwidth|网络|带宽|丢包|connect"),
    (r"垃圾回收|\bGC\b", "GC|垃圾回收|garbage"),
)
"""What a claim may conclude (the first pattern) only where an item shows it: the same words, or the second pattern."""
_CAUSES = (
    r"根因|根本原因|原因(?:是|为|在于|：|:)|导致|由于|源于|引起|引发|造成|所致|归因|推断|[，,](?:这|由此|进而)?(?:说明|表明|意味着|证明)"
    r"|root cause|\b(?:caused|because|due to|leads? to|led to|result(?:s|ed)? (?:in|from)|triggered by)\b"
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
    text = normalise(claim)
    said = any(not negation_before(text, found.start()) for found in _CAUSE.finditer(text))
    return said and not any(_CAUSE.search(normalise(item)) for item in items)
