"""What every service writes on a good day: routine, and complaints that recur for hours and mean nothing.

No text of it says what caused anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Entry
from tests.long.incidents.story import constant_parts, plain

ROUTINE = {
    "app": (
        "GET %path% 200 in %ms%ms",
        "POST %path% 201 in %ms% ms request=%req%",
        "handled %path% for tenant %n% in %ms%ms",
        "refreshed price list, %n% entries",
        "session %uuid% opened for user %id%",
        "published event %uuid% to topic audit",
        "health probe ok from %ip%",
        "scheduled sweep finished, %n% rows visited",
        "cache warm: %n% hot keys",
        "token for client %id% verified",
        "loaded %n% rules in %ms% ms",
        "batch of %n% rows flushed in %ms%ms",
    ),
    "postgres": (
        "checkpoint starting: time",
        "checkpoint complete: wrote %n% buffers (0.3%%); 0 WAL file(s) added".replace("%%", "%"),
        "connection received: host=%ip% port=%port%",
        "connection authorized: user=app database=main",
        "disconnection: session time: 0:00:%n%.114 user=app host=%ip%",
        'automatic vacuum of table "main.public.audit": index scans: 0, pages: %n% removed',
    ),
    "mysql": (
        "InnoDB: Buffer pool(s) load completed at step %n%",
        "Event Scheduler: [root@%ip%].[main.tidy] executed in %ms% ms",
        "Binary log rotated, position %id%",
        "Plugin audit_null reported %n% records",
    ),
    "redis": (
        "%n% changes in 300 seconds. Saving...",
        "Background saving terminated with success",
        "DB saved on disk",
        "Fork CoW for RDB: current %n% MB, peak %n% MB, average %n% MB",
    ),
    "kafka": (
        "Rolled new log segment at offset %id% in %ms% ms",
        "Expanding group audit-%n% preferred leader check done",
        "Deleting segment files LogSegment(baseOffset=%id%, size=%kb%)",
    ),
    "rabbit": (
        "accepting AMQP connection (%ip%:%port% -> 10.0.9.4:5672)",
        "connection (%ip%:%port%): user 'app' authenticated and granted access to vhost '/'",
        "closing AMQP connection (%ip%:%port%, vhost: '/', user: 'app')",
    ),
    "node": (
        "systemd: Started session-%id%.scope - Session %id% of User deploy.",
        "CRON: (root) CMD (/usr/lib/sysstat/debian-sa1 1 1)",
        "sshd: Accepted publickey for deploy from %ip% port %port% ssh2",
        "systemd: logrotate.service: Deactivated successfully.",
        "kubelet: volume projected-%req% mounted in %ms%ms",
    ),
    "edge": (
        "GET %path% -> 200 in 0.0%n%",
        "GET %path% -> 304 in 0.00%n%",
        "POST %path% -> 201 in 0.1%n%",
        "GET %path% -> 404 in 0.0%n%",
    ),
    "kube": (
        "Pulled pod/batch-%id%: Container image already present on machine",
        "Scheduled pod/batch-%id%: Successfully assigned batch-%id% to a node",
        "SuccessfulCreate job/tidy-%id%: Created pod of job tidy-%id%",
        "Completed job/tidy-%id%: Job completed",
    ),
}

COMPLAINTS = {
    "app": (
        ("WARN", "deprecated field shippingHint used by client %id%"),
        ("WARN", "slow consumer: outbox drained in %slow% ms"),
        ("WARN", "retrying telemetry export, attempt %n%"),
        ("ERROR", "mail to customer %id% bounced: mailbox unavailable"),
        ("ERROR", "failed to push metrics to statsd: write udp: message too long"),
        ("ERROR", "avatar %id% not found in object store, using placeholder"),
        ("WARN", "clock of mobile client %id% differs, ignored"),
        ("ERROR", "webhook of partner %n% answered 410 Gone, dropped"),
        ("WARN", "rejected malformed cookie from %ip%"),
        ("ERROR", "spell checker unavailable for locale %n%, answering without it"),
        ("WARN", "translation missing for key label.%id%"),
    ),
    "postgres": (
        ("ERROR", 'duplicate key value violates unique constraint "audit_pkey_%n%"'),
        ("WARN", "there is no transaction in progress"),
    ),
    "mysql": (
        ("WARN", "IP address '%ip%' could not be resolved: Name or service not known"),
        ("WARN", "Aborted connection %id% to db: 'report' user: 'bi' host: '%ip%'"),
    ),
    "redis": (("WARN", "Possible client output buffer growth for monitor connection %ip%"),),
    "kafka": (("WARN", "Attempting to send response via channel for which there is no open connection %ip%"),),
    "rabbit": (("WARN", "closing AMQP connection (%ip%:%port%): client unexpectedly closed TCP connection"),),
    "node": (
        ("WARN", "sshd: Connection closed by authenticating user root %ip% port %port% [preauth]"),
        ("WARN", "systemd-networkd: eth9: Could not set DHCPv4 address, ignored"),
    ),
    "edge": (("WARN", "upstream response is buffered to a temporary file /var/cache/%n%"),),
    "kube": (
        ("WARN", "Unhealthy pod/legacy-report-0: Readiness probe failed: HTTP probe failed with statuscode: 404"),
        ("WARN", "FailedGetScale hpa/tidy: no matches for kind Deployment in group"),
    ),
}


class Background:
    """The noise of one service, from `first` to `last`."""

    def __init__(self, draw: Draw, service: str, role: str, first: datetime, last: datetime) -> None:
        self.draw, self.service, self.first, self.last = draw, service, first, last
        routine, complaints = ROUTINE[role], COMPLAINTS[role]
        self.routine = draw.sample(routine, min(len(routine), draw.randint(3, 6)))
        self.complaints = draw.sample(complaints, min(len(complaints), draw.randint(1, 3)))
        self.pace = draw.uniform(18, 80)

    @property
    def old_texts(self) -> list[str]:
        """By which the complaints are known again."""
        texts = (_as_shown(text, self.service) for _, text in self.complaints)
        return [part for text in texts for part in constant_parts(text)]

    def entries(self) -> Iterator[Entry]:
        at = self.first
        while (at := at + timedelta(seconds=self.draw.uniform(0.2, 2 * self.pace))) < self.last:
            yield self._entry(at, "INFO", self.draw.of(self.routine))
        for level, text in self.complaints:
            every = self.draw.uniform(240, 900)
            at = self.first - timedelta(seconds=every * self.draw.random())
            while (at := at + timedelta(seconds=every * self.draw.uniform(0.7, 1.3))) < self.last:
                if at > self.first:
                    yield self._entry(at, level, text)

    def _entry(self, at: datetime, level: str, text: str) -> Entry:
        return Entry(at, self.service, level, self.draw.filled(plain(text)), noise=True, origin=text)


def old_change(draw: Draw, services: list[str], first: datetime, onset: datetime) -> list[Entry]:
    """A release of somebody else, long before: near enough to be blamed, and not to blame."""
    if not services or draw.chance(0.3):
        return []
    service = draw.of(services)
    at = first + (onset - timedelta(minutes=100) - first) * draw.random()
    version = f"{draw.randint(1, 9)}.{draw.randint(0, 40)}.{draw.randint(0, 9)}"
    text = draw.pick(
        f"deployed release {version} of {service}", f"configuration reloaded: log.sampling={draw.randint(2, 90)}"
    )
    return [Entry(at, service, "INFO", text, noise=True, origin=text)]


def refused_at_the_edge(draw: Draw, services: list[str], onset: datetime, now: datetime) -> list[Entry]:
    """What the access log of an entrance shows of any trouble behind it: no more than that there is some."""
    text, count = draw.pick("GET %path% -> 502 in 5.0%n%", "POST %path% -> 504 in 30.0%n%"), draw.randint(10, 60)
    times = sorted(onset + (now - onset) * draw.uniform(0.02, 0.98) for _ in range(count))
    return [
        Entry(at, service, "INFO", draw.filled(text), noise=False, origin=text) for service in services for at in times
    ]


def _as_shown(text: str, _: str) -> str:
    """Without the program or the object of an event before the first colon, which readers may show apart."""
    head, colon, rest = text.partition(": ")
    return rest if colon and " " not in head.replace(" pod/", "").replace(" hpa/", "") else text
