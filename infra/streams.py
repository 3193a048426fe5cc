"""The streams and durable consumers Assay needs: created by the admin, compared with their definition by anybody."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import nats.errors
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)
from nats.js.errors import APIError, NotFoundError

from domain.subjects import EVENT_PREFIX, PARTITIONS

EVENTS = "ASSAY_EVENTS"
BLOBS = "ASSAY_BLOBS"
VERDICTS = "ASSAY_VERDICTS"
ACCESS = "ASSAY_ACCESS"
PARKED = "ASSAY_PARKED"
HEADS = "ASSAY_HEADS"
SIGNED = (ACCESS, VERDICTS)
"""Streams under signed heads of their own, beside that of the events (R75)."""

BLOB_PREFIX = "assay.blob"
VERDICT_PREFIX = "assay.verdict"
ACCESS_PREFIX = "assay.access"
PARKED_PREFIX = "assay.parked"
HEAD_PREFIX = "assay.head"

SCHEMA = "1"
"""Layout of subjects, headers and bodies; stands in the streams' metadata."""

RESTORING = "assay.restoring"
"""Metadata of streams that a restore has made, until everything is in place (R67)."""

REACTIONS: Mapping[str, str] = {
    "planner": "RoundStarted",
    "executor": "PlanProduced",
    "gatekeeper": "ExecutorAnswered",
    "verifier": "GatekeeperChecked",
    "composer": "VerdictIssued",
    **{
        f"verdict-publisher-{topic}": topic
        for topic in ("VerdictIssued", "SessionCompleted", "SessionFailed", "SessionCancelled", "VerdictOverridden")
    },
}
"""Durable consumers of the events and the one type each hears of: two filters on one would be ten times slower."""

_MAX_ACK_PENDING = 10_000


class StreamsError(Exception):
    """A stream or consumer could not be created; the message says which and why."""


def stream_configs(replicas: int = 1) -> tuple[StreamConfig, ...]:
    """Streams that only grow: no limits, no expiry, and neither delete nor purge."""
    return (
        append_only(EVENTS, EVENT_PREFIX, replicas, {"partitions": str(PARTITIONS)}),
        append_only(BLOBS, BLOB_PREFIX, replicas),
        append_only(VERDICTS, VERDICT_PREFIX, replicas),
        append_only(ACCESS, ACCESS_PREFIX, replicas),
        append_only(PARKED, PARKED_PREFIX, replicas),
        append_only(HEADS, HEAD_PREFIX, replicas),
    )


def remade_streams(replicas: int = 1) -> tuple[StreamConfig, ...]:
    """Those that hold only what is written anew from elsewhere, and can be made at any time."""
    return tuple(config for config in stream_configs(replicas) if config.name == HEADS)


def append_only(name: str, prefix: str, replicas: int = 1, metadata: Mapping[str, str] | None = None) -> StreamConfig:
    """A stream of this kind for the subjects under a prefix."""
    return StreamConfig(
        name=name,
        subjects=[f"{prefix}.>"],
        storage=StorageType.FILE,
        retention=RetentionPolicy.LIMITS,
        discard=DiscardPolicy.NEW,
        max_msgs=-1,
        max_bytes=-1,
        max_age=0,
        max_msgs_per_subject=-1,
        max_msg_size=-1,
        max_consumers=-1,
        num_replicas=replicas,
        deny_delete=True,
        deny_purge=True,
        allow_direct=True,
        allow_atomic=True,
        metadata={"assay.schema": SCHEMA, **{f"assay.{key}": value for key, value in (metadata or {}).items()}},
    )


def consumer_configs(ack_wait: float) -> tuple[ConsumerConfig, ...]:
    """One durable pull consumer per reaction. `ack_wait`: seconds until a silent worker loses a message."""
    return tuple(
        ConsumerConfig(
            name=name,
            durable_name=name,
            filter_subject=f"{EVENT_PREFIX}.*.*.*.{topic}",
            deliver_policy=DeliverPolicy.ALL,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=ack_wait,
            max_deliver=-1,
            max_ack_pending=_MAX_ACK_PENDING,
        )
        for name, topic in REACTIONS.items()
    )


async def init_streams(js: JetStreamContext, *, ack_wait: float = 30.0, replicas: int = 1) -> None:
    """Create what is missing, with an admin's connection. What exists is left as it is: `drift` names differences."""
    for stream in stream_configs(replicas):
        await ensure_stream(js, stream)
    for consumer in consumer_configs(ack_wait):
        try:
            await js.consumer_info(EVENTS, str(consumer.name))
        except NotFoundError:
            await js.add_consumer(EVENTS, consumer)


async def ack_wait_in_force(js: JetStreamContext) -> float | None:
    """What the consumers were made with: all workers go by it, whatever each one's setting says."""
    for consumer in consumer_configs(0):
        with contextlib.suppress(NotFoundError):
            in_force: float | None = (await js.consumer_info(EVENTS, str(consumer.name))).config.ack_wait
            return in_force
    return None


async def set_ack_wait(js: JetStreamContext, ack_wait: float) -> None:
    """Of consumers that exist, with an admin's connection; nothing else of them changes."""
    for consumer in consumer_configs(ack_wait):
        live = (await js.consumer_info(EVENTS, str(consumer.name))).config
        if live.ack_wait != ack_wait:
            live.ack_wait = ack_wait
            await js.add_consumer(EVENTS, live)


async def is_unused(js: JetStreamContext) -> bool:
    """Nothing was ever recorded: what is missing was not made yet, and is not lost."""
    for stream in stream_configs():
        try:
            if (await js.stream_info(str(stream.name))).state.last_seq:
                return False
        except NotFoundError:
            continue
    return True


async def ensure_stream(js: JetStreamContext, config: StreamConfig) -> None:
    """Create one stream unless it exists. Raises StreamsError."""
    try:
        await js.stream_info(str(config.name))
    except NotFoundError:
        try:
            await js.add_stream(config)
        except (APIError, nats.errors.Error) as error:
            raise StreamsError(f"stream {config.name} cannot be created: {error}") from None


async def drift(js: JetStreamContext, *, ack_wait: float | None = None) -> list[str]:
    """Every difference between the live streams and consumers and their definition, in words; empty if none.

    The number of replicas is a matter of the installation, not of drift. Needs no more than the service's permissions.
    """
    differences: list[str] = []
    if ack_wait is None:  # any will do, as long as it is the same for all
        ack_wait = await ack_wait_in_force(js) or 30.0
    for stream in stream_configs():
        name = str(stream.name)
        try:
            live = (await js.stream_info(name)).config
        except NotFoundError:
            differences.append(f"stream {name} does not exist")
        else:
            differences += _differences(f"stream {name}", stream, live, ignore={"num_replicas", "metadata"})
            differences += _metadata_differences(name, stream, live)
            if name == EVENTS and RESTORING in (live.metadata or {}):
                differences.append(f"stream {name}: a restore was cut short: run `assay restore` again")
    for consumer in consumer_configs(ack_wait):
        name = str(consumer.name)
        try:
            found = (await js.consumer_info(EVENTS, name)).config
        except NotFoundError:
            differences.append(f"consumer {name} does not exist")
        else:
            differences += _differences(f"consumer {name}", consumer, found, ignore={"num_replicas", "metadata"})
    return differences


def _differences(
    subject: str, wanted: StreamConfig | ConsumerConfig, live: StreamConfig | ConsumerConfig, ignore: set[str]
) -> list[str]:
    ours, theirs = _comparable(wanted), _comparable(live)
    return [
        f"{subject}: {field} is {_said(theirs.get(field))}, not {_said(ours.get(field))}"
        for field in sorted(ours.keys() | theirs.keys())
        if field not in ignore and ours.get(field) != theirs.get(field)
    ]


def _said(value: Any) -> str:
    return "unset" if value is None else repr(value)


def _comparable(config: StreamConfig | ConsumerConfig) -> dict[str, Any]:
    """The settings that differ from the server's defaults: it fills in some that we leave out."""
    defaults: dict[str, Any] = _STREAM_DEFAULTS if isinstance(config, StreamConfig) else _CONSUMER_DEFAULTS
    return {
        field: value
        for field, value in config.as_dict().items()
        if value not in (None, False, 0, "", []) and value != defaults.get(field)
    }


_STREAM_DEFAULTS: dict[str, Any] = {
    "duplicate_window": 120 * 10**9,
    "compression": "none",
    "consumer_limits": {},
    "max_msgs": -1,
    "max_bytes": -1,
    "max_msgs_per_subject": -1,
    "max_msg_size": -1,
    "max_consumers": -1,
}
_CONSUMER_DEFAULTS: dict[str, Any] = {"max_waiting": 512, "max_deliver": -1}


def _metadata_differences(name: str, wanted: StreamConfig, live: StreamConfig) -> list[str]:
    """The server adds entries of its own; ours must be there."""
    found = live.metadata or {}
    return [
        f"stream {name}: metadata {key} is {found.get(key)!r}, not {value!r}"
        for key, value in (wanted.metadata or {}).items()
        if found.get(key) != value
    ]
