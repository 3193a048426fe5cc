"""R76: what stands in the ledger of erasures, who may be believed, and that its lines can be joined."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from infra.audit import erasure_ledger
from infra.audit.erasure_ledger import Deed, Entry, ErasureLedger, UnusableLedger, verify

KEY = Ed25519PrivateKey.generate()
NOW = datetime(2026, 12, 1, 5, 0, tzinfo=UTC)
SESSION = uuid4()


def entry(deed: Deed, session_id: UUID = SESSION, minutes: int = 0, key: Ed25519PrivateKey = KEY) -> Entry:
    return Entry(session_id, deed, NOW + timedelta(minutes=minutes), "actor-1").signed(key)


def test_what_was_entered_is_read_back_by_others(tmp_path: Path) -> None:
    """R76: also by one that has read the file before, and once each."""
    ledger, other = ErasureLedger(tmp_path / "keys" / "erasures.jsonl"), ErasureLedger(tmp_path / "keys/erasures.jsonl")
    assert other.of(SESSION).erasure is None
    erased = entry(Deed.ERASED)
    ledger.add([erased, entry(Deed.ERASED, uuid4())])
    ledger.add([erased])
    assert other.of(SESSION).erasure == erased
    assert len(list(other.entries())) == 2
    assert ledger.path.stat().st_mode & 0o777 == 0o600


def test_the_newest_word_on_a_hold_counts_wherever_it_stands(tmp_path: Path) -> None:
    """R76: a line that is joined from another ledger stands last, and may be the oldest."""
    ledger = ErasureLedger(tmp_path / "erasures.jsonl")
    ledger.add([entry(Deed.RELEASED, minutes=2), entry(Deed.HELD, minutes=1)])
    assert not ledger.of(SESSION).is_held
    ledger.add([entry(Deed.HELD, minutes=3)])
    assert ledger.of(SESSION).is_held


def test_only_a_trusted_key_is_believed() -> None:
    """R76: neither another's signature nor a changed line destroys a key."""
    good, foreign = entry(Deed.ERASED), entry(Deed.ERASED, key=Ed25519PrivateKey.generate())
    verify(good, [Ed25519PrivateKey.generate().public_key(), KEY.public_key()], "here")
    with pytest.raises(UnusableLedger, match=r"here: the entry of session .* is not to be trusted: signed by key"):
        verify(foreign, [KEY.public_key()], "here")
    swapped = json.loads(good.envelope) | {"payload": json.loads(foreign.envelope)["payload"][:-4] + "AAAA"}
    with pytest.raises(UnusableLedger, match="the signature does not belong"):
        verify(Entry(SESSION, Deed.ERASED, NOW, "x", json.dumps(swapped)), [KEY.public_key()], "here")


def test_a_line_that_a_crash_cut_short_does_not_count_and_no_other_is_passed_over(tmp_path: Path) -> None:
    """R76."""
    ledger = ErasureLedger(tmp_path / "erasures.jsonl")
    ledger.add([entry(Deed.ERASED)])
    with ledger.path.open("a") as file:
        file.write('{"payload": "e30')
    assert len(ErasureLedger(ledger.path).standings()) == 1
    ledger.add([entry(Deed.ERASED, uuid4())])
    assert len(ErasureLedger(ledger.path).standings()) == 2
    with ledger.path.open("a") as file:
        file.write("{}\n")
    with pytest.raises(UnusableLedger, match=r"erasures.jsonl is no entry of a ledger of erasures"):
        ErasureLedger(ledger.path).standings()


def test_another_file_in_its_place_is_read_anew(tmp_path: Path) -> None:
    """R76: a key folder was put back."""
    ledger, other = ErasureLedger(tmp_path / "one.jsonl"), ErasureLedger(tmp_path / "other.jsonl")
    ledger.add([entry(Deed.ERASED)])
    other.add([entry(Deed.ERASED, uuid4())])
    assert ledger.of(SESSION).erasure
    other.path.replace(ledger.path)
    assert (ledger.of(SESSION).erasure, len(ledger.standings())) == (None, 1)
    ledger.path.unlink()
    assert ledger.standings() == {}


def test_one_decides_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R76: no hold is recorded between the look at holds and the erasure."""
    monkeypatch.setattr(erasure_ledger, "PATIENCE_S", 0.1)

    async def scenario() -> None:
        async with ErasureLedger(tmp_path / "erasures.jsonl").locked():
            with pytest.raises(TimeoutError, match="another process holds the lock"):
                async with ErasureLedger(tmp_path / "erasures.jsonl").locked():
                    pass
        async with ErasureLedger(tmp_path / "erasures.jsonl").locked():
            assert not (tmp_path / "erasures.jsonl").exists()

    asyncio.run(scenario())
