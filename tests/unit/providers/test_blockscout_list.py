import json
from email.utils import formatdate
from typing import Any

import pytest

from caia_replay.core.provider import HttpReply, HttpRequest, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.blockscout_list import list_page
from caia_replay.providers.blockscout_question import question_of

NOW = 1_700_000_000
URL = "https://eth.blockscout.com/api/v2/addresses/0x1/transactions"


def row(block: int, stamp: str = "2023-11-14T00:00:00Z") -> dict[str, Any]:
    """A transaction."""
    return {"hash": f"0x{block}", "block_number": block, "timestamp": stamp}


def page(rows: Any, after: Any = None, query: str = "", made: int = NOW + 10**6) -> Recorded:
    """A recorded page."""
    body = json.dumps({"items": rows, "next_page_params": after}).encode()
    return Recorded(HttpRequest("GET", URL + query), HttpReply(200, {"date": formatdate(made, usegmt=True)}, body))


def listed(recorded: list[Recorded], query: str = "") -> Any:
    """What recorded pages prove."""
    told = [(question_of(one.request), one) for one in recorded]
    return json.loads(list_page(told, question_of(HttpRequest("GET", URL + query)), NOW, "w").body)


def test_rows_of_later_are_cut_and_pages_join() -> None:
    """A page begins where another one says that the list goes on."""
    late = row(9, "2023-12-01T00:00:00Z")
    found = listed([page([late, row(5)], {"index": 1}), page([row(4)], None, "?index=1")])
    assert [one["block_number"] for one in found["items"]] == [5, 4] and found["next_page_params"] is None


def test_a_derived_page_leads_on_by_a_row_of_its_own() -> None:
    """Its key names the last row, and the page that is asked for with it begins after that row."""
    rows = [row(block) for block in range(70, 0, -1)]
    told = [page(rows[:60], {"index": 1}), page(rows[60:], None, "?index=1")]
    first = listed(told)
    assert len(first["items"]) == 50 and first["next_page_params"] == {"block_number": 21, "hash": "0x21"}
    rest = listed(told, "?block_number=21&hash=0x21")
    assert [one["block_number"] for one in rest["items"]] == list(range(20, 0, -1))
    assert len(listed(told, "?index=1&items_count=3")["items"]) == 3


@pytest.mark.parametrize(
    ("recorded", "query"),
    [
        ([page([row(5)], {"index": 1})], ""),
        ([page([row(5)], None, made=NOW - 901)], ""),
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
