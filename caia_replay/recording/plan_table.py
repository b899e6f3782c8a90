"""What a recording plan is made from and made of: tasks with their gold chains, what recording each takes, and the
project's two tables of what one call of each tool asks and on what terms vendors answer.

plan_calls.toml and plan_terms.toml say what their rows mean. That every row is sound is a test's to say.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal

from caia_replay.core.gold import GoldChain
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.errors import BadInput
from caia_replay.store.plain import build, thawed

_CALLS: Final = "plan_calls.toml"
_TERMS: Final = "plan_terms.toml"
PLACE: Final = re.compile(r"\{([a-z_]+)(?:-([0-9]+)([mhd]))?(?::(s|ms))?\}")
"""A place in an address: its name, how many minutes, hours or days less, and in which unit a moment is written."""
MOMENT: Final = re.compile(r"([a-z_]+)(?:-([0-9]+)([mhd]))?")
"""A moment by itself, in the same words."""
CHAIN_ID: Final = "chainid"
NODE: Final = "json-rpc:"
"""What stands for the address of a chain's node, before the chain's name."""
AnchorKind = Literal["block", "transaction", "date", "assumed"]
Status = Literal["recordable", "will miss", "needs provider", "unanchored"]
Grade = Literal["rule", "pages", "judge"]
Tells = Literal["now", "past"]
Tier = Literal["free", "paid"]
GAP: Final = "{…}"
"""What is shown where an earlier reply, or an earlier step, has to tell something."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a place in an address stands for, out of the arguments ``of``."""

    of: tuple[str, ...]
    match: str
    usual: str = ""
    before: str = ""
    lower: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a tool; of ``url``, ``ask`` and ``node`` it has one. ``node`` is how often by JSON-RPC method."""

    when: Any = field(default_factory=dict)
    days: tuple[int, ...] = ()
    url: str = ""
    ask: Literal["", "web", "posts", "page", "statement", "signature"] = ""
    text: str = ""
    node: Mapping[str, int] = field(default_factory=dict)
    each: str = ""
    blocks: tuple[str, ...] = ()
    blocks_a_call: int = 1
    calls: int = 1
    spare: bool = False

    @property
    def alternatives(self) -> Sequence[Mapping[str, bool | str]]:
        """The tables of ``when``, one of which must fit."""
        return self.when if isinstance(self.when, tuple) else (self.when,)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows by tool, places by name, and milliseconds between two blocks by chain.

    A tool that is not in ``rows`` asks what nobody has written down; one with no rows asks nobody.
    """

    rows: Mapping[str, tuple[Row, ...]]
    places: Mapping[str, Place]
    block_ms: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """One row: for addresses that ``match`` finds. ``key`` is an environment variable, empty where none is needed.

    ``tells``: "now" where a reply is of the day it is asked, "past" where the question names its moment. ``seconds``
    lie between two calls. ``usd_per_call`` is None where nothing is published, and 0 on free tiers. ``usd_a_month`` is
    what the cheapest plan costs that answers; None where none is published. ``pages`` is how many calls a whole list
    takes, an estimate. ``history_days`` before the day of recording a question may begin; None for however early.
    """

    name: str
    match: re.Pattern[str]
    key: str = ""
    tier: Tier
    tells: Tells
    why: str = ""
    seconds: Decimal
    usd_per_call: Decimal | None
    usd_a_month: Decimal | None = None
    pages: int = 1
    history_days: int | None = None
    source: str
    date: str

    def reaches(self, days: float) -> bool:
        """Whether what begins so many days before the day of recording is answered."""
        return self.history_days is None or days <= self.history_days


@lru_cache(maxsize=1)
def calls_table() -> Table:
    """What one call of each tool asks."""
    content = tomllib.loads(_text(_CALLS))
    places = {name: build(Place, one, _CALLS) for name, one in content.pop("places").items()}
    block_ms = content.pop("block_ms")
    rows = {
        tool: tuple(build(Row, one, f"{_CALLS}, {tool}, row {at}") for at, one in enumerate(listed, 1))
        for tool, listed in content.items()
    }
    return Table(rows, places, block_ms)


def terms_of(url: str, days: float = 0) -> Terms:
    """The first row that fits a question which begins ``days`` before the day of recording: the smallest of a vendor's
    plans that answers it, or the largest where none does. Raises ``BadInput`` where no row fits: no request is planned
    on unknown terms."""
    fitting = [terms for terms in all_terms() if terms.match.search(url)]
    plans = [terms for terms in fitting if terms.match == fitting[0].match]
    if plans:
        return next((terms for terms in plans if terms.reaches(days)), plans[-1])
    raise BadInput(f"no terms are known for {url:.200}", where=_TERMS, next_command="add a [[terms]] row for its host")


@lru_cache(maxsize=1)
def all_terms() -> tuple[Terms, ...]:
    """Every row of the terms in the file's order."""
    return tuple(_terms(**row) for row in tomllib.loads(_text(_TERMS), parse_float=Decimal)["terms"])


def _terms(
    *,
    match: str,
    tier: Tier,
    seconds: Decimal | int,
    usd_per_call: Any = None,
    usd_a_month: Any = None,
    **more: Any,
) -> Terms:
    call, month = (
        None if price is None else Decimal(price)
        for price in (0 if value is None and tier == "free" else value for value in (usd_per_call, usd_a_month))
    )
    return Terms(
        match=re.compile(match), tier=tier, seconds=Decimal(seconds), usd_per_call=call, usd_a_month=month, **more
    )


def _text(name: str) -> str:
    return files("caia_replay.recording").joinpath(name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task that may be recorded. ``anchor_kind`` is what its tag ``anchor:...`` says.

    ``gold`` has no result where its steps only bring what a judge needs. ``moment`` is "anchor" where the answer moves
    with the anchor. ``why_not`` and ``needs`` say why no chain yields the answer, ``requests`` are worth recording
    beside what the tools ask. ``is_open``: no rule judges its answer.
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
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request a recorder would make. Where it is not ``exact``, ``{…}`` stands for what an earlier reply will tell.

    ``follows`` names what it follows from, empty where nothing does. ``calls`` is how often it is made, pages included;
    an estimate wherever a list has pages or the request is not exact. ``terms`` names its row of plan_terms.toml.
    ``is_lost``: a reply of a later day tells nothing of the task's moment, by the rules that replay applies.
    ``history_days`` is how far back the vendor answers anybody where that is too short for it, else None.
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
    is_lost: bool
    history_days: int | None = None


@dataclass(frozen=True, slots=True)
class ChainCalls:
    """How often one JSON-RPC method is asked of a chain's node; an estimate."""

    chain: str
    method: str
    calls: int


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What recording one task takes. ``seconds`` and ``dollars`` are estimates by plan_terms.toml.

    ``grade`` is what a recording of it gives: the answer, proven by rule; the same if pages are found that tell it; or
    what a judge needs.

    ``keys`` are environment variables without which something is not answered, ``optional_keys`` quicken it.
    ``unpriced`` names the paid terms without a price: ``dollars`` leaves them out. ``refusals`` are steps that the
    tools' own schemas refuse as they are written, in the tools' words.
    """

    id: str
    status: Status
    grade: Grade
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
