import json
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.cassette.cassette import Cassette, Interaction, write_cassette
from caia_replay.cassette.recordings import Cursor, Recordings
from caia_replay.core.overlay import Overlay, PlantedPage
from caia_replay.core.provider import HttpRequest
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput, Miss, SealBroken, ToolError
from caia_replay.providers.reader import page_request
from caia_replay.providers.search_api import SearchApiProvider, result_links, search_request
from caia_replay.store.world_folder import open_world, save_world, seal_world
from caia_replay.world.world import NO_OVERLAY, FrozenWorld


@pytest.fixture(scope="module")
def world(shipped: Path) -> FrozenWorld:
    """The shipped world; nothing here starts a fork."""
    return FrozenWorld(open_world(str(shipped)))


def test_the_corpus_is_exactly_what_the_reader_recorded(world: FrozenWorld) -> None:
    """Every page of the corpus is fetched to the same text; addresses are unique and sorted."""
    urls = [page.url for page in world.corpus]
    assert urls == sorted(set(urls))
    task = max((world.folder.task(name) for name in world.folder.suite.active()), key=lambda task: task.anchor.block)
    view = world.task(task)
    for page in view.pages():
        assert view.page(page.url) == page


def test_the_search_api_recordings_name_recorded_pages(world: FrozenWorld) -> None:
    """A result list recorded for a task's query leads only to pages of the corpus."""
    recorded = {page.url for page in world.corpus}
    for name in world.folder.suite.active():
        task = world.folder.task(name)
        lists = [
            reply for request, reply in world.recordings(name).requests() if request.url.startswith("https://google")
        ]
        assert lists, task.id
        assert all(link in recorded for reply in lists for link in result_links(reply))


def test_a_request_nobody_recorded_is_a_miss(world: FrozenWorld) -> None:
    """Unknown pages, unknown queries and unknown hosts are misses with the nearest recording."""
    view = world.task(world.folder.task(world.folder.suite.active()[0]))
    with pytest.raises(Miss) as caught:
        view.page(world.corpus[0].url + "-not")
    assert caught.value.detail.nearest
    for request in (search_request("never asked", 3), page_request("https://nowhere.example/")):
        with pytest.raises(Miss):
            view.fetch(request)
    with pytest.raises(Miss, match="not recorded"):
        view.fetch(HttpRequest("GET", "https://api.example/"))


def test_a_campaign_that_plants_a_recorded_page_is_refused(world: FrozenWorld) -> None:
    """An attack adds pages; it never replaces one the world has."""
    page = replace(world.corpus[0], altered_by="seo-page")
    overlay = Overlay("x", (PlantedPage("seo-page", "t", "1", page),), "sha256:x")
    with pytest.raises(BadInput, match="recorded page"):
        world.index(overlay)


def test_runs_do_not_share_cursors(world: FrozenWorld) -> None:
    """Two runs of a task play the same recordings from the start, each for itself."""
    task = world.folder.task(world.folder.suite.active()[0])
    first, second = world.task(task), world.task(task)
    request = page_request(first.pages()[0].url)
    assert [first.fetch(request) for _ in range(3)] == [second.fetch(request) for _ in range(3)]


def test_an_answer_that_says_later_is_asked_again_and_the_wait_is_counted(mini: Path) -> None:
    """Recorded refusals are passed over without sleeping; what stays refused is told; each run waits for itself."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = folder.task(folder.suite.active()[0])
    page = FrozenWorld(folder).task(task).pages()[0]
    asked = page_request(page.url)
    reply = next(
        reply for request, reply in FrozenWorld(folder).recordings(None).requests() if request.url == asked.url
    )

    def answered(status: int, headers: dict[str, tuple[str, ...]], body: bytes = b"later") -> Interaction:
        return Interaction("GET", asked.url, b"", {}, status, "", headers, body)

    busy = [
        answered(429, {"retry-after": ("30",)}),
        answered(503, {}),
        answered(429, {"date": ("Fri, 11 Apr 2025 07:26:11 GMT",), "retry-after": ("Fri, 11 Apr 2025 07:27:11 GMT",)}),
    ]
    own = path / "tasks" / task.id / "http.json"
    for last, told, waited in (
        (answered(200, {}, reply.body), page.text, 92),
        (answered(429, {}), "answered 429", 100),
    ):
        write_cassette(own, [*busy, last])
        seal_world(path)
        with FrozenWorld(open_world(str(path))) as world:
            for view in (world.task(task), world.task(task)):
                try:
                    assert view.page(page.url).text == told
                except ToolError as fault:
                    assert told in str(fault)
                assert (view.clock.waited_s, view.clock.now) == (waited, task.anchor.timestamp)


def test_a_height_past_the_anchor_is_refused_before_any_fork(world: FrozenWorld) -> None:
    """The future is a ToolError, without starting a node."""
    view = world.task(world.folder.task(world.folder.suite.active()[0]))
    with pytest.raises(ToolError, match="does not exist at this moment"):
        view.fork(view.anchor.block + 1)


def test_a_task_on_an_unknown_chain_is_refused(world: FrozenWorld) -> None:
    """An anchor on a chain the world has no snapshot of names the chain."""
    task = world.folder.task(world.folder.suite.active()[0])
    with pytest.raises(BadInput, match="'minl'"):
        world.task(replace(task, anchor=replace(task.anchor, chain="minl")))


def test_opening_checks_the_snapshot_too(mini: Path) -> None:
    """A changed table file is refused when the world opens, although the world's own files are whole."""
    path = sorted((mini / "chain_snapshots").glob("*/*.parquet"))[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    world = mini / "cassettes" / "mini-6"
    with pytest.raises(SealBroken, match=path.name):
        FrozenWorld(open_world(str(world)))
    seal_world(world)
    with pytest.raises(SealBroken, match=path.name):
        FrozenWorld(open_world(str(world)))


def test_two_campaigns_of_one_digest_are_two_worlds(world: FrozenWorld) -> None:
    """What is ranked follows from an overlay's pages, not from the digest that somebody gave it."""
    page = replace(world.corpus[0], url="https://planted.example/", altered_by="seo-page")
    planted = Overlay("x", (PlantedPage("seo-page", "t", "1", page),), NO_OVERLAY.digest)
    assert len(world.index(planted)) == len(world.index(NO_OVERLAY)) + 1


def test_the_nearest_page_is_found_across_schemes(world: FrozenWorld) -> None:
    """A miss under http names the recorded https page."""
    page = world.corpus[-1]
    assert world.web.near(page.url.replace("https://", "http://")) == page.url


def test_a_search_where_no_page_was_recorded_is_a_miss(mini: Path) -> None:
    """Without a corpus no result is not a fact about the web, and never an empty list."""
    folder = mini / "cassettes" / "mini-6"
    for path in folder.rglob("http*.json"):
        path.unlink()
    for path in (folder / "http").glob("*.json"):
        path.unlink()
    seal_world(folder)
    bare = FrozenWorld(open_world(str(folder)))
    with pytest.raises(Miss, match="search results"):
        bare.task(bare.folder.task(bare.folder.suite.active()[0])).search("treasury", 3)


def test_a_task_at_a_height_that_cannot_be_pinned_is_refused(world: FrozenWorld) -> None:
    """With the heights there are and the command that records it; not a miss at every call."""
    task = world.folder.task("mini6-supply")
    with pytest.raises(BadInput, match=r"block 61 of chain mini is not recorded.*blocks 0 to 60.*record --task"):
        world.task(replace(task, anchor=replace(task.anchor, block=61)))


def test_a_world_opened_by_its_index_is_the_world_parsed(mini: Path) -> None:
    """First built, then opened: every task sees the same requests and replies; nothing is written into the world."""
    folder = open_world(str(mini / "cassettes" / "mini-6"))
    seen = []
    for _ in range(2):
        world = FrozenWorld(folder)
        tasks = (None, *folder.suite.active())
        seen.append([[*world.recordings(task).requests()] for task in tasks])
        for task, walked in zip(tasks, seen[-1]):
            own = [Cassette.open(path) for path in folder.cassettes(task)]
            assert walked == [*Recordings(own).requests()]
    assert seen[0] == seen[1] and all(seen[0])
    assert [path.suffix for path in (mini / ".cache" / "http").iterdir()] == [".arrow"]
    open_world(str(mini / "cassettes" / "mini-6"))


def test_an_index_does_not_stand_in_for_the_seal(mini: Path) -> None:
    """A cassette edited by hand is refused although an index of its old bytes lies ready."""
    folder = mini / "cassettes" / "mini-6"
    FrozenWorld(open_world(str(folder)))
    path = next(iter((folder / "http").glob("*.json")))
    path.write_bytes(path.read_bytes().replace(b"200", b"201", 1))
    with pytest.raises(SealBroken, match=path.name):
        open_world(str(folder))


def test_a_worlds_playback_file_is_followed(mini: Path) -> None:
    """A question played once is a miss the second time, in each run anew; the file is sealed like any other."""
    folder = mini / "cassettes" / "mini-6"
    task = open_world(str(folder)).suite.active()[0]
    plain = FrozenWorld(open_world(str(folder)))
    request, _ = next(plain.recordings(task).requests())
    (folder / "http" / "playback.toml").write_text(f'[[entry]]\nurl = "{request.url}"\nmode = "once"\n')
    with pytest.raises(SealBroken, match=r"playback\.toml"):
        open_world(str(folder))
    seal_world(folder)
    world = FrozenWorld(open_world(str(folder)))
    for _ in range(2):
        recordings, cursor = world.recordings(task), Cursor()
        recordings.play(request.method, request.url, request.body, cursor)
        with pytest.raises(Miss, match="all 1 answers played"):
            recordings.play(request.method, request.url, request.body, cursor)


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


def test_a_recording_that_is_played_to_its_end_is_not_brought_back(mini: Path) -> None:
    """Played "once", a question misses the second time, although others of its family are recorded."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = folder.task(folder.suite.active()[0])
    with FrozenWorld(folder) as world:
        own = next(request for request, _ in world.recordings(task.id).requests() if SearchApiProvider().match(request))
    entry = f'[[entry]]\nurl = "{own.url}"\nmethod = "POST"\nmode = "once"\nbody = \'{own.body.decode()}\'\n'
    (path / "http" / "playback.toml").write_text(entry, encoding="utf-8")
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        view = world.task(task)
        assert view.answer(own)[1] is Served.HIT
        with pytest.raises(Miss, match="played"):
            view.answer(own)


def test_what_is_the_case_now_does_not_depend_on_how_often_it_is_asked(mini: Path) -> None:
    """A question recorded at the task's moment and a day later is answered by the first, every time."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = folder.task(folder.suite.active()[0])
    url = "https://api.binance.com/api/v3/ticker/price"
    made = [
        Interaction("GET", url, b"", {}, 200, "", {"date": (formatdate(task.anchor.timestamp + late, usegmt=True),)},
                    f'[{{"price":"{late}","symbol":"AB"}}]'.encode())
        for late in (0, 86_400)
    ]  # fmt: skip
    write_cassette(path / "http" / "binance.json", made)
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        view = world.task(task)
        told = [view.answer(HttpRequest("GET", url)) for _ in range(3)]
        assert [reply.body for reply, _ in told] == [made[0].body] * 3
        assert {served for _, served in told} == {Served.HIT}
        with pytest.raises(BadInput):
            view.answer(HttpRequest("GET", "https://[half"))


def test_another_spelling_of_a_path_is_the_same_endpoint(mini: Path) -> None:
    """A path with escapes or dots is served as its plain form is: what that may not tell, it does not tell either."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = folder.task(folder.suite.active()[0])
    query = "symbol=AB&interval=1m&limit=1"
    row = [task.anchor.timestamp // 60 * 60_000 + 600_000, *["1.00000000"] * 5, 0, "1.0", 1, "1.0", "1.0", "0"]
    row[6] = int(row[0]) + 59_999
    late = {"date": (formatdate(task.anchor.timestamp + 800, usegmt=True),)}
    item = Interaction("GET", f"https://api.binance.com/api/v3/klines?{query}", b"", {}, 200, "", late,
                       json.dumps([row]).encode())  # fmt: skip
    write_cassette(path / "http" / "binance.json", [item])
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        for spelling in ("/api/v3/klines", "/api/v3/%6Blines", "/api/v3/x/../klines", "/api/./v3/klines"):
            with pytest.raises(Miss):
                world.task(task).answer(HttpRequest("GET", f"https://api.binance.com{spelling}?{query}"))


@pytest.mark.parametrize("provenance", ["live", "synthetic", "imported"])
def test_a_list_of_later_tells_names_but_in_an_imported_world(mini: Path, provenance: Any) -> None:
    """Of two of later the first answers, as DERIVED; a list of the moment is a HIT, a price of later a miss."""
    path = mini / "cassettes" / "mini-6"
    folder = open_world(str(path))
    task = folder.task(folder.suite.active()[0])
    now = task.anchor.timestamp

    def told(url: str, content: Any, made: int) -> Interaction:
        date = {"date": (formatdate(made, usegmt=True),)}
        return Interaction("GET", url, b"", {}, 200, "OK", date, json.dumps(content).encode())

    rows = [{"id": "1", "slug": "vela", "name": "Vela", "tvl": 7.5, "listedAt": now},
            {"id": "2", "slug": "late", "name": "Late", "tvl": 9.5, "listedAt": now + 5}]  # fmt: skip
    page = "https://api.llama.fi/protocols"
    price = "https://api.coingecko.com/api/v3/simple/price?ids=a&vs_currencies=usd"
    more = [told("https://api.llama.fi/v2/chains", [{"name": "Main", "tvl": 1}], now),
            told(price, {"a": {"usd": 1}}, now + 9_000),
            told(page, [rows[0] | {"name": "Vela Two"}], now + 200_000), told(page, rows, now + 100_000)]  # fmt: skip
    write_cassette(path / "tasks" / task.id / "http.json", more)
    save_world(path, replace(folder.info, provenance=provenance), folder.suite)
    seal_world(path)
    with FrozenWorld(open_world(str(path))) as world:
        view = world.task(task)
        assert view.answer(HttpRequest("GET", more[0].uri))[1] is Served.HIT
        with pytest.raises(Miss):
            view.answer(HttpRequest("GET", more[1].uri))
        if provenance == "imported":
            with pytest.raises(Miss, match="changes with time"):
                view.answer(HttpRequest("GET", page))
            return
        for _ in range(2):
            reply, served = view.answer(HttpRequest("GET", page))
            assert served is Served.DERIVED and reply.headers["date"] == formatdate(now, usegmt=True)
            assert json.loads(reply.body) == [{"id": "1", "listedAt": now, "name": "Vela", "slug": "vela"}]
