"""What the sessions under fault are asked: each takes a plan, tool calls, checks, a verdict and an answer."""

QUESTIONS = (
    "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。",
    "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。",
    "确认 order-service 是否存在 HikariCP 连接池耗尽。",
    "确认 inventory-service 是否存在 HikariCP 连接池耗尽。",
)
