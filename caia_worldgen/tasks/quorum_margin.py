"""How far a vote ended from its quorum, by the forum's thread on the result, in which people also err."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from caia_replay.core.suite import Recipe
from caia_worldgen.rng import Rng
from caia_worldgen.tasks.shape import Asked, Shape, Story, gold, number, step
from caia_worldgen.tasks.written_day import NUMBER
from caia_worldgen.view import ViewCall
from caia_worldgen.web import number as written

_MOST: Final = 4
_WHOLE: Final = 10**18
_RECIPE: Final = Recipe(
    question="vote on '(?P<motion>[a-z ]{4,60})'",
    also=("对“(?P<motion>[a-z ]{4,60})”",),
    query="{motion} vote result quorum votes in favour forum",
    pattern="'{motion}' ended (?P<answer>[0-9][0-9,]*) votes from its quorum",
)


def _asked(story: Story, dice: Rng) -> Iterator[Asked]:
    stage, truth = story.scene.main, story.truth
    lender = truth.subject("lend")
    threads = [made.page for made in story.web.pages if made.kind == "forum/result"]
    ends = [(at, deed) for verb in ("succeeded", "defeated") for at, deed in truth.happened(verb)]
    for at, deed in dice.some(ends, len(ends)):
        motion = deed.subject
        told = [page.published for page in threads if page.published and f"'{motion}'" in page.text]
        height = story.height_after(stage, min(told), dice) if told else None
        if height is None:
            continue
        tally = stage.views.answer(ViewCall("governor", "proposalVotes", (deed.figure("id"),)), stage.calendar.at(at))
        votes = written.exact(Fraction(tally[1], _WHOLE)).value
        gap = abs(votes - written.exact(Fraction(deed.figure("quorum"), _WHOLE)).value)
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
        yield Asked(question, stage, height, number(gap, "votes"), chain, lender.id, claim, chinese)


SHAPE: Final = Shape(
    "quorum-margin", "project discovery", "project facts", ("web_search", "url_fetching"), _MOST, (2_000, 18_000),
    "The next vote is planned on a turnout that never was.", 3, _asked, _RECIPE,
)  # fmt: skip
