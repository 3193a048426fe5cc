"""What a case expects of its session, and where the session differs (R63)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from domain.contracts import CheckState, ClaimType, ComposerStatus, Outcome, ParseState, Severity, Verdict
from handlers.evaluation.observation import Observation

Share = Annotated[Decimal, Field(ge=0, le=1)]
Words = tuple[Annotated[str, Field(min_length=1)], ...]


class Expectations(BaseModel):
    """Only what is given is checked. Facts of a round are those of the last; `lack` words count in any case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: Literal["completed", "failed", "cancelled"] | None = None
    verdict: Verdict | Literal["NONE"] | None = None
    outcome: Outcome | None = None
    reason: str | None = None  # why code decided (verifier_malformed, …), or why the session failed
    rounds: int | None = Field(None, ge=1, le=2)
    score_min: Share | None = None
    score_max: Share | None = None
    parse_status: ParseState | None = None
    gatekeeper_status: CheckState | None = None
    gatekeeper_severity: Severity | None = None
    failed_rules: Words | None = None  # of the gatekeeper: at least these
    adjusted_rules: Words | None = None  # by which the verdict differs from the model's: at least these
    warnings: Words | None = None  # of parsing and gatekeeper: at least these rules
    composer: ComposerStatus | None = None
    claims_min: int | None = Field(None, ge=0)
    claims_max: int | None = Field(None, ge=0)
    claim_types: tuple[ClaimType, ...] | None = None  # no other
    claims_lack: Words | None = None
    binding_paths: Words | None = None  # these and no other
    answer_contains: Words | None = None
    answer_lacks: Words | None = None
    tools_called: Words | None = None  # at least these
    agents_asked: Words | None = None  # these and no other

    @model_validator(mode="after")
    def _expects_something(self) -> Self:
        if not self.given():
            raise ValueError("nothing is expected")
        return self

    def given(self) -> dict[str, Any]:
        return {name: value for name in self.model_fields_set if (value := getattr(self, name)) is not None}


class Miss(NamedTuple):
    """One expectation that was not met."""

    field: str
    expected: str
    got: str


def misses(expected: Expectations, seen: Observation) -> list[Miss]:
    """Every expectation that the session did not meet, in the order of the fields."""
    given = expected.given()
    return list(_misses({name: given[name] for name in Expectations.model_fields if name in given}, seen))


def _misses(given: dict[str, Any], seen: Observation) -> Iterator[Miss]:
    for name, wanted in given.items():
        check = CHECKS.get(name)
        problem = check(wanted, seen) if check else _unequal(wanted, getattr(seen, name))
        if problem is not None:
            yield Miss(name, _told(wanted), problem)


def _unequal(wanted: Any, got: Any) -> str | None:
    return None if wanted == got else _told(got)


def _absent(wanted: Collection[str], got: Collection[str]) -> str | None:
    """At least the wanted ones."""
    return None if set(wanted) <= set(got) else _told(got)


def _others(wanted: Collection[str], got: Collection[str]) -> str | None:
    """The wanted ones and no other."""
    return None if set(wanted) == set(got) else _told(got)


def _missing_words(wanted: Collection[str], text: str) -> str | None:
    missing = [word for word in wanted if word not in text]
    return f"without {_told(missing)}: {text}" if missing else None


def _forbidden_words(words: Collection[str], text: str) -> str | None:
    found = [word for word in words if word.casefold() in text.casefold()]
    return f"{_told(found)} in: {text}" if found else None


def _told(value: Any) -> str:
    if isinstance(value, tuple | list | set | frozenset):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


CHECKS: dict[str, Callable[[Any, Observation], str | None]] = {
    "score_min": lambda least, seen: None if seen.score is not None and seen.score >= least else _told(seen.score),
    "score_max": lambda most, seen: None if seen.score is not None and seen.score <= most else _told(seen.score),
    "failed_rules": lambda rules, seen: _absent(rules, seen.failed_rules),
    "adjusted_rules": lambda rules, seen: _absent(rules, seen.adjusted_rules),
    "warnings": lambda rules, seen: _absent(rules, seen.warnings),
    "claims_min": lambda least, seen: None if len(seen.claims) >= least else _told(len(seen.claims)),
    "claims_max": lambda most, seen: None if len(seen.claims) <= most else _told(len(seen.claims)),
    "claim_types": lambda types, seen: None if set(seen.claim_types) <= set(types) else _told(seen.claim_types),
    "claims_lack": lambda words, seen: _forbidden_words(words, "\n".join(seen.claims)),
    "binding_paths": lambda paths, seen: _others(paths, seen.binding_paths),
    "answer_contains": lambda words, seen: _missing_words(words, seen.answer),
    "answer_lacks": lambda words, seen: _forbidden_words(words, seen.answer),
    "tools_called": lambda tools, seen: _absent(tools, seen.tools_called),
    "agents_asked": lambda agents, seen: _others(agents, seen.agents_asked),
}
"""The checks that are no plain comparison with the observation's field of the same name."""
