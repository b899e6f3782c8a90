"""The language a text is in, and the words of a question that say nothing about its subject."""

from __future__ import annotations

import re

from caia_replay.search.text import CJK

CHINESE, ENGLISH = "zh", "en"
_CJK_SHARE = 0.3

_CJK_LETTER = re.compile(f"[{CJK}]")
_LETTER = re.compile(r"[^\W\d_]")
_PUNCTUATION = "?!.,;:'\"()[]…"
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*")

# Left out of a query that has other words: they stand on every page and would make every page a result.
_STOP_WORDS = frozenset({
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "many", "me", "much", "my",
    "of", "on", "or", "our", "please", "s", "should", "t", "tell", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what", "when", "where", "which", "who",
    "whom", "whose", "why", "will", "with", "would", "you", "your",
})  # fmt: skip
SPELLED_OUT = {
    "max": "maximum", "min": "minimum", "avg": "average", "tvl": "total value locked", "mcap": "market capitalization",
    "fdv": "fully diluted valuation", "ath": "all time high", "tx": "transaction",
}  # fmt: skip
"""What short words of questions are called on pages; asked for beside them."""

# Question words and particles. No character that often stands inside a word of its own (有, 以, 对) is here.
_STOP_CHINESE = re.compile(
    "为什么|什么时候|是什么|是多少|什么|多少|哪个|哪些|哪里|哪儿|哪一|怎么样|怎么|怎样|如何|何时|请问|是否|几个|一下|[的了吗呢吧么是在和与及]"
)


def language_of(text: str) -> str:
    """``zh`` where 30 % or more of the letters are Chinese (or kana, or Hangul), otherwise ``en``."""
    chinese = 0 if text.isascii() else len(_CJK_LETTER.findall(text))
    return CHINESE if chinese and chinese >= _CJK_SHARE * len(_LETTER.findall(text)) else ENGLISH


def language_tag(text: str) -> str:
    """A language tag such as ``zh`` or ``zh-CN`` in lower case; empty when ``text`` is none."""
    tag = text.strip().lower().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else ""


def language_terms(language: str, text: str) -> list[str]:
    """What ``lang:`` may say to mean a document: its tag and the language in it, or what ``text`` is written in."""
    tag = language_tag(language) or language_of(text)
    return sorted({tag, tag.partition("-")[0]})


def is_stop_word(word: str) -> bool:
    """Whether an English word, in any case and with its punctuation, says nothing about a subject."""
    bare = word.lower().strip(_PUNCTUATION).replace("’", "'").removesuffix("'s").removesuffix("'re")
    return bare in _STOP_WORDS


def telling_parts(run: str) -> list[str]:
    """The parts of a CJK run between question words and particles; those of one character are left out.

    Empty when nothing is left, as for 的 or 是什么: then the run says what it says only as a whole.
    """
    return [part for part in _STOP_CHINESE.split(run) if len(part) > 1]
