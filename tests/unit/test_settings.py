"""The settings of a process: what the environment says, and which variable is wrong when it cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from domain.contracts import Agent
from infra.access import Role
from infra.event_log.connection import addresses
from infra.settings import Settings, SettingsError


def test_without_any_variable_both_servers_are_embedded() -> None:
    settings = Settings.load({})

    assert (settings.nats_url, settings.postgres_dsn) == (None, None)
    assert (settings.threshold, settings.window_minutes, settings.ack_wait, settings.seal) == (
        "0.5",
        60,
        30.0,
        "aes-256-gcm",
    )


def test_keys_are_kept_apart_from_the_data() -> None:
    """R62: a copy of the data folder holds no keys."""
    settings = Settings.load({})

    assert not settings.key_dir.is_relative_to(settings.data_dir)


def test_one_folder_has_one_name_however_it_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a link or a relative path: the servers that run in it are known by its name."""
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    named = {Settings.load({"ASSAY_DATA_DIR": name}).data_dir for name in ("data", "./link", "link/../data")}
    assert named == {tmp_path / "data"}
    assert Settings.load({"ASSAY_SIGNING_KEY": "a.pem"}).signing_key == tmp_path / "a.pem"


def test_empty_variables_count_as_absent() -> None:
    assert Settings.load({"ASSAY_THRESHOLD": "", "OPENAI_API_KEY": " "}) == Settings.load({})


def test_values_are_taken_from_their_variables() -> None:
    settings = Settings.load(
        {
            "ASSAY_DATA_DIR": "/data",
            "ASSAY_MODEL": "m",
            "ASSAY_MODEL_VERIFIER": "v",
            "ASSAY_BUDGET_TOKENS": "1000",
            "ASSAY_THRESHOLD": "0.60",
            "ASSAY_TOOLS": "my.tools:make",
            "ASSAY_NATS_SERVICE_PASSWORD": "secret",
        }
    )

    assert settings.data_dir == Path("/data")
    assert (settings.model, settings.models) == ("m", {Agent.VERIFIER: "v"})
    assert (settings.budgets.tokens, settings.budgets.model_calls) == (1000, 12)
    assert settings.threshold == "0.60"
    assert settings.tools == "my.tools:make"
    assert settings.nats_credentials[Role.SERVICE].user == "service"
    assert settings.nats_credentials[Role.SERVICE].password.get_secret_value() == "secret"


def test_credentials_come_from_a_file_and_single_variables_win(tmp_path: Path) -> None:
    file = tmp_path / "credentials.json"
    file.write_text(json.dumps({"admin": {"password": "a"}, "service": {"user": "svc", "password": "b"}}))
    environ = {"ASSAY_NATS_CREDENTIALS_FILE": str(file), "ASSAY_NATS_SERVICE_PASSWORD": "c"}
    credentials = Settings.load(environ).nats_credentials

    assert (credentials[Role.ADMIN].user, credentials[Role.ADMIN].password.get_secret_value()) == ("admin", "a")
    assert (credentials[Role.SERVICE].user, credentials[Role.SERVICE].password.get_secret_value()) == ("svc", "c")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASSAY_THRESHOLD", "high"),
        ("ASSAY_THRESHOLD", "1.1"),
        ("ASSAY_THRESHOLD", "NaN"),
        ("ASSAY_WINDOW_MINUTES", "0"),
        ("ASSAY_BUDGET_MODEL_CALLS", "-1"),
        ("ASSAY_BUDGET_SECONDS", "soon"),
        ("ASSAY_SEAL", "rot13"),
        ("ASSAY_NATS_URL", "localhost"),
        ("ASSAY_NATS_URL", "nats://n1:4222,n2:4222"),
        ("ASSAY_NATS_URL", "nats://n1:4222,"),
        ("ASSAY_ACK_WAIT", "0"),
        ("ASSAY_TOOLS", "no factory"),
        ("OPENAI_BASE_URL", "ftp://x"),
        ("OPENAI_BASE_URL", "https://user:secret@models/v1"),
        ("ASSAY_MASK_SETS", "email and phone"),
        ("ASSAY_NATS_CREDENTIALS_FILE", "/nowhere"),
    ],
)
def test_a_bad_value_is_reported_with_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"^{variable}: "):
        Settings.load({variable: value})


@pytest.mark.parametrize("url", ["nats://n1:4222", "nats://n1:4222,nats://n2:4222", "tls://n1, tls://n2 ,tls://n3:1"])
def test_several_servers_of_one_cluster_may_be_named(url: str) -> None:
    assert addresses(str(Settings.load({"ASSAY_NATS_URL": url}).nats_url)) == url.replace(" ", "").split(",")


def test_a_user_without_a_password_is_reported_with_the_variable_that_lacks() -> None:
    with pytest.raises(SettingsError, match=r"^ASSAY_NATS_ADMIN_PASSWORD: "):
        Settings.load({"ASSAY_NATS_ADMIN_USER": "root"})


@pytest.mark.parametrize("document", ["[]", '{"admin": 1}', '{"emperor": {"password": "x"}}', "{"])
def test_a_credentials_file_of_the_wrong_shape_is_reported(tmp_path: Path, document: str) -> None:
    file = tmp_path / "credentials.json"
    file.write_text(document)

    with pytest.raises(SettingsError, match=r"^ASSAY_NATS_CREDENTIALS_FILE"):
        Settings.load({"ASSAY_NATS_CREDENTIALS_FILE": str(file)})


def test_secrets_are_not_shown() -> None:
    environ = {
        "OPENAI_API_KEY": "hush",
        "ASSAY_POSTGRES_DSN": "postgresql://u:hush@h/d",
        "ASSAY_NATS_ADMIN_PASSWORD": "hush",
    }

    assert "hush" not in repr(Settings.load(environ))


def test_importing_the_settings_does_not_import_the_clients() -> None:
    """The command line reads its settings before it knows whether it needs any server."""
    program = "import sys, infra.settings; print({'openai', 'nats', 'faststream', 'psycopg'} & sys.modules.keys())"

    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "set()\n"
    )


def test_mask_patterns_come_from_a_file_and_a_bad_one_is_named(tmp_path: Path) -> None:
    """R22."""
    patterns = tmp_path / "mask.json"
    patterns.write_text('{"badge": "BDG-[0-9]{6}"}')
    assert Settings.load({"ASSAY_MASK_FILE": str(patterns)}).mask_patterns == {"badge": "BDG-[0-9]{6}"}

    patterns.write_text('{"badge": "BDG-("}')
    with pytest.raises(SettingsError, match=r"ASSAY_MASK_FILE: .*'badge' is no RE2 expression"):
        Settings.load({"ASSAY_MASK_FILE": str(patterns)})


@pytest.mark.parametrize(
    ("sets", "left_out"),
    [
        ("", set()),
        ("none", {"email", "id_number", "phone"}),
        ("phone", {"email", "id_number"}),
        ("phone, email", {"id_number"}),
    ],
)
def test_sets_of_masks_that_name_people_can_be_left_out(tmp_path: Path, sets: str, left_out: set[str]) -> None:
    """R22: by default all of them are masked; own expressions go on."""
    own = tmp_path / "mask.json"
    own.write_text('{"badge": "BDG-[0-9]{6}"}')
    settings = Settings.load({"ASSAY_MASK_SETS": sets, "ASSAY_MASK_FILE": str(own)})
    assert settings.masking == dict.fromkeys(left_out, "") | {"badge": "BDG-[0-9]{6}"}
