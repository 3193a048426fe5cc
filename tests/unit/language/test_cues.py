"""Cue words of questions: both languages, each word found as a reader would (R70, ARCHITECTURE "Language")."""

from __future__ import annotations

import pytest

from domain.language import cues, measures
from domain.language.cue import Cue, expression, pattern_of

ROWS = {name: row for module in (cues, measures) for name, row in vars(module).items() if isinstance(row, Cue)}
OF_ONE_LANGUAGE = {
    *("OUTSIDE", "RECENT_CHANGE", "WHETHER_ASKED", "COMMANDS", "JUST", "GENERIC", "ENTRIES", "PARTS_FROM", "FINDING"),
    *("SERVICE_KINDS", "WHOSE", "BEHIND_PEOPLE", "ALL_BUT"),
}
"""Words of grammar that the other language does without, or says in another row."""


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_concept_has_both_languages_or_is_one_of_grammar(name: str) -> None:
    assert bool(ROWS[name].zh and ROWS[name].en) is (name not in OF_ONE_LANGUAGE)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_each_language_stands_in_its_column(name: str) -> None:
    row = ROWS[name]
    assert row.en.isascii()
    assert "||" not in row.zh + row.en
    assert not any(word.startswith(" ") or word.endswith(" ") for word in (*row.zh.split("|"), *row.en.split("|")))


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_word_of_a_concept_is_found(name: str) -> None:
    words = [word for word in (*ROWS[name].zh.split("|"), *ROWS[name].en.split("|")) if word]
    assert all(pattern_of(ROWS[name]).search(f"x {word} y") for word in words)


def test_english_words_stand_whole_and_chinese_ones_anywhere() -> None:
    why = pattern_of(cues.WHY)
    assert why.search("order-service为什么变慢")
    assert why.search("Why is it slow?")
    assert why.search("what's  causing it")
    assert not why.search("whyever, the anti-cause_of")


def test_the_longest_word_is_found_first() -> None:
    assert expression(Cue("是否|是否存在", "")) == "是否存在|是否"
