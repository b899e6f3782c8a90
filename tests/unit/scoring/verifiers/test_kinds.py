"""What each kind of answer is read as: tables of right and wrong answers, and laws that hold for any value."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec, Column
from caia_replay.scoring.numeral import numerals
from caia_replay.scoring.verifiers import verify
from caia_replay.scoring.words import CONTRAST, MARKED, SUSPECT
from tests.labelled_set import misjudged

AT = "0x" + "ab" * 20
OTHER = "0x" + "cd" * 20
HASH = "0x" + "5b" * 32

AMOUNT = AnswerSpec("number", ("436.7574",), unit="NNMR", tolerance_percent="0.001")
HELD = "How many NNMR did the account hold on Lijatoc Network at the end of block 469? Give four decimals."
COUNT = AnswerSpec("number", ("48",))
SENDERS = "How many different addresses sent transactions on Lijatoc Network on 31 March 2024?"
FEES = AnswerSpec("number", ("25.683",), unit="USD", tolerance_percent="0.5")
PER_USER = "Per distinct user, how many US dollars of fees did Meyocuxo Exchange see on 9 May 2024?"
CHANGE = AnswerSpec("number", ("-162696.2985",), unit="MYCX", tolerance_percent="0.01", direction="up")
NET = "By how much, net of withdrawals, did the MYCX in the vault change? Negative where more left than came in."
RATE = AnswerSpec("number", ("5.71",), unit="%", tolerance_percent="0.5")
BORROW = "What is the borrow rate: which interest do borrowers pay per year?"
LIMIT = AnswerSpec("number", ("12.5",), unit="%")
RISE = "By how many per cent can the base fee rise at most from one block to the next?"
DAY, NO_DAY = AnswerSpec("date", ("2024-06-04",)), AnswerSpec("date", ("no day has been announced",))
SINCE = "Since which day can JFPY be traded, by the notice of 2 June 2024?"
MOMENT = AnswerSpec("time", ("2024-04-01T09:10:35Z",), tolerance_seconds=0)
NAME = AnswerSpec("text", ("Pehuvajah Holdings",), aliases=("Pehuvajah",))
FOLLOWER = "Yokosodux Collective led the strategic round of Cufosacu Chain. Which other fund put money into it?"
MEMBER = AnswerSpec("text", ("Fejujigux Nelogebom",))
POST = "Who is the Chief Technology Officer of Hopefif Maps?"
SET = AnswerSpec("text_set", ("Arda", "Bresk", "Corvo"))
LIST = AnswerSpec("text_list", ("Arda", "Bresk", "Corvo"))
BURNT = "Did Wuvuxol Lend burn some of its WVXL between blocks 689 and 871? Answer yes or no."
PAGE = AnswerSpec("url", ("https://docs.lantern.example/fees?v=2",))
CALL = AnswerSpec("abi", ("transfer(address,uint256)",))
POOLS = AnswerSpec(
    "table", ("WETH/USDC | 12500000", "DAI/USDT | 3100000"),
    columns=(Column("pool", "text", key=True), Column("TVL", "number", unit="USD", tolerance_percent="1")),
)  # fmt: skip

READ: list[tuple[str, AnswerSpec, str, tuple[str, ...], tuple[str, ...]]] = [
    ("amount", AMOUNT, HELD,
     ("436.7574 NNMR", "436.7574", "**436.7574** NNMR", "NNMR 436.7574",
     "It held 436.7574 NNMR at the end of block 469.",
      "400.0000 + 36.7574 = 436.7574 NNMR", "436.7574 NNMR, not 437.9 as the blog says", "about 436.7574 NNMR",
      '{"answer": 436.7574, "unit": "NNMR"}', "436.7574 NNMR (436757400000000000000 of the smallest units)",
      "436.7574 NNMR（区块 469）"),
     ("436.7574 DCJH", "$436.7574", "436.7574 or 437", "436.7574, maybe 437.1", "436-437 NNMR",
     "at least 436.7574 NNMR",
      "almost 436.7574 NNMR", "not 436.7574 NNMR", "436.7574 NNMR per day", "436.7574 NNMR minus fees", "436.7574?",
      "437.9 NNMR, not 436.7574 NNMR", "upwards of 436.7574 NNMR", "436.7574 NNMR, or thereabouts", "0x436", "")),
    ("count", COUNT, SENDERS,
     ("48", "48 addresses", "forty-eight", "48 different addresses sent transactions", "四十八"),
     ("48 transactions", "48%", "48 NNMR", "#48", "48 per block", "2 x 24", "47 or 48", "48 and counting")),
    ("rate", FEES, PER_USER, ("25.683", "$25.683 per user", "25.683 US dollars per distinct user", "US$25.68"),
     ("25.683 per transaction a day", "25.683 DCJH", "€25.683")),
    ("per year", RATE, BORROW, ("5.71% per year", "5.71 per cent", "571 basis points", "0.0571, in per cent 5.71"),
     ("5.71% per month", "5.71 percentage points", "5.71 USD")),
    ("change", CHANGE, NET,
     ("-162696.2985 MYCX", "162,696.2985 MYCX flowed out net", "a decrease of 162,696.2985 MYCX", "minus 162696.2985",
      "MYCX 减少了 162696.2985"),
     ("162696.2985 MYCX", "162,696.2985 MYCX flowed in", "rose by 162696.2985 MYCX",
     "it rose, then fell by 162696.2985")),
    ("limit", LIMIT, RISE, ("12.5 %", "at most 12.5%", "up to 12.5 per cent"), ("at least 12.5%", "12.5 % or more")),
    ("day", DAY, SINCE,
     ("2024-06-04", "June 4, 2024", "4 June 2024", "the 4th of June 2024", "2024年6月4日", "Since 2024-06-04",
     "Jun-04-2024",
      "2024-06-04 (the notice is of 2 June 2024)", "Tuesday, 4 June 2024", "4 June 2024, not 5 June as the blog says"),
     ("2024-06-05", "2024-06-04 or 2024-06-05", "before 2024-06-04", "Monday, 4 June 2024", "not announced",
     "June 2024",
      "2024-06-04 at the latest", "04/06/2024", "2024-06-03 to 2024-06-05")),
    ("no day", NO_DAY, SINCE, ("not announced", "No day has been announced.", "尚未公布", "It has not yet been set"),
     ("2024-06-04", "announced", "not announced, but 2024-06-04 is likely", "unknown")),
    ("moment", MOMENT, "When was block 181 produced?",
     ("2024-04-01T09:10:35Z", "1711962635", "2024-04-01 17:10:35 UTC+8", "09:10:35 UTC on 1 April 2024",
      "2024年4月1日 09:10:35（UTC）", "Apr-01-2024 09:10:35 AM UTC", "北京时间2024年4月1日17:10:35"),
     ("2024-04-01 09:10", "2024-04-01 09:10:35 Tokyo time", "2024-04-01 09:10:36", "after 2024-04-01 09:10:35",
     "09:10:35")),
    ("name", NAME, FOLLOWER,
     ("Pehuvajah Holdings", "pehuvajah", "It was **Pehuvajah Holdings**.", "Pehuvajah Holdings put money into it, too"),
     ("Yokosodux Collective", "Pehuvajah Holdings, Yokosodux Collective", "Pehuvajah Holdings or Miselaq",
      "the founder of Pehuvajah Holdings", "Pehuvajah Holdings and Miselaq", "Pehuvajah Holdings's rival")),
    ("member", MEMBER, POST, ("Fejujigux Nelogebom, Chief Technology Officer", "Fejujigux Nelogebom"),
     ("Nelogebom", "Fejujigux Nelogebom, formerly")),
    ("set", SET, "Which three?", ("Corvo, Arda and Bresk", "1. Corvo\n2. Arda\n3. Bresk",
      "The three are Arda, Bresk, Corvo."),
     ("Arda, Bresk", "Arda, Bresk, Corvo, Dunmore", "Arda, Bresk, Corvo, etc.", "Arda, Bresk and maybe Corvo")),
    ("list", LIST, "In order?", ("Arda, Bresk, Corvo", "Arda > Bresk > Corvo", "third Corvo, second Bresk, first Arda"),
     ("Bresk, Arda, Corvo", "1. Bresk 2. Arda 3. Corvo", "Arda, Bresk, Corvo, Dunmore")),
    ("yes", AnswerSpec("boolean", ("yes",)), BURNT, ("Yes", "true", "是的", "Yes, it burnt some of its WVXL"),
     ("No", "Yes and no", "Yes, but no WVXL was burnt", "It did not", "perhaps")),
    ("no", AnswerSpec("boolean", ("no",)), BURNT, ("No", "No burn happened.", "It did not happen", "否",
      "No, nothing was burnt"),
     ("Yes", "It is not true that nothing was burnt.", "No, but 5 WVXL were burnt", "no or yes", "")),
    ("premise", AnswerSpec("boolean", ("false premise",)), BURNT,
     ("False premise", "The premise is false: there was no burn.", "前提不成立"), ("No",
     "Yes; nothing here is a false premise")),
    ("address", AnswerSpec("address", (AT,)), f"Who created {OTHER}?",
     (AT, AT.upper().replace("0X", "0x"), f"{OTHER} was created by {AT}", f"{AT}, not 0x{'12' * 20}"),
     (f"0x{'12' * 20}", f"{AT} or 0x{'12' * 20}", "0xabab...abab", f"not {AT}")),
    ("on a chain", AnswerSpec("address", (AT,), chain="ethereum"), "Where on Ethereum?",
     (AT, f"{AT} on Ethereum mainnet", f"eip155:1:{AT}"), (f"{AT} on Base", f"eip155:8453:{AT}", f"base:{AT}")),
    ("hash", AnswerSpec("hash", (HASH,)), "Which transaction?", (HASH, f"transaction {HASH}"), (HASH[:-2],
      f"{HASH} or 0x{'5c' * 32}")),
    ("page", PAGE, "Which page?", ("http://www.docs.lantern.example/fees/?v=2&utm_source=x",
      "[docs](https://docs.lantern.example/fees?v=2)"),
     ("https://docs.lantern.example/fees", "https://docs.lantern.example/fees?v=2 or https://lantern.example")),
    ("signature", CALL, "Which function?", ("transfer(address,uint256)", "function transfer(address to, uint amount)"),
     ("transfer(address,uint128)", "event transfer(address,uint256)",
     "transfer(address,uint256) or approve(address,uint256)")),
    ("table", POOLS, "Which pools?",
     ("| pool | TVL |\n|---|---|\n| DAI/USDT | $3.1M |\n| WETH/USDC | $12.5M |", "WETH/USDC: $12.5M\nDAI/USDT: $3.1M",
      '[{"pool": "WETH/USDC", "TVL": 12500000}, {"pool": "DAI/USDT", "TVL": 3100000}]',
      "| pool | TVL ($M) |\n|---|---|\n| DAI/USDT | 3.1 |\n| WETH/USDC | 12.5 |"),
     ("WETH/USDC: $12.5M", "WETH/USDC: $12.5M\nDAI/USDT: $31M", "Perhaps:\nWETH/USDC: $12.5M\nDAI/USDT: $3.1M")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "question", "right", "wrong"), [one[1:] for one in READ], ids=[one[0] for one in READ]
)
def test_an_answer_is_the_value_in_the_question_s_words(
    spec: AnswerSpec, question: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    """Right answers in many forms, and wrong ones that hold the value."""
    assert misjudged(spec, True, right, question) == []
    assert misjudged(spec, False, wrong, question) == []


@given(st.sampled_from(sorted((MARKED | SUSPECT) - {"times", "error", "pending", "planned"})))
def test_a_marked_word_spoils_an_answer(word: str) -> None:
    """Whatever says doubt, a limit, another value or a condition, on either side of the value."""
    before = verify(AMOUNT, f"{word} 436.7574 NNMR", HELD).correct
    behind = verify(AMOUNT, f"436.7574 NNMR {word}", HELD).correct
    assert behind is False and (
        before is False
        or word in ("about", "around", "roughly", "approximately", "approx", "circa", "ca", "minus", "plus")
    )


@given(st.sampled_from(sorted(CONTRAST)))
def test_contrast_in_a_clause_of_its_own_takes_nothing_back(word: str) -> None:
    """A clause that only explains may contrast; a bare word behind a comma may not."""
    assert verify(AMOUNT, f"436.7574 NNMR, the explorer shows it {word} the holders", HELD).correct is True
    assert verify(AMOUNT, f"436.7574 NNMR, {word}", HELD).correct is False


@given(st.decimals(min_value="0.0001", max_value="10000000000", places=4, allow_nan=False))
def test_a_number_is_the_same_however_it_is_written(value: Decimal) -> None:
    """Separators, powers of ten and markdown change no number."""
    exact = Fraction(str(value))
    for form in (f"{value:f}", f"{value:,f}", f"{value:.10e}".replace("E", "e"), f"+{value:f}"):
        (found,) = numerals(form)
        assert abs(found.value - exact) <= (exact / 10**9 if "e" in form else 0), form


@given(st.fractions(min_value="1.001", max_value=1000, max_denominator=1000))
def test_two_numbers_are_never_one_answer(factor: Fraction) -> None:
    """Beside the value any other number in its unit is a hedge, a range or a contradiction."""
    other = float(Fraction("436.7574") * factor)
    for form in ("{} NNMR, {} NNMR", "{} - {} NNMR", "{} / {} NNMR", "{} NNMR ({} NNMR)", "{}, {}"):
        for pair in ((436.7574, other), (other, 436.7574)):
            assert verify(AMOUNT, form.format(*(f"{one:.4f}" for one in pair)), HELD).correct is False


def entry(name: str, *types: Any, kind: str = "function", **more: Any) -> str:
    return json.dumps({"type": kind, "name": name, "inputs": [{"type": one} for one in types], **more})


SWAP = AnswerSpec("abi", ("function swap((address,uint256)[2] legs, bytes data) returns (uint256)",))
SWAP_JSON = {
    "type": "function", "name": "swap", "outputs": [{"type": "uint256"}],
    "inputs": [{"type": "tuple[2]", "components": [{"type": "address"}, {"type": "uint"}]}, {"type": "bytes"}],
}  # fmt: skip
FEE = AnswerSpec("abi", ("event FeeSet(address indexed pool, uint24 fee)",))
FEE_INPUTS = [{"type": "address", "indexed": True}, {"type": "uint24", "indexed": False}]


def test_an_address_in_base58_is_somebody_else_s_in_another_case() -> None:
    """Any other name is read in any case."""
    mint = "7XkPq" * 8
    spec = AnswerSpec("text", (mint,))
    texts = (mint, f"The mint is {mint}.", f"`{mint}`", mint.lower(), mint.swapcase())
    assert [verify(spec, text).correct for text in texts] == [True, True, True, False, False]
    assert verify(NAME, NAME.values[0].swapcase(), FOLLOWER).correct is True


def test_a_signature_is_read_in_json_and_in_solidity() -> None:
    """As an entry, a list of them, under one name, as Python prints it; tuples, arrays and what it returns count."""
    assert misjudged(CALL, True, (
        entry("transfer", "address", "uint256"), f"[{entry('transfer', 'address', 'uint')}]",
        json.dumps({"abi": ["function transfer(address to, uint256 amount)"]}),
        "{'name': 'transfer', 'type': 'function', 'inputs': ['address', 'uint256'], 'payable': False}",
        "The transfer(address,uint256) function", "transfer(address to, uint256 value) external returns (bool)",
        json.dumps({"result": [json.loads(entry("transfer", "address", "uint256"))]}),
    )) == []  # fmt: skip
    assert misjudged(CALL, False, (
        entry("transfer", "address", "uint128"), entry("transfer", "address", "uint256", kind="event"),
        entry("transfer", "address", "tuple"), "transfer(address, (uint256)", "transfer(address uint256 to value x y)",
        "transfer(,address)", "transfer(address,Amount)", "transfer(address[]uint256,)", "{'inputs': [}", "[1, 2]",
        json.dumps({"name": "transfer", "inputs": [7, "uint256"]}), "function transfer(address) or transfer(uint256)",
    )) == []  # fmt: skip
    assert misjudged(SWAP, True, (
        json.dumps(SWAP_JSON), "swap((address,uint)[2],bytes) -> (uint256)",
        "function swap(tuple(address a, uint256 b)[2] calldata legs, bytes memory data) external returns (uint256 out)",
    )) == []  # fmt: skip
    assert misjudged(SWAP, False, (
        json.dumps({**SWAP_JSON, "outputs": []}), "swap((address,uint256)[2],bytes)",
        "swap((address,uint256)[3],bytes) returns (uint256)", json.dumps({**SWAP_JSON, "outputs": [{"type": 5}]}),
    )) == []  # fmt: skip
    told = {"type": "event", "name": "FeeSet", "inputs": FEE_INPUTS}
    assert misjudged(FEE, True, (json.dumps(told), "event FeeSet(address indexed, uint24)")) == []
    assert misjudged(FEE, False, (json.dumps({**told, "inputs": FEE_INPUTS[::-1]}), "FeeSet(address,uint24)")) == []
