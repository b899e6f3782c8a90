from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from caia_replay.core.tool import Served, ToolReply
from caia_replay.errors import Miss, ToolError
from caia_replay.store.world_folder import open_world
from caia_replay.tools.catalog import WorldToolset
from caia_replay.tools.contract_fact import MOST_CHARACTERS, event_of, function_of, told_abi, told_creation, told_source
from caia_replay.tools.signature import parse_signature
from caia_replay.world.world import FrozenWorld

POOL = "0x" + "ab" * 20


class Explorer:
    """A world in which one explorer's reply is recorded, and no chain."""

    def __init__(self, result: Any, status: str = "1", message: str = "OK") -> None:
        self.reply = {"status": status, "message": message, "result": result}
        self.chain_id = 1

    def chain(self, name: str) -> Explorer:
        return self

    def ask(self, url: str, **parameters: Any) -> Any:
        return self.reply

    def newest(self, chain: str) -> int:
        return 1

    def touch(self, served: Served) -> None:
        pass

    def account(self, address: bytes, block: int) -> Any:
        raise Miss("account", POOL, "main")

    def code(self, code_hash: bytes) -> Any:
        raise Miss("code", code_hash.hex(), "main")


def world(result: Any, status: str = "1", message: str = "OK") -> Any:
    return Explorer(result, status, message)


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
    """Every signature is read again as the same function or event, tuples and nameless parameters among them."""
    told = told_abi(world(abi(GET, GET_ALL, SET, MOVED)), "main", POOL)
    assert told["functions"] == [
        "get(uint256 at) view returns ((address who, uint96)[] rows)",
        "get() view returns (bool)",
        "set()",
    ]
    assert told["events"] == ["Moved(address indexed to, uint256 amount)"]
    assert [parse_signature(text).canonical for text in told["functions"]] == ["get(uint256)", "get()", "set()"]
    assert parse_signature(told["functions"][0]).outputs[0].type == "(address,uint96)[]"


def test_a_function_is_found_by_name_and_number_of_arguments() -> None:
    """Types given win; a name alone is looked up; what returns nothing, or is not there, is told."""
    known = world(abi(GET, GET_ALL, SET, MOVED))
    assert function_of(known, "main", POOL, "get()(uint8)", 0).outputs[0].type == "uint8"
    assert function_of(known, "main", POOL, "get", 1).canonical == "get(uint256)"
    assert function_of(known, "main", POOL, "get()", 0).outputs[0].type == "bool"
    assert event_of(known, "main", POOL, "Moved").canonical == "Moved(address,uint256)"
    for text, words in (
        ("get", r"give one of: get\(uint256\), get\(\)"),
        ("set", "returns nothing"),
        ("gte", "nearest: get"),
    ):
        with pytest.raises(ToolError, match=words):
            function_of(known, "main", POOL, text, 5)
    with pytest.raises(ToolError, match="no event 'Move'; nearest: Moved"):
        event_of(known, "main", POOL, "Move")


def test_what_nobody_verified_is_said_and_never_guessed() -> None:
    """No interface is a fact; a name alone then needs its types."""
    unknown = world("Contract source code not verified", "0", "NOTOK")
    assert told_abi(unknown, "main", POOL) == {"contract": POOL, "chain": "main", "verified": False}
    with pytest.raises(ToolError, match="give them in full"):
        function_of(unknown, "main", POOL, "get", 0)
    assert told_source(world([{"SourceCode": "", "ABI": ""}]), "main", POOL, None, 0)["verified"] is False


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("contract A {}", {"A.sol": 13}),
        (json.dumps({"a.sol": {"content": "x"}, "b.sol": {"content": "yy"}}), {"a.sol": 1, "b.sol": 2}),
        ("{" + json.dumps({"language": "Solidity", "sources": {"d/c.sol": {"content": "zzz"}}}) + "}", {"d/c.sol": 3}),
    ],
)
def test_sources_come_in_three_forms(code: str, files: dict[str, int]) -> None:
    """One file, a map of files, and a compiler's whole input; unknown fields are null and never zero."""
    row = {"SourceCode": code, "ContractName": "A", "Proxy": "1", "Implementation": POOL.upper(), "Runs": ""}
    told = told_source(world([row]), "main", POOL, None, 0)
    assert {file["name"]: file["characters"] for file in told["files"]} == files
    assert (told["is_proxy"], told["implementation"], told["optimizer_runs"], told["optimized"]) == (
        True,
        POOL,
        None,
        None,
    )


def test_a_file_is_read_in_parts_that_add_up() -> None:
    """Each part says where the next begins; a name without its folder will do, if it is the only one."""
    text = "".join(chr(97 + at % 26) for at in range(2 * MOST_CHARACTERS + 5))
    known = world([{"SourceCode": json.dumps({"a/x.sol": {"content": text}, "b/y.sol": {"content": ""}})}])
    read, offset = "", 0
    while offset is not None:
        part = told_source(known, "main", POOL, "X.sol", offset)
        assert (part["file"], part["offset"], part["characters"]) == ("a/x.sol", offset, len(text))
        read, offset = read + part["text"], part["next_offset"]
    assert read == text
    for file, at in (("z.sol", 0), ("a/x.sol", len(text) + 1)):
        with pytest.raises(ToolError):
            told_source(known, "main", POOL, file, at)


def test_a_creation_is_told_or_there_is_none() -> None:
    """Creator, factory, transaction and block; an account that is no contract has none."""
    row = {"contractCreator": "0xAA", "txHash": "0x1", "blockNumber": "7", "contractFactory": "", "timestamp": "9"}
    told = told_creation(world([row]), "main", POOL)
    assert (told["creator"], told["factory"], told["block"], told["timestamp"]) == ("0xaa", None, 7, 9)
    with pytest.raises(ToolError, match="it is no contract"):
        told_creation(world(None, "0", "No data found"), "main", POOL)


@pytest.mark.parametrize("result", [None, 5, [], ["x"], "no json", "{}", [{"SourceCode": "{x"}], {"a": 1}])
def test_a_reply_of_another_shape_is_a_miss_or_told(result: Any) -> None:
    """Recordings may be anybody's."""
    for ask in (
        lambda: told_abi(world(result), "main", POOL),
        lambda: told_source(world(result), "main", POOL, None, 0),
        lambda: told_creation(world(result), "main", POOL),
    ):
        try:
            told = ask()
        except (Miss, ToolError):
            continue
        assert told.get("verified") is False or "creator" in told
    with pytest.raises(ToolError, match="refused: NOTOK Invalid API Key"):
        told_abi(world("Invalid API Key", "0", "NOTOK"), "main", POOL)


@pytest.fixture(scope="module")
def economy(shipped: Path) -> Iterator[FrozenWorld]:
    """The larger shipped world, whose explorer is recorded."""
    with FrozenWorld(open_world(str(shipped.parent / "synthetic-178"))) as opened:
        yield opened


def _unverified(cassette: Path) -> set[str]:
    """The contracts of which the explorer had no interface when the recording ended."""
    asked = [
        (dict(parse_qsl(urlsplit(one["request"]["uri"]).query)), one["response"]["body"]["string"])
        for one in json.loads(cassette.read_text())["interactions"]
    ]
    return {one["address"] for one, body in asked if one["action"] == "getabi" and "not verified" in body}


def test_names_alone_say_what_full_signatures_say(economy: FrozenWorld) -> None:
    """For a gold call of each function and event, over the recorded interface; an unknown contract's is a miss."""
    compared: set[str] = set()
    unverified = _unverified(economy.folder.path / "http" / "etherscan.json")
    for task_id in economy.folder.suite.active():
        task = economy.folder.task(task_id)
        for step in (found for found in task.gold.steps if found.tool == "data_query"):
            asked = json.loads(text := json.dumps(dict(step.arguments), default=list))
            kind = "function" if asked.get("function") else "event"
            if not asked.get(kind) or asked[kind] in compared or '"$' in text or '"= ' in text:
                continue  # what a step before it came to stands in its arguments
            with WorldToolset(economy.task(task)) as tools:
                full = tools.call("data_query", json.dumps(asked))
                short: ToolReply = tools.call("data_query", json.dumps(asked | {kind: asked[kind].split("(")[0]}))
                lost = tools.call("data_query", json.dumps(asked | {kind: "name", "contract": POOL}))
            assert full.result is not None
            if asked["contract"] in unverified:
                assert short.served is Served.MISS and "give them" in (short.error or {})["message"]
                continue
            assert short.result is not None
            key = "values" if kind == "function" else "events"
            assert full.result[key] == short.result[key]
            assert lost.served is Served.MISS and "give them" in (lost.error or {})["message"]
            compared.add(asked[kind])
    assert len(compared) >= 3
