"""The word lists of the value guard and the composer's guard (R37, R46): data, to be read and corrected by people."""

from __future__ import annotations


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


COMMON_TERMS = frozenset(
    _words(
        "api apis http https http/1.1 http/2 http2 tcp udp tcp/ip ip ipv4 ipv6 url uri id ids ok json xml html sql"
        " utf-8 utc gmt cst n/a i/o qps tps rps k8s read-only real-time end-to-end gb mb kb tb gib mib kib tib"
    )
)
"""Words shaped like names that name nothing in particular."""

CURRENT_WORDS = ("当前", "目前", "现在", "此刻", "正在", "眼下", "此时", "currently", "right now", "at present")
"""A claim with one of these speaks of the present (R9)."""

CONNECTING_PHRASES = _words(
    "根据 依据 基于 结合 通过 经过 经核对 经核实 核对 核实 核验 查询 检索 查看 排查 结果 证据 工具 输出 数据"
    " 记录 信息 内容 资料 来源 显示 表明 可见 可以看到 看到 说明 指出 提到 确认 证实 已确认 已核实 结论 综上"
    " 总体 总结 具体 如下 以下 上述 此外 另外 同时 并且 而且 以及 其中 分别 首先 其次 最后 还有 针对 关于 对于"
    " 存在 出现 处于 达到 持续 共有 一共 相关 对应 该项 这一 情况 方面 状态 仅有间接支持 用户 所问 时间 窗口 范围"
)
"""Words that may join what the claims say without saying anything themselves."""

CONNECTING_CHARACTERS = frozenset(
    "的了是在和与及或为有对从到于以之其该此这那并且也还就都而则所由被把将等个条项次中上下内里处已约共至您"
)
"""Chinese characters that carry no content of their own."""

CONNECTING_WORDS = frozenset(
    _words(
        "a an the this that these those it its they there of in on at for from to with by and or as per is are was were"
        " be been has have had do does did according based result results evidence query queried search searched tool"
        " output data record recorded entry entries information source sources show shows shown showing say says said"
        " state states stated report reports reported confirm confirms confirmed verify verified conclusion summary"
        " following above also moreover respectively about regarding concerning related where which while within during"
        " only indirectly supported checked question asked user time period window range status"
    )
)
"""The same in English (R83)."""

NEGATIONS = (
    *("没有", "没", "未", "无", "不", "非", "否", "not", "no", "never", "without", "none", "nothing", "neither", "nor"),
    *("cannot", "can't", "isn't", "aren't", "wasn't", "weren't", "doesn't", "don't", "didn't", "hasn't", "haven't"),
)

ABSOLUTE_ABSENCE = (
    *("不存在", "没有发生", "从未", "未发生", "does not exist", "do not exist", "did not exist", "doesn't exist"),
    *("don't exist", "did not happen", "didn't happen", "did not occur", "didn't occur", "never happened"),
    *("never occurred", "non-existent", "all is well", "is healthy", "are healthy"),
)
"""A search that found nothing proves none of these (R48)."""
