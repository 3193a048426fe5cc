"""Incidents of something that ran out: memory, descriptors, disk, a node, sessions of a database."""

from __future__ import annotations

from tests.long.incidents.draw import Draw
from tests.long.incidents.story import AlertSketch, Happening, Kind, Story, trouble

DOWN_ASKED = {"zh": ("一直重启", "不可用", "频繁报错"), "en": ("unavailable", "restarting all the time", "down")}


def memory(draw: Draw) -> Story:
    """The kernel kills the callee; one line of a long, detailed record tells it."""
    rss, limit = draw.randint(700, 3_900), draw.pick("512Mi", "1Gi", "2Gi")
    process = f"{draw.randint(2_000, 60_000)} ({draw.pick('java', 'node', 'python3', 'dotnet')})"
    killed = (
        f"kernel: ⟦Memory cgroup out of memory: ⟨Killed process {process}⟩ total-vm:{rss * 4}000kB, "
        f"anon-rss:{rss}000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:{rss}kB oom_score_adj:984⟧"
    )
    load = draw.pick(
        f"⟦export job {draw.randint(100, 999)} started: rows={draw.randint(2, 40)}00000⟧",
        f"⟦loading full catalogue snapshot into memory, {draw.randint(3, 30)}00000 entries⟧",
    )
    return Story(
        "memory",
        (
            Happening("mid", "INFO", load, -draw.uniform(1, 5)),
            Happening("node", "ERROR", killed, 0),
            Happening(
                "kube",
                "WARN",
                "BackOff pod/{pod_mid}: ⟦Back-off restarting failed container {pod_mid_base}⟧",
                1,
                22,
                draw.randint(3, 8),
            ),
            trouble(draw, "front", "mid", "refused", 0.2, 24, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "PodCrashLooping",
                "mid",
                "warning",
                "{mid} is crash looping",
                f"Container of {{mid}} restarted {{v}} times (limit {limit})",
                draw.randint(3, 9),
            ),
            AlertSketch(
                "HighErrorRate",
                "front",
                "critical",
                "{front} errors",
                "{front} error ratio is {v}%",
                draw.randint(5, 60),
            ),
        ),
        ("kubectl -n {ns} describe pod {pod_mid}", "kubectl -n {ns} top pod -l app={pod_mid_base}"),
        ("kubectl -n {ns} set resources deployment/{pod_mid_base} --limits=memory=4Gi",),
        DOWN_ASKED,
    )


def descriptors(draw: Draw) -> Story:
    limit = draw.pick(1_024, 4_096, 65_536)
    leak = draw.pick(
        "⟦accept: too many open files⟧, retrying in 1s",
        "⟦open /var/spool/uploads: too many open files⟧ id=%id%",
        f"⟦java.net.SocketException: Too many open files⟧ (limit {limit})",
    )
    change = draw.pick(
        f"⟦http client without keep-alive since release {draw.randint(2, 9)}.{draw.randint(0, 40)}⟧",
        "⟦file watcher attached to every tenant folder⟧, folders=%n%",
    )
    return Story(
        "descriptors",
        (
            Happening("mid", "INFO", change, -draw.uniform(3, 24)),
            Happening("mid", "WARN", f"⟦open file descriptors at {limit * 9 // 10} of {limit}⟧", -1.5),
            Happening("mid", "ERROR", leak, 0, 25, draw.randint(10, 50)),
            trouble(draw, "front", "mid", draw.pick("refused", "timeout"), 0.3, 25, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "ProcessFdsNearLimit",
                "mid",
                "warning",
                "{mid} uses too many descriptors",
                "{mid} holds {v}% of its descriptors",
                draw.randint(95, 100),
            ),
            AlertSketch(
                "UpstreamErrors",
                "front",
                "critical",
                "{front} cannot reach its upstream",
                "{v} failed upstream calls a second at {front}",
                draw.randint(3, 70),
            ),
        ),
        ("kubectl -n {ns} exec {pod_mid} -- sh -c 'ls /proc/1/fd | wc -l'", "ss -s"),
        ("kubectl -n {ns} rollout restart deployment/{pod_mid_base}",),
        DOWN_ASKED,
    )


def disk(draw: Draw) -> Story:
    where = draw.pick("/var/lib/postgresql/data/pg_wal", "/var/lib/postgresql/data/base")
    blob = f'⟦could not write to file "{where}/xlogtemp.{draw.randint(20, 900)}": No space left on device⟧'
    start = draw.pick(
        f"⟦archive command disabled: archive_mode=off for maintenance {draw.randint(100, 999)}⟧",
        f"⟦replication slot reporting_{draw.randint(1, 9)} created, wal retained from now on⟧",
    )
    refused = draw.pick(
        "⟦insert into outbox failed: database is in recovery mode⟧ id=%id%",
        "⟦database system is shutting down, statement rolled back⟧ tx=%req%",
        "⟦could not persist event: no space on database volume⟧ event=%uuid%",
    )
    return Story(
        "disk",
        (
            Happening("db", "INFO", start, -draw.uniform(5, 25)),
            Happening("db", "FATAL", blob, 0, 18, draw.randint(3, 9)),
            Happening("mid", "ERROR", refused, 0.2, 26, draw.randint(10, 40)),
            trouble(draw, "front", "mid", "status", 0.5, 26, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "VolumeAlmostFull",
                "db",
                "critical",
                "Volume of {db} is full",
                "Volume of {db} has {v}% left",
                draw.randint(0, 2),
            ),
            AlertSketch(
                "WriteFailures",
                "mid",
                "critical",
                "{mid} cannot write",
                "{v} failed writes a minute in {mid}",
                draw.randint(10, 300),
            ),
        ),
        ("df -h /var/lib/postgresql/data", "psql -h {db} -c 'select slot_name, restart_lsn from pg_replication_slots'"),
        ("psql -h {db} -c \"select pg_drop_replication_slot('reporting')\"",),
        {"zh": ("写入失败", "下单失败"), "en": ("failing to write", "losing writes")},
    )


def eviction(draw: Draw) -> Story:
    node_gone = draw.pick(
        "NodeNotReady node/{node}: ⟦Node {node} status is now: NodeNotReady⟧",
        "EvictionThresholdMet node/{node}: ⟦Attempting to reclaim ephemeral-storage on {node}⟧",
    )
    evicted = draw.pick(
        "Evicted pod/{pod_mid}: ⟦The node had condition: [DiskPressure], pod {pod_mid} evicted⟧",
        "TaintManagerEviction pod/{pod_mid}: ⟦Marking for deletion Pod {ns}/{pod_mid}⟧",
    )
    kernel = draw.pick(
        "kernel: ⟦nvme0n1: I/O error, dev nvme0n1, sector 88214⟧ op 0x1:(WRITE)",
        "kubelet: ⟦PLEG is not healthy: pleg was last seen active 3m12s ago⟧",
        "containerd: ⟦failed to write snapshot: input/output error⟧",
    )
    return Story(
        "eviction",
        (
            Happening("node", "ERROR", kernel, -draw.uniform(1, 3), 4, 4),
            Happening("kube", "WARN", node_gone, 0),
            Happening("kube", "WARN", evicted, 0.6),
            trouble(draw, "front", "mid", "refused", 1, 22, draw.randint(10, 40)),
        ),
        (
            AlertSketch(
                "NodeUnhealthy",
                "node",
                "critical",
                "Node {node} is not ready",
                "Node {node} has not been ready for {v} minutes",
                draw.randint(2, 20),
            ),
            AlertSketch(
                "DeploymentReplicasMissing",
                "mid",
                "warning",
                "{mid} lacks replicas",
                "{mid} has {v} replicas too few",
                draw.randint(1, 4),
            ),
            AlertSketch(
                "HighErrorRate", "front", "critical", "{front} errors", "{front} error ratio {v}%", draw.randint(5, 60)
            ),
        ),
        ("kubectl describe node {node}", "kubectl -n {ns} get pods -o wide --field-selector spec.nodeName={node}"),
        ("kubectl drain {node} --ignore-daemonsets",),
        DOWN_ASKED,
    )


def sessions(draw: Draw) -> Story:
    """More replicas than the database has sessions for."""
    replicas, limit = draw.randint(14, 40), draw.pick(100, 151, 200)
    scaled = draw.pick(
        f"⟦scaled deployment {{back}} from {draw.randint(2, 6)} to {replicas} replicas⟧",
        f"⟦autoscaler: desired replicas of {{back}} = {replicas}⟧",
    )
    full = draw.pick(
        "⟦client refused: Too many connections⟧ (%ip%)",
        f"⟦connection limit of {limit} reached, refusing client⟧ %ip%",
    )
    mid = draw.pick(
        "⟦ERROR 1040 (HY000): Too many connections⟧ while loading id=%id%",
        "⟦sql: cannot connect to {db}: Too many connections⟧ trace=%req%",
    )
    return Story(
        "sessions",
        (
            Happening("back", "INFO", scaled, -draw.uniform(1, 7)),
            Happening("db", "WARN", full, 0, 25, draw.randint(10, 40)),
            Happening("mid", "ERROR", mid, 0.1, 25, draw.randint(10, 40)),
            trouble(draw, "front", "mid", "status", 0.5, 25, draw.randint(10, 30)),
        ),
        (
            AlertSketch(
                "MysqlConnectionsExhausted",
                "db",
                "critical",
                "{db} has no free connections",
                "{db} uses {v}% of its connections",
                100,
            ),
            AlertSketch(
                "HighErrorRate",
                "front",
                "critical",
                "{front} fails",
                "{v}% of the requests to {front} fail",
                draw.randint(9, 70),
            ),
        ),
        ("mysql -h {db} -e 'show processlist'", "kubectl -n {ns} get deployment {pod_back_base} -o wide"),
        ("kubectl -n {ns} scale deployment/{pod_back_base} --replicas=4",),
        {"zh": ("大量报错", "大量 5xx"), "en": ("failing", "full of errors")},
    )


KINDS = (
    Kind("memory", {"front": "app", "mid": "app", "node": "node", "kube": "kube"}, memory),
    Kind("descriptors", {"front": "app", "mid": "app"}, descriptors),
    Kind("disk", {"front": "app", "mid": "app", "db": "postgres"}, disk),
    Kind("eviction", {"front": "app", "mid": "app", "node": "node", "kube": "kube"}, eviction),
    Kind("sessions", {"front": "app", "mid": "app", "back": "app", "db": "mysql"}, sessions),
)
