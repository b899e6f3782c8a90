"""What a task can see of a world that is being recorded: what is asked, kept, and left out and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes, strict_json
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import MemoryStore, Recordings
from caia_replay.core.provider import HttpRequest, Recorded
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.providers.search_api.provider import SearchApiProvider
from caia_replay.providers.x.provider import XApiProvider
from caia_replay.recording.live_index import LiveExchanges, LiveFamilies, LiveStore, LiveWebIndex
from caia_replay.recording.live_task import LiveTaskWorld
from caia_replay.recording.live_world import LiveWorld, NotKept
from caia_replay.recording.page_source import posts_question, web_question
from caia_replay.world.coverage_key import Families
from caia_replay.world.every_provider import providers_over
from caia_replay.world.web import Web
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
    """An answer is narrowed to the task's moment, a search ends on its day; words are alternatives, operators hold."""
    asked: list[str] = []
    world = world_over(tmp_path, lambda _: (200, HISTORY), asked)
    reply, served = world.answer(HttpRequest("GET", CHAIN))
    assert served == Served.DERIVED and str(DAY + 86_400).encode() not in reply.body and str(DAY).encode() in reply.body
    assert world.answer(HttpRequest("GET", CHAIN))[0].body == reply.body
    assert asked == [CHAIN] and world.used == {identity("GET", CHAIN)}
    end = "cd_max:6/1/2025"
    assert strict_json(web_question("pump unlock", "", NOW).body)["tbs"] == f"cdr:1,{end}"
    assert strict_json(web_question("pump unlock", "qdr:w", NOW).body)["tbs"] == f"cdr:1,cd_min:5/25/2025,{end}"
    words = 'unlock from:alice $PUMP since:2025-01-01 "token sale" date'
    asked = parse_qs(urlsplit(posts_question(words, NOW).url).query)
    assert asked["query"] == ['from:alice $PUMP "token sale" (unlock OR date)']
    assert asked["end_time"] == ["2025-06-01T17:46:40Z"]


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
    """A 502 is no fact and bans nothing; who is away ends what is strict alone, a player's call is a miss."""
    replies: list[tuple[int, object]] = [(502, {}), (502, {}), (200, HISTORY)]
    world = world_over(tmp_path, lambda _: replies.pop(0), [])
    with pytest.raises(Miss, match="stumbled"):
        world.answer(HttpRequest("GET", CHAIN))
    replies[:] = [(200, HISTORY)]
    assert world.answer(HttpRequest("GET", CHAIN))[0].status == 200
    world.world.leave_out_unhelpful()
    assert world.world.left_out == {}

    def away(request: object) -> tuple[int, object]:
        raise BadInput("api.llama.fi does not answer")

    world = live_over(tmp_path, away)
    with pytest.raises(BadInput):
        world.ask(REQUEST)
    with pytest.raises(Miss, match="asked in vain"):
        world.ask(REQUEST, is_strict=False)
    assert list(world.left_out.values()) == ["api.llama.fi does not answer"]
    with pytest.raises(ToolError, match="no address that can be asked"):
        world.ask(HttpRequest("GET", f"https://a.example/{'x' * 70_000}"))


def test_a_key_that_a_vendor_repeats_is_masked(tmp_path: Path) -> None:
    """In what is raised and told; a plan's words with status 200 are a refusal, other NOTOKs are answers."""
    folder = draft(tmp_path)
    internet = client(lambda _: (401, {"error": "invalid API key CG-Secret123"}))
    mask = lambda text: text.replace("CG-Secret123", "***")  # noqa: E731
    world = LiveTaskWorld(LiveWorld(folder, {}, internet, lambda _: "", mask), folder.task("t1"))
    with pytest.raises(Miss) as caught:
        world.answer(HttpRequest("GET", CHAIN))
    assert "CG-Secret123" not in f"{caught.value} {world.world.left_out}" and "***" in str(caught.value)
    words = "Sorry, it looks like you are trying to access an API Pro endpoint."
    scan = HttpRequest("GET", "https://api.etherscan.io/v2/api?module=token&action=tokenholdercount")
    with pytest.raises(NotKept, match="API Pro"):
        live_over(tmp_path, lambda _: (200, {"status": "0", "message": "NOTOK", "result": words})).ask(scan)
    told = {"status": "0", "message": "NOTOK", "result": "Contract source code not verified"}
    assert live_over(tmp_path, lambda _: (200, told)).ask(scan).status == 200


URL = "https://api.llama.fi/v2/chains"
REQUEST = HttpRequest("GET", URL)


def live_over(tmp_path: Path, internet: Internet, why_not: Callable[[Recorded], str] = lambda _: "") -> LiveWorld:
    return LiveWorld(draft(tmp_path), {}, client(internet), why_not)


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


PROVIDERS = providers_over({})
PAGES = [f"https://docs.lantern.example/{name}" for name in ("a", "b")]
CAPTURE = f"https://web.archive.org/web/20250105000000id_/{PAGES[0]}"
SEARCH = "https://google.serper.dev/search"
POSTS = "https://api.x.com/2/tweets/search/all?query=lantern&max_results=100"
CHAINS = [f"https://api.llama.fi/v2/historicalChainTvl/{name}" for name in ("Ethereum", "Base")]


def exchange(url: str, day: int, said: object, body: bytes = b"") -> Interaction:
    headers = {"content-type": ("application/json",), "date": (f"Mon, {day:02} Jun 2026 10:00:00 GMT",)}
    return Interaction("POST" if body else "GET", url, body, {}, 200, "OK", headers, canonical_bytes(said))


def every(day: int) -> list[Interaction]:
    """One exchange of each kind, as it could be made on a day."""
    links = [{"title": "t", "link": url, "snippet": "s"} for url in PAGES]
    post = {"id": "71", "text": f"said on {day}", "created_at": "2025-05-01T00:00:00.000Z", "author_id": "5"}
    return [
        *(exchange(f"https://r.jina.ai/{url}", day, reader_page(url, f"Read on {day}.")) for url in PAGES),
        exchange(f"https://r.jina.ai/{CAPTURE}", day, reader_page(CAPTURE, f"Kept, and read on {day}.")),
        exchange(SEARCH, day, {"organic": links}, b'{"q":"a"}'),
        exchange(POSTS, day, {"data": [post], "includes": {"users": [{"id": "5", "username": "u", "name": "n"}]}}),
        *(exchange(url, day, [{"date": day, "tvl": 1}]) for url in CHAINS),
    ]  # fmt: skip


KINDS = len(every(1))
STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, KINDS - 1), st.integers(1, 28)), max_size=12)


@example(before=set(), steps=[(True, 0, 3), (False, 0, 3)], looks=True)
@example(before={0}, steps=[(True, 3, 3), (True, 0, 4), (False, 3, 1)], looks=True)
@example(before=set(), steps=[(True, 4, 3), (False, 4, 3)], looks=True)
@given(before=st.sets(st.integers(0, KINDS - 1)), steps=STEPS, looks=st.booleans())
def test_what_is_kept_up_with_is_what_a_new_look_finds(before: set[int], steps: list[tuple[bool, int, int]],
                                                       looks: bool) -> None:  # fmt: skip
    """The questions and their answers, the families, the pages and posts, and since when a page is there."""
    rest = Recordings([Cassette("before", "", tuple(every(15)[at] for at in sorted(before)))])
    made, kept = LiveExchanges(), list[Interaction]()
    store = LiveStore(made, rest.store)
    families, web = LiveFamilies(made, store, PROVIDERS), LiveWebIndex(made, store, Path("nowhere/at/all"))
    for adds, at, day in steps:
        item = every(day)[at]
        key = identity(item.method, item.uri, item.request_body)
        if adds:
            made.add(item)
            kept.append(item)
        else:
            made.drop(key)
            kept = [one for one in kept if identity(one.method, one.uri, one.request_body) != key]
        if looks:  # on the way, so that something is kept that may be outlived
            assert web.first_seen(PAGES[0]) == web.corpus.first_seen.get(PAGES[0])
            assert web.post("71") == next(iter(web.corpus.posts), None)
    anew = Recordings.over(MemoryStore([Cassette("made", "", tuple(kept))], rest.store), ("made", *rest.names))
    assert list(store.questions()) == list(anew.questions())
    assert list(Recordings.over(store, ("x",)).requests()) == list(anew.requests())
    whole, looked = Families(anew.questions(), PROVIDERS), Web(lambda: anew, Path("nowhere/at/all"))
    for item in every(1):
        key = identity(item.method, item.uri, item.request_body)
        assert list(families.of(key, PROVIDERS)) == list(whole.of(key, PROVIDERS))
    assert web.corpus == looked.corpus
    for url in (*PAGES, CAPTURE, "https://docs.lantern.example/c"):
        assert (web.first_seen(url), web.near(url)) == (looked.first_seen(url), looked.near(url))
    assert web.post("71") == looked.post("71")
