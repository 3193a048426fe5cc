"""The subject of an event in the log, as its chained headers give it: another one is not its own (R75)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote

from domain.chain import SESSION_HEADER, TOPIC_HEADER, VERSION_HEADER

EVENT_PREFIX = "assay.event"

PARTITIONS = 8
"""Into how many parts a hash divides the originators. Fixed for the life of a stream: it stands in every subject."""


@lru_cache(4_096)
def partition_of(originator: str) -> int:
    """The part of the log that holds all events of one originator."""
    return zlib.crc32(originator.encode()) % PARTITIONS


@lru_cache(4_096)
def token_of(text: str) -> str:
    """Any text as one token of a subject: no dots, wildcards or spaces, and not empty."""
    return quote(text, safe="").replace(".", "%2E") or "%"


def subject_of(headers: Mapping[str, str]) -> str:
    """Under which an event with these headers was recorded. Headers that are missing count as empty."""
    session_id = headers.get(SESSION_HEADER, "")
    version, topic = headers.get(VERSION_HEADER, ""), headers.get(TOPIC_HEADER, "")
    place = f"{partition_of(session_id)}.{token_of(session_id)}.{token_of(version)}.{token_of(topic)}"
    return f"{EVENT_PREFIX}.{place}"
