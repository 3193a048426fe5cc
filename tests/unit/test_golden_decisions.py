"""R42: a rule cannot change under the same version. Over a fixed corpus, extraction, gatekeeper, verdict and answer are
computed anew and held against what is recorded for RULE_VERSION.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from domain.settings import RULE_VERSION
from tests.unit.golden_decisions.corpus import decisions, digest
from tests.unit.golden_decisions.table import COMMAND, changed, recorded_digests


@pytest.fixture(scope="module")
def decided() -> dict[str, Any]:
    return decisions()


def test_the_rules_decide_what_is_recorded_for_their_version(decided: dict[str, Any]) -> None:
    """R42, R59: every check and verdict names the version, and an auditor relies on it."""
    told = (
        f"rules {RULE_VERSION} decide otherwise than is recorded: {', '.join(changed(decided)) or 'new inputs'}. "
        f"If a rule was changed on purpose, raise RULE_VERSION in domain/settings.py and run `{COMMAND}`; "
        "if only inputs were added, run it; else the change was not meant"
    )
    assert recorded_digests().get(RULE_VERSION) == digest(decided), told


def test_old_versions_keep_their_digests() -> None:
    """R42: none is taken out, and no two have the same."""
    digests = recorded_digests()

    assert list(digests)[:2] == ["2026-11", "2026-12"]
    assert len(set(digests.values())) == len(digests)


def test_the_corpus_comes_to_every_verdict_and_every_kind_of_event(decided: dict[str, Any]) -> None:
    """Guards the guard: a corpus that decides one thing only would notice little."""
    sessions = [one["decided"] for one in decided.values() if "decided" in one]
    events = {event["event"] for session in sessions for event in session}
    verdicts = Counter(one["verifier_evaluation"]["verdict"] for one in decided.values() if "route" in one)

    assert events == {
        "RoundStarted",
        "PlanProduced",
        "ToolInvoked",
        "ExecutorAnswered",
        "GatekeeperChecked",
        "VerdictIssued",
        "RuleEvaluated",
        "AnswerComposed",
        "SessionCompleted",
        "SessionFailed",
    }
    assert min(verdicts[verdict] for verdict in ("PASS", "LOW_CONFID", "REJECT")) >= 10
    assert not [one["missing"] for one in decided.values() if one.get("missing")]


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ({"a": 1, "b": None}, {"a": 1}, True),
        ({"a": [{"rule_version": "1", "b": "x"}]}, {"a": [{"rule_version": "2", "b": "x"}]}, True),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": ""}, {"a": None}, False),
    ],
)
def test_only_what_is_decided_is_in_the_digest(before: Any, after: Any, is_same: bool) -> None:
    """A field that is new and empty, the order of fields and the version itself decide nothing."""
    assert (digest(before) == digest(after)) is is_same
