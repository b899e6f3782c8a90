"""Compiled contracts as they are committed."""

from __future__ import annotations

import pytest
from eth_abi import abi

from caia_replay.errors import BadInput
from caia_replay.origin import artifact
from caia_replay.origin.artifact import load_artifact


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
