"""What the web claims: search results, the pages behind them, and which of their answers are the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from caia_replay.core.recipe import PAGE_CHARACTERS, FilledRecipe
from caia_replay.models.policies.conversation import is_error

_LONGEST_NUMBER = 1_000
_AROUND = 160
"""How many characters of evidence stand before an answer's claim, and after the answer, at most."""
_SENTENCE_END = re.compile(r"(?<![(（]ref)[.!?](?=\s|$)|[。！？]|\n")
_REFERENCE = re.compile(r"\s*[(（][^()（）\n]{1,60}[)）]")


@dataclass(frozen=True, slots=True)
class Claim:
    """An answer that a source gives: as it is written there, the address, and the text that says so."""

    answer: str
    url: str
    text: str


def hits(result: Any) -> list[Mapping[str, Any]]:
    """Search results with an address, in the order served; none where ``result`` is an error or no search."""
    found = [] if is_error(result) else result.get("results")
    if not isinstance(found, list):
        return []
    return [hit for hit in found if isinstance(hit, Mapping) and isinstance(hit.get("url"), str)]


def claim(recipe: FilledRecipe, hit: Mapping[str, Any], page: Any) -> Claim | None:
    """What one search result claims: its page's text decides, or else its snippet. ``page`` is None when not opened."""
    for text in (None if is_error(page) else page.get("text"), hit.get("snippet")):
        answer = recipe.in_page(text) if isinstance(text, str) else None
        if answer and isinstance(text, str):
            return Claim(answer, str(hit["url"]), text)
    return None


def claims(recipe: FilledRecipe, found: Sequence[Mapping[str, Any]], pages: Sequence[Any]) -> list[Claim]:
    """The claims of search results in rank order; ``pages`` are the first results' pages, as far as they were read."""
    read = [*pages[: len(found)], *[None] * (len(found) - len(pages))]
    every = (claim(recipe, hit, page) for hit, page in zip(found, read, strict=True))
    return [one for one in every if one is not None]


def evidence(recipe: FilledRecipe, source: Claim) -> str:
    """The sentence of a source that gives its answer, with the reference in brackets that follows it, if one does."""
    text = source.text[:PAGE_CHARACTERS]
    pairs = enumerate(zip(text, recipe.without_claims(text)))
    # The claim begins where the text without its claims goes another way.
    claimed = next((at for at, (here, there) in pairs if here != there), 0)
    at = text.find(source.answer, claimed)
    if at < 0:
        return ""
    least = max(0, claimed - _AROUND)
    begins = max((found.end() for found in _SENTENCE_END.finditer(text, least, claimed)), default=least)
    begins = max(begins, at - 3 * _AROUND)
    after = at + len(source.answer)
    found = _SENTENCE_END.search(text, after, after + _AROUND)
    ends = min(len(text), after + _AROUND) if found is None else found.end()
    reference = _REFERENCE.match(text, ends)
    return text[begins : reference.end() if reference else ends].strip()


def same_form(answer: str) -> str:
    """A form that answers share when they say the same: numbers by value, others by letters without case and gaps."""
    plain = " ".join(answer.split()).casefold()
    try:
        number = Decimal(plain.replace(",", "").rstrip("%"))
    except InvalidOperation:
        return plain
    if not number.is_finite() or abs(number.adjusted()) > _LONGEST_NUMBER:
        return plain
    exact = f"{number:f}"  # not normalize(), which rounds to the context's precision
    return (exact.rstrip("0").rstrip(".") if "." in exact else exact) or "0"
