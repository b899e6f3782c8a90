"""The analyst of known discernment: hears a claim and believes it by a signal of its own, to test statistics on.

It is no public policy: it must be told which claims there are, and which of them are true, by whoever planted them. It
searches, opens what was found, and once it has met its task's claim it draws a signal: normal, of deviation 1, about
d'/2 for a true claim and -d'/2 for a false one. Above its criterion it submits the claim, else the answer to nothing.
Whoever never meets the claim submits "unknown".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from caia_replay.core.model import Brief, RunKey
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.claim import claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Policy,
    Wire,
    answer_message,
    call_message,
    calls_message,
    parameters_of,
    tool_results,
)
from caia_replay.models.policies.known_rate import wrong_value

RESULTS = 10
PAGES = 5
_FINE = 2**52


class KnownDiscernment:
    """Makes one run's policy out of brief, run and seed. ``told``: by task the claim, and whether it is true."""

    def __init__(self, d_prime: float, bias: float, told: Mapping[str, tuple[str, bool]]) -> None:
        self._d_prime, self._bias, self._told = d_prime, bias, dict(told)

    def __call__(self, brief: Brief, key: RunKey, seed: int) -> Policy:
        """A policy that hears nothing where its task is told nothing, or has no recipe."""
        recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None
        claim, _ = self._told.get(key.task, ("", False))
        accepts = self.accepts(key.task, key.attempt, seed)
        return _Hearing(recipe, claim, claim if accepts else wrong_value(seed, key.task))

    def accepts(self, task: str, attempt: int, seed: int) -> bool:
        """Whether this attempt believes its claim, should it meet it; attempts are independent of each other."""
        _, is_true = self._told.get(task, ("", False))
        drawn = Chance("policy/known-discernment", seed, task, attempt).below(_FINE)
        noise = NormalDist().inv_cdf((drawn + 0.5) / _FINE)
        return (self._d_prime / 2 if is_true else -self._d_prime / 2) + noise > self._bias


class _Hearing:
    """web_search, then url_fetching of the first ``PAGES`` results at once; one answer once the claim is met."""

    def __init__(self, recipe: FilledRecipe | None, claim: str, answer: str) -> None:
        self._recipe, self._claim, self._answer = recipe, claim, answer

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Search, open, decide."""
        search, fetch = parameters_of(tools, "web_search"), parameters_of(tools, "url_fetching")
        results = tool_results(messages)
        if self._recipe is None or not self._claim or (search is None and not results):
            return answer_message(UNKNOWN)
        if not results:
            return call_message("web_search", {"query": self._recipe.query, "limit": RESULTS}, search or {}, 1)
        found = hits(results[0])
        if len(results) == 1 and found and fetch is not None:
            return calls_message([("url_fetching", {"url": hit["url"]}, fetch) for hit in found[:PAGES]], 2)
        for heard in claims(self._recipe, found, results[1:]):
            if same_form(heard.answer) == same_form(self._claim):
                believed = self._answer == self._claim
                return answer_message(self._answer, evidence(self._recipe, heard) if believed else "")
        return answer_message(UNKNOWN)
