"""Compiled contracts as they are committed."""

from __future__ import annotations

import pytest
from eth_abi import abi

from caia_replay.errors import BadInput
from caia_replay.origin import artifact
from caia_replay.origin.artifact import artifact_names, load_artifact

ALICE, BOB = "0x" + "11" * 20, "0x" + "22" * 20


def test_a_call_begins_with_the_selector_everybody_knows() -> None:
    """transfer(address,uint256) is a9059cbb, and its arguments decode as they were given."""
    data = load_artifact("ProjectToken").call("transfer", ("0x" + "11" * 20, 7))
    assert data[:4].hex() == "a9059cbb"
    assert abi.decode(["address", "uint256"], data[4:]) == ("0x" + "11" * 20, 7)


def test_creation_is_bytecode_and_arguments() -> None:
    """Constructor arguments stand behind the bytecode, in the constructor's types."""
    token = load_artifact("ProjectToken")
    arguments = ("Some Name", "TICK", 5, "0x" + "22" * 20)
    assert token.creation(arguments) == token.bytecode + abi.encode(token.constructor, arguments)
    assert token.constructor == ("string", "string", "uint256", "address")


def test_a_contract_without_constructor_arguments_takes_none() -> None:
    """The vault's constructor has four arguments; wrong ones do not encode."""
    assert len(load_artifact("VestingVault").constructor) == 4


def test_unknown_names_are_told_with_the_nearest() -> None:
    """A wrong function or contract name is one line with what there is."""
    with pytest.raises(BadInput, match="nearest: transfer"):
        load_artifact("ProjectToken").call("transferr", ())
    with pytest.raises(BadInput, match="nearest: ProjectToken"):
        load_artifact("ProjectTokens")


def test_a_broken_artifact_is_bad_input(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Truncated JSON and a missing field are told with the command that repairs them."""
    monkeypatch.setattr(artifact, "FOLDER", tmp_path)
    for name, text in (("Cut", '{"abi": ['), ("Empty", "{}"), ("Odd", '{"abi": 5, "bytecode": "0x", "solc": "x"}')):
        (tmp_path / f"{name}.json").write_text(text)  # type: ignore[operator]
        with pytest.raises(BadInput, match="compile_contracts"):
            load_artifact(name)


def test_an_overloaded_function_is_asked_for_by_its_signature() -> None:
    """The bare name is refused with the signatures there are; the full one has the selector everybody knows."""
    item = load_artifact("Collectible")
    with pytest.raises(BadInput, match=r"several functions.*safeTransferFrom\(address,address,uint256,bytes\)"):
        item.call("safeTransferFrom", (ALICE, BOB, 1))
    assert item.call("safeTransferFrom(address,address,uint256)", (ALICE, BOB, 1))[:4].hex() == "42842e0e"
    assert item.call("safeTransferFrom(address,address,uint256,bytes)", (ALICE, BOB, 1, b""))[:4].hex() == "b88d4fde"


def test_a_struct_is_a_tuple() -> None:
    """exactInputSingle of the v3 router is 414bf389, and lists of structs keep their brackets."""
    router = load_artifact("SwapRouter")
    data = router.call("exactInputSingle", ((ALICE, BOB, 3000, ALICE, 1, 2, 3, 4),))
    assert data[:4].hex() == "414bf389"
    assert abi.decode(router.function("exactInputSingle").inputs, data[4:])[0][2] == 3000
    assert load_artifact("Multicall").function("aggregate").inputs == ("(address,bytes)[]",)


def test_an_answer_decodes_to_its_outputs() -> None:
    """A pair's reserves are three numbers in the declared order."""
    words = b"".join(number.to_bytes(32, "big") for number in (5, 6, 7))
    assert load_artifact("UniswapV2Pair").decode("getReserves", words) == (5, 6, 7)


def test_events_are_read_by_name() -> None:
    """Transfer has the topic everybody knows; indexed and plain arguments come back under their names."""
    token = load_artifact("ProjectToken")
    topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    assert token.events["Transfer"].topic0 == topic
    word = "0x" + "00" * 12
    log = {"topics": [topic, word + ALICE[2:], word + BOB[2:]], "data": "0x" + (9).to_bytes(32, "big").hex()}
    erc721 = {"topics": [*log["topics"], "0x" + "00" * 32], "data": "0x"}
    assert token.logs("Transfer", [log, erc721]) == [{"from": ALICE, "to": BOB, "value": 9}]
    with pytest.raises(BadInput, match="nearest: Transfer"):
        token.logs("Transfers", [])


def test_an_indexed_string_is_its_hash() -> None:
    """What a topic holds of a dynamic value is 32 bytes, given as they are."""
    event = artifact.Event("Named(string,uint256)", ("name", "count"), ("string", "uint256"), (True, False))
    log = {"topics": [event.topic0, "0x" + "ab" * 32], "data": "0x" + (4).to_bytes(32, "big").hex()}
    assert event.decode(log) == {"name": b"\xab" * 32, "count": 4}


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
