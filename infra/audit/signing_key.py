"""The key that signs heads and bundles: Ed25519, in a PEM file apart from the data (R60)."""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from infra.private_files import create_private, private_folder


class KeyFileError(ValueError):
    """A key file cannot be used; the message names it."""


def signing_key(path: Path) -> Ed25519PrivateKey:
    """The key in a file (PKCS #8); made on first need, and never in place of another. Raises KeyFileError."""
    if not path.exists():
        private_folder(path.parent)
        fresh = Ed25519PrivateKey.generate()
        create_private(path, fresh.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return existing_key(path)


def existing_key(path: Path) -> Ed25519PrivateKey:
    """Raises KeyFileError, also where there is no such file."""
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"the signing key {path} cannot be read: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"the signing key {path} is not an Ed25519 key")
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """A public key (SubjectPublicKeyInfo, PEM) that somebody was given. Raises KeyFileError."""
    try:
        return load_public_key(path.read_bytes())
    except (OSError, KeyFileError) as error:
        raise KeyFileError(f"the public key {path} cannot be read: {error}") from None


def load_public_key(pem: bytes) -> Ed25519PublicKey:
    """Raises KeyFileError."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"no public key: {error}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError("it is not an Ed25519 key")
    return key


def public_pem(key: Ed25519PublicKey) -> str:
    """As `openssl pkey -pubin` reads it."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
