"""A session handed to a third party: exported, verified without a server, and what is left to hand over once erased."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.audit import dsse
from infra.audit.bundle import PAYLOAD_TYPE
from infra.audit.signing_key import existing_key
from infra.settings import Settings

README = Path(__file__).parents[2] / "infra" / "README.md"
QUESTION = "请排查 user-service 当前是否存在 SlowResponse 告警"


@pytest.fixture(scope="module")
def exported(served: Any) -> dict[str, Any]:
    """A session's bundle in `bundle.jsonl`, and the public key it is verified with in `assay.pem`."""
    session_id = served.ask(QUESTION)["session_id"]
    ran = served.here("session", "export", session_id, "-o", "bundle.jsonl", "--json")
    assert ran.status == 0, ran.err
    (served.folder / "assay.pem").write_text(served.here("heads", "key").out)
    told: dict[str, Any] = ran.document
    return told


def verify(served: Any, file: str, *, status: int = 0) -> Any:
    """In a process of its own that knows of no server and no data."""
    environment = {"ASSAY_DATA_DIR": "/nowhere", "ASSAY_KEY_DIR": "/nowhere", "ASSAY_NATS_URL": "not a URL"}
    ran = served.run("bundle", "verify", file, "--key", "assay.pem", "--json", **environment)
    assert ran.status == status, ran.err
    return ran.document


def test_a_third_party_verifies_a_session_with_a_file_and_a_key(served: Any, exported: dict[str, Any]) -> None:
    """R61: every event of the session, its contents as they were sealed, under a head that the log's key signed."""
    events = served.here("session", "tail", exported["session_id"], "--json").documents
    found = verify(served, "bundle.jsonl")
    assert (found["verified"], found["session_id"]) == (True, exported["session_id"])
    assert found["events"] == found["opened"] == len(events)
    assert found["head"]["size"] >= events[-1]["position"]
    kinds = [json.loads(line).get("kind") for line in (served.folder / "bundle.jsonl").open()]
    assert kinds[:3] == [None, "key", "event"]
    assert QUESTION in (served.folder / "bundle.jsonl").read_text()
    assert (served.folder / "bundle.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("exported")
def test_a_changed_bundle_is_refused(served: Any) -> None:
    """R61: exit 3, and what is wrong is named."""
    text = (served.folder / "bundle.jsonl").read_text()
    (served.folder / "changed.jsonl").write_text(text.replace("SlowResponse", "FastResponse", 1))
    found = verify(served, "changed.jsonl", status=3)
    assert found["verified"] is False
    assert found["refused"].startswith("line ")


@pytest.mark.usefixtures("exported")
def test_what_cannot_be_read_is_no_refusal(served: Any) -> None:
    """R61: exit 2 names the file."""
    for file, key in (("nothing.jsonl", "assay.pem"), ("bundle.jsonl", "nothing.pem"), ("bundle.jsonl", "serve.log")):
        ran = served.here("bundle", "verify", file, "--key", key)
        assert ran.status == 2
        assert ("nothing" if "nothing" in file + key else "serve.log") in ran.err


def test_an_existing_file_is_not_written_over(served: Any, exported: dict[str, Any]) -> None:
    """R61: unless told to; and never half."""
    again = ("session", "export", exported["session_id"], "-o")
    refused = served.here(*again, "bundle.jsonl")
    assert (refused.status, refused.err) == (2, "assay: bundle.jsonl exists; --force writes over it\n")
    assert served.here(*again, "no/such/folder.jsonl").status == 2
    assert served.here(*again, "-").err == "assay: a bundle is written to a file, whole or not at all: name one\n"
    assert served.here("session", "export", "01900000-0000-7000-8000-000000000001", "-o", "none.jsonl").status == 2
    assert served.here(*again, "bundle.jsonl", "--force").status == 0
    assert sorted(path.name for path in served.folder.glob("*.jsonl")) == ["bundle.jsonl", "changed.jsonl"]
    verify(served, "bundle.jsonl")


@pytest.mark.usefixtures("exported")
def test_a_verified_bundle_is_written_as_a_page(served: Any) -> None:
    """R61: question, answer, claims, quotations, proofs; offline; nothing of a bundle that is refused."""
    environment = {"ASSAY_DATA_DIR": "/nowhere", "ASSAY_KEY_DIR": "/nowhere", "ASSAY_NATS_URL": "not a URL"}
    report = ("bundle", "report", "bundle.jsonl", "--key", "assay.pem")
    ran = served.run(*report, **environment)
    assert ran.status == 0, ran.err
    for told in (QUESTION, "SlowResponse", "$.alerts[0]", "What this proves", "The session was not erased."):
        assert told in ran.out
    assert re.findall(r"<(?:script|img|a|link|iframe)\b", ran.out) == []
    assert served.here(*report, "-o", "page.html").status == 0
    assert (served.folder / "page.html").read_text() == ran.out
    assert served.here(*report, "-o", "page.html").status == 2
    refused = served.here("bundle", "report", "changed.jsonl", "--key", "assay.pem", "-o", "none.html")
    assert (refused.status, (served.folder / "none.html").exists()) == (3, False)


def test_a_page_shows_hostile_text_as_text(served: Any) -> None:
    """R73: no markup, no turned text; what is erased is said to be."""
    hostile = "<script>alert(1)</script> \u202e 请排查 user-service 当前是否存在 SlowResponse 告警"
    session_id = served.ask(hostile)["session_id"]
    report = ("bundle", "report", "hostile.jsonl", "--key", "assay.pem")
    assert served.here("session", "export", session_id, "-o", "hostile.jsonl").status == 0
    page = served.here(*report).out
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "\u202e" not in page
    assert served.here("session", "erase", session_id, "--reason", "x", "--yes").status == 0
    assert served.here("session", "export", session_id, "-o", "hostile.jsonl", "--force").status == 0
    page = served.here(*report).out
    assert "alert(1)" not in page
    assert "The session&#x27;s content was erased." in page or "The session's content was erased." in page


def test_the_readme_tells_how_to_check_a_bundle_without_assay(served: Any, exported: dict[str, Any]) -> None:
    """R61: a script of the reader's own, with `cryptography`."""
    section = README.read_text().split("### Hand a session to a third party", 1)[1]
    script = re.search(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert script

    def run(file: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script[1], file, "assay.pem"]
        return subprocess.run(command, cwd=served.folder, capture_output=True, text=True, check=False)

    good = run("bundle.jsonl")
    assert (good.returncode, good.stdout.split()[:1]) == (0, [exported["session_id"]]), good.stderr
    assert run("changed.jsonl").returncode == 1
    (served.folder / "forged.bundle").write_bytes(forged(served, (served.folder / "bundle.jsonl").read_bytes()))
    assert run("forged.bundle").stderr.splitlines()[-1] == "AssertionError"
    assert verify(served, "forged.bundle", status=3)["refused"] == "content/1 is not what was sealed"


def forged(served: Any, bundle: bytes) -> bytes:
    """The same with another question shown as opened, signed again by whoever holds the signing key."""
    key = existing_key(Settings.load(served.environment).signing_key)
    envelope, *lines = bundle.splitlines(keepends=True)
    statement = json.loads(dsse.verified_payload(key.public_key(), PAYLOAD_TYPE, envelope.decode()))
    number = next(n for n, line in enumerate(lines) if b'"kind":"content"' in line and QUESTION in line.decode())
    lines[number] = lines[number].replace(QUESTION.encode(), b"another question")
    statement["subject"][number + 1]["digest"]["sha256"] = hashlib.sha256(lines[number].rstrip(b"\n")).hexdigest()
    return b"".join([json.dumps(dsse.sign(key, PAYLOAD_TYPE, json.dumps(statement).encode())).encode() + b"\n", *lines])


def test_an_erased_session_is_still_proven(served: Any) -> None:
    """R61, R62: of the texts only a bundle from before the erasure tells."""
    session_id = served.ask(QUESTION)["session_id"]
    before, after, sealed = (f"{name}-{session_id}.bundle" for name in ("before", "after", "sealed"))
    for file, more in ((before, ()), (sealed, ("--sealed-only",))):
        assert served.here("session", "export", session_id, "-o", file, *more).status == 0
    assert served.here("session", "erase", session_id, "--reason", "asked for", "--yes").status == 0
    assert served.here("session", "export", session_id, "-o", after).status == 0

    assert QUESTION in (served.folder / before).read_text()
    assert QUESTION not in (served.folder / sealed).read_text() + (served.folder / after).read_text()
    texts = {name: verify(served, file) for name, file in (("before", before), ("sealed", sealed), ("after", after))}
    assert (texts["before"]["erased"], texts["before"]["sealed"]) == (False, 0)
    assert (texts["sealed"]["erased"], texts["sealed"]["opened"]) == (False, 0)
    assert (texts["after"]["erased"], texts["after"]["opened"]) == (True, 0)
    assert texts["after"]["events"] == texts["before"]["events"] + 1
    assert served.here("verify", session_id).status == 0
    actions = [one["action"] for one in served.here("access", "list", session_id, "--json").documents]
    assert actions == ["export", "export", "erase", "export"]
