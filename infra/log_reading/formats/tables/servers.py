"""Web servers, proxies, application servers and queues."""

from __future__ import annotations

from domain.language.levels import Level
from infra.log_reading.formats.row import Example, Row
from infra.log_reading.formats.stamps import FORMS
from infra.log_reading.formats.tables import behind

_CLIENT = r"(?P<client>\S{1,255}) (?P<ident>\S{1,64}) (?P<user>\S{1,128})"
_REQUEST = r"(?=\"|\d{3}|-)"

ROWS = (
    Row(
        "access",
        rf"^{_CLIENT} \[{{access}}\] {_REQUEST}",
        (
            Example(
                '198.51.100.3 - - [01/May/2024:10:03:00 +0000] "GET /orders/3 HTTP/1.1" 500 123 "-" "curl/8"',
                "2024-05-01T10:03:00Z",
                None,
                (),
                '"GET /orders/3 HTTP/1.1" 500 123 "-" "curl/8" client=198.51.100.3',
                True,
            ),
        ),
        has_levels=False,
    ),
    Row(
        "access of a host",
        rf"^(?P<host>[\w.:-]{{1,255}}) {_CLIENT} \[{{any}}\] {_REQUEST}",
        (
            Example(
                'shop.example:443 198.51.100.3 - bob [01/May/2024:10:03:00 +0000] "GET / HTTP/1.1" 200 5',
                "2024-05-01T10:03:00Z",
                None,
                (),
                '"GET / HTTP/1.1" 200 5 host=shop.example:443 client=198.51.100.3 user=bob',
                True,
            ),
        ),
        has_levels=False,
    ),
    Row(
        "access, other stamps",
        rf"^{_CLIENT} \[(?!{FORMS['access'].pattern}\]){{any}}\] {_REQUEST}",
        (
            Example(
                '127.0.0.1 - - [01/May/2024 10:03:00] "GET / HTTP/1.1" 200 -',
                "2024-05-01T10:03:00Z",
                None,
                (),
                '"GET / HTTP/1.1" 200 - client=127.0.0.1',
            ),
        ),
        has_levels=False,
    ),
    Row(
        "requests in brackets",
        r"^\[{any}" + behind.REQUEST,
        (
            Example(
                '[2024-05-01T10:03:00.000Z] "GET /orders HTTP/1.1" 503 UF 0 91 12 - "10.0.0.1" "curl"',
                "2024-05-01T10:03:00Z",
                None,
                (),
                '"GET /orders HTTP/1.1" 503 UF 0 91 12 - "10.0.0.1" "curl"',
                True,
            ),
            Example(
                '[01/May/2024 10:03:00] "GET / HTTP/1.1" 200 12',
                "2024-05-01T10:03:00Z",
                None,
                (),
                '"GET / HTTP/1.1" 200 12',
            ),
        ),
        has_levels=False,
        begins=r"\[",
    ),
    Row(
        "IIS",
        rf"^{{iso}}{behind.IIS}",
        (
            Example(
                "2024-05-01 10:03:00 10.0.0.1 GET /orders - 443 - 198.51.100.3 curl 500 0 0 15",
                "2024-05-01T10:03:00Z",
                None,
                (),
                "10.0.0.1 GET /orders - 443 - 198.51.100.3 curl 500 0 0 15",
            ),
        ),
        has_levels=False,
        begins=r"\d",
    ),
    Row(
        "comments of W3C logs",
        r"^(?!#Fields:)#(?:Software|Version|Date|GMT-Offset|Start-Date|End-Date|Remark|Comment|separator|set_separator"
        r"|empty_field"
        r"|unset_field|path|open|close|fields|types)(?=[:\t ])",
        (Example("#Software: Microsoft Internet Information Services 8.5", "", None, (), None),),
        has_levels=False,
        begins="#",
    ),
    Row(
        "uWSGI",
        r"^\[pid: (?P<pid>\d{1,10})\|[^\]\n]{1,128}\] (?P<client>\S{1,64}) \((?P<user>[^()]{0,64})\) "
        r"\{[^{}\n]{1,64}\} \[{month_day}\] ",
        (
            Example(
                "[pid: 88185|app: 0|req: 1/1] 10.0.0.1 () {38 vars in 696 bytes} [Wed May 01 10:05:00 2024] POST /a",
                "2024-05-01T10:05:00Z",
                None,
                (),
                "POST /a pid=88185 client=10.0.0.1",
            ),
        ),
        has_levels=False,
        service="uwsgi",
        begins=r"\[",
    ),
    Row(
        "load balancer",
        r"^(?P<type>https?|h2|grpcs|wss?) {iso} (?=(?:app|net)/)",
        (
            Example(
                "https 2024-05-01T10:03:00.186641Z app/shop/50dc 198.51.100.3:2817 10.0.0.1:80 0.0 0.1 0.0 502 - 34",
                "2024-05-01T10:03:00.186641Z",
                None,
                (),
                "app/shop/50dc 198.51.100.3:2817 10.0.0.1:80 0.0 0.1 0.0 502 - 34 type=https",
                True,
            ),
        ),
        has_levels=False,
        begins=r"[hgw]",
    ),
    Row(
        "Squid",
        r"^{epoch} {1,8}(?P<elapsed>\d{1,9}) (?P<client>\S{1,64}) (?=[A-Z_]{3,32}/\d{3} )",
        (
            Example(
                "1714557780.123    456 10.0.0.1 TCP_MISS/503 1234 GET http://a/ - HIER_DIRECT/b text/html",
                "2024-05-01T10:03:00.123Z",
                None,
                (),
                "TCP_MISS/503 1234 GET http://a/ - HIER_DIRECT/b text/html elapsed=456 client=10.0.0.1",
                True,
            ),
        ),
        has_levels=False,
        begins=r"\d",
    ),
    Row(
        "HAProxy",
        r"^(?:haproxy\[(?P<pid>\d{1,10})\]: )?(?P<client>[\da-fA-F.:]{3,45}:\d{1,5}) \[{day_month}\] ",
        (
            Example(
                '10.0.0.1:5000 [01/May/2024:10:03:00.123] fe be/srv1 0/0/0/1/1 503 212 - - ---- 1/1/0/0/0 0/0 "GET /"',
                "2024-05-01T10:03:00.123Z",
                None,
                (),
                'fe be/srv1 0/0/0/1/1 503 212 - - ---- 1/1/0/0/0 0/0 "GET /" client=10.0.0.1:5000',
            ),
        ),
        has_levels=False,
        service="haproxy",
        begins=r"[\da-fA-F:h]",
    ),
    Row(
        "nginx",
        rf"^{{year}}{behind.NGINX}",
        (
            Example(
                "2024/05/01 10:05:00 [error] 12#12: *1 connect() failed",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "*1 connect() failed process=12#12",
            ),
        ),
        service="nginx",
        begins=r"\d",
    ),
    Row(
        "Apache",
        rf"^\[{{month_day}}\]{behind.APACHE}"
        r"(?:\[pid (?P<pid>\d{1,10})(?::tid (?P<tid>\d{1,20}))?\] )?(?:\[client (?P<client>[^\]]{1,64})\] )?",
        (
            Example(
                "[Wed May 01 10:05:00.123456 2024] [core:error] [pid 12:tid 34] [client 10.0.0.1:5] AH00037: denied",
                "2024-05-01T10:05:00.123456Z",
                Level.ERROR,
                (),
                "AH00037: denied module=core pid=12 tid=34 client=10.0.0.1:5",
            ),
            Example(
                "[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6",
                "2005-12-04T04:47:44Z",
                Level.ERROR,
                (),
                "mod_jk child workerEnv in error state 6",
            ),
        ),
        may_be="httpd",
        begins=r"\[",
    ),
    Row(
        "Kafka",
        r"^\[{iso}\] {LEVEL} (?=[^\n]{1,2000}\(kafka\.[\w.$]{1,100}\)$)",
        (
            Example(
                "[2024-05-01 10:05:00,123] ERROR [KafkaServer id=0] failed (kafka.server.KafkaServer)",
                "2024-05-01T10:05:00.123Z",
                Level.ERROR,
                (),
                "[KafkaServer id=0] failed (kafka.server.KafkaServer)",
            ),
        ),
        service="kafka",
        begins=r"\[",
    ),
    Row(
        "RabbitMQ reports",
        r"^={LEVEL} REPORT==== {day_month} ===$",
        (Example("=ERROR REPORT==== 1-May-2024::10:05:00 ===", "2024-05-01T10:05:00Z", Level.ERROR, (), ""),),
        service="rabbitmq",
        next_lines=r"(?!=[A-Z]+ REPORT====)",
        begins=r"=",
    ),
    Row(
        "WebLogic",
        r"^####<{month_day}> <(?P<level>[A-Za-z]{3,9})> <(?P<hint>[^<>]{0,64})> ",
        (
            Example(
                "####<May 1, 2024 10:05:00 AM UTC> <Error> <Security> <web1> <srv1> db down",
                "2024-05-01T10:05:00Z",
                Level.ERROR,
                (),
                "Security <web1> <srv1> db down",
                True,
            ),
        ),
        begins=r"#",
    ),
)
