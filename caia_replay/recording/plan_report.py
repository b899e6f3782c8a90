"""A recording plan for people and for programs: one unwrapped line a task, and what all of them take together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final, get_args

from caia_replay.providers.plain_http.provider import NAME as PLAIN_HTTP
from caia_replay.recording.api_key import HOSTS
from caia_replay.recording.plan_table import Grade, Status, TaskPlan, Terms, all_terms

_MINUTE_S: Final = 60
_HOUR_S: Final = 3_600
_CENT: Final = Decimal("0.01")
_BUDGETS_USD: Final = (0, 100)


def plan_lines(plans: Sequence[TaskPlan]) -> list[str]:
    """A line a task, beginning with its id and status, then the summary. No line has a break in it."""
    return [*map(_line, plans), *_summary(plans)]


def plan_json(plans: Sequence[TaskPlan]) -> dict[str, Any]:
    """``tasks`` with every request, and ``summary``; numbers that are not whole are exact decimal texts."""
    return {"tasks": [plan.plain() for plan in plans], "summary": _totals(plans)}


def affordable(plans: Sequence[TaskPlan], budget_usd: Decimal) -> tuple[list[TaskPlan], Decimal]:
    """The recordable tasks that a budget pays for, in their order, and what they cost together in US dollars.

    A vendor's plan is paid once, for a month. Tasks are taken by what each adds to the bill, the cheapest first. Terms
    without a price are not affordable, whatever the budget.
    """
    months = {one.name: one.usd_a_month for one in all_terms()}
    left = [
        plan for plan in plans if plan.status == "recordable" and not any(months[name] is None for name in plan.paid)
    ]
    taken: set[str] = set()
    paid: set[str] = set()
    spent = Decimal(0)

    def added(plan: TaskPlan) -> Decimal:
        return plan.dollars + sum((months[name] or Decimal(0) for name in plan.paid if name not in paid), Decimal(0))

    while left:
        plan = min(left, key=added)
        if spent + added(plan) > budget_usd:
            break
        spent += added(plan)
        paid.update(plan.paid)
        taken.add(plan.id)
        left.remove(plan)
    return [plan for plan in plans if plan.id in taken], spent


def duration_text(seconds: Decimal) -> str:
    """A length of time as people say it: ``40 s``, ``3 min``, ``2.5 h``."""
    if seconds < 2 * _MINUTE_S:
        return f"{seconds.to_integral_value(ROUND_HALF_EVEN)} s"
    if seconds < 2 * _HOUR_S:
        return f"{(seconds / _MINUTE_S).to_integral_value(ROUND_HALF_EVEN)} min"
    return f"{(seconds / _HOUR_S).quantize(Decimal('0.1'))} h"


def _line(plan: TaskPlan) -> str:
    cost = f", {_dollars(plan)}" if plan.paid else ""
    keys = f"; {', '.join(plan.keys)}" if plan.keys else ""
    effort = f"; {_calls(plan.calls)}, {duration_text(plan.seconds)}{cost}{keys}" if plan.calls else ""
    return _flat(f"{plan.id} {plan.status}: {plan.reason}{effort}")


def _summary(plans: Sequence[TaskPlan]) -> list[str]:
    totals = _totals(plans)
    lines = [f"{len(plans)} tasks: {', '.join(f'{count} {status}' for status, count in totals['statuses'].items())}"]
    for budget, found in totals["budgets"].items():
        what = "free keys and a node" if budget == "0" else f"{budget} USD"
        lines.append(
            f"with {what}: {found['rule']} tasks whose answer is proven by rule, {found['pages']} more if pages that "
            f"tell it are found, {found['judge']} for a judge; {_money(Decimal(found['usd']))} USD"
        )
    if totals["hosts_without_provider"]:
        lines.append(f"no provider speaks for: {_tasks(totals['hosts_without_provider'])}")
    if totals["refused"]:
        lines.append(f"refused by the tools as they are written: {'; '.join(totals['refused'])}")
    lines += [f"key {name}: {_ids(ids)}" for name, ids in totals["keys"].items()]
    lines += [f"key {name}, for a better pace: {_ids(ids)}" for name, ids in totals["optional_keys"].items()]
    for name, found in totals["paid"].items():
        price = "no price by the call is published" if found["usd"] is None else f"{_money(Decimal(found['usd']))} USD"
        lines.append(f"paid {name}: {found['why']}: {_calls(found['calls'])}, {price}: {_ids(found['tasks'])}")
    unpriced = [name for name, found in totals["paid"].items() if found["usd"] is None]
    without = f", without {', '.join(unpriced)}" if unpriced else ""
    lines.append(
        f"in all {_calls(totals['calls'])} ({totals['requests']} requests, {totals['different_requests']} different), "
        f"{duration_text(Decimal(totals['seconds']))} at the vendors' pace, "
        f"{_money(Decimal(totals['dollars']))} USD{without}; terms as of {totals['terms_as_of']}, "
        "counts of pages and of nodes' calls are estimates"
    )
    return [_flat(line) for line in lines]


def _totals(plans: Sequence[TaskPlan]) -> dict[str, Any]:
    """What all plans take together, each task for itself."""
    terms = {one.name: one for one in all_terms()}
    statuses = Counter(plan.status for plan in plans)
    requests = [request for plan in plans for request in plan.requests]
    return {
        "statuses": {status: statuses[status] for status in get_args(Status)},
        "budgets": {str(budget): _budget(plans, Decimal(budget)) for budget in _BUDGETS_USD},
        "keys": _grouped(plans, lambda plan: plan.keys),
        "optional_keys": _grouped(plans, lambda plan: plan.optional_keys),
        "paid": {name: _paid(terms[name], plans, ids) for name, ids in _grouped(plans, lambda plan: plan.paid).items()},
        "hosts_without_provider": _grouped(plans, _strange_hosts),
        "refused": [f"{plan.id} {refusal}" for plan in plans for refusal in plan.refusals],
        "requests": len(requests),
        "different_requests": len({(one.method, one.url, one.body) for one in requests}),
        "calls": sum(plan.calls for plan in plans),
        "seconds": str(sum((plan.seconds for plan in plans), Decimal(0))),
        "dollars": str(sum((plan.dollars for plan in plans), Decimal(0))),
        "terms_as_of": max(one.date for one in all_terms()),
    }


def _budget(plans: Sequence[TaskPlan], usd: Decimal) -> dict[str, Any]:
    found, spent = affordable(plans, usd)
    return {**{grade: sum(plan.grade == grade for plan in found) for grade in get_args(Grade)}, "usd": str(spent)}


def _paid(terms: Terms, plans: Sequence[TaskPlan], ids: Sequence[str]) -> dict[str, Any]:
    calls = sum(request.calls for plan in plans for request in plan.requests if request.terms == terms.name)
    if terms.key == "CAIA_REPLAY_RPC_URL":
        calls = sum(call.calls for plan in plans for call in plan.chain_calls)
    usd = None if terms.usd_per_call is None else str(terms.usd_per_call * calls)
    return {"why": terms.why, "calls": calls, "usd": usd, "source": terms.source, "tasks": list(ids)}


def _strange_hosts(plan: TaskPlan) -> Iterable[str]:
    """Hosts that no provider speaks for and that the recorder does not reach."""
    hosts = (one.url.split("/")[2] for one in plan.requests if one.provider == PLAIN_HTTP)
    return (host for host in hosts if host not in HOSTS)


def _grouped(plans: Sequence[TaskPlan], of: Callable[[TaskPlan], Iterable[str]]) -> dict[str, list[str]]:
    """Task ids by each of a plan's names, sorted by name."""
    found: dict[str, list[str]] = {}
    for plan in plans:
        for name in dict.fromkeys(of(plan)):
            found.setdefault(name, []).append(plan.id)
    return dict(sorted(found.items()))


def _flat(text: str) -> str:
    """On one line however long it is, control characters replaced."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(text.split()))


def _dollars(plan: TaskPlan) -> str:
    if plan.dollars:
        return f"{_money(plan.dollars)} USD{' and more' if plan.unpriced else ''}"
    return "no published price" if plan.unpriced else "0.00 USD"


def _money(usd: Decimal) -> str:
    return f"{usd.quantize(_CENT)}" if usd >= _CENT or not usd else f"under {_CENT}"


def _calls(count: int) -> str:
    return f"{count:,} call{'' if count == 1 else 's'}"


def _ids(ids: Sequence[str]) -> str:
    return f"{len(ids)} task{'' if len(ids) == 1 else 's'}: {', '.join(ids)}"


def _tasks(groups: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{name} ({', '.join(ids)})" for name, ids in groups.items())
