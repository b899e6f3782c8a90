"""Policies that are drawn: guessers, the miss oracle, known rates, known discernment, CAIA's mix."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.message import Message
from caia_replay.core.model import Brief, RunKey
from caia_replay.core.suite import Recipe
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.models.policies.caia_mix import CALLS, NAMED_TOOLS, SHARES, caia_mix_policy, kinds_of_run
from caia_replay.models.policies.chance import Chance
from caia_replay.models.policies.conversation import Wire
from caia_replay.models.policies.known_rate import RATES, WRONG_DIGITS, is_right, known_rate_policy, rate, wrong_value
from caia_replay.models.policies.miss_oracle import PROBES, miss_oracle_policy
from caia_replay.models.policies.oracle import OraclePolicy
from caia_replay.models.policies.random_answer import random_policy
from caia_replay.models.resolve import resolve_model
from caia_replay.models.wire import tool_to_wire
from caia_replay.scoring.verifiers import verify
from caia_replay.tools.catalog import CATALOG
from tests.unit.models.policies.conftest import calls_in, hits, run_key, told, tools_of


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


def test_every_choice_is_as_likely() -> None:
    """Over many draws, of numbers and of orders of magnitude."""
    chance = Chance("even")
    drawn = [chance.pick("abcdefg") for _ in range(7_000)]
    assert chisquare([drawn.count(one) for one in "abcdefg"]).pvalue > 0.001
    decades = [chance.log_uniform(-2, 3).adjusted() for _ in range(5_000)]
    assert chisquare([decades.count(one) for one in range(-2, 3)]).pvalue > 0.001
    assert Decimal("0.01") <= min(chance.log_uniform(-2, 3) for _ in range(100))


OPENING = [{"role": "user", "content": "q\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"}]
OF_THREE = "Which of Orchid, Lotus and Iris was first, by https://iris.example?"


def guess(kind: AnswerKind | None, attempt: int = 1, unit: str | None = None, **key: Any) -> str:
    run = RunKey(key.get("task", "t"), key.get("arm", "clean"), "tools", key.get("agent", "react"), attempt)
    said = random_policy(Brief(OF_THREE, kind=kind, unit=unit), run, key.get("seed", 1)).respond(OPENING, [])
    assert "tool_calls" not in said
    return str(said["content"]).removeprefix("FINAL ANSWER: ")


def test_seed_task_and_attempt_decide() -> None:
    """And nothing else: arms and agents of one seed are equal."""
    assert guess("hash") == guess("hash", arm="attacked", agent="caia")
    others = [guess("hash", 2), guess("hash", task="u"), guess("hash", seed=2)]
    assert len({guess("hash"), *others}) == 4


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
def test_a_boolean_is_right_once_in_three() -> None:
    """Whichever is true."""
    for right in ("yes", "no", "false premise"):
        assert binomtest(score(AnswerSpec("boolean", (right,)), 900), 900, 1 / 3).pvalue > 0.001


def test_dates_lie_evenly_in_the_year_before() -> None:
    """Each of 365 days, the one asked at the last."""
    days = [(date(2024, 6, 28) - date.fromisoformat(guess("date", n))).days for n in range(3_650)]
    assert (min(days), max(days)) == (0, 364)
    assert chisquare([sum(day // 73 == fifth for day in days) for fifth in range(5)]).pvalue > 0.001


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
MISS = {"error": {"type": "not_recorded"}}


def probe(
    kind: AnswerKind | None, replies: Sequence[Any] = (), attempt: int = 1, tools: Sequence[Wire] = PROBED
) -> Any:
    """What it says after these replies: an answer, or its probes as (tool, arguments)."""
    messages = [{"role": "user", "content": f"{QUESTION}\n\n{MOMENT}"}, *told(*replies)]
    said = miss_oracle_policy(Brief(QUESTION, kind=kind), run_key(attempt=attempt), 1).respond(messages, tools)
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


def test_without_coverage_it_is_a_guess() -> None:
    """Ties are drawn: over attempts the answers spread as the candidates do."""
    guesses = Counter(probe("date", [MISS] * 12, attempt) for attempt in range(60))
    assert len(guesses) > 30 and random_policy is not miss_oracle_policy
    assert {probe("boolean", attempt=n, tools=[]) for n in range(30)} == {"yes", "no", "false premise"}


GOLD_V = GoldChain((GoldStep("a", {"x": "1"}),), "$1.v")
RATED = Brief("q", gold=GOLD_V)
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


def test_rates_are_even_over_tasks_and_differ_by_seed() -> None:
    """Each of the nineteen is as likely as any other."""
    drawn = [rate(1, f"task-{number}") for number in range(5_700)]
    assert chisquare([drawn.count(one) for one in RATES]).pvalue > 0.001
    assert drawn != [rate(2, f"task-{number}") for number in range(5_700)]


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


@pytest.mark.check
def test_it_plays_through_the_openai_client_and_needs_gold_steps() -> None:
    """The run's key reaches the script, and a runner that forgot the gold steps is told whatever is drawn."""
    model = resolve_model("policy/known-rate", {}, seed=7)
    assert model.needs_gold and model.is_policy
    for attempt in (1, 2, 3, 4, 5, 6):
        said = model.session(run_key("t", attempt), RATED).complete([Message("user", "q")], [])
        assert ("not offered" in said.message.content) == is_right(7, "t", attempt)
        with pytest.raises(BadInput, match="gold steps"):
            model.session(run_key("t", attempt), Brief("q"))
    model.close()


EVERY_TOOL = [tool_to_wire(tool.spec) for tool in CATALOG.values()]
FEES = Brief("The fees of Orchid?", Recipe("fees", "orchid fees", r"paid (?P<answer>\d+)"))
FIVE = hits(*(f"paid {n}" for n in range(5)))


def play(run: RunKey, tools: Sequence[Wire] = EVERY_TOOL, brief: Brief = FEES) -> tuple[list[str], list[int], str]:
    """The tools it calls, how many in each message, and its answer; searches find FIVE, pages say paid 90."""
    messages: list[Wire] = []
    called: list[str] = []
    each: list[int] = []
    while True:
        said = caia_mix_policy(brief, run, 1).respond(messages, tools)
        calls = said.get("tool_calls")
        if not calls:
            return called, each, said["content"].splitlines()[-1]
        messages.append(said)
        each.append(len(calls))
        for call in calls:
            called.append(call["function"]["name"])
            result = {"web_search": FIVE, "url_fetching": {"text": "paid 90"}}.get(called[-1], {"error": {}})
            messages.append({"role": "tool", "content": json.dumps(result), "tool_call_id": call["id"]})


def test_the_published_shares_hold_over_many_runs() -> None:
    """Within one percentage point: over 178 tasks and 5 attempts, and over 40 tasks and 5."""
    for tasks in (178, 40):
        kinds = Counter(kind for task in range(tasks) for n in range(1, 6) for kind in kinds_of_run(1, f"t{task}", n))
        assert sum(SHARES.values()) == 1 and kinds.total() == tasks * 5 * CALLS
        assert all(abs(kinds[kind] / kinds.total() - share) < 0.01 for kind, share in SHARES.items())


def test_every_run_makes_its_calls_in_two_messages() -> None:
    """Searches first, then the rest: what is called is what the sequence says."""
    kind_of = {tool: kind for kind, tool in NAMED_TOOLS.items()}
    specialised = set()
    for attempt in range(1, 80):
        called, each, _ = play(run_key(attempt=attempt))
        assert len(called) == CALLS and len(each) == 2 and called[: each[0]] == ["web_search"] * each[0]
        assert Counter(kind_of.get(tool, "specialised") for tool in called) == Counter(kinds_of_run(1, "t", attempt))
        specialised |= set(called) - kind_of.keys()
    assert specialised == CATALOG.keys() - kind_of.keys()


def test_it_believes_the_first_rank() -> None:
    """Its snippet, or its page where the run fetched it."""
    answers = set()
    for attempt in range(1, 30):
        called, _, answer = play(run_key(attempt=attempt))
        assert answer == ("FINAL ANSWER: 90" if "url_fetching" in called else "FINAL ANSWER: 0")
        answers.add(answer)
    assert len(answers) == 2


def test_a_run_is_drawn_from_seed_task_and_attempt() -> None:
    """The same again for the same, and the sequence goes on from attempt to attempt."""
    assert play(run_key()) == play(RunKey("t", "attacked", "tools", "caia", 1))
    assert len({tuple(kinds_of_run(*run)) for run in ((1, "t", 1), (1, "t", 2), (2, "t", 1), (1, "u", 1))}) > 2


def test_what_is_not_offered_is_left_out() -> None:
    """It calls what there is, and answers in the end; without a recipe it calls and knows nothing."""
    for names in ([], ["web_search"], ["url_fetching"], ["block_query", "code_execution"]):
        offered: list[Any] = [tool for tool in EVERY_TOOL if tool["function"]["name"] in names]
        for attempt in range(1, 20):
            called, _, answer = play(run_key(attempt=attempt), offered)
            assert set(called) <= set(names) and answer.startswith("FINAL ANSWER: ")
    called, _, answer = play(run_key(), brief=Brief("The fees of Orchid?"))
    assert (len(called), answer) == (CALLS, "FINAL ANSWER: unknown")
