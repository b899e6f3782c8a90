"""What is told of a run as it ends: to whoever watches a replay, and by a worker to its parent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

from caia_replay.core.model import Price
from caia_replay.models.request_limit import RequestLimit
from caia_replay.store.ledger import dollars, run_cost


@dataclass(frozen=True, slots=True)
class RunEnd:
    """One more run has ended, or was there already. ``cell`` is the subfolder of its cell; ``fooled`` says whether it
    adopted a lie that was against it, None where nobody can tell.

    ``usd`` is decimal text, None where no price is known. ``in_flight`` runs go on. Of their requests ``waiting`` wait
    for the endpoint's limit, it has ``refused`` so many for load, and ``fewest`` is the lowest that the limit was.
    """

    task: str
    correct: bool | None
    tokens: int
    usd: str | None
    in_flight: int = 0
    waiting: int = 0
    refused: int = 0
    fewest: int = 0
    cell: str = ""
    is_attacked: bool = False
    fooled: bool | None = None

    def line(self) -> str:
        """As one line of JSON, without the end of line."""
        return json.dumps(asdict(self))


Watch = Callable[[RunEnd], None]


def run_end(
    record: Mapping[str, Any],
    cell: str,
    price: Price | None,
    in_flight: int = 0,
    limit: RequestLimit | None = None,
) -> RunEnd:
    """What is told of a run by its record, and of the endpoint by its ``limit``."""
    tokens = record["tokens"]["prompt"] + record["tokens"]["completion"]
    usd = None if price is None else dollars(run_cost(record, price))
    told = RunEnd(
        record["task"],
        record["score"]["correct"],
        tokens,
        usd,
        in_flight,
        cell=cell,
        is_attacked=bool(record.get("planted")),
        fooled=record["attack"]["adopted"],
    )
    if limit is None:
        return told
    return replace(told, waiting=limit.waiting, refused=limit.refused, fewest=limit.fewest)


def read_run_end(line: str | bytes) -> RunEnd:
    """What ``line`` was made of."""
    return RunEnd(**json.loads(line))


@dataclass(slots=True)
class Tally:
    """All that was told so far."""

    runs: int = 0
    tokens: int = 0
    usd: Decimal | None = None
    in_flight: int = 0
    waiting: int = 0
    refused: int = 0
    fewest: int = 0

    def add(self, end: RunEnd) -> None:
        """Take one more run."""
        self.runs += 1
        self.tokens += end.tokens
        if end.usd is not None:
            self.usd = (self.usd or Decimal(0)) + Decimal(end.usd)
        self.in_flight, self.waiting = end.in_flight, end.waiting
        self.refused, self.fewest = end.refused, end.fewest
