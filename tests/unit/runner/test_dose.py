"""Doses as people type them, and what they change in a plan and a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.campaign import campaign_names, load_campaign
from caia_replay.core.attack import Dose
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import chosen, overlays_for, own_campaigns, planned_over
from caia_replay.runner.dose import dose_text, parse_dose, parse_levels
from caia_replay.runner.plan import make_plan, plan_from
from caia_replay.store.world_folder import open_world, seal_world
from caia_replay.world.world import FrozenWorld
from tests.campaigns import kept

DOSES = st.fixed_dictionaries(
    {},
    optional={
        "items": st.integers(1, 100),
        "domains": st.integers(1, 100),
        "depth": st.integers(1, 50),
        "age_hours": st.integers(0, 87_600),
        "weight": st.integers(0, 6),
        "full": st.booleans(),
        "offset_percent": st.integers(0, 10_000),
        "language": st.sampled_from(["", "en", "zh"]),
    },
)


@given(DOSES, st.randoms())
def test_a_dose_is_read_as_it_is_told_in_any_order(changes: dict[str, Any], chance: Any) -> None:
    """Text and back is the same dose, and the text does not depend on the order of what was typed."""
    parts = dose_text(changes).split(",") if changes else []
    chance.shuffle(parts)
    assert parse_dose(" , ".join(parts)) == changes
    assert dose_text(parse_dose(", ".join(parts))) == dose_text(changes)


@given(st.text(alphabet="items=, weight0129ful\x1b\u202e\u0663\ud800-.", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    """It is a dose within bounds, or one printable line of bad input."""
    try:
        Dose(**parse_dose(text))  # type: ignore[arg-type]
    except BadInput as fault:
        assert str(fault).isprintable() and str(fault).startswith("--dose: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("three", "'three' is no name=value; next: --dose items=3,weight=2"),
        ("itms=3", "a dose has no 'itms'; nearest: items"),
        ("items=0", "items is 0; it goes from 1 to 100"),
        ("items=1,items=2", "items is given twice"),
        ("weight=-1", "weight is '-1', wanted is a whole number"),
        ("weight=" + "9" * 5_000, "wanted is a whole number"),
        ("full=perhaps", "full is 'perhaps', wanted is true or false"),
        ("language=fr", "language is 'fr'"),
    ],
)
def test_what_is_no_dose_is_told_before_anything_is_played(shipped: Path, text: str, said: str) -> None:
    """A plan with it is refused in one line, whatever its arms."""
    with pytest.raises(BadInput) as caught:
        make_plan(open_world(str(shipped)), arms=("clean",), dose=text)
    assert said in str(caught.value)


def test_levels_are_read_as_typed() -> None:
    """In their order, by the field's own kind; a level twice, none, and one out of bounds are refused."""
    assert parse_levels("weight=4,0, 2") == ("weight", (4, 0, 2))
    assert parse_levels("full=no,yes") == ("full", (False, True))
    assert parse_levels("language=zh,en") == ("language", ("zh", "en"))
    for text in ("weight=1,1", "weight=", "weight=7", "weight", "height=1"):
        with pytest.raises(BadInput, match=r"^--over: "):
            parse_levels(text)


def test_a_dose_is_a_part_of_the_plan(shipped: Path) -> None:
    """Equal doses are equal plans however they were typed; another dose is another plan, which resume never mixes."""
    folder = open_world(str(shipped))
    plans = [make_plan(folder, dose=dose) for dose in ("items=3, weight=2", "weight=2,items=3", "items=3", "")]
    digests = [plan.digest("w") for plan in plans]
    assert digests[0] == digests[1] and len(set(digests)) == 3
    assert plan_from(plans[0].plain()) == plans[0] and plans[0].dose == "items=3,weight=2"


def test_a_dose_changes_every_family_of_a_campaign(shipped: Path) -> None:
    """What it names is so in each, and nothing else is changed; overlays of attacked arms follow, clean's does not."""
    folder = open_world(str(shipped))
    for name in campaign_names():
        before, after = load_campaign(name), chosen(folder, name, "items=3,domains=3")
        assert not isinstance(after, str)
        for (family, old), (other, new) in zip(before.attacks, after.attacks, strict=True):
            assert family == other and (new.items, new.domains) == (3, 3)
            assert (new.weight, new.age_hours, new.full) == (old.weight, old.age_hours, old.full)
    with FrozenWorld(folder) as world:
        usual = overlays_for(world, ("clean", "attacked"), "seo-heavy")
        dosed = overlays_for(world, ("clean", "attacked"), "seo-heavy", "items=3")
        assert usual["clean"] == dosed["clean"] and len(dosed["attacked"].pages) == 3 * len(folder.suite.active())
        assert dosed["attacked"] == planned_over(world, "seo-heavy", "items=3").overlay != usual["attacked"]


def test_an_unknown_campaign_names_those_of_package_and_world(mini: Path) -> None:
    """One line with both; a finished campaign of the world's own is taken as it is, and has no dose."""
    world = mini / "cassettes" / "mini-6"
    kept(world).rename(world / "overlays" / "mine.toml")
    text = (world / "overlays" / "mine.toml").read_text()
    (world / "overlays" / "mine.toml").write_text(text.replace('"seo-heavy"', '"mine"', 1))
    seal_world(world)
    folder = open_world(str(world))
    assert own_campaigns(folder) == ("mine",) and chosen(folder, "mine") == "mine"
    with FrozenWorld(folder) as opened:
        assert planned_over(opened, "mine").overlay.campaign == "mine"
    with pytest.raises(BadInput) as caught:
        chosen(folder, "miné")
    said = str(caught.value)
    assert "no campaign 'miné'" in said and "nearest: mine" in said and "mini-6 itself has: mine" in said
    assert all(name in said for name in campaign_names()) and "\n" not in said
    with pytest.raises(BadInput, match="a file of the world's own and has no dose"):
        chosen(folder, "mine", "items=2")
    for name in ("../overlays/mine", "mine\0", "\x1b[2J", ""):
        with pytest.raises(BadInput, match="no campaign"):
            chosen(folder, name)
