"""The catalogue of texts (R83)."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path
from types import ModuleType

import pytest

import domain.answer
from domain.answer.texts import JOINERS, TEXTS, text
from domain.evidence.coverage import DoubtKind, UnreadReason
from domain.model_reply import ErrorKind
from infra.models import extractive
from infra.models.extractive import texts as offline

CJK = re.compile("[\u3000-\u9fff\uff00-\uffef]")


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


@pytest.mark.parametrize("key", offline.TEXTS)
def test_the_offline_model_says_the_same_in_both_languages(key: str) -> None:
    """R83."""
    chinese, english = offline.TEXTS[key]

    assert chinese
    assert english
    assert fields_of(english) <= fields_of(chinese)
    assert not CJK.search(english)


@pytest.mark.parametrize("kind", JOINERS)
def test_nothing_chinese_joins_english(kind: str) -> None:
    """R83."""
    assert not CJK.search(JOINERS[kind][1])


def test_every_reason_why_a_session_cannot_go_on_has_words() -> None:
    """R7, R83."""
    reasons = {*(f"model_{kind}" for kind in ErrorKind), "step_failed", "erased", "other"}
    assert {f"failure.{reason}" for reason in reasons} <= set(TEXTS)


def constants_of(file: Path) -> list[str]:
    """Its texts, docstrings aside."""
    tree = ast.parse(file.read_text())
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs)
    return [node.value for node in constants if isinstance(node.value, str)]


def told_in(package: ModuleType) -> list[tuple[str, str]]:
    files = Path(str(package.__file__)).parent.glob("*.py")
    return [(file.name, said) for file in files if file.name != "texts.py" for said in constants_of(file)]


def test_the_texts_of_answers_stand_in_the_catalogue_alone() -> None:
    """R83: any other would be in one language."""
    chinese = [one for one in told_in(domain.answer) if re.search("[\u4e00-\u9ffe]", one[1])]
    assert [one for one in chinese if not one[1].startswith("[")] == []


def test_the_sentences_of_the_offline_model_stand_in_its_table_alone() -> None:
    """R83; its vocabularies, which are read and not written, hold words of both languages."""
    assert [one for one in told_in(extractive) if re.search("[\u4e00-\u9ffe]{2}.*[，。：；]", one[1])] == []
