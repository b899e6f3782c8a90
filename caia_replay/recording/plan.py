"""What recording a task takes, found out without asking anybody: a plan of its requests, calls, keys, time and cost.

Each step of the task's gold chain is looked up in the table of what the tools ask (``plan_calls``). Requests are those
of the recorder: what providers widen the tools' questions to, each once a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from caia_replay.core.provider import HttpRequest, Provider
from caia_replay.providers.dune.provider import NAME as DUNE
from caia_replay.providers.dune.provider import why_not_later
from caia_replay.providers.endpoint import provider_of
from caia_replay.recording.api_key import KEYS
from caia_replay.recording.capture_request import NO_FORK
from caia_replay.recording.plan_calls import Asked, asked_of, depends, refusal_of
from caia_replay.recording.plan_table import (
    GAP,
    NODE,
    ChainCalls,
    Grade,
    PlannedRequest,
    PlannedTask,
    Status,
    TaskPlan,
    Terms,
    calls_table,
    terms_of,
)
from caia_replay.tools.argument import DAY_S
from caia_replay.tools.catalog import CATALOG
from caia_replay.world.every_provider import providers_over

_NO_PROVIDER: Final = "no provider"
_NOT_ANCHORED: Final = "not anchored"
_NO_CHAIN: Final = "no gold chain is known for this question"
_DATED_BY_THEMSELVES: Final = frozenset({"search_api", "reader", "web_archive"})
_PAGES: Final = frozenset({"web_search", "url_fetching", "twitter_search", "social_stream"})
_NEEDED: Final = frozenset(key.variable for key in KEYS if key.is_needed)
_WORDS: Final[Mapping[str, str]] = {
    "needs judgement": "its answer needs a judge",
    "answer disputed": "its stated answer is disputed",
}


def plan_tasks(tasks: Iterable[PlannedTask], today: int) -> tuple[TaskPlan, ...]:
    """A plan a task, in their order, for a recording on the day of ``today`` (Unix seconds): vendors' histories end
    so many days before it. Nothing is asked of anybody, and no clock is read. Raises ``BadInput`` for a request that
    plan_terms.toml has no row for."""
    providers = providers_over({})
    return tuple(_plan(task, providers, today) for task in tasks)


def _plan(task: PlannedTask, providers: Sequence[Provider], today: int) -> TaskPlan:
    asked, nodes = asked_of(task, providers, calls_table())
    priced = [_priced(one, task, providers, today) for one in asked]
    chain_calls = tuple(ChainCalls(chain, method, count) for (chain, method), count in sorted(nodes.items()))
    follows, refusals = tuple(_follows(task)), tuple(_refusals(task))
    terms = [one for _, one in priced] + [terms_of(NODE + call.chain) for call in chain_calls]
    counts = [request.calls for request, _ in priced] + [call.calls for call in chain_calls]
    lost = [request for request, _ in priced if request.is_lost or request.history_days is not None]
    status = _status(task, refusals, lost)
    return TaskPlan(
        id=task.id,
        status=status,
        grade=_grade(task),
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


def _priced(asked: Asked, task: PlannedTask, providers: Sequence[Provider], today: int) -> tuple[PlannedRequest, Terms]:
    begins = asked.begins if asked.begins is not None else task.anchor.timestamp
    days = max(0, today - begins) / DAY_S if begins >= 0 else 0.0
    terms = terms_of(asked.url, days)
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
        is_lost=asked.needed and _is_lost(asked, terms, task.anchor.timestamp, providers),
        history_days=None if terms.reaches(days) or not asked.needed else terms.history_days,
    ), terms


def _is_lost(asked: Asked, terms: Terms, moment: int, providers: Sequence[Provider]) -> bool:
    """Whether replay finds nothing of an earlier moment in a reply of a later day. Pages say themselves when they were
    out, so that only their recording tells; a statement's own words say until when it reads."""
    request = HttpRequest(asked.method, asked.url.replace(GAP, "0"), asked.body.encode())
    if asked.provider == DUNE:
        return GAP not in asked.body and bool(why_not_later(request, moment if moment >= 0 else None))
    if terms.tells != "now" or asked.provider in _DATED_BY_THEMSELVES:
        return False
    return provider_of(providers, request).as_of(request) is None


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


def _grade(task: PlannedTask) -> Grade:
    if task.why_not or task.is_open or _is_unknown(task):
        return "judge"
    return "pages" if any(step.tool in _PAGES for step in task.gold.steps) else "rule"


def _status(task: PlannedTask, refusals: Sequence[str], lost: Sequence[PlannedRequest]) -> Status:
    """A chain that the tools refuse as it is written yields nothing, as if there were none. One that asks for figures
    of the day it is recorded will miss."""
    if task.why_not == _NO_PROVIDER or _is_unknown(task) or refusals:
        return "needs provider"
    if task.why_not == _NOT_ANCHORED or (task.moment == "anchor" and task.anchor_kind == "assumed"):
        return "unanchored"
    return "will miss" if lost else "recordable"


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
    parts += [
        f"a later reply of {request.url.partition('?')[0]} tells nothing of its moment"
        for request in requests
        if request.is_lost
    ]
    parts += [
        f"{request.terms} end {request.history_days} days before a recording, and {request.url.partition('?')[0]} is "
        "asked for what was earlier"
        for request in requests
        if request.history_days is not None
    ]
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
