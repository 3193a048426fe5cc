"""What one binding is worth: does the cited call exist, does the path, and do the words stand there? (R23, R25, R28)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from domain.contracts import (
    Claim,
    EvidenceBinding,
    EvidenceRef,
    EvidenceStatus,
    MatchKind,
    Severity,
    ToolClass,
    ToolInvocation,
)
from domain.gatekeeper.absence import Summary, fault_of_absence, fault_of_citation, is_summary_path
from domain.quotation.match import QuotationMatch, find, match, recognise
from domain.quotation.tokens import Passage

INVOCATION_REF = "evidence.invocation_ref"
INVOCATION_MISSING = "evidence.invocation_missing"
AUTO_BACKFILL = "evidence.invocation_auto_backfill"
SESSION = "evidence.session"
TOOL_NAME = "evidence.tool_name"
TOOL_NAME_MISSING = "evidence.tool_name_missing"
HELPER_TOOL = "evidence.helper_tool"
FAILED_INVOCATION = "evidence.failed_invocation"
LEGACY_INVOCATION = "evidence.legacy_invocation"
RAW_PATH = "evidence.raw_path"
RAW_PATH_MISSING = "evidence.raw_path_missing"
RAW_PATH_MISLOCATED = "evidence.raw_path_mislocated"
EXCERPT_MISMATCH = "evidence.excerpt_mismatch"
EXCERPT_NEAR_MISS = "evidence.excerpt_near_miss"
EXCERPT_UNCHECKABLE = "evidence.excerpt_uncheckable"
ABSENCE = "evidence.absence"

_MATCH_RULES = {
    MatchKind.NEAR_MISS: EXCERPT_NEAR_MISS,
    MatchKind.UNCHECKABLE: EXCERPT_UNCHECKABLE,
    MatchKind.MISMATCH: EXCERPT_MISMATCH,
}


@dataclass(frozen=True, slots=True)
class Ruling:
    """What became of one binding; `rule` is None for a pass."""

    severity: Severity = Severity.NONE
    rule: str | None = None
    message: str = ""
    match: QuotationMatch | None = None


@dataclass(frozen=True)
class Evidence:
    """The recorded calls of a session. The readings of an item are kept for the time of one check."""

    session_id: str
    invocations: Sequence[ToolInvocation]
    tool_classes: Mapping[str, ToolClass]
    _passages: dict[str, Passage] = field(default_factory=dict)
    _by_id: dict[int, ToolInvocation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for call in self.invocations:  # this session's before another's, the first before a later one
            held = self._by_id.get(call.id)
            if held is None or (held.session_id != self.session_id == call.session_id):
                self._by_id[call.id] = call

    def class_of(self, tool_name: str) -> ToolClass:
        """A tool in no list is a helper (R21)."""
        return self.tool_classes.get(tool_name, ToolClass.HELPER)

    def passage(self, text: str) -> Passage:
        return self._passages.setdefault(text, Passage(text))

    def call(self, invocation_id: int) -> ToolInvocation | None:
        """The call of this id, this session's before another's."""
        return self._by_id.get(invocation_id)

    def calls_of(self, tool_name: str) -> list[ToolInvocation]:
        return [call for call in self.invocations if call.tool_name == tool_name and call.session_id == self.session_id]

    def items_of(self, tool_name: str) -> Iterator[str]:
        """The texts of all items that this session's calls of the tool returned, summaries left out."""
        for call in self.calls_of(tool_name):
            for ref in call.retrieval_details.evidence_refs or ():
                if not is_summary_path(ref.raw_path):
                    yield ref.text


def backfilled(binding: EvidenceBinding, evidence: Evidence) -> EvidenceBinding:
    """The binding with the id of the only call of its tool, where it names none; the path is never filled in (R28)."""
    if binding.source_invocation_id is not None:
        return binding
    candidates = evidence.calls_of(binding.tool_name)
    if len(candidates) != 1:
        return binding
    return binding.model_copy(update={"source_invocation_id": candidates[0].id})


def rule_on(binding: EvidenceBinding, claim: Claim | None, evidence: Evidence) -> Ruling:
    """Rule on one binding of a claim, or of an action (`claim` None)."""
    if binding.source_invocation_id is None:
        return Ruling(Severity.LOW_CONFID, INVOCATION_MISSING, "no source_invocation_id is given")
    call = evidence.call(binding.source_invocation_id)
    if call is None:
        return Ruling(Severity.REJECT, INVOCATION_REF, f"there is no invocation {binding.source_invocation_id}")
    ruling = _rule_on_call(binding, call, evidence) or _rule_on_words(binding, claim, call, evidence)
    if ruling.rule is None and not binding.tool_name:
        return Ruling(Severity.LOW_CONFID, TOOL_NAME_MISSING, "no tool_name is given", ruling.match)
    return ruling


def _rule_on_call(binding: EvidenceBinding, call: ToolInvocation, evidence: Evidence) -> Ruling | None:
    """Why nothing of this call may be cited so; None if it may."""
    if call.session_id != evidence.session_id:
        return Ruling(Severity.REJECT, SESSION, f"invocation {call.id} belongs to another session")
    if binding.tool_name and binding.tool_name != call.tool_name:
        return Ruling(Severity.REJECT, TOOL_NAME, f"invocation {call.id} is a call of {call.tool_name}")
    if evidence.class_of(call.tool_name) is ToolClass.HELPER:
        return Ruling(Severity.LOW_CONFID, HELPER_TOOL, f"{call.tool_name} is a helper, its output is no evidence")
    if not call.success or call.retrieval_details.evidence_status is EvidenceStatus.FAILED:
        return Ruling(Severity.REJECT, FAILED_INVOCATION, f"invocation {call.id} failed and returned no evidence")
    if call.retrieval_details.evidence_refs is None:
        return Ruling(
            Severity.LOW_CONFID, LEGACY_INVOCATION, f"invocation {call.id} has no evidence_refs: a legacy call"
        )
    return None


def _rule_on_words(binding: EvidenceBinding, claim: Claim | None, call: ToolInvocation, evidence: Evidence) -> Ruling:
    refs = call.retrieval_details.evidence_refs or ()
    excerpt = Passage(binding.evidence_excerpt)
    if not binding.raw_path:
        return _rule_without_path(excerpt, refs, evidence)
    cited = [ref for ref in refs if ref.raw_path == binding.raw_path]
    if not cited:
        message = f"{binding.raw_path} is no evidence ref of invocation {call.id}"
        return Ruling(Severity.REJECT, RAW_PATH, message)
    found = match(excerpt, evidence.passage(cited[0].text))
    if found.severity is Severity.NONE:
        return _rule_on_absence(binding, claim, call, cited[0], evidence) or Ruling(match=found)
    if found.kind is MatchKind.MISMATCH:
        others = [ref for ref in refs if ref.raw_path != binding.raw_path]
        elsewhere = _standing_at(excerpt, others, evidence)
        if elsewhere:
            message = f"the words stand at {elsewhere.raw_path}, not at {binding.raw_path}"
            return Ruling(Severity.LOW_CONFID, RAW_PATH_MISLOCATED, message, found)
    return Ruling(found.severity, _MATCH_RULES[found.kind], found.reason, found)


def _rule_without_path(excerpt: Passage, refs: Sequence[EvidenceRef], evidence: Evidence) -> Ruling:
    if not excerpt.plain.words:
        return Ruling(Severity.LOW_CONFID, RAW_PATH_MISSING, "no raw_path is given and nothing is quoted")
    standing = _standing_at(excerpt, refs, evidence)
    if standing:
        message = f"no raw_path is given; the words stand at {standing.raw_path}"
        return Ruling(Severity.LOW_CONFID, RAW_PATH_MISSING, message)
    near = (recognise(excerpt, evidence.passage(ref.text)) for ref in _quotable(excerpt, refs))
    if any(found and found.severity is Severity.LOW_CONFID for found in near):
        return Ruling(Severity.LOW_CONFID, RAW_PATH_MISSING, "no raw_path is given; the words are a near miss at best")
    return Ruling(Severity.REJECT, EXCERPT_MISMATCH, "no raw_path is given and the words stand nowhere in the call")


def _standing_at(excerpt: Passage, refs: Sequence[EvidenceRef], evidence: Evidence) -> EvidenceRef | None:
    """The first ref that truly holds the excerpt."""
    for ref in _quotable(excerpt, refs):
        found = find(excerpt, evidence.passage(ref.text))
        if found and found.kind not in {MatchKind.NEAR_MISS, MatchKind.MISMATCH}:
            return ref
    return None


def _quotable(excerpt: Passage, refs: Sequence[EvidenceRef]) -> Iterator[EvidenceRef]:
    """The refs an excerpt may come from: a summary echoes the query, so it counts only where its total is quoted."""
    for ref in refs:
        if not is_summary_path(ref.raw_path) or not fault_of_citation(excerpt.text, Summary.of(ref.text)):
            yield ref


def _rule_on_absence(
    binding: EvidenceBinding, claim: Claim | None, call: ToolInvocation, ref: EvidenceRef, evidence: Evidence
) -> Ruling | None:
    """Whether a summary ref is misused (R20); None for other refs too."""
    if not is_summary_path(ref.raw_path):
        return None
    summary = Summary.of(ref.text)
    if claim is None:
        fault = fault_of_citation(binding.evidence_excerpt, summary)
    else:
        items = evidence.items_of(call.tool_name)
        fault = fault_of_absence(claim, binding.evidence_excerpt, summary, call.tool_name, items)
    return Ruling(Severity.LOW_CONFID, ABSENCE, fault) if fault else None
