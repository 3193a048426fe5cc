"""What happens with a tool call the model asked for: run it, answer it from an earlier one, or refuse it (R3, R7)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from domain.contracts import TOOL_CLASSES, EvidenceRef, EvidenceStatus, RetrievalDetails, ToolClass, ToolInvocation
from domain.events import Erased, ToolInvoked
from domain.evidence.extraction import extract_evidence
from domain.evidence.masking import mask, mask_output, masked_details, patterns_with
from domain.json_objects import load_strict
from domain.session.state import CaseFile, ToolCall
from domain.session.steps import RunTool

MAX_ARGUMENT_DEPTH = 50
UNKNOWN_OUTCOME = "同样的调用（id {}）已经开始过而结果未知，可能已经生效；本会话内不再重复执行。"
UNEXPLAINED = "工具报告失败，没有说明原因。"  # so that only a failure found in the output has no message


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool returned, already masked (R22), with its refs extracted (R18)."""

    success: bool
    output: str = ""
    error_kind: str | None = None
    error_message: str = ""
    details: RetrievalDetails = RetrievalDetails()
    duration_ms: int = 0


def failed_outcome(error_kind: str, message: str, duration_ms: int = 0) -> ToolOutcome:
    """A call without a usable result: it yielded nothing, and it does not show that there is nothing (R19)."""
    details = RetrievalDetails(evidence_status=EvidenceStatus.FAILED, evidence_refs=())
    return ToolOutcome(False, error_kind=error_kind, error_message=message, details=details, duration_ms=duration_ms)


@dataclass(frozen=True, slots=True)
class Run:
    """Run the tool."""

    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerFrom:
    """The same call succeeded before in this round: repeat its id and refs, run nothing (R3)."""

    first: ToolInvocation
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with a failure that the model can mend; nothing is run."""

    error_kind: str
    message: str


Preparation: TypeAlias = Run | AnswerFrom | Refuse


def prepare_call(file: CaseFile, step: RunTool, offered: Collection[str]) -> Preparation:
    """Decided before the start is recorded, and the same again when a crash makes it a second attempt."""
    request = step.call.request
    if _calls_before(file, step) >= file.opened.settings.budgets.tool_calls:
        return Refuse("budget", "本轮工具调用预算已用尽，请用已有证据作答。")
    if request.tool_name not in offered:
        return Refuse("unknown_tool", f"没有名为 {request.tool_name!r} 的工具，可用：{', '.join(sorted(offered))}。")
    arguments = read_arguments(request.arguments)
    if isinstance(arguments, str):
        return Refuse("bad_arguments", arguments)
    if made := _made_before(file, request.tool_name, arguments):
        return (
            Refuse("unknown_outcome", UNKNOWN_OUTCOME.format(made.id))
            if not made.success
            else AnswerFrom(made, arguments)
        )
    first = _earlier(file, request.tool_name, arguments)
    return AnswerFrom(first, arguments) if first else Run(arguments)


def _made_before(file: CaseFile, tool_name: str, arguments: dict[str, Any]) -> ToolInvocation | None:
    """The same call of a tool that changes something, in any round: made, or of unknown outcome, which counts as made
    (R7). A later one that succeeded tells more."""
    found = None
    for turn in (turn for one in file.rounds for turn in one.executor_turns):
        for call in turn.calls:
            done = call.finished
            if call.read_only or done is None or done.tool_name != tool_name:
                continue
            is_answer = done.success and done.retrieval_details.evidence_status is not EvidenceStatus.DEDUPLICATED
            if (call.unknown or is_answer) and _canonical(done.input_params) == _canonical(arguments):
                found = done
    return found


def _calls_before(file: CaseFile, step: RunTool) -> int:
    """How many calls of this round the model asked for earlier: each counts, whatever became of it (R3)."""
    earlier = [turn for turn in file.round.executor_turns if turn.step_index < step.turn.step_index]
    return sum(len(turn.calls) for turn in earlier) + step.call_index


def read_arguments(raw: str) -> dict[str, Any] | str:
    """The arguments as a JSON object, or what is wrong with them. Never a guess: malformed ones are not run."""
    if not raw.strip():
        return {}
    try:
        value = load_strict(raw)
        if isinstance(value, str):  # some servers encode twice
            value = load_strict(value)
    except ValueError as error:
        return f"参数不是合法的 JSON：{error}。请重新调用，参数须为一个 JSON 对象。"
    if not isinstance(value, dict):
        return f"参数须为一个 JSON 对象，而不是 {type(value).__name__}。"
    return value if _is_plain(value) else "参数嵌套过深，或含有超出 64 位的整数。"


def _is_plain(value: Any, depth: int = MAX_ARGUMENT_DEPTH) -> bool:
    """Whether any reader of the log can read it back."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**64
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_is_plain(part, depth - 1) for part in parts)


def _earlier(file: CaseFile, tool_name: str, arguments: dict[str, Any]) -> ToolInvocation | None:
    """The first finished call of this round with the same arguments; a failed one is never such a first."""
    for done in file.invocations:
        of_this_tool = done.round == file.round.number and done.tool_name == tool_name
        usable = done.success and done.retrieval_details.evidence_status is not EvidenceStatus.DEDUPLICATED
        if of_this_tool and usable and _canonical(done.input_params) == _canonical(arguments):
            return done
    return None


def _canonical(arguments: dict[str, Any]) -> str:
    """Arguments compared as JSON: for Python alone 1, 1.0 and True are equal."""
    return json.dumps(arguments, sort_keys=True)


def shown_to_executor(file: CaseFile, call: ToolCall) -> str:
    """The tool message: exactly what the gatekeeper will check against, with the ids and paths to cite (R4)."""
    done, settings = call.finished, file.opened.settings
    if done is None:
        return ""
    is_helper = settings.tool_classes.get(done.tool_name, ToolClass.HELPER) is ToolClass.HELPER
    return _json(tool_message(done, call.note, is_helper=is_helper, most_refs=settings.max_refs_shown))


def tool_message(done: ToolInvocation, note: str, *, is_helper: bool, most_refs: int) -> dict[str, Any]:
    """What the Executor sees of a finished call (R4): its refs, at most so many of them, and its coverage (R69)."""
    details = done.retrieval_details
    message: dict[str, Any] = {
        "source_invocation_id": details.duplicate_of or done.id,
        "evidence_status": details.evidence_status,
    }
    if is_helper and done.success:
        return message | {"output": done.output or note}
    shown, hidden = _cut(details.evidence_refs or (), most_refs)
    notes = [note, done.error_message, f"另有 {hidden} 条未显示，请收窄查询。" if hidden else ""]
    message |= {"evidence_refs": [ref.model_dump() for ref in shown], "note": " ".join(said for said in notes if said)}
    if details.coverage is not None:
        message["coverage"] = details.coverage.model_dump(mode="json")
    return message


def _cut(refs: Sequence[EvidenceRef], most: int) -> tuple[list[EvidenceRef], int]:
    """The first items and every summary ref (R20), and how many items are left out."""
    items = [ref for ref in refs if ref.raw_path.endswith("]")]
    summaries = [ref for ref in refs if not ref.raw_path.endswith("]")]
    return [*items[:most], *summaries], max(0, len(items) - most)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def recorded_outcome(
    tool_name: str,
    *,
    mask_patterns: Mapping[str, str],
    output: str,
    success: bool,
    error_kind: str | None,
    error_message: str,
    retrieval: RetrievalDetails,
    duration_ms: int,
    tool_classes: Mapping[str, ToolClass] = TOOL_CLASSES,
) -> ToolOutcome:
    """A tool's raw result as it is recorded: masked (R22), then its refs extracted from the masked text (R18)."""
    patterns = patterns_with(mask_patterns)
    shown, counts = mask_output(output, patterns)
    message, more = mask(error_message if success else error_message or UNEXPLAINED, patterns)
    details = masked_details(retrieval.model_copy(update={"evidence_refs": None}), patterns)
    details = details.model_copy(update={"masked": _summed(counts, more)})
    told = ToolOutcome(success, shown, error_kind, message, details, duration_ms)
    return _judged_outcome(tool_name, told, tool_classes)


def _judged_outcome(tool_name: str, told: ToolOutcome, tool_classes: Mapping[str, ToolClass]) -> ToolOutcome:
    """What the tool told, with refs and status by code; a success that says in its output that it failed has failed."""
    details = told.details
    if told.success:
        details = extract_evidence(
            tool_name,
            told.output,
            query=details.query,
            window=details.window,
            base=details,
            tool_classes=tool_classes,
        )
    else:
        details = details.model_copy(update={"evidence_status": EvidenceStatus.FAILED, "evidence_refs": ()})
    failed = details.evidence_status is EvidenceStatus.FAILED
    error_kind = told.error_kind or ("source" if failed else None)
    return replace(told, success=told.success and not failed, error_kind=error_kind, details=details)


def judged_again(recorded: ToolInvoked, tool_classes: Mapping[str, ToolClass]) -> ToolOutcome | None:
    """The outcome that today's extraction makes of a recorded run; None where no tool was run, or texts are erased."""
    facts, content = recorded.facts, recorded.content
    refused = facts.error_kind in ("budget", "unknown_tool", "unknown_outcome") or (
        facts.error_kind == "bad_arguments" and not facts.output_length  # a tool's own refusal says why in its output
    )
    if isinstance(content, Erased) or refused or facts.duplicate_of is not None:
        return None
    failed_by_output = bool(facts.error_kind == "source" and content.output and not content.error_message)
    details = content.retrieval_details.model_copy(update={"evidence_refs": None})
    if failed_by_output:
        details = details.model_copy(update={"evidence_status": EvidenceStatus.NO_EVIDENCE})
    told = ToolOutcome(
        success=facts.success or failed_by_output,
        output=content.output,
        error_kind=None if failed_by_output else facts.error_kind,
        error_message=content.error_message,
        details=details,
        duration_ms=facts.duration_ms,
    )
    return _judged_outcome(content.tool_name, told, tool_classes)


def _summed(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {kind: first.get(kind, 0) + second.get(kind, 0) for kind in sorted({*first, *second})}
