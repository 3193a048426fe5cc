"""Frameworks and loggers of programming languages."""

from __future__ import annotations

from domain.language.levels import Level
from infra.log_reading.formats.row import Example, Rest, Row
from infra.log_reading.formats.tables import behind

ROWS = (
    Row(
        "Spring Boot",
        rf"^{{iso}}{behind.SPRING}",
        (
            Example(
                "2024-05-01T10:05:00.123Z ERROR 12 --- [order-service] [nio-8080-exec-1] c.e.Foo : slow",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                ("order-service",),
                "[nio-8080-exec-1] c.e.Foo : slow pid=12",
                True,
            ),
            Example(
                "2024-05-01 10:05:00.123  WARN 12 --- [           main] c.e.Foo : slow",
                "2024-05-01T10:05:00.123Z",
                Level.WARN,
                (),
                "[           main] c.e.Foo : slow pid=12",
            ),
        ),
        rest=Rest.LAYOUT,
        begins=r"\d",
    ),
    Row(
        "klog",
        r"^(?P<letter>[IWEF]){month_number} {1,8}(?P<thread>\d{1,10}) (?P<hint>[\w./-]{1,128}):(?P<line>\d{1,6})\] ?",
        (
            Example(
                "E0501 10:05:00.123456       1 controller.go:12] OutOfMemoryError",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "controller.go OutOfMemoryError thread=1 line=12",
            ),
        ),
        begins=r"[IWEF]",
    ),
    Row(
        "glog",
        r"^(?P<letter>[IWEF]){year} {1,8}(?P<thread>\d{1,10}) (?P<hint>[\w./-]{1,128}):(?P<line>\d{1,6})\] ?",
        (
            Example(
                "E20240501 10:05:00.123456     1 main.cc:12] db down",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "main.cc db down thread=1 line=12",
            ),
        ),
        begins=r"[IWEF]",
    ),
    Row(
        "Rails",
        r"^(?:[DIWEFAU], )?\[{iso}(?: #(?P<pid>\d{1,10}))\] {1,4}{LEVEL} -- (?P<hint>[^:]{0,64}): ?",
        (
            Example(
                "E, [2024-05-01T10:05:00.123456 #1] ERROR -- : db down",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "db down pid=1",
            ),
        ),
        begins=r"[\[DIWEFAU]",
    ),
    Row(
        "Celery",
        rf"^\[{{iso}}{behind.CELERY}",
        (
            Example(
                "[2024-05-01 10:05:00,123: ERROR/MainProcess] app: task failed",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "app: task failed process=MainProcess",
            ),
        ),
        begins=r"\[",
    ),
    Row(
        "console",
        rf"^{{iso}}{behind.CONSOLE}(?:(?P<hint>[A-Za-z][\w./-]{{0,95}})\t(?=[^\t{{]))?"
        r"(?:(?P<caller>[\w./@-]{1,160}\.\w{1,4}:\d{1,6})\t)?",
        (
            Example(
                "2024-05-01T10:05:00.000Z\tinfo\tserver/main.go:12\tstarted",
                "2024-05-01T10:05:00Z",
                Level.INFO,
                (),
                "started caller=server/main.go:12",
                True,
            ),
            Example(
                '2024-05-01T10:05:00.000+0800\tERROR\tpkg/file.go:12\tdb is down: a.example\t{"attempt": 3, "on": "b"}',
                "2024-05-01T02:05:00Z",
                Level.ERROR,
                (),
                "db is down: a.example attempt=3 on=b caller=pkg/file.go:12",
                True,
            ),
            Example(
                '2024-05-01T10:05:00.000Z\tINFO\tctl.metrics\tctl/a.go:7\tstarted\t{"service": "order"}',
                "2024-05-01T10:05:00Z",
                Level.INFO,
                ("order",),
                "ctl.metrics started caller=ctl/a.go:7",
                True,
            ),
            Example("2024-05-01T10:05:00.000Z\tINFO\ttick", "2024-05-01T10:05:00Z", Level.INFO, (), "tick", True),
            Example(
                '2024-05-01T10:05:00.000Z\tWARN\ttick\t{"vendor": "x"}',
                "2024-05-01T10:05:00Z",
                Level.WARN,
                (),
                "tick vendor=x",
                True,
            ),
        ),
        rest=Rest.FIELDS,
        next_lines=r"[\w./@~-]{1,200}\.[\w.*()\[\]-]{1,200}$",
        begins=r"\d",
    ),
    Row(
        "java.util.logging",
        rf"^{{month_day}}{behind.JUL}",
        (
            Example(
                "May 01, 2024 10:05:00 AM com.example.Foo run", "2024-05-01T10:05:00Z", None, (), "com.example.Foo run"
            ),
            Example(
                "May 01, 2024 10:05:00 AM com.example.Foo run\nSEVERE: db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "db down (com.example.Foo run)",
            ),
        ),
        next_lines=r"[A-Z]{4,7}: ",
        second=r"(?P<level>[A-Z]{4,7}):",
        begins=r"[A-Z]",
    ),
    Row(
        "Spark",
        r"^{short_year} (?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL) {1,2}(?P<hint>[\w.$/-]{1,128}): ?",
        (
            Example(
                "17/06/09 20:10:40 INFO executor.CoarseGrainedExecutorBackend: Registered signal handlers",
                "2017-06-09T20:10:40Z",
                Level.INFO,
                (),
                "executor.CoarseGrainedExecutorBackend Registered signal handlers",
            ),
        ),
        begins=r"\d",
    ),
    Row(
        "HDFS",
        r"^{short_year} (?P<thread>\d{1,10}) (?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL) (?P<hint>[\w.$]{1,128}): ?",
        (
            Example(
                "081109 203615 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block terminating",
                "2008-11-09T20:36:15Z",
                Level.INFO,
                (),
                "dfs.DataNode$PacketResponder PacketResponder 1 for block terminating thread=148",
            ),
        ),
        begins=r"\d",
    ),
    Row(
        "OpenStack with file names",
        r"^(?P<file>[\w.-]{1,64}\.log[\w.:-]{0,64}) {iso} (?P<pid>\d{1,10}) {LEVEL} ",
        (
            Example(
                "nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO nova.osapi [req-1 - - -] GET",
                "2017-05-16T00:00:00.008Z",
                Level.INFO,
                (),
                "nova.osapi [req-1 - - -] GET file=nova-api.log.1.2017-05-16_13:53:08 pid=25746",
            ),
        ),
    ),
    Row(
        "PHP",
        r"^\[{day_month}\] PHP (?P<level>Fatal error|Parse error|Recoverable fatal error|"
        r"Warning|Notice|Deprecated|Strict Standards)?:? {0,2}",
        (
            Example(
                "[01-May-2024 10:05:00 UTC] PHP Fatal error:  Uncaught Exception: db down",
                "2024-05-01T10:05:00Z",
                Level.FATAL,
                (),
                "Uncaught Exception: db down",
                True,
            ),
        ),
        begins=r"\[",
    ),
    Row(
        "PHP with areas",
        r"^\[{day_month_area}\] PHP (?P<level>Fatal error|Parse error|Recoverable fatal error|"
        r"Warning|Notice|Deprecated|Strict Standards)?:? {0,2}",
        (
            Example(
                "[01-May-2024 18:05:00 Asia/Shanghai] PHP Fatal error:  Uncaught Exception: db down",
                "2024-05-01T10:05:00Z",
                Level.FATAL,
                (),
                "Uncaught Exception: db down",
                True,
            ),
        ),
        begins=r"\[",
    ),
    Row(
        "logrus on a terminal",
        r"^(?P<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,10}\] ?",
        (Example("ERRO[0012] db down  host=a", "", Level.ERROR, (), "db down  host=a"),),
        begins=r"[TDIWEFP]",
    ),
    Row(
        "Python without stamps",
        r"^(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?P<hint>[\w.]{1,128}):",
        (
            Example(
                "ERROR:django.request:Internal Server Error",
                "",
                Level.ERROR,
                (),
                "django.request Internal Server Error",
            ),
        ),
        begins=r"[DIWEC]",
    ),
    Row(
        "garbage collector",
        rf"^{{iso}}{behind.GC}",
        (
            Example(
                "2024-05-01T10:05:00.123+0000: 12.345: [GC (Allocation Failure) 65536K->10748K(251392K), 0.01 secs]",
                "2024-05-01T10:05:00.123Z",
                None,
                (),
                "[GC (Allocation Failure) 65536K->10748K(251392K), 0.01 secs] uptime=12.345",
                True,
            ),
        ),
        has_levels=False,
        begins=r"\d",
    ),
    Row(
        "garbage collector, uptime",
        r"^\[(?P<uptime>\d{1,10}\.\d{3})s\](?:\[(?P<level>[a-z]{4,7}) {0,3}\])?",
        (Example("[0.123s][info][gc] GC(0) Pause Young", "", Level.INFO, (), "[gc] GC(0) Pause Young uptime=0.123"),),
        rest=Rest.LAYOUT,
        begins=r"\[",
    ),
    Row(
        "Windows events",
        r"^(?P<level>Error|Warning|Information|Critical|Verbose|Audit Success|Audit Failure),{numbers},"
        r"(?P<name>[^,]{1,96}),(?P<event>\d{1,6}),",
        (
            Example(
                "Error,05/31/2024 10:05:00 AM,Application Error,1000,(100),Faulting application",
                "2024-05-31T10:05:00Z",
                Level.ERROR,
                ("Application Error",),
                "(100),Faulting application event=1000",
            ),
        ),
        begins=r"[EWICVA]",
    ),
)
