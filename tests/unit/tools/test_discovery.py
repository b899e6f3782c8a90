from __future__ import annotations

from typing import TYPE_CHECKING

from caia_replay.core.tool import Served
from caia_replay.tools.discovery import PAGE_CHARACTERS
from caia_replay.world.clock import utc_text

if TYPE_CHECKING:
    from tests.unit.tools.conftest import Bench


def test_what_search_finds_opens(late: Bench) -> None:
    """Every result's address can be fetched, and title and date agree."""
    found = late.call("web_search", query="token supply treasury proposal", limit=20)
    assert found.served is Served.RANKED
    assert len(found.result["results"]) > 5
    for result in found.result["results"]:
        page = late.call("url_fetching", url=result["url"]).result
        assert (page["title"], page["published"]) == (result["title"], result["date"])


def test_nothing_dated_after_the_anchor_is_visible(early: Bench, late: Bench) -> None:
    """Pages from the future are neither ranked nor fetched."""
    now = utc_text(early.task.anchor.timestamp)
    later = [page for page in late.world.pages() if (page.published or 0) > early.task.anchor.timestamp]
    assert later
    for page in later:
        results = early.call("web_search", query=page.title, limit=20).result["results"]
        assert all(result["date"] is None or result["date"] <= now for result in results)
        assert early.call("url_fetching", url=page.url).served is Served.MISS


def test_a_planted_page_opens_and_is_marked(attacked: Bench) -> None:
    """In the attacked arm the campaign's pages are ranked and fetched like any other, and counted as altered."""
    overlay = attacked.world.world.folder.overlay("seo-heavy")
    planted = next(page for page in overlay.pages if page.task == attacked.task.id)
    found = attacked.call("web_search", query=planted.page.title)
    assert planted.page.url in [result["url"] for result in found.result["results"]]
    page = attacked.call("url_fetching", url=planted.page.url)
    assert planted.planted in page.result["text"]
    assert found.altered_by == page.altered_by == (planted.attack,)


def test_the_clean_arm_has_no_planted_page(late: Bench) -> None:
    """Without the campaign its pages are outside the world."""
    for planted in late.world.world.folder.overlay("seo-heavy").pages:
        assert late.call("url_fetching", url=planted.page.url).served is Served.MISS


def test_long_pages_come_in_parts(late: Bench) -> None:
    """Parts joined by next_cursor are the page; a cursor outside it is told."""
    page = max(late.world.pages(), key=lambda page: len(page.text))
    text, cursor = "", 0
    while cursor is not None:
        part = late.call("url_fetching", url=page.url, cursor=cursor).result
        assert len(part["text"]) <= PAGE_CHARACTERS
        text, cursor = text + part["text"], part["next_cursor"]
    assert text == page.text
    assert late.call("url_fetching", url=page.url, cursor=len(page.text) + 1).served is Served.ERROR


def test_limits_and_empty_queries_are_told(late: Bench) -> None:
    """A limit outside 1 to 20 and an empty query are errors; a query for nothing finds nothing."""
    for arguments in ({"query": "x", "limit": 0}, {"query": "x", "limit": 21}, {"query": "  "}):
        assert late.call("web_search", **arguments).served is Served.ERROR
    assert late.call("web_search", query="qqqzzzxxy").result["results"] == []


def test_addresses_are_told_apart_from_noise(late: Bench) -> None:
    """What is no web address is an error; an address nobody recorded is a miss."""
    assert late.call("url_fetching", url="not an address").served is Served.ERROR
    assert late.call("url_fetching", url="https://nowhere.example/x").served is Served.MISS
