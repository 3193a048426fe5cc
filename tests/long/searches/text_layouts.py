"""Formats of programs, that write a line of text for an entry."""

from __future__ import annotations

from tests.long.searches.case import Written
from tests.long.searches.layouts import Layout
from tests.long.searches.levels import FREE

UPPER = ("upper",)
BETWEEN_BLANKS = tuple(name for name in FREE if name not in ("panic", "alert", "title"))  # words there
JAVA_STAMPS = ("blank comma", "blank dot", "iso without zone", "iso Z millis", "iso offset")


def quoted(text: str) -> str:
    """In double quotes, with what needs it escaped."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _logfmt(w: Written) -> str:
    stamp = f'"{w.stamp}"' if " " in w.stamp else w.stamp
    service = f" service={w.service}" if w.service else ""
    stack = f" stack={quoted(chr(10).join(w.entry.trace))}" if w.entry.trace else ""
    return f"time={stamp} level={w.level}{service} msg={quoted(w.message)}{stack}"


def _spring3(w: Written) -> str:
    app = f"[{w.service}] " if w.service else ""
    return (
        f"{w.stamp} {w.level:>5} {w.number} --- {app}[nio-8080-exec-1] c.e.shop.RequestHandler           : {w.message}"
    )


PROGRAMS = (
    Layout("plain", lambda w: f"{w.stamp} {w.level} {w.message}", levels=BETWEEN_BLANKS, traces=True),
    Layout("plain with colon", lambda w: f"{w.stamp} {w.level}: {w.message}", traces=True),
    Layout("brackets", lambda w: f"[{w.stamp}] [{w.level}] {w.message}", traces=True),
    Layout(
        "bracketed service",
        lambda w: f"{w.stamp} [{w.level}] [{w.service}] {w.message}",
        services=("field",),
        always=True,
        traces=True,
    ),
    Layout("logfmt", _logfmt, stamps=("iso Z", "iso Z millis", "iso offset", "epoch"), services=("field",)),
    Layout(
        "logback",
        lambda w: f"{w.stamp} [main] {w.level:<5} com.example.shop.OrderController - {w.message}",
        stamps=(*JAVA_STAMPS, "time"),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "log4j",
        lambda w: (
            f"{w.stamp} {w.level:<5} [exec-{w.number % 9}] com.example.shop.Handler (Handler.java:12) - {w.message}"
        ),
        stamps=JAVA_STAMPS,
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "java.util.logging",
        lambda w: f"{w.stamp} com.example.shop.Handler handle\n{w.level}: {w.message}",
        stamps=("java.util.logging",),
        levels=("java",),
        worst=3,
        traces=True,
    ),
    Layout(
        "tomcat",
        lambda w: f"{w.stamp} {w.level} [main] org.apache.catalina.core.StandardService.start {w.message}",
        stamps=("tomcat",),
        levels=("java",),
        worst=3,
        traces=True,
    ),
    Layout(
        "spring boot 2",
        lambda w: f"{w.stamp} {w.level:>5} {w.number} --- [nio-8080-exec-1] c.e.shop.RequestHandler : {w.message}",
        stamps=("blank dot", "iso offset"),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "spring boot 3", _spring3, stamps=("iso Z millis", "iso offset"), levels=UPPER, services=("field",), traces=True
    ),
    Layout(
        "python logging",
        lambda w: f"{w.stamp} - shop.worker - {w.level} - {w.message}",
        stamps=("blank comma",),
        levels=("python",),
        traces=True,
    ),
    Layout("python root", lambda w: f"{w.level}:root:{w.message}", stamps=("none",), levels=("python",), traces=True),
    Layout(
        "gunicorn",
        lambda w: f"[{w.stamp}] [{w.number}] [{w.level}] {w.message}",
        stamps=("blank and offset",),
        levels=("python",),
        traces=True,
    ),
    Layout(
        "django",
        lambda w: f"[{w.stamp}] {w.level} [django.request:212] {w.message}",
        stamps=("django",),
        levels=("python",),
        traces=True,
    ),
    Layout(
        "rails",
        lambda w: f"{w.level[0]}, [{w.stamp} #{w.number}] {w.level:>5} -- : {w.message}",
        stamps=("iso without zone",),
        levels=UPPER,
        traces=True,
    ),
    Layout(
        "php-fpm",
        lambda w: f"[{w.stamp}] {('DEBUG', 'NOTICE', 'WARNING', 'ERROR', 'ALERT')[w.rank]}: [pool www] {w.message}",
        stamps=("php", "php with zone"),
        levels=("own",),
    ),
    Layout(
        "klog",
        lambda w: f"{w.level}{w.stamp} {w.number:7d} controller.go:{w.number % 400}] {w.message}",
        stamps=("klog", "glog"),
        levels=("klog letter",),
    ),
    Layout("go log", lambda w: f"{w.stamp} {w.message}", stamps=("slashes",), levels=(), bare=True),
    Layout(
        "zap console",
        lambda w: f"{w.stamp}\t{w.level}\tserver/main.go:{w.number % 300}\t{w.message}\t" + '{"n": 1}',
        stamps=("iso Z millis", "iso offset without colon"),
        levels=("upper", "lower", "coloured"),
    ),
    Layout(
        "zerolog console",
        lambda w: f"{w.stamp} {w.level} {w.message} n=1",
        stamps=("kitchen",),
        levels=("three letters",),
    ),
    Layout(
        "logrus",
        _logfmt,
        stamps=("iso Z", "iso offset"),
        levels=("panic", "alert", "lower"),
        services=("field",),
    ),
    Layout(
        "logrus terminal",
        lambda w: f"{w.level}[{w.number % 60:04d}] {w.message}",
        stamps=("none",),
        levels=("four letters",),
    ),
    Layout("winston simple", lambda w: f"{w.level}: {w.message}", stamps=("none",), levels=("lower",)),
    Layout(
        "cloudwatch lambda",
        lambda w: f"[{w.level}]\t{w.stamp}\t5f1c-{w.number}\t{w.message}",
        stamps=("iso Z millis",),
        levels=("python", "upper"),
        traces=True,
    ),
    Layout("cloudwatch export", lambda w: f"{w.stamp} [{w.level}] {w.message}", stamps=("iso Z millis",), levels=FREE),
)

INNER = ("plain", "logback", "logfmt", "spring boot 2", "klog", "python logging", "pino", "zap", "zerolog")
"""What a container may write behind the prefix of its runtime."""
