"""Every question shape, and the draw of a suite's drafts from them: so many, in given proportions, from a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from caia_replay.core.task import Category
from caia_replay.errors import CheckFailed
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks import (
    allocation_share,
    block_time,
    bridge_net_flow,
    burnt_fees,
    collectible_owner,
    contract_creator,
    daily_senders,
    diluted_value,
    distinct_payers,
    documented_address,
    failed_transactions,
    funding_paid,
    governance_term,
    highest_close,
    known_selector,
    largest_transfer,
    lending_term,
    local_midnight_block,
    local_midnight_price,
    locked_value,
    market_cap_rank,
    next_cliff,
    no_burn,
    open_allowance,
    pause_state,
    pool_gap,
    protocol_constant,
    protocol_users,
    proxy_implementation,
    staked_share,
    supply_change,
    token_balance,
    token_decimals,
    token_look_alike,
    token_supply,
    transfer_count,
    treasury_share,
    unlocked_amount,
    vesting_beneficiary,
    volume_share,
    vote_tally,
    week_fees,
    wrapped_holding,
)
from caia_replay.origin.tasks.shape import Draft, Shape, Story

SHAPES: Final[tuple[Shape, ...]] = tuple(
    module.SHAPE
    for module in (
        allocation_share,
        block_time,
        bridge_net_flow,
        burnt_fees,
        collectible_owner,
        contract_creator,
        daily_senders,
        diluted_value,
        distinct_payers,
        documented_address,
        failed_transactions,
        funding_paid,
        governance_term,
        highest_close,
        known_selector,
        largest_transfer,
        lending_term,
        local_midnight_block,
        local_midnight_price,
        locked_value,
        market_cap_rank,
        next_cliff,
        no_burn,
        open_allowance,
        pause_state,
        pool_gap,
        protocol_constant,
        protocol_users,
        proxy_implementation,
        staked_share,
        supply_change,
        token_balance,
        token_decimals,
        token_look_alike,
        token_supply,
        transfer_count,
        treasury_share,
        unlocked_amount,
        vesting_beneficiary,
        volume_share,
        vote_tally,
        week_fees,
        wrapped_holding,
    )
)
"""By the names of their files."""

CAIA: Final[Mapping[Category, int]] = {
    "on-chain analysis": 77,
    "project discovery": 49,
    "tokenomics": 23,
    "overlap": 14,
    "trend analysis": 8,
    "general knowledge": 7,
}
"""How many of CAIA's 178 tasks are of which category."""


def draw(story: Story, seed: int, count: int, proportions: Mapping[Category, int] = CAIA) -> tuple[Draft, ...]:
    """``count`` drafts, each category's share of them by largest remainder, its shapes taking turns.

    No two have the same question, and none the height of another while there is a draft at a height of its own.
    Raises ``CheckFailed`` where the shapes of a category have too few.
    """
    drawn: list[Draft] = []
    for category, wanted in shares(count, proportions).items():
        found = _of(story, seed, category, wanted, {(one.anchor.chain, one.anchor.block) for one in drawn})
        if len(found) < wanted:
            raise CheckFailed(f"the shapes of {category} have {len(found)} drafts, {wanted} are wanted")
        drawn += found
    return tuple(drawn)


def shares(count: int, proportions: Mapping[Category, int]) -> dict[Category, int]:
    """``count`` divided in proportion; what is left over goes to the largest remainders, ties in the order given."""
    whole = sum(proportions.values())
    found = {category: count * part // whole for category, part in proportions.items()}
    left = sorted(proportions, key=lambda category: -(count * proportions[category] % whole))
    for category in left[: count - sum(found.values())]:
        found[category] += 1
    return found


def _of(story: Story, seed: int, category: Category, wanted: int, taken: set[tuple[str, int]]) -> list[Draft]:
    """Drafts of one category, a turn of all its shapes after the other; heights of their own come first."""
    turns = [_fresh(shape.drafts(story, Dice(f"tasks/{seed}/{shape.name}")), taken)
             for shape in SHAPES if shape.category == category]  # fmt: skip
    found: list[Draft] = []
    while turns and len(found) < wanted:
        for turn in tuple(turns):
            draft = next(turn, None)
            if draft is None:
                turns.remove(turn)
            elif len(found) < wanted:
                found.append(draft)
                taken.add((draft.anchor.chain, draft.anchor.block))
    return found


def _fresh(drafts: Iterator[Draft], taken: set[tuple[str, int]]) -> Iterator[Draft]:
    """The drafts whose heights nobody has yet, looked at as each is wanted, and then the others."""
    later = []
    for draft in drafts:
        if (draft.anchor.chain, draft.anchor.block) in taken:
            later.append(draft)
        else:
            yield draft
    yield from later
