from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.errors import ToolError
from caia_replay.search.document import PAGES, POSTS
from caia_replay.search.window import ALWAYS, Window, parse_window
from caia_replay.tools.search_window import told_window, whole_window, window_argument
from caia_replay.world.clock import utc_text

NOW = 1_717_250_000
DAY = 86_400
HOUR = 3_600


@pytest.mark.parametrize(
    ("past", "length"),
    [
        *(("hour", HOUR), ("past day", DAY), ("Last Week", 7 * DAY), ("month", 30 * DAY), ("the past year", 365 * DAY)),
        *(("24h", DAY), ("3 days", 3 * DAY), ("2 weeks", 14 * DAY), ("last 90 minutes", 5_400), ("a week", 7 * DAY)),
        *(("7d", 7 * DAY), ("one month", 30 * DAY), ("'6 months'", 180 * DAY)),
    ],
)
def test_a_length_is_read_as_people_write_it(past: str, length: int) -> None:
    """Words and numbers give the stretch that ends with this second."""
    assert window_argument(past, None, None, NOW).bounds == Window(NOW - length, NOW + 1)


@pytest.mark.parametrize("past", ["", "5m", "0 days", "fortnight", "-1 day", "99999 days", "qdr:w", "day and night"])
def test_a_length_that_cannot_be_read_is_told(past: str) -> None:
    """Nothing is searched without the window that was asked for; a bare m may be a minute or a month."""
    with pytest.raises(ToolError, match="it takes hour, day, week"):
        window_argument(past, None, None, NOW)


@given(first=st.integers(0, NOW), length=st.integers(0, 400 * DAY))
def test_both_days_are_inside(first: int, length: int) -> None:
    """Days written anyhow bound whole days, and the index reads the same out of the words."""
    last = first + length
    window = window_argument(None, utc_text(first), str(last) if last > 10**8 else utc_text(last)[:10], NOW)
    assert window.bounds == Window(first - first % DAY, last - last % DAY + DAY)
    assert parse_window(window.tbs, NOW) == window.bounds


def test_bounds_narrow_each_other() -> None:
    """A length, a day and the query's own operators all hold."""
    window = window_argument("month", "2024-05-20", None, NOW)
    whole = whole_window("fees until:2024-05-25", PAGES.operators, window)
    assert told_window(whole, NOW) == {"from": "2024-05-20T00:00:00Z", "before": "2024-05-25T00:00:00Z"}


def test_what_has_not_come_yet_bounds_nothing() -> None:
    """A last day of later is the same as none, and a first day of later is an error."""
    assert told_window(window_argument(None, None, "2030-01-01", NOW).bounds, NOW) is None
    assert told_window(ALWAYS, NOW) is None
    assert told_window(window_argument("day", None, None, NOW).bounds, NOW) == {
        "from": utc_text(NOW - DAY),
        "before": None,
    }
    with pytest.raises(ToolError, match="has not come yet"):
        window_argument(None, "2030-01-01", None, NOW)
    with pytest.raises(ToolError, match="is after last_day 2024-05-01"):
        window_argument(None, "2024-05-02", "2024-05-01", NOW)


@pytest.mark.parametrize(
    "query", ["", "  ", "!!! ()", "-scam", '-"not this" -site:a.example', "-from:eve", "x" * 2_001]
)
def test_a_query_that_asks_for_nothing_is_told(query: str) -> None:
    """An empty list would read as if nothing were there; what would not be read is refused too."""
    for kind in (PAGES, POSTS):
        with pytest.raises(ToolError, match="query"):
            whole_window(query, kind.operators, window_argument("day", None, None, NOW))


def test_operators_alone_ask() -> None:
    """A site, an author, a language or a window of the query's own is a question."""
    nothing = window_argument(None, None, None, NOW)
    assert nothing.tbs == ""
    for query in ("site:a.example", "author:ada", "lang:zh", "since:2024-05-01", '"a phrase"', "税"):
        whole_window(query, PAGES.operators, nothing)
