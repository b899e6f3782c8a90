"""The origin's own chain and what acts do on it: no transaction that ends other than meant, addresses known before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from caia_replay.core.task import ZERO_ADDRESS
from caia_replay.errors import BadInput, ForkFault
from caia_worldgen import artifact
from caia_worldgen.artifact import artifact_names, load_artifact
from caia_worldgen.calendar import draw_calendar
from caia_worldgen.chain import Genesis, OriginChain, funded, wallet
from caia_worldgen.ledger import check_ledger
from caia_worldgen.stage import Stage, created, created2

ANNA, BRUNO = (wallet(f"stage/{name}") for name in ("anna", "bruno"))


@pytest.fixture
def stage() -> Iterator[Stage]:
    """An empty stage of two days on a living chain."""
    calendar = draw_calendar("main", 7, 2, 6)
    genesis = Genesis(700_901, "cancun", calendar.times[0], 60_000_000, funded([ANNA, BRUNO], 10**20))
    with OriginChain(genesis) as chain:
        yield Stage("main", chain, calendar, 7)


@pytest.mark.check
def test_addresses_are_known_before_the_block(stage: Stage) -> None:
    """Two hundred creations and payments later the predicted address is still where the code is."""
    for _ in range(140):
        stage.pay(ANNA, str(BRUNO.address), 1)
    token = stage.deploy(ANNA, "ProjectToken", ("One", "ONE", 1000, ANNA.address), "one")
    other = stage.deploy(BRUNO, "ProjectToken", ("Two", "TWO", 5, BRUNO.address), "two")
    stage.mine()
    for contract in (token, other):
        assert len(stage._chain.ask("eth_getCode", contract.address, "latest")) > 1000
    assert set(stage.contracts) == {"one", "two"} and stage.transactions == 142
    assert stage.senders == {0: {str(one.address).lower() for one in (ANNA, BRUNO)}}


def test_what_an_act_writes_is_what_happened(stage: Stage) -> None:
    """A movement written as its call is queued agrees with the chain; a deed keeps who, what and when."""
    token = stage.deploy(ANNA, "ProjectToken", ("One", "ONE", 1000, ANNA.address))
    stage.ledger.move(stage.height, token.address, ZERO_ADDRESS, ANNA.address, 1000)
    stage.mine()
    stage.call(ANNA, token, "transfer", BRUNO.address, 40)
    stage.ledger.move(stage.height, token.address, ANNA.address, BRUNO.address, 40)
    stage.deed(ANNA.address, "paid", "bruno", amount=40)
    stage.call(BRUNO, token, "transfer", ANNA.address, 41, succeeds=False)
    stage.mine()
    assert check_ledger(stage.ledger, stage._chain) > 4
    assert (stage.deeds[0].block, stage.deeds[0].figure("amount")) == (2, 40)
    assert stage.height == 3 and stage.now == stage.calendar.times[3]


@pytest.mark.parametrize("amount, succeeds", [(2000, True), (1, False)])
def test_a_transaction_that_ends_otherwise_stops_the_scenario(stage: Stage, amount: int, succeeds: bool) -> None:
    """A success that fails, and a failure that succeeds, are faults of the scenario."""
    token = stage.deploy(ANNA, "ProjectToken", ("One", "ONE", 1000, ANNA.address))
    stage.call(ANNA, token, "transfer", BRUNO.address, amount, succeeds=succeeds)
    with pytest.raises(ForkFault, match="did not end as the scenario meant"):
        stage.mine()


def test_created_addresses_are_those_of_the_standards() -> None:
    """The examples of EIP-1014, and a contract's first creations as the chain computes them."""
    assert created2("0x" + "00" * 20, bytes(32), bytes.fromhex(
        "bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"
    )) == "0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38"  # fmt: skip
    assert created("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0", 0) == "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d"
    assert created("0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0", 1) == "0x343c43a37d37dff08ae8c4a11544c718abb4fcf8"


def test_a_moment_is_reached_in_one_block(stage: Stage) -> None:
    """Every moment of the story is reached by exactly one block: the first that is not before it."""
    times, reached = stage.calendar.times, {}
    moments = sorted({time + off for time in times[1:] for off in (-1, 0, 1)} - {times[-1] + 1})
    while stage.height <= stage.calendar.last_block:
        for moment in moments:
            if stage.reaches(moment):
                assert moment not in reached
                reached[moment] = stage.height
        stage.mine()
    assert set(reached) == set(moments)
    assert all(times[height - 1] < moment <= times[height] for moment, height in reached.items())


def test_a_broken_artifact_is_bad_input(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Truncated JSON and a missing field are told with the command that repairs them."""
    monkeypatch.setattr(artifact, "FOLDER", tmp_path)
    for name, text in (("Cut", '{"abi": ['), ("Empty", "{}"), ("Odd", '{"abi": 5, "bytecode": "0x", "solc": "x"}')):
        (tmp_path / f"{name}.json").write_text(text)  # type: ignore[operator]
        with pytest.raises(BadInput, match="compile_contracts"):
            load_artifact(name)


def test_code_is_compared_without_its_immutables() -> None:
    """Any value may stand where immutables do, none other anywhere else."""
    vault = load_artifact("VestingVault")
    code = bytearray(vault.deployed)
    start, length = vault.immutables[0]
    code[start : start + length] = b"\7" * length
    assert vault.runtime_matches(bytes(code))
    code[start - 1] ^= 1
    assert not vault.runtime_matches(bytes(code))
    assert not vault.runtime_matches(b"")


@pytest.mark.parametrize("name", artifact_names())
def test_every_artifact_is_whole(name: str) -> None:
    """Events and errors are told apart by name, constructors encode, and every stored source can be read."""
    found = load_artifact(name)
    kinds = [(entry["type"], entry["name"]) for entry in found.abi if entry["type"] in ("event", "error")]
    assert len(kinds) == len(set(kinds))
    assert found.bytecode and found.deployed
    assert bool(found.sources) == bool(found.settings) == bool(found.entry)
    assert all(found.source(source).strip() for source in found.sources)
    assert found.entry in found.sources or not found.sources
    with pytest.raises(BadInput, match="has no source"):
        found.source("Other.sol")
