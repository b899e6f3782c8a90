"""How the web of an economy is recorded: swept by the week, and nothing that nobody wrote."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from caia_replay.errors import CheckFailed
from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.economy_web import check_recorded, check_variety, sweeps
from caia_replay.origin.web.number import iso_day
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import MOST_ALIKE, Web
from caia_replay.providers.reader import ORIGIN as READER
from caia_replay.providers.reader import page_request

pytestmark = pytest.mark.check


def test_every_page_is_read_once_in_the_first_sweep_after_it_appeared(truth: Truth, web: Web) -> None:
    """Never before it is there, never a week too late; the last sweep is the story's last second."""
    since = {made.page.url: made.page.known_since or 0 for made in web.pages}
    before, read = 0, list[str]()
    for name, moment, requests in sweeps(truth, web):
        assert name == f"pages-{iso_day(moment)}" and (not before or moment - before <= 7 * DAY_S)
        urls = [request.url.removeprefix(f"{READER}/") for request in requests]
        assert requests == [page_request(url) for url in sorted(urls)]
        assert all(before < since[url] <= moment for url in urls)
        before, read = moment, read + urls
    assert sorted(read) == sorted(since)
    assert before == truth.book.prices.end - 1 == truth.midnight(truth.days) - 1


def test_a_web_that_was_not_recorded_as_written_is_refused(truth: Truth, web: Web) -> None:
    """A page or post that is missing, of somebody else or says something else is named with what there is."""
    pages, posts = [made.page for made in web.pages[:9]], [made.post for made in web.posts[:9]]
    small = Web(web.pages[:9], web.posts[:9])
    check_recorded(SimpleNamespace(corpus=pages, posts=posts), small)  # type: ignore[arg-type]
    for corpus, written, told in (
        (pages, [], f"of 9 posts 0 were recorded as written; the first that differs is {min(one.id for one in posts)}"),
        (pages[1:], posts, f"of 9 pages 8 were recorded as written; the first that differs is {pages[0].url}"),
        ([replace(pages[0], text="Other"), *pages[1:]], posts, "of 9 pages 8"),
        ([replace(pages[0], published=1), *pages[1:]], posts, "of 9 pages 8"),
        (pages, [replace(posts[0], text="other"), *posts[1:]], "of 9 posts 8"),
        (pages, [*posts, web.posts[9].post], "of 9 posts 9"),
    ):
        with pytest.raises(CheckFailed, match=re.escape(told)):
            check_recorded(SimpleNamespace(corpus=corpus, posts=written), small)  # type: ignore[arg-type]


def test_a_web_of_copies_is_refused(truth: Truth, web: Web) -> None:
    """Some hundred pages pass and are counted; with too many of them written twice they fail."""
    some = web.pages[:400]
    told = check_variety(Web(some, web.posts), truth)
    assert (told.pages, told.posts) == (400, len(web.posts)) and told.alike <= MOST_ALIKE
    again = [replace(made, page=replace(made.page, url=f"{made.page.url}-again")) for made in some[:4]]
    with pytest.raises(CheckFailed, match=r"2\.0% of the pages have a near-duplicate, 1% may"):
        check_variety(Web((*some, *again), ()), truth)
    meant = [replace(made, copy_of=first.page.url) for made, first in zip(again, some)]
    assert check_variety(Web((*some, *meant), ()), truth).copies - told.copies == 4
