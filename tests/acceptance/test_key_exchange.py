"""Another key signs, as the old one vouches: what was signed before and after is verified from the same root (R76)."""

from __future__ import annotations

import json
import shutil
from typing import Any

from infra.audit.signed_heads import opened_head, sign_head
from infra.audit.signing_key import existing_key
from tests.acceptance.test_erasure_lasts import serving

QUESTION = "请排查 payment-service 当前是否存在 HighCPUUsage 告警，只确认 CPU 使用率过高这一件事。"


def checks(assay: Any) -> dict[str, str]:
    told = [json.loads(line) for line in assay.here("doctor", "--json").out.splitlines()]
    return {one["check"]: one["state"] for one in told}


def verified(assay: Any, bundle: str, key: str) -> int:
    status: int = assay.here("bundle", "verify", bundle, "--key", key).status
    return status


def test_bundles_and_heads_of_before_and_after_an_exchange_are_verified(new_assay: Any, until: Any) -> None:
    """R76: with the root of before offline; ledger, doctor, backup and a running worker go on."""
    assay = new_assay()
    with serving(assay, until):
        first, erased = (assay.ask(QUESTION)["session_id"] for _ in range(2))
        assert assay.here("session", "erase", erased, "--reason", "asked for", "--yes").status == 0
        assert assay.here("session", "export", first, "-o", "before.jsonl").status == 0
        (assay.folder / "old.pem").write_text(assay.here("key", "show").out)
        old_head = (next((assay.folder / "keys").glob("heads-*.jsonl"))).read_text().splitlines()[-1]
        old_key = existing_key(assay.folder / "keys" / "signing.pem")

        rotated = assay.here("key", "rotate", "--reason", "yearly", "--json")
        assert rotated.status == 0, rotated.err
        (assay.folder / "new.pem").write_text(assay.here("key", "show").out)
        shown = assay.here("key", "show", "--json").document
        assert (shown["key_id"], shown["before"]) == (rotated.document["key_id"], [rotated.document["old_key_id"]])

        second = assay.ask(QUESTION)["session_id"]
        for session_id, bundle in ((first, "again.jsonl"), (second, "after.jsonl")):
            ran = assay.here("session", "export", session_id, "-o", bundle)
            assert ran.status == 0, ran.err
        assert [verified(assay, one, "old.pem") for one in ("before.jsonl", "again.jsonl", "after.jsonl")] == [0, 0, 0]
        assert [verified(assay, one, "new.pem") for one in ("again.jsonl", "after.jsonl")] == [0, 0]
        assert verified(assay, "before.jsonl", "new.pem") == 3  # it was made before that key was
        for key in ((), ("--key", "old.pem"), ("--key", "new.pem")):
            ran = assay.here("verify", "--json", *key)
            assert (ran.status, ran.document["findings"]) == (0, []), ran.out
        found = checks(assay)
        assert {found[one] for one in ("heads", "keys", "erasures")} == {"ok"}
        assert assay.here("key", "rotate", "--reason", "again").status == 0
        third = assay.ask(QUESTION)["session_id"]
        assert assay.here("session", "export", third, "-o", "third.jsonl").status == 0
        assert verified(assay, "third.jsonl", "old.pem") == 0
        assert assay.here("backup", "copy", "--with-signing-key").status == 0

    head = opened_head(old_key.public_key(), old_head)
    forged = type(head)(head.log_id, head.size + 1_000, head.root, head.last_hash, head.time)
    heads = next((assay.folder / "keys").glob("heads-*.jsonl"))
    (assay.folder / "forged.jsonl").write_text(heads.read_text() + sign_head(old_key, forged) + "\n")
    ran = assay.here("verify", "--heads", "forged.jsonl", "--json")
    assert [one["kind"] for one in ran.document["findings"]] == ["bad signature"]
    assert "after it had been exchanged" in ran.document["findings"][0]["detail"]

    ledger = assay.folder / "ledger.jsonl"
    shutil.copy(assay.folder / "keys" / "erasures.jsonl", ledger)
    for name in ("data", "keys"):
        shutil.rmtree(assay.folder / name)
    restored = assay.here("restore", "copy", "--erasures", "ledger.jsonl")
    assert restored.status == 0, restored.err
    with serving(assay, until):
        assert assay.here("verify", "--key", "old.pem").status == 0
        assert assay.here("session", "export", first, "-o", "restored.jsonl").status == 0
        assert verified(assay, "restored.jsonl", "old.pem") == 0


def test_an_exchange_without_the_old_keys_word_is_no_exchange(new_assay: Any) -> None:
    """R76: a key that somebody puts in the place of the old one signs nothing."""
    assay = new_assay()
    assay.ask(QUESTION)
    key = assay.folder / "keys" / "signing.pem"
    key.unlink()
    assert assay.here("key", "rotate", "--reason", "lost").status == 2
    assert not key.exists()
