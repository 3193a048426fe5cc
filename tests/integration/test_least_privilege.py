"""R74: servers know nothing of this process, roles of PostgreSQL do what they are for, folders are their owner's."""

from __future__ import annotations

import asyncio
import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from handlers.application import prepare_database
from handlers.cli.doctor import _roles
from infra.embedded import Servers, running_servers, running_servers_async
from infra.embedded.postgres_server import PostgresServer, closed_to
from infra.embedded.process import ServerError
from infra.postgres import NotPrepared, connect
from infra.private_files import private_folder
from infra.read_models import tables
from infra.settings import Settings, SettingsError
from projections.registry import READ_MODELS
from tests.superuser import superuser_dsn

ODD = "a b$HOME `id` \"q\" 'p' \\ 数据;&|"
IS_ROOT = os.geteuid() == 0
ROOT_ALONE = pytest.mark.skipif(not IS_ROOT, reason="needs another account: root can be any")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roles") / "data"


@pytest.fixture(scope="module")
def servers(data_dir: Path) -> Iterator[Servers]:
    with running_servers(Settings(data_dir=data_dir)) as running:
        asyncio.run(prepare_database(running))
        yield running


# ---------------------------------------------------------------- environment


def test_servers_are_given_no_key_and_no_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ASSAY_POSTGRES_DSN_FILE", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"):
        monkeypatch.setenv(name, "hush-1234")
    with running_servers(Settings(data_dir=tmp_path / "data")):
        found = [one for one in psutil.process_iter() if _works_in(one, tmp_path)]
        assert {one.name() for one in found} >= {"nats-server", "postgres"}
        names = {name for one in found for name in _environment(one)}
    assert "hush-1234" not in str(names)
    assert {name for name in names if name.startswith(("ASSAY", "OPENAI", "AWS"))} == set()


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.pid != os.getpid() and str(folder) in " ".join(process.cmdline())
    except psutil.Error:
        return False


def _environment(process: psutil.Process) -> dict[str, str]:
    return process.environ()


# ---------------------------------------------------------------- PostgreSQL's roles


def refused(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(statement)


OWNERS_ALONE = (
    "CREATE SCHEMA mine",
    "CREATE TABLE assay.mine (n int)",
    "CREATE TABLE public.mine (n int)",
    "CREATE TEMPORARY TABLE mine (n int)",
    "DROP TABLE assay_meta.position",
    "DROP SCHEMA assay_audit CASCADE",
    "ALTER TABLE assay_meta.read_model ADD COLUMN mine int",
    "TRUNCATE assay_meta.position",
)
NOBODYS = (
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "ALTER ROLE assay_reader SUPERUSER",
    "ALTER SYSTEM SET work_mem = '1MB'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT * FROM pg_authid",
    "SET ROLE assay",
)
WRITERS_ALONE = (
    "INSERT INTO assay_audit.head VALUES (1, '', '')",
    "UPDATE assay_meta.position SET position = 0",
    "DELETE FROM assay_meta.read_model",
    "SELECT * FROM assay_meta.position FOR UPDATE",
)


@pytest.mark.parametrize("statement", [*OWNERS_ALONE, *WRITERS_ALONE, *NOBODYS])
def test_a_reader_reads(servers: Servers, statement: str) -> None:
    refused(servers.reader_dsn, statement)
    with psycopg.connect(servers.reader_dsn) as conn:
        views = conn.execute("SELECT format('assay.%I', viewname) FROM pg_views WHERE schemaname = 'assay'").fetchall()
        assert len(views) == len({model.name for model in READ_MODELS})
        for table in ("assay_meta.read_model", "assay_audit.head", *(name for (name,) in views)):
            conn.execute(f"SELECT * FROM {table}")  # type: ignore[arg-type]


@pytest.mark.parametrize("statement", [*OWNERS_ALONE, *NOBODYS])
def test_a_writer_makes_and_drops_nothing(servers: Servers, statement: str) -> None:
    refused(servers.writer_dsn, statement)


@pytest.mark.parametrize("statement", NOBODYS)
def test_the_owner_is_no_superuser(servers: Servers, statement: str) -> None:
    refused(servers.postgres_dsn, statement)


def test_rights_hold_for_what_the_owner_makes_later(servers: Servers) -> None:
    """Another build of a read model is its own schema."""
    with psycopg.connect(servers.postgres_dsn, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA rm_later_v1 CREATE TABLE later (n int)")
    with psycopg.connect(servers.writer_dsn, autocommit=True) as writer:
        writer.execute("INSERT INTO rm_later_v1.later VALUES (1)")
    with psycopg.connect(servers.reader_dsn) as reader:
        assert reader.execute("SELECT n FROM rm_later_v1.later").fetchone() == (1,)
    refused(servers.reader_dsn, "INSERT INTO rm_later_v1.later VALUES (2)")


async def _prepared_as_writer(folder: Path) -> None:
    async with running_servers_async(Settings(data_dir=folder)) as running, await connect(running.writer_dsn) as conn:
        await tables.prepare(conn, READ_MODELS, 1)


def test_a_writer_without_tables_is_told_who_makes_them(tmp_path: Path) -> None:
    with pytest.raises(NotPrepared, match=r"`assay init` does, with the owner's ASSAY_POSTGRES_DSN"):
        asyncio.run(_prepared_as_writer(tmp_path / "data"))


def test_what_an_older_release_made_as_superuser_is_the_owners(tmp_path: Path) -> None:
    """R89: such a cluster has no roles, also while it runs."""
    cluster = PostgresServer(private_folder(tmp_path / "data") / "postgres", tmp_path / "data")
    cluster.ensure_running()
    try:
        password = (tmp_path / "data/postgres/password").read_text()
        superuser = cluster.dsn.replace("assay_owner", "assay").replace(
            cluster.dsn.split(":")[2].split("@")[0], password
        )
        with psycopg.connect(superuser, autocommit=True) as conn:
            conn.execute("CREATE SCHEMA assay CREATE TABLE old (n int) CREATE VIEW seen AS SELECT n FROM old")
            for role in ("owner", "writer", "reader"):
                conn.execute(f"DROP OWNED BY assay_{role}")  # type: ignore[arg-type]
                conn.execute(f"DROP ROLE assay_{role}")  # type: ignore[arg-type]
        (tmp_path / "data/postgres/roles.json").unlink()
        cluster.ensure_running()
        with psycopg.connect(cluster.dsn, autocommit=True) as owner:
            owner.execute("ALTER TABLE assay.old ADD COLUMN m int")
            owner.execute("DROP VIEW assay.seen")
    finally:
        cluster.stop()


# ---------------------------------------------------------------- folders and files


def start(folder: Path) -> None:
    with running_servers(Settings(data_dir=folder)):
        pass


def modes(folder: Path) -> dict[str, int]:
    return {
        str(path): stat.S_IMODE(path.lstat().st_mode)
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink() and "programs" not in str(path)
    }


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_and_folders_are_their_owners_alone(tmp_path: Path, umask: int) -> None:
    """Also those that servers make. Root's PostgreSQL is another account: it may pass through, and list nothing."""
    before = os.umask(umask)
    try:
        with running_servers(Settings(data_dir=tmp_path / "new" / "data")):
            found = modes(tmp_path / "new")
    finally:
        os.umask(before)
    ways = ("new", "new/data", "new/data/servers", "new/data/servers/postgres")
    passed = {str(tmp_path / one) for one in ways if IS_ROOT}
    open_ones = {
        path: oct(mode) for path, mode in found.items() if mode & (0o066 if path.rstrip("/") in passed else 0o077)
    }
    assert open_ones == {}


def test_no_folder_above_the_data_is_changed(tmp_path: Path) -> None:
    above = {folder: folder.stat() for folder in (tmp_path, *tmp_path.parents)}
    with running_servers(Settings(data_dir=tmp_path / "data")):
        pass
    for folder, was in above.items():
        assert (folder.stat().st_mode, folder.stat().st_uid, folder.stat().st_gid) == (
            was.st_mode,
            was.st_uid,
            was.st_gid,
        )


@ROOT_ALONE
def test_a_closed_folder_above_is_named_and_stays_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(ServerError, match=rf"cannot enter {tmp_path}: choose another ASSAY_DATA_DIR"):
        start(tmp_path / "data")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@ROOT_ALONE
def test_programs_that_cannot_be_reached_are_copied_beside_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binaries = PostgresServer(tmp_path)._binaries
    monkeypatch.setattr(
        "infra.embedded.postgres_server.closed_to",
        lambda account, path: path if path == binaries else closed_to(account, path),
    )
    with (
        running_servers(Settings(data_dir=tmp_path / "data")) as running,
        psycopg.connect(running.postgres_dsn) as conn,
    ):
        assert conn.execute("SELECT 1").fetchone() == (1,)
    assert [path.name for path in (tmp_path / "data/servers/postgres").glob("programs-*/*/pginstall/bin/postgres")] == [
        "postgres"
    ]


@ROOT_ALONE
def test_another_accounts_data_folder_is_refused_with_the_right_command(tmp_path: Path) -> None:
    (tmp_path / "data/servers").mkdir(parents=True)
    nobody = pwd.getpwnam("nobody")
    os.chown(tmp_path / "data/servers", nobody.pw_uid, nobody.pw_gid)
    with pytest.raises(SettingsError, match="made by the account nobody: run `sudo -u nobody assay"):
        start(tmp_path / "data")
    assert list((tmp_path / "data/servers").iterdir()) == []


@ROOT_ALONE
def test_a_volume_above_the_data_may_belong_to_anyone(tmp_path: Path) -> None:
    volume = tmp_path / "volume"
    volume.mkdir(mode=0o777)
    volume.chmod(0o777)
    os.chown(volume, 12345, 12345)
    for data in (volume, volume / "data"):
        with running_servers(Settings(data_dir=data)) as running, psycopg.connect(running.postgres_dsn) as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)
    assert (volume.stat().st_uid, stat.S_IMODE(volume.stat().st_mode)) == (12345, 0o777)


def _as_nobody(tmp_path: Path, program: str, *arguments: str) -> Any:
    nobody = pwd.getpwnam("nobody")
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/", capture_output=True, text=True, check=False,
    )  # fmt: skip


@ROOT_ALONE
def test_an_ordinary_account_needs_no_other(tmp_path: Path) -> None:
    """The same as any user: all is its own, and nothing is opened."""
    if _as_nobody(tmp_path, "import psycopg, infra.embedded").returncode:
        pytest.skip("the account nobody cannot read this installation")
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, pwd.getpwnam("nobody").pw_uid, -1)
    program = (
        "import sys, psycopg\nfrom pathlib import Path\nfrom infra.embedded import running_servers\n"
        "from infra.settings import Settings\n"
        "with running_servers(Settings(data_dir=Path(sys.argv[1]))) as s, psycopg.connect(s.postgres_dsn) as c:\n"
        "    print(c.execute('SELECT 1').fetchone())\n"
    )
    ran = _as_nobody(tmp_path, program, str(home / "data"))
    assert ran.stdout == "(1,)\n", ran.stderr
    assert {path: oct(mode) for path, mode in modes(home / "data").items() if mode & 0o077} == {}


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    """Shells, formats of configuration and connection strings each have signs of their own."""
    with running_servers(Settings(data_dir=tmp_path / ODD)) as running, psycopg.connect(running.postgres_dsn) as conn:
        assert conn.execute("SELECT 1").fetchone() == (1,)
        assert running.credentials
    with running_servers(Settings(data_dir=tmp_path / ODD)) as again:
        assert again == running


# ---------------------------------------------------------------- what doctor says


def test_doctor_tells_roles_that_are_as_they_should_be(servers: Servers) -> None:
    told = _roles(servers)
    assert (told.state, told.detail) == ("ok", "owner assay_owner, writer assay_writer, reader assay_reader")


def test_one_user_works_with_a_warning(servers: Servers) -> None:
    """A managed server may have no more."""
    told = _roles(Servers(servers.nats_url, servers.credentials, servers.postgres_dsn))
    assert (told.state, told.detail.split(":")[0]) == ("warning", "assay_owner owns, writes and reads")


def test_who_may_more_than_it_needs_is_a_problem(servers: Servers, data_dir: Path) -> None:
    superuser = superuser_dsn(data_dir, servers.postgres_dsn)
    for dsns, said in (
        ((superuser,), "a superuser of PostgreSQL is used as owner assay, writer assay, reader assay"),
        ((servers.postgres_dsn, superuser, servers.reader_dsn), "a superuser of PostgreSQL is used as writer assay"),
        ((servers.writer_dsn, servers.postgres_dsn, servers.reader_dsn), "the writer assay_owner may create schemas"),
        ((servers.postgres_dsn, servers.writer_dsn, servers.postgres_dsn), "the reader assay_owner may change rows"),
    ):
        told = _roles(Servers(servers.nats_url, servers.credentials, *dsns))
        assert (told.state, told.detail) == ("problem", said)
