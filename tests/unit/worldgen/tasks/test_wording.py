"""How questions are worded, how alike two are, how many there are of a kind, and which values can be asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.scoring.verifiers import verify
from caia_worldgen.tasks.draw import CAIA, WHOLE, shares
from caia_worldgen.tasks.shape import TRANSFER, Language, number
from caia_worldgen.tasks.wording import MOST_ALIKE, is_sayable, is_told_apart, language_faults, likeness

ONE, OTHER = "0x" + "a1" * 20, "0x" + "b2" * 20
ENGLISH = (
    "What was the total supply of KRVM ({token}) on Lijatoc Network at the end of block {block}, net of what was burnt?"
)
CHINESE = "在区块 {block} 结束时，Lijatoc Network 上 {ticker}（合约 {token}）扣除已销毁部分后的总供应量是多少枚？"


def faults(question: str, language: Language = "en") -> str:
    """All of a question's faults, one after the other."""
    return "; ".join(language_faults(question, language))


@pytest.mark.parametrize(
    "question",
    [
        ENGLISH.format(token=ONE, block=900),
        f"How many {TRANSFER} events did {ONE} emit? Count mints as well; bKRVM is the token's ticker.",
        'Which page has the title "the page"? Give its address as https://a.example/one_two in full.',
        "Which release of karovim/core_contracts came out on 2024-05-31, and what is its tag (such as v0.4.1)?",
        "What did one bLJTC cost after block 12? bLJTC has 18 decimals. Take the project's own token, too.",
    ],
)
def test_a_well_written_english_question_has_no_fault(question: str) -> None:
    """Addresses, events, paths, tickers, quotations and apostrophes are as they are."""
    assert faults(question) == ""


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        ("what was it?", "capital letter"), ("Tell me", "question mark or a full stop"),
        ("What was the the price?", "'the' twice"), ("What was The the price?", "twice"),
        ("What  was it?", "two blanks"), (" What was it?", "begins or ends with a blank"),
        ("What\nwas it?", "line break"), ("What was (it?", "does not close '('"), ("What was it)?", "closes ')'"),
        ("What was [it)?", "closes ')'"), ('What was "it?', "quotation mark"), ("What was `it?", "quotation mark"),
        ("What was total_supply then?", "underscore in 'total_supply'"), ("What was {ticker} then?", "template"),
        ("What was None then?", "template"), ("What was it ?", "blank beside '?'"),
        ("What was ( it)?", "blank beside '('"), ("What was it?? Say.", "'??'"),
        ("What was it? say so.", "begins a sentence with 'say'"), ("What was 价格 then?", "no English"),
        ("What was it， then?", "no English"), ("What Was The Total Supply Then Worth There?", "title case"),
    ],
)  # fmt: skip
def test_each_fault_of_an_english_question_is_told(question: str, fault: str) -> None:
    """In words that say what is wrong."""
    assert fault in faults(question)


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (ENGLISH.format(token=ONE, block=900), "is not Chinese"),
        ("KRVM（token）/（LTSP, supply）：net？", "is not Chinese: 0"),
        ("KRVM（token），LTSP（supply），net 是？", "is not Chinese: 1"),
        ("KRVM 的总供应量是多少?", "does not end with"),
        ("KRVM 的总供应量是多少枚,请作答。", "half-width punctuation"),
        ("KRVM (合约)的总供应量是多少？", "half-width punctuation"),
        ("KRVM(合约)的总供应量是多少？", "half-width punctuation"),
        ("KRVM（合约的总供应量是多少？", "does not close '（'"),
        ("KRVM 的总供应量，是多少枚？ 请作答。", "blank beside '？'"), ("KRVM 的的总供应量是多少？", "says '的的'"),
        ("KRVM 的总供应量是多少？？", "'？？'"),
        ("请问在这个区块结束时它的总供应量到底是多少枚呢，give whole tokens at the end？", "English in it"),
    ],
)  # fmt: skip
def test_each_fault_of_a_chinese_question_is_told(question: str, fault: str) -> None:
    """Foreign sentences, half-width punctuation, brackets left open, words said twice."""
    assert fault in faults(question, "zh")


@given(st.text(max_size=80), st.sampled_from(("en", "zh")))
def test_any_text_is_judged(text: str, language: Language) -> None:
    """Whatever stands in a text, its faults are texts and it is wholly like itself unless nothing is in it."""
    assert all(isinstance(fault, str) for fault in language_faults(text, language))
    assert likeness(text, text) == 1


@pytest.mark.parametrize("form", [ENGLISH, CHINESE])
def test_two_that_differ_in_nothing_but_figures_are_too_much_alike(form: str) -> None:
    """Another block alone makes no other question, however long the question is."""
    pair = [form.format(block=block, ticker="KRVM", token=ONE) for block in (900, 17)]
    assert likeness(*pair) == likeness(*(text + " " + "Some more words. " * 90 for text in pair)) == 1 > MOST_ALIKE


@pytest.mark.parametrize("form", [ENGLISH, CHINESE])
def test_two_that_ask_the_same_of_another_token_are_allowed(form: str) -> None:
    """Another token, with another block or at the same one."""
    one, other = (
        form.format(block=900, ticker=ticker, token=token) for ticker, token in (("KRVM", ONE), ("LTSP", OTHER))
    )
    assert likeness(one, other) < MOST_ALIKE and likeness(one, other.replace("900", "17")) < MOST_ALIKE


@pytest.mark.parametrize("value", ["1849.22045", "2.00009", "-31.123456789"])
@pytest.mark.parametrize("decimals", [2, 4, 6])
def test_a_sayable_value_is_right_when_it_is_cut_or_rounded(value: str, decimals: int) -> None:
    """The verifier takes what the question asks for wherever the value was called sayable."""
    exact, tolerance = Fraction(value), "0.01"
    if not is_sayable(exact, tolerance, decimals):
        pytest.skip("too small for so few decimals")
    cut = Fraction(int(exact * 10**decimals), 10**decimals)
    for said in (cut, round(exact, decimals)):
        text = f"{float(said):.{decimals}f}"
        assert verify(number(exact, None, tolerance), text).correct is True, text


@pytest.mark.parametrize("guess", [0, 3, 12, 18, 95, 100])
def test_what_a_guesser_says_is_not_sayable(guess: int) -> None:
    """A small count, the usual decimals or a round share is right without any work."""
    assert not is_sayable(Fraction(guess), "10", 4)
    assert is_sayable(Fraction(guess) + Fraction(1, 2), "10", 4)


def test_a_misreading_told_apart_is_wrong_even_when_rounded() -> None:
    """Within twice the tolerance nothing counts as told apart; beyond, the verifier calls it wrong."""
    value = Fraction(1_000)
    assert not is_told_apart(value, Fraction("1000.2"), "0.01")
    assert is_told_apart(value, Fraction("1000.21"), "0.01")
    assert is_told_apart(-value, value, "0.01")
    assert verify(number(value, None, "0.01"), "1000.2").correct is False


def test_shares_of_the_whole_are_the_proportions() -> None:
    """178 of them are the table itself; what is left over goes to the largest remainder."""
    assert shares(WHOLE, CAIA) == dict(CAIA)
    assert shares(10, {"overlap": 1, "tokenomics": 2}) == {"overlap": 3, "tokenomics": 7}


@given(st.integers(0, 400), st.dictionaries(st.text(max_size=3), st.integers(1, 90), min_size=1))
def test_shares_add_up(count: int, proportions: dict[str, int]) -> None:
    """Whatever the proportions, the whole is the whole, and no share is a unit away from its part of it."""
    found, whole = shares(count, proportions), sum(proportions.values())
    assert sum(found.values()) == count and found.keys() == proportions.keys()
    assert all(abs(found[key] * whole - count * part) < whole for key, part in proportions.items())
