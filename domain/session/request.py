"""What a caller asked, as a hash that tells whether a second request by the same idempotency key is the same (R10).

Over the request as it was given: neither masking nor configuration changes it. Keyed with the session's own key, so
that nobody can guess at what was asked once the session is erased. One part for each thing that may differ, so that an
error can name it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence

PARTS = ("question", "sources", "time")
_LENGTH = 32


def request_hash(secret: bytes, *, question: str, sources: Mapping[str, Sequence[str]], time: str) -> str:
    """`sources`: what was given of them, by option. `time`: the session's clock, "" where none was given."""
    named = {name: list(places) for name, places in sources.items() if places}
    given = zip(PARTS, (question, json.dumps(named, sort_keys=True), time), strict=True)
    return ".".join(_hashed(secret, f"assay request {part}\0{text}") for part, text in given)


def _hashed(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()[:_LENGTH]


def differing(recorded: str, asked: str) -> list[str]:
    """The names of the parts that are not the same."""
    pairs = zip(PARTS, recorded.split("."), asked.split("."), strict=True)
    return [part for part, one, other in pairs if not hmac.compare_digest(one, other)]
