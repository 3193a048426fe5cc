"""Replaying a session, and its rounds side by side."""

from __future__ import annotations

from typing import Any

from domain.contracts import Agent
from domain.differences import Change
from domain.events import VerdictOverridden, VerdictOverriddenContent, VerdictOverriddenFacts
from domain.session.commands import BeginNextRound, CancelSession
from domain.session.evolve import fold
from domain.session.replay import Replayed, picture_of, replay
from domain.session.rounds import round_changes
from domain.settings import SessionSettings

CLAIM = "order-service 的 HighMemoryUsage 告警处于 firing 状态，current=91%"


def replayed(given: Any) -> list[Replayed]:
    return list(replay(given.history))


def told(step: Replayed) -> dict[str, Any]:
    """What became of each place that an event changed."""
    return {change.where: change.after for change in step.changes}


def in_two_rounds(given: Any, say: Any, claim_of_round_2: dict[str, Any], classes: tuple[str, str]) -> Any:
    """Each round looks at the alerts and makes one claim of them; the claim of round 1 has the id `claim-1`."""
    story = given(SessionSettings(threshold="0.7")).executing()
    story.answered(say.memory_claim(story.looked().id)).checked()
    story.verified(claim_1=classes[0])
    story.when(BeginNextRound())
    story.model(Agent.PLANNER, say.plan)
    story.answered(claim_of_round_2 | {"evidence_bindings": say.memory_claim(story.looked().id)["evidence_bindings"]})
    story.checked()
    story.verified(**{claim_of_round_2["claim_id"].replace("-", "_"): classes[1]})
    return story


# ---------------------------------------------------------------- replay


def test_every_event_tells_what_it_changed(given: Any) -> None:
    """R58: phase, the step that is due, tool calls, claims, bindings, verdict."""
    steps = replayed(given().concluding())
    assert [step.recorded.event.TOPIC for step in steps] == [
        "SessionOpened",
        "RoundStarted",
        "AgentStepRecorded",
        "PlanProduced",
        "AgentStepRecorded",
        "ToolCallStarted",
        "ToolInvoked",
        "AgentStepRecorded",
        "ExecutorAnswered",
        "GatekeeperChecked",
        "AgentStepRecorded",
        "VerdictIssued",
    ]
    assert told(steps[0])["due"] == "ask the planner, attempt 1"
    assert told(steps[3]) == {
        "phase": "executor",
        "due": "ask the executor, attempt 1",
        "rounds.1.plan": ["查指标"],
    }
    assert told(steps[5]) == {"due": "finish #106, query_metrics"}
    assert told(steps[6]) == {
        "due": "ask the executor, attempt 1",
        "tool_calls.#106": "query_metrics: supported, 2 refs",
    }
    assert told(steps[8])["rounds.1.claims.claim-1"] == {"claim_type": "observation", "claim_text": CLAIM}
    assert told(steps[9])["rounds.1.bindings.claim-1 0"] == {
        "cited": "query_metrics #106 $.alerts[0]",
        "evidence_excerpt": "HighMemoryUsage firing, service=order-service, current=91%",
        "status": "pass",
        "match_kind": "exact",
        "rule": None,
    }
    assert told(steps[11]) == {
        "phase": "composer",
        "due": "ask the composer, attempt 1",
        "rounds.1.facts.claim-1": {"fact": CLAIM, "verification": "direct_evidence", "is_critical": True},
        "rounds.1.verdict": "PASS",
        "rounds.1.groundedness_score": "1.0",
        "rounds.1.route": "compose",
        "verdict_in_force": "PASS",
    }


def test_the_state_as_of_any_event(given: Any) -> None:
    """R58: it is the fold of the events up to there."""
    story = given().concluding()
    for step in replayed(story):
        assert step.state == picture_of(fold(story.history[: step.recorded.version]))
    before, after = replayed(story)[8].state, replayed(story)[9].state
    assert (before["phase"], "bindings" in before["rounds"]["1"]) == ("gatekeeper", False)
    assert (after["phase"], after["rounds"]["1"]["severity"]) == ("verifier", "none")


def test_a_failed_model_call_is_due_again(given: Any, say: Any) -> None:
    """R58: the step that is due, as it will be after the pause."""
    story = given().opened()
    story.model(Agent.PLANNER, say.failure())
    assert told(replayed(story)[-1]) == {"due": "ask the planner, attempt 2"}


def test_the_end_and_an_override_are_told(given: Any) -> None:
    """R53, R58: an override changes the verdict in force and nothing else."""
    story = given().concluding("no_evidence")
    story.when(CancelSession())
    assert told(replayed(story)[-1]) == {"phase": "ended", "due": None, "end": "cancelled"}
    facts = VerdictOverriddenFacts(verdict="REJECT", superseded_version=12)
    story.happened(VerdictOverridden(facts=facts, content=VerdictOverriddenContent(reason="误判")))
    assert told(replayed(story)[-1]) == {"verdict_in_force": "REJECT"}


def test_what_was_erased_says_so(given: Any) -> None:
    """R58, R62: figures of the verdict remain, texts are erased and not merely missing."""
    story = given().concluding("no_evidence")
    story.when(CancelSession())
    state = replayed(story.erased())[-1].state
    assert (state["question"], state["tool_calls"], state["end"]) == ("erased", "erased", "cancelled")
    assert state["rounds"]["1"] == {
        "content": "erased",
        "verdict": "LOW_CONFID",
        "groundedness_score": "0.0",
        "route": "retry",
    }
    assert replayed(given().executing().erased())[-1].state["due"] == "erased"


# ---------------------------------------------------------------- two rounds


def test_one_round_has_nothing_to_be_compared_with(given: Any) -> None:
    """R58."""
    assert round_changes(given().concluding().file) is None


def test_the_same_claim_proven_in_round_2(given: Any, say: Any) -> None:
    """R58: the claim goes by its id of round 1, whatever round 2 calls it; class, score and verdict differ."""
    again = say.memory_claim(0, claim_id="claim-9")
    story = in_two_rounds(given, say, again, ("indirect_support", "direct_evidence"))
    found = {change.where: (change.before, change.after) for change in round_changes(story.file) or ()}
    assert found.pop("missing_evidence_facts")[0] is None
    assert found == {
        "bindings.claim-1 0.cited": ("query_metrics #106 $.alerts[0]", "query_metrics #117 $.alerts[0]"),
        "facts.claim-1.verification": ("indirect_support", "direct_evidence"),
        "verdict": ("LOW_CONFID", "PASS"),
        "groundedness_score": ("0.6", "1.0"),
        "route": ("retry", "compose"),
    }


def test_claims_added_dropped_and_changed(given: Any, say: Any) -> None:
    """R58."""
    other = say.memory_claim(0, claim_text="order-service 的 HighMemoryUsage 告警处于 firing 状态")
    changed = in_two_rounds(given, say, other, ("indirect_support", "direct_evidence"))
    assert (
        Change("claims.claim-1.claim_text", CLAIM, "order-service 的 HighMemoryUsage 告警处于 firing 状态")
    ) in round_changes(changed.file)
    replaced = in_two_rounds(given, say, other | {"claim_id": "claim-2"}, ("indirect_support", "direct_evidence"))
    found = {change.where: (change.before, change.after) for change in round_changes(replaced.file) or ()}
    assert found["claims.claim-1"] == ({"claim_type": "observation", "claim_text": CLAIM}, None)
    assert found["claims.claim-2"][0] is None


def test_erased_rounds_differ_in_their_figures_alone(given: Any, say: Any) -> None:
    """R58, R62."""
    story = in_two_rounds(given, say, say.memory_claim(0), ("indirect_support", "direct_evidence"))
    assert [change.where for change in round_changes(story.erased().file) or ()] == [
        "verdict",
        "groundedness_score",
        "route",
    ]
