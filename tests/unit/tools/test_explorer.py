"""The code behind a proxy by both ways of pointing, and explorer answers of every shape."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.explorer import asked_of_contract, implementation, verified_entries

PROXY, CODE = "0x" + "ab" * 20, "0x" + "cd" * 20
SLOT = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
POINTER = bytes.fromhex("363d3d373d3d3d363d73" + "cd" * 20 + "5af43d82803e903d91602b57fd5bf3")


@dataclass
class Contract:
    """One chain with one contract, and the one thing its explorer says; None is not recorded."""

    bytecode: bytes | None = b"\x60"
    slot: bytes | None = bytes(32)
    says: Any = None
    chain_id = 1
    code_hash = b""

    def chain(self, name: str) -> Contract:
        assert name == "main"
        return self

    def touch(self, served: Served) -> None:
        assert served is Served.DERIVED

    def ask(self, url: str, **asked: Any) -> Any:
        return self.says

    def account(self, address: bytes, block: int) -> Contract:
        assert (address.hex(), block) == (PROXY[2:], 7)
        return self

    def code(self, code_hash: bytes) -> bytes:
        return _or_miss(self.bytecode)

    def storage(self, address: bytes, slot: bytes, block: int) -> bytes:
        assert (address.hex(), slot, block) == (PROXY[2:], SLOT, 7)
        return _or_miss(self.slot)


def _or_miss(found: bytes | None) -> bytes:
    if found is None:
        raise Miss("slot", "it", "main")
    return found


@pytest.mark.parametrize(
    ("made", "behind"),
    [
        (Contract(slot=bytes(12) + bytes.fromhex(CODE[2:])), CODE),
        (Contract(bytecode=POINTER, slot=None), CODE),
        (Contract(), None),
        (Contract(bytecode=b"", slot=None), None),
        (Contract(bytecode=None), None),
        (Contract(slot=None), None),
    ],
)
def test_the_code_behind_a_proxy_is_found_where_it_is_recorded(made: Any, behind: str | None) -> None:
    """By the slot of EIP-1967 or the code of EIP-1167; nothing for other contracts, accounts and unrecorded state."""
    assert implementation(made, "main", PROXY, 7) == behind


def test_an_interface_nobody_verified_is_none_and_an_empty_one_is_empty() -> None:
    """Two ways to say that there is nothing, and a list."""
    for words in ("Contract source code not verified", "No data found"):
        assert verified_entries(_told("0", words), "main", PROXY) is None
    assert verified_entries(_told("1", "[]"), "main", PROXY) == []
    assert verified_entries(_told("1", json.dumps([{"type": "fallback"}])), "main", PROXY) == [{"type": "fallback"}]


@pytest.mark.parametrize("result", ["{", "7", '["x"]', None, [], "null"])
def test_an_interface_of_another_shape_is_a_miss(result: Any) -> None:
    """Nothing is made of what cannot be read."""
    with pytest.raises(Miss, match="another shape"):
        verified_entries(_told("1", result), "main", PROXY)


def test_a_refusal_is_told_in_the_explorers_words() -> None:
    """A bad key is no word on the contract."""
    with pytest.raises(ToolError, match="refused: NOTOK Invalid API Key"):
        asked_of_contract(_told("0", "Invalid API Key"), "main", "getabi", address=PROXY)
    with pytest.raises(Miss, match="another shape"):
        asked_of_contract(Contract(says=["1"]), "main", "getabi", address=PROXY)  # type: ignore[arg-type]


def _told(status: str, result: Any) -> Any:
    return Contract(says={"status": status, "message": "NOTOK" if status == "0" else "OK", "result": result})
