"""Blockscout's provider: the law of both interfaces against a living explorer, and what proves nothing."""

import json
from email.utils import formatdate
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout import BlockscoutProvider
from caia_replay.providers.blockscout_list import list_page
from caia_replay.providers.blockscout_module import (
    is_read,
    module_answer,
    module_family,
    module_widened,
)
from caia_replay.providers.blockscout_question import question_of
from caia_replay.providers.etherscan_question import question_of as module_question_of
from tests.adapter_law import record, replayed, survives
from tests.living_blockscout import ACCOUNT, EARLY_PAGE, TOKEN, Explorer, settled_by_hand, time_of
from tests.provider_law import same

HOST = "https://base.blockscout.com"
PROVIDER, EXPLORER = BlockscoutProvider(), Explorer()
NOW, LATER = time_of(120) + 5, time_of(169) + 10**6
LISTS = [f"addresses/{ACCOUNT}/transactions", f"tokens/{TOKEN}/transfers"]
HOLDERS = f"tokens/{TOKEN}/holders"


def get(path: str, host: str = HOST, **told: Any) -> HttpRequest:
    """A REST request."""
    return HttpRequest("GET", f"{host}/api/v2/{path}{'?' if told else ''}{urlencode(told)}")


def walk(live_or_replay: Any, path: str, **told: Any) -> list[dict[str, Any]]:
    """All rows of a list, page after page as a client reads it, at most ten pages."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] | None = {}
    for _ in range(11):
        if cursor is None:
            return rows
        content = json.loads(live_or_replay(get(path, **told, **cursor)).body)
        rows += content["items"]
        cursor = content["next_page_params"]
        cursor = None if cursor is None else {name: value for name, value in cursor.items() if value is not None}
    raise AssertionError("a list without an end")


@settings(max_examples=30)
@given(st.sampled_from(LISTS), st.integers(1, 150), st.integers(1, 100), st.booleans())
def test_pages_of_every_size_and_moment_are_the_living_ones(path: str, block: int, size: int, is_late: bool) -> None:
    """What was mined by then, as it would be told of any other moment; the keys of derived pages lead on."""
    now = time_of(block) + 5
    recordings = record(EXPLORER, PROVIDER, [get(path)], LATER if is_late else now)

    def replay(request: HttpRequest) -> HttpReply:
        reply = replayed(PROVIDER, recordings, request, now)
        assert reply is not None, request.url
        return reply

    expected = walk(lambda request: EXPLORER(request, now), path)
    expected = [settled_by_hand(row) for row in expected] if is_late else expected
    first = json.loads(replay(get(path)).body)
    assert first["items"] == expected[:EARLY_PAGE]
    if block > EARLY_PAGE:
        assert walk(replay, path, items_count=max(size, 15)) == expected
    sized = get(path, items_count=size)
    if block > EARLY_PAGE or block <= min(size, EARLY_PAGE):
        assert json.loads(replay(sized).body)["items"] == expected[:size]
    elif not is_late:
        # No key of this list shows what the explorer makes of the parameter.
        assert replayed(PROVIDER, recordings, sized, now) is None


def test_chains_are_told_apart_by_host_and_number() -> None:
    """One list on two explorers is two lists; the pooled host has the chain in its path or as a parameter."""
    families = {PROVIDER.family(get(LISTS[0], host)) for host in (HOST, "https://eth.blockscout.com")}
    families |= {PROVIDER.family(get(LISTS[0], f"https://api.blockscout.com/{chain}")) for chain in (10, 8453)}
    families |= {PROVIDER.family(HttpRequest("GET", f"https://api.blockscout.com/v2/api?chain_id={chain}&module=a&action=b"))
                 for chain in (10, 8453)}  # fmt: skip
    assert len(families) == 6
    keyed = get(LISTS[0], apikey="SCRUBBED")
    assert PROVIDER.family(keyed) == PROVIDER.family(get(LISTS[0]))
    following = PROVIDER.follow(keyed, EXPLORER(keyed, NOW))
    assert following is not None and "apikey=SCRUBBED" in following.url
    own = "https://explorer.chain.example"
    assert BlockscoutProvider({"explorer.chain.example"}).match(get("blocks/1", own)) and not PROVIDER.match(
        get("blocks/1", own)
    )
    for url in ("http://base.blockscout.com/api/v2/x", f"{HOST}/api/v1/x", "https://api.blockscout.com/api/v2/x",
                "https://["):  # fmt: skip
        assert not PROVIDER.match(HttpRequest("GET", url))


def test_hostile_bodies_are_misses() -> None:
    """What no explorer sends proves nothing; later is no answer, and a bad key's refusal comes last."""
    asked = [get(LISTS[0]), get(HOLDERS), get(f"transactions/0x{30:064x}"), get(f"addresses/{ACCOUNT}"),
             ask(sort="asc")]  # fmt: skip
    survives(PROVIDER, record(EXPLORER, PROVIDER, asked, NOW), asked, NOW)
    for status, is_told in ((401, True), (429, False), (503, False), (404, False)):
        found = Recorded(asked[1], HttpReply(status, EXPLORER(asked[1], LATER).headers, b"{}"))
        assert (replayed(PROVIDER, [found], asked[1], NOW) is not None) == is_told
    with pytest.raises(Miss):
        PROVIDER.family(HttpRequest("GET", f"{HOST}/api/v2/x?a=1&a=2"))


PAGE_NOW = 1_700_000_000
URL = "https://eth.blockscout.com/api/v2/addresses/0x1/transactions"


def row(block: int, stamp: str = "2023-11-14T00:00:00Z") -> dict[str, Any]:
    """A transaction."""
    return {"hash": f"0x{block}", "block_number": block, "timestamp": stamp}


def page(rows: Any, after: Any = None, query: str = "", made: int = PAGE_NOW + 10**6) -> Recorded:
    """A recorded page."""
    body = json.dumps({"items": rows, "next_page_params": after}).encode()
    return Recorded(HttpRequest("GET", URL + query), HttpReply(200, {"date": formatdate(made, usegmt=True)}, body))


def listed(recorded: list[Recorded], query: str = "") -> Any:
    """What recorded pages prove."""
    told = [(question_of(one.request), one) for one in recorded]
    return json.loads(list_page(told, question_of(HttpRequest("GET", URL + query)), PAGE_NOW, "w").body)


@pytest.mark.parametrize(
    ("recorded", "query"),
    [
        ([page([row(5)], {"index": 1})], ""),
        ([page([row(5)], None, made=PAGE_NOW - 901)], ""),
        ([page([row(5)], None, "?index=1")], ""),
        ([page([row(5)], None)], "?index=7"),
        ([page([row(5)], None)], "?items_count=x"),
        ([page([row(5), row(5)], None)], ""),
        ([page([row(5)], {"index": 1}), page([row(5)], None, "?index=1")], ""),
        ([page([row(5)], {"index": 1}), page([row(4)], {"index": 1}, "?index=1")], ""),
        ([page([row(5)], {"inserted_at": None})], ""),
        ([page([{"block_number": 1}], None)], ""),
        ([page([1], None)], ""),
        ([page([], {"index": 1})], ""),
        ([page([row(5)], "more")], ""),
        ([], ""),
    ],
)
def test_what_pages_do_not_prove_is_a_miss(recorded: list[Recorded], query: str) -> None:
    """Missing, earlier, repeated, circular and malformed pages, and places nobody recorded."""
    with pytest.raises(Miss):
        listed(recorded, query)


def ask(action: str = "txlist", **told: Any) -> HttpRequest:
    """A request in Etherscan's form."""
    module = {"getLogs": "logs", "balance": "account"}.get(action, "account")
    told = {"address": TOKEN if module == "logs" else ACCOUNT, **told}
    query = urlencode({"module": module, "action": action, **told})
    return HttpRequest("GET", f"https://base.blockscout.com/api?{query}")


def replay(asked: HttpRequest, made: int, now: int = NOW) -> HttpReply:
    """What is answered out of the widened recordings of ``made``."""
    recordings = [Recorded(one, EXPLORER(one, made)) for one in module_widened(asked)]
    assert all(module_family(one.request) == module_family(asked) for one in recordings)
    return module_answer(recordings, asked, now, "w")


blocks = st.integers(0, 130)
windows = st.fixed_dictionaries(
    {"sort": st.sampled_from(["asc", "desc"])}, optional={"startblock": blocks, "endblock": st.integers(130, 180)}
)
pages: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}), st.fixed_dictionaries({"page": st.integers(1, 3), "offset": st.integers(1, 60)})
)


@settings(max_examples=60)
@given(windows, pages, st.booleans())
def test_every_window_of_a_list_is_the_living_one(window: dict[str, Any], page: dict[str, Any], is_late: bool) -> None:
    """Whenever it was recorded; confirmations count from a block nobody recorded and are left out then."""
    asked = ask(**window, **page)
    reply, living = replay(asked, LATER if is_late else NOW), EXPLORER(asked, NOW)
    rows = strict_json(living.body)["result"]
    if is_late:
        rows = [{name: value for name, value in row.items() if name != "confirmations"} for row in rows]
    assert strict_json(reply.body)["result"] == rows
    assert is_late or same(reply, living)


def test_logs_are_a_list_without_pages() -> None:
    """A range out of all of them; without an order, or with half a page, only as recorded; limits are no answers."""
    for first, last in ((5, 119), (5, "latest"), (0, 300)):
        asked = ask("getLogs", fromBlock=first, toBlock=last)
        assert same(replay(asked, LATER), EXPLORER(asked, NOW))
    assert b"No logs found" in replay(ask("getLogs", fromBlock=150, toBlock=160), LATER).body
    for asked in (ask(), ask(sort="asc", page=2), ask("getLogs", fromBlock=1, toBlock=9, page=2, offset=5)):
        assert not is_read(module_question_of(asked)) and asked in module_widened(asked)
        assert replay(asked, NOW).body == EXPLORER(asked, NOW).body
        with pytest.raises(Miss):
            replay(asked, LATER)
    date = EXPLORER(ask("balance"), NOW).headers
    busy = HttpReply(200, date, b'{"status": "0", "message": "NOTOK", "result": "Max rate limit reached"}')
    with pytest.raises(Miss):
        module_answer([Recorded(ask("balance"), busy)], ask("balance"), NOW, "w")
