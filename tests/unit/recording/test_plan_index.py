from __future__ import annotations

from typing import Any

import pytest

from caia_replay.core.provider import HttpRequest
from caia_replay.recording.plan_ask import Ask
from caia_replay.recording.plan_chain import Hint
from caia_replay.recording.plan_index import defillama
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.tools.emission import emission_of

NOW = 1_746_143_999
API = "https://api.llama.fi"


def told(url: str, **arguments: Any) -> Any:
    return defillama(Ask(HttpRequest("GET", url), StandIn("a"), NOW, arguments, ("ethereum",), Hint()))


@pytest.mark.parametrize(
    ("text", "slug"),
    [("slug:aave-v3", "aave-v3"), ("Aave V3", "aave-v3"), ("LDO", None), ("lido", None), ("id:lido-dao", None)],
)
def test_a_protocol_has_the_slug_of_its_name(text: str, slug: str | None) -> None:
    """A slug is as it is and a name makes one; of a token's ticker and of a coin's id it is a stand-in."""
    (row,) = told(f"{API}/protocols", protocol=text)
    assert row["slug"] == slug if slug else MARK.fullmatch(row["slug"])


def test_a_chain_is_called_what_it_was_asked_by() -> None:
    """A name is the name; of a coin's ticker and of a chain id the name is a stand-in."""
    assert told(f"{API}/v2/chains", chain="Ethereum")[0]["name"] == "Ethereum"
    coin = told(f"{API}/v2/chains", chain="ETH")[0]
    assert coin["tokenSymbol"] == "ETH" and MARK.search(coin["name"])
    numbered = told(f"{API}/v2/chains", chain="8453")[0]
    assert numbered["chainId"] == 8453 and MARK.search(numbered["name"])


@pytest.mark.parametrize("path", ["v2/historicalChainTvl", "v2/historicalChainTvl/Base"])
def test_histories_end_today(path: str) -> None:
    """A point a day up to the task's day."""
    days = [point["date"] for point in told(f"{API}/{path}")]
    assert days == sorted(set(days)) and days[-1] == NOW - NOW % 86_400 and len(days) > 100


def test_a_protocols_parts_are_those_that_are_asked() -> None:
    """What is kept apart, alone and on the asked chain."""
    parts = told(f"{API}/protocol/aave-v3", protocol="Aave V3", chain="Base", part="borrowed")["chainTvls"]
    assert set(parts) == {"Base", "borrowed", "Base-borrowed"}


@pytest.mark.parametrize("page", ["overview/dexs", "overview/fees/Base", "summary/dexs/uniswap-v3"])
def test_flows_have_their_days_and_their_parts(page: str) -> None:
    """Days of all, and for each day whose they were: protocols of an overview, chains of a summary."""
    found = told(f"{API}/{page}", exchange="Uniswap V3", chain="Base")
    assert len(found["totalDataChart"]) == len(found["totalDataChartBreakdown"]) > 100
    assert ("Base" in found["totalDataChartBreakdown"][0][1]) == page.startswith("summary")


def test_a_calendar_is_one_and_not_under_a_ticker_coins_id() -> None:
    """Of a known coin the first file is there; of a ticker the coin's own file is not, so that the next is asked."""
    files = "https://defillama-datasets.llama.fi/emissions"
    assert len(emission_of(told(f"{files}/arbitrum", asset="id:arbitrum"), "arbitrum").labels) == 3
    missing = told(f"{files}/{StandIn('a').word('coin arb')}", asset="ARB")
    assert missing is None


@pytest.mark.parametrize("page", ["userData/users/1", "activeUsers"])
def test_users_are_told_on_the_paid_host(page: str) -> None:
    """Both pages have the shape that the tool reads."""
    assert told(f"https://pro-api.llama.fi/SCRUBBED/api/{page}")


def test_another_page_is_empty() -> None:
    """A page that no tool asks today breaks no plan."""
    assert told(f"{API}/raises") == {} == told(f"{API}/")
