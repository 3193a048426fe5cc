"""Formats that nobody has: no parser can have a row for them. What they hold is text."""

from __future__ import annotations

from collections.abc import Callable

from tests.long.searches.case import Written
from tests.long.searches.layouts import Layout, compact
from tests.long.searches.stamps import MONTHS

LEVELS = ("upper", "lower", "three letters", "unseen german", "unseen sev", "unseen marks")


def _stanza(w: Written) -> str:
    return f"--- {w.stamp}\nseverity: {w.level}; component: {w.service or '-'}; text: {w.message}"


def _element(w: Written) -> str:
    text = w.message.replace("&", "&amp;").replace("<", "&lt;")
    return f'<entry at="{w.stamp}" sev="{w.level}" svc="{w.service}"><text>{text}</text></entry>'


def _foreign(w: Written) -> str:
    return compact({"wann": w.stamp, "stufe": w.level, "dienst": w.service, "nachricht": w.message})


def _chinese(w: Written) -> str:
    at = w.at
    when = f"{at:%Y}年{at:%m}月{at:%d}日{at:%H}时{at:%M}分{at:%S}秒"
    return f"{when}【{w.level}】{w.service or '某服务'}：{w.message}"


def _late(w: Written) -> str:
    at = w.at
    return f"#{w.service or '-'}# {w.message} #{w.level}# {at:%H:%M:%S} on {at.day} {MONTHS[at.month - 1]} {at:%Y}"


def _unseen(name: str, write: Callable[[Written], str], stamps: tuple[str, ...], head: str = "") -> Layout:
    return Layout(name, write, stamps=stamps, levels=LEVELS, services=("field",), unseen=True, head=head)


UNSEEN = (
    _unseen("pipes", lambda w: f"{w.stamp}|{w.level}|{w.service}|{w.message}", ("iso Z", "blank and offset")),
    _unseen("at sign", lambda w: f"@{w.stamp} <{w.level}> [{w.service}] {w.message}", ("epoch fraction", "epoch")),
    _unseen("braces", lambda w: f"{{{w.service}}} ({w.level}) [{w.stamp}] {w.message}", ("dots", "blank and offset")),
    _unseen("arrows", lambda w: f">> {w.stamp} :: {w.service} :: {w.level} :: {w.message}", ("iso basic", "iso Z")),
    _unseen("elements", _element, ("iso Z", "iso offset")),
    _unseen("stanzas", _stanza, ("blank and offset", "blank")),
    _unseen(
        "semicolons",
        lambda w: f'{w.stamp};{w.level};{w.service};"{w.message}"',
        ("iso Z", "dots", "epoch millis"),
        head="wann;stufe;teil;satz",
    ),
    _unseen("foreign keys", _foreign, ("iso Z", "iso offset")),
    _unseen("chinese date", _chinese, ("blank",)),
    _unseen("stamp at the end", _late, ("blank",)),
    _unseen(
        "since start", lambda w: f"T+{w.number * 7}.{w.number % 1000:03d}s {w.service} {w.level} {w.message}", ("none",)
    ),
    _unseen("lists", lambda w: f'(log (at "{w.stamp}") (lvl {w.level}) (svc {w.service}) "{w.message}")', ("iso Z",)),
)
