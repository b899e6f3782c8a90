"""What recording a task takes, found out without asking anybody: a plan of its requests, calls, keys, time and cost.

Each step of the task's gold chain is looked up in the table of what the tools ask (``plan_calls``). Requests are those
of the recorder: what providers widen the tools' questions to, each once a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from caia_replay.core.provider import Provider
from caia_replay.recording.api_key import KEYS
from caia_replay.recording.capture_request import NO_FORK
from caia_replay.recording.plan_calls import Asked, asked_of, depends, refusal_of
from caia_replay.recording.plan_table import (
    NODE,
    ChainCalls,
    PlannedRequest,
    PlannedTask,
    Status,
    TaskPlan,
    Terms,
    calls_table,
    terms_of,
)
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.every_provider import providers_over

_NO_PROVIDER: Final = "no provider"
_NOT_ANCHORED: Final = "not anchored"
_NO_CHAIN: Final = "no gold chain is known for this question"
_NEEDED: Final = frozenset(key.variable for key in KEYS if key.is_needed)
_WORDS: Final[Mapping[str, str]] = {
    "needs judgement": "its answer needs a judge",
    "answer disputed": "its stated answer is disputed",
}


def plan_tasks(tasks: Iterable[PlannedTask]) -> tuple[TaskPlan, ...]:
    """A plan a task, in their order. Nothing is asked of anybody, and no clock is read. Raises ``BadInput`` for a
    request that plan_terms.toml has no row for."""
    providers = providers_over({})
    return tuple(_plan(task, providers) for task in tasks)


def _plan(task: PlannedTask, providers: Sequence[Provider]) -> TaskPlan:
    asked, nodes = asked_of(task, providers, calls_table())
    priced = [_priced(one, task) for one in asked]
    chain_calls = tuple(ChainCalls(chain, method, count) for (chain, method), count in sorted(nodes.items()))
    follows, refusals = tuple(_follows(task)), tuple(_refusals(task))
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


def _priced(asked: Asked, task: PlannedTask) -> tuple[PlannedRequest, Terms]:
    terms = terms_of(asked.url)
    return PlannedRequest(
        method=asked.method,
        url=asked.url,
        body=asked.body,
        provider=asked.provider,
        exact=asked.exact,
        calls=asked.calls * terms.pages,
        follows="" if asked.exact else _from_where(asked.step, task),
        terms=terms.name,
        tells=terms.tells,
        tier=terms.tier,
    ), terms


def _from_where(number: int, task: PlannedTask) -> str:
    """What the gaps of a step's requests follow from."""
    before = depends(task.gold.steps[number - 1].arguments)
    if before:
        return f"follows step {', '.join(map(str, before))}"
    if task.anchor.timestamp < 0:
        return "follows the block of the anchor, and replies within the step"
    return f"follows earlier replies of step {number}"


def _follows(task: PlannedTask) -> Iterable[str]:
    """Steps that ask something unknown before an earlier one has answered, or compute on what those give."""
    for number, step in enumerate(task.gold.steps, start=1):
        before = depends(step.arguments)
        if before:
            yield f"step {number} ({step.tool}) follows step {', '.join(map(str, before))}"
        elif step.tool == "code_execution":
            yield f"step {number} (code_execution) asks nobody"
        if step.tool in CATALOG and step.tool not in calls_table().rows:
            yield f"step {number} ({step.tool}) asks what plan_calls.toml does not say"


def _refusals(task: PlannedTask) -> Iterable[str]:
    """Steps that the tools' own schemas refuse as they are written."""
    for number, step in enumerate(task.gold.steps, start=1):
        why = refusal_of(step)
        if why:
            yield f"step {number} ({step.tool}): {why}"


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
    parts = [_many(gaps, "request")] * bool(gaps) + [_many(len(follows), "step")] * bool(follows)
    if parts:
        yield f"{' and '.join(parts)} {'follows' if gaps + len(follows) == 1 else 'follow'} from earlier answers"


def _is_unknown(task: PlannedTask) -> bool:
    return not task.why_not and not (task.gold.steps and task.gold.result)


def _amount(requests: Sequence[PlannedRequest], chain_calls: Sequence[ChainCalls]) -> str:
    if not requests and not chain_calls:
        return "nothing is asked of anybody"
    parts = [_many(len(requests), "request")] if requests else []
    by_chain: dict[str, int] = {}
    for call in chain_calls:
        by_chain[call.chain] = by_chain.get(call.chain, 0) + call.calls
    parts += [f"{_many(count, 'call')} of {chain}'s node" for chain, count in sorted(by_chain.items())]
    return " and ".join(parts)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
