"""A frozen world as its tasks see it: recordings, their moments and waits, seals, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss, SealBroken, ToolError
from caia_replay.providers.reader.provider import ReaderProvider, page_request
from caia_replay.providers.search_api.provider import SearchApiProvider, result_links, search_request
from caia_replay.store.world_folder import open_world, save_world, seal_world
from caia_replay.world.clock import Clock, utc_text
from caia_replay.world.coverage_key import Families, family_of
from caia_replay.world.every_provider import providers_over
from caia_replay.world.world import NO_OVERLAY, FrozenWorld

PROVIDERS = (ReaderProvider(), SearchApiProvider())


@pytest.fixture(scope="module")
def world(shipped: Path) -> FrozenWorld:
    """The shipped world; nothing here starts a fork."""
    return FrozenWorld(open_world(str(shipped)))


class Copied:
    """A copy of the shipped world that is free to be changed, and its first task."""

    def __init__(self, root: Path) -> None:
        self.path = root / "cassettes" / "mini-6"
        self.folder = open_world(str(self.path))
        self.task = self.folder.task(self.folder.suite.active()[0])
        self.now = self.task.anchor.timestamp

    def sealed(self, file: str = "", made: list[Interaction] | str = "") -> FrozenWorld:
        """The world opened again, with this file in it."""
        if isinstance(made, str) and file:
            (self.path / file).write_text(made, encoding="utf-8")
        elif file:
            write_cassette(self.path / file, made)
        seal_world(self.path)
        return FrozenWorld(open_world(str(self.path)))


@pytest.fixture
def copied(mini: Path) -> Copied:
    """The shipped world's copy."""
    return Copied(mini)


def said(url: str, content: Any, at: int | None = None, status: int = 200, **headers: str) -> Interaction:
    """What an API said, and when."""
    told = {name.replace("_", "-"): (value,) for name, value in headers.items()}
    told |= {} if at is None else {"date": (formatdate(at, usegmt=True),)}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Interaction("GET", url, b"", {}, status, "", told, body)


def test_the_corpus_is_exactly_what_the_reader_recorded(world: FrozenWorld) -> None:
    """Every page is fetched to the same text, addresses are unique and sorted; recorded lists lead to pages alone."""
    urls = [page.url for page in world.corpus]
    assert urls == sorted(set(urls))
    task = max((world.folder.task(name) for name in world.folder.suite.active()), key=lambda task: task.anchor.block)
    view = world.task(task)
    for page in view.pages():
        assert view.page(page.url) == page
    for name in world.folder.suite.active():
        asked = world.recordings(name).requests()
        lists = [reply for request, reply in asked if request.url.startswith("https://google")]
        assert lists and all(link in urls for reply in lists for link in result_links(reply))


def test_a_request_nobody_recorded_is_a_miss(world: FrozenWorld) -> None:
    """Unknown pages, queries and hosts, with the nearest recording, across schemes too; two runs share no cursor."""
    task = world.folder.task(world.folder.suite.active()[0])
    view, second = world.task(task), world.task(task)
    with pytest.raises(Miss) as caught:
        view.page(world.corpus[0].url + "-not")
    assert caught.value.detail.nearest
    for request in (search_request("never asked", 3), page_request("https://nowhere.example/")):
        with pytest.raises(Miss):
            view.fetch(request)
    with pytest.raises(Miss, match="not recorded"):
        view.fetch(HttpRequest("GET", "https://api.example/"))
    page = world.corpus[-1]
    assert world.web.near(page.url.replace("https://", "http://")) == page.url
    request = page_request(view.pages()[0].url)
    assert [view.fetch(request) for _ in range(3)] == [second.fetch(request) for _ in range(3)]


def test_what_cannot_be_is_refused(world: FrozenWorld) -> None:
    """An overlay that replaces a page, a height past the anchor or that cannot be pinned, an unknown chain."""
    page = replace(world.corpus[0], altered_by="seo-page")
    with pytest.raises(BadInput, match="recorded page"):
        world.web.index(Overlay("x", (PlantedPage("seo-page", "t", "1", page),), "sha256:x"))
    other = replace(page, url="https://planted.example/")
    planted = Overlay("x", (PlantedPage("seo-page", "t", "1", other),), NO_OVERLAY.digest)
    assert (
        len(world.web.index(planted)) == len(world.web.index(NO_OVERLAY)) + 1
    )  # not by the digest that somebody gave it
    task = world.folder.task("mini6-supply")
    with pytest.raises(ToolError, match="does not exist at this moment"):
        world.task(task).fork(task.anchor.block + 1)
    with pytest.raises(BadInput, match="'minl'"):
        world.task(replace(task, anchor=replace(task.anchor, chain="minl")))
    with pytest.raises(BadInput, match=r"block 61 of chain mini is not recorded.*blocks 0 to 60.*record --task"):
        world.task(replace(task, anchor=replace(task.anchor, block=61)))


def test_an_answer_that_says_later_is_asked_again_and_the_wait_is_counted(copied: Copied) -> None:
    """Recorded refusals are passed over without sleeping; what stays refused is told; each run waits for itself."""
    plain, task = FrozenWorld(copied.folder), copied.task
    page = plain.task(task).pages()[0]
    url = page_request(page.url).url
    reply = next(reply for request, reply in plain.recordings(None).requests() if request.url == url)
    dates = {"date": "Fri, 11 Apr 2025 07:26:11 GMT", "retry_after": "Fri, 11 Apr 2025 07:27:11 GMT"}
    busy = [said(url, b"", None, 429, retry_after="30"), said(url, b"", None, 503), said(url, b"", None, 429, **dates)]
    for last, told, waited in (
        (said(url, reply.body), page.text, 92), (said(url, b"", None, 429), "answered 429", 100),
    ):  # fmt: skip
        with copied.sealed(f"tasks/{task.id}/http.json", [*busy, last]) as world:
            for view in (world.task(task), world.task(task)):
                try:
                    assert view.page(page.url).text == told
                except ToolError as fault:
                    assert told in str(fault)
                assert (view.clock.waited_s, view.clock.now) == (waited, copied.now)


def test_opening_checks_every_seal(mini: Path) -> None:
    """A changed table or cassette is refused, though the world's own files are whole or an index lies ready."""
    folder = mini / "cassettes" / "mini-6"
    FrozenWorld(open_world(str(folder)))
    path = next(iter((folder / "http").glob("*.json")))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"200", b"201", 1))
    with pytest.raises(SealBroken, match=path.name):
        open_world(str(folder))
    path.write_bytes(whole)
    path = sorted((mini / "chain_snapshots").glob("*/*.parquet"))[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(SealBroken, match=path.name):
            FrozenWorld(open_world(str(folder)))
        seal_world(folder)


def test_a_search_where_no_page_was_recorded_is_a_miss(copied: Copied) -> None:
    """Without a corpus no result is not a fact about the web, and never an empty list."""
    for path in (*copied.path.rglob("http*.json"), *(copied.path / "http").glob("*.json")):
        path.unlink()
    with pytest.raises(Miss, match="search results"):
        copied.sealed().task(copied.task).search("treasury", 3)


def test_a_world_opened_by_its_index_is_the_world_parsed(mini: Path) -> None:
    """First built, then opened: every task sees the same requests and replies; nothing is written into the world."""
    folder = open_world(str(mini / "cassettes" / "mini-6"))
    seen = []
    for _ in range(2):
        world = FrozenWorld(folder)
        tasks = (None, *folder.suite.active())
        seen.append([[*world.recordings(task).requests()] for task in tasks])
        for task, walked in zip(tasks, seen[-1]):
            assert walked == [*Recordings([Cassette.open(path) for path in folder.cassettes(task)]).requests()]
    assert seen[0] == seen[1] and all(seen[0])
    assert [path.suffix for path in (mini / ".cache" / "http").iterdir()] == [".arrow"]
    open_world(str(mini / "cassettes" / "mini-6"))


def test_a_worlds_playback_file_is_followed(copied: Copied) -> None:
    """Played once a question misses the second time, in each run anew, though its family is recorded; it is sealed."""
    task, file = copied.task, "http/playback.toml"
    asked = [request for request, _ in FrozenWorld(copied.folder).recordings(task.id).requests()]
    own = next(request for request in asked if SearchApiProvider().match(request))
    (copied.path / file).write_text(f'[[entry]]\nurl = "{asked[0].url}"\nmode = "once"\n')
    with pytest.raises(SealBroken, match=r"playback\.toml"):
        open_world(str(copied.path))
    world = copied.sealed()
    for _ in range(2):
        recordings, cursor = world.recordings(task.id), Cursor()
        recordings.play(asked[0].method, asked[0].url, asked[0].body, cursor)
        with pytest.raises(Miss, match="all 1 answers played"):
            recordings.play(asked[0].method, asked[0].url, asked[0].body, cursor)
    entry = f'[[entry]]\nurl = "{own.url}"\nmethod = "POST"\nmode = "once"\nbody = \'{own.body.decode()}\'\n'
    view = copied.sealed(file, entry).task(task)
    assert view.answer(own)[1] is Served.HIT
    with pytest.raises(Miss, match="played"):
        view.answer(own)


def test_a_shorter_list_is_derived_and_the_recorded_one_is_a_hit(world: FrozenWorld) -> None:
    """Both are answered; the class says which was recorded, and a longer list stays a miss."""
    task = world.folder.task(world.folder.suite.active()[0])
    own = next(request for request, _ in world.recordings(task.id).requests() if SearchApiProvider().match(request))
    query, view = json.loads(own.body)["q"], world.task(task)
    assert view.answer(own)[1] is Served.HIT
    reply, served = view.answer(search_request(query, 2))
    assert served is Served.DERIVED and len(result_links(reply)) == 2
    with pytest.raises(Miss):
        view.answer(search_request(query, 101))


def test_what_is_the_case_now_is_answered_by_the_recording_of_now(copied: Copied) -> None:
    """However often it is asked, by the first of two; another spelling of a path tells no more than its plain form."""
    url, query = "https://api.binance.com/api/v3/ticker/price", "symbol=AB&interval=1m&limit=1"
    first = copied.now // 60 * 60_000 + 600_000
    row = [first, *["1.00000000"] * 5, first + 59_999, "1.0", 1, "1.0", "1.0", "0"]
    made = [said(url, [{"price": str(late), "symbol": "AB"}], copied.now + late) for late in (0, 86_400)]
    klines = said(f"https://api.binance.com/api/v3/klines?{query}", [row], copied.now + 800)
    with copied.sealed("http/binance.json", [*made, klines]) as world:
        view = world.task(copied.task)
        told = [view.answer(HttpRequest("GET", url)) for _ in range(3)]
        wanted = [([{"price": "0", "symbol": "AB"}], Served.HIT)] * 3
        assert [(json.loads(reply.body), served) for reply, served in told] == wanted
        with pytest.raises(BadInput):
            view.answer(HttpRequest("GET", "https://[half"))
        for spelling in ("/api/v3/klines", "/api/v3/%6Blines", "/api/v3/x/../klines", "/api/./v3/klines"):
            with pytest.raises(Miss):
                world.task(copied.task).answer(HttpRequest("GET", f"https://api.binance.com{spelling}?{query}"))


@pytest.mark.parametrize("provenance", ["live", "synthetic", "imported"])
def test_a_list_of_later_tells_names_but_in_an_imported_world(copied: Copied, provenance: Any) -> None:
    """Of two of later the first answers, as DERIVED; a list of the moment is a HIT, a price of later a miss."""
    now, page = copied.now, "https://api.llama.fi/protocols"
    rows = [{"id": "1", "slug": "vela", "name": "Vela", "tvl": 7.5, "listedAt": now},
            {"id": "2", "slug": "late", "name": "Late", "tvl": 9.5, "listedAt": now + 5}]  # fmt: skip
    price = "https://api.coingecko.com/api/v3/simple/price?ids=a&vs_currencies=usd"
    more = [said("https://api.llama.fi/v2/chains", [{"name": "Main", "tvl": 1}], now),
            said(price, {"a": {"usd": 1}}, now + 9_000),
            said(page, [rows[0] | {"name": "Vela Two"}], now + 200_000), said(page, rows, now + 100_000)]  # fmt: skip
    save_world(copied.path, replace(copied.folder.info, provenance=provenance), copied.folder.suite)
    with copied.sealed(f"tasks/{copied.task.id}/http.json", more) as world:
        view = world.task(copied.task)
        assert view.answer(HttpRequest("GET", more[0].uri))[1] is Served.HIT
        with pytest.raises(Miss):
            view.answer(HttpRequest("GET", price))
        if provenance == "imported":
            with pytest.raises(Miss, match="changes with time"):
                view.answer(HttpRequest("GET", page))
            return
        for _ in range(2):
            reply, served = view.answer(HttpRequest("GET", page))
            assert served is Served.DERIVED and reply.headers["date"] == formatdate(now, usegmt=True)
            assert json.loads(reply.body) == [{"id": "1", "listedAt": now, "name": "Vela", "slug": "vela"}]


def test_a_clock_stands_at_its_anchor() -> None:
    """A wait is counted and moves nothing, later things have not happened, undated ones neither; UTC everywhere."""
    clock = Clock(Anchor("c", 1, 1743552000))
    clock.wait(2)
    clock.wait(-1)
    assert (clock.now, clock.waited_s) == (1743552000, 2)
    clock = Clock(Anchor("c", 1, 100))
    assert [clock.has_happened(moment) for moment in (None, 99, 100, 101)] == [False, True, True, False]
    assert utc_text(1743552000) == "2025-04-02T00:00:00Z"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.coingecko.com/api/v3/coins/list", "coingecko"), ("https://api.llama.fi/protocols", "defillama"),
        ("https://api.binance.com/api/v3/klines?symbol=AB&interval=1d", "binance-spot"),
        ("https://fapi.binance.com/fapi/v1/fundingRate?symbol=AB", "binance-futures"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=contract&action=getabi&address=0x1", "etherscan"),
        ("https://api.github.com/repos/a/b", "plain-http"), ("https://api.x.com/2/users/7", "x-api"),
        ("https://api.unknown.example/v1/prices", "plain-http"), ("ftp://api.unknown.example/v1", None),
    ],
)  # fmt: skip
def test_each_api_has_one_provider(url: str, name: str | None) -> None:
    """No request has two vendors, so their order decides nothing; plain HTTP comes last and takes what is left."""
    speakers = [provider.name for provider in providers_over({}) if provider.match(HttpRequest("GET", url))]
    wanted = [] if name is None else list(dict.fromkeys([name, "plain-http"]))
    assert [found.replace("_", "-") for found in speakers] == wanted


def test_questions_that_differ_only_in_length_are_of_one_family() -> None:
    """Ten and a hundred results of one query; another query, a page, a stranger and what is no question do not."""
    asked = [search_request(*one) for one in (("q", 10), ("q", 100), ("p", 10))]
    ten, hundred, other, page = (
        identity(one.method, one.url, one.body) for one in (*asked, page_request("https://a.example/x"))
    )
    stranger = identity("GET", "https://b.example/")
    families = Families(sorted([hundred, other, page, stranger]), PROVIDERS)
    assert list(families.of(ten, PROVIDERS)) == [hundred]
    assert list(families.of(page, PROVIDERS)) == [page]
    assert list(families.of(stranger, PROVIDERS)) == [] and family_of(stranger, PROVIDERS) is None
    broken = identity("POST", "https://google.serper.dev/search", b"not json")
    assert family_of(broken, PROVIDERS) is None
    assert list(Families([broken], PROVIDERS).of(broken, PROVIDERS)) == []
