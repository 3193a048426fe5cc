"""The public stream `ASSAY_HEADS` (R76): every signed head as a CloudEvent, for others to keep.

Each carries the leaf hashes since the head before it, so that a witness who keeps a tree of his own can see that the
new one continues it, and needs nothing else of Assay.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import time
from collections import defaultdict
from typing import Any

from infra.audit import head_store
from infra.audit.head_store import StoredHead
from infra.audit.key_ring import Exchange
from infra.event_log.connection import Connection
from infra.event_log.errors import LogError
from infra.event_log.write_once import WriteOnce
from infra.postgres import Connection as Database
from infra.streams import EVENTS, HEAD_PREFIX, HEADS

log = logging.getLogger(__name__)

TYPE = "assay.head.signed.v1"
EXCHANGE_TYPE = "assay.key.exchanged.v1"
CONTENT_TYPE = "application/cloudevents+json"
AT_ONCE = 200
"""So many are published between two looks at the log, so that signing goes on meanwhile."""
_PATIENCE_S = 2.0
_RETRY_S = 60.0


def cloud_event(stored: StoredHead, stream: str) -> dict[str, Any]:
    """`stream`: "" of the events."""
    envelope = json.loads(stored.envelope)
    head = json.loads(base64.b64decode(envelope["payload"]))
    return {
        "specversion": "1.0",
        "id": hashlib.sha256(stored.envelope.encode()).hexdigest(),
        "source": f"urn:assay:log:{head['log_id'][:16]}",
        "type": TYPE,
        "time": head["time"],
        "subject": stream or EVENTS,
        "datacontenttype": "application/json",
        "data": {
            "stream": stream or EVENTS,
            "size": stored.size,
            "previous_size": stored.size - len(stored.leaves),
            "leaf_hashes": base64.b64encode(b"".join(stored.leaves)).decode(),
            "envelope": envelope,
        },
    }


class HeadPublisher:
    """Publishes heads in their order, as `assay.head.<stream>.<size>`, each once, ever. What fails is tried again."""

    def __init__(self, connection: Connection) -> None:
        self._heads = WriteOnce(connection, stream=HEADS, prefix=HEAD_PREFIX, patience=_PATIENCE_S)
        self._published: dict[str, int] = {}
        self._not_before: dict[str, float] = defaultdict(float)

    async def publish(self, conn: Database, stream: str, size: int) -> None:
        """What is signed up to this size and not published, `AT_ONCE` at most. Raises psycopg.Error."""
        if self._published.get(stream) == size or time.monotonic() < self._not_before[stream]:
            return
        name = (stream or EVENTS).removeprefix("ASSAY_")
        try:
            if stream not in self._published:
                last = await self._heads.last_name(f"{name}.*")
                self._published[stream] = int(last.rpartition(".")[2]) if last else 0
            left = AT_ONCE
            async for stored in head_store.heads(conn, self._published[stream], stream):
                await self._put(f"{name}.{stored.size}", cloud_event(stored, stream))
                self._published[stream] = stored.size
                left -= 1
                if not left:
                    return
        except (LogError, ValueError) as error:
            log.warning("heads of %s are not published for now: %s", stream or EVENTS, error)
            self._not_before[stream] = time.monotonic() + _RETRY_S

    async def publish_exchange(self, number: int, exchange: Exchange) -> None:
        """Before the new key signs a head. Raises LogError."""
        event = {
            "specversion": "1.0",
            "id": hashlib.sha256(json.dumps(exchange.document).encode()).hexdigest(),
            "source": "urn:assay:keys",
            "type": EXCHANGE_TYPE,
            "subject": f"KEYS.{number}",
            "datacontenttype": "application/json",
            "data": dict(exchange.document),
        }
        await self._put(f"KEYS.{number}", event)

    async def _put(self, name: str, event: dict[str, Any]) -> None:
        body = json.dumps(event, separators=(",", ":")).encode()
        headers = {"Content-Type": CONTENT_TYPE, "Nats-Msg-Id": event["id"]}
        if not await self._heads.put(name, body, headers) and await self._heads.get(name) not in (body, None):
            log.critical("another head than this log's was published as %s.%s: a witness holds it", HEAD_PREFIX, name)
