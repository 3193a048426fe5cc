"""The public stream `ASSAY_VERDICTS` (R52): one CloudEvent a subject, each subject written at most once, ever."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from nats.js import JetStreamContext
from nats.js.errors import APIError

from domain.public_events import PublicEvent

CONTENT_TYPE = "application/cloudevents+json"
WRONG_LAST_SEQUENCE = 10071
PUBLISH_TIMEOUT_S = 5.0


def subject_of(event: PublicEvent, session_id: UUID, version: int) -> str:
    """`assay.verdict.<VERDICT|NONE>.<session_id>.<version>`."""
    return f"assay.verdict.{event.verdict_token}.{session_id}.{version}"


async def publish(js: JetStreamContext, event: PublicEvent, session_id: UUID, version: int) -> bool:
    """Publish unless the subject has its event already; True if this call did it.

    A rebuild, a replay or a publisher restored from a backup therefore publishes nothing twice. Raises nats errors
    when the server cannot be reached: the caller's message is then delivered again.
    """
    headers = {
        "Content-Type": CONTENT_TYPE,
        "Nats-Msg-Id": event.attributes["id"],
        "Nats-Expected-Last-Subject-Sequence": "0",
    }
    payload = json.dumps(event.attributes, ensure_ascii=False).encode()
    subject = subject_of(event, session_id, version)
    try:
        acknowledged = await js.publish(subject, payload, timeout=PUBLISH_TIMEOUT_S, headers=headers)
    except APIError as error:
        if error.err_code == WRONG_LAST_SEQUENCE:
            return False
        raise
    return not acknowledged.duplicate


def read(data: bytes) -> dict[str, Any]:
    """The CloudEvent of a message on the stream. Raises ValueError."""
    event = json.loads(data)
    if not isinstance(event, dict) or event.get("specversion") != "1.0":
        raise ValueError("not a CloudEvent 1.0")
    return event
