"""Spellings of levels, from DEBUG to FATAL."""

from __future__ import annotations

RED, OFF = "\x1b[31m", "\x1b[0m"

SPELLINGS: dict[str, tuple[str, str, str, str, str]] = {
    "upper": ("DEBUG", "INFO", "WARN", "ERROR", "FATAL"),
    "lower": ("debug", "info", "warn", "error", "fatal"),
    "python": ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    "title": ("Debug", "Information", "Warning", "Error", "Fatal"),
    "three letters": ("DBG", "INF", "WRN", "ERR", "FTL"),
    "four letters": ("DEBU", "INFO", "WARN", "ERRO", "FATA"),
    "syslog words": ("debug", "info", "warning", "err", "crit"),
    "panic": ("debug", "info", "warning", "error", "panic"),
    "alert": ("debug", "notice", "warn", "error", "alert"),
    "java": ("FINE", "INFO", "WARNING", "SEVERE", "SEVERE"),
    "letter": ("D", "I", "W", "E", "F"),
    "klog letter": ("I", "I", "W", "E", "F"),
    "coloured": tuple(f"{RED}{word}{OFF}" for word in ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")),  # type: ignore[dict-item]
    "chinese": ("调试", "信息", "警告", "错误", "致命"),
    "own": ("DEBUG", "INFO", "WARN", "ERROR", "FATAL"),
    "severity number": ("7", "6", "4", "3", "2"),
    "pino number": ("20", "30", "40", "50", "60"),
    "otel number": ("5", "9", "13", "17", "21"),
    # of tools that nobody has a row for
    "unseen german": ("ABLAUF", "HINWEIS", "WARNUNG", "FEHLER", "ABBRUCH"),
    "unseen sev": ("sev5", "sev4", "sev3", "sev2", "sev1"),
    "unseen marks": ("..", "--", "??", "!!", "XX"),
    "unseen colours": ("grey", "green", "yellow", "red", "black"),
}

FREE = (
    *("upper", "lower", "python", "title", "three letters", "four letters", "syslog words", "panic", "alert", "java"),
    *("coloured", "chinese", "unseen german", "unseen sev", "unseen colours"),
)
"""What may stand where a layout has room for any word."""

FIELD = tuple(name for name in FREE if name != "coloured")
"""What may stand in a field of a record."""


SAYS_FATAL = (
    *("upper", "lower", "title", "three letters", "four letters", "letter", "klog letter", "coloured"),
    *("chinese", "pino number", "otel number"),
)
"""Spellings whose last word is surely the worst level: only here is FATAL asked for."""


def is_understood(spelling: str) -> bool:
    return not spelling.startswith("unseen")
