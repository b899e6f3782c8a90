"""The policy of known rate."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, RunKey
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.models.policies.known_rate import RATES, WRONG_DIGITS, is_right, known_rate_policy, rate, wrong_value
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.resolve import resolve_model
from caia_replay.scoring.verifiers import verify

GOLD = GoldChain((GoldStep("a", {"x": "1"}),), "$1.v")
BRIEF = Brief("q", gold=GOLD)
TOOLS = [{"type": "function", "function": {"name": "a", "parameters": {"properties": {"x": {}}}}}]


def key(task: str = "t", attempt: int = 1, arm: str = "clean") -> RunKey:
    """A run."""
    return RunKey(task, arm, "tools", "react", attempt)


def first_message(task: str, attempt: int, seed: int) -> dict[str, Any]:
    """What a run says first."""
    return known_rate_policy(BRIEF, key(task, attempt), seed).respond([], TOOLS)


def test_a_right_run_is_the_oracle_and_any_other_a_wrong_value_at_once() -> None:
    """Every attempt is one or the other, as ``is_right`` says."""
    seen = set()
    for attempt in range(1, 21):
        said, right = first_message("t", attempt, 5), is_right(5, "t", attempt)
        oracle = OraclePolicy(BRIEF).respond([], TOOLS)
        assert said == (oracle if right else {"role": "assistant", "content": f"FINAL ANSWER: {wrong_value(5, 't')}"})
        seen.add(right)
    assert seen == {True, False}


@given(st.integers(0, 10**9), st.text(min_size=1, max_size=20), st.integers(0, 50))
def test_the_same_bytes_for_the_same_seed(seed: int, task: str, attempt: int) -> None:
    """Seed, task and attempt decide everything; arm, condition and agent nothing."""
    elsewhere = known_rate_policy(BRIEF, RunKey(task, "attacked", "no-tools", "caia", attempt), seed)
    assert json.dumps(first_message(task, attempt, seed)) == json.dumps(elsewhere.respond([], TOOLS))
    assert rate(seed, task) in RATES and len(wrong_value(seed, task)) == WRONG_DIGITS


def test_the_draws_of_a_published_seed_never_change() -> None:
    """Known values: another implementation or version must reproduce them."""
    assert [str(rate(0, task)) for task in ("a", "b", "c", "d")] == ["7/20", "1/5", "7/20", "3/5"]
    assert [attempt for attempt in range(1, 9) if is_right(0, "a", attempt)] == [3, 8]
    assert wrong_value(0, "a") == "902539733190560418008151416586998566807383244912282393945682"


def test_rates_are_even_over_tasks_and_differ_by_seed() -> None:
    """Each of the nineteen is as likely as any other."""
    drawn = [rate(1, f"task-{number}") for number in range(5_700)]
    assert chisquare([drawn.count(one) for one in RATES]).pvalue > 0.001
    assert drawn != [rate(2, f"task-{number}") for number in range(5_700)]


@pytest.mark.parametrize("wanted", [RATES[0], RATES[9], RATES[18]])
def test_attempts_are_right_at_the_rate(wanted: Fraction) -> None:
    """Over many attempts at tasks of one rate, and independent of the attempt before."""
    tasks = [task for task in map(str, range(2_000)) if rate(3, task) == wanted]
    runs = [is_right(3, task, attempt) for task in tasks for attempt in range(1, 41)]
    assert binomtest(sum(runs), len(runs), float(wanted)).pvalue > 0.001
    pairs = [is_right(3, task, at) and is_right(3, task, at + 1) for task in tasks for at in range(1, 41, 2)]
    assert binomtest(sum(pairs), len(pairs), float(wanted) ** 2).pvalue > 0.001


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("number", ("42",)),
        ("number", (str(2**256 - 1),)),
        ("number", ("9" * 30,)),
        ("address", ("0x" + "9" * 40,)),
        ("hash", ("0x" + "9" * 64,)),
        ("date", ("2024-06-04",)),
        ("text", ("9",)),
        ("text_set", ("9", "99")),
    ],
)
def test_a_wrong_value_is_the_answer_to_nothing(kind: AnswerKind, values: tuple[str, ...]) -> None:
    """No verifier takes it for right, even by CAIA's widest tolerance."""
    for task in map(str, range(20)):
        assert verify(AnswerSpec(kind, values, tolerance_percent="10"), wrong_value(0, task)).correct is False


def test_it_plays_through_the_openai_client_and_needs_gold_steps() -> None:
    """The run's key reaches the script, and a runner that forgot the gold steps is told whatever is drawn."""
    model = resolve_model("policy/known-rate", {}, seed=7)
    assert model.needs_gold and model.is_policy
    for attempt in (1, 2, 3, 4, 5, 6):
        said = model.session(key("t", attempt), BRIEF).complete([Message("user", "q")], [])
        assert ("not offered" in said.message.content) == is_right(7, "t", attempt)
        with pytest.raises(BadInput, match="gold steps"):
            model.session(key("t", attempt), Brief("q"))
    model.close()
