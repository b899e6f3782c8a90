import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.pattern import LONGEST, tame

LINE = 200

BOMBS = [
    r"(a+)+b", r"(a*)*b", r"(a|a)*b", r"(a|aa)+b", r"(?:a?){40}a{40}", r"(x+x+)+y", r"^(\w+\s?)*$",
    r"((a{1,2}){1,9}){1,9}", r"(?s:.*)*b", r"(?:(?:a+)b?)+c", r"(?=(a+)+b)a", r"a?" * 40 + "a" * 40, ".*" * 5 + "x",
    "(?:a|b|)" * 60, r"(?i)(A+)+b", "(?>(a+)+)b", r"(?:a*?){9}b",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BOMBS)
def test_a_pattern_of_too_many_ways_is_refused(pattern: str) -> None:
    """Repeated repetitions, repeated alternatives, and too many of either in a row, before anything is matched."""
    with pytest.raises(ValueError, match=r"^a pattern "):
        tame(pattern, LINE)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("[", "no pattern"), ("(" * 400, "no pattern"), ("a{99999999999}", "no pattern"), (r"(a)\1", "groupref"),
     ("(?P<a>x)(?P<a>y)", "no pattern"), ("a" * (LONGEST + 1), f"{LONGEST + 1} characters"),
     (r"(a)?(?(1)b|c)", "groupref")],
)  # fmt: skip
def test_what_is_no_pattern_or_refers_back_is_refused(pattern: str, why: str) -> None:
    """What does not compile, is too long or refers to what was matched says so."""
    with pytest.raises(ValueError, match=why):
        tame(pattern, LINE)


@pytest.mark.parametrize(
    "pattern",
    [r"at most ([0-9.]+)%", r"\d{1,3}(?:,\d{3})*", r"(?:ab)*c", r"between .* and .*", r"(?<!\d)\d+ blocks", r"yes|no",
     r"from (?P<first>\d+) to (?P<last>\d+)", r"(?:a{3}){5}", r"[^.]{0,80}?emitted", r"\d+(?:\.\d+)?%", ""],
)  # fmt: skip
def test_a_pattern_as_people_write_them_is_taken(pattern: str) -> None:
    """Ordinary patterns come back compiled and as they were."""
    assert tame(pattern, LINE).pattern == pattern


def test_the_shipped_recipes_are_taken_on_long_pages(shipped: Path) -> None:
    """Every pattern we ship is far within the bound, questions on a line, pages of a hundred thousand letters."""
    recipes = tomllib.loads((shipped / "suite.toml").read_text())["recipes"]
    assert len(recipes) == 6
    for recipe in recipes.values():
        tame(recipe["question"], LINE)
        tame(recipe["pattern"], 100_000)


def test_the_same_pattern_may_be_too_slow_for_a_longer_text() -> None:
    """The bound is over the text a pattern is for: three open repetitions are fine over a line, not over a page."""
    tame("a.*b.*c", LINE)
    with pytest.raises(ValueError, match="steps on 20000 characters"):
        tame("a.*b.*c", 20_000)


@given(st.recursive(
    st.sampled_from(["a", "b", "[ab]", ".", r"\w"]),
    lambda inner: st.tuples(inner, inner).map("".join) | st.tuples(inner, inner).map(lambda p: f"(?:{p[0]}|{p[1]})")
    | st.tuples(inner, st.sampled_from("*+?")).map(lambda p: f"(?:{p[0]}){p[1]}"),
    max_leaves=6,
))  # fmt: skip
def test_nothing_accepted_chooses_inside_a_repetition(pattern: str) -> None:
    """However patterns are put together: what passes repeats only what has one length, and ends on its worst texts."""
    try:
        tame(pattern, 12)
    except ValueError:
        return
    assert not re.search(r"\(\?:[^()]*[*+?|][^()]*\)[*+]", pattern)
    assert all(re.search(f"(?:{pattern})#", letter * 12) is None for letter in "ab")
