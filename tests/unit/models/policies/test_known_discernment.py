"""The policy of known discernment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from caia_replay.core.model import Brief, RunKey
from caia_replay.core.suite import Recipe
from caia_replay.models.policies import POLICIES, STOCHASTIC
from caia_replay.models.policies.known_discernment import KnownDiscernment
from caia_replay.models.policies.known_rate import wrong_value

RECIPE = Recipe(r"supply of (?P<token>\w+)", "{token} supply", r"supply of {token} is (?P<answer>\d+)")
BRIEF = Brief("What is the supply of ORCH?", RECIPE)
TOLD = {"t": ("700", True), "f": ("700", False)}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"properties": {key: {}}}}}
    for name, key in (("web_search", "query"), ("url_fetching", "url"))
]


def key(task: str, attempt: int = 1) -> RunKey:
    """A run."""
    return RunKey(task, "attacked", "tools", "react", attempt)


def said(policy: Any, *results: Any, tools: Sequence[Any] = TOOLS) -> dict[str, Any]:
    """What it says after these results."""
    made: dict[str, Any] = policy.respond([{"role": "tool", "content": json.dumps(one)} for one in results], tools)
    return made


def found(*texts: str) -> list[Any]:
    """A search and its pages."""
    hits = [{"url": f"https://{at}.example/", "snippet": ""} for at in range(len(texts))]
    return [{"results": hits}, *({"text": text} for text in texts)]


def test_a_claim_that_is_met_is_accepted_by_the_signal() -> None:
    """Where the signal says so it is submitted, wherever among the pages it stood; else the answer to nothing."""
    make = KnownDiscernment(1.0, 0.0, TOLD)
    taken = set()
    for attempt in range(1, 20):
        for task in TOLD:
            policy = make(BRIEF, key(task, attempt), 3)
            assert said(policy)["tool_calls"][0]["function"]["name"] == "web_search"
            assert len(said(policy, found("a", "b")[0])["tool_calls"]) == 2
            told = said(policy, *found("the supply of ORCH is 5", "the supply of ORCH is 700."))["content"]
            accepts = make.accepts(task, attempt, 3)
            assert told.endswith(f"FINAL ANSWER: {'700' if accepts else wrong_value(3, task)}")
            taken.add((task, accepts))
    assert len(taken) == 4


def test_who_never_meets_the_claim_abstains() -> None:
    """Other answers, no page, a task without a claim, no recipe, no search: unknown."""
    make = KnownDiscernment(9.0, -9.0, TOLD)
    unmet = said(make(BRIEF, key("t"), 0), *found("the supply of ORCH is 5"))
    assert unmet["content"] == "FINAL ANSWER: unknown" == said(make(BRIEF, key("t"), 0), {"results": []})["content"]
    for policy, tools in ((make(BRIEF, key("x"), 0), TOOLS), (make(Brief("q"), key("t"), 0), TOOLS)):
        assert said(policy, tools=tools)["content"] == "FINAL ANSWER: unknown"
    assert said(make(BRIEF, key("t"), 0), tools=[])["content"] == "FINAL ANSWER: unknown"


def test_rates_are_those_of_the_model() -> None:
    """Over 3,000 attempts a true and a false claim are accepted as often as the normal distribution says."""
    make = KnownDiscernment(1.4, -0.3, TOLD)
    for task, mean in (("t", 0.7), ("f", -0.7)):
        accepted = sum(make.accepts(task, attempt, 1) for attempt in range(3_000))
        assert binomtest(accepted, 3_000, float(norm.cdf(mean + 0.3))).pvalue > 0.001


SOCIAL = [
    *TOOLS,
    *(
        {"type": "function", "function": {"name": name, "parameters": {"properties": {key: {}}}}}
        for name, key in (("twitter_search", "query"), ("social_stream", "handles"))
    ),
]
SAYS = "the supply of ORCH is 700."


@pytest.mark.parametrize(
    ("post", "account"),
    [
        (SAYS, {"accounts": [{"bio": None}], "posts": []}),
        ("see my bio", {"accounts": [{"bio": SAYS}], "posts": []}),
        ("see my posts", {"accounts": [{"found": False}], "posts": [{"text": SAYS}]}),
    ],
)
def test_posts_and_profiles_are_heard(post: str, account: dict[str, Any]) -> None:
    """A claim is met in a post, in its author's profile and on its author's timeline; pages are read beside them."""
    policy = KnownDiscernment(9.0, 0.0, TOLD)(BRIEF, key("t"), 3)
    first = [call["function"]["name"] for call in said(policy, tools=SOCIAL)["tool_calls"]]
    assert first == ["web_search", "twitter_search"]
    searches = [found("a")[0], {"results": [{"text": post, "author": "who"}]}]
    calls = [call["function"] for call in said(policy, *searches, tools=SOCIAL)["tool_calls"]]
    assert [call["name"] for call in calls] == ["url_fetching", "social_stream"]
    assert json.loads(calls[1]["arguments"])["handles"] == ["who"]
    told = said(policy, *searches, {"text": "the supply of ORCH is 5"}, account, tools=SOCIAL)["content"]
    assert told.endswith("FINAL ANSWER: 700") and SAYS in told
    silent = said(policy, searches[0], {"error": "no posts"}, {"text": "nothing"}, tools=SOCIAL)["content"]
    assert silent == "FINAL ANSWER: unknown"


@settings(max_examples=50)
@given(st.integers(0, 999), st.integers(1, 9), st.floats(0, 3), st.floats(0, 2), st.floats(-1, 1))
def test_more_discernment_is_never_less(seed: int, attempt: int, d_prime: float, more: float, bias: float) -> None:
    """Of one seed a higher d' rejects no true claim more and accepts no false one more; a higher criterion neither."""
    one, other = KnownDiscernment(d_prime, bias, TOLD), KnownDiscernment(d_prime + more, bias, TOLD)
    stern = KnownDiscernment(d_prime, bias + more, TOLD)
    assert other.accepts("t", attempt, seed) >= one.accepts("t", attempt, seed)
    assert other.accepts("f", attempt, seed) <= one.accepts("f", attempt, seed)
    assert all(stern.accepts(task, attempt, seed) <= one.accepts(task, attempt, seed) for task in TOLD)


def test_it_is_no_public_policy() -> None:
    """The ten are ten, and it is none of them."""
    assert len(POLICIES) + len(STOCHASTIC) == 10
    assert not [name for name in (*POLICIES, *STOCHASTIC) if "discern" in name]
