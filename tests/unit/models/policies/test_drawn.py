"""Policies that are drawn: guessers, the miss oracle, known rates, known discernment, CAIA's mix."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.model import PolicyHints, RunKey
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.models.policies.caia_mix import CALLS, SHARES, kinds_of_run
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.known_rate import RATES, WRONG_DIGITS, is_right, known_rate_policy, rate, wrong_value
from caia_replay.models.policies.miss_oracle import PROBES, MissOraclePolicy
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.policies.random_answer import RandomPolicy
from caia_replay.scoring.verifiers import verify
from tests.unit.models.policies.conftest import calls_in, run_key, told, tools_of


@given(st.integers(), st.text(max_size=5), st.integers(1, 10**30))
def test_the_same_for_the_same(seed: int, task: str, bound: int) -> None:
    """Two rows of one origin are one row, inside their bounds, and draws of one row differ."""
    one, two = Chance(seed, task), Chance(seed, task)
    assert [one.below(bound) for _ in range(3)] == [two.below(bound) for _ in range(3)]
    assert 0 <= one.below(bound) < bound and len(one.hex(40)) == 40 and one.hex(8) != one.hex(8)


def test_known_draws_never_change() -> None:
    """Known values: published runs must be drawn alike by every version."""
    chance = Chance("a", 1)
    assert ([chance.below(100) for _ in range(5)], chance.hex(8)) == ([13, 79, 8, 73, 59], "7d93539d")
    assert str(Chance("a", 2).log_uniform(0, 12))[:12] == "2856873.0451"


OPENING = [{"role": "user", "content": "q\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"}]
OF_THREE = "Which of Orchid, Lotus and Iris was first, by https://iris.example?"


def guess(kind: AnswerKind | None, attempt: int = 1, unit: str | None = None, **key: Any) -> str:
    run = RunKey(key.get("task", "t"), key.get("arm", "clean"), "tools", key.get("agent", "react"), attempt)
    said = RandomPolicy(PolicyHints(OF_THREE, kind=kind, unit=unit), run, key.get("seed", 1)).respond(OPENING, [])
    assert "tool_calls" not in said
    return str(said["content"]).removeprefix("FINAL ANSWER: ")


FORMS = {
    "number": r"\d{1,13}",
    "address": r"0x[0-9a-f]{40}",
    "hash": r"0x[0-9a-f]{64}",
    "date": r"202[34]-\d\d-\d\d",
    "time": r"202[34]-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    "boolean": r"yes|no|false premise",
    "url": r"https://iris\.example/[0-9a-f]{12}",
    "abi": r"function f_[0-9a-f]{8}\(uint256\)",
    "table": r"(Orchid|Lotus|Iris) \| \d+",
    "text": "Orchid|Lotus|Iris",
}


def test_every_kind_has_its_type() -> None:
    """Each attempt; texts are words of the question; per cent have decimals; no kind at all is a number."""
    for kind in get_args(AnswerKind):
        form = FORMS.get(kind, r"(Orchid|Lotus|Iris)(, (Orchid|Lotus|Iris)){0,2}")
        assert all(re.fullmatch(form, guess(kind, attempt)) for attempt in range(60)), kind
    assert all(re.fullmatch(r"\d{1,3}\.\d\d%|1000\.00%", guess("number", n, "%")) for n in range(60))
    assert guess("number", 3, "MARE") == guess("number", 3) + " MARE" and guess(None, 3) == guess("number", 3)


def score(spec: AnswerSpec, runs: int) -> int:
    """How many of so many attempts are right."""
    return sum(bool(verify(spec, guess(spec.kind, attempt, spec.unit)).correct) for attempt in range(runs))


@pytest.mark.check
def test_numbers_are_right_as_seldom_as_documented() -> None:
    """0.7 % within 10 % to either side, by the scorer itself; addresses and hashes never."""
    near = AnswerSpec("number", ("56039000",), tolerance_percent="10")
    assert binomtest(score(near, 2_000), 2_000, 0.00726).pvalue > 0.001
    assert score(AnswerSpec("number", ("45",)), 1_000) <= 6
    assert score(AnswerSpec("address", ("0x" + "1" * 40,)), 50) == 0
    assert score(AnswerSpec("hash", ("0x" + "1" * 64,)), 50) == 0


ONE, TWO = "0x" + "1" * 40, "0x" + "2" * 40
MOMENT = "[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"
QUESTION = (
    f"Which did Orchid use in block 12 or 1,700,000 on 2024-06-03 or 2024-06-04: {ONE} or {TWO} ({'0x' + '3' * 64})?"
)
PROBED = tools_of(balance_query="", block_query="", price_feed="", protocol_metrics="", transaction_query="",
                  url_fetching="")  # fmt: skip
MISS = {"error": {"type": "unavailable"}}


def probe(
    kind: AnswerKind | None, replies: Sequence[Any] = (), attempt: int = 1, tools: Sequence[Wire] = PROBED
) -> Any:
    """What it says after these replies: an answer, or its probes as (tool, arguments)."""
    messages = [{"role": "user", "content": f"{QUESTION}\n\n{MOMENT}"}, *told(*replies)]
    said = MissOraclePolicy(PolicyHints(QUESTION, kind=kind), run_key(attempt=attempt), 1).respond(messages, tools)
    return calls_in(said) or said["content"].removeprefix("FINAL ANSWER: ")


def served_where(kind: AnswerKind | None, wanted: str, attempt: int = 1) -> str:
    """Its answer when only the probes that mention ``wanted`` are served."""
    probes = probe(kind, attempt=attempt)
    results = [{"x": 1} if wanted in json.dumps(arguments) else MISS for _, arguments in probes]
    return str(probe(kind, results, attempt))


def test_what_alone_is_covered_is_the_answer() -> None:
    """Among what stands in the question and what is drawn; yes where most of what is named is covered."""
    for kind, wanted in (("address", TWO), ("address", ONE), ("hash", "0x" + "3" * 64), ("date", "2024-06-04"),
                         ("number", "12")):  # fmt: skip
        assert served_where(kind, wanted) == wanted  # type: ignore[arg-type]
    probes = probe("boolean")
    assert {name for name, _ in probes} >= {"balance_query", "transaction_query"}
    assert probe("boolean", [{}] * len(probes)) == "yes" and probe("boolean", [MISS] * len(probes)) == "no"


VALUES = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4)
SERVED = st.dictionaries(st.text(max_size=5).filter("error".__ne__), VALUES, max_size=3)


@settings(max_examples=20)
@given(
    st.sampled_from(get_args(AnswerKind)), st.lists(st.tuples(st.booleans(), SERVED, SERVED), min_size=12, max_size=12)
)
def test_it_is_blind_to_content(kind: AnswerKind, replies: list[tuple[bool, Any, Any]]) -> None:
    """Equal bits give equal answers, whatever else replies and misses hold."""
    probes = probe(kind)
    if isinstance(probes, list):
        one, two = (
            [reply[at] if reply[0] else {"error": reply[at]} for reply in replies[: len(probes)]] for at in (1, 2)
        )
        assert probe(kind, one) == probe(kind, two)


def test_probes_are_few_and_tools_are_not_needed() -> None:
    """At most twelve, in one message; without tools it guesses."""
    for kind in (*get_args(AnswerKind), None):
        probes = probe(kind)
        assert isinstance(probes, str) or 0 < len(probes) <= PROBES
        assert isinstance(probe(kind, tools=[]), str)


GOLD_V = GoldChain((GoldStep("a", {"x": "1"}),), "$1.v")
RATED = PolicyHints("q", gold=GOLD_V)
A = tools_of(a="x")


def first_message(task: str, attempt: int, seed: int) -> dict[str, Any]:
    return known_rate_policy(RATED, run_key(task, attempt), seed).respond([], A)


def test_a_right_run_is_the_oracle_and_any_other_a_wrong_value_at_once() -> None:
    """Every attempt is one or the other, as ``is_right`` says."""
    seen = set()
    for attempt in range(1, 21):
        said, right = first_message("t", attempt, 5), is_right(5, "t", attempt)
        oracle = OraclePolicy(RATED).respond([], A)
        assert said == (oracle if right else {"role": "assistant", "content": f"FINAL ANSWER: {wrong_value(5, 't')}"})
        seen.add(right)
    assert seen == {True, False}


@given(st.integers(0, 10**9), st.text(min_size=1, max_size=20), st.integers(0, 50))
def test_the_same_bytes_for_the_same_seed(seed: int, task: str, attempt: int) -> None:
    """Seed, task and attempt decide everything; arm, condition and agent nothing."""
    elsewhere = known_rate_policy(RATED, RunKey(task, "attacked", "no-tools", "caia", attempt), seed)
    assert json.dumps(first_message(task, attempt, seed)) == json.dumps(elsewhere.respond([], A))
    assert rate(seed, task) in RATES and len(wrong_value(seed, task)) == WRONG_DIGITS


def test_the_draws_of_a_published_seed_never_change() -> None:
    """Known values: another implementation or version must reproduce them."""
    assert [str(rate(0, task)) for task in ("a", "b", "c", "d")] == ["7/20", "1/5", "7/20", "3/5"]
    assert [attempt for attempt in range(1, 9) if is_right(0, "a", attempt)] == [3, 8]
    assert wrong_value(0, "a") == "902539733190560418008151416586998566807383244912282393945682"


@pytest.mark.check
def test_attempts_are_right_at_the_rate() -> None:
    """Over many attempts at tasks of one rate, and independent of the attempt before."""
    for wanted in (RATES[0], RATES[9], RATES[18]):
        tasks = [task for task in map(str, range(2_000)) if rate(3, task) == wanted]
        runs = [is_right(3, task, attempt) for task in tasks for attempt in range(1, 41)]
        assert binomtest(sum(runs), len(runs), float(wanted)).pvalue > 0.001
        pairs = [is_right(3, task, at) and is_right(3, task, at + 1) for task in tasks for at in range(1, 41, 2)]
        assert binomtest(sum(pairs), len(pairs), float(wanted) ** 2).pvalue > 0.001


def test_a_wrong_value_is_the_answer_to_nothing() -> None:
    """No verifier takes it for right, even by CAIA's widest tolerance."""
    for kind, values in (
        ("number", ("42",)), ("number", (str(2**256 - 1),)), ("number", ("9" * 30,)), ("address", ("0x" + "9" * 40,)),
        ("hash", ("0x" + "9" * 64,)), ("date", ("2024-06-04",)), ("text", ("9",)), ("text_set", ("9", "99")),
    ):  # fmt: skip
        spec = AnswerSpec(kind, values, tolerance_percent="10")  # type: ignore[arg-type]
        assert not [task for task in map(str, range(20)) if verify(spec, wrong_value(0, task)).correct is not False]


def test_the_published_shares_hold_over_many_runs() -> None:
    """Within one percentage point: over 178 tasks and 5 attempts, and over 40 tasks and 5."""
    for tasks in (178, 40):
        kinds = Counter(kind for task in range(tasks) for n in range(1, 6) for kind in kinds_of_run(1, f"t{task}", n))
        assert sum(SHARES.values()) == 1 and kinds.total() == tasks * 5 * CALLS
        assert all(abs(kinds[kind] / kinds.total() - share) < 0.01 for kind, share in SHARES.items())
