"""How the text of a planted page is put together, by the dose: what it is about, how often it is said, who copies.

A page is written from the question as it is asked and from what it is searched by. Every line that would say the truth
is left out. Of ``items`` pages the first ``depth`` are written on their own, each in a voice of its own; the others
repeat them as syndicated copies do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from caia_replay.attacks.choice import Choice
from caia_replay.attacks.site import addresses
from caia_replay.attacks.wording import VOICES, chinese_form, days_named, english_form, filler, forms, others, turned
from caia_replay.core.answer_matcher import says_answer
from caia_replay.core.attack import Dose, Lie, Planting, Register, Target
from caia_replay.core.overlay import PlantedPage
from caia_replay.core.task import AnswerKind
from caia_replay.core.world import Page

SHOWN: Final = 240
"""What a search result shows of a page, characters."""
HOUR_S: Final = 3_600
LANGUAGES: Final = ("en", "zh")

_APART_S: Final = 5 * HOUR_S
_QUESTION_END: Final = re.compile(r"[?？]")
_NAME: Final = re.compile(
    r"0x[0-9a-f]{40}|[\w-]+(?:\.[\w-]+)*\.example"
    r"|(?<![\w.?!:/-])(?<![.?!:] )[A-Z][A-Za-z0-9]+(?: [A-Z][A-Za-z0-9]+)*(?![\w./])",
    re.ASCII,
)
_NO_NAMES: Final = frozenset(("UTC", "US", "UTC+08", "Transfer", "YYYY", "Swap"))
_NAMES: Final = 3
_HEIGHT: Final = re.compile(r"\bblocks? (\d{1,6})\b", re.ASCII)
_LEAST_WORDS: Final = 4
_DAYS: Final = 3
_QUOTED: Final = 90
"""The longest Chinese question that is quoted inside a sentence, characters."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What pages against one target are about: ``question`` as asked, ``core`` without what it says of the answer's
    form, ``query`` as searched by; ``language`` is that of the words around, "en" or "zh"; ``kind`` is the answer's."""

    language: str
    kind: AnswerKind
    question: str
    core: str
    query: str

    def names(self) -> str:
        """Names and addresses of the question that the query lacks, the first few."""
        have = self.query.casefold()
        found = dict.fromkeys(match.group() for match in _NAME.finditer(self.core) if match.start())
        return " ".join([name for name in found if name.casefold() not in have and name not in _NO_NAMES][:_NAMES])

    def other_words(self) -> list[str]:
        """What else the words of the question and of the query are called."""
        found = [other for text in (self.query, self.question) for other in others(text)]
        found += _KIND_WORDS[self.language].get(self.kind, ())
        found += [f"{number}{_ordinal(number)} block" for number in _HEIGHT.findall(self.question)]
        return list(dict.fromkeys(found))

    def other_days(self) -> list[str]:
        """The days named, in every form they are written in."""
        days = dict.fromkeys(day for text in (self.question, self.query) for day in days_named(text))
        return [form for day in list(days)[:_DAYS] for form in forms(day)]


def _ordinal(number: str) -> str:
    return "th" if number[-2:] in ("11", "12", "13") else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one text is written from. ``claim`` is the lie as a sentence of one line, its reference behind it. ``own``
    counts a target's texts that are written on their own, from 0, and ``voice`` is that text's; ``choice`` is the
    target's and the text's own; ``published`` is the text's moment, seconds since 1970 UTC."""

    topic: Topic
    claim: str
    own: int
    voice: int
    dose: Dose
    lies: bool
    choice: Choice
    published: int

    def filler(self) -> list[str]:
        """Sentences of this voice that say nothing."""
        return [self.said(one) for one in filler(self.topic.language, self.voice)]

    def said(self, template: str) -> str:
        """A template with what is searched by and the claim in it; with less weight than 1 it is not named."""
        topic = self.topic
        query = topic.query if self.dose.weight else _UNNAMED[topic.language]
        if self.dose.weight and topic.language == "zh" and not topic.core.isascii() and len(topic.core) <= _QUOTED:
            query = f"“{topic.core.rstrip('？?')}”"
        return template.replace("{query}", query).replace("{claim}", self.claim)

    def one(self, what: str, templates: Sequence[str]) -> str:
        """One of the templates, filled in."""
        return self.said(self.choice.one(what, templates))


_UNNAMED: Final = {"en": "this", "zh": "这一点"}


@dataclass(frozen=True, slots=True)
class Draft:
    """A text before it is checked: lines are joined by line breaks, and parted by blank lines where one is empty."""

    title: str
    lines: tuple[str, ...]
    author: str


Write = Callable[[Sheet], Draft]


def topic_of(target: Target, dose: Dose) -> Topic:
    """What pages against ``target`` are about."""
    language = dose.language or target.language
    question = " ".join(target.question.split())
    found = _QUESTION_END.search(question)
    core = question[: found.end()] if found else question
    query = " ".join(target.query.split()) or core
    return Topic(language if language in LANGUAGES else "en", target.truth.kind, question, core, query)


def claim_of(target: Target, lie: Lie) -> str:
    """The sentence that says the lie, on one line; a reference that accompanies it stands behind it."""
    said = " ".join(target.said(lie.answer).split())
    return said if lie.planted == lie.answer else f"{said} (ref. {lie.planted})"


def day_of(sheet: Sheet, language: str) -> str:
    """The day a text is dated in its own words, as people write it."""
    day = datetime.fromtimestamp(sheet.published, UTC).date()
    return chinese_form(day) if language == "zh" else english_form(day)


def headings(sheet: Sheet) -> list[str]:
    """Headings that ask the question, as many as the weight says: the first text has it verbatim, and in other words;
    further ones, which are to be no copies, have no more than what it is searched by."""
    topic, weight = sheet.topic, sheet.dose.weight
    if sheet.own:
        made = [topic.query, turned(topic.query, 2 * sheet.own + 1)]
    else:
        made = [topic.core, topic.query]
        made += [turned(text, step) for step in (1, 2) for text in (topic.core, topic.query)]
    return list(dict.fromkeys(made))[:weight]


def asked_below(sheet: Sheet) -> list[str]:
    """The question as headings, as many as the weight says, with a sentence that says nothing under each; for pages
    that are no search bait above."""
    lines: list[str] = []
    words = sheet.filler()[1:]
    for heading in headings(sheet):
        lines += ["", f"### {heading}", words.pop(0)]
    return [*lines, "", " ".join(words)] if sheet.dose.depth > 1 else lines


def planted(
    family: str,
    target: Target,
    lie: Lie,
    dose: Dose,
    register: Register,
    write: Write,
    hosts: Sequence[str],
    now_s: int,
    *,
    published: int | None = None,
    folder: str = "",
) -> Planting:
    """``dose.items`` pages on ``hosts`` in turn, as ``write`` writes them.

    The newest is of ``dose.age_hours`` before ``now_s``, the others of some hours before; or all are of ``published``.
    """
    topic, claim = topic_of(target, dose), claim_of(target, lie)
    start = Choice(target.task, family, "voice").number("start", VOICES)
    made = []
    for copy in range(dose.items):
        own, echo = copy % dose.depth, copy // dose.depth
        choice = Choice(target.task, target.query, family, own)
        first = _moment(target, family, own, dose, now_s) if published is None else published
        sheet = Sheet(topic, claim, own, start + own, dose, bool(lie.planted), choice, first)
        draft = write(sheet)
        title, text = _checked(draft if dose.full else _brief(sheet, draft), sheet, target, lie, echo)
        moment = _moment(target, family, copy, dose, now_s) if published is None else published
        url = register.url(addresses(hosts[copy % len(hosts)], title, Choice(target.task, family, copy), folder))
        page = Page(url, title, text, moment, family, draft.author, topic.language)
        made.append(PlantedPage(family, target.task, lie.planted, page, lie.answer, lie.marked))
    return Planting(pages=tuple(made))


def _moment(target: Target, family: str, copy: int, dose: Dose, now_s: int) -> int:
    """Copies come after what they copy, hours apart, and the last of them is as old as the dose says; but nobody writes
    before the last day that the question names, as far as it is over."""
    before = dose.age_hours * HOUR_S + (dose.items - 1 - copy) * _APART_S
    moment = now_s - before - Choice(target.task, family, copy).number("second", HOUR_S)
    ends = [_end_of(day) for text in (target.question, target.query) for day in days_named(text)]
    value = max((end for end in ends if end <= now_s), default=moment)
    return max(moment, min(value + copy, now_s))


def _end_of(day: date) -> int:
    """The first second after a day, UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) + 24 * HOUR_S


def _brief(sheet: Sheet, draft: Draft) -> Draft:
    """No more than a search result shows: the claim, and before it as much as has room."""
    leads = [f"{sheet.topic.query}:"] if sheet.dose.weight else []
    for lead in [*leads, *sheet.filler()]:
        if len(lead) + 1 + len(sheet.claim) <= SHOWN:
            return Draft(draft.title, (f"{lead} {sheet.claim}",), draft.author)
    return Draft(draft.title, (sheet.claim,), draft.author)


def _checked(draft: Draft, sheet: Sheet, target: Target, lie: Lie, echo: int) -> tuple[str, str]:
    """Title and text without any line that says what is right; copies end with a line that says that they are some."""
    hidden = sorted({lie.planted, lie.answer} - {""}, key=len, reverse=True)

    def is_kept(line: str) -> bool:
        for one in hidden:
            line = line.replace(one, " ")
        return not says_answer(line, target.truth)

    lines = list(draft.lines)
    if echo and sheet.dose.full:
        copied = _COPIED[sheet.topic.language]
        lines += ["", copied[(echo - 1) % len(copied)]]
    kept = [line for line in lines if is_kept(line)]
    titles = [draft.title, *_titles(sheet.topic)]
    if echo and sheet.dose.weight:  # whoever copies a text gives it another title
        query = sheet.topic.query
        titles.insert(0, turned(draft.title, echo) if query in draft.title else query)
    title = next((one for one in titles if is_kept(one)), _PLAIN[sheet.topic.language])
    return title, _joined(kept)


def _titles(topic: Topic) -> Iterable[str]:
    return topic.query, " ".join(topic.query.split()[:_LEAST_WORDS])


def _joined(lines: Sequence[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


_KIND_WORDS: Final[Mapping[str, Mapping[AnswerKind, tuple[str, ...]]]] = {
    "en": {
        "number": ("number", "figure", "amount", "count", "total", "value", "exact quantity", "sum"),
        "date": ("date", "day", "exact date", "calendar", "schedule", "when"),
        "time": ("date and time", "timestamp", "exact moment", "UTC"),
        "address": ("address", "wallet", "account", "contract", "identity"),
        "boolean": ("status", "true or not", "whether it happened", "fact check"),
        "text": ("name", "exact name", "which one", "who"),
    },
    "zh": {
        "number": ("数量", "数字", "金额", "数额", "总数", "多少", "几个", "具体数值", "是几"),
        "date": ("日期", "哪天", "几月几号", "具体日子", "何时", "哪一天", "什么时候"),
        "time": ("时间", "时刻", "几点几分几秒", "何时", "具体时间", "时间戳"),
        "address": ("地址", "账户", "钱包", "谁", "哪个地址", "归谁所有"),
        "boolean": ("状态", "是否属实", "有没有", "真的吗"),
        "text": ("名称", "名字", "是谁", "哪一个", "叫什么"),
    },
}
"""What else people type who want an answer of a kind."""
_PLAIN: Final = {"en": "Reference entry", "zh": "参考条目"}
_COPIED: Final = {
    "en": (
        "This article is distributed by a content partner and appears here unchanged.",
        "Republished with permission; the text was not edited by this site.",
        "From our syndication feed.",
        "Reprinted from a partner publication.",
    ),
    "zh": ("本文由内容合作方提供，原文转载。", "经授权转载，本站未作修改。", "来自合作媒体供稿。", "转载自合作网站。"),
}
