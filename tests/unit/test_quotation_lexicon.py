"""The word lists of R24 are data: every entry does what its list says."""

import pytest

from domain.contracts import MatchKind
from domain.quotation import lexicon, match_quotation


@pytest.mark.parametrize("word", sorted(lexicon.LEVELS | lexicon.STATES | lexicon.NEGATIONS - {"!", "!="}))
def test_a_level_state_or_negation_left_out_is_rejected(word: str) -> None:
    """R24: critical words."""
    assert (
        match_quotation("probe alpha says beta today", f"probe alpha {word} says beta today").kind is MatchKind.MISMATCH
    )


@pytest.mark.parametrize("word", sorted(lexicon.FUNCTION_WORDS))
def test_a_function_word_added_is_a_near_miss(word: str) -> None:
    """R24: function words differ."""
    assert match_quotation(f"probe alpha {word} says beta", "probe alpha says beta").kind is MatchKind.NEAR_MISS


@pytest.mark.parametrize("word", sorted(lexicon.FUNCTION_CHARACTERS | lexicon.FUNCTION_WORDS_ZH))
def test_function_characters_left_out_are_a_near_miss(word: str) -> None:
    """R24: in Chinese every character outside a list of function characters is critical."""
    assert match_quotation("探针甲报告延迟偏高", f"探针甲{word}报告延迟偏高").kind is MatchKind.NEAR_MISS


@pytest.mark.parametrize("word", sorted(lexicon.NEGATIONS - {"!", "!="}))
def test_a_negation_before_the_quotation_is_a_near_miss(word: str) -> None:
    """R24: a negation stands before it in the same clause."""
    assert (
        match_quotation("visible from zone south", f"probe {word} visible from zone south").kind is MatchKind.NEAR_MISS
    )


@pytest.mark.parametrize("word", sorted(lexicon.NEGATION_CHARACTERS | lexicon.NEGATION_WORDS_ZH))
def test_a_chinese_negation_before_the_quotation_is_a_near_miss(word: str) -> None:
    """R24: a negation stands before it in the same clause."""
    assert match_quotation("触发自动扩容流程", f"探针{word}触发自动扩容流程").kind is MatchKind.NEAR_MISS


@pytest.mark.parametrize("word", sorted(lexicon.HARMLESS_NEGATION_WORDS_ZH))
def test_a_word_that_only_holds_a_negation_character_is_none(word: str) -> None:
    """R24: no negation stands before it."""
    assert match_quotation("触发自动扩容流程", f"探针{word}触发自动扩容流程").kind is MatchKind.EXACT


@pytest.mark.parametrize("word", sorted(lexicon.POLARITIES - {"!", "!="}))
def test_a_polarity_cut_off_behind_the_quotation_is_a_near_miss(word: str) -> None:
    """R24: a polarity right behind it is cut off."""
    assert (
        match_quotation("replica db-c2 in sync", f"replica db-c2 in sync: {word}, lag 3s").kind is MatchKind.NEAR_MISS
    )


@pytest.mark.parametrize("word", sorted(lexicon.FAILURE_WORDS | lexicon.FAILURE_WORDS_ZH))
def test_a_failure_swallowed_by_an_ellipsis_is_a_near_miss(word: str) -> None:
    """R24: ellipses swallow no negation."""
    item = f"probe of zone south {word} seen from zone north"
    assert match_quotation("probe of zone south ... from zone north", item).kind is MatchKind.NEAR_MISS


@pytest.mark.parametrize("unit", sorted(lexicon.UNITS))
def test_a_unit_cut_off_its_number_is_rejected(unit: str) -> None:
    """R24: a number is cut short."""
    assert match_quotation("probe reads 42", f"probe reads 42 {unit}").kind is MatchKind.MISMATCH


@pytest.mark.parametrize("unit", sorted([*lexicon.UNITS_ZH, *lexicon.MULTIPLIERS_ZH]))
def test_a_chinese_unit_cut_off_its_number_is_rejected(unit: str) -> None:
    """R24: a number is cut short."""
    assert match_quotation("探针读数当前为 42", f"探针读数当前为 42 {unit}").kind is MatchKind.MISMATCH


@pytest.mark.parametrize("unit", sorted(lexicon.GLUED_UNITS - {"μs", "μ"}))
def test_the_case_of_a_unit_counts(unit: str) -> None:
    """R24: case folding, but never of a unit."""
    assert match_quotation(f"probe reads 42{unit.swapcase()}", f"probe reads 42{unit}").kind is MatchKind.MISMATCH
