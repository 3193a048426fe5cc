"""`assay asyncapi`: the stream of verdicts as an AsyncAPI 3 document, to write or generate a subscriber from (R52)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from domain.contracts import Verdict
from domain.public_contract import PUBLIC_EVENTS, CloudEvent
from domain.public_events import NO_VERDICT
from infra.settings import Settings
from infra.streams import VERDICT_PREFIX, VERDICTS
from infra.verdict_stream import CONTENT_TYPE

CONTRACT_VERSION = "1.0.0"

_DESCRIPTION = f"""Verdicts on answers of diagnosing agents, and the ends of their sessions.

The channel is the JetStream stream `{VERDICTS}`, where each subject holds one event. Read it with a consumer of your
own; filter by verdict in the subject. An event may be delivered more than once: drop those whose `id` you know, and
ignore fields you do not know."""

_PARAMETERS = {
    "verdict": {"enum": [*Verdict, NO_VERDICT], "description": f"{NO_VERDICT}: the session ended without one."},
    "session_id": {"description": "UUID of the session.", "location": "$message.payload#/subject"},
    "version": {"description": "The event's position in it, from 1.", "location": "$message.payload#/data/version"},
}


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    print(json.dumps(document(), indent=2, ensure_ascii=False))
    return 0


def document() -> dict[str, Any]:
    """An AsyncAPI 3.0 document from Assay's side, which sends; schemas are those of `domain.public_contract`."""
    _, definitions = models_json_schema(
        [(model, "serialization") for model in PUBLIC_EVENTS.values()], ref_template="#/components/schemas/{model}"
    )
    names = {type_: model.__name__.removesuffix("Event") for type_, model in PUBLIC_EVENTS.items()}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Assay verdicts", "version": CONTRACT_VERSION, "description": _DESCRIPTION},
        "defaultContentType": CONTENT_TYPE,
        "channels": {
            "verdicts": {
                "address": f"{VERDICT_PREFIX}.{{verdict}}.{{session_id}}.{{version}}",
                "parameters": _PARAMETERS,
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names.values()},
            }
        },
        "operations": {
            "publishVerdict": {
                "action": "send",
                "channel": {"$ref": "#/channels/verdicts"},
                "messages": [{"$ref": f"#/channels/verdicts/messages/{name}"} for name in names.values()],
            }
        },
        "components": {
            "messages": {names[type_]: _message(type_, model) for type_, model in PUBLIC_EVENTS.items()},
            "schemas": definitions["$defs"],
        },
    }


def _message(type_: str, model: type[CloudEvent]) -> Mapping[str, Any]:
    return {
        "name": type_,
        "title": model.__name__,
        "summary": model.__doc__,
        "contentType": CONTENT_TYPE,
        "payload": {"$ref": f"#/components/schemas/{model.__name__}"},
    }
