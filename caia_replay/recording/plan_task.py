"""What a recording plan is made from and made of: a task with its gold chain, and what recording it takes."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from caia_replay.core.gold import GoldChain
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.store.plain import thawed

AnchorKind = Literal["block", "transaction", "date", "assumed"]
Status = Literal["recordable", "needs provider", "unanchored"]
Tells = Literal["now", "past"]
Tier = Literal["free", "paid"]
GAP: Final = "{…}"
"""What is shown where an earlier reply, or an earlier step, has to tell something."""


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task that may be recorded. ``anchor_kind`` is what its tag ``anchor:...`` says.

    ``gold`` has no result where its steps only bring what a judge needs. ``moment`` is "anchor" where the answer moves
    with the anchor. ``why_not`` and ``needs`` say why no chain yields the answer, ``requests`` are worth recording
    beside what the tools ask.
    """

    id: str
    anchor: Anchor
    anchor_kind: str
    gold: GoldChain
    moment: Literal["fixed", "anchor"]
    why_not: str = ""
    note: str = ""
    needs: tuple[str, ...] = ()
    requests: tuple[HttpRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request a recorder would make. Where it is not ``exact``, ``{…}`` stands for what an earlier reply will tell.

    ``follows`` names what it follows from, empty where nothing does. ``calls`` is how often it is made, pages included;
    an estimate wherever a list has pages or the request is not exact. ``terms`` names its row of plan_terms.toml.
    """

    method: str
    url: str
    body: str
    provider: str
    exact: bool
    calls: int
    follows: str
    terms: str
    tells: Tells
    tier: Tier


@dataclass(frozen=True, slots=True)
class ChainCalls:
    """How often one JSON-RPC method is asked of a chain's node; an estimate."""

    chain: str
    method: str
    calls: int


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What recording one task takes. ``seconds`` and ``dollars`` are estimates by plan_terms.toml.

    ``keys`` are environment variables without which something is not answered, ``optional_keys`` quicken it.
    ``unpriced`` names the paid terms without a price: ``dollars`` leaves them out. ``refusals`` are steps that the
    tools' own schemas refuse as they are written, in the tools' words.
    """

    id: str
    status: Status
    reason: str
    requests: tuple[PlannedRequest, ...]
    chain_calls: tuple[ChainCalls, ...]
    keys: tuple[str, ...]
    optional_keys: tuple[str, ...]
    paid: tuple[str, ...]
    unpriced: tuple[str, ...]
    follows: tuple[str, ...]
    refusals: tuple[str, ...]
    calls: int
    seconds: Decimal
    dollars: Decimal

    def plain(self) -> dict[str, Any]:
        """As JSON: numbers that are not whole are exact decimal texts."""
        chain_calls: dict[str, dict[str, int]] = {}
        for one in self.chain_calls:
            chain_calls.setdefault(one.chain, {})[one.method] = one.calls
        numbers = {"seconds": str(self.seconds), "dollars": str(self.dollars)}
        return {**thawed(self), **numbers, "chain_calls": chain_calls}
