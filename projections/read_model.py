"""What a read model is: the shape of one table and a pure fold from events to its rows (R54, R55).

Columns come in the two parts that events have: `facts` stay for good, `content` is emptied on erasure (R62).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from typing import Any

from domain.events import Erased, Recorded, SessionErased

Row = dict[str, Any]
"""One row by column. Values: str, int, bool, Decimal, UUID, datetime, None, and JSON values for `jsonb`."""

Key = tuple[Any, ...]
"""The values of a row's key columns, in the order of `ReadModel.key`."""


class CannotApply(ValueError):
    """An event does not fit the rows before it: the projector must halt, never skip it (R55)."""

    def __init__(self, recorded: Recorded, why: str) -> None:
        super().__init__(f"{recorded.event.TOPIC} of session {recorded.session_id}: {why}")


@dataclass(frozen=True, slots=True)
class ReadModel:
    """One table of its own schema. A changed shape or meaning is a new `version`, never an ALTER.

    `build`: which making of this version's table is meant, from 1; the code knows versions, the database their builds.

    `facts` and `content` give each column's SQL type; `facts` holds the key columns and always `session_id`.
    `key_of` names the row an event concerns, or None. `fold` gives that row after the event, with a value for every
    column it knows; it never sees `SessionErased`, and leaves out content that is gone.
    """

    name: str
    version: int
    key: tuple[str, ...]
    facts: Mapping[str, str]
    content: Mapping[str, str]
    key_of: Callable[[Recorded], Key | None]
    fold: Callable[[Row | None, Recorded], Row]
    indexes: tuple[str, ...] = ()
    build: int = 1

    @property
    def columns(self) -> dict[str, str]:
        """Every column of the table with its SQL type, in the table's order."""
        return {**self.facts, "erased": "boolean", **self.content}

    @property
    def schema(self) -> str:
        """The PostgreSQL schema of this build: `rm_<name>_v<version>`, and `_<build>` behind it from the second on."""
        return f"rm_{self.name}_v{self.version}" + (f"_{self.build}" if self.build > 1 else "")

    @property
    def label(self) -> str:
        """How people name the build: `v1`, or `v1.2` for its second making."""
        return build_label(self.version, self.build)

    @property
    def fingerprint(self) -> str:
        """Hex digest of the shape, so that a change without a new version is found (R56)."""
        shape = [f"{self.name} v{self.version}", f"key {self.key}", f"indexes {self.indexes}", *self.columns.items()]
        return sha256("\n".join(map(str, shape)).encode()).hexdigest()


def build_label(version: int, build: int) -> str:
    """`v1` for the first build of a version, `v1.2` for the second."""
    return f"v{version}" + (f".{build}" if build > 1 else "")


def by_name(models: Iterable[ReadModel]) -> dict[str, tuple[ReadModel, ...]]:
    """The versions of each read model, the newest first; the names in the order given."""
    versions: dict[str, tuple[ReadModel, ...]] = {}
    for model in models:
        both = (*versions.get(model.name, ()), model)
        versions[model.name] = tuple(sorted(both, key=attrgetter("version"), reverse=True))
    return versions


def fold_page(model: ReadModel, rows: Mapping[Key, Row], page: Iterable[Recorded]) -> dict[Key, Row]:
    """The rows that `page` changes, by key, as they stand after it.

    `rows` must hold the existing rows of every key that the page touches, and all rows of each session it erases.
    Raises whatever the fold raises, `CannotApply` or a value no column can hold.
    """
    changed: dict[Key, Row] = {}
    for recorded in page:
        if isinstance(recorded.event, SessionErased):
            of_session = {k: row for k, row in {**rows, **changed}.items() if row["session_id"] == recorded.session_id}
            changed |= {key: _erased(model, row) for key, row in of_session.items()}
        elif (key := model.key_of(recorded)) is not None:
            changed[key] = _applied(model, changed.get(key) or rows.get(key), recorded)
    return changed


def _applied(model: ReadModel, row: Row | None, recorded: Recorded) -> Row:
    """Once anything of a row is erased, all its content is and stays so: a rebuild reads none of it any more."""
    before = row or {**dict.fromkeys(model.columns), "session_id": recorded.session_id, "erased": False}
    after = {**before, **model.fold(row, recorded)}
    gone = after["erased"] or isinstance(recorded.event.content, Erased)
    return _erased(model, after) if gone else after


def _erased(model: ReadModel, row: Row) -> Row:
    return {**row, **dict.fromkeys(model.content), "erased": True}
