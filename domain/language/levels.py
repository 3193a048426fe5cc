"""Levels of log entries: their order, their spellings and their numbers (R68)."""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """From the least to the worst."""

    TRACE = 0
    DEBUG = 1
    INFO = 2
    NOTICE = 3
    WARN = 4
    ERROR = 5
    CRITICAL = 6
    FATAL = 7
