"""The invented items, as templates (see corpus.py): plain lines, stack traces, alerts, summary refs and records."""

from __future__ import annotations

from dataclasses import dataclass

PLAIN: tuple[tuple[str, str, str], ...] = (
    ("line", "en",
     "<instant> <level> [<service>] lease on shard <trace> is <!not> renewed, |owner <host> gave up after "
     "<ms>"),
    ("line", "en",
     "<time> <level> <service> request <trace> to <service> timed out after <ms>; |queue depth was <int>"),
    ("line", "en",
     "[<level>][<service>] checkout of a pooled handle blocked for <seconds>, |active handles <ready>, "
     "|oldest holder <pod>"),
    ("line", "en",
     "<instant> <host> kernel: reclaimed <mb> from cgroup of <pod>, |pressure stall above <over> for "
     "<minutes>"),
    ("line", "en",
     "<level> rollout of <service> <~paused> because replica <pod> could <!not> pull its image; |surge "
     "budget <few> pods"),
    ("line", "en",
     "clock of <host> drifts by <negative> against <host>, |sync daemon restarted <few> times since <time>"),
    ("line", "en",
     "<time> <service> upload of batch <trace> <~failed> at part <int>: |checksum differs, |<mb> were sent"),
    ("line", "en",
     "compaction of segment <trace> wrote <gb> in <seconds>, |tombstone ratio <percent>, |<!no> "
     "backpressure was applied, |<few> segments remain"),
    ("line", "en", "<level> <service> circuit to <service> <~opened> after <int> calls with error ratio <percent>"),
    ("line", "en", "grid of <power> cells rebuilt on <host> in <ms>, |memory peak <mb>"),
    ("line", "zh", "<time> <服务> 入账延迟达到 <秒>，|积压消息 <条>，|消费线程<!没有>推进，|上游为<服务>"),
    ("line", "zh", "<服务>批次核对完成，|差额 <元>，|尚<!未>触发人工复核，|影响商户 <台>设备"),
    ("line", "zh", "三号机房进风温度 <度>，|风扇转速 <转>，|备用空调<!未>启动，|湿度 <percent>"),
    ("line", "zh", "<服务>向<服务>发起查询超时，|等待 <毫秒> 后放弃，|重试 <次>仍<~失败>"),
    ("line", "zh", "本轮巡检发现 <台>主机磁盘写满，|清理任务已释放 <万>个文件；|其余主机<!无>异常"),
    ("line", "zh", "证书还有 <天>到期，|<服务>续签请求被上游<!拒绝>，|下一次重试在 <分钟> 之后"),
    ("line", "mixed", "<instant> <level> <service> 连接池借出超时，|等待 <ms>，|active=<int>，|当前线程 <pod> 被阻塞"),
    ("line", "mixed", "<service> 的 <alert> 告警持续 <分钟>，|堆内存 <gb>，|暂停 <ms>，|尚<!未>扩容，|下次评估 <time>"),
    ("line", "mixed", "节点 <host> 上的 <pod> 被驱逐，|原因是内存用量 <mb> 超出上限，|驱逐时间 <time>"),
    ("line", "mixed", "<level> 调用 <service> 返回 <int>，|TraceId <trace>，|降级开关<!没有>打开，|总耗时 <ms>"),
    ("line", "en",
     '<address> - - [<instant>] "POST /v2/<service>/sync HTTP/1.1" <status> <int> "-" "probe/2.4" '
     'rt=0.<int>'),
    ("line", "en",
     "<instant> <host> <service>[<int>]: WAL <path> is <!not> writable (errno <int>), |falling back to "
     "read mode"),
    ("line", "en",
     "Warning  BackOff  <minutes> (x<few> over <span>)  kubelet  Back-off pulling image of pod/<pod> "
     "|(<ready> replicas usable)"),
    ("line", "en",
     "<level> <service> <version> -> <version>: |migration step <few> holds lock on table shard_map for "
     "<seconds>; |rows touched: <grouped>"),
    ("line", "en", "[gc][<host>] Pause Young (Evacuation) <mb>-><mb>(<gb>) <ms>, |promotion <~failed> <few> times"),
    ("line", "en",
     'GET <url> answered <status> in <ms> |(attempt <share>), |body: "upstream <service> does '
     '<!not> respond"'),
    ("line", "en",
     "<service>: quorum of shard <trace> lost at <instant>; |voters <range> keep terms open, |leader "
     "<host> steps down"),
    ("line", "en", "job <trace> on <host> exited with code <few> after <span>; |its replica <pod> <~failed>"),
    ("line", "en",
     "Deleting of snapshot <trace> was <!never> confirmed by <address>; |space on <host> is at <percent> "
     "(soft limit <percent>)"),
    ("line", "zh", "《值班手册》第 <few> 章：<服务>出现积压时，|先查看消费速率（正常约 <条>），|<!不>要直接清空队列"),
    ("line", "zh", "今日 <time> 起，<服务>约<成>请求走备用链路；|主链路丢包率 <percent>，|平均时延 <毫秒>"),
    ("line", "zh", "【告警】<服务>：队列堆积（阈值 <条>，当前 <条>）|，已持续 <分钟>，|消费组<!无>在线实例"),
    ("line", "zh", "<服务>的磁盘告警<~已恢复>，|恢复时间 <time>，|剩余空间 <percent>"),
    ("line", "mixed", "<level> [<service>] 写 <path> <~失败>次数 <int>，|最近一次耗时 <ms>；|文件系统<!未>只读"),
    ("line", "mixed", "<service> 版本 <version> 发布到 <host>，|探针返回 <status>，|回退<!没有>执行，|流量 <percent>"),
    ("stack trace", "en",
     "<class>: shard lease lost on <host>\n|\tat <frame>\n|\tat <frame>\n|Caused by: <class>: handshake "
     "<~aborted> after <ms>\n|\tat <frame>"),
    ("stack trace", "en",
     "<time> <level> <service> unhandled fault\n|<class>: posting <trace> was <!not> balanced\n|\tat "
     "<frame>\n|\tat <frame>\n|\t... <int> more"),
    ("stack trace", "mixed",
     "<class>: 批次 <trace> 写入<~失败>\n|\tat <frame>\n|Caused by: <class>: 等待锁超过 <ms>\n|\tat <frame>"),
    ("stack trace", "en",
     'Traceback of worker <pod>:\n|  File "/srv/<service>/drain.py", line <int>, in drain\n|ValueError: '
     'offset <int> lies behind watermark <int>'),
)  # fmt: skip
"""Form, language and template."""


@dataclass(frozen=True, slots=True)
class Record:
    form: str
    language: str
    head: str
    fields: tuple[str, ...]
    separator: str
    tail: str = ""


RECORDS = (
    Record("summary ref", "en", "",
           ("source=query_logs", 'query="lease lost <service>"', "window=<instant>/<instant>",
            "total=<few>: <service>, |<service> (x<few>), |<service>"), " "),
    Record("summary ref", "en", "",
           ("source=query_metrics", 'query="active alerts"', "window=<instant>/<instant>",
            "total=<few>: <alert>(<service>), |<alert>(<service>), |<alert>(<service>)"), " "),
    Record("summary ref", "mixed", "",
           ("source=lookup_knowledge", 'query="连接池耗尽 处置"',
            "total=<few>: 连接池排查手册, |<服务>值班手册, |扩容指引"), " "),
    Record("alert", "en", "<alert> <state>, ",
           ("service=<service>", "current=<percent>", "duration=<minutes>"), ", ",
           "; |<service> heap usage <gb>, |old generation <!not> shrinking"),
    Record("alert", "en", "<alert> <state>, ",
           ("service=<service>", "instance=<host>", "current=<percent>", "duration=<minutes>"), ", ",
           "; |disk of <host> holds <gb>"),
    Record("alert", "mixed", "<alert> <state>, ",
           ("service=<service>", "severity=critical", "threshold=<percent>", "current=<percent>"), ", ",
           "; |<service> 堆内存 <gb>，|持续 <分钟>"),
    Record("record", "en", "<instant> <level> pool stats: ",
           ("pool=<service>", "active=<int>", "waiting=<int>", "draining=<flag>", "oldest=<ms>"), " "),
    Record("record", "en", "",
           ("svc=<service>", "pod=<pod>", "restarts=<int>", "ready=<flag>", "mem=<mb>", "load=<load>"), ", "),
    Record("record", "mixed", "打印队列过长, ",
           ("打印机=<host>", "排队=<int>", "缺纸=<flag>", "等待=<ms>"), "，"),
    Record("record", "en", "<host> kernel: net stats ",
           ("rx_bytes=<int>", "tx_drop=<few>", "addr=<address>", 'mode="full duplex"', "up=<flag>"), " "),
    Record("record", "zh", "",
           ("服务=<服务>", "积压=<条>", "延迟=<秒>", "降级=<flag>"), "，"),
    Record("record", "en", "",
           ("Lock_time: <load>", "Rows_read: <int>", "Rows_sent: <int>", "Shard: <trace>"), "  "),
)  # fmt: skip

JSON_FIELDS = (
    '"svc":"<service>"',
    '"pod":"<pod>"',
    '"open_files":<int>',
    '"heap_mb":<int>',
    '"lag_ms":<int>',
    '"draining":<flag>',
    '"leader":<flag>',
    '"trace":"<trace>"',
    '"load":<load>',
    '"grid":"<power> cells"',
    '"alarm":"lag <over>"',
)

TWO_RECORDS = (
    ("en", "", ("pod=<pod>", "restarts=<int>", "ready=<flag>"), " ", "; ", ""),
    ("en", "", ("shard=<trace>", "lag=<ms>", "leader=<host>"), ", ", "\n", ""),
    ("en", "{", ('"pod":"<pod>"', '"restarts":<int>', '"ready":<flag>'), ",", ",", "}"),
    ("mixed", "", ("主机=<host>", "排队=<int>", "等待=<ms>"), "，", "\n", ""),
)
"""Language, opening, fields, separator, what stands between the two records, closing."""
