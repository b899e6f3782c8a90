"""Laws of vesting; tests/unit/origin/act/test_vest.py holds it against the chain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.origin.contracts.vesting import Schedule

DAY = 86_400


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Any schedule whose cliff is not after its end."""
    start, duration = draw(st.integers(0, 2**32)), draw(st.integers(1, 2**28))
    return Schedule(start, start + draw(st.integers(0, duration)), duration, draw(st.integers(0, 10**30)))


moments = st.integers(0, 2**33)


@given(schedules(), moments, moments)
def test_it_never_falls_and_stays_within_the_total(schedule: Schedule, one: int, other: int) -> None:
    """Later is never less; nothing before the cliff, everything from the end on."""
    assert 0 <= schedule.vested(min(one, other)) <= schedule.vested(max(one, other)) <= schedule.total
    assert schedule.vested(schedule.end) == schedule.total
    if schedule.cliff > schedule.start:
        assert schedule.vested(schedule.cliff - 1) == 0


@given(schedules(), st.data())
def test_it_is_in_proportion_after_the_cliff(schedule: Schedule, data: st.DataObject) -> None:
    """The share vested is the share of time gone by, rounded down to a smallest unit."""
    moment = data.draw(st.integers(schedule.cliff, schedule.end))
    exact = schedule.total * (moment - schedule.start)
    assert schedule.vested(moment) * schedule.duration <= exact < (schedule.vested(moment) + 1) * schedule.duration


def test_a_schedule_by_hand() -> None:
    """1000 over ten days with a cliff of four."""
    schedule = Schedule(5 * DAY, 9 * DAY, 10 * DAY, 1000)
    days = {4: 0, 5: 0, 8: 0, 9: 400, 10: 500, 14: 900, 15: 1000, 99: 1000}
    assert {day: schedule.vested(day * DAY) for day in days} == days
