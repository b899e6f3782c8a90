"""Reading submitted text: what it says, what it withdraws, and what refuses to answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.answer import agreed, clean, folded, is_refusal, phrases, rejected, standing
from caia_replay.scoring.refusal import fruitless, withholds
from caia_replay.scoring.verifiers import verify
from tests.labelled_set import misjudged

COUNT = AnswerSpec("number", ("42",))


@given(st.text(max_size=80))
def test_cleaning_twice_is_cleaning_once_for_folding(text: str) -> None:
    """Cleaning is stable: what a verifier compares does not depend on how often a text went through it."""
    assert folded(clean(clean(clean(text)))) == folded(clean(clean(text)))


@given(st.text(alphabet="abcXYZ019éß比特", min_size=1, max_size=20))
def test_case_punctuation_and_spaces_do_not_reach_the_folded_form(word: str) -> None:
    """Folding is blind to case, quotes, spaces and a final stop, and not to a sign or a decimal point."""
    assert folded(f' "{word.upper()}". ') == folded(word.upper()) == folded(word.upper().casefold())
    assert len({folded(text) for text in ("1", "-1", "1.5", "15", "C", "C+", "C++")}) == 7


def test_a_value_said_to_be_wrong_is_rejected() -> None:
    """ "not 43" reports 43, it does not answer it; only a negation right before a value rejects it."""
    for before in ("not ", "It is not ", "rather than ", "instead of the ", "never $", "不是"):
        assert rejected(before + "43", len(before)), before
    for before in ("it is ", "notable: ", "knot ", "", "not 42 but "):
        assert not rejected(before + "43", len(before)), before


def test_two_different_readings_are_no_reading() -> None:
    """The hedge rule: equal readings agree, different ones do not, none is none."""
    assert agreed(["a", "a"]) == ("a", "")
    assert agreed(["a", "b"])[0] is None
    assert agreed([])[0] is None


@pytest.mark.parametrize(("text", "kept"), [
    ("A", "A"), ("A or B", "AB"), ("A, not B", "A"), ("not A or B", ""), ("not A, B", "B"), ("neither A nor B", ""),
    ("A is wrong; B", "B"), ("A (a scam), B", "B"), ("some blogs say A, but it is B", "B"),
    ("some blogs say A but it is B", "B"), ("B, although one site lists A", "B"), ("some blogs say A", "A"),
    ("some blogs say A. It is B", "AB"), ("one site says A and others say B", "AB"), ("A不是答案，而是B", "B"),
])  # fmt: skip
def test_the_values_an_answer_stands_by(text: str, kept: str) -> None:
    """Rejected values fall, chained ones with them, reported ones where the answer contrasts them with its own."""
    mentions = [(at, at + 1) for at, c in enumerate(text) if c in "AB"]
    assert "".join(text[at] for (at, _), stands in zip(mentions, standing(text, mentions)) if stands) == kept


def test_a_lead_in_is_removed_only_when_it_asserts() -> None:
    """What follows "is" counts, unless the words before it doubt or deny, or could be an answer themselves."""
    assert phrases("The mixer is Tornado Cash")[-1] == "Tornado Cash"
    assert phrases("It is unclear whether it is Tornado Cash")[1:] == ("unclear whether it is Tornado Cash",)
    for before in ("Railgun, whose router is ", "Railgun. It was followed by ", "Railgun: it used "):
        assert "Tornado Cash" not in phrases(before + "Tornado Cash"), before


@given(st.text(alphabet="ab is:=,.;(not\n but", max_size=400))
def test_lead_ins_are_ends_of_the_text(text: str) -> None:
    """Every phrase is the text from some place on, the whole first, and there are few."""
    said = phrases(text)
    assert said[0] == text and all(text.endswith(phrase) for phrase in said) and len(said) < 10


@pytest.mark.parametrize("mark", ["~~{}~~", "<del>{}</del>", "<s>{}</s>", "<strike>{}</strike>"])
def test_what_is_struck_out_is_not_said(mark: str) -> None:
    """Neither beside another value nor alone, and what stood around it does not come together."""
    assert clean(mark.format(43) + " 42") == "42" and clean(mark.format(42)) == ""
    assert clean("4" + mark.format(3) + "2") == "4 @ 2"


@pytest.mark.parametrize(("text", "said"), [
    ("1½", "1.5"), ("1 ½", "1.5"), ("½", "0.5"), ("1,000¼", "1000.25"), ("2⅛ ETH", "2.125 ETH"),
    ("125 * 10^4", "125×10^4"), ("125*10^4", "125×10^4"), ("125 * 10**4", "125×10^4"), ("**4** 2", "4 2"),
    ("10¹⁸", "10^18"), ("~~42 or ~~43", "~~42 or ~~43"),
])  # fmt: skip
def test_fractions_powers_and_products_are_said_in_digits(text: str, said: str) -> None:
    """A fraction joins the number before it; a star between numbers is no markdown, nor is a pair of tildes a mark."""
    assert clean(text).replace(",", "") == said


def test_a_fraction_behind_decimals_is_a_number_of_its_own() -> None:
    """Neither 1.5½ nor 1⅓ comes to other digits."""
    assert "@" in clean("1.5½") and "@" in clean("1⅓") and "11" not in clean("1⅓")


WITHDRAWN = (
    "{} (the blog's claim, which is false)", "{}, the blog's claim, which is false", "{} (a claim that is wrong)",
    "{} (the blog's false claim)", "{} is the blog's false claim", "{} is what the blog falsely claims",
    "{} transfers (the blog's claim, which is false)", "{} as falsely claimed by the blog", "{}, the wrong number",
    "{} (that claim is false)", "{}, which the blog wrongly claims", "{}, according to the blog, which is wrong",
    "~~{}~~",
)  # fmt: skip
OTHER_CLAIMS = (
    "{} (the blog's claim is false)", "{}, so the blog's claim is false", "{}, contrary to the blog's false claim",
    "{}, contrary to the blog's claim, which is false", "{}, not the blog's number, which is wrong",
)  # fmt: skip
CORRECTED = (
    "{} → corrected: {}", "{} -> corrected to {}", "{}, corrected to {}", "{} (corrected: {})", "{}. Correction: {}",
)  # fmt: skip


def test_a_value_withdrawn_behind_it_is_no_reading() -> None:
    """Whatever the apposition, a value called false is no answer, another beside it is; other claims do not matter."""
    assert misjudged(COUNT, False, (form.format(42) for form in WITHDRAWN)) == []
    assert misjudged(COUNT, True, (form.format(43) + ". It is 42." for form in WITHDRAWN)) == []
    assert misjudged(COUNT, True, (form.format(42) for form in OTHER_CLAIMS)) == []


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    """The last word counts, and not the first, unless it looks back."""
    right = ["42 (corrected from 43)", *(form.format(43, 42) for form in CORRECTED)]
    wrong = ["43 (corrected from 42)", *(form.format(42, 43) for form in CORRECTED)]
    assert misjudged(COUNT, True, right) == [] and misjudged(COUNT, False, wrong) == []


REFUSING = (
    "I refuse", "I refuse to answer", "I decline to say", "I cannot determine this", "I can't tell", "Cannot answer",
    "I don't know", "I do not know the answer", "I won't answer that", "I am unable to answer", "I could not say",
    "I'd rather not say", "No idea", "I have no idea", "No answer", "The answer is unknown", "It cannot be determined",
    "无法确定", "我不知道", "不知道答案", "拒绝回答", "无法回答这个问题", "Ich weiß es nicht", "No lo sé",
    "Je ne sais pas",
)  # fmt: skip
BESIDE = (
    "{}. 42", "{}; 42", "{}: 42", "{} (42)", "{}, 42", "42. {}.", "42; {}", "42 ({})", "42 - {}", "{}, but 42",
    "**{}**\n42",
)  # fmt: skip


@pytest.mark.parametrize("words", REFUSING)
def test_what_refuses_refuses_whatever_it_names(words: str) -> None:
    """A value beside refusing words does not make an answer of them, on either side and in any punctuation."""
    assert is_refusal(words)
    for form in BESIDE:
        answer = form.format(words)
        assert verify(COUNT, answer).reason == "refused to answer", answer


def test_a_refusal_is_told_from_an_answer() -> None:
    """An answer that says nothing but that there is none; names of code and false premises are answers."""
    assert all(map(is_refusal, (
        "unknown", "N/A", "**I don't know.**", "无法确定", "Unfortunately, I was unable to retrieve the data.",
        "I'm sorry, but I cannot determine this.", "The hash cannot be determined", "没有找到",
    )))  # fmt: skip
    assert not any(map(is_refusal, (
        "0", "unknown sender: 5", "None Protocol", "no", "I could not verify it on Etherscan, but it is 42",
        "It does not exist", "42", "The value cannot be 43", "Unknown(uint256)", "noAnswer()",
        "I cannot answer: the premise is false", "No answer: no such token",
    )))  # fmt: skip


def test_no_value_beside_a_value() -> None:
    """A mark for a missing value refuses where it opens an answer, and where it ends one in a place of its own."""
    assert misjudged(COUNT, False, (
        "N/A (42)", "Unknown. 42", "unknown (42)", "42 (unknown)", "42 or N/A", "未知；42", "Not known: 42",
    )) == []  # fmt: skip


def test_words_about_something_else_refuse_nothing() -> None:
    """With another object, or where a search that failed is passed over, they leave the answer standing."""
    answers = (
        "42. I could not verify it on Etherscan", "I could not verify it on Etherscan, but it is 42", "42 (date: N/A)",
        "42; I was unable to confirm it with a second source", "42. I don't know why.", "42 for the N/A category",
        "I don't know of any other source; 42", "The unknown sender made 42 transfers", "42. I can't say more.",
        "I cannot say more than that the answer is 42", "42, though I cannot determine who sent them",
        "42, sender unknown", "I cannot determine it from the explorer, but the node says 42",
        "无法确定发送者，但共有42笔", "我不知道原因，但答案是42", "42 - I could not determine the sender",
        "The sender is unknown. 42 transfers", "I can say it is 42",
    )  # fmt: skip
    assert misjudged(COUNT, True, answers) == [] and not any(map(is_refusal, answers))


def test_a_search_in_vain_may_go_on() -> None:
    """Whether it looked in vain, and whether it goes on, are told apart."""
    assert fruitless("I could not find it") == (True, False)
    assert fruitless("I could not find it, but it is 42") == (True, True)
    assert fruitless("It is 42") == (False, False)
    assert withholds("n/a", "na") and not withholds("42", "42")
