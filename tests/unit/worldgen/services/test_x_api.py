"""The synthetic X API: pages, refusals, time, and the vendor's description as their judge."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.core.world import Post
from caia_worldgen.services.service import Answer, Asked
from caia_worldgen.services.x_api import BAD_TOKEN, RECENT_S, SPENT_TOKEN, XApi
from caia_worldgen.services.x_api_query import page_of
from tests.provider_law import live
from tests.vendor_description import VendorDescription
from tests.x_judge import faults
from tests.x_network import BEGIN, DAY_S, END, draw_posts, draw_users
from tests.x_question import FIELDS, KEY, USER_FIELDS, get

NOW = BEGIN + 40 * DAY_S + 77
USERS = draw_users("service")
POSTS = draw_posts("service", USERS)
SERVICE = XApi(USERS, POSTS)
BUSIEST = max(USERS, key=lambda user: sum(post.author == user.handle for post in POSTS))


def ask(path: str, now: int = NOW, service: XApi = SERVICE, **asked: Any) -> Answer:
    """One answer of the service."""
    named = {name.replace("__", "."): str(value) for name, value in asked.items()}
    return service.answer(Asked("GET", f"/2{path}", named, {"authorization": KEY["Authorization"]}), now)


def test_nothing_is_told_before_it_was() -> None:
    """Posts, accounts, mentions and answered posts of later are not there; who comes later has no list."""
    later = next(post for post in POSTS if post.created > NOW)
    assert "data" not in ask(f"/tweets/{later.id}").content
    assert ask(f"/tweets/{later.id}", later.created).content["data"]["id"] == later.id
    latest = USERS[-1]
    assert latest.created > NOW and "data" not in ask(f"/users/by/username/{latest.handle}").content
    assert set(ask(f"/users/{latest.id}/tweets").content) == {"errors"}
    assert ask(f"/users/{USERS[-2].id}/tweets").content == {"meta": {"result_count": 0}}
    for now in (BEGIN, NOW, END):
        for path in (f"/users/{BUSIEST.id}/tweets", f"/users/{USERS[0].id}/mentions"):
            for one in ask(path, now, max_results=100, post__fields="created_at").content.get("data", []):
                assert next(post for post in POSTS if post.id == one["id"]).created <= now


def test_searches_find_the_last_week_or_everything() -> None:
    """Recent is seven days; the archive is open to those whose access reaches it and refused to others."""
    recent = ask("/tweets/search/recent", query="vault", max_results=100).content["data"]
    moments = {post.id: post.created for post in POSTS}
    assert recent and all(NOW - RECENT_S <= moments[one["id"]] <= NOW for one in recent)
    whole, token = list[str](), dict[str, Any]()
    while True:
        page = ask("/tweets/search/all", query="vault", max_results=500, **token).content
        whole += [one["id"] for one in page["data"]]
        if "next_token" not in page["meta"]:
            break
        token = {"next_token": page["meta"]["next_token"]}
    assert set(whole) == {post.id for post in POSTS if post.created <= NOW and "vault" in post.text.split()}
    refused = ask("/tweets/search/all", service=XApi(USERS, POSTS, full_archive=False), query="vault")
    assert refused.status == 403 and refused.content["reason"] == "client-not-enrolled"


@pytest.mark.parametrize(
    "path, asked",
    [
        ("/users/7/tweets", {"max_results": 4}), ("/users/7/tweets", {"max_results": "ten"}),
        (f"/users/{USERS[0].id}/tweets", {"pagination_token": "abc"}),
        (f"/users/{USERS[0].id}/tweets", {"pagination_token": "é"}), ("/users/7/tweets", {"start_time": "yesterday"}),
        ("/users/7/tweets", {"start_time": "2009-01-01T00:00:00Z"}),
        ("/users/7/tweets", {"start_time": "2024-05-02T00:00:00Z", "end_time": "2024-05-01T00:00:00Z"}),
        ("/users/7/tweets", {"since_id": "x"}), ("/users/7/tweets", {"exclude": "everything"}),
        ("/users/7/mentions", {"exclude": "replies"}), ("/users/x/tweets", {}), ("/tweets", {}),
        ("/tweets", {"ids": ",".join(map(str, range(101)))}), ("/tweets/7", {"post__fields": "zodiac"}),
        ("/tweets/7", {"post__fields": ""}), ("/tweets/7", {"post__fields": "lang", "tweet__fields": "lang"}),
        ("/tweets/7", {"expansions": "author"}), ("/tweets/7", {"page": 2}), ("/tweets/1,2", {}),
        ("/users/by/username/much_too_long_a_name", {}), ("/tweets/search/recent", {}),
        ("/tweets/search/recent", {"query": "("}), ("/tweets/search/recent", {"query": "a", "max_results": 9}),
        ("/tweets/search/recent", {"query": "a", "sort_order": "best"}),
        ("/tweets/search/recent", {"query": "a", "start_time": "2024-05-01T00:00:00Z"}),
        ("/tweets/search/recent", {"query": "a", "end_time": "2030-05-01T00:00:00Z"}),
        ("/tweets/counts/recent", {"query": "a", "granularity": "week"}),
        ("/tweets/counts/recent", {"query": "a", "next_token": "a"}),
        ("/tweets/counts/recent", {"query": "a", "max_results": 10}),
    ],
)  # fmt: skip
def test_faults_in_what_is_asked_are_named(path: str, asked: dict[str, Any]) -> None:
    """Status 400, the parameter, its value and why."""
    told = ask(path, **asked)
    assert told.status == 400 and told.content["title"] == "Invalid Request"
    assert told.content["type"].endswith("/invalid-request") and told.content["errors"][0]["parameters"]


def test_keys_and_limits() -> None:
    """No key and a bad one are 401, a spent one 429 with the moment at which it counts anew; writing is 404."""
    for headers in ({}, {"authorization": f"Bearer {BAD_TOKEN}"}):
        assert SERVICE.answer(Asked("GET", "/2/users/7", {}, headers), NOW).status == 401
    spent = SERVICE.answer(Asked("GET", "/2/users/7", {}, {"authorization": f"Bearer {SPENT_TOKEN}"}), NOW)
    assert spent.status == 429 and spent.headers["x-rate-limit-remaining"] == "0"
    assert 0 < int(spent.headers["x-rate-limit-reset"]) - NOW <= 900
    assert SERVICE.busy(Asked("GET", "/2/users/7", {})).status == 429
    assert SERVICE.busy(Asked("GET", "/2/users/7", {})).headers["retry-after"] == "1"
    for method, path in (("POST", "/2/tweets"), ("GET", "/2/spaces/1"), ("GET", "/1.1/users")):
        assert SERVICE.answer(Asked(method, path, {}, {"authorization": "Bearer a"}), NOW).status == 404


def described_questions() -> list[HttpRequest]:
    """Every endpoint in every shape, in both sets of words."""
    some = [post.id for post in POSTS[::40]]
    lists = [f"/users/{user.id}/{kind}" for user in (USERS[0], USERS[-1], USERS[-2]) for kind in ("tweets", "mentions")]
    lists += ["/tweets/search/recent?query=vault", "/tweets/search/all?query=%23defi%20OR%20%24VLT", "/users/1/tweets"]
    lists += [f"/tweets?ids={','.join(some)}", f"/tweets/{some[0]}", "/tweets/1", f"/tweets/{POSTS[-1].id}"]
    shapes: list[dict[str, str]] = [{}]
    for thing, more in (("post", "referenced_posts"), ("tweet", "referenced_tweets.id,referenced_tweets.id.author_id")):
        shapes.append({f"{thing}.fields": ",".join(FIELDS)})
        shapes.append({f"{thing}.fields": ",".join(FIELDS), "user.fields": ",".join(USER_FIELDS),
                       "expansions": f"author_id,in_reply_to_user_id,{more}"})  # fmt: skip
    made = [get(f"{path}{'&' if '?' in path else '?'}{urlencode(shape)}") for path, shape in product(lists, shapes)]
    users = ["/users/by/username/ada_x", f"/users/by?usernames={USERS[0].handle},no", f"/users/{USERS[1].id}"]
    users += [f"/users?ids={','.join(user.id for user in USERS)}"]
    made += [get(f"{path}{'&' if '?' in path else '?'}user.fields={','.join(USER_FIELDS)}") for path in users]
    return [*made, get("/tweets/counts/recent?query=vault&granularity=day"), get("/tweets/counts/recent?query=dry")]


@pytest.mark.check
@pytest.mark.real
def test_replies_fit_the_vendors_description(real_data: Path) -> None:
    """Every endpoint in every shape, refusals included; the older words once they are spelled in today's."""
    judge = VendorDescription.load(real_data / "openapi" / "x-api-v2.json")
    questions = described_questions()
    assert len(questions) > 60
    for request in questions:
        assert not (found := faults(judge, request, live(SERVICE, request, NOW))), (request.url, found)
    without = XApi(USERS, POSTS, full_archive=False)
    bad = [(get("/tweets/7?post.fields=zodiac"), SERVICE), (get("/tweets/search/all?query=a"), without),
           (HttpRequest("GET", get("/users/7").url), SERVICE)]  # fmt: skip
    for token in (BAD_TOKEN, SPENT_TOKEN):
        bad.append((HttpRequest("GET", get("/users/7").url, headers={"Authorization": f"Bearer {token}"}), SERVICE))
    statuses = set()
    for request, service in bad:
        reply = live(service, request, NOW)
        statuses.add(reply.status)
        assert not faults(judge, request, reply), request.url
    assert statuses == {400, 401, 403, 429}


LISTS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 10**18)), unique=True, max_size=30).map(
    lambda keys: [Post(str(own), "a", "", moment, "") for moment, own in sorted(keys, reverse=True)]
)


@given(LISTS, st.integers(1, 7))
def test_pages_lead_through_a_list_there_and_back(posts: list[Post], size: int) -> None:
    """Onward every post once; back from each page the posts right above it."""
    seen, token, before = list[Post](), None, list[Post]()
    while True:
        page, meta = page_of(posts, size, token)
        seen += page
        if before:
            assert list(page_of(posts, size, meta["previous_token"])[0]) == before
            assert list(page_of(posts, 99, meta["previous_token"])[0]) == seen[: -len(page)]
        else:
            assert "previous_token" not in meta
        token, before = meta.get("next_token"), list(page)
        if token is None:
            break
    assert seen == posts
