"""Databases and caches."""

from __future__ import annotations

from domain.language.levels import Level
from infra.log_reading.formats.row import Example, Rest, Row
from infra.log_reading.formats.stamps import FORMS
from infra.log_reading.formats.tables import behind

ROWS = (
    Row(
        "PostgreSQL",
        rf"^{{year}}{behind.POSTGRESQL}",
        (
            Example(
                "2024-05-01 10:05:00.123 UTC [1234] app@orders ERROR:  deadlock detected",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[1234] app@orders deadlock detected",
                True,
            ),
            Example(
                "2024-05-01 10:05:00 UTC:10.0.0.1(5000):app@orders:[1234]:LOG:  duration: 12.3 ms",
                "2024-05-01T10:05:00Z",
                Level.INFO,
                (),
                ":10.0.0.1(5000):app@orders:[1234]: duration: 12.3 ms",
                True,
            ),
        ),
        service="postgres",
        begins=r"\d",
    ),
    Row(
        "PostgreSQL, parts of an entry",
        rf"^{{year}}{behind.POSTGRESQL_DETAIL}",
        (
            Example(
                "2024-05-01 10:05:00.123 UTC [1234] app@orders STATEMENT:  SELECT 1",
                "2024-05-01T10:05:00.123Z",
                None,
                (),
                "[1234] app@orders SELECT 1 part=STATEMENT",
                True,
            ),
        ),
        service="postgres",
        part_of="PostgreSQL",
        begins=r"\d",
    ),
    Row(
        "PostgreSQL csv",
        rf"^{{year}}{behind.CSVLOG}(?:[^,\"]{{0,64}},|\"[^\"]{{0,512}}\",){{5}}(?:[^,]{{0,64}},){{0,2}}?{{LEVEL}},(?P<code>[0-9A-Z]{{5}}),",
        (
            Example(
                '2024-05-01 10:05:00.123 UTC,"app","orders",1234,"10.0.0.1:5000",6631f0a0.4d2,1,"SELECT",'
                '2024-05-01 09:00:00 UTC,3/0,0,ERROR,40P01,"deadlock detected",,,',
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "deadlock detected code=40P01",
                True,
            ),
            Example(
                '2024-05-01 10:05:00.123 +08,"app","orders",44,"10.0.0.1:5",69b0.44,1,"idle",2024-05-01 09:00:00 +08,'
                '5/12,0,LOG,00000,"lock timeout, twice",,,,,,"",,,"psql","client backend",,0',
                "2024-05-01T02:05:00.123Z",
                Level.INFO,
                (),
                "lock timeout, twice psql client backend 0 code=00000",
                True,
            ),
        ),
        service="postgres",
        rest=Rest.CELLS,
        next_lines=r"(?!\d{4}-\d\d-\d\d \d\d:)",
        begins=r"\d",
    ),
    Row(
        "MySQL",
        rf"^{{iso}}{behind.MYSQL}",
        (
            Example(
                "2024-05-01T10:05:00.123456Z 0 [ERROR] [MY-010119] [Server] Aborting",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "[MY-010119] [Server] Aborting thread=0",
                True,
            ),
        ),
        service="mysqld",
        begins=r"\d",
    ),
    Row(
        "MySQL, other stamps",
        rf"^(?!{FORMS['iso'].pattern}){{year}}{behind.MYSQL}",
        (
            Example(
                "2024-05-01  9:05:00 0 [ERROR] InnoDB: gone",
                "2024-05-01T09:05:00Z",
                Level.ERROR,
                (),
                "InnoDB: gone thread=0",
            ),
        ),
        service="mysqld",
        begins=r"\d",
    ),
    Row(
        "Elasticsearch",
        rf"^\[{{iso}}{behind.ELASTICSEARCH}",
        (
            Example(
                "[2024-05-01T10:05:00,123][WARN ][o.e.c.r.a.DiskThresholdMonitor] [node-1] high disk",
                "2024-05-01T10:05:00.123Z",
                Level.WARN,
                (),
                "o.e.c.r.a.DiskThresholdMonitor high disk node=node-1",
            ),
        ),
        service="elasticsearch",
        begins=r"\[",
    ),
    Row(
        "Redis before 4",
        r"^(?:(?P<pid>\d{1,10}):(?P<role>[XCSM])|\[\d{1,10}\]) {day_month_short} (?P<mark>[.*#-]) ",
        (
            Example(
                "12:C 01 May 10:05:00.123 * saved", "2024-05-01T10:05:00.123Z", Level.NOTICE, (), "saved pid=12 role=C"
            ),
        ),
        has_levels=False,
        service="redis",
        begins=r"[\d\[]",
    ),
    Row(
        "MySQL before 5.7",
        r"^{short_year} (?:\[(?P<level>Note|Warning|ERROR)\] |(?=InnoDB|mysqld|Version))",
        (Example("240501 10:05:00 [ERROR] Aborting", "2024-05-01T10:05:00Z", Level.ERROR, (), "Aborting"),),
        service="mysqld",
        begins=r"\d",
    ),
    Row(
        "MySQL queries",
        rf"^{{iso}}{behind.MYSQL_QUERIES}",
        (
            Example(
                "2024-05-01T10:05:00.123456Z\t    8 Query\tSELECT 1",
                "2024-05-01T10:05:00.123456Z",
                None,
                (),
                "SELECT 1 thread=8 command=Query",
                True,
            ),
        ),
        has_levels=False,
        service="mysqld",
        begins=r"\d",
    ),
    Row(
        "MySQL slow queries",
        r"^# Time: {year}$",
        (
            Example(
                "# Time: 2024-05-01T10:05:00.123456Z\n# User@Host: app[app] @  [10.0.0.1]  Id: 7\n# Query_time: 3.2\n"
                "SELECT 1;",
                "2024-05-01T10:05:00.123456Z",
                None,
                (),
                "# User@Host: app[app] @  [10.0.0.1]  Id: 7\n# Query_time: 3.2\nSELECT 1;",
                True,
            ),
        ),
        has_levels=False,
        service="mysqld",
        next_lines=r"(?!# Time: )",
        begins=r"#",
    ),
    Row(
        "MySQL slow queries before 5.7",
        r"^# Time: {short_year}$",
        (Example("# Time: 240501 10:05:00", "2024-05-01T10:05:00Z", None, (), ""),),
        has_levels=False,
        service="mysqld",
        next_lines=r"(?!# Time: )",
        begins=r"#",
    ),
    Row(
        "MongoDB",
        rf"^{{iso}}{behind.MONGODB}",
        (
            Example(
                "2024-05-01T10:05:00.123+0000 E STORAGE  [conn1] WiredTiger error",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[conn1] WiredTiger error component=STORAGE",
                True,
            ),
        ),
        service="mongodb",
        begins=r"\d",
    ),
    Row(
        "Redis",
        r"^(?:(?P<pid>\d{1,10}):(?P<role>[XCSM])|\[\d{1,10}\]) {day_month} (?P<mark>[.*#-]) ",
        (
            Example(
                "1:M 08 Jul 2026 11:12:00.123 # deadlock detected",
                "2026-07-08T11:12:00.123Z",
                None,
                (),
                "deadlock detected pid=1 role=M",
            ),
        ),
        has_levels=False,
        service="redis",
        begins=r"[\d\[]",
    ),
    Row(
        "DB2",
        r"^{dotted_time} {1,4}(?P<record>[A-Z]\w{1,32}) {1,20}LEVEL: {LEVEL}",
        (
            Example(
                "2024-05-01-10.05.00.123456+000 I1234E567          LEVEL: Severe",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "record=I1234E567",
                True,
            ),
        ),
        service="db2",
        begins=r"\d",
    ),
)
