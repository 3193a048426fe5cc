"""What a round left unproven, in words for the user (R47, R48): LOW_CONFID names the fact, REJECT does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from domain.answer.searches import Gap, doubt_gap
from domain.answer.speech import CHINESE, Speech
from domain.answer.texts import TEXTS
from domain.contracts import (
    CheckedFact,
    CheckState,
    EvidenceLevel,
    EvidenceStatus,
    FactClass,
    ParseState,
    Severity,
    ToolClass,
    ToolInvocation,
    TraceEntry,
    VerifierEvaluation,
)
from domain.evidence.coverage import Coverage
from domain.gatekeeper.citations import (
    EXCERPT_MISMATCH,
    FAILED_INVOCATION,
    INVOCATION_REF,
    RAW_PATH,
    SESSION,
    TOOL_NAME,
)
from domain.verdict.claim_rules import ENTITY_INVENTED, STALE
from domain.verdict.judgement import NO_CRITICAL_FACTS, VERIFIER_MALFORMED
from domain.verdict.question_fit import RULES as FIT_RULES


@dataclass(frozen=True, slots=True)
class EmptyCall:
    """An evidence call without evidence. `query` is the Executor's text, `window` the system's."""

    tool_name: str
    failed: bool
    query: str
    window: str
    coverage: Coverage | None = None


CITATION_GAPS = {
    INVOCATION_REF: "cite.session",
    SESSION: "cite.session",
    TOOL_NAME: "cite.tool",
    FAILED_INVOCATION: "cite.failed",
    RAW_PATH: "cite.path",
    EXCERPT_MISMATCH: "cite.excerpt",
}
"""The text for each rule of citations that can be broken."""


# ---------------------------------------------------------------- LOW_CONFID: the fact is named as unproven


def state_gaps(evaluation: VerifierEvaluation, speech: Speech = CHINESE) -> list[Gap]:
    """Why the round as a whole could not pass."""
    status = evaluation.executor_output_parse_status
    found = {
        "malformed": status is not None and status.status is not ParseState.VALID,
        "unverified": evaluation.reason == VERIFIER_MALFORMED,
        "no_facts": evaluation.reason == NO_CRITICAL_FACTS,
        "dropped": any(
            fact.verification is FactClass.CONTRADICTED and not fact.is_critical for fact in evaluation.facts_checked
        ),
    }
    return [_gap(name, speech) for name, is_so in found.items() if is_so]


def _gap(name: str, speech: Speech, **values: object) -> Gap:
    return Gap(speech.text(f"gap.{name}", **values), speech.text(f"mend.{name}"))


def named_gap(fact: CheckedFact, evaluation: VerifierEvaluation) -> str | None:
    """The text for a critical fact that is not confirmed, by its key."""
    match fact.verification:
        case FactClass.NO_EVIDENCE:
            return "fact.unproven"
        case FactClass.INDIRECT if fact.claim_id in _stale_subjects(evaluation):
            return "fact.stale"
        case FactClass.INDIRECT:
            return "fact.indirect"
        case FactClass.DIRECT if fact.claim_id is None:
            return "fact.unquoted"
        case _:
            return None


def open_points(evaluation: VerifierEvaluation, speech: Speech = CHINESE) -> list[str]:
    """What the question asks and no claim answers, in sentences of code; the terms not checked in one (R70)."""
    said = [adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule in FIT_RULES]
    before, _, behind = TEXTS["term_uncovered"][0 if speech.language == "zh" else 1].partition("{term}")
    terms = [one for one in said if one.startswith(before) and one.endswith(behind)]
    named = speech.joined("and", (one.removeprefix(before).removesuffix(behind) for one in terms))
    all_terms = [speech.text("terms_uncovered" if len(terms) > 1 else "term_uncovered", term=named)] if terms else []
    return [*all_terms, *(one for one in said if one not in terms)]


def is_open_point(fact: CheckedFact, evaluation: VerifierEvaluation) -> bool:
    return any(change.rule in FIT_RULES and change.subject == fact.fact for change in evaluation.adjustments)


def _stale_subjects(evaluation: VerifierEvaluation) -> set[str]:
    return {adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule == STALE}


# ---------------------------------------------------------------- REJECT: written from rule and subject


def rejection_gaps(evaluation: VerifierEvaluation, speech: Speech = CHINESE) -> list[Gap]:
    """No text of a claim, and no id either: the model wrote that too."""
    return [
        *_citation_gaps(evaluation, speech),
        *(gap for fact in evaluation.facts_checked if (gap := _fact_gap(fact, evaluation, speech))),
        *(Gap(said, speech.text("mend.uncovered")) for said in open_points(evaluation, speech)),
    ]


def _citation_gaps(evaluation: VerifierEvaluation, speech: Speech) -> list[Gap]:
    bindings = evaluation.gatekeeper_result.checked_bindings if evaluation.gatekeeper_result else ()
    return [
        Gap(
            speech.text(
                CITATION_GAPS.get(binding.rule or "", "cite.other"),
                subject=_subject(binding.claim_id, evaluation, speech),
            ),
            speech.text("mend.cite"),
        )
        for binding in bindings
        if binding.status is CheckState.FAIL and binding.severity is Severity.REJECT
    ]


def _fact_gap(fact: CheckedFact, evaluation: VerifierEvaluation, speech: Speech) -> Gap | None:
    subject = _subject(fact.claim_id, evaluation, speech)
    invented = {adjustment.subject for adjustment in evaluation.adjustments if adjustment.rule == ENTITY_INVENTED}
    match fact.verification:
        case FactClass.CONTRADICTED if (fact.claim_id or fact.fact) in invented:
            return _gap("invented", speech, subject=subject)
        case FactClass.CONTRADICTED:
            return _gap("contradicted", speech, subject=subject)
        case FactClass.NO_EVIDENCE if is_open_point(fact, evaluation):
            return None
        case FactClass.NO_EVIDENCE if fact.is_critical and evaluation.decided_by == "model":
            return _gap("undirect", speech, subject=subject)
        case _:
            return None


def _subject(claim_id: str | None, evaluation: VerifierEvaluation, speech: Speech) -> str:
    claims = evaluation.executor_structured_output.claims if evaluation.executor_structured_output else ()
    for number, claim in enumerate(claims, start=1):
        if claim.claim_id == claim_id:
            return speech.text("claim.numbered", n=number)
    return speech.text("claim.answer" if claim_id is None else "claim.some")


# ---------------------------------------------------------------- calls that yielded nothing


def empty_calls(
    invocations: Sequence[ToolInvocation] | None,
    trace: Sequence[TraceEntry],
    tool_classes: Mapping[str, ToolClass],
    speech: Speech = CHINESE,
) -> list[EmptyCall]:
    """Failed and no-hit calls of evidence tools, from the record or, where there is none, from the trace."""
    if invocations is None:
        return [_empty_entry(entry, speech) for entry in trace if entry.evidence_level is EvidenceLevel.NONE]
    evidence = [c for c in invocations if tool_classes.get(c.tool_name, ToolClass.HELPER) is not ToolClass.HELPER]
    worked = {_search(c) for c in evidence if c.retrieval_details.evidence_status is not EvidenceStatus.FAILED}
    found = []
    for call in evidence:
        status = call.retrieval_details.evidence_status
        if status is EvidenceStatus.NO_EVIDENCE or (status is EvidenceStatus.FAILED and _search(call) not in worked):
            window = call.retrieval_details.window
            failed = status is EvidenceStatus.FAILED
            query, coverage = _query(call, speech), call.retrieval_details.coverage
            found.append(EmptyCall(call.tool_name, failed, query, window, coverage))
    return found


def _empty_entry(entry: TraceEntry, speech: Speech) -> EmptyCall:
    failed = entry.failed_invocation_count >= entry.invocation_count
    query = speech.joined("semicolon", entry.query_samples) or entry.input_summary
    return EmptyCall(entry.tool_name, failed, query, "")


def _search(call: ToolInvocation) -> tuple[str, str]:
    return call.tool_name, _query(call, CHINESE)


def _query(call: ToolInvocation, speech: Speech) -> str:
    arguments = speech.joined(
        "comma", (f"{name}={value}" for name, value in call.input_params.items() if isinstance(value, str | int))
    )
    return call.retrieval_details.query or arguments


def empty_call_gap(call: EmptyCall, query: str, speech: Speech = CHINESE) -> Gap:
    """Says what was looked for and where; never that it does not exist (R48). `query` "" leaves the query out."""
    if call.coverage and not call.coverage.complete and not call.failed:
        return doubt_gap(call.coverage, tool_name=call.tool_name, says_what=bool(query), speech=speech)
    key = f"found.{call.tool_name}"
    noun = speech.text(key if key in TEXTS else "found.other")
    parts = [
        call.tool_name,
        speech.text("call.query", query=query) if query else "",
        speech.text("call.window", window=speech.window(call.window)) if call.window else "",
    ]
    place, name = speech.joined("comma", filter(None, parts)), "call_failed" if call.failed else "call_empty"
    said = speech.text(f"call.{name.removeprefix('call_')}", noun=noun, place=place)
    return Gap(said, speech.text(f"mend.{name}", tool=call.tool_name))
