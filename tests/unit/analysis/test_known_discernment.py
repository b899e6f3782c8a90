"""The policy of known discernment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from caia_replay.analysis.discernment_check import KnownDiscernment
from caia_replay.core.model import PolicyHints
from caia_replay.core.suite import Recipe
from caia_replay.models.policies.known_rate import wrong_value
from tests.unit.models.policies.conftest import calls_in, hits, run_key, told, tools_of

RECIPE = Recipe(r"supply of (?P<token>\w+)", "{token} supply", r"supply of {token} is (?P<answer>\d+)")
BRIEF = PolicyHints("What is the supply of ORCH?", RECIPE)
TOLD = {"t": ("700", True), "f": ("700", False)}
TOOLS = tools_of(web_search="query", url_fetching="url")


def said(policy: Any, *replies: Any, tools: Sequence[Any] = TOOLS) -> dict[str, Any]:
    made: dict[str, Any] = policy.respond(told(*replies), tools)
    return made


def found(*texts: str) -> list[Any]:
    return [hits(*[""] * len(texts)), *({"text": text} for text in texts)]


def test_a_claim_that_is_met_is_accepted_by_the_signal() -> None:
    """Where the signal says so it is submitted, wherever among the pages it stood; else the answer to nothing."""
    make, taken = KnownDiscernment(1.0, 0.0, TOLD), set()
    for attempt in range(1, 20):
        for task in TOLD:
            policy = make(BRIEF, run_key(task, attempt), 3)
            assert calls_in(said(policy))[0][0] == "web_search"
            assert len(calls_in(said(policy, found("a", "b")[0]))) == 2
            heard = said(policy, *found("the supply of ORCH is 5", "the supply of ORCH is 700."))["content"]
            accepts = make.accepts(task, attempt, 3)
            assert heard.endswith(f"FINAL ANSWER: {'700' if accepts else wrong_value(3, task)}")
            taken.add((task, accepts))
    assert len(taken) == 4


def test_who_never_meets_the_claim_abstains() -> None:
    """Other answers, no page, a task without a claim, no recipe, no search: unknown."""
    make = KnownDiscernment(9.0, -9.0, TOLD)
    unmet = said(make(BRIEF, run_key("t"), 0), *found("the supply of ORCH is 5"))
    assert unmet["content"] == "FINAL ANSWER: unknown" == said(make(BRIEF, run_key("t"), 0), {"results": []})["content"]
    for policy, tools in ((make(BRIEF, run_key("x"), 0), TOOLS), (make(PolicyHints("q"), run_key("t"), 0), TOOLS)):
        assert said(policy, tools=tools)["content"] == "FINAL ANSWER: unknown"
    assert said(make(BRIEF, run_key("t"), 0), tools=[])["content"] == "FINAL ANSWER: unknown"


def test_rates_are_those_of_the_model() -> None:
    """Over 3,000 attempts a true and a false claim are accepted as often as the normal distribution says."""
    make = KnownDiscernment(1.4, -0.3, TOLD)
    for task, mean in (("t", 0.7), ("f", -0.7)):
        accepted = sum(make.accepts(task, attempt, 1) for attempt in range(3_000))
        assert binomtest(accepted, 3_000, float(norm.cdf(mean + 0.3))).pvalue > 0.001


SOCIAL = [*TOOLS, *tools_of(twitter_search="query", social_stream="handles")]
SAYS = "the supply of ORCH is 700."


@pytest.mark.parametrize(
    ("post", "account"),
    [
        (SAYS, {"accounts": [{"bio": None}], "posts": []}),
        ("see my bio", {"accounts": [{"bio": SAYS}], "posts": []}),
        ("see my posts", {"accounts": [{"found": False}], "posts": [{"text": SAYS}]}),
    ],
    ids=["post", "profile", "timeline"],
)
def test_posts_and_profiles_are_heard(post: str, account: dict[str, Any]) -> None:
    """A claim is met in a post, in its author's profile and on its author's timeline; pages are read beside them."""
    policy = KnownDiscernment(9.0, 0.0, TOLD)(BRIEF, run_key("t"), 3)
    assert [name for name, _ in calls_in(said(policy, tools=SOCIAL))] == ["web_search", "twitter_search"]
    searches = [found("a")[0], {"results": [{"text": post, "author": "who"}]}]
    opened, looked_up = calls_in(said(policy, *searches, tools=SOCIAL))
    assert (opened[0], looked_up[0], looked_up[1]["handles"]) == ("url_fetching", "social_stream", ["who"])
    heard = said(policy, *searches, {"text": "the supply of ORCH is 5"}, account, tools=SOCIAL)["content"]
    assert heard.endswith("FINAL ANSWER: 700") and SAYS in heard
    silent = said(policy, searches[0], {"error": "no posts"}, {"text": "nothing"}, tools=SOCIAL)["content"]
    assert silent == "FINAL ANSWER: unknown"


@given(st.integers(0, 999), st.integers(1, 9), st.floats(0, 3), st.floats(0, 2), st.floats(-1, 1))
def test_more_discernment_is_never_less(seed: int, attempt: int, d_prime: float, more: float, bias: float) -> None:
    """Of one seed a higher d' rejects no true claim more and accepts no false one more; a higher criterion neither."""
    one, other = KnownDiscernment(d_prime, bias, TOLD), KnownDiscernment(d_prime + more, bias, TOLD)
    stern = KnownDiscernment(d_prime, bias + more, TOLD)
    assert other.accepts("t", attempt, seed) >= one.accepts("t", attempt, seed)
    assert other.accepts("f", attempt, seed) <= one.accepts("f", attempt, seed)
    assert all(stern.accepts(task, attempt, seed) <= one.accepts(task, attempt, seed) for task in TOLD)
