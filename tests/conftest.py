"""Shared by all tests: skipping by name where a program is missing, and recorded events made by hand."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from pathlib import Path
from uuid import UUID, uuid5

import pytest

from domain import events as e
from domain.contracts import (
    Agent,
    CheckedFact,
    CheckState,
    ComposerStatus,
    EvidenceRef,
    EvidenceStatus,
    FactClass,
    Factor,
    GatekeeperResult,
    Outcome,
    ParsedExecutorOutput,
    ParseState,
    ParseStatus,
    RetrievalDetails,
    Route,
    Severity,
    Verdict,
    VerifierEvaluation,
)
from domain.settings import RULE_VERSION, SessionSettings
from domain.subjects import partition_of


@pytest.fixture(scope="session", autouse=True)
def folders_can_be_reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Started by root PostgreSQL runs as another account, and Assay opens no folder but its own for it: those that
    pytest makes are closed."""
    base, make = tmp_path_factory.getbasetemp(), tmp_path_factory.mktemp
    if os.geteuid() != 0:
        yield
        return
    for folder in (base, *base.parents)[:3]:
        if folder.stat().st_mode & 0o777 == 0o700:
            folder.chmod(0o711)

    def mktemp(basename: str, numbered: bool = True) -> Path:
        made = make(basename, numbered)
        made.chmod(0o711)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tmp_path_factory, "mktemp", mktemp)
        yield


OPENED_AT = datetime(2026, 7, 8, 3, 0, tzinfo=UTC)
NAMESPACE = UUID("0198c0de-0000-7000-8000-000000000000")
SESSION = uuid5(NAMESPACE, "session")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("containers")
    group.addoption("--containers", action="store_true", help="integration tests use containers, not embedded servers")
    group.addoption("--nats-image", default="nats:2.12", help="with --containers (default: %(default)s)")
    group.addoption("--postgres-image", default="postgres:18", help="with --containers (default: %(default)s)")


def pytest_configure() -> None:
    """A run in the background ignores Ctrl-C and hang-ups, and so would every command that it starts and signals."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes do not name a test: packed ones hold the second of their making, and the processes of one run differ."""
    return argname if isinstance(val, bytes) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test whose program is missing is skipped by name, or fails where skips are forbidden."""
    for marker in item.iter_markers("program"):
        name = marker.args[0]
        if shutil.which(name) is None:
            if os.environ.get("ASSAY_FORBID_SKIPS"):
                pytest.fail(f"{name} is not installed, and skips are forbidden")
            pytest.skip(f"{name} is not installed")


class ListLog:
    """An event log in memory, as far as a projector reads it. `events` may grow."""

    def __init__(self, events: Sequence[e.Recorded]) -> None:
        self.events = list(events)

    async def read(self, after: int, limit: int, *, partition: int | None = None) -> Sequence[e.Recorded]:
        return [one for one in self._of(partition) if one.position > after][:limit]

    async def next_position(self, after: int, partition: int) -> int | None:
        return next((one.position for one in self._of(partition) if one.position > after), None)

    def _of(self, partition: int | None) -> list[e.Recorded]:
        return [one for one in self.events if partition in (None, partition_of(str(one.session_id)))]

    async def last_position(self) -> int:
        return self.events[-1].position if self.events else 0


Record = Callable[..., e.Recorded]
Diagnosis = Callable[..., list[e.Recorded]]


@pytest.fixture(scope="session")
def recorded() -> Record:
    """`recorded(event, version=1, position=1, session_id=...)`: the event as it would stand in the log; a second
    passes with each version."""
    return _recorded


@pytest.fixture(scope="session")
def diagnosis() -> Diagnosis:
    """`diagnosis(session_id=..., positions=...)`: the 17 events of one PASS session with one tool call and feedback."""
    return _diagnosis


@pytest.fixture(scope="session")
def interleaved() -> Diagnosis:
    """`interleaved(sessions)`: that many such sessions in one log, taking turns, at positions from 1."""
    return _interleaved


@pytest.fixture(scope="session")
def log_of() -> Callable[[Sequence[e.Recorded]], ListLog]:
    """`log_of(events)`: a log that holds them, to be read by a projector."""
    return ListLog


def _recorded(event: e.Event, version: int = 1, position: int = 1, session_id: UUID = SESSION) -> e.Recorded:
    event_id = uuid5(session_id, str(version))
    return e.Recorded(
        session_id=session_id,
        version=version,
        position=position,
        event_id=event_id,
        commit_id=event_id,
        correlation_id=session_id,
        causation_id=None,
        time=OPENED_AT + timedelta(seconds=version - 1),
        actor="actor-1",
        hash=sha256(f"{session_id} {version}".encode()).hexdigest(),
        event=event,
    )


def _diagnosis(session_id: UUID = SESSION, positions: Iterable[int] | None = None) -> list[e.Recorded]:
    taken = iter(positions or count(1))
    made: list[e.Recorded] = []

    def record(event: e.Event) -> int:
        made.append(_recorded(event, len(made) + 1, next(taken), session_id))
        return made[-1].position

    for event in _up_to_the_tool_call():
        invocation_id = record(event)
    for event in _from_its_result(invocation_id):
        record(event)
    return made


def _interleaved(sessions: int) -> list[e.Recorded]:
    of_each = [_diagnosis(uuid5(NAMESPACE, str(number)), count(number + 1, sessions)) for number in range(sessions)]
    return sorted((one for each in of_each for one in each), key=lambda one: one.position)


def _up_to_the_tool_call() -> Iterator[e.Event]:
    yield e.SessionOpened(
        facts=e.SessionOpenedFacts(
            now=OPENED_AT,
            clock="scenario",
            settings=SessionSettings(source="sample"),
            rule_version=RULE_VERSION,
            prompt_hashes={},
            has_key=False,
        ),
        content=e.SessionOpenedContent(question="请排查 order-service 当前是否存在 HighMemoryUsage 告警"),
    )
    yield e.RoundStarted(facts=e.RoundStartedFacts(round=1), content=e.RoundStartedContent())
    yield _step(0, Agent.PLANNER, "先查指标")
    yield e.PlanProduced(
        facts=e.PlanProducedFacts(round=1, parsed=False), content=e.PlanProducedContent(plan=None, raw="")
    )
    yield _step(1, Agent.EXECUTOR, "", tool_call_count=1)
    yield e.ToolCallStarted(
        facts=e.ToolCallStartedFacts(round=1, step_index=1, call_index=0, attempt=1, read_only=True),
        content=e.ToolCallStartedContent(tool_name="query_metrics", call_id="call-1", arguments='{"service": "x"}'),
    )


def _from_its_result(invocation_id: int) -> Iterator[e.Event]:
    output = '{"alerts": []}' + " " * 2_986
    yield e.ToolInvoked(
        facts=e.ToolInvokedFacts(
            round=1,
            step_index=1,
            call_index=0,
            invocation_id=invocation_id,
            success=True,
            evidence_status=EvidenceStatus.SUPPORTED,
            ref_count=1,
            output_length=3_000,
            duration_ms=12,
        ),
        content=e.ToolInvokedContent(
            tool_name="query_metrics",
            input_params={"service": "x"},
            output=output,
            retrieval_details=RetrievalDetails(
                evidence_status=EvidenceStatus.SUPPORTED,
                evidence_refs=(EvidenceRef(raw_path="$.alerts[0]", text="HighMemoryUsage firing 91%"),),
                retrieval_layer="L0",
                l0_match_count=2,
                l1_match_count=3,
                relevance_level="high",
            ),
        ),
    )
    yield _step(2, Agent.EXECUTOR, "{}")
    status = ParseStatus(status=ParseState.VALID, detail="strict JSON")
    yield e.ExecutorAnswered(
        facts=e.ExecutorAnsweredFacts(round=1, parse_state=ParseState.VALID, ended_by="answer", claim_count=0),
        content=e.ExecutorAnsweredContent(
            raw="{}", parsed=ParsedExecutorOutput(status=status, structured=None, final_answer="{}")
        ),
    )
    yield e.GatekeeperChecked(
        facts=e.GatekeeperCheckedFacts(
            round=1,
            rule_version=RULE_VERSION,
            severity=Severity.NONE,
            failed_rules=(),
            binding_count=1,
            failed_binding_count=0,
        ),
        content=e.GatekeeperCheckedContent(result=GatekeeperResult(status=CheckState.PASS, severity=Severity.NONE)),
    )
    yield _step(3, Agent.VERIFIER, "{}", thought="细" * 500)
    yield _verdict(Verdict.PASS, "1")
    yield e.RuleEvaluated(
        facts=e.RuleEvaluatedFacts(evidence_score=80, factor_points={"live": 80}),
        content=e.RuleEvaluatedContent(factors=(Factor(name="live", points=80),)),
    )
    yield _step(4, Agent.COMPOSER, "[]")
    answer = "order-service 内存使用率 91%"
    yield e.AnswerComposed(
        facts=e.AnswerComposedFacts(status=ComposerStatus.VALID, outcome=Outcome.NORMAL, sentence_count=1),
        content=e.AnswerComposedContent(answer=answer),
    )
    yield e.SessionCompleted(
        facts=e.SessionCompletedFacts(outcome=Outcome.NORMAL, verdict=Verdict.PASS, groundedness_score="1", rounds=1),
        content=e.SessionCompletedContent(answer=answer),
    )
    yield e.FeedbackGiven(facts=e.FeedbackGivenFacts(rating="helpful"), content=e.FeedbackGivenContent(text="谢谢"))


def _step(index: int, agent: Agent, output: str, *, thought: str = "", tool_call_count: int = 0) -> e.Event:
    return e.AgentStepRecorded(
        facts=e.AgentStepRecordedFacts(
            round=1,
            step_index=index,
            agent=agent,
            model="extractive",
            prompt_hash="0" * 64,
            attempt=1,
            duration_ms=100,
            input_tokens=30,
            output_tokens=12,
            tool_call_count=tool_call_count,
        ),
        content=e.AgentStepRecordedContent(
            input=({"role": "user", "content": "问题"},), output=output, thought=thought
        ),
    )


def _verdict(verdict: Verdict, score: str) -> e.Event:
    fact = CheckedFact(fact="内存使用率 91%", is_critical=True, verification=FactClass.DIRECT, claim_id="c1")
    return e.VerdictIssued(
        facts=e.VerdictIssuedFacts(
            round=1,
            rule_version=RULE_VERSION,
            verdict=verdict,
            groundedness_score=score,
            critical_fact_count=1,
            fact_classes={FactClass.DIRECT.value: 1},
            route=Route.COMPOSE,
            decided_by="model",
            reason=None,
            adjusted_rules=(),
            traceability_version="v2",
        ),
        content=e.VerdictIssuedContent(
            evaluation=VerifierEvaluation(
                verdict=verdict, groundedness_score=score, critical_fact_count=1, facts_checked=(fact,)
            )
        ),
    )
