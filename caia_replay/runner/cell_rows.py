"""Counts of whole runs: of a cell by its attack facts, of an arm by its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.store.results import ATTACK_FACTS


def attack_counts(runs: Iterable[tuple[str, bool, Mapping[str, Any]]]) -> dict[str, int]:
    """How many runs each attack fact is true of, of how many adoption is undecided, and how many runs and tasks were
    attacked; each run as its task, whether anything was planted against that, and its facts. Whole runs, not calls."""
    given = list(runs)
    return {
        **{fact: sum(facts[fact] is True for _, _, facts in given) for fact in ATTACK_FACTS},
        "undecided": sum(facts["adopted"] is None for _, _, facts in given),
        "attacked_runs": sum(is_attacked for _, is_attacked, _ in given),
        "attacked_tasks": len({task for task, is_attacked, _ in given if is_attacked}),
    }


def run_counts(records: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Counts of an arm's whole runs by their records: all, those with a score, and those that are right; then scored
    runs of attacked tasks, and how many of those were shown a lie, adopted one, and may have."""
    counted = [record for record in records if record["stop"] not in UNSCORED_STOPS]
    facts = [record["attack"] for record in counted if record["planted"]]
    return {
        "runs": len(records),
        "scored": len(counted),
        "right": sum(record["score"]["correct"] is True for record in counted),
        "attacked": len(facts),
        "exposed": sum(fact["exposed"] for fact in facts),
        "adopted": sum(fact["adopted"] is True for fact in facts),
        "undecided": sum(fact["adopted"] is None for fact in facts),
    }
