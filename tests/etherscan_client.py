"""What a client of the explorer asks: its calls."""

from __future__ import annotations

from typing import Any

from tests.etherscan_law import Court


def questions(court: Court) -> list[tuple[str, dict[str, Any]]]:
    """Calls of a client, and their arguments."""
    scene = court.scene
    history, token = court.service.histories[str(scene.rollup.chain_id)], scene.bridged["dollar"].address
    mined = next(found for found, log in history.transfers if log["address"] == token and found.block > 60)
    who = mined.transaction["from"]
    created = scene.rollup.contracts["bridge minter"].address
    return [
        ("get_eth_balance", {"address": who}),
        ("get_eth_balance_multiple", {"addresses": [who, token]}),
        ("get_normal_txs_by_address", {"address": who, "startblock": 0, "endblock": 99_999_999, "sort": "asc"}),
        ("get_normal_txs_by_address_paginated",
         {"address": who, "page": 2, "offset": 3, "startblock": 0, "endblock": 110, "sort": "desc"}),
        ("get_internal_txs_by_block_range_paginated",
         {"startblock": 0, "endblock": 99_999_999, "page": 1, "offset": 5, "sort": "asc"}),
        ("get_erc20_token_transfer_events_by_address",
         {"address": who, "startblock": 0, "endblock": 99_999_999, "sort": "desc"}),
        ("get_contract_abi", {"address": created}),
        ("get_contract_source_code", {"address": created}),
        ("get_tx_receipt_status", {"txhash": mined.transaction["hash"]}),
        ("get_block_reward_by_block_number", {"block_no": 77}),
        ("get_block_number_by_timestamp", {"timestamp": scene.rollup.calendar.times[50] + 7, "closest": "before"}),
        ("get_total_eth_supply", {}),
        ("get_eth_last_price", {}),
        ("get_gas_oracle", {}),
        ("get_total_supply_by_contract_address", {"contract_address": token}),
        ("get_acc_balance_by_token_and_contract_address", {"contract_address": token, "address": who}),
        ("get_proxy_block_number", {}),
        ("get_proxy_block_by_number", {"tag": hex(50)}),
        ("get_proxy_transaction_by_hash", {"txhash": mined.transaction["hash"]}),
        ("get_proxy_transaction_receipt", {"txhash": mined.transaction["hash"]}),
        ("get_proxy_call", {"to": token, "data": "0x18160ddd"}),
        ("get_proxy_code_at", {"address": token}),
        ("get_proxy_storage_position_at", {"position": "0x0", "address": token}),
        ("get_proxy_transaction_count", {"address": who}),
        ("get_proxy_gas_price", {}),
    ]  # fmt: skip
