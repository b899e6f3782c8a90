"""What a token's team checks on a fork of the chain it lives on, without a node and without a network."""

from __future__ import annotations

import pytest

from caia_replay.errors import Miss, ToolError

MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
TREASURY = "0xcafdb0045e29e55f5eee16e863a510cdf83ecdf6"
HOLDER = "0x8ec2894193029aac8406d421066b29b13177754f"
FRIEND = "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
STRANGER = "0x" + "ab" * 20

pytestmark = pytest.mark.fork(chain="mini", block=60)

ABI = [
    {
        "type": "function",
        "name": "balanceOf",
        "stateMutability": "view",
        "inputs": [{"name": "holder", "type": "address"}],
        "outputs": [{"name": "", "type": "uint256"}],
    },
    {
        "type": "function",
        "name": "transfer",
        "stateMutability": "nonpayable",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}],
        "outputs": [{"name": "", "type": "bool"}],
    },
]


def word(value: int | str) -> str:
    """An ABI word in hex digits, from a number or an address."""
    return f"{int(value, 16) if isinstance(value, str) else value:064x}"


def transfer(to: str, amount: int) -> str:
    """The call data of ``transfer(address,uint256)``."""
    return "0xa9059cbb" + word(to) + word(amount)


def balance(fork, holder: str) -> int:
    """A holder's MARE, in the token's smallest unit."""
    return int(fork.call({"to": MARE, "data": "0x70a08231" + word(holder)}), 16)


def test_a_holder_can_pay(fork):
    """A recorded holder sends tokens; the receipt has the event, and both balances moved."""
    before = balance(fork, HOLDER), balance(fork, FRIEND)
    receipt = fork.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 5)})
    assert receipt["status"] == "0x1"
    assert len(receipt["logs"]) == 1
    assert (balance(fork, HOLDER), balance(fork, FRIEND)) == (before[0] - 5, before[1] + 5)
    assert fork.block == 61


def test_nothing_of_another_test_is_left(fork):
    """The payment above never happened here."""
    assert fork.block == 60
    assert balance(fork, HOLDER) == 25930 * 10**18


def test_nobody_pays_more_than_they_have(fork):
    """The token's revert is an error with the node's words, and nothing was mined."""
    with pytest.raises(ToolError, match="revert"):
        fork.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 10**30)})
    assert fork.block == 60


def test_what_the_snapshot_lacks_is_never_zero(fork):
    """A stranger's balance was not recorded: a typed miss, before anything is mined."""
    with pytest.raises(Miss) as missed:
        fork.send({"from": HOLDER, "to": MARE, "data": transfer(STRANGER, 5)})
    assert missed.value.detail.kind == "storage"
    assert fork.send({"from": HOLDER, "to": MARE, "data": transfer(FRIEND, 5)})["status"] == "0x1"


@pytest.mark.fork(chain="mini", block=50)
def test_the_treasury_at_an_earlier_block(fork):
    """A marker on the test itself stands before the module's; web3.py reads and writes the same chain."""
    web3 = fork.web3
    token = web3.eth.contract(address=web3.to_checksum_address(MARE), abi=ABI)
    treasury, friend = web3.to_checksum_address(TREASURY), web3.to_checksum_address(FRIEND)
    held = 11_107_500 * 10**18
    assert token.functions.balanceOf(treasury).call() == held
    sent = token.functions.transfer(treasury, 7).transact({"from": friend})
    assert web3.eth.wait_for_transaction_receipt(sent)["status"] == 1
    assert token.functions.balanceOf(treasury).call() == held + 7
    assert web3.eth.block_number == 51
