"""Tests for caia_replay.providers.binance_series."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caia_replay.core.provider import HttpReply
from caia_replay.errors import Miss
from caia_replay.providers.binance_series import (
    Stretch,
    Window,
    fits,
    held,
    joined,
    number_of,
    picked,
    sliced,
    window_of,
)
from caia_replay.providers.endpoint import Endpoint

REPLY = HttpReply(200, {}, b"[]")


@pytest.mark.parametrize(
    ("window", "times", "made", "sure", "wanted"),
    [(Window(10, 99, 5), [20, 30], 1000, True, (10, 100)), (Window(10, None, 2), [20, 30], 1000, True, (10, 31)),
     (Window(None, 99, 2), [20, 30], 1000, True, (20, 100)), (Window(None, None, 5), [20, 30], 1000, True, (0, 1001)),
     (Window(10, 99, 5), [20, 30], 50, True, (10, 51)), (Window(10, 99, 5), [20, 30], None, True, (10, 30)),
     (Window(10, 99, 2), [20, 30], 1000, False, (20, 31)), (Window(10, 99, 7), [], None, True, (10, 0))],
)  # fmt: skip
def test_what_a_reply_tells_of(
    window: Window, times: list[int], made: int | None, sure: bool, wanted: tuple[int, int]
) -> None:
    """A full reply to its last row or from its first; a short one its window, up to the moment it was made."""
    assert held(window, times, made, 1000, 0, sure) == wanted


def test_a_limit_above_the_vendors_counts_as_the_vendors() -> None:
    """Who asked for more than there is may have been cut."""
    assert held(Window(10, None, 5000), [20, 30], 1000, 2) == (10, 31)


def test_stretches_that_touch_are_one_and_contradictions_are_a_miss() -> None:
    """Overlapping recordings must agree, on rows and on there being none."""
    pieces = [Stretch(0, 10, {3: "a"}, REPLY), Stretch(10, 20, {12: "b"}, REPLY), Stretch(30, 40, {}, REPLY)]
    assert joined(pieces, "rows") == ([(0, 20), (30, 40)], {3: "a", 12: "b"})
    for other in ({12: "c"}, {}, {12: "b", 13: "d"}):
        with pytest.raises(Miss, match="contradict"):
            joined([*pieces, Stretch(11, 15, other, REPLY)], "rows")


def test_a_window_is_answered_from_one_unbroken_stretch() -> None:
    """The first rows with a start, the last without; a gap is a miss unless the limit is reached before it."""
    spans, rows = [(0, 20), (30, 40)], {3: "a", 12: "b", 33: "c"}

    def pick(window: Window, sure: bool = True) -> list[str]:
        return picked(window, window.top(39), spans, rows, limit=window.limit, lowest=0, what="rows", sure=sure)

    assert pick(Window(0, None, 2)) == ["a", "b"] and pick(Window(4, 19, 9)) == ["b"]
    assert pick(Window(None, None, 1)) == ["c"] and pick(Window(None, 19, 9)) == ["a", "b"]
    assert pick(Window(50, None, 5)) == [] and pick(Window(0, 19, 2), False) == ["a", "b"]
    for window, sure in ((Window(0, None, 3), True), (Window(None, None, 2), True), (Window(0, 19, 1), False)):
        with pytest.raises(Miss, match="held without a gap: 1970-01-01"):
            pick(window, sure)


def test_windows_are_plain_numbers() -> None:
    """Anything else, and one that ends before it starts, is none."""
    for wrong in ({"limit": "0"}, {"limit": "x"}, {"startTime": "-5"}, {"startTime": "9", "endTime": "8"}):
        assert window_of(Endpoint("", "", wrong), 500) is None
    assert window_of(Endpoint("", "", {"endTime": "8"}), 500) == Window(None, 8, 500)


def test_a_time_of_more_than_thirteen_digits_is_not_read() -> None:
    """The spot market takes microseconds too: read as milliseconds they would lie far after everything."""
    for name in ("startTime", "endTime", "limit"):
        assert window_of(Endpoint("", "", {name: "1700006400000000"}), 500) is None
    assert window_of(Endpoint("", "", {"startTime": "9999999999999"}), 500) == Window(9_999_999_999_999, None, 500)
    assert [number_of(text) for text in ("7", "\u00b2", "\u0668", "-1", "", "1" * 5000)] == [7] + [None] * 5


def test_rows_outside_the_window_or_after_the_moment_do_not_fit() -> None:
    """Nor does a moment no calendar has; a date drops the fraction of its second."""
    assert (
        fits(Window(10, 20, 5), [10, 20], 20) and fits(Window(10, 20, 5), [], 0) and fits(Window(0, None, 5), [999], 0)
    )
    for window, times, made in (
        (Window(10, 20, 5), [9, 15], 50), (Window(10, 20, 5), [15, 21], 50), (Window(None, None, 5), [1_000], 0),
        (Window(None, None, 5), [1_700_006_400_000_000], None),
    ):  # fmt: skip
        assert not fits(window, times, made)


class _Counting(dict[int, str]):
    """Rows that count how often they are walked through."""

    walks = 0

    def __iter__(self) -> Iterator[int]:
        self.walks += 1
        return super().__iter__()


def test_every_piece_is_walked_through_once_and_none_outside_what_is_asked() -> None:
    """However many pieces there are; and a contradiction that nobody asked about spoils nothing."""
    rows = [_Counting({number: "a", number + 1: "b"}) for number in range(0, 200, 2)]
    pieces = [Stretch(number, number + 2, part, REPLY) for number, part in zip(range(0, 200, 2), rows, strict=True)]
    odd = Stretch(150, 152, {150: "z"}, REPLY)
    assert joined([*pieces, odd], "rows", 10, 20)[0] == [(10, 20)]
    assert [part.walks for part in rows] == [0] * 5 + [1] * 5 + [0] * 90
    spans, both = joined(pieces, "rows")
    assert spans == [(0, 200)] and list(both) == list(range(200)) and sum(part.walks for part in rows) == 105
    assert [list(piece.rows) for piece in sliced([(0, 2), (5, 6)], both, REPLY)] == [[0, 1], [5]]
