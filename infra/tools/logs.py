"""`query_logs`: a folder of log files, searched as a stream by service, level, words and time window."""

from __future__ import annotations

import asyncio
import heapq
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from domain.contracts import RetrievalDetails, ToolClass
from domain.language.form import search_form
from infra.tools.contract import Arguments, FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.log_files import log_files, origin_of, read_lines
from infra.tools.log_formats import Entry, is_level, level_name, read_entries
from infra.tools.log_words import Words, read_query
from infra.tools.windows import Window, utc_text

TIMEOUT_S = 60.0
MAX_LIMIT = 200


class LogArguments(Arguments):
    service: str = Field("", description="服务名，整词匹配；空表示全部服务")
    query: str = Field(
        "", description="关键词，空格分隔，命中任一即可；需同时出现时用 AND；短语加双引号；支持同义词", max_length=1_000
    )
    level: str = Field("", description="日志级别，如 ERROR；多个用逗号分隔；空表示不限")
    minutes: int | None = Field(None, ge=1, description="窗口长度（分钟），截至 until 或当前时间；缺省为默认窗口")
    since: datetime | None = Field(None, description="窗口起点，ISO 8601，缺省时区为 UTC")
    until: datetime | None = Field(None, description="窗口终点，ISO 8601；缺省为当前时间")
    limit: int = Field(20, ge=1, le=MAX_LIMIT, description="最多返回的条数；超出时保留最新的，total 为全部命中数")

    @field_validator("level")
    @classmethod
    def _is_of_known_levels(cls, value: str) -> str:
        if unknown := [level for level in _levels(value) if not is_level(level)]:
            raise ValueError(f"unknown level {', '.join(unknown)}")
        return value

    @field_validator("since", "until")
    @classmethod
    def _is_utc_by_default(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value

    @model_validator(mode="after")
    def _has_one_beginning(self) -> Self:
        if self.since and self.minutes:
            raise ValueError("give either since or minutes, not both")
        return self

    def window(self, context: ToolContext) -> Window:
        """The span asked for, or the default one before the session's `now` (R9). Raises ToolError if it is empty."""
        end = self.until or context.now
        try:
            start = self.since or end - timedelta(minutes=self.minutes or context.window_minutes)
        except OverflowError as error:
            raise ToolError("bad_arguments", "minutes: the window begins before year 1") from error
        if start > end:
            raise ToolError("bad_arguments", f"the window is empty: {utc_text(start)} lies after {utc_text(end)}")
        return Window(start, end)


@dataclass(frozen=True, slots=True)
class LogQuery:
    """The conditions that an entry must meet, all of them."""

    service: str
    levels: frozenset[str]
    words: Words
    window: Window

    def selects(self, entry: Entry) -> bool:
        """Whether an entry is of the service and lies in the window and level; an undated one could lie there."""
        if self.service and entry.services and self.service.casefold() not in map(str.casefold, entry.services):
            return False
        return entry.time is None or (entry.time in self.window and (not self.levels or entry.level in self.levels))


@dataclass(slots=True)
class Found:
    """The newest `limit` matches in the window, the number of all, and what may hide more of them."""

    limit: int
    total: int = 0
    newest: list[tuple[datetime, int, Entry]] = field(default_factory=list)
    undated: int = 0  # matches without a time that was understood
    unreadable: int = 0  # entries whose text was cut or could not be decoded
    unreadable_files: list[str] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        if entry.time is None:
            self.undated += 1
            return
        self.total += 1
        keep = heapq.heappush if len(self.newest) < self.limit else heapq.heappushpop
        keep(self.newest, (entry.time, self.total, entry))

    def doubts(self) -> list[str]:
        """Why the answer may be incomplete; then no absence may be read off it (R20)."""
        said = [f"{file} 无法读取" for file in self.unreadable_files]
        if self.undated:
            said.append(f"另有 {self.undated} 条匹配的日志没有可识别的时间，未计入")
        if self.unreadable:
            said.append(f"另有 {self.unreadable} 条日志过长或编码不明，未能完整检索")
        return said


def logs_tool(folder: Path) -> Tool:
    """The tool over one folder."""

    async def call(arguments: LogArguments, context: ToolContext) -> ToolResult:
        return await asyncio.to_thread(_answer, folder, arguments, context)

    return FunctionTool(
        name="query_logs",
        description="按服务、级别、关键词和时间窗口检索应用日志。返回窗口内最新的若干条（按时间升序）和命中总数。",
        arguments=LogArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


def _answer(folder: Path, arguments: LogArguments, context: ToolContext) -> ToolResult:
    words, service = read_query(arguments.query, arguments.service)
    levels = frozenset(map(level_name, _levels(arguments.level)))
    query = LogQuery(service, levels, words, arguments.window(context))
    return _result(folder, arguments, query, _search(folder, query, arguments.limit, context.now))


def _levels(written: str) -> list[str]:
    return [part.strip() for part in written.split(",") if part.strip()]


def _search(folder: Path, query: LogQuery, limit: int, now: datetime) -> Found:
    """Reads every file once, as a stream. Raises ToolError where there is no log file, TimeoutError."""
    files = log_files(folder)
    if not files:
        raise ToolError("source", f"no log file (.log, .jsonl, .json, .txt, …) below {folder}")
    found = Found(limit)
    deadline = time.monotonic() + TIMEOUT_S
    for file in files:
        try:
            lines = _until(deadline, read_lines(file), folder)
            for entry in filter(query.selects, read_entries(lines, origin_of(file, folder), now)):
                if query.words.stand_in(search_form(entry.message)):
                    found.add(entry)
                else:
                    found.unreadable += not entry.is_readable
        except TimeoutError:
            raise
        except (OSError, EOFError, zlib.error) as error:
            found.unreadable_files.append(f"{file.relative_to(folder)}（{error}）")
    return found


def _until(deadline: float, lines: Iterator[tuple[str, bool]], folder: Path) -> Iterator[tuple[str, bool]]:
    for number, line in enumerate(lines):
        if number % 1_000 == 0 and time.monotonic() > deadline:
            raise TimeoutError(f"{folder} could not be read within {TIMEOUT_S:.0f} s")
        yield line


def _result(folder: Path, arguments: LogArguments, query: LogQuery, found: Found) -> ToolResult:
    asked = ", ".join(
        f"{name}={value}"
        for name, value in (("service", query.service), ("level", arguments.level), ("words", arguments.query))
        if value
    )
    output: dict[str, Any] = {
        "success": True,
        "source": folder.resolve().name,
        "service": query.service,
        "query": asked,
        "window": str(query.window),
        "logs": [_row(at, entry, query.service) for at, _, entry in sorted(found.newest)],
        "total": found.total,
        "limit": arguments.limit,
        "truncated": found.total > arguments.limit or bool(found.doubts()),
        "message": "；".join([*([] if found.total else ["未找到匹配的日志"]), *found.doubts()]),
    }
    return ToolResult(json_text(output), True, retrieval=RetrievalDetails(query=asked, window=str(query.window)))


def _row(at: datetime, entry: Entry, service: str) -> dict[str, str]:
    """An entry under the name of the service it was asked for by, if any."""
    named = next((name for name in entry.services if name.casefold() == service.casefold()), entry.services[0])
    return {"timestamp": utc_text(at), "level": entry.level, "service": named, "message": entry.message}
