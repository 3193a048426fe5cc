"""Things that are searched for in logs and claims, a concept a row: its names in Chinese, in English, and as programs
write it. Data, to be read and corrected by people.

Every name of the three columns shows the thing where it stands. `asks` are names that ask for it and show too little
by themselves (waiting, JVM). `shapes` are expressions over the search form, for what no word tells (a status). `holds`
names the concepts that are cases of it: who searches for memory finds an OOM, not the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.language.shapes import FAILED_LOGIN, LOCK_WAIT, exit_shape, status_shape


@dataclass(frozen=True, slots=True)
class Concept:
    """One row. `zh` or `en` None: the language has no word of its own for it."""

    name: str
    zh: tuple[str, ...] | None
    en: tuple[str, ...] | None
    codes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that shows it."""
        return (*(self.zh or ()), *(self.en or ()), *self.codes)


def _row(
    name: str,
    zh: str | None,
    en: str | None,
    codes: str = "",
    *,
    asks: str = "",
    shapes: tuple[str, ...] = (),
    holds: str = "",
) -> Concept:
    def listed(text: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text.split("|")) if text else ()

    return Concept(
        name,
        None if zh is None else listed(zh),
        None if en is None else listed(en),
        listed(codes),
        listed(asks),
        shapes,
        tuple(holds.split()),
    )


THINGS: tuple[Concept, ...] = (
    _row(
        "connection_pool",
        "连接池|数据库连接池|连接不可用|无可用连接",
        "connection pool|pool exhausted|Connection is not available",
        "HikariCP|HikariPool|Hikari|DruidDataSource|c3p0",
        asks="连接池耗尽|active=50/50|waiting|request timed out after 30000ms",
    ),
    _row("thread_pool", "线程池", "thread pool", "ThreadPoolExecutor|RejectedExecutionException"),
    _row(
        "database",
        "数据库",
        "database|DB",
        "MySQL|PostgreSQL|MariaDB",
        asks="SQL",
        holds="slow_query deadlock lock_wait duplicate_key replication_lag",
    ),
    _row(
        "memory",
        "内存|堆内存",
        "memory",
        asks="heap|HighMemoryUsage|JVM|内存使用率",
        shapes=(r"(?<![a-z])heap",),
        holds="oom memory_leak gc",
    ),
    _row("gc", "垃圾回收", "GC|garbage collection", "G1GC|ParNew", holds="full_gc"),
    _row("full_gc", "全量垃圾回收", "Full GC|full garbage collection", "Pause Full"),
    _row("cpu", "处理器|CPU 使用率", "CPU|load average", asks="HighCPUUsage"),
    _row("disk", "磁盘|硬盘", "disk", holds="disk_full io_error"),
    _row("network", "网络", "network", holds="unreachable dns"),
    _row("cache", "缓存", "cache", "Redis|Memcached"),
    _row("message_queue", "消息队列", "MQ|message queue", "Kafka|RabbitMQ|RocketMQ", holds="consumer_lag"),
    _row("certificate", "证书", "certificate", "x509", holds="certificate_expired"),
    _row("root_cause", "根因|根本原因", "root cause"),
)  # fmt: skip
"""What a service has or uses: no news by itself."""
MERE = frozenset(
    ("database", "memory", "cpu", "disk", "network", "cache", "message_queue", "certificate", "thread_pool")
)
"""Of the things: those that things happen to. A word for one tells nothing of what happened."""

EVENTS: tuple[Concept, ...] = (
    _row(
        "oom",
        "内存溢出|内存耗尽|内存不足",
        "out of memory|cannot allocate memory|OOM kill|OOM killer",
        "OOM|OOMKilled|OutOfMemory|OutOfMemoryError|OutOfMemoryException|ENOMEM|bad_alloc|MemoryError",
        shapes=(exit_shape(137),),
    ),
    _row("memory_leak", "内存泄漏|内存泄露", "memory leak"),
    _row(
        "slow_response",
        "慢请求|慢响应|响应慢|响应时间过长|响应缓慢",
        "slow response|slow request",
        "SlowResponse|SlowRequest",
    ),
    _row("latency", "延迟|时延|响应时间", "latency", "P99|P95"),
    _row("slow_query", "慢查询|慢 SQL", "slow query|slow SQL", "Query_time"),
    _row("timeout", "超时", "timeout|time out|timed out|deadline exceeded", "ETIMEDOUT"),
    _row("deadlock", "死锁", "deadlock", "40P01|ORA-00060"),
    _row(
        "lock_wait",
        "锁等待|锁超时|等待锁",
        "lock wait|lock timeout|could not obtain lock",
        "55P03|ORA-00054",
        shapes=(LOCK_WAIT,),
    ),
    _row("duplicate_key", "主键冲突|唯一键冲突", "duplicate key|duplicate entry", "23505|ORA-00001|ER_DUP_ENTRY"),
    _row("replication_lag", "主从延迟|复制延迟", "replication lag|replica lag", "Seconds_Behind_Master"),
    _row("connection_refused", "连接被拒绝|连接拒绝|拒绝连接", "connection refused", "ECONNREFUSED"),
    _row("connection_reset", "连接重置|连接被重置|管道破裂", "connection reset|reset by peer|broken pipe",
         "ECONNRESET|EPIPE"),
    _row(
        "connection_failed",
        "连接失败|无法连接|连接异常",
        "connection failed|connection failure|failed to connect|cannot connect|could not connect|unable to connect"
        "|connection error",
        holds="connection_refused connection_reset unreachable",
    ),
    _row(
        "too_many_connections",
        "连接数过多|连接数超限|连接数已满|连接过多",
        "too many connections|too many clients|remaining connection slots",
        "ER_CON_COUNT_ERROR|53300",
    ),
    _row("unreachable", "网络不可达|主机不可达", "network is unreachable|host unreachable|no route to host",
         "EHOSTUNREACH|ENETUNREACH"),
    _row(
        "dns",
        "域名解析|DNS 解析失败",
        "DNS|name resolution|no such host|could not resolve host|name or service not known",
        "NXDOMAIN|SERVFAIL|EAI_AGAIN|ENOTFOUND|UnknownHostException",
    ),
    _row(
        "disk_full",
        "磁盘满|磁盘已满|磁盘写满|磁盘空间不足|空间不足",
        "disk full|no space left|insufficient disk space|out of disk space|disk is full",
        "ENOSPC",
    ),
    _row("io_error", "读写错误|输入输出错误|I/O 错误", "I/O error|input/output error", "EIO"),
    _row("corruption", "数据损坏|文件损坏", "corruption|corrupted|checksum mismatch"),
    _row(
        "certificate_expired",
        "证书过期|证书已过期|证书失效",
        "certificate expired|certificate has expired|expired certificate|certificate is expired",
        "CERT_HAS_EXPIRED|CertificateExpiredException",
    ),
    _row("tls_handshake", "握手失败|TLS 握手失败", "TLS handshake|SSL handshake", "SSLHandshakeException"),
    _row("restart", "重启|重新启动", "restart|reboot", holds="crash_loop"),
    _row(
        "crash_loop",
        "反复重启|循环崩溃|不断重启",
        "crash loop|back-off restarting",
        "CrashLoopBackOff",
        asks="一直重启|KubePodCrashLooping",
    ),
    _row("crash", "崩溃|宕机", "crash", holds="segfault panic"),
    _row("panic", "内核崩溃|内核恐慌", "kernel panic", asks="panic", shapes=(r"(?<![a-z])panic",)),
    _row(
        "segfault",
        "段错误|核心转储",
        "segfault|segmentation fault|core dump|core dumped",
        "SIGSEGV",
        shapes=(exit_shape(139),),
    ),
    _row("stack_overflow", "栈溢出", "stack overflow", "StackOverflowError"),
    _row("null_pointer", "空指针", "null pointer|nil pointer dereference", "NullPointerException|NPE"),
    _row("hung", "卡死|假死", "hung task|soft lockup|blocked for more than"),
    _row(
        "permission_denied",
        "权限不足|无权限|没有权限|权限被拒绝|拒绝访问",
        "permission denied|access denied|operation not permitted",
        "EACCES|EPERM",
    ),
    _row("open_files", "打开文件过多|打开的文件过多|文件句柄耗尽|句柄耗尽", "too many open files", "EMFILE|ENFILE"),
    _row(
        "authentication_failure",
        "登录失败|认证失败|鉴权失败|身份验证失败|密码错误",
        "authentication failure|authentication failed|authentication error|failed password|login failed|failed login"
        "|login failure|invalid credentials|bad password|incorrect password|auth failed",
        "28P01",
        asks="暴力破解|brute force",
        shapes=(FAILED_LOGIN,),
    ),
    _row(
        "rate_limit",
        "限流|限速",
        "rate limit|too many requests|throttled|throttling",
        shapes=(status_shape("429"),),
    ),
    _row("circuit_breaker", "熔断打开|熔断开启|触发熔断|已熔断|熔断中", "circuit breaker open|circuit breaker is open|"
         "circuit breaker opened|circuit open", "CallNotPermittedException", asks="熔断|熔断器|circuit breaker"),
    _row("unavailable", "服务不可用", "service unavailable", shapes=(status_shape("503"),)),
    _row("http_5xx", "服务端错误|服务器内部错误", "internal server error|bad gateway|gateway timeout", "5xx",
         shapes=(status_shape(r"5\d\d"),)),
    _row("http_4xx", "客户端错误", "client error", "4xx", shapes=(status_shape(r"4\d\d"),)),
    _row("consumer_lag", "消息积压|消息堆积|消费积压|消费延迟|积压", "consumer lag"),
    _row("health_check", "健康检查失败|探针失败", "health check failed|liveness probe failed|readiness probe failed"),
    _row("eviction", "驱逐", "evicted|eviction"),
    _row("image_pull", "镜像拉取失败|拉取镜像失败", "failed to pull image", "ImagePullBackOff|ErrImagePull"),
    _row("scheduling", "调度失败", "failed scheduling", "FailedScheduling"),
    _row("locked_out", "锁定|被锁", "locked out|account locked|account is locked"),
    _row("banned", "封禁|封锁|拉黑", "banned|blacklisted", shapes=(r"(?<![a-z])ban(?![a-z])",)),
    _row("upgraded", "升级", "upgraded", shapes=(r"(?<![a-z])upgrade(?![a-z])",)),
    _row("rejected", "被拒|拒绝|驳回", "rejected|refused|denied|declined", "TCP_DENIED"),
    _row("skipped", "跳过", "skipped"),
    _row("abandoned", "放弃", "abandoned|gave up|giving up"),
    _row("start_failure", "启动失败", "failed to start|start failed"),
)  # fmt: skip
"""What happens to it."""

MANNERS: tuple[Concept, ...] = (
    _row("failed", "失败", "failed|failure"),
    _row("slow", "慢", "slow"),
    _row("firing", "触发", "firing", asks="告警"),
)
"""How something is or went, and nothing by itself: two things are not one because both failed."""

ABOUT_LOGS = ("日志", "告警", "报错", "异常日志", "错误日志", "相关日志", "log", "logs")
"""What every query of logs is about, and therefore finds nothing."""
