"""`survey_logs`: what the logs of a window say as a whole, what of it is new, what changed near its onset (R90)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from domain.contracts import RetrievalDetails, ToolClass
from domain.events import Source
from domain.evidence.coverage import Coverage
from domain.evidence.survey import Survey, baseline_of, survey_of
from domain.evidence.window import Window, utc_text
from infra.log_reading.search import survey_logs
from infra.log_reading.share import Asked
from infra.reading.limits import ReadingError
from infra.reading.processes import ReadingProcesses, reading_processes
from infra.tools.contract import FunctionTool, Tool, ToolContext, ToolError, ToolResult, json_text
from infra.tools.log_sources import WindowOfLogs, folders_of, refuse_empty, said_doubt

MAX_LIMIT = 100


class SurveyArguments(WindowOfLogs):
    service: str = Field("", description="服务名；空表示全部服务。指定时仍会列出其他服务新出现的异常（elsewhere）")
    onset: datetime | None = Field(
        None, description="事件开始时间，ISO 8601；缺省为首条新出现的 ERROR 及以上消息的时间"
    )
    limit: int = Field(30, ge=1, le=MAX_LIMIT, description="最多返回的条数；新出现的、最严重的在前")

    @model_validator(mode="after")
    def _has_one_beginning(self) -> Self:
        if self.since is not None and self.minutes is not None:
            raise ValueError("give one of since and minutes")
        return self


def survey_tool(sources: Sequence[Source], processes: ReadingProcesses | None = None) -> Tool:
    """The tool over all folders of logs. `processes`: those that read; None: this process's own."""

    async def call(arguments: SurveyArguments, context: ToolContext) -> ToolResult:
        window = arguments.window(context)
        asked = Asked(
            start=window.start,
            end=window.end,
            service=arguments.service,
            level=None,
            query="",
            limit=arguments.limit,
            now=context.now,
            survey_since=baseline_of(window).start,
        )
        folders = folders_of(sources, context)
        try:
            answer, inputs = await survey_logs(folders, asked, processes or reading_processes())
        except ReadingError as error:
            raise ToolError("source", error.message) from error
        refuse_empty(folders, answer.coverage)
        survey = survey_of(window, inputs, onset=arguments.onset, limit=arguments.limit)
        return _result(sources, arguments, window, survey, answer.coverage)

    return FunctionTool(
        name="survey_logs",
        description="概览时间窗口内全部日志：把消息按形态归类，给出次数、首末时间、级别、服务、是否新出现或激增、一条原文示例，"
        "以及事件开始前后的变更（发布、配置、重启、证书等）和多个服务共有的标识。用于“怎么了、为什么”一类的开放问题；"
        "先后顺序不等于因果。",
        arguments=SurveyArguments,
        tool_class=ToolClass.LIVE,
        call=call,
    )


def _result(
    sources: Sequence[Source], arguments: SurveyArguments, window: Window, survey: Survey, coverage: Coverage
) -> ToolResult:
    returned = len(survey.items)
    told = coverage.model_copy(update={"counts": coverage.counts.model_copy(update={"returned": returned})})
    asked = f"service={arguments.service}" if arguments.service else ""
    output: dict[str, Any] = {
        "success": True,
        "source": ", ".join(Path(source.address).resolve().name for source in sources),
        "service": arguments.service,
        "query": asked,
        "window": str(window),
        "baseline": str(survey.baseline),
        "onset": utc_text(survey.onset) if survey.onset else None,
        "items": list(survey.items),
        "total": survey.total,
        "limit": arguments.limit,
        "truncated": returned > 0 or not coverage.complete,  # a digest proves nothing absent, but an empty window
        "message": "；".join(_told(survey, coverage)),
    }
    retrieval = RetrievalDetails(query=asked, window=str(window), coverage=told)
    return ToolResult(json_text(output), True, retrieval=retrieval)


def _told(survey: Survey, coverage: Coverage) -> list[str]:
    said = [] if survey.items else ["窗口内没有日志"]
    if survey.unlisted:
        said.append(f"{survey.unlisted} 条记录未能归类")
    return [*said, *map(said_doubt, coverage.doubts)]
