"""Which facts outside the claims are critical: decided by their kind, not by the model (R36)."""

from __future__ import annotations

import re

from domain.values.entities import names_in
from domain.values.numbers import values_in
from domain.values.value import Role

_ADVICE = re.compile(
    r"建议|可能|也许|或许|风险|推测|怀疑|疑似|假设|如果|若要|有待|尚需|需要|仍需|供参考|无法确认|不能确认|未能确认|尚未确认|不足以"
    r"|\b(?:may|might|could|should|possibly|suggest|recommend)\b",
    re.IGNORECASE,
)
_PROVEN = re.compile(r"已(?:被|经)?(?:确认|证实|证明|查明)|confirmed|proven", re.IGNORECASE)
_KINDS = {
    "root_cause": r"根因|原因|导致|由于|引起|引发|造成|root cause|caused by|due to|because",
    "error_code": r"错误码|异常码|状态码|error code",
    "component": r"服务|组件|接口|数据库|连接池|缓存|队列|网关|节点|集群|主机|容器|实例|中间件"
    r"|service|database|pool|cache|queue",
    "source_statement": r"(?:日志|告警|监控|指标|文档|知识库|手册|工单).{0,6}"
    r"(?:显示|说明|表明|指出|记录|规定|存在|出现|触发)",
    "fix": r"修复|已恢复|已解决|解决方案|修正|fixed|resolved",
}
_KIND = re.compile("|".join(_KINDS.values()), re.IGNORECASE)


def is_confirmed_sounding(text: str) -> bool:
    """Advice, risks and guesses are no facts, unless they say that something is proven (000)."""
    return says_it_is_proven(text) or not _ADVICE.search(text)


def says_it_is_proven(text: str) -> bool:
    return bool(_PROVEN.search(text))


def is_critical_fact(text: str, *, said_by_model: bool) -> bool:
    """Root cause, error code, component, source statement, fix, or a measured value; the model decides the rest."""
    if not is_confirmed_sounding(text):
        return False
    has_measurement = any(value.role is Role.MEASURED for value in values_in(text))
    return said_by_model or bool(_KIND.search(text)) or has_measurement or bool(names_in(text))
