"""What a task can see of a world that is being recorded: what is asked, kept, and left out and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.search_api import SearchApiProvider
from caia_replay.providers.x_api import XApiProvider
from caia_replay.recording.live_search import posts_question, web_question
from caia_replay.recording.live_task import LiveTaskWorld
from caia_replay.recording.live_world import LiveWorld, NotKept
from tests.live_draft import NOW, Internet, client, draft, reader_page

CHAIN = "https://api.llama.fi/v2/historicalChainTvl/Ethereum"
DAY = NOW // 86_400 * 86_400
HISTORY = [{"date": DAY - 86_400 * days, "tvl": 100 + days} for days in range(9, -9, -1)]
PAGE = "https://docs.lantern.example/terms"


def world_over(
    tmp_path: Path, internet: Internet, asked: list[str], why_not: Callable[[Recorded], str] = lambda _: ""
) -> LiveTaskWorld:
    folder = draft(tmp_path)
    return LiveTaskWorld(LiveWorld(folder, {}, client(internet, asked), why_not), folder.task("t1"))


def test_what_is_missing_is_asked_for_once(tmp_path: Path) -> None:
    """The answer is narrowed out of the recording: nothing of after the task's moment is in it."""
    asked: list[str] = []
    world = world_over(tmp_path, lambda _: (200, HISTORY), asked)
    reply, served = world.answer(HttpRequest("GET", CHAIN))
    assert served == Served.DERIVED and str(DAY + 86_400).encode() not in reply.body and str(DAY).encode() in reply.body
    assert world.answer(HttpRequest("GET", CHAIN))[0].body == reply.body
    assert asked == [CHAIN] and world.used == {identity("GET", CHAIN)}


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [(401, {"error": "upgrade your plan"}, "upgrade your plan"), (402, {"error": "pay"}, "pay"), (403, {}, "403"),
     (200, {"message": "slow down"}, "asked, and not kept")],
)  # fmt: skip
def test_a_refusal_of_the_key_is_no_fact_of_the_world(tmp_path: Path, status: int, body: Any, words: str) -> None:
    """Nor a limit told with status 200 where a list was asked for: a miss in the vendor's words, left out and named."""
    world = world_over(tmp_path, lambda _: (status, body), [])
    with pytest.raises(Miss, match=words):
        world.answer(HttpRequest("GET", CHAIN))
    assert len(world.world.left_out) == 1 and len(world.world.recordings(None)) == 0
    assert status == 200 or [why for why in world.world.left_out.values() if str(status) in why]


def test_a_search_reads_the_pages_that_it_names(tmp_path: Path) -> None:
    """The list up to the moment, each page as it was then; what cannot be had is a miss, asked for once."""

    def internet(request: httpx2.Request) -> tuple[int, object]:
        url = str(request.url)
        if "serper" in url:
            assert b"cd_max:6/1/2025" in request.content
            links = [{"title": "t", "link": link, "snippet": "s"} for link in (PAGE, "https://gone.example/x")]
            return 200, {"searchParameters": {}, "organic": links}
        if "cdx" in url:
            return 200, []
        if url.endswith("/terms"):
            return 200, reader_page(PAGE, "The smallest stake is 4,200 tokens.", "2025-01-05T00:00:00Z")
        return (200, reader_page(url, "Undated.")) if "undated" in url else (404, {"code": 404})

    asked: list[str] = []
    world = world_over(tmp_path, internet, asked)
    found = world.search("smallest stake", 5)
    assert [one.page.url for one in found] == [PAGE]
    count = len(asked)
    assert world.search("smallest stake", 5)[0].page.text == found[0].page.text and len(asked) == count
    assert world.page(PAGE).text.startswith("The smallest") and len(asked) == count
    for _ in range(2):
        with pytest.raises(Miss):
            world.page("https://undated.example/")
    assert len([url for url in asked if "undated" in url and "r.jina.ai" in url]) == 1


def test_what_stumbled_for_one_is_kept_for_the_next(tmp_path: Path) -> None:
    """A 502 is no fact of the world, and bans nothing; the good answer after it is the recording."""
    replies: list[tuple[int, object]] = [(502, {}), (502, {}), (200, HISTORY)]
    world = world_over(tmp_path, lambda _: replies.pop(0), [])
    with pytest.raises(Miss, match="stumbled"):
        world.answer(HttpRequest("GET", CHAIN))
    replies[:] = [(200, HISTORY)]
    assert world.answer(HttpRequest("GET", CHAIN))[0].status == 200
    world.world.leave_out_unhelpful()
    assert world.world.left_out == {}


def test_what_helped_one_question_is_kept_though_it_did_not_help_another(tmp_path: Path) -> None:
    """What helped nobody is left out in the end, and named."""
    price = "https://api.coingecko.com/api/v3/simple/price?ids=lantern&vs_currencies=usd"
    world = world_over(tmp_path, lambda _: (200, {"lantern": {"usd": 5}} if "gecko" in str(_.url) else HISTORY), [])
    with pytest.raises(Miss):
        world.answer(HttpRequest("GET", price))
    world.answer(HttpRequest("GET", CHAIN))
    world.world.leave_out_unhelpful()
    assert all("nothing of it can be shown" in why for why in world.world.left_out.values())
    assert world.world.left_out and len(world.world.recordings(None)) == 1


def test_a_key_that_a_vendor_repeats_is_masked(tmp_path: Path) -> None:
    """In what is raised and in what is told."""
    folder = draft(tmp_path)
    internet = client(lambda _: (401, {"error": "invalid API key CG-Secret123"}))
    mask = lambda text: text.replace("CG-Secret123", "***")  # noqa: E731
    world = LiveTaskWorld(LiveWorld(folder, {}, internet, lambda _: "", mask), folder.task("t1"))
    with pytest.raises(Miss) as caught:
        world.answer(HttpRequest("GET", CHAIN))
    assert "CG-Secret123" not in f"{caught.value} {world.world.left_out}" and "***" in str(caught.value)


def test_posts_found_later_are_kept_for_the_index(tmp_path: Path) -> None:
    """They say when they were written: those of before are ranked, those of after are not shown."""
    posts = [
        {
            "id": str(number),
            "author_id": "7",
            "text": f"unlock {number}",
            "created_at": at,
            "conversation_id": str(number),
        }
        for number, at in (
            (1500000000000000001, "2025-05-01T00:00:00.000Z"),
            (1600000000000000001, "2026-05-01T00:00:00.000Z"),
        )
    ]
    reply = {
        "data": posts, "includes": {"users": [{"id": "7", "username": "alder", "name": "Alder"}]},
        "meta": {"result_count": 2, "newest_id": posts[1]["id"], "oldest_id": posts[0]["id"]},
    }  # fmt: skip
    asked: list[str] = []
    world = world_over(tmp_path, lambda _: (200, reply), asked)
    found = world.search_posts("unlock", 5)
    assert [one.post.text for one in found] == ["unlock 1500000000000000001"] and len(asked) == 1


URL = "https://api.llama.fi/v2/chains"
REQUEST = HttpRequest("GET", URL)


def live_over(tmp_path: Path, internet: Internet, why_not: Callable[[Recorded], str] = lambda _: "") -> LiveWorld:
    return LiveWorld(draft(tmp_path), {}, client(internet), why_not)


def test_etherscans_words_of_a_plan_are_a_refusal(tmp_path: Path) -> None:
    """With status 200, as it tells them; other NOTOKs are answers."""
    words = "Sorry, it looks like you are trying to access an API Pro endpoint."
    scan = HttpRequest("GET", "https://api.etherscan.io/v2/api?module=token&action=tokenholdercount")
    with pytest.raises(NotKept, match="API Pro"):
        live_over(tmp_path, lambda _: (200, {"status": "0", "message": "NOTOK", "result": words})).ask(scan)
    told = {"status": "0", "message": "NOTOK", "result": "Contract source code not verified"}
    assert live_over(tmp_path, lambda _: (200, told)).ask(scan).status == 200


def test_an_origin_that_is_away_ends_what_is_strict_alone(tmp_path: Path) -> None:
    """A player's call is a miss instead, named in what was left out; an address that is none is the caller's fault."""

    def away(request: object) -> tuple[int, object]:
        raise BadInput("api.llama.fi does not answer")

    world = live_over(tmp_path, away)
    with pytest.raises(BadInput):
        world.ask(REQUEST)
    world.is_strict = False
    with pytest.raises(Miss, match="asked in vain"):
        world.ask(REQUEST)
    assert list(world.left_out.values()) == ["api.llama.fi does not answer"]
    with pytest.raises(ToolError, match="no address that can be asked"):
        world.ask(HttpRequest("GET", f"https://a.example/{'x' * 70_000}"))


NOW = 1_748_800_000  # 2025-06-01T17:46:40Z


def test_nothing_is_searched_for_past_the_moment() -> None:
    """The window ends on the task's day, a narrower one is kept; words are alternatives, operators hold."""
    end = "cd_max:6/1/2025"
    assert strict_json(web_question("pump unlock", "", NOW).body)["tbs"] == f"cdr:1,{end}"
    assert strict_json(web_question("pump unlock", "qdr:w", NOW).body)["tbs"] == f"cdr:1,cd_min:5/25/2025,{end}"
    words = 'unlock from:alice $PUMP since:2025-01-01 "token sale" date'
    asked = parse_qs(urlsplit(posts_question(words, NOW).url).query)
    assert asked["query"] == ['from:alice $PUMP "token sale" (unlock OR date)']
    assert asked["end_time"] == ["2025-06-01T17:46:40Z"]
    thread = parse_qs(urlsplit(posts_question("conversation:123", NOW).url).query)
    assert thread["query"] == ["conversation_id:123"]


@given(st.text(max_size=700), st.text(max_size=20))
def test_any_query_is_a_request_that_its_provider_knows(query: str, tbs: str) -> None:
    """Law: whatever a model writes becomes one well-formed request of bounded length."""
    assert SearchApiProvider().match(web_question(query, tbs, NOW))
    request = posts_question(query, NOW)
    assert XApiProvider().match(request)
    asked = parse_qs(urlsplit(request.url).query, keep_blank_values=True)["query"][0]
    assert len(asked) <= 513 and asked.count("(") >= 0


def test_what_must_not_be_kept_is_not(tmp_path: Path) -> None:
    """The reason is the caller's, who still gets the reply; what is kept is there at once, until it is left out."""
    world = live_over(tmp_path / "a", lambda _: (200, []), lambda exchange: "it leaks")
    with pytest.raises(NotKept, match="it leaks") as caught:
        world.ask(REQUEST)
    assert caught.value.reply.status == 200 and list(world.left_out.values()) == ["it leaks"]
    world = live_over(tmp_path / "b", lambda _: (200, []))
    world.ask(REQUEST)
    assert world.recordings(None).holds(identity("GET", URL))
    world.leave_out(REQUEST, "no use")
    assert not world.recordings(None).holds(identity("GET", URL)) and list(world.left_out.values()) == ["no use"]
