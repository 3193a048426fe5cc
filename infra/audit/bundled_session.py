"""The lines of a bundle behind its statement, each event held against chain, signed head and key (R61)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from domain.audit.head import Head, leaf_of
from domain.chain import GENESIS, HASH_HEADER, TOPIC_HEADER, Link, verify_chain
from domain.merkle import HASH_SIZE, includes
from domain.subjects import subject_of
from infra.audit.bundle import HEADERS
from infra.audit.strict_json import Refused, array, base64_bytes, object_of, parsed, spelled, typed
from infra.event_log.errors import Unreadable
from infra.event_log.keys import Key
from infra.event_log.sealing import Slot, unseal


@dataclass(frozen=True, slots=True)
class VerifiedBundle:
    """What a good bundle proves: these events of this session stand in the log that the key signs, since `head.time`
    at the latest. `opened`: events whose content is shown as it was sealed; `sealed`: those whose content is not."""

    session_id: str
    events: int
    opened: int
    sealed: int
    erased: bool
    head: Head


class BundledSession:
    """The events of one session, line after line."""

    def __init__(self, statement: dict[str, Any], head: Head) -> None:
        predicate = statement["predicate"]
        self._id: str = typed("the session's id", predicate["session_id"], str)
        self._end: dict[str, Any] = statement["subject"][0]
        self._places: list[dict[str, Any]] = predicate["events"]
        self._head = head
        self._key: Key | None = None
        self._version = 0
        self._position = 0
        self._hash, self._topic = GENESIS, ""
        self._slot: Slot | None = None  # of the last event, as long as its content may follow
        self._blob: str | None = None  # digest of the content kept beside the last event, until it has followed
        self._opened = self._sealed = 0
        self._erased = False

    def read(self, name: str, line: bytes) -> None:
        """The next line, which the statement names. What it is follows from what stands before it."""
        kind, _, number = name.partition("/")
        if kind == "event":
            self._content_is_complete()
            self._version += 1
        if number != (str(self._version) if kind != "key" else ""):
            raise Refused(f"{name} is not what should stand there")
        value = parsed(name, line)
        match kind:
            case "key" if self._version == 0 and self._key is None:
                self._read_key(object_of(name, value, "kind", "kid", "secret"))
            case "event":
                self._read_event(name, object_of(name, value, "kind", "subject", "position", "headers", "body"))
            case "blob" if self._blob is not None:
                self._read_blob(name, object_of(name, value, "kind", "sha256", "data"))
            case "content" if self._slot is not None and self._blob is None:
                self._read_content(name, object_of(name, value, "kind", "content"))
            case _:
                raise Refused(f"{name} is not what should stand there")
        if value["kind"] != kind:
            raise Refused(f"{name} is of the kind {value['kind']!r}")

    def verified(self) -> VerifiedBundle:
        """Once all lines are read."""
        self._content_is_complete()
        if self._version != len(self._places):
            raise Refused(f"{len(self._places)} events are proven to be in the log, and {self._version} are here")
        if self._end != {"name": f"session/{self._id}", "digest": {"sha256": self._hash}}:
            raise Refused("the session's chain does not end in the hash that was signed")
        return VerifiedBundle(self._id, self._version, self._opened, self._sealed, self._erased, self._head)

    def _read_key(self, value: dict[str, Any]) -> None:
        self._key = Key(base64_bytes("the key", value["secret"]))
        if self._key.kid != value["kid"]:
            raise Refused("the key is not the one that its id names")

    def _read_event(self, name: str, value: dict[str, Any]) -> None:
        headers = object_of(f"{name}: its headers", value["headers"], *HEADERS)
        for header in headers.values():
            typed(f"{name}: a header", header, str)
        body = base64_bytes(f"{name}: its body", value["body"])
        link = Link(headers, body)
        if fault := verify_chain(self._id, [link], version=self._version - 1, previous=self._hash):
            raise Refused(f"{name} {fault.reason}")
        self._hash = headers[HASH_HEADER]
        if typed(f"{name}: its subject", value["subject"], str) != subject_of(headers):
            raise Refused(f"{name} stands under a subject that is not its own")
        self._check_place(name, value["position"], headers)
        self._read_body(name, parsed(f"{name}: its body", body))
        self._topic = headers[TOPIC_HEADER]
        self._erased |= self._topic == "SessionErased"

    def _check_place(self, name: str, position: Any, headers: dict[str, str]) -> None:
        """The event stands in the log where it says."""
        if self._version > len(self._places):
            raise Refused(f"{name} is not proven to be in the log")
        place = self._places[self._version - 1]
        for number in (position, place["version"], place["position"]):
            typed(f"{name}: its version or position", number, int)
        if (place["version"], place["position"]) != (self._version, position) or position <= self._position:
            raise Refused(f"{name} does not stand at the position that was signed, behind the event before it")
        proof, root = hashes(f"{name}: its inclusion proof", place["inclusion_proof"]), bytes.fromhex(self._head.root)
        if not includes(root, self._head.size, position - 1, leaf_of(headers), proof):
            raise Refused(f"{name} is not in the log that the head signs")
        self._position = position

    def _read_body(self, name: str, body: Any) -> None:
        slot = object_of(f"{name}: its body", body, "facts", "content")["content"]
        self._slot, self._blob = None, None
        if slot is None:
            return
        if not isinstance(slot, dict):
            raise Refused(f"{name}: its content is no sealed content")
        try:
            self._slot, self._blob = Slot.from_json(slot), slot.get("blob")
        except (KeyError, TypeError, ValueError) as error:
            raise Refused(f"{name}: its content is no sealed content: {type(error).__name__}: {error}") from None

    def _read_blob(self, name: str, value: dict[str, Any]) -> None:
        data = base64_bytes(f"{name}: its data", value["data"])
        if not value["sha256"] == self._blob == hashlib.sha256(data).hexdigest():
            raise Refused(f"{name} is not the content that its event names")
        assert self._slot is not None
        self._slot, self._blob = replace(self._slot, data=data), None

    def _read_content(self, name: str, value: dict[str, Any]) -> None:
        opened = self._unsealed(name)
        if opened is None:
            raise Refused(f"{name} is shown, but there is no key with which it opens")
        if spelled(parsed(name, opened)) != spelled(value["content"]):
            raise Refused(f"{name} is not what was sealed")
        self._slot = None
        self._opened += 1

    def _content_is_complete(self) -> None:
        """What the last event keeps beside it is here; what the key opens is opened."""
        name = f"event/{self._version}"
        if self._blob is not None:
            raise Refused(f"{name}: the content kept beside it is missing")
        if self._slot is not None:
            if self._key and self._unsealed(name) is not None:
                raise Refused(f"{name}: its opened content is missing")
            self._sealed += 1
        self._slot = None

    def _unsealed(self, name: str) -> bytes | None:
        assert self._slot is not None
        try:
            return unseal(self._slot, self._key, f"{self._id}:{self._version}:{self._topic}")
        except Unreadable as error:
            raise Refused(f"{name}: {error}") from None


def hashes(what: str, value: Any) -> list[bytes]:
    found = [base64_bytes(what, one) for one in array(what, value)]
    if any(len(one) != HASH_SIZE for one in found):
        raise Refused(f"{what} is not made of hashes")
    return found
