"""What is measured, and the words for how much of it. Data, a concept a row, Chinese and English."""

from __future__ import annotations

from domain.language.cue import Cue

RESOURCES = Cue(
    "CPU|JVM 堆内存|堆内存|内存|磁盘|硬盘|堆|带宽|网络|连接池|线程池|句柄|文件描述符|GPU|JVM|swap|inode",
    "cpu|memory|disk|heap|swap|network|bandwidth|gpu|pool|connection pool|thread pool|inode",
)
"""What is used up."""
SHARES = Cue("使用率|占用率|利用率|使用量|用量|占用|水位", "usage|utilization|utilisation|load|space|saturation")
"""How much of a resource is used; in Chinese a measure without it, too."""
RATES = Cue(
    "错误率|成功率|失败率|可用率|命中率|超时率|丢包率",
    "error rate|error ratio|success rate|success ratio|failure rate|failure ratio|request rate|hit rate|hit ratio"
    "|cache hit rate|timeout rate|drop rate|loss rate|restart rate|packet loss",
)
TIMES_TAKEN = Cue(
    "响应时间|响应时长|平均耗时|耗时|延迟|时延",
    "latency|response time|response times",
)
AMOUNTS = Cue(
    "吞吐量|吞吐|负载|连接数|线程数|队列长度|积压量|消息积压量|并发数|请求量|请求数|流量|在线人数|重启次数",
    "throughput|load average|queue length|queue depth|queue size|connection count|requests per second|consumer lag",
)
PER_SECOND = Cue("QPS|TPS|RPS|IOPS", "qps|tps|rps|iops")
ALONE = Cue("CPU|JVM 堆内存|堆内存|内存|磁盘|硬盘|带宽|堆|流量|网络", "cpu|memory|disk|heap|bandwidth|traffic")
"""A measure only where a question asks how much."""
OF = Cue("速率|温度|水位", "rate|value|percentage|size|average|maximum|minimum")
"""What else has a value."""
