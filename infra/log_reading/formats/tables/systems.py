"""Hosts: syslog in its forms, the journal, the kernel, packages, and the machines of public collections."""

from __future__ import annotations

from domain.language.levels import Level
from infra.log_reading.formats.row import Bare, Example, Rest, Row
from infra.log_reading.formats.tables import behind

ROWS = (
    Row(
        "syslog",
        rf"^(?:<(?P<pri>\d{{1,3}})>)?{{syslog}}{behind.SYSLOG}",
        (
            Example(
                "May  1 10:05:00 web1 order-service[7]: ERROR OutOfMemoryError",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                ("order-service",),
                "OutOfMemoryError host=web1 pid=7",
            ),
            Example(
                "May  1 10:05:00 h sshd[1]: Failed password for root",
                "2024-05-01T10:05:00Z",
                None,
                ("sshd",),
                "Failed password for root host=h pid=1",
            ),
            Example(
                "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: check pass; user unknown",
                "2023-06-14T15:16:01Z",
                None,
                ("sshd",),
                "check pass; user unknown host=combo part=pam_unix pid=19939",
            ),
            Example(
                "May 01 10:05:00.123456 web1 kernel: Out of memory",
                "2024-05-01T10:05:00.123456Z",
                None,
                ("kernel",),
                "Out of memory host=web1",
            ),
            Example(
                "<11>May  1 10:05:00 web1 order[7]: db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                ("order",),
                "db down host=web1 pid=7",
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        bare=Bare.WORD,
        begins=r"[<A-Z]",
    ),
    Row(
        "syslog repeated",
        rf"^{{syslog}}{behind.SYSLOG_REPEATED}",
        (
            Example(
                "May  1 10:05:00 web1 last message repeated 2 times",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "last message repeated 2 times host=web1",
            ),
        ),
        has_levels=False,
        begins=r"[A-Z]",
    ),
    Row(
        "syslog 5424",
        r"^<(?P<pri>\d{1,3})>1 (?:{year}|-) (?P<host>\S{1,255}) (?:-|(?P<name>\S{1,48})) (?P<pid>\S{1,128}) "
        r"(?P<msgid>\S{1,32}) (?:-|(?P<data>\[(?:[^\]\\]|\\.){0,8192}\](?:\[(?:[^\]\\]|\\.){0,8192}\]){0,16}))"
        r"(?: \ufeff?|$)",
        (
            Example(
                '<11>1 2024-05-01T10:05:00.123Z web1 order-service 7 ID47 [ex@1 k="v"] db down',
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                ("order-service",),
                'db down host=web1 pid=7 msgid=ID47 data=[ex@1 k="v"]',
                True,
            ),
            Example(
                "<30>1 2024-05-01T10:05:00.123Z web1 order-service 7 - - ERROR db down",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                ("order-service",),
                "db down host=web1 pid=7",
                True,
            ),
        ),
        rest=Rest.ENTRY,
        begins=r"<",
    ),
    Row(
        "syslog with ISO stamps",
        rf"^(?:<(?P<pri>\d{{1,3}})>)?{{iso}}(?:{behind.SYSLOG_WITH_PID})",
        (
            Example(
                "2024-05-01T10:06:00.123456+00:00 web1 order-service[7]: db down",
                "2024-05-01T10:06:00.123456Z",
                None,
                ("order-service",),
                "db down host=web1 pid=7",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        begins=r"[<\d]",
    ),
    Row(
        "syslog with ISO stamps, no process",
        rf"^{{iso}}(?:{behind.SYSLOG_WITHOUT_PID})",
        (
            Example(
                "2024-05-01T10:06:00.123456+00:00 web1 kernel: Out of memory: Killed process 12 (java)",
                "2024-05-01T10:06:00.123456Z",
                None,
                ("kernel",),
                "Out of memory: Killed process 12 (java) host=web1",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        bare=Bare.PROGRAM,
        begins=r"\d",
    ),
    Row(
        "journal",
        rf"^{{iso}}(?:{behind.JOURNAL_WITHOUT_PID})",
        (
            Example(
                "2024-05-01T10:06:00+0000 web1 kernel: Out of memory",
                "2024-05-01T10:06:00Z",
                None,
                ("kernel",),
                "Out of memory host=web1",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        bare=Bare.PROGRAM,
        begins=r"\d",
    ),
    Row(
        "journal with weekdays",
        r"^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) {year} (?P<host>\S{1,255}) (?P<name>[^\s:\[\]]{1,128})"
        r"(?:\[(?P<pid>\d{1,10})\])?:(?=\s|$)",
        (
            Example(
                "Wed 2024-05-01 10:05:00 UTC web1 order.service[7]: db down",
                "2024-05-01T10:05:00Z",
                None,
                ("order.service",),
                "db down host=web1 pid=7",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        begins=r"[MTWFS]",
    ),
    Row(
        "journal with seconds since 1970",
        rf"^{{epoch}} (?P<host>{behind.HOST}) (?P<name>{behind.PROGRAM})\[(?P<pid>\d{{1,10}})\]:(?=\s|$)",
        (
            Example(
                "1714557900.123456 web1 order-service[7]: db down",
                "2024-05-01T10:05:00.123456Z",
                None,
                ("order-service",),
                "db down host=web1 pid=7",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        begins=r"\d",
    ),
    Row(
        "kernel",
        r"^(?:<(?P<pri>\d{1,3})>|(?P<facility>kern|user|daemon|syslog) {0,2}:(?P<level>[a-z]{3,6}) {0,3}: )?"
        r"\[ {0,6}\d{1,8}\.\d{6}\](?:\[ {0,6}[TC]\d{1,6}\])? ?",
        (
            Example(
                "[12345.678901] Out of memory: Killed process 12 (java)",
                "",
                None,
                (),
                "Out of memory: Killed process 12 (java)",
            ),
            Example("kern  :err   : [   12.345678] ata1: failed", "", Level.ERROR, (), "ata1: failed facility=kern"),
        ),
        has_levels=False,
        service="kernel",
        begins=r"[<\[kuds]",
    ),
    Row(
        "packages",
        rf"^{{iso}}{behind.DPKG}",
        (
            Example(
                "2024-05-01 10:05:00 status installed nginx:amd64 1.22.1-9",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "status installed nginx:amd64 1.22.1-9",
            ),
        ),
        has_levels=False,
        service="dpkg",
        begins=r"\d",
    ),
    Row(
        "alternatives",
        r"^(?P<name>update-alternatives) {iso}: ",
        (
            Example(
                "update-alternatives 2024-05-01 10:05:00: run with --install /usr/bin/vi",
                "2024-05-01T10:05:00Z",
                None,
                ("update-alternatives",),
                "run with --install /usr/bin/vi",
            ),
        ),
        has_levels=False,
        begins=r"u",
    ),
    Row(
        "package history",
        r"^Start-Date: {year}$",
        (Example("Start-Date: 2024-05-01  10:05:00", "2024-05-01T10:05:00Z", None, (), ""),),
        has_levels=False,
        service="apt",
        next_lines=r"(?:Commandline|Requested-By|Install|Upgrade|Remove|Purge|Reinstall|Downgrade|Error|End-Date): ",
        begins=r"S",
    ),
    Row(
        "package terminal",
        r"^Log (?:started|ended): {year}$",
        (Example("Log started: 2024-05-01  10:05:00", "2024-05-01T10:05:00Z", None, (), ""),),
        has_levels=False,
        service="apt",
        next_lines=r"(?!Log (?:started|ended): |\d{4}-\d\d|[A-Z][a-z]{2} [ \d]\d )",
        begins=r"L",
    ),
    Row(
        "audit",
        r"^(?:node=(?P<node>\S{1,255}) )?type=(?P<type>[A-Z_\d\[\]]{1,64}) msg=audit\({epoch}:(?P<id>\d{1,20})\): ?",
        (
            Example(
                "type=AVC msg=audit(1714557900.123:456): avc:  denied  { read }",
                "2024-05-01T10:05:00.123Z",
                None,
                (),
                "avc:  denied  { read } type=AVC id=456",
                True,
            ),
        ),
        has_levels=False,
        service="auditd",
        begins=r"[nt]",
    ),
    Row(
        "cloud-init",
        rf"^{{iso}}{behind.CLOUD_INIT}",
        (
            Example(
                "2024-05-01 10:05:00,123 - util.py[WARNING]: Failed to run",
                "2024-05-01T10:05:00.123Z",
                Level.WARN,
                (),
                "util.py Failed to run",
            ),
        ),
        service="cloud-init",
        begins=r"\d",
    ),
    Row(
        "Android",
        r"^{month_number} {1,4}(?P<pid>\d{1,6}) {1,4}(?P<tid>\d{1,6}) (?P<letter>[VDIWEFS]) (?P<hint>[^:]{0,64}): ",
        (
            Example(
                "03-17 16:13:38.811  1702  2395 D WindowManager: frozen",
                "2024-03-17T16:13:38.811Z",
                Level.DEBUG,
                (),
                "WindowManager frozen pid=1702 tid=2395",
            ),
        ),
        begins=r"\d",
    ),
    Row(
        "health application",
        r"^{loose}\|(?P<hint>\w{1,64})\|(?P<id>\d{1,12})\|",
        (
            Example(
                "20171223-22:9:29:6|Step_LSC|30002312|onStandStepChanged 3579",
                "2017-12-23T22:09:29.006Z",
                None,
                (),
                "Step_LSC onStandStepChanged 3579 id=30002312",
            ),
        ),
        has_levels=False,
        begins=r"\d",
    ),
    Row(
        "Blue Gene",
        r"^(?P<alert>-|[A-Z]{3,12}) (?=\d{10} \d{4}\.\d\d\.\d\d \S{1,64} \d{4}-\d\d-\d\d-){epoch} \d{4}\.\d\d\.\d\d "
        r"(?P<node>\S{1,64}) [\d.-]{26} \S{1,64} (?P<source>[A-Z]{1,16}) (?P<hint>[A-Z_]{1,32}) {LEVEL}(?= |$)",
        (
            Example(
                "- 1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.675872 R02-M1-N0-C:J12-U11 RAS KERNEL "
                "INFO instruction cache parity error corrected",
                "2005-06-03T22:42:50Z",
                Level.INFO,
                (),
                "KERNEL instruction cache parity error corrected node=R02-M1-N0-C:J12-U11 source=RAS",
                True,
            ),
        ),
        begins=r"[-A-Z]",
    ),
    Row(
        "Thunderbird",
        r"^(?P<alert>-|[A-Z_]{3,16}) {epoch} \d{4}\.\d\d\.\d\d (?P<node>\S{1,64}) [A-Z][a-z]{2} {1,2}\d{1,2} "
        r"\d\d:\d\d:\d\d (?P<host>\S{1,128}) (?:(?P<name>[^\s:\[\]()]{1,96})(?:\((?P<part>[^()\s]{1,64})\))?"
        r"(?:\[(?P<pid>\d{2,10})\]|\[(?P<unit>\d)\])?:(?=\s|$))?",
        (
            Example(
                "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond(pam_unix)[2915]: session closed",
                "2005-11-09T20:01:01Z",
                None,
                ("crond",),
                "session closed node=dn228 host=dn228/dn228 part=pam_unix pid=2915",
                True,
            ),
            Example(
                "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 ACPI: Power Button (FF) [PWRF]",
                "2005-11-09T20:01:01Z",
                None,
                (),
                "ACPI: Power Button (FF) [PWRF] node=dn228 host=dn228/dn228",
                True,
            ),
        ),
        has_levels=False,
        rest=Rest.ENTRY,
        bare=Bare.HINT,
        begins=r"[-A-Z]",
    ),
    Row(
        "HPC",
        r"^(?P<id>\d{1,8}) (?P<node>\S{1,64}) (?P<component>\S{1,64}) (?P<state>\S{1,64}) {epoch} (?P<flag>-?\d) ",
        (
            Example(
                "134681 node-246 unix.hw state_change.unavailable 1077804742 1 Component State Change",
                "2004-02-26T14:12:22Z",
                None,
                (),
                "Component State Change id=134681 node=node-246 component=unix.hw "
                "state=state_change.unavailable flag=1",
                True,
            ),
        ),
        has_levels=False,
        begins=r"\d",
    ),
)
