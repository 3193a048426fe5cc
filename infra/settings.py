"""Settings of this process, read once from a file and the environment. Importing this module costs little."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from domain.contracts import Agent
from domain.evidence.secret_forms import OPTIONAL
from domain.language.tongues import Language
from domain.settings import Budgets, Share
from infra.access import ACTOR_PATTERN, Credentials, Role

CONFIG = "ASSAY_CONFIG"

Resolved = Annotated[Path, AfterValidator(Path.resolve)]
"""One place has one name, however it is reached: the servers that run in a folder are known by that."""

Zone = Annotated[str, AfterValidator(lambda written: _zone_name(written))]

_SET = rf"(?:{'|'.join(OPTIONAL)})"
_DEED = "(?:erase|override)"
_NATS = r"(nats|tls|ws|wss)://[^\s,]+"


class SettingsError(ValueError):
    """A setting has a value that cannot be used; the message names the variable, or the file and the place in it."""


def config_file(environ: Mapping[str, str], given: str | None = None) -> Path | None:
    """The file to read: the one given by `--config`, by ASSAY_CONFIG, or the user's own if there is one."""
    if named := given or environ.get(CONFIG, "").strip():
        return Path(named).expanduser().absolute()
    own = platformdirs.user_config_path("assay") / "assay.toml"
    return own if own.exists() else None


def _data_dir() -> Path:
    usual = platformdirs.user_data_path("assay")
    home = Path.home()
    if os.geteuid() == 0 and home.exists() and not usual.exists() and not home.stat().st_mode & 0o001:
        return Path("/var/lib/assay")  # root's home is closed to the account that PostgreSQL runs as
    return usual


def _key_dir() -> Path:
    return platformdirs.user_config_path("assay") / "keys"


def _user() -> str:
    """The same for one account of one machine, and no name."""
    return "user-" + hashlib.sha256(f"{os.uname().nodename} {os.getuid()}".encode()).hexdigest()[:16]


def _zone_name(written: str) -> str:
    from infra.zones import zone_name  # loads the names of all zones, which few processes need

    return zone_name(written)


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
    erasures_file: Resolved = Field(
        default_factory=lambda known: known["key_dir"] / "erasures.jsonl"
    )  # the ledger of erasures and holds, to be shipped
    verify_every: float = Field(0.0, ge=0)  # hours between two verifications by workers; 0: none
    second_actor: str = Field("none", pattern=rf"^(?:none|{_DEED}(?:[\s,]+{_DEED})*)$")  # deeds that take two (R76)
    nats_credentials: dict[Role, Credentials] = Field(default_factory=dict)  # of an external server
    postgres_dsn: str | None = Field(None, repr=False)  # of the owner of schemas and tables
    postgres_writer_dsn: str | None = Field(None, repr=False)  # who changes rows; the owner where it is not given
    postgres_reader_dsn: str | None = Field(None, repr=False)
    openai_base_url: str | None = Field(
        None, pattern=r"^https?://[^/?#@]+([/?#].*)?$"
    )  # recorded: no user, no password
    openai_api_key: SecretStr | None = None
    model: str | None = None
    models: dict[Agent, str] = Field(default_factory=dict)  # where an agent has a model of its own
    budgets: Budgets = Budgets()
    threshold: Share = "0.5"
    window_minutes: int = Field(60, ge=1, le=527_040)
    mask_patterns: dict[str, str] = Field(default_factory=dict)  # kind of secret -> RE2, besides the built-in (R22)
    mask_sets: str = Field(",".join(OPTIONAL), pattern=rf"^(?:none|{_SET}(?:[\s,]+{_SET})*)$")  # of the optional kinds
    tools: str | None = Field(None, pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")  # module:factory of injected tools
    tool_seconds: float = Field(120.0, gt=0)  # that one tool call may take
    ack_wait: float = Field(30.0, gt=0)  # seconds until an unacknowledged message is given to another worker
    language: Language = "zh"  # of answers to questions that are in neither language, such as names alone (R83)
    zone: Zone | None = None  # in which questions name times; None: this machine's
    log: str = Field("", pattern=r"^(?i:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)?$")  # level on standard error
    config: Path | None = None  # the file that was read
    sources: tuple[Any, ...] = ()  # of that file: domain.events.Source, which few processes load

    @property
    def has_postgres(self) -> bool:
        """Whether a PostgreSQL is given. A writer alone is enough for workers."""
        return bool(self.postgres_dsn or self.postgres_writer_dsn)

    def takes_two(self, deed: Literal["erase", "override"]) -> bool:
        """Whether one actor alone may not do it."""
        return deed in self.second_actor.replace(",", " ").split()

    @property
    def masking(self) -> dict[str, str]:
        """What a session records of masking: further kinds with their expressions, and "" for a kind left out."""
        kept = self.mask_sets.replace(",", " ").split()
        return {kind: "" for kind in OPTIONAL if kind not in kept} | self.mask_patterns

    @classmethod
    def load(cls, environ: Mapping[str, str], config: Path | None = None) -> Settings:
        """Variables win over the file `config`; empty ones count as absent. Raises SettingsError."""
        values = _merged(_of_file(config) if config else {}, _of_environment(environ))
        for role, given in values.get("nats_credentials", {}).items():
            if isinstance(given, dict):
                given.setdefault("user", role)  # a user is named like its role unless told
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SettingsError(_explain(error)) from None


VARIABLES: dict[str, tuple[str, ...]] = {
    "ASSAY_DATA_DIR": ("data_dir",),
    "ASSAY_KEY_DIR": ("key_dir",),
    "ASSAY_ACTOR": ("actor",),
    "ASSAY_SIGNING_KEY": ("signing_key",),
    "ASSAY_HEADS_FILE": ("heads_file",),
    "ASSAY_ERASURES_FILE": ("erasures_file",),
    "ASSAY_SECOND_ACTOR": ("second_actor",),
    "ASSAY_VERIFY_EVERY": ("verify_every",),
    "ASSAY_SEAL": ("seal",),
    "ASSAY_NATS_URL": ("nats_url",),
    "ASSAY_POSTGRES_DSN": ("postgres_dsn",),
    "ASSAY_POSTGRES_WRITER_DSN": ("postgres_writer_dsn",),
    "ASSAY_POSTGRES_READER_DSN": ("postgres_reader_dsn",),
    "OPENAI_BASE_URL": ("openai_base_url",),
    "OPENAI_API_KEY": ("openai_api_key",),
    "ASSAY_MODEL": ("model",),
    **{f"ASSAY_MODEL_{agent.name}": ("models", agent.value) for agent in Agent},
    **{f"ASSAY_BUDGET_{name.upper()}": ("budgets", name) for name in Budgets.model_fields},
    "ASSAY_THRESHOLD": ("threshold",),
    "ASSAY_WINDOW_MINUTES": ("window_minutes",),
    "ASSAY_TOOLS": ("tools",),
    "ASSAY_TOOL_SECONDS": ("tool_seconds",),
    "ASSAY_ACK_WAIT": ("ack_wait",),
    **{f"ASSAY_NATS_{role.name}_USER": ("nats_credentials", role.value, "user") for role in Role},
    **{f"ASSAY_NATS_{role.name}_PASSWORD": ("nats_credentials", role.value, "password") for role in Role},
    "ASSAY_LANGUAGE": ("language",),
    "ASSAY_ZONE": ("zone",),
    "ASSAY_MASK_SETS": ("mask_sets",),
    "ASSAY_LOG": ("log",),
}
"""Every variable and the field it sets; the file names a field by the path to it, such as `budgets.tokens`."""

PATHS = frozenset({"data_dir", "key_dir", "signing_key", "heads_file", "erasures_file"})
"""Fields that are paths: relative ones of the file are meant from its folder."""


def _of_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    given = {name: text.strip() for name, text in environ.items() if text.strip()}
    values: dict[str, Any] = {}
    for variable, read in FILES.values():
        if variable in given:
            values = _merged(values, read(variable, Path(given[variable])))
    single = {path: given[variable] for variable, path in VARIABLES.items() if variable in given}
    return _merged(values, nested(single))


def _of_file(path: Path) -> dict[str, Any]:
    from infra.config_file import read_config  # brings the classes of events: only for those who have a file

    file = read_config(path)
    values: dict[str, Any] = {"config": file.path, "sources": file.sources}
    for setting, place in file.files.items():
        values = _merged(values, FILES[setting].read(f"{path}: settings.{setting}", place))
    return _merged(values, file.settings)


def nested(values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """`{("budgets", "tokens"): 1}` as `{"budgets": {"tokens": 1}}`."""
    whole: dict[str, Any] = {}
    for (*parents, name), value in values.items():
        table = whole
        for parent in parents:
            table = table.setdefault(parent, {})
        table[name] = value
    return whole


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Both, table by table; the second wins."""
    both = first | second
    for name in first.keys() & second.keys():
        if isinstance(first[name], dict) and isinstance(second[name], dict):
            both[name] = _merged(first[name], second[name])
    return both


# ---------------------------------------------------------------- values that stand in files of their own


def _credentials(told: str, file: Path) -> dict[str, Any]:
    """`{role: {user, password}}`."""
    return {"nats_credentials": _read_json(told, file)}


def _mask_patterns(told: str, file: Path) -> dict[str, Any]:
    """`{kind: expression}`, each checked now and not when the first secret passes by."""
    from domain.evidence.masking import patterns_with  # loads RE2, which few processes need

    patterns = _read_json(told, file)
    try:
        patterns_with(patterns)
    except (ValueError, TypeError) as error:
        raise SettingsError(f"{told}: {file}: {error}") from None
    return {"mask_patterns": patterns}


def _read_json(told: str, file: Path) -> dict[str, Any]:
    try:
        document = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise SettingsError(f"{told}: {file} cannot be read: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{told}: {file} must hold one JSON object")
    return document


def _secret(field: str) -> Callable[[str, Path], dict[str, Any]]:
    def read(told: str, file: Path) -> dict[str, Any]:
        try:
            secret = file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{told}: {file} cannot be read: {error}") from None
        if not secret:
            raise SettingsError(f"{told}: {file} is empty")
        return {field: secret}

    return read


class InFile(NamedTuple):
    """A value in a file of its own: the variable that names the file, and what reads it (given what to blame)."""

    variable: str
    read: Callable[[str, Path], dict[str, Any]]


FILES = {
    "nats_credentials_file": InFile("ASSAY_NATS_CREDENTIALS_FILE", _credentials),
    "mask_file": InFile("ASSAY_MASK_FILE", _mask_patterns),
    "openai_api_key_file": InFile("OPENAI_API_KEY_FILE", _secret("openai_api_key")),
    **{
        f"{field}_file": InFile(f"ASSAY_{field.upper()}_FILE", _secret(field))
        for field in ("postgres_dsn", "postgres_writer_dsn", "postgres_reader_dsn")
    },
}
"""Settings that name a file, by their name in the file of settings; a value given directly wins."""


def _explain(error: ValidationError) -> str:
    problems = [one for one in error.errors(include_input=False) if one["type"] != "default_factory_not_called"]
    return "; ".join(f"{_variable(problem['loc'])}: {problem['msg']}" for problem in problems)


def _variable(location: tuple[int | str, ...]) -> str:
    path = tuple(str(step) for step in location if step != "[key]")
    credentials = FILES["nats_credentials_file"].variable
    named = (variable for variable, target in VARIABLES.items() if target == path)
    return next(named, f"{credentials} ({'.'.join(path[1:])})" if path[0] == "nats_credentials" else path[0])
