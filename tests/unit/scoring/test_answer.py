"""Laws of reading submitted text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import agreed, clean, folded, is_refusal, phrases, rejected, standing
from caia_replay.scoring.verifiers import verify


@settings(max_examples=100)
@given(st.text(max_size=80))
def test_cleaning_twice_is_cleaning_once_for_folding(text: str) -> None:
    """Cleaning is stable: what a verifier compares does not depend on how often a text went through it."""
    assert folded(clean(clean(clean(text)))) == folded(clean(clean(text)))


@settings(max_examples=100)
@given(st.text(alphabet="abcXYZ019éß比特", min_size=1, max_size=20))
def test_case_punctuation_and_spaces_do_not_reach_the_folded_form(word: str) -> None:
    """Folding is blind to case, quotes, spaces and a final stop."""
    assert folded(f' "{word.upper()}". ') == folded(word.upper()) == folded(word.upper().casefold())


def test_a_sign_and_a_decimal_point_survive_folding() -> None:
    """-1 is not 1, 1.5 is not 15, and C++ is not C."""
    assert len({folded(text) for text in ("1", "-1", "1.5", "15", "C", "C+", "C++")}) == 7


@pytest.mark.parametrize("before", ["not ", "It is not ", "rather than ", "instead of the ", "never $", "不是"])
def test_a_value_said_to_be_wrong_is_rejected(before: str) -> None:
    """ "not 43" reports 43, it does not answer it."""
    assert rejected(before + "43", len(before))


@pytest.mark.parametrize("before", ["it is ", "notable: ", "knot ", "", "not 42 but "])
def test_other_words_reject_nothing(before: str) -> None:
    """Only a negation right before a value rejects it."""
    assert not rejected(before + "43", len(before))


def test_two_different_readings_are_no_reading() -> None:
    """The hedge rule: equal readings agree, different ones do not, none is none."""
    assert agreed(["a", "a"]) == ("a", "")
    assert agreed(["a", "b"])[0] is None
    assert agreed([])[0] is None


def test_a_lead_in_is_removed_only_when_it_asserts() -> None:
    """What follows "is" counts, unless the words before it doubt or deny."""
    assert phrases("The mixer is Tornado Cash")[-1] == "Tornado Cash"
    assert phrases("It is unclear whether it is Tornado Cash")[1:] == ("unclear whether it is Tornado Cash",)


def test_powers_written_high_stay_powers() -> None:
    """10 to the 18th does not become 1018."""
    assert clean("10¹⁸") == "10^18"


def test_a_refusal_is_told_from_an_answer() -> None:
    """Only an answer that says nothing but that there is none is a refusal."""
    assert all(is_refusal(text) for text in ("unknown", "N/A", "**I don't know.**", "\u65e0\u6cd5\u786e\u5b9a"))
    assert not any(is_refusal(text) for text in ("0", "unknown sender: 5", "None Protocol", "no"))


@pytest.mark.parametrize(
    "text",
    [
        "Unfortunately, I was unable to retrieve the data.",
        "I'm sorry, but I cannot determine this.",
        "The hash cannot be determined",
        "没有找到",
    ],
)
def test_a_refusal_in_prose_is_one(text: str) -> None:
    """An answer that opens by having none is a refusal."""
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text", ["I could not verify it on Etherscan, but it is 42", "It does not exist", "42", "The value cannot be 43"]
)
def test_an_answer_with_a_reserve_is_no_refusal(text: str) -> None:
    """What goes on to answer answers."""
    assert not is_refusal(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("A", "A"),
        ("A or B", "AB"),
        ("A, not B", "A"),
        ("not A or B", ""),
        ("not A, B", "B"),
        ("neither A nor B", ""),
        ("A is wrong; B", "B"),
        ("A (a scam), B", "B"),
        ("some blogs say A, but it is B", "B"),
        ("some blogs say A but it is B", "B"),
        ("B, although one site lists A", "B"),
        ("some blogs say A", "A"),
        ("some blogs say A. It is B", "AB"),
        ("one site says A and others say B", "AB"),
        ("A不是答案，而是B", "B"),
    ],
)
def test_the_values_an_answer_stands_by(text: str, kept: str) -> None:
    """Rejected values fall, chained ones with them, reported ones where the answer contrasts them with its own."""
    mentions = [(at, at + 1) for at, c in enumerate(text) if c in "AB"]
    assert "".join(text[at] for (at, _), stands in zip(mentions, standing(text, mentions)) if stands) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Railgun, whose router is Tornado Cash",
        "Railgun. It was followed by Tornado Cash",
        "Railgun: it used Tornado Cash",
    ],
)
def test_a_lead_in_behind_an_answer_is_none(text: str) -> None:
    """A clause that could be an answer keeps what follows from being one."""
    assert "Tornado Cash" not in phrases(text)


@settings(max_examples=100)
@given(st.text(alphabet="ab is:=,.;(not\n but", max_size=400))
def test_lead_ins_are_ends_of_the_text(text: str) -> None:
    """Every phrase is the text from some place on, the whole first, and there are few."""
    said = phrases(text)
    assert said[0] == text and all(text.endswith(phrase) for phrase in said) and len(said) < 10


STRUCK = ("~~{}~~", "<del>{}</del>", "<s>{}</s>", "<strike>{}</strike>")


@pytest.mark.parametrize("mark", STRUCK)
def test_what_is_struck_out_is_not_said(mark: str) -> None:
    """Neither beside another value nor alone, and what stood around it does not come together."""
    assert clean(mark.format(43) + " 42") == "42" and clean(mark.format(42)) == ""
    assert clean("4" + mark.format(3) + "2") == "4 @ 2"


def test_a_pair_of_tildes_is_no_mark() -> None:
    """Tildes that open two approximations strike nothing out."""
    assert clean("~~42 or ~~43") == "~~42 or ~~43"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(("1½", "1.5"), ("1 ½", "1.5"), ("½", "0.5"), ("1,000¼", "1000.25"), ("2⅛ ETH", "2.125 ETH")),
        *(("125 * 10^4", "125×10^4"), ("125*10^4", "125×10^4"), ("125 * 10**4", "125×10^4"), ("**4** 2", "4 2")),
    ],
)
def test_fractions_and_products_are_said_in_digits(text: str, said: str) -> None:
    """A fraction of one character joins the number before it; a star between numbers is no markdown."""
    assert clean(text).replace(",", "") == said


def test_a_fraction_behind_decimals_is_a_number_of_its_own() -> None:
    """Neither 1.5½ nor 1⅓ comes to other digits."""
    assert "@" in clean("1.5½") and "@" in clean("1⅓") and "11" not in clean("1⅓")


COUNT = AnswerSpec("number", ("42",))


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{} (the blog's claim, which is false)",
            "{}, the blog's claim, which is false",
            "{} (a claim that is wrong)",
        ),
        *("{} (the blog's false claim)", "{} is the blog's false claim", "{} is what the blog falsely claims"),
        *(
            "{} transfers (the blog's claim, which is false)",
            "{} as falsely claimed by the blog",
            "{}, the wrong number",
            "{} (that claim is false)",
        ),
        *("{}, which the blog wrongly claims", "{}, according to the blog, which is wrong", "~~{}~~"),
    ],
)
def test_a_value_withdrawn_behind_it_is_no_reading(form: str) -> None:
    """Whatever the apposition, the value it calls false is not the answer, and another one beside it is."""
    assert verify(COUNT, form.format(42)).correct is False
    assert verify(COUNT, form.format(43) + ". It is 42.").correct is True


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{} (the blog's claim is false)",
            "{}, so the blog's claim is false",
            "{}, contrary to the blog's false claim",
        ),
        *("{}, contrary to the blog's claim, which is false", "{}, not the blog's number, which is wrong"),
    ],
)
def test_calling_another_claim_false_withdraws_nothing(form: str) -> None:
    """A sentence about what a blog claims leaves the value before it standing."""
    assert verify(COUNT, form.format(42)).correct is True


@pytest.mark.parametrize(
    "form",
    ["{} → corrected: {}", "{} -> corrected to {}", "{}, corrected to {}", "{} (corrected: {})", "{}. Correction: {}"],
)
def test_a_correction_takes_the_place_of_what_it_corrects(form: str) -> None:
    """The last word counts, and not the first."""
    assert verify(COUNT, form.format(43, 42)).correct is True and verify(COUNT, form.format(42, 43)).correct is False


def test_a_correction_may_look_back() -> None:
    """ "42 (corrected from 43)" is 42."""
    assert (
        verify(COUNT, "42 (corrected from 43)").correct is True
        and verify(COUNT, "43 (corrected from 42)").correct is False
    )
