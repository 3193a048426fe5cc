"""The folder of one Spring service: application log with rotations, garbage collector, access log, Tomcat, crash files."""

# ruff: noqa: E501 - lines of logs are as long as they are

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tests.long.practical.tree import Owned, Tree, moments

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2031, 5, 14, 16, 30, tzinfo=ZONE)  # a Wednesday
START = NOW - timedelta(days=6)
THREADS = ("http-nio-8080-exec-1", "http-nio-8080-exec-7", "scheduling-1", "kafka-consumer-0")
BANNER = r"""
  .   ____          _            __ _ _
 /\\ / ___'_ __ _ _(_)_ __  __ _ \ \ \ \
( ( )\___ | '_ | '_| | '_ \/ _` | \ \ \ \
 \\/  ___)| |_)| | | | | || (_| |  ) ) ) )
  '  |____| .__|_| |_|_| |_\__, | / / / /
 =========|_|==============|___/=/_/_/_/
 :: Spring Boot ::                (v2.7.18)
"""
CRASH = """#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f1d2c0a1b2c, pid=2314, tid=2377
#
# JRE version: OpenJDK Runtime Environment (17.0.11+9) (build 17.0.11+9-Debian-1deb12u1)
# Problematic frame:
# C  [libzip.so+0x5a1b]  newEntry+0x6b
#
---------------  S U M M A R Y ------------

Command Line: -Xmx2g -XX:+HeapDumpOnOutOfMemoryError /srv/inventory/inventory.jar

Host: 4 cores, 7G, Debian GNU/Linux 12 (bookworm)
Time: Sat May 10 03:14:15 2031 CST elapsed time: 81231.103 seconds (0d 22h 33m 51s)

---------------  T H R E A D  ---------------

Current thread (0x00007f1d24010800):  JavaThread "http-nio-8080-exec-3" daemon [_thread_in_native, id=2377]

Internal exceptions (3 events):
Event: 81230.101 Thread 0x00007f1d24010800 Exception <a 'java/io/IOException'> (0x00000000e1b2c3d8)
"""


def may(day: int, hour: int = 0, minute: int = 0, second: int = 0, milli: int = 0) -> datetime:
    return datetime(2031, 5, day, hour, minute, second, milli * 1000, tzinfo=ZONE)


class Service:
    """The files of the service; each method writes one entry as one of its parts does."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def log(self, at: datetime, level: str, logger: str, message: str, *trace: str, thread: str = THREADS[0]) -> None:
        stamp = f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"
        text = f"{stamp} {level:>5} 2314 --- [{thread[-15:]:>15}] {logger:<40} : {message}"
        self.tree.line("app.log", at, "\n".join((text, *trace)))
        self.tree.line("catalina.out", at, "\n".join((text, *trace)))

    def gc(self, at: datetime, message: str, level: str = "info", tag: str = "gc") -> None:
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}{at:%z}"
        self.tree.line("gc.log", at, f"[{stamp}][{level:<7}][{tag:<8}] GC({int(at.timestamp()) % 9000}) {message}")

    def request(self, at: datetime, client: str, request: str, status: int, size: int = 512) -> None:
        line = f'{client} - - [{at:%d/%b/%Y:%H:%M:%S %z}] "{request} HTTP/1.1" {status} {size}'
        self.tree.line(f"access_log.{at:%Y-%m-%d}.log", at, line)

    def tomcat(self, at: datetime, level: str, thread: str, logger: str, message: str, *trace: str) -> None:
        stamp = f"{at:%d-%b-%Y %H:%M:%S}.{at.microsecond // 1000:03d}"
        text = f"{stamp} {level} [{thread}] {logger} {message}"
        self.tree.line(f"catalina.{at:%Y-%m-%d}.log", at, "\n".join((text, *trace)))


def service_tree(plant: Callable[[Service], None]) -> Tree:
    """The folder with ordinary days in it and what `plant` writes."""
    tree = Tree(owned=[Owned("*", 0o640)])
    service = Service(tree)
    _noise(service)
    plant(service)
    days = [may(day) for day in (14, 13, 12, 11, 10, 9)]
    tree.rotate("app.log", days, [f"app-2031-05-{day:02d}.0.log.gz" for day in (13, 12, 11, 10, 9, 8)])
    tree.rotate("gc.log", [may(13)], ["gc.log.0"])
    _others(tree)
    return tree


def _noise(service: Service) -> None:
    rng = random.Random(15)
    for at in moments(rng, START, NOW, 180):
        item, client = rng.randrange(1_000, 9_999), f"10.20.0.{rng.randrange(2, 60)}"
        match rng.randrange(4):
            case 0:
                service.log(at, "INFO", "c.e.inventory.StockController", f"stock of {item} is {rng.randrange(400)}")
            case 1:
                service.log(
                    at,
                    "INFO",
                    "o.a.k.c.c.internals.SubscriptionState",
                    "Resetting offset for partition stock-0",
                    thread=THREADS[3],
                )
            case 2:
                service.log(
                    at, "DEBUG", "c.e.inventory.Pricing", f"price of {item} taken from cache", thread=THREADS[1]
                )
            case 3:
                service.log(at, "INFO", "c.e.inventory.Reorder", "nothing to reorder", thread=THREADS[2])
        service.request(
            at, client, f"GET /stock/{item}", rng.choice((200, 200, 200, 304, 404)), rng.randrange(100, 600)
        )
    for at in moments(rng, START, NOW, 600):
        before, after = rng.randrange(300, 900), rng.randrange(80, 200)
        service.gc(
            at, f"Pause Young (Normal) (G1 Evacuation Pause) {before}M->{after}M(1024M) {rng.uniform(2, 30):.3f}ms"
        )
    for at in moments(rng, START, NOW, 20_000):
        service.log(at, "WARN", "c.e.inventory.Pricing", "price list is two days old")
        service.tomcat(
            at,
            "INFO",
            "Catalina-utility-1",
            "org.apache.catalina.core.StandardContext.reload",
            "Reloading Context has started",
        )


def _others(tree: Tree) -> None:
    """What lies beside the logs."""
    started = may(8, 17)
    tree.text(
        "stdout.log",
        started,
        BANNER + "\nOpenJDK 64-Bit Server VM warning: Sharing is only supported for boot loader classes\n",
    )
    tree.text("hs_err_pid2314.log", may(10, 3, 14, 15), CRASH)
    tree.whole["java_pid2314.hprof"] = (may(9, 2, 2), b"JAVA PROFILE 1.0.2\0\0\0\0\x08" + bytes(range(256)) * 400)
    tree.text("inventory.pid", started, "2314\n")
    tree.text("host-manager.2031-05-08.log", started, "")
    tree.text(
        "application.yml",
        started,
        "spring:\n  application:\n    name: inventory\nlogging:\n  file:\n    name: app.log\n",
    )
    threads = '2031-05-12 11:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.11+9 mixed mode):\n\n"main" #1 prio=5 os_prio=0 runnable\n'
    tree.text(
        "threads-20310512.txt",
        may(12, 11),
        threads + "   java.lang.Thread.State: RUNNABLE\n\tat java.net.SocketInputStream.read()\n",
    )
