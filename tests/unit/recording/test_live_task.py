"""What one task can see of a world that is being recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from caia_replay.cassette.identity import identity
from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss
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


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refusal_of_the_key_is_no_fact_of_the_world(tmp_path: Path, status: int) -> None:
    """It is a miss in the vendor's words, left out and named."""
    world = world_over(tmp_path, lambda _: (status, {"error": "upgrade your plan"}), [])
    with pytest.raises(Miss, match="upgrade your plan"):
        world.answer(HttpRequest("GET", CHAIN))
    assert [why for why in world.world.left_out.values() if str(status) in why]
    assert len(world.world.recordings(None)) == 0


def test_a_reply_that_does_not_answer_its_question_is_left_out(tmp_path: Path) -> None:
    """Such as a limit told with status 200, where a list was asked for."""
    world = world_over(tmp_path, lambda _: (200, {"message": "slow down"}), [])
    with pytest.raises(Miss, match="asked, and not kept"):
        world.answer(HttpRequest("GET", CHAIN))
    assert len(world.world.recordings(None)) == 0 and len(world.world.left_out) == 1


def test_what_must_not_be_kept_is_not(tmp_path: Path) -> None:
    """The reason is the caller's; the reply is still known to who asked."""
    world = world_over(tmp_path, lambda _: (200, HISTORY), [], lambda exchange: "it leaks")
    with pytest.raises(NotKept, match="it leaks") as caught:
        world.world.ask(HttpRequest("GET", CHAIN))
    assert caught.value.reply.status == 200 and list(world.world.left_out.values()) == ["it leaks"]


def test_an_origin_that_is_away_is_the_callers_matter(tmp_path: Path) -> None:
    """It is no miss: what nobody answered was not found missing."""

    def away(request: httpx2.Request) -> tuple[int, object]:
        raise BadInput("api.llama.fi does not answer")

    with pytest.raises(BadInput, match="does not answer"):
        world_over(tmp_path, away, []).answer(HttpRequest("GET", CHAIN))


def test_a_search_reads_the_pages_that_it_names(tmp_path: Path) -> None:
    """The list up to the moment, each page as it was then; the index ranks what could be had."""

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
        return 404, {"code": 404}

    asked: list[str] = []
    world = world_over(tmp_path, internet, asked)
    found = world.search("smallest stake", 5)
    assert [one.page.url for one in found] == [PAGE]
    count = len(asked)
    assert world.search("smallest stake", 5)[0].page.text == found[0].page.text and len(asked) == count
    assert world.page(PAGE).text.startswith("The smallest") and len(asked) == count


def test_a_page_that_cannot_be_had_is_asked_for_once(tmp_path: Path) -> None:
    """No capture, and a page of today without a date: a miss, and the second time without asking."""
    asked: list[str] = []

    def internet(request: httpx2.Request) -> tuple[int, object]:
        return (200, []) if "cdx" in str(request.url) else (200, reader_page(PAGE, "Undated."))

    world = world_over(tmp_path, internet, asked)
    for _ in range(2):
        with pytest.raises(Miss):
            world.page(PAGE)
    assert len([url for url in asked if "r.jina.ai" in url]) == 1


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
