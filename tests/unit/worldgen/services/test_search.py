"""The reader, the search API and several services behind one server: refusals, and nothing before its time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Page
from caia_replay.loopback import LoopbackServer
from caia_replay.providers.search_api.provider import result_links
from caia_worldgen.services.jina import Jina
from caia_worldgen.services.serper import Serper
from caia_worldgen.services.service import Answer, Asked, Services

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


class Echo:
    """A service that repeats what it was asked."""

    def __init__(self, origin: str) -> None:
        self.origins = (origin,)

    def answer(self, asked: Asked, now: int) -> Answer:
        return Answer(200, {"who": self.origins[0], "path": asked.segments(), "asked": dict(asked.parameters),
                            "body": asked.body.decode(), "now": now}, {"X-Used": "1"})  # fmt: skip

    def busy(self, asked: Asked) -> Answer:
        return Answer(429, {"who": self.origins[0]}, {"Retry-After": "1"})


def test_services_are_told_apart_by_the_host_they_are_called_by() -> None:
    """Each answers for its own origin, decoded path and parameters included; an unknown host is nobody's."""
    app = Services([Echo("https://a.example"), Echo("https://b.example")], now=1_714_564_800)
    with LoopbackServer(app) as server, httpx2.Client(trust_env=False) as client:
        for host in ("a.example", "b.example"):
            reply = client.post(f"{server.url}/x%20y/z?q=&n=%E4%BB%B7", headers={"Host": host}, content=b"hey")
            told = {"who": f"https://{host}", "path": ["x y", "z"], "asked": {"q": "", "n": "价"}, "body": "hey",
                    "now": app.now}  # fmt: skip
            assert (reply.json(), reply.headers["x-used"]) == (told, "1")
            assert reply.headers["date"] == "Wed, 01 May 2024 12:00:00 GMT"
        assert client.get(f"{server.url}/x").status_code == 404
        assert server.host_map == {"https://a.example": server.url, "https://b.example": server.url}


def test_one_service_alone_answers_whatever_it_is_called() -> None:
    """A client that is pointed at the server's own address is answered; every third request is told "later"."""
    app = Services([Echo("https://a.example")], now=0, busy_every=3)
    with LoopbackServer(app) as server, httpx2.Client(trust_env=False) as client:
        replies = [client.get(f"{server.url}/x") for _ in range(6)]
    assert [reply.status_code for reply in replies] == [200, 200, 429, 200, 200, 429]
    assert replies[2].headers["retry-after"] == "1"


DAY = 86_400
NOON = 1_000 * DAY
LISTED = (
    Page("https://a.example/apples?kind=red", "Red apples", "Apples are fruit. 苹果。\n", NOON - 1_000 * DAY),
    Page("https://www.b.example/pears", "Pears", "Not apples.", NOON - 2 * 3_600),
    Page("https://c.example/undated", "Apples without a date", "Somewhere, some day.", None, first_seen=NOON - DAY),
    Page("https://d.example/unknown", "Apples that nobody saw", "Never.", None),
    Page("https://e.example/later", "Apples of tomorrow", "Later.", NOON + 1),
)
SERVICE_SEARCH = Serper(LISTED, {"b.example": "The Pear"})


def ask(path: str = "/search", method: str = "POST", key: str | None = None, **body: Any) -> tuple[int, Any]:
    headers = {} if key is None else {"x-api-key": key}
    answer = SERVICE_SEARCH.answer(Asked(method, path, {}, headers, canonical_bytes(body)), NOON)
    return answer.status, answer.content


def links(content: Any) -> tuple[str, ...]:
    return result_links(HttpReply(200, {}, json.dumps(content).encode()))


@given(st.integers(0, 2 * NOON))
def test_nothing_is_listed_before_its_time(now: int) -> None:
    """At whatever moment: no page of later, and no page of which nobody knows since when it is there."""
    answer = SERVICE_SEARCH.answer(Asked("POST", "/search", {}, {}, b'{"q": "apples pears"}'), now)
    shown = {page.url: page for page in LISTED}
    known = [shown[url].known_since for url in links(answer.content)]
    assert all(moment is not None and moment <= now for moment in known)
    assert len(known) == sum(page.known_since is not None and page.known_since <= now for page in LISTED)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b'{"q": 5}', b'{"q": " "}', b"[]", b'{"q": "x", "num": "ten"}', b'{"q": "x", "page": 0}', b"\xff"],
)
def test_a_malformed_search_is_400(body: bytes) -> None:
    """A search without a query is refused, never answered with an empty list."""
    answer = SERVICE_SEARCH.answer(Asked("POST", "/search", {}, {}, body), NOON)
    assert (answer.status, answer.content["statusCode"]) == (400, 400)


def test_bad_keys_other_paths_and_too_many_are_refused_in_its_manner() -> None:
    """403, 404 and 429, each with its message; a good key and none are answered."""
    assert ask(q="apples", key="bad")[0] == 403 and ask(q="apples", key="0a" * 20)[0] == 200
    assert ask(method="GET", q="apples")[0] == ask("/images", q="apples")[0] == 404
    busy = SERVICE_SEARCH.busy(Asked("POST", "/search", {}))
    assert busy.status == busy.content["statusCode"] == 429 and busy.headers
