"""The published contract of the verdict stream: an AsyncAPI 3 document that describes what is really sent (R52)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest
from asyncapi3.models.asyncapi import AsyncAPI3

from domain.contracts import Verdict
from domain.events import (
    ERASED,
    Event,
    Recorded,
    SessionCancelled,
    SessionFailed,
    SessionFailedFacts,
    VerdictOverridden,
    VerdictOverriddenFacts,
)
from domain.public_contract import PUBLIC_EVENTS
from domain.public_events import public_event
from handlers.cli.asyncapi import document

OTHER_ENDS: list[Event] = [
    SessionFailed(facts=SessionFailedFacts(stage="planner", reason_code="model_auth"), content=ERASED),
    SessionCancelled(content=ERASED),
    VerdictOverridden(facts=VerdictOverriddenFacts(verdict=Verdict.REJECT, superseded_version=14), content=ERASED),
]


@pytest.fixture
def sent(diagnosis: Callable[..., list[Recorded]], recorded: Callable[..., Recorded]) -> list[dict[str, Any]]:
    """One public event of every kind, as its message's body."""
    entries = [*diagnosis(), *map(recorded, OTHER_ENDS)]
    bodies = [json.loads(json.dumps(event.attributes)) for entry in entries if (event := public_event(entry))]
    assert len(bodies) == 5
    return bodies


def test_the_document_is_asyncapi_3() -> None:
    """Read by the object model of AsyncAPI 3.0, which refuses unknown and missing fields."""
    AsyncAPI3.model_validate(document())


def test_every_reference_leads_somewhere() -> None:
    whole = document()
    for reference in references(whole):
        target = whole
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from (value for key, value in node.items() if key == "$ref")
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from references(part)


def test_the_address_and_its_parameters_are_those_of_the_subjects() -> None:
    (channel,) = document()["channels"].values()
    assert channel["address"] == "assay.verdict.{verdict}.{session_id}.{version}"
    assert channel["parameters"].keys() == {"verdict", "session_id", "version"}
    assert channel["parameters"]["verdict"]["enum"] == ["PASS", "LOW_CONFID", "REJECT", "NONE"]


def test_what_is_sent_is_what_the_document_says(sent: list[dict[str, Any]]) -> None:
    """Each body is valid against its own message's schema and no other's, and the schema names all its fields."""
    whole = document()
    for body in sent:
        valid = [
            message["name"]
            for message in whole["components"]["messages"].values()
            if jsonschema.Draft202012Validator({**whole, **message["payload"]}).is_valid(body)
        ]
        assert valid == [body["type"]]
        model = PUBLIC_EVENTS[body["type"]]
        assert body.keys() == model.model_fields.keys()
        assert body["data"].keys() == model.model_validate(body).model_dump()["data"].keys()


@pytest.mark.parametrize("missing", ["id", "data", "specversion"])
def test_an_event_without_one_of_its_parts_is_not_valid(missing: str, sent: list[dict[str, Any]]) -> None:
    schema = {**document(), "$ref": "#/components/schemas/VerdictIssuedEvent"}
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(sent[0])
    assert not validator.is_valid({key: value for key, value in sent[0].items() if key != missing})
