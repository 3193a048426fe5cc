"""What happens with a tool call the model asked for: run it, answer it from an earlier one, or refuse it (R3, R7)."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, TypeAlias

from domain.contracts import EvidenceStatus, RetrievalDetails, ToolClass, ToolInvocation
from domain.events import ToolRequest
from domain.evidence import extract_evidence
from domain.masking import mask, mask_output
from domain.session.state import CaseFile, ToolCall
from domain.session.steps import tool_budget_spent


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool returned, already masked (R22), with its refs extracted (R18)."""

    success: bool
    output: str = ""
    error_kind: str | None = None
    error_message: str = ""
    details: RetrievalDetails = RetrievalDetails()
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerFrom:
    """The same call succeeded before in this round: repeat its id and refs, run nothing (R3)."""

    first: ToolInvocation
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refuse:
    error_kind: str
    message: str


Preparation: TypeAlias = Run | AnswerFrom | Refuse


def prepare_call(file: CaseFile, request: ToolRequest, offered: Collection[str]) -> Preparation:
    """Decide before the start is recorded; nothing here depends on the start itself."""
    budgets = file.opened.settings.budgets
    if tool_budget_spent(file) or file.round.model_calls >= budgets.model_calls:
        return Refuse("budget", "本轮工具调用预算已用尽，请用已有证据作答。")
    if request.tool_name not in offered:
        return Refuse("unknown_tool", f"没有名为 {request.tool_name!r} 的工具，可用：{', '.join(sorted(offered))}。")
    arguments = read_arguments(request.arguments)
    if isinstance(arguments, str):
        return Refuse("bad_arguments", arguments)
    first = _earlier(file, request.tool_name, arguments)
    return AnswerFrom(first, arguments) if first else Run(arguments)


def read_arguments(raw: str) -> dict[str, Any] | str:
    """The arguments as a JSON object, or what is wrong with them. Never a guess: malformed ones are not run."""
    if not raw.strip():
        return {}
    try:
        value = json.loads(raw)
        if isinstance(value, str):  # some servers encode twice
            value = json.loads(value)
    except (ValueError, RecursionError) as error:
        return f"参数不是合法的 JSON：{error}。请重新调用，参数须为一个 JSON 对象。"
    if not isinstance(value, dict):
        return f"参数须为一个 JSON 对象，而不是 {type(value).__name__}。"
    return value


def _earlier(file: CaseFile, tool_name: str, arguments: dict[str, Any]) -> ToolInvocation | None:
    """The first finished call of this round with the same arguments; a failed one is never such a first."""
    for done in file.invocations:
        same = done.round == file.round.number and done.tool_name == tool_name and done.input_params == arguments
        usable = done.success and done.retrieval_details.evidence_status is not EvidenceStatus.DEDUPLICATED
        if same and usable:
            return done
    return None


def shown_to_executor(file: CaseFile, call: ToolCall) -> str:
    """The tool message: exactly what the gatekeeper will check against, with the ids and paths to cite (R4)."""
    done = call.finished
    if done is None:
        return ""
    details = done.retrieval_details
    message: dict[str, Any] = {
        "source_invocation_id": details.duplicate_of or done.id,
        "evidence_status": details.evidence_status,
    }
    settings = file.opened.settings
    if settings.tool_classes.get(done.tool_name, ToolClass.HELPER) is ToolClass.HELPER and done.success:
        return _json(message | {"output": done.output})
    refs = details.evidence_refs or ()
    shown = refs[: settings.max_refs_shown]
    hidden = len(refs) - len(shown)
    notes = [call.note, done.error_message, f"另有 {hidden} 条未显示，请收窄查询。" if hidden else ""]
    return _json(
        message
        | {
            "evidence_refs": [ref.model_dump() for ref in shown],
            "note": " ".join(note for note in notes if note),
        }
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def recorded_outcome(
    tool_name: str,
    *,
    output: str,
    success: bool,
    error_kind: str | None,
    error_message: str,
    retrieval: RetrievalDetails,
    duration_ms: int,
) -> ToolOutcome:
    """A tool's raw result as it is recorded: masked (R22), then its refs extracted from the masked text (R18)."""
    masked, counts = mask_output(output)
    message, more = mask(error_message)
    details = retrieval.model_copy(update={"masked": _summed(counts, more)})
    if success:
        details = extract_evidence(tool_name, masked, query=details.query, window=details.window, base=details)
    else:
        details = details.model_copy(update={"evidence_status": EvidenceStatus.FAILED, "evidence_refs": ()})
    failed = details.evidence_status is EvidenceStatus.FAILED
    return ToolOutcome(
        success=success and not failed,
        output=masked,
        error_kind=error_kind or ("source" if failed else None),
        error_message=message,
        details=details,
        duration_ms=duration_ms,
    )


def _summed(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {kind: first.get(kind, 0) + second.get(kind, 0) for kind in sorted({*first, *second})}
