"""NATS users and what each may do (R65). The rules hold for the embedded server and are the model for any other.

A stream is not immutable by its own flags: whoever may update it can empty it. So only `admin` may create or change
streams and consumers; everybody else is granted the few subjects listed here and an inbox prefix of its own, because a
shared inbox prefix would let one user listen to the replies of another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, SecretStr


class Role(StrEnum):
    ADMIN = "admin"  # creates streams and consumers
    SERVICE = "service"  # runs sessions: writes events, uses the durable consumers
    PROJECTOR = "projector"  # reads events
    SUBSCRIBER = "subscriber"  # another system that reads verdicts

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
            "$JS.API.CONSUMER.CREATE.ASSAY_VERDICTS",
            "$JS.API.CONSUMER.CREATE.ASSAY_VERDICTS.>",
            "$JS.API.CONSUMER.INFO.ASSAY_VERDICTS.*",
            "$JS.API.CONSUMER.MSG.NEXT.ASSAY_VERDICTS.*",
            "$JS.ACK.ASSAY_VERDICTS.>",
        ),
    ),
}


def authorization(credentials: Mapping[Role, Credentials]) -> dict[str, Any]:
    """The `authorization` block of a nats-server configuration, with the passwords in clear: keep the file private."""
    return {"users": [_user(role, credentials[role]) for role in Role]}


def _user(role: Role, credentials: Credentials) -> dict[str, Any]:
    permissions = PERMISSIONS[role]
    return {
        "user": credentials.user,
        "password": credentials.password.get_secret_value(),
        "permissions": {
            "publish": {"allow": list(permissions.publish)},
            "subscribe": {"allow": [f"{role.inbox_prefix}.>", *permissions.subscribe]},
        },
    }
