"""Words of a question that say nothing about its subject."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def stop_words() -> frozenset[str]:
    """The shipped list, Chinese and English, lower-cased."""
    return frozenset(Path(__file__).with_name("stop_words.txt").read_text("utf-8").split())
