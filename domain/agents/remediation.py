"""Recommended actions only collect evidence: what changes the system is remediation (R15)."""

from __future__ import annotations

import re

_CHANGES = re.compile(
    r"重启|重新启动|回滚|回退|扩容|缩容|扩展副本|重新部署|部署|发布|上线|下线|升级|降级|熔断|限流|切流|切换(?:流量|主|到|至)"
    r"|迁移|清理|清空|清除|删除|终止|杀死|杀掉|停止|停用|禁用|启用|释放|重建|重置|修复|优化|替换|更换|隔离|摘除|驱逐|强制"
    r"|(?:修改|更改|变更|调整|调大|调小|调高|调低|提高|降低|增大|减小|增加|减少|扩大|添加|新增|加大).{0,24}?"
    r"(?:配置|(?<!查询)参数|阈值|上限|限制|副本|实例|节点|机器|容量|内存|堆|连接数|连接池|线程|索引|超时|资源|大小|并发)"
    r"|(?:调大|调小|调高|调低)|(?:上限|限制|阈值|参数|内存|堆|超时|副本|连接数)\S{0,6}?(?:调|改|设)(?:到|为|成|至)|kill\s"
    r"|\b(?:restart|reboot|roll(?:ing)?[ -]?back|scale (?:up|out|down|in)|scal(?:e|ing)|redeploy|deploy"
    r"|upgrade|downgrade|kill|terminate|delete|drop|purge|flush|evict|drain|disable|enable|fail[ -]?over|patch|fix"
    r"|throttle|reset|rebuild|reconfigure|tune|resize|migrate|apply|stop)(?:s|ing|ting|ed)?\b"
    r"|\b(?:increase|decrease|raise|lower|reduce|change|modify|adjust|add|bump)\b.{0,40}?"
    r"\b(?:config\w*|settings?|parameters?|limits?|replicas?|instances?|nodes?|memory|heap|pool(?: size)?|timeouts?"
    r"|threads?|index(?:es)?|capacity|resources?|thresholds?)\b",
    re.IGNORECASE,
)
_COLLECTS = re.compile(
    r"[查看]|检索|确认|收集|采集|核对|核实|获取|拉取|导出|分析|观察|对比|比较|统计|追踪|跟踪|监控|监测|了解|梳理|评估|记录|抓取|询问"
    r"|\b(?:check|query|look|inspect|collect|review|examine|verify|confirm|compare|monitor|gather|read|search|list|fetch|get"
    r"|find|observe|analy[sz]e|investigate|assess|ask|capture|export|describe|see|whether)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\s*(?:的)?(?:记录|历史|日志|情况|次数|时间|事件|原因|状态|前后|期间|计划|流程|操作记录|版本|清单|是否)"
    r"|\s*(?:histor|record|log|event|count|time|reason|status|plan|timeline|version|notes)",
    re.IGNORECASE,
)
_NO_REQUEST = re.compile(
    r"(?:不要|不应|不可|不得|不能|不建议|暂不|暂缓|避免|无需|切勿|禁止|是否|有无|曾"
    r"|\b(?:do not|don't|avoid|without|not|never)\b)[^，,]{0,8}$"
    r"|(?:最近的?|上一?次|本次|该次|近期的?|\b(?:the|last|recent|latest|previous|this|that))\s*$",
    re.IGNORECASE,
)
_OR = re.compile(r"\s*(?:[或和及与/]|or\b)\s*")
_CLAUSE = re.compile(
    r"[，。；;、,\n！!]|\.\s|并且|并(?!发|行|列)|然后|之后|以后|随后|接着|再(?!次)|(?<![前之以])后(?!端|台|续|的)|通过"
    r"|\b(?:and|then|by|before|after|to)\b",
    re.IGNORECASE,
)
_ACTION_TYPES = frozenset(
    {"remediation", "remediate", "fix", "repair", "mitigation", "mitigate", "restart", "rollback", "scale"}
    | {"config_change", "修复", "处置", "缓解"}
)


def is_remediation(action_text: str, action_type: str | None = None) -> bool:
    """Whether an action changes the system instead of collecting evidence.

    Looking at a change is no change: "查看重启记录" collects, "查看日志后重启服务" does not. Each clause is judged by
    itself: a change counts unless a collecting verb stands before it, a record of it is meant, or it is no request.
    """
    if (action_type or "").strip().lower() in _ACTION_TYPES:
        return True
    return any(_changes_something(clause) for clause in _CLAUSE.split(action_text))


def _changes_something(clause: str) -> bool:
    change = _CHANGES.search(clause)
    if change is None or _COLLECTS.search(clause, 0, change.start()) or _NO_REQUEST.search(clause, 0, change.start()):
        return False
    end = change.end()
    while (joined := _OR.match(clause, end)) and (other := _CHANGES.match(clause, joined.end())):
        end = other.end()
    return _PAST.match(clause, end) is None
