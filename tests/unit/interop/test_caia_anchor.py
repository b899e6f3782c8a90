"""Anchors of questions."""

from __future__ import annotations

import pytest

from caia_replay.interop.caia_anchor import DATASET_END, UNRESOLVED, find_anchor, find_chain, find_transaction

HASH = "0x" + "ab" * 32


@pytest.mark.parametrize(
    ("question", "block"),
    [
        ("Who proposed Ethereum block 18,000,001?", 18_000_001),
        ("The reserve at the block height 18000001", 18_000_001),
        ("以太坊区块 18,000,001 的费用", 18_000_001),
        ("第 18000001 个区块", 18_000_001),
    ],
)
def test_a_named_block_is_the_anchor(question: str, block: int) -> None:
    """Its time is not known before somebody looks it up, and is never made up."""
    found = find_anchor(question)
    assert (found.kind, found.anchor.block, found.anchor.timestamp) == ("block", block, UNRESOLVED)
    assert "anchor:block" in found.tags and "unresolved:timestamp" in found.tags


def test_a_transaction_is_the_anchor() -> None:
    """Neither its block nor its time is known; its hash is kept in lower case."""
    found = find_anchor(f"Explain the Tx on base: {HASH.upper().replace('X', 'x')}")
    assert (found.kind, found.transaction, found.anchor.chain) == ("transaction", HASH, "base")
    assert found.anchor.block == found.anchor.timestamp == UNRESOLVED


def test_a_solana_signature_is_a_transaction_of_solana() -> None:
    """Base58 of 88 characters beside the word; the chain need not be named."""
    found = find_anchor(f"Explain the transaction {'4uBcL' * 17}xyz")
    assert (found.kind, found.anchor.chain) == ("transaction", "solana")
    assert "chain:non-evm" in found.tags


def test_a_hash_alone_is_no_transaction() -> None:
    """A market id has 32 bytes too."""
    assert find_transaction(f"Supply to market {HASH}") is None


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("Fees of Lantern on 2025-03-01 UTC", 1_740_873_600),
        ("Fees from 2025-02-01 to 2025-03-01", 1_740_873_600),
        ("TVL at 2025-03-01 00:00 UTC", 1_740_787_200),
        ("Fees in March 2025, up to 2025-03-01", 1_743_465_600),
    ],
)
def test_a_date_is_the_second_at_which_it_is_over(question: str, end: int) -> None:
    """The last of several dates, a period's end, or the moment itself."""
    found = find_anchor(question)
    assert (found.kind, found.anchor.timestamp, found.anchor.block) == ("date", end, UNRESOLVED)


def test_nobody_is_asked_after_the_data_set() -> None:
    """A date of the future is left out; a period that goes on then ends with the data set's day."""
    future = find_anchor("How many tokens unlock on 2026-01-18?")
    assert (future.kind, future.anchor.timestamp) == ("assumed", DATASET_END)
    assert future.notes
    assert find_anchor("Unlocks between 2025-06-30 and 2025-12-30").anchor.timestamp == 1_751_328_000
    assert find_anchor("Unlocks in 2025 September").anchor.timestamp == DATASET_END


def test_without_any_moment_the_data_sets_is_assumed_and_marked() -> None:
    """The tag says so."""
    found = find_anchor("Who founded Lantern?")
    assert (found.kind, found.anchor.timestamp) == ("assumed", DATASET_END)
    assert "anchor:assumed" in found.tags


def test_a_missing_year_is_told() -> None:
    """It is taken from the data set."""
    assert "2025" in find_anchor("Lantern's TVL on Aug 1st").notes[0]


@pytest.mark.parametrize(
    ("question", "chain", "kind"),
    [
        ("the token on Solana", "solana", "named"),
        ("WETH on BASE chain", "base", "named"),
        ("base fee of a day", "ethereum", "default"),
        ("USDC on Optimism and Arbitrum", "optimism", "named"),
        ("查询某地址在ethereum上的余额", "ethereum", "named"),
        ("请给我Polygon，Base chain 的费用", "polygon", "named"),
        ("截至今日，在 BSC 上", "bsc", "named"),
        ("volume on Meteora", "solana", "implied"),
        ("the price of $SOLANA", "ethereum", "default"),
    ],
)
def test_the_first_chain_named_counts(question: str, chain: str, kind: str) -> None:
    """Named before implied before Ethereum."""
    assert find_chain(question)[:2] == (chain, kind)
