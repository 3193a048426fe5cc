"""Which service an input is of, by where it stands: told by the operator, its file, its folders (R68)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from domain.evidence.search import Place
from domain.language.plain_words import products
from domain.language.services import Kinship, is_generic, kinship, names_of_file, stem_of_file

_JOINED = re.compile(r"[-_.]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a folder is laid out. `folder`: its own name; `services`: globs that the operator tells a service for;
    `plain_names`: whether its folders of one plain word are services, since the one asked for stands among them."""

    folder: str
    services: Mapping[str, str]
    plain_names: bool

    def place(self, name: str, folders: Sequence[str], file_name: str, linked_as: Sequence[str] = ()) -> Place:
        if told := [service for glob, service in self.services.items() if matches(name, glob)]:
            return Place(names=tuple(dict.fromkeys(told)))
        named = [one for folder in folders for one in names_of_file(folder)]  # an archive is a folder, too
        sure = [one for one in named if self.plain_names or _JOINED.search(one) or one.casefold() in products()]
        links = [one for link in linked_as for one in names_of_file(link.rpartition("/")[2])]
        plain = [one for one in named if one not in sure]
        hints = [stem_of_file(file_name), *plain]
        hints += [] if is_generic(self.folder) else [self.folder]
        return Place(tuple(dict.fromkeys([*names_of_file(file_name), *sure, *links])), tuple(hints), tuple(plain))


def layout_of(folder: str, services: Mapping[str, str], paths: Iterable[str], asked: str) -> Layout:
    """`paths`: of all files below the folder. A folder of one plain word may be a host or a stage, unless it is a
    product's name or the service that is asked for has a folder beside it."""
    plain = {one for path in paths for one in path.split("/")[:-1] if not _JOINED.search(one)} if asked else set()
    return Layout(folder, services, any(kinship(one, asked) is Kinship.SAME for one in plain))


def matches(name: str, glob: str) -> bool:
    """Whether a path below the folder, or the file's name alone, fits a glob; `**` stands for any folders, or none."""
    return fnmatchcase(name, glob) or fnmatchcase(name.rpartition("/")[2], glob) or fnmatchcase(f"/{name}", glob)
