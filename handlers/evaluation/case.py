"""Cases of the evaluation: what is asked, where the tools look, who answers, and what must come of it (R63).

A YAML file holds one case or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from domain.contracts import Agent
from domain.events import SourceKind
from domain.language.tongues import Language
from domain.settings import Budgets, SessionSettings
from handlers.evaluation.expectations import Expectations
from infra.models.scripted import ScriptedReply
from infra.scenario import scenario

SHIPPED = Path(scenario.__file__).parent / "cases"
"""The evaluation matrix (section 15) and models that misbehave, over the sample scenario."""

SHOWN_PROBLEMS = 5


class CaseError(ValueError):
    """Cases that cannot be used; the message names file, case and field."""


class CaseSettings(BaseModel):
    """What of a session's settings a case sets; the rest is that of the process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: Annotated[Decimal, Field(ge=0, le=1)] | None = None
    budgets: dict[str, int] = {}
    window_minutes: int | None = Field(None, ge=1)
    max_model_attempts: int | None = Field(None, ge=1)

    @field_validator("budgets")
    @classmethod
    def _are_budgets(cls, value: dict[str, int]) -> dict[str, int]:
        if unknown := value.keys() - Budgets.model_fields.keys():
            raise ValueError(
                f"unknown budget {', '.join(sorted(unknown))}; there are {', '.join(Budgets.model_fields)}"
            )
        Budgets.model_validate(value)
        return value

    def applied_to(self, settings: SessionSettings) -> SessionSettings:
        given = self.model_dump(mode="json", exclude_unset=True)
        budgets = settings.budgets.model_dump() | given.pop("budgets", {})
        return SessionSettings.model_validate(settings.model_dump() | given | {"budgets": budgets})


class Case(BaseModel):
    """One case. `sources`, a place by kind; None: the sample scenario. `replies` are the script, for the agents that
    have one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[^\n\r\t]+$")
    question: str
    sources: dict[SourceKind, str] | None = None
    now: AwareDatetime | None = None
    language: Language | None = None  # None: the question's
    model: Literal["extractive", "live", "scripted"] = "extractive"
    replies: dict[Agent, tuple[ScriptedReply, ...]] = {}
    settings: CaseSettings = CaseSettings()
    expect: Expectations

    @field_validator("question")
    @classmethod
    def _asks_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the question is empty")
        return value.strip()

    @model_validator(mode="after")
    def _has_replies_if_scripted(self) -> Self:
        if (self.model == "scripted") != bool(self.replies):
            raise ValueError("a scripted case has replies, and no other has")
        return self


def load_cases(place: Path) -> list[Case]:
    """The cases of a YAML file, or of all such files of a folder. Paths of sources are relative to the file.

    Raises CaseError.
    """
    files = _files(place)
    cases: list[Case] = []
    origins: dict[str, Path] = {}
    for file in files:
        for case in _read(file):
            if case.name in origins:
                raise CaseError(f"{file}: the name {case.name!r} is taken by a case of {origins[case.name]}")
            origins[case.name] = file
            cases.append(case)
    return cases


def _files(place: Path) -> Sequence[Path]:
    if place.is_file():
        return [place]
    files = sorted(file for file in place.glob("*.y*ml") if file.suffix in {".yaml", ".yml"})
    if not files:
        raise CaseError(f"{place}: no file *.yaml or *.yml" if place.is_dir() else f"{place}: no such file or folder")
    return files


def _read(file: Path) -> Iterator[Case]:
    try:
        document = yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise CaseError(f"{file}: {_one_line(error)}") from None
    entries = document if isinstance(document, list) else [document]
    if not entries:
        raise CaseError(f"{file}: no case")
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise CaseError(f"{file}: case {number} is no mapping")
        try:
            yield _located(Case.model_validate(entry), file.parent)
        except ValidationError as error:
            name = _one_line(entry.get("name") or number)
            raise CaseError(f"{file}: case {name}: {_explained(error)}") from None


def _located(case: Case, folder: Path) -> Case:
    if case.sources is None:
        return case
    places = case.sources.items()
    located = {kind: place if "://" in place else str((folder / place).resolve()) for kind, place in places}
    return case.model_copy(update={"sources": located})


def _explained(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    told = [_problem(problem) for problem in problems[:SHOWN_PROBLEMS]]
    more = len(problems) - len(told)
    return "; ".join([*told, *([f"and {more} more"] if more else [])])


def _problem(problem: Any) -> str:
    field = ".".join(str(part) for part in problem["loc"])
    return f"{field}: {problem['msg']}" if field else str(problem["msg"])


def _one_line(told: object) -> str:
    return " ".join(str(told).split()) or type(told).__name__
