import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from caia_replay.cassette.cassette import Interaction
from caia_replay.core.task import Anchor
from caia_replay.recording.lint_stale import stale_faults

MOMENT = datetime(2024, 6, 14, 12, tzinfo=UTC)
ANCHOR = Anchor("mini", 1000, int(MOMENT.timestamp()))
API = "https://api.example.com"


def item(uri=f"{API}/price?ids=aave", body=None, days=100.0, date=None, name="date"):
    made = format_datetime(MOMENT + timedelta(days=days), usegmt=True) if date is None else date
    sent = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return Interaction("POST" if sent else "GET", uri, sent, {}, 200, "OK", {name: (made,)}, b"{}")


def rpc(method, *params):
    return item(f"{API}/rpc", {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})


def faults(*items):
    return list(stale_faults(items, ANCHOR))


def test_a_reply_made_after_the_moment_to_a_request_without_a_time_is_found():
    """One line a cassette: how many, how late the latest was made, and it as the example, its key masked."""
    items = [item(days=3), item(f"{API}/list?apikey=k123456789", days=412.5, name="Date"), item(days=2)]
    assert faults(*items) == [
        "3 made after the task's moment, the oldest 412 days after it, to requests that name no time up to it; "
        f"for example GET {API}/list?apikey=SCRUBBED"
    ]


@pytest.mark.parametrize("days", [-400, -1, 0, 0.9])
def test_what_was_made_by_then_is_no_finding(days):
    """Before the moment, at it, and within a day of it."""
    assert faults(item(days=days)) == []


def test_a_reply_without_a_date_is_no_finding():
    """The recorder drops it for the synthetic origin, whose clock means nothing."""
    assert faults(Interaction("GET", API, b"", {}, 200, "OK", {"x": ("1",)}, b"")) == []


@pytest.mark.parametrize(
    "date", ["yesterday", "", "Mon, 99 Foo 2024", "Mon, 1 Jan 99999999999 00:00:00 GMT", "2024-06-14"]
)
def test_an_unreadable_date_says_so(date):
    """It is not taken for an early one; the line shows it."""
    assert faults(item(date=date), item(days=0)) == [f"1 with a Date that cannot be read; for example {date!r}"]


SECONDS = ANCHOR.timestamp - 86_400
NAMING = [
    item(f"{API}/history?date=30-12-2022"), item(f"{API}/history?date=2022-12-30"), item(f"{API}/2022/12/report"),
    item(f"{API}/day/20221230"), item(f"{API}/range?from={SECONDS}"), item(f"{API}/range?from={SECONDS}000"),
    item(f"{API}/klines?endTime={SECONDS}999999999"), item(f"{API}/x?at=2022-12-30T10%3A00%3A00Z"),
    item(f"{API}/logs?fromBlock=1&toBlock=900"), item(f"{API}/blocks/900"), item(f"{API}/v2/height/0x10/txs"),
    item(f"{API}/tx/0x{'ab' * 32}"), item(f"{API}/x?txhash={'ab' * 32}"),
    item("https://r.jina.ai/https://web.archive.org/web/20240614110000id_/https://news.example/"),
    item("https://web.archive.org/cdx/search/cdx?url=news.example&to=20240614110000"),
    item("https://r.jina.ai/https://news.example/2023/05/04/story?x=1"),
    item(API, {"query": "{ a(block: {number: 900}) }", "variables": {"block": 900}}), item(API, {"to": SECONDS}),
    item(API, {"filter": [{"since": "2024-06-01"}]}), item(API, b"date=2024-06-01&x=1"), item(API, b"as of 2024-06-01"),
    rpc("eth_getBalance", "0x" + "ab" * 20, "0x3e8"), rpc("eth_getLogs", {"fromBlock": "0x1", "toBlock": "latest"}),
    rpc("eth_getTransactionReceipt", "0x" + "ab" * 32), rpc("eth_getBlockByHash", "0x" + "ab" * 32, True),
]  # fmt: skip


@pytest.mark.parametrize("naming", NAMING, ids=lambda one: (one.uri + one.request_body.decode())[-60:])
def test_a_request_that_names_a_time_by_then_is_left_alone(naming):
    """Days, months, moments, heights and hashes, in path, query and body: what it asks about had happened."""
    assert faults(naming) == []


SILENT = [
    item(f"{API}/coins/aave"), item(f"{API}/history?date=2025-01-01"), item(f"{API}/r?a={ANCHOR.timestamp + 90_000}"),
    item(f"{API}/blocks/1001"), item(f"{API}/blocks/latest"), item(f"{API}/x?limit=900"),
    item(f"{API}/x?id=20229999"), item(f"{API}/x?id=20229999101010"),
    item("https://r.jina.ai/https://web.archive.org/web/20240615000000id_/https://news.example/"),
    item(f"{API}/x?ids=1230767999"), item(f"{API}/x?n={'1' * 40}"), item(f"{API}/v2/1999-01-01"),
    item(API, {"amount": 7}),
    item(f"{API}/account/0x{'ab' * 20}"), item(API, {"a": 10**400}), item(API, b"\xff\xfe"), item(API, "2024"),
    rpc("eth_getBalance", "0x" + "ab" * 20, "latest"), rpc("eth_blockNumber"), rpc("eth_gasPrice", 7),
    rpc("eth_getBalance", "0x" + "ab" * 20, "0x3e9"),
    rpc("eth_getStorageAt", "0x" + "ab" * 20, "0x" + "0" * 64, "latest"),
    rpc("eth_call", {"to": "0x" + "ab" * 20, "value": "0x1"}, "latest"),
]  # fmt: skip


@pytest.mark.parametrize("silent", SILENT, ids=lambda one: (one.uri + one.request_body.decode("latin-1"))[-60:])
def test_a_request_that_names_none_is_found(silent):
    """Times after the moment, numbers of other kinds, tags and slots do not say which time is asked about."""
    assert len(faults(silent)) == 1


LISTS = [
    ("https://api.coingecko.com/api/v3/coins/list?include_platform=true", [{"id": "a", "symbol": "a", "name": "A"}]),
    ("https://api.llama.fi/protocol/a", {"tvl": [{"date": SECONDS - 900, "totalLiquidityUSD": 1}], "chainTvls": {}}),
    ("https://api.binance.com/api/v3/exchangeInfo", {"symbols": []}),
]


@pytest.mark.parametrize(("uri", "content"), LISTS)
def test_what_tells_of_before_is_no_danger_in_a_live_world(uri, content):
    """Lists and histories of which replay shows what was so by the moment; in other worlds they are found."""
    told = replace(item(uri), body=json.dumps(content).encode())
    assert list(stale_faults([told], ANCHOR, is_live=True)) == [] and len(faults(told)) == 1


def test_what_tells_nothing_of_before_is_found_in_a_live_world_too():
    """Prices, what began later, and a list of another shape."""
    late = {"tvl": [{"date": ANCHOR.timestamp + 9, "totalLiquidityUSD": 1}], "chainTvls": {}}
    bad = [item("https://api.coingecko.com/api/v3/simple/price?ids=a"), item(LISTS[0][0]),
           replace(item(LISTS[1][0]), body=json.dumps(late).encode())]  # fmt: skip
    (line,) = stale_faults(bad, ANCHOR, is_live=True)
    assert line.startswith("3 made after")
