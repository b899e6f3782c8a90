"""Every question shape there is, by the names of their files."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from caia_worldgen.tasks.shape import Shape

_FILES: Final = (
    "allocation_share", "announcement_day", "balance_at_local_midnight", "block_time", "bridge_backing",
    "bridge_net_flow", "burnt_fees", "collectible_owner", "contract_creator", "daily_senders", "diluted_value",
    "distinct_payers", "documented_address", "failed_transactions", "fees_per_user", "funding_paid",
    "governance_term", "highest_close", "hiring_day", "incident_day", "known_selector", "largest_transfer",
    "lending_term", "lending_use", "listing_day", "local_midnight_block", "local_midnight_price", "locked_to_value",
    "locked_value", "market_cap_rank", "median_transfer", "next_cliff", "no_burn", "not_announced", "official_supply",
    "open_allowance", "pause_state", "planned_stop", "pool_gap", "posted_figure", "protocol_constant",
    "protocol_users", "proxy_implementation", "quorum_margin", "release_day", "release_gap", "release_tag",
    "rollup_balance", "rollup_pool_price", "rollup_supply", "rollup_swaps", "rollup_transfers", "rollup_turnover",
    "rollup_user", "round_date", "round_discount", "round_follower", "round_lead", "round_raised", "staked_share",
    "supply_change", "swap_average_price", "team_member", "token_balance", "token_decimals", "token_look_alike",
    "token_supply", "top_sender_share", "transfer_count", "treasury_share", "unlock_value", "unlocked_amount",
    "vesting_beneficiary", "volume_share", "volume_turnover", "vote_tally", "week_fees", "withdrawal_fee",
    "wrapped_holding",
)  # fmt: skip

SHAPES: Final[tuple[Shape, ...]] = tuple(import_module(f"caia_worldgen.tasks.{name}").SHAPE for name in _FILES)
