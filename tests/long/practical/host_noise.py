"""What a Debian server writes on ordinary days: a little of everything, and what is near to what is asked for."""

# ruff: noqa: E501 - lines of logs are as long as they are

from __future__ import annotations

import random
from datetime import timedelta

from tests.long.practical.host_lines import NOW, Host, april, boot_time, may
from tests.long.practical.tree import moments

START = april(14)
DAYS = (NOW - START).days + 1
CLIENTS = ("198.51.100.12", "198.51.100.40", "203.0.113.9", "203.0.113.61", "192.0.2.14")
PATHS = ("/", "/items", "/items/4711", "/cart", "/static/app.css", "/api/orders", "/search?q=lamp")
PACKAGES = (
    (april(16, 6, 22), "tzdata", "2031a-0+deb11u1", "2031b-0+deb11u1"),
    (april(28, 6, 41), "libc-bin", "2.36-9+deb12u10", "2.36-9+deb12u11"),
    (may(2, 6, 12), "libxml2", "2.9.14+dfsg-1.3~deb12u1", "2.9.14+dfsg-1.3~deb12u2"),
    (may(6, 6, 30), "git", "1:2.39.5-0+deb12u1", "1:2.39.5-0+deb12u2"),
    (may(13, 6, 18), "python3.11", "3.11.2-6+deb12u5", "3.11.2-6+deb12u6"),
)


def noise(host: Host) -> None:
    rng = random.Random(31)
    _system(host, rng)
    _logins(host, rng)
    _mail(host, rng)
    _web(host, rng)
    _databases(host, rng)
    _own_service(host, rng)
    _once_a_day(host)
    for at, package, old, new in PACKAGES:
        host.package(at, package, old, new)


def _system(host: Host, rng: random.Random) -> None:
    for at in moments(rng, START, NOW, 900):
        pid = rng.randrange(1000, 90_000)
        match rng.randrange(6):
            case 0:
                host.cron(at, pid, "root", "   cd / && run-parts --report /etc/cron.hourly")
            case 1:
                host.unit(at, "Starting phpsessionclean.service - Clean php session files...")
                host.unit(at, "phpsessionclean.service: Deactivated successfully.")
            case 2:
                host.syslog(
                    at, f"systemd-timesyncd[{412}]", "Contacted time server 203.0.113.123:123 (ntp.example.net)."
                )
            case 3:
                attack = f"SRC=203.0.113.{rng.randrange(100, 150)} DST=198.51.100.1 LEN=40 TTL=244 PROTO=TCP DPT=23"
                host.kernel(at, f"[UFW BLOCK] IN=eth0 OUT= MAC=52:54:00:12:34:56:08:00 {attack}")
            case 4:
                host.docker(at, "info", "ignoring event")
            case 5:
                host.syslog(
                    at, "smartd[701]", "Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature changed 67 to 68"
                )


def _logins(host: Host, rng: random.Random) -> None:
    for at in moments(rng, START, NOW, 1200):
        pid, client = rng.randrange(1000, 90_000), rng.choice(CLIENTS)
        match rng.randrange(4):
            case 0:
                host.auth(
                    at,
                    f"sshd[{pid}]",
                    f"Accepted publickey for alice from {client} port 50122 ssh2: ED25519 SHA256:9f8a",
                )
                host.auth(
                    at, f"sshd[{pid}]", "pam_unix(sshd:session): session opened for user alice(uid=1000) by (uid=0)"
                )
            case 1:
                host.auth(
                    at,
                    "sudo",
                    "   alice : TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND=/usr/bin/systemctl status nginx",
                )
            case 2:
                host.auth(at, f"CRON[{pid}]", "pam_unix(cron:session): session opened for user root(uid=0) by (uid=0)")
                host.auth(at, f"CRON[{pid}]", "pam_unix(cron:session): session closed for user root")
            case 3:
                host.auth(at, f"sshd[{pid}]", f"Connection closed by {client} port 40122 [preauth]")


def _mail(host: Host, rng: random.Random) -> None:
    for at in moments(rng, START, NOW, 2700):
        queue = f"{rng.randrange(16**10):010X}"
        host.mail(at, f"postfix/qmgr[{980}]", f"{queue}: from=<shop@example.net>, size=2104, nrcpt=1 (queue active)")
        host.mail(
            at + timedelta(seconds=1),
            f"postfix/smtp[{rng.randrange(1000, 90_000)}]",
            f"{queue}: to=<buyer@example.org>, relay=mx.example.org[203.0.113.25]:25, delay=1.1, dsn=2.0.0, status=sent (250 OK)",
        )


def _web(host: Host, rng: random.Random) -> None:
    for at in moments(rng, may(10), NOW, 120):
        status = rng.choices((200, 304, 404, 301), (80, 10, 6, 4))[0]
        host.request(at, rng.choice(CLIENTS), f"GET {rng.choice(PATHS)}", status, rng.randrange(200, 20_000))
    for at in moments(rng, may(10), NOW, 9_000):
        request = f'client: {rng.choice(CLIENTS)}, server: shop.example.net, request: "GET /a HTTP/1.1", host: "shop.example.net"'
        host.nginx(
            at, "warn", f"*{rng.randrange(99_999)} an upstream response is buffered to a temporary file, {request}"
        )
    for at in moments(rng, may(7), NOW, 4_000):
        host.php(at, "NOTICE", "[pool www] child 4312 started")


def _databases(host: Host, rng: random.Random) -> None:
    for at in moments(rng, april(25), NOW, 1_800):
        host.postgres(at, "LOG", "checkpoint starting: time", "", 811)
        host.postgres(
            at + timedelta(seconds=9),
            "LOG",
            "checkpoint complete: wrote 92 buffers (0.6%); 0 WAL file(s) added",
            "",
            811,
        )
    for at in moments(rng, april(25), NOW, 5_000):
        host.mariadb(at, "Note", "InnoDB: Buffer pool(s) dump completed")
    for at in moments(rng, may(4), NOW, 3_600):
        host.redis(at, "*", "1 changes in 3600 seconds. Saving...")
        host.redis(at, "*", f"Background saving started by pid {rng.randrange(1000, 90_000)}")
        host.redis(at + timedelta(milliseconds=180), "*", "Background saving terminated with success")


def _own_service(host: Host, rng: random.Random) -> None:
    for at in moments(rng, may(8), NOW, 240):
        number = rng.randrange(80_000, 90_000)
        host.order_api(at, "INFO", "order_api.http", f"POST /orders 201 order={number} in {rng.randrange(9, 90)} ms")
        if number % 11 == 0:
            host.order_api(at, "WARNING", "order_api.stock", f"stock of item {number % 97} is low")


def _once_a_day(host: Host) -> None:
    for day in range(DAYS):
        start = START + timedelta(days=day)
        night = start.replace(hour=0, minute=0, second=7)
        host.unit(night, "Starting logrotate.service - Rotate log files...")
        host.unit(night + timedelta(seconds=2), "Finished logrotate.service - Rotate log files.")
        backup = start.replace(hour=2, minute=30)
        host.unit(backup, "Starting backup.service - Nightly backup...")
        if start.date() != may(13).date():
            host.syslog(backup + timedelta(minutes=9), "backup[7712]", "archive written, 41 GB")
            host.unit(backup + timedelta(minutes=9), "backup.service: Deactivated successfully.")
        renewal = start.replace(hour=5, minute=12)
        if renewal < NOW:
            host.certbot(renewal, "INFO", "certbot._internal.renewal", "Cert not yet due for renewal")
            host.fail2ban(renewal, "filter", "INFO", "[sshd] Found 203.0.113.61 - " + f"{renewal:%Y-%m-%d %H:%M:%S}")
    for minute in (1, 2):
        host.fail2ban(may(14, 0, minute), "server", "INFO", "rollover performed on /var/log/fail2ban.log")


def of_installation(host: Host) -> None:
    """Files of the day on which the server was set up."""
    day = april(1, 14, 0).replace(year=2029)
    tree, stamp = host.tree, f"{day:%b} {day.day:2d} {day:%H:%M:%S}"
    tree.text(
        "installer/syslog", day, "".join(f"{stamp} main-menu[412]: INFO: Menu item '{n}' selected\n" for n in range(90))
    )
    tree.text("installer/partman", day, "/bin/partman: Starting\nparted_server: Closing infifo and outfifo\n")
    tree.text(
        "installer/hardware-summary",
        day,
        "uname -a: Linux web1 5.10.0-22-amd64\nlspci -knn: 00:00.0 Host bridge [0600]\n",
    )
    tree.text("installer/lsb-release", day, "DISTRIB_ID=Debian\nDISTRIB_RELEASE=11\n")
    tree.text(
        "installer/cdebconf/questions.dat",
        day,
        "Name: passwd/root-password\nTemplate: passwd/root-password\nOwners: user-setup-udeb\n\n",
    )
    cloud = f"{day:%Y-%m-%d %H:%M:%S},101 - util.py[DEBUG]: Cloud-init v. 22.4.2 running 'init' at {boot_time(day)}. Up 6.1 seconds.\n"
    tree.text("cloud-init.log", day, cloud + cloud.replace("init' at", "modules:config' at"))
    tree.text(
        "cloud-init-output.log",
        day,
        f"Cloud-init v. 22.4.2 finished at {boot_time(day)}. Datasource DataSourceNoCloud.  Up 14.02 seconds\n",
    )
    started = april(21, 8, 59)
    tree.text(
        "boot.log",
        started,
        "".join(
            f"[\x1b[0;32m  OK  \x1b[0m] Started \x1b[0;1;39m{name}\x1b[0m.\n"
            for name in ("cron.service", "ssh.service")
        ),
    )
    tree.text(
        "private/dynamic-app/app.log", april(22, 3), f"{april(22, 3):%Y-%m-%dT%H:%M:%S%z} level=info msg=started\n"
    )
