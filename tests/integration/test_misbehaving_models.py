"""The shipped cases through the whole chain: servers, workers, real tools, and models that misbehave.

Each case is a session of its own; all are run once, together.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from handlers.evaluation.case import SHIPPED, Case, load_cases
from handlers.evaluation.result import CaseResult
from handlers.evaluation.run import evaluate, playing
from infra.settings import Settings

CASES = load_cases(SHIPPED)
RAW = re.compile(r"[{}`]|\$\.|</?think|raw_path|claim_id|source_invocation_id")
QUESTION = "请排查 order-service 当前是否存在 HighMemoryUsage 告警，只确认内存使用率过高这一件事。"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseResult]:
    """What came of every case of this module, by its name."""
    return asyncio.run(_played(tmp_path_factory.mktemp("evaluation")))


async def _played(folder: Path) -> dict[str, CaseResult]:
    async with playing(Settings(), folder) as play:
        own = await play(_citing("own id", "第 {{query_metrics.id}} 次调用", "{{query_metrics.id}}"))
        foreign_id = int(own.seen.claims[0].split()[1])
        foreign = _citing("another session's id", "order-service 的 HighMemoryUsage 告警处于 firing。", foreign_id)
        done = await evaluate([*CASES, foreign, SHORT_SCRIPT], play)
    return {result.case.name: result for result in [own, *done]}


def _citing(name: str, claim_text: str, invocation_id: str | int) -> Case:
    """The Executor looks, then cites the alert it was shown under an invocation id."""
    binding = {
        "tool_name": "query_metrics",
        "source_invocation_id": invocation_id,
        "raw_path": "$.alerts[0]",
        "evidence_excerpt": "{{query_metrics.$.alerts[0]}}",
    }
    claim = {"claim_id": "claim-1", "claim_text": claim_text, "evidence_bindings": [binding]}
    look = {"calls": [{"tool": "query_metrics", "arguments": {"service": "order-service"}}]}
    return _scripted(name, {"executor": [look, {"json": {"claims": [claim]}}]})


def _scripted(name: str, replies: dict[str, Any]) -> Case:
    case = {"name": name, "question": QUESTION, "model": "scripted", "replies": replies}
    return Case.model_validate(case | {"expect": {"status": "completed"}, "settings": {"threshold": 0}})


SHORT_SCRIPT = _scripted("a script that runs out", {"composer": [{"error": "server"}]})


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_a_shipped_case_ends_as_it_expects(played: dict[str, CaseResult], name: str) -> None:
    """R3, R7, R8, R13 to R15, R20, R23 to R28, R33 to R39, R46, R63: what each case is about, its name says."""
    assert played[name].misses == ()


def test_every_session_shows_an_answer_and_nothing_raw(played: dict[str, CaseResult]) -> None:
    """R7, R49: whatever the models did."""
    answers = {name: result.seen.answer for name, result in played.items()}
    assert {name: answer for name, answer in answers.items() if not answer or RAW.search(answer)} == {}


def test_no_trivial_answer_comes_near() -> None:
    """R63: cases of every verdict; always the same one is right for less than half of them."""
    expected = [case.expect.verdict for case in CASES]
    assert max(expected.count(verdict) for verdict in set(expected)) < len(expected) / 2


def test_another_sessions_id_is_rejected_however_true_the_words_are(played: dict[str, CaseResult]) -> None:
    """R23, R25: a real id of a real call of the same tool with the same output, but of another session."""
    own, foreign = played["own id"].seen, played["another session's id"].seen
    assert own.gatekeeper_severity == "none"
    assert (foreign.verdict, foreign.outcome) == ("REJECT", "DEGRADED")
    assert foreign.failed_rules == ("evidence.invocation_ref",)
    assert "firing" not in foreign.answer


def test_a_script_that_runs_out_is_told_as_a_miss(played: dict[str, CaseResult]) -> None:
    """R63: the session ends well, but the case does not pass as if the model had failed on purpose."""
    short = played["a script that runs out"]
    assert (short.seen.verdict, short.seen.composer) == ("PASS", "fallback")
    assert [(miss.field, miss.got) for miss in short.misses] == [
        ("replies", "the script holds no further reply of the composer")
    ]
