"""`assay init`: what an operator of own servers begins with."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

README = Path(__file__).parents[2] / "infra" / "README.md"


def test_the_readme_makes_the_users_of_an_own_nats_server(new_assay: Any) -> None:
    """R65: a password for each role, and the accounts that go into the server's configuration."""
    assay = new_assay()
    line = re.search(r"^python -c '.*> users\.json$", README.read_text(), re.MULTILINE)
    assert line
    subprocess.run(line[0], shell=True, check=True, cwd=assay.folder)
    passwords = json.loads((assay.folder / "users.json").read_bytes())
    own = {"ASSAY_NATS_URL": "nats://127.0.0.1:1", "ASSAY_NATS_CREDENTIALS_FILE": "users.json"}
    ran = assay.here("init", "--print-users", **own)
    assert (ran.status, ran.err) == (0, "")
    users = [user for account in json.loads(ran.out)["accounts"].values() for user in account["users"]]
    assert {user["user"]: {"password": user["password"]} for user in users} == passwords
    assert sorted(passwords) == ["admin", "projector", "service", "subscriber"]


def test_the_accounts_of_the_embedded_server_are_said_to_be_its_own(new_assay: Any) -> None:
    """R65: whoever forgot to name the own server is told so."""
    ran = new_assay().here("init", "--print-users")
    assert ran.status == 0
    assert ran.err == "assay: these are the embedded server's: ASSAY_NATS_URL names no other\n"
