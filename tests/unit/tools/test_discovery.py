"""web_search and url_fetching: windows, operators, parts of pages, links, and hostile pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.tool import Served
from caia_replay.core.world import Page
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.discovery import MOST_PASSAGES, PAGE_CHARACTERS
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.campaigns import planned
from tests.social_world import social_world
from tests.unit.tools.conftest import Bench

LAST = "mini6-base-fee-bound"
MAY, JUNE = 1_714_600_000, 1_717_300_000
HOSTILE = {
    "https://a.example/long": ("Long", "A vault [fees](/fees). " * 60_000),
    "https://a.example/signs": (
        "\x00\x1b[31m\u202e\ud800",
        "\x00\r\n\u2028{{7*7}} ${x} <script>vault</script> %s %n \udfff",
    ),
    "https://a.example/links": ("Links", "vault " + "[[[](((" * 9_000 + "[x](http://[::1) [y](//) [z](?#) [w](\x00)"),
    "https://a.example/words": ("Words", "vault" * 300_000),
    "https://a.example/empty": ("", ""),
}
KNOWN = (
    Page("https://a.example/may", "May notes", "The vault fee in May is 5%.", MAY, author="Ada Byron", language="en"),
    Page("https://b.example/june", "June notes", "The vault fee in June is 6%.", JUNE, author="Bo", language="zh-CN"),
    Page("https://www.b.example/x/y", "About", "A vault fee is charged.", MAY + 86_400),
)


@pytest.fixture(scope="module")
def pages(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A world with a few pages that are known, and a few that nobody sane wrote."""
    hostile = [Page(url, title, text, MAY) for url, (title, text) in HOSTILE.items()]
    with social_world(shipped, tmp_path_factory.mktemp("pages"), [*KNOWN, *hostile], posts=20).world as world:
        yield Bench(world, LAST)


def test_what_search_finds_opens_and_nothing_of_later_is_visible(late: Bench, early: Bench) -> None:
    """Titles and dates agree; pages of the future are neither ranked nor fetched."""
    found = late.call("web_search", query="token supply treasury proposal", limit=20)
    assert found.served is Served.RANKED
    assert len(found.result["results"]) > 5
    for result in found.result["results"]:
        page = late.call("url_fetching", url=result["url"]).result
        assert (page["title"], page["published"]) == (result["title"], result["date"])
    now = utc_text(early.task.anchor.timestamp)
    later = [page for page in late.world.pages() if (page.published or 0) > early.task.anchor.timestamp]
    assert later
    for page in later:
        results = early.call("web_search", query=page.title, limit=20).result["results"]
        assert all(result["date"] is None or result["date"] <= now for result in results)
        assert early.call("url_fetching", url=page.url).served is Served.MISS


def test_a_planted_page_opens_and_is_marked(attacked: Bench, late: Bench) -> None:
    """It is ranked and fetched like any other and counted as altered; in the clean arm it is nowhere."""
    overlay = planned(attacked.world.world.folder)
    planted = next(page for page in overlay.pages if page.task == attacked.task.id)
    found = attacked.call("web_search", query=planted.page.title)
    assert planted.page.url in [result["url"] for result in found.result["results"]]
    page = attacked.call("url_fetching", url=planted.page.url)
    assert planted.planted in page.result["text"]
    assert found.altered_by == page.altered_by == (planted.attack,)
    for planted in planned(late.world.world.folder).pages:
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


def test_a_search_is_the_indexs_own(late: Bench) -> None:
    """Pages, order, snippets and paging are the local index's; what is not known of a page is null."""
    for query in ("token supply", '"community treasury"', "vault -proposal", "mare site:docs.mareskal.example"):
        for page in (1, 2, 3):
            found = late.world.search(query, 4, (page - 1) * 4, "qdr:m")
            result = late.call("web_search", query=query, limit=4, page=page, past="month").result
            shown = [(row["rank"], row["url"], row["title"], row["snippet"]) for row in result["results"]]
            assert shown == [(one.rank, one.page.url, one.page.title, one.snippet) for one in found]
            assert result["next_page"] == (page + 1 if len(found) == 4 else None)


@pytest.mark.parametrize(
    ("arguments", "there"),
    [
        ({}, {"may", "june", "y"}),
        ({"query": "vault fee site:b.example"}, {"june", "y"}),
        ({"query": "vault fee site:b.example/x"}, {"y"}),
        ({"query": "vault fee -site:b.example"}, {"may"}),
        ({"query": 'vault fee author:"ada byron"'}, {"may"}),
        ({"query": "vault fee lang:zh"}, {"june"}),
        ({"query": "vault fee -june"}, {"may", "y"}),
        ({"query": "vault fee after:2024-06-01"}, {"june"}),
        ({"query": "vault fee before:2024-05-02"}, {"may"}),
        ({"past": "month"}, {"june"}),
        ({"past": "3 days"}, set()),
        ({"first_day": "2024-05-02", "last_day": "2024-06-01"}, {"y"}),
        ({"first_day": "2 June 2024"}, {"june"}),
    ],
)
def test_operators_and_windows_narrow(pages: Bench, arguments: dict[str, str], there: set[str]) -> None:
    """Every operator and window of the index can be used, relative to the task's moment."""
    found = pages.call("web_search", **{"query": "vault fee is", **arguments}).result["results"]
    assert {row["url"].rpartition("/")[2] for row in found} & {"may", "june", "y"} == there


def test_a_result_says_where_it_is_from(pages: Bench) -> None:
    """Domain, date, author and language are told where they are known, and null where not."""
    known, unknown = (
        pages.call("web_search", query=query).result["results"][0]
        for query in ("June vault site:b.example", "vault site:b.example/x")
    )
    assert (known["domain"], known["date"], known["author"], known["language"]) == (
        *("b.example", utc_text(JUNE), "Bo", "zh-CN"),
    )
    assert (unknown["domain"], unknown["author"], unknown["language"]) == ("b.example", None, None)
    page = pages.call("url_fetching", url=known["url"]).result
    assert (page["published"], page["author"], page["language"]) == (known["date"], "Bo", "zh-CN")


def test_an_undated_page_says_since_when_it_is_known(large: FrozenWorld) -> None:
    """Searched or opened, an undated page is shown with the moment it was first seen, which is past."""
    bench = Bench(large, anchored(large.folder, 80).id)
    page = next(page for page in bench.world.pages() if page.published is None)
    opened = bench.call("url_fetching", url=page.url).result
    found = bench.call("web_search", query=f'"{page.title}" site:{page.url.split("/")[2]}', limit=20).result["results"]
    row = next(row for row in found if row["url"] == page.url)
    assert row["date"] is opened["published"] is None
    assert (
        row["first_seen"] == opened["first_seen"] == utc_text(page.first_seen or 0) <= utc_text(bench.world.clock.now)
    )


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_page_is_text(pages: Bench, url: str) -> None:
    """Megabytes, signs, nonsense: the page comes as it was recorded, in parts, and nothing of it is interpreted."""
    text, cursor = "", 0
    for _ in range(3):
        reply = pages.call("url_fetching", url=url, cursor=cursor, find=None, max_links=200)
        json.dumps(dict(reply.shown()))
        text, cursor = text + reply.result["text"], reply.result["next_cursor"]
        if cursor is None:
            break
    title, whole = HOSTILE[url]
    assert text == whole[: len(text)]
    assert len(text) == min(len(whole), 3 * PAGE_CHARACTERS)
    assert (reply.result["title"], reply.result["characters"]) == (title, len(whole))
    assert pages.call("url_fetching", url=url, find="vault nothing").error is None
    assert pages.call("web_search", query=f"vault site:{url.removeprefix('https://')}").error is None


def test_find_shows_what_stands_around_words(pages: Bench) -> None:
    """Passages take the place of the text, few of many are told as such, and their cursors lead into the page."""
    url = "https://a.example/long"
    found = pages.call("url_fetching", url=url, find="fees vault").result
    assert "text" not in found
    assert len(found["passages"]) == MOST_PASSAGES < found["passages_in_all"]
    one = found["passages"][3]
    assert pages.call("url_fetching", url=url, cursor=one["cursor"]).result["text"].startswith(one["text"])
    later = pages.call("url_fetching", url=url, find="vault", cursor=found["characters"] - 100).result
    assert later["passages"][0]["cursor"] >= found["characters"] - 100
    assert pages.call("url_fetching", url=url, find="zzyzx").result["passages"] == []
    assert pages.call("url_fetching", url=url, find="?!").served is Served.ERROR


def test_links_lead_on(late: Bench, pages: Bench) -> None:
    """A page's addresses are listed as far as is asked, with how many there are."""
    with_links = [page for page in late.world.pages() if page.text.count("https://") > 2]
    page = max(with_links, key=lambda page: (page.text.count("https://"), page.url))
    told = late.call("url_fetching", url=page.url, max_links=2).result
    assert len(told["links"]) == 2 < told["links_in_all"]
    assert all(link["url"].startswith("https://") for link in told["links"])
    fees = pages.call("url_fetching", url="https://a.example/long").result
    assert fees["links"] == [{"text": "fees", "url": "https://a.example/fees"}]
    assert fees["links_in_all"] == 1
    assert late.call("url_fetching", url=page.url, max_links=0).result["links"] == []
    assert late.call("url_fetching", url=page.url, max_links=201).served is Served.ERROR


def test_a_planted_page_of_later_is_not_there(pages: Bench) -> None:
    """In a window that holds it a planted page is found and marks the call; before its moment it is nowhere."""
    now = pages.world.clock.now
    made = [Page(f"https://evil.example/{at}", "Zzyzx", f"zzyzx is {at}", at) for at in (now, now + 1)]
    overlay = Overlay("c", tuple(PlantedPage("seo", LAST, "7", page) for page in made), "sha256:c")
    with WorldToolset(pages.world.world.task(pages.task, overlay)) as tools:
        found = tools.call("web_search", json.dumps({"query": "zzyzx", "past": "hour"}))
        assert [row["url"] for row in found.result["results"]] == [made[0].url]
        assert found.altered_by == ("seo",)
        assert tools.call("url_fetching", json.dumps({"url": made[1].url})).served is Served.MISS
        assert tools.call("web_search", json.dumps({"query": "vault", "past": "year"})).altered_by == ()


@pytest.mark.parametrize(
    "asked",
    [
        *({"query": "x", "limit": 0}, {"query": "x", "limit": 21}, {"query": "  "}, {"page": 0}, {"page": 51}),
        *({"past": "5m"}, {"first_day": "05/06/2024"}, {"first_day": "2030-01-01"}, {"query": "-token"}),
        *({"first_day": "2024-06-02", "last_day": "2024-06-01"}, {"query": "?!"}, {"url": "not an address"}),
    ],
)
def test_wrong_questions_are_told(late: Bench, asked: dict[str, Any]) -> None:
    """Numbers out of range, windows that cannot be read, nothing to look for; what nobody recorded is a miss."""
    tool, base = ("url_fetching", {}) if "url" in asked else ("web_search", {"query": "token"})
    assert late.call(tool, **base | asked).served is Served.ERROR
    assert late.call("web_search", query="qqqzzzxxy").result["results"] == []
    assert late.call("url_fetching", url="https://nowhere.example/x").served is Served.MISS
