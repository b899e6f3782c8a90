"""What holds of every page that a writer of project sites makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from caia_replay.origin.web.page import Claim, WebPage
from caia_replay.origin.web.truth import Truth
from tests.page_law import check_pages

Writer = Callable[[Truth], Iterator[WebPage]]
MEASURED = ("price", "cap", "supply", "tvl", "volume", "fees", "staked", "unlocked")
"""Kinds of claims that ``measured`` can take again."""


def measured(truth: Truth, claim: Claim) -> Claim | None:
    """The claim as the truth has it at the claim's own moment."""
    ask = {
        "price": truth.price, "cap": truth.cap, "supply": truth.supply, "tvl": truth.tvl, "volume": truth.volume,
        "fees": truth.fees, "staked": truth.staked,
    }  # fmt: skip
    if claim.kind == "unlocked":
        role = truth.subjects[claim.subject].role
        return truth.unlocked(role, claim.moment).claim
    if claim.subject.startswith("chain:"):
        chain = "main" if claim.subject.endswith(truth.scene.networks["main"].name) else "rollup"
        return truth.chain_tvl(chain, claim.moment).claim
    return ask[claim.kind](claim.subject, claim.moment).claim


def holds(truth: Truth, claim: Claim) -> bool:
    """Whether a measured claim is right to within what its last digit can say."""
    again = measured(truth, claim)
    assert again is not None and not isinstance(claim.value, str) and not isinstance(again.value, str)
    return abs(claim.value - again.value) <= (claim.step + again.step) / 2


def check(truth: Truth, pages: Sequence[WebPage]) -> None:
    """The laws of all pages, and of one site's writer: language, dates, and figures as they were. Raises
    ``AssertionError``."""
    check_pages(truth, pages)
    for one in pages:
        page = one.page
        assert page.title and page.text and page.language == "en"
        assert (page.published is None) != (page.first_seen is None), page.url
        for claim in one.claims:
            if claim.kind in MEASURED:
                assert holds(truth, claim) == (claim.status != "mistaken"), (page.url, claim)
