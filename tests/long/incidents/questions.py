"""What is asked of an incident: four questions, each in Chinese or in English."""

from __future__ import annotations

from dataclasses import dataclass

from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert, Lang, Question

NARROW = {
    "zh": (
        "{service} 当前是否存在 {alert} 告警？",
        "请确认 {service} 的 {alert} 告警是否在触发",
        "只看 {service}：{alert} 还在 firing 吗？",
    ),
    "en": (
        "Is {alert} firing for {service}?",
        "Does {service} have the {alert} alert right now?",
        "Please check whether {alert} fires for {service}.",
    ),
}
WHY = {
    "zh": (
        "{service} 为什么{trouble}？帮我排查原因",
        "{service} {trouble}，怎么回事？请排查根因",
        "从 {clock} 开始 {service} {trouble}，为什么？",
        "{service} 出了什么问题，原因是什么？",
        "排查一下 {service} {trouble}的原因",
    ),
    "en": (
        "Why is {service} {trouble}?",
        "What is wrong with {service} since {clock}, and why?",
        "{service} is {trouble}. What happened, and why?",
        "Please find out why {service} is {trouble}.",
    ),
}
WHY_OF_ALL = {
    "zh": (
        "系统出了什么问题，为什么？",
        "从 {clock} 起线上{trouble}，帮忙排查原因",
        "收到 {alert} 告警，为什么会触发？",
    ),
    "en": (
        "What is wrong since {clock}, and why?",
        "We were paged for {alert}. What happened, and why?",
        "Something broke around {clock}; why?",
    ),
}

MISSING_WORDS = (
    *("StackOverflowError", "ConcurrentModificationException", "ClassCastException", "ECONNABORTED", "SIGSEGV"),
    *("NumberFormatException", "ArrayIndexOutOfBoundsException", "BrokenPipeError", "UnicodeDecodeError"),
    *("ZeroDivisionError", "NoSuchMethodError", "ERR_SSL_WEAK_EPHEMERAL_DH_KEY", "ORA-01555", "ETIMEOUT_PROXY"),
)
MISSING_ALERTS = (
    *("CertificateExpiresSoon", "EtcdLeaderChanges", "GpuTemperatureHigh", "BlackboxProbeDown", "RaidDegraded"),
    *("ThanosCompactHalted", "CephHealthWarn", "LicenceRunsOut"),
)
ABSENT = {
    "zh": (
        "{service} 有没有出现过 {word}？",
        "{service} 的日志里有 {word} 吗？",
        "查一下 {service} 最近一小时是否有 {word} 日志",
    ),
    "en": (
        "Are there any {word} entries in the logs of {service}?",
        "Did {service} log {word} in the last hour?",
        "Has {service} thrown a {word}?",
    ),
}
ABSENT_ALERT = {
    "zh": ("{service} 当前是否存在 {word} 告警？", "{service} 有没有触发 {word} 告警？"),
    "en": ("Is {word} firing for {service}?", "Does {service} have a {word} alert?"),
}


@dataclass(frozen=True, slots=True)
class Rare:
    """A line that is written once or twice. `told`: the part of it that shows it was found."""

    level: str
    text: str
    told: str
    asks: dict[str, str]


def rare_lines(draw: Draw) -> list[Rare]:
    """All that may be planted; the numbers differ each time."""
    n, code, host = draw.randint(10_000, 99_999), draw.hex(6).upper(), f"partner{draw.randint(2, 40)}.example.org"
    pause, attempts = draw.randint(1_200, 9_400), draw.randint(4, 9)
    return [
        Rare(
            "WARN",
            f"coupon CPN-{code} refused: redeemed before by account {n}",
            f"coupon CPN-{code} refused",
            {"zh": f"{{service}} 里优惠券 CPN-{code} 被拒绝过吗？", "en": f"Did {{service}} refuse coupon CPN-{code}?"},
        ),
        Rare(
            "ERROR",
            f"webhook to {host} abandoned after {attempts} attempts",
            f"webhook to {host} abandoned",
            {
                "zh": f"{{service}} 有没有放弃发往 {host} 的 webhook？",
                "en": f"Has {{service}} abandoned a webhook to {host}?",
            },
        ),
        Rare(
            "WARN",
            f"long GC pause of {pause} ms observed in old generation",
            f"GC pause of {pause} ms",
            {"zh": "{service} 最近一小时有没有 GC pause 的日志？", "en": "Was there a long GC pause in {service}?"},
        ),
        Rare(
            "ERROR",
            f"refund RF-{n} rejected: amount exceeds the captured sum",
            f"refund RF-{n} rejected",
            {"zh": f"{{service}} 的退款 RF-{n} 是不是被拒了？", "en": f"Was refund RF-{n} rejected by {{service}}?"},
        ),
        Rare(
            "ERROR",
            f"checksum mismatch in chunk {n} of upload {code}",
            f"checksum mismatch in chunk {n}",
            {"zh": "{service} 有出现 checksum mismatch 吗？", "en": "Any checksum mismatch in {service}?"},
        ),
        Rare(
            "WARN",
            f"circuit breaker {code.lower()}-geo switched to OPEN",
            f"circuit breaker {code.lower()}-geo switched to OPEN",
            {"zh": "{service} 有没有 circuit breaker 打开的记录？", "en": "Did a circuit breaker open in {service}?"},
        ),
        Rare(
            "ERROR",
            f"deadlock between transactions {n} and {n + 7}, second one rolled back",
            f"deadlock between transactions {n}",
            {"zh": "{service} 最近有死锁吗？", "en": "Was there a deadlock in {service}?"},
        ),
        Rare(
            "WARN",
            f"job nightly-{n} skipped: previous run still holds the lease",
            f"job nightly-{n} skipped",
            {
                "zh": f"{{service}} 的任务 nightly-{n} 被跳过了吗？",
                "en": f"Was job nightly-{n} skipped in {{service}}?",
            },
        ),
        Rare(
            "ERROR",
            f"user {n} locked out after {attempts} wrong PINs",
            f"user {n} locked out",
            {"zh": f"{{service}} 里用户 {n} 被锁定了吗？", "en": f"Was user {n} locked out by {{service}}?"},
        ),
        Rare(
            "ERROR",
            f"segment {code} of stream live is corrupt, skipping {n} bytes",
            f"segment {code} of stream live is corrupt",
            {
                "zh": f"{{service}} 有没有 segment {code} 损坏（corrupt）的日志？",
                "en": f"Is there a corrupt segment {code} in {{service}}?",
            },
        ),
    ]


def language(draw: Draw) -> Lang:
    """Two thirds Chinese."""
    return draw.pick("zh", "zh", "en")


def narrow(draw: Draw, alert: Alert) -> Question:
    lang = language(draw)
    text = draw.of(NARROW[lang]).format(service=alert.service, alert=alert.name)
    return Question("narrow", lang, text, alert.service, (alert.name,))


def why(draw: Draw, service: str, alert: Alert, trouble: dict[str, tuple[str, ...]], clock: str) -> Question:
    """Three of four name the service in trouble."""
    lang, names_it = language(draw), draw.chance(0.75)
    words = {"service": service, "alert": alert.name, "trouble": draw.of(trouble[lang]), "clock": clock}
    text = draw.of((WHY if names_it else WHY_OF_ALL)[lang]).format(**words)
    return Question("why", lang, text, service if names_it else "")


def absent(draw: Draw, services: list[str], everything: str) -> Question:
    """`everything`: all that is written in the incident, in lower case."""
    lang, is_alert = language(draw), draw.chance(0.3)
    words = [one for one in (MISSING_ALERTS if is_alert else MISSING_WORDS) if one.lower() not in everything]
    word, service = draw.of(words), draw.of(services)
    text = draw.of((ABSENT_ALERT if is_alert else ABSENT)[lang]).format(service=service, word=word)
    return Question("absent", lang, text, service, (word,))


def planted(draw: Draw, rare: Rare, service: str) -> Question:
    lang = language(draw)
    return Question("planted", lang, rare.asks[lang].format(service=service), service, (rare.told,))
