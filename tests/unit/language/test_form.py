"""The form in which words are sought: what a reader sees as the same is the same."""

from __future__ import annotations

import pytest

from domain.language.form import search_form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("ERROR Deadlock found", "error deadlock found"),
        ("", ""),
        ("\x1b[1;31mERROR\x1b[0m disk", "error disk"),
        ("\x1b]0;title\x07ready", "0;title ready"),
        ("\x1b(B\x1b[mok\x1b[K", "ok"),
        ("\x1bERROR", "error"),
        ("\x1b[OOM", "[oom"),
        ("#033[31mOOM#033[0m", "oom"),
        ("^[[31mOOM^[[0m", "oom"),
        (r"\u001b[31mOOM\u001b[0m", "oom"),
        ("ｄｅａｄlock", "deadlock"),
        ("dead\u200block", "deadlock"),
        ("\u202edead\u202clock\ufeff", "deadlock"),
        ("dead\u00adlock", "deadlock"),
        ("cafe\u0301", "café"),
        ("caf\u200be\u200c\u0301", "café"),
        ("connection\u2011pool “x”", 'connection-pool "x"'),
        ("超时：５０３", "超时:503"),
        ("STRASSE straße", "strasse strasse"),
        ("tag\U000e0041s", "tags"),
    ],
)
def test_colours_width_case_and_invisible_characters_do_not_count(text: str, form: str) -> None:
    """R68: what the quotation check folds, the search folds too."""
    assert search_form(text) == form


@pytest.mark.parametrize("text", ["order-4711 amount=1.10", "a[0m] 033 1b", "x033y", "array[31]m"])
def test_plain_text_stays_as_it_is(text: str) -> None:
    """R68: nothing but form is taken off."""
    assert search_form(text) == text


def test_the_form_of_a_form_is_the_same() -> None:
    """R68: it may be taken twice."""
    once = search_form("\x1b[31mＥＲＲＯＲ\x1b[0m “cafe\u0301” ﬁle İstanbul")
    assert search_form(once) == once
