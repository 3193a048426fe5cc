"""Every sentence that code writes for the user, once: a text a row, Chinese and English (R83, 004 section 8)."""

from __future__ import annotations

from domain.language.tongues import Language

Row = tuple[str, str]
"""One text: in Chinese, and in English."""

TEXTS: dict[str, Row] = {
    # headlines
    "headline.found": ("已证实", "Confirmed"),
    "headline.absent": ("已检索，未发现", "Searched, not found"),
    "headline.partly": ("部分证实", "Partly confirmed"),
    "headline.none": ("无可靠结论", "No reliable conclusion"),
    "headline.unfinished": ("未完成", "Not completed"),
    # templates and their sections
    "low_confidence": (
        "以下结论基于当前已获取证据，仍存在部分证据缺口，请谨慎参考。",
        "The following rests on the evidence collected so far; part of it is incomplete. Read it with care.",
    ),
    "rejection": (
        "当前无法基于已获取证据生成可靠结论。",
        "No reliable conclusion can be drawn from the evidence collected.",
    ),
    "section.confirmed": ("已确认信息", "Confirmed"),
    "section.gaps": ("当前缺口", "Gaps"),
    "section.missing": ("证据缺口", "Missing evidence"),
    "section.next": ("建议下一步", "Next steps"),
    "nothing": ("无", "None"),
    # what a search says of itself
    "absence": (
        "在 {start}–{end} 内未检索到 {what}（已检索 {inputs} 个输入、{entries} 条记录）。",
        "No {what} found between {start} and {end} (searched {entries} entries in {inputs} inputs).",
    ),
    "searched": (
        "检索范围：{start}–{end}，{inputs} 个输入、{entries} 条记录。",
        "Searched: {start} to {end}, {entries} entries in {inputs} inputs.",
    ),
    "excluded": ("按配置排除：{names}（{n} 个输入）。", "Excluded by configuration: {names} ({n} inputs)."),
    "doubt": (
        "未能确定是否存在 {what}：{reason}。{mend}",
        "Whether {what} exists could not be determined: {reason}. {mend}",
    ),
    "unknown_name": (
        "{source} 中没有名为 {name} 的{kind}；最接近的是 {names}。",
        "{source} knows no {kind} named {name}; the nearest are {names}.",
    ),
    "unknown_name.alone": ("{source} 中没有名为 {name} 的{kind}。", "{source} knows no {kind} named {name}."),
    "term_uncovered": ("问题中的 {term} 未得到查证。", "{term} was asked about and not checked."),
    "period_unclear": (
        "未能识别时间范围“{text}”，检索的是 {start}–{end}。",
        'The period "{text}" was not understood; {start} to {end} was searched.',
    ),
    "all_older": (
        "窗口内没有记录；最新一条为 {time}。",
        "There are no entries in the window; the newest is of {time}.",
    ),
    "zone_assumed": ("未带时区的时间按 {zone} 计。", "Times without a zone are taken as {zone}."),
    "count": ("共 {n} 条。", "{n} in all."),
    "list_cut": ("共 {m} 条，以下为最严重的 {n} 条：", "{m} in all; the {n} most severe:"),
    "no_cause": ("未找到能证实原因的证据。", "No evidence establishes the cause."),
    "alert_unconfirmed": (
        "该告警由 webhook 上报，在 {source} 中未能证实。",
        "The alert was reported by webhook and could not be confirmed in {source}.",
    ),
    "documentation": ("据《{title}》（{source}）：", 'From "{title}" ({source}):'),
    "documents_unread": (
        "知识库中另有 {n} 个文档未能读取：{names}。",
        "{n} documents of the knowledge base could not be read: {names}.",
    ),
    "document_unread": ("{name}（原因：{why}）", "{name} (reason: {why})"),
    "more": ("另有 {n} 项。", "{n} more."),
    # why a search could not decide, and what mends it
    "reason.time": ("{n} 条匹配的记录没有可识别的时间", "{n} matching entries have no time that was understood"),
    "mend.time": (
        "核对这些记录的写入时间，或改用带完整日期的日志。",
        "Check when they were written, or log full dates.",
    ),
    "reason.zone": (
        "{n} 条匹配的记录时间未带时区（暂按 {zone} 计），按其他时区可能落在窗口内",
        "{n} matching entries have times without a zone (taken as {zone}), which another would bring into the window",
    ),
    "mend.zone": ("用 --log-zone 指定时区。", "Give the zone with --log-zone."),
    "reason.level": ("{n} 条记录没有可识别的级别", "{n} entries have no level that was understood"),
    "mend.level": ("不限级别、改用关键词重新检索。", "Search again by words, without a level."),
    "reason.service": ("{n} 条匹配的记录没有标明所属服务", "{n} matching entries do not say of which service they are"),
    "mend.service": (
        "不限服务重新检索，或在来源文件中用 services 标明。",
        "Search without the service, or name it under services in the sources file.",
    ),
    "mend.unknown": ("核对名称后重新提问。", "Check the name and ask again."),
    "reason.near": ("有名称相近的{kind} {names}", "there is a {kind} with a name like it: {names}"),
    "reason.alert_service": (
        "{n} 条告警或指标可能属于该服务（如 {example}）",
        "{n} alerts or series may be of this service (such as {example})",
    ),
    "reason.text": ("{n} 条记录过长或无法解码", "{n} entries are too long or could not be decoded"),
    "mend.text": ("在来源中查看原文。", "Look at the source itself."),
    "reason.place": ("{reason}（如 {name}）", "{reason} (such as in {name})"),
    "reason.input": ("{n} 个输入未能读取（{name}：{why}）", "{n} inputs could not be read ({name}: {why})"),
    "reason.repeated_key": ("{n} 条记录的同一字段出现多次", "{n} entries give one field several times"),
    "mend.repeated_key": ("在来源中查看这些记录的原文。", "Look at these entries in the source itself."),
    "reason.pushed_down": (
        "来源自行判断了部分条件（{n} 处）",
        "the source decided {n} conditions by rules of its own",
    ),
    "mend.pushed_down": ("用不带条件的查询重新检索。", "Search again without the conditions."),
    "reason.partial": ("来源称其结果不完整（{n} 处）", "the source says that its answer is not whole ({n})"),
    "mend.partial": ("缩小时间范围后重新检索。", "Search again in a shorter period."),
    # why an input was not read, and what mends it
    "why.binary": ("二进制内容", "binary content"),
    "why.format": ("格式不明", "format not known"),
    "why.compression": ("压缩文件损坏或不支持", "damaged or unknown compression"),
    "why.encoding": ("编码不明", "encoding not known"),
    "why.permission": ("没有读取权限", "no permission"),
    "why.size": ("文件过大", "too large"),
    "why.limit": ("超过读取上限", "over a limit of reading"),
    "why.link": ("链接指向目录之外", "a link out of the folder"),
    "why.vanished": ("读取时已不存在", "gone while it was read"),
    "why.error": ("读取出错", "an error in reading"),
    "mend.binary": (
        "转换为文本后再检索，或用 --exclude 排除该文件。",
        "Convert it to text, or leave it out with --exclude.",
    ),
    "mend.format": ("用 --exclude 排除该文件，或提供文本日志。", "Leave it out with --exclude, or give text logs."),
    "mend.compression": ("解压后再检索，或用 --exclude 排除该文件。", "Unpack it, or leave it out with --exclude."),
    "mend.encoding": ("转换为 UTF-8 后再检索，或用 --exclude 排除该文件。", "Convert it to UTF-8, or use --exclude."),
    "mend.permission": (
        "将当前用户加入 adm 组，或用 --exclude 排除该文件。",
        "Add this user to the group adm, or leave the file out with --exclude.",
    ),
    "mend.size": ("缩小文件后再检索，或用 --exclude 排除该文件。", "Split the file, or leave it out with --exclude."),
    "mend.limit": (
        "缩小目录范围后再检索，或用 --exclude 排除。",
        "Give a smaller folder, or leave it out with --exclude.",
    ),
    "mend.link": (
        "直接指定链接的目标目录，或用 --exclude 排除。",
        "Give the target itself, or leave it out with --exclude.",
    ),
    "mend.document": (
        "将该文档改为可读的 UTF-8 Markdown（不超过 8 MB），或移出知识库目录。",
        "Make it a readable Markdown document in UTF-8 of at most 8 MB, or move it out of the folder.",
    ),
    "mend.uncovered": ("针对该项重新检索。", "Search for it."),
    "mend.vanished": ("重新检索，或用 --exclude 排除该文件。", "Search again, or leave it out with --exclude."),
    "mend.error": (
        "修复读取错误后重新检索，或用 --exclude 排除该文件。",
        "Mend the error, or leave it out with --exclude.",
    ),
    # kinds of names
    "kind.service": ("服务", "service"),
    "kind.alert": ("告警", "alert"),
    "kind.metric": ("指标", "metric"),
    "thing.log": ("日志", "log entry"),
    "thing.count": ("数量", "The number"),
    "thing.value": ("数值", "The value"),
    "thing.beginning": ("开始时间", "The beginning"),
    "thing.any_log": ("相关日志", "matching log entry"),
    "thing.document": ("相关文档", "document"),
    "thing.measure": ("告警或指标", "alert or series"),
}


def text(key: str, language: Language = "zh", **values: object) -> str:
    """The sentence of a key with its values filled in. Raises KeyError for an unknown key or a missing value."""
    return filled(TEXTS[key], language, **values)


def filled(row: Row, language: Language, **values: object) -> str:
    """A row of a catalogue in one language with its values filled in."""
    return row[0 if language == "zh" else 1].format_map(values)
