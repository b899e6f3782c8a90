"""Whose transactions are whose, against a plain reading of every block."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import Miss
from caia_replay.providers.etherscan_account_index import AccountIndex


@pytest.fixture(scope="module")
def chain(shipped: Path) -> Snapshot:
    return Snapshot.open(shipped.parents[1] / "chain_snapshots" / "mini")


def test_every_accounts_transactions_are_found(chain: Snapshot) -> None:
    """Sent, received, and the creating one; in order; within the blocks asked for."""
    index, whole = AccountIndex(), [(item, receipt) for number in range(61) for item, receipt in zip(
        chain.transactions(number), chain.receipts(number), strict=True)]  # fmt: skip
    parties = {party for item, receipt in whole for party in (item["from"], item["to"], receipt["contractAddress"])}
    for party in sorted(found for found in parties if found):
        wanted = [item["hash"] for item, receipt in whole
                  if party in (item["from"], item["to"], receipt["contractAddress"])
                  and 5 <= int(item["blockNumber"], 16) <= 50]  # fmt: skip
        found = index.transactions(chain, bytes.fromhex(party[2:]), 5, 50)
        assert ["0x" + one.hex() for one in found] == wanted
    assert len(parties) > 10


def test_an_account_without_a_past_has_none(chain: Snapshot) -> None:
    """Which complete tables prove."""
    assert AccountIndex().transactions(chain, b"\x12" * 20, 0, 60) == []


def test_blocks_the_tables_do_not_claim_are_a_miss(chain: Snapshot) -> None:
    """Past the last one nobody knows."""
    with pytest.raises(Miss) as miss:
        AccountIndex().transactions(chain, b"\x12" * 20, 0, 61)
    assert "blocks 0 to 60" in miss.value.detail.nearest
