"""Figures written out in Chinese: 九成五, 三分之二, 翻倍, 半小时, 三十余次, 数百条, 九十九点九 (R37).

A row for each way to write one. A pattern wants enough around the numeral that ordinary words (一些, 统一, 三方库,
十分, 万一) stay words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from domain.values.numerals import DECIMALS, DIGITS, NUMERAL, POWERS, amount, decimal_places, last_place, power_of_ten
from domain.values.units import COUNT, NAMES, PLAIN, RATIO, TIME, UNIT, UNITS, Unit, named_unit, unit_named
from domain.values.value import Extent, Value, exact, vague

Reader: TypeAlias = Callable[[re.Match[str]], Value | None]

_SHARE = Unit(RATIO)
_TENTH = Unit(RATIO, Fraction(1, 10))
_THINGS = Unit(COUNT)
_WITHOUT_END = Fraction(10**12)
_ONE = Fraction(1)
_HALF = Fraction(1, 2)


def _more_than(number: Fraction, place: Fraction) -> Extent:
    return Extent(number, number + place, with_low=False)


def _up_to(low: Fraction, high: Fraction) -> Extent:
    return Extent(low, high, with_high=True)


# ---------------------------------------------------------------- shares and multiples


def _parts(match: re.Match[str]) -> Value | None:
    """百分之九十五点五, 千分之三, 三分之二."""
    whole, part = amount(match["whole"]), amount(match["part"])
    if whole == 0:
        return None
    unit = Unit(RATIO, 1 / whole)
    if match["more"]:
        return vague(match.span(), _more_than(part, last_place(part)), unit)
    return exact(match.span(), part, unit, Fraction(1, 10 ** decimal_places(match["part"])))


def _tenths(match: re.Match[str]) -> Value | None:
    """九成, 九成五, 九成半, 七八成, 9.5 成."""
    first = amount(match["first"])
    if match["second"]:
        return vague(match.span(), _up_to(first, amount(match["second"])), _TENTH)
    if match["more"]:
        return vague(match.span(), _more_than(first, _ONE), _TENTH)
    rest = (
        {None: Fraction(0), "半": _HALF}.get(match["rest"])
        if match["rest"] in {None, "半"}
        else amount(match["rest"]) / 10
    )
    return exact(match.span(), first + (rest or 0), _TENTH, Fraction(1, 10))


def _half(match: re.Match[str]) -> Value:
    return exact(match.span(), _HALF, _SHARE, Fraction(1, 100))


def _over_half(match: re.Match[str]) -> Value:
    return vague(match.span(), _up_to(_HALF, _ONE), _SHARE)


def _whole(match: re.Match[str]) -> Value:
    return exact(match.span(), _ONE, _SHARE, Fraction(1, 100))


def _doubled(match: re.Match[str]) -> Value:
    return exact(match.span(), Fraction(2), _SHARE, _ONE)


def _doublings(match: re.Match[str]) -> Value:
    """翻了两番: four times."""
    return exact(match.span(), Fraction(2 ** min(9, int(amount(match["number"])))), _SHARE, _ONE)


def _grown(match: re.Match[str]) -> Value:
    """增加 2 倍 is three times as much; 翻一倍 is twice, 翻三倍 three times."""
    fold = amount(match["number"])
    return exact(match.span(), fold + 1 if match["verb"] != "翻" or fold == 1 else fold, _SHARE, _ONE)


def _manifold(match: re.Match[str]) -> Value:
    return vague(match.span(), Extent(Fraction(2), _WITHOUT_END), _SHARE)


# ---------------------------------------------------------------- vague figures


def _several(match: re.Match[str]) -> Value:
    """数百次, 几十万条, 数小时: two to nine of them."""
    power = power_of_ten(match["power"])
    return vague(match.span(), Extent(2 * power, 10 * power), named_unit(match, _THINGS))


def _at_least(match: re.Match[str]) -> Value:
    """上千次."""
    power = power_of_ten(match["power"])
    return vague(match.span(), Extent(power, 10 * power), named_unit(match, _THINGS))


def _nearly(match: re.Match[str]) -> Value:
    """近百次."""
    power = power_of_ten(match["power"])
    return vague(match.span(), _up_to(power * 9 / 10, power), named_unit(match, _THINGS))


def _by_the_hundred(match: re.Match[str]) -> Value:
    """成百上千, 成千上万."""
    power = power_of_ten(match["power"])
    return vague(match.span(), Extent(power, 100 * power), named_unit(match, _THINGS))


def _between(match: re.Match[str]) -> Value | None:
    """两三次, 三五分钟, 七八百条, 十二三个: from the first to the second."""
    first, second = amount(match["low"]), amount(match["high"])
    if second - first not in {1, 2}:
        return None
    ten, power = 10 if match["ten"] else 0, power_of_ten(match["power"])
    return vague(match.span(), _up_to((ten + first) * power, (ten + second) * power), named_unit(match))


def _above(match: re.Match[str]) -> Value | None:
    """三十余次, 两千多条, 百余个, 十几次, 100 多次."""
    number, unit = amount(match["number"]) * power_of_ten(match["scale"] or ""), named_unit(match, _THINGS)
    has_power = bool(set(match["number"]) & set(POWERS)) or number >= 10
    if not has_power and unit.dimension != TIME:
        return None
    return vague(match.span(), _more_than(number, last_place(number)), unit)


def _units_above(match: re.Match[str]) -> Value:
    """两个多小时, 三天多."""
    return vague(match.span(), _more_than(amount(match["number"]), _ONE), named_unit(match))


# ---------------------------------------------------------------- exact figures


def _halves(match: re.Match[str]) -> Value:
    """半小时, 一个半小时, 两天半; 半个多小时 is less than one."""
    number = (amount(match["number"]) if match["number"] else 0) + _HALF
    unit = unit_named(match["name"])
    if match["more"]:
        return vague(match.span(), _more_than(number, _HALF), unit)
    return exact(match.span(), number, unit, Fraction(1, 10))


def _halves_behind(match: re.Match[str]) -> Value:
    name = "分钟" if match["name"] == "分" else match["name"]  # 一分半钟
    return exact(match.span(), amount(match["number"]) + _HALF, unit_named(name), Fraction(1, 10))


def _powers(match: re.Match[str]) -> Value:
    """百万条, 千次."""
    return exact(match.span(), power_of_ten(match["number"]), named_unit(match), _ONE)


def _figure(match: re.Match[str]) -> Value | None:
    """三十次, 九十九%, 十五 ms; 一个 and 一条 are articles."""
    unit = named_unit(match)
    if match["number"] == "一" and unit.dimension == COUNT:
        return None
    step = Fraction(1, 10 ** decimal_places(match["number"]))
    return exact(match.span(), amount(match["number"]) * (-1 if match["sign"] else 1), unit, step)


def _plain(match: re.Match[str]) -> Value:
    """九十九点九, 五零三, and behind 为 or 达到 a single 九."""
    number = match["number"]
    return exact(
        match.span(), amount(number) * (-1 if match["sign"] else 1), PLAIN, Fraction(1, 10 ** decimal_places(number))
    )


def _two_or_three(match: re.Match[str]) -> Value:
    """俩, 仨."""
    return exact(match.span(), Fraction("俩仨".index(match.group()) + 2), _THINGS, _ONE)


_FREE = rf"(?<!\d\s)(?<![第{DIGITS}{POWERS}\d.点])"
_SIGN = r"(?P<sign>负|零下\s?)?"
_NUMBER = rf"(?:{NUMERAL}(?:{DECIMALS})?|\d{{1,15}}(?:\.\d{{1,9}})?\s?[百千万亿]{{0,2}})"
_SOME_POWERS = "[百千万亿]{1,3}"
_MORE = r"(?:余|多|来(?![自源到])|几(?!乎))"
_LASTING = "|".join(name for name in NAMES if UNITS[name].dimension in {TIME, "year", "month"} and not name.isascii())
_COUNTED_SINGLY = "次|条|个|台|笔|件|人|单|行"
_BEFORE_SEVERAL = "(?<![接程求误参次函总指个条人倍计字行少多量件页核例败无整度点])"
_BEFORE_SOME = rf"(?<![第这那前{DIGITS}{POWERS}\d])"
_ORDINARY_AFTER_TENTHS = "员功为立长果本分交绩就品型熟效上千百群因"
_ORDINARY_NUMERALS = (
    r"(?!一一|两两|三三两两|七七八八|五五开|三五成群|三六九等|一五一十|十万火急|九九归一|九九八十一"
    r"|一二[三]?(?![零〇\d])|十一[长黄假国期])"
)
_NO_BIT = r"(?!一点一[直致些样般起旦定切边共同律向再下个点])"
_NO_WORD_AFTER = r"(?![\u3400-\u9fff])"

ROWS: tuple[tuple[str, Reader], ...] = (
    (rf"{_FREE}百分(?:之)?百", _whole),
    (rf"{_FREE}(?P<whole>{NUMERAL}|[百千万]|\d{{1,6}})\s?分之\s?(?P<part>{_NUMBER})\s?(?P<more>{_MORE})?", _parts),
    (
        rf"{_FREE}(?P<first>[一二两三四五六七八九]|\d(?:\.\d)?)(?P<second>[二三四五六七八九])?\s?成"
        rf"(?:(?P<more>[多余])|(?P<rest>[一二三四五六七八九半])(?![{POWERS}]))?(?![{_ORDINARY_AFTER_TENTHS}不])",
        _tenths,
    ),
    (r"过半(?!个?(?:小时|天|分|年|月))|大半(?!个?(?:小时|天|夜|年|月))|半数以上|(?<!另)一半以上", _over_half),
    (r"(?<![多另])半数|(?<!另)一半|对半|减半|折半|腰斩", _half),
    (rf"翻了?\s?(?P<number>{_NUMBER})\s?番", _doublings),
    (r"翻倍|翻番|翻了番|加倍|倍增|双倍", _doubled),
    (
        r"(?P<verb>翻|增加|增长|增|提高|提升|上升|上涨|涨|升高|扩大|高出|多出|多|高)了?\s?"
        rf"(?P<number>{_NUMBER})\s?倍",
        _grown,
    ),
    ("成倍", _manifold),
    (rf"{_FREE}(?:(?P<number>{_NUMBER})\s?个?)?半\s?个?(?P<more>多)?(?P<name>{_LASTING}|月|倍)", _halves),
    (rf"{_FREE}(?P<number>{_NUMBER})\s?(?P<name>{_LASTING}|倍|分(?=半钟))半(?![年月天夜途])", _halves_behind),
    (rf"成(?P<power>[百千])上[千万]{UNIT}?", _by_the_hundred),
    (
        rf"(?:{_BEFORE_SEVERAL}数|{_BEFORE_SOME}好?几|若干)(?P<power>[十百千万亿]{{1,4}})(?!分[之比点钟]){_MORE}?{UNIT}?",
        _several,
    ),
    (rf"(?:{_BEFORE_SEVERAL}数|{_BEFORE_SOME}好?几|若干)(?P<power>){UNIT}", _several),
    (rf"(?<![以之线早晚])上(?P<power>{_SOME_POWERS})(?!分){UNIT}?", _at_least),
    (rf"(?<![最附])近(?P<power>{_SOME_POWERS})(?!分){UNIT}?", _nearly),
    (
        rf"{_FREE}(?P<ten>十)?(?P<low>[一二两三四五六七八])(?P<high>[二三四五六七八九])(?P<power>[十百千万亿]{{0,3}}){UNIT}",
        _between,
    ),
    (rf"{_FREE}(?P<number>{_NUMBER}|{_SOME_POWERS})\s?{_MORE}(?P<scale>[万亿]{{1,2}})?{UNIT}?", _above),
    (rf"{_FREE}(?P<number>{_NUMBER})\s?个?多\s?{UNIT}", _units_above),
    (rf"{_FREE}(?P<number>{_NUMBER}){UNIT}多(?=[\s,，。;；了的]|\Z)", _units_above),
    (rf"{_FREE}(?P<number>[百千万亿]{{2,3}}|[百千万](?={_COUNTED_SINGLY})){UNIT}", _powers),
    (rf"{_SIGN}{_FREE}(?P<number>{NUMERAL}(?:{DECIMALS})?)\s?整?{UNIT}", _figure),
    (rf"{_SIGN}{_FREE}{_NO_BIT}(?P<number>(?:{NUMERAL}){DECIMALS})", _plain),
    (rf"{_SIGN}{_FREE}{_ORDINARY_NUMERALS}(?=[{DIGITS}{POWERS}]{{2}})(?P<number>{NUMERAL})", _plain),
    (rf"(?<=[为是达到至共计有约过于剩仅只超])(?P<sign>)(?P<number>[二两三四五六七八九十]){_NO_WORD_AFTER}", _plain),
    (rf"(?P<sign>负|零下\s?)(?P<number>[{DIGITS}十]){_NO_WORD_AFTER}", _plain),
    (r"第(?P<sign>)(?P<number>[一二三四五六七八九十]{1,3})(?=\s?(?:分区|机柜|节点|端口|版本|分片|副本|号))", _plain),
    (
        rf"{_FREE}(?P<sign>)(?P<number>[一二三四五六七八九十]{{1,3}})(?=号(?:机|柜|节点|分区|实例|库|码头|服务器|线))",
        _plain,
    ),
    ("[俩仨]", _two_or_three),
)
