"""Fields of several records as those of one."""

from __future__ import annotations

import re
from random import Random

from tests.bench.quotations.corpus import Item
from tests.bench.quotations.fabricating.edits import FABRICATING


@FABRICATING.operator("fields of two records mixed")
def _mixed_records(item: Item, _: Item, random: Random) -> str | None:
    if len(item.records) < 2:
        return None
    first, second = item.fields(0), item.fields(1)
    at = random.randrange(1, len(first))
    fields = [*first[:at], *second[at:]]
    excerpt = "{" + ",".join(fields) + "}" if item.text.startswith("{") else ", ".join(fields)
    is_one_record = any(all(field in item.fields(number) for field in fields) for number in range(2))
    return None if is_one_record else excerpt


@FABRICATING.operator("a value under another key")
def _other_key(item: Item, _: Item, random: Random) -> str | None:
    if not item.records:
        return None
    fields = [re.split(r"(?<=[=:]) ?", field, maxsplit=1) for field in item.fields(0)]
    a, b = random.sample(range(len(fields)), 2)
    separator = ":" if item.text.startswith("{") else "="
    if fields[a][1] == fields[b][1] or not fields[a][0].endswith(separator):
        return None
    said = f"{fields[a][0]}{fields[b][1]}"
    return (
        None if said in item.fields(0) else ", ".join([said, "".join(fields[b])] if random.random() < 0.5 else [said])
    )


@FABRICATING.operator("a field of its own making")
def _invented_field(item: Item, _: Item, random: Random) -> str | None:
    if not item.records:
        return None
    invented = random.choice(("errors=0", "status=healthy", "leak=true", "oom_killed=1"))
    return ", ".join([*item.fields(0)[: random.randint(1, 3)], invented])
