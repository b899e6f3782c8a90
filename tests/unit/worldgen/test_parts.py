"""Small parts of the generator: names, people, rng, calendars, prices, views and canaries."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.name import OUTLETS, near, tickers
from caia_replay.store.world_folder import read_info
from caia_worldgen.calendar import DAY_S, OPENING, draw_calendar
from caia_worldgen.finished import canary
from caia_worldgen.people import WORLDS, Namer
from caia_worldgen.rng import Rng
from caia_worldgen.venue import HOUR_S, Temper, Venue, walk
from caia_worldgen.view import ViewCall, Views

SEEDS = st.integers(0, 10**9)


@settings(max_examples=12)
@given(SEEDS)
def test_no_two_names_of_a_world_can_be_taken_for_each_other(seed: int) -> None:
    """Fifty projects and thirty people begin differently, and tickers, slugs and sites differ by more than a letter."""
    namer = Namer(seed)
    people = [namer.person() for _ in range(30)]
    projects = [namer.project("Exchange") for _ in range(50)]
    begun = [*(one.name.lower()[:4] for one in projects), *(name[:4] for name in people)]
    assert len(begun) == len(set(begun))
    for names in ([one.ticker for one in projects], [one.id for one in projects]):
        assert not [pair for pair in combinations(names, 2) if near(pair[0]) & near(pair[1])]
    assert not {name[:5].upper() for name in people} & {one.ticker for one in projects}
    assert all(re.fullmatch(r"[A-Z]{3,5}", one.ticker) and one.ticker in tickers(one.name) for one in projects)
    assert all(re.fullmatch(r"[A-Z][a-z]{4,11} Exchange", one.name) for one in projects)
    assert all(one.site == f"{one.id}.example" and one.name.lower().startswith(one.id[:5]) for one in projects)
    assert all(re.fullmatch(r"[a-z]+\d{0,2}", name) for name in people)


def test_all_who_speak_in_a_world_are_told_apart_by_two_letters() -> None:
    """Outlets, accounts, funds, and the first and last names of people."""
    namer = Namer(7)
    words = [word for _ in range(120) for word in namer.full_name().lower().split()]
    words += [namer.outlet(sort).name.split()[0].lower() for sort in OUTLETS for _ in range(12)]
    words += [namer.speaker()[1].lower() for _ in range(80)] + [namer.house().lower() for _ in range(8)]
    held: Counter[str] = Counter(one for word in words for one in near(word))
    assert [one for one, count in held.items() if count > 1] == []
    chinese = [namer.chinese_outlet(sort) for sort in ("wire", "daily") for _ in range(10)]
    assert len({one.name[:2] for one in chinese}) == len({one.host for one in chinese}) == 20


@settings(max_examples=6)
@given(SEEDS, st.integers(1, WORLDS - 1))
def test_two_seeds_share_no_name(seed: int, apart: int) -> None:
    """Names and tickers of two worlds are disjoint, however many each uses; the same seed gives the same ones."""
    one, again = (Namer(seed).word() for _ in range(2))
    assert one == again
    first, second = (
        {word for _ in range(40) for word in (*namer.word(), *namer.full_name().split(), namer.house())}
        for namer in (Namer(seed), Namer(seed + apart))
    )
    assert not first & second


def test_strangers_begin_elsewhere() -> None:
    """Who skips draws gets other names of the same world."""
    ours, theirs = ({namer.full_name() for _ in range(40)} for namer in (Namer(3), Namer(3, 5_000)))
    assert not ours & theirs


@given(st.text(max_size=20), st.integers(-(10**6), 10**6), st.integers(0, 10**6))
def test_dice_stay_in_range_and_repeat(name: str, low: int, span: int) -> None:
    """A roll is within its bounds, and equal names roll equal numbers."""
    one, two = Rng(name), Rng(name)
    rolls = [one.number(low, low + span) for _ in range(5)]
    assert rolls == [two.number(low, low + span) for _ in range(5)]
    assert all(low <= roll <= low + span for roll in rolls)


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 20))
def test_every_block_is_in_its_day(seed: int, days: int, per_day: int) -> None:
    """Times rise strictly; each day has its blocks; heights and moments lead back to each other."""
    calendar = draw_calendar("main", seed, days, per_day)
    assert calendar.last_block == OPENING + days * per_day
    assert all(one < other for one, other in pairwise(calendar.times))
    assert calendar.times[0] == calendar.midnight(0)
    for day in range(days):
        blocks = calendar.blocks_of(day)
        assert len(blocks) == per_day + (day == 0) * (1 + OPENING)
        assert {calendar.day_of(block) for block in blocks} == {day}
    for block in range(calendar.last_block + 1):
        assert calendar.at(calendar.times[block]) == block
    assert calendar.at(calendar.times[-1] + DAY_S) == calendar.last_block


TEMPERS = st.builds(Temper, st.integers(1, 10**15), st.integers(0, 400_000), st.integers(-2_000, 2_000))


@given(st.text(max_size=8), TEMPERS, st.integers(1, 120))
def test_a_walk_repeats_and_stays_positive(name: str, temper: Temper, hours: int) -> None:
    """Equal names walk equally; a longer walk begins with the shorter; each hour moves within its reach."""
    prices = walk(name, temper, hours)
    assert prices == walk(name, temper, hours) == walk(name, temper, hours + 9)[:hours]
    assert prices[0] == temper.first_price_e8 and min(prices) >= 1
    reach = temper.hourly_ppm * 165 // 100 + abs(temper.drift_ppm)
    for before, after in pairwise(prices):
        assert abs(after - before) <= before * reach // 1_000_000 + 1


def test_a_moment_has_the_price_of_its_hour() -> None:
    """Inside an hour the price stands; outside the story there is none."""
    venue = Venue(1000 * HOUR_S, {"AAA": (5, 6, 7), "AA": (1, 1, 1)})
    moments = (0, HOUR_S - 1, HOUR_S, 3 * HOUR_S - 1)
    assert [venue.price_e8("AAA", 1000 * HOUR_S + moment) for moment in moments] == [5, 5, 6, 7]
    assert venue.assets == ["AA", "AAA"] and venue.hourly("AAA") == (5, 6, 7)
    for moment in (1000 * HOUR_S - 1, 1003 * HOUR_S):
        with pytest.raises(ValueError, match="hours 0 to 2"):
            venue.price_e8("AAA", moment)


ASKED = ViewCall("pool", "getReserves")


def test_an_answer_holds_until_the_next_one() -> None:
    """At, between and after the heights at which it was written; the last word of a block counts."""
    views = Views()
    views.know(3, ASKED, 1, 2)
    views.know(3, ASKED, 1, 3)
    views.know(7, ASKED, 9, 9)
    assert [views.answer(ASKED, block) for block in (3, 6, 7, 99)] == [(1, 3), (1, 3), (9, 9), (9, 9)]
    assert views.questions() == (ASKED,) and list(views.heights(ASKED)) == [3, 7]


def test_what_was_not_yet_known_is_an_error() -> None:
    """Before the first answer, and for a question nobody wrote down; the past cannot be written again."""
    views = Views()
    views.know(3, ASKED, 1)
    for question, block in ((ASKED, 2), (ViewCall("pool", "factory"), 5)):
        with pytest.raises(KeyError):
            views.answer(question, block)
    with pytest.raises(ValueError, match="already"):
        views.know(2, ASKED, 1)


PROJECT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("story", "world"), [("mini", "mini-6"), ("economy", "synthetic-178")])
def test_a_shipped_worlds_canary_is_found_again(story: str, world: str) -> None:
    """What stands in a world that was handed out never changes, or nobody would know it again."""
    info = read_info(PROJECT / "cassettes" / world)
    assert info.seed is not None and info.canary == canary(story, info.seed, "world")
