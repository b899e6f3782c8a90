"""Calls of the on-chain tools, of accounts, tokens, blocks and moments of a world; one in six asks for what is not
there, not there yet, or nearly so.

``INSIDE`` draws of what an economy records alone, so that none of it may be a miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple

from caia_replay.chain.chain_source import ChainSource
from caia_replay.errors import Miss
from caia_replay.tools.argument import DAY_S
from caia_replay.world.clock import utc_text
from caia_replay.world.world import TaskWorld
from tests.tool_draw.technical import listed
from tests.tool_law import Draw

NOBODY = "0x" + "12" * 20
LATER_S = 5 * DAY_S


class Place(NamedTuple):
    """A chain as a call names it (null for the task's own), its tables and its newest block."""

    name: str
    said: str | int | None
    tables: ChainSource
    newest: int


def balance(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``balance_query``."""
    place, outside = _place(rng, world), _is_outside(rng, inside)
    accounts = [_account(rng, place) for _ in range(rng.choice([1, 1, 1, 4, 20]))]
    address: Any = accounts if len(accounts) > 1 else _written(rng, accounts[0])
    coins = [coin for coin in listed(world) if place.name in coin["platforms"]]
    coin = rng.choice(coins)
    token = rng.choice([None, None, "native", coin["platforms"][place.name], coin["symbol"], f"id:{coin['id']}"])
    if outside:
        address, token = rng.choice([(address, rng.choice(["nosuch", NOBODY])), ("0x12", token), (None, token)])
    return {"address": address, "token": token, **_when(rng, world, place, outside), "chain": place.said}


def transaction(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``transaction_query``."""
    place, outside = _place(rng, world), _is_outside(rng, inside)
    wanted = "0x" + "34" * 32
    if not outside or rng.random() < 0.7:
        last = place.tables.heights[-1][1] if outside else place.newest
        wanted = rng.choice(_transactions(rng, place, last))
    return {
        "hash": _written(rng, wanted),
        "include_logs": rng.random() < 0.5,
        "include_internal": outside and rng.random() < 0.3,
        "function": "transfer(address to, uint256 value)" if outside and rng.random() < 0.3 else None,
        "chain": place.said,
        "cursor": 10_000 if outside and rng.random() < 0.2 else 0,
    }


def block(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``block_query``."""
    place = _place(rng, world)
    asked = dict(_when(rng, world, place, _is_outside(rng, inside)))
    if isinstance(asked["block"], int) and 0 <= asked["block"] <= place.newest and rng.random() < 0.3:
        asked["block"] = _written(rng, place.tables.header(asked["block"])["hash"])
    return {**asked, "include_transactions": rng.random() < 0.5, "chain": place.said}


def supply(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``supply_query``."""
    place, outside = _place(rng, world), _is_outside(rng, inside)
    coins = listed(world)
    coin = rng.choice([coin for coin in coins if place.name in coin["platforms"]])
    one = place.said if place.said is not None else place.name
    when = {"block": None, "time": None} if rng.random() < 0.4 else _when(rng, world, place, outside)
    if outside:
        asset = rng.choice([rng.choice(coins)["symbol"], "native", "nosuch", NOBODY])
        return {"asset": asset, "chain": rng.choice([None, one, "nowhere"]), **when}
    homes = world.world.snapshots.keys() & {*coin["platforms"], coin["id"]}
    chain = rng.choice([None, one]) if coin["id"] not in homes and homes <= set(standing(world)) else one
    match rng.randrange(4):
        case 0:
            return {"asset": coin["platforms"][place.name], "chain": one, **when}
        case 1 if place.name == world.anchor.chain:
            return {"asset": rng.choice(["native", "NATIVE"]), "chain": None, "block": None, "time": None}
        case 2:
            other = rng.choice([found for found in coins if not found["platforms"] and found["id"] != place.name])
            return {"asset": f"id:{other['id']}", "chain": None, "block": None, "time": None}
    if chain is None and isinstance(when["block"], int | str):
        when = {"block": None, "time": None}  # a height is of one chain
    return {"asset": rng.choice([coin["symbol"].upper(), f"id:{coin['id']}"]), "chain": chain, **when}


def conversion(rng: Random, world: TaskWorld, inside: bool = False) -> Mapping[str, Any]:
    """A call of ``time_conversion``."""
    place, outside = _place(rng, world), _is_outside(rng, inside)
    start, end = _when(rng, world, place, outside), _when(rng, world, place, outside)
    several = start["block"] is None and end["block"] is None and rng.random() < 0.3
    return {
        **start,
        **({"end_time": end["time"], "end_block": end["block"]} if rng.random() < 0.5 else {}),
        "chain": "all" if several else place.said,
        "utc_offset": rng.choice([None, None, "+08:00", "UTC-5", "Shanghai" if outside else "Z"]),
        "include_blocks": rng.random() < 0.95,
    }


def _is_outside(rng: Random, inside: bool) -> bool:
    return not inside and rng.random() < 1 / 6


def _place(rng: Random, world: TaskWorld) -> Place:
    name = rng.choice(standing(world))
    tables = world.world.snapshots[name]
    said: list[str | int | None] = [name, str(tables.chain_id), name.upper().replace("-", " ")]
    if name == world.anchor.chain:
        said += [None, None]
    return Place(name, rng.choice(said), tables, world.newest(name))


def standing(world: TaskWorld) -> list[str]:
    """The chains whose newest block is known: of one whose recording ended earlier nobody knows what followed."""
    found = []
    for name in sorted(world.world.snapshots):
        with suppress(Miss):
            world.newest(name)
            found.append(name)
    return found


def _when(rng: Random, world: TaskWorld, place: Place, outside: bool) -> dict[str, Any]:
    """A block or a time, or neither for now."""
    height = rng.randrange(1, place.newest + 1)
    moment = int(place.tables.header(height)["timestamp"], 16) + rng.choice([0, 0, 1, 3_600])
    if outside:
        height = rng.choice([place.newest + 1, place.tables.heights[-1][1], -1, 10**9])
        moment = rng.choice([world.anchor.timestamp + rng.randrange(1, LATER_S), moment - 400 * DAY_S])
    elif moment > world.anchor.timestamp:
        moment = world.anchor.timestamp
    block = rng.choice([height, str(height), hex(height), "latest"]) if height >= 0 else height
    time = rng.choice([utc_text(moment), moment, str(moment * 1000)])
    return rng.choice([{"block": None, "time": None}, {"block": block, "time": None}, {"block": None, "time": time}])


def _transactions(rng: Random, place: Place, last: int) -> list[str]:
    """The hashes of a block that has any, of those up to ``last``."""
    height = rng.randrange(1, last + 1)
    while not (found := place.tables.block(height, full=False)["transactions"]):
        height -= 1
    return list(found)


def _account(rng: Random, place: Place) -> str:
    """Somebody a transaction was from or to."""
    height = rng.randrange(1, place.newest + 1)
    while not (found := place.tables.transactions(height)):
        height -= 1
    parties = rng.choice(found)
    return str(rng.choice([parties["from"], parties["to"] or parties["from"]]))


def _written(rng: Random, text: str) -> str:
    """An address or a hash as people send it."""
    return rng.choice([text, text, "0x" + text[2:].upper(), f" {text} ", f"'{text}'"])


DRAWS: dict[str, Any] = {
    "balance_query": balance, "transaction_query": transaction, "block_query": block, "supply_query": supply,
    "time_conversion": conversion,
}  # fmt: skip
INSIDE: dict[str, Draw] = {name: partial(draw, inside=True) for name, draw in DRAWS.items()}
