"""Questions about the containers of a node: thirty whose answer stands in its `pods/`, thirty about what is not there."""

# ruff: noqa: E501 - lines of logs are as long as they are

from __future__ import annotations

from tests.long.practical.pods_folder import NOW, Node, may, node_tree
from tests.long.practical.question import Folder, Question, absent
from tests.long.practical.tree import Tree

STACK = ("\tat c.e.order.Stock.find(Stock.java:41)", "\tat c.e.order.OrderService.place(OrderService.java:88)")
GOROUTINE = ("", "goroutine 41 [running]:", "main.split(...)", "\t/src/pay/split.go:33 +0x1d")
NIGHT = ("Traceback (most recent call last):", '  File "/app/report.py", line 12, in main', "KeyError: 'bucket'")


def _panic(node: Node) -> None:
    for line in ("panic: runtime error: index out of range [3] with length 3", *GOROUTINE):
        node.cri("checkout", may(13, 23, 2), line, stream="stderr")


def _two_errors(node: Node) -> None:
    node.python("cart", may(14, 7, 50), "ERROR", "price of item 17 is missing")
    node.python("cart", may(14, 8, 20), "ERROR", "price of item 19 is missing")


CHINESE = (
    Question(
        "order-service 最近一小时有没有 ERROR？",
        ("stock lookup failed",),
        lambda n: n.spring(
            may(14, 8, 12),
            "ERROR",
            "stock lookup failed for sku A-77",
            "java.lang.IllegalStateException: no row",
            *STACK,
        ),
    ),
    Question(
        "checkout 过去 30 分钟有没有超时？",
        ("context deadline exceeded",),
        lambda n: n.zap(may(14, 8, 11), "error", "authorise failed", error="context deadline exceeded"),
    ),
    Question(
        "payment-gateway 今天有没有报错？",
        ("acquirer refused",),
        lambda n: n.pino(
            may(14, 6, 10),
            50,
            "acquirer refused the connection",
            err={"type": "Error", "stack": "Error: refused\n    at x.js:1"},
        ),
    ),
    Question(
        "coredns 最近两小时有没有 i/o timeout？",
        ("10.1.0.9:40001", "i/o timeout"),
        lambda n: n.coredns(
            may(14, 7, 1),
            "ERROR",
            "plugin/errors: 2 db.example.net. A: read udp 10.1.0.9:40001->10.0.0.2:53: i/o timeout",
        ),
    ),
    Question(
        "cart 最近一小时返回过 500 吗？",
        ("500 Internal Server Error",),
        lambda n: n.uvicorn(may(14, 8, 1), "GET /cart/881", "500 Internal Server Error"),
    ),
    Question(
        "etcd 昨天有没有“apply request took too long”？",
        ("apply request took too long",),
        lambda n: n.etcd(may(13, 11, 8), "warn", "apply request took too long", took="812.4ms"),
    ),
    Question(
        "kube-proxy 今天有没有 error？",
        ("Failed to execute iptables-restore",),
        lambda n: n.klog("kube-proxy", may(14, 1, 40), "E", '"Failed to execute iptables-restore" err="exit status 4"'),
    ),
    Question(
        "postgres 最近 24 小时有没有死锁？",
        ("deadlock detected",),
        lambda n: n.postgres(may(13, 20, 9), "ERROR", "deadlock detected"),
    ),
    Question(
        "历史上 order-service 有没有出现过 OutOfMemoryError？",
        ("OutOfMemoryError",),
        lambda n: n.spring(
            may(11, 3, 3), "ERROR", "Handler dispatch failed: java.lang.OutOfMemoryError: Java heap space", *STACK
        ),
    ),
    Question(
        "nightly-report 昨晚失败了吗？",
        ("report failed",),
        lambda n: n.python("nightly-report", may(13, 22, 3), "ERROR", "report failed", *NIGHT),
    ),
    Question(
        "ingress-nginx 最近一小时有没有 503？",
        (" 503 ",),
        lambda n: n.ingress(may(14, 7, 44), "10.1.7.9", "GET /pay", 503),
    ),
    Question(
        "10.1.7.33 今天访问过 ingress-nginx 吗？",
        ("GET /cart/1 ", "10.1.7.33"),
        lambda n: n.ingress(may(14, 3, 20), "10.1.7.33", "GET /cart/1", 200),
    ),
    Question(
        "checkout 的 wait-for-db 容器昨天有没有 connection refused？",
        ("connection refused",),
        lambda n: n.cri(
            "checkout", may(13, 6, 1), "dial tcp 10.1.9.2:5432: connect: connection refused", container="wait-for-db"
        ),
    ),
    Question(
        "prometheus 本周有没有“compaction failed”？",
        ("compaction failed",),
        lambda n: n.prometheus(may(12, 15), "error", "compaction failed"),
    ),
    Question(
        "order-service-7d9f8b6c5-q8m4z 这个 Pod 最近三小时有没有 WARN？",
        ("HikariPool-1",),
        lambda n: n.spring(may(14, 6, 20), "WARN", "HikariPool-1 - Thread starvation or clock leap detected", pod=1),
    ),
)

ENGLISH = (
    Question(
        "Any errors of payment-gateway in the last 20 minutes?",
        ("signature of webhook is wrong",),
        lambda n: n.pino(may(14, 8, 22), 50, "signature of webhook is wrong"),
    ),
    Question(
        "Did order-service log a PSQLException since yesterday?",
        ("PSQLException",),
        lambda n: n.spring(
            may(13, 14, 5), "ERROR", "save failed", "org.postgresql.util.PSQLException: value too long", *STACK, pod=1
        ),
    ),
    Question(
        "Was there an E-4291 in checkout today?",
        ("E-4291",),
        lambda n: n.zap(may(14, 4, 4), "warn", "code E-4291 from the bank"),
    ),
    Question(
        'Did calico-node report "Felix is not live" in the last 6 hours?',
        ("Felix is not live",),
        lambda n: n.cri(
            "calico-node",
            may(14, 5, 5),
            f"{may(14, 5, 5):%Y-%m-%d %H:%M:%S}.331 [WARNING][81] health: Felix is not live",
        ),
    ),
    Question(
        'Has kube-apiserver ever logged "etcdserver: request timed out"?',
        ("etcdserver: request timed out",),
        lambda n: n.klog("kube-apiserver", may(11, 9, 9), "E", "status.go:71] etcdserver: request timed out"),
    ),
    Question(
        "Were there any 5xx of ingress-nginx between 06:00 and 07:00?",
        (" 504 ",),
        lambda n: n.ingress(may(14, 6, 31), "10.1.7.9", "GET /report", 504),
    ),
    Question(
        'Did the istio-proxy of checkout log "upstream_reset_before_response_started" today?',
        ("upstream_reset_before_response_started",),
        lambda n: n.envoy(
            may(14, 2, 45), "POST /pay", 503, "upstream_reset_before_response_started{connection_termination}"
        ),
    ),
    Question("Any panic in checkout in the last 12 hours?", ("index out of range [3]",), _panic),
    Question(
        "Did cart log a redis.exceptions.ConnectionError this morning?",
        ("redis.exceptions.ConnectionError",),
        lambda n: n.python(
            "cart", may(14, 7, 7), "ERROR", "redis.exceptions.ConnectionError: Error 111 connecting to redis:6379"
        ),
    ),
    Question("How many ERROR lines did cart write in the last 50 minutes?", ("2",), _two_errors),
    Question(
        "Has trace id 4bf92f3577b34da6a3ce929d0e0e4736 been logged in the last day?",
        ("4bf92f3577b34da6a3ce929d0e0e4736",),
        lambda n: n.zap(may(13, 17, 17), "info", "payment authorised", trace_id="4bf92f3577b34da6a3ce929d0e0e4736"),
    ),
    Question(
        "Did nightly-report log 'disk quota exceeded' on 12 May?",
        ("disk quota exceeded",),
        lambda n: n.python("nightly-report", may(12, 22, 2), "WARNING", "disk quota exceeded, retrying"),
    ),
    Question(
        "Any WARN of order-service between 02:00 and 03:00?",
        ("slow query",),
        lambda n: n.spring(may(14, 2, 33), "WARN", "slow query, 4100 ms"),
    ),
    Question(
        "Is there a 'schema mismatch' in checkout in the last two hours?",
        ("schema mismatch",),
        lambda n: n.zap(may(14, 7, 15), "error", "reply of bank: " + "<item>0</item>" * 2_300 + " schema mismatch"),
    ),
    Question(
        "Has etcd logged 'database space exceeded' in the last 3 days?",
        ("database space exceeded",),
        lambda n: n.etcd(may(12, 2, 2), "error", "mvcc: database space exceeded"),
    ),
)

ABSENT = absent(
    "order-service 昨天凌晨 1 点到 2 点有没有 ERROR？",
    "checkout 今天 3 点到 4 点有没有超时？",
    "payment-gateway 昨天有没有报错？",
    "coredns 最近 30 分钟有没有 i/o timeout？",
    "cart 最近 20 分钟返回过 500 吗？",
    "etcd 今天有没有“apply request took too long”？",
    "kube-proxy 最近一小时有没有 error？",
    "postgres 最近 3 小时有没有死锁？",
    "历史上 payment-gateway 有没有出现过 OutOfMemoryError？",
    "nightly-report 5 月 11 日有没有失败？",
    "ingress-nginx 最近 30 分钟有没有 503？",
    "10.1.7.34 今天访问过 ingress-nginx 吗？",
    "checkout 的 wait-for-db 容器今天有没有 connection refused？",
    "prometheus 今天有没有“compaction failed”？",
    "order-service-7d9f8b6c5-x2x7k 这个 Pod 最近三小时有没有 HikariPool 告警日志？",
    "Any errors of payment-gateway between 01:00 and 02:00 today?",
    "Did cart log a PSQLException since yesterday?",
    "Was there an E-4292 in checkout today?",
    'Did calico-node report "Felix is not live" in the last hour?',
    'Has kube-apiserver ever logged "x509: certificate has expired"?',
    "Were there any 5xx of ingress-nginx between 04:00 and 05:00?",
    'Did the istio-proxy of checkout log "no_healthy_upstream" today?',
    "Any panic in checkout in the last hour?",
    "Did payment-gateway log a redis.exceptions.ConnectionError this morning?",
    "How many ERROR lines did coredns write in the last 50 minutes?",
    "Has trace id 4bf92f3577b34da6a3ce929d0e0e4737 been logged in the last day?",
    "Did nightly-report log 'disk quota exceeded' on 11 May?",
    "Any WARN of order-service between 03:00 and 04:00?",
    "Is there a 'schema mismatch' in cart in the last two hours?",
    "Has prometheus logged 'database space exceeded' in the last 3 days?",
)


def _build() -> Tree:
    return node_tree(lambda node: [one.plant(node) for one in (*CHINESE, *ENGLISH) if one.plant] and None)


PODS = Folder("a Kubernetes node's pods/", NOW, "UTC", (*CHINESE, *ENGLISH, *ABSENT), _build)
