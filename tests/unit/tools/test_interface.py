from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eth_abi import abi
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.tools.call_view import CallView
from caia_replay.tools.interface import (
    NOTHING_KNOWN,
    STANDARD,
    VERIFIED,
    decoded_call,
    decoded_log,
    read_interface,
    recorded_interface,
)
from caia_replay.tools.signature import parse_signature
from tests.anchored import anchored

if TYPE_CHECKING:
    from caia_replay.world.world import FrozenWorld
    from tests.chain_world import ChainWorld

PARTS: list[dict[str, Any]] = [{"type": "address", "name": "to"}, {"type": "uint256", "name": ""}]
ENTRIES: list[dict[str, Any]] = [
    {"type": "constructor", "inputs": []},
    {"type": "function", "name": "pay", "inputs": [{"type": "tuple[]", "name": "who", "components": PARTS}]},
    {"type": "function", "name": "two", "inputs": [{"type": "bool", "name": "x"}, {"type": "bool", "name": "x"}]},
    {"type": "event", "name": "Paid", "inputs": [{**PARTS[0], "indexed": True}, {**PARTS[1], "indexed": False}]},
    {"type": "event", "name": "Silent", "anonymous": True, "inputs": []},
    {"type": "error", "name": "Broke", "inputs": []},
]
TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


@given(st.lists(st.tuples(st.binary(min_size=20, max_size=20), st.integers(0, 2**256 - 1)), max_size=4))
def test_calldata_decodes_to_what_was_encoded(paid: list[tuple[bytes, int]]) -> None:
    """Tuples and arrays too; integers as decimal text, addresses as 0x text."""
    signature = read_interface(ENTRIES).functions["0x" + parse_signature("pay((address,uint256)[])").hash[:4].hex()]
    data = "0x" + (signature.hash[:4] + abi.encode(["(address,uint256)[]"], [paid])).hex()
    wanted = [["0x" + who.hex(), str(much)] for who, much in paid]
    assert decoded_call(signature, data) == {
        "function": "pay((address,uint256)[])",
        "arguments": {"who": wanted},
    }


@pytest.mark.parametrize("data", ["0x", "0x12345678", "0x" + "ff" * 40, "0x12345678" + "00" * 64])
def test_what_does_not_fit_is_not_decoded(data: str) -> None:
    """Another selector, or data that ends too early, gives nothing."""
    signature = parse_signature("f(uint256,uint256)")
    assert decoded_call(signature, data) is None
    assert decoded_call(signature, "0x" + signature.hash[:4].hex() + "00" * 32) is None


def test_two_arguments_of_one_name_are_both_told() -> None:
    """Neither takes the other's place."""
    signature = next(found for found in read_interface(ENTRIES).functions.values() if found.name == "two")
    data = "0x" + (signature.hash[:4] + abi.encode(["bool", "bool"], [True, False])).hex()
    found = decoded_call(signature, data)
    assert found is not None and found["arguments"] == {"x": True, "x_": False}


@pytest.mark.parametrize("entry", [{}, None, 5, {"type": "function"}, {"type": "event", "name": "E", "inputs": [{}]}])
def test_entries_of_another_shape_are_left_out(entry: Any) -> None:
    """The rest of the interface is read as it is."""
    assert read_interface([entry, *ENTRIES]) == read_interface(ENTRIES)


def test_logs_are_decoded_by_topic_and_number_of_indexed_arguments() -> None:
    """An interface's events first, then the standard ones; others, and anonymous ones, are not."""
    known = read_interface(ENTRIES)
    paid = "0x" + parse_signature("Paid(address,uint256)").hash.hex()
    word, seven = "0x" + "00" * 12 + "ab" * 20, "0x" + f"{7:064x}"
    assert decoded_log(known, [paid, word], seven) == {
        "event": "Paid(address,uint256)",
        "arguments": {"to": "0x" + "ab" * 20, "arg1": "7"},
        "decoded_by": VERIFIED,
    }
    assert decoded_log(known, [paid, word, word], seven) is None
    assert decoded_log(known, [paid, word], "0x") is None
    assert decoded_log(known, [], seven) is None
    alike, single = (decoded_log(NOTHING_KNOWN, topics, data) for topics, data in (
        ([TRANSFER, word, word], seven), ([TRANSFER, word, word, seven], "0x")))  # fmt: skip
    assert alike is not None and alike["decoded_by"] == STANDARD and alike["arguments"]["value"] == "7"
    assert single is not None and single["arguments"]["tokenId"] == "7"


def test_a_contract_is_known_by_its_recorded_interface(chain_world: ChainWorld) -> None:
    """Tokens are recorded; a contract without a recording, an account and a proxy of an unknown one have nothing."""
    view, origin = CallView(chain_world.world), chain_world.origin
    found = recorded_interface(view, "origin", origin.tokens[0], 5)
    assert "0xa9059cbb" in found.functions and (TRANSFER, 2) in found.events and found.errors
    for nobody in (origin.stores[0], origin.proxy, "0x" + "12" * 20):
        assert recorded_interface(view, "origin", nobody, 5) == NOTHING_KNOWN


SLOT = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")


def test_a_proxy_has_the_interface_of_the_code_behind_it(short_world: FrozenWorld) -> None:
    """In the economy one contract stands behind another, which can be told by its selectors; before it stood, not."""
    view = CallView(short_world.task(anchored(short_world.folder, 100)))
    proxies = 0
    for name, chain in view.chains.items():
        height = view.newest(name)
        for number in range(height + 1):
            for receipt in chain.receipts(number):
                contract = receipt.get("contractAddress")
                if contract is None:
                    continue
                word = chain.storage(bytes.fromhex(contract[2:]), SLOT, height)
                if any(word):
                    proxies += 1
                    behind = recorded_interface(view, name, "0x" + word[-20:].hex(), height)
                    whole = recorded_interface(view, name, contract, height)
                    assert behind.functions and behind.functions.keys() <= whole.functions.keys()
    assert proxies > 0
