from __future__ import annotations

from decimal import Decimal

import pytest

from caia_replay.errors import BadInput
from caia_replay.recording.api_key import HOSTS, KEYS
from caia_replay.recording.plan_terms import NODE, all_terms, read_terms, terms_of

ROW = """[[terms]]
name = "a"
match = "^https://a"
tier = "free"
tells = "now"
seconds = 0.1
source = "here"
date = "2026-01-01"
"""


def test_every_row_says_where_it_is_from() -> None:
    """Names are told once, paid rows say for what, and each has a source and a day."""
    terms = all_terms()
    assert len({one.name for one in terms}) == len(terms)
    for one in terms:
        assert one.source and len(one.date) == len("2026-01-01") and one.seconds > 0 and one.pages >= 1
        assert one.why if one.tier == "paid" else one.usd_per_call == 0, one.name


def test_keys_are_those_that_the_recorder_sends() -> None:
    """A key's variable is the recorder's own, or that of the node's address."""
    known = {key.variable for key in KEYS} | {"CAIA_REPLAY_RPC_URL", ""}
    assert {one.key for one in all_terms()} <= known


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_every_host_of_the_recorder_has_terms(host: str) -> None:
    """No host that a live recording may reach falls to the row of strangers."""
    assert (
        terms_of(f"https://{host}/{'2/tweets' if host == 'api.x.com' else 'v2/api?action=x'}").name != "other addresses"
    )


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.coingecko.com/api/v3/coins/{…}/market_chart/range?from=1", "CoinGecko charts"),
        ("https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&page=1", "CoinGecko markets"),
        ("https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&ids=a", "CoinGecko"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=account&action=balancehistory", "Etherscan PRO"),
        (
            "https://api.etherscan.io/v2/api?chainid=8453&module=account&action=txlist",
            "Etherscan on chains of paid plans",
        ),
        ("https://api.etherscan.io/v2/api?chainid=8453&module=contract&action=getabi", "Etherscan"),
        ("https://api.etherscan.io/v2/api?chainid=1&module=contract&action=getabi&address=0x1", "Etherscan"),
        ("https://pro-api.llama.fi/SCRUBBED/api/userData/users/1", "DefiLlama users"),
        ("https://r.jina.ai/https://web.archive.org/web/2025id_/https://a.example/", "reader of captures"),
        (NODE + "base", "archive node"),
    ],
)
def test_the_first_row_that_fits_counts(url: str, name: str) -> None:
    """What is paid for stands before what is free on the same host."""
    assert terms_of(url).name == name


def test_prices_are_exact() -> None:
    """A figure is the decimal that was written; a free row costs nothing, a paid one without a price is unpriced."""
    free, paid = read_terms(ROW + ROW.replace('"free"', '"paid"'))
    assert (free.seconds, free.usd_per_call, paid.usd_per_call) == (Decimal("0.1"), 0, None)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ROW.replace("seconds = 0.1\n", ""), "has no 'seconds'"),
        (ROW + 'price = 1\n', "'price' is no field"),
        (ROW.replace('"free"', '"cheap"'), "tier is free or paid"),
    ],
)  # fmt: skip
def test_a_wrong_row_is_refused_by_its_number(row: str, words: str) -> None:
    """The row and the field are named."""
    with pytest.raises(BadInput, match=f"row 1: .*{words}"):
        read_terms(row)


def test_what_is_no_web_address_has_no_terms() -> None:
    """Nothing is planned on terms that nobody wrote down."""
    with pytest.raises(BadInput, match="no terms are known"):
        terms_of("ftp://a.example/")
