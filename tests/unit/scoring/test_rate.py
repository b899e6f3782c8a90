"""Rates told from totals, prices and sources."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.core.task import AnswerSpec
from caia_replay.scoring.rate import EACH, is_rate, is_time, named, per
from caia_replay.scoring.unit import KNOWN
from caia_replay.scoring.verifiers.number import NumberVerifier

DAY = KNOWN["day"].name()
TOTAL = AnswerSpec("number", ("1250000",), "USD", "1")
DAILY = AnswerSpec("number", ("1250000",), "USD per day", "1")
COUNT = AnswerSpec("number", ("42",))
TIMES = ("second", "minute", "hour", "day", "week", "month", "year")
COUNTS = ("validator", "user", "wallet", "address", "block", "transaction", "pool", "trade", "epoch", "person", "sheep")
AMOUNTS = ("$1.25M", "1.25M", "1.25 million USD", "1,250,000 US dollars", "125万美元", "USD 1,250,000")


def right(spec: AnswerSpec, answer: str) -> bool | None:
    """The verdict alone."""
    return NumberVerifier().verify(spec, answer).correct


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize(
    "form",
    [
        *("{n} per {t}", "{n}/{t}", "{n} / {t}", "{n} a {t}", "{n} each {t}", "{n} every {t}", "{n} (per {t})"),
        *("{n}, per {t}", "{n} in fees per {t}", "{n} of volume each {t}", "Per {t}: {n}", "{n} per calendar {t}"),
        *("Every {t} the protocol earned {n}", "{n} on average per {t}", "**{n}** per {t}"),
    ],
)
def test_so_much_a_time_is_no_total(form: str, time: str) -> None:
    """However a time is named, an amount by it is not the amount; a task for that rate is answered by it alone."""
    form = form.replace(" a {t}", " an {t}") if time == "hour" else form
    for amount in AMOUNTS:
        answer = form.format(n=amount, t=time)
        assert right(TOTAL, answer) is False, answer
        assert right(DAILY, answer) is (time == "day"), answer


@pytest.mark.parametrize("thing", COUNTS)
@pytest.mark.parametrize("form", ["{n} per {t}", "{n} ETH per {t}", "{n} per active {t}", "{n} ETH for each {t}"])
def test_so_much_for_each_of_many_is_no_total(form: str, thing: str) -> None:
    """What is counted need not be known to make a rate: it has no capitals and is no token, no gas and no source."""
    if "each" in form and thing == "sheep":
        pytest.skip("only what is known is a rate behind each")
    answer = form.format(n="42", t=thing)
    assert right(AnswerSpec("number", ("42",), "ETH"), answer) is False
    assert right(AnswerSpec("number", ("42",), f"ETH per {thing}"), answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "日均125万",
            "每天125万",
            "每日125万美元",
            "平均每天125万美元",
            "125万美元/天",
            "125万美元每天",
            "人均125万美元",
        ),
        *("每个用户125万美元", "月均125万美元", "户均125万", "年化125万美元", "每季度125万美元", "每笔125万美元"),
        *("1.25 Mio. USD pro Tag", "1,25 Mio. USD täglich", "$1.25M por día", "$1.25M par jour", "$1.25M al mes"),
        *(
            "$1.25M daily",
            "$1.25M weekly",
            "$1.25M on a daily basis",
            "$1.25M annualized",
            "daily $1.25M",
            "$1.25M p.a.",
        ),
        *(
            "daily average of $1.25M",
            "an average daily volume of $1.25M",
            "annual run rate of $1.25M",
            "$1.25M per annum",
        ),
        *(
            "$1.25M each",
            "$1.25M apiece",
            "$1.25M per 24 hours",
            "$1.25M/24h",
            "$1.25M every 10 minutes",
            "$1.25M a head",
        ),
    ],
)
def test_rates_without_their_word(answer: str) -> None:
    """Adverbs, averages of a time and Chinese each are rates too."""
    assert right(TOTAL, answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *("42 each", "42 transfers each day", "42 swaps a minute", "42 transactions per day", "42笔/天", "每小时42笔"),
        *("40 or 42 per day", "40-42 per day", "40, 41 or 42 a day", "42 per 100 users", "42 per"),
        *("Each user made 42 transfers", "42 transfers per address on average", "jeweils 42", "42 in every block"),
    ],
)
def test_a_rate_is_no_count(answer: str) -> None:
    """A task without a unit asks how many there are, and not how many a day; alternatives share their rate."""
    assert right(COUNT, answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "42 per Etherscan",
            "42, per the contract's logs",
            "42 (per DefiLlama)",
            "42 as per the logs",
            "42 per my count",
        ),
        *(
            "42 per block explorer",
            "42 per transaction logs",
            "42 transfers in a day",
            "42 over 7 days",
            "42 within an hour",
        ),
        *(
            "42 daily active users",
            "42 in total, 6 per day",
            "42 (6 per day)",
            "6 per day, 42 in total",
            "42 holders/addresses",
        ),
        *(
            "42 transfers, each of 5 ETH",
            "42 (every transfer was checked)",
            "Each log was read; 42",
            "42; about one a day",
        ),
        *("42 percent of one block is not asked for: 42",),
    ],
)
def test_sources_and_spans_make_no_rate(answer: str) -> None:
    """What a number is taken from, or how long it took, leaves it a total; a rate beside a total says more of it."""
    assert right(COUNT, answer) is True


def test_a_price_is_asked_for_in_its_currency() -> None:
    """So much per token is how a price is said; so much per gas is how gas is paid."""
    price, gas = AnswerSpec("number", ("3000",), "USD"), AnswerSpec("number", ("23.7",), "gwei")
    assert all(right(price, f"$3,000 {form}") for form in ("per ETH", "/ ETH", "per token", "per coin", "per NFT"))
    assert all(right(gas, f"23.7 gwei {form}") for form in ("per gas", "per unit of gas", "/gas"))


def test_a_share_is_no_rate_but_by_a_time() -> None:
    """12.5 per cent per block is 12.5 per cent; 12.5 per cent a day is not."""
    share = AnswerSpec("number", ("12.5",), "%")
    assert right(share, "12.5% per block") is True and right(share, "12.5% per day") is False
    yearly = AnswerSpec("number", ("4.2",), "% per year")
    assert all(right(yearly, text) for text in ("4.2%", "4.2% per year", "4.2% p.a.", "4.2% per annum", "4.2% APR"))
    assert right(yearly, "4.2% per day") is False


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [
        ("", " per day", DAY),
        ("日均", "", DAY),
        ("", " each", EACH),
        ("", " per sheep", EACH),
        ("", " per Etherscan", ""),
        ("", " in a day", ""),
        ("", "", ""),
        ("", " per ETH", "ether*1"),
    ],
)
def test_what_a_number_is_counted_by(before: str, after: str, name: str) -> None:
    """The words on either side name it."""
    assert per(before, after) == name
    assert is_rate(name) is (name in (DAY, EACH)) and is_time(name) is (name == DAY)


def test_words_behind_per() -> None:
    """A known noun has its name, an unknown word is one of many, a name is a source."""
    assert is_rate(named("validator")) and named("walrus") == EACH and named("Nansen") == named("etherscan") == ""


@settings(max_examples=150)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_words_are_read(before: str, after: str) -> None:
    """No words around a number break the reader."""
    assert isinstance(per(before, after), str)
