"""What can go wrong with the event log."""

from __future__ import annotations

from uuid import UUID


class LogError(Exception):
    """Any failure of the event log."""


class Conflict(LogError):
    """Another writer has recorded this version first (R51). Nothing of this commit is stored."""

    def __init__(self, originator: str, version: int) -> None:
        super().__init__(f"version {version} of {originator} was recorded by another writer")
        self.originator = originator
        self.version = version


class LogFull(LogError):
    """The log takes no more events (R67). Nothing of this commit is stored."""


class LogUnavailable(LogError):
    """The log did not answer in time (R67). A commit under way may or may not be stored: load before trying again."""


class AccessRefused(LogError):
    """The NATS user may not do this (R65)."""


class ChainBroken(LogError):
    """A session's stored events are not what was recorded (R60)."""

    def __init__(self, session_id: UUID, version: int, reason: str) -> None:
        super().__init__(f"session {session_id}, version {version}: {reason}")
        self.session_id = session_id
        self.version = version


class HeadContradicted(LogError):
    """The log does not hold what a signed head covers (R60): nothing may be appended until a person has looked."""


class Unreadable(LogError):
    """A stored event cannot be decoded by this version of the code; the message says which and why."""


class NewerEvent(Unreadable):
    """A stored event whose topic or version this release does not know: a newer one wrote it (R89).

    It is no fault: whoever meets it leaves it as it is, for a release that reads it. `shape` is `SessionOpened 3`;
    `position` and `hash` are those of the event in the log, 0 and "" where it was not read from there.
    """

    def __init__(self, where: str, shape: str, position: int = 0, hash: str = "") -> None:
        super().__init__(f"{where}: {by_newer_release(shape)}")
        self.shape = shape
        self.position = position
        self.hash = hash


def by_newer_release(shape: str) -> str:
    """How people are told of such an event."""
    return f"written by a newer release ({shape})"


class ContentErased(LogError):
    """The session's key was destroyed, so no new content can be sealed for it (R62)."""
