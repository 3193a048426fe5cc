"""Numbers written in words: Chinese numerals, those of cheques too, and English number words (R37)."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {
    digit: value
    for value, digits in enumerate(("零〇", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"))
    for digit in digits
}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "亿": 10**8}

DIGITS = "".join(_DIGITS)
POWERS = "".join(_SMALL) + "".join(_LARGE)
NUMERAL = rf"[{DIGITS}十][{DIGITS}{POWERS}]{{0,15}}"
DECIMALS = rf"点[{DIGITS}]{{1,9}}"

_FORMAL = dict(zip("壹贰叁肆伍陆柒捌玖拾佰仟萬億", "一二三四五六七八九十百千万亿", strict=True))
_FORMAL_RUN = re.compile(
    r"(?=[零伍陆拾]{0,9}[壹贰叁肆柒捌玖佰仟])[零壹贰叁肆伍陆柒捌玖拾佰仟万亿萬億]+|[伍陆]拾[伍陆]?|拾[伍陆]|[萬億]"
)


def plainly_written(text: str) -> str:
    """玖拾玖 as 九十九, character by character; 陆续 and 收拾 stay."""
    return _FORMAL_RUN.sub(lambda run: "".join(_FORMAL.get(character, character) for character in run.group()), text)


def chinese_number(numeral: str) -> int:
    """三十 -> 30, 两百零五 -> 205, 一万二 -> 12000; digits without powers are read one by one: 二〇三一 -> 2031."""
    if not set(numeral) & set(POWERS):
        return int("".join(str(_DIGITS[character]) for character in numeral))
    total = section = digit = 0
    power, last = 1, ""
    for character in numeral:
        if character in _DIGITS:
            digit = _DIGITS[character]
            power = power if last in POWERS else 1
        elif character in _SMALL:
            power = _SMALL[character]
            section, digit = section + (digit or 1) * power, 0
        else:
            power = _LARGE[character]
            part = section + digit
            total = (total + part or 1) * power if character == "亿" else total + (part or 1) * power
            section = digit = 0
        last = character
    return total + section + digit * max(1, power // 10 if last in _DIGITS else 1)


def power_of_ten(powers: str) -> Fraction:
    """百万 -> 1000000; nothing is 1."""
    return Fraction(chinese_number("一" + powers)) if powers else Fraction(1)


def amount(written: str) -> Fraction:
    """99.9, 1.2 万, 九十九点九, 百万."""
    if written[0].isdecimal():
        digits = written.rstrip(POWERS)
        return Fraction(digits.strip()) * power_of_ten(written[len(digits) :])
    if written[0] in "百千万亿":
        return power_of_ten(written)
    whole, _, decimals = written.partition("点")
    digits = "".join(str(_DIGITS[character]) for character in decimals)
    return chinese_number(whole) + Fraction(int(digits or 0), 10 ** len(digits))


def decimal_places(written: str) -> int:
    parts = re.split("[.点]", written)
    return len(parts[1].rstrip(POWERS).strip()) if len(parts) > 1 else 0


def last_place(number: Fraction) -> Fraction:
    """The power of ten of the last digit that is not zero: 30 -> 10, 2000 -> 1000, 1.2 -> 0.1."""
    place = Fraction(1)
    while (number / place).denominator > 1:
        place /= 10
    while number and (number / (place * 10)).denominator == 1:
        place *= 10
    return place


_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ENGLISH_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
}
_ENGLISH = {word: number for number, word in enumerate(_ONES)} | {
    word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)
}
ENGLISH_PARTS = {
    name + plural: number
    for names, number in (("half halve", 2), ("third", 3), ("quarter fourth", 4), ("fifth", 5), ("tenth", 10))
    for name in names.split()
    for plural in ("", "s")
}
_WORD = "|".join([*_ENGLISH, *ENGLISH_SCALES])
_NO_LETTER = "(?![A-Za-z0-9_])"
_SPOKEN_DECIMALS = rf"\spoint(?:\s(?:{'|'.join(_ONES)}){_NO_LETTER}){{1,9}}"
_NEXT_WORD = rf"(?:\s|-|(?<=hundred)\sand\s|(?<=thousand)\sand\s)(?:{_WORD})"
ENGLISH_NUMERAL = rf"(?:{_WORD})(?:{_NEXT_WORD}){{0,9}}{_NO_LETTER}(?:{_SPOKEN_DECIMALS})?"
_JOINED_WORDS = re.compile(rf"(?:{_WORD})(?:-(?:{_WORD}|{'|'.join(ENGLISH_PARTS)})){{1,9}}", re.IGNORECASE)


def is_spelled_number(word: str) -> bool:
    """ninety-nine, two-thirds."""
    return bool(_JOINED_WORDS.fullmatch(word))


def english_number(words: str) -> Fraction:
    """ninety-nine point nine -> 99.9, two hundred and five -> 205."""
    whole, _, decimals = words.casefold().partition(" point ")
    total = section = 0
    for word in re.findall(r"[a-z]+", whole):
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word in {"dozen", "hundred"}:
            section = (section or 1) * ENGLISH_SCALES[word]
        elif word in ENGLISH_SCALES:
            total, section = total + (section or 1) * ENGLISH_SCALES[word], 0
    digits = "".join(str(_ENGLISH[word]) for word in decimals.split())
    return total + section + (Fraction(int(digits), 10 ** len(decimals.split())) if digits else Fraction())
