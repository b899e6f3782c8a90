"""Header hashes, hard forks, and parents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.canonical import strict_json
from caia_replay.chain.anvil import AnvilProcess
from caia_replay.chain.header import (
    MAINNET,
    OSAKA_TIMESTAMP,
    header_hardfork,
    header_hash,
    mainnet_hardfork,
    parent_header,
)
from caia_replay.errors import BadInput

_CANCUN = MAINNET[2]


def _header(real_data: Path) -> dict[str, Any]:
    block = strict_json((real_data / "mainnet-22244135" / "block.json").read_bytes())["result"]
    return {name: value for name, value in block.items() if name != "transactions"}


@pytest.mark.parametrize(
    ("timestamp", "name"),
    [(1_663_224_179, "paris"), (1_681_338_454, "paris"), (1_681_338_455, "shanghai"), (1_710_338_134, "shanghai"),
     (1_710_338_135, "cancun"), (1_746_612_310, "cancun"), (1_746_612_311, "prague"), (1_764_798_550, "prague")],
)  # fmt: skip
def test_a_fork_begins_at_its_very_second(timestamp: int, name: str) -> None:
    """The second before belongs to the fork before."""
    assert mainnet_hardfork(timestamp).name == name


@pytest.mark.parametrize("timestamp", [0, 1_663_224_178, OSAKA_TIMESTAMP, 1 << 63])
def test_other_eras_are_refused(timestamp: int) -> None:
    """Proof of work, and forks whose blob rules cannot be turned back, are bad input."""
    with pytest.raises(BadInput, match="cannot be imported"):
        mainnet_hardfork(timestamp)


@pytest.mark.real
def test_a_real_header_hashes_to_its_block_hash(real_data: Path) -> None:
    """And one changed field does not."""
    header = _header(real_data)
    assert "0x" + header_hash(header).hex() == header["hash"]
    assert "0x" + header_hash({**header, "gasUsed": "0x1"}).hex() != header["hash"]
    with pytest.raises(BadInput, match="lacks 'stateRoot'"):
        header_hash({name: value for name, value in header.items() if name != "stateRoot"})


@pytest.mark.real
def test_a_parent_is_only_its_hash_and_number(real_data: Path) -> None:
    """Every other field is listed as reconstructed, and none pretends that the parent was empty."""
    child = _header(real_data)
    parent, reconstructed = parent_header(child, _CANCUN)
    assert parent["hash"] == child["parentHash"]
    assert int(parent["number"], 16) == 22244134
    assert set(parent) - set(reconstructed) == {"hash", "number"}
    assert parent["logsBloom"] == "0x" + "ff" * 256
    assert "transactions" not in parent and "withdrawals" not in parent


@given(excess=st.integers(0, 1 << 40), fork=st.sampled_from(MAINNET[2:]))
def test_the_excess_blob_gas_of_the_child_follows_from_the_parent(excess: int, fork: Any) -> None:
    """EIP-4844: child = max(0, parent excess + parent used - target)."""
    word = "0x" + "00" * 32
    child = {"number": "0x2", "parentHash": word, "sha3Uncles": word, "timestamp": "0x65f1b057", "gasLimit": "0x5208",
             "baseFeePerGas": "0x7", "excessBlobGas": hex(excess)}  # fmt: skip
    parent, _ = parent_header(child, fork)
    assert max(0, int(parent["excessBlobGas"], 16) - fork.target_blob_gas) == excess


def test_genesis_has_no_parent() -> None:
    """Block 0 cannot be pinned just before itself."""
    with pytest.raises(BadInput, match="genesis"):
        parent_header({"number": "0x0"}, _CANCUN)


@pytest.mark.parametrize("hardfork", ["london", "paris", "shanghai", "cancun", "prague", "osaka"])
def test_a_header_shows_the_rules_its_block_was_made_under(anvil_binary: Path, hardfork: str) -> None:
    """Shanghai's and Cancun's fields do, the rest has to be named; mainnet's go by their time alone."""
    node = AnvilProcess(anvil_binary, ["--hardfork", hardfork, "--chain-id", "7006"])
    rpc = node.connect()
    rpc.demand("evm_mine")
    header = rpc.demand("eth_getBlockByNumber", ["latest", False])
    rpc.close()
    node.stop()
    if hardfork not in ("shanghai", "cancun"):
        with pytest.raises(BadInput, match="does not show which rules"):
            header_hardfork(7006, header)
    else:
        assert header_hardfork(7006, header) == hardfork
    for chain_id, wrong in ((7006, {"number": "0x1"}), (1, {**header, "timestamp": hex(OSAKA_TIMESTAMP)})):
        with pytest.raises(BadInput, match="--hardfork"):
            header_hardfork(chain_id, wrong)
