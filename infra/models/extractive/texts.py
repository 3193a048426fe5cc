"""Every sentence of the offline model, once: a text a row, Chinese and English, as `domain.answer.texts` has ours."""

from __future__ import annotations

from domain.answer.texts import Row, filled
from domain.language.tongues import Language

TEXTS: dict[str, Row] = {
    # ends and brackets
    "stop": ("。", "."),
    "labelled": ("{name}（{labels}）", "{name} ({labels}) "),
    "at": ("{said}（{time}）", "{said} ({time})"),
    # alerts
    "alert.firing": ("当前存在 {name} 告警（{state}）", "Currently there is alert {name} ({state})"),
    "alert.firing.of": (
        "{subject} 当前存在 {name} 告警（{state}）",
        "{subject} currently has alert {name} ({state})",
    ),
    "alert.other": ("有 {name} 告警（{state}）", "There is alert {name} ({state})"),
    "alert.other.of": ("{subject} 有 {name} 告警（{state}）", "{subject} has alert {name} ({state})"),
    "alert.silenced": ("已被 {by} 静默", "silenced by {by}"),
    "alert.silenced.until": ("已被 {by} 静默至 {until}", "silenced by {by} until {until}"),
    "alert.inhibited": ("被 {by} 抑制", "inhibited by {by}"),
    "alert.suppressed": ("通知被抑制（status.state={state}）", "notifications suppressed (status.state={state})"),
    "alert.described": ("{said}", "“{said}”"),
    "alert.current": ("当前值 {value}", "current value {value}"),
    "alerts.firing.one": ("共有 {n} 个告警在触发：{names}。", "{n} alert in all is firing: {names}."),
    "alerts.other.one": ("共有 {n} 个告警处于 {state}：{names}。", "{n} alert in all is {state}: {names}."),
    "alerts.firing": ("共有 {n} 个告警在触发：{names}。", "{n} alerts in all are firing: {names}."),
    "alerts.other": ("共有 {n} 个告警处于 {state}：{names}。", "{n} alerts in all are {state}: {names}."),
    "alerts.also": ("同时还有{n}告警在触发：{names}。", "Also firing, {n}: {names}."),
    "alerts.now": ("当前有{n}告警在触发：{names}。", "Currently firing, {n}: {names}."),
    "alerts.number": (" {n} 个", "{n:alert|alerts}"),
    "alerts.some": ("多个", "alerts"),
    "alerts.cut": (
        "共有 {matched} 个告警，返回最严重的 {returned} 个",
        "{matched} alerts in all, the {returned} most severe alerts returned",
    ),
    "alerts.among": ("{said}，其中有 {names}。", "{said}, among them {names}."),
    # values
    "value.now": ("{series}的值为 {value}", "{series}has the value {value}"),
    "value.trend": ("{series}的值{trend}", "{series}had the values {trend}"),
    "value.histogram": (
        "{series}的直方图：count={count}，sum={sum}",
        "{series}has histogram count={count}, sum={sum}",
    ),
    "value.direction": ("走向：{said}（direction={direction}）", "direction={direction}"),
    "trend.first": ("起始 {value}", "first {value}"),
    "trend.last": ("最后 {value}", "last {value}"),
    "trend.minimum": ("最小 {value}", "minimum {value}"),
    "trend.maximum": ("最大 {value}", "maximum {value}"),
    "trend.mean": ("平均 {value}", "mean {value}"),
    # log lines and surveys
    "logs.all": ("日志", "The logs"),
    "logs.of": ("{service}日志", "The logs of {service}"),
    "logs.hold": ("{where}中检索到{number}{topic}相关记录", "{where} hold {number}entries{topic}"),
    "logs.number": (" {n} 条", "{n} "),
    "logs.one": ("{where}中检索到 1 条{topic}相关记录", "{where} hold 1 entry{topic}"),
    "logs.topic": ("{topic}", ' on "{topic}"'),
    "quoted": ("{lead}：{said}。", "{lead}: {said}."),
    "survey.new": ("新出现 {level}", "newly shows {level}"),
    "survey.there": ("出现 {level}", "shows {level}"),
    "survey.elsewhere": ("同一时间窗内，其他服务 {where}", "In the same window another service {where}"),
    "survey.messages": ("{where} {told}。", "{where} {told}."),
    "survey.message": ("{lead}：{line}{told}", "{lead}: {line}{told}"),
    "survey.count": ("，检索到 {n} 条", ", {n} entries"),
    "survey.one": ("，检索到 {n} 条", ", {n} entry"),
    "survey.first": ("，首次 {time}", ", first at {time}"),
    "survey.change": ("{time} {where} 有变更记录：{line}。", "{time} {where} records a change: {line}."),
    # what was looked for
    "kind.alert": ("告警", "alert"),
    "kind.log": ("日志", "log entry"),
    "kind.metric": ("指标", "metric"),
    "kind.knowledge": ("知识条目", "knowledge entry"),
    "sought": ("{topic}{kind}", "{topic} {kind}"),
    "sought.of": ("{service}的{topic}{kind}", "{topic} {kind} of {service}"),
    "absent": ("在查询窗口内未检索到{sought}。", "No {sought} found in the queried window."),
    "gap.failed": ("{tool} 调用失败，未能取得{sought}。", "The call of {tool} failed; no {sought} was read."),
    "gap.knowledge": ("知识库中未检索到相关条目。", "No matching entry found in the knowledge base."),
    "gap.unquotable": (
        "返回结果中没有可引用的{sought}，结果可能不完整。",
        "The answer holds no {sought} to quote; it may be incomplete.",
    ),
    "gap.never_asked": ("没有调用 {tool}，缺少它的证据。", "{tool} was not called; its evidence is missing."),
    "gap.nothing": ("未取得可以引用的证据。", "There is no evidence to quote."),
    "again.metrics": ("核对名称后再次查询{sought}。", "Check the name and query again for any {sought}."),
    "again.logs": ("在更长的时间窗口内查询{sought}。", "Query a longer window for any {sought}."),
    "again.reason": ("当前查询没有取得相关证据。", "The query yielded no such evidence."),
    # queries
    "query.to_do": ("怎么处理", "how to fix"),
    # the plan
    "plan.skill": (
        "名称与说明和问题的关键词重合最多。",
        "Its name and description share most words with the question.",
    ),
    "plan.no_skill": ("没有与问题关键词重合的 skill。", "No skill shares words with the question."),
    "plan.reasoning": (
        "按问题中的名称与关键词确定查询范围。",
        "The names and words of the question tell where to look.",
    ),
    "plan.narrow": ("问题限定了范围，只查所问。", "The question is narrow: only what it asks is looked up."),
    "plan.services": ("相关服务", "the services concerned"),
    "plan.subject": ("问题涉及的主题", "the subject of the question"),
    "plan.read_skill": ("用 read_skill 读取 {skill}", "Read {skill} with read_skill"),
    "plan.metrics": ("用 query_metrics 查询{of}的{topic}告警", "Query {topic} alerts of {of} with query_metrics"),
    "plan.survey": (
        "用 survey_logs 概览全部服务的日志，找出新出现的消息和之前的变更",
        "Survey the logs of all services with survey_logs for new messages and the changes before them",
    ),
    "plan.logs": ("用 query_logs 检索{of}的{topic}日志", "Search {topic} logs of {of} with query_logs"),
    "plan.knowledge": ("用 lookup_knowledge 检索{topic}", "Look up {topic} with lookup_knowledge"),
    # the verifier's words on a fact
    "fact.direct_evidence": (
        "断言中的数值与名称全部出现在已核对的原文中。",
        "All values and names of the claim stand in the checked text.",
    ),
    "fact.indirect_support": (
        "断言中的数值与名称只有一部分出现在原文中，或结论没有写明。",
        "Only some values and names of the claim stand in the checked text, or it does not state the conclusion.",
    ),
    "fact.no_evidence": (
        "已核对的原文与断言无关，或没有通过核对的引用。",
        "The checked text does not bear on the claim, or no quotation of it passed.",
    ),
    "fact.contradicted": (
        "已核对的原文给出了不同的值或状态。",
        "The checked text gives another value or state.",
    ),
    "fact.ref": ("断言所绑定的调用", "the call that the claim cites"),
    "rationale.none": ("没有可以核验的关键事实。", "There is no critical fact to verify."),
    "rationale": (
        "{n} 个关键事实：直接证据 {direct}，间接支持 {indirect}，缺少证据 {none}，矛盾 {contradicted}。",
        "{n} critical facts: direct evidence {direct}, indirect support {indirect}, no evidence {none},"
        " contradicted {contradicted}.",
    ),
}


def text(key: str, language: Language, **values: object) -> str:
    """The sentence of a key with its values filled in. Raises KeyError for an unknown key or a missing value."""
    return filled(TEXTS[key], language, **values)
