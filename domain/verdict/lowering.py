"""The rules by which code lowers what the model said of a fact; none of them raises it (R9, R36 to R38)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from domain.contracts import Adjustment, CheckedFact, Claim, FactClass, FactRef
from domain.verdict.claim_rules import (
    CLAIM_RULES,
    ENTITY_INVENTED,
    ENTITY_UNSUPPORTED,
    STALE,
    VALUE_UNSUPPORTED,
    Lowering,
    name_lowering,
    unknown_names,
    value_lowering,
)
from domain.verdict.criticality import is_confirmed_sounding, is_critical_fact
from domain.verdict.grounds import Grounds

CLAIM_SKIPPED = "claim.skipped"
CLAIM_REPEATED = "claim.worst_of_several"
NO_SUPPORTED_REF = "fact.no_supported_ref"
ANSWER_RULES = {
    VALUE_UNSUPPORTED: "answer.value_unsupported",
    ENTITY_INVENTED: "answer.entity_invented",
    ENTITY_UNSUPPORTED: "answer.entity_unsupported",
}
"""The same rules over what the Executor's answer says beside its claims (R38)."""

_ORDER = list(FactClass)
_NO_WORDS = re.compile(r"(?:[^\w%.\-]|_)+")


def worse(one: FactClass, other: FactClass) -> FactClass:
    """direct > indirect > none > contradicted (R36)."""
    return max(one, other, key=_ORDER.index)


def rules_not_checked(grounds: Grounds, executor_final_answer: str | None) -> tuple[str, ...]:
    """Rules whose input was not given."""
    missing = []
    if grounds.invocations is None:
        missing += [ENTITY_INVENTED, ENTITY_UNSUPPORTED]
    if grounds.structured is None and executor_final_answer is None:
        missing += ANSWER_RULES.values()
    elif grounds.invocations is None:
        missing += [ANSWER_RULES[ENTITY_INVENTED], ANSWER_RULES[ENTITY_UNSUPPORTED]]
    if grounds.invocations is None or grounds.now is None:
        missing.append(STALE)
    if grounds.invocations is None and grounds.trace is None:
        missing.append(NO_SUPPORTED_REF)
    return tuple(missing)


# ---------------------------------------------------------------- claims


def judged_claims(facts: Sequence[CheckedFact], grounds: Grounds) -> tuple[list[CheckedFact], list[Adjustment]]:
    """One fact for each claim: the worst of what the model said of it, lowered by the rules."""
    judged, adjustments = [], []
    said = _Said(facts)
    for claim in grounds.claims:
        fact, changes = _one_fact(claim, said.of(claim))
        lowered, more = _lowered(fact, _claim_lowerings(claim, grounds), claim.claim_id)
        judged.append(lowered)
        adjustments += [*changes, *more]
    return judged, adjustments


class _Said:
    """The facts of the model by what they speak of: by claim id, or without one by the words of the claim."""

    def __init__(self, facts: Sequence[CheckedFact]) -> None:
        self._facts = facts
        self._places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place, fact in enumerate(facts):
            self._places[("id", fact.claim_id) if fact.claim_id else ("words", words_only(fact.fact))].append(place)

    def of(self, claim: Claim) -> list[CheckedFact]:
        return [self._facts[place] for place in sorted(self._places_of(claim))]

    def beside(self, claims: Sequence[Claim]) -> list[CheckedFact]:
        """The facts that speak of none of the claims."""
        taken = {place for claim in claims for place in self._places_of(claim)}
        return [fact for place, fact in enumerate(self._facts) if place not in taken]

    def _places_of(self, claim: Claim) -> list[int]:
        named, worded = ("id", claim.claim_id), ("words", words_only(claim.claim_text))
        return [*self._places.get(named, ()), *self._places.get(worded, ())]


def same_words(one: str, other: str) -> bool:
    return words_only(one) == words_only(other)


def words_only(text: str) -> str:
    """Without white space and punctuation, for telling whether two sentences are the same."""
    return _NO_WORDS.sub("", text.casefold())


def _one_fact(claim: Claim, said: Sequence[CheckedFact]) -> tuple[CheckedFact, list[Adjustment]]:
    if not said:
        return _fact(claim, FactClass.NO_EVIDENCE, "the verifier did not check this claim"), [
            Adjustment(rule=CLAIM_SKIPPED, subject=claim.claim_id, before="", after=FactClass.NO_EVIDENCE)
        ]
    worst = max(said, key=lambda fact: _ORDER.index(fact.verification))
    detail = "; ".join(dict.fromkeys(_told(fact, claim) for fact in said))
    refs = tuple(dict.fromkeys(ref for fact in said for ref in fact.evidence_refs))
    fact = _fact(claim, worst.verification, detail, refs)
    if len({fact.verification for fact in said}) == 1:
        return fact, []
    classes = ", ".join(fact.verification for fact in said)
    change = Adjustment(rule=CLAIM_REPEATED, subject=claim.claim_id, before=classes, after=worst.verification)
    return fact, [change]


def _told(fact: CheckedFact, claim: Claim) -> str:
    return fact.detail if same_words(fact.fact, claim.claim_text) else f"{fact.fact}: {fact.detail}"


def _fact(claim: Claim, verification: FactClass, detail: str, refs: tuple[FactRef, ...] = ()) -> CheckedFact:
    return CheckedFact(
        fact=claim.claim_text,
        is_critical=claim.is_critical,
        verification=verification,
        detail=detail,
        evidence_refs=refs,
        claim_id=claim.claim_id,
    )


def unchecked_claims(claims: Sequence[Claim], detail: str) -> tuple[CheckedFact, ...]:
    """Facts of a round in which the model was not asked or not understood."""
    return tuple(_fact(claim, FactClass.NO_EVIDENCE, detail) for claim in claims)


def _claim_lowerings(claim: Claim, grounds: Grounds) -> Iterator[Lowering]:
    for rule in CLAIM_RULES:
        if lowering := rule(claim, grounds):
            yield lowering


def _lowered(fact: CheckedFact, lowerings: Iterator[Lowering], subject: str) -> tuple[CheckedFact, list[Adjustment]]:
    adjustments = []
    for lowering in lowerings:
        after = worse(fact.verification, lowering.to)
        if after is fact.verification and lowering.rule != STALE:  # staleness caps the verdict, whatever the class
            continue
        adjustments.append(
            Adjustment(
                rule=lowering.rule, subject=subject, before=fact.verification, after=after, message=lowering.message
            )
        )
        fact = fact.model_copy(update={"verification": after})
    return fact, adjustments


# ---------------------------------------------------------------- facts outside the claims


def judged_other_facts(facts: Sequence[CheckedFact], grounds: Grounds) -> tuple[list[CheckedFact], list[Adjustment]]:
    """The facts that the model found beside the claims, with criticality by kind (R36, R38)."""
    judged, adjustments = [], []
    for fact in _Said(facts).beside(grounds.claims):
        critical = is_critical_fact(fact.fact, said_by_model=fact.is_critical)
        own = fact.model_copy(update={"is_critical": critical, "claim_id": None})
        lowered, changes = _lowered(own, _fact_lowerings(own, grounds), own.fact)
        judged.append(lowered)
        adjustments += changes
    return judged, adjustments


def _fact_lowerings(fact: CheckedFact, grounds: Grounds) -> Iterator[Lowering]:
    can_check_refs = grounds.trace is not None or grounds.invocations is not None
    if can_check_refs and not grounds.has_supported_ref(fact):
        yield Lowering(NO_SUPPORTED_REF, FactClass.NO_EVIDENCE, "no ref to a call that yielded evidence")
    if lowering := value_lowering(fact.fact, grounds.items_behind(fact), grounds):
        yield lowering
    if lowering := name_lowering(unknown_names(fact.fact, grounds, searched=False)):
        yield lowering


# ---------------------------------------------------------------- the Executor's own answer

_SENTENCE_END = re.compile(r"[。！？；!?;\n]+|(?<!\d)\.\s")
_LIST_MARKER = re.compile(r"\s*(?:[-*•]|[(（]?\d{1,3}[.、)）](?!\d))\s*")


def unlisted_facts(
    answer: str | None, facts: Sequence[CheckedFact], grounds: Grounds
) -> tuple[list[CheckedFact], list[Adjustment]]:
    """Confirmed-sounding sentences of the answer that hold numbers or names nobody found, and no fact lists (R38)."""
    found, adjustments = [], []
    listed = [words_only(fact.fact) for fact in facts]
    for sentence in dict.fromkeys(sentences(answer or "")):
        lowering = _answer_lowering(sentence, grounds)
        if lowering is None or any(words_only(sentence) in words for words in listed):
            continue
        found.append(CheckedFact(fact=sentence, is_critical=True, verification=lowering.to, detail=lowering.message))
        adjustments.append(
            Adjustment(
                rule=ANSWER_RULES[lowering.rule],
                subject=sentence,
                before="",
                after=lowering.to,
                message=lowering.message,
            )
        )
    return found, adjustments


def sentences(text: str) -> list[str]:
    """The sentences of a text without list markers."""
    bare = (
        _LIST_MARKER.sub("", piece, count=1) if _LIST_MARKER.match(piece) else piece
        for piece in _SENTENCE_END.split(text)
    )
    return [sentence for piece in bare if (sentence := piece.strip())]


def _answer_lowering(sentence: str, grounds: Grounds) -> Lowering | None:
    """What the claims say as well is judged with them."""
    if not is_confirmed_sounding(sentence):
        return None
    unknown = [
        name for name in unknown_names(sentence, grounds, searched=True) if not grounds.claim_wording.holds(name.text)
    ]
    return name_lowering(unknown) or value_lowering(sentence, grounds.answer_items, grounds)
