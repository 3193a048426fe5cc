"""R24, sentence by sentence: what a quotation may change, and what it may not."""

from typing import Any

import pytest

from domain.contracts import MatchKind, Severity
from domain.quotation import match_quotation

EXACT, NORMALISED, ELIDED, RECORD = MatchKind.EXACT, MatchKind.NORMALISED, MatchKind.ELIDED, MatchKind.RECORD
NEAR_MISS, UNCHECKABLE, MISMATCH = MatchKind.NEAR_MISS, MatchKind.UNCHECKABLE, MatchKind.MISMATCH

HEAP = "HighMemoryUsage firing, service=order-service, current=91%, duration=15m; JVM heap usage 3.8GB/4GB"
POOL = "[ERROR][order-service] HikariPool-1 - Connection is not available, request timed out after 30000ms"
LEDGER = "2031-03-04 15:22:41 WARN 对账平台 渠道流水缺失 9 笔，差额 2,175.60 元，尚未触发自动冲正"
RACK = "巡检结果：2 号机柜没有告警；6 号机柜进风温度 34.8℃，风扇转速 7,600 转"
SOCKET = '{"ts":"06:54:00","svc":"hall-ws","open":176300,"dropped":2048,"draining":false}'
STATS = "[WARN][order-service] pool stats: active=50/50, idle=0, waiting=32"
SLOW = "# Query_time: 17.652  Lock_time: 0.000218  Rows_sent: 1  Rows_examined: 3921184  db: binplan"
TRACE = (
    "java.sql.SQLTransientConnectionException: pool stalled\n\tat com.acme.order.Repo.load(Repo.java:88)\n"
    "Caused by: java.net.SocketTimeoutException: connect timed out"
)


def row(kind: MatchKind, excerpt: str, item: str, name: str) -> Any:
    return pytest.param(excerpt, item, kind, id=name)


@pytest.mark.parametrize(
    ("excerpt", "item", "kind"),
    [
        row(EXACT, HEAP, HEAP, "whole item"),
        row(EXACT, "JVM heap usage 3.8GB/4GB", HEAP, "run of whole tokens"),
        row(EXACT, "差额 2,175.60 元", LEDGER, "run of whole tokens, Chinese"),
        row(EXACT, "request timed out after 30000ms", POOL, "negation in an earlier clause"),
        row(EXACT, "6 号机柜进风温度 34.8℃", RACK, "negation in an earlier clause, Chinese"),
        row(EXACT, "at com.acme.order.Repo.load(Repo.java:88)", TRACE, "line of a stack trace"),
        row(EXACT, "HighMemoryUsage", HEAP, "one long name"),
        row(EXACT, "loading...done in 4s", "step 3 loading...done in 4s", "literal dots of the source"),
        row(NORMALISED, "ＪＶＭ heap usage ３.８GB/4GB", HEAP, "NFKC"),
        row(NORMALISED, "JVM he\u200bap us\u00adage 3.8GB/4GB", HEAP, "zero-width characters"),
        row(NORMALISED, "「JVM heap usage 3.8GB/4GB」", HEAP, "quotes"),
        row(NORMALISED, "service=order‑service, current=91%", HEAP, "dashes"),
        row(NORMALISED, "JVM   heap\nusage\t3.8GB/4GB", HEAP, "white space"),
        row(NORMALISED, "rate is 91 % of 4 GB", "rate is 91% of 4GB", "white space before a unit"),
        row(NORMALISED, "- **JVM heap usage** `3.8GB/4GB`", HEAP, "Markdown wrapping"),
        row(NORMALISED, "> 9 笔，差额 2,175.60 元", LEDGER, "Markdown block quote before a number"),
        row(NORMALISED, "渠道流水缺失 9 笔,差额 2,175.60 元", LEDGER, "punctuation width"),
        row(NORMALISED, "6号机柜进风温度 34.8℃, 风扇转速 7,600 转", RACK, "blanks around Chinese"),
        row(NORMALISED, r"pool stalled\n\tat com.acme.order.Repo.load", TRACE, "one JSON escape in the excerpt"),
        row(NORMALISED, "pool stalled\n at com.acme", r"pool stalled\n at com.acme", "one JSON escape in the item"),
        row(NORMALISED, r"差额 2,175.60 \u5143", LEDGER, "JSON escape of a character"),
        row(EXACT, "3 个实例离线，请处理", "order-service：3 个实例离线，请处理", "behind a full-width colon"),
        row(
            NORMALISED, "order-service:3 个实例", "order-service：3 个实例离线", "full-width colon as a half-width one"
        ),
        row(NORMALISED, "CPU：91% 持续", "CPU: 91% 持续 15 分钟", "half-width colon as a full-width one"),
        row(ELIDED, "HighMemoryUsage firing, service=order-service ... JVM heap usage 3.8GB/4GB", HEAP, "ellipsis"),
        row(ELIDED, "渠道流水缺失……2,175.60 元，尚未触发", LEDGER, "ellipsis, Chinese"),
        row(RECORD, "duration=15m, service=order-service", HEAP, "fields in another order"),
        row(RECORD, "HighMemoryUsage firing, duration=15m", HEAP, "a subset of fields"),
        row(RECORD, '{"draining":false,"svc":"hall-ws"}', SOCKET, "fields of a JSON object"),
        row(RECORD, "draining=false, dropped=2048", SOCKET, "JSON fields written as key=value"),
        row(RECORD, "Rows_examined: 3921184, Query_time: 17.652", SLOW, "fields written as key: value"),
        row(RECORD, "pool stats: active=50/50, waiting=32", STATS, "fields behind a heading and a bracketed prefix"),
        row(RECORD, "排队=2，打印机=PQ-02", "打印队列过长 已恢复，打印机=PQ-02，排队=2", "fields, Chinese"),
        row(
            ELIDED,
            "the stall grew ... >68% for 42m",
            "the stall grew above >68% for 42m",
            "ellipsis before a comparison",
        ),
        row(RECORD, "积压=57 万条，服务=会员", "服务=会员，延迟=64 秒，积压=57 万条", "a field with its unit, Chinese"),
        row(
            RECORD,
            "alarm=lag >53%, svc=a",
            '{"svc":"a","alarm":"lag >53%"}',
            "a JSON text of several words as key=value",
        ),
        row(NORMALISED, "attempt 7  of \n 342 was sent", "attempt 7 of 342 was sent", "white space inside a fraction"),
        row(EXACT, "up=1", "job=fees up=1 scrape=3s", "a short but whole key=value field"),
    ],
)
def test_an_honest_quotation_passes(excerpt: str, item: str, kind: MatchKind) -> None:
    """R24: pass."""
    found = match_quotation(excerpt, item)
    assert (found.kind, found.severity) == (kind, Severity.NONE)
    assert found.matched_text == item


@pytest.mark.parametrize(
    ("excerpt", "item", "kind"),
    [
        row(NEAR_MISS, "账单归档任务已经完成 68%", "账单归档任务目前已经完成 68%", "uncritical word left out, Chinese"),
        row(NEAR_MISS, "request body buffered to file", "request body is safely buffered to file", "words left out"),
        row(NEAR_MISS, "the pool was stalled again", "the pool is stalled again", "function words differ"),
        row(NEAR_MISS, "流水的缺失 9 笔", "流水缺失 9 笔", "function characters differ"),
        row(NEAR_MISS, "handshake_failed for peer rim", "tls_handshake_failed for peer rim", "begins in a compound"),
        row(NEAR_MISS, "waiting for tls_handshake", "waiting for tls_handshake_lock", "ends in a compound"),
        row(NEAR_MISS, "order-service is slow", "legacy-order-service is slow", "begins in a name"),
        row(NEAR_MISS, "permitted for this user", "not permitted for this user", "negation before it"),
        row(NEAR_MISS, "检索到 order-service 日志", "未检索到 order-service 日志", "negation before it, Chinese"),
        row(
            NEAR_MISS,
            "able to serve reads",
            "yard-sync is not yet fully able to serve reads",
            "negation further before",
        ),
        row(NEAR_MISS, "connect to db-c2", "worker failed to connect to db-c2", "failed to"),
        row(NEAR_MISS, "内存异常和节点重启", "未发现 CPU、内存异常和节点重启", "negation of an enumeration"),
        row(NEAR_MISS, "pods ready for page-draw", "0/3 pods ready for page-draw", "zero before it"),
        row(
            NEAR_MISS,
            "pool of order-service ... is open again",
            "pool of order-service was never seen as is open again",
            "ellipsis swallows a negation",
        ),
        row(
            NEAR_MISS,
            "连接池检查…结果正常一切",
            "连接池检查未通过，昨日结果正常一切",
            "ellipsis swallows a negation, Chinese",
        ),
        row(NEAR_MISS, "a b c ... e f g ... i j k ... m n o", "a b c d e f g h i j k l m n o", "too many fragments"),
        row(NEAR_MISS, "a b c ... x y z", "a b c " + "word " * 61 + "x y z", "too wide a gap"),
        row(NEAR_MISS, "a b c ... y z", "a b c d e x y z", "fragment of two words"),
        row(
            NEAR_MISS, "disk is full, node rebooted", "disk is full, fan stopped at 3, node rebooted", "clause left out"
        ),
        row(NEAR_MISS, "磁盘已满，节点重启", "磁盘已满，风扇停转 3 次，节点重启", "clause left out, Chinese"),
        row(
            NEAR_MISS,
            "source=q total=3: mill-gate, quay-auth",
            "source=q total=3: mill-gate, tally-api, quay-auth",
            "a name of a summary's list left out",
        ),
        row(
            NEAR_MISS,
            "svc=a-b, heap is full, node rebooted",
            "svc=a-b, heap is full, fan stopped, node rebooted",
            "clause of a record's prose left out",
        ),
        row(NEAR_MISS, "pool exhausted", "pool exhausted=false", "polarity cut off"),
        row(NEAR_MISS, "replica db-c2 in sync", "replica db-c2 in sync: no, lag 64s", "polarity behind a colon"),
        row(NEAR_MISS, "HighMemoryUsage", "HighMemoryUsage resolved, node=nd-1", "state cut off"),
        row(NEAR_MISS, "打印队列过长的告警", "打印队列过长的告警已恢复", "state cut off, Chinese"),
        row(NEAR_MISS, "the pool is drained", "is the pool is drained? unclear", "a question"),
        row(NEAR_MISS, "91%, duration=15m", HEAP, "a value without its key"),
        row(NEAR_MISS, "no errors found on nd-1", "no, errors found on nd-1", "a comma beside a negation taken out"),
        row(NEAR_MISS, "主备同步完成状态", "主备同步完成状态：是", "yes cut off, Chinese"),
        row(UNCHECKABLE, "91%", HEAP, "under 8 characters"),
        row(UNCHECKABLE, "差额 2,1", "差额 2,1 起", "under 8 characters, Chinese"),
        row(UNCHECKABLE, "", HEAP, "nothing quoted"),
        row(UNCHECKABLE, "**...**", HEAP, "no words quoted"),
        row(NEAR_MISS, "rate 1289 req/s", "rate 1,289 req/s", "thousands without a comma"),
        row(
            NEAR_MISS,
            'http_requests_total{code="500",service="checkout"} 1289',
            'http_requests_total{service="checkout",code="500"} 1289',
            "labels in another order",
        ),
        row(NEAR_MISS, "SQLTransientConnectionException ... at com.acme.order.Repo.load", TRACE, "cut at an ellipsis"),
    ],
)
def test_a_weak_quotation_is_low_confid(excerpt: str, item: str, kind: MatchKind) -> None:
    """R24: near_miss and uncheckable."""
    found = match_quotation(excerpt, item)
    assert (found.kind, found.severity) == (kind, Severity.LOW_CONFID)
    assert found.matched_text is None
    assert found.reason


@pytest.mark.parametrize(
    ("excerpt", "item"),
    [
        pytest.param("差额 2,157.60 元", LEDGER, id="digits exchanged"),
        pytest.param("差额 -2,175.60 元", LEDGER, id="sign added"),
        pytest.param("差额 2,175.6 元", LEDGER, id="decimals cut"),
        pytest.param("差额 2,175.60 万元", LEDGER, id="multiplier added"),
        pytest.param("JVM heap usage 3.8MB/4GB", HEAP, id="unit changed"),
        pytest.param("JVM heap usage 3.8Gb/4GB", HEAP, id="case of a unit"),
        pytest.param("2031-03-04 15:22:41 ERROR 对账平台", LEDGER, id="level changed"),
        pytest.param("HighMemoryUsage resolved, service=order-service", HEAP, id="state changed"),
        pytest.param("[ERROR][order-service] HikariPool-1 - Connection is available", POOL, id="negation missing"),
        pytest.param("已触发自动冲正且完成", LEDGER, id="negation missing, Chinese"),
        pytest.param("request not timed out after 30000ms", POOL, id="negation added"),
        pytest.param("[ERROR][payment-service] HikariPool-1", POOL, id="name changed"),
        pytest.param("JVM hеap usage 3.8GB/4GB", HEAP, id="look-alike letter"),
        pytest.param("request at 06:40 for db", "request q-17 at 06:40 for db", id="name missing inside a clause"),
        pytest.param("节点重启完成", "节点 nd-41 重启完成", id="name missing inside a clause, Chinese"),
        pytest.param("request 12 served", "request 12 firing served", id="state missing inside a clause"),
        pytest.param("渠道水缺失 9 笔", LEDGER, id="content character missing"),
        pytest.param("disk is full, node rebooted", "disk is full, no fan on, node rebooted", id="negated clause"),
        pytest.param("request suddenly timed out after 30000ms", POOL, id="content word added"),
        pytest.param("渠道流水严重缺失 9 笔", LEDGER, id="content characters added"),
        pytest.param("200ms for the call", "took 4200ms for the call", id="number cut short at its head"),
        pytest.param("rate is 38 now", "rate is 3.8 now", id="point dropped"),
        pytest.param("request timed out after 30000", POOL, id="unit cut off"),
        pytest.param("积压消息 57", "积压消息 57 万条，实例在线", id="multiplier cut off"),
        pytest.param("持续时间已达 15", "持续时间已达 15 分钟", id="unit cut off, Chinese"),
        pytest.param("3 pods ready", "0/3 pods ready", id="fraction cut"),
        pytest.param("3 pods ready", "0 of 3 pods ready", id="fraction in words cut"),
        pytest.param("40% used on nd-1", ">40% used on nd-1", id="comparison cut"),
        pytest.param("二十次重启失败了", "一百二十次重启失败了", id="Chinese numeral cut"),
        pytest.param("size 102 blocks", "size 10² blocks", id="superscript"),
        pytest.param("step 1 completed", "step ① completed", id="circled digit"),
        pytest.param("took 31/2 hours", "took 3½ hours", id="vulgar fraction"),
        pytest.param("able to serve reads", "unable to serve reads", id="word cut"),
        pytest.param("timed out request after 30000ms", POOL, id="order differs"),
        pytest.param("差额 2,175.60 元，渠道流水缺失 9 笔", LEDGER, id="order of clauses differs"),
        pytest.param("HighMemoryUsage firing, node=nd-41", HEAP, id="stitched with another item"),
        pytest.param('{"dropped":2048,"draining":true}', SOCKET, id="flag of a record turned"),
        pytest.param("service=91%, current=order-service", HEAP, id="values of a record exchanged"),
        pytest.param("pod=a restarts=9", "pod=a restarts=1; pod=b restarts=9", id="two records mixed"),
        pytest.param('{"name":"a","n":9}', '[{"name":"a","n":1},{"name":"b","n":9}]', id="two JSON records mixed"),
        pytest.param("the stall grew ... >68% for 42m", "the stall grew above 68% for 42m", id="comparison added"),
        pytest.param("b-c (x6), total=3: a-d", "source=q total=3: a-d, b-c (x6), e-f", id="names of a list moved"),
        pytest.param("n=4, wait=64", "wait=64 s draining k=2 n=4", id="unit cut off a field"),
        pytest.param("积压=57，服务=会员", "服务=会员，积压=57 万条，延迟=64 秒", id="unit cut off a field, Chinese"),
        pytest.param("reason=policy, size=3", 'size=3 reason="policy, retry"', id="value of a record cut"),
        pytest.param("the service has run out of memory", POOL, id="nothing aligns"),
    ],
)
def test_a_false_quotation_is_rejected(excerpt: str, item: str) -> None:
    """R24: mismatch."""
    found = match_quotation(excerpt, item)
    assert (found.kind, found.severity) == (MISMATCH, Severity.REJECT)
    assert found.matched_text is None


def test_case_folding_passes_with_a_flag() -> None:
    """R24: case folding with a flag."""
    found = match_quotation("highmemoryusage FIRING", HEAP)
    assert (found.kind, found.case_folded) == (NORMALISED, True)


def test_an_equal_case_carries_no_flag() -> None:
    """R24: case folding with a flag."""
    assert not match_quotation("HighMemoryUsage firing", HEAP).case_folded


def test_a_mismatch_shows_the_nearest_text_and_the_first_difference() -> None:
    """R24: for a failure the nearest text and the first difference."""
    found = match_quotation("差额 2,157.60 元，尚未触发", LEDGER)
    assert found.nearest_text == "差额 2,175.60 元,尚未触发"
    assert found.first_difference == "quoted: 2,157.60, held: 2,175.60"


def test_a_near_miss_shows_what_was_cut_off() -> None:
    """R24: for a failure the nearest text and the first difference."""
    found = match_quotation("permitted for this user", "deleting is not permitted for this user")
    assert found.nearest_text == "deleting is not permitted for this user"
    assert found.first_difference == "not"


def test_a_large_item_is_shown_as_a_window_around_the_match() -> None:
    """R24: matched_text is the whole item, or a window centred on the match."""
    item = "filler line of the log\n" * 5_000 + "order-service heap at 91%\n" + "filler line of the log\n" * 5_000
    found = match_quotation("order-service heap at 91%", item)
    assert found.matched_text is not None
    assert len(found.matched_text) == 2_000
    assert found.matched_text.index("order-service heap at 91%") in range(900, 1_100)


def test_a_window_is_centred_although_normalisation_changes_lengths() -> None:
    """R24: matched_text is a window centred on the match."""
    item = "内存㎳…日志，" * 3_000 + "order-service 堆内存 91%，" + "磁盘㎳…日志，" * 3_000
    found = match_quotation("order-service 堆内存 91%", item)
    assert found.matched_text is not None
    assert found.matched_text.index("order-service 堆内存 91%") in range(900, 1_100)


def test_a_quotation_of_a_megabyte_is_decided() -> None:
    """R24: a large item neither hangs nor hides a changed digit."""
    words = [f"row{n} took {n}ms" for n in range(60_000)]
    item = "; ".join(words)
    assert match_quotation("; ".join(words[100:50_000]), item).kind is EXACT
    words[30_000] = "row30000 took 30001ms"
    assert match_quotation("; ".join(words[100:50_000]), item).kind is MISMATCH


@pytest.mark.parametrize(
    "excerpt",
    [
        "\u202eKafkaLagHigh firing, value=91%",
        "KafkaLagHigh \u2066firing\u2069, value=91%",
        "KafkaLagHigh firing\u202c, value=91%",
        "KafkaLagHigh f\u0336i\u0336r\u0336i\u0336n\u0336g\u0336, value=91%",
        "KafkaLagHigh firing, value=91%\u0338",
        "KafkaLagHigh firing, value=91%, 未\u20e0恢复",
        "KafkaLagHigh ~~firing~~, value=91%",
        "value=91%, 未恢复, p99 <\u0338 200ms",
    ],
)
def test_characters_that_change_how_a_text_reads_are_no_slip_of_form(excerpt: str) -> None:
    """R24: struck through, enclosed or set in another order, a quotation says something else."""
    item = "KafkaLagHigh firing, value=91%, 未恢复, p99 < 200ms"
    assert match_quotation(excerpt, item).kind is MatchKind.MISMATCH
    assert match_quotation(excerpt, excerpt).kind is MatchKind.EXACT


@pytest.mark.parametrize(
    ("excerpt", "item"),
    [
        ("user שלום logged in at once", "user \u202bשלום\u202c logged in at once"),
        ("user שלום logged in at once", "user \u2067שלום\u2069 logged in at once"),
        ("user שלום logged in at once", "user שלום\u200f logged in at once"),
        ("deadlock found in orders", "deadlock\x00 found in orders"),
        ("[31mERROR[0m deadlock found", "\x1b[31mERROR\x1b[0m deadlock found"),
        ("ERROR deadlock found", "[31mERROR[0m deadlock found"),
    ],
)
def test_marks_that_a_copy_loses_are_a_slip_of_form(excerpt: str, item: str) -> None:
    """R24: an honest copy lacks marks of direction, NUL, and the escape byte of a colour."""
    assert match_quotation(excerpt, item).kind is MatchKind.NORMALISED


@pytest.mark.parametrize(
    ("excerpt", "item"),
    [
        ("user olleh logged in at once", "user \u202eolleh\u202c logged in at once"),
        ("rate(http_errors_total) is 3", "rate(http_errors_total[5m]) is 3"),
    ],
)
def test_what_changes_a_text_is_no_slip_of_form(excerpt: str, item: str) -> None:
    """R24: an override turns the order; the range of a query is a value."""
    assert match_quotation(excerpt, item).kind is MatchKind.MISMATCH
