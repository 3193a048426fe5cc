"""The documents that pass between agents, code and readers (SPEC sections 3 to 9, seeds 003 and 004).

Every model is frozen. Field names are those of the seeds, because they are read by people and by other systems.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from domain.contract import Contract
from domain.evidence.coverage import Coverage

# ---------------------------------------------------------------- agents and tools


class Agent(StrEnum):
    """Agents whose model calls are recorded as steps (R54)."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    VERIFIER = "verifier"
    COMPOSER = "composer"


class ToolClass(StrEnum):
    """What the output of a tool can prove (R21)."""

    LIVE = "live"  # what is happening now: logs, metrics, orders
    REFERENCE = "reference"  # what is known in general: knowledge base, past cases
    HELPER = "helper"  # recorded, but no evidence: clock, skills, formatting


TOOL_CLASSES: dict[str, ToolClass] = {
    "query_metrics": ToolClass.LIVE,
    "query_logs": ToolClass.LIVE,
    "survey_logs": ToolClass.LIVE,
    "query_order": ToolClass.LIVE,
    "lookup_knowledge": ToolClass.REFERENCE,
    "read_skill": ToolClass.HELPER,
    "getCurrentDateTime": ToolClass.HELPER,
}
"""Classes of the tools known without configuration; a tool in no list is a helper."""


class Message(Contract):
    """One earlier turn of the conversation."""

    role: Literal["user", "assistant"]
    content: str


class PlannerPlan(Contract):
    """`planner_plan` (R2)."""

    selected_skill: str | None = None
    selection_reason: str = ""
    plan: tuple[str, ...] = ()
    reasoning: str = ""


# ---------------------------------------------------------------- tool invocations


class EvidenceStatus(StrEnum):
    """What a tool call yielded (R19)."""

    SUPPORTED = "supported"
    NO_EVIDENCE = "no_evidence"
    DEDUPLICATED = "deduplicated"
    FAILED = "failed"


class EvidenceRef(Contract):
    """One item of one tool output, extracted by code (R18): `$.logs[3]`, or a summary ref `$.logs` (R20)."""

    raw_path: str
    text: str


class RetrievalDetails(Contract):
    """`tool_invocation.retrieval_details` (003 section 1). A legacy call has no `evidence_refs`: None (R25)."""

    evidence_status: EvidenceStatus = EvidenceStatus.NO_EVIDENCE
    evidence_refs: tuple[EvidenceRef, ...] | None = None
    duplicate_of: int | None = None  # the first call's invocation id (R3)
    window: str = ""  # the query's time window, "start/end" in ISO 8601, "" where the tool has none (R9)
    query: str = ""
    topic_domain: str = "general"
    retrieval_layer: str = ""  # "L0", "L1" or ""
    l0_match_count: int = 0
    l1_match_count: int = 0
    relevance_level: str = ""
    source_documents: tuple[str, ...] = ()
    masked: dict[str, int] = Field(default_factory=dict)  # kind of secret -> how often it was masked (R22)
    coverage: Coverage | None = None  # the search's account of itself (R69); None where none was recorded


class ToolInvocation(Contract):
    """A recorded, finished call of one tool (004 section 9.3). `id` is its start's position in the log (R17)."""

    id: int
    session_id: str
    tool_name: str
    success: bool
    round: int = 1
    step_index: int = 0
    input_params: dict[str, Any] = Field(default_factory=dict)
    output: str = ""  # whole, masked (R22)
    duration_ms: int = 0
    error_message: str = ""
    retrieval_details: RetrievalDetails = RetrievalDetails()


# ---------------------------------------------------------------- the Executor's evidence contract (R11 to R16)


class ClaimType(StrEnum):
    OBSERVATION = "observation"
    NEGATIVE_OBSERVATION = "negative_observation"
    ROOT_CAUSE = "root_cause"
    IMPACT = "impact"
    SYMPTOM = "symptom"
    DOCUMENTATION = "documentation"
    RISK = "risk"


def _known_claim_type(value: Any) -> Any:
    """An unknown type counts as a (critical) observation (R11)."""
    return value if value in list(ClaimType) else ClaimType.OBSERVATION


class EvidenceBinding(Contract):
    """Where a claim's proof stands and its words. Missing parts are None: the gatekeeper says what that costs (R25)."""

    tool_name: str = ""
    source_invocation_id: int | None = None
    raw_path: str | None = None
    evidence_excerpt: str = ""


class Claim(Contract):
    claim_id: str
    claim_type: Annotated[ClaimType, BeforeValidator(_known_claim_type)] = ClaimType.OBSERVATION
    claim_text: str
    evidence_bindings: tuple[EvidenceBinding, ...] = ()
    support_level: str | None = None

    @property
    def is_critical(self) -> bool:
        """Criticality is set by claim type (R36)."""
        return self.claim_type is not ClaimType.RISK


class Hypothesis(Contract):
    hypothesis_id: str = ""
    hypothesis_text: str
    basis_claim_ids: tuple[str, ...] = ()
    missing_info: str = ""


class MissingInfo(Contract):
    info_id: str = ""
    description: str


class RecommendedAction(Contract):
    action_id: str
    action_text: str
    reason: str = ""
    action_type: str | None = None
    evidence_bindings: tuple[EvidenceBinding, ...] = ()


class ExecutorOutput(Contract):
    """`executor_structured_output`, always normalised to version 2 (R12)."""

    answer_version: str = "executor_evidence_v2"
    diagnosis_summary: str = ""
    claims: tuple[Claim, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    missing_info: tuple[MissingInfo, ...] = ()
    recommended_actions: tuple[RecommendedAction, ...] = ()
    user_facing_answer: str | None = None


class ParseState(StrEnum):
    VALID = "valid"
    MISSING = "missing"
    MALFORMED = "malformed"


class ParseStatus(Contract):
    """`executor_output_parse_status` (R13)."""

    status: ParseState
    detail: str = ""


class Finding(Contract):
    """A named rule and what it found, for people; the subject is a claim id, action id or "" for the whole."""

    rule: str
    message: str
    subject: str = ""


class ParsedExecutorOutput(Contract):
    """What became of the Executor's raw text: nothing is lost (R13, R14)."""

    status: ParseStatus
    structured: ExecutorOutput | None  # None unless status is valid
    repaired: dict[str, Any] | None = None  # a repair library's reading, for audit only
    final_answer: str  # the raw text without think blocks (R31)
    warnings: tuple[Finding, ...] = ()


# ---------------------------------------------------------------- the gatekeeper (R23 to R30)


class Severity(StrEnum):
    NONE = "none"
    LOW_CONFID = "low_confid"
    REJECT = "reject"


class CheckState(StrEnum):
    PASS = "pass"
    FAIL = "fail"


class MatchKind(StrEnum):
    """How a quotation was found (R24): the first four pass, the next two are low_confid, the last is reject."""

    EXACT = "exact"
    NORMALISED = "normalised"
    ELIDED = "elided"
    RECORD = "record"
    NEAR_MISS = "near_miss"
    UNCHECKABLE = "uncheckable"
    MISMATCH = "mismatch"


class CheckedBinding(Contract):
    """One binding as cited, and what the system holds there (R30)."""

    claim_id: str | None = None
    action_id: str | None = None
    index: int = 0  # among the bindings of that claim or action, from 0
    tool_name: str = ""
    source_invocation_id: int | None = None
    raw_path: str | None = None
    evidence_excerpt: str = ""
    status: CheckState
    severity: Severity = Severity.NONE
    rule: str | None = None
    message: str = ""
    match_kind: MatchKind | None = None
    case_folded: bool = False
    matched_text: str | None = None  # the system's whole item, or a window centred on the match
    nearest_text: str | None = None
    first_difference: str | None = None


class CheckedSubject(Contract):
    """The status of one claim or action over all its bindings (R26)."""

    id: str
    kind: Literal["claim", "action"]
    status: CheckState
    severity: Severity
    rules: tuple[str, ...] = ()
    dropped: bool = False  # an action that may not be shown (R15, R26)


class GatekeeperResult(Contract):
    """`gatekeeper_result` (003 section 3). `status` is pass only with severity none (R27)."""

    status: CheckState
    severity: Severity
    checked_bindings: tuple[CheckedBinding, ...] = ()
    subjects: tuple[CheckedSubject, ...] = ()
    failed_rules: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    errors: tuple[Finding, ...] = ()


# ---------------------------------------------------------------- tool trace summary (R43 to R45)


class EvidenceLevel(StrEnum):
    DIRECT = "direct"
    INDIRECT = "indirect"
    NONE = "none"


class TraceEntry(Contract):
    """One entry of `tool_trace_summary` for audit (004 section 4.2)."""

    trace_ref: str
    tool_name: str
    success: bool = True
    input_summary: str = ""
    output_summary: str = ""
    evidence_level: EvidenceLevel
    topic_domain: str = "general"
    source_invocation_ids: tuple[int, ...] = ()
    invocation_count: int = 1
    failed_invocation_count: int = 0
    no_hit_invocation_count: int = 0  # no hit or deduplicated
    query_samples: tuple[str, ...] = ()
    retrieval_layers: tuple[str, ...] = ()
    relevance_levels: tuple[str, ...] = ()
    source_documents: tuple[str, ...] = ()


# ---------------------------------------------------------------- the Verifier (R31 to R39)


class Verdict(StrEnum):
    PASS = "PASS"
    LOW_CONFID = "LOW_CONFID"
    REJECT = "REJECT"


class FactClass(StrEnum):
    """How a fact stands to the checked text (R34), from best to worst."""

    DIRECT = "direct_evidence"
    INDIRECT = "indirect_support"
    NO_EVIDENCE = "no_evidence"
    CONTRADICTED = "contradicted"


class FactRef(Contract):
    trace_ref: str = ""
    tool_name: str = ""
    topic_domain: str = ""
    source_invocation_ids: tuple[int, ...] = ()
    note: str = ""


class CheckedFact(Contract):
    """One entry of `facts_checked` (R33)."""

    fact: str
    is_critical: bool
    verification: FactClass
    detail: str = ""
    evidence_refs: tuple[FactRef, ...] = ()
    claim_id: str | None = None


class Adjustment(Contract):
    """One thing code changed in the model's judgement (R35): `before` and `after` are classes, verdicts or figures."""

    rule: str
    subject: str  # claim id, fact text or the name of the recomputed value
    before: str
    after: str
    message: str = ""


class VerifierEvaluation(Contract):
    """`self_evaluation.verifier_evaluation` of one round (R35, R54; 004 section 7). Scores are decimal strings of
    at most four digits after the point, so that no reader depends on floating point."""

    verdict: Verdict
    groundedness_score: str
    critical_fact_count: int
    facts_checked: tuple[CheckedFact, ...] = ()
    rationale: str = ""
    round: int = 1
    reason: str | None = None  # e.g. no_critical_facts, verifier_malformed, gatekeeper_reject
    decided_by: Literal["model", "code"] = "model"  # code: the model was not asked (R32) or not understood (R39)
    adjustments: tuple[Adjustment, ...] = ()
    not_checked: tuple[str, ...] = ()  # rules whose input was not given; they lower nothing
    model_values: dict[str, Any] = Field(default_factory=dict)  # verdict, score and count as the model gave them
    traceability_version: str = "v2"
    executor_output_parse_status: ParseStatus | None = None
    executor_structured_output: ExecutorOutput | None = None
    gatekeeper_result: GatekeeperResult | None = None
    tool_trace_summary: tuple[TraceEntry, ...] = ()


class Route(StrEnum):
    """Where the session goes after a verdict (section 7)."""

    COMPOSE = "compose"
    RETRY = "retry"
    DISCLAIMER = "disclaimer"
    DEGRADE = "degrade"


class Outcome(StrEnum):
    NORMAL = "NORMAL"
    LOW_CONFID_WITH_DISCLAIMER = "LOW_CONFID_WITH_DISCLAIMER"
    DEGRADED = "DEGRADED"


class VerifiedClaim(Contract):
    """A claim proven in an earlier round, with the items it rests on; round 2 may bind them again (R41)."""

    claim: Claim
    verification: FactClass
    refs: tuple[EvidenceBinding, ...] = ()  # `evidence_excerpt` holds the system's text


class RetryContext(Contract):
    """`retry_context` of round 2 (R41)."""

    round: int  # the round that triggered the retry
    missing_evidence_facts: tuple[str, ...] = ()
    instruction: str = ""
    verified_claims: tuple[VerifiedClaim, ...] = ()
    held_refs: tuple[EvidenceBinding, ...] = ()  # passed items of claims not proven yet, with the system's text


# ---------------------------------------------------------------- rule evaluation, composer (R46, R57)


class Factor(Contract):
    name: str
    points: int
    detail: str = ""


class RuleEvaluation(Contract):
    """`self_evaluation.rule_evaluation` (R57)."""

    evidence_score: int = Field(ge=0, le=100)
    source: Literal["rule"] = "rule"
    factors: tuple[Factor, ...] = ()


class ComposedSentence(Contract):
    claim_ids: tuple[str, ...]
    sentence: str


class ComposerStatus(StrEnum):
    VALID = "valid"
    FALLBACK = "fallback"


class ComposerOutput(Contract):
    """`composer_output`: the answer the user sees, and why it is not the model's where it is not (R46)."""

    status: ComposerStatus
    reason: str = ""
    sentences: tuple[ComposedSentence, ...] = ()
    answer: str
