"""Words of time in Chinese and English, a concept a row: units, days, parts of the day, cues (R70).

Lower case, half width, simplified characters: `question/when/form.py` folds what it reads to that form.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


def listed(zh: str, en: str) -> tuple[str, ...]:
    """The words of both languages: in Chinese blanks stand between them, in English commas."""
    return (*zh.split(), *(word.strip() for word in en.split(",") if word.strip()))


class Row(NamedTuple):
    """One concept: its value and its words."""

    value: int
    zh: str
    en: str

    @property
    def words(self) -> tuple[str, ...]:
        return listed(self.zh, self.en)


class Part(NamedTuple):
    """A part of a day from `start` to `end` o'clock; hours said with it are from `low` to `high` (晚上 8 点: 20)."""

    start: int
    end: int
    low: int
    high: int
    zh: str
    en: str


class Zone(NamedTuple):
    offset: str  # as ISO 8601 writes it; "" where the name has several meanings
    zh: str
    en: str


class Cue(StrEnum):
    """Words that say how a time or a length is meant."""

    LAST = "last"
    NEXT = "next"
    AGO = "ago"
    WITHIN = "within"
    SINCE = "since"
    ONWARD = "onward"  # behind a time: since then
    FROM = "from"
    TO = "to"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"
    AROUND = "around"
    BETWEEN = "between"
    AND = "and"
    FOLLOWING = "following"  # the day after the one that was named
    HAPPENED = "happened"  # 发布后: after a time it is 之后, alone a time that only others know
    TO_HAPPEN = "to happen"
    EVER = "ever"
    NOW = "now"
    HABIT = "habit"
    VAGUE = "vague"
    SAME = "same"  # the same time on another day; alone it says nothing
    COMPARED = "compared"  # 比昨天: two periods
    EARLIER = "earlier"  # says nothing beside a day and is vague alone
    LINK = "link"


# ---------------------------------------------------------------- lengths

UNITS = (
    Row(1, "秒钟 秒", "seconds, second, secs, sec, s"),
    Row(60, "分钟 分", "minutes, minute, mins, min, m"),
    Row(900, "刻钟", ""),
    Row(3600, "个小时 小时 个钟头 钟头 个钟", "hours, hour, hrs, hr, h"),
    Row(86_400, "天 日", "days, day, d"),
    Row(604_800, "周 个星期 星期 个礼拜 礼拜", "weeks, week, wks, wk, w"),
    Row(2_592_000, "个月", "months, month"),
    Row(31_536_000, "年", "years, year, yrs, yr"),
)
"""Seconds; a month is 30 days and a year 365 where they are lengths."""
BARE_UNITS = listed("个小时 小时 个钟头 钟头", "hour, minute, day, week, month, year")
FEW = listed(
    "好几十 好几 几十 十几 几 数十 数 若干 多少 好些 一些", "a few, few, several, some, a couple of, couple of, many"
)
"""Numbers that are none."""

# ---------------------------------------------------------------- days

DAYS = (
    Row(-3, "大前天", ""),
    Row(-2, "前天 前日", "the day before yesterday, day before yesterday"),
    Row(-1, "昨天 昨日 昨儿", "yesterday"),
    Row(0, "今天 今日 今儿", "today"),
    Row(1, "明天 明日 明儿", "tomorrow"),
    Row(2, "后天 后日", "the day after tomorrow, day after tomorrow"),
)
SHORT_DAYS = (Row(-2, "前", ""), Row(-1, "昨", "last"), Row(0, "今", "this"), Row(1, "明", ""))  # before 早, morning
PARTS = (
    Part(0, 6, 0, 8, "凌晨 后半夜", "small hours, early hours, early morning"),
    Part(6, 18, 6, 18, "白天 日间", "daytime"),
    Part(6, 12, 0, 12, "早上 早晨 清晨 清早 一早 早间 上午 午前", "morning, forenoon"),
    Part(11, 13, 11, 14, "中午 午间", ""),
    Part(12, 18, 12, 19, "下午 午后", "afternoon"),
    Part(18, 24, 17, 28, "晚上 晚间 夜晚 傍晚 夜里 夜间 入夜", "evening, night"),
    Part(22, 29, 21, 29, "深夜 半夜 大半夜", "the middle of the night, the dead of night"),
)
WHOLE_DAY = Part(0, 24, 0, 24, "一整天 整天 全天", "all day, the whole day, the entire day")
MORNING, EVENING = PARTS[2], PARTS[5]
EARLY_MORNING = Part(0, 12, 0, 12, "", "")
SHORT_PARTS = {"早": MORNING, "晨": EARLY_MORNING, "晚": EVENING, "夜": EVENING}
NIGHT = Part(18, 30, 18, 30, "晚上 晚间 夜里 夜间 晚 夜", "")
"""昨晚, last night: it goes on until 6 o'clock of today."""
LAST_NIGHT = "last night, yesterday night, overnight, all night, during the night, through the night, in the night"
EARLY = listed("", "early this morning, early yesterday morning")
NIGHT_BEFORE = listed("", "the night before last")
TONIGHT = "tonight"

WEEKDAYS = (
    Row(0, "一 1", "monday, mon"),
    Row(1, "二 2", "tuesday, tues, tue"),
    Row(2, "三 3", "wednesday, wed"),
    Row(3, "四 4", "thursday, thurs, thu"),
    Row(4, "五 5", "friday, fri"),
    Row(5, "六 6", "saturday, sat"),
    Row(6, "日 天 7", "sunday, sun"),
)
WEEK_WORDS = "周 星期 礼拜"
ORDINALS = listed(
    "",
    "first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth, thirteenth"
    ", fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth, twentieth",
)
MONTHS = (
    *("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug"),
    *("september sept sep", "october oct", "november nov", "december dec"),
)


class Span(StrEnum):
    """Stretches of the calendar."""

    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


SPANS = (
    (Span.WEEKEND, "周末", "weekend"),
    (Span.WEEK, "周 星期 礼拜", "week"),
    (Span.MONTH, "月份 月", "month"),
    (Span.QUARTER, "季度 季", "quarter"),
    (Span.YEAR, "年度", "year"),
)
SHIFTS = (
    Row(-2, "上上个 上上", ""),
    Row(-1, "上一个 上个 上一 上", "last, previous"),
    Row(0, "这一个 这个 这一 这 本 当", "this, the current, current, all, the whole, the entire"),
    Row(1, "下一个 下个 下一 下", "next, the coming, coming"),
)
YEARS = (Row(-2, "前年", ""), Row(-1, "去年", ""), Row(0, "今年", ""), Row(1, "明年", ""))

# ---------------------------------------------------------------- clocks

CLOCKS = (Row(0, "午夜 子夜", "midnight"), Row(12, "正午", "noon, midday, noontime"))
QUARTERS = {"一刻": 15, "1刻": 15, "半": 30, "三刻": 45, "3刻": 45}
MINUTES_PAST = {"quarter": 15, "a quarter": 15, "half": 30, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
ZONES = (
    Zone("+00:00", "世界时 协调世界时 格林威治时间", "utc, gmt, z"),
    Zone("+08:00", "北京时间 东八区 中国时间 上海时间 香港时间", "beijing time, china time, shanghai time, hkt, sgt"),
    Zone("+09:00", "东京时间 日本时间", "jst, kst, tokyo time"),
    Zone("+10:00", "", "aest"),
    Zone("+01:00", "", "cet"),
    Zone("+02:00", "", "cest, eet"),
    Zone("+03:00", "", "msk, eest"),
    Zone("-05:00", "", "est"),
    Zone("-04:00", "", "edt"),
    Zone("-06:00", "", "cdt"),
    Zone("-07:00", "", "pdt"),
    Zone("-08:00", "", "pst"),
    Zone(
        "", "美国时间 纽约时间 美东时间 当地时间 本地时间", "cst, ist, bst, mst, mdt, ast, eastern time, pacific time"
    ),
)

# ---------------------------------------------------------------- cues

CUES = {
    Cue.LAST: (
        "最近 近 过去 刚过去 此前 上一 上个 这",
        "last, past, previous, preceding, prior, trailing, most recent",
    ),
    Cue.NEXT: ("未来 接下来 今后 下一 下个 将来", "next, coming, upcoming"),
    Cue.AGO: ("", "ago, back"),
    Cue.WITHIN: ("以内 之内 内 里", ""),
    Cue.SINCE: ("", "ever since, since, starting from, starting at, starting"),
    Cue.ONWARD: ("以来 开始 起", "onwards, onward, and later, or later"),
    Cue.FROM: ("自从 从 自", "from"),
    Cue.TO: ("一直到 到 至", "to, through, thru"),
    Cue.UNTIL: ("直到 截至 截止到 截止", "until, till, up until, up to, by, no later than"),
    Cue.BEFORE: ("之前 以前 前", "before, prior to, earlier than"),
    Cue.AFTER: ("之后 以后 过后 后", "after, later than"),
    Cue.AROUND: (
        "左右 前后 上下 附近 大约 大概 大致 约 差不多",
        "around, about, approximately, approx, circa, roughly, near, or so, either side of, plus or minus, +/-, ±",
    ),
    Cue.BETWEEN: ("介于", "between"),
    Cue.AND: ("和 与 跟 及", "and"),
    Cue.FOLLOWING: ("次日 第二天 翌日 隔天", "the next day, the following day"),
    Cue.EVER: (
        "历史上 全部历史 所有历史 整个历史 有史以来 从未 从来 从没 一直以来 自上线以来 上线以来 任何时候 任何时间"
        " 任意时间 任意时段 所有时段 全部时段 全时段 整个时间段 不限时间 迄今 所有时间 全部时间 曾经",
        "ever, never, at any time, at any point, all time, all-time, in history, historically, at all times, so far",
    ),
    Cue.NOW: (
        "现在 当前 目前 此刻 眼下 如今 当下",
        "right now, just now, as of now, as of today, now, currently, at the moment, at present, the present, present"
        ", this moment",
    ),
    Cue.HABIT: (
        "每天 每日 每晚 每周一 每周二 每周三 每周四 每周五 每周六 每周日 每周 每月 每年 每个月 每小时 每隔 每",
        "every, each, per, daily, nightly, weekly, hourly, monthly",
    ),
    Cue.VAGUE: (
        "前阵子 前一阵子 前一阵 前段时间 前一段时间 前些天 前些日子 前些时候 前两天 这两天 前不久 不久前 不久之前"
        " 好久以前 很久以前 很久之前 从那以后 自那以后 从那时起 自那时起 某个时候 某天 那会儿 那时候 那时 那几天"
        " 那段时间 这段时间 这阵子 那阵子 月初 月中 月底 月末 年初 年底 年末 上旬 中旬 下旬 上半年 下半年 上班前"
        " 上班后 下班前 下班后 业务高峰期 高峰期 高峰时段 高峰时间 早高峰 晚高峰 低峰期 工作时间 上班时间"
        " 下班时间 非工作时间 前一天 前一晚 头一天 午饭后 午饭前 午休 饭后 早九晚五 年中",
        "a while ago, a little while ago, a while back, a bit ago, some time ago, some days ago, a long time ago"
        ", not long ago, the other day, the other night, the other week, the previous day, previous day, since then"
        ", back then, these days, peak hours, peak time, rush hour, business hours, working hours, office hours"
        ", off-hours, off-peak, on weekdays, on weekends, after lunch, before lunch, over lunch"
        ", during lunch, lunchtime",
    ),
    Cue.SAME: (
        "这个时候 这个时间 这个点 这会儿 此时 同一时间 同时段 同期",
        "this time, the same time, same time, same period",
    ),
    Cue.COMPARED: ("比 较 相比 对比", "than, compared with, compared to, vs, versus"),
    Cue.EARLIER: ("早些时候 晚些时候 稍早 早前", "earlier on, earlier"),
    Cue.LINK: (
        "之间 期间 那天 当天 当日 这天 这一天 为止 的 在 于 各",
        "o'clock, oclock, sharp, that day, the start of, the beginning of, at, on, in, the, of"
        ", during, over, for, within",
    ),
}
EVER_BEFORE = listed("以前 之前 此前 过去 先前", "in the past, before, previously")
"""The same where no time belongs to them: has it happened before?"""
ASKING = "有没有 有无 有过 有 还有 是否 是不是 也 都 曾 出现过 发生过 出过 没有 报过 没"
"""Words behind 之前 that make it a period of its own: 之前有没有出现过."""
DASHES = "-–—~〜−‒―→"
NOT_BEHIND = {"比": "同环占", "较": "比", "近": "附接将临靠邻", "自": "来各", "从": "服"}
NOT_BEFORE = {
    **{"比": "例较如率特", "较": "多少大小高低好长短快慢为"},
    **{"前": "端台置缀任提者往锋", "后": "端台续缀者果置来", "起": "来码因始点", "内": "存部容网核", "里": "面程"},
    **{"至": "少于多", "自": "动己身然", "从": "而属库节", "及": "时其", "约": "束定", "上午": "好", "下午": "好"},
    **{"早上": "线好", "晚上": "线好", "中午": "好", "晚": "点于期了些", "早": "已就于期些点", "以来": "", "和": "平"},
}
"""Characters before and behind a word that make another one of it: 接近; 内存, 前端, 早上线."""
EVENTS = (
    "发布 上线 部署 重启 升级 变更 扩容 缩容 回滚 迁移 切换 故障 事故 宕机 停机 维护 演练 压测 大促 活动 会议 告警"
    " 报警 报错",
    "deploy, deployment, release, rollout, rollback, restart, reboot, upgrade, update, change, failover, migration"
    ", launch, incident, outage, maintenance, crash, switchover, cutover, sale, meeting, alert, patch, fix, merge"
    ", commit, build",
)
"""Happenings whose time only others know: 上次发布之后, since the last deploy."""
SEASONS = ("春天 夏天 秋天 冬天 春季 夏季 秋季 冬季", "summer, autumn, fall, winter")
HOLIDAYS = (
    "春节 国庆 五一 元旦 中秋 端午 清明 除夕 双十一 双十二 双11 双12 618 圣诞",
    "christmas, easter, thanksgiving, black friday, new year's eve, new year",
)

# ---------------------------------------------------------------- what looks like a time and is none

NUMBERED = (
    "版本 端口 比例 订单 工单 编号 单号 号码 序号 分区 第",
    "version, release, port, ports, ratio, order, ticket, issue, build, id, partition, shard, line, page, chapter",
)
"""Words before a number that is no time."""
CONDITIONS = "未 必须 过期 到期 将 要 应 需 可 不 才 就 会 能 恢复 完成 响应"
"""Words behind 24 小时内 that make it a rule instead of a period."""
LISTED = "建议 原因 要求 意见 问题 理由 结论 说明 内容 注意 以上 以下"
"""Words behind 三点 that count points of a list."""

TRADITIONAL = str.maketrans(
    "兩時點週鐘個過開後禮這號從幾來間當許內應無現迄歷實為啟",
    "两时点周钟个过开后礼这号从几来间当许内应无现迄历实为启",
)
