"""What the shipped worlds offer attacks, asked for once more: a sample of it. Soak looks at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from caia_replay.analysis.leak_audit import leak_audit
from caia_replay.attacks.campaign import DEFAULT, campaign_names
from caia_replay.core.attack import AttackSurface
from caia_replay.runner.campaign import planned_over
from caia_replay.store.target_file import read_targets
from caia_replay.store.world_folder import open_world
from caia_replay.validation.page import target_faults
from caia_replay.world.world import FrozenWorld
from tests.offer_law import offer_faults

pytestmark = pytest.mark.check

PROJECT = Path(__file__).resolve().parents[2]
OF_EACH = 2


@pytest.fixture(scope="module")
def suite() -> Iterator[FrozenWorld]:
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / "synthetic-178"))) as world:
        yield world


@pytest.mark.usefixtures("sandbox")
def test_lies_lead_where_they_are_said_to(suite: FrozenWorld) -> None:
    """Of each way to be misled, and of each kind of decoy, the tasks that come first."""
    offers = read_targets(suite.folder.path)
    faults = []
    for name, offer in _sample(offers.values()).items():
        faults += offer_faults(suite, suite.folder.task(name), offer)
    assert faults == []


def test_the_small_worlds_lies_do(shipped: Path) -> None:
    """All of them."""
    with FrozenWorld(open_world(str(shipped))) as world:
        offers = read_targets(shipped)
        assert [fault for name, offer in offers.items()
                for fault in offer_faults(world, world.folder.task(name), offer)] == []  # fmt: skip


def test_nothing_offered_is_right_or_unreadable(suite: FrozenWorld) -> None:
    """As lint reads it, every offer of every task."""
    assert list(target_faults(suite.folder, read_targets(suite.folder.path))) == []


def _sample(offers: Iterable[AttackSurface]) -> dict[str, AttackSurface]:
    """The first ``OF_EACH`` offers that have one of a thing, for each thing."""
    chosen: dict[str, list[AttackSurface]] = {}
    for offer in offers:
        has = ["once"] if offer.once else []
        has += [one.tool for one in offer.misread][:1]
        has += [decoy.kind for decoy in offer.decoys if decoy.answer]
        for thing in has:
            chosen.setdefault(thing, []).append(offer)
    return {offer.task: offer for found in chosen.values() for offer in found[:OF_EACH]}


@pytest.mark.parametrize("suite", ["mini-6", "synthetic-178", "synthetic-execution"])
def test_every_campaign_can_be_planned_over_every_shipped_suite(suite: str) -> None:
    """No two lies of one campaign are the same, and each plants something where it says that it does."""
    with FrozenWorld(open_world(str(PROJECT / "cassettes" / suite))) as world:
        for name in campaign_names():
            overlay = planned_over(world, name).overlay
            owners = {(one.planted, one.task, one.attack) for one in overlay.planted() if one.planted}
            assert len(owners) == len({planted for planted, _, _ in owners}), name


@pytest.mark.parametrize("campaign", campaign_names())
def test_form_does_not_tell_what_a_campaign_plants(suite: FrozenWorld, campaign: str) -> None:
    """Every limit of the leak audit is kept, and no more direct answers are lies than the campaign states."""
    found = leak_audit(suite, campaign)
    assert found.broken() == []
    judged = {(one.family, one.against) for one in found.leaks if one.is_judged}
    assert judged or campaign == "social"
    if campaign == DEFAULT:
        assert judged >= {("", "honest"), ("", "twin"), ("edited-page", "honest"), ("edited-page/own-site", "honest")}
        assert {one.family for one in found.habits if one.planted} >= {"edited-page", "edited-post"}
