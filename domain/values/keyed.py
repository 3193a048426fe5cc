"""A number belongs to the key it stands under: threshold=85% is no threshold of 91% (R37)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from domain.values.relations import Numbers, family, fits
from domain.values.value import Value

_ITEM_KEY = re.compile(r"(?<![A-Za-z0-9_.])(?P<key>[A-Za-z_][A-Za-z0-9_.]{0,63})\s?[=:]\s?[\"']?\Z")
_CLAIM_KEY = re.compile(
    r"(?<![A-Za-z0-9_.\-])(?P<key>[A-Za-z_][A-Za-z0-9_.]{0,63}|阈值)\s?(?:(?:[=:：]|为|是)\s?[\"']?)?\Z"
)
_CALLED = {"阈值": "threshold"}


class Keyed:
    """The numbers of some texts by the key before them."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], set[Fraction]] = defaultdict(set)

    def read(self, values: Sequence[Value]) -> None:
        for value in values:
            key = _ITEM_KEY.search(value.lead)
            if key and not value.extent:
                self._numbers[key["key"].casefold(), family(value.dimension)].add(value.number)

    def contradict(self, value: Value) -> bool:
        """Whether the claim writes a value behind a key that the items have, and they have others there alone."""
        key = _CLAIM_KEY.search(value.lead)
        if key is None or value.extent:
            return False
        name = _CALLED.get(key["key"], key["key"]).casefold()
        known = self._numbers.get((name, family(value.dimension)))
        if not known:
            return False
        return not fits(value, Numbers(known))
