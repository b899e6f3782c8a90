"""Which words may stand beside the value of an answer, and which make it unreadable.

The lists are in words.toml. A *marked* word (doubt, denial, alternatives, limits, conditions) makes an answer wrong,
wherever it stands and even where the question uses it: a verifier that has a use for one, such as "at most" where a
limit is asked for, takes it as a part of the value. In a clause that only explains, words of *contrast* take nothing
back. A word that is in no list is harmless, but not where it may be another name, nor behind a number, where it may be
another unit: there only *plain* words and the question's own are known.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_suffix(".toml")
_LISTS: Final = {name: frozenset(text.split()) for name, text in tomllib.loads(_FILE.read_text("utf-8")).items()}
NOUNS: Final = _LISTS["nouns"]
SMALL: Final = _LISTS["small"]
PLAIN: Final = SMALL | _LISTS["verbs"] | NOUNS | _LISTS["months"]
MARKED, SUSPECT, CONTRAST, RESTATED = (_LISTS[name] for name in ("marked", "suspect", "contrast", "restated"))
OPPOSITES: Final = (
    ("favour", "against"), ("favor", "against"), ("highest", "lowest"), ("largest", "smallest"), ("first", "last"),
    ("earliest", "latest"), ("opening", "closing"), ("bought", "sold"), ("borrow", "deposit"), ("long", "short"),
    ("failed", "succeeded"), ("failed", "successful"), ("lent", "idle"), ("borrowed", "idle"),
)  # fmt: skip
"""Of two such words an answer may not say the one where its question asks for the other."""
_HAN_PLAIN: Final = frozenset(
    "的是为共有在于和与即答案最终总计合数量值额金结果根据按照显示查询得出到由从该此这那个枚笔条次位名家种年月日时分秒点区块高度末链上"
    "代币地址账户持余额官方网站文档页面公告报道项目团队基价格市场因所以也就经过算人公司称给投资领轮了其中已一共价小全首席工程师任职务见参详来源引自摘一二三四五六"
    "七八九十百千万亿两零"
)
_HAN_MARKED: Final = re.compile(
    r"或|可能|也许|大概|大约|估|疑|似乎|应该|应当|以上|以下|以内|以前|以后|之前|之后|超|不|没|非|未|无|否|别|至少|至多|最多|最少"
    r"|几乎|接近|将近|左右|上下|之间|除|假|错|如果|若|另|其他|其它|每|各|倍|半|减|加上|但|而|虽|却|离职|卸任|辞|多个|多枚|多万|余个|余枚|余万"
    r"|(?<![合条契])约|等(?!于)|截至|前后|次日|翌日|前夕|隔天|前一|(?<!最)后一"
)
_HAN_RESTATED: Final = frozenset(
    ("之前", "之后", "以前", "以后", "截至", "最多", "最少", "最高", "错", "超", "其他", "其它", "另")
)
"""Marked ones that an answer may repeat from its question."""
_TOKEN: Final = re.compile(
    r"(?P<word>[^\W\d_](?:[^\W_]|['&@_-](?=\w)|\.(?=\w))*)|(?P<hex>0x[0-9A-Fa-f]+)"
    r"|(?P<number>\d(?:[\d.,:]*\d)?)|(?P<mark>\S)"
)
_HAN: Final = re.compile(r"[\u3400-\u9fff]+")
_HAN_COUNTED: Final = re.compile("(?<=每)[一个位名]+")
_NUMBER: Final = r"(?:one|two|three|\d)"
_MODALS: Final = frozenset(("may", "might", "can", "could", "would", "should", "must"))
_AUXILIARIES: Final = frozenset(("have", "be", "been"))
_TITLES: Final = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+")
_MARKS: Final = frozenset("✅✔—–‰.,;:!()[]{}\"'-/&%#@|=→×÷*$€£_·\\")
_TELLING: Final = frozenset("🤔🤷❓❔❌🚫⛔⚠👎🙅🤞😕🙃")
"""Emojis that doubt or deny."""
_HARMLESS: Final = re.compile(
    r"\APer (?=\S+)|\bfor every\b|\bmade up of\b|\bas well as\b|\bin (?:other words|per cent)\b"
    r"|\bbetween them\b|\bnext to\b|\bbetween (?=\d{1,2} and \d{1,2} [A-Z])"
    r"|\bover (?=the |this |that |these |all |q[1-4])"
    r"|(?<=\d )May\b|\bMay(?=,? \d)|(?<=\b(?:in|of) )May\b|\b(?:ERC|EIP|BEP)-?\d+\b",
    re.IGNORECASE,
)
"""Marked words where they mean no limit and no doubt: "over the week", "May 2024"; and standards, which are names."""
_OPEN_END: Final = re.compile(
    r"\.\.|…|\b(?:north|south|upwards?|shy|short|excess|vicinity|neighbou?rhood|order) of\b"
    r"|\bat the (?:latest|earliest)\b(?! [a-z])|\bgive or take\b|\band counting\b|\bcalled off\b"
    r"|\bclose to\b|\bballpark\b|\bso far\b|\b(?:is|was) over(?=\W*\Z)|\byet to\b|\bused to be\b|\bgrain of salt\b",
    re.IGNORECASE,
)
"""What leaves a value open in more than a word."""


class Words:
    """The words of one question: which others an answer may hold, beside the plain ones."""

    def __init__(
        self,
        question: str,
        *names: str,
        restated: bool = False,
        figures: bool = False,
        strict: bool = False,
        named: bool = False,
    ) -> None:
        """``names``: further texts whose words are known, such as a unit and its names. ``restated``: marked words such
        as "more" may be the question's alone. ``figures``: numbers are details here and may be any. ``strict``: no word
        may stand here that is neither plain nor the question's; ``named``: none that may be a name."""
        text = "\n".join((question, *names))
        self.question = question
        self.lowered = question.casefold()
        self.plain_question = unicodedata.normalize("NFKC", question)
        found = list(_TOKEN.finditer(_HAN.sub(" ", text)))
        said = {part for one in found if one["word"] for part in _parts(one["word"])}
        self.own = said - MARKED
        self.own |= {"".join(word[0] for word in name[0].split()).casefold() for name in _TITLES.finditer(text)}
        self._said, self._modals = said, said & _MODALS
        self.marks = frozenset(one["mark"] for one in found if one["mark"]) - {"?"}
        runs = _runs([one[0] for one in found])
        self.runs = frozenset((*runs, *(run[:2] for run in runs if not _bounds_another(run))))
        self.restates = restated
        self.figures, self.strict, self.named = figures, strict, named
        self._restated = said & RESTATED if restated else frozenset()
        self._opposed = {
            other for pair in OPPOSITES for one, other in (pair, pair[::-1]) if one in said and other not in said
        }
        self._stems = {stem(word) for word in self.own}
        self.numbers = {plain_number(one["number"]) for one in found if one["number"]}
        self.hexes = {one["hex"].lower() for one in found if one["hex"]}
        self._han_own = frozenset("".join(_HAN.findall(text)))
        self._han = self._han_own | _HAN_PLAIN

    def knows(self, word: str) -> bool:
        """Whether a word is plain or the question's own, in another form too."""
        return all(
            part in self._restated
            or (part not in MARKED and (part in PLAIN or part in self.own or stem(part) in self._stems))
            for part in _parts(word)
        )

    def bars(self, word: str, explains: bool = False, detail: bool = False) -> bool:
        """Whether a word makes an answer unreadable: one that is marked, or, where a name is asked for, an unknown one
        that may be another name."""
        if self.strict or (self.named and (not word.islower() or any(c.isdigit() for c in word))):
            return not self.knows(word)
        return any(
            (
                part in MARKED
                and part not in self._restated
                and not (explains and not self.restates and part in CONTRAST)
            )
            or (part in SUSPECT and not self.has(part))
            or (part in self._opposed and not detail)
            for part in _parts(word)
        )

    def has(self, word: str) -> bool:
        """Whether a word, in small letters, is the question's own, in another form too."""
        return word in self.own or stem(word) in self._stems

    def knows_han(self, run: str) -> bool:
        """Whether nothing in a Chinese text is marked but what the question says in the same words; where a name is
        asked for, also whether every character is the question's or a plain one."""
        question, run = (_HAN_COUNTED.sub("", text) for text in (self.question, run))
        found = [one for one in _HAN_MARKED.finditer(run) if one[0] not in _HAN_RESTATED or one[0] not in question]
        strange = (self.named or self.strict) and not self._han.issuperset(run)
        return not strange and all(
            any(
                len(said) > 2 and said in question
                for said in (run[one.start() : one.end() + 2], run[max(0, one.start() - 2) : one.end() + 1])
            )
            for one in found
        )

    def permits(self, modal: str, behind: Sequence[str]) -> bool:
        """Whether a modal verb such as "may" is the question's, of a verb that is the question's: what may be done is
        asked for, and no doubt is told. ``behind`` are the next words."""
        verb = next((word for word in behind if word not in _AUXILIARIES), "")
        main = behind[:1] == ("have",) and behind[1:2] != ("been",) and (not verb or verb in ("at", "up"))
        return modal in self._modals and (main or (self.has(verb) and verb not in SMALL))

    def repeats(self, text: str) -> bool:
        """Whether a text that ends in a question mark is the question again: all its words are plain or its own."""
        words = [one for one in _TOKEN.finditer(_HAN.sub(" ", text)) if one["word"]]
        asked = sum(self.has(one[0].casefold()) for one in words) + 2 * len(self._han_own.intersection(text))
        known = all(one[0].casefold() in self._said or self.knows(one[0]) for one in words)
        return asked > 3 and known and self._han.issuperset("".join(_HAN.findall(text)))

    def asks(self, *phrases: str) -> bool:
        """Whether the question itself has one of these words or phrases, in small letters."""
        return any(re.search(rf"(?<![a-z]){re.escape(phrase)}(?![a-z])", self.lowered) for phrase in phrases)

    def limits(self, *phrases: str) -> bool:
        """As ``asks``, but for those that bound a number of the question's own."""
        return any(re.search(rf"(?<![a-z]){re.escape(one)}(?![a-z])(?! {_NUMBER})", self.lowered) for one in phrases)


@lru_cache(maxsize=512)
def words_of(question: str, *names: str, **more: bool) -> Words:
    """``Words``, kept for the questions of a suite."""
    return Words(question, *names, **more)


def unread(text: str, words: Words, explains: bool = False, detail: bool = False) -> str | None:
    """The first word or mark of ``text`` that an answer may not hold; None where all of it is plain. Where it only
    ``explains`` a value that stands elsewhere, words of contrast and of limits are plain."""
    if (found := _OPEN_END.search(text)) and found[0].casefold() not in words.lowered:
        return found[0]
    for run in _HAN.findall(text):
        if not words.knows_han(run):
            return str(run)
    before = ""
    plain = _HARMLESS.sub(" ", _HAN.sub(" ", text))
    tokens = list(_TOKEN.finditer(plain))
    runs = [*_runs([token[0] for token in tokens]), ()]
    for at, token in enumerate(tokens):
        word, run_of = token[0], runs[min(at, len(runs) - 1)]
        around = runs[at - 1] if 0 < at <= len(runs) else ()
        if token["word"]:
            low = word.casefold()
            asked = [run_of[: 2 + (low in _LISTS["limiting"])] if low in RESTATED else (), around]
            asked += [around[:2]] if around[2:] == ("",) else []
            if low in _MODALS and words.permits(low, _behind(tokens[at + 1 : at + 5])):
                continue
            if words.bars(word, explains, detail) and not words.runs.intersection(asked):
                return word
            behind_to = before.casefold() in ("to", "for") and tokens[at - 2][0].casefold() != "according"
            if behind_to and word[0].isupper() and not detail and not words.knows(word):
                return word  # given to somebody whom the question does not name
        elif token["number"]:
            if (
                not words.figures
                and plain_number(word) not in words.numbers
                and before.casefold() not in _LISTS["labels"]
            ):
                return word
        elif token["mark"] and word not in _MARKS and word not in words.marks and not _decorates(word):
            return word
        before = word
    return None


def _decorates(mark: str) -> bool:
    """Whether a mark is an emoji that says nothing."""
    return mark not in _TELLING and (
        mark == "\ufe0f" or (mark >= "\u2300" and unicodedata.category(mark) in ("So", "Sk"))
    )


def _behind(tokens: Sequence[re.Match[str]]) -> tuple[str, ...]:
    """The words that follow each other at once, in small letters."""
    return tuple(token[0].casefold() for token in takewhile(lambda token: token["word"], tokens))


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """Every three words that follow each other, in small letters: "more than 700" may be repeated where it is asked."""
    low = [plain_number(word.casefold()) for word in words]
    return list(zip(low, low[1:], [*low[2:], ""], strict=False))


def _bounds_another(run: tuple[str, ...]) -> bool:
    """Whether three words of a question bound a number of its own: "at least one" is no limit of what is asked."""
    return run[1] in _LISTS["limiting"] and re.match(_NUMBER, run[2]) is not None


def stem(word: str) -> str:
    """A word without its commonest endings, so that "withdrawal" and "withdrawing" are one."""
    for ending in ("als", "al", "ings", "ing", "ers", "er", "ies", "ied", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def plain_number(text: str) -> str:
    """Digits without separators of thousands."""
    return text.replace(",", "").rstrip(".")


def _parts(word: str) -> tuple[str, ...]:
    """A word in small letters without a possessive "'s", and the parts that hyphens join where the whole is no word."""
    low = word.casefold().removesuffix("'s").removesuffix("'").rstrip(".")
    if low in PLAIN or low in MARKED or "-" not in low:
        return (low,)
    return (*filter(None, low.split("-")),)
