"""The one door to all verifiers."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerKind, AnswerSpec
from caia_replay.errors import BadInput
from caia_replay.scoring.verifiers import VERIFIERS, verify

ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"
SPECS = (
    AnswerSpec("number", ("1234.5",), "ETH"),
    AnswerSpec("address", (ADDRESS,)),
    AnswerSpec("hash", ("0x" + "ab" * 32,)),
    AnswerSpec("date", ("2024-03-01",)),
    AnswerSpec("text", ("Tornado Cash",)),
    AnswerSpec("text_set", ("Aave", "Compound")),
    AnswerSpec("boolean", ("yes",)),
)


def test_every_kind_has_one_verifier() -> None:
    """The map covers exactly the kinds core declares."""
    assert set(VERIFIERS) == set(get_args(AnswerKind)) == {spec.kind for spec in SPECS}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kind)
def test_the_value_itself_is_right(spec: AnswerSpec) -> None:
    """Every verifier can say yes, to the gold value in plain, bold, quoted and introduced form."""
    value = "; ".join(spec.values)
    for answer in (value, f"**{value}**", f"  {value}.", f"The answer is {value}", f"Answer: `{value}`"):
        assert verify(spec, answer).correct is True, answer


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kind)
@pytest.mark.parametrize("answer", [None, "", "  \n", "unknown", "I could not determine this.", "N/A", "42", "0x"])
def test_no_or_foreign_answers_are_wrong(spec: AnswerSpec, answer: str | None) -> None:
    """No answer is wrong, not unscored, and never has a reading."""
    score = verify(spec, answer)
    assert score.correct is False and score.reason
    assert answer is not None or score.reading is None


@settings(max_examples=150)
@given(st.sampled_from(SPECS), st.text(max_size=60))
def test_no_text_breaks_a_verifier(spec: AnswerSpec, answer: str) -> None:
    """Any text gets a verdict."""
    assert verify(spec, answer).correct in (True, False)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kind)
def test_equivalent_right_answers_share_a_reading(spec: AnswerSpec) -> None:
    """Right answers are one answer to a vote."""
    value = "; ".join(spec.values)
    assert verify(spec, value).reading == verify(spec, f"The answer is **{value}**.").reading is not None


def test_an_essay_is_not_read() -> None:
    """Beyond the length limit nothing is searched for a lucky hit."""
    assert verify(SPECS[1], ADDRESS + " " * 1000).correct is False


@pytest.mark.parametrize("kind", get_args(AnswerKind))
def test_a_spec_without_values_is_bad_input(kind: AnswerKind) -> None:
    """A broken spec is the author's fault and says so, whatever was answered."""
    with pytest.raises(BadInput, match="at least one value"):
        verify(AnswerSpec(kind, ()), "x")


@pytest.mark.parametrize(
    "spec",
    [
        AnswerSpec("number", ("many",)),
        AnswerSpec("number", ("1",), None, "-1"),
        AnswerSpec("number", ("1", "2")),
        AnswerSpec("address", ("0x12",)),
        AnswerSpec("hash", (ADDRESS,)),
        AnswerSpec("date", ("March 2024",)),
        AnswerSpec("text", ("...",)),
        AnswerSpec("text_set", ("Aave", "AAVE")),
        AnswerSpec("boolean", ("perhaps",)),
    ],
    ids=lambda spec: f"{spec.kind}-{spec.values[0]}",
)
def test_a_value_its_kind_cannot_hold_is_bad_input(spec: AnswerSpec) -> None:
    """Malformed specs never score anything."""
    with pytest.raises(BadInput):
        verify(spec, "anything")


def test_an_unknown_kind_names_the_nearest() -> None:
    """A misspelt kind is told with its nearest match."""
    with pytest.raises(BadInput, match="nearest: number"):
        verify(AnswerSpec("nmber", ("1",)), "1")  # type: ignore[arg-type]
