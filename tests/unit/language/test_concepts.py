"""The table of concepts keeps its own rules, and every rule that speaks of a concept sees all its names."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.agents.scope import forms_of
from domain.gatekeeper.asked import concepts_in, stands_in
from domain.language.concepts import MANNERS, Concept
from domain.language.form import search_form
from domain.language.searching import CONCEPTS, alternatives, concept_of, finder_of
from infra.models.extractive.words import other_names
from infra.tools.log_words import read_query

ALL = (*CONCEPTS, *MANNERS)


def by_name(concepts: tuple[Concept, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("concept", concepts, ids=lambda concept: concept.name)


@by_name(ALL)
def test_a_concept_has_both_languages_or_says_that_it_has_none(concept: Concept) -> None:
    """R68: an empty column would be a language forgotten."""
    assert concept.zh != ()
    assert concept.en != ()
    assert concept.names


@by_name(ALL)
def test_chinese_stands_in_the_chinese_column(concept: Concept) -> None:
    """R68: a column a language."""
    assert all(not name.isascii() for name in concept.zh or ())
    assert all(name.isascii() for name in (*(concept.en or ()), *concept.codes))


def test_no_name_stands_in_two_rows() -> None:
    """R68: a name means one thing."""
    names = Counter(search_form(name) for concept in ALL for name in {*concept.names, *concept.asks})
    assert [name for name, count in names.items() if count > 1] == []
    assert len({concept.name for concept in ALL}) == len(ALL)


def test_what_a_concept_holds_exists() -> None:
    """R68: a case is a row of its own."""
    known = {concept.name for concept in ALL}
    assert {case for concept in ALL for case in concept.holds} <= known


@by_name(ALL)
def test_every_name_names_its_concept_and_finds_every_other(concept: Concept) -> None:
    """R68: a synonym added to a row is seen by the search."""
    assert [name for name in (*concept.names, *concept.asks) if concept_of(name) is not concept] == []
    for name in concept.names:
        assert [other for other in concept.names if not finder_of(name).stands_in(search_form(other))] == []
        assert set(map(search_form, concept.names)) <= set(map(search_form, alternatives(name)))


@by_name(CONCEPTS)
def test_every_rule_that_speaks_of_a_concept_sees_all_its_names(concept: Concept) -> None:
    """R16, R20: scope, absence, log queries and the offline model ask the one table."""
    for name in concept.names:
        names = set(concept.names)
        assert names <= set(forms_of(name))
        assert names <= set(concepts_in(f"未检索到 {name} 日志"))
        assert all(stands_in(name, other) for other in names)
        assert set(map(search_form, names)) <= set(map(search_form, other_names(name)))
        words, _ = read_query(f'"{name}"', "")
        assert all(words.stand_in(search_form(other)) for other in names)
