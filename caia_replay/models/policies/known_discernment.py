"""The analyst of known discernment: hears a claim and believes it by a signal of its own, to test statistics on.

It is no public policy: it must be told which claims there are, and which of them are true, by whoever planted them. It
searches the web and the posts, opens what was found, and once it has met its task's claim it draws a signal: normal, of
deviation 1, about d'/2 for a true claim and -d'/2 for a false one. Above its criterion it submits the claim, else the
answer to nothing. Whoever never meets the claim submits "unknown".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.recipe import FilledRecipe
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.claim import Claim, claims, evidence, hits, same_form
from caia_replay.models.policies.conversation import (
    UNKNOWN,
    Policy,
    Wire,
    answer_message,
    calls_message,
    is_error,
    parameters_of,
    tool_results,
)
from caia_replay.models.policies.known_rate import wrong_value

RESULTS = 10
PAGES = 5
ACCOUNTS = 3
_WEB = "web_search"
_POSTS = "twitter_search"
_FINE = 2**52


class KnownDiscernment:
    """Makes one run's policy out of brief, run and seed. ``told``: by task the claim, and whether it is true."""

    def __init__(self, d_prime: float, bias: float, fields: Mapping[str, tuple[str, bool]]) -> None:
        self._d_prime, self._bias, self._told = d_prime, bias, dict(fields)

    def __call__(self, brief: PolicyHints, key: RunKey, seed: int) -> Policy:
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
    """Searches the web and the posts, then opens the first ``PAGES`` results and ``ACCOUNTS`` accounts at once; one
    answer once the claim is met."""

    def __init__(self, recipe: FilledRecipe | None, claim: str, answer: str) -> None:
        self._recipe, self._claim, self._answer = recipe, claim, answer

    def respond(self, messages: Sequence[Wire], tools: Sequence[Wire]) -> dict[str, Any]:
        """Search, open, decide."""
        results = tool_results(messages)
        if self._recipe is None or not self._claim:
            return answer_message(UNKNOWN)
        searches = [
            (name, {"query": self._recipe.query, "limit": RESULTS}, parameters)
            for name in (_WEB, _POSTS)
            if (parameters := parameters_of(tools, name)) is not None
        ]
        if len(results) < len(searches):
            return calls_message(searches, 1)
        found = {name: result for (name, _, _), result in zip(searches, results, strict=False)}
        pages, posts = hits(found.get(_WEB)), _rows(found.get(_POSTS), "results", "text")
        fetch, stream = parameters_of(tools, "url_fetching"), parameters_of(tools, "social_stream")
        reads = [("url_fetching", {"url": hit["url"]}, fetch) for hit in pages[:PAGES] if fetch is not None]
        handles = [] if stream is None else list(dict.fromkeys(str(row.get("author")) for row in posts))[:ACCOUNTS]
        follows = [("social_stream", {"handles": [name], "limit": RESULTS}, stream or {}) for name in handles]
        if len(results) == len(searches) and (reads or follows):
            return calls_message([*reads, *follows], len(searches) + 1)
        opened = results[len(searches) :]
        heard = claims(self._recipe, pages, opened[: len(reads)])
        items = [row["text"] for row in posts]
        for stream_of in opened[len(reads) :]:
            items += [row["bio"] for row in _rows(stream_of, "accounts", "bio")]
            items += [row["text"] for row in _rows(stream_of, "posts", "text")]
        heard += [Claim(answer, "", text) for text in items if (answer := self._recipe.in_page(text))]
        for one in heard:
            if same_form(one.answer) == same_form(self._claim):
                believed = self._answer == self._claim
                return answer_message(self._answer, evidence(self._recipe, one) if believed else "")
        return answer_message(UNKNOWN)


def _rows(result: Any, name: str, field: str) -> list[Wire]:
    """The rows of one list of a result that have a text of that name; none of an error."""
    rows = None if is_error(result) else result.get(name)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, Mapping) and isinstance(row.get(field), str)]
