"""Where the lines of a service lie: one file each, a folder each, pods, containers; and who wraps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from tests.long.incidents.draw import Draw
from tests.long.incidents.formats import APPS, SERVERS, Line, Render, zulu
from tests.long.incidents.incident import Entry
from tests.long.incidents.names import lowered, pod

Place = Callable[[Entry], str]

STYLES = ("flat", "flat", "folders", "folders", "pods", "compose", "mixed")


def docker(inner: str, time: datetime) -> str:
    return json.dumps({"log": inner + "\n", "stream": "stdout", "time": zulu(time, 6)}, ensure_ascii=False)


def cri(inner: str, time: datetime) -> str:
    return f"{zulu(time, 6)} stdout F {inner}"


class Shelf:
    """Where and how one service is written down. `host`: what its lines name as the machine; `rotation`: what ends
    the name of its older file."""

    def __init__(self, draw: Draw, service: str, role: str, style: str, host: str, namespace: str) -> None:
        self.draw, self.service, self.role, self.host = draw, service, role, host
        self.style = draw.pick("flat", "folders", "pods", "compose") if style == "mixed" else style
        self.namespace = namespace
        self.render: Render = draw.of(SERVERS[role]) if role in SERVERS else APPS[draw.of(tuple(APPS))]
        self.pods = [pod(draw, service) for _ in range(draw.randint(1, 2))]
        self._folders = [f"{namespace}_{name}_{draw.uuid()}" for name in self.pods]
        self._flat = draw.pick(f"{service}.log", f"{service}.log", f"{service}.out", f"{service}-app.log")
        self._in_folder = draw.pick("app.log", "stdout.log", f"{service}.log", "current.log")
        self._wraps = docker if self.style == "compose" and draw.chance(0.6) else None
        is_wrapped = role == "app" and self.style in ("pods", "compose")
        self.rotation = "" if is_wrapped or role == "kube" else draw.pick("", "", "", "", ".1", ".1.gz")

    def file_of(self, entry: Entry) -> str:
        match self.role:
            case "app" if self.style == "pods":
                return f"{self.draw.of(self._folders)}/{lowered(self.service)}/0.log"
            case "app" if self.style == "compose":
                name = f"{self.namespace}-{self.service}-1"
                return f"{name}-json.log" if self._wraps else f"{name}.log"
            case "app" if self.style == "folders":
                return f"{self.service}/{self._in_folder}"
            case "app":
                return self._flat
            case "node":
                return f"{self.service}/syslog"
            case "edge":
                is_request = entry.message.startswith(("GET ", "POST "))
                return f"{self.service}/{'access' if is_request else 'error'}.log"
            case "kube":
                return f"{self.service}.jsonl"
            case _:
                return f"{self.service}/{self.service}.log" if self.style == "folders" else f"{self.service}.log"

    def text_of(self, entry: Entry, tail: tuple[str, ...] = ()) -> str:
        """One record, over several lines where it has a tail and its format writes text."""
        host = self.namespace if self.role == "kube" else self.host
        line = Line(entry.time, entry.level, entry.message, self.service, host, Draw(f"{self.service} {entry.origin}"))
        first = self.render(line, self.draw)
        lines = [first] if first.startswith("{") else [first, *tail]
        if self.role == "app" and self.style == "pods":
            lines = [cri(one, entry.time) for one in lines]
        elif self._wraps is not None and self.role == "app":
            lines = [docker(one, entry.time) for one in lines]
        return "\n".join(lines)
