"""Questions about the Debian server: thirty whose answer stands in its `/var/log`, thirty about what is not there."""

from __future__ import annotations

from tests.long.practical.host_folder import host_tree
from tests.long.practical.host_lines import NOW, Host, april, may
from tests.long.practical.question import Folder, Question, absent
from tests.long.practical.tree import Tree

REQUEST = 'client: 198.51.100.40, server: shop.example.net, request: "POST /api/orders HTTP/1.1", upstream: "http://127.0.0.1:8000/api/orders"'


def _three_bans(host: Host) -> None:
    for hour in (1, 5, 9):
        host.fail2ban(may(14, hour, 7, 12, 101000), "actions", "NOTICE", "[sshd] Ban 198.51.100.99")


def _failed_backup(host: Host) -> None:
    at = may(13, 2, 31, 40)
    host.unit(at, "backup.service: Main process exited, code=exited, status=1/FAILURE")
    host.unit(at, "backup.service: Failed with result 'exit-code'.")
    host.unit(at, "Failed to start backup.service - Nightly backup.")


def _oom(host: Host) -> None:
    kill = "total-vm:4193280kB, anon-rss:3891204kB, file-rss:0kB, shmem-rss:0kB, UID:33 pgtables:8012kB oom_score_adj:0"
    host.kernel(
        may(14, 3, 12, 8), "php-fpm8.2 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"
    )
    host.kernel(may(14, 3, 12, 9), f"Out of memory: Killed process 4312 (php-fpm8.2) {kill}")


CHINESE = (
    Question(
        "nginx 最近一小时有没有 upstream timed out？",
        ("upstream timed out (110: Connection timed out)",),
        lambda h: h.nginx(
            may(14, 10, 5),
            "error",
            f"*8123 upstream timed out (110: Connection timed out) while reading response header, {REQUEST}",
        ),
    ),
    Question(
        "今天早上 8 点到 9 点 postgresql 有报错吗？",
        ("orders_pkey",),
        lambda h: h.postgres(
            may(14, 8, 41, 12), "ERROR", 'duplicate key value violates unique constraint "orders_pkey"'
        ),
    ),
    Question(
        "昨晚 23 点到今天凌晨 1 点 order-api 有没有 ERROR 日志？",
        ("card_declined",),
        lambda h: h.order_api(
            may(13, 23, 48, 3), "ERROR", "order_api.billing", "charge failed for order 88213: card_declined"
        ),
    ),
    Question("最近 24 小时内核有没有触发 OOM？", ("Killed process 4312",), _oom),
    Question(
        "192.0.2.77 这个地址今天有没有尝试登录？",
        ("invalid user oracle from 192.0.2.77",),
        lambda h: h.auth(
            may(14, 4, 2), "sshd[55120]", "Failed password for invalid user oracle from 192.0.2.77 port 51522 ssh2"
        ),
    ),
    Question(
        "历史上有没有出现过“I/O error, dev sdb”？",
        ("I/O error, dev sdb, sector 82313",),
        lambda h: h.kernel(
            april(29, 13, 7), "I/O error, dev sdb, sector 82313 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2"
        ),
    ),
    Question("backup.service 昨天失败了吗？", ("exit-code",), _failed_backup),
    Question(
        "redis 最近三天有没有出现 MISCONF？",
        ("MISCONF",),
        lambda h: h.redis(may(12, 14, 22), "#", "MISCONF Errors writing to the AOF file: Input/output error"),
    ),
    Question(
        "今天 nginx 返回过 502 吗？",
        (" 502 ",),
        lambda h: h.request(may(14, 6, 44), "198.51.100.40", "POST /api/orders", 502, 157),
    ),
    Question(
        "fail2ban 过去两小时封禁了 198.51.100.23 吗？",
        ("Ban 198.51.100.23",),
        lambda h: h.fail2ban(may(14, 9, 41, 22, 101000), "actions", "NOTICE", "[sshd] Ban 198.51.100.23"),
    ),
    Question(
        "本周升级过 openssl 吗？",
        ("openssl", "3.0.16-1~deb12u1"),
        lambda h: h.package(may(12, 6, 21, 33), "openssl", "3.0.15-1~deb12u1", "3.0.16-1~deb12u1"),
    ),
    Question(
        "最近七天证书续期有没有出现“Failed to renew certificate”？",
        ("Failed to renew certificate shop.example.net",),
        lambda h: h.certbot(
            may(10, 5, 12, 9),
            "ERROR",
            "certbot._internal.renewal",
            "Failed to renew certificate shop.example.net with error: Some challenges have failed.",
        ),
    ),
    Question(
        "mysql 昨天下午有没有死锁？",
        ("deadlock detected",),
        lambda h: h.mariadb(
            may(13, 15, 12, 44), "Note", "InnoDB: Transactions deadlock detected, dumping detailed information.", 812
        ),
    ),
    Question(
        "过去 90 分钟 php-fpm 有没有达到 pm.max_children 上限？",
        ("max_children setting (5)",),
        lambda h: h.php(
            may(14, 9, 33, 10), "WARNING", "[pool www] server reached pm.max_children setting (5), consider raising it"
        ),
    ),
    Question(
        "最近 6 小时 postfix 有没有 Connection timed out？",
        ("mx.example.com[203.0.113.88]",),
        lambda h: h.mail(
            may(14, 7, 20), "postfix/smtp[41002]", "connect to mx.example.com[203.0.113.88]:25: Connection timed out"
        ),
    ),
)

ENGLISH = (
    Question(
        "Were there any errors of docker.service in the last two hours?",
        ("No such image",),
        lambda h: h.docker(
            may(14, 9, 12, 44),
            "error",
            "Handler for POST /v1.43/containers/create returned error: No such image: shop:9",
        ),
    ),
    Question(
        'Has anybody tried to log in as root since yesterday, i.e. any "Failed password for root"?',
        ("Failed password for root from 203.0.113.201",),
        lambda h: h.auth(may(13, 22, 10), "sshd[51001]", "Failed password for root from 203.0.113.201 port 33012 ssh2"),
    ),
    Question(
        "Has PostgreSQL ever logged 'too many clients already'?",
        ("too many clients already",),
        lambda h: h.postgres(may(2, 11, 5), "FATAL", "sorry, too many clients already", "[unknown]@[unknown]"),
    ),
    Question(
        "Any segfault on this host in the last 12 hours?",
        ("segfault at 0",),
        lambda h: h.kernel(
            may(14, 0, 40),
            "php-fpm8.2[39121]: segfault at 0 ip 00007f0a1c sp 00007ffd2a error 4 in opcache.so[7f0a00+9000]",
        ),
    ),
    Question(
        'Did nginx log "no live upstreams" today?',
        ("no live upstreams",),
        lambda h: h.nginx(may(14, 7, 2), "error", f"*7011 no live upstreams while connecting to upstream, {REQUEST}"),
    ),
    Question(
        "Was the package curl upgraded last week?",
        ("curl", "7.88.1-10+deb12u13"),
        lambda h: h.package(may(8, 6, 33), "curl", "7.88.1-10+deb12u12", "7.88.1-10+deb12u13"),
    ),
    Question(
        "Any request from 203.0.113.44 to /wp-login.php this morning?",
        ("203.0.113.44", "/wp-login.php"),
        lambda h: h.request(may(14, 8, 15), "203.0.113.44", "GET /wp-login.php", 404, 153),
    ),
    Question("How many times was 198.51.100.99 banned in the last 24 hours?", ("198.51.100.99", "3"), _three_bans),
    Question(
        "Did certbot.service fail between 2 and 4 am today?",
        ("certbot.service",),
        lambda h: h.unit(may(14, 3, 1), "certbot.service: Failed with result 'exit-code'."),
    ),
    Question(
        "Is there any 'Read-only file system' in the logs of the last 3 days?",
        ("Read-only file system",),
        lambda h: h.syslog(
            may(12, 19, 8), "rsyslogd", "file '/var/spool/x' write error: Read-only file system [v8.2302.0]"
        ),
    ),
    Question(
        "Did smartd report Offline uncorrectable sectors in the past week?",
        ("8 Offline uncorrectable sectors",),
        lambda h: h.syslog(may(9, 16, 30), "smartd[701]", "Device: /dev/sdb [SAT], 8 Offline uncorrectable sectors"),
    ),
    Question(
        "Were there ERROR entries of order-api between 09:30 and 10:15?",
        ("no stock for item 4711",),
        lambda h: h.order_api(may(14, 10, 3, 7), "ERROR", "order_api.stock", "no stock for item 4711"),
    ),
    Question(
        "Has a process of redis-server.service ever been killed by the OOM killer?",
        ("killed by the OOM killer",),
        lambda h: h.unit(
            april(25, 17, 20), "redis-server.service: A process of this unit has been killed by the OOM killer."
        ),
    ),
    Question(
        "Anything about ORD-4417 in the logs today?",
        ("ORD-4417",),
        lambda h: h.order_api(may(14, 2, 2), "WARNING", "order_api.http", "retry 3 of ORD-4417 for buyer 991"),
    ),
    Question(
        'Any "command not allowed" for the user deploy in the last day?',
        ("deploy : command not allowed",),
        lambda h: h.auth(
            may(13, 18, 2),
            "sudo",
            "  deploy : command not allowed ; TTY=pts/1 ; PWD=/home/deploy ; USER=root ; COMMAND=/usr/bin/bash",
        ),
    ),
)

ABSENT = absent(
    "nginx 最近一小时有没有 no live upstreams？",
    "今天早上 6 点到 7 点 postgresql 有报错吗？",
    "昨天上午 order-api 有没有 ERROR 日志？",
    "最近一小时内核有没有触发 OOM？",
    "192.0.2.78 这个地址今天有没有尝试登录？",
    "历史上有没有出现过“Machine Check Exception”？",
    "backup.service 今天失败了吗？",
    "redis 最近一小时有没有出现 MISCONF？",
    "今天 nginx 返回过 503 吗？",
    "fail2ban 过去两小时封禁了 198.51.100.24 吗？",
    "本周升级过 bind9 吗？",
    "最近 24 小时证书续期有没有出现“Failed to renew certificate”？",
    "mysql 今天有没有死锁？",
    "过去 30 分钟 php-fpm 有没有达到 pm.max_children 上限？",
    "最近一小时 postfix 有没有 Connection timed out？",
    "Were there any errors of docker.service in the last 30 minutes?",
    "Has anybody tried to log in as root since yesterday from 203.0.113.202?",
    "Has PostgreSQL ever logged 'could not fsync file'?",
    "Any segfault on this host in the last hour?",
    'Did nginx log "SSL_do_handshake() failed" today?',
    "Was the package libxml2 upgraded this week?",
    "Any request from 203.0.113.45 to /wp-login.php this morning?",
    "How many times was 198.51.100.98 banned in the last 24 hours?",
    "Did certbot.service fail between 5 and 6 am today?",
    "Is there any 'No space left on device' in the logs of the last 3 days?",
    "Did smartd report 'FAILED SMART self-check' in the past week?",
    "Were there ERROR entries of order-api between 04:00 and 05:00?",
    "Has a process of ssh.service ever been killed by the OOM killer?",
    "Anything about ORD-4418 in the logs today?",
    'Any "command not allowed" for the user mallory in the last day?',
)


def _build() -> Tree:
    return host_tree(lambda host: [one.plant(host) for one in (*CHINESE, *ENGLISH) if one.plant] and None)


HOST = Folder("a Debian host's /var/log", NOW, "Europe/Berlin", (*CHINESE, *ENGLISH, *ABSENT), _build)
