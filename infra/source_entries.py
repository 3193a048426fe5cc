"""What the file of sources says of one source, a class a kind; unknown keys and other types are refused."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from domain.events import Source, SourceKind
from infra.zones import zone_name

NAME = re.compile(r"\w[\w.-]{0,63}")
"""Names are typed on command lines and stand before paths: no blanks, no slashes."""


def glob_below(pattern: str) -> str:
    """A pattern of paths below a folder. Raises ValueError."""
    if not pattern.strip() or pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
        raise ValueError(f"{pattern!r} must be a path below the folder, such as *.gz or audit/**")
    return pattern


def _label(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if not (name.strip() and equals and value.strip()):
        raise ValueError(f"{pair!r} must be label=value")
    return f"{name.strip()}={value.strip()}"


def _formed(pattern: str, said: str) -> AfterValidator:
    """A value that does not match is never shown: a secret may have been put in its place."""
    form = re.compile(pattern, re.A)

    def check(value: str) -> str:
        if not form.fullmatch(value):
            raise ValueError(f"must be {said}")
        return value

    return AfterValidator(check)


_Text = Annotated[str, _formed(r"[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*", "a line of text")]
_Url = Annotated[str, _formed(r"(?i:https?)://[^\s/]\S*", "a URL that begins with http:// or https://")]
_Variable = Annotated[str, _formed(r"[A-Za-z_]\w*", "the name of a variable")]
_Team = Annotated[str, _formed(r"\w[\w.-]{0,63}", "a team's name: letters, digits, _ - and ., at most 64")]
_Glob = Annotated[_Text, AfterValidator(glob_below)]
_Label = Annotated[_Text, AfterValidator(_label)]


class SourceEntry(BaseModel):
    """What every source may have."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: SourceKind
    teams: list[_Team] = []  # that may use it; empty: every team (R78)

    def source(self, name: str, base: Path) -> Source:
        """As it is recorded; paths are relative to `base`, the folder of the file."""
        its_own = self.model_dump(exclude={"url", "file", "folder", "token_env", "token_file"})
        return Source(name=name, address=self._address(base), credential=self._credential(base), **its_own)

    def _address(self, base: Path) -> str:
        raise NotImplementedError

    def _credential(self, base: Path) -> str | None:  # noqa: ARG002 - most kinds need none
        return None


class MetricsEntry(SourceEntry):
    """A server by `url`, or a file with its answer."""

    kind: Literal["metrics"]
    url: _Url | None = None
    file: _Text | None = None
    token_env: _Variable | None = None  # the variable of each worker that holds the bearer token
    token_file: _Text | None = None
    service_labels: list[_Text] = []
    services: dict[_Label, _Text] = {}

    @model_validator(mode="after")
    def _is_in_one_place(self) -> Self:
        if (self.url is None) == (self.file is None):
            raise ValueError("give either url or file")
        if self.token_env and self.token_file:
            raise ValueError("give either token_env or token_file")
        if self.file and (self.token_env or self.token_file):
            raise ValueError("a file is read without a token")
        return self

    def _address(self, base: Path) -> str:
        return self.url or absolute(self.file or "", base)

    def _credential(self, base: Path) -> str | None:
        if self.token_env:
            return f"env:{self.token_env}"
        return f"file:{absolute(self.token_file, base)}" if self.token_file else None


class FolderEntry(SourceEntry):
    """A source that is a folder; `~` is the home of who reads the file."""

    folder: _Text

    def _address(self, base: Path) -> str:
        return absolute(self.folder, base)


class LogsEntry(FolderEntry):
    kind: Literal["logs"]
    zone: Annotated[str, AfterValidator(zone_name)] | None = None  # of stamps that name none
    exclude: list[_Glob] = []
    services: dict[_Glob, _Text] = {}


class KnowledgeEntry(FolderEntry):
    kind: Literal["knowledge"]


class SkillsEntry(FolderEntry):
    kind: Literal["skills"]


KINDS: dict[str, type[SourceEntry]] = {
    "metrics": MetricsEntry,
    "logs": LogsEntry,
    "knowledge": KnowledgeEntry,
    "skills": SkillsEntry,
}


def absolute(place: str, base: Path) -> str:
    """A path that another worker finds from wherever it runs."""
    return str((base / os.path.expanduser(place)).resolve())
