"""The answers that code writes: the plain list of R46 and the templates of 004 section 8 (R47 to R49)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.agents.composer_io import within_scope
from domain.agents.remediation import is_remediation
from domain.agents.scope import Scope, mentions_excluded
from domain.answer.documentation import is_quotation
from domain.answer.gaps import (
    empty_call_gap,
    empty_calls,
    is_open_point,
    named_gap,
    open_points,
    rejection_gaps,
    state_gaps,
)
from domain.answer.next_steps import next_steps
from domain.answer.searches import Gap
from domain.answer.speech import CHINESE, Speech
from domain.answer.texts import TEXTS
from domain.contracts import (
    TOOL_CLASSES,
    CheckState,
    RecommendedAction,
    ToolClass,
    ToolInvocation,
    TraceEntry,
    VerifiedClaim,
    VerifierEvaluation,
)
from domain.quotation.normalise import undisguised
from domain.verdict.criticality import says_it_is_proven
from domain.verdict.lowering import words_only
from domain.verdict.verified import allowed_claims

_LONGEST_LINE = 300
_LONGEST_CLAIM = 1_200
_RAW = re.compile(r"\{\s*\\?\"|\[\s*[{\[\"]|```|</?think", re.IGNORECASE)

Section: TypeAlias = tuple[str, Sequence[str]]


def plain_list(allowed: Sequence[VerifiedClaim], speech: Speech = CHINESE) -> str:
    """The verified claims, one a line: what is shown where the Composer's wording cannot be (R46)."""
    return "\n".join([speech.text("confirmed"), *_bullets(map(_stated, allowed), speech)])


def render_low_confidence(
    *,
    evaluations: Sequence[VerifierEvaluation],
    invocations: Sequence[ToolInvocation] | None,
    scope: Scope,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
    speech: Speech = CHINESE,
) -> str:
    """`evaluations` of all rounds in order, `invocations` of the session (None: not at hand)."""
    material = _Material(evaluations, invocations, scope, tool_classes, speech)
    gaps = [
        *_named_gaps(material),
        *(gap.text for evaluation in evaluations[-1:] for gap in state_gaps(evaluation, speech)),
        *(gap.text for gap in material.empty_call_gaps()),
        *(said for evaluation in evaluations[-1:] for said in open_points(evaluation, speech)),
    ]
    actions = [_shown(action.action_text) for action in _actions(material)]
    actions += next_steps(material.invocations, material.scope, material.speech)
    sections = [("confirmed", material.confirmed_lines()), ("gaps", gaps), ("next", actions)]
    return _page("low_confidence", sections, speech)


def render_rejection(
    *,
    evaluations: Sequence[VerifierEvaluation],
    invocations: Sequence[ToolInvocation] | None,
    scope: Scope,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
    speech: Speech = CHINESE,
) -> str:
    """Gaps and next steps are written by code and hold no text of an unverified claim."""
    material = _Material(evaluations, invocations, scope, tool_classes, speech)
    gaps = [
        *(gap for evaluation in evaluations[-1:] for gap in rejection_gaps(evaluation, speech)),
        *material.empty_call_gaps(),
    ]
    return _degraded(material, gaps)


def render_failure(
    failure: str,
    *,
    evaluations: Sequence[VerifierEvaluation] = (),
    invocations: Sequence[ToolInvocation] | None = (),
    scope: Scope,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
    speech: Speech = CHINESE,
) -> str:
    """The answer of a session that could not go on; `failure` is the reason's code (R7)."""
    material = _Material(evaluations, invocations, scope, tool_classes, speech)
    key = f"failure.{failure}"
    gap = Gap(speech.text(key if key in TEXTS else "failure.other"), speech.text("mend.failure"))
    return _degraded(material, [gap, *material.empty_call_gaps()])


def _degraded(material: _Material, gaps: Sequence[Gap]) -> str:
    sections = [
        ("confirmed", material.confirmed_lines()),
        ("missing", [gap.text for gap in gaps]),
        ("next", [*(gap.action for gap in gaps), *next_steps(material.invocations, material.scope, material.speech)]),
    ]
    return _page("rejection", sections, material.speech)


def _page(heading: str, sections: Sequence[Section], speech: Speech) -> str:
    parts = [speech.text(heading)]
    for name, lines in sections:
        title = speech.joined("heading", (speech.text(f"section.{name}"), ""))
        parts.append("\n".join([title, *_bullets(lines, speech)]))
    return "\n\n".join(parts)


def _bullets(lines: Iterable[str], speech: Speech) -> list[str]:
    told = (line.replace("\n", "\n  ") for line in dict.fromkeys(lines) if line)
    return [f"- {line}" for line in told] or [f"- {speech.text('nothing')}"]


def _stated(verified: VerifiedClaim) -> str:
    """A claim in one line; the text of a document with its lines, for commands stand there."""
    said = verified.claim.claim_text
    return said.strip() if is_quotation(verified) else _shown(said, _LONGEST_CLAIM)


def _shown(text: str, longest: int = _LONGEST_LINE) -> str:
    """One line as it stands, without raw JSON or think blocks; "" where the text is nothing else (R49)."""
    line = " ".join(undisguised(text).split())
    if _RAW.search(line):
        return ""
    return line if len(line) <= longest else f"{line[:longest]}…"


@dataclass(frozen=True)
class _Material:
    """What there is to show, and what must not be."""

    evaluations: Sequence[VerifierEvaluation]
    invocations: Sequence[ToolInvocation] | None
    scope: Scope
    tool_classes: Mapping[str, ToolClass]
    speech: Speech

    def confirmed(self) -> tuple[VerifiedClaim, ...]:
        return within_scope(allowed_claims(self.evaluations), self.scope)

    def confirmed_lines(self) -> list[str]:
        return [_stated(verified) for verified in self.confirmed()]

    def empty_call_gaps(self) -> list[Gap]:
        trace: list[TraceEntry] = [e for evaluation in self.evaluations for e in evaluation.tool_trace_summary]
        calls = empty_calls(self.invocations, trace, self.tool_classes, self.speech)
        may_show = self.showable()
        shown = ((call, _shown(call.query) if may_show(call.query) else "") for call in calls)
        return [empty_call_gap(call, query, self.speech) for call, query in shown]

    def showable(self) -> Callable[[str], bool]:
        """Whether a text of the Executor repeats no unverified claim and nothing the user excluded."""
        verified = {words_only(claim.claim.claim_text) for claim in self.confirmed()}
        texts = [words_only(text) for evaluation in self.evaluations for text in _claimed(evaluation)]
        blocked = {words for words in texts if words and words not in verified}

        def may_show(text: str) -> bool:
            said = words_only(text)
            return mentions_excluded(text, self.scope) is None and not any(words in said for words in blocked)

        return may_show


def _claimed(evaluation: VerifierEvaluation) -> list[str]:
    structured = evaluation.executor_structured_output
    claims = [claim.claim_text for claim in structured.claims] if structured else []
    return [*claims, *(fact.fact for fact in evaluation.facts_checked)]


def _named_gaps(material: _Material) -> list[str]:
    confirmed = {words_only(verified.claim.claim_text) for verified in material.confirmed()}
    lines = []
    for evaluation in material.evaluations:
        for fact in evaluation.facts_checked:
            if is_open_point(fact, evaluation):
                continue
            key = named_gap(fact, evaluation) if fact.is_critical else None
            text = _shown(fact.fact, _LONGEST_CLAIM)
            if key is None or not text or words_only(fact.fact) in confirmed:
                continue
            if mentions_excluded(fact.fact, material.scope) is None:
                lines.append(material.speech.text(key, fact=text))
    return lines


def _actions(material: _Material) -> list[RecommendedAction]:
    """The Executor's evidence-collecting actions that were not dropped and assert nothing unverified."""
    may_show = material.showable()
    return [
        action
        for evaluation in material.evaluations[-1:]
        if evaluation.executor_structured_output
        for action in evaluation.executor_structured_output.recommended_actions
        if not _is_dropped(action, evaluation) and may_show(action.action_text)
        if not says_it_is_proven(action.action_text) and not is_remediation(action.action_text, action.action_type)
    ]


def _is_dropped(action: RecommendedAction, evaluation: VerifierEvaluation) -> bool:
    gatekeeper = evaluation.gatekeeper_result
    if gatekeeper is None:
        return False
    judged = [
        subject.dropped
        for subject in gatekeeper.subjects
        if subject.kind == "action" and subject.id == action.action_id
    ]
    failing = [
        b for b in gatekeeper.checked_bindings if b.action_id == action.action_id and b.status is CheckState.FAIL
    ]
    return any(judged) or bool(failing)
