from __future__ import annotations

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.recording.plan_compare import WINDOW, Planned, compared, speaker, template_of
from caia_replay.recording.plan_run import DryRun, StepRun
from caia_replay.recording.plan_stand_in import GAP, StandIn
from caia_replay.recording.plan_world import Asked
from caia_replay.world.every_provider import providers_over

NOW = 1_746_143_999
PROVIDERS = providers_over({})
ONE, OTHER = StandIn("a"), StandIn("b")
GECKO, SPOT = "https://api.coingecko.com/api/v3", "https://api.binance.com/api/v3"


def get(url: str) -> HttpRequest:
    return HttpRequest("GET", url)


def dry(*steps: list[str], now: int = NOW) -> DryRun:
    return DryRun(
        tuple(StepRun("tool", tuple(Asked(get(url)) for url in urls), "", False, ()) for urls in steps), {}, now
    )


def plans(first: DryRun, second: DryRun) -> list[Planned]:
    return compared(first, second, PROVIDERS)


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        ("/a/1/b", "/a/2/b", f"/a/{GAP}/b"),
        ("/a?x=1&y=2", "/a?y=2&x=3", f"/a?x={GAP}&y=2"),
        ("/a?x=1,2,3", "/a?x=1,5,3", f"/a?x=1,{GAP},3"),
        ("/a?x=1", "/a", f"/a?x={GAP}"),
        ("/a", "/a?x=1", f"/a?x={GAP}"),
        ("/a/b/c", "/a/b", f"/{GAP}"),
        ("/a?x=&y=a%20b", "/a?x=&y=a%20c", f"/a?x=&y={GAP}"),
        (f"/a?x=ETH{ONE.word('q').upper()}", f"/a?x=ETH{OTHER.word('q').upper()}", f"/a?x=ETH{GAP}"),
        (f"/a/{ONE.word('q')}", f"/a/{ONE.word('q')}", f"/a/{GAP}"),
        (f"/a?u=https%3A%2F%2F{ONE.word('q')}.example%2F", f"/a?u=https%3A%2F%2F{OTHER.word('q')}.example%2F",
         f"/a?u=https://{GAP}/"),
    ],
)  # fmt: skip
def test_what_differs_is_a_gap(first: str, second: str, shown: str) -> None:
    """In paths, parameters and lists; a marked stand-in is one even where both have it."""
    found = template_of(get("https://h.example" + first), get("https://h.example" + second))
    assert (found.url, found.exact) == ("https://h.example" + shown, False)


def test_what_is_equal_is_exact_to_the_byte() -> None:
    """Spelling, order and quoting of the request are kept."""
    url = "https://h.example/a%20b?z=1&a=%2C,&b="
    assert template_of(get(url), get(url)) == ("GET", url, "", True)


def test_bodies_are_compared_member_by_member() -> None:
    """A gap stands for a member's value; what is no JSON is compared as text."""

    def posted(first: bytes, second: bytes) -> str:
        return template_of(*(HttpRequest("POST", "https://h.example/", one) for one in (first, second))).body

    assert posted(b'{"a": [1, 2], "b": "x"}', b'{"a": [1, 3], "b": "x"}') == f'{{"a":[1,"{GAP}"],"b":"x"}}'
    assert posted(b"abc", b"abd") == GAP and posted(b"abc", b"abc") == "abc"


def test_requests_are_widened_as_the_recorder_widens_them() -> None:
    """The plan shows what is recorded, each once over all steps, with who speaks for it."""
    ticker = f"{SPOT}/ticker/24hr?symbol=ETHUSDT"
    (found,) = plans(dry([ticker], [ticker]), dry([ticker], [ticker]))
    assert (found.template.url, found.template.exact, found.provider, found.step) == (
        f"{SPOT}/ticker/24hr", True, "binance_spot", 1,
    )  # fmt: skip


def test_what_differs_and_is_not_recorded_leaves_the_request_exact() -> None:
    """Of a list of all symbols it does not matter which one is asked for."""
    first, second = (f"{SPOT}/ticker/24hr?symbol={name}" for name in "AB")
    assert plans(dry([first]), dry([second]))[0].template.exact


def test_a_window_that_moves_is_never_exact() -> None:
    """Widening may round two windows to one figure, or to figures of one run alone: the window is a gap."""
    series = f"{SPOT}/klines?symbol=ETHUSDT&interval=1d&endTime=1740614400000&startTime="
    urls = [f"{series}{start}" for start in (1_740_009_600_000, 1_740_096_000_000)]
    (found,) = plans(dry([urls[0]]), dry([urls[1]]))
    assert not found.template.exact
    assert all(f"{name}={GAP}" in found.template.url for name in WINDOW & {"startTime"})
    assert "symbol=ETHUSDT" in found.template.url


def test_a_moment_that_moves_is_never_exact() -> None:
    """Cells counted back from an unknown now are gaps, however many there are."""
    url = f"{GECKO}/coins/ethereum/market_chart/range?vs_currency=usd&from=1740000000&to=1745000000"
    for other in (NOW + 86_400, NOW + 300 * 86_400):
        assert not any(one.template.exact for one in plans(dry([url]), dry([url], now=other)))
    assert all(one.template.exact for one in plans(dry([url]), dry([url])))


def test_what_one_run_alone_asks_is_not_exact() -> None:
    """It depends on a reply that nobody has; it is shown, and counted."""
    url = f"{GECKO}/search/trending"
    (found,) = plans(dry([url]), dry([]))
    assert (found.template.exact, found.calls) == (False, 1)


def test_gaps_count_how_often_they_are_asked() -> None:
    """Five pages that follow are one template made five times."""
    pages = [[f"https://r.jina.ai/https://{stand.word(str(at))}.example/" for at in range(5)] for stand in (ONE, OTHER)]
    (found,) = plans(dry(pages[0]), dry(pages[1]))
    assert (found.calls, found.template.url) == (5, f"https://r.jina.ai/https://{GAP}/")


def test_a_stranger_has_no_speaker() -> None:
    """A host that no provider knows is planned as it is."""
    assert speaker(PROVIDERS, get("https://h.example/")) is None
    assert plans(dry(["https://h.example/"]), dry(["https://h.example/"]))[0].provider == ""
