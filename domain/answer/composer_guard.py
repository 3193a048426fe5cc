"""Whether the Composer's sentences say no more than the claims they cite (R46)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from domain.agents.composer_io import parse_composition, within_scope
from domain.agents.scope import Scope, mentions_excluded
from domain.answer.documentation import parted
from domain.answer.rendering import plain_list
from domain.answer.speech import CHINESE, Speech
from domain.contracts import ComposedSentence, ComposerOutput, ComposerStatus, VerifiedClaim
from domain.language.tongues import Language
from domain.quotation.normalise import is_disguised
from domain.values.entities import Wording, names_in
from domain.values.measurements import Measurements
from domain.values.numbers import blanked, narrowed, values_in
from domain.values.phrases import (
    ABSOLUTE_ABSENCE,
    CONNECTING_CHARACTERS,
    CONNECTING_PHRASES,
    CONNECTING_WORDS,
    NEGATIONS,
)
from domain.values.times import times_in
from domain.verdict.senses import turned

_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_NEGATION = re.compile("|".join(word if not word.isascii() else rf"\b{word}\b" for word in NEGATIONS), re.IGNORECASE)
_RAW = re.compile(r"[{}\n]|```")


def guard_composition(
    raw: str | None, allowed: Sequence[VerifiedClaim], scope: Scope, speech: Speech = CHINESE
) -> ComposerOutput:
    """The Composer's answer if every sentence holds, else a plain list of the verified claims and the reason why.

    `raw` None: the Composer's model failed.
    """
    worded, quoted = parted(within_scope(allowed, scope))
    if quoted and not worded:
        raw = "[]"  # there was nothing to word
    sentences = "the composer gave no answer" if raw is None else parse_composition(raw)
    problem = sentences if isinstance(sentences, str) else ""
    if worded and not isinstance(sentences, str):
        problem = _problem(sentences, worded, scope, speech.language)
    if not (worded or quoted):
        problem = "the composer wrote no sentence"
    if problem or isinstance(sentences, str):
        listed = plain_list([*worded, *quoted], speech)
        return ComposerOutput(status=ComposerStatus.FALLBACK, reason=problem, answer=listed)
    quotations = [ComposedSentence(claim_ids=(one.claim.claim_id,), sentence=one.claim.claim_text) for one in quoted]
    parts = ["\n".join(one.sentence.strip() for one in sentences), *(one.sentence.strip() for one in quotations)]
    answer = "\n\n".join(filter(None, parts))
    return ComposerOutput(status=ComposerStatus.VALID, sentences=(*sentences, *quotations), answer=answer)


def _problem(
    sentences: Sequence[ComposedSentence], allowed: Sequence[VerifiedClaim], scope: Scope, language: Language
) -> str:
    if not sentences:
        return "the composer wrote no sentence"
    claims = {verified.claim.claim_id: verified for verified in allowed}
    for number, sentence in enumerate(sentences, start=1):
        if problem := _refusal(sentence, claims, scope, language):
            return f"sentence {number}: {problem}"
    return ""


def _refusal(sentence: ComposedSentence, claims: dict[str, VerifiedClaim], scope: Scope, language: Language) -> str:
    text = sentence.sentence.strip()
    if not text or _RAW.search(text) or is_disguised(text):
        return "empty or raw output"
    if not sentence.claim_ids:
        return "no claim ids"
    if unknown := [id for id in sentence.claim_ids if id not in claims]:
        return f"unknown claim ids: {', '.join(unknown)}"
    if excluded := mentions_excluded(text, scope):
        return f"speaks of what the user excluded: {excluded}"
    return _unsupported(text, [claims[id] for id in dict.fromkeys(sentence.claim_ids)], language)


def _unsupported(text: str, cited: Sequence[VerifiedClaim], language: Language) -> str:
    """The first thing in a sentence that neither its claims nor their items say."""
    claim_texts = [verified.claim.claim_text for verified in cited]
    sources = [*claim_texts, *(ref.evidence_excerpt for verified in cited for ref in verified.refs)]
    checks = (_foreign_values(text, sources), _foreign_names(text, sources), _foreign_words(text, sources, language))
    return next((problem for problem in checks if problem), _turned_sense(text, claim_texts))


def _foreign_values(text: str, sources: Sequence[str]) -> str:
    known = Measurements(sources)
    values = [text[v.start : v.end] for v in values_in(text) if not known.state(v)]
    times = [text[t.start : t.end] for t in times_in(text) if not known.hold_time(t)]
    return f"numbers of no cited claim: {', '.join(values + times)}" if values or times else ""


def _foreign_names(text: str, sources: Sequence[str]) -> str:
    wording = Wording(sources)
    foreign = [name.text for name in names_in(text) if not wording.holds(name.text)]
    return f"names of no cited claim: {', '.join(foreign)}" if foreign else ""


def _foreign_words(text: str, sources: Sequence[str], language: Language) -> str:
    """Chinese in an English answer is a quotation, and stands whole in the sources (R83)."""
    whole = "\n".join(sources)
    latin = {word.casefold() for word in _LATIN_WORD.findall(whole)}
    if language == "en":
        latin |= CONNECTING_WORDS
        if strange := [run for run in _CHINESE_RUN.findall(text) if run not in whole]:
            return f"words of another language: {', '.join(strange)}"
    bare = _without_values(text)
    foreign = [word for word in _LATIN_WORD.findall(bare) if word.casefold() not in latin]
    known = _pairs(whole) | _pairs(_without_values(whole))
    for run in _CHINESE_RUN.findall(bare):
        foreign += _uncovered(run, known)
    return f"words of no cited claim: {', '.join(foreign)}" if foreign else ""


def _without_values(text: str) -> str:
    text = narrowed(text)
    values = [(value.start, value.end) for value in values_in(text)]
    times = [(mention.start, mention.end) for mention in times_in(text)]
    spans = sorted(values + times)
    return blanked(text, spans)


def _pairs(text: str) -> frozenset[str]:
    """Every two neighbouring Chinese characters; a character that stands alone is a word of its own."""
    return frozenset(pair for run in _CHINESE_RUN.findall(text) for pair in _neighbours(run))


def _neighbours(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(max(1, len(run) - 1))]


def _uncovered(run: str, known: frozenset[str]) -> list[str]:
    """Runs of content characters that belong to no word of the sources and to no connecting phrase."""
    covered = [character in CONNECTING_CHARACTERS or _NEGATION.match(character) is not None for character in run]
    for start, pair in enumerate(_neighbours(run)):
        if pair in known:
            covered[start : start + 2] = [True] * len(pair)
    for phrase in CONNECTING_PHRASES:
        for match in re.finditer(phrase, run):
            covered[match.start() : match.end()] = [True] * len(phrase)
    marked = "".join(character if not ok else " " for character, ok in zip(run, covered, strict=True))
    return marked.split()


def _turned_sense(text: str, claim_texts: Sequence[str]) -> str:
    """A negation left out or added turns a claim round; 不存在 claims more than 未检索到."""
    said = "\n".join(claim_texts)
    if any(word in text.casefold() and word not in said.casefold() for word in ABSOLUTE_ABSENCE):
        return "claims an absence that no cited claim states"
    if len(_NEGATION.findall(text)) != len(_NEGATION.findall(said)):
        return "negations differ from the cited claims"
    other_way = turned(text, claim_texts)
    return f"says the opposite of the cited claims: {other_way}" if other_way else ""
