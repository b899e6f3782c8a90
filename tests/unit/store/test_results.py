from pathlib import Path

import pyarrow.parquet as pq
import pytest

from caia_replay.core.model import Price
from caia_replay.errors import BadInput
from caia_replay.store.results import ATTACK_FACTS, RESULTS, STEPS, read_table, result_row, step_rows, write_table

SERVED = dict.fromkeys(("HIT", "DERIVED", "FORK", "RANKED", "COMPUTED", "MISS", "ERROR"), 1)
RECORD = {
    "task": "t",
    "category": "overlap",
    "arm": "clean",
    "condition": "tools",
    "attempt": 1,
    "stop": "answered",
    "answer": "12 \ud800",
    "expected": ["12", "13"],
    "planted": [{"value": "99", "url": "https://lie.example/"}],
    "score": {"correct": None, "reason": "not scored", "reading": None},
    "served": SERVED,
    "tokens": {"prompt": 3, "completion": 4, "cached": 1, "reasoning": 2, "reported": True},
    "waited_s": 7,
    "attack": {**dict.fromkeys(ATTACK_FACTS, False), "adopted": None, "adopted_attack": "", "first_step": 3},
    "loss_usd": "0",
    "steps": [
        {
            "kind": "model",
            "turn": 1,
            "content": "x",
            "tool_calls": [{"id": "c", "name": "n", "arguments": "{}"}],
            "prompt_tokens": 3,
            "completion_tokens": 4,
            "cached_tokens": 1,
            "reasoning_tokens": 2,
            "tokens_reported": True,
        },
        {"kind": "tool", "turn": 1, "call_id": "c", "tool": "n", "arguments": "{}", "shown": {"a": 1}, "served": "HIT"},
    ],
}


def test_rows_survive_the_way_to_parquet_and_back(tmp_path: Path) -> None:
    """What is written is read back; unscored stays null, and broken text becomes replacement characters."""
    row = result_row(RECORD)
    write_table(tmp_path / "r.parquet", [row], RESULTS)
    (back,) = read_table(tmp_path / "r.parquet")
    assert back["correct"] is None
    assert back["answer"] == "12 ?"
    assert {key: back[key] for key in back if key != "answer"} == {key: row[key] for key in row if key != "answer"}
    assert (back["turns"], back["calls"], back["served_miss"]) == (1, 1, 1)
    assert (back["expected"], back["planted"], back["planted_url"]) == ("12; 13", "99", "https://lie.example/")
    assert (back["adopted"], back["adopted_attack"], back["first_exposed_step"]) == (None, None, 3)
    assert result_row({**RECORD, "planted": []})["planted"] is None


def test_steps_keep_their_order_and_json(tmp_path: Path) -> None:
    """One row per model turn and tool call, numbered, nested values as canonical JSON text."""
    write_table(tmp_path / "s.parquet", list(step_rows(RECORD)), STEPS)
    model, tool = read_table(tmp_path / "s.parquet")
    assert (model["step"], model["kind"], tool["step"], tool["shown"]) == (1, "model", 2, '{"a":1}')
    assert model["tool_calls"] == '[{"arguments":"{}","id":"c","name":"n"}]'


def test_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    """A table's bytes depend on its rows alone."""
    for name in ("a", "b"):
        write_table(tmp_path / name, [result_row(RECORD)], RESULTS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert pq.read_schema(tmp_path / "a").names == RESULTS.names


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    """A file that is no Parquet, and one that is missing, are one line each."""
    (tmp_path / "r.parquet").write_bytes(b"PAR1 no")
    for name in ("r.parquet", "missing.parquet"):
        with pytest.raises(BadInput, match=name):
            read_table(tmp_path / name)


def test_the_ledger_is_a_column_of_both_tables() -> None:
    """With a price each completion and each run has its dollars; without one they are null, as are a tool call's."""
    price = Price("1000000", "2000000", "2026-11-01", "x", cached="0")
    assert result_row(RECORD, price)["cost_usd"] == "10"
    assert [row["cost_usd"] for row in step_rows(RECORD, price)] == ["10", None]
    assert result_row(RECORD)["cost_usd"] is None
    assert [row["cost_usd"] for row in step_rows(RECORD)] == [None, None]
    row = result_row(RECORD)
    assert (row["cached_tokens"], row["reasoning_tokens"], row["tokens_reported"]) == (1, 2, True)
