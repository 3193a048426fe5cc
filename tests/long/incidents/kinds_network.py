"""Incidents between machines: names, certificates, links, clocks, and quotas of others."""

from __future__ import annotations

from tests.long.incidents.draw import PEOPLE, Draw
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, trouble

FAILS_ASKED = {"zh": ("大量失败", "大量报错", "调用失败"), "en": ("failing", "throwing errors", "broken")}


def dns(draw: Draw) -> Story:
    host = draw.pick("rates.example.net", "tax.example.org", "geo.internal.example", "psp.example.com")
    change = draw.pick(
        f"coredns: ⟦plugin/reload: Running configuration SHA512 = {draw.hex(16)}⟧",
        f"coredns: ⟦forward upstream changed to {draw.ip()}⟧",
    )
    resolver = draw.pick(
        f"coredns: ⟦{host}. A: read udp {draw.ip()}:53: i/o timeout⟧",
        f"systemd-resolved: ⟦Server returned error SERVFAIL for {host}⟧",
    )
    text, tail = draw.pick(
        (f"⟦lookup {host} on 10.96.0.10:53: no such host⟧ trace=%req%", ()),
        (f"⟦getaddrinfo EAI_AGAIN {host}⟧ while fetching %path%", ()),
        (
            f"⟦java.net.UnknownHostException: {host}: Temporary failure in name resolution⟧",
            (
                "\tat java.base/java.net.Inet6AddressImpl.lookupAllHostAddr(Native Method)",
                "\tat com.example.http.Caller.send(Caller.java:77)",
            ),
        ),
    )
    return Story(
        "dns",
        (
            Happening("node", "INFO", change, -draw.uniform(1, 6)),
            Happening("node", "ERROR", resolver, 0, 24, draw.randint(8, 30)),
            Happening("mid", "ERROR", text, 0.1, 24, draw.randint(10, 40), False, tail),
            trouble(draw, "front", "mid", "status", 0.4, 24, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "OutboundCallsFailing",
                "mid",
                "critical",
                "Calls of {mid} fail",
                "{mid} fails {v}% of its outbound calls",
                draw.randint(30, 100),
            ),
            AlertSketch(
                "HighErrorRate", "front", "warning", "{front} errors", "{front} error ratio {v}%", draw.randint(5, 60)
            ),
        ),
        (f"dig +short {host} @10.96.0.10", "kubectl -n kube-system logs -l k8s-app=kube-dns --since=30m"),
        ("kubectl -n kube-system rollout undo deployment/coredns",),
        FAILS_ASKED,
    )


def certificate(draw: Draw) -> Story:
    """With a line that says why, in some of the draws."""
    host = draw.pick("auth.example.com", "ledger.internal.example", "partner-gw.example.org")
    text, cause = draw.pick(
        (f"⟦x509: certificate has expired or is not yet valid⟧: calling https://{host} trace=%req%", False),
        (f"⟦handshake with {host} failed because certificate expired⟧ req=%req%", True),
        (f"⟦SSL error calling {host}: CERTIFICATE_VERIFY_FAILED, certificate has expired⟧ attempt=%n%", False),
        (f"⟦requests to {host} are rejected, caused by expired client certificate CN=edge-{draw.randint(2, 9)}⟧", True),
    )
    edge = f"⟦peer certificate of {host} expired {draw.randint(1, 9)} seconds ago⟧ while SSL handshaking"
    renewal = draw.pick(
        f"⟦skipping renewal of {host}: issuer letsencrypt-prod not ready⟧",
        f"⟦renewal of certificate {host} postponed, rate limited by ACME server⟧",
    )
    return Story(
        "certificate",
        (
            Happening("back", "WARN", renewal, -draw.uniform(4, 20)),
            Happening("edge", "ERROR", edge, 0, 26, draw.randint(10, 30)),
            Happening("mid", "ERROR", text, 0.1, 26, draw.randint(10, 40), cause),
            trouble(draw, "front", "mid", "status", 0.4, 26, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "TlsHandshakeFailures",
                "mid",
                "critical",
                "TLS of {mid} fails",
                "{v} failed handshakes a minute at {mid}",
                draw.randint(20, 300),
            ),
            AlertSketch(
                "LoginFailures",
                "front",
                "critical",
                "{front} fails",
                "{front} fails {v}% of its calls",
                draw.randint(20, 99),
            ),
        ),
        (
            f"openssl s_client -connect {host}:443 -servername {host} </dev/null | openssl x509 -noout -dates",
            "kubectl -n {ns} get certificate",
        ),
        ("kubectl -n {ns} delete secret " + host.split(".")[0] + "-tls",),
        FAILS_ASKED,
    )


def partition(draw: Draw) -> Story:
    link = draw.pick(
        "kernel: ⟦mlx5_core 0000:3b:00.0 eth1: Link down⟧",
        "kernel: ⟦bond0: link status definitely down for interface eno2, disabling it⟧",
        "bird: ⟦bgp_tor1: Received: Hold timer expired⟧",
    )
    broker = draw.pick(
        "⟦Shrinking ISR from 1,2,3 to 1 for partition orders-4⟧",
        "⟦Session expired for broker 3, leader election for 41 partitions⟧",
    )
    client = draw.pick(
        "⟦NOT_ENOUGH_REPLICAS: messages for orders-4 are rejected⟧ batch=%id%",
        "⟦produce to topic orders failed: leader not available⟧ attempt=%n%",
        "⟦record for orders-4 expired after 120000 ms in the accumulator⟧ size=%kb%",
    )
    return Story(
        "partition",
        (
            Happening("node", "ERROR", link, -draw.uniform(0.5, 2)),
            Happening("queue", "WARN", broker, 0, 3, 2),
            Happening("mid", "ERROR", client, 0.2, 23, draw.randint(10, 40)),
            trouble(draw, "front", "mid", draw.pick("timeout", "status"), 0.6, 23, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "UnderReplicatedPartitions",
                "queue",
                "critical",
                "{queue} lacks replicas",
                "{queue} has {v} partitions below their replicas",
                draw.randint(10, 60),
            ),
            AlertSketch(
                "PublishErrors",
                "mid",
                "warning",
                "{mid} cannot publish",
                "{mid} loses {v} messages a minute",
                draw.randint(10, 600),
            ),
        ),
        ("kafka-topics.sh --bootstrap-server {queue}:9092 --describe --under-replicated-partitions", "ethtool eth1"),
        ("ip link set eth1 up",),
        FAILS_ASKED,
    )


def clock(draw: Draw) -> Story:
    skew = draw.randint(40, 600)
    step = draw.pick(
        f"chronyd: ⟦System clock wrong by {skew}.{draw.randint(1, 9)}12345 seconds⟧",
        f"chronyd: ⟦Can't synchronise: no selectable sources, offset {skew}s⟧",
        f"systemd-timesyncd: ⟦Timed out waiting for reply from {draw.ip()}:123 (ntp)⟧",
    )
    token = draw.pick(
        f"⟦JWT rejected: iat is {skew} s in the future⟧ sub=%id%",
        "⟦token used before issued⟧ kid=%req%",
        f"⟦signature timestamp outside tolerance ({skew}s > 30s)⟧ client=%ip%",
    )
    return Story(
        "clock",
        (
            Happening("node", "WARN", step, -draw.uniform(0.5, 5)),
            Happening("mid", "ERROR", token, 0, 25, draw.randint(15, 50)),
            Happening(
                "front",
                "ERROR",
                draw.pick(
                    "⟦401 from {mid} for a fresh token⟧ req=%req%", "⟦login refused by {mid}: token invalid⟧ user=%id%"
                ),
                0.2,
                25,
                draw.randint(15, 40),
            ),
        ),
        (
            AlertSketch(
                "AuthRejectionsHigh",
                "mid",
                "critical",
                "{mid} rejects tokens",
                "{mid} rejects {v}% of all tokens",
                draw.randint(20, 99),
            ),
            AlertSketch(
                "NodeClockSkew", "node", "warning", "Clock of {node} is off", "Clock of {node} is off by {v} s", skew
            ),
        ),
        ("chronyc tracking", "kubectl -n {ns} get pods -o wide -l app={pod_mid_base}"),
        ("systemctl restart chronyd",),
        {"zh": ("大量 401", "登录失败"), "en": ("answering 401", "refusing logins")},
    )


def quota(draw: Draw) -> Story:
    provider = draw.pick("maps.example.com", "sms.example.net", "fraud-score.example.io")
    plan = draw.randint(2, 40) * 1_000
    change = draw.pick(
        f"⟦provider plan switched: {provider} limit {plan * 10}/h -> {plan}/h⟧ by {draw.of(PEOPLE)}",
        f"⟦backfill of addresses started, {plan * 9} calls to {provider} planned⟧",
    )
    text = draw.pick(
        f"⟦{provider} answered 429 Too Many Requests⟧ retry-after=%n%",
        f"⟦quota exceeded for {provider}: {plan} of {plan} used⟧ req=%req%",
        f"⟦rate limit hit at {provider}, backing off⟧ attempt=%n% id=%id%",
    )
    return Story(
        "quota",
        (
            Happening("back", "INFO", change, -draw.uniform(2, 15)),
            Happening("mid", "ERROR", text, 0, 27, draw.randint(15, 60)),
            trouble(draw, "front", "mid", draw.pick("status", "timeout"), 0.3, 27, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "ExternalApiErrors",
                "mid",
                "critical",
                "Provider refuses {mid}",
                "{v}% of the calls of {mid} are refused",
                draw.randint(30, 100),
            ),
            AlertSketch(
                "LatencyHigh", "front", "warning", "{front} is slow", "p95 of {front} is {v} s", draw.randint(3, 14)
            ),
        ),
        (
            f"curl -sI https://{provider}/v1/ping | grep -i ratelimit",
            "kubectl -n {ns} logs deployment/{pod_back_base} --since=1h",
        ),
        ("kubectl -n {ns} delete job {pod_back_base}-backfill",),
        FAILS_ASKED,
    )


KINDS = (
    Kind("dns", {"front": "app", "mid": "app", "node": "node"}, dns),
    Kind("certificate", {"front": "app", "mid": "app", "back": "app", "edge": "edge"}, certificate),
    Kind("partition", {"front": "app", "mid": "app", "queue": "kafka", "node": "node"}, partition),
    Kind("clock", {"front": "app", "mid": "app", "node": "node"}, clock),
    Kind("quota", {"front": "app", "mid": "app", "back": "app"}, quota),
)
