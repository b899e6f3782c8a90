"""Pages beside the story that some stubs are about: changed since, undated, later, or telling the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from caia_replay.core.world import Page
from caia_replay.origin.calendar import DAY_S
from caia_replay.providers.reader import page_request
from tests.caia_economy import Economy
from tests.caia_shelf import Shelf

ARENA: Final = "Harbour Arena"
FIRM: Final = "Quarry Ledgerworks"
_LEAD: Final = (
    "Questions that somebody collected for analysts, a few on each project, each with what is taken for its answer. "
    "They are sorted by project, and those on the same project by the day they were asked on. Corrections are welcome."
)
"""Long enough that what a result list shows of the page quotes nothing."""


@dataclass(frozen=True, slots=True)
class Sites:
    """Pages that are no part of the story: what each is there for. Moments are seconds since 1970, UTC."""

    audit: Page
    """Dated before its question's moment; never changed."""
    terms: Page
    """Undated and changed since: the archive kept it before and after."""
    lost: Page
    """Undated, and no archive ever kept it: nothing shows that it was there."""
    early_leak: Page
    """Dated before the moment; quotes the question with its answer."""
    late_leak: Page
    """The same, published after the moment."""
    late_news: Page
    """Published after the moment, and about the same thing; quotes nothing."""

    @property
    def all(self) -> tuple[Page, ...]:
        """Every one."""
        return self.audit, self.terms, self.lost, self.early_leak, self.late_leak, self.late_news

    def quoting(self, question: str, answer: str) -> Sites:
        """The same with a question and its answer on the two pages that leak."""
        told = f"Q: {question}\nA: {answer}"
        early, late = (replace(page, text=f"{page.text}\n\n{told}") for page in (self.early_leak, self.late_leak))
        return replace(self, early_leak=early, late_leak=late)

    def publish(self, shelf: Shelf) -> None:
        """Put them where the reader, the search API and the archive find them."""
        shelf.put(self.audit)
        moment = self.terms.first_seen or 0
        shelf.put(self.terms, moment + DAY_S, moment + 3 * DAY_S)
        changed = replace(self.terms, text=self.terms.text.replace("4,200", "9,999"))
        shelf.put(changed, moment + 30 * DAY_S)
        for page in (self.lost, self.early_leak, self.late_leak, self.late_news):
            shelf.put(page)


def sites_of(economy: Economy) -> Sites:
    """The pages, dated by this economy's days; the two that leak quote nothing yet."""
    truth = economy.truth

    def page(host: str, path: str, title: str, text: str, day: int | None, seen: int) -> Page:
        dated = None if day is None else truth.midnight(day) + 9 * 3_600
        return Page(f"https://{host}.example/{path}", title, text, dated, "", "", "en", truth.midnight(seen))

    review = f"{FIRM} reviewed the staking pool of {ARENA} and found two issues of low weight, both closed."
    return Sites(
        page("harbour-arena", "blog/review", f"A review of the {ARENA} staking pool", review, 7, 7),
        page("harbour-arena", "terms", f"{ARENA}: terms of use",
             "Whoever stakes puts in at least 4,200 tokens and may leave after nine days.", None, 3),
        page("harbour-arena", "press-kit", f"{ARENA}: press kit",
             "Our first colour is teal, our second is chalk; the mark is never turned.", None, 4),
        page("quiz-answers", "arena", f"Analyst questions on the {ARENA} staking pool",
             _LEAD, 10, 10),
        page("quiz-answers", "arena-2", f"More analyst questions on the {ARENA} staking pool",
             _LEAD, 35, 35),
        page("harbour-arena", "blog/second-review", f"A second review of the {ARENA} staking pool",
             f"Another firm looked at the staking pool of {ARENA} in October and agreed with the first.", 34, 34),
    )  # fmt: skip


def reading(page: Page) -> Mapping[str, str]:
    """The reader's request for a page, as a gold row names it."""
    return {"method": "GET", "url": page_request(page.url).url}
