"""Facts drawn by lot from a web's pages, asked in plain words, and looked for among the first results."""

from __future__ import annotations

from collections.abc import Collection

from caia_replay.origin.web.page import Claim
from caia_replay.origin.web.question import answers, is_about, is_news, questions
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import Web
from caia_replay.search.index import SearchIndex

FIRST = 10


def drawn(
    web: Web, truth: Truth, language: str, count: int, kinds: Collection[str], lot: str
) -> list[tuple[Claim, tuple[str, ...]]]:
    """``count`` true facts of some kinds, each told by a page of a language that is about their subject while they were
    news, with the questions one may ask; no page twice, and every subject and kind in turn."""
    dice = truth.dice(f"questions/{lot}/{language}")
    hands: dict[tuple[str, str], list[Claim]] = {}
    for made in dice.some(pages := [made for made in web.pages if made.page.language == language], len(pages)):
        told = [claim for claim in made.claims if claim.status == "true" and claim.kind in kinds
                and is_about(made.page.title, claim, truth) and is_news(made, claim)]  # fmt: skip
        if told:
            claim = dice.one(told)
            hands.setdefault((claim.kind, claim.subject), []).append(claim)
    found: list[tuple[Claim, tuple[str, ...]]] = []
    while hands and len(found) < count:
        for key in sorted(hands):
            claim = hands[key].pop()
            found.append((claim, questions(claim, truth, language)))
            if not hands[key]:
                del hands[key]
    return found[:count]


def unfound(web: Web, index: SearchIndex, asked: list[tuple[Claim, tuple[str, ...]]]) -> list[str]:
    """The facts that none of their questions leads to within the first results."""
    claims = {made.page.url: made.claims for made in web.pages}
    return [
        f"{claim.kind} of {claim.subject}: {phrases[0]}"
        for claim, phrases in asked
        if not any(
            answers(one, claim)
            for words in phrases
            for hit in index.search(words, FIRST)
            for one in claims[hit.page.url]
        )
    ]
