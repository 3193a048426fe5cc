"""Incidents that somebody brought about: a release, a setting, a flag, a campaign, a password."""

from __future__ import annotations

from tests.long.incidents.draw import PEOPLE, Draw
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, trouble

ERRORS_ASKED = {"zh": ("大量报错", "大量 5xx", "请求失败很多"), "en": ("returning so many 5xx", "failing so often")}


def release(draw: Draw) -> Story:
    """A new version breaks on old data."""
    major = draw.randint(1, 6)
    old, version = f"{major}.{draw.randint(0, 30)}.{draw.randint(0, 9)}", f"{major}.{draw.randint(31, 48)}.0"
    before = -draw.uniform(1, 5)
    rolled = draw.pick(
        f"⟦starting {{mid}} version {version} (commit {draw.hex(7)})⟧",
        f"⟦deployed release {version} of {{mid}}, previous {old}⟧",
        f"⟦{{mid}} {version} started in {draw.uniform(3, 19):.2f} seconds⟧",
    )
    column = draw.pick("discount_cents", "tax_region", "shipping_class", "currency_code")
    broken, cause, tail = draw.pick(
        (f'⟦column "{column}" of relation does not exist⟧ request=%req%', False, ()),
        (f"⟦cannot decode field {column}: unknown enum value LEGACY⟧ id=%id%", False, ()),
        (
            f"⟦NullPointerException: cannot invoke String.length() on null field {column}⟧ order=%id%",
            False,
            ("\tat com.example.core.Mapper.read(Mapper.java:88)", "\tat com.example.core.Loader.load(Loader.java:41)"),
        ),
        (f"⟦request failed because schema v7 has no field {column}⟧ id=%id%", True, ()),
    )
    return Story(
        "release",
        (
            Happening("mid", "INFO", rolled, before),
            Happening("mid", "ERROR", broken, 0, 28, draw.randint(12, 40), cause, tail),
            trouble(draw, "front", "mid", "status", 0.3, 28, draw.randint(12, 40)),
        ),
        (
            AlertSketch(
                "HighErrorRate",
                "front",
                "critical",
                "Error rate of {front} is high",
                "{front} answers {v}% of requests with 5xx",
                draw.randint(6, 48),
            ),
            AlertSketch(
                "HandlerExceptionsHigh",
                "mid",
                "warning",
                "Exceptions in {mid}",
                "{mid} raised {v} exceptions a minute",
                draw.randint(20, 400),
            ),
        ),
        (
            "kubectl -n {ns} rollout history deployment/{pod_mid_base}",
            "kubectl -n {ns} logs deployment/{pod_mid_base} --since=30m | grep -c ERROR",
        ),
        ("kubectl -n {ns} rollout undo deployment/{pod_mid_base}",),
        ERRORS_ASKED,
    )


def pool(draw: Draw) -> Story:
    """A setting makes a connection pool too small."""
    size, wait = draw.randint(4, 12), draw.pick(3_000, 5_000, 20_000, 30_000)
    name = draw.pick("HikariPool-1", "HikariPool-2", "pgx pool", "db pool")
    change = draw.pick(
        f"⟦configuration reloaded: db.pool.max_size {size * 6} -> {size}⟧ by {draw.of(PEOPLE)}",
        f"⟦applied config revision {draw.randint(200, 900)}: datasource.maximum-pool-size={size}⟧",
        f"⟦settings from configmap {{mid}}-env changed: DB_POOL_MAX={size}⟧",
    )
    exhausted = draw.pick(
        f"⟦{name} - Connection is not available, request timed out after {wait}ms⟧ (total={size}, waiting=%n%)",
        f"⟦could not acquire connection from {name} within {wait} ms⟧: in use {size}, waiters %n%",
        f"⟦{name} exhausted: {size} of {size} connections busy⟧, %n% callers queued",
    )
    return Story(
        "pool",
        (
            Happening("mid", "INFO", change, -draw.uniform(2, 14)),
            Happening("mid", "ERROR", exhausted, 0, 26, draw.randint(10, 50)),
            trouble(draw, "front", "mid", draw.pick("timeout", "status"), 0.5, 26, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "RequestLatencyP99",
                "front",
                "critical",
                "{front} is slow",
                "p99 latency of {front} is {v} s",
                draw.randint(4, 30),
            ),
            AlertSketch(
                "DbPoolSaturated",
                "mid",
                "warning",
                "Connection pool of {mid} is full",
                "{mid} has {v} requests waiting for a connection",
                draw.randint(15, 90),
            ),
        ),
        (
            "kubectl -n {ns} get configmap {pod_mid_base}-env -o yaml",
            "psql -h {db} -c 'select count(*) from pg_stat_activity'",
        ),
        ("kubectl -n {ns} edit configmap {pod_mid_base}-env",),
        {"zh": ("响应很慢", "大量超时"), "en": ("so slow", "timing out")},
    )


def flag(draw: Draw) -> Story:
    """A feature flag sends everybody to a dependency that cannot bear it."""
    name = draw.pick("recs-v2", "new-pricing-engine", "smart-search", "express-lane", "unified-cart")
    share = draw.pick(50, 100)
    turned = draw.pick(
        f"⟦feature flag {name} set to {share}% by {draw.of(PEOPLE)}⟧",
        f"⟦flag update received: {name} enabled=true rollout={share}⟧",
        f"⟦toggled {name}: off -> on ({share} percent)⟧",
    )
    overload = draw.pick(
        "⟦worker queue full, rejecting request⟧ depth=%n% trace=%req%",
        "⟦RejectedExecutionException: thread pool scoring is saturated⟧ queued=%n%",
        "⟦shedding load: in-flight limit of 64 reached⟧ on %path%",
    )
    return Story(
        "flag",
        (
            Happening("front", "INFO", turned, -draw.uniform(1, 9)),
            Happening("mid", "ERROR", overload, 0, 30, draw.randint(15, 60)),
            trouble(draw, "front", "mid", draw.pick("status", "timeout"), 0.4, 30, draw.randint(15, 40)),
        ),
        (
            AlertSketch(
                "SLOErrorBudgetBurn",
                "front",
                "critical",
                "{front} burns its error budget",
                "{front} burns its budget {v} times too fast",
                draw.randint(6, 20),
            ),
            AlertSketch(
                "SaturationHigh",
                "mid",
                "warning",
                "{mid} is saturated",
                "{mid} runs at {v}% of its workers",
                draw.randint(95, 100),
            ),
        ),
        ("curl -s http://flags.{ns}.svc/api/flags/" + name, "kubectl -n {ns} top pod -l app={pod_mid_base}"),
        (f"flagctl set {name} off",),
        ERRORS_ASKED,
    )


def campaign(draw: Draw) -> Story:
    """A mailing brings more visitors than there are workers."""
    people = draw.randint(120, 900) * 1_000
    sent = draw.pick(
        f"⟦campaign {draw.pick('spring-drop', 'flash-sale', 'members-day')} sent to {people} recipients⟧",
        f"⟦push notification batch {draw.randint(300, 999)} dispatched, audience {people}⟧",
    )
    full = draw.pick(
        "⟦accept queue overflow, 512 connections pending⟧, dropped %n%",
        "⟦max concurrent requests (256) exceeded⟧, answering 503 to %ip%",
        "⟦no idle worker after 2000 ms, request dropped⟧ path=%path%",
    )
    return Story(
        "campaign",
        (
            Happening("back", "INFO", sent, -draw.uniform(1, 6)),
            Happening("mid", "ERROR", full, 0, 24, draw.randint(15, 60)),
            trouble(draw, "front", "mid", draw.pick("status", "refused"), 0.4, 24, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "TrafficSpike",
                "front",
                "warning",
                "Traffic of {front} is unusual",
                "{front} serves {v} requests a second",
                draw.randint(900, 7_000),
            ),
            AlertSketch(
                "HttpServerErrors",
                "mid",
                "critical",
                "5xx of {mid}",
                "{mid} answers {v}% with 5xx",
                draw.randint(5, 60),
            ),
        ),
        (
            "kubectl -n {ns} get hpa {pod_mid_base}",
            "promtool query instant http://prometheus:9090 'sum(rate(http_requests_total[5m]))'",
        ),
        ("kubectl -n {ns} scale deployment/{pod_mid_base} --replicas=12",),
        ERRORS_ASKED,
    )


def password(draw: Draw) -> Story:
    """A rotated credential is not known to the one who uses it."""
    user = draw.pick("orders_rw", "billing_app", "svc_reader", "ledger")
    rotated = draw.pick(
        f"⟦rotated credentials of database role {user}, lease {draw.hex(8)}⟧",
        f"⟦secret db/{user} updated to version {draw.randint(4, 40)}⟧",
    )
    denied = f'⟦password authentication failed for user "{user}"⟧'
    told = draw.pick(
        f"⟦cannot open database session as {user}: authentication rejected⟧ attempt=%n%",
        f"⟦SQLSTATE 28P01 while connecting as {user}⟧ (%ip%)",
    )
    return Story(
        "password",
        (
            Happening("back", "INFO", rotated, -draw.uniform(1, 8)),
            Happening("db", "FATAL", denied, 0, 25, draw.randint(20, 60)),
            Happening("mid", "ERROR", told, 0.1, 25, draw.randint(15, 40)),
            trouble(draw, "front", "mid", "status", 0.5, 25, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "HighErrorRate",
                "front",
                "critical",
                "Errors of {front}",
                "{front} fails {v}% of its requests",
                draw.randint(10, 90),
            ),
            AlertSketch(
                "DatabaseLoginFailures",
                "mid",
                "warning",
                "Logins of {mid} fail",
                "{v} failed logins a minute from {mid}",
                draw.randint(10, 90),
            ),
        ),
        (
            f"vault read database/static-creds/{user}",
            "kubectl -n {ns} get secret {pod_mid_base}-db -o jsonpath='{{.metadata.resourceVersion}}'",
        ),
        ("kubectl -n {ns} rollout restart deployment/{pod_mid_base}",),
        ERRORS_ASKED,
    )


KINDS = (
    Kind("release", {"front": "app", "mid": "app", "db": "postgres"}, release),
    Kind("pool", {"front": "app", "mid": "app", "db": "postgres"}, pool),
    Kind("flag", {"front": "app", "mid": "app"}, flag),
    Kind("campaign", {"front": "app", "mid": "app", "back": "app"}, campaign),
    Kind("password", {"front": "app", "mid": "app", "back": "app", "db": "postgres"}, password),
)
