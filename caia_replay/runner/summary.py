"""summary.json: one cell's runs as numbers. Shares are fractions from 0 to 1, attack counts whole runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from caia_replay.core.model import Price
from caia_replay.core.task import Task
from caia_replay.core.tool import Served
from caia_replay.core.trajectory import UNCERTIFIED_STOPS
from caia_replay.models.resolve import POLICY, is_deterministic
from caia_replay.runner.plan import Cell, RunPlan
from caia_replay.scoring.detectable import rankable
from caia_replay.scoring.interval import majority_interval, over_attempts, over_projects
from caia_replay.scoring.metrics import (
    Row,
    ScoredRun,
    accuracy_bounds,
    by_category,
    by_difficulty,
    by_tag,
    majority,
    majority_share,
    pass_at_1,
    pass_at_k,
    pass_hat_k,
    rounded,
    scored,
)
from caia_replay.store.ledger import costs
from caia_replay.store.results import ATTACK_FACTS
from caia_replay.tools.catalog import CATALOG

CAIA_WEB_TOOLS = ("web_search", "twitter_search")


def summarise(
    plan: RunPlan,
    cell: Cell,
    records: Sequence[Mapping[str, Any]],
    tasks: Mapping[str, Task],
    *,
    comparable: bool,
    price: Price | None = None,
) -> dict[str, Any]:
    """The summary of one cell, without its certificate's digest."""
    policy = plan.model.startswith(POLICY)
    runs = [
        ScoredRun(
            record["task"],
            tasks[record["task"]].category,
            record["attempt"],
            record["score"]["correct"],
            record["score"]["reading"],
            record["stop"],
            record["served"]["MISS"],
            tasks[record["task"]].tags,
            tasks[record["task"]].difficulty,
            tasks[record["task"]].project,
        )
        for record in records
    ]
    tools: Counter[str] = Counter()
    for record in records:
        tools.update(record["tools"])
    calls = sum(tools.values())
    authority: Counter[str] = Counter()
    for name, count in tools.items():
        if name in CATALOG:
            authority[CATALOG[name].authority] += count
    tables = {"by_category": by_category(runs), "by_tag": by_tag(runs), "by_difficulty": by_difficulty(runs)}
    intervals = {
        "majority": majority_interval(runs),
        "majority_clustered": over_projects(runs, majority_share),
        "pass_at_1": over_projects(runs),
        "pass_at_1_attempts": over_attempts(runs, deterministic=is_deterministic(plan.model)),
    }
    return {
        "suite": plan.suite,
        "model": plan.model,
        "agent": plan.agent,
        "arm": cell.arm,
        "condition": cell.condition,
        "runs": plan.runs,
        "n_tasks": len(plan.tasks),
        "scored": scored(runs),
        "comparable_to_published_caia": comparable,
        "calibration_policy": policy,
        "limits": plan.limits(),
        "pass_at_1": pass_at_1(runs),
        "pass_at_k": pass_at_k(runs),
        "pass_hat_k": pass_hat_k(runs),
        "majority": majority(runs),
        **tables,
        "rankable": {name: _rankable(table) for name, table in tables.items()},
        "accuracy_bounds": accuracy_bounds(runs),
        "confidence_intervals": {name: None if ends is None else list(ends) for name, ends in intervals.items()},
        "served_as": dict(sorted(sum((Counter(record["served_as"]) for record in records), Counter[str]()).items())),
        "stops": dict(sorted(Counter(record["stop"] for record in records).items())),
        "unparsed_answers": sum(run.stop == "answered" and (run.correct, run.reading) == (False, None) for run in runs),
        "uncertified_runs": sum(record["stop"] in UNCERTIFIED_STOPS for record in records),
        "served": {str(kind): sum(record["served"][str(kind)] for record in records) for kind in Served},
        "calls": calls,
        "tool_share": {name: _share(tools[name], calls) for name in sorted(tools)},
        "caia_web_share": _share(sum(tools[name] for name in CAIA_WEB_TOOLS), calls),
        "authority_share": {kind: _share(authority[kind], calls) for kind in ("authoritative", "open-web", "social")},
        "attack": {fact: sum(record["attack"][fact] is True for record in records) for fact in ATTACK_FACTS},
        "simulated_loss_usd": str(sum((Decimal(record["loss_usd"]) for record in records), Decimal(0))),
        "tokens": {
            "prompt": sum(record["tokens"]["prompt"] for record in records),
            "completion": sum(record["tokens"]["completion"] for record in records),
            "cached": sum(record["tokens"]["cached"] for record in records),
            "reasoning": sum(record["tokens"]["reasoning"] for record in records),
            "reported": all(record["tokens"]["reported"] for record in records),
        },
        "waited_s": sum(record["waited_s"] for record in records),
        **costs(records, price, policy=policy),
    }


def _rankable(table: Mapping[str, Row]) -> list[str]:
    """The rows of a table that may be ranked against each other."""
    return list(rankable({name: int(row["n_projects"] or 0) for name, row in table.items()}))


def _share(part: int, whole: int) -> float | None:
    """A fraction of all calls; None, not zero, when there was no call."""
    return None if whole == 0 else rounded(Fraction(part, whole))
