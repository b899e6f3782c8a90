"""The search API over a handful of pages: windows, refusals, and nothing before its time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply
from caia_replay.core.world import Page
from caia_replay.errors import Miss
from caia_replay.origin.services.serper import Serper
from caia_replay.origin.services.service import Asked
from caia_replay.providers.search_api import SearchApiProvider, result_links, search_request
from tests.provider_law import live, of_family, recorded, same

DAY = 86_400


NOW = 1_000 * DAY


PAGES = (
    Page("https://a.example/apples?kind=red", "Red apples", "Apples are fruit. 苹果。\n", NOW - 1_000 * DAY),
    Page("https://www.b.example/pears", "Pears", "Not apples.", NOW - 2 * 3_600),
    Page("https://c.example/undated", "Apples without a date", "Somewhere, some day.", None, first_seen=NOW - DAY),
    Page("https://d.example/unknown", "Apples that nobody saw", "Never.", None),
    Page("https://e.example/later", "Apples of tomorrow", "Later.", NOW + 1),
)


SERVICE = Serper(PAGES, {"b.example": "The Pear"})


def ask(path: str = "/search", method: str = "POST", key: str | None = None, **body: Any) -> tuple[int, Any]:
    headers = {} if key is None else {"x-api-key": key}
    answer = SERVICE.answer(Asked(method, path, {}, headers, canonical_bytes(body)), NOW)
    return answer.status, answer.content


def links(content: Any) -> tuple[str, ...]:
    return result_links(HttpReply(200, {}, json.dumps(content).encode()))


def test_windows_are_measured_from_the_services_now() -> None:
    """qdr and cdr leave out what is older or of other days; a window that cannot be read leaves nothing out."""
    assert links(ask(q="apples", tbs="qdr:h")[1]) == ()
    assert links(ask(q="apples", tbs="qdr:d")[1]) == (PAGES[2].url, PAGES[1].url)
    assert links(ask(q="apples", tbs="cdr:1,cd_min:1/1/1970,cd_max:1/1/1970")[1]) == (PAGES[0].url,)
    assert len(links(ask(q="apples", tbs="sbd:1")[1])) == 3


@given(st.integers(0, 2 * NOW))
def test_nothing_is_listed_before_its_time(now: int) -> None:
    """At whatever moment: no page of later, and no page of which nobody knows since when it is there."""
    answer = SERVICE.answer(Asked("POST", "/search", {}, {}, b'{"q": "apples pears"}'), now)
    shown = {page.url: page for page in PAGES}
    known = [shown[url].known_since for url in links(answer.content)]
    assert all(moment is not None and moment <= now for moment in known)
    assert len(known) == sum(page.known_since is not None and page.known_since <= now for page in PAGES)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b'{"q": 5}', b'{"q": " "}', b"[]", b'{"q": "x", "num": "ten"}', b'{"q": "x", "page": 0}', b"\xff"],
)
def test_a_malformed_search_is_400(body: bytes) -> None:
    """A search without a query is refused, never answered with an empty list."""
    answer = SERVICE.answer(Asked("POST", "/search", {}, {}, body), NOW)
    assert (answer.status, answer.content["statusCode"]) == (400, 400)


def test_bad_keys_other_paths_and_too_many_are_refused_in_its_manner() -> None:
    """403, 404 and 429, each with its message; a good key and none are answered."""
    assert ask(q="apples", key="bad")[0] == 403 and ask(q="apples", key="0a" * 20)[0] == 200
    assert ask(method="GET", q="apples")[0] == ask("/images", q="apples")[0] == 404
    busy = SERVICE.busy(Asked("POST", "/search", {}))
    assert busy.status == busy.content["statusCode"] == 429 and busy.headers


QUESTIONS = st.builds(
    search_request,
    st.sampled_from(["apples", "pears", "nothing"]),
    st.integers(1, 100),
    st.integers(1, 3),
    st.sampled_from(["", "qdr:d"]),
    st.sampled_from(["search", "news"]),
)


@given(st.lists(QUESTIONS, min_size=1, max_size=4), QUESTIONS)
def test_what_the_provider_narrows_is_what_the_service_answers(asked: list[Any], question: Any) -> None:
    """narrow(record(widen(q)), q) == live(q) for every recorded question; a list of later is a miss."""
    provider = SearchApiProvider()
    found = of_family(provider, recorded(SERVICE, provider, [*asked, question], NOW), question)
    assert same(provider.narrow(found, question, NOW), live(SERVICE, question, NOW))
    with pytest.raises(Miss):
        provider.narrow(found, question, NOW - 1)
