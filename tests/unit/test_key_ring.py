"""R76: which keys are trusted with one that is known, and how far."""

from __future__ import annotations

import copy
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from infra.audit.dsse import BadEnvelope, fingerprint
from infra.audit.key_ring import KeyRing, exchanged, opened_exchange

NOW = datetime(2026, 12, 1, tzinfo=UTC)
FIRST, SECOND, THIRD, STRANGER = (Ed25519PrivateKey.generate() for _ in range(4))
CHAIN = [exchanged(FIRST, SECOND, {"": 5}, NOW), exchanged(SECOND, THIRD, {"": 9, "ASSAY_ACCESS": 2}, NOW)]


@pytest.mark.parametrize("root", [FIRST, SECOND, THIRD])
def test_any_key_of_a_chain_leads_to_all_of_it(root: Ed25519PrivateKey) -> None:
    """R76: in whichever order the exchanges are told."""
    for chain in (CHAIN, CHAIN[::-1]):
        ring = KeyRing.of(root.public_key(), chain)
        assert ring.keys.keys() == {fingerprint(one.public_key()) for one in (FIRST, SECOND, THIRD)}


def test_a_stranger_is_led_nowhere() -> None:
    ring = KeyRing.of(STRANGER.public_key(), CHAIN)
    assert list(ring.keys) == [fingerprint(STRANGER.public_key())]


def test_a_key_signs_no_further_than_it_had_when_it_was_exchanged() -> None:
    """R76: of each stream; the last one as far as it likes."""
    ring = KeyRing.of(FIRST.public_key(), CHAIN)
    ring.check(FIRST.public_key(), "", 5)
    ring.check(SECOND.public_key(), "ASSAY_ACCESS", 2)
    ring.check(THIRD.public_key(), "", 1_000)
    for key, stream, size in ((FIRST, "", 6), (FIRST, "ASSAY_ACCESS", 1), (SECOND, "", 10)):
        with pytest.raises(BadEnvelope, match="after it had been exchanged"):
            ring.check(key.public_key(), stream, size)


def test_both_must_have_signed_the_same() -> None:
    """R76: nobody names himself the successor, and nobody is made one against his will."""
    one = CHAIN[0].document
    assert opened_exchange(one) == CHAIN[0]
    other = exchanged(FIRST, STRANGER, {"": 5}, NOW).document
    usurped = exchanged(STRANGER, SECOND, {"": 5}, NOW).document
    longer = exchanged(FIRST, SECOND, {"": 6}, NOW).document
    for document in (
        {"by_old": one["by_old"], "by_new": other["by_new"]},
        {"by_old": usurped["by_old"], "by_new": one["by_new"]},
        {"by_old": longer["by_old"], "by_new": one["by_new"]},
        {"by_old": one["by_new"], "by_new": one["by_new"]},
        {"by_old": one["by_old"]},
        [],
        None,
    ):
        with pytest.raises(BadEnvelope):
            opened_exchange(copy.deepcopy(document))
