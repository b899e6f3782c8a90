"""Blockscout's provider: the law against a living explorer, and what proves nothing."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout.provider import BlockscoutProvider
from tests.adapter_law import record, replayed, survives
from tests.living_blockscout import ACCOUNT, EARLY_PAGE, TOKEN, Explorer, settled_by_hand, time_of

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


def test_hostile_bodies_are_misses() -> None:
    """What no explorer sends proves nothing; later is no answer, and a bad key's refusal comes last."""
    asked = [get(LISTS[0]), get(HOLDERS), get(f"transactions/0x{30:064x}"), get(f"addresses/{ACCOUNT}")]
    survives(PROVIDER, record(EXPLORER, PROVIDER, asked, NOW), asked, NOW)
    for status, is_told in ((401, True), (429, False), (503, False), (404, False)):
        found = Recorded(asked[1], HttpReply(status, EXPLORER(asked[1], LATER).headers, b"{}"))
        assert (replayed(PROVIDER, [found], asked[1], NOW) is not None) == is_told
    with pytest.raises(Miss):
        PROVIDER.family(HttpRequest("GET", f"{HOST}/api/v2/x?a=1&a=2"))
