"""`query_logs`: folders of log files, searched by service, level, words and time window, with an account (R68, R69)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import MOST_NAMED
from domain.evidence.log_answer import LogAnswer
from domain.evidence.window import Window, utc_text
from domain.language.levels import Level, level_of
from infra.log_reading.search import search_logs
from infra.log_reading.share import Asked
from infra.reading.limits import ReadingError
from infra.reading.processes import ReadingProcesses, reading_processes
from infra.tools.contract import FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.log_sources import WindowOfLogs, folders_of, refuse_empty, said_doubt
from infra.tools.log_words import read_query

MAX_LIMIT = 200


class LogArguments(WindowOfLogs):
    service: str = Field("", description="服务名（含其副本、Pod、容器）；空表示全部服务")
    query: str = Field(
        "", description="关键词，空格分隔，命中任一即可；需同时出现时用 AND；短语加双引号；支持同义词", max_length=1_000
    )
    level: str = Field("", description="最低日志级别，如 ERROR（更严重的也算）；空表示不限")
    ever: bool = Field(False, description="不限起点，检索全部历史")
    limit: int = Field(20, ge=1, le=MAX_LIMIT, description="最多返回的条数；超出时保留最新的，total 为全部命中数")

    @field_validator("level")
    @classmethod
    def _is_of_known_levels(cls, value: str) -> str:
        if unknown := [level for level in _parts(value) if level_of(level) is None]:
            raise ValueError(f"unknown level {', '.join(unknown)}")
        return value

    @model_validator(mode="after")
    def _has_one_beginning(self) -> Self:
        if sum((self.since is not None, self.minutes is not None, self.ever)) > 1:
            raise ValueError("give one of since, minutes and ever")
        return self

    def window(self, context: ToolContext) -> Window:
        """The span asked for, or the default one before the session's `now` (R9). Raises ToolError if it is empty."""
        return Window(None, self.until or context.now) if self.ever else WindowOfLogs.window(self, context)

    @property
    def least_level(self) -> Level | None:
        """The least of the levels that are named; the worse ones are meant, too (R68)."""
        return min((level for part in _parts(self.level) if (level := level_of(part)) is not None), default=None)


def logs_tool(
    sources: Sequence[Source], processes: ReadingProcesses | None = None, most_named: int = MOST_NAMED
) -> Tool:
    """The tool over all folders of logs. `processes`: those that read; None: this process's own. `most_named`: how many
    inputs of a kind its coverage names."""

    async def call(arguments: LogArguments, context: ToolContext) -> ToolResult:
        _, service = read_query(arguments.query, arguments.service)
        window = arguments.window(context)
        level = arguments.least_level
        asked = Asked(
            start=window.start,
            end=window.end,
            service=service,
            level=None if level is None else int(level),
            query=arguments.query,
            limit=arguments.limit,
            now=context.now,
        )
        folders = folders_of(sources, context)
        try:
            own = processes or reading_processes()
            answer = await search_logs(folders, asked, _words(arguments.query), own, most_named)
        except ReadingError as error:
            raise ToolError("source", error.message) from error
        refuse_empty(folders, answer.coverage)
        return _result(sources, arguments, service, window, answer)

    return FunctionTool(
        name="query_logs",
        description="按服务、级别、关键词和时间窗口检索应用日志。返回窗口内最新的若干条（按时间升序）、命中总数和检索范围说明"
        "（coverage：读了什么、没读什么、有哪些疑点）。只有 coverage.complete 为真时才能断言未检索到。",
        arguments=LogArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


def _parts(written: str) -> list[str]:
    return [part.strip() for part in written.split(",") if part.strip()]


def _words(query: str) -> tuple[str, ...]:
    return (" ".join(query.split()),) if query.strip() else ()


def _result(
    sources: Sequence[Source], arguments: LogArguments, service: str, window: Window, answer: LogAnswer
) -> ToolResult:
    asked = ", ".join(
        f"{name}={value}"
        for name, value in (("service", service), ("level", arguments.level), ("words", arguments.query))
        if value
    )
    coverage = answer.coverage
    output: dict[str, Any] = {
        "success": True,
        "source": ", ".join(Path(source.address).resolve().name for source in sources),
        "service": service,
        "query": asked,
        "window": str(window),
        "logs": [found.row() for found in answer.found],
        "total": answer.total,
        "limit": arguments.limit,
        "truncated": answer.total > arguments.limit or not coverage.complete,
        "message": "；".join(_told(answer, window)),
    }
    retrieval = RetrievalDetails(query=asked, window=str(window), coverage=coverage)
    return ToolResult(json_text(output), True, retrieval=retrieval)


def _told(answer: LogAnswer, window: Window) -> list[str]:
    """In words what the coverage says in figures."""
    said = [] if answer.total else ["未找到匹配的日志"]
    if answer.newest and window.start and answer.newest < window.start:
        said.append(f"窗口内没有记录，最新一条为 {utc_text(answer.newest)}")
    return [*said, *map(said_doubt, answer.coverage.doubts)]
