"""A head: what the log was at one moment, as one signed statement (R60). Needs the standard library alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from domain.chain import HASH_HEADER
from domain.merkle import leaf_hash

PAYLOAD_TYPE = "application/vnd.assay.log-head.v1+json"
STREAM_PAYLOAD_TYPE = "application/vnd.assay.stream-head.v1+json"
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Head:
    """`log_id`: hash of the log's first event. `size`: its events, the last of which has `last_hash`. `root`: of the
    Merkle tree over all of them. Hashes are lower-case hex. `stream`: another one than that of the events, whose
    messages it is about (R75)."""

    log_id: str
    size: int
    root: str
    last_hash: str
    time: datetime
    stream: str = ""

    @property
    def payload_type(self) -> str:
        return STREAM_PAYLOAD_TYPE if self.stream else PAYLOAD_TYPE

    def payload(self) -> bytes:
        """The signed bytes."""
        document = {
            **({"stream": self.stream} if self.stream else {}),
            "log_id": self.log_id,
            "size": self.size,
            "root_hash": self.root,
            "last_event_hash": self.last_hash,
            "time": self.time.isoformat(),
        }
        return json.dumps(document, separators=(",", ":")).encode()

    @classmethod
    def from_payload(cls, payload: bytes) -> Head:
        """Raises ValueError naming what is not as `payload` writes it."""
        document = json.loads(payload)
        if not isinstance(document, dict):
            raise ValueError("a head is a JSON object")
        hashes = [document.get(name) for name in ("log_id", "root_hash", "last_event_hash")]
        if not all(isinstance(one, str) and _HASH.fullmatch(one) for one in hashes):
            raise ValueError("a head's hashes are 64 hexadecimal digits")
        size, time = document.get("size"), datetime.fromisoformat(str(document.get("time")))
        if type(size) is not int or size < 1 or time.tzinfo is None:
            raise ValueError("a head has a size from 1 and a time with its offset")
        log_id, root, last_hash = map(str, hashes)
        return cls(log_id, size, root, last_hash, time, str(document.get("stream", "")))

    def beyond(self, last_position: int) -> str:
        """In words, where the log's last position lies before this head."""
        what, unit = (f"the stream {self.stream}", "messages") if self.stream else ("the log", "events")
        return (
            f"{what} ends at position {last_position}, but a head over {self.size} {unit} was signed at "
            f"{self.time.isoformat()}"
        )


def leaf_of(headers: Mapping[str, str]) -> bytes:
    """The leaf of an event in the tree over the log: RFC 9162's hash of the 32 bytes that `Assay-Hash` spells.

    An event whose header spells none gets a leaf that no recorded event has.
    """
    spelled = headers.get(HASH_HEADER, "")
    return leaf_hash(bytes.fromhex(spelled) if _HASH.fullmatch(spelled) else spelled.encode())
