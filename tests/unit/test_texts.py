"""The catalogue of texts (R83)."""

from __future__ import annotations

import re
import string

import pytest

from domain.answer.texts import TEXTS, text
from domain.evidence.coverage import DoubtKind, UnreadReason


def fields_of(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_both_languages_are_there_and_say_the_same_things(key: str) -> None:
    """R83: no Chinese in the English text, and the same values in both."""
    chinese, english = TEXTS[key]

    assert chinese
    assert english
    assert fields_of(chinese) == fields_of(english)
    assert not re.search("[\u3000-\u9fff\uff00-\uffef]", english)
    assert re.search("[\u4e00-\u9fff]", chinese)


def test_every_doubt_and_every_reason_has_words() -> None:
    """R69: a gap names the reason and how to mend it."""
    needed = {f"reason.{kind}" for kind in DoubtKind} | {f"why.{reason}" for reason in UnreadReason}
    needed |= {f"mend.{name}" for name in (*DoubtKind, *UnreadReason) if name != "input"}

    assert needed <= set(TEXTS)


def test_values_are_filled_in() -> None:
    assert text("count", n=3) == "共 3 条。"
    assert text("count", "en", n=3) == "3 in all."
