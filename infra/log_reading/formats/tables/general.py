"""Lines of which only the stamp is known: what follows is read part by part."""

from __future__ import annotations

from domain.language.levels import LEVEL_WORDS, Level
from infra.log_reading.formats.row import Example, Rest, Row
from infra.log_reading.formats.stamps import FORMS
from infra.log_reading.formats.tables import behind

_STRICT = FORMS["iso"].pattern
_WORDS = "|".join(LEVEL_WORDS)
_LEVEL = rf"(?P<level>(?i:{_WORDS}|config|fine|finer|finest))"
_OPEN_ISO = behind.unless(
    *(behind.SYSLOG_WITH_PID, behind.SYSLOG_WITHOUT_PID, behind.JOURNAL_WITHOUT_PID, behind.MYSQL, behind.MONGODB),
    *(behind.SPRING, behind.CLOUD_INIT, behind.DPKG, behind.IIS, behind.GC, behind.CRI, behind.MYSQL_QUERIES),
    behind.CONSOLE,
)
_OPEN_YEAR = behind.unless(
    *(behind.NGINX, behind.CSVLOG, behind.POSTGRESQL, behind.POSTGRESQL_DETAIL, behind.SYSLOG_WITH_PID, behind.MYSQL)
)
_UNNAMED_SYSLOG = "|".join(behind.unnamed(pattern) for pattern in (behind.SYSLOG, behind.SYSLOG_REPEATED))

ROWS = (
    Row(
        "iso",
        rf"^{{iso}}{_OPEN_ISO}",
        (
            Example(
                "2024-05-01T10:05:00.000Z error: db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down", True
            ),
            Example(
                "2024-05-01 10:05:00.123 4711 ERROR order.handler [-] db down",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "4711 order.handler [-] db down",
            ),
            Example(
                "2024-05-01T18:05:00+08:00 [WARN] [order-service] 内存 91.0%",
                "2024-05-01T10:05:00Z",
                Level.WARN,
                ("order-service",),
                "内存 91.0%",
                True,
            ),
            Example(
                "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - x",
                "2015-07-29T17:41:44.747Z",
                Level.INFO,
            ),
            Example(
                "2016-09-28 04:30:30, Info                  CBS    Loaded Servicing Stack",
                "2016-09-28T04:30:30Z",
                Level.INFO,
                (),
                "CBS    Loaded Servicing Stack",
            ),
            Example(
                "2024-05-01 10:05:00,123 - billing - ERROR - refused",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "billing refused",
            ),
            Example(
                "2024-05-01 10:05:00.123456 W | etcdserver: read-only range request took too long",
                "2024-05-01T10:05:00.123456Z",
                Level.WARN,
                (),
                "etcdserver: read-only range request took too long",
            ),
            Example(
                "2024-05-01T10:05:00.000Z\t4c5b3a7e-0001\tERROR\tTask timed out",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "4c5b3a7e-0001 Task timed out",
                True,
            ),
            Example(
                "2024-05-01T10:05:00Z Connection error: refused",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "Connection error: refused",
                True,
            ),
        ),
        rest=Rest.LAYOUT,
        begins=r"\d",
    ),
    Row(
        "year first",
        rf"^(?!{_STRICT}|{FORMS['loose'].pattern}){{year}}{_OPEN_YEAR}",
        (
            Example("2024/05/01 10:05:00 main.go:12: db down", "2024-05-01T10:05:00Z", None, (), "main.go:12: db down"),
            Example(
                "2024-05-01 10:05:00.123 +00:00 [ERR] db down",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "db down",
                True,
            ),
            Example("2024-05-01 07:05:00 PM ERROR db down", "2024-05-01T19:05:00Z", Level.ERROR, (), "db down"),
            Example("20240501T100500Z ERROR db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down", True),
            Example("2024-05-01 10:05:00 CST ERROR db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down"),
            Example("2024-05-01 12:05:00 CEST ERROR db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down", True),
            Example("2024年5月1日 10:05:00 错误 数据库不可用", "2024-05-01T10:05:00Z", Level.ERROR, (), "数据库不可用"),
        ),
        rest=Rest.LAYOUT,
        begins=r"\d",
    ),
    Row(
        "bracketed",
        r"^[\[(<\"]{any}(?! #\d)(?!\]\[\w{4,6} {0,2}\]\[o\.e\.)"
        r"(?!\] [A-Z]{4,5} [^\n]{1,2000}\(kafka\.[\w.$]{1,100}\)$)"
        r"(?!\] \"(?:[A-Z]{3,10} |- ))"
        rf"{behind.unless(behind.CELERY)}"
        rf"(?!(?<=\d \d{{4}})\]{behind.unnamed(behind.APACHE)})"
        r"(?!(?: [A-Z]\w{1,32}/[\w/+-]{1,64})?\] PHP )[\])>\"]?:?",
        (
            Example(
                "[2024-05-01 10:05:00 +0000] [7] [ERROR] Exception in worker process",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "[7] Exception in worker process",
                True,
            ),
            Example(
                "[2024-05-01T10:05:00,123][ERROR][c.e.Foo] [node-1] db down",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[c.e.Foo] [node-1] db down",
            ),
            Example(
                "[2024-05-01 10:05:00.123][12][error][main] [source/server/server.cc:412] failed",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[12] [main] [source/server/server.cc:412] failed",
            ),
            Example(
                "[2024-05-01T10:05:00.123+0000][info][gc] GC(0) Pause Young",
                "2024-05-01T10:05:00.123Z",
                Level.INFO,
                (),
                "[gc] GC(0) Pause Young",
                True,
            ),
            Example(
                "[01-May-2024 10:05:00] WARNING: [pool www] server reached pm.max_children",
                "2024-05-01T10:05:00Z",
                Level.WARN,
                (),
                "[pool www] server reached pm.max_children",
            ),
        ),
        rest=Rest.LAYOUT,
        begins=r"[\[(<\"]",
    ),
    Row(
        "process first",
        r"^\[(?P<pid>\d{1,10})\] {any}",
        (
            Example(
                "[1] 2024/05/01 10:05:00.123456 [ERR] db down",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "db down pid=1",
            ),
        ),
        rest=Rest.LAYOUT,
        begins=r"\[",
    ),
    Row(
        "day and month by name",
        r"^{day_month}",
        (
            Example(
                "08-Jul-2026 11:11:00.123 SEVERE [main] x.Y deadlock detected",
                "2026-07-08T11:11:00.123Z",
                Level.ERROR,
                (),
                "[main] x.Y deadlock detected",
            ),
            Example(
                "01 May 2024 10:05:00,123 ERROR [main] db down",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[main] db down",
            ),
            Example(
                "Wed, 01 May 2024 10:05:00 +0000 ERROR db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "db down",
                True,
            ),
        ),
        rest=Rest.LAYOUT,
        begins=r"[\dA-Z]",
    ),
    Row(
        "month first",
        rf"^(?!{FORMS['syslog'].pattern}(?:{_UNNAMED_SYSLOG})){{month_day}}{behind.unless(behind.JUL)}",
        (
            Example(
                "Wed May 01 2024 10:05:00 GMT+0800 (China Standard Time) ERROR db down",
                "2024-05-01T02:05:00Z",
                Level.ERROR,
                (),
                "(China Standard Time) db down",
                True,
            ),
            Example("May 01 10:05:00 Installed: foo-1.2", "2024-05-01T10:05:00Z", None, (), "Installed: foo-1.2"),
            Example("May  1 10:05:00 ERROR order: db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "order: db down"),
        ),
        has_levels=None,
        rest=Rest.LAYOUT,
        begins="[A-Z]",
    ),
    Row(
        "day and month in numbers",
        r"^{numbers}",
        (
            Example(
                "08.07.2026 11:13:00 ERROR deadlock detected",
                "2026-07-08T11:13:00Z",
                Level.ERROR,
                (),
                "deadlock detected",
            ),
            Example("31/05/2024 10:05:00 ERROR db down", "2024-05-31T10:05:00Z", Level.ERROR, (), "db down"),
            Example("05/31/2024 10:05:00 PM [ERROR] db down", "2024-05-31T22:05:00Z", Level.ERROR, (), "db down"),
            Example("05/06/2024 10:05:00 ERROR db down", "", Level.ERROR, (), "db down"),
        ),
        rest=Rest.LAYOUT,
        begins=r"\d",
    ),
    Row(
        "level first",
        rf"^(?:[\[(<]?{_LEVEL}[\])>]?|(?P<letter>[DIWEFCTN])(?=[ \t]))[ \t]{{0,8}}[:|-]?[ \t]{{0,8}}"
        r"(?:\[(?P<hint>[^\[\]\s]{1,96})\] |\[(?=\d{4}))?[\[(]?{any}[\])]?[:,]?",
        (
            Example(
                "[ERROR] 2024-05-01T10:05:00Z sync failed", "2024-05-01T10:05:00Z", Level.ERROR, (), "sync failed", True
            ),
            Example(
                "ERROR: 2024/05/01 10:05:00 main.go:12: db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "main.go:12: db down",
            ),
            Example(
                "INFO  [main] 2024-05-01 10:05:00,123 StorageService.java:12 - starting",
                "2024-05-01T10:05:00.123Z",
                Level.INFO,
                (),
                "main StorageService.java:12 - starting",
            ),
            Example("ERRO[2024-05-01T10:05:00Z] db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down", True),
            Example("[error] [2024-05-01 10:05:00] db down", "2024-05-01T10:05:00Z", Level.ERROR, (), "db down"),
        ),
        rest=Rest.LAYOUT,
        begins=r"[^\d\s{]",
    ),
    Row(
        "file name first",
        r"^(?P<file>[\w./-]{1,160}\.(?:log|txt|out|err|json)[\w.-]{0,32}):(?P<at_line>\d{1,9}[:-])? ?{any}",
        (
            Example(
                "logs/app.log:12:2024-05-01 10:05:00 ERROR db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "db down file=logs/app.log at_line=12:",
            ),
        ),
        rest=Rest.LAYOUT,
    ),
    Row(
        "TAI64N",
        r"^{tai}",
        (
            Example(
                "@40000000663213d6075bca00 [ERROR] db down",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "db down",
                True,
            ),
        ),
        rest=Rest.LAYOUT,
        begins="@",
    ),
    Row(
        "epoch",
        r"^[\[(<\"]?(?=\d{10}\.\d|\d{10}[\])>\":,|\t]|\d{13}[\])>\":,|\t ]|\d{10} \[?[A-Z]{4,8}\b)"
        rf"{{epoch}}(?! {{1,8}}\d{{1,9}} \S{{1,64}} [A-Z_]{{3,32}}/\d)"
        rf"(?! {behind.HOST} {behind.PROGRAM}\[\d{{1,10}}\]:)[\])>\"]?[:,]?",
        (
            Example("1714557900.123 ERROR db down", "2024-05-01T10:05:00.123Z", Level.ERROR, (), "db down", True),
            Example(
                "1714557900: New connection from 10.0.0.1",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "New connection from 10.0.0.1",
                True,
            ),
            Example(
                "[1714557900] SERVICE ALERT: web;CRITICAL",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "SERVICE ALERT: web;CRITICAL",
                True,
            ),
            Example("1714557900123 [ERROR] db down", "2024-05-01T10:05:00.123Z", Level.ERROR, (), "db down", True),
        ),
        rest=Rest.LAYOUT,
        begins=r"[\d\[(<\"]",
    ),
    Row(
        "time of day",
        r"^[\[(]?\d{1,2}:\d{2}(?::\d{2}(?:[.,:]\d{1,9})?)?(?: ?[AaPp][Mm])?[\])]?(?=[\s|\[:-]|$)",
        (
            Example("11:17:05.123 [main] ERROR c.e.Foo - full", "", Level.ERROR, (), "[main] c.e.Foo - full"),
            Example("10:05AM ERR db down error=refused", "", Level.ERROR, (), "db down error=refused"),
            Example("[11:17][WARN][a] x", "", Level.WARN, (), "[a] x"),
        ),
        rest=Rest.LAYOUT,
        begins=r"[\d\[(]",
    ),
)
