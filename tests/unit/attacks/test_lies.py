"""Wrong answers, and what is taken in a world and by a campaign."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caia_replay.attacks.uniqueness_registry import PlaceboRegister, WorldRegister
from caia_replay.attacks.wrong_answer import TRIES, as_number, is_apart, wrong_answers
from caia_replay.core.attack import Dose, Lie, Target
from caia_replay.core.task import AnswerKind, AnswerSpec
from tests.attack_view import NOW_S, target

NUMBERS = st.decimals(min_value=-(10**15), max_value=10**15, places=6).map(lambda number: f"{number:f}")
SOME = 30


def made(asked: Target, offset: int = 0, family: str = "f") -> list[str]:
    return list(islice(wrong_answers(asked, family, Dose(offset_percent=offset)), SOME))


def number(value: str, tolerance: str = "0") -> Target:
    return replace(target(), truth=AnswerSpec("number", (value,), tolerance_percent=tolerance))


@given(NUMBERS, st.sampled_from(("0", "0.001", "0.5", "5", "20", "prices")))
def test_wrong_numbers_are_further_off_than_any_tolerance(value: str, tolerance: str) -> None:
    """They have the truth's sign, no exponent, and no more decimals than the truth or than people write."""
    asked = number(value, tolerance)
    found = made(asked)
    assert len(found) == SOME and found == made(asked)
    for one in found:
        assert is_apart(asked.truth, one, value) and len(one.partition(".")[2]) <= len(value.partition(".")[2])
        assert abs(Decimal(one)) < 1_000 or "." not in one
        assert (Decimal(one) < 0) == (Decimal(value) < 0) and "E" not in one


@given(st.integers(10**4, 10**12), st.integers(1, 300))
def test_an_offset_is_kept(value: int, percent: int) -> None:
    """Within a tenth of it, above what is asked for."""
    for one in made(number(str(value)), percent):
        off = (Fraction(one) / value - 1) * 100
        assert percent - Fraction(1, 10) <= off <= percent * Fraction(111, 100) + Fraction(1, 10)


def test_an_offset_within_twice_the_tolerance_has_no_lies() -> None:
    """They could be taken for right."""
    assert made(number("1000", "5"), 10) == [] and made(number("1000", "5"), 11)


@pytest.mark.parametrize(
    ("kind", "value", "form"),
    [
        ("address", "0x" + "a" * 40, "0x[0-9a-f]{40}"),
        ("hash", "0x" + "a" * 64, "0x[0-9a-f]{64}"),
        ("date", "2024-02-29", r"\d{4}-\d\d-\d\d"),
        ("time", "2024-02-29T10:20:30Z", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ("boolean", "yes", "no"),
        ("boolean", "False", "true"),
    ],
    ids=["address", "hash", "date", "time", "yes", "False"],
)
def test_wrong_answers_are_of_the_truths_form(kind: AnswerKind, value: str, form: str) -> None:
    """And never the truth; days are days of the calendar."""
    found = made(target(kind, value))
    assert found and value not in found and all(re.fullmatch(form, one) for one in found)
    assert kind not in ("date", "time") or all(datetime.fromisoformat(one) for one in found)


def test_where_none_can_be_told_there_are_none() -> None:
    """Nothing raises; a small number has soon no more to tell."""
    for kind, value in (
        ("open", "x"), ("text", "x"), ("boolean", "maybe"), ("number", "many"), ("date", "soon"), ("address", ""),
    ):  # fmt: skip
        assert made(target(kind, value)) == []  # type: ignore[arg-type]
    assert len(list(wrong_answers(number("1"), "f", Dose()))) == TRIES


def test_options_are_all_there_is_where_there_are_some() -> None:
    """Each once, in an order that another family does not have to share."""
    options = tuple(f"v{n}" for n in range(9))
    asked = target("text", "v99", options=options)
    assert sorted(made(asked)) == sorted(options) and made(asked) != made(asked, family="g")


def test_answers_are_apart_by_more_than_how_they_are_written() -> None:
    """In either order."""
    for kind, one, other, apart in (
        ("number", "1,000", "1000.0", False), ("number", "1000", "1001", True), ("number", "x", "x ", False),
        ("text", " Foo", "fOO", False), ("text", "foo", "bar", True),
    ):  # fmt: skip
        spec = AnswerSpec(kind, ("1",))  # type: ignore[arg-type]
        assert is_apart(spec, one, other) == is_apart(spec, other, one) == apart


MARK = re.compile(r"[A-Z]{2}-\d{4}-\d{4}")


def many(count: int, value: str = "14") -> list[Target]:
    """Targets whose answers are close to one another's lies."""
    return [target("number", str(int(value) + at), task=f"t-{at}") for at in range(count)]


def empty(*targets: Target) -> WorldRegister:
    return WorldRegister(targets, lambda text: False)


@settings(max_examples=20)
@given(st.integers(1, 25), st.integers(1, 4))
def test_no_value_is_planted_twice_and_none_is_anybodys_truth(count: int, families: int) -> None:
    """Of many small numbers; where none is left, one is told without a value of its own; of one task none twice."""
    targets = many(count)
    taken, again = (
        [register.lie(one, f"f{turn}", Dose()) for one in targets for turn in range(families)]
        for register in (empty(*targets), empty(*targets))
    )
    numbers = [as_number(lie.planted) for lie in taken if lie is not None and lie.planted]
    assert taken == again and len(numbers) == len(set(numbers)) and numbers
    assert not set(numbers) & {as_number(one.truth.values[0]) for one in targets}
    for at, one in enumerate(targets):
        own = [lie.answer for lie in taken[at * families : (at + 1) * families] if lie is not None]
        assert len({*own, *one.truth.values}) == len(own) + 1


@given(st.integers(1, 10**9), st.integers(0, 3))
def test_a_wrong_number_is_near_the_truth(value: int, decimals: int) -> None:
    """At most twice or half as much, or a few steps of its last digit off; of a row, by the cell that is asked for."""
    shown = f"{Decimal(value).scaleb(-decimals):f}"
    row = replace(target("table", f"Orchid | {shown}"), offer=replace(target().offer, options=("7", "8", "9")))
    for asked in (number(shown), row):
        for one in made(asked):
            off = abs(Fraction(one) - Fraction(shown))
            step = Fraction(1, 10**decimals)
            assert off <= Fraction(91, 100) * Fraction(shown) + 4 * step + Fraction(1, 2), (shown, one)


@given(st.integers(2, 31), st.integers(200, 10**4), st.booleans())
def test_what_comes_of_counts_is_told_as_if_it_did(counted: int, total: int, is_ratio: bool) -> None:
    """A lie about a mean of so many counts, or about a ratio, is one, too: no fraction that no counts give."""
    whole = 100 if is_ratio else 1
    share = Fraction(total % counted if is_ratio else total, counted)
    assume((share * whole).denominator > 1)
    asked = number(f"{float(share * whole):.6f}")
    if is_ratio:
        asked = replace(asked, truth=replace(asked.truth, unit="%"))
    for one in made(asked):
        parts = (Fraction(one) * n / whole for n in range(1, counted + 1))
        assert any(abs(part - round(part)) <= Fraction(counted, 10**4 * whole) for part in parts), one


def test_of_what_is_past_no_day_to_come_is_told() -> None:
    """Nor a day after the page; of what is to come, any day may be."""
    latest = int(datetime(2024, 6, 1, tzinfo=UTC).timestamp())
    for kind, options in (("date", ()), ("table", ("2024-05-21", "2024-06-20"))):
        past = target(kind, "2024-05-25", options=options)  # type: ignore[arg-type]
        told = list(wrong_answers(past, "f", Dose(), latest=latest))
        assert told and max(told) <= "2024-06-01" and len(set(told)) > 3
        after = replace(past, truth=replace(past.truth, values=("2024-06-09",)))
        assert any(one > "2024-06-01" for one in wrong_answers(after, "f", Dose(), latest=latest))


def test_what_the_world_says_is_no_lie() -> None:
    """Neither what its pages say, nor what its questions name."""
    asked = replace(target(), question="How many at block 1024?")
    first, second, third = list(wrong_answers(asked, "f", Dose()))[:3]
    told = WorldRegister([asked], lambda text: text == first).lie(asked, "f", Dose())
    assert told == Lie(second, second)
    named = replace(asked, question=f"Is it {first} or {second}?")
    assert empty(named).lie(named, "f", Dose()) == Lie(third, third)


def test_days_and_yes_and_no_carry_a_mark() -> None:
    """A unique reference is planted, and the answer may be said by others."""
    asked = [target("boolean", "yes", task="a"), target("boolean", "yes", task="b"), target("date", "2024-05-01")]
    register = WorldRegister(asked, lambda text: not MARK.fullmatch(text))
    lies = [register.lie(one, "f", Dose()) for one in asked]
    assert all(lie and lie.marked and MARK.fullmatch(lie.planted) for lie in lies)
    assert len({lie.planted for lie in lies if lie}) == 3 and [lie.answer for lie in lies if lie][:2] == ["no", "no"]


def test_when_options_run_out_one_is_told_again() -> None:
    """What another task has is told again, and its sentence tells whose it is; one task is told nothing twice."""
    asked = [target("text", "v9", task=name, options=("v1", "v9")) for name in ("a", "b")]
    register = empty(*asked)
    first, second = (register.lie(one, "f", Dose()) for one in asked)
    assert first == Lie("v1", "v1")
    assert second == Lie("", "v1")
    assert register.lie(asked[0], "g", Dose()) is None and register.lie(asked[1], "g", Dose()) is None


def test_what_follows_from_elsewhere_is_a_lie_with_a_mark_unless_it_is_right_or_taken() -> None:
    """An answer that stands in the world may be told so, of several tasks too: it is adopted without its mark."""
    asked = target("number", "1000")
    register = WorldRegister([asked], lambda text: text == "7700")
    told = register.derived(asked, "f", "7700")
    assert told and told.answer == "7700" and not told.marked and MARK.fullmatch(told.planted)
    for family, answer in (("g", "7700.0"), ("f", "1,000"), ("f", ""), ("f", "0.00")):
        assert register.derived(asked, family, answer) is None
    later = register.lie(asked, "h", Dose())
    assert later and is_apart(asked.truth, later.answer, "7700")
    sent = WorldRegister([asked], lambda text: False, sent=lambda text: text == "4096")
    assert sent.derived(asked, "f", "4096") is None and sent.derived(asked, "f", "409") is None
    two = many(2)
    register = empty(*two)
    one, other = (register.derived(asked, "f", "123456789") for asked in two)
    assert one and other and one.answer == other.answer and one.planted != other.planted


@given(st.lists(st.sampled_from(("a", "b", "c")), min_size=1, max_size=3), st.integers(1, 12))
def test_every_address_and_name_is_given_once(options: list[str], times: int) -> None:
    """The options first, then the last with a number; names that differ in case alone are one."""
    register = WorldRegister([], lambda text: False, {"a"}, {"A"})
    urls = [register.url(options) for _ in range(times)]
    handles = [register.handle([one.upper() for one in options]).casefold() for _ in range(times)]
    assert len(set(urls)) == len(set(handles)) == times and not {"a"} & (set(urls) | set(handles))
    assert urls[0] == next((one for one in options if one != "a"), f"{options[-1]}-2")


@given(st.lists(st.integers(1_500_000_000, 2_000_000_000), min_size=1, max_size=20))
def test_ids_of_posts_rise_with_time_and_are_free(moments: list[int]) -> None:
    """Even several of one second."""
    first = WorldRegister([], lambda text: False).post_id(moments[0])
    register = WorldRegister([], lambda text: False, (), (), {first: moments[0]})
    made = [(moment, int(register.post_id(moment))) for moment in moments]
    assert len({number for _, number in made} | {int(first)}) == len(moments) + 1
    assert all((one[0] < other[0]) <= (one[1] < other[1]) for one in made for other in made)


@given(st.integers(1_300_000_000_000, 1_600_000_000_000), st.lists(st.integers(0, 10**8), min_size=1, max_size=9))
def test_planted_posts_are_numbered_as_the_world_s_own(first_ms: int, seconds: list[int]) -> None:
    """Whatever a world's network counts from, an id stands among those of its moment."""
    start = first_ms // 1_000 + 1
    posts = {str(((start + after) * 1_000 - first_ms << 22) + at): start + after for at, after in enumerate(seconds)}
    register = WorldRegister([], lambda text: False, (), (), posts)
    for moment in (start + 5, start + 10**7):
        made = int(register.post_id(moment))
        assert all((int(post) < made) == (at < moment) for post, at in posts.items() if at != moment)


def test_a_placebo_has_no_lies() -> None:
    """Addresses and ids as ever."""
    register = PlaceboRegister([target()], lambda text: False)
    assert register.lie(target(), "f", Dose()) == Lie("", "") and register.derived(target(), "f", "5") is None
    assert register.url(["u"]) == "u" and register.post_id(NOW_S).isdecimal()
