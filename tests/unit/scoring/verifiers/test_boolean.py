"""Yes, no, and a premise that is false."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers import verify
from tests.labelled_set import misjudged

YES, NO, PREMISE = (AnswerSpec("boolean", (value,)) for value in ("yes", "no", "false premise"))

READINGS: dict[str | None, tuple[str, ...]] = {
    "yes": (
        "Yes", "yes, it did not fail", "TRUE", "**Yes.**", "是", "是的", "The claim is true.", "That is correct",
        "支持", "It does.", "Sí", "Yes, no doubt about it.", '{"answer": true}', "The answer to the question is yes.",
        "That's right.", "The answer would be yes: it was verified in May 2024.", "In May 2024 the answer was yes.",
        "没错，已验证。", "Never mind, yes",
    ),
    "no": (
        "No", "no, it is not true that it is correct", "False", "It is not true", "The statement is false", "否",
        "不是", "It isn't correct", "不支持", "It did not.", "No, it's not true", "not true", "No longer.",
        "In May, the answer was no.", "Never", "Never.", "never, the contract was immutable", "从未", "从不。",
    ),
    None: (
        "yes and no", "Yes or no", "No/Yes", "maybe", "true for some, false for others", "?", "Yes. Actually, no.",
        "Yes\nNo", "Yes for v1, no for v2", "yes, but the answer is no", "It might be true", "No transactions reverted",
        "不，答案是肯定的", "either yes or no", "The answer may be yes.", "It is not certain that the answer is yes.",
        "One blog says yes.", "Never before 2024", "Never. Actually, yes.", "never say never",
        "It is false that it is false",
    ),
}  # fmt: skip


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_an_answer_is_read_as_yes_or_no_or_neither(reading: str | None) -> None:
    """In words, sentences and languages; both at once, a doubt, a report and a denied denial are neither."""
    for answer in READINGS[reading]:
        score = verify(YES, answer)
        assert (score.reading, score.correct) == (reading, reading == "yes"), answer
    assert misjudged(NO, reading == "no", READINGS[reading]) == []


DENIED = (
    "False premise", "The premise is false.", "This never happened.", "No such transaction exists.", "前提不成立",
    "There was no such event.", "The premise does not hold: the token was never launched.", "该交易不存在",
    "No, this event did not happen.", "It assumes an upgrade that didn't happen.",
    "The question is based on a false premise.", "I could not find such a transaction because it does not exist.",
    "The question assumes a hack of the bridge in May 2024, but this never happened.",
    "The question assumes a second airdrop, but there was only one.",
    "The question presupposes a hack which did not take place.", "The bridge was never hacked in May 2024.",
    "The bridge was not hacked in May 2024, so the question does not apply.", "There wasn't any hack in May 2024.",
    "No hack of the bridge took place in May 2024.", "The hack you mention in May 2024 is fictitious.",
    "The hack in the question never took place.", "2024年5月并没有发生此次攻击。",
)  # fmt: skip
KEPT = (
    "Yes", "No", "no, it used other keys", "The premise is true", "The premise is not false",
    "The premise may be false", "It is not clear whether the premise is false",
    "I cannot tell whether this never happened", "There is no data available.", "Yes, this never happened before",
    "Yes, what never happened in May happened in June", "There is no doubt that it happened", "No, the claim is false",
    "前提成立", "If the premise is false, then no", "The question assumes a hack in May 2024, which happened.",
    "The question assumes a hack in May 2024, but I could not check whether it happened.",
    "The question assumes a hack in May 2024, and it may never have happened.", "May be this never happened.",
    "The claim that there was no hack is false.", "Some say this never happened, but it did.",
    "It is not true that this never happened.", "No information exists about a hack.",
    "No, a different key took place.", "The bridge was never hacked by the same signers.",
    "I found no such transaction", "No such transaction was found", "The search returned no such transaction",
    "There is no such fee in the docs I read", "My records contain no such transaction", "We saw no such transfer",
    "Etherscan shows no such event", "There is no such fee in my data", "I am not aware of any such event",
    "It is false that the premise is false", "No false premise", "There is no false premise here",
    "The premise isn't false", "The premise is false? No.", "The premise is false, or maybe true",
    "The premise that the premise is false is wrong",
)  # fmt: skip


def test_a_premise_is_denied_in_words_and_in_sentences() -> None:
    """The month of May is no doubt, and what never was is a false premise, which is no yes."""
    assert misjudged(PREMISE, True, DENIED) == [] and misjudged(YES, False, DENIED) == []


def test_a_premise_doubted_reported_kept_or_not_looked_up_is_not_denied() -> None:
    """A yes, a no, a perhaps, hearsay, and not having found it do not say that the premise is false."""
    assert misjudged(PREMISE, False, KEPT) == []


def test_a_premise_denied_is_neither_yes_nor_no() -> None:
    """ "No" told of the premise does not answer a question whose premise holds."""
    assert misjudged(NO, False, ["The premise is false: no such token exists."]) == []
    assert misjudged(NO, True, ["No, the premise is false."]) == []


@given(
    st.sampled_from(["yes", "no", "false premise"]),
    st.sampled_from([str.upper, str.lower, str.title]),
    st.sampled_from(["{}.", "**{}**", " {}\n"]),
)
def test_case_and_markdown_never_matter(value: str, case: Callable[[str], str], form: str) -> None:
    """Each value said plainly is right for itself and wrong for the others."""
    for spec in (YES, NO, PREMISE):
        assert verify(spec, form.format(case(value))).correct is (value == spec.values[0])


FORMS = (
    "The premise holds: {}.", "The premise is correct. {}.", "The assumption is valid; {}.", "前提成立：{}",
    "The premise stands, {}.", "It is false that {}.", "It is a lie that {}.", "It would be wrong to say {}.",
    "Nobody says {}.", "The team denies that {}.", "{}, says the blog", "{}?", "If {}, then no",
    "It is not true that {}", "Yes, {}",
)  # fmt: skip


@pytest.mark.parametrize(
    "denial", ["no such fee exists", "it never happened", "there was no second hack", "the fee does not exist"]
)
def test_a_denial_contradicted_denied_or_handed_on_is_none(denial: str) -> None:
    """Only a denial the answer itself makes, and keeps, says that the premise is false."""
    assert misjudged(PREMISE, True, [denial]) == []
    assert misjudged(PREMISE, False, [form.format(denial) for form in FORMS]) == []
