"""`assay.toml`: the sources that may be asked, by name, and the settings of a process (R68, R78).

The file can name programs and addresses. So it is read only from where its user says, and not where others could have
written it; secrets stand elsewhere. It is read as a whole and strictly: what is not understood is an error.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from domain.events import Source
from infra.settings import FILES, PATHS, VARIABLES, Settings, SettingsError, nested
from infra.source_entries import KINDS, NAME, SourceEntry, absolute

MAX_BYTES = 2**20

_SECTIONS = ("settings", "sources")
_SECRET_KEY = re.compile(
    r"(?:password|passwd|pwd|passphrase|token|secret|bearer|authori[sz]ation|(?:api|access|secret|private)key)$"
)
_CREDENTIALS = re.compile(r"://[^/?#\s]*@|[?&;](?:password|token|access_token|api_?key)=", re.I)
_PASSWORD = re.compile(r"://[^/?#\s@]*:[^/?#\s]*@|\bpassword\s*=", re.I)  # a user alone is none


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """`settings` as Settings takes them; `files`: where the values of some stand, by the name of `FILES`."""

    path: Path
    settings: dict[str, Any]
    files: dict[str, Path]
    sources: tuple[Source, ...]


def read_config(path: Path) -> ConfigFile:
    """Raises SettingsError that names the file and everything that is wrong in it, each by its place."""
    content, mode = _content(path)
    document = _parsed(path, content)
    problems = [_unknown("", name, _SECTIONS) for name in document if name not in _SECTIONS]
    problems += [f"{name}: must be a table" for name, table in document.items() if not isinstance(table, dict)]
    if not problems and (secrets := list(_inline_secrets(document))):
        readable = f"; others can read it: chmod go-r {path}" if mode & (stat.S_IRGRP | stat.S_IROTH) else ""
        raise SettingsError(f"{path}: {'; '.join(secrets)}{readable}")
    known = {} if problems else document
    settings, files = _settings(known.get("settings", {}), path.parent, problems)
    sources = _sources(known.get("sources", {}), path.parent, problems)
    if problems:
        raise SettingsError(f"{path}: {'; '.join(problems)}")
    return ConfigFile(path, settings, files, sources)


# ---------------------------------------------------------------- the file


def _content(path: Path) -> tuple[bytes, int]:
    """What stands in it and its mode. A pipe or device may never end, and others must not have written it."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SettingsError(f"{path}: is no regular file")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise SettingsError(f"{path}: others can write it: chmod go-w {path}")
        if status.st_size > MAX_BYTES:
            raise SettingsError(f"{path}: has more than {MAX_BYTES // 2**10} KiB")
        return path.read_bytes(), status.st_mode
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None


def _parsed(path: Path, content: bytes) -> dict[str, Any]:
    """Numbers with a point keep the decimals they are written with."""
    try:
        return tomllib.loads(content.decode("utf-8-sig"), parse_float=Decimal)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is no UTF-8 text: {error.reason} at byte {error.start}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: is no TOML: {error}") from None
    except RecursionError:
        raise SettingsError(f"{path}: is nested too deeply") from None


def _leaves(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _unknown(place: str, name: str, known: Iterable[str]) -> str:
    return f"{place}{name}: unknown key ({_nearest(name, known)})"


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"nearest: {near[0]}" if near else f"known: {', '.join(names)}"


# ---------------------------------------------------------------- secrets


def _inline_secrets(document: Mapping[str, Any]) -> Iterator[str]:
    """A secret is named, never written down: this file is copied, shown and kept under version control."""
    for path, value in _leaves(document):
        key = "" if "services" in path else re.sub(r"[\W_]", "", path[-1].casefold())
        if _SECRET_KEY.search(key) or _holds_credentials(path, value):
            yield f"{'.'.join(path)}: a secret does not belong in this file; {_instead(path)}"


def _holds_credentials(path: tuple[str, ...], value: Any) -> bool:
    form = _PASSWORD if path[-1].startswith("postgres_") else _CREDENTIALS
    return isinstance(value, str) and bool(form.search(value))


def _instead(path: tuple[str, ...]) -> str:
    section, *rest = path
    variable = next((name for name, its in VARIABLES.items() if its == tuple(rest)), None)
    if section == "settings" and variable:
        file = "nats_credentials" if variable.startswith("ASSAY_NATS_") else rest[0]
        return f"set {variable}, or name a file by {file}_file"
    return "name a variable by token_env, or a file by token_file"


# ---------------------------------------------------------------- settings


def _settings(table: Mapping[str, Any], folder: Path, problems: list[str]) -> tuple[dict[str, Any], dict[str, Path]]:
    """Values, and files that hold one. What is wrong is added to `problems`."""
    known = {".".join(path) for path in VARIABLES.values()} | FILES.keys()
    values: dict[tuple[str, ...], Any] = {}
    files: dict[str, Path] = {}
    for path, value in _leaves(table):
        name = ".".join(path)
        if name not in known:
            problems.append(_unknown("settings.", name, sorted(known)))
        elif not isinstance(value, str | int | Decimal) or not _is_one_line(value):
            problems.append(f"settings.{name}: must be a number or a line of text")
        elif name in FILES and isinstance(value, str):
            files[name] = Path(absolute(value, folder))
        else:
            values[path] = _plain(name, value, folder)
    problems += _ill_typed(values)
    return nested(values), files


def _is_one_line(value: str | int | Decimal) -> bool:
    return not isinstance(value, str) or (bool(value.strip()) and value.isprintable())


def _plain(name: str, value: str | int | Decimal, folder: Path) -> str | int | float:
    """As Settings takes it: a share is a text, since its decimals count, and a path is absolute."""
    if name in PATHS and isinstance(value, str):
        return absolute(value, folder)
    if name == "threshold" and not isinstance(value, bool):
        return str(value)
    return float(value) if isinstance(value, Decimal) else value


def _ill_typed(values: Mapping[tuple[str, ...], Any]) -> Iterator[str]:
    """Unlike variables, which are all texts, a file has types. What it does not give may come from elsewhere."""
    try:
        Settings.model_validate_json(json.dumps(nested(values)), strict=True)
    except ValidationError as error:
        for problem in error.errors(include_input=False):
            place = _place(problem["loc"])
            if any(place == ".".join(path) for path in values):
                yield f"settings.{place}: {_said(problem['msg'])}"


# ---------------------------------------------------------------- sources


def _sources(table: Mapping[str, Any], folder: Path, problems: list[str]) -> tuple[Source, ...]:
    """In the order of the file. What is wrong is added to `problems`."""
    sources: list[Source] = []
    taken: dict[str, str] = {}
    for name, entry in table.items():
        twin = taken.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if not NAME.fullmatch(name):
            problems.append(f"sources.{name!r}: a name has letters, digits, _ - and ., at most 64")
        elif twin != name:
            problems.append(f"sources.{name}: the name is taken by {twin}")
        elif not isinstance(entry, dict):
            problems.append(f"sources.{name}: must be a table")
        elif not isinstance(kind := entry.get("kind"), str) or kind not in KINDS:
            problems.append(f"sources.{name}.kind: must be one of {', '.join(KINDS)}")
        else:
            try:
                sources.append(KINDS[kind].model_validate(entry).source(name, folder))
            except ValidationError as error:
                problems += [_entry_problem(f"sources.{name}", KINDS[kind], one) for one in error.errors()]
    return tuple(sources)


def _entry_problem(place: str, kind: type[SourceEntry], problem: ErrorDetails) -> str:
    where = _place(problem["loc"])
    if problem["type"] == "extra_forbidden":
        return _unknown(f"{place}.", where, kind.model_fields)
    return f"{place}{'.' if where else ''}{where}: {_said(problem['msg'])}"


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(str(step) for step in location if step != "[key]")


def _said(message: str) -> str:
    return message.removeprefix("Value error, ")
