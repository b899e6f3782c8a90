"""The tools of an arm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import BadInput
from caia_replay.runner.arm import require_arm, tools_in, toolset_in
from caia_replay.runner.campaign import overlays_for
from caia_replay.runner.plan import ARMS
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import CATALOG
from caia_replay.tools.defences import FIELD
from caia_replay.tools.quarantine import Quarantine
from caia_replay.world.world import FrozenWorld


def test_authority_only_has_no_open_web_and_the_others_have_all() -> None:
    """The web, its pages and the social network are gone, and code stays."""
    for arm in ARMS:
        left_out = set(CATALOG) - set(tools_in(arm))
        gone = {"web_search", "url_fetching", "twitter_search", "social_stream"} if arm == "authority-only" else set()
        assert left_out == gone, arm
        assert list(tools_in(arm)) == [name for name in CATALOG if name not in gone]


def test_an_unknown_arm_names_the_nearest() -> None:
    """Every arm there is passes."""
    for arm in ARMS:
        require_arm(arm)
    with pytest.raises(BadInput, match=r"unknown arm 'labeled'.*nearest: labelled"):
        require_arm("labeled")


def test_an_arm_is_what_its_tools_show(shipped: Path) -> None:
    """One search in every arm: honest pages, lies, a placebo, labelled lies, and no such tool."""
    with FrozenWorld(open_world(str(shipped))) as world:
        task = world.folder.task(world.folder.suite.active()[0])
        asked = json.dumps({"query": task.question, "limit": 10})
        altered, labelled = {}, {}
        for arm, overlay in overlays_for(world, ARMS, "seo-heavy").items():
            with toolset_in(arm, world.task(task, overlay)) as tools:
                reply = tools.call("web_search", asked)
                altered[arm] = reply.altered_by
                labelled[arm] = FIELD in (reply.result or {})
                assert (reply.served is Served.ERROR) == (arm == "authority-only")
                assert [spec.name for spec in tools.specs()] == list(tools_in(arm))
    lied = ("seo-page",)
    assert altered == {"clean": (), "attacked": lied, "placebo": ("placebo",), "labelled": lied, "authority-only": ()}
    assert [arm for arm in ARMS if labelled[arm]] == ["labelled"]


@pytest.mark.parametrize("arm", ARMS)
def test_tools_can_be_narrowed_in_every_arm(shipped: Path, arm: str) -> None:
    """Without tools none is offered; narrowing never brings back what the arm lacks."""
    with FrozenWorld(open_world(str(shipped))) as world:
        view = world.task(world.folder.task(world.folder.suite.active()[0]))
        with toolset_in(arm, view, ()) as tools:
            assert list(tools.specs()) == []
        with toolset_in(arm, view, ("block_query", "web_search")) as tools:
            names = [spec.name for spec in tools.specs()]
            assert names == [name for name in ("web_search", "block_query") if name in tools_in(arm)]


def test_a_defence_stands_before_the_tools_in_every_arm(shipped: Path) -> None:
    """A new one for each run; labels are put on once, and an unknown name is refused before a tool is there."""
    with FrozenWorld(open_world(str(shipped))) as world:
        view = world.task(world.folder.task(world.folder.suite.active()[0]))
        for arm in ARMS:
            with toolset_in(arm, view, None, "quarantine") as one, toolset_in(arm, view, None, "quarantine") as other:
                assert one is not other and isinstance(one, Quarantine) == (arm != "labelled")
                assert [spec.name for spec in one.specs()] == list(tools_in(arm))
        with toolset_in("labelled", view, None, "labelled") as tools:
            assert all(spec.description.count(FIELD) == 1 for spec in tools.specs())
        with pytest.raises(BadInput, match="no defence"), toolset_in("clean", view, None, "shield"):
            pass
