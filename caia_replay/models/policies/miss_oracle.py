"""The miss oracle: answers from coverage alone, to show whether what a world holds betrays its answers.

It draws candidates of the right type, as ``random`` does, puts those beside them that stand in the question, and asks
the tools about each: a height's block, an address' balance, a day's price. Of every reply it sees one bit: whether it
was served or not. It submits a candidate that most was served about. It must not score more than ``random``: a world
that covers little else than the way to its answers would let it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.conversation import (
    Wire,
    answer_message,
    calls_message,
    is_error,
    offered,
    tool_results,
)
from caia_replay.models.policies.question import AskedAt, Named, asked_at, named_in
from caia_replay.models.policies.random_answer import BOOLEANS, drawn_answer, with_unit

PROBES = 12
"""Calls of one run, all in one message."""

DRAWN = 6
"""Candidates drawn; the others stand in the question."""

Probe = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


class MissOraclePolicy:
    """One message of probes, then the candidate whose probes were served most; ties are drawn."""

    def __init__(self, brief: PolicyHints, key: RunKey, seed: int) -> None:
        self._brief = brief
        self._drawn_from = ("policy/miss-oracle", seed, key.task, key.attempt)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Probe, or answer."""
        known, moment, named = offered(tools), asked_at(messages), named_in(self._brief.question)
        chance = Chance(*self._drawn_from)
        candidates = _candidates(self._brief, named, moment, chance)
        probes = [
            (candidate, probe)
            for candidate in candidates
            for probe in _of(candidate, self._brief, named, moment)
            if probe[0] in known
        ][:PROBES]
        served = [not is_error(result) for result in tool_results(messages)]
        if probes and not served:
            return calls_message([(tool, arguments, known[tool]) for _, (tool, arguments) in probes], 1)
        scores = dict.fromkeys(candidates, 0)
        for (candidate, _), was_served in zip(probes, served):
            scores[candidate] += was_served
        if self._brief.kind == "boolean":
            return answer_message(_whether(served, chance))
        most = max(scores.values())
        return answer_message(chance.pick([candidate for candidate, score in scores.items() if score == most]))


def _whether(served: Sequence[bool], chance: Chance) -> str:
    """Yes where most of what a question names is covered, else no; drawn where nothing could be asked."""
    if not served:
        return chance.pick(BOOLEANS)
    return "yes" if 2 * sum(served) >= len(served) else "no"


def _candidates(brief: PolicyHints, named: Named, moment: AskedAt, chance: Chance) -> list[str]:
    """Answers to choose from, each once: what of the right type stands in the question, then what is drawn.

    For yes and no it is what the question names, whose coverage is to speak for the answer.
    """
    if brief.kind == "boolean":
        return [*named.addresses, *named.hashes, *named.sites, *named.words]
    standing: Sequence[str] = {
        "number": [with_unit(number, brief.unit) for number in named.numbers],
        "date": named.days,
        "address": named.addresses,
        "hash": named.hashes,
        "url": named.sites,
        "text": named.words,
    }.get(brief.kind or "number", ())
    drawn = [drawn_answer(brief, named, moment, chance) for _ in range(DRAWN)]
    return list(dict.fromkeys([*standing[: PROBES - DRAWN], *drawn]))


def _of(candidate: str, brief: PolicyHints, named: Named, moment: AskedAt) -> list[Probe]:
    """What to ask about one candidate, so that its being served speaks for it; a search is served whatever is asked."""
    if candidate in named.addresses or brief.kind == "address":
        return [("balance_query", {"address": candidate})]
    if candidate in named.hashes or brief.kind == "hash":
        return [("transaction_query", {"hash": candidate})]
    if candidate in named.sites or brief.kind == "url":
        return [("url_fetching", {"url": candidate})]
    if brief.kind in ("date", "time"):
        return [("price_feed", {"asset": named.ticker, "at": candidate}), ("block_query", {"time": candidate})]
    if brief.kind in ("number", None):
        figure = candidate.split(" ")[0].rstrip("%")
        is_height = figure.isdigit() and int(figure) <= moment.block
        return [("block_query", {"block": int(figure)})] if is_height else []
    return [("price_feed", {"asset": candidate}), ("protocol_metrics", {"protocol": candidate})]
