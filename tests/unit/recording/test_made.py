"""What is kept up with is what looking at everything anew would find."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.cassette.cassette import Cassette, Interaction
from caia_replay.cassette.identity import identity
from caia_replay.cassette.recordings import Recordings
from caia_replay.recording.made import Made, MadeFamilies, MadeStore, MadeWeb
from caia_replay.world.every_provider import providers_over
from caia_replay.world.family import Families
from caia_replay.world.overlay import NO_OVERLAY
from caia_replay.world.web import Web
from tests.live_draft import reader_page

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


@settings(max_examples=60, deadline=None)
@example(before=set(), steps=[(True, 0, 3), (False, 0, 3)], looks=True)
@example(before={0}, steps=[(True, 3, 3), (True, 0, 4), (False, 3, 1)], looks=True)
@example(before=set(), steps=[(True, 4, 3), (False, 4, 3)], looks=True)
@given(before=st.sets(st.integers(0, KINDS - 1)), steps=STEPS, looks=st.booleans())
def test_what_is_kept_up_with_is_what_a_new_look_finds(before: set[int], steps: list[tuple[bool, int, int]],
                                                       looks: bool) -> None:  # fmt: skip
    """The questions and their answers, the families, the pages and posts, and since when a page is there."""
    rest = Recordings([Cassette("before", "", tuple(every(15)[at] for at in sorted(before)))])
    made, kept = Made(), list[Interaction]()
    store = MadeStore(made, rest.store)
    families, web = MadeFamilies(made, store, PROVIDERS), MadeWeb(made, store, Path("nowhere/at/all"))
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
    anew = Recordings([Cassette("made", "", tuple(kept))], rest=rest)
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


def test_a_page_that_came_is_ranked_and_one_that_went_is_not(tmp_path: Path) -> None:
    """A ranking is made anew when the pages have changed, and stays while they have not."""
    made = Made()
    web = MadeWeb(made, MadeStore(made, Recordings([]).store), tmp_path)
    first, second, *_, chain = every(3)
    made.add(first)
    web.first_seen(PAGES[0])
    index = web.index(NO_OVERLAY)
    made.add(chain)
    assert web.index(NO_OVERLAY) is index
    made.add(second)
    assert len(web.corpus.pages) == 2 and web.index(NO_OVERLAY) is not index
    made.drop(identity(second.method, second.uri))
    assert [page.url for page in web.corpus.pages] == PAGES[:1]


def test_an_exchange_costs_no_look_at_the_others() -> None:
    """The answers of one question alone are asked for, however many there are."""
    made = Made()
    asked: list[bytes] = []
    rest = SimpleNamespace(answers=lambda key: asked.append(key), questions=list)
    store = MadeStore(made, rest)
    families, web = MadeFamilies(made, store, PROVIDERS), MadeWeb(made, store, Path("nowhere"))
    web.first_seen(PAGES[0])
    for day in range(1, 25):
        for item in every(day)[:2]:
            made.add(item)
    asked.clear()
    made.add(every(25)[-1])
    assert len(set(asked)) <= 1
    assert families.of(identity("GET", CHAINS[1]), PROVIDERS)
