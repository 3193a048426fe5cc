"""Questions about a Spring service: thirty whose answer stands in its folder, thirty about what is not there."""

# ruff: noqa: E501 - lines of logs are as long as they are

from __future__ import annotations

from tests.long.practical.question import Folder, Question, absent
from tests.long.practical.spring_folder import NOW, Service, may, service_tree
from tests.long.practical.tree import Tree

NPE = (
    'java.lang.NullPointerException: Cannot invoke "Item.price()" because "item" is null',
    "\tat c.e.inventory.Pricing.of(Pricing.java:57) ~[inventory.jar!/:1.9.2]",
    "\tat java.base/java.lang.Thread.run(Thread.java:840) ~[na:na]",
)
CAUSED = (
    "org.springframework.dao.DataAccessResourceFailureException: Unable to acquire JDBC Connection",
    "\tat org.springframework.orm.jpa.EntityManagerFactoryUtils.convert(EntityManagerFactoryUtils.java:411)",
    "Caused by: java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.",
    "\t... 87 common frames omitted",
)


def _three_requests(service: Service) -> None:
    for minute in (41, 52, 59):
        service.request(may(14, 15, minute), "10.20.0.123", "GET /stock/5", 200)


CHINESE = (
    Question(
        "最近一小时有没有 NullPointerException？",
        ("NullPointerException",),
        lambda s: s.log(may(14, 16, 2), "ERROR", "c.e.inventory.StockController", "request failed", *NPE),
    ),
    Question(
        "今天上午 9 点到 10 点有没有 ERROR 日志？",
        ("cannot read price list",),
        lambda s: s.log(may(14, 9, 31), "ERROR", "c.e.inventory.Pricing", "cannot read price list, file is locked"),
    ),
    Question(
        "昨天有没有出现连接池耗尽？",
        ("Unable to acquire JDBC Connection",),
        lambda s: s.log(may(13, 13, 40), "ERROR", "c.e.inventory.StockRepository", "query failed", *CAUSED),
    ),
    Question(
        "昨晚 22 点到 23 点接口返回过 500 吗？",
        (" 500 ",),
        lambda s: s.request(may(13, 22, 17), "10.20.0.7", "POST /reserve", 500),
    ),
    Question(
        "历史上有没有发生过 OutOfMemoryError？",
        ("OutOfMemoryError",),
        lambda s: s.log(
            may(9, 2, 1),
            "ERROR",
            "c.e.inventory.Import",
            "import failed",
            "java.lang.OutOfMemoryError: Java heap space",
        ),
    ),
    Question(
        "过去两小时有没有 Full GC？",
        ("Pause Full",),
        lambda s: s.gc(may(14, 15, 5), "Pause Full (G1 Compaction Pause) 1019M->702M(1024M) 2310.442ms"),
    ),
    Question(
        "10.20.0.99 今天访问过吗？",
        ("10.20.0.99",),
        lambda s: s.request(may(14, 7, 8), "10.20.0.99", "GET /stock/8", 200),
    ),
    Question(
        "今天有没有“Commit cannot be completed”的记录？",
        ("Commit cannot be completed",),
        lambda s: s.log(
            may(14, 11, 15),
            "WARN",
            "o.a.k.c.c.internals.ConsumerCoordinator",
            "Commit cannot be completed since the group has already rebalanced",
        ),
    ),
    Question(
        "最近三天有没有错误码 INV-3007？",
        ("INV-3007",),
        lambda s: s.log(may(12, 18, 44), "ERROR", "c.e.inventory.Supplier", "supplier answered INV-3007"),
    ),
    Question(
        "今天凌晨 3 点到 4 点 Tomcat 有没有 SEVERE？",
        ("Error deploying",),
        lambda s: s.tomcat(
            may(14, 3, 20),
            "SEVERE",
            "main",
            "org.apache.catalina.startup.HostConfig.deployWAR",
            "Error deploying web application archive",
        ),
    ),
    Question(
        "本周有没有“数据库主从切换”的日志？",
        ("数据库主从切换",),
        lambda s: s.log(may(12, 9, 9), "WARN", "c.e.inventory.DataSourceRouter", "数据库主从切换，当前主库 10.20.1.3"),
    ),
    Question(
        "最近 90 分钟有没有超时？",
        ("Read timed out",),
        lambda s: s.log(may(14, 15, 33), "ERROR", "c.e.inventory.Supplier", "I/O error on GET request: Read timed out"),
    ),
    Question(
        "订单 ORD20310513001 昨天有没有处理失败？",
        ("ORD20310513001",),
        lambda s: s.log(may(13, 10, 10), "ERROR", "c.e.inventory.Reservation", "reservation of ORD20310513001 failed"),
    ),
    Question(
        "5 月 10 日有没有 JVM 崩溃（SIGSEGV）？",
        ("SIGSEGV",),
        lambda _: None,  # hs_err_pid2314.log
    ),
    Question(
        "今天有没有请求 /actuator/env？",
        ("/actuator/env",),
        lambda s: s.request(may(14, 12, 12), "10.20.0.44", "GET /actuator/env", 404),
    ),
)

ENGLISH = (
    Question(
        "Were there any errors in the last 15 minutes?",
        ("circuit breaker 'supplier' is open",),
        lambda s: s.log(may(14, 16, 21), "ERROR", "c.e.inventory.Supplier", "circuit breaker 'supplier' is open"),
    ),
    Question(
        "Has there been a LazyInitializationException since yesterday?",
        ("LazyInitializationException",),
        lambda s: s.log(
            may(13, 19, 50),
            "ERROR",
            "c.e.inventory.Api",
            "failed",
            "org.hibernate.LazyInitializationException: could not initialize proxy",
        ),
    ),
    Question(
        'Did the service ever log "Application run failed"?',
        ("Application run failed",),
        lambda s: s.log(may(8, 17, 2), "ERROR", "o.s.boot.SpringApplication", "Application run failed"),
    ),
    Question(
        "Any WARN between 5 and 6 am today?",
        ("disk is 91 % full",),
        lambda s: s.log(may(14, 5, 35), "WARN", "c.e.inventory.Import", "disk is 91 % full"),
    ),
    Question("How many requests came from 10.20.0.123 in the last hour?", ("10.20.0.123", "3 "), _three_requests),
    Question(
        "Were there any 503 responses this morning?",
        (" 503 ",),
        lambda s: s.request(may(14, 10, 50), "10.20.0.9", "GET /stock/77", 503),
    ),
    Question(
        "Is there a StackOverflowError in the logs of the last 2 days?",
        ("StackOverflowError",),
        lambda s: s.log(
            may(13, 2, 22), "ERROR", "c.e.inventory.Rules", "rule failed", "java.lang.StackOverflowError: null"
        ),
    ),
    Question(
        'Did "Offset commit failed" occur between 13:00 and 14:00?',
        ("Offset commit failed",),
        lambda s: s.log(
            may(14, 13, 13),
            "ERROR",
            "o.a.k.c.c.internals.ConsumerCoordinator",
            "Offset commit failed on partition stock-0",
        ),
    ),
    Question(
        "Has user svc-report been locked out this week?",
        ("svc-report",),
        lambda s: s.log(may(12, 8), "WARN", "c.e.inventory.Security", "user svc-report locked out after 5 attempts"),
    ),
    Question(
        "Did Tomcat log a SEVERE yesterday?",
        ("Servlet.service() for servlet [dispatcherServlet]",),
        lambda s: s.tomcat(
            may(13, 4, 4),
            "SEVERE",
            "http-nio-8080-exec-2",
            "o.a.c.core.StandardWrapperValve.invoke",
            "Servlet.service() for servlet [dispatcherServlet] threw exception",
        ),
    ),
    Question(
        "Any deadlock in the last 24 hours?",
        ("Deadlock found when trying to get lock",),
        lambda s: s.log(
            may(13, 23, 30),
            "ERROR",
            "c.e.inventory.StockRepository",
            "Deadlock found when trying to get lock; try restarting transaction",
        ),
    ),
    Question(
        "Has there been an evacuation failure (To-space exhausted) today?",
        ("WARN", "To-space exhausted"),
        lambda s: s.gc(may(14, 14, 2), "To-space exhausted", "warning"),
    ),
    Question(
        "Did 10.20.0.77 send a DELETE today?",
        ("10.20.0.77", "DELETE"),
        lambda s: s.request(may(14, 8, 3), "10.20.0.77", "DELETE /stock/4", 405),
    ),
    Question(
        "Has trace c0ffee12 been logged in the past 3 hours?",
        ("c0ffee12",),
        lambda s: s.log(may(14, 14, 44), "INFO", "c.e.inventory.StockController", "trace=c0ffee12 stock of 17 is 4"),
    ),
    Question(
        "Was there a FATAL or 'No space left on device' on 11 May?",
        ("No space left on device",),
        lambda s: s.log(
            may(11, 21, 5), "ERROR", "c.e.inventory.Import", "java.io.IOException: No space left on device"
        ),
    ),
)

ABSENT = absent(
    "最近一小时有没有 ClassCastException？",
    "今天上午 7 点到 8 点有没有 ERROR 日志？",
    "今天有没有出现连接池耗尽？",
    "昨晚 20 点到 21 点接口返回过 500 吗？",
    "最近一小时有没有发生 OutOfMemoryError？",
    "过去 30 分钟有没有 Full GC？",
    "10.20.0.98 今天访问过吗？",
    "今天有没有“Commit offset expired”的记录？",
    "最近三天有没有错误码 INV-3008？",
    "今天凌晨 1 点到 2 点 Tomcat 有没有 SEVERE？",
    "今天有没有“数据库主从切换”的日志？",
    "最近 30 分钟有没有超时？",
    "订单 ORD20310513002 昨天有没有处理失败？",
    "5 月 12 日有没有 JVM 崩溃（SIGSEGV）？",
    "今天有没有请求 /actuator/heapdump？",
    "Were there any errors between 06:00 and 07:00 today?",
    "Has there been a LazyInitializationException in the last 3 hours?",
    'Did the service ever log "Address already in use"?',
    "Any ERROR between 4 and 5 am today?",
    "How many requests came from 10.20.0.124 in the last hour?",
    "Were there any 502 responses this morning?",
    "Is there a StackOverflowError in the logs of the last 6 hours?",
    'Did "Offset commit failed" occur between 14:00 and 15:00?',
    "Has user svc-billing been locked out this week?",
    'Did Tomcat log "Error deploying web application" in the last hour?',
    "Any deadlock in the last 3 hours?",
    "Has there been an evacuation failure (To-space exhausted) in the last hour?",
    "Did 10.20.0.78 send a DELETE today?",
    "Has trace c0ffee13 been logged in the past 3 hours?",
    "Was there a 'No space left on device' on 12 May?",
)


def _build() -> Tree:
    return service_tree(lambda service: [one.plant(service) for one in (*CHINESE, *ENGLISH) if one.plant] and None)


SERVICE = Folder("the folder of a Spring service", NOW, "Asia/Shanghai", (*CHINESE, *ENGLISH, *ABSENT), _build)
