"""Behaviour of web3.py on a scratch chain, in a process of its own: importing web3 lifts the recursion limit."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

SOURCE = """
from web3.exceptions import ContractLogicError, TransactionNotFound

pytestmark = pytest.mark.fork(chain="mini", block=60)
ABI = [
    {"type": "function", "name": name, "stateMutability": kind, "outputs": [{"name": "", "type": out}],
     "inputs": [{"name": f"a{at}", "type": each} for at, each in enumerate(inputs)]}
    for name, kind, inputs, out in (
        ("balanceOf", "view", ["address"], "uint256"), ("transfer", "nonpayable", ["address", "uint256"], "bool"))
]

@pytest.fixture
def token(fork):
    return fork.web3.eth.contract(address=fork.web3.to_checksum_address(MARE), abi=ABI).functions

@pytest.fixture
def who(fork):
    return {name: fork.web3.to_checksum_address(name) for name in (HOLDER, FRIEND, STRANGER)}

def test_reads_and_writes_are_those_of_the_fork(fork, token, who):
    eth = fork.web3.eth
    assert fork.web3.is_connected() and (eth.chain_id, eth.block_number) == (700177, 60)
    assert token.balanceOf(who[HOLDER]).call() == balance(fork, HOLDER) == 25930 * 10**18
    sent = token.transfer(who[FRIEND], 5).transact({"from": who[HOLDER]})
    receipt = eth.wait_for_transaction_receipt(sent)
    assert (receipt["status"], receipt["blockNumber"], fork.block) == (1, 61, 61)
    assert eth.get_transaction(sent)["from"] == who[HOLDER]
    assert token.balanceOf(who[HOLDER]).call() == balance(fork, HOLDER) == 25930 * 10**18 - 5
    assert token.balanceOf(who[HOLDER]).call(block_identifier=60) == 25930 * 10**18
    assert eth.get_block(61)["hash"].to_0x_hex() == fork.rpc("eth_getBlockByNumber", "0x3d", False)["hash"]
    eth.send_transaction({"from": who[HOLDER], "to": who[FRIEND], "value": 1})
    assert (fork.block, fork.mine(), eth.block_number) == (62, 63, 63)

def test_a_miss_is_a_miss_inside_web3(fork, token, who):
    for ask in (
        lambda: token.balanceOf(who[STRANGER]).call(),
        lambda: token.transfer(who[STRANGER], 5).transact({"from": who[HOLDER]}),
        lambda: token.transfer(who[STRANGER], 5).transact({"from": who[HOLDER], "gas": 100_000}),
        lambda: fork.web3.eth.get_balance(who[STRANGER]),
    ):
        with pytest.raises(Miss):
            ask()
        assert fork.block == 60
    token.transfer(who[FRIEND], 5).transact({"from": who[HOLDER]})
    assert fork.block == 61

def test_refusals_are_web3s_own_and_the_guards_stay(fork, token, who):
    with pytest.raises(ContractLogicError, match="0xe450d38c"):
        token.transfer(who[FRIEND], 10**30).call({"from": who[HOLDER]})
    with pytest.raises(ContractLogicError, match="0xe450d38c"):
        token.transfer(who[FRIEND], 10**30).transact({"from": who[HOLDER]})
    with pytest.raises(TransactionNotFound):
        fork.web3.eth.get_transaction("0x" + "12" * 32)
    with pytest.raises(ToolError, match="anvil_setBalance.* is not available"):
        fork.web3.provider.make_request("anvil_setBalance", [HOLDER, "0x0"])
    with pytest.raises(ToolError, match="unlocks for everyone"):
        fork.web3.eth.accounts
    assert fork.block == 60
"""


@pytest.mark.check
def test_web3_goes_the_same_way_as_the_fork(run_project: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Reads, writes, misses and reverts of a web3 contract; the cheats stay shut."""
    run = run_project(SOURCE)
    assert run.returncode == 0 and "3 passed" in run.stdout, run.stdout
