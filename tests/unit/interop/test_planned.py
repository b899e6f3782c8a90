"""Gold chains as data, what a plan is made for, and which requests of a stranger's import may carry keys."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.provider import HttpRequest
from caia_replay.errors import BadInput
from caia_replay.interop.caia_format import CaiaRow, question_digest, read_rows
from caia_replay.interop.caia_suite import REPORT, import_caia
from caia_replay.interop.gold_row import GOLD, gold_of, read_gold
from caia_replay.interop.harmless_request import is_harmless
from caia_replay.interop.planned import planned_tasks, wanted_requests
from caia_replay.tools.catalog import CATALOG
from tests.live_draft import draft

DIGEST = question_digest("When was block 7?").removeprefix("sha256:")
CHAIN = f"""
[[row]]
id = "7"
question = "{DIGEST}"
moment = "fixed"
result = "$1.timestamp_utc"
steps = [{{ tool = "block_query", arguments = {{ block = 7 }} }}]
"""


def folder(tmp_path: Path, text: str, name: str = "rows_a.toml") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def row(question: str = "When was block 7?") -> CaiaRow:
    return CaiaRow("7", "caia-007", question, "then", "on-chain analysis")


def test_a_chain_is_found_by_id_and_question(tmp_path: Path) -> None:
    """White space aside, another wording is another question, and its chain is not used."""
    rows = read_gold(folder(tmp_path, CHAIN))
    found = gold_of(row("When  was\nblock 7?"), rows)
    assert found is not None and found.chain.result == "$1.timestamp_utc" and found.confirmation == "unverified"
    assert found.tags == ("gold:chain", "moment:fixed")
    assert gold_of(row("When was block 8?"), rows) is None


@pytest.mark.parametrize(("old", "new", "told"), [
    ('result = "$1.timestamp_utc"', "", "needs a result or a why_not"),
    ('moment = "fixed"', 'moment = "fixed"\nwhy_not = "no provider"', "needs a result or a why_not"),
    ('result = "$1.timestamp_utc"', 'why_not = "needs judgement"', "no note"),
    ('result = "$1.timestamp_utc"', 'why_not = "no provider"\nnote = "x"', "names what it needs"),
    ('moment = "fixed"', 'moment = "now"', "not one of"),
    ('moment = "fixed"', 'moment = "fixed"\nrequests = [{ method = "PUT", url = "https://a.io" }]', "no request"),
    ('moment = "fixed"', 'moment = "fixed"\nanswer = "42"', "unknown field"),
    ("steps = [{ tool", "steps = []\nunused = [{ tool", "unknown field"),
])  # fmt: skip
def test_a_row_that_is_neither_chain_nor_reason_is_one_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    """What is wrong is said with file and row."""
    assert old in CHAIN
    with pytest.raises(BadInput, match=told) as fault:
        read_gold(folder(tmp_path, CHAIN.replace(old, new)))
    assert "rows_a.toml" in str(fault.value)


def test_one_id_twice_over_all_files_is_refused(tmp_path: Path) -> None:
    """Which of two chains is meant, nobody could say; a mistyped --gold is no reason to import without chains."""
    with pytest.raises(BadInput, match="no rows_"):
        read_gold(tmp_path)
    with pytest.raises(BadInput, match="is no folder"):
        read_gold(tmp_path / "absent")
    folder(tmp_path, CHAIN)
    with pytest.raises(BadInput, match="twice"):
        read_gold(folder(tmp_path, CHAIN, "rows_b.toml"))


def test_our_rows_are_read_and_call_tools_that_there_are() -> None:
    """Every shipped row is whole; its steps name the catalog's tools and parameters."""
    rows = read_gold(GOLD)
    assert len(rows) == 178 and sum(len(row.requests) for row in rows.values()) > 50
    named = [(step.tool, name) for row in rows.values() for step in row.steps for name in step.arguments]
    assert [(tool, name) for tool, name in named if name not in CATALOG[tool].arguments.model_fields] == []


_SCAN = "https://api.etherscan.io/v2/api?chainid=1"
GITHUB, X, GECKO = "https://api.github.com", "https://api.x.com/2", "https://api.coingecko.com/api/v3"
HARMLESS = [
    "https://r.jina.ai/https://a.example/terms?x=1", "https://api.llama.fi/raises",
    f"{GECKO}/coins/cyberconnect?localization=false", f"{GITHUB}/repos/some/thing/releases?per_page=100",
    f"{_SCAN}&module=token&action=tokenholdercount&contractaddress=0x{'11' * 20}",
    "https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=1d",
]  # fmt: skip
PRIVATE = [
    *(f"{GITHUB}/{path}" for path in ("user", "user/repos", "repos/some/thing/contents/secret.txt", "notifications")),
    f"{GITHUB}/repos/a/%2e%2e/releases", f"{X}/dm_events", f"{X}/users/me", f"{X}/tweets/search/all?query=a",
    f"{GECKO}/coins/../key", "https://api.binance.com/api/v3/account", f"{_SCAN}&module=getapilimit&action=getapilimit",
    f"{_SCAN}&module=proxy&action=eth_sendRawTransaction&hex=0x", f"{_SCAN}&module=contract&action=verifysourcecode",
    f"{_SCAN}&module=token&module=proxy&action=tokeninfo", "https://google.serper.dev/account",
    "https://localhost/api", "https://[::1", "not a url", "",
]  # fmt: skip


@given(st.text(max_size=300))
def test_any_text_is_rows_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No file crashes the import."""
    place = tmp_path_factory.mktemp("gold")
    (place / "rows_x.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read_gold(place)
    except BadInput as fault:
        assert "\n" not in str(fault)


@pytest.mark.parametrize("url", HARMLESS)
def test_a_read_of_what_is_public_may_be_sent(url: str) -> None:
    """As a GET, and as nothing else."""
    assert is_harmless(HttpRequest("GET", url))
    for method in ("POST", "DELETE", "get", "PUT"):
        assert not is_harmless(HttpRequest(method, url))
    assert not is_harmless(HttpRequest("GET", url, b"{}"))
    assert not is_harmless(HttpRequest("GET", url.replace("https:", "http:", 1)))
    assert not is_harmless(HttpRequest("GET", url.replace("://", "://me:secret@", 1)))
    assert not is_harmless(HttpRequest("GET", url.replace(".", ".evil.", 1)))


@pytest.mark.parametrize("url", PRIVATE)
def test_an_account_a_price_or_an_unknown_host_may_not(url: str) -> None:
    """However it is spelled."""
    assert not is_harmless(HttpRequest("GET", url))
    assert not is_harmless(HttpRequest("POST", url, b'{"q": "a", "method": "getBlock"}'))


SERPER, SOLANA = "https://google.serper.dev", "https://api.mainnet-beta.solana.com"


@pytest.mark.parametrize(("url", "body", "harmless"), [
    (f"{SERPER}/search", b'{"q": "a"}', True), (f"{SERPER}/search", b"[]", False),
    (f"{SERPER}/images", b'{"q": "a"}', False), (SOLANA, b'{"id": 1, "method": "getTokenLargestAccounts"}', True),
    (SOLANA, b'{"id": 1, "method": "sendTransaction"}', False), (SOLANA, b'{"method": 5}', False),
    (SOLANA, b'{"method": "getBlock", "method": "sendTransaction"}', False), (SOLANA, b"\xff", False),
    ("https://api.dune.com/api/v1/sql/execute", b'{"sql": "SELECT 1"}', False),
])  # fmt: skip
def test_of_posts_a_search_and_a_nodes_reads_may(url: str, body: bytes, harmless: bool) -> None:
    """A query that is charged by its work may not."""
    assert is_harmless(HttpRequest("POST", url, body)) is harmless


ROWS = (
    ("1", "Give the timestamp of Ethereum block 19,000,001", "2024-01-13 20:01:23 UTC", "onchain analysis"),
    ("2", "How many wallets hold Quetzal on Solana?", "12", "onchain analysis"),
    ("3", "Who leads Zanzibarium?", "Quetzal Labs", "project discovery"),
)
GOLD_ROWS = """
[[row]]
id = "1"
question = "{0}"
moment = "fixed"
result = "$1.time_utc"
steps = [{{ tool = "block_query", arguments = {{ block = 19000001 }} }}]
[[row]]
id = "2"
question = "{1}"
moment = "anchor"
why_not = "no provider"
note = "holders are an index's"
needs = ["Solana token index"]
requests = [{{ method = "POST", url = "https://api.mainnet-beta.solana.com", body = '{{"id": 1}}' }}]
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question", "answer", "category"), *ROWS])
    digests = [row.question_digest.removeprefix("sha256:") for row in read_rows(path)]
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "rows_a.toml").write_text(GOLD_ROWS.format(*digests))
    return path


def test_the_file_and_its_import_are_planned_alike(source: Path, tmp_path: Path) -> None:
    """Chains, reasons, needs and requests survive the draft suite; what it wants recorded is found by task."""
    gold, mine = tmp_path / "gold", tmp_path / "cassettes" / "mine"
    import_caia(source, mine, gold)
    of_file = planned_tasks(source, gold)
    assert planned_tasks(mine, gold) == of_file
    assert [(task.id, task.why_not, task.anchor_kind, task.moment) for task in of_file] == [
        ("caia-001", "", "block", "fixed"),
        ("caia-002", "no provider", "assumed", "anchor"),
        ("caia-003", "not anchored", "assumed", "fixed"),
    ]
    assert of_file[1].needs == ("Solana token index",) and of_file[1].requests[0].body == b'{"id": 1}'
    assert [one.url for one in wanted_requests(mine, "caia-002", gold, pytest.fail)] == [SOLANA]
    assert wanted_requests(mine, "caia-001") == wanted_requests(tmp_path, "caia-002") == ()


_GET = {"method": "GET", "url": "https://api.llama.fi/protocols"}
CHAIN_OF = [
    (5, "not a list"), ([5], "not a table"), ([{"method": "GET"}], "url' is missing"),
    ([{"method": "GET", "url": 5}], "not a text"), ([{**_GET, "body": 5}], "not a text"),
    ([{**_GET, "more": 5}], "unknown field"), ([{**_GET, "body": "{}"}], "has a body and is a GET"),
    ([{**_GET, "method": "POST", "body": "{"}], "no JSON"),
    ([{**_GET, "method": "POST", "body": '"\ud800"'}], "no text"),
    ([{**_GET, "url": "https://a.io/\ud800"}], "no address"), ([{**_GET, "url": "https://[::1"}], "no address"),
    ([{**_GET, "url": "https://a.io/" + "x" * 100_000}], "longer than"), ([{**_GET, "method": "GE\nT"}], "no request"),
]  # fmt: skip


def test_a_request_that_no_row_of_the_question_names_is_left_out_and_told(source: Path, tmp_path: Path) -> None:
    """A stranger's import.json may name an account's pages or a paid query: its user's keys go with none of them."""
    world, gold = tmp_path / "mine", tmp_path / "gold"
    import_caia(source, world, gold)
    told = json.loads((world / REPORT).read_text())
    (own,) = told["tasks"][1]["gold"]["requests"]
    strange = [
        {"method": "GET", "url": "https://api.x.com/2/dm_events"},
        {"method": "GET", "url": "https://api.github.com/user/keys"},
        {"method": "POST", "url": "https://api.dune.com/api/v1/sql/execute", "body": '{"sql": "SELECT 1"}'},
        {**own, "body": '{"id": 2}'},
        {**own, "method": "GET", "body": ""},
    ]
    public = {"method": "GET", "url": "https://api.llama.fi/raises"}
    told["tasks"][1]["gold"]["requests"] = [*strange, own, public]
    told["tasks"][0]["gold"]["requests"] = [own]
    (world / REPORT).write_text(json.dumps(told))
    said: list[str] = []
    assert [one.body for one in wanted_requests(world, "caia-002", gold, said.append)] == [b'{"id": 1}', b""]
    assert len(said) == 5 and all("left out" in line for line in said) and "dm_events" in said[0]
    assert wanted_requests(world, "caia-001", gold) == ()
    planned = planned_tasks(world, gold)
    assert planned[0].requests == () and [one.body for one in planned[1].requests] == [b'{"id": 1}', b""]
    assert "holders are an index's; 5 of 7 requests" in planned[1].note
    # Without a folder of rows those that come with the project count, and they have none for these questions.
    assert [one.url for one in wanted_requests(world, "caia-002")] == [public["url"]]


@pytest.mark.parametrize(("gold", "told"), [
    ([1], "not a table"), (None, "not a table"), ({}, "'gold.kind' is missing"), ({"kind": 5}, "gold.kind"),
    ({"kind": ""}, "not one of"), ({"kind": "x\x1b[31m\ny"}, "not one of"),
    ({"kind": "chain", "needs": 5}, "not a list"),
    *(({"kind": "chain", "requests": requests}, told) for requests, told in CHAIN_OF),
    ({"kind": "no provider", "note": "n"}, "names what it needs"),
    ({"kind": "no provider", "note": "n", "needs": ["\ud800"]}, "no text"),
    ({"kind": "needs judgement", "note": "\ud800"}, "no text"), ({"kind": "needs judgement"}, "no note"),
], ids=range(24))  # fmt: skip
def test_a_report_of_another_form_is_one_line_with_file_and_task(tmp_path: Path, gold: Any, told: str) -> None:
    """Whatever a stranger wrote into import.json, planning and recording end in the same words."""
    folder = draft(tmp_path)
    (folder.path / REPORT).write_text(json.dumps({"tasks": [{"task": "t1", "gold": gold}]}))
    for asked in (lambda: planned_tasks(folder.path), lambda: wanted_requests(folder.path, "t1")):
        with pytest.raises(BadInput) as fault:
            asked()
        line = str(fault.value)
        assert told in line and f"{REPORT}, task t1" in line and line.isprintable(), line
