"""Names and short texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.verifiers.text import TextVerifier

SPEC = AnswerSpec("text", ("Tornado Cash",), aliases=("Tornado", "龙卷风"))


@pytest.mark.parametrize(
    "answer",
    [
        "Tornado Cash",
        "tornado-cash.",
        "TORNADOCASH",
        "The mixer is Tornado Cash",
        '"Tornado Cash"',
        "tornado",
        "龙卷风",
        "它是龙卷风",
    ],
)
def test_spelling_aliases_and_lead_ins_are_right(answer: str) -> None:
    """Case, punctuation, aliases and a plain lead-in never matter; all share one reading."""
    score = TextVerifier().verify(SPEC, answer)
    assert (score.correct, score.reading) == (True, "tornadocash")


@pytest.mark.parametrize(
    "answer",
    [
        "Tornado Cash or Railgun",
        "Railgun, a fork of Tornado Cash",
        "a fork of Tornado Cash",
        "not Tornado Cash",
        "It is not Tornado Cash",
        "It is unclear whether it is Tornado Cash",
        "It might be called Tornado Cash",
        "The false claim is Tornado Cash",
        "Tornado Cash 2",
        "Railgun",
    ],
)
def test_containing_the_value_is_not_enough(answer: str) -> None:
    """Hedges, denials, comparisons and longer names are other answers."""
    assert TextVerifier().verify(SPEC, answer).correct is False


INVESTOR = AnswerSpec("text", ("Pantera Capital",), aliases=("Pantera",))


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Pantera Capital led the round.",
            "The round was led by Pantera Capital.",
            "Pantera Capital (Source: CoinDesk)",
        ),
        *(
            "The lead investor was Pantera Capital, according to the announcement.",
            "[Pantera Capital](https://a.b/c) [1]",
        ),
        *("Based on the announcement, the lead investor is Pantera Capital.", "Not Polychain but Pantera Capital"),
        *(
            "It is Pantera Capital, not Polychain as the blog claims.",
            "Some blogs say Polychain, but it was Pantera Capital",
        ),
        *("Polychain is wrong; the lead investor is Pantera Capital.", "**Pantera Capital** is the lead investor."),
        *(
            "Pantera Capital\n\nSources:\n- CoinDesk\n- Etherscan",
            "The seed round was led by Pantera Capital with $4M.",
        ),
        *("Pantera Capital, with 61% of the round; Polychain is second with 24%.", "领投方是 Pantera Capital。"),
        "Pantera Capital (contract 0x98f3c9e6e3face36baad05fe09d375ef1464288b)",
        "Based on the data, Pantera Capital",
        "The round was raised via Pantera Capital.",
        "The lead was identified as Pantera Capital.",
        "I believe it is Pantera Capital",
        "I traced the announcement. The lead investor is Pantera Capital.",
    ],
)
def test_explained_and_introduced_names_are_right(answer: str) -> None:
    """Prose that explains the one name, and the rejected lie, do not matter; nor does case."""
    assert TextVerifier().verify(INVESTOR, answer).correct is True
    assert TextVerifier().verify(INVESTOR, answer.upper()).correct is True


@settings(max_examples=150)
@given(
    st.sampled_from(["Polychain", "Binance Labs", "a16z", "Pantera Capital II"]),
    st.sampled_from(
        [
            *(
                "{0}",
                "{1} and {0}",
                "{1}, {0}",
                "{1} or {0}",
                "{1}; {0}",
                "{1} / {0}",
                "{1}. {0}.",
                "{1}\n{0}",
                "{1} ({0})",
            ),
            *(
                "{0}, followed by {1}",
                "{0}, not {1}",
                "{0}, a rival of {1}",
                "{0}, whose partner is {1}",
                "{0}: it used {1}",
            ),
            *(
                "{1}. However, it may be {0}.",
                "{1}. Actually, {0}.",
                "either {1} or {0}",
                "{1}. The lead investor is {0}.",
            ),
            *(
                "{1}. It was {0}.",
                "{0} rather than {1}",
                "The blog says {1}, but it is {0}",
                "not only {1} but {0}",
                "{1} with {0}",
            ),
            *(
                "{1} was replaced by {0}",
                "{0} {1}",
                "neither {1} nor {0}",
                "{1} as well as {0}",
                "{0}. {1}",
                "not just {0} but {1}",
            ),
            *(
                "{0} was followed by {1}",
                "{1} plus {0}",
                "{1} = no; {0} = yes",
                "{0} (whose partner is {1})",
                "{1}, the fund, or {0}",
                "{0} uses {1}",
                "{0} via {1}",
                "It is {0}, via {1}",
                "{0} = {1}",
                "{1}, a fund like {0} or another",
            ),
        ]
    ),
)
def test_a_planted_name_never_passes(planted: str, form: str) -> None:
    """Another name beside the right one, before or after it, is a hedge or another answer."""
    assert TextVerifier().verify(INVESTOR, form.format(planted, "Pantera Capital")).correct is False


def test_wrong_answers_keep_their_own_reading() -> None:
    """Two spellings of one wrong answer are one answer to a vote."""
    verifier = TextVerifier()
    assert verifier.verify(SPEC, "It is Railgun.").reading == verifier.verify(SPEC, "RAILGUN").reading == "railgun"


@pytest.mark.parametrize(
    "gloss",
    [
        "North Korea",
        "a hacking group",
        "North Korean hackers",
        "venture capital",
        "a US firm",
        "attributed by the FBI",
        "公司",
    ],
)
def test_brackets_may_tell_kind_and_country(gloss: str) -> None:
    """No word of them names anything else."""
    for form in ("{0} ({1})", "The investor is {0} ({1}).", "**{0}** （{1}）"):
        assert TextVerifier().verify(INVESTOR, form.format("Pantera Capital", gloss)).correct is True, (form, gloss)


@pytest.mark.parametrize(
    "gloss",
    [
        *(
            "formerly Polychain",
            "now Polychain",
            "or Polychain",
            "Polychain",
            "Polychain, a US firm",
            "not confirmed",
            "?",
            "II",
        ),
        *(
            "suspected",
            "unconfirmed",
            "wrong",
            "40% likely",
            "via Polychain",
            "the impostor",
            "denied",
            "copycat",
            "ruled out",
        ),
    ],
)
def test_brackets_that_name_doubt_or_withdraw_are_no_gloss(gloss: str) -> None:
    """Another name, a doubt, or the answer taken back."""
    assert TextVerifier().verify(INVESTOR, f"Pantera Capital ({gloss})").correct is False


def test_a_chinese_noun_behind_the_name_tells_its_kind() -> None:
    """公司 is a company; its subsidiary is another one, and a question no answer."""
    for answer in ("Pantera Capital公司", "是Pantera Capital公司。", "Pantera Capital 团队"):
        assert TextVerifier().verify(INVESTOR, answer).correct is True
    for answer in (
        "Pantera Capital公司的子公司",
        "Pantera Capital公司?",
        "Polychain公司",
        "不是Pantera Capital公司",
        "Pantera Capital?",
    ):
        assert TextVerifier().verify(INVESTOR, answer).correct is False
