"""The economy as a whole: the same for a seed, another for another, and large enough."""

from __future__ import annotations

from typing import Any

import pytest

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.economy import MAIN_CHAIN_ID, ROLLUP_CHAIN_ID, economy, tell
from caia_replay.origin.scale import Scale
from caia_replay.origin.scene import Scene

SHORT = Scale("short", 12, 2, 1, 4)


def played(seed: int) -> dict[str, Any]:
    """Everything of a short economy that another seed must not have, and its last blocks."""
    with economy(seed, SHORT) as scene:
        tell(scene)
        heads = [stage.ask("eth_getBlockByNumber", "latest", False)["hash"] for stage in (scene.main, scene.rollup)]
        return {
            "heads": heads,
            "addresses": {contract.address for contract in scene.main.contracts.values()}
            | {person.address for person in scene.people.crowd},
            "names": {project.name for project in scene.projects.values()},
            "tickers": {project.ticker for project in scene.projects.values()},
            "figures": {one.amount for one in scene.main.ledger.movements if len(str(one.amount).rstrip("0")) > 3}
            | {price for asset in scene.venue.assets for price in scene.venue.hourly(asset)[:1]},
            "ids": {MAIN_CHAIN_ID + seed, ROLLUP_CHAIN_ID + seed},
        }


@pytest.fixture(scope="module")
def first() -> dict[str, Any]:
    """Seed 3, once."""
    return played(3)


def test_a_seed_gives_the_same_blocks(first: dict[str, Any]) -> None:
    """Told again, both chains end in the same block hashes, which stand for every transaction and state before them."""
    assert played(3) == first


def test_two_seeds_share_nothing(first: dict[str, Any]) -> None:
    """No address, name, ticker, chain id or figure of one is in the other; 7 coins and 120 coins are nobody's."""
    other = played(4)
    for kind in ("addresses", "names", "tickers", "ids"):
        assert not first[kind] & other[kind], kind
    shared = first["figures"] & other["figures"]
    assert not shared, sorted(shared)[:5]
    assert first["heads"] != other["heads"]


def test_every_block_is_told(scene: Scene) -> None:
    """Both chains reach the end of their calendars; ordinary days are busy; the days are at least 120."""
    for stage in (scene.main, scene.rollup):
        head = int(stage.ask("eth_blockNumber"), 16)
        assert head == stage.calendar.last_block == stage.height - 1
    assert scene.main.transactions > 5 * scene.main.calendar.last_block
    assert scene.main.calendar.times[-1] - scene.main.calendar.times[0] > 120 * DAY_S


def test_every_contract_is_what_its_artifact_says(scene: Scene) -> None:
    """The code on the chain is the artifact's, immutables aside; behind a proxy's address stands the proxy."""
    for stage in (scene.main, scene.rollup):
        proxies = {contract.address for role, contract in stage.contracts.items() if role.endswith(" proxy")}
        for role, contract in stage.contracts.items():
            if contract.address not in proxies or role.endswith(" proxy"):
                code = bytes.fromhex(stage.ask("eth_getCode", contract.address, "latest")[2:])
                assert contract.artifact.runtime_matches(code), f"{role} on {stage.name}"
        assert len(stage.contracts) > 5


def test_the_chains_are_told_in_time(scene: Scene) -> None:
    """Deeds of both chains are in the order of their blocks, and each is inside the story."""
    for stage in (scene.main, scene.rollup):
        heights = [deed.block for deed in stage.deeds]
        assert heights == sorted(heights)
        assert all(1 <= height <= stage.calendar.last_block for height in heights)
