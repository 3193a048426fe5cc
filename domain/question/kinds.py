"""What a question wants to be told: whether, which, how many, how much, since when, why, what to do (R70)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from domain.language import cues, measures
from domain.language.cue import chinese, english, expression, pattern_of
from domain.language.late import Late
from domain.question.question import AnswerKind

_CLAUSE_END = re.compile(
    r"[。；;！!？?\n，,：:]|(?<=[A-Za-z])\.(?=\s|$)|(?<![A-Za-z])(?:and|but|then)(?![A-Za-z])|并且?|然后|再"
)
_STARTS = Late(lambda: rf"\W*(?:(?:{english(cues.POLITE)}|so|ok|then|also|now|currently)[\s,]{{0,3}}){{0,4}}", re.I)
_INVERTED = re.compile(
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|isn['’]t|aren['’]t|wasn['’]t|hasn['’]t|haven['’]t"
    r"|didn['’]t|doesn['’]t|any|anything(?=\s(?:about|on)\s))(?![A-Za-z])|['’]s)",
    re.IGNORECASE,
)
_WHETHER_WORDS = Late(
    lambda: (
        rf"{chinese(cues.WHETHER)}|了没有?\s*$|(?<![A-Za-z])(?:whether|if)(?![A-Za-z])|(?<![A-Za-z])(?:confirm|verify)(?![A-Za-z])"
    ),
    re.IGNORECASE,
)
_STILL_OVER = Late(lambda: expression(cues.IS_OVER), re.IGNORECASE)
_WHAT_PREFIX = re.compile(r"什么(?=导致|引起|造成|时候|时间)")
_SINCE_PERIOD = re.compile(r"(?<![A-Za-z])(?:when|where)(?=\s+(?:the|we|it|i|they|users)\b)", re.IGNORECASE)

_CUES: tuple[tuple[AnswerKind, Late], ...] = (
    (AnswerKind.WHAT_TO_DO, pattern_of(cues.WHAT_TO_DO)),
    (AnswerKind.WHY, pattern_of(cues.WHY)),
    (AnswerKind.SINCE_WHEN, pattern_of(cues.SINCE_WHEN)),
)
_COUNTS = pattern_of(cues.HOW_MANY)
_AMOUNTS = pattern_of(cues.HOW_MUCH)
_MEASURED = (measures.SHARES, measures.RATES, measures.TIMES_TAKEN, measures.AMOUNTS, measures.PER_SECOND, measures.OF)
_MEASURES = Late(
    lambda: (
        rf"(?:{chinese(*_MEASURED)}|P\d{{2,3}})[^，。？]{{0,12}}(?:{chinese(cues.HOW_MUCH, cues.OPEN)}|如何|几)"
        r"|what(?:['’]s|\s{1,3}(?:is|was|are|were))\s{1,3}(?:the\s{1,3})?(?:[\w./-]{1,40}\s{1,3}){0,6}?"
        rf"(?:{english(*_MEASURED)}|(?<![A-Za-z])p\d\d(?![A-Za-z]))"
    ),
    re.IGNORECASE,
)
_OPENING = pattern_of(cues.OPEN)
_LISTS = pattern_of(cues.WHICH)
_MOST = pattern_of(cues.MOST)
_COMMANDS = pattern_of(cues.COMMANDS)
_CURRENT = re.compile(r"(?<![A-Za-z])what(?:['’]s|\s{1,3}is|\s{1,3}was)(?![A-Za-z])", re.IGNORECASE)


def kinds_of(asked: str) -> tuple[AnswerKind, ...]:
    """Every kind of answer that the text asks for, each once, in its order; OPEN alone where it names none.

    `asked`: without what is excluded, said in passing or quoted.
    """
    found = [kind for clause in _CLAUSE_END.split(asked) if (kind := _kind(clause)) is not AnswerKind.OPEN]
    return tuple(dict.fromkeys(found)) or (AnswerKind.OPEN,)


def _kind(clause: str) -> AnswerKind:
    return next(_kinds(clause), AnswerKind.OPEN)


def _kinds(clause: str) -> Iterator[AnswerKind]:
    """The kinds that a clause may be of, the most telling first."""
    clause = _SINCE_PERIOD.sub(" ", clause)
    is_opening = _OPENING.search(clause) is not None
    if _LISTS.search(clause) and _MOST.search(clause):
        yield AnswerKind.WHICH
    for kind, pattern in _CUES:
        if pattern.search(clause):
            yield kind
    if _MEASURES.search(clause):
        yield AnswerKind.HOW_MUCH
    if _COUNTS.search(clause):
        yield AnswerKind.HOW_MANY
    if _AMOUNTS.search(clause):
        yield AnswerKind.HOW_MUCH
    if _STILL_OVER.search(clause) and _is_whether(clause):
        yield AnswerKind.IS_OVER
    if is_opening:
        yield AnswerKind.OPEN
    if _is_command(clause) or (_LISTS.search(clause) and not _CURRENT.search(clause)):
        yield AnswerKind.WHICH
    if _is_whether(clause):
        yield AnswerKind.WHETHER
    if _CURRENT.search(clause):
        yield AnswerKind.WHICH


def _is_command(clause: str) -> bool:
    return _COMMANDS.match(clause, _start(clause)) is not None


def _is_whether(clause: str) -> bool:
    return bool(_WHETHER_WORDS.search(clause) or _INVERTED.match(clause, _start(clause)))


def _start(clause: str) -> int:
    """Where a clause begins, behind politeness."""
    found = _STARTS.match(clause)
    return found.end() if found else 0
