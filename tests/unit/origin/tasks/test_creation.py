"""Creations as they follow from what was sent."""

from __future__ import annotations

from caia_replay.origin.tasks.creation import creations
from tests.shape_law import Bench


def test_what_accounts_created_is_where_the_story_has_it(bench: Bench) -> None:
    """Most contracts of the story are found by nonces alone, with a creator who sent to nobody in that block."""
    for stage in bench.story.stages:
        found, named = creations(stage), {made.address for made in stage.contracts.values()}
        assert len(named & found.keys()) > len(named) // 2
        for made in found.values():
            assert (made.block, made.creator, "") in stage.sent
    main = bench.story.scene.main
    issuer = bench.story.scene.people.address("issuer")
    assert creations(main)[main.contracts["dollar token"].address].creator == issuer


def test_what_contracts_create_is_nobodys_creation(bench: Bench) -> None:
    """Pairs, which the factory makes, are not among them."""
    main = bench.story.scene.main
    pairs = {market.pair.address for market in bench.story.scene.markets.values()}
    assert pairs and not pairs & creations(main).keys()
