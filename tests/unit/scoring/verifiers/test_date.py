"""Days: how they are written, what the words beside them make of them, and verdicts on dates."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.verifiers.calendar_day import days, parts
from caia_replay.scoring.verifiers.day_claim import claimed
from caia_replay.scoring.verifiers.weekday import other_weekday
from tests.labelled_set import misjudged

MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
ENGLISH = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HAN = "一二三四五六日"
DIGITS = "〇一二三四五六七八九"
dates = st.dates(date(1990, 1, 1), date(2099, 12, 31))
JUNE = AnswerSpec("date", ("2024-06-04",))


def on(day: date) -> AnswerSpec:
    """A task whose answer is that day."""
    return AnswerSpec("date", (str(day),))


def forms(day: date) -> list[str]:
    """The same day as people write it."""
    month = MONTHS[day.month - 1]
    return [
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
        f"{month} {day.day}, {day.year}",
        f"{month[:3]}. {day.day} {day.year}",
        f"{day.day} {month} {day.year}",
        f"{day.day}th of {month}, {day.year}",
        f"{day:%d}-{month[:3]}-{day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"It happened on {day.isoformat()} at 12:30 UTC.",
        f"{day.isoformat()}T12:30:00Z",
    ]


def han(number: int) -> str:
    """A number to 31 as Chinese writes it."""
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else DIGITS[tens] + "十"
    return head + ("" if ones == 0 else DIGITS[ones])


@given(dates, st.integers(1, 400))
def test_every_form_of_a_day_is_that_day_and_no_other(day: date, away: int) -> None:
    """ISO, English and Chinese forms agree; one day off is wrong in every form, alone or as a hedge."""
    other = day + timedelta(days=away)
    assert misjudged(on(day), True, forms(day)) == []
    assert misjudged(on(day), False, [*forms(other), f"{day} or {other}"]) == []


@given(dates, st.integers(0, 6))
def test_a_weekday_has_to_be_the_days(day: date, away: int) -> None:
    """In full, shortened and in Chinese: right for the day, wrong for the six others, in every form of it."""
    said = (day + timedelta(days=away)).weekday()
    name = ENGLISH[said]
    assert misjudged(on(day), away == 0, (f"{form} ({name})" for form in forms(day))) == []
    for form in (
        *(f"{name}, {day}", f"{day} ({name})", f"{name[:3]}, {day}", f"{day} ({name[:3]})", f"on a {name.lower()}"),
        *(f"{day} 星期{HAN[said]}", f"周{HAN[said]},{day}", f"{day}(礼拜{HAN[said]})"),
    ):
        assert bool(other_weekday(form, {day})) is (away != 0), form


@pytest.mark.parametrize(
    "text", ["每周一次", "两周五次", "the sun set", "sat on it", "one month", "not Friday but 2024-06-04", "wedge"]
)
def test_other_words_are_no_weekdays(text: str) -> None:
    """Weeks, words of the same letters and rejected weekdays say nothing."""
    assert other_weekday(text, {date(2024, 6, 4)}) == ""


@pytest.mark.parametrize(("value", "right", "wrong"), [
    ("2024-03-01", ["2024-02-29T23:30:00-05:00"], []),
    ("2024-02-29", [], ["2024-02-29T23:30:00-05:00"]),
    ("2024-04-03", [], ["03/04/2024", "April 2024", "2024", "2024-13-04", "2024-04-31"]),
    ("2024-04-13", ["13/04/2024", "04/13/2024"], []),
])  # fmt: skip
def test_zones_and_orders_are_read_where_they_are_plain(value: str, right: list[str], wrong: list[str]) -> None:
    """23:30 in New York is the next day in UTC; thirteen can only be a day; a month alone is none."""
    spec = AnswerSpec("date", (value,))
    assert misjudged(spec, True, right) == [] and misjudged(spec, False, wrong) == []


def test_right_days_as_models_write_them() -> None:
    """Compact, Chinese, zoned and rejecting forms."""
    assert misjudged(JUNE, True, (
        "20240604", "二〇二四年六月四日", "Jun-04-2024 05:13:59 AM UTC", "2024-06-05 07:00 Beijing time",
        "4 de junio de 2024", "June 4, 2024, not June 5, 2024 as the blog says", "not 2024-06-05 but 2024-06-04",
        "2024-06-04 (June 4th)", "While a blog claims June 5, 2024, the correct date is June 4, 2024",
        "Jun 4, 2024 [1]\n\n[1] https://a.b/c?day=5",
    )) == []  # fmt: skip


def test_wrong_days_as_models_write_them() -> None:
    """Bounds, ranges, approximations, hedges with half a date, rejected days, other calendars and weekdays."""
    assert misjudged(JUNE, False, (
        "2024-06-04 or June 5", "2024-06-04 or 05", "June 4 or 5, 2024", "before June 4, 2024", "2024年6月4日之后",
        "not 2024-06-04", "2024-06-04 23:30 EST", "the day after 2024-06-04", "2024-06-04 or the next day",
        "2024-06-04, or maybe July 2024", "2024-06-04 is wrong", "3–4 June 2024", "either 3 or 4 June 2024",
        "the week of June 4, 2024", "2024-06-04 to 2024-06-06", "June 4", "20240605", "二〇二四年六月十四日",
        "截至2024年6月4日", "by 4 June 2024", "as of 4 June 2024", "around 4 June 2024", "4 June 2024 or so",
        "c. 4 June 2024", "农历2024年6月4日", "4 June 2024 in the lunar calendar", "since June 4, 2024",
        "June 4, 2024 at the latest", "Wednesday, 4 June 2024", "2024-06-04 (Friday)", "2024年6月4日 星期三",
        "周五，2024年6月4日",
    )) == []  # fmt: skip


@given(dates)
def test_chinese_numerals_are_the_same_day(day: date) -> None:
    """Numerals and digits name one day, mixed as well."""
    year = "".join(DIGITS[int(c)] for c in str(day.year))
    for text in (f"{year}年{han(day.month)}月{han(day.day)}日", f"{day.year}年{han(day.month)}月{day.day}号"):
        assert [found.days for found in days(text)] == [(day,)], text


def test_forms_of_a_day() -> None:
    """Other languages, explorers and compact dates; a day that could be two is two; impossible ones are none."""
    for text in (
        "4 de junio de 2024", "4. Juni 2024", "4 juin 2024", "4 giugno 2024", "4 de junho de 2024",
        "Jun-04-2024 05:13 AM", "20240604", "2024 June 4", "the 4th of June 2024", "June the 4th, 2024", "2024.06.04",
        "4-Jun-2024", "Jun. 4,2024",
    ):  # fmt: skip
        assert [found.days for found in days(text)] == [(date(2024, 6, 4),)], text
    assert days("03/04/2024")[0].days == (date(2024, 3, 4), date(2024, 4, 3))
    for text in ("2024-13-01", "31 April 2024", "2024-06", "120240604 wei", "v1.2.2024.3", "十月革命"):
        assert days(text) == (), text


@pytest.mark.parametrize("text", ["June 2024", "June 4", "4 June", "6月4日", "2024年6月", "2024-06"])
def test_a_part_fits_its_day_and_no_other(text: str) -> None:
    """What is left unsaid is left open."""
    (part,) = parts(text, days(text))
    assert part.fits(date(2024, 6, 4)) and not part.fits(date(2024, 7, 5))
    assert part.fits(date(2024, 6, 5)) is (part.day is None) and part.fits(date(2023, 6, 4)) is (part.year is None)


def test_a_whole_day_has_no_part() -> None:
    """The month inside a date is not told apart."""
    text = "June 4, 2024 and 2024年6月4日"
    assert parts(text, days(text)) == ()


CLAIMS = {
    "claimed": (
        "{}", "on {}", "On {}.", "It was deployed on {}, before the audit.", "dated {}", "Date: {}", "the {}", "({})",
        "deployed {} in block 5", "{} at 09:10 UTC", "该合约{}部署", "该池于{}上线", "{}当天", "签约{}", "it is {}",
        "{}, about 10 days after the launch", "{}, when it was mined", "by the team on {}", "来自{}的交易",
    ),
    "a bound": (
        "before {}", "after {}", "by {}", "By {}", "as of {}", "since {}", "from {}", "until {}", "up to {}",
        "no later than {}", "on or before {}", "an hour before {}", "two days after {}", "within a week of {}",
        "the eve of {}", "starting {}", "before: {}", "{} at the latest", "{} or later", "{} onwards", "{} or earlier",
        "{} plus one day", "{} + 2 days", "{} minus 3 days", "{} ± 2 days", "{}, a day later", "{} give or take a day",
        "截至{}", "截至 {}", "直到{}", "不晚于{}", "不早于{}", "自{}起", "{}之前", "{}以前", "{}前", "{}之后", "{}起",
        "{}为止", "前一小时 {}", "{}的前一天", "{}的后两天", "desde {}", "hasta el {}", "seit dem {}", "avant le {}",
    ),
    "about": (
        "around {}", "about {}", "circa {}", "c. {}", "~{}", "approximately {}", "on or about {}", "roughly the {}",
        "{} or so", "{} or thereabouts", "{} (approximate)", "{}?", "probably {}", "大约{}", "约{}", "{}左右", "{}前后",
    ),
    "another calendar": (
        "农历{}", "阴历 {}", "旧历的{}", "{}（农历）", "Julian calendar {}", "{} (lunar)", "{} in the lunar calendar",
        "{} of the Julian calendar", "{} BC",
    ),
}  # fmt: skip


@pytest.mark.parametrize("sort", CLAIMS)
@pytest.mark.parametrize("day", ["2024-06-04", "4 June 2024", "June 4, 2024", "2024年6月4日"])
def test_what_stands_beside_a_day_claims_it_or_not(day: str, sort: str) -> None:
    """A bound claims no day, "around" only where about right is enough, and a lunar day is another one."""
    for form in CLAIMS[sort]:
        text = form.format(day)
        (found,) = days(text)
        exactly, nearly = (claimed(text, found.start, found.end, nearly=near) for near in (False, True))
        assert (exactly, nearly) == (sort == "claimed", sort in ("claimed", "about")), form


def test_the_lunar_day_beside_the_day_is_a_gloss() -> None:
    """What follows 农历 is its day, not the one before it."""
    text = "公历2024年6月4日（农历四月廿八）"
    (found,) = days(text)
    assert claimed(text, found.start, found.end, nearly=False)
    assert verify(JUNE, text).correct is True
