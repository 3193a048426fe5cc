"""What a service may be called, for the question and the sources alike (R68).

Only a name that is clearly another service's may exclude, so everything between the two is UNSURE, and a doubt.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from domain.language import service_words as words
from domain.language.instances import Named, pods_in, readings
from domain.language.plain_words import products

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINERS = re.compile(r"[^0-9A-Za-z\u3400-\u9fff]+")
_NO_NAME = re.compile(
    r"(?:pid)?\d+|(?:ex|in|nc)\d{6,8}|[0-9a-f]{12,64}|(?=[a-z]*\d)[0-9a-f]{8,}|v?\d+(?:\.\d+)*|[a-z]", re.ASCII
)
_VERSIONED = re.compile(r"(?<=[A-Za-z])\d{1,2}(?:\.\d{1,2}){1,2}(?=[-_.@]|$)")
"""Debian writes php8.2-fpm and python3.11."""
_SHORT_ID = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,64}", re.ASCII)
_CLOSE = 0.7
_MOST_NEAR = 3

_COMPRESSED = re.compile(r"\.(?:gz|bz2|xz|zst|zip|tgz|tbz2?|txz|tar|lz4|z|7z)$", re.I)
_SUFFIX = re.compile(
    r"\.(?:logs?|txt|out|err|json|jsonl|ndjson|csv|log4j|old|bak|orig|prev|save|current|lines?)$|~$", re.I
)
_DATE = re.compile(
    r"[-._]?(?:(?:19|20)\d{2}[-._]?\d{2}[-._]?\d{2}|\d{2}[-._]\d{2}[-._](?:19|20)\d{2})"
    r"(?:[-._T ]?\d{2}(?:[-._:]?\d{2}){0,2})?(?:[-._]\d{1,5})?Z?$"
    r"|[-._](?:19|20)\d{2}[-._]\d{2}$|[-.]\d{10}(?:\d{3})?$"
)
_ROTATION = re.compile(r"\.\d{1,4}$")
_FIRST_WORD = re.compile(r"([^-_.]+)[-_.]+(?=.)")
_LAST_WORD = re.compile(r"(?<=[^-_.])[-_.]+([^-_.]+)(?:[-_.]\d{1,4})?$")  # PM2 writes order-service-error-0.log
_GLOG = re.compile(r"(?P<program>[\w-]{1,64})\..{1,255}\.log\.(?:INFO|WARNING|ERROR|FATAL)\.\d{8}-\d{6}\.\d{1,10}")

_PROCESS_NAME = 15  # characters of it that Linux keeps
_PROCESS = re.compile(r"(?:process \d{1,10},? \(|\btask=|\bcomm[=:] ?\"?)([\w.-]{1,16})", re.I)


class Kinship(Enum):
    """Whether a name that was found belongs to the service that is asked for."""

    SAME = "same"
    OTHER = "other"
    UNSURE = "unsure"


@lru_cache(maxsize=16_384)
def kinship(name: str, asked: str) -> Kinship:
    """Whether a name found in a source belongs to the service asked for: a spelling of it, a pod, container, replica,
    unit or process of it. OTHER only if it clearly is of another service; a name that names none is UNSURE."""
    if asked_pods := pods_in(asked):
        found_pods = pods_in(name)
        if asked_pods & found_pods:
            return Kinship.SAME
        is_other = found_pods or kinship(name, service_of(asked)) is Kinship.OTHER
        return Kinship.OTHER if is_other else Kinship.UNSURE  # of which of its pods, the service's name does not tell
    if not _VERSIONED.search(asked):
        name = _VERSIONED.sub("", name)
    wanted = [key for reading in readings(asked) if reading.is_sure for key in _keys(reading.base)]
    found = readings(name)
    if not wanted or not found:
        return Kinship.UNSURE
    own = [reading for reading in found if reading.is_sure]
    if _are_different_ones(asked, name):
        return Kinship.OTHER
    if any(_glued(key) in map(_glued, wanted) for reading in own for key in _keys(reading.base)):
        return Kinship.SAME
    if any(_is_project(reading, wanted[0]) for reading in own):
        return Kinship.SAME
    if any(_is_namespace(place, own, wanted) for place in found if not place.is_sure):
        return Kinship.SAME
    telling = [key for reading in found if not is_generic(reading.base) for key in _keys(reading.base)]
    if _names_none(service_of(name)) or any(_may_be(key, want) for key in telling for want in wanted):
        return Kinship.UNSURE
    return Kinship.OTHER


_ONE_OF_SEVERAL = re.compile(r"(?P<base>.*[A-Za-z])[-_]?(?P<number>\d{1,3})")


def _are_different_ones(asked: str, name: str) -> bool:
    """db-1 is not db-2, where one of several is asked for."""
    one, other = _ONE_OF_SEVERAL.fullmatch(asked), _ONE_OF_SEVERAL.fullmatch(name)
    if not one or not other or one["base"].casefold() != other["base"].casefold():
        return False
    return int(one["number"]) != int(other["number"])


def _is_namespace(place: Named, own: Sequence[Named], wanted: Sequence[tuple[str, ...]]) -> bool:
    """ingress-nginx-controller in the namespace ingress-nginx is of ingress-nginx."""
    keys = [key for reading in own for key in _keys(reading.base)]
    return any(want in _keys(place.base) and any(key[: len(want)] == want for key in keys) for want in wanted)


def _names_none(base: str) -> bool:
    """A program may be called like a thing of its own, as `CRON` is: that names it."""
    return is_generic(base) and "".join(_tokens(base)) not in _products()


def mentions_service(text: str, asked: str) -> bool:
    """Whether a text holds the name of the service, however its words are joined; of a Chinese name the name itself."""
    return _mention(asked).search(text) is not None


@lru_cache(maxsize=256)
def _mention(asked: str) -> re.Pattern[str]:
    forms = [r"[-_. ]?".join(map(re.escape, _tokens(asked))), *(map(re.escape, names_in_chinese(asked)))]
    return re.compile("|".join(f"(?<![A-Za-z0-9]){form}(?![A-Za-z0-9])" for form in forms if form) or "(?!)", re.I)


def is_overseer(name: str) -> bool:
    """Whether it is a program that runs others and writes of them, such as the kernel."""
    return _glued(_tokens(service_of(name))) in words.OVERSEERS


_COMPOUND = re.compile(r"[A-Za-z]\w*[-_./@\d]")


def is_program(word: str) -> bool:
    """Whether a word before a colon is surely a program's name: that of a known one, or made as no word is."""
    plain = word.casefold()
    return plain in products() or plain in words.DAEMONS or is_overseer(word) or _COMPOUND.match(word) is not None


def tells_of_process(text: str, asked: str) -> Kinship:
    """Whether what an overseer writes is of the service: the kernel cuts the name of a process, and a process may be
    called by what runs it."""
    if mentions_service(text, asked) or (len(asked) > _PROCESS_NAME and mentions_service(text, asked[:_PROCESS_NAME])):
        return Kinship.SAME
    called = _PROCESS.finditer(text)
    return Kinship.UNSURE if any(process[1].lower() in words.RUNTIMES for process in called) else Kinship.OTHER


def service_of(name: str) -> str:
    """The service that a name is an instance of, in the name's own letters: order-service-7d9f8b6c5-abcde is of
    order-service."""
    own = [reading.base for reading in readings(name) if reading.is_sure]
    return min(own, key=len, default=name)


def nearest(asked: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names most like the one asked for, best first, three at most: what a misspelt name may have meant."""
    scored: dict[str, float] = {}
    for name in sorted(set(known)):
        likeness = max((_likeness(a, b) for a in _keys(asked) for b in _keys(service_of(name))), default=0.0)
        if likeness >= _CLOSE:
            scored[name] = likeness
    return tuple(sorted(scored, key=lambda name: (-scored[name], name))[:_MOST_NEAR])


def is_generic(name: str) -> bool:
    """Whether a name of a file, folder or field names no service: app, error, pods, prod, a date, a number, an id."""
    tokens = _tokens(name)
    return not _is_service(tokens) and all(token in words.GENERIC or _NO_NAME.fullmatch(token) for token in tokens)


def _is_service(tokens: tuple[str, ...]) -> bool:
    """user-service, though either word names none."""
    return len(tokens) > 1 and tokens[-1] in words.SERVICE and tokens[0].isalpha()


def stem_of_file(file_name: str) -> str:
    """A file's name without suffix, rotation, date and compression: order of `order.log-20240501.gz`."""
    stem = file_name.rpartition("/")[2]
    if glog := _GLOG.fullmatch(stem):
        return glog["program"]
    for _ in range(8):
        shorter = stem
        for ending in (_COMPRESSED, _SUFFIX, _DATE, _ROTATION):
            shorter = ending.sub("", shorter, count=1) or shorter
        if shorter == stem:
            break
        stem = shorter
    return stem


def names_of_file(file_name: str) -> tuple[str, ...]:
    """The names of services in a file's name: none in error.log, order-service in order-service-error.log.1."""
    return _names_in(file_name, words.FILE_WORDS)


def names_of_folder(folder: str) -> tuple[str, ...]:
    """The names of services in a folder's name: dec-json is one, order-service-logs holds those of order-service."""
    return _names_in(folder, words.FOLDER_WORDS)


def tells_less(name: str, folder: str) -> bool:
    """Whether the name of a file, in a folder that names a service, names none beside it: a part of the folder's name,
    what runs the service, an id."""
    own, whole = _tokens(name), _tokens(folder)
    if len(own) < len(whole) and set(own) <= set(whole):
        return True
    told = (*words.SERVERS, *words.FILE_GENERIC)
    return all(token in told or is_generic(token) or _SHORT_ID.fullmatch(token) for token in own)


def _names_in(name: str, parts: frozenset[str]) -> tuple[str, ...]:
    stem = stem_of_file(name)
    while (match := _FIRST_WORD.match(stem)) and match[1].lower() in parts:
        stem = stem[match.end() :]
    while (match := _LAST_WORD.search(stem)) and match[1].lower() in parts:
        stem = stem[: match.start()]
    if (match := _LAST_WORD.search(stem)) and match[1].lower() in words.APPLICATION:
        *_, last = _tokens(stem[: match.start()]) or ("",)
        stem = stem[: match.start()] if last in words.CALLED and last not in words.APPLICATION else stem
    tokens = _tokens(stem)
    tells = any(token not in words.FILE_GENERIC and not is_generic(token) for token in tokens)
    return (stem,) if tells or _is_service(tokens) else ()


def in_chinese(name: str) -> str | None:
    """The Chinese word for a business name: 订单 for order; None if there is none."""
    return next((zh for zh, en in words.BUSINESS if name in en), None)


def names_in_chinese(service: str) -> tuple[str, ...]:
    """What order-service is called in Chinese: 订单; none if it is no service of that form."""
    *first, last = _tokens(service)
    if not first or last not in words.SERVICE:
        return ()
    return tuple(zh for zh, en in words.BUSINESS if "-".join(first) in en)


# ---------------------------------------------------------------- names as words


@lru_cache(maxsize=16_384)
def _tokens(name: str) -> tuple[str, ...]:
    """The words of a name in lower case, however they are joined: OrderService, order_service, order.service."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return tuple(part.lower() for part in _JOINERS.split(_HUMP.sub("-", plain)) if part)


@lru_cache(maxsize=16_384)
def _keys(name: str) -> tuple[tuple[str, ...], ...]:
    """The words of a name, its kind under one word; a Chinese name, and a product, under each of its names."""
    tokens = _tokens(name)
    if not tokens:
        return ()
    glued = "".join(tokens)
    if product := _products().get(glued):
        return (product,)
    if len(tokens) == 1 and not glued.isascii():
        return _translated(glued)
    if len(tokens) > 1 and tokens[-1] in words.SERVICE:
        return ((*tokens[:-1], "service"),)
    if len(tokens) == 1 and glued.endswith("svc") and len(glued) > 5:
        return ((f"{glued[:-3]}service",),)
    return (tokens,)


def _translated(chinese: str) -> tuple[tuple[str, ...], ...]:
    kind = next((kind for kind in (*words.SERVICE_ZH, *words.PERHAPS_SERVICE) if chinese.endswith(kind)), "")
    stem = chinese.removesuffix(kind)
    ending = () if not kind else ("service",) if kind in words.SERVICE_ZH else (kind,)
    english = next((en for zh, en in words.BUSINESS if zh == stem), None)
    return tuple((*name.split("-"), *ending) for name in english) if english else ((stem, *ending),)


@cache
def _products() -> dict[str, tuple[str, ...]]:
    return {"".join(_tokens(name)): (row[0],) for row in words.PRODUCTS for name in row}


def _glued(key: tuple[str, ...]) -> str:
    return "".join(key)


def _is_project(reading: Named, wanted: tuple[str, ...]) -> bool:
    """`shop-order-service-1`: Compose writes project, service and number."""
    if not reading.is_numbered or "-" not in reading.base or len(wanted) < 2:
        return False
    business = {name for _, names in words.BUSINESS for name in names}
    return any(
        key[1:] == wanted and key[0].isalpha() and key[0] not in words.QUALIFIERS and key[0] not in business
        for key in _keys(reading.base)
    )


def _may_be(key: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether one name holds the other (order, order-service-canary, shop-order-service), or differs in no more than a
    word for its kind, a plural, or the language."""
    if _is_chinese(key) != _is_chinese(wanted) or _holds(key, wanted) or _holds(wanted, key):
        return True
    if len(key) == 1 or len(wanted) == 1:
        one, other = sorted((_glued(key), _glued(wanted)), key=len)
        if len(one) > 5 and (other.startswith(one) or other.endswith(one)):
            return True
    kinds = {*words.PERHAPS_SERVICE, "service"}
    if key[:-1] == wanted[:-1] and key[:-1] and key[-1] in kinds and wanted[-1] in kinds:
        return True
    return [token.removesuffix("s") for token in key] == [token.removesuffix("s") for token in wanted]


def _is_chinese(key: tuple[str, ...]) -> bool:
    return not key[0].isascii()


def _holds(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    rest = iter(longer)
    return len(shorter) < len(longer) and all(token in rest for token in shorter)


def _likeness(asked: tuple[str, ...], known: tuple[str, ...]) -> float:
    """From 0 to 1, without the words for the kind: user-service is not like order-service."""
    one, other = _stem(asked), _stem(known)
    if _holds(asked, known) or _holds(known, asked):
        return max(_CLOSE, float(OSA.normalized_similarity(one, other)))
    return float(OSA.normalized_similarity(one, other))


def _stem(key: tuple[str, ...]) -> str:
    return "".join(token for token in key if not _is_kind(token)) or "".join(key)


def _is_kind(token: str) -> bool:
    """A word for the kind of thing, also misspelt."""
    return token in words.PERHAPS_SERVICE or (len(token) > 4 and OSA.distance(token, "service") <= 2)
