"""The whole `/var/log` of a Debian server: what this machine's own holds, and the files of programs it does not run."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tests.long.practical.host_lines import NOW, Host, april, may
from tests.long.practical.host_noise import noise, of_installation
from tests.long.practical.tree import Owned, Tree

OWN_LOGS = Path("/var/log")
OF_THIS_MACHINE = (
    "alternatives.log",
    "dpkg.log",
    "fontconfig.log",
    "apt/eipp.log.xz",
    "apt/history.log",
    "apt/term.log",
)
JOURNAL = Path(__file__).with_name("data") / "system.journal.xz"
JOURNAL_FOLDER = "journal/3d1219c7c4c5404aaa1f6d2a48adfda4"

ADM, UTMP, JOURNALS, WWW, POSTGRES, MYSQL, REDIS = 4, 43, 999, 33, 105, 106, 107
OWNED = [
    *(Owned(f"{name}.log*", 0o640, 0, ADM) for name in ("syslog", "auth", "kern", "cron", "mail", "fail2ban")),
    *(Owned(glob, 0o640, 0, ADM) for glob in ("syslog*", "cloud-init*.log", "apt/term.log*", "installer/syslog")),
    *(Owned(glob, 0o600) for glob in ("boot.log", "php8.2-fpm.log*", "installer/cdebconf/*", "letsencrypt/*")),
    *(Owned(glob, 0o700) for glob in ("letsencrypt", "private")),
    Owned("nginx", 0o755, 0, ADM),
    Owned("nginx/*", 0o640, WWW, ADM),
    Owned("postgresql", 0o1775, 0, POSTGRES),
    Owned("postgresql/*", 0o640, POSTGRES, ADM),
    Owned("mysql", 0o2750, MYSQL, ADM),
    Owned("mysql/*", 0o640, MYSQL, ADM),
    Owned("redis", 0o2750, REDIS, ADM),
    Owned("redis/*", 0o640, REDIS, ADM),
    Owned("unattended-upgrades", 0o750, 0, ADM),
    Owned("journal/*/*", 0o640, 0, JOURNALS),
    Owned("btmp*", 0o660, 0, UTMP),
]
"""As Debian's packages and rsyslog set them; all others may be read by everyone."""

SUNDAYS = (may(11), may(4), april(27), april(20))


def host_tree(plant: Callable[[Host], None]) -> Tree:
    """The folder with ordinary days in it and what `plant` writes."""
    tree = Tree(owned=OWNED)
    host = Host(tree)
    noise(host)
    plant(host)
    _rotate(tree)
    of_installation(host)
    _binaries(tree)
    _of_this_machine(tree)
    tree.links["README"] = (april(1), "../../usr/share/doc/systemd/README.logs")
    return tree


def _rotate(tree: Tree) -> None:
    for name in ("syslog", "auth.log", "kern.log", "cron.log", "mail.log"):
        tree.rotate(name, SUNDAYS, [f"{name}.1", f"{name}.2.gz", f"{name}.3.gz", f"{name}.4.gz"])
    days = [may(day) for day in (14, 13, 12, 11)]
    for name in ("nginx/access.log", "nginx/error.log"):
        tree.rotate(name, days, [f"{name}.1", f"{name}.2.gz", f"{name}.3.gz", f"{name}.4.gz"])
    for name in ("redis/redis-server.log", "fail2ban.log", "php8.2-fpm.log"):
        tree.rotate(name, [may(11)], [f"{name}.1"])
    for name in ("postgresql/postgresql-15-main.log", "mysql/error.log"):
        tree.rotate(name, SUNDAYS[:2], [f"{name}.1", f"{name}.2.gz"])
    for name in ("dpkg.log", "apt/history.log", "apt/term.log", "unattended-upgrades/unattended-upgrades.log"):
        tree.rotate(name, [may(1)], [f"{name}.1.gz"])


def _of_this_machine(tree: Tree) -> None:
    """Its own files, as far as there are any, stand as older ones beside those of the server."""
    for name in OF_THIS_MACHINE:
        path = OWN_LOGS / name
        if path.is_file():
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            tree.whole[name.replace(".log", ".log.own", 1) if name in tree.lines else name] = (
                changed,
                path.read_bytes(),
            )


# ---------------------------------------------------------------- what is no text


def _binaries(tree: Tree) -> None:
    logged_in = _login(7, "pts/0", "alice", "198.51.100.12", may(14, 8, 2)) + _login(8, "pts/0", "", "", may(14, 9, 40))
    tree.whole["wtmp"] = (may(14, 9, 40), _login(2, "~", "reboot", "6.1.0-40-amd64", april(21, 8, 58)) + logged_in)
    tree.whole["btmp"] = (may(14, 10, 20), _login(6, "ssh:notty", "admin", "203.0.113.61", may(14, 10, 20)) * 40)
    tree.whole["btmp.1"] = (april(30), _login(6, "ssh:notty", "test", "203.0.113.61", april(30)) * 12)
    last = struct.pack("<I32s256s", int(may(14, 8, 2).timestamp()), b"pts/0", b"198.51.100.12")
    tree.whole["lastlog"] = (may(14, 8, 2), bytes(292 * 1000) + last)
    tree.whole["faillog"] = (april(2), bytes(32 * 1001))
    if JOURNAL.exists():
        tree.whole[f"{JOURNAL_FOLDER}/system.journal"] = (NOW, lzma.decompress(JOURNAL.read_bytes()))


def _login(kind: int, line: str, user: str, host: str, at: datetime) -> bytes:
    """A record of utmp(5) on amd64."""
    texts = (line.encode(), b"ts/0", user.encode(), host.encode())
    return struct.pack("<hxxi32s4s32s256shhiii4i20x", kind, 4312, *texts, 0, 0, 0, int(at.timestamp()), 0, 0, 0, 0, 0)
