"""From the Executor's raw text to the evidence contract, losing nothing and guessing nothing (R11 to R16)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import json_repair
from pydantic import ValidationError

from domain.agents.executor_contract import ContractError, normalise
from domain.agents.remediation import is_remediation
from domain.agents.scope import scope_warnings
from domain.contract import violations
from domain.contracts import ExecutorOutput, Finding, ParsedExecutorOutput, ParseState, ParseStatus
from domain.json_objects import find_object, load_strict, strip_think, without_lone_surrogates

_MAX_REPAIRED = 32_768  # characters; the repair library takes quadratic time on some texts
_MAX_REPAIRED_DEPTH = 12


def parse_executor_output(raw: str | Mapping[str, Any] | None, *, question: str = "") -> ParsedExecutorOutput:
    """The structured output where the text holds exactly one valid contract; never raises (R13).

    `missing`: nothing was returned. `malformed`: no single valid JSON object, or one that breaks the contract; what a
    repair library makes of it is kept in `repaired`, for audit only. Slips of form are mended with a `contract.*`
    warning, remediation is dropped with `action.remediation` (R15), and `scope.*` warns of an overstepped narrow
    question (R16). `final_answer` is the raw text without think blocks in every case.
    """
    text = without_lone_surrogates(raw if isinstance(raw, str) else _as_text(raw))
    answer = strip_think(text)
    if not answer.strip():
        detail = "nothing but a think block was returned" if text.strip() else "the executor returned nothing"
        return _without_structure(ParseState.MISSING, detail, answer)
    found = find_object(text)
    if found.value is None:
        return _without_structure(ParseState.MALFORMED, found.problem, answer, _repaired(answer))
    try:
        normalised, slips = normalise(found.value)
        output = ExecutorOutput.model_validate(normalised)
    except (ContractError, ValidationError) as error:
        wrong = violations(error) if isinstance(error, ValidationError) else str(error)
        return _without_structure(ParseState.MALFORMED, wrong, answer)
    kept, dropped = _without_remediation(output)
    stripped = f"; stripped: {', '.join(found.stripped)}" if found.stripped else ""
    return ParsedExecutorOutput(
        status=ParseStatus(status=ParseState.VALID, detail=f"parsed executor evidence contract{stripped}"),
        structured=kept,
        final_answer=answer,
        warnings=(*slips, *dropped, *scope_warnings(kept, question)),
    )


def _as_text(raw: Mapping[str, Any] | None) -> str:
    return "" if raw is None else json.dumps(raw, ensure_ascii=False, default=str)


def _without_structure(
    state: ParseState, detail: str, answer: str, repaired: dict[str, Any] | None = None
) -> ParsedExecutorOutput:
    noted = f"{detail}; a repaired reading is kept for audit" if repaired else detail
    return ParsedExecutorOutput(
        status=ParseStatus(status=state, detail=noted), structured=None, repaired=repaired, final_answer=answer
    )


def _repaired(text: str) -> dict[str, Any] | None:
    """A repair library's reading of a short text; it changes values silently, so nothing but an auditor may use it."""
    if len(text) > _MAX_REPAIRED or "{" not in text or _depth(text) > _MAX_REPAIRED_DEPTH:
        return None
    try:
        value = json_repair.loads(text)
        return load_strict(json.dumps(value)) if isinstance(value, dict) and value else None
    except Exception:  # whatever a third-party parser raises over arbitrary text: it has no reading
        return None


def _depth(text: str) -> int:
    deepest = depth = 0
    for char in text:
        if char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth -= 1
    return deepest


def _without_remediation(output: ExecutorOutput) -> tuple[ExecutorOutput, list[Finding]]:
    kept, dropped = [], []
    for action in output.recommended_actions:
        if is_remediation(action.action_text, action.action_type):
            message = f"an action may only collect evidence: {action.action_text[:80]}"
            dropped.append(Finding(rule="action.remediation", message=message, subject=action.action_id))
        else:
            kept.append(action)
    return output.model_copy(update={"recommended_actions": tuple(kept)}), dropped
