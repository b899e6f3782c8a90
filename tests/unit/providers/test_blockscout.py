import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout import BlockscoutProvider
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


def module(**told: Any) -> HttpRequest:
    """A request in Etherscan's form."""
    return HttpRequest("GET", f"{HOST}/api?{urlencode(told)}")


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


@pytest.mark.parametrize("version", [11, 12])
@pytest.mark.parametrize("path", [*LISTS, HOLDERS])
def test_a_recorded_list_is_read_as_the_living_one(path: str, version: int) -> None:
    """At its own moment every page is the recording itself, however the explorer's keys are made."""
    explorer = Explorer(version)
    recordings = record(explorer, PROVIDER, [get(path)], NOW)
    assert len(recordings) == 3
    for found in recordings:
        assert replayed(PROVIDER, recordings, found.request, NOW) is found.reply
        assert PROVIDER.family(found.request) == PROVIDER.family(get(path))


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


def test_what_is_told_of_now_alone_is_a_miss_at_another_moment() -> None:
    """Holders, balances and an explorer's own refusals belong to their moment."""
    for asked in (get(HOLDERS), get(f"addresses/{ACCOUNT}"), get(f"transactions/0x{168:064x}")):
        recordings = record(EXPLORER, PROVIDER, [asked], NOW)
        assert replayed(PROVIDER, recordings, asked, NOW) is not None
        for moment in (NOW - 7_200, NOW + 7_200):
            assert replayed(PROVIDER, recordings, asked, moment) is None


def test_a_mined_transaction_is_told_of_later_without_what_changes() -> None:
    """Prices, confirmations and labels of the recording's day are left out; before it was mined it is a miss."""
    asked = get(f"transactions/0x{30:064x}")
    recordings = record(EXPLORER, PROVIDER, [asked], LATER)
    reply = replayed(PROVIDER, recordings, asked, NOW)
    assert reply is not None
    assert json.loads(reply.body) == settled_by_hand(json.loads(EXPLORER(asked, NOW).body))
    assert replayed(PROVIDER, recordings, asked, time_of(30) - 1) is None
    assert replayed(PROVIDER, recordings, asked, LATER) is recordings[0].reply


def test_a_list_recorded_earlier_or_in_part_proves_no_more_than_it_holds() -> None:
    """The newest rows of now are on no page of before, and behind a missing page nothing is known."""
    early = record(EXPLORER, PROVIDER, [get(LISTS[0])], NOW - 3_600)
    assert replayed(PROVIDER, early, get(LISTS[0]), NOW) is None
    part = record(EXPLORER, PROVIDER, [get(LISTS[0])], LATER)[:2]
    assert replayed(PROVIDER, part, get(LISTS[0]), NOW) is not None
    behind = json.loads(EXPLORER(get(LISTS[0]), NOW).body)["next_page_params"]
    assert replayed(PROVIDER, part, get(LISTS[0], block_number=behind["block_number"], index=0), NOW) is None
    assert replayed(PROVIDER, part[1:], get(LISTS[0]), NOW) is None


def test_a_size_means_what_the_explorers_keys_show() -> None:
    """Before version 12 the parameter is a counter, and what an explorer makes of it alone is not recorded."""
    old = record(Explorer(11), PROVIDER, [get(LISTS[1])], NOW)
    assert replayed(PROVIDER, old, get(LISTS[1], items_count=20), NOW) is None
    new = record(EXPLORER, PROVIDER, [get(LISTS[1])], NOW)
    reply = replayed(PROVIDER, new, get(LISTS[1], items_count=20), NOW)
    assert reply is not None and len(json.loads(reply.body)["items"]) == 20
    assert replayed(PROVIDER, new, get(LISTS[1], items_count=101), NOW) is None


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
    for url in (
        "http://base.blockscout.com/api/v2/x",
        f"{HOST}/api/v1/x",
        "https://api.blockscout.com/api/v2/x",
        "https://[",
    ):
        assert not PROVIDER.match(HttpRequest("GET", url))


def test_lists_of_a_whole_chain_are_not_followed() -> None:
    """They have no end worth recording."""
    assert PROVIDER.follow(get("transactions"), EXPLORER(get(LISTS[0]), NOW)) is None


def test_the_other_interface_is_served_too() -> None:
    """Lists in Etherscan's form narrow; other calls are of their moment."""
    asked = module(module="account", action="txlist", address=ACCOUNT, sort="asc", page=2, offset=7)
    reply = replayed(PROVIDER, record(EXPLORER, PROVIDER, [asked], NOW), asked, NOW)
    assert reply is not None and same(reply, EXPLORER(asked, NOW))
    balance = module(module="account", action="balance", address=ACCOUNT)
    recordings = record(EXPLORER, PROVIDER, [balance], NOW)
    assert replayed(PROVIDER, recordings, balance, NOW) is recordings[0].reply
    assert replayed(PROVIDER, recordings, balance, NOW + 3_600) is None


def test_hostile_bodies_are_misses() -> None:
    """What no explorer sends proves nothing; later is no answer, and a bad key's refusal comes last."""
    asked = [get(LISTS[0]), get(HOLDERS), get(f"transactions/0x{30:064x}"), get(f"addresses/{ACCOUNT}"),
             module(module="account", action="txlist", address=ACCOUNT, sort="asc")]  # fmt: skip
    survives(PROVIDER, record(EXPLORER, PROVIDER, asked, NOW), asked, NOW)
    for status, is_told in ((401, True), (429, False), (503, False), (404, False)):
        found = Recorded(asked[1], HttpReply(status, EXPLORER(asked[1], LATER).headers, b"{}"))
        assert (replayed(PROVIDER, [found], asked[1], NOW) is not None) == is_told
    with pytest.raises(Miss):
        PROVIDER.family(HttpRequest("GET", f"{HOST}/api/v2/x?a=1&a=2"))
