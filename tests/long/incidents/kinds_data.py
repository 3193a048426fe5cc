"""Incidents of what is stored and sent: locks, slow statements, caches, messages, jobs."""

from __future__ import annotations

from tests.long.incidents.draw import Draw
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, trouble

SLOW_ASKED = {"zh": ("响应很慢", "大量超时", "延迟很高"), "en": ("so slow", "timing out", "slow")}


def migration(draw: Draw) -> Story:
    table = draw.pick("orders", "payments", "line_items", "customers")
    column = draw.pick("note_ext", "origin", "archived_at", "risk_score")
    statement = draw.pick(
        f"⟦statement: ALTER TABLE {table} ADD COLUMN {column} text NOT NULL DEFAULT ''⟧",
        f"⟦statement: CREATE INDEX {table}_{column}_idx ON {table} ({column})⟧",
    )
    waiting = "⟦canceling statement due to lock timeout⟧"
    told = draw.pick(
        f"⟦update of {table} aborted: lock wait exceeded⟧ id=%id%",
        f"⟦could not obtain lock on row in relation {table}⟧ tx=%req%",
        f"⟦query on {table} cancelled after waiting for AccessExclusiveLock⟧ trace=%req%",
    )
    return Story(
        "migration",
        (
            Happening("db", "INFO", statement, -draw.uniform(0.5, 3)),
            Happening("db", "ERROR", waiting, 0, 20, draw.randint(10, 40), True),
            Happening("mid", "ERROR", told, 0.1, 20, draw.randint(10, 40)),
            trouble(draw, "front", "mid", draw.pick("timeout", "status"), 0.4, 20, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "DbLockWaits",
                "db",
                "warning",
                "Sessions of {db} wait for locks",
                "{v} sessions of {db} wait for a lock",
                draw.randint(10, 90),
            ),
            AlertSketch(
                "LatencyHigh", "front", "critical", "{front} is slow", "p99 of {front} is {v} s", draw.randint(5, 30)
            ),
        ),
        ("psql -h {db} -c \"select pid, query from pg_stat_activity where wait_event_type = 'Lock'\"",),
        ("psql -h {db} -c 'select pg_cancel_backend(PID)'",),
        SLOW_ASKED,
    )


def statement(draw: Draw) -> Story:
    """An index is gone, and each statement reads the whole table; the record of it is long."""
    table, index = draw.pick("bookings", "events", "stock_moves"), draw.pick("tenant_idx", "created_idx", "sku_idx")
    seconds = draw.randint(4, 29)
    slow = (
        f"duration: {seconds}0%n%.221 ms  ⟦⟨statement: SELECT * FROM {table} t JOIN tenants n⟩ ON n.id = t.tenant_id "
        "LEFT JOIN audit a ON a.ref = t.id WHERE t.state IN ('OPEN', 'HELD', 'RETRY') "
        "AND t.created_at > now() - interval '90 days' ORDER BY t.created_at DESC LIMIT 500⟧"
    )
    dropped = f"⟦statement: DROP INDEX {table}_{index}⟧"
    told = draw.pick(
        f"⟦query {table}.findOpen exceeded {seconds - 2} s and was abandoned⟧ req=%req%",
        f"⟦slow repository call {table}.list: over budget of {seconds - 2}000 ms⟧ trace=%req%",
    )
    return Story(
        "statement",
        (
            Happening("db", "INFO", dropped, -draw.uniform(1, 9)),
            Happening("db", "INFO", slow, 0, 26, draw.randint(10, 40)),
            Happening("mid", "ERROR", told, 0.1, 26, draw.randint(10, 40)),
            trouble(draw, "front", "mid", "timeout", 0.4, 26, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "SlowQueries",
                "db",
                "warning",
                "{db} is slow",
                "{v} statements a minute of {db} take more than 1 s",
                draw.randint(20, 400),
            ),
            AlertSketch(
                "RequestLatencyP99",
                "front",
                "critical",
                "{front} is slow",
                "p99 of {front} is {v} s",
                draw.randint(5, 30),
            ),
        ),
        (f"psql -h {{db}} -c '\\d {table}'", "psql -h {db} -c 'select * from pg_stat_user_indexes'"),
        (f"psql -h {{db}} -c 'create index concurrently on {table} (created_at)'",),
        SLOW_ASKED,
    )


def stampede(draw: Draw) -> Story:
    flushed = draw.pick(
        f"⟦FLUSHALL executed by client id={draw.randint(900, 9_000)} addr={draw.ip()}:41022⟧",
        f"⟦DB 0: {draw.randint(100, 900)}000 keys evicted, maxmemory reached⟧",
    )
    misses = draw.pick(
        "⟦cache hit ratio fell to 2%⟧, loading %path% from the database",
        "⟦cache miss storm: coalescing disabled⟧ keys=%n%",
    )
    told = draw.pick(
        "⟦loader timed out after 4000 ms, serving nothing⟧ key=%id%",
        "⟦database read queue length above 400⟧, shed %n% reads",
    )
    return Story(
        "stampede",
        (
            Happening("cache", "WARN", flushed, -draw.uniform(0.3, 3)),
            Happening("mid", "WARN", misses, 0, 20, draw.randint(5, 20)),
            Happening("mid", "ERROR", told, 0.2, 22, draw.randint(10, 50)),
            trouble(draw, "front", "mid", "timeout", 0.5, 22, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "CacheHitRatioLow",
                "mid",
                "warning",
                "{mid} misses its cache",
                "Hit ratio of {mid} is {v}%",
                draw.randint(1, 9),
            ),
            AlertSketch(
                "LatencyHigh", "front", "critical", "{front} is slow", "p99 of {front} is {v} s", draw.randint(5, 30)
            ),
        ),
        ("redis-cli -h {cache} info stats", "redis-cli -h {cache} slowlog get 20"),
        ("redis-cli -h {cache} config set maxmemory 8gb",),
        SLOW_ASKED,
    )


def poison(draw: Draw) -> Story:
    """One message that nobody can read blocks a queue."""
    number, field = draw.randint(10_000, 99_999), draw.pick("amount", "vatId", "postcode")
    unread = draw.pick(
        f"⟦failed to deserialize message offset={number}: unexpected token in field {field}⟧, will retry",
        f"⟦poison message {number} redelivered⟧, delivery count %n%",
        f"⟦cannot parse event {number}: {field} is not a number⟧ retry=%n%",
    )
    sent = draw.pick(
        f"⟦published event {number} with schema version {draw.randint(8, 12)}⟧",
        f"⟦importing partner file batch-{draw.randint(100, 999)}.csv, first event {number}⟧",
    )
    stuck = draw.pick(
        "⟦consumer of queue work.in is stuck, unacked messages held⟧", "⟦queue work.in exceeded its length alarm⟧"
    )
    return Story(
        "poison",
        (
            Happening("back", "INFO", sent, -draw.uniform(0.5, 4)),
            Happening("mid", "ERROR", unread, 0, 28, draw.randint(20, 80)),
            Happening("queue", "WARN", stuck, 3, 24, 4),
            trouble(draw, "front", "mid", "timeout", 2, 28, draw.randint(8, 20)),
        ),
        (
            AlertSketch(
                "QueueDepthHigh",
                "queue",
                "critical",
                "Queue of {queue} grows",
                "Queue work.in of {queue} holds {v} messages",
                draw.randint(5_000, 90_000),
            ),
            AlertSketch(
                "ConsumerLagging", "mid", "warning", "{mid} lags", "{mid} is {v} s behind", draw.randint(100, 2_000)
            ),
        ),
        ("rabbitmqctl list_queues name messages messages_unacknowledged", "kubectl -n {ns} logs {pod_mid} --since=30m"),
        ("rabbitmqctl purge_queue work.in",),
        {"zh": ("消息积压", "处理停滞"), "en": ("stuck", "lagging behind")},
    )


def batch(draw: Draw) -> Story:
    """A nightly job of a third service takes the processor, and time-outs run up the chain."""
    job = draw.pick("reindex", "settlement", "nightly-report", "archive")
    begun = draw.pick(
        f"⟦job {job}-{draw.randint(100, 999)} started with {draw.randint(16, 64)} threads⟧",
        f"⟦scheduler: triggering {job}, last run took 0 s⟧",
    )
    starved = draw.pick(
        "⟦event loop blocked for 4100 ms⟧, pending %n%",
        "⟦cpu throttled in 97% of periods⟧, run queue %n%",
        "⟦GC overhead: 71% of the last minute in collection⟧ heap=%n%",
    )
    return Story(
        "batch",
        (
            Happening("back", "INFO", begun, -draw.uniform(0.5, 5)),
            Happening("back", "WARN", starved, 0, 25, draw.randint(6, 20)),
            trouble(draw, "mid", "back", "timeout", 0.2, 25, draw.randint(10, 40)),
            trouble(draw, "front", "mid", "status", 0.5, 25, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "CpuThrottlingHigh",
                "back",
                "warning",
                "{back} is throttled",
                "{back} is throttled in {v}% of its periods",
                draw.randint(50, 99),
            ),
            AlertSketch(
                "HighErrorRate", "front", "critical", "{front} errors", "{front} error ratio {v}%", draw.randint(5, 60)
            ),
        ),
        ("kubectl -n {ns} top pod -l app={pod_back_base}", "kubectl -n {ns} get cronjob"),
        ("kubectl -n {ns} patch cronjob " + job + ' -p \'{{"spec":{{"suspend":true}}}}\'',),
        SLOW_ASKED,
    )


KINDS = (
    Kind("migration", {"front": "app", "mid": "app", "db": "postgres"}, migration),
    Kind("statement", {"front": "app", "mid": "app", "db": "postgres"}, statement),
    Kind("stampede", {"front": "app", "mid": "app", "cache": "redis"}, stampede),
    Kind("poison", {"front": "app", "mid": "app", "back": "app", "queue": "rabbit"}, poison),
    Kind("batch", {"front": "app", "mid": "app", "back": "app"}, batch),
)
