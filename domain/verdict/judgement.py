"""The verdict of a round, computed by code from the classes of its facts (R32, R35, R36, R39)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from domain.agents.verifier_io import VerifierAnswer, VerifierReading, VerifierUnreadable
from domain.answer.speech import CHINESE, Speech
from domain.contracts import (
    TOOL_CLASSES,
    Adjustment,
    CheckedFact,
    CheckState,
    Claim,
    ExecutorOutput,
    FactClass,
    GatekeeperResult,
    ParseState,
    ParseStatus,
    Route,
    Severity,
    ToolClass,
    ToolInvocation,
    TraceEntry,
    Verdict,
    VerifiedClaim,
    VerifierEvaluation,
)
from domain.question.reading import read_question
from domain.question.zones import zone_named
from domain.verdict.claim_rules import STALE
from domain.verdict.grounds import Grounds
from domain.verdict.lowering import (
    judged_claims,
    judged_other_facts,
    rules_not_checked,
    unchecked_claims,
    unlisted_facts,
)
from domain.verdict.question_fit import RULES as FIT_RULES
from domain.verdict.question_fit import fit_of
from domain.verdict.routing import route_after
from domain.verdict.verified import claims_of_classes, has_anchor

CLASS_VALUES = {
    FactClass.DIRECT: Fraction(1),
    FactClass.INDIRECT: Fraction(3, 5),
    FactClass.NO_EVIDENCE: Fraction(0),
    FactClass.CONTRADICTED: Fraction(0),
}
"""What a critical fact of each class adds to the score (R34)."""

_UNPROVEN = {FactClass.NO_EVIDENCE, FactClass.CONTRADICTED}
GATEKEEPER_REJECT = "gatekeeper_reject"
VERIFIER_MALFORMED = "verifier_malformed"
NO_CRITICAL_FACTS = "no_critical_facts"


@dataclass(frozen=True, slots=True)
class Judgement:
    evaluation: VerifierEvaluation
    route: Route


def judge(
    *,
    question: str,
    round: int,
    threshold: str | Decimal,
    structured: ExecutorOutput | None,
    parse_status: ParseStatus,
    gatekeeper: GatekeeperResult,
    trace: Sequence[TraceEntry] | None,
    reading: VerifierReading | None,
    invocations: Sequence[ToolInvocation] | None = None,
    now: datetime | None = None,
    window_minutes: int = 60,
    executor_final_answer: str | None = None,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
    speech: Speech = CHINESE,
    held: Sequence[VerifiedClaim] = (),
) -> Judgement:
    """Judge one round. `reading` None: the model was not asked, because the gatekeeper rejects (R32) or it failed.

    `speech`: of the open points, with the zone of the question's words of time. `held`: what the first round has
    proven, which the answer draws on (R41). Rules whose input is None are named in `not_checked` and lower nothing.
    Scores are exact until they are written.
    """
    grounds = Grounds(question, structured, gatekeeper, trace, invocations, now, window_minutes, tool_classes)
    record: dict[str, Any] = {
        "round": round,
        "executor_output_parse_status": parse_status,
        "executor_structured_output": structured,
        "gatekeeper_result": gatekeeper,
        "tool_trace_summary": tuple(trace or ()),
    }
    if gatekeeper.severity is Severity.REJECT:
        found = _by_code(
            grounds, Verdict.REJECT, GATEKEEPER_REJECT, "the gatekeeper rejects: the verifier is not asked"
        )
    elif not isinstance(reading, VerifierAnswer):
        problem = reading.problem if isinstance(reading, VerifierUnreadable) else "the verifier gave no output"
        found = _by_code(grounds, Verdict.LOW_CONFID, VERIFIER_MALFORMED, f"no usable verifier output: {problem}")
    else:
        found = _by_facts(reading, grounds, parse_status, executor_final_answer, speech, held)
    failed = found.reason == VERIFIER_MALFORMED
    return Judgement(
        evaluation=VerifierEvaluation(**found.fields, **record),
        route=route_after(found.verdict, found.score, Fraction(threshold), round, verifier_failed=failed),
    )


@dataclass(frozen=True, slots=True)
class _Finding:
    """A verdict with its exact score, and the fields of the evaluation that say how it came about."""

    verdict: Verdict
    score: Fraction
    reason: str | None
    facts: tuple[CheckedFact, ...]
    details: dict[str, Any]

    @property
    def fields(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "groundedness_score": written_score(self.score),
            "critical_fact_count": sum(fact.is_critical for fact in self.facts),
            "facts_checked": self.facts,
            "reason": self.reason,
            **self.details,
        }


def written_score(score: Fraction) -> str:
    """A decimal string of one to four digits after the point, rounded half even: 2/3 is 0.6667."""
    digits = f"{round(score * 10_000):05d}"
    return f"{digits[:-4]}.{digits[-4:].rstrip('0') or '0'}"


def _by_code(grounds: Grounds, verdict: Verdict, reason: str, rationale: str) -> _Finding:
    facts = unchecked_claims(grounds.claims, rationale)
    return _Finding(verdict, Fraction(0), reason, facts, {"rationale": rationale, "decided_by": "code"})


def _by_facts(
    answer: VerifierAnswer,
    grounds: Grounds,
    parse_status: ParseStatus,
    executor_final_answer: str | None,
    speech: Speech,
    held: Sequence[VerifiedClaim],
) -> _Finding:
    facts, adjustments = _judged_facts(answer, grounds, executor_final_answer)
    open_points = _open_points(facts, grounds, speech, held)
    has_claims = any(fact.is_critical for fact in facts)
    facts = (*facts, *(fact for fact, _ in open_points or ()))
    adjustments = [*adjustments, *(change for _, change in open_points or ())]
    is_stale = any(adjustment.rule == STALE for adjustment in adjustments)
    may_pass = _gatekeeper_passed(grounds.gatekeeper) and parse_status.status is ParseState.VALID and not is_stale
    verdict, score, reason = _weighed(facts, grounds.claims, may_pass=may_pass)
    reason = reason if has_claims or verdict is Verdict.REJECT else NO_CRITICAL_FACTS
    details = {
        "rationale": answer.rationale,
        "adjustments": (*adjustments, *_recomputed(answer, verdict, score, sum(f.is_critical for f in facts))),
        "not_checked": (
            *rules_not_checked(grounds, executor_final_answer),
            *(FIT_RULES if open_points is None else ()),
        ),
        "model_values": _model_values(answer),
    }
    return _Finding(verdict, score, reason, facts, details)


def _judged_facts(
    answer: VerifierAnswer, grounds: Grounds, executor_final_answer: str | None
) -> tuple[tuple[CheckedFact, ...], list[Adjustment]]:
    claims, lowered = judged_claims(answer.facts, grounds)
    others, more = judged_other_facts(answer.facts, grounds)
    said = grounds.structured.user_facing_answer if grounds.structured else _prose(executor_final_answer)
    unlisted, found = unlisted_facts(said, [*claims, *others], grounds)
    return (*claims, *others, *unlisted), [*lowered, *more, *found]


def _open_points(
    facts: Sequence[CheckedFact], grounds: Grounds, speech: Speech, held: Sequence[VerifiedClaim]
) -> list[tuple[CheckedFact, Adjustment]] | None:
    """What the question asks and no claim answers that the checked items support (R70); None if it is not checked.

    Without claims there is nothing to hold against the question: natural language never passes (R14).
    """
    if grounds.structured is None or grounds.invocations is None or grounds.clock is None:
        return None
    supported = claims_of_classes({FactClass.DIRECT, FactClass.INDIRECT}, grounds.structured, grounds.gatekeeper, facts)
    fit = fit_of(
        read_question(grounds.question, grounds.clock, zone_named(speech.zone)),
        [*held, *supported],
        [fact.fact for fact in facts if fact.is_critical and fact.verification in _UNPROVEN],
        grounds.invocations,
        now=grounds.clock,
        window_minutes=grounds.window_minutes,
        tool_classes=grounds.tool_classes,
        speech=speech,
    )
    return list(fit.facts())


def _prose(answer: str | None) -> str | None:
    """An answer in natural language (R14); the remains of a JSON object are none."""
    return None if answer and "{" in answer else answer


def _gatekeeper_passed(gatekeeper: GatekeeperResult) -> bool:
    return gatekeeper.status is CheckState.PASS and gatekeeper.severity is Severity.NONE


def _weighed(
    facts: Sequence[CheckedFact], claims: Sequence[Claim], *, may_pass: bool
) -> tuple[Verdict, Fraction, str | None]:
    """The verdict matrix of R35."""
    critical = [fact for fact in facts if fact.is_critical]
    if any(fact.verification is FactClass.CONTRADICTED for fact in critical):
        return Verdict.REJECT, Fraction(0), None
    if not critical:
        return Verdict.LOW_CONFID, Fraction(0), NO_CRITICAL_FACTS
    score = sum((CLASS_VALUES[fact.verification] for fact in critical), Fraction(0)) / len(critical)
    is_proven = all(fact.verification in {FactClass.DIRECT, FactClass.INDIRECT} for fact in critical)
    is_clean = all(fact.verification is not FactClass.CONTRADICTED for fact in facts)
    if may_pass and is_proven and is_clean and has_anchor(facts, claims):
        return Verdict.PASS, score, None
    return Verdict.LOW_CONFID, score, None


def _recomputed(answer: VerifierAnswer, verdict: Verdict, score: Fraction, count: int) -> list[Adjustment]:
    written = written_score(score)
    compared = [
        ("verdict", str(answer.verdict), str(verdict)),
        ("groundedness_score", written_score(Fraction(answer.groundedness_score)), written),
        ("critical_fact_count", str(answer.critical_fact_count), str(count)),
    ]
    return [
        Adjustment(rule="verdict.recomputed", subject=subject, before=before, after=after)
        for subject, before, after in compared
        if before != after
    ]


def _model_values(answer: VerifierAnswer) -> dict[str, Any]:
    return {
        "verdict": str(answer.verdict),
        "groundedness_score": str(answer.groundedness_score),
        "critical_fact_count": answer.critical_fact_count,
        **({"stripped": list(answer.stripped)} if answer.stripped else {}),
    }
