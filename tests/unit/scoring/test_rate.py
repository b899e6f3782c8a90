"""Rates told from totals, prices and sources."""

from __future__ import annotations

import pytest

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.rate import EACH, is_rate, is_time, named, per
from caia_replay.scoring.unit import KNOWN
from tests.labelled_set import misjudged

DAY = KNOWN["day"].name()
TOTAL = AnswerSpec("number", ("1250000",), "USD", "1")
DAILY = AnswerSpec("number", ("1250000",), "USD per day", "1")
COUNT, ETH = AnswerSpec("number", ("42",)), AnswerSpec("number", ("42",), "ETH")
COUNTS = ("validator", "user", "wallet", "address", "block", "transaction", "pool", "trade", "epoch", "person", "sheep")
AMOUNTS = ("$1.25M", "1.25M", "1.25 million USD", "1,250,000 US dollars", "125万美元", "USD 1,250,000")
TIMED = (
    "{n} per {t}", "{n}/{t}", "{n} / {t}", "{n} a {t}", "{n} each {t}", "{n} every {t}", "{n} (per {t})",
    "{n}, per {t}", "{n} in fees per {t}", "{n} of volume each {t}", "Per {t}: {n}", "{n} per calendar {t}",
    "Every {t} the protocol earned {n}", "{n} on average per {t}", "**{n}** per {t}",
)  # fmt: skip


@pytest.mark.parametrize("time", ["second", "minute", "hour", "day", "week", "month", "year"])
def test_so_much_a_time_is_no_total(time: str) -> None:
    """However a time is named, an amount by it is not the amount; a task for that rate is answered by it alone."""
    for form in TIMED:
        form = form.replace(" a {t}", " an {t}") if time == "hour" else form
        answers = [form.format(n=amount, t=time) for amount in AMOUNTS]
        assert misjudged(TOTAL, False, answers) == [] and misjudged(DAILY, time == "day", answers) == []


@pytest.mark.parametrize("thing", COUNTS)
def test_so_much_for_each_of_many_is_no_total(thing: str) -> None:
    """What is counted need not be known to make a rate, but behind "each"; it is no token, no gas and no source."""
    forms = ("{n} per {t}", "{n} ETH per {t}", "{n} per active {t}", "{n} ETH for each {t}")
    answers = [form.format(n=42, t=thing) for form in forms[: 3 if thing == "sheep" else 4]]
    assert misjudged(ETH, False, answers) == []
    assert misjudged(AnswerSpec("number", ("42",), f"ETH per {thing}"), True, answers) == []


def test_rates_without_their_word() -> None:
    """Adverbs, averages of a time and Chinese each are rates too."""
    assert misjudged(TOTAL, False, (
        "日均125万", "每天125万", "每日125万美元", "平均每天125万美元", "125万美元/天", "125万美元每天",
        "人均125万美元", "每个用户125万美元", "月均125万美元", "户均125万", "年化125万美元", "每季度125万美元",
        "每笔125万美元", "1.25 Mio. USD pro Tag", "1,25 Mio. USD täglich", "$1.25M por día", "$1.25M par jour",
        "$1.25M al mes", "$1.25M daily", "$1.25M weekly", "$1.25M on a daily basis", "$1.25M annualized",
        "daily $1.25M", "$1.25M p.a.", "daily average of $1.25M", "an average daily volume of $1.25M",
        "annual run rate of $1.25M", "$1.25M per annum", "$1.25M each", "$1.25M apiece", "$1.25M per 24 hours",
        "$1.25M/24h", "$1.25M every 10 minutes", "$1.25M a head",
    )) == []  # fmt: skip


def test_a_rate_is_no_count() -> None:
    """A task without a unit asks how many there are, and not how many a day; alternatives share their rate."""
    assert misjudged(COUNT, False, (
        "42 each", "42 transfers each day", "42 swaps a minute", "42 transactions per day", "42笔/天", "每小时42笔",
        "40 or 42 per day", "40-42 per day", "40, 41 or 42 a day", "42 per 100 users", "42 per",
        "Each user made 42 transfers", "42 transfers per address on average", "jeweils 42", "42 in every block",
    )) == []  # fmt: skip


def test_sources_and_spans_make_no_rate() -> None:
    """What a number is taken from, or how long it took, leaves it a total; a rate beside a total says more of it."""
    assert misjudged(COUNT, True, (
        "42 per Etherscan", "42, per the contract's logs", "42 (per DefiLlama)", "42 as per the logs",
        "42 per my count", "42 per block explorer", "42 per transaction logs", "42 transfers in a day",
        "42 over 7 days", "42 within an hour", "42 daily active users", "42 in total, 6 per day", "42 (6 per day)",
        "6 per day, 42 in total", "42 holders/addresses", "42 transfers, each of 5 ETH",
        "42 (every transfer was checked)", "Each log was read; 42", "42; about one a day",
        "42 percent of one block is not asked for: 42",
    )) == []  # fmt: skip


@pytest.mark.parametrize(("spec", "right", "wrong"), [
    (AnswerSpec("number", ("3000",), "USD"),
     ("$3,000 per ETH", "$3,000 / ETH", "$3,000 per token", "$3,000 per coin", "$3,000 per NFT"), ()),
    (AnswerSpec("number", ("23.7",), "gwei"), ("23.7 gwei per gas", "23.7 gwei per unit of gas", "23.7 gwei /gas"), ()),
    (AnswerSpec("number", ("12.5",), "%"), ("12.5% per block",), ("12.5% per day",)),
    (AnswerSpec("number", ("4.2",), "% per year"),
     ("4.2%", "4.2% per year", "4.2% p.a.", "4.2% per annum", "4.2% APR"), ("4.2% per day",)),
], ids=["price", "gas", "share", "yearly"])  # fmt: skip
def test_prices_and_shares_have_rates_of_their_own(
    spec: AnswerSpec, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    """So much per token is how a price is said, per gas how gas is paid; a share is no rate but by a time."""
    assert misjudged(spec, True, right) == [] and misjudged(spec, False, wrong) == []


@pytest.mark.parametrize(("before", "after", "name"), [
    ("", " per day", DAY), ("日均", "", DAY), ("", " each", EACH), ("", " per sheep", EACH), ("", " per Etherscan", ""),
    ("", " in a day", ""), ("", "", ""), ("", " per ETH", "ether*1"),
])  # fmt: skip
def test_what_a_number_is_counted_by(before: str, after: str, name: str) -> None:
    """The words on either side name it."""
    assert per(before, after) == name
    assert is_rate(name) is (name in (DAY, EACH)) and is_time(name) is (name == DAY)


def test_words_behind_per() -> None:
    """A known noun has its name, an unknown word is one of many, a name is a source."""
    assert is_rate(named("validator")) and named("walrus") == EACH and named("Nansen") == named("etherscan") == ""
