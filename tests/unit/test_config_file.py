"""The file of sources and settings: what it gives, what wins over it, and how it is refused (R68, R78)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from domain.contracts import Agent
from domain.events import Source
from infra.access import Role
from infra.settings import Settings, SettingsError, config_file

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(text)`: such a file, which only its owner can write."""

    def written(text: str | bytes, mode: int = 0o644) -> Path:
        file = tmp_path / "assay.toml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        file.chmod(mode)
        return file

    return written


def refused(file: Path, environ: dict[str, str] | None = None) -> str:
    """What is said of the file, behind its name."""
    with pytest.raises(SettingsError) as error:
        Settings.load(environ or {}, file)
    message = str(error.value)
    assert message.startswith(f"{file}: ")
    return message.removeprefix(f"{file}: ")


# ---------------------------------------------------------------- what it gives


def test_any_number_of_sources_of_a_kind_have_names(write: Write, tmp_path: Path) -> None:
    """R68, R78: address or folder, zone, exclusions, service names, teams, and where the credential stands."""
    file = write("""
        [sources.prod-metrics]
        kind = "metrics"
        url = "http://127.0.0.1:9090"
        token_env = "PROM_TOKEN"
        service_labels = ["app_kubernetes_io_name"]
        services = { "job = api" = "checkout" }
        teams = ["default"]
        [sources.stage-metrics]
        kind = "metrics"
        file = "alerts.json"
        [sources.prod-logs]
        kind = "logs"
        folder = "shop"
        zone = "asia/shanghai"
        exclude = ["*.gz", "audit/**"]
        services = { "checkout/*.log" = "checkout" }
        [sources.runbooks]
        kind = "knowledge"
        folder = "/srv/runbooks"
        [sources."skills.v2"]
        kind = "skills"
        folder = "../skills"
    """)
    assert Settings.load({}, file).sources == (
        Source(
            kind="metrics",
            name="prod-metrics",
            address="http://127.0.0.1:9090",
            credential="env:PROM_TOKEN",
            service_labels=("app_kubernetes_io_name",),
            services={"job=api": "checkout"},
            teams=("default",),
        ),
        Source(kind="metrics", name="stage-metrics", address=str(tmp_path / "alerts.json")),
        Source(
            kind="logs",
            name="prod-logs",
            address=str(tmp_path / "shop"),
            zone="Asia/Shanghai",
            exclude=("*.gz", "audit/**"),
            services={"checkout/*.log": "checkout"},
        ),
        Source(kind="knowledge", name="runbooks", address="/srv/runbooks"),
        Source(kind="skills", name="skills.v2", address=str(tmp_path.parent / "skills")),
    )


def test_a_folder_is_meant_from_the_file_and_not_from_where_one_works(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a link or from elsewhere, the same file means the same folders; `~` is its reader's home."""
    file = write('[sources.a]\nkind = "logs"\nfolder = "./x/../logs"\n[sources.b]\nkind = "logs"\nfolder = "~/b"')
    monkeypatch.chdir("/")
    monkeypatch.setenv("HOME", "/home/reader")
    assert [source.address for source in Settings.load({}, file).sources] == [f"{tmp_path}/logs", "/home/reader/b"]


def test_settings_are_those_of_the_environment_by_their_names(write: Write, tmp_path: Path) -> None:
    """Each variable without ASSAY_, in lower case; tables hold those that belong together."""
    file = write("""
        [settings]
        data_dir = "data"
        threshold = 0.60
        window_minutes = 30
        zone = "+8"
        ack_wait = 2.5
        log = "info"
        model = "m"
        models.executor = "x"
        budgets = { model_calls = 5, seconds = 90 }
        nats_credentials.service.user = "svc"
    """)
    settings = Settings.load({"ASSAY_NATS_SERVICE_PASSWORD": "p"}, file)
    assert settings.data_dir == tmp_path / "data"
    assert (settings.threshold, settings.window_minutes, settings.zone) == ("0.60", 30, "+08:00")
    assert (settings.ack_wait, settings.log, settings.config) == (2.5, "info", file)
    assert (settings.model, settings.models) == ("m", {Agent.EXECUTOR: "x"})
    assert (settings.budgets.model_calls, settings.budgets.seconds, settings.budgets.tokens) == (5, 90, 60_000)
    assert settings.nats_credentials[Role.SERVICE].user == "svc"


@pytest.mark.parametrize(("written", "kept"), [("0.60", "0.60"), ("1", "1"), ('"0.7"', "0.7")])
def test_a_share_keeps_its_decimals(write: Write, written: str, kept: str) -> None:
    """R35: a boundary does not depend on floating point."""
    assert Settings.load({}, write(f"[settings]\nthreshold = {written}")).threshold == kept


def test_an_empty_file_changes_nothing(write: Write) -> None:
    settings = Settings.load({}, write("# nothing yet\n[settings]\n[sources]\n[settings.models]\n"))
    assert settings.model_copy(update={"config": None}) == Settings.load({})


def test_variables_win_over_the_file(write: Write) -> None:
    """Value by value: what a variable does not say, the file does."""
    file = write("[settings]\nwindow_minutes = 30\nbudgets = { tokens = 1, seconds = 2 }\nmodels.planner = 'p'")
    environ = {"ASSAY_WINDOW_MINUTES": "7", "ASSAY_BUDGET_TOKENS": "9", "ASSAY_MODEL_EXECUTOR": "x"}
    settings = Settings.load(environ, file)
    assert (settings.window_minutes, settings.budgets.tokens, settings.budgets.seconds) == (7, 9, 2)
    assert settings.models == {Agent.PLANNER: "p", Agent.EXECUTOR: "x"}
    assert Settings.load({"ASSAY_WINDOW_MINUTES": " "}, file).window_minutes == 30


def test_secrets_come_from_files_of_their_own(write: Write, tmp_path: Path) -> None:
    """R68: the file of settings names them; a variable still wins."""
    (tmp_path / "key").write_text("sk-from-file\n")
    (tmp_path / "dsn").write_text("postgresql://assay:hush@db/assay\n")
    (tmp_path / "users.json").write_text('{"admin": {"password": "a"}, "service": {"user": "svc", "password": "b"}}')
    (tmp_path / "mask.json").write_text('{"badge": "BDG-[0-9]{6}"}')
    file = write("""
        [settings]
        openai_api_key_file = "key"
        postgres_dsn_file = "dsn"
        nats_credentials_file = "users.json"
        mask_file = "mask.json"
    """)
    settings = Settings.load({"ASSAY_NATS_SERVICE_PASSWORD": "c"}, file)
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "sk-from-file"
    assert settings.postgres_dsn == "postgresql://assay:hush@db/assay"
    admin, service = (settings.nats_credentials[role] for role in (Role.ADMIN, Role.SERVICE))
    assert (admin.user, admin.password.get_secret_value()) == ("admin", "a")
    assert (service.user, service.password.get_secret_value()) == ("svc", "c")
    assert settings.mask_patterns == {"badge": "BDG-[0-9]{6}"}
    other = Settings.load({"OPENAI_API_KEY": "sk-other"}, file).openai_api_key
    assert other is not None
    assert other.get_secret_value() == "sk-other"


def test_a_variable_may_name_the_file_of_a_secret(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-from-file\n")
    key = Settings.load({"OPENAI_API_KEY_FILE": str(tmp_path / "key")}).openai_api_key
    assert key is not None
    assert key.get_secret_value() == "sk-from-file"
    with pytest.raises(SettingsError, match=r"^OPENAI_API_KEY_FILE: /nowhere cannot be read"):
        Settings.load({"OPENAI_API_KEY_FILE": "/nowhere"})


# ---------------------------------------------------------------- where it is


def test_the_flag_wins_over_the_variable_and_that_over_the_users_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file({}) is None
    own = tmp_path / "assay" / "assay.toml"
    own.parent.mkdir()
    own.write_text("")
    assert config_file({}) == own
    assert config_file({"ASSAY_CONFIG": "/etc/a.toml"}) == Path("/etc/a.toml")
    assert config_file({"ASSAY_CONFIG": "/etc/a.toml"}, "/etc/b.toml") == Path("/etc/b.toml")


def test_a_file_in_the_working_folder_is_not_read_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can name programs: who enters a folder of another must not run them."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assay.toml").write_text('[settings]\ntools = "evil:make"')
    assert config_file({}) is None


def test_without_a_file_none_of_its_code_is_loaded() -> None:
    program = "import sys; from infra.settings import Settings; Settings.load({}); print('tomllib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


# ---------------------------------------------------------------- how it is refused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[setings]", "setings: unknown key (nearest: settings)"),
        ("[settings]\ntreshold = 0.5", "settings.treshold: unknown key (nearest: threshold)"),
        (
            "[settings]\nbudget_model_calls = 3",
            "settings.budget_model_calls: unknown key (nearest: budgets.model_calls)",
        ),
        ("[settings.models]\nexekutor = 'x'", "settings.models.exekutor: unknown key (nearest: models.executor)"),
        (
            "[sources.a]\nkind='logs'\nfolder='x'\nexclud=['*']",
            "sources.a.exclud: unknown key (nearest: exclude)",
        ),
        (
            "[sources.a]\nkind='skills'\nfolder='x'\nzone='UTC'",
            "sources.a.zone: unknown key (known: kind, teams, folder)",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(write: Write, text: str, said: str) -> None:
    """Bad input: a misspelt key must not silently leave something out."""
    assert refused(write(text)) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("settings = 3", "settings: must be a table"),
        ("[[sources]]\nkind = 'logs'", "sources: must be a table"),
        ("sources.a = 'x'", "sources.a: must be a table"),
        ("[settings]\nwindow_minutes = '60'", "settings.window_minutes: Input should be a valid integer"),
        ("[settings]\nwindow_minutes = true", "settings.window_minutes: Input should be a valid integer"),
        ("[settings]\nwindow_minutes = 1.5", "settings.window_minutes: Input should be a valid integer"),
        ("[settings]\nwindow_minutes = 0", "settings.window_minutes: Input should be greater than or equal to 1"),
        ("[settings]\nthreshold = 2", "settings.threshold: must be a decimal number between 0 and 1"),
        ("[settings]\nmodel = ''", "settings.model: must be a number or a line of text"),
        ("[settings]\nmodel = ['x']", "settings.model: must be a number or a line of text"),
        ("[settings]\nmodel = 2031-03-04", "settings.model: must be a number or a line of text"),
        ('[settings]\ndata_dir = "a\\u0000b"', "settings.data_dir: must be a number or a line of text"),
        ("[sources.a]\nfolder = 'x'", "sources.a.kind: must be one of metrics, logs, knowledge, skills"),
        ("[sources.a]\nkind = 'traces'", "sources.a.kind: must be one of metrics, logs, knowledge, skills"),
        ("[sources.a]\nkind = ['logs']", "sources.a.kind: must be one of metrics, logs, knowledge, skills"),
        ("[sources.a]\nkind = 'logs'", "sources.a.folder: Field required"),
        ("[sources.a]\nkind = 'logs'\nfolder = 3", "sources.a.folder: Input should be a valid string"),
        ("[sources.a]\nkind = 'logs'\nfolder = ''", "sources.a.folder: must be a line of text"),
        ("[sources.a]\nkind='logs'\nfolder='x'\nexclude='*'", "sources.a.exclude: Input should be a valid list"),
        (
            "[sources.a]\nkind='logs'\nfolder='x'\nexclude=['/var/log/*']",
            "sources.a.exclude.0: '/var/log/*' must be a path below the folder, such as *.gz or audit/**",
        ),
        ("[sources.a]\nkind='metrics'", "sources.a: give either url or file"),
        ("[sources.a]\nkind='metrics'\nurl='http://h'\nfile='f'", "sources.a: give either url or file"),
        (
            "[sources.a]\nkind='metrics'\nurl='localhost:9090'",
            "sources.a.url: must be a URL that begins with http:// or https://",
        ),
        (
            "[sources.a]\nkind='metrics'\nurl='http://h'\nservices={api='checkout'}",
            "sources.a.services.api: 'api' must be label=value",
        ),
        ("[sources.'my logs']\nkind='logs'", "sources.'my logs': a name has letters, digits, _ - and ., at most 64"),
    ],
)
def test_a_value_that_cannot_be_used_is_named_by_its_place(write: Write, text: str, said: str) -> None:
    assert refused(write(text)) == said


@pytest.mark.parametrize("place", ["[settings]\nzone", "[sources.a]\nkind='logs'\nfolder='x'\nzone"])
def test_an_unknown_zone_is_named_with_the_nearest(write: Write, place: str) -> None:
    said = "'Asia/Shangai' is no time zone; write an IANA name (nearest: Asia/Shanghai), ±HH:MM, UTC or local"
    assert refused(write(f"{place} = 'Asia/Shangai'")).endswith(f".zone: {said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[settings]\nopenai_api_key = 'hush'",
            "settings.openai_api_key: a secret does not belong in this file; set OPENAI_API_KEY, or name a file by "
            "openai_api_key_file",
        ),
        (
            "[settings]\npostgres_dsn = 'postgresql://assay:hush@db/assay'",
            "settings.postgres_dsn: a secret does not belong in this file; set ASSAY_POSTGRES_DSN, or name a file by "
            "postgres_dsn_file",
        ),
        (
            "[settings]\nnats_credentials.service.password = 'hush'",
            "settings.nats_credentials.service.password: a secret does not belong in this file; set "
            "ASSAY_NATS_SERVICE_PASSWORD, or name a file by nats_credentials_file",
        ),
        (
            "[settings]\nnats_url = 'nats://hush@h:4222'",
            "settings.nats_url: a secret does not belong in this file; set ASSAY_NATS_URL, or name a file by "
            "nats_credentials_file",
        ),
        (
            "[sources.a]\nkind='metrics'\nurl='http://u:hush@h:9090'",
            "sources.a.url: a secret does not belong in this file; name a variable by token_env, or a file by "
            "token_file",
        ),
    ],
)
def test_a_literal_secret_is_refused_and_not_repeated(write: Write, text: str, said: str) -> None:
    """R68: such a file is copied and shown; the message says where the secret may stand."""
    assert refused(write(text, 0o600)) == said


@pytest.mark.parametrize(
    "key", ["token", "password", "api_key", "apiKey", "bearer-token", "basic_auth_passwd", "client_secret"]
)
def test_a_key_that_is_named_like_a_secret_holds_one(write: Write, key: str) -> None:
    said = refused(write(f"[sources.a]\nkind = 'metrics'\nurl = 'http://h'\n{key} = 'hush-hush'"))
    assert said.startswith(f"sources.a.{key}: a secret does not belong in this file; ")
    assert "hush-hush" not in said


def test_a_secret_in_place_of_a_variables_name_is_not_repeated(write: Write) -> None:
    file = write("[sources.a]\nkind = 'metrics'\nurl = 'http://h'\ntoken_env = 'sk-hush-hush'")
    assert refused(file) == "sources.a.token_env: must be the name of a variable"


def test_a_secret_that_others_can_read_is_said_to_be_read(write: Write) -> None:
    """The file is refused for the secret in any case; here it has been open to others, too."""
    file = write("[settings]\nopenai_api_key = 'hush'", 0o644)
    assert refused(file).endswith(f"; others can read it: chmod go-r {file}")


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o622])
def test_a_file_that_others_can_write_is_refused_with_the_command_that_mends_it(write: Write, mode: int) -> None:
    """R74: it can name programs and addresses."""
    file = write("", mode)
    assert refused(file) == f"others can write it: chmod go-w {file}"


def test_what_is_no_toml_is_refused_with_line_and_column(write: Write) -> None:
    assert refused(write("[settings]\nmodel = x\n")) == "is no TOML: Invalid value (at line 2, column 9)"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[settings]\nmodel = '\xff'", "is no UTF-8 text: invalid start byte at byte 20"),
        (b"a = " + b"[" * 100_000, "is nested too deeply"),
        (b"#" * (2**20 + 1), "has more than 1024 KiB"),
    ],
    ids=["bytes", "nested", "large"],
)
def test_what_no_reader_should_try_is_refused(write: Write, content: bytes, said: str) -> None:
    """R72: in bounded time and memory."""
    assert refused(write(content)) == said


def test_a_byte_order_mark_is_no_fault(write: Write) -> None:
    assert Settings.load({}, write(b"\xef\xbb\xbf[settings]\nmodel = 'm'")).model == "m"


def test_a_name_can_be_given_once(write: Write) -> None:
    """Two that look alike are the same to who types them."""
    one, two = "[sources.{}]\nkind='logs'\nfolder='x'\n", "[sources.{}]\nkind='logs'\nfolder='y'\n"
    said = refused(write(one.format("a") + two.format("a")))
    assert re.match(r"is no TOML: Cannot declare \('sources', 'a'\) twice", said)
    assert refused(write(one.format("logs") + two.format("Logs"))) == "sources.Logs: the name is taken by logs"


def test_every_fault_is_said_at_once(write: Write) -> None:
    said = refused(write("[settings]\nmodle = 'm'\n[sources.a]\nkind = 'logs'\n[sources.b]\nkind = 'log'"))
    assert said.split("; ") == [
        "settings.modle: unknown key (nearest: model)",
        "sources.a.folder: Field required",
        "sources.b.kind: must be one of metrics, logs, knowledge, skills",
    ]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.toml") == "cannot be read: No such file or directory"


def test_what_is_no_file_to_read_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    """R7: a pipe never begins."""
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "is no regular file"
    assert refused(tmp_path) == "is no regular file"


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read: "), ("\n", "is empty")])
def test_a_secret_file_that_cannot_be_used_is_named(
    write: Write, tmp_path: Path, content: str | None, said: str
) -> None:
    if content is not None:
        (tmp_path / "key").write_text(content)
    file = write("[settings]\nopenai_api_key_file = 'key'")
    assert refused(file).startswith(f"settings.openai_api_key_file: {tmp_path}/key {said}")
