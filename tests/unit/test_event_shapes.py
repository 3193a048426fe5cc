"""R50, R62: what the shapes of events promise: stable names, no floats, and no free text outside the sealed content."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, create_model

from domain.events import EVENTS, Erased, Event

CODES = {
    "SessionOpened.settings.threshold",
    "SessionOpened.settings.zone",
    "SessionOpened.settings.models",
    "SessionOpened.settings.mask_patterns",
    "SessionOpened.settings.tool_classes",
    "SessionOpened.rule_version",
    "SessionOpened.prompt_hashes",
    "SessionOpened.request_hash",
    "SessionOpened.template_version",
    "SessionOpened.team",
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
    "StepRepeated.stage",
}
"""Facts typed as text: names, versions, hashes, codes and decimal figures, none of them written by a person, a model's
answer or a tool. A new one is added here by decision, not by accident."""

TOPICS = sorted(EVENTS)
SHAPES: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "event_shapes.json").read_text())
"""The shape of every version that was ever stored, by `topic version`: never changed, only added to."""


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


def shape(annotation: Any) -> Any:
    """An annotation spelled out: every field, every value that may stand in it, through all contracts it uses."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: limited(field.annotation, field.metadata) for name, field in annotation.model_fields.items()}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"one of {' '.join(member.value for member in annotation)}"
    if get_origin(annotation) is Annotated:
        return limited(annotation.__origin__, annotation.__metadata__)
    if get_origin(annotation) is Literal:
        return f"one of {' '.join(map(str, get_args(annotation)))}"
    if parts := [part for part in get_args(annotation) if part is not Ellipsis]:
        kind = "either" if get_origin(annotation) in (Union, types.UnionType) else get_origin(annotation).__name__
        return {kind: [shape(part) for part in parts]}
    return getattr(annotation, "__name__", str(annotation))


def limited(annotation: Any, metadata: Iterable[Any]) -> Any:
    """With its limits, where it has any; functions among the metadata have no stable spelling."""
    limits = [repr(one) for one in metadata if not hasattr(one, "func")]
    return [shape(annotation), *limits] if limits else shape(annotation)


def facts_of(topic: str) -> list[tuple[str, Any]]:
    return list(leaves(EVENTS[topic].model_fields["facts"].annotation, topic))


@pytest.mark.parametrize("topic", TOPICS)
def test_facts_hold_no_floats(topic: str) -> None:
    """R35, R50: figures are integers or decimal strings."""
    assert [path for path, leaf in facts_of(topic) if leaf is float] == []


@pytest.mark.parametrize("topic", TOPICS)
def test_facts_hold_nothing_but_scalars_of_known_kinds(topic: str) -> None:
    """R50: no `Any`, no open object, in which text could hide."""
    known = {int, bool, str, datetime, UUID, type(None), Literal}
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
        "StepRepeated",
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


@pytest.mark.parametrize("topic", TOPICS)
def test_a_changed_shape_is_a_new_version(topic: str) -> None:
    """R50: whoever changes what is stored, be it in a contract three levels down, raises `VERSION`, writes the upcast,
    and adds the new shape here and to the golden events. Run as a program, this file prints the shapes."""
    assert SHAPES[f"{topic} {EVENTS[topic].VERSION}"] == shape(EVENTS[topic])


def test_the_shape_of_every_version_is_kept() -> None:
    """R50."""
    assert sorted(SHAPES) == sorted(f"{topic} {n}" for topic in TOPICS for n in range(1, EVENTS[topic].VERSION + 1))


class Inner(BaseModel):
    kind: Literal["a", "b"]
    count: Annotated[int, Field(ge=0)] = 0


class Outer(BaseModel):
    inner: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": (Literal["a", "b", "c"], ...), "count": (Annotated[int, Field(ge=0)], 0)},
        {"kind": (Literal["a", "b"], ...), "count": (Annotated[int, Field(ge=1)], 0)},
        {"kind": (Literal["a", "b"], ...), "count": (float, 0)},
        {"kind": (Literal["a", "b"], ...), "count": (int | None, 0)},
        {"kind": (Literal["a", "b"], ...), "total": (Annotated[int, Field(ge=0)], 0)},
        {"kind": (Literal["a", "b"], ...), "count": (Annotated[int, Field(ge=0)], 0), "note": (str, "")},
        {"kind": (Literal["a", "b"], ...)},
    ],
    ids=["value added", "limit moved", "other type", "now optional", "renamed", "added", "removed"],
)
def test_no_change_of_a_nested_contract_goes_unnoticed(changed: dict[str, Any]) -> None:
    """R50: guards the guard."""
    other = create_model("Outer", inner=(tuple[create_model("Inner", **changed), ...], ()))
    assert shape(other) != shape(Outer)


if __name__ == "__main__":
    print(json.dumps({f"{topic} {EVENTS[topic].VERSION}": shape(EVENTS[topic]) for topic in TOPICS}, indent=1))
