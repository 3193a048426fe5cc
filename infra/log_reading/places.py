"""Which service an input is of, by where it stands: told by the operator, its file, its folders (R68)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from domain.evidence.search import Place
from domain.language.plain_words import products
from domain.language.services import (
    Kinship,
    is_generic,
    kinship,
    names_of_file,
    names_of_folder,
    stem_of_file,
    tells_less,
)

_JOINED = re.compile(r"[-_.]|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a folder is laid out. `folder`: its own name; `services`: globs that the operator tells a service for;
    `plain_names`: whether its folders of one plain word are services, since the one asked for stands among them;
    `beside`: the folders, by their paths, in which they are, since that of the one asked for stands there."""

    folder: str
    services: Mapping[str, str]
    plain_names: bool
    beside: frozenset[str] = frozenset()

    def place(self, name: str, folders: Sequence[str], file_name: str, linked_as: Sequence[str] = ()) -> Place:
        if told := [service for glob, service in self.services.items() if matches(name, glob)]:
            return Place(names=tuple(dict.fromkeys(told)))
        named, sure = [], []
        for depth, folder in enumerate(folders):  # an archive is a folder, too
            is_beside = self.plain_names or "/".join(folders[:depth]) in self.beside
            for one in names_of_folder(folder):
                named.append(one)
                if is_beside or _JOINED.search(one) or one.casefold() in products():
                    sure.append(one)
        links = [one for link in linked_as for one in names_of_file(link.rpartition("/")[2])]
        plain = [one for one in named if one not in sure]
        hints = [stem_of_file(file_name), *plain]
        hints += [] if is_generic(self.folder) else [self.folder]
        own = [one for one in names_of_file(file_name) if not any(tells_less(one, folder) for folder in sure)]
        first, then = (sure, own) if _is_of_folder(own, sure) else (own, sure)
        return Place(tuple(dict.fromkeys([*first, *then, *links])), tuple(hints), tuple(plain))


def layout_of(folder: str, services: Mapping[str, str], paths: Iterable[str], asked: str) -> Layout:
    """`paths`: of all files below the folder. A folder of one plain word may be a host or a stage, unless it is a
    product's name or the service that is asked for has a folder beside it."""
    if not asked:
        return Layout(folder, services, plain_names=False)
    every = {tuple(path.split("/")[:-1]) for path in paths}
    own = [(above, one) for path in every for *above, one in _ways(path) if kinship(one, asked) is Kinship.SAME]
    is_plain = any(not _JOINED.search(one) for _, one in own)
    return Layout(folder, services, is_plain, frozenset("/".join(above) for above, _ in own))


def _ways(path: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    """The path of a folder and of each one above it."""
    return (path[:depth] for depth in range(1, len(path) + 1))


def _is_of_folder(own: Sequence[str], folders: Sequence[str]) -> bool:
    """Whether a file called after a program, as postgresql, is first of all its folder's, which is no numbered host."""
    is_program = bool(own) and all(one.casefold() in products() for one in own)
    return is_program and any(_JOINED.search(one) and not one[-1].isdigit() for one in folders)


def matches(name: str, glob: str) -> bool:
    """Whether a path below the folder, or the file's name alone, fits a glob; `**` stands for any folders, or none."""
    return fnmatchcase(name, glob) or fnmatchcase(name.rpartition("/")[2], glob) or fnmatchcase(f"/{name}", glob)
