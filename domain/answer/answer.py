"""What the user is shown after a verdict (section 7; R46, R47)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from domain.agents.scope import narrow_scope
from domain.answer.composer_guard import guard_composition
from domain.answer.gaps import open_points
from domain.answer.links import without_links
from domain.answer.rendering import render_low_confidence, render_rejection
from domain.answer.searches import search_notes
from domain.answer.speech import CHINESE, Speech
from domain.contracts import ComposerOutput, ComposerStatus, Route, ToolClass, ToolInvocation, VerifierEvaluation
from domain.verdict.verified import allowed_claims

TEMPLATE = "template"


def answer_after(
    route: Route,
    *,
    question: str,
    evaluations: Sequence[VerifierEvaluation],
    invocations: Sequence[ToolInvocation] | None,
    composition: str | None,
    tool_classes: Mapping[str, ToolClass],
    speech: Speech = CHINESE,
) -> ComposerOutput:
    """The Composer's wording, where code allows it, or a template. Raises ValueError while another round follows.

    `evaluations` of all rounds in order. `composition` is the Composer's raw text, None where it gave none.
    """
    scope = narrow_scope(question)
    match route:
        case Route.RETRY:
            raise ValueError("there is no answer before the next round")
        case Route.COMPOSE:
            allowed = allowed_claims(evaluations)
            composed = guard_composition(composition, allowed, scope, speech)
            notes = [*open_points(evaluations[-1], speech), *search_notes(allowed, invocations, speech)]
            answer = without_links("\n\n".join([composed.answer, *notes]))
            return composed if answer == composed.answer else composed.model_copy(update={"answer": answer})
        case Route.DISCLAIMER:
            render = render_low_confidence
        case Route.DEGRADE:
            render = render_rejection
        case _:
            assert_never(route)
    answer = render(
        evaluations=evaluations, invocations=invocations, scope=scope, tool_classes=tool_classes, speech=speech
    )
    notes = search_notes(allowed_claims(evaluations), invocations, speech)
    answer = without_links("\n\n".join([answer, *notes]))
    return ComposerOutput(status=ComposerStatus.VALID, reason=TEMPLATE, answer=answer)
