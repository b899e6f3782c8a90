"""What an explorer recorded of contracts: interfaces, sources, creations, proxies; and what is decoded by them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from eth_abi import abi as eth
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.tool import Served
from caia_replay.errors import Miss, ToolError
from caia_replay.tools.contract_fact import (
    MOST_CHARACTERS,
    describe_abi,
    describe_creation,
    describe_source,
    event_of,
    function_of,
)
from caia_replay.tools.interface import (
    NOTHING_KNOWN,
    STANDARD,
    VERIFIED,
    asked_of_contract,
    decoded_call,
    decoded_log,
    implementation,
    read_interface,
    recorded_interface,
    verified_entries,
)
from caia_replay.tools.signature import parse_signature
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.world import FrozenWorld
from tests.anchored import anchored
from tests.chain_world import ChainWorld

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

    def newest(self, chain: str) -> int:
        return 7

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


def recorded(result: Any, status: str = "1", message: str = "OK") -> Any:
    """A world in which one explorer's reply is recorded, and no chain."""
    return Contract(bytecode=None, says={"status": status, "message": message, "result": result})


def abi(*entries: dict[str, Any]) -> str:
    return json.dumps(list(entries))


GET = {"type": "function", "name": "get", "stateMutability": "view", "inputs": [{"type": "uint256", "name": "at"}],
       "outputs": [{"type": "tuple[]", "name": "rows", "components": [{"type": "address", "name": "who"},
                                                                     {"type": "uint96", "name": ""}]}]}  # fmt: skip
GET_ALL = {"type": "function", "name": "get", "stateMutability": "view", "inputs": [], "outputs": [{"type": "bool"}]}
SET = {"type": "function", "name": "set", "stateMutability": "nonpayable", "inputs": [], "outputs": []}
MOVED = {"type": "event", "name": "Moved", "inputs": [
    {"type": "address", "name": "to", "indexed": True}, {"type": "uint256", "name": "amount", "indexed": False},
]}  # fmt: skip


def test_an_interface_is_told_in_the_form_that_the_tool_takes() -> None:
    """Signatures are read again as the same, names looked up by their arguments, none of it is guessed."""
    told = describe_abi(recorded(abi(GET, GET_ALL, SET, MOVED)), "main", PROXY)
    wanted = ["get(uint256 at) view returns ((address who, uint96)[] rows)", "get() view returns (bool)", "set()"]
    assert told["functions"] == wanted
    assert told["events"] == ["Moved(address indexed to, uint256 amount)"]
    assert [parse_signature(text).canonical for text in told["functions"]] == ["get(uint256)", "get()", "set()"]
    assert parse_signature(told["functions"][0]).outputs[0].type == "(address,uint96)[]"
    known = recorded(abi(GET, GET_ALL, SET, MOVED))
    assert function_of(known, "main", PROXY, "get()(uint8)", 0).outputs[0].type == "uint8"
    assert function_of(known, "main", PROXY, "get", 1).canonical == "get(uint256)"
    assert function_of(known, "main", PROXY, "get()", 0).outputs[0].type == "bool"
    assert event_of(known, "main", PROXY, "Moved").canonical == "Moved(address,uint256)"
    for text, words in (
        ("get", r"give one of: get\(uint256\), get\(\)"), ("set", "returns nothing"), ("gte", "nearest: get"),
    ):  # fmt: skip
        with pytest.raises(ToolError, match=words):
            function_of(known, "main", PROXY, text, 5)
    with pytest.raises(ToolError, match="no event 'Move'; nearest: Moved"):
        event_of(known, "main", PROXY, "Move")
    unknown = recorded("Contract source code not verified", "0", "NOTOK")
    assert describe_abi(unknown, "main", PROXY) == {"contract": PROXY, "chain": "main", "verified": False}
    with pytest.raises(ToolError, match="give them in full"):
        function_of(unknown, "main", PROXY, "get", 0)
    assert describe_source(recorded([{"SourceCode": "", "ABI": ""}]), "main", PROXY, None, 0)["verified"] is False


def test_sources_files_and_creations() -> None:
    """Sources come in three forms, files in parts that add up; of an account there is no creation."""
    for code, files in [
        ("contract A {}", {"A.sol": 13}),
        (json.dumps({"a.sol": {"content": "x"}, "b.sol": {"content": "yy"}}), {"a.sol": 1, "b.sol": 2}),
        ("{" + json.dumps({"language": "Solidity", "sources": {"d/c.sol": {"content": "zzz"}}}) + "}", {"d/c.sol": 3}),
    ]:
        row = {"SourceCode": code, "ContractName": "A", "Proxy": "1", "Implementation": PROXY.upper(), "Runs": ""}
        told = describe_source(recorded([row]), "main", PROXY, None, 0)
        assert {file["name"]: file["characters"] for file in told["files"]} == files
        wanted = (True, PROXY, None, None)
        assert (told["is_proxy"], told["implementation"], told["optimizer_runs"], told["optimized"]) == wanted
    text = "".join(chr(97 + at % 26) for at in range(2 * MOST_CHARACTERS + 5))
    known = recorded([{"SourceCode": json.dumps({"a/x.sol": {"content": text}, "b/y.sol": {"content": ""}})}])
    read, offset = "", 0
    while offset is not None:
        part = describe_source(known, "main", PROXY, "X.sol", offset)
        assert (part["file"], part["offset"], part["characters"]) == ("a/x.sol", offset, len(text))
        read, offset = read + part["text"], part["next_offset"]
    assert read == text
    for file, at in (("z.sol", 0), ("a/x.sol", len(text) + 1)):
        with pytest.raises(ToolError):
            describe_source(known, "main", PROXY, file, at)
    row = {"contractCreator": "0xAA", "txHash": "0x1", "blockNumber": "7", "contractFactory": "", "timestamp": "9"}
    told = describe_creation(recorded([row]), "main", PROXY)
    assert (told["creator"], told["factory"], told["block"], told["timestamp"]) == ("0xaa", None, 7, 9)
    with pytest.raises(ToolError, match="it is no contract"):
        describe_creation(recorded(None, "0", "No data found"), "main", PROXY)


@pytest.mark.parametrize("result", [None, 5, [], ["x"], "no json", "{}", [{"SourceCode": "{x"}], {"a": 1}])
def test_a_reply_of_another_shape_is_a_miss_or_told(result: Any) -> None:
    """Recordings may be anybody's."""
    for ask in (
        lambda: describe_abi(recorded(result), "main", PROXY),
        lambda: describe_source(recorded(result), "main", PROXY, None, 0),
        lambda: describe_creation(recorded(result), "main", PROXY),
    ):
        try:
            told = ask()
        except (Miss, ToolError):
            continue
        assert told.get("verified") is False or "creator" in told
    with pytest.raises(ToolError, match="refused: NOTOK Invalid API Key"):
        describe_abi(recorded("Invalid API Key", "0", "NOTOK"), "main", PROXY)


@pytest.mark.parametrize(
    ("made", "behind"),
    [
        (Contract(slot=bytes(12) + bytes.fromhex(CODE[2:])), CODE), (Contract(bytecode=POINTER, slot=None), CODE),
        (Contract(), None), (Contract(bytecode=b"", slot=None), None), (Contract(bytecode=None), None),
        (Contract(slot=None), None),
    ],
)  # fmt: skip
def test_the_code_behind_a_proxy_is_found_where_it_is_recorded(made: Any, behind: str | None) -> None:
    """By the slot of EIP-1967 or the code of EIP-1167; nothing for other contracts, accounts and unrecorded state."""
    assert implementation(made, "main", PROXY, 7) == behind


def says(status: str, result: Any) -> Any:
    return Contract(says={"status": status, "message": "NOTOK" if status == "0" else "OK", "result": result})


def test_what_the_explorer_says_of_an_interface() -> None:
    """Two ways to say that there is none, and a list; a refusal in its own words; another shape is a miss."""
    for words in ("Contract source code not verified", "No data found"):
        assert verified_entries(says("0", words), "main", PROXY) is None
    assert verified_entries(says("1", "[]"), "main", PROXY) == []
    assert verified_entries(says("1", json.dumps([{"type": "fallback"}])), "main", PROXY) == [{"type": "fallback"}]
    with pytest.raises(ToolError, match="refused: NOTOK Invalid API Key"):
        asked_of_contract(says("0", "Invalid API Key"), "main", "getabi", address=PROXY)
    with pytest.raises(Miss, match="another shape"):
        asked_of_contract(Contract(says=["1"]), "main", "getabi", address=PROXY)
    for result in ("{", "7", '["x"]', None, [], "null"):
        with pytest.raises(Miss, match="another shape"):
            verified_entries(says("1", result), "main", PROXY)


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
    data = "0x" + (signature.hash[:4] + eth.encode(["(address,uint256)[]"], [paid])).hex()
    wanted = [["0x" + who.hex(), str(much)] for who, much in paid]
    assert decoded_call(signature, data) == {"function": "pay((address,uint256)[])", "arguments": {"who": wanted}}


def test_what_does_not_fit_is_not_decoded() -> None:
    """Another selector or data that ends too early; two arguments of one name are both told."""
    for data in ["0x", "0x12345678", "0x" + "ff" * 40, "0x12345678" + "00" * 64]:
        signature = parse_signature("f(uint256,uint256)")
        assert decoded_call(signature, data) is None
        assert decoded_call(signature, "0x" + signature.hash[:4].hex() + "00" * 32) is None
    signature = next(found for found in read_interface(ENTRIES).functions.values() if found.name == "two")
    data = "0x" + (signature.hash[:4] + eth.encode(["bool", "bool"], [True, False])).hex()
    found = decoded_call(signature, data)
    assert found is not None and found["arguments"] == {"x": True, "x_": False}
    for entry in ({}, None, 5, {"type": "function"}, {"type": "event", "name": "E", "inputs": [{}]}):
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
    view, origin = ToolContext(chain_world.world), chain_world.origin
    found = recorded_interface(view, "origin", origin.tokens[0], 5)
    assert "0xa9059cbb" in found.functions and (TRANSFER, 2) in found.events and found.errors
    for nobody in (origin.stores[0], origin.proxy, "0x" + "12" * 20):
        assert recorded_interface(view, "origin", nobody, 5) == NOTHING_KNOWN


@pytest.mark.check
def test_a_proxy_has_the_interface_of_the_code_behind_it(large: FrozenWorld) -> None:
    """In the economy one contract stands behind another, which can be told by its selectors; before it stood, not."""
    view = ToolContext(large.task(anchored(large.folder, 100)))
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
