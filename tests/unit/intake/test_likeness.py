"""Which questions ask the same, in one language and across two."""

from __future__ import annotations

from pathlib import Path

import pytest

from caia_replay.intake.likeness import alike, content_of
from caia_replay.intake.question import Question
from caia_replay.intake.read_file import read_questions

SAME = {
    "words": ("Retrieve the block timestamp for Ethereum block 19,560,000", "Block timestamp of ETH block 19560000?"),
    "dates": ("Price of BTC on 1 May 2024?", "What was the price of Bitcoin on 2024-05-01?"),
    "case": ("What is the TVL of Aave on 2024-05-01?", "what is the tvl of aave on May 1st, 2024"),
    "scales": ("Which pool had 1.5 million USDC of volume?", "Which pool had 1,500,000 USDC of volume?"),
    "chinese": ("Retrieve the block timestamp for Ethereum block 19,560,000", "查询以太坊区块19560000的时间戳"),
    "price": ("What was the price of BTC on May 1, 2024?", "2024年5月1日比特币的价格是多少？"),
    "tens": ("How many UNI tokens were unlocked by 2024-05: 1.2 million?", "2024年5月解锁了120万UNI代币吗?"),
}
OTHER = {
    "figure": ("Timestamp of Ethereum block 19560000?", "Timestamp of Ethereum block 19560001?"),
    "coin": ("What's the price of ETH on 2024-05-01?", "What's the price of BTC on 2024-05-01?"),
    "name": ("What is the total supply of Pendle?", "What is the total supply of Morpho?"),
    "address": (f"Balance of 0x{'a' * 40}?", f"Balance of 0x{'b' * 40}?"),
    "asked": ("Give the timestamp of block 7 on Base.", "Give the base fee, in gwei, paid in block 7 on Base."),
    "chinese": ("What was the price of BTC on May 1, 2024?", "2024年5月1日以太坊的价格是多少？"),
    "volume": ("What was the trading volume of UNI on 2024-05-01?", "2024年5月1日UNI的持有者有多少？"),
}


def pairs(*texts: str) -> list[tuple[str, str, str]]:
    """What is found among texts, by their numbers."""
    return list(alike({str(at): content_of(text, Question(text).language) for at, text in enumerate(texts)}))


@pytest.mark.parametrize("name", SAME)
def test_the_same_question_is_found(name: str) -> None:
    """Other words, spellings of figures and days, letter case, or another language hide no copy."""
    way = "languages" if name in ("chinese", "price", "tens") else "words"
    assert pairs(*SAME[name]) == [("0", "1", way)]


@pytest.mark.parametrize("name", OTHER)
def test_another_question_is_left_alone(name: str) -> None:
    """Another figure, coin, name, address or thing asked for is another question, however alike the words are."""
    assert pairs(*OTHER[name]) == []


def test_what_says_too_little_is_known() -> None:
    """A question without figures and names cannot be found in another language, and says so."""
    assert not content_of("为什么会这样?", "zh").is_comparable
    assert content_of("What was the price of BTC on May 1, 2024?", "en").is_comparable


@pytest.mark.real
def test_the_real_questions_have_one_copy(real_data: Path) -> None:
    """CAIA's file is read whole, and of its 178 only two ask the same: the published file has that question twice."""
    found = read_questions(real_data / "caia" / "benchmark_178.csv")
    assert len({one.id for one in found}) == 178 and all(one.answer and one.category for one in found)
    contents = {one.more["id"]: content_of(one.question, one.language) for one in found}
    assert list(alike(contents)) == [("1", "30", "words")]
