"""What is taken in a world and by a campaign."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.attacks.lie import as_number, is_apart, wrong_answers
from caia_replay.attacks.register import PlaceboRegister, WorldRegister
from caia_replay.core.attack import Dose, Lie, Target
from tests.attack_view import NOW_S, target

MARK = re.compile(r"[A-Z]{2}-\d{4}-\d{4}")


def many(count: int, value: str = "14") -> list[Target]:
    """Targets whose answers are close to one another's lies."""
    return [target("number", str(int(value) + at), task=f"t-{at}") for at in range(count)]


def empty(*targets: Target) -> WorldRegister:
    return WorldRegister(targets, lambda text: False)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 25), st.integers(1, 4))
def test_no_two_lies_are_one_and_none_is_anybodys_truth(count: int, families: int) -> None:
    """Of many small numbers, by several families."""
    targets = many(count)
    register = empty(*targets)
    lies = [register.lie(one, f"f{turn}", Dose()) for one in targets for turn in range(families)]
    numbers = [as_number(lie.answer) for lie in lies if lie is not None]
    assert len(numbers) == len(lies) == len(set(numbers))
    assert not set(numbers) & {as_number(one.truth.values[0]) for one in targets}


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


def test_when_options_run_out_one_is_told_again_with_a_mark() -> None:
    """Which of the families it was is told by the mark."""
    asked = target("text", "v9", options=("v1", "v9"))
    register = empty(asked)
    first, second = register.lie(asked, "f", Dose()), register.lie(asked, "g", Dose())
    assert first == Lie("v1", "v1")
    assert second and second.marked and second.answer == "v1" and MARK.fullmatch(second.planted)


def test_what_follows_from_elsewhere_is_a_lie_with_a_mark_unless_it_is_right_or_taken() -> None:
    """An answer that stands in the world may be told so: it is adopted without its mark."""
    asked = target("number", "1000")
    register = WorldRegister([asked], lambda text: text == "7700")
    told = register.told(asked, "f", "7700")
    assert told and told.answer == "7700" and not told.marked and MARK.fullmatch(told.planted)
    assert register.told(asked, "g", "7700.0") is None and register.told(asked, "f", "1,000") is None
    assert register.told(asked, "f", "") is None and register.told(asked, "f", "0.00") is None
    later = register.lie(asked, "h", Dose())
    assert later and is_apart(asked.truth, later.answer, "7700")
    sent = WorldRegister([asked], lambda text: False, sent=lambda text: text == "4096")
    assert sent.told(asked, "f", "4096") is None and sent.told(asked, "f", "409") is None


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


def test_several_tasks_may_end_at_one_figure_that_follows_from_elsewhere() -> None:
    """Two questions about one decoy: each lie has a mark of its own."""
    targets = many(2)
    register = empty(*targets)
    one, other = (register.told(asked, "f", "123456789") for asked in targets)
    assert one and other and one.answer == other.answer and one.planted != other.planted


@given(st.integers(1_300_000_000_000, 1_600_000_000_000), st.lists(st.integers(0, 10**8), min_size=1, max_size=9))
def test_planted_posts_are_numbered_as_the_world_s_own(first_ms: int, seconds: list[int]) -> None:
    """Whatever a world's network counts from, an id stands among those of its moment."""
    start = first_ms // 1_000 + 1
    posts = {str(((start + after) * 1_000 - first_ms << 22) + at): start + after for at, after in enumerate(seconds)}
    register = WorldRegister([], lambda text: False, (), (), posts)
    for moment in (start + 5, start + 10**7):
        made = int(register.post_id(moment))
        assert all((int(post) < made) == (at < moment) for post, at in posts.items() if at != moment)


def test_a_register_is_deterministic() -> None:
    """Equal requests in equal order are answered alike."""
    targets = many(6)
    answers = [[empty(*targets).lie(one, "f", Dose()) for one in targets] for _ in range(2)]
    assert answers[0] == answers[1]


def test_a_placebo_has_no_lies() -> None:
    """Addresses and ids as ever."""
    register = PlaceboRegister([target()], lambda text: False)
    assert register.lie(target(), "f", Dose()) == Lie("", "") and register.told(target(), "f", "5") is None
    assert register.url(["u"]) == "u" and register.post_id(NOW_S).isdecimal()
