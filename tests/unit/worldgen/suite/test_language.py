"""How questions are worded and how alike two are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_worldgen.execution.story import TRANSFER
from caia_worldgen.suite.language import MOST_ALIKE, Language, language_faults, likeness

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
