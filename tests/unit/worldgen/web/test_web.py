"""The whole web, held against the rules all of it keeps, and how it is recorded: swept by the week."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from caia_replay.core.world import Page, Post
from caia_replay.errors import CheckFailed
from caia_replay.providers.reader.provider import ORIGIN as READER
from caia_replay.providers.reader.provider import page_request
from caia_worldgen.calendar import DAY_S
from caia_worldgen.economy_web import check_recorded, check_variety, sweeps
from caia_worldgen.web.number import iso_day
from caia_worldgen.web.page import Claim, WebPage, WebPost
from caia_worldgen.web.truth import Truth
from caia_worldgen.web.web import MOST_ALIKE, Web, WebReport, report, write_web

pytestmark = pytest.mark.check
PROSE = "The vote on the fee closed last night and the treasury has said nothing about what it will do with the money"
_LINK = re.compile(r"\]\((https?://[^)\s]+)\)")


@pytest.fixture(scope="module")
def told(web: Web, truth: Truth) -> WebReport:
    """What the small web consists of."""
    return report(web, truth)


def page(truth: Truth, day: int, text: str = PROSE, **more: object) -> Page:
    """A page published on a day of the story."""
    made = Page(f"https://a.example/{day}", f"Page {day}", text, truth.midnight(day + 1), author="a")
    return replace(made, **more)  # type: ignore[arg-type]


def claim(moment: int, words: str = "$1") -> Claim:
    return Claim("price", "coin", moment, words, Fraction(1), Fraction(1))


def test_every_rule_is_held_against_every_page(truth: Truth) -> None:
    """Two pages at one address, odd addresses and dates, and claims that are not made, fail the web."""
    end = truth.midnight(truth.days)
    bad = {
        "two pages": [WebPage(page(truth, 1), "k"), WebPage(page(truth, 1), "k")],
        "spelt otherwise": [WebPage(page(truth, 1, url="HTTPS://A.example/1"), "k")],
        "either a date": [WebPage(page(truth, 1, first_seen=5), "k")],
        "later than the story": [WebPage(page(truth, 1, published=end), "k")],
        "no title": [WebPage(page(truth, 1, title=" "), "k")],
        "does not say": [WebPage(page(truth, 1), "k", (claim(truth.begun, "$77"),))],
        "before it was the case": [WebPage(page(truth, 1, "now $1"), "k", (claim(truth.midnight(3)),))],
    }
    for words, pages in bad.items():
        with pytest.raises(CheckFailed, match=words):
            write_web(truth, [lambda _, pages=pages: iter(pages)], [])  # type: ignore[misc]


def test_every_rule_is_held_against_every_post(truth: Truth) -> None:
    """Ids are numbers and different; posts claim what they say and nothing of later."""
    post = Post("7", "a", "gm $1", truth.midnight(2), "7")
    bad = {
        "two posts": [WebPost(post, "k"), WebPost(post, "k")],
        "no number": [WebPost(replace(post, id="x"), "k")],
        "later than the story": [WebPost(replace(post, created=truth.midnight(truth.days)), "k")],
        "does not say": [WebPost(post, "k", (claim(truth.begun, "$77"),))],
        "before it was the case": [WebPost(post, "k", (claim(truth.midnight(3)),))],
    }
    for words, posts in bad.items():
        with pytest.raises(CheckFailed, match=words):
            write_web(truth, [], [lambda _, posts=posts: iter(posts)])  # type: ignore[misc]


def test_most_of_what_the_web_says_is_true(told: WebReport) -> None:
    """At least 85 in a hundred claims; what is stale, mistaken or rumour is each there, and under six."""
    claims = sum(told.statuses.values())
    assert told.statuses["true"] >= claims * Fraction(85, 100)
    assert set(told.statuses) == {"true", "stale", "mistaken", "rumour"}
    assert all(0 < told.statuses[kind] < claims * Fraction(6, 100) for kind in ("stale", "mistaken", "rumour"))


def test_no_page_is_another_one_with_a_name_swapped(told: WebReport) -> None:
    """The share of pages with a near-duplicate that nobody meant stays within its limit."""
    assert told.alike <= MOST_ALIKE == Fraction(1, 100)


def test_links_between_pages_lead_somewhere(web: Web) -> None:
    """Every Markdown link of every page is the address of a page of the web; over a thousand pages have or get one."""
    known = {made.page.url for made in web.pages}
    links = {made.page.url: set(_LINK.findall(made.page.text)) for made in web.pages}
    assert [(url, link) for url, found in links.items() for link in sorted(found - known)] == []
    joined = {url for url, found in links.items() if found} | set().union(*links.values())
    assert len(joined) > 1_000


def test_the_samples_in_docs_are_this_web_s(web: Web, truth: Truth) -> None:
    """docs/web-samples.md is what scripts/web_samples.py writes of the web of seed 1."""
    root = Path(__file__).parents[4]
    spec = importlib.util.spec_from_file_location("web_samples", root / "scripts" / "web_samples.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert (root / "docs" / "web-samples.md").read_text(encoding="utf-8") == script.samples(truth, web)


def test_every_page_is_read_once_in_the_first_sweep_after_it_appeared(truth: Truth, web: Web) -> None:
    """Never before it is there, never a week too late; the last sweep is the story's last second."""
    since = {made.page.url: made.page.known_since or 0 for made in web.pages}
    before, read = 0, list[str]()
    for name, moment, requests in sweeps(truth, web):
        assert name == f"pages-{iso_day(moment)}" and (not before or moment - before <= 7 * DAY_S)
        urls = [request.url.removeprefix(f"{READER}/") for request in requests]
        assert requests == [page_request(url) for url in sorted(urls)]
        there = [url for url in urls if url in since]
        assert all(before < since[url] <= moment for url in there)
        # What people guess of a site is asked once: that nothing stands there is an answer, too.
        assert before == 0 or there == urls
        before, read = moment, read + there
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
    first = [made for made in some if not made.copy_of][:4]
    again = [replace(made, page=replace(made.page, url=f"{made.page.url}-again")) for made in first]
    with pytest.raises(CheckFailed, match=r"2\.0% of the pages have a near-duplicate, 1% may"):
        check_variety(Web((*some, *again), ()), truth)
    meant = [replace(made, copy_of=one.page.url) for made, one in zip(again, first)]
    assert check_variety(Web((*some, *meant), ()), truth).copies - told.copies == 4
