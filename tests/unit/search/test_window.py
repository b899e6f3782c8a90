"""Stretches of time, and the words for days and moments."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.search.window import ALWAYS, Window, ago_text, day_start, days_in, moment_of, parse_day, parse_window
from tests.unit.search.conftest import chinese_forms, english_forms

DAY_S = 86_400
NOW = int(datetime(2025, 4, 20, 12, 30, 5, tzinfo=UTC).timestamp())
FIRST, LAST = day_start(1), day_start(9999, 12, 31) + DAY_S - 1
BOUNDS = st.none() | st.integers(-50, 50)


def _day(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


@given(BOUNDS, BOUNDS, BOUNDS, BOUNDS, st.none() | st.integers(-60, 60))
def test_two_windows_hold_what_both_hold(after, before, other_after, other_before, moment):
    """Their common part holds a moment exactly when each does; a window includes its beginning and not its end."""
    one, other = Window(after, before), Window(other_after, other_before)
    assert (one & other).holds(moment) == (one.holds(moment) and other.holds(moment))
    assert ALWAYS.holds(moment) and not ALWAYS.bounded
    assert [moment for moment in range(8) if Window(3, 5).holds(moment)] == [3, 4]


def test_a_span_ends_with_the_world_s_clock():
    """The moment so long ago and now itself are inside; an unreadable window is told apart from one without bounds."""
    for text, span_s in (
        ("qdr:h", 3_600), ("qdr:h6", 6 * 3_600), ("qdr:d", DAY_S), ("qdr:d3", 3 * DAY_S), ("qdr:w", 7 * DAY_S),
        ("qdr:m", 30 * DAY_S), ("qdr:y", 365 * DAY_S), ("qdr:n5", 300), ("QDR:Y2", 730 * DAY_S), ("sbd:1,qdr:d", DAY_S),
    ):  # fmt: skip
        assert parse_window(text, NOW) == Window(NOW - span_s, NOW + 1)
    for text in ("qdr:x", "week", "cdr:1,cd_min:13/1/2025", "cdr:1,cd_max:2/30/2025", "sbd:1", "qdr:"):
        assert parse_window(text, NOW) is None
    assert parse_window("  ", NOW) == ALWAYS


def test_a_range_of_days_holds_both_of_them():
    """Month, day, year, in UTC; either end may be left out."""
    whole = parse_window("cdr:1,cd_min:3/1/2025,cd_max:3/31/2025", NOW)
    assert whole == Window(_day(2025, 3, 1), _day(2025, 4, 1))
    assert parse_window("cdr:1,cd_min:3/1/2025", NOW) == Window(after=_day(2025, 3, 1))
    assert parse_window("cdr:1,cd_max:12/31/2024", NOW) == Window(before=_day(2025, 1, 1))


@given(st.dates())
def test_a_day_is_read_back(day):
    """With dashes, slashes, or without leading zeros; a month or a year is its first day; other text is none."""
    start = day_start(day.year, day.month, day.day)
    assert datetime.fromtimestamp(0, UTC).toordinal() + start // DAY_S == day.toordinal()
    assert parse_day(day.isoformat()) == parse_day(f"{day.year:04d}/{day.month}/{day.day}") == start
    assert parse_day(f"{day.year:04d}-{day.month:02d}") == day_start(day.year, day.month)
    assert parse_day(f"{day.year:04d}") == day_start(day.year)
    for text in ("", "soon", "2025-13", "2025-02-30", "0000", "25-1-1", "2025-1-1-1", "２０２５"):
        assert parse_day(text) is None


@given(st.integers(FIRST, LAST), st.one_of(st.integers(-10, 8 * DAY_S), st.integers(-(2**40), 2**40)))
def test_a_moment_lies_in_what_its_words_mean(moment, passed):
    """How long ago it was, read back at the same moment, is a stretch that holds it."""
    now = moment + passed
    first, last = moment_of(ago_text(moment, now), now)
    assert first <= moment <= last


def test_an_age_is_whole_units_within_a_week():
    """Older ones, and what has not happened yet, are days in English whatever the locale; years end at 9999."""
    for passed, told in (
        (0, "0 seconds ago"), (59, "59 seconds ago"), (60, "1 minute ago"), (7_300, "2 hours ago"),
        (3 * DAY_S, "3 days ago"), (7 * DAY_S - 1, "6 days ago"), (7 * DAY_S, "Apr 13, 2025"), (-5, "Apr 20, 2025"),
    ):  # fmt: skip
        assert ago_text(NOW - passed, NOW) == told
    with pytest.raises(ValueError, match="no year"):
        ago_text(2**60, 0)


DAY = (_day(2025, 4, 18), _day(2025, 4, 19) - 1)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2 hours ago", (NOW - 3 * 3_600 + 1, NOW - 2 * 3_600)), ("2 小时前", (NOW - 3 * 3_600 + 1, NOW - 2 * 3_600)),
        ("3 days ago", (NOW - 4 * DAY_S + 1, NOW - 3 * DAY_S)), ("3天前", (NOW - 4 * DAY_S + 1, NOW - 3 * DAY_S)),
        ("an hour ago", (NOW - 7_199, NOW - 3_600)), ("两个小时前", (NOW - 3 * 3_600 + 1, NOW - 2 * 3_600)),
        ("5 mins ago", (NOW - 359, NOW - 300)), ("1 week ago", (NOW - 14 * DAY_S + 1, NOW - 7 * DAY_S)),
        ("2 个月前", (NOW - 90 * DAY_S + 1, NOW - 60 * DAY_S)),
        ("Yesterday", (_day(2025, 4, 19), _day(2025, 4, 20) - 1)), ("昨天", (_day(2025, 4, 19), _day(2025, 4, 20) - 1)),
        ("今天", (_day(2025, 4, 20), NOW)), ("just now", (NOW - 59, NOW)),
        ("Apr 18, 2025", DAY), ("April 18, 2025", DAY), ("18 Apr 2025", DAY), ("2025-04-18", DAY),
        ("2025年4月18日", DAY),
        ("2025 年 4 月 18 日", DAY), ("Apr 2025", (_day(2025, 4, 1), _day(2025, 5, 1) - 1)),
        ("2024年12月", (_day(2024, 12, 1), _day(2025, 1, 1) - 1)),
        ("2025-04-18T10:00:07Z", (DAY[0] + 36_007,) * 2), ("2025-04-18 10:00", (DAY[0] + 36_000, DAY[0] + 36_059)),
    ],
)  # fmt: skip
def test_words_about_time_are_read(text, meant):
    """In English and Chinese, relative to the world's clock."""
    assert moment_of(text, NOW) == meant


def test_other_words_are_none():
    """What cannot be read is not guessed: not as a moment, and what is no full date names no day."""
    for text in ("", "long ago", "3 fortnights ago", "Foo 18, 2025", "Feb 30, 2025", "2025-04-18 25:00"):
        assert moment_of(text, NOW) is None
    for text in (
        "", "2024", "April 2024", "2024-04", "2024年4月", "April 7", "4月7日", "February 30, 2024", "2024-13-01",
        "2024年4月75日", "Foo 7, 2024", "7 Foo 2024", "v1.2.2024", "1.2024-03-12.5", "192.168.2024", "2024.3.12.1",
        "1.2024年3月12日", "12 April 24", "20240407", "yesterday", "block 19000000 of 2024",
    ):  # fmt: skip
        assert days_in(text) == (), text


@given(st.text(max_size=40) | st.text(alphabet="0123456789agodys前天年月日-/:qdrch_mi ,", max_size=40))
def test_any_text_is_read_or_is_none(text):
    """Nothing raises, whatever is asked."""
    for found in (moment_of(text, NOW), parse_window(text, NOW), parse_day(text)):
        assert found is None or found
    assert list(days_in(text)) == sorted(set(days_in(text)))


def _start(day: date) -> int:
    return _day(day.year, day.month, day.day)


@given(st.dates(), st.data())
def test_a_day_is_found_in_a_question_however_it_is_written(day, data):
    """English and Chinese, in any case, behind and before words and punctuation; exactly that day is found."""
    form = data.draw(st.sampled_from([*english_forms(day), f"{day.isoformat()}T10:00:00Z"]))
    frame = data.draw(
        st.sampled_from(["{}", "the price of BTC on {}?", "on {}, it fell.", "({})", "价格在{}是多少", "{}."])
    )
    case = data.draw(st.sampled_from([str, str.upper, str.lower]))
    assert days_in(case(frame.format(form))) == (_start(day),)
    chinese = data.draw(st.sampled_from(chinese_forms(day)))
    frame = data.draw(st.sampled_from(["{}", "BTC 在 {} 的价格", "BTC在{}的价格", "BTC{}BTC", "截至{}，"]))
    assert days_in(frame.format(chinese)) == (_start(day),)


@given(st.dates(), st.data())
def test_a_date_inside_something_else_is_none(day, data):
    """Addresses, numbers, versions and longer words only look like days."""
    within = ["https://a.example/{}/x", "https://a.example/x-{}", "https://a.example/?d={}", "1.{}.5", "1{}", "{}.5",
              "v{}", "{}-3", "x_{}", "{}7", "{}beta"]  # fmt: skip
    digits = [f"{day.year:04d}{parting}{day.month:02d}{parting}{day.day:02d}" for parting in "-/."]
    assert days_in(data.draw(st.sampled_from(within)).format(data.draw(st.sampled_from(digits)))) == ()
    words = english_forms(day)[0]
    for text in (f"x{words}", f"{words}0", f"{words}.5", f"1{chinese_forms(day)[0]}"):
        assert days_in(text) == (), text
