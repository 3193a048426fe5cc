"""What a question asks for in plain words: known things by any name, and the object of 是否存在, any … (R70)."""

from __future__ import annotations

import re
from functools import cache

from domain.language import cues, plain_words
from domain.language.cue import chinese, english, expression, words_of
from domain.language.failures import holds_failure
from domain.language.late import Late
from domain.question.asides import TAKEN
from domain.question.question import TermKind
from domain.question.reader import Reader

_EXISTS = Late(lambda: rf"(?:{expression(cues.EXISTS)})", re.IGNORECASE)
_VERBS = Late(lambda: rf"(?:{english(cues.FINDING)})\s", re.IGNORECASE)
_END_ZH = re.compile(r"[。；;！!？?\n，,：:]")
_WORDS_EN = r"[A-Za-z][A-Za-z0-9_'’./-]{0,40}(?:\s[A-Za-z0-9][A-Za-z0-9_'’./-]{0,40}){0,11}"
_PIECE_ZH = re.compile(rf"(?:[A-Z]{{2,6}}\s?)?[\u4e00-\u9fff]{{1,30}}|{_WORDS_EN}")
_FOREIGN = re.compile(rf"(?<![A-Za-z0-9_-]){_WORDS_EN}(?![A-Za-z0-9_-])")
_SUBJECT = re.compile(r"(?P<words>[\u4e00-\u9fff]{2,12}?)(?=是否|有没有|有无|满了|了吗|吗)")
_SPLIT_ZH = re.compile(r"以及|或者|还是|[和与及或、的]")
_RECORD_BEHIND = Late(
    lambda: (
        rf"(?P<words>[\u4e00-\u9fff]{{2,12}}?)(?:的)?(?:{chinese(cues.LOGS)}|记录|报错|告警|报警|(?<=的)错误|(?<=的)异常)"
    )
)
_END_EN = Late(lambda: rf"[^A-Za-z0-9 '’/_-]|{TAKEN}|{english(cues.PARTS_FROM)}", re.IGNORECASE)
_WORD_EN = re.compile(r"[A-Za-z0-9][A-Za-z0-9'’/_-]*")
_BESIDE = (cues.GENERIC, cues.RECORDS, cues.FAILURES, cues.STATES, cues.EXISTS, cues.POLITE, cues.CODES)
_PLACES = (cues.CONDITIONS, cues.SERVICES, cues.NAMESPACES, cues.LEVEL_NOUNS, cues.ORDERS)
_KINDS = (
    *(cues.WHAT_TO_DO, cues.WHY, cues.SINCE_WHEN, cues.HOW_MANY, cues.HOW_MUCH, cues.IS_OVER, cues.WHICH, cues.WHETHER),
    *(cues.OPEN, cues.MEANING),
)
_SAYS_NOTHING = Late(lambda: rf"{chinese(*_BESIDE, *_PLACES, *_KINDS)}|[{cues.FUNCTION_ZH}]")
_RECORD_WORDS = words_of(cues.RECORDS, cues.STATES) - {"up"}
_EDGE_ZH = re.compile(rf"^[{cues.FUNCTION_ZH}]+|[{cues.FUNCTION_ZH}]+$")
_VAGUE = (cues.RECORDS, cues.FAILURES, cues.STATES, cues.ALERTS, cues.LOGS, cues.METRICS, cues.SERVICES, cues.CODES)
_WHO = frozenset(("request", "user", "order", "customer", "account", "job", "task"))
_VAGUE_EN = words_of(*_VAGUE, cues.CONDITIONS, cues.MEANING) | _WHO
_ERRORS_ALONE = re.compile(
    r"(?<![A-Za-z-])(?P<word>errors|exceptions|warnings)(?![A-Za-z-])"
    r"|(?P<one>error|exception|warning)(?=\s?(?:[?？。，,;；!！吗呢]|$))"
    r"|(?P<zh>报错|错误|异常)(?![\u4e00-\u9fff])|(?P<open>报错|错误|异常)(?=日志|记录|信息|情况|现象|最多|总数|的|吗|呢|有|了|是|次数|数量)",
    re.IGNORECASE,
)
_MOST_PHRASES = 40  # of one question
_LONGEST = 100  # characters behind a verb
_CHINESE = re.compile("[\u4e00-\u9fff]")


def take_objects(reader: Reader, is_topic: Late) -> None:
    """The words behind each cue of existence; of these, known things by themselves."""
    for span in _objects(reader.rest):
        for topic in list(is_topic.finditer(reader.rest, *span)):
            if not _is_within_phrase(reader.rest, topic.span(), span):
                reader.take(TermKind.TOPIC, (_with_its_kind(reader.rest, topic.start(), span[0]), topic.end()))
        for piece in _phrases(reader.rest, span):
            reader.take(TermKind.PHRASE, piece)


def take_topics(reader: Reader, is_topic: Late) -> None:
    reader.take_all(TermKind.TOPIC, is_topic)


_BESIDE_IT = re.compile(rf"(?<=[(（])\s?(?P<words>{_WORDS_EN})\s?(?=[)）])")


def take_phrases_in_brackets(reader: Reader) -> None:
    """Several English words that stand beside what is asked for: an evacuation failure (To-space exhausted)."""
    for found in list(_BESIDE_IT.finditer(reader.rest)):
        if " " in found["words"] and _says_something_en(found["words"]):
            reader.take(TermKind.PHRASE, found.span("words"))


def take_foreign_phrases(reader: Reader, is_topic: Late) -> None:
    """English words of a Chinese question that stand together: upstream timed out."""
    if not _CHINESE.search(reader.rest):
        return
    for found in list(_FOREIGN.finditer(reader.rest)):
        if _says_something_en(found[0]):
            is_known = is_topic.fullmatch(found[0]) is not None
            reader.take(TermKind.TOPIC if is_known else TermKind.PHRASE, found.span())


def take_plain_errors(reader: Reader, *, is_open: bool) -> None:
    """Errors, 报错 by themselves ask for a level; behind a phrase or a code they only say what it is."""
    for found in list(_ERRORS_ALONE.finditer(reader.rest)):
        if (is_open and found[0] == "异常") or reader.kind_before(found.start()) in _TOLD:
            continue
        if _is_alone(reader.rest[max(0, found.start() - 12) : found.start()]):
            reader.take(TermKind.LEVEL, found.span())
    if not is_open and not reader.has(*_TOLD, TermKind.LEVEL, TermKind.METRIC, TermKind.ID):
        for found in list(_FAILED_ALONE.finditer(reader.rest)):
            reader.take(TermKind.LEVEL, found.span(found.lastgroup or 0))


def take_left_over(reader: Reader, *, is_open: bool) -> None:
    """Where nothing else says what is looked for, every word of content that was not read is. An open question about a
    service looks for all that is wrong with it."""
    if reader.has(*TermKind) if is_open else reader.has(*_LOOKED_FOR):
        return
    for run in list(_HAN_RUN.finditer(reader.rest)):
        start = run.start()
        for part in _SPLIT_LEFT.split(run[0]):
            at = reader.text.index(part, start) if part else start
            start = at + len(part)
            if inner := _content(part):
                begin = at + part.index(inner)
                reader.take(TermKind.PHRASE, (begin, begin + len(inner)))
    for found in list(_WORD_LEFT.finditer(reader.rest)):
        word = found[0].casefold()
        if word not in _plain() and not _is_vague(word):
            reader.take(TermKind.PHRASE, found.span())


_LOOKED_FOR = set(TermKind) - {TermKind.SERVICE}
_SPLIT_LEFT = Late(lambda: rf"{chinese(*_KINDS)}|{_SPLIT_ZH.pattern}")
_HAN_RUN = re.compile("[\u4e00-\u9fff]{2,30}")
_WORD_LEFT = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z'’-]{2,40}(?![\w./-])")


@cache
def _plain() -> frozenset[str]:
    return plain_words.NOT_NAMES | plain_words.PRONOUNS | plain_words.ADJECTIVES | plain_words.LITTLE_WORDS


_FAILED_ALONE = re.compile(
    r"(?<![A-Za-z-])(?:did|does|do|has|have|had|is|was)(?![A-Za-z-])[^.?!\n]{0,80}?(?<![A-Za-z-])"
    r"(?P<word>fail|fails|failed|failing)(?![A-Za-z-])(?!\s(?:to|with)\s)"
    rf"|(?<=[有无否{TAKEN} ])(?:(?P<zh>失败|出错)(?=了|过|吗|[?？。]|$))",
    re.IGNORECASE,
)
"""Whether something failed, where nothing else is asked for: then its errors are."""
_TOLD = {TermKind.PHRASE, TermKind.TOPIC, TermKind.CODE, TermKind.ALERT}


def _is_alone(before: str) -> bool:
    """Whether no word of content stands right before."""
    if re.search(r"[A-Za-z]\s\Z", before):
        word = before.split()[-1].casefold()
        return word in plain_words.ADJECTIVES or word in plain_words.NOT_NAMES - {
            "disk",
            "network",
            "memory",
            "database",
        }
    return not re.search(r"[\u4e00-\u9fff]\Z", before) or _FRAME_BEFORE.search(before) is not None


_FRAME_BEFORE = Late(
    lambda: rf"(?:{chinese(cues.EXISTS, cues.GENERIC, cues.WHICH, cues.HOW_MANY, cues.POLITE)}|[{cues.FUNCTION_ZH}])\Z"
)


def _is_within_phrase(rest: str, topic: tuple[int, int], span: tuple[int, int]) -> bool:
    """GC of "GC pauses": a longer phrase of English words says more than the topic in it."""
    behind = re.match(r"\s([A-Za-z]{3,30})", rest[topic[1] : span[1]])
    if not behind or not rest[topic[0]].isascii():
        return False
    return not _END_EN.match(behind[1] + " ") and behind[1].casefold() not in _VAGUE_EN


def _with_its_kind(rest: str, start: int, limit: int) -> int:
    """Where 连接超时 begins: the Chinese words right before a thing that say of what it is."""
    before = _BEFORE_THING.search(rest, limit, start)
    kind = _content(before[0]) if before else ""
    return start - len(kind) if kind and before and before[0].endswith(kind) else start


_BEFORE_THING = re.compile(r"[\u4e00-\u9fff]{2,6}\Z")


def _objects(rest: str) -> list[tuple[int, int]]:
    """Where objects stand: behind a cue, up to the next cue or the end of the clause."""
    found = list(_EXISTS.finditer(rest))
    spans = []
    for number, cue in enumerate(found):
        end = _END_ZH.search(rest, cue.end())
        limit = end.start() if end else len(rest)
        if number + 1 < len(found):
            limit = min(limit, found[number + 1].start())
        if limit > cue.end():
            spans.append((cue.end(), limit))
    spans += [found.span("words") for pattern in (_RECORD_BEHIND, _SUBJECT) for found in pattern.finditer(rest)]
    if not _CHINESE.search(rest):
        spans += [(verb.end(), verb.end() + _LONGEST) for verb in _VERBS.finditer(rest)]
    return spans[:_MOST_PHRASES]


def _phrases(rest: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    if _CHINESE.search(rest):
        return _chinese_phrases(rest, span)
    found = _english_phrase(rest, span)
    return [found] if found else []


def _is_vague(word: str) -> bool:
    return word in _VAGUE_EN or word.removesuffix("s") in _VAGUE_EN


def _english_phrase(rest: str, span: tuple[int, int]) -> tuple[int, int] | None:
    """The words up to the first that joins another part: "authentication failures" from … in …."""
    start = span[0] + len(rest[span[0] : span[1]]) - len(rest[span[0] : span[1]].lstrip())
    end = _END_EN.search(rest, start, span[1])
    words = list(_WORD_EN.finditer(rest, start, end.start() if end else span[1]))
    while words and words[0][0].casefold() in plain_words.ADJECTIVES:
        words.pop(0)
    while words and words[-1][0].casefold() in _RECORD_WORDS | plain_words.ADJECTIVES:
        words.pop()
    said = [word[0].casefold() for word in words]
    if said[:1] and said[0] in plain_words.PRONOUNS:
        return None
    if all(_is_vague(word) for word in said) or (len(said) == 1 and said[0] in plain_words.NOT_NAMES):
        return None
    return words[0].start(), words[-1].end()


def _chinese_phrases(rest: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    found = []
    for piece in _PIECE_ZH.finditer(rest, *span):
        if piece[0].isascii():
            if _says_something_en(piece[0]):
                found.append(piece.span())
            continue
        start = piece.start()
        for part in _SPLIT_ZH.split(piece[0]):
            at = rest.index(part, start) if part else start
            start = at + len(part)
            if inner := _content(part):
                begin = at + part.index(inner)
                found.append((begin, begin + len(inner)))
    return found


def _content(part: str) -> str:
    """The part without words that stand beside what is asked for; "" if nothing else is in it."""
    if not _SAYS_NOTHING.sub("", part).strip(" ") or part.strip(" ").isascii():
        return ""
    inner = part
    for _ in range(6):
        shorter = _EDGE_ZH.sub("", _LEAD_ZH.sub("", _TAIL_ZH.sub("", inner)))
        if shorter == inner:
            break
        inner = shorter
    return inner if len(inner) > 1 and _SAYS_NOTHING.sub("", inner) and not inner.isascii() else ""


_LEAD_ZH = Late(lambda: rf"^(?:{chinese(cues.GENERIC, cues.EXISTS, cues.POLITE, cues.HOW_MANY, cues.WHICH)})")
_TAIL_ZH = Late(lambda: rf"(?:{chinese(cues.RECORDS, cues.HOW_MANY)}|相关|情况|现象)$")


def _says_something_en(words: str) -> bool:
    folded = [word.casefold() for word in _WORD_EN.findall(words)]
    return (len(folded) > 1 and any(not _is_vague(word) and word not in plain_words.NOT_NAMES for word in folded)) or (
        len(folded) == 1 and (holds_failure(folded[0]) or folded[0] in {"abort", "reset"}) and not _is_vague(folded[0])
    )
