"""How the web of an economy is recorded: swept by the week, its people asked for, its APIs served."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpRequest
from caia_replay.errors import CheckFailed
from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.economy_web import (
    X,
    account_questions,
    check_recorded,
    check_variety,
    sweeps,
    timeline_questions,
    web_services,
)
from caia_replay.origin.services.service import Asked, Service
from caia_replay.origin.web.number import iso_day
from caia_replay.origin.web.profile import users
from caia_replay.origin.web.truth import Truth
from caia_replay.origin.web.web import MOST_ALIKE, Web
from caia_replay.providers.reader import ORIGIN as READER
from caia_replay.providers.reader import page_request


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


def test_a_page_of_a_sweeps_own_moment_is_in_it(truth: Truth, web: Web) -> None:
    """Known at the midnight is read at the midnight; a second later it waits a week, undated or not."""
    page = replace(web.pages[0], page=replace(web.pages[0].page, published=truth.midnight(14), first_seen=None))
    late = replace(page, page=replace(page.page, url="https://a.example/", published=None,
                                      first_seen=truth.midnight(14) + 1))  # fmt: skip
    read = {moment: requests for _, moment, requests in sweeps(truth, Web((page, late), ()))}
    assert read[truth.midnight(14)] == [page_request(page.page.url)]
    assert read[truth.midnight(21)] == [page_request("https://a.example/")]
    assert sum(map(len, read.values())) == 2


def test_everybody_is_asked_for(truth: Truth, web: Web) -> None:
    """A timeline and a profile of every account, of all who ever posted among them, at most a hundred a request."""
    known = users(truth)
    timelines = [request.url for request in timeline_questions(truth)]
    assert sorted(timelines) == sorted(f"{X}/users/{user.id}/tweets" for user in known)
    asked = [dict(parse_qsl(urlsplit(request.url).query))["usernames"].split(",")
             for request in account_questions(truth)]  # fmt: skip
    assert sorted(name for names in asked for name in names) == sorted(user.handle for user in known)
    assert max(map(len, asked)) <= 100 and len(known) == len({user.id for user in known})
    assert {made.post.author for made in web.posts} <= {user.handle for user in known}


def test_timelines_tell_every_post(truth: Truth, web: Web) -> None:
    """Followed to their ends at the story's last second, they lead to every post of the web."""
    *_, network = web_services(truth, web)
    told: set[str] = set()
    for request in timeline_questions(truth):
        token = ""
        while True:
            further = {"pagination_token": token} if token else {}
            content = asked_of(network, request, truth.midnight(truth.days) - 1, max_results="100", **further)
            told |= {post["id"] for post in content.get("data", ())}
            token = content["meta"].get("next_token", "")
            if not token:
                break
    assert told == {made.post.id for made in web.posts}


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


def test_the_services_answer_for_the_whole_web(truth: Truth, web: Web) -> None:
    """The search API finds, the reader reads, the social network knows its people, and nothing of later is told."""
    search, reader, network = web_services(truth, web)
    assert {origin for one in (search, reader, network) for origin in one.origins} >= {
        "https://google.serper.dev", "https://r.jina.ai", "https://api.x.com"
    }  # fmt: skip
    made = next(made for made in web.pages if (made.page.published or 0) > truth.midnight(60))
    now = made.page.published or 0
    page = asked_of(reader, page_request(made.page.url), now)["data"]
    assert (page["title"], page["url"]) == (made.page.title, made.page.url)
    found = searched(search, made.page.title, now)
    assert made.page.url in found and found
    unborn = page_request(made.page.url)
    early = Asked("GET", urlsplit(unborn.url).path, {}, {"accept": "application/json"})
    assert reader.answer(early, now - 1).status == 404 and made.page.url not in searched(
        search, made.page.title, now - 1
    )
    told = [asked_of(network, request, now)["data"] for request in account_questions(truth)]
    assert {user["username"] for users_ in told for user in users_} == {user.handle for user in users(truth)}


def test_news_bear_their_outlets_names(truth: Truth, web: Web) -> None:
    """The search API names a newsroom by its name, not by its host."""
    search, _, _ = web_services(truth, web)
    body = canonical_bytes({"q": truth.subject("lend").name, "num": 50})
    told = search.answer(Asked("POST", "/news", {}, {}, body), truth.midnight(truth.days) - 1).content["news"]
    assert {one.name for one in truth.cast.newsrooms} & {row["source"] for row in told}


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


def asked_of(service: Service, request: HttpRequest, now: int, **more: str) -> Any:
    """What a service answers to a recorded request, which must be an answer."""
    parts = urlsplit(request.url)
    asked = Asked(
        request.method,
        parts.path,
        dict(parse_qsl(parts.query)) | more,
        {"accept": "application/json"} | {name.lower(): text for name, text in (request.headers or {}).items()},
    )
    answer = service.answer(asked, now)
    assert answer.status == 200, answer.content
    return answer.content


def searched(service: Service, words: str, now: int) -> list[str]:
    """The addresses that the search API lists first."""
    body = canonical_bytes({"q": words, "num": 20})
    return [row["link"] for row in service.answer(Asked("POST", "/search", {}, {}, body), now).content["organic"]]
