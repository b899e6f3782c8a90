"""What a team checks of a token and a pool on the chain they live on, without a node and without a network."""

from __future__ import annotations

import pytest

from caia_replay.errors import ToolError

TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
PAIR = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0"
HOLDER = "0x0000000000000000000000000000000000001001"
FRIEND = "0x0000000000000000000000000000000000001002"
ETHER = 10**18

pytestmark = pytest.mark.fork(chain="harbour")


def function(name: str, takes: list[str], gives: list[str], mutability: str = "view") -> dict[str, object]:
    """One entry of an ABI."""
    inputs, outputs = ([{"name": "", "type": kind} for kind in kinds] for kinds in (takes, gives))
    return {"type": "function", "name": name, "stateMutability": mutability, "inputs": inputs, "outputs": outputs}


ABI = [
    function("balanceOf", ["address"], ["uint256"]),
    function("transfer", ["address", "uint256"], ["bool"], "nonpayable"),
    function("reserves", [], ["uint256", "uint256"]),
    function("buy", [], ["uint256"], "payable"),
]


@pytest.fixture
def token(fork):
    """The token's functions."""
    return fork.web3.eth.contract(address=TOKEN, abi=ABI).functions


@pytest.fixture
def pair(fork):
    """The pool's functions."""
    return fork.web3.eth.contract(address=PAIR, abi=ABI).functions


def test_a_holder_buys_from_the_pool(fork, token, pair):
    """Ether for gas and a sender without a key, because the test asks for both."""
    before, (reserve, _) = token.balanceOf(HOLDER).call(), pair.reserves().call()
    fork.deal(HOLDER, 2 * ETHER)
    fork.impersonate(HOLDER)
    receipt = fork.web3.eth.wait_for_transaction_receipt(pair.buy().transact({"value": ETHER}))
    assert receipt["status"] == 1
    bought = token.balanceOf(HOLDER).call() - before
    assert bought > 0 and pair.reserves().call()[0] == reserve - bought
    assert fork.block == 61


def test_nothing_of_another_test_is_left(fork):
    """The purchase above never happened here."""
    assert fork.block == 60
    with pytest.raises(ToolError, match=r"(?i)funds"):
        fork.send({"from": HOLDER, "to": FRIEND, "value": ETHER})


def test_a_snapshot_is_returned_to(fork, token):
    """What was paid after the snapshot is not paid before it."""
    fork.deal(HOLDER, ETHER)
    fork.impersonate(HOLDER)
    before, at = token.balanceOf(FRIEND).call(), fork.snapshot()
    token.transfer(FRIEND, 5).transact()
    assert token.balanceOf(FRIEND).call() == before + 5
    fork.revert(at)
    assert token.balanceOf(FRIEND).call() == before


def test_time_passes(fork):
    """A block of a later day."""
    day = fork.web3.eth.get_block("latest")["timestamp"] + 86_400
    fork.warp(day)
    assert fork.web3.eth.get_block("latest")["timestamp"] == day


@pytest.mark.fork(chain="harbour", block=20)
def test_the_pool_at_an_earlier_block(fork, pair):
    """A marker on the test itself stands before the module's."""
    assert fork.block == 20 and pair.reserves().call()[0] > 0
