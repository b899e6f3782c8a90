"""The tools of an arm, what a campaign puts over a world in each, and doses as people type them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.attacks.campaign import campaign_names, load_campaign
from caia_replay.core.attack import PLACES, Dose
from caia_replay.core.task import Anchor
from caia_replay.core.tool import Served
from caia_replay.errors import BadInput
from caia_replay.runner.campaign import (
    chosen,
    filled,
    overlays_for,
    own_campaigns,
    planned_over,
    targets_in,
)
from caia_replay.runner.dose import dose_text, parse_dose, parse_levels
from caia_replay.runner.episode import require_arm, tools_in, toolset_in
from caia_replay.runner.plan import ARMS, ATTACKED, make_plan
from caia_replay.store.target_file import TARGETS
from caia_replay.store.world_folder import WorldFolder, open_world, save_task, seal_world
from caia_replay.tools.defences import FIELD
from caia_replay.tools.quarantine import Quarantine
from caia_replay.world.world import NO_OVERLAY, FrozenWorld
from tests.campaigns import kept


def test_an_arm_is_what_its_tools_show(world: FrozenWorld) -> None:
    """One search in every arm: honest pages, lies, a placebo, labelled lies, and no such tool; others are refused."""
    task = world.folder.task(world.folder.suite.active()[0])
    asked = json.dumps({"query": task.question, "limit": 10})
    altered, labelled = {}, {}
    for arm, overlay in overlays_for(world, ARMS, "edited").items():
        with toolset_in(arm, world.task(task, overlay)) as tools:
            reply = tools.call("web_search", asked)
            altered[arm] = reply.altered_by
            labelled[arm] = FIELD in (reply.result or {})
            assert (reply.served is Served.ERROR) == (arm == "authority-only")
            assert [spec.name for spec in tools.specs()] == list(tools_in(arm))
    lied = altered["attacked"]
    assert lied and {one.partition("/")[0] for one in lied} <= {"edited-page"}
    assert altered == {"clean": (), "attacked": lied, "placebo": ("placebo",), "labelled": lied, "authority-only": ()}
    assert [arm for arm in ARMS if labelled[arm]] == ["labelled"]
    for wanted, offered in (((), []), (("block_query", "web_search"), ["block_query"])):
        with toolset_in("authority-only", world.task(task), wanted) as tools:
            assert [spec.name for spec in tools.specs()] == offered  # narrowing brings nothing back
    with pytest.raises(BadInput, match=r"unknown arm 'labeled'.*nearest: labelled"):
        require_arm("labeled")


def test_a_defence_stands_before_the_tools_in_every_arm(world: FrozenWorld) -> None:
    """A new one for each run; labels are put on once, and an unknown name is refused before a tool is there."""
    view = world.task(world.folder.task(world.folder.suite.active()[0]))
    for arm in ARMS:
        with toolset_in(arm, view, None, "quarantine") as one, toolset_in(arm, view, None, "quarantine") as other:
            assert one is not other and isinstance(one, Quarantine) == (arm != "labelled")
            assert [spec.name for spec in one.specs()] == list(tools_in(arm))
    with toolset_in("labelled", view, None, "labelled") as tools:
        assert all(spec.description.count(FIELD) == 1 for spec in tools.specs())
    with pytest.raises(BadInput, match="no defence"), toolset_in("clean", view, None, "shield"):
        pass


def test_an_arm_is_clean_lied_to_or_given_a_placebo(world: FrozenWorld) -> None:
    """The clean arm has nothing at all, the placebo as many pages as those that lie, and those that lie one overlay."""
    overlays = overlays_for(world, ARMS, "edited")
    assert list(overlays) == list(ARMS) and overlays["clean"] is NO_OVERLAY
    lies, placebo = overlays["attacked"], overlays["placebo"]
    assert all(overlays[arm] is lies for arm in ATTACKED)
    assert Counter(page.task for page in lies.pages) == Counter(page.task for page in placebo.pages)
    assert (lies.campaign, placebo.campaign) == ("edited", "placebo of edited")
    assert len({lies.digest, placebo.digest, ""}) == 3
    assert overlays_for(world, ARMS, "edited") == overlays


def test_what_cannot_be_asked_yet_is_not_attacked(mini: Path) -> None:
    """A living suite is recorded task by task: the rest of it stops nothing."""
    folder = mini / "cassettes" / "mini-6"
    opened = open_world(str(folder))
    name = opened.suite.active()[0]
    save_task(folder, replace(opened.task(name), anchor=Anchor("ethereum", 7, -1)))
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as world:
        for overlay in overlays_for(world, ("attacked", "placebo"), "edited").values():
            attacked = {page.task for page in overlay.pages}
            assert attacked and name not in attacked


def test_without_an_offer_the_question_is_the_query(mini: Path) -> None:
    """A world that tells nothing of its tasks can be attacked all the same; a recipe that does not fit is not read."""
    folder = mini / "cassettes" / "mini-6"
    (folder / TARGETS).unlink()
    seal_world(folder)
    with FrozenWorld(open_world(str(folder))) as world:
        for task, target in targets_in(world):
            assert target.query == " ".join(task.question.split())[:300] and target.said("31").endswith("31.")
            assert filled(world, task) is not None
            assert filled(world, replace(task, question="What?")) is filled(world, replace(task, shape="none")) is None
        assert not overlays_for(world, ("placebo",), "edited")["placebo"].posts


DOSES = st.fixed_dictionaries(
    {},
    optional={
        **{"items": st.integers(1, 100), "offset_percent": st.integers(0, 10_000)},
        **{"language": st.sampled_from(["", "en", "zh"]), "place": st.sampled_from(PLACES)},
    },
)
LEVELS = {
    "items=4,1, 2": ("items", (4, 1, 2)),
    "place=reply,own-site": ("place", ("reply", "own-site")),
    "language=zh,en": ("language", ("zh", "en")),
}


@given(DOSES, st.randoms())
def test_a_dose_is_read_as_it_is_told_in_any_order(changes: dict[str, Any], chance: Any) -> None:
    """Text and back is the same dose, and the text does not depend on the order of what was typed."""
    parts = dose_text(changes).split(",") if changes else []
    chance.shuffle(parts)
    assert parse_dose(" , ".join(parts)) == changes
    assert dose_text(parse_dose(", ".join(parts))) == dose_text(changes)


@given(st.text(alphabet="items=, place0129zh\x1b\u202e\u0663\ud800-.", max_size=40))
def test_no_text_breaks_the_reader(text: str) -> None:
    """It is a dose within bounds, or one printable line of bad input."""
    try:
        Dose(**parse_dose(text))  # type: ignore[arg-type]
    except BadInput as fault:
        assert str(fault).isprintable() and str(fault).startswith("--dose: ")


def test_what_is_no_dose_and_no_level_is_told_before_anything_is_played(folder: WorldFolder) -> None:
    """A plan with it is refused in one line, whatever its arms; levels are read in their order, by their kind."""
    for text, said in (
        ("three", "'three' is no name=value; next: --dose items=3,language=zh"),
        ("itms=3", "a dose has no 'itms'; nearest: items"),
        ("items=0", "items is 0; it goes from 1 to 100"),
        ("items=1,items=2", "items is given twice"),
        ("items=-1", "items is '-1', wanted is a whole number"),
        ("items=" + "9" * 5_000, "wanted is a whole number"),
        ("language=fr", "language is 'fr'"),
    ):
        with pytest.raises(BadInput) as caught:
            make_plan(folder, arms=("clean",), dose=text)
        assert said in str(caught.value)
    assert {text: parse_levels(text) for text in LEVELS} == LEVELS
    for text in ("items=1,1", "items=", "items=101", "items", "height=1", "weight=2"):
        with pytest.raises(BadInput, match=r"^--over: "):
            parse_levels(text)


def test_a_dose_changes_every_family_of_a_campaign(world: FrozenWorld) -> None:
    """What it names is so in each, and nothing else is changed; overlays of attacked arms follow, clean's does not."""
    for name in campaign_names():
        before, after = load_campaign(name), chosen(world.folder, name, "items=3,offset_percent=40")
        assert not isinstance(after, str)
        for (family, old), (other, new) in zip(before.attacks, after.attacks, strict=True):
            assert family == other and (new.items, new.offset_percent) == (3, 40)
            assert (new.language, new.place) == (old.language, old.place)
    usual = overlays_for(world, ("clean", "attacked"), "edited")
    dosed = overlays_for(world, ("clean", "attacked"), "edited", "items=3")
    assert usual["clean"] == dosed["clean"] and len(dosed["attacked"].pages) > len(usual["attacked"].pages)
    assert dosed["attacked"] == planned_over(world, "edited", "items=3").overlay != usual["attacked"]


def test_an_unknown_campaign_names_those_of_package_and_world(mini: Path) -> None:
    """One line with both; a finished campaign of the world's own is taken as it is, and has no dose."""
    world = mini / "cassettes" / "mini-6"
    kept(world).rename(world / "overlays" / "mine.toml")
    text = (world / "overlays" / "mine.toml").read_text()
    (world / "overlays" / "mine.toml").write_text(text.replace('"edited"', '"mine"', 1))
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
