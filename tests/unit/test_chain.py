"""R60: the hash chain of one session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.chain import CHAINED_HEADERS, GENESIS, HASH_HEADER, PREVIOUS_HASH_HEADER, Link, event_hash, verify_chain

SESSION = "0198c0de-0000-7000-8000-000000000001"
KNOWN_HASH = "b3aa7068c424254d4e88b41e97e125b1651434c3dbe923fc6da933c86db03d14"


def chain(*bodies: bytes, session_id: str = SESSION) -> list[Link]:
    links: list[Link] = []
    previous = GENESIS
    for version, body in enumerate(bodies, start=1):
        headers = {"Assay-Session-Id": session_id, "Assay-Version": str(version), "Assay-Actor": "actor-1"}
        digest = event_hash(previous, body, headers)
        links.append(Link({**headers, PREVIOUS_HASH_HEADER: previous, HASH_HEADER: digest}, body))
        previous = digest
    return links


def fault(links: list[Link]) -> tuple[int, str] | None:
    found = verify_chain(SESSION, links)
    return (found.version, found.reason) if found else None


def test_the_hash_of_a_known_event_never_changes() -> None:
    """R60: a hash written today is recomputed by every later release."""
    headers = {"Assay-Session-Id": SESSION, "Assay-Version": "1", "Assay-Topic": "SessionOpened"}

    assert event_hash(GENESIS, b'{"facts":{},"content":null}', headers) == KNOWN_HASH


def test_headers_of_the_server_are_not_hashed() -> None:
    """R60: sending a commit again changes them."""
    assert event_hash(GENESIS, b"", {"Nats-Batch-Id": "1"}) == event_hash(GENESIS, b"", {"Nats-Batch-Id": "2"})


@pytest.mark.parametrize("name", CHAINED_HEADERS)
def test_every_chained_header_counts(name: str) -> None:
    assert event_hash(GENESIS, b"", {name: "a"}) != event_hash(GENESIS, b"", {name: "b"})


def test_text_cannot_move_between_neighbouring_fields() -> None:
    """R60: fields are delimited by their length."""
    one = event_hash(GENESIS, b"", {"Assay-Time": "ab", "Assay-Actor": "c"})
    other = event_hash(GENESIS, b"", {"Assay-Time": "a", "Assay-Actor": "bc"})

    assert one != other


def test_a_sound_chain_has_no_fault() -> None:
    assert fault(chain(b"1", b"2", b"3")) is None


def test_an_empty_chain_has_no_fault() -> None:
    assert fault([]) is None


def test_an_edited_body_is_found_where_it_is() -> None:
    links = chain(b"1", b"2", b"3")
    links[1] = replace(links[1], body=b"X")

    assert fault(links) == (2, "was altered: its hash is another")


def test_an_edited_header_is_found_where_it_is() -> None:
    links = chain(b"1", b"2", b"3")
    links[2] = replace(links[2], headers={**links[2].headers, "Assay-Actor": "actor-2"})

    assert fault(links) == (3, "was altered: its hash is another")


def test_an_edit_with_its_own_hash_renewed_is_found_at_the_next_event() -> None:
    links = chain(b"1", b"2", b"3")
    digest = event_hash(links[0].headers[HASH_HEADER], b"X", links[1].headers)
    links[1] = Link({**links[1].headers, HASH_HEADER: digest}, b"X")

    assert fault(links) == (3, "does not continue from the event before it")


def test_a_gap_is_found() -> None:
    first, _, third = chain(b"1", b"2", b"3")

    assert fault([first, third]) == (2, "version 3 stands where 2 should")


def test_a_swapped_order_is_found() -> None:
    first, second, third = chain(b"1", b"2", b"3")

    assert fault([first, third, second]) == (2, "version 3 stands where 2 should")


def test_an_event_of_another_session_is_found() -> None:
    stranger = chain(b"1", b"2", session_id="another")[1]

    assert fault([*chain(b"1"), stranger]) == (2, "belongs to session another")


def test_an_event_without_any_header_is_a_fault_and_no_crash() -> None:
    assert fault([Link({}, b"")]) == (1, "belongs to session None")


def test_verification_goes_on_from_a_verified_event() -> None:
    links = chain(b"1", b"2", b"3")

    assert verify_chain(SESSION, links[1:], version=1, previous=links[0].headers[HASH_HEADER]) is None
