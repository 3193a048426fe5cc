"""NATS users and what each may do (R65). The rules hold for the embedded server and are the model for any other.

A stream is not immutable by its own flags: whoever may update it can empty it. So only `admin` may create or change
streams and consumers; everybody else is granted the few subjects listed here and an inbox prefix of its own.

Permissions alone do not keep that promise: a request names the subject of its reply, which the server publishes to
without asking whether the requester might. By a reply to `$JS.API.STREAM.DELETE.…` or to `assay.event.…` any user could
delete a stream or forge an event. So the streams live in an account of their own and each other user has one too,
which imports just the subjects granted: a reply never leaves the account of who asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, SecretStr

ACTOR_PATTERN = r"[!-~]{1,128}"
"""An actor is an opaque id of printable ASCII without spaces: it stays when a session's content is erased (R62)."""


class Role(StrEnum):
    ADMIN = "admin"  # creates streams and consumers
    SERVICE = "service"  # runs sessions: writes events, uses the durable consumers
    PROJECTOR = "projector"  # reads events
    SUBSCRIBER = "subscriber"  # another system that reads verdicts, or keeps signed heads

    @property
    def inbox_prefix(self) -> str:
        return f"_INBOX_{self.value}"


class Credentials(BaseModel):
    """Name and password of one NATS user."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user: str
    password: SecretStr


@dataclass(frozen=True, slots=True)
class Permissions:
    """Subjects a user may publish and subscribe to, besides its own inboxes."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...] = ()


PERMISSIONS: Mapping[Role, Permissions] = {
    Role.ADMIN: Permissions(publish=(">",), subscribe=(">",)),
    Role.SERVICE: Permissions(
        publish=(
            "assay.event.>",
            "assay.blob.>",
            "assay.verdict.>",
            "assay.access.>",
            "assay.parked.>",
            "assay.head.>",
            "$JS.API.INFO",
            "$JS.API.STREAM.INFO.*",
            "$JS.API.STREAM.MSG.GET.*",
            "$JS.API.DIRECT.GET.>",
            "$JS.API.CONSUMER.INFO.*.*",
            "$JS.API.CONSUMER.MSG.NEXT.*.*",
            "$JS.ACK.>",
        ),
    ),
    Role.PROJECTOR: Permissions(
        publish=(
            "$JS.API.INFO",
            "$JS.API.STREAM.INFO.ASSAY_EVENTS",
            "$JS.API.STREAM.INFO.ASSAY_BLOBS",
            "$JS.API.STREAM.MSG.GET.ASSAY_EVENTS",
            "$JS.API.STREAM.MSG.GET.ASSAY_BLOBS",
            "$JS.API.DIRECT.GET.ASSAY_EVENTS",
            "$JS.API.DIRECT.GET.ASSAY_BLOBS",
        ),
        subscribe=("assay.event.>",),
    ),
    Role.SUBSCRIBER: Permissions(
        publish=(
            "$JS.API.INFO",
            "$JS.API.STREAM.INFO.ASSAY_VERDICTS",
            "$JS.API.CONSUMER.CREATE.ASSAY_VERDICTS.>",
            "$JS.API.CONSUMER.INFO.ASSAY_VERDICTS.*",
            "$JS.API.CONSUMER.MSG.NEXT.ASSAY_VERDICTS.*",
            "$JS.ACK.ASSAY_VERDICTS.>",
            "$JS.API.STREAM.INFO.ASSAY_HEADS",
            "$JS.API.CONSUMER.CREATE.ASSAY_HEADS.>",
            "$JS.API.CONSUMER.INFO.ASSAY_HEADS.*",
            "$JS.API.CONSUMER.MSG.NEXT.ASSAY_HEADS.*",
            "$JS.ACK.ASSAY_HEADS.>",
        ),
    ),
}


_HOME = "ASSAY"
"""The account of the streams and of the admin."""

_GUESTS = tuple(role for role in Role if role is not Role.ADMIN)


def accounts(credentials: Mapping[Role, Credentials]) -> dict[str, Any]:
    """The `accounts` block of a nats-server configuration, with the passwords in clear: keep the file private.

    Raises ValueError if a role has no credentials.
    """
    if missing := [role.value for role in Role if role not in credentials]:
        raise ValueError(f"no credentials for {', '.join(missing)}")
    return {
        _HOME: {"jetstream": "enabled", "users": [_user(Role.ADMIN, credentials)], "exports": _exports()},
        **{_account(role): {"users": [_user(role, credentials)], "imports": _imports(role)} for role in _GUESTS},
    }


def _account(role: Role) -> str:
    return f"{_HOME}_{role.name}"


def _user(role: Role, credentials: Mapping[Role, Credentials]) -> dict[str, Any]:
    granted, known = PERMISSIONS[role], credentials[role]
    return {
        "user": known.user,
        "password": known.password.get_secret_value(),
        "permissions": {
            "publish": {"allow": list(granted.publish)},
            "subscribe": {"allow": [f"{role.inbox_prefix}.>", *granted.subscribe]},
        },
    }


def _exports() -> list[dict[str, Any]]:
    """What the home account offers, and to whom: requests (with one reply, or several to a read) and messages."""
    requests, messages = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for role in _GUESTS:
        for subject in PERMISSIONS[role].publish:
            requests[subject].append(_account(role))
        for subject in PERMISSIONS[role].subscribe:
            messages[subject].append(_account(role))
    return [
        *({"service": subject, "accounts": to, "response_type": _replies(subject)} for subject, to in requests.items()),
        *({"stream": subject, "accounts": to} for subject, to in messages.items()),
    ]


def _replies(subject: str) -> str:
    return "Stream" if subject.startswith(("$JS.API.DIRECT.GET.", "$JS.API.CONSUMER.MSG.NEXT.")) else "Singleton"


def _imports(role: Role) -> list[dict[str, Any]]:
    return [
        *({"service": {"account": _HOME, "subject": subject}} for subject in PERMISSIONS[role].publish),
        *({"stream": {"account": _HOME, "subject": subject}} for subject in PERMISSIONS[role].subscribe),
    ]
