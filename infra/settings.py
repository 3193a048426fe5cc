"""Settings of this process, parsed once from the environment. Importing this module costs little."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from domain.contracts import Agent
from domain.settings import Budgets, Share
from infra.access import ACTOR_PATTERN, Credentials, Role

Resolved = Annotated[Path, AfterValidator(Path.resolve)]
"""One place has one name, however it is reached: the servers that run in a folder are known by that."""

_NATS = r"(nats|tls|ws|wss)://[^\s,]+"


class SettingsError(ValueError):
    """A variable of the environment has a value that cannot be used; the message names the variable."""


def _data_dir() -> Path:
    return platformdirs.user_data_path("assay")


def _key_dir() -> Path:
    return platformdirs.user_config_path("assay") / "keys"


def _user() -> str:
    """The same for one account of one machine, and no name."""
    return "user-" + hashlib.sha256(f"{os.uname().nodename} {os.getuid()}".encode()).hexdigest()[:16]


def _heads_file(known: Mapping[str, Any]) -> Path:
    """One for each log that this account works on: heads of two logs contradict each other."""
    log = known["nats_url"] or str(known["data_dir"])
    folder: Path = known["key_dir"]
    return folder / f"heads-{hashlib.sha256(log.encode()).hexdigest()[:12]}.jsonl"


class Settings(BaseModel):
    """How this process runs. `nats_url` or `postgres_dsn` None: that server is started from its wheel."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_dir: Resolved = Field(default_factory=_data_dir, validate_default=True)
    key_dir: Resolved = Field(default_factory=_key_dir, validate_default=True)  # apart: a copy of the data has no key
    actor: str = Field(default_factory=_user, pattern=rf"^{ACTOR_PATTERN}$")  # who gives the commands (R64)
    signing_key: Resolved = Field(default_factory=lambda known: known["key_dir"] / "signing.pem")  # of heads, bundles
    seal: Literal["aes-256-gcm", "none"] = "aes-256-gcm"
    nats_url: str | None = Field(None, pattern=rf"^{_NATS}(\s*,\s*{_NATS})*$")  # several: servers of one cluster
    heads_file: Resolved = Field(default_factory=lambda known: _heads_file(known))  # every signed head, to be shipped
    nats_credentials: dict[Role, Credentials] = Field(default_factory=dict)  # of an external server
    postgres_dsn: str | None = Field(None, repr=False)
    openai_base_url: str | None = Field(None, pattern=r"^https?://")
    openai_api_key: SecretStr | None = None
    model: str | None = None
    models: dict[Agent, str] = Field(default_factory=dict)  # where an agent has a model of its own
    budgets: Budgets = Budgets()
    threshold: Share = "0.5"
    window_minutes: int = Field(60, ge=1, le=527_040)
    mask_patterns: dict[str, str] = Field(default_factory=dict)  # kind of secret -> RE2, besides the built-in (R22)
    tools: str | None = Field(None, pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")  # module:factory of injected tools
    ack_wait: float = Field(30.0, gt=0)  # seconds until an unacknowledged message is given to another worker

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Empty variables count as absent. Raises SettingsError."""
        values: dict[str, Any] = {}
        for variable, path in _VARIABLES.items():
            if environ.get(variable, "").strip():
                _put(values, path, environ[variable].strip())
        _add_credentials_file(values, environ)
        if name := environ.get(_MASK_FILE, "").strip():
            values["mask_patterns"] = _mask_patterns(name)
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SettingsError(_explain(error)) from None


_VARIABLES: dict[str, tuple[str, ...]] = {
    "ASSAY_DATA_DIR": ("data_dir",),
    "ASSAY_KEY_DIR": ("key_dir",),
    "ASSAY_ACTOR": ("actor",),
    "ASSAY_SIGNING_KEY": ("signing_key",),
    "ASSAY_HEADS_FILE": ("heads_file",),
    "ASSAY_SEAL": ("seal",),
    "ASSAY_NATS_URL": ("nats_url",),
    "ASSAY_POSTGRES_DSN": ("postgres_dsn",),
    "OPENAI_BASE_URL": ("openai_base_url",),
    "OPENAI_API_KEY": ("openai_api_key",),
    "ASSAY_MODEL": ("model",),
    **{f"ASSAY_MODEL_{agent.name}": ("models", agent.value) for agent in Agent},
    **{f"ASSAY_BUDGET_{name.upper()}": ("budgets", name) for name in Budgets.model_fields},
    "ASSAY_THRESHOLD": ("threshold",),
    "ASSAY_WINDOW_MINUTES": ("window_minutes",),
    "ASSAY_TOOLS": ("tools",),
    "ASSAY_ACK_WAIT": ("ack_wait",),
    **{f"ASSAY_NATS_{role.name}_USER": ("nats_credentials", role.value, "user") for role in Role},
    **{f"ASSAY_NATS_{role.name}_PASSWORD": ("nats_credentials", role.value, "password") for role in Role},
}
"""Every variable and the field it sets."""

_CREDENTIALS_FILE = "ASSAY_NATS_CREDENTIALS_FILE"
_MASK_FILE = "ASSAY_MASK_FILE"


def _put(values: dict[str, Any], path: tuple[str, ...], value: str) -> None:
    *parents, name = path
    for parent in parents:
        values = values.setdefault(parent, {})
    values[name] = value


def _add_credentials_file(values: dict[str, Any], environ: Mapping[str, str]) -> None:
    """`{role: {user, password}}` from a file; a role's own variables win. A user is named like its role unless told."""
    credentials: dict[str, Any] = values.setdefault("nats_credentials", {})
    if name := environ.get(_CREDENTIALS_FILE, "").strip():
        for role, given in _read_json(_CREDENTIALS_FILE, name).items():
            credentials[role] = {**given, **credentials.get(role, {})} if isinstance(given, dict) else given
    for role, given in credentials.items():
        if isinstance(given, dict):
            given.setdefault("user", role)


def _mask_patterns(name: str) -> dict[str, Any]:
    """`{kind: expression}` from a file, each checked now and not when the first secret passes by."""
    from domain.evidence.masking import patterns_with  # loads RE2, which few processes need

    patterns = _read_json(_MASK_FILE, name)
    try:
        patterns_with(patterns)
    except (ValueError, TypeError) as error:
        raise SettingsError(f"{_MASK_FILE}: {name}: {error}") from None
    return patterns


def _read_json(variable: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(Path(name).read_bytes())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{variable}: {name} cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{variable}: {name} must hold one JSON object")
    return document


def _explain(error: ValidationError) -> str:
    problems = [one for one in error.errors(include_input=False) if one["type"] != "default_factory_not_called"]
    return "; ".join(f"{_variable(problem['loc'])}: {problem['msg']}" for problem in problems)


def _variable(location: tuple[int | str, ...]) -> str:
    path = tuple(str(step) for step in location if step != "[key]")
    named = (variable for variable, target in _VARIABLES.items() if target == path)
    return next(named, f"{_CREDENTIALS_FILE} ({'.'.join(path[1:])})" if path[0] == "nats_credentials" else path[0])
