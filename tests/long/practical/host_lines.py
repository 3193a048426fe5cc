"""How the programs of a Debian server write a line."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.long.practical.tree import Tree

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2031, 5, 14, 10, 30, tzinfo=ZONE)  # a Wednesday
UPGRADED = datetime(2031, 4, 21, 9, 0, tzinfo=ZONE)  # from Debian 11: since then rsyslog writes RFC 3339
HOST = "web1"
PAGE = "Mozilla/5.0 (X11; Linux x86_64; rv:138.0) Gecko/20100101 Firefox/138.0"


def may(day: int, hour: int = 0, minute: int = 0, second: int = 0, micro: int = 0) -> datetime:
    return datetime(2031, 5, day, hour, minute, second, micro, tzinfo=ZONE)


def april(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2031, 4, day, hour, minute, second, tzinfo=ZONE)


def syslog_line(at: datetime, program: str, message: str) -> str:
    """As rsyslog of Debian writes it, traditional before the upgrade."""
    if at < UPGRADED:
        return f"{at:%b} {at.day:2d} {at:%H:%M:%S} {HOST} {program}: {message}"
    return f"{at.isoformat(timespec='microseconds')} {HOST} {program}: {message}"


class Host:
    """The files of the server; each method writes one line as one program does, and where it lands."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def syslog(self, at: datetime, program: str, message: str) -> None:
        self.tree.line("syslog", at, syslog_line(at, program, message))

    def kernel(self, at: datetime, message: str, uptime: float = 0.0) -> None:
        """In both files, as rsyslog sorts it."""
        seconds = uptime or (at - april(21, 8, 58)).total_seconds()
        line = syslog_line(at, "kernel", f"[{seconds:12.6f}] {message}")
        self.tree.line("kern.log", at, line)
        self.tree.line("syslog", at, line)

    def cron(self, at: datetime, pid: int, user: str, command: str) -> None:
        line = syslog_line(at, f"CRON[{pid}]", f"({user}) CMD ({command})")
        self.tree.line("cron.log", at, line)
        self.tree.line("syslog", at, line)

    def mail(self, at: datetime, program: str, message: str) -> None:
        line = syslog_line(at, program, message)
        self.tree.line("mail.log", at, line)
        self.tree.line("syslog", at, line)

    def auth(self, at: datetime, program: str, message: str) -> None:
        self.tree.line("auth.log", at, syslog_line(at, program, message))

    def request(
        self, at: datetime, client: str, request: str, status: int, size: int = 5120, agent: str = PAGE
    ) -> None:
        line = f'{client} - - [{at:%d/%b/%Y:%H:%M:%S %z}] "{request} HTTP/1.1" {status} {size} "-" "{agent}"'
        self.tree.line("nginx/access.log", at, line)

    def nginx(self, at: datetime, level: str, message: str, worker: int = 812) -> None:
        self.tree.line("nginx/error.log", at, f"{at:%Y/%m/%d %H:%M:%S} [{level}] {worker}#{worker}: {message}")

    def postgres(self, at: datetime, level: str, message: str, who: str = "shop@orders", pid: int = 2211) -> None:
        stamp = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} {at:%Z}"
        self.tree.line("postgresql/postgresql-15-main.log", at, f"{stamp} [{pid}] {who} {level}:  {message}")

    def mariadb(self, at: datetime, level: str, message: str, thread: int = 0) -> None:
        self.tree.line("mysql/error.log", at, f"{at:%Y-%m-%d} {at.hour:2d}:{at:%M:%S} {thread} [{level}] {message}")

    def redis(self, at: datetime, mark: str, message: str) -> None:
        stamp = f"{at:%d %b %Y %H:%M:%S}.{at.microsecond // 1000:03d}"
        self.tree.line("redis/redis-server.log", at, f"1043:M {stamp} {mark} {message}")

    def php(self, at: datetime, level: str, message: str) -> None:
        self.tree.line("php8.2-fpm.log", at, f"[{at:%d-%b-%Y %H:%M:%S}] {level}: {message}")

    def fail2ban(self, at: datetime, part: str, level: str, message: str) -> None:
        stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"
        self.tree.line("fail2ban.log", at, f"{stamp} {'fail2ban.' + part:24s}[812]: {level:7s} {message}")

    def certbot(self, at: datetime, level: str, module: str, message: str) -> None:
        stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"
        self.tree.line("letsencrypt/letsencrypt.log", at, f"{stamp}:{level}:{module}:{message}")

    def package(self, at: datetime, package: str, old: str, new: str) -> None:
        """An upgrade, as dpkg, apt and its terminal note it."""
        stamp = f"{at:%Y-%m-%d %H:%M:%S}"
        apt, full = f"{at:%Y-%m-%d  %H:%M:%S}", f"{package}:amd64"
        for what in (f"upgrade {full} {old} {new}", f"status unpacked {full} {new}", f"status installed {full} {new}"):
            self.tree.line("dpkg.log", at, f"{stamp} {what}")
        history = f"\nStart-Date: {apt}\nCommandline: /usr/bin/unattended-upgrade\nUpgrade: {full} ({old}, {new})"
        self.tree.line("apt/history.log", at, f"{history}\nEnd-Date: {apt}")
        terminal = (
            f"\nLog started: {apt}\n"
            "(Reading database ... \r(Reading database ... 5%\r(Reading database ... 100%\r"
            "(Reading database ... 61472 files and directories currently installed.)\r\n"
            f"Preparing to unpack .../{package}_{new}_amd64.deb ...\r\n"
            f"Unpacking {full} ({new}) over ({old}) ...\r\nSetting up {full} ({new}) ...\r\nLog ended: {apt}"
        )
        self.tree.line("apt/term.log", at, terminal)
        upgrades = f"{at:%Y-%m-%d %H:%M:%S},104 INFO Packages that will be upgraded: {package}"
        self.tree.line("unattended-upgrades/unattended-upgrades.log", at, upgrades)

    def order_api(self, at: datetime, level: str, module: str, message: str) -> None:
        """A service of their own in Python, by `logging`."""
        stamp = f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d}"
        self.tree.line("order-api/order-api.log", at, f"{stamp} {level} {module}: {message}")

    def docker(self, at: datetime, level: str, message: str) -> None:
        stamp = at.astimezone(ZONE).isoformat(timespec="microseconds")
        self.syslog(at, "dockerd[900]", f'time="{stamp}" level={level} msg="{message}"')

    def unit(self, at: datetime, message: str) -> None:
        self.syslog(at, "systemd[1]", message)


def boot_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%a, %d %b %Y %H:%M:%S +0000}"
