"""Every sentence that code writes for the user, once: a text a row, Chinese and English (R83, 004 section 8)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.language.tongues import Language

Row = tuple[str, str]
"""One text: in Chinese, and in English."""

TEMPLATE_VERSION = "2026-12"
"""Of these texts; stands in a session's first event (R83). Sessions without one have those of 004."""

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
    "confirmed": ("经核对的证据可以确认：", "The checked evidence confirms:"),
    # a fact that is not confirmed
    "fact.unproven": ("未能证实：{fact}", "Not proven: {fact}"),
    "fact.indirect": ("仅有间接支持：{fact}", "Only indirectly supported: {fact}"),
    "fact.stale": (
        "仅有间接支持：{fact}（证据早于所问时间窗）",
        "Only indirectly supported: {fact} (the evidence is older than the period asked about)",
    ),
    "fact.unquoted": (
        "仅有间接支持：{fact}（没有经过核对的引用）",
        "Only indirectly supported: {fact} (without a checked quotation)",
    ),
    # why a round could not pass, and what mends it
    "gap.malformed": (
        "执行结果未按约定格式给出，无法逐条核对引用",
        "The result is not in the agreed form, so its quotations could not be checked",
    ),
    "mend.malformed": ("按约定格式重新给出断言与证据引用", "Give the claims and their quotations in the agreed form"),
    "gap.unverified": ("核验未能完成，各条断言均未经核验", "The verification was not completed; no claim is verified"),
    "mend.unverified": ("重新发起核验", "Verify again"),
    "gap.no_facts": ("没有得到可以核验的关键事实", "There is no critical fact that could be verified"),
    "mend.no_facts": ("补充与问题直接相关的日志或指标", "Collect logs or metrics that bear on the question directly"),
    "gap.dropped": (
        "有陈述与已核对的证据不符，已剔除",
        "A statement did not agree with the checked evidence and was left out",
    ),
    "mend.dropped": ("重新查询相关工具并核对原文", "Query the tools again and compare the text"),
    # statements and what is wrong with them, without their words
    "claim.numbered": ("第 {n} 条断言", "Claim {n}"),
    "claim.some": ("一条断言", "A claim"),
    "claim.answer": ("答案中的陈述", "A statement of the answer"),
    "cite.session": (
        "{subject}引用的工具调用不属于本次会话",
        "{subject} cites a tool call that is not of this session",
    ),
    "cite.tool": ("{subject}引用的工具与实际调用不一致", "{subject} cites another tool than was called"),
    "cite.failed": ("{subject}引用了一次失败的工具调用", "{subject} cites a tool call that failed"),
    "cite.path": (
        "{subject}引用的位置在工具输出中找不到",
        "{subject} cites a place that is not in the output of the tool",
    ),
    "cite.excerpt": (
        "{subject}引用的原文与工具输出不一致",
        "{subject} quotes a text that differs from the output of the tool",
    ),
    "cite.other": ("{subject}引用的证据未通过核对", "{subject} cites evidence that did not pass the check"),
    "mend.cite": (
        "按工具返回的调用编号和路径重新引用原文",
        "Quote the text again, by the call's number and path as the tool gave them",
    ),
    "gap.invented": (
        "{subject}含有任何工具输出中都没有的标识",
        "{subject} names something that is in no output of any tool",
    ),
    "mend.invented": (
        "按工具输出中实际出现的名称和错误码重新检索",
        "Search again by names and codes that are in the output of the tools",
    ),
    "gap.contradicted": ("{subject}与已核对的证据相矛盾", "{subject} contradicts the checked evidence"),
    "mend.contradicted": (
        "重新查询相关工具，按原文逐条核对",
        "Query the tools again and compare statement by statement",
    ),
    "gap.undirect": ("{subject}缺少直接证据", "{subject} lacks direct evidence"),
    "mend.undirect": (
        "补充能直接证明结论的日志或指标",
        "Collect logs or metrics that prove the conclusion directly",
    ),
    # calls that yielded nothing
    "found.query_logs": ("匹配的日志", "matching log entries"),
    "found.survey_logs": ("日志", "log entries"),
    "found.query_metrics": ("匹配的告警或指标", "matching alerts or series"),
    "found.query_order": ("匹配的订单信息", "matching orders"),
    "found.lookup_knowledge": ("匹配的知识库内容", "matching content of the knowledge base"),
    "found.other": ("匹配的记录", "matching records"),
    "call.query": ("查询：{query}", "query: {query}"),
    "call.window": ("时间窗：{window}", "period: {window}"),
    "call.failed": ("查询失败，未取得{noun}（{place}）", "The query failed and returned no {noun} ({place})"),
    "call.empty": ("未检索到{noun}（{place}）", "No {noun} found ({place})"),
    "mend.call_failed": ("待 {tool} 可用后重新查询", "Query again when {tool} is available"),
    "mend.call_empty": (
        "更换关键词或扩大时间窗，再次查询 {tool}",
        "Query {tool} again with other words or a longer period",
    ),
    # why a session could not go on
    "failure.model_auth": ("模型服务拒绝了凭据", "The model server refused the credentials"),
    "failure.model_bad_request": ("模型服务拒绝了请求", "The model server refused the request"),
    "failure.model_rate_limited": ("模型服务持续限流", "The model server kept limiting the rate"),
    "failure.model_server": ("模型服务持续出错", "The model server kept failing"),
    "failure.model_timeout": ("模型服务没有及时返回", "The model server did not answer in time"),
    "failure.model_unreachable": ("无法连接模型服务", "The model server could not be reached"),
    "failure.model_not_a_completion": (
        "模型服务返回的不是可用的补全结果",
        "What the model server returned is no usable completion",
    ),
    "failure.step_failed": ("诊断步骤反复失败", "A step of the diagnosis kept failing"),
    "failure.worker_lost": (
        "诊断步骤反复使工作进程中断或停滞",
        "A step of the diagnosis stopped its worker again and again",
    ),
    "failure.step_limit": (
        "内容过大，超出了诊断步骤的限制",
        "The texts are larger than a step of the diagnosis can take",
    ),
    "failure.erased": ("会话内容已被擦除", "The content of the session was erased"),
    "failure.other": ("诊断无法继续", "The diagnosis could not go on"),
    "mend.failure": (
        "稍后重新提问，或缩小问题范围后再次查询",
        "Ask again later, or ask a narrower question",
    ),
    # what a second round is told
    "retry.instruction": (
        "仅补充以上断言相关证据，不要重复已完成检索；已核实的断言与已持有的证据可按其编号和路径直接引用。",
        "Only collect evidence for the statements above and repeat no search that was done; verified claims and"
        " evidence that is held may be cited by their numbers and paths.",
    ),
    "retry.no_evidence": ("“{fact}”缺少直接证据", "“{fact}” lacks direct evidence"),
    "retry.indirect": ("“{fact}”只有间接支持", "“{fact}” is supported only indirectly"),
    "retry.claim": ("断言 {id}", "claim {id}"),
    "retry.action": ("建议 {id}", "action {id}"),
    "retry.unbound": (
        "{subject} 没有可核对的证据引用（{rules}）",
        "{subject} has no citation that could be checked ({rules})",
    ),
    "retry.cited": (
        "{subject} 的引用 {place} 未通过核对（{rule}）：{message}",
        "the citation {place} of {subject} did not pass the check ({rule}): {message}",
    ),
    "retry.nearest": ("{said}，该处原文：{nearest}", "{said}, the text there: {nearest}"),
    "retry.no_path": ("（缺少路径）", "(no path)"),
    # what a search says of itself
    "time.ever": ("最早的记录", "the first entry"),
    "absence": (
        "在 {start}–{end} 内未检索到 {what}（已检索 {inputs} 个输入、{entries} 条记录）。",
        "No {what} found between {start} and {end} (searched {entries:entry|entries} in {inputs:input|inputs}).",
    ),
    "searched": (
        "检索范围：{start}–{end}，{inputs} 个输入、{entries} 条记录。",
        "Searched: {start} to {end}, {entries:entry|entries} in {inputs:input|inputs}.",
    ),
    "searched.at": (
        "检索时刻：{time}，{inputs} 个输入、{entries} 条记录。",
        "Searched: at {time}, {entries:entry|entries} in {inputs:input|inputs}.",
    ),
    "excluded": ("按配置排除：{names}（{n} 个输入）。", "Excluded by configuration: {names} ({n:input|inputs})."),
    "doubt": (
        "未能确定是否存在 {what}：{reason}。{mend}",
        "Whether {what} exists could not be determined: {reason}. {mend}",
    ),
    "unknown_name": (
        "{source} 中没有名为 {name} 的{kind}；最接近的是 {names}。",
        "{source} knows no {kind} named {name}; the nearest are {names}.",
    ),
    "unknown_name.alone": ("{source} 中没有名为 {name} 的{kind}。", "{source} knows no {kind} named {name}."),
    "terms_uncovered": ("问题中的 {term} 未得到查证。", "{term} were asked about and not checked."),
    "term_uncovered": ("问题中的 {term} 未得到查证。", "{term} was asked about and not checked."),
    "period_unclear": (
        "未能识别时间范围“{text}”，检索的是 {start}–{end}。",
        'The period "{text}" was not understood; {start} to {end} was searched.',
    ),
    "all_older": (
        "窗口内没有记录；最新一条为 {time}。",
        "There are no entries in the window; the newest is of {time}.",
    ),
    "all_newer": (
        "窗口内没有记录；最早一条为 {time}。",
        "There are no entries in the window; the oldest is of {time}.",
    ),
    "zone_assumed": ("未带时区的时间按 {zone} 计。", "Times without a zone are taken as {zone}."),
    "year_assumed": (
        "未写年份的时间按文件最后修改时间推定为 {years} 年。",
        "Times without a year are taken as of {years}, by the last change of their file.",
    ),
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
        "{n:document|documents} of the knowledge base could not be read: {names}.",
    ),
    "document_unread": ("{name}（原因：{why}）", "{name} (reason: {why})"),
    "more": ("另有 {n} 项。", "{n} more."),
    # why a search could not decide, and what mends it
    "reason.time": (
        "{n} 条匹配的记录没有可识别的时间",
        "{n:matching entry has|matching entries have} no time that was understood",
    ),
    "mend.time": (
        "核对这些记录的写入时间，或改用带完整日期的日志。",
        "Check when they were written, or log full dates.",
    ),
    "reason.year": (
        "{n} 条匹配的记录时间未写年份（暂按文件最后修改时间推定），按其他年份可能落在窗口内",
        "{n} matching entries have times without a year (taken from their file's last change), which another would "
        "bring into the window",
    ),
    "mend.year": (
        "复制日志时保留文件时间（如 cp -p），或改用带年份的日志。",
        "Copy logs with their times (as cp -p does), or log the year.",
    ),
    "reason.zone": (
        "{n} 条匹配的记录时间未带时区（暂按 {zone} 计），按其他时区可能落在窗口内",
        "{n:matching entry has a time|matching entries have times} without a zone (taken as {zone}), which"
        " another would bring into the window",
    ),
    "mend.zone": ("用 --log-zone 指定时区。", "Give the zone with --log-zone."),
    "reason.level": ("{n} 条记录没有可识别的级别", "{n:entry has|entries have} no level that was understood"),
    "mend.level": ("不限级别、改用关键词重新检索。", "Search again by words, without a level."),
    "reason.service": ("{n} 条匹配的记录没有标明所属服务", "{n:matching entry names|matching entries name} no service"),
    "mend.service": (
        "不限服务重新检索，或在来源文件中用 services 标明。",
        "Search without the service, or name it under services in the sources file.",
    ),
    "mend.unknown": ("核对名称后重新提问。", "Check the name and ask again."),
    "reason.near": ("有名称相近的{kind} {names}", "there is a {kind} with a name like it: {names}"),
    "reason.alert_service": (
        "{n} 条告警或指标可能属于该服务（如 {example}）",
        "{n:alert or series|alerts or series} may be of this service (such as {example})",
    ),
    "reason.text": ("{n} 条记录过长或无法解码", "{n:entry is|entries are} too long or could not be decoded"),
    "mend.text": ("在来源中查看原文。", "Look at the source itself."),
    "reason.place": ("{reason}（如 {name}）", "{reason} (such as in {name})"),
    "reason.input": ("{n} 个输入未能读取（{name}：{why}）", "{n:input|inputs} could not be read ({name}: {why})"),
    "reason.repeated_key": ("{n} 条记录的同一字段出现多次", "{n:entry gives|entries give} one field several times"),
    "mend.repeated_key": ("在来源中查看这些记录的原文。", "Look at these entries in the source itself."),
    "reason.pushed_down": (
        "来源自行判断了部分条件（{n} 处）",
        "the source decided {n:condition|conditions} by rules of its own",
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
    # next steps: where to look (R15)
    "step.change": (
        "查看 {where} 在 {window} 的日志（query_logs）与指标（query_metrics），核对 {time} 的变更前后发生了什么。",
        "Look at the logs (query_logs) and metrics (query_metrics) of {where}, {window}: what stood around the change"
        " of {time}.",
    ),
    "step.new": (
        "查看 {where} 在 {window} 的日志（query_logs）与指标（query_metrics），核对 {time} 新消息出现前后发生了什么。",
        "Look at the logs (query_logs) and metrics (query_metrics) of {where}, {window}: what stood around its new"
        " message of {time}.",
    ),
    "step.section": (
        "按《{title}》“{section}”一节收集证据（{source}）。",
        "Collect the evidence that “{title}” asks for under “{section}” ({source}).",
    ),
    "step.shared": (
        "用 query_logs 以 {id} 为关键词，检索 {services} 在 {window} 的日志。",
        "Search the logs of {services}, {window}, for {id} with query_logs.",
    ),
    # kinds of names
    "kind.service": ("服务", "service"),
    "kind.alert": ("告警", "alert"),
    "kind.metric": ("指标", "metric"),
    "sought": ("{services} 的 {thing}", "{thing} of {services}"),
    "thing.log": ("日志", "log entry"),
    "thing.count": ("数量", "The number"),
    "thing.value": ("数值", "The value"),
    "thing.beginning": ("开始时间", "The beginning"),
    "thing.any_log": ("相关日志", "matching log entry"),
    "thing.document": ("相关文档", "such a document"),
    "thing.document_on": ("与“{words}”相关的文档", "a document on “{words}”"),
    "thing.measure": ("告警或指标", "alert or series"),
}


JOINERS: dict[str, Row] = {
    "heading": ("：", ":"),
    "comma": ("，", ", "),
    "and": ("、", ", "),
    "semicolon": ("；", "; "),
    "sentence": ("", " "),
}
"""What stands between parts: behind a heading, in a sentence, in a list, of quotations, and between sentences."""


def text(key: str, language: Language = "zh", **values: object) -> str:
    """The sentence of a key with its values filled in. Raises KeyError for an unknown key or a missing value."""
    return filled(TEXTS[key], language, **values)


def filled(row: Row, language: Language, **values: object) -> str:
    """A row of a catalogue in one language with its values filled in."""
    if language == "zh":
        return row[0].format_map(values)
    return row[1].format_map({name: _Figure(v) if isinstance(v, int) else v for name, v in values.items()})


class _Figure(int):
    """A number as English writes it: 12,345; with `{n:input|inputs}` the thing that is counted stands behind it."""

    def __format__(self, things: str) -> str:
        written = f"{int(self):,}"
        if not things:
            return written
        one, _, several = things.partition("|")
        return f"{written} {one if self == 1 else several}"


def joined(kind: str, parts: Iterable[str], language: Language = "zh") -> str:
    """Parts as the language joins them; `kind` is a key of JOINERS."""
    return JOINERS[kind][0 if language == "zh" else 1].join(parts)
