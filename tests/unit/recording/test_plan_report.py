from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.provider import HttpRequest
from caia_replay.core.task import Anchor
from caia_replay.recording.plan import plan_tasks
from caia_replay.recording.plan_report import duration_text, plan_json, plan_lines
from caia_replay.recording.plan_task import PlannedTask

NOW = 1_746_143_999
PRICE = PlannedTask(
    "caia-001", Anchor("ethereum", -1, NOW), "date",
    GoldChain((GoldStep("price_feed", {"asset": "id:ethereum", "at": "2025-04-01"}),), "$1.price"), "fixed",
)  # fmt: skip
POSTS = replace(
    PRICE, id="caia-002", gold=GoldChain((GoldStep("twitter_search", {"query": "unlock"}),), ""),
    why_not="needs judgement", note="a note\nof two lines",
)  # fmt: skip
NODE = replace(PRICE, id="caia-003", gold=GoldChain((GoldStep("block_query", {"block": 7}),), "$1.number"))
NOTHING = replace(
    PRICE, id="caia-004", gold=GoldChain((), ""), why_not="no provider", needs=("an index",), note="why",
    requests=(HttpRequest("GET", "https://a.example/x"),),
)  # fmt: skip
WRONG = replace(PRICE, id="caia-005", gold=GoldChain((GoldStep("price_feed", {"asset": "id:a", "at": "1999"}),), "$1"))
PLANS = plan_tasks([PRICE, POSTS, NODE, NOTHING, WRONG])
LINES = plan_lines(PLANS)


def test_a_task_is_one_line() -> None:
    """It begins with id and status, and no note breaks it; a chain that the tools refuse is as good as none."""
    assert [line.split(":")[0] for line in LINES[:5]] == [
        "caia-001 recordable", "caia-002 recordable", "caia-003 recordable", "caia-004 needs provider",
        "caia-005 needs provider",
    ]  # fmt: skip
    assert not [line for line in LINES if "\n" in line]
    assert "a note of two lines" in LINES[1] and LINES[1].endswith("2 calls, 2 s, 1.00 USD; X_BEARER_TOKEN")


def test_the_summary_tells_all_together() -> None:
    """Statuses, strangers, refusals, keys with their tasks, what is paid for, and calls, time and cost."""
    text = "\n".join(LINES[5:])
    assert LINES[5] == "5 tasks: 3 recordable, 2 needs provider, 0 unanchored"
    assert "no provider speaks for: a.example (caia-004)" in LINES
    assert "refused by the tools as they are written: caia-005 step 1 (price_feed)" in text
    assert "key X_BEARER_TOKEN: 1 task: caia-002" in LINES
    assert "key COINGECKO_DEMO_API_KEY, for a better pace: 1 task: caia-001" in LINES
    assert "paid X search: reading posts is paid by the post, the full archive included: 2 calls, 1.00 USD" in text
    assert "archive node" in text and "no price by the call is published" in text
    assert LINES[-1].startswith("in all 6 calls (5 requests, 5 different), ")
    assert "1.00 USD, without archive node; terms as of 20" in LINES[-1]


def test_no_line_is_cut_and_none_moves_a_terminal() -> None:
    """A key's tasks are all named, however many; what a stranger's note holds is shown and not obeyed."""
    many = plan_lines(plan_tasks([replace(POSTS, id=f"caia-{at:03d}", note="\x1b[2J\u202e") for at in range(200)]))
    assert all(f"caia-{at:03d}" in next(line for line in many if line.startswith("key X_")) for at in range(200))
    assert all(line.isprintable() for line in many)


def test_the_json_says_what_the_lines_say() -> None:
    """The same tasks in the same order with every request, and sums that are the tasks' own."""
    told = json.loads(json.dumps(plan_json(PLANS)))
    assert [task["id"] for task in told["tasks"]] == [plan.id for plan in PLANS]
    assert told["summary"]["statuses"] == {"recordable": 3, "needs provider": 2, "unanchored": 0}
    assert told["summary"]["calls"] == sum(task["calls"] for task in told["tasks"])
    assert Decimal(told["summary"]["seconds"]) == sum(Decimal(task["seconds"]) for task in told["tasks"])
    assert told["summary"]["paid"]["X search"]["source"].startswith("https://docs.x.com/")


def test_no_task_is_a_plan_too() -> None:
    """Nothing in all."""
    assert plan_lines(()) == [
        "0 tasks: 0 recordable, 0 needs provider, 0 unanchored", plan_lines(())[-1],
    ] and plan_lines(())[-1].startswith("in all 0 calls")  # fmt: skip
    assert plan_json(())["tasks"] == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [("0", "0 s"), ("0.4", "0 s"), ("119", "119 s"), ("120", "2 min"), ("7199", "120 min"), ("9000", "2.5 h")],
)
def test_a_length_of_time_is_told_in_its_unit(seconds: str, text: str) -> None:
    """Seconds below two minutes, minutes below two hours."""
    assert duration_text(Decimal(seconds)) == text
