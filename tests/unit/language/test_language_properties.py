"""Whatever text comes, the room of language answers, and the same for what reads the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from domain.language.failures import holds_failure
from domain.language.form import search_form
from domain.language.levels import level_of
from domain.language.searching import alternatives, finder_of
from domain.language.services import Kinship, is_generic, kinship, names_of_file, nearest, service_of

SEPARATORS = st.sampled_from(["-", "_", ".", " "])
WORDS = st.sampled_from(["order", "payment", "user", "billing", "ledger", "quote"])
WORDS_WITHOUT_VOWELS = {"https", "http2", "html5", "mssql", "nfsv4", "pgsql", "smtps", "xhtml"}
SAFE = st.text("bcdfghjklmnpqrstvwxz2456789", min_size=5, max_size=5).filter(lambda t: t not in WORDS_WITHOUT_VOWELS)
TEXT = st.text(max_size=200)


@given(TEXT)
def test_the_form_of_a_form_is_the_same(text: str) -> None:
    """R68: it is taken of texts and of terms, once or twice."""
    assert search_form(search_form(text)) == search_form(text)


@given(TEXT)
def test_any_text_is_answered(text: str) -> None:
    """R68: no text makes a rule fail, and a generic name excludes nothing."""
    assert holds_failure(text) in {True, False}
    assert level_of(text) is None or text.strip()
    assert alternatives(text)[0] == text
    assert finder_of("OOM").stands_in(search_form(text)) in {True, False}
    assert len(names_of_file(text)) <= 1
    assert isinstance(service_of(text), str)
    assert nearest(text, ["order-service"]) in {(), ("order-service",)}
    assert not is_generic(text) or kinship(text, "order-service") is not Kinship.OTHER


@given(WORDS, SEPARATORS, st.sampled_from([str.lower, str.upper, str.title]))
def test_a_service_is_the_same_however_its_words_are_joined(word: str, separator: str, cased: object) -> None:
    """R68: order-service, ORDER_SERVICE, Order.Service."""
    name = cased(f"{word}{separator}service")  # type: ignore[operator]
    assert kinship(name, f"{word}-service") is Kinship.SAME


@given(WORDS, WORDS, st.text("456789bcdf", min_size=8, max_size=10), SAFE, st.integers(0, 99))
def test_a_pod_is_of_its_own_service_alone(word: str, asked: str, replicas: str, drawn: str, ordinal: int) -> None:
    """R68: a pod's name tells its service, and excludes it for every other."""
    expected = Kinship.SAME if word == asked else Kinship.OTHER
    for ending in (f"{replicas}-{drawn}", drawn, f"28571234-{drawn}", str(ordinal)):
        assert kinship(f"{word}-service-{ending}", f"{asked}-service") is expected
        assert service_of(f"{word}-service-{ending}") == f"{word}-service"


@given(st.sampled_from(["OOM", "超时", "5xx", "deadlock", "连接池"]), TEXT, TEXT)
def test_what_is_found_in_a_part_is_found_in_the_whole(term: str, before: str, after: str) -> None:
    """R68: text around a thing does not hide it."""
    lines = {
        "OOM": "OOMKilled",
        "超时": "请求超时",
        "5xx": '"GET / HTTP/1.1" 503 0',
        "deadlock": "Deadlock",
        "连接池": "HikariPool-1",
    }
    assert finder_of(term).stands_in(search_form(f"{before} {lines[term]} {after}"))


@given(st.text(min_size=1, max_size=40).filter(lambda text: search_form(text).strip()))
def test_a_term_is_found_where_it_stands(term: str) -> None:
    """R68: whatever is sought is found in the form in which it was asked."""
    assert finder_of(term).stands_in(search_form(f"before {term} behind"))
