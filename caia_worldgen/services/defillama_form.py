"""How the DeFi index writes things: dollars, percentages, errors, chains and protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from caia_worldgen.market.metric import Metrics
from caia_worldgen.market.protocol import Protocol, stage_of
from caia_worldgen.services.service import Answer

CHAINS: Final = ("main", "rollup")
PAID: Final = "Upgrade to the paid API plan at https://defillama.com/subscription"


def refused(status: int, words: str) -> Answer:
    """An error as the index words it."""
    return Answer(status, {"message": words})


def number(amount: int, unit: int) -> int | float:
    """A fraction to five digits, cut; whole numbers as such."""
    cut = amount * 100_000 // unit
    return cut // 100_000 if cut % 100_000 == 0 else cut / 100_000


def usd(worth_e8: int) -> int | float:
    """Dollars to five digits."""
    return number(worth_e8, 10**8)


def percent(now: int, before: int | None) -> float | None:
    """By how many per cent ``now`` is more than ``before``, exactly; None where nothing was before."""
    return None if not before else (now - before) * 100 / before


def percent_2(now: int | None, before: int | None) -> float | None:
    """The same to two digits, and None where either is nothing."""
    if not now or not before:
        return None
    hundredths, rest = divmod(abs(now - before) * 10_000, before)
    hundredths += 2 * rest >= before
    return (hundredths if now >= before else -hundredths) / 100


def chain_name(metrics: Metrics, chain: str) -> str:
    """What the index calls a chain."""
    return metrics.scene.networks[chain].name


def chain_of(metrics: Metrics, said: str) -> str | None:
    """ "main" or "rollup" by name or id, whatever the case and with spaces or hyphens; None for any other."""
    wanted = said.lower().replace(" ", "-")
    return next((chain for chain in CHAINS if metrics.scene.networks[chain].id == wanted), None)


def described(metrics: Metrics, one: Protocol) -> dict[str, Any]:
    """What does not change about a protocol."""
    scene, own = metrics.scene, one.chains[0]
    token = scene.assets[one.role].address if one.role else None
    return {
        "id": one.id,
        "name": one.name,
        "address": token,
        "symbol": one.symbol,
        "url": f"https://{one.slug}.example/",
        "description": one.words,
        "chain": chain_name(metrics, own),
        "logo": f"https://{one.slug}.example/logo.jpg",
        "audits": "0",
        "audit_note": None,
        "gecko_id": one.slug if one.role else None,
        "cmcId": None,
        "category": one.category,
        "chains": [chain_name(metrics, own)],
        "module": f"{one.slug}/index.js",
        "twitter": None,
        "audit_links": [],
        "listedAt": stage_of(scene, own).calendar.times[1],
    }


def flag(parameters: Mapping[str, str], name: str) -> bool:
    """Whether a parameter says true."""
    return parameters.get(name, "").lower() == "true"
