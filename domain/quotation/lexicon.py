"""The word lists of R24, English and Chinese: data, to be read and corrected by people.

Words are lower case (compared case-folded). What stands in no list is an ordinary content word: it may be left out of
a quotation at the price of a near miss, and never be added to one.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEVELS = _words(
    "trace debug info information notice warn warning error err severe fatal crit critical alert emerg emergency panic"
    " page ticket p0 p1 p2 p3"
)

STATES = _words(
    "firing pending resolved inactive active up down failed failing fails fail failure succeeded success successful"
    " ok healthy unhealthy degraded ready running stopped started starting stopping restarting restarted terminated"
    " killed evicted crashed exited completed complete done aborted cancelled canceled skipped timeout expired"
    " open opened closed online offline available unavailable reachable unreachable connected disconnected refused"
    " denied rejected blocked allowed permitted forbidden enabled disabled on off true false yes null nil full empty"
    " exhausted idle busy locked unlocked paused draining drained recovered recovering cleared acknowledged silenced"
    " suppressed increased decreased increasing decreasing rising falling above below over under before after more less"
    " exceeded exceeds exceeding unknown verified unverified valid invalid passed missing lost"
)

NEGATIONS = _words(
    "not no never none neither nor without cannot cant unable avoid avoids avoided prevent prevents prevented"
    " lack lacks lacking hardly barely except excluding un non ! !="
)
"""Words that turn the sense of what follows them in the same clause; so does every word in n't."""

INFINITIVE_NEGATIONS = _words("fail fails failed failing failure refuse refuses refused decline declines declined")
"""Negations only before "to": failed to connect."""

NEGATION_CHARACTERS = frozenset("不未没無无非否勿莫禁")

NEGATION_WORDS_ZH = _words("避免 防止 拒绝 缺少 杜绝 排除")

HARMLESS_NEGATION_WORDS_ZH = _words(
    "不过 不断 不但 不仅 不同 不少 不久 不论 不管 不止 非常 未来 无线 无论 否则 没收 禁区 是否 能否 可否 与否"
)
"""Words that hold a negation character and negate nothing."""

FAILURE_WORDS = _words(
    "fail fails failed failing failure unsuccessful refused denied rejected aborted cancelled canceled disabled false"
)
FAILURE_WORDS_ZH = _words("失败 拒绝 取消 中止 禁用")
"""With the negations: what no ellipsis may swallow."""

POLARITIES = _words(
    "not no never none neither false true yes null nil n/a off disabled denied refused rejected failed fails failing"
    " failure unsuccessful cancelled canceled aborted skipped resolved recovered cleared inactive unavailable unknown ?"
)
"""Words that, right behind a quotation, turn its sense when they are cut off: in sync: no. So does every n't."""

POLARITIES_ZH = ("失败", "已恢复", "恢复", "已解除", "解除", "已取消", "取消", "已关闭", "已消除", "吗")
"""The same in Chinese, besides the negation characters."""

FUNCTION_WORDS = _words(
    "a an the this that these those it its there here is are was were be been being am has have had having do does did"
    " will would shall of to in on at for from by with into onto as and so then also just very now currently already"
    " still which who whose where when he she they we you i our their your his her"
) - {"on"}

FUNCTION_CHARACTERS = frozenset(
    "的了着地得之其该此这那也就都还又便则而且与和及并在于把被所以为因对向从由给让使个们些啊呢吧呀"
)

FUNCTION_WORDS_ZH = _words(
    "目前 当前 现在 已经 仍然 仍旧 依然 正在 一直 其中 同时 此时 以及 并且 而且 因此 所以 由于 因为 对于 关于 这个 那个"
    " 该项 本次 此次 有关 相关 大致 基本 随后 然后 接着 期间 其间 目下 眼下 如今 此外 另外 其实 显然"
)

CLAUSE_STARTERS = _words("but however although though whereas while 但 然而 不过")
"""Words that open a clause of their own: a negation before them does not reach behind them."""

UNITS = _words(
    "ns us μs ms s sec secs second seconds min mins minute minutes m h hr hrs hour hours d day days week weeks"
    " b bit bits byte bytes k kb mb gb tb pb kib mib gib tib pib kbps mbps gbps bps kbit mbit gbit g qps rps tps iops"
    " hz khz mhz ghz rpm percent pct kw mw kwh ma mv core cores"
)
"""Units that belong to the number before them, also behind a space."""

GLUED_UNITS = UNITS | _words("a c f t v w x ki mi gi ti pi")
"""Units when they stand directly behind a digit."""

CASED_UNITS = _words("kb mb gb tb pb kib mib gib tib pib kbps mbps gbps kbit mbit gbit mw")
"""Units whose case is kept even where no number stands before them: Mb is not MB."""

TEXT_KEYS = _words("msg message reason error err description desc cause detail details text title summary exception")
"""Keys whose unquoted values run on over blanks."""

UNITS_ZH = _words(
    "毫秒 微秒 纳秒 秒钟 秒 分钟 小时 个小时 个月 天 周 元 美元 度 兆 字节 个百分点 百分点 千克 公斤 米 毫米"
)

NUMERALS_ZH = "零〇一二三四五六七八九十百千万亿两"
MULTIPLIERS_ZH = "百千万亿"
