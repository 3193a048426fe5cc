"""The terms of a question: what an answer must speak of, or have looked for (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from domain.question import codes, marks, metrics, names, objects
from domain.question.question import AnswerKind, Term, TermKind
from domain.question.reader import Reader
from domain.question.topics import NAMES, TOPICS


def terms_of(
    text: str, rest: str, quotations: Iterable[tuple[int, int]], kinds: Sequence[AnswerKind]
) -> tuple[Term, ...]:
    """The terms in the order of the text. `rest`: the text with what is no term blanked, quotations among it."""
    reader = Reader(text, rest)
    for span in quotations:
        _take_quotation(reader, span)
    marks.take_addresses(reader)
    marks.take_paths(reader)
    marks.take_fields(reader)
    marks.take_ids(reader)
    marks.take_packages(reader)
    names.take_alerts(reader)
    codes.take_codes(reader)
    marks.take_numbered(reader)
    names.take_camel_words(reader, NAMES)
    names.take_capitalised_alert(reader)
    codes.take_levels(reader)
    metrics.take_metrics(reader, of_measures=AnswerKind.HOW_MUCH in kinds)
    objects.take_phrases_in_brackets(reader)
    names.take_services(reader, TOPICS)
    names.take_products(reader)
    objects.take_foreign_phrases(reader, TOPICS)
    objects.take_objects(reader, TOPICS)
    objects.take_plain_errors(reader, is_open=list(kinds) == [AnswerKind.OPEN])
    objects.take_topics(reader, TOPICS)
    codes.take_words_in_capitals(reader)
    names.take_bare_services(reader)
    if list(kinds) != [AnswerKind.OPEN]:
        objects.take_left_over(reader, is_open=kinds[0] in (AnswerKind.WHY, AnswerKind.WHAT_TO_DO))
    return reader.terms()


_NAME = re.compile(r"[A-Za-z][\w.-]{2,79}", re.ASCII)
_SERVICE_BEHIND = re.compile(r"\W{0,2}\s?(?:服务|应用|实例|service\b|app\b|pod\b)", re.IGNORECASE)
_ALERT_BEHIND = re.compile(r"\W{0,2}\s?(?:告警|报警|alert)", re.IGNORECASE)


def _take_quotation(reader: Reader, span: tuple[int, int]) -> None:
    """Quoted words are a phrase, but for a name that is called a service or an alert."""
    kind = TermKind.PHRASE
    if _NAME.fullmatch(reader.text, *span):
        if _SERVICE_BEHIND.match(reader.text, span[1]):
            kind = TermKind.SERVICE
        elif _ALERT_BEHIND.match(reader.text, span[1]):
            kind = TermKind.ALERT
    reader.keep(kind, span)
