"""Names that nobody of a story bears, made as its own are."""

from __future__ import annotations

from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.stranger import Strangers
from tests.shape_law import Bench


def test_nobody_of_the_story_bears_any_part_of_them(bench: Bench) -> None:
    """Neither first nor last name stands anywhere in the web, and each name is given once."""
    strangers = Strangers(bench.story, Dice("some"))
    people, funds = strangers.people(30), strangers.funds(30)
    parts = [part for name in people for part in name.split()] + [name.partition(" ")[0] for name in funds]
    assert len(set(parts)) == len(parts) == 90
    told = " ".join(f"{made.page.title} {made.page.text}" for made in bench.story.web.pages)
    assert not [part for part in parts if part in told]


def test_a_fund_is_named_as_the_storys_are(bench: Bench) -> None:
    """What follows a fund's first word is what follows that of one of the story's funds."""
    kinds = {name.partition(" ")[2] for name in bench.story.truth.cast.funds}
    assert {name.partition(" ")[2] for name in Strangers(bench.story, Dice("some")).funds(9)} <= kinds


def test_they_follow_from_the_dice(bench: Bench) -> None:
    """The same dice give the same names, and other dice others."""
    one, same, other = (Strangers(bench.story, Dice(name)).people() for name in ("a", "a", "b"))
    assert one == same != other
