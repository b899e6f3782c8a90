"""What the words beside a day make of it."""

from __future__ import annotations

import pytest

from caia_replay.scoring.verifiers.calendar_day import days
from caia_replay.scoring.verifiers.day_claim import claimed

DAYS = ("2024-06-04", "4 June 2024", "June 4, 2024", "2024年6月4日")


def said(form: str, day: str, *, nearly: bool = False) -> bool:
    """Whether the day in a form is claimed."""
    text = form.format(day)
    (found,) = days(text)
    return claimed(text, found.start, found.end, nearly=nearly)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    "form",
    [
        *(
            "{}",
            "on {}",
            "On {}.",
            "It was deployed on {}, before the audit.",
            "dated {}",
            "Date: {}",
            "the {}",
            "({})",
        ),
        *("deployed {} in block 5", "{} at 09:10 UTC", "该合约{}部署", "该池于{}上线", "{}当天", "签约{}", "it is {}"),
        *("{}, about 10 days after the launch", "{}, when it was mined", "by the team on {}", "来自{}的交易"),
    ],
)
def test_a_day_plainly_told_is_claimed(form: str, day: str) -> None:
    """What explains a day, or is told of other things around it, does not matter."""
    assert said(form, day) and said(form, day, nearly=True)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    "form",
    [
        *("before {}", "after {}", "by {}", "By {}", "as of {}", "since {}", "from {}", "until {}", "up to {}"),
        *("no later than {}", "on or before {}", "an hour before {}", "two days after {}", "within a week of {}"),
        *(
            "the eve of {}",
            "starting {}",
            "before: {}",
            "{} at the latest",
            "{} or later",
            "{} onwards",
            "{} or earlier",
        ),
        *(
            "{} plus one day",
            "{} + 2 days",
            "{} minus 3 days",
            "{} ± 2 days",
            "{}, a day later",
            "{} give or take a day",
        ),
        *(
            "截至{}",
            "截至 {}",
            "直到{}",
            "不晚于{}",
            "不早于{}",
            "自{}起",
            "{}之前",
            "{}以前",
            "{}前",
            "{}之后",
            "{}起",
        ),
        *("{}为止", "前一小时 {}", "{}的前一天", "{}的后两天", "desde {}", "hasta el {}", "seit dem {}", "avant le {}"),
    ],
)
def test_a_bound_is_no_claim(form: str, day: str) -> None:
    """Before, after, by, since, and what is counted from a day; not even where about right is enough."""
    assert not said(form, day) and not said(form, day, nearly=True)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    "form",
    [
        *("around {}", "about {}", "circa {}", "c. {}", "~{}", "approximately {}", "on or about {}", "roughly the {}"),
        *(
            "{} or so",
            "{} or thereabouts",
            "{} (approximate)",
            "{}?",
            "probably {}",
            "大约{}",
            "约{}",
            "{}左右",
            "{}前后",
        ),
    ],
)
def test_an_approximation_is_a_claim_where_that_is_enough(form: str, day: str) -> None:
    """ "Around" a day is not that day, but near enough to it where a tolerance is given."""
    assert not said(form, day) and said(form, day, nearly=True)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize(
    "form",
    [
        *(
            "农历{}",
            "阴历 {}",
            "旧历的{}",
            "{}（农历）",
            "Julian calendar {}",
            "{} (lunar)",
            "{} in the lunar calendar",
        ),
        *("{} of the Julian calendar", "{} BC"),
    ],
)
def test_another_calendar_names_another_day(form: str, day: str) -> None:
    """The fourth of the sixth lunar month is not the fourth of June."""
    assert not said(form, day, nearly=True)


def test_the_lunar_day_beside_the_day_is_a_gloss() -> None:
    """What follows 农历 is its day, not the one before it."""
    assert said("公历{}（农历四月廿八）", "2024年6月4日")
