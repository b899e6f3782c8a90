"""What tokens cost: dollars per completion, run and cell, by one price."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from caia_replay.core.model import Price, Usage
from caia_replay.errors import BadInput
from caia_replay.store.plain import build

_DOLLARS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,12})?", re.ASCII)

PLACES = Decimal(1).scaleb(-9)
"""What a quotient is rounded to: a billionth of a dollar. Sums are exact."""


def read_price(value: Any, where: object) -> Price | None:
    """A price from a file of anybody's. Raises ``BadInput`` as ``build``, and for an amount that is no dollars."""
    price = None if value is None else build(Price, value, where, "price")
    require_dollars(price, where)
    return price


def require_dollars(price: Price | None, where: object) -> None:
    """Raise ``BadInput`` for a price whose amounts are no plain decimal text."""
    for amount in () if price is None else (price.prompt, price.completion, price.cached or "0"):
        if _DOLLARS.fullmatch(amount) is None:
            raise BadInput(f"price {amount!r:.40} is no number of dollars", where=where)


def step_cost(step: Mapping[str, Any], price: Price) -> Decimal:
    """What one completion of a run record cost; 0 for a tool call. An estimate where its tokens are one."""
    if step["kind"] != "model":
        return Decimal(0)
    counts = (step["prompt_tokens"], step["completion_tokens"])
    return price.cost_usd(Usage(*counts, cached_tokens=step["cached_tokens"]))


def run_cost(record: Mapping[str, Any], price: Price) -> Decimal:
    """What all completions of a run cost."""
    return sum((step_cost(step, price) for step in record["steps"]), Decimal(0))


def dollars(amount: Decimal | None) -> str | None:
    """An amount as plain decimal text without idle zeros; None stays None: what nobody knows is not zero."""
    return None if amount is None else f"{amount.normalize():f}"


def costs(records: Iterable[Mapping[str, Any]], price: Price | None, *, policy: bool) -> dict[str, Any]:
    """A cell's ledger: ``cost_usd`` of all runs (text or None), ``cost_per_score`` (dollars of scored runs per right
    one), why a figure is None, whether any tokens in it are estimates, and the price itself with its day and source.
    """
    runs = list(records)
    if price is None:
        reason = "a policy is a script: nobody is paid" if policy else "no price is known for this model"
        return {"cost_usd": None, "cost_per_score": None, "cost_reason": reason, "cost_estimated": None, "price": None}
    total = sum((run_cost(record, price) for record in runs), Decimal(0))
    scored = [record for record in runs if record["score"]["correct"] is not None]
    right = sum(record["score"]["correct"] is True for record in scored)
    spent = sum((run_cost(record, price) for record in scored), Decimal(0))
    each = (spent / right).quantize(PLACES, ROUND_HALF_EVEN) if right else None
    return {
        "cost_usd": dollars(total),
        "cost_per_score": dollars(each),
        "cost_reason": None if right else "no run was right, so there is no cost per score",
        "cost_estimated": not all(record["tokens"]["reported"] for record in runs),
        "price": {
            "prompt": price.prompt,
            "completion": price.completion,
            "cached": price.cached,
            "as_of": price.as_of,
            "source": price.source,
        },
    }
