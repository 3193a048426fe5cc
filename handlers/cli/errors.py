"""Errors a user can do something about, as one line and an exit status instead of a stack trace."""

from __future__ import annotations

import sys
from typing import NamedTuple


class UsageError(Exception):
    """The input cannot be used; the message says what is wrong and where. Exit status 2."""


class Explained(NamedTuple):
    message: str
    status: int


_UNUSABLE = (
    ("domain.session.decide", "InvalidCommand"),
    ("infra.settings", "SettingsError"),
    ("handlers.audit.readjudication", "UnknownSession"),
    ("infra.backup.manifest", "UnusableBackup"),
    ("infra.backup.restore", "NotEmpty"),
    ("infra.backup.restore", "ErasuresUnknown"),
    ("infra.tools.registry", "ToolLoadError"),
    ("infra.audit.signing_key", "KeyFileError"),
    ("infra.audit.erasure_ledger", "UnusableLedger"),
    ("infra.read_models.builds", "BuildRefused"),
)
_REFUSED = (("handlers.audit.two_persons", "SecondActorNeeded"),)
_FAILED = {
    ("infra.embedded.process", "ServerError"): "{}",
    (
        "infra.event_log.errors",
        "HeadContradicted",
    ): "{}; to begin the log anew on purpose, move its heads file away (`assay doctor` names it) and drop the schema "
    "assay_audit",
    ("infra.event_log.errors", "LogError"): "{}",
    ("infra.streams", "StreamsError"): "{}",
    ("handlers.audit.export", "NotExported"): "{}",
    ("infra.audit.dsse", "BadEnvelope"): "{}",
    ("infra.audit.strict_json", "Refused"): "the log does not verify: {}",
    ("infra.read_models.projector", "ProjectorHalted"): "{}",
    ("infra.read_models.rebuild", "RebuildFailed"): "{}",
    ("handlers.application", "Drifted"): "the streams are not as defined (`assay init` creates what is missing): {}",
    ("infra.postgres", "NotPrepared"): "{}",
    ("psycopg.errors", "DiskFull"): "PostgreSQL has no room left: {}",
    ("psycopg.errors", "TooManyConnections"): "PostgreSQL takes no more connections: {}",
    ("psycopg.errors", "InsufficientPrivilege"): "PostgreSQL refuses this user: {}",
    ("psycopg", "OperationalError"): "PostgreSQL cannot be reached: {}",
    ("nats.errors", "Error"): "NATS: {}",
    ("builtins", "TimeoutError"): "no answer in time: {}",
    ("builtins", "OSError"): "{}",
}


def explain(error: Exception) -> Explained:
    """What to tell the user. Imports nothing by itself."""
    if isinstance(error, UsageError):
        return Explained(str(error), 2)
    for classes, status in ((_UNUSABLE, 2), (_REFUSED, 3)):
        for module, name in classes:
            known = _class(module, name)
            if known and isinstance(error, known):
                return Explained(str(error), status)
    for (module, name), text in _FAILED.items():
        known = _class(module, name)
        if known and isinstance(error, known):
            return Explained(text.format(_one_line(error)), 1)
    fault = f"{type(error).__name__}: {error}"
    return Explained(f"this is a fault of the program: {fault} (ASSAY_LOG=DEBUG shows where)", 1)


def _one_line(error: Exception) -> str:
    """libpq explains itself in several lines, indented; of several servers it says something each."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines) or type(error).__name__


def _class(module: str, name: str) -> type[BaseException] | None:
    return getattr(sys.modules.get(module), name, None)
