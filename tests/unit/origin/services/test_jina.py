"""The reader over real HTTP: each page as it is, at its time, and its refusals."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Page
from caia_replay.loopback import LoopbackServer
from caia_replay.origin.services.jina import Jina
from caia_replay.origin.services.service import Asked, Services
from caia_replay.providers.reader import read_page

NOW = 1_000_003_000
PAGES = (
    Page("https://a.example/apples?kind=red&kind=green", "Red apples", "Apples are fruit. 苹果。\n", NOW - 2_000),
    Page("https://b.example/pears", "Pears", "Not apples.", NOW - 1_000, author="Ada", language="en"),
    Page("https://c.example/undated", "No date", "Somewhere, some day.", None, first_seen=NOW - 1_500),
)
HIDDEN = (Page("https://d.example/", "x", "x", None), Page("https://e.example/", "x", "x", NOW + 1))
SERVICE = Jina([*PAGES, *HIDDEN], blocked=["f.example"])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with LoopbackServer(Services([SERVICE], NOW)) as server:
        assert server.host_map == {"https://r.jina.ai": server.url}
        yield server.url


def get(url: str, address: str, accept: str = "application/json", key: str = "") -> httpx2.Response:
    headers = {"Accept": accept, **({"Authorization": f"Bearer {key}"} if key else {})}
    with httpx2.Client(trust_env=False) as client:
        return client.get(f"{url}/{address}", headers=headers)


def test_the_reader_gives_each_page_as_it_is(url: str) -> None:
    """Our own reading gives back all that is known of a page, query string and all, first seen when it was read."""
    for page in PAGES:
        reply = get(url, page.url)
        found = read_page(HttpReply(reply.status_code, dict(reply.headers), reply.content), page.url)
        assert found == Page(page.url, page.title, page.text, page.published, "", page.author, page.language, NOW)
        assert reply.json()["data"]["usage"] == {"tokens": len(page.text) // 4}


def test_without_json_a_page_is_text(url: str) -> None:
    """A client that asks for no JSON gets title, address, date and content as one text."""
    reply = get(url, PAGES[1].url, accept="*/*")
    assert reply.text.startswith(
        "Title: Pears\n\nURL Source: https://b.example/pears\n\nPublished Time: 2001-09-09T02:20"
    )
    assert reply.text.endswith("Markdown Content:\nNot apples.")


@pytest.mark.parametrize("address", ["https://a.example/none", "https://a.example/apples", *(p.url for p in HIDDEN)])
def test_a_page_that_is_not_there_is_404_in_the_readers_words(url: str, address: str) -> None:
    """Unknown pages, pages of later, and pages nobody knows since when they are there."""
    reply = get(url, address)
    assert (reply.status_code, reply.json()["code"], reply.json()["data"]) == (404, 404, None)


def test_other_refusals_have_their_own_codes(url: str) -> None:
    """No address 400, a bad key 401, a blocked site 451, too many 429; each repeats its status in the body."""
    for reply, code in (
        (get(url, "no-address"), 400),
        (get(url, "http://["), 400),
        (get(url, PAGES[0].url, key="nonsense"), 401),
        (get(url, "https://www.f.example/x"), 451),
    ):
        assert reply.status_code == reply.json()["code"] == code
    assert get(url, PAGES[0].url, key="jina_x").status_code == 200
    busy = SERVICE.busy(Asked("GET", "/", {}))
    assert busy.status == busy.content["code"] == 429
    assert SERVICE.answer(Asked("POST", "/x", {}), NOW).status == 405


@given(st.sampled_from([*PAGES, *HIDDEN]), st.integers(0, 5_000))
def test_a_page_is_read_exactly_when_it_is_known(page: Page, now: int) -> None:
    """Before its date, or undated before it was first seen, it is 404; from then on it is there."""
    path, _, query = page.url.partition("?")
    status = SERVICE.answer(Asked("GET", f"/{path}", {}, {"accept": "application/json"}, query=query), now).status
    assert (status == 200) == (page.known_since is not None and page.known_since <= now)
