"""What a person would ask to learn a fact that some page states: plain questions, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from caia_replay.origin.calendar import DAY_S
from caia_replay.origin.web import number
from caia_replay.origin.web.page import Claim, WebPage
from caia_replay.origin.web.truth import Truth

_ENGLISH: Final[Mapping[str, tuple[str, ...]]] = {
    "price": ("What was the price of {name} on {day}?", "How much was one {ticker} worth on {day}?",
              "{ticker} price {day}"),
    "cap": ("What was the market cap of {name} on {day}?", "{ticker} market capitalisation on {day}"),
    "supply": ("What was the total supply of {name} ({ticker}) on {day}?", "How many {ticker} were there on {day}?",
               "{name} ({ticker}) total supply {day}"),
    "tvl": ("How much was locked in {name} on {day}?", "{name} TVL {day}"),
    "volume": ("What was the trading volume on {name} on {day}?", "{name} daily volume {day}"),
    "fees": ("How much did {name} earn in fees on {day}?", "{name} daily fees {day}"),
    "staked": ("How many {ticker} were staked with {name} on {day}?", "{name} staking pool total staked {day}"),
    "unlocked": ("How many {ticker} tokens were vested by {day}?", "{name} vesting unlocked {day}"),
    "address": ("What is the contract address of {name}?", "{name} ({ticker}) token contract address"),
    "release": ("What was the latest release of {repository} on {day}?", "{repository} release notes {day}",
                "{repository} release {month}", "{name} new version released {day}"),
    "round": ("How much did {name} raise?", "Who invested in {name}, and how much was raised?",
              "{name} ({ticker}) funding round: amount and investors"),
}  # fmt: skip
_CHINESE: Final[Mapping[str, tuple[str, ...]]] = {
    "price": ("{day} {ticker} 的价格是多少？", "{name}（{ticker}）在 {day} 的价格"),
    "cap": ("{day} {name}（{ticker}）的市值是多少？",),
    "supply": ("{day} {ticker} 的总供应量是多少？", "{name}（{ticker}）总供应量 {day}"),
    "tvl": ("{day} {name} 的锁仓量是多少？", "{name} 锁仓量 TVL {day}"),
    "volume": ("{name} {day} 的交易量是多少？",),
    "fees": ("{name} {day} 的手续费收入是多少？",),
    "staked": ("{day} {name} 质押了多少 {ticker}？",),
    "unlocked": ("{name}（{ticker}）到 {day} 解锁了多少代币？", "{ticker} 解锁 {day}"),
    "address": ("{name} 的合约地址是什么？",),
    "release": ("{day} {repository} 的最新版本是什么？",),
    "round": ("{name} 融资多少？", "{name} 融资"),
}

_LASTING: Final = ("supply", "address", "release", "round")


def can_ask(claim: Claim, truth: Truth) -> bool:
    """Whether there is a question for such a claim: its subject has a name that people know."""
    return claim.kind in _ENGLISH and _names(claim, truth) is not None


PROJECT_KINDS: Final = ("supply", "address", "release", "round", "unlocked", "staked", "tvl", "fees")
"""What is asked of a project; prices, caps and volumes are asked of a market."""


def is_news(made: WebPage, claim: Claim) -> bool:
    """Whether the page told the fact when it was new, within three days; what lasts is news at any time."""
    if claim.kind in _LASTING:
        return True
    published = made.page.published
    return published is not None and published - claim.moment <= 3 * DAY_S


def is_about(title: str, claim: Claim, truth: Truth) -> bool:
    """Whether a page of this title is about what the claim is about, so that one would look for it there."""
    if not can_ask(claim, truth):
        return False
    name, ticker = _names(claim, truth) or ("", "")
    return name in title or (bool(ticker) and ticker in title)


def questions(claim: Claim, truth: Truth, language: str) -> tuple[str, ...]:
    """Questions that the claim answers, in "en" or "zh". Raises ``KeyError`` where ``can_ask`` says no."""
    names = _names(claim, truth)
    if names is None:
        raise KeyError(claim.subject)
    name, ticker = names
    day = number.chinese_day(claim.moment) if language == "zh" else number.day(claim.moment)
    words = {
        "name": name,
        "ticker": ticker,
        "day": day,
        "month": number.month(claim.moment),
        "repository": claim.subject,
    }
    phrases = (_CHINESE if language == "zh" else _ENGLISH)[claim.kind]
    return tuple(one.format(**words) for one in phrases)


def answers(stated: Claim, asked: Claim) -> bool:
    """Whether what is stated answers a question about ``asked``: the same thing on the same day, and true then; of
    what does not change from day to day, the same value."""
    if (stated.kind, stated.subject) != (asked.kind, asked.subject) or stated.status in ("mistaken", "rumour"):
        return False
    if stated.moment // DAY_S == asked.moment // DAY_S:
        return True
    return asked.kind in _LASTING and stated.value == asked.value


def _names(claim: Claim, truth: Truth) -> tuple[str, str] | None:
    """What people call the subject, and its ticker."""
    if claim.kind == "staked":
        one = truth.subject(claim.subject)
        return one.name, one.ticker
    if claim.kind == "address" and claim.subject.startswith("pool:"):
        return None  # a pool has no name of its own
    subject = claim.subject.partition("/")[0]
    if subject.startswith("chain:"):
        return subject.removeprefix("chain:"), ""
    if subject in truth.subjects:
        return truth.subjects[subject].name, truth.subjects[subject].ticker
    protocol = truth.metrics.protocol(subject)
    return None if protocol is None else (protocol.name, "")
