"""Every question shape there is: who writes its questions, and all else of it, which ``shapes.toml`` says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from caia_worldgen.tasks import (
    announcement,
    bridge,
    clock,
    contract,
    finance,
    funding_round,
    governance,
    grant,
    holding,
    market,
    page_reading,
    protocol,
    release,
    rollup,
    rollup_pool,
    standard,
    supply,
    team,
    transfer,
    venue,
)
from caia_worldgen.tasks.shape import Shape, Writer, shape_tables

_WRITERS: Final[tuple[Writer, ...]] = (
    grant.allocation_share, announcement.announcement_day, clock.balance_at_local_midnight, clock.block_time,
    bridge.bridge_backing, bridge.bridge_net_flow, supply.burnt_fees, contract.collectible_owner,
    contract.contract_creator, clock.daily_senders, market.diluted_value, transfer.distinct_payers,
    contract.documented_address, clock.failed_transactions, protocol.fees_per_user, market.funding_paid,
    governance.governance_term, market.highest_close, team.hiring_day, announcement.incident_day,
    standard.known_selector, transfer.largest_transfer, finance.lending_term, finance.lending_use, venue.listing_day,
    clock.local_midnight_block, clock.local_midnight_price, protocol.locked_to_value, protocol.locked_value,
    market.market_cap_rank, transfer.median_transfer, grant.next_cliff, supply.no_burn, announcement.not_announced,
    supply.official_supply, holding.open_allowance, contract.pause_state, venue.planned_stop, finance.pool_gap,
    announcement.posted_figure, standard.protocol_constant, protocol.protocol_users, contract.proxy_implementation,
    governance.quorum_margin, release.release_day, release.release_gap, release.release_tag, rollup.rollup_balance,
    rollup_pool.rollup_pool_price, rollup.rollup_supply, rollup_pool.rollup_swaps, rollup.rollup_transfers,
    rollup_pool.rollup_turnover, rollup.rollup_user, funding_round.round_date, funding_round.round_discount,
    funding_round.round_follower, funding_round.round_lead, funding_round.round_raised, finance.staked_share,
    supply.supply_change, finance.swap_average_price, team.team_member, holding.token_balance, supply.token_decimals,
    contract.token_look_alike, supply.token_supply, transfer.top_sender_share, transfer.transfer_count,
    governance.treasury_share, grant.unlock_value, grant.unlocked_amount, grant.vesting_beneficiary,
    market.volume_share, market.volume_turnover, governance.vote_tally, protocol.week_fees, venue.withdrawal_fee,
    holding.wrapped_holding,
)  # fmt: skip
_TABLES: Final = shape_tables(Path(__file__).with_name("shapes.toml"), vars(page_reading))

SHAPES: Final[tuple[Shape, ...]] = tuple(
    Shape(asked=asked, **_TABLES[asked.__name__.replace("_", "-")]) for asked in _WRITERS
)
