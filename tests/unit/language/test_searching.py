"""Things searched for: what shows the same thing, in either language, and what does not."""

from __future__ import annotations

import pytest

from domain.language.form import search_form
from domain.language.searching import (
    alternatives,
    concept_of,
    concepts_named_in,
    concepts_of,
    finder_of,
    manners_in,
)

ACCESS = '203.0.113.9 - - [01/May/2024:10:10:00 +0000] "GET /orders HTTP/1.1" {0} 512'


def finds(term: str, line: str) -> bool:
    return finder_of(term).stands_in(search_form(line))


@pytest.mark.parametrize(
    ("terms", "lines"),
    [
        (
            ("OOM", "OOMKilled", "OutOfMemoryError", "Out of memory", "内存溢出", "out-of-memory"),
            (
                "java.lang.OutOfMemoryError: Java heap space",
                "Last State: Terminated Reason: OOMKilled",
                "kernel: Out of memory: Killed process 4711",
                "killed by OOM-killer",
                "oom-kill:constraint=CONSTRAINT_MEMCG",
                "container exited with code 137",
                '{"exitCode":137}',
                "服务内存溢出",
                "std::bad_alloc",
            ),
        ),
        (
            ("timeout", "timed out", "deadline exceeded", "超时", "请求超时", "time-out"),
            (
                "context deadline exceeded",
                "Read timed out",
                "java.net.SocketTimeoutException",
                "connect ETIMEDOUT 10.0.0.1:443",
                "调用库存服务超时",
                "code = DeadlineExceeded",
            ),
        ),
        (("deadlock", "死锁", "Deadlocks"), ("Deadlock found when trying to get lock", "检测到死锁", "ORA-00060")),
        (
            ("连接池", "HikariCP", "HikariPool", "connection pool", "数据库连接池", "连接池耗尽"),
            (
                "HikariPool-1 - Connection is not available, request timed out after 30000ms",
                "HikariCP pool stats: active=50/50",
                "connection-pool exhausted",
                "数据库连接池已耗尽",
            ),
        ),
        (
            ("connection refused", "连接拒绝", "连接被拒绝", "ECONNREFUSED"),
            ("connect: connection refused", "Connection refused (Connection refused)", "connect ECONNREFUSED"),
        ),
        (
            ("disk full", "磁盘满", "No space left on device", "ENOSPC"),
            ("write /data/x: no space left on device", "磁盘空间不足", "ENOSPC: no space"),
        ),
        (("证书过期", "certificate expired"), ("x509: certificate has expired or is not yet valid", "证书已过期")),
        (
            ("DNS", "域名解析", "NXDOMAIN"),
            (
                "lookup db on 10.0.0.10:53: no such host",
                "Temporary failure in name resolution",
                "query failed: NXDOMAIN",
                "java.net.UnknownHostException: db",
            ),
        ),
        (("crash loop", "CrashLoopBackOff", "反复重启"), ("Back-off restarting failed container", "CrashLoopBackOff")),
        (
            ("segfault", "段错误", "core dumped"),
            ("java[9]: segfault at 0", "Segmentation fault (core dumped)", "signal SIGSEGV", "exit code 139"),
        ),
        (
            ("permission denied", "权限不足", "EACCES"),
            ("open /data: permission denied", "mkdir: Operation not permitted", "EACCES: /data"),
        ),
        (("too many open files", "EMFILE"), ("accept4: too many open files", "EMFILE")),
        (("too many connections", "连接数过多"), ("FATAL: sorry, too many clients already", "Too many connections")),
        (
            ("rate limit", "限流", "too many requests"),
            (ACCESS.format(429), "rate-limited", "Too Many Requests", "触发限流"),
        ),
        (
            ("authentication failures", "登录失败", "authentication failure"),
            ("Failed password for root from 203.0.113.9", "pam_unix: authentication failure;", "用户登录失败"),
        ),
        (("restart", "重启"), ("systemd: Scheduled restart job", "实例重启中", "CrashLoopBackOff", "rebooting")),
        (("Full GC", "全量垃圾回收"), ("Full GC 15 次", "Pause Full (G1 Compaction Pause) 1019M->702M(1024M)")),
        (("GC", "垃圾回收"), ("[GC (Allocation Failure)", "Full GC 15 次", "Pause Young (G1 GC)")),
        (("slow query", "慢查询", "慢 SQL"), ("# Query_time: 12.5", "慢SQL: select 1", "slow-query threshold")),
        (("lock wait", "锁等待"), ("Lock wait timeout exceeded", "锁等待 3s")),
        (("网络不可达", "no route to host"), ("connect: network is unreachable", "No route to host")),
        (("内存", "memory", "HighMemoryUsage"), ("内存使用率 91%", "Full GC", "OOMKilled", "JVM heap usage 3.8GB")),
        (("失败", "failed"), ("payment failed", "支付失败", "2 failures")),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_every_name_of_a_thing_finds_whatever_shows_it(terms: tuple[str, ...], lines: tuple[str, ...]) -> None:
    """R20, R68: 死锁 is deadlock, OOM is OOMKilled, exit 137 and "Out of memory"."""
    assert [(term, line) for term in terms for line in lines if not finds(term, line)] == []


@pytest.mark.parametrize(
    ("term", "line"),
    [
        ("OOM", "the room is full"),
        ("OOM", "exited with code 1370"),
        ("OOM", "memory usage 45%"),
        ("内存泄漏", "内存使用率 91%"),
        ("GC", "fgc=1 gcloud"),
        ("Full GC", "Pause Young (G1 GC)"),
        ("内存", "it is cheap"),
        ("崩溃", "a hispanic name"),
        ("PaymentTimeoutHandler", "Read timed out"),
        ("order_timeout", "Read timed out"),
        ("OutOfMemoryError", "memory usage 45%"),
        ("支付失败", "order failed"),
        ("慢查询", "slow start"),
        ("order-471", "order-4711 paid"),
        ("10.0.0.1", "from 10.0.0.12"),
        ("503", "order 15030"),
        ("2024-05-01", "20240501"),
        ("stock is low", "low stock, it is"),
        ("429 错误", "took 429 ms"),
        ("证书过期", "certificate renewed"),
        ("消息堆积", "heap dump"),
    ],
)
def test_a_thing_is_not_found_where_something_else_stands(term: str, line: str) -> None:
    """R20: names, numbers and identifiers are sought literally; a case is not its kind."""
    assert not finds(term, line)


@pytest.mark.parametrize(
    ("term", "line", "found"),
    [
        ("5xx", ACCESS.format(500), True),
        ("5xx", ACCESS.format(503), True),
        ("5xx", ACCESS.format(200).replace("512", "500"), False),
        ("5xx", ACCESS.format(404), False),
        ("4xx", ACCESS.format(404), True),
        ("4xx", ACCESS.format(500), False),
        ("HTTP 503", ACCESS.format(503), True),
        ("HTTP 503", ACCESS.format(502), False),
        ("503 错误", ACCESS.format(503), True),
        ("状态码 500", '{"status":500}', True),
        ("429 错误", ACCESS.format(429), True),
        ("5xx", '{"status":"502"}', True),
        ("5xx", '"http.response.status_code":503', True),
        ("5xx", "HTTP/1.1 503 Service Unavailable", True),
        ("5xx", "upstream returned 502", True),
        ("5xx", "返回码：500", True),
        ("5xx", "状态码 500", True),
        ("5xx", "GET /orders 500 12.3 ms - 20", True),
        ("5xx", "[GIN] 2024/05/01 - 10:00:00 | 500 |   1.2ms | 10.0.0.1 | GET /", True),
        ("5xx", "be/srv1 0/0/1/69/70 503 212 - - ---- 1/1/1/1/0 0/0", True),
        ("5xx", "Completed 500 Internal Server Error in 12ms", True),
        ("5xx", "took 500 ms", False),
        ("5xx", "order 512 shipped", False),
        ("5xx", "response 512 bytes", False),
        ("5xx", "returned 500 rows", False),
        ("5xx", "port=5432 retries=5", False),
        ("5xx", "code=5001", False),
        ("5xx", "code 500.5", False),
        ("5xx", "步骤 500 完成", False),
        ("5xx", "the API responded 503.", True),
        ("5xx", "returned 500 widgets", False),
        ("5xx", "received 502 from upstream", True),
        ("5xx", "received 502 messages from upstream", False),
    ],
)
def test_a_status_is_a_number_that_stands_as_one(term: str, line: str, found: bool) -> None:
    """R68: 5xx finds statuses of HTTP, not any number 500."""
    assert finds(term, line) is found


@pytest.mark.parametrize(
    "line",
    [
        *('{"status":507}', '{"status": 507, "bytes": 12}', '{"response_code": 507}', '{"http_status":"507"}'),
        *('{"statusCode":507}', '{"DownstreamStatus":507}', '{"OriginStatus":507}', '{"httpResponseCode":507}'),
        *('{"elb_status_code":"507"}', "status=507 bytes=12", "upstream_status=507", "sc-status=507 sc-bytes=200"),
        *("GET /x answered 507 after 12 ms", "upstream returned 507 for /x", "upstream responded with 507"),
        *("it returned 507, again", "returned a 507", "got 507 from billing", "received a 507.", "it returned 507."),
        *("request failed with status code 507 for /x", "status code of 507", "status was 507", "状态码为507"),
        *("Completed 507 in 12ms", "Completed 507 Insufficient Storage in 12ms", "507 INSUFFICIENT_STORAGE"),
        *("GET /x -> 507 (12ms)", "POST https://a.example/b => 507", "GET /x 507 12.3 ms - 20", "GET /x [507]"),
        *("The requested URL returned error: 507", "<status>507</status>", "POST /v2/quotes 507 upstream=tariff reset"),
        '10.1.1.1 - - [17/Mar/2026:02:00:07 +0000] "GET /x HTTP/2.0" 507 12 "-" "-" 7 "r@docker" "http://10.0.0.1" 2ms',
        '10.1.2.3:400 [17/Mar/2026:10:00:07.313] fe be/s1 0/0/1/12/14 507 512 - - ---- 12/12/1/1/0 0/0 "GET /x"',
        "fe be/<NOSRV> 0/-1/-1/-1/5 507 212 - - SC-- 1/1/0/0/0 0/0",
        "time:17/Mar/2026:10:00:07 +0800\thost:10.1.2.3\treq:GET /x HTTP/1.1\tstatus:507\tsize:12",
        "2026-03-17 06:21:56 10.9.0.4 GET /x a=b 443 - 10.9.8.2 Mozilla/5.0 http://a/b 507 0 0 12",
        "app/shop/50dc 198.51.100.3:2817 10.0.0.1:80 0.0 0.1 0.0 507 - 34 366",
        "1714557780.123 456 10.0.0.1 TCP_MISS/507 1234 GET http://a/ - HIER_DIRECT/b",
    ],
)
def test_a_status_is_found_however_it_is_written(line: str) -> None:
    """R68: in fields, in sentences, and at its place in the lines of servers and proxies."""
    assert finds("HTTP 507", line)


@pytest.mark.parametrize(
    "line",
    [
        *('"GET /x HTTP/1.1" 200 507 "-" "-"', '{"status": 200, "bytes": 507}', "status:200\tsize:507"),
        *(
            "HTTP GET /x done in 507 ms",
            "GET /x 507ms",
            "GET /x 200 507ms",
            "answered 200 after 507 ms",
            "status=507ms",
        ),
        *("port=507", "http_port=507", "http://host:507/", "id=507", "order 507 paid", "attempt 507", "v507", "1.507"),
        *("returned 507 rows", "got 507 of 512", "got 507/512 parts", "response 507 bytes", "answered 507 times"),
        *("completed 507 jobs", "completed 507 requests in 12ms", "Completed 200 OK in 507ms", "error in line 507"),
        *("status=5070", "status=1507", "code=507.5", "sc-win32-status=507", "sc-substatus=507", "2026/03/17 507 12"),
        'fe be/s1 0/0/1/507/14 200 507 - - ---- 12/12/1/1/0 0/507 "GET /x"',
        "2026-03-17 06:21:56 10.9.0.4 GET /x - 507 - 10.9.8.2 Mozilla/5.0 200 0 507 507",
        "app/shop/50dc 198.51.100.3:2817 10.0.0.1:80 0.0 0.1 0.0 200 200 507 366",
        "1714557780.123 507 10.0.0.1 TCP_MISS/200 507 CONNECT a:443 - HIER_DIRECT/b",
    ],
)
def test_another_number_is_no_status(line: str) -> None:
    """R68: sizes, durations, timers, ports, ids and counts."""
    assert not finds("HTTP 507", line)


@pytest.mark.parametrize(
    ("term", "line", "found"),
    [
        (
            "锁等待",
            "process 4400 still waiting for AccessExclusiveLock on relation 1 of database 2 after 1000 ms",
            True,
        ),
        ("lock wait", "process 12 still waiting for ShareLock on transaction 7", True),
        ("lock wait", "State: Waiting for table metadata lock", True),
        ("lock wait", "waiting for a lock", True),
        ("lock wait", "still waiting for block 7 of the file", False),
        ("lock wait", "waiting for clock sync", False),
        ("lock wait", "acquired AccessExclusiveLock after waiting", False),
        ("登录失败", 'type=USER_LOGIN msg=audit(1.2:3): op=login acct="a" exe="/usr/sbin/sshd" res=failed', True),
        ("登录失败", 'op=login acct="a" res=failed\' type=USER_LOGIN id=3', True),
        ("login failed", "type=USER_AUTH msg=audit(1.2:3): op=PAM:authentication res=failed'", True),
        ("login failed", 'type=ANOM_LOGIN_FAILURES msg=audit(1.2:3): pid=2 acct="a"', True),
        ("登录失败", "type=USER_LOGIN msg=audit(1.2:3): op=login res=success", False),
        ("登录失败", "type=SERVICE_START msg=audit(1.2:3): unit=a res=failed", False),
        ("登录失败", "type=USER_LOGIN res=success\ntype=SERVICE_START res=failed", False),
    ],
)
def test_what_databases_and_auditd_write_in_their_own_words(term: str, line: str, found: bool) -> None:
    """R20, R68"""
    assert finds(term, line) is found


@pytest.mark.parametrize(
    ("term", "name"),
    [
        ("OOM", "oom"),
        ("数据库连接池耗尽", "connection_pool"),
        ("磁盘空间不足", "disk_full"),
        ("authentication failures", "authentication_failure"),
        ("5xx", "http_5xx"),
        ("HighMemoryUsage", "memory"),
        ("失败", "failed"),
        ("order-service", None),
        ("4711", None),
        ("", None),
        ("PaymentTimeoutHandler", None),
        ("支付失败", None),
    ],
)
def test_the_concept_of_a_term(term: str, name: str | None) -> None:
    """R70: a term is understood by its longest name, or by none."""
    concept = concept_of(term)
    assert (concept.name if concept else None) == name


def test_several_concepts_of_one_term() -> None:
    """R16: who excludes 数据库慢查询 excludes both; a leak is not memory."""
    assert {concept.name for concept in concepts_of("数据库慢查询")} == {"database", "slow_query"}
    assert [concept.name for concept in concepts_of("内存泄漏")] == ["memory_leak"]


def test_alternatives_begin_with_the_term_and_repeat_none() -> None:
    """R68: what was sought is said in the user's words first."""
    assert alternatives("OOMKilled")[0] == "OOMKilled"
    assert {"OOM", "OutOfMemoryError", "out of memory", "内存溢出"} <= set(alternatives("OOMKilled"))
    assert alternatives("超时") == ("超时", "timeout", "time out", "timed out", "deadline exceeded", "ETIMEDOUT")
    assert alternatives("order-4711") == ("order-4711",)


def test_what_only_asks_for_a_thing_does_not_name_it() -> None:
    """R20: a claim that says `waiting` speaks of no connection pool, though a query for it finds one."""
    assert [concept.name for concept in concepts_of("waiting")] == ["connection_pool"]
    assert concepts_named_in("waiting for a lock") == ()
    assert [concept.name for concept in concepts_named_in("HikariPool-1 超时")] == ["connection_pool", "timeout"]
    assert [concept.name for concept in manners_in("支付失败，很慢")] == ["failed", "slow"]


def test_a_long_text_is_read_in_time_linear_in_it() -> None:
    """R72: whatever is sought in it."""
    text = "status " * 50_000 + "exit " * 50_000 + "get /" + "a" * 100_000
    assert not any(finder_of(term).stands_in(text) for term in ("5xx", "OOM", "超时", "connection pool", "GC"))
