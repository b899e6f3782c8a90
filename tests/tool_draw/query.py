"""Calls of ``data_query``, of contracts, blocks and days of a world; one in six asks for what is not, or nearly so.

``INSIDE`` draws of what an economy records alone, so that none of it may be a miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from caia_replay.canonical import strict_json
from caia_replay.chain.column import to_hex
from caia_replay.chain.log_filter import LogFilter
from caia_replay.errors import Miss
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.interface import ETHERSCAN
from caia_replay.tools.tool_context import ToolContext
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_draw.onchain import standing
from tests.tool_law import Draw

NOBODY = "0x" + "12" * 20
STATEMENTS = (
    "SELECT count(*), sum(value) FROM transactions",
    "SELECT date_trunc('day', block_time) AS day, count(*) FROM blocks GROUP BY day",
    "SELECT erc20, count(*), sum(value) FROM erc20_transfers GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
    "SELECT address, count(*) FROM logs GROUP BY ALL",
    "SELECT * FROM nothing",
    "SELECT now() FROM blocks",
)


def query(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``data_query``."""
    outside = not inside and rng.random() < 1 / 6
    name = rng.choice(standing(world))
    newest = world.newest(name)
    emitters = _emitters(world, name, newest)
    contract = rng.choice([NOBODY, *emitters]) if outside else rng.choice(emitters)
    while not outside and _interface(world, name, contract) is None:
        contract = rng.choice(emitters)
    asked: dict[str, Any] = {"chain": None if name == world.anchor.chain else name}
    kind = rng.choice(["abi", "call", "call", "event", "event", "event", "slot", "allowance", "sql"])
    if outside:
        kind = rng.choice([kind, "source", "creation", "later"])
    match kind:
        case "abi" | "source" | "creation":
            return asked | {"contract": contract, "about": kind}
        case "call":
            found = _entries(world, name, contract, "function")
            views = [one for one in found if one.get("stateMutability") == "view" and not one["inputs"]]
            called = rng.choice([one["name"] for one in views] or ["name()(string)"])
            return asked | {"contract": contract, "function": called, "block": _block(rng, world, name)}
        case "event":
            known = [one["name"] for one in _entries(world, name, contract, "event")]
            first, last = sorted((rng.randint(0, newest), rng.randint(0, newest)))
            event = rng.choice(known or ["Transfer(address indexed from, address indexed to, uint256 value)"])
            asked |= {"contract": contract, "event": event, "from_block": first, "to_block": last}
            return asked | {"limit": rng.choice([None, 3])}
        case "slot":
            return asked | {"contract": contract, "slot": hex(rng.randrange(12)), "block": _block(rng, world, name)}
        case "allowance":
            return asked | {"contract": contract, "about": "allowance", "arguments": rng.choices(emitters, k=2)}
        case "later":
            return asked | {"contract": contract, "slot": "0x0", "block": newest + 1}
    statement = rng.choice(STATEMENTS if outside else STATEMENTS[:4])
    return asked | {"sql": statement, "from_block": rng.randint(0, newest), "limit": rng.choice([None, 5])}


def _block(rng: Random, world: TaskWorld, chain: str) -> int | str | None:
    if rng.random() < 0.5:
        return rng.choice([None, world.newest(chain)])
    return utc_text(world.clock.now - rng.randrange(3) * DAY_S)[:10]


def _emitters(world: TaskWorld, chain: str, newest: int) -> list[str]:
    """Every contract that has logged something by now."""
    logs = world.world.snapshots[chain].logs(0, newest, LogFilter())
    return sorted({str(log["address"]) for log in logs}) or [to_hex(bytes(20))]


def _entries(world: TaskWorld, chain: str, contract: str, kind: str) -> list[Any]:
    return [entry for entry in _interface(world, chain, contract) or () if entry["type"] == kind]


def _interface(world: TaskWorld, chain: str, contract: str) -> list[Any] | None:
    """A verified interface; nothing in it where nobody verified one, None where that is not recorded."""
    chain_id = world.world.snapshots[chain].chain_id
    try:
        told = ToolContext(world).ask(ETHERSCAN, chainid=chain_id, module="contract", action="getabi", address=contract)
    except Miss:
        return None
    return list(strict_json(told["result"])) if told["status"] == "1" else []


DRAWS: dict[str, Draw] = {"data_query": query}
INSIDE: dict[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}  # type: ignore[call-arg]
