"""Answer kinds guessed from texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerKind
from caia_replay.interop.caia_answer import NO_ANSWER, guess_answer, read_moment
from caia_replay.scoring.spec import check_spec
from caia_replay.scoring.verifiers import verify

ADDRESS = "0x" + "aB" * 20
BASE58 = "7Xk" * 13 + "pump"


@pytest.mark.parametrize(
    ("question", "answer", "kind", "values"),
    [
        ("The contract of LNT?", f"address: {ADDRESS}", "address", (ADDRESS.lower(),)),
        ("The contract of LNT?", f"{BASE58}.", "text", (BASE58,)),
        ("Which transaction minted it?", "0x" + "Cd" * 32, "hash", ("0x" + "cd" * 32,)),
        ("Its documentation?", "https://docs.lantern.example/a", "url", ("https://docs.lantern.example/a",)),
        ("Has Lantern closed?", "No.", "boolean", ("no",)),
        ("Is LNT up 5%, on 2024-01-02?", "LNT is not up 5%", "boolean", ("no",)),
        ("某合约是否支持升级", "不支持", "boolean", ("no",)),
        ("某合约是否包含铸造", "包含铸造", "boolean", ("yes",)),
        ("Lantern's TVL?", "$1.5M", "number", ("1500000",)),
        ("When did it launch?", "2024, July 19", "date", ("2024-07-19",)),
        ("The timestamp of it?", "Mar-05-2024 06:07:08 PM +UTC (Optional: 1)", "time", ("2024-03-05T18:07:08Z",)),
        ("The timestamp of it?", "2024-03-05T06:07:08PM UTC.", "time", ("2024-03-05T18:07:08Z",)),
        ("Which lenders are there?", "Arda, Bresk", "text_set", ("Arda", "Bresk")),
        ("Who leads it?", "Ottermoor Capital", "text", ("Ottermoor Capital",)),
        ("Between Arda and Bresk, which is larger?", "Bresk", "text", ("Bresk",)),
    ],
)
def test_the_text_tells_the_kind(question: str, answer: str, kind: AnswerKind, values: tuple[str, ...]) -> None:
    """Each guess is marked, and its own value is right by it."""
    guess = guess_answer(question, answer)
    assert (guess.spec.kind, guess.spec.values) == (kind, values)
    assert "answer:guessed" in guess.tags
    assert check_spec(guess.spec) == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Does it take cards? If yes, are coins taken?", "Yes. Yes."),
        ("Who sent it, and did it succeed?", f"{ADDRESS}; yes"),
        ("What is the idea of it?", "Lanterns light the way for lenders who lend."),
        ("Who leads it?", "Arda/Bresk/Corvo"),
        ("When is it listed?", "Not announced"),
        ("When did it launch?", "June 4 or June 5, 2024"),
        ("How much, at what price?", "15M, 60M"),
        ("The supply?", "any number more than 57 million is correct"),
    ],
)
def test_what_has_no_single_rule_is_open(question: str, answer: str) -> None:
    """The whole answer is kept for a judge, with the reason."""
    guess = guess_answer(question, answer)
    assert (guess.spec.kind, guess.spec.values) == ("open", (answer,))
    assert "answer:open" in guess.tags and guess.notes


def test_a_tolerance_in_words_is_the_rule() -> None:
    """Two per cent as stated, whoever's preset; and the note is tagged."""
    guess = guess_answer("Lantern's TVL?", "approximately 35B with 2% fault tolerance")
    assert guess.spec.tolerance_percent == "2"
    assert {"answer:note", "tolerance:stated", "answer:approximate"} <= set(guess.tags)
    assert [verify(guess.spec, text).correct for text in ("$35.6B", "$35.8B")] == [True, False]


def test_a_net_change_knows_its_sign() -> None:
    """A decrease in words is the negative value."""
    guess = guess_answer("What net increase had WBTC?", "-12,345.5 WBTC.")
    assert verify(guess.spec, "WBTC fell by 12,345.5 WBTC").correct is True
    assert verify(guess.spec, "12,345.5 WBTC").correct is not True


def test_an_address_is_held_to_the_chain_that_is_named() -> None:
    """Only where the scorer knows that chain."""
    assert guess_answer("The contract?", ADDRESS, "base").spec.chain == "base"
    assert guess_answer("The contract?", ADDRESS, "nochain").spec.chain is None


def test_a_minute_may_be_off_by_its_seconds() -> None:
    """Where a minute is told, or asked for."""
    assert guess_answer("When does it open?", "Aug 27, 2025 – 08:00 UTC").spec.tolerance_seconds == 59
    asked = guess_answer("When did it open, to the minute?", "July 12, 2025 at 15:40:12 UTC")
    assert asked.spec.tolerance_seconds == 59
    assert guess_answer("The timestamp?", "2025-08-29 09:00:05 UTC").spec.tolerance_seconds is None


def test_no_answer_is_no_guess() -> None:
    """The kind is open, the value says that there is none."""
    guess = guess_answer("Anything?", None)
    assert (guess.spec.kind, guess.spec.values, guess.tags) == ("open", (NO_ANSWER,), ("answer:none",))


@pytest.mark.parametrize("text", ["2024-03-05", "2024-03-05 06:07", "2024-03-05 06:07:08 UTC"])
def test_a_moment_tells_its_precision(text: str) -> None:
    """Day, minute or second."""
    found = read_moment(text)
    assert found is not None
    assert found[1] == {10: "day", 16: "minute", 23: "second"}[len(text)]


@pytest.mark.parametrize(
    "text", ["March 2024", "June 4", "2024-03-05 EST", "2024-03-05 and 2024-03-06", "2024-02-30", ""]
)
def test_what_is_no_single_moment_is_none(text: str) -> None:
    """Periods, days without a year, other zones and impossible days."""
    assert read_moment(text) is None


@given(st.text(max_size=120), st.text(max_size=300))
def test_every_guess_can_be_judged(question: str, answer: str) -> None:
    """Whatever a file holds, its spec has no fault, unless there is no answer in it at all."""
    if answer.strip():
        assert check_spec(guess_answer(question, answer).spec) == []
