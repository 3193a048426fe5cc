"""What the slots of the templates draw: invented names, and numbers of every written form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

SERVICES = (
    "harbor-sync", "mill-gate", "tally-api", "quay-auth", "fern-router", "plum-ledger", "dune-mailer", "brook-search",
    "slate-export", "reef-billing",
)  # fmt: skip
ALERTS = (
    "QueueDepthHigh", "DiskLatencySlow", "HeapNearLimit", "ReplicaLagging", "CertExpiringSoon", "ErrorRatioHigh",
    "CpuThrottled", "InodeShortage",
)  # fmt: skip
CLASSES = (
    "net.plum.ledger.PostingException", "io.reef.billing.TariffLookup", "org.fern.router.RouteTable",
    "com.quay.auth.TokenStoreException", "net.tally.api.ShardGuard",
)  # fmt: skip
SERVICES_ZH = ("对账服务", "会员中心", "排班平台", "票务网关", "冷链监控", "巡检助手")
LEVELS = ("ERROR", "WARN", "INFO", "FATAL", "DEBUG")
STATES = ("firing", "resolved", "pending")


def _one_of(words: Sequence[str]) -> Callable[[Random], str]:
    return lambda random: random.choice(words)


def _number(low: int, high: int, form: str = "{}") -> Callable[[Random], str]:
    return lambda random: form.format(random.randint(low, high))


def _decimal(low: int, high: int, form: str = "{}") -> Callable[[Random], str]:
    """Never ends in a zero, so that a cut decimal is another number."""
    return lambda random: form.format(f"{random.randint(low, high)}.{random.randint(0, 9)}{random.randint(1, 9)}")


def _time(random: Random) -> str:
    return f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}"


def _instant(random: Random) -> str:
    return f"2031-{random.randint(1, 12):02}-{random.randint(1, 28):02}T{_time(random)}Z"


def _frame(random: Random) -> str:
    file = random.choice(("Posting", "Tariff", "Route", "Shard", "Token"))
    method = random.choice(("load", "flush", "resolve", "lease"))
    return f"{random.choice(CLASSES)}.{method}({file}.java:{random.randint(11, 980)})"


def _pod(random: Random) -> str:
    return f"{random.choice(SERVICES)}-{random.randint(10, 99)}{random.choice('bcdfgh')}"


def _address(random: Random) -> str:
    return ".".join(["10", *(str(random.randint(10, 240)) for _ in range(3))]) + f":{random.randint(4_000, 9_000)}"


def _path(random: Random) -> str:
    return f"/srv/{random.choice(SERVICES)}/shard{random.randint(10, 99)}/wal.log"


def _version(random: Random) -> str:
    return f"v{random.randint(1, 9)}.{random.randint(10, 40)}.{random.randint(1, 9)}-rc{random.randint(1, 9)}"


SLOTS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "service": ("name", _one_of(SERVICES)),
    "alert": ("name", _one_of(ALERTS)),
    "class": ("name", _one_of(CLASSES)),
    "frame": ("name", _frame),
    "pod": ("name", _pod),
    "host": ("name", _number(10, 89, "node-{}")),
    "trace": ("name", lambda random: f"tr-{random.randrange(16**6):06x}"),
    "服务": ("name", _one_of(SERVICES_ZH)),
    "level": ("level", _one_of(LEVELS)),
    "state": ("state", _one_of(STATES)),
    "flag": ("flag", _one_of(("true", "false"))),
    "int": ("number", _number(12, 9_800)),
    "few": ("number", _number(3, 9)),
    "negative": ("number", _number(11, 95, "-{} ms")),
    "grouped": ("number", lambda random: f"{random.randint(1_100, 98_000):,}"),
    "ms": ("number", _number(1_100, 48_000, "{}ms")),
    "seconds": ("number", _number(11, 95, "{} s")),
    "percent": ("number", _number(11, 98, "{}%")),
    "over": ("number", _number(11, 98, ">{}%")),
    "mb": ("number", _number(130, 7_900, "{}MB")),
    "gb": ("number", _decimal(1, 30, "{}GB")),
    "load": ("number", _decimal(1, 40)),
    "minutes": ("number", _number(11, 58, "{}m")),
    "ready": ("number", lambda random: f"{random.randint(1, 4)}/{random.randint(5, 9)}"),
    "share": ("number", lambda random: f"{random.randint(3, 9)} of {random.randint(11, 980)}"),
    "power": ("number", lambda random: f"{random.randint(2, 9)}{random.choice('²³')}"),
    "time": ("number", _time),
    "instant": ("number", _instant),
    "秒": ("number", _number(11, 95, "{} 秒")),
    "毫秒": ("number", _number(1_100, 9_800, "{} 毫秒")),
    "分钟": ("number", _number(11, 58, "{} 分钟")),
    "条": ("number", lambda random: f"{random.randint(1_100, 98_000):,} 条"),
    "万": ("number", _number(11, 98, "{} 万")),
    "元": ("number", _decimal(100, 9_000, "{} 元")),
    "度": ("number", _decimal(20, 60, "{}℃")),
    "天": ("number", _number(3, 29, "{} 天")),
    "次": ("number", _number(3, 29, "{} 次")),
    "转": ("number", lambda random: f"{random.randint(1_100, 9_800):,} 转"),
    "成": ("number", _one_of(("三成", "五成", "七成半", "二十三成"))),
    "address": ("name", _address),
    "path": ("name", _path),
    "version": ("name", _version),
    "url": (
        "name",
        lambda random: (
            f"https://{random.choice(SERVICES)}.lab.example:{random.randint(4_000, 9_000)}/v{random.randint(1, 4)}/sync"
        ),
    ),
    "status": ("number", _one_of(("200", "404", "429", "502", "503"))),
    "span": ("number", _number(11, 58, "1h{}m")),
    "range": ("number", lambda random: f"{random.randint(2, 5)}-{random.randint(6, 9)}"),
    "台": ("number", _number(3, 9, "{} 台")),
}
"""By name: the kind of the drawn text, and how it is drawn."""

WORDS = {
    "en": ("leaking", "permanently", "corrupted", "database", "deliberately", "suspicious", "customers", "overload"),
    "zh": ("严重", "泄漏", "彻底", "持续恶化", "数据库", "人为", "大面积"),
}
"""Content words that stand in no template."""
