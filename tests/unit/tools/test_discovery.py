"""web_search and url_fetching: windows, operators, parts of pages, links, and hostile pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.tool import Served
from caia_replay.core.world import Page
from caia_replay.errors import ToolError
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.window import ALWAYS, Window, parse_window
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.discovery import (
    MOST_PASSAGES,
    PAGE_CHARACTERS,
    PASSAGE_CHARACTERS,
    READ_CHARACTERS,
    links,
    passages,
)
from caia_replay.tools.search_window import describe_window, whole_window, window_argument
from caia_replay.world.clock import utc_text
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.social_world import social_world
from tests.unit.tools.conftest import Desk

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
def pages(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A world with a few pages that are known, and a few that nobody sane wrote."""
    hostile = [Page(url, title, text, MAY) for url, (title, text) in HOSTILE.items()]
    with social_world(shipped, tmp_path_factory.mktemp("pages"), [*KNOWN, *hostile], posts=20).world as world:
        yield Desk(world, LAST)


def test_what_search_finds_opens_and_nothing_of_later_is_visible(late: Desk, early: Desk) -> None:
    """Titles and dates agree; pages of the future are neither ranked nor fetched."""
    found = late.call("web_search", query="token supply treasury proposal", limit=20)
    assert found.served is Served.RANKED
    assert len(found.result["results"]) > 5
    for result in found.result["results"]:
        page = late.call("url_fetching", url=result["url"]).result
        assert (page["title"], page["published"]) == (result["title"], result["date"])
    now = utc_text(early.task.anchor.timestamp)
    later = [page for page in late.world.pages() if (page.published or 0) > early.task.anchor.timestamp]
    for page in later[:4]:
        results = early.call("web_search", query=page.title, limit=20).result["results"]
        assert all(result["date"] is None or result["date"] <= now for result in results)
        assert early.call("url_fetching", url=page.url).served is Served.MISS


def test_a_search_is_the_indexs_own(late: Desk) -> None:
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
        ({}, {"may", "june", "y"}), ({"query": "vault fee site:b.example"}, {"june", "y"}),
        ({"query": "vault fee site:b.example/x"}, {"y"}), ({"query": "vault fee -site:b.example"}, {"may"}),
        ({"query": 'vault fee author:"ada byron"'}, {"may"}), ({"query": "vault fee lang:zh"}, {"june"}),
        ({"query": "vault fee -june"}, {"may", "y"}), ({"query": "vault fee after:2024-06-01"}, {"june"}),
        ({"query": "vault fee before:2024-05-02"}, {"may"}), ({"past": "month"}, {"june"}), ({"past": "3 days"}, set()),
        ({"first_day": "2024-05-02", "last_day": "2024-06-01"}, {"y"}), ({"first_day": "2 June 2024"}, {"june"}),
    ],
)  # fmt: skip
def test_operators_and_windows_narrow(pages: Desk, arguments: dict[str, str], there: set[str]) -> None:
    """Every operator and window of the index can be used, relative to the task's moment."""
    found = pages.call("web_search", **{"query": "vault fee is", **arguments}).result["results"]
    assert {row["url"].rpartition("/")[2] for row in found} & {"may", "june", "y"} == there


def test_a_result_says_where_it_is_from(pages: Desk, large: FrozenWorld) -> None:
    """Domain, date, author, language, since when an undated page is known; null where it is not."""
    known, unknown = (
        pages.call("web_search", query=query).result["results"][0]
        for query in ("June vault site:b.example", "vault site:b.example/x")
    )
    told = [known[name] for name in ("domain", "date", "author", "language")]
    assert told == ["b.example", utc_text(JUNE), "Bo", "zh-CN"]
    assert (unknown["domain"], unknown["author"], unknown["language"]) == ("b.example", None, None)
    page = pages.call("url_fetching", url=known["url"]).result
    assert (page["published"], page["author"], page["language"]) == (known["date"], "Bo", "zh-CN")
    bench = Desk(large, anchored(large.folder, 80).id)
    page = next(page for page in bench.world.pages() if page.published is None)
    opened = bench.call("url_fetching", url=page.url).result
    found = bench.call("web_search", query=f'"{page.title}" site:{page.url.split("/")[2]}', limit=20).result["results"]
    row = next(row for row in found if row["url"] == page.url)
    assert row["date"] is opened["published"] is None
    assert row["first_seen"] == opened["first_seen"] == utc_text(page.first_seen) <= utc_text(bench.world.clock.now)


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_page_is_text(pages: Desk, url: str) -> None:
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


def test_find_and_links(pages: Desk, late: Desk) -> None:
    """Passages take the place of the text and lead into the page; links are listed as far as is asked."""
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


def test_a_planted_page_of_later_is_not_there(pages: Desk) -> None:
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
def test_wrong_questions_are_told(late: Desk, asked: dict[str, Any]) -> None:
    """Numbers out of range, windows that cannot be read, nothing to look for; what nobody recorded is a miss."""
    tool, base = ("url_fetching", {}) if "url" in asked else ("web_search", {"query": "token"})
    assert late.call(tool, **base | asked).served is Served.ERROR
    assert late.call("web_search", query="qqqzzzxxy").result["results"] == []
    assert late.call("url_fetching", url="https://nowhere.example/x").served is Served.MISS


BASE = "https://docs.example/guide/start"
AROUND = "Nothing of it is here. " * 60


def test_words_are_found_however_they_are_written() -> None:
    """With what stands around, most of the words first; signs of patterns are letters."""
    text = f"{AROUND}The Vesting ends in May.{AROUND}"
    (found,) = passages(text, "vesting")
    assert text[found.start :].startswith(found.text)
    assert len(found.text) == PASSAGE_CHARACTERS
    assert "here. The Vesting ends in May." in found.text
    text = f"supply one{AROUND}unlock two{AROUND}supply and unlock three{AROUND}supply four"
    found = passages(text, "unlock supply")
    meant = [*("three", "one", "two", "four")]
    assert [word for one in found for word in ("one", "two", "three", "four") if f" {word}" in one.text] == meant
    assert [one.words for one in found] == [2, 1, 1, 1]
    for wanted, there in (
        ('"total supply"', "the Total\n  SUPPLY of"), ("“total supply”", "total supply"), ("the", "the"),
        ("a.c", "a.c"), ("1234567", "holds 1,234,567 tokens"), ("1,234,567", "holds 1234567 tokens"),
        ("解锁", "下一次解锁在五月"), ("the unlock", "unlock"), ("(x", "f(x)"),
    ):  # fmt: skip
        assert len(passages(f"{AROUND}{there}{AROUND}", wanted)) >= 1
    for wanted, text in (('"total supply"', "total. supply"), ("a.c", "abc"), ("unlock", "")):
        assert passages(text, wanted) == []
    for wanted in ("", '""', "?! -", " ".join(f"w{at}" for at in range(17))):
        with pytest.raises(ToolError, match="find"):
            passages("text", wanted)


@given(st.text(max_size=3_000), st.text(max_size=40))
def test_every_passage_is_of_the_text(text: str, wanted: str) -> None:
    """Whatever the text, passages are pieces of it, each somewhere else, and all hits are in one."""
    try:
        found = passages(text, wanted)
    except ToolError:
        return
    assert all(text[one.start : one.start + PASSAGE_CHARACTERS] == one.text for one in found)
    assert len({one.start for one in found}) == len(found)


def test_links_come_as_they_can_be_asked_for() -> None:
    """With their words, relative ones too, from where the reader is, and none behind the first million characters."""
    text = (
        "See [the  docs](../fees) and [Fees](https://docs.example/fees), ![a picture](https://cdn.example/a.png), "
        '[titled](https://a.example/x_(y) "A title"). Ask https://forum.example/t/1. '
        "[mail](mailto:a@b.example) [none](#here) [script](javascript:alert(1)) [[2]](https://b.example)，https://c.example/路。"
    )
    assert [(link.anchor, link.url) for link in links(text, BASE)] == [
        ("the docs", "https://docs.example/fees"),
        ("titled", "https://a.example/x_(y)"),
        ("", "https://forum.example/t/1"),
        ("none", BASE),
        ("", "https://b.example/"),
        ("", "https://c.example/%E8%B7%AF"),
    ]
    text = "[a](https://a.example/) [b](https://b.example/)"
    assert [(link.start, link.anchor) for link in links(text, BASE, 5)] == [(text.index("[b]"), "b")]
    far = " " * READ_CHARACTERS + "[b](https://b.example/)"
    assert links(far, BASE) == []


@given(st.text(alphabet="[]()!<>\"' \n#?/:.ahtps%\x00\ud800税", max_size=200))
def test_nonsense_is_no_link(text: str) -> None:
    """Whatever stands in a page, nothing is raised and every link is a web address."""
    assert all(link.url.startswith(("http://", "https://")) for link in links(text, BASE))


@pytest.mark.parametrize(
    "piece",
    ["[", "[a](", "[" + "a" * 300, "[x](" + "(" * 9, "https://", "[a](b", "](", "<https://[", "[x](http://[::1)", "w "],
)
def test_megabytes_of_it_end(piece: str) -> None:
    """What would take a careless pattern the square of a text's length, or worse, is read in a moment."""
    text = piece * (READ_CHARACTERS // len(piece))
    links(text, BASE)
    passages(text, "w https")


NOW = 1_717_250_000
DAY = 86_400
HOUR = 3_600


def test_lengths_and_queries() -> None:
    """Lengths as people write them end with this second; operators alone ask, exclusions alone do not."""
    for past, length in (
        ("hour", HOUR), ("past day", DAY), ("Last Week", 7 * DAY), ("month", 30 * DAY), ("the past year", 365 * DAY),
        ("24h", DAY), ("3 days", 3 * DAY), ("2 weeks", 14 * DAY), ("last 90 minutes", 5_400), ("a week", 7 * DAY),
        ("7d", 7 * DAY), ("one month", 30 * DAY), ("'6 months'", 180 * DAY),
    ):  # fmt: skip
        assert window_argument(past, None, None, NOW).bounds == Window(NOW - length, NOW + 1)
    for past in ("", "5m", "0 days", "fortnight", "-1 day", "99999 days", "qdr:w", "day and night"):
        with pytest.raises(ToolError, match="it takes hour, day, week"):
            window_argument(past, None, None, NOW)
    nothing = window_argument(None, None, None, NOW)
    assert nothing.tbs == ""
    for query in ("site:a.example", "author:ada", "lang:zh", "since:2024-05-01", '"a phrase"', "税"):
        whole_window(query, PAGES.operators, nothing)
    for query in ("", "  ", "!!! ()", "-scam", '-"not this" -site:a.example', "-from:eve", "x" * 2_001):
        for kind in (PAGES, POSTS):
            with pytest.raises(ToolError, match="query"):
                whole_window(query, kind.operators, window_argument("day", None, None, NOW))
    window = window_argument("month", "2024-05-20", None, NOW)
    whole = whole_window("fees until:2024-05-25", PAGES.operators, window)
    assert describe_window(whole, NOW) == {"from": "2024-05-20T00:00:00Z", "before": "2024-05-25T00:00:00Z"}
    assert describe_window(window_argument(None, None, "2030-01-01", NOW).bounds, NOW) is None
    assert describe_window(ALWAYS, NOW) is None
    wanted = {"from": utc_text(NOW - DAY), "before": None}
    assert describe_window(window_argument("day", None, None, NOW).bounds, NOW) == wanted
    with pytest.raises(ToolError, match="has not come yet"):
        window_argument(None, "2030-01-01", None, NOW)
    with pytest.raises(ToolError, match="is after last_day 2024-05-01"):
        window_argument(None, "2024-05-02", "2024-05-01", NOW)


@given(first=st.integers(0, NOW), length=st.integers(0, 400 * DAY))
def test_both_days_are_inside(first: int, length: int) -> None:
    """Days written anyhow bound whole days, and the index reads the same out of the words."""
    last = first + length
    window = window_argument(None, utc_text(first), str(last) if last > 10**8 else utc_text(last)[:10], NOW)
    assert window.bounds == Window(first - first % DAY, last - last % DAY + DAY)
    assert parse_window(window.tbs, NOW) == window.bounds
