"""X's provider: the law, what is handed out as it was recorded, what is no answer, what is worth recording."""

from __future__ import annotations

from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.x.provider import XApiProvider
from caia_replay.world.every_provider import providers_over
from caia_worldgen.rng import Rng
from tests.provider_law import live, of_family
from tests.vendor_description import VendorDescription
from tests.x_law import Court
from tests.x_question import get, question

NOW = 1_715_000_000
PROVIDER = XApiProvider()


@pytest.fixture(scope="module")
def court() -> Court:
    """A network, and recordings of it."""
    return Court("law")


def said(path: str, body: Any, at: int | None = NOW, status: int = 200, **headers: str) -> Recorded:
    """One recorded exchange."""
    dated = {} if at is None else {"date": formatdate(at, usegmt=True)}
    content = body if isinstance(body, bytes) else canonical_bytes(body)
    return Recorded(get(path), HttpReply(status, {**dated, **headers}, content))


def post(number: int, day: int = 5, **more: Any) -> dict[str, Any]:
    """A post of a day of May 2024."""
    return {"id": str(number), "text": f"t{number}", "edit_history_post_ids": [str(number)],
            "created_at": f"2024-05-{day:02d}T12:00:00.000Z", **more}  # fmt: skip


def narrow(recordings: list[Recorded], path: str, now: int = NOW) -> HttpReply:
    """The answer out of those recordings that are of the question's family."""
    return PROVIDER.narrow(of_family(PROVIDER, recordings, get(path)), get(path), now)


def test_the_law_over_a_short_sample(court: Court) -> None:
    """Inside what was recorded the answer is the living one, outside it is a miss; most are inside."""
    assert court.hold(300) >= 0.7


def test_a_recording_of_the_question_is_handed_out_itself() -> None:
    """The very object, whatever the order of its fields and the host, at its own moment; a day later it is a miss."""
    found = said("/users/7?user.fields=verified,url", {"data": {"id": "7", "name": "N", "username": "n"}})
    assert narrow([found], "/users/7?user.fields=url,verified") is found.reply
    other = HttpRequest("GET", "https://api.twitter.com/2/users/7?user.fields=url,verified")
    assert PROVIDER.match(other) and PROVIDER.narrow([found], other, NOW + 60) is found.reply
    with pytest.raises(Miss, match="users/7"):
        narrow([found], "/users/7?user.fields=url,verified", NOW + 86_400)
    with pytest.raises(Miss):
        narrow([replace(found, reply=replace(found.reply, headers={}))], "/users/7?user.fields=url,verified")


def test_refusals_for_the_asking_are_no_answers() -> None:
    """Too many calls and faults are passed over; a bad key's refusal stands where nothing else answers."""
    busy, broken = said("/users/7", {}, status=429), said("/users/7", {}, status=503)
    with pytest.raises(Miss):
        narrow([busy, broken], "/users/7")
    unknown = said("/users/7", {"title": "Unauthorized"}, status=401)
    good = said("/users/7", {"data": {"id": "7", "name": "N", "username": "n"}})
    assert narrow([unknown, busy], "/users/7", NOW + 10**7) is unknown.reply
    assert narrow([unknown, good], "/users/7") is good.reply
    forbidden = said("/tweets/search/all?query=a", {"title": "Client Forbidden"}, status=403)
    assert narrow([forbidden], "/tweets/search/all?query=a") is forbidden.reply


def test_searches_are_answered_by_themselves_alone(court: Court) -> None:
    """A search is told at its own moment only, and no list is cut out of a longer one."""
    path = "/tweets/search/recent?query=vault&max_results=50"
    found = Recorded(get(path), live(court.service, get(path), court.now))
    told = [replace(found, request=get(path.replace("50", str(size)))) for size in (50, 100)]
    assert narrow(told, path, court.now + 300) is found.reply
    for other, now in ((path.replace("50", "20"), court.now), (path, court.now + 1_000), (path, court.now - 1_000)):
        with pytest.raises(Miss):
            narrow(told, other, now)


def test_nothing_of_later_leaves() -> None:
    """A reply of minutes later that shows a later post, or may, is not handed out; what was there is cut out of it."""
    path, minute = "/users/7/tweets", 60
    fresh = post(9) | {"created_at": "2024-05-06T12:54:00.000Z"}
    meta = {"result_count": 2, "newest_id": "9", "oldest_id": "3"}
    dated = said(f"{path}?post.fields=created_at", {"data": [fresh, post(3)], "meta": meta}, NOW + 10 * minute)
    cut = strict_json(narrow([dated], f"{path}?post.fields=created_at").body)
    assert [one["id"] for one in cut["data"]] == ["3"] and cut["meta"]["result_count"] == 1
    assert narrow([dated], f"{path}?post.fields=created_at", NOW + 10 * minute) is dated.reply
    bare = [{name: value for name, value in one.items() if name != "created_at"} for one in (fresh, post(3))]
    undated = said(path, {"data": bare, "meta": meta}, NOW + 10 * minute)
    with pytest.raises(Miss):
        narrow([undated], path)
    assert narrow([undated], path, NOW + 11 * minute) is undated.reply


def test_an_edited_post_makes_a_later_recording_no_witness() -> None:
    """Where a post was edited, its earlier text may have stood in the list before: a miss."""
    path, meta = "/users/7/tweets?post.fields=created_at", {"result_count": 2, "newest_id": "9", "oldest_id": "3"}
    for history in (["8", "9"], None):
        edited = post(9, 20, edit_history_post_ids=history)
        later = said(path, {"data": [edited, post(3)], "meta": meta}, NOW + 30 * 86_400)
        with pytest.raises(Miss):
            narrow([later], path)
    whole = said(path, {"data": [post(9, 20), post(3)], "meta": meta}, NOW + 30 * 86_400)
    assert [one["id"] for one in strict_json(narrow([whole], path).body)["data"]] == ["3"]


def test_a_token_that_was_never_handed_out_is_a_miss(court: Court) -> None:
    """So is one of another window's place; one that a recorded page handed out leads on, whatever it looks like."""
    path = "/users/7/tweets?post.fields=created_at&max_results=5"
    first = [post(40 - number, 28 - number) for number in range(5)]
    last = [post(20 - number, 10 - number) for number in range(2)]
    meta = {"result_count": 5, "newest_id": "40", "oldest_id": "36", "next_token": "7140dibdnow9c7btw"}
    pages = [said(path, {"data": first, "meta": meta}, NOW + 40 * 86_400),
             said(f"{path}&pagination_token=7140dibdnow9c7btw",
                  {"data": last, "meta": {"result_count": 2, "newest_id": "20", "oldest_id": "19"}},
                  NOW + 40 * 86_400)]  # fmt: skip
    later = NOW + 40 * 86_400
    whole = strict_json(narrow(pages, path.replace("=5", "=100"), later).body)
    assert [one["id"] for one in whole["data"]] == ["40", "39", "38", "37", "36", "20", "19"]
    rest = strict_json(narrow(pages, f"{path.replace('=5', '=9')}&pagination_token=7140dibdnow9c7btw", later).body)
    assert [one["id"] for one in rest["data"]] == ["20", "19"]
    with pytest.raises(Miss, match="token"):
        narrow(pages, f"{path}&pagination_token=7140other", later)
    with pytest.raises(Miss):
        narrow(pages[:1], path.replace("=5", "=6"), later)


def test_what_is_not_understood_is_answered_by_itself_alone(court: Court) -> None:
    """Media, bounds of both sorts, sizes the vendor refuses: a wide recording says nothing of them."""
    path = f"/users/{court.users[0].id}/tweets"
    wide = PROVIDER.widen(get(path), court.now)[0]
    whole = [Recorded(wide, live(court.service, wide, court.now))]
    for asked in ("expansions=attachments.media_keys", "media.fields=url", "max_results=4", "max_results=101", "x=1",
                  "start_time=2024-06-01T00:00:00Z&since_id=5", "start_time=yesterday", "post.fields=zodiac",
                  "post.fields=lang&tweet.fields=lang", "max_results=005", "expansions="):  # fmt: skip
        with pytest.raises(Miss):
            narrow(whole, f"{path}?{asked}", court.now)
        itself = Recorded(get(f"{path}?{asked}"), live(court.service, get(f"{path}?{asked}"), court.now))
        assert narrow([*whole, itself], f"{path}?{asked}", court.now) is itself.reply


@pytest.mark.check
@pytest.mark.real
def test_widened_requests_fit_the_vendors_description(court: Court, real_data: Path) -> None:
    """Every request that widening makes of a question in today's words, and the following pages."""
    judge = VendorDescription.load(real_data / "openapi" / "x-api-v2.json")
    questions = [question(court, Rng(f"wide/{number}")) for number in range(300)]
    made = [wide for one in questions if court.taken_of(one, 0).asked.get("max_results") != "4"
            for wide in PROVIDER.widen(one, court.now)]  # fmt: skip
    made = [one for one in made if "tweet" not in one.url.partition("?")[2]]
    for wide in made[:40]:
        following = PROVIDER.follow(wide, live(court.service, wide, court.now))
        made += [following] if following else []
    assert len(made) > 200
    found = {request.url: judge.request_faults("GET", request.url) for request in made}
    assert not {url: fault for url, fault in found.items() if fault}


def test_widening_asks_for_the_whole_list_and_for_what_that_may_not_answer() -> None:
    """Hundred to a page, all fields, no window; odd questions are kept beside; refusals and last pages lead nowhere."""
    wide = PROVIDER.widen(get("/users/7/tweets?start_time=2024-05-01T00:00:00Z&max_results=5&exclude=replies"), NOW)
    assert len(wide) == 1
    assert "max_results=100" in wide[0].url and "exclude=replies" in wide[0].url and "start_time" not in wide[0].url
    assert wide[0].headers == get("/users/7/tweets").headers
    assert PROVIDER.widen(wide[0], NOW) == (HttpRequest("GET", wide[0].url, headers=wide[0].headers),)
    for path in ("/users/7/tweets?expansions=attachments.media_keys", "/users/7?user.fields=parody", "/tweets/7?x=1"):
        assert PROVIDER.widen(get(path), NOW)[-1] == get(path) != PROVIDER.widen(get(path), NOW)[0]
    assert PROVIDER.widen(get("/tweets/counts/recent?query=a"), NOW) == (get("/tweets/counts/recent?query=a"),)
    assert "tweet.fields" in PROVIDER.widen(get("/tweets/7?tweet.fields=lang"), NOW)[0].url
    on = {"meta": {"next_token": "b"}}
    following = PROVIDER.follow(get("/users/7/tweets?pagination_token=a"), said("/", on).reply)
    assert following is not None and following.url.endswith("?pagination_token=b")
    for path, reply in (
        ("/users/7/tweets", said("/", on, status=400).reply), ("/tweets/search/recent?query=a", said("/", on).reply),
        ("/users/7/tweets", said("/", {"meta": {}}).reply), ("/users/7/tweets", said("/", b"<html>").reply),
        ("/users/7/tweets", said("/", {"meta": {"next_token": 5}}).reply), ("/users/7/tweets", said("/", []).reply),
    ):  # fmt: skip
        assert PROVIDER.follow(get(path), reply) is None


def test_the_world_knows_it() -> None:
    """Both hosts are spoken for, by this provider first, and it is a social source."""
    for host in ("https://api.x.com", "https://api.twitter.com", "https://API.x.com"):
        speakers = [one for one in providers_over({}) if one.match(HttpRequest("GET", f"{host}/2/users/7"))]
        assert [one.name for one in speakers] == ["x_api", "plain_http"] and speakers[0].authority == "social"
    assert not PROVIDER.match(HttpRequest("POST", "https://api.x.com/2/tweets"))
    assert not PROVIDER.match(HttpRequest("GET", "https://x.com/2/users/7"))
    assert not PROVIDER.match(HttpRequest("GET", "https://[bad"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["data", "meta", "includes", "users", "posts", "errors", "id", "text", "created_at",
                         "next_token", "edit_history_post_ids", "referenced_posts", "parameter", "resource_id"]),
        inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
PATHS = ("/users/7/tweets?post.fields=created_at", "/tweets?ids=7,8", "/users/by?usernames=a")
KEYS = st.dictionaries(st.sampled_from(["data", "meta", "includes", "errors"]), JSON)


@settings(deadline=None)
@given(KEYS | JSON, st.sampled_from(PATHS))
def test_any_recorded_body_is_an_answer_or_a_miss(body: Any, path: str) -> None:
    """Whatever a recording holds, narrowing ends in a reply or a miss."""
    for at in (NOW, NOW + 10**6):
        for asked in (path, f"{path}&expansions=author_id,referenced_posts", f"{path}&user.fields=verified"):
            try:
                assert narrow([said(path, body, at), said(f"{path}&x=1", body, at)], asked).status == 200
            except Miss:
                continue
