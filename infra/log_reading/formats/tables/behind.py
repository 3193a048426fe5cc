"""What stands behind a stamp at the head of a line where a format of its own is known; no general row takes these."""

from __future__ import annotations

import re

from domain.language.levels import LEVEL_WORDS

_LEVEL = rf"(?i:{'|'.join(LEVEL_WORDS)})"
_NOT_A_LEVEL = rf"(?!{_LEVEL}(?:[:\[]))"
PROGRAM = rf"{_NOT_A_LEVEL}[A-Za-z_][^\s:\[\]()|]{{0,95}}"
HOST = r"[A-Za-z0-9][\w.-]{0,254}"
_NO_LEVEL = rf"(?!{_LEVEL}(?:[\s:|,]|$)|main |root |\d{{1,20}} )"

SYSLOG = (
    rf" {{1,2}}{_NO_LEVEL}(?P<host>[A-Za-z0-9_.][^\s\[\]()|\"]{{0,254}}) {{1,2}}(?:-- )?{_NOT_A_LEVEL}"
    r"(?P<name>[^\s:\[\]()|]{1,96}|[^\s:\[\]()|]{1,64}(?: [^\s:\[\]()|]{1,64}){1,3}(?=\[\d))"
    r"(?: (?P<version>\d[\d.]{0,15}))?(?:\((?P<part>[^()\s]{1,64})\))?(?:\[(?P<pid>[\w.-]{1,32})\])?"
    r"(?: \((?P<child>[^()]{1,200})\))?:(?: \[(?P<part_number>\d{1,6}-\d{1,4})\](?= ))?(?=\s|$)"
)
SYSLOG_REPEATED = r" (?P<host>[^\s:]{1,255}) (?=(?:-- )?(?:last )?message repeated \d|-- MARK --)"
JUL = r" (?P<hint>[A-Za-z_$][\w$]{0,64}(?:\.[\w$]{1,64}){1,16})(?P<kept> [\w$<>]{1,100})?$"
SYSLOG_WITH_PID = (
    rf" (?={HOST} {PROGRAM}\[\d){_NO_LEVEL}(?P<host>{HOST}) (?P<name>{PROGRAM})\[(?P<pid>\d{{1,10}})\]:(?=\s|$)"
)
SYSLOG_WITHOUT_PID = rf"(?<=[+-]\d\d:\d\d) {_NO_LEVEL}(?P<host>{HOST}) (?P<name>{PROGRAM}):(?=\s|$)"
JOURNAL_WITHOUT_PID = rf"(?<=[+-]\d\d\d\d) {_NO_LEVEL}(?P<host>{HOST}) (?P<name>{PROGRAM}):(?=\s|$)"
MYSQL = (
    r" (?P<thread>\d{1,20}) \[(?P<level>Note|System|(?:Warning|ERROR)"
    r"(?=\] (?:\[MY-\d|InnoDB: |mysqld|mariadbd|Aborting|Plugin |Slave |Server |Aria |Event |Got |Access denied)))\]"
)
MYSQL_QUERIES = (
    r"\t {0,12}(?P<thread>\d{1,20}) (?P<command>Connect|Query|Quit|Prepare|Execute|Statistics|Init DB|Field List"
    r"|Close stmt|Reset stmt|Ping|Shutdown|Change user|Fetch|Binlog Dump)(?=\t|$)"
)
MONGODB = r" (?P<letter>[DIWEF])(?:[1-5])? {1,4}(?P<component>[A-Z]{1,10}|-) {1,10}(?=\[)"
SPRING = (
    r" {1,4}(?P<level>[A-Z]{4,7}) (?:\[(?P<name_traced>[\w.-]{0,96}),[\w-]{0,64},[\w-]{0,64}(?:,\w{0,8})?\] )?"
    r"(?P<pid>\d{1,10}|\$\{sys:PID\}) --- (?:\[ {0,60}(?P<name>[A-Za-z][\w.-]{1,95}) {0,60}\] (?=\[))?"
)
CLOUD_INIT = r" - (?P<hint>[\w./-]{1,96}\.py)\[(?P<level>[A-Z]{4,8})\]:"
DPKG = (
    r" (?=status (?:not-)?(?:installed|unpacked|half-|config-files|triggers-)|startup (?:archives|packages) "
    r"|(?:install|upgrade|configure|trigproc|remove|purge) \S{1,128}:\w{1,16} \S{1,128} |conffile /)"
)
IIS = r"(?= (?:\S{1,64} [\w-]{1,64} )?[\da-f.:]{3,45} (?:GET|POST|PUT|DELETE|HEAD|OPTIONS|PATCH) /)"
GC = r": (?P<uptime>\d{1,10}\.\d{3}): (?=\[|#|Total|Application)"
CRI = r" (?:stdout|stderr) [FP](?: |$)"
CELERY = rf": (?P<level>{_LEVEL})(?:/(?P<process>[\w.-]{{1,64}}))?\](?: |$)"
CONSOLE = rf"\t(?P<level>{_LEVEL})\t"
REQUEST = r"\] (?=\"(?:[A-Z]{3,10} |- ))"
ELASTICSEARCH = r"\]\[(?P<level>[A-Z]{4,6}) {0,2}\]\[(?P<hint>o\.e\.[\w.$]{1,120}) {0,30}\] \[(?P<node>[^\[\]]{1,96})\]"

APACHE = r" \[(?:(?P<module>\w{0,32}):)?(?P<level>emerg|alert|crit|error|warn|notice|info|debug|trace[1-8]?)\] "
NGINX = r" \[(?P<level>[a-z]{4,6})\] (?P<process>\d{1,10}#\d{1,10}):"
POSTGRESQL_LEVEL = (
    r"(?P<level>DEBUG[1-5]?|INFO|NOTICE|WARNING|LOG|ERROR|FATAL|PANIC|日志|错误|警告|致命错误|注意|信息):  "
)
POSTGRESQL_PART = r"(?P<part>DETAIL|HINT|STATEMENT|CONTEXT|QUERY|LOCATION|BACKTRACE|语句|详细信息|提示|上下文):  "
_PG = r" ?(?:\[[^\[\]]{1,64}\][: ]{0,2}|[^\s\[\]:]{0,96}[: ]{1,2}){0,6}?"
_ZONED = r"(?:(?<=[A-Z]{3})|(?<=[+-]\d\d))"
POSTGRESQL = rf"{_ZONED}(?P<kept>{_PG})\s?{POSTGRESQL_LEVEL}"
POSTGRESQL_DETAIL = rf"{_ZONED}(?P<kept>{_PG})\s?{POSTGRESQL_PART}"
CSVLOG = r",(?:\"[^\"]{0,64}\")?,(?:\"[^\"]{0,64}\")?,\d{1,10},(?:\"[^\"]{0,64}\")?,[0-9a-f]{1,16}\.[0-9a-f]{1,8},"


def unless(*patterns: str) -> str:
    """That none of them stands here."""
    return f"(?!{'|'.join(map(unnamed, patterns))})"


def unnamed(pattern: str) -> str:
    """The pattern without names of its groups."""
    return _NAMED.sub("?:", pattern)


_NAMED = re.compile(r"\?P<\w+>")
