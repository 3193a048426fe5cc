"""R60, R61: the key that signs heads and bundles, and the file of heads."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from infra.audit.heads_file import HeadsFile
from infra.audit.signing_key import KeyFileError, existing_key, public_key, public_pem, signing_key


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    """R60: whole or not at all, and never in place of another."""
    path = tmp_path / "a" / "signing.pem"
    made = signing_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["signing.pem"]
    assert public_pem(signing_key(path).public_key()) == public_pem(made.public_key())


def test_the_public_key_is_read_back_as_it_was_printed(tmp_path: Path) -> None:
    """R61: in the form that openssl reads."""
    printed = public_pem(signing_key(tmp_path / "signing.pem").public_key())
    (tmp_path / "assay.pub").write_text(printed)
    assert printed.startswith("-----BEGIN PUBLIC KEY-----\n")
    assert public_pem(public_key(tmp_path / "assay.pub")) == printed


def test_a_file_that_holds_no_such_key_is_named(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    private, public, text = tmp_path / "other.pem", tmp_path / "other.pub", tmp_path / "text"
    private.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    text.write_text("no key")
    for path, said in ((private, "is not an Ed25519 key"), (text, "cannot be read"), (tmp_path / "none", "cannot be")):
        with pytest.raises(KeyFileError, match=f"{path.name}.*{said}"):
            existing_key(path)
    for path, said in ((public, "is not an Ed25519 key"), (text, "cannot be read"), (private, "cannot be read")):
        with pytest.raises(KeyFileError, match=f"{path.name}.*{said}"):
            public_key(path)


def test_the_last_head_is_the_last_whole_line(tmp_path: Path) -> None:
    """R60: what a crash cut short is no head, and is cut off by whoever appends next."""
    heads = HeadsFile(tmp_path / "a" / "heads.jsonl")
    assert (heads.last(), list(heads.envelopes())) == (None, [])
    heads.append(["one", "two"])
    with heads.path.open("a") as file:
        file.write("thr")
    assert heads.last() == "two"
    assert list(heads.envelopes()) == [(1, "one"), (2, "two")]
    heads.append(["three"])
    assert heads.path.read_text() == "one\ntwo\nthree\n"


def test_a_last_head_without_its_newline_is_one(tmp_path: Path) -> None:
    """R60: an editor or a copy leaves it like that, and what the file says must not depend on it."""
    heads = HeadsFile(tmp_path / "heads.jsonl")
    heads.path.write_text('{"n":1}\n{"n":2}')
    assert heads.last() == '{"n":2}'
    assert list(heads.envelopes()) == [(1, '{"n":1}'), (2, '{"n":2}')]
    heads.append(['{"n":3}'])
    assert heads.path.read_text() == '{"n":1}\n{"n":2}\n{"n":3}\n'
    heads.path.write_text('{"n":1}')
    assert heads.last() == '{"n":1}'


def test_a_file_with_nothing_but_a_torn_line_is_begun_anew(tmp_path: Path) -> None:
    heads = HeadsFile(tmp_path / "heads.jsonl")
    heads.path.write_text("on")
    assert heads.last() is None
    heads.append(["one"])
    assert heads.path.read_text() == "one\n"
