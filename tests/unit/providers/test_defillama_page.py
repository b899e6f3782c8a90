"""DefiLlama's pages, and what of a later one is told."""

from __future__ import annotations

import json
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.defillama.provider import DefiLlamaProvider
from tests.defillama_real import of, real_recordings

API = "https://api.llama.fi"
CHARTS, ANCHOR, PROTOCOLS = f"{API}/charts", f"{API}/protocol/anchor", f"{API}/protocols"
MARCH_28, MARCH_29 = 1_648_425_600, 1_648_512_000
SEPTEMBER_13 = 1_663_027_200


def narrowed(recordings: list[Recorded], url: str, now: int) -> HttpReply:
    return DefiLlamaProvider().narrow(recordings, HttpRequest("GET", url), now)


@pytest.mark.real
def test_a_real_history_is_cut_at_now(real_data: Path) -> None:
    """The history of all chains as recorded on 13 September 2022, cut in March, ends with March's own point."""
    september = of(real_recordings(real_data), CHARTS, "Sep 2022")
    cut = json.loads(narrowed([september], CHARTS, MARCH_29 + 40_000).body)
    assert len(cut) == 1243
    assert cut[0] == {"date": "1541203200", "totalLiquidityUSD": 34684.037746670474}
    assert cut[-1] == {"date": "1648512000", "totalLiquidityUSD": 222330292671.1943}
    assert json.loads(narrowed([september], CHARTS, MARCH_29 - 1).body) == cut[:-1]
    whole = narrowed([september], CHARTS, SEPTEMBER_13 + 37_470)
    assert whole is september.reply and len(json.loads(whole.body)) == 1411


def flow(flags: str, content: object, at: int = MARCH_29 + 100) -> Recorded:
    reply = HttpReply(200, {"date": formatdate(at, usegmt=True)}, json.dumps(content).encode())
    return Recorded(HttpRequest("GET", f"{API}/overview/dexs{flags}"), reply)


def test_charts_can_be_left_out_and_not_put_in() -> None:
    """A page with its charts answers for one without; what is not known of it survives; the reverse is a miss."""
    full = flow("", {"totalDataChart": [[1, 2]], "totalDataChartBreakdown": [[1, {}]], "odd": 7})
    short = flow("?excludeTotalDataChart=true", {"totalDataChart": [], "totalDataChartBreakdown": [[1, {}]], "odd": 7})
    url, now = f"{API}/overview/dexs", MARCH_29 + 100
    assert narrowed([full, short], f"{url}?excludeTotalDataChart=true", now) is short.reply
    assert json.loads(narrowed([full], f"{url}?excludeTotalDataChart=true", now).body) == {
        "totalDataChart": [], "totalDataChartBreakdown": [[1, {}]], "odd": 7}  # fmt: skip
    both = f"{url}?excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true"
    assert json.loads(narrowed([short], both, now).body)["totalDataChartBreakdown"] == []
    with pytest.raises(Miss, match="recorded without excludeTotalDataChart"):
        narrowed([short], url, now)
    with pytest.raises(Miss, match="totals change with time"):
        narrowed([full], url, now - 200)  # the day before


def test_a_calendar_stands_until_it_is_written_again() -> None:
    """A file last written by now and recorded at now or later is what live would hand out; anything else is open."""
    url = "https://defillama-datasets.llama.fi/emissions/some"
    dated = {"date": formatdate(MARCH_29, usegmt=True), "last-modified": formatdate(MARCH_28, usegmt=True)}
    one = Recorded(HttpRequest("GET", url), HttpReply(200, dated, b'{"documentedData": {}}'))
    for now in (MARCH_28, MARCH_28 + 50_000, MARCH_29):
        assert narrowed([one], url, now) is one.reply
    for now in (MARCH_28 - 1, MARCH_29 + 86_400):
        with pytest.raises(Miss, match="last written at 2022-03-28"):
            narrowed([one], url, now)
    words = b'{"body": "{}", "lastModified": "2022-03-28T00:00:00.000Z"}'
    paid = "https://pro-api.llama.fi/SCRUBBED/api/emission/some"
    two = Recorded(HttpRequest("GET", paid), HttpReply(200, {"date": formatdate(MARCH_29, usegmt=True)}, words))
    assert narrowed([two], paid.replace("SCRUBBED", "OTHER"), MARCH_28 + 5) is two.reply


def test_histories_that_contradict_each_other_are_a_miss() -> None:
    """Of two later ones one was rewritten; one of now says what is so now; other shapes are none."""
    for body in (b'{"message": "no"}', b'[{"tvl": 1}]', b"[1]"):
        one = Recorded(HttpRequest("GET", CHARTS), HttpReply(200, {}, body))
        with pytest.raises(Miss):
            narrowed([one], CHARTS, MARCH_29)
    one, two = (said(CHARTS, [{"date": MARCH_28, "tvl": tvl}], MARCH_29 + 40 * 86_400) for tvl in (5, 6))
    with pytest.raises(Miss, match="contradicts each other"):
        narrowed([one, two], CHARTS, MARCH_29)
    three = said(CHARTS, [{"date": MARCH_28, "tvl": 7}], MARCH_29 + 60)
    assert narrowed([one, two, three], CHARTS, MARCH_29) is three.reply


def said(url: str, content: object, at: int | None, status: int = 200, **more: str) -> Recorded:
    """A recording; what is no bytes is written as JSON."""
    headers = {name.replace("_", "-"): text for name, text in more.items()}
    headers |= {} if at is None else {"date": formatdate(at, usegmt=True)}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Recorded(HttpRequest("GET", url), HttpReply(status, headers, body))


@pytest.mark.parametrize("content", [
    {"tvl": [{"date": 5}], "chainTvls": {"E": {"tvl": [{"date": MARCH_29 + 500}]}}},
    {"tvl": [{"date": 5}], "tokens": [{"date": str(MARCH_29 + 500)}]},
    {"raises": [{"date": (MARCH_29 + 500) * 1000}]}, [[MARCH_29 + 500, 3]],
    [{"name": "New", "listedAt": MARCH_29 + 500}], {"raises": [{"date": "2022-03-29T00:09:00Z"}]},
])  # fmt: skip
def test_a_page_that_tells_of_moments_after_now_is_a_miss(content: object) -> None:
    """Made a few minutes after now it would be as of now, but a stamp in it, wherever it stands, is later."""
    one = said(ANCHOR, content, MARCH_29 + 600)
    assert narrowed([one], ANCHOR, MARCH_29 + 540) is one.reply
    with pytest.raises(Miss, match="tells of moments after"):
        narrowed([one], ANCHOR, MARCH_29 + 400)


def test_plans_may_lie_after_now() -> None:
    """A calendar written after now is a miss, and so are totals whose chart goes on after now, also left out."""
    one = flow("", {"totalDataChart": [[MARCH_29 + 500, 1]], "total24h": 3}, MARCH_29 + 600)
    for flags in ("", "?excludeTotalDataChart=true"):
        with pytest.raises(Miss, match="tells of moments after"):
            narrowed([one], f"{API}/overview/dexs{flags}", MARCH_29 + 400)
    url = "https://pro-api.llama.fi/SCRUBBED/api/emissions"
    one = said(url, [{"name": "A", "events": [{"timestamp": MARCH_29 * 2}]}], MARCH_29 + 600)
    assert narrowed([one], url, MARCH_29 + 400) is one.reply
    file = "https://defillama-datasets.llama.fi/emissions/some"
    two = said(file, {"a": 1}, MARCH_29 + 600, last_modified=formatdate(MARCH_29 + 500, usegmt=True))
    assert narrowed([two], file, MARCH_29 + 500) is two.reply
    with pytest.raises(Miss, match="last written"):
        narrowed([two], file, MARCH_29 + 400)


@pytest.mark.parametrize("made", [MARCH_29 + 40 * 86_400, None])
def test_a_history_that_begins_after_now_is_a_miss(made: int | None) -> None:
    """Nothing is left of it, and the vendor may have said that there is no such chain; an empty one stays empty."""
    url = f"{API}/v2/historicalChainTvl/new"
    points = [{"date": MARCH_29 + day * 86_400, "tvl": 5} for day in range(1, 9)]
    with pytest.raises(Miss, match="begins after"):
        narrowed([said(url, points, made)], url, MARCH_29 + 5)
    empty = said(url, [], MARCH_29 + 40 * 86_400)
    assert narrowed([empty], url, MARCH_29 + 5) is empty.reply


@pytest.mark.parametrize("bad", [[None], [{"date": 5.5}], [{"date": "\u0661"}], [{"date": True}], b"<html>",
                                 b'[{"date": 1e400}]', b'[{"date": 5, "tvl": 1e400}]', {"message": "no"}])  # fmt: skip
def test_a_bad_history_spoils_no_good_one(bad: object) -> None:
    """A row without a date, or another page with status 200, is passed over."""
    later = MARCH_29 + 40 * 86_400
    good = said(CHARTS, [{"date": MARCH_28, "tvl": 5}, {"date": MARCH_29 + 86_400, "tvl": 6}], later)
    assert json.loads(narrowed([said(CHARTS, bad, later), good], CHARTS, MARCH_29).body) == [
        {"date": MARCH_28, "tvl": 5}
    ]
    with pytest.raises(Miss):
        narrowed([said(CHARTS, bad, later)], CHARTS, MARCH_29)


@pytest.mark.parametrize("bad", [None, [], "x", {"message": "boom"}, {"total24h": 1}, {"totalDataChart": None}, b"<p>"])
def test_totals_of_another_shape_are_a_miss(bad: object) -> None:
    """Charts cannot be left out of what has none, and a bad page spoils no good one."""
    url, now = f"{API}/overview/dexs", MARCH_29 + 100
    short = f"{url}?excludeTotalDataChart=true"
    with pytest.raises(Miss):
        narrowed([said(url, bad, now)], short, now)
    good = flow("", {"totalDataChart": [[1, 2]], "total24h": 3})
    assert json.loads(narrowed([said(url, bad, now), good], short, now).body) == {"totalDataChart": [], "total24h": 3}


def test_having_to_pay_hides_no_page_that_was_given() -> None:
    """An old refusal under another key counts for ever only where nobody was ever given the page."""
    url, now = "https://pro-api.llama.fi/SCRUBBED/api/emissions", MARCH_29 + 100
    bill, page = said(url, {"message": "pay"}, now - 900 * 86_400, 402), said(url, [1], now)
    for held in ([bill, page], [page, bill]):
        assert narrowed(held, url, now) is page.reply
        with pytest.raises(Miss, match="changes with time"):
            narrowed(held, url, now + 5 * 86_400)
    assert narrowed([bill], url, now) is bill.reply
    file = "https://pro-api.llama.fi/SCRUBBED/api/emission/some"
    dear, given = said(file, {}, now, 402), said(file, {"lastModified": "2022-03-28T00:00:00Z"}, now)
    assert narrowed([dear, given], file, now) is given.reply


DAY = 86_400
TODAY = 1_717_200_000 // DAY * DAY
NOW, MADE = TODAY + 3_600, TODAY + 400 * DAY + 7
LATER_API, PRO, COINS = "https://api.llama.fi", "https://pro-api.llama.fi/KEY/api", "https://stablecoins.llama.fi"


def turned(url: str, content: Any, made: int = MADE) -> Any:
    turn = DefiLlamaProvider().as_of(HttpRequest("GET", url))
    assert turn is not None
    return turn(content, made, NOW)


def states(*days: int) -> list[dict[str, Any]]:
    return [{"date": TODAY + day * DAY, "totalLiquidityUSD": day} for day in days]


def series(*days: int) -> dict[str, Any]:
    return {"tvl": states(*days), "tokens": [], "tokensInUsd": states(*days)}


def test_what_began_later_is_not_there() -> None:
    """By its first point, or by when it was listed."""
    page = {"name": "Vela", "chainTvls": {}}
    assert turned(f"{LATER_API}/protocol/vela", {**page, **series(1, 2)}) is None
    assert turned(f"{LATER_API}/protocol/vela", {**page, **series(-1), "listedAt": NOW + 1}) is None
    assert turned(f"{LATER_API}/summary/dexs/vela", {"name": "V", "totalDataChart": [[TODAY, 1]]}) is None
    assert turned(f"{LATER_API}/overview/dexs/new", {"totalDataChart": [[TODAY, 1]], "protocols": []}) is None
    assert turned(f"{COINS}/stablecoincharts/new", states(1)) is None


def test_stablecoins_are_names_and_states_by_then() -> None:
    """Their list, the history of all or of a chain, and one coin by chain."""
    row = {"id": "2", "name": "Dollar", "symbol": "USD", "pegType": "peggedUSD", "chains": ["Main"]}
    more = {"circulating": {"peggedUSD": 9}, "price": 1.01, "chainCirculating": {}}
    assert turned(f"{COINS}/stablecoins?includePrices=true", {"peggedAssets": [row | more], "chains": [{"x": 1}]}) == {
        "peggedAssets": [row]
    }
    assert turned(f"{COINS}/stablecoincharts/all?stablecoin=2", states(-1, 0, 1)) == states(-1, 0)
    balances = {"Main": {"tokens": states(0, 1)}, "New": {"tokens": states(3)}}
    one = row | more | {"chains": ["Main", "New"], "chainBalances": balances, "tokens": states(0, 2)}
    assert turned(f"{COINS}/stablecoin/2", one) == row | {
        "chainBalances": {"Main": {"tokens": states(0)}}, "tokens": states(0)
    }  # fmt: skip
    assert turned(f"{COINS}/stablecoin/2", row | {"chainBalances": {"New": {"tokens": states(3)}}}) is None


@pytest.mark.parametrize(
    "url",
    [f"{LATER_API}/tvl/vela", f"{LATER_API}/charts", f"{PRO}/emission/vela", f"{PRO}/activeUsers",
     f"{COINS}/stablecoinprices", "https://coins.llama.fi/prices/current/a:b"],
)  # fmt: skip
def test_what_is_of_now_is_not_turned(url: str) -> None:
    """Bare totals of later tell nothing of before; chains' histories are cut elsewhere."""
    assert DefiLlamaProvider().as_of(HttpRequest("GET", url)) is None
