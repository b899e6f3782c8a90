from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

import pytest

from caia_replay.core.gold import GoldChain, GoldStep
from caia_replay.core.task import AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.recording.task_words import Proof, canary_of, read_gold_file
from caia_replay.store.plain import thawed, toml_text

ANSWER = AnswerSpec("number", ("19",))
GOLD = GoldChain((GoldStep("block_query", MappingProxyType({"block": 12})),), "$1.number")


def test_a_canary_is_its_tasks_own() -> None:
    """The same for the same task, another for another id, suite or question, and none of them says what it is of."""
    every = {canary_of(*parts) for parts in (("s", "a", "q"), ("s", "b", "q"), ("t", "a", "q"), ("s", "a", "p"))}
    assert len(every) == 4 and canary_of("s", "a", "q") in every
    assert all(re.fullmatch("CAIA-REPLAY-CANARY-[0-9a-f]{32}", one) for one in every)


def test_what_is_said_twice_is_refused(tmp_path: Path) -> None:
    """Options and a file say the same things; each may say a half, and neither says what the other does."""
    path, step = tmp_path / "gold.toml", 'block_query {"block": 12}'
    assert Proof(["19"], steps=[step], result="$1.number").read() == (ANSWER, GOLD)
    path.write_text(toml_text({"answer": thawed(ANSWER)}))
    assert Proof(steps=[step], result="$1.number", file=path).read() == (ANSWER, GOLD)
    for twice in (Proof(["1"], file=path), Proof(kind="date", file=path), Proof(unit="ETH", file=path)):
        with pytest.raises(BadInput, match="says it already"):
            twice.read()
    path.write_text(toml_text({"gold": thawed(GOLD)}))
    assert Proof(["19"], file=path).read() == (ANSWER, GOLD)
    for twice in (Proof(steps=[step], file=path), Proof(result="$1.number", file=path)):
        with pytest.raises(BadInput, match="says it already"):
            twice.read()


def test_nothing_said_is_nothing_known() -> None:
    """No value, no step and no result is made up; a step without arguments has none."""
    assert Proof().read() == (AnswerSpec("number", ()), GoldChain((), ""))
    assert Proof(kind="date", steps=[" block_query "]).read()[1].steps == (GoldStep("block_query", {}),)


@pytest.mark.parametrize("step", ["block_query {", "block_query []", 'block_query {"a": 1, "a": 2}', "block_query NaN"])
def test_a_step_that_is_no_call_is_one_line(step: str) -> None:
    """Arguments are one JSON object, read strictly."""
    with pytest.raises(BadInput, match="--step"):
        Proof(steps=[step]).read()


def test_a_gold_file_is_read_strictly(tmp_path: Path) -> None:
    """Either table may be left out; anything else in it, and an empty file, are one line."""
    path = tmp_path / "gold.toml"
    path.write_text(toml_text({"answer": thawed(ANSWER), "gold": thawed(GOLD)}))
    assert read_gold_file(path) == (ANSWER, GOLD)
    path.write_text(toml_text({"gold": thawed(GOLD)}))
    assert read_gold_file(path) == (None, GOLD)
    path.write_text(toml_text({"answer": thawed(ANSWER)}))
    assert read_gold_file(path) == (ANSWER, None)
    for text, words in (
        ("", "neither"),
        ("[gould]", "unknown field 'gould'"),
        ("[answer]\nvalues = ['1']", "'answer.kind' is missing"),
        ("[answer]\nkind = 'numbr'\nvalues = ['1']", "nearest: number"),
        ("[gold]\nresult = 1\nsteps = []", "gold.result"),
        ("=", "not a TOML file"),
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=re.escape(words)):
            read_gold_file(path)
    with pytest.raises(BadInput, match="missing"):
        read_gold_file(tmp_path / "none.toml")
