"""Words of the trade: what a question can ask for, and how it narrows its scope. Data, no rules."""

from __future__ import annotations

METRIC_TERMS = ("CPU 使用率", "CPU使用率", "内存使用率", "磁盘使用率", "CPU", "内存", "磁盘", "P99", "QPS", "流量")
"""Topics that are measured; without further words they ask for metrics."""

LOG_TERMS = (
    "HikariCP",
    "HikariPool",
    "connection pool",
    "数据库连接池",
    "连接池耗尽",
    "连接池",
    "慢请求",
    "慢查询",
    "慢响应",
    "内存溢出",
    "内存泄漏",
    "消息积压",
    "连接超时",
    "请求超时",
    "超时",
    "timeout",
    "死锁",
    "deadlock",
    "连接失败",
    "连接拒绝",
    "connection refused",
    "Full GC",
    "OOM",
)
"""Topics that are written to logs, longer phrases before their parts."""

PRODUCTS = (
    *("MySQL", "PostgreSQL", "MongoDB", "Redis", "Kafka", "RabbitMQ", "RocketMQ", "Elasticsearch", "Nginx"),
    *("Kubernetes", "Prometheus", "PromQL", "GraphQL", "OpenTelemetry", "JVM", "Tomcat"),
)
"""Names written like an alert or a service that are topics all the same."""

METRIC_CUES = ("告警", "报警", "警报", "指标", "监控", "alert", "alarm", "metric")
LOG_CUES = ("日志", "报错", "堆栈", "log", "logs", "exception", "stack trace")
KNOWLEDGE_CUES = (
    "知识库",
    "手册",
    "文档",
    "预案",
    "规范",
    "如何",
    "怎么处理",
    "怎么排查",
    "怎么解决",
    "怎样",
    "含义",
    "什么意思",
    "是什么",
    "错误码",
    "runbook",
    "SOP",
    "how to",
    "what does",
    "meaning",
)
LIVE_CUES = ("当前", "现在", "目前", "刚才", "最近", "是否存在", "有没有", "currently", "right now")
DIAGNOSIS_CUES = (
    "排查",
    "诊断",
    "异常",
    "故障",
    "怎么了",
    "根因",
    "原因",
    "为什么",
    "diagnose",
    "what is wrong",
    "why",
)

NARROW_CUES = (
    "只确认",
    "只需确认",
    "仅确认",
    "只排查",
    "仅排查",
    "只看",
    "仅看",
    "只回答",
    "不要分析",
    "不要扩展",
    "是否真实存在",
    "是否存在",
    "是否有",
    "有没有",
    "only confirm",
    "only check",
)
EXCLUSION_CUES = (
    "不要分析",
    "不要扩展到",
    "不要扩展",
    "不要涉及",
    "不要提",
    "不要看",
    "不要查",
    "不分析",
    "不涉及",
    "不需要分析",
    "无需分析",
    "忽略",
    "do not analyze",
    "don't analyze",
    "ignore",
    "exclude",
)
SCOPE_RESUMES = ("只", "仅", "请", "但", "only", "please", "but")
"""Words that end an exclusion when they follow a comma."""

NO_NAMES = (
    *("api", "app", "http", "https", "jvm", "json", "sql", "url", "pod", "node", "host", "job", "service", "server"),
    *(
        "info",
        "debug",
        "trace",
        "fail",
        "failed",
        "down",
        "high",
        "low",
        "total",
        "count",
        "skill",
        "and",
        "the",
        "for",
    ),
)
"""English words that a Chinese question may hold without naming a service."""

ABSENCE_WORDS = ("未检索到", "没有检索到", "未找到", "没有找到", "未发现", "not found")
STATES = ("firing", "pending", "suppressed", "resolved", "inactive")
SEVERE = ("FATAL", "CRITICAL", "ERROR", "WARN", "WARNING")
"""Log levels worth reporting unasked, the worst first."""

CONCLUSIONS = ("根因", "导致", "引起", "造成", "由于", "因为", "因此", "泄漏", "耗尽", "已确认", "root cause", "caused")
"""Words that a quotation must hold itself: no overlap of names entails them."""
