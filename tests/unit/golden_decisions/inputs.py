"""Single claims over single outputs, made by hand: each shows the rules one thing to decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ALERT = {
    "labels": {"alertname": "FerryQueueHigh", "service": "seat-map", "pier": "7", "severity": "critical"},
    "annotations": {"current": "184", "description": "184 people wait, 91.5% of the pier"},
    "state": "firing",
    "activeAt": "2032-05-06T08:52:00Z",
    "duration": "22m",
}
METRICS = {"success": True, "query": "service=seat-map", "alerts": [ALERT], "total": 1, "truncated": False}
LINES = (
    "lock on deck B not released after 45s, ticket F-2207",
    "retrying payment 900719925474099312 for 1,250.50 CNY, attempt 3 of 5",
    "HikariPool-1 - Connection is not available, request timed out after 30000ms",
    "deck C 的闸门已关闭，未发现异常",
    "db.internal:5432 refused the connection: code=08006 host=10.2.0.17",
)
LEVELS = ("ERROR", "WARN", "ERROR", "INFO", "FATAL")
ENTRIES = tuple(
    {"timestamp": f"2032-05-06T09:1{number}:31Z", "level": level, "service": "seat-map", "message": line}
    for number, (level, line) in enumerate(zip(LEVELS, LINES, strict=True))
)
WINDOW = "2032-05-06T08:14:31Z/2032-05-06T09:14:31Z"
LOGS = {"success": True, "query": "service=seat-map", "window": WINDOW, "logs": ENTRIES, "total": 5, "truncated": False}
NO_LOGS = {**LOGS, "query": "level=ERROR, service=quay-gate", "logs": (), "total": 0}
BLOCK = {"content": "闸门卡死时先停靠泊程序，再手动复位闸门。", "source": "gates.md", "title": "闸门卡死"}
KNOWLEDGE = {"success": True, "evidence_blocks": (BLOCK,), "topic_domain": "gates", "retrieval_layer": "L0"}

ORDER = {"items": ({"order": "K-15", "state": "paid"},)}

FIRST_ALERT, FIRST_LOG, NO_LOG = "$.alerts[0]", "$.logs[0]", "$.logs"
ALERT_TEXT = "FerryQueueHigh firing, service=seat-map"
Kind = Literal["observation", "negative_observation", "root_cause", "impact", "symptom", "documentation", "risk"]


@dataclass(frozen=True, slots=True)
class Input:
    """What a tool said, and what is claimed of it with which quotation."""

    name: str
    tool: str
    output: Mapping[str, Any] | str
    claim: str
    path: str = FIRST_LOG
    excerpt: str = LINES[0]
    kind: Kind = "observation"
    coverage: Mapping[str, Any] | None = None


def of_metrics(name: str, claim: str, *, excerpt: str = ALERT_TEXT, path: str = FIRST_ALERT, **more: Any) -> Input:
    return Input(f"metrics: {name}", "query_metrics", METRICS, claim, path, excerpt, **more)


def of_logs(name: str, claim: str, place: int = 0, *, excerpt: str = "", **more: Any) -> Input:
    return Input(f"logs: {name}", "query_logs", LOGS, claim, f"$.logs[{place}]", excerpt or LINES[place], **more)


def of_absence(name: str, claim: str, output: Mapping[str, Any] = NO_LOGS, **more: Any) -> Input:
    said = {"path": NO_LOG, "excerpt": "total=0", "kind": "negative_observation"} | more
    return Input(f"absence: {name}", "query_logs", output, claim, **said)


def of_knowledge(name: str, claim: str, **more: Any) -> Input:
    said = {"path": "$.evidence_blocks[0]", "excerpt": "闸门卡死时先停靠泊程序", "kind": "documentation"} | more
    return Input(f"knowledge: {name}", "lookup_knowledge", KNOWLEDGE, claim, **said)


def doubtful(kind: str) -> Mapping[str, Any]:
    """The account of a search that found nothing and left one doubt."""
    doubts = ({"kind": kind, "count": 3, "example": "Mai  6 09:10:31 gate: stuck"},)
    return {"inputs": (), "doubts": doubts, "counts": {"inputs": 2, "entries": 90}, "complete": False}


COMPLETE = {"window": WINDOW, "counts": {"inputs": 2, "entries": 90}, "complete": True}

INPUTS: Sequence[Input] = (
    of_metrics("the alert as it stands", "seat-map 的 7 号码头排队 184 人，已持续 22 分钟。"),
    of_metrics("a share as a percentage", "7 号码头占用率为 91.5%。"),
    of_metrics("a share as a fraction", "7 号码头占用率约为 0.915。"),
    of_metrics("another number", "seat-map 的 7 号码头排队 148 人。"),
    of_metrics("a number that is rounded", "7 号码头占用率约 92%。"),
    of_metrics("a number with another unit", "FerryQueueHigh 已持续 22 小时。"),
    of_metrics("a duration in seconds", "FerryQueueHigh 已持续 1320 秒。"),
    of_metrics("a service that is not there", "tape-service 触发了 FerryQueueHigh 告警。"),
    of_metrics("an alert that is not there", "seat-map 触发了 QuayGateStuck 告警。"),
    of_metrics("a state it is not in", "FerryQueueHigh 告警已恢复。"),
    of_metrics("the opposite", "seat-map 没有触发 FerryQueueHigh 告警。"),
    of_metrics("a cause that nobody observed", "排队的根因是 FerryQueueHigh 告警。", kind="root_cause"),
    of_metrics("a place that is not there", "seat-map 排队 184 人。", path="$.alerts[4]"),
    of_metrics("a quotation that is not there", "seat-map 排队 184 人。", excerpt="FerryQueueHigh pending"),
    of_metrics("a start time", "FerryQueueHigh 自 2032-05-06T08:52:00Z 起触发。"),
    of_metrics("a start time in another zone", "FerryQueueHigh 自 2032-05-06 16:52（北京时间）起触发。"),
    of_metrics("documentation of what is now", "seat-map 排队 184 人。", kind="documentation"),
    of_logs("a line as it stands", "deck B 的锁超过 45 秒未释放。"),
    of_logs("a line in English", "The lock on deck B was not released after 45 seconds."),
    of_logs("a part of a line", "锁未释放。", excerpt="lock on deck B not released"),
    of_logs("an ellipsis", "锁未释放，工单 F-2207。", excerpt="lock on deck B … ticket F-2207"),
    of_logs("an ellipsis over a negation", "锁已释放。", excerpt="lock on deck B … released after 45s"),
    of_logs("another ticket", "锁未释放，工单 F-2270。"),
    of_logs("the words in another order", "锁未释放。", excerpt="ticket F-2207, lock on deck B not released"),
    of_logs("the negation left out", "deck B 的锁在 45 秒后释放。", excerpt="lock on deck B released after 45s"),
    of_logs("a long integer", "支付 900719925474099312 正在重试。", 1),
    of_logs("a long integer, one digit off", "支付 900719925474099313 正在重试。", 1),
    of_logs("an amount written otherwise", "重试的支付金额为 1250.5 元。", 1),
    of_logs("an amount in words", "重试的支付金额为一千二百五十元五角。", 1),
    of_logs("an ordinal", "第 3 次重试支付失败。", 1),
    of_logs("a count that is no ordinal", "支付共重试 3 次。", 1),
    of_logs("a time in another unit", "连接池 30 秒内没有可用连接。", 2),
    of_logs("a time in the wrong unit", "连接池 30 毫秒内没有可用连接。", 2),
    of_logs("a cause", "排队的根因是连接池没有可用连接。", 2, kind="root_cause"),
    of_logs("a symptom", "请求在 30000ms 后超时。", 2, kind="symptom"),
    of_logs("a risk", "连接池可能继续耗尽。", 2, kind="risk"),
    of_logs("what the line denies", "deck C 出现异常。", 3),
    of_logs("what the line says in Chinese", "deck C 的闸门已关闭，未发现异常。", 3),
    of_logs("an address and a code", "db.internal:5432 拒绝连接（08006），主机 10.2.0.17。", 4),
    of_logs("another address", "主机 10.2.0.71 拒绝连接。", 4),
    of_logs("a level it does not have", "deck C 的闸门出现 ERROR 级别日志。", 3),
    of_logs("a measure to take in the claim", "应当重启 deck B 的锁服务。"),
    of_logs("two facts of one line", "deck B 的锁超过 45 秒未释放，工单为 F-2207，影响 300 名乘客。"),
    of_logs("full-width digits", "deck B 的锁超过 ４５ 秒未释放。"),
    of_absence("a search that found nothing", "该窗口内未检索到 quay-gate 的 ERROR 日志。"),
    of_absence("a search that is complete", "该窗口内未检索到 quay-gate 的 ERROR 日志。", coverage=COMPLETE),
    *(
        of_absence(f"a doubt of {kind}", "该窗口内未检索到 quay-gate 的 ERROR 日志。", coverage=doubtful(kind))
        for kind in ("time", "zone", "level", "service", "text", "input", "repeated_key", "pushed_down", "partial")
    ),
    of_absence("of another service", "该窗口内未检索到 tape-service 的 ERROR 日志。"),
    of_absence("of another level", "该窗口内未检索到 quay-gate 的 WARN 日志。"),
    of_absence("that rides on a fact", "quay-gate 正常，该窗口内未检索到 ERROR 日志。"),
    of_absence("of everything", "系统没有任何错误。"),
    of_absence("an output that was cut off", "未检索到 quay-gate 的 ERROR 日志。", NO_LOGS | {"truncated": True}),
    of_absence("an output with more pages", "未检索到 quay-gate 的 ERROR 日志。", NO_LOGS | {"links": {"next": "/2"}}),
    of_absence("a search that failed", "未检索到 quay-gate 的 ERROR 日志。", {"success": False, "error": "no route"}),
    of_absence("called an observation", "未检索到 quay-gate 的 ERROR 日志。", kind="observation"),
    of_knowledge("the document as it stands", "文档建议先停靠泊程序，再手动复位闸门。"),
    of_knowledge("a document as what is now", "闸门当前卡死。", kind="observation"),
    of_knowledge("a step that is not there", "文档建议先断电。"),
    Input("other: no JSON", "query_logs", "Traceback (most recent call last)", "日志服务异常。", excerpt="Traceback"),
    Input("other: nothing", "query_logs", "", "没有日志。", excerpt=""),
    Input("other: a list", "query_logs", '[{"message": "lock lost"}]', "锁丢失。", "$[0]", "lock lost"),
    Input("other: a key given twice", "query_logs", '{"logs": [{"level": "INFO", "level": "ERROR"}]}', "出现 ERROR。"),
    Input("other: an unknown tool", "query_order", ORDER, "订单 K-15 已付款。", "$.items[0]", "order=K-15, state=paid"),
)
