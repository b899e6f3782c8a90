"""A world made of other people's recordings, and the same recordings read by nothing of ours.

The chain is mainnet block 22244135, the web CoinGecko's and DefiLlama's replies of 2022. ``Raw`` takes the files apart
with ``json``, ``gzip`` and vcrpy's own reader, so that what a chain of tool calls ends in can be held against them.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from eth_hash.auto import keccak
from vcr.serialize import deserialize
from vcr.serializers import yamlserializer

from caia_replay.cassette.cassette import Cassette, write_cassette
from caia_replay.chain.prestate import import_prestate
from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.suite import Suite, SuiteEntry
from caia_replay.core.task import Anchor, AnswerKind, AnswerSpec, Task
from caia_replay.interop.gold_row import GoldRow
from caia_replay.recording.import_vcr import import_vcr
from caia_replay.store.world_folder import WorldInfo, save_task, save_world, seal_world

CHAIN: Final = "ethereum"
BLOCK: Final = 22244135
WORLD: Final = "real-forms"
FILES: Final = Path("http-cassettes") / "openbb"

LISTED: Final = "test_llama_view/test_display_grouped_defi_protocols.yaml"
HISTORY: Final = "test_llama_view/test_display_historical_tvl.yaml"
CUT_LIST: Final = "test_llama_model/test_get_defi_protocols.yaml"
TWO_PRICES: Final = "test_pycoingecko_model/test_get_coin_potential_returns[algorand-bitcoin].yaml"
TWO_OTHER_PRICES: Final = "test_pycoingecko_model/test_get_coin_potential_returns[solana-ethereum].yaml"
COINS: Final = "test_pycoingecko_model/test_call_func[get_coin_list-kwargs5].yaml"
MARKETS: Final = "test_pycoingecko_model/test_get_coins[kwargs0].yaml"

MOMENTS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "block": ("2025-04-11T07:14:35", ()),
    "september": ("2022-09-13T10:24:28", (LISTED, HISTORY)),
    "january": ("2022-01-29T11:23:51", (CUT_LIST,)),
    "prices": ("2022-01-07T10:19:05", (TWO_PRICES, TWO_OTHER_PRICES)),
    "coins": ("2022-11-01T15:59:40", (COINS,)),
    "markets": ("2022-02-23T11:31:45", (MARKETS,)),
}
"""When a question is asked, and which of the cassettes were recorded about then. A task has them for its own: where
two cassettes hold one question, the one that comes first is served, whatever the moment."""

ON_CHAIN: Final = frozenset(
    {"block_query", "transaction_query", "balance_query", "supply_query", "data_query", "time_conversion"}
)
INDEXED: Final = frozenset({"price_feed", "ranking_query", "protocol_metrics"})
_PAGING: Final = frozenset({"limit", "offset", "cursor"})


@dataclass(frozen=True)
class Raw:
    """The files themselves. ``before`` are the slots of each account at the block's parent, as they were seen first."""

    folder: Path
    block: dict[str, Any]
    receipts: list[dict[str, Any]]
    balances: Mapping[str, int]
    codes: Mapping[str, str]
    before: Mapping[str, Mapping[int, int]]

    @classmethod
    def read(cls, folder: Path) -> Raw:
        """The folder of real data."""
        block, receipts, traces = (_result(folder, name) for name in ("block", "receipts", "prestatetrace"))
        balances: dict[str, int] = {}
        codes: dict[str, str] = {}
        slots: dict[str, dict[int, int]] = {}
        for trace in traces:
            for address, found in trace["result"].items():
                balances.setdefault(address, int(found.get("balance", "0x0"), 16))
                codes.setdefault(address, found.get("code", "0x"))
                known = slots.setdefault(address, {})
                for slot, value in (found.get("storage") or {}).items():
                    known.setdefault(int(slot, 16), int(value, 16))
        return cls(folder, block, receipts, balances, codes, slots)

    def transaction(self, hash: str) -> dict[str, Any]:
        """A transaction with the fields of its receipt."""
        found: dict[str, Any] = next(one for one in self.block["transactions"] if one["hash"] == hash)
        return found | next(one for one in self.receipts if one["transactionHash"] == hash)

    def logs(self, contract: str, event: str) -> list[tuple[list[str], list[int]]]:
        """Of an event such as ``Transfer(address,address,uint256)`` the indexed addresses and the words of its data."""
        topic = "0x" + keccak(event.encode()).hex()
        return [
            (["0x" + word[26:] for word in log["topics"][1:]], _words(log["data"]))
            for receipt in self.receipts
            for log in receipt["logs"]
            if log["address"] == contract and log["topics"][:1] == [topic]
        ]

    def slot(self, contract: str, base: int, *keys: str) -> int:
        """A slot's value at the parent; with keys that of Solidity's mapping (of mappings) at slot ``base``."""
        place = base
        for key in keys:
            place = int.from_bytes(keccak(bytes.fromhex(key[2:]).rjust(32, b"\0") + place.to_bytes(32, "big")), "big")
        return self.before[contract][place]

    def named_slot(self, contract: str, name: str) -> int:
        """The same of a slot that is the hash of a name."""
        return self.before[contract][int.from_bytes(keccak(name.encode()), "big")]

    def token_after(self, contract: str, base: int, holder: str) -> int:
        """A holder's balance after the block: the mapping's slot before it, and every transfer in it."""
        return self.slot(contract, base, holder) + self.moved(contract, to=holder) - self.moved(contract, by=holder)

    def moved(self, contract: str, by: str = "", to: str = "") -> int:
        """How much of a token moved in the block, from or to one holder."""
        moves = self.logs(contract, "Transfer(address,address,uint256)")
        return sum(words[0] for (sender, taker), words in moves if by in ("", sender) and to in ("", taker))

    def coin_after(self, account: str) -> int:
        """An account's wei after the block, for one that only sends and is sent to by transactions themselves."""
        wei = self.balances[account]
        for one in (self.transaction(found["hash"]) for found in self.block["transactions"]):
            if one["from"] == account:
                wei -= int(one["value"], 16) + int(one["gasUsed"], 16) * int(one["effectiveGasPrice"], 16)
            if one["to"] == account:
                wei += int(one["value"], 16)
        return wei

    def body(self, cassette: str, number: int = 0) -> Any:
        """The JSON of one reply of a cassette."""
        return _body(self.folder / FILES / cassette, number)


@dataclass(frozen=True)
class Case:
    """A question in CAIA's manner, its gold chain, and what the files say. ``want`` gives the accepted value."""

    id: str
    question: str
    steps: tuple[GoldStep, ...]
    result: str
    want: Callable[[Raw], Any]
    kind: AnswerKind = "number"
    unit: str | None = None
    moment: str = "block"

    def spec(self, raw: Raw) -> AnswerSpec:
        """What is right."""
        return AnswerSpec(self.kind, (str(self.want(raw)),), unit=self.unit)

    def task(self, raw: Raw) -> Task:
        """The task of the world."""
        return task_of(self.id, self.question, GoldChain(self.steps, self.result), self.spec(raw), self.moment)


@dataclass(frozen=True)
class Gap:
    """A call whose state nobody recorded: it is a miss of kind ``about``. ``why`` says what is not there."""

    step: GoldStep
    about: str
    why: str
    moment: str = "block"

    @property
    def form(self) -> str:
        """The form of the call."""
        return form_of(self.step)


def call(tool: str, **arguments: Any) -> GoldStep:
    """One step."""
    return GoldStep(tool, arguments)


def moment_s(name: str) -> int:
    """A moment's seconds since 1970."""
    return int(datetime.fromisoformat(MOMENTS[name][0]).replace(tzinfo=UTC).timestamp())


def task_of(id: str, question: str, chain: GoldChain, spec: AnswerSpec, moment: str) -> Task:
    """A task at one of ``MOMENTS``. The block is the same at all: the web's questions touch no chain."""
    anchor = Anchor(CHAIN, BLOCK, moment_s(moment))
    return Task(id, question, "on-chain analysis", "en", "real-form", anchor, spec, chain, "100", "an assumption")


def form_of(step: GoldStep) -> str:
    """A step without its subject: the tool and the names of its arguments.

    Where one goes on in a list is no part of it, and of a look-up on a chain neither is the chain, unless it is
    another one. What ``about`` asks is, and whether a block is told by a day and an asset by a name.
    """
    names = sorted(step.arguments.keys() - _PAGING - ({"chain"} if step.tool in ON_CHAIN else frozenset()))
    told = f"{step.tool}({', '.join(name + _manner(name, step) for name in names)})"
    chain = str(step.arguments.get("chain", CHAIN)).lower()
    return told if step.tool not in ON_CHAIN or chain in (CHAIN, "1") else f"{told} on {chain}"


def _manner(name: str, step: GoldStep) -> str:
    value = str(step.arguments[name])
    if name == "about":
        return f"={value}"
    if step.tool not in ON_CHAIN or value.startswith(("$", "= ", "0x")):
        return ""
    if name in ("block", "from_block", "to_block"):
        return "" if value.isdecimal() else "=day"
    return "=name" if name in ("asset", "token") else ""


def looked_up(rows: Iterable[GoldRow]) -> Iterator[tuple[str, GoldStep]]:
    """Every look-up on a chain or in an index of prices and protocols, with the id of its row."""
    for row in rows:
        for step in row.steps:
            if step.tool in ON_CHAIN | INDEXED:
                yield row.id, step


def make_world(real_data: Path, root: Path, tasks: Iterable[Task], moments: Mapping[str, str]) -> Path:
    """The sealed world, of provenance ``imported``; ``moments`` says by task whose cassettes it has for its own."""
    world, found = root / "cassettes" / WORLD, tuple(tasks)
    import_prestate(real_data / "mainnet-22244135", root / "chain_snapshots" / CHAIN, chain=CHAIN)
    for name in ("llama", "pycoingecko"):
        for part in ("model", "view"):
            outcomes = list(import_vcr(real_data / FILES / f"test_{name}_{part}", world / "http"))
            assert outcomes and not [one for one in outcomes if one.refusal]
    for task in found:
        save_task(world, task)
    for moment, (_, names) in MOMENTS.items():
        tapes = [Cassette.open(world / "http" / Path(name).with_suffix(".json").name) for name in names]
        own, *others = [world / "tasks" / task.id for task in found if moments[task.id] == moment]
        write_cassette(own / "http.json", [item for tape in tapes for item in tape.interactions])
        for other in others:
            shutil.copytree(own, other, ignore=shutil.ignore_patterns("task.toml"), dirs_exist_ok=True)
    about = "Ethereum mainnet block 22244135, and CoinGecko's and DefiLlama's replies of 2022"
    suite = Suite(WORLD, "1", tuple(SuiteEntry(task.id, "2026-11-22") for task in found))
    save_world(world, WorldInfo(WORLD, "imported", (CHAIN,), False, about), suite)
    seal_world(world)
    return world


@cache
def _body(cassette: Path, number: int) -> Any:
    content = deserialize(cassette.read_text("utf-8"), yamlserializer)[1][number]["body"]["string"]
    return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def _words(data: str) -> list[int]:
    return [int(data[at : at + 64], 16) for at in range(2, len(data), 64)]


def _result(folder: Path, name: str) -> Any:
    content = json.loads((folder / "mainnet-22244135" / f"{name}.json").read_bytes())
    return content["result"] if isinstance(content, dict) and "result" in content else content
