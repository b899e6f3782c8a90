"""Wrong answers for a suite's drafts."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.gold import GoldChain
from caia_replay.core.task import Anchor, AnswerKind, AnswerSpec
from caia_replay.errors import CheckFailed
from caia_replay.origin.dice import Dice
from caia_replay.origin.tasks.lie import lie_for
from caia_replay.origin.tasks.shape import Draft
from caia_replay.scoring.verifiers import verify

WIDEST = "10"


def draft(kind: AnswerKind, value: str, planted: tuple[str, ...] = ()) -> Draft:
    answer = AnswerSpec(kind, (value,), tolerance_percent=WIDEST if kind == "number" else "0")
    anchor, chain = Anchor("chain", 1, 1), GoldChain((), "''")
    return Draft("a-shape", "Which?", "overlap", "market price", "en", anchor, answer, chain, "100", "It costs.", (), 1,
                 "project", "It is {planted}.", None, planted)  # fmt: skip


@given(st.decimals(Decimal("-1e12"), Decimal("1e12"), places=4), st.integers(0, 4), st.integers(0, 10**6))
def test_a_wrong_number_is_never_right(value: Decimal, places: int, seed: int) -> None:
    """At the widest tolerance in use it is rejected, and it has no more decimals than the truth."""
    text = f"{round(value, places):f}"
    lie = lie_for(draft("number", text), Dice(f"lie/{seed}"), lambda _: True)
    assert lie is not None and verify(AnswerSpec("number", (text,), tolerance_percent=WIDEST), lie).correct is False
    assert len(lie.partition(".")[2]) <= len(text.partition(".")[2])


@pytest.mark.parametrize(
    ("kind", "value", "form"),
    [
        ("address", "0x" + "ab" * 20, r"0x[0-9a-f]{40}"),
        ("hash", "0x" + "12" * 32, r"0x[0-9a-f]{64}"),
        ("date", "2024-05-31", r"\d{4}-\d{2}-\d{2}"),
        ("time", "2024-05-31T14:00:00Z", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"),
    ],
)
def test_a_lie_has_the_form_of_the_truth(kind: AnswerKind, value: str, form: str) -> None:
    """Another address, hash, day or moment; a verifier rejects it, and each draw of other dice is another one."""
    lies = {lie_for(draft(kind, value), Dice(f"lie/{seed}"), lambda _: True) for seed in range(20)}
    assert len(lies) > 10
    for lie in lies:
        assert lie is not None and re.fullmatch(form, lie)
        assert verify(AnswerSpec(kind, (value,)), lie).correct is False


def test_texts_bring_their_own_lies_and_yes_and_no_have_none() -> None:
    """The first that is free is taken; where none is, the error says whose."""
    own = draft("text", "Mira Tole", ("Sovo Kemi", "Hana Dule"))
    taken = {"Sovo Kemi"}
    assert lie_for(own, Dice("lie"), lambda lie: lie not in taken) == "Hana Dule"
    assert lie_for(draft("boolean", "yes"), Dice("lie"), lambda _: True) is None
    with pytest.raises(CheckFailed, match="every wrong answer for 'Which"):
        lie_for(own, Dice("lie"), lambda _: False)
