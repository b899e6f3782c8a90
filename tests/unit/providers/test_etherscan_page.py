"""Recorded pages and what they prove, drawn and checked row by row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import canonical_bytes
from caia_replay.core.provider import HttpReply, Recorded
from caia_replay.errors import Miss
from caia_replay.providers.etherscan.page import runs_of, window_of
from caia_replay.providers.etherscan.request import ENDLESS, Window
from tests.etherscan_law import asked

NOW = 1_717_200_000
DATE = "Sat, 01 Jun 2024 00:00:00 GMT"
BLOCKS = (3, 3, 5, 8, 8, 8, 9, 12, 20, 20)
"""The blocks of a list's rows, of which each has its place as its hash."""


def rows_between(first: int, last: int, descending: bool = False) -> list[dict[str, str]]:
    rows = [{"blockNumber": str(block), "timeStamp": str(NOW - 100 + block), "hash": str(at)}
            for at, block in enumerate(BLOCKS) if first <= block <= last]  # fmt: skip
    return rows[::-1] if descending else rows


def page(window: Window, date: str = DATE, rows: list[dict[str, str]] | None = None) -> Recorded:
    if rows is None:
        rows = rows_between(window.first, window.last, window.descending)[window.start : window.stop]
    content: Any = {"status": "1", "message": "OK", "result": rows}
    if not rows:
        content = {"status": "0", "message": "No transactions found", "result": []}
    request = asked(chainid=1, module="account", action="txlist", address="0x" + "ab" * 20, page=window.page,
                    offset=window.offset, startblock=window.first, endblock=window.last,
                    sort="desc" if window.descending else "asc")  # fmt: skip
    return Recorded(request, HttpReply(200, {"date": date}, canonical_bytes(content)))


def told(recorded: list[Recorded], window: Window, now: int = NOW, newest: int | None = None) -> list[str]:
    found = window_of(runs_of(recorded, now, lambda moment: None), window, now, newest)
    return [row["hash"] for row in found]


def truth(window: Window, now: int = NOW) -> list[str]:
    rows = [row for row in rows_between(window.first, window.last, window.descending) if int(row["timeStamp"]) <= now]
    return [row["hash"] for row in rows[window.start : window.stop]]


windows = st.builds(
    lambda first, more, *rest: Window(first, min(ENDLESS, first + more), *rest),
    st.integers(0, 22),
    st.sampled_from((0, 3, 9, ENDLESS)),
    st.booleans(),
    st.integers(1, 3),
    st.integers(1, 12),
)


@given(st.lists(windows, max_size=5), windows, st.integers(NOW - 100, NOW))
def test_whatever_is_answered_is_true(recorded: list[Window], window: Window, now: int) -> None:
    """Any pages, any question, any moment: the true rows or a miss."""
    try:
        found = told([page(one) for one in recorded], window, now)
    except Miss:
        return
    assert found == truth(window, now)


@given(windows, windows, st.integers(NOW - 100, NOW))
def test_a_whole_list_answers_everything_within_it(wide: Window, window: Window, now: int) -> None:
    """Every part of a range that was recorded to its end, in either order, at any earlier moment."""
    whole = Window(wide.first, ENDLESS, wide.descending, 1, 50)
    inside = Window(max(window.first, whole.first), max(window.last, whole.first), *(
        window.descending, window.page, window.offset))  # fmt: skip
    assert told([page(whole)], inside, now) == truth(inside, now)


@given(st.integers(1, 9), st.integers(1, 4), windows)
def test_pages_that_follow_one_another_are_one_list(offset: int, count: int, window: Window) -> None:
    """All pages of a list say what the list says, whatever their length; some of them say its beginning."""
    pages = [page(Window(0, ENDLESS, False, number, offset)) for number in range(1, 12)]
    assert told(pages, window) == truth(window)
    first = Window(0, ENDLESS, False, 1, offset * count)
    assert told(pages[:count], first) == truth(first)


def test_a_full_page_proves_nothing_behind_it() -> None:
    """The block it stopped in may go on."""
    recorded = [page(Window(0, ENDLESS, False, 1, 5))]
    assert told(recorded, Window(0, 7, False, 1, 50)) == ["0", "1", "2"]
    assert told(recorded, Window(8, 8, False, 1, 2)) == ["3", "4"]
    for beyond in (Window(0, 8, False, 1, 50), Window(8, 8, False, 1, 3), Window(9, 9, False, 1, 1)):
        with pytest.raises(Miss) as miss:
            told(recorded, beyond)
        assert "blocks 0 to 7" in miss.value.detail.nearest


def test_what_was_recorded_earlier_knows_nothing_later() -> None:
    """Up to its newest row, or where headers tell more; the newest block ends an open range."""
    before = page(Window(0, ENDLESS, False, 1, 50), "Fri, 31 May 2024 00:00:00 GMT")
    assert told([before], Window(0, 19, False, 1, 50)) == truth(Window(0, 19, False, 1, 50))
    with pytest.raises(Miss):
        told([before], Window(0, 25, False, 1, 50))
    runs = runs_of([before], NOW, lambda moment: 30)
    assert len(window_of(runs, Window(0, 25, False, 1, 50), NOW, None)) == len(BLOCKS)
    recorded = [page(Window(0, 25, False, 1, 50))]
    with pytest.raises(Miss):
        told(recorded, Window(0, ENDLESS, False, 1, 50))
    assert told(recorded, Window(0, ENDLESS, False, 1, 50), newest=25) == truth(Window(0, ENDLESS, False, 1, 50))
    assert told([], Window(26, 30, False, 1, 50), newest=25) == []
    pages = [page(Window(0, ENDLESS, True, number, 4)) for number in (1, 2)]
    assert told(pages, Window(0, ENDLESS, True, 1, 8)) == truth(Window(0, ENDLESS, True, 1, 8))
    later = page(Window(0, ENDLESS, True, 2, 4), "Sat, 01 Jun 2024 00:10:00 GMT")
    with pytest.raises(Miss):
        told([pages[0], later], Window(0, ENDLESS, True, 1, 8))


@pytest.mark.parametrize(("date", "knows"), [("Fri, 31 May 2024 23:59:00 GMT", False), (DATE, True)])
def test_a_list_of_a_minute_ago_knows_nothing_of_that_minute(date: str, knows: bool) -> None:
    """An empty list of just before the moment proves nothing of the moment, unless no block was made since."""
    none = page(Window(500, ENDLESS, False, 1, 50), date)
    if knows:
        assert told([none], Window(500, ENDLESS, False, 1, 50)) == []
        return
    with pytest.raises(Miss):
        told([none], Window(500, ENDLESS, False, 1, 50))
    assert window_of(runs_of([none], NOW, lambda moment: 600), Window(500, ENDLESS, False, 1, 50), NOW, 600) == []


def test_a_page_with_rows_of_another_question_proves_nothing() -> None:
    """Rows outside its range, or times that run against the blocks, would cut a list short."""
    for rows in ([row_at(9, 9)], [row_at(12, -7)], [row_at(12, 9), row_at(13, -7)], [row_at(-5, -9)]):
        wrong = page(Window(10, 20, False, 1, 50), rows=rows)
        found = runs_of([wrong], NOW, lambda moment: None)
        assert bool(found) == (rows == [row_at(12, -7)])


def row_at(block: int, seconds: int) -> dict[str, str]:
    return {"blockNumber": str(block), "timeStamp": str(NOW + seconds), "hash": f"row {block}"}


def test_pages_that_contradict_each_other_are_a_miss() -> None:
    """Other transactions in blocks both know; what differs elsewhere, or is only told otherwise, is none of it."""
    whole, window = page(Window(0, ENDLESS, False, 1, 50)), Window(0, 15, False, 1, 50)
    for rows in ([row_at(8, -92)], []):
        other = page(Window(0, 30, False, 1, 50), rows=rows)
        for recorded in ([whole, other], [other, whole]):
            with pytest.raises(Miss) as miss:
                told(recorded, window)
            assert "contradict" in miss.value.detail.nearest
        again = page(Window(0, ENDLESS, False, 1, 50), "Sun, 02 Jun 2024 00:00:00 GMT", rows)
        with pytest.raises(Miss):
            told([again, whole], window)
    elsewhere = page(Window(17, 30, False, 1, 50), rows=[row_at(18, -82)])
    named = page(Window(0, 30, True, 1, 50), rows=[{**row, "functionName": "f"} for row in rows_between(0, 30, True)])
    assert told([elsewhere, whole, named], window) == truth(window)


@pytest.mark.parametrize("rows", [[{"hash": "0"}], [{"blockNumber": "x", "timeStamp": "1"}],
                                  [{"blockNumber": str(block), "timeStamp": "1"} for block in (5, 3)]])  # fmt: skip
def test_rows_that_cannot_be_read_prove_nothing(rows: list[dict[str, str]]) -> None:
    """Without a block, with another word for one, or out of order."""
    one = page(Window(0, ENDLESS, False, 1, 50))
    content = canonical_bytes({"status": "1", "message": "OK", "result": rows})
    assert runs_of([Recorded(one.request, HttpReply(200, one.reply.headers, content))], NOW, lambda moment: None) == []
