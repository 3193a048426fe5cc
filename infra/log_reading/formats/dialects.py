"""What the keys of structured entries mean, a dialect a row, and the usual names for all the others."""

from __future__ import annotations

from dataclasses import dataclass

from domain.language.levels import Level, Scale


@dataclass(frozen=True, slots=True)
class Dialect:
    """`marks`: keys at the top that only it has together. Paths are in the order of preference; nested keys are joined
    by dots. `scale`: what numbers of its level mean. `inner`: its message may be an entry of another format.
    `absent`: the level of an entry without one, where the format lays that down."""

    name: str
    marks: frozenset[str]
    time: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    message: tuple[str, ...] = ()
    scale: Scale | None = None
    has_levels: bool | None = True
    service: str = ""
    inner: bool = False
    absent: Level | None = None


def _dialect(
    name: str,
    marks: str,
    *,
    time: str = "",
    level: str = "",
    names: str = "",
    hints: str = "",
    message: str = "",
    scale: Scale | None = None,
    has_levels: bool | None = True,
    service: str = "",
    inner: bool = False,
    absent: Level | None = None,
) -> Dialect:
    return Dialect(
        name,
        frozenset(marks.split()),
        tuple(time.split()),
        tuple(level.split()),
        tuple(names.split()),
        tuple(hints.split()),
        tuple(message.split()),
        scale,
        has_levels,
        service,
        inner,
        absent,
    )


DIALECTS: tuple[Dialect, ...] = (
    Dialect("Windows events", frozenset(("Level", "Source", "Event ID")), level=("Level",), names=("Source",)),
    Dialect("Windows events", frozenset(("级别", "来源", "事件 ID")), level=("级别",), names=("来源",)),
    _dialect(
        "Docker",
        "log stream time",
        time="time",
        message="log",
        inner=True,
        has_levels=None,
        names="attrs.service attrs.com.docker.compose.service",
        hints="attrs.tag",
    ),
    _dialect("Docker", "log time", time="time", message="log", inner=True, has_levels=None),
    _dialect(
        "journal",
        "__REALTIME_TIMESTAMP",
        time="_SOURCE_REALTIME_TIMESTAMP __REALTIME_TIMESTAMP",
        level="PRIORITY",
        names="CONTAINER_NAME _SYSTEMD_UNIT _SYSTEMD_USER_UNIT UNIT SYSLOG_IDENTIFIER",
        hints="_COMM _HOSTNAME",
        message="MESSAGE",
        scale=Scale.SYSLOG,
        inner=True,
    ),
    _dialect(
        "GELF",
        "version host short_message",
        time="timestamp",
        level="level",
        names="_service _service_name _app _application _container_name",
        hints="facility _facility host _logger",
        message="short_message",
        scale=Scale.GELF,
        inner=True,
    ),
    _dialect(
        "CLEF",
        "@t",
        time="@t",
        level="@l",
        names="Application ServiceName service.name Service App ApplicationName",
        hints="SourceContext",
        message="@m @mt",
        absent=Level.INFO,
    ),
    _dialect(
        "Serilog",
        "Timestamp MessageTemplate",
        time="Timestamp",
        level="Level",
        names="Properties.Application Properties.ServiceName Properties.Service",
        hints="Properties.SourceContext",
        message="RenderedMessage MessageTemplate",
    ),
    _dialect(
        "hclog", "@timestamp @level @message", time="@timestamp", level="@level", hints="@module", message="@message"
    ),
    _dialect(
        "CloudWatch",
        "@timestamp @message",
        time="@timestamp",
        message="@message",
        hints="@logStream @log",
        inner=True,
        has_levels=None,
    ),
    _dialect(
        "CloudWatch",
        "timestamp message logGroup",
        time="timestamp",
        message="message",
        hints="logStream logGroup",
        inner=True,
        has_levels=None,
    ),
    _dialect(
        "CloudWatch",
        "timestamp message ingestionTime",
        time="timestamp",
        message="message",
        hints="logStreamName logGroupName",
        inner=True,
        has_levels=None,
    ),
    _dialect(
        "Google Cloud",
        "jsonPayload",
        time="timestamp jsonPayload.timestamp jsonPayload.time receiveTimestamp",
        level="severity jsonPayload.severity jsonPayload.level",
        names="resource.labels.container_name resource.labels.service_name resource.labels.module_id "
        "resource.labels.function_name resource.labels.job_name labels.k8s-pod/app "
        "labels.k8s-pod/app_kubernetes_io/name jsonPayload.service jsonPayload.serviceContext.service",
        hints="resource.labels.pod_name labels.k8s-pod/name logName",
        message="jsonPayload.message jsonPayload.msg",
        scale=Scale.GCP,
        inner=True,
    ),
    _dialect(
        "Google Cloud",
        "textPayload",
        time="timestamp receiveTimestamp",
        level="severity",
        names="resource.labels.container_name resource.labels.service_name resource.labels.module_id "
        "resource.labels.function_name resource.labels.job_name labels.k8s-pod/app",
        hints="resource.labels.pod_name labels.k8s-pod/name logName",
        message="textPayload",
        scale=Scale.GCP,
        inner=True,
    ),
    _dialect(
        "Google Cloud",
        "protoPayload logName",
        time="timestamp receiveTimestamp",
        level="severity",
        names="protoPayload.serviceName",
        hints="logName",
        scale=Scale.GCP,
    ),
    _dialect("MongoDB", "t s c msg", time="t.$date", level="s", hints="c ctx", message="msg", service="mongodb"),
    _dialect(
        "PostgreSQL",
        "timestamp error_severity",
        time="timestamp",
        level="error_severity",
        message="message",
        service="postgres",
    ),
    _dialect("MySQL", "prio err_code subsystem", time="time ts", level="label", message="msg", service="mysqld"),
    _dialect(
        "log4j 2",
        "instant level",
        time="instant",
        level="level",
        names="service service.name",
        hints="loggerName thread",
        message="message",
    ),
    _dialect(
        "Kubernetes audit",
        "auditID stage verb",
        time="requestReceivedTimestamp stageTimestamp",
        has_levels=False,
        service="kube-apiserver",
    ),
    _dialect(
        "Kubernetes event",
        "involvedObject reason",
        time="lastTimestamp eventTime series.lastObservedTime firstTimestamp metadata.creationTimestamp",
        level="type",
        names="involvedObject.name",
        hints="reportingComponent source.component",
        message="message",
    ),
    _dialect(
        "Kubernetes event",
        "regarding reason",
        time="series.lastObservedTime eventTime deprecatedLastTimestamp metadata.creationTimestamp",
        level="type",
        names="regarding.name",
        hints="reportingController",
        message="note",
    ),
    _dialect(
        "CloudTrail",
        "eventVersion eventTime eventSource",
        time="eventTime",
        names="eventSource",
        message="eventName",
        has_levels=False,
    ),
    _dialect(
        "Suricata",
        "timestamp event_type src_ip",
        time="timestamp",
        message="event_type",
        has_levels=False,
        service="suricata",
    ),
    _dialect("Envoy", "start_time response_code", time="start_time", has_levels=False),
    _dialect(
        "OpenTelemetry",
        "severityNumber",
        time="timeUnixNano timestamp observedTimeUnixNano observedTimestamp",
        level="severityText severityNumber",
        names="resource.service.name resource.attributes.service.name attributes.service.name serviceName",
        hints="scope.name resource.k8s.pod.name",
        message="body",
        scale=Scale.OTEL,
        inner=True,
    ),
    _dialect(
        "OpenTelemetry",
        "severityText",
        time="timeUnixNano timestamp observedTimeUnixNano observedTimestamp",
        level="severityText",
        names="resource.service.name resource.attributes.service.name attributes.service.name serviceName",
        hints="scope.name resource.k8s.pod.name",
        message="body",
        inner=True,
    ),
    _dialect(
        "OpenTelemetry",
        "SeverityText Body",
        time="Timestamp ObservedTimestamp",
        level="SeverityText SeverityNumber",
        names="Resource.service.name Attributes.service.name",
        hints="InstrumentationScope.Name",
        message="Body",
        scale=Scale.OTEL,
        inner=True,
    ),
    _dialect(
        "pino",
        "level time pid hostname",
        time="time",
        level="level",
        names="service name app",
        hints="module component",
        message="msg",
        scale=Scale.PINO,
    ),
    _dialect(
        "pino",
        "level time msg",
        time="time",
        level="level",
        names="service app",
        hints="name logger component",
        message="msg",
        scale=Scale.PINO,
    ),
    _dialect(
        "structlog",
        "levelno",
        time="asctime timestamp time created",
        level="levelname level levelno",
        names="service app",
        hints="name logger module",
        message="message msg event",
        scale=Scale.PYTHON,
    ),
    _dialect(
        "Falco",
        "priority rule output",
        time="time output_fields.evt.time",
        level="priority",
        message="output",
        service="falco",
    ),
    _dialect(
        ".NET", "LogLevel Category Message", time="Timestamp", level="LogLevel", hints="Category", message="Message"
    ),
)
"""Tried in order. A dialect counts for an object that has all its marks."""

TIME_KEYS = (
    *("timestamp", "time", "ts", "datetime", "eventtime", "logtime", "timestamputc", "asctime", "date", "t", "when"),
    *("timeiso8601", "timelocal", "starttime", "starttimestamp", "startutc", "requesttime", "receivetimestamp", "at"),
    *("timemillis", "epochmillis", "timestampms", "tsms", "epoch", "utctime", "utctimestamp", "localtime", "logdate"),
    *(
        "loggedat",
        "recordedat",
        "occurredat",
        "instant",
        "timegenerated",
        "logtimestamp",
        "timeunixnano",
        "created",
        "createdat",
        "eventtimestamp",
        "dt",
    ),
    *("dateandtime", "datetimeutc", "timecreated", "timewritten", "日期和时间", "时间"),
)
LEVEL_KEYS = (
    *("level", "severity", "lvl", "levelname", "loglevel", "log.level", "severitytext", "severityname"),
    "logseverity",
    *("priority", "syslog.severity", "level.name", "lv", "sev", "leveldisplayname", "entrytype", "级别"),
)
NAME_KEYS = (
    *(
        "service",
        "servicename",
        "service.name",
        "app",
        "application",
        "appname",
        "applicationname",
        "svc",
        "microservice",
    ),
    *(
        "kubernetes.containername",
        "kubernetes.container.name",
        "kubernetes.labels.app",
        "containername",
        "container.name",
    ),
    *(
        "kubernetes.labels.app.kubernetes.io/name",
        "kubernetes.labels.appkubernetesio/name",
        "resource.service.name",
        "resource.attributes.service.name",
    ),
    *("fields.service", "fields.app", "labels.app", "labels.service", "context.service", "meta.service"),
)
HINT_KEYS = (
    *("component", "logger", "loggername", "log.logger", "module", "name", "source", "category", "program"),
    "process",
    *("kubernetes.podname", "kubernetes.pod.name", "podname", "pod", "container", "host", "hostname", "unit"),
    "class",
    *("thread", "threadname", "caller", "system", "tag", "task", "job", "container.id", "logstream", "project"),
)
MESSAGE_KEYS = (
    *("message", "msg", "log", "event", "text", "body", "short_message", "shortmessage", "logmessage", "description"),
    *("content", "renderedmessage", "formatted", "消息", "描述"),
)
"""The usual keys, as `plain_key` gives them, in order."""

BATCHES = frozenset({"resourceLogs", "logEvents", "Records", "records", "entries", "events"})
"""Keys of objects that hold several entries."""

ACCESS_KEYS = frozenset({"status", "statuscode", "responsecode", "httpstatus", "responsestatus"})
REQUEST_KEYS = frozenset(
    {"request", "requesturi", "uri", "url", "path", "requestpath", "method", "requestmethod", "req"}
)
"""An object with one of both, and no level, is an access log's entry, which has none by definition."""

_DROPPED = str.maketrans("", "", "_-@ ")


def plain_key(path: str) -> str:
    """A key without what spellings differ in: `log_level`, `LogLevel` and `@log-level` are one."""
    return path.translate(_DROPPED).casefold()
