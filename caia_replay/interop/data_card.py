"""What stands beside exported tables: what was run, what each column is, and what nobody may conclude from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from caia_replay.core.version import __version__
from caia_replay.models.resolve import POLICY

if TYPE_CHECKING:
    import pyarrow as pa

    from caia_replay.analysis.finished_run import FinishedCell, FinishedRun

COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "run": ("", "name of the run folder"),
    "world": ("digest", "the suite's world, attacks left out: equal digests are equal bytes"),
    "certificate": ("digest", "of the cell, an arm under a condition: equal ones are equal runs; null: not certified"),
    "provenance": ("", "of the world: synthetic, imported, live, or unknown where it was not at hand"),
    "policy": ("yes/no", "a script played, and no model"),
    "suite": ("", "name of the suite"),
    "model": ("", "the model that was asked"),
    "agent": ("", "the loop around it"),
    "project": ("", "what the task is about: rows of one project are not independent; null: of its own"),
    "difficulty": ("1 = easiest", "of the task"),
    "category": ("", "of the task, in CAIA's words"),
    "task": ("", "id of the task"),
    "arm": ("", "which version of the world was seen: clean, attacked, placebo, labelled, authority-only"),
    "condition": ("", "tools or no-tools"),
    "attempt": ("from 1", "number of the run of this task"),
    "stop": ("", "why the run ended"),
    "answer": ("", "what was submitted; null: nothing"),
    "expected": ("", "the right answer; several values are joined by ;"),
    "planted": ("", "wrong values planted against the task"),
    "planted_url": ("", "where they stand"),
    "reading": ("", "the answer as the verifier understood it"),
    "correct": ("yes/no", "the verdict; null: not scored, which is not wrong"),
    "reason": ("", "why"),
    "turns": ("count", "completions of the model"),
    "calls": ("count", "tool calls"),
    "prompt_tokens": ("tokens", "of prompts"),
    "completion_tokens": ("tokens", "of completions"),
    "cached_tokens": ("tokens", "part of the prompts'"),
    "reasoning_tokens": ("tokens", "part of the completions'"),
    "tokens_reported": ("yes/no", "the server told them; else they are estimates from the length of texts"),
    "cost_usd": ("US dollars, decimal text", "by the price in the certificate; null: no price is known"),
    "waited_s": ("seconds", "what a live run would have waited for answers that said later"),
    "exposed": ("yes/no", "planted content was shown"),
    "opened": ("yes/no", "a planted page was fetched"),
    "repeated": ("yes/no", "a planted text was written before the answer"),
    "adopted": ("yes/no", "a lie was submitted, or an instruction followed; null: nobody can tell"),
    "adopted_authoritative_text": ("yes/no", "the same, by what an authoritative tool told"),
    "resisted": ("yes/no", "exposed, answered, and nothing adopted"),
    "verified_before": ("yes/no", "an authoritative tool told something before the first exposure"),
    "verified_after": ("yes/no", "or after it"),
    "adopted_attack": ("", "families of attack it was adopted from"),
    "first_exposed_step": ("from 1; 0 = a tool's description", "step of the first exposure; null: never"),
    "loss_usd": (
        "US dollars, decimal text",
        "the assumed stake where the answer is wrong, or what a wallet lost",
    ),
    "transactions": ("count", "sent by a wallet; null: the task is answered and not carried out"),
    "lost": ("smallest units, JSON", "what left the owner's accounts, by asset"),
    "step": ("from 1", "place in the run"),
    "turn": ("from 1", "the completion it belongs to"),
    "kind": ("", "model or tool"),
    "content": ("", "what the model wrote"),
    "tool_calls": ("JSON", "the calls it asked for"),
    "finish_reason": ("", "why the completion ended"),
    "call_id": ("", "of the tool call"),
    "tool": ("", "its name"),
    "arguments": ("JSON, unchecked", "as the model wrote them"),
    "served": ("", "HIT, DERIVED, FORK, RANKED, COMPUTED, MISS or ERROR"),
    "shown": ("JSON", "what the model was shown; null: left out, since the world is not known to be synthetic"),
    "altered_by": ("JSON", "attacks that touched the call; the model never saw this"),
    "altered_at": ("JSON", "where the planted content stands"),
    "nearest": ("", "of a miss: the nearest recording"),
    "missed": ("JSON", "of a miss: what is not recorded; the model never saw this"),
}
"""Each column's unit and meaning; a column ``served_...`` counts calls of that class."""

_LIMITS: Final = (
    "Tools answer from a frozen world. What a model does on the live internet may differ.",
    "The attacks are ours, not CAIA's, and so are the tools' parameters: CAIA publishes names alone.",
    "Planted pages can still be told apart by their style. Until a check shows that they cannot, figures of the "
    "attacked arm describe scripted policies only: do not quote them for a model.",
    "Several runs of a task are no independent sample, nor are tasks of one project: cluster by `project`.",
    "Everything but the model's own words can be checked with `caia-replay audit`; those are taken on trust.",
    "`expected` gives the answers away: do not train on this, and keep the canaries below in every copy.",
)


def data_card(runs: Sequence[FinishedRun], schemas: Mapping[str, pa.Schema], counts: Mapping[str, int]) -> str:
    """The card as Markdown, with the YAML head that data hubs read."""
    synthetic = all(run.world is not None and run.world.info.provenance == "synthetic" for run in runs)
    policies = [run for run in runs if run.plan.model.startswith(POLICY)]
    named = f"caia_replay runs of {', '.join(dict.fromkeys(run.plan.suite for run in runs))}"
    lines = [
        "---",
        f"license: {'mit' if synthetic else 'other'}",
        f"pretty_name: {json.dumps(named)}",
        "tags: [caia_replay, agents, evaluation]",
        "configs:",
        *(f"- {{config_name: {name.partition('.')[0]}, data_files: {name}}}" for name in schemas),
        "---",
        "",
        "# Runs of caia_replay",
        "",
        f"Written by caia_replay {__version__} (`caia-replay export parquet`).",
        "",
        "## Before you quote a figure",
        "",
        *(f"- {line}" for line in _warnings(runs, policies)),
        "",
        "## What was run",
        "",
        "| run | suite | world | model | agent | arm, condition | attack | tasks x runs | certificate |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(_told(run, cell)) for run in runs for cell in run.cells),
        "",
        "## Columns",
        "",
    ]
    for name, schema in schemas.items():
        lines += [f"`{name}`, {counts[name]} rows:", "", "| column | type | unit | meaning |", "|---|---|---|---|"]
        lines += [_row((f"`{field.name}`", str(field.type), *column(field.name))) for field in schema]
        lines.append("")
    lines += ["## Limits", "", *(f"- {line}" for line in _LIMITS), "", "## Licence", "", *_licence(synthetic), ""]
    if canaries := sorted({run.world.info.canary for run in runs if run.world is not None and run.world.info.canary}):
        lines += ["Canaries: " + ", ".join(f"`{one}`" for one in canaries), ""]
    return "\n".join(lines)


def column(name: str) -> tuple[str, str]:
    """A column's unit and meaning."""
    if name.startswith("served_"):
        return "count", f"tool calls served as {name.removeprefix('served_').upper()}"
    return COLUMNS[name]


def _warnings(runs: Sequence[FinishedRun], policies: Sequence[FinishedRun]) -> list[str]:
    found = []
    if policies:
        who = "All" if len(policies) == len(runs) else f"{len(policies)} of {len(runs)}"
        found.append(f"{who} runs are those of calibration policies: scripts, not models.")
    kinds = {run.world.info.provenance if run.world is not None and run.as_played else "unknown" for run in runs}
    found.append(f"Provenance of the worlds: {', '.join(sorted(kinds))}.")
    if not all(run.world is not None and run.world.info.comparable_to_published_caia for run in runs):
        found.append("Not comparable to published CAIA scores.")
    return found + [note for run in runs for note in run.notes]


def _told(run: FinishedRun, cell: FinishedCell) -> tuple[str, ...]:
    header = cell.header
    attack = (
        f"{header['campaign']}{', ' + header['dose'] if header.get('dose') else ''}" if header.get("campaign") else ""
    )
    unscored = sum(row["correct"] is None for row in cell.rows)
    size = f"{len(run.plan.tasks)} x {run.plan.runs}{f', {unscored} not scored' if unscored else ''}"
    suite = f"{run.plan.suite} {header.get('suite_version', '')}".strip()
    where = f"{cell.cell.arm}, {cell.cell.condition}"
    certificate = cell.certificate["digest"] or "none"
    return (
        run.path.resolve().name,
        suite,
        str(header.get("world")),
        run.plan.model,
        run.plan.agent,
        where,
        attack,
        size,
        certificate,
    )


def _licence(synthetic: bool) -> list[str]:
    ours = "caia_replay and its synthetic worlds are under the MIT licence, and so is what is ours in these tables."
    theirs = "What a model wrote is under the terms of whoever served it."
    return (
        [ours, theirs] if synthetic else [ours, theirs, "Questions and recordings of other worlds are their authors'."]
    )


def _row(cells: Sequence[Any]) -> str:
    """A row of a Markdown table; names may hold anything, and stay in their cell."""
    texts = (
        " ".join(str(cell).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").split()) for cell in cells
    )
    return f"| {' | '.join(texts)} |"
