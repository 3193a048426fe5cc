"""The deterministic core for the CI of other agents: given inputs, the rules of the domain, one answer.

No server, no model and no clock take part, and nothing is recorded. A file or standard input holds one case, or with
`--lines` one in each line; the n-th line is answered by the n-th line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, TypeAlias

from domain.agents.executor_output import parse_executor_output
from domain.agents.verifier_io import parse_verifier_output
from domain.answer.answer import answer_after
from domain.answer.speech import Speech
from domain.contracts import TOOL_CLASSES, CheckState, RetrievalDetails, Route, VerifierEvaluation
from domain.evidence.coverage import Coverage
from domain.evidence.extraction import extract_evidence
from domain.gatekeeper.check import check_evidence
from domain.language.tongues import Language, language_of
from domain.verdict.judgement import judge
from handlers.cli.cases import UnusableCase, read_extraction_case, read_gatekeeper_case, read_verdict_case
from handlers.cli.errors import UsageError
from infra.settings import Settings

Answer: TypeAlias = dict[str, Any]
FAILED_CHECK = 3


def check_gatekeeper(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 when every quotation holds, 3 when the check fails, 2 for unusable input; with `--lines` 0."""
    if arguments.lines:
        return _answer_lines(arguments.file, gatekeeper_answer)
    answer = _answer_whole(arguments.file, gatekeeper_answer)
    return 0 if answer["gatekeeper_result"]["status"] == CheckState.PASS else FAILED_CHECK


def extract(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 whatever the output holds, 2 for unusable input; with `--lines` 0."""
    tool_name: str | None = arguments.tool
    if arguments.lines:
        return _answer_lines(arguments.file, lambda text: extraction_answer(text, tool_name))
    if tool_name is None:
        raise UsageError("--tool: which tool's output it is must be said, unless --lines says it in each line")
    _answer_whole(arguments.file, lambda text: _extracted(tool_name, text, None))
    return 0


def compute_verdict(arguments: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 for any verdict, 2 for unusable input; with `--lines` 0."""
    window, language = settings.window_minutes, settings.language
    if arguments.lines:
        return _answer_lines(arguments.file, lambda text: verdict_answer(text, window, language))
    _answer_whole(arguments.file, lambda text: verdict_answer(text, window, language))
    return 0


# ---------------------------------------------------------------- one case, one answer


def gatekeeper_answer(text: str) -> Answer:
    """Raises UnusableCase. What the parser mended or dropped stands first among the warnings (R13, R15)."""
    case = read_gatekeeper_case(text)
    parsed = parse_executor_output(case.executor_output)
    result = check_evidence(
        session_id=case.session_id,
        invocations=case.invocations,
        parsed=parsed,
        tool_classes=TOOL_CLASSES | case.tool_classes,
    )
    result = result.model_copy(update={"warnings": (*parsed.warnings, *result.warnings)})
    return {
        "executor_output_parse_status": parsed.status.model_dump(mode="json"),
        "executor_structured_output": parsed.structured.model_dump(mode="json") if parsed.structured else None,
        "gatekeeper_result": result.model_dump(mode="json"),
    }


def extraction_answer(text: str, tool_name: str | None) -> Answer:
    """Raises UnusableCase. Numbers keep the form they are written in."""
    case = read_extraction_case(text)
    named = case.tool_name or tool_name
    if not named:
        raise UnusableCase("tool_name: it is missing, and --tool is not given")
    return _extracted(named, case.output, case.coverage)


def _extracted(tool_name: str, output: str, coverage: Coverage | None) -> Answer:
    details = extract_evidence(tool_name, output, base=RetrievalDetails(coverage=coverage))
    return details.model_dump(mode="json", include={"evidence_status", "evidence_refs"})


def verdict_answer(text: str, window_minutes: int, default_language: Language = "zh") -> Answer:
    """Raises UnusableCase. `answer` is what the user is shown, null while another round follows."""
    case = read_verdict_case(text)
    tool_classes = TOOL_CLASSES | case.tool_classes
    speech = Speech(case.language or language_of(case.question, default_language))
    judgement = judge(
        question=case.question,
        round=case.round,
        threshold=case.threshold,
        structured=case.executor_structured_output,
        parse_status=case.executor_output_parse_status,
        gatekeeper=case.gatekeeper_result,
        trace=case.tool_trace_summary,
        reading=parse_verifier_output(case.verifier_output),
        invocations=case.invocations,
        now=case.session_time,
        window_minutes=window_minutes,
        executor_final_answer=case.executor_final_answer,
        tool_classes=tool_classes,
        speech=speech,
    )
    answer = None
    if judgement.route is not Route.RETRY:
        answer = answer_after(
            judgement.route,
            question=case.question,
            evaluations=[judgement.evaluation],
            invocations=case.invocations,
            composition=case.composer_output,
            tool_classes=tool_classes,
            speech=speech,
        ).answer
    return {
        "verifier_evaluation": _with_score_as_number(judgement.evaluation),
        "route": judgement.route,
        "answer": answer,
    }


def _with_score_as_number(evaluation: VerifierEvaluation) -> Answer:
    return evaluation.model_dump(mode="json") | {"groundedness_score": float(evaluation.groundedness_score)}


# ---------------------------------------------------------------- input and output


def _answer_whole(name: str, answer: Callable[[str], Answer]) -> Answer:
    found = _tried(b"".join(_lines(name)), answer)
    if isinstance(found, str):
        raise UsageError(f"{name}: {found}")
    _print(found)
    return found


def _answer_lines(name: str, answer: Callable[[str], Answer]) -> int:
    for number, line in enumerate(_lines(name), start=1):
        found = _tried(line, answer)
        _print({"error": found, "line": number} if isinstance(found, str) else found)
    return 0


def _tried(raw: bytes, answer: Callable[[str], Answer]) -> Answer | str:
    """The answer, or in words why there is none."""
    if not raw.strip():
        return "there is nothing in it"
    try:
        return answer(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return f"no UTF-8 text: {error.reason} at byte {error.start}"
    except RecursionError:
        return "nested too deeply"
    except UnusableCase as error:
        return str(error)


def _lines(name: str) -> Iterator[bytes]:
    if name == "-" and sys.stdin is None:
        raise UsageError("-: standard input is closed")
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as stream:
            yield from stream
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror or error}") from None


def _print(answer: Answer) -> None:
    print(json.dumps(answer, ensure_ascii=False))
