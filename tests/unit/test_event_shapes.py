"""R50, R62: what the shapes of events promise: stable names, no floats, and no free text outside the sealed content."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from domain.events import EVENTS, Erased, Event

CODES = {
    "SessionOpened.settings.threshold",
    "SessionOpened.settings.models",
    "SessionOpened.settings.mask_patterns",
    "SessionOpened.settings.tool_classes",
    "SessionOpened.rule_version",
    "SessionOpened.prompt_hashes",
    "AgentStepRecorded.model",
    "AgentStepRecorded.prompt_hash",
    "AgentStepRecorded.finish_reason",
    "AgentStepRecorded.error_kind",
    "ToolInvoked.error_kind",
    "GatekeeperChecked.rule_version",
    "GatekeeperChecked.failed_rules",
    "VerdictIssued.rule_version",
    "VerdictIssued.groundedness_score",
    "VerdictIssued.fact_classes",
    "VerdictIssued.reason",
    "VerdictIssued.adjusted_rules",
    "VerdictIssued.traceability_version",
    "RuleEvaluated.factor_points",
    "SessionCompleted.groundedness_score",
    "SessionFailed.stage",
    "SessionFailed.reason_code",
    "SessionErased.reason_code",
}
"""Facts typed as text: names, versions, hashes, codes and decimal figures, none of them written by a person, a model's
answer or a tool. A new one is added here by decision, not by accident."""

TOPICS = sorted(EVENTS)


def leaves(annotation: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every scalar type inside an annotation, with the field it stands in."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            yield from leaves(field.annotation, f"{path}.{name}")
    elif get_origin(annotation) is Literal:
        yield path, Literal
    elif get_origin(annotation) in (Union, types.UnionType) or get_args(annotation):
        for part in get_args(annotation):
            if part is not Ellipsis:
                yield from leaves(part, path)
    else:
        yield path, annotation


def facts_of(topic: str) -> list[tuple[str, Any]]:
    return list(leaves(EVENTS[topic].model_fields["facts"].annotation, topic))


@pytest.mark.parametrize("topic", TOPICS)
def test_facts_hold_no_floats(topic: str) -> None:
    """R35, R50: figures are integers or decimal strings."""
    assert [path for path, leaf in facts_of(topic) if leaf is float] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_facts_hold_nothing_but_scalars_of_known_kinds(topic: str) -> None:
    """R50: no `Any`, no open object, in which text could hide."""
    known = {int, bool, str, datetime, type(None), Literal}
    strange = [
        (path, leaf)
        for path, leaf in facts_of(topic)
        if leaf not in known and not (isinstance(leaf, type) and issubclass(leaf, Enum))
    ]

    assert strange == []


def test_text_in_facts_is_only_what_was_decided_to_be_a_code() -> None:
    """R62: free text is content, so that erasing a session's key erases it."""
    texts = {path for topic in TOPICS for path, leaf in facts_of(topic) if leaf is str}

    assert texts == CODES


@pytest.mark.parametrize("topic", TOPICS)
def test_content_may_be_erased(topic: str) -> None:
    """R62: every event can be read without its content."""
    assert Erased in get_args(EVENTS[topic].model_fields["content"].annotation)


def test_every_event_class_is_known_by_a_topic_of_its_own() -> None:
    """R50: topics are the storage format; two classes with one topic would lose an event here."""
    classes = Event.__subclasses__()

    assert sorted(cls.TOPIC for cls in classes) == TOPICS


def test_topics_do_not_change() -> None:
    """R50: renaming a class must not rename what is stored."""
    assert TOPICS == [
        "AgentStepRecorded",
        "AnswerComposed",
        "ExecutorAnswered",
        "FeedbackGiven",
        "GatekeeperChecked",
        "PlanProduced",
        "RoundStarted",
        "RuleEvaluated",
        "SessionCancelled",
        "SessionCompleted",
        "SessionErased",
        "SessionFailed",
        "SessionOpened",
        "ToolCallStarted",
        "ToolInvoked",
        "VerdictIssued",
        "VerdictOverridden",
    ]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_version_above_one_brings_the_way_from_every_older_one(topic: str) -> None:
    """R50: old versions are upcast on reading."""
    cls = EVENTS[topic]
    missing = [n for n in range(1, cls.VERSION) if not hasattr(cls, f"upcast_v{n}_v{n + 1}")]

    assert missing == []


def test_annotations_are_resolved() -> None:
    """Guards the tests above: an unresolved annotation would be a string and hide what it names."""
    assert all(not isinstance(leaf, str | typing.ForwardRef) for topic in TOPICS for _, leaf in facts_of(topic))
