"""Sessions as `assay session list` and `show` print them."""

from __future__ import annotations

import dataclasses
import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from handlers.cli.claim_lines import round_lines
from handlers.cli.plain import lines as answer_lines
from handlers.cli.plain import plain
from infra.read_models import queries

MOST_INPUTS = 5
"""So many inputs of a search are shown; `--json` gives all that were recorded."""


def candidates(sessions: Sequence[queries.SessionRow]) -> list[str]:
    """Id, start and question of those that a short id fits."""
    listed = [
        f"  {row.session_id}  {row.created_at:%Y-%m-%d %H:%M:%S}  {_question(row, 60)}"
        for row in sessions[: queries.MOST_LISTED]
    ]
    return [*listed, "  and more"] if len(sessions) > queries.MOST_LISTED else listed


def document(row: queries.SessionRow, said: queries.HeadlineRow | None) -> dict[str, Any]:
    answered = {name: getattr(said, name, None) for name in ("headline", "language", "template_version")}
    return dataclasses.asdict(row) | {"verdict_in_force": row.verdict_in_force} | answered


def table(rows: Sequence[queries.SessionRow], said: Mapping[UUID, queries.HeadlineRow]) -> str:
    lines = [f"{'SESSION':36}  {'STARTED':19}  {'STATUS':9}  {'VERDICT':10}  {'SCORE':6}  {'HEADLINE':22}  QUESTION"]
    for row in rows:
        one = said.get(row.session_id)
        score = "" if row.groundedness_score is None else f"{row.groundedness_score.normalize():f}"
        lines.append(
            f"{row.session_id}  {row.created_at:%Y-%m-%d %H:%M:%S}  {row.status:9}  "
            f"{row.verdict_in_force or '-':10}  {score:6}  "
            f"{_padded((one and one.headline) or '-', 22)}  {_question(row, 60)}"
        )
    return "\n".join(lines)


def _padded(text: str, width: int) -> str:
    """To so many columns of a terminal, where a Chinese character takes two."""
    return text + " " * max(0, width - sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text))


def _question(row: queries.SessionRow, width: int) -> str:
    return plain(_one_line("(erased)" if row.erased else row.query or "", width))


def page(detail: queries.SessionDetail) -> str:
    session, said = detail.session, detail.headline
    answered = f"{said.headline or '-'}  language {said.language}  texts {said.template_version}" if said else "-"
    lines = [
        f"session   {session.session_id}",
        f"question  {'(erased)' if session.erased else session.query}",
        f"status    {session.status}" + (f" ({session.reason_code})" if session.reason_code else ""),
        f"verdict   {session.verdict_in_force or '-'}  score {session.groundedness_score}  outcome {session.outcome}",
        f"headline  {answered}",
        *_override_lines(session),
        f"source    {session.source}  rules {session.rule_version}  rounds {session.round}",
        f"used      {session.step_count} steps, {session.tool_call_count} tool calls, "
        f"{session.total_token_count} tokens, {session.total_duration_ms} ms",
        f"feedback  {session.feedback or '-'}" + (f": {session.feedback_text}" if session.feedback_text else ""),
        "",
        "steps",
    ]
    for step in detail.steps:
        error = f"  {step.error_kind}: {_one_line(step.error_message or '', 80)}" if step.error_kind else ""
        lines.append(
            f"  {step.step_index:>3}  round {step.round}  {step.agent_name:9}  {step.model}  "
            f"{step.duration_ms} ms  {step.token_count} tokens{error}"
        )
    lines += ["", "tool calls"]
    for tool in detail.tools:
        error = f"  {_one_line(tool.error_message, 80)}" if tool.error_message else ""
        lines.append(
            f"  #{tool.id}  round {tool.round}  {_called(tool)}  "
            f"{tool.evidence_status or tool.status}  {tool.ref_count or 0} refs{error}"
        )
        lines += [f"      {line}" for line in _searched(tool)]
    if detail.evaluation:
        lines += round_lines(detail.evaluation.verifier_evaluation)
    answer = "(erased)" if session.erased else session.answer or "(none)"
    return "\n".join([*map(plain, lines), "", "answer", *answer_lines(answer)])


def _called(tool: queries.ToolRow) -> str:
    if tool.tool_name is None:
        return "(erased)"
    return f"{tool.tool_name}  {json.dumps(tool.input_params, ensure_ascii=False)}"


def _searched(tool: queries.ToolRow) -> list[str]:
    """The window of an evidence call and its account of itself (R9, R69)."""
    details = tool.retrieval_details or {}
    if given := details.get("coverage"):
        from domain.evidence.coverage import Coverage
        from handlers.cli.coverage_lines import coverage_lines, summary

        coverage = Coverage.model_validate(given)
        return [f"coverage  {summary(coverage)}", *coverage_lines(coverage, MOST_INPUTS)]
    window = [f"window    {details['window']}"] if details.get("window") else []
    is_evidence = tool.evidence_status in ("supported", "no_evidence") and (tool.ref_count or window)
    return [*window, "coverage  not recorded"] if is_evidence else window


def _override_lines(session: queries.SessionRow) -> list[str]:
    if session.verdict_override is None:
        return []
    reason = "(erased)" if session.erased else session.override_reason
    return [f"override  in place of {session.verdict}: {reason}"]


def _one_line(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
