"""What `query_metrics` can be asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from domain.evidence.window import Window, utc_text
from infra.tools.contract import Arguments, ToolError

MAX_LIMIT = 200
_NO_CONDITIONS = {"minutes", "since", "until", "limit"}


class MetricsArguments(Arguments):
    alert_name: str = Field("", description="告警名，如 HighMemoryUsage；空表示全部告警")
    service: str = Field(
        "", description="服务名，与标签（service、app、pod、deployment、container、namespace、job、instance 等）匹配"
    )
    state: Literal["", "firing", "pending"] = Field("", description="告警状态；空表示不限")
    expr: str = Field(
        "",
        description="PromQL 或指标名；给出时返回其值而不是告警：缺省为当前值，给出时间窗时为首末值、最值、均值和走向",
        max_length=4_000,
    )
    minutes: int | None = Field(None, ge=1, description="expr 的时间窗长度（分钟），截至 until 或当前时间")
    since: datetime | None = Field(None, description="expr 时间窗的起点，ISO 8601，缺省时区为 UTC")
    until: datetime | None = Field(None, description="expr 时间窗的终点；单独给出时为取值时刻；缺省为当前时间")
    limit: int = Field(30, ge=1, le=MAX_LIMIT, description="最多返回的条数；超出时保留最严重的，total 为全部命中数")

    @field_validator("since", "until")
    @classmethod
    def _is_utc_by_default(cls, value: datetime | None) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value

    @model_validator(mode="after")
    def _has_one_beginning(self) -> Self:
        if self.since is not None and self.minutes is not None:
            raise ValueError("give one of since and minutes")
        if not self.expr and (self.since or self.until or self.minutes):
            raise ValueError("a window needs expr: alerts are those of now")
        return self

    def window(self, now: datetime) -> Window:
        """The span asked for; without one, the moment. Raises ToolError if it is empty."""
        end = self.until or now
        try:
            start = self.since or end - timedelta(minutes=self.minutes or 0)
        except OverflowError as error:
            raise ToolError("bad_arguments", "minutes: the window begins before year 1") from error
        if start > end:
            raise ToolError("bad_arguments", f"the window is empty: {utc_text(start)} lies after {utc_text(end)}")
        return Window(start, end)

    @property
    def query(self) -> str:
        """What is asked for, in a line; the window stands apart."""
        given = self.model_dump(exclude_defaults=True, exclude=_NO_CONDITIONS)
        return ", ".join(f"{name}={value}" for name, value in given.items())
