"""Formats that write a line for a request: they have no level, and a status instead."""

from __future__ import annotations

from tests.long.searches.case import Written
from tests.long.searches.layouts import Layout


def _combined(w: Written) -> str:
    e = w.entry
    return f'{e.client} - - [{w.stamp}] "GET {e.path} HTTP/1.1" {e.status} {e.size} "-" "curl/8.5.0"'


def _haproxy(w: Written) -> str:
    e, accepted = w.entry, f"{w.at:%d/%b/%Y:%H:%M:%S}.{w.at.microsecond // 1000:03d}"
    return (
        f"{w.stamp} lb1 {w.service}[{w.number}]: {e.client}:51234 [{accepted}] web~ shop/web1 0/0/1/12/13"
        f' {e.status} {e.size} - - ---- 1/1/0/0/0 0/0 "GET {e.path} HTTP/1.1"'
    )


def _envoy(w: Written) -> str:
    e = w.entry
    return (
        f'[{w.stamp}] "GET {e.path} HTTP/1.1" {e.status} - via_upstream - "-" 0 {e.size} 12 11 "{e.client}" "curl/8.5"'
        f' "a1b2-{w.number}" "shop.example" "10.1.2.3:8080"'
    )


REQUESTS = (
    Layout("combined access", _combined, stamps=("common log",), levels=(), access=True),
    Layout(
        "common access",
        lambda w: f'{w.entry.client} - - [{w.stamp}] "GET {w.entry.path} HTTP/1.1" {w.entry.status} {w.entry.size}',
        stamps=("common log",),
        levels=(),
        access=True,
    ),
    Layout("haproxy", _haproxy, stamps=("bsd",), levels=(), services=("program",), always=True, access=True),
    Layout("istio access", _envoy, stamps=("iso Z millis",), levels=(), access=True),
    Layout(
        "django runserver",
        lambda w: f'[{w.stamp}] "GET {w.entry.path} HTTP/1.1" {w.entry.status} {w.entry.size}',
        stamps=("django",),
        levels=(),
        access=True,
    ),
)
"""A request without a client (django runserver) is asked for by its status."""
