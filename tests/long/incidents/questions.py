"""What is asked of an incident: four questions, each in Chinese or in English."""

from __future__ import annotations

from tests.long.incidents.draw import Draw
from tests.long.incidents.incident import Alert, Lang, Question
from tests.long.incidents.rare import Rare

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
    *("StackOverflowError", "ConcurrentModificationException", "ClassCastException", "ECONNABORTED", "SIGBUS"),
    *("NumberFormatException", "ArrayIndexOutOfBoundsException", "BrokenPipeError", "UnicodeDecodeError"),
    *("ZeroDivisionError", "NoSuchMethodError", "ERR_SSL_WEAK_EPHEMERAL_DH_KEY", "ORA-01555", "ETIMEOUT_PROXY"),
)
MISSING_ALERTS = (
    *("CertificateExpiresSoon", "EtcdLeaderChanges", "GpuTemperatureHigh", "BlackboxProbeDown", "RaidDegraded"),
    *("ThanosCompactHalted", "CephHealthWarn", "LicenceRunsOut"),
)
MISSING_THINGS = {
    "死锁": ("deadlock",),
    "内存溢出": ("out of memory", "oom", "heap"),
    "证书过期": ("certificate", "expired"),
    "磁盘空间不足": ("no space", "disk", "volume"),
}
"""Named in Chinese, and how logs would write it."""
ABSENT = {
    "zh": (
        "{service} 有没有出现过 {word}？",
        "{service} 的日志里有 {word} 吗？",
        "查一下 {service} 最近一小时是否有 {word} 日志",
    ),
    "en": (
        "Are there any {word} entries in the logs of {service}?",
        "Did {service} log {word} in the last hour?",
        "Has {service} logged {word}?",
    ),
}
ABSENT_ALERT = {
    "zh": ("{service} 当前是否存在 {word} 告警？", "{service} 有没有触发 {word} 告警？"),
    "en": ("Is {word} firing for {service}?", "Does {service} have a {word} alert?"),
}


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


def absent(draw: Draw, services: list[str], bystanders: list[str], everything: str, elsewhere: str) -> Question:
    """`everything`: all that is written in the incident, in lower case. `elsewhere`: what the services of the story
    write, and no bystander."""
    lang, is_alert = language(draw), draw.chance(0.25)
    if bystanders and draw.chance(0.2):
        service = draw.of(bystanders)
        return Question(
            "absent", lang, draw.of(ABSENT[lang]).format(service=service, word=f'"{elsewhere}"'), service, (elsewhere,)
        )
    things = [one for one, forms in MISSING_THINGS.items() if not any(form in everything for form in forms)]
    if things and draw.chance(0.15):
        word, service = draw.of(things), draw.of(services)
        return Question("absent", "zh", draw.pick(*ABSENT["zh"]).format(service=service, word=word), service, (word,))
    words = [one for one in (MISSING_ALERTS if is_alert else MISSING_WORDS) if one.lower() not in everything]
    word, service = draw.of(words), draw.of(services)
    text = draw.of((ABSENT_ALERT if is_alert else ABSENT)[lang]).format(service=service, word=word)
    return Question("absent", lang, text, service, (word,))


def planted(draw: Draw, rare: Rare, service: str) -> Question:
    lang = language(draw)
    return Question("planted", lang, rare.asks[lang].format(service=service), service, (rare.told,))
