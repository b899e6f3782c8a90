"""The cheatcodes of the ``fork`` fixture: what a test asks for happens, and nothing of it unasked or afterwards."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caia_replay.chain.fork_pool import ForkPool
from caia_replay.chain.snapshot import Snapshot
from caia_replay.errors import BadInput, Miss, ToolError
from caia_replay.interop.scratch_chain import ScratchChain

MINI = Path(__file__).resolve().parents[3] / "chain_snapshots" / "mini"
MARE = "0x2931acaffd9415d5bb5f60a58b7f3b0d54211dc0"
HOLDER = "0x8ec2894193029aac8406d421066b29b13177754f"
FRIEND = "0x80573ae79f7b7ad661f7a7a905d081f6cdbd9a4c"
STRANGER = "0x" + "ab" * 20
DEV_ACCOUNTS = (
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc", "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
    "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65", "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
    "0x976ea74026e726554db657fa54763abd0c3a0aa9", "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
    "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f", "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
)  # fmt: skip
"""What development nodes make of their well-known mnemonic, each with 10,000 ether."""
CHEATS = (
    "anvil_setBalance", "anvil_setCode", "anvil_setStorageAt", "anvil_setNonce", "anvil_impersonateAccount",
    "anvil_autoImpersonateAccount", "anvil_dealERC20", "anvil_mine", "anvil_reset", "anvil_loadState",
    "hardhat_setBalance", "hardhat_impersonateAccount", "tenderly_setBalance", "evm_snapshot", "evm_revert",
    "evm_mine", "evm_increaseTime", "evm_setNextBlockTimestamp", "eth_accounts", "eth_sign", "personal_listAccounts",
    "eth_sendRawTransaction", "eth_sendTransaction",
)  # fmt: skip

Step = Callable[[ScratchChain], Any]


@pytest.fixture(scope="module")
def pool() -> Iterator[ForkPool]:
    with ForkPool({"mini": Snapshot.open(MINI)}) as made:
        yield made


@pytest.fixture
def chain(pool: ForkPool) -> Iterator[ScratchChain]:
    with pool.lease("mini", 60, writes=True) as leased:
        yield ScratchChain(leased)


def ether(chain: ScratchChain, address: str) -> int:
    return int(chain.rpc("eth_getBalance", address, "latest"), 16)


def now(chain: ScratchChain) -> int:
    return int(chain.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)


STEPS: dict[str, Step] = {
    "deal": lambda chain: chain.deal(MARE, 10**20),
    "drain": lambda chain: chain.deal(FRIEND, 0),
    "pay": lambda chain: chain.send({"from": HOLDER, "to": FRIEND, "value": 3}),
    "warp": lambda chain: chain.warp(now(chain) + 1000),
    "mine": lambda chain: chain.mine(3),
    "be": lambda chain: chain.impersonate(HOLDER),
    "pay-as": lambda chain: chain.send({"to": HOLDER, "value": 1}),
    "snapshot": lambda chain: chain.snapshot(),
}


def taken(chain: ScratchChain, names: list[str]) -> list[str]:
    """How each step ended: a step may be refused, in the same way wherever it is tried."""
    ends = []
    for name in names:
        try:
            STEPS[name](chain)
            ends.append("done")
        except (ToolError, BadInput, Miss) as fault:
            ends.append(type(fault).__name__)
    return ends


def seen(chain: ScratchChain) -> list[Any]:
    """All that a test could tell two chains apart by: blocks past the pinned one, balances, nonces, who sends."""
    blocks = [chain.rpc("eth_getBlockByNumber", hex(number), True) for number in range(60, chain.block + 1)]
    state = [
        chain.rpc(method, who, "latest")
        for method in ("eth_getBalance", "eth_getTransactionCount", "eth_getCode")
        for who in (HOLDER, FRIEND, MARE)
    ]
    return [chain.block, chain.rpc("eth_blockNumber"), blocks, state, taken(chain, ["pay-as"])]


some = st.lists(st.sampled_from(sorted(STEPS)), max_size=4)


@pytest.mark.check
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=some, undone=some, after=some)
def test_a_reverted_chain_goes_on_as_if_nothing_had_happened(
    pool: ForkPool, before: list[str], undone: list[str], after: list[str]
) -> None:
    """Whatever was done since the snapshot, the same steps make the same blocks, hash for hash, twice over."""
    with pool.lease("mini", 60, writes=True) as leased:
        chain = ScratchChain(leased)
        ends = taken(chain, before) + taken(chain, after)
        straight = seen(chain)
    with pool.lease("mini", 60, writes=True) as leased:
        chain = ScratchChain(leased)
        first = taken(chain, before)
        at = chain.snapshot()
        for _ in range(2):
            taken(chain, undone)
            chain.revert(at)
            assert first + taken(chain, after) == ends
            assert seen(chain) == straight
            chain.revert(at)


def test_what_a_test_asks_for_happens(chain: ScratchChain) -> None:
    """A dealt contract pays without a key, time is where it was set, and a revert takes it all back."""
    recorded, start = ether(chain, MARE), now(chain)
    at = chain.snapshot()
    chain.deal(MARE, 10**18)
    chain.impersonate(MARE)
    assert (ether(chain, MARE), chain.block) == (10**18, 60)
    paid = chain.snapshot()
    receipt = chain.send({"to": FRIEND, "value": 5})
    assert (receipt["from"], receipt["status"]) == (MARE, "0x1")
    assert (chain.warp(start + 86_400), now(chain)) == (62, start + 86_400)
    chain.revert(paid)
    assert (chain.block, ether(chain, MARE)) == (60, 10**18)
    assert chain.send({"to": FRIEND, "value": 5})["blockHash"] == receipt["blockHash"]
    chain.revert(at)
    assert (chain.block, now(chain), ether(chain, MARE)) == (60, start, recorded)
    with pytest.raises(BadInput, match="needs the address it is from"):
        chain.send({"to": FRIEND, "value": 5})


def test_an_impersonated_account_calls_too(chain: ScratchChain) -> None:
    """CALLER in a call and in an estimate is the account; a ``from`` of the call's own, or None, ends it."""
    chain._fork.operate("anvil_setCode", [FRIEND, "0x3360005260206000f3"])
    for who, wanted in ((HOLDER, HOLDER), (None, "0x" + "0" * 40)):
        chain.impersonate(who)
        assert chain.call({"to": FRIEND}) == "0x" + wanted[2:].zfill(64)
        assert chain.rpc("eth_call", {"to": FRIEND, "from": MARE}, "latest") == "0x" + MARE[2:].zfill(64)


def test_wrong_arguments_and_unknown_accounts_change_nothing(chain: ScratchChain) -> None:
    """One line each, in the fixture's words; what is not recorded is a miss and gets no balance."""
    start = now(chain)
    before = seen(chain)
    for ask, words in (
        (lambda: chain.deal("0x12", 1), "an address is 0x and 40 hex digits"),
        (lambda: chain.deal(HOLDER, -1), "a balance is an int of wei"),
        (lambda: chain.deal(HOLDER, True), "a balance is an int of wei"),
        (lambda: chain.deal(HOLDER, 1 << 256), "a balance is an int of wei"),
        (lambda: chain.warp(start), f"block 60 is of {start} and the next one is later"),
        (lambda: chain.warp(1.5), "a timestamp is an int"),  # type: ignore[arg-type]
        (lambda: chain.revert(1), "no snapshot has the id 1; there: none; next: fork.snapshot"),
        (lambda: chain.impersonate("HOLDER"), "an address is 0x and 40 hex digits"),
    ):
        with pytest.raises(BadInput, match=words):
            ask()
    for ask in (lambda: chain.deal(STRANGER, 1), lambda: chain.impersonate(STRANGER)):
        with pytest.raises(Miss, match="account not recorded: 0xabab"):
            ask()
    with pytest.raises(Miss):
        ether(chain, STRANGER)
    assert seen(chain) == before


def test_later_snapshots_end_with_a_revert(chain: ScratchChain) -> None:
    """The id that was reverted to and those before it stay good; one given later names a state that is gone."""
    first, second, third = (chain.snapshot() for _ in range(3))
    chain.revert(second)
    with pytest.raises(BadInput, match=f"no snapshot has the id {third}; there: {first}, {second}"):
        chain.revert(third)
    chain.revert(second)
    chain.revert(first)
    assert chain.snapshot() not in (first, second, third)


@pytest.mark.parametrize("asked", ["nothing", "cheats"])
def test_no_dev_account_and_no_cheat_method_appears(chain: ScratchChain, asked: str) -> None:
    """A development node's accounts are recorded or a miss, its cheat methods refused, also after a test cheated."""
    if asked == "cheats":
        chain.snapshot()
        chain.deal(HOLDER, 10**24)
        chain.impersonate(HOLDER)
        chain.warp(now(chain) + 60)
    snapshot = Snapshot.open(MINI)
    for who in DEV_ACCOUNTS:
        try:
            recorded = snapshot.account(bytes.fromhex(who[2:]), 60).balance
        except Miss:
            with pytest.raises(Miss):
                ether(chain, who)
            with pytest.raises(Miss):
                chain.send({"from": who, "to": FRIEND, "value": 1})
        else:
            assert ether(chain, who) == recorded
    for method in CHEATS:
        with pytest.raises(ToolError, match="is not available"):
            chain.rpc(method)
    assert ether(chain, FRIEND) == snapshot.account(bytes.fromhex(FRIEND[2:]), 60).balance


PROJECT_TESTS = """
pytestmark = pytest.mark.fork(chain=CHAIN)
START = 0x6681A12C

@pytest.mark.parametrize("turn", range(8))
def test_turn(fork, turn):
    assert fork.block == 60
    newest = fork.rpc("eth_getBlockByNumber", "latest", False)
    assert int(newest["timestamp"], 16) == START, "time"
    assert int(fork.rpc("eth_getBalance", MARE, "latest"), 16) == 0
    with pytest.raises(BadInput):
        fork.send({"to": HOLDER, "value": 1})
    with pytest.raises(BadInput):
        fork.revert(1)
    fork.deal(MARE, 10**18)
    fork.impersonate(MARE)
    fork.warp(START + 1000 * turn + 1)
    assert fork.snapshot() == 1
    assert fork.web3.eth.send_transaction({"to": fork.web3.to_checksum_address(HOLDER), "value": 1})
    assert fork.block == 62
"""


@pytest.mark.parametrize(
    ("chain", "arguments"),
    [('"mini"', ()), pytest.param("str(HERE / 'mine' / 'renamed')", ("-n", "4"), marks=pytest.mark.check)],
    ids=["name", "path"],
)
def test_the_next_test_sees_the_recorded_chain(
    run_project: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, chain: str, arguments: tuple[str, ...]
) -> None:
    """After deal, warp, impersonate and snapshot nothing is left, in one process and in four; any folder will do."""
    (tmp_path / "project" / "mine").mkdir()
    (tmp_path / "project" / "mine" / "renamed").symlink_to(MINI, target_is_directory=True)
    run = run_project(f"CHAIN = {chain}\n" + PROJECT_TESTS, *arguments)
    assert run.returncode == 0 and "8 passed" in run.stdout, run.stdout


@pytest.mark.check
def test_the_page_on_pytest_runs_as_it_stands(run_project: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The tests that docs/pytest.md shows pass, as one module."""
    page = (MINI.parents[1] / "docs" / "pytest.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    run = run_project("\n".join(blocks))
    assert run.returncode == 0 and f"{len(blocks)} passed" in run.stdout, run.stdout


@pytest.mark.check
def test_fork_live_without_a_node_is_one_clear_failure(
    run_project: Callable[..., subprocess.CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No address, or one where no node is: each test fails in one line with what is wrong."""
    source = "@pytest.mark.fork(chain='mini')\ndef test_it(fork):\n    pass\n"
    for url, told in (("", "--fork-live needs a node's address in ETH_RPC_URL; next: caia-replay rpc record"),
                      ("http://127.0.0.1:9/secret", "no fork of mini at its newest block")):  # fmt: skip
        monkeypatch.setenv("ETH_RPC_URL", url)
        run = run_project(source, "--fork-live")
        assert run.returncode == 1 and told in run.stdout, run.stdout
        assert "secret" not in run.stdout and "Traceback" not in run.stdout
