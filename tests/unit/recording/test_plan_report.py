"""A plan told to people and to machines, and the vendors' terms it is counted on."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.recording.api_key import HOSTS, KEYS
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import duration_text, plan_json, plan_lines
from caia_replay.recording.plan_task import PlannedRequest, PlannedTask, TaskPlan
from caia_replay.recording.plan_terms import NODE, all_terms, read_terms, terms_of

NOW = 1_746_143_999
PRICE = PlannedTask(
    "caia-001", Anchor("ethereum", -1, NOW), "date",
    GoldChain((GoldStep("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"}),), "$1.price"), "fixed",
)  # fmt: skip
POSTS = replace(
    PRICE, id="caia-002", gold=GoldChain((GoldStep("twitter_search", {"query": "unlock"}),), ""),
    why_not="needs judgement", note="a note\nof two lines",
)  # fmt: skip
CHAIN = replace(PRICE, id="caia-003", gold=GoldChain((GoldStep("block_query", {"block": 7}),), "$1.number"))
NOTHING = replace(
    PRICE, id="caia-004", gold=GoldChain((), ""), why_not="no provider", needs=("an index",), note="why",
    requests=(HttpRequest("GET", "https://a.example/x"),),
)  # fmt: skip
WRONG = replace(PRICE, id="caia-005", gold=GoldChain((GoldStep("price_feed", {"asset": "id:a", "at": "1999"}),), "$1"))
PLANS = plan_tasks([PRICE, POSTS, CHAIN, NOTHING, WRONG])
LINES = plan_lines(PLANS)


def test_a_task_is_one_line() -> None:
    """It begins with id and status, and no note breaks it; a chain that the tools refuse is as good as none."""
    assert [line.split(":")[0] for line in LINES[:5]] == [
        "caia-001 recordable", "caia-002 recordable", "caia-003 recordable", "caia-004 needs provider",
        "caia-005 needs provider",
    ]  # fmt: skip
    assert not [line for line in LINES if "\n" in line]
    assert "a note of two lines" in LINES[1] and LINES[1].endswith("2 calls, 2 s, 1.00 USD; X_BEARER_TOKEN")


def test_the_summary_tells_all_together() -> None:
    """Statuses, strangers, refusals, keys with their tasks, what is paid for, and calls, time and cost."""
    text = "\n".join(LINES[5:])
    assert LINES[5] == "5 tasks: 3 recordable, 2 needs provider, 0 unanchored"
    assert "no provider speaks for: a.example (caia-004)" in LINES
    assert "refused by the tools as they are written: caia-005 step 1 (price_feed)" in text
    assert "key X_BEARER_TOKEN: 1 task: caia-002" in LINES
    assert "key COINGECKO_DEMO_API_KEY, for a better pace: 1 task: caia-001" in LINES
    assert "paid X search: reading posts is paid by the post, the full archive included: 2 calls, 1.00 USD" in text
    assert "archive node" in text and "no price by the call is published" in text
    assert LINES[-1].startswith("in all 6 calls (5 requests, 5 different), ")
    assert "1.00 USD, without archive node; terms as of 20" in LINES[-1]


def test_no_line_is_cut_and_none_moves_a_terminal() -> None:
    """A key's tasks are all named, however many; what a stranger's note holds is shown and not obeyed."""
    many = plan_lines(plan_tasks([replace(POSTS, id=f"caia-{at:03d}", note="\x1b[2J\u202e") for at in range(200)]))
    assert all(f"caia-{at:03d}" in next(line for line in many if line.startswith("key X_")) for at in range(200))
    assert all(line.isprintable() for line in many)


def test_the_json_says_what_the_lines_say() -> None:
    """The same tasks in the same order with every field under its name, and sums that are the tasks' own."""
    told = json.loads(json.dumps(plan_json(PLANS)))
    assert [task["id"] for task in told["tasks"]] == [plan.id for plan in PLANS]
    for task in told["tasks"]:
        assert set(task) == set(TaskPlan.__slots__)
        assert all(set(one) == set(PlannedRequest.__slots__) for one in task["requests"])
    assert told["tasks"][2]["chain_calls"] == {"ethereum": {"eth_getBlockByNumber": 1}}
    assert told["summary"]["statuses"] == {"recordable": 3, "needs provider": 2, "unanchored": 0}
    assert told["summary"]["calls"] == sum(task["calls"] for task in told["tasks"])
    assert Decimal(told["summary"]["seconds"]) == sum(Decimal(task["seconds"]) for task in told["tasks"])
    assert told["summary"]["paid"]["X search"]["source"].startswith("https://docs.x.com/")
    assert plan_lines(())[0] == "0 tasks: 0 recordable, 0 needs provider, 0 unanchored"
    assert len(plan_lines(())) == 2 and plan_lines(())[-1].startswith("in all 0 calls")
    lengths = {"0": "0 s", "0.4": "0 s", "119": "119 s", "120": "2 min", "7199": "120 min", "9000": "2.5 h"}
    assert {seconds: duration_text(Decimal(seconds)) for seconds in lengths} == lengths


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
    """Names are told once, paid rows say for what, keys are the recorder's own, and each of its hosts has terms."""
    terms = all_terms()
    assert len({one.name for one in terms}) == len(terms)
    assert {one.key for one in terms} <= {key.variable for key in KEYS} | {"CAIA_REPLAY_RPC_URL", ""}
    for one in terms:
        assert one.source and len(one.date) == len("2026-01-01") and one.seconds > 0 and one.pages >= 1
        assert one.why if one.tier == "paid" else one.usd_per_call == 0, one.name
    for host in sorted(HOSTS):
        path = "2/tweets" if host == "api.x.com" else "v2/api?action=x"
        assert terms_of(f"https://{host}/{path}").name != "other addresses", host
    with pytest.raises(BadInput, match="no terms are known"):
        terms_of("ftp://a.example/")


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


@pytest.mark.parametrize(
    ("row", "words"),
    [(ROW.replace("seconds = 0.1\n", ""), "has no 'seconds'"), (ROW + "price = 1\n", "'price' is no field"),
     (ROW.replace('"free"', '"cheap"'), "tier is free or paid")],
)  # fmt: skip
def test_a_wrong_row_is_refused_by_its_number(row: str, words: str) -> None:
    """The row and the field are named; a figure is the decimal that was written, a paid row may be unpriced."""
    with pytest.raises(BadInput, match=f"row 1: .*{words}"):
        read_terms(row)
    free, paid = read_terms(ROW + ROW.replace('"free"', '"paid"'))
    assert (free.seconds, free.usd_per_call, paid.usd_per_call) == (Decimal("0.1"), 0, None)
