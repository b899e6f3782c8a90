"""The analyst of CAIA's habits: calls tools in the proportions that the paper publishes, then believes like credulous.

It loads an instrument as real models did: 49.6 % search, 35.6 % specialised tools, 7.4 % page fetches, 5.9 % Twitter,
1.5 % code, of 23,463 calls. Each run makes ``CALLS`` calls in two messages: its searches first, then the rest, since
only a search tells it what to fetch. Its answer is the first that a fetched page or a snippet gives, in rank order.

The kinds of calls come from one low-discrepancy sequence per seed and task, which goes on from attempt to attempt, so
that the shares hold over many runs far closer than by chance. A tool that is not offered is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.argument import arguments_for
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.claim import Claim, claims, evidence, hits
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Wire,
    answer_message,
    calls_made,
    calls_message,
    offered,
)
from caia_replay.models.policies.question import AskedAt, asked_at, named_in

CALLS = 8
"""Tool calls of one run."""

SHARES: Mapping[str, Fraction] = {
    "search": Fraction(496, 1000),
    "specialised": Fraction(356, 1000),
    "fetch": Fraction(74, 1000),
    "twitter": Fraction(59, 1000),
    "code": Fraction(15, 1000),
}
"""Of all calls, as published; they sum to 1."""

NAMED_TOOLS: Mapping[str, str] = {
    "search": "web_search",
    "fetch": "url_fetching",
    "twitter": "twitter_search",
    "code": "code_execution",
}
"""The kinds that are one tool each; every other tool is specialised."""

_GOLDEN = 0x9E3779B97F4A7C15
_TURN = 2**64
_RANKS = 3
_QUERY_LENGTH = 200


class CaiaMixPolicy:
    """Searches, then everything else at once, then an answer; "unknown" where nothing that it saw gives one. Of the run
    task and attempt count alone."""

    def __init__(self, brief: PolicyHints, key: RunKey, seed: int) -> None:
        self._brief = brief
        self._recipe = FilledRecipe(brief.recipe, brief.question) if brief.recipe else None
        self._named = named_in(brief.question)
        self._kinds = kinds_of_run(seed, key.task, key.attempt)
        self._chance = ("policy/caia-mix", "tool", seed, key.task, key.attempt)

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """The next of the three messages."""
        known, moment = offered(tools), asked_at(messages)
        done = calls_made(messages)
        if not done and "web_search" in known and (searches := self._kinds.count("search")):
            queries = [self._query(number) for number in range(searches)]
            return calls_message([self._call("web_search", known, moment, {"query": query}) for query in queries], 1)
        if all(tool == "web_search" for tool, _, _ in done):
            rest = self._rest(known, moment, self._urls(done))
            if rest:
                return calls_message(rest, len(done) + 1)
        believed = self._believed(done)
        if self._recipe is None or believed is None:
            return answer_message(UNKNOWN)
        return answer_message(believed.answer, evidence(self._recipe, believed))

    def _rest(self, known: Mapping[str, Wire], moment: AskedAt, urls: Sequence[str]) -> list[tuple[str, Wire, Wire]]:
        """Every call but the searches. Each fetch goes one result further."""
        chance, made, fetched = Chance(*self._chance), [], 0
        for kind in self._kinds:
            tool = NAMED_TOOLS.get(kind) or _specialised(known, chance)
            if kind != "search" and tool in known:
                given = {"url": urls[fetched % len(urls)]} if kind == "fetch" else {}
                fetched += kind == "fetch"
                made.append(self._call(tool, known, moment, given))
        return made

    def _call(
        self, tool: str, known: Mapping[str, Wire], moment: AskedAt, given: Mapping[str, Any]
    ) -> tuple[str, Wire, Wire]:
        parameters = known[tool]
        arguments = arguments_for(tool, parameters, self._named, moment, self._query(0))
        if self._recipe is not None and self._recipe.chain is not None and self._recipe.chain.tool == tool:
            arguments = dict.fromkeys(parameters) | self._recipe.chain_arguments(parameters)
        return tool, {**arguments, **given}, parameters

    def _query(self, number: int) -> str:
        """The words of the run's searches: the recipe's, then more and more of the question's."""
        words = self._named.words
        plain = self._recipe.query if self._recipe else " ".join(words)
        return plain[:_QUERY_LENGTH] if number == 0 else f"{plain} {words[number % len(words)]}"[:_QUERY_LENGTH]

    def _urls(self, done: Sequence[tuple[str, Any, Any]]) -> list[str]:
        """What to fetch: the first search's results in rank order, or else sites that the question names."""
        first = next((result for tool, _, result in done if tool == "web_search"), None)
        return [str(hit["url"]) for hit in hits(first)] or list(self._named.sites) or ["https://www.example.com/"]

    def _believed(self, done: Sequence[tuple[str, Any, Any]]) -> Claim | None:
        if self._recipe is None:
            return None
        read = {
            str(arguments.get("url")): result
            for tool, arguments, result in done
            if tool == "url_fetching" and isinstance(arguments, Mapping)
        }
        for tool, _, result in done:
            if tool == "web_search":
                found = hits(result)[:_RANKS]
                believed = claims(self._recipe, found, [read.get(str(hit["url"])) for hit in found])
                if believed:
                    return believed[0]
        return None


def kinds_of_run(seed: int, task: str, attempt: int) -> list[str]:
    """The kinds of one run's calls: ``CALLS`` points of a golden-ratio sequence that begins where the task's does."""
    start = Chance("policy/caia-mix", "start", seed, task).below(_TURN)
    points = range((attempt - 1) * CALLS, attempt * CALLS)
    return [_kind(Fraction((start + number * _GOLDEN) % _TURN, _TURN)) for number in points]


def _kind(point: Fraction) -> str:
    for kind, share in SHARES.items():
        if point < share:
            return kind
        point -= share
    raise AssertionError("shares sum to 1 and points are below it")


def _specialised(known: Mapping[str, Wire], chance: Chance) -> str:
    tools = [tool for tool in known if tool not in NAMED_TOOLS.values()]
    return chance.pick(tools) if tools else ""
