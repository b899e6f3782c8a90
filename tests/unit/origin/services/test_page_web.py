"""The synthetic web over real HTTP: both shapes, and nothing before its time."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Page
from caia_replay.loopback import LoopbackServer
from caia_replay.origin.services.page_web import PageWeb
from caia_replay.providers.reader import read_page
from caia_replay.providers.search_api import result_links

PAGES = (
    Page("https://a.example/apples?kind=red", "Red apples", "Apples are fruit. 苹果。\n", 1_000),
    Page("https://b.example/pears", "Pears", "Not apples.", 2_000),
    Page("https://c.example/undated", "Apples without a date", "Somewhere, some day.", None),
)


@pytest.fixture
def web() -> Iterator[tuple[PageWeb, str]]:
    app = PageWeb(PAGES)
    with LoopbackServer(app) as server:
        yield app, server.url


def get(url: str, address: str) -> httpx2.Response:
    with httpx2.Client(trust_env=False) as client:
        return client.get(f"{url}/{address}", headers={"Accept": "application/json"})


def post(url: str, body: bytes) -> httpx2.Response:
    with httpx2.Client(trust_env=False) as client:
        return client.post(f"{url}/search", content=body)


def test_the_reader_gives_each_page_as_it_is(web: tuple[PageWeb, str]) -> None:
    """Our own reading of the reader's shape gives back title, text and date, query string and all."""
    for page in PAGES:
        reply = get(web[1], page.url)
        assert read_page(HttpReply(reply.status_code, {}, reply.content), page.url) == page


@pytest.mark.parametrize("address", ["https://a.example/none", "https://a.example/apples", "no-address", "http://["])
def test_a_page_nobody_wrote_is_404_in_the_readers_words(web: tuple[PageWeb, str], address: str) -> None:
    """Unknown pages are refused with the code in the body too."""
    reply = get(web[1], address)
    assert (reply.status_code, reply.json()["code"], reply.json()["data"]) == (404, 404, None)


def test_a_result_list_has_serpers_shape(web: tuple[PageWeb, str]) -> None:
    """Title matches first, positions from 1, dates in words, the query repeated."""
    reply = post(web[1], canonical_bytes({"q": "red APPLES", "num": 2}))
    content = reply.json()
    assert result_links(HttpReply(200, {}, reply.content)) == (PAGES[0].url, PAGES[2].url)
    assert content["searchParameters"] == {"q": "red APPLES", "type": "search", "engine": "google", "num": 2}
    assert [item["position"] for item in content["organic"]] == [1, 2]
    assert content["organic"][0]["date"] == "Jan 1, 1970"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"q": 5}', b'{"q": " "}', b"[]", b'{"q": "x", "num": "ten"}', b"\xff"])
def test_a_malformed_search_is_400(web: tuple[PageWeb, str], body: bytes) -> None:
    """A search without a query is refused, never answered with an empty list."""
    assert post(web[1], body).status_code == 400


def test_nothing_is_there_before_its_time(web: tuple[PageWeb, str]) -> None:
    """At a moment, later pages are neither listed nor read; undated ones are."""
    app, url = web
    app.now = 1_500
    links = result_links(HttpReply(200, {}, post(url, canonical_bytes({"q": "apples"})).content))
    assert set(links) == {PAGES[0].url, PAGES[2].url}
    assert get(url, PAGES[1].url).status_code == 404


def test_other_requests_are_404(web: tuple[PageWeb, str]) -> None:
    """The root and other methods have no answer."""
    assert web[0].answer("GET", "/", b"")[0] == 404
    assert web[0].answer("DELETE", "/search", b"")[0] == 404


def test_the_host_map_leads_both_apis_here() -> None:
    """The recorder's map names the two canonical addresses."""
    with LoopbackServer(PageWeb(())) as server:
        assert server.host_map == {"https://google.serper.dev": server.url, "https://r.jina.ai": server.url}
