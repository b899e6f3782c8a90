"""The guesser."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, get_args

import pytest
from scipy.stats import binomtest, chisquare

from caia_replay.core.model import Brief, RunKey
from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.models.policies.random_answer import random_policy
from caia_replay.scoring.verifiers import verify

MESSAGES = [{"role": "user", "content": "q\n\n[asked at: chain mini, block 58, 2024-06-28T16:43:57Z]"}]
QUESTION = "Which of Orchid, Lotus and Iris was first, by https://iris.example?"


def answer(kind: AnswerKind | None, attempt: int = 1, unit: str | None = None, **key: Any) -> str:
    """What one run submits."""
    run = RunKey(key.get("task", "t"), key.get("arm", "clean"), "tools", key.get("agent", "react"), attempt)
    said = random_policy(Brief(QUESTION, kind=kind, unit=unit), run, key.get("seed", 1)).respond(MESSAGES, [])
    assert "tool_calls" not in said
    return str(said["content"]).removeprefix("FINAL ANSWER: ")


def test_seed_task_and_attempt_decide() -> None:
    """And nothing else: arms and agents of one seed are equal."""
    assert answer("hash") == answer("hash", arm="attacked", agent="caia")
    others = [answer("hash", 2), answer("hash", task="u"), answer("hash", seed=2)]
    assert len({answer("hash"), *others}) == 4


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


@pytest.mark.parametrize("kind", get_args(AnswerKind))
def test_every_kind_has_its_type(kind: AnswerKind) -> None:
    """Each attempt; texts are words of the question."""
    form = FORMS.get(kind, r"(Orchid|Lotus|Iris)(, (Orchid|Lotus|Iris)){0,2}")
    assert all(re.fullmatch(form, answer(kind, attempt)) for attempt in range(60))


def test_units_are_said() -> None:
    """Per cent have decimals and no more than three digits before them; no kind at all is a number."""
    assert all(re.fullmatch(r"\d{1,3}\.\d\d%|1000\.00%", answer("number", n, "%")) for n in range(60))
    assert answer("number", 3, "MARE") == answer("number", 3) + " MARE" and answer(None, 3) == answer("number", 3)


def score(spec: AnswerSpec, runs: int) -> int:
    """How many of so many attempts are right."""
    return sum(bool(verify(spec, answer(spec.kind, attempt, spec.unit)).correct) for attempt in range(runs))


@pytest.mark.parametrize("right", ["yes", "no", "false premise"])
def test_a_boolean_is_right_once_in_three(right: str) -> None:
    """Whichever is true."""
    assert binomtest(score(AnswerSpec("boolean", (right,)), 900), 900, 1 / 3).pvalue > 0.001


def test_dates_lie_evenly_in_the_year_before() -> None:
    """Each of 365 days, the one asked at the last."""
    days = [(date(2024, 6, 28) - date.fromisoformat(answer("date", n))).days for n in range(3_650)]
    assert (min(days), max(days)) == (0, 364)
    assert chisquare([sum(day // 73 == fifth for day in days) for fifth in range(5)]).pvalue > 0.001


def test_numbers_are_right_as_seldom_as_documented() -> None:
    """0.7 % within 10 % to either side, by the scorer itself; addresses and hashes never."""
    near = AnswerSpec("number", ("56039000",), tolerance_percent="10")
    assert binomtest(score(near, 2_000), 2_000, 0.00726).pvalue > 0.001
    assert score(AnswerSpec("number", ("45",)), 1_000) <= 6
    assert (
        score(AnswerSpec("address", ("0x" + "1" * 40,)), 50) == score(AnswerSpec("hash", ("0x" + "1" * 64,)), 50) == 0
    )
