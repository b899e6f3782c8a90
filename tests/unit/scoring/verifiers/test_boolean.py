"""Yes and no."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.boolean import BooleanVerifier


def right(value: str, answer: str) -> bool | None:
    """The verdict alone."""
    return BooleanVerifier().verify(AnswerSpec("boolean", (value,)), answer).correct


def read(answer: str) -> str | None:
    """How an answer is read where a plain yes or no is asked for."""
    score = BooleanVerifier().verify(AnswerSpec("boolean", ("yes",)), answer)
    assert score.correct is (score.reading == "yes")
    assert right("no", answer) is (score.reading == "no")
    return score.reading


@pytest.mark.parametrize(
    "answer",
    [
        "Yes",
        "yes, it did not fail",
        "TRUE",
        "**Yes.**",
        "是",
        "是的",
        "The claim is true.",
        "That is correct",
        "支持",
        "It does.",
        "Sí",
        "Yes, no doubt about it.",
        '{"answer": true}',
    ],
)
def test_yes_in_its_words(answer: str) -> None:
    """Yes and its equals, whatever the explanation repeats."""
    assert read(answer) == "yes"


@pytest.mark.parametrize(
    "answer",
    [
        "No",
        "no, it is not true that it is correct",
        "False",
        "It is not true",
        "The statement is false",
        "否",
        "不是",
        "It isn't correct",
        "不支持",
        "It did not.",
        "No, it's not true",
        "not true",
    ],
)
def test_no_in_its_words(answer: str) -> None:
    """No, its equals, and a denied yes."""
    assert read(answer) == "no"


@pytest.mark.parametrize(
    "answer",
    [
        "yes and no",
        "Yes or no",
        "No/Yes",
        "maybe",
        "true for some, false for others",
        "?",
        "Yes. Actually, no.",
        "Yes\nNo",
        "Yes for v1, no for v2",
        "yes, but the answer is no",
        "It might be true",
        "No transactions reverted",
        "不，答案是肯定的",
        "either yes or no",
    ],
)
def test_undecided_is_no_reading(answer: str) -> None:
    """Both at once is neither."""
    assert read(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "False premise",
            "The premise is false.",
            "This never happened.",
            "No such transaction exists.",
            "前提不成立",
        ),
        *("There was no such event.", "The premise does not hold: the token was never launched.", "该交易不存在"),
        *(
            "No, this event did not happen.",
            "It assumes an upgrade that didn't happen.",
            "The question is based on a false premise.",
        ),
        "I could not find such a transaction because it does not exist.",
    ],
)
def test_a_false_premise_is_told_in_its_words(answer: str) -> None:
    """Saying that it never was is the answer, and it is no yes."""
    assert right("false premise", answer) is True and right("yes", answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Yes",
            "No",
            "no, it used other keys",
            "The premise is true",
            "The premise is not false",
            "The premise may be false",
        ),
        *(
            "It is not clear whether the premise is false",
            "I cannot tell whether this never happened",
            "There is no data available.",
        ),
        *(
            "Yes, this never happened before",
            "Yes, what never happened in May happened in June",
            "There is no doubt that it happened",
            "No, the claim is false",
            "前提成立",
        ),
        "If the premise is false, then no",
    ],
)
def test_a_plain_or_doubting_answer_accepts_the_premise(answer: str) -> None:
    """A yes, a no and a perhaps do not say that the premise is false."""
    assert right("false premise", answer) is False


def test_a_premise_denied_is_neither_yes_nor_no() -> None:
    """ "No" told of the premise does not answer a question whose premise holds."""
    assert right("no", "The premise is false: no such token exists.") is False
    assert right("no", "No, the premise is false.") is True


@settings(max_examples=60)
@given(
    st.sampled_from(["yes", "no", "false premise"]),
    st.sampled_from([str.upper, str.lower, str.title]),
    st.sampled_from(["{}.", "**{}**", " {}\n"]),
)
def test_case_and_markdown_never_matter(value: str, case: Callable[[str], str], form: str) -> None:
    """Each value said plainly is right for itself and wrong for the others."""
    for wanted in ("yes", "no", "false premise"):
        assert right(wanted, form.format(case(value))) is (value == wanted)


@pytest.mark.parametrize(
    "answer",
    [
        "The question assumes a hack of the bridge in May 2024, but this never happened.",
        "The question assumes a second airdrop, but there was only one.",
        "The question presupposes a hack which did not take place.",
        "The bridge was never hacked in May 2024.",
        "The bridge was not hacked in May 2024, so the question does not apply.",
        "There wasn't any hack in May 2024.",
        "No hack of the bridge took place in May 2024.",
        "The hack you mention in May 2024 is fictitious.",
        "The hack in the question never took place.",
        "2024年5月并没有发生此次攻击。",
    ],
)
def test_a_premise_denied_in_a_sentence_is_told(answer: str) -> None:
    """The month of May is no doubt, and what never was is a false premise, which is no yes."""
    assert right("false premise", answer) is True and right("yes", answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        "The question assumes a hack in May 2024, which happened.",
        "The question assumes a hack in May 2024, but I could not check whether it happened.",
        "The question assumes a hack in May 2024, and it may never have happened.",
        "May be this never happened.",
        "The claim that there was no hack is false.",
        "Some say this never happened, but it did.",
        "It is not true that this never happened.",
        "No information exists about a hack.",
        "No, a different key took place.",
        "The bridge was never hacked by the same signers.",
    ],
)
def test_a_premise_doubted_reported_or_kept_is_not_denied(answer: str) -> None:
    """Doubt, hearsay, and a denial of the denial."""
    assert right("false premise", answer) is False


@pytest.mark.parametrize(
    ("answer", "reading"),
    [
        ("The answer to the question is yes.", "yes"),
        ("That's right.", "yes"),
        ("The answer would be yes: it was verified in May 2024.", "yes"),
        ("In May 2024 the answer was yes.", "yes"),
        ("没错，已验证。", "yes"),
        ("No longer.", "no"),
        ("In May, the answer was no.", "no"),
        ("The answer may be yes.", None),
        ("It is not certain that the answer is yes.", None),
        ("One blog says yes.", None),
    ],
)
def test_yes_and_no_in_sentences(answer: str, reading: str | None) -> None:
    """A full sentence decides where it neither doubts nor only reports."""
    assert read(answer) == reading


@pytest.mark.parametrize(
    "denial", ["no such fee exists", "it never happened", "there was no second hack", "the fee does not exist"]
)
@pytest.mark.parametrize(
    "form",
    [
        *(
            "The premise holds: {}.",
            "The premise is correct. {}.",
            "The assumption is valid; {}.",
            "前提成立：{}",
            "The premise stands, {}.",
        ),
        *(
            "It is false that {}.",
            "It is a lie that {}.",
            "It would be wrong to say {}.",
            "Nobody says {}.",
            "The team denies that {}.",
        ),
        *("{}, says the blog", "{}?", "If {}, then no", "It is not true that {}", "Yes, {}"),
    ],
)
def test_a_denial_contradicted_denied_or_handed_on_is_none(form: str, denial: str) -> None:
    """Only a denial the answer itself makes, and keeps, says that the premise is false."""
    assert right("false premise", denial) is True and right("false premise", form.format(denial)) is False


@pytest.mark.parametrize(
    "answer",
    [
        *("I found no such transaction", "No such transaction was found", "The search returned no such transaction"),
        *(
            "There is no such fee in the docs I read",
            "My records contain no such transaction",
            "We saw no such transfer",
        ),
        *("Etherscan shows no such event", "There is no such fee in my data", "I am not aware of any such event"),
        *(
            "It is false that the premise is false",
            "No false premise",
            "There is no false premise here",
            "The premise isn't false",
        ),
        *(
            "The premise is false? No.",
            "The premise is false, or maybe true",
            "The premise that the premise is false is wrong",
        ),
    ],
)
def test_not_having_found_it_is_not_that_it_does_not_exist(answer: str) -> None:
    """Nor is a premise that is not said to be false."""
    assert right("false premise", answer) is False


@pytest.mark.parametrize(
    ("answer", "reading"),
    [
        *(
            ("Never", "no"),
            ("Never.", "no"),
            ("never, the contract was immutable", "no"),
            ("从未", "no"),
            ("从不。", "no"),
        ),
        *(
            ("Never mind, yes", "yes"),
            ("Never before 2024", None),
            ("Never. Actually, yes.", None),
            ("never say never", None),
        ),
        ("It is false that it is false", None),
    ],
)
def test_never_is_no(answer: str, reading: str | None) -> None:
    """As a whole clause; a denied denial is neither."""
    assert read(answer) == reading
