"""A question is read once, by code: terms, period, exclusions, and the kind of answer it asks for (R70).

The offline model plans from this reading, and the check that an answer fits its question uses the same.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, tzinfo

from domain.language import cues
from domain.language.cue import pattern_of
from domain.question.asides import TAKEN, background, blanked, changes, figures
from domain.question.exclusions import Exclusions, exclusions_of
from domain.question.kinds import kinds_of
from domain.question.marks import quotations
from domain.question.period import read_period
from domain.question.question import MAX_QUESTION, AnswerKind, Question
from domain.question.terms import terms_of

_ALERTS = pattern_of(cues.ALERTS)
_COLON_OF_TIME = re.compile(r"(?<![\d-])([01]?\d|2[0-4])：(?=[0-5]\d(?!\d))")


def read_question(question: str, now: datetime, zone: tzinfo) -> Question:
    """The first MAX_QUESTION characters of a question. `now` aware; words like 今天 are of `zone`. Never raises."""
    text = plain(question[:MAX_QUESTION])
    quoted = quotations(text)
    rest = blanked(text, quoted)
    left_out = exclusions_of(rest, text)
    rest = blanked(rest, left_out.spans)
    rest = _without_background(rest)
    period = read_period(rest, now, zone)
    loose = _times_left(blanked(rest, period.spans))
    periods_out = [subject for subject in left_out.subjects if _is_period(subject, now, zone)]
    rest = blanked(rest, [*period.spans, *loose])
    rest = blanked(rest, [*changes(rest), *figures(rest)])
    kinds = kinds_of(rest)
    alerts = None if kinds == (AnswerKind.OPEN,) else _ALERTS.search(rest)
    asked = [span for span in quoted if not any(start <= span[0] < end for start, end in left_out.spans)]
    return Question(
        text=text,
        asked=left_out.left_of(text),
        kind=kinds[0],
        also=kinds[1:],
        terms=terms_of(text, rest, asked, kinds),
        period=period.period,
        alerts_asked=alerts[0] if alerts else "",
        excluded=tuple(subject for subject in left_out.subjects if subject not in periods_out),
        unclear=(*period.unclear, *periods_out, *(text[start:end] for start, end in loose)),
    )


_TIME_LEFT = re.compile(
    r"(?<![\w.:/-])(?:since|until|till)\s(?!when\b|then\b)(?:the\s|our\s|its\s)?[a-z]{3,20}(?:\s(?:of|for)\s[\w-]{2,30})?"
    r"|(?<![\w.:/])\d{1,2}:[0-5]\d(?::[0-5]\d)?\s?(?:Z|[AaPp]\.?[Mm]\.?)?(?![\w:])"
    r"(?:\s?[-–~]\s?\d{1,2}:[0-5]\d(?::[0-5]\d)?Z?)?",
    re.ASCII,
)


def _times_left(rest: str) -> list[tuple[int, int]]:
    """Times that were not understood: since lunch, a clock time that belongs to nothing."""
    return [found.span() for found in _TIME_LEFT.finditer(rest)]


def _is_period(subject: str, now: datetime, zone: tzinfo) -> bool:
    """Whether it is nothing but words of time: all of time without it is no period that is understood."""
    span = read_period(subject, now, zone).span
    return span is not None and span == (0, len(subject))


def exclusions_in(text: str) -> Exclusions:
    """What a text in the form of `plain` excludes; quoted words leave nothing out."""
    return exclusions_of(blanked(text, quotations(text)), text)


def plain(question: str) -> str:
    """The form in which a question is read: NFKC, one blank between words, lines kept."""
    apart = _COLON_OF_TIME.sub(r"\1:", question).replace("：", ": ")  # punctuation, not the colon of an address
    lines = unicodedata.normalize("NFKC", apart).splitlines()
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _without_background(rest: str) -> str:
    """Without what only says why somebody asks; if nothing else is said, that is what is asked."""
    left = blanked(rest, background(rest))
    return left if any(c.isalnum() for c in left.replace(TAKEN, "")) else rest
