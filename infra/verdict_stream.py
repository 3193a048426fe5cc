"""The public stream `ASSAY_VERDICTS` (R52): one CloudEvent a subject, each subject written at most once, ever."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from domain.public_events import PublicEvent
from infra.event_log.connection import Connection
from infra.event_log.write_once import WriteOnce
from infra.streams import VERDICT_PREFIX, VERDICTS

CONTENT_TYPE = "application/cloudevents+json"


async def publish(connection: Connection, event: PublicEvent, session_id: UUID, version: int) -> bool:
    """Publish as `assay.verdict.<VERDICT|NONE>.<session_id>.<version>`, unless something stands there already.

    True if this call did it: a rebuild, a replay or a publisher restored from a backup publishes nothing twice. Raises
    LogUnavailable or LogFull: the caller's message is then delivered again.
    """
    stream = WriteOnce(connection, stream=VERDICTS, prefix=VERDICT_PREFIX)
    headers = {"Content-Type": CONTENT_TYPE, "Nats-Msg-Id": event.attributes["id"]}
    body = json.dumps(event.attributes, ensure_ascii=False).encode()
    return await stream.put(f"{event.verdict_token}.{session_id}.{version}", body, headers)


def read(data: bytes) -> dict[str, Any]:
    """The CloudEvent of a message on the stream. Raises ValueError."""
    event = json.loads(data)
    if not isinstance(event, dict) or event.get("specversion") != "1.0":
        raise ValueError("not a CloudEvent 1.0")
    return event
