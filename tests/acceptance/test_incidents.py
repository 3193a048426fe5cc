"""Generated incidents, asked by the command: nothing is invented, denied or blamed (a share of
`python -m tests.long.incidents`, which also counts how much is told)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.contracts import VerifierEvaluation
from tests.long.incidents import Incident, generate
from tests.long.incidents.asking import Reply, flags_of, reply_of
from tests.long.incidents.judging import Judged, judged

INCIDENTS = [generate(1, number) for number in (0, 8, 13)]


def asked(served: Any, incident: Incident, flags: list[str], question: str) -> Reply:
    told = served.ask(question, *flags, ASSAY_ZONE=incident.zone)
    events = served.here("session", "tail", told["session_id"], "--json").documents
    verdicts = [one["content"]["evaluation"] for one in events if one["type"] == "VerdictIssued"]
    return reply_of(told, [VerifierEvaluation.model_validate(one) for one in verdicts])


@pytest.fixture(scope="module", params=INCIDENTS, ids=lambda incident: incident.kind)
def results(request: Any, served: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    """What came of the four questions of an incident, by their kind."""
    incident: Incident = request.param
    flags = flags_of(incident, incident.write(tmp_path_factory.mktemp("incident")))
    answers = {one: asked(served, incident, flags, one.text) for one in incident.questions}
    return {one.kind: judged(incident, one, got) for one, got in answers.items()}


def test_no_cause_is_confirmed_that_nobody_stated(results: dict[str, Judged]) -> None:
    """R70, R90: by no claim and in no words; a why without a quotation that states a cause is never PASS."""
    assert {kind: one.faults for kind, one in results.items() if set(one.faults) - {"PASS on a trace"}} == {}


def test_what_is_there_is_not_denied_and_what_is_not_is_not_found(results: dict[str, Judged]) -> None:
    """R68, R70: an alert that fires, a line that was written once, and a thing that is nowhere."""
    outcomes = {kind: one.outcome for kind, one in results.items() if kind != "why"}
    assert outcomes["narrow"] != "denied"
    assert outcomes["planted"] != "denied"
    assert outcomes["absent"] != "false"


def test_a_why_quotes_the_incident_and_not_old_noise_alone(results: dict[str, Judged]) -> None:
    """R90"""
    assert results["why"].told
    assert "red herrings alone" not in results["why"].faults
