"""What is asked, in both languages, and how the thing asked for looks in a log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tests.long.searches.periods import Named

KINDS = ("level", "word", "phrase", "code", "address", "status")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that may stand in a log. `asked`: its names in a question, by language. `written`: how it stands in a
    message. `near`: what only looks like it. `status`: of a request."""

    asked: dict[str, tuple[str, ...]]
    written: tuple[str, ...]
    near: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()


def _both(*names: str) -> dict[str, tuple[str, ...]]:
    return {"zh": names, "en": names}


WORDS = (
    Thing(
        {"zh": ("OOM", "OutOfMemoryError", "内存溢出"), "en": ("OOM", "OutOfMemoryError")},
        (
            "java.lang.OutOfMemoryError: Java heap space",
            "Last state: terminated reason=OOMKilled exit code 137",
            "Out of memory: Killed process 12 (java)",
        ),
        ("memory pool resized to 512 MB", "room was made in the cache"),
    ),
    Thing(
        {"zh": ("死锁", "deadlock"), "en": ("deadlock",)},
        ("deadlock detected", "Deadlock found when trying to get lock"),
        ("lock taken after 2 tries", "door unlocked"),
    ),
    Thing(
        {"zh": ("超时", "timeout"), "en": ("timeout",)},
        ("context deadline exceeded", "read timed out", "upstream timeout"),
        ("time spent outside the queue: 12 ms", "answered in time"),
    ),
    Thing(
        {"zh": ("连接池", "HikariPool"), "en": ("HikariPool",)},
        ("HikariPool-1 - Connection is not available", "HikariPool-2 - pool is exhausted"),
        ("carpool of 3 riders", "connected to 10.0.0.8"),
    ),
)
PHRASES = (
    Thing(
        _both("no space left on device"), ("write /data/7: no space left on device",), ("space left on device: 12 GB",)
    ),
    Thing(_both("certificate has expired"), ("x509: certificate has expired",), ("certificate expires in 41 days",)),
    Thing(_both("circuit breaker open"), ("circuit breaker open for catalog",), ("circuit breaker closed",)),
    Thing(_both("库存不足"), ("扣减被拒绝：库存不足 sku=8812",), ("库存充足 sku=8812",)),
)
CODES = (
    Thing(_both("ERR_POOL_42"), ("ERR_POOL_42 waiting=31",), ("ERR_POOL_421 waiting=3", "ERR_POOL_4 waiting=1")),
    Thing(_both("ORA-00942"), ("ORA-00942: table or view does not exist",), ("ORA-00924: missing BY keyword",)),
    Thing(_both("E11000"), ("E11000 duplicate key in orders",), ("E110001 seen before", "E1100 seen before")),
)
ADDRESSES = (
    Thing(_both("203.0.113.9"), ("request of 203.0.113.9 refused",), ("request of 203.0.113.90 served",)),
    Thing(_both("10.20.30.40:6379"), ("dial tcp 10.20.30.40:6379: broken pipe",), ("dial tcp 10.20.30.40:6380: ok",)),
)
STATUSES = (
    Thing(_both("503"), ("",), statuses=(503,)),
    Thing(_both("404"), ("",), statuses=(404,)),
    Thing(_both("5xx"), ("",), statuses=(500, 502, 503, 504)),
)
THINGS = {"word": WORDS, "phrase": PHRASES, "code": CODES, "address": ADDRESSES, "status": STATUSES}

LEVEL_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "WARN": {"zh": ("WARN 日志", "警告级别的日志"), "en": ("WARN logs", "warnings")},
    "ERROR": {"zh": ("ERROR 日志", "错误日志", "ERROR 级别的日志"), "en": ("ERROR logs", "errors")},
    "FATAL": {"zh": ("FATAL 日志",), "en": ("FATAL logs",)},
}

CHINESE = (
    "{service} {period}有没有 {what}？",
    "请排查 {service} {period}是否出现 {what}",
    "{period} {service} 有 {what} 吗？",
)
ENGLISH = ("Any {what} in {service} {period}?", "Did {service} log {what} {period}?", "{what} in {service} {period}?")
ANY_CHINESE = ("{period}有没有 {what}？", "请确认{period}是否出现 {what}")
ANY_ENGLISH = ("Any {what} {period}?", "Please check the logs for {what} {period}.")
FRAMES = {
    "plain": ("{}", "{}"),
    "polite": ("麻烦帮忙看一下：{}", "Hello, could you check this for me: {}"),
    "ticket": ("工单 INC-20310501：{}", "Ticket INC-20310501: {}"),
    "version": ("{}（我们的版本是 2.10.5）", "{} (we run version 2.10.5)"),
}


def worded(kind: str, name: str, language: str) -> str:
    """How the thing asked for stands in the sentence."""
    if kind == "phrase":
        return f"“{name}”" if language == "zh" else f'"{name}"'
    if kind == "address":
        return f"{name} 的日志" if language == "zh" else f"entries with {name}"
    if kind == "status":
        return f"{name} 响应" if language == "zh" else f"{name} responses"
    return name


def sentence(rng: Random, language: str, frame: str, service: str, period: Named, what: str) -> str:
    """The question; `service` "" asks of all."""
    chinese = language == "zh"
    if service:
        template = rng.choice(CHINESE if chinese else ENGLISH)
    else:
        template = rng.choice(ANY_CHINESE if chinese else ANY_ENGLISH)
    words = template.format(service=service, period=period.chinese if chinese else period.english, what=what)
    words = " ".join(words.split()).replace(" ?", "?").replace(" .", ".")
    words = re.sub(r"(?<=[一-鿿]) (?=[一-鿿])", "", words)
    return FRAMES[frame][0 if chinese else 1].format(words)
