"""What a seed draws: names, numbers and the small parts of lines that differ each time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")

VARIABLE = re.compile(r"%(\w+)%")
HEX = "0123456789abcdef"
CONSONANTS = "bcdfghjklmnpqrstvwxz2456789"
PATHS = ("/api/v1/{}", "/v2/{}", "/{}", "/internal/{}", "/rest/{}/search")
THINGS = ("orders", "carts", "items", "quotes", "invoices", "users", "shipments", "offers", "tickets", "sessions")
PEOPLE = ("mara", "j.okafor", "lin.wei", "svc-deploy", "t.brandt", "priya", "ci-bot", "release-bot", "hanna.k")


class Draw(Random):
    """A random source with the shapes that log lines are made of. The same seed draws the same."""

    def pick(self, *choices: T) -> T:
        return self.choice(choices)

    def of(self, choices: Sequence[T]) -> T:
        return self.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random() < share

    def hex(self, length: int) -> str:
        return "".join(self.choice(HEX) for _ in range(length))

    def tag(self, length: int) -> str:
        """As Kubernetes ends the names of pods."""
        return "".join(self.choice(CONSONANTS) for _ in range(length))

    def ip(self) -> str:
        return f"10.{self.randint(0, 244)}.{self.randint(0, 254)}.{self.randint(2, 253)}"

    def path(self) -> str:
        path = self.of(PATHS).format(self.of(THINGS))
        return path if self.chance(0.5) else f"{path}/{self.randint(100, 99_999)}"

    def uuid(self) -> str:
        return "-".join(self.hex(length) for length in (8, 4, 4, 4, 12))

    def filled(self, text: str) -> str:
        """`text` with each `%variable%` drawn anew."""
        return VARIABLE.sub(lambda found: self._variable(found[1]), text)

    def _variable(self, name: str) -> str:
        match name:
            case "ms":
                return str(self.randint(3, 480))
            case "slow":
                return str(self.randint(1_100, 29_000))
            case "n":
                return str(self.randint(2, 90))
            case "id":
                return str(self.randint(10_000, 9_999_999))
            case "req":
                return self.hex(16)
            case "uuid":
                return self.uuid()
            case "ip":
                return self.ip()
            case "port":
                return str(self.randint(32_000, 60_900))
            case "path":
                return self.path()
            case "user":
                return f"{self.of(PEOPLE)}"
            case "kb":
                return str(self.randint(400, 90_000))
            case _:
                raise ValueError(f"no variable {name}")
