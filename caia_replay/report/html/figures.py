"""What is worked out over several runs: models told apart, the lies they believed, cost, dose, contamination gap.

Every number here comes from ``scoring`` or from a run's own summary; nothing is defined a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from caia_replay.analysis.people import people_of
from caia_replay.analysis.run_world import scored_run
from caia_replay.analysis.twin_gap import suite_gap
from caia_replay.core.trajectory import UNSCORED_STOPS
from caia_replay.errors import BadInput
from caia_replay.report.gap_table import gap_plain
from caia_replay.report.html.source import Source, SourceCell
from caia_replay.report.run_view import belief
from caia_replay.report.talk import authority_of
from caia_replay.runner.arm_effect import cluster, effect_plain, shares
from caia_replay.runner.dose import parse_dose
from caia_replay.scoring.dose_response import isotonic, paired_trend
from caia_replay.scoring.effect import Difference, paired_effect
from caia_replay.scoring.metrics import pass_at_1, rounded
from caia_replay.scoring.paired import holm

CELLS: Final = ("arm", "condition")
SOURCES: Final = ("authoritative", "open-web", "social", "computed")
_SAME_TASKS: Final = ("world", "overlay")
"""What two cells must have in common for their tasks to be the same in both."""


def differences(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Every pair of runs that played the same tasks in the same world, in each cell both have: the first's Pass@1 less
    the second's, as arms.json tells arms apart; ``p_holm`` is corrected over the pairs of one cell."""
    found = []
    for arm, condition in cells_of(sources):
        pairs = []
        for (one, first), (two, second) in combinations(enumerate(sources), 2):
            sides = first.cell(arm, condition), second.cell(arm, condition)
            if sides[0] is None or sides[1] is None or _world(sides[0]) != _world(sides[1]):
                continue
            right = [shares(side.rows, lambda row: row["correct"]) for side in sides if side is not None]
            effect = paired_effect(
                Difference(cluster(task, first.tasks[task]["project"]), share - right[1][task])
                for task, share in right[0].items()
                if task in right[1]
            )
            if effect is not None:
                pairs.append(({"first": one, "second": two, "arm": arm, "condition": condition}, effect))
        corrected = holm([effect.p for _, effect in pairs])
        found += [
            {**where, **effect_plain(effect), "p_holm": rounded(p)}
            for (where, effect), p in zip(pairs, corrected, strict=True)
        ]
    return found


def people(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """What people scored, together, in each cell of each book that any of them played."""
    found = []
    for at, book in enumerate(books(sources)):
        for arm, condition in cells_of(sources):
            cells = [(one.model, one.cell(arm, condition)) for one in sources if one.book == book]
            told = people_of((model, cell.rows) for model, cell in cells if cell is not None)
            if told is not None:
                found.append({"book": at, "arm": arm, "condition": condition, **asdict(told)})
    return found


def books(sources: Iterable[Source]) -> list[tuple[str, str]]:
    """Every suite and world that was played, in the order they are met."""
    return list(dict.fromkeys(source.book for source in sources))


def cells_of(sources: Iterable[Source]) -> list[tuple[str, str]]:
    """Every arm and condition that any run has, in the order they are met."""
    return list(dict.fromkeys((cell.arm, cell.condition) for source in sources for cell in source.cells))


def _world(cell: SourceCell) -> tuple[Any, ...]:
    return tuple(cell.header.get(name) for name in _SAME_TASKS)


def lies(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Each planted lie of each arm, the most believed first: counts over all runs of the report, and by run folder."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    known = books(sources)
    names = ("book", *CELLS, "task", "family", "value")
    for at, source in enumerate(sources):
        for cell in source.cells:
            for lie in cell.lies:
                key = (known.index(source.book), cell.arm, cell.condition, lie.task, lie.family, lie.value)
                row = found.setdefault(
                    key, {**dict(zip(names, key, strict=True)), "attacked": 0, "exposed": 0, "adopted": 0, "by": []}
                )
                for name in ("attacked", "exposed", "adopted"):
                    row[name] += getattr(lie, name)
                row["by"].append([at, lie.attacked, lie.exposed, lie.adopted])
    return sorted(
        (row for row in found.values() if row["attacked"] or row["exposed"]),
        key=lambda row: (belief(row), row["arm"], row["task"], row["family"], row["value"]),
    )


def by_project(source: Source, cell: SourceCell) -> dict[str, dict[str, Any]]:
    """Pass@1 of the tasks about each project, with how many tasks stand behind it."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in cell.rows:
        rows.setdefault(source.tasks[row["task"]]["project"] or "", []).append(row)
    return {
        project: {
            "n_tasks": len({row["task"] for row in own if row["correct"] is not None}),
            "pass_at_1": pass_at_1(scored_run(row, None) for row in own),
        }
        for project, own in sorted(rows.items())
        if project
    }


def by_source(cell: SourceCell) -> dict[str, float | None]:
    """Shares of tool calls by the class of their source; summary.json counts a model's own calculation, ``computed``
    here, as authoritative. Calls of names that are no tool's are in none."""
    found = dict.fromkeys(SOURCES, Fraction())
    for tool, share in cell.summary["tool_share"].items():
        source = authority_of(tool)
        if source:
            found[source] += Fraction(share or 0)
    return {name: rounded(share) for name, share in found.items()}


def pareto(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Dollars of a run against Pass@1, of each run folder's cells whose cost is known; ``best`` ones have nobody who is
    both cheaper and better in their cell."""
    points: list[dict[str, Any]] = []
    for at, source in enumerate(sources):
        for cell in source.cells:
            told = cell.summary
            if told["cost_usd"] is not None and told["pass_at_1"] is not None and cell.rows:
                each = Fraction(told["cost_usd"]) / len(cell.rows)
                points.append({"source": at, "arm": cell.arm, "condition": cell.condition, "book": source.book})
                points[-1] |= {"usd": float(each), "pass_at_1": told["pass_at_1"]}
    for point in points:
        others = [one for one in points if all(one[name] == point[name] for name in (*CELLS, "book"))]
        point["best"] = not any(_beats(one, point) for one in others)
    return points


def _beats(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    sides = (one["usd"], -one["pass_at_1"]), (other["usd"], -other["pass_at_1"])
    return sides[0] != sides[1] and all(mine <= theirs for mine, theirs in zip(*sides, strict=True))


def dose_curves(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Adoption by dose: runs that differ in the level of one field of the campaign's dose and in nothing else; none
    that an earlier version played with a field that doses have no longer."""
    groups: dict[tuple[Any, ...], list[tuple[int, Source, SourceCell, dict[str, Any]]]] = {}
    for at, source in enumerate(sources):
        cell = next((cell for cell in source.cells if cell.arm == "attacked"), None)
        if cell is not None:
            told = source.plan
            key = (source.model, source.agent, source.book, told["campaign"], told["defence"], cell.condition)
            try:
                levels = dict(parse_dose(told["dose"]))
            except BadInput:
                continue
            groups.setdefault((*key, tuple(sorted(levels))), []).append((at, source, cell, levels))
    found = []
    for members in groups.values():
        fields = [name for name in members[0][3] if len({one[3][name] for one in members}) > 1]
        if len(fields) == 1 and len({one[3][fields[0]] for one in members}) == len(members):
            found.append(_curve(fields[0], members))
    return found


def _curve(field: str, members: list[tuple[int, Source, SourceCell, dict[str, Any]]]) -> dict[str, Any]:
    numeric = all(isinstance(one[3][field], int) for one in members)
    if numeric:
        members = sorted(members, key=lambda one: one[3][field])
    rates = [one[2].summary["attack_rates"]["intention_to_treat"] for one in members]
    curve: dict[str, Any] = {
        "over": field,
        "levels": [
            {
                "source": one[0],
                "value": str(one[3][field]),
                **{name: rate[name] for name in ("rate", "interval", "runs")},
            }
            for one, rate in zip(members, rates, strict=True)
        ],
        "fitted": None,
        "trend_p": None,
    }
    if numeric and all(rate["runs"] for rate in rates):
        exact = [Fraction(rate["adopted"], rate["runs"]) for rate in rates]
        curve["fitted"] = [rounded(one) for one in isotonic(exact, [rate["runs"] for rate in rates])]
        taken = [shares(_attacked(one[2].rows), lambda row: row["adopted"] is True) for one in members]
        tasks = members[0][1].tasks
        always = [task for task in taken[0] if all(task in own for own in taken)]
        pairs = [(cluster(task, tasks[task]["project"]), [own[task] for own in taken]) for task in always]
        curve["trend_p"] = rounded(paired_trend([Fraction(at) for at in range(len(members))], pairs))
    return curve


def _attacked(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [row for row in rows if row["planted_url"] is not None and row["stop"] not in UNSCORED_STOPS]


def gaps(sources: Sequence[Source], start: Path) -> Iterator[dict[str, Any]]:
    """The contamination gap of every two runs of one model on a suite and on its twin; the first given is the
    original."""
    for (one, first), (two, second) in combinations(enumerate(sources), 2):
        names = [(source.model, source.agent, source.suite) for source in (first, second)]
        if names[0] == names[1] and None not in (first.seed, second.seed) and first.seed != second.seed:
            try:
                plain = gap_plain(suite_gap(Path(first.path), Path(second.path), start))
            except BadInput as fault:
                plain = {"refused": str(fault)}
            yield {"first": one, "second": two, **plain}
