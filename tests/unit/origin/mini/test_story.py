"""What happened on the small chain, as its story says."""

from __future__ import annotations

from caia_replay.origin.artifact import load_artifact
from caia_replay.origin.chain import OriginChain
from caia_replay.origin.ledger import NOBODY
from caia_replay.origin.mini.cast import draw_cast
from caia_replay.origin.mini.story import (
    BURN_BLOCKS,
    COPY_BLOCK,
    LAST_BLOCK,
    PROMISED,
    UNIT,
    Told,
    block_times,
    first_contract,
    genesis,
    tell,
)


def test_the_chain_has_its_size(story: tuple[OriginChain, Told]) -> None:
    """Sixty blocks, two to four hundred transactions, the last height on the node too."""
    chain, told = story
    assert chain.height == LAST_BLOCK == len(told.times) - 1
    assert 200 <= told.transactions <= 400


def test_every_block_is_at_its_stated_time(story: tuple[OriginChain, Told]) -> None:
    """The node's timestamps are the seed's, each later than the one before."""
    chain, told = story
    seen = [int(chain.ask("eth_getBlockByNumber", hex(at), False)["timestamp"], 16) for at in range(LAST_BLOCK + 1)]
    assert seen == told.times == sorted(set(told.times))


def test_some_transactions_fail(story: tuple[OriginChain, Told]) -> None:
    """Ordinary history holds failures: a claim before the cliff and overdrawn transfers."""
    chain, _ = story
    receipts = [found for at in range(LAST_BLOCK + 1) for found in chain.ask("eth_getBlockReceipts", hex(at))]
    assert sum(found["status"] == "0x0" for found in receipts) >= 5


def test_burns_happen_in_their_blocks(told: Told) -> None:
    """The payment token goes to nobody in exactly the burn blocks."""
    burnt = [found.block for found in told.ledger.movements if found.recipient == NOBODY]
    assert tuple(burnt) == BURN_BLOCKS


def test_the_vault_owes_what_pages_say(story: tuple[OriginChain, Told]) -> None:
    """grants(address) gives each promise and all that was claimed of it."""
    chain, told = story
    for role, promised in PROMISED.items():
        data = load_artifact("VestingVault").call("grants", (told.cast.address(role),))
        answer = chain.ask("eth_call", {"to": told.vault, "data": "0x" + data.hex()}, "latest")
        claimed = sum(paid for _, who, paid in told.claims if who == role)
        assert (int(answer[2:66], 16), int(answer[66:], 16)) == (promised * UNIT, claimed)


def test_the_copy_has_the_same_name_and_another_address(story: tuple[OriginChain, Told]) -> None:
    """Name and symbol of both contracts read alike; the copy has no code before its block."""
    chain, told = story
    for selector in ("0x06fdde03", "0x95d89b41"):
        calls = [chain.ask("eth_call", {"to": at, "data": selector}, "latest") for at in (told.token, told.copy_token)]
        assert calls[0] == calls[1]
    assert chain.ask("eth_getCode", told.copy_token, hex(COPY_BLOCK - 1)) == "0x"
    assert told.copy_token != told.token


def test_the_first_contract_of_an_account_is_known() -> None:
    """The published example: 0x6ac7ea33... deploys 0xcd234a47... with nonce 0."""
    assert first_contract("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0") == "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d"


def test_one_seed_is_one_chain_and_two_are_two(story: tuple[OriginChain, Told]) -> None:
    """Told again, seed 1 ends in the same block; seed 2 in another, with other times."""
    chain, _ = story
    heads = []
    for seed in (1, 2):
        cast = draw_cast(seed)
        with OriginChain(genesis(cast)) as again:
            tell(cast, again)
            heads.append(again.ask("eth_getBlockByNumber", "latest", False)["hash"])
    known = chain.ask("eth_getBlockByNumber", "latest", False)["hash"]
    assert heads[0] == known != heads[1]
    assert block_times(draw_cast(1)) != block_times(draw_cast(2))
