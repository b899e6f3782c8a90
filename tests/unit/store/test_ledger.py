"""What tokens cost: exact sums, estimates marked, and nothing known is nothing said."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.model import Price, Usage
from caia_replay.store.ledger import costs, dollars, run_cost, step_cost

PRICE = Price("1.25", "10", "2026-11-01", "the vendor's page", cached="0.125")
COUNTS = st.integers(0, 10**7)


def turn(prompt: int, completion: int, cached: int = 0) -> dict[str, Any]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}
    return {"kind": "model", **counts}


def run(*steps: dict[str, Any], correct: bool | None = True, reported: bool = True) -> dict[str, Any]:
    return {"steps": list(steps), "score": {"correct": correct}, "tokens": {"reported": reported}}


def test_a_completion_costs_what_a_hand_count_gives() -> None:
    """1,000 prompt tokens, 400 of them cached, and 100 of completion: 600 at 1.25, 400 at 0.125 and 100 at 10."""
    assert step_cost(turn(1_000, 100, 400), PRICE) == Decimal("0.0018")
    assert step_cost({"kind": "tool"}, PRICE) == 0
    without = Price("1.25", "10", "2026-11-01", "x")
    assert step_cost(turn(1_000, 100, 400), without) == Decimal("0.00225")


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), max_size=6))
def test_a_run_is_the_sum_of_its_completions(counts: list[tuple[int, int, int]]) -> None:
    """Exactly, in any order, never less than nothing, and cached tokens never make it dearer."""
    steps = [turn(*each) for each in counts]
    assert run_cost(run(*steps), PRICE) == run_cost(run(*reversed(steps)), PRICE)
    assert run_cost(run(*steps), PRICE) == sum((step_cost(step, PRICE) for step in steps), Decimal(0)) >= 0
    uncached = [turn(prompt, completion) for prompt, completion, _ in counts]
    assert run_cost(run(*steps), PRICE) <= run_cost(run(*uncached), PRICE)


@given(COUNTS, COUNTS)
def test_more_cached_than_asked_counts_as_all(prompt: int, cached: int) -> None:
    """A server that reports more cached tokens than prompt tokens makes no negative price."""
    assert PRICE.cost_usd(Usage(prompt, 0, cached_tokens=prompt + cached)) == prompt * Decimal("0.125") / 1_000_000


def test_a_cell_tells_its_total_and_the_price_of_being_right() -> None:
    """Total over all runs, divided by the right ones; the price stands beside it with its day."""
    cell = costs([run(turn(8 * 10**5, 0)), run(turn(0, 10**5), correct=False)], PRICE, policy=False)
    assert (cell["cost_usd"], cell["cost_per_score"], cell["cost_reason"]) == ("2", "2", None)
    assert (cell["cost_estimated"], cell["price"]["as_of"]) == (False, "2026-11-01")


def test_what_nobody_knows_is_null_with_a_reason() -> None:
    """No price, a policy, no right run: null and why; tokens that were estimated mark the sum."""
    for policy, words in ((False, "no price"), (True, "script")):
        cell = costs([run(turn(1, 1))], None, policy=policy)
        assert (cell["cost_usd"], cell["cost_per_score"], cell["price"]) == (None, None, None)
        assert words in cell["cost_reason"]
    cell = costs([run(turn(10**6, 0), correct=None, reported=False)], PRICE, policy=False)
    assert (cell["cost_usd"], cell["cost_per_score"], cell["cost_estimated"]) == ("1.25", None, True)
    assert "no run was right" in cell["cost_reason"]


def test_dollars_are_plain_text() -> None:
    """No exponent, no idle zeros, and nothing for nothing known."""
    assert [dollars(Decimal(text)) for text in ("1E+2", "0.00120", "0")] == ["100", "0.0012", "0"]
    assert dollars(None) is None
