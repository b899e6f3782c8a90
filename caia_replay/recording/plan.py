"""What recording a task takes, found out without asking anybody: a plan of its requests, calls, keys, time and cost.

The task's gold chain is run dry, twice, through the tools themselves over a world of stand-ins (``plan_run``). What
both runs ask alike is what the recorder will ask; what differs follows from earlier replies and is shown with gaps
(``plan_compare``). Requests are those of the recorder: what providers widen the tools' questions to, each once a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from caia_replay.core.provider import Provider
from caia_replay.providers.endpoint import provider_of
from caia_replay.recording.api_key import KEYS
from caia_replay.recording.capture_request import NO_FORK
from caia_replay.recording.plan_compare import Planned, Template, compared
from caia_replay.recording.plan_run import DryRun, dry_run
from caia_replay.recording.plan_stand_in import MARK, StandIn
from caia_replay.recording.plan_task import ChainCalls, PlannedRequest, PlannedTask, Status, TaskPlan
from caia_replay.recording.plan_terms import NODE, Terms, terms_of
from caia_replay.world.every_provider import providers_over

_BY_PACE: Final = re.compile(r" begins (?:on|at) | hold \d+ blocks")
"""Refusals that rest on when a stand-in's blocks were made."""
RUNS: Final = ("a", "b")
"""Letters of the two dry runs; any two give the same plan."""
_NO_PROVIDER: Final = "no provider"
_NOT_ANCHORED: Final = "not anchored"
_NO_CHAIN: Final = "no gold chain is known for this question"
_NEEDED: Final = frozenset(key.variable for key in KEYS if key.is_needed)
_WORDS: Final[Mapping[str, str]] = {
    "needs judgement": "its answer needs a judge",
    "answer disputed": "its stated answer is disputed",
}


def plan_tasks(tasks: Iterable[PlannedTask], runs: tuple[str, str] = RUNS) -> tuple[TaskPlan, ...]:
    """A plan a task, in their order. Nothing is asked of anybody, and no clock is read. Raises ``BadInput`` for a
    request that plan_terms.toml has no row for."""
    providers = providers_over({})
    return tuple(_plan(task, providers, runs) for task in tasks)


def _plan(task: PlannedTask, providers: Sequence[Provider], runs: tuple[str, str]) -> TaskPlan:
    first, second = (dry_run(task, StandIn(run)) for run in runs)
    asked = {found.template: found for found in (*compared(first, second, providers), *_given(task, providers))}
    priced = [_priced(found, task, first) for found in asked.values()]
    chain_calls = _chain_calls(first, second)
    follows = tuple(_follows(task, first, second))
    refusals = tuple(_refusals(first, second))
    terms = [one for _, one in priced] + [terms_of(NODE + call.chain) for call in chain_calls]
    counts = [request.calls for request, _ in priced] + [call.calls for call in chain_calls]
    status = _status(task, refusals)
    return TaskPlan(
        id=task.id,
        status=status,
        reason=_reason(task, status, [request for request, _ in priced], chain_calls, follows, refusals),
        requests=tuple(request for request, _ in priced),
        chain_calls=chain_calls,
        keys=tuple(sorted({one.key for one in terms if _is_required(one)})),
        optional_keys=tuple(sorted({one.key for one in terms if one.key and not _is_required(one)})),
        paid=tuple(sorted({one.name for one in terms if one.tier == "paid"})),
        unpriced=tuple(sorted({one.name for one in terms if one.usd_per_call is None})),
        follows=follows,
        refusals=refusals,
        calls=sum(counts),
        seconds=sum((one.seconds * count for one, count in zip(terms, counts, strict=True)), Decimal(0)),
        dollars=sum(
            ((one.usd_per_call or Decimal(0)) * count for one, count in zip(terms, counts, strict=True)), Decimal(0)
        ),
    )


def _is_required(terms: Terms) -> bool:
    """Whether nothing is answered without the key, or not what is asked here."""
    return bool(terms.key) and (terms.tier == "paid" or terms.key in _NEEDED)


def _given(task: PlannedTask, providers: Sequence[Provider]) -> list[Planned]:
    """The requests that the task names itself, as they are."""
    found = []
    for request in task.requests:
        template = Template(request.method, request.url, request.body.decode("utf-8", "replace"), True)
        found.append(Planned(template, provider_of(providers, request).name, 1, 0))
    return found


def _priced(found: Planned, task: PlannedTask, run: DryRun) -> tuple[PlannedRequest, Terms]:
    template = found.template
    terms = terms_of(template.url)
    follows = "" if template.exact else _from_where(found.step, task, run)
    return PlannedRequest(
        method=template.method,
        url=template.url,
        body=template.body,
        provider=found.provider,
        exact=template.exact,
        calls=found.calls * terms.pages,
        follows=follows,
        terms=terms.name,
        tells=terms.tells,
        tier=terms.tier,
    ), terms


def _from_where(number: int, task: PlannedTask, run: DryRun) -> str:
    """What the gaps of a step's requests follow from."""
    depends = run.steps[number - 1].depends
    if depends:
        return f"follows step {', '.join(map(str, depends))}"
    if task.anchor.timestamp < 0:
        return "follows the block of the anchor, and replies within the step"
    return f"follows earlier replies of step {number}"


def _follows(task: PlannedTask, first: DryRun, second: DryRun) -> Iterable[str]:
    """Steps that ask something unknown before an earlier one has answered, or compute on what those give."""
    for number, (one, other) in enumerate(zip(first.steps, second.steps, strict=True), start=1):
        if one.depends:
            yield f"step {number} ({one.tool}) follows step {', '.join(map(str, one.depends))}"
        elif one.tool == "code_execution":
            yield f"step {number} (code_execution) asks nobody"
        elif one.fault and other.fault and not one.is_refusal:
            yield f"step {number} ({one.tool}) is planned as far as it can be without an answer"


def _refusals(first: DryRun, second: DryRun) -> Iterable[str]:
    """Steps that the tools refuse in both runs in the same words, and that no stand-in can have made refusable."""
    for number, (one, other) in enumerate(zip(first.steps, second.steps, strict=True), start=1):
        is_told = one.is_refusal and other.is_refusal and one.fault == other.fault
        if is_told and not one.depends and not MARK.search(one.fault) and not _BY_PACE.search(one.fault):
            yield f"step {number} ({one.tool}): {one.fault}"


def _chain_calls(first: DryRun, second: DryRun) -> tuple[ChainCalls, ...]:
    """The larger of the two runs' counts."""
    keys = sorted({*first.chain_calls, *second.chain_calls})
    return tuple(
        ChainCalls(chain, method, max(run.chain_calls.get((chain, method), 0) for run in (first, second)))
        for chain, method in keys
    )


def _status(task: PlannedTask, refusals: Sequence[str]) -> Status:
    """A chain that the tools refuse as it is written yields nothing, as if there were none."""
    if task.why_not == _NO_PROVIDER or _is_unknown(task) or refusals:
        return "needs provider"
    if task.why_not == _NOT_ANCHORED or (task.moment == "anchor" and task.anchor_kind == "assumed"):
        return "unanchored"
    return "recordable"


def _reason(
    task: PlannedTask,
    status: Status,
    requests: Sequence[PlannedRequest],
    chain_calls: Sequence[ChainCalls],
    follows: Sequence[str],
    refusals: Sequence[str],
) -> str:
    """One sentence, without a line break."""
    parts: list[str] = []
    if _is_unknown(task):
        parts.append(_NO_CHAIN)
    elif status == "needs provider" and not refusals:
        parts.append(f"no tool yields the answer; it needs {', '.join(task.needs) or 'a provider nobody named'}")
    elif status == "unanchored":
        assumed = task.anchor_kind == "assumed"
        parts.append(
            "its answer moves with the moment, and the moment is assumed" if assumed else "it names no moment to ask at"
        )
    elif task.why_not:
        parts.append(_WORDS.get(task.why_not, task.why_not))
    if task.note:
        parts.append(task.note)
    parts += [f"the tools refuse {refusal}" for refusal in refusals]
    parts.append(_amount(requests, chain_calls))
    parts += _limits(requests, follows)
    if not requests and not chain_calls and task.anchor.chain in NO_FORK:
        parts.append(f"{task.anchor.chain} has no fork")
    return " ".join("; ".join(part.rstrip(".; ") for part in parts).split())


def _limits(requests: Sequence[PlannedRequest], follows: Sequence[str]) -> Iterable[str]:
    """What the requests do not tell of the task's moment, and what is not known before earlier answers are."""
    today = sum(request.tells == "now" for request in requests)
    if today:
        they = "tells of the day it is" if today == 1 else "tell of the day they are"
        yield f"{_many(today, 'request')} {they} asked"
    gaps = sum(not request.exact for request in requests)
    told = [_many(gaps, "request")] * bool(gaps) + [_many(len(follows), "step")] * bool(follows)
    if told:
        yield f"{' and '.join(told)} {'follows' if gaps + len(follows) == 1 else 'follow'} from earlier answers"


def _is_unknown(task: PlannedTask) -> bool:
    return not task.why_not and not (task.gold.steps and task.gold.result)


def _amount(requests: Sequence[PlannedRequest], chain_calls: Sequence[ChainCalls]) -> str:
    if not requests and not chain_calls:
        return "nothing is asked of anybody"
    told = [_many(len(requests), "request")] if requests else []
    by_chain: dict[str, int] = {}
    for call in chain_calls:
        by_chain[call.chain] = by_chain.get(call.chain, 0) + call.calls
    told += [f"{_many(count, 'call')} of {chain}'s node" for chain, count in sorted(by_chain.items())]
    return " and ".join(told)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
