"""Questions of votes, their terms, and the treasury."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_worldgen.rng import Rng
from caia_worldgen.tasks.day import NUMBER
from caia_worldgen.tasks.shape import Asked, Story, gold, number, step, view
from caia_worldgen.tasks.shape import votes as votes_of
from caia_worldgen.tasks.wording import is_sayable, is_told_apart
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number as written

_TERMS: Final = (
    ("timelock", "minimum delay", "getMinDelay", 3_600, "hours",
     "how many hours must pass between queueing and executing a decision"),
    ("governor", "proposal threshold", "proposalThreshold", 10**18, None,
     "how many votes (not their smallest unit) does it take to make a proposal"),
)  # fmt: skip
"""Rules told in another unit than people speak in: contract, the rule's name, function, what one unit is in the
contract's own, the unit, and the words."""
_DECIMALS: Final = 4


def governance_term(story: Story, rng: Rng) -> Iterator[Asked]:
    """One of the rules by which a project is governed: each contract tells its own in a unit of its own."""
    stage = story.scene.main
    for role, term, function, unit, name, words in rng.some(_TERMS, len(_TERMS)):
        question = ViewCall(role, function)
        block = story.height_from(stage, next(stage.views.heights(question)), rng)
        (told,), contract = stage.views.answer(question, block), stage.contracts[role].address
        call = view(contract, f"{function}()(uint256)", block)
        yield Asked(
            question=f"What is the {term} of the {role} {contract} on {story.network(stage)}: {words}?",
            stage=stage,
            block=block,
            answer=number(Fraction(told, unit), name) if name else votes_of(story, Fraction(told, unit)),
            gold=gold(f"$1.values.0 / {unit}", call),
            project=role,
            claim=f"The {term} of the {role} {contract} is {{planted}} {name or 'votes'}.",
        )


def quorum_margin(story: Story, rng: Rng) -> Iterator[Asked]:
    """How far a vote ended from its quorum, by the forum's thread on the result, in which people also err."""
    whole = 10**18
    stage, truth = story.scene.main, story.truth
    lender = truth.subject("lend")
    threads = [made.page for made in story.web.pages if made.kind == "forum/result"]
    ends = [(at, deed) for verb in ("succeeded", "defeated") for at, deed in truth.happened(verb)]
    for at, deed in rng.some(ends, len(ends)):
        motion = deed.subject
        told = [page.published for page in threads if page.published and f"'{motion}'" in page.text]
        height = story.height_after(stage, min(told), rng) if told else None
        if height is None:
            continue
        tally = stage.views.answer(ViewCall("governor", "proposalVotes", (deed.figure("id"),)), stage.calendar.at(at))
        votes = written.exact(Fraction(tally[1], whole)).value
        gap = abs(votes - written.exact(Fraction(deed.figure("quorum"), whole)).value)
        question = (
            f"A thread on forum.{lender.site} reports how the vote on '{motion}' ended. Going by its opening post, how "
            "many votes lie between the count in favour and the quorum, whichever is larger?"
        )
        chinese = (
            f"forum.{lender.site} 上有一个帖子公布了对“{motion}”的投票结果。按其首帖，赞成票数与法定票数相差多少票"
            "（取绝对值）？"
        )
        search = f'"{motion}" result outcome vote closed over final tally counted favour site:forum.{lender.site}/t'
        chain = gold(
            f"abs(match($2.text, '({NUMBER})(?: votes for| votes, when| in favour)') - "
            f"match($2.text, '(?:Quorum was|quorum of|Needed:) ({NUMBER})'))",
            step("web_search", query=search, limit=5),
            step("url_fetching", url="$1.results.0.url"),
        )
        claim = f"The vote on '{motion}' ended {{planted}} votes from its quorum."
        yield Asked(question, stage, height, votes_of(story, gap), chain, lender.id, claim, chinese)


def treasury_share(story: Story, rng: Rng) -> Iterator[Asked]:
    """Which part of a token's supply its treasury or a venue held at the end of a block."""
    most, tolerance = 5, "0.01"
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    holders = [story.scene.people.address(role) for role in ("treasury", "exchange", "market maker")]
    told: set[tuple[str, Fraction]] = set()
    for _ in range(40 * most):
        asset, holder, height = rng.one(story.tokens()), rng.one(holders), rng.number(end // 6, end)
        block = story.height_from(stage, height, rng)
        share, later = (
            round(
                Fraction(stage.ledger.balance(asset.address, holder, at) * 100, stage.ledger.supply(asset.address, at)),
                8,
            )
            for at in (height, block)
        )
        # An account that nobody touched yet has the round share it was given.
        if share.denominator == 1 or not is_sayable(share, tolerance, _DECIMALS) or (asset.role, share) in told:
            continue
        if not is_told_apart(share, later, tolerance):
            continue
        told.add((asset.role, share))
        ticker, network = asset.project.ticker, story.network(stage)
        question = (
            f"What percentage of the total supply of {ticker} ({asset.address}) on {network} did the account "
            f"{holder} hold at the end of block {height}? Give four decimals."
        )
        chinese = (
            f"在区块 {height} 结束时，账户 {holder} 持有的 {ticker}（{network} 上的合约 {asset.address}）占其总供应量的"
            "百分之多少？请保留四位小数。"
        )
        calls = (
            step("balance_query", address=holder, token=asset.address, block=height),
            step("supply_query", asset=asset.address, block=height),
        )
        yield Asked(
            question,
            stage,
            block,
            number(share, "%", tolerance),
            gold("round($1.raw * 100 / $2.on_chain.0.raw, 8)", *calls),
            asset.project.id,
            f"At the end of block {height} the account {holder} held {{planted}} % of all {ticker}.",
            chinese,
        )


def vote_tally(story: Story, rng: Rng) -> Iterator[Asked]:
    """How many votes a proposal had on one side at the end of a block, with the votes' decimals."""
    tolerance, tries, sides, function = (
        "0.0001",
        24,
        (("against", 0), ("in favour", 1), ("to abstain", 2)),
        "proposalVotes(uint256)(uint256,uint256,uint256)",
    )
    stage, end = story.scene.main, story.heights[story.scene.main.name][-1]
    known = [one for one in stage.views.questions() if (one.role, one.function) == ("governor", "proposalVotes")
             and next(stage.views.heights(one)) <= end]  # fmt: skip
    governor = stage.contracts["governor"].address
    for question in tries * rng.some(known, len(known)):
        # Votes come in for some days alone; before the last of them a tally is not the final one.
        height = rng.number(next(stage.views.heights(question)), min(end, max(stage.views.heights(question))))
        block = story.height_from(stage, height, rng)
        (words, side), (motion,) = rng.one(sides), question.arguments
        votes, later = (Fraction(stage.views.answer(question, at)[side], 10**18) for at in (height, block))
        if not is_sayable(votes, tolerance, _DECIMALS) or not is_told_apart(votes, later, tolerance):
            continue
        asked = (
            f"The governor {governor} on {story.network(stage)} counts votes in units of 10^-18. How many votes "
            f"{words} had proposal {motion} received by the end of block {height}? Apply the decimals and "
            "give four of them."
        )
        yield Asked(
            asked,
            stage,
            block,
            votes_of(story, votes, tolerance),
            gold(f"$1.values.{side} / {10**18}", view(governor, function, height, str(motion))),
            "governor",
            f"By the end of block {height} proposal {motion} had received {{planted}} votes {words}.",
        )
