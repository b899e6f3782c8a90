"""How composed questions are worded: phrase tables in two languages and three registers, and what makes a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from caia_replay.store.plain import read_toml
from caia_worldgen.questions.dress import cashtagged, dated
from caia_worldgen.questions.expression import Composed, Language, Who, Words, both
from caia_worldgen.rng import Rng
from caia_worldgen.suite.language import likeness

REGISTERS: Final = ("desk", "brief", "forum")
"""A colleague's chat message, a research brief, a post in a forum."""
_YEAR_PERCENT, _TAG_PERCENT = 60, 45
_HAN: Final = "\u3400-\u9fff"


@cache
def _tables() -> Mapping[str, Any]:
    folder = Path(__file__).parent
    return {name: read_toml(folder / f"{name}.toml") for name in ("nouns", "phrases")}


def noun(measure: str) -> dict[Language, str]:
    """What a measure is called."""
    found = _tables()["nouns"][measure]
    return both(found["en"], found["zh"])


def measured(measure: str, who: Who) -> dict[Language, str]:
    """A measure of somebody: "Plinthera's TVL", "the TVL of today's #1 DEX"."""
    words, en, zh = noun(measure), who.words["en"], who.words["zh"]
    owned = f"{en}'s {words['en']}" if who.skeleton == "named" else f"the {words['en']} of {en}"
    return both(owned, f"{zh} 的{words['zh']}")


def phrases(form: str, language: Language) -> list[tuple[str, str]]:
    """Every template of a form, with its register."""
    entry = _tables()["phrases"][form]
    if language == "zh":
        return [("zh", one) for one in entry["zh"]]
    return [(register, one) for register in REGISTERS for one in entry[register]]


def forms() -> tuple[str, ...]:
    """Every form that has phrases."""
    return tuple(_tables()["phrases"])


def wordings(
    one: Composed, language: Language, rng: Rng, tickers: frozenset[str] = frozenset()
) -> list[tuple[str, str]]:
    """Every wording of a question, with its register, in an order drawn. Briefs have the year of a date, every second
    other question has; ``tickers`` of whom it is about stand in some others with a dollar sign before them."""
    every = phrases(one.form, language)
    has_year, has_tags = rng.happens(_YEAR_PERCENT), rng.happens(_TAG_PERCENT)
    found = []
    for register, template in rng.some(every, len(every)):
        slots = {name: words[language] for name, words in one.slots.items()}
        if "when" in slots and (has_year or register == "brief"):
            slots["when"] = dated(slots["when"], language, one.over)
        if has_tags and register != "brief":
            slots = cashtagged(slots, template, tickers)
        found.append((register, said(template, slots, language)))
    return found


def said(template: str, slots: Mapping[str, str], language: Language) -> str:
    """A template filled in and made a sentence. Raises ``KeyError`` for a slot that is not given."""
    filled = re.sub(r"\{([a-z_]+)\}", lambda slot: slots[slot[1]], template)
    filled = re.sub(r"s's\b", "s'", filled)
    if language == "zh":
        return _spaced(filled)
    first = re.match(r"[a-z]+", filled)
    return filled if first is None else filled[0].upper() + filled[1:]


def _spaced(text: str) -> str:
    """One blank between Han and Latin letters or figures, none beside Chinese punctuation."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(rf"(?<=[{_HAN}]) (?=[{_HAN}])|(?<=[，。？！；：（）、]) | (?=[，。？！；：（）、])", "", text)
    text = re.sub(rf"(?<=[{_HAN}])(?=[A-Za-z0-9$#@])|(?<=[A-Za-z0-9%])(?=[{_HAN}])", " ", text)
    return re.sub(r"(?<=\d) (?=[月日]|年 ?\d+ ?月)|(?<=[月至]) (?=\d)|(?<=20\d\d 年) (?=\d+ ?月)", "", text)


_MASKED: Final = re.compile(
    r"0x[0-9a-fA-F]+|\$?\b(?!(?:TVL|UTC|USD|LTV|NFT|DAO|APR|APY|FDV)\b)[A-Z]{3,6}\b|#?\d[\d,.:]*|\b(?:January|February|March|April|May|June|July)\b"
)


def masked(question: str, names: frozenset[str]) -> str:
    """A question without its names, tickers, figures, months and addresses: "x" stands for each."""
    flat = re.sub("[A-Za-z]+(?:'s)?", lambda word: "x" if word[0].removesuffix("'s") in names else word[0], question)
    flat = re.sub(r"\bx(?: x)+\b", "x", _MASKED.sub("x", flat))
    return re.sub(r"\d+", "x", flat)


def alike(one: str, other: str) -> Fraction:
    """How alike two masked questions are, from 0 to 1."""
    return likeness(one, other)


def english_words(question: str) -> int:
    """How many words an English question has."""
    return len(question.split())


__all__ = ["REGISTERS", "Words", "alike", "english_words", "forms", "masked", "measured", "noun", "phrases", "wordings"]
