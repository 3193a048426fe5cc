"""What the tools over folders of logs share: the window they ask for, the folders, and doubts in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pydantic import Field, field_validator

from domain.events import Source
from domain.evidence.coverage import Coverage, Doubt, DoubtKind
from domain.evidence.window import Window, utc_text
from infra.log_reading.share import LogFolder
from infra.tools.contract import Arguments, ToolContext, ToolError


class WindowOfLogs(Arguments):
    minutes: int | None = Field(None, ge=1, description="窗口长度（分钟），截至 until 或当前时间；缺省为默认窗口")
    since: datetime | None = Field(None, description="窗口起点，ISO 8601，缺省时区为 UTC")
    until: datetime | None = Field(None, description="窗口终点，ISO 8601；缺省为当前时间")

    @field_validator("since", "until", "onset", check_fields=False)
    @classmethod
    def _is_utc_by_default(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value

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


def folders_of(sources: Sequence[Source], context: ToolContext) -> list[LogFolder]:
    """Of several sources each one's inputs are named with it."""
    return [
        LogFolder(
            path=source.address,
            zone=source.zone or context.zone,
            zone_known=source.zone is not None,
            exclude=source.exclude,
            services=source.services,
            prefix=f"{source.name}/" if len(sources) > 1 else "",
        )
        for source in sources
    ]


def refuse_empty(folders: Sequence[LogFolder], coverage: Coverage) -> None:
    """Raises ToolError if there was nothing to read at all."""
    if not (coverage.counts.inputs or coverage.unread or coverage.excluded):
        raise ToolError("source", f"{', '.join(folder.path for folder in folders)} holds nothing to read")


def said_doubt(doubt: Doubt) -> str:
    if doubt.unknown:
        near = f"，最接近的是 {'、'.join(doubt.nearest)}" if doubt.nearest else ""
        return f"没有名为 {doubt.unknown} 的服务{near}"
    year = f"，其中 {doubt.yearless} 条时间未写年份" if doubt.yearless else ""
    what = "个输入未能读取" if doubt.kind is DoubtKind.INPUT else f"条记录存疑（{doubt.kind}{year}）"
    return f"{doubt.count} {what}"
