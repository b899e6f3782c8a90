"""Three hundred raw questions of every quality become twenty tasks of a suite that verify, by commands and the page."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import httpx2
import pytest

from caia_replay.intake.ledger import Ledger
from caia_replay.intake.question import read_folder
from caia_replay.intake.review_server import ReviewServer
from caia_replay.intake.standing import standing_of
from caia_replay.loopback import LoopbackServer
from caia_replay.store.world_folder import open_world
from caia_replay.world.world import FrozenWorld
from tests.cli_shell import Shell
from tests.scripted_judge import scripted_judge

pytestmark = pytest.mark.check

CHOSEN = range(3, 28)
"""Blocks that a good question is about: twenty-five questions, of which reviewers let twenty pass."""
WEAK = frozenset(range(23, 28))
RECIPE = r"""
[recipes.block-time]
question = "On the Mini chain, when was block (?P<block>\\d+) made"
query = "Mini chain block {block} time"
pattern = "block {block} was made at (?P<answer>\\d{10})"
chain = { tool = "block_query", arguments = { block = "{block}" }, pattern = "\"timestamp\":(?P<answer>\\d+)" }
"""


def good(block: int) -> str:
    return f"On the Mini chain, when was block {block} made? Give seconds since 1970."


def rows() -> list[dict[str, str]]:
    """Three hundred rows: 25 good ones, and copies, opinions, the undated, secrets, personal data, the off-topic."""
    found = [{"question": good(block), "answer": "", "category": "onchain analysis"} for block in CHOSEN]
    for at in range(275):
        block = CHOSEN[at % 25]
        kinds = (
            f"When was block {block} made on the Mini chain? Please give the seconds since 1970.",
            f"Mini链上区块{block}何时产生?请给出1970年以来的秒数。",
            f"What do you think of token number {at}?",
            f"What is the price of coin {at} right now?",
            f"With the key sk-J8xq2LmV0pRt5WzY7bNc3K{at:03}, what is block {at} of Ethereum?",
            f"Write to u{at}@example.org: which wallet won prize {at}?",
            f"How long do I boil {at} eggs?",
        )
        found.append({"question": kinds[at % 7], "answer": "1", "category": ""})
    return found


def said(question: str) -> dict[str, str]:
    """The scripted judge."""
    if "think of" in question:
        return {"has-answer": "NO; an opinion"}
    if "eggs" in question:
        return {"on-topic": "NO; cooking"}
    return {"anchored": "NO; no moment", "stable": "NO; it moves"} if "right now" in question else {}


def test_a_spreadsheet_becomes_a_suite(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screened, drafted and reviewed by six, twenty become tasks that verify, and each of the others says why not."""
    with Path("raw.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["question", "answer", "category"])
        writer.writeheader()
        writer.writerows(rows())
    assert shell("intake", "add", "raw.csv", "--into", "in")[0] == 0
    questions = read_folder(Path("in"))
    judge = scripted_judge(said)
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    code, _, err = shell("intake", "screen", "in", "--model", "judge", "--concurrency", "1")
    judge.close()
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert (code, err) == (0, ""), err
    ledger = Ledger(Path("in"))
    by_text = {one.question: name for name, one in questions.items()}
    chosen = {block: by_text[good(block)] for block in CHOSEN}
    for name in chosen.values():  # of copies one with an answer is kept: a person picks the wording
        if standing_of(ledger, name).outcome == "drop":
            other = re.search(r"asks the same as (q-[0-9a-f]{16})", shell("intake", "why", name)[1])
            assert other is not None and questions[other[1]].answer == "1"
            for verdict, one in (("--keep", name), ("--drop", other[1])):
                assert shell("intake", "decide", one, verdict, "--why", "The wording.", "--as", "eve")[0] == 0
    _review(chosen)
    promoted = 0
    suite = Path("cassettes/mini-6/suite.toml")
    suite.write_text(suite.read_text() + RECIPE)
    for block, name in chosen.items():
        words = ("--suite", "mini-6", "--task", f"time-{block}", "--as", "eve")
        words += ("--stake", "1", "--stake-reason", "Late.", "--added", "2026-12-01")
        code, _, err = shell("intake", "promote", name, *words)
        assert code == (1 if block in WEAK else 0) and ("has not passed review" in err) == (block in WEAK), err
        promoted += code == 0
    assert promoted == 20 and shell("lint", "--seal", "cassettes/mini-6")[0] == 0
    assert shell("verify", "--suite", "mini-6")[1].endswith("26/26 solvable\n")
    ledger = Ledger(Path("in"))
    tasks = {entry.body["task"] for name in questions for entry in ledger.standing(name, "promotion")}
    assert tasks == {f"time-{block}" for block in CHOSEN if block not in WEAK}
    for name in questions:
        if not ledger.standing(name, "promotion") and name not in chosen.values():
            found = standing_of(ledger, name)
            assert found.outcome in ("drop", "ask") and found.reasons, questions[name].question


def _review(chosen: dict[int, str]) -> None:
    """One person saves each draft on the page, six give points: one always 5, and the weak get 2 from the others."""
    with FrozenWorld(open_world("mini-6")) as world:
        times = {block: int(world.snapshots["mini"].header(block)["timestamp"], 16) for block in CHOSEN}
    for at in range(6):
        with LoopbackServer(ReviewServer(Path("in"), f"r{at}")) as server:
            client = httpx2.Client(base_url=server.url, trust_env=False, headers={"origin": server.url}, timeout=60)
            for block, name in chosen.items():
                if at == 0:
                    steps = f"block_query {json.dumps({'block': block})}"
                    draft = {"values": str(times[block]), "kind": "number", "steps": steps, "result": "$1.timestamp"}
                    draft |= {"chain": "mini", "block": "30", "do": "gold"}
                    assert client.post(f"/q/{name}", data=draft).status_code == 303
                points = "5" if at == 5 or (at == 4 and block not in WEAK) else "2" if block in WEAK else "4"
                given = {f"points-{one}": points for one in ("clear", "right", "workable", "worthwhile")}
                given |= {"has_conflict": "no", "conflict": "", "notes": "", "do": "review"}
                assert client.post(f"/q/{name}", data=given).status_code == 303
